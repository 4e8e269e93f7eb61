/* Integer matrix times vector for AVX-512 with VNNI: pairs of int16, weights widened, or four bytes as they lie; exact in int32. */
#include "avx2.h"
#include "avx512.h"
#if NPU__HAS_X86

NPU__AVX512_BEGIN

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
        _mm256_storeu_si256((__m256i *)(void *)to, npu__hsum8__avx512(s0, s1, s2, s3, s4, s5, s6, s7));
    }
    if (m % 8) memcpy(sums + m / 8 * 8, last8, (size_t)(m % 8) * sizeof *sums);
}
#undef NPU__SUM_INIT
#undef NPU__SUM_STEP
#undef NPU__SUM_LAST

#define NPU__V(name) name##__vnni
#define NPU__G_FN NPU__VNNI
#define NPU__G_DOT16(sum, a, b) npu__dot16__vnni(sum, a, b)
#define NPU__G_BYTES
#include "gemv_512_v.h"

NPU__AVX512_END
#endif
