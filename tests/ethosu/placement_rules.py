"""Models on both sides of the rules of profile vela-5.2 that have no numbers: plain() yields (rule, models that keep
it, models that break it)."""

import numpy as np
from mkmodel import T, single_op, opts

from placement_cases import (
    RELU,
    SIGN_BIT,
    TANH,
    VALID,
    arg_max,
    binary,
    concatenation,
    const,
    conv,
    conv_sums,
    dense,
    dilated,
    gather,
    lstm,
    matmul,
    mean,
    min_max,
    pad,
    pool,
    q,
    quantized,
    reshape,
    resize,
    scatter,
    softmax,
    split,
    split_v,
    strided_slice,
    transpose,
    transpose_conv,
    typed,
    unary,
    variable,
    without_multiplier,
)

RESIZES = ("BILINEAR", "NEAREST_NEIGHBOR")


def stored(value):
    return T("s", (), "int8", 0.5, 0, data=np.array(value, np.int8))


def add(a, b, y):
    return single_op("ADD", [a, b], [y], opts("AddOptions"))


def shapes_and_types():
    x = q("x", (1, 4))
    yield "ethosu.has_input", [typed("RELU", "int8"), variable()], [single_op("RELU", [None], [x])]
    yield "ethosu.has_output", [typed("RELU", "int8"), variable()], [single_op("RELU", [x], [])]
    free = [T("x", (1, 1, 4), "int8", 0.5, 0, shape_signature=s) for s in ((-1, 1, 4), (1, -1, 4))]
    yield "ethosu.tensor_static", [unary("RELU", free[0])], [unary("RELU", free[1])]
    kept = [typed("RELU", t) for t in ("int8", "uint8", "int16")] + [typed("NEG", t) for t in ("int8", "int32")]
    broken = [typed(op, "float32") for op in ("RELU", "ABS", "TANH")] + [
        typed("RELU", t) for t in ("uint16", "uint32", "float16", "float64")
    ]
    yield "ethosu.types_integer", kept, broken + [typed("RESHAPE", "bool")]
    yield "ethosu.types_integer_or_bool", kept + [typed("RESHAPE", "bool")], broken
    yield (
        "ethosu.tensor_shapeless",
        [add(q("a", (1, 4)), stored(3), q("y", (1, 4))), single_op("ABS", [q("x", (1,))], [q("y", ())])],
        [
            unary("RELU", ()),
            add(q("a", ()), stored(3), q("y", ())),
            single_op("MEAN", [q("x", (1, 4)), const("a", [0, 1])], [q("y", ())], opts("ReducerOptions")),
        ],
    )
    yield "ethosu.variable.type", [variable(t) for t in ("int8", "int16", "int32")], [variable("float32")]
    yield (
        "ethosu.var_handle.users",
        [variable("int8"), variable("uint8")],
        [variable("float32"), variable("int16", 200)],
    )
    yield (
        "ethosu.type_not_32bit",
        [typed("NEG", "int32"), binary("MUL", dtype="int32"), transpose((1, 2, 3, 4), [0, 2, 1, 3], "int32")],
        [typed(op, "int32") for op in ("RELU", "ABS", "LOGISTIC")]
        + [concatenation([(1, 2), (1, 2)], (1, 4), 1, "int32")],
    )
    yield (
        "ethosu.type_not_64bit",
        [arg_max(out="int64"), typed("NEG", "int32")],
        [typed("NEG", "int64"), reshape((1, 4), (4, 1), "int64"), transpose((2, 3), [1, 0], "int64")],
    )


