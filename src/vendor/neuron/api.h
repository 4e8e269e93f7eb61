/* MediaTek's Neuron adapter API in numbers: what its published header says, and what the compiler plugin of LiteRT
 * 2.3.0 was seen to send. Functions and structs stand in npu.h, as a caller may bring them. */
#ifndef NPU__VENDOR_NEURON_API_H
#define NPU__VENDOR_NEURON_API_H

#include "../vendors.h"

/* Result codes: X(name, number) */
#define NPU__NEURON_RESULTS(X) \
    X(NO_ERROR, 0)  X(OUT_OF_MEMORY, 1)  X(INCOMPLETE, 2)  X(UNEXPECTED_NULL, 3)  X(BAD_DATA, 4) \
    X(OP_FAILED, 5)  X(UNMAPPABLE, 6) \
    X(BAD_STATE, 7)  X(BAD_VERSION, 8)  X(OUTPUT_INSUFFICIENT_SIZE, 9) \
    X(UNAVAILABLE_DEVICE, 10)  X(MISSED_DEADLINE_TRANSIENT, 11) \
    X(MISSED_DEADLINE_PERSISTENT, 12)  X(RESOURCE_EXHAUSTED_TRANSIENT, 13)  X(RESOURCE_EXHAUSTED_PERSISTENT, 14) \
    X(DEAD_OBJECT, 15)

/* How an operand's numbers mean reals: none; scale and zero point; scale alone; one scale a channel; and one zero point
 * a channel. */
enum { NPU__NEURON_PLAIN, NPU__NEURON_ASYMM, NPU__NEURON_SYMM, NPU__NEURON_SYMM_CHANNELS, NPU__NEURON_ASYMM_CHANNELS };

/* Operand types: X(name, number, 1: a scalar, npu_type of an element as values hold it, bits of its numbers, how they mean reals,
 * least and greatest zero point). Values of the types of 4 and 2 bits hold a byte each, as the plugin unpacks them. */
