/* The tables every model is made of, from Model down to Buffer: rows of the list explained in schema.h. */
#ifndef NPU__TFLITE_SCHEMA_CORE_H
#define NPU__TFLITE_SCHEMA_CORE_H

#define NPU__SCHEMA_CORE(T, F) \
    T(Model) \
    F(Model, 0, version, U32, NONE, 0) \
    F(Model, 1, operator_codes, VTAB, T_OperatorCode, 0) \
    F(Model, 2, subgraphs, VTAB, T_SubGraph, 0) \
    F(Model, 3, description, STR, NONE, 0) \
    F(Model, 4, buffers, VTAB, T_Buffer, 0) \
    F(Model, 5, metadata_buffer, VI32, NONE, 0) \
    F(Model, 6, metadata, VTAB, T_Metadata, 0) \
    F(Model, 7, signature_defs, VTAB, T_SignatureDef, 0) \
    F(Model, 8, external_buffer_groups, VTAB, T_ExternalBufferGroup, 0) \
    F(Model, 9, external_buffers, VTAB, T_ExternalBuffer, 0) \
    T(OperatorCode) \
    F(OperatorCode, 0, deprecated_builtin_code, I8, NONE, 0) \
    F(OperatorCode, 1, custom_code, STR, NONE, 0) \
    F(OperatorCode, 2, version, I32, NONE, 1) \
    F(OperatorCode, 3, builtin_code, I32, E_BuiltinOperator, 0) \
    T(SubGraph) \
    F(SubGraph, 0, tensors, VTAB, T_Tensor, 0) \
    F(SubGraph, 1, inputs, VI32, NONE, 0) \
    F(SubGraph, 2, outputs, VI32, NONE, 0) \
    F(SubGraph, 3, operators, VTAB, T_Operator, 0) \
    F(SubGraph, 4, name, STR, NONE, 0) \
    F(SubGraph, 5, debug_metadata_index, I32, NONE, -1) \
    T(Tensor) \
    F(Tensor, 0, shape, VI32, NONE, 0) \
    F(Tensor, 1, type, I8, E_TensorType, 0) \
    F(Tensor, 2, buffer, U32, NONE, 0) \
    F(Tensor, 3, name, STR, NONE, 0) \
    F(Tensor, 4, quantization, TAB, T_QuantizationParameters, 0) \
    F(Tensor, 5, is_variable, BOOL, NONE, 0) \
    F(Tensor, 6, sparsity, TAB, T_SparsityParameters, 0) \
    F(Tensor, 7, shape_signature, VI32, NONE, 0) \
    F(Tensor, 8, has_rank, BOOL, NONE, 0) \
    F(Tensor, 9, variant_tensors, VTAB, T_VariantSubType, 0) \
    F(Tensor, 10, external_buffer, U32, NONE, 0) \
    T(QuantizationParameters) \
    F(QuantizationParameters, 0, min, VF32, NONE, 0) \
    F(QuantizationParameters, 1, max, VF32, NONE, 0) \
    F(QuantizationParameters, 2, scale, VF32, NONE, 0) \
    F(QuantizationParameters, 3, zero_point, VI64, NONE, 0) \
    F(QuantizationParameters, 4, details_type, UTYPE, U_QuantizationDetails, 0) \
    F(QuantizationParameters, 5, details, UNION, U_QuantizationDetails, 0) \
    F(QuantizationParameters, 6, quantized_dimension, I32, NONE, 0) \
    T(SparsityParameters) \
    F(SparsityParameters, 0, traversal_order, VI32, NONE, 0) \
    F(SparsityParameters, 1, block_map, VI32, NONE, 0) \
    F(SparsityParameters, 2, dim_metadata, VTAB, T_DimensionMetadata, 0) \
    T(DimensionMetadata) \
    F(DimensionMetadata, 0, format, I8, E_DimensionType, 0) \
    F(DimensionMetadata, 1, dense_size, I32, NONE, 0) \
    F(DimensionMetadata, 2, array_segments_type, UTYPE, U_SparseIndexVector, 0) \
    F(DimensionMetadata, 3, array_segments, UNION, U_SparseIndexVector, 0) \
    F(DimensionMetadata, 4, array_indices_type, UTYPE, U_SparseIndexVector, 0) \
    F(DimensionMetadata, 5, array_indices, UNION, U_SparseIndexVector, 0) \
    T(VariantSubType) \
    F(VariantSubType, 0, shape, VI32, NONE, 0) \
    F(VariantSubType, 1, type, I8, E_TensorType, 0) \
    F(VariantSubType, 2, has_rank, BOOL, NONE, 0) \
    T(Operator) \
    F(Operator, 0, opcode_index, U32, NONE, 0) \
    F(Operator, 1, inputs, VI32, NONE, 0) \
    F(Operator, 2, outputs, VI32, NONE, 0) \
    F(Operator, 3, builtin_options_type, UTYPE, U_BuiltinOptions, 0) \
    F(Operator, 4, builtin_options, UNION, U_BuiltinOptions, 0) \
    F(Operator, 5, custom_options, VU8, NONE, 0) \
    F(Operator, 6, custom_options_format, I8, E_CustomOptionsFormat, 0) \
    F(Operator, 7, mutating_variable_inputs, VBOOL, NONE, 0) \
    F(Operator, 8, intermediates, VI32, NONE, 0) \
    F(Operator, 9, large_custom_options_offset, U64, NONE, 0) \
    F(Operator, 10, large_custom_options_size, U64, NONE, 0) \
    F(Operator, 11, builtin_options_2_type, UTYPE, U_BuiltinOptions2, 0) \
    F(Operator, 12, builtin_options_2, UNION, U_BuiltinOptions2, 0) \
    F(Operator, 13, debug_metadata_index, I32, NONE, -1) \
    T(Buffer) \
    F(Buffer, 0, data, VU8, NONE, 0) \
    F(Buffer, 1, offset, U64, NONE, 0) \
    F(Buffer, 2, size, U64, NONE, 0) \
    T(Metadata) \
    F(Metadata, 0, name, STR, NONE, 0) \
    F(Metadata, 1, buffer, U32, NONE, 0) \
    T(TensorMap) \
    F(TensorMap, 0, name, STR, NONE, 0) \
    F(TensorMap, 1, tensor_index, U32, NONE, 0) \
    T(SignatureDef) \
    F(SignatureDef, 0, inputs, VTAB, T_TensorMap, 0) \
    F(SignatureDef, 1, outputs, VTAB, T_TensorMap, 0) \
    F(SignatureDef, 2, signature_key, STR, NONE, 0) \
    F(SignatureDef, 4, subgraph_index, U32, NONE, 0) \
    T(ExternalBufferGroup) \
    F(ExternalBufferGroup, 0, name, STR, NONE, 0) \
    T(ExternalBuffer) \
    F(ExternalBuffer, 0, id, U32, NONE, 0) \
    F(ExternalBuffer, 1, group, U32, NONE, 0) \
    F(ExternalBuffer, 2, offset, U64, NONE, 0) \
    F(ExternalBuffer, 3, length, U64, NONE, 0) \
    F(ExternalBuffer, 4, packing, STR, NONE, 0)

