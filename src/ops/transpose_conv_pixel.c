/* Transposed convolutions of int16: the window of each part in one piece, times its weights. Sums are exact; what follows them is the
 * reference's. */
#include "transpose_conv_fast.h"
NPU__SPEED_BEGIN

#define NPU__TCONV_EXACT 511 /* products of int16 and int8 that 32 bits hold the sum of */

/* What the threads share. */
typedef struct npu__tconv_pixels {
    npu__ctx              *c;
    const npu__tconv_data *d;
    const int16_t         *in;
    const void            *bias;
    npu__ref_out           q;
} npu__tconv_pixels;

/* Rows [y0, y0 + rows) of image b with their padding. */
NPU__FN void npu__tconv_fill16(const npu__tconv_pixels *job, int32_t b, int32_t y0, int32_t rows, int16_t *to) {
    const npu__conv_geom *g = &job->d->fast.band;
    const int32_t         width = (int32_t)npu__band_width(g), left = NPU__MIN(g->pad_w, width);
    const int32_t         inside = NPU__MIN(width - left, g->in_w), n = inside * g->in_c;
    const size_t          line = (size_t)g->in_w * (size_t)g->in_c, at = (size_t)left * (size_t)g->in_c;
    for (int32_t y = y0; y < y0 + rows; y++, to += (size_t)width * (size_t)g->in_c) {
        const size_t from = ((size_t)b * (size_t)g->in_h + (size_t)NPU__MAX(y, 0)) * line;
        memset(to, 0, (size_t)width * (size_t)g->in_c * sizeof *to);
        if (y < 0 || y >= g->in_h) continue;
        memcpy(to + at, job->in + from, (size_t)n * sizeof *to);
    }
}

/* Sums of a window of k with n rows of weights. In 64 bits (acc not NULL) they are made of parts that cannot overflow. */
NPU__FN void npu__tconv_sums(const npu__gemv_i8_kernel *kern, const int16_t *a, const uint8_t *w, int32_t k, int32_t n,
                             int32_t *sums, int64_t *acc) {
    npu__gemv_i8_job job;
    const int32_t    step = acc ? NPU__TCONV_EXACT / 16 * 16 : k;
    memset(&job, 0, sizeof job);
    job.w_stride = (size_t)k;
    job.w_signed = 1;
    for (int32_t i = 0; i < k; i += step) {
        job.a = a + i;
        job.w = w + i;
        job.k = NPU__MIN(step, k - i);
        kern->run(&job, 0, n, sums);
        if (!acc) return;
        for (int32_t j = 0; j < n; j++) acc[j] = (i ? acc[j] : 0) + sums[j];
    }
}

/* out_c results of one output pixel. */
NPU__FN void npu__tconv_finish(const npu__tconv_pixels *job, const int32_t *sums, const int64_t *acc, size_t pixel) {
    const int32_t n = job->d->conv.g.out_c;
    if (acc) {
        const int64_t *bias = (const int64_t *)job->bias;
        int16_t       *out = (int16_t *)job->c->out[0]->data + pixel * (size_t)n;
        for (int32_t i = 0; i < n; i++)
            out[i] = (int16_t)npu__ref_out64(&job->q, i, npu__wrap_add64(acc[i], bias ? bias[i] : 0));
    } else {
        const int32_t *bias = (const int32_t *)job->bias;
        int16_t       *out = (int16_t *)job->c->out[0]->data + pixel * (size_t)n;
        for (int32_t i = 0; i < n; i++)
            out[i] = (int16_t)npu__ref_out32(&job->q, i, npu__wrap_add32(sums[i], bias ? bias[i] : 0));
    }
}

