/* Template: bytes times vector of 256 bits, rows of weights as they lie, eight at a time (no include guard).
 *
 * The includer defines NPU__V(name) (adds its suffix), NPU__G_FN (what functions need), NPU__G_DOT_S(sum, a, w): the sum and four bytes of
 * a row times four signed weights in each lane; NPU__G_DOT_U of unsigned weights, where run_bytes is given such; and NPU__G_PRODUCT(a, w):
 * one byte of each (`job` is there). They are undefined at the end. */

#define NPU__DOT_INIT(r)                          \
    __m256i        s##r = _mm256_setzero_si256(); \
    const uint8_t *w##r = w + (size_t)r * job->w_stride;
#define NPU__DOT_STEP_S(r) s##r = NPU__G_DOT_S(s##r, v, NPU__LOAD32(w##r + i));
#define NPU__DOT_STEP_U(r) s##r = NPU__G_DOT_U(s##r, v, NPU__LOAD32(w##r + i));
/* k >= 32. `tail` holds the last k % 32 bytes of a behind zeros: the last chunk overlaps the one before it. */
#define NPU__DOT(R, S)                                                                                                      \
    NPU__G_FN NPU__FN NPU__NOINLINE __m256i NPU__V(npu__i8_bytes##R##S)(const npu__gemv_i8_job *job, const uint8_t *w, __m256i tail) { \
        int32_t i = 0;                                                                                                      \
        __m256i v;                                                                                                          \
        NPU__ROWS_##R(NPU__DOT_INIT)                                                                                        \
        for (; i + 32 <= job->k; i += 32) {                                                                                 \
            v = NPU__LOAD32(job->bytes + i);                                                                                \
            NPU__ROWS_##R(NPU__DOT_STEP_##S)                                                                                \
        }                                                                                                                   \
        if (i < job->k) {                                                                                                   \
            i = job->k - 32;                                                                                                \
            v = tail;                                                                                                       \
            NPU__ROWS_##R(NPU__DOT_STEP_##S)                                                                                \
        }                                                                                                                   \
        return NPU__DOT_RESULT##R;                                                                                          \
    }
#define NPU__DOT_RESULT1 s0
#define NPU__DOT_RESULT8 npu__hsum8__avx2(s0, s1, s2, s3, s4, s5, s6, s7)
NPU__DOT(1, S)
NPU__DOT(8, S)
#ifdef NPU__G_DOT_U
NPU__DOT(1, U)
NPU__DOT(8, U)
#  define NPU__DOTS(R) (job->w_signed ? NPU__V(npu__i8_bytes##R##S)(job, w, tail) : NPU__V(npu__i8_bytes##R##U)(job, w, tail))
#else
#  define NPU__DOTS(R) NPU__V(npu__i8_bytes##R##S)(job, w, tail)
#endif
#undef NPU__DOT
#undef NPU__DOT_INIT
#undef NPU__DOT_STEP_S
#undef NPU__DOT_STEP_U
#undef NPU__DOT_RESULT1
#undef NPU__DOT_RESULT8

NPU__G_FN NPU__INLINE uint32_t NPU__V(npu__i8_bytes_any)(const npu__gemv_i8_job *job, const uint8_t *w, __m256i tail) {
    uint32_t sum = 0;
    if (job->k >= 32) return (uint32_t)npu__hsum__avx2(NPU__DOTS(1));
    for (int32_t i = 0; i < job->k; i++) sum += (uint32_t)NPU__G_PRODUCT(job->bytes[i], w[i]);
    return sum;
}

NPU__G_FN NPU__FN void NPU__V(npu__i8_gemv_bytes)(const npu__gemv_i8_job *job, int32_t n0, int32_t n1, int32_t *sums) {
    uint8_t        last[32];
    const int32_t  rest = job->k & 31;
    const uint8_t *w = job->w + (size_t)n0 * job->w_stride;
    __m256i        tail;
    memset(last, 0, sizeof last);
    if (rest) memcpy(last + 32 - rest, job->bytes + job->k - rest, (size_t)rest);
    tail = NPU__LOAD32(last);
    for (; job->k >= 32 && job->k < NPU__GEMV_LONG_ROW && n0 + 8 <= n1; n0 += 8, w += 8 * job->w_stride)
        npu__gemv_i8_sum8_of__avx2(job, n0, NPU__DOTS(8), sums);
    for (; n0 < n1; n0++, w += job->w_stride) sums[n0] = npu__gemv_i8_sum_of(job, n0, NPU__V(npu__i8_bytes_any)(job, w, tail));
}
#undef NPU__DOTS
#undef NPU__V
#undef NPU__G_FN
#undef NPU__G_DOT_S
#undef NPU__G_DOT_U
#undef NPU__G_PRODUCT
