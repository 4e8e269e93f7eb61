/* Moving elements without knowing their type: sizes, strided views, fills, axes. Shared by the shape op families. */
#ifndef NPU__OPS_MOVE_UTIL_H
#define NPU__OPS_MOVE_UTIL_H

#include "../kernels/vec_loop.h"
#include "util.h"

/* ---- checks ---- */

/* Bytes of one element; 0 where elements cannot be moved one by one (strings, resources, packed types). */
NPU__INLINE size_t npu__elem_bytes(int32_t type) {
    int bits = npu_type_bits((npu_type)type);
    return type == NPU_RESOURCE || bits % 8 != 0 ? 0 : (size_t)bits / 8;
}

/* The contents of a value that decides a shape are there. */
NPU__INLINE int npu__values_known(const npu__val *v) { return v->known && (v->data != NULL || v->bytes == 0); }

/* Whose fault a bad value is: the model's when the value is in the file, else the input data's. */
NPU__INLINE npu_status npu__value_fault(const npu__val *v) {
    return npu__is_const(v) ? NPU_INVALID_MODEL : NPU_BAD_INPUT;
}

/* Scale and zero point as LiteRT's kernels see them: zeros unless quantized per tensor. */
NPU__INLINE float   npu__params_scale(const npu__val *v) { return v->t->quant.count == 1 ? npu__scale(v) : 0.0f; }
NPU__INLINE int32_t npu__params_zero(const npu__val *v) { return v->t->quant.count == 1 ? npu__zero_point(v) : 0; }

NPU__INLINE int npu__same_quant(const npu__val *a, const npu__val *b) {
    return npu__params_scale(a) == npu__params_scale(b) && npu__params_zero(a) == npu__params_zero(b);
}

NPU__HEADER_FN npu_status npu__need_same_quant(npu__ctx *c, const npu__val *a, const npu__val *b) {
    if (npu__same_quant(a, b)) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "op.same_quant",
                     "input and output must have the same scale and zero point: got %g, %d and %g, %d",
                     (double)npu__params_scale(a), npu__params_zero(a), (double)npu__params_scale(b),
                     npu__params_zero(b));
}

/* Movable elements, and the output's type is the input's. */
NPU__HEADER_FN npu_status npu__need_moved_type(npu__ctx *c, const npu__val *in, const npu__val *out) {
    if (in->type != out->type || (npu__elem_bytes(in->type) == 0 && in->type != NPU_INT4)) return npu__fail_types(c);
    return NPU_OK;
}

NPU__HEADER_FN npu_status npu__need_index_type(npu__ctx *c, const npu__val *v, const char *what) {
    if (v->type == NPU_INT32 || v->type == NPU_INT64) return NPU_OK;
    return NPU__FAIL(c, NPU_UNSUPPORTED, "op.type", "%s must be INT32 or INT64: got %s", what,
                     npu_type_name((npu_type)v->type));
}

NPU__HEADER_FN npu_status npu__bad_axis(npu__ctx *c, npu_status fault, int64_t axis, int32_t rank) {
    return NPU__FAIL(c, fault, "op.axis", "axis must be in [-%d, %d]: got %l", rank, rank - 1, axis);
}

/* Axis counted from either end to [0, rank). */
NPU__HEADER_FN npu_status npu__resolve_axis(npu__ctx *c, npu_status fault, int64_t axis, int32_t rank, int32_t *out) {
    const int32_t at = npu__axis_in(axis, rank);
    *out = NPU__MAX(at, 0);
    return at < 0 ? npu__bad_axis(c, fault, axis, rank) : NPU_OK;
}

/* The same for an axis that is the only element of a value with data. */
NPU__HEADER_FN npu_status npu__axis_value(npu__ctx *c, const npu__val *v, int32_t rank, int32_t *out) {
    *out = 0;
    if (npu__elems(v) != 1) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "op.axis_size", "the axis must be one number: got %l", npu__elems(v));
    }
    return npu__resolve_axis(c, npu__value_fault(v), npu__int_at(v, 0), rank, out);
}

/* A dimension read from data: in [0, INT32_MAX]. */
NPU__HEADER_FN npu_status npu__dim_value(npu__ctx *c, const npu__val *v, int64_t value, int32_t *out) {
    *out = 0;
    if (value < 0 || value > INT32_MAX) {
        return NPU__FAIL(c, npu__value_fault(v), "op.dim", "a dimension must be in [0, 2147483647]: got %l", value);
    }
    *out = (int32_t)value;
    return NPU_OK;
}

NPU__HEADER_FN npu_status npu__need_max_rank(npu__ctx *c, int64_t rank) {
    if (rank <= NPU_MAX_RANK) return NPU_OK;
    return NPU__FAIL(c, NPU_UNSUPPORTED, "op.max_rank", "tensors have at most %d dimensions: %l are asked for",
                     NPU_MAX_RANK, rank);
}

