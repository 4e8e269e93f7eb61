/* The normalisations that travel as composites. */
#ifndef NPU__VENDOR_NEURON_COMPOSITE_H
#define NPU__VENDOR_NEURON_COMPOSITE_H

#include "../../tflite/flexbuf.h"
#include "../vendor.h"

#if NPU__HAS_NEURON

enum { NPU__NEURON_OTHER, NPU__NEURON_RMS_NORM, NPU__NEURON_L2_NORM, NPU__NEURON_GROUP_NORM };

/* Which one the node is; NPU__NEURON_OTHER: it is no composite, or one of another name. */
NPU__FN int32_t npu__neuron_composite(const npu__node *node);
/* Its attributes: a map, or null. */
NPU__FN npu__flex npu__neuron_attributes(const npu__node *node);

#endif
#endif
