/* GATHER, GATHER_ND: elements or slices picked by index. */
#include "move_util.h"
#include "string_util.h"

typedef struct npu__gather_data {
    int32_t axis, batch_dims;
} npu__gather_data;

NPU__FN npu_status npu__gather_index_type(npu__ctx *c) {
    int32_t t = c->in[1]->type;
    if (t == NPU_INT32 || t == NPU_INT64 || t == NPU_INT16) return NPU_OK;
    return NPU__FAIL(c, NPU_UNSUPPORTED, "op.type", "indices must be INT16, INT32 or INT64: got %s",
                     npu_type_name((npu_type)t));
}

NPU__FN npu_status npu__gather_bad_index(npu__ctx *c, int64_t index, int32_t dim) {
    return NPU__FAIL(c, NPU_BAD_INPUT, "gather.index", "an index must be in [0, %d]: got %l", dim - 1, index);
}

/* ---- GATHER ---- */

NPU__FN npu_status npu__gather_options(npu__ctx *c, int32_t *axis, int32_t *batch_dims) {
    const npu__shape *in = &c->in[0]->shape, *at = &c->in[1]->shape;
    int32_t           batch = NPU__OPTIONS(c->node, GatherOptions)->batch_dims;
    /* Counted from the end of the indices, as TFLite does. */
    if (batch < 0 && batch >= -NPU_MAX_RANK) batch += at->rank;
    *batch_dims = batch;
    NPU__TRY(npu__resolve_axis(c, NPU_INVALID_MODEL, NPU__OPTIONS(c->node, GatherOptions)->axis,
                               in->rank, axis));
    if (batch < 0 || batch > *axis || batch > at->rank) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "gather.batch_dims",
                         "batch_dims must not exceed the axis or the indices' dimensions: got %d", batch);
    }
    for (int32_t i = 0; i < batch; i++) {
        if (in->dims[i] != at->dims[i]) {
            return NPU__FAIL(c, NPU_INVALID_MODEL, "gather.batch_shape",
                             "batch dimension %d is %d in the input and %d in the indices", i, in->dims[i],
                             at->dims[i]);
        }
    }
    return NPU_OK;
}

NPU__FN npu_status npu__gather_infer(npu__ctx *c) {
    const npu__shape *in = &c->in[0]->shape, *at = &c->in[1]->shape;
    int32_t           axis, batch;
    npu__shape        s;
    NPU__TRY(npu__gather_options(c, &axis, &batch));
    NPU__TRY(npu__need_max_rank(c, in->rank + at->rank - 1 - batch));
    memset(&s, 0, sizeof s);
    for (int32_t i = 0; i < axis; i++) s.dims[s.rank++] = in->dims[i];
    for (int32_t i = batch; i < at->rank; i++) s.dims[s.rank++] = at->dims[i];
    for (int32_t i = axis + 1; i < in->rank; i++) s.dims[s.rank++] = in->dims[i];
    return npu__set_shape_type(c, 0, &s, c->in[0]->type);
}

NPU__FN npu_status npu__gather_prepare(npu__ctx *c) {
    npu__gather_data *d = (npu__gather_data *)c->data;
    NPU__TRY(npu__gather_options(c, &d->axis, &d->batch_dims));
    NPU__TRY(npu__gather_index_type(c));
    return npu__need_moved_type(c, c->in[0], c->out[0]);
}

NPU__FN npu_status npu__gather_eval(npu__ctx *c) {
    const npu__gather_data *d = (const npu__gather_data *)c->data;
    const npu__val         *in = c->in[0], *at = c->in[1], *out = c->out[0];
    int64_t batches = npu__dims_product(&in->shape, 0, d->batch_dims);
    int64_t outer = npu__dims_product(&in->shape, d->batch_dims, d->axis);
    int64_t inner = npu__dims_product(&in->shape, d->axis + 1, in->shape.rank);
    int64_t picks = npu__dims_product(&at->shape, d->batch_dims, at->shape.rank), to = 0, done = 0;
    int32_t dim = in->shape.dims[d->axis];
    int64_t elem = (int64_t)npu__elem_bytes(in->type);
    const uint8_t *src = (const uint8_t *)in->data;
    uint8_t       *dst = (uint8_t *)out->data;
    for (int64_t i = 0; i < npu__elems(at); i++) {
        int64_t index = npu__int_at(at, i);
        /* All indices before the first copy: an output is whole or not touched. Without anything to copy, TFLite lets large
         * ones pass. */
        if (index < 0 || (index >= dim && batches * outer > 0)) return npu__gather_bad_index(c, index, dim);
        NPU__POLL_PASS(c, done, 1);
    }
    if (out->bytes == 0) return NPU_OK;
    if (elem == 0) memset(dst, 0, out->bytes);
    for (int64_t b = 0; b < batches * outer; b++) {
        for (int64_t i = 0; i < picks; i++, to += inner) {
            NPU__POLL_PASS(c, done, inner + 1);
            int64_t from = (b * dim + npu__int_at(at, b / outer * picks + i)) * inner;
            /* Types of 4 bits have no address an element: nibble by nibble. */
            if (elem) {
                npu__copy_some(c, dst + to * elem, src + from * elem, (size_t)(inner * elem));
                continue;
            }
            for (int64_t j = 0; j < inner; j++) npu__set_nibble(dst, to + j, npu__nibble(src, from + j));
        }
    }
    return NPU_OK;
}

