/* Ethos-U predicates about operators that join, cut or reduce: CONCATENATION, SPLIT_V, STRIDED_SLICE, MEAN. */
#include "look.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

/* ---- CONCATENATION ---- */

NPU__FN int npu__ethosu_concat_options(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    return !c->node->opts->given && npu__got_f(got, "no options");
}

/* The axis, counted from the front; -1: there is no such axis, or no output. */
NPU__FN int32_t npu__ethosu_concat_axis_of(const npu__ctx *c) {
    return c->n_out < 1 ? -1 : npu__axis_in(NPU__OPTIONS(c->node, ConcatenationOptions)->axis, c->out[0]->shape.rank);
}

NPU__FN int npu__ethosu_concat_axis(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    (void)r;
    if (c->n_out < 1 || npu__ethosu_concat_axis_of(c) >= 0) return 0;
    return npu__got_f(got, "axis %d of %d dimensions",
                      NPU__OPTIONS(c->node, ConcatenationOptions)->axis, c->out[0]->shape.rank);
}

NPU__FN int npu__ethosu_concat_ranks(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int bad = 0;
    (void)r;
    for (int32_t i = 0; i < c->n_in && c->n_out > 0; i++) {
        if (!c->in[i] || c->in[i]->shape.rank == c->out[0]->shape.rank) continue;
        npu__got_add(got, "input %d: %d instead of %d", i, c->in[i]->shape.rank, c->out[0]->shape.rank);
        bad = 1;
    }
    return bad;
}

/* Inputs with another number of dimensions are the line before. */
NPU__FN int npu__ethosu_concat_dims(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int32_t axis = npu__ethosu_concat_axis_of(c);
    int     bad = 0;
    (void)r;
    for (int32_t i = 0; i < c->n_in && c->n_out > 0; i++) {
        const npu__val *v = c->in[i], *out = c->out[0];
        char            dims[48];
        int             same = 1;
        if (!v || v->shape.rank != out->shape.rank) continue;
        for (int32_t k = 0; k < out->shape.rank; k++) {
            same = same && (k == axis || v->shape.dims[k] == out->shape.dims[k]);
        }
        if (same) continue;
        npu__ethosu_shape_text(v, dims, sizeof dims);
        npu__got_add(got, "input %d: %s", i, dims);
        bad = 1;
    }
    return bad;
}

/* ---- SPLIT_V, STRIDED_SLICE ---- */

/* Input i as stored integers; NULL where it has none. */
NPU__FN const npu__val *npu__ethosu_ints(const npu__ctx *c, int32_t i) {
    const npu__val *v = npu__ethosu_in(c, i);
    if (!v || !npu__is_const(v) || !v->data) return NULL;
    return v->type == NPU_INT32 || v->type == NPU_INT64 ? v : NULL;
}

NPU__FN int npu__ethosu_split_inferred(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *sizes = npu__ethosu_ints(c, 1);
    int64_t         n = 0;
    if (sizes && npu__got_too_much(got, npu__ethosu_stored(sizes))) return 1;
    for (int64_t i = 0; sizes && i < npu__ethosu_stored(sizes); i++) n += npu__ethosu_int(sizes, i) == -1;
    return npu__ethosu_number(r, n, got);
}

NPU__FN int npu__ethosu_slice_constant(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int bad = 0;
    (void)r;
    for (int32_t i = 1; i < 4; i++) {
        const npu__val *v = npu__ethosu_in(c, i);
        if (!v || npu__is_const(v)) continue;
        npu__got_add(got, "input %d: computed while running", i);
        bad = 1;
    }
    return bad;
}

NPU__FN int npu__ethosu_ellipsis_mask(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    return npu__ethosu_number(r, NPU__OPTIONS(c->node, StridedSliceOptions)->ellipsis_mask, got);
}

NPU__FN int npu__ethosu_axis_masks(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    int32_t new_axis = NPU__OPTIONS(c->node, StridedSliceOptions)->new_axis_mask;
    int32_t shrink = NPU__OPTIONS(c->node, StridedSliceOptions)->shrink_axis_mask;
    (void)r;
    return new_axis && shrink && npu__got_f(got, "new_axis_mask %d, shrink_axis_mask %d", new_axis, shrink);
}

/* Bound `dim` of a slice: as stored, counted from the front; `whole` where the mask, or a short list, leaves it out. */
NPU__FN int64_t npu__ethosu_slice_bound(const npu__val *bounds, int32_t mask, int32_t dim, int32_t size,
                                        int64_t whole) {
    int64_t v;
    if (((uint32_t)mask >> dim & 1u) || dim >= npu__ethosu_stored(bounds)) return whole;
    v = npu__ethosu_int(bounds, dim);
    return v < 0 && v >= INT64_MIN / 2 ? v + size : v;
}

