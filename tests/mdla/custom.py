"""The custom operators of the guide in NumPy, from their definitions, and a model for each: references, and cases of awkward shapes.

References compute in float64 on real values; `Case.check` says how far a result may be off: integers must be the nearest one (but for
ties and a table's own error), floats within a few units in the last place of the largest magnitude."""

import math

import numpy as np
from flatbuffers import flexbuffers
from kit import T, const, single_op, window_out

QUANT = {"float32": (None, None), "int8": (0.05, -7), "uint8": (0.04, 120), "int16": (0.0007, 0)}
OUT = {"float32": (None, None), "int8": (0.06, 3), "uint8": (0.05, 99), "int16": (0.0009, 0)}
NONE = b""
TWICE = 0.13  # quanta: TFLite rounds a product, and then its bits behind the point


def flex(**options):
    return bytes(flexbuffers.Dumps(options))


def range_of(dtype):
    i = np.iinfo(dtype)
    return i.min, i.max


class Case:
    """`inputs`: those that are fed. `want`: real values, float64. `more`: quanta beyond the nearest."""

    def __init__(self, name, model, inputs, want, out, more=0.0):
        self.name, self.model, self.inputs, self.want, self.out, self.more = name, model, inputs, want, out, more

    def check(self, got):
        """None, or what is wrong."""
        if got.shape != self.want.shape or str(got.dtype) != self.out.dtype:
            return "%s %s instead of %s %s" % (got.dtype, got.shape, self.out.dtype, self.want.shape)
        if got.size == 0:
            return None
        if self.out.dtype == "float32":
            most = np.abs(got - self.want).max()
            bound = 2e-6 * max(1.0, np.abs(self.want).max())
            return None if most <= bound else "off by %g, more than %g" % (most, bound)
        lo, hi = range_of(self.out.dtype)
        exact = self.want / np.float64(np.float32(self.out.scale)) + self.out.zero_point
        off = np.abs(got.astype(np.float64) - np.clip(exact, lo, hi)).max()
        return None if off <= 0.502 + self.more else "off by %g quanta" % off


def values(rng, shape, dtype, wide=3.0):
    if dtype == "float32":
        return (rng.standard_normal(shape) * wide).astype("float32")
    lo, hi = range_of(dtype)
    a = rng.integers(lo, hi + 1, shape).astype(dtype)
    flat = a.reshape(-1)
    flat[: min(2, flat.size)] = [lo, hi][: min(2, flat.size)]
    return a


def real(a, t):
    if t.scale is None:
        return a.astype(np.float64)
    return (a.astype(np.float64) - t.zero_point) * np.float64(np.float32(t.scale))


def tensors(shape, out_shape, dtype, same=False):
    s, z = QUANT.get(dtype, (None, None))
    so, zo = (s, z) if same else OUT[dtype]
    return T("x", shape, dtype, s, z), T("y", out_shape, dtype, so, zo)


def custom(name, inputs, out, options=NONE):
    return single_op("CUSTOM", inputs, [out], custom=(name, options), version=2 if "LAYER" in name else 1)


# ---- each operator ----

SHAPES = [(1, 4, 5, 3), (), (1,), (7, 1), (2, 3, 1, 17), (0, 4), (1, 1, 1, 300)]


def unary(rng):
    for name, fn in (("MTK_ABS", np.abs), ("MTK_ELU", lambda x: np.where(x < 0, np.expm1(np.minimum(x, 0)), x))):
        for dtype in QUANT:
            for shape in SHAPES:
                x, y = tensors(shape, shape, dtype)
                a = values(rng, shape, dtype)
                more = 2.0 if dtype == "int16" and name == "MTK_ELU" else TWICE if dtype == "int16" else 0.0
                want = np.asarray(fn(real(a, x)))
                yield Case("%s %s %s" % (name, dtype, shape), custom(name, [x], y), [a], want, y, more)


def requantize(rng):
    kinds = ("int8", "uint8", "int16")
    for src in kinds:
        for dst in kinds:
            for factor in (0.3, 1.0, 7.7, 300.0):
                s, z = QUANT[src]
                x = T("x", (3, 1, 33), src, s, z)
                y = T("y", x.shape, dst, s * factor, 0 if dst == "int16" else 11)
                a = values(rng, x.shape, src)
                name = "MTK_REQUANTIZE %s to %s by %g" % (src, dst, factor)
                yield Case(name, custom("MTK_REQUANTIZE", [x], y), [a], real(a, x), y, TWICE)


def windows(n, k, stride, padding):
    """(first, end) of each window along an axis, cut to the image."""
    out = window_out(n, k, stride, padding)
    before = max((out - 1) * stride + k - n, 0) // 2 if padding == 0 else 0
    return [(max(i * stride - before, 0), min(i * stride - before + k, n)) for i in range(out)]


