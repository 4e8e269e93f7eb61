/* What panels of int8 weights and units of depthwise ones begin with. */
#ifndef NPU__KERNELS_PACK_H
#define NPU__KERNELS_PACK_H

#include "kernels.h"

/* Column `at` of a header of nr columns. */
NPU__INLINE void npu__pack_qmul(int32_t *head, int32_t nr, int32_t at, int32_t bias, npu__qmul q, int32_t shifts) {
    const int32_t left = q.shift > 0 ? q.shift : 0, right = q.shift > 0 ? 0 : -q.shift;
    head[at] = bias;
    head[nr + at] = q.multiplier;
    /* Powers of two for machines that cannot shift each lane by its own amount (kernels/i8_stage_v128.c). */
    head[2 * nr + at] = shifts & NPU__SHIFT_POWERS ? npu__shl32(1, left) : left;
    head[3 * nr + at] = shifts & NPU__SHIFT_POWERS ? npu__shl32(1, 31 - right) : right;
}

/* Right shifts of the columns of a header. */
typedef struct npu__shift_range {
    int32_t least; /* 0: one is not plain */
    int32_t far;   /* a sum that is shifted left may lose bits */
    int32_t some;  /* not all multipliers are zero: those can have any shift */
} npu__shift_range;
static const npu__shift_range npu__no_shifts = {31, 0, 0};

/* A column of k weights. A sum is less than 2^31, and without overflow less than this. */
NPU__INLINE void npu__add_shift(npu__shift_range *s, npu__qmul q, size_t k, int32_t bias) {
    const int32_t right = q.shift < 0 ? -q.shift : 0;
    const double  most = (double)k * (255.0 * 255.0) + (bias < 0 ? -(double)bias : (double)bias);
    if (!q.multiplier) return;
    s->least = NPU__MIN(s->least, right);
    s->far |= q.shift > 0 && ldexp(most, q.shift) >= 2147483648.0;
    s->some = 1;
}

/* Folded headers. Counts: bias + 2^31, twice the multiplier, minus the multiplier, right shift - 1; pairs: the last two in the order 0,
 * 2, 1, 3. Powers (kernels/i8_stage_v128.c): the two first lines stay, minus the multiplier times 2^(shift - 31) and 2^-(right shift + 1)
 * follow as floats, or for the latter minus 2^(left shift) where nothing is shifted right. Some third line is negative, as a number or -0,
 * which it never is else. */
NPU__INLINE int npu__foldable(int32_t shifts, const npu__shift_range *s) {
    return shifts & NPU__SHIFT_FOLD_COUNTS && (shifts & NPU__SHIFT_POWERS ? !s->far : s->least >= 1);
}
/* Folds the header of nr columns. */
NPU__FN void npu__fold_head(int32_t shifts, int32_t nr, int32_t *head);

/* Vectors are packed within their 128-bit parts: which of `cols` columns stands at place p, so that they come out in order. */
NPU__INLINE int32_t npu__pack_order(int32_t order, int32_t cols, int32_t p) {
    const int32_t quad = p >> 2 & 3;
    if (order == NPU__COLS_HALVES && cols > 8 && (quad == 1 || quad == 2)) return quad == 1 ? p + 4 : p - 4;
    if (order >= NPU__COLS_EIGHTS && cols > 16 && (p >> 3 == 1 || p >> 3 == 2)) return p ^ 24;
    return p;
}

#endif
