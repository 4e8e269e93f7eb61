/* What is inside of compiled operators, vendor by vendor. */
#include "compiled.h"

#if NPU__HAS_REPORTS

NPU__FN void npu__report_compiled(npu__text *t, int json, const npu_model *m) {
    const npu__vendor *v;
    int                any = 0;
    if (json) npu__json_open(t, "compiled", '[');
    for (int32_t i = 0; (v = npu__vendor_at(i)) != NULL; i++) {
        if (v->compiled) any |= v->compiled(t, json, m);
    }
    if (json) npu__json_close(t, ']');
    else if (any) npu__text_f(t, "\n");
}

#endif
