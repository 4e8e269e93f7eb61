/* Loops that compilers turn into vectors, also where they were told not to look for such (small builds, GCC's -O2). */
#ifndef NPU__KERNELS_VEC_LOOP_H
#define NPU__KERNELS_VEC_LOOP_H

#include "simd.h"

/* for (i = 0; i < n; i++) whose passes do not depend on each other. n must be a constant, a multiple of a vector's elements:
 * GCC at -O2 takes no other loops. Element i may be read and then written, nothing else that is written may be read. */
#if defined(__clang__) && (defined(__SSE2__) || defined(__ARM_NEON) || defined(__wasm_simd128__))
#  define NPU__VEC_FOR(i, n) _Pragma("clang loop vectorize(assume_safety)") for (int32_t i = 0; i < (n); i++)
#elif defined(__GNUC__) && !defined(__clang__)
#  define NPU__VEC_FOR(i, n) _Pragma("GCC ivdep") for (int32_t i = 0; i < (n); i++)
#else
#  define NPU__VEC_FOR(i, n) for (int32_t i = 0; i < (n); i++)
#endif

/* Integer results that go through float must not depend on whether the target fuses a*b+c. GCC fuses across
 * statements, clang only inside one expression: so such code also keeps one operation a statement. */
#if defined(__GNUC__) && !defined(__clang__)
#  define NPU__NO_FUSE __attribute__((optimize("fp-contract=off")))
#else
#  define NPU__NO_FUSE
#endif

/* A function that such a loop calls: else clang -O1 leaves the call. */
#if defined(__GNUC__)
#  define NPU__LOOP_BODY __attribute__((always_inline))
#else
#  define NPU__LOOP_BODY
#endif

/* A number that the compiler does not know to be constant: V8 makes three instructions of each use of a vector that it knows, inside of a
 * loop too, and one of a vector in a local. */
NPU__LOOP_BODY NPU__INLINE float npu__kept_f32(float x) {
#if NPU__HAS_WASM_SIMD
    __asm__("" : "+r"(x));
#endif
    return x;
}

#define NPU__LOOPS_ANY "loops" /* what profiles call them */

/* A template of such loops is stamped for every processor, and once more where x86 has AVX2: NPU__V(name) adds the suffix,
 * NPU__VFN what the functions need. NPU__LOOPS_ROWS(X): X(suffix, name, isa), best first. */
#if NPU__HAS_X86
#  define NPU__LOOPS_AVX2(X) X(avx2, NPU__LOOPS_ANY ".avx2", NPU_ISA_AVX2)
#else
#  define NPU__LOOPS_AVX2(X)
#endif
#define NPU__LOOPS_ROWS(X) NPU__LOOPS_AVX2(X) X(any, NPU__LOOPS_ANY, NPU_ISA_SCALAR)

#endif
