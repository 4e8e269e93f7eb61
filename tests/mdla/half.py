"""Operators in NumPy with the types of the MDLA's FP16: inputs and constants are rounded to float16, the operator is computed in float64,
its result rounded to float16. With each result goes how far a sum of float32 may be from the exact one: `slack`."""

import numpy as np
from kit import schema

NAMES = {v: k for k, v in vars(schema.BuiltinOperator).items() if isinstance(v, int)}
DTYPES = {0: "float32", 1: "float16", 2: "int32", 3: "uint8", 4: "int64", 6: "bool", 7: "int16", 9: "int8"}
EPS = 2.0**-24


def half(x):
    with np.errstate(over="ignore"):
        return np.asarray(x, np.float64).astype(np.float16).astype(np.float64)


def half_ulp(x):
    """Of a float16 near x."""
    a = np.maximum(np.abs(x), 2.0**-14)
    return 2.0 ** (np.floor(np.log2(a)) - 11)


class Model:
    def __init__(self, content):
        self.m = schema.ModelT.InitFromPackedBuf(content, 0)
        self.g = self.m.subgraphs[0]
        self.tensors = self.g.tensors

    def constant(self, t):
        """As stored; None: computed."""
        t = self.tensors[t]
        data = self.m.buffers[t.buffer].data
        shape = tuple(t.shape) if t.shape is not None else ()
        if data is None or len(data) == 0 or t.type not in DTYPES or t.sparsity is not None:
            return None
        return np.frombuffer(bytes(data), DTYPES[t.type]).reshape(shape)

    def name(self, op):
        code = self.m.operatorCodes[op.opcodeIndex]
        return NAMES[max(code.builtinCode, code.deprecatedBuiltinCode)]

    def is_float(self, t):
        return self.tensors[t].type == 0

    def quant(self, t):
        q = self.tensors[t].quantization
        if q is None or q.scale is None or len(q.scale) == 0:
            return None
        zero = q.zeroPoint if q.zeroPoint is not None and len(q.zeroPoint) else np.zeros(len(q.scale))
        return np.asarray(q.scale, np.float32).astype(np.float64), np.asarray(zero, np.float64), q.quantizedDimension

    def real(self, t, values):
        """Integers by their scales."""
        scale, zero, axis = self.quant(t)
        if len(scale) > 1:
            shape = [1] * values.ndim
            shape[axis] = -1
            scale, zero = scale.reshape(shape), zero.reshape(shape)
        return (values.astype(np.float64) - zero) * scale


