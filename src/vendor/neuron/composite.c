/* Reading composites. */
#include "composite.h"

#if NPU__HAS_NEURON && NPU__HAS_PLACEMENT

NPU__FN int32_t npu__neuron_composite(const npu__node *node) {
    npu__str name;
    if (node->code != NPU__BUILTIN_STABLEHLO_COMPOSITE) return NPU__NEURON_OTHER;
    name = NPU__OPTIONS(node, StableHLOCompositeOptions)->name;
    if (npu__str_is(name, "odml.rms_norm")) return NPU__NEURON_RMS_NORM;
    if (npu__str_is(name, "odml.l2_norm")) return NPU__NEURON_L2_NORM;
    return npu__str_is(name, "odml.group_norm") ? NPU__NEURON_GROUP_NORM : NPU__NEURON_OTHER;
}

NPU__FN npu__flex npu__neuron_attributes(const npu__node *node) {
    const npu__vec bytes = NPU__OPTIONS(node, StableHLOCompositeOptions)->composite_attributes;
    return npu__flex_root(bytes.p, bytes.n);
}

#endif
