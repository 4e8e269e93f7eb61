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

NPU__FN void npu__gemv_i8_units(const npu__gemv_i8 *g, int32_t n0, int32_t n1, npu__gemv_done *done, const void *arg) {
    const int32_t parts = (g->job.k - 1) / NPU__GEMV_DEPTH + 1;
    const int32_t depth = ((g->job.k - 1) / parts + 16) / 16 * 16; /* all about as long */
    int16_t       staged[NPU__GEMV_DEPTH + 16];
    int32_t       sums[NPU__GEMV_UNITS], add = 0;
    int           staged_all = 0;
    for (int32_t n = n0; n < n1; n += NPU__GEMV_UNITS) {
        const int32_t    units = NPU__MIN(n1 - n, NPU__GEMV_UNITS);
        npu__gemv_i8_job job = g->job;
        job.a = staged;
        job.add = add;
        job.w_signed = g->is_signed;
        job.w = g->job.w + (size_t)n * g->job.w_stride;
        job.bias = g->job.bias ? g->job.bias + n : NULL;
        for (int32_t k = 0; k < g->job.k; k += depth) {
            job.k = NPU__MIN(depth, g->job.k - k);
            if (parts > 1 || !staged_all) {
                g->kern->stage(g->in + k, staged, job.k, g->is_signed, g->in_zp);
                /* sum(a * (w - zp)) = sum(a * w) - zp * sum(a): the weights stay as they lie in the file, modulo 2^32. */
                add = g->w_zp ? (int32_t)((uint32_t)g->kern->sum(staged, job.k) * (uint32_t)-g->w_zp) : 0;
                job.add = add;
                staged_all = 1;
            }
            g->kern->run(&job, 0, units, sums);
            job.w += job.k;
            job.bias = sums; /* the next part is added to them */
        }
        done(arg, n, units, sums);
    }
}

typedef struct npu__gemv_i8_work {
    const npu__gemv_i8 *g;
    npu__gemv_done     *done;
    const void         *arg;
} npu__gemv_i8_work;

NPU__FN void npu__gemv_i8_range(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__gemv_i8_work *w = (const npu__gemv_i8_work *)arg;
    (void)thread;
    npu__gemv_i8_units(w->g, (int32_t)begin, (int32_t)end, w->done, w->arg);
}

NPU__FN void npu__gemv_i8_all(npu__ctx *c, const npu__gemv_i8 *g, int32_t n, npu__gemv_done *done, const void *arg) {
    npu__gemv_i8_work work;
    work.g = g;
    work.done = done;
    work.arg = arg;
    npu__parallel(c, n, NPU__GEMV_GRAIN_MACS / NPU__MAX(g->job.k, 1) + 8, npu__gemv_i8_range, &work);
}
NPU__SPEED_END
