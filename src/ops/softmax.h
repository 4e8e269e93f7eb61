/* What SOFTMAX and LOG_SOFTMAX share: walking rows of the last dimension, and exp of 8-bit differences. */
#ifndef NPU__OPS_SOFTMAX_H
#define NPU__OPS_SOFTMAX_H

#include "../base/fixed32.h"
#include "lut.h"

typedef struct npu__softmax_exp {
    npu__qmul mul;        /* brings a difference to q5 */
    int32_t   diff_min;   /* smaller differences count as exp = 0 */
    int32_t   value[256]; /* exp(-i) in q0 */
    int32_t   term[256];  /* the same in q12, in which sums are */
} npu__softmax_exp;

/* One row of `depth` elements. `op` is ctx->data. */
typedef void (*npu__softmax_row)(const void *op, const void *in, void *out, int32_t depth);

/* First member of the data of both ops. */
typedef struct npu__softmax_base {
    const char      *kernel; /* for profiles */
    npu__softmax_row row;
    int64_t          rows;
    int32_t          depth, in_bytes, out_bytes;
} npu__softmax_base;

NPU__FN npu_status npu__softmax_base_prepare(npu__ctx *c, npu__softmax_row row);
NPU__FN npu_status npu__softmax_eval(npu__ctx *c);
NPU__FN npu__work npu__softmax_work(const npu__ctx *c);
/* beta * scale in q5, and all exponentials of 8-bit differences. */
NPU__FN npu_status npu__softmax_exp_prepare(npu__ctx *c, npu__softmax_exp *e, float beta, float scale);

#endif
