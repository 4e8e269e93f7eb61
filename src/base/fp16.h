/* IEEE half and bfloat16, as bit patterns: portable C, round to nearest even. */
#ifndef NPU__BASE_FP16_H
#define NPU__BASE_FP16_H

#include "base.h"

NPU__INLINE float npu__f32_from_bits(uint32_t u) { float f; memcpy(&f, &u, 4); return f; }
NPU__INLINE uint32_t npu__f32_bits(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }

/* Both without a branch, so that loops over them become vectors: a choice is made by a mask, as compilers make branches of others. A subnormal half is its mantissa times 2^-24, made by a product
 * that is exact; added to 0.5, whose last bit is worth as much, a small float is rounded to such a mantissa. */
NPU__INLINE float npu__f16_to_f32(uint16_t h) {
    const uint32_t size = h & 0x7FFFu, exp = h & 0x7C00u, sign = (uint32_t)(h & 0x8000u) << 16;
    const uint32_t small = npu__f32_bits((float)(int32_t)(h & 0x3FFu) * 5.9604644775390625e-8f);
    const uint32_t large = (size << 13) + (exp == 0x7C00u ? 0x70000000u : 0x38000000u);
    const uint32_t mask = 0u - (uint32_t)(exp == 0u);
    return npu__f32_from_bits(sign | (small & mask) | (large & ~mask));
}

NPU__INLINE uint16_t npu__f16_from_f32(float f) {
    const uint32_t u = npu__f32_bits(f), sign = (u >> 16) & 0x8000u;
    const int32_t  a = (int32_t)(u & 0x7FFFFFFFu);
    const int32_t  small = (int32_t)npu__f32_bits(npu__f32_from_bits((uint32_t)a) + 0.5f) - 0x3F000000;
    const int32_t  even = (a - 0x38000000 + 0xFFF + ((a >> 13) & 1)) >> 13;
    const int32_t  nan = -(int32_t)(a > 0x7F800000) & (0x200 | ((a >> 13) & 0x3FF));
    const int32_t  below = -(int32_t)(a < 0x38800000), above = -(int32_t)(a >= 0x477FF000); /* all that rounds to infinity */
    return (uint16_t)(sign | (uint32_t)((small & below) | (even & ~below & ~above) | ((0x7C00 | nan) & above)));
}

NPU__INLINE float npu__bf16_to_f32(uint16_t h) { return npu__f32_from_bits((uint32_t)h << 16); }

NPU__INLINE uint16_t npu__bf16_from_f32(float f) {
    uint32_t u = npu__f32_bits(f);
    if ((u & 0x7FFFFFFFu) > 0x7F800000u) return (uint16_t)((u >> 16) | 0x40u);
    return (uint16_t)((u + 0x7FFFu + ((u >> 16) & 1u)) >> 16);
}

#endif
