/* What BATCH_MATMUL's sources share. */
#ifndef NPU__OPS_BATCH_MATMUL_H
#define NPU__OPS_BATCH_MATMUL_H

#include "../kernels/matmul_rows.h"
#include "bmm_fast.h"
#include "conv_util.h"

enum { NPU__BMM_F32, NPU__BMM_I8, NPU__BMM_I8_I32, NPU__BMM_I16, NPU__BMM_I16_I8, NPU__BMM_HYBRID };

/* bmm_rows.c: rows of the left matrix, one by one, times rows of weights. */
typedef struct npu__bmm_rows {
    const npu__gemv_i8_kernel  *kern;     /* all kinds but F32; or none */
    const npu__gemv_f32_kernel *kern_f32; /* F32, where the left matrix has too few rows to pack the right one for */
    int32_t                     columns;  /* F32, I16: few rows times a matrix as it lies (kernels/matmul_rows.h) */
    int32_t                     turned;   /* the right matrix is made rows of bytes: of I16, one of low and one of high bytes */
    int32_t                     by_product; /* threads share products, else the rows or columns of each */
    int32_t                     slot, turned_slot;
    size_t                      at_sums, at_acc, each; /* a thread's scratch: the row, sums of 32 bits, of 64 */
    size_t                      turned_bytes;
} npu__bmm_rows;

typedef struct npu__bmm_data {
    const char *kernel;                 /* for profiles */
    npu__bmm_fast fast;                 /* F32 */
    npu__bmm_rows rows;
    npu__matmul_geom g;
    int32_t     kind;
    npu__shape  batch;                  /* leading dimensions of the output */
    int64_t     a_step[NPU_MAX_RANK];   /* elements from one entry to the next along each, 0 where broadcast */
    int64_t     b_step[NPU_MAX_RANK];
    int64_t     batches;
    int32_t     a_zp, b_zp;
    npu__qmul   mul;
    npu__ref_out q;                     /* integer kinds; q.mul is set by eval */
    int32_t     adj_x, asymmetric;      /* HYBRID */
    int32_t     in_slot, row_slot;      /* HYBRID: quantized rows, one float row */
    int32_t     scale_slot, zp_slot;    /* HYBRID: per row */
} npu__bmm_data;

/* Decides; asks for memory. The rest of the data must be there. */
NPU__FN npu_status npu__bmm_rows_prepare(npu__ctx *c, npu__bmm_data *d);
NPU__FN npu_status npu__bmm_rows_eval(npu__ctx *c, npu__bmm_at_fn at);

#endif
