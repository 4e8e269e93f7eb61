"""Cases for the Ethos-U rules that the published document does not have. See ethosu_cases.py for their form."""

import numpy as np

from ethosu_models import (
    ACTS,
    binary,
    concat,
    conv,
    dense,
    mean,
    pad,
    pool,
    q,
    quantized,
    resize,
    strided_slice,
    transpose_conv,
    unary,
)
from mkmodel import T, single_op, opts

SCALAR = np.zeros((), np.int8)


def scalar_cases():
    rule = "ethosu.tensor_dynamic"
    yield rule, "scalar input", binary("ADD", (1, 3), (), (1, 3)), "input 1: no shape, no value"
    yield rule, "scalar output", unary("RELU", ()), "input 0: no shape, no value, output 0: no shape, no value"
    yield rule, "stored scalar", binary("ADD", (1, 3), (), (1, 3), b_data=SCALAR), None
    yield rule, "unlisted", unary("FLOOR", (), dtype="float32"), "input 0: no shape, no value"
    rule = "ethosu.output_scalar"
    yield rule, "scalar", mean((2, 3), (0, 1)), "[]"
    yield rule, "kept", mean((2, 3), (0, 1), keep=True), None
    rule = "ethosu.input_scalar"
    for op in ("ADD", "SUB", "MUL"):
        yield rule, op, binary(op, (1, 3), (), (1, 3), b_data=SCALAR), None
    for op in ("MINIMUM", "MAXIMUM"):
        yield rule, op, single_op(op, [q("a", (1, 3)), q("b", (), data=SCALAR)], [q("y", (1, 3))]), None
    yield rule, "MEAN", mean((1, 2, 3, 4), (1,), scalar=True), None
    axis = T("a", (), "int32", data=np.array(1, np.int32))
    yield rule, "EXPAND_DIMS", single_op("EXPAND_DIMS", [q("x", (2, 3)), axis], [q("y", (2, 1, 3))]), None
    yield (
        rule,
        "SPLIT",
        single_op("SPLIT", [axis, q("x", (1, 4))], [q("y", (1, 2)), q("z", (1, 2))], opts("SplitOptions", numSplits=2)),
        None,
    )
    yield rule, "REVERSE_V2", single_op("REVERSE_V2", [q("x", (1, 4)), axis], [q("y", (1, 4))]), "input 1: []"
    yield rule, "SQUEEZE", unary("SQUEEZE", (), dtype="int8"), "input 0: []"
    yield (
        "ethosu.tensor_rank_4",
        "unlisted",
        unary("FLOOR", (1, 1, 1, 1, 2), dtype="float32"),
        "input 0: 5, output 0: 5",
    )


