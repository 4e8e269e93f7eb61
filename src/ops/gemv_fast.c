/* Matrix times vector over the threads, for convolutions of one pixel and fully connected layers of one row. */
#include "conv_fast.h"
NPU__SPEED_BEGIN

typedef struct npu__gemv_f32_work {
    npu__gemv_f32_fn  run;
    npu__gemv_f32_job job;
    float            *out;
    int32_t           n, each; /* each: units that stay together */
} npu__gemv_f32_work;

NPU__FN void npu__gemv_f32_range(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__gemv_f32_work *w = (const npu__gemv_f32_work *)arg;
    (void)thread;
    w->run(&w->job, (int32_t)begin * w->each, (int32_t)NPU__MIN(end * w->each, (int64_t)w->n), w->out);
}

/* Shares of n units of depth k, `each` of which stay together; `macs` are worth a thread. */
NPU__FN void npu__gemv_parallel(npu__ctx *c, int32_t n, int32_t each, int32_t macs, int32_t k, npu__range_fn range, void *work) {
    npu__parallel(c, ((int64_t)n + each - 1) / each, (macs / NPU__MAX(k, 1) + 8 + each - 1) / each, range, work);
}

NPU__FN void npu__gemv_f32_by(npu__ctx *c, npu__gemv_f32_fn run, int32_t each, const float *a, const float *w, const float *bias, int32_t n,
                              int32_t k, float lo, float hi, float *out) {
    npu__gemv_f32_work work;
    work.run = run;
    work.n = n;
    work.each = each;
    work.job.a = a;
    work.job.w = w;
    work.job.bias = bias;
    work.job.k = k;
    work.job.lo = lo;
    work.job.hi = hi;
    work.out = out;
    npu__gemv_parallel(c, n, each, NPU__GEMV_GRAIN_F32, k, npu__gemv_f32_range, &work);
}

NPU__FN void npu__gemv_f32_all(npu__ctx *c, const npu__gemv_f32_kernel *kern, const float *a, const float *w,
                               const float *bias, int32_t n, int32_t k, float lo, float hi, float *out) {
    npu__gemv_f32_by(c, kern->run, 1, a, w, bias, n, k, lo, hi, out);
}

NPU__FN int npu__gemv_i8_by_bytes(npu__ctx *c, const npu__gemv_i8_kernel *kern, int32_t is_signed) {
    const npu__val *w = c->in[1];
    if (!kern || !npu__gemv_i8_takes_bytes(kern, is_signed) || !npu__can_pack(c, 1) || !npu__may_sum(c, w->bytes)) return 0;
    /* Weights of less than a byte are never so far down, but several of them may look like it: then the other kernel it is. */
    return kern->bytes != NPU__BYTES_NARROW || (w->bytes && !memchr(w->data, 0x80, w->bytes));
}

NPU__FN void npu__gemv_i8_sum_rows(const npu__gemv_i8_kernel *kern, const uint8_t *w, int32_t is_signed, int32_t n, int32_t k,
                                   int32_t *sums) {
    uint8_t          ones[NPU__GEMV_DEPTH];
    npu__gemv_i8_job job;
    memset(ones, 1, sizeof ones);
    memset(&job, 0, sizeof job);
    job.bytes = ones;
    job.w_stride = (size_t)k;
    job.w_signed = is_signed;
    for (int32_t at = 0; at < k; at += job.k) {
        job.w = w + at;
        job.k = NPU__MIN(k - at, NPU__GEMV_DEPTH);
        job.bias = at ? sums : NULL;
        kern->run_bytes(&job, 0, n, sums);
    }
}

/* Some of a row, in the form that the kernel reads; job->k of it. sum(a * (w - zp)) = sum(a * w) - zp * sum(a): the weights stay as they
 * lie in the file, modulo 2^32. */
