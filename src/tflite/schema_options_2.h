/* Members of the union BuiltinOptions2, in the union's order: rows of the list explained in schema.h. */
#ifndef NPU__TFLITE_SCHEMA_OPTIONS_2_H
#define NPU__TFLITE_SCHEMA_OPTIONS_2_H

#define NPU__SCHEMA_OPTIONS_2(T, F) \
    T(StablehloConcatenateOptions) \
    F(StablehloConcatenateOptions, 0, dimension, I64, NONE, 0) \
    T(StablehloBroadcastInDimOptions) \
    F(StablehloBroadcastInDimOptions, 0, broadcast_dimensions, VI64, NONE, 0) \
    T(StablehloSliceOptions) \
    F(StablehloSliceOptions, 0, start_indices, VI64, NONE, 0) \
    F(StablehloSliceOptions, 1, limit_indices, VI64, NONE, 0) \
    F(StablehloSliceOptions, 2, strides, VI64, NONE, 0) \
    T(StablehloConvolutionOptions) \
    F(StablehloConvolutionOptions, 0, window_strides, VI64, NONE, 0) \
    F(StablehloConvolutionOptions, 1, padding, VI64, NONE, 0) \
    F(StablehloConvolutionOptions, 2, lhs_dilation, VI64, NONE, 0) \
    F(StablehloConvolutionOptions, 3, rhs_dilation, VI64, NONE, 0) \
    F(StablehloConvolutionOptions, 4, window_reversal, VBOOL, NONE, 0) \
    F(StablehloConvolutionOptions, 5, input_batch_dimension, I64, NONE, 0) \
    F(StablehloConvolutionOptions, 6, input_feature_dimension, I64, NONE, 0) \
    F(StablehloConvolutionOptions, 7, input_spatial_dimensions, VI64, NONE, 0) \
    F(StablehloConvolutionOptions, 8, kernel_input_feature_dimension, I64, NONE, 0) \
    F(StablehloConvolutionOptions, 9, kernel_output_feature_dimension, I64, NONE, 0) \
    F(StablehloConvolutionOptions, 10, kernel_spatial_dimensions, VI64, NONE, 0) \
    F(StablehloConvolutionOptions, 11, output_batch_dimension, I64, NONE, 0) \
    F(StablehloConvolutionOptions, 12, output_feature_dimension, I64, NONE, 0) \
    F(StablehloConvolutionOptions, 13, output_spatial_dimensions, VI64, NONE, 0) \
    F(StablehloConvolutionOptions, 14, feature_group_count, I64, NONE, 0) \
    F(StablehloConvolutionOptions, 15, batch_group_count, I64, NONE, 0) \
    F(StablehloConvolutionOptions, 16, precision_config, VU32, E_StablehloPrecisionConfig, 0) \
    T(StablehloCustomCallOptions) \
    F(StablehloCustomCallOptions, 0, call_target_name, STR, NONE, 0) \
    F(StablehloCustomCallOptions, 1, has_side_effect, BOOL, NONE, 0) \
    F(StablehloCustomCallOptions, 2, backend_config, STR, NONE, 0) \
    F(StablehloCustomCallOptions, 3, api_version, I32, NONE, 0) \
    F(StablehloCustomCallOptions, 4, called_computations, VI32, NONE, 0) \
    F(StablehloCustomCallOptions, 5, custom_attributes, VU8, NONE, 0) \
    T(StablehloReduceOptions) \
    F(StablehloReduceOptions, 0, dimensions, VI64, NONE, 0) \
    F(StablehloReduceOptions, 1, body_subgraph_index, I32, NONE, 0) \
    T(StablehloScatterOptions) \
    F(StablehloScatterOptions, 0, indices_are_sorted, BOOL, NONE, 0) \
    F(StablehloScatterOptions, 1, update_window_dims, VI64, NONE, 0) \
    F(StablehloScatterOptions, 2, inserted_window_dims, VI64, NONE, 0) \
    F(StablehloScatterOptions, 3, scatter_dims_to_operand_dims, VI64, NONE, 0) \
    F(StablehloScatterOptions, 4, index_vector_dim, I64, NONE, 0) \
    F(StablehloScatterOptions, 5, unique_indices, BOOL, NONE, 0) \
    F(StablehloScatterOptions, 6, update_computation_subgraph_index, I32, NONE, 0) \
    T(StablehloCompareOptions) \
    F(StablehloCompareOptions, 0, comparison_direction, U32, E_StablehloComparisonDirection, 0) \
    F(StablehloCompareOptions, 1, compare_type, U32, E_StablehloComparisonType, 0) \
    T(StablehloDynamicSliceOptions) \
    F(StablehloDynamicSliceOptions, 0, slice_sizes, VI64, NONE, 0) \
    T(StablehloPadOptions) \
    F(StablehloPadOptions, 0, edge_padding_low, VI64, NONE, 0) \
    F(StablehloPadOptions, 1, edge_padding_high, VI64, NONE, 0) \
    F(StablehloPadOptions, 2, interior_padding, VI64, NONE, 0) \
    T(StablehloIotaOptions) \
    F(StablehloIotaOptions, 0, iota_dimension, I64, NONE, 0) \
    T(StablehloDotGeneralOptions) \
    F(StablehloDotGeneralOptions, 0, lhs_batching_dimensions, VI64, NONE, 0) \
    F(StablehloDotGeneralOptions, 1, rhs_batching_dimensions, VI64, NONE, 0) \
    F(StablehloDotGeneralOptions, 2, lhs_contracting_dimensions, VI64, NONE, 0) \
    F(StablehloDotGeneralOptions, 3, rhs_contracting_dimensions, VI64, NONE, 0) \
    F(StablehloDotGeneralOptions, 4, precision_config, VU32, E_StablehloPrecisionConfig, 0) \
    T(StablehloReduceWindowOptions) \
    F(StablehloReduceWindowOptions, 0, window_dimensions, VI64, NONE, 0) \
    F(StablehloReduceWindowOptions, 1, window_strides, VI64, NONE, 0) \
    F(StablehloReduceWindowOptions, 2, base_dilations, VI64, NONE, 0) \
    F(StablehloReduceWindowOptions, 3, window_dilations, VI64, NONE, 0) \
    F(StablehloReduceWindowOptions, 4, padding, VI64, NONE, 0) \
    F(StablehloReduceWindowOptions, 5, body_subgraph_index, I32, NONE, 0) \
    T(StablehloSortOptions) \
    F(StablehloSortOptions, 0, dimension, I64, NONE, 0) \
    F(StablehloSortOptions, 1, is_stable, BOOL, NONE, 0) \
    F(StablehloSortOptions, 2, comparator_subgraph_index, I32, NONE, 0) \
    T(StablehloWhileOptions) \
    F(StablehloWhileOptions, 0, cond_subgraph_index, I32, NONE, 0) \
    F(StablehloWhileOptions, 1, body_subgraph_index, I32, NONE, 0) \
    T(StablehloGatherOptions) \
    F(StablehloGatherOptions, 0, offset_dims, VI64, NONE, 0) \
    F(StablehloGatherOptions, 1, collapsed_slice_dims, VI64, NONE, 0) \
    F(StablehloGatherOptions, 2, start_index_map, VI64, NONE, 0) \
    F(StablehloGatherOptions, 3, index_vector_dim, I64, NONE, 0) \
    F(StablehloGatherOptions, 4, slice_sizes, VI64, NONE, 0) \
    F(StablehloGatherOptions, 5, indices_are_sorted, BOOL, NONE, 0) \
    T(StablehloTransposeOptions) \
    F(StablehloTransposeOptions, 0, permutation, VI64, NONE, 0) \
    T(DilateOptions) \
    T(StablehloRngBitGeneratorOptions) \
    F(StablehloRngBitGeneratorOptions, 0, algorithm, I8, E_RngAlgorithm, 0) \
    T(ReduceWindowOptions) \
    F(ReduceWindowOptions, 0, reduce_function, I32, E_ReduceWindowFunction, 0) \
    T(StableHLOCompositeOptions) \
    F(StableHLOCompositeOptions, 0, name, STR, NONE, 0) \
    F(StableHLOCompositeOptions, 1, decomposition_subgraph_index, I32, NONE, 0) \
    F(StableHLOCompositeOptions, 2, composite_attributes, VU8, NONE, 0) \
    F(StableHLOCompositeOptions, 3, composite_attributes_format, I8, E_CustomOptionsFormat, 0) \
    F(StableHLOCompositeOptions, 4, version, I32, NONE, 0) \
    T(StablehloShiftLeftOptions) \
    T(StablehloCaseOptions) \
    F(StablehloCaseOptions, 0, branch_subgraph_indices, VI32, NONE, 0)

#endif