def quantization_cases():
    rule = "ethosu.quantization_missing"
    yield rule, "quantized", unary("RELU"), None
    yield rule, "float", unary("RELU", dtype="float32"), "input 0: none, output 0: none"
    yield rule, "output", quantized("RELU", scale=None), "output 0: none"
    yield rule, "weights", conv("CONV_2D", scale=None), "input 1: none"
    yield rule, "unlisted", unary("FLOOR", dtype="float32"), "output 0: none"
    yield rule, "bias is not asked", dense(), None
    rule = "ethosu.quantization_finite"
    for scale, got in (
        (0.5, None),
        (float("inf"), "output 0: infinite"),
        (float("-inf"), "output 0: infinite"),
        (3.4e38, None),
    ):
        yield rule, str(scale), quantized("RELU", scale), got
    yield (
        rule,
        "a channel",
        conv("CONV_2D", outputs=2, scale=[0.5, float("inf")], zero_point=[0, 0]),
        "input 1: infinite",
    )
    rule = "ethosu.quantization_range"
    for scale, got in (
        (1.1754944e-38, None),
        (1.0e-38, "output scale 1"),
        (0.0, "output scale 0"),
        (-1.0, "output scale -1"),
    ):
        yield rule, str(scale), quantized("RELU", scale, in_scale=1e-10), got
    yield rule, "ratio", quantized("RELU", 1e-30, in_scale=1e9), "scales 1e+09 to 1e-30"
    yield rule, "ratio kept", quantized("RELU", 1e-30, in_scale=1e8), None
    yield rule, "of any type", quantized("RELU", 0.0, dtype="float32"), "output scale 0"
    yield rule, "not quantized", unary("RELU", dtype="float32"), None

    rule = "ethosu.per_axis_quantization"
    both = [0.5, 0.5]
    yield rule, "one scale", unary("RELU"), None
    yield (
        rule,
        "two scales",
        single_op("RELU", [T("x", (1, 2), "int8", both, 0, axis=1)], [q("y", (1, 2))]),
        "input 0: 2 scales",
    )
    yield (
        rule,
        "FULLY_CONNECTED",
        single_op(
            "FULLY_CONNECTED",
            [q("x", (1, 3)), T("w", (2, 3), "int8", both, 0, axis=0, data=np.ones((2, 3), np.int8)), None],
            [q("y", (1, 2))],
            opts("FullyConnectedOptions"),
        ),
        "input 1: 2 scales",
    )

    rule = "ethosu.reshaping.quantization"
    shape = T("s", (2,), "int32", data=np.array([2, 2], np.int32))
    for op, out, more in (
        ("RESHAPE", (2, 2), [shape]),
        ("SQUEEZE", (4,), []),
        ("EXPAND_DIMS", (1, 1, 4), [T("a", (1,), "int32", data=np.array([0], np.int32))]),
    ):
        yield rule, op, quantized(op, out=out, more=more), None
        yield (
            rule,
            op + " scale",
            quantized(op, 0.25, out=out, more=more),
            "scale 0.5 zero point 0 to scale 0.25 zero point 0",
        )
        yield (
            rule,
            op + " zero point",
            quantized(op, 0.5, 3, out=out, more=more),
            "scale 0.5 zero point 0 to scale 0.5 zero point 3",
        )
    yield (
        rule,
        "float",
        quantized("RESHAPE", None, in_scale=None, dtype="float32", out=(2, 2), more=[shape]),
        "not quantized to not quantized",
    )
    rule = "ethosu.min_max.quantization"
    for op in ("MINIMUM", "MAXIMUM"):
        for a, b, got in (
            (0.5, 0.5, None),
            (0.25, 0.5, "input 0: scale 0.25 zero point 0"),
            (0.5, 0.25, "input 1: scale 0.25 zero point 0"),
        ):
            inputs = [T("a", (1, 2), "int8", a, 0), T("b", (1, 2), "int8", b, 0)]
            yield rule, "%s %s %s" % (op, a, b), single_op(op, inputs, [q("y", (1, 2))]), got


