/* REAL, IMAG and COMPLEX_ABS. */
#include "elementwise.h"

typedef struct npu__complex64 {
    float re, im;
} npu__complex64;
typedef struct npu__complex128 {
    double re, im;
} npu__complex128;

NPU__EW_ROW1(npu__real_c64, NPU__EW_NO_LOCALS, npu__complex64, float, x.re)
NPU__EW_ROW1(npu__real_c128, NPU__EW_NO_LOCALS, npu__complex128, double, x.re)
NPU__EW_ROW1(npu__imag_c64, NPU__EW_NO_LOCALS, npu__complex64, float, x.im)
NPU__EW_ROW1(npu__imag_c128, NPU__EW_NO_LOCALS, npu__complex128, double, x.im)
/* hypot neither overflows nor loses small parts on the way. */
NPU__EW_ROW1(npu__complex_abs_c64, NPU__EW_NO_LOCALS, npu__complex64, float, hypotf(x.re, x.im))
NPU__EW_ROW1(npu__complex_abs_c128, NPU__EW_NO_LOCALS, npu__complex128, double, hypot(x.re, x.im))

NPU__FN npu_status npu__complex_prepare(npu__ctx *c, npu__ew_row c64, npu__ew_row c128) {
    if (c->in[0]->type == NPU_COMPLEX64 && c->out[0]->type == NPU_FLOAT32) return npu__ew_prepare(c, c64, 1);
    if (c->in[0]->type == NPU_COMPLEX128 && c->out[0]->type == NPU_FLOAT64) return npu__ew_prepare(c, c128, 1);
    return npu__fail_types(c);
}
NPU__FN npu_status npu__real_prepare(npu__ctx *c) { return npu__complex_prepare(c, npu__real_c64, npu__real_c128); }
NPU__FN npu_status npu__imag_prepare(npu__ctx *c) { return npu__complex_prepare(c, npu__imag_c64, npu__imag_c128); }
NPU__FN npu_status npu__complex_abs_prepare(npu__ctx *c) {
    return npu__complex_prepare(c, npu__complex_abs_c64, npu__complex_abs_c128);
}

NPU__OPDEF(npu__op_real) = {1, 1, 1, 1, 0, 0, NPU__DATA(npu__ew), npu__infer_same_as_in0,
                                        npu__real_prepare, NULL, npu__ew_eval, NULL};
NPU__OPDEF(npu__op_imag) = {1, 1, 1, 1, 0, 0, NPU__DATA(npu__ew), npu__infer_same_as_in0,
                                        npu__imag_prepare, NULL, npu__ew_eval, NULL};
NPU__OPDEF(npu__op_complex_abs) = {1, 1, 1, 1, 0, 0, NPU__DATA(npu__ew), npu__infer_same_as_in0,
                                               npu__complex_abs_prepare, NULL, npu__ew_eval, npu__work_exp};
