/* Panels of int4 weights (blocks_i4.c) on 256 bits: a vector is the four bytes of eight units. */
#include "avx2.h"
#include "blocks_i4.h"
#if NPU__HAS_X86

/* A pair of products of bytes and weights is at most 2 * 255 * 8, so eight of them, those of 32 of the depth, are what 16 bits hold. */
#define NPU__I4_SHORT 32

typedef struct npu__i4__avx2 {
    __m256i half, lower, upper; /* the lower halves of bytes, and what is meant by a lower and an upper one */
} npu__i4__avx2;
NPU__AVX2 NPU__INLINE npu__i4__avx2 npu__i4_of__avx2(void) {
    npu__i4__avx2 c;
    c.half = _mm256_set1_epi8(0x0F);
    c.lower = _mm256_broadcastsi128_si256(_mm_setr_epi8(-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7));
    c.upper = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1));
    return c;
}
NPU__AVX2 NPU__INLINE __m256i npu__i4_lower__avx2(const npu__i4__avx2 *c, __m256i w) {
    return _mm256_shuffle_epi8(c->lower, _mm256_and_si256(w, c->half));
}
NPU__AVX2 NPU__INLINE __m256i npu__i4_upper__avx2(const npu__i4__avx2 *c, __m256i w) {
    return _mm256_shuffle_epi8(c->upper, _mm256_and_si256(_mm256_srli_epi16(w, 4), c->half));
}
/* 16 times what pairs add up to. */
NPU__AVX2 NPU__INLINE __m256i npu__i4_pairs__avx2(__m256i pairs) { return _mm256_madd_epi16(pairs, _mm256_set1_epi16(16)); }
/* 16 times what a zero point of the row takes off eight units: of their weights' sums. */
NPU__AVX2 NPU__INLINE __m256i npu__i4_zero__avx2(int32_t a_zero, const uint8_t *sums) {
    return _mm256_mullo_epi32(_mm256_set1_epi32(16 * (-128 - a_zero)), _mm256_cvtepi16_epi32(NPU__LOAD16(sums)));
}

#define NPU__I4_ZERO(r) s##r = _mm256_setzero_si256();
#define NPU__I4_START(r) x##r = npu__i4_zero__avx2(job->a_zero, p + 128 + 16 * (r));
#define NPU__I4_STEP(r)                                                                              \
    w = NPU__LOAD32(p + 32 * (r));                                                                   \
    s##r = _mm256_add_epi16(s##r, _mm256_maddubs_epi16(even, npu__i4_lower__avx2(&c, w)));             \
    s##r = _mm256_add_epi16(s##r, _mm256_maddubs_epi16(odd, npu__i4_upper__avx2(&c, w)));
#define NPU__I4_WIDEN(r) x##r = _mm256_add_epi32(x##r, npu__i4_pairs__avx2(s##r));
#define NPU__I4_DONE(r) f##r = _mm256_fmadd_ps(_mm256_cvtepi32_ps(x##r), _mm256_loadu_ps((const float *)(const void *)(scale + 32 * (r))), f##r);
#define NPU__I4_STORE(r) _mm256_storeu_ps(out + 8 * (r), f##r);
NPU__AVX2 NPU__FN void npu__blocks_i4__avx2(const npu__blocks_i4_job *job, int32_t panel, float *out) {
    const npu__i4__avx2 c = npu__i4_of__avx2();
    const int32_t       blocks = job->depth / job->block;
    const uint8_t      *a = job->a, *p = job->packed + (size_t)panel * (size_t)blocks * npu__blocks_i4_block_bytes(job->block);
    __m256              f0 = _mm256_setzero_ps(), f1 = f0, f2 = f0, f3 = f0;
    for (int32_t b = 0; b < blocks; b++) {
        const uint8_t *scale = p;
        __m256i        s0, s1, s2, s3, x0, x1, x2, x3, w;
        NPU__ROWS_4(NPU__I4_START)
        p += NPU__BLOCKS_I4_HEAD;
        for (int32_t k = 0; k < job->block;) {
            const int32_t end = NPU__MIN(k + NPU__I4_SHORT, job->block);
            NPU__ROWS_4(NPU__I4_ZERO)
            for (; k < end; k += 8, a += 8, p += 128) {
                const __m256i even = _mm256_set1_epi32(npu__load_i32(a)), odd = _mm256_set1_epi32(npu__load_i32(a + 4));
                NPU__ROWS_4(NPU__I4_STEP)
            }
            NPU__ROWS_4(NPU__I4_WIDEN)
        }
        NPU__ROWS_4(NPU__I4_DONE)
    }
    NPU__ROWS_4(NPU__I4_STORE)
}
#undef NPU__I4_START
#undef NPU__I4_STEP
#undef NPU__I4_WIDEN
#undef NPU__I4_DONE
#undef NPU__I4_STORE
#undef NPU__I4_ZERO

