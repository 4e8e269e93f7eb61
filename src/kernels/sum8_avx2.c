/* ADD, SUB, MUL and QUANTIZE of bytes for AVX2: the reference's fixed-point steps, eight elements at a time. */
#include "avx2.h"
#if NPU__HAS_X86

/* One factor for all lanes. Plain: no left shift, right >= 1. */
typedef struct npu__factor__avx2 {
    __m256i mult, left, right;
    int     plain;
} npu__factor__avx2;

NPU__AVX2 NPU__INLINE npu__factor__avx2 npu__factor_of__avx2(npu__qmul q) {
    npu__factor__avx2 f;
    f.mult = _mm256_set1_epi32(q.multiplier);
    f.left = _mm256_set1_epi32(q.shift > 0 ? q.shift : 0);
    f.right = _mm256_set1_epi32(q.shift > 0 ? 0 : -q.shift);
    f.plain = q.shift < 0;
    return f;
}

NPU__AVX2 NPU__INLINE __m256i npu__times__avx2(__m256i x, const npu__factor__avx2 *f) {
    const __m256i minus = _mm256_set1_epi32(-1);
    if (!f->plain) return npu__requant_any__avx2(x, f->mult, f->left, f->right);
    x = npu__requant_plain__avx2(x, f->mult, f->right);
    /* requant_plain leaves one bit for the narrowing to round away: here it is rounded, (x + 1) >> 1. */
    return _mm256_srai_epi32(_mm256_sub_epi32(x, minus), 1);
}

NPU__AVX2 NPU__INLINE __m256i npu__sum8_load__avx2(const uint8_t *p, int is_signed) {
    return is_signed ? _mm256_cvtepi8_epi32(NPU__LOAD8(p)) : _mm256_cvtepu8_epi32(NPU__LOAD8(p));
}

/* The walk: x and y are eight inputs each plus their offsets, RESULT what goes to the output stage. */
#define NPU__BYTES8(name, LOCALS, RESULT)                                                                         \
    NPU__AVX2 NPU__FN void name(const npu__sum8_job *job, const uint8_t *a, const uint8_t *b, uint8_t *out,       \
                                int64_t n, int32_t step_a, int32_t step_b) {                                      \
        const npu__factor__avx2 fo = npu__factor_of__avx2(job->out_mul);                                          \
        const npu__fin__avx2    fin = npu__fin_of__avx2(&job->out);                                               \
        const __m256i offset_a = _mm256_set1_epi32(job->offset[0]), offset_b = _mm256_set1_epi32(job->offset[1]); \
        uint8_t       pa[8], pb[8], po[8];                                                                        \
        LOCALS                                                                                                    \
        memset(pa, a[0], sizeof pa);                                                                              \
        memset(pb, b[0], sizeof pb);                                                                              \
        for (int64_t i = 0; i < n; i += 8) {                                                                      \
            const int      whole = i + 8 <= n;                                                                    \
            const uint8_t *qa = step_a && whole ? a + i : pa, *qb = step_b && whole ? b + i : pb;                 \
            __m256i        x, y;                                                                                  \
            if (!whole && step_a) memcpy(pa, a + i, (size_t)(n - i));                                             \
            if (!whole && step_b) memcpy(pb, b + i, (size_t)(n - i));                                             \
            x = _mm256_add_epi32(npu__sum8_load__avx2(qa, job->is_signed), offset_a);                             \
            y = _mm256_add_epi32(npu__sum8_load__avx2(qb, job->is_signed), offset_b);                             \
            x = npu__times__avx2(RESULT, &fo);                                                                    \
            _mm_storel_epi64((__m128i *)(void *)(whole ? out + i : po), npu__finish8__avx2(x, 0, &fin));          \
            if (!whole) memcpy(out + i, po, (size_t)(n - i));                                                     \
        }                                                                                                         \
    }
#define NPU__SUM_LOCALS                                                                                     \
    const npu__factor__avx2 fa = npu__factor_of__avx2(job->mul[0]), fb = npu__factor_of__avx2(job->mul[1]); \
    const __m128i           up = _mm_cvtsi32_si128(job->left_shift);                                        \
    const __m256i           sign = _mm256_set1_epi32(job->negate_b ? -1 : 0);
NPU__AVX2 NPU__INLINE __m256i npu__negated__avx2(__m256i x, __m256i sign) {
    return _mm256_sub_epi32(_mm256_xor_si256(x, sign), sign);
}
NPU__BYTES8(npu__sum8__avx2, NPU__SUM_LOCALS,
            _mm256_add_epi32(npu__times__avx2(_mm256_sll_epi32(x, up), &fa),
                             npu__negated__avx2(npu__times__avx2(_mm256_sll_epi32(y, up), &fb), sign)))
NPU__BYTES8(npu__mul8__avx2, , _mm256_mullo_epi32(x, y))
#undef NPU__BYTES8
#undef NPU__SUM_LOCALS

/* round(x / scale), half away from zero. */
NPU__AVX2 NPU__INLINE __m256i npu__divide8__avx2(__m256 x, __m256 scale) {
    const __m256 sign = _mm256_set1_ps(-0.0f), limit = _mm256_set1_ps(1e6f);
    __m256       v = _mm256_div_ps(x, scale), whole, far, away;
    v = _mm256_min_ps(_mm256_max_ps(v, _mm256_xor_ps(limit, sign)), limit); /* NaN becomes -limit */
    whole = _mm256_round_ps(v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    far = _mm256_cmp_ps(_mm256_andnot_ps(sign, _mm256_sub_ps(v, whole)), _mm256_set1_ps(0.5f), _CMP_GE_OQ);
    away = _mm256_and_ps(far, _mm256_or_ps(_mm256_and_ps(v, sign), _mm256_set1_ps(1.0f)));
    return _mm256_cvtps_epi32(_mm256_add_ps(whole, away));
}

NPU__AVX2 NPU__FN void npu__quantize8__avx2(const float *x, uint8_t *out, int64_t n, float scale,
                                            const npu__i8_out *out_stage) {
    const npu__fin__avx2 fin = npu__fin_of__avx2(out_stage);
    const __m256         vscale = _mm256_set1_ps(scale);
    __m256i              v;
    int64_t              i = 0;
    float                p[8];
    uint8_t              po[8];
    for (; i + 8 <= n; i += 8) {
        v = npu__divide8__avx2(_mm256_loadu_ps(x + i), vscale);
        _mm_storel_epi64((__m128i *)(void *)(out + i), npu__finish8__avx2(v, 0, &fin));
    }
    if (i >= n) return;
    memset(p, 0, sizeof p);
    memcpy(p, x + i, (size_t)(n - i) * sizeof *x);
    v = npu__divide8__avx2(_mm256_loadu_ps(p), vscale);
    _mm_storel_epi64((__m128i *)(void *)po, npu__finish8__avx2(v, 0, &fin));
    memcpy(out + i, po, (size_t)(n - i));
}
#endif