/* A value that lists dimensions: one dimension, at most NPU_MAX_RANK long. */
NPU__HEADER_FN npu_status npu__need_dims_vector(npu__ctx *c, const npu__val *v, const char *what) {
    NPU__TRY(npu__need_rank(c, v, what, 1, 1));
    if (v->shape.dims[0] <= NPU_MAX_RANK) return NPU_OK;
    return NPU__FAIL(c, NPU_UNSUPPORTED, "op.max_rank", "tensors have at most %d dimensions: %s asks for %d",
                     NPU_MAX_RANK, what, v->shape.dims[0]);
}

/* ---- packed 4-bit elements ---- */

NPU__INLINE uint8_t npu__nibble(const uint8_t *p, int64_t i) { return (uint8_t)((p[i >> 1] >> ((i & 1) * 4)) & 15); }
NPU__INLINE void npu__set_nibble(uint8_t *p, int64_t i, uint8_t v) {
    if (i & 1) p[i >> 1] = (uint8_t)((p[i >> 1] & 15) | (v << 4));
    else p[i >> 1] = (uint8_t)((p[i >> 1] & 0xF0) | v);
}

/* ---- runs ---- */

/* n elements from a source with a step (in elements, may be 0 or negative) to a contiguous destination. */
NPU__HEADER_FN void npu__move_run(uint8_t *dst, const uint8_t *src, int64_t n, int64_t step, size_t elem) {
    if (step == 1) {
        memcpy(dst, src, (size_t)n * elem);
        return;
    }
#define NPU__MOVE(bytes)                                                            \
    case bytes:                                                                     \
        for (int64_t i = 0; i < n; i++) memcpy(dst + i * bytes, src + i * step * bytes, bytes); \
        break;
    switch (elem) {
    NPU__MOVE(1)
    NPU__MOVE(2)
    NPU__MOVE(4)
    NPU__MOVE(8)
    NPU__MOVE(16)
    default: break;
    }
#undef NPU__MOVE
}

NPU__HEADER_FN void npu__fill_run(uint8_t *dst, const void *value, int64_t n, size_t elem) {
    if (elem == 1) {
        if (n > 0) memset(dst, *(const uint8_t *)value, (size_t)n);
        return;
    }
    npu__move_run(dst, (const uint8_t *)value, n, 0, elem);
}

typedef struct npu__fill_job {
    uint8_t    *dst;
    const void *value;
    size_t      elem;
} npu__fill_job;

NPU__HEADER_FN void npu__fill_part(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__fill_job *job = (const npu__fill_job *)arg;
    (void)thread;
    npu__fill_run(job->dst + (size_t)begin * job->elem, job->value, end - begin, job->elem);
}

/* n elements with one value; `dst` may be a whole tensor. */
NPU__HEADER_FN void npu__fill_all(npu__ctx *c, void *dst, const void *value, int64_t n, size_t elem) {
    npu__fill_job job;
    job.dst = (uint8_t *)dst;
    job.value = value;
    job.elem = elem;
    npu__parallel(c, n, 65536, npu__fill_part, &job);
}

/* The same for many fills of which few are large. */
NPU__INLINE void npu__fill_some(npu__ctx *c, uint8_t *dst, const void *value, int64_t n, size_t elem) {
    if (n > 1 << 18) npu__fill_all(c, dst, value, n, elem);
    else npu__fill_run(dst, value, n, elem);
}

/* ---- strided views ---- */

#define NPU__VIEW_RANK 24

/* A row-major walk; one step along dim i moves the source by stride[i] elements. Made by npu__view_add, outermost
 * dimension first, which merges what is contiguous so that the last dimension is the longest possible run. */
typedef struct npu__view {
    int32_t rank;
    int64_t dims[NPU__VIEW_RANK];
    int64_t stride[NPU__VIEW_RANK];
} npu__view;

NPU__HEADER_FN void npu__view_add(npu__view *v, int64_t dim, int64_t stride) {
    int32_t last = v->rank - 1;
    if (dim == 1) return;
    if (last >= 0 && v->stride[last] == stride * dim) {
        v->dims[last] *= dim;
        v->stride[last] = stride;
        return;
    }
    v->dims[v->rank] = dim;
    v->stride[v->rank++] = stride;
}

#define NPU__VIEW_PIECE ((int64_t)65536) /* elements of a row that are moved at a time where rows are long */

typedef struct npu__view_job {
    npu__view      view; /* at least one dimension */
    int64_t        pieces; /* of a row */
    size_t         elem; /* bytes; 0: nibbles */
    const uint8_t *src;
    int64_t        start; /* first element in src */
    uint8_t       *dst;
} npu__view_job;

