/* 32-bit fixed-point exp, log, reciprocal and inverse square root, bit for bit as gemmlowp and TFLite define them.
 * A number with n integer bits ("qn") is stored as real * 2^(31 - n). Constants and iteration counts are part of the
 * definition. */
#ifndef NPU__BASE_FIXED32_H
#define NPU__BASE_FIXED32_H

#include "fixed.h"
NPU__SPEED_BEGIN

/* Leading zero bits of a 32-bit word; 32 for zero. */
NPU__INLINE int npu__clz32(uint32_t x) {
#if defined(__GNUC__) || defined(__clang__)
    return x ? __builtin_clz(x) : 32;
#else
    int n = 32;
    while (x) { x >>= 1; n--; }
    return n;
#endif
}

NPU__INLINE int32_t npu__fx_add(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }
NPU__INLINE int32_t npu__fx_sub(int32_t a, int32_t b) { return (int32_t)((uint32_t)a - (uint32_t)b); }

/* x * 2^n, saturated to int32. n in [0, 31]. */
NPU__INLINE int32_t npu__fx_shl_sat(int32_t x, int n) {
    int64_t limit = ((int64_t)1 << (31 - n)) - 1;
    if (n == 0) return x;
    return x > limit ? INT32_MAX : x < -limit ? INT32_MIN : npu__shl32(x, n);
}

