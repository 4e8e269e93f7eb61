/* Depthwise convolutions, and those of as many groups as channels, row by row. dw_spread.c does the rows of those that are not as many
 * outputs as inputs. */
#include "conv_fast.h"
#include "conv_util.h"
NPU__SPEED_BEGIN

/* A thread's least share. */
#define NPU__DW_GRAIN_F32 16000
#define NPU__DW_GRAIN_I8 10000
/* Floats: a row whose weights would push its input lines out of the nearest cache is done in strips of channels, not so narrow
 * that pixels become short runs. */
#define NPU__DW_WEIGHTS_MOST 24576 /* bytes without strips, ... */
#define NPU__DW_WEIGHTS_STRIP 8192 /* ... of a strip's weights, ... */
#define NPU__DW_STRIP_LEAST 64     /* ... and channels of one */

NPU__FN npu_status npu__dw_fast_prepare(npu__ctx *c, npu__conv_data *d) {
    npu__conv_fast *f = &d->fast;
    const int       f32 = d->kind == NPU__CONV_F32;
    const size_t    elem = f32 ? sizeof(float) : 1u;
    /* An even number: the integer kernels take two taps at a time. */
    const size_t    taps = ((size_t)f->k + 1) & ~(size_t)1;
    size_t          packed = 0, scratch = 0;
    if (f->k > 1 << 16) return NPU_OK;
    /* Kernels take a unit of channels; the last unit overlaps the one before it, so there must be one. */
    f->channels = NPU__MAX(d->g.out_c, NPU__DW_UNIT);
    /* An output row is done in one go: so long ones must not exist. */
    if (npu__sat_mul((int64_t)d->g.out_w * d->g.out_c, f->k) > (int64_t)1 << 27) return NPU_OK;
    if ((d->g.in_c != d->g.out_c || d->g.in_c < NPU__DW_UNIT) && !npu__dw_spread_plan(d, f)) return NPU_OK;
    f->kind = f32 ? NPU__FAST_DW_F32 : NPU__FAST_DW_I8;
    d->kernel = f->dw->name;
    if (!(f32 ? npu__dw_f32_packed_bytes(f->channels, f->k, &packed)
              : npu__dw_i8_packed_bytes(f->dw, f->channels, f->k, &packed))) {
        packed = SIZE_MAX / 2;
    }
    f->run = f32 ? f->channels : 0;
    if (f32 && packed > NPU__DW_WEIGHTS_MOST) { /* a multiple of 32: whole tiles */
        f->run = (int32_t)(NPU__DW_WEIGHTS_STRIP / npu__dw_f32_unit_bytes(f->k)) * NPU__DW_UNIT & ~31;
        f->run = NPU__MAX(f->run, NPU__DW_STRIP_LEAST);
    }
    if (d->kind == NPU__CONV_I8 || d->kind == NPU__CONV_U8) f->run = f->block ? 0 : npu__dw_frame_plan(&d->g);
    f->at_windows = npu__align_up(packed, 64);
    /* Widened weights stay behind the packed ones. */
    if (f->channels != d->g.out_c) packed = f->at_windows + (size_t)f->k * (size_t)f->channels * elem;
    f->at_col = 0;
    f->at_staged = f32 ? 0 : npu__align_up(taps * npu__ctx_word(c), 64); /* after the pointers, ... */
    if (!f32) scratch = (size_t)d->g.in_c;                               /* ... a pixel of padding or a copy */
    if (f->block) {
        scratch = npu__align_up(npu__dw_spread_bytes(d), 64);
        f->at_col = f->at_staged + scratch;
        if (f->channels != d->g.out_c) scratch += (size_t)f->block * (size_t)f->channels * sizeof(float);
    }
    scratch += f->at_staged;
    if (d->kind == NPU__CONV_I16) { /* sums of a row, for both planes */
        f->at_adds = npu__align_up(scratch, 64);
        scratch = f->at_adds + (size_t)d->g.out_w * (size_t)d->g.out_c * 2 * sizeof(int32_t);
    }
    return npu__conv_fast_slots(c, f, packed, scratch, scratch);
}

