/* The rows of kernels.h as tables, and choosing among them: rows stand best first within a family. */
#include "kernels.h"
#include "gemv_panels.h"
#include "sparse_f32.h"
#include "winograd_f32.h"

#ifndef NPU__ONE_UNIT
#  include "rows_declare.h"
#endif

#define NPU__ROWS(kind) kind##_rows
#define NPU__NAME(name) name
#define NPU__CODE(f) f
#include "rows_template.h"

#if NPU__HAS_REPORTS
/* Every instruction set there is, for plans that are only measured: the rows' shapes, without code, and nobody asks their names. */
#  define NPU__ALL_ROWS
#  include "rows.h"
#  define NPU__ROWS(kind) kind##_rows_elsewhere
#  define NPU__NAME(name) "-"
#  define NPU__CODE(f) NULL
#  include "rows_template.h"
#  undef NPU__ALL_ROWS
#  include "rows.h"
#  define NPU__ROWS_FOR(isa, rows) (npu__isa_built(isa) ? rows : rows##_elsewhere)
#else
#  define NPU__ROWS_FOR(isa, rows) rows
#endif

/* NULL where no row fits: the caller stays with the reference. */
#define NPU__SELECT(type, fn, rows)                                     \
    NPU__FN const type *fn(npu_isa isa) {                               \
        for (const type *r = NPU__ROWS_FOR(isa, rows); r->name; r++)    \
            if (npu__isa_includes(isa, r->isa)) return r;               \
        return NULL;                                                    \
    }
NPU__SELECT(npu__gemm_i8_kernel, npu__gemm_i8_select, npu__gemm_i8_rows)
NPU__SELECT(npu__gemv_i8_kernel, npu__gemv_i8_select, npu__gemv_i8_rows)
NPU__SELECT(npu__gemm_f32_kernel, npu__gemm_f32_select, npu__gemm_f32_rows)
NPU__SELECT(npu__gemm_f32_kernel, npu__dots_f32_select, npu__dots_f32_rows)
NPU__SELECT(npu__gemv_f32_kernel, npu__gemv_f32_select, npu__gemv_f32_rows)
NPU__SELECT(npu__sparse_f32_kernel, npu__sparse_f32_select, npu__sparse_f32_rows)
NPU__SELECT(npu__wino_f32_kernel, npu__wino_f32_select, npu__wino_f32_rows)
NPU__SELECT(npu__dw_kernel, npu__dw_f32_select, npu__dw_f32_rows)
NPU__SELECT(npu__gemv_panels_i8_kernel, npu__gemv_panels_i8_select, npu__gemv_panels_i8_rows)
NPU__SELECT(npu__gemv_panels_f32_kernel, npu__gemv_panels_f32_select, npu__gemv_panels_f32_rows)
NPU__SELECT(npu__blocks_i4_kernel, npu__blocks_i4_select, npu__blocks_i4_rows)
#undef NPU__SELECT

NPU__FN const npu__dw_kernel *npu__dw_i8_select(npu_isa isa, int32_t channels, int bytes) {
    for (const npu__dw_kernel *r = NPU__ROWS_FOR(isa, npu__dw_i8_rows); r->name; r++) {
        if (npu__isa_includes(isa, r->isa) && channels >= r->unit && (bytes || r->together < 4)) return r;
    }
    return NULL;
}
#undef NPU__ROWS_FOR

NPU__FN const npu__gemm_f32_kernel *npu__gemm_f32_narrow(npu_isa isa, int32_t n, int32_t run) {
    return n <= 12 && run >= 32 ? npu__dots_f32_select(isa) : NULL;
}
