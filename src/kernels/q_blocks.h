/* Loops over a block of quantized integers: widened to int32, multiplied by fixed-point factors, combined, narrowed. Products of 64 bits,
 * much code where vectors have none of their own, are in one place. */
#ifndef NPU__KERNELS_Q_BLOCKS_H
#define NPU__KERNELS_Q_BLOCKS_H

#include "kernels.h"

#define NPU__Q_BLOCK 64

/* By npu__q_type. Elements behind the last of m keep what they have; the other loops take whole blocks. */
typedef void npu__q_widen_code(const void *in, int32_t step, int32_t m, int32_t offset, int32_t shift, int32_t *x); /* (v + offset) << shift */
typedef void npu__q_narrow_code(const int32_t *x, int32_t m, int32_t offset, int32_t lo, int32_t hi, void *out);
typedef void npu__q_combine_code(const int32_t *x, const int32_t *y, int32_t *out); /* wrapping */
enum { NPU__Q_ADD, NPU__Q_SUB, NPU__Q_MUL, NPU__Q_SQUARED_DIFFERENCE, NPU__Q_KINDS };
typedef struct npu__q_loops {
    npu__q_widen_code   *widen[4];
    npu__q_narrow_code  *narrow[4];
    npu__q_combine_code *combine[NPU__Q_KINDS];
    void (*scale)(npu__qmul q, int32_t *x); /* npu__qmul_apply of each */
} npu__q_loops;
NPU__FN const npu__q_loops *npu__q_loops_select(npu_isa isa);

NPU__INLINE int32_t npu__q_type(int32_t type) { /* 8, 16 and 32 bits */
    return type == NPU_INT8 ? 0 : type == NPU_UINT8 ? 1 : type == NPU_INT16 ? 2 : 3;
}

#endif
