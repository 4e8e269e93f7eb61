/* MDLA as every other vendor is seen: it analyses, and a software device runs what it takes. */
#include "mdla.h"
#include "run/device.h"

#if NPU__HAS_MDLA

NPU__FN const npu__vendor *npu__vendor_mdla(void) {
    static const npu__vendor vendor = {
        "mdla", NPU__VENDOR_NR_mdla, NULL, NULL, NULL, NULL,
#if NPU__HAS_MDLA_DEVICE
        npu__mdla_lower, npu__mdla_prepare, npu__mdla_invoke, npu__mdla_release,
#else
        NULL, NULL, NULL, NULL,
#endif
#if NPU__HAS_PLACEMENT
        npu__mdla_rules,
#endif
#if NPU__HAS_REPORTS
        NULL, NULL, NULL, NULL,
#  if NPU__HAS_MDLA_DEVICE
        npu__mdla_program_report,
#  else
        NULL,
#  endif
        NULL, NULL, NULL, NULL
#endif
    };
    return &vendor;
}

#endif
