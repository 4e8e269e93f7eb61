/* What pools of two dimensions share. */
#ifndef NPU__OPS_POOL_2D_H
#define NPU__OPS_POOL_2D_H

#include "../kernels/pool.h"
#include "../kernels/reduce.h"
#include "../kernels/ref_pool.h"
#include "conv_util.h"

typedef struct npu__pool_data {
    const char    *kernel;     /* for profiles */
    const npu__pool_loops   *loops; /* AVERAGE_POOL_2D and MAX_POOL_2D of floats and bytes; may be NULL */
    const npu__reduce_loops *lines; /* windows of many cells, as rows of channels */
    int32_t        kind, lines_kind; /* NPU__POOL_..., NPU__REDUCE_... */
    int32_t        average, sums;    /* sums: scratch of an average's windows of many bytes, -1: none */
    npu__pool_geom g;
    float          lo, hi;
    int32_t        q_lo, q_hi;
} npu__pool_data;

NPU__FN npu_status npu__pool_2d_infer(npu__ctx *c);
/* Fills the npu__pool_data that ctx->data begins with. Types: float32, int8, uint8, int16. */
NPU__FN npu_status npu__pool_2d_prepare(npu__ctx *c);
/* fn over all pixels of the output. */
NPU__FN npu_status npu__pool_run(npu__ctx *c, npu__range_fn fn);
NPU__FN npu__work npu__pool_work(const npu__ctx *c);

#endif
