/* Integer matrix times vector for AVX-512 with VNNI: pairs of int16, weights widened, or four bytes as they lie; exact in int32. */
#include "avx2.h"
#include "avx512.h"
#if NPU__HAS_X86

NPU__AVX512_BEGIN

/* ---- sums: of eight rows of weights, added across lanes together ---- */

/* s0 + s1, each pair of neighbouring lanes added: quads of one and the other. */
#define NPU__ADD32(a, b) _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b))
#define NPU__ADD64(a, b) _mm512_add_epi32(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b))
NPU__VNNI NPU__INLINE __m256i npu__hsum8__vnni(__m512i s0, __m512i s1, __m512i s2, __m512i s3, __m512i s4, __m512i s5, __m512i s6,
                                               __m512i s7) {
    const __m512i a = NPU__ADD64(NPU__ADD32(s0, s1), NPU__ADD32(s2, s3)), b = NPU__ADD64(NPU__ADD32(s4, s5), NPU__ADD32(s6, s7));
    const __m512i c = _mm512_add_epi32(_mm512_shuffle_i32x4(a, b, 0x44), _mm512_shuffle_i32x4(a, b, 0xEE)); /* a, a, b, b */
    return _mm256_add_epi32(_mm512_castsi512_si256(_mm512_shuffle_i32x4(c, c, 0x08)),
                            _mm512_castsi512_si256(_mm512_shuffle_i32x4(c, c, 0x0D)));
}
#undef NPU__ADD32
#undef NPU__ADD64
NPU__VNNI NPU__INLINE int32_t npu__hsum__vnni(__m512i s) {
    const __m256i a = _mm256_add_epi32(_mm512_castsi512_si256(s), _mm512_extracti64x4_epi64(s, 1));
    __m128i       b = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    b = _mm_add_epi32(b, _mm_shuffle_epi32(b, 0x4E));
    return _mm_cvtsi128_si32(_mm_add_epi32(b, _mm_shuffle_epi32(b, 0xB1)));
}

/* Of bytes that a matrix product takes: eight rows at a time. */
#define NPU__SUM_INIT(r)                                         \
    const uint8_t *a##r = npu__gemm_row(a, NPU__MIN(i + r, m - 1)); \
    __m512i        s##r = _mm512_setzero_si512();
#define NPU__SUM_STEP(r) s##r = npu__dot8__vnni(s##r, NPU__LOAD64(a##r + at), ones);
#define NPU__SUM_LAST(r) s##r = npu__dot8__vnni(s##r, _mm512_maskz_loadu_epi8(rest, a##r + at), ones);
NPU__VNNI NPU__FN void npu__row_sums__vnni(const npu__gemm_rows *a, int32_t m, int32_t run, int32_t *sums) {
    const __m512i   ones = _mm512_set1_epi8(1);
    const __mmask64 rest = ~UINT64_C(0) >> (63 - ((run - 1) & 63));
    int32_t         last8[8];
    for (int32_t i = 0; i < m; i += 8) {
        int32_t *to = m - i < 8 ? last8 : sums + i;
        NPU__ROWS_8(NPU__SUM_INIT)
        for (int32_t s = 0; s < a->segments; s++) {
            size_t    at = a->offsets[s];
            const size_t last = at + (size_t)((run - 1) & ~63);
            for (; at < last; at += 64) { NPU__ROWS_8(NPU__SUM_STEP) }
            NPU__ROWS_8(NPU__SUM_LAST)
        }
        _mm256_storeu_si256((__m256i *)(void *)to, npu__hsum8__vnni(s0, s1, s2, s3, s4, s5, s6, s7));
    }
    if (m % 8) memcpy(sums + m / 8 * 8, last8, (size_t)(m % 8) * sizeof *sums);
}
#undef NPU__SUM_INIT
#undef NPU__SUM_STEP
#undef NPU__SUM_LAST

#define NPU__DOT_INIT(r)                          \
    __m512i        s##r = _mm512_setzero_si512(); \
    const uint8_t *w##r = w + (size_t)r * job->w_stride;