/* Period q of row r: all cells of a part. */
NPU__FN void npu__tconv_cells(const npu__tconv_pixels *job, const npu__phase_part *p, int64_t line, int32_t q,
                              const int32_t *sums, const int64_t *acc) {
    const npu__conv_geom *g = &job->d->conv.g;
    const int32_t         periods = job->d->fast.band.out_h, b = (int32_t)(line / periods);
    for (int32_t cy = 0; cy < p->y->count; cy++) {
        const int64_t y = line % periods * g->stride_h + p->y->first + cy;
        for (int32_t cx = 0; cx < p->x->count; cx++) {
            const int64_t x = (int64_t)q * g->stride_w + p->x->first + cx;
            const size_t  at = ((size_t)cy * (size_t)p->x->count + (size_t)cx) * (size_t)g->out_c;
            if (y >= g->out_h || x >= g->out_w) continue;
            npu__tconv_finish(job, sums + at, acc ? acc + at : NULL,
                              ((size_t)b * (size_t)g->out_h + (size_t)y) * (size_t)g->out_w + (size_t)x);
        }
    }
}

NPU__FN void npu__tconv_pixel_range(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__tconv_pixels *job = (const npu__tconv_pixels *)arg;
    const npu__tconv_data   *d = job->d;
    const npu__tconv_fast   *f = &d->fast;
    const npu__conv_geom    *g = &f->band;
    uint8_t                 *scratch = (uint8_t *)npu__slot(job->c, f->scratch_slot) + (size_t)thread * f->scratch_each;
    int16_t                 *window = (int16_t *)(void *)(scratch + f->at_windows), *band = (int16_t *)(void *)(scratch + f->at_band);
    int32_t                 *sums = (int32_t *)(void *)(scratch + f->at_adds);
    int64_t                 *acc = d->conv.acc64 ? (int64_t *)(void *)(scratch + f->at_out) : NULL;
    npu__tconv_offsets(d, (size_t *)(void *)scratch);
    for (; begin < end; begin++) {
        const uint8_t *packed = (const uint8_t *)npu__slot(job->c, f->packed_slot);
        const size_t  *offsets = (const size_t *)(const void *)scratch;
        npu__tconv_fill16(job, (int32_t)(begin / g->out_h), (int32_t)(begin % g->out_h) - g->pad_h, g->k_h, band);
        for (int32_t i = 0; i < f->n_y * f->n_x; i++) {
            const npu__phase_part p = npu__tconv_part(d, i);
            const int32_t         run = p.x->taps * g->in_c, n = npu__phase_columns(&p);
            for (int32_t q = 0; q < g->out_w; q++) {
                const int16_t *from = band + (size_t)q * (size_t)g->in_c;
                for (int32_t t = 0; p.y->taps > 1 && t < p.y->taps; t++)
                    memcpy(window + (size_t)t * (size_t)run, from + offsets[t], (size_t)run * sizeof *window);
                npu__tconv_sums(f->gemv, p.y->taps > 1 ? window : from + *offsets, packed, run * p.y->taps, n, sums, acc);
                npu__tconv_cells(job, &p, begin, q, sums, acc);
            }
            offsets += p.y->taps;
            packed += npu__tconv_packed(d, i);
        }
    }
}
NPU__SPEED_END

NPU__FN npu_status npu__tconv_eval_pixels(npu__ctx *c, npu__conv_io io, int64_t grain) {
    const npu__tconv_data *d = (const npu__tconv_data *)c->data;
    const npu__conv_geom  *g = &d->conv.g;
    const npu__val        *bias = npu__opt_in(c, io.bias);
    npu__tconv_pixels      job;
    memset(&job, 0, sizeof job);
    job.c = c;
    job.d = d;
    job.in = (const int16_t *)c->in[io.in]->data;
    job.bias = bias ? bias->data : NULL;
    job.q.mul = npu__conv_qmuls(c, &d->conv);
    job.q.mul_step = d->conv.mul_slot >= 0;
    job.q.zp = d->conv.out_zp;
    job.q.lo = d->conv.q_lo;
    job.q.hi = d->conv.q_hi;
    npu__parallel(c, (int64_t)g->batches * d->fast.band.out_h, grain, npu__tconv_pixel_range, &job);
    return NPU_OK;
}
