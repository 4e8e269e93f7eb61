/* L2_NORMALIZATION of the last dimension: float and 8 bits (output scale 1/128). */
#include "../kernels/vec_loop.h"
#include "softmax.h"

typedef struct npu__l2_norm {
    npu__softmax_base base;
    int32_t           in_zp;
} npu__l2_norm;

NPU__SPEED_BEGIN

/* The sum of squares: as many sums as vectors have room for, then those. */
NPU__FN float npu__sum_squares(const float *x, int32_t n) {
    float lanes[16], sum = 0.0f;
    if (n >= 16) {
        NPU__VEC_FOR(k, 16) lanes[k] = x[k] * x[k];
        for (n -= 16, x += 16; n >= 16; n -= 16, x += 16) NPU__VEC_FOR(k, 16) lanes[k] += x[k] * x[k];
        NPU__VEC_FOR(k, 8) lanes[k] += lanes[k + 8];
        NPU__VEC_FOR(k, 4) lanes[k] += lanes[k + 4];
        sum = lanes[0] + lanes[2] + (lanes[1] + lanes[3]);
    }
    for (int32_t i = 0; i < n; i++) sum += x[i] * x[i];
    return sum;
}

NPU__FN void npu__l2_norm_f32(const void *op, const void *in, void *out, int32_t depth) {
    const float *x = (const float *)in;
    float       *y = (float *)out;
    /* TFLite's epsilon: zeros stay zeros. */
    const float norm = NPU__MAX(sqrtf(npu__sum_squares(x, depth)), 1e-6f);
    (void)op;
    for (; depth >= 16; depth -= 16, x += 16, y += 16) NPU__VEC_FOR(k, 16) y[k] = x[k] / norm;
    for (int32_t i = 0; i < depth; i++) y[i] = x[i] / norm;
}

NPU__SPEED_END

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
    if (in->type == NPU_FLOAT32) {
        NPU__TRY(npu__softmax_base_prepare(c, npu__l2_norm_f32));
        d->base.kernel = NPU__LOOPS_ANY;
        return NPU_OK;
    }
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

NPU__OPDEF(npu__op_l2_normalization) = {1, 1, 1, 1, 0, NPU__OP_INPLACE0 | NPU__OP_NAMES_KERNEL,
                                                    NPU__DATA(npu__l2_norm),
                                                    npu__infer_same_as_in0, npu__l2_norm_prepare, NULL,
                                                    npu__softmax_eval, NULL};
