/* Integer GEMM and matrix times vector for AVX-VNNI: the dot product of four bytes without AVX-512, on 256 bits and 16 registers. */
#include "avx2.h"
#if NPU__HAS_AVXVNNI

/* ---- GEMM ---- */

#define NPU__V(name) name##__avxvnni
#define NPU__T_FN NPU__AVXVNNI
#define NPU__T_K 4
#define NPU__T_MOST 6
#define NPU__T_DOT(sum, a, w) _mm256_dpbusd_avx_epi32(sum, a, w)
#define NPU__T_W(w, n) NPU__LOAD32(w + 32 * (n))
#include "i8_tile_256.h"

NPU__AVXVNNI NPU__FN void npu__i8_gemm_6x16__avxvnni(const npu__gemm_i8_job *job, const uint8_t *panel, int32_t cols, uint8_t *out) {
    const npu__fin__avx2   fin = npu__fin_of__avx2(&job->out);
    const int              folded = npu__is_folded__avx2(panel);
    npu__near__avx2        memory;
    const npu__near__avx2 *near = npu__near_panel__avx2(&memory, job, panel);
    if (cols > 8) npu__i8_panel_2__avxvnni(job, &fin, folded, near, panel, cols, out);
    else npu__i8_panel_1__avxvnni(job, &fin, folded, near, panel, cols, out);
}

/* ---- GEMV: bytes as they lie, eight rows of weights at a time ---- */

NPU__AVXVNNI NPU__INLINE __m256i npu__hsum8__avxvnni(__m256i s0, __m256i s1, __m256i s2, __m256i s3, __m256i s4, __m256i s5, __m256i s6,
                                                     __m256i s7) {
    const __m256i a = _mm256_hadd_epi32(_mm256_hadd_epi32(s0, s1), _mm256_hadd_epi32(s2, s3));
    const __m256i b = _mm256_hadd_epi32(_mm256_hadd_epi32(s4, s5), _mm256_hadd_epi32(s6, s7));
    return _mm256_add_epi32(_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31));
}

/* S, U: signed and unsigned weights, times bytes of the other signedness. */
#define NPU__DOT_S(s, v, w) _mm256_dpbusd_avx_epi32(s, v, w)
#define NPU__DOT_U(s, v, w) _mm256_dpbusd_avx_epi32(s, w, v)
#define NPU__DOT_INIT(r)                          \
    __m256i        s##r = _mm256_setzero_si256(); \
    const uint8_t *w##r = w + (size_t)r * job->w_stride;
#define NPU__DOT_STEP_S(r) s##r = NPU__DOT_S(s##r, v, NPU__LOAD32(w##r + i));
#define NPU__DOT_STEP_U(r) s##r = NPU__DOT_U(s##r, v, NPU__LOAD32(w##r + i));
/* k >= 32. `tail` holds the last k % 32 bytes of a behind zeros: the last chunk overlaps the one before it. */
#define NPU__DOT(R, S)                                                                                           \
    NPU__AVXVNNI NPU__FN NPU__NOINLINE __m256i npu__i8_dot##R##S##__avxvnni(const npu__gemv_i8_job *job,         \
                                                                            const uint8_t *w, __m256i tail) {    \
        int32_t i = 0;                                                                                           \
        __m256i v;                                                                                               \
        NPU__ROWS_##R(NPU__DOT_INIT)                                                                             \
        for (; i + 32 <= job->k; i += 32) {                                                                      \
            v = NPU__LOAD32(job->bytes + i);                                                                     \
            NPU__ROWS_##R(NPU__DOT_STEP_##S)                                                                     \
        }                                                                                                        \
        if (i < job->k) {                                                                                        \
            i = job->k - 32;                                                                                     \
            v = tail;                                                                                            \
            NPU__ROWS_##R(NPU__DOT_STEP_##S)                                                                     \
        }                                                                                                        \
        return NPU__DOT_RESULT##R;                                                                               \
    }
#define NPU__DOT_RESULT1 npu__hsum8__avxvnni(s0, s0, s0, s0, s0, s0, s0, s0)
#define NPU__DOT_RESULT8 npu__hsum8__avxvnni(s0, s1, s2, s3, s4, s5, s6, s7)
NPU__DOT(1, S)
NPU__DOT(1, U)
NPU__DOT(8, S)
NPU__DOT(8, U)
#undef NPU__DOT
#undef NPU__DOT_S
#undef NPU__DOT_U
#undef NPU__DOT_INIT
#undef NPU__DOT_STEP_S
#undef NPU__DOT_STEP_U
#undef NPU__DOT_RESULT1
#undef NPU__DOT_RESULT8

NPU__AVXVNNI NPU__FN uint32_t npu__i8_dot_any__avxvnni(const npu__gemv_i8_job *job, const uint8_t *w, __m256i tail) {
    uint32_t sum = 0;
    if (job->k >= 32) {
        return (uint32_t)_mm_cvtsi128_si32(_mm256_castsi256_si128(job->w_signed ? npu__i8_dot1S__avxvnni(job, w, tail)
                                                                                : npu__i8_dot1U__avxvnni(job, w, tail)));
    }
    for (int32_t i = 0; i < job->k; i++) /* of the other signedness */
        sum += (uint32_t)(job->w_signed ? job->bytes[i] * (int32_t)(int8_t)w[i] : (int32_t)(int8_t)job->bytes[i] * w[i]);
    return sum;
}

NPU__AVXVNNI NPU__FN void npu__i8_gemv_bytes__avxvnni(const npu__gemv_i8_job *job, int32_t n0, int32_t n1, int32_t *sums) {
    uint8_t        last[32];
    const int32_t  rest = job->k & 31;
    const uint8_t *w = job->w + (size_t)n0 * job->w_stride;
    __m256i        tail;
    memset(last, 0, sizeof last);
    if (rest) memcpy(last + 32 - rest, job->bytes + job->k - rest, (size_t)rest);
    tail = NPU__LOAD32(last);
    for (; job->k >= 32 && job->k < NPU__GEMV_LONG_ROW && n0 + 8 <= n1; n0 += 8, w += 8 * job->w_stride) {
        __m256i acc = job->w_signed ? npu__i8_dot8S__avxvnni(job, w, tail) : npu__i8_dot8U__avxvnni(job, w, tail);
        acc = _mm256_add_epi32(acc, _mm256_set1_epi32(job->add));
        if (job->w_sums)
            acc = _mm256_sub_epi32(acc, _mm256_mullo_epi32(_mm256_set1_epi32(job->a_zero), NPU__LOAD32(job->w_sums + n0)));
        if (job->bias) acc = _mm256_add_epi32(acc, NPU__LOAD32(job->bias + n0));
        _mm256_storeu_si256((__m256i *)(void *)(sums + n0), acc);
    }
    for (; n0 < n1; n0++, w += job->w_stride) {
        uint32_t acc = npu__i8_dot_any__avxvnni(job, w, tail) + (uint32_t)job->add;
        if (job->w_sums) acc -= (uint32_t)job->a_zero * (uint32_t)job->w_sums[n0];
        sums[n0] = (int32_t)(acc + (job->bias ? (uint32_t)job->bias[n0] : 0u));
    }
}
#endif
