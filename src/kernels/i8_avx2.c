/* Integer kernels for AVX2: bytes widened to int16, pairs multiplied and added by vpmaddwd, exact in int32. */
#include "avx2.h"
#if NPU__HAS_X86

/* ---- staging ---- */

NPU__AVX2 NPU__INLINE void npu__widen16__avx2(const uint8_t *src, int16_t *dst, int is_signed, __m256i sub) {
    __m128i v = NPU__LOAD16(src);
    __m256i w = is_signed ? _mm256_cvtepi8_epi16(v) : _mm256_cvtepu8_epi16(v);
    _mm256_storeu_si256((__m256i *)(void *)dst, _mm256_sub_epi16(w, sub));
}
NPU__AVX2 NPU__INLINE void npu__widen8__avx2(const uint8_t *src, int16_t *dst, int is_signed, __m128i sub) {
    __m128i v = NPU__LOAD8(src);
    v = is_signed ? _mm_cvtepi8_epi16(v) : _mm_cvtepu8_epi16(v);
    _mm_storeu_si128((__m128i *)(void *)dst, _mm_sub_epi16(v, sub));
}

/* The last chunk of a row overlaps the one before it. */
NPU__AVX2 NPU__INLINE void npu__widen_row__avx2(const uint8_t *src, int16_t *dst, int32_t k, int is_signed,
                                                int32_t sub) {
    const __m256i sub16 = _mm256_set1_epi16((int16_t)sub);
    int32_t       i = 0;
    if (k >= 16) {
        for (; i + 16 <= k; i += 16) npu__widen16__avx2(src + i, dst + i, is_signed, sub16);
        if (i < k) npu__widen16__avx2(src + k - 16, dst + k - 16, is_signed, sub16);
    } else if (k >= 8) {
        npu__widen8__avx2(src, dst, is_signed, _mm256_castsi256_si128(sub16));
        if (k > 8) npu__widen8__avx2(src + k - 8, dst + k - 8, is_signed, _mm256_castsi256_si128(sub16));
    } else {
        for (; i < k; i++) dst[i] = (int16_t)((is_signed ? (int32_t)(int8_t)src[i] : (int32_t)src[i]) - sub);
    }
}

NPU__AVX2 NPU__FN int32_t npu__sum_i16__avx2(const void *staged, int32_t n) {
    const int16_t *p = (const int16_t *)staged;
    const __m256i  ones = _mm256_set1_epi16(1);
    __m256i        acc = _mm256_setzero_si256();
    int32_t        i = 0, sum;
    for (; i + 16 <= n; i += 16) acc = _mm256_add_epi32(acc, _mm256_madd_epi16(NPU__LOAD32(p + i), ones));
    sum = npu__hsum__avx2(acc);
    for (; i < n; i++) sum += p[i];
    return sum;
}

NPU__AVX2 NPU__FN void npu__stage_i16__avx2(const uint8_t *src, void *dst, int32_t n, int32_t is_signed,
                                            int32_t subtract) {
    if (is_signed) npu__widen_row__avx2(src, (int16_t *)dst, n, 1, subtract);
    else npu__widen_row__avx2(src, (int16_t *)dst, n, 0, subtract);
}

/* ---- sums of a matrix product's rows, four at a time ----
 * The last elements of a segment are masked: behind them are other pixels. Loads are masked by fours of bytes, as a kernel reads them. */

NPU__AVX2 NPU__INLINE __m128i npu__hsum4__avx2(__m256i s0, __m256i s1, __m256i s2, __m256i s3) {
    const __m256i s = _mm256_hadd_epi32(_mm256_hadd_epi32(s0, s1), _mm256_hadd_epi32(s2, s3));
    return _mm_add_epi32(_mm256_castsi256_si128(s), _mm256_extracti128_si256(s, 1));
}

#define NPU__SUM_INIT(r)                                            \
    const uint8_t *a##r = npu__gemm_row(a, NPU__MIN(i + r, m - 1)); \
    __m256i        s##r = _mm256_setzero_si256();
#define NPU__SUM_STEP(r) s##r = _mm256_add_epi32(s##r, NPU__SUM_OF(NPU__LOAD32(a##r + at), all));
#define NPU__SUM_LAST(r) \
    s##r = _mm256_add_epi32(s##r, NPU__SUM_OF(_mm256_maskload_epi32((const int *)(const void *)(a##r + at), some), part));