def quantization():
    bare, two = T("x", (1, 4), "int8"), [0.5, 0.25]
    yield (
        "ethosu.tensor_quantized",
        [typed("NEG", "int32"), single_op("QUANTIZE", [bare], [q("y", (1, 4))], opts("QuantizeOptions"))],
        [unary("RELU", bare), unary("RELU", (1, 4), T("y", (1, 4), "int8")), conv(scale=None), conv(out_scale=None)],
    )
    yield (
        "ethosu.scale_in_range",
        [quantized(s) for s in (1e-30, 1.0, 2.0**31, 2.0**31 * 1.5, 2.0**32 - 256)],
        [quantized(s) for s in (2.0**32, 1e20)],
    )
    yield (
        "ethosu.per_axis",
        [quantized(), conv(scale=two), conv(out_scale=two)],
        [quantized(two), quantized(out_scale=two), quantized(two, out_scale=0.5)],
    )
    yield (
        "ethosu.zero_point.32bit_or_unsigned",
        [quantized(zero=z, dtype=t) for t, z in (("uint8", 0), ("uint8", 300), ("int8", -500), ("int16", 7))]
        + [binary("ADD", dtype="int32"), pool("AVERAGE_POOL_2D", dtype="uint8", zero=-1)],
        [
            quantized(zero=-1, dtype="uint8"),
            quantized(out_zero=-1, dtype="uint8"),
            binary("ADD", dtype="int32", zero=1),
            unary("NEG", q("x", (1, 4), "int32", zero=-1)),
        ],
    )
    yield (
        "ethosu.zero_point.input",
        [
            quantized(zero=z, dtype=t, out_zero=0)
            for t, z in (("int8", -128), ("int8", 127), ("uint8", 0), ("uint8", 255), ("int16", 0))
        ]
        + [pool("AVERAGE_POOL_2D", zero=500)],
        [
            quantized(zero=z, dtype=t, out_zero=0)
            for t, z in (("int8", -129), ("int8", 128), ("uint8", -1), ("uint8", 256), ("int16", 1), ("int16", -1))
        ],
    )
    yield (
        "ethosu.zero_point.output",
        [
            quantized(out_zero=z, dtype=t)
            for t, z in (
                ("int8", -128),
                ("int8", 127),
                ("int16", 127),
                ("int16", -128),
                ("uint8", 0),
                ("uint8", 255),
                ("uint8", 32768),
            )
        ],
        [
            quantized(out_zero=z, dtype=t)
            for t, z in (("int8", -129), ("int8", 128), ("int16", 128), ("uint8", -1), ("uint8", 256), ("uint8", 32767))
        ],
    )
    yield (
        "ethosu.min_max.same_quantization",
        [min_max("MINIMUM"), min_max("MAXIMUM", zeros=(3, 3, 3))],
        [
            min_max("MINIMUM", (0.5, 0.5, 0.25)),
            min_max("MAXIMUM", (0.5, 0.25, 0.5)),
            min_max("MAXIMUM", zeros=(0, 0, 1)),
        ],
    )
    fused = [binary("ADD", act=a, dtype=t) for a in (0, 1, 2, 3, TANH) for t in ("int8", "uint8", "int16")]
    fused += [binary("SUB", dtype="int32"), dense(out="int32")]
    wide = [binary(op, act=RELU, dtype="int32") for op in ("ADD", "MUL", "SUB")] + [dense(act=RELU, out="int32")]
    broken = [binary("ADD", act=SIGN_BIT), conv(act=RELU, out_scale=two)]
    yield (
        "ethosu.fused_activation.as_operator",
        fused,
        broken + wide + [pool("AVERAGE_POOL_2D", act=RELU, dtype="uint8", zero=-1)],
    )
    yield (
        "ethosu.fused_activation.as_operator_u85",
        fused + wide,
        broken
        + [
            pool("AVERAGE_POOL_2D", act=RELU, dtype=t, zero=z) for t, z in (("int8", 128), ("uint8", 256), ("int16", 1))
        ],
    )


