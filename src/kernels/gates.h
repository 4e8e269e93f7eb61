/* Loops of integer recurrent cells: logistic and tanh of base/fixed16.h over vectors of int16, and what brings sums of products
 * to them. One row per instruction set; every row gives the bits of the functions in base/. */
#ifndef NPU__KERNELS_GATES_H
#define NPU__KERNELS_GATES_H

#include "kernels.h"

typedef struct npu__gates {
    const char *name;
    npu_isa     isa; /* NPU_ISA_SCALAR: plain C, the last row */
    /* npu__logistic16 and npu__tanh16 (`bits` integer bits, 0 to 6) of n values; `out` may be x. */
    void (*logistic)(const int16_t *x, int16_t *out, int64_t n);
    void (*tanh)(const int16_t *x, int16_t *out, int64_t n, int bits);
    /* gate[i] = sat16(gate[i] + sums[i] * mul); with `twice` the product saturates to int16 before it is added. */
    void (*add)(const int32_t *sums, npu__qmul mul, int twice, int16_t *gate, int32_t n);
    /* out[r] = sum of (a[r][i] - a_zp) * b[r][i] over i < n, modulo 2^32: int8 both, or, `wide`, int16 both with a_zp 0. */
    void (*dots)(const void *a, const void *b, int wide, int32_t a_zp, int32_t n, int32_t rows, int32_t *out);
} npu__gates;

NPU__FN const npu__gates *npu__gates_select(npu_isa isa); /* never NULL */

/* X(name, isa, suffix of its functions) */
#define NPU__GATES_KERNELS(X)                       \
    NPU__X86_ROW(X, "gates.avx2", AVX2, avx2)       \
    NPU__NEON64_ROW(X, "gates.neon", NEON, neon)      \
    NPU__WASM_ROW(X, "gates.wasm", WASM_SIMD, wasm)

#endif
