/* REVERSE_SEQUENCE: of each batch, the first elements along a dimension read backwards. */
#include "move_util.h"

NPU__FN npu_status npu__reverse_sequence_prepare(npu__ctx *c) {
    const npu__opts_ReverseSequenceOptions *o = NPU__OPTIONS(c->node, ReverseSequenceOptions);
    const npu__val                         *in = c->in[0], *length = c->in[1];
    const int32_t                           rank = in->shape.rank;
    ((npu__named *)c->data)->kernel = "copy_rows";
    NPU__TRY(npu__need_index_type(c, length, "the lengths"));
    NPU__TRY(npu__need_rank(c, length, "the lengths", 1, 1));
    NPU__TRY(npu__need_moved_type(c, in, c->out[0]));
    if (npu__elem_bytes(in->type) == 0) return npu__fail_types(c);
    if (o->seq_dim < 0 || o->seq_dim >= rank || o->batch_dim < 0 || o->batch_dim >= rank || o->seq_dim == o->batch_dim) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "reverse_sequence.dims", "seq_dim and batch_dim must be two of the input's %d "
                         "dimensions: got %d and %d", rank, o->seq_dim, o->batch_dim);
    }
    if (length->shape.dims[0] != in->shape.dims[o->batch_dim]) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "reverse_sequence.lengths", "there are %d lengths for %d batches",
                         length->shape.dims[0], in->shape.dims[o->batch_dim]);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__reverse_sequence_eval(npu__ctx *c) {
    const npu__opts_ReverseSequenceOptions *o = NPU__OPTIONS(c->node, ReverseSequenceOptions);
    const npu__val *in = c->in[0], *length = c->in[1];
    const int32_t   rank = in->shape.rank, last = NPU__MAX(o->seq_dim, o->batch_dim), n = in->shape.dims[o->seq_dim];
    const int64_t   run = npu__dims_product(&in->shape, last + 1, rank), rows = npu__dims_product(&in->shape, 0, last + 1);
    const size_t    bytes = (size_t)run * npu__elem_bytes(in->type);
    int64_t         stride[NPU_MAX_RANK], done = 0;
    for (int64_t i = 0; i < npu__elems(length); i++) {
        NPU__POLL_PASS(c, done, 1);
        if (npu__int_at(length, i) <= n) continue;
        return NPU__FAIL(c, npu__value_fault(length), "reverse_sequence.length", "a length must not exceed %d: got %l", n,
                         npu__int_at(length, i));
    }
    if (in->bytes == 0) return NPU_OK;
    npu__dense_strides(&in->shape, stride);
    for (int64_t r = 0; r < rows; r++) {
        /* A row is all behind the later of the two dimensions. Lengths below 1 reverse nothing. */
        const int64_t step = stride[o->seq_dim] / run, at = r / step % n;
        const int64_t many = npu__int_at(length, r / (stride[o->batch_dim] / run) % in->shape.dims[o->batch_dim]);
        const int64_t from = at < many ? r + (many - 1 - 2 * at) * step : r;
        npu__copy_some(c, (uint8_t *)c->out[0]->data + (size_t)r * bytes, (const uint8_t *)in->data + (size_t)from * bytes,
                       bytes);
        NPU__POLL_PASS(c, done, run + 4);
    }
    return NPU_OK;
}

NPU__OPDEF(npu__op_reverse_sequence) = {2, 2, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__named), npu__infer_same_as_in0,
                                        npu__reverse_sequence_prepare, NULL, npu__reverse_sequence_eval, NULL};