NPU__FN npu_status npu__gather_prepare_any(npu__ctx *c) {
    return npu__is_string(c->in[0]) ? npu__strings_prepare(c, 0, npu__gather_prepare) : npu__gather_prepare(c);
}

NPU__FN npu_status npu__gather_eval_any(npu__ctx *c) {
    return npu__is_string(c->in[0]) ? npu__strings_move(c, 0, npu__gather_eval) : npu__gather_eval(c);
}

NPU__OPDEF(npu__op_gather) = {2, 2, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE | NPU__OP_STRINGS, NPU__DATA(npu__gather_data),
                                          npu__gather_infer, npu__gather_prepare_any, NULL, npu__gather_eval_any, NULL};

/* ---- GATHER_ND: the last dimension of the indices is a coordinate ---- */

NPU__FN npu_status npu__gather_nd_infer(npu__ctx *c) {
    const npu__shape *in = &c->in[0]->shape, *at = &c->in[1]->shape;
    int32_t           depth;
    npu__shape        s;
    NPU__TRY(npu__need_rank(c, c->in[0], "the input", 1, NPU_MAX_RANK));
    NPU__TRY(npu__need_rank(c, c->in[1], "the indices", 1, NPU_MAX_RANK));
    depth = at->dims[at->rank - 1];
    if (depth > in->rank) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "gather_nd.depth",
                         "coordinates have %d numbers, the input has %d dimensions", depth, in->rank);
    }
    NPU__TRY(npu__need_max_rank(c, at->rank - 1 + in->rank - depth));
    memset(&s, 0, sizeof s);
    for (int32_t i = 0; i < at->rank - 1; i++) s.dims[s.rank++] = at->dims[i];
    for (int32_t i = depth; i < in->rank; i++) s.dims[s.rank++] = in->dims[i];
    return npu__set_shape_type(c, 0, &s, c->in[0]->type);
}

NPU__FN npu_status npu__gather_nd_prepare(npu__ctx *c) {
    NPU__TRY(npu__gather_index_type(c));
    NPU__TRY(npu__need_moved_type(c, c->in[0], c->out[0]));
    return npu__elem_bytes(c->in[0]->type) == 0 ? npu__fail_types(c) : NPU_OK;
}

NPU__FN npu_status npu__gather_nd_eval(npu__ctx *c) {
    const npu__val *in = c->in[0], *at = c->in[1], *out = c->out[0];
    int32_t         depth = at->shape.dims[at->shape.rank - 1];
    int64_t         picks = npu__dims_product(&at->shape, 0, at->shape.rank - 1), stride[NPU_MAX_RANK];
    int64_t         done = 0;
    size_t          elem = npu__elem_bytes(in->type);
    size_t          run = (size_t)npu__dims_product(&in->shape, depth, in->shape.rank) * elem;
    if (out->bytes == 0 && at->bytes == 0) return NPU_OK;
    npu__dense_strides(&in->shape, stride);
    for (int64_t i = 0; i < picks; i++) {
        int64_t from = 0;
        for (int32_t j = 0; j < depth; j++) {
            int64_t index = npu__int_at(at, i * depth + j);
            if (index < 0 || index >= in->shape.dims[j]) return npu__gather_bad_index(c, index, in->shape.dims[j]);
            from += index * stride[j];
        }
        NPU__POLL_PASS(c, done, (int64_t)(run / elem) + depth);
        if (!run) continue;
        npu__copy_some(c, (uint8_t *)out->data + (size_t)i * run, (const uint8_t *)in->data + (size_t)from * elem, run);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__gather_nd_prepare_any(npu__ctx *c) {
    return npu__is_string(c->in[0]) ? npu__strings_prepare(c, 0, npu__gather_nd_prepare) : npu__gather_nd_prepare(c);
}

NPU__FN npu_status npu__gather_nd_eval_any(npu__ctx *c) {
    return npu__is_string(c->in[0]) ? npu__strings_move(c, 0, npu__gather_nd_eval) : npu__gather_nd_eval(c);
}

NPU__OPDEF(npu__op_gather_nd) = {2, 2, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE | NPU__OP_STRINGS, NPU__NO_DATA, npu__gather_nd_infer,
                                             npu__gather_nd_prepare_any, NULL, npu__gather_nd_eval_any, NULL};
