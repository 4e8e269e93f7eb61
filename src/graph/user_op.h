/* Operators of the caller's own (npu_model_desc.operators): definitions made of registrations, so that all code behind them sees no
 * difference. */
#ifndef NPU__GRAPH_USER_OP_H
#define NPU__GRAPH_USER_OP_H

#include "op.h"

struct npu__user_def {
    npu__opdef         def; /* first: what a node has is this */
    const npu_user_op *op;
#if !NPU__HAS_REPORTS
    uint16_t           room[NPU_MACHINE_COUNT - 1]; /* as large as with them: base/sizes.h knows one size */
#endif
};

/* Checks the registrations of `desc` and copies them into the model's pool. `what`: the public function. */
NPU__FN npu_status npu__user_ops_take(npu_model *m, const npu_model_desc *desc, const char *what, npu_diag *diag);
/* The definition for a node of which this build has none. NULL: nobody has. */
NPU__FN const npu__opdef *npu__user_op_find(const npu_model *m, int32_t code, npu__str custom_name);
/* Is it an operator of the caller's own? */
NPU__FN int npu__node_is_user(const npu__node *node);

#endif
