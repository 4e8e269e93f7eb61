/* Members of the union BuiltinOptions, in the union's order: rows of the list explained in schema.h. */
#ifndef NPU__TFLITE_SCHEMA_OPTIONS_H
#define NPU__TFLITE_SCHEMA_OPTIONS_H

#define NPU__SCHEMA_OPTIONS(T, F) \
    T(Conv2DOptions) \
    F(Conv2DOptions, 0, padding, I8, E_Padding, 0) \
    F(Conv2DOptions, 1, stride_w, I32, NONE, 0) \
    F(Conv2DOptions, 2, stride_h, I32, NONE, 0) \
    F(Conv2DOptions, 3, fused_activation_function, I8, E_ActivationFunctionType, 0) \
    F(Conv2DOptions, 4, dilation_w_factor, I32, NONE, 1) \
    F(Conv2DOptions, 5, dilation_h_factor, I32, NONE, 1) \
    F(Conv2DOptions, 6, quantized_bias_type, I8, E_TensorType, 0) \
    T(DepthwiseConv2DOptions) \
    F(DepthwiseConv2DOptions, 0, padding, I8, E_Padding, 0) \
    F(DepthwiseConv2DOptions, 1, stride_w, I32, NONE, 0) \
    F(DepthwiseConv2DOptions, 2, stride_h, I32, NONE, 0) \
    F(DepthwiseConv2DOptions, 3, depth_multiplier, I32, NONE, 0) \
    F(DepthwiseConv2DOptions, 4, fused_activation_function, I8, E_ActivationFunctionType, 0) \
    F(DepthwiseConv2DOptions, 5, dilation_w_factor, I32, NONE, 1) \
    F(DepthwiseConv2DOptions, 6, dilation_h_factor, I32, NONE, 1) \
    T(ConcatEmbeddingsOptions) \
    F(ConcatEmbeddingsOptions, 0, num_channels, I32, NONE, 0) \
    F(ConcatEmbeddingsOptions, 1, num_columns_per_channel, VI32, NONE, 0) \
    F(ConcatEmbeddingsOptions, 2, embedding_dim_per_channel, VI32, NONE, 0) \
    T(LSHProjectionOptions) \
    F(LSHProjectionOptions, 0, type, I8, E_LSHProjectionType, 0) \
    T(Pool2DOptions) \
    F(Pool2DOptions, 0, padding, I8, E_Padding, 0) \
    F(Pool2DOptions, 1, stride_w, I32, NONE, 0) \
    F(Pool2DOptions, 2, stride_h, I32, NONE, 0) \
    F(Pool2DOptions, 3, filter_width, I32, NONE, 0) \
    F(Pool2DOptions, 4, filter_height, I32, NONE, 0) \
    F(Pool2DOptions, 5, fused_activation_function, I8, E_ActivationFunctionType, 0) \
    T(SVDFOptions) \
    F(SVDFOptions, 0, rank, I32, NONE, 0) \
    F(SVDFOptions, 1, fused_activation_function, I8, E_ActivationFunctionType, 0) \
    F(SVDFOptions, 2, asymmetric_quantize_inputs, BOOL, NONE, 0) \
    T(RNNOptions) \
    F(RNNOptions, 0, fused_activation_function, I8, E_ActivationFunctionType, 0) \
    F(RNNOptions, 1, asymmetric_quantize_inputs, BOOL, NONE, 0) \
    T(FullyConnectedOptions) \
    F(FullyConnectedOptions, 0, fused_activation_function, I8, E_ActivationFunctionType, 0) \
    F(FullyConnectedOptions, 1, weights_format, I8, E_FullyConnectedOptionsWeightsFormat, 0) \
    F(FullyConnectedOptions, 2, keep_num_dims, BOOL, NONE, 0) \
    F(FullyConnectedOptions, 3, asymmetric_quantize_inputs, BOOL, NONE, 0) \
    F(FullyConnectedOptions, 4, quantized_bias_type, I8, E_TensorType, 0) \
    F(FullyConnectedOptions, 5, quant_spec, VU8, NONE, 0) \
    T(SoftmaxOptions) \
    F(SoftmaxOptions, 0, beta, F32, NONE, 0) \
    T(ConcatenationOptions) \
    F(ConcatenationOptions, 0, axis, I32, NONE, 0) \
    F(ConcatenationOptions, 1, fused_activation_function, I8, E_ActivationFunctionType, 0) \
    T(AddOptions) \
    F(AddOptions, 0, fused_activation_function, I8, E_ActivationFunctionType, 0) \
    F(AddOptions, 1, pot_scale_int16, BOOL, NONE, 1) \
    T(L2NormOptions) \
    F(L2NormOptions, 0, fused_activation_function, I8, E_ActivationFunctionType, 0) \
    T(LocalResponseNormalizationOptions) \
    F(LocalResponseNormalizationOptions, 0, radius, I32, NONE, 0) \
    F(LocalResponseNormalizationOptions, 1, bias, F32, NONE, 0) \
    F(LocalResponseNormalizationOptions, 2, alpha, F32, NONE, 0) \
    F(LocalResponseNormalizationOptions, 3, beta, F32, NONE, 0) \
    T(LSTMOptions) \
    F(LSTMOptions, 0, fused_activation_function, I8, E_ActivationFunctionType, 0) \
    F(LSTMOptions, 1, cell_clip, F32, NONE, 0) \
    F(LSTMOptions, 2, proj_clip, F32, NONE, 0) \
    F(LSTMOptions, 3, kernel_type, I8, E_LSTMKernelType, 0) \
    F(LSTMOptions, 4, asymmetric_quantize_inputs, BOOL, NONE, 0) \
    T(ResizeBilinearOptions) \
    F(ResizeBilinearOptions, 2, align_corners, BOOL, NONE, 0) \
    F(ResizeBilinearOptions, 3, half_pixel_centers, BOOL, NONE, 0) \
    T(CallOptions) \
    F(CallOptions, 0, subgraph, U32, NONE, 0) \
    T(ReshapeOptions) \
    F(ReshapeOptions, 0, new_shape, VI32, NONE, 0) \
    T(SkipGramOptions) \
    F(SkipGramOptions, 0, ngram_size, I32, NONE, 0) \
    F(SkipGramOptions, 1, max_skip_size, I32, NONE, 0) \
    F(SkipGramOptions, 2, include_all_ngrams, BOOL, NONE, 0) \
    T(SpaceToDepthOptions) \
    F(SpaceToDepthOptions, 0, block_size, I32, NONE, 0) \
    T(EmbeddingLookupSparseOptions) \
    F(EmbeddingLookupSparseOptions, 0, combiner, I8, E_CombinerType, 0) \
    T(MulOptions) \
    F(MulOptions, 0, fused_activation_function, I8, E_ActivationFunctionType, 0) \
    T(PadOptions) \
    T(GatherOptions) \
    F(GatherOptions, 0, axis, I32, NONE, 0) \
    F(GatherOptions, 1, batch_dims, I32, NONE, 0) \
    T(BatchToSpaceNDOptions) \
    T(SpaceToBatchNDOptions) \
    T(TransposeOptions) \
    T(ReducerOptions) \
    F(ReducerOptions, 0, keep_dims, BOOL, NONE, 0) \
    T(SubOptions) \
    F(SubOptions, 0, fused_activation_function, I8, E_ActivationFunctionType, 0) \
    F(SubOptions, 1, pot_scale_int16, BOOL, NONE, 1) \
    T(DivOptions) \
    F(DivOptions, 0, fused_activation_function, I8, E_ActivationFunctionType, 0) \
    T(SqueezeOptions) \
    F(SqueezeOptions, 0, squeeze_dims, VI32, NONE, 0) \
    T(SequenceRNNOptions) \
    F(SequenceRNNOptions, 0, time_major, BOOL, NONE, 0) \
    F(SequenceRNNOptions, 1, fused_activation_function, I8, E_ActivationFunctionType, 0) \
    F(SequenceRNNOptions, 2, asymmetric_quantize_inputs, BOOL, NONE, 0) \
    T(StridedSliceOptions) \
    F(StridedSliceOptions, 0, begin_mask, I32, NONE, 0) \
    F(StridedSliceOptions, 1, end_mask, I32, NONE, 0) \
    F(StridedSliceOptions, 2, ellipsis_mask, I32, NONE, 0) \
    F(StridedSliceOptions, 3, new_axis_mask, I32, NONE, 0) \
    F(StridedSliceOptions, 4, shrink_axis_mask, I32, NONE, 0) \
    F(StridedSliceOptions, 5, offset, BOOL, NONE, 0) \
    T(ExpOptions) \
    T(TopKV2Options) \
    T(SplitOptions) \
    F(SplitOptions, 0, num_splits, I32, NONE, 0) \
    T(LogSoftmaxOptions) \
    T(CastOptions) \
    F(CastOptions, 0, in_data_type, I8, E_TensorType, 0) \
    F(CastOptions, 1, out_data_type, I8, E_TensorType, 0) \
    T(DequantizeOptions) \
    T(MaximumMinimumOptions) \
    T(ArgMaxOptions) \
    F(ArgMaxOptions, 0, output_type, I8, E_TensorType, 0) \
    T(LessOptions) \
    T(NegOptions) \
    T(PadV2Options) \
    T(GreaterOptions) \
    T(GreaterEqualOptions) \
    T(LessEqualOptions) \
    T(SelectOptions) \
    T(SliceOptions) \
    T(TransposeConvOptions) \
    F(TransposeConvOptions, 0, padding, I8, E_Padding, 0) \
    F(TransposeConvOptions, 1, stride_w, I32, NONE, 0) \
    F(TransposeConvOptions, 2, stride_h, I32, NONE, 0) \
    F(TransposeConvOptions, 3, fused_activation_function, I8, E_ActivationFunctionType, 0) \
    F(TransposeConvOptions, 4, quantized_bias_type, I8, E_TensorType, 0) \
    T(SparseToDenseOptions) \
    F(SparseToDenseOptions, 0, validate_indices, BOOL, NONE, 0) \
    T(TileOptions) \
    T(ExpandDimsOptions) \
    T(EqualOptions) \
    T(NotEqualOptions) \
    T(ShapeOptions) \
    F(ShapeOptions, 0, out_type, I8, E_TensorType, 0) \
    T(PowOptions) \
    T(ArgMinOptions) \
    F(ArgMinOptions, 0, output_type, I8, E_TensorType, 0) \
    T(FakeQuantOptions) \
    F(FakeQuantOptions, 0, min, F32, NONE, 0) \
    F(FakeQuantOptions, 1, max, F32, NONE, 0) \
    F(FakeQuantOptions, 2, num_bits, I32, NONE, 0) \
    F(FakeQuantOptions, 3, narrow_range, BOOL, NONE, 0) \
    T(PackOptions) \
    F(PackOptions, 0, values_count, I32, NONE, 0) \
    F(PackOptions, 1, axis, I32, NONE, 0) \
    T(LogicalOrOptions) \
    T(OneHotOptions) \
    F(OneHotOptions, 0, axis, I32, NONE, 0) \
    T(LogicalAndOptions) \
    T(LogicalNotOptions) \
    T(UnpackOptions) \
    F(UnpackOptions, 0, num, I32, NONE, 0) \
    F(UnpackOptions, 1, axis, I32, NONE, 0) \
    T(FloorDivOptions) \
    T(SquareOptions) \
    T(ZerosLikeOptions) \
    T(FillOptions) \
    T(BidirectionalSequenceLSTMOptions) \
    F(BidirectionalSequenceLSTMOptions, 0, fused_activation_function, I8, E_ActivationFunctionType, 0) \
    F(BidirectionalSequenceLSTMOptions, 1, cell_clip, F32, NONE, 0) \
    F(BidirectionalSequenceLSTMOptions, 2, proj_clip, F32, NONE, 0) \
    F(BidirectionalSequenceLSTMOptions, 3, merge_outputs, BOOL, NONE, 0) \
    F(BidirectionalSequenceLSTMOptions, 4, time_major, BOOL, NONE, 1) \
    F(BidirectionalSequenceLSTMOptions, 5, asymmetric_quantize_inputs, BOOL, NONE, 0) \
    T(BidirectionalSequenceRNNOptions) \
    F(BidirectionalSequenceRNNOptions, 0, time_major, BOOL, NONE, 0) \
    F(BidirectionalSequenceRNNOptions, 1, fused_activation_function, I8, E_ActivationFunctionType, 0) \
    F(BidirectionalSequenceRNNOptions, 2, merge_outputs, BOOL, NONE, 0) \
    F(BidirectionalSequenceRNNOptions, 3, asymmetric_quantize_inputs, BOOL, NONE, 0) \
    T(UnidirectionalSequenceLSTMOptions) \
    F(UnidirectionalSequenceLSTMOptions, 0, fused_activation_function, I8, E_ActivationFunctionType, 0) \
    F(UnidirectionalSequenceLSTMOptions, 1, cell_clip, F32, NONE, 0) \
    F(UnidirectionalSequenceLSTMOptions, 2, proj_clip, F32, NONE, 0) \
    F(UnidirectionalSequenceLSTMOptions, 3, time_major, BOOL, NONE, 0) \
    F(UnidirectionalSequenceLSTMOptions, 4, asymmetric_quantize_inputs, BOOL, NONE, 0) \
    F(UnidirectionalSequenceLSTMOptions, 5, diagonal_recurrent_tensors, BOOL, NONE, 0) \
    T(FloorModOptions) \
    T(RangeOptions) \
    T(ResizeNearestNeighborOptions) \
    F(ResizeNearestNeighborOptions, 0, align_corners, BOOL, NONE, 0) \
    F(ResizeNearestNeighborOptions, 1, half_pixel_centers, BOOL, NONE, 0) \
    T(LeakyReluOptions) \
    F(LeakyReluOptions, 0, alpha, F32, NONE, 0) \
    T(SquaredDifferenceOptions) \
    T(MirrorPadOptions) \
    F(MirrorPadOptions, 0, mode, I8, E_MirrorPadMode, 0) \
    T(AbsOptions) \
    T(SplitVOptions) \
    F(SplitVOptions, 0, num_splits, I32, NONE, 0) \
    T(UniqueOptions) \
    F(UniqueOptions, 0, idx_out_type, I8, E_TensorType, 2) \
    T(ReverseV2Options) \
    T(AddNOptions) \
    T(GatherNdOptions) \
    T(CosOptions) \
    T(WhereOptions) \
    T(RankOptions) \
    T(ReverseSequenceOptions) \
    F(ReverseSequenceOptions, 0, seq_dim, I32, NONE, 0) \
    F(ReverseSequenceOptions, 1, batch_dim, I32, NONE, 0) \
    T(MatrixDiagOptions) \
    T(QuantizeOptions) \
    T(MatrixSetDiagOptions) \
    T(HardSwishOptions) \
    T(IfOptions) \
    F(IfOptions, 0, then_subgraph_index, I32, NONE, 0) \
    F(IfOptions, 1, else_subgraph_index, I32, NONE, 0) \
    T(WhileOptions) \
    F(WhileOptions, 0, cond_subgraph_index, I32, NONE, 0) \
    F(WhileOptions, 1, body_subgraph_index, I32, NONE, 0) \
    T(DepthToSpaceOptions) \
    F(DepthToSpaceOptions, 0, block_size, I32, NONE, 0) \
    T(NonMaxSuppressionV4Options) \
    T(NonMaxSuppressionV5Options) \
    T(ScatterNdOptions) \
    T(SelectV2Options) \
    T(DensifyOptions) \
    T(SegmentSumOptions) \
    T(BatchMatMulOptions) \
    F(BatchMatMulOptions, 0, adj_x, BOOL, NONE, 0) \
    F(BatchMatMulOptions, 1, adj_y, BOOL, NONE, 0) \
    F(BatchMatMulOptions, 2, asymmetric_quantize_inputs, BOOL, NONE, 0) \
    T(CumsumOptions) \
    F(CumsumOptions, 0, exclusive, BOOL, NONE, 0) \
    F(CumsumOptions, 1, reverse, BOOL, NONE, 0) \
    T(CallOnceOptions) \
    F(CallOnceOptions, 0, init_subgraph_index, I32, NONE, 0) \
    T(BroadcastToOptions) \
    T(Rfft2dOptions) \
    T(Conv3DOptions) \
    F(Conv3DOptions, 0, padding, I8, E_Padding, 0) \
    F(Conv3DOptions, 1, stride_d, I32, NONE, 0) \
    F(Conv3DOptions, 2, stride_w, I32, NONE, 0) \
    F(Conv3DOptions, 3, stride_h, I32, NONE, 0) \
    F(Conv3DOptions, 4, fused_activation_function, I8, E_ActivationFunctionType, 0) \
    F(Conv3DOptions, 5, dilation_d_factor, I32, NONE, 1) \
    F(Conv3DOptions, 6, dilation_w_factor, I32, NONE, 1) \
    F(Conv3DOptions, 7, dilation_h_factor, I32, NONE, 1) \
    T(HashtableOptions) \
    F(HashtableOptions, 0, table_id, I32, NONE, 0) \
    F(HashtableOptions, 1, key_dtype, I8, E_TensorType, 0) \
    F(HashtableOptions, 2, value_dtype, I8, E_TensorType, 0) \
    T(HashtableFindOptions) \
    T(HashtableImportOptions) \
    T(HashtableSizeOptions) \
    T(VarHandleOptions) \
    F(VarHandleOptions, 0, container, STR, NONE, 0) \
    F(VarHandleOptions, 1, shared_name, STR, NONE, 0) \
    T(ReadVariableOptions) \
    T(AssignVariableOptions) \
    T(RandomOptions) \
    F(RandomOptions, 0, seed, I64, NONE, 0) \
    F(RandomOptions, 1, seed2, I64, NONE, 0) \
    T(BucketizeOptions) \
    F(BucketizeOptions, 0, boundaries, VF32, NONE, 0) \
    T(GeluOptions) \
    F(GeluOptions, 0, approximate, BOOL, NONE, 0) \
    T(DynamicUpdateSliceOptions) \
    T(UnsortedSegmentProdOptions) \
    T(UnsortedSegmentMaxOptions) \
    T(UnsortedSegmentMinOptions) \
    T(UnsortedSegmentSumOptions) \
    T(ATan2Options) \
    T(SignOptions) \
    T(BitcastOptions) \
    T(BitwiseXorOptions) \
    T(RightShiftOptions)

#endif