def windows():
    yield (
        "ethosu.weights.8bit",
        [conv(), conv(weight_dtype="uint8"), conv("DEPTHWISE_CONV_2D"), dense()],
        [conv(weight_dtype="int16"), dense(weight_dtype="int16"), conv("DEPTHWISE_CONV_2D", weight_dtype="int32")],
    )
    yield (
        "ethosu.weights.sum_8bit",
        [conv_sums(op, e) for op in ("CONV_2D", "DEPTHWISE_CONV_2D") for e in (-1, 0)],
        [conv_sums(op, 1) for op in ("CONV_2D", "DEPTHWISE_CONV_2D")],
    )
    yield (
        "ethosu.bias.shape",
        [conv(), conv(bias=const("b", [[[0, 0]]])), conv(bias=const("b", [0]), outputs=1)],
        [conv(bias=const("b", [[0], [0]])), dense(bias=const("b", [[0, 0], [0, 0]]))],
    )
    yield (
        "ethosu.bias.constant",
        [conv(), dense()],
        [conv(bias=T("b", (2,), "int32")), dense(bias=T("b", (2,), "int32"))],
    )
    yield (
        "ethosu.bias.type",
        [conv(), conv(bias_dtype="int64", dtype="int16"), dense()],
        [conv(bias_dtype=t) for t in ("int16", "int8", "float32")],
    )
    yield "ethosu.fully_connected.weights_matrix", [dense(), dense((2, 1, 1, 4))], [dense((2, 2, 1, 4))]
    yield (
        "ethosu.transpose_conv.stride",
        [
            transpose_conv(stride=(1, 1)),
            transpose_conv((4, 1), (2, 1), (5, 1)),
            transpose_conv((1, 4), (1, 2), (1, 5)),
            transpose_conv((3, 3), padding=VALID),
        ],
        [
            transpose_conv((3, 3), (3, 3)),
            transpose_conv((2, 2), (2, 1)),
            transpose_conv((2, 2), (1, 2)),
            transpose_conv((4, 1), (2, 1), (5, 2)),
            transpose_conv((4, 2), (2, 1), (5, 1)),
            transpose_conv((1, 4), (1, 2), (2, 5)),
            transpose_conv((3, 3), (3, 2)),
        ],
    )
    yield (
        "ethosu.transpose_conv.shape",
        [transpose_conv(), transpose_conv((3, 3), padding=VALID), transpose_conv((1, 1), padding=VALID)],
        [
            transpose_conv(out=(6, 5)),
            transpose_conv(out=(7, 6)),
            transpose_conv((3, 3), padding=VALID, out=(6, 7)),
            transpose_conv((1, 1), padding=VALID, out=(5, 6)),
        ],
    )


def dilations():
    kept = [
        dilated(op, bridges=n, seen=s) for op in ("CONV_2D", "DEPTHWISE_CONV_2D") for n in (0, 1) for s in ("", "y")
    ]
    broken = [
        dilated(act=RELU),
        dilated(last=False),
        dilated(dtype="float32"),
        dilated(weight_dtype="int16"),
        dilated("DEPTHWISE_CONV_2D", bridges=2),
    ]
    for op in ("space", "batch"):
        for suffix in ("", "_u85"):
            yield (
                "ethosu.%s_to_%s_nd.dilates%s" % (op, "batch" if op == "space" else "space", suffix),
                kept,
                [m for m in broken if op == "space" or m is not broken[1]],
            )


def tables():
    gelu, swish = opts("GeluOptions"), opts("HardSwishOptions")
    for op, options, good, bad in (
        ("GELU", gelu, ("int8", "uint8"), [("int16", "int16")]),
        ("ELU", None, ("int8",), [("uint8", "uint8"), ("int16", "int16")]),
        ("LOG", None, ("int8", "int16"), [("uint8", "uint8"), ("int8", "int16")]),
    ):
        yield (
            "ethosu.%s.same_shape" % op.lower(),
            [typed(op, "int8", options=options)],
            [unary(op, (4,), (1, 4), options), unary(op, (1, 1, 4), (4,), options)],
        )
        yield (
            "ethosu.%s.type" % op.lower(),
            [typed(op, t, options=options) for t in good],
            [typed(op, a, b, options=options) for a, b in bad],
        )
    yield "ethosu.rsqrt.type", [typed("RSQRT", "int8"), typed("RSQRT", "int16")], [typed("RSQRT", "uint8")]
    yield (
        "ethosu.model.input_8bit",
        [typed("HARD_SWISH", "int8", options=swish), arg_max(dtype="uint8")],
        [typed("HARD_SWISH", "int16", options=swish), arg_max(dtype="int16"), arg_max(dtype="float32")],
    )