def min_pool(rng):
    sizes = [((1, 5, 7, 3), 3, 2, 1, 2, 0), ((2, 4, 4, 1), 2, 2, 2, 2, 1), ((1, 1, 1, 9), 1, 1, 1, 1, 0)]
    sizes += [((1, 3, 9, 2), 5, 4, 3, 1, 0), ((1, 8, 6, 20), 3, 3, 1, 1, 1)]
    for dtype in QUANT:
        for shape, kh, kw, sh, sw, padding in sizes:
            for act in (0, 1, 3):
                for same in (True, False):
                    rows, columns = windows(shape[1], kh, sh, padding), windows(shape[2], kw, sw, padding)
                    x, y = tensors(shape, (shape[0], len(rows), len(columns), shape[3]), dtype, same)
                    a = values(rng, shape, dtype)
                    r = real(a, x)
                    want = np.stack([np.stack([r[:, t:b, u:v].min((1, 2)) for u, v in columns], 1) for t, b in rows], 1)
                    want = np.clip(want, 0, {1: np.inf, 3: 6.0}[act]) if act else want
                    o = flex(
                        padding=padding,
                        stride_h=sh,
                        stride_w=sw,
                        filter_height=kh,
                        filter_width=kw,
                        fused_activation_function=act,
                    )
                    name = "MTK_MIN_POOL %s %s %dx%d act %d%s" % (
                        dtype,
                        shape,
                        kh,
                        kw,
                        act,
                        "" if same else " rescaled",
                    )
                    yield Case(name, custom("MTK_MIN_POOL", [x], y, o), [a], want, y)