#define NPU__NEURON_TYPES(X) \
    X(FLOAT32, 0, 1, FLOAT32, 32, PLAIN, 0, 0) \
    X(INT32, 1, 1, INT32, 32, PLAIN, 0, 0) \
    X(UINT32, 2, 1, UINT32, 32, PLAIN, 0, 0) \
    X(TENSOR_FLOAT32, 3, 0, FLOAT32, 32, PLAIN, 0, 0) \
    X(TENSOR_INT32, 4, 0, INT32, 32, ASYMM, -2147483647 - 1, 2147483647) /* scale 0: plain integers */ \
    X(TENSOR_QUANT8_ASYMM, 5, 0, UINT8, 8, ASYMM, 0, 255) \
    X(BOOL, 6, 1, BOOL, 8, PLAIN, 0, 0) \
    X(TENSOR_QUANT16_SYMM, 7, 0, INT16, 16, SYMM, 0, 0) \
    X(TENSOR_FLOAT16, 8, 0, FLOAT16, 16, PLAIN, 0, 0) \
    X(TENSOR_BOOL8, 9, 0, BOOL, 8, PLAIN, 0, 0) \
    X(FLOAT16, 10, 1, FLOAT16, 16, PLAIN, 0, 0) \
    X(TENSOR_QUANT8_SYMM_PER_CHANNEL, 11, 0, INT8, 8, SYMM_CHANNELS, 0, 0) \
    X(TENSOR_QUANT16_ASYMM, 12, 0, UINT16, 16, ASYMM, 0, 65535) \
    X(TENSOR_QUANT8_SYMM, 13, 0, INT8, 8, SYMM, 0, 0) \
    X(TENSOR_QUANT8_ASYMM_SIGNED, 14, 0, INT8, 8, ASYMM, -128, 127) \
    X(EXT_TENSOR_UINT32, 9001, 0, UINT32, 32, PLAIN, 0, 0) \
    X(EXT_TENSOR_QUANT8_ASYMM_PER_CHANNEL, 9002, 0, UINT8, 8, ASYMM_CHANNELS, 0, 255) \
    X(EXT_TENSOR_QUANT4_ASYMM, 9003, 0, UINT8, 4, ASYMM, 0, 15) \
    X(EXT_TENSOR_QUANT4_ASYMM_SIGNED, 9004, 0, INT8, 4, ASYMM, -8, 7) \
    X(EXT_TENSOR_QUANT4_SYMM, 9005, 0, INT8, 4, SYMM, 0, 0) \
    X(EXT_TENSOR_QUANT16_ASYMM_SIGNED, 9006, 0, INT16, 16, ASYMM, -32768, 32767) \
    X(EXT_TENSOR_RAW, 9007, 0, UINT8, 8, PLAIN, 0, 0) \
    X(EXT_TENSOR_QUANT8_ASYMM_SIGNED_PER_CHANNEL, 9008, 0, INT8, 8, ASYMM_CHANNELS, -128, 127) \
    X(EXT_TENSOR_QUANT4_SYMM_PER_CHANNEL, 9011, 0, INT8, 4, SYMM_CHANNELS, 0, 0) \
    X(EXT_TENSOR_QUANT4_ASYMM_SIGNED_PER_CHANNEL, 9013, 0, INT8, 4, ASYMM_CHANNELS, -8, 7) \
    X(EXT_TENSOR_INT32_SYMM_PER_CHANNEL, 9014, 0, INT32, 32, SYMM_CHANNELS, 0, 0) \
    /* seen only, like the two of 4 bits by channel: */ \
    X(EXT_TENSOR_QUANT2_ASYMM_SIGNED, 9015, 0, INT8, 2, ASYMM, -2, 1) \
    X(EXT_TENSOR_QUANT2_SYMM, 9016, 0, INT8, 2, SYMM, 0, 0) \
    X(EXT_TENSOR_QUANT2_SYMM_PER_CHANNEL, 9017, 0, INT8, 2, SYMM_CHANNELS, 0, 0) \
    X(EXT_TENSOR_QUANT2_ASYMM_SIGNED_PER_CHANNEL, 9018, 0, INT8, 2, ASYMM_CHANNELS, -2, 1)

