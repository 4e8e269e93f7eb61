/* Depthwise convolutions that kernels cannot read as the input lies: several outputs of each channel (a depth multiplier), or
 * fewer channels than a vector has. What a few output pixels need is copied, each channel as often as it has outputs and
 * padding with it, so that no window leaves the copy. */
#include "conv_fast.h"
#include "conv_util.h"
NPU__SPEED_BEGIN

#define NPU__SPREAD_BYTES (64 * 1024)   /* of a copy for more than one output pixel */
#define NPU__SPREAD_MAX (1024 * 1024)   /* of a copy for one */
#define NPU__SPREAD_RUN 8               /* elements written at a time */

NPU__FN int npu__dw_spread_plan(const npu__conv_data *d, npu__conv_fast *f) {
    const npu__conv_geom *g = &d->g;
    const int64_t         elem = d->kind == NPU__CONV_F32 ? 4 : 1, window = ((int64_t)g->k_w - 1) * g->dil_w + 1;
    const int64_t         column = npu__sat_mul(npu__sat_mul(g->k_h, f->channels), elem); /* bytes */
    const int64_t         most = NPU__SPREAD_BYTES / column;
    int64_t               pixels = most > window ? (most - window) / g->stride_w + 1 : 1;
    pixels = NPU__MIN(pixels, (int64_t)g->out_w);
    if (npu__sat_mul(window, column) > NPU__SPREAD_MAX) return 0;
    f->block = (int32_t)pixels;
    f->width = (int32_t)((pixels - 1) * g->stride_w + window);
    return 1;
}

NPU__FN size_t npu__dw_spread_bytes(const npu__conv_data *d) {
    const size_t elem = d->kind == NPU__CONV_F32 ? 4 : 1;
    return ((size_t)d->g.k_h * (size_t)d->fast.width * (size_t)d->fast.channels + NPU__SPREAD_RUN - 1) * elem;
}

/* Weights, bias and multipliers of fewer channels than kernels take, with some that do nothing behind them. */
NPU__FN void npu__dw_spread_weights(const npu__conv_data *d, const void *w, size_t step_c, size_t step_t, int32_t fill, size_t elem,
                                    uint8_t *to) {
    const uint8_t *from = (const uint8_t *)w;
    const size_t   channels = (size_t)d->g.out_c, wide = (size_t)d->fast.channels * elem;
    for (int32_t t = 0; t < d->fast.k; t++, from += step_t * elem, to += wide) {
        memset(to, fill, wide);
        for (size_t c = 0; c < channels; c++) memcpy(to + c * elem, from + c * step_c * elem, elem);
    }
}

/* Pixels of which each channel comes `times` times, written as eights: up to seven elements behind the last one change too. */
NPU__INLINE void npu__dw_spread_u8(const uint8_t *src, uint8_t *dst, int32_t n, int32_t times) {
    for (int32_t i = 0; i < n; i++, dst += times) {
        const uint64_t eight = src[i] * UINT64_C(0x0101010101010101);
        for (int32_t j = 0; j < times; j += NPU__SPREAD_RUN) memcpy(dst + j, &eight, sizeof eight);
    }
}
NPU__INLINE void npu__dw_spread_f32(const float *src, float *dst, int32_t n, int32_t times) {
    for (int32_t i = 0; i < n; i++, dst += times) {
        const float x = src[i];
        for (int32_t j = 0; j < times; j += NPU__SPREAD_RUN)
            for (int32_t e = 0; e < NPU__SPREAD_RUN; e++) dst[j + e] = x;
    }
}

/* `width` pixels of a line (NULL: outside the image) from column x0 on; what is written too far, the next line overwrites. */
NPU__FN void npu__dw_spread_line(const npu__dw_spread *s, const uint8_t *line, int32_t x0, uint8_t *dst) {
    const npu__conv_geom *g = &s->d->g;
    const int32_t         times = g->out_c / g->in_c, width = s->d->fast.width;
    const size_t          in_pixel = (size_t)g->in_c * s->elem;
    const int32_t         left = line ? NPU__MIN(NPU__MAX(-x0, 0), width) : width;
    const int32_t         right = line ? NPU__MAX(NPU__MIN(width, g->in_w - x0), left) : width;
    /* Channels behind each other without gaps: all pixels at once. */
    const int32_t         step = g->out_c == s->d->fast.channels ? NPU__MAX(right - left, 1) : 1;
    memset(dst, s->pad, (size_t)left * s->pixel);
    for (int32_t x = left; x < right; x += step) {
        const uint8_t *from = line + (size_t)(x0 + x) * in_pixel;
        uint8_t       *to = dst + (size_t)x * s->pixel;
        if (s->elem == 1) npu__dw_spread_u8(from, to, step * g->in_c, times);
        else npu__dw_spread_f32((const float *)(const void *)from, (float *)(void *)to, step * g->in_c, times);
    }
    memset(dst + (size_t)right * s->pixel, s->pad, (size_t)(width - right) * s->pixel);
}

/* The taps of the first pixel of any copy. */
NPU__FN void npu__dw_spread_start(const npu__dw_spread *s, npu__dw_job *job) {
    const npu__conv_geom *g = &s->d->g;
    int32_t               n = 0;
    job->in = s->copy;
    job->line_step = (size_t)s->d->fast.width * s->pixel;
    job->lines = g->k_h;
    job->cols = g->k_w;
    if (s->d->kind == NPU__CONV_F32) return;
    for (int32_t ky = 0; ky < g->k_h; ky++)
        for (int32_t kx = 0; kx < g->k_w; kx++)
            s->taps[n++] = s->copy + ((size_t)ky * (size_t)s->d->fast.width + (size_t)(kx * g->dil_w)) * s->pixel;
    if (n & 1) s->taps[n] = s->taps[n - 1];
}

NPU__FN void npu__dw_spread_row(const npu__dw_spread *s, npu__dw_job *job, const uint8_t *packed, int64_t row, uint8_t *out) {
    const npu__conv_data *d = s->d;
    const npu__conv_geom *g = &d->g;
    const npu__conv_fast *f = &d->fast;
    const size_t          line = (size_t)g->in_w * (size_t)g->in_c * s->elem;
    const size_t          bytes = (size_t)f->width * (size_t)f->channels * s->elem, out_pixel = (size_t)g->out_c * s->out_elem;
    const uint8_t        *image = s->in + (size_t)(row / g->out_h) * (size_t)g->in_h * line;
    const int32_t         y0 = (int32_t)(row % g->out_h) * g->stride_h - g->pad_h;
    for (int32_t ox = 0; ox < g->out_w; ox += f->block, out += (size_t)f->block * out_pixel) {
        for (int32_t ky = 0; ky < g->k_h; ky++) {
            const int32_t y = y0 + ky * g->dil_h;
            npu__dw_spread_line(s, y < 0 || y >= g->in_h ? NULL : image + (size_t)y * line, ox * g->stride_w - g->pad_w,
                                s->copy + (size_t)ky * bytes);
        }
        job->pixels = NPU__MIN(f->block, g->out_w - ox);
        job->out_stride = (size_t)f->channels * s->out_elem;
        if (g->out_c == f->channels) {
            f->dw->run(job, packed, out);
            continue;
        }
        /* Channels that are not there are left behind. */
        f->dw->run(job, packed, s->wide);
        for (int32_t p = 0; p < job->pixels; p++)
            memcpy(out + (size_t)p * out_pixel, s->wide + (size_t)p * job->out_stride, out_pixel);
    }
}
NPU__SPEED_END
