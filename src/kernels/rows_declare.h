/* The functions that the rows of kernels.h name, declared for a select.c that is compiled by itself. No include guard. */
/* Where a row has none; nobody defines these. */
#define NPU__NO_BLOCKS npu__no_blocks
#define NPU__NO_FLOATS npu__no_floats
#define NPU__NO_SUM npu__no_sum
#define NPU__NO_ROW_SUMS npu__no_row_sums
#define NPU__NO_BYTES NPU__BYTES_NONE, npu__no_stage_bytes, npu__no_run_bytes
#define NPU_X(name, isa, mr, nr, kr, a_kind, order, shifts, stage, sum, row_sums, floats, run) \
    NPU__FN npu__stage_code         stage;                                          \
    NPU__FN npu__sum_code           sum;                                            \
    NPU__FN npu__row_sums_code      row_sums;                                       \
    NPU__FN npu__finish_hybrid_code floats;                                         \
    NPU__FN npu__gemm_i8_code       run;
NPU__GEMM_I8_KERNELS(NPU_X)
#undef NPU_X
#define NPU_X(name, isa, stage, sum, run, fixed, real, floats, hybrid, blocks, bytes, stage_bytes, run_bytes, minmax, quantize) \
    NPU__FN npu__stage_code        stage;                                                \
    NPU__FN npu__sum_code          sum;                                                  \
    NPU__FN npu__gemv_i8_code      run;                                                  \
    NPU__FN npu__finish_fixed_code fixed;                                                \
    NPU__FN npu__finish_real_code  real;                                                 \
    NPU__FN npu__finish_float_code floats;                                               \
    NPU__FN npu__finish_hybrid_code hybrid;                                              \
    NPU__FN npu__gemv_blocks_code  blocks;                                               \
    NPU__FN npu__stage_code        stage_bytes;                                          \
    NPU__FN npu__gemv_i8_code      run_bytes;                                            \
    NPU__FN npu__minmax_code       minmax;                                               \
    NPU__FN npu__quantize_code     quantize;
NPU__GEMV_I8_KERNELS(NPU_X)
#undef NPU_X
#define NPU_X(name, isa, mr, nr, unit, run) NPU__FN npu__gemm_f32_code run;
NPU__GEMM_F32_KERNELS(NPU_X)
NPU__DOTS_F32_KERNELS(NPU_X)
#undef NPU_X
#define NPU_X(name, isa, product, input, output, d_product, d_input, d_output, n_product, n_input, n_output, run) \
    NPU__FN npu__sparse_f32_code run;
NPU__SPARSE_F32_KERNELS(NPU_X)
#undef NPU_X
#define NPU_X(name, isa, lanes, input, output, store, fetch, in, out) \
    NPU__FN npu__wino_in_code  in;                                   \
    NPU__FN npu__wino_out_code out;
NPU__WINO_F32_KERNELS(NPU_X)
#undef NPU_X
#define NPU_X(name, isa, run) NPU__FN npu__gemv_f32_code run;
NPU__GEMV_F32_KERNELS(NPU_X)
NPU__PANELS_F32_KERNELS(NPU_X)
#undef NPU_X
#define NPU_X(name, isa, run) NPU__FN npu__gemv_i8_code run;
NPU__PANELS_I8_KERNELS(NPU_X)
#undef NPU_X
#define NPU_X(name, isa, run, rows) NPU__FN npu__blocks_i4_code run; NPU__FN npu__blocks_i4_rows_code rows;
NPU__BLOCKS_I4_KERNELS(NPU_X)
#undef NPU_X
#define NPU_X(name, isa, unit, together, swap, shifts, a_kind, run) NPU__FN npu__dw_code run;
NPU__DW_I8_KERNELS(NPU_X)
#undef NPU_X
#define NPU_X(name, isa, unit, together, swap, shifts, run) NPU__FN npu__dw_code run;
NPU__DW_F32_KERNELS(NPU_X)
#undef NPU_X
#undef NPU__NO_BLOCKS
#undef NPU__NO_FLOATS
#undef NPU__NO_SUM
#undef NPU__NO_ROW_SUMS
#undef NPU__NO_BYTES
