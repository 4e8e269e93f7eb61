/* MDLA as every other vendor is seen: it analyses. */
#include "mdla.h"

#if NPU__HAS_MDLA

NPU__FN const npu__vendor *npu__vendor_mdla(void) {
    static const npu__vendor vendor = {
        "mdla", NPU__VENDOR_NR_mdla, NULL, NULL, NULL, NULL,
        NULL, NULL, NULL, NULL,
#if NPU__HAS_REPORTS
        npu__mdla_rules,
#elif NPU__HAS_PLACEMENT
        NULL,
#endif
#if NPU__HAS_REPORTS
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
#endif
    };
    return &vendor;
}

#endif
