/* STABLEHLO_GATHER: slices that begin where index vectors say; those that would reach out are moved inside. */
#include "stablehlo_index.h"

typedef struct npu__slices {
    npu__index_vectors v;
    int64_t            size[NPU_MAX_RANK]; /* of a slice, along the operand's dimensions */
    uint32_t           collapsed;          /* dimensions of the operand that the output leaves out */
    uint32_t           offset;             /* dimensions of the output that come from slices */
} npu__slices;

NPU__FN npu_status npu__slices_of(npu__ctx *c, npu__slices *s) {
    const npu__opts_StablehloGatherOptions *o = NPU__OPTIONS(c->node, StablehloGatherOptions);
    const npu__shape                       *in = &c->in[0]->shape;
    NPU__TRY(npu__index_vectors_of(c, o->index_vector_dim, o->start_index_map, &s->v));
    NPU__TRY(npu__dims_mask(c, o->collapsed_slice_dims, in->rank, 0, "collapsed_slice_dims", &s->collapsed));
    NPU__TRY(npu__need_max_rank(c, (int64_t)s->v.rank + (int64_t)o->offset_dims.n));
    NPU__TRY(npu__dims_mask(c, o->offset_dims, s->v.rank + (int32_t)o->offset_dims.n, 0, "offset_dims", &s->offset));
    if ((int64_t)o->slice_sizes.n != in->rank ||
        (int64_t)o->offset_dims.n + (int64_t)o->collapsed_slice_dims.n != in->rank) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "stablehlo_gather.slices", "slices must have %d dimensions, each in offset_dims "
                         "or collapsed", in->rank);
    }
    for (int32_t d = 0; d < in->rank; d++) {
        s->size[d] = npu__vec_i64(o->slice_sizes, (uint32_t)d);
        if (s->size[d] >= 0 && s->size[d] <= in->dims[d] && (!(s->collapsed >> d & 1u) || s->size[d] == 1)) continue;
        return NPU__FAIL(c, NPU_INVALID_MODEL, "stablehlo_gather.slice_size", "a slice is %l long in dimension %d, which has %d "
                         "elements (1 where it is collapsed)", s->size[d], d, in->dims[d]);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__stablehlo_gather_infer(npu__ctx *c) {
    npu__slices s;
    npu__shape  out;
    int32_t     slice = 0, batch = 0;
    NPU__TRY(npu__slices_of(c, &s));
    memset(&out, 0, sizeof out);
    out.rank = s.v.rank + (int32_t)NPU__OPTIONS(c->node, StablehloGatherOptions)->offset_dims.n;
    for (int32_t d = 0; d < out.rank; d++) {
        if (s.offset >> d & 1u) {
            while (s.collapsed >> slice & 1u) slice++;
            out.dims[d] = (int32_t)s.size[slice++];
        } else {
            out.dims[d] = s.v.dims[batch++];
        }
    }
    return npu__set_shape_type(c, 0, &out, c->in[0]->type);
}

NPU__FN npu_status npu__stablehlo_gather_prepare(npu__ctx *c) {
    NPU__TRY(npu__need_moved_type(c, c->in[0], c->out[0]));
    return npu__elem_bytes(c->in[0]->type) == 0 ? npu__fail_types(c) : NPU_OK;
}

/* The slice at `start` to the output from element `to` on. Rows are along the slice's last dimension. */
NPU__FN npu_status npu__slice_copy(npu__ctx *c, const npu__slices *s, const int64_t *start, int64_t to,
                                   const int64_t *out_stride, int64_t *done) {
    const npu__shape *in = &c->in[0]->shape;
    const int32_t     last = in->rank - 1;
    const size_t      elem = npu__elem_bytes(c->in[0]->type);
    const int64_t     run = in->rank ? s->size[last] : 1, step = in->rank ? out_stride[last] : 1;
    int64_t           rows = 1, stride[NPU_MAX_RANK];
    npu__dense_strides(in, stride);
    for (int32_t d = 0; d < last; d++) rows *= s->size[d];
    for (int64_t r = 0; r < rows; r++) {
        int64_t left = r, from = in->rank ? start[last] : 0, at = to;
        for (int32_t d = last - 1; d >= 0; d--) {
            const int64_t i = left % s->size[d];
            left /= s->size[d];
            from += (start[d] + i) * stride[d];
            at += i * out_stride[d];
        }
        if (step == 1) {
            npu__copy_some(c, (uint8_t *)c->out[0]->data + (size_t)at * elem,
                           (const uint8_t *)c->in[0]->data + (size_t)from * elem, (size_t)run * elem);
        }
        for (int64_t i = 0; step != 1 && i < run; i++) {
            memcpy((uint8_t *)c->out[0]->data + (size_t)(at + i * step) * elem,
                   (const uint8_t *)c->in[0]->data + (size_t)(from + i) * elem, elem);
        }
        NPU__POLL_PASS(c, *done, run + in->rank);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__stablehlo_gather_eval(npu__ctx *c) {
    const npu__shape *in = &c->in[0]->shape, *out = &c->out[0]->shape;
    int64_t           stride[NPU_MAX_RANK], slice_stride[NPU_MAX_RANK], batch_stride[NPU_MAX_RANK], at[NPU_MAX_RANK];
    int64_t           batches = 1, done = 0;
    int32_t           slice = 0, batch = 0;
    npu__slices       s;
    NPU__TRY(npu__slices_of(c, &s));
    if (c->out[0]->bytes == 0) return NPU_OK;
    npu__dense_strides(out, stride);
    memset(slice_stride, 0, sizeof slice_stride);
    for (int32_t d = 0; d < out->rank; d++) {
        if (s.offset >> d & 1u) {
            while (s.collapsed >> slice & 1u) slice++;
            slice_stride[slice++] = stride[d];
        } else {
            batches *= out->dims[d];
            batch_stride[batch++] = stride[d];
        }
    }
    memset(at, 0, sizeof at);
    for (int64_t b = 0; b < batches; b++) {
        int64_t start[NPU_MAX_RANK], to = 0;
        npu__index_vector_read(c, &s.v, at, start);
        for (int32_t d = 0; d < in->rank; d++) {
            const int64_t room = in->dims[d] - s.size[d];
            start[d] = start[d] < 0 ? 0 : start[d] > room ? room : start[d];
        }
        for (int32_t d = 0; d < batch; d++) to += at[d] * batch_stride[d];
        NPU__TRY(npu__slice_copy(c, &s, start, to, slice_stride, &done));
        for (int32_t d = batch - 1; d >= 0; d--) {
            if (++at[d] < s.v.dims[d]) break;
            at[d] = 0;
        }
    }
    return NPU_OK;
}

NPU__OPDEF(npu__op_stablehlo_gather) = {2, 2, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE, NPU__NO_DATA, npu__stablehlo_gather_infer,
                                        npu__stablehlo_gather_prepare, NULL, npu__stablehlo_gather_eval, NULL};
