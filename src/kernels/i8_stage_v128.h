/* Integers' output stage of i8_v128.c. */
#ifndef NPU__KERNELS_I8_STAGE_V128_H
#define NPU__KERNELS_I8_STAGE_V128_H

#include "kernels.h"
#include "v128.h"

#if NPU__HAS_V128
/* Sums wait for their output stage in blocks of so many rows of eight: its constants do not fit into the registers beside those of what
 * comes before. */
#define NPU__SUMS 64

/* Rows of eight sums (int32) to `cols` bytes each, `stride` apart. `head`: what the panel begins with, `plain` where it is folded (pack.h). */
NPU__V128 NPU__FN void npu__finish8__v128(const uint8_t *sums, int32_t rows, const int32_t *head, int plain, const npu__i8_out *o,
                                          int32_t cols, uint8_t *out, size_t stride);

/* Rows of a job against a panel of eight columns: all of them by `code`, which stores raw sums, in blocks for the output stage. */
typedef void npu__gemm_sums_code(const npu__gemm_i8_job *job, const uint8_t *panel, uint8_t *out);
NPU__V128 NPU__FN void npu__gemm_by_sums__v128(npu__gemm_sums_code *code, const npu__gemm_i8_job *job, const uint8_t *panel, int32_t cols,
                                               uint8_t *out);

/* Depthwise sums of eight channels from `at` on, of pixels of job->out_stride. */
typedef void npu__dw_sums_code(const npu__dw_job *job, size_t at, const uint8_t *unit, uint8_t *out);
typedef struct npu__dw_sums__v128 {
    int32_t            together;
    const uint8_t     *nine;          /* in which order `any` takes nine taps (ten pointers); NULL: in theirs */
    npu__dw_sums_code *any;           /* any window; 3 x 3 ones that share columns: */
    npu__dw_sums_code *columns[2][2]; /* [one apart, two][unsigned, signed] */
} npu__dw_sums__v128;
NPU__V128 NPU__FN void npu__dw_by_sums__v128(const npu__dw_sums__v128 *code, const npu__dw_job *job, const uint8_t *packed, uint8_t *out);
#endif

#endif
