/* MEAN, SUM, REDUCE_PROD, REDUCE_MAX, REDUCE_MIN, REDUCE_ANY, REDUCE_ALL: one number out of many, along some axes. */
#include "../kernels/kernels.h"
#include "../kernels/reduce.h"
#include "move_util.h"

enum {
    NPU__REDUCE_MEAN, NPU__REDUCE_SUM, NPU__REDUCE_PROD, NPU__REDUCE_MAX, NPU__REDUCE_MIN, NPU__REDUCE_ANY,
    NPU__REDUCE_ALL
};

typedef struct npu__reduce_data {
    const char *kernel; /* for profiles */
    const npu__reduce_loops *loops;
    npu__view view;    /* over the input, with the strides of the output: 0 along reduced dimensions */
    int64_t   count;   /* input elements per output element */
    int32_t   whole;   /* every dimension is reduced */
    int32_t   scratch; /* accumulators, -1: the output itself */
    npu__qmul q;
} npu__reduce_data;

#define NPU__REDUCE_MAX_AXES 64 /* the same one may be named again */

/* ---- shapes ---- */

/* Bit d: dimension d is reduced. Without dimensions the axes do not matter. */
NPU__FN npu_status npu__reduce_axes(npu__ctx *c, uint32_t *mask) {
    int32_t rank = c->in[0]->shape.rank, d;
    *mask = 0;
    if (npu__elems(c->in[1]) > NPU__REDUCE_MAX_AXES) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "reduce.axes", "at most %d axes may be listed: got %l", NPU__REDUCE_MAX_AXES,
                         npu__elems(c->in[1]));
    }
    /* An axis may be named twice: it is a set, as in TFLite. */
    for (int64_t i = 0; i < npu__elems(c->in[1]) && rank > 0; i++) {
        NPU__TRY(npu__resolve_axis(c, npu__value_fault(c->in[1]), npu__int_at(c->in[1], i), rank, &d));
        *mask |= 1u << d;
    }
    return NPU_OK;
}

NPU__FN npu_status npu__reduce_infer(npu__ctx *c) {
    const npu__shape *in = &c->in[0]->shape;
    int               keep = NPU__OPTIONS(c->node, ReducerOptions)->keep_dims;
    uint32_t          mask;
    npu__shape        s;
    NPU__TRY(npu__need_type(c, c->in[1], "the axes", NPU_INT32));
    if (!npu__values_known(c->in[1])) return NPU__DYNAMIC;
    NPU__TRY(npu__reduce_axes(c, &mask));
    memset(&s, 0, sizeof s);
    for (int32_t d = 0; d < in->rank; d++) {
        if (!(mask >> d & 1u)) s.dims[s.rank++] = in->dims[d];
        else if (keep) s.dims[s.rank++] = 1;
    }
    return npu__set_shape(c, 0, &s);
}

/* ---- prepare ---- */

NPU__FN npu_status npu__reduce_layout(npu__ctx *c, npu__reduce_data *d) {
    const npu__shape *in = &c->in[0]->shape;
    int64_t           stride = 1, strides[NPU_MAX_RANK];
    uint32_t          mask;
    NPU__TRY(npu__reduce_axes(c, &mask));
    d->loops = npu__reduce_select(npu__ctx_isa(c));
    d->kernel = d->loops->name;
    d->count = 1;
    d->whole = 1;
    d->scratch = -1;
    for (int32_t i = in->rank - 1; i >= 0; i--) {
        int reduced = mask >> i & 1u;
        /* Where the output stands still, the walk sums: dimension after dimension of the input, whatever the axes are. */
        strides[i] = reduced ? 0 : stride;
        if (reduced) d->count *= in->dims[i];
        else stride *= in->dims[i];
        d->whole &= reduced;
    }
    for (int32_t i = 0; i < in->rank; i++) npu__view_add(&d->view, in->dims[i], strides[i]);
    if (d->view.rank == 0) { /* one element */
        d->view.rank = 1;
        d->view.dims[0] = 1;
    }
    return NPU_OK;
}

