/* What the user asked for (NPU_RT_*) and the platform offers, resolved once into NPU__HAS_* (always 0 or 1). */
#ifndef NPU__BASE_CONFIG_H
#define NPU__BASE_CONFIG_H

#include "../npu.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(NPU_RT_MALLOC) != defined(NPU_RT_FREE)
#  error "npu_rt: define both NPU_RT_MALLOC(n) and NPU_RT_FREE(p), or neither"
#endif
#if defined(NPU_RT_NO_MALLOC)
#  define NPU__HAS_MALLOC 0
#else
#  define NPU__HAS_MALLOC 1
#  ifndef NPU_RT_MALLOC
#    include <stdlib.h>
#    define NPU_RT_MALLOC(n) malloc(n)
#    define NPU_RT_FREE(p) free(p)
#    if defined(__linux__) && UINTPTR_MAX > 0xFFFFFFFFu
#      define NPU__HAS_CALLOC /* one that leaves out zeros where memory is fresh */
#      include <sys/mman.h> /* MADV_HUGEPAGE: a hint that large blocks of malloc's come with (alloc.c) */
#    endif
#  endif
#endif

#ifndef NPU_RT_ASSERT
#  include <assert.h>
#  define NPU_RT_ASSERT(x) assert(x)
#endif
#define NPU__ASSERT(x) NPU_RT_ASSERT(x)

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#  error "npu_rt: only little-endian targets are supported: constants are used where they lie in the file"
#endif

#ifdef NPU_RT_NO_STRINGS
#  define NPU__HAS_STRINGS 0
#else
#  define NPU__HAS_STRINGS 1
#endif
#ifdef NPU_RT_NO_REPORTS
#  define NPU__HAS_REPORTS 0
#else
#  define NPU__HAS_REPORTS 1
#endif
/* Building models without a file. Options are set by name, so such builds keep the schema's names whatever else they lack. */
#ifdef NPU_RT_GRAPH
#  define NPU__HAS_GRAPH 1
#else
#  define NPU__HAS_GRAPH 0
#endif
#ifdef NPU_RT_NNAPI
#  define NPU__HAS_NNAPI 1
#else
#  define NPU__HAS_NNAPI 0
#endif
#ifdef NPU_RT_NO_PROFILE
#  define NPU__HAS_PROFILE 0
#else
#  define NPU__HAS_PROFILE 1
#endif
/* Asserts before each operator, and, under AddressSanitizer, memory that it must not touch is poisoned. */
#if defined(NPU_RT_DEBUG)
#  define NPU__HAS_DEBUG 1
#else
#  define NPU__HAS_DEBUG 0
#endif
#define NPU__HAS_POISON 0
#if NPU__HAS_DEBUG
#  if defined(__SANITIZE_ADDRESS__)
#    undef NPU__HAS_POISON
#    define NPU__HAS_POISON 1
#  elif defined(__has_feature)
#    if __has_feature(address_sanitizer)
#      undef NPU__HAS_POISON
#      define NPU__HAS_POISON 1
#    endif
#  endif
#endif
#if defined(NPU_RT_THREADS)
#  define NPU__HAS_THREADS 1
#else
#  define NPU__HAS_THREADS 0
#endif

/* SIMD the compiler can emit for this target; the CPU is asked at run time where that makes a difference. */
#define NPU__HAS_X86 0
#define NPU__HAS_AVXVNNI 0
#define NPU__HAS_AMX 0
#define NPU__HAS_NEON 0
#define NPU__HAS_NEON64 0 /* that of AArch64 */
#define NPU__HAS_NEON_DOT 0
#define NPU__HAS_I8MM 0
#define NPU__HAS_WASM_SIMD 0
#define NPU__HAS_WASM_RELAXED 0
#ifdef NPU_RT_NO_WINOGRAD
#  define NPU__HAS_WINOGRAD 0
#else
#  define NPU__HAS_WINOGRAD 1
#endif
/* Wasmtime makes several instructions of a broadcast from memory, and one of a lane's. V8 has one for both, but not the registers to hold
 * rows for lanes beside a tile's sums. WASM_F32_ROWS: of a tile of floats with multiply-add. */
