/* A band: rows of an image with their padding, in the form a GEMM reads, so that every window of some output rows is
 * a few runs of neighbouring elements in it. */
#ifndef NPU__KERNELS_BAND_H
#define NPU__KERNELS_BAND_H

#include "kernels.h"
#include "ref_conv.h"
NPU__SPEED_BEGIN

typedef struct npu__band {
    const npu__conv_geom *g;
    const uint8_t        *in;
    size_t                elem_bytes; /* of the band's elements; the image has floats or bytes */
    int32_t               width;      /* pixels of a row */
    npu__stage_fn         stage;      /* NULL: floats, copied */
    int32_t               is_signed, pad; /* integers: signedness of the image, staged value outside of it */
} npu__band;

/* Pixels of a row that the windows of an output row reach, and rows that those of `out_rows` output rows reach. */
NPU__INLINE int64_t npu__band_width(const npu__conv_geom *g) {
    return ((int64_t)g->out_w - 1) * g->stride_w + ((int64_t)g->k_w - 1) * g->dil_w + 1;
}
NPU__INLINE int64_t npu__band_rows(const npu__conv_geom *g, int64_t out_rows) {
    return (out_rows - 1) * g->stride_h + ((int64_t)g->k_h - 1) * g->dil_h + 1;
}

/* Runs of a window: whole lines of it where they are contiguous, else its pixels. */
NPU__FN void npu__band_runs(const npu__conv_geom *g, int32_t *segments, int32_t *run);
/* offsets[segments], in elements, in rows of `width` pixels. */
NPU__FN void npu__band_offsets(const npu__conv_geom *g, int32_t width, size_t *offsets);
/* Rows [y0, y0 + rows) of image b, y0 counted from the image's first row: negative ones, and those past the end, are
 * padding. */
NPU__FN void npu__band_fill(const npu__band *band, int32_t b, int32_t y0, int32_t rows, uint8_t *dst);
/* Where the window of each pixel of `out_rows` output rows starts; `base` is that of the first one. */
NPU__FN void npu__band_windows(const npu__conv_geom *g, const uint8_t *base, int32_t width, size_t elem_bytes,
                               int32_t out_rows, const uint8_t **windows);

NPU__SPEED_END

#endif