def resizing():
    def both(*cases):
        return [resize(op, s, o, a) for op in RESIZES for s, o, a in cases]

    def bilinear(*cases):
        return [resize("BILINEAR", s, o, a) for s, o, a in cases]

    yield (
        "ethosu.resize.factor_u55",
        both(
            ((1, 1), (5, 7), False),
            ((3, 5), (3, 5), False),
            ((3, 5), (6, 10), False),
            ((3, 5), (12, 20), False),
            ((3, 5), (24, 40), False),
            ((3, 5), (5, 9), True),
            ((3, 5), (17, 33), True),
            ((1, 4), (1, 7), True),
        )
        + [resize("BILINEAR", (3, 5), (6, 10), half=True), resize("NEAREST_NEIGHBOR", (3, 5), (24, 40), half=True)],
        both(
            ((3, 5), (9, 15), False),
            ((3, 5), (48, 80), False),
            ((3, 5), (6, 20), False),
            ((3, 5), (7, 11), True),
            ((4, 6), (2, 3), False),
            ((1, 4), (2, 8), True),
            ((3, 5), (1, 1), False),
            ((3, 5), (5, 10), False),
            ((3, 5), (33, 65), True),
        )
        + [resize("BILINEAR", (3, 5), o, half=True) for o in ((3, 5), (12, 20), (3, 10))],
    )
    yield (
        "ethosu.resize.corners_or_centers",
        [resize("BILINEAR", (3, 5), (6, 10), half=True), resize("NEAREST_NEIGHBOR", (3, 5), (5, 9), True)],
        [resize(op, (3, 5), (5, 9), True, True) for op in RESIZES],
    )
    yield (
        "ethosu.resize_bilinear.power_of_two",
        bilinear(
            ((1, 1), (5, 7), False),
            ((3, 5), (6, 10), False),
            ((3, 5), (3, 20), False),
            ((3, 5), (5, 17), True),
            ((1, 5), (2, 9), True),
        ),
        bilinear(
            ((3, 5), (9, 10), False),
            ((3, 5), (7, 11), False),
            ((4, 6), (2, 3), False),
            ((3, 5), (6, 9), True),
            ((3, 5), (6, 25), False),
        ),
    )


def reductions():
    axes = T("a", (1,), "int32")
    yield (
        "ethosu.params_constant",
        [mean((1, 3, 3, 2), (1, 2)), transpose((1, 2, 3, 4), [0, 2, 1, 3])],
        [
            single_op("SLICE", [q("x", (4,)), axes, const("s", [2])], [q("y", (2,))], opts("SliceOptions")),
            single_op(
                "STRIDED_SLICE",
                [q("x", (4,)), axes, const("e", [3]), const("s", [1])],
                [q("y", (2,))],
                opts("StridedSliceOptions"),
            ),
            single_op(
                "PADV2",
                [q("x", (4,)), T("p", (1, 2), "int32"), q("z", (1,), data=[1])],
                [q("y", (6,))],
                opts("PadV2Options"),
            ),
        ],
    )
    yield (
        "ethosu.mean.depth",
        [
            mean((1, 3, 3, 2), (1, 2)),
            mean((1, 1, 3, 4), (3,)),
            mean((1, 3, 1, 4), (3,)),
            mean((1, 3, 4, 1), (3,)),
            mean((3, 4), (1,)),
            mean((3, 4), (-1,), keep=False),
        ],
        [mean((1, 3, 4, 5), (3,)), mean((1, 3, 4, 5), (1, 2, -1)), mean((3, 4, 5), (2,))],
    )
    yield (
        "ethosu.mean.type",
        [mean((1, 3, 3, 2), (1, 2), t) for t in ("int8", "uint8", "int16")],
        [mean((1, 3, 3, 2), (1, 2), "int32")],
    )
    turned = [
        single_op("REVERSE_V2", [q("x", (2, 3)), const("a", a)], [q("y", (2, 3))], opts("ReverseV2Options"))
        for a in ([], [0], [1])
    ]
    yield "ethosu.reverse_v2.axis", turned[:1], turned[1:]
    yield (
        "ethosu.arg_max.axis",
        [arg_max(axis=-1), arg_max(axis=3), arg_max(axis=1, rank=2)],
        [arg_max(axis=a) for a in (0, 1, 2, -2)],
    )
    yield "ethosu.model.arg_max.output", [arg_max(), arg_max(out="int64")], [arg_max(out="int8")]


