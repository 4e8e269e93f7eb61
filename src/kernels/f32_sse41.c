/* Float kernels for SSE4.1: multiplications and additions, as it has no multiply-add. */
#include "simd.h"
#include "sparse_f32.h"
#if NPU__HAS_X86

/* In this order the clamp keeps NaN: the second operand is returned then. */
#define NPU__V(name) name##__sse41
#define NPU__V4 __m128
#define NPU__V4_FN NPU__SSE41
#define NPU__V4_LOAD(p) _mm_loadu_ps(p)
#define NPU__V4_STORE(p, v) _mm_storeu_ps(p, v)
#define NPU__V4_SET1(x) _mm_set1_ps(x)
#define NPU__V4_SPLAT(p) _mm_set1_ps(*(p))
#define NPU__V4_LANES 1
#define NPU__V4_MOST 6
#define NPU__V4_MADD(a, b, c) _mm_add_ps(_mm_mul_ps(a, b), c)
#define NPU__V4_LANE(a, i, b, c) NPU__V4_MADD(_mm_shuffle_ps(a, a, (i) * 0x55), b, c)
#define NPU__V4_ADD(a, b) _mm_add_ps(a, b)
#define NPU__V4_CLAMP(v, lo, hi) _mm_min_ps(hi, _mm_max_ps(lo, v))
#define NPU__V4_SUM4(a, b, c, d) _mm_hadd_ps(_mm_hadd_ps(a, b), _mm_hadd_ps(c, d))
#define NPU__V4_LO32(a, b) _mm_unpacklo_ps(a, b)
#define NPU__V4_HI32(a, b) _mm_unpackhi_ps(a, b)
#define NPU__V4_LO64(a, b) _mm_movelh_ps(a, b)
#define NPU__V4_HI64(a, b) _mm_movehl_ps(b, a)
#define NPU__V4_SHARE 0
#include "f32_v128.h"
#endif
