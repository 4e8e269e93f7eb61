/* Quantization on the fly for AVX-512: bit for bit what ref_quant.c does. */
#include "avx512.h"
#if NPU__HAS_X86

NPU__AVX512_BEGIN

/* The second operand stays where the first is NaN, as in x < lo ? x : lo. */
NPU__AVX512 NPU__FN npu__minmax npu__minmax_f32__avx512(const float *x, int64_t n) {
    float       lo[16], hi[16];
    npu__minmax m;
    int64_t     i = 0;
    __m512      lo0, lo1, hi0, hi1;
    if (n < 16) return npu__minmax_f32(x, n);
    lo0 = lo1 = hi0 = hi1 = _mm512_set1_ps(x[0]); /* as the loop in C, which a NaN in front decides */
    for (; i + 32 <= n; i += 32) {
        const __m512 a = _mm512_loadu_ps(x + i), b = _mm512_loadu_ps(x + i + 16);
        lo0 = _mm512_min_ps(a, lo0);
        hi0 = _mm512_max_ps(a, hi0);
        lo1 = _mm512_min_ps(b, lo1);
        hi1 = _mm512_max_ps(b, hi1);
    }
    for (; i < n; i += 16) { /* the last ones overlap those before */
        const __m512 a = _mm512_loadu_ps(x + NPU__MIN(i, n - 16));
        lo0 = _mm512_min_ps(a, lo0);
        hi0 = _mm512_max_ps(a, hi0);
    }
    _mm512_storeu_ps(lo, _mm512_min_ps(lo1, lo0));
    _mm512_storeu_ps(hi, _mm512_max_ps(hi1, hi0));
    m.lo = lo[0];
    m.hi = hi[0];
    for (int k = 1; k < 16; k++) {
        if (lo[k] < m.lo) m.lo = lo[k];
        if (hi[k] > m.hi) m.hi = hi[k];
    }
    return m;
}

typedef struct npu__quantizer__avx512 {
    __m512 scale, zp;
} npu__quantizer__avx512;

/* As npu__quantize8_f32__avx2; what is far below becomes the least int32, which is as good. The forms that name a rounding mode
 * stay apart where compilers fuse products and sums. */
NPU__AVX512 NPU__INLINE __m512i npu__quantize16__avx512(__m512 x, const npu__quantizer__avx512 *q) {
    const __m512i sign = _mm512_set1_epi32(INT32_MIN), half = _mm512_castps_si512(_mm512_set1_ps(0.49999997f));
    __m512        v = _mm512_mul_round_ps(x, q->scale, _MM_FROUND_CUR_DIRECTION), h;
    v = _mm512_add_round_ps(q->zp, v, _MM_FROUND_CUR_DIRECTION);
    v = _mm512_maskz_min_ps(_mm512_cmp_ps_mask(v, v, _CMP_ORD_Q), v, _mm512_set1_ps(1e6f)); /* NaN to 0 */
    h = _mm512_castsi512_ps(_mm512_ternarylogic_epi32(_mm512_castps_si512(v), sign, half, 0xEA)); /* v & sign | half */
    return _mm512_cvttps_epi32(_mm512_add_ps(v, h));
}

NPU__AVX512 NPU__FN void npu__quantize_f32__avx512(const float *x, int64_t n, float inverse, float zp, int32_t lo, int8_t *q) {
    const __m512i          vlo = _mm512_set1_epi8((char)lo);
    const __m512i          order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    int64_t                i = 0;
    npu__quantizer__avx512 by;
    by.scale = _mm512_set1_ps(inverse);
    by.zp = _mm512_set1_ps(zp);
    for (; i + 64 <= n; i += 64) {
        const __m512i a = npu__quantize16__avx512(_mm512_loadu_ps(x + i), &by);
        const __m512i b = npu__quantize16__avx512(_mm512_loadu_ps(x + i + 16), &by);
        const __m512i c = npu__quantize16__avx512(_mm512_loadu_ps(x + i + 32), &by);
        const __m512i d = npu__quantize16__avx512(_mm512_loadu_ps(x + i + 48), &by);
        const __m512i w = _mm512_packs_epi16(_mm512_packs_epi32(a, b), _mm512_packs_epi32(c, d));
        _mm512_storeu_si512((void *)(q + i), _mm512_permutexvar_epi32(order, _mm512_max_epi8(w, vlo)));
    }
    for (; i < n; i += 16) {
        const __mmask16 some = (__mmask16)(n - i < 16 ? (1u << (n - i)) - 1u : 0xFFFFu);
        const __m128i   w = _mm512_cvtsepi32_epi8(npu__quantize16__avx512(_mm512_maskz_loadu_ps(some, x + i), &by));
        _mm_mask_storeu_epi8(q + i, some, _mm_max_epi8(w, _mm512_castsi512_si128(vlo)));
    }
}

NPU__AVX512_END
#endif