/* Operations: X(name, number) */
#define NPU__NEURON_OPS(X) \
    X(ADD, 0)  X(AVERAGE_POOL_2D, 1)  X(CONCATENATION, 2)  X(CONV_2D, 3)  X(DEPTHWISE_CONV_2D, 4)  X(DEPTH_TO_SPACE, 5) \
    X(DEQUANTIZE, 6)  X(EMBEDDING_LOOKUP, 7)  X(FLOOR, 8)  X(FULLY_CONNECTED, 9)  X(HASHTABLE_LOOKUP, 10) \
    X(L2_NORMALIZATION, 11)  X(L2_POOL_2D, 12)  X(LOCAL_RESPONSE_NORMALIZATION, 13)  X(LOGISTIC, 14)  X(LSH_PROJECTION, 15) \
    X(LSTM, 16)  X(MAX_POOL_2D, 17)  X(MUL, 18)  X(RELU, 19)  X(RELU1, 20)  X(RELU6, 21)  X(RESHAPE, 22) \
    X(RESIZE_BILINEAR, 23)  X(RNN, 24)  X(SOFTMAX, 25)  X(SPACE_TO_DEPTH, 26)  X(SVDF, 27)  X(TANH, 28) \
    X(BATCH_TO_SPACE_ND, 29)  X(DIV, 30)  X(MEAN, 31)  X(PAD, 32)  X(SPACE_TO_BATCH_ND, 33)  X(SQUEEZE, 34) \
    X(STRIDED_SLICE, 35)  X(SUB, 36)  X(TRANSPOSE, 37)  X(ABS, 38)  X(ARGMAX, 39)  X(ARGMIN, 40) \
    X(AXIS_ALIGNED_BBOX_TRANSFORM, 41)  X(BIDIRECTIONAL_SEQUENCE_LSTM, 42)  X(BIDIRECTIONAL_SEQUENCE_RNN, 43) \
    X(BOX_WITH_NMS_LIMIT, 44)  X(CAST, 45)  X(CHANNEL_SHUFFLE, 46)  X(DETECTION_POSTPROCESSING, 47) \
    X(EQUAL, 48)  X(EXP, 49) \
    X(EXPAND_DIMS, 50)  X(GATHER, 51)  X(GENERATE_PROPOSALS, 52)  X(GREATER, 53)  X(GREATER_EQUAL, 54) \
    X(GROUPED_CONV_2D, 55)  X(HEATMAP_MAX_KEYPOINT, 56)  X(INSTANCE_NORMALIZATION, 57)  X(LESS, 58)  X(LESS_EQUAL, 59) \
    X(LOG, 60)  X(LOGICAL_AND, 61)  X(LOGICAL_NOT, 62)  X(LOGICAL_OR, 63)  X(LOG_SOFTMAX, 64) \
    X(MAXIMUM, 65)  X(MINIMUM, 66) \
    X(NEG, 67)  X(NOT_EQUAL, 68)  X(PAD_V2, 69)  X(POW, 70)  X(PRELU, 71)  X(QUANTIZE, 72)  X(QUANTIZED_16BIT_LSTM, 73) \
    X(RANDOM_MULTINOMIAL, 74)  X(REDUCE_ALL, 75)  X(REDUCE_ANY, 76)  X(REDUCE_MAX, 77) \
    X(REDUCE_MIN, 78)  X(REDUCE_PROD, 79) \
    X(REDUCE_SUM, 80)  X(ROI_ALIGN, 81)  X(ROI_POOLING, 82)  X(RSQRT, 83)  X(SELECT, 84)  X(SIN, 85)  X(SLICE, 86) \
    X(SPLIT, 87)  X(SQRT, 88)  X(TILE, 89)  X(TOPK_V2, 90)  X(TRANSPOSE_CONV_2D, 91)  X(UNIDIRECTIONAL_SEQUENCE_LSTM, 92) \
    X(UNIDIRECTIONAL_SEQUENCE_RNN, 93)  X(RESIZE_NEAREST_NEIGHBOR, 94)  X(QUANTIZED_LSTM, 95)  X(IF, 96)  X(WHILE, 97) \
    X(ELU, 98)  X(HARD_SWISH, 99)  X(FILL, 100)  X(RANK, 101)  X(BATCH_MATMUL, 102)  X(PACK, 103)  X(MIRROR_PAD, 104) \
    X(MIRROR_REVERSE, 105)  X(HYFBC_TO_YUV420, 106)  X(YUV420_TO_AFBC, 107) \
    X(GELU_V2, 109) /* seen only */  X(OEM_OPERATION, 10000) \
    X(UNKNOWN, 10001) /* what LiteRT's plugin calls an operator that it has no row for, to ask about all of a model */

/* Fused activations, padding, preferences, priorities, hints (bits): X(name, number) */
#define NPU__NEURON_FUSES(X) X(NONE, 0)  X(RELU, 1)  X(RELU1, 2)  X(RELU6, 3)
#define NPU__NEURON_PADDINGS(X) X(SAME, 1)  X(VALID, 2)
#define NPU__NEURON_PREFERENCES(X) X(LOW_POWER, 0)  X(FAST_SINGLE_ANSWER, 1)  X(SUSTAINED_SPEED, 2)  X(TURBO_BOOST, 3)
#define NPU__NEURON_PRIORITIES(X) X(LOW, 90)  X(MEDIUM, 100)  X(HIGH, 110)
#define NPU__NEURON_HINTS(X) X(NORMAL, 0)  X(LOW_LATENCY, 1)  X(DEEP_FUSION, 2)  X(BATCH_PROCESSING, 4)

