/* LOCAL_RESPONSE_NORMALIZATION: x / (bias + alpha * the sum of squares of the channels around) ^ beta.
 * Those are the `radius` channels before it, itself and radius - 1 behind it: LiteRT's window is not symmetric. */
#include "util.h"

typedef struct npu__lrn_job {
    const float *in;
    float       *out;
    int64_t      depth, radius;
    float        bias, alpha, beta;
} npu__lrn_job;

/* Elements [begin, end) of all: a long row of channels must be as well divided as many short ones. */
NPU__FN void npu__lrn_part(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__lrn_job *job = (const npu__lrn_job *)arg;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const int64_t ch = i % job->depth;
        const float  *row = job->in + (i - ch);
        const int64_t first = NPU__MAX(ch - job->radius, 0), end_ch = NPU__MIN(ch + job->radius, job->depth);
        float         sum = 0.0f;
        for (int64_t k = first; k < end_ch; k++) sum += row[k] * row[k];
        job->out[i] = row[ch] * powf(job->bias + job->alpha * sum, -job->beta);
    }
}

NPU__FN npu_status npu__lrn_prepare(npu__ctx *c) {
    const npu__opts_LocalResponseNormalizationOptions *o = NPU__OPTIONS(c->node, LocalResponseNormalizationOptions);
    if (c->in[0]->type != NPU_FLOAT32 || c->out[0]->type != NPU_FLOAT32) return npu__fail_types(c);
    NPU__TRY(npu__need_rank(c, c->in[0], "the input", 4, 4));
    if (o->radius >= 0) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "local_response_normalization.radius", "the radius must not be negative: got %d",
                     o->radius);
}

NPU__FN npu_status npu__lrn_eval(npu__ctx *c) {
    const npu__opts_LocalResponseNormalizationOptions *o = NPU__OPTIONS(c->node, LocalResponseNormalizationOptions);
    npu__lrn_job                                       job;
    job.in = (const float *)c->in[0]->data;
    job.out = (float *)c->out[0]->data;
    job.depth = NPU__MAX(npu__dim(c->in[0], 3), 1);
    job.radius = NPU__MIN(o->radius, job.depth);
    job.bias = o->bias;
    job.alpha = o->alpha;
    job.beta = o->beta;
    npu__parallel(c, npu__elems(c->out[0]), 4096 / (2 * NPU__MIN(job.radius, 2047) + 1) + 1, npu__lrn_part, &job);
    return NPU_OK;
}

NPU__FN npu__work npu__lrn_work(const npu__ctx *c) {
    const int64_t depth = NPU__MAX(npu__dim(c->in[0], 3), 1);
    const int64_t radius = NPU__OPTIONS(c->node, LocalResponseNormalizationOptions)->radius;
    return npu__work_each(c, 16 + NPU__MIN(2 * radius + 1, depth));
}

NPU__OPDEF(npu__op_local_response_normalization) = {1, 1, 1, 1, 0, 0, NPU__NO_DATA, npu__infer_same_as_in0, npu__lrn_prepare, NULL,
                                                    npu__lrn_eval, npu__lrn_work};