NPU__FN void npu__dw_fast_pack(npu__ctx *c, const npu__conv_data *d, const void *w, const void *bias) {
    const npu__conv_fast *f = &d->fast;
    uint8_t              *packed = (uint8_t *)npu__slot(c, f->packed_slot);
    size_t                step_c = f->depthwise ? 1 : (size_t)f->k, step_t = f->depthwise ? (size_t)d->g.out_c : 1;
    npu__dw_i8_weights    p;
    npu__qmul             qmul[NPU__DW_UNIT];
    int32_t               eight[NPU__DW_UNIT]; /* a bias of either type */
    if (f->channels != d->g.out_c) {
        memset(eight, 0, sizeof eight);
        if (bias) memcpy(eight, bias, (size_t)d->g.out_c * sizeof *eight);
        bias = eight;
        npu__dw_spread_weights(d, w, step_c, step_t, d->w_zp, f->kind == NPU__FAST_DW_F32 ? sizeof(float) : 1u, packed + f->at_windows);
        w = packed + f->at_windows;
        step_c = 1;
        step_t = (size_t)f->channels;
    }
    if (f->kind == NPU__FAST_DW_F32) {
        npu__dw_f32_pack(f->channels, f->k, (const float *)w, step_c, step_t, (const float *)bias, packed);
        return;
    }
    p.w = (const uint8_t *)w;
    p.step_c = step_c;
    p.step_t = step_t;
    p.w_signed = p.a_signed = d->kind != NPU__CONV_U8;
    p.w_zero_point = d->w_zp;
    p.a_zero_point = d->in_zp;
    p.bias = (const int32_t *)bias;
    p.qmul = npu__conv_qmuls(c, d);
    p.qmul_step = d->mul_slot >= 0;
    if (f->channels != d->g.out_c && p.qmul_step) {
        for (int32_t i = 0; i < NPU__DW_UNIT; i++) qmul[i] = p.qmul[NPU__MIN(i, d->g.out_c - 1)];
        p.qmul = qmul;
    }
    npu__dw_i8_pack(f->dw, f->channels, f->k, &p, packed);
}

/* What a thread works with. */
typedef struct npu__dw_work {
    npu__ctx             *c;
    const npu__conv_data *d;
    npu__im2col           window;
    npu__dw_spread        spread;
    npu__dw_job           job;
} npu__dw_work;

/* Integers: columns [from, to) in one go, the others one by one. */
NPU__FN void npu__dw_row_i8(const npu__dw_work *work, const uint8_t *in, npu__dw_job *job, int64_t row, const uint8_t *pad,
                            const uint8_t **taps, uint8_t *out) {
    const npu__conv_data *d = work->d;
    const npu__conv_geom *g = &d->g;
    const uint8_t        *packed = (const uint8_t *)npu__slot(work->c, d->fast.packed_slot);
    const int32_t         b = (int32_t)(row / g->out_h), oy = (int32_t)(row % g->out_h);
    npu__im2col           window = work->window;
    int32_t               from, to;
    window.in = in;
    npu__window_inside(g, oy, &from, &to);
    /* Between from and to no tap lies outside, so that all pointers move by one step from pixel to pixel. */
    for (int32_t ox = 0; ox < g->out_w;) {
        job->pixels = ox == from && from < to ? to - from : 1;
        npu__window_taps(&window, b, oy, ox, pad, taps);
        d->fast.dw->run(job, packed, out + (size_t)ox * job->out_stride);
        ox += job->pixels;
    }
}

/* Taps [*first, result) of `k`, `step` apart, of which the first is at `at`, that lie in [0, size). */
NPU__INLINE int32_t npu__dw_inside(int32_t at, int32_t step, int32_t k, int32_t size, int32_t *first) {
    *first = at < 0 ? NPU__MIN(-(at + 1) / step + 1, k) : 0; /* rounded up, without a sum that could overflow */
    return at < size ? NPU__MAX(NPU__MIN((size - 1 - at) / step + 1, k), *first) : *first;
}

