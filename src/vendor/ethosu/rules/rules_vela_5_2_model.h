/* Ethos-U rule rows of Vela 5.2.0, continued: what it checks of a network before it looks at any operator ("semantic").
 * Whoever breaks one of these has not one operator refused, but the whole network. */
#ifndef NPU__VENDOR_ETHOSU_RULES_VELA_5_2_MODEL_H
#define NPU__VENDOR_ETHOSU_RULES_VELA_5_2_MODEL_H

#define NPU__ETHOSU_RULES_VELA_5_2_MODEL(RANGE, AT_MOST, NUMBER, RULE, P) \
    RULE("ethosu.model.contents", Generic, 0, "semantic.EmptyConstTensors", v52_contents, "contents", \
         "stored inputs must have contents, or the whole network is refused", \
         "Remove parameters that are empty lists.", P##V52) \
    RULE("ethosu.model.scale_finite", Generic, 0, "semantic.TensQuantScale", v52_scale_finite, "finite", \
         "quantization scales must be finite, or the whole network is refused", \
         "Quantize the model again with sound calibration data.", P##V52) \
    RULE("ethosu.model.scale_ratio", Generic, 0, "semantic.QuantScaleInf", v52_scale_ratio, "finite", \
         "the input's scale divided by the output's must be finite, or the whole network is refused", \
         "Quantize the model again with sound calibration data.", P##V52) \
    RULE("ethosu.model.same_type", SameTypes, 0, "semantic.MatchingInOutTypes", v52_same_type, "equal types", \
         "input and output must have the same type, or the whole network is refused", \
         "Quantize input and output to the same type.", P##V52) \
    RULE("ethosu.model.either_shape", Binary, 0, "semantic.MatchingEitherShapes", v52_either_shape, \
         "the shape of an input, or what both broadcast to", \
         "the output must have the shape the inputs make, or the whole network is refused", \
         "Declare the output with its real shape.", P##V52) \
    RULE("ethosu.model.input_types", Arithmetic, 0, "semantic.MatchingInputsTypes", v52_inputs_type, "equal types", \
         "both inputs must have the same type, or the whole network is refused", \
         "Quantize both inputs to the same type.", P##V52) \
    RULE("ethosu.model.signed", Arithmetic, 0, "semantic.MatchingSigned", v52_signed, "a signed integer type", \
         "the output of signed inputs must be signed, or the whole network is refused", \
         "Quantize the output to a signed type.", P##V52) \
    RULE("ethosu.model.unsigned", Arithmetic, 0, "semantic.UnsignedValid", v52_unsigned, "the input's type, int32", \
         "the output of unsigned inputs must be of their type or int32, or the whole network is refused", \
         "Quantize the output to the input's type.", P##V52) \
    RULE("ethosu.model.same_scale", Reshaping, 0, "semantic.MatchingInOutQuant", v52_same_scale, "equal scales", \
         "input and output must have the same scale, or the whole network is refused", \
         "Quantize the output as the input.", P##V52) \
    RULE("ethosu.model.same_elements", Reshaping, 0, "semantic.MatchingInOutElements", v52_same_elements, "equal", \
         "input and output must have as many elements, or the whole network is refused", \
         "Declare the output with its real shape.", P##V52) \
    RULE("ethosu.model.conv_2d.groups", CONV_2D, 0, "semantic.ConvGroupsIfmDepth", v52_conv_groups, \
         "a multiple of the kernel's", \
         "input channels must be a multiple of the kernel's, or the whole network is refused", \
         "Export the convolution again.", P##V52) \
    RULE("ethosu.model.conv_2d.filters", CONV_2D, 0, "semantic.ConvGroupsNumFilters", v52_conv_filters, \
         "a multiple of the groups", "every group must have as many filters, or the whole network is refused", \
         "Export the convolution again.", P##V52) \
    RULE("ethosu.model.depthwise_conv_2d.depth", DEPTHWISE_CONV_2D, 0, "semantic.DepthwiseConvOfmDepth", \
         v52_depthwise_depth, "input channels x depth multiplier", \
         "output channels must be input channels times the stored multiplier, or the whole network is refused", \
         "Store the real depth multiplier.", P##V52) \
    RULE("ethosu.model.softmax.shape", SOFTMAX, 0, "semantic.MatchingShapes", v52_stored_shapes, "equal shapes", \
         "input and output must have the same shape, or the whole network is refused", \
         "Declare the output with the input's shape.", P##V52) \
    RULE("ethosu.model.softmax.types", SOFTMAX, 0, "semantic.SoftmaxInOutTypes", v52_softmax_types, \
         "equal types, int8 to int16", \
         "input and output must have the same type, or be int8 and int16, or the whole network is refused", \
         "Quantize input and output to the same type.", P##V52) \
    RULE("ethosu.model.softmax.beta", SOFTMAX, 0, "semantic.BetaValueRange", v52_beta, "0 or more", \
         "beta must not be negative, or the whole network is refused", "Negate the input instead of beta.", \
         P##V52) \
    RULE("ethosu.model.split.axis", SPLIT, 0, "semantic.SplitDim", v52_split_axis, "above -rank, at most rank", \
         "the axis must be a dimension of the input, or the whole network is refused", \
         "Count the axis from the front.", P##V52) \
    RULE("ethosu.model.split.even", SPLIT, 0, "semantic.SplitNumSplits", v52_split_even, "splits of equal size", \
         "the dimension must be a multiple of the number of splits, or the whole network is refused", \
         "Use SPLIT_V.", P##V52) \
    AT_MOST("ethosu.model.split_v.sizes", SPLIT_V, 0, "semantic.SplitvInferred", v52_splitv_sizes, 1, \
            "the number of sizes left open (or the whole network is refused)", "Store the sizes.", P##V52) \
    RULE("ethosu.model.concatenation.axis", CONCATENATION, 0, "semantic.AxisValid", v52_concat_axis, \
         "a dimension of the output", "the axis must be a dimension of the output, or the whole network is refused", \
         "Concatenate along a dimension the output has.", P##V52) \
    RULE("ethosu.model.concatenation.ranks", CONCATENATION, 0, "semantic.MatchingDimensionality", v52_concat_ranks, \
         "as many as the output has", \
         "inputs must have as many dimensions as the output, or the whole network is refused", \
         "Reshape the inputs to the output's number of dimensions.", P##V52) \
    RULE("ethosu.model.concatenation.dims", CONCATENATION, 0, "semantic.ValidDimensions", v52_concat_dims, \
         "the output's; along the axis the sum", \
         "inputs must have the output's dimensions, except along the axis, or the whole network is refused", \
         "Make all other dimensions equal.", P##V52) \
    RANGE("ethosu.model.strided_slice.inputs", STRIDED_SLICE, 0, "semantic.StridedsliceInputCount", v52_input_count, \
          4, 4, "the number of inputs (or the whole network is refused)", "Export the operator again.", \
          P##V52) \
    RANGE("ethosu.model.pad.inputs", PAD, 0, "semantic.PadInputCount", v52_input_count, 2, 2, \
          "the number of inputs (or the whole network is refused)", "Export the operator again.", P##V52) \
    RULE("ethosu.model.pad.output", PAD, 0, "semantic.PadOutputShape", v52_pad_output, "input plus paddings", \
         "the output must be as large as input and stored paddings together, or the whole network is refused", \
         "Declare the output with its real shape.", P##V52) \
    RULE("ethosu.model.fully_connected.rank", FULLY_CONNECTED, 0, "semantic.KeepDimIfmOfm", v52_same_rank, \
         "as many as the input has", \
         "with keep_num_dims the output must have the input's rank, or the whole network is refused", \
         "Export the operator without keep_num_dims.", P##V52) \
    RULE("ethosu.model.input_8bit", EightBits, 0, "semantic.Input8bit", v52_input_8bit, "int8, uint8", \
         "the input must be int8 or uint8, or the whole network is refused", \
         "Quantize the input to int8, or replace the operator.", P##V52) \
    RULE("ethosu.model.arg_max.output", ARG_MAX, 0, "semantic.ArgmaxOutput", v52_argmax_output, "int32, int64", \
         "the output must be int32 or int64, or the whole network is refused", "Export the operator again.", \
         P##V52) \
    RULE("ethosu.model.lstm.type", UNIDIRECTIONAL_SEQUENCE_LSTM, 0, "semantic.InputSigned", v52_input_signed, \
         "int8, int16", "the input must be int8 or int16, or the whole network is refused", \
         "Quantize the layer to int8 with int16 state.", P##V52) \
    RULE("ethosu.model.lstm.rank", UNIDIRECTIONAL_SEQUENCE_LSTM, 0, "semantic.LstmInputRank", v52_rank_3, "3 and 3", \
         "input and output must have 3 dimensions, or the whole network is refused", \
         "Reshape to batch, time and features.", P##V52) \
    RANGE("ethosu.model.lstm.inputs", UNIDIRECTIONAL_SEQUENCE_LSTM, 0, "semantic.LstmInputs", v52_input_count, 24, 24, \
          "the number of inputs (or the whole network is refused)", "Export the layer again.", P##V52) \
    RANGE("ethosu.model.lstm.intermediates", UNIDIRECTIONAL_SEQUENCE_LSTM, 0, "semantic.LstmIntermediates", \
          v52_mid_count, 5, 5, "the number of intermediates (or the whole network is refused)", \
          "Export the layer again, fully quantized.", P##V52) \
    RULE("ethosu.model.transpose.type", TRANSPOSE, 0, "semantic.Params32bit", v52_permutation_type, "int32, uint32", \
         "the permutation must be int32, or the whole network is refused", "Store the permutation as int32.", \
         P##V52) \
    RULE("ethosu.model.transpose.rank", TRANSPOSE, 0, "semantic.TransposeParamsInput", v52_permutation_rank, \
         "the input's number of dimensions", \
         "the permutation must have an entry for each dimension, or the whole network is refused", \
         "Export the operator again.", P##V52) \
    RULE("ethosu.model.gather.index", GATHER, 0, "semantic.GatherIndicesInput", v52_gather_index, \
         "int16, int32, int64", "indices must be int16, int32 or int64, or the whole network is refused", \
         "Store the indices as int32.", P##U85) \
    RULE("ethosu.model.batch_matmul.ranks", BATCH_MATMUL, 0, "semantic.BatchMatMulRanks", v52_matmul_ranks, \
         "2 or more; the output's the larger of both", \
         "inputs must have 2 dimensions or more and the output as many, or the whole network is refused", \
         "Reshape the inputs to matrices.", P##V52) \
    RULE("ethosu.model.batch_matmul.broadcast", BATCH_MATMUL, 0, "semantic.BatchMatMulBroadcastShapes", \
         v52_matmul_broadcast, "equal, or 1 in one of the inputs", \
         "batch dimensions must be equal or 1, and the output's the larger, or the whole network is refused", \
         "Bring the inputs to batches that broadcast.", P##V52)

#endif
