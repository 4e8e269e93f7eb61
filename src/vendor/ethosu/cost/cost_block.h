/* What the search for blocks, the cycles of blocks, and lowering share. */
#ifndef NPU__ETHOSU_COST_BLOCK_H
#define NPU__ETHOSU_COST_BLOCK_H

#include "cost.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

NPU__INLINE int64_t npu__cost_ceil(int64_t n, int64_t by) { return (n + by - 1) / by; }
NPU__INLINE int32_t npu__cost_round(int32_t n, int32_t to) { return (int32_t)(npu__cost_ceil(n, to) * to); }

NPU__INLINE int npu__cost_uses_window(const npu__cost_op *op) { return op->kind != NPU__COST_ELEMENTWISE; }

/* Every output channel comes from its own input channel. */
NPU__INLINE int npu__cost_equal_depth(const npu__cost_op *op) {
    return op->kind != NPU__COST_CONV && op->kind != NPU__COST_REDUCE;
}

NPU__INLINE int npu__cost_wide(const npu__cost_op *op) {
    if (op->in[0].bits != 16) return 0;
    return op->kind == NPU__COST_CONV || op->kind == NPU__COST_DEPTHWISE || op->kind == NPU__COST_REDUCE;
}

typedef struct npu__cost_try {
    int32_t h, w, d;          /* of the output */
    int32_t in_h, in_w, in_d;
} npu__cost_try;

/* cost_block.c */
NPU__FN int32_t npu__cost_reach(int32_t n, int32_t stride, int32_t kernel, int32_t dilation, int32_t upscale,
                                int32_t to);
NPU__FN int npu__cost_part_kernel(const npu__cost_machine *m, const npu__cost_op *op);
NPU__FN int32_t npu__cost_in_depth(const npu__cost_machine *m, const npu__cost_op *op, int part_kernel);
NPU__FN npu__cost_try npu__cost_search(const npu__cost_machine *m, const npu__cost_op *op, int part_kernel);
/* cost_block_u85.c */
NPU__FN void npu__cost_in_unit(const npu__cost_machine *m, int32_t depth, int32_t bits, int32_t *unit);

#endif
#endif
