/* The vendors of this build, one by one. */
#include "vendor.h"

NPU__FN const npu__vendor *npu__vendor_at(int32_t i) {
#define NPU__X(id) if (i-- == 0) return npu__vendor_##id();
    NPU__VENDORS(NPU__X)
#undef NPU__X
    return NULL;
}

NPU__FN const npu__vendor *npu__vendor_of(const npu__node *node) {
    const npu__vendor *v;
    if (!npu__node_compiled(node)) return NULL;
    for (int32_t i = 0; (v = npu__vendor_at(i)) != NULL; i++) {
        if (v->claims && v->claims(node)) return v;
    }
    return NULL;
}
