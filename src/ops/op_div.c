/* DIV: float, int32 and quantized, with broadcasting and fused activations. */
#include "../base/fixed32.h"
#include "lut.h"

typedef struct npu__div {
    npu__ew ew;
    npu__q2 q;
    float   f_lo, f_hi;
    int32_t i_lo, i_hi;
} npu__div;

/* Rounding division by 2^exponent as the reference build does it: from 32 on its shift count wraps while its mask
 * runs full, so that 0 / x may give 1. Bit-equal results need the same here. */
NPU__INLINE int32_t npu__div_rdbpot(int32_t x, int exponent) {
    if (exponent < 32) return npu__rdbpot(x, exponent);
    return (int32_t)((int64_t)x >> (exponent & 31)) + (x > (x < 0 ? 0 : -1) ? 1 : 0);
}

/* 1 / |y|: a mantissa, and the bits of y above its unit. */
typedef struct npu__div_inverse {
    int32_t inverse, shift;
} npu__div_inverse;

NPU__INLINE npu__div_inverse npu__div_inverse_of(int32_t y) {
    npu__div_inverse r;
    r.inverse = npu__fx_reciprocal(y < 0 ? -y : y, 31, &r.shift);
    return r;
}

/* x without its zero point, negated where the divisor was negative. */
NPU__INLINE int32_t npu__div_by(const npu__q2 *q, int32_t x, npu__div_inverse r) {
    /* TFLite's quantized DIV: the reciprocal in fixed point, the dividend shifted to the left as far as it goes, two high
     * products. */
    const int32_t headroom = npu__clz32((uint32_t)(x < 0 ? ~x : x)) - 1, total = q->out_mul.shift - r.shift - headroom;
    int32_t       quotient = npu__srdhm(npu__shl32(x, headroom), r.inverse);
    quotient = npu__srdhm(quotient, q->out_mul.multiplier);
    /* A positive total needs an output scale far below the quotients: they saturate. */
    quotient = total > 0 ? npu__fx_shl_sat(quotient, NPU__MIN(total, 31)) : npu__div_rdbpot(quotient, -total);
    return npu__clamp32(npu__wadd32(quotient, q->out_offset), q->lo, q->hi);
}

NPU__INLINE int32_t npu__div_one(const npu__q2 *q, int32_t x, int32_t y) {
    x += q->offset[0];
    y += q->offset[1];
    return npu__div_by(q, y < 0 ? -x : x, npu__div_inverse_of(y));
}

/* INT32_MIN / -1 does not fit, and traps on some machines: here it wraps. In double, as vectors divide no integers: a quotient is
 * nearer to its integer than a double can tell only where it is that integer. */
NPU__INLINE NPU__LOOP_BODY int32_t npu__div_int(int32_t x, int32_t y) {
    const double quotient = (double)x / (double)y;
    return (int32_t)(quotient < 2147483648.0 ? quotient : -2147483648.0);
}

#define NPU__DIV_F const float lo = ((const npu__div *)op)->f_lo, hi = ((const npu__div *)op)->f_hi
#define NPU__DIV_I const int32_t lo = ((const npu__div *)op)->i_lo; const int32_t hi = ((const npu__div *)op)->i_hi
#define NPU__DIV_Q const npu__q2 q = ((const npu__div *)op)->q
NPU__EW_ROW2(npu__div_f32, NPU__DIV_F, float, float, float, npu__clamp_f32(x / y, lo, hi))
NPU__EW_WIDE_ROW(NPU__EW_VEC_ROW2, npu__div_i32, NPU__DIV_I, int32_t, int32_t, int32_t, npu__clamp32(npu__div_int(x, y), lo, hi))
NPU__EW_ROW2(npu__div_q8, NPU__DIV_Q, int8_t, int8_t, int8_t, npu__div_one(&q, x, y))
NPU__EW_ROW2(npu__div_qu8, NPU__DIV_Q, uint8_t, uint8_t, uint8_t, npu__div_one(&q, x, y))
NPU__EW_ROW2(npu__div_q16, NPU__DIV_Q, int16_t, int16_t, int16_t, npu__div_one(&q, x, y))
NPU__FN void npu__div_f32_fast(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    const npu__div *d = (const npu__div *)op;
    d->ew.fast->div((const float *)in[0], (const float *)in[1], (float *)out, n, step[0], step[1], d->f_lo, d->f_hi);
}
#undef NPU__DIV_F
#undef NPU__DIV_I
#undef NPU__DIV_Q

/* 8 bits: there are 256 divisors, whose reciprocals cost the most. */
typedef struct npu__div8 {
    npu__ew          ew;
    npu__q2          q;
    int32_t          is_signed;
    npu__div_inverse inverse[256]; /* by the byte */
} npu__div8;

