/* 16-bit fixed-point logistic and tanh, bit for bit as gemmlowp defines them: what the integer LSTM is built on. */
#ifndef NPU__BASE_FIXED16_H
#define NPU__BASE_FIXED16_H

#include "fixed.h"

/* A number with `n` integer bits is stored as real * 2^(15 - n). Names end in the integer bits of the result: q0, q2.
 * */

NPU__INLINE int16_t npu__wrap16(int32_t x) {
    uint32_t u = (uint32_t)x & 0xFFFFu;
    return (int16_t)(u < 0x8000u ? (int32_t)u : (int32_t)u - 0x10000);
}
NPU__INLINE int16_t npu__sat16(int32_t x) { return (int16_t)(x > 32767 ? 32767 : x < -32768 ? -32768 : x); }

/* The product of two numbers; integer bits add up. */
NPU__INLINE int16_t npu__mul16(int16_t a, int16_t b) {
    int32_t ab = (int32_t)a * b;
    if (a == INT16_MIN && b == INT16_MIN) return INT16_MAX;
    return (int16_t)((ab + (ab >= 0 ? 1 << 14 : 1 - (1 << 14))) / (1 << 15));
}

/* x * 2^n, saturating. The asymmetric lower bound is gemmlowp's. */
NPU__INLINE int16_t npu__shl16(int16_t x, int n) {
    int32_t limit = (1 << (15 - n)) - 1;
    if (n == 0) return x;
    return (int16_t)(x > limit ? INT16_MAX : x < -limit ? INT16_MIN : x * (1 << n));
}

/* exp(a) for a in [-1/4, 0): Taylor series around -1/8. q0 in, q0 out. */
NPU__INLINE int16_t npu__exp16_quarter(int16_t a) {
    const int16_t exp_minus_eighth = 28918, third = 10923;
    int16_t       x = npu__wrap16(a + (1 << 12)), x2 = npu__mul16(x, x), x3 = npu__mul16(x2, x);
    int16_t       x4_over_4 = (int16_t)npu__rdbpot(npu__mul16(x2, x2), 2);
    int16_t       tail = npu__mul16(npu__wrap16(x4_over_4 + x3), third);
    tail = (int16_t)npu__rdbpot(npu__wrap16(tail + x2), 1);
    return npu__sat16(exp_minus_eighth + npu__mul16(exp_minus_eighth, npu__wrap16(x + tail)));
}

/* exp(a) for a <= 0 with `bits` integer bits (at most 7). q0 out. */
NPU__HEADER_FN int16_t npu__exp16_negative(int16_t a, int bits) {
    /* exp(-2^k) for k = -2 .. 4 */
    static const int16_t factor[7] = {25520, 19875, 12055, 4435, 600, 11, 0};
    int     fraction = 15 - bits, quarter = 1 << (fraction - 2), k;
    int32_t low = (a & (quarter - 1)) - quarter, rest = low - a;
    int16_t result;
    if (a == 0) return INT16_MAX;
    if (bits > 5 && a < -(1 << (20 - bits))) return 0; /* below -32 */
    result = npu__exp16_quarter(npu__shl16((int16_t)low, bits));
    for (k = -2; k <= 4 && k < bits; k++) {
        if (rest & (1 << (fraction + k))) result = npu__mul16(result, factor[k + 2]);
    }
    return result;
}

/* 2 / (1 + a) for a in [0, 1]: three Newton-Raphson steps. q0 in, q2 out. */
NPU__INLINE int16_t npu__two_over_one_plus16(int16_t a) {
    const int16_t c48_17 = 23130, c32_17 = -15420;
    int16_t       half = (int16_t)((a + 32767 + 1) / 2), x = npu__wrap16(c48_17 + npu__mul16(half, c32_17));
    int           i;
    for (i = 0; i < 3; i++) {
        int16_t error = npu__wrap16((1 << 13) - npu__mul16(half, x));
        x = npu__wrap16(x + npu__shl16(npu__mul16(x, error), 2));
    }
    return x;
}

/* 1 / (1 + exp(-a)). q3 in, q0 out. */
NPU__HEADER_FN int16_t npu__logistic16(int16_t a) {
    int16_t magnitude = a > 0 ? a : npu__wrap16(-a), y;
    if (a == 0) return 16384;
    y = npu__shl16(npu__two_over_one_plus16(npu__exp16_negative(npu__wrap16(-magnitude), 3)), 1);
    return a > 0 ? y : npu__wrap16(INT16_MAX - y);
}

/* tanh(a) with `bits` (0 to 6) integer bits in, q0 out. */
NPU__HEADER_FN int16_t npu__tanh16(int16_t a, int bits) {
    int16_t y;
    if (a == 0) return 0;
    y = npu__two_over_one_plus16(npu__exp16_negative(a < 0 ? a : (int16_t)-a, bits + 1));
    y = npu__shl16(npu__wrap16(y - (1 << 13)), 2);
    return a < 0 ? npu__wrap16(-y) : y;
}

#endif
