/* ADD, SUB and MUL of bytes for AVX2: the reference's fixed-point steps, eight elements at a time. */
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
#endif
