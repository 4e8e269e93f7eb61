"""Operators that run as one: PAD before a convolution, LOGISTIC and TANH before MUL, chains of TRANSPOSE, and what comes near to it and
must stay as it is.

Each is named for the last one. The oracle runs all as they stand."""

import itertools

import numpy as np

from casebuild import FLOAT_TOL
from mkmodel import Builder, T, opts, rng_of
from ops_conv import CONV_VARIANTS, NONE, REF, RELU6, SAME, SCALE, VALID
from ops_conv import activation, bias_of, out_size, out_tensor, tolerance, values, weights, zero_point

# (input NHWC, (outputs or multiplier, k_h, k_w), strides hw, dilations hw, PAD: top, bottom, left, right, activation)
SHAPES = [
    ((1, 5, 5, 3), (4, 3, 3), (1, 1), (1, 1), (1, 1, 1, 1), NONE),
    ((1, 8, 9, 16), (1, 3, 3), (2, 2), (1, 1), (0, 1, 0, 1), RELU6),
    ((2, 7, 6, 5), (2, 3, 2), (2, 3), (1, 1), (2, 0, 1, 0), NONE),
    ((1, 6, 6, 24), (1, 5, 5), (1, 1), (1, 1), (4, 4, 4, 4), NONE),
    ((1, 1, 1, 8), (8, 3, 3), (1, 1), (1, 1), (1, 1, 1, 1), NONE),
    ((1, 9, 4, 17), (1, 3, 3), (1, 1), (2, 3), (4, 1, 0, 6), NONE),
    ((3, 4, 20, 32), (2, 1, 7), (1, 2), (1, 1), (0, 0, 3, 3), RELU6),
    ((1, 14, 15, 40), (1, 3, 3), (2, 2), (1, 1), (1, 1, 1, 1), NONE),
    ((1, 3, 3, 4), (4, 3, 3), (1, 1), (1, 1), (3, 0, 0, 3), NONE),  # windows beside the image: stays a PAD
    ((1, 5, 5, 4), (4, 1, 1), (1, 1), (1, 1), (1, 0, 0, 1), NONE),  # likewise
    ((1, 5, 6, 4), (4, 3, 3), (1, 1), (1, 1), (0, 3, 0, 0), NONE),  # likewise
    ((1, 5, 6, 4), (4, 3, 2), (1, 1), (1, 1), (0, 0, 2, 0), NONE),  # likewise
    ((1, 5, 6, 4), (4, 3, 2), (1, 1), (1, 2), (0, 0, 0, 3), NONE),  # likewise
    ((1, 5, 5, 4), (4, 1, 1), (2, 2), (1, 1), (0, 0, 0, 0), NONE),
]


def padded(name, op, variant, shape, f, stride, dilation, pad, act, padding=VALID, twist=None):
    rng = rng_of(name)
    dtype, w_dtype, b_dtype, per_channel = CONV_VARIANTS[variant]
    depthwise = op == "DEPTHWISE_CONV_2D"
    out_c = shape[3] * f[0] if depthwise else f[0]
    w_shape = (1, f[1], f[2], out_c) if depthwise else (out_c, f[1], f[2], shape[3])
    axis, depth = (3, f[1] * f[2]) if depthwise else (0, f[1] * f[2] * shape[3])
    x = activation(rng, "x", shape, dtype, SCALE[dtype])
    wide = (shape[0], shape[1] + pad[0] + pad[1], shape[2] + pad[2] + pad[3], shape[3])
    middle = T("padded", wide, dtype, x.scale, x.zero_point)
    zero = zero_point(rng, "uint8") if dtype == "uint8" else 0
    w, _ = weights(rng, w_shape, w_dtype, axis, per_channel, 0.02, True, zero, dtype == "float32")
    b = bias_of(rng, out_c, b_dtype, x, w, 1000 if dtype != "int16" else 10**6)
    y_shape = (
        shape[0],
        out_size(padding, wide[1], f[1], stride[0], dilation[0]),
        out_size(padding, wide[2], f[2], stride[1], dilation[1]),
        out_c,
    )
    y = out_tensor(rng, y_shape, dtype, SCALE[dtype], 0.02, depth, w_dtype, act)
    fields = {"padding": padding, "strideH": stride[0], "strideW": stride[1], "fusedActivationFunction": act}
    fields.update(dilationHFactor=dilation[0], dilationWFactor=dilation[1])
    if depthwise:
        fields["depthMultiplier"] = f[0]
    matrix = np.array([[0, 0], pad[:2], pad[2:], [0, 0]], np.int32)
    ins = [x, T("paddings", (4, 2), "int32", data=matrix)]
    if twist == "scaled" and x.scale:  # the border's bytes mean something else than the image's
        middle = T("padded", wide, dtype, x.scale * 2, x.zero_point)
    if twist in ("zero", "one"):
        number = 1 if twist == "one" else 0
        value = np.array([number if dtype == "float32" else x.zero_point + number]).astype(dtype)
        ins.append(T("value", (1,), dtype, x.scale, x.zero_point, data=value))
    m = Builder()
    m.subgraph()
    m.op("PADV2" if len(ins) == 3 else "PAD", ins, [middle])
    m.op(op, [middle, w, b], [y], opts("DepthwiseConv2D" if depthwise else "Conv2D", **fields))
    outs = [y]
    if twist == "read":  # by another one, too
        z = T("z", wide, dtype, x.scale, x.zero_point)
        m.op("MAXIMUM", [middle, middle], [z])
        outs.append(z)
    if twist == "output":
        outs.append(middle)
    m.io([x], outs)
    return m.bytes(), [values(rng, shape, dtype)]


