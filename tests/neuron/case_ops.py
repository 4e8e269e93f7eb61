"""Operators of the cases: a function each, (draw, kind) -> (operator, inputs, outputs, options)."""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../conformance"))

from draw import FLOATS, PLAIN, QUANT, SAME, VALID  # noqa: E402
from mkmodel import opts  # noqa: E402


def unary(op, options=None, out=None):
    def make(d, kind):
        shape = d.shape(0, 5)
        x = d.tensor(kind, shape)
        return op, [x], [d.tensor(out or kind, shape)], options and options(d)

    return make


def binary(op, options=None, out=None):
    def make(d, kind):
        shape = d.shape(0, 5)
        other = d.pick(shape, shape, shape[1:], (1,) * len(shape), ())
        a, b = d.tensor(kind, shape), d.tensor(kind, other, constant=d.chance(40))
        pair = [b, a] if d.chance(25) else [a, b]
        if d.chance(8):
            pair = [a, a]
        return op, pair, [d.tensor(out or kind, shape)], options and options(d)

    return make


def fused_options(kind):
    return lambda d: opts(kind, fusedActivationFunction=d.fused())


def window(d, size, k, stride, dilation, padding):
    k = (k - 1) * dilation + 1
    return -(-size // stride) if padding == SAME else (size - k) // stride + 1


def pool(op):
    def make(d, kind):
        h, w, c = d.number(4, 8), d.number(4, 8), d.number(1, 4)
        kh, kw, sh, sw, p = d.number(1, 3), d.number(1, 4), d.number(1, 2), d.number(1, 3), d.pick(SAME, VALID)
        x = d.tensor(kind, (d.number(1, 2), h, w, c))
        y = d.tensor(kind, (x.shape[0], window(d, h, kh, sh, 1, p), window(d, w, kw, sw, 1, p), c), like=x)
        o = opts("Pool2D", padding=p, strideH=sh, strideW=sw, filterHeight=kh, filterWidth=kw)
        o.fusedActivationFunction = d.fused()
        return op, [x], [y], o

    return make


def weights_for(d, kind, shape, axis):
    """Weights of a kind that goes with the input, or of any: float and hybrid layers, 4 bits, one scale or many."""
    float_choices = [kind] * 3 + ["int8cz", "int8z", "int4z", "int4cz", "uint8", "float16"]
    int_choices = ["int8cz"] * 3 + [
        "int8z",
        "int8",
        "int8c",
        "int4cz",
        "int4z",
        "int4",
        "int4c",
        "uint8c",
        "int2",
        "int16z",
    ]
    choices = float_choices if "float" in kind else ["uint8", "uint8", "uint8c"] if kind == "uint8" else int_choices
    return d.tensor(d.pick(*choices), shape, constant=d.chance(93), axis=axis, what="w")


def bias_for(d, kind, n):
    """None, or absent as -1, or what goes with the layer; per channel as the weights are."""
    if "float" in kind:
        return d.tensor(kind, (n,), constant=True, what="b")
    return d.tensor(
        d.pick("int32", "int32q", "int32c", "int64" if kind.startswith("int16") else "int32"), (n,), True, what="b"
    )


def with_bias(d, inputs, kind, n):
    how = d.number(0, 9)
    if how == 0:
        return inputs
    return inputs + [None if how == 1 else bias_for(d, kind, n)]


def conv(d, kind):
    h, w, c, n = d.number(5, 9), d.number(5, 9), d.number(1, 6), d.number(1, 6)
    kh, kw, sh, sw = d.number(1, 3), d.number(1, 3), d.number(1, 2), d.number(1, 2)
    dh, dw, p = d.pick(1, 1, 2), d.pick(1, 1, 2), d.pick(SAME, VALID)
    x = d.tensor(kind, (1, h, w, c))
    weights = weights_for(d, kind, (n, kh, kw, c), 0)
    y = d.tensor(kind, (1, window(d, h, kh, sh, dh, p), window(d, w, kw, sw, dw, p), n))
    o = opts("Conv2D", padding=p, strideH=sh, strideW=sw, dilationHFactor=dh, dilationWFactor=dw)
    o.fusedActivationFunction = d.fused()
    return "CONV_2D", with_bias(d, [x, weights], kind, n), [y], o


def depthwise(d, kind):
    h, w, c, m = d.number(5, 9), d.number(5, 9), d.number(1, 4), d.number(1, 3)
    kh, kw, s, p = d.number(1, 3), d.number(1, 3), d.number(1, 2), d.pick(SAME, VALID)
    x, weights = d.tensor(kind, (1, h, w, c)), weights_for(d, kind, (1, kh, kw, c * m), 3)
    dil = d.pick(1, 1, 2) if s == 1 else 1
    y = d.tensor(kind, (1, window(d, h, kh, s, dil, p), window(d, w, kw, s, dil, p), c * m))
    o = opts("DepthwiseConv2D", padding=p, strideH=s, strideW=s, depthMultiplier=m)
    o.dilationHFactor = o.dilationWFactor = dil
    o.fusedActivationFunction = d.fused()
    return "DEPTHWISE_CONV_2D", with_bias(d, [x, weights], kind, c * m), [y], o


def fully(d, kind):
    depth, n = d.number(1, 8), d.number(1, 5)
    batch = d.pick((1,), (3,), (2, 3), (1, 1), (2, 1, 3))
    keep = len(batch) == 1 or d.chance(70)
    x, weights = d.tensor(kind, batch + (depth,)), weights_for(d, kind, (n, depth), 0)
    y = d.tensor(kind, batch + (n,) if keep else (int(np.prod(batch)), n))
    o = opts("FullyConnected", keepNumDims=len(batch) > 1 and keep, asymmetricQuantizeInputs=d.chance(30))
    o.fusedActivationFunction = d.fused()
    return "FULLY_CONNECTED", with_bias(d, [x, weights], kind, n), [y], o


def batch_matmul(d, kind):
    lead, m, k, n = d.shape(0, 3, 3), d.number(1, 4), d.number(1, 4), d.number(1, 4)
    ax, ay = d.chance(40), d.chance(40)
    a = d.tensor(kind, lead + ((k, m) if ax else (m, k)))
    b = d.tensor(kind, lead + ((n, k) if ay else (k, n)), constant=d.chance(30))
    return "BATCH_MATMUL", [a, b], [d.tensor(kind, lead + (m, n))], opts("BatchMatMul", adjX=ax, adjY=ay)


def concatenation(d, kind):
    shape = d.shape(1, 5)
    axis = d.number(0, len(shape) - 1)
    sizes = [d.number(1, 3) for _ in range(d.number(1, 4))]
    y = d.tensor(kind, shape[:axis] + (sum(sizes),) + shape[axis + 1 :])
    parts = [d.tensor(kind, shape[:axis] + (s,) + shape[axis + 1 :], d.chance(15), like=y) for s in sizes]
    axis -= len(shape) if d.chance(30) else 0
    return "CONCATENATION", parts, [y], opts("Concatenation", axis=axis, fusedActivationFunction=d.pick(0, 0, 0, 1, 3))


def live_or(d, t, percent=10):
    """The same tensor, at times not a constant but an input."""
    if d.chance(percent):
        t.data = None
    return t


def index(d, values):
    """A constant of positions: 32 bits, at times 64, at times an input."""
    return live_or(d, d.const(values, d.pick("int32", "int32", "int32", "int64")))


def reshape(d, kind):
    shape = d.shape(0, 4)
    count = int(np.prod(shape))
    to = d.pick((count,), (1, count), tuple(reversed(shape)), shape + (1,), shape)
    said = list(to)
    if to and d.chance(30):
        said[d.number(0, len(to) - 1)] = -1
    x = d.tensor(kind, shape)
    ins = [x] if d.chance(15) else [x, live_or(d, d.const(said))]
    o = opts("Reshape", newShape=np.array(said, np.int32)) if len(ins) == 1 or d.chance(40) else None
    return "RESHAPE", ins, [d.tensor(kind, to, like=x)], o


def transpose(d, kind):
    shape = d.shape(0, 5)
    order = [int(v) for v in d.rng.permutation(len(shape))]
    x = d.tensor(kind, shape)
    return "TRANSPOSE", [x, index(d, order)], [d.tensor(kind, [shape[i] for i in order], like=x)], opts("Transpose")


def pad(op):
    def make(d, kind):
        shape = d.shape(1, 5)
        pads = [(d.number(0, 2), d.number(0, 2)) for _ in shape]
        x = d.tensor(kind, shape)
        ins = [x, index(d, pads)]
        if op == "PADV2":
            ins.append(d.tensor(kind, d.pick((), (1,)), d.chance(80), like=x))
        return (
            op,
            ins,
            [d.tensor(kind, [s + a + b for s, (a, b) in zip(shape, pads)], like=x)],
            opts("Pad" if op == "PAD" else "PadV2"),
        )

    return make


def slice_(d, kind):
    shape = d.shape(1, 5, 6)
    begin = [d.number(0, s - 1) for s in shape]
    size = [d.number(1, s - b) for s, b in zip(shape, begin)]
    said = [-1 if d.chance(20) and b + n == s else n for s, b, n in zip(shape, begin, size)]
    x, kind_of = d.tensor(kind, shape), d.pick("int32", "int32", "int64")
    ins = [x, live_or(d, d.const(begin, kind_of)), live_or(d, d.const(said, kind_of))]
    return "SLICE", ins, [d.tensor(kind, size, like=x)], opts("Slice")


def mask(d, n, percent):
    return sum(1 << i for i in range(n) if d.chance(percent))


def strided_slice(d, kind):
    shape = d.shape(1, 4, 6)
    n = len(shape)
    begin = [d.number(0, s - 1) for s in shape]
    end = [d.number(b + 1, s) for s, b in zip(shape, begin)]
    stride = [d.pick(1, 1, 2) for _ in shape]
    shrink, begins, ends = mask(d, n, 15), mask(d, n, 20), mask(d, n, 20)
    out = []
    for i, s in enumerate(shape):
        first, last = 0 if begins >> i & 1 else begin[i], s if ends >> i & 1 else end[i]
        if shrink >> i & 1:
            begins &= ~(1 << i)
            stride[i] = 1
        else:
            out.append(max(0, -(-(last - first) // stride[i])))
    o = opts("StridedSlice", beginMask=begins, endMask=ends, shrinkAxisMask=shrink)
    if (
        d.chance(12) and not shrink
    ):  # an ellipsis over the last dimension, a new axis before all: sparser specifications
        o.ellipsisMask, out[-1:] = 1 << (n - 1), [shape[-1]]
    elif d.chance(12):
        o.newAxisMask, out = 1 << n, out + [1]
        begin, end, stride = begin + [0], end + [1], stride + [1]
    elif d.chance(12):
        o.offset, end = True, [e - b for b, e in zip(begin, end)]
        o.beginMask = begins & ends
        out = [
            max(0, -(-(e if not ends >> i & 1 else shape[i]) // stride[i]))
            for i, e in enumerate(end)
            if not shrink >> i & 1
        ]
        o.beginMask = o.endMask = 0
        out = [-(-e // s) for i, (e, s) in enumerate(zip(end, stride)) if not shrink >> i & 1]
    x = d.tensor(kind, shape)
    ins = [x] + [live_or(d, d.const(v), 6) for v in (begin, end, stride)]
    return "STRIDED_SLICE", ins, [d.tensor(kind, out, like=x)], o


def split(d, kind):
    shape, n = d.shape(1, 5), d.number(1, 4)
    axis = d.number(0, len(shape) - 1)
    x = d.tensor(kind, shape[:axis] + (shape[axis] * n,) + shape[axis + 1 :])
    outs = [d.tensor(kind, shape, like=x) for _ in range(n)]
    said = d.const(axis - (len(shape) if d.chance(30) else 0))
    if d.chance(20):
        said = d.const([said.data.item()])
    return "SPLIT", [live_or(d, said), x], outs, opts("Split", numSplits=n)


def unpack(d, kind):
    shape, n = d.shape(1, 4), d.number(1, 4)
    axis = d.number(0, len(shape))
    x = d.tensor(kind, shape[:axis] + (n,) + shape[axis:])
    outs = [d.tensor(kind, shape, like=x) for _ in range(n)]
    return "UNPACK", [x], outs, opts("Unpack", num=n, axis=axis - (len(shape) + 1 if d.chance(30) else 0))


def reduce(op):
    def make(d, kind):
        shape = d.shape(1, 5)
        axes = sorted(set(d.number(0, len(shape) - 1) for _ in range(d.number(1, len(shape)))))
        keep = d.chance(50)
        out = [1 if i in axes else s for i, s in enumerate(shape) if keep or i not in axes]
        said = [a - (len(shape) if d.chance(30) else 0) for a in axes]
        said = d.const(said[0]) if len(said) == 1 and d.chance(40) else d.const(said)
        return op, [d.tensor(kind, shape), live_or(d, said)], [d.tensor(kind, out)], opts("Reducer", keepDims=keep)

    return make


def prelu(d, kind):
    shape = d.shape(1, 4)
    alpha = d.tensor(kind, d.pick(shape[-1:], (1,) * (len(shape) - 1) + shape[-1:], (1,), ()), d.chance(80))
    return "PRELU", [d.tensor(kind, shape), alpha], [d.tensor(kind, shape)], None


def resize(op):
    def make(d, kind):
        shape = (d.number(1, 2), d.number(1, 5), d.number(1, 5), d.number(1, 3))
        to = [d.number(1, 8), d.number(1, 8)]
        half, align = d.pick((False, False), (True, False), (False, True))
        o = opts(
            "ResizeBilinear" if op == "RESIZE_BILINEAR" else "ResizeNearestNeighbor",
            alignCorners=align,
            halfPixelCenters=half,
        )
        x = d.tensor(kind, shape)
        return op, [x, live_or(d, d.const(to))], [d.tensor(kind, (shape[0], *to, shape[3]), like=x)], o

    return make


def transpose_conv(d, kind):
    h, w, c, n = d.number(1, 5), d.number(1, 5), d.number(1, 4), d.number(1, 4)
    kh, kw, sh, sw, p = d.number(1, 3), d.number(1, 3), d.number(1, 2), d.number(1, 3), d.pick(SAME, VALID)
    size = [s * t if p == SAME else (s - 1) * t + max(k, t) for s, k, t in ((h, kh, sh), (w, kw, sw))]
    out = (1, *size, n)
    x, weights = d.tensor(kind, (1, h, w, c)), weights_for(d, kind, (n, kh, kw, c), 0)
    ins = with_bias(d, [live_or(d, d.const(out)), weights, x], kind, n)
    o = opts("TransposeConv", padding=p, strideH=sh, strideW=sw, fusedActivationFunction=d.pick(0, 0, 1, 3))
    return "TRANSPOSE_CONV", ins, [d.tensor(kind, out)], o


def tile(d, kind):
    shape = d.shape(1, 5)
    times = [d.number(1, 3) for _ in shape]
    x = d.tensor(kind, shape)
    return "TILE", [x, index(d, times)], [d.tensor(kind, [a * b for a, b in zip(shape, times)], like=x)], opts("Tile")


def convert(op):
    """From the kind to one that the operator can give."""

    def make(d, kind):
        to = {
            "QUANTIZE": QUANT + ["int32"],
            "DEQUANTIZE": ["float32", "float16"],
            "CAST": FLOATS + PLAIN + ["int8n", "uint8n", "int16n", "uint32"],
        }
        shape = d.shape(0, 5)
        x, y = d.tensor(kind, shape, constant=op == "DEQUANTIZE" and d.chance(30)), d.tensor(d.pick(*to[op]), shape)
        return op, [x], [y], opts("Cast", inDataType=0, outDataType=0) if op == "CAST" and d.chance(50) else None

    return make


def gather(d, kind):
    shape, n = d.shape(1, 4), d.number(1, 3)
    x = d.tensor(kind, shape)
    where = d.const([d.number(0, shape[0] - 1) for _ in range(n)])
    return "GATHER", [x, where], [d.tensor(kind, (n,) + shape[1:], like=x)], opts("Gather", axis=0)


def pack(d, kind):
    shape, n = d.shape(0, 3), d.number(1, 3)
    y = d.tensor(kind, (n,) + shape)
    return "PACK", [d.tensor(kind, shape, like=y) for _ in range(n)], [y], opts("Pack", valuesCount=n, axis=0)


def arg_max(d, kind):
    shape = d.shape(1, 4)
    return "ARG_MAX", [d.tensor(kind, shape), d.const(0)], [d.tensor("int32", shape[1:])], opts("ArgMax", outputType=2)


def expand_dims(d, kind):
    shape = d.shape(0, 4)
    x = d.tensor(kind, shape)
    return "EXPAND_DIMS", [x, d.const(0)], [d.tensor(kind, (1,) + shape, like=x)], opts("ExpandDims")


def squeeze(d, kind):
    shape = d.shape(1, 3)
    x = d.tensor(kind, (1,) + shape)
    return "SQUEEZE", [x], [d.tensor(kind, shape, like=x)], opts("Squeeze", squeezeDims=np.array([0], np.int32))


def space_to_depth(d, kind):
    x = d.tensor(kind, (1, 2 * d.number(1, 3), 2 * d.number(1, 3), d.number(1, 3)))
    n, h, w, c = x.shape
    return (
        "SPACE_TO_DEPTH",
        [x],
        [d.tensor(kind, (n, h // 2, w // 2, 4 * c), like=x)],
        opts("SpaceToDepth", blockSize=2),
    )


def select(d, kind):
    shape = d.shape(1, 4)
    return (
        "SELECT_V2",
        [d.tensor("bool", shape), d.tensor(kind, shape), d.tensor(kind, shape)],
        [d.tensor(kind, shape)],
        None,
    )


def composite(name, n_inputs, attributes):
    """A composite with a decomposition that adds nothing: its own subgraph, of one RESHAPE."""

    def make(d, kind):
        shape = d.shape(1, 4)
        n = d.pick(*n_inputs)
        gain = d.pick(shape[-1:], shape[-1:], (1,) * (len(shape) - 1) + shape[-1:])
        ins = [d.tensor(kind, shape)]
        ins += [d.tensor(d.pick(kind, "float32", "int8z"), gain, d.chance(85)) for _ in range(n - 1)]
        return ("composite", name, attributes(d, len(shape))), ins, [d.tensor(kind, shape)], None

    return make


def norm_attributes(d, rank):
    a = {"epsilon": d.pick(1e-6, 1e-5, 0.5)} if d.chance(80) else {}
    if d.chance(30):
        a["channel_axis"] = d.number(-rank, rank - 1)
    if d.chance(30):
        a["axis"] = rank - 1
    return a


def group_attributes(d, rank):
    a = norm_attributes(d, rank)
    if d.chance(90):
        a["num_groups"] = d.pick(1, 1, 1, 2)
    if d.chance(70):
        a["channel_axis"] = d.number(0, rank - 1)
    return a if d.chance(90) else None
