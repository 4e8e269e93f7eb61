/* The list of operators: one row each, X(BUILTIN NAME, builtin code, definition). Everything that enumerates operators
 * is made from it: lookup, reports, docs, fuzz dispatch and the coverage gate of the tests. CUSTOM ops have their own
 * list below: X(name in NPU_RT_ONLY_OPS, "name in the file", definition). Keep families together. */
#ifndef NPU__OPS_OPS_H
#define NPU__OPS_OPS_H

#include "../vendor/vendors.h"
#include "util.h"

#define NPU__OPS(X) \
    /* convolution, pooling, matrix products */ \
    X(AVERAGE_POOL_2D, 1, npu__op_average_pool_2d) \
    X(CONV_2D, 3, npu__op_conv_2d) \
    X(DEPTHWISE_CONV_2D, 4, npu__op_depthwise_conv_2d) \
    X(FULLY_CONNECTED, 9, npu__op_fully_connected) \
    X(L2_POOL_2D, 12, npu__op_l2_pool_2d) \
    X(MAX_POOL_2D, 17, npu__op_max_pool_2d) \
    X(TRANSPOSE_CONV, 67, npu__op_transpose_conv) \
    X(BATCH_MATMUL, 126, npu__op_batch_matmul) \
    X(CONV_3D, 132, npu__op_conv_3d) \
    X(CONV_3D_TRANSPOSE, 141, npu__op_conv_3d_transpose) \
    /* elementwise */ \
    X(ADD, 0, npu__op_add) \
    X(DEQUANTIZE, 6, npu__op_dequantize) \
    X(FLOOR, 8, npu__op_floor) \
    X(L2_NORMALIZATION, 11, npu__op_l2_normalization) \
    X(LOCAL_RESPONSE_NORMALIZATION, 13, npu__op_local_response_normalization) \
    X(LOGISTIC, 14, npu__op_logistic) \
    X(MUL, 18, npu__op_mul) \
    X(RELU, 19, npu__op_relu) \
    X(RELU_N1_TO_1, 20, npu__op_relu_n1_to_1) \
    X(RELU6, 21, npu__op_relu6) \
    X(SOFTMAX, 25, npu__op_softmax) \
    X(TANH, 28, npu__op_tanh) \
    X(SUB, 41, npu__op_sub) \
    X(DIV, 42, npu__op_div) \
    X(EXP, 47, npu__op_exp) \
    X(LOG_SOFTMAX, 50, npu__op_log_softmax) \
    X(CAST, 53, npu__op_cast) \
    X(PRELU, 54, npu__op_prelu) \
    X(MAXIMUM, 55, npu__op_maximum) \
    X(MINIMUM, 57, npu__op_minimum) \
    X(LESS, 58, npu__op_less) \
    X(NEG, 59, npu__op_neg) \
    X(GREATER, 61, npu__op_greater) \
    X(GREATER_EQUAL, 62, npu__op_greater_equal) \
    X(LESS_EQUAL, 63, npu__op_less_equal) \
    X(SELECT, 64, npu__op_select) \
    X(SIN, 66, npu__op_sin) \
    X(EQUAL, 71, npu__op_equal) \
    X(NOT_EQUAL, 72, npu__op_not_equal) \
    X(LOG, 73, npu__op_log) \
    X(SQRT, 75, npu__op_sqrt) \
    X(RSQRT, 76, npu__op_rsqrt) \
    X(POW, 78, npu__op_pow) \
    X(FAKE_QUANT, 80, npu__op_fake_quant) \
    X(LOGICAL_OR, 84, npu__op_logical_or) \
    X(LOGICAL_AND, 86, npu__op_logical_and) \
    X(LOGICAL_NOT, 87, npu__op_logical_not) \
    X(FLOOR_DIV, 90, npu__op_floor_div) \
    X(SQUARE, 92, npu__op_square) \
    X(FLOOR_MOD, 95, npu__op_floor_mod) \
    X(LEAKY_RELU, 98, npu__op_leaky_relu) \
    X(SQUARED_DIFFERENCE, 99, npu__op_squared_difference) \
    X(ABS, 101, npu__op_abs) \
    X(CEIL, 104, npu__op_ceil) \
    X(COS, 108, npu__op_cos) \
    X(ELU, 111, npu__op_elu) \
    X(QUANTIZE, 114, npu__op_quantize) \
    X(ROUND, 116, npu__op_round) \
    X(HARD_SWISH, 117, npu__op_hard_swish) \
    X(SELECT_V2, 123, npu__op_select_v2) \
    X(IMAG, 133, npu__op_imag) \
    X(REAL, 134, npu__op_real) \
    X(COMPLEX_ABS, 135, npu__op_complex_abs) \
    X(GELU, 150, npu__op_gelu) \
    X(RELU_0_TO_1, 152, npu__op_relu_0_to_1) \
    X(ATAN2, 156, npu__op_atan2) \
    X(SIGN, 158, npu__op_sign) \
    X(BITCAST, 159, npu__op_bitcast) \
    X(BITWISE_XOR, 160, npu__op_bitwise_xor) \
    X(RIGHT_SHIFT, 161, npu__op_right_shift) \
    X(STABLEHLO_ADD, 163, npu__op_stablehlo_add) \
    X(STABLEHLO_MULTIPLY, 165, npu__op_stablehlo_multiply) \
    X(STABLEHLO_MAXIMUM, 166, npu__op_stablehlo_maximum) \
    X(STABLEHLO_AND, 176, npu__op_stablehlo_and) \
    X(STABLEHLO_MINIMUM, 181, npu__op_stablehlo_minimum) \
    X(STABLEHLO_SHIFT_LEFT, 207, npu__op_stablehlo_shift_left) \
    /* shape and data movement, reductions */ \
    X(CONCATENATION, 2, npu__op_concatenation) \
    X(DEPTH_TO_SPACE, 5, npu__op_depth_to_space) \
    X(RESHAPE, 22, npu__op_reshape) \
    X(RESIZE_BILINEAR, 23, npu__op_resize_bilinear) \
    X(SPACE_TO_DEPTH, 26, npu__op_space_to_depth) \
    X(PAD, 34, npu__op_pad) \
    X(GATHER, 36, npu__op_gather) \
    X(BATCH_TO_SPACE_ND, 37, npu__op_batch_to_space_nd) \
    X(SPACE_TO_BATCH_ND, 38, npu__op_space_to_batch_nd) \
    X(TRANSPOSE, 39, npu__op_transpose) \
    X(MEAN, 40, npu__op_mean) \
    X(SQUEEZE, 43, npu__op_squeeze) \
    X(STRIDED_SLICE, 45, npu__op_strided_slice) \
    X(SPLIT, 49, npu__op_split) \
    X(ARG_MAX, 56, npu__op_arg_max) \
    X(PADV2, 60, npu__op_padv2) \
    X(SLICE, 65, npu__op_slice) \
    X(TILE, 69, npu__op_tile) \
    X(EXPAND_DIMS, 70, npu__op_expand_dims) \
    X(SUM, 74, npu__op_sum) \
    X(SHAPE, 77, npu__op_shape) \
    X(ARG_MIN, 79, npu__op_arg_min) \
    X(REDUCE_PROD, 81, npu__op_reduce_prod) \
    X(REDUCE_MAX, 82, npu__op_reduce_max) \
    X(PACK, 83, npu__op_pack) \
    X(ONE_HOT, 85, npu__op_one_hot) \
    X(UNPACK, 88, npu__op_unpack) \
    X(REDUCE_MIN, 89, npu__op_reduce_min) \
    X(REDUCE_ANY, 91, npu__op_reduce_any) \
    X(ZEROS_LIKE, 93, npu__op_zeros_like) \
    X(FILL, 94, npu__op_fill) \
    X(RANGE, 96, npu__op_range) \
    X(RESIZE_NEAREST_NEIGHBOR, 97, npu__op_resize_nearest_neighbor) \
    X(MIRROR_PAD, 100, npu__op_mirror_pad) \
    X(SPLIT_V, 102, npu__op_split_v) \
    X(REVERSE_V2, 105, npu__op_reverse_v2) \
    X(GATHER_ND, 107, npu__op_gather_nd) \
    X(WHERE, 109, npu__op_where) \
    X(RANK, 110, npu__op_rank) \
    X(DENSIFY, 124, npu__op_densify) \
    X(CUMSUM, 128, npu__op_cumsum) \
    X(BROADCAST_TO, 130, npu__op_broadcast_to) \
    X(REDUCE_ALL, 140, npu__op_reduce_all) \
    X(BROADCAST_ARGS, 145, npu__op_broadcast_args) \
    /* by index, of segments and windows */ \
    X(EMBEDDING_LOOKUP, 7, npu__op_embedding_lookup) \
    X(EMBEDDING_LOOKUP_SPARSE, 33, npu__op_embedding_lookup_sparse) \
    X(TOPK_V2, 48, npu__op_topk_v2) \
    X(SPARSE_TO_DENSE, 68, npu__op_sparse_to_dense) \
    X(UNIQUE, 103, npu__op_unique) \
    X(ADD_N, 106, npu__op_add_n) \
    X(REVERSE_SEQUENCE, 112, npu__op_reverse_sequence) \
    X(MATRIX_DIAG, 113, npu__op_matrix_diag) \
    X(MATRIX_SET_DIAG, 115, npu__op_matrix_set_diag) \
    X(NON_MAX_SUPPRESSION_V4, 120, npu__op_non_max_suppression_v4) \
    X(NON_MAX_SUPPRESSION_V5, 121, npu__op_non_max_suppression_v5) \
    X(SCATTER_ND, 122, npu__op_scatter_nd) \
    X(SEGMENT_SUM, 125, npu__op_segment_sum) \
    X(BUCKETIZE, 147, npu__op_bucketize) \
    X(DYNAMIC_UPDATE_SLICE, 151, npu__op_dynamic_update_slice) \
    X(UNSORTED_SEGMENT_PROD, 153, npu__op_unsorted_segment_prod) \
    X(UNSORTED_SEGMENT_MAX, 154, npu__op_unsorted_segment_max) \
    X(UNSORTED_SEGMENT_SUM, 155, npu__op_unsorted_segment_sum) \
    X(UNSORTED_SEGMENT_MIN, 157, npu__op_unsorted_segment_min) \
    X(STABLEHLO_SCATTER, 190, npu__op_stablehlo_scatter) \
    X(STABLEHLO_PAD, 195, npu__op_stablehlo_pad) \
    X(STABLEHLO_REDUCE_WINDOW, 198, npu__op_stablehlo_reduce_window) \
    X(STABLEHLO_GATHER, 201, npu__op_stablehlo_gather) \
    X(DILATE, 203, npu__op_dilate) \
    X(REDUCE_WINDOW, 205, npu__op_reduce_window) \
    /* recurrent, resources, control flow, transforms */ \
    X(RNN, 24, npu__op_rnn) \
    X(HASHTABLE_LOOKUP, 10, npu__op_hashtable_lookup) \
    X(LSH_PROJECTION, 15, npu__op_lsh_projection) \
    X(SKIP_GRAM, 30, npu__op_skip_gram) \
    X(SVDF, 27, npu__op_svdf) \
    X(UNIDIRECTIONAL_SEQUENCE_RNN, 35, npu__op_unidirectional_sequence_rnn) \
    X(BIDIRECTIONAL_SEQUENCE_RNN, 46, npu__op_bidirectional_sequence_rnn) \
    X(LSTM, 16, npu__op_lstm) \
    X(UNIDIRECTIONAL_SEQUENCE_LSTM, 44, npu__op_unidirectional_sequence_lstm) \
    X(BIDIRECTIONAL_SEQUENCE_LSTM, 52, npu__op_bidirectional_sequence_lstm) \
    X(IF, 118, npu__op_if) \
    X(WHILE, 119, npu__op_while) \
    X(CALL_ONCE, 129, npu__op_call_once) \
    X(RFFT2D, 131, npu__op_rfft2d) \
    X(HASHTABLE, 136, npu__op_hashtable) \
    X(HASHTABLE_FIND, 137, npu__op_hashtable_find) \
    X(HASHTABLE_IMPORT, 138, npu__op_hashtable_import) \
    X(HASHTABLE_SIZE, 139, npu__op_hashtable_size) \
    X(VAR_HANDLE, 142, npu__op_var_handle) \
    X(READ_VARIABLE, 143, npu__op_read_variable) \
    X(ASSIGN_VARIABLE, 144, npu__op_assign_variable) \
    X(RANDOM_STANDARD_NORMAL, 146, npu__op_random_standard_normal) \
    X(RANDOM_UNIFORM, 148, npu__op_random_uniform) \
    X(MULTINOMIAL, 149, npu__op_multinomial) \
    X(STABLEHLO_RNG_BIT_GENERATOR, 204, npu__op_stablehlo_rng_bit_generator) \
    X(STABLEHLO_COMPOSITE, 206, npu__op_stablehlo_composite) \
    X(STABLEHLO_CASE, 209, npu__op_stablehlo_case) \
    NPU__CIRCLE_OPS(X)