def slices():
    whole = (1, 4, 6, 2)
    yield (
        "ethosu.strided_slice.stride_axes",
        [
            strided_slice(whole, [0] * 4, whole, s, y)
            for s, y in (([1, 2, 1, 1], (1, 2, 6, 2)), ([1, 1, 3, 1], (1, 4, 2, 2)), ([1, 2, 2, 1], (1, 2, 3, 2)))
        ],
        [
            strided_slice(whole, [0] * 4, whole, [1, 1, 1, 2], (1, 4, 6, 1)),
            strided_slice((6,), [0], [6], [2], (3,)),
            strided_slice((2, 4, 6, 2), [0] * 4, (2, 4, 6, 2), [2, 1, 1, 1], whole),
        ],
    )
    yield (
        "ethosu.strided_slice.stride_forward",
        [strided_slice((1, 4), [0, 1], [1, 3], [1, 1], (1, 2))],
        [strided_slice(whole, [0, 3, 0, 0], [1, 0, 6, 2], [1, -1, 1, 1], (1, 3, 6, 2))],
    )
    yield (
        "ethosu.strided_slice.volume",
        [
            strided_slice((4, 6), [1, 2], [3, 5], [1, 1], (2, 3)),
            strided_slice((4, 6), [1, 2], [2, 5], [1, 1], (3,), shrinkAxisMask=1),
            strided_slice((4, 6), [0, 2], [0, 5], [1, 1], (4, 3), ellipsisMask=1),
            strided_slice((4, 6), [9, -3], [9, -1], [1, 1], (4, 2), beginMask=1, endMask=1),
        ],
        [strided_slice((4,), [3], [2], [1], (1,))],
    )
    yield "ethosu.split.outputs", [split(), split(splits=3)], [split(splits=2, outputs=1), split(splits=3, outputs=2)]
    yield (
        "ethosu.split_v.outputs",
        [split_v([2, 3]), split_v([-1, 3], real=[2, 3])],
        [split_v([2, 3], 3), split_v([2, 3], 1)],
    )
    yield (
        "ethosu.model.split.axis",
        [split(axis=3), split(axis=-1)],
        [split(axis=-4, x=(2, 4, 4, 6)), split(axis=9, splits=1)],
    )
    yield "ethosu.model.split.even", [split(splits=3)], [split((1, 4, 4, 7))]
    yield (
        "ethosu.paddings_type",
        [pad(), pad("MIRROR_PAD", dtype="int64"), pad("MIRROR_PAD")],
        [pad("MIRROR_PAD", dtype="int16"), pad("PADV2", dtype="int8", more=[q("z", (1,), data=[0])])],
    )
    yield "ethosu.model.pad.output", [pad()], [pad(y=[1, 6, 7, 2])]