#define NPU__SUM_ROWS(NAME, ELEM)                                                                                    \
    NPU__AVX2 NPU__FN void NAME(const npu__gemm_rows *a, int32_t m, int32_t run, int32_t *sums) {                    \
        const int32_t rest = (run - 1) % (32 / ELEM) + 1;                                                            \
        const __m256i all = NPU__SUM_MASK(32 / ELEM), part = NPU__SUM_MASK(rest);                                    \
        const __m256i some = _mm256_cmpgt_epi32(_mm256_set1_epi32(rest * ELEM), _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28)); \
        for (int32_t i = 0; i < m; i += 4) {                                                                         \
            __m128i four;                                                                                            \
            NPU__ROWS_4(NPU__SUM_INIT)                                                                               \
            for (int32_t s = 0; s < a->segments; s++) {                                                              \
                size_t       at = a->offsets[s] * ELEM;                                                              \
                const size_t last = at + (size_t)(run - rest) * ELEM;                                                \
                for (; at < last; at += 32) { NPU__ROWS_4(NPU__SUM_STEP) }                                           \
                NPU__ROWS_4(NPU__SUM_LAST)                                                                           \
            }                                                                                                        \
            four = npu__hsum4__avx2(s0, s1, s2, s3);                                                                 \
            if (m - i >= 4) _mm_storeu_si128((__m128i *)(void *)(sums + i), four);                                   \
            else memcpy(sums + i, &four, (size_t)(m - i) * sizeof *sums);                                            \
        }                                                                                                            \
    }

#define NPU__SUM_OF(x, mask) _mm256_madd_epi16(x, mask)
#define NPU__SUM_MASK(n)                                                                                               \
    _mm256_srli_epi16(_mm256_cmpgt_epi16(_mm256_set1_epi16((int16_t)(n)),                                              \
                                         _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)), 15)
NPU__SUM_ROWS(npu__row_sums_i16__avx2, 2)
#undef NPU__SUM_OF
#undef NPU__SUM_MASK
#define NPU__SUM_OF(x, mask) _mm256_sad_epu8(_mm256_and_si256(x, mask), _mm256_setzero_si256())
#define NPU__SUM_MASK(n)                                                                                               \
    _mm256_cmpgt_epi8(_mm256_set1_epi8((char)(n)),                                                                     \
                      _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, \
                                       25, 26, 27, 28, 29, 30, 31))
NPU__SUM_ROWS(npu__row_sums_u8__avx2, 1)
#undef NPU__SUM_OF
#undef NPU__SUM_MASK
#undef NPU__SUM_ROWS
#undef NPU__SUM_INIT
#undef NPU__SUM_STEP
#undef NPU__SUM_LAST

/* ---- GEMM: a tile is R rows of 16 columns, or of 8 (in order) for a last panel of no more ---- */

/* A panel's header: 16 columns each of bias (at 0), multiplier (64), left shift (128), right shift (192); weights behind it
 * at 256 bytes, two of k for every column at a time. They are widened as they come: as int16 they would be twice the memory to read. */
#define NPU__V(name) name##__avx2
#define NPU__T_FN NPU__AVX2
#define NPU__T_K 2
#define NPU__T_MOST 6
#define NPU__T_DOT(sum, a, w) _mm256_add_epi32(sum, _mm256_madd_epi16(a, w))
#define NPU__T_W(w, n) _mm256_cvtepi8_epi16(NPU__LOAD16(w + 16 * (n)))
#include "i8_tile_256.h"

NPU__AVX2 NPU__FN void npu__i8_gemm_6x16__avx2(const npu__gemm_i8_job *job, const uint8_t *panel, int32_t cols, uint8_t *out) {
    const npu__fin__avx2   fin = npu__fin_of__avx2(&job->out);
    const int              folded = npu__is_folded__avx2(panel);
    npu__near__avx2        memory;
    const npu__near__avx2 *near = npu__near_panel__avx2(&memory, job, panel);
    if (cols > 8) npu__i8_panel_2__avx2(job, &fin, folded, near, panel, cols, out);
    else npu__i8_panel_1__avx2(job, &fin, folded, near, panel, cols, out);
}

/* ---- GEMV: eight weight rows at a time, summed across lanes at the end ---- */

#define NPU__DOT_INIT(r)                          \
    __m256i        s##r = _mm256_setzero_si256(); \
    const uint8_t *w##r = w + (size_t)r * job->w_stride;
