/* The output stage of integer sums by floats, where they leave no doubt.
 * Both roundings of the reference are one: floor(x * M + 1/2 + e) with M = m / 2^(31 + right) and e = 2^-(right + 1), where x < 0 with -e.
 * A float product of 16 fractional bits is less than 4 / 2^16 off wherever it is not cut off by the bounds anyway, |x * M| <= 257: three
 * roundings of 2^-24, of x, M and the product, one of the constant and one to an integer. So with 4 / 2^16 added, what has a fraction of
 * 8 / 2^16 or more is right; a tile with anything else takes the exact steps. That is one tile of 256 in 30. What is too large for an
 * integer, |x * M| >= 2^15, becomes -2^31, whose fraction is 0: no bound of sums is needed. Multipliers of few bits (powers of two) have
 * products that are halves often, where 20 bits are zero one in 2^12 or more: they are not for this. */
#ifndef NPU__KERNELS_NEAR_H
#define NPU__KERNELS_NEAR_H

#include "kernels.h"

#define NPU__NEAR_DOUBT 8
#define NPU__NEAR_FEW_BITS 0xFFFFF
/* Must results below the zero point be told apart? Else they are cut off, and one constant will do for all. */
NPU__INLINE int npu__near_both(const npu__i8_out *o) { return o->lo < o->zero_point; }
/* That constant, without e. */
NPU__INLINE float npu__near_plus(int32_t zero_point) { return (float)zero_point * 65536.0f + (32768 + NPU__NEAR_DOUBT / 2); }

#endif
