/* Finding an operator's definition. */
#include "ops.h"

NPU__FN const npu__opdef *npu__op_find(int32_t code, npu__str custom_name) {
    if (code == 32) {
#define NPU_X(name, def) if (npu__str_is(custom_name, name)) return &def;
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
