/* What the integer kernels for NEON share. */
#ifndef NPU__KERNELS_NEON_H
#define NPU__KERNELS_NEON_H

#include "kernels.h"
#include "simd.h"

#if NPU__HAS_NEON

/* ---- output stage: vqrdmulh is the reference's high multiplication, its saturation never happens here ---- */

NPU__INLINE int32x4_t npu__requant__neon(int32x4_t x, int32x4_t mult, int32x4_t left, int32x4_t right) {
    const int32x4_t down = vnegq_s32(right);
    x = vqrdmulhq_s32(vshlq_s32(x, left), mult);
    /* vrshl rounds halves up: one less first for negative numbers, unless there is nothing to shift */
    x = vaddq_s32(x, vshrq_n_s32(vandq_s32(x, down), 31));
    return vrshlq_s32(x, down);
}

NPU__INLINE int8x8_t npu__finish8__neon(int32x4_t a, int32x4_t b, const npu__i8_out *o) {
    int16x8_t v = vcombine_s16(vqmovn_s32(a), vqmovn_s32(b));
    int8x8_t  r = vqmovn_s16(vqaddq_s16(v, vdupq_n_s16((int16_t)o->zero_point)));
    r = vmin_s8(vmax_s8(r, vdup_n_s8((int8_t)o->lo)), vdup_n_s8((int8_t)o->hi));
    return veor_s8(r, vreinterpret_s8_u8(vdup_n_u8((uint8_t)o->flip)));
}

/* Eight sums as they are. */
NPU__INLINE void npu__raw8__neon(uint8_t *out, int32x4_t lo, int32x4_t hi) {
    vst1q_u8(out, vreinterpretq_u8_s32(lo));
    vst1q_u8(out + 16, vreinterpretq_u8_s32(hi));
}

NPU__INLINE void npu__store8__neon(uint8_t *out, int8x8_t v, int32_t cols) {
    uint8_t tmp[8];
    if (cols == 8) {
        vst1_u8(out, vreinterpret_u8_s8(v));
    } else {
        vst1_u8(tmp, vreinterpret_u8_s8(v));
        memcpy(out, tmp, (size_t)cols);
    }
}

#endif
#endif
