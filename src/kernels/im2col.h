/* From a window over an image to rows a GEMM can read, and to the pointer lists a depthwise kernel reads. */
#ifndef NPU__KERNELS_IM2COL_H
#define NPU__KERNELS_IM2COL_H

#include "ref_conv.h"
NPU__SPEED_BEGIN

typedef struct npu__im2col {
    const npu__conv_geom *g;
    const uint8_t        *in;
    size_t                elem_bytes;
    int32_t               first_c; /* first of the k_c input channels of this group */
    int32_t               pad;     /* byte that fills elements outside the image: 0 or an 8-bit zero point */
} npu__im2col;

/* Rows of k_h * k_w * k_c elements for output pixels [pixel, pixel + rows), counted over the whole batch. */
NPU__FN void npu__im2col_rows(const npu__im2col *job, int64_t pixel, int32_t rows, uint8_t *dst);

/* The window's input pixels for one output pixel: pointers, `pad` outside the image. Odd counts repeat the last. */
NPU__FN void npu__window_taps(const npu__im2col *job, int32_t b, int32_t oy, int32_t ox, const uint8_t *pad,
                              const uint8_t **taps);
/* Columns [*from, *to) of output row oy whose windows lie inside the image; empty where the row's own do not. */
NPU__FN void npu__window_inside(const npu__conv_geom *g, int32_t oy, int32_t *from, int32_t *to);

NPU__SPEED_END

#endif