def transpose_conv(rng):
    sizes = [
        ((1, 3, 4, 2), 3, 3, 2, 0),
        ((2, 2, 2, 5), 7, 2, 1, 1),
        ((1, 1, 5, 1), 1, 4, 3, 0),
        ((1, 4, 3, 17), 16, 3, 2, 1),
    ]
    for dtype in ("float32", "int8", "int16"):
        for (n, h, w, c), oc, k, stride, padding in sizes:
            oh, ow = [d * stride if padding == 0 else (d - 1) * stride + k for d in (h, w)]
            s, z = QUANT[dtype]
            x = T("x", (n, h, w, c), dtype, s, z)
            wt = "int8" if dtype != "float32" else "float32"
            wa = values(rng, (oc, k, k, c), wt, 0.5)
            f = T("w", wa.shape, wt, 0.01 if wt == "int8" else None, 0 if wt == "int8" else None, data=wa)
            y = T("y", (n, oh, ow, oc), dtype, {"float32": None, "int8": 0.4, "int16": 0.01}[dtype], 0 if s else None)
            a = values(rng, x.shape, dtype)
            rx, rw = real(a, x), real(wa, f)
            before = [max((d - 1) * stride + k - o, 0) // 2 for d, o in ((h, oh), (w, ow))]
            want = np.zeros(y.shape)
            for i in range(h):
                for j in range(w):
                    for p in range(k):
                        for q in range(k):
                            r, col = i * stride + p - before[0], j * stride + q - before[1]
                            if 0 <= r < oh and 0 <= col < ow:
                                want[:, r, col] += rx[:, i, j] @ rw[:, p, q].T
            o = flex(padding=padding, stride_h=stride, stride_w=stride)
            model = custom("MTK_TRANSPOSE_CONV", [const(y.shape, "int32", "shape"), f, x], y, o)
            yield Case("MTK_TRANSPOSE_CONV %s %s k%d s%d" % (dtype, x.shape, k, stride), model, [a], want, y, TWICE)


def reverse(rng):
    for dtype in QUANT:
        for shape, axes in (
            ((2, 3, 4, 5), [1]),
            ((2, 3, 4, 5), [-1, 0]),
            ((7,), [-1]),
            ((3, 1, 2), [0, 1, 2]),
            ((0, 2), [0]),
        ):
            x, y = tensors(shape, shape, dtype, True)
            a = values(rng, shape, dtype)
            model = custom("MTK_REVERSE", [x, const(axes, "int32", "axes")], y)
            yield Case("MTK_REVERSE %s %s %s" % (dtype, shape, axes), model, [a], np.flip(real(a, x), axes), y)


def depth_to_space(rng):
    for dtype in QUANT:
        for (n, h, w, c), b in (((1, 2, 3, 8), 2), ((2, 1, 1, 9), 3), ((1, 3, 2, 5), 1)):
            x, y = tensors((n, h, w, c), (n, h * b, w * b, c // (b * b)), dtype, True)
            a = values(rng, x.shape, dtype)
            want = real(a, x).reshape(n, h, w, b, b, -1).transpose(0, 1, 3, 2, 4, 5).reshape(y.shape)
            model = custom("MTK_DEPTH_TO_SPACE", [x], y, flex(block_size=b))
            yield Case("MTK_DEPTH_TO_SPACE %s %s by %d" % (dtype, x.shape, b), model, [a], want, y)


def sample(image, y, x, nearest, outside):
    h, w, _ = image.shape
    if not (0 <= y <= h - 1 and 0 <= x <= w - 1):
        return np.full(image.shape[2], outside)
    if nearest:
        return image[math.floor(y + 0.5), math.floor(x + 0.5)]
    top, left = math.floor(y), math.floor(x)
    bottom, right = math.ceil(y), math.ceil(x)
    fy, fx = y - top, x - left
    upper = image[top, left] * (1 - fx) + image[top, right] * fx
    return upper * (1 - fy) + (image[bottom, left] * (1 - fx) + image[bottom, right] * fx) * fy


def places(low, high, n, size):
    f = np.float32
    if n == 1:
        return [f(0.5) * (low + high) * f(size - 1)]
    return [low * f(size - 1) + f(i) * ((high - low) * f(size - 1) / f(n - 1)) for i in range(n)]


def crop_and_resize(rng):
    sizes = [((2, 5, 6, 3), 4, (3, 4)), ((1, 1, 1, 2), 2, (2, 2)), ((1, 4, 9, 1), 3, (1, 1)), ((3, 2, 2, 7), 0, (2, 3))]
    for dtype in QUANT:
        for shape, n, (ch, cw) in sizes:
            for method, outside in ((None, 0.0), ("bilinear", 1.5), ("nearest", -2.0)):
                x, y = tensors(shape, (n, ch, cw, shape[3]), dtype)
                a = values(rng, shape, dtype)
                boxes = rng.uniform(-0.3, 1.3, (n, 4)).astype("float32")
                if n > 1:
                    boxes[:2] = [[0, 0, 1, 1], [1, 0.75, 0.25, 0]]
                of = rng.integers(0, shape[0], n).astype("int32")
                images = real(a, x)
                want = np.zeros(y.shape)
                for i in range(n):
                    for r, py in enumerate(places(boxes[i, 0], boxes[i, 2], ch, shape[1])):
                        for q, px in enumerate(places(boxes[i, 1], boxes[i, 3], cw, shape[2])):
                            want[i, r, q] = sample(images[of[i]], float(py), float(px), method == "nearest", outside)
                o = flex(method=method, extrapolation_value=outside) if method else NONE
                ins = [x, T("boxes", boxes.shape), T("of", of.shape, "int32"), const([ch, cw], "int32", "size")]
                model = custom("MTK_CROP_AND_RESIZE", ins, y, o)
                name = "MTK_CROP_AND_RESIZE %s %s %s to %dx%d" % (dtype, method, shape, ch, cw)
                yield Case(name, model, [a, boxes, of], want, y)


def layer_normalization(rng):
    cases = [
        ((2, 3, 8), -1, 1),
        ((4, 5), [1], 1),
        ((2, 3, 4, 5), [-3, -2, -1], 3),
        ((1, 7), None, 1),
        ((3, 2, 2), [2, 1], 2),
    ]
    cases += [((5,), 0, 1), ((2, 1), 1, 1)]
    for dtype in QUANT:
        for shape, axis, n_axes in cases:
            for params in (0, 1, 2):
                x, y = tensors(shape, shape, dtype)
                a = values(rng, shape, dtype)
                inner = shape[len(shape) - n_axes :]
                g, b = (rng.uniform(-2, 2, inner).astype("float32") for _ in "gb")
                r, axes = real(a, x), tuple(range(-n_axes, 0))
                epsilon = 0.001 if axis is None else 0.25
                want = (r - r.mean(axes, keepdims=True)) / np.sqrt(r.var(axes, keepdims=True) + epsilon)
                want = want * g if params > 0 else want
                want = want + b if params > 1 else want
                ins = [x] + [const(v, "float32", n) for v, n in ((g, "g"), (b, "b"))][:params]
                o = NONE if axis is None else flex(axis=axis, epsilon=0.25)
                name = "MTK_LAYER_NORMALIZATION %s %s axis %s, %d parameters" % (dtype, shape, axis, params)
                yield Case(name, custom("MTK_LAYER_NORMALIZATION", ins, y, o), [a], want, y)


def cases(seed=0):
    rng = np.random.default_rng(seed)
    for make in (
        unary,
        requantize,
        min_pool,
        transpose_conv,
        reverse,
        depth_to_space,
        crop_and_resize,
        layer_normalization,
    ):
        yield from make(rng)
