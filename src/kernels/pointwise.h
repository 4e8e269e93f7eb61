/* Fast loops over neighbouring elements: float arithmetic, exponentials, maxima. One row per instruction set.
 *
 * Arithmetic gives the bits of plain C. LOGISTIC and TANH stay within 3e-7 and 6e-7 of the exact value, relative to it,
 * SOFTMAX within 1e-6 of its largest output; the other functions within 1e-6 of it, or of 1 where it is less. NaN goes in, NaN comes
 * out. */
#ifndef NPU__KERNELS_POINTWISE_H
#define NPU__KERNELS_POINTWISE_H

#include "kernels.h"

/* out[i] = clamp(a[i * step_a] OP b[i * step_b], lo, hi); steps are 1 or 0, and not both 0. `out` may be an input. */
typedef void (*npu__binary_f32_fn)(const float *a, const float *b, float *out, int64_t n, int32_t step_a,
                                   int32_t step_b, float lo, float hi);
/* out[i] = f(x[i]); `out` may be x. */
typedef void (*npu__unary_f32_fn)(const float *x, float *out, int64_t n);

/* The functions of one float; rows have them in this order. ELU's slope is 1, gelu is the exact one. */
#define NPU__PW_UNARY(X, s)                                                                                 \
    X(logistic, s) X(tanh, s) X(exp, s) X(log, s) X(sin, s) X(cos, s) X(elu, s) X(gelu, s) X(gelu_tanh, s)  \
    X(hard_swish, s) X(sqrt, s) X(rsqrt, s) X(floor, s) X(ceil, s) X(round, s)
#define NPU_X(name, s) NPU__PW_##name,
enum { NPU__PW_UNARY(NPU_X, ) NPU__PW_UNARIES };
#undef NPU_X

/* Bytes. Sums: out_mul * (mul[0] * ((a + offset[0]) << left_shift) +- mul[1] * ((b + offset[1]) << left_shift)).
 * Products: out_mul * (a + offset[0]) * (b + offset[1]). */
typedef struct npu__sum8_job {
    int32_t     offset[2], left_shift, is_signed, negate_b;
    npu__qmul   mul[2], out_mul;
    npu__i8_out out;
} npu__sum8_job;
typedef void (*npu__sum8_fn)(const npu__sum8_job *job, const uint8_t *a, const uint8_t *b, uint8_t *out, int64_t n,
                             int32_t step_a, int32_t step_b);
/* Bytes from round(x / scale), or where out_stage says `raw` int16, without its zero point; all of a type's range. NaN becomes the
 * smallest. 1e-20 <= scale <= 1e20. */
typedef void (*npu__quantize8_fn)(const float *x, uint8_t *out, int64_t n, float scale, const npu__i8_out *out_stage);

typedef struct npu__pointwise {
    const char        *name;
    npu_isa            isa;
    npu__binary_f32_fn add, sub, mul, div;
    npu__binary_f32_fn sqdiff; /* (a - b)^2; not clamped */
    npu__binary_f32_fn prelu; /* a >= 0 ? a : a * b; not clamped */
    void             (*clamp)(const float *x, float *out, int64_t n, float lo, float hi);
    npu__unary_f32_fn  unary[NPU__PW_UNARIES];
    void             (*softmax)(const float *x, float *out, int32_t n, float beta);
    void             (*log_softmax)(const float *x, float *out, int32_t n);
    npu__sum8_fn       sum8, mul8; /* NULL: none, likewise the next */
    npu__quantize8_fn  quantize8;
} npu__pointwise;

NPU__FN const npu__pointwise *npu__pointwise_select(npu_isa isa); /* NULL: none */

/* X(name, isa, suffix of its functions, sum8, mul8, quantize8) */
#define NPU__POINTWISE_KERNELS(X)                                                                         \
    NPU__X86_ROW(X, "pointwise.avx512", AVX512, avx512, npu__sum8__avx2, npu__mul8__avx2, npu__quantize__avx512) \
    NPU__X86_ROW(X, "pointwise.avx2", AVX2, avx2, npu__sum8__avx2, npu__mul8__avx2, npu__quantize__avx2)  \
    NPU__X86_ROW(X, "pointwise.sse4.1", SSE41, sse41, NULL, NULL, NULL)                                   \
    NPU__NEON_ROW(X, "pointwise.neon", NEON, neon, NULL, NULL, NULL)                                      \
    NPU__WASM_ROW(X, "pointwise.wasm", WASM_SIMD, wasm, NULL, NULL, NULL)

#endif
