/* Float kernels for NEON. */
#include "neon.h"
#include "sparse_f32.h"
#if NPU__HAS_NEON

/* vmaxq and vminq give NaN for NaN. */
NPU__NEON NPU__INLINE float32x4_t npu__sum4__neon(float32x4_t a, float32x4_t b, float32x4_t c, float32x4_t d) {
    return NPU__PADD_F32(NPU__PADD_F32(a, b), NPU__PADD_F32(c, d));
}

#define NPU__V(name) name##__neon
#define NPU__V4 float32x4_t
#define NPU__V4_FN NPU__NEON
#define NPU__V4_LOAD(p) vld1q_f32(p)
#define NPU__V4_STORE(p, v) vst1q_f32(p, v)
#define NPU__V4_SET1(x) vdupq_n_f32(x)
#define NPU__V4_SPLAT(p) vld1q_dup_f32(p)
#define NPU__V4_LANES 4
#define NPU__V4_MOST 6
#define NPU__V4_MADD(a, b, c) NPU__MADD_F32(c, a, b)
#define NPU__V4_LANE(a, i, b, c) NPU__MADD_LANE_F32(c, b, a, i)
#define NPU__V4_ADD(a, b) vaddq_f32(a, b)
#define NPU__V4_CLAMP(v, lo, hi) vminq_f32(vmaxq_f32(v, lo), hi)
#define NPU__V4_SUM4(a, b, c, d) npu__sum4__neon(a, b, c, d)
#define NPU__V4_LO32(a, b) vzipq_f32(a, b).val[0]
#define NPU__V4_HI32(a, b) vzipq_f32(a, b).val[1]
#define NPU__V4_LO64(a, b) vcombine_f32(vget_low_f32(a), vget_low_f32(b))
#define NPU__V4_HI64(a, b) vcombine_f32(vget_high_f32(a), vget_high_f32(b))
#define NPU__V4_SHARE 1
#include "f32_v128.h"
#endif
