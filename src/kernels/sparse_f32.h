/* Products of floats with weights of which most are 0: those are left out.
 *
 * SPARSE out[m][n] = a[m][k] * w[n][k] + bias[n], for some rows at a time: their inputs are turned first, so that those of one k are
 * neighbours, and each weight is multiplied with all of them. Packed weights are, for each of n columns rounded up to fours, the number
 * of its entries, its bias, and the entries: where in the turned inputs, in bytes, and the weight. They are even in number; one too many
 * is of weight 0 and leads to zeros behind the last k.
 * |error| as of GEMM. What is infinite or NaN reaches no output through a weight of 0. */
#ifndef NPU__KERNELS_SPARSE_F32_H
#define NPU__KERNELS_SPARSE_F32_H

#include "kernels.h"
NPU__SPEED_BEGIN

#define NPU__SPARSE_ROWS 32 /* done at a time */

/* packed: of n columns. x: work memory of npu__sparse_f32_work(k) bytes. */
typedef void npu__sparse_f32_code(const npu__gemm_f32_job *job, const uint8_t *packed, int32_t n, float *x, float *out);
typedef npu__sparse_f32_code *npu__sparse_f32_fn;

/* Time of a product, of an input of a row, and of an output, in picoseconds of one machine: only to choose between kernels. */
typedef struct npu__f32_cost {
    int32_t product, input, output;
} npu__f32_cost;

typedef struct npu__sparse_f32_kernel {
    const char        *name;
    npu_isa            isa;
    npu__f32_cost      cost, dense, narrow; /* of it, and of the GEMM kernels that it stands for, npu__gemm_f32_narrow too */
    npu__sparse_f32_fn run;
} npu__sparse_f32_kernel;

/* All of them, best first: X(name, isa, the three costs, run). Measured on an Intel Xeon (Emerald Rapids; WebAssembly in V8, with relaxed
 * SIMD), see src/notes/2026-11-sparse.md; NEON's are those of WebAssembly. */
#define NPU__SPARSE_F32_KERNELS(X)                                                                                             \
    NPU__X86_ROW(X, "sparse_f32.avx512", AVX512, 21, 113, 128, 10, 84, 97, 23, 6, 843, npu__f32_sparse__avx512)                \
    NPU__X86_ROW(X, "sparse_f32.avx2", AVX2, 27, 127, 160, 21, 104, 51, 23, 6, 860, npu__f32_sparse__avx2)                     \
    NPU__X86_ROW(X, "sparse_f32.sse4.1", SSE41, 62, 193, 228, 75, 20, 228, 0, 0, 0, npu__f32_sparse__sse41)                    \
    NPU__NEON_ROW(X, "sparse_f32.neon", NEON, 50, 175, 229, 44, 12, 280, 0, 0, 0, npu__f32_sparse__neon)                       \
    NPU__RELAXED_ROW(X, "sparse_f32.wasm-relaxed", WASM_RELAXED, 50, 175, 229, 44, 12, 280, 0, 0, 0, npu__f32_sparse__relaxed) \
    NPU__WASM_ROW(X, "sparse_f32.wasm", WASM_SIMD, 50, 175, 229, 44, 12, 280, 0, 0, 0, npu__f32_sparse__wasm)

NPU__FN const npu__sparse_f32_kernel *npu__sparse_f32_select(npu_isa isa); /* NULL: none */
/* Is it faster than the dense kernel and no larger, with so many weights that are not 0? */
NPU__FN int npu__sparse_f32_pays(const npu__sparse_f32_kernel *kern, int64_t m, int32_t n, int32_t k, int64_t weights);

/* False: too many. `entries` is the sum of npu__sparse_f32_entries over all rows of w. */
NPU__FN int npu__sparse_f32_packed_bytes(int32_t n, int64_t entries, size_t *bytes);
NPU__FN int npu__sparse_f32_work(int32_t k, size_t *bytes); /* likewise */
/* Of a row of k weights: how many are not 0, rounded up to an even number. */
NPU__FN int32_t npu__sparse_f32_entries(const float *w, int32_t k);
NPU__FN void npu__sparse_f32_pack(int32_t n, int32_t k, const float *w, const float *bias, uint8_t *packed); /* w: n rows of k */

/* The first word of a column or of an entry. */
NPU__INLINE uint32_t npu__sparse_at(const uint8_t *p) { uint32_t v; memcpy(&v, p, 4); return v; }

NPU__SPEED_END

#endif