def type_cases():
    rule = "ethosu.tensor_type"
    for dtype in ("uint8", "int8", "int16", "int32"):
        yield rule, dtype, unary("RELU", dtype=dtype), None
    for dtype in ("float32", "int64", "bool"):
        yield rule, dtype, unary("RELU", dtype=dtype), "input 0: %s, output 0: %s" % (dtype, dtype)
    yield rule, "shapes are not data", pad([[0, 0]] * 4, "int64"), None
    yield rule, "weights", conv("CONV_2D", weight_dtype="float32"), "input 1: float32"
    yield rule, "first of joined goes unchecked", concat([(1, 1), (1, 1)], (1, 2), dtypes=("float32", "int8")), None
    yield rule, "second of joined", concat([(1, 1), (1, 1)], (1, 2), dtypes=("int8", "float32")), "input 1: float32"
    rule = "ethosu.tensor_int32"
    for op in ("ADD", "SUB", "MUL"):
        yield rule, op, binary(op, (1, 2), (1, 2), (1, 2), dtype="int32", out_dtype="int32"), None
    yield rule, "RELU", unary("RELU", dtype="int32"), "input 0: int32, output 0: int32"
    yield rule, "QUANTIZE", unary("QUANTIZE", dtype="int32", out_dtype="int8"), "input 0: int32"
    rule = "ethosu.feature_map_dims_1_65535"
    flat = T("s", (1,), "int32", data=np.array([65536], np.int32))
    yield (
        rule,
        "output",
        single_op("RESHAPE", [q("x", (2, 32768)), flat], [q("y", (65536,))], opts("ReshapeOptions")),
        "output 0: [65536]",
    )
    yield (
        rule,
        "first of packed only",
        single_op("PACK", [q("a", (2,)), q("b", (2,))], [q("y", (2, 2))], opts("PackOptions", valuesCount=2)),
        None,
    )
    rule = "ethosu.fused_activation_output"
    for dtype in ("uint8", "int8", "int16", "int32"):
        for act in ("NONE", "RELU6"):
            bad = act != "NONE" and dtype == "int32"
            yield (
                rule,
                "%s %s" % (act, dtype),
                binary("ADD", (1, 2), (1, 2), (1, 2), ACTS[act], out_dtype=dtype),
                "int32" if bad else None,
            )

    rule = "ethosu.same_type"
    for op in ("ABS", "LEAKY_RELU", "HARD_SWISH", "SOFTMAX"):
        o = {
            "LEAKY_RELU": opts("LeakyReluOptions", alpha=0.5),
            "SOFTMAX": opts("SoftmaxOptions", beta=1.0),
            "ABS": opts("AbsOptions"),
            "HARD_SWISH": opts("HardSwishOptions"),
        }[op]
        yield rule, op, unary(op, options=o), None
        yield rule, op + " broken", unary(op, out_dtype="int16", options=o), "int8 to int16"
    for op in ("AVERAGE_POOL_2D", "MAX_POOL_2D"):
        yield rule, op, pool(op), None
        yield rule, op + " broken", pool(op, out_dtype="uint8"), "int8 to uint8"
    for op in ("MINIMUM", "MAXIMUM"):
        yield rule, op, single_op(op, [q("a", (1, 2)), q("b", (1, 2))], [q("y", (1, 2), "int16")]), "int8 to int16"
    yield rule, "ADD may differ", binary("ADD", (1, 2), (1, 2), (1, 2), out_dtype="int16"), None

    for op in ("ADD", "SUB", "MUL"):
        two = lambda a, b, y: single_op(
            op,
            [q("a", (1, 2), a), q("b", (1, 2), b)],
            [q("y", (1, 2), y)],
            opts({"ADD": "AddOptions", "SUB": "SubOptions", "MUL": "MulOptions"}[op]),
        )
        yield "ethosu.arithmetic.input_types", op, two("int8", "int8", "int8"), None
        yield "ethosu.arithmetic.input_types", op + " broken", two("int8", "int16", "int8"), "int8 and int16"
        yield "ethosu.arithmetic.signed", op, two("int8", "int8", "int32"), None
        yield "ethosu.arithmetic.signed", op + " broken", two("int8", "int8", "uint8"), "int8 to uint8"
        yield "ethosu.arithmetic.signed", op + " float", two("int8", "int8", "float32"), "int8 to float32"
        for out, got in (("uint8", None), ("int32", None), ("int8", "uint8 to int8"), ("int16", "uint8 to int16")):
            yield "ethosu.arithmetic.unsigned", "%s %s" % (op, out), two("uint8", "uint8", out), got
    rule = "ethosu.input_8bit"
    for dtype in ("int8", "uint8", "int16", "int32"):
        got = None if dtype.endswith("int8") else dtype
        yield rule, "HARD_SWISH " + dtype, unary("HARD_SWISH", dtype=dtype, options=opts("HardSwishOptions")), got
        yield rule, "MEAN " + dtype, mean((1, 2, 2, 3), (1, 2), dtype=dtype), got