NPU__FN void npu__gemv_i8_stage(const npu__gemv_i8 *g, const uint8_t *in, int16_t *staged, npu__gemv_i8_job *job) {
    const uint32_t minus = (uint32_t)-g->w_zp;
    const int      flipped = g->kern->bytes == NPU__BYTES_FLIPPED;
    job->a = staged;
    job->bytes = (const uint8_t *)staged;
    if (!g->w_sums) {
        g->kern->stage(in, staged, job->k, g->is_signed, g->in_zp);
        job->add = g->w_zp ? (int32_t)((uint32_t)g->kern->sum(staged, job->k) * minus) : 0;
        return;
    }
    g->kern->stage_bytes(in, staged, job->k, flipped, 0);
    if (g->panels) memset((uint8_t *)(void *)staged + job->k, 0, NPU__PANELS_I8_DEPTH);
    job->a_zero = g->in_zp + (!flipped ? 0 : g->is_signed ? 128 : -128);
    job->add = 0;
    if (g->w_zp) {
        const uint32_t sum = g->is_signed && flipped ? npu__sum_bytes(job->bytes, job->k, 0) : npu__sum_signed(job->bytes, job->k, 0);
        job->add = (int32_t)((sum - (uint32_t)job->k * (uint32_t)job->a_zero) * minus);
    }
}

NPU__FN void npu__gemv_i8_units(const npu__gemv_i8 *g, int32_t n0, int32_t n1, npu__gemv_done *done, const void *arg) {
    const int32_t    parts = (g->job.k - 1) / NPU__GEMV_DEPTH + 1;
    const int32_t    depth = ((g->job.k - 1) / parts + 16) / 16 * 16; /* all about as long */
    npu__gemv_i8_job job = g->job;
    int16_t          staged[NPU__GEMV_DEPTH + 16];
    int32_t          sums[NPU__GEMV_UNITS];
    job.w_signed = g->is_signed;
    for (int32_t n = n0; n < n1; n += NPU__GEMV_UNITS) {
        const int32_t units = NPU__MIN(n1 - n, NPU__GEMV_UNITS);
        job.w = g->job.w + (size_t)n * g->job.w_stride;
        job.bias = g->job.bias ? g->job.bias + n : NULL;
        job.w_sums = g->w_sums ? g->w_sums + n : NULL;
        for (int32_t k = 0; k < g->job.k; k += depth) {
            job.k = NPU__MIN(depth, g->job.k - k);
            if (parts > 1 || n == n0) npu__gemv_i8_stage(g, g->in + k, staged, &job);
            if (g->panels) g->panels->run(&job, 0, units, sums);
            else if (g->w_sums) g->kern->run_bytes(&job, 0, units, sums);
            else g->kern->run(&job, 0, units, sums);
            job.w += job.k;
            job.bias = sums; /* the next part is added to them */
            job.w_sums = NULL;
        }
        done(arg, n, units, sums);
    }
}

typedef struct npu__gemv_i8_work {
    const npu__gemv_i8 *g;
    npu__gemv_done     *done;
    const void         *arg;
    int32_t             n, each; /* each: units that stay together */
} npu__gemv_i8_work;

NPU__FN void npu__gemv_i8_range(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__gemv_i8_work *w = (const npu__gemv_i8_work *)arg;
    (void)thread;
    npu__gemv_i8_units(w->g, (int32_t)begin * w->each, (int32_t)NPU__MIN(end * w->each, (int64_t)w->n), w->done, w->arg);
}

NPU__FN void npu__gemv_i8_all(npu__ctx *c, const npu__gemv_i8 *g, int32_t n, npu__gemv_done *done, const void *arg) {
    npu__gemv_i8_work work;
    work.g = g;
    work.done = done;
    work.arg = arg;
    work.n = n;
    work.each = g->panels ? NPU__PANELS_UNITS : 1;
    npu__gemv_parallel(c, n, work.each, NPU__GEMV_GRAIN_I8, g->job.k, npu__gemv_i8_range, &work);
}
NPU__SPEED_END
