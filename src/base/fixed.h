/* Fixed-point arithmetic exactly as TFLite's reference kernels define it (gemmlowp double rounding). */
#ifndef NPU__BASE_FIXED_H
#define NPU__BASE_FIXED_H

#include "base.h"
NPU__SPEED_BEGIN

/* real multiplier = multiplier * 2^(shift - 31); multiplier in [2^30, 2^31) or 0. */
typedef struct npu__qmul {
    int32_t multiplier;
    int32_t shift;
} npu__qmul;

/* Splits a real factor. Not finite or negative numbers give 0 multipliers: callers check scales before. */
NPU__HEADER_FN npu__qmul npu__qmul_of(double real) {
    npu__qmul q;
    int       shift = 0;
    int64_t   fixed;
    q.multiplier = q.shift = 0;
    if (!(real > 0) || real > 1e300) return q;
    fixed = (int64_t)floor(frexp(real, &shift) * 2147483648.0 + 0.5);
    if (fixed == (int64_t)1 << 31) { fixed /= 2; shift++; }
    if (shift < -31) { shift = 0; fixed = 0; }
    if (shift > 30) { shift = 30; fixed = 2147483647; } /* beyond any sane model; keeps later shifts defined */
    q.multiplier = (int32_t)fixed;
    q.shift = shift;
    return q;
}

/* (a * b * 2 + round) >> 32, saturating the one overflow. gemmlowp nudges negative products by 1 - 2^30 and divides towards
 * zero; adding 2^30 and shifting gives the same for every product. */
NPU__INLINE int32_t npu__srdhm(int32_t a, int32_t b) {
    if (a == INT32_MIN && b == INT32_MIN) return INT32_MAX;
    return (int32_t)(((int64_t)a * b + ((int64_t)1 << 30)) >> 31);
}

/* x / 2^exponent, round half away from zero; exponent in [0, 31]. */
NPU__INLINE int32_t npu__rdbpot(int32_t x, int exponent) {
    int32_t mask = (int32_t)(((int64_t)1 << exponent) - 1);
    int32_t remainder = x & mask;
    int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
    return (x >> exponent) + (remainder > threshold ? 1 : 0);
}

/* x << n with two's complement wrap instead of undefined behaviour. */
NPU__INLINE int32_t npu__shl32(int32_t x, int n) { return (int32_t)((uint32_t)x << n); }

/* npu__srdhm for b >= 0, where nothing overflows: in vectors, for which a logical shift is enough, as the highest bits are cut. */
NPU__INLINE int32_t npu__srdhm_by(int32_t a, int32_t b) {
    return (int32_t)(uint32_t)((uint64_t)((int64_t)a * b + ((int64_t)1 << 30)) >> 31);
}

/* MultiplyByQuantizedMultiplier, int32 accumulator. */
NPU__INLINE int32_t npu__qmul_apply(int32_t x, npu__qmul q) {
    int left = q.shift > 0 ? q.shift : 0, right = q.shift > 0 ? 0 : -q.shift;
    return npu__rdbpot(npu__srdhm_by(npu__shl32(x, left), q.multiplier), right);
}

/* MultiplyByQuantizedMultiplier, int64 accumulator (16x8): multiplier reduced to 16 bits, one rounding. */
NPU__INLINE int32_t npu__qmul_apply64(int64_t x, npu__qmul q) {
    int32_t reduced = q.multiplier < 0x7FFF0000 ? (q.multiplier + (1 << 15)) >> 16 : 0x7FFF;
    int     total = 15 - q.shift;
    if (total <= 0) return (int32_t)(uint32_t)((uint64_t)x * (uint64_t)(int64_t)reduced << -total); /* only absurd scales */
    if (total > 62) return 0;
    return (int32_t)((int64_t)((uint64_t)x * (uint64_t)(int64_t)reduced + ((uint64_t)1 << (total - 1))) >> total);
}

NPU__INLINE int32_t npu__clamp32(int32_t x, int32_t lo, int32_t hi) { return x < lo ? lo : x > hi ? hi : x; }

/* std::round as TFLite uses it: half away from zero. */
NPU__INLINE float npu__roundf(float x) { return roundf(x); }

/* float to int32 that saturates and maps NaN to 0 instead of being undefined. */
NPU__INLINE int32_t npu__f32_to_i32(float x) {
    if (!(x > -2147483648.0f)) return x != x ? 0 : INT32_MIN;
    return x >= 2147483648.0f ? INT32_MAX : (int32_t)x;
}

/* npu__f32_to_i32(npu__roundf(x)) without a call: the distance to the whole part is exact, so halves are recognized. */
NPU__INLINE int32_t npu__round_i32(float x) {
    int32_t whole;
    float   rest;
    if (!(x > -8388608.0f && x < 8388608.0f)) return npu__f32_to_i32(x); /* whole already, or NaN */
    whole = (int32_t)x;
    rest = x - (float)whole;
    return whole + (rest >= 0.5f ? 1 : 0) - (rest <= -0.5f ? 1 : 0);
}

NPU__SPEED_END

#endif
