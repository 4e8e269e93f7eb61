/* CONV_2D of floats with windows of 3 x 3 and steps of 1 by Winograd's F(2 x 2, 3 x 3): a tile of 2 x 2 output pixels takes 16 products for
 * each pair of channels instead of 36 (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015).
 *
 * Three steps: the 4 x 4 input pixels under a tile are turned into 16 numbers a channel; npu__gemm_f32_run multiplies each kind of these, of
 * many tiles, with weights that were turned alike; the 16 sums are turned into 2 x 2 pixels. Turning takes additions only.
 *
 * |error| <= (c + 12) * 2^-24 * (|bias| + 4 * sum over channels of (sum of |a| of the tile's 4 x 4 pixels) * (sum of |w|)): what lies under a
 * tile but outside of an output's window counts, too. So does what is infinite or NaN there, and what is beyond 2^124 of a number. An output
 * does not depend on how tiles are split. */
#ifndef NPU__KERNELS_WINOGRAD_F32_H
#define NPU__KERNELS_WINOGRAD_F32_H

#include "kernels.h"
#include "ref_conv.h"
#include "vec_loop.h"
NPU__SPEED_BEGIN

#define NPU__WINO 16      /* products of a tile; the least channels, and columns */
#define NPU__WINO_COLS 80 /* of sums at a time, at most */

/* 16 pixels of c >= NPU__WINO channels, row by row, to out[i * step + channel]. */
typedef void npu__wino_in_code(const float *const *pixels, int32_t c, float *out, size_t step);
typedef npu__wino_in_code *npu__wino_in_fn;
/* sums[i * step + column] of n >= NPU__WINO columns to a tile's four pixels. */
typedef void npu__wino_out_code(const float *sums, size_t step, int32_t n, float lo, float hi, float *const *pixels);
typedef npu__wino_out_code *npu__wino_out_fn;

typedef struct npu__wino_f32_kernel {
    const char      *name;
    npu_isa          isa;
    /* Costs in products of that instruction set's GEMM kernel, which does `lanes` columns at a time: of an input channel of a tile, an output
     * column, a sum that GEMM stores, a weight that comes from afar. Only to choose between kernels. */
    int32_t          lanes, input, output, store, fetch;
    npu__wino_in_fn  in;
    npu__wino_out_fn out;
} npu__wino_f32_kernel;

/* All of them, best first: X(name, isa, lanes, input, output, store, fetch, in, out). Measured on an AMD EPYC (Zen 5; AVX2 Zen 3, WebAssembly
 * in V8, with relaxed SIMD), see src/notes/2026-11-winograd.md; NEON's are those of WebAssembly. */
#define NPU__WINO_F32_KERNELS(X)                                                                                              \
    NPU__X86_ROW(X, "winograd_f32.avx512", AVX512, 16, 200, 110, 11, 26, npu__wino_in__avx2, npu__wino_out__avx2)              \
    NPU__X86_ROW(X, "winograd_f32.avx2", AVX2, 8, 174, 86, 1, 13, npu__wino_in__avx2, npu__wino_out__avx2)                     \
    NPU__X86_ROW(X, "winograd_f32.sse4.1", SSE41, 4, 23, 12, 1, 4, npu__wino_in__any, npu__wino_out__any)                     \
    NPU__NEON_ROW(X, "winograd_f32.neon", NEON, 4, 70, 38, 3, 7, npu__wino_in__any, npu__wino_out__any)                       \
    NPU__RELAXED_ROW(X, "winograd_f32.wasm-relaxed", WASM_RELAXED, 4, 70, 38, 3, 7, npu__wino_in__any, npu__wino_out__any)    \
    NPU__WASM_ROW(X, "winograd_f32.wasm", WASM_SIMD, 4, 70, 38, 3, 7, npu__wino_in__any, npu__wino_out__any)

NPU__FN const npu__wino_f32_kernel *npu__wino_f32_select(npu_isa isa); /* NULL: none */

/* Windows of 3 x 3 with steps of 1, channels and columns enough: g's padding may be any. */
NPU__FN int npu__wino_f32_takes(const npu__conv_geom *g);
/* Is it faster than GEMM alone? */
NPU__FN int npu__wino_f32_pays(const npu__wino_f32_kernel *kern, const npu__conv_geom *g);
NPU__FN int64_t npu__wino_f32_tiles(const npu__conv_geom *g); /* of all images */

/* Weights w[n][3][3][c], packed for `gemm`: 16 matrices, the bytes of each a multiple of 64. False: too many. */
NPU__FN int npu__wino_f32_packed_bytes(const npu__gemm_f32_kernel *gemm, int32_t n, int32_t c, size_t *each);
NPU__FN void npu__wino_f32_pack(const npu__gemm_f32_kernel *gemm, int32_t n, int32_t c, const float *w, const float *bias, size_t each,
                                float *packed);

typedef struct npu__wino_f32_job {
    const npu__wino_f32_kernel *kern;
    const npu__gemm_f32_kernel *gemm;
    const npu__conv_geom       *g;
    const float                *in, *packed;
    size_t                      each; /* bytes of a matrix */
    float                       lo, hi;
    float                      *out;
} npu__wino_f32_job;

/* Work memory for some tiles at a time, and how many a work memory is for: 0, if not for one. */
NPU__FN int npu__wino_f32_work(const npu__gemm_f32_kernel *gemm, const npu__conv_geom *g, int64_t tiles, size_t *bytes); /* False: too many */
NPU__FN int32_t npu__wino_f32_fit(const npu__gemm_f32_kernel *gemm, const npu__conv_geom *g, size_t bytes, int32_t most);
/* Tiles [first, first + some). */
NPU__FN void npu__wino_f32_run(const npu__wino_f32_job *job, int64_t first, int32_t some, float *work);

NPU__SPEED_END

#endif
