/* Which operators a model is made of, by name. */
#ifndef NPU__GRAPH_KINDS_H
#define NPU__GRAPH_KINDS_H

#include "op.h"

#define NPU__MAX_KINDS 64 /* more names than that (a model of custom operators) are counted with the last */
#define NPU__KIND_NAME 1024 /* bytes by which names are told apart, so that comparing long ones has an end */

typedef struct npu__kind {
    npu__str name; /* of custom operators their own; "(others)" of the last where there are too many */
    int64_t  count;
    int32_t  code;
    int32_t  subgraph, op; /* the first place */
    int32_t  known;        /* this build has a kernel */
} npu__kind;

/* Is the node an operator of this code and name? */
NPU__FN int npu__kind_is(int32_t code, npu__str kind, const npu__node *node);

/* Fills `kinds` (room for NPU__MAX_KINDS) in the order of first places, and returns how many there are. `missing`: only
 * those without a kernel. */
NPU__FN int32_t npu__model_kinds(const npu_model *m, int missing, npu__kind *kinds);

/* Is every operator one that this build can run? If not, says in `diag` which ones are missing, all of them at once.
 * Errors: UNSUPPORTED "op.unknown". */
NPU__FN npu_status npu__model_complete(const npu_model *m, npu_diag *diag);

#endif
