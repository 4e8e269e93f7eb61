/* Finding an operator's definition. */
#include "ops.h"

#ifndef NPU__ONE_UNIT
#  define NPU_X(name, code, def) extern const npu__opdef def;
NPU__OPS(NPU_X)
NPU__CUSTOM_OPS(NPU_X)
#  undef NPU_X
#endif

#ifdef NPU_RT_ONLY_OPS
/* A function for each definition: the compiler drops those that the user's list does not name, and all behind them. */
#define NPU_X(name, value, def) NPU__FN const npu__opdef *npu__def_##name(void) { return &def; }
NPU__OPS(NPU_X)
#undef NPU_X
#define NPU_X(id, name, def) NPU__FN const npu__opdef *npu__def_##id(void) { return &def; }
NPU__CUSTOM_OPS(NPU_X)
#undef NPU_X

/* The names of custom operators in the list are those in the file. */
NPU__FN const npu__opdef *npu__op_find(int32_t code, npu__str custom_name) {
#define NPU_X(name) \
    if (code == NPU__CODE_##name && (code != NPU__BUILTIN_CUSTOM || npu__str_is(custom_name, #name))) return npu__def_##name();
    NPU_RT_ONLY_OPS(NPU_X)
#undef NPU_X
#define NPU_X(id, name, def) if (code == NPU__BUILTIN_CUSTOM && npu__str_is(custom_name, name)) return &def;
    NPU__COMPILED_OPS(NPU_X)
#undef NPU_X
    (void)code;
    (void)custom_name;
    return NULL;
}

#else

NPU__FN const npu__opdef *npu__op_find(int32_t code, npu__str custom_name) {
    if (code == NPU__BUILTIN_CUSTOM) {
#define NPU_X(id, name, def) if (npu__str_is(custom_name, name)) return &def;
        NPU__CUSTOM_OPS(NPU_X)
#undef NPU_X
        return NULL;
    }
    switch (code) {
#define NPU_X(name, value, def) case value: return &def;
        NPU__OPS(NPU_X)
#undef NPU_X
    default: return NULL;
    }
}
#endif