# quantization of x, of what LOGISTIC gives, of what TANH gives, of the product
GATED = {
    "float32": [(None, None)] * 4,
    "int8": [(0.05, -3), (1 / 256, -128), (1 / 128, 0), (0.04, 5)],
    "uint8": [(0.05, 120), (1 / 256, 0), (1 / 128, 128), (0.04, 130)],
    "int16": [(0.0004, 0), (1 / 32768, 0), (1 / 32768, 0), (0.0003, 0)],
}
# shape of x, and how MUL's operands come from x and a second input z: L, T: LOGISTIC and TANH of it
GATES = {
    "swish": ((1, 7, 9, 5), "x Lx"),
    "swish_large": ((1, 40, 40, 3), "Lx x"),
    "tanh": ((1, 40, 40, 3), "x Tx"),
    "gate": ((2, 33, 5, 7), "Tx Lz"),
    "gate_of_one": ((1, 40, 41, 3), "Tx Lx"),
    "other": ((1, 3, 800), "z Lx"),
    "constant": ((1, 40, 40, 3), "c Lx"),
    "channels": ((1, 20, 20, 4), "x Lv"),  # has fewer elements than the product: stays as it is
    "rows": ((1, 20, 20, 4), "Lx v"),
    "square": ((1, 40, 40, 3), "Lx Lx"),  # one LOGISTIC that is read twice stays as it is
    "read": ((1, 40, 40, 3), "x Lx"),
    "output": ((1, 40, 40, 3), "x Lx"),
}


def gated(name, dtype, label, act):
    rng = rng_of(name)
    shape, operands = GATES[label]
    quants = dict(zip("xLTy", GATED[dtype]))
    m = Builder()
    m.subgraph()
    small = (1,) * (len(shape) - 1) + shape[-1:]
    known = {n: T(n, small if n == "v" else shape, dtype, *quants["x"]) for n in "xzv"}
    some = values(rng, (1,), dtype) if dtype != "float32" else np.float32([0.75])
    known["c"] = T("c", (1,), dtype, *quants["x"], data=some)

    def operand(text):
        if text not in known:
            known[text] = T(text, known[text[1]].shape, dtype, *quants[text[0]])
            m.op("LOGISTIC" if text[0] == "L" else "TANH", [known[text[1]]], [known[text]])
        return known[text]

    ins = [operand(text) for text in operands.split()]
    given = [known[n] for n in "xzv" if n in operands.replace("L", "").replace("T", "")]
    y = T("y", shape, dtype, *quants["y"])
    m.op("MUL", ins, [y], opts("Mul", fusedActivationFunction=act))
    outs = [y]
    if label == "read":
        outs.append(T("more", shape, dtype, *quants["L"]))
        m.op("MAXIMUM", [known["Lx"], known["Lx"]], [outs[1]])
    if label == "output":
        outs.append(known["Lx"])
    m.io(given, outs)
    feed = [
        rng.normal(0, 4, t.shape).astype(dtype) if dtype == "float32" else values(rng, t.shape, dtype) for t in given
    ]
    return m.bytes(), feed


def gated_cases():
    for dtype in GATED:
        for label in GATES:
            for act in (NONE, RELU6) if label in ("swish", "swish_large") and dtype != "int16" else (NONE,):
                name = "mul/%s/%s%s" % (dtype, label, "_relu6" if act else "")
                yield name, *gated(name, dtype, label, act), REF, FLOAT_TOL if dtype == "float32" else None


