/* Subnormal floats while a model runs. Where masked attention or a fading state makes them, additions and products take a hundred times
 * as long on many x86 cores; so results below 2^-126 become zero there for the time of an invoke, on each thread that works, as
 * LiteRT does it. Reading them costs nothing once nobody makes them, and scales keep what the file says: what an operator is
 * given stays as it is (flush to zero, not "denormals are zero"). Other machines compute them at full speed. */
#ifndef NPU__BASE_FLOAT_MODE_H
#define NPU__BASE_FLOAT_MODE_H

#include "base.h"

#if !defined(NPU_RT_KEEP_DENORMALS) && (defined(__SSE__) || defined(_M_X64))
#  include <xmmintrin.h>
#  define NPU__HAS_FLUSH 1
#else
#  define NPU__HAS_FLUSH 0
#endif

/* Switches it on for this thread; what it was, for npu__flush_end. */
NPU__INLINE unsigned npu__flush_begin(void) {
#if NPU__HAS_FLUSH
    const unsigned was = _mm_getcsr() & _MM_FLUSH_ZERO_MASK;
    if (!was) _mm_setcsr(_mm_getcsr() | _MM_FLUSH_ZERO_ON);
    return was;
#else
    return 0;
#endif
}

/* Exceptions that were raised meanwhile stay raised. */
NPU__INLINE void npu__flush_end(unsigned was) {
#if NPU__HAS_FLUSH
    if (!was) _mm_setcsr(_mm_getcsr() & ~(unsigned)_MM_FLUSH_ZERO_MASK);
#else
    (void)was;
#endif
}

#endif
