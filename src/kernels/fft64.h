/* The Fourier transform in double, lengths powers of two. One row per instruction set. */
#ifndef NPU__KERNELS_FFT64_H
#define NPU__KERNELS_FFT64_H

#include "kernels.h"
#include "simd.h"

typedef struct npu__complex {
    double re, im;
} npu__complex;

NPU__INLINE npu__complex npu__complex_mul(npu__complex a, npu__complex b) {
    npu__complex r;
    r.re = a.re * b.re - a.im * b.im;
    r.im = a.re * b.im + a.im * b.re;
    return r;
}

typedef struct npu__fft64_kernel {
    const char *name;
    npu_isa     isa; /* NPU_ISA_SCALAR: plain C, the last row */
    /* Two stages at once: all transforms of length 4 * half from those of length half, which is at least 2. */
    void (*stages)(npu__complex *v, int32_t n, int32_t half, const npu__complex *roots, int32_t period);
} npu__fft64_kernel;

NPU__FN const npu__fft64_kernel *npu__fft64_select(npu_isa isa); /* never NULL */

/* What follows j when numbers below n are counted with their bits reversed. */
NPU__INLINE int32_t npu__fft64_next(int32_t j, int32_t n) {
    int32_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit; /* the carry runs downwards */
    return j | bit;
}

/* In place, n a power of two dividing `period`; roots[k] = exp(-2 pi i k / period) for k < period / 2. The second one expects
 * element k at the place of k with its bits reversed. */
NPU__FN void npu__fft64(const npu__fft64_kernel *kern, npu__complex *v, int32_t n, const npu__complex *roots, int32_t period);
NPU__FN void npu__fft64_reversed(const npu__fft64_kernel *kern, npu__complex *v, int32_t n, const npu__complex *roots, int32_t period);

/* X(name, isa, suffix of its function) */
#define NPU__FFT64_KERNELS(X)                    \
    NPU__X86_ROW(X, "fft64.avx2", AVX2, avx2)    \
    NPU__NEON64_ROW(X, "fft64.neon", NEON, neon)   \
    NPU__WASM_ROW(X, "fft64.wasm", WASM_SIMD, wasm)

#endif