/* Of several rows sixteen units at a time, in two vectors: s of the first, t of the second one. */
#define NPU__I4_INIT(r) __m256 f##r = _mm256_setzero_ps(), g##r = f##r;
#define NPU__I4_START(r) \
    __m256i x##r = npu__i4_zero__avx2(rows->zero[r], p + 128 + 2 * u), y##r = npu__i4_zero__avx2(rows->zero[r], p + 144 + 2 * u);
#define NPU__I4_ZERO(r) __m256i s##r = _mm256_setzero_si256(), t##r = s##r;
#define NPU__I4_STEP(r)                                                            \
    v = _mm256_set1_epi32(npu__load_i32(a + (r) * depth));                         \
    s##r = _mm256_add_epi16(s##r, _mm256_maddubs_epi16(v, even_lo));                \
    t##r = _mm256_add_epi16(t##r, _mm256_maddubs_epi16(v, even_hi));                \
    v = _mm256_set1_epi32(npu__load_i32(a + (r) * depth + 4));                     \
    s##r = _mm256_add_epi16(s##r, _mm256_maddubs_epi16(v, odd_lo));                 \
    t##r = _mm256_add_epi16(t##r, _mm256_maddubs_epi16(v, odd_hi));
#define NPU__I4_WIDEN(r)                                     \
    x##r = _mm256_add_epi32(x##r, npu__i4_pairs__avx2(s##r)); \
    y##r = _mm256_add_epi32(y##r, npu__i4_pairs__avx2(t##r));
#define NPU__I4_DONE(r)                                               \
    f##r = _mm256_fmadd_ps(_mm256_cvtepi32_ps(x##r), scale_lo, f##r);  \
    g##r = _mm256_fmadd_ps(_mm256_cvtepi32_ps(y##r), scale_hi, g##r);
#define NPU__I4_STORE(r)                                                                               \
    scale = _mm256_set1_ps(rows->scale[r]);                                                            \
    _mm256_storeu_ps(raw, _mm256_add_ps(_mm256_mul_ps(f##r, scale), _mm256_loadu_ps(bias + u)));         \
    _mm256_storeu_ps(raw + 8, _mm256_add_ps(_mm256_mul_ps(g##r, scale), _mm256_loadu_ps(bias + u + 8))); \
    memcpy(out + (size_t)(r) * rows->out_stride + u, raw, (size_t)NPU__MIN(units - u, 16) * sizeof *out);
NPU__AVX2 NPU__FN void npu__blocks_i4_rows__avx2(const npu__blocks_i4_job *job, const npu__blocks_i4_group *rows, int32_t panel, int32_t units,
                                                 float *out) {
    const npu__i4__avx2 c = npu__i4_of__avx2();
    const int32_t       blocks = job->depth / job->block;
    const size_t        depth = (size_t)job->depth, each = npu__blocks_i4_block_bytes(job->block);
    float               bias[NPU__BLOCKS_I4_UNITS], raw[16];
    memset(bias, 0, sizeof bias);
    if (rows->bias) memcpy(bias, rows->bias, (size_t)units * sizeof *bias);
    for (int32_t u = 0; u < units; u += 16) {
        const uint8_t *a = job->a, *p = job->packed + (size_t)panel * (size_t)blocks * each;
        __m256         scale;
        NPU__ROWS_4(NPU__I4_INIT)
        for (int32_t b = 0; b < blocks; b++, p += each) {
            const __m256   scale_lo = _mm256_loadu_ps((const float *)(const void *)(p + 4 * u));
            const __m256   scale_hi = _mm256_loadu_ps((const float *)(const void *)(p + 4 * u + 32));
            const uint8_t *q = p + NPU__BLOCKS_I4_HEAD + 4 * u;
            NPU__ROWS_4(NPU__I4_START)
            for (int32_t k = 0; k < job->block;) {
                const int32_t end = NPU__MIN(k + NPU__I4_SHORT, job->block);
                NPU__ROWS_4(NPU__I4_ZERO)
                for (; k < end; k += 8, a += 8, q += 128) {
                    const __m256i w_lo = NPU__LOAD32(q), w_hi = NPU__LOAD32(q + 32);
                    const __m256i even_lo = npu__i4_lower__avx2(&c, w_lo), odd_lo = npu__i4_upper__avx2(&c, w_lo);
                    const __m256i even_hi = npu__i4_lower__avx2(&c, w_hi), odd_hi = npu__i4_upper__avx2(&c, w_hi);
                    __m256i       v;
                    NPU__ROWS_4(NPU__I4_STEP)
                }
                NPU__ROWS_4(NPU__I4_WIDEN)
            }
            NPU__ROWS_4(NPU__I4_DONE)
        }
        NPU__ROWS_4(NPU__I4_STORE)
    }
}
#undef NPU__I4_INIT
#undef NPU__I4_START
#undef NPU__I4_ZERO
#undef NPU__I4_STEP
#undef NPU__I4_WIDEN
#undef NPU__I4_DONE
#undef NPU__I4_STORE
#undef NPU__I4_SHORT
#endif
