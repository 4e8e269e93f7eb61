/* The table of operations, and how operands are held against it. */
#include "operations.h"
#include "../../../base/fp16.h"

#if NPU__HAS_NEURON_SOFTWARE

#define NPU__NSW_ROW(code, name, operands, types, special, flags) \
    {NPU__NEURON_OP_##code, NULL, name, operands, types, NPU__NSW_##special, flags},
#define NPU__NSW_OEM_ROW(code, name, operands, types, special) {0, code, name, operands, types, NPU__NSW_##special, 0},
#define NPU__NSW_WINDOW "padding:p stride_w:i stride_h:i "
#define NPU__NSW_POOL "0 " NPU__NSW_WINDOW "filter_width:i filter_height:i fused_activation_function:a [ :n"
/* NNAPI has a bias in every convolution. LiteRT's plugin leaves out what the model has not: told by the scalar in its
 * place. */
#define NPU__NSW_NO_BIAS "fused_activation_function:a :n dilation_w_factor:i dilation_h_factor:i"

static const npu__nsw_row npu__nsw_rows[] = {
    NPU__NSW_ROW(ABS, "ABS", "0", "fh86i", PLAIN, 0)
    NPU__NSW_ROW(ADD, "ADD", "0 1 fused_activation_function:a", "fh86i", PLAIN, 0)
    NPU__NSW_ROW(ARGMAX, "ARG_MAX", "0 1", "fh8i", PLAIN, NPU__NSW_MOVES)
    NPU__NSW_ROW(ARGMIN, "ARG_MIN", "0 1", "fh8i", PLAIN, NPU__NSW_MOVES)
    NPU__NSW_ROW(AVERAGE_POOL_2D, "AVERAGE_POOL_2D", NPU__NSW_POOL, "fh86", PLAIN, 0)
    NPU__NSW_ROW(BATCH_MATMUL, "BATCH_MATMUL", "0 1 adj_x:b adj_y:b", "fh86", PLAIN, 0)
    NPU__NSW_ROW(CAST, "CAST", "0", "fh86ib", PLAIN, NPU__NSW_HALF)
    NPU__NSW_ROW(CONCATENATION, "CONCATENATION", "0+ axis:i", "fh86ib", PLAIN, NPU__NSW_MOVES)
    NPU__NSW_ROW(CONV_2D, "CONV_2D", "0 1 " NPU__NSW_WINDOW NPU__NSW_NO_BIAS, "fh86", PLAIN, 0)
    NPU__NSW_ROW(CONV_2D, "CONV_2D",
                 "0 1 2 " NPU__NSW_WINDOW "fused_activation_function:a [ :n dilation_w_factor:i dilation_h_factor:i",
                 "fh86", BIAS, 0)
    NPU__NSW_ROW(DEPTHWISE_CONV_2D, "DEPTHWISE_CONV_2D", "0 1 " NPU__NSW_WINDOW "depth_multiplier:i " NPU__NSW_NO_BIAS,
                 "fh86", PLAIN, 0)
    NPU__NSW_ROW(DEPTHWISE_CONV_2D, "DEPTHWISE_CONV_2D", "0 1 2 " NPU__NSW_WINDOW
                 "depth_multiplier:i fused_activation_function:a [ :n dilation_w_factor:i dilation_h_factor:i",
                 "fh86", BIAS, 0)
    NPU__NSW_ROW(DEPTH_TO_SPACE, "DEPTH_TO_SPACE", "0 block_size:i [ :n", "fh86i", PLAIN, NPU__NSW_MOVES)
    NPU__NSW_ROW(DEQUANTIZE, "DEQUANTIZE", "0", "h86", PLAIN, NPU__NSW_HALF)
    NPU__NSW_ROW(DIV, "DIV", "0 1 fused_activation_function:a", "fh86i", PLAIN, 0)
    NPU__NSW_ROW(EQUAL, "EQUAL", "0 1", "fh86ib", PLAIN, 0)
    NPU__NSW_ROW(EXP, "EXP", "0", "fh86", PLAIN, 0)
    NPU__NSW_ROW(EXPAND_DIMS, "EXPAND_DIMS", "0 1", "fh86ib", PLAIN, NPU__NSW_MOVES)
    NPU__NSW_ROW(FLOOR, "FLOOR", "0", "fh", PLAIN, 0)
    NPU__NSW_ROW(FULLY_CONNECTED, "FULLY_CONNECTED", "0 1 2 fused_activation_function:a", "fh86", DENSE, 0)
    NPU__NSW_ROW(GATHER, "GATHER", "0 axis:i 1", "fh86ib", PLAIN, NPU__NSW_MOVES)
    NPU__NSW_ROW(GELU_V2, "GELU", "0 approximate:b", "fh86", PLAIN, 0)
    NPU__NSW_ROW(GREATER, "GREATER", "0 1", "fh86i", PLAIN, 0)
    NPU__NSW_ROW(GREATER_EQUAL, "GREATER_EQUAL", "0 1", "fh86i", PLAIN, 0)
    NPU__NSW_ROW(HARD_SWISH, "HARD_SWISH", "0", "fh8", PLAIN, 0)
    NPU__NSW_ROW(L2_NORMALIZATION, "L2_NORMALIZATION", "0 [ :l", "fh8", PLAIN, 0)
    NPU__NSW_ROW(LESS, "LESS", "0 1", "fh86i", PLAIN, 0)
    NPU__NSW_ROW(LESS_EQUAL, "LESS_EQUAL", "0 1", "fh86i", PLAIN, 0)
    NPU__NSW_ROW(LOGICAL_AND, "LOGICAL_AND", "0 1", "b", PLAIN, 0)
    NPU__NSW_ROW(LOGICAL_NOT, "LOGICAL_NOT", "0", "b", PLAIN, 0)
    NPU__NSW_ROW(LOGICAL_OR, "LOGICAL_OR", "0 1", "b", PLAIN, 0)
    NPU__NSW_ROW(LOGISTIC, "LOGISTIC", "0", "fh86", PLAIN, 0)
    NPU__NSW_ROW(MAXIMUM, "MAXIMUM", "0 1", "fh86i", PLAIN, NPU__NSW_MOVES)
    NPU__NSW_ROW(MAX_POOL_2D, "MAX_POOL_2D", NPU__NSW_POOL, "fh86", PLAIN, 0)
    NPU__NSW_ROW(MEAN, "MEAN", "0 1 keep_dims:b", "fh86i", PLAIN, 0)
    NPU__NSW_ROW(MINIMUM, "MINIMUM", "0 1", "fh86i", PLAIN, NPU__NSW_MOVES)
    NPU__NSW_ROW(MUL, "MUL", "0 1 fused_activation_function:a", "fh86i", PLAIN, 0)
    NPU__NSW_ROW(NEG, "NEG", "0", "fh8i", PLAIN, NPU__NSW_MOVES)
    NPU__NSW_ROW(NOT_EQUAL, "NOT_EQUAL", "0 1", "fh86ib", PLAIN, 0)
    NPU__NSW_ROW(PAD, "PAD", "0 1", "fh86ib", PLAIN, NPU__NSW_MOVES)
    NPU__NSW_ROW(PAD_V2, "PADV2", "0 1 2", "fh86ib", PLAIN, NPU__NSW_MOVES)
    NPU__NSW_ROW(PRELU, "PRELU", "0 1", "fh86", PRELU, 0)
    NPU__NSW_ROW(QUANTIZE, "QUANTIZE", "0", "fh86i", PLAIN, 0)
    NPU__NSW_ROW(REDUCE_ALL, "REDUCE_ALL", "0 1 keep_dims:b", "b", PLAIN, 0)
    NPU__NSW_ROW(REDUCE_ANY, "REDUCE_ANY", "0 1 keep_dims:b", "b", PLAIN, 0)
    NPU__NSW_ROW(REDUCE_MAX, "REDUCE_MAX", "0 1 keep_dims:b", "fh86i", PLAIN, NPU__NSW_MOVES)
    NPU__NSW_ROW(REDUCE_MIN, "REDUCE_MIN", "0 1 keep_dims:b", "fh86i", PLAIN, NPU__NSW_MOVES)
    NPU__NSW_ROW(REDUCE_SUM, "SUM", "0 1 keep_dims:b", "fh86i", PLAIN, 0)
    NPU__NSW_ROW(RELU, "RELU", "0", "fh86", PLAIN, 0)
    NPU__NSW_ROW(RELU1, "RELU_N1_TO_1", "0", "fh8", PLAIN, 0)
    NPU__NSW_ROW(RELU6, "RELU6", "0", "fh86", PLAIN, 0)
    NPU__NSW_ROW(RESHAPE, "RESHAPE", "0 [ 1", "fh86ib", RESHAPE, NPU__NSW_MOVES)
    NPU__NSW_ROW(RESIZE_BILINEAR, "RESIZE_BILINEAR", "0 :x :x [ :n align_corners:b half_pixel_centers:b", "fh86", RESIZE, 0)
    NPU__NSW_ROW(RESIZE_NEAREST_NEIGHBOR, "RESIZE_NEAREST_NEIGHBOR", "0 :x :x [ :n align_corners:b half_pixel_centers:b",
                 "fh86ib", RESIZE, NPU__NSW_MOVES)
    NPU__NSW_ROW(RSQRT, "RSQRT", "0", "fh86", PLAIN, 0)
    NPU__NSW_ROW(SELECT, "SELECT", "0 1 2", "b", PLAIN, NPU__NSW_MOVES)
    NPU__NSW_ROW(SLICE, "SLICE", "0 1 2", "fh86ib", PLAIN, NPU__NSW_MOVES)
    NPU__NSW_ROW(SOFTMAX, "SOFTMAX", "0 beta:f [ :l", "fh86", PLAIN, 0)
    NPU__NSW_ROW(SPACE_TO_DEPTH, "SPACE_TO_DEPTH", "0 block_size:i [ :n", "fh86i", PLAIN, NPU__NSW_MOVES)
    NPU__NSW_ROW(SPLIT, "SPLIT", "1 0 num_splits:i", "fh86ib", PLAIN, NPU__NSW_MOVES)
    NPU__NSW_ROW(SQRT, "SQRT", "0", "fh86", PLAIN, 0)
    NPU__NSW_ROW(STRIDED_SLICE, "STRIDED_SLICE", "0 1 2 3 begin_mask:i end_mask:i shrink_axis_mask:i", "fh86ib", PLAIN,
                 NPU__NSW_MOVES)
    NPU__NSW_ROW(SUB, "SUB", "0 1 fused_activation_function:a", "fh86i", PLAIN, 0)
    NPU__NSW_ROW(TANH, "TANH", "0", "fh86", PLAIN, 0)
    NPU__NSW_ROW(TILE, "TILE", "0 1", "fh86ib", PLAIN, NPU__NSW_MOVES)
    NPU__NSW_ROW(TRANSPOSE, "TRANSPOSE", "0 1", "fh86ib", PLAIN, NPU__NSW_MOVES)
    NPU__NSW_ROW(TRANSPOSE_CONV_2D, "TRANSPOSE_CONV", "2 1 3 0 " NPU__NSW_WINDOW "fused_activation_function:a [ :n",
                 "fh86", BIAS, 0)
    NPU__NSW_OEM_ROW("MTKEXT_SQUARED_DIFFERENCE", "SQUARED_DIFFERENCE", "0 1 $", "fh8i", PLAIN)
    NPU__NSW_OEM_ROW("MTKEXT_RMS_NORMALIZATION", "RMS_NORM", "0 1 2 3 :x $", "fh86", RMS_NORM)
    NPU__NSW_OEM_ROW("MTKEXT_LAYER_NORMALIZATION", "LAYER_NORM", "0 1 2 3 :x $", "fh86", LAYER_NORM)
    NPU__NSW_OEM_ROW("unpackmtk", "UNPACK", "0 axis:i $", "fh86ib", UNPACK)
};

/* ---- operands held against a row ---- */

NPU__FN int npu__nsw_fits(const npu__nsw_operand *o, char kind) {
    size_t bytes;
    if (o->has == NPU__NSW_VALUE && (!npu__nsw_bytes(o, &bytes) || bytes != o->bytes)) return 0;
    if (kind == 't') return o->type != NULL;
    if (kind == '$') return o->type == NULL;
    if (!o->type || !o->type->scalar) return 0;
    switch (kind) {
    case 'f': return o->type->element == NPU_FLOAT32 || o->type->element == NPU_FLOAT16;
    case 'n': return o->type->element == NPU_BOOL;
    case 'x': return 1;
    default: return o->type->element == NPU_INT32 || o->type->element == NPU_UINT32 || o->type->element == NPU_BOOL;
    }
}

/* Does the operation have the operands of the row? */
NPU__FN int npu__nsw_matches(const npu__nsw_model *m, const npu__nsw_op *op, const npu__nsw_row *row) {
    npu__operand_words     c = npu__words_of(row->operands);
    npu__operand_word      word;
    int             optional = 0;
    for (uint32_t i = 0; i < op->n_in; i++) {
        optional = optional || npu__words_rest(&c);
        if (!npu__words_next(&c, op->n_in - i, &word) || !npu__nsw_fits(&m->operands[op->in[i]], word.kind)) return 0;
    }
    return op->n_in > 0 && op->n_out > 0 && (optional || npu__words_rest(&c));
}

NPU__FN int npu__nsw_is_general(const npu__nsw_op *op) { return op->code == (2 << 16 | NPU__NEURON_OEM_OPERATION); }

NPU__FN int npu__nsw_code_known(int32_t code) {
    static const int32_t codes[] = {
#define NPU__X(name, number) number,
        NPU__NEURON_OPS(NPU__X)
#undef NPU__X
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) if (codes[i] == code) return 1;
    return code >> 16 == 4; /* a compiled network in a model: known, but not run */
}

NPU__FN const char *npu__nsw_op_name(int32_t code) {
    switch (code) {
#define NPU__X(name, number) case number: return #name;
    NPU__NEURON_OPS(NPU__X)
#undef NPU__X
    default: return "of an extension";
    }
}

NPU__FN int npu__nsw_row_of(const npu__nsw_model *m, const npu__nsw_op *op) {
    int rows = 0;
    if (npu__nsw_is_general(op)) return op->n_in > 0 && !m->operands[op->in[op->n_in - 1]].type;
    for (size_t i = 0; i < sizeof npu__nsw_rows / sizeof *npu__nsw_rows; i++) {
        if (npu__nsw_rows[i].oem || npu__nsw_rows[i].code != op->code) continue;
        if (npu__nsw_matches(m, op, &npu__nsw_rows[i])) return 1;
        rows++;
    }
    return rows == 0 && npu__nsw_code_known(op->code);
}

NPU__FN const npu__nsw_row *npu__nsw_row_named(const npu__nsw_model *m, const npu__nsw_op *op) {
    const int general = npu__nsw_is_general(op);
    npu__str  oem = {NULL, 0};
    if (general) oem = npu__nsw_oem_name(&m->operands[op->in[op->n_in - 1]]);
    for (size_t i = 0; i < sizeof npu__nsw_rows / sizeof *npu__nsw_rows; i++) {
        const npu__nsw_row *row = &npu__nsw_rows[i];
        if (general ? !row->oem || !npu__str_is(oem, row->oem) : row->oem || row->code != op->code) continue;
        if (npu__nsw_matches(m, op, row)) return row;
    }
    return NULL;
}

/* ---- values ---- */

NPU__FN int npu__nsw_int(const npu__nsw_operand *o, int64_t *out) {
    const uint8_t *p = (const uint8_t *)o->value;
    if (o->has != NPU__NSW_VALUE) return 0;
    switch (o->type->element) {
    case NPU_BOOL: *out = p[0] != 0; return 1;
    case NPU_INT32: *out = (int32_t)npu__nsw_u32(p); return 1;
    case NPU_UINT32: *out = npu__nsw_u32(p); return 1;
    default: return 0;
    }
}

NPU__FN int npu__nsw_float(const npu__nsw_operand *o, double *out) {
    const uint8_t *p = (const uint8_t *)o->value;
    if (o->has != NPU__NSW_VALUE || o->bytes > 4) return 0;
    switch (o->type->element) {
    case NPU_FLOAT32: *out = (double)npu__f32_from_bits(npu__nsw_u32(p)); return 1;
    case NPU_FLOAT16: *out = (double)npu__f16_to_f32((uint16_t)(p[0] | p[1] << 8)); return 1;
    default: return 0;
    }
}

#endif