/* Members of the unions QuantizationDetails and SparseIndexVector, each in the union's order. */
#define NPU__SCHEMA_UNIONS(T, F) \
    T(CustomQuantization) \
    F(CustomQuantization, 0, custom, VU8, NONE, 0) \
    T(BlockwiseQuantization) \
    F(BlockwiseQuantization, 0, scales, I32, NONE, 0) \
    F(BlockwiseQuantization, 1, zero_points, I32, NONE, 0) \
    F(BlockwiseQuantization, 2, block_size, I32, NONE, 0) \
    F(BlockwiseQuantization, 3, block_shape, VI32, NONE, 0) \
    T(MultiAxisQuantization) \
    F(MultiAxisQuantization, 0, scales, I32, NONE, 0) \
    F(MultiAxisQuantization, 1, zero_points, I32, NONE, 0) \
    F(MultiAxisQuantization, 2, block_size, I32, NONE, 0) \
    F(MultiAxisQuantization, 3, quantized_dimensions, VI32, NONE, 0) \
    T(Int32Vector) \
    F(Int32Vector, 0, values, VI32, NONE, 0) \
    T(Uint16Vector) \
    F(Uint16Vector, 0, values, VU16, NONE, 0) \
    T(Uint8Vector) \
    F(Uint8Vector, 0, values, VU8, NONE, 0)

#endif