/* S, U: weights widened, of either signedness. B, C: signed and unsigned ones as they lie, times bytes of the other signedness. */
#define NPU__DOT_A_S NPU__LOAD64(job->a + i)
#define NPU__DOT_A_U NPU__DOT_A_S
#define NPU__DOT_A_B NPU__LOAD64(job->bytes + i)
#define NPU__DOT_A_C NPU__DOT_A_B
#define NPU__DOT_A_REST_S _mm512_maskz_loadu_epi16((__mmask32)rest, job->a + i)
#define NPU__DOT_A_REST_U NPU__DOT_A_REST_S
#define NPU__DOT_A_REST_B _mm512_maskz_loadu_epi8(rest, job->bytes + i)
#define NPU__DOT_A_REST_C NPU__DOT_A_REST_B
#define NPU__DOT_STEP_S(r) s##r = npu__dot16__vnni(s##r, v, _mm512_cvtepi8_epi16(NPU__LOAD32(w##r + i)));
#define NPU__DOT_STEP_U(r) s##r = npu__dot16__vnni(s##r, v, _mm512_cvtepu8_epi16(NPU__LOAD32(w##r + i)));
#define NPU__DOT_STEP_B(r) s##r = npu__dot8__vnni(s##r, v, NPU__LOAD64(w##r + i));
#define NPU__DOT_STEP_C(r) s##r = npu__dot8__vnni(s##r, NPU__LOAD64(w##r + i), v);
#define NPU__DOT_LAST_S(r) s##r = npu__dot16__vnni(s##r, v, _mm512_cvtepi8_epi16(_mm256_maskz_loadu_epi8((__mmask32)rest, w##r + i)));
#define NPU__DOT_LAST_U(r) s##r = npu__dot16__vnni(s##r, v, _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8((__mmask32)rest, w##r + i)));
#define NPU__DOT_LAST_B(r) s##r = npu__dot8__vnni(s##r, v, _mm512_maskz_loadu_epi8(rest, w##r + i));
#define NPU__DOT_LAST_C(r) s##r = npu__dot8__vnni(s##r, _mm512_maskz_loadu_epi8(rest, w##r + i), v);
/* Rows one after the other are many: what they come from is asked for a little earlier than the processor would by itself. */
#define NPU__DOT_AHEAD_1 _mm_prefetch((const char *)w + i + 2048, _MM_HINT_T0);
#define NPU__DOT_AHEAD_8
#define NPU__DOT(R, S, STEP, TYPE, RESULT)                                                            \
    NPU__VNNI NPU__FN NPU__NOINLINE TYPE npu__i8_dot##R##S##__vnni(const npu__gemv_i8_job *job, const uint8_t *w) { \
        int32_t i = 0;                                                                                \
        __m512i v;                                                                                    \
        NPU__ROWS_##R(NPU__DOT_INIT)                                                                  \
        for (; i + STEP <= job->k; i += STEP) {                                                       \
            NPU__DOT_AHEAD_##R                                                                        \
            v = NPU__DOT_A_##S;                                                                       \
            NPU__ROWS_##R(NPU__DOT_STEP_##S)                                                          \
        }                                                                                             \
        if (i < job->k) {                                                                             \
            const __mmask64 rest = ~UINT64_C(0) >> (64 - (job->k - i));                               \
            v = NPU__DOT_A_REST_##S;                                                                  \
            NPU__ROWS_##R(NPU__DOT_LAST_##S)                                                          \
        }                                                                                             \
        return RESULT;                                                                                \
    }
#define NPU__DOTS(S, STEP)                                \
    NPU__DOT(1, S, STEP, int32_t, npu__hsum__vnni(s0))    \
    NPU__DOT(8, S, STEP, __m256i, npu__hsum8__vnni(s0, s1, s2, s3, s4, s5, s6, s7))
