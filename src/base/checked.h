/* Arithmetic on numbers that a file or a command stream chose. Nothing here can wrap: the checked forms say so and leave
 * *out alone, the saturating forms stay at the largest value. Raw `*`, `+` and `<<` are for numbers already bounded. */
#ifndef NPU__BASE_CHECKED_H
#define NPU__BASE_CHECKED_H

#include "config.h"

NPU__INLINE int npu__mul_size(size_t a, size_t b, size_t *out) {
    if (b != 0 && a > SIZE_MAX / b) return 0;
    *out = a * b;
    return 1;
}
NPU__INLINE int npu__add_size(size_t a, size_t b, size_t *out) {
    if (a > SIZE_MAX - b) return 0;
    *out = a + b;
    return 1;
}
/* Rounds up to a power of two; saturates to SIZE_MAX instead of wrapping. */
NPU__INLINE size_t npu__align_up(size_t n, size_t align) {
    return n > SIZE_MAX - (align - 1) ? SIZE_MAX : (n + align - 1) & ~(align - 1);
}

NPU__INLINE int npu__try_add(int64_t a, int64_t b, int64_t *out) {
    if (b >= 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return 0;
    *out = a + b;
    return 1;
}
NPU__INLINE int npu__try_mul(int64_t a, int64_t b, int64_t *out) {
    if (a > 0 ? (b > 0 ? a > INT64_MAX / b : b < INT64_MIN / a)
              : a < 0 && (b > 0 ? a < INT64_MIN / b : b < 0 && (a == INT64_MIN || b < INT64_MAX / a))) return 0;
    *out = a * b;
    return 1;
}
/* *out = a * b + c */
NPU__INLINE int npu__try_mad(int64_t a, int64_t b, int64_t c, int64_t *out) {
    int64_t ab = 0;
    return npu__try_mul(a, b, &ab) && npu__try_add(ab, c, out);
}

/* Counts of work, never negative: INT64_MAX is "too much to count". */
NPU__INLINE int64_t npu__sat_mul(int64_t a, int64_t b) { return b > 0 && a > INT64_MAX / b ? INT64_MAX : a * b; }
NPU__INLINE int64_t npu__sat_add(int64_t a, int64_t b) { return a > INT64_MAX - b ? INT64_MAX : a + b; }

#endif