NPU__FN npu_status npu__reduce_want_scratch(npu__ctx *c, npu__reduce_data *d, size_t bytes_each) {
    size_t bytes;
    if (!npu__mul_size((size_t)npu__elems(c->out[0]), bytes_each, &bytes)) return NPU_LIMIT;
    d->scratch = npu__want_scratch(c, bytes);
    return d->scratch < 0 ? NPU_LIMIT : NPU_OK;
}

NPU__FN int npu__reduce_is_small(int32_t type) { return type == NPU_INT8 || type == NPU_UINT8 || type == NPU_INT16; }

NPU__FN npu_status npu__reduce_check(npu__ctx *c) {
    if (c->in[0]->type != c->out[0]->type) return npu__fail_types(c);
    if (c->in[0]->type == NPU_INT16 && (npu__params_zero(c->in[0]) != 0 || npu__params_zero(c->out[0]) != 0)) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "op.zero_point_int16", "INT16 tensors must have a zero point of 0");
    }
    return NPU_OK;
}

NPU__FN npu_status npu__mean_sum_prepare(npu__ctx *c) {
    npu__reduce_data *d = (npu__reduce_data *)c->data;
    int32_t           t = c->in[0]->type;
    NPU__TRY(npu__reduce_check(c));
    NPU__TRY(npu__reduce_layout(c, d));
    if (npu__reduce_is_small(t)) {
        NPU__TRY(npu__need_quant(c, c->in[0], "the input"));
        NPU__TRY(npu__need_quant(c, c->out[0], "the output"));
        /* Sums are made in the input's scale and rescaled once. */
        d->q = npu__qmul_of((double)npu__scale(c->in[0]) / (double)npu__scale(c->out[0]));
        return npu__reduce_want_scratch(c, d, sizeof(int32_t));
    }
    if (t == NPU_FLOAT32) return NPU_OK;
    if (t != NPU_INT32 && t != NPU_INT64) return npu__fail_types(c);
    return NPU_OK;
}

NPU__FN npu_status npu__mean_prepare(npu__ctx *c) {
    npu__reduce_data *d = (npu__reduce_data *)c->data;
    NPU__TRY(npu__mean_sum_prepare(c));
    /* int32 is summed in 64 bits: large numbers must not wrap on the way to their mean. */
    return c->in[0]->type == NPU_INT32 ? npu__reduce_want_scratch(c, d, sizeof(int64_t)) : NPU_OK;
}

NPU__FN npu_status npu__minmax_prepare(npu__ctx *c) {
    int32_t t = c->in[0]->type;
    NPU__TRY(npu__reduce_check(c));
    NPU__TRY(npu__reduce_layout(c, (npu__reduce_data *)c->data));
    if (npu__reduce_is_small(t)) return npu__need_same_quant(c, c->in[0], c->out[0]);
    return t == NPU_FLOAT32 || t == NPU_INT32 || t == NPU_INT64 ? NPU_OK : npu__fail_types(c);
}

/* A quantized product is rescaled after every factor, so that n of them leave the output's scale. */
NPU__FN npu_status npu__prod_prepare(npu__ctx *c) {
    npu__reduce_data *d = (npu__reduce_data *)c->data;
    if (!npu__has_quant(c->in[0])) return npu__minmax_prepare(c);
    NPU__TRY(npu__reduce_check(c));
    NPU__TRY(npu__reduce_layout(c, d));
    if (c->in[0]->type != NPU_INT8 && c->in[0]->type != NPU_INT16) return npu__fail_types(c);
    d->kernel = "reference";
    NPU__TRY(npu__need_quant(c, c->in[0], "the input"));
    /* With f factors each step multiplies by in / out^(1/f), so that in the end the output's scale is taken once: TFLite's
     * quantized REDUCE_PROD. */
    NPU__TRY(npu__need_quant(c, c->out[0], "the output"));
    d->q = npu__qmul_of((double)npu__scale(c->in[0]) /
                        pow((double)npu__scale(c->out[0]), 1.0 / (double)NPU__MAX(d->count, 1)));
    return npu__reduce_want_scratch(c, d, sizeof(int32_t));
}

