/* Float kernels for NEON. */
#include "kernels.h"
#include "simd.h"
#if NPU__HAS_NEON

/* vmaxq and vminq give NaN for NaN. */
NPU__INLINE float32x4_t npu__sum4__neon(float32x4_t a, float32x4_t b, float32x4_t c, float32x4_t d) {
    return vpaddq_f32(vpaddq_f32(a, b), vpaddq_f32(c, d));
}

#define NPU__V(name) name##__neon
#define NPU__V4 float32x4_t
#define NPU__V4_FN
#define NPU__V4_LOAD(p) vld1q_f32(p)
#define NPU__V4_STORE(p, v) vst1q_f32(p, v)
#define NPU__V4_SET1(x) vdupq_n_f32(x)
#define NPU__V4_MADD(a, b, c) vfmaq_f32(c, a, b)
#define NPU__V4_ADD(a, b) vaddq_f32(a, b)
#define NPU__V4_CLAMP(v, lo, hi) vminq_f32(vmaxq_f32(v, lo), hi)
#define NPU__V4_SUM4(a, b, c, d) npu__sum4__neon(a, b, c, d)
#define NPU__V4_SHARE 1
#include "f32_v128.h"
#endif
