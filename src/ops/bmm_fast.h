/* BATCH_MATMUL of floats on the GEMM kernels: the right matrix is packed at each run, for it is seldom constant. */
#ifndef NPU__OPS_BMM_FAST_H
#define NPU__OPS_BMM_FAST_H

#include "../kernels/kernels.h"
#include "../kernels/ref_matmul.h"
#include "util.h"
NPU__SPEED_BEGIN

typedef struct npu__bmm_fast {
    const npu__gemm_f32_kernel *gemm; /* NULL: the reference runs */
    int32_t                     slot;
    int32_t                     flat; /* the right matrix is read as it lies, but for columns that fill no panel */
    size_t                      packed_bytes, scratch_each;
} npu__bmm_fast;

/* Which matrices product `i` multiplies: offsets in elements. */
typedef void (*npu__bmm_at_fn)(const npu__ctx *c, int64_t i, int64_t *a, int64_t *b);

NPU__FN npu_status npu__bmm_fast_prepare(npu__ctx *c, const npu__matmul_geom *g, npu__bmm_fast *f);
NPU__FN void npu__bmm_fast_eval(npu__ctx *c, const npu__matmul_geom *g, const npu__bmm_fast *f, int64_t batches,
                                npu__bmm_at_fn at);

NPU__SPEED_END

#endif
