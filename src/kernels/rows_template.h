/* The rows of kernels.h as tables. select.c includes this twice: NPU__ROWS(kind) names a table, NPU__NAME(name) a row in it,
 * NPU__CODE(f) is its code or NULL. */
#define NPU__NO_BLOCKS NULL
#define NPU__NO_FLOATS NULL
#define NPU__NO_SUM NULL
#define NPU__NO_ROW_SUMS NULL
#define NPU__NO_BYTES NPU__BYTES_NONE, NULL, NULL
#define NPU_X(name, isa, mr, nr, kr, a_kind, order, shifts, stage, sum, row_sums, floats, run) \
    {NPU__NAME(name), NPU_ISA_##isa, mr, nr, kr, a_kind, order, shifts, NPU__CODE(stage), NPU__CODE(sum), NPU__CODE(row_sums), \
     NPU__CODE(floats), NPU__CODE(run)},
static const npu__gemm_i8_kernel NPU__ROWS(npu__gemm_i8)[] = {
    NPU__GEMM_I8_KERNELS(NPU_X) {NULL, NPU_ISA_AUTO, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL}
};
#undef NPU_X
#define NPU_X(name, isa, stage, sum, run, fixed, real, floats, hybrid, blocks, bytes, stage_bytes, run_bytes, minmax, quantize) \
    {NPU__NAME(name), NPU_ISA_##isa, NPU__CODE(stage), NPU__CODE(sum), NPU__CODE(run), NPU__CODE(fixed), NPU__CODE(real), \
     NPU__CODE(floats), NPU__CODE(hybrid), NPU__CODE(blocks), bytes, NPU__CODE(stage_bytes), NPU__CODE(run_bytes), NPU__CODE(minmax), NPU__CODE(quantize)},
static const npu__gemv_i8_kernel NPU__ROWS(npu__gemv_i8)[] = {
    NPU__GEMV_I8_KERNELS(NPU_X) {NULL, NPU_ISA_AUTO, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL}
};
#undef NPU_X
#define NPU_X(name, isa, mr, nr, unit, run) {NPU__NAME(name), NPU_ISA_##isa, mr, nr, unit, NPU__CODE(run), 0},
static const npu__gemm_f32_kernel NPU__ROWS(npu__gemm_f32)[] = {
    NPU__GEMM_F32_KERNELS(NPU_X) {NULL, NPU_ISA_AUTO, 0, 0, 0, NULL, 0}
};
#undef NPU_X
#define NPU_X(name, isa, mr, nr, unit, run) {NPU__NAME(name), NPU_ISA_##isa, mr, nr, unit, NPU__CODE(run), 1},
static const npu__gemm_f32_kernel NPU__ROWS(npu__dots_f32)[] = {
    NPU__DOTS_F32_KERNELS(NPU_X) {NULL, NPU_ISA_AUTO, 0, 0, 0, NULL, 0}
};
#undef NPU_X
#define NPU_X(name, isa, product, input, output, d_product, d_input, d_output, n_product, n_input, n_output, run) \
    {NPU__NAME(name), NPU_ISA_##isa, {product, input, output}, {d_product, d_input, d_output}, {n_product, n_input, n_output}, \
     NPU__CODE(run)},
static const npu__sparse_f32_kernel NPU__ROWS(npu__sparse_f32)[] = {
    NPU__SPARSE_F32_KERNELS(NPU_X) {NULL, NPU_ISA_AUTO, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, NULL}
};
#undef NPU_X
#define NPU_X(name, isa, lanes, input, output, store, fetch, in, out) \
    {NPU__NAME(name), NPU_ISA_##isa, lanes, input, output, store, fetch, NPU__CODE(in), NPU__CODE(out)},
static const npu__wino_f32_kernel NPU__ROWS(npu__wino_f32)[] = {
    NPU__WINO_F32_KERNELS(NPU_X) {NULL, NPU_ISA_AUTO, 0, 0, 0, 0, 0, NULL, NULL}
};
#undef NPU_X
#define NPU_X(name, isa, run) {NPU__NAME(name), NPU_ISA_##isa, NPU__CODE(run)},
static const npu__gemv_f32_kernel NPU__ROWS(npu__gemv_f32)[] = {
    NPU__GEMV_F32_KERNELS(NPU_X) {NULL, NPU_ISA_AUTO, NULL}
};
#undef NPU_X
#define NPU_X(name, isa, run, rows) {NPU__NAME(name), NPU_ISA_##isa, NPU__CODE(run), NPU__CODE(rows)},
static const npu__blocks_i4_kernel NPU__ROWS(npu__blocks_i4)[] = {NPU__BLOCKS_I4_KERNELS(NPU_X) {NULL, NPU_ISA_AUTO, NULL, NULL}};
#undef NPU_X
#define NPU_X(name, isa, run) {NPU__NAME(name), NPU_ISA_##isa, NPU__CODE(run)},
static const npu__gemv_panels_i8_kernel NPU__ROWS(npu__gemv_panels_i8)[] = {NPU__PANELS_I8_KERNELS(NPU_X) {NULL, NPU_ISA_AUTO, NULL}};
static const npu__gemv_panels_f32_kernel NPU__ROWS(npu__gemv_panels_f32)[] = {NPU__PANELS_F32_KERNELS(NPU_X) {NULL, NPU_ISA_AUTO, NULL}};
#undef NPU_X
#define NPU_X(name, isa, unit, together, swap, shifts, a_kind, run) \
    {NPU__NAME(name), NPU_ISA_##isa, unit, together, swap, shifts, a_kind, NPU__CODE(run)},
static const npu__dw_kernel NPU__ROWS(npu__dw_i8)[] = {
    NPU__DW_I8_KERNELS(NPU_X) {NULL, NPU_ISA_AUTO, 0, 0, 0, 0, 0, NULL}
};
#undef NPU_X
#define NPU_X(name, isa, unit, together, swap, shifts, run) \
    {NPU__NAME(name), NPU_ISA_##isa, unit, together, swap, shifts, 0, NPU__CODE(run)},
static const npu__dw_kernel NPU__ROWS(npu__dw_f32)[] = {
    NPU__DW_F32_KERNELS(NPU_X) {NULL, NPU_ISA_AUTO, 0, 0, 0, 0, 0, NULL}
};
#undef NPU_X
#undef NPU__NO_BLOCKS
#undef NPU__NO_FLOATS
#undef NPU__NO_SUM
#undef NPU__NO_ROW_SUMS
#undef NPU__NO_BYTES
#undef NPU__ROWS
#undef NPU__NAME
#undef NPU__CODE
