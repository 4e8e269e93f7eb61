/* Columns of uint8 for RESIZE_BILINEAR, which compilers narrow in many steps: as loops_resize_v.h has them, whose rules of rounding hold. */
#include "loops.h"
NPU__SPEED_BEGIN

#if NPU__HAS_X86
/* Sixteen channels at a time. */
NPU__AVX512_BEGIN
NPU__AVX512 NPU__NO_FUSE NPU__FN void npu__resize_columns_u8__avx512(const npu__resize_span *s, const void *t, int32_t plane, void *out) {
    const int32_t   c = s->channels;
    const __mmask16 rest = (__mmask16)(0xFFFF >> (15 - ((c - 1) & 15)));
    const __m512    half = _mm512_set1_ps(0.5f), most = _mm512_set1_ps(255.0f), none = _mm512_setzero_ps();
    uint8_t        *o = (uint8_t *)out;
    for (int32_t k = 0; k < s->columns; k++, o += s->out_step) {
        const npu__tap *x = s->taps + k;
        const float    *a = (const float *)t + (s->dense ? x->lo - s->first : 2 * k) * c;
        const float    *b = (const float *)t + (s->dense ? x->hi - s->first : 2 * k + 1) * c;
        const __m512    x1 = _mm512_set1_ps(x->frac), x0 = _mm512_set1_ps(1 - x->frac);
        for (int32_t i = 0; i < c; i += 16) {
            const __mmask16 some = i + 16 < c ? (__mmask16)0xFFFF : rest;
            __m512          sum = _mm512_mul_ps(_mm512_maskz_loadu_ps(some, a + i), x0), p;
            p = _mm512_mul_ps(_mm512_maskz_loadu_ps(some, a + plane + i), x0);
            sum = _mm512_add_ps(sum, p);
            p = _mm512_mul_ps(_mm512_maskz_loadu_ps(some, b + i), x1);
            sum = _mm512_add_ps(sum, p);
            p = _mm512_mul_ps(_mm512_maskz_loadu_ps(some, b + plane + i), x1);
            sum = _mm512_add_ps(sum, p);
            sum = _mm512_min_ps(_mm512_max_ps(_mm512_add_ps(sum, half), none), most);
            _mm_mask_storeu_epi8(o + i, some, _mm512_cvtepi32_epi8(_mm512_cvttps_epi32(sum)));
        }
    }
}
NPU__AVX512_END
#endif

#if NPU__HAS_X86 || NPU__HAS_WASM_SIMD
/* Eight channels at a time, by SUM(a, b, plane, x1, out): the last ones again where 8 does not divide them, and of
 * fewer what the next columns write over. */
#  define NPU__RESIZE_COLUMNS_U8(name, target, SUM)                                                                          \
    target NPU__NO_FUSE NPU__FN void name(const npu__resize_span *s, const void *t, int32_t plane, void *out) {              \
        const int32_t c = s->channels;                                                                                       \
        uint8_t      *o = (uint8_t *)out, *end = o + (size_t)s->columns * (size_t)s->out_step, last[8];                      \
        for (int32_t k = 0; k < s->columns; k++, o += s->out_step) {                                                         \
            const npu__tap *x = s->taps + k;                                                                                 \
            const float    *a = (const float *)t + (s->dense ? x->lo - s->first : 2 * k) * c;                                \
            const float    *b = (const float *)t + (s->dense ? x->hi - s->first : 2 * k + 1) * c;                            \
            int32_t         i = 0;                                                                                           \
            for (; i + 8 <= c; i += 8) SUM(a + i, b + i, plane, x->frac, o + i);                                             \
            if (i == c) continue;                                                                                            \
            if (i > 0) {                                                                                                     \
                SUM(a + c - 8, b + c - 8, plane, x->frac, o + c - 8);                                                        \
            } else if (c == s->out_step && end - o >= 8) {                                                                   \
                SUM(a, b, plane, x->frac, o);                                                                                \
            } else {                                                                                                         \
                SUM(a, b, plane, x->frac, last);                                                                             \
                memcpy(o, last, (size_t)c);                                                                                  \
            }                                                                                                                \
        }                                                                                                                    \
    }
#endif
#if NPU__HAS_X86
/* What does not fit a byte saturates. */
NPU__AVX2_ONLY NPU__NO_FUSE NPU__INLINE void npu__resize_sum_u8__avx2(const float *a, const float *b, int32_t plane, float frac, uint8_t *o) {
    const __m256 x1 = _mm256_set1_ps(frac), x0 = _mm256_set1_ps(1 - frac);
    __m256       sum = _mm256_mul_ps(_mm256_loadu_ps(a), x0), p = _mm256_mul_ps(_mm256_loadu_ps(a + plane), x0);
    __m256i      q;
    __m128i      r;
    sum = _mm256_add_ps(sum, p);
    p = _mm256_mul_ps(_mm256_loadu_ps(b), x1);
    sum = _mm256_add_ps(sum, p);
    p = _mm256_mul_ps(_mm256_loadu_ps(b + plane), x1);
    sum = _mm256_add_ps(sum, p);
    q = _mm256_cvttps_epi32(_mm256_add_ps(sum, _mm256_set1_ps(0.5f)));
    r = _mm_packs_epi32(_mm256_castsi256_si128(q), _mm256_extracti128_si256(q, 1));
    _mm_storel_epi64((__m128i *)(void *)o, _mm_packus_epi16(r, r));
}
NPU__RESIZE_COLUMNS_U8(npu__resize_columns_u8__avx2, NPU__AVX2_ONLY, npu__resize_sum_u8__avx2)
#endif
#if NPU__HAS_WASM_SIMD
/* Sums are from 0 to 255, halves and rounding included: the whole part is in the low byte of 2^23 and it. */
NPU__INLINE v128_t npu__resize_four(const float *a, const float *b, int32_t plane, v128_t x0, v128_t x1) {
    v128_t sum = wasm_f32x4_mul(wasm_v128_load(a), x0);
    sum = wasm_f32x4_add(sum, wasm_f32x4_mul(wasm_v128_load(a + plane), x0));
    sum = wasm_f32x4_add(sum, wasm_f32x4_mul(wasm_v128_load(b), x1));
    sum = wasm_f32x4_add(sum, wasm_f32x4_mul(wasm_v128_load(b + plane), x1));
    sum = wasm_f32x4_floor(wasm_f32x4_add(sum, wasm_f32x4_splat(npu__kept_f32(0.5f))));
    return wasm_f32x4_add(sum, wasm_f32x4_splat(npu__kept_f32(8388608.0f)));
}
NPU__INLINE void npu__resize_sum_u8(const float *a, const float *b, int32_t plane, float frac, uint8_t *o) {
    const v128_t x1 = wasm_f32x4_splat(frac), x0 = wasm_f32x4_splat(1 - frac);
    const v128_t p = npu__resize_four(a, b, plane, x0, x1), q = npu__resize_four(a + 4, b + 4, plane, x0, x1);
    wasm_v128_store64_lane(o, wasm_i8x16_shuffle(p, q, 0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28), 0);
}
NPU__RESIZE_COLUMNS_U8(npu__resize_columns_u8__any, , npu__resize_sum_u8)
#endif
#undef NPU__RESIZE_COLUMNS_U8

NPU__SPEED_END
