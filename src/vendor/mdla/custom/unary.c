/* MTK_ABS, MTK_ELU and MTK_REQUANTIZE: functions of one element. The guide names them and says no more: that they are the functions
 * of these names, with one input and without options, is assumed. Integers, by their scales: the real function of the real value,
 * rounded (ops/lut.c), but for a requantize, which is QUANTIZE between integers. */
#include "../../../ops/lut.h"
#include "../../../ops/quantize.h"
#include "../../vendors.h"
#include "../sizes.h"

#if NPU__HAS_MDLA

NPU__EW_ROW1(npu__mtk_abs_f32, NPU__EW_NO_LOCALS, float, float, fabsf(x))
NPU__EW_ROW1(npu__mtk_elu_f32, NPU__EW_NO_LOCALS, float, float, x < 0.0f ? expm1f(x) : x)

NPU__FN float npu__mtk_abs_real(float x, const void *arg) { (void)arg; return fabsf(x); }
NPU__FN float npu__mtk_elu_real(float x, const void *arg) { (void)arg; return x < 0.0f ? expm1f(x) : x; }

NPU__FN npu_status npu__mtk_unary(npu__ctx *c, npu__ew_row f32, npu__real_fn fn) {
    if (!npu__ew_same_types(c, 1)) return npu__fail_types(c);
    return c->in[0]->type == NPU_FLOAT32 ? npu__ew_prepare(c, f32, 1) : npu__lut_prepare(c, fn, NULL);
}

/* int16: a table of 513 entries would miss the kink at 0. */
typedef struct npu__mtk_abs {
    npu__lut_op lut;
    npu__qmul   mul;
} npu__mtk_abs;

NPU__FN void npu__mtk_abs_i16(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    const npu__qmul mul = ((const npu__mtk_abs *)op)->mul;
    const int16_t  *x = (const int16_t *)in[0];
    int16_t        *o = (int16_t *)out;
    (void)step;
    for (int64_t i = 0; i < n; i++) o[i] = (int16_t)npu__clamp32(npu__qmul_apply(x[i] < 0 ? -x[i] : x[i], mul), -32768, 32767);
}

NPU__FN npu_status npu__mtk_abs_prepare(npu__ctx *c) {
    if (c->in[0]->type != NPU_INT16 || c->out[0]->type != NPU_INT16) return npu__mtk_unary(c, npu__mtk_abs_f32, npu__mtk_abs_real);
    NPU__TRY(npu__need_quant(c, c->in[0], "the input"));
    NPU__TRY(npu__need_quant(c, c->out[0], "the output"));
    NPU__TRY(npu__need_symmetric_unary(c));
    ((npu__mtk_abs *)c->data)->mul = npu__qmul_of((double)npu__scale(c->in[0]) / (double)npu__scale(c->out[0]));
    return npu__ew_prepare(c, npu__mtk_abs_i16, 1);
}
NPU__FN npu_status npu__mtk_elu_prepare(npu__ctx *c) { return npu__mtk_unary(c, npu__mtk_elu_f32, npu__mtk_elu_real); }

NPU__OPDEF(npu__op_mtk_abs) = {1, 1, 1, 1, 0, NPU__OP_INPLACE0, NPU__DATA(npu__mtk_abs), npu__infer_same_as_in0,
                                           npu__mtk_abs_prepare, NULL, npu__ew_eval, NULL};
NPU__OPDEF(npu__op_mtk_elu) = {1, 1, 1, 1, 0, NPU__OP_INPLACE0, NPU__DATA(npu__lut_op), npu__infer_same_as_in0,
                                           npu__mtk_elu_prepare, NULL, npu__ew_eval, npu__work_exp};

/* ---- MTK_REQUANTIZE ---- */

NPU__FN npu_status npu__mtk_requantize_prepare(npu__ctx *c) {
    const int32_t in = c->in[0]->type, out = c->out[0]->type;
    const int     from = in == NPU_INT8 || in == NPU_UINT8 || in == NPU_INT16;
    const int     to = out == NPU_INT8 || out == NPU_UINT8 || out == NPU_INT16;
    if (!from || !to) return npu__fail_types(c);
    return npu__quantize_prepare_row(c, npu__quantize_integers);
}

NPU__OPDEF(npu__op_mtk_requantize) = {1, 1, 1, 1, 0, NPU__OP_INPLACE0 | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__quantize),
                                                  npu__infer_same_as_in0, npu__mtk_requantize_prepare, NULL,
                                                  npu__quantize_eval, NULL};

#endif
