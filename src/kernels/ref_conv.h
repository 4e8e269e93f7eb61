/* Reference convolutions: one function per type that walks the output, one per op and type that sums one output. */
#ifndef NPU__KERNELS_REF_CONV_H
#define NPU__KERNELS_REF_CONV_H

#include "ref_quant.h"

/* Sizes of CONV_2D, DEPTHWISE_CONV_2D and TRANSPOSE_CONV. Tensors are NHWC; filters lie as in the file:
 * [out_c, k_h, k_w, k_c], depthwise [1, k_h, k_w, out_c]. */
typedef struct npu__conv_geom {
    int32_t batches, in_h, in_w, in_c;
    int32_t out_h, out_w, out_c;
    int32_t k_h, k_w, k_c; /* k_c: input channels one filter sees (grouped: in_c / groups; depthwise: 1) */
    int32_t stride_h, stride_w, dil_h, dil_w;
    int32_t pad_h, pad_w;  /* rows above and columns left of the image */
} npu__conv_geom;

/* What one output sums over, before bias. `zp` arguments are zero points of activations and weights. */
typedef float (*npu__acc_f32)(const npu__conv_geom *g, const float *in, const float *w, int32_t b, int32_t oy,
                              int32_t ox, int32_t oc);
typedef int32_t (*npu__acc_i8)(const npu__conv_geom *g, const int8_t *in, const int8_t *w, int32_t b, int32_t oy,
                               int32_t ox, int32_t oc, int32_t in_zp);
typedef int32_t (*npu__acc_u8)(const npu__conv_geom *g, const uint8_t *in, const uint8_t *w, int32_t b, int32_t oy,
                               int32_t ox, int32_t oc, int32_t in_zp, int32_t w_zp);
typedef int64_t (*npu__acc_i16)(const npu__conv_geom *g, const int16_t *in, const int8_t *w, int32_t b, int32_t oy,
                                int32_t ox, int32_t oc);

typedef struct npu__conv_accs {
    npu__acc_f32 f32;
    npu__acc_i8  i8;
    npu__acc_u8  u8;
    npu__acc_i16 i16;
} npu__conv_accs;

/* ref_conv_2d.c, ref_depthwise.c, ref_transpose_conv.c */
NPU__FN const npu__conv_accs *npu__ref_conv_2d_accs(void);
NPU__FN const npu__conv_accs *npu__ref_depthwise_accs(void);
NPU__FN const npu__conv_accs *npu__ref_transpose_conv_accs(void);

/* Output pixels [begin, end), counted over all images. bias may be NULL everywhere. */
NPU__FN void npu__ref_conv_f32(const npu__conv_geom *g, npu__acc_f32 acc, const float *in, const float *w,
                               const float *bias, float lo, float hi, float *out, int64_t begin, int64_t end);
NPU__FN void npu__ref_conv_i8(const npu__conv_geom *g, npu__acc_i8 acc, const npu__ref_out *q, const int8_t *in,
                              int32_t in_zp, const int8_t *w, const int32_t *bias, int8_t *out,
                              int64_t begin, int64_t end);
NPU__FN void npu__ref_conv_u8(const npu__conv_geom *g, npu__acc_u8 acc, const npu__ref_out *q, const uint8_t *in,
                              int32_t in_zp, const uint8_t *w, int32_t w_zp, const int32_t *bias, uint8_t *out,
                              int64_t begin, int64_t end);
/* 64-bit accumulator and bias, or (_b32) 32-bit ones with the 32-bit output stage. */
NPU__FN void npu__ref_conv_i16(const npu__conv_geom *g, npu__acc_i16 acc, const npu__ref_out *q, const int16_t *in,
                               const int8_t *w, const int64_t *bias, int16_t *out, int64_t begin, int64_t end);
NPU__FN void npu__ref_conv_i16_b32(const npu__conv_geom *g, npu__acc_i16 acc, const npu__ref_out *q,
                                   const int16_t *in, const int8_t *w, const int32_t *bias, int16_t *out,
                                   int64_t begin, int64_t end);

/* int8 weights under float activations that were quantized per batch. */
typedef struct npu__conv_hybrid {
    const float   *batch_scale; /* per batch */
    const int32_t *batch_zp;    /* per batch */
    const float   *w_scale;     /* per output channel (w_step 1) or one (w_step 0) */
    int32_t        w_step;
    float          lo, hi;
} npu__conv_hybrid;
NPU__FN void npu__ref_conv_hybrid(const npu__conv_geom *g, npu__acc_i8 acc, const npu__conv_hybrid *h,
                                  const int8_t *in, const int8_t *w, const float *bias, float *out,
                                  int64_t begin, int64_t end);

#endif
