/* STRIDED_SLICE: numpy's basic indexing: steps, negative steps, "...", new and dropped dimensions. */
#include "move_util.h"
#include "string_util.h"

#define NPU__STRIDED_MAX 16 /* dimensions after new ones are put in */

/* The specification (begin, end, strides and masks) laid out over the input's dimensions and the new ones. */
typedef struct npu__strided {
    int32_t  rank;
    int32_t  dims[NPU__STRIDED_MAX]; /* input dims, 1 where a new one was put in */
    int32_t  spec[NPU__STRIDED_MAX]; /* index into begin, end and strides; -1: the whole dimension */
    uint32_t begin_mask, end_mask, shrink; /* bit = position in dims */
    int      offset;                       /* end counts from begin */
} npu__strided;

NPU__FN npu_status npu__strided_bad_masks(npu__ctx *c) {
    return NPU__FAIL(c, NPU_INVALID_MODEL, "strided_slice.masks",
                     "the masks do not describe the input's %d dimensions", c->in[0]->shape.rank);
}

/* Appends `n` input dimensions (new = 0) or one new dimension, all described by entry `spec`. */
NPU__FN int npu__strided_put(const npu__ctx *c, npu__strided *s, int32_t n, int is_new, int32_t spec, int32_t *from) {
    for (int32_t k = 0; k < n; k++) {
        if (s->rank >= NPU__STRIDED_MAX || (!is_new && *from >= c->in[0]->shape.rank)) return 0;
        s->dims[s->rank] = is_new ? 1 : c->in[0]->shape.dims[(*from)++];
        s->spec[s->rank++] = spec;
    }
    return 1;
}

/* LiteRT lets an ellipsis stand for one dimension at least and drops entries beyond the last dimension: so do we. */
NPU__FN npu_status npu__strided_layout(npu__ctx *c, npu__strided *s) {
    const npu__opts_StridedSliceOptions *o = NPU__OPTIONS(c->node, StridedSliceOptions);
    int32_t  rank = c->in[0]->shape.rank, count = c->in[1]->shape.dims[0], n_new = 0, from = 0;
    uint32_t used = (1u << count) - 1u;
    uint32_t ellipsis = (uint32_t)o->ellipsis_mask & used, added = (uint32_t)o->new_axis_mask & used & ~ellipsis;
    uint32_t begin = (uint32_t)o->begin_mask, end = (uint32_t)o->end_mask, shrink = (uint32_t)o->shrink_axis_mask;
    memset(s, 0, sizeof *s);
    s->offset = o->offset;
    /* More than one bit: only one ellipsis can stand for the rest. */
    if (ellipsis & (ellipsis - 1u)) return npu__strided_bad_masks(c);
    for (int32_t i = 0; i < count; i++) n_new += (int32_t)(added >> i & 1u);
    for (int32_t i = 0; s->rank < rank + n_new; i++) {
        int is_new = i < count && (added >> i & 1u), whole = i >= count || (ellipsis >> i & 1u);
        int32_t n = i >= count ? rank - from : whole ? NPU__MAX(1, rank + n_new - count + 1) : 1;
        if (!npu__strided_put(c, s, NPU__MAX(n, 1), is_new, is_new || whole ? -1 : i, &from)) {
            return npu__strided_bad_masks(c);
        }
        if (is_new || whole) continue;
        s->begin_mask |= (begin >> i & 1u) << (s->rank - 1);
        s->end_mask |= (end >> i & 1u) << (s->rank - 1);
        s->shrink |= (shrink >> i & 1u) << (s->rank - 1);
    }
    return NPU_OK;
}

NPU__FN int64_t npu__strided_clamp(int64_t i, int64_t dim, int64_t step) {
    /* numpy: counted from the end once, then cut to the range; going backwards, -1 stands for before the first. */
    if (i < 0) i += dim;
    return step > 0 ? NPU__MIN(NPU__MAX(i, 0), dim) : NPU__MIN(NPU__MAX(i, -1), dim - 1);
}

NPU__FN int64_t npu__strided_count(int64_t start, int64_t stop, int64_t step) {
    /* Rounded up: the last step may reach beyond the stop. */
    int64_t span = step > 0 ? stop - start : start - stop, by = step > 0 ? step : -step;
    return span <= 0 ? 0 : (span - 1) / by + 1;
}

NPU__FN npu_status npu__strided_fault(const npu__ctx *c) {
    for (int32_t i = 1; i < 4; i++) if (!npu__is_const(c->in[i])) return NPU_BAD_INPUT;
    return NPU_INVALID_MODEL;
}

NPU__FN npu_status npu__strided_step(npu__ctx *c, const npu__strided *s, int32_t d, int64_t *step) {
    *step = s->spec[d] < 0 ? 1 : npu__int_at(c->in[3], s->spec[d]);
    /* -2^31 cannot be negated in 32 bits, and nobody steps that far. */
    if (*step == 0 || *step <= INT32_MIN || *step > INT32_MAX) {
        return NPU__FAIL(c, npu__strided_fault(c), "strided_slice.stride", "strides must not be 0 or -2^31: got %l",
                         *step);
    }
    return NPU_OK;
}

