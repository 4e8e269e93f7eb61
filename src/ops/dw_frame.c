/* Depthwise convolutions of integers whose images are so small that edges weigh: the lines of a window are copied with padding around
 * them, a strip of channels at a time, so that all pixels of an output row have their windows inside. Lines stay for the next row, but
 * for those of dilated windows, of which the next one has others. */
#include "../kernels/move.h"
#include "conv_fast.h"
#include "conv_util.h"
NPU__SPEED_BEGIN

#define NPU__FRAME_STRIP 64 /* strips are multiples of it, as kernels may pack as many channels in an order of theirs; ... */
#define NPU__FRAME_MORE 16  /* ... the last one may have almost so many more, so that no less than a unit stays behind */
#define NPU__FRAME_ALIGN 64

/* Pixels of a line with its padding. */
NPU__INLINE int64_t npu__dw_frame_width(const npu__conv_geom *g) {
    return (int64_t)(g->out_w - 1) * g->stride_w + (int64_t)(g->k_w - 1) * g->dil_w + 1;
}

NPU__FN int32_t npu__dw_frame_plan(const npu__conv_geom *g) {
    const int64_t width = npu__dw_frame_width(g), height = (int64_t)(g->out_h - 1) * g->stride_h + (int64_t)(g->k_h - 1) * g->dil_h + 1;
    const int64_t bytes = NPU__LOCAL_BYTES - NPU__FRAME_ALIGN;
    const int64_t most = width <= bytes ? bytes / npu__sat_mul(width, g->k_h) : 0; /* channels */
    if (g->in_c != g->out_c) return 0;
    /* What is copied must be no more than what is multiplied. */
    if (g->stride_h > g->k_h || g->stride_w > g->k_w || width > (int64_t)g->k_w * g->out_w) return 0;
    if (!g->pad_h && !g->pad_w && width <= g->in_w && height <= g->in_h) return 0;
    if (most >= g->in_c) return g->in_c;
    return (int32_t)NPU__MAX(most - NPU__FRAME_MORE, (int64_t)0) & ~(NPU__FRAME_STRIP - 1);
}

/* Line y of the image's channels from `in` on, `n` pixels of it. */
NPU__FN void npu__dw_frame_line(const npu__conv_geom *g, const uint8_t *in, int64_t y, int32_t n, int32_t channels, int pad, uint8_t *to) {
    const size_t pixel = (size_t)g->in_c;
    if (y < 0 || y >= g->in_h) {
        memset(to, pad, (size_t)n * (size_t)channels);
        return;
    }
    in += (size_t)y * (size_t)g->in_w * pixel;
    if (channels == g->in_c) {
        memcpy(to, in, (size_t)n * pixel);
        return;
    }
    for (int32_t x = 0; x < n; x++, in += pixel, to += channels) npu__copy_run(to, in, (size_t)channels);
}

/* Output rows [begin, end) of the strip that `in`, `packed` and `out` point to; job->channels wide. */
NPU__FN void npu__dw_frame_rows(const npu__conv_data *d, npu__dw_job *job, const uint8_t *in, int pad, const uint8_t *packed,
                                const uint8_t **taps, int64_t begin, int64_t end, uint8_t *out) {
    const npu__conv_geom *g = &d->g;
    const int32_t         width = (int32_t)npu__dw_frame_width(g), left = NPU__MIN(g->pad_w, width);
    const int32_t         inside = NPU__MIN(g->in_w, width - left);
    const size_t          pixel = (size_t)job->channels, line = (size_t)width * pixel;
    npu__local            local;
    uint8_t              *frame = (uint8_t *)(void *)local.memory;
    int32_t               next = 0; /* line of the image, which is not copied yet */
    frame += (NPU__FRAME_ALIGN - (uintptr_t)frame % NPU__FRAME_ALIGN) % NPU__FRAME_ALIGN; /* loads that cross no line */
    memset(frame, pad, (size_t)g->k_h * line);
    job->in_step = (size_t)g->stride_w * pixel;
    for (int64_t row = begin; row < end; row++) {
        const int32_t  oy = (int32_t)(row % g->out_h), y = oy * g->stride_h - g->pad_h;
        const uint8_t *image = in + (size_t)(row / g->out_h) * (size_t)g->in_h * (size_t)g->in_w * (size_t)g->in_c;
        int32_t        n = 0;
        if (oy == 0 || row == begin) next = y;
        for (next = NPU__MAX(next, y); g->dil_h == 1 && next < y + g->k_h; next++) {
            npu__dw_frame_line(g, image, next, inside, job->channels, pad,
                               frame + (size_t)((next + g->pad_h) % g->k_h) * line + (size_t)left * pixel);
        }
        for (int32_t ky = 0; g->dil_h > 1 && ky < g->k_h; ky++) {
            npu__dw_frame_line(g, image, y + (int64_t)ky * g->dil_h, inside, job->channels, pad, frame + (size_t)ky * line + (size_t)left * pixel);
        }
        for (int32_t ky = 0; ky < g->k_h; ky++) {
            const uint8_t *from = frame + (size_t)(g->dil_h > 1 ? ky : (y + ky + g->pad_h) % g->k_h) * line;
            for (int32_t kx = 0; kx < g->k_w; kx++, from += pixel * (size_t)g->dil_w) taps[n++] = from;
        }
        if (n & 1) taps[n] = taps[n - 1];
        d->fast.dw->run(job, packed, out + (size_t)row * (size_t)g->out_w * job->out_stride);
    }
}

NPU__FN void npu__dw_frame_range(const npu__conv_data *d, const npu__dw_job *all, const uint8_t *in, int pad, const uint8_t *packed,
                                 const uint8_t **taps, int64_t begin, int64_t end, uint8_t *out) {
    const npu__conv_fast *f = &d->fast;
    const size_t          unit = npu__dw_i8_unit_bytes(f->dw->unit, f->dw->together, f->k);
    npu__dw_job           job = *all;
    job.taps = taps;
    job.pixels = d->g.out_w;
    NPU__ASSERT(f->dw->unit <= NPU__FRAME_MORE);
    for (int32_t c = 0; c < f->channels; c += job.channels) {
        const int32_t left = f->channels - c;
        job.channels = left < f->run + NPU__FRAME_MORE ? left : f->run;
        npu__dw_frame_rows(d, &job, in + c, pad, packed + (size_t)(c / f->dw->unit) * unit, taps, begin, end, out + c);
    }
}
#undef NPU__FRAME_STRIP
#undef NPU__FRAME_MORE
#undef NPU__FRAME_ALIGN
NPU__SPEED_END