/* Circle's own, by their codes in graphs (tflite/schema.h). */
#define NPU__CIRCLE_OPS(X) \
    X(INSTANCE_NORM, NPU__BUILTIN_INSTANCE_NORM, npu__op_instance_norm) \
    X(BCQ_FULLY_CONNECTED, NPU__BUILTIN_BCQ_FULLY_CONNECTED, npu__op_bcq_fully_connected) \
    X(BCQ_GATHER, NPU__BUILTIN_BCQ_GATHER, npu__op_bcq_gather) \
    X(GRU, NPU__BUILTIN_GRU, npu__op_gru) \
    X(RMS_NORM, NPU__BUILTIN_RMS_NORM, npu__op_rms_norm) \
    X(ROPE, NPU__BUILTIN_ROPE, npu__op_rope) \
    X(ATTENTION, NPU__BUILTIN_ATTENTION, npu__op_attention)

#define NPU__CUSTOM_OPS(X) \
    /* compiled for an NPU */ \
    NPU__COMPILED_OPS(X) \
    /* of vendors' converters */ \
    NPU__VENDOR_OPS(X) \
    /* detection */ \
    X(TFLite_Detection_PostProcess, "TFLite_Detection_PostProcess", npu__op_detection_postprocess) \
    /* speech commands */ \
    X(AudioSpectrogram, "AudioSpectrogram", npu__op_audio_spectrogram) \
    X(Mfcc, "Mfcc", npu__op_mfcc) \
    /* MediaPipe; two versions each of the last ones, by number or by name */ \
    X(Convolution2DTransposeBias, "Convolution2DTransposeBias", npu__op_media_transpose_conv) \
    X(MaxPoolingWithArgmax2D, "MaxPoolingWithArgmax2D", npu__op_media_max_pool) \
    X(MaxUnpooling2D, "MaxUnpooling2D", npu__op_media_max_unpool) \
    X(Landmarks2TransformMatrix, "Landmarks2TransformMatrix", npu__op_landmarks_to_matrix) \
    X(Landmarks2TransformMatrixV2, "Landmarks2TransformMatrixV2", npu__op_landmarks_to_matrix) \
    X(TransformLandmarks, "TransformLandmarks", npu__op_transform_landmarks) \
    X(TransformLandmarksV2, "TransformLandmarksV2", npu__op_transform_landmarks) \
    X(TransformTensor, "TransformTensor", npu__op_transform_image) \
    X(TransformTensorBilinear, "TransformTensorBilinear", npu__op_transform_image) \
    X(TransformTensorBilinearV2, "TransformTensorBilinearV2", npu__op_transform_image) \
    /* signal */ \
    X(SignalWindow, "SignalWindow", npu__op_signal_window) \
    X(SignalFftAutoScale, "SignalFftAutoScale", npu__op_signal_fft_auto_scale) \
    X(SignalRfft, "SignalRfft", npu__op_signal_rfft) \
    X(SignalIrfft, "SignalIrfft", npu__op_signal_irfft) \
    X(SignalEnergy, "SignalEnergy", npu__op_signal_energy) \
    X(SignalFilterBank, "SignalFilterBank", npu__op_signal_filter_bank) \
    X(SignalFilterBankSquareRoot, "SignalFilterBankSquareRoot", npu__op_signal_filter_bank_square_root) \
    X(SignalFilterBankSpectralSubtraction, "SignalFilterBankSpectralSubtraction", npu__op_signal_filter_bank_spectral_subtraction) \
    X(SignalPCAN, "SignalPCAN", npu__op_signal_pcan) \
    X(SignalFilterBankLog, "SignalFilterBankLog", npu__op_signal_filter_bank_log) \
    X(SignalDelay, "SignalDelay", npu__op_signal_delay) \
    X(SignalFramer, "SignalFramer", npu__op_signal_framer) \
    X(SignalOverlapAdd, "SignalOverlapAdd", npu__op_signal_overlap_add) \
    X(SignalStacker, "SignalStacker", npu__op_signal_stacker)

/* Codes by the names that NPU_RT_ONLY_OPS takes: NPU__CODE_CONV_2D, NPU__CODE_SignalRfft. */
enum {
#define NPU_X(name, code, def) NPU__CODE_##name = code,
    NPU__OPS(NPU_X)
#undef NPU_X
#define NPU_X(id, name, def) NPU__CODE_##id = NPU__BUILTIN_CUSTOM,
    NPU__CUSTOM_OPS(NPU_X)
#undef NPU_X
    NPU__CODE_END
};

/* The definition of a builtin code or, for CUSTOM, of the name in the file. NULL: not in this build. */
NPU__FN const npu__opdef *npu__op_find(int32_t code, npu__str custom_name);

#endif