NPU__FN void npu__div8_row(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    const npu__div8 *d = (const npu__div8 *)op;
    const uint8_t   *a = (const uint8_t *)in[0], *b = (const uint8_t *)in[1];
    uint8_t         *o = (uint8_t *)out;
    const int32_t    type = d->is_signed ? NPU_INT8 : NPU_UINT8;
    const npu__q2    q = d->q;
    for (int64_t i = 0; i < n; i++, a += step[0], b += step[1]) {
        const int32_t x = npu__lut8_value(type, *a) + q.offset[0], y = npu__lut8_value(type, *b) + q.offset[1];
        o[i] = (uint8_t)npu__div_by(&q, y < 0 ? -x : x, d->inverse[*b]);
    }
}

NPU__FN npu_status npu__div8_eval(npu__ctx *c) {
    const npu__div *d = (const npu__div *)c->data;
    npu__div8       table;
    table.ew = d->ew;
    table.ew.row = npu__div8_row;
    table.q = d->q;
    table.is_signed = c->out[0]->type == NPU_INT8;
    for (int32_t i = 0; i < 256; i++) {
        const int32_t y = npu__lut8_value(c->out[0]->type, i) + d->q.offset[1];
        table.inverse[i] = npu__div_inverse_of(y ? y : 1); /* none is 0: eval has looked */
    }
    return npu__ew_run(c, &table.ew);
}

NPU__FN npu_status npu__div_prepare(npu__ctx *c) {
    npu__div *d = (npu__div *)c->data;
    int32_t   act = npu__fused_activation(c->node);
    if (!npu__ew_same_types(c, 2)) return npu__fail_types(c);
    switch (c->out[0]->type) {
    case NPU_FLOAT32:
        NPU__TRY(npu__act_range_f32(c, act, &d->f_lo, &d->f_hi));
        return npu__ew_prepare_fast(c, npu__div_f32, npu__div_f32_fast, 2);
    case NPU_INT32:
        NPU__TRY(npu__act_range_f32(c, act, &d->f_lo, &d->f_hi));
        /* The activations' bounds are small integers, or the ends of float for open. */
        d->i_lo = d->f_lo < -1.0f ? INT32_MIN : (int32_t)d->f_lo;
        d->i_hi = d->f_hi > 6.0f ? INT32_MAX : (int32_t)d->f_hi;
        return npu__ew_prepare_loops(c, npu__div_i32, 2);
    case NPU_INT8:
    case NPU_UINT8:
    case NPU_INT16:
        NPU__TRY(npu__q2_prepare(c, &d->q, 0)); /* for its checks and offsets */
        NPU__TRY(npu__act_range_q(c, act, c->out[0], &d->q.lo, &d->q.hi));
        d->q.out_mul = npu__qmul_of((double)(npu__scale(c->in[0]) / (npu__scale(c->in[1]) * npu__scale(c->out[0]))));
        NPU__TRY(npu__ew_prepare(c, c->out[0]->type == NPU_INT8 ? npu__div_q8
                                  : c->out[0]->type == NPU_UINT8 ? npu__div_qu8 : npu__div_q16, 2));
        if (c->out[0]->type != NPU_INT16) d->ew.kernel = "table";
        return NPU_OK;
    default: return npu__fail_types(c);
    }
}

NPU__FN npu_status npu__div_eval(npu__ctx *c) {
    const npu__val *den = c->in[1];
    const int64_t   n = npu__elems(den);
    const int64_t   zero = npu__has_quant(den) && den->type != NPU_INT32 ? npu__zero_point(den) : 0;
    int64_t         done = 0;
    /* Before anything is divided: TFLite refuses a zero divisor too. Floats divide by zero as IEEE says. */
    for (int64_t i = 0; i < n && den->type != NPU_FLOAT32; i += NPU__POLL_STEPS) {
        const int64_t end = NPU__MIN(n, i + NPU__POLL_STEPS), at = npu__find_int(den, zero, i, end);
        if (at >= 0) return NPU__FAIL(c, NPU_BAD_INPUT, "div.zero", "division by zero: element %l of input 1", at);
        NPU__POLL_PASS(c, done, end - i);
    }
    /* Filling the table costs 256 reciprocals. */
    if ((den->type == NPU_INT8 || den->type == NPU_UINT8) && ((const npu__ew *)c->data)->total >= 512) return npu__div8_eval(c);
    return npu__ew_eval(c);
}

/* Quantized quotients take a reciprocal each. */
NPU__FN npu__work npu__div_work(const npu__ctx *c) {
    const int32_t t = c->out[0]->type;
    return npu__work_each(c, t == NPU_FLOAT32 || t == NPU_INT32 ? 2 : 16);
}

NPU__OPDEF(npu__op_div) = {2, 2, 1, 1, 0, NPU__EW_FLAGS2, NPU__DATA(npu__div),
                                       npu__infer_broadcast2, npu__div_prepare, NULL, npu__div_eval, npu__div_work};
