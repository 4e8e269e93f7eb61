/* Rule rows. Those of the document's lines name their section and line; `constraint` is what the plugin's own code looks at.
 *
 * X(id, operator or NPU__EVERY_OP, any of these groups, section, line, constraint, predicate, limit, text, hint,
 * profiles) */
#ifndef NPU__VENDOR_NEURON_RULES_H
#define NPU__VENDOR_NEURON_RULES_H

#include "operators.h"

#define NPU__NEURON_SECTION_TYPES "Supported Data Types"
#define NPU__NEURON_SECTION_QUANT "Supported Quantization Types"
#define NPU__NEURON_SECTION_OPS "Supported Operations"

/* Rows that both profiles have, and those that differ. */
#define NPU__NEURON_RULES_TYPES(X, P) \
    X("neuron.type", NPU__EVERY_OP, 0, NPU__NEURON_SECTION_TYPES, 0, "tensor type", type, \
      "float32, float16, int32, int16, uint8, int8, int4, bool; int64 constants", \
      "every input and output must have a type that the table maps", \
      "Convert the tensor, or leave the operator to the CPU.", P##PUB) \
    X("neuron.type", NPU__EVERY_OP, 0, NPU__NEURON_SECTION_TYPES, 0, "tensor type", type, \
      "float32, float16, int32, int16, uint16, uint8, int8, int4, int2, bool; int64 constants", \
      "every input and output must have a type that the plugin maps", \
      "Convert the tensor, or leave the operator to the CPU.", P##L23) \
    X("neuron.int16", NPU__EVERY_OP, 0, NPU__NEURON_SECTION_TYPES, 4, "tensor type", int16, "one scale, zero point 0", \
      "int16 tensors must be quantized as a whole, symmetrically", "Quantize them with one scale and zero point 0.", \
      P##PUB) \
    X("neuron.int16", NPU__EVERY_OP, 0, NPU__NEURON_SECTION_TYPES, 4, "tensor type", int16, "one scale", \
      "int16 tensors must be quantized as a whole", "Quantize them with one scale.", P##L23) \
    X("neuron.uint8", NPU__EVERY_OP, 0, NPU__NEURON_SECTION_TYPES, 5, "tensor type", uint8, "one scale, or none", \
      "uint8 tensors must not be quantized by channel", "Quantize weights by channel to int8.", P##PUB) \
    X("neuron.int8", NPU__EVERY_OP, 0, NPU__NEURON_SECTION_TYPES, 6, "tensor type", int8, "zero points of 0", \
      "int8 tensors must be quantized, symmetrically: their operand types have no zero point", \
      "Quantize to uint8 or int16, or check against the later rules (litert-2.3).", P##PUB) \
    X("neuron.int8", NPU__EVERY_OP, 0, NPU__NEURON_SECTION_TYPES, 6, "tensor type", int8, "a scale", \
      "int8 tensors must be quantized", "Quantize them.", P##L23) \
    X("neuron.int4", NPU__EVERY_OP, 0, NPU__NEURON_SECTION_TYPES, 7, "tensor type", int4, "zero points of 0", \
      "int4 tensors must be quantized, symmetrically", "Quantize them symmetrically.", P##PUB) \
    X("neuron.int4", NPU__EVERY_OP, 0, NPU__NEURON_SECTION_TYPES, 7, "tensor type", int4, "a scale", \
      "int4 tensors must be quantized", "Quantize them.", P##L23) \
    X("neuron.int2", NPU__EVERY_OP, 0, NPU__NEURON_SECTION_TYPES, 0, "tensor type", int2, "a scale", \
      "int2 tensors must be quantized", "Quantize them.", P##L23) \
    X("neuron.uint16", NPU__EVERY_OP, 0, NPU__NEURON_SECTION_TYPES, 0, "tensor type", uint16, "one scale", \
      "uint16 tensors must be quantized as a whole", "Quantize them with one scale.", P##L23) \
    X("neuron.int64", NPU__EVERY_OP, 0, NPU__NEURON_SECTION_TYPES, 9, "tensor type", int64, "constants alone", \
      "int64 tensors must be constants", "Cast the tensor to int32.", P##ALL) \
    X("neuron.int64_range", NPU__EVERY_OP, 0, NPU__NEURON_SECTION_TYPES, 9, "int64 cast", int64_range, \
      "-2147483648 to 2147483647", "int64 constants must fit into int32, as which they are passed on", \
      "Use smaller numbers, or cut them to that range.", P##ALL) \
    X("neuron.blockwise", NPU__EVERY_OP, 0, NPU__NEURON_SECTION_QUANT, 3, "quantization", blockwise, \
      "by tensor, by channel, or none", \
      "tensors must not be quantized by blocks", "Quantize the weights by channel.", P##ALL) \
    X("neuron.sparse", NPU__EVERY_OP, 0, NPU__NEURON_SECTION_TYPES, 0, "sparsity", sparse, "dense", \
      "constants must be dense: the plugin passes what is stored of sparse ones on as if it were all", \
      "Convert the model without sparsity, or let DENSIFY (on the CPU) read the constant.", P##ALL)

#define NPU__NEURON_RULES_OPS(X, P) \
    X("neuron.operands", NPU__EVERY_OP, 0, NPU__NEURON_SECTION_OPS, 0, "operands", operands, "those of the operator", \
      "no input that the operator needs may be missing, nor its output", \
      "Make the model again: its converter went wrong.", P##ALL) \
    X("neuron.fused_activation", NPU__EVERY_OP, NPU__NEURON_G_FUSED, NPU__NEURON_SECTION_OPS, 0, "fuse code", fused, \
      "NONE, RELU, RELU_N1_TO_1, RELU6", \
      "a fused activation must be one that Neuron has: the plugin passes other numbers on unchecked", \
      "Make the activation an operator of its own.", P##ALL) \
    X("neuron.composite", NPU__BUILTIN_STABLEHLO_COMPOSITE, 0, NPU__NEURON_SECTION_OPS, 42, "composite name", \
      composite_named, "odml.rms_norm, odml.l2_norm", "a composite must be one of the normalisations", \
      "Keep the composite's operators instead.", P##PUB) \
    X("neuron.composite", NPU__BUILTIN_STABLEHLO_COMPOSITE, 0, NPU__NEURON_SECTION_OPS, 42, "composite name", \
      composite_named, \
      "odml.rms_norm, odml.l2_norm, odml.group_norm of one group", "a composite must be one of the normalisations", \
      "Keep the composite's operators instead.", P##L23) \
    X("neuron.gamma", NPU__BUILTIN_STABLEHLO_COMPOSITE, 0, NPU__NEURON_SECTION_OPS, 42, "gamma", gamma, \
      "a vector of known length", \
      "odml.rms_norm and odml.group_norm must have a scale (gamma) of one dimension or more, the first of them " \
      "not open where zeros " \
      "are added for a missing beta, and data of one or more", \
      "Give gamma as the second input: ones change nothing.", P##ALL) \
    X("neuron.resize_bilinear.rank", NPU__BUILTIN_RESIZE_BILINEAR, 0, NPU__NEURON_SECTION_OPS, 28, "output shape", \
      rank_4, "4", "the output must have 4 dimensions: its height and width are read from there", \
      "Reshape the image to [batch, height, width, channels].", P##ALL) \
    X("neuron.resize_nearest_neighbor.size", NPU__BUILTIN_RESIZE_NEAREST_NEIGHBOR, 0, NPU__NEURON_SECTION_OPS, 29, \
      "size", size, \
      "constant, 2 numbers", "the size must be stored in the model: the plugin fails on the whole model otherwise", \
      "Fix the size when converting.", P##ALL) \
    X("neuron.transpose_conv.output_shape", NPU__BUILTIN_TRANSPOSE_CONV, 0, NPU__NEURON_SECTION_OPS, 41, \
      "output shape", output_shape, "a bias, or 4 constant numbers", \
      "without a bias the output's shape must be stored in the model: the plugin fails on the whole model otherwise", \
      "Fix the input's shape when converting, or give a bias.", P##ALL) \
    X("neuron.weights_rank", NPU__BUILTIN_FULLY_CONNECTED, 0, NPU__NEURON_SECTION_OPS, 11, "weights shape", \
      weights_rank, "1 or more", \
      "weights must have a dimension for the outputs", "Give the weights the shape [outputs, inputs].", P##ALL) \
    X("neuron.weights_format", NPU__BUILTIN_FULLY_CONNECTED, 0, NPU__NEURON_SECTION_OPS, 11, "weights format", \
      weights_format, "DEFAULT", \
      "weights must be in plain order: the plugin passes shuffled ones on as if they were", \
      "Convert the model with the default weights format.", P##ALL)

/* What the plugin does to operators that it takes, without a word. `text`: what it does; `hint`: what follows; `limit`:
 * what a model may say so that the row has nothing to warn of. */
#define NPU__NEURON_WARNINGS(X, P) \
    X("neuron.concatenation.activation", NPU__BUILTIN_CONCATENATION, 0, NPU__NEURON_SECTION_OPS, 6, "fuse code", \
      w_activation, "NONE", \
      "the fused activation is dropped", "The result is the concatenation before its activation.", P##ALL) \
    X("neuron.transpose_conv.activation", NPU__BUILTIN_TRANSPOSE_CONV, 0, NPU__NEURON_SECTION_OPS, 41, "fuse code", \
      w_activation, "NONE", \
      "the fused activation is dropped", "The result is the convolution before its activation.", P##ALL) \
    X("neuron.l2_normalization.activation", NPU__BUILTIN_L2_NORMALIZATION, 0, NPU__NEURON_SECTION_OPS, 0, \
      "fuse code", w_activation, \
      "NONE", "the fused activation is dropped", "The result is the normalisation before its activation.", P##L23) \
    X("neuron.strided_slice.masks", NPU__BUILTIN_STRIDED_SLICE, 0, NPU__NEURON_SECTION_OPS, 36, "masks", w_masks, \
      "0 and 0", "ellipsis_mask and new_axis_mask are dropped", \
      "Begin, end and stride are taken as those of the first dimensions: other elements, or a model that is " \
      "refused.", P##ALL) \
    X("neuron.strided_slice.offset", NPU__BUILTIN_STRIDED_SLICE, 0, NPU__NEURON_SECTION_OPS, 36, "offset", w_offset, \
      "false", \
      "offset is dropped", "Ends are taken as positions, not as distances from the begin: other elements.", P##ALL) \
    X("neuron.gelu.tanh", NPU__BUILTIN_GELU, 0, NPU__NEURON_SECTION_OPS, 12, "approximate", w_gelu, "approximate", \
      "the approximation by tanh is asked for, whatever the model says", \
      "Results differ from the exact function by up to 0.0005.", P##ALL) \
    X("neuron.rms_norm.epsilon", NPU__BUILTIN_STABLEHLO_COMPOSITE, 0, NPU__NEURON_SECTION_OPS, 42, "epsilon", w_epsilon, \
      "1.19209e-07 (FLT_EPSILON)", "epsilon is FLT_EPSILON, whatever the model says", \
      "Rows of small numbers are scaled up more than the model says.", P##ALL) \
    X("neuron.rms_norm.beta", NPU__BUILTIN_STABLEHLO_COMPOSITE, 0, NPU__NEURON_SECTION_OPS, 42, "beta", w_beta, "2 inputs", \
      "inputs behind gamma are dropped", "Nothing is added to the normalised values.", P##ALL) \
    X("neuron.l2_norm.attributes", NPU__BUILTIN_STABLEHLO_COMPOSITE, 0, NPU__NEURON_SECTION_OPS, 42, "attributes", \
      w_l2_attributes, "none", "attributes (epsilon, axis) are dropped", \
      "It is normalised along the last dimension, with the adapter's own epsilon.", P##ALL) \
    X("neuron.group_norm.epsilon", NPU__BUILTIN_STABLEHLO_COMPOSITE, 0, NPU__NEURON_SECTION_OPS, 42, "epsilon", \
      w_no_epsilon, "a number", \
      "epsilon is 0 where the model has none", "Values that are all equal are divided by zero.", P##L23) \
    X("neuron.group_norm.axis", NPU__BUILTIN_STABLEHLO_COMPOSITE, 0, NPU__NEURON_SECTION_OPS, 42, "layer norm", w_group, \
      "no dimension above 1 between batch and channels", \
      "it becomes a layer normalisation along the channels", \
      "Mean and variance are those of each position, not of the whole group.", P##L23) \
    X("neuron.keep_dims", NPU__EVERY_OP, NPU__NEURON_G_REDUCES, NPU__NEURON_SECTION_OPS, 0, "keep_dims", w_keep_dims, \
      "(always)", "keep_dims is an int32 for MEAN, a bool for SUM and REDUCE_MAX", \
      "NNAPI defines them so; an adapter that expects another type refuses the operation.", P##ALL) \
    X("neuron.resize_bilinear.order", NPU__BUILTIN_RESIZE_BILINEAR, 0, NPU__NEURON_SECTION_OPS, 28, "output size", \
      w_resize, "height = width", "the output's height stands where NNAPI has the width, and the other way round", \
      "An adapter that follows NNAPI makes an image of the other format, or refuses the model.", P##ALL) \
    X("neuron.fully_connected.reshape", NPU__BUILTIN_FULLY_CONNECTED, 0, NPU__NEURON_SECTION_OPS, 11, "output rank", \
      w_fc_rank, "an output of 1 or 2 dimensions", \
      "for adapters before 8.2.24 a RESHAPE follows, whose shape the plugin reads from memory that is not its own", \
      "That shape is wrong from its third number on. npu_rt's own lowering writes the right one.", P##ALL) \
    X("neuron.zero_bias", NPU__EVERY_OP, NPU__NEURON_G_BIAS, NPU__NEURON_SECTION_OPS, 0, "zero bias", w_zero_bias, \
      "float32, quantized, or a bias", "the bias of zeros is int32 unless the input is float32", \
      "An adapter may refuse a float16 operation with an int32 bias.", P##ALL) \
    X("neuron.conv.bias", NPU__EVERY_OP, NPU__NEURON_G_WINDOW, NPU__NEURON_SECTION_OPS, 0, "bias", w_no_bias, "a bias", \
      "no bias of zeros is added", \
      "NNAPI has the bias as third operand: an adapter that insists on it refuses the operation.", P##ALL) \
    X("neuron.scales", NPU__EVERY_OP, 0, NPU__NEURON_SECTION_TYPES, 0, "scales by channel", w_scales, \
      "int8 and uint8 constants", \
      "scales by channel do not reach the adapter: of tensors that are no constants, of int2, and before " \
      "8.2.28 of int4", "What the adapter computes with is unknown.", P##L23) \
    X("neuron.scalar_tensor", NPU__EVERY_OP, NPU__NEURON_G_AXIS, NPU__NEURON_SECTION_OPS, 0, "scalar", w_scalar, \
      "(always)", "the axis of SPLIT and the value of PADV2 are tensors of one element", \
      "NNAPI has scalars there: an adapter that insists on them refuses the operation.", P##ALL) \
    X("neuron.leaky_relu.alpha", NPU__BUILTIN_LEAKY_RELU, 0, NPU__NEURON_SECTION_OPS, 0, "alpha", w_alpha, "float32", \
      "alpha is a float32 tensor, whatever the type of the data", "An adapter may refuse a PRELU of two types.", P##L23) \
    X("neuron.reshape.shape", NPU__BUILTIN_RESHAPE, 0, NPU__NEURON_SECTION_OPS, 27, "new_shape", w_reshape, \
      "a second input", "the shape in the options is dropped", \
      "NNAPI has the shape as second operand: an adapter that insists on it refuses the operation.", \
      P##ALL) \
    X("neuron.asymmetric_inputs", NPU__EVERY_OP, NPU__NEURON_G_HYBRID, NPU__NEURON_SECTION_OPS, 0, \
      "asymmetric_quantize_inputs", w_asymmetric, "false, or data and weights of one kind", \
      "asymmetric_quantize_inputs is dropped", \
      "TFLite quantizes the float data with a zero point for these weights; how the adapter computes with them is its own.", \
      P##ALL)

#endif
