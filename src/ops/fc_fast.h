/* Where FULLY_CONNECTED runs on the kernels of kernels.h: chosen once in prepare. Without one, the reference runs. */
#ifndef NPU__OPS_FC_FAST_H
#define NPU__OPS_FC_FAST_H

#include "../kernels/ref_fully_connected.h"
#include "conv_fast.h"

/* How it runs. REAL: 8-bit sums to 8-bit outputs through the op's real output stage. GEMM_I8: that and HYBRID, of several rows.
 * BLOCKS: weights unpacked to int8; BLOCKS_I4: panels of them as they are. */
enum { NPU__FC_FAST_NONE, NPU__FC_FAST_GEMV_F32, NPU__FC_FAST_GEMM_F32, NPU__FC_FAST_REAL, NPU__FC_FAST_HYBRID,
       NPU__FC_FAST_BLOCKS, NPU__FC_FAST_I16, NPU__FC_FAST_GEMM_I8,
       NPU__FC_FAST_BLOCKS_I4 };

#define NPU__FC_GEMM_ROWS 4 /* from so many rows on, packing a second copy of the weights pays */
#define NPU__FC_PANEL_BYTES ((size_t)512 << 10) /* of weights that rows taken one by one find in the cache: panels of these are faster */
#define NPU__FC_SUM_ROWS 32 /* of integer sums that wait for their output stage, on the stack */
#define NPU__FC_STAGE_BYTES 8192 /* on the stack too, for rows where the scratch memory holds fewer */

typedef struct npu__fc_fast {
    int32_t                     kind; /* NPU__FC_FAST_... */
    const npu__gemv_f32_kernel *gemv_f32;
    const npu__gemm_f32_kernel *gemm_f32;
    npu__sparse                 sparse;       /* GEMM_F32: by it, where it has a kernel */
    const npu__gemv_i8_kernel  *gemv_i8;
    const npu__gemm_i8_kernel  *gemm_i8;
    const npu__blocks_i4_kernel *blocks_i4;
    const npu__gemv_panels_f32_kernel *panels_f32; /* GEMV_F32, and REAL and HYBRID of one row: ... */
    const npu__gemv_panels_i8_kernel  *panels_i8;  /* ... of weights packed for it, or NULL */
    size_t                      at_panels;    /* GEMM_I8 and panels_i8: in the packed slot, behind what else is there */
    int32_t                     w_sums;       /* REAL and HYBRID of one row: of the weights' rows, ... */
    size_t                      at_sums;      /* ... likewise behind scales */
    int32_t                     packed_slot;  /* GEMM: panels; REAL: a double for each scale; BLOCKS: floats,
                                               * [block][unit]; GEMM_I8: those of REAL, then panels */
    int32_t                     scratch_slot; /* integers: staged rows; sparse: rows turned; BLOCKS_I4: sums; or -1 */
    size_t                      row_bytes;    /* of a staged row */
} npu__fc_fast;

struct npu__fc_data;

/* After everything else in prepare. */
NPU__FN npu_status npu__fc_fast_prepare(npu__ctx *c, struct npu__fc_data *d);
NPU__FN void npu__fc_fast_pack(npu__ctx *c, const struct npu__fc_data *d);
NPU__FN npu_status npu__fc_fast_eval(npu__ctx *c, const struct npu__fc_data *d, const void *w, const void *bias);

/* What evaluating works with. */
typedef struct npu__fc_work {
    npu__ctx                 *c;
    const struct npu__fc_data *d;
    const uint8_t            *in; /* 8-bit, quantized on the fly in the hybrid kinds */
    const void               *w, *bias;
    int32_t                   rows; /* that there is room for, staged; 0 or 1: on the stack */
} npu__fc_work;

/* Sums of one row's units [u0, u1) to its outputs. */
NPU__FN void npu__fc_finish(const npu__fc_work *work, int64_t row, int32_t u0, int32_t u1, const int32_t *sums);
/* Of the row's quantized values. */
NPU__FN int32_t npu__fc_zero_point(const npu__fc_work *work, int64_t row);
/* The factors of REAL's output stage. */
NPU__FN void npu__fc_real_scales(const struct npu__fc_data *d, double *scale);

/* fc_gemm.c */
NPU__FN int npu__fc_gemm_fits(npu__ctx *c, const struct npu__fc_data *d);
NPU__FN npu_status npu__fc_gemm_prepare(npu__ctx *c, struct npu__fc_data *d);
NPU__FN void npu__fc_gemm_pack(npu__ctx *c, const struct npu__fc_data *d);
NPU__FN void npu__fc_gemm_range(void *arg, int64_t begin, int64_t end, int32_t thread);

/* fc_blocks_i4.c. Fits: known before anything else in prepare, as weights need not be unpacked then. */
NPU__FN int npu__fc_blocks_i4_fits(npu__ctx *c);
NPU__FN npu_status npu__fc_blocks_i4_prepare(npu__ctx *c, struct npu__fc_data *d);
NPU__FN void npu__fc_blocks_i4_pack(npu__ctx *c, const struct npu__fc_data *d);
NPU__FN void npu__fc_blocks_i4_eval(const npu__fc_work *work);

/* fc_i16.c */
NPU__FN void npu__fc_i16_eval(npu__ctx *c, const struct npu__fc_data *d, const void *w, const void *bias);

#endif
