/* GELU, exact and with the tanh approximation: floats, and 8 and 16 bits by table. */
#include "lut.h"

/* Products are kept apart from sums: a fused multiply-add would change table entries from machine to machine. */
NPU__INLINE float npu__gelu_tanh(float x) {
    volatile float cube = 0.044715f * x * x * x;
    return 0.5f * x * (1.0f + tanhf(0.797884583473205566f * (x + cube)));
}
/* erfc of the negated argument, not 1 + erf: no cancellation far left of 0. The constants are TFLite's, as float. */
NPU__INLINE float npu__gelu_erf(float x) { return 0.5f * x * erfcf(x * -0.707106769084930420f); }

NPU__FN float npu__gelu_tanh_real(float x, const void *arg) { (void)arg; return npu__gelu_tanh(x); }
NPU__FN float npu__gelu_erf_real(float x, const void *arg) { (void)arg; return npu__gelu_erf(x); }

NPU__EW_ROW1(npu__gelu_erf_f32, NPU__EW_NO_LOCALS, float, float, npu__gelu_erf(x))
NPU__EW_ROW1(npu__gelu_tanh_f32, NPU__EW_NO_LOCALS, float, float, npu__gelu_tanh(x))
NPU__EW_ROW1(npu__gelu_erf_f16, NPU__EW_NO_LOCALS, uint16_t, uint16_t,
             npu__f16_from_f32(npu__gelu_erf(npu__f16_to_f32(x))))
NPU__EW_ROW1(npu__gelu_tanh_f16, NPU__EW_NO_LOCALS, uint16_t, uint16_t,
             npu__f16_from_f32(npu__gelu_tanh(npu__f16_to_f32(x))))

NPU__FN npu_status npu__gelu_prepare(npu__ctx *c) {
    int         approximate = NPU__OPTIONS(c->node, GeluOptions)->approximate;
    npu__ew_row f32 = approximate ? npu__gelu_tanh_f32 : npu__gelu_erf_f32;
    npu__ew_row f16 = approximate ? npu__gelu_tanh_f16 : npu__gelu_erf_f16;
    if (!npu__ew_same_types(c, 1)) return npu__fail_types(c);
    if (c->in[0]->type == NPU_FLOAT32) return npu__ew_prepare_unary(c, f32, approximate ? NPU__PW_gelu_tanh : NPU__PW_gelu);
    if (c->in[0]->type == NPU_FLOAT16) return npu__ew_prepare(c, f16, 1);
    return npu__lut_prepare(c, approximate ? npu__gelu_tanh_real : npu__gelu_erf_real, NULL);
}

NPU__OPDEF(npu__op_gelu) = {1, 1, 1, 1, 0, NPU__OP_INPLACE0 | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__lut_op), npu__infer_same_as_in0,
                                        npu__gelu_prepare, NULL, npu__ew_eval, npu__work_exp};
