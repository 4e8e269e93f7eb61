/* What the compiler makes of operators that it takes, and what follows: the hints of the guide. The planner prints the
 * same rows with what following them would gain.
 *
 * X(id, operator or NPU__EVERY_OP, any of these groups, section, predicate, gain, limit, text, hint, profiles). `limit`:
 * what a model may say so that the row has nothing to warn of. `gain`: NPU__MDLA_GAIN_*, what the planner counts for it. */
#ifndef NPU__VENDOR_MDLA_WARNINGS_H
#define NPU__VENDOR_MDLA_WARNINGS_H

#include "../operators.h"

/* What a hint is worth; NONE: nobody knows, or nothing that can be counted. */
enum {
    NPU__MDLA_GAIN_NONE, NPU__MDLA_GAIN_CONVERT, NPU__MDLA_GAIN_PADDING, NPU__MDLA_GAIN_ENLARGE, NPU__MDLA_GAIN_BROADCAST,
    NPU__MDLA_GAIN_REQUANT_IN, NPU__MDLA_GAIN_REQUANT_OUT, NPU__MDLA_GAIN_RATE, NPU__MDLA_GAIN_COPY, NPU__MDLA_GAIN_DUMMY,
    NPU__MDLA_GAIN_PAD, NPU__MDLA_GAIN_MAPPED
};

#define NPU__MDLA_BROADCAST_15 "constants of 0 or 1 dimensions (SUB: none), or equal shapes"
#define NPU__MDLA_BROADCAST_20 "0 or 1 dimensions (ADD, MUL: constants), or equal shapes"
#define NPU__MDLA_BROADCAST_30 "0 or 1 dimensions (ADD, MUL: constants), height and width, or equal shapes"
#define NPU__MDLA_BROADCAST_TEXT "the broadcast takes DMA commands of its own"
#define NPU__MDLA_BROADCAST_HINT "Give the smaller input a shape that the hardware broadcasts, or the other's shape."

