/* Integer matrix times vector for AVX-512 without VNNI, and the output stage of both. */
#include "avx2.h"
#include "avx512.h"
#if NPU__HAS_X86

NPU__AVX512_BEGIN

#define NPU__V(name) name##__avx512
#define NPU__G_FN NPU__AVX512
#define NPU__G_DOT16(sum, a, b) _mm512_add_epi32(sum, _mm512_madd_epi16(a, b))
#include "gemv_512_v.h"

/* ---- an output stage of its own ---- */

/* By floats where they leave no doubt (near.h): floor(sum * scale + zero point + 1/2), with as much added as floats are off at most. Halves
 * are in doubt, so away from zero or not is all the same. Scales below 2^-100 or so lose bits, and then sums become 0, which they are. */

/* round(sum * scale), half away from zero: what is just below one half, added, carries over exactly from a half on. */
NPU__AVX512 NPU__INLINE __m256i npu__round8__avx512(const int32_t *sums, __m512d scale) {
    const __m512d below = _mm512_set1_pd(0.49999999999999994), limit = _mm512_set1_pd(1e9);
    const __m512d v = _mm512_mul_pd(_mm512_cvtepi32_pd(NPU__LOAD32(sums)), scale);
    const __m512d sign = _mm512_and_pd(v, _mm512_set1_pd(-0.0));
    const __m512d most = _mm512_max_pd(_mm512_min_pd(v, limit), _mm512_set1_pd(-1e9));
    return _mm512_cvttpd_epi32(_mm512_add_pd(most, _mm512_or_pd(sign, below)));
}

NPU__AVX512 NPU__FN void npu__finish_real__avx512(const int32_t *sums, int32_t n, const double *scale, int32_t step,
                                              const npu__i8_out *out_stage, uint8_t *out) {
    const npu__fin__vnni fin = npu__fin_of__vnni(out_stage);
    const __m512d        fraction = _mm512_set1_pd(65536.0);
    const __m512         add = _mm512_set1_ps(npu__near_plus(out_stage->zero_point));
    const __m512i        odd = npu__near_odd__vnni();
    __m512d              lo = _mm512_set1_pd(*scale), hi = lo;
    __m512               near = _mm512_set1_ps((float)(*scale * 65536.0));
    int32_t              i = 0;
    for (; i + 16 <= n; i += 16, scale += 16 * step) {
        __m512i x, doubt = _mm512_set1_epi32(-1);
        if (step) {
            lo = _mm512_loadu_pd(scale);
            hi = _mm512_loadu_pd(scale + 8);
            near = _mm512_insertf32x8(near, _mm512_cvtpd_ps(_mm512_mul_pd(lo, fraction)), 0);
            near = _mm512_insertf32x8(near, _mm512_cvtpd_ps(_mm512_mul_pd(hi, fraction)), 1);
        }
        x = npu__near_scaled__vnni(NPU__LOAD64(sums + i), near, add, &doubt);
        if (!npu__near_doubt__vnni(doubt)) {
            const __m256i v = npu__bytes32__vnni(_mm512_permutexvar_epi16(odd, x), &fin);
            _mm_storeu_si128((__m128i *)(void *)(out + i), _mm256_castsi256_si128(v));
            continue;
        }
        x = _mm512_castsi256_si512(npu__round8__avx512(sums + i, lo));
        npu__store16__vnni(out + i, _mm512_inserti64x4(x, npu__round8__avx512(sums + i + 8, hi), 1), 0, &fin, 0xFFFF);
    }
    if (i < n) npu__finish_real__avx2(sums + i, n - i, scale, step, out_stage, out + i);
}

NPU__AVX512_END
#endif