def shape_cases():
    rule = "ethosu.elementwise.either_shape"
    for op in ("ADD", "SUB", "MUL"):
        yield rule, op + " first", binary(op, (1, 4, 4, 2), (2,), (1, 4, 4, 2)), None
        yield rule, op + " second", binary(op, (1, 1, 1, 2), (1, 4, 4, 2), (1, 4, 4, 2)), None
        yield (
            rule,
            op + " neither",
            binary(op, (1, 1, 4, 2), (1, 4, 1, 2), (1, 4, 4, 2)),
            "[1, 1, 4, 2] and [1, 4, 1, 2] to [1, 4, 4, 2]",
        )
    for op in ("MINIMUM", "MAXIMUM"):
        two = lambda a, b, y: single_op(op, [q("a", a), q("b", b)], [q("y", y)])
        yield rule, op, two((1, 2), (1, 2), (1, 2)), None
        yield rule, op + " neither", two((1, 4, 1), (1, 1, 2), (1, 4, 2)), "[1, 4, 1] and [1, 1, 2]"
        yield "ethosu.min_max.broadcast", op, two((1, 4, 1), (1, 4, 2), (1, 4, 2)), None
        yield "ethosu.min_max.broadcast", op + " broken", two((1, 2), (1, 3), (1, 3)), "[1, 2] and [1, 3]"
    yield rule, "ABS", unary("ABS", (1, 4), options=opts("AbsOptions")), None
    yield rule, "ABS broken", unary("ABS", (1, 4), (4, 1), options=opts("AbsOptions")), "[1, 4] to [4, 1]"
    rule = "ethosu.elementwise.batch_1"
    yield rule, "two dimensions", binary("ADD", (2, 3), (2, 3), (2, 3)), None
    yield rule, "ABS", unary("ABS", (2, 1, 1), options=opts("AbsOptions")), "input 0: 2"
    rule = "ethosu.softmax.shape"
    for out, got in (((1, 4), None), ((4,), "[1, 4] to [4]")):
        yield rule, str(out), unary("SOFTMAX", (1, 4), out, options=opts("SoftmaxOptions", beta=1.0)), got
    rule = "ethosu.softmax.beta"
    for beta, got in ((-0.5, "-0.5"), (0.0, None), (1.0, None), (float("nan"), "nan")):
        yield rule, str(beta), unary("SOFTMAX", options=opts("SoftmaxOptions", beta=beta)), got
    rule = "ethosu.leaky_relu.alpha"
    for a, got in ((-0.5, "-0.5"), (0.0, None), (0.5, None)):
        yield rule, str(a), unary("LEAKY_RELU", options=opts("LeakyReluOptions", alpha=a)), got

    yield "ethosu.concatenation.axis_stored", "stored", concat([(1, 1), (1, 1)], (1, 2)), None
    yield "ethosu.concatenation.axis_stored", "not", concat([(1, 1), (1, 1)], (2, 1), options=False), "no options"
    rule = "ethosu.concatenation.axis"
    for axis, got in ((-3, "axis -3 of 2"), (-2, None), (-1, None), (0, None), (1, None), (2, "axis 2 of 2")):
        yield rule, str(axis), concat([(1, 1)] * 2, (2, 1) if axis in (0, -2) else (1, 2), axis), got
    rule = "ethosu.concatenation.dimensionality"
    yield rule, "equal", concat([(1, 1)] * 3, (1, 3)), None
    yield rule, "first", concat([(1,), (1, 1)], (1, 2)), "input 0: 1 instead of 2"
    rule = "ethosu.concatenation.dimensions"
    yield rule, "equal", concat([(2, 1), (2, 3)], (2, 4)), None
    yield rule, "broken", concat([(2, 1), (1, 3)], (2, 4)), "input 1: [1, 3]"
    yield rule, "negative axis", concat([(2, 1), (2, 3)], (2, 4), -1), None

    rule = "ethosu.fully_connected.keep_num_dims"
    for keep in (False, True):
        yield rule, "equal %s" % keep, dense(lead=(1, 2), keep=keep), None
        yield (
            rule,
            "less %s" % keep,
            dense(lead=(1, 2), out_lead=(2,), keep=keep),
            "[1, 2, 3] to [2, 2]" if keep else None,
        )
    rule = "ethosu.resize_bilinear.doublings"
    yield rule, "from 1x1", resize((1, 1), (5, 7)), None
    yield rule, "same", resize((3, 5), (3, 5)), None
    for align in (False, True):
        for h, w in (
            (8, 10),
            (7, 9),
            (16, 20),
            (13, 17),
            (32, 40),
            (25, 33),
            (8, 9),
            (8, 20),
            (4, 10),
            (2, 2),
            (12, 15),
        ):
            good = (h, w) in (((7, 9), (13, 17), (25, 33)) if align else ((8, 10), (16, 20), (32, 40)))
            yield (
                rule,
                "4x5 to %dx%d%s" % (h, w, " aligned" if align else ""),
                resize((4, 5), (h, w), align),
                None if good else "5x4 to %dx%d" % (w, h),
            )