/* Floats: taps outside the image are left out. Pixels that have the same ones inside go together, or the row as a whole. */
NPU__FN void npu__dw_row_f32(const npu__dw_work *work, const uint8_t *in, npu__dw_job *job, int64_t row, const uint8_t *packed,
                             uint8_t *out) {
    const npu__conv_data *d = work->d;
    const npu__conv_geom *g = &d->g;
    const size_t          pixel = work->spread.pixel;
    const uint8_t        *image = in + (size_t)(row / g->out_h) * (size_t)g->in_h * (size_t)g->in_w * pixel;
    const int32_t         y = (int32_t)(row % g->out_h) * g->stride_h - g->pad_h;
    int32_t               ky, kx, end, last;
    job->lines = npu__dw_inside(y, g->dil_h, g->k_h, g->in_h, &ky) - ky;
    if (job->width && job->lines) {
        job->in = image + (size_t)(y + ky * g->dil_h) * (size_t)g->in_w * pixel;
        job->first = ky * g->k_w;
        job->cols = g->k_w;
        job->pixels = g->out_w;
        d->fast.dw->run(job, packed, out);
        return;
    }
    for (int32_t ox = 0; ox < g->out_w; ox += job->pixels) {
        const int32_t x = ox * g->stride_w - g->pad_w;
        end = npu__dw_inside(x, g->dil_w, g->k_w, g->in_w, &kx);
        job->cols = end - kx;
        job->first = ky * g->k_w + kx;
        job->pixels = 1;
        job->in = image;
        if (job->lines && job->cols) {
            job->in += ((size_t)(y + ky * g->dil_h) * (size_t)g->in_w + (size_t)(x + kx * g->dil_w)) * pixel;
            /* The last x whose taps are these: one to the left would come in, or one to the right leave. */
            last = g->in_w - 1 - (end - 1) * g->dil_w;
            if (kx) last = NPU__MIN(last, (1 - kx) * g->dil_w - 1);
            job->pixels = NPU__MIN((last - x) / g->stride_w + 1, g->out_w - ox);
        }
        d->fast.dw->run(job, packed, out + (size_t)ox * job->out_stride);
    }
}

/* One output row, a strip of channels after the other. */
NPU__FN void npu__dw_strips_f32(const npu__dw_work *work, const uint8_t *in, npu__dw_job *job, int64_t row, uint8_t *out) {
    const npu__conv_fast *f = &work->d->fast;
    const uint8_t        *packed = (const uint8_t *)npu__slot(work->c, f->packed_slot);
    for (int32_t c = 0; c < f->channels; c += job->channels) {
        const size_t  at = (size_t)c * sizeof(float);
        const int32_t left = f->channels - c;
        job->channels = left < f->run + NPU__DW_UNIT ? left : f->run; /* no less than a unit stays behind */
        npu__dw_row_f32(work, in + at, job, row, packed + (size_t)(c / NPU__DW_UNIT) * npu__dw_f32_unit_bytes(f->k), out + at);
    }
}

/* One output row from one plane of the input, to `out`. */
NPU__FN void npu__dw_any_row(const npu__dw_work *work, npu__dw_spread *s, npu__dw_job *job, int64_t row, uint8_t *out) {
    const npu__conv_data *d = work->d;
    if (d->fast.block) {
        npu__dw_spread_row(s, job, (const uint8_t *)npu__slot(work->c, d->fast.packed_slot), row, out);
        return;
    }
    if (d->kind == NPU__CONV_F32) {
        npu__dw_strips_f32(work, s->in, job, row, out);
        return;
    }
    memset(s->copy, s->pad, (size_t)d->g.in_c * s->elem);
    npu__dw_row_i8(work, s->in, job, row, s->copy, s->taps, out);
}

