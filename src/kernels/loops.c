/* The loops of loops.h for each instruction set that they are compiled for, and their table. */
#include "loops.h"
NPU__SPEED_BEGIN

#if NPU__HAS_X86
#  define NPU__V(name) name##__avx512
#  define NPU__VFN NPU__AVX512_LOOPS
#  define NPU__VBYTES /* below */
#  include "loops_resize_v.h"
#  undef NPU__VBYTES
#  undef NPU__V
#  undef NPU__VFN

/* Columns of uint8, which compilers narrow in many steps: as loops_resize_v.h, sixteen channels at a time. */
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

#  define NPU__V(name) name##__avx2
#  define NPU__VFN NPU__AVX2_ONLY
#  define NPU__VBYTES
#  include "loops_resize_v.h"
#  undef NPU__VBYTES
#  undef NPU__V
#  undef NPU__VFN
/* Eight channels from `i` on; what does not fit a byte saturates. */
NPU__AVX2_ONLY NPU__NO_FUSE NPU__INLINE void npu__resize_sum_u8__avx2(const float *a, const float *b, int32_t plane, __m256 x0, __m256 x1,
                                                                      uint8_t *o) {
    __m256  sum = _mm256_mul_ps(_mm256_loadu_ps(a), x0), p = _mm256_mul_ps(_mm256_loadu_ps(a + plane), x0);
    __m256i q;
    __m128i r;
    sum = _mm256_add_ps(sum, p);
    p = _mm256_mul_ps(_mm256_loadu_ps(b), x1);
    sum = _mm256_add_ps(sum, p);
    p = _mm256_mul_ps(_mm256_loadu_ps(b + plane), x1);
    sum = _mm256_add_ps(sum, p);
    q = _mm256_cvttps_epi32(_mm256_add_ps(sum, _mm256_set1_ps(0.5f)));
    r = _mm_packs_epi32(_mm256_castsi256_si128(q), _mm256_extracti128_si256(q, 1));
    _mm_storel_epi64((__m128i *)(void *)o, _mm_packus_epi16(r, r));
}
NPU__AVX2_ONLY NPU__NO_FUSE NPU__FN void npu__resize_columns_u8__avx2(const npu__resize_span *s, const void *t, int32_t plane, void *out) {
    const int32_t c = s->channels;
    uint8_t      *o = (uint8_t *)out, *end = o + (size_t)s->columns * (size_t)s->out_step;
    for (int32_t k = 0; k < s->columns; k++, o += s->out_step) {
        const npu__tap *x = s->taps + k;
        const float    *a = (const float *)t + (s->dense ? x->lo - s->first : 2 * k) * c;
        const float    *b = (const float *)t + (s->dense ? x->hi - s->first : 2 * k + 1) * c;
        const __m256    x1 = _mm256_set1_ps(x->frac), x0 = _mm256_set1_ps(1 - x->frac);
        int32_t         i = 0;
        for (; i + 8 <= c; i += 8) npu__resize_sum_u8__avx2(a + i, b + i, plane, x0, x1, o + i);
        if (i == c) continue;
        if (i > 0) {
            i = c - 8; /* some again */
            npu__resize_sum_u8__avx2(a + i, b + i, plane, x0, x1, o + i);
        } else if (c == s->out_step && end - o >= 8) {
            npu__resize_sum_u8__avx2(a, b, plane, x0, x1, o); /* more, which the next columns write over */
        } else {
            uint8_t last[8];
            npu__resize_sum_u8__avx2(a, b, plane, x0, x1, last);
            memcpy(o, last, (size_t)c);
        }
    }
}
#endif
#define NPU__V(name) name##__any
#define NPU__VFN
#include "loops_resize_v.h"
#undef NPU__V
#undef NPU__VFN

#define NPU__LOOPS_BY_TYPE(f, s) {f##_f32__##s, f##_u8__##s, f##_i8__##s, f##_i16__##s}
#define NPU_X(s, name, isa) \
    {name, isa, NPU__LOOPS_BY_TYPE(npu__resize_blend, s), NPU__LOOPS_BY_TYPE(npu__resize_columns, s)},
static const npu__loops npu__loops_rows[] = {
#if NPU__HAS_X86
    NPU_X(avx512, NPU__LOOPS_ANY ".avx512", NPU_ISA_AVX512)
#endif
    NPU__LOOPS_ROWS(NPU_X)};
#undef NPU_X
#undef NPU__LOOPS_BY_TYPE

NPU__FN const npu__loops *npu__loops_select(npu_isa isa) {
    const npu__loops *r = npu__loops_rows;
    while (!npu__isa_includes(isa, r->isa)) r++; /* the last one is for all */
    return r;
}

NPU__SPEED_END
