/* The backend of every build: a table of the ops this runtime has, made from the list of ops itself. */
#include "../../ops/ops.h"
#include "../vendor.h"

#if NPU__HAS_PLACEMENT

static const npu__backend_op npu__none_ops[] = {
#ifdef NPU_RT_ONLY_OPS
#define NPU_X(name) {#name, NPU__CODE_##name, 0u, 1u, NULL},
    NPU_RT_ONLY_OPS(NPU_X)
#undef NPU_X
#define NPU_X(id, name, def) {name, NPU__BUILTIN_CUSTOM, 0u, 1u, NULL},
    NPU__COMPILED_OPS(NPU_X)
#undef NPU_X
#else
#define NPU_X(name, code, def) {#name, code, 0u, 1u, NULL},
    NPU__OPS(NPU_X)
#undef NPU_X
#define NPU_X(id, name, def) {name, NPU__BUILTIN_CUSTOM, 0u, 1u, NULL},
    NPU__CUSTOM_OPS(NPU_X)
#undef NPU_X
#endif
    {NULL, 0, 0u, 0u, NULL} /* not counted: NPU_RT_ONLY_OPS may be empty, a table may not */
};

static const npu__rule npu__none_not_listed = {
    "none.operator_not_listed", NPU__PROSE("the operator must be one this runtime executes"),
    NPU__PROSE("an operator of this report"), NPU__PROSE("Replace the operator by listed ones, or add it to the runtime."),
    NPU__PROSE("list of operators"), NPU__PROSE("list of operators"), 0,
    NPU__ANY_OP, 0u, 0u, 1u, 1, 0, NULL};

static const npu__target npu__none_targets[] = {{"none", NULL, 1u, 0}};

static const npu__profile npu__none_profiles[] = {
    {"runtime", NPU__PROSE("npu_rt " NPU_RT_VERSION), NPU__PROSE("Operators this runtime executes itself."), 1u, 1u, 0, 0, NULL, NULL, NULL}};

NPU__FN const npu__ruleset *npu__none_rules(void) {
    static const npu__ruleset set = {
        1, 1, NPU__COUNT(npu__none_ops) - 1, 0, npu__none_targets, npu__none_profiles, npu__none_ops, NULL,
        &npu__none_not_listed, NULL, 0, NULL};
    return &set;
}

#endif

NPU__FN const npu__vendor *npu__vendor_none(void) {
    static const npu__vendor vendor = {
        "none", -1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
#if NPU__HAS_PLACEMENT
        npu__none_rules,
#endif
#if NPU__HAS_REPORTS
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
#endif
    };
    return &vendor;
}