NPU__FN void npu__dw_range(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__dw_work   *work = (const npu__dw_work *)arg;
    const npu__conv_data *d = work->d;
    const npu__conv_fast *f = &d->fast;
    const npu__conv_geom *g = &d->g;
    uint8_t              *scratch = NULL;
    const size_t          outs = (size_t)g->out_w * (size_t)g->out_c, pixel = work->job.out_stride;
    npu__dw_job           job = work->job;
    npu__dw_spread        s = work->spread;
    if (f->scratch_slot >= 0) {
        scratch = (uint8_t *)npu__slot(work->c, f->scratch_slot) + (size_t)thread * f->scratch_each;
        s.taps = (const uint8_t **)(void *)scratch;
        s.copy = scratch + f->at_staged;
        s.wide = scratch + f->at_col;
        job.taps = s.taps;
    }
    if (d->fast.kind == NPU__FAST_DW_I8 && f->run) {
        npu__dw_frame_range(d, &job, s.in, s.pad, (const uint8_t *)npu__slot(work->c, f->packed_slot), s.taps, begin, end,
                            (uint8_t *)work->c->out[0]->data);
        return;
    }
    if (f->block) npu__dw_spread_start(&s, &job);
    for (int64_t row = begin; row < end; row++) {
        const int32_t image = (int32_t)(row / g->out_h);
        uint8_t      *out;
        if (d->kind == NPU__CONV_I16) {
            int32_t *sums = (int32_t *)(void *)(scratch + f->at_adds);
            for (int32_t p = 0; p < 2; p++) {
                s.in = work->spread.in + (p ? work->c->in[0]->bytes / 2 : 0);
                s.pad = p ? NPU__I16_LOW_ZERO : 0;
                npu__dw_any_row(work, &s, &job, row, (uint8_t *)(void *)(sums + (p ? outs : 0)));
            }
            npu__i16_store(work->c, d, 0, g->out_c, g->out_w, sums, sums + outs, (size_t)g->out_c,
                           (int16_t *)work->c->out[0]->data + (size_t)row * outs, (size_t)g->out_c);
            continue;
        }
        /* Images of hybrid convolutions have zero points of their own. */
        if (d->kind == NPU__CONV_HYBRID) s.pad = npu__conv_hybrid_zp(work->c, d, image) & 0xFF;
        out = (uint8_t *)work->c->out[0]->data + (size_t)row * (size_t)g->out_w * pixel;
        npu__dw_any_row(work, &s, &job, row, out);
        if (d->kind == NPU__CONV_HYBRID) { /* sums become floats where they are */
            const npu__hybrid_out o = npu__conv_hybrid_out(work->c, d, image);
            npu__hybrid_store(&o, 0, g->out_c, g->out_w, out, pixel, out, pixel);
        }
    }
}

NPU__FN void npu__dw_fast_eval(npu__ctx *c, const npu__conv_data *d) {
    const npu__conv_geom *g = &d->g;
    const int64_t         row_macs = (int64_t)g->out_w * g->out_c * d->fast.k;
    const int             f32 = d->kind == NPU__CONV_F32, raw = npu__conv_is_raw(d);
    npu__dw_work          work;
    memset(&work, 0, sizeof work);
    work.c = c;
    work.d = d;
    work.window.g = g;
    work.window.in = (const uint8_t *)(raw ? npu__slot(c, d->in_slot) : c->in[0]->data);
    work.window.elem_bytes = f32 ? sizeof(float) : 1;
    work.window.pad = f32 ? 0 : d->in_zp & 0xFF;
    work.job.n_taps = d->fast.k;
    work.spread.pixel = (size_t)(d->fast.block ? d->fast.channels : g->in_c) * work.window.elem_bytes;
    work.job.in_step = (size_t)g->stride_w * work.spread.pixel;
    work.job.col_step = (size_t)g->dil_w * work.spread.pixel;
    work.job.line_step = (size_t)g->dil_h * (size_t)g->in_w * work.spread.pixel;
    work.job.k_w = g->k_w;
    work.job.channels = d->fast.channels;
    work.spread.d = d;
    work.spread.pad = work.window.pad;
    work.spread.in = work.window.in;
    work.spread.elem = work.window.elem_bytes;
    work.spread.out_elem = f32 || raw ? sizeof(float) : 1;
    work.job.out_stride = (size_t)g->out_c * work.spread.out_elem;
    work.job.lo = d->lo;
    work.job.hi = d->hi;
    if (f32 && !d->fast.block && g->dil_w == 1 && npu__dw_f32_takes_rows(g->k_w, g->stride_w, g->pad_w, g->in_w, g->out_w)) {
        work.job.width = g->in_w;
        work.job.before = g->pad_w;
    }
    if (!f32) {
        work.job.is_signed = d->kind != NPU__CONV_U8;
        work.job.w_rest = npu__dw_i8_rest(work.job.is_signed, d->w_zp);
        work.job.out = npu__conv_i8_out(d);
        work.job.out.raw = raw;
    }
    npu__parallel(c, (int64_t)g->batches * g->out_h,
                  (f32 ? NPU__DW_GRAIN_F32 : NPU__DW_GRAIN_I8) / NPU__MAX(row_macs, (int64_t)1) + 1, npu__dw_range, &work);
}
NPU__SPEED_END
