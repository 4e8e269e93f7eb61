/* See base/sizes.h: structs that a plan allocates for segments. */
#ifndef NPU__VENDOR_NEURON_SIZES_H
#define NPU__VENDOR_NEURON_SIZES_H

#include "../../base/sizes.h"

typedef uint8_t  npu__neuron_byte;
typedef uint32_t npu__neuron_index;

#define NPU__NEURON_SIZES(X) \
    X(npu__neuron_byte, 1, 1, 1) \
    X(npu__neuron_index, 4, 4, 4) \
    X(npu__neuron_seen, 8, 8, 8) \
    X(npu__neuron_operand, 104, 80, 80) \
    X(npu__neuron_operation, 48, 28, 28) \
    X(npu__neuron_model, 48, 32, 32) \
    X(npu__neuron_program, 32, 16, 16) \
    X(npu__neuron_run, 40, 20, 20) \
    X(npu__neuron_dispatch_data, 32, 16, 16)

#if NPU__HAS_REPORTS
enum { NPU__NEURON_SIZES(NPU__SIZE_ROW) NPU__NEURON_ON_END_OF_SIZES };
#endif

#endif