NPU__FN npu_status npu__any_all_prepare(npu__ctx *c) {
    if (c->in[0]->type != NPU_BOOL || c->out[0]->type != NPU_BOOL) return npu__fail_types(c);
    return npu__reduce_layout(c, (npu__reduce_data *)c->data);
}

/* ---- the walk ---- */

#define NPU__STEP_ADD64(t, a, x) ((t)((uint64_t)(a) + (uint64_t)(x)))
#define NPU__STEP_MUL(t, a, x) ((a) * (x))
#define NPU__STEP_MUL32(t, a, x) ((t)((uint32_t)(a) * (uint32_t)(x)))
#define NPU__STEP_MUL64(t, a, x) ((t)((uint64_t)(a) * (uint64_t)(x)))
#define NPU__STEP_MAX(t, a, x) ((t)((x) > (a) ? (x) : (a)))
#define NPU__STEP_MIN(t, a, x) ((t)((x) < (a) ? (x) : (a)))
#define NPU__STEP_ANY(t, a, x) ((t)((a) || (x)))
#define NPU__STEP_ALL(t, a, x) ((t)((a) && (x)))

/* What few networks have, one after the other. */
#define NPU__REDUCE_PLAIN(name, in_type, acc_type, STEP)                                       \
    NPU__FN void name(const npu__reduce_part *p) {                                             \
        const in_type *in = (const in_type *)p->in;                                            \
        for (int64_t r = 0; r < p->rows; r++, in += p->n) {                               \
            acc_type *acc = (acc_type *)p->acc + r * p->acc_row;                               \
            for (int64_t i = 0; i < p->n; i++, acc += !p->fold) *acc = STEP(acc_type, *acc, in[i]); \
        }                                                                                      \
    }
NPU__REDUCE_PLAIN(npu__sum_i64, int64_t, int64_t, NPU__STEP_ADD64)
NPU__REDUCE_PLAIN(npu__prod_f32, float, float, NPU__STEP_MUL)
NPU__REDUCE_PLAIN(npu__prod_i32, int32_t, int32_t, NPU__STEP_MUL32)
NPU__REDUCE_PLAIN(npu__prod_i64, int64_t, int64_t, NPU__STEP_MUL64)
NPU__REDUCE_PLAIN(npu__prod_i8, int8_t, int8_t, NPU__STEP_MUL32)
NPU__REDUCE_PLAIN(npu__prod_u8, uint8_t, uint8_t, NPU__STEP_MUL32)
NPU__REDUCE_PLAIN(npu__prod_i16, int16_t, int16_t, NPU__STEP_MUL32)
NPU__REDUCE_PLAIN(npu__max_i64, int64_t, int64_t, NPU__STEP_MAX)
NPU__REDUCE_PLAIN(npu__min_i64, int64_t, int64_t, NPU__STEP_MIN)
NPU__REDUCE_PLAIN(npu__any_bool, uint8_t, uint8_t, NPU__STEP_ANY)
NPU__REDUCE_PLAIN(npu__all_bool, uint8_t, uint8_t, NPU__STEP_ALL)

#undef NPU__STEP_ADD64
#undef NPU__STEP_MUL
#undef NPU__STEP_MUL32
#undef NPU__STEP_MUL64
#undef NPU__STEP_MAX
#undef NPU__STEP_MIN
#undef NPU__STEP_ANY
#undef NPU__STEP_ALL
#undef NPU__REDUCE_PLAIN

