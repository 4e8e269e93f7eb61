/* Where FULLY_CONNECTED runs on the kernels of kernels.h: chosen once in prepare. Without one, the reference runs. */
#ifndef NPU__OPS_FC_FAST_H
#define NPU__OPS_FC_FAST_H

#include "../kernels/ref_fully_connected.h"
#include "conv_fast.h"

/* How it runs. REAL: 8-bit sums to 8-bit outputs through the op's real output stage. */
enum { NPU__FC_FAST_NONE, NPU__FC_FAST_GEMV_F32, NPU__FC_FAST_GEMM_F32, NPU__FC_FAST_REAL, NPU__FC_FAST_HYBRID,
       NPU__FC_FAST_BLOCKS, NPU__FC_FAST_I16 };

typedef struct npu__fc_fast {
    int32_t                     kind; /* NPU__FC_FAST_... */
    const npu__gemv_f32_kernel *gemv_f32;
    const npu__gemm_f32_kernel *gemm_f32;
    const npu__gemv_i8_kernel  *gemv_i8;
    int32_t                     packed_slot;  /* GEMM: panels; REAL: a double for each scale; BLOCKS: floats,
                                               * [block][unit] */
    int32_t                     scratch_slot; /* integers: staged rows, or -1 */
    size_t                      row_bytes;    /* of a staged row */
} npu__fc_fast;

struct npu__fc_data;

/* After everything else in prepare. */
NPU__FN npu_status npu__fc_fast_prepare(npu__ctx *c, struct npu__fc_data *d);
NPU__FN void npu__fc_fast_pack(npu__ctx *c, const struct npu__fc_data *d);
NPU__FN npu_status npu__fc_fast_eval(npu__ctx *c, const struct npu__fc_data *d, const void *w, const void *bias);

/* fc_i16.c */
NPU__FN void npu__fc_i16_eval(npu__ctx *c, const struct npu__fc_data *d, const void *w, const void *bias);

#endif
