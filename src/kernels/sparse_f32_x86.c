/* Float products with weights of which most are 0, for AVX2 and AVX-512. */
#include "avx2.h"
#include "sparse_f32.h"
#if NPU__HAS_X86

#define NPU__V(name) name##__avx2
#define NPU__SP_V __m256
#define NPU__SP_LANES 8
#define NPU__SP_FN NPU__AVX2
#define NPU__SP_EACH NPU__ROWS_4
#define NPU__SP_CHAINS 2
#define NPU__SP_LOAD(p) _mm256_loadu_ps(p)
#define NPU__SP_STORE(p, v) _mm256_storeu_ps(p, v)
#define NPU__SP_SET1(x) _mm256_set1_ps(x)
#define NPU__SP_SPLAT(p) _mm256_broadcast_ss(p)
#define NPU__SP_MADD(a, b, c) _mm256_fmadd_ps(a, b, c)
#define NPU__SP_ADD(a, b) _mm256_add_ps(a, b)
#define NPU__SP_CLAMP(v, lo, hi) _mm256_min_ps(hi, _mm256_max_ps(lo, v)) /* in this order they keep NaN */
#define NPU__SP_LO32(a, b) _mm256_unpacklo_ps(a, b)
#define NPU__SP_HI32(a, b) _mm256_unpackhi_ps(a, b)
#define NPU__SP_LO64(a, b) _mm256_castpd_ps(_mm256_unpacklo_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)))
#define NPU__SP_HI64(a, b) _mm256_castpd_ps(_mm256_unpackhi_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)))
#define NPU__SP_GET(rows, at) \
    _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps((rows)[0] + (at))), _mm_loadu_ps((rows)[4] + (at)), 1)
#define NPU__SP_PUT(to, step, v)                          \
    do {                                                  \
        _mm_storeu_ps(to, _mm256_castps256_ps128(v));     \
        _mm_storeu_ps((to) + 4 * (step), _mm256_extractf128_ps(v, 1)); \
    } while (0)
#include "sparse_f32_v.h"
#undef NPU__V

NPU__AVX512_BEGIN

NPU__AVX512 NPU__INLINE __m512 npu__sparse_get__avx512(const float *const *rows, size_t at) {
    __m512 v = _mm512_castps128_ps512(_mm_loadu_ps(rows[0] + at));
    v = _mm512_insertf32x4(v, _mm_loadu_ps(rows[4] + at), 1);
    v = _mm512_insertf32x4(v, _mm_loadu_ps(rows[8] + at), 2);
    return _mm512_insertf32x4(v, _mm_loadu_ps(rows[12] + at), 3);
}
NPU__AVX512 NPU__INLINE void npu__sparse_put__avx512(float *to, size_t step, __m512 v) {
    _mm_storeu_ps(to, _mm512_castps512_ps128(v));
    _mm_storeu_ps(to + 4 * step, _mm512_extractf32x4_ps(v, 1));
    _mm_storeu_ps(to + 8 * step, _mm512_extractf32x4_ps(v, 2));
    _mm_storeu_ps(to + 12 * step, _mm512_extractf32x4_ps(v, 3));
}

#define NPU__V(name) name##__avx512
#define NPU__SP_V __m512
#define NPU__SP_LANES 16
#define NPU__SP_FN NPU__AVX512
#define NPU__SP_EACH NPU__ROWS_2
#define NPU__SP_CHAINS 2
#define NPU__SP_LOAD(p) _mm512_loadu_ps(p)
#define NPU__SP_STORE(p, v) _mm512_storeu_ps(p, v)
#define NPU__SP_SET1(x) _mm512_set1_ps(x)
#define NPU__SP_SPLAT(p) _mm512_set1_ps(*(p))
#define NPU__SP_MADD(a, b, c) _mm512_fmadd_ps(a, b, c)
#define NPU__SP_ADD(a, b) _mm512_add_ps(a, b)
#define NPU__SP_CLAMP(v, lo, hi) _mm512_min_ps(hi, _mm512_max_ps(lo, v))
#define NPU__SP_LO32(a, b) _mm512_unpacklo_ps(a, b)
#define NPU__SP_HI32(a, b) _mm512_unpackhi_ps(a, b)
#define NPU__SP_LO64(a, b) _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)))
#define NPU__SP_HI64(a, b) _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)))
#define NPU__SP_GET(rows, at) npu__sparse_get__avx512(rows, at)
#define NPU__SP_PUT(to, step, v) npu__sparse_put__avx512(to, step, v)
#include "sparse_f32_v.h"
#undef NPU__V

NPU__AVX512_END
#endif
