/* The table of operations, and how operands are held against it. */
#include "operations.h"
#include "../base/fp16.h"

#if NPU__HAS_NNAPI

#define npu__nn_make_plain NULL
#define NPU__NN_ROW(code, name, operands, make) {NPU__NN_OP_##code, name, operands, npu__nn_make_##make},
#define NPU__NN_SAME ":p stride_w:i stride_h:i "                 /* padding by a code */
#define NPU__NN_PADS ":L :R :T :B stride_w:i stride_h:i "        /* padding in numbers */
#define NPU__NN_ACT "fused_activation_function:a"
#define NPU__NN_DILATED " [ :n dilation_w_factor:i dilation_h_factor:i"
#define NPU__NN_FILTER "filter_width:i filter_height:i "
#define NPU__NN_CONV(code, name, more) \
    NPU__NN_ROW(code, name, "0 1 2 " NPU__NN_SAME more NPU__NN_ACT NPU__NN_DILATED, window) \
    NPU__NN_ROW(code, name, "0 1 2 " NPU__NN_PADS more NPU__NN_ACT NPU__NN_DILATED, window)
#define NPU__NN_POOL(code) \
    NPU__NN_ROW(code, #code, "0 " NPU__NN_SAME NPU__NN_FILTER NPU__NN_ACT " [ :n", window) \
    NPU__NN_ROW(code, #code, "0 " NPU__NN_PADS NPU__NN_FILTER NPU__NN_ACT " [ :n", window)
#define NPU__NN_BINARY(code) NPU__NN_ROW(code, #code, "0 1 " NPU__NN_ACT, plain)
#define NPU__NN_TWO(code) NPU__NN_ROW(code, #code, "0 1", plain)
#define NPU__NN_COMPARE(code) NPU__NN_ROW(code, #code, "0 1", compare)
#define NPU__NN_ONE(code) NPU__NN_ROW(code, #code, "0", plain)
#define NPU__NN_LSTM "activation:i cell_clip:f proj_clip:f"
#define NPU__NN_REDUCE(code, name) NPU__NN_ROW(code, name, "0 1 keep_dims:i", plain)
#define NPU__NN_RESIZE(code) \
    NPU__NN_ROW(code, #code, "0 :i :i [ :n align_corners:b half_pixel_centers:b", resize) \
    NPU__NN_ROW(code, #code, "0 :f :f [ :n align_corners:b half_pixel_centers:b", resize)

static const npu__nn_row npu__nn_rows[] = {
    NPU__NN_ROW(DIV, "DIV", "0 1 " NPU__NN_ACT, divide)
    NPU__NN_BINARY(ADD) NPU__NN_BINARY(MUL) NPU__NN_BINARY(SUB)
    NPU__NN_ROW(CAST, "CAST", "0", saturate)
    NPU__NN_ONE(ABS) NPU__NN_ONE(EXP) NPU__NN_ONE(FLOOR) NPU__NN_ONE(HARD_SWISH)
    NPU__NN_ONE(LOG) NPU__NN_ONE(LOGICAL_NOT) NPU__NN_ONE(LOGISTIC) NPU__NN_ONE(NEG) NPU__NN_ONE(QUANTIZE) NPU__NN_ONE(RANK)
    NPU__NN_ONE(RELU) NPU__NN_ONE(RELU6) NPU__NN_ONE(RSQRT) NPU__NN_ONE(SIN) NPU__NN_ONE(SQRT) NPU__NN_ONE(TANH)
    NPU__NN_ROW(DEQUANTIZE, "DEQUANTIZE", "0", dequantize)
    NPU__NN_ROW(RELU1, "RELU_N1_TO_1", "0", plain)
    NPU__NN_ROW(ELU, "ELU", "0 :x", elu)
    NPU__NN_COMPARE(GREATER) NPU__NN_COMPARE(GREATER_EQUAL) NPU__NN_COMPARE(LESS) NPU__NN_COMPARE(LESS_EQUAL)
    NPU__NN_ROW(MAXIMUM, "MAXIMUM", "0 1", same_scale)
    NPU__NN_ROW(MINIMUM, "MINIMUM", "0 1", same_scale)
    NPU__NN_TWO(EQUAL) NPU__NN_TWO(LOGICAL_AND) NPU__NN_TWO(LOGICAL_OR) NPU__NN_TWO(NOT_EQUAL)
    NPU__NN_TWO(POW) NPU__NN_TWO(PRELU)
    NPU__NN_TWO(EXPAND_DIMS) NPU__NN_TWO(FILL) NPU__NN_TWO(PAD) NPU__NN_TWO(RESHAPE) NPU__NN_TWO(TILE)
    NPU__NN_TWO(TOPK_V2) NPU__NN_TWO(EMBEDDING_LOOKUP)
    NPU__NN_ROW(PAD_V2, "PADV2", "0 1 2", pad_value)
    NPU__NN_ROW(MIRROR_PAD, "MIRROR_PAD", "0 1 mode:i", plain)
    NPU__NN_ROW(REVERSE, "REVERSE_V2", "0 1", plain)
    NPU__NN_ROW(SELECT, "SELECT", "0 1 2", same_scale)
    NPU__NN_ROW(SLICE, "SLICE", "0 1 2", plain)
    NPU__NN_ROW(SPLIT, "SPLIT", "1 0 num_splits:i", plain)
    NPU__NN_ROW(STRIDED_SLICE, "STRIDED_SLICE", "0 1 2 3 begin_mask:i end_mask:i shrink_axis_mask:i", plain)
    NPU__NN_ROW(HASHTABLE_LOOKUP, "HASHTABLE_LOOKUP", "0 1 2", plain)
    NPU__NN_ROW(CONCATENATION, "CONCATENATION", "0+ axis:i", same_scale)
    NPU__NN_ROW(GATHER, "GATHER", "0 axis:i 1", plain)
    NPU__NN_ROW(BATCH_MATMUL, "BATCH_MATMUL", "0 1 adj_x:b adj_y:b", plain)
    NPU__NN_ROW(PACK, "PACK", ":x 0+", pack)
    NPU__NN_ROW(SQUEEZE, "SQUEEZE", "0 [ 1", squeeze)
    NPU__NN_ROW(TRANSPOSE, "TRANSPOSE", "0 [ 1", reverse_dims)
    NPU__NN_ROW(ARGMAX, "ARG_MAX", "0 1", index)
    NPU__NN_ROW(ARGMIN, "ARG_MIN", "0 1", index)
    NPU__NN_REDUCE(MEAN, "MEAN") NPU__NN_REDUCE(REDUCE_ALL, "REDUCE_ALL") NPU__NN_REDUCE(REDUCE_ANY, "REDUCE_ANY")
    NPU__NN_REDUCE(REDUCE_MAX, "REDUCE_MAX") NPU__NN_REDUCE(REDUCE_MIN, "REDUCE_MIN")
    NPU__NN_REDUCE(REDUCE_PROD, "REDUCE_PROD") NPU__NN_REDUCE(REDUCE_SUM, "SUM")
    NPU__NN_ROW(SOFTMAX, "SOFTMAX", "0 beta:f [ :x", along_axis)
    NPU__NN_ROW(LOG_SOFTMAX, "LOG_SOFTMAX", "0 :f [ :x", along_axis)
    NPU__NN_ROW(L2_NORMALIZATION, "L2_NORMALIZATION", "0 [ :x", along_axis)
    NPU__NN_ROW(LOCAL_RESPONSE_NORMALIZATION, "nnapi.lrn", "0 radius:i bias:f alpha:f beta:f [ axis:x", private)
    NPU__NN_ROW(INSTANCE_NORMALIZATION, "", "0 :f :f :f :n", instance_norm)
    NPU__NN_ROW(CHANNEL_SHUFFLE, "", "0 :x :x", shuffle)
    NPU__NN_ROW(FULLY_CONNECTED, "FULLY_CONNECTED", "0 1 2 " NPU__NN_ACT, window)
    NPU__NN_CONV(CONV_2D, "CONV_2D", "")
    NPU__NN_CONV(DEPTHWISE_CONV_2D, "DEPTHWISE_CONV_2D", "depth_multiplier:i ")
    NPU__NN_ROW(GROUPED_CONV_2D, "CONV_2D", "0 1 2 " NPU__NN_SAME ":i " NPU__NN_ACT " :n", window)
    NPU__NN_ROW(GROUPED_CONV_2D, "CONV_2D", "0 1 2 " NPU__NN_PADS ":i " NPU__NN_ACT " :n", window)
    NPU__NN_ROW(TRANSPOSE_CONV_2D, "TRANSPOSE_CONV", "2 1 3 0 " NPU__NN_SAME NPU__NN_ACT " :n", transpose_conv)
    NPU__NN_ROW(TRANSPOSE_CONV_2D, "TRANSPOSE_CONV", "2 1 3 " NPU__NN_PADS NPU__NN_ACT " :n", transpose_conv)
    NPU__NN_POOL(AVERAGE_POOL_2D) NPU__NN_POOL(L2_POOL_2D) NPU__NN_POOL(MAX_POOL_2D)
    NPU__NN_RESIZE(RESIZE_BILINEAR) NPU__NN_RESIZE(RESIZE_NEAREST_NEIGHBOR)
    NPU__NN_ROW(DEPTH_TO_SPACE, "DEPTH_TO_SPACE", "0 block_size:i [ :n", window)
    NPU__NN_ROW(SPACE_TO_DEPTH, "SPACE_TO_DEPTH", "0 block_size:i [ :n", window)
    NPU__NN_ROW(BATCH_TO_SPACE_ND, "BATCH_TO_SPACE_ND", "0 1 [ :n", block)
    NPU__NN_ROW(SPACE_TO_BATCH_ND, "SPACE_TO_BATCH_ND", "0 1 2 [ :n", window)
    NPU__NN_ROW(RNN, "", "0 1 2 3 4 :a", rnn)
    NPU__NN_ROW(LSTM, "nnapi.lstm", "0+ " NPU__NN_LSTM, lstm)
    NPU__NN_ROW(LSTM, "nnapi.lstm", "0+ " NPU__NN_LSTM " 0 0 0 0", lstm)
    NPU__NN_ROW(UNIDIRECTIONAL_SEQUENCE_LSTM, "nnapi.lstm", "0+ " NPU__NN_LSTM " time_major:b", lstm)
    NPU__NN_ROW(UNIDIRECTIONAL_SEQUENCE_LSTM, "nnapi.lstm", "0+ " NPU__NN_LSTM " time_major:b 0 0 0 0", lstm)
    NPU__NN_ROW(BIDIRECTIONAL_SEQUENCE_LSTM, "nnapi.lstm", "0+ " NPU__NN_LSTM " :b time_major:b 0 0 0 0 0 0 0 0", both_lstm)
    NPU__NN_ROW(QUANTIZED_LSTM, "nnapi.lstm", "0+ cell_clip:f proj_clip:f gate_in:f gate_forget:f gate_cell:f gate_out:f hidden_zero_point:x hidden_scale:f", lstm)
    NPU__NN_ROW(QUANTIZED_16BIT_LSTM, "LSTM", "0+", lstm_16)
    NPU__NN_ROW(UNIDIRECTIONAL_SEQUENCE_RNN, "nnapi.rnn", "0 1 2 3 4 activation:i time_major:i", private)
    NPU__NN_ROW(BIDIRECTIONAL_SEQUENCE_RNN, "nnapi.rnn", "0+ activation:i time_major:b :b", both_rnn)
    NPU__NN_ROW(SVDF, "nnapi.svdf", "0 1 2 3 4 rank:i activation:i", private)
    NPU__NN_ROW(LSH_PROJECTION, "LSH_PROJECTION", "0 1 2 :i", lsh)
    NPU__NN_ROW(RANDOM_MULTINOMIAL, "MULTINOMIAL", "0 :i 0", multinomial)
    NPU__NN_ROW(AXIS_ALIGNED_BBOX_TRANSFORM, "nnapi.bbox_transform", "0 1 2 3", private)
    NPU__NN_ROW(BOX_WITH_NMS_LIMIT, "nnapi.nms_limit",
                "0 1 2 score_threshold:f max_detections:i kernel:i iou_threshold:f sigma:f nms_score_threshold:f", counted)
    NPU__NN_ROW(GENERATE_PROPOSALS, "nnapi.proposals",
                "0 1 2 3 stride_h:f stride_w:f pre_nms:i post_nms:i iou_threshold:f min_size:f nchw:n", counted)
    NPU__NN_ROW(DETECTION_POSTPROCESSING, "nnapi.detection", "0 1 2 scale_y:f scale_x:f scale_h:f scale_w:f regular:b max_detections:i "
                "max_classes:i per_class:i score_threshold:f iou_threshold:f background:b", private)
    NPU__NN_ROW(HEATMAP_MAX_KEYPOINT, "nnapi.heatmap", "0 1 nchw:n", private)
    NPU__NN_ROW(ROI_ALIGN, "nnapi.roi", "0 1 2 height:i width:i stride_h:f stride_w:f samples_h:i samples_w:i nchw:n", private)
    NPU__NN_ROW(ROI_POOLING, "nnapi.roi", "0 1 2 height:i width:i stride_h:f stride_w:f nchw:n", private)
    NPU__NN_ROW(IF, "IF", "0 :m :m 0+", if)
    NPU__NN_ROW(IF, "IF", "0 :m :m", if)
    NPU__NN_ROW(WHILE, "WHILE", ":m :m 0+", while)
};

NPU__FN const char *npu__nn_op_name(int32_t code) {
    static const char *const names[] = {
#define NPU__X(name) #name,
        NPU_NNAPI_OPERATIONS(NPU__X)
#undef NPU__X
    };
    NPU__ASSERT(code >= 0 && code < NPU__NN_OP_COUNT);
    return names[code];
}

/* ---- operands held against a row ---- */

NPU__FN int npu__nn_fits(const npu__nn_operand *o, char kind) {
    const int32_t code = o->type->code;
    switch (kind) {
    case 't': return code != NPU__NN_MODEL;
    case 'm': return code == NPU__NN_MODEL;
    case 'f': return code == NPU__NN_FLOAT32 || code == NPU__NN_FLOAT16;
    case 'b': case 'n': return code == NPU__NN_BOOL;
    case 'x': return o->type->scalar && code != NPU__NN_MODEL;
    case 'i': return code == NPU__NN_INT32 || code == NPU__NN_UINT32 || code == NPU__NN_BOOL;
    default: return code == NPU__NN_INT32;
    }
}

NPU__FN int npu__nn_matches(const ANeuralNetworksModel *m, const npu__nn_op *op, const npu__nn_row *row) {
    npu__operand_words words = npu__words_of(row->operands);
    npu__operand_word  word;
    int                rest = 0;
    for (uint32_t i = 0; i < op->n_in; i++) {
        rest = rest || npu__words_rest(&words);
        if (!npu__words_next(&words, op->n_in - i, &word) || !npu__nn_fits(&m->operands[op->in[i]], word.kind)) return 0;
    }
    return rest || npu__words_rest(&words);
}

NPU__FN const npu__nn_row *npu__nn_row_of(const ANeuralNetworksModel *m, const npu__nn_op *op, int *known) {
    *known = 0;
    for (size_t i = 0; i < sizeof npu__nn_rows / sizeof *npu__nn_rows; i++) {
        if (npu__nn_rows[i].code != op->code) continue;
        *known = 1;
        if (npu__nn_matches(m, op, &npu__nn_rows[i])) return &npu__nn_rows[i];
    }
    return NULL;
}

/* ---- values ---- */

/* Of a scalar, or of a tensor of one element that is no quantized one. */
NPU__FN int npu__nn_int(const npu__nn_operand *o, int64_t *out) {
    uint32_t bits;
    if (o->has != NPU__NN_VALUE || o->bytes > sizeof bits) return 0;
    bits = 0;
    memcpy(&bits, o->value, o->bytes);
    switch (o->type->element) {
    case NPU_BOOL: *out = bits != 0; return 1;
    case NPU_INT32: *out = (int32_t)bits; return 1;
    case NPU_UINT32: *out = bits; return 1;
    default: return 0;
    }
}

NPU__FN int npu__nn_float(const npu__nn_operand *o, double *out) {
    uint32_t bits = 0;
    if (o->has != NPU__NN_VALUE || o->bytes > sizeof bits) return 0;
    memcpy(&bits, o->value, o->bytes);
    switch (o->type->element) {
    case NPU_FLOAT32: *out = (double)npu__f32_from_bits(bits); return 1;
    case NPU_FLOAT16: *out = (double)npu__f16_to_f32((uint16_t)bits); return 1;
    default: return 0;
    }
}

#endif
