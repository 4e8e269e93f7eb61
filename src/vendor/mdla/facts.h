/* What the guide says in numbers, one table each. Code computes with these rows, and reports print them. */
#ifndef NPU__VENDOR_MDLA_FACTS_H
#define NPU__VENDOR_MDLA_FACTS_H

#include "operators.h"

/* ---- what tensors are ---- */

/* The types of a tensor. X(name, in the guide, bits, rate: column of the tables below, 1.5, 2.0, 3.0: H hardware, S
 * software) */
#define NPU__MDLA_TYPES(X) \
    X(FP32, "FP32 (--relax-fp32)", 32, FP16, S, S, S) \
    X(FP16, "FP16", 16, FP16, H, H, H) \
    X(ASYM_U8, "ASYM UINT8", 8, ASYM8, H, H, H) \
    X(ASYM_I8, "ASYM INT8", 8, ASYM8, S, H, H) \
    X(SYM_I8, "SYM INT8", 8, SYM8, H, H, H) \
    X(SYM_I16, "SYM INT16", 16, SYM16, H, H, H)
enum {
    NPU__MDLA_T_OTHER,
#define NPU__X(name, guide, bits, rate, v15, v20, v30) NPU__MDLA_T_##name,
    NPU__MDLA_TYPES(NPU__X)
#undef NPU__X
    NPU__MDLA_N_TYPES
};
enum { NPU__MDLA_H, NPU__MDLA_S }; /* by hardware; by software */
enum { NPU__MDLA_SYM8, NPU__MDLA_ASYM8, NPU__MDLA_SYM16, NPU__MDLA_FP16, NPU__MDLA_N_RATES };

/* X(version, MACs per cycle of int8, int16, FP16) */
#define NPU__MDLA_MACS(X) X(15, 1024, 512, 256) X(20, 1024, 512, 512) X(30, 2048, 512, 512)

/* Per-channel quantization. X(weights, data, 1.5, 2.0, 3.0) */
#define NPU__MDLA_CHANNEL(X) \
    X(ASYM_U8, ASYM_U8, 1, 1, 1) X(ASYM_U8, SYM_I8, 1, 1, 1) X(ASYM_U8, SYM_I16, 0, 0, 0) \
    X(SYM_I8, ASYM_U8, 1, 1, 1) X(SYM_I8, SYM_I8, 1, 1, 1) X(SYM_I8, SYM_I16, 0, 0, 1) \
    X(SYM_I16, ASYM_U8, 0, 0, 0) X(SYM_I16, SYM_I8, 0, 0, 0) X(SYM_I16, SYM_I16, 1, 1, 1)

/* X(name, most channels (0: any), channels become a multiple of: pixels at 8 bits, at 16; width likewise) */
#define NPU__MDLA_LAYOUTS(X) X(4C, 4, 4, 4, 4, 2) X(16C, 0, 16, 8, 1, 1)

/* ---- rates ---- */

/* uRate in permille. X(name, in the guide, 1.5, 2.0, 3.0). Transposed convolutions stand beside the table: see the code. */
#define NPU__MDLA_CONV_RATES(X) \
    X(CONV, "CONV_2D", 1000, 1000, 1000) \
    X(DEPTHWISE, "DEPTHWISE_CONV_2D", 250, 250, 250) \
    X(FC1, "FULLY_CONNECTED Batch=1", 250, 250, 125) \
    X(FC2, "FULLY_CONNECTED Batch=2", 500, 500, 250) \
    X(FC4, "FULLY_CONNECTED Batch=4", 1000, 1000, 500) \
    X(FC8, "FULLY_CONNECTED Batch=8", 1000, 1000, 1000)
enum {
#define NPU__X(name, guide, v15, v20, v30) NPU__MDLA_U_##name,
    NPU__MDLA_CONV_RATES(NPU__X)
#undef NPU__X
    NPU__MDLA_N_CONV_RATES
};
#define NPU__MDLA_TCONV_HW "MDLA 1.5 and 2.0: 1 / (rate_H * rate_W)"
#define NPU__MDLA_TCONV_SW "about 100 %, and activations are loaded again"

/* Up to this many weights for an output channel the uRate is lower, nobody says how much. X(of, 1.5 and 2.0: int8, 16
 * bits, 3.0: likewise) */
#define NPU__MDLA_SMALL(X) X(CONV, "filter HxWxIC", 32, 16, 80, 20) X(DEPTHWISE, "filter HxW", 8, 4, 19, 9)

