/* The operators of both profiles: what decides on them, and what they become. */
#ifndef NPU__VENDOR_NEURON_OPERATORS_H
#define NPU__VENDOR_NEURON_OPERATORS_H

#include "profiles.h"

/* Groups, by which rules name operators: X(group, number) */
#define NPU__NEURON_GROUPS(X) X(FUSED, 0) X(REDUCES, 1) X(AXIS, 2) X(WINDOW, 3) X(BIAS, 4)

/* X(name, inputs it needs, how it is lowered (NPU__NEURON_BY_...), operation, groups, profiles, note). Rows of the document stand in
 * its order, later operators behind them. */
#define NPU__NEURON_ROWS(X, G, P) \
    X(ABS, 1, PLAIN, ABS, 0, P##ALL, "NEURON_ABS") \
    X(ADD, 2, FUSED, ADD, G##FUSED, P##ALL, "NEURON_ADD, with the fused activation") \
    X(AVERAGE_POOL_2D, 1, POOL, AVERAGE_POOL_2D, G##FUSED, P##ALL, \
      "NEURON_AVERAGE_POOL_2D, with padding, stride, filter size and fused activation") \
    X(BATCH_MATMUL, 2, BATCH_MATMUL, BATCH_MATMUL, 0, P##ALL, "NEURON_BATCH_MATMUL, with adj_x and adj_y") \
    X(CAST, 1, PLAIN, CAST, 0, P##ALL, "NEURON_CAST") \
    X(CONCATENATION, 1, CONCATENATION, CONCATENATION, 0, P##ALL, "NEURON_CONCATENATION, with axis") \
    X(CONV_2D, 2, CONV, CONV_2D, G##FUSED | G##WINDOW, P##ALL, \
      "NEURON_CONV_2D, with padding, stride, fused activation, data format and dilation") \
    X(DEQUANTIZE, 1, PLAIN, DEQUANTIZE, 0, P##ALL, "NEURON_DEQUANTIZE") \
    X(DEPTHWISE_CONV_2D, 2, CONV, DEPTHWISE_CONV_2D, G##FUSED | G##WINDOW, P##ALL, \
      "NEURON_DEPTHWISE_CONV_2D, with padding, stride, depth multiplier, fused activation, data format and dilation") \
    X(DIV, 2, FUSED, DIV, G##FUSED, P##ALL, "NEURON_DIV, with the fused activation") \
    X(FULLY_CONNECTED, 2, FULLY_CONNECTED, FULLY_CONNECTED, G##FUSED | G##BIAS, P##ALL, \
      "NEURON_FULLY_CONNECTED, with the fused activation; a bias of zeros is added where there is none") \
    X(GELU, 1, GELU, GELU_V2, 0, P##ALL, "NEURON_GELU_V2, the approximation by tanh") \
    X(GREATER, 2, PLAIN, GREATER, 0, P##ALL, "NEURON_GREATER") \
    X(HARD_SWISH, 1, PLAIN, HARD_SWISH, 0, P##ALL, "NEURON_HARD_SWISH") \
    X(LOGISTIC, 1, PLAIN, LOGISTIC, 0, P##ALL, "NEURON_LOGISTIC") \
    X(MAXIMUM, 2, PLAIN, MAXIMUM, 0, P##ALL, "NEURON_MAXIMUM") \
    X(MAX_POOL_2D, 1, POOL, MAX_POOL_2D, G##FUSED, P##ALL, \
      "NEURON_MAX_POOL_2D, with padding, stride, filter size and fused activation") \
    X(MEAN, 2, MEAN, MEAN, G##REDUCES, P##ALL, "NEURON_MEAN, with keep_dims") \
    X(MINIMUM, 2, PLAIN, MINIMUM, 0, P##ALL, "NEURON_MINIMUM") \
    X(MUL, 2, FUSED, MUL, G##FUSED, P##ALL, "NEURON_MUL, with the fused activation") \
    X(PAD, 2, PLAIN, PAD, 0, P##ALL, "NEURON_PAD") \
    X(PADV2, 3, PLAIN, PAD_V2, G##AXIS, P##ALL, "NEURON_PAD_V2") \
    X(PRELU, 2, PLAIN, PRELU, 0, P##ALL, "NEURON_PRELU") \
    X(QUANTIZE, 1, PLAIN, QUANTIZE, 0, P##ALL, "NEURON_QUANTIZE") \
    X(REDUCE_MAX, 2, REDUCE, REDUCE_MAX, G##REDUCES, P##ALL, "NEURON_REDUCE_MAX, with keep_dims") \
    X(RELU, 1, PLAIN, RELU, 0, P##ALL, "NEURON_RELU") \
    X(RESHAPE, 1, PLAIN, RESHAPE, 0, P##ALL, "NEURON_RESHAPE") \
    X(RESIZE_BILINEAR, 1, RESIZE_BILINEAR, RESIZE_BILINEAR, 0, P##ALL, \
      "NEURON_RESIZE_BILINEAR, with align_corners and half_pixel_centers") \
    X(RESIZE_NEAREST_NEIGHBOR, 2, RESIZE_NEAREST, RESIZE_NEAREST_NEIGHBOR, 0, P##ALL, \
      "NEURON_RESIZE_NEAREST_NEIGHBOR, with align_corners and half_pixel_centers") \
    X(RSQRT, 1, PLAIN, RSQRT, 0, P##ALL, "NEURON_RSQRT") \
    X(SLICE, 3, PLAIN, SLICE, 0, P##ALL, "NEURON_SLICE") \
    X(SOFTMAX, 1, SOFTMAX, SOFTMAX, 0, P##ALL, "NEURON_SOFTMAX, with beta") \
    X(SPLIT, 2, SPLIT, SPLIT, G##AXIS, P##ALL, "NEURON_SPLIT, with num_splits") \
    X(SQRT, 1, PLAIN, SQRT, 0, P##ALL, "NEURON_SQRT") \
    X(SQUARED_DIFFERENCE, 2, SQUARED_DIFFERENCE, OEM_OPERATION, 0, P##ALL, "the extension operation MTKEXT_SQUARED_DIFFERENCE") \
    X(STRIDED_SLICE, 4, STRIDED_SLICE, STRIDED_SLICE, 0, P##ALL, \
      "NEURON_STRIDED_SLICE, with begin_mask, end_mask and shrink_axis_mask") \
    X(SUB, 2, FUSED, SUB, G##FUSED, P##ALL, "NEURON_SUB, with the fused activation") \
    X(SUM, 2, REDUCE, REDUCE_SUM, G##REDUCES, P##ALL, "NEURON_REDUCE_SUM, with keep_dims") \
    X(TANH, 1, PLAIN, TANH, 0, P##ALL, "NEURON_TANH") \
    X(TRANSPOSE, 2, PLAIN, TRANSPOSE, 0, P##ALL, "NEURON_TRANSPOSE") \
    X(TRANSPOSE_CONV, 3, TRANSPOSE_CONV, TRANSPOSE_CONV_2D, G##BIAS, P##ALL, \
      "NEURON_TRANSPOSE_CONV_2D, with padding and stride; a bias of zeros is added where there is none") \
    X(STABLEHLO_COMPOSITE, 1, COMPOSITE, OEM_OPERATION, 0, P##ALL, \
      "odml.rms_norm is the extension operation MTKEXT_RMS_NORMALIZATION, odml.l2_norm NEURON_L2_NORMALIZATION, and (litert-2.3) " \
      "odml.group_norm of one group MTKEXT_LAYER_NORMALIZATION") \
    X(LEAKY_RELU, 1, LEAKY_RELU, PRELU, 0, P##L23, "NEURON_PRELU, with alpha as a tensor of one float") \
    X(LESS, 2, PLAIN, LESS, 0, P##L23, "NEURON_LESS") \
    X(L2_NORMALIZATION, 1, PLAIN, L2_NORMALIZATION, 0, P##L23, "NEURON_L2_NORMALIZATION") \
    X(TILE, 2, PLAIN, TILE, 0, P##L23, "NEURON_TILE") \
    X(UNPACK, 1, UNPACK, OEM_OPERATION, 0, P##L23, "the extension operation unpackmtk, with axis")

enum {
#define NPU__X(group, number) NPU__NEURON_G_##group = 1 << number,
    NPU__NEURON_GROUPS(NPU__X)
#undef NPU__X
    NPU__NEURON_G_END = 0
};

#endif
