"""Cases for the rules of the published Ethos-U document, many of which later profiles share.

Each case is (rule, name, model, value): the measured value expected in "got", or None where the rule must be kept. It
is tried under every profile that has the rule; a fifth entry limits that to one profile."""

import numpy as np

from ethosu_models import ACTS, binary, conv, dense, pad, pool, q, resize, unary
from mkmodel import T, single_op, opts


def around(rule, low, high, make):
    """make(v) at limit - 1, limit and limit + 1 of both ends."""
    for v in sorted({low - 1, low, low + 1, high - 1, high, high + 1}):
        yield rule, str(v), make(v), None if low <= v <= high else v


def generic_cases():
    rule = "ethosu.tensor_type_int8"
    for dtype in ("uint8", "int16", "float32", "int32"):
        yield rule, dtype, unary("RELU", dtype=dtype), "input 0: %s, output 0: %s" % (dtype, dtype)
    yield rule, "int8", unary("RELU"), None
    yield (
        rule,
        "output only",
        unary("SOFTMAX", out_dtype="int16", options=opts("SoftmaxOptions", beta=1.0)),
        "output 0: int16",
    )
    yield rule, "weights", conv("CONV_2D", weight_dtype="uint8"), "input 1: uint8"
    yield rule, "bias is not data", conv("CONV_2D", bias="int32"), None
    yield rule, "paddings are not data", pad([[0, 0], [1, 1], [1, 1], [0, 0]]), None
    last = single_op(
        "CONCATENATION",
        [q("a", (1, 2)), q("b", (1, 2)), q("c", (1, 2), "uint8")],
        [q("y", (1, 6))],
        opts("ConcatenationOptions", axis=1),
    )
    yield rule, "third input", last, "input 2: uint8"

    rule = "ethosu.tensor_dims_1_65535"
    for v in (0, 1, 2, 65534, 65535, 65536):
        yield (
            rule,
            str(v),
            unary("RELU", (1, v)),
            None if 1 <= v <= 65535 else "input 0: [1, %d], output 0: [1, %d]" % (v, v),
        )
    yield rule, "scalar", unary("RELU", ()), None
    wide = binary("ADD", (1, 1), (1, 65536), (1, 65536), b_data=np.zeros((1, 65536), np.int8))
    yield rule, "second input", wide, "input 1: [1, 65536], output 0: [1, 65536]"

    for act, code in ACTS.items():
        yield (
            "ethosu.fused_activation",
            act,
            binary("ADD", (1, 2), (1, 2), (1, 2), code),
            "SIGN_BIT" if act == "SIGN_BIT" else None,
        )
    yield "ethosu.fused_activation", "code 9", pool("MAX_POOL_2D", act=9), "activation code 9"
    for act in ("NONE", "RELU"):
        for dtype in ("int8", "int16"):
            yield (
                "ethosu.fused_activation_output_int8",
                act + " " + dtype,
                binary("MUL", (1, 2), (1, 2), (1, 2), ACTS[act], out_dtype=dtype),
                "int16" if (act, dtype) == ("RELU", "int16") else None,
            )

    yield (
        "ethosu.operator_not_listed",
        "MINIMUM",
        single_op("MINIMUM", [q("a", (1, 2)), q("b", (1, 2))], [q("y", (1, 2))]),
        "MINIMUM",
        "published",
    )
    yield (
        "ethosu.operator_not_listed",
        "custom",
        single_op("CUSTOM", [q("a", (1, 2))], [q("y", (1, 2))], custom=("my\x01op", b"")),
        "my\x01op",
    )
    yield "ethosu.operator_not_listed", "TANH", unary("TANH"), None


def elementwise_cases():
    for op in ("ADD", "SUB", "MUL"):
        rule = "ethosu.%s.broadcast" % op.lower()
        for a, b, out in (
            ((1, 4, 4, 2), (1, 4, 4, 2), (1, 4, 4, 2)),
            ((1, 4, 4, 2), (2,), (1, 4, 4, 2)),
            ((1, 1, 1, 2), (1, 4, 4, 1), (1, 4, 4, 2)),
            ((), (1, 3), (1, 3)),
        ):
            yield rule, "%s %s" % (a, b), binary(op, a, b, out), None
        yield rule, "2 and 3", binary(op, (1, 2), (1, 3), (1, 3)), "[1, 2] and [1, 3]"
        yield rule, "both empty or 1", binary(op, (1, 0), (1, 1), (1, 0)), "[1, 0] and [1, 1]"