/* Output channels that keep the uRate: 4, or multiples of 16. */
#define NPU__MDLA_OC_SMALL 4
#define NPU__MDLA_OC_STEP 16

/* Pixels a cycle. X(row, in the guide, from, Sym8, Asym8, Sym16, FP16); the last row of the version or before counts. */
#define NPU__MDLA_MATH(X) \
    X(RELU, "RELU", 15, 32, 32, 16, 16) \
    X(RELU6, "RELU6", 15, 32, 32, 16, 16) \
    X(RELU_N1_TO_1, "RELU_N1_TO_1", 15, 32, 32, 16, 16) \
    X(TANH, "TANH", 15, 4, 4, 4, 4) \
    X(TANH, "TANH", 20, 16, 16, 4, 8) \
    X(LOGISTIC, "LOGISTIC", 15, 4, 4, 4, 4) \
    X(LOGISTIC, "LOGISTIC", 20, 16, 16, 4, 8) \
    X(ELU, "ELU", 15, 4, 4, 4, 4) \
    X(ELU, "ELU", 20, 16, 16, 4, 8) \
    X(GELU, "GELU", 20, 16, 16, 4, 8) \
    X(EXP, "EXP", 20, 16, 16, 4, 8) \
    X(RCP, "RCP", 20, 16, 16, 4, 8) \
    X(SQRT, "SQRT", 20, 16, 16, 4, 8) \
    X(PRELU, "PRELU", 15, 16, 16, 16, 8) \
    X(MAX, "MAX", 15, 16, 16, 8, 8) \
    X(MIN, "MIN", 15, 16, 16, 8, 8) \
    X(BN_MUL, "BN_MUL", 15, 16, 16, 16, 8) \
    X(SQUARE, "SQUARE(MUL)", 20, 16, 16, 16, 8) \
    X(MUL, "MUL", 15, 16, 16, 8, 8) \
    X(BN_ADD, "BN_ADD", 15, 16, 16, 16, 8) \
    X(IN_SUB, "IN_SUB", 20, 16, 16, 16, 8) \
    X(ADD, "ADD", 15, 8, 8, 8, 8) \
    X(ADD, "ADD", 30, 16, 16, 8, 8) \
    X(SUB, "SUB", 15, 8, 8, 8, 8) \
    X(SUB, "SUB", 30, 16, 16, 8, 8) \
    X(NEG, "NEG", 15, 16, 16, 16, 16) \
    X(ABS, "ABS", 15, 16, 16, 16, 16)

/* A pool's time for a tile, in cycles, is TC (see npu__mdla_pool_cycles) times this; 0: not available. X(row, in the
 * guide, Sym8, Asym8, Sym16, FP16) */
#define NPU__MDLA_POOLS(X) \
    X(AVG_POOL, "AVG", 1, 1, 2, 2) X(L2_POOL, "L2", 1, 1, 2, 0) X(MAX_POOL, "MAX", 1, 1, 2, 2) X(MIN_POOL, "MIN", 1, 1, 2, 2)
#define NPU__MDLA_POOL_FORMULA \
    "TC = (ps_w * ps_h + (tile_W - 1) * ps_h * s_w) * ((tile_H - ps_h) / s_h + 1) * (tile_C / 16), tiles of the output"

/* Points a cycle of RESIZE_BILINEAR scaling up; of scaling down nothing is said. */
#define NPU__MDLA_RESIZE_UP_8 10
#define NPU__MDLA_RESIZE_UP_16 5

/* Numbers of rows of NPU__MDLA_MATH that code names, and of the pools. */
enum {
    NPU__MDLA_R_NONE,
    NPU__MDLA_R_RELU, NPU__MDLA_R_RELU6, NPU__MDLA_R_RELU_N1_TO_1, NPU__MDLA_R_TANH, NPU__MDLA_R_LOGISTIC, NPU__MDLA_R_ELU,
    NPU__MDLA_R_GELU, NPU__MDLA_R_EXP, NPU__MDLA_R_RCP, NPU__MDLA_R_SQRT, NPU__MDLA_R_PRELU, NPU__MDLA_R_MAX,
        NPU__MDLA_R_MIN,
    NPU__MDLA_R_BN_MUL, NPU__MDLA_R_SQUARE, NPU__MDLA_R_MUL, NPU__MDLA_R_BN_ADD, NPU__MDLA_R_IN_SUB, NPU__MDLA_R_ADD,
    NPU__MDLA_R_SUB, NPU__MDLA_R_NEG, NPU__MDLA_R_ABS,
    NPU__MDLA_R_AVG_POOL, NPU__MDLA_R_L2_POOL, NPU__MDLA_R_MAX_POOL, NPU__MDLA_R_MIN_POOL
};