def slice_cases():
    rule = "ethosu.strided_slice.constant"
    yield rule, "constant", strided_slice(), None
    yield rule, "computed", strided_slice(constant=False), "input 1: computed while running"
    rule = "ethosu.strided_slice.axis_masks"
    for new, shrink in ((0, 0), (1, 0), (0, 1), (1, 2)):
        yield (
            rule,
            "%d %d" % (new, shrink),
            strided_slice(newAxisMask=new, shrinkAxisMask=shrink),
            "new_axis_mask 1, shrink_axis_mask 2" if new and shrink else None,
        )
    rule = "ethosu.strided_slice.range"
    yield rule, "kept", strided_slice(), None
    yield rule, "negative", strided_slice(begin=(0, -3, -2, 0), end=(1, -1, 4, 2)), None
    yield rule, "empty", strided_slice(end=(1, 0, 2, 2), out=(1, 0, 2, 2)), "dimension 1: 0 to 0"
    yield (
        rule,
        "masks",
        strided_slice(begin=(0, 3, 0, 0), end=(1, 0, 2, 2), beginMask=2, endMask=2, out=(1, 4, 2, 2)),
        None,
    )
    yield rule, "begin mask", strided_slice(begin=(0, 3, 0, 0), beginMask=2), None
    yield "ethosu.strided_slice.stride_1", "negative", strided_slice(strides=(1, 1, -1, 1)), "-1"

    rule = "ethosu.pad.constant"
    yield rule, "constant", pad([[0, 0]] * 4), None
    yield rule, "computed", pad([[0, 0]] * 4, constant=False), "computed while running"
    for dtype in ("int32", "int64", "int16"):
        yield "ethosu.pad.type", dtype, pad([[0, 0]] * 4, dtype), None if dtype != "int16" else "int16"
    rule = "ethosu.mean.axis"
    for shape, good, bad in (
        ((1, 3, 2, 4), ((1,), (2,), (1, 2), (2, 1)), ((0,), (3,), (0, 1), (1, 3), (-2,))),
        ((1, 2, 3), ((0,), (1,), (0, 1), (1, 0)), ((2,), (1, 2), (-1,))),
        ((1, 2), ((0,), (1,)), ((-1,),)),
    ):
        for axes in good:
            yield rule, "%s over %s" % (shape, axes), mean(shape, axes), None
        for axes in bad:
            yield rule, "%s over %s" % (shape, axes), mean(shape, axes), ", ".join(map(str, axes))
    yield rule, "scalar axis", mean((1, 3, 2, 4), (2,), scalar=True), None
    yield rule, "computed", mean((1, 3, 2, 4), (1,), constant=False), "computed while running"
    for keep in (False, True):
        for scale in (0.5, 0.25):
            yield (
                "ethosu.mean.product_4096",
                "keep %s, scale %s" % (keep, scale),
                mean((1, 64, 65, 1), (1, 2), keep, "uint8", scale),
                4160 if keep or scale == 0.25 else None,
            )
    rule = "ethosu.mean.product_256"
    for name, model, got in (
        ("keeps", mean((1, 16, 17, 1), (1, 2), True), 272),
        ("other order", mean((1, 16, 17, 1), (2, 1), True), 272),
        ("drops", mean((1, 16, 17, 1), (1, 2)), None),
        ("uint8", mean((1, 16, 17, 1), (1, 2), True, "uint8"), None),
        ("one axis", mean((1, 16, 17, 1), (1,), True), None),
        ("three dimensions", mean((1, 16, 17), (0, 1), True), None),
    ):
        yield rule, name, model, got