def pool_cases():
    for op in ("AVERAGE_POOL_2D", "MAX_POOL_2D"):
        prefix = "ethosu.%s." % op.lower()
        for batch in (1, 2):
            yield prefix + "batch_1", str(batch), pool(op, batch=batch), None if batch == 1 else "2"
        for v in (0, 1, 2, 3, 4):
            out = (-(-4 // v),) * 2 if v else (4, 4)
            bad = not 1 <= v <= 3
            yield (
                prefix + "stride_1_3",
                "both %d" % v,
                pool(op, stride=(v, v), out=out),
                "%dx%d" % (v, v) if bad else None,
            )
            yield (
                prefix + "stride_1_3",
                "width %d" % v,
                pool(op, stride=(v, 1), out=(4, out[1])),
                "%dx1" % v if bad else None,
            )
            yield (
                prefix + "stride_1_3",
                "height %d" % v,
                pool(op, stride=(1, v), out=(out[0], 4)),
                "1x%d" % v if bad else None,
            )
    rule = "ethosu.average_pool_2d.filter_1_8"
    for v in (0, 1, 2, 7, 8, 9):
        bad = not 1 <= v <= 8
        for shape in ((v, v), (v, 1), (1, v)):
            yield rule, "SAME %dx%d" % shape, pool("AVERAGE_POOL_2D", shape), "%dx%d" % shape if bad else None
        yield rule, "VALID %d" % v, pool("AVERAGE_POOL_2D", (v, v), padding=1), None
    for op, padding, height, product in (
        (
            "AVERAGE_POOL_2D",
            1,
            "average_pool_2d.valid_filter_height_1_256",
            "average_pool_2d.valid_filter_product_1_65536",
        ),
        ("MAX_POOL_2D", 0, "max_pool_2d.filter_height_1_256", "max_pool_2d.filter_product_1_65536"),
    ):
        yield from around("ethosu." + height, 1, 256, lambda v: pool(op, (1, v), padding=padding))
        for w, h in (
            (0, 1),
            (1, 1),
            (2, 1),
            (1, 256),
            (255, 256),
            (256, 256),
            (65535, 1),
            (65536, 1),
            (65537, 1),
            (257, 256),
            (2147483647, 2147483647),
        ):
            yield (
                "ethosu." + product,
                "%dx%d" % (w, h),
                pool(op, (w, h), padding=padding),
                None if 1 <= w * h <= 65536 else w * h,
            )
    for v in (257, 65537):
        for rule in ("valid_filter_height_1_256", "valid_filter_product_1_65536"):
            yield "ethosu.average_pool_2d." + rule, "SAME %d" % v, pool("AVERAGE_POOL_2D", (1, v)), None


def window_cases(op):
    prefix = "ethosu.%s." % op.lower()
    for v in (0, 1, 2, 3, 4):
        bad = not 1 <= v <= 3
        for stride in ((v, v), (v, 1), (1, v)):
            yield prefix + "stride_1_3", "%dx%d" % stride, conv(op, stride=stride), "%dx%d" % stride if bad else None
    for v in (0, 1, 2, 3):
        bad = not 1 <= v <= 2
        for dilation in ((v, v), (v, 1), (1, v)):
            yield (
                prefix + "dilation_1_2",
                "%dx%d" % dilation,
                conv(op, dilation=dilation),
                "%dx%d" % dilation if bad else None,
            )
    for kernel, dilation, height in (
        (1, 1, 1),
        (2, 1, 2),
        (63, 1, 63),
        (64, 1, 64),
        (65, 1, 65),
        (32, 2, 63),
        (33, 2, 65),
    ):
        yield (
            prefix + "dilated_height_1_64",
            "%d by %d" % (kernel, dilation),
            conv(op, (1, kernel), dilation=(1, dilation)),
            None if height <= 64 else height,
        )
    for w, h, d in (
        (1, 1, 1),
        (63, 65, 1),
        (64, 64, 1),
        (4096, 1, 1),
        (17, 241, 1),
        (4097, 1, 1),
        (2048, 1, 2),
        (2049, 1, 2),
        (32, 33, 2),
    ):
        product = ((w - 1) * d + 1) * ((h - 1) * d + 1)
        yield (
            prefix + "dilated_product_1_4096",
            "%dx%d by %d" % (w, h, d),
            conv(op, (w, h), dilation=(d, d)),
            None if product <= 4096 else product,
        )
    for batch in (1, 2):
        yield prefix + "batch_1", str(batch), conv(op, batch=batch), None if batch == 1 else "2"


def weight_cases(op, make):
    prefix = "ethosu.%s." % op.lower()
    for dtype, bits in (("int8", 8), ("uint8", 8), ("int16", 16), ("float32", 32), ("int4", 4)):
        weights = {"weights": np.ones((1, 1, 1, 1), np.int8)} if dtype == "int4" and op != "FULLY_CONNECTED" else {}
        if dtype == "int4" and not weights:
            continue
        yield (
            prefix + "weights_8bit",
            dtype,
            make(weight_dtype=dtype, **weights),
            None if bits == 8 else "%d-bit" % bits,
        )
    yield prefix + "weights_constant", "constant", make(), None
    yield prefix + "weights_constant", "computed", make(constant=False), "computed while running"
    for bias in (None, "int32", "int64", "float32", "int16"):
        yield prefix + "bias_int32", str(bias), make(bias=bias), None if bias in (None, "int32") else bias


def sum_cases():
    limit = 127 * 65536
    full = np.full((64, 64, 16), 127, np.int8)
    for extra in (-1, 0, 1):
        w = full.copy()
        w[5, 6, 7] = {-1: 126, 0: -127, 1: -128}[extra]
        got = limit + 1 if extra == 1 else None
        yield (
            "ethosu.conv_2d.weights_sum",
            "limit %+d" % extra,
            conv("CONV_2D", (64, 64), channels=16, weights=w[None]),
            got,
        )
        two = np.concatenate([np.ones_like(w)[None], w[None]])
        yield (
            "ethosu.conv_2d.weights_sum",
            "second channel, limit %+d" % extra,
            conv("CONV_2D", (64, 64), channels=16, outputs=2, weights=two),
            got,
        )
        yield (
            "ethosu.depthwise_conv_2d.weights_sum",
            "whole tensor, limit %+d" % extra,
            conv("DEPTHWISE_CONV_2D", (64, 64), channels=16, weights=w[None]),
            got,
        )
    yield (
        "ethosu.conv_2d.weights_sum",
        "channels count one by one",
        conv("CONV_2D", (64, 64), channels=16, outputs=2, weights=np.stack([full, full])),
        None,
    )
    yield (
        "ethosu.conv_2d.weights_sum",
        "zero point",
        conv("CONV_2D", (64, 64), channels=16, weights=full[None], zero_point=-1),
        128 * 65536,
    )
    yield (
        "ethosu.conv_2d.weights_sum",
        "zero point of the channel",
        conv(
            "CONV_2D",
            (64, 64),
            channels=16,
            outputs=2,
            weights=np.stack([full, full]),
            zero_point=[0, -2],
            scale=[0.5, 0.5],
        ),
        129 * 65536,
    )
    yield (
        "ethosu.depthwise_conv_2d.weights_sum",
        "zero points of channels",
        conv(
            "DEPTHWISE_CONV_2D", (64, 64), channels=16, weights=full[None], zero_point=[-1] + 15 * [0], scale=16 * [0.5]
        ),
        limit + 4096,
    )
    yield (
        "ethosu.conv_2d.weights_sum",
        "uint8",
        conv(
            "CONV_2D",
            (64, 64),
            channels=16,
            weights=np.full((1, 64, 64, 16), 255, np.uint8),
            weight_dtype="uint8",
            zero_point=128,
        ),
        None,
    )


def conv_cases():
    for op in ("CONV_2D", "DEPTHWISE_CONV_2D"):
        yield from window_cases(op)
        yield from weight_cases(op, lambda **more: conv(op, **more))
    yield from weight_cases("FULLY_CONNECTED", dense)
    yield from sum_cases()
    rule = "ethosu.depthwise_conv_2d.depth_multiplier"
    for channels, multiplier in ((1, 1), (3, 1), (1, 2), (1, 7)):
        yield (
            rule,
            "%d times %d" % (channels, multiplier),
            conv("DEPTHWISE_CONV_2D", channels=channels, multiplier=multiplier),
            None,
        )
    yield (
        rule,
        "2 times 2",
        conv("DEPTHWISE_CONV_2D", channels=2, multiplier=2),
        "multiplier 2, 2 input channels, 4 output channels",
    )
    yield rule, "implied, kept", conv("DEPTHWISE_CONV_2D", channels=1, outputs=4, multiplier=0), None
    yield (
        rule,
        "implied, broken",
        conv("DEPTHWISE_CONV_2D", channels=2, outputs=4, multiplier=0),
        "multiplier 2, 2 input channels, 4 output channels",
    )


def shape_cases():
    zero = [0, 0]
    for n, bad in ((2, True), (3, False), (4, False), (5, True)):
        yield "ethosu.pad.shape", "%d rows" % n, pad([zero] * n), "[%d, 2]" % n if bad else None
    yield "ethosu.pad.shape", "one axis", pad([zero] * 4, shape=(8,)), "[8]"
    rule = "ethosu.pad.width_height_only"
    yield rule, "width and height", pad([zero, [1, 2], [3, 4], zero]), None
    yield rule, "three rows", pad([[1, 2], [3, 4], zero]), None
    yield rule, "batch", pad([[1, 0], zero, zero, zero]), "batch 1+0, channels 0+0"
    yield rule, "channels", pad([zero, zero, zero, [0, 2]]), "batch 0+0, channels 0+2"
    yield rule, "channels of three", pad([zero, zero, [3, 0]]), "channels 3+0"
    yield rule, "computed", pad([zero] * 4, constant=False), "computed while running"
    for dtype in ("int32", "int64"):
        yield "ethosu.pad.type_int32", dtype, pad([zero] * 4, dtype), None if dtype == "int32" else "int64"

    rule = "ethosu.reshape.shape_constant"
    x, y = q("x", (2, 3)), q("y", (3, 2))
    yield (
        rule,
        "constant",
        single_op("RESHAPE", [x, T("s", (2,), "int32", data=np.array([3, 2], np.int32))], [y], opts("ReshapeOptions")),
        None,
    )
    yield rule, "option", single_op("RESHAPE", [x], [y], opts("ReshapeOptions", newShape=[3, 2])), None
    yield (
        rule,
        "input",
        single_op("RESHAPE", [x, T("s", (2,), "int32")], [y], opts("ReshapeOptions")),
        "computed while running",
    )

    rule = "ethosu.resize_bilinear.size"
    yield rule, "from 1x1", resize((1, 1), (5, 7)), None
    yield rule, "same", resize((3, 5), (3, 5)), None
    for align in (False, True):
        for h, w in ((7, 10), (8, 9), (8, 10), (8, 11), (9, 10), (7, 9), (6, 8), (16, 20), (4, 10)):
            want = (7, 9) if align else (8, 10)
            yield (
                rule,
                "4x5 to %dx%d%s" % (h, w, " aligned" if align else ""),
                resize((4, 5), (h, w), align),
                None if (h, w) == want else "5x4 to %dx%d, align_corners %s" % (w, h, str(align).lower()),
            )
    for half in (False, True):
        yield (
            "ethosu.resize_bilinear.half_pixel_centers",
            str(half),
            resize((4, 4), (8, 8), half_pixel=half),
            "true" if half else None,
        )


GROUPS = (generic_cases, elementwise_cases, pool_cases, conv_cases, shape_cases)
