/* Fills bands and finds windows in them. */
#include "band.h"
NPU__SPEED_BEGIN

NPU__INLINE int npu__band_by_line(const npu__conv_geom *g) { return g->dil_w == 1 && g->k_c == g->in_c; }

NPU__FN void npu__band_runs(const npu__conv_geom *g, int32_t *segments, int32_t *run) {
    const int by_line = npu__band_by_line(g);
    /* What a window reads without a gap: a line of it where pixels are neighbours and whole, else one pixel. */
    *segments = by_line ? g->k_h : g->k_h * g->k_w;
    *run = by_line ? g->k_w * g->k_c : g->k_c;
}

NPU__FN void npu__band_offsets(const npu__conv_geom *g, int32_t width, size_t *offsets) {
    const int by_line = npu__band_by_line(g);
    for (int32_t ky = 0; ky < g->k_h; ky++) {
        for (int32_t kx = 0; kx < (by_line ? 1 : g->k_w); kx++) {
            *offsets++ = ((size_t)(ky * g->dil_h) * (size_t)width + (size_t)(kx * g->dil_w)) * (size_t)g->in_c;
        }
    }
}

/* n elements of padding. */
NPU__INLINE uint8_t *npu__band_pad(const npu__band *band, uint8_t *dst, size_t n) {
    if (band->elem_bytes == 2) {
        const int16_t v = (int16_t)band->pad;
        for (size_t i = 0; i < n; i++) memcpy(dst + 2 * i, &v, 2);
    } else {
        memset(dst, band->elem_bytes == 1 ? band->pad & 0xFF : 0, n * band->elem_bytes);
    }
    return dst + n * band->elem_bytes;
}

NPU__FN void npu__band_fill(const npu__band *band, int32_t b, int32_t y0, int32_t rows, uint8_t *dst) {
    const npu__conv_geom *g = band->g;
    const size_t          in_elem = band->stage ? 1 : sizeof(float), c = (size_t)g->in_c;
    const int32_t         left = NPU__MIN(g->pad_w, band->width), inside = NPU__MIN(band->width - left, g->in_w);
    const int32_t         right = band->width - left - inside;
    for (int32_t y = y0; y < y0 + rows; y++) {
        const uint8_t *src;
        if (y < 0 || y >= g->in_h) {
            dst = npu__band_pad(band, dst, (size_t)band->width * c);
            continue;
        }
        src = band->in + ((size_t)b * (size_t)g->in_h + (size_t)y) * (size_t)g->in_w * c * in_elem;
        dst = npu__band_pad(band, dst, (size_t)left * c);
        if (band->stage) band->stage(src, dst, inside * g->in_c, band->is_signed, 0);
        else memcpy(dst, src, (size_t)inside * c * in_elem);
        dst = npu__band_pad(band, dst + (size_t)inside * c * band->elem_bytes, (size_t)right * c);
    }
}

NPU__FN void npu__band_windows(const npu__conv_geom *g, const uint8_t *base, int32_t width, size_t elem_bytes,
                               int32_t out_rows, const uint8_t **windows) {
    const size_t pixel = (size_t)g->in_c * elem_bytes, step = (size_t)g->stride_w * pixel;
    for (int32_t y = 0; y < out_rows; y++, base += (size_t)g->stride_h * (size_t)width * pixel) {
        const uint8_t *p = base;
        /* Padding is in the band: every window is a pointer, no edge needs a case of its own. */
        for (int32_t x = 0; x < g->out_w; x++, p += step) *windows++ = p;
    }
}
NPU__SPEED_END
