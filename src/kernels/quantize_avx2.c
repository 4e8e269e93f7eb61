/* QUANTIZE of floats for AVX2: the integers of round(x / scale), without a division. */
#include "avx2.h"
#include "divide.h"
#if NPU__HAS_X86

typedef struct npu__divide__avx2 {
    __m256 scale, inverse, low, limit;
    int    two; /* of two products */
} npu__divide__avx2;

NPU__AVX2 NPU__INLINE npu__divide__avx2 npu__divide_by__avx2(float scale, int wide) {
    npu__divide__avx2 d;
    const float       inverse = 1.0f / scale;
    d.two = !wide && npu__divide_two(scale);
    d.scale = _mm256_set1_ps(scale);
    d.inverse = _mm256_set1_ps(inverse);
    d.low = _mm256_mul_ps(_mm256_fnmadd_ps(d.inverse, d.scale, _mm256_set1_ps(1.0f)), d.inverse);
    d.limit = _mm256_set1_ps(1e6f * scale);
    return d;
}

/* Half away from zero: of a half and what follows it, the sum with the float before 1/2 reaches the next integer, and nothing before
 * does. NaN, infinities and what is far below become the least int32. */
NPU__AVX2 NPU__INLINE __m256i npu__divided8__avx2(__m256 x, const npu__divide__avx2 *d, int two) {
    const __m256 sign = _mm256_set1_ps(-0.0f), half = _mm256_set1_ps(0.49999997f);
    __m256       q;
    x = _mm256_min_ps(d->limit, x);
    if (two) q = _mm256_fmadd_ps(x, d->inverse, _mm256_mul_ps(x, d->low));
    else {
        q = _mm256_mul_ps(x, d->inverse);
        q = _mm256_fmadd_ps(_mm256_fnmadd_ps(q, d->scale, x), d->inverse, q);
        q = _mm256_fmadd_ps(_mm256_fnmadd_ps(q, d->scale, x), d->inverse, q);
    }
    return _mm256_cvttps_epi32(_mm256_add_ps(q, _mm256_or_ps(_mm256_and_ps(q, sign), half)));
}

/* Sixteen, as int16: 0-3, 8-11, 4-7, 12-15. */
NPU__AVX2 NPU__INLINE __m256i npu__divided16__avx2(const float *x, const npu__divide__avx2 *d, int two) {
    return _mm256_packs_epi32(npu__divided8__avx2(_mm256_loadu_ps(x), d, two), npu__divided8__avx2(_mm256_loadu_ps(x + 8), d, two));
}

NPU__AVX2 NPU__INLINE void npu__quantize32__avx2(const float *x, uint8_t *out, const npu__divide__avx2 *d, const npu__i8_out *o,
                                                 int two) {
    const __m256i zp = _mm256_set1_epi16((int16_t)o->zero_point);
    __m256i       a = npu__divided16__avx2(x, d, two), b = npu__divided16__avx2(x + 16, d, two);
    if (!two && o->raw) {
        _mm256_storeu_si256((__m256i *)(void *)out, _mm256_permute4x64_epi64(a, 0xD8));
        _mm256_storeu_si256((__m256i *)(void *)(out + 32), _mm256_permute4x64_epi64(b, 0xD8));
        return;
    }
    a = _mm256_packs_epi16(_mm256_adds_epi16(a, zp), _mm256_adds_epi16(b, zp));
    a = _mm256_permutevar8x32_epi32(_mm256_xor_si256(a, _mm256_set1_epi8((char)o->flip)), _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    _mm256_storeu_si256((__m256i *)(void *)out, a);
}

NPU__AVX2 NPU__FN void npu__quantize__avx2(const float *x, uint8_t *out, int64_t n, float scale, const npu__i8_out *out_stage) {
    const npu__i8_out       o = *out_stage;
    const npu__divide__avx2 d = npu__divide_by__avx2(scale, o.raw);
    const int64_t           bytes = o.raw ? 2 : 1, rest = n % 32, whole = n - rest;
    float                   px[32];
    uint8_t                 po[64];
    if (d.two) for (int64_t i = 0; i < whole; i += 32) npu__quantize32__avx2(x + i, out + i, &d, &o, 1);
    else for (int64_t i = 0; i < whole; i += 32) npu__quantize32__avx2(x + i, out + i * bytes, &d, &o, 0);
    if (!rest) return;
    memset(px, 0, sizeof px);
    memcpy(px, x + whole, (size_t)rest * sizeof *x);
    npu__quantize32__avx2(px, po, &d, &o, 0);
    memcpy(out + whole * bytes, po, (size_t)(rest * bytes));
}
#endif
