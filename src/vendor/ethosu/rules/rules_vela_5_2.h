/* Ethos-U rule rows of Vela 5.2.0: the limits it checks operator by operator, those of every operator first. See
 * rules.h for the columns. What it checks before, of the network as a whole, is in rules_vela_5_2_model.h.
 *
 * U55 and U65 have one list. No rows: steps of ARG_MAX, FULLY_CONNECTED, SUM and REDUCE_*, which no file can set. */
#ifndef NPU__VENDOR_ETHOSU_RULES_VELA_5_2_H
#define NPU__VENDOR_ETHOSU_RULES_VELA_5_2_H

#define NPU__ETHOSU_RULES_VELA_5_2(RANGE, AT_MOST, NUMBER, RULE, P) \
    RULE("ethosu.tensor_static", NotAbsorbed, 0, "supported.tensDimMustBeStatic", v52_static, \
         "fixed, but for the first one", "only the first dimension of a tensor may be resizable", \
         "Fix the shapes when converting.", P##V52) \
    RULE("ethosu.types_integer", NotVariable, 0, "supported.supportedDTypes", v52_types, \
         "int8, uint8, int16, int32, int64", "feature maps must be integers", \
         "Quantize the model: convert it with integer quantization.", P##U55 | P##U65) \
    RULE("ethosu.types_integer_or_bool", NotVariable, 0, "supported.supportedDTypes", v52_types, \
         "int8, uint8, int16, int32, int64, bool", "feature maps must be integers or bool", \
         "Quantize the model: convert it with integer quantization.", P##U85) \
    RULE("ethosu.tensor_shapeless", NotVariable, 0, "supported.tensMustHaveShape", v52_shapeless, \
         "1 or more dimensions", "a tensor that is not stored in the model must have dimensions", \
         "Give scalars a shape of [1]; keep the dimensions of reductions (keep_dims).", P##V52) \
    RULE("ethosu.has_input", NotReading, 0, "supported.mustHaveIFM", v52_has_input, "1 or more", \
         "the operator must have an input", "Leave the operator to the CPU.", P##V52) \
    RULE("ethosu.has_output", NotAssigning, 0, "supported.mustHaveOFM", v52_has_output, "1 or more", \
         "the operator must have an output", "Leave the operator to the CPU.", P##V52) \
    RULE("ethosu.variable.type", Variable, 0, "supported.variableDTypes", v52_variable_type, \
         "int8, uint8, int16, int32, int64, bool", "what a variable holds must be integers or bool", \
         "Quantize the variable.", P##U85) \
    RULE("ethosu.tensor_quantized", Scaled, 0, "supported.tensQuantized", v52_quantized, "quantized", \
         "feature maps and weights must have quantization parameters, unless they are int32, int64 or bool", \
         "Quantize the model: convert it with integer quantization.", P##V52) \
    RULE("ethosu.scale_in_range", Scaled, 0, "supported.quantizationScaleShiftPositive", v52_scale_small, \
         "below 4294967296", "quantization scales must be below 2 to the power of 32", \
         "Quantize the model again with sound calibration data.", P##V52) \
    RULE("ethosu.per_axis", NotWeighted, 0, "supported.perAxisQuant", v52_per_axis, "1 scale", \
         "only convolutions and FULLY_CONNECTED may be quantized per axis", \
         "Quantize the tensor with a single scale.", P##V52) \
    RULE("ethosu.fused_activation.as_operator", Generic, 0, "supported operators, of the activation", v52_fused, \
         "RELU, RELU_N1_TO_1, RELU6, TANH; an output of at most 16 bits with one scale and a zero point in its range", \
         "a fused activation must be one the NPU has, for the type and quantization of the output", \
         "Make the activation an operator of its own, with an input and output of 8 or 16 bits.", P##U55 | P##U65) \
    RULE("ethosu.fused_activation.as_operator_u85", Generic, 0, "supported operators, of the activation", v52_fused, \
         "RELU, RELU_N1_TO_1, RELU6, TANH; an output with one scale and a zero point in its range", \
         "a fused activation must be one the NPU has, for the quantization of the output", \
         "Make the activation an operator of its own.", P##U85) \
    \
    RULE("ethosu.weights.8bit", Biased, 0, "supported.weightsPrecision", v52_weights_8bit, "8-bit", \
         "weights must have 8 bits an element", "Quantize the weights to 8 bits.", P##V52) \
    AT_MOST("ethosu.weights.sum_8bit", Biased, 0, "supported.weightSum", v52_weights_sum_8bit, 8323072, \
            "with 8-bit data the sum of absolute weights of an output channel", \
            "Use a smaller kernel or fewer input channels.", P##V52) \
    AT_MOST("ethosu.weights.sum_16bit", Biased, 0, "supported.weightSum", v52_weights_sum_16bit, 8323072, \
            "with 16-bit data the sum of absolute weights of an output channel", \
            "Use a smaller kernel or fewer input channels.", P##U55 | P##U65) \
    AT_MOST("ethosu.weights.sum_16bit_u85", Biased, 0, "supported.weightSum", v52_weights_sum_16bit, 2130706432, \
            "with 16-bit data the sum of absolute weights of an output channel", \
            "Use a smaller kernel or fewer input channels.", P##U85) \
    RULE("ethosu.bias.shape", Biased, 0, "supported.biasShape", v52_bias_shape, "[channels]", \
         "a bias must have one dimension longer than 1, its last", "Store the bias as a vector.", P##V52) \
    RULE("ethosu.bias.constant", Biased, 0, "supported.biasConstant", v52_bias_constant, "constant", \
         "a bias must be stored in the model", "Freeze the bias into the model, or add it with ADD.", P##V52) \
    RULE("ethosu.bias.type", Biased, 0, "supported.biasPrecision", v52_bias_type, "int32, int64", \
         "a bias must be int32 or int64", "Quantize the bias to int32.", P##V52) \
    AT_MOST("ethosu.bias.range_40bit", Biased, 0, "supported.bias64BitRange", v52_bias_range, 1099511627775, \
            "values of an int64 bias", "Use a larger scale for input or weights, or an int32 bias.", P##U55 | P##U65) \
    AT_MOST("ethosu.bias.range_48bit", Biased, 0, "supported.bias64BitRange", v52_bias_range, 281474976710655, \
            "values of an int64 bias", "Use a larger scale for input or weights, or an int32 bias.", P##U85) \
    \
    RULE("ethosu.zero_point.32bit_or_unsigned", ZeroPointed, 0, "supported.constrainZeroPoints", v52_zero_point, \
         "0 for int32, 0 or more for uint8", "zero points of int32 data must be 0, of unsigned data not negative", \
         "Quantize the tensor again with a zero point in its type's range.", P##U55 | P##U65) \
    RULE("ethosu.type_not_32bit", Narrow, 0, "supported.reject32BitPrecision", v52_32bit, "8, 16 or 64 bits", \
         "feature maps must not have 32 bits", "Quantize the data to 8 or 16 bits.", P##U55 | P##U65) \
    RULE("ethosu.type_not_64bit", NotArgMax, 0, "supported.reject64BitPrecision", v52_64bit, "8, 16 or 32 bits", \
         "feature maps must not have 64 bits", "Use 8, 16 or 32 bits, or leave the operator to the CPU.", P##U55 | P##U65) \
    RULE("ethosu.zero_point.input", ZeroPointed, 0, "supported.ifmZeroPoints", v52_zero_point_in, \
         "[-128, 127] for int8, [0, 255] for uint8, 0 for other types", \
         "an input's zero point must be in the range of its type, and 0 beyond 8 bits", \
         "Quantize the input symmetrically, or to 8 bits.", P##U85) \
    RULE("ethosu.zero_point.output", ZeroPointed, 0, "supported.ofmZeroPoints", v52_zero_point_out, \
         "[-128, 127] for signed types, [0, 255] or 32768 for others", \
         "an output's zero point must be one of 8 bits", "Quantize the output again, or symmetrically.", P##U85) \
    \
    RULE("ethosu.params_constant", Constant, 0, "supported.constParams", v52_params_constant, "constant", \
         "parameters must be stored in the model", "Fix the input shapes, so that parameters become constants.", \
         P##V52) \
    RULE("ethosu.min_max.same_quantization", MinMax, 0, "supported.matchingQuantization", v52_matching_quant, "equal", \
         "inputs and output must have the same quantization", "Requantize with QUANTIZE before and after.", \
         P##V52) \
    RULE("ethosu.fully_connected.weights_matrix", FULLY_CONNECTED, 0, "supported.fcWeightShape", v52_weights_matrix, \
         "[O, 1, ..., 1, I]", "all dimensions of the weights but the first and the last must be 1", \
         "Reshape the weights to a matrix.", P##V52) \
    RANGE("ethosu.average_pool_2d.filter_height", AVERAGE_POOL_2D, 0, "supported.avgPoolPad", v52_bare_height, 1, 256, \
          "without padded cells the filter height", "Pool in two steps with lower windows.", P##V52) \
    RANGE("ethosu.average_pool_2d.filter_product", AVERAGE_POOL_2D, 0, "supported.avgPoolPad", v52_bare_product, \
          1, 65536, "without padded cells filter width times height", "Pool in two steps with smaller windows.", \
          P##V52) \
    RANGE("ethosu.average_pool_2d.padded_filter", AVERAGE_POOL_2D, 0, "supported.avgPoolPad", v52_padded_filter, 1, 8, \
          "with padded cells filter width and height", "Use VALID padding, or a window of at most 8x8.", \
          P##V52) \
    RANGE("ethosu.max_pool_2d.filter_height", MAX_POOL_2D, 0, "supported.maxPool", v52_filter_height, 1, 256, \
          "the filter height", "Pool in two steps with lower windows.", P##V52) \
    RANGE("ethosu.max_pool_2d.filter_product", MAX_POOL_2D, 0, "supported.maxPool", v52_filter_product, 1, 65536, \
          "filter width times height", "Pool in two steps with smaller windows.", P##V52) \
    NPU__ETHOSU_RULES_VELA_5_2_STEPS(RANGE, NUMBER, RULE, P) \
    NPU__ETHOSU_RULES_VELA_5_2_OPS(RANGE, AT_MOST, NUMBER, RULE, P) \
    NPU__ETHOSU_RULES_VELA_5_2_DATA(RANGE, AT_MOST, NUMBER, RULE, P)

/* Steps of windows. */
#define NPU__ETHOSU_RULES_VELA_5_2_STEPS(RANGE, NUMBER, RULE, P) \
    NUMBER("ethosu.conv_2d.stride_or_unrolled", CONV_2D, 0, "supported.unrolledKernelStride", v52_stride_or_unrolled, \
           1, 3, "[1, 3]; more without padded cells and dilation, or where the output is 1 wide (high)", \
           "stride width and height above 3 need VALID padding and no dilation, or an output of size 1", \
           "Use strides of at most 3, VALID padding and no dilation.", P##U55 | P##U65) \
    NUMBER("ethosu.average_pool_2d.stride_or_unrolled", AVERAGE_POOL_2D, 0, "supported.unrolledKernelStride", \
           v52_stride_or_unrolled, 1, 3, "[1, 3]; more without padded cells, or where the output is 1 wide (high)", \
           "stride width and height above 3 need VALID padding, or an output of size 1", \
           "Use strides of at most 3, or VALID padding.", P##U55 | P##U65) \
    NUMBER("ethosu.max_pool_2d.stride_or_unrolled", MAX_POOL_2D, 0, "supported.unrolledKernelStride", \
           v52_stride_or_unrolled, 1, 3, "[1, 3]; more without padded cells, or where the output is 1 wide (high)", \
           "stride width and height above 3 need VALID padding, or an output of size 1", \
           "Use strides of at most 3, or VALID padding.", P##U55 | P##U65) \
    RANGE("ethosu.depthwise_conv_2d.stride", DEPTHWISE_CONV_2D, 0, "supported.kernelStride", v52_stride, 1, 3, \
          "stride width and height", "Use strides of at most 3, or pool before the convolution.", P##U55 | P##U65) \
    RULE("ethosu.transpose_conv.stride", TRANSPOSE_CONV, 0, "supported.transposeConvStrides", \
         v52_transpose_conv_stride, \
         "1x1, 2x2; 2x1 for an input and kernel 1 high; 1x2 for an input and kernel 1 wide", \
         "strides must be 1 or 2, and differ only in one-dimensional convolutions", \
         "Use stride 2x2, or RESIZE_NEAREST_NEIGHBOR and CONV_2D.", P##U55 | P##U65) \
    RULE("ethosu.transpose_conv.shape", TRANSPOSE_CONV, 0, "supported.transposeConvShape", v52_transpose_conv_shape, \
         "SAME: input x stride; VALID: input x stride + kernel - stride, where that is more", \
         "width and height of the output must follow from input, stride and kernel", \
         "Crop or pad the output with an operator of its own.", P##V52)

/* Functions, matrices and recurrent layers. */
#define NPU__ETHOSU_RULES_VELA_5_2_OPS(RANGE, AT_MOST, NUMBER, RULE, P) \
    RULE("ethosu.rsqrt.type", RSQRT, 0, "supported.rsqrtIFMPrecision", v52_input_type, "int8, int16", \
         "the input must be int8 or int16", "Quantize the input to int8 or int16.", P##V52) \
    AT_MOST("ethosu.softmax.area", SOFTMAX, 0, "supported.softmaxOverflow", v52_softmax_area, 65536, \
            "width times height of the input", "Split the input before SOFTMAX.", P##V52) \
    RULE("ethosu.gelu.same_shape", GELU, 0, "supported.geluShapes", v52_same_shape, "equal shapes", \
         "input and output must have the same shape", "Declare the output with the input's shape.", P##V52) \
    RULE("ethosu.gelu.type", GELU, 0, "supported.geluPrecision", v52_table_types, "int8, uint8", \
         "input and output must both be int8, or both uint8", "Quantize input and output to int8.", P##V52) \
    RULE("ethosu.elu.same_shape", ELU, 0, "supported.eluShapes", v52_same_shape, "equal shapes", \
         "input and output must have the same shape", "Declare the output with the input's shape.", P##V52) \
    RULE("ethosu.elu.type", ELU, 0, "supported.eluPrecision", v52_table_types, "int8", \
         "input and output must be int8", "Quantize input and output to int8.", P##V52) \
    RULE("ethosu.log.same_shape", LOG, 0, "supported.logShapes", v52_same_shape, "equal shapes", \
         "input and output must have the same shape", "Declare the output with the input's shape.", P##V52) \
    RULE("ethosu.log.type", LOG, 0, "supported.logPrecision", v52_table_types, "int8, int16", \
         "input and output must both be int8, or both int16", "Quantize input and output to the same type.", \
         P##V52) \
    AT_MOST("ethosu.matmul.reduced_axis", Matmul, 0, "supported.matmulReducedAxis", v52_matmul_depth, 65536, \
            "with two computed matrices the length of the summed axis", "Split the matrices and add the products.", \
            P##U55 | P##U65) \
    AT_MOST("ethosu.matmul.output_depth", Matmul, 0, "supported.matmulOFMDepth", v52_matmul_output, 65536, \
            "with two computed matrices the output's last dimension", "Split the second matrix.", P##U55 | P##U65) \
    RULE("ethosu.matmul.type", Matmul, 0, "supported.matmulIFMPrecision", v52_matmul_type, "int8", \
         "with two computed matrices the input must be int8", "Quantize the input to int8, or store the weights.", \
         P##U55 | P##U65) \
    RULE("ethosu.lstm.gates", UNIDIRECTIONAL_SEQUENCE_LSTM, 0, "supported.lstmImplicitGateCalc", v52_lstm_gates, \
         "inputs 1 to 8", "all gates must have weights of their own", "Train without coupled gates (CIFG).", \
         P##V52) \
    RULE("ethosu.lstm.peephole", UNIDIRECTIONAL_SEQUENCE_LSTM, 0, "supported.lstmPeephole", v52_lstm_peephole, \
         "no inputs 9 to 11", "there must be no peephole weights", "Train without peepholes.", P##V52) \
    RULE("ethosu.lstm.projection", UNIDIRECTIONAL_SEQUENCE_LSTM, 0, "supported.lstmProjection", v52_lstm_projection, \
         "no inputs 16 and 17", "there must be no projection", "Replace the projection by FULLY_CONNECTED.", \
         P##V52) \
    RULE("ethosu.lstm.gate_norm", UNIDIRECTIONAL_SEQUENCE_LSTM, 0, "supported.lstmGateNorm", v52_lstm_norm, \
         "no inputs 20 to 23", "there must be no layer normalization", "Train without layer normalization.", \
         P##V52)

/* Operators that move, pick or reduce data. */
#define NPU__ETHOSU_RULES_VELA_5_2_DATA(RANGE, AT_MOST, NUMBER, RULE, P) \
    RULE("ethosu.paddings_type", Padding, 0, "supported.padParams", v52_paddings_type, "int32, int64", \
         "the tensor of paddings must be int32 or int64", "Store the paddings as int32.", P##V52) \
    AT_MOST("ethosu.mean.batch", MEAN, 0, "supported.unitBatch", v52_mean_batch, 1, \
            "the number of batches (the fourth dimension from the end)", "Convert the model with batch size 1.", \
            P##V52) \
    RULE("ethosu.mean.depth", MEAN, 0, "supported.meanDepth", v52_mean_depth, "height, width or channels of 1", \
         "channels can be averaged only where height, width or channels are 1", \
         "Average over width and height first, then over channels.", P##V52) \
    AT_MOST("ethosu.mean.axis_4096", MEAN, 0, "supported.meanAxisSize", v52_mean_axis, 4096, \
            "the length of an averaged dimension", "Average in two steps.", P##V52) \
    RULE("ethosu.mean.type", MEAN, 0, "supported.meanDataType", v52_input_type, "int8, uint8, int16", \
         "the input must be int8, uint8 or int16", "Quantize the input to 8 or 16 bits.", P##V52) \
    AT_MOST("ethosu.mean.elements_int8", MEAN, 0, "supported.meanTotalElements", v52_mean_int8, 16777216, \
            "the number of int8 values in an average", "Average in two steps.", P##V52) \
    AT_MOST("ethosu.mean.elements_uint8", MEAN, 0, "supported.meanTotalElements", v52_mean_uint8, 8388608, \
            "the number of uint8 values in an average", "Average in two steps.", P##V52) \
    AT_MOST("ethosu.mean.elements_int16", MEAN, 0, "supported.meanTotalElements", v52_mean_int16, 65536, \
            "the number of int16 values in an average", "Average in two steps.", P##V52) \
    RULE("ethosu.strided_slice.stride_axes", STRIDED_SLICE, 0, "supported.stridedSlice", v52_slice_axes, \
         "1, except for height and width", "only height and width may have a stride other than 1", \
         "Transpose the strided axis to height or width.", P##V52) \
    RULE("ethosu.strided_slice.stride_forward", STRIDED_SLICE, 0, "supported.stridedSlice", v52_slice_forward, \
         "0 or more", "strides must not be negative", "Reverse the stored data instead.", P##V52) \
    RULE("ethosu.strided_slice.volume", STRIDED_SLICE, 0, "supported.stridedSlice", v52_slice_volume, \
         "1 or more in some dimension", "the slice must not be empty", "Remove the slice.", P##V52) \
    RULE("ethosu.split.outputs", SPLIT, 0, "supported.splitsMatchOutputs", v52_splits, "the number of outputs", \
         "there must be as many splits as outputs", "Export the operator again.", P##V52) \
    RULE("ethosu.split_v.outputs", SPLIT_V, 0, "supported.splitsMatchOutputs", v52_splits, "the number of outputs", \
         "there must be as many splits as outputs", "Export the operator again.", P##V52) \
    RULE("ethosu.reverse_v2.axis", REVERSE_V2, 0, "supported.reverseMask", v52_reverse, "no axis", \
         "no axis may be reversed", "Reverse the stored data instead.", P##U55 | P##U65) \
    AT_MOST("ethosu.arg_max.depth", ARG_MAX, 0, "supported.argMaxDepth", v52_argmax_depth, 127, \
            "the number of channels", "Take the maximum in two steps.", P##U55 | P##U65) \
    RULE("ethosu.arg_max.axis", ARG_MAX, 0, "supported.argMaxAxis", v52_argmax_axis, "the last one", \
         "the axis must be the last one", "Transpose the input first.", P##U55 | P##U65) \
    AT_MOST("ethosu.transpose.permutation", TRANSPOSE, 0, "supported.transposeDims", v52_permutation_size, 8, \
            "the number of axes", "Merge axes with RESHAPE first.", P##V52) \
    AT_MOST("ethosu.transpose.int32_rank", TRANSPOSE, 0, "supported.transpose32Bit", v52_transpose32_rank, 4, \
            "the number of dimensions of int32 data", "Merge axes with RESHAPE first.", P##U55 | P##U65) \
    RULE("ethosu.transpose.int32_kind", TRANSPOSE, 0, "supported.transpose32Bit", v52_transpose32_kind, \
         "NHWC, NWHC, NHCW", "int32 data may only swap two neighbours of height, width and channels", \
         "Transpose in steps that swap two neighbours.", P##U55 | P##U65) \
    AT_MOST("ethosu.transpose.int32_nhwc", TRANSPOSE, 0, "supported.transpose32Bit", v52_transpose32_depth, 32768, \
            "the number of int32 channels that stay in place", "Remove the TRANSPOSE.", P##U55 | P##U65) \
    RULE("ethosu.transpose.int32_nwhc", TRANSPOSE, 0, "supported.transpose32Bit", v52_transpose32_nwhc, \
         "batch 1, height and width up to 65536, channels up to 16384", \
         "int32 data that swaps height and width must not be larger than the limits", "Split the data first.", \
         P##U55 | P##U65) \
    RULE("ethosu.transpose.int32_nhcw", TRANSPOSE, 0, "supported.transpose32Bit", v52_transpose32_nhcw, \
         "batch x height, width and channels up to 65536", \
         "int32 data that swaps width and channels must not be larger than the limits", "Split the data first.", \
         P##U55 | P##U65) \
    AT_MOST("ethosu.transpose.three_axes", TRANSPOSE, 0, "supported.transpose8And16Bit", v52_transpose_hwc, 65536, \
            "with up to three axes the length of each", "Split the data first.", P##U55 | P##U65) \
    AT_MOST("ethosu.transpose.more_axes", TRANSPOSE, 0, "supported.transpose8And16Bit", v52_transpose_product, 65536, \
            "with more than three axes the product of all but any two", "Transpose three axes at a time.", P##U55 | P##U65) \
    RULE("ethosu.resize.factor_u55", Resizing, 0, "supported.resize", v52_resize_u55, \
         "input 1x1; 2x, 4x, 8x, with half_pixel_centers 2x; the same size without half_pixel_centers", \
         "width and height must start from 1x1, or grow by the same power of two", \
         "Resize by a factor of 2, several times if need be.", P##U55 | P##U65) \
    RULE("ethosu.resize.corners_or_centers", Resizing, 0, "supported.resizeACHPC", v52_resize_corners, "one of both", \
         "align_corners and half_pixel_centers must not both be set", "Export the model without align_corners.", P##U85) \
    RANGE("ethosu.resize.factor_centers", Resizing, 0, "supported.resizeScaleFactor", v52_resize_factor_half, 0, 1024, \
          "with half-pixel centers the factors of width and height", "Resize in two steps.", P##U85) \
    RANGE("ethosu.resize.factor_corners", Resizing, 0, "supported.resizeScaleFactor", v52_resize_factor, 0, 2048, \
          "without half-pixel centers the factors of width and height", "Resize in two steps.", P##U85) \
    RULE("ethosu.resize_bilinear.power_of_two", RESIZE_BILINEAR, 0, "supported.resizeBilinearPowerOfTwo", \
         v52_resize_power, "input 1x1; 1x, 2x, 4x, ...", "width and height must grow by powers of two", \
         "Resize to a power of two times the input.", P##U85) \
    RULE("ethosu.scatter_nd.shape_constant", SCATTER_ND, 0, "supported.scatterShapeConst", v52_scatter_shape, \
         "constant", "the output's shape must be stored in the model", "Fix the input shapes.", P##U85) \
    RULE("ethosu.scatter_nd.index_constant", SCATTER_ND, 0, "supported.scatterIndexConst", v52_scatter_constant, \
         "constant", "indices must be stored in the model", "Store the indices, or use a one-hot MUL and SUM.", P##U85) \
    RANGE("ethosu.scatter_nd.index_depth", SCATTER_ND, 0, "supported.scatterIndexUnitChannel", v52_scatter_depth, \
          1, 1, "the last dimension of the indices", "Scatter along a single axis.", P##U85) \
    RULE("ethosu.scatter_nd.index_unique", SCATTER_ND, 0, "supported.scatterIndexUniqueElements", v52_scatter_unique, \
         "each index once", "no index may be used twice", "Add values of equal indices first.", P##U85) \
    RULE("ethosu.gather.axis", GATHER, 0, "supported.gatherAxis", v52_gather_axis, "axis = batch_dims", \
         "the axis must be the first one after the batch dimensions", \
         "Transpose the gathered axis to the front.", P##U85) \
    RULE("ethosu.space_to_batch_nd.dilates", SPACE_TO_BATCH_ND, 0, \
         "supported operators, of the convolution between", v52_dilates, \
         "around CONV_2D or DEPTHWISE_CONV_2D without activation, which is taken", \
         "it must stand before a convolution and BATCH_TO_SPACE_ND that together are a dilated one", \
         "Export dilated convolutions with dilation factors.", P##U55 | P##U65) \
    RULE("ethosu.space_to_batch_nd.dilates_u85", SPACE_TO_BATCH_ND, 0, \
         "supported operators, of the convolution between", v52_dilates, \
         "around CONV_2D or DEPTHWISE_CONV_2D without activation, which is taken", \
         "it must stand before a convolution and BATCH_TO_SPACE_ND that together are a dilated one", \
         "Export dilated convolutions with dilation factors.", P##U85) \
    RULE("ethosu.batch_to_space_nd.dilates", BATCH_TO_SPACE_ND, 0, \
         "supported operators, of the convolution between", v52_dilates, \
         "around CONV_2D or DEPTHWISE_CONV_2D without activation, which is taken", \
         "it must stand after SPACE_TO_BATCH_ND and a convolution that together are a dilated one", \
         "Export dilated convolutions with dilation factors.", P##U55 | P##U65) \
    RULE("ethosu.batch_to_space_nd.dilates_u85", BATCH_TO_SPACE_ND, 0, \
         "supported operators, of the convolution between", v52_dilates, \
         "around CONV_2D or DEPTHWISE_CONV_2D without activation, which is taken", \
         "it must stand after SPACE_TO_BATCH_ND and a convolution that together are a dilated one", \
         "Export dilated convolutions with dilation factors.", P##U85) \
    RULE("ethosu.var_handle.users", VAR_HANDLE, 0, "supported operators, of those that use the variable", \
         v52_handle_users, "READ_VARIABLE and ASSIGN_VARIABLE that are taken", \
         "everything that uses the variable must be taken: then it becomes memory of the NPU", \
         "Quantize the variable and what is assigned to it.", P##U85)

#endif
