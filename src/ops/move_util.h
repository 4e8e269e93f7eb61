/* Moving elements without knowing their type: sizes, strided views, fills, axes. Shared by the shape op families. */
#ifndef NPU__OPS_MOVE_UTIL_H
#define NPU__OPS_MOVE_UTIL_H

#include "../kernels/move.h"
#include "../kernels/vec_loop.h"
#include "util.h"

/* The data of an operator that has none but its kernel's name, for profiles. */
typedef struct npu__named {
    const char *kernel;
} npu__named;

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

/* ---- fills ---- */

/* n elements with one value, on this thread. */
NPU__FN void npu__fill_run(uint8_t *dst, const void *value, int64_t n, size_t elem);
/* The same on all; `dst` may be a whole tensor. */
NPU__FN void npu__fill_all(npu__ctx *c, void *dst, const void *value, int64_t n, size_t elem);

/* ---- strided views: op_reduce.c ---- */

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

/* ---- boxes: what moves from steps to steps ---- */

/* One dimension of a box: how many, and how far they lie apart in the source and in the destination. */
typedef struct npu__box_dim {
    int64_t n, from, to;
} npu__box_dim;

/* Made by npu__box_add, outermost dimension first, in elements; npu__box_done merges what stays together and picks the kernel.
 * The dimensions stand behind it: most operators have no more than a tensor. */
typedef struct npu__box {
    const char  *kernel;   /* for profiles */
    npu__plane_fn run;
    int64_t      from, to; /* where the first element lies: in elements, when done in bytes */
    int64_t      unit;     /* bytes that stay together; 0: there is nothing to move */
    int32_t      rank;
    int32_t      ready;    /* done while planning */
    int32_t      nibbles;  /* all of this counts elements of 4 bits */
    int32_t      empty;
} npu__box;
/* The data of an operator that is a box. */
typedef struct npu__move {
    npu__box     box;
    npu__box_dim dim[NPU_MAX_RANK];
} npu__move;

NPU__FN void npu__box_add(npu__box *b, npu__box_dim *dim, int64_t n, int64_t from, int64_t to);
/* Steps of a destination that the dimensions fill, in their order. */
NPU__FN void npu__box_dense(npu__box *b, npu__box_dim *dim);
NPU__FN void npu__box_done(npu__box *b, npu__box_dim *dim, int32_t type);
NPU__FN void npu__box_run(npu__ctx *c, const npu__box *b, const npu__box_dim *dim, const npu__val *in, const npu__val *out);

/* Operators of one box from input 0 to output 0, in order: `layout` adds the dimensions to a box of zeros (their `to` is left out).
 * prepare: does so if all inputs that it reads are `known`; eval: does what is left. */
typedef npu_status (*npu__move_layout)(npu__ctx *c, npu__move *m);
NPU__FN npu_status npu__move_prepare(npu__ctx *c, npu__move_layout layout, int known);
NPU__FN npu_status npu__move_eval(npu__ctx *c, npu__move_layout layout);

/* ---- parts side by side ---- */

/* `whole` has `outer` rows, and each is a row of parts[0], of parts[1] and so on: out of the parts, or (`apart`) into them.
 * Elements have whole bytes. */
NPU__FN npu_status npu__parts_move(npu__ctx *c, const npu__val *whole, npu__val *const *parts, int32_t n, int64_t outer, int apart);

/* ---- lists of indices ---- */

#define NPU__INDEX_BLOCK 64

/* n elements from `first` on of a value that npu__int_at reads, at most NPU__INDEX_BLOCK. */
NPU__FN void npu__indices(const npu__val *v, int64_t first, int64_t n, int64_t *out);
/* The places of coordinates [first, first + n), at most NPU__INDEX_BLOCK, whose `depth` numbers are of the first dimensions of `s`;
 * in what they leave out. 0: number *bad is outside of dimension *dim. */
NPU__FN int npu__places(const npu__val *v, int32_t depth, const npu__shape *s, int64_t first, int64_t n, int64_t *place,
                        int64_t *bad, int32_t *dim);

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
