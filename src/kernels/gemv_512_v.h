/* Template: integer matrix times vector of 512 bits, stamped with VNNI and without (no include guard).
 *
 * The includer defines NPU__V(name) (adds its suffix), NPU__G_FN (what functions need), NPU__G_DOT16(sum, a, b): the sum and two int16 a
 * times two b in each lane; and NPU__G_BYTES where npu__dot8__vnni multiplies bytes as they lie. They are undefined at the end. */

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
#define NPU__DOT_STEP_S(r) s##r = NPU__G_DOT16(s##r, v, _mm512_cvtepi8_epi16(NPU__LOAD32(w##r + i)));
#define NPU__DOT_STEP_U(r) s##r = NPU__G_DOT16(s##r, v, _mm512_cvtepu8_epi16(NPU__LOAD32(w##r + i)));
#define NPU__DOT_STEP_B(r) s##r = npu__dot8__vnni(s##r, v, NPU__LOAD64(w##r + i));
#define NPU__DOT_STEP_C(r) s##r = npu__dot8__vnni(s##r, NPU__LOAD64(w##r + i), v);
#define NPU__DOT_LAST_S(r) s##r = NPU__G_DOT16(s##r, v, _mm512_cvtepi8_epi16(_mm256_maskz_loadu_epi8((__mmask32)rest, w##r + i)));
#define NPU__DOT_LAST_U(r) s##r = NPU__G_DOT16(s##r, v, _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8((__mmask32)rest, w##r + i)));
#define NPU__DOT_LAST_B(r) s##r = npu__dot8__vnni(s##r, v, _mm512_maskz_loadu_epi8(rest, w##r + i));
#define NPU__DOT_LAST_C(r) s##r = npu__dot8__vnni(s##r, _mm512_maskz_loadu_epi8(rest, w##r + i), v);
/* Rows one after the other are many: what they come from is asked for a little earlier than the processor would by itself. */
#define NPU__DOT_AHEAD_1 _mm_prefetch((const char *)w + i + 2048, _MM_HINT_T0);
#define NPU__DOT_AHEAD_8
#define NPU__DOT(R, S, STEP, TYPE, RESULT)                                                            \
    NPU__G_FN NPU__FN NPU__NOINLINE TYPE NPU__V(npu__i8_dot##R##S)(const npu__gemv_i8_job *job, const uint8_t *w) { \
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
    NPU__DOT(1, S, STEP, int32_t, npu__hsum__avx512(s0))    \
    NPU__DOT(8, S, STEP, __m256i, npu__hsum8__avx512(s0, s1, s2, s3, s4, s5, s6, s7))
NPU__DOTS(S, 32)
NPU__DOTS(U, 32)
#ifdef NPU__G_BYTES
NPU__DOTS(B, 64)
NPU__DOTS(C, 64)
#endif
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
NPU__G_FN NPU__FN void NPU__V(npu__i8_gemv)(const npu__gemv_i8_job *job, int32_t n0, int32_t n1, int32_t *sums) {
    const int32_t *const none = NULL;
    NPU__GEMV(none, job->w_signed ? NPU__V(npu__i8_dot8S)(job, w) : NPU__V(npu__i8_dot8U)(job, w),
              job->w_signed ? NPU__V(npu__i8_dot1S)(job, w) : NPU__V(npu__i8_dot1U)(job, w))
}
#ifdef NPU__G_BYTES
NPU__G_FN NPU__FN void NPU__V(npu__i8_gemv_bytes)(const npu__gemv_i8_job *job, int32_t n0, int32_t n1, int32_t *sums) {
    NPU__GEMV(job->w_sums, job->w_signed ? NPU__V(npu__i8_dot8B)(job, w) : NPU__V(npu__i8_dot8C)(job, w),
              job->w_signed ? NPU__V(npu__i8_dot1B)(job, w) : NPU__V(npu__i8_dot1C)(job, w))
}
#endif
#undef NPU__GEMV

/* ---- blocks with a scale each: eight rows, blocks of a multiple of 32; each block's sixteen partial sums are scaled as they are ---- */

#define NPU__BLOCK_INIT(r)                     \
    __m512         f##r = _mm512_setzero_ps(); \
    const uint8_t *w##r = w + (size_t)r * job->w_stride;
#define NPU__BLOCK_ZERO(r) __m512i s##r = _mm512_setzero_si512();
#define NPU__BLOCK_STEP(r) s##r = NPU__G_DOT16(s##r, v, _mm512_cvtepi8_epi16(NPU__LOAD32(w##r + i)));
#define NPU__BLOCK_DONE(r) f##r = _mm512_fmadd_ps(_mm512_cvtepi32_ps(s##r), _mm512_set1_ps(scale[r]), f##r);
#define NPU__BLOCK_HALF(r) const __m256 h##r = _mm256_add_ps(_mm512_castps512_ps256(f##r), _mm512_extractf32x8_ps(f##r, 1));
NPU__G_FN NPU__FN NPU__NOINLINE __m256 NPU__V(npu__i8_block_rows)(const npu__gemv_i8_job *job, const uint8_t *w, int32_t block,
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

NPU__G_FN NPU__FN void NPU__V(npu__i8_gemv_blocks)(const npu__gemv_i8_job *job, int32_t block, const float *scale, int32_t n, int32_t some,
                                                 float *out) {
    npu__gemv_i8_job rest = *job;
    int32_t          u = 0;
    for (; block % 32 == 0 && u + 8 <= some; u += 8, rest.w += 8 * job->w_stride)
        _mm256_storeu_ps(out + u, NPU__V(npu__i8_block_rows)(job, rest.w, block, scale + u, n));
    if (u < some) npu__i8_gemv_blocks__avx2(&rest, block, scale + u, n, some - u, out + u);
}

#undef NPU__V
#undef NPU__G_FN
#undef NPU__G_DOT16
#undef NPU__G_BYTES
