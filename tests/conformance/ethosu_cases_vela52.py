"""Cases for the rules of profile vela-5.2, from the models that ../ethosu/ has for the comparison with live Vela. Here
they need no Vela, and each broken rule must state the measured value."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "ethosu"))

import placement_cases  # noqa: E402
import placement_rules  # noqa: E402

# What is measured in the models that break a rule: in each of them, or the same in all.
MEASURED = {
    "has_input": "none",
    "has_output": "none",
    "tensor_static": "input 0: [1, -1, 4]",
    "types_integer": [
        "input 0: float32, output 0: float32",
        "input 0: float32, output 0: float32",
        "input 0: float32, output 0: float32",
        "input 0: uint16, output 0: uint16",
        "input 0: uint32, output 0: uint32",
        "input 0: float16, output 0: float16",
        "input 0: float64, output 0: float64",
        "input 0: bool, output 0: bool",
    ],
    "types_integer_or_bool": [
        "input 0: float32, output 0: float32",
        "input 0: float32, output 0: float32",
        "input 0: float32, output 0: float32",
        "input 0: uint16, output 0: uint16",
        "input 0: uint32, output 0: uint32",
        "input 0: float16, output 0: float16",
        "input 0: float64, output 0: float64",
    ],
    "tensor_shapeless": [
        "input 0: no dimensions, output 0: no dimensions",
        "input 0: no dimensions, output 0: no dimensions",
        "output 0: no dimensions",
    ],
    "variable.type": "output 0: float32",
    "var_handle.users": ["operator 1: FLOAT32, operator 2: FLOAT32", "operator 1: zero point, operator 2: zero point"],
    "type_not_32bit": [
        "input 0: int32, output 0: int32",
        "input 0: int32, output 0: int32",
        "input 0: int32, output 0: int32",
        "input 0: int32, input 1: int32, output 0: int32",
    ],
    "type_not_64bit": "input 0: int64, output 0: int64",
    "tensor_quantized": [
        "input 0: not quantized",
        "output 0: not quantized",
        "input 1: not quantized",
        "output 0: not quantized",
    ],
    "scale_in_range": ["input 0: 4.29497e+09, output 0: 4.29497e+09", "input 0: 1e+20, output 0: 1e+20"],
    "per_axis": ["input 0: 2 scales, output 0: 2 scales", "output 0: 2 scales", "input 0: 2 scales"],
    "zero_point.32bit_or_unsigned": [
        "input 0: uint8 with zero point -1, output 0: uint8 with zero point -1",
        "output 0: uint8 with zero point -1",
        "input 0: int32 with zero point 1, input 1: int32 with zero point 1, output 0: int32 with zero point 1",
        "input 0: int32 with zero point -1",
    ],
    "zero_point.input": [
        "input 0: int8 with zero point -129",
        "input 0: int8 with zero point 128",
        "input 0: uint8 with zero point -1",
        "input 0: uint8 with zero point 256",
        "input 0: int16 with zero point 1",
        "input 0: int16 with zero point -1",
    ],
    "zero_point.output": [
        "output 0: int8 with zero point -129",
        "output 0: int8 with zero point 128",
        "output 0: int16 with zero point 128",
        "output 0: uint8 with zero point -1",
        "output 0: uint8 with zero point 256",
        "output 0: uint8 with zero point 32767",
    ],
    "min_max.same_quantization": [
        "input 0: scale 0.5 zero point 0, input 1: scale 0.5 zero point 0, output 0: scale 0.25 zero point 0",
        "input 0: scale 0.5 zero point 0, input 1: scale 0.25 zero point 0, output 0: scale 0.5 zero point 0",
        "input 0: scale 0.5 zero point 0, input 1: scale 0.5 zero point 0, output 0: scale 0.5 zero point 1",
    ],
    "fused_activation.as_operator": [
        "SIGN_BIT",
        "2 scales",
        "output 0: int32",
        "output 0: int32",
        "output 0: int32",
        "output 0: int32",
        "zero point -1",
    ],
    "fused_activation.as_operator_u85": ["SIGN_BIT", "2 scales", "zero point 128", "zero point 256", "zero point 1"],
    "weights.8bit": ["16-bit", "16-bit", "32-bit"],
    "weights.sum_8bit": "8323073",
    "bias.shape": ["[2, 1]", "[2, 2]"],
    "bias.constant": "computed while running",
    "bias.type": ["input 2: int16", "input 2: int8", "input 2: float32"],
    "fully_connected.weights_matrix": "[2, 2, 1, 4]",
    "transpose_conv.stride": [
        "3x3, input 3x3, kernel 3x3",
        "2x1, input 3x3, kernel 2x2",
        "1x2, input 3x3, kernel 2x2",
        "2x1, input 5x2, kernel 4x1",
        "2x1, input 5x1, kernel 4x2",
        "1x2, input 2x5, kernel 1x4",
        "3x2, input 3x3, kernel 3x3",
    ],
    "transpose_conv.shape": ["6x5 instead of 6x6", "7x6 instead of 6x6", "6x7 instead of 7x7", "5x6 instead of 6x6"],
    "space_to_batch_nd.dilates": [
        "operator 1 has an activation",
        "none, or others see what is between",
        "operator 1 is refused",
        "operator 1 is refused",
        "none, or others see what is between",
    ],
    "space_to_batch_nd.dilates_u85": [
        "operator 1 has an activation",
        "none, or others see what is between",
        "operator 1 is refused",
        "operator 1 is refused",
        "none, or others see what is between",
    ],
    "batch_to_space_nd.dilates": [
        "operator 1 has an activation",
        "operator 1 is refused",
        "operator 1 is refused",
        "none, or others see what is between",
    ],
    "batch_to_space_nd.dilates_u85": [
        "operator 1 has an activation",
        "operator 1 is refused",
        "operator 1 is refused",
        "none, or others see what is between",
    ],
    "gelu.same_shape": ["input 0: [4], output 0: [1, 4]", "input 0: [1, 1, 4], output 0: [4]"],
    "gelu.type": "input 0: int16, output 0: int16",
    "elu.same_shape": ["input 0: [4], output 0: [1, 4]", "input 0: [1, 1, 4], output 0: [4]"],
    "elu.type": ["input 0: uint8, output 0: uint8", "input 0: int16, output 0: int16"],
    "log.same_shape": ["input 0: [4], output 0: [1, 4]", "input 0: [1, 1, 4], output 0: [4]"],
    "log.type": ["input 0: uint8, output 0: uint8", "input 0: int8, output 0: int16"],
    "rsqrt.type": "input 0: uint8",
    "model.input_8bit": ["input 0: int16", "input 0: int16", "input 0: float32"],
    "resize.factor_u55": [
        "5x3 to 15x9",
        "5x3 to 80x48",
        "5x3 to 20x6",
        "5x3 to 11x7, align_corners",
        "6x4 to 3x2",
        "4x1 to 8x2, align_corners",
        "5x3 to 1x1",
        "5x3 to 10x5",
        "5x3 to 65x33, align_corners",
        "5x3 to 15x9",
        "5x3 to 80x48",
        "5x3 to 20x6",
        "5x3 to 11x7, align_corners",
        "6x4 to 3x2",
        "4x1 to 8x2, align_corners",
        "5x3 to 1x1",
        "5x3 to 10x5",
        "5x3 to 65x33, align_corners",
        "5x3 to 5x3, half_pixel_centers",
        "5x3 to 20x12, half_pixel_centers",
        "5x3 to 10x3, half_pixel_centers",
    ],
    "resize.corners_or_centers": "5x3 to 9x5, align_corners, half_pixel_centers",
    "resize_bilinear.power_of_two": [
        "5x3 to 10x9",
        "5x3 to 11x7",
        "6x4 to 3x2",
        "5x3 to 9x6, align_corners",
        "5x3 to 25x6",
    ],
    "params_constant": "input 1: computed while running",
    "mean.depth": ["input 0: [1, 3, 4, 5]", "input 0: [1, 3, 4, 5]", "input 0: [3, 4, 5]"],
    "mean.type": "input 0: int32",
    "reverse_v2.axis": ["axis 0", "axis 1"],
    "arg_max.axis": [
        "axis 0 of 4 dimensions",
        "axis 1 of 4 dimensions",
        "axis 2 of 4 dimensions",
        "axis -2 of 4 dimensions",
    ],
    "model.arg_max.output": "output 0: int8",
    "strided_slice.stride_axes": ["1, 1, 1, 2", "2", "2, 1, 1, 1"],
    "strided_slice.stride_forward": "1, -1, 1, 1",
    "strided_slice.volume": "-1",
    "split.outputs": ["2 for 1 outputs", "3 for 2 outputs"],
    "split_v.outputs": ["3 for 2 outputs", "1 for 2 outputs"],
    "model.split.axis": ["axis -4 of 4 dimensions", "axis 9 of 4 dimensions"],
    "model.split.even": "2 splits of 7",
    "paddings_type": ["input 1: int16", "input 1: int8"],
    "model.pad.output": "dimension 2: 4 + 1 + 1, output 7",
    "transpose.int32_kind": ["0, 3, 2, 1", "0, 2, 3, 1", "0, 3, 1, 2", "1, 0, 2, 3", "3, 2, 1, 0", "2, 1, 0"],
    "transpose.int32_nwhc": [
        "input 0: [2, 2, 2, 2]",
        "input 0: [1, 65537, 2, 2]",
        "input 0: [1, 2, 65537, 2]",
        "input 0: [1, 2, 2, 16385]",
    ],
    "transpose.int32_nhcw": ["input 0: [2, 32769, 2, 2]", "input 0: [1, 2, 65537, 2]", "input 0: [1, 2, 2, 65537]"],
    "model.transpose.type": "input 1: int64",
    "model.transpose.rank": ["1 for 2 dimensions", "3 for 2 dimensions"],
    "matmul.type": ["input 0: int16", "input 0: uint8"],
    "model.fully_connected.rank": "input 0: [1, 1, 4], output 0: [1, 2]",
    "model.batch_matmul.ranks": [
        "input 0: [3, 4], input 1: [4, 5], output 0: [1, 3, 5]",
        "input 0: [4], input 1: [4, 5], output 0: [5]",
    ],
    "model.batch_matmul.broadcast": [
        "input 0: [2, 3, 4], input 1: [3, 4, 5], output 0: [2, 3, 5]",
        "input 0: [2, 3, 4], input 1: [2, 4, 5], output 0: [1, 3, 5]",
    ],
    "lstm.gates": ["no input 1", "no input 5", "no input 8"],
    "lstm.peephole": ["input 9", "input 10", "input 11"],
    "lstm.projection": ["input 16", "input 17"],
    "lstm.gate_norm": ["input 20", "input 21", "input 22", "input 23"],
    "model.lstm.type": "input 0: uint8",
    "model.lstm.rank": "input 0: [2, 3], output 0: [2, 2]",
    "gather.axis": ["axis 1, batch_dims 0", "axis 2, batch_dims 0", "axis 2, batch_dims 1"],
    "model.gather.index": "input 1: int8",
    "scatter_nd.shape_constant": "computed while running",
    "scatter_nd.index_constant": "computed while running",
    "scatter_nd.index_unique": ["1 twice", "65000 twice"],
    "model.contents": "input 1: empty",
    "model.scale_finite": ["input 0: not finite", "output 0: not finite"],
    "model.scale_ratio": ["0.5 / 0", "3e+38 / 1e-10"],
    "model.same_type": ["input 0: int8, output 0: int16", "input 0: uint8, output 0: int8"],
    "model.either_shape": [
        "input 0: [2, 1], input 1: [1, 3], output 0: [2, 4]",
        "input 0: [1, 4], input 1: [1, 1], output 0: [1, 5]",
        "input 0: [1, 4], output 0: [1, 5]",
    ],
    "model.input_types": ["input 0: int8, input 1: uint8", "input 0: int8, input 1: int16"],
    "model.signed": "input 0: int8, output 0: uint8",
    "model.unsigned": ["input 0: uint8, output 0: int8", "input 0: uint8, output 0: int16"],
    "model.same_scale": "0.5 and 0.25",
    "model.same_elements": "input 0: [2, 2], output 0: [1, 5]",
    "model.conv_2d.groups": ["3 input channels, 2 in the kernel", "2 input channels, 4 in the kernel"],
    "model.conv_2d.filters": "3 filters for 2 groups",
    "model.depthwise_conv_2d.depth": "2 times 0, 2 output channels",
    "model.softmax.shape": "input 0: [1, 4], output 0: [4]",
    "model.softmax.types": ["input 0: uint8, output 0: int8", "input 0: int16, output 0: int8"],
    "model.softmax.beta": "-1",
    "model.concatenation.axis": ["axis -3 of 2 dimensions", "axis 3 of 2 dimensions"],
    "model.concatenation.ranks": "input 1: [3]",
    "model.concatenation.dims": ["input 1: [1, 3]", "sum 5, output 6"],
}

GENERATORS = {
    rule: lambda v, rule=rule, make=make: make(v) if v > 0 and placement_cases.makes(rule, v) else None
    for rule, make in placement_cases.NUMERIC.items()
}


def plain_cases():
    for n, (rule, kept, broken) in enumerate(placement_rules.plain()):
        measured = MEASURED[rule[len("ethosu.") :]]
        for i, model in enumerate(kept):
            yield rule, "kept %d.%d" % (n, i), model, None
        for i, model in enumerate(broken):
            yield rule, "broken %d.%d" % (n, i), model, measured if isinstance(measured, str) else measured[i]


def number_cases():
    """Just above these limits no shape has so many values: the next number that one has."""
    for rule, limit in (("ethosu.mean.elements_int16", 65536), ("ethosu.mean.elements_uint8", 8388608)):
        value = next(v for v in range(limit + 2, limit + 9) if placement_cases.makes(rule, v))
        yield rule, "at %d" % value, placement_cases.NUMERIC[rule](value), value


GROUPS = [plain_cases, number_cases]