/* ---- fusion ---- */

/* X(rule, from, what the text says, order of its stages as far as the text proves one) */
#define NPU__MDLA_FUSION(X) \
    X(A, 15, "starts with CONV; operations may be skipped; CONV + MATH1, CONV + ACT1 or ACT2, CONV + POOL are named", \
      "CONV MATH1|ACT1|ACT2|POOL") \
    X(B, 15, "starts without CONV; the rest is a lost image", "") \
    X(C, 15, "rule A or B, then rule A; two convolutions at most: Conv2D or Depthwise Conv2D, then Conv2D", "") \
    X(D, 20, "starts with CONV; the rest is a lost image", "") \
    X(E, 20, "starts with CONV; the rest is a lost image", "") \
    X(F, 30, "CONV + RESIZE + MATH1/ACT1/ACT2", "CONV RESIZE MATH1|ACT1|ACT2")
enum {
    NPU__MDLA_F_NONE,
#define NPU__X(rule, from, text, order) NPU__MDLA_F_##rule,
    NPU__MDLA_FUSION(NPU__X)
#undef NPU__X
    NPU__MDLA_F_PAD, NPU__MDLA_F_QUANTIZE, /* fusions that the guide states elsewhere */
    NPU__MDLA_N_FUSION
};

/* X(id, restriction of rule C) */
#define NPU__MDLA_RULE_C(X) \
    X("group_2", "group 2 starts with CONV") \
    X("stride", "the second convolution's stride is 1 or 2") \
    X("padding", "the second convolution has no padding on the left or at the top") \
    X("type", "both groups give the same type of data") \
    X("resize", "with RESIZE in group 1, height and width of the second filter are the stride") \
    X("single_use", "what group 1 gives is used by group 2 alone") \
    X("two", "no more than two convolutions")

/* X(id, restriction of deep layer fusion) */
#define NPU__MDLA_DLF(X) \
    X("space", "DEPTH_TO_SPACE and SPACE_TO_DEPTH must be the last operation") \
    X("dilated", "CONV_2D and DEPTHWISE_CONV_2D with a dilation other than 1 must be the last convolution") \
    X("transposed", "TRANSPOSE_CONV must be the last convolution") \
    X("rule_b", "rule A, C, D, E or F and then rule B is not allowed") \
    X("capacity", "the internal storage for weights bounds it: its size is not stated")

/* Padding that PAD's successor takes over. */
#define NPU__MDLA_PAD_MOST 15

/* X(id, step of the mapping) */
#define NPU__MDLA_MAPPING(X) \
    X("requantize.1", "MTK_REQUANTIZE: into the CONV_2D or FULLY_CONNECTED before it, if nobody else reads that") \
    X("requantize.2", "MTK_REQUANTIZE: into the ABS, NEG, MIN or MAX before it, if nobody else reads that") \
    X("requantize.3.1", "MTK_REQUANTIZE: else a BN_ADD, between types of one width") \
    X("requantize.3.2", "MTK_REQUANTIZE: else a CONV_2D with a filter <c, 1, 1, c>, between widths") \
    X("quantize.1", "QUANTIZE: into the CONV_2D or FULLY_CONNECTED before it, if nobody else reads that") \
    X("quantize.2", "QUANTIZE: else a CONV_2D with a filter <c, 1, 1, c>") \
    X("dequantize.1", "DEQUANTIZE: into the CONV_2D or FULLY_CONNECTED before it, if nobody else reads that") \
    X("dequantize.2", "DEQUANTIZE: else into a new CONV_2D with a filter <c, 1, 1, c>")