#define NPU__MDLA_WARNINGS_TENSORS(X, K, P) \
    X("mdla.version", NPU__EVERY_OP, 0, NPU__MDLA_S_OPS, w_version, NONE, "the versions of the table", \
      "the table does not list this version of the operator", "Convert for an older runtime if the compiler refuses it.", \
      P##ALL) \
    X("mdla.asym_int8", NPU__EVERY_OP, 0, NPU__MDLA_S_CONVERSION, w_asym_int8, CONVERT, "ASYM UINT8, SYM INT8", \
      "asymmetric int8 is converted to uint8 at each input of the network, and back at each output", "Quantize to uint8.", \
      P##15) \
    X("mdla.fp32", NPU__EVERY_OP, 0, NPU__MDLA_S_CONVERSION, w_fp32, CONVERT, "FP16", \
      "FP32 is converted to FP16 at each input of the network, and back at each output", \
      "Feed FP16 and suppress the conversions, or quantize.", P##RELAXED) \
    X("mdla.unaligned_channels", NPU__EVERY_OP, 0, NPU__MDLA_S_LAYOUTS, w_channels, PADDING, "multiples of 16 bytes", \
      "channels of data are padded to 16 bytes, or to 4 pixels where there are no more than 4", \
      "Use an aligned number of channels.", P##ALL) \
    X("mdla.only_16c", NPU__EVERY_OP, NPU__MDLA_K_ONLY_16C, NPU__MDLA_S_OPS, w_only_16c, PADDING, "more than 4 channels", \
      "the operator takes 16C alone: tensors with 4 channels or less become as large as with 16 bytes of them", \
      "Do it where there are more channels.", P##ALL) \
    X("mdla.custom.assumed", NPU__EVERY_OP, NPU__MDLA_K_ASSUMED, NPU__MDLA_S_CUSTOM, w_always, NONE, "(always)", \
      "the guide names this operator, but neither its inputs nor its options: what the row of the operator says is assumed", \
      "Compare results with those of the vendor's own tools.", P##ALL) \
    X("mdla.dynamic_shape", NPU__EVERY_OP, 0, NPU__MDLA_S_DYNAMIC, w_dynamic, NONE, "fixed", \
      "shapes that are not fixed make the compiler patch instructions and allocate memory at run time", \
      "Fix the shapes when converting.", P##ALL) \
    X("mdla.hybrid", NPU__EVERY_OP, NPU__MDLA_K_CONVS, NPU__MDLA_S_HYBRID, w_hybrid, NONE, \
      "float weights, or quantized data", \
      "float data with quantized weights runs as FP16 with dequantized weights: smaller files, no more speed", \
      "Quantize the data, too.", P##15) \
    X("mdla.hybrid", NPU__EVERY_OP, NPU__MDLA_K_CONVS, "", w_hybrid, NONE, "float weights, or quantized data", \
      "nothing is said of float data with quantized weights on this version", "Quantize the data, too.", P##FROM20) \
    X("mdla.by_channel.asym_int8", NPU__EVERY_OP, NPU__MDLA_K_CONVS, NPU__MDLA_S_CHANNEL, w_by_channel, NONE, \
      "ASYM UINT8, SYM INT8, SYM INT16", \
      "the table has no column for asymmetric int8 data with weights by channel (on MDLA 1.5 it is uint8 by then)", \
      "Ask the compiler, or quantize to uint8.", P##ALL)

#define NPU__MDLA_WARNINGS_OPS(X, K, P) \
    X("mdla.broadcast.enlarged", NPU__EVERY_OP, NPU__MDLA_K_BROADCASTS, NPU__MDLA_S_OPS, w_enlarged, ENLARGE, \
      NPU__MDLA_BROADCAST_15, \
      "the constant is enlarged when it is compiled", NPU__MDLA_BROADCAST_HINT, P##ALL) \
    X("mdla.broadcast.dma", NPU__EVERY_OP, NPU__MDLA_K_BROADCASTS, NPU__MDLA_S_OPS, w_broadcast, BROADCAST, \
      NPU__MDLA_BROADCAST_15, \
      NPU__MDLA_BROADCAST_TEXT, NPU__MDLA_BROADCAST_HINT, P##15) \
    X("mdla.broadcast.dma", NPU__EVERY_OP, NPU__MDLA_K_BROADCASTS, NPU__MDLA_S_OPS, w_broadcast, BROADCAST, \
      NPU__MDLA_BROADCAST_20, \
      NPU__MDLA_BROADCAST_TEXT, NPU__MDLA_BROADCAST_HINT, P##20) \
    X("mdla.broadcast.dma", NPU__EVERY_OP, NPU__MDLA_K_BROADCASTS, NPU__MDLA_S_OPS, w_broadcast, BROADCAST, \
      NPU__MDLA_BROADCAST_30, \
      NPU__MDLA_BROADCAST_TEXT, NPU__MDLA_BROADCAST_HINT, P##30) \
    X("mdla.pool.requant", NPU__EVERY_OP, NPU__MDLA_K_POOLS, NPU__MDLA_S_OPS, w_pool_requant, REQUANT_IN, \
      "those of the output", \
      "a requantize is inserted for the input, whose scale or zero point is not that of the output", \
      "Quantize input and output of the pool alike.", P##ALL) \
    X("mdla.conv.requant", NPU__EVERY_OP, NPU__MDLA_K_REQUANTS, NPU__MDLA_S_OPS, w_conv_requant, REQUANT_OUT, \
      "input scale * filter scale < output scale", \
      "a requantize is inserted after it: the scales of input and filter reach that of the output", \
      "Train or quantize with a larger output range.", P##15) \
    X("mdla.conv.output_channels", NPU__EVERY_OP, NPU__MDLA_K_OUTPUTS, NPU__MDLA_S_OPS, w_outputs, RATE, \
      "4, or multiples of 16", \
      "the number of output channels bounds the utilisation", "Use 4 output channels, or a multiple of 16.", P##ALL) \
    X("mdla.conv.small_filter", NPU__EVERY_OP, NPU__MDLA_K_RATES, NPU__MDLA_S_CONV, w_small, NONE, "a larger filter", \
      "so small a filter lowers the utilisation, nobody says by how much", "Use larger filters or more input channels.", \
      P##ALL) \
    X("mdla.fully_connected.batch", NPU__BUILTIN_FULLY_CONNECTED, 0, NPU__MDLA_S_CONV, w_batch, RATE, \
      "4 or 8 (MDLA 3.0: 8)", \
      "the batch bounds the utilisation; of batches other than 1, 2, 4 and 8 nothing is stated", \
      "Put more rows into one batch.", P##ALL) \
    X("mdla.fully_connected.converted", NPU__BUILTIN_FULLY_CONNECTED, 0, NPU__MDLA_S_NOTES30, w_batch_converted, NONE, \
      "1, 2, 4, 8", \
      "a FULLY_CONNECTED of another batch is converted to a CONV_2D", "Use one of these batches.", P##NOTES30) \
    X("mdla.transpose_conv.hardware", NPU__EVERY_OP, NPU__MDLA_K_TRANSPOSED, NPU__MDLA_S_CONV, w_transposed, RATE, \
      "(always)", \
      "the hardware's way has an utilisation of 1 / (rate_H * rate_W), reads more than it needs and limits tiles; a " \
      "compiler option chooses " \
      "the software's, which loads activations again", "Compare both ways; RESIZE and CONV_2D may do as well.", \
      P##15 | P##20) \
    X("mdla.transpose_conv.software", NPU__EVERY_OP, NPU__MDLA_K_TRANSPOSED, NPU__MDLA_S_OPS, w_always, NONE, "(always)", \
      "it is done by software alone, which loads activations again", "RESIZE and CONV_2D may do as well.", P##30) \
    X("mdla.mtk_transpose_conv.dynamic_weights", NPU__BUILTIN_CUSTOM, NPU__MDLA_K_TRANSPOSED, NPU__MDLA_S_CUSTOM, \
      w_dynamic_weights, NONE, \
      "constant", "weights that are not constant are nothing that the hardware takes directly", \
      "Store the weights in the model.", P##ALL) \
    X("mdla.dynamic_weights", NPU__EVERY_OP, NPU__MDLA_K_CONVS, "", w_dynamic_unsaid, NONE, "constant", \
      "nothing is said of weights that are not constant for this operator", "Store the weights in the model.", P##ALL) \
    X("mdla.concatenation.users", NPU__BUILTIN_CONCATENATION, 0, NPU__MDLA_S_OPS, w_concatenation, COPY, "one user each", \
      "it costs nothing only if nobody else uses what it joins", "Concatenate tensors that nothing else reads.", \
      P##15 | P##20) \
    X("mdla.slice.dummy_read", NPU__EVERY_OP, NPU__MDLA_K_SPLITS, NPU__MDLA_S_OPS, w_cut, DUMMY, \
      "channels at multiples of 16 bytes; with 4 channels or less, height at multiples of 4 (16 bits: 2)", \
      "a cut off these positions reads more than it needs", "Cut at aligned positions.", P##ALL) \
    X("mdla.strided_slice.direction", NPU__BUILTIN_STRIDED_SLICE, 0, NPU__MDLA_S_OPS, w_strided, NONE, "width", \
      "of tensors in 4C the hardware takes strides along the width alone", \
      "Take strides along the width, or more channels.", P##ALL) \
    X("mdla.pad.dma", NPU__BUILTIN_PAD, 0, NPU__MDLA_S_OPS, w_pad, PAD, \
      "15 at most, height and width, before a convolution or pool", \
      "the padding is no part of the next operation: it takes DMA operations of its own", \
      "Pad height and width by 15 at most, right before a convolution or a pool.", P##ALL) \
    X("mdla.software", NPU__EVERY_OP, NPU__MDLA_K_SOFTWARE, NPU__MDLA_S_OPS, w_always, NONE, "(always)", \
      "it is done by software alone", "Do not use it often.", P##ALL) \
    X("mdla.software", NPU__EVERY_OP, NPU__MDLA_K_SOFTWARE15, NPU__MDLA_S_OPS, w_always, NONE, "(always)", \
      "it is done by software alone (MDLA 2.0 has it in hardware)", "Do not use it often.", P##15) \
    X("mdla.resize.down", NPU__BUILTIN_RESIZE_BILINEAR, 0, NPU__MDLA_S_RESIZE, w_resize, NONE, "scaling up", \
      "scaling down is slower than scaling up, nobody says by how much", "Replace it by a CONV_2D with a stride.", P##ALL) \
    X("mdla.l2_pool.fp16", NPU__EVERY_OP, NPU__MDLA_K_FLOAT_NA, NPU__MDLA_S_POOL, w_l2_pool, NONE, "Sym8, Asym8, Sym16", \
      "the throughput of FP16 is \"NA\"", "Quantize it, or leave it to the CPU.", P##ALL) \
    X("mdla.no_rate", NPU__EVERY_OP, NPU__MDLA_K_NO_RATE, NPU__MDLA_S_MATH, w_always, NONE, "(always)", \
      "no throughput is stated for it", "Measure it.", P##ALL) \
    X("mdla.quantize.alone", NPU__EVERY_OP, NPU__MDLA_K_SCALED, NPU__MDLA_S_MIXED, w_mapped, MAPPED, \
      "right after CONV_2D or FULLY_CONNECTED (MTK_REQUANTIZE: ABS, NEG, MIN, MAX) that nobody else reads", \
      "it becomes an operation of its own: a CONV_2D with a filter <c, 1, 1, c>, or a BN_ADD", \
      "Put it right after a CONV_2D or FULLY_CONNECTED that nobody else reads.", P##ALL)

#endif
