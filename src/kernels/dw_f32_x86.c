/* Depthwise convolution of floats for AVX2 and AVX-512. */
#include "avx2.h"
#if NPU__HAS_X86

/* GCC would load a column again for each product. */
#if defined(__GNUC__) && !defined(__clang__) && defined(NPU__ASM_VNNI)
#  define NPU__DW_KEPT(v) __asm__("" : "+v"(v));
#else
#  define NPU__DW_KEPT(v)
#endif

#define NPU__V(name) name##__avx2
#define NPU__DW_V __m256
#define NPU__DW_LANES 8
#define NPU__DW_SHARE 1
#define NPU__DW_KEEP NPU__DW_KEPT
#define NPU__DW_FN NPU__AVX2
#define NPU__DW_ONE(TILE) TILE##1__avx2
#define NPU__DW_LOAD(p) _mm256_loadu_ps(p)
#define NPU__DW_STORE(p, v) _mm256_storeu_ps(p, v)
#define NPU__DW_SET1(x) _mm256_set1_ps(x)
#define NPU__DW_MADD(a, b, c) _mm256_fmadd_ps(a, b, c)
#define NPU__DW_CLAMP(v, lo, hi) _mm256_min_ps(hi, _mm256_max_ps(lo, v)) /* in this order they keep NaN */
#define NPU__DW_W(w, r) _mm256_loadu_ps((w) + r * unit)
#include "dw_f32.h"

NPU__AVX512_BEGIN

/* Two units side by side. */
NPU__AVX512 NPU__INLINE __m512 npu__dw_units__avx512(const float *w, size_t unit) {
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(w)), _mm256_loadu_ps(w + unit), 1);
}

#define NPU__V(name) name##__avx512
#define NPU__DW_V __m512
#define NPU__DW_LANES 16
#define NPU__DW_SHARE 1
#define NPU__DW_KEEP NPU__DW_KEPT
#define NPU__DW_FN NPU__AVX512
#define NPU__DW_ONE(TILE) TILE##1__avx2
#define NPU__DW_LOAD(p) _mm512_loadu_ps(p)
#define NPU__DW_STORE(p, v) _mm512_storeu_ps(p, v)
#define NPU__DW_SET1(x) _mm512_set1_ps(x)
#define NPU__DW_MADD(a, b, c) _mm512_fmadd_ps(a, b, c)
#define NPU__DW_CLAMP(v, lo, hi) _mm512_min_ps(hi, _mm512_max_ps(lo, v))
#define NPU__DW_W(w, r) npu__dw_units__avx512((w) + 2 * r * unit, unit)
#include "dw_f32.h"

NPU__AVX512_END
#endif
