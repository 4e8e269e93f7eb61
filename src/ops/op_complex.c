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
/* |x| = m * sqrt(1 + (n / m)^2), m being the larger part: 1 / sqrt(s) by three steps of Newton, from a line that is off by 0.012 in
 * [1, 2]. What that cannot do (zeros, NaN, infinity) is hypot's, which neither overflows nor loses small parts on the way. */
NPU__FN void npu__complex_abs_c64(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    const npu__complex64 *x = (const npu__complex64 *)in[0];
    float                *o = (float *)out;
    (void)op;
    (void)step;
    for (; n >= 16; n -= 16, x += 16, o += 16) {
        float re[16], im[16];
        for (int32_t k = 0; k < 16; k++) { re[k] = fabsf(x[k].re); im[k] = fabsf(x[k].im); }
        NPU__VEC_FOR(k, 16) {
            const float m = re[k] > im[k] ? re[k] : im[k], t = (re[k] > im[k] ? im[k] : re[k]) / m, s = 1.0f + t * t, h = 0.5f * s;
            float       y = 1.2803f - 0.29289f * s;
            y *= 1.5f - h * y * y;
            y *= 1.5f - h * y * y;
            y *= 1.5f - h * y * y;
            o[k] = m * (s * y);
        }
        for (int32_t k = 0; k < 16; k++) if (!(o[k] > 0.0f && o[k] <= 3.402823466e+38f)) o[k] = hypotf(x[k].re, x[k].im);
    }
    for (int64_t k = 0; k < n; k++) o[k] = hypotf(x[k].re, x[k].im);
}
NPU__EW_ROW1(npu__complex_abs_c128, NPU__EW_NO_LOCALS, npu__complex128, double, hypot(x.re, x.im))

NPU__FN npu_status npu__complex_prepare(npu__ctx *c, npu__ew_row c64, npu__ew_row c128) {
    if (c->in[0]->type == NPU_COMPLEX64 && c->out[0]->type == NPU_FLOAT32) return npu__ew_prepare_loops(c, c64, 1);
    if (c->in[0]->type == NPU_COMPLEX128 && c->out[0]->type == NPU_FLOAT64) return npu__ew_prepare(c, c128, 1);
    return npu__fail_types(c);
}
NPU__FN npu_status npu__real_prepare(npu__ctx *c) { return npu__complex_prepare(c, npu__real_c64, npu__real_c128); }
NPU__FN npu_status npu__imag_prepare(npu__ctx *c) { return npu__complex_prepare(c, npu__imag_c64, npu__imag_c128); }
NPU__FN npu_status npu__complex_abs_prepare(npu__ctx *c) {
    return npu__complex_prepare(c, npu__complex_abs_c64, npu__complex_abs_c128);
}

NPU__OPDEF(npu__op_real) = {1, 1, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__ew), npu__infer_same_as_in0,
                                        npu__real_prepare, NULL, npu__ew_eval, NULL};
NPU__OPDEF(npu__op_imag) = {1, 1, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__ew), npu__infer_same_as_in0,
                                        npu__imag_prepare, NULL, npu__ew_eval, NULL};
NPU__OPDEF(npu__op_complex_abs) = {1, 1, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__ew), npu__infer_same_as_in0,
                                               npu__complex_abs_prepare, NULL, npu__ew_eval, npu__work_exp};
