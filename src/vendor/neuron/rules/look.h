/* What predicates look at, and how they say what they saw. */
#ifndef NPU__VENDOR_NEURON_LOOK_H
#define NPU__VENDOR_NEURON_LOOK_H

#include "../neuron.h"
#include "operators.h"

#if NPU__HAS_NEURON && NPU__HAS_PLACEMENT

/* Inputs, then outputs; NULL: an input left out. */
NPU__FN const npu__val *npu__neuron_value(const npu__ctx *c, int32_t i);
/* Adds "input 1: int8" or "output 0: int8" to the measured values. */
NPU__FN void npu__neuron_say(npu__got *got, const npu__ctx *c, int32_t i, const char *what);
/* How many elements of that type a constant has; 0 for another type, and for what is no constant. */
NPU__FN int64_t npu__neuron_ints(const npu__val *v, int32_t type);
/* How many inputs the operator needs. */
NPU__FN int32_t npu__neuron_inputs_of(int32_t code);
/* States a fused activation by its name, or the number that has none. */
NPU__FN int npu__neuron_got_activation(npu__got *got, int32_t code);

#endif
#endif
