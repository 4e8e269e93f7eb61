/* Reference matrix product of one batch entry: out[m][n] = sum over k of a(m, k) * b(k, n), any element strides. */
#ifndef NPU__KERNELS_REF_MATMUL_H
#define NPU__KERNELS_REF_MATMUL_H

#include "ref_quant.h"

typedef struct npu__matmul_geom {
    int32_t m, n, k;
    int64_t a_m, a_k, b_n, b_k; /* distance in elements when m, k, n grow by one: transposition is only strides */
} npu__matmul_geom;

NPU__FN void npu__ref_matmul_f32(const npu__matmul_geom *g, const float *a, const float *b, float *out,
                                 int64_t begin, int64_t end);
/* q->mul_step is 0. */
NPU__FN void npu__ref_matmul_i8(const npu__matmul_geom *g, const npu__ref_out *q, const int8_t *a, int32_t a_zp,
                                const int8_t *b, int32_t b_zp, int8_t *out, int64_t begin, int64_t end);
/* Raw sums, zero points ignored. */
NPU__FN void npu__ref_matmul_i8_i32(const npu__matmul_geom *g, const int8_t *a, const int8_t *b, int32_t *out,
                                    int64_t begin, int64_t end);
NPU__FN void npu__ref_matmul_i16(const npu__matmul_geom *g, const npu__ref_out *q, const int16_t *a,
                                 const int16_t *b, int16_t *out, int64_t begin, int64_t end);
NPU__FN void npu__ref_matmul_i16_i8(const npu__matmul_geom *g, const npu__ref_out *q, const int16_t *a,
                                    const int8_t *b, int16_t *out, int64_t begin, int64_t end);
/* `a` was quantized per row m; b_scale per column n (b_step 1) or one (b_step 0). */
NPU__FN void npu__ref_matmul_hybrid(const npu__matmul_geom *g, const int8_t *a, const float *a_scale,
                                    const int32_t *a_zp, const int8_t *b, const float *b_scale, int32_t b_step,
                                    float *out, int64_t begin, int64_t end);

#endif
