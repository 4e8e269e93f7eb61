/* Float GEMM for AVX-512. */
#include "avx2.h"
#include "kernels.h"
#if NPU__HAS_X86

NPU__AVX512_BEGIN

/* Order of the operands keeps NaN: the second one is returned then. */
NPU__AVX512 NPU__INLINE __m512 npu__clamp__avx512(__m512 x, float lo, float hi) {
    return _mm512_min_ps(_mm512_set1_ps(hi), _mm512_max_ps(_mm512_set1_ps(lo), x));
}

/* The first `cols` of up to 16. */
NPU__AVX512 NPU__INLINE void npu__store16_f32__avx512(float *out, __m512 v, int32_t cols) {
    float tmp[16];
    if (cols == 16) {
        _mm512_storeu_ps(out, v);
    } else {
        _mm512_storeu_ps(tmp, v);
        memcpy(out, tmp, (size_t)cols * sizeof *out);
    }
}

/* ---- a tile is R rows of 32 columns, or of 16 or 8 for a last panel of no more ---- */

/* A panel: 32 biases, from which the sums start, then 32 weights for each of k. 8 rows of 2 vectors keep both FMA units
 * busy; of one vector they just do. */
#define NPU__TILE_ROW(r) const float *a##r = (const float *)(const void *)npu__gemm_row(&job->a, row + r);
#define NPU__TILE_INIT32(r) \
    NPU__TILE_ROW(r)        \
    __m512 lo##r = _mm512_loadu_ps(panel->first), hi##r = _mm512_loadu_ps(panel->first + 16);
#define NPU__TILE_B32                                                             \
    const __m512 b0 = _mm512_loadu_ps(w), b1 = _mm512_loadu_ps(w + 16); __m512 v;
