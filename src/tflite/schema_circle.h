/* What Circle (file identifier CIR0, the format of ONE and onert) has beside TFLite's schema or in its place: rows for the same
 * verifier, reader and dump. Slots, tables and unions that are not named here are those of TFLite. */
#ifndef NPU__TFLITE_SCHEMA_CIRCLE_H
#define NPU__TFLITE_SCHEMA_CIRCLE_H

/* Tables that only Circle has: rows of the list explained in schema.h. */
#define NPU__SCHEMA_CIRCLE(T, F) \
    T(AttentionOptions) \
    T(RunModelOptions) \
    F(RunModelOptions, 0, location, STR, NONE, 0) \
    F(RunModelOptions, 1, signature, STR, NONE, 0) \
    T(RoPEOptions) \
    F(RoPEOptions, 0, mode, I32, E_RoPEMode, 0) \
    T(RmsNormOptions) \
    F(RmsNormOptions, 0, epsilon, F32, NONE, 0) \
    T(GRUOptions) \
    F(GRUOptions, 0, fused_activation_function, I8, E_ActivationFunctionType, 0) \
    F(GRUOptions, 1, return_sequences, BOOL, NONE, 0) \
    F(GRUOptions, 2, time_major, BOOL, NONE, 0) \
    T(BCQGatherOptions) \
    F(BCQGatherOptions, 0, input_hidden_size, I32, NONE, 0) \
    F(BCQGatherOptions, 1, axis, I32, NONE, 0) \
    T(BCQFullyConnectedOptions) \
    F(BCQFullyConnectedOptions, 0, weights_hidden_size, I32, NONE, 0) \
    F(BCQFullyConnectedOptions, 1, fused_activation_function, I8, E_ActivationFunctionType, 0) \
    T(InstanceNormOptions) \
    F(InstanceNormOptions, 0, epsilon, F32, NONE, 0) \
    F(InstanceNormOptions, 1, fused_activation_function, I8, E_ActivationFunctionType, 0) \
    T(MXQuantization) \
    F(MXQuantization, 0, axis, I32, NONE, 0)

/* Operators that only Circle has: X(name, code in the file, options table), codes counting down. */
#define NPU__CIRCLE_BUILTIN_LIST(X) \
    X(INSTANCE_NORM, -2, InstanceNormOptions) \
    X(BCQ_FULLY_CONNECTED, -3, BCQFullyConnectedOptions) \
    X(BCQ_GATHER, -4, BCQGatherOptions) \
    X(GRU, -5, GRUOptions) \
    X(RMS_NORM, -6, RmsNormOptions) \
    X(ROPE, -7, RoPEOptions) \
    X(RUN_MODEL, -8, RunModelOptions) \
    X(ATTENTION, -9, AttentionOptions)

/* Members of unions that TFLite does not have, or that have another type byte there: X(union, type byte, table). */
#define NPU__CIRCLE_UNION_LIST(X) \
    X(QuantizationDetails, 2, MXQuantization) \
    X(QuantizationDetails, 3, BlockwiseQuantization) \
    X(BuiltinOptions, 247, AttentionOptions) \
    X(BuiltinOptions, 248, RunModelOptions) \
    X(BuiltinOptions, 249, RoPEOptions) \
    X(BuiltinOptions, 250, RmsNormOptions) \
    X(BuiltinOptions, 251, GRUOptions) \
    X(BuiltinOptions, 252, BCQGatherOptions) \
    X(BuiltinOptions, 253, BCQFullyConnectedOptions) \
    X(BuiltinOptions, 254, InstanceNormOptions)

/* Slots in which TFLite has a wider field: X(table, TFLite's field, what Circle has there). All of them are single bytes. */
#define NPU__CIRCLE_BYTE_LIST(X) \
    X(Tensor, external_buffer, compression_type) \
    X(SubGraph, debug_metadata_index, data_format)

/* Types of tensors: X(name, code in the file, npu_type or -1 where no kernel takes it). */
#define NPU__CIRCLE_TYPE_LIST(X) \
    X(UINT4, -1, NPU_UINT4) \
    X(GGML_Q4_0, -2, -1) \
    X(GGML_Q4_1, -3, -1) \
    X(GGML_Q8_0, -4, -1) \
    X(GGML_Q8_1, -5, -1) \
    X(MXFP4, -6, -1) \
    X(MXINT8, -7, -1)

#endif