enum {
#define NPU__X(name, number) NPU__NEURON_##name = number,
    NPU__NEURON_RESULTS(NPU__X)
#undef NPU__X
#define NPU__X(name, number) NPU__NEURON_OP_##name = number,
    NPU__NEURON_OPS(NPU__X)
#undef NPU__X
#define NPU__X(name, number, scalar, element, bits, quant, zp_min, zp_max) NPU__NEURON_TYPE_##name = number,
    NPU__NEURON_TYPES(NPU__X)
#undef NPU__X
#define NPU__X(name, number) NPU__NEURON_FUSED_##name = number,
    NPU__NEURON_FUSES(NPU__X)
#undef NPU__X
#define NPU__X(name, number) NPU__NEURON_PADDING_##name = number,
    NPU__NEURON_PADDINGS(NPU__X)
#undef NPU__X
#define NPU__X(name, number) NPU__NEURON_PREFER_##name = number,
    NPU__NEURON_PREFERENCES(NPU__X)
#undef NPU__X
#define NPU__X(name, number) NPU__NEURON_PRIORITY_##name = number,
    NPU__NEURON_PRIORITIES(NPU__X)
#undef NPU__X
#define NPU__X(name, number) NPU__NEURON_HINT_##name = number,
    NPU__NEURON_HINTS(NPU__X)
#undef NPU__X
    NPU__NEURON_N_OPS = 108,           /* numbered from 0, without gaps */
    NPU__NEURON_COPIED_BYTES = 128,    /* values up to this long are copied; longer ones stay the caller's until compiled */
    NPU__NEURON_MAX_BOOST = 100
};

/* Versions from which the plugin behaves otherwise: it asks for supported operations, and hands fully connected layers
 * of any rank over as they are. As major * 65536 + minor * 256 + patch: bytes. */
#define NPU__NEURON_VERSION_OF(major, minor, patch) ((int32_t)(major) * 65536 + (int32_t)(minor) * 256 + (int32_t)(patch))
#define NPU__NEURON_VERSION_ASKS NPU__NEURON_VERSION_OF(8, 2, 24)
/* From here on scales by channel of int32 and 4-bit tensors have types of their own; before, they are dropped. */
#define NPU__NEURON_VERSION_CHANNELS NPU__NEURON_VERSION_OF(8, 2, 28)

/* The extension by which operations travel that have no number: operation code 0 of it, whose last input is a tensor of
 * this operand code, bytes that name the operation:
 *
 *     u8 6, "string", u32 length, the name (no NUL), zeros
 *
 * 22 bytes longer than the name: the plugin counts two size_t of its own machine, and runs on 64 bits. */
#define NPU__NEURON_OEM_EXTENSION "com.mediatek.general_operation"
#define NPU__NEURON_OEM_HEAD "\006string"
enum {
    NPU__NEURON_OEM_OPERAND = 0x0100,
    NPU__NEURON_OEM_OPERATION = 0,
    NPU__NEURON_OEM_HEAD_BYTES = 7,
    NPU__NEURON_OEM_MAX = 100,     /* longest name */
    NPU__NEURON_OEM_BESIDE = 22    /* bytes beside the name */
};
/* Names of such operations: X(name here, name there) */
#define NPU__NEURON_OEM_OPS(X) \
    X(SQUARED_DIFFERENCE, "MTKEXT_SQUARED_DIFFERENCE") \
    X(RMS_NORMALIZATION, "MTKEXT_RMS_NORMALIZATION") \
    X(LAYER_NORMALIZATION, "MTKEXT_LAYER_NORMALIZATION") \
    X(UNPACK, "unpackmtk")

/* A compiled network inside of a model travels the same way: operand code 0x0200 (0x0100 before version 8), operation
 * code 0. */
#define NPU__NEURON_NETWORK_EXTENSION "com.mediatek.compiled_network"

#endif
