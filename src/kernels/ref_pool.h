/* Pooling kernels. Cells outside the image do not count, neither in the sum nor in the divisor. */
#ifndef NPU__KERNELS_REF_POOL_H
#define NPU__KERNELS_REF_POOL_H

#include "ref_quant.h"

typedef struct npu__pool_geom {
    int32_t batches, in_h, in_w, c, out_h, out_w;
    int32_t k_h, k_w, stride_h, stride_w, pad_h, pad_w;
} npu__pool_geom;

/* The part of a window that lies inside the image: [y0, y1) x [x0, x1). */
typedef struct npu__pool_window {
    int32_t y0, y1, x0, x1;
} npu__pool_window;
/* An output pixel. */
typedef struct npu__pool_at {
    int32_t b, y, x;
} npu__pool_at;
NPU__FN npu__pool_at npu__pool_at_of(const npu__pool_geom *g, int64_t i);
NPU__FN void npu__pool_next(const npu__pool_geom *g, npu__pool_at *at);

NPU__FN npu__pool_window npu__pool_window_at(const npu__pool_geom *g, int32_t oy, int32_t ox);

NPU__SPEED_BEGIN
/* Output pixels [begin, end), counted over all images. */
NPU__FN void npu__ref_average_pool_i16(const npu__pool_geom *g, const int16_t *in, int32_t lo, int32_t hi,
                                       int16_t *out, int64_t begin, int64_t end);
NPU__FN void npu__ref_max_pool_i16(const npu__pool_geom *g, const int16_t *in, int32_t lo, int32_t hi, int16_t *out,
                                   int64_t begin, int64_t end);
NPU__FN void npu__ref_l2_pool_f32(const npu__pool_geom *g, const float *in, float lo, float hi, float *out,
                                  int64_t begin, int64_t end);

/* Windows of many cells, of which the sums are there (of floats, in the output; of bytes, but for `more`): their means. */
NPU__FN void npu__pool_finish_f32(float *out, int32_t n, float inverse, float lo, float hi);
NPU__FN void npu__pool_finish_q8(const int32_t *sums, int32_t n, int64_t cells, int32_t more, int32_t lo, int32_t hi,
                                 uint8_t *out);
NPU__SPEED_END

#endif
