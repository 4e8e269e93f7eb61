/* Arm Ethos-U as every other vendor is seen. */
#include "ethosu.h"

#if NPU__HAS_ETHOSU

NPU__FN int npu__ethosu_claims(const npu__node *node) { return npu__str_is(node->custom_name, "ethos-u"); }

NPU__FN const void *npu__ethosu_driver_before(const npu_session_desc *desc) { return desc->ethosu; }

/* Inputs: stream, read-only data, scratch, fast scratch, feature maps (operator.c). 16 is Vela's smallest alignment. */
static const npu__working npu__ethosu_working = {
    2, 3, 4, 16,
    "has no offset in the metadata OfflineMemoryAllocation: compile the model with Vela again",
    "has an offset that is no multiple of 16 or outside of the scratch tensor",
    "ethos_u.scratch", "ethos_u.offline_scratch", "ethos_u.offline_constant", "ethos_u.offline_missing",
    "ethos_u.offline_offset", "ethos_u.offline_overlap"};

NPU__FN const npu__vendor *npu__vendor_ethosu(void) {
    static const npu__vendor vendor = {
        "ethos-u", NPU__VENDOR_NR_ethosu, "Vela", npu__ethosu_claims, &npu__ethosu_working, npu__ethosu_driver_before,
        NULL, NULL, NULL, NULL,
#if NPU__HAS_REPORTS
        npu__backend_ethosu,
#elif NPU__HAS_PLACEMENT
        NULL,
#endif
#if NPU__HAS_REPORTS
        npu__ethosu_compiled_report, npu__ethosu_list, "ethos_u.no_stream",
        "the model has no operator ethos-u: it was not compiled for an Ethos-U; vela --accelerator-config ethos-u55-128 "
        "MODEL.tflite does that", NULL,
        "ethos-u55-128", npu__cost_mode_name, npu__ethosu_cost_of, npu__cost_walk
#endif
    };
    return &vendor;
}

#endif