def transpositions():
    shape = (1, 2, 3, 4)
    swaps = ([0, 1, 2, 3], [0, 2, 1, 3], [0, 1, 3, 2])
    turns = ([0, 3, 2, 1], [0, 2, 3, 1], [0, 3, 1, 2], [1, 0, 2, 3], [3, 2, 1, 0])
    yield (
        "ethosu.transpose.int32_kind",
        [transpose(shape, p, "int32") for p in swaps]
        + [transpose(shape, p) for p in turns]
        + [transpose((3, 4), [1, 0], "int32")],
        [transpose(shape, p, "int32") for p in turns] + [transpose((2, 3, 4), [2, 1, 0], "int32")],
    )
    for rule, perm, good, bad in (
        (
            "int32_nwhc",
            [0, 2, 1, 3],
            ((1, 65536, 2, 2), (1, 2, 65536, 2), (1, 2, 2, 16384)),
            ((2, 2, 2, 2), (1, 65537, 2, 2), (1, 2, 65537, 2), (1, 2, 2, 16385)),
        ),
        (
            "int32_nhcw",
            [0, 1, 3, 2],
            ((2, 32768, 2, 2), (1, 2, 65536, 2), (1, 2, 2, 65536)),
            ((2, 32769, 2, 2), (1, 2, 65537, 2), (1, 2, 2, 65537)),
        ),
    ):
        yield (
            "ethosu.transpose." + rule,
            [transpose(s, perm, "int32") for s in good],
            [transpose(s, perm, "int32") for s in bad],
        )
    yield "ethosu.model.transpose.type", [transpose((2, 3), [1, 0])], [transpose((2, 3), [1, 0], perm_dtype="int64")]
    yield (
        "ethosu.model.transpose.rank",
        [transpose((2, 3), [1, 0])],
        [transpose((2, 3), [0]), transpose((2, 3), [0, 1, 2])],
    )


def matrices():
    yield (
        "ethosu.matmul.type",
        [matmul(), dense(weight_data=False)],
        [matmul(dtype="int16"), dense(dtype="uint8", weight_data=False)],
    )
    yield "ethosu.model.fully_connected.rank", [dense(keep=True), dense(x=(1, 1, 4))], [dense(x=(1, 1, 4), keep=True)]
    yield (
        "ethosu.model.batch_matmul.ranks",
        [matmul(), matmul((3, 4), (4, 5))],
        [matmul((3, 4), (4, 5), (1, 3, 5)), matmul((4,), (4, 5), (5,))],
    )
    yield (
        "ethosu.model.batch_matmul.broadcast",
        [matmul((2, 3, 4), (1, 4, 5), (2, 3, 5))],
        [matmul((2, 3, 4), (3, 4, 5), (2, 3, 5)), matmul((2, 3, 4), (2, 4, 5), (1, 3, 5))],
    )
    gate = T("g", (2,), "int16", 0.01, 0, data=np.ones(2, np.int16))
    yield "ethosu.lstm.gates", [lstm()], [lstm({i: None}) for i in (1, 5, 8)]
    yield "ethosu.lstm.peephole", [lstm()], [lstm({i: gate}) for i in (9, 10, 11)]
    yield (
        "ethosu.lstm.projection",
        [lstm()],
        [lstm({16: q("p", (2, 2), data=np.ones((2, 2)))}), lstm({17: const("p", [0, 0])})],
    )
    yield "ethosu.lstm.gate_norm", [lstm()], [lstm({i: gate}) for i in (20, 21, 22, 23)]
    yield "ethosu.model.lstm.type", [lstm(), lstm(dtype="int16")], [lstm(dtype="uint8")]
    yield "ethosu.model.lstm.rank", [lstm()], [lstm(rank=2)]


def indices():
    yield "ethosu.gather.axis", [gather(0), gather(1, 1), gather(-3)], [gather(1), gather(2), gather(2, 1)]
    yield (
        "ethosu.model.gather.index",
        [gather(0, index=t) for t in ("int16", "int32", "int64")],
        [gather(0, index="int8")],
    )
    yield "ethosu.scatter_nd.shape_constant", [scatter([[1], [3]])], [scatter([[1], [3]], shape_constant=False)]
    yield "ethosu.scatter_nd.index_constant", [scatter([[1], [3]])], [scatter([[1], [3]], constant=False)]
    yield (
        "ethosu.scatter_nd.index_unique",
        [scatter([[1], [3], [0]]), scatter([[65000], [100], [40000]], (65536, 2))],
        [scatter([[1], [3], [1]]), scatter([[65000], [100], [65000]], (65536, 2))],
    )


