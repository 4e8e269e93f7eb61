/* Ethos-U rule rows: every line of the vendor's "Supported Ops" (backend converter version 0.1), in its order.
 *
 * OP(name, profiles)                                         one row of the summary table
 * RANGE(id, on, bullet, predicate, lo, hi, what, profiles)   "<what> must be in the range [lo, hi]"
 * AT_MOST(id, on, bullet, predicate, hi, what, profiles)     "<what> must be at most hi"
 * RULE(id, on, bullet, predicate, limit, text, profiles)     everything else
 *
 * `on` is Generic or the operator of the section "TFLite <on> Constraints"; `bullet` counts its lines from 1. */
#ifndef NPU__BACKEND_ETHOSU_RULES_H
#define NPU__BACKEND_ETHOSU_RULES_H

#define NPU__ETHOSU_OPS(OP, P) \
    OP(ADD, P) OP(AVERAGE_POOL_2D, P) OP(CONCATENATION, P) OP(CONV_2D, P) OP(DEPTHWISE_CONV_2D, P) \
    OP(FULLY_CONNECTED, P) OP(LOGISTIC, P) OP(MAX_POOL_2D, P) OP(MUL, P) OP(PACK, P) OP(PAD, P) OP(RELU, P) \
    OP(RELU6, P) OP(RELU_N1_TO_1, P) OP(RESHAPE, P) OP(RESIZE_BILINEAR, P) OP(SOFTMAX, P) OP(SUB, P) OP(TANH, P)

