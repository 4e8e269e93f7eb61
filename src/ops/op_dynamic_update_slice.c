/* DYNAMIC_UPDATE_SLICE: a tensor with a block of it replaced; the block is moved inside where it would reach out. */
#include "move_util.h"

NPU__FN npu_status npu__dus_infer(npu__ctx *c) { return npu__set_shape_type(c, 0, &c->in[0]->shape, c->in[0]->type); }

NPU__FN npu_status npu__dus_prepare(npu__ctx *c) {
    const npu__val *in = c->in[0], *update = c->in[1], *start = c->in[2];
    NPU__TRY(npu__need_moved_type(c, in, c->out[0]));
    NPU__TRY(npu__need_moved_type(c, update, c->out[0]));
    NPU__TRY(npu__need_index_type(c, start, "the start"));
    NPU__TRY(npu__need_rank(c, update, "the update", in->shape.rank, in->shape.rank));
    NPU__TRY(npu__need_rank(c, start, "the start", 1, 1));
    if (start->shape.dims[0] != in->shape.rank) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "dynamic_update_slice.start", "the start has %d numbers for %d dimensions",
                         start->shape.dims[0], in->shape.rank);
    }
    for (int32_t i = 0; i < in->shape.rank; i++) {
        if (update->shape.dims[i] <= in->shape.dims[i]) continue;
        return NPU__FAIL(c, NPU_INVALID_MODEL, "dynamic_update_slice.size", "the update is %d long in dimension %d, "
                         "the input only %d", update->shape.dims[i], i, in->shape.dims[i]);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__dus_eval(npu__ctx *c) {
    const npu__val *in = c->in[0], *update = c->in[1], *out = c->out[0];
    const int32_t   rank = in->shape.rank;
    const int64_t   run = rank ? update->shape.dims[rank - 1] : 1, n = npu__elems(update);
    const size_t    elem = npu__elem_bytes(in->type);
    uint8_t        *to = (uint8_t *)out->data;
    const uint8_t  *from = (const uint8_t *)update->data;
    int64_t         stride[NPU_MAX_RANK], start = 0, done = 0;
    npu__dense_strides(&in->shape, stride);
    for (int32_t i = 0; i < rank; i++) {
        const int32_t room = in->shape.dims[i] - update->shape.dims[i];
        const int64_t at = npu__int_at(c->in[2], i);
        start += (at < 0 ? 0 : at > room ? room : at) * stride[i];
    }
    if (from == to) return NPU_OK; /* in place, and one tensor is both inputs */
    if (n < npu__elems(in)) npu__copy_bytes(c, to, in->data, in->bytes);
    for (int64_t i = 0; i < n; i += run) {
        int64_t at = start, row = i / run;
        for (int32_t d = rank - 2; d >= 0; d--) {
            at += row % update->shape.dims[d] * stride[d];
            row /= update->shape.dims[d];
        }
        NPU__POLL_PASS(c, done, (elem ? 0 : run) + 8);
        if (elem) npu__copy_some(c, to + (size_t)at * elem, from + (size_t)i * elem, (size_t)run * elem);
        else for (int64_t j = 0; j < run; j++) npu__set_nibble(to, at + j, npu__nibble(from, i + j));
    }
    return NPU_OK;
}

NPU__OPDEF(npu__op_dynamic_update_slice) = {3, 3, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE | NPU__OP_INPLACE0, NPU__NO_DATA,
                                            npu__dus_infer, npu__dus_prepare, NULL, npu__dus_eval, NULL};
