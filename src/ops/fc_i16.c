/* Fully connected layers of int16 activations: the kernels take int16 as it is, a piece of the depth at a time, so that no sum of a
 * piece leaves 32 bits. */
#include "fc_fast.h"
#include "fully_connected.h"

#define NPU__FC_I16_PIECE 496 /* times 2^15 * 2^7 is less than 2^31; a multiple of the kernels' vectors */
#define NPU__FC_I16_UNITS 32  /* worked on at a time, on the stack */
#define NPU__FC_I16_GRAIN 100000

typedef struct npu__fc_i16_work {
    npu__ctx           *c;
    const npu__fc_data *d;
    const int8_t       *w;
    const void         *bias;
} npu__fc_i16_work;

NPU__SPEED_BEGIN

/* Sums over the whole depth of one row and n units. */
NPU__FN void npu__fc_i16_sums(const npu__fc_data *d, const int16_t *a, const int8_t *w, int32_t n, int64_t *acc) {
    const int32_t    depth = d->g.depth, pieces = (depth - 1) / NPU__FC_I16_PIECE + 1;
    const int32_t    piece = ((depth - 1) / pieces + 16) / 16 * 16; /* all about as long */
    int32_t          sums[NPU__FC_I16_UNITS];
    npu__gemv_i8_job job;
    job.w_stride = (size_t)depth;
    job.w_signed = 1;
    job.add = 0;
    job.bias = NULL;
    memset(acc, 0, (size_t)n * sizeof *acc);
    for (int32_t k = 0; k < depth; k += piece) {
        job.a = a + k;
        job.w = (const uint8_t *)w + k;
        job.k = NPU__MIN(depth - k, piece);
        d->fast.gemv_i8->run(&job, 0, n, sums);
        for (int32_t i = 0; i < n; i++) acc[i] += sums[i];
    }
    if (d->q.w_zp != 0) {
        int64_t sum = 0;
        for (int32_t k = 0; k < depth; k++) sum += a[k];
        for (int32_t i = 0; i < n; i++) acc[i] -= sum * d->q.w_zp;
    }
}

/* As npu__ref_fc_scaled: half away from zero, in double, cut where the conversion would not be defined. */
NPU__INLINE int16_t npu__fc_i16_scaled(const npu__fc_q *q, int64_t acc, double scale) {
    double v = (double)acc * scale, whole;
    v = v < -1e9 ? -1e9 : v > 1e9 ? 1e9 : v;
    whole = (double)(int32_t)v;
    whole += v - whole >= 0.5 ? 1.0 : v - whole <= -0.5 ? -1.0 : 0.0;
    return (int16_t)npu__clamp32((int32_t)whole + q->out_zp, q->lo, q->hi);
}

NPU__FN void npu__fc_i16_range(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__fc_i16_work *work = (const npu__fc_i16_work *)arg;
    const npu__fc_data     *d = work->d;
    const npu__fc_q        *q = &d->q;
    const size_t            depth = (size_t)d->g.depth, units = (size_t)d->g.units;
    (void)thread;
    for (int64_t u = begin; u < end; u += NPU__FC_I16_UNITS) {
        const int32_t n = (int32_t)NPU__MIN(end - u, (int64_t)NPU__FC_I16_UNITS);
        int64_t       acc[NPU__FC_I16_UNITS], bias[NPU__FC_I16_UNITS];
        double        scale[NPU__FC_I16_UNITS];
        for (int32_t i = 0; i < n; i++) {
            scale[i] = (double)q->in_scale * (double)q->w_scale[q->w_step ? u + i : 0] / (double)q->out_scale;
            bias[i] = !work->bias ? 0 : q->bias64 ? ((const int64_t *)work->bias)[u + i] : ((const int32_t *)work->bias)[u + i];
        }
        for (int64_t r = 0; r < d->g.rows; r++) {
            int16_t *out = (int16_t *)work->c->out[0]->data + (size_t)r * units + (size_t)u;
            npu__fc_i16_sums(d, (const int16_t *)work->c->in[0]->data + (size_t)r * depth, work->w + (size_t)u * depth, n, acc);
            for (int32_t i = 0; i < n; i++) {
                const int64_t v = npu__wrap_add64(acc[i], bias[i]);
                out[i] = npu__fc_i16_scaled(q, q->acc64 ? v : (int32_t)v, scale[i]);
            }
        }
    }
}

NPU__SPEED_END

NPU__FN void npu__fc_i16_eval(npu__ctx *c, const npu__fc_data *d, const void *w, const void *bias) {
    const int64_t    unit_macs = npu__sat_mul(d->g.rows, d->g.depth);
    npu__fc_i16_work work;
    work.c = c;
    work.d = d;
    work.w = (const int8_t *)w;
    work.bias = bias;
    npu__parallel(c, d->g.units, NPU__FC_I16_GRAIN / NPU__MAX(unit_macs, (int64_t)1) + 8, npu__fc_i16_range, &work);
}
