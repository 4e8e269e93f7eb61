/* STABLEHLO_PAD, DILATE: elements moved apart, with a value between them and around; what comes to lie outside is cut off. */
#include "move_util.h"

#define NPU__SPREAD_MOST ((int64_t)1 << 60) /* padding beyond this is nonsense, and could overflow */

/* Element i of dimension d goes to low[d] + i * step[d]. */
typedef struct npu__spread {
    int64_t low[NPU_MAX_RANK], high[NPU_MAX_RANK], step[NPU_MAX_RANK];
} npu__spread;

NPU__FN npu_status npu__spread_bad(npu__ctx *c, npu_status fault, int32_t d) {
    return NPU__FAIL(c, fault, "pad.size", "dimension %d must be spread by a step of at least 1, and have at most 2147483647 "
                     "elements then", d);
}

/* The output's shape; nothing is left of any dimension where nothing is left of one, as in LiteRT. */
NPU__FN npu_status npu__spread_shape(npu__ctx *c, const npu__spread *s, npu_status fault) {
    npu__shape shape = c->in[0]->shape;
    int        empty = 0;
    for (int32_t d = 0; d < shape.rank; d++) {
        int64_t n = 0;
        if (s->step[d] < 1 || s->low[d] < -NPU__SPREAD_MOST || s->low[d] > NPU__SPREAD_MOST ||
            s->high[d] < -NPU__SPREAD_MOST || s->high[d] > NPU__SPREAD_MOST || !npu__try_mad((int64_t)shape.dims[d] - 1, s->step[d], 1, &n) ||
            !npu__try_add(n, s->low[d], &n) || !npu__try_add(n, s->high[d], &n) || n > INT32_MAX) {
            return npu__spread_bad(c, fault, d);
        }
        shape.dims[d] = (int32_t)NPU__MAX(n, (int64_t)0);
        empty |= n <= 0;
    }
    for (int32_t d = 0; empty && d < shape.rank; d++) shape.dims[d] = 0;
    return npu__set_shape_type(c, 0, &shape, c->in[0]->type);
}

/* The elements [*first, *first + *n) of dimension d that stay. Steps and offsets are those that gave the shape, so that
 * nothing here is beyond 63 bits. */
NPU__FN void npu__spread_range(const npu__ctx *c, const npu__spread *s, int32_t d, int64_t *first, int64_t *n) {
    const int64_t in = c->in[0]->shape.dims[d], out = c->out[0]->shape.dims[d], low = s->low[d], step = s->step[d];
    int64_t       end = low >= out ? 0 : (out - low - 1) / step + 1;
    *first = low < 0 ? (-low - 1) / step + 1 : 0;
    end = NPU__MIN(end, in);
    *n = NPU__MAX(end - *first, (int64_t)0);
}

