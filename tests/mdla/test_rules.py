#!/usr/bin/env python3
"""The rules and hints of the MDLA one by one: for each a model that it speaks of and one that it does not, at limit - 1, limit and
limit + 1 where there is one, for the versions that have it."""

import os
import sys

import numpy as np

import guide
from guide import VERSIONS, since
from kit import (
    HERE,
    KINDS,
    Mdla,
    Score,
    T,
    arguments,
    const,
    conv_opts,
    opts,
    schema,
    single_op,
    tensor,
    weights,
    window_out,
)

IMAGE = (1, 8, 8, 16)


def conv(
    kind="SYM INT8",
    oc=16,
    ic=16,
    k=3,
    scales=None,
    w_kind=None,
    out=None,
    stride=1,
    padding=0,
    act=0,
    w=None,
    version=1,
):
    x = tensor((1, 8, 8, ic), kind)
    f = w or weights((oc, k, k, ic), w_kind or kind, scales=scales)
    n = window_out(8, k, stride, padding)
    return single_op(
        "CONV_2D",
        [x, f],
        [tensor((1, n, n, oc), kind, "y", **(out or {}))],
        conv_opts(padding, (stride, stride), act=act),
        version=version,
    )


def depthwise(kind="SYM INT8", k=3, c=16, w=None, out=None):
    f = w or weights((1, k, k, c), kind, axis=3)
    o = opts("DepthwiseConv2D", padding=0, strideH=1, strideW=1, depthMultiplier=1)
    return single_op(
        "DEPTHWISE_CONV_2D", [tensor((1, 8, 8, c), kind), f], [tensor((1, 8, 8, c), kind, "y", **(out or {}))], o
    )


def fc(batch=8, kind="SYM INT8", w=None, out=None):
    f = w or weights((16, 16), kind)
    return single_op(
        "FULLY_CONNECTED",
        [tensor((batch, 16), kind), f],
        [tensor((batch, 16), kind, "y", **(out or {}))],
        opts("FullyConnected"),
    )


def transposed(w=None, stride=2, custom=False):
    f = w or weights((16, 3, 3, 16))
    n = 8 * stride
    x, y = tensor(IMAGE), tensor((1, n, n, 16), name="y")
    if custom:
        return single_op("CUSTOM", [const([1, n, n, 16]), f, x], [y], custom=("MTK_TRANSPOSE_CONV", b""))
    o = opts("TransposeConv", padding=0, strideH=stride, strideW=stride)
    return single_op("TRANSPOSE_CONV", [const([1, n, n, 16]), f, x], [y], o)


def binary(op, a=IMAGE, b=IMAGE, constant=False, out=None, kind="SYM INT8"):
    x, y = tensor(a, kind), tensor(b, kind, "z")
    if constant:
        y.data = np.ones(b, KINDS[kind][0])
    o = opts({"ADD": "Add", "SUB": "Sub", "MUL": "Mul", "DIV": "Div"}.get(op, "MaximumMinimum"))
    return single_op(op, [x, y], [tensor(out or a, kind, "y")], o)


def unary(op, kind="SYM INT8", shape=IMAGE, out=None, **more):
    return single_op(op, [tensor(shape, kind)], [tensor(out or shape, kind, "y")], **more)


def pool(op="MAX_POOL_2D", kind="SYM INT8", c=16, **out):
    o = opts("Pool2D", padding=1, strideH=2, strideW=2, filterHeight=2, filterWidth=2)
    return single_op(op, [tensor((1, 8, 8, c), kind)], [tensor((1, 4, 4, c), kind, "y", **out)], o)


def pad(by, then="CONV_2D", readers=1, dims=(1, 2)):
    """PAD, and what reads it."""
    from kit import Net

    n = Net(IMAGE)
    p = np.zeros((4, 2), np.int32)
    for d in dims:
        p[d] = by, 0
    shape = tuple(int(s + p[i].sum()) for i, s in enumerate(IMAGE))
    n.op("PAD", [n.x, n.const(const(p))], n.new(shape))
    x = n.at
    if then == "CONV_2D":
        n.conv(16, 3)
    elif then == "MAX_POOL_2D":
        n.pool()
    else:
        n.unary(then)
    if readers == 2:
        first = n.at
        return (n.conv(16, 3, at=x), n.bytes(first, n.at))[1]
    return n.bytes()


