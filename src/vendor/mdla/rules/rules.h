/* Rule rows: what refuses an operator. They say less than other vendors' do: the guide states few limits, and what it
 * does not state is no rule. Rows of the guidelines name them, and stand in their profiles alone.
 *
 * X(id, operator or NPU__EVERY_OP or NPU__ANY_OP, any of these groups, none of these, section, predicate, lo, hi, limit,
 * text, hint, profiles). lo > hi: no numbers. */
#ifndef NPU__VENDOR_MDLA_RULES_H
#define NPU__VENDOR_MDLA_RULES_H

#include "../operators.h"

#define NPU__MDLA_RULES(X, K, P) \
    X("mdla.type", NPU__EVERY_OP, 0, 0, NPU__MDLA_S_TYPES, type, 1, 0, "FP16, UINT8, INT8, INT16", \
      "data must have a type of the matrix; FP32 takes part as FP16 where --relax-fp32 allows it", \
      "Allow FP32 to run as FP16 (--relax-fp32), quantize, or leave the operator to the CPU.", P##STRICT) \
    X("mdla.type", NPU__EVERY_OP, 0, 0, NPU__MDLA_S_TYPES, type, 1, 0, "FP32, FP16, UINT8, INT8, INT16", \
      "data must have a type of the matrix", "Quantize, or leave the operator to the CPU.", P##RELAXED) \
    X("mdla.quantized", NPU__EVERY_OP, 0, 0, NPU__MDLA_S_TYPES, quantized, 1, 0, "a scale", \
      "data of INT8, UINT8 and INT16 must be quantized: the matrix has no plain integers", \
      "Quantize it, or leave the operator to the CPU.", \
      P##ALL) \
    X("mdla.symmetric_int16", NPU__EVERY_OP, 0, 0, NPU__MDLA_S_TYPES, symmetric_int16, 1, 0, "zero point 0", \
      "INT16 must be quantized symmetrically", "Quantize it with zero point 0.", P##ALL) \
    X("mdla.by_channel_types", NPU__EVERY_OP, NPU__MDLA_K_CONVS, 0, NPU__MDLA_S_CHANNEL, by_channel_types, 1, 0, \
      "8-bit data with 8-bit weights, SYM INT16 with SYM INT16", \
      "data and weights by channel must be a pair that the table allows", \
      "Quantize both to 8 or both to 16 bits, or the weights by tensor.", P##15 | P##20) \
    X("mdla.by_channel_types", NPU__EVERY_OP, NPU__MDLA_K_CONVS, 0, NPU__MDLA_S_CHANNEL, by_channel_types, 1, 0, \
      "8-bit data with 8-bit weights, SYM INT16 with SYM INT16 or SYM INT8", \
      "data and weights by channel must be a pair that the table allows", \
      "Quantize the weights to SYM INT8, or by tensor.", P##30) \
    X("mdla.by_blocks", NPU__EVERY_OP, 0, 0, "Quantization Support", by_blocks, 1, 0, "by tensor or by channel", \
      "tensors are quantized as a whole or by channel", "Quantize the weights by channel.", P##ALL) \
    X("mdla.operands", NPU__EVERY_OP, 0, 0, NPU__MDLA_S_OPS, operands, 1, 0, "those of the operator", \
      "an operator must have its data, its output and, where it needs them, its weights", \
      "Make the model again: its converter went wrong.", \
      P##ALL) \
    X("mdla.fused_activation", NPU__EVERY_OP, NPU__MDLA_K_FUSED, 0, NPU__MDLA_S_OPS, fused, 1, 0, \
      "NONE, RELU, RELU_N1_TO_1, RELU6, TANH", \
      "a fused activation must be an operation of the table", "Make the activation an operator of its own.", P##ALL) \
    X("mdla.fully_connected.weights_format", NPU__BUILTIN_FULLY_CONNECTED, 0, 0, NPU__MDLA_S_OPS, weights_format, 1, 0, "DEFAULT", \
      "weights must be in plain order", "Convert the model with the default weights format.", P##ALL) \
    X("mdla.lstm.inputs", NPU__BUILTIN_LSTM, 0, 0, NPU__MDLA_S_OPS, lstm, 1, 0, "5 inputs, quantized", \
      "an LSTM must be the quantized one of 5 inputs", "Unroll it, or leave it to the CPU.", P##ALL) \
    X("mdla.transpose_conv.dynamic_weights", NPU__BUILTIN_TRANSPOSE_CONV, 0, 0, NPU__MDLA_S_OPS, constant_weights, 1, 0, \
      "constant", \
      "weights must be constant: others are MDLA 3.0's", "Store the weights in the model.", P##15 | P##20) \
    X("mdla.control_flow", NPU__ANY_OP, 0, 0, NPU__MDLA_S_FLOW, control_flow, 1, 0, "none", \
      "control flow is no operation of the MDLA: its runtime handles it", \
      "Unroll loops and decide branches outside of the network.", P##ALL) \
    X("mdla.guidelines.rank", NPU__EVERY_OP, 0, 0, NPU__MDLA_S_NOTES20, rank, 0, 4, "[0, 4]", \
      "tensors have 4 dimensions at most", \
      "Reshape to 4 dimensions.", P##NOTES20) \
    X("mdla.guidelines.rank", NPU__EVERY_OP, 0, 0, NPU__MDLA_S_NOTES30, rank, 0, 4, "[0, 4], 5 for CONV_3D", \
      "tensors have 4 dimensions at most, those of 3-D operations 5", "Reshape to 4 dimensions.", P##NOTES30) \
    X("mdla.guidelines.batch", NPU__EVERY_OP, 0, NPU__MDLA_K_ANY_BATCH, NPU__MDLA_S_NOTES20, batch, 1, 255, "[1, 255]", \
      "the batch of tensors with 4 dimensions must be 1 to 255", "Run smaller batches.", P##NOTES20) \
    X("mdla.guidelines.batch", NPU__EVERY_OP, 0, NPU__MDLA_K_ANY_BATCH, NPU__MDLA_S_NOTES30, batch, 1, 65535, "[1, 65535]", \
      "the batch of tensors with 4 dimensions must be 1 to 65535", "Run smaller batches.", P##NOTES30) \
    X("mdla.guidelines.size", NPU__EVERY_OP, 0, 0, NPU__MDLA_S_NOTES20, size, 1, 65535, "[1, 65535]", \
      "height, width and channels of tensors with 4 dimensions must be 1 to 65535", "Split the tensor.", P##NOTES20) \
    X("mdla.guidelines.size", NPU__EVERY_OP, 0, 0, NPU__MDLA_S_NOTES30, size, 1, 65535, "[1, 65535]", \
      "height, width and channels of tensors with 4 dimensions must be 1 to 65535", "Split the tensor.", P##NOTES30) \
    X("mdla.guidelines.by_channel", NPU__EVERY_OP, 0, NPU__MDLA_K_BY_CHANNEL, NPU__MDLA_S_NOTES20, by_channel_op, 1, 0, \
      "convolutions, FULLY_CONNECTED, PRELU", "only these operations take tensors that are quantized by channel", \
      "Quantize by tensor.", \
      P##NOTES20) \
    X("mdla.guidelines.by_channel", NPU__EVERY_OP, 0, NPU__MDLA_K_BY_CHANNEL, NPU__MDLA_S_NOTES30, by_channel_op, 1, 0, \
      "convolutions, FULLY_CONNECTED, PRELU", "only these operations take tensors that are quantized by channel", \
      "Quantize by tensor.", \
      P##NOTES30) \
    X("mdla.guidelines.mirror_pad", NPU__BUILTIN_MIRROR_PAD, 0, 0, NPU__MDLA_S_NOTES30, mirror_pad, 1, 0, \
      "4 dimensions, height and width", "only height and width of tensors with 4 dimensions may be padded", \
      "Transpose before and after it.", \
      P##NOTES30) \
    X("mdla.guidelines.pack", NPU__BUILTIN_PACK, 0, 0, NPU__MDLA_S_NOTES30, pack, 1, 0, "any but the last", \
      "tensors must not be packed along the last dimension", "Pack along another dimension, and transpose.", P##NOTES30)

#endif
