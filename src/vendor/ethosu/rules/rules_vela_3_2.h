/* Ethos-U rule rows that Vela 3.2.0 has and the published document has not, in the order of its checks: first those it
 * makes on the model ("semantic"), then the hardware's limits ("supported"). See rules.h for the columns.
 *
 * No rows: checks that no .tflite file can fail (shapes are defined; strides, dilations and filters are integers). */
#ifndef NPU__VENDOR_ETHOSU_RULES_VELA_3_2_H
#define NPU__VENDOR_ETHOSU_RULES_VELA_3_2_H

#define NPU__ETHOSU_RULES_SEMANTIC(RANGE, AT_MOST, NUMBER, RULE, P) \
    RULE("ethosu.tensor_dynamic", Any, 0, "semantic.tens_no_dynamic", no_dynamic, "a shape, or a stored value", \
         "a tensor without dimensions must be stored in the model", \
         "Fix the shapes when converting, or store the scalar in the model.", P##V32) \
    RULE("ethosu.output_scalar", Any, 0, "semantic.tens_output_scalar", output_scalar, "1 or more dimensions", \
         "the output must have dimensions", "Keep the dimensions of the result (keep_dims).", P##V32) \
    RULE("ethosu.input_scalar", AnyButShapeless, 0, "semantic.tens_input_scalar", input_scalar, \
         "1 or more dimensions", \
         "inputs must have dimensions, unless the operator is ADD, EXPAND_DIMS, MAXIMUM, MEAN, MINIMUM, MUL, SPLIT, " \
         "SPLIT_V or SUB", "Give the scalar a shape of [1].", P##V32) \
    NUMBER("ethosu.tensor_rank_4", Any, 0, "semantic.tens_shape_size", rank, 0, 4, "at most 4", \
           "inputs and outputs must have at most 4 dimensions", "Merge dimensions with RESHAPE.", P##V32) \
    RULE("ethosu.quantization_missing", Any, 0, "semantic.tens_quant_none_check", quantization_missing, "quantized", \
         "inputs, outputs and weights must have quantization parameters", \
         "Quantize the model: convert it with integer quantization.", P##V32) \
    RULE("ethosu.quantization_finite", Any, 0, "semantic.tens_quant_scale", scale_finite, "finite", \
         "quantization scales must be finite", "Quantize the model again with sound calibration data.", P##V32) \
    RULE("ethosu.quantization_range", Any, 0, "semantic.quant_scale_inf", scale_range, \
         "an output scale of at least 1.17549e-38 and a finite ratio of scales", \
         "the output's scale must be a normal number, and the input's scale divided by it finite", \
         "Quantize the model again with sound calibration data.", P##V32) \
    \
    RULE("ethosu.same_type", SameType, 0, "semantic.matching_in_out_types", in_out_types, "equal types", \
         "input and output must have the same type", "Quantize input and output to the same type.", P##V32) \
    RULE("ethosu.elementwise.either_shape", Elementwise, 0, "semantic.matching_either_shapes", either_shape, \
         "the output's shape", "at least one input must have the output's shape", \
         "Broadcast one input at a time.", P##V32) \
    RULE("ethosu.arithmetic.input_types", Arithmetic, 0, "semantic.matching_inputs_types", input_types, "equal types", \
         "both inputs must have the same type", "Quantize both inputs to the same type.", P##V32) \
    RULE("ethosu.arithmetic.signed", Arithmetic, 0, "semantic.matching_signed", signed_output, "a signed type", \
         "the output of signed inputs must be signed", "Quantize the output to a signed type.", P##V32) \
    RULE("ethosu.arithmetic.unsigned", Arithmetic, 0, "semantic.unsigned_valid", unsigned_output, \
         "the input's type, int32", "the output of unsigned inputs must be of the same type, or int32", \
         "Quantize the output to the input's type.", P##V32) \
    RULE("ethosu.reshaping.quantization", Reshaping, 0, "semantic.matching_in_out_quant", in_out_quantization, \
         "equal scale and zero point", "input and output must have the same quantization", \
         "Quantize the output as the input.", P##V32) \
    \
    RULE("ethosu.concatenation.axis_stored", CONCATENATION, 0, "semantic.axis_exists", concat_options, "stored", \
         "the axis must be stored in the operator's options", "Export the operator with its options.", P##V32) \
    RULE("ethosu.concatenation.axis", CONCATENATION, 0, "semantic.axis_valid", concat_axis, \
         "a dimension of the output", "the axis must be a dimension of the output", \
         "Concatenate along a dimension the output has.", P##V32) \
    RULE("ethosu.concatenation.dimensionality", CONCATENATION, 0, "semantic.matching_dimensionality", concat_ranks, \
         "as many as the output has", "inputs must have as many dimensions as the output", \
         "Reshape the inputs to the output's number of dimensions.", P##V32) \
    RULE("ethosu.concatenation.dimensions", CONCATENATION, 0, "semantic.valid_dimensions", concat_dims, \
         "the output's, except along the axis", "inputs must have the output's dimensions, except along the axis", \
         "Make all other dimensions equal.", P##V32) \
    RULE("ethosu.softmax.shape", SOFTMAX, 0, "semantic.matching_shapes", same_shape, "equal shapes", \
         "input and output must have the same shape", "Declare the output with the input's shape.", P##V32) \
    RULE("ethosu.softmax.beta", SOFTMAX, 0, "semantic.beta_value_range", beta, "0 or more", \
         "beta must not be negative", "Negate the input instead of beta.", P##V32) \
    NUMBER("ethosu.split_v.inferred", SPLIT_V, 0, "semantic.splitv_inferred", split_inferred, 0, 1, "at most 1", \
           "at most one size may be left to be inferred (-1)", "Write the sizes out.", P##V32) \
    NUMBER("ethosu.strided_slice.inputs", STRIDED_SLICE, 0, "semantic.stridedslice_input_count", input_count, 4, 4, \
           "4", "there must be 4 inputs", "Give input, begin, end and strides.", P##V32) \
    RULE("ethosu.strided_slice.constant", STRIDED_SLICE, 0, "semantic.stridedslice_inputs_const", slice_constant, \
         "constant", "begin, end and strides must be stored in the model", \
         "Fix the input shapes, so that the bounds are constant.", P##V32) \
    NUMBER("ethosu.strided_slice.ellipsis_mask", STRIDED_SLICE, 0, "semantic.ellipsis_mask", ellipsis_mask, 0, 0, "0", \
           "ellipsis_mask must be 0", "Write the bounds of all dimensions out.", P##V32) \
    RULE("ethosu.strided_slice.axis_masks", STRIDED_SLICE, 0, "semantic.axis_masks", axis_masks, "one of them 0", \
         "new_axis_mask and shrink_axis_mask must not both be set", \
         "Slice first, then reshape.", P##V32) \
    RULE("ethosu.strided_slice.range", STRIDED_SLICE, 0, "semantic.slice_ranges", slice_ranges, "end above begin", \
         "every end must lie after its begin", "Slice at least one element of every dimension.", P##V32) \
    RULE("ethosu.leaky_relu.alpha", LEAKY_RELU, 0, "semantic.alpha_valid", alpha, "0 or more", \
         "alpha must not be negative", "Train with an alpha of 0 or more.", P##V32) \
    NUMBER("ethosu.fully_connected.output_2d", FULLY_CONNECTED, 0, "semantic.fc_output_2d", output_rank, 2, 2, "2", \
           "the output must have 2 dimensions", "Convert without keep_num_dims and reshape the result.", P##V32) \
    RULE("ethosu.fully_connected.keep_num_dims", FULLY_CONNECTED, 0, "semantic.keep_dim_ifm_ofm", keep_num_dims, \
         "as many as the input has", "with keep_num_dims the output must have as many dimensions as the input", \
         "Convert without keep_num_dims and reshape the result.", P##V32) \
    NUMBER("ethosu.pad.inputs", PAD, 0, "semantic.pad_input_count", input_count, 2, 2, "2", \
           "there must be 2 inputs", "Pad with zeros: leave the value out.", P##V32) \
    RULE("ethosu.pad.constant", PAD, 0, "semantic.pad_constant", pad_constant, "constant", \
         "the paddings must be stored in the model", "Fix the input shapes, so that the paddings are constant.", P##V32) \
    RULE("ethosu.input_8bit", EightBit, 0, "semantic.input_8bit", input_8bit, "int8, uint8", \
         "the input must be int8 or uint8", "Quantize the input to 8 bits.", P##V32) \
    RANGE("ethosu.mean.rank_2_4", MEAN, 0, "semantic.mean_input_dims", input_rank, 2, 4, \
          "the number of the input's dimensions", "Reshape the input to 2, 3 or 4 dimensions.", P##V32) \
    RULE("ethosu.mean.axis", MEAN, 0, "semantic.mean_axis", mean_axis, \
         "1, 2 or both of 4 dimensions; 0, 1 or both of 2 or 3", "the axes must be height, width or both", \
         "Take the mean over height and width; transpose or reshape first.", P##V32)

#define NPU__ETHOSU_RULES_VELA_3_2(RANGE, AT_MOST, NUMBER, RULE, P) \
    RULE("ethosu.tensor_type", Generic, 0, "supported.tens_dtype", feature_map_types, "uint8, int8, int16, int32", \
         "feature maps and weights must be uint8, int8, int16 or int32", \
         "Quantize the model to int8.", P##V32) \
    RULE("ethosu.tensor_int32", AllButArithmetic, 0, "supported.tens_int32_ops", no_int32, "uint8, int8, int16", \
         "feature maps and weights may be int32 only in ADD, MUL and SUB", \
         "Quantize the tensor to 8 or 16 bits.", P##V32) \
    RANGE("ethosu.feature_map_dims_1_65535", Generic, 0, "supported.tens_dimension", feature_map_dims, 1, 65535, \
          "every dimension of the feature maps and weights that the NPU addresses", \
          "Split or reshape the tensor so that no dimension is empty or above the limit.", P##V32) \
    RULE("ethosu.per_axis_quantization", AllButConv, 0, "supported.tens_quant_per_axis", per_axis, \
         "one scale a tensor", "only convolutions may have one scale a channel", \
         "Quantize per tensor.", P##V32) \
    RULE("ethosu.fused_activation_output", Generic, 0, "supported.faf_type", fused_output_type, "uint8, int8, int16", \
         "the output of an op with a fused activation must be uint8, int8 or int16", \
         "Quantize the output to 8 or 16 bits, or make the activation an operator of its own.", P##V32) \
    \
    RULE("ethosu.bias_type", Biased, 0, "supported.bias_type", bias_type, "int32, int64", \
         "a bias, where there is one, must be int32 or int64", "Quantize the bias to int32.", P##V32) \
    AT_MOST("ethosu.bias_40bit", Biased, 0, "supported.bias_40bit", bias_bits, 40, \
            "the bits of the largest bias, sign included where it is negative,", \
            "Scale the layer so that its bias is smaller.", P##V32) \
    RANGE("ethosu.transpose_conv.stride_1_3", TRANSPOSE_CONV, 0, "supported.stride_range", stride, 1, 3, \
          "stride width and height", "Use strides of 2.", P##V32) \
    RANGE("ethosu.transpose_conv.height_1_64", TRANSPOSE_CONV, 0, "supported.dilated_height_range", dilated_height, \
          1, 64, "the kernel's height", "Use a lower kernel.", P##V32) \
    RANGE("ethosu.transpose_conv.product_1_4096", TRANSPOSE_CONV, 0, "supported.dilated_product_range", \
          dilated_product, 1, 4096, "the kernel's width times height", "Use a smaller kernel.", P##V32) \
    RULE("ethosu.transpose_conv.weights_8bit", TRANSPOSE_CONV, 0, "supported.weights_type", weights_8bit, "8-bit", \
         "weights must have 8 bits an element", "Quantize the weights to 8 bits.", P##V32) \
    RULE("ethosu.transpose_conv.weights_constant", TRANSPOSE_CONV, 0, "supported.weights_const", weights_constant, \
         "constant", "weights must be stored in the model", "Freeze the weights into the model.", P##V32) \
    AT_MOST("ethosu.transpose_conv.weights_sum", TRANSPOSE_CONV, 0, "supported.weights_limit", weights_sum, 8323072, \
            "the sum of the weights", "Use a smaller kernel or fewer input channels.", P##V32) \
    NUMBER("ethosu.transpose_conv.batch_1", TRANSPOSE_CONV, 0, "supported.batch_size", batch, 1, 1, "1", \
           "the input must be a single batch", "Convert the model with batch size 1.", P##V32) \
    NUMBER("ethosu.transpose_conv.stride_2", TRANSPOSE_CONV, 0, "supported.tconv_stride", stride, 2, 2, "2", \
           "stride width and height must be 2", "Use strides of 2.", P##V32) \
    RULE("ethosu.transpose_conv.same", TRANSPOSE_CONV, 0, "supported.tconv_same", transpose_same, \
         "input times stride", "with SAME padding the output must be the input times the stride", \
         "Ask for an output of the input's size times the stride.", P##V32) \
    RULE("ethosu.transpose_conv.valid", TRANSPOSE_CONV, 0, "supported.tconv_valid", transpose_valid, \
         "input times stride, plus what the kernel exceeds the stride by", \
         "with VALID padding the output must be the input times the stride, plus what the kernel exceeds it by", \
         "Ask for an output of that size.", P##V32) \
    \
    NUMBER("ethosu.elementwise.batch_1", Elementwise, 0, "supported.elemwise_batch_size", elementwise_batch, 1, 1, \
           "1", "inputs with more than 2 dimensions must be a single batch", \
           "Convert the model with batch size 1.", P##V32) \
    RULE("ethosu.min_max.quantization", MinMax, 0, "supported.matching_quantization_parameters", all_quantization, \
         "equal scale and zero point", "inputs and output must have the same quantization", \
         "Quantize both inputs as the output.", P##V32) \
    RULE("ethosu.min_max.broadcast", MinMax, 0, "supported.broadcast_shapes", broadcast, \
         "equal dimensions, or 1 in one of the inputs", \
         "inputs may differ only in dimensions where one of them is 1", \
         "Bring both inputs to shapes that broadcast.", P##V32) \
    NUMBER("ethosu.strided_slice.stride_1", STRIDED_SLICE, 0, "supported.stridedslice_stride_values", slice_strides, \
           1, 1, "1", "all strides must be 1", "Slice with stride 1.", P##V32) \
    RULE("ethosu.pad.type", PAD, 0, "supported.pad_type", pad_types, "int32, int64", \
         "the tensor of paddings must be int32 or int64", "Store the paddings as int32.", P##V32) \
    NUMBER("ethosu.mean.batch_1", MEAN, 0, "supported.batch_size", batch, 1, 1, "1", \
           "the input must be a single batch", "Convert the model with batch size 1.", P##V32) \
    AT_MOST("ethosu.mean.product_65536", MEAN, 0, "supported.mean_height_width_product_avgpool", mean_product, 65536, \
            "height times width", "Average in two steps.", P##V32) \
    AT_MOST("ethosu.mean.product_4096", MEAN, 0, "supported.mean_height_width_product", mean_product_rescaled, 4096, \
            "with keep_dims, or when input and output differ in scale or zero point, height times width", \
            "Quantize the output as the input and drop keep_dims, or average in two steps.", P##V32) \
    AT_MOST("ethosu.mean.product_256", MEAN, 0, "supported.mean_height_width_product_int8", mean_product_int8, 256, \
            "with keep_dims, for int8 inputs of 4 dimensions over axes 1 and 2, height times width", \
            "Drop keep_dims and reshape the result, or average in two steps.", P##V32) \
    RULE("ethosu.resize_bilinear.doublings", RESIZE_BILINEAR, 0, "supported.resize", resize_doublings, \
         "input 1x1; output equal to the input; 2 x input - 1 with align_corners, 2 x input without, again and again", \
         "width and height must start from 1x1, stay as they are, or double any number of times (less 1 each time " \
         "when corners are aligned)", "Resize by a power of 2.", P##V32)

#endif