/* Rows that lie one behind the other: some short ones at a time, or a part of a long one. */
NPU__FN npu_status npu__reduce_rows(npu__ctx *c, npu__reduce_fn fn, const npu__reduce_part *whole, size_t in_bytes, size_t acc_bytes) {
    const int64_t some = NPU__POLL_STEPS / NPU__MAX(whole->n, (int64_t)1) + 1;
    for (int64_t row = 0, rows; row < whole->rows; row += rows) {
        rows = NPU__MIN(some, whole->rows - row);
        for (int64_t from = 0, n; from < whole->n; from += n) {
            npu__reduce_part part = *whole;
            n = rows == 1 ? NPU__MIN(whole->n - from, (int64_t)NPU__POLL_STEPS) : whole->n;
            part.in = (const uint8_t *)whole->in + (size_t)(row * whole->n + from) * in_bytes;
            part.acc = (uint8_t *)whole->acc + (size_t)(row * whole->acc_row + (whole->fold ? 0 : from)) * acc_bytes;
            part.rows = rows;
            part.n = n;
            fn(&part);
            NPU__POLL(c, rows * n);
        }
    }
    return NPU_OK;
}

/* The whole input, which is not empty: as many rows at a time as join the same numbers, or numbers at equal distances. */
NPU__FN npu_status npu__reduce_walk(npu__ctx *c, npu__reduce_fn fn, int32_t flip, const npu__val *in, void *out, size_t acc_bytes) {
    const npu__view *v = &((const npu__reduce_data *)c->data)->view;
    const int32_t    last = v->rank - 1, fold = v->stride[last] == 0;
    const int32_t    outer = last > 0 && (fold || v->stride[last - 1] == 0) ? last - 1 : last; /* dimensions before the rows */
    const size_t     in_bytes = npu__elem_bytes(in->type);
    int64_t          at[NPU__VIEW_RANK], o = 0, groups = 1;
    npu__reduce_part part;
    memset(at, 0, sizeof at);
    part.in = in->data;
    part.n = v->dims[last];
    part.fold = fold;
    part.flip = flip;
    part.rows = outer < last ? v->dims[outer] : 1;
    part.acc_row = outer < last ? v->stride[outer] : 0;
    for (int32_t i = 0; i < outer; i++) groups *= v->dims[i];
    for (int64_t g = 0; g < groups; g++) {
        part.acc = (uint8_t *)out + (size_t)o * acc_bytes;
        NPU__TRY(npu__reduce_rows(c, fn, &part, in_bytes, acc_bytes));
        part.in = (const uint8_t *)part.in + (size_t)(part.rows * part.n) * in_bytes;
        for (int32_t k = outer - 1; k >= 0; k--) {
            o += v->stride[k];
            if (++at[k] < v->dims[k]) break;
            o -= v->stride[k] * v->dims[k];
            at[k] = 0;
        }
    }
    return NPU_OK;
}

/* Sums in floats or 32 bits. Where what is reduced surrounds something short that is not (groups of channels), the outermost dimension goes
 * first, column by column, and then what is left. */
#define NPU__REDUCE_BLOCK 1024
NPU__FN npu_status npu__reduce_sums(npu__ctx *c, npu__reduce_fn fn, int32_t flip, const npu__val *in, void *out, int is_float) {
    const npu__view *v = &((const npu__reduce_data *)c->data)->view;
    int64_t          block = 1;
    npu__reduce_part part;
    union {
        float    f[NPU__REDUCE_BLOCK];
        uint32_t i[NPU__REDUCE_BLOCK];
    } sums;
    for (int32_t k = 1; k < v->rank; k++) block = npu__sat_mul(block, v->dims[k]);
    if (v->rank < 3 || v->stride[0] != 0 || v->dims[0] < 4 || block > NPU__REDUCE_BLOCK) {
        return npu__reduce_walk(c, fn, flip, in, out, sizeof(float));
    }
    memset(&sums, 0, sizeof sums);
    part.in = in->data;
    part.acc = &sums;
    part.rows = v->dims[0];
    part.n = block;
    part.acc_row = part.fold = 0;
    part.flip = flip;
    NPU__TRY(npu__reduce_rows(c, fn, &part, npu__elem_bytes(in->type), sizeof(float)));
    for (int64_t e = 0; e < block; e++) {
        int64_t rest = e, o = 0;
        for (int32_t k = v->rank - 1; k > 0; k--) {
            o += rest % v->dims[k] * v->stride[k];
            rest /= v->dims[k];
        }
        if (is_float) ((float *)out)[o] += sums.f[e];
        else ((uint32_t *)out)[o] += sums.i[e];
    }
    return NPU_OK;
}

