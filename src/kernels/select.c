/* The rows of kernels.h as tables, and choosing among them: rows stand best first within a family. */
#include "kernels.h"

#define NPU_X(name, isa, mr, nr, kr, a_kind, swap, shifts, stage, sum, run) \
    {name, NPU_ISA_##isa, mr, nr, kr, a_kind, swap, shifts, stage, sum, run},
static const npu__gemm_i8_kernel npu__gemm_i8_rows[] = {
    NPU__GEMM_I8_KERNELS(NPU_X) {NULL, NPU_ISA_AUTO, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL}
};
#undef NPU_X
#define NPU_X(name, isa, stage, sum, run, fixed, real, floats, blocks, minmax, quantize) \
    {name, NPU_ISA_##isa, stage, sum, run, fixed, real, floats, blocks, minmax, quantize},
static const npu__gemv_i8_kernel npu__gemv_i8_rows[] = {
    NPU__GEMV_I8_KERNELS(NPU_X) {NULL, NPU_ISA_AUTO, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}
};
#undef NPU_X
#define NPU_X(name, isa, mr, nr, run) {name, NPU_ISA_##isa, mr, nr, run},
static const npu__gemm_f32_kernel npu__gemm_f32_rows[] = {
    NPU__GEMM_F32_KERNELS(NPU_X) {NULL, NPU_ISA_AUTO, 0, 0, NULL}
};
#undef NPU_X
#define NPU_X(name, isa, run) {name, NPU_ISA_##isa, run},
static const npu__gemv_f32_kernel npu__gemv_f32_rows[] = {
    NPU__GEMV_F32_KERNELS(NPU_X) {NULL, NPU_ISA_AUTO, NULL}
};
#undef NPU_X
#define NPU_X(name, isa, pair, swap, shifts, run) {name, NPU_ISA_##isa, pair, swap, shifts, run},
static const npu__dw_kernel npu__dw_i8_rows[] = {
    NPU__DW_I8_KERNELS(NPU_X) {NULL, NPU_ISA_AUTO, 0, 0, 0, NULL}
};
static const npu__dw_kernel npu__dw_f32_rows[] = {
    NPU__DW_F32_KERNELS(NPU_X) {NULL, NPU_ISA_AUTO, 0, 0, 0, NULL}
};
#undef NPU_X


#if NPU__HAS_REPORTS
/* Every instruction set there is, for plans that are only measured: the rows' names and shapes, without code. */
#define NPU__ALL_ROWS
#include "rows.h"
#define NPU_X(name, isa, mr, nr, kr, a_kind, swap, shifts, stage, sum, run) \
    {name, NPU_ISA_##isa, mr, nr, kr, a_kind, swap, shifts, NULL, NULL, NULL},
static const npu__gemm_i8_kernel npu__gemm_i8_rows_elsewhere[] = {
    NPU__GEMM_I8_KERNELS(NPU_X) {NULL, NPU_ISA_AUTO, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL}
};
#undef NPU_X
#define NPU_X(name, isa, stage, sum, run, fixed, real, floats, blocks, minmax, quantize) \
    {name, NPU_ISA_##isa, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL},
static const npu__gemv_i8_kernel npu__gemv_i8_rows_elsewhere[] = {
    NPU__GEMV_I8_KERNELS(NPU_X) {NULL, NPU_ISA_AUTO, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}
};
#undef NPU_X
#define NPU_X(name, isa, mr, nr, run) {name, NPU_ISA_##isa, mr, nr, NULL},
static const npu__gemm_f32_kernel npu__gemm_f32_rows_elsewhere[] = {
    NPU__GEMM_F32_KERNELS(NPU_X) {NULL, NPU_ISA_AUTO, 0, 0, NULL}
};
#undef NPU_X
#define NPU_X(name, isa, run) {name, NPU_ISA_##isa, NULL},
static const npu__gemv_f32_kernel npu__gemv_f32_rows_elsewhere[] = {
    NPU__GEMV_F32_KERNELS(NPU_X) {NULL, NPU_ISA_AUTO, NULL}
};
#undef NPU_X
#define NPU_X(name, isa, pair, swap, shifts, run) {name, NPU_ISA_##isa, pair, swap, shifts, NULL},
static const npu__dw_kernel npu__dw_i8_rows_elsewhere[] = {
    NPU__DW_I8_KERNELS(NPU_X) {NULL, NPU_ISA_AUTO, 0, 0, 0, NULL}
};
static const npu__dw_kernel npu__dw_f32_rows_elsewhere[] = {
    NPU__DW_F32_KERNELS(NPU_X) {NULL, NPU_ISA_AUTO, 0, 0, 0, NULL}
};
#undef NPU_X
#undef NPU__ALL_ROWS
#include "rows.h"
#  define NPU__ROWS_FOR(isa, rows) (npu__isa_built(isa) ? rows : rows##_elsewhere)
#else
#  define NPU__ROWS_FOR(isa, rows) rows
#endif

#define NPU__SELECT(type, fn, rows)                                     \
    NPU__FN const type *fn(npu_isa isa) {                               \
        for (const type *r = NPU__ROWS_FOR(isa, rows); r->name; r++)    \
            if (npu__isa_includes(isa, r->isa)) return r;               \
        return NULL;                                                    \
    }
NPU__SELECT(npu__gemm_i8_kernel, npu__gemm_i8_select, npu__gemm_i8_rows)
NPU__SELECT(npu__gemv_i8_kernel, npu__gemv_i8_select, npu__gemv_i8_rows)
NPU__SELECT(npu__gemm_f32_kernel, npu__gemm_f32_select, npu__gemm_f32_rows)
NPU__SELECT(npu__gemv_f32_kernel, npu__gemv_f32_select, npu__gemv_f32_rows)
NPU__SELECT(npu__dw_kernel, npu__dw_i8_select, npu__dw_i8_rows)
NPU__SELECT(npu__dw_kernel, npu__dw_f32_select, npu__dw_f32_rows)
#undef NPU__SELECT
#undef NPU__ROWS_FOR
