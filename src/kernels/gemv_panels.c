/* Weights in panels of 64 units, and the kernels that read them. */
#include "gemv_panels.h"
#include "avx512.h"
#include "move.h"

NPU__FN int npu__gemv_panels_bytes(int32_t n, int32_t k, int is_float, size_t *bytes) {
    return npu__mul_size(((size_t)n + 15) / 16 * 16, npu__gemv_panels_stride(k, is_float), bytes);
}

NPU__FN void npu__gemv_panels_pack(const void *w, int32_t n, int32_t k, int is_float, void *panels) {
    const int32_t  depth = (int32_t)(npu__gemv_panels_stride(k, is_float) / 4), whole = is_float ? k : k / 4; /* elements */
    const size_t   row = (size_t)k * (is_float ? sizeof(float) : 1u);
    const uint8_t *from = (const uint8_t *)w;
    uint8_t       *to = (uint8_t *)panels;
    npu__plane     plane;
    memset(&plane, 0, sizeof plane);
    plane.unit = plane.from[0] = plane.to[1] = 4;
    plane.from[1] = (int64_t)row;
    for (int32_t u = 0; u < n; u += NPU__PANELS_UNITS) {
        const int32_t units = NPU__MIN(n - u, NPU__PANELS_UNITS);
        const size_t  line = ((size_t)units + 15) / 16 * 64;
        if (depth > whole || line > (size_t)units * 4) memset(to, 0, line * (size_t)depth);
        plane.to[0] = (int64_t)line;
        if (whole) npu__plane_pick(4, 1)(&plane, to, from, whole, units);
        for (int32_t i = 0; !is_float && k % 4 && i < units; i++) {
            memcpy(to + (size_t)whole * line + (size_t)i * 4, from + (size_t)i * row + (size_t)whole * 4, (size_t)(k % 4));
        }
        to += line * (size_t)depth;
        from += row * (size_t)units;
    }
}

#if NPU__HAS_X86
NPU__AVX512_BEGIN

/* Signed weights take the row unsigned, and the other way round. */
#define NPU__P(name) name##_signed__vnni
#define NPU__P_FN NPU__VNNI
#define NPU__P_T __m512i
#define NPU__P_LANES 16
#define NPU__P_ZERO _mm512_setzero_si512()
#define NPU__P_ADD(x, y) _mm512_add_epi32(x, y)
#define NPU__P_STORE(to, x) _mm512_storeu_si512((void *)(to), x)
#define NPU__P_ALL(p) _mm512_set1_epi32(npu__load_i32(p))
#define NPU__P_DOT(sum, v, w) npu__dot8__vnni(sum, v, NPU__LOAD64(w))
#include "gemv_panels_v.h"
#define NPU__P(name) name##_unsigned__vnni
#define NPU__P_DOT(sum, v, w) npu__dot8__vnni(sum, NPU__LOAD64(w), v)
#include "gemv_panels_v.h"
#undef NPU__P_FN
#undef NPU__P_T
#undef NPU__P_ZERO
#undef NPU__P_ADD
#undef NPU__P_STORE
#undef NPU__P_ALL
#define NPU__P(name) name##_f32__avx512
#define NPU__P_FN NPU__AVX512
#define NPU__P_T __m512
#define NPU__P_ZERO _mm512_setzero_ps()
#define NPU__P_ADD(x, y) _mm512_add_ps(x, y)
#define NPU__P_STORE(to, x) _mm512_storeu_ps((void *)(to), x)
#define NPU__P_ALL(p) _mm512_castsi512_ps(_mm512_set1_epi32(npu__load_i32(p)))
#define NPU__P_DOT(sum, v, w) _mm512_fmadd_ps(v, _mm512_loadu_ps((const void *)(w)), sum)
#include "gemv_panels_v.h"
#undef NPU__P_FN
#undef NPU__P_T
#undef NPU__P_LANES
#undef NPU__P_ZERO
#undef NPU__P_ADD
#undef NPU__P_STORE
#undef NPU__P_ALL

NPU__VNNI NPU__FN void npu__gemv_panels_i8__vnni(const npu__gemv_i8_job *job, int32_t n0, int32_t n1, int32_t *sums) {
    const size_t   unit = npu__gemv_panels_stride(job->k, 0);
    const int32_t  depth = (int32_t)(unit / 4);
    const uint8_t *w = job->w + (size_t)n0 * unit;
    const __m512i  zero = _mm512_set1_epi32(job->a_zero), add = _mm512_set1_epi32(job->add);
    int32_t        raw[NPU__PANELS_UNITS];
    for (; n0 < n1; n0 += NPU__PANELS_UNITS, w += NPU__PANELS_UNITS * unit) {
        const int32_t units = NPU__MIN(n1 - n0, NPU__PANELS_UNITS), lines = (units + 15) / 16;
        if (job->w_signed) npu__panel_signed__vnni(job->bytes, depth, w, lines, raw);
        else npu__panel_unsigned__vnni(job->bytes, depth, w, lines, raw);
        for (int32_t i = 0; i < units; i += 16) {
            const __mmask16 some = (__mmask16)(0xFFFFu >> NPU__MAX(16 - (units - i), 0));
            const __m512i   less = _mm512_mullo_epi32(zero, _mm512_maskz_loadu_epi32(some, job->w_sums + n0 + i));
            __m512i         x = _mm512_add_epi32(NPU__LOAD64(raw + i), add);
            if (job->bias) x = _mm512_add_epi32(x, _mm512_maskz_loadu_epi32(some, job->bias + n0 + i));
            _mm512_mask_storeu_epi32(sums + n0 + i, some, _mm512_sub_epi32(x, less));
        }
    }
}

NPU__AVX512 NPU__FN void npu__gemv_panels_f32__avx512(const npu__gemv_f32_job *job, int32_t n0, int32_t n1, float *out) {
    const size_t   unit = npu__gemv_panels_stride(job->k, 1);
    const uint8_t *w = (const uint8_t *)(const void *)job->w + (size_t)n0 * unit;
    const __m512   lo = _mm512_set1_ps(job->lo), hi = _mm512_set1_ps(job->hi);
    int32_t        raw[NPU__PANELS_UNITS];
    for (; n0 < n1; n0 += NPU__PANELS_UNITS, w += NPU__PANELS_UNITS * unit) {
        const int32_t units = NPU__MIN(n1 - n0, NPU__PANELS_UNITS);
        npu__panel_f32__avx512(job->a, job->k, w, (units + 15) / 16, raw);
        for (int32_t i = 0; i < units; i += 16) {
            const __mmask16 some = (__mmask16)(0xFFFFu >> NPU__MAX(16 - (units - i), 0));
            __m512          x = _mm512_loadu_ps((const void *)(raw + i));
            if (job->bias) x = _mm512_add_ps(x, _mm512_maskz_loadu_ps(some, job->bias + n0 + i));
            _mm512_mask_storeu_ps(out + n0 + i, some, _mm512_min_ps(hi, _mm512_max_ps(lo, x))); /* NaN stays */
        }
    }
}

NPU__AVX512_END
#endif
