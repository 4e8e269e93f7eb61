/* All fast kernels, one row for each and its instruction set, best first within a family: X(name, isa, ...the fields of its type in kernels.h,
 * in order...). */
#ifndef NPU__KERNELS_KERNEL_ROWS_H
#define NPU__KERNELS_KERNEL_ROWS_H

#define NPU__GEMM_I8_KERNELS(X)                                                                                  \
    NPU__AMX_ROW(X, "gemm_i8.amx", AMX_INT8, 32, 32, 4, NPU__A_U8, NPU__COLS_EIGHTS, NPU__SHIFT_FOLD_COUNTS,     \
                 npu__stage_u8__vnni, NPU__NO_SUM, npu__row_sums__vnni, npu__finish_hybrid__avx2, npu__i8_gemm_32x32__amx)                                      \
    NPU__X86_ROW(X, "gemm_i8.vnni", AVX512VNNI, 8, 32, 4, NPU__A_U8, NPU__COLS_EIGHTS_FEW, NPU__SHIFT_FOLD_COUNTS, \
                 npu__stage_u8__vnni, NPU__NO_SUM, npu__row_sums__vnni, NPU__NO_FLOATS, npu__i8_gemm_few__vnni)                                      \
    NPU__X86_ROW(X, "gemm_i8.avx512", AVX512, 8, 32, 2, NPU__A_I16, NPU__COLS_EIGHTS, NPU__SHIFT_FOLD_COUNTS, npu__stage_i16__avx2, \
                 NPU__NO_SUM, npu__row_sums_i16__avx2, npu__finish_hybrid__avx2, npu__i8_gemm_8x32__avx512)                                                  \
    NPU__AVXVNNI_ROW(X, "gemm_i8.avxvnni", AVXVNNI, 6, 16, 4, NPU__A_U8, NPU__COLS_HALVES, NPU__SHIFT_FOLD_COUNTS, npu__stage_u8, \
                     NPU__NO_SUM, npu__row_sums_u8__avx2, npu__finish_hybrid__avx2, npu__i8_gemm_6x16__avxvnni)                                                    \
    NPU__X86_ROW(X, "gemm_i8.avx2", AVX2, 6, 16, 2, NPU__A_I16, NPU__COLS_HALVES, NPU__SHIFT_FOLD_COUNTS, npu__stage_i16__avx2, \
                 NPU__NO_SUM, npu__row_sums_i16__avx2, npu__finish_hybrid__avx2, npu__i8_gemm_6x16__avx2)                                                    \
    NPU__X86_ROW(X, "gemm_i8.sse4.1", SSE41, 4, 8, 2, NPU__A_I16, NPU__COLS_IN_ORDER, NPU__SHIFT_FOLD_POWERS, npu__stage_i16__v128, \
                 NPU__NO_SUM, npu__row_sums__v128, npu__finish_hybrid, npu__i8_gemm_4x8__v128)                                                     \
    NPU__I8MM_ROW(X, "gemm_i8.neon-i8mm", NEON_I8MM, 8, 8, 8, NPU__A_S8, NPU__COLS_IN_ORDER, NPU__SHIFT_COUNTS, npu__stage_s8,    \
                  npu__sum_s8, NPU__NO_ROW_SUMS, npu__finish_hybrid, npu__i8_gemm_8x8__i8mm)                                                           \
    NPU__NEON_DOT_ROW(X, "gemm_i8.neon-dot", NEON_DOT, 8, 8, 4, NPU__A_S8, NPU__COLS_IN_ORDER, NPU__SHIFT_COUNTS, npu__stage_s8,      \
                  npu__sum_s8, NPU__NO_ROW_SUMS, npu__finish_hybrid, npu__i8_gemm_8x8__dot)                                                            \
    NPU__NEON_ROW(X, "gemm_i8.neon", NEON, 4, 8, 1, NPU__A_I16, NPU__COLS_IN_ORDER, NPU__SHIFT_COUNTS, npu__stage_i16__neon,      \
                  npu__sum_i16__neon, NPU__NO_ROW_SUMS, npu__finish_hybrid, npu__i8_gemm_4x8__neon)                                                    \
    NPU__WASM_DOT_ROW(X, "gemm_i8.wasm-usdot", WASM_USDOT, 6, 8, 4, NPU__A_U8, NPU__COLS_IN_ORDER, NPU__SHIFT_FOLD_POWERS, npu__stage_u8, \
                      NPU__NO_SUM, npu__row_sums__relaxed, npu__finish_hybrid, npu__i8_gemm_6x8__relaxed)                     \
    NPU__WASM_DOT_ROW(X, "gemm_i8.wasm-sdot", WASM_SDOT, 6, 8, 4, NPU__A_S8, NPU__COLS_IN_ORDER, NPU__SHIFT_FOLD_POWERS, npu__stage_s8, \
                      NPU__NO_SUM, npu__row_sums__relaxed, npu__finish_hybrid, npu__i8_gemm_6x8__relaxed)                     \
    NPU__WASM_ROW(X, "gemm_i8.wasm", WASM_SIMD, 4, 8, 2, NPU__A_I16, NPU__COLS_IN_ORDER, NPU__SHIFT_FOLD_POWERS, npu__stage_i16__v128, \
                  NPU__NO_SUM, npu__row_sums__v128, npu__finish_hybrid, npu__i8_gemm_4x8__v128)

