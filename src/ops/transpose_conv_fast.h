/* Where a transposed convolution runs on the kernels of kernels.h, one product for each of its parts (kernels/phases.h). */
#ifndef NPU__OPS_TRANSPOSE_CONV_FAST_H
#define NPU__OPS_TRANSPOSE_CONV_FAST_H

#include "../kernels/phases.h"
#include "conv_util.h"

typedef struct npu__tconv_fast {
    const npu__gemm_f32_kernel *gemm_f32; /* one of these three, or none */
    const npu__gemm_i8_kernel  *gemm_i8;
    const npu__gemv_i8_kernel  *gemv;     /* int16: a product for each pixel */
    npu__phase                  y[NPU__PHASES_MOST], x[NPU__PHASES_MOST];
    int32_t                     n_y, n_x;
    npu__conv_geom              band;     /* periods as outputs, with a window that holds those of all parts */
    int32_t                     inplace;  /* floats: no window leaves the image */
    int32_t                     block;    /* rows of periods worked on at a time */
    int32_t                     segments, columns, depth; /* of all parts; the most that one has */
    int32_t                     direct;   /* rows of results go where they belong, without a copy */
    int32_t                     packed;   /* weights are packed once, not in each eval */
    int32_t                     packed_slot, scratch_slot;
    /* Parts of a thread's scratch behind the offsets: windows, row corrections, results, rows of the input. `gemv`: a window,
     * sums of 32 and of 64 bits, the same. */
    size_t                      at_windows, at_adds, at_out, at_band;
    size_t                      scratch_each;
} npu__tconv_fast;

/* What the operators have: MediaPipe's is the float one with another rule for sizes. */
typedef struct npu__tconv_data {
    npu__conv_data  conv;
    npu__tconv_fast fast;
} npu__tconv_data;

NPU__INLINE int npu__tconv_is_fast(const npu__tconv_data *d) {
    return d->fast.gemm_f32 || d->fast.gemm_i8 || d->fast.gemv;
}

/* Part i, without weights; where it is packed. */
NPU__INLINE npu__phase_part npu__tconv_part(const npu__tconv_data *d, int32_t i) {
    npu__phase_part p;
    p.g = &d->conv.g;
    p.y = d->fast.y + i / d->fast.n_x;
    p.x = d->fast.x + i % d->fast.n_x;
    p.w = NULL;
    p.elem_bytes = d->fast.gemm_f32 ? sizeof(float) : 1;
    return p;
}
NPU__FN size_t npu__tconv_packed(const npu__tconv_data *d, int32_t i);
/* Where the lines of the parts' windows lie in those of the band, in elements. */
NPU__FN void npu__tconv_offsets(const npu__tconv_data *d, size_t *offsets);

/* transpose_conv_pixel.c */
NPU__FN npu_status npu__tconv_eval_pixels(npu__ctx *c, npu__conv_io io, int64_t grain);

/* Decides; asks for memory. The data's geometry, kind and output stage must be there. */
NPU__FN npu_status npu__tconv_prepare(npu__ctx *c, npu__conv_io io, npu__tconv_data *d);
NPU__FN npu_status npu__tconv_pack(npu__ctx *c, npu__conv_io io);
NPU__FN npu_status npu__tconv_eval(npu__ctx *c, npu__conv_io io);
NPU__FN npu__work npu__tconv_work(const npu__ctx *c, npu__conv_io io);

#endif
