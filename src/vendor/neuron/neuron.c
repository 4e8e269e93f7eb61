/* MediaTek Neuron as every other vendor is seen. */
#include "../vendor.h"
#include "api.h"

#if NPU__HAS_NEURON

NPU__FN const npu__vendor *npu__vendor_neuron(void) {
    static const npu__vendor vendor = {
        "neuron", NPU__VENDOR_NR_neuron, "LiteRT's plugin for MediaTek", NULL, NULL, NULL,
        NULL, NULL, NULL, NULL,
        NULL,
#if NPU__HAS_REPORTS
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
#endif
    };
    return &vendor;
}

#endif
