/* What prepare of FULLY_CONNECTED leaves for its kernels. */
#ifndef NPU__OPS_FULLY_CONNECTED_H
#define NPU__OPS_FULLY_CONNECTED_H

#include "conv_util.h"
#include "fc_fast.h"

typedef struct npu__fc_data {
    const char  *kernel;                   /* for profiles */
    npu__fc_fast fast;
    npu__fc_geom g;
    int32_t      kind;
    float        lo, hi;     /* F32; HYBRID where the activation `clamps` */
    npu__fc_q    q;          /* integer kinds */
    /* HYBRID and BLOCKWISE */
    int32_t      activation; /* applied after the sum; may also be TANH or SIGN_BIT */
    int32_t      clamps;
    int32_t      asymmetric; /* how the input is quantized */
    int32_t      in_slot, scale_slot, zp_slot; /* quantized input, its scale and zero point per row */
    const uint16_t *block_scales;              /* BLOCKWISE: in the model */
    int32_t      block;
    npu__weights w;
    int32_t      shuffled; /* in blocks: w has them in plain order, and reference kernels read them */
} npu__fc_data;

#endif