def regrouped(rng, shape):
    """Another shape of as many elements: dimensions joined with their neighbours, or split into factors."""
    dims = list(shape)
    for _ in range(rng.integers(1, 4)):
        i = int(rng.integers(len(dims)))
        factors = [f for f in range(2, dims[i]) if dims[i] % f == 0]
        if factors and rng.integers(2):
            f = int(rng.choice(factors))
            dims[i : i + 1] = [f, dims[i] // f]
        elif i + 1 < len(dims):
            dims[i : i + 2] = [dims[i] * dims[i + 1]]
        elif len(dims) < 6:
            dims.insert(int(rng.integers(len(dims) + 1)), 1)
    return tuple(dims[:5] + [int(np.prod(dims[5:]))] if len(dims) > 6 else dims)


def chain(name, dtype):
    """TRANSPOSE and RESHAPE in turns, of which some are read by another one or by the caller as well."""
    rng = rng_of(name)
    shape = tuple(int(d) for d in rng.choice([1, 2, 3, 4, 6, 8, 12, 16, 35], int(rng.integers(2, 5))))
    m = Builder()
    m.subgraph()
    x = now = T("x", shape, dtype)
    outs = []
    for k in range(int(rng.integers(2, 7))):
        if rng.integers(5) < 3 or k == 0:
            perm = rng.permutation(len(now.shape))
            back = np.argsort(perm) if rng.integers(4) == 0 else perm
            after = T("t%d" % k, tuple(now.shape[i] for i in back), dtype)
            m.op("TRANSPOSE", [now, T("p%d" % k, back.shape, "int32", data=back.astype(np.int32))], [after])
        else:
            after = T("t%d" % k, regrouped(rng, now.shape), dtype)
            wanted = T("s%d" % k, (len(after.shape),), "int32", data=np.array(after.shape, np.int32))
            m.op("RESHAPE", [now, wanted], [after], opts("Reshape", newShape=list(after.shape)))
        now = after
        if rng.integers(6) == 0:
            outs.append(now)
        elif rng.integers(6) == 0:
            outs.append(T("m%d" % k, now.shape, dtype))
            m.op("MAXIMUM", [now, now], [outs[-1]])
    m.io([x], outs if now in outs else [*outs, now])
    return m.bytes(), [values(rng, shape, dtype)]


def there_and_back(name, dtype, shape, perm, middle, again):
    """NCHW and back, as converters of PyTorch's networks write it."""
    m = Builder()
    m.subgraph()
    x, turned = T("x", shape, dtype), T("turned", tuple(shape[i] for i in perm), dtype)
    seen, y = T("seen", middle, dtype), T("y", tuple(middle[i] for i in again), dtype)
    m.op("TRANSPOSE", [x, T("p", (len(perm),), "int32", data=np.array(perm, np.int32))], [turned])
    wanted = T("s", (len(middle),), "int32", data=np.array(middle, np.int32))
    m.op("RESHAPE", [turned, wanted], [seen], opts("Reshape", newShape=list(middle)))
    m.op("TRANSPOSE", [seen, T("q", (len(again),), "int32", data=np.array(again, np.int32))], [y])
    z = T("z", y.shape, dtype)
    m.op("MAXIMUM", [y, y], [z])
    m.io([x], [z])
    return m.bytes(), [values(rng_of(name), shape, dtype)]


def chain_cases():
    for dtype in ("float32", "int8", "int16", "uint8"):
        for k in range(40):
            name = "transpose/%s/chain%d" % (dtype, k)
            yield name, *chain(name, dtype), REF, None
        for k, way in enumerate(
            [
                ((1, 48, 32), (0, 2, 1), (1, 32, 6, 8), (0, 2, 3, 1)),
                ((1, 6, 8, 32), (0, 3, 1, 2), (1, 32, 48), (0, 2, 1)),
                ((2, 6, 8, 20), (0, 3, 1, 2), (2, 4, 5, 6, 8), (0, 2, 1, 3, 4)),
                ((1, 6, 10), (0, 2, 1), (1, 4, 15), (0, 2, 1)),  # 6 and 4: neither is a factor of the other
            ]
        ):
            name = "transpose/%s/there_and_back%d" % (dtype, k)
            yield name, *there_and_back(name, dtype, *way), REF, None


def cases():
    yield from gated_cases()
    yield from chain_cases()
    for width in (4, 5, 7, 8, 9, 12):
        for k, stride, (left, right) in itertools.product((3, 5), (1, 2), ((1, 0), (0, 1), (1, 1), (2, 1), (2, 2))):
            name = "depthwise_conv_2d/f32/padded_ends_%d_%d_%d_%d_%d" % (width, k, stride, left, right)
            some = (1, 4, width, 19), (1, k, k), (stride, stride), (1, 1), (1, 1, left, right), NONE
            yield name, *padded(name, "DEPTHWISE_CONV_2D", "f32", *some), REF, tolerance("f32")
    for op in ("CONV_2D", "DEPTHWISE_CONV_2D"):
        for variant in ("f32", "i8pc", "u8", "i16pc", "hybpc"):
            for i, (shape, f, stride, dilation, pad, act) in enumerate(SHAPES):
                name = "%s/%s/padded%d" % (op.lower(), variant, i)
                yield name, *padded(name, op, variant, shape, f, stride, dilation, pad, act), REF, tolerance(variant)
            for twist in ("zero", "one", "read", "output", "scaled"):
                name = "%s/%s/padded_%s" % (op.lower(), variant, twist)
                some = (op, variant, (1, 7, 9, 8), (1, 3, 3), (2, 1), (1, 1), (1, 2, 2, 1), NONE, VALID, twist)
                yield name, *padded(name, *some), REF, tolerance(variant)
            name = "%s/%s/padded_same" % (op.lower(), variant)
            some = (op, variant, (1, 7, 9, 8), (1, 3, 3), (2, 1), (1, 1), (1, 2, 2, 1), NONE, SAME)
            yield name, *padded(name, *some), REF, tolerance(variant)
