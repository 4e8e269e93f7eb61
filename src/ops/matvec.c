/* Matrix times vector, and the activations behind it, for recurrent ops. */
#include "conv_fast.h"
#include "matvec.h"
#include "scratch.h"
NPU__SPEED_BEGIN

NPU__FN npu_status npu__matvec_want(npu__ctx *c, int32_t longest, int32_t most_rows, int32_t *staged, int32_t *sums) {
    *staged = *sums = -1;
    if (longest > NPU__MATVEC_FEW) NPU__TRY(npu__want_array(c, 0, longest, 1, sizeof(int16_t), staged));
    return most_rows > NPU__MATVEC_FEW ? npu__want_array(c, 0, most_rows, 1, sizeof(int32_t), sums) : NPU_OK;
}

NPU__FN void npu__matvec_init(npu__matvec *m, npu__ctx *c, int32_t staged, int32_t sums) {
    m->c = c;
    m->i8 = npu__gemv_i8_select(npu__ctx_isa(c));
    m->f32 = npu__gemv_f32_select(npu__ctx_isa(c));
    m->pw = npu__pointwise_select(npu__ctx_isa(c));
    m->staged = staged < 0 ? m->few_staged : (int16_t *)npu__slot(c, staged);
    m->sums = sums < 0 ? m->few_sums : (int32_t *)npu__slot(c, sums);
}

NPU__FN const char *npu__matvec_name(const npu__ctx *c, int i8) {
    const npu__gemv_i8_kernel  *ints = npu__gemv_i8_select(npu__ctx_isa(c));
    const npu__gemv_f32_kernel *floats = npu__gemv_f32_select(npu__ctx_isa(c));
    if (i8) return ints ? ints->name : "reference";
    return floats ? floats->name : "reference";
}

NPU__FN void npu__matvec_stage(npu__matvec *m, const int8_t *v, int32_t n, int32_t zp) {
    m->v = v;
    m->n = n;
    m->zp = zp;
    if (m->i8) m->i8->stage((const uint8_t *)v, m->staged, n, 1, zp);
}

NPU__FN float npu__matvec_quantize(npu__matvec *m, const float *v, int32_t n, int32_t asymmetric, int8_t *q) {
    float   scale;
    int32_t zp;
    if (m->i8) npu__quantize_rows_by(m->i8->minmax, m->i8->quantize, v, 1, n, asymmetric, q, &scale, &zp);
    else npu__quantize_rows(v, 1, n, asymmetric, q, &scale, &zp);
    npu__matvec_stage(m, q, n, zp);
    return scale;
}

typedef struct npu__matvec_i8_work {
    npu__gemv_i8_job job;
    npu__gemv_i8_fn  run;
    int32_t         *sums;
} npu__matvec_i8_work;

NPU__FN void npu__matvec_i8_range(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__matvec_i8_work *w = (const npu__matvec_i8_work *)arg;
    (void)thread;
    w->run(&w->job, (int32_t)begin, (int32_t)end, w->sums);
}

NPU__FN const int32_t *npu__matvec_i8(npu__matvec *m, const int8_t *w, const int32_t *bias, int32_t n_rows) {
    if (m->i8) {
        npu__matvec_i8_work work;
        memset(&work, 0, sizeof work);
        work.job.a = m->staged;
        work.job.w = (const uint8_t *)w;
        work.job.w_stride = (size_t)m->n;
        work.job.k = m->n;
        work.job.w_signed = 1;
        work.job.bias = bias;
        work.run = m->i8->run;
        work.sums = m->sums;
        npu__parallel(m->c, n_rows, NPU__GEMV_GRAIN_I8 / NPU__MAX(m->n, 1) + 8, npu__matvec_i8_range, &work);
        return m->sums;
    }
    for (int32_t r = 0; r < n_rows; r++) {
        uint32_t start = bias ? (uint32_t)bias[r] : 0u;
        m->sums[r] = (int32_t)(start + (uint32_t)npu__ref_dot_i8(m->v, w + (int64_t)r * m->n, m->n, m->zp));
    }
    return m->sums;
}

NPU__FN void npu__matvec_hybrid(npu__matvec *m, const npu__val *w, float scale, const float *bias, float *out, int32_t n_rows) {
    const int32_t *sums = npu__matvec_i8(m, (const int8_t *)w->data, NULL, n_rows);
    const float    weight_scale = npu__scale(w);
    if (m->i8) m->i8->finish_float(sums, n_rows, scale, &weight_scale, 0, bias, out);
    else npu__finish_float(sums, n_rows, scale, &weight_scale, 0, bias, out);
}

NPU__FN void npu__matvec_f32(const npu__matvec *m, const float *w, const float *v, int32_t n, const float *bias, float *out,
                             int32_t n_rows) {
    if (m->f32) {
        npu__gemv_f32_all(m->c, m->f32, v, w, bias, n_rows, n, -INFINITY, INFINITY, out);
        return;
    }
    for (int32_t r = 0; r < n_rows; r++, w += n) out[r] = npu__ref_dot_f32(v, w, n) + (bias ? bias[r] : 0.0f);
}

NPU__FN void npu__matvec_logistic(const npu__pointwise *pw, float *v, int64_t n) {
    if (pw) pw->unary[NPU__PW_logistic](v, v, n);
    else for (int64_t i = 0; i < n; i++) v[i] = 1.0f / (1.0f + expf(-v[i]));
}

NPU__FN void npu__matvec_activate(const npu__pointwise *pw, float *v, int64_t n, int32_t activation) {
    float lo = 0.0f, hi = INFINITY;
    if (activation == NPU__ACT_TANH) {
        if (pw) pw->unary[NPU__PW_tanh](v, v, n);
        else for (int64_t i = 0; i < n; i++) v[i] = tanhf(v[i]);
        return;
    }
    if (activation == NPU__ACT_RELU_N1_TO_1) lo = -1.0f;
    if (activation == NPU__ACT_RELU_N1_TO_1) hi = 1.0f;
    if (activation == NPU__ACT_RELU6) hi = 6.0f;
    if (activation != NPU__ACT_RELU && activation != NPU__ACT_RELU_N1_TO_1 && activation != NPU__ACT_RELU6) return;
    if (pw) pw->clamp(v, v, n, lo, hi);
    else for (int64_t i = 0; i < n; i++) v[i] = v[i] < lo ? lo : v[i] > hi ? hi : v[i];
}
NPU__SPEED_END