def windows(x, kh, kw, sh, sw, dh, dw, padding, fill):
    """[n, oh, ow, kh, kw, c]"""
    n, h, w, c = x.shape
    eh, ew = (kh - 1) * dh + 1, (kw - 1) * dw + 1
    oh, ow = (-(-h // sh), -(-w // sw)) if padding == 0 else ((h - eh) // sh + 1, (w - ew) // sw + 1)
    ph, pw = max((oh - 1) * sh + eh - h, 0), max((ow - 1) * sw + ew - w, 0)
    if padding:
        ph = pw = 0
    x = np.pad(x, ((0, 0), (ph // 2, ph - ph // 2), (pw // 2, pw - pw // 2), (0, 0)), constant_values=fill)
    s = x.strides
    return np.lib.stride_tricks.as_strided(
        x, (n, oh, ow, kh, kw, c), (s[0], s[1] * sh, s[2] * sw, s[1] * dh, s[2] * dw, s[3]), writeable=False
    )


def activate(x, code):
    if code == 1:
        return np.maximum(x, 0)
    if code == 2:
        return np.clip(x, -1, 1)
    if code == 3:
        return np.clip(x, 0, 6)
    return np.tanh(x) if code == 4 else x


def product(spec, a, b, bias, terms):
    """A sum of products, and what float32 may lose of it."""
    y = np.einsum(spec, a, b, optimize=True)
    size = np.einsum(spec, np.abs(a), np.abs(b), optimize=True)
    if bias is not None:
        y, size = y + bias, size + np.abs(bias)
    return y, (terms + 4) * EPS * size


def conv(m, o, x, w, bias=None):
    v = windows(x, w.shape[1], w.shape[2], o.strideH, o.strideW, o.dilationHFactor, o.dilationWFactor, o.padding, 0.0)
    y, slack = product("nhwijc,oijc->nhwo", v, w, bias, w[0].size)
    return activate(y, o.fusedActivationFunction), slack


def depthwise(m, o, x, w, bias=None):
    n = w.shape[3] // x.shape[3]
    v = windows(x, w.shape[1], w.shape[2], o.strideH, o.strideW, o.dilationHFactor, o.dilationWFactor, o.padding, 0.0)
    k = w[0].reshape(w.shape[1], w.shape[2], x.shape[3], n)
    y, slack = product("nhwijc,ijcd->nhwcd", v, k, None, w.shape[1] * w.shape[2])
    y, slack = y.reshape(*y.shape[:3], -1), slack.reshape(*y.shape[:3], -1)
    if bias is not None:
        y, slack = y + bias, slack + 4 * EPS * np.abs(bias)
    return activate(y, o.fusedActivationFunction), slack


def fully_connected(m, o, x, w, bias=None):
    y, slack = product("rk,ok->ro", x.reshape(-1, w.shape[1]), w, bias, w.shape[1])
    return activate(y, o.fusedActivationFunction), slack


def transpose_conv(m, o, shape, w, x, bias=None):
    n, h, wd, _ = x.shape
    _, oh, ow, _ = shape
    k, sh, sw = w.shape[1:3], o.strideH, o.strideW
    pad = [max((d - 1) * s + f - out, 0) // 2 for d, s, f, out in ((h, sh, k[0], oh), (wd, sw, k[1], ow))]
    sums = []
    for a, b in ((x, w), (np.abs(x), np.abs(w))):
        full = np.zeros((n, (h - 1) * sh + k[0] + oh, (wd - 1) * sw + k[1] + ow, w.shape[0]))
        for i in range(k[0]):
            for j in range(k[1]):
                full[:, i : i + h * sh : sh, j : j + wd * sw : sw][:, :h, :wd] += a @ b[:, i, j].T
        sums.append(full[:, pad[0] : pad[0] + oh, pad[1] : pad[1] + ow])
    y, size = sums
    if bias is not None:
        y, size = y + bias, size + np.abs(bias)
    return y, (w[0].size + 4) * EPS * size


def pool(m, o, x, fn):
    v = windows(x, o.filterHeight, o.filterWidth, o.strideH, o.strideW, 1, 1, o.padding, np.nan)
    y = fn(v, (3, 4))
    return activate(y, o.fusedActivationFunction), (o.filterHeight * o.filterWidth + 4) * EPS * np.abs(
        fn(np.abs(v), (3, 4))
    )


def binary(fn):
    def run(m, o, a, b):
        with np.errstate(all="ignore"):
            y = fn(a, b)
        return activate(y, getattr(o, "fusedActivationFunction", 0)), 2 * EPS * (np.abs(y) + 0 * a)

    return run


def unary(fn, steps=8):
    def run(m, o, x):
        with np.errstate(all="ignore"):
            y = fn(x)
        return y, steps * EPS * np.abs(y) + steps * 2.0**-40

    return run


def softmax(m, o, x):
    e = np.exp((x - x.max(-1, keepdims=True)) * o.beta)
    y = e / e.sum(-1, keepdims=True)
    return y, (x.shape[-1] + 200) * EPS * y + 1e-12


def mean(m, o, x, axes):
    axes = tuple(int(a) for a in np.atleast_1d(axes))
    y = x.mean(axes, keepdims=bool(o.keepDims))
    return y, (x.size + 4) * EPS * np.abs(x).mean(axes, keepdims=bool(o.keepDims))


def resize_bilinear(m, o, x, size):
    def axis(n, out):
        i = np.arange(out, dtype=np.float64)
        if o.alignCorners and out > 1:
            at = i * (n - 1) / (out - 1)
        elif o.halfPixelCenters:
            at = (i + 0.5) * n / out - 0.5
        else:
            at = i * n / out
        low = np.clip(np.floor(at), 0, n - 1).astype(int)
        return low, np.minimum(low + 1, n - 1), np.clip(at, 0, n - 1) - low

    def sample(x):
        a, b, f = axis(x.shape[1], int(size[0]))
        f = f[None, :, None, None]
        x = x[:, a] * (1 - f) + x[:, b] * f
        a, b, f = axis(x.shape[2], int(size[1]))
        f = f[None, None, :, None]
        return x[:, :, a] * (1 - f) + x[:, :, b] * f

    return sample(x), 64 * (max(x.shape[1:3]) + max(size)) * EPS * sample(np.abs(x))


def exact(fn):
    return lambda m, o, *args: (fn(o, *args), 0.0)


def strided_slice(o, x, begin, end, stride):
    at = []
    for d in range(len(begin)):
        if o.shrinkAxisMask >> d & 1:
            at.append(int(begin[d]))
            continue
        low = None if o.beginMask >> d & 1 else int(begin[d])
        high = None if o.endMask >> d & 1 else int(end[d])
        at.append(slice(low, high, int(stride[d])))
    return x[tuple(at)]


def depth_to_space(o, x):
    n, h, w, c = x.shape
    b = o.blockSize
    return x.reshape(n, h, w, b, b, c // (b * b)).transpose(0, 1, 3, 2, 4, 5).reshape(n, h * b, w * b, -1)


def split(o, axis, x):
    return np.split(x, o.numSplits, int(np.ravel(axis)[0]))


OPS = {
    "CONV_2D": conv,
    "DEPTHWISE_CONV_2D": depthwise,
    "FULLY_CONNECTED": fully_connected,
    "TRANSPOSE_CONV": transpose_conv,
    "AVERAGE_POOL_2D": lambda m, o, x: pool(m, o, x, np.nanmean),
    "MAX_POOL_2D": lambda m, o, x: pool(m, o, x, np.nanmax),
    "ADD": binary(np.add),
    "SUB": binary(np.subtract),
    "MUL": binary(np.multiply),
    "DIV": binary(np.divide),
    "MAXIMUM": binary(np.maximum),
    "MINIMUM": binary(np.minimum),
    "SQUARED_DIFFERENCE": lambda m, o, a, b: ((a - b) ** 2, 4 * EPS * (np.abs(a) + np.abs(b)) ** 2),
    "PRELU": binary(lambda x, a: np.where(x < 0, x * a, x)),
    "RELU": unary(lambda x: np.maximum(x, 0)),
    "RELU6": unary(lambda x: np.clip(x, 0, 6)),
    "RELU_N1_TO_1": unary(lambda x: np.clip(x, -1, 1)),
    "LOGISTIC": unary(lambda x: 1 / (1 + np.exp(-x)), 32),
    "TANH": unary(np.tanh, 32),
    "ELU": unary(lambda x: np.where(x < 0, np.expm1(np.minimum(x, 0)), x), 32),
    "EXP": unary(np.exp, 32),
    "ABS": unary(np.abs),
    "NEG": unary(np.negative),
    "SQRT": unary(np.sqrt),
    "RSQRT": unary(lambda x: 1 / np.sqrt(x)),
    "SQUARE": unary(np.square),
    "SOFTMAX": softmax,
    "MEAN": mean,
    "RESIZE_BILINEAR": resize_bilinear,
    "PAD": exact(lambda o, x, p: np.pad(x, [tuple(int(v) for v in r) for r in p])),
    "TRANSPOSE": exact(lambda o, x, p: x.transpose([int(v) for v in p])),
    "SLICE": exact(
        lambda o, x, b, s: x[tuple(slice(int(p), None if n < 0 else int(p + n)) for p, n in zip(b, s, strict=True))]
    ),
    "STRIDED_SLICE": exact(strided_slice),
    "DEPTH_TO_SPACE": exact(depth_to_space),
    "CONCATENATION": lambda m, o, *xs: (activate(np.concatenate(xs, o.axis), o.fusedActivationFunction), 0.0),
    "SPLIT": exact(split),
    "RESHAPE": exact(lambda o, x, *rest: x),
    "SQUEEZE": exact(lambda o, x: x),
    "EXPAND_DIMS": exact(lambda o, x, a: x),
}


def operator(m, op, values):
    """[(exact result, slack)] of a float operator whose inputs are `values` (by tensor; what the model computes), or None: the
    reference has no such operator. Constants are rounded to float16, weights of hybrid operators dequantized first."""
    fn = OPS.get(m.name(op))
    outs = [int(t) for t in op.outputs]
    if fn is None or not all(m.is_float(t) for t in outs):
        return None
    args = []
    for t in (int(t) for t in op.inputs):
        if t < 0:
            continue
        v = values.get(t)
        if v is None:
            v = m.constant(t)
        if v is None:
            return None
        if v.dtype in (np.float32, np.float64, np.float16):
            v = half(v)
        elif m.quant(t) is not None and v.dtype != np.int32:
            v = half(m.real(t, v).astype(np.float32))
        args.append(v)
    y, slack = fn(m, op.builtinOptions, *args)
    results = y if isinstance(y, list) else [y]
    shapes = [tuple(m.tensors[t].shape) if m.tensors[t].shape is not None else () for t in outs]
    return [
        (r.reshape(s), np.broadcast_to(slack, r.shape).reshape(s)) if r.size == int(np.prod(s)) else (r, slack)
        for r, s in zip(results, shapes, strict=True)
    ]
