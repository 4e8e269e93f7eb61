/* The backend of every build: a table of the ops this runtime has, made from the list of ops itself. */
#include "../../ops/ops.h"
#include "none.h"

#if NPU__HAS_REPORTS

static const npu__backend_op npu__none_ops[] = {
#define NPU_X(name, code, def) {#name, code, 1u},
    NPU__OPS(NPU_X)
#undef NPU_X
#define NPU_X(name, def) {name, NPU__BUILTIN_CUSTOM, 1u},
    NPU__CUSTOM_OPS(NPU_X)
#undef NPU_X
};

static const npu__rule npu__none_not_listed = {
    "none.operator_not_listed", "the operator must be one this runtime executes", "an operator of this report", "", 0,
    NPU__EVERY_OP, 1u, 0, 0, NULL};

NPU__FN const npu__backend *npu__backend_none(void) {
    static const npu__backend backend = {
        "none", "Operators this runtime executes itself.", 1u, NPU__COUNT(npu__none_ops), 0, npu__none_ops, NULL,
        &npu__none_not_listed};
    return &backend;
}

#endif