/* (a + b) / 2, half away from zero. */
NPU__INLINE int32_t npu__fx_half_sum(int32_t a, int32_t b) {
    int64_t sum = (int64_t)a + b;
    return (int32_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
}

/* 1 / (1 + a) for a in [0, 1), q0 -> q0: three Newton steps on the half denominator, in q2. */
NPU__INLINE int32_t npu__fx_one_over_one_plus(int32_t a) {
    int32_t half = npu__fx_half_sum(a, INT32_MAX);
    int32_t x = npu__fx_add(1515870810, npu__srdhm(half, -1010580540)); /* 48/17 - 32/17 * half */
    for (int i = 0; i < 3; i++) {
        int32_t error = npu__fx_sub(1 << 29, npu__srdhm(half, x));
        x = npu__fx_add(x, npu__fx_shl_sat(npu__srdhm(x, error), 2));
    }
    return npu__fx_shl_sat(x, 1);
}

/* exp(a) for a in [-1/4, 0), q0 -> q0: Taylor around -1/8 up to the fourth power. */
NPU__INLINE int32_t npu__fx_exp_quarter(int32_t a) {
    int32_t x = npu__fx_add(a, 1 << 28);
    int32_t x2 = npu__srdhm(x, x), x3 = npu__srdhm(x2, x), x4 = npu__srdhm(x2, x2);
    int32_t tail = npu__srdhm(npu__fx_add(npu__rdbpot(x4, 2), x3), 715827883); /* 1/3 */
    tail = npu__rdbpot(npu__fx_add(tail, x2), 1);
    return npu__fx_add(1895147668, npu__srdhm(1895147668, npu__fx_add(x, tail))); /* exp(-1/8) */
}

/* exp(a) for a <= 0, q5 -> q0: the part below 1/4 by the polynomial, each higher bit by one factor. */
NPU__INLINE int32_t npu__fx_exp_negative_q5(int32_t a) {
    static const int32_t factor[7] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
    const int32_t quarter = 1 << 24;
    int32_t       low, rest, result;
    if (a == 0) return INT32_MAX;
    low = (a & (quarter - 1)) - quarter;
    result = npu__fx_exp_quarter(npu__fx_shl_sat(low, 5));
    rest = npu__fx_sub(low, a);
    for (int i = 0; i < 7; i++) { /* exp(-1/4), exp(-1/2), ... exp(-16) */
        if (rest & (1 << (24 + i))) result = npu__srdhm(result, factor[i]);
    }
    return result;
}

/* 1 / x for x > 0 with `integer_bits`: a q0 mantissa, and the bits of x above the unit. */
NPU__INLINE int32_t npu__fx_reciprocal(int32_t x, int integer_bits, int32_t *bits_over_unit) {
    int headroom = npu__clz32((uint32_t)x);
    *bits_over_unit = integer_bits - headroom;
    if (headroom > 31) headroom = 31; /* x = 0 has no answer: any, but a defined one */
    return npu__fx_one_over_one_plus((int32_t)(((uint32_t)x << headroom) - 0x80000000u));
}

/* 1 / sqrt(x) as multiplier and (negative or zero) shift; 0 and 1 give the largest multiplier. */
NPU__INLINE npu__qmul npu__fx_inv_sqrt(int32_t x) {
    npu__qmul q;
    int32_t   half, r = 1 << 28; /* q3, starts at 1 */
    int       shift = 11, pairs;
    q.multiplier = INT32_MAX;
    q.shift = 0;
    if (x <= 1) return q;
    while (x >= 1 << 29) { x /= 4; shift++; }
    pairs = (npu__clz32((uint32_t)x) - 1) / 2 - 1;
    shift -= pairs;
    x = npu__shl32(x, 2 * pairs) >> 1;
    half = npu__rdbpot(x, 1);
    for (int i = 0; i < 5; i++) { /* Newton: r = 1.5 r - x/2 r^3 */
        int32_t r3 = npu__fx_shl_sat(npu__srdhm(npu__srdhm(r, r), r), 6);
        int32_t next = npu__fx_sub(npu__srdhm((1 << 28) + (1 << 27), r), npu__srdhm(half, r3));
        r = npu__fx_shl_sat(next, 3);
    }
    r = npu__srdhm(r, 1518500250); /* sqrt(2) / 2 */
    if (shift < 0) { r = npu__shl32(r, -shift); shift = 0; }
    q.multiplier = r;
    q.shift = -shift;
    return q;
}

/* log(x), q12 -> q5, for x >= 1 (and a little below): the better of two normalisations, then a rational function. */
NPU__INLINE int32_t npu__fx_log_q12_to_q5(int32_t x) {
    const int32_t log_2 = 1488522236, sqrt_half = 1518500250, fourth_root_half = 1805811301, quarter_q6 = 1 << 23;
    int           head_a = npu__clz32((uint32_t)x), head_b;
    int32_t       ra, rb, pow_a, pow_b, z, r, p, q, qq, num, denom;
    if (head_a < 1) head_a = 1; /* a sum of exps that overflowed: garbage, but defined */
    if (head_a > 31) head_a = 31;
    ra = npu__fx_shl_sat(npu__srdhm(npu__fx_shl_sat(x, head_a - 1), sqrt_half), 1);
    pow_a = npu__fx_add(npu__fx_shl_sat(12 - head_a, 25), quarter_q6);
    z = npu__srdhm(x, sqrt_half);
    head_b = npu__clz32((uint32_t)z) - 1;
    if (head_b < 0) head_b = 0;
    if (head_b > 30) head_b = 30;
    rb = npu__fx_shl_sat(x, head_b);
    pow_b = npu__fx_sub(npu__fx_shl_sat(12 - head_b, 25), quarter_q6);
    r = NPU__MIN(ra, rb);
    z = NPU__MAX(pow_a, pow_b);
    p = npu__fx_half_sum(r, fourth_root_half);
    q = npu__fx_sub(r, fourth_root_half);
    q = npu__fx_add(q, q);
    qq = npu__srdhm(q, q);
    num = npu__fx_add(npu__srdhm(q, r), npu__srdhm(npu__srdhm(q, qq), 117049297));
    denom = npu__fx_add(npu__fx_add(1057819769, q), npu__srdhm(127690142, qq));
    denom = npu__fx_add(npu__srdhm(p, denom), npu__srdhm(638450708, q));
    num = npu__srdhm(npu__rdbpot(num, 6), npu__fx_one_over_one_plus(denom));
    return npu__fx_shl_sat(npu__fx_add(npu__srdhm(z, log_2), num), 1);
}

NPU__SPEED_END

#endif