/* ---- plain reductions: the output accumulates ---- */

/* How to reduce, and what an output element starts from: one of the two, by type. */
typedef struct npu__reduce_plan {
    npu__reduce_fn fn;
    int32_t        flip;
    float          f32;
    int64_t        integer;
} npu__reduce_plan;

/* Maxima and minima; NULL: of int64. */
NPU__FN npu__reduce_fn npu__reduce_pick_loop(const npu__reduce_loops *loops, int32_t op, int32_t type, int32_t *flip) {
    const int32_t min = op == NPU__REDUCE_MIN ? -1 : 0;
    *flip = min;
    switch (type) {
    case NPU_FLOAT32: return loops->by[op == NPU__REDUCE_SUM ? NPU__REDUCE_sum_f32 : min ? NPU__REDUCE_min_f32 : NPU__REDUCE_max_f32];
    case NPU_INT32: return loops->by[op == NPU__REDUCE_SUM ? NPU__REDUCE_sum_i32 : NPU__REDUCE_max_i32];
    case NPU_INT16: return loops->by[NPU__REDUCE_max_i16];
    case NPU_UINT8: *flip ^= 0x80; return loops->by[NPU__REDUCE_max_8];
    case NPU_INT8: return loops->by[NPU__REDUCE_max_8];
    default: return NULL;
    }
}

NPU__FN npu__reduce_plan npu__reduce_pick(const npu__reduce_loops *loops, int32_t op, int32_t type) {
    /* By type: float32, int32, int64, int8, uint8, int16. */
    static const npu__reduce_fn products[6] = {npu__prod_f32, npu__prod_i32, npu__prod_i64, npu__prod_i8, npu__prod_u8, npu__prod_i16};
    const float      huge = 3.402823466e+38f;
    npu__reduce_plan p;
    int32_t          column = type == NPU_FLOAT32 ? 0 : type == NPU_INT32 ? 1 : type == NPU_INT64 ? 2
                            : type == NPU_INT8 ? 3 : type == NPU_UINT8 ? 4 : 5;
    int32_t          lo, hi;
    /* What changes nothing: 1 for products and ALL, 0 for sums and ANY, the far end of the type for MAX and MIN. */
    p.flip = 0;
    p.integer = op == NPU__REDUCE_PROD || op == NPU__REDUCE_ALL;
    p.f32 = op == NPU__REDUCE_MAX ? -huge : op == NPU__REDUCE_MIN ? huge : (float)p.integer;
    if (op == NPU__REDUCE_ANY || op == NPU__REDUCE_ALL) {
        p.fn = op == NPU__REDUCE_ANY ? npu__any_bool : npu__all_bool;
        return p;
    }
    if (op == NPU__REDUCE_MAX) p.integer = npu__type_range(type, &lo, &hi) ? lo : INT64_MIN;
    if (op == NPU__REDUCE_MIN) p.integer = npu__type_range(type, &lo, &hi) ? hi : INT64_MAX;
    p.fn = op == NPU__REDUCE_PROD ? products[column] : npu__reduce_pick_loop(loops, op, type, &p.flip);
    if (!p.fn) p.fn = op == NPU__REDUCE_SUM ? npu__sum_i64 : op == NPU__REDUCE_MAX ? npu__max_i64 : npu__min_i64;
    return p;
}

