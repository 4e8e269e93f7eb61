/* How floats round while a model is planned, packed or run.
 *
 * Subnormal ones: where masked attention or a fading state makes them, additions and products take a hundred times
 * as long on many x86 cores; so results below 2^-126 become zero there for the time of an invoke, on each thread that works, as
 * LiteRT does it. Reading them costs nothing once nobody makes them, and scales keep what the file says: what an operator is
 * given stays as it is (flush to zero, not "denormals are zero"). Other machines compute them at full speed.
 *
 * To nearest, whatever the caller has chosen: kernels of integers count on it where they compute by floats, which they do on x86
 * (WebAssembly knows nothing else). */
#ifndef NPU__BASE_FLOAT_MODE_H
#define NPU__BASE_FLOAT_MODE_H

#include "base.h"

#if defined(__SSE__) || defined(_M_X64)
#  include <xmmintrin.h>
#  if defined(NPU_RT_KEEP_DENORMALS)
#    define NPU__FLOAT_MODE_MASK ((unsigned)_MM_ROUND_MASK)
#    define NPU__FLOAT_MODE ((unsigned)_MM_ROUND_NEAREST)
#    define NPU__HAS_FLUSH 0
#  else
#    define NPU__FLOAT_MODE_MASK ((unsigned)(_MM_ROUND_MASK | _MM_FLUSH_ZERO_MASK))
#    define NPU__FLOAT_MODE ((unsigned)(_MM_ROUND_NEAREST | _MM_FLUSH_ZERO_ON))
#    define NPU__HAS_FLUSH 1
#  endif
#else
#  define NPU__HAS_FLUSH 0
#endif

/* Switches it on for this thread; what it was, for npu__float_mode_end. */
NPU__INLINE unsigned npu__float_mode_begin(void) {
#if defined(NPU__FLOAT_MODE)
    const unsigned all = _mm_getcsr(), was = all & NPU__FLOAT_MODE_MASK;
    if (was != NPU__FLOAT_MODE) _mm_setcsr((all & ~NPU__FLOAT_MODE_MASK) | NPU__FLOAT_MODE);
    return was;
#else
    return 0;
#endif
}

/* Exceptions that were raised meanwhile stay raised. */
NPU__INLINE void npu__float_mode_end(unsigned was) {
#if defined(NPU__FLOAT_MODE)
    if (was != NPU__FLOAT_MODE) _mm_setcsr((_mm_getcsr() & ~NPU__FLOAT_MODE_MASK) | was);
#else
    (void)was;
#endif
}

#endif
