/* Weights in panels (gemv_panels.h) on 256 bits. */
#include "avx2.h"
#include "gemv_panels.h"
#if NPU__HAS_X86

#define NPU__P_FN NPU__AVX2
#define NPU__P_T __m256
#define NPU__P_LANES 8
#define NPU__P_ZERO _mm256_setzero_ps()
#define NPU__P_ADD(x, y) _mm256_add_ps(x, y)
#define NPU__P_STORE(to, x) _mm256_storeu_ps((float *)(void *)(to), x)
#define NPU__P_ALL(p) _mm256_castsi256_ps(_mm256_set1_epi32(npu__load_i32(p)))
#define NPU__P(name) name##_f32__avx2
#define NPU__P_DOT(sum, v, w) _mm256_fmadd_ps(v, _mm256_loadu_ps((const float *)(const void *)(w)), sum)
#include "gemv_panels_v.h"
#undef NPU__P_T
#undef NPU__P_ZERO
#undef NPU__P_ADD
#undef NPU__P_STORE
#undef NPU__P_ALL
#define NPU__P_T __m256i
#define NPU__P_ZERO _mm256_setzero_si256()
#define NPU__P_ADD(x, y) _mm256_add_epi32(x, y)
#define NPU__P_STORE(to, x) _mm256_storeu_si256((__m256i *)(void *)(to), x)
#define NPU__P_ALL(p) _mm256_set1_epi32(npu__load_i32(p))
#define NPU__P(name) name##_narrow__avx2
#define NPU__P_DOT(sum, v, w) npu__dot8_narrow__avx2(sum, v, NPU__LOAD32(w))
#include "gemv_panels_v.h"
#undef NPU__P_FN
#if NPU__HAS_AVXVNNI
#  define NPU__P_FN NPU__AVXVNNI
#  define NPU__P(name) name##_signed__avxvnni
#  define NPU__P_DOT(sum, v, w) _mm256_dpbusd_avx_epi32(sum, v, NPU__LOAD32(w))
#  include "gemv_panels_v.h"
#  define NPU__P(name) name##_unsigned__avxvnni
#  define NPU__P_DOT(sum, v, w) _mm256_dpbusd_avx_epi32(sum, NPU__LOAD32(w), v)
#  include "gemv_panels_v.h"
#  undef NPU__P_FN
#endif
#undef NPU__P_T
#undef NPU__P_LANES
#undef NPU__P_ZERO
#undef NPU__P_ADD
#undef NPU__P_STORE
#undef NPU__P_ALL

/* What a panel's products come to: of `units` units, u the first of them. */
NPU__AVX2 NPU__INLINE void npu__panel_sums__avx2(const npu__gemv_i8_job *job, const int32_t *raw, int32_t u, int32_t units, int32_t *sums) {
    int32_t i = 0;
    for (; i + 8 <= units; i += 8) npu__gemv_i8_sum8_of__avx2(job, u + i, NPU__LOAD32(raw + i), sums);
    for (; i < units; i++) sums[u + i] = npu__gemv_i8_sum_of(job, u + i, (uint32_t)raw[i]);
}

#define NPU__PANELS(FN, NAME, PANEL)                                                                          \
    FN NPU__FN void NAME(const npu__gemv_i8_job *job, int32_t n0, int32_t n1, int32_t *sums) {                \
        const size_t   unit = npu__gemv_panels_stride(job->k, 0);                                             \
        const int32_t  depth = (int32_t)(unit / 4);                                                           \
        const uint8_t *w = job->w + (size_t)n0 * unit;                                                        \
        int32_t        raw[NPU__PANELS_UNITS];                                                                \
        for (; n0 < n1; n0 += NPU__PANELS_UNITS, w += NPU__PANELS_UNITS * unit) {                             \
            const int32_t units = NPU__MIN(n1 - n0, NPU__PANELS_UNITS), lines = (units + 15) / 16;            \
            PANEL;                                                                                            \
            npu__panel_sums__avx2(job, raw, n0, units, sums);                                                 \
        }                                                                                                     \
    }
NPU__PANELS(NPU__AVX2, npu__gemv_panels_i8__avx2, npu__panel_narrow__avx2(job->bytes, depth, w, lines, raw))
#if NPU__HAS_AVXVNNI
NPU__PANELS(NPU__AVXVNNI, npu__gemv_panels_i8__avxvnni,
            if (job->w_signed) npu__panel_signed__avxvnni(job->bytes, depth, w, lines, raw);
            else npu__panel_unsigned__avxvnni(job->bytes, depth, w, lines, raw))
#endif
#undef NPU__PANELS

NPU__AVX2 NPU__FN void npu__gemv_panels_f32__avx2(const npu__gemv_f32_job *job, int32_t n0, int32_t n1, float *out) {
    const size_t   unit = npu__gemv_panels_stride(job->k, 1);
    const uint8_t *w = (const uint8_t *)(const void *)job->w + (size_t)n0 * unit;
    int32_t        raw[NPU__PANELS_UNITS];
    for (; n0 < n1; n0 += NPU__PANELS_UNITS, w += NPU__PANELS_UNITS * unit) {
        const int32_t units = NPU__MIN(n1 - n0, NPU__PANELS_UNITS);
        npu__panel_f32__avx2(job->a, job->k, w, (units + 15) / 16, raw);
        for (int32_t i = 0; i < units; i += 8) {
            const int32_t some = NPU__MIN(units - i, 8);
            float         bias[8];
            __m256        x = _mm256_loadu_ps((const float *)(const void *)(raw + i));
            if (job->bias && some == 8) {
                x = _mm256_add_ps(x, _mm256_loadu_ps(job->bias + n0 + i));
            } else if (job->bias) {
                memset(bias, 0, sizeof bias);
                memcpy(bias, job->bias + n0 + i, (size_t)some * sizeof *bias);
                x = _mm256_add_ps(x, _mm256_loadu_ps(bias));
            }
            npu__store8_f32__avx2(out + n0 + i, npu__clamp__avx2(x, job->lo, job->hi), some);
        }
    }
}
#endif