/* n elements of a row, from element `from` of the source to element `to` of the destination. */
NPU__INLINE void npu__view_move(const npu__view_job *job, int64_t to, int64_t from, int64_t n, int64_t step) {
    const int64_t elem = (int64_t)job->elem;
    if (job->elem) {
        npu__move_run(job->dst + to * elem, job->src + from * elem, n, step, job->elem);
    } else {
        for (int64_t i = 0; i < n; i++) npu__set_nibble(job->dst, to + i, npu__nibble(job->src, from + i * step));
    }
}

/* Where in the source row `row` starts; at[]: its position in the dimensions before the last. */
NPU__INLINE int64_t npu__view_seek(const npu__view_job *job, int64_t row, int64_t *at) {
    const npu__view *v = &job->view;
    int64_t          from = job->start;
    for (int32_t d = v->rank - 2; d >= 0; d--) {
        at[d] = row % v->dims[d];
        row /= v->dims[d];
        from += at[d] * v->stride[d];
    }
    return from;
}

/* Pieces [begin, end) of long rows. */
NPU__HEADER_FN void npu__view_pieces(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__view_job *job = (const npu__view_job *)arg;
    const int32_t        last = job->view.rank - 1;
    const int64_t        n = job->view.dims[last], step = job->view.stride[last];
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        int64_t at[NPU__VIEW_RANK], row = i / job->pieces, first = i % job->pieces * NPU__VIEW_PIECE;
        int64_t from = npu__view_seek(job, row, at) + first * step;
        npu__view_move(job, row * n + first, from, NPU__MIN(n - first, NPU__VIEW_PIECE), step);
    }
}

/* Rows [begin, end) of a view: a row is one pass over the last dimension. */
NPU__HEADER_FN void npu__view_rows(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__view_job *job = (const npu__view_job *)arg;
    const npu__view     *v = &job->view;
    int64_t              at[NPU__VIEW_RANK], from = npu__view_seek(job, begin, at);
    int32_t              last = v->rank - 1;
    int64_t              n = v->dims[last], step = v->stride[last];
    (void)thread;
    for (int64_t row = begin; row < end; row++) {
        npu__view_move(job, row * n, from, n, step);
        for (int32_t d = last - 1; d >= 0; d--) {
            from += v->stride[d];
            if (++at[d] < v->dims[d]) break;
            from -= v->stride[d] * v->dims[d];
            at[d] = 0;
        }
    }
}

/* Writes the whole view, element after element, to out's data. `start` is the first element in `in`. */
NPU__HEADER_FN void npu__view_copy(npu__ctx *c, const npu__view *view, const npu__val *in, int64_t start,
                            const npu__val *out) {
    npu__view_job job;
    int64_t       rows = 1, n, grain;
    npu__range_fn fn;
    for (int32_t i = 0; i < view->rank; i++) if (view->dims[i] == 0) return;
    job.view = *view;
    job.elem = npu__elem_bytes(in->type);
    job.src = (const uint8_t *)in->data;
    job.start = start;
    job.dst = (uint8_t *)out->data;
    if (job.view.rank == 0) {
        job.view.rank = 1;
        job.view.dims[0] = job.view.stride[0] = 1;
    }
    for (int32_t i = 0; i + 1 < job.view.rank; i++) rows *= job.view.dims[i];
    n = job.view.dims[job.view.rank - 1];
    job.pieces = (n + NPU__VIEW_PIECE - 1) / NPU__VIEW_PIECE;
    fn = job.pieces > 1 ? npu__view_pieces : npu__view_rows;
    rows *= job.pieces;
    n = NPU__MIN(n, NPU__VIEW_PIECE);
    if (job.elem == 0) { /* two nibbles share a byte: one thread */
        const int64_t some = NPU__POLL_STEPS / n + 1;
        memset(job.dst, 0, out->bytes);
        for (int64_t r = 0; r < rows && !npu__poll(c, some * n); r += some) fn(&job, r, NPU__MIN(r + some, rows), 0);
        return;
    }
    grain = 65536 / (n * (int64_t)job.elem) + 1;
    npu__parallel(c, rows, grain, fn, &job);
}

/* Strides, in elements, of a dense shape. */
NPU__HEADER_FN void npu__dense_strides(const npu__shape *s, int64_t *stride) {
    int64_t n = 1;
    for (int32_t i = s->rank - 1; i >= 0; i--) {
        stride[i] = n;
        n *= s->dims[i];
    }
}

/* op_resize_bilinear.c: the shape rule of all RESIZE operators. */
NPU__FN npu_status npu__resize_infer(npu__ctx *c);

#endif
