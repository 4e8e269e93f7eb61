/* What kernels need to write code for an instruction set the compiler was not asked for, without any -m flag. */
#ifndef NPU__KERNELS_SIMD_H
#define NPU__KERNELS_SIMD_H

#include "../base/base.h"

/* GCC and Clang take the instruction set per function; MSVC always allows all of them. */
#if defined(__GNUC__) || defined(__clang__)
#  define NPU__TARGET(list) __attribute__((target(list), aligned(64)))
#else
#  define NPU__TARGET(list)
#endif

#if NPU__HAS_X86
#  include <immintrin.h>
#  ifndef NPU__AVX2 /* tests that emulate the intrinsics define both as nothing */
#    define NPU__SSE41 NPU__TARGET("sse4.1")
#    define NPU__AVX2 NPU__TARGET("avx2,fma")
#    define NPU__AVX2_ONLY NPU__TARGET("avx2") /* no multiply-add: the bits of plain C */
#    define NPU__AVX512 NPU__TARGET("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")
#    if defined(__GNUC__) && !defined(__clang__) /* loops that GCC makes vectors of */
#      define NPU__AVX512_LOOPS NPU__TARGET("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")
#    else
#      define NPU__AVX512_LOOPS NPU__AVX512
#    endif
#    define NPU__VNNI NPU__TARGET("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")
#    define NPU__VBMI NPU__TARGET("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx512vbmi")
#    define NPU__ASM_VNNI
#  endif
#  ifndef NPU__AVXVNNI
#    define NPU__AVXVNNI NPU__TARGET("avx2,fma,avxvnni")
#  endif
#  ifndef NPU__AMX
#    define NPU__AMX NPU__TARGET("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,amx-tile,amx-int8")
#  endif
/* GCC's own intrinsics for AVX-512 start from a register they call undefined, and GCC then warns of it. */
#  if defined(__GNUC__) && !defined(__clang__)
#    define NPU__AVX512_BEGIN                                           \
         _Pragma("GCC diagnostic push")                                 \
         _Pragma("GCC diagnostic ignored \"-Wmaybe-uninitialized\"")    \
         _Pragma("GCC diagnostic ignored \"-Wuninitialized\"")
#    define NPU__AVX512_END _Pragma("GCC diagnostic pop")
#  else
#    define NPU__AVX512_BEGIN
#    define NPU__AVX512_END
#  endif
#  define NPU__LOAD8(p) _mm_loadl_epi64((const __m128i *)(const void *)(p))
#  define NPU__LOAD16(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
#  define NPU__LOAD32(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#endif
#if NPU__HAS_NEON
#  include <arm_neon.h>
#  if NPU__HAS_NEON64 || defined(__ARM_NEON)
#    define NPU__NEON
#  else
#    define NPU__NEON NPU__TARGET("fpu=neon")
#  endif
#  ifdef __ARM_FEATURE_DOTPROD
#    define NPU__NEON_DOT
#  else
#    define NPU__NEON_DOT NPU__TARGET("arch=armv8.2-a+dotprod")
#  endif
#  ifdef __ARM_FEATURE_MATMUL_INT8
#    define NPU__NEON_I8MM
#  else
#    define NPU__NEON_I8MM NPU__TARGET("arch=armv8.2-a+i8mm")
#  endif
#endif
#if NPU__HAS_WASM_SIMD
#  include <wasm_simd128.h>
#endif

NPU__SPEED_BEGIN

/* A tile's statements once for each of its rows: accumulators stay in registers without relying on loop unrolling. */
#define NPU__ROWS_1(X) X(0)
#define NPU__ROWS_2(X) NPU__ROWS_1(X) X(1)
#define NPU__ROWS_3(X) NPU__ROWS_2(X) X(2)
#define NPU__ROWS_4(X) NPU__ROWS_3(X) X(3)
#define NPU__ROWS_5(X) NPU__ROWS_4(X) X(4)
#define NPU__ROWS_6(X) NPU__ROWS_5(X) X(5)
#define NPU__ROWS_7(X) NPU__ROWS_6(X) X(6)
#define NPU__ROWS_8(X) NPU__ROWS_7(X) X(7)

/* The ladder of every GEMM: all rows of `job` against one panel, in tiles of the most rows that a kernel has, then of 4, 2 and 1.
 * TILE(R) is one call, for the R rows from `row` on, whose results go to `out`; both move on behind it. */
#define NPU__TILE_DOWN(R, TILE)     \
    if (row + R <= job->m) {        \
        TILE(R);                    \
        row += R;                   \
        out += R * job->out_stride; \
    }
#define NPU__TILES(MOST, TILE)                                                               \
    do {                                                                                     \
        int32_t row = 0;                                                                     \
        for (; row + MOST <= job->m; row += MOST, out += MOST * job->out_stride) TILE(MOST); \
        NPU__TILES_BELOW_##MOST(TILE)                                                        \
        if (row < job->m) TILE(1);                                                           \
    } while (0)
#define NPU__TILES_BELOW_4(TILE) NPU__TILE_DOWN(2, TILE)
#define NPU__TILES_BELOW_5(TILE) NPU__TILE_DOWN(4, TILE) NPU__TILES_BELOW_4(TILE)
#define NPU__TILES_BELOW_6(TILE) NPU__TILE_DOWN(4, TILE) NPU__TILES_BELOW_4(TILE)
#define NPU__TILES_BELOW_8(TILE) NPU__TILE_DOWN(4, TILE) NPU__TILES_BELOW_4(TILE)

/* Two int16 as one int32 lane pattern, and four bytes likewise, from unaligned memory. */
NPU__INLINE int32_t npu__load_i32(const void *p) { int32_t v; memcpy(&v, p, 4); return v; }

NPU__SPEED_END

#endif