/* Reducing everything starts from the first element instead of the type's limit: that shows with NaN and infinity. */
NPU__FN npu_status npu__reduce_run(npu__ctx *c, int32_t op) {
    const npu__reduce_data *d = (const npu__reduce_data *)c->data;
    const npu__val         *in = c->in[0], *out = c->out[0];
    npu__reduce_plan        p = npu__reduce_pick(d->loops, op, in->type);
    size_t                  elem = npu__elem_bytes(in->type);
    const void             *first = in->type == NPU_FLOAT32 ? (const void *)&p.f32 : (const void *)&p.integer;
    if (d->whole && in->bytes > 0 && (op == NPU__REDUCE_MAX || op == NPU__REDUCE_MIN)) first = in->data;
    npu__fill_all(c, out->data, first, npu__elems(out), elem);
    return in->bytes > 0 ? npu__reduce_walk(c, p.fn, p.flip, in, out->data, elem) : NPU_OK;
}

NPU__FN npu_status npu__reduce_max_eval(npu__ctx *c) { return npu__reduce_run(c, NPU__REDUCE_MAX); }
NPU__FN npu_status npu__reduce_min_eval(npu__ctx *c) { return npu__reduce_run(c, NPU__REDUCE_MIN); }
NPU__FN npu_status npu__reduce_any_eval(npu__ctx *c) { return npu__reduce_run(c, NPU__REDUCE_ANY); }
NPU__FN npu_status npu__reduce_all_eval(npu__ctx *c) { return npu__reduce_run(c, NPU__REDUCE_ALL); }

/* ---- MEAN and SUM ---- */

NPU__FN void npu__reduce_store(void *out, int32_t type, int64_t i, int64_t value) {
    /* Wider than any of the types, narrow enough for int32. */
    int32_t v = (int32_t)NPU__MAX(NPU__MIN(value, 65535), -65535);
    if (type == NPU_INT8) ((int8_t *)out)[i] = (int8_t)npu__clamp32(v, -128, 127);
    else if (type == NPU_UINT8) ((uint8_t *)out)[i] = (uint8_t)npu__clamp32(v, 0, 255);
    else ((int16_t *)out)[i] = (int16_t)npu__clamp32(v, -32768, 32767);
}

/* The scale of sums, for MEAN with the division as part of the multiplier. */
NPU__FN npu__qmul npu__mean_sum_scale(const npu__reduce_data *d, int mean) {
    npu__qmul q = d->q;
    int32_t   shift = 0;
    if (!mean) return q;
    /* As many bits as the count has, but no shift that leaves the multiplier's range: QuantizedMeanOrSum of TFLite. */
    while (shift < 32 && d->count >> shift > 1) shift++;
    shift = NPU__MIN(shift, 31 + q.shift);
    q.multiplier = (int32_t)(((int64_t)q.multiplier << shift) / d->count);
    q.shift -= shift;
    return q;
}

/* Rescales sums to elements of type t. */
NPU__FN npu_status npu__mean_sum_finish(npu__ctx *c, const int32_t *acc, npu__qmul q, int32_t t) {
    const npu__gemv_i8_kernel *kern = npu__gemv_i8_select(npu__ctx_isa(c));
    const int32_t              zero = npu__zero_point(c->out[0]), is_signed = t == NPU_INT8;
    const int64_t              n = npu__elems(c->out[0]);
    const npu__i8_out          stage = npu__i8_out_of(is_signed, zero, is_signed ? -128 : 0, is_signed ? 127 : 255);
    npu__finish_fixed_fn       finish = kern ? kern->finish_fixed : npu__finish_fixed;
    for (int64_t i = 0, m; i < n; i += m) {
        m = NPU__MIN(n - i, (int64_t)NPU__POLL_STEPS);
        if (t != NPU_INT16) finish(acc + i, (int32_t)m, &q, 0, &stage, (uint8_t *)c->out[0]->data + i);
        for (int64_t k = i; k < i + m && t == NPU_INT16; k++) {
            npu__reduce_store(c->out[0]->data, t, k, (int64_t)npu__qmul_apply(acc[k], q) + zero);
        }
        NPU__POLL(c, m);
    }
    return NPU_OK;
}