/* X(id, section, statement that is no number) */
#define NPU__MDLA_STATEMENTS(X) \
    X("convert.fp32", NPU__MDLA_S_CONVERSION, \
      "FP32 networks: FP32 to FP16 at each input, FP16 to FP32 at each output, by DMA", P_ALL) \
    X("convert.suppress", NPU__MDLA_S_CONVERSION, \
      "--suppress-input-conversion, --suppress-output-conversion: neither types nor layouts are converted there", P_ALL) \
    X("convert.asym_int8", NPU__MDLA_S_CONVERSION, \
      "asymmetric int8 is converted to uint8 at each input, and back at each output", P_15) \
    X("layout.run_time", NPU__MDLA_S_LAYOUT, \
      "a re-layout at run time: inputs that are not constant and outputs of another layout", P_ALL) \
    X("layout.compile_time", NPU__MDLA_S_LAYOUT, "a re-layout at compile time: constant inputs of another layout", P_ALL) \
    X("layout.devices", NPU__MDLA_S_LAYOUT, \
      "there may be a re-layout at run time between operations of two devices, as MDLA and MVPU", P_ALL) \
    X("layout.dma", NPU__MDLA_S_LAYOUTS, \
      "re-layouts at run time are the DMA engine's; most come from the activations that the MDLA reads", P_ALL) \
    X("layout.output", NPU__MDLA_S_LAYOUTS, "the MDLA gives NHWC without pitch", P_ALL) \
    X("layout.shared", NPU__MDLA_S_LAYOUTS, \
      "inputs of element-wise operations and of CONCATENATION share one layout, 16C where one of them needs it", P_ALL) \
    X("switch.memory", NPU__MDLA_S_SWITCH, \
      "before and after: temporary buffers are copied where devices have memory of two domains; MDLA and DSP share one", \
      P_ALL) \
    X("switch.prepare", NPU__MDLA_S_SWITCH, "then: the driver prepares the device", P_ALL) \
    X("switch.run", NPU__MDLA_S_SWITCH, "then: the device runs, re-layouts included", P_ALL) \
    X("sync.cache", NPU__MDLA_S_SYNC, \
      "caches are flushed and invalidated from the CPU to the APU and back, usually below 1 ms", P_ALL) \
    X("sync.dma_buf", NPU__MDLA_S_SYNC, "dma-buf buffers for inputs and outputs avoid copies", P_ALL) \
    X("dlf.chain", NPU__MDLA_S_FUSION, \
      "deep layer fusion joins sequences of rules A to F, however many, so that data stays inside", P_30) \
    X("dynamic", NPU__MDLA_S_DYNAMIC, \
      "shapes that are not fixed: instructions are patched and memory is allocated at run time", P_ALL) \
    X("control_flow", NPU__MDLA_S_FLOW, "IF and WHILE are the runtime's", P_ALL) \
    X("mixed", NPU__MDLA_S_MIXED, "8-bit, 16-bit and FP16 parts may be mixed", P_ALL) \
    X("hybrid", NPU__MDLA_S_HYBRID, "float data with quantized weights runs as FP16 with dequantized weights", P_15) \
    X("hybrid.later", "", "nothing is said of float data with quantized weights on this version", P_FROM20)

/* ---- lookups (facts.c) ---- */

#if NPU__HAS_MDLA && NPU__HAS_PLACEMENT

/* The row of a node; NULL: the guide has none. */
NPU__FN const npu__mdla_op *npu__mdla_op_of(const npu__node *node);
/* "ASYM UINT8"; what the file calls it where the guide has no such type. */
NPU__FN const char *npu__mdla_type_name(int32_t type);
/* NPU__MDLA_H or NPU__MDLA_S. */
NPU__FN int32_t npu__mdla_type_by(int32_t type, int32_t version);
NPU__FN int32_t npu__mdla_type_bits(int32_t type);
/* Column of the throughput tables. */
NPU__FN int32_t npu__mdla_type_rate(int32_t type);
/* Is per-channel quantization possible: 1, 0; -1: the guide has no such pair. */
NPU__FN int32_t npu__mdla_by_channel(int32_t weights, int32_t data, int32_t version);
/* MACs per cycle for data of a type; 0: none is stated. */
NPU__FN int32_t npu__mdla_macs(int32_t type, int32_t version);
/* Permille; 0: not stated. */
NPU__FN int32_t npu__mdla_conv_rate(int32_t rate, int32_t version);
NPU__FN int32_t npu__mdla_fc_rate(int64_t batch, int32_t version);
/* Permille that the output channels of a CONV_2D leave; n is 1 or more. */
NPU__FN int32_t npu__mdla_outputs_bound(int32_t n);
/* Up to how many weights a filter is a small one. */
NPU__FN int32_t npu__mdla_small(int32_t depthwise, int32_t bits, int32_t version);
/* Pixels per cycle; 0: not stated. */
NPU__FN int32_t npu__mdla_math_rate(int32_t rate, int32_t type, int32_t version);
/* What a pool's TC is multiplied by; 0: not available. */
NPU__FN int32_t npu__mdla_pool_factor(int32_t rate, int32_t type);

#endif
#endif