#define NPU__DOT_STEP_S(r) \
    s##r = _mm256_add_epi32(s##r, _mm256_madd_epi16(v, _mm256_cvtepi8_epi16(NPU__LOAD16(w##r + i))));
#define NPU__DOT_STEP_U(r) \
    s##r = _mm256_add_epi32(s##r, _mm256_madd_epi16(v, _mm256_cvtepu8_epi16(NPU__LOAD16(w##r + i))));

/* k >= 16. `tail` holds the last k % 16 values of a behind zeros: the last chunk overlaps the one before it.
 * Not inlined: the caller's constants would take the registers that the sums need. */
#define NPU__DOT(R, S, RESULT)                                                                          \
    NPU__AVX2 NPU__FN NPU__NOINLINE __m256i npu__i8_dot##R##S##__avx2(const npu__gemv_i8_job *job,      \
                                                                      const uint8_t *w, __m256i tail) { \
        int32_t i = 0;                                                                                  \
        __m256i v;                                                                                      \
        NPU__ROWS_##R(NPU__DOT_INIT)                                                                    \
        for (; i + 16 <= job->k; i += 16) {                                                             \
            v = NPU__LOAD32(job->a + i);                                                                \
            NPU__ROWS_##R(NPU__DOT_STEP_##S)                                                            \
        }                                                                                               \
        if (i < job->k) {                                                                               \
            i = job->k - 16;                                                                            \
            v = tail;                                                                                   \
            NPU__ROWS_##R(NPU__DOT_STEP_##S)                                                            \
        }                                                                                               \
        return RESULT;                                                                                  \
    }
NPU__DOT(1, S, s0)
NPU__DOT(1, U, s0)
NPU__DOT(8, S, npu__hsum8__avx2(s0, s1, s2, s3, s4, s5, s6, s7))
NPU__DOT(8, U, npu__hsum8__avx2(s0, s1, s2, s3, s4, s5, s6, s7))
#undef NPU__DOT
#undef NPU__DOT_INIT
#undef NPU__DOT_STEP_S
#undef NPU__DOT_STEP_U

NPU__AVX2 NPU__INLINE uint32_t npu__i8_dot_any__avx2(const npu__gemv_i8_job *job, const uint8_t *w, __m256i tail) {
    if (job->k >= 16)
        return (uint32_t)npu__hsum__avx2(job->w_signed ? npu__i8_dot1S__avx2(job, w, tail)
                                                       : npu__i8_dot1U__avx2(job, w, tail));
    return npu__gemv_i8_short(job, w);
}

NPU__AVX2 NPU__FN void npu__i8_gemv__avx2(const npu__gemv_i8_job *job, int32_t n0, int32_t n1, int32_t *sums) {
    int16_t        tail16[16];
    const int32_t  rest = job->k & 15;
    const uint8_t *w = job->w + (size_t)n0 * job->w_stride;
    __m256i        tail;
    memset(tail16, 0, sizeof tail16);
    if (rest) memcpy(tail16 + 16 - rest, job->a + job->k - rest, (size_t)rest * sizeof *tail16);
    tail = NPU__LOAD32(tail16);
    /* Eight rows at a time; the rest one by one, with the same bits: integer sums do not depend on their order. */
    for (; job->k >= 16 && job->k < NPU__GEMV_LONG_ROW && n0 + 8 <= n1; n0 += 8, w += 8 * job->w_stride) {
        __m256i acc = job->w_signed ? npu__i8_dot8S__avx2(job, w, tail) : npu__i8_dot8U__avx2(job, w, tail);
        acc = _mm256_add_epi32(acc, _mm256_set1_epi32(job->add));
        if (job->bias) acc = _mm256_add_epi32(acc, NPU__LOAD32(job->bias + n0));
        _mm256_storeu_si256((__m256i *)(void *)(sums + n0), acc);
    }
    for (; n0 < n1; n0++, w += job->w_stride) {
        uint32_t acc = npu__i8_dot_any__avx2(job, w, tail) + (uint32_t)job->add;
        sums[n0] = (int32_t)(acc + (job->bias ? (uint32_t)job->bias[n0] : 0u));
    }
}

/* Four rows, blocks of a multiple of 16: each block's eight partial sums are scaled as they are. */
#define NPU__BLOCK_INIT(r)                     \
    __m256         f##r = _mm256_setzero_ps(); \
    const uint8_t *w##r = w + (size_t)r * job->w_stride;
