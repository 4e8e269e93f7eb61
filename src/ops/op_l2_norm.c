/* L2_NORMALIZATION of the last dimension: float and 8 bits (output scale 1/128). */
#include "softmax.h"

typedef struct npu__l2_norm {
    npu__softmax_base base;
    int32_t           in_zp;
} npu__l2_norm;

NPU__FN void npu__l2_norm_f32(const void *op, const void *in, void *out, int32_t depth) {
    const float *x = (const float *)in;
    float       *y = (float *)out, norm = 0.0f;
    (void)op;
    for (int32_t i = 0; i < depth; i++) norm += x[i] * x[i];
    norm = sqrtf(norm);
    /* TFLite's epsilon: zeros stay zeros. */
    norm = NPU__MAX(norm, 1e-6f);
    for (int32_t i = 0; i < depth; i++) y[i] = x[i] / norm;
}

/* gain 7 bits of scale: as a larger shift for int8, as a factor before rounding for uint8. */
#define NPU__L2_NORM_Q8(name, T, factor, more_shift, zp, lo, hi)                                                  \
    NPU__FN void name(const void *op, const void *in, void *out, int32_t depth) {                                 \
        const int32_t in_zp = ((const npu__l2_norm *)op)->in_zp;                                                  \
        const T      *x = (const T *)in;                                                                          \
        T            *y = (T *)out;                                                                               \
        int32_t       sum = 0;                                                                                    \
        npu__qmul     q;                                                                                          \
        for (int32_t i = 0; i < depth; i++) sum = npu__fx_add(sum, (x[i] - in_zp) * (x[i] - in_zp));              \
        q = npu__fx_inv_sqrt(sum);                                                                                \
        q.shift += (more_shift);                                                                                  \
        for (int32_t i = 0; i < depth; i++) {                                                                     \
            y[i] = (T)npu__clamp32(npu__wadd32(npu__qmul_apply((factor) * (x[i] - in_zp), q), zp), lo, hi);       \
        }                                                                                                         \
    }
NPU__L2_NORM_Q8(npu__l2_norm_q8, int8_t, 1, 7, 0, -128, 127)
NPU__L2_NORM_Q8(npu__l2_norm_qu8, uint8_t, 128, 0, 128, 0, 255)
#undef NPU__L2_NORM_Q8

NPU__FN npu_status npu__l2_norm_prepare(npu__ctx *c) {
    npu__l2_norm   *d = (npu__l2_norm *)c->data;
    const npu__val *in = c->in[0], *out = c->out[0];
    const int32_t   act = npu__fused_activation(c->node);
    const int32_t   zp = in->type == NPU_UINT8 ? 128 : 0;
    NPU__TRY(npu__need_rank(c, in, "the input", 1, NPU_MAX_RANK));
    if (in->type != out->type) return npu__fail_types(c);
    if (act != NPU__ACT_NONE) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "l2_normalization.fused_activation",
                         "no fused activation is allowed here: got %d", act);
    }
    if (in->type == NPU_FLOAT32) return npu__softmax_base_prepare(c, npu__l2_norm_f32);
    if (in->type != NPU_INT8 && in->type != NPU_UINT8) return npu__fail_types(c);
    NPU__TRY(npu__need_quant(c, in, "the input"));
    NPU__TRY(npu__need_quant(c, out, "the output"));
    if (npu__zero_point(out) != zp || npu__scale(out) < 0.0078125f || npu__scale(out) > 0.0078125f) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "l2_normalization.output_quant",
                         "the output must have scale 1/128 and zero point %d: got %g, %d", zp,
                         (double)npu__scale(out), npu__zero_point(out));
    }
    d->in_zp = npu__zero_point(in);
    return npu__softmax_base_prepare(c, in->type == NPU_INT8 ? npu__l2_norm_q8 : npu__l2_norm_qu8);
}

NPU__OPDEF(npu__op_l2_normalization) = {1, 1, 1, 1, 0, NPU__OP_INPLACE0, NPU__DATA(npu__l2_norm),
                                                    npu__infer_same_as_in0, npu__l2_norm_prepare, NULL,
                                                    npu__softmax_eval, NULL};
