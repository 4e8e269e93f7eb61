/* Quantization on the fly for AVX-512, bit for bit what ref_quant.c does; and QUANTIZE of floats, as quantize_avx2.c. */
#include "avx2.h"
#include "avx512.h"
#include "divide.h"
#if NPU__HAS_X86

NPU__AVX512_BEGIN

/* The second operand stays where the first is NaN, as in x < lo ? x : lo. */
NPU__AVX512 NPU__FN npu__minmax npu__minmax_f32__avx512(const float *x, int64_t n) {
    int64_t i = 0;
    __m512  lo0, lo1, hi0, hi1;
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
    lo0 = _mm512_min_ps(lo1, lo0);
    hi0 = _mm512_max_ps(hi1, hi0);
    return npu__minmax_lanes__avx2(_mm256_min_ps(_mm512_castps512_ps256(lo0), _mm512_extractf32x8_ps(lo0, 1)),
                                   _mm256_max_ps(_mm512_castps512_ps256(hi0), _mm512_extractf32x8_ps(hi0, 1)));
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

/* ---- QUANTIZE ---- */

typedef struct npu__divide__avx512 {
    __m512 scale, inverse, low, limit;
    int    two;
} npu__divide__avx512;

NPU__AVX512 NPU__INLINE npu__divide__avx512 npu__divide_by__avx512(float scale, int wide) {
    npu__divide__avx512 d;
    d.two = !wide && npu__divide_two(scale);
    d.scale = _mm512_set1_ps(scale);
    d.inverse = _mm512_set1_ps(1.0f / scale);
    d.low = _mm512_mul_ps(_mm512_fnmadd_ps(d.inverse, d.scale, _mm512_set1_ps(1.0f)), d.inverse);
    d.limit = _mm512_set1_ps(1e6f * scale);
    return d;
}

NPU__AVX512 NPU__INLINE __m512i npu__divided16__avx512(__m512 x, const npu__divide__avx512 *d, int two) {
    const __m512i sign = _mm512_set1_epi32(INT32_MIN), half = _mm512_castps_si512(_mm512_set1_ps(0.49999997f));
    __m512        q;
    x = _mm512_min_ps(d->limit, x);
    if (two) q = _mm512_fmadd_ps(x, d->inverse, _mm512_mul_ps(x, d->low));
    else {
        q = _mm512_mul_ps(x, d->inverse);
        q = _mm512_fmadd_ps(_mm512_fnmadd_ps(q, d->scale, x), d->inverse, q);
        q = _mm512_fmadd_ps(_mm512_fnmadd_ps(q, d->scale, x), d->inverse, q);
    }
    return _mm512_cvttps_epi32(_mm512_add_ps(q, _mm512_castsi512_ps(_mm512_ternarylogic_epi32(_mm512_castps_si512(q), sign, half, 0xEA))));
}

/* 32, as int16: 0-3, 16-19, 4-7, 20-23 and so on; past int16, its ends. */
NPU__AVX512 NPU__INLINE __m512i npu__divided32__avx512(const float *x, const npu__divide__avx512 *d, int two) {
    return _mm512_packs_epi32(npu__divided16__avx512(_mm512_loadu_ps(x), d, two), npu__divided16__avx512(_mm512_loadu_ps(x + 16), d, two));
}

NPU__AVX512 NPU__INLINE void npu__quantize64__avx512(const float *x, uint8_t *out, const npu__divide__avx512 *d, const npu__i8_out *o, int two) {
    const __m512i zp = _mm512_set1_epi16((int16_t)o->zero_point), flip = _mm512_set1_epi8((char)o->flip);
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i a = npu__divided32__avx512(x, d, two), b = npu__divided32__avx512(x + 32, d, two);
    if (!two && o->raw) {
        const __m512i halves = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
        _mm512_storeu_si512((void *)out, _mm512_permutexvar_epi64(halves, a));
        _mm512_storeu_si512((void *)(out + 64), _mm512_permutexvar_epi64(halves, b));
        return;
    }
    _mm512_storeu_si512((void *)out, _mm512_permutexvar_epi32(order, _mm512_xor_si512(_mm512_packs_epi16(_mm512_adds_epi16(a, zp),
                                                                                                        _mm512_adds_epi16(b, zp)), flip)));
}

NPU__AVX512 NPU__FN void npu__quantize__avx512(const float *x, uint8_t *out, int64_t n, float scale, const npu__i8_out *out_stage) {
    const npu__i8_out         o = *out_stage;
    const npu__divide__avx512 d = npu__divide_by__avx512(scale, o.raw);
    const int64_t             bytes = o.raw ? 2 : 1, rest = n % 64, whole = n - rest;
    float                     px[64];
    uint8_t                   po[128];
    if (d.two) for (int64_t i = 0; i < whole; i += 64) npu__quantize64__avx512(x + i, out + i, &d, &o, 1);
    else for (int64_t i = 0; i < whole; i += 64) npu__quantize64__avx512(x + i, out + i * bytes, &d, &o, 0);
    if (!rest) return;
    memset(px, 0, sizeof px);
    memcpy(px, x + whole, (size_t)rest * sizeof *x);
    npu__quantize64__avx512(px, po, &d, &o, 0);
    memcpy(out + whole * bytes, po, (size_t)(rest * bytes));
}

NPU__AVX512_END
#endif