/* Small integers: exact sums in 32 bits, then one rescaling. The reference SUM takes the bytes of INT8 tensors for UINT8 (input, clamp
 * and output): equality with it is the rule. */
NPU__FN npu_status npu__mean_sum_quantized(npu__ctx *c, int mean) {
    const npu__reduce_data *d = (const npu__reduce_data *)c->data;
    const npu__val         *in = c->in[0], *out = c->out[0];
    int32_t                *acc = (int32_t *)npu__slot(c, d->scratch), t = in->type;
    const int32_t           as = t == NPU_INT8 && !mean ? NPU_UINT8 : t, flip = as == NPU_UINT8 ? 0x80 : 0;
    const int32_t           zeros = (int32_t)(uint32_t)(uint64_t)((flip - (int64_t)npu__zero_point(in)) * d->count);
    if (out->bytes == 0) return NPU_OK;
    if (in->bytes == 0) {
        memset(out->data, 0, out->bytes);
        return NPU_OK;
    }
    npu__fill_all(c, acc, &zeros, npu__elems(out), sizeof *acc);
    NPU__TRY(npu__reduce_sums(c, d->loops->by[t == NPU_INT16 ? NPU__REDUCE_sum_i16 : NPU__REDUCE_sum_8], flip, in, acc, 0));
    return npu__mean_sum_finish(c, acc, npu__mean_sum_scale(d, mean), as);
}

NPU__SPEED_BEGIN
NPU__FN void npu__divide_all(float *o, int64_t n, float count) {
    int64_t i = 0;
    for (; i + 16 <= n; i += 16, o += 16) NPU__VEC_FOR(k, 16) o[k] = o[k] / count;
    for (; i < n; i++, o++) *o = *o / count;
}
NPU__SPEED_END

NPU__FN npu_status npu__mean_eval(npu__ctx *c) {
    const npu__reduce_data *d = (const npu__reduce_data *)c->data;
    const npu__val         *in = c->in[0], *out = c->out[0];
    int64_t                 n = npu__elems(out);
    if (npu__reduce_is_small(in->type)) return npu__mean_sum_quantized(c, 1);
    if (out->bytes == 0) return NPU_OK;
    memset(out->data, 0, out->bytes);
    if (in->type == NPU_FLOAT32) {
        float *o = (float *)out->data;
        if (in->bytes > 0) NPU__TRY(npu__reduce_sums(c, d->loops->by[NPU__REDUCE_sum_f32], 0, in, o, 1));
        if (in->bytes > 0) npu__divide_all(o, n, (float)d->count);
        for (int64_t i = 0; i < n && in->bytes == 0; i++) o[i] = npu__f32_from_bits(0x7FC00000u); /* 0 / 0, as in LiteRT */
    } else if (in->bytes > 0 && in->type == NPU_INT32) {
        int64_t *acc = (int64_t *)npu__slot(c, d->scratch);
        memset(acc, 0, (size_t)n * sizeof *acc);
        NPU__TRY(npu__reduce_walk(c, d->loops->by[NPU__REDUCE_sum_i32_i64], 0, in, acc, sizeof *acc));
        /* Towards zero, as C divides. */
        for (int64_t i = 0; i < n; i++) ((int32_t *)out->data)[i] = (int32_t)(acc[i] / d->count);
    } else if (in->bytes > 0) {
        int64_t *acc = (int64_t *)out->data;
        NPU__TRY(npu__reduce_walk(c, npu__sum_i64, 0, in, acc, sizeof *acc));
        for (int64_t i = 0; i < n; i++) acc[i] /= d->count;
    }
    return NPU_OK;
}

