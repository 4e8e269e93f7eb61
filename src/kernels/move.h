/* Moving elements between places that lie in even steps: what all operators come down to that only move. Types do not matter here,
 * only how many bytes stay together. */
#ifndef NPU__KERNELS_MOVE_H
#define NPU__KERNELS_MOVE_H

#include "../base/base.h"
NPU__SPEED_BEGIN

/* memcpy of a length only known here; short ones, the usual case, without a call. */
NPU__INLINE void npu__copy_run(uint8_t *dst, const uint8_t *src, size_t n) {
    if (n > 64) {
        memcpy(dst, src, n);
    } else if (n >= 32) {
        /* Two copies of a fixed size that overlap, in place of a loop over the rest; the same below. */
        memcpy(dst, src, 32);
        memcpy(dst + n - 32, src + n - 32, 32);
    } else if (n >= 16) {
        memcpy(dst, src, 16);
        memcpy(dst + n - 16, src + n - 16, 16);
    } else if (n >= 8) {
        memcpy(dst, src, 8);
        memcpy(dst + n - 8, src + n - 8, 8);
    } else if (n >= 4) {
        memcpy(dst, src, 4);
        memcpy(dst + n - 4, src + n - 4, 4);
    } else {
        for (size_t i = 0; i < n; i++) dst[i] = src[i];
    }
}

/* A plane of rows and columns of `unit` bytes: steps from row to row [0] and from column to column [1], in bytes. */
typedef struct npu__plane {
    int64_t unit, from[2], to[2];
} npu__plane;
typedef void npu__plane_code(const npu__plane *p, uint8_t *dst, const uint8_t *src, int64_t rows, int64_t cols);
typedef npu__plane_code *npu__plane_fn;

/* The kernel for units of that size. `turned`: rows are neighbours in the source, columns in the destination, so that blocks pay. */
NPU__FN npu__plane_fn npu__plane_pick(int64_t unit, int turned);
/* The same function for that instruction set, where one is faster. */
NPU__FN npu__plane_fn npu__plane_for(npu_isa isa, npu__plane_fn run, int64_t unit);
NPU__FN void npu__transpose(const npu__plane *p, uint8_t *dst, const uint8_t *src, int64_t rows, int64_t cols);
/* Is such a plane better moved by blocks than row by row? */
NPU__FN int npu__turn_pays(int64_t unit, int64_t rows, int64_t cols);

NPU__SPEED_END

#endif
