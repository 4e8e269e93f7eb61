/* The operators of the guide: which TFLite operator each row is, since which version, what other tables know it as. */
#ifndef NPU__VENDOR_MDLA_OPERATORS_H
#define NPU__VENDOR_MDLA_OPERATORS_H

#include "sections.h"
#include "versions.h"

/* Groups by which rules name operators: X(group, number) */
#define NPU__MDLA_KINDS(X) \
    X(BROADCASTS, 0) X(POOLS, 1) X(CONVS, 2) X(ONLY_16C, 3) X(SHARED, 4) X(RATES, 5) X(SPLITS, 6) X(REQUANTS, 7) \
    X(FUSED, 8) X(NO_RATE, 9) X(FLOAT_NA, 10) X(SOFTWARE, 11) X(SCALED, 12) X(BY_CHANNEL, 13) X(ANY_BATCH, 14) \
    X(SOFTWARE15, 15) X(OUTPUTS, 16) X(TRANSPOSED, 17) X(ASSUMED, 18)

enum {
#define NPU__X(group, number) NPU__MDLA_K_##group = 1 << number,
    NPU__MDLA_KINDS(NPU__X)
#undef NPU__X
    NPU__MDLA_K_NONE = 0
};

/* Layouts of tensors that an operator reads and writes: 16C alone; 4C and 16C; the guide does not say. */
enum { NPU__MDLA_L_16C, NPU__MDLA_L_BOTH, NPU__MDLA_L_UNSAID };

/* How the cycles of an operator are known. */
enum {
    NPU__MDLA_W_UNKNOWN, NPU__MDLA_W_CONV, NPU__MDLA_W_DEPTHWISE, NPU__MDLA_W_FC, NPU__MDLA_W_TRANSPOSED, NPU__MDLA_W_MATH,
    NPU__MDLA_W_POOL, NPU__MDLA_W_RESIZE, NPU__MDLA_W_DIFFERENCE, NPU__MDLA_W_QUANTIZE
};

/* Groups of the fusion rules: X(name, the operators as the guide has them) */
#define NPU__MDLA_GROUPS(X) \
    X(CONV, "Conv2D, Depthwise Conv2D, Fully Connected, Transpose Conv2D") \
    X(MATH1, "Batch normalization, Abs, Neg") \
    X(MATH2, "Mul, Add, Sub, Max, Min") \
    X(ACT1, "ReLU, Tanh, Sigmoid") \
    X(ACT2, "PReLU") \
    X(POOL, "AVG Pool, Max Pool, Min Pool, L2 Pool") \
    X(RESIZE, "Resize bilinear, Resize nearest") \
    X(DEQUANTIZE, "Dequantize") \
    X(REQUANT, "Requant")
enum {
    NPU__MDLA_G_NONE,
#define NPU__X(name, ops) NPU__MDLA_G_##name,
    NPU__MDLA_GROUPS(NPU__X)
#undef NPU__X
    NPU__MDLA_N_GROUPS
};

/* X(code, name, name in the guide, versions listed (bit v: version v), from, layouts, group, work, rate or pool, kinds,
 * remark). `from`: the first MDLA that has it, or N30: only the guidelines for MDLA 3.0 list it. */
