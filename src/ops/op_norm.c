/* INSTANCE_NORM and RMS_NORM of Circle, float only, with sums in double as onert's kernels have them. */
#include "util.h"

typedef struct npu__norm {
    float   lo, hi;
    double  epsilon;
    int64_t outer, size; /* INSTANCE_NORM: batches, places in each; RMS_NORM: rows, 1 */
    int32_t depth;
} npu__norm;

NPU__FN npu_status npu__norm_factor(npu__ctx *c, int32_t i, const char *what) {
    const npu__val *v = npu__opt_in(c, i);
    if (!v) return NPU_OK;
    NPU__TRY(npu__need_type(c, v, what, NPU_FLOAT32));
    if (npu__elems(v) == npu__dim(c->in[0], -1)) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "norm.channels", "%s must have as many elements as the input's last dimension, %d: "
                     "got %l", what, npu__dim(c->in[0], -1), npu__elems(v));
}

NPU__FN npu_status npu__norm_prepare(npu__ctx *c, int32_t min_rank, float epsilon, float otherwise) {
    npu__norm       *d = (npu__norm *)c->data;
    const npu__val *in = c->in[0];
    NPU__TRY(npu__need_rank(c, in, "the input", min_rank, NPU_MAX_RANK));
    if (in->type != NPU_FLOAT32 || c->out[0]->type != NPU_FLOAT32) return npu__fail_types(c);
    NPU__TRY(npu__norm_factor(c, 1, "gamma"));
    NPU__TRY(npu__norm_factor(c, 2, "beta"));
    /* Files leave out what is 0: then it is the default of ONE's readers. NaN and what is negative go their way to NaN. */
    d->epsilon = (double)(epsilon > 0.0f || epsilon < 0.0f || isnan(epsilon) ? epsilon : otherwise);
    d->depth = npu__dim(in, -1);
    d->size = 1;
    d->outer = npu__dims_product(&in->shape, 0, in->shape.rank - 1);
    return NPU_OK;
}

/* ---- RMS_NORM: x / sqrt(mean(x^2) + epsilon) * gamma + beta along the last dimension ---- */

NPU__FN npu_status npu__rms_norm_prepare(npu__ctx *c) {
    return npu__norm_prepare(c, 1, NPU__OPTIONS(c->node, RmsNormOptions)->epsilon, 1e-6f);
}

NPU__FN npu_status npu__rms_norm_eval(npu__ctx *c) {
    const npu__norm *d = (const npu__norm *)c->data;
    const npu__val  *g = npu__opt_in(c, 1), *b = npu__opt_in(c, 2);
    const float     *gamma = g ? (const float *)g->data : NULL, *beta = b ? (const float *)b->data : NULL;
    const float     *x = (const float *)c->in[0]->data;
    float           *y = (float *)c->out[0]->data;
    int64_t          done = 0;
    if (c->out[0]->bytes == 0) return NPU_OK;
    for (int64_t row = 0; row < d->outer; row++, x += d->depth, y += d->depth) {
        double sum = 0.0, rms;
        NPU__POLL_PASS(c, done, 2 * (int64_t)d->depth);
        for (int32_t i = 0; i < d->depth; i++) sum += (double)x[i] * (double)x[i];
        rms = sqrt(sum / d->depth + d->epsilon);
        for (int32_t i = 0; i < d->depth; i++) {
            const double v = (double)x[i] / rms * (gamma ? (double)gamma[i] : 1.0) + (beta ? (double)beta[i] : 0.0);
            y[i] = (float)v;
        }
    }
    return NPU_OK;
}

/* ---- INSTANCE_NORM: each channel of each batch by its own mean and variance ---- */

NPU__FN npu_status npu__instance_norm_prepare(npu__ctx *c) {
    npu__norm *d = (npu__norm *)c->data;
    NPU__TRY(npu__norm_prepare(c, 2, NPU__OPTIONS(c->node, InstanceNormOptions)->epsilon, 1e-5f));
    d->outer = c->in[0]->shape.dims[0];
    d->size = npu__dims_product(&c->in[0]->shape, 1, c->in[0]->shape.rank - 1);
    return npu__act_range_f32(c, npu__fused_activation(c->node), &d->lo, &d->hi);
}

NPU__FN npu_status npu__instance_norm_eval(npu__ctx *c) {
    const npu__norm *d = (const npu__norm *)c->data;
    const float     *gamma = (const float *)c->in[1]->data, *beta = (const float *)c->in[2]->data;
    const int64_t    step = d->depth, n = d->size;
    if (c->out[0]->bytes == 0) return NPU_OK;
    for (int64_t batch = 0; batch < d->outer; batch++) {
        const float *x = (const float *)c->in[0]->data + batch * n * step;
        float       *y = (float *)c->out[0]->data + batch * n * step;
        for (int64_t k = 0; k < step; k++) {
            double sum = 0.0, squares = 0.0, mean, variance, a, b;
            NPU__POLL(c, 2 * n);
            for (int64_t i = 0; i < n; i++) {
                sum += (double)x[i * step + k];
                squares += (double)x[i * step + k] * (double)x[i * step + k];
            }
            mean = sum / (double)n;
            variance = squares / (double)n - mean * mean;
            a = (double)gamma[k] / sqrt((variance < 0.0 ? 0.0 : variance) + d->epsilon);
            b = (double)beta[k] - mean * a;
            for (int64_t i = 0; i < n; i++) {
                const float v = (float)((double)x[i * step + k] * a + b);
                y[i * step + k] = v < d->lo ? d->lo : v > d->hi ? d->hi : v;
            }
        }
    }
    return NPU_OK;
}

NPU__OPDEF(npu__op_instance_norm) = {3, 3, 1, 1, 0, 0, NPU__DATA(npu__norm), npu__infer_same_as_in0, npu__instance_norm_prepare,
                                     NULL, npu__instance_norm_eval, NULL};
NPU__OPDEF(npu__op_rms_norm) = {2, 3, 1, 1, 6, 0, NPU__DATA(npu__norm), npu__infer_same_as_in0, npu__rms_norm_prepare, NULL,
                                npu__rms_norm_eval, NULL};
