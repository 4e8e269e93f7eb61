/* Rows of quantized integers, in blocks: widened to int32, multiplied, combined, multiplied back, narrowed. What an operator does to a
 * block is a loop of plain int32 (kernels/q_blocks.h). */
#ifndef NPU__OPS_Q2_ROWS_H
#define NPU__OPS_Q2_ROWS_H

#include "../kernels/q_blocks.h"
#include "elementwise.h"

/* The loops for the machine that the row was prepared for. */
NPU__INLINE const npu__q_loops *npu__ew_q_loops(const npu__ew *w) { return npu__q_loops_select(w->fast ? w->fast->isa : NPU_ISA_SCALAR); }

/* A factor of one: inputs that are only widened. */
NPU__INLINE npu__qmul npu__q2_one(void) {
    npu__qmul q;
    q.multiplier = 1 << 30;
    q.shift = 1;
    return q;
}

/* One block of input: widened, its offset added; and the way back. */
NPU__FN void npu__q2_load(const npu__q_loops *loops, int32_t type, const void *in, int32_t step, int32_t m, int32_t offset, int32_t *x);
NPU__FN void npu__q2_store(const npu__q_loops *loops, int32_t type, const int32_t *x, int32_t m, int32_t offset, int32_t lo, int32_t hi,
                           void *out);
/* The row of one input: scaled, moved, clamped. */
typedef struct npu__q1 {
    npu__qmul mul;
    int32_t   in_type, out_type, in_zp, out_zp, lo, hi;
} npu__q1;
NPU__FN void npu__q1_row(const npu__ew *w, const npu__q1 *q, const void *in, void *out, int64_t n);

/* The row of an operator whose inputs are both scaled by q and whose result is scaled back; kind: NPU__Q_ADD ... */
NPU__FN void npu__q2_row(const npu__ew *w, const npu__q2 *q, int32_t kind, const void *const *in, void *out, int64_t n,
                         const int32_t *step);
/* The row of one whose scaled inputs are compared by `plain`, a row of two int32. */
NPU__FN void npu__q2_compare_row(const npu__ew *w, const npu__q2 *q, npu__ew_row plain, const void *const *in, void *out, int64_t n,
                                 const int32_t *step);

#endif