#define NPU__MDLA_OPS_TFLITE(X, L, G, W, R, K) \
    X(ADD, "ADD", "ADD", 2, FROM15, L##UNSAID, G##MATH2, W##MATH, R##ADD, K##BROADCASTS | K##SHARED | K##FUSED, "") \
    X(SUB, "SUB", "SUB", 2, FROM15, L##UNSAID, G##MATH2, W##MATH, R##SUB, K##BROADCASTS | K##SHARED | K##FUSED, "") \
    X(MUL, "MUL", "MUL", 2, FROM15, L##UNSAID, G##MATH2, W##MATH, R##MUL, K##BROADCASTS | K##SHARED | K##FUSED, "") \
    X(DIV, "DIV", "DIV", 2, FROM15, L##UNSAID, G##NONE, W##UNKNOWN, R##NONE, K##SHARED | K##FUSED | K##NO_RATE, "") \
    X(MAXIMUM, "MAXIMUM", "MAXIMUM", 2, FROM15, L##UNSAID, G##MATH2, W##MATH, R##MAX, K##BROADCASTS | K##SHARED, "") \
    X(MINIMUM, "MINIMUM", "MINIMUM", 2, FROM15, L##UNSAID, G##MATH2, W##MATH, R##MIN, K##BROADCASTS | K##SHARED, "") \
    X(RESIZE_BILINEAR, "RESIZE_BILINEAR", "RESIZE_BILINEAR", 2, FROM15, L##16C, G##RESIZE, W##RESIZE, R##NONE, \
      K##ONLY_16C, "") \
    X(RESIZE_NEAREST_NEIGHBOR, "RESIZE_NEAREST_NEIGHBOR", "RESIZE_NEAREST", 2, FROM15, L##16C, G##RESIZE, W##UNKNOWN, \
      R##NONE, \
      K##ONLY_16C | K##NO_RATE, "") \
    X(AVERAGE_POOL_2D, "AVERAGE_POOL_2D", "AVERAGE_POOL_2D", 2, FROM15, L##16C, G##POOL, W##POOL, R##AVG_POOL, \
      K##ONLY_16C | K##POOLS | K##FUSED, "") \
    X(MAX_POOL_2D, "MAX_POOL_2D", "MAX_POOL_2D", 2, FROM15, L##16C, G##POOL, W##POOL, R##MAX_POOL, \
      K##ONLY_16C | K##POOLS | K##FUSED, "") \
    X(L2_POOL_2D, "L2_POOL_2D", "L2_POOL_2D", 2, FROM15, L##16C, G##POOL, W##POOL, R##L2_POOL, \
      K##ONLY_16C | K##POOLS | K##FUSED | K##FLOAT_NA, "") \
    X(CONV_2D, "CONV_2D", "CONV_2D", 2, FROM15, L##BOTH, G##CONV, W##CONV, R##NONE, \
      K##CONVS | K##RATES | K##OUTPUTS | K##REQUANTS | K##FUSED | K##BY_CHANNEL | K##ANY_BATCH, "") \
    X(CONV_3D, "CONV_3D", "CONV_3D", 2, FROM30, L##BOTH, G##NONE, W##CONV, R##NONE, \
      K##CONVS | K##RATES | K##OUTPUTS | K##FUSED, "; same as CONV_2D") \
    X(RELU, "RELU", "RELU", 2, FROM15, L##UNSAID, G##ACT1, W##MATH, R##RELU, K##NONE, "") \
    X(RELU6, "RELU6", "RELU6", 2, FROM15, L##UNSAID, G##ACT1, W##MATH, R##RELU6, K##NONE, \
      "; taken for a ReLU of the fusion rules (assumed)") \
    X(RELU_N1_TO_1, "RELU_N1_TO_1", "RELU_N1_TO_1", 2, FROM15, L##UNSAID, G##ACT1, W##MATH, R##RELU_N1_TO_1, K##NONE, \
      "; taken for a ReLU of the fusion rules (assumed)") \
    X(TANH, "TANH", "TANH", 2, FROM15, L##UNSAID, G##ACT1, W##MATH, R##TANH, K##NONE, "") \
    X(LOGISTIC, "LOGISTIC", "LOGISTIC", 2, FROM15, L##UNSAID, G##ACT1, W##MATH, R##LOGISTIC, K##NONE, "") \
    X(ELU, "ELU", "ELU", 2, FROM15, L##UNSAID, G##NONE, W##MATH, R##ELU, K##NONE, "") \
    X(DEPTHWISE_CONV_2D, "DEPTHWISE_CONV_2D", "DEPTHWISE_CONV_2D", 6, FROM15, L##BOTH, G##CONV, W##DEPTHWISE, R##NONE, \
      K##CONVS | K##RATES | K##REQUANTS | K##FUSED | K##BY_CHANNEL | K##ANY_BATCH, "") \
    X(TRANSPOSE_CONV, "TRANSPOSE_CONV", "TRANSPOSE_CONV", 2, FROM15, L##BOTH, G##CONV, W##TRANSPOSED, R##NONE, \
      K##CONVS | K##TRANSPOSED | K##FUSED | K##BY_CHANNEL | K##ANY_BATCH, "") \
    X(CONCATENATION, "CONCATENATION", "CONCATENATION", 2, FROM15, L##UNSAID, G##NONE, W##UNKNOWN, R##NONE, \
      K##SHARED | K##FUSED, "") \
    X(FULLY_CONNECTED, "FULLY_CONNECTED", "FULLY_CONNECTED", 2, FROM15, L##UNSAID, G##CONV, W##FC, R##NONE, \
      K##CONVS | K##REQUANTS | K##FUSED | K##BY_CHANNEL | K##ANY_BATCH, "") \
    X(RESHAPE, "RESHAPE", "RESHAPE", 2, FROM15, L##UNSAID, G##NONE, W##UNKNOWN, R##NONE, K##NONE, "") \
    X(SQUEEZE, "SQUEEZE", "SQUEEZE", 2, FROM15, L##UNSAID, G##NONE, W##UNKNOWN, R##NONE, K##NONE, "") \
    X(EXPAND_DIMS, "EXPAND_DIMS", "EXPAND_DIMS", 2, FROM15, L##UNSAID, G##NONE, W##UNKNOWN, R##NONE, K##NONE, "") \
    X(PRELU, "PRELU", "PRELU", 2, FROM15, L##UNSAID, G##ACT2, W##MATH, R##PRELU, K##BY_CHANNEL, "") \
    X(SLICE, "SLICE", "SLICE", 2, FROM15, L##BOTH, G##NONE, W##UNKNOWN, R##NONE, K##SPLITS, "") \
    X(STRIDED_SLICE, "STRIDED_SLICE", "STRIDED_SLICE", 2, FROM15, L##BOTH, G##NONE, W##UNKNOWN, R##NONE, K##NONE, "") \
    X(SPLIT, "SPLIT", "SPLIT", 14, FROM15, L##BOTH, G##NONE, W##UNKNOWN, R##NONE, K##SPLITS, "") \
    X(PAD, "PAD", "PAD", 2, FROM15, L##UNSAID, G##NONE, W##UNKNOWN, R##NONE, K##NONE, "") \
    X(MIRROR_PAD, "MIRROR_PAD", "PAD", 2, FROM30, L##16C, G##NONE, W##UNKNOWN, R##NONE, K##ONLY_16C, \
      "; reached by the row of PAD, which speaks of reflection and symmetric padding") \
    X(MEAN, "MEAN", "MEAN", 2, FROM15, L##16C, G##NONE, W##UNKNOWN, R##NONE, K##ONLY_16C, "") \
    X(TRANSPOSE, "TRANSPOSE", "TRANSPOSE", 2, FROM15, L##UNSAID, G##NONE, W##UNKNOWN, R##NONE, K##NONE, "") \
    X(BATCH_TO_SPACE_ND, "BATCH_TO_SPACE_ND", "BATCH_TO_SPACE_ND", 2, FROM15, L##UNSAID, G##NONE, W##UNKNOWN, R##NONE, \
      K##NONE, "") \
    X(SPACE_TO_BATCH_ND, "SPACE_TO_BATCH_ND", "SPACE_TO_BATCH_ND", 2, FROM15, L##UNSAID, G##NONE, W##UNKNOWN, R##NONE, \
      K##SOFTWARE, "") \
    X(SPACE_TO_DEPTH, "SPACE_TO_DEPTH", "SPACE_TO_DEPTH", 2, FROM15, L##UNSAID, G##NONE, W##UNKNOWN, R##NONE, \
      K##SOFTWARE15, "") \
    X(DEPTH_TO_SPACE, "DEPTH_TO_SPACE", "DEPTH_TO_SPACE", 2, FROM15, L##UNSAID, G##NONE, W##UNKNOWN, R##NONE, \
      K##SOFTWARE15, "") \
    X(NEG, "NEG", "NEG", 2, FROM15, L##UNSAID, G##MATH1, W##MATH, R##NEG, K##NONE, "") \
    X(ABS, "ABS", "ABS", 2, FROM15, L##UNSAID, G##MATH1, W##MATH, R##ABS, K##NONE, "") \
    X(POW, "POW", "POW", 2, FROM15, L##UNSAID, G##NONE, W##UNKNOWN, R##NONE, K##NO_RATE, "") \
    X(SQUARED_DIFFERENCE, "SQUARED_DIFFERENCE", "SQUARED_DIFFERENCE", 2, FROM15, L##UNSAID, G##NONE, W##DIFFERENCE, \
      R##NONE, K##SHARED, \
      "; made of EWE_SUB and EWE_MUL") \
    X(QUANTIZE, "QUANTIZE", "QUANTIZE", 2, FROM15, L##UNSAID, G##REQUANT, W##QUANTIZE, R##NONE, K##SCALED, \
      "; from integer to integer it is MTK_REQUANTIZE") \
    X(DEQUANTIZE, "DEQUANTIZE", "DEQUANTIZE", 2, FROM15, L##UNSAID, G##DEQUANTIZE, W##QUANTIZE, R##NONE, K##SCALED, "") \
    X(LSTM, "LSTM", "Quantized LSTM (5 inputs)", 6, FROM15, L##UNSAID, G##NONE, W##UNKNOWN, R##NONE, K##NONE, \
      "; the quantized kernel of 5 inputs alone") \
    X(EXP, "EXP", "EXP", 2, FROM20, L##UNSAID, G##NONE, W##MATH, R##EXP, K##NONE, "") \
    X(SQUARE, "SQUARE", "SQUARE", 2, FROM20, L##UNSAID, G##NONE, W##MATH, R##SQUARE, K##NONE, "") \
    X(SQRT, "SQRT", "SQRT", 2, FROM20, L##UNSAID, G##NONE, W##MATH, R##SQRT, K##NONE, "") \
    X(RSQRT, "RSQRT", "RSQRT", 2, FROM20, L##UNSAID, G##NONE, W##UNKNOWN, R##NONE, K##NO_RATE, "") \
    X(SOFTMAX, "SOFTMAX", "SOFTMAX", 2, FROM20, L##UNSAID, G##NONE, W##UNKNOWN, R##NONE, K##NO_RATE, "") \
    X(GELU, "GELU", "GELU (throughput)", 0, FROM20, L##UNSAID, G##NONE, W##MATH, R##GELU, K##NONE, \
      "; the table of operations lacks it, that of the throughput has it") \
    X(HARD_SWISH, "HARD_SWISH", "(none)", 0, NOTES30, L##UNSAID, G##NONE, W##UNKNOWN, R##NONE, K##NO_RATE, \
      "; listed by the guidelines alone") \
    X(PACK, "PACK", "(none)", 0, NOTES30, L##UNSAID, G##NONE, W##UNKNOWN, R##NONE, K##NO_RATE, \
      "; listed by the guidelines alone")

/* The guide says nothing of inputs and options of these: the remarks say what this runtime takes them for (custom/). */
#define NPU__MDLA_OPS_CUSTOM(X, L, G, W, R, K) \
    X(CUSTOM, "MTK_ABS", "MTK_ABS", 2, FROM15, L##UNSAID, G##NONE, W##UNKNOWN, R##NONE, K##ASSUMED, \
      "; assumed: one input, no options") \
    X(CUSTOM, "MTK_MIN_POOL", "MTK_MIN_POOL", 2, FROM15, L##16C, G##POOL, W##POOL, R##MIN_POOL, \
      K##ONLY_16C | K##POOLS | K##FUSED | K##ASSUMED, \
      "; assumed: the options of MAX_POOL_2D (padding, stride_w, stride_h, filter_width, filter_height, " \
      "fused_activation_function), cells outside of the image do not count") \
    X(CUSTOM, "MTK_TRANSPOSE_CONV", "MTK_TRANSPOSE_CONV", 2, FROM15, L##BOTH, G##CONV, W##TRANSPOSED, R##NONE, \
      K##CONVS | K##TRANSPOSED | K##BY_CHANNEL | K##ANY_BATCH | K##ASSUMED, \
      "; assumed: inputs and options of TRANSPOSE_CONV (padding, stride_w, stride_h, fused_activation_function, " \
      "quantized_bias_type)") \
    X(CUSTOM, "MTK_REVERSE", "MTK_REVERSE", 2, FROM15, L##UNSAID, G##NONE, W##UNKNOWN, R##NONE, K##ASSUMED, \
      "; assumed: REVERSE_V2, no options") \
    X(CUSTOM, "MTK_ELU", "MTK_ELU", 2, FROM15, L##UNSAID, G##NONE, W##UNKNOWN, R##NONE, K##ASSUMED, \
      "; assumed: one input, alpha 1, no options") \
    X(CUSTOM, "MTK_REQUANTIZE", "MTK_REQUANTIZE", 2, FROM15, L##UNSAID, G##REQUANT, W##QUANTIZE, R##NONE, K##SCALED | K##ASSUMED, \
      "; assumed: QUANTIZE between integers, no options") \
    X(CUSTOM, "MTK_DEPTH_TO_SPACE", "MTK_DEPTH_TO_SPACE", 2, FROM15, L##UNSAID, G##NONE, W##UNKNOWN, R##NONE, \
      K##SOFTWARE | K##ASSUMED, "; assumed: DEPTH_TO_SPACE, option block_size") \
    X(CUSTOM, "MTK_CROP_AND_RESIZE", "MTK_CROP_AND_RESIZE", 2, FROM15, L##UNSAID, G##NONE, W##UNKNOWN, R##NONE, K##ASSUMED, \
      "; assumed: TensorFlow's CropAndResize with its four inputs, options method (bilinear) and extrapolation_value (0)") \
    X(CUSTOM, "MTK_LAYER_NORMALIZATION", "MTK_LAYER_NORMALIZATION", 4, FROM20, L##UNSAID, G##NONE, W##UNKNOWN, R##NONE, \
      K##ASSUMED, "; assumed: inputs x, gamma, beta (the latter two may lack), options axis (-1) and epsilon (0.001)")

/* Rows of the guide that no operator of a model reaches: X(name, section, from, why) */
#define NPU__MDLA_NOT_REACHED(X) \
    X("MAX_POOL_3D", NPU__MDLA_S_OPS, FROM30, \
      "TFLite has no builtin of that name, and the guide names no custom operator for it. 16C alone; two passes of " \
      "2D-POOL: the plane " \
      "of width and height, then depth") \
    X("RCP", NPU__MDLA_S_OPS, FROM20, "TFLite has no such builtin, and the guide names no custom operator for it") \
    X("BN_MUL", NPU__MDLA_S_MATH, FROM15, "batch normalisation: converters fold it into the convolution") \
    X("BN_ADD", NPU__MDLA_S_MATH, FROM15, "no operator; MTK_REQUANTIZE between types of one width is mapped to it") \
    X("IN_SUB", NPU__MDLA_S_MATH, FROM20, "the guide does not say which operator becomes it")

/* One row as code looks at it. */
typedef struct npu__mdla_op {
    int32_t     code;
    const char *name, *guide;
    uint32_t    versions;
    int32_t     layouts, group, work, rate;
} npu__mdla_op;

#endif