/* First index, how many and how far apart, along position d. All values are known. */
NPU__FN npu_status npu__strided_walk(npu__ctx *c, const npu__strided *s, int32_t d, int64_t *start, int64_t *n,
                                     int64_t *step) {
    int64_t  dim = s->dims[d], end;
    uint32_t bit = 1u << d;
    *start = 0;
    *n = dim;
    NPU__TRY(npu__strided_step(c, s, d, step));
    if (s->spec[d] < 0) return NPU_OK;
    *start = npu__strided_clamp(npu__int_at(c->in[1], s->spec[d]), dim, *step);
    if (s->begin_mask & bit) *start = *step > 0 ? 0 : dim - 1;
    end = npu__int_at(c->in[2], s->spec[d]);
    if (s->shrink & bit) {
        if (*start < 0 || *start >= dim) {
            return NPU__FAIL(c, npu__strided_fault(c), "strided_slice.index", "index %l is outside a dimension of %l",
                             npu__int_at(c->in[1], s->spec[d]), dim);
        }
        *n = 1;
        return NPU_OK;
    }
    if (s->offset && npu__strided_count(0, end, *step) !=
                         npu__strided_count(*start, npu__strided_clamp(end + *start, dim, *step), *step)) {
        return NPU__FAIL(c, npu__strided_fault(c), "strided_slice.offset",
                         "%l elements from index %l on do not lie in a dimension of %l", end, *start, dim);
    }
    end = npu__strided_clamp(s->offset ? end + *start : end, dim, *step);
    if (s->end_mask & bit) end = *step > 0 ? dim : -1;
    *n = npu__strided_count(*start, end, *step);
    return NPU_OK;
}

NPU__FN npu_status npu__strided_check_inputs(npu__ctx *c) {
    int32_t count;
    for (int32_t i = 1; i < 4; i++) {
        NPU__TRY(npu__need_type(c, c->in[i], "begin, end and strides", NPU_INT32));
        NPU__TRY(npu__need_rank(c, c->in[i], "begin, end and strides", 1, 1));
    }
    count = c->in[1]->shape.dims[0];
    if (count > 31 || c->in[2]->shape.dims[0] != count || c->in[3]->shape.dims[0] != count) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "strided_slice.count",
                         "begin, end and strides must be equally long, at most 31: got %d, %d and %d", count,
                         c->in[2]->shape.dims[0], c->in[3]->shape.dims[0]);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__strided_slice_infer(npu__ctx *c) {
    npu__strided s;
    npu__shape   out;
    NPU__TRY(npu__strided_check_inputs(c));
    NPU__TRY(npu__strided_layout(c, &s));
    if (!npu__values_known(c->in[2]) || !npu__values_known(c->in[3])) return NPU__DYNAMIC;
    if (!npu__values_known(c->in[1]) && !s.offset) return NPU__DYNAMIC;
    memset(&out, 0, sizeof out);
    for (int32_t d = 0; d < s.rank; d++) {
        int64_t start, n, step;
        if (npu__values_known(c->in[1]) || s.spec[d] < 0) {
            NPU__TRY(npu__strided_walk(c, &s, d, &start, &n, &step));
        } else { /* only with `offset`: the end says how far, wherever begin is */
            NPU__TRY(npu__strided_step(c, &s, d, &step));
            n = npu__strided_count(0, npu__int_at(c->in[2], s.spec[d]), step);
        }
        if (s.shrink & (1u << d)) continue;
        NPU__TRY(npu__need_max_rank(c, out.rank + 1));
        NPU__TRY(npu__dim_value(c, c->in[2], n, &out.dims[out.rank]));
        out.rank++;
    }
    return npu__set_shape(c, 0, &out);
}

NPU__FN npu_status npu__strided_slice_layout(npu__ctx *c, npu__move *m) {
    npu__strided s;
    int64_t      inner[NPU__STRIDED_MAX], product = 1;
    int32_t      o = 0;
    NPU__TRY(npu__strided_layout(c, &s));
    for (int32_t d = s.rank - 1; d >= 0; d--) {
        inner[d] = product;
        product *= s.dims[d];
    }
    for (int32_t d = 0; d < s.rank; d++) {
        int64_t start, n, step;
        NPU__TRY(npu__strided_walk(c, &s, d, &start, &n, &step));
        if (!(s.shrink & (1u << d)) && n != c->out[0]->shape.dims[o++]) {
            return NPU__FAIL(c, NPU_BAD_INPUT, "strided_slice.size", "dimension %d was planned as %d, but is %l",
                             o - 1, c->out[0]->shape.dims[o - 1], n);
        }
        m->box.from += start * inner[d];
        npu__box_add(&m->box, m->dim, n, n > 1 ? step * inner[d] : 0, 0); /* at most the dimensions of the input are added */
    }
    return NPU_OK;
}

NPU__FN npu_status npu__strided_slice_prepare(npu__ctx *c) {
    int known = 1;
    NPU__TRY(npu__need_moved_type(c, c->in[0], c->out[0]));
    if (npu__elem_bytes(c->in[0]->type) == 0) return npu__fail_types(c);
    for (int32_t i = 1; i < 4; i++) known = known && npu__values_known(c->in[i]);
    return npu__move_prepare(c, npu__strided_slice_layout, known);
}

NPU__FN npu_status npu__strided_slice_eval(npu__ctx *c) { return npu__move_eval(c, npu__strided_slice_layout); }

NPU__FN npu_status npu__strided_slice_prepare_any(npu__ctx *c) {
    return npu__is_string(c->in[0]) ? npu__strings_prepare(c, 0, npu__strided_slice_prepare) : npu__strided_slice_prepare(c);
}

NPU__FN npu_status npu__strided_slice_eval_any(npu__ctx *c) {
    return npu__is_string(c->in[0]) ? npu__strings_move(c, 0, npu__strided_slice_eval) : npu__strided_slice_eval(c);
}

NPU__OPDEF(npu__op_strided_slice) = {4, 4, 1, 1, 0, NPU__OP_STRINGS | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__move),
                                     npu__strided_slice_infer, npu__strided_slice_prepare_any, NULL,
                                     npu__strided_slice_eval_any, NULL};
#undef NPU__STRIDED_MAX
