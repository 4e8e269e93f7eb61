/* Float GEMM for AVX-512. */
#include "kernels.h"
#include "simd.h"
#if NPU__HAS_X86

/* GCC's own intrinsics start from a register they call undefined, and GCC then warns of it. */
#if defined(__GNUC__) && !defined(__clang__)
#  pragma GCC diagnostic push
#  pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#  pragma GCC diagnostic ignored "-Wuninitialized"
#endif

/* Order of the operands keeps NaN: the second one is returned then. */
NPU__VNNI NPU__INLINE __m512 npu__clamp__avx512(__m512 x, float lo, float hi) {
    return _mm512_min_ps(_mm512_set1_ps(hi), _mm512_max_ps(_mm512_set1_ps(lo), x));
}

NPU__VNNI NPU__INLINE void npu__store_cols_f32__avx512(float *out, __m512 lo, __m512 hi, int32_t cols) {
    float tmp[32], *to = cols == 32 ? out : tmp;
    _mm512_storeu_ps(to, lo);
    _mm512_storeu_ps(to + 16, hi);
    if (cols != 32) memcpy(out, tmp, (size_t)cols * sizeof *out);
}

/* ---- a tile is R rows of 32 columns ---- */

/* A panel: 32 biases, from which the sums start, then 32 weights for each of k. 8 rows of 2 vectors keep both FMA units
 * busy. */
#define NPU__TILE_INIT(r)                                                             \
    const float *a##r = (const float *)(const void *)npu__gemm_row(&job->a, row + r); \
    __m512       lo##r = _mm512_loadu_ps(panel->first), hi##r = _mm512_loadu_ps(panel->first + 16);
#define NPU__TILE_STEP(r)                  \
    v = _mm512_set1_ps(a##r[i]);           \
    lo##r = _mm512_fmadd_ps(v, b0, lo##r); \
    hi##r = _mm512_fmadd_ps(v, b1, hi##r);
#define NPU__TILE_DONE(r)                                                                                       \
    npu__store_cols_f32__avx512(out + (size_t)r * job->out_stride, npu__clamp__avx512(lo##r, job->lo, job->hi), \
                                npu__clamp__avx512(hi##r, job->lo, job->hi), cols);

#define NPU__TILE(R)                                                                                                        \
    NPU__VNNI NPU__INLINE void npu__f32_tile_##R##x32__avx512(const npu__gemm_f32_job *job, int32_t row,                    \
                                                              const npu__gemm_f32_panel *panel, int32_t cols, float *out) { \
        const size_t step = panel->step;                                                                                    \
        const float *w = panel->w;                                                                                          \
        NPU__ROWS_##R(NPU__TILE_INIT)                                                                                       \
        for (int32_t s = 0; s < job->a.segments; s++) {                                                                     \
            const size_t end = job->a.offsets[s] + (size_t)job->a.run;                                                      \
            for (size_t i = job->a.offsets[s]; i < end; i++, w += step) {                                                   \
                const __m512 b0 = _mm512_loadu_ps(w), b1 = _mm512_loadu_ps(w + 16);                                         \
                __m512       v;                                                                                             \
                NPU__ROWS_##R(NPU__TILE_STEP)                                                                               \
            }                                                                                                               \
        }                                                                                                                   \
        NPU__ROWS_##R(NPU__TILE_DONE)                                                                                       \
    }
NPU__TILE(1)
NPU__TILE(2)
NPU__TILE(4)
NPU__TILE(8)
#undef NPU__TILE
#undef NPU__TILE_INIT
#undef NPU__TILE_STEP
#undef NPU__TILE_DONE

#define NPU__TILE_CALL(R) npu__f32_tile_##R##x32__avx512(job, row, panel, cols, out)
NPU__VNNI NPU__FN void npu__f32_gemm_8x32__avx512(const npu__gemm_f32_job *job, const npu__gemm_f32_panel *panel, int32_t cols,
                                                  float *out) {
    NPU__TILES(8, NPU__TILE_CALL);
}
#undef NPU__TILE_CALL

#if defined(__GNUC__) && !defined(__clang__)
#  pragma GCC diagnostic pop
#endif
#endif
