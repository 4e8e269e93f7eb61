/* What the kernels for NEON share. */
#ifndef NPU__KERNELS_NEON_H
#define NPU__KERNELS_NEON_H

#include "kernels.h"
#include "simd.h"

#if NPU__HAS_NEON

/* ---- what AArch64 has as one instruction ---- */

#if NPU__HAS_NEON64
#  define NPU__PADD_S32(a, b) vpaddq_s32(a, b)
#  define NPU__PADD_F32(a, b) vpaddq_f32(a, b)
#  define NPU__SUM_S32(v) vaddvq_s32(v)
#  define NPU__MADD_F32(c, a, b) vfmaq_f32(c, a, b)
#  define NPU__MADD_LANE_F32(c, b, a, i) vfmaq_laneq_f32(c, b, a, i)
#  define NPU__NMADD_F32(c, a, b) vfmsq_f32(c, a, b)
#  define NPU__DIV_F32(a, b) vdivq_f32(a, b)
#  define NPU__SQRT_F32(v) vsqrtq_f32(v)
#  define NPU__ALL_U32(mask) (vminvq_u32(mask) != 0)
#else
#  define NPU__PADD_S32(a, b) \
      vcombine_s32(vpadd_s32(vget_low_s32(a), vget_high_s32(a)), vpadd_s32(vget_low_s32(b), vget_high_s32(b)))
#  define NPU__PADD_F32(a, b) \
      vcombine_f32(vpadd_f32(vget_low_f32(a), vget_high_f32(a)), vpadd_f32(vget_low_f32(b), vget_high_f32(b)))
#  define NPU__SUM_S32(v) npu__sum_s32__neon(v)
/* Fused or not: VFPv4 may be missing. */
#  define NPU__MADD_F32(c, a, b) vmlaq_f32(c, a, b)
#  define NPU__MADD_LANE_F32(c, b, a, i) vmlaq_lane_f32(c, b, (i) < 2 ? vget_low_f32(a) : vget_high_f32(a), (i) & 1)
#  define NPU__NMADD_F32(c, a, b) vmlsq_f32(c, a, b)
#  define NPU__DIV_F32(a, b) npu__div_f32__neon(a, b)
#  define NPU__SQRT_F32(v) npu__sqrt_f32__neon(v)
#  define NPU__ALL_U32(mask) npu__all_u32__neon(mask)
NPU__NEON NPU__INLINE int32_t npu__sum_s32__neon(int32x4_t v) {
    const int32x2_t s = vadd_s32(vget_low_s32(v), vget_high_s32(v));
    return vget_lane_s32(vpadd_s32(s, s), 0);
}
NPU__NEON NPU__INLINE int npu__all_u32__neon(uint32x4_t mask) {
    const uint32x2_t m = vand_u32(vget_low_u32(mask), vget_high_u32(mask));
    return vget_lane_u32(vpmin_u32(m, m), 0) != 0;
}
/* There are only estimates of these, and results are rounded as plain C does it. */
NPU__NEON NPU__INLINE float32x4_t npu__div_f32__neon(float32x4_t a, float32x4_t b) {
    float x[4], y[4];
    vst1q_f32(x, a);
    vst1q_f32(y, b);
    for (int i = 0; i < 4; i++) x[i] /= y[i];
    return vld1q_f32(x);
}
NPU__NEON NPU__INLINE float32x4_t npu__sqrt_f32__neon(float32x4_t v) {
    float x[4];
    vst1q_f32(x, v);
    for (int i = 0; i < 4; i++) x[i] = sqrtf(x[i]);
    return vld1q_f32(x);
}
#endif

/* ---- output stage: vqrdmulh is the reference's high multiplication, its saturation never happens here ---- */

NPU__NEON NPU__INLINE int32x4_t npu__requant__neon(int32x4_t x, int32x4_t mult, int32x4_t left, int32x4_t right) {
    const int32x4_t down = vnegq_s32(right);
    x = vqrdmulhq_s32(vshlq_s32(x, left), mult);
    /* vrshl rounds halves up: one less first for negative numbers, unless there is nothing to shift */
    x = vaddq_s32(x, vshrq_n_s32(vandq_s32(x, down), 31));
    return vrshlq_s32(x, down);
}

NPU__NEON NPU__INLINE int8x8_t npu__finish8__neon(int32x4_t a, int32x4_t b, const npu__i8_out *o) {
    int16x8_t v = vcombine_s16(vqmovn_s32(a), vqmovn_s32(b));
    int8x8_t  r = vqmovn_s16(vqaddq_s16(v, vdupq_n_s16((int16_t)o->zero_point)));
    r = vmin_s8(vmax_s8(r, vdup_n_s8((int8_t)o->lo)), vdup_n_s8((int8_t)o->hi));
    return veor_s8(r, vreinterpret_s8_u8(vdup_n_u8((uint8_t)o->flip)));
}

/* Eight sums as they are. */
NPU__NEON NPU__INLINE void npu__raw8__neon(uint8_t *out, int32x4_t lo, int32x4_t hi) {
    vst1q_u8(out, vreinterpretq_u8_s32(lo));
    vst1q_u8(out + 16, vreinterpretq_u8_s32(hi));
}

NPU__NEON NPU__INLINE void npu__store8__neon(uint8_t *out, int8x8_t v, int32_t cols) {
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
