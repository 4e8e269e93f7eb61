/* LOG_SOFTMAX over the last dimension: float and 8 bits (output scale 1/16, zero at the top of the range). */
#include "softmax.h"

typedef struct npu__log_softmax {
    npu__softmax_base base;
    const npu__pointwise *fast; /* floats; may be NULL */
    npu__softmax_exp  e;
    npu__qmul         reverse; /* q5 back to differences */
} npu__log_softmax;

NPU__FN void npu__log_softmax_f32(const void *op, const void *in, void *out, int32_t depth) {
    const float *x = (const float *)in;
    float       *y = (float *)out, max = -3.402823466e+38f, sum = 0.0f;
    (void)op;
    for (int32_t i = 0; i < depth; i++) max = x[i] > max ? x[i] : max;
    for (int32_t i = 0; i < depth; i++) sum += expf(x[i] - max);
    /* At least 1 was summed, for the largest itself: the logarithm is not negative. */
    sum = logf(sum);
    for (int32_t i = 0; i < depth; i++) y[i] = x[i] - max - sum;
}

NPU__FN void npu__log_softmax_f32_fast(const void *op, const void *in, void *out, int32_t depth) {
    ((const npu__log_softmax *)op)->fast->log_softmax((const float *)in, (float *)out, depth);
}

/* Differences at or below the limit give the smallest value: there x - log(sum) leaves q5. Where a difference of 1 is less than
 * one of q5, none gets there. */
#define NPU__LOG_SOFTMAX_Q8(name, T, lo, hi)                                                                      \
    NPU__FN void name(const void *op, const void *in, void *out, int32_t depth) {                                 \
        const npu__log_softmax *d = (const npu__log_softmax *)op;                                                 \
        const T                *x = (const T *)in;                                                                \
        T                      *y = (T *)out;                                                                     \
        int32_t                 max = lo, sum = 0, limit;                                                         \
        for (int32_t i = 0; i < depth; i++) max = NPU__MAX(max, x[i]);                                            \
        for (int32_t i = 0; i < depth; i++) sum = npu__fx_add(sum, d->e.term[max - x[i]]);                            \
        sum = npu__fx_log_q12_to_q5(sum);                                                                         \
        limit = d->e.mul.shift > 0 ? npu__qmul_apply(npu__fx_add(sum, INT32_MIN), d->reverse) : INT32_MIN;        \
        limit = NPU__MAX(limit, d->e.diff_min - 1);                                                               \
        for (int32_t i = 0; i < depth; i++) {                                                                     \
            int32_t diff = x[i] - max, v = npu__qmul_apply(diff, d->e.mul);                                       \
            v = npu__clamp32(npu__rdbpot(npu__fx_sub(v, sum), 22) + (hi), lo, hi);                                \
            y[i] = (T)(diff > limit ? v : (lo));                                                                  \
        }                                                                                                         \
    }
NPU__LOG_SOFTMAX_Q8(npu__log_softmax_q8, int8_t, -128, 127)
NPU__LOG_SOFTMAX_Q8(npu__log_softmax_qu8, uint8_t, 0, 255)
#undef NPU__LOG_SOFTMAX_Q8

NPU__FN npu_status npu__log_softmax_prepare(npu__ctx *c) {
    npu__log_softmax *d = (npu__log_softmax *)c->data;
    const npu__val   *in = c->in[0], *out = c->out[0];
    const int32_t     top = in->type == NPU_UINT8 ? 255 : 127;
    NPU__TRY(npu__need_rank(c, in, "the input", 1, NPU_MAX_RANK));
    if (in->type != out->type) return npu__fail_types(c);
    if (in->type == NPU_FLOAT32) {
        d->fast = npu__pointwise_select(npu__ctx_isa(c));
        NPU__TRY(npu__softmax_base_prepare(c, d->fast ? npu__log_softmax_f32_fast : npu__log_softmax_f32));
        if (d->fast) d->base.kernel = d->fast->name;
        return NPU_OK;
    }
    if (in->type != NPU_INT8 && in->type != NPU_UINT8) return npu__fail_types(c);
    NPU__TRY(npu__need_quant(c, in, "the input"));
    NPU__TRY(npu__need_quant(c, out, "the output"));
    if (npu__zero_point(out) != top || npu__scale(out) < 0.0625f || npu__scale(out) > 0.0625f) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "log_softmax.output_quant",
                         "the output must have scale 1/16 and zero point %d: got %g, %d", top,
                         (double)npu__scale(out), npu__zero_point(out));
    }
    NPU__TRY(npu__softmax_exp_prepare(c, &d->e, 1.0f, npu__scale(in)));
    /* The reciprocal of softmax's multiplier: PreprocessLogSoftmaxScalingExp of TFLite. */
    if (d->e.mul.shift > 0) d->reverse = npu__qmul_of((double)(1 << (31 - d->e.mul.shift)) / (double)d->e.mul.multiplier);
    NPU__TRY(npu__softmax_base_prepare(c, in->type == NPU_INT8 ? npu__log_softmax_q8 : npu__log_softmax_qu8));
    d->base.kernel = "table";
    return NPU_OK;
}

NPU__OPDEF(npu__op_log_softmax) = {1, 1, 1, 1, 0, NPU__OP_INPLACE0 | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__log_softmax),
                                               npu__infer_same_as_in0, npu__log_softmax_prepare, NULL,
                                               npu__softmax_eval, npu__softmax_work};