#define NPU__BLOCK_ZERO(r) __m256i s##r = _mm256_setzero_si256();
#define NPU__BLOCK_STEP(r) \
    s##r = _mm256_add_epi32(s##r, _mm256_madd_epi16(v, _mm256_cvtepi8_epi16(NPU__LOAD16(w##r + i))));
#define NPU__BLOCK_DONE(r) f##r = _mm256_fmadd_ps(_mm256_cvtepi32_ps(s##r), _mm256_broadcast_ss(scale + r), f##r);

NPU__AVX2 NPU__FN NPU__NOINLINE __m128 npu__i8_block_rows__avx2(const npu__gemv_i8_job *job, const uint8_t *w,
                                                                int32_t block, const float *scale, int32_t n) {
    NPU__ROWS_4(NPU__BLOCK_INIT)
    for (int32_t i = 0; i < job->k; scale += n) {
        const int32_t end = i + block;
        NPU__ROWS_4(NPU__BLOCK_ZERO)
        for (; i < end; i += 16) {
            const __m256i v = NPU__LOAD32(job->a + i);
            NPU__ROWS_4(NPU__BLOCK_STEP)
        }
        NPU__ROWS_4(NPU__BLOCK_DONE)
    }
    f0 = _mm256_hadd_ps(_mm256_hadd_ps(f0, f1), _mm256_hadd_ps(f2, f3));
    return _mm_add_ps(_mm256_castps256_ps128(f0), _mm256_extractf128_ps(f0, 1));
}
#undef NPU__BLOCK_INIT
#undef NPU__BLOCK_ZERO
#undef NPU__BLOCK_STEP
#undef NPU__BLOCK_DONE

NPU__AVX2 NPU__FN void npu__i8_gemv_blocks__avx2(const npu__gemv_i8_job *job, int32_t block, const float *scale, int32_t n,
                                                 int32_t some, float *out) {
    const uint8_t *w = job->w;
    int32_t        u = 0;
    for (; block % 16 == 0 && u + 4 <= some; u += 4, w += 4 * job->w_stride)
        _mm_storeu_ps(out + u, npu__i8_block_rows__avx2(job, w, block, scale + u, n));
    for (; u < some; u++, w += job->w_stride) {
        float sum = 0.0f;
        for (int32_t b = 0; b < job->k; b += block) {
            int32_t dot = 0;
            for (int32_t i = b; i < b + block; i++) dot += job->a[i] * (int8_t)w[i];
            sum += (float)dot * scale[(size_t)(b / block) * (size_t)n + (size_t)u];
        }
        out[u] = sum;
    }
}

/* ---- the same of bytes as they lie: a * w = |a| * (w with a's sign), a product of unsigned and signed bytes. Two of these are at most
 * 2 * 128 * 127, which 16 bits hold, where no weight is -128; that one has no opposite either. ---- */

#define NPU__V(name) name##__avx2
#define NPU__G_FN NPU__AVX2
#define NPU__G_DOT_S(sum, a, w) npu__dot8_narrow__avx2(sum, a, w)
#define NPU__G_PRODUCT(a, w) ((int8_t)(a) * (int8_t)(w))
#include "gemv_256_v.h"

/* ---- output stages of their own ---- */

NPU__AVX2 NPU__FN void npu__finish_fixed__avx2(const int32_t *sums, int32_t n, const npu__qmul *q, int32_t step,
                                               const npu__i8_out *out_stage, uint8_t *out) {
    const npu__fin__avx2 fin = npu__fin_of__avx2(out_stage);
    const __m256i        zero = _mm256_setzero_si256();
    __m256i              mult = _mm256_set1_epi32(q->multiplier), shift = _mm256_set1_epi32(q->shift);
    int32_t              i = 0;
    for (; i + 8 <= n; i += 8, q += 8 * step) {
        __m256i r;
        if (step) { /* pairs of multiplier and shift, taken apart */
            __m256 p0 = _mm256_castsi256_ps(NPU__LOAD32(q)), p1 = _mm256_castsi256_ps(NPU__LOAD32(q + 4));
            mult = _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(p0, p1, 0x88)), 0xD8);
            shift = _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(p0, p1, 0xDD)), 0xD8);
        }
        r = npu__requant_any__avx2(NPU__LOAD32(sums + i), mult, _mm256_max_epi32(shift, zero),
                                   _mm256_sub_epi32(zero, _mm256_min_epi32(shift, zero)));
        _mm_storel_epi64((__m128i *)(void *)(out + i), npu__finish8__avx2(r, 0, &fin));
    }
    if (i < n) npu__finish_fixed(sums + i, n - i, q, step, out_stage, out + i);
}

