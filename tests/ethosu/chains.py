"""Operators between two convolutions, where Vela keeps tensors in its brick layout, splits them into stripes, and fuses
what it can. cases() yields (name, model, runs)."""

import itertools

import numpy as np

from cases import DTYPES, Q, ints32, values
from mkmodel import Builder, T, schema, opts as options
from ops_conv import NONE, RELU, RELU6, SAME, VALID, rng_of

WEIGHT_SCALE = 0.02


class Chain:
    """Builds a network around its newest tensor; every tensor that is made here is of one type."""

    def __init__(self, name, dtype, shape):
        self.name, self.dtype, self.rng, self.count = name, dtype, rng_of(name), 0
        self.b = Builder()
        self.b.subgraph()
        self.x = T("x", shape, dtype, *Q[dtype])
        self.b.tensor(self.x)

    def new(self, shape, scale=None, zero_point=None, dtype=None):
        self.count += 1
        dtype = dtype or self.dtype
        q = Q.get(dtype, (None, None))
        return T(
            "t%d" % self.count,
            shape,
            dtype,
            q[0] if scale is None else scale,
            q[1] if zero_point is None else zero_point,
        )

    def conv(self, x, channels, k=1, stride=1, act=NONE, depthwise=False):
        self.count += 1
        depth = x.shape[3]
        shape = (1, k, k, depth) if depthwise else (channels, k, k, depth)
        wide = self.dtype == "int16"
        w_type, w_zp = ("uint8", 127) if self.dtype == "uint8" else ("int8", 0)
        w = T("w%d" % self.count, shape, w_type, WEIGHT_SCALE, w_zp, data=values(self.rng, shape, w_type))
        b = T(
            "b%d" % self.count,
            shape[-1:] if depthwise else shape[:1],
            "int64" if wide else "int32",
            x.scale * WEIGHT_SCALE,
            0,
            data=self.rng.integers(-1000, 1000, shape[-1] if depthwise else channels),
        )
        spread = 74 * (18900 if wide else 74) * np.sqrt(k * k * (1 if depthwise else depth))
        scale = float(np.float32(3 * x.scale * WEIGHT_SCALE * spread / (65535 if wide else 255)))
        size = [-(-d // stride) for d in x.shape[1:3]]
        y = self.new((x.shape[0], *size, depth if depthwise else channels), scale)
        fields = {
            "padding": SAME,
            "strideH": stride,
            "strideW": stride,
            "dilationHFactor": 1,
            "dilationWFactor": 1,
            "fusedActivationFunction": act,
        }
        if depthwise:
            fields["depthMultiplier"] = 1
        name = "DepthwiseConv2D" if depthwise else "Conv2D"
        self.b.op("DEPTHWISE_CONV_2D" if depthwise else "CONV_2D", [x, w, b], [y], options(name, **fields))
        return y

    def op(self, op, inputs, shapes, opts=None, q=(None, None), dtype=None):
        outs = [self.new(s, *q, dtype) for s in shapes]
        self.b.op(op, inputs, outs, opts)
        return outs

    def const(self, shape, scale, zero_point=None):
        t = self.new(shape, scale, zero_point)
        t.data = values(self.rng, shape, self.dtype)
        return t

    def close(self, outputs):
        self.b.io([self.x], outputs)
        return self.name, self.b.bytes(), [values(self.rng, self.x.shape, self.dtype)]


# Each takes a Chain and a tensor, and returns the tensors that it leaves. None: not for this type.


def binary(op, table, other):
    def build(c, x):
        n, h, w, d = x.shape
        y = {
            "conv": lambda: c.conv(x, d),
            "same": lambda: x,
            "channel": lambda: c.const((d,), x.scale, x.zero_point),
            "scalar": lambda: c.const((1, 1, 1, 1), x.scale, x.zero_point),
            "pooled": lambda: pool("MAX_POOL_2D", (h, w))(c, x)[0],
        }[other]()
        q = (None, None) if op in ("ADD", "SUB") else (x.scale, x.zero_point)
        if op == "MUL":
            q = (x.scale * (4 if c.dtype == "int16" else 8), None)
        if op in ("MINIMUM", "MAXIMUM") and y.scale != x.scale:  # the reference compares the stored values
            y = c.op("QUANTIZE", [y], [y.shape], None, (x.scale, x.zero_point))[0]
        fields = {"potScaleInt16": False} if op in ("ADD", "SUB") else {}
        pair = [y, x] if other in ("channel", "pooled") and op == "SUB" else [x, y]
        return c.op(op, pair, [x.shape], options(table, **fields), q)

    return build


def unary(op, table=None, q=(None, None), **fields):
    def build(c, x):
        scale, zero = q
        if op in ("LOGISTIC", "TANH", "SOFTMAX"):
            low = {"int8": -128, "uint8": 0}.get(c.dtype)
            scale = 2.0**-15 if c.dtype == "int16" else 2.0**-7 if op == "TANH" else 2.0**-8
            zero = 0 if c.dtype == "int16" else low + 128 if op == "TANH" else low
        return c.op(op, [x], [x.shape], options(table, **fields) if table else None, (scale, zero))

    return build


def pool(op, k, stride=1, padding=VALID, act=NONE):
    def build(c, x):
        size = [-(-d // stride) if padding == SAME else (d - n) // stride + 1 for d, n in zip(x.shape[1:3], k)]
        o = options(
            "Pool2D",
            padding=padding,
            strideH=stride,
            strideW=stride,
            filterHeight=k[0],
            filterWidth=k[1],
            fusedActivationFunction=act,
        )
        return c.op(op, [x], [(x.shape[0], *size, x.shape[3])], o, (x.scale, x.zero_point))

    return build


def reduce(op, axes, keep=True):
    def build(c, x):
        shape = tuple(1 if i in axes else d for i, d in enumerate(x.shape) if keep or i not in axes)
        q = (x.scale, x.zero_point) if op != "SUM" else (x.scale * 5, None)
        return c.op(op, [x, ints32("axes%d" % c.count, axes)], [shape], options("Reducer", keepDims=keep), q)

    return build


def resize(op, table, **fields):
    def build(c, x):
        lost = 1 if fields.get("alignCorners") else 0
        size = [2 * d - lost for d in x.shape[1:3]]
        return c.op(
            op,
            [x, ints32("size%d" % c.count, size)],
            [(1, *size, x.shape[3])],
            options(table, **fields),
            (x.scale, x.zero_point),
        )

    return build


def move(op, shape, extra=(), opts=None):
    """shape and extra: functions of the input's shape."""

    def build(c, x):
        more = [ints32("m%d_%d" % (c.count, i), f(x.shape)) for i, f in enumerate(extra)]
        return c.op(op, [x, *more], [shape(x.shape)], opts, (x.scale, x.zero_point))

    return build


def concat(axis, k):
    def build(c, x):
        n, h, w, d = x.shape
        other = c.conv(x, k if axis == 3 else d)
        if axis != 3:
            other = move(
                "SLICE",
                lambda s: (1, k, w, d) if axis == 1 else (1, h, k, d),
                (lambda s: (0,) * 4, lambda s: (1, k, w, d) if axis == 1 else (1, h, k, d)),
            )(c, other)[0]
        other = c.op("QUANTIZE", [other], [other.shape], None, (x.scale, x.zero_point))[0]
        shape = tuple(a + b if i == axis else a for i, (a, b) in enumerate(zip(x.shape, other.shape)))
        return c.op("CONCATENATION", [x, other], [shape], options("Concatenation", axis=axis), (x.scale, x.zero_point))

    return build


def split(axis, n):
    def build(c, x):
        if x.shape[axis] % n:
            return None
        part = tuple(d // n if i == axis else d for i, d in enumerate(x.shape))
        return c.op(
            "SPLIT",
            [ints32("axis%d" % c.count, axis), x],
            [part] * n,
            options("Split", numSplits=n),
            (x.scale, x.zero_point),
        )

    return build


def requantize(c, x):
    return c.op("QUANTIZE", [x], [x.shape], None, (x.scale * 1.37, None))


def prelu(c, x):
    alpha = T(
        "alpha",
        (1, 1, x.shape[3]),
        "int8" if c.dtype == "int16" else c.dtype,
        0.011,
        Q[c.dtype][1],
        data=values(c.rng, (1, 1, x.shape[3]), "int8" if c.dtype == "int16" else c.dtype),
    )
    return c.op("PRELU", [x, alpha], [x.shape], None, (x.scale, None))


def pad_conv(c, x):
    pads = ((0, 0), (1, 2), (2, 1), (0, 0))
    n, h, w, d = x.shape
    y = c.op(
        "PAD",
        [x, ints32("pads%d" % c.count, pads)],
        [(n, h + 3, w + 3, d)],
        schema.PadOptionsT(),
        (x.scale, x.zero_point),
    )[0]
    return [c.conv(y, d, 3)]


BODIES = {
    **{
        "%s_%s" % (op.lower(), other): binary(op, table, other)
        for (op, table), other in itertools.product(
            (
                ("ADD", "Add"),
                ("SUB", "Sub"),
                ("MUL", "Mul"),
                ("MINIMUM", "MaximumMinimum"),
                ("MAXIMUM", "MaximumMinimum"),
            ),
            ("conv", "same", "channel", "scalar", "pooled"),
        )
    },
    "abs": unary("ABS", "Abs"),
    "leaky_relu": unary("LEAKY_RELU", "LeakyRelu", alpha=0.2),
    "relu": unary("RELU"),
    "relu6": unary("RELU6"),
    "relu_n1_to_1": unary("RELU_N1_TO_1"),
    "logistic": unary("LOGISTIC"),
    "tanh": unary("TANH"),
    "hard_swish": unary("HARD_SWISH", "HardSwish"),
    "exp": unary("EXP", "Exp"),
    "elu": unary("ELU"),
    "gelu": unary("GELU", "Gelu"),
    "softmax": unary("SOFTMAX", "Softmax", beta=1.0),
    "max_pool_2": pool("MAX_POOL_2D", (2, 2), 2),
    "max_pool_3": pool("MAX_POOL_2D", (3, 3), 2, SAME, RELU6),
    "average_pool_3": pool("AVERAGE_POOL_2D", (3, 3), 1, SAME),
    "average_pool_2": pool("AVERAGE_POOL_2D", (2, 2), 2),
    "average_pool_wide": pool("AVERAGE_POOL_2D", (1, 5), 2, SAME, RELU),
    "mean_hw": reduce("MEAN", (1, 2)),
    "mean_c": reduce("MEAN", (3,)),
    "sum_c": reduce("SUM", (3,)),
    "max_hw": reduce("REDUCE_MAX", (1, 2)),
    "min_w": reduce("REDUCE_MIN", (2,)),
    "bilinear": resize("RESIZE_BILINEAR", "ResizeBilinear"),
    "bilinear_align": resize("RESIZE_BILINEAR", "ResizeBilinear", alignCorners=True),
    "bilinear_half": resize("RESIZE_BILINEAR", "ResizeBilinear", halfPixelCenters=True),
    "nearest": resize("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighbor"),
    "nearest_half": resize("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighbor", halfPixelCenters=True),
    "concat_c": concat(3, 5),
    "concat_c16": concat(3, 16),
    "concat_h": concat(1, 3),
    "concat_w": concat(2, 2),
    "split_c": split(3, 2),
    "split_h": split(1, 2),
    "split_w": split(2, 3),
    "pad_conv": pad_conv,
    "prelu": prelu,
    "requantize": requantize,
    "transpose": move("TRANSPOSE", lambda s: (s[0], s[2], s[1], s[3]), (lambda s: (0, 2, 1, 3),)),
    "slice": move(
        "SLICE",
        lambda s: (1, s[1] - 3, s[2] - 1, s[3] - 1),
        (lambda s: (0, 2, 1, 1), lambda s: (1, s[1] - 3, s[2] - 1, s[3] - 1)),
    ),
    "fold": move("RESHAPE", lambda s: (1, s[2], s[1], s[3]), (lambda s: (1, s[2], s[1], s[3]),)),
    "tile": move("TILE", lambda s: (1, s[1], 2 * s[2], s[3]), (lambda s: (1, 1, 2, 1),)),
    "mirror": move(
        "MIRROR_PAD",
        lambda s: (1, s[1] + 2, s[2] + 3, s[3]),
        (lambda s: ((0, 0), (1, 1), (1, 2), (0, 0)),),
        options("MirrorPad", mode=0),
    ),
    "depthwise": lambda c, x: [c.conv(x, 0, 3, 1, RELU, True)],
    "depthwise_2": lambda c, x: [c.conv(x, 0, 5, 2, NONE, True)],
    "conv_3": lambda c, x: [c.conv(x, 33, 3, 1, RELU)],
}


def sandwiches():
    for (body, build), dtype, channels in itertools.product(BODIES.items(), DTYPES, (16, 17, 40)):
        c = Chain("between_%s_%s_%d" % (body, dtype, channels), dtype, (1, 12, 9, 5))
        parts = build(c, c.conv(c.x, channels))
        if parts:
            yield c.close([c.conv(p, 3) for p in parts])


def towers():
    """Deep and large enough for stripes, buffered weights and rolling buffers."""
    for dtype, (size, widths, k) in itertools.product(
        DTYPES, ((64, (8, 16, 16), 3), (40, (48, 24, 96, 24), 3), (96, (4, 4, 4, 4, 4), 5), (10, (200, 300, 100), 1))
    ):
        c = Chain("tower_%s_%d_%s" % (dtype, size, "x".join(map(str, widths))), dtype, (1, size, size + 1, 3))
        x = c.x
        for i, n in enumerate(widths):
            x = c.conv(x, n, k, 2 if i == 1 else 1, RELU if i % 2 else NONE)
            x = c.conv(x, 0, 3, 1, NONE, True)
        yield c.close([x])


def cases():
    yield from sandwiches()
    yield from towers()