#define NPU__ETHOSU_RULES(RANGE, AT_MOST, RULE, P) \
    RULE("ethosu.tensor_type_int8", Generic, 1, types, "int8", \
         "feature maps and weights must be int8 tensors", P) \
    RANGE("ethosu.tensor_dims_1_65535", Generic, 2, dims, 1, 65535, \
          "every dimension of feature maps and weights", P) \
    RULE("ethosu.fused_activation", Generic, 3, fused, "none, LOGISTIC, RELU, RELU6, RELU_N1_TO_1, TANH", \
         "a fused activation must be one the NPU can apply", P) \
    RULE("ethosu.fused_activation_output_int8", Generic, 4, fused_output, "int8", \
         "the output of an op with a fused activation must be an int8 tensor", P) \
    \
    RULE("ethosu.add.broadcast", ADD, 1, broadcast, "equal dimensions, or 1 in one of the inputs", \
         "inputs may differ only in dimensions where one of them is 1", P) \
    \
    RULE("ethosu.average_pool_2d.batch_1", AVERAGE_POOL_2D, 1, batch, "1", "the input must be a single batch", P) \
    RANGE("ethosu.average_pool_2d.stride_1_3", AVERAGE_POOL_2D, 2, stride, 1, 3, "stride width and height", P) \
    RANGE("ethosu.average_pool_2d.filter_1_8", AVERAGE_POOL_2D, 3, same_filter, 1, 8, \
          "filter width and height, unless the padding is VALID,", P) \
    RANGE("ethosu.average_pool_2d.valid_filter_height_1_256", AVERAGE_POOL_2D, 4, valid_filter_height, 1, 256, \
          "with VALID padding the filter height", P) \
    RANGE("ethosu.average_pool_2d.valid_filter_product_1_65536", AVERAGE_POOL_2D, 5, valid_filter_product, 1, 65536, \
          "with VALID padding filter width times height", P) \
    \
    RANGE("ethosu.conv_2d.stride_1_3", CONV_2D, 1, stride, 1, 3, "stride width and height", P) \
    RANGE("ethosu.conv_2d.dilation_1_2", CONV_2D, 2, dilation, 1, 2, "dilation factors of width and height", P) \
    RANGE("ethosu.conv_2d.dilated_height_1_64", CONV_2D, 3, dilated_height, 1, 64, \
          "the kernel's height, dilation included,", P) \
    RANGE("ethosu.conv_2d.dilated_product_1_4096", CONV_2D, 4, dilated_product, 1, 4096, \
          "the kernel's width times height, dilation included,", P) \
    RULE("ethosu.conv_2d.weights_8bit", CONV_2D, 5, weights_8bit, "8-bit", "weights must have 8 bits an element", P) \
    RULE("ethosu.conv_2d.weights_constant", CONV_2D, 6, weights_constant, "constant", \
         "weights must be stored in the model", P) \
    AT_MOST("ethosu.conv_2d.weights_sum", CONV_2D, 7, weights_sum, 8323072, "the sum of the weights", P) \
    RULE("ethosu.conv_2d.bias_int32", CONV_2D, 8, bias, "int32", "a bias, where there is one, must be int32", P) \
    RULE("ethosu.conv_2d.batch_1", CONV_2D, 9, batch, "1", "the input must be a single batch", P) \
    \
    RANGE("ethosu.depthwise_conv_2d.stride_1_3", DEPTHWISE_CONV_2D, 1, stride, 1, 3, "stride width and height", P) \
    RANGE("ethosu.depthwise_conv_2d.dilation_1_2", DEPTHWISE_CONV_2D, 2, dilation, 1, 2, \
          "dilation factors of width and height", P) \
    RANGE("ethosu.depthwise_conv_2d.dilated_height_1_64", DEPTHWISE_CONV_2D, 3, dilated_height, 1, 64, \
          "the kernel's height, dilation included,", P) \
    RANGE("ethosu.depthwise_conv_2d.dilated_product_1_4096", DEPTHWISE_CONV_2D, 4, dilated_product, 1, 4096, \
          "the kernel's width times height, dilation included,", P) \
    RULE("ethosu.depthwise_conv_2d.weights_8bit", DEPTHWISE_CONV_2D, 5, weights_8bit, "8-bit", \
         "weights must have 8 bits an element", P) \
    RULE("ethosu.depthwise_conv_2d.weights_constant", DEPTHWISE_CONV_2D, 6, weights_constant, "constant", \
         "weights must be stored in the model", P) \
    AT_MOST("ethosu.depthwise_conv_2d.weights_sum", DEPTHWISE_CONV_2D, 7, weights_sum, 8323072, \
            "the sum of the weights", P) \
    RULE("ethosu.depthwise_conv_2d.bias_int32", DEPTHWISE_CONV_2D, 8, bias, "int32", \
         "a bias, where there is one, must be int32", P) \
    RULE("ethosu.depthwise_conv_2d.batch_1", DEPTHWISE_CONV_2D, 9, batch, "1", \
         "the input must be a single batch", P) \
    RULE("ethosu.depthwise_conv_2d.depth_multiplier", DEPTHWISE_CONV_2D, 10, depth_multiplier, \
         "multiplier 1, or 1 input channel and as many output channels as the multiplier", \
         "a depth multiplier above 1 needs one input channel and must equal the output channels", P) \
    \
    RULE("ethosu.fully_connected.weights_8bit", FULLY_CONNECTED, 1, weights_8bit, "8-bit", \
         "weights must have 8 bits an element", P) \
    RULE("ethosu.fully_connected.weights_constant", FULLY_CONNECTED, 2, weights_constant, "constant", \
         "weights must be stored in the model", P) \
    RULE("ethosu.fully_connected.bias_int32", FULLY_CONNECTED, 3, bias, "int32", \
         "a bias, where there is one, must be int32", P) \
    \
    RULE("ethosu.max_pool_2d.batch_1", MAX_POOL_2D, 1, batch, "1", "the input must be a single batch", P) \
    RANGE("ethosu.max_pool_2d.stride_1_3", MAX_POOL_2D, 2, stride, 1, 3, "stride width and height", P) \
    RANGE("ethosu.max_pool_2d.filter_height_1_256", MAX_POOL_2D, 3, filter_height, 1, 256, "the filter height", P) \
    RANGE("ethosu.max_pool_2d.filter_product_1_65536", MAX_POOL_2D, 4, filter_product, 1, 65536, \
          "filter width times height", P) \
    \
    RULE("ethosu.mul.broadcast", MUL, 1, broadcast, "equal dimensions, or 1 in one of the inputs", \
         "inputs may differ only in dimensions where one of them is 1", P) \
    \
    RULE("ethosu.pad.shape", PAD, 1, pad_shape, "[3, 2], [4, 2]", \
         "the tensor of paddings must have 3 or 4 rows of 2", P) \
    RULE("ethosu.pad.width_height_only", PAD, 2, pad_width_height, "0 for batch and channels", \
         "only width and height may be padded", P) \
    RULE("ethosu.pad.type_int32", PAD, 3, pad_type, "int32", "the tensor of paddings must be int32", P) \
    \
    RULE("ethosu.reshape.shape_constant", RESHAPE, 1, reshape_constant, "constant", \
         "the new shape must be stored in the model", P) \
    \
    RULE("ethosu.resize_bilinear.size", RESIZE_BILINEAR, 1, resize, \
         "input 1x1; output equal to the input; 2 x input - 1 with align_corners; 2 x input without", \
         "width and height must start from 1x1, stay as they are, or double (less 1 when corners are aligned)", P) \
    RULE("ethosu.resize_bilinear.half_pixel_centers", RESIZE_BILINEAR, 2, half_pixel, "false", \
         "half_pixel_centers must not be set", P) \
    \
    RULE("ethosu.sub.broadcast", SUB, 1, broadcast, "equal dimensions, or 1 in one of the inputs", \
         "inputs may differ only in dimensions where one of them is 1", P)

#endif
