/* Matrix times vector over the threads, for convolutions of one pixel and fully connected layers of one row. */
#include "conv_fast.h"
NPU__SPEED_BEGIN

typedef struct npu__gemv_f32_work {
    const npu__gemv_f32_kernel *kern;
    npu__gemv_f32_job           job;
    float                      *out;
} npu__gemv_f32_work;

NPU__FN void npu__gemv_f32_range(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__gemv_f32_work *w = (const npu__gemv_f32_work *)arg;
    (void)thread;
    w->kern->run(&w->job, (int32_t)begin, (int32_t)end, w->out);
}

NPU__FN void npu__gemv_f32_all(npu__ctx *c, const npu__gemv_f32_kernel *kern, const float *a, const float *w,
                               const float *bias, int32_t n, int32_t k, float lo, float hi, float *out) {
    npu__gemv_f32_work work;
    work.kern = kern;
    work.job.a = a;
    work.job.w = w;
    work.job.bias = bias;
    work.job.k = k;
    work.job.lo = lo;
    work.job.hi = hi;
    work.out = out;
    npu__parallel(c, n, NPU__GEMV_GRAIN_MACS / NPU__MAX(k, 1) + 8, npu__gemv_f32_range, &work);
}

typedef struct npu__gemv_i8_work {
    const npu__gemv_i8 *g;
    int32_t            *sums;
} npu__gemv_i8_work;

NPU__FN void npu__gemv_i8_range(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__gemv_i8_work *w = (const npu__gemv_i8_work *)arg;
    (void)thread;
    w->g->kern->run(&w->g->job, (int32_t)begin, (int32_t)end, w->sums);
}

NPU__FN void npu__gemv_i8_sums(npu__ctx *c, npu__gemv_i8 *g, int32_t n, int16_t *staged, int32_t *sums) {
    npu__gemv_i8_work work;
    g->kern->stage(g->in, staged, g->job.k, g->is_signed, g->in_zp);
    /* sum(a * (w - zp)) = sum(a * w) - zp * sum(a): the weights stay as they lie in the file, modulo 2^32. */
    g->job.add = g->w_zp ? (int32_t)((uint32_t)g->kern->sum(staged, g->job.k) * (uint32_t)-g->w_zp) : 0;
    g->job.a = staged;
    g->job.w_signed = g->is_signed;
    work.g = g;
    work.sums = sums;
    npu__parallel(c, n, NPU__GEMV_GRAIN_MACS / NPU__MAX(g->job.k, 1) + 8, npu__gemv_i8_range, &work);
}
NPU__SPEED_END
