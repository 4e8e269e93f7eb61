/* Ethos-U: the operators that some profile lists, and the sets of operators that rows speak about. */
#ifndef NPU__VENDOR_ETHOSU_OPERATORS_H
#define NPU__VENDOR_ETHOSU_OPERATORS_H

#include "profiles.h"

/* Kinds of operator: X(name). Every operator is of one; sets below are made of kinds. */
#define NPU__ETHOSU_KINDS(X) \
    X(OTHER) X(CONV) X(DENSE) X(POOL) X(ARITHMETIC) X(MIN_MAX) X(UNARY) X(CONCAT) X(SPLIT) X(RESHAPE) X(EXPAND) \
    X(MEAN) X(SOFTMAX) X(HARD_SWISH) X(AVERAGE) X(RESIZE) X(LSTM) X(DIVIDE) X(DIFFERENCE) X(ARG_MAX) X(MATMUL) \
    X(WIDE) X(PADDING) X(MIRROR) X(TRANSPOSE) X(SLICING) X(GATHER) X(UNSCALED) X(READ) X(ASSIGN) X(ABSORBED)

/* OP(name, kind, profiles) */
#define NPU__ETHOSU_OPS(OP, P) \
    OP(ABS, UNARY, P##V32 | P##V52) \
    OP(ADD, ARITHMETIC, P##PUB | P##V32 | P##V52) \
    OP(ARG_MAX, ARG_MAX, P##V52) \
    OP(ASSIGN_VARIABLE, ASSIGN, P##U85) \
    OP(AVERAGE_POOL_2D, AVERAGE, P##PUB | P##V32 | P##V52) \
    OP(BATCH_MATMUL, MATMUL, P##V52) \
    OP(BATCH_TO_SPACE_ND, ABSORBED, P##V52) \
    OP(CAST, OTHER, P##U85) \
    OP(CONCATENATION, CONCAT, P##PUB | P##V32 | P##V52) \
    OP(CONV_2D, CONV, P##PUB | P##V32 | P##V52) \
    OP(DEPTHWISE_CONV_2D, CONV, P##PUB | P##V32 | P##V52) \
    OP(DIV, DIVIDE, P##U85) \
    OP(ELU, UNARY, P##V52) \
    OP(EQUAL, OTHER, P##U85) \
    OP(EXP, UNARY, P##V52) \
    OP(EXPAND_DIMS, EXPAND, P##V32 | P##V52) \
    OP(FULLY_CONNECTED, DENSE, P##PUB | P##V32 | P##V52) \
    OP(GATHER, GATHER, P##U85) \
    OP(GELU, UNARY, P##V52) \
    OP(GREATER, OTHER, P##U85) \
    OP(GREATER_EQUAL, OTHER, P##U85) \
    OP(HARD_SWISH, HARD_SWISH, P##V32 | P##V52) \
    OP(LEAKY_RELU, UNARY, P##V32 | P##V52) \
    OP(LESS, OTHER, P##U85) \
    OP(LESS_EQUAL, OTHER, P##U85) \
    OP(LOG, OTHER, P##V52) \
    OP(LOGICAL_AND, OTHER, P##U85) \
    OP(LOGICAL_NOT, OTHER, P##U85) \
    OP(LOGICAL_OR, OTHER, P##U85) \
    OP(LOGISTIC, OTHER, P##PUB | P##V32 | P##V52) \
    OP(MAXIMUM, MIN_MAX, P##V32 | P##V52) \
    OP(MAX_POOL_2D, POOL, P##PUB | P##V32 | P##V52) \
    OP(MEAN, MEAN, P##V32 | P##V52) \
    OP(MINIMUM, MIN_MAX, P##V32 | P##V52) \
    OP(MIRROR_PAD, MIRROR, P##V52) \
    OP(MUL, ARITHMETIC, P##PUB | P##V32 | P##V52) \
    OP(NEG, WIDE, P##V52) \
    OP(NOT_EQUAL, OTHER, P##U85) \
    OP(PACK, OTHER, P##PUB | P##V32 | P##V52) \
    OP(PAD, PADDING, P##PUB | P##V32 | P##V52) \
    OP(PADV2, PADDING, P##V52) \
    OP(PRELU, OTHER, P##V52) \
    OP(QUANTIZE, UNSCALED, P##V32 | P##V52) \
    OP(READ_VARIABLE, READ, P##U85) \
    OP(REDUCE_ALL, UNSCALED, P##U85) \
    OP(REDUCE_ANY, UNSCALED, P##U85) \
    OP(REDUCE_MAX, OTHER, P##V52) \
    OP(REDUCE_MIN, OTHER, P##V52) \
    OP(RELU, OTHER, P##PUB | P##V32 | P##V52) \
    OP(RELU6, OTHER, P##PUB | P##V32 | P##V52) \
    OP(RELU_0_TO_1, OTHER, P##V52) \
    OP(RELU_N1_TO_1, OTHER, P##PUB | P##V32 | P##V52) \
    OP(RESHAPE, RESHAPE, P##PUB | P##V32 | P##V52) \
    OP(RESIZE_BILINEAR, RESIZE, P##PUB | P##V32 | P##V52) \
    OP(RESIZE_NEAREST_NEIGHBOR, RESIZE, P##V52) \
    OP(REVERSE_V2, OTHER, P##V52) \
    OP(RSQRT, UNARY, P##V52) \
    OP(SCATTER_ND, UNSCALED, P##U85) \
    OP(SELECT, UNSCALED, P##U85) \
    OP(SELECT_V2, UNSCALED, P##U85) \
    OP(SLICE, SLICING, P##V32 | P##V52) \
    OP(SOFTMAX, SOFTMAX, P##PUB | P##V32 | P##V52) \
    OP(SPACE_TO_BATCH_ND, ABSORBED, P##V52) \
    OP(SPLIT, SPLIT, P##V32 | P##V52) \
    OP(SPLIT_V, SPLIT, P##V32 | P##V52) \
    OP(SQUARED_DIFFERENCE, DIFFERENCE, P##V52) \
    OP(SQUEEZE, RESHAPE, P##V32 | P##V52) \
    OP(STRIDED_SLICE, SLICING, P##V32 | P##V52) \
    OP(SUB, ARITHMETIC, P##PUB | P##V32 | P##V52) \
    OP(SUM, WIDE, P##V52) \
    OP(TANH, OTHER, P##PUB | P##V32 | P##V52) \
    OP(TILE, OTHER, P##V52) \
    OP(TRANSPOSE, TRANSPOSE, P##V52) \
    OP(TRANSPOSE_CONV, CONV, P##V32 | P##V52) \
    OP(UNIDIRECTIONAL_SEQUENCE_LSTM, LSTM, P##V52) \
    OP(UNPACK, OTHER, P##V32 | P##V52) \
    OP(VAR_HANDLE, ABSORBED, P##U85)

enum {
#define NPU__X(kind) NPU__ETHOSU_KIND_##kind,
    NPU__ETHOSU_KINDS(NPU__X)
#undef NPU__X
    NPU__ETHOSU_N_KINDS
};
enum {
#define NPU__X(kind) NPU__ETHOSU_K_##kind = 1 << NPU__ETHOSU_KIND_##kind,
    NPU__ETHOSU_KINDS(NPU__X)
#undef NPU__X
    NPU__ETHOSU_K_NONE = 0
};

/* What rows may be about beside one operator: SET(name, code, any of these kinds, none of these kinds) */
#define NPU__ETHOSU_SETS(SET, K) \
    SET(Generic, NPU__EVERY_OP, 0, 0) \
    SET(Any, NPU__ANY_OP, 0, 0) \
    SET(AnyButShapeless, NPU__ANY_OP, 0, K##ARITHMETIC | K##MIN_MAX | K##SPLIT | K##EXPAND | K##MEAN) \
    SET(AllButArithmetic, NPU__EVERY_OP, 0, K##ARITHMETIC) \
    SET(AllButConv, NPU__EVERY_OP, 0, K##CONV) \
    SET(Biased, NPU__EVERY_OP, K##CONV | K##DENSE, 0) \
    SET(Arithmetic, NPU__EVERY_OP, K##ARITHMETIC, 0) \
    SET(MinMax, NPU__EVERY_OP, K##MIN_MAX, 0) \
    SET(Elementwise, NPU__EVERY_OP, K##ARITHMETIC | K##MIN_MAX | K##UNARY, 0) \
    SET(SameType, NPU__EVERY_OP, K##POOL | K##AVERAGE | K##UNARY | K##MIN_MAX | K##SOFTMAX | K##HARD_SWISH, 0) \
    SET(Reshaping, NPU__EVERY_OP, K##RESHAPE | K##EXPAND, 0) \
    SET(EightBit, NPU__EVERY_OP, K##HARD_SWISH | K##MEAN, 0) \
    SET(NotVariable, NPU__EVERY_OP, 0, K##READ | K##ASSIGN | K##ABSORBED) \
    SET(NotAbsorbed, NPU__EVERY_OP, 0, K##ABSORBED) \
    SET(NotReading, NPU__EVERY_OP, 0, K##READ | K##ABSORBED) \
    SET(NotAssigning, NPU__EVERY_OP, 0, K##ASSIGN) \
    SET(Variable, NPU__EVERY_OP, K##READ | K##ASSIGN, 0) \
    SET(Scaled, NPU__EVERY_OP, 0, K##EXPAND | K##ARG_MAX | K##MIRROR | K##TRANSPOSE | K##PADDING | K##GATHER | \
        K##UNSCALED | K##READ | K##ASSIGN | K##ABSORBED) \
    SET(NotWeighted, NPU__EVERY_OP, 0, K##CONV | K##DENSE) \
    SET(ZeroPointed, NPU__EVERY_OP, 0, K##AVERAGE | K##RESIZE | K##LSTM | K##DIVIDE) \
    SET(Narrow, NPU__EVERY_OP, 0, K##ARG_MAX | K##MIRROR | K##TRANSPOSE | K##ARITHMETIC | K##MATMUL | K##WIDE | \
        K##DENSE | K##RESHAPE | K##EXPAND) \
    SET(NotArgMax, NPU__EVERY_OP, 0, K##ARG_MAX) \
    SET(Constant, NPU__EVERY_OP, K##MEAN | K##PADDING | K##MIRROR | K##TRANSPOSE | K##SLICING, 0) \
    SET(Padding, NPU__EVERY_OP, K##PADDING | K##MIRROR, 0) \
    SET(Matmul, NPU__EVERY_OP, K##DENSE | K##MATMUL, 0) \
    SET(Resizing, NPU__EVERY_OP, K##RESIZE, 0) \
    SET(EightBits, NPU__EVERY_OP, K##HARD_SWISH | K##ARG_MAX, 0) \
    SET(SameTypes, NPU__EVERY_OP, K##POOL | K##AVERAGE | K##UNARY | K##MIN_MAX | K##HARD_SWISH | K##LSTM | K##GATHER, \
        0) \
    SET(Binary, NPU__EVERY_OP, K##ARITHMETIC | K##MIN_MAX | K##UNARY | K##DIFFERENCE, 0)

#endif