#ifdef NPU_RT_WASM_LANES
#  define NPU__WASM_LANES 1
#  define NPU__WASM_F32_ROWS 4
#else
#  define NPU__WASM_LANES 0
#  define NPU__WASM_F32_ROWS 6
#endif
#ifndef NPU_RT_NO_SIMD
#  if (defined(__x86_64__) || defined(__i386__)) && (defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 9))
#    undef NPU__HAS_X86
#    define NPU__HAS_X86 1
#    ifdef __has_include
#      if __has_include(<avxvnniintrin.h>)
#        undef NPU__HAS_AVXVNNI
#        define NPU__HAS_AVXVNNI 1
#      endif
#      if defined(__x86_64__) && defined(__linux__) && !defined(__ILP32__)
#        if __has_include(<amxint8intrin.h>) || __has_include(<amxintrin.h>) /* GCC and clang */
#          undef NPU__HAS_AMX
#          define NPU__HAS_AMX 1
#        endif
#      endif
#    endif
#  elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86))
#    undef NPU__HAS_X86
#    define NPU__HAS_X86 1
#    if _MSC_VER >= 1930
#      undef NPU__HAS_AVXVNNI
#      define NPU__HAS_AVXVNNI 1
#    endif
#  elif defined(__aarch64__)
#    undef NPU__HAS_NEON
#    define NPU__HAS_NEON 1
#    undef NPU__HAS_NEON64
#    define NPU__HAS_NEON64 1
#    undef NPU__HAS_NEON_DOT
#    define NPU__HAS_NEON_DOT 1
#    if defined(__ARM_FEATURE_MATMUL_INT8) || (defined(__clang__) ? __clang_major__ >= 16 : __GNUC__ >= 10)
#      undef NPU__HAS_I8MM
#      define NPU__HAS_I8MM 1
#    endif
/* Armv7, and Armv8 that runs its code. With GCC on Linux the CPU is asked, where the ABI has registers for floats. */
#  elif defined(__arm__) && (defined(__ARM_NEON) || (defined(__linux__) && defined(__ARM_PCS_VFP) && __ARM_ARCH >= 7 && \
                                                    !defined(__clang__) && defined(__GNUC__) && __GNUC__ >= 8))
#    undef NPU__HAS_NEON
#    define NPU__HAS_NEON 1
#  elif defined(__wasm_simd128__)
#    undef NPU__HAS_WASM_SIMD
#    define NPU__HAS_WASM_SIMD 1
#    ifdef __wasm_relaxed_simd__
#      undef NPU__HAS_WASM_RELAXED
#      define NPU__HAS_WASM_RELAXED 1
#    endif
#  endif
#endif

#if defined(__GNUC__) || defined(__clang__)
#  define NPU__UNUSED __attribute__((unused))
#  define NPU__INLINE static inline __attribute__((unused))
#  define NPU__NOINLINE __attribute__((noinline))
#else
#  define NPU__UNUSED
#  define NPU__INLINE static inline
#  define NPU__NOINLINE
#endif
/* Around the functions in which runs of a model spend their time, in the files that hold them, and around declarations before
 * those: what is declared for size stays so. A build that compiles all else for size, as web/module.c does, says with these
 * two how. Headers are included before. */
#ifndef NPU__SPEED_BEGIN
#  define NPU__SPEED_BEGIN
#  define NPU__SPEED_END
#endif
/* Private functions have internal linkage: two private copies of the header may be linked together. A source that is
 * compiled by itself (`make dev`, editors, ./amalgamate --check) finds what other sources define when it is linked. */
#ifdef NPU__FN /* tests/unit: extern, so that many programs link one object of all sources */
#elif defined(NPU__ONE_UNIT) /* npu_rt.c: all sources, or those before NPU__STOP_BEFORE, are one translation unit */
#  define NPU__FN static NPU__UNUSED
#else
#  define NPU__FN extern
#endif
/* A function that a header defines: each source that includes it has its own. */
#define NPU__HEADER_FN static NPU__UNUSED

#define NPU__COUNT(array) ((int32_t)(sizeof(array) / sizeof((array)[0])))
#define NPU__MIN(a, b) ((a) < (b) ? (a) : (b))
#define NPU__MAX(a, b) ((a) > (b) ? (a) : (b))

#endif
