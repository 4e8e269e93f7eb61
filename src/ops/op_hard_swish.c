/* HARD_SWISH: x * relu6(x + 3) / 6 in float, and in 16-bit fixed point for 8-bit tensors (by a table of 256). */
#include "../base/fixed16.h"
#include "lut.h"

typedef struct npu__hard_swish_q {
    int32_t in_zp, out_zp;
    int16_t out_multiplier, relu_multiplier;
    int32_t out_exponent, relu_exponent;
} npu__hard_swish_q;

NPU__EW_ROW1(npu__hard_swish_f32, NPU__EW_NO_LOCALS, float, float, x * npu__clamp_f32(x + 3.0f, 0.0f, 6.0f) / 6.0f)

/* Rounding division by 2^n of a 16-bit number; beyond 15 the reference build's mask runs full, which rounds up. */
NPU__INLINE int16_t npu__hard_swish_rdbpot(int16_t x, int32_t n) {
    return n < 16 ? (int16_t)npu__rdbpot(x, n) : (int16_t)(x >= 0 ? 1 : -1);
}
NPU__INLINE int16_t npu__hard_swish_shl(int16_t x, int32_t n) {
    return npu__sat16((int32_t)x * (1 << NPU__MIN(n, 15)));
}
NPU__FN int16_t npu__multiplier16(int32_t m) {
    return (int16_t)(m >= INT32_MAX - (1 << 15) ? INT16_MAX : (m + (1 << 15)) >> 16);
}

NPU__FN int32_t npu__hard_swish_one(const npu__hard_swish_q *q, int32_t x, int32_t lo, int32_t hi) {
    int16_t hires = npu__wrap16((x - q->in_zp) * 128), on_out = npu__mul16(hires, q->out_multiplier), relu = hires, y;
    /* The last doubling comes after the product, so that it saturates there: HardSwish of TFLite's reference, step by step. */
    if (q->relu_exponent > 0) relu = npu__hard_swish_shl(relu, q->relu_exponent - 1);
    relu = npu__mul16(relu, q->relu_multiplier);
    if (q->relu_exponent > 0) relu = npu__hard_swish_shl(relu, 1);
    if (q->relu_exponent < 0) relu = npu__hard_swish_rdbpot(relu, -q->relu_exponent);
    relu = (int16_t)((relu + 32768) >> 1);              /* [-1, 1] to [0, 1] */
    y = (int16_t)((int32_t)relu * on_out / 32768);      /* truncates: rounding twice would bias the result */
    y = npu__hard_swish_rdbpot(y, -q->out_exponent);
    return npu__clamp32(npu__wrap16(y + q->out_zp), lo, hi);
}

NPU__FN npu_status npu__hard_swish_prepare(npu__ctx *c) {
    npu__lut_op      *d = (npu__lut_op *)c->data;
    const npu__val   *in = c->in[0], *out = c->out[0];
    npu__hard_swish_q q;
    npu__qmul         m;
    float             hires;
    int32_t           lo = 0, hi = 0;
    if (!npu__ew_same_types(c, 1)) return npu__fail_types(c);
    if (in->type == NPU_FLOAT32) return npu__ew_prepare_unary(c, npu__hard_swish_f32, NPU__PW_hard_swish);
    if (in->type != NPU_INT8 && in->type != NPU_UINT8) return npu__fail_types(c);
    NPU__TRY(npu__need_quant(c, in, "the input"));
    NPU__TRY(npu__need_quant(c, out, "the output"));
    npu__type_range(out->type, &lo, &hi);
    q.in_zp = npu__zero_point(in);
    q.out_zp = npu__zero_point(out);
    /* 7 bits of fraction for the input: what 16 bits leave beside 8 and the sign. */
    hires = (1.0f / 128.0f) * npu__scale(in);
    m = npu__qmul_of((double)(hires / npu__scale(out)));
    q.out_multiplier = npu__multiplier16(m.multiplier);
    q.out_exponent = m.shift;
    if (m.shift > 0) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "hard_swish.scales",
                         "the input's scale must be less than 128 times the output's: got %g and %g",
                         (double)npu__scale(in), (double)npu__scale(out));
    }
    /* relu6(x + 3) spans [-3, 3] before the 3 is added: Q0.15 in units of 3. */
    m = npu__qmul_of((double)(hires / (3.0f / 32768.0f)));
    q.relu_multiplier = npu__multiplier16(m.multiplier);
    q.relu_exponent = m.shift;
    for (int32_t i = 0; i < 256; i++) {
        d->lut.map.as.table[i] = (uint8_t)npu__hard_swish_one(&q, npu__lut8_value(in->type, i), lo, hi);
    }
    return npu__lut8_prepare(c);
}

NPU__OPDEF(npu__op_hard_swish) = {1, 1, 1, 1, 0, NPU__OP_INPLACE0 | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__lut_op),
                                              npu__infer_same_as_in0, npu__hard_swish_prepare, NULL,
                                              npu__ew_eval, NULL};
