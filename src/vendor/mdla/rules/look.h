/* What predicates and the planner look at: one answer to each question. */
#ifndef NPU__VENDOR_MDLA_LOOK_H
#define NPU__VENDOR_MDLA_LOOK_H

#include "../../../graph/ask.h"
#include "../facts.h"

#if NPU__HAS_MDLA && NPU__HAS_PLACEMENT

/* NPU__MDLA_T_*. An int8 tensor whose zero points are all 0 is taken for a symmetric one (assumed: the file does not
 * say). */
NPU__FN int32_t npu__mdla_type_of(const npu__val *v, npu__got *got);
/* Is it data, and no parameter or bias? Constants of int32 and int64 are none. */
NPU__FN int npu__mdla_is_data(const npu__val *v);
/* Input 0, the data of transposed convolutions where it stands; NULL: there is none. */
NPU__FN const npu__val *npu__mdla_data(const npu__ctx *c);
NPU__FN const npu__val *npu__mdla_weights(const npu__ctx *c);

/* A shape as NHWC: what stands before the width is `rows`. Of ranks other than 4 as if dimensions of 1 stood in front
 * (assumed). */
typedef struct npu__mdla_image {
    int64_t rows;    /* batch times height */
    int32_t h, w, c;
} npu__mdla_image;
NPU__FN npu__mdla_image npu__mdla_image_of(const npu__shape *s);
/* Bytes in a layout: 4C or 16C; saturates. */
enum { NPU__MDLA_DENSE, NPU__MDLA_4C, NPU__MDLA_16C };
NPU__FN int64_t npu__mdla_layout_bytes(const npu__shape *s, int32_t bits, int32_t layout);
/* Channels rounded up as in 16C. */
NPU__FN int64_t npu__mdla_channels_16c(int32_t channels, int32_t bits);

/* How the smaller input of an element-wise operation gets the shape of the other. */
enum { NPU__MDLA_B_NONE, NPU__MDLA_B_HARDWARE, NPU__MDLA_B_ENLARGED, NPU__MDLA_B_DMA };
/* *smaller: which input, 0 or 1. */
NPU__FN int32_t npu__mdla_broadcast(const npu__ctx *c, int32_t version, int32_t *smaller);

/* Does the compiler requantize a pool's input? Data of int8, uint8 or int16 whose parameters are not those of the output. */
NPU__FN int npu__mdla_pool_requant(const npu__ctx *c);
/* MDLA 1.5: input scale times that of a filter reach the output's. */
NPU__FN int npu__mdla_conv_requant(const npu__ctx *c, npu__got *got);
/* Weights for each output channel; 0: not known. */
NPU__FN int64_t npu__mdla_filter(const npu__ctx *c, int depthwise);
/* Output channels; 0: not known. */
NPU__FN int32_t npu__mdla_outputs(const npu__ctx *c);
/* Bytes that a SLICE or SPLIT reads without need, where it cuts unaligned. */
NPU__FN int npu__mdla_cuts_unaligned(const npu__ctx *c, int32_t layout, int32_t bits);

/* Who reads a tensor: how many times in all (the caller of the network counts); *node: the only reader, or -1. */
NPU__FN int64_t npu__mdla_readers(const npu__node *node, int32_t tensor, npu__got *got, int32_t *reader);
/* The node that writes input `i`; NULL: none does. */
NPU__FN const npu__node *npu__mdla_writer(const npu__node *node, int32_t i, const npu__got *got);
/* PAD: by how much, from constants; 0: not known. *most: the largest of height and width; *other: also other dimensions. */
NPU__FN int npu__mdla_pads(const npu__ctx *c, int64_t *most, int *other);
/* Does the operator take over the padding before it? */
NPU__FN int npu__mdla_takes_pad(const npu__node *node);
/* 8 or 16: FP32 runs as FP16. */
NPU__FN int32_t npu__mdla_bits_of(const npu__val *v);
NPU__FN int npu__mdla_integers(const npu__val *v);
/* Float data with integer weights. */
NPU__FN int npu__mdla_is_hybrid(const npu__ctx *c);
/* Inputs, then outputs; NULL: an input left out. */
NPU__FN const npu__val *npu__mdla_value(const npu__ctx *c, int32_t i);
/* Adds "input 1: INT8" or "output 0: INT8" to the measured values. */
NPU__FN void npu__mdla_say(npu__got *got, const npu__ctx *c, int32_t i, const char *what);
/* Are there weights that the model computes? States it. */
NPU__FN int npu__mdla_constant_weights(const npu__rule *r, const npu__ctx *c, npu__got *got);
/* n rounded up to a multiple of a small step. */
NPU__FN int64_t npu__mdla_up(int64_t n, int32_t step);
#if NPU__HAS_REPORTS
/* Rows of a FULLY_CONNECTED; 0: not known. */
NPU__FN int64_t npu__mdla_batch_of(const npu__ctx *c);
/* Predicates of hints that the planner asks, too: rules may be NULL. */
NPU__FN int npu__mdla_w_pad(const npu__rule *r, const npu__ctx *c, npu__got *got);
NPU__FN int npu__mdla_w_concatenation(const npu__rule *r, const npu__ctx *c, npu__got *got);
#endif
/* Where a QUANTIZE, DEQUANTIZE or MTK_REQUANTIZE goes: a row's id of the mapping. */
NPU__FN const char *npu__mdla_mapped(const npu__ctx *c, npu__got *got);

#endif
#endif
