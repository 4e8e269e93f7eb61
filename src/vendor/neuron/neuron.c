/* MediaTek Neuron as every other vendor is seen. */
#include "../../ops/util.h"
#include "container.h"
#include "neuron.h"

#if NPU__HAS_NEURON

NPU__FN npu_status npu__neuron_lower(npu__seg *seg) {
    npu__neuron_program *program;
    NPU__TRY(npu__neuron_make_program(seg, &program));
    seg->ctx.data = program;
    return npu__neuron_want(seg, program);
}

NPU__FN int npu__neuron_claims(const npu__node *node) { return npu__str_is(node->custom_name, "DISPATCH_OP"); }

NPU__FN const npu__vendor *npu__vendor_neuron(void) {
    static const npu__vendor vendor = {
        "neuron", NPU__VENDOR_NR_neuron, "LiteRT's plugin for MediaTek", npu__neuron_claims, NULL, NULL,
        npu__neuron_lower, npu__neuron_prepare, npu__neuron_invoke, npu__neuron_release,
        npu__neuron_rules,
#if NPU__HAS_REPORTS
        npu__neuron_compiled, NULL, NULL, NULL, npu__neuron_program_report, NULL, NULL, NULL, NULL
#endif
    };
    return &vendor;
}

#endif