def resize(h, op="RESIZE_BILINEAR", c=16):
    name = "ResizeBilinear" if op == "RESIZE_BILINEAR" else "ResizeNearestNeighbor"
    return single_op(op, [tensor((1, 8, 8, c)), const([h, h])], [tensor((1, h, h, c), name="y")], opts(name))


def mean(c):
    o = opts("Reducer", keepDims=True)
    return single_op("MEAN", [tensor((1, 8, 8, c)), const([1, 2])], [tensor((1, 1, 1, c), name="y")], o)


def slices(begin, size, shape, kind="SYM INT8"):
    return single_op("SLICE", [tensor(shape, kind), const(begin, name="b"), const(size)], [tensor(size, kind, "y")])


def split(shape, axis, n, kind="SYM INT8"):
    out = list(shape)
    out[axis] //= n
    outs = [tensor(out, kind, "y%d" % i) for i in range(n)]
    return single_op("SPLIT", [const(axis), tensor(shape, kind)], outs, opts("Split", numSplits=n))


def strided(by, c):
    shape = (1, 8, 8, c)
    out = [-(-s // b) for s, b in zip(shape, by)]
    ins = [tensor(shape), const([0] * 4, name="b"), const(shape, name="e"), const(by, name="s")]
    return single_op("STRIDED_SLICE", ins, [tensor(out, name="y")], opts("StridedSlice"))


def concat(users):
    """Two inputs, of which an ABS reads the second, too, where users is 2; CONCATENATION is the first operator."""
    from kit import Net

    n = Net(IMAGE)
    other = n.input(IMAGE)
    n.inputs.append(other)
    n.op("CONCATENATION", [n.x, other], n.new((1, 8, 8, 32)), opts("Concatenation", axis=3))
    first = n.at
    return n.bytes(first, n.unary("ABS", at=other)) if users == 2 else n.bytes()


def lstm(inputs):
    ins = [tensor((1, 8), "ASYM UINT8", "i%d" % k) for k in range(inputs)]
    return single_op("LSTM", ins, [tensor((1, 8), "ASYM UINT8", "y")], opts("LSTM", kernelType=1))


def scaled(op, before=None, kinds=("SYM INT8", "ASYM UINT8"), readers=1):
    """A QUANTIZE or DEQUANTIZE behind an operator; it is operator 1, or 0 without one."""
    from kit import Net

    n = Net(IMAGE, kinds[0])
    if before == "CONV_2D":
        n.conv(16)
    elif before:
        n.unary(before)
    x = n.at
    outs = [n.op(op, [x], n.new(x.shape, kinds[1]))]
    if readers == 2:
        outs.append(n.unary("ABS", at=x))
    return n.bytes(*outs)


def dynamic(signature):
    x = tensor((1, 8, 8, 16), shape_signature=signature)
    return single_op("ABS", [x], [tensor((1, 8, 8, 16), name="y")])


COMPUTED = T("w", (16, 3, 3, 16), "int8", 0.01, 0)
COMPUTED_DW = T("w", (1, 3, 3, 16), "int8", 0.01, 0)
FP32_W = dict(kind="FP32", w=T("w", (16, 3, 3, 16), "int8", 0.01, 0, data=np.ones((16, 3, 3, 16), np.int8)))
LARGE = dict(scale=5e-3)  # an output scale that 0.5 * 0.01 reaches
TINY = dict(scale=0.00501)
SAME = dict(scale=0.5, zero_point=0)


def small(table, make, bits, kind):
    """(model, versions that warn) around each version's bound."""
    for bound in sorted({table[v][bits] for v in VERSIONS}):
        for n in (bound - 1, bound, bound + 1):
            yield make(n, kind), [v for v in VERSIONS if n <= table[v][bits]], "%d weights" % n


def hints():
    """(hint, label, model, versions that give it, others that do not, profile)"""
    every, none = VERSIONS, ()
    relax = "guide-relax-fp32"

    def both(hint, yes, no, versions=every, profile="guide"):
        yield hint, "yes", yes, versions, profile
        yield hint, "no", no, none, profile

    yield from both("mdla.version", conv(version=3), conv(version=1))
    yield from both("mdla.asym_int8", unary("ABS", "ASYM INT8"), unary("ABS", "ASYM UINT8"), ["1.5"])
    yield from both("mdla.fp32", unary("ABS", "FP32"), unary("ABS", "FP16"), profile=relax)
    for c, kind, warns in (
        (15, "SYM INT8", 1), (16, "SYM INT8", 0), (17, "SYM INT8", 1), (4, "SYM INT8", 0), (3, "SYM INT8", 1),
        (7, "FP16", 1), (8, "FP16", 0), (9, "FP16", 1), (24, "FP16", 0), (24, "SYM INT8", 1),
    ):  # fmt: skip
        yield (
            "mdla.unaligned_channels",
            "%d of %s" % (c, kind),
            unary("ABS", kind, (1, 8, 8, c)),
            every if warns else none,
            "guide",
        )
    for c, warns in ((3, 1), (4, 1), (5, 0)):
        for m in (
            pool(c=c),
            pool("AVERAGE_POOL_2D", c=c),
            resize(16, c=c),
            resize(16, "RESIZE_NEAREST_NEIGHBOR", c),
            mean(c),
        ):
            yield "mdla.only_16c", "%d channels" % c, m, every if warns else none, "guide"
    yield from both("mdla.dynamic_shape", dynamic((1, -1, 8, 16)), dynamic((1, 8, 8, 16)))
    yield from both("mdla.hybrid", conv(**FP32_W), conv("FP32"), profile=relax)
    channel = dict(scales=True)
    yield from both(
        "mdla.by_channel.asym_int8",
        conv("ASYM INT8", w_kind="SYM INT8", **channel),
        conv("ASYM UINT8", w_kind="SYM INT8", **channel),
    )
    yield from broadcasts()
    pools = ("AVERAGE_POOL_2D", "MAX_POOL_2D")
    for op in pools:
        yield from both("mdla.pool.requant", pool(op, "ASYM UINT8", scale=0.25), pool(op, "ASYM UINT8"))
        yield "mdla.pool.requant", op + " zero point", pool(op, "ASYM UINT8", zero_point=4), every, "guide"
    for make in (conv, depthwise, fc):
        yield from both("mdla.conv.requant", make(out=LARGE), make(out=TINY), ["1.5"])
    for oc in (1, 3, 4, 5, 15, 16, 17, 31, 32):
        warns = guide.outputs_rate(oc) < 100
        yield "mdla.conv.output_channels", "%d" % oc, conv(oc=oc), every if warns else none, "guide"
    for bits, kind in ((0, "SYM INT8"), (1, "SYM INT16")):
        for m, warn, label in small(guide.SMALL_CONV, lambda n, kind: conv(kind, ic=n, k=1), bits, kind):
            yield "mdla.conv.small_filter", "conv %s %s" % (kind, label), m, warn, "guide"
    for k in (2, 3, 4, 5):  # 4, 9, 16, 25 weights
        for bits, kind in ((0, "SYM INT8"), (1, "SYM INT16")):
            warn = [v for v in VERSIONS if k * k <= guide.SMALL_DEPTHWISE[v][bits]]
            yield "mdla.conv.small_filter", "depthwise %s %d" % (kind, k * k), depthwise(kind, k), warn, "guide"
    for n in (1, 2, 3, 4, 7, 8, 9):
        warn = [v for v in VERSIONS if guide.FC_RATE.get(n, {}).get(v) != 100]
        yield "mdla.fully_connected.batch", "%d" % n, fc(n), warn, "guide"
    for custom in (False, True):
        yield (
            "mdla.transpose_conv.hardware",
            "custom" if custom else "builtin",
            transposed(custom=custom),
            ["1.5", "2.0"],
            "guide",
        )
        yield (
            "mdla.transpose_conv.software",
            "custom" if custom else "builtin",
            transposed(custom=custom),
            ["3.0"],
            "guide",
        )
    yield from both(
        "mdla.mtk_transpose_conv.dynamic_weights", transposed(COMPUTED, custom=True), transposed(custom=True)
    )
    yield from both("mdla.dynamic_weights", conv(w=COMPUTED), conv())
    yield "mdla.dynamic_weights", "depthwise has a row", depthwise(w=COMPUTED_DW), none, "guide"
    yield from both("mdla.concatenation.users", concat(2), concat(1), ["1.5", "2.0"])
    for begin, size, kind, warns in (
        ([0, 0, 0, 0], [1, 8, 8, 16], "SYM INT8", 0), ([0, 0, 0, 16], [1, 8, 8, 16], "SYM INT8", 0), ([0, 0, 0, 8], [1, 8, 8, 16], "SYM INT8", 1),
        ([0, 0, 0, 0], [1, 8, 8, 15], "SYM INT8", 1), ([0, 0, 0, 8], [1, 8, 8, 24], "SYM INT16", 0), ([0, 0, 0, 4], [1, 8, 8, 28], "SYM INT16", 1),
    ):  # fmt: skip
        yield (
            "mdla.slice.dummy_read",
            "16C %s %s" % (begin, kind),
            slices(begin, size, (1, 8, 8, 32), kind),
            every if warns else none,
            "guide",
        )
    for begin, kind, warns in ((4, "SYM INT8", 0), (2, "SYM INT8", 1), (2, "SYM INT16", 0), (1, "SYM INT16", 1)):
        m = slices([0, begin, 0, 0], [1, 8 - begin, 8, 3], (1, 8, 8, 3), kind)
        yield "mdla.slice.dummy_read", "4C %d %s" % (begin, kind), m, every if warns else none, "guide"
    yield from both("mdla.slice.dummy_read", split((1, 8, 8, 16), 3, 2), split((1, 8, 8, 32), 3, 2))
    yield "mdla.slice.dummy_read", "split height", split((1, 4, 8, 3), 1, 2), every, "guide"
    yield from both("mdla.strided_slice.direction", strided((1, 2, 1, 1), 3), strided((1, 1, 2, 1), 3))
    yield "mdla.strided_slice.direction", "16C", strided((1, 2, 1, 1), 16), none, "guide"
    for by in (14, 15, 16):
        yield "mdla.pad.dma", "by %d" % by, pad(by), every if by > 15 else none, "guide"
    yield "mdla.pad.dma", "before a pool", pad(1, "MAX_POOL_2D"), none, "guide"
    yield "mdla.pad.dma", "before ABS", pad(1, "ABS"), every, "guide"
    yield "mdla.pad.dma", "two readers", pad(1, readers=2), every, "guide"
    yield "mdla.pad.dma", "channels", pad(1, "CONV_2D", dims=(3,)), every, "guide"
    space = dict(options=opts("SpaceToDepth", blockSize=2), out=(1, 4, 4, 64))
    depth = dict(options=opts("DepthToSpace", blockSize=2), out=(1, 16, 16, 4))
    for op, more in (("SPACE_TO_DEPTH", space), ("DEPTH_TO_SPACE", depth)):
        yield "mdla.software", op, unary(op, **more), ["1.5"], "guide"
    ins = [tensor(IMAGE), const([2, 2], name="b"), const([[0, 0], [0, 0]])]
    yield (
        "mdla.software",
        "SPACE_TO_BATCH_ND",
        single_op("SPACE_TO_BATCH_ND", ins, [tensor((4, 4, 4, 16), name="y")]),
        every,
        "guide",
    )
    custom = single_op(
        "CUSTOM", [tensor(IMAGE)], [tensor((1, 16, 16, 4), name="y")], custom=("MTK_DEPTH_TO_SPACE", b"")
    )
    yield "mdla.software", "MTK_DEPTH_TO_SPACE", custom, every, "guide"
    yield "mdla.custom.assumed", "MTK_DEPTH_TO_SPACE", custom, every, "guide"
    yield "mdla.custom.assumed", "DEPTH_TO_SPACE", unary("DEPTH_TO_SPACE", **depth), none, "guide"
    yield from both("mdla.resize.down", resize(7), resize(8))
    yield from both("mdla.l2_pool.fp16", pool("L2_POOL_2D", "FP16"), pool("L2_POOL_2D", "ASYM UINT8"))
    yield from both("mdla.no_rate", binary("DIV"), binary("ADD"))
    yield (
        "mdla.no_rate",
        "SOFTMAX",
        unary("SOFTMAX", shape=(1, 16), options=opts("Softmax", beta=1.0)),
        ["2.0", "3.0"],
        "guide",
    )
    yield "mdla.no_rate", "RSQRT", unary("RSQRT"), ["2.0", "3.0"], "guide"
    yield "mdla.no_rate", "POW", binary("POW"), every, "guide"


def broadcasts():
    """The tables of ADD, SUB, MUL, MAXIMUM and MINIMUM: what is done, by operator, version, shape and whether it is constant."""
    shapes = {"0-D": (1,), "1-D": (16,), "2-D": (8, 8, 1), "other": (1, 8, 1, 16)}
    for op in ("ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM"):
        for name, shape in {**shapes, "equal": IMAGE}.items():
            for constant in (False, True):
                m = binary(op, b=shape, constant=constant)
                done = {v: broadcast(op, v, name, constant) for v in VERSIONS}
                for how in ("enlarged", "dma"):
                    warn = [v for v in VERSIONS if done[v] == how]
                    yield (
                        "mdla.broadcast." + how,
                        "%s %s %s" % (op, name, "constant" if constant else "computed"),
                        m,
                        warn,
                        "guide",
                    )


def broadcast(op, version, shape, constant):
    """The guide's rows, as they stand."""
    few = shape in ("0-D", "1-D")
    if shape == "equal":
        return None
    if version == "3.0" and shape == "2-D":
        return "hardware"
    if op in ("ADD", "MUL"):
        return ("hardware" if few else "enlarged") if constant else "dma"
    if version == "1.5":
        if op == "SUB":
            return "enlarged" if constant else "dma"
        return "hardware" if constant else "dma"
    return "hardware" if few else "dma"


def check_hints(score, mdla):
    cache = {}
    for hint, label, model, versions, profile in hints():
        for v in VERSIONS:
            key = model, v, profile
            if key not in cache:
                cache[key] = mdla.verdict(model, v, profile)
            placed, reasons, warnings = cache[key]
            want = v in versions
            problem = None
            if not placed and want:
                problem = "refused: %s" % sorted(reasons)
            elif placed and (hint in warnings) != want:
                problem = "%s; has %s" % ("it is missing" if want else "it is there", sorted(warnings))
            elif want and not warnings[hint]["got"]:
                problem = "says no value"
            score.check("%s, %s, %s" % (v, hint, label), problem)


# QUANTIZE and the like are no first operators.
MAPPED = [
    ("QUANTIZE", "CONV_2D", ("SYM INT8", "ASYM UINT8"), 1, False),
    ("QUANTIZE", "CONV_2D", ("SYM INT8", "ASYM UINT8"), 2, True),
    ("QUANTIZE", "ABS", ("SYM INT8", "ASYM UINT8"), 1, False),
    ("QUANTIZE", "RELU", ("SYM INT8", "ASYM UINT8"), 1, True),
    ("QUANTIZE", None, ("SYM INT8", "SYM INT16"), 1, True),
    ("QUANTIZE", "CONV_2D", ("FP16", "ASYM UINT8"), 1, False),
    ("QUANTIZE", "ABS", ("FP16", "ASYM UINT8"), 1, True),
    ("DEQUANTIZE", "CONV_2D", ("SYM INT8", "FP16"), 1, False),
    ("DEQUANTIZE", "ABS", ("SYM INT8", "FP16"), 1, True),
]


def check_mapped(score, mdla):
    for op, before, kinds, readers, warns in MAPPED:
        report = mdla.json("check", "{0}", "--backend", "mdla2.0", model=scaled(op, before, kinds, readers))
        row = next(o for o in report["ops"] if o["op"] == op)
        got = "mdla.quantize.alone" in [w["rule"] for w in row["warnings"]]
        score.check(
            "%s after %s, %d readers" % (op, before, readers), None if got == warns and row["placed"] else str(row)
        )


def check_types(score, mdla):
    """The type matrix, strictly and with FP32; types beside it."""
    for kind in KINDS:
        for v in VERSIONS:
            for profile in ("guide", "guide-relax-fp32"):
                placed, reasons, _ = mdla.verdict(unary("ABS", kind), v, profile)
                want = kind != "FP32" or profile != "guide"
                score.check("%s %s %s" % (v, profile, kind), None if placed == want else str(sorted(reasons)))
    for dtype in ("int32", "int64", "float64", "bool", "uint16", "uint32"):
        m = single_op(
            "RESHAPE", [T("x", (2, 4), dtype), const([4, 2])], [T("y", (4, 2), dtype)], opts("Reshape", newShape=[4, 2])
        )
        _, reasons, _ = mdla.verdict(m, "3.0", "guide-relax-fp32")
        score.check(dtype, None if set(reasons) == {"mdla.type"} else str(sorted(reasons)))
    for dtype in ("int8", "uint8", "int16"):
        m = single_op("ABS", [T("x", (2, 4), dtype)], [T("y", (2, 4), dtype, 0.5, 0)])
        _, reasons, _ = mdla.verdict(m, "2.0")
        score.check("plain " + dtype, None if set(reasons) == {"mdla.quantized"} else str(sorted(reasons)))
    m = single_op("ABS", [T("x", (2, 4), "int16", 0.5, 1)], [T("y", (2, 4), "int16", 0.5, 0)])
    _, reasons, _ = mdla.verdict(m, "2.0")
    score.check("int16 with zero point", None if set(reasons) == {"mdla.symmetric_int16"} else str(sorted(reasons)))
    for (w, d), have in guide.CHANNEL.items():
        model = conv(d, w_kind=w, scales=True)
        for v in VERSIONS:
            placed, reasons, _ = mdla.verdict(model, v)
            problem = (
                None if placed == (v in have) and set(reasons) <= {"mdla.by_channel_types"} else str(sorted(reasons))
            )
            score.check("%s by channel, %s with %s" % (v, d, w), problem)


def check_operators(score, mdla):
    """Each operator from its version on, and others never."""
    firsts = {
        "EXP": "2.0", "SQUARE": "2.0", "SQRT": "2.0", "RSQRT": "2.0", "GELU": "2.0", "ABS": "1.5", "NEG": "1.5", "ELU": "1.5", "RELU": "1.5",
        "RELU6": "1.5", "RELU_N1_TO_1": "1.5", "TANH": "1.5", "LOGISTIC": "1.5",
    }  # fmt: skip
    for op, first in firsts.items():
        for v in VERSIONS:
            placed, reasons, _ = mdla.verdict(unary(op), v)
            want = v in since(first)
            problem = (
                None
                if placed == want and (want or set(reasons) == {"mdla.operator_not_listed"})
                else str(sorted(reasons))
            )
            score.check("%s %s" % (v, op), problem)
    for name, (_, first) in guide.CUSTOM.items():
        m = single_op("CUSTOM", [tensor(IMAGE), tensor(IMAGE, name="z")], [tensor(IMAGE, name="y")], custom=(name, b""))
        m = transposed(custom=True) if name == "MTK_TRANSPOSE_CONV" else m
        for v in VERSIONS:
            placed, reasons, _ = mdla.verdict(m, v)
            score.check("%s %s" % (v, name), None if placed == (v in since(first)) else str(sorted(reasons)))
    for op in ("HARD_SWISH", "LEAKY_RELU", "LOG_SOFTMAX", "SIN", "CEIL"):
        _, reasons, _ = mdla.verdict(unary(op, "FP16"), "3.0")
        score.check(op, None if set(reasons) == {"mdla.operator_not_listed"} else str(sorted(reasons)))
    for n, want in ((5, set()), (4, {"mdla.lstm.inputs"}), (20, {"mdla.lstm.inputs"})):
        _, reasons, _ = mdla.verdict(lstm(n), "1.5")
        score.check("LSTM of %d" % n, None if set(reasons) == want else str(sorted(reasons)))
    for act, want in ((0, set()), (1, set()), (3, set()), (4, set()), (5, {"mdla.fused_activation"})):
        _, reasons, _ = mdla.verdict(conv(act=act), "1.5")
        score.check("activation %d" % act, None if set(reasons) == want else str(sorted(reasons)))
    for v in VERSIONS:
        _, reasons, _ = mdla.verdict(transposed(COMPUTED), v)
        want = set() if v == "3.0" else {"mdla.transpose_conv.dynamic_weights"}
        score.check(v + " dynamic TRANSPOSE_CONV", None if set(reasons) == want else str(sorted(reasons)))
        placed, reasons, _ = mdla.verdict(depthwise(w=COMPUTED_DW), v)
        score.check(v + " dynamic DEPTHWISE_CONV_2D", None if placed else str(sorted(reasons)))


def listed():
    """{operator: a model with it alone}, FP32, of every operator that the guide's tables and two more rows have"""
    sys.path.append(os.path.join(HERE, "../neuron"))
    from rules_kit import listed as others

    f, image = tensor((2, 4), "FP32"), (1, 4, 4, 4)
    models = others()
    for op in "ELU NEG EXP SQUARE RELU6 RELU_N1_TO_1".split():
        models[op] = unary(op, "FP32")
    models["POW"] = binary("POW", kind="FP32")
    models["SQUEEZE"] = single_op("SQUEEZE", [tensor((1, 4), "FP32")], [tensor((4,), "FP32", "y")], opts("Squeeze"))
    models["EXPAND_DIMS"] = single_op(
        "EXPAND_DIMS", [f, const(0)], [tensor((1, 2, 4), "FP32", "y")], opts("ExpandDims")
    )
    no_crop = const([[0, 0], [0, 0]])
    block = const([2, 2], name="b")
    x, y = tensor(image, "FP32"), tensor((4, 2, 2, 4), "FP32", "y")
    models["SPACE_TO_BATCH_ND"] = single_op("SPACE_TO_BATCH_ND", [x, block, no_crop], [y])
    x, y = tensor((4, 2, 2, 4), "FP32"), tensor(image, "FP32", "y")
    models["BATCH_TO_SPACE_ND"] = single_op("BATCH_TO_SPACE_ND", [x, block, no_crop], [y])
    models["SPACE_TO_DEPTH"] = unary(
        "SPACE_TO_DEPTH", "FP32", image, (1, 2, 2, 16), options=opts("SpaceToDepth", blockSize=2)
    )
    models["DEPTH_TO_SPACE"] = unary(
        "DEPTH_TO_SPACE", "FP32", image, (1, 8, 8, 1), options=opts("DepthToSpace", blockSize=2)
    )
    models["L2_POOL_2D"] = pool("L2_POOL_2D", "FP32")
    pads = const([[0, 0], [1, 1], [1, 1], [0, 0]])
    models["MIRROR_PAD"] = single_op(
        "MIRROR_PAD", [tensor(image, "FP32"), pads], [tensor((1, 6, 6, 4), "FP32", "y")], opts("MirrorPad")
    )
    o = opts(
        "Conv3D", padding=1, strideD=1, strideH=1, strideW=1, dilationDFactor=1, dilationHFactor=1, dilationWFactor=1
    )
    ins = [tensor((1, 4, 4, 4, 2), "FP32"), weights((2, 2, 2, 2, 8), "FP32")]
    models["CONV_3D"] = single_op("CONV_3D", ins, [tensor((1, 3, 3, 3, 8), "FP32", "y")], o)
    models["LSTM"] = lstm(5)
    return models


def check_listed(score, mdla):
    """Every operator of the transcription is taken, by the versions that have it and no others."""
    models = listed()
    first = {guide.TFLITE.get(n, n): f for n, (_, f) in guide.OPERATIONS.items() if n not in guide.NOT_REACHED}
    first.update(guide.BESIDE)
    missing = sorted(set(first) - set(models))
    score.check("every operator has a model", None if not missing else str(missing))
    for op, model in models.items():
        for v in VERSIONS:
            placed, reasons, _ = mdla.verdict(model, v, "guide-relax-fp32")
            want = op in first and v in since(first[op])
            score.check("%s takes %s" % (v, op), None if placed == want else "%s %s" % (placed, sorted(reasons)))


def damaged(model):
    """The model with each input of its operator left out, with fewer inputs, and with weights that make it hybrid."""
    import flatbuffers

    def again(change):
        m = schema.ModelT.InitFromPackedBuf(model, 0)
        change(m, m.subgraphs[0].operators[0])
        fb = flatbuffers.Builder(1024)
        fb.Finish(m.Pack(fb), b"TFL3")
        return bytes(fb.Output())

    def leave_out(k, hybrid):
        def change(m, op):
            op.inputs = [-1 if i == k else int(t) for i, t in enumerate(op.inputs)]
            for t in op.inputs if hybrid else []:
                tensor = m.subgraphs[0].tensors[t]
                constant = t >= 0 and m.buffers[tensor.buffer].data is not None
                if constant and tensor.type == 0 and len(tensor.shape):  # float: four times as many of int8
                    tensor.type, tensor.shape = 9, [*tensor.shape[:-1], 4 * tensor.shape[-1]]

        return change

    def fewer(n):
        def change(m, op):
            op.inputs = op.inputs[:n]

        return change

    n = len(schema.ModelT.InitFromPackedBuf(model, 0).subgraphs[0].operators[0].inputs)
    for k in range(n):
        yield again(leave_out(k, False))
        yield again(leave_out(k, True))
        yield again(fewer(k))


def check_damaged(score, mdla):
    """Operators without what they need are refused, or the whole model is; nothing crashes."""
    for op, model in listed().items():
        codes = []
        for data in damaged(model):
            version = VERSIONS[len(codes) % 3]
            for command in ("check", "plan"):
                args = (command, "{0}", "--backend", "mdla" + version, "--rules", "guide-relax-fp32")
                codes.append(mdla.call(*args, model=data)[0])
        score.check("damaged " + op, None if set(codes) <= {0, 3, 4} else str(codes))


def check_guidelines(score, mdla):
    """Limits of the guidelines, at them and above, in their profiles alone; they cite themselves."""
    for v, most in (("2.0", 255), ("3.0", 65535)):
        for n in (most, most + 1):
            m = single_op("ABS", [tensor((n, 1, 1, 1))], [tensor((n, 1, 1, 1), name="y")])
            _, reasons, _ = mdla.verdict(m, v, "guidelines")
            want = {"mdla.guidelines.batch"} if n > most else set()
            score.check("%s batch %d" % (v, n), None if set(reasons) == want else str(sorted(reasons)))
            placed, reasons, _ = mdla.verdict(m, v)
            score.check("%s guide batch %d" % (v, n), None if placed else str(sorted(reasons)))
        for n in (65535, 65536):
            m = single_op("ABS", [tensor((1, 1, n, 1))], [tensor((1, 1, n, 1), name="y")])
            _, reasons, _ = mdla.verdict(m, v, "guidelines")
            want = {"mdla.guidelines.size"} if n > 65535 else set()
            score.check("%s width %d" % (v, n), None if set(reasons) == want else str(sorted(reasons)))
        for rank in (4, 5):
            m = single_op("ABS", [tensor((1,) * rank)], [tensor((1,) * rank, name="y")])
            _, reasons, _ = mdla.verdict(m, v, "guidelines")
            want = {"mdla.guidelines.rank"} if rank > 4 else set()
            score.check("%s rank %d" % (v, rank), None if set(reasons) == want else str(sorted(reasons)))
        for rules in ("guidelines", "guide"):
            report = mdla.ops(v, rules)
            cites = {r["rule"] for r in report["rules"] + report["warnings"] if "Guidelines" in (r["section"] or "")}
            own = {
                r["rule"]
                for r in report["rules"] + report["warnings"]
                if ".guidelines." in r["rule"] or r["rule"].endswith(".converted")
            }
            score.check(
                "%s %s cite" % (v, rules),
                None if cites == own and bool(own) == (rules == "guidelines") else str(cites ^ own),
            )


def main():
    a = arguments(__doc__)
    score, mdla = Score("mdla rules"), Mdla(a.command)
    check_types(score, mdla)
    check_operators(score, mdla)
    check_listed(score, mdla)
    check_damaged(score, mdla)
    check_hints(score, mdla)
    check_mapped(score, mdla)
    check_guidelines(score, mdla)
    tried = {h for h, *_ in hints()} | {"mdla.quantize.alone"}
    known = {w["rule"] for v in VERSIONS for p in ("guide", "guide-relax-fp32") for w in mdla.ops(v, p)["warnings"]}
    score.check("every hint is tried", None if known == tried else "differ: %s" % sorted(known ^ tried))
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