#define NPU__TILE_STEP32(r)                \
    v = _mm512_set1_ps(a##r[i]);           \
    lo##r = _mm512_fmadd_ps(v, b0, lo##r); \
    hi##r = _mm512_fmadd_ps(v, b1, hi##r);
#define NPU__TILE_DONE32(r)                                                                              \
    _mm512_storeu_ps(out + (size_t)r * job->out_stride, npu__clamp__avx512(lo##r, job->lo, job->hi)); \
    npu__store16_f32__avx512(out + (size_t)r * job->out_stride + 16, npu__clamp__avx512(hi##r, job->lo, job->hi), cols - 16);
#define NPU__TILE_INIT16(r) NPU__TILE_ROW(r) __m512 lo##r = _mm512_loadu_ps(panel->first);
#define NPU__TILE_B16 const __m512 b0 = _mm512_loadu_ps(w);
#define NPU__TILE_STEP16(r) lo##r = _mm512_fmadd_ps(_mm512_set1_ps(a##r[i]), b0, lo##r);
#define NPU__TILE_DONE16(r) \
    npu__store16_f32__avx512(out + (size_t)r * job->out_stride, npu__clamp__avx512(lo##r, job->lo, job->hi), cols);
#define NPU__TILE_INIT8(r) NPU__TILE_ROW(r) __m256 lo##r = _mm256_loadu_ps(panel->first);
#define NPU__TILE_B8 const __m256 b0 = _mm256_loadu_ps(w);
#define NPU__TILE_STEP8(r) lo##r = _mm256_fmadd_ps(_mm256_set1_ps(a##r[i]), b0, lo##r);
#define NPU__TILE_DONE8(r) \
    npu__store8_f32__avx2(out + (size_t)r * job->out_stride, npu__clamp__avx2(lo##r, job->lo, job->hi), cols);

/* Weights that come from memory would be waited for by the first tile of each panel, while the others find them in the cache. So each
 * tile of eight rows asks for a part of the next panel: `at` goes on by `step` bytes with each of k. */
typedef struct npu__ahead__avx512 {
    const char *at;
    size_t      step;
} npu__ahead__avx512;
NPU__INLINE npu__ahead__avx512 npu__ahead_of__avx512(const npu__gemm_f32_job *job, const npu__gemm_f32_panel *panel) {
    const size_t       tiles = (size_t)job->m / 8u;
    npu__ahead__avx512 ahead;
    ahead.at = (const char *)(panel->next && tiles > 1 ? panel->next : panel->w);
    ahead.step = panel->next && tiles > 1 ? panel->step * sizeof(float) / tiles : 0;
    return ahead;
}
#define NPU__TILE_AHEAD_1
#define NPU__TILE_AHEAD_2
#define NPU__TILE_AHEAD_4
#define NPU__TILE_AHEAD_8                \
    _mm_prefetch(ahead->at, _MM_HINT_T1); \
    ahead->at += ahead->step;

#define NPU__TILE(R, N)                                                                                                        \
    NPU__AVX512 NPU__INLINE void npu__f32_tile_##R##x##N##__avx512(const npu__gemm_f32_job *job, int32_t row,                    \
                                                                 const npu__gemm_f32_panel *panel, int32_t cols, npu__ahead__avx512 *ahead, float *out) { \
        const size_t step = panel->step;                                                                                       \
        const float *w = panel->w;                                                                                             \
        (void)ahead;                                                                                                           \
        NPU__ROWS_##R(NPU__TILE_INIT##N)                                                                                       \
        for (int32_t s = 0; s < job->a.segments; s++) {                                                                        \
            const size_t end = job->a.offsets[s] + (size_t)job->a.run;                                                         \
            for (size_t i = job->a.offsets[s]; i < end; i++, w += step) {                                                      \
                NPU__TILE_B##N                                                                                                 \
                NPU__TILE_AHEAD_##R                                                                                            \
                NPU__ROWS_##R(NPU__TILE_STEP##N)                                                                               \
            }                                                                                                                  \
        }                                                                                                                      \
        NPU__ROWS_##R(NPU__TILE_DONE##N)                                                                                       \
    }

/* All rows against one panel. */
#define NPU__TILE_CALL8(R) npu__f32_tile_##R##x8__avx512(job, row, panel, cols, &ahead, out)
#define NPU__TILE_CALL16(R) npu__f32_tile_##R##x16__avx512(job, row, panel, cols, &ahead, out)
#define NPU__TILE_CALL32(R) npu__f32_tile_##R##x32__avx512(job, row, panel, cols, &ahead, out)
#define NPU__PANEL(N)                                                                                                   \
    NPU__TILE(1, N)                                                                                                     \
    NPU__TILE(2, N)                                                                                                     \
    NPU__TILE(4, N)                                                                                                     \
    NPU__TILE(8, N)                                                                                                     \
    NPU__AVX512 NPU__FN void npu__f32_panel_##N##__avx512(const npu__gemm_f32_job *job, const npu__gemm_f32_panel *panel, \
                                                        int32_t cols, float *out) {                                     \
        npu__ahead__avx512 ahead = npu__ahead_of__avx512(job, panel);                                                   \
        NPU__TILES(8, NPU__TILE_CALL##N);                                                                               \
    }
NPU__PANEL(8)
NPU__PANEL(16)
NPU__PANEL(32)
#undef NPU__PANEL
#undef NPU__TILE_CALL8
#undef NPU__TILE_CALL16
#undef NPU__TILE_CALL32
#undef NPU__TILE
#undef NPU__TILE_ROW
#undef NPU__TILE_AHEAD_1
#undef NPU__TILE_AHEAD_2
#undef NPU__TILE_AHEAD_4
#undef NPU__TILE_AHEAD_8
#undef NPU__TILE_INIT8
#undef NPU__TILE_INIT16
#undef NPU__TILE_INIT32
#undef NPU__TILE_STEP8
#undef NPU__TILE_STEP16
#undef NPU__TILE_STEP32
#undef NPU__TILE_DONE8
#undef NPU__TILE_DONE16
#undef NPU__TILE_DONE32
#undef NPU__TILE_B8
#undef NPU__TILE_B16
#undef NPU__TILE_B32

NPU__AVX512 NPU__FN void npu__f32_gemm_8x32__avx512(const npu__gemm_f32_job *job, const npu__gemm_f32_panel *panel, int32_t cols,
                                                  float *out) {
    if (cols > 16) npu__f32_panel_32__avx512(job, panel, cols, out);
    else if (cols > 8) npu__f32_panel_16__avx512(job, panel, cols, out);
    else npu__f32_panel_8__avx512(job, panel, cols, out);
}

NPU__AVX512_END
#endif