NPU__FN npu_status npu__spread_run(npu__ctx *c, const npu__spread *s, const void *value) {
    const npu__val *in = c->in[0], *out = c->out[0];
    const int32_t   last = in->shape.rank - 1;
    const size_t    elem = npu__elem_bytes(in->type);
    int64_t         first[NPU_MAX_RANK], n[NPU_MAX_RANK], from_stride[NPU_MAX_RANK], to_stride[NPU_MAX_RANK];
    int64_t         rows = 1, done = 0;
    if (out->bytes == 0) return NPU_OK;
    npu__fill_all(c, out->data, value, npu__elems(out), elem);
    npu__dense_strides(&in->shape, from_stride);
    npu__dense_strides(&out->shape, to_stride);
    for (int32_t d = 0; d <= last; d++) {
        npu__spread_range(c, s, d, &first[d], &n[d]);
        if (n[d] == 0) return NPU_OK;
        if (d < last) rows *= n[d];
    }
    for (int64_t r = 0; r < rows; r++) {
        int64_t from = first[last], to = s->low[last] + first[last] * s->step[last], left = r;
        for (int32_t d = last - 1; d >= 0; d--) {
            const int64_t at = first[d] + left % n[d];
            left /= n[d];
            from += at * from_stride[d];
            to += (s->low[d] + at * s->step[d]) * to_stride[d];
        }
        for (int64_t i = 0; i < n[last]; i++) {
            memcpy((uint8_t *)out->data + (size_t)(to + i * s->step[last]) * elem,
                   (const uint8_t *)in->data + (size_t)(from + i) * elem, elem);
            NPU__POLL_PASS(c, done, 1);
        }
        NPU__POLL_PASS(c, done, last);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__spread_check(npu__ctx *c, const npu__val *value) {
    if (value->type != c->in[0]->type) return npu__fail_types(c);
    NPU__TRY(npu__need_moved_type(c, c->in[0], c->out[0]));
    if (npu__elem_bytes(c->in[0]->type) == 0) return npu__fail_types(c);
    if (npu__elems(value) == 1) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "pad.value", "the value must be one number: got %l", npu__elems(value));
}

/* ---- STABLEHLO_PAD ---- */

NPU__FN npu_status npu__stablehlo_pad_options(npu__ctx *c, npu__spread *s) {
    const npu__opts_StablehloPadOptions *o = NPU__OPTIONS(c->node, StablehloPadOptions);
    const int32_t                        rank = c->in[0]->shape.rank;
    NPU__TRY(npu__need_rank(c, c->in[0], "the input", 1, NPU_MAX_RANK));
    if ((int64_t)o->edge_padding_low.n != rank || (int64_t)o->edge_padding_high.n != rank ||
        (int64_t)o->interior_padding.n != rank) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "stablehlo_pad.options", "all paddings must have %d numbers", rank);
    }
    for (uint32_t d = 0; d < (uint32_t)rank; d++) {
        s->low[d] = npu__vec_i64(o->edge_padding_low, d);
        s->high[d] = npu__vec_i64(o->edge_padding_high, d);
        if (!npu__try_add(npu__vec_i64(o->interior_padding, d), 1, &s->step[d])) {
            return npu__spread_bad(c, NPU_INVALID_MODEL, (int32_t)d);
        }
    }
    return NPU_OK;
}

NPU__FN npu_status npu__stablehlo_pad_infer(npu__ctx *c) {
    npu__spread s;
    NPU__TRY(npu__stablehlo_pad_options(c, &s));
    return npu__spread_shape(c, &s, NPU_INVALID_MODEL);
}

NPU__FN npu_status npu__stablehlo_pad_prepare(npu__ctx *c) { return npu__spread_check(c, c->in[1]); }

NPU__FN npu_status npu__stablehlo_pad_eval(npu__ctx *c) {
    npu__spread s;
    NPU__TRY(npu__stablehlo_pad_options(c, &s));
    return npu__spread_run(c, &s, c->in[1]->data);
}

NPU__OPDEF(npu__op_stablehlo_pad) = {2, 2, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE, NPU__NO_DATA, npu__stablehlo_pad_infer,
                                     npu__stablehlo_pad_prepare, NULL, npu__stablehlo_pad_eval, NULL};

/* ---- DILATE ---- */

NPU__FN void npu__dilate_read(const npu__ctx *c, npu__spread *s) {
    for (int32_t d = 0; d < c->in[0]->shape.rank; d++) {
        s->low[d] = s->high[d] = 0;
        s->step[d] = npu__int_at(c->in[1], d);
    }
}

NPU__FN npu_status npu__dilate_infer(npu__ctx *c) {
    npu__spread s;
    NPU__TRY(npu__need_rank(c, c->in[0], "the input", 1, NPU_MAX_RANK));
    NPU__TRY(npu__need_type(c, c->in[1], "the dilations", NPU_INT32));
    NPU__TRY(npu__need_rank(c, c->in[1], "the dilations", 1, 1));
    if (npu__dim(c->in[1], 0) != c->in[0]->shape.rank) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "dilate.size", "there are %d dilations for %d dimensions",
                         npu__dim(c->in[1], 0), c->in[0]->shape.rank);
    }
    if (!npu__values_known(c->in[1])) return NPU__DYNAMIC;
    npu__dilate_read(c, &s);
    return npu__spread_shape(c, &s, npu__value_fault(c->in[1]));
}

NPU__FN npu_status npu__dilate_prepare(npu__ctx *c) { return npu__spread_check(c, c->in[2]); }

NPU__FN npu_status npu__dilate_eval(npu__ctx *c) {
    npu__spread s;
    npu__dilate_read(c, &s);
    return npu__spread_run(c, &s, c->in[2]->data);
}

NPU__OPDEF(npu__op_dilate) = {3, 3, 1, 1, 0, NPU__OP_FLEX_ANY_TYPE, NPU__NO_DATA, npu__dilate_infer, npu__dilate_prepare,
                              NULL, npu__dilate_eval, NULL};
