/* What the convolutions and FULLY_CONNECTED share: types, quantization, weights, evaluation. */
#ifndef NPU__OPS_CONV_UTIL_H
#define NPU__OPS_CONV_UTIL_H

#include "conv_fast.h"

/* How activations, weights and sums are stored. */
enum {
    NPU__CONV_F32,
    NPU__CONV_U8,    /* uint8 both, 32-bit sums */
    NPU__CONV_I8,    /* int8 activations, int8 or int4 weights, 32-bit sums */
    NPU__CONV_I16,   /* int16 activations, int8 or int4 weights, 64-bit sums (32-bit with an int32 bias) */
    NPU__CONV_HYBRID /* float activations quantized on the fly, int8 or int4 weights */
};

/* Weights that kernels read as int8: where they are. */
typedef struct npu__weights {
    int32_t bits;   /* 2 or 4: packed in the model, unpacked into `slot`; else read as they lie */
    int32_t slot;
    int32_t packed; /* slot is filled once (pack), not in each eval */
} npu__weights;

/* Everything a kernel of these three ops needs, computed by prepare. eval tests faster kernels first and ends with
 * npu__conv_eval_ref. */
typedef struct npu__conv_data {
    const char    *kernel;             /* for profiles */
    npu__conv_fast fast;
    npu__conv_geom g;
    int32_t        kind;
    float          lo, hi;             /* F32, HYBRID: activation range */
    int32_t        in_zp, w_zp;        /* integer kinds; w_zp: U8 only */
    int32_t        out_zp, q_lo, q_hi; /* integer kinds: output zero point and activation range */
    npu__qmul      mul;                /* integer kinds with one weight scale */
    int32_t        mul_slot;           /* per-channel npu__qmul[out_c], -1: use `mul` */
    int32_t        mul_packed;         /* mul_slot is filled once (pack), not in each eval */
    int32_t        acc64;              /* I16: 64-bit sums and bias */
    int32_t        asymmetric;         /* HYBRID: how the input is quantized */
    int32_t        in_slot, scale_slot, zp_slot; /* HYBRID: quantized input, its scale and zero point per batch */
    npu__weights   w;
} npu__conv_data;

/* Strides and dilations must be positive, padding SAME or VALID. */
NPU__FN npu_status npu__window_check(npu__ctx *c, const npu__window *w);
/* The window's part of `g`: its steps, the output size and the padding over in_h x in_w. */
NPU__FN npu_status npu__window_sizes(npu__ctx *c, const npu__window *w, npu__conv_geom *g);

/* Quantizes float rows on the fly (npu__quantize_rows_by), some at a time. */
NPU__FN npu_status npu__quantize_input(npu__ctx *c, npu__minmax_fn minmax, npu__quantize_fn quantize, const float *x,
                                       int64_t rows, int64_t n, int asymmetric, int8_t *q, float *scale, int32_t *zp);

/* Dense weights of 1 or more elements; UNSUPPORTED for sparse ones (DENSIFY is the op for those). */
NPU__FN npu_status npu__need_dense(npu__ctx *c, const npu__val *w);
/* The bias, when there is one, must have `type` and `n` elements. */
NPU__FN npu_status npu__need_bias(npu__ctx *c, const npu__val *bias, int32_t type, int32_t n);
/* Weight scales: one or, along an axis that has `n` entries, n; each finite and not negative. */
NPU__FN npu_status npu__need_weight_scales(npu__ctx *c, const npu__val *w, int32_t n, int check_axis);
/* TFLite refuses a single-scale model whose bias scale is not the product of the others. */
NPU__FN npu_status npu__need_bias_scale(npu__ctx *c, const npu__val *in, const npu__val *w, const npu__val *bias,
                                        const npu__val *out);
/* in * weight / out as fixed point. */
NPU__FN npu__qmul npu__conv_qmul(const npu__val *in, float w_scale, const npu__val *out);

/* Requests memory for weights of 2 or 4 bits (input `input`); fills it; finds the bytes a kernel reads. */
NPU__FN npu_status npu__weights_prepare(npu__ctx *c, int32_t input, npu__weights *w);
NPU__FN void npu__weights_fill(npu__ctx *c, int32_t input, const npu__weights *w);
NPU__FN const void *npu__weights_data(const npu__ctx *c, int32_t input, const npu__weights *w);

/* Where the tensors of an op are among its inputs (TRANSPOSE_CONV has its shape first). */
typedef struct npu__conv_io {
    int32_t in, w, bias;
} npu__conv_io;

/* Fills everything of `d` but the geometry, which must be there already. `bias_type`: the option quantized_bias_type,
 * which decides the width of int16 sums where there is no bias. */
NPU__FN npu_status npu__conv_prepare(npu__ctx *c, npu__conv_io io, int32_t bias_type, npu__conv_data *d);
NPU__FN npu_status npu__conv_pack(npu__ctx *c, npu__conv_io io);
/* eval: what pack could not fill, multipliers and weights of few bits. */
NPU__FN void npu__conv_late(npu__ctx *c, npu__conv_io io, const npu__conv_data *d);
NPU__FN npu_status npu__conv_eval_ref(npu__ctx *c, npu__conv_io io, const npu__conv_accs *accs);

#endif
