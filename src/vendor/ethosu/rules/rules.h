/* Ethos-U rule rows: every line of the vendor's "Supported Ops" (backend converter version 0.1), in its order. Where a
 * line holds in other versions too, so does its row; rules_*.h have the rows that only those versions have.
 *
 * RANGE(id, on, bullet, constraint, predicate, lo, hi, what, hint, profiles)   "<what> must be in the range [lo, hi]"
 * AT_MOST(id, on, bullet, constraint, predicate, hi, what, hint, profiles)     "<what> must be at most hi"
 * NUMBER(id, on, bullet, constraint, predicate, lo, hi, limit, text, hint, profiles)   other numbers from lo to hi
 * RULE(id, on, bullet, constraint, predicate, limit, text, hint, profiles)     everything else
 *
 * `on` is an operator or one of NPU__ETHOSU_SETS. `bullet` counts the lines of "TFLite <on> Constraints" from 1; it is
 * 0 where the document has none. `constraint` names the check in the converter's source ("semantic": made on the model
 * before anything else; "supported": hardware limits), "" where it has none. */
#ifndef NPU__VENDOR_ETHOSU_RULES_H
#define NPU__VENDOR_ETHOSU_RULES_H

#include "operators.h"

#define NPU__ETHOSU_RULES(RANGE, AT_MOST, NUMBER, RULE, P) \
    RULE("ethosu.tensor_type_int8", Generic, 1, "", types, "int8", \
         "feature maps and weights must be int8 tensors", \
         "Quantize the model to full int8, with int8 inputs and outputs.", P##PUB) \
    RANGE("ethosu.tensor_dims_1_65535", Generic, 2, "", dims, 1, 65535, \
          "every dimension of feature maps and weights", \
          "Split or reshape the tensor so that no dimension is empty or above the limit.", P##PUB) \
    RULE("ethosu.fused_activation", Generic, 3, "supported.faf", fused, \
         "none, LOGISTIC, RELU, RELU6, RELU_N1_TO_1, TANH", "a fused activation must be one the NPU can apply", \
         "Make the activation an operator of its own, or choose another one.", P##PUB | P##V32) \
    RULE("ethosu.fused_activation_output_int8", Generic, 4, "", fused_output, "int8", \
         "the output of an op with a fused activation must be an int8 tensor", \
         "Quantize the output to int8, or make the activation an operator of its own.", P##PUB) \
    \
    RULE("ethosu.add.broadcast", ADD, 1, "supported.broadcast_shapes", broadcast, \
         "equal dimensions, or 1 in one of the inputs", \
         "inputs may differ only in dimensions where one of them is 1", \
         "Bring both inputs to shapes that broadcast.", P##PUB | P##V32) \
    \
    NUMBER("ethosu.average_pool_2d.batch_1", AVERAGE_POOL_2D, 1, "supported.batch_size", batch, 1, 1, "1", \
           "the input must be a single batch", "Convert the model with batch size 1.", P##PUB | P##V32) \
    RANGE("ethosu.average_pool_2d.stride_1_3", AVERAGE_POOL_2D, 2, "supported.stride_range", stride, 1, 3, \
          "stride width and height", "Use strides of at most 3, or pool in two steps.", P##PUB | P##V32) \
    RANGE("ethosu.average_pool_2d.filter_1_8", AVERAGE_POOL_2D, 3, "supported.filter_range", same_filter, 1, 8, \
          "filter width and height, unless the padding is VALID,", \
          "Use VALID padding, or a window of at most 8x8.", P##PUB | P##V32) \
    RANGE("ethosu.average_pool_2d.valid_filter_height_1_256", AVERAGE_POOL_2D, 4, \
          "supported.filter_height_range_valid_pad", valid_filter_height, 1, 256, \
          "with VALID padding the filter height", "Pool in two steps with lower windows.", P##PUB | P##V32) \
    RANGE("ethosu.average_pool_2d.valid_filter_product_1_65536", AVERAGE_POOL_2D, 5, \
          "supported.filter_product_range_valid_pad", valid_filter_product, 1, 65536, \
          "with VALID padding filter width times height", "Pool in two steps with smaller windows.", P##PUB | P##V32) \
    \
    RANGE("ethosu.conv_2d.stride_1_3", CONV_2D, 1, "supported.stride_range", stride, 1, 3, \
          "stride width and height", "Use strides of at most 3, or pool before the convolution.", P##PUB | P##V32) \
    RANGE("ethosu.conv_2d.dilation_1_2", CONV_2D, 2, "supported.dilation_range", dilation, 1, 2, \
          "dilation factors of width and height", "Dilate by at most 2, or spread the kernel with zeros.", P##PUB | P##V32) \
    RANGE("ethosu.conv_2d.dilated_height_1_64", CONV_2D, 3, "supported.dilated_height_range", dilated_height, 1, 64, \
          "the kernel's height, dilation included,", "Use a lower kernel, or two convolutions in a row.", P##PUB | P##V32) \
    RANGE("ethosu.conv_2d.dilated_product_1_4096", CONV_2D, 4, "supported.dilated_product_range", dilated_product, \
          1, 4096, "the kernel's width times height, dilation included,", \
          "Use a smaller kernel, or two convolutions in a row.", P##PUB | P##V32) \
    RULE("ethosu.conv_2d.weights_8bit", CONV_2D, 5, "supported.weights_type", weights_8bit, \
         "8-bit", "weights must have 8 bits an element", "Quantize the weights to 8 bits.", P##PUB | P##V32) \
    RULE("ethosu.conv_2d.weights_constant", CONV_2D, 6, "supported.weights_const", weights_constant, "constant", \
         "weights must be stored in the model", "Freeze the weights into the model.", P##PUB | P##V32) \
    AT_MOST("ethosu.conv_2d.weights_sum", CONV_2D, 7, "supported.weights_limit", weights_sum, 8323072, \
            "the sum of the weights", "Use a smaller kernel or fewer input channels.", P##PUB | P##V32) \
    RULE("ethosu.conv_2d.bias_int32", CONV_2D, 8, "", bias, "int32", \
         "a bias, where there is one, must be int32", "Quantize the bias to int32.", P##PUB) \
    NUMBER("ethosu.conv_2d.batch_1", CONV_2D, 9, "supported.batch_size", batch, 1, 1, "1", \
           "the input must be a single batch", "Convert the model with batch size 1.", P##PUB | P##V32) \
    \
    RANGE("ethosu.depthwise_conv_2d.stride_1_3", DEPTHWISE_CONV_2D, 1, "supported.stride_range", stride, 1, 3, \
          "stride width and height", "Use strides of at most 3, or pool before the convolution.", P##PUB | P##V32) \
    RANGE("ethosu.depthwise_conv_2d.dilation_1_2", DEPTHWISE_CONV_2D, 2, "supported.dilation_range", dilation, 1, 2, \
          "dilation factors of width and height", "Dilate by at most 2, or spread the kernel with zeros.", P##PUB | P##V32) \
    RANGE("ethosu.depthwise_conv_2d.dilated_height_1_64", DEPTHWISE_CONV_2D, 3, "supported.dilated_height_range", \
          dilated_height, 1, 64, "the kernel's height, dilation included,", \
          "Use a lower kernel, or two convolutions in a row.", P##PUB | P##V32) \
    RANGE("ethosu.depthwise_conv_2d.dilated_product_1_4096", DEPTHWISE_CONV_2D, 4, "supported.dilated_product_range", \
          dilated_product, 1, 4096, "the kernel's width times height, dilation included,", \
          "Use a smaller kernel, or two convolutions in a row.", P##PUB | P##V32) \
    RULE("ethosu.depthwise_conv_2d.weights_8bit", DEPTHWISE_CONV_2D, 5, "supported.weights_type", weights_8bit, \
         "8-bit", "weights must have 8 bits an element", "Quantize the weights to 8 bits.", P##PUB | P##V32) \
    RULE("ethosu.depthwise_conv_2d.weights_constant", DEPTHWISE_CONV_2D, 6, "supported.weights_const", \
         weights_constant, "constant", "weights must be stored in the model", \
         "Freeze the weights into the model.", P##PUB | P##V32) \
    AT_MOST("ethosu.depthwise_conv_2d.weights_sum", DEPTHWISE_CONV_2D, 7, "supported.weights_limit", weights_sum, \
            8323072, "the sum of the weights", "Use a smaller kernel or fewer channels.", P##PUB | P##V32) \
    RULE("ethosu.depthwise_conv_2d.bias_int32", DEPTHWISE_CONV_2D, 8, "", bias, "int32", \
         "a bias, where there is one, must be int32", "Quantize the bias to int32.", P##PUB) \
    NUMBER("ethosu.depthwise_conv_2d.batch_1", DEPTHWISE_CONV_2D, 9, "supported.batch_size", batch, 1, 1, "1", \
           "the input must be a single batch", "Convert the model with batch size 1.", P##PUB | P##V32) \
    RULE("ethosu.depthwise_conv_2d.depth_multiplier", DEPTHWISE_CONV_2D, 10, "supported.depth_multiplier", \
         depth_multiplier, "multiplier 1, or 1 input channel and as many output channels as the multiplier", \
         "a depth multiplier above 1 needs one input channel and must equal the output channels", \
         "Use depth multiplier 1, or an ordinary convolution.", P##PUB | P##V32) \
    \
    RULE("ethosu.fully_connected.weights_8bit", FULLY_CONNECTED, 1, "supported.weights_type", weights_8bit, \
         "8-bit", "weights must have 8 bits an element", "Quantize the weights to 8 bits.", P##PUB | P##V32) \
    RULE("ethosu.fully_connected.weights_constant", FULLY_CONNECTED, 2, "supported.weights_const", weights_constant, \
         "constant", "weights must be stored in the model", "Freeze the weights into the model.", P##PUB | P##V32) \
    RULE("ethosu.fully_connected.bias_int32", FULLY_CONNECTED, 3, "", bias, "int32", \
         "a bias, where there is one, must be int32", "Quantize the bias to int32.", P##PUB) \
    \
    NUMBER("ethosu.max_pool_2d.batch_1", MAX_POOL_2D, 1, "supported.batch_size", batch, 1, 1, "1", \
           "the input must be a single batch", "Convert the model with batch size 1.", P##PUB | P##V32) \
    RANGE("ethosu.max_pool_2d.stride_1_3", MAX_POOL_2D, 2, "supported.stride_range", stride, 1, 3, \
          "stride width and height", "Use strides of at most 3, or pool in two steps.", P##PUB | P##V32) \
    RANGE("ethosu.max_pool_2d.filter_height_1_256", MAX_POOL_2D, 3, "supported.filter_height_range", filter_height, \
          1, 256, "the filter height", "Pool in two steps with lower windows.", P##PUB | P##V32) \
    RANGE("ethosu.max_pool_2d.filter_product_1_65536", MAX_POOL_2D, 4, "supported.filter_product_range", \
          filter_product, 1, 65536, "filter width times height", "Pool in two steps with smaller windows.", P##PUB | P##V32) \
    \
    RULE("ethosu.mul.broadcast", MUL, 1, "supported.broadcast_shapes", broadcast, \
         "equal dimensions, or 1 in one of the inputs", \
         "inputs may differ only in dimensions where one of them is 1", \
         "Bring both inputs to shapes that broadcast.", P##PUB | P##V32) \
    \
    RULE("ethosu.pad.shape", PAD, 1, "supported.pad_shape", pad_shape, "[3, 2], [4, 2]", \
         "the tensor of paddings must have 3 or 4 rows of 2", "Pad a tensor of 3 or 4 dimensions.", P##PUB | P##V32) \
    RULE("ethosu.pad.width_height_only", PAD, 2, "supported.padding_dimensions", pad_width_height, \
         "0 for batch and channels", "only width and height may be padded", \
         "Pad width and height only; extend channels by CONCATENATION.", P##PUB | P##V32) \
    RULE("ethosu.pad.type_int32", PAD, 3, "", pad_type, "int32", "the tensor of paddings must be int32", \
         "Store the paddings as int32.", P##PUB) \
    \
    RULE("ethosu.reshape.shape_constant", RESHAPE, 1, "supported.reshape_shape_constant", reshape_constant, \
         "constant", "the new shape must be stored in the model", \
         "Fix the input shapes, so that the new shape is constant.", P##PUB | P##V32) \
    \
    RULE("ethosu.resize_bilinear.size", RESIZE_BILINEAR, 1, "", resize, \
         "input 1x1; output equal to the input; 2 x input - 1 with align_corners; 2 x input without", \
         "width and height must start from 1x1, stay as they are, or double (less 1 when corners are aligned)", \
         "Resize by a factor of 2, several times if need be.", P##PUB) \
    RULE("ethosu.resize_bilinear.half_pixel_centers", RESIZE_BILINEAR, 2, "supported.bilinear_resize_attrs", \
         half_pixel, "false", "half_pixel_centers must not be set", \
         "Export the model with half_pixel_centers=False.", P##PUB | P##V32) \
    \
    RULE("ethosu.sub.broadcast", SUB, 1, "supported.broadcast_shapes", broadcast, \
         "equal dimensions, or 1 in one of the inputs", \
         "inputs may differ only in dimensions where one of them is 1", \
         "Bring both inputs to shapes that broadcast.", P##PUB | P##V32)

#endif
