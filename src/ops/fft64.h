/* The Fourier transform in double, lengths powers of two. */
#ifndef NPU__OPS_FFT64_H
#define NPU__OPS_FFT64_H

#include "../base/base.h"

typedef struct npu__complex {
    double re, im;
} npu__complex;

NPU__INLINE npu__complex npu__complex_mul(npu__complex a, npu__complex b) {
    npu__complex r;
    r.re = a.re * b.re - a.im * b.im;
    r.im = a.re * b.im + a.im * b.re;
    return r;
}

/* In place, n a power of two dividing `period`. */
NPU__HEADER_FN void npu__fft64(npu__complex *v, int32_t n, const npu__complex *roots, int32_t period) {
    int32_t half, j = 0;
    for (int32_t i = 1; i < n; i++) { /* elements to bit-reversed places */
        int32_t bit = n >> 1;
        /* j counts as i does, with its bits reversed: the carry runs downwards. */
        for (; j & bit; bit >>= 1) j ^= bit;
        j |= bit;
        if (i < j) {
            npu__complex t = v[i];
            v[i] = v[j];
            v[j] = t;
        }
    }
    for (half = 1; half < n; half *= 2) {
        int32_t stride = period / (2 * half);
        for (int32_t i = 0; i < n; i += 2 * half) {
            for (int32_t k = 0; k < half; k++) {
                npu__complex a = v[i + k], b = npu__complex_mul(v[i + k + half], roots[k * stride]);
                v[i + k].re = a.re + b.re;
                v[i + k].im = a.im + b.im;
                v[i + k + half].re = a.re - b.re;
                v[i + k + half].im = a.im - b.im;
            }
        }
    }
}

#endif
