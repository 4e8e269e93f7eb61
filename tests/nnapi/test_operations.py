#!/usr/bin/env python3
"""Every operation that the NNAPI device runs, alone, against NumPy: awkward shapes, both layouts, padding in codes and numbers.

    test_operations.py [--library build/test/libnpu_rt_nnapi.so]

The references are NumPy's own arithmetic (in float64) of what NNAPI's documentation says. Floats within 1e-5 + 1e-4 |ref|, float16
within a half float's step, quantized results within one step (the integers themselves are compared with LiteRT's on whole
networks: test_networks.py)."""

import argparse
import sys
import zlib

import numpy as np

import settings  # isort: skip
from client import DTYPES, Failed, Library, Model
from runner import Score

FLOAT, HALF, INT, BOOL8 = "TENSOR_FLOAT32", "TENSOR_FLOAT16", "TENSOR_INT32", "TENSOR_BOOL8"
U8, I8 = "TENSOR_QUANT8_ASYMM", "TENSOR_QUANT8_ASYMM_SIGNED"
QUANT = {U8: (0.05, 120), I8: (0.04, -9), "TENSOR_QUANT16_ASYMM": (0.125, 0), "TENSOR_QUANT16_SYMM": (0.125, 0)}


class X:
    """A tensor of an operation: live unless `fixed`."""

    def __init__(self, real, kind=FLOAT, fixed=False, quant=None):
        self.kind, self.fixed, self.channels = kind, fixed, None
        self.scale, self.zero = quant or QUANT.get(kind, (0.0, 0))
        real = np.asarray(real)
        if self.scale:
            info = np.iinfo(DTYPES[kind])
            self.raw = np.clip(np.round(real / self.scale) + self.zero, info.min, info.max).astype(DTYPES[kind])
            self.real = (self.raw.astype(np.float64) - self.zero) * self.scale
        else:
            self.raw = real.astype(DTYPES[kind])
            self.real = self.raw.astype(np.float64) if self.raw.dtype.kind == "f" else self.raw


class S:
    """A scalar constant."""

    def __init__(self, kind, value):
        self.kind, self.value = kind, value


def i32(v):
    return S("INT32", v)


def f32(v):
    return S("FLOAT32", v)


def yes(v):
    return S("BOOL", v)


def built(library, op, args, outs, open_outputs=False):
    """A model of one operation. outs: (kind, shape, quant)."""
    m, ins, operands, arrays = Model(library), [], [], []
    for a in args:
        if a is None:
            operands.append(m.omitted(FLOAT, (1,)))
        elif isinstance(a, S):
            operands.append(m.constant(a.kind, a.value))
        elif a.fixed:
            operands.append(m.constant(a.kind, a.raw, a.scale, a.zero, a.channels))
        else:
            operands.append(m.operand(a.kind, a.raw.shape, a.scale, a.zero))
            ins.append(operands[-1])
            arrays.append(a.raw)
    results = [m.operand(k, [0] * len(s) if open_outputs else s, *(q or (0.0, 0))) for k, s, q in outs]
    m.operation(op, operands, results)
    return m.finish(ins, results), arrays


def close(got, want, kind, quant):
    """None, or what is wrong."""
    if tuple(got.shape) != tuple(np.shape(want)):
        return "shape %s instead of %s" % (got.shape, np.shape(want))
    want = np.asarray(want, np.float64)
    if got.dtype.kind in "b" or (got.dtype.kind == "i" and not quant):
        return None if np.array_equal(got, want) else "values differ"
    if quant:
        info = np.iinfo(got.dtype)
        want = np.clip(np.round(want / quant[0]) + quant[1], info.min, info.max)
        worst = np.max(np.abs(got.astype(np.float64) - want), initial=0)
        return None if worst <= 1 else "%g steps" % worst
    bound = 1e-5 + (1e-3 if kind == HALF else 1e-4) * np.abs(want)
    worst = np.max(np.abs(got.astype(np.float64) - want) - bound, initial=-1)
    return None if worst <= 0 else "beyond the bound by %g" % worst


def nhwc(x):
    return np.moveaxis(x, 1, 3)


def nchw(x):
    return np.moveaxis(x, 3, 1)