/* round(sum * scale) of four: the distance to the whole part is exact, so halves are recognized. */
NPU__AVX2 NPU__INLINE __m128i npu__round4__avx2(const int32_t *sums, __m256d scale) {
    const __m256d sign = _mm256_set1_pd(-0.0), limit = _mm256_set1_pd(1e9);
    __m256d       v = _mm256_mul_pd(_mm256_cvtepi32_pd(NPU__LOAD16(sums)), scale), whole, away, far;
    v = _mm256_max_pd(_mm256_min_pd(v, limit), _mm256_xor_pd(limit, sign));
    whole = _mm256_round_pd(v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    far = _mm256_cmp_pd(_mm256_andnot_pd(sign, _mm256_sub_pd(v, whole)), _mm256_set1_pd(0.5), _CMP_GE_OQ);
    away = _mm256_and_pd(far, _mm256_or_pd(_mm256_and_pd(v, sign), _mm256_set1_pd(1.0)));
    return _mm256_cvtpd_epi32(_mm256_add_pd(whole, away));
}

NPU__AVX2 NPU__FN void npu__finish_exact__avx2(const int32_t *sums, int32_t n, const double *scale, int32_t step,
                                               const npu__i8_out *out_stage, uint8_t *out) {
    const npu__fin__avx2 fin = npu__fin_of__avx2(out_stage);
    __m256d              lo = _mm256_set1_pd(*scale), hi = lo;
    int32_t              i = 0;
    for (; i + 8 <= n; i += 8, scale += 8 * step) {
        __m128i a, b;
        if (step) {
            lo = _mm256_loadu_pd(scale);
            hi = _mm256_loadu_pd(scale + 4);
        }
        a = npu__round4__avx2(sums + i, lo);
        b = npu__round4__avx2(sums + i + 4, hi);
        _mm_storel_epi64((__m128i *)(void *)(out + i),
                         npu__finish8__avx2(_mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1), 0, &fin));
    }
    if (i < n) npu__finish_real(sums + i, n - i, scale, step, out_stage, out + i);
}

/* Eight scales as near.h's floats have them. */
NPU__AVX2 NPU__INLINE __m256 npu__near_scale__avx2(const double *scale) {
    const __m256d fraction = _mm256_set1_pd(65536.0);
    const __m128  lo = _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_loadu_pd(scale), fraction));
    return _mm256_insertf128_ps(_mm256_castps128_ps256(lo), _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_loadu_pd(scale + 4), fraction)), 1);
}

/* Floats where they leave no doubt. Halves are in doubt, so away from zero or not is all the same. */
NPU__AVX2 NPU__FN void npu__finish_real__avx2(const int32_t *sums, int32_t n, const double *scale, int32_t step,
                                              const npu__i8_out *out_stage, uint8_t *out) {
    const npu__fin__avx2 fin = npu__fin_of__avx2(out_stage);
    const __m256         add = _mm256_set1_ps(npu__near_plus(out_stage->zero_point));
    __m256               near0 = _mm256_set1_ps((float)(*scale * 65536.0)), near1 = near0;
    int32_t              i = 0;
    for (; i + 16 <= n; i += 16, scale += 16 * step) {
        __m256i x, y, doubt = _mm256_set1_epi32(-1);
        if (step) {
            near0 = npu__near_scale__avx2(scale);
            near1 = npu__near_scale__avx2(scale + 8);
        }
        x = npu__near_by__avx2(NPU__LOAD32(sums + i), near0, add, &doubt);
        y = npu__near_by__avx2(NPU__LOAD32(sums + i + 8), near1, add, &doubt);
        if (npu__near_doubt__avx2(doubt)) {
            npu__finish_exact__avx2(sums + i, 16, scale, step, out_stage, out + i);
            continue;
        }
        x = _mm256_permute4x64_epi64(_mm256_packs_epi32(x, y), 0xD8);
        _mm_storeu_si128((__m128i *)(void *)(out + i), npu__bytes16__avx2(x, &fin));
    }
    if (i < n) npu__finish_exact__avx2(sums + i, n - i, scale, step, out_stage, out + i);
}
#endif
