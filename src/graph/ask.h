/* Questions that operators, rules, cost and lowering all ask of a node, each with one answer. */
#ifndef NPU__GRAPH_ASK_H
#define NPU__GRAPH_ASK_H

#include "op.h"

/* Fused activations: the codes of the schema's ActivationFunctionType. */
enum {
    NPU__ACT_NONE = 0,
    NPU__ACT_RELU = 1,
    NPU__ACT_RELU_N1_TO_1 = 2,
    NPU__ACT_RELU6 = 3,
    NPU__ACT_TANH = 4,
    NPU__ACT_SIGN_BIT = 5
};
/* That of any operator, as in the file (which may hold other numbers); NPU__ACT_NONE for those that have no such option. */
NPU__FN int32_t npu__fused_activation(const npu__node *node);

/* ---- windows ---- */

enum { NPU__PAD_SAME = 0, NPU__PAD_VALID = 1 };

/* The window of CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV and the pools, unchecked: numbers are those of the file. */
typedef struct npu__window {
    int32_t is_window; /* 0: the operator has none (the others are then 0, dilations 1) */
    int32_t padding;   /* NPU__PAD_* */
    int32_t stride_h, stride_w, dil_h, dil_w;
    int32_t k_h, k_w;  /* of pools by their options, else by the weights; 0: there are no weights */
} npu__window;
NPU__FN npu__window npu__window_of(const npu__ctx *ctx);

/* Along one axis: output size (ComputeOutSize), -1 when the window does not fit. */
NPU__FN int32_t npu__window_out(int32_t padding, int32_t in, int32_t filter, int32_t stride, int32_t dilation);
/* Along one axis: cells before the image, which the windows need to give `out` (ComputePaddingWithOffset). *after (may be
 * NULL): cells behind it. */
NPU__FN int32_t npu__window_pad(int32_t in, int32_t filter, int32_t stride, int32_t dilation, int32_t out, int32_t *after);

/* Cells that the windows reach beyond the image on each side: of TRANSPOSE_CONV, beyond its output. */
typedef struct npu__padding {
    int32_t top, bottom, left, right;
} npu__padding;
/* Of an operator with a window whose shapes are known and which prepare has accepted. */
NPU__FN npu__padding npu__padding_of(const npu__ctx *ctx);

/* ---- axes ---- */

/* `axis` counted from the front where it is negative; -1: there is no such axis. */
NPU__FN int32_t npu__axis_in(int64_t axis, int32_t rank);

/* ---- quantization ---- */

/* Is every channel's scale the same? (A NaN is like no other.) */
NPU__FN int npu__quant_one_scale(const npu_quant *q);
/* Have both parameters, and equal ones? */
NPU__FN int npu__quant_same(const npu_quant *a, const npu_quant *b);

#endif