NPU__DOTS(S, 32)
NPU__DOTS(U, 32)
NPU__DOTS(B, 64)
NPU__DOTS(C, 64)
#undef NPU__DOTS
#undef NPU__DOT
#undef NPU__DOT_AHEAD_1
#undef NPU__DOT_AHEAD_8
#undef NPU__DOT_INIT
#undef NPU__DOT_A_S
#undef NPU__DOT_A_U
#undef NPU__DOT_A_B
#undef NPU__DOT_A_C
#undef NPU__DOT_A_REST_S
#undef NPU__DOT_A_REST_U
#undef NPU__DOT_A_REST_B
#undef NPU__DOT_A_REST_C
#undef NPU__DOT_STEP_S
#undef NPU__DOT_STEP_U
#undef NPU__DOT_STEP_B
#undef NPU__DOT_STEP_C
#undef NPU__DOT_LAST_S
#undef NPU__DOT_LAST_U
#undef NPU__DOT_LAST_B
#undef NPU__DOT_LAST_C

#define NPU__GEMV(W_SUMS, DOT8, DOT1)                                                                                        \
    const uint8_t *w = job->w + (size_t)n0 * job->w_stride;                                                                  \
    for (; job->k < NPU__GEMV_LONG_ROW && n0 + 8 <= n1; n0 += 8, w += 8 * job->w_stride) {                                   \
        __m256i acc = _mm256_add_epi32(DOT8, _mm256_set1_epi32(job->add));                                                   \
        if (W_SUMS) acc = _mm256_sub_epi32(acc, _mm256_mullo_epi32(_mm256_set1_epi32(job->a_zero), NPU__LOAD32(W_SUMS + n0))); \
        if (job->bias) acc = _mm256_add_epi32(acc, NPU__LOAD32(job->bias + n0));                                             \
        _mm256_storeu_si256((__m256i *)(void *)(sums + n0), acc);                                                            \
    }                                                                                                                        \
    for (; n0 < n1; n0++, w += job->w_stride) {                                                                              \
        uint32_t acc = (uint32_t)(DOT1) + (uint32_t)job->add;                                                                \
        if (W_SUMS) acc -= (uint32_t)job->a_zero * (uint32_t)W_SUMS[n0];                                                     \
        sums[n0] = (int32_t)(acc + (job->bias ? (uint32_t)job->bias[n0] : 0u));                                              \
    }
NPU__VNNI NPU__FN void npu__i8_gemv__vnni(const npu__gemv_i8_job *job, int32_t n0, int32_t n1, int32_t *sums) {
    const int32_t *const none = NULL;
    NPU__GEMV(none, job->w_signed ? npu__i8_dot8S__vnni(job, w) : npu__i8_dot8U__vnni(job, w),
              job->w_signed ? npu__i8_dot1S__vnni(job, w) : npu__i8_dot1U__vnni(job, w))
}
NPU__VNNI NPU__FN void npu__i8_gemv_bytes__vnni(const npu__gemv_i8_job *job, int32_t n0, int32_t n1, int32_t *sums) {
    NPU__GEMV(job->w_sums, job->w_signed ? npu__i8_dot8B__vnni(job, w) : npu__i8_dot8C__vnni(job, w),
              job->w_signed ? npu__i8_dot1B__vnni(job, w) : npu__i8_dot1C__vnni(job, w))
}
#undef NPU__GEMV

/* ---- blocks with a scale each: eight rows, blocks of a multiple of 32; each block's sixteen partial sums are scaled as they are ---- */

#define NPU__BLOCK_INIT(r)                     \
    __m512         f##r = _mm512_setzero_ps(); \
    const uint8_t *w##r = w + (size_t)r * job->w_stride;
