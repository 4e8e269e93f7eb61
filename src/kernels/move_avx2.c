/* Elements of four bytes transposed for AVX2, eight by eight in registers. */
#include "avx2.h"
#include "move.h"
#if NPU__HAS_X86

/* Halves of two lines that are four columns apart. */
#define NPU__TURN8_LOAD(k) \
    const __m256 v##k = _mm256_insertf128_ps(_mm256_castps128_ps256(NPU__TURN8_AT(k)), NPU__TURN8_AT(k + 4), 1);
#define NPU__TURN8_AT(k) _mm_loadu_ps((const float *)(const void *)(src + (k) * from))
#define NPU__TURN8_STORE(r, v) _mm256_storeu_ps((float *)(void *)(dst + (r) * to), v);
#define NPU__TURN8_ZIP(a, b, lo) \
    _mm256_castpd_ps(lo ? _mm256_unpacklo_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)) \
                        : _mm256_unpackhi_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)))

/* Four rows of eight columns: each lane has four of the columns. */
NPU__AVX2 NPU__INLINE void npu__turn_4x8__avx2(uint8_t *dst, int64_t to, const uint8_t *src, int64_t from) {
    NPU__ROWS_4(NPU__TURN8_LOAD)
    const __m256 lo0 = _mm256_unpacklo_ps(v0, v1), hi0 = _mm256_unpackhi_ps(v0, v1);
    const __m256 lo1 = _mm256_unpacklo_ps(v2, v3), hi1 = _mm256_unpackhi_ps(v2, v3);
    NPU__TURN8_STORE(0, NPU__TURN8_ZIP(lo0, lo1, 1))
    NPU__TURN8_STORE(1, NPU__TURN8_ZIP(lo0, lo1, 0))
    NPU__TURN8_STORE(2, NPU__TURN8_ZIP(hi0, hi1, 1))
    NPU__TURN8_STORE(3, NPU__TURN8_ZIP(hi0, hi1, 0))
}
#undef NPU__TURN8_LOAD
#undef NPU__TURN8_AT
#undef NPU__TURN8_STORE
#undef NPU__TURN8_ZIP

/* Tiles of whole lines of the destination. Where those lie a multiple of 1024 bytes apart they share few sets of the cache, which have eight
 * lines or more each: then eight rows go on as far as they are long (12 times as fast at 4096 bytes). */
NPU__AVX2 NPU__FN void npu__transpose_4__avx2(const npu__plane *p, uint8_t *dst, const uint8_t *src, int64_t rows, int64_t cols) {
    const int64_t from = p->from[1], to = p->to[0], tile = to % 1024 == 0 ? cols : 16;
    if (rows < 8 || cols < 8) {
        npu__transpose(p, dst, src, rows, cols);
        return;
    }
    for (int64_t t = 0; t < cols; t += tile) {
        for (int64_t r0 = 0; r0 < rows; r0 += 8) {
            const int64_t r = NPU__MIN(r0, rows - 8), end = NPU__MIN(t + tile, cols);
            for (int64_t i0 = t; i0 < end; i0 += 8) { /* the last block of a side lies over the one before it */
                const int64_t  i = NPU__MIN(i0, cols - 8);
                const uint8_t *a = src + r * 4 + i * from;
                uint8_t       *o = dst + r * to + i * 4;
                npu__turn_4x8__avx2(o, to, a, from);
                npu__turn_4x8__avx2(o + 4 * to, to, a + 16, from);
            }
        }
    }
}
#endif