def same(n, k, s):
    total = max((-(-n // s) - 1) * s + k - n, 0)
    return total // 2, total - total // 2


def windows(x, k, s, pads, d=(1, 1), fill=0.0):
    """NHWC windows: [n, oh, ow, kh, kw, c]."""
    x = np.pad(x, [(0, 0), pads[0], pads[1], (0, 0)], constant_values=fill)
    span = [(k[i] - 1) * d[i] + 1 for i in range(2)]
    w = np.lib.stride_tricks.sliding_window_view(x, span, axis=(1, 2))[:, :: s[0], :: s[1], :, :: d[0], :: d[1]]
    return np.moveaxis(w, 3, 5)


def act(x, code):
    return [x, np.maximum(x, 0), np.clip(x, -1, 1), np.clip(x, 0, 6)][code]


def conv(x, w, b, s, pads, d=(1, 1), groups=1, code=0):
    o, kh, kw, _ = w.shape
    win = windows(x, (kh, kw), s, pads, d)
    parts = []
    for g in range(groups):
        c, f = x.shape[3] // groups, o // groups
        parts.append(np.einsum("nhwyxc,oyxc->nhwo", win[..., g * c : (g + 1) * c], w[g * f : (g + 1) * f]))
    return act(np.concatenate(parts, 3) + b, code)


def depthwise(x, w, b, s, pads, m, d=(1, 1), code=0):
    win = windows(x, w.shape[1:3], s, pads, d)
    return act(np.einsum("nhwyxc,yxc->nhwc", np.repeat(win, m, 5), w[0]) + b, code)


def seeded(name):
    return np.random.default_rng(zlib.crc32(name.encode()))


def unary_cases():
    for op, f, lo, hi in [
        ("ABS", np.abs, -3, 3), ("EXP", np.exp, -3, 3), ("FLOOR", np.floor, -3, 3), ("LOG", np.log, 0.1, 3),
        ("LOGISTIC", lambda x: 1 / (1 + np.exp(-x)), -4, 4), ("NEG", np.negative, -3, 3),
        ("RELU", lambda x: act(x, 1), -3, 3), ("RELU1", lambda x: act(x, 2), -3, 3), ("RELU6", lambda x: act(x, 3), -3, 8),
        ("RSQRT", lambda x: 1 / np.sqrt(x), 0.1, 3), ("SIN", np.sin, -3, 3), ("SQRT", np.sqrt, 0, 3), ("TANH", np.tanh, -3, 3),
        ("HARD_SWISH", lambda x: x * np.clip(x + 3, 0, 6) / 6, -4, 4),
    ]:  # fmt: skip
        for shape in ((7,), (2, 3, 5), (1, 2, 3, 2)):
            for kind in (FLOAT, HALF):
                x = X(seeded(op + str(shape)).uniform(lo, hi, shape), kind)
                yield op, [x], [(kind, shape, None)], [f(x.real)]
    for op, f in (("RELU", lambda x: act(x, 1)), ("RELU6", lambda x: act(x, 3)), ("RELU1", lambda x: act(x, 2))):
        for kind in (U8, I8):
            x = X(seeded(op + kind).uniform(-5, 5, (3, 7)), kind)
            yield op, [x], [(kind, (3, 7), QUANT[kind])], [f(x.real)]
    for kind in (U8, I8):
        x = X(seeded("logistic" + kind).uniform(-4, 4, (3, 7)), kind)
        q = (1 / 256, 0 if kind == U8 else -128)
        yield "LOGISTIC", [x], [(kind, (3, 7), q)], [1 / (1 + np.exp(-x.real))]
        yield "DEQUANTIZE", [x], [(FLOAT, (3, 7), None)], [x.real]
        y = X(seeded("q" + kind).uniform(-3, 3, (5, 3)))
        yield "QUANTIZE", [y], [(kind, (5, 3), QUANT[kind])], [y.real]
    x = X(seeded("elu").uniform(-3, 3, (4, 5)))
    for alpha in (1.0, 0.3):
        yield (
            "ELU",
            [x, f32(alpha)],
            [(FLOAT, (4, 5), None)],
            [np.where(x.real > 0, x.real, alpha * np.expm1(np.minimum(x.real, 0)))],
        )
    x = X(seeded("cast").uniform(-9, 9, (3, 4)))
    yield "CAST", [x], [(INT, (3, 4), None)], [np.trunc(x.real)]
    b = X([[True, False], [False, True]], BOOL8)
    yield "LOGICAL_NOT", [b], [(BOOL8, (2, 2), None)], [~b.raw]


def binary_cases():
    ops = [("ADD", np.add), ("SUB", np.subtract), ("MUL", np.multiply), ("DIV", np.divide)]
    for op, f in ops:
        for a, b in (((2, 3, 4), (2, 3, 4)), ((2, 1, 4), (3, 1)), ((5,), (1,))):
            for code in range(4):
                rng = seeded(op + str(a) + str(code))
                x, y = X(rng.uniform(-3, 3, a)), X(rng.uniform(0.5, 3, b), fixed=code == 1)
                want = act(f(x.real, y.real), code)
                yield op, [x, y, i32(code)], [(FLOAT, want.shape, None)], [want]
    for op, f in ops[:3]:
        for kind in (U8, I8):
            rng = seeded(op + kind)
            x, y = X(rng.uniform(-2, 2, (2, 5)), kind), X(rng.uniform(-2, 2, (1, 5)), kind, quant=(0.03, 3))
            yield op, [x, y, i32(0)], [(kind, (2, 5), (0.06, 5))], [f(x.real, y.real)]
    for op, f in [
        ("EQUAL", np.equal), ("GREATER", np.greater), ("GREATER_EQUAL", np.greater_equal), ("LESS", np.less),
        ("LESS_EQUAL", np.less_equal), ("NOT_EQUAL", np.not_equal),
    ]:  # fmt: skip
        rng = seeded(op)
        x, y = X(rng.integers(-2, 3, (3, 4)), INT), X(rng.integers(-2, 3, (4,)), INT)
        yield op, [x, y], [(BOOL8, (3, 4), None)], [f(x.raw, y.raw)]
    for op, f in [("MAXIMUM", np.maximum), ("MINIMUM", np.minimum), ("POW", np.power)]:
        rng = seeded(op)
        x, y = X(rng.uniform(0.5, 3, (3, 4))), X(rng.uniform(0.5, 3, (3, 1)))
        yield op, [x, y], [(FLOAT, (3, 4), None)], [f(x.real, y.real)]
    for op, f in [("LOGICAL_AND", np.logical_and), ("LOGICAL_OR", np.logical_or)]:
        x, y = X([True, True, False, False], BOOL8), X([True, False, True, False], BOOL8)
        yield op, [x, y], [(BOOL8, (4,), None)], [f(x.raw, y.raw)]
    x, a = X(seeded("prelu").uniform(-3, 3, (2, 3, 4))), X(seeded("alpha").uniform(0, 1, (1, 1, 4)), fixed=True)
    yield "PRELU", [x, a], [(FLOAT, (2, 3, 4), None)], [np.where(x.real < 0, x.real * a.real, x.real)]
    c, y = X(seeded("sel").integers(0, 2, (3, 4)), BOOL8), X(seeded("sely").uniform(-1, 1, (3, 4)))
    z = X(seeded("selz").uniform(-1, 1, (3, 4)))
    yield "SELECT", [c, y, z], [(FLOAT, (3, 4), None)], [np.where(c.raw, y.real, z.real)]


def move_cases():
    x = X(seeded("move").uniform(-3, 3, (2, 3, 4)))
    r = x.real

    def case(op, args, want, kind=FLOAT):
        return op, args, [(kind, np.shape(want), None)], [want]

    def ints(values):
        return X(np.array(values, np.int32), INT, fixed=True)

    yield case("RESHAPE", [x, ints([4, -1])], r.reshape(4, 6))
    yield case("TRANSPOSE", [x, ints([2, 0, 1])], r.transpose(2, 0, 1))
    yield case("TRANSPOSE", [x], r.transpose())
    yield case("EXPAND_DIMS", [x, i32(1)], r[:, None])
    one = X(seeded("squeeze").uniform(-1, 1, (1, 3, 1, 2)))
    yield case("SQUEEZE", [one], one.real.reshape(3, 2))
    yield case("SQUEEZE", [one, ints([2])], one.real.reshape(1, 3, 2))
    yield case("PAD", [x, ints([[1, 0], [0, 2], [1, 1]])], np.pad(r, [(1, 0), (0, 2), (1, 1)]))
    yield case(
        "PAD_V2",
        [x, ints([[1, 0], [0, 2], [1, 1]]), f32(2.5)],
        np.pad(r, [(1, 0), (0, 2), (1, 1)], constant_values=2.5),
    )
    for mode, name in ((0, "reflect"), (1, "symmetric")):
        yield case(
            "MIRROR_PAD", [x, ints([[1, 0], [0, 2], [1, 1]]), i32(mode)], np.pad(r, [(1, 0), (0, 2), (1, 1)], name)
        )
    yield case("REVERSE", [x, ints([1])], r[:, ::-1])
    yield case("SLICE", [x, ints([0, 1, 1]), ints([2, -1, 2])], r[:, 1:, 1:3])
    yield case(
        "STRIDED_SLICE",
        [x, ints([0, 2, 3]), ints([2, -4, 0]), ints([1, -1, -2]), i32(0), i32(0), i32(0)],
        r[:, 2::-1, 3:0:-2],
    )
    yield case(
        "STRIDED_SLICE", [x, ints([1, 0, 1]), ints([2, 3, 3]), ints([1, 1, 1]), i32(2), i32(2), i32(1)], r[1, :, 1:3]
    )
    yield case("TILE", [x, ints([2, 1, 3])], np.tile(r, (2, 1, 3)))
    yield case("GATHER", [x, i32(1), ints([2, 0, 0])], r[:, [2, 0, 0]])
    y = X(seeded("cat").uniform(-1, 1, (2, 1, 4)))
    yield case("CONCATENATION", [x, y, i32(1)], np.concatenate([r, y.real], 1))
    yield case("PACK", [i32(1), x, x], np.stack([r, r], 1))
    yield "SPLIT", [x, i32(2), i32(2)], [(FLOAT, (2, 3, 2), None)] * 2, [r[..., :2], r[..., 2:]]
    yield case("FILL", [ints([2, 3]), f32(1.5)], np.full((2, 3), 1.5))
    yield case("RANK", [x], np.int32(3), "INT32")
    order = np.argsort(-r, -1, kind="stable")[..., :2]
    yield (
        "TOPK_V2",
        [x, i32(2)],
        [(FLOAT, (2, 3, 2), None), (INT, (2, 3, 2), None)],
        [np.take_along_axis(r, order, -1), order],
    )
    yield case("EMBEDDING_LOOKUP", [X([1, 0, 1], INT), x], r[[1, 0, 1]])
    for op, f in (("ARGMAX", np.argmax), ("ARGMIN", np.argmin)):
        for axis in (1, -1):
            yield case(op, [x, i32(axis)], f(r, axis).astype(np.int32), INT)
    for op, f in (("REDUCE_MAX", np.max), ("REDUCE_MIN", np.min), ("REDUCE_PROD", np.prod), ("REDUCE_SUM", np.sum)):
        for keep in (False, True):
            yield case(op, [x, ints([0, -1]), yes(keep)], f(r, (0, 2), keepdims=keep))
    yield case("MEAN", [x, ints([1]), i32(1)], r.mean(1, keepdims=True))
    b = X(seeded("any").integers(0, 2, (3, 4)), BOOL8)
    yield case("REDUCE_ANY", [b, ints([1]), yes(False)], b.raw.any(1), BOOL8)
    yield case("REDUCE_ALL", [b, ints([0]), yes(True)], b.raw.all(0, keepdims=True), BOOL8)
    w = X(seeded("bmm").uniform(-1, 1, (2, 5, 4)))
    yield case("BATCH_MATMUL", [x, w, yes(False), yes(True)], r @ w.real.transpose(0, 2, 1))
    c = X(seeded("shuffle").uniform(-1, 1, (2, 3, 6)))
    yield case("CHANNEL_SHUFFLE", [c, i32(3), i32(-1)], c.real.reshape(2, 3, 3, 2).swapaxes(2, 3).reshape(2, 3, 6))
    q = X(seeded("q").uniform(-2, 2, (2, 3)), U8)
    yield "PAD", [q, ints([[0, 1], [1, 0]])], [(U8, (3, 4), QUANT[U8])], [np.pad(q.real, [(0, 1), (1, 0)])]


def along_cases():
    x = X(seeded("along").uniform(-3, 3, (2, 3, 4, 5)))
    for axis in (-1, 1, 2):
        for beta in (1.0, 0.7):
            e = np.exp(beta * (x.real - x.real.max(axis, keepdims=True)))
            p = e / e.sum(axis, keepdims=True)
            yield "SOFTMAX", [x, f32(beta), i32(axis)], [(FLOAT, x.raw.shape, None)], [p]
            yield "LOG_SOFTMAX", [x, f32(beta), i32(axis)], [(FLOAT, x.raw.shape, None)], [np.log(p)]
        n = x.real / np.sqrt((x.real**2).sum(axis, keepdims=True))
        yield "L2_NORMALIZATION", [x, i32(axis)], [(FLOAT, x.raw.shape, None)], [n]
        sq, c = np.moveaxis(x.real, axis, -1) ** 2, x.raw.shape[axis]
        total = np.stack([sq[..., max(i - 1, 0) : i + 2].sum(-1) for i in range(c)], -1)
        y = x.real / np.moveaxis((1.5 + 0.2 * total) ** 0.75, -1, axis)
        yield (
            "LOCAL_RESPONSE_NORMALIZATION",
            [x, i32(1), f32(1.5), f32(0.2), f32(0.75), i32(axis)],
            [(FLOAT, x.raw.shape, None)],
            [y],
        )
    q = X(x.real, U8)
    e = np.exp(q.real - q.real.max(-1, keepdims=True))
    yield "SOFTMAX", [q, f32(1.0)], [(U8, q.raw.shape, (1 / 256, 0))], [e / e.sum(-1, keepdims=True)]
    for layout in (False, True):
        axes = (2, 3) if layout else (1, 2)
        centered = x.real - x.real.mean(axes, keepdims=True)
        y = 1.3 * centered / np.sqrt((centered**2).mean(axes, keepdims=True) + 1e-3) - 0.2
        yield (
            "INSTANCE_NORMALIZATION",
            [x, f32(1.3), f32(-0.2), f32(1e-3), yes(layout)],
            [(FLOAT, x.raw.shape, None)],
            [y],
        )
    w, h = X(seeded("w").uniform(-1, 1, (4, 6)), fixed=True), X(seeded("h").uniform(-1, 1, (3, 4)))
    v, s = X(seeded("v").uniform(-1, 1, (3, 6))), X(seeded("s").uniform(-1, 1, (4, 4)), fixed=True)
    b = X(seeded("b").uniform(-1, 1, (4,)), fixed=True)
    for code, f in ((0, lambda x: x), (1, lambda x: act(x, 1)), (4, np.tanh), (6, lambda x: 1 / (1 + np.exp(-x)))):
        y = f(v.real @ w.real.T + h.real @ s.real.T + b.real)
        yield "RNN", [v, w, s, b, h, i32(code)], [(FLOAT, (3, 4), None)] * 2, [y, y]


def window_cases():
    for n, (h, w_, k, s, d, explicit, layout) in enumerate([
        (5, 6, (3, 3), (1, 1), (1, 1), None, False), (7, 5, (3, 2), (2, 2), (1, 1), None, False),
        (7, 8, (2, 3), (1, 2), (1, 1), ((1, 0), (2, 1)), False), (8, 8, (3, 3), (1, 1), (2, 2), None, True),
        (6, 5, (3, 3), (2, 1), (1, 1), ((1, 1), (0, 2)), True), (5, 5, (1, 1), (1, 1), (1, 1), "valid", False),
    ]):  # fmt: skip
        rng = seeded("conv%d" % n)
        span = [(k[i] - 1) * d[i] + 1 for i in range(2)]
        pads = (
            [same((h, w_)[i], span[i], s[i]) for i in range(2)]
            if explicit is None
            else [(0, 0)] * 2
            if explicit == "valid"
            else explicit
        )
        how = [i32(1 if explicit is None else 2)]
        if explicit not in (None, "valid"):
            how = [i32(v) for v in (*pads[1], *pads[0])]
        strides, dilated = [i32(s[1]), i32(s[0])], [yes(layout)] + ([i32(d[1]), i32(d[0])] if d != (1, 1) else [])
        lay = nchw if layout else lambda v: v
        base = rng.uniform(-1, 1, (2, h, w_, 4))
        x, b = X(lay(base)), X(rng.uniform(-1, 1, 6), fixed=True)
        f = X(rng.uniform(-1, 1, (6, *k, 4)), fixed=True)
        code = n % 4
        y = conv(base.astype("f4").astype("f8"), f.real, b.real, s, pads, d, 1, code)
        yield "CONV_2D", [x, f, b, *how, *strides, i32(code), *dilated], [(FLOAT, lay(y).shape, None)], [lay(y)]
        g = X(rng.uniform(-1, 1, (6, *k, 2)), fixed=True)
        if d == (1, 1):
            y = conv(base.astype("f4").astype("f8"), g.real, b.real, s, pads, d, 2, code)
            yield (
                "GROUPED_CONV_2D",
                [x, g, b, *how, *strides, i32(2), i32(code), yes(layout)],
                [(FLOAT, lay(y).shape, None)],
                [lay(y)],
            )
        dw, db = X(rng.uniform(-1, 1, (1, *k, 8)), fixed=True), X(rng.uniform(-1, 1, 8), fixed=True)
        y = depthwise(base.astype("f4").astype("f8"), dw.real, db.real, s, pads, 2, d, code)
        yield (
            "DEPTHWISE_CONV_2D",
            [x, dw, db, *how, *strides, i32(2), i32(code), *dilated],
            [(FLOAT, lay(y).shape, None)],
            [lay(y)],
        )
        if d != (1, 1):
            continue
        filters = [i32(k[1]), i32(k[0])]
        win = windows(base.astype("f4").astype("f8"), k, s, pads, fill=-1e30)
        y = lay(win.max((3, 4)))
        yield "MAX_POOL_2D", [x, *how, *strides, *filters, i32(0), yes(layout)], [(FLOAT, y.shape, None)], [y]
        win = windows(base.astype("f4").astype("f8"), k, s, pads, fill=np.nan)
        for op, v in (
            ("AVERAGE_POOL_2D", np.nanmean(win, (3, 4))),
            ("L2_POOL_2D", np.sqrt(np.nanmean(win**2, (3, 4)))),
        ):
            numbers = [i32(v) for v in (*pads[1], *pads[0])]
            for padding in (how, numbers):
                yield (
                    op,
                    [x, *padding, *strides, *filters, i32(0), yes(layout)],
                    [(FLOAT, lay(v).shape, None)],
                    [lay(v)],
                )
    x = X(seeded("fc").uniform(-1, 1, (2, 3, 4)))
    w, b = X(seeded("fcw").uniform(-1, 1, (5, 12)), fixed=True), X(seeded("fcb").uniform(-1, 1, 5), fixed=True)
    yield (
        "FULLY_CONNECTED",
        [x, w, b, i32(1)],
        [(FLOAT, (2, 5), None)],
        [act(x.real.reshape(2, 12) @ w.real.T + b.real, 1)],
    )


def layout_cases():
    for layout in (False, True):
        lay, back = (nchw, nhwc) if layout else (lambda v: v, lambda v: v)
        base = seeded("d2s%d" % layout).uniform(-1, 1, (2, 3, 2, 8)).astype("f4").astype("f8")
        x = X(lay(base))
        y = lay(base.reshape(2, 3, 2, 2, 2, 2).transpose(0, 1, 3, 2, 4, 5).reshape(2, 6, 4, 2))
        yield "DEPTH_TO_SPACE", [x, i32(2), yes(layout)], [(FLOAT, y.shape, None)], [y]
        base = seeded("s2d%d" % layout).uniform(-1, 1, (2, 4, 6, 3)).astype("f4").astype("f8")
        x = X(lay(base))
        y = lay(base.reshape(2, 2, 2, 3, 2, 3).transpose(0, 1, 3, 2, 4, 5).reshape(2, 2, 3, 12))
        yield "SPACE_TO_DEPTH", [x, i32(2), yes(layout)], [(FLOAT, y.shape, None)], [y]
        block = X(np.array([2, 2], np.int32), INT, fixed=True)
        pads = X(np.array([[0, 0], [0, 0]], np.int32), INT, fixed=True)
        y = base.reshape(2, 2, 2, 3, 2, 3).transpose(2, 4, 0, 1, 3, 5).reshape(8, 2, 3, 3)
        yield "SPACE_TO_BATCH_ND", [x, block, pads, yes(layout)], [(FLOAT, lay(y).shape, None)], [lay(y)]
        yield "BATCH_TO_SPACE_ND", [X(lay(y)), block, yes(layout)], [(FLOAT, lay(base).shape, None)], [lay(base)]
        rows, cols = np.arange(8) * 4 // 8, np.arange(9) * 6 // 9
        y = lay(base[:, rows][:, :, cols])
        yield "RESIZE_NEAREST_NEIGHBOR", [x, i32(9), i32(8), yes(layout)], [(FLOAT, y.shape, None)], [y]
        yield "RESIZE_NEAREST_NEIGHBOR", [x, f32(1.5), f32(2.0), yes(layout)], [(FLOAT, y.shape, None)], [y]

        def lines(v, axis, n):
            at = np.arange(n) * v.shape[axis] / n
            low = np.floor(at).astype(int)
            high, t = np.minimum(low + 1, v.shape[axis] - 1), at - low
            t = t.reshape([-1 if i == axis else 1 for i in range(4)])
            return np.take(v, low, axis) * (1 - t) + np.take(v, high, axis) * t

        y = lay(lines(lines(base, 1, 7), 2, 9))
        yield "RESIZE_BILINEAR", [x, i32(9), i32(7), yes(layout)], [(FLOAT, y.shape, None)], [y]
        for s, explicit in (((2, 2), None), ((1, 2), ((1, 0), (0, 1)))):
            f = X(seeded("tc").uniform(-1, 1, (5, 3, 2, 3)), fixed=True)
            b = X(seeded("tcb").uniform(-1, 1, 5), fixed=True)
            full = np.zeros((2, (4 - 1) * s[0] + 3, (6 - 1) * s[1] + 2, 5))
            for i in range(4):
                for j in range(6):
                    full[:, i * s[0] : i * s[0] + 3, j * s[1] : j * s[1] + 2] += np.einsum(
                        "nc,oyxc->nyxo", base[:, i, j], f.real
                    )
            if explicit is None:  # SAME: as large as the input times the stride
                size, top = (4 * s[0], 6 * s[1]), (0, 0)
                y = full[:, top[0] : top[0] + size[0], top[1] : top[1] + size[1]] + b.real
                shape = X(np.array(y.shape, np.int32), INT, fixed=True)
                args = [x, f, b, shape, i32(1), i32(s[1]), i32(s[0]), i32(1), yes(layout)]
            else:
                (t, o), (l, r) = explicit
                y = full[:, t : full.shape[1] - o, l : full.shape[2] - r] + b.real
                args = [x, f, b, *(i32(v) for v in (l, r, t, o)), i32(s[1]), i32(s[0]), i32(1), yes(layout)]
            y = lay(act(y, 1))
            yield "TRANSPOSE_CONV_2D", args, [(FLOAT, y.shape, None)], [y]
        del back


def other_cases():
    """Operands whose scales or types TFLite's operators do not take."""
    for kind in (U8, I8):
        quants = [(0.05, 20), (0.03, 10)]
        a, b = (X(seeded("scales%d%s" % (i, kind)).uniform(-2, 2, (3, 4)), kind, quant=quants[i]) for i in range(2))
        out = lambda shape: [(kind, shape, (0.06, 7))]  # noqa: E731
        yield "MAXIMUM", [a, b], out((3, 4)), [np.maximum(a.real, b.real)]
        yield "MINIMUM", [a, b], out((3, 4)), [np.minimum(a.real, b.real)]
        yield "CONCATENATION", [a, b, a, i32(0)], out((9, 4)), [np.concatenate([a.real, b.real, a.real])]
        which = X(seeded("which").integers(0, 2, (3, 4)), BOOL8)
        yield "SELECT", [which, a, b], out((3, 4)), [np.where(which.raw, a.real, b.real)]
        pads = X([[1, 0], [0, 2]], INT, fixed=True)
        want = np.pad(a.real, [(1, 0), (0, 2)], constant_values=(-20 - 20) * 0.05 if kind == I8 else (99 - 20) * 0.05)
        yield "PAD_V2", [a, pads, i32(-20 if kind == I8 else 99)], [(kind, (4, 6), quants[0])], [want]
        x = X([-300.0, -3.7, 0.0, 6.2, 300.0])
        info = np.iinfo(DTYPES[kind])
        yield "CAST", [x], [(kind, (5,), (1.0, 0))], [np.clip(np.trunc(x.real), info.min, info.max)]
        yield "CAST", [X([-300, 7, 300], INT)], [(kind, (3,), (1.0, 0))], [np.clip([-300, 7, 300], info.min, info.max)]
    a, b = (X(seeded("less%d" % i).integers(0, 2, (3, 4)), BOOL8) for i in range(2))
    for op, f in (
        ("LESS", np.less),
        ("GREATER", np.greater),
        ("LESS_EQUAL", np.less_equal),
        ("GREATER_EQUAL", np.greater_equal),
    ):
        yield op, [a, b], [(BOOL8, (3, 4), None)], [f(a.raw, b.raw)]
    a, b = X(np.arange(-9, 9), INT), X(np.tile([-3, 2, 5], 6), INT)
    yield "DIV", [a, b, i32(0)], [(INT, (18,), None)], [a.raw // b.raw]
    x = X(seeded("all").uniform(-1, 1, (2, 3)))
    yield (
        "REDUCE_SUM",
        [x, X([0, 1], INT, fixed=True), yes(False)],
        [(FLOAT, (1,), None)],
        [x.real.sum(keepdims=True).reshape(1)],
    )
    rng, x = seeded("shifted"), X(seeded("shift").uniform(-1, 1, (2, 5, 6, 4)), I8, quant=(1 / 100, 5))
    f = X(rng.uniform(-1, 1, (6, 3, 3, 4)), I8, fixed=True, quant=(1 / 110, -11))
    d = X(rng.uniform(-1, 1, (1, 3, 3, 4)), I8, fixed=True, quant=(1 / 110, -11))
    w = X(rng.uniform(-1, 1, (5, 4)), I8, fixed=True, quant=(1 / 110, 9))
    b = [X(rng.uniform(-1, 1, n), INT, fixed=True, quant=(1 / 11000, 0)) for n in (6, 4, 5)]
    y = conv(x.real, f.real, b[0].real, (1, 1), [(0, 0)] * 2)
    yield "CONV_2D", [x, f, b[0], i32(2), i32(1), i32(1), i32(0)], [(I8, y.shape, (0.05, -3))], [y]
    y = depthwise(x.real, d.real, b[1].real, (1, 1), [(0, 0)] * 2, 1)
    yield "DEPTHWISE_CONV_2D", [x, d, b[1], i32(2), i32(1), i32(1), i32(1), i32(0)], [(I8, y.shape, (0.05, -3))], [y]
    by = rng.uniform(0.005, 0.01, 6).astype("f4")  # weights by channel, data of uint8
    f = X(rng.integers(-127, 128, (6, 3, 3, 4)), "TENSOR_QUANT8_SYMM_PER_CHANNEL", fixed=True)
    f.channels = (0, by)
    x = X(x.real, U8, quant=(1 / 100, 140))
    free = X(rng.integers(-5000, 5000, 6), INT, fixed=True)
    y = conv(x.real, f.raw * by.reshape(6, 1, 1, 1), free.raw * by / 100, (1, 1), [(0, 0)] * 2)
    yield "CONV_2D", [x, f, free, i32(2), i32(1), i32(1), i32(0)], [(U8, y.shape, (0.1, 120))], [y]
    v = X(rng.uniform(-1, 1, (3, 4)), I8, quant=(1 / 100, 5))
    y = v.real @ w.real.T + b[2].real
    yield "FULLY_CONNECTED", [v, w, b[2], i32(0)], [(I8, y.shape, (0.05, -3))], [y]


FAMILIES = (other_cases, unary_cases, binary_cases, move_cases, along_cases, window_cases, layout_cases)


def check(score, library, case, number):
    op, args, outs, wants = case
    for open_outputs in (False, True):
        name = "%s/%d%s" % (op.lower(), number, " open" if open_outputs else "")
        m, arrays = built(library, op, args, outs, open_outputs and all(s for _, s, _ in outs))
        try:
            got = m.run(arrays)
            problem = next(filter(None, (close(g, w, k, q) for g, w, (k, _, q) in zip(got, wants, outs))), None)
        except Failed as e:
            problem = str(e)
        score.check(name, problem)
        m.close()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--library", default=settings.LIBRARY)
    p.add_argument("--only", default="")
    a = p.parse_args()
    library, score, count = Library(a.library), Score("nnapi operations"), {}
    for family in FAMILIES:
        for case in family():
            count[case[0]] = count.get(case[0], 0) + 1
            if a.only in case[0]:
                check(score, library, case, count[case[0]])
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
