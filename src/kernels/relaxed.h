/* WebAssembly's relaxed dot product, for machines on which a try has shown that it is exact (base/cpu.c): sums of four products of bytes,
 * the weights signed, the others unsigned (WASM_USDOT: x86 with AVX-VNNI) or signed (WASM_SDOT: AArch64). */
#ifndef NPU__KERNELS_RELAXED_H
#define NPU__KERNELS_RELAXED_H

#include "i8_stage_v128.h"

#if NPU__HAS_WASM_RELAXED
#  define NPU__HAS_DOT8 1
#  define NPU__V_DOT8(sum, w, a) wasm_i32x4_relaxed_dot_i8x16_i7x16_add(w, a, sum)
#elif defined(NPU__V_DOT8) /* tests/unit has one in C */
#  define NPU__HAS_DOT8 1
#else
#  define NPU__HAS_DOT8 0
#endif

#endif