NPU__FN npu_status npu__sum_eval(npu__ctx *c) {
    return npu__reduce_is_small(c->in[0]->type) ? npu__mean_sum_quantized(c, 0) : npu__reduce_run(c, NPU__REDUCE_SUM);
}

/* ---- REDUCE_PROD, quantized ---- */

NPU__FN int64_t npu__prod_factor(const npu__val *in, int64_t i) { return npu__int_at(in, i) - npu__zero_point(in); }

/* Walks the input in order; an output element takes its first factor as it is. */
NPU__FN npu_status npu__prod_quantized(npu__ctx *c) {
    const npu__reduce_data *d = (const npu__reduce_data *)c->data;
    const npu__view        *v = &d->view;
    int32_t                *acc = (int32_t *)npu__slot(c, d->scratch);
    int64_t                 at[NPU__VIEW_RANK], o = 0, n = npu__elems(c->in[0]), done = 0;
    memset(at, 0, sizeof at);
    for (int64_t i = 0; i < n; i++) {
        int first = 1;
        NPU__POLL_PASS(c, done, v->rank);
        for (int32_t k = 0; k < v->rank; k++) if (v->stride[k] == 0 && at[k] != 0) first = 0;
        acc[o] = first ? (int32_t)npu__prod_factor(c->in[0], i)
                       : npu__qmul_apply64(acc[o] * npu__prod_factor(c->in[0], i), d->q);
        for (int32_t k = v->rank - 1; k >= 0; k--) {
            o += v->stride[k];
            if (++at[k] < v->dims[k]) break;
            o -= v->stride[k] * v->dims[k];
            at[k] = 0;
        }
    }
    for (int64_t i = 0; i < npu__elems(c->out[0]); i++) {
        int64_t result = (int64_t)npu__qmul_apply64(acc[i], d->q) + npu__zero_point(c->out[0]);
        npu__reduce_store(c->out[0]->data, c->out[0]->type, i, result);
        NPU__POLL_PASS(c, done, 1);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__reduce_prod_eval(npu__ctx *c) {
    if (!npu__has_quant(c->in[0])) return npu__reduce_run(c, NPU__REDUCE_PROD);
    if (c->out[0]->bytes == 0) return NPU_OK;
    if (c->in[0]->bytes > 0) return npu__prod_quantized(c);
    memset(c->out[0]->data, 0, c->out[0]->bytes);
    return NPU_OK;
}

/* A quantized product finds each element's place anew. */
NPU__FN npu__work npu__prod_work(const npu__ctx *c) {
    const int64_t n = npu__elems(c->in[0]);
    return npu__work_steps(c, npu__has_quant(c->in[0]) ? npu__sat_mul(n, c->in[0]->shape.rank) : 0);
}

#define NPU__REDUCE_OP(name, prepare, eval, work)                                                                \
    NPU__OPDEF(name) = {2, 2, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__reduce_data), npu__reduce_infer, prepare, NULL, \
                                    eval, work};
NPU__REDUCE_OP(npu__op_mean, npu__mean_prepare, npu__mean_eval, NULL)
NPU__REDUCE_OP(npu__op_sum, npu__mean_sum_prepare, npu__sum_eval, NULL)
NPU__REDUCE_OP(npu__op_reduce_prod, npu__prod_prepare, npu__reduce_prod_eval, npu__prod_work)
NPU__REDUCE_OP(npu__op_reduce_max, npu__minmax_prepare, npu__reduce_max_eval, NULL)
NPU__REDUCE_OP(npu__op_reduce_min, npu__minmax_prepare, npu__reduce_min_eval, NULL)
NPU__REDUCE_OP(npu__op_reduce_any, npu__any_all_prepare, npu__reduce_any_eval, NULL)
NPU__REDUCE_OP(npu__op_reduce_all, npu__any_all_prepare, npu__reduce_all_eval, NULL)
#undef NPU__REDUCE_OP
