/* Two numbers become one: what scatters, segments and windows do with elements that meet. */
#ifndef NPU__OPS_COMBINE_H
#define NPU__OPS_COMBINE_H

#include "util.h"

/* MAX and MIN keep the first of two that do not compare (NaN), as std::max does; MAX_GE and MIN_LE the second. ALL and ANY
 * give 0 or 1. Sums and products of integers wrap; those of BOOL are ANY and ALL. */
enum {
    NPU__COMBINE_ADD, NPU__COMBINE_MUL, NPU__COMBINE_MAX, NPU__COMBINE_MIN, NPU__COMBINE_MAX_GE, NPU__COMBINE_MIN_LE,
    NPU__COMBINE_ALL, NPU__COMBINE_ANY, NPU__COMBINE_SET, NPU__COMBINE_COUNT
};

/* acc[i * acc_step] = acc[i * acc_step] op in[i * in_step], for i in [0, n) in order. Steps may be 0. */
typedef void (*npu__combine_fn)(void *acc, const void *in, int64_t n, int64_t acc_step, int64_t in_step);

/* NULL: not of this type. */
NPU__FN npu__combine_fn npu__combine_pick(int32_t op, int32_t type);

#endif