def bias_cases():
    rule = "ethosu.bias_type"
    for dtype in (None, "int32", "int64", "int16", "float32"):
        got = None if dtype in (None, "int32", "int64") else dtype
        yield rule, "dense %s" % dtype, dense(bias=dtype), got
        for op in ("CONV_2D", "DEPTHWISE_CONV_2D"):
            yield rule, "%s %s" % (op, dtype), conv(op, bias=dtype), got
        yield rule, "TRANSPOSE_CONV %s" % dtype, transpose_conv(bias=dtype), got
    rule = "ethosu.bias_40bit"
    for value, got in (
        (0, None),
        (-1, None),
        ((1 << 39) - 1, None),
        (1 - (1 << 39), None),
        (-(1 << 39), 41),
        (-(1 << 63), 65),
    ):
        yield rule, str(value), dense(bias="int64", bias_value=value), got
    yield rule, "conv", conv("CONV_2D", bias="int64", bias_value=1 << 40), 41
    yield rule, "int32", dense(bias="int32", bias_value=-(1 << 31)), None

    prefix = "ethosu.transpose_conv."
    for dtype in ("int8", "uint8", "int16"):
        yield prefix + "weights_8bit", dtype, transpose_conv(weight_dtype=dtype), "16-bit" if dtype == "int16" else None
    for constant in (True, False):
        yield (
            prefix + "weights_constant",
            str(constant),
            transpose_conv(constant=constant),
            None if constant else "computed while running",
        )
    for stride in ((2, 2), (2, 1), (1, 2), (3, 3)):
        yield (
            prefix + "stride_2",
            "%dx%d" % stride,
            transpose_conv(stride=stride),
            None if stride == (2, 2) else "%dx%d" % stride,
        )
    for out, got in (((4, 6), None), ((4, 7), "3x2 to 7x4 instead of 6x4"), ((3, 6), "3x2 to 6x3 instead of 6x4")):
        yield prefix + "same", "%dx%d" % out, transpose_conv((3, 3), out=out), got
        yield prefix + "valid", "SAME %dx%d" % out, transpose_conv((3, 3), out=out), None
    for kernel, out in (((3, 4), (6, 7)), ((1, 1), (4, 6)), ((2, 2), (4, 6))):
        h, w = out
        yield prefix + "valid", "%dx%d" % kernel, transpose_conv(kernel, padding=1), None
        yield prefix + "valid", "%dx%d, exact" % kernel, transpose_conv(kernel, padding=1, out=out), None
        yield (
            prefix + "valid",
            "%dx%d, wide" % kernel,
            transpose_conv(kernel, padding=1, out=(h, w + 1)),
            "3x2 to %dx%d instead of %dx%d" % (w + 1, h, w, h),
        )
        yield prefix + "same", "VALID %dx%d" % kernel, transpose_conv(kernel, padding=1, out=(h, w + 1)), None

    listed = single_op("MINIMUM", [q("a", (1, 2)), q("b", (1, 2))], [q("y", (1, 2))])
    yield "ethosu.operator_not_listed", "MINIMUM listed", listed, None, "vela-3.2"
    yield "ethosu.operator_not_listed", "FLOOR", unary("FLOOR", dtype="float32"), "FLOOR"


GROUPS = (scalar_cases, quantization_cases, type_cases, shape_cases, slice_cases, bias_cases)