#define NPU__BLOCK_ZERO(r) __m512i s##r = _mm512_setzero_si512();
#define NPU__BLOCK_STEP(r) s##r = npu__dot16__vnni(s##r, v, _mm512_cvtepi8_epi16(NPU__LOAD32(w##r + i)));
#define NPU__BLOCK_DONE(r) f##r = _mm512_fmadd_ps(_mm512_cvtepi32_ps(s##r), _mm512_set1_ps(scale[r]), f##r);
#define NPU__BLOCK_HALF(r) const __m256 h##r = _mm256_add_ps(_mm512_castps512_ps256(f##r), _mm512_extractf32x8_ps(f##r, 1));
NPU__VNNI NPU__FN NPU__NOINLINE __m256 npu__i8_block_rows__vnni(const npu__gemv_i8_job *job, const uint8_t *w, int32_t block,
                                                                const float *scale, int32_t n) {
    __m256 a, b;
    NPU__ROWS_8(NPU__BLOCK_INIT)
    for (int32_t i = 0; i < job->k; scale += n) {
        const int32_t end = i + block;
        NPU__ROWS_8(NPU__BLOCK_ZERO)
        for (; i < end; i += 32) {
            const __m512i v = NPU__LOAD64(job->a + i);
            NPU__ROWS_8(NPU__BLOCK_STEP)
        }
        NPU__ROWS_8(NPU__BLOCK_DONE)
    }
    {
        NPU__ROWS_8(NPU__BLOCK_HALF)
        a = _mm256_hadd_ps(_mm256_hadd_ps(h0, h1), _mm256_hadd_ps(h2, h3));
        b = _mm256_hadd_ps(_mm256_hadd_ps(h4, h5), _mm256_hadd_ps(h6, h7));
    }
    return _mm256_add_ps(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31));
}
#undef NPU__BLOCK_INIT
#undef NPU__BLOCK_ZERO
#undef NPU__BLOCK_STEP
#undef NPU__BLOCK_DONE
#undef NPU__BLOCK_HALF

NPU__VNNI NPU__FN void npu__i8_gemv_blocks__vnni(const npu__gemv_i8_job *job, int32_t block, const float *scale, int32_t n, int32_t some,
                                                 float *out) {
    npu__gemv_i8_job rest = *job;
    int32_t          u = 0;
    for (; block % 32 == 0 && u + 8 <= some; u += 8, rest.w += 8 * job->w_stride)
        _mm256_storeu_ps(out + u, npu__i8_block_rows__vnni(job, rest.w, block, scale + u, n));
    if (u < some) npu__i8_gemv_blocks__avx2(&rest, block, scale + u, n, some - u, out + u);
}

/* ---- an output stage of its own ---- */

/* By floats where they leave no doubt (near.h): floor(sum * scale + zero point + 1/2), with as much added as floats are off at most. Halves
 * are in doubt, so away from zero or not is all the same. Scales below 2^-100 or so lose bits, and then sums become 0, which they are. */

/* round(sum * scale), half away from zero: what is just below one half, added, carries over exactly from a half on. */
NPU__VNNI NPU__INLINE __m256i npu__round8__vnni(const int32_t *sums, __m512d scale) {
    const __m512d below = _mm512_set1_pd(0.49999999999999994), limit = _mm512_set1_pd(1e9);
    const __m512d v = _mm512_mul_pd(_mm512_cvtepi32_pd(NPU__LOAD32(sums)), scale);
    const __m512d sign = _mm512_and_pd(v, _mm512_set1_pd(-0.0));
    const __m512d most = _mm512_max_pd(_mm512_min_pd(v, limit), _mm512_set1_pd(-1e9));
    return _mm512_cvttpd_epi32(_mm512_add_pd(most, _mm512_or_pd(sign, below)));
}

NPU__VNNI NPU__FN void npu__finish_real__vnni(const int32_t *sums, int32_t n, const double *scale, int32_t step,
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
        x = _mm512_castsi256_si512(npu__round8__vnni(sums + i, lo));
        npu__store16__vnni(out + i, _mm512_inserti64x4(x, npu__round8__vnni(sums + i + 8, hi), 1), 0, &fin, 0xFFFF);
    }
    if (i < n) npu__finish_real__avx2(sums + i, n - i, scale, step, out_stage, out + i);
}

NPU__AVX512_END
#endif