def network_checks():
    """What makes Vela refuse the whole network."""
    inf = float("inf")
    yield "ethosu.model.contents", [mean((1, 3, 3, 2), (1, 2)), unary("ABS", (1, 0))], [mean((1, 3, 3, 2), ())]
    yield "ethosu.model.scale_finite", [quantized()], [quantized(inf, out_scale=0.5), quantized(out_scale=float("nan"))]
    yield (
        "ethosu.model.scale_ratio",
        [quantized(1e-30, out_scale=1.0)],
        [quantized(0.5, out_scale=0.0), quantized(3e38, out_scale=1e-10)],
    )
    yield (
        "ethosu.model.same_type",
        [typed("ABS", "int8"), pool()],
        [typed("ABS", "int8", "int16"), typed("LEAKY_RELU", "uint8", "int8", options=opts("LeakyReluOptions"))],
    )
    yield (
        "ethosu.model.either_shape",
        [binary("ADD", (1, 4), (4,), (1, 4)), binary("MUL", (2, 1), (1, 3), (2, 3)), binary("SQUARED_DIFFERENCE")],
        [binary("ADD", (2, 1), (1, 3), (2, 4)), binary("SUB", (1, 4), (1, 1), (1, 5)), unary("ABS", (1, 4), (1, 5))],
    )
    yield "ethosu.model.input_types", [binary("ADD")], [binary("ADD", b_dtype="uint8"), binary("MUL", b_dtype="int16")]
    yield "ethosu.model.signed", [binary("ADD", out="int16"), binary("MUL", out="int32")], [binary("ADD", out="uint8")]
    yield (
        "ethosu.model.unsigned",
        [binary("ADD", dtype="uint8"), binary("SUB", dtype="uint8", out="int32")],
        [binary("ADD", dtype="uint8", out="int8"), binary("ADD", dtype="uint8", out="int16")],
    )
    yield "ethosu.model.same_scale", [reshape((2, 2), (4,))], [reshape((2, 2), (4,), y_scale=0.25)]
    yield "ethosu.model.same_elements", [reshape((2, 2), (1, 4))], [reshape((2, 2), (1, 5))]
    yield (
        "ethosu.model.conv_2d.groups",
        [conv(channels=4, depth=2)],
        [conv(channels=3, depth=2), conv(channels=2, depth=4)],
    )
    yield "ethosu.model.conv_2d.filters", [conv(channels=4, depth=2, outputs=4)], [conv(channels=4, depth=2, outputs=3)]
    yield (
        "ethosu.model.depthwise_conv_2d.depth",
        [conv("DEPTHWISE_CONV_2D"), conv("DEPTHWISE_CONV_2D", multiplier=3)],
        [without_multiplier()],
    )
    yield "ethosu.model.softmax.shape", [softmax()], [softmax((1, 4), (4,))]
    yield (
        "ethosu.model.softmax.types",
        [softmax(), softmax(dtype="uint8"), softmax(out="int16")],
        [softmax(dtype="uint8", out="int8"), softmax(dtype="int16", out="int8")],
    )
    yield "ethosu.model.softmax.beta", [softmax(beta=0.5), softmax(beta=0.0)], [softmax(beta=-1.0)]
    joined = [(1, 2), (1, 3)]
    yield (
        "ethosu.model.concatenation.axis",
        [concatenation(joined, (1, 5))],
        [concatenation(joined, (1, 5), a) for a in (-3, 3)],
    )
    yield "ethosu.model.concatenation.ranks", [concatenation(joined, (1, 5))], [concatenation([(1, 2), (3,)], (1, 5))]
    yield (
        "ethosu.model.concatenation.dims",
        [concatenation([(2, 2), (2, 3)], (2, 5))],
        [concatenation([(2, 2), (1, 3)], (2, 5)), concatenation([(2, 2), (2, 3)], (2, 6))],
    )


def plain():
    for group in (
        shapes_and_types,
        quantization,
        windows,
        dilations,
        tables,
        resizing,
        reductions,
        slices,
        transpositions,
        matrices,
        indices,
        network_checks,
    ):
        yield from group()
