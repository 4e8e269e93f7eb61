/* Tensors and operators as npu_graph_* takes them, for the tests that build graphs. */
#ifndef TESTS_UNIT_DESCS_H
#define TESTS_UNIT_DESCS_H

#include <string.h>

static inline npu_tensor_desc tensor_desc(npu_type type, int32_t rank, const int32_t *dims, const void *data, size_t bytes) {
    npu_tensor_desc d;
    memset(&d, 0, sizeof d);
    d.type = type;
    d.rank = rank;
    if (rank > 0) memcpy(d.dims, dims, (size_t)rank * sizeof *dims);
    d.data = data;
    d.bytes = bytes;
    return d;
}

static inline npu_op_desc op_desc(const char *name, const int32_t *in, int32_t n_in, const int32_t *out, int32_t n_out) {
    npu_op_desc d;
    memset(&d, 0, sizeof d);
    d.name = name;
    d.inputs = in;
    d.n_inputs = n_in;
    d.outputs = out;
    d.n_outputs = n_out;
    return d;
}

#endif
