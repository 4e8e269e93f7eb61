/* Matrix products of few rows: what turning or packing the right matrix would cost more than. Plain C in runs of neighbours,
 * which compilers make vectors of. */
#ifndef NPU__KERNELS_MATMUL_ROWS_H
#define NPU__KERNELS_MATMUL_ROWS_H

#include "../base/base.h"
NPU__SPEED_BEGIN

/* Columns [n0, n1) of rows of `n` bytes to rows of k: to[c * k + i] = from[i * n + c]. */
NPU__FN void npu__turn_bytes(const uint8_t *from, int32_t k, int32_t n, int32_t n0, int32_t n1, uint8_t *to);
/* out[n0..n1) = a[k] times b[k][n]. */
NPU__FN void npu__matmul_row_f32(const float *a, const float *b, int32_t k, int32_t n, int32_t n0, int32_t n1, float *out);
/* The same, exact; b(i, c) = b[i * b_k + c * b_n], one of which is 1. */
NPU__FN void npu__matmul_row_i16(const int16_t *a, const int16_t *b, int32_t k, int64_t b_k, int64_t b_n, int32_t n0,
                                 int32_t n1, int64_t *out);

NPU__SPEED_END

#endif
