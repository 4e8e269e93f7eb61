/* Gathers windows: im2col rows in tiles, pointer lists for depthwise kernels. */
#include "im2col.h"
#include "move.h"
NPU__SPEED_BEGIN

/* One row of the window: k_w pixels of `line` (NULL: outside the image) from column x0 on. */
NPU__INLINE uint8_t *npu__im2col_line(const npu__im2col *job, const uint8_t *line, int32_t x0, uint8_t *dst) {
    const npu__conv_geom *g = job->g;
    const size_t          pixel = (size_t)g->in_c * job->elem_bytes, part = (size_t)g->k_c * job->elem_bytes;
    if (!line) {
        memset(dst, job->pad, part * (size_t)g->k_w);
        return dst + part * (size_t)g->k_w;
    }
    /* Neighbouring pixels, all channels: one copy between what hangs over on either side. */
    if (g->dil_w == 1 && part == pixel) {
        int32_t left = NPU__MIN(NPU__MAX(-x0, 0), g->k_w);
        int32_t right = NPU__MIN(NPU__MAX(x0 + g->k_w - g->in_w, 0), g->k_w - left);
        int32_t mid = g->k_w - left - right;
        if (left) memset(dst, job->pad, part * (size_t)left);
        dst += part * (size_t)left;
        if (mid) npu__copy_run(dst, line + pixel * (size_t)(x0 + left), part * (size_t)mid);
        dst += part * (size_t)mid;
        if (right) memset(dst, job->pad, part * (size_t)right);
        return dst + part * (size_t)right;
    }
    for (int32_t kx = 0; kx < g->k_w; kx++, dst += part) {
        int32_t ix = x0 + kx * g->dil_w;
        if (ix < 0 || ix >= g->in_w) memset(dst, job->pad, part);
        else npu__copy_run(dst, line + pixel * (size_t)ix, part);
    }
    return dst;
}

NPU__FN void npu__im2col_rows(const npu__im2col *job, int64_t pixel, int32_t rows, uint8_t *dst) {
    const npu__conv_geom *g = job->g;
    const size_t          line_bytes = (size_t)g->in_w * (size_t)g->in_c * job->elem_bytes;
    int32_t               ox = (int32_t)(pixel % g->out_w), oy = (int32_t)(pixel / g->out_w % g->out_h);
    int64_t               b = pixel / g->out_w / g->out_h;
    for (int32_t r = 0; r < rows; r++) {
        /* first_c: a group's channels are a part of every pixel. */
        const uint8_t *image = job->in + (size_t)b * (size_t)g->in_h * line_bytes +
                               (size_t)job->first_c * job->elem_bytes;
        for (int32_t ky = 0; ky < g->k_h; ky++) {
            int32_t iy = oy * g->stride_h - g->pad_h + ky * g->dil_h;
            dst = npu__im2col_line(job, iy < 0 || iy >= g->in_h ? NULL : image + (size_t)iy * line_bytes,
                                   ox * g->stride_w - g->pad_w, dst);
        }
        if (++ox < g->out_w) continue;
        ox = 0;
        if (++oy < g->out_h) continue;
        oy = 0;
        b++;
    }
}

NPU__FN void npu__window_taps(const npu__im2col *job, int32_t b, int32_t oy, int32_t ox, const uint8_t *pad,
                              const uint8_t **taps) {
    const npu__conv_geom *g = job->g;
    const size_t          pixel = (size_t)g->in_c * job->elem_bytes;
    int32_t               n = 0;
    for (int32_t ky = 0; ky < g->k_h; ky++) {
        int32_t iy = oy * g->stride_h - g->pad_h + ky * g->dil_h;
        for (int32_t kx = 0; kx < g->k_w; kx++) {
            int32_t ix = ox * g->stride_w - g->pad_w + kx * g->dil_w;
            size_t  at = ((size_t)b * (size_t)g->in_h + (size_t)iy) * (size_t)g->in_w + (size_t)ix;
            taps[n++] = iy < 0 || iy >= g->in_h || ix < 0 || ix >= g->in_w ? pad : job->in + at * pixel;
        }
    }
    /* Kernels take pairs: the one too many meets a weight of 0, but its pixel must be readable. */
    if (n & 1) taps[n] = taps[n - 1];
}

NPU__FN void npu__window_inside(const npu__conv_geom *g, int32_t oy, int32_t *from, int32_t *to) {
    int32_t y0 = oy * g->stride_h - g->pad_h, last_x = (g->k_w - 1) * g->dil_w;
    int32_t room = g->in_w - 1 - last_x + g->pad_w;
    *from = *to = 0;
    if (y0 < 0 || y0 + (g->k_h - 1) * g->dil_h >= g->in_h || room < 0) return;
    /* The first column whose window does not begin left of the image; `to`: behind the last that ends inside. */
    *from = NPU__MIN((g->pad_w + g->stride_w - 1) / g->stride_w, g->out_w);
    *to = NPU__MAX(NPU__MIN(room / g->stride_w + 1, g->out_w), *from);
}
NPU__SPEED_END
