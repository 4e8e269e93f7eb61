/* Quotients by a scale without a division: as the nearest float, or a float on the same side of every half.
 *
 * In general: the correctly rounded inverse gives it within two units of the last place, one step within one, and of such another
 * step makes the nearest float (Markstein).
 *
 * For bytes mostly the inverse in two parts is enough: their sum of products is within 3 * 2^-48 of the quotient. With x, scale and
 * what lies half a unit below h + 1/2 as integers X, S and M, X against M * S decides: M is 25 bits long and, as h + 1/2 is at most
 * ten, one less than a multiple of 2^15. So is X times a power of two, and the two sides differ by S modulo 2^15: by 8 at least,
 * unless S is close to such a multiple. */
#ifndef NPU__KERNELS_DIVIDE_H
#define NPU__KERNELS_DIVIDE_H

#include "kernels.h"

/* Are two products enough for bytes? */
NPU__INLINE int npu__divide_two(float scale) {
    uint32_t bits;
    memcpy(&bits, &scale, sizeof bits);
    bits &= 0x7FFFu;
    return bits >= 8u && bits <= 0x7FF8u;
}

#endif