#define NPU__GEMV_I8_KERNELS(X)                                                                                     \
    NPU__X86_ROW(X, "gemv_i8.vnni", AVX512VNNI, npu__stage_i16__avx2, npu__sum_i16__avx2, npu__i8_gemv__vnni,       \
                 npu__finish_fixed__avx2, npu__finish_real__avx512, npu__finish_float__avx2, npu__finish_hybrid__avx2, \
                 npu__i8_gemv_blocks__vnni, NPU__BYTES_FLIPPED, npu__stage_u8__vnni, npu__i8_gemv_bytes__vnni, npu__minmax_f32__avx512, \
                 npu__quantize_f32__avx512)                                                                         \
    NPU__AVXVNNI_ROW(X, "gemv_i8.avxvnni", AVXVNNI, npu__stage_i16__avx2, npu__sum_i16__avx2, npu__i8_gemv__avx2,   \
                 npu__finish_fixed__avx2, npu__finish_real__avx2, npu__finish_float__avx2, npu__finish_hybrid__avx2, \
                 npu__i8_gemv_blocks__avx2, NPU__BYTES_FLIPPED, npu__stage_u8, npu__i8_gemv_bytes__avxvnni, npu__minmax_f32__avx2,   \
                 npu__quantize_f32__avx2)                                                                           \
    NPU__X86_ALIKE_ROW(X, "gemv_i8.avx512", AVX512, npu__stage_i16__avx2, npu__sum_i16__avx2, npu__i8_gemv__avx512,       \
                 npu__finish_fixed__avx2, npu__finish_real__avx512, npu__finish_float__avx2, npu__finish_hybrid__avx2, \
                 npu__i8_gemv_blocks__avx512, NPU__BYTES_NARROW, npu__stage_u8, npu__i8_gemv_bytes__avx2, npu__minmax_f32__avx512, \
                 npu__quantize_f32__avx512)                                                                         \
    NPU__X86_ROW(X, "gemv_i8.avx2", AVX2, npu__stage_i16__avx2, npu__sum_i16__avx2, npu__i8_gemv__avx2,             \
                 npu__finish_fixed__avx2, npu__finish_real__avx2, npu__finish_float__avx2, npu__finish_hybrid__avx2, \
                 npu__i8_gemv_blocks__avx2, NPU__BYTES_NARROW, npu__stage_u8, npu__i8_gemv_bytes__avx2, npu__minmax_f32__avx2,   \
                 npu__quantize_f32__avx2)                                                                           \
    NPU__X86_ROW(X, "gemv_i8.sse4.1", SSE41, npu__stage_i16__v128, npu__sum_i16__v128, npu__i8_gemv__v128,          \
                 npu__finish_fixed, npu__finish_real__v128, npu__finish_float, npu__finish_hybrid, NPU__NO_BLOCKS,        \
                 NPU__NO_BYTES, npu__minmax_f32, npu__quantize_f32)                                                 \
    NPU__NEON_ROW(X, "gemv_i8.neon", NEON, npu__stage_i16__neon, npu__sum_i16__neon, npu__i8_gemv__neon,            \
                  npu__finish_fixed, npu__finish_real, npu__finish_float, npu__finish_hybrid, NPU__NO_BLOCKS,       \
                  NPU__NO_BYTES, npu__minmax_f32, npu__quantize_f32)                                                               \
    NPU__WASM_DOT_ROW(X, "gemv_i8.wasm-usdot", WASM_USDOT, npu__stage_i16__v128, npu__sum_i16__v128, npu__i8_gemv__v128, \
                      npu__finish_fixed, npu__finish_real__v128, npu__finish_float, npu__finish_hybrid, NPU__NO_BLOCKS, \
                      NPU__BYTES_FLIPPED, npu__stage_u8, npu__i8_gemv_bytes__relaxed, npu__minmax_f32, npu__quantize_f32) \
    NPU__WASM_DOT_ROW(X, "gemv_i8.wasm-sdot", WASM_SDOT, npu__stage_i16__v128, npu__sum_i16__v128, npu__i8_gemv__v128, \
                      npu__finish_fixed, npu__finish_real__v128, npu__finish_float, npu__finish_hybrid, NPU__NO_BLOCKS, \
                      NPU__BYTES_SIGNED, npu__stage_u8, npu__i8_gemv_bytes__relaxed, npu__minmax_f32, npu__quantize_f32) \
    NPU__WASM_ROW(X, "gemv_i8.wasm", WASM_SIMD, npu__stage_i16__v128, npu__sum_i16__v128, npu__i8_gemv__v128,       \
                  npu__finish_fixed, npu__finish_real__v128, npu__finish_float, npu__finish_hybrid, NPU__NO_BLOCKS,       \
                  NPU__NO_BYTES, npu__minmax_f32, npu__quantize_f32)

