/* ELU: float and int8 by table. */
#include "lut.h"

/* expm1, not exp - 1: exact near 0, as TFLite's. */
NPU__EW_ROW1(npu__elu_f32, NPU__EW_NO_LOCALS, float, float, x < 0.0f ? expm1f(x) : x)

NPU__FN float npu__elu_real(float x, const void *arg) { (void)arg; return x < 0.0f ? expm1f(x) : x; }

NPU__FN npu_status npu__elu_prepare(npu__ctx *c) {
    if (!npu__ew_same_types(c, 1)) return npu__fail_types(c);
    if (c->in[0]->type == NPU_FLOAT32) return npu__ew_prepare_unary(c, npu__elu_f32, NPU__PW_elu);
    if (c->in[0]->type != NPU_INT8) return npu__fail_types(c);
    return npu__lut_prepare(c, npu__elu_real, NULL);
}

NPU__OPDEF(npu__op_elu) = {1, 1, 1, 1, 0, NPU__OP_INPLACE0 | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__lut_op), npu__infer_same_as_in0,
                                       npu__elu_prepare, NULL, npu__ew_eval, npu__work_exp};
