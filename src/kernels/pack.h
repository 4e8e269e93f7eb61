/* What panels of int8 weights and units of depthwise ones begin with. */
#ifndef NPU__KERNELS_PACK_H
#define NPU__KERNELS_PACK_H

#include "kernels.h"

/* Column `at` of a header of nr columns. */
NPU__INLINE void npu__pack_qmul(int32_t *head, int32_t nr, int32_t at, int32_t bias, npu__qmul q, int32_t shifts) {
    const int32_t left = q.shift > 0 ? q.shift : 0, right = q.shift > 0 ? 0 : -q.shift;
    head[at] = bias;
    head[nr + at] = q.multiplier;
    /* Powers of two for machines that cannot shift each lane by its own amount (kernels/i8_wasm.c). */
    head[2 * nr + at] = shifts & NPU__SHIFT_POWERS ? npu__shl32(1, left) : left;
    head[3 * nr + at] = shifts & NPU__SHIFT_POWERS ? npu__shl32(1, 31 - right) : right;
}

/* Right shifts of eight columns. */
typedef struct npu__shift_range {
    int32_t least, most; /* least 0: one is not plain */
    int32_t some;        /* not all multipliers are zero: those can have any shift */
} npu__shift_range;
static const npu__shift_range npu__no_shifts = {31, 1, 0};

NPU__INLINE void npu__add_shift(npu__shift_range *s, npu__qmul q) {
    if (!q.multiplier) return;
    s->least = NPU__MIN(s->least, q.shift < 0 ? -q.shift : 0);
    s->most = NPU__MAX(s->most, -q.shift);
    s->some = 1;
}

/* Folded headers begin with bias + 2^31, twice the multiplier and minus the multiplier. Some third line is so negative, which it never
 * is else. */
NPU__INLINE int npu__foldable(int32_t shifts, const npu__shift_range *s) {
    return shifts & NPU__SHIFT_FOLD_COUNTS && s->least >= 1 && !(shifts & NPU__SHIFT_POWERS && s->least <= s->most - 7);
}
/* Folds the header of nr columns (eight, where shifts are powers). */
NPU__FN void npu__fold_head(int32_t shifts, int32_t nr, const npu__shift_range *s, int32_t *head);

/* Vectors are packed within their 128-bit parts: which of `cols` columns stands at place p, so that they come out in order. */
NPU__INLINE int32_t npu__pack_order(int32_t order, int32_t cols, int32_t p) {
    const int32_t quad = p >> 2 & 3;
    if (order == NPU__COLS_HALVES && cols > 8 && (quad == 1 || quad == 2)) return quad == 1 ? p + 4 : p - 4;
    if (order == NPU__COLS_QUARTERS && cols > 16) return quad * 8 + (p & 16) / 4 + (p & 3);
    return p;
}

#endif