NPU__FN int npu__ethosu_slice_ranges(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *in = npu__ethosu_in(c, 0), *begin = npu__ethosu_ints(c, 1), *end = npu__ethosu_ints(c, 2);
    int32_t         begin_mask = NPU__OPTIONS(c->node, StridedSliceOptions)->begin_mask;
    int32_t         end_mask = NPU__OPTIONS(c->node, StridedSliceOptions)->end_mask;
    int             bad = 0;
    (void)r;
    for (int32_t i = 0; in && begin && end && i < in->shape.rank; i++) {
        int32_t size = in->shape.dims[i];
        int64_t b = npu__ethosu_slice_bound(begin, begin_mask, i, size, 0);
        int64_t e = npu__ethosu_slice_bound(end, end_mask, i, size, size);
        if (e > b) continue;
        npu__got_add(got, "dimension %d: %l to %l", i, b, e);
        bad = 1;
    }
    return bad;
}

NPU__FN int npu__ethosu_slice_strides(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *strides = npu__ethosu_ints(c, 3);
    if (strides && npu__got_too_much(got, npu__ethosu_stored(strides))) return 1;
    for (int64_t i = 0; strides && i < npu__ethosu_stored(strides); i++) {
        if (npu__ethosu_number(r, npu__ethosu_int(strides, i), got)) return 1;
    }
    return 0;
}

/* ---- MEAN ---- */

/* The axes as bits, -1 when they are not stored, repeated, negative or too many. */
NPU__FN int32_t npu__ethosu_mean_axes(const npu__ctx *c) {
    const npu__val *v = npu__ethosu_ints(c, 1);
    int32_t         bits = 0;
    if (!v || npu__ethosu_stored(v) < 1 || npu__ethosu_stored(v) > 2) return -1;
    for (int64_t i = 0; i < npu__ethosu_stored(v); i++) {
        int64_t axis = npu__ethosu_int(v, i);
        if (axis < 0 || axis > 3 || (bits >> axis & 1)) return -1;
        bits |= 1 << axis;
    }
    return bits;
}

/* Other numbers of dimensions are the line before. */
NPU__FN int npu__ethosu_mean_axis(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *in = npu__ethosu_in(c, 0), *v = npu__ethosu_ints(c, 1);
    int32_t         axes = npu__ethosu_mean_axes(c);
    int32_t         plane = in && in->shape.rank == 4 ? 6 : 3; /* height and width */
    (void)r;
    if (!in || in->shape.rank < 2 || in->shape.rank > 4 || (axes > 0 && !(axes & ~plane))) return 0;
    if (!v) return npu__got_f(got, "computed while running");
    for (int64_t i = 0; i < NPU__MIN(npu__ethosu_stored(v), (int64_t)sizeof got->text); i++) {
        npu__got_add(got, "%l", npu__ethosu_int(v, i));
    }
    return 1;
}

/* Height times width, -1 without them. Three dimensions count as two of these and one beside. */
NPU__FN int64_t npu__ethosu_mean_area(const npu__ctx *c) {
    const npu__val *v = npu__ethosu_in(c, 0);
    int32_t         at = v && v->shape.rank >= 4 ? 1 : 0;
    return v && v->shape.rank >= 2 ? npu__ethosu_product(v->shape.dims[at], v->shape.dims[at + 1]) : -1;
}

NPU__FN int npu__ethosu_keep_dims(const npu__ctx *c) {
    return NPU__OPTIONS(c->node, ReducerOptions)->keep_dims;
}

NPU__FN int npu__ethosu_mean_product(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    return npu__ethosu_number(r, npu__ethosu_mean_area(c), got);
}

NPU__FN int npu__ethosu_mean_product_rescaled(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *in = npu__ethosu_in(c, 0);
    if (!in || c->n_out < 1) return 0;
    if (npu__got_too_much(got, in->t->quant.count)) return 1;
    if (!npu__ethosu_keep_dims(c) && npu__quant_same(&in->t->quant, &c->out[0]->t->quant)) return 0;
    return npu__ethosu_mean_product(r, c, got);
}

NPU__FN int npu__ethosu_mean_product_int8(const npu__rule *r, const npu__ctx *c, npu__got *got) {
    const npu__val *in = npu__ethosu_in(c, 0);
    if (!in || in->shape.rank != 4 || in->type != NPU_INT8 || !npu__ethosu_keep_dims(c)) return 0;
    return npu__ethosu_mean_axes(c) == 6 && npu__ethosu_mean_product(r, c, got);
}

#endif