#define NPU__GEMM_F32_KERNELS(X)                                                                 \
    NPU__X86_ROW(X, "gemm_f32.avx512", AVX512, 8, 32, 32, npu__f32_gemm_8x32__avx512)                \
    NPU__X86_ROW(X, "gemm_f32.avx2", AVX2, 12, 24, 8, npu__f32_gemm_4x24__avx2)                      \
    NPU__X86_ROW(X, "gemm_f32.sse4.1", SSE41, 6, 8, 8, npu__f32_gemm_x8__sse41)                    \
    NPU__NEON_ROW(X, "gemm_f32.neon", NEON, 6, 8, 8, npu__f32_gemm_x8__neon)                       \
    NPU__RELAXED_ROW(X, "gemm_f32.wasm-relaxed", WASM_RELAXED, NPU__WASM_F32_ROWS, 8, 8, npu__f32_gemm_x8__relaxed) \
    NPU__WASM_ROW(X, "gemm_f32.wasm", WASM_SIMD, 5, 8, 8, npu__f32_gemm_x8__wasm)

#define NPU__DOTS_F32_KERNELS(X) NPU__X86_ROW(X, "dots_f32.avx2", AVX2, 3, 4, 4, npu__f32_dots_3x4__avx2)

#define NPU__GEMV_F32_KERNELS(X)                                                       \
    NPU__X86_ALIKE_ROW(X, "gemv_f32.avx2", AVX2, npu__f32_gemv__avx2)                        \
    NPU__X86_ROW(X, "gemv_f32.sse4.1", SSE41, npu__f32_gemv__sse41)                    \
    NPU__NEON_ROW(X, "gemv_f32.neon", NEON, npu__f32_gemv__neon)                       \
    NPU__RELAXED_ROW(X, "gemv_f32.wasm-relaxed", WASM_RELAXED, npu__f32_gemv__relaxed) \
    NPU__WASM_ROW(X, "gemv_f32.wasm", WASM_SIMD, npu__f32_gemv__wasm)

#define NPU__DW_I8_KERNELS(X)                                                       \
    NPU__X86_ROW(X, "dw_i8.vnni", AVX512VNNI, 16, 4, NPU__DW_QUARTERS, NPU__SHIFT_FOLD_COUNTS, NPU__A_U8, npu__i8_dw__vnni) \
    NPU__X86_ROW(X, "dw_i8.avx2", AVX2, 8, 2, NPU__DW_HALVES, NPU__SHIFT_FOLD_PAIRS, NPU__A_I16, npu__i8_dw__avx2)  \
    NPU__X86_ROW(X, "dw_i8.sse4.1", SSE41, 8, 2, NPU__DW_IN_ORDER, NPU__SHIFT_FOLD_POWERS, NPU__A_I16, npu__i8_dw__v128) \
    NPU__NEON_ROW(X, "dw_i8.neon", NEON, 8, 1, NPU__DW_IN_ORDER, NPU__SHIFT_COUNTS, NPU__A_I16, npu__i8_dw__neon) \
    NPU__WASM_DOT_ROW(X, "dw_i8.wasm-usdot", WASM_USDOT, 8, 4, NPU__DW_IN_ORDER, NPU__SHIFT_FOLD_POWERS, NPU__A_U8, npu__i8_dw_usdot__relaxed) \
    NPU__WASM_DOT_ROW(X, "dw_i8.wasm-sdot", WASM_SDOT, 8, 4, NPU__DW_IN_ORDER, NPU__SHIFT_FOLD_POWERS, NPU__A_S8, npu__i8_dw_sdot__relaxed) \
    NPU__WASM_ROW(X, "dw_i8.wasm", WASM_SIMD, 8, 2, NPU__DW_IN_ORDER, NPU__SHIFT_FOLD_POWERS, NPU__A_I16, npu__i8_dw__v128)

#define NPU__DW_F32_KERNELS(X)                                                                              \
    NPU__X86_ALIKE_ROW(X, "dw_f32.avx512", AVX512, 8, 1, NPU__DW_IN_ORDER, NPU__SHIFT_COUNTS, npu__f32_dw__avx512)                  \
    NPU__X86_ALIKE_ROW(X, "dw_f32.avx2", AVX2, 8, 1, NPU__DW_IN_ORDER, NPU__SHIFT_COUNTS, npu__f32_dw__avx2)                        \
    NPU__X86_ROW(X, "dw_f32.sse4.1", SSE41, 8, 1, NPU__DW_IN_ORDER, NPU__SHIFT_COUNTS, npu__f32_dw__sse41)                    \
    NPU__NEON_ROW(X, "dw_f32.neon", NEON, 8, 1, NPU__DW_IN_ORDER, NPU__SHIFT_COUNTS, npu__f32_dw__neon)                       \
    NPU__RELAXED_ROW(X, "dw_f32.wasm-relaxed", WASM_RELAXED, 8, 1, NPU__DW_IN_ORDER, NPU__SHIFT_COUNTS, npu__f32_dw__relaxed) \
    NPU__WASM_ROW(X, "dw_f32.wasm", WASM_SIMD, 8, 1, NPU__DW_IN_ORDER, NPU__SHIFT_COUNTS, npu__f32_dw__wasm)

#endif
