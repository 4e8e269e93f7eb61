/* IEEE half and bfloat16, as bit patterns: portable C, round to nearest even. */
#ifndef NPU__BASE_FP16_H
#define NPU__BASE_FP16_H

#include "base.h"

NPU__INLINE float npu__f32_from_bits(uint32_t u) { float f; memcpy(&f, &u, 4); return f; }
NPU__INLINE uint32_t npu__f32_bits(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }

NPU__INLINE float npu__f16_to_f32(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, exp = (h >> 10) & 31u, man = h & 0x3FFu;
    if (exp == 31u) return npu__f32_from_bits(sign | 0x7F800000u | man << 13);
    if (exp != 0u) return npu__f32_from_bits(sign | (exp + 112u) << 23 | man << 13);
    {
        float sub = (float)man * 5.9604644775390625e-8f; /* 2^-24 */
        return sign ? -sub : sub;
    }
}

NPU__INLINE uint16_t npu__f16_from_f32(float f) {
    uint32_t u = npu__f32_bits(f), sign = (u >> 16) & 0x8000u, a = u & 0x7FFFFFFFu, half;
    if (a >= 0x7F800000u) return (uint16_t)(sign | 0x7C00u | (a > 0x7F800000u ? 0x200u | ((a >> 13) & 0x3FFu) : 0u));
    if (a >= 0x477FF000u) return (uint16_t)(sign | 0x7C00u); /* rounds to infinity */
    if (a < 0x38800000u) {                                    /* subnormal half */
        uint32_t e = a >> 23, m = (a & 0x7FFFFFu) | 0x800000u, shift, rest;
        if (e < 102u) return (uint16_t)sign;
        shift = 126u - e;
        half = m >> shift;
        rest = m & ((1u << shift) - 1u);
        if (rest > 1u << (shift - 1u) || (rest == 1u << (shift - 1u) && (half & 1u))) half++;
        return (uint16_t)(sign | half);
    }
    half = (a - 0x38000000u) >> 13;
    if ((a & 0x1FFFu) > 0x1000u || ((a & 0x1FFFu) == 0x1000u && (half & 1u))) half++;
    return (uint16_t)(sign | half);
}

NPU__INLINE float npu__bf16_to_f32(uint16_t h) { return npu__f32_from_bits((uint32_t)h << 16); }

NPU__INLINE uint16_t npu__bf16_from_f32(float f) {
    uint32_t u = npu__f32_bits(f);
    if ((u & 0x7FFFFFFFu) > 0x7F800000u) return (uint16_t)((u >> 16) | 0x40u);
    return (uint16_t)((u + 0x7FFFu + ((u >> 16) & 1u)) >> 16);
}

#endif
