/* The operators of both profiles: what decides on them, and what they become. */
#ifndef NPU__VENDOR_NEURON_OPERATORS_H
#define NPU__VENDOR_NEURON_OPERATORS_H

#include "profiles.h"

/* Groups, by which rules name operators: X(group, number) */
#define NPU__NEURON_GROUPS(X) X(FUSED, 0) X(REDUCES, 1) X(AXIS, 2) X(WINDOW, 3) X(BIAS, 4) X(HYBRID, 5)

/* X(name, inputs it needs, how it is lowered (npu__neuron_lower_<family>), operation, groups, profiles, note). Rows of
 * the document stand in its order, later operators behind them. */
#define NPU__NEURON_ROWS(X, G, P) \
    X(ABS, 1, plain, ABS, 0, P##ALL, "NEURON_ABS") \
    X(ADD, 2, fused, ADD, G##FUSED, P##ALL, "NEURON_ADD, with the fused activation") \
    X(AVERAGE_POOL_2D, 1, pool, AVERAGE_POOL_2D, G##FUSED, P##ALL, \
      "NEURON_AVERAGE_POOL_2D, with padding, stride, filter size and fused activation") \
    X(BATCH_MATMUL, 2, batch_matmul, BATCH_MATMUL, G##HYBRID, P##ALL, "NEURON_BATCH_MATMUL, with adj_x and adj_y") \
    X(CAST, 1, plain, CAST, 0, P##ALL, "NEURON_CAST") \
    X(CONCATENATION, 1, concatenation, CONCATENATION, 0, P##ALL, "NEURON_CONCATENATION, with axis") \
    X(CONV_2D, 2, conv, CONV_2D, G##FUSED | G##WINDOW, P##ALL, \
      "NEURON_CONV_2D, with padding, stride, fused activation, data format and dilation") \
    X(DEQUANTIZE, 1, plain, DEQUANTIZE, 0, P##ALL, "NEURON_DEQUANTIZE") \
    X(DEPTHWISE_CONV_2D, 2, conv, DEPTHWISE_CONV_2D, G##FUSED | G##WINDOW, P##ALL, \
      "NEURON_DEPTHWISE_CONV_2D, with padding, stride, depth multiplier, fused activation, data format and dilation") \
    X(DIV, 2, fused, DIV, G##FUSED, P##ALL, "NEURON_DIV, with the fused activation") \
    X(FULLY_CONNECTED, 2, fully_connected, FULLY_CONNECTED, G##FUSED | G##BIAS | G##HYBRID, P##ALL, \
      "NEURON_FULLY_CONNECTED, with the fused activation; a bias of zeros is added where there is none") \
    X(GELU, 1, gelu, GELU_V2, 0, P##ALL, "NEURON_GELU_V2, the approximation by tanh") \
    X(GREATER, 2, plain, GREATER, 0, P##ALL, "NEURON_GREATER") \
    X(HARD_SWISH, 1, plain, HARD_SWISH, 0, P##ALL, "NEURON_HARD_SWISH") \
    X(LOGISTIC, 1, plain, LOGISTIC, 0, P##ALL, "NEURON_LOGISTIC") \
    X(MAXIMUM, 2, plain, MAXIMUM, 0, P##ALL, "NEURON_MAXIMUM") \
    X(MAX_POOL_2D, 1, pool, MAX_POOL_2D, G##FUSED, P##ALL, \
      "NEURON_MAX_POOL_2D, with padding, stride, filter size and fused activation") \
    X(MEAN, 2, mean, MEAN, G##REDUCES, P##ALL, "NEURON_MEAN, with keep_dims") \
    X(MINIMUM, 2, plain, MINIMUM, 0, P##ALL, "NEURON_MINIMUM") \
    X(MUL, 2, fused, MUL, G##FUSED, P##ALL, "NEURON_MUL, with the fused activation") \
    X(PAD, 2, plain, PAD, 0, P##ALL, "NEURON_PAD") \
    X(PADV2, 3, plain, PAD_V2, G##AXIS, P##ALL, "NEURON_PAD_V2") \
    X(PRELU, 2, plain, PRELU, 0, P##ALL, "NEURON_PRELU") \
    X(QUANTIZE, 1, plain, QUANTIZE, 0, P##ALL, "NEURON_QUANTIZE") \
    X(REDUCE_MAX, 2, reduce, REDUCE_MAX, G##REDUCES, P##ALL, "NEURON_REDUCE_MAX, with keep_dims") \
    X(RELU, 1, plain, RELU, 0, P##ALL, "NEURON_RELU") \
    X(RESHAPE, 1, plain, RESHAPE, 0, P##ALL, "NEURON_RESHAPE") \
    X(RESIZE_BILINEAR, 1, resize_bilinear, RESIZE_BILINEAR, 0, P##ALL, \
      "NEURON_RESIZE_BILINEAR, with align_corners and half_pixel_centers") \
    X(RESIZE_NEAREST_NEIGHBOR, 2, resize_nearest, RESIZE_NEAREST_NEIGHBOR, 0, P##ALL, \
      "NEURON_RESIZE_NEAREST_NEIGHBOR, with align_corners and half_pixel_centers") \
    X(RSQRT, 1, plain, RSQRT, 0, P##ALL, "NEURON_RSQRT") \
    X(SLICE, 3, plain, SLICE, 0, P##ALL, "NEURON_SLICE") \
    X(SOFTMAX, 1, softmax, SOFTMAX, 0, P##ALL, "NEURON_SOFTMAX, with beta") \
    X(SPLIT, 2, split, SPLIT, G##AXIS, P##ALL, "NEURON_SPLIT, with num_splits") \
    X(SQRT, 1, plain, SQRT, 0, P##ALL, "NEURON_SQRT") \
    X(SQUARED_DIFFERENCE, 2, squared_difference, OEM_OPERATION, 0, P##ALL, \
      "the extension operation MTKEXT_SQUARED_DIFFERENCE") \
    X(STRIDED_SLICE, 4, strided_slice, STRIDED_SLICE, 0, P##ALL, \
      "NEURON_STRIDED_SLICE, with begin_mask, end_mask and shrink_axis_mask") \
    X(SUB, 2, fused, SUB, G##FUSED, P##ALL, "NEURON_SUB, with the fused activation") \
    X(SUM, 2, reduce, REDUCE_SUM, G##REDUCES, P##ALL, "NEURON_REDUCE_SUM, with keep_dims") \
    X(TANH, 1, plain, TANH, 0, P##ALL, "NEURON_TANH") \
    X(TRANSPOSE, 2, plain, TRANSPOSE, 0, P##ALL, "NEURON_TRANSPOSE") \
    X(TRANSPOSE_CONV, 3, transpose_conv, TRANSPOSE_CONV_2D, G##BIAS, P##ALL, \
      "NEURON_TRANSPOSE_CONV_2D, with padding and stride; a bias of zeros is added where there is none") \
    X(STABLEHLO_COMPOSITE, 1, composite, OEM_OPERATION, 0, P##ALL, \
      "odml.rms_norm is the extension operation MTKEXT_RMS_NORMALIZATION, odml.l2_norm NEURON_L2_NORMALIZATION, " \
      "and (litert-2.3) " \
      "odml.group_norm of one group MTKEXT_LAYER_NORMALIZATION") \
    X(LEAKY_RELU, 1, leaky_relu, PRELU, 0, P##L23, "NEURON_PRELU, with alpha as a tensor of one float") \
    X(LESS, 2, plain, LESS, 0, P##L23, "NEURON_LESS") \
    X(L2_NORMALIZATION, 1, plain, L2_NORMALIZATION, 0, P##L23, "NEURON_L2_NORMALIZATION") \
    X(TILE, 2, plain, TILE, 0, P##L23, "NEURON_TILE") \
    X(UNPACK, 1, unpack, OEM_OPERATION, 0, P##L23, "the extension operation unpackmtk, with axis")

enum {
#define NPU__X(group, number) NPU__NEURON_G_##group = 1 << number,
    NPU__NEURON_GROUPS(NPU__X)
#undef NPU__X
    NPU__NEURON_G_END = 0
};

#endif
