"""Networks of one or a few operators for the software device, beyond those of tests/conformance: sizes that take more
than one block, weights that use every mode of the weight coding, and operators between two convolutions, where Vela
keeps tensors in its brick layout. cases() yields (name, model, runs)."""

import itertools

import numpy as np

import ops_conv
from mkmodel import Builder, T, schema, single_op, opts as options
from ops_conv import NONE, RELU, RELU6, RELU_N1_TO_1, SAME, VALID

Q = {"int8": (0.05, 3), "uint8": (0.05, 131), "int16": (2e-4, 0)}
OTHER_Q = {"int8": (0.031, -7), "uint8": (0.031, 121), "int16": (3e-4, 0)}
OUT_Q = {"int8": (0.07, -20), "uint8": (0.07, 108), "int16": (4.5e-4, 0)}
CONV_TYPES = {"int8": "i8pc", "uint8": "u8", "int16": "i16pc"}
DTYPES = ("int8", "uint8", "int16")
CHANNELS = (1, 3, 16, 17, 33)


def ints32(name, data):
    a = np.asarray(data, np.int32)
    return T(name, a.shape, "int32", data=a)


def size_text(shape):
    return "x".join(map(str, shape)) or "scalar"


def values(rng, shape, dtype):
    info = np.iinfo(dtype)
    return np.asarray(rng.integers(info.min, info.max, shape, endpoint=True)).astype(dtype)


# ---- convolutions --------------------------------------------------------------------------------------------------

# (input NHWC, filter (out, h, w, in), padding, strides, dilations, activation)
CONVS = [
    ((1, 20, 21, 70), (130, 1, 1, 70), SAME, (1, 1), (1, 1), NONE),
    ((1, 33, 19, 48), (33, 3, 3, 48), SAME, (2, 2), (1, 1), RELU6),
    ((1, 40, 40, 3), (17, 7, 7, 3), SAME, (2, 2), (1, 1), RELU),
    ((1, 12, 50, 17), (16, 1, 9, 17), VALID, (1, 3), (1, 1), NONE),
    ((1, 50, 9, 16), (17, 9, 2, 16), SAME, (3, 1), (1, 1), NONE),
    ((1, 30, 30, 33), (3, 3, 3, 33), SAME, (1, 1), (2, 2), RELU_N1_TO_1),
    ((1, 64, 64, 1), (1, 3, 3, 1), SAME, (1, 1), (1, 1), NONE),
    ((1, 8, 8, 260), (33, 3, 3, 260), VALID, (1, 1), (1, 1), NONE),
    ((1, 1, 1, 300), (270, 1, 1, 300), VALID, (1, 1), (1, 1), NONE),
    ((1, 1, 200, 16), (24, 1, 33, 16), SAME, (1, 1), (1, 1), NONE),
    ((1, 25, 25, 4), (64, 2, 2, 4), VALID, (1, 1), (1, 1), RELU),
]
# (input NHWC, kernel, multiplier, padding, strides, dilations, activation)
DEPTHWISES = [
    ((1, 33, 35, 72), (3, 3), 1, SAME, (1, 1), (1, 1), RELU6),
    ((1, 32, 32, 17), (3, 3), 1, SAME, (2, 2), (1, 1), NONE),
    ((1, 20, 20, 130), (5, 5), 1, VALID, (1, 1), (1, 1), RELU),
    ((1, 49, 10, 1), (10, 8), 8, SAME, (2, 2), (1, 1), RELU),
    ((1, 16, 16, 33), (3, 3), 1, SAME, (1, 1), (2, 2), NONE),
    ((1, 9, 60, 16), (2, 7), 1, SAME, (1, 3), (1, 1), NONE),
]
# (input NHWC, filter, padding, strides, output size, activation)
TRANSPOSES = [
    ((1, 9, 11, 17), (33, 3, 3, 17), SAME, (2, 2), (18, 22), NONE),
    ((1, 8, 8, 33), (16, 4, 4, 33), SAME, (2, 2), (16, 16), RELU),
    ((1, 7, 5, 16), (3, 3, 3, 16), VALID, (2, 2), (15, 11), NONE),
    ((1, 12, 1, 3), (17, 2, 1, 3), SAME, (2, 1), (24, 1), NONE),
    ((1, 10, 10, 4), (5, 3, 3, 4), SAME, (1, 1), (10, 10), NONE),
]


def reweighted(model, change):
    """The same model with other weights: change(values) -> values."""
    b = Builder()
    b.model = schema.ModelT.InitFromPackedBuf(model, 0)
    for t in b.model.subgraphs[0].tensors:
        if t.name == b"w":
            raw = np.frombuffer(bytes(b.model.buffers[t.buffer].data), np.int8)
            b.model.buffers[t.buffer].data = np.ascontiguousarray(change(raw).astype(np.int8)).view(np.uint8)
    return b.bytes()


def weight_kinds():
    """Weights that make the encoder choose: palettes, runs of zeros, raw values, one value only."""
    rng = np.random.default_rng(4)
    pick = lambda *v: lambda w: np.array(v)[rng.integers(0, len(v), w.shape)]
    return {
        "sparse": lambda w: np.where(rng.random(w.shape) < 0.9, 0, w),
        "half": lambda w: np.where(rng.random(w.shape) < 0.5, 0, w),
        "zeros": lambda w: w * 0,
        "minus128": lambda w: np.full(w.shape, -128),
        "extremes": pick(-128, 127),
        "few": pick(-3, 0, 5, 90),
        "many": pick(*range(-15, 16)),
        "small": lambda w: w // 32,
        "normal": lambda w: np.clip(rng.normal(0, 20, w.shape), -128, 127),
        "long_runs": lambda w: np.where(np.arange(w.size).reshape(w.shape) % 400 < 390, 0, w),
    }


def conv_cases():
    for variant in ("i8pc", "i8", "u8", "i16pc"):
        for i, spec in enumerate(CONVS):
            name = "big_conv_%s_%d" % (variant, i)
            yield name, *ops_conv.conv_2d(name, variant, *spec)
        for i, spec in enumerate(DEPTHWISES):
            name = "big_depthwise_%s_%d" % (variant, i)
            yield name, *ops_conv.depthwise(name, variant, *spec)
    for variant in ("i8pc", "i8", "u8", "i16pc"):
        for i, spec in enumerate(TRANSPOSES):
            name = "big_transpose_conv_%s_%d" % (variant, i)
            yield name, *ops_conv.transpose_conv(name, variant, *spec)
    for variant in ("i8", "i8pc", "u8", "i16"):
        for units, depth in ((17, 33), (130, 300), (1, 1000), (270, 3), (64, 64)):
            for rows in (1, 5):
                name = "big_fully_connected_%s_%dx%d_%d" % (variant, units, depth, rows)
                yield name, *ops_conv.fully_connected(name, variant, (rows, depth), units, depth, NONE, True)
    for kind, change in weight_kinds().items():
        for label, (model, runs) in (
            ("conv", ops_conv.conv_2d("w" + kind, "i8pc", *CONVS[1])),
            ("pointwise", ops_conv.conv_2d("w" + kind, "i8", *CONVS[0])),
            ("depthwise", ops_conv.depthwise("w" + kind, "i8pc", *DEPTHWISES[0])),
            ("int16", ops_conv.conv_2d("w" + kind, "i16pc", *CONVS[3])),
            ("dense", ops_conv.fully_connected("w" + kind, "i8", (1, 300), 130, 300, NONE, True)),
        ):
            yield "weights_%s_%s" % (kind, label), reweighted(model, change), runs


# ---- pooling, reductions, resizing ---------------------------------------------------------------------------------

# (input, kernel, padding, strides, activation)
POOLS = [
    ((1, 30, 31, 33), (3, 3), SAME, (2, 2), NONE),
    ((1, 17, 17, 16), (2, 2), VALID, (2, 2), RELU6),
    ((1, 7, 7, 130), (7, 7), VALID, (1, 1), NONE),
    ((1, 24, 24, 3), (8, 8), SAME, (3, 3), NONE),
    ((1, 20, 20, 17), (5, 3), SAME, (1, 2), RELU),
    ((1, 40, 3, 1), (16, 1), VALID, (1, 1), NONE),
    ((1, 64, 64, 3), (64, 64), VALID, (1, 1), NONE),
]


def pool_cases():
    for op, dtype, (i, spec) in itertools.product(("AVERAGE_POOL_2D", "MAX_POOL_2D"), DTYPES, enumerate(POOLS)):
        name = "big_%s_%s_%d" % (op.lower(), dtype, i)
        yield name, *ops_conv.pool(name, op, dtype, *spec)


def one(name, op, dtype, shape, out, extra=(), opts=None, q=None, out_dtype=None, version=1):
    """An operator with one live input."""
    x = T("x", shape, dtype, *Q[dtype])
    y = T("y", out, out_dtype or dtype, *(q if q is not None else Q[dtype]))
    return name, single_op(op, [x, *extra], [y], opts, version=version), [values(ops_conv.rng_of(name), shape, dtype)]


def reduce_cases():
    shapes = [
        ((1, 7, 7, 33), (1, 2)),
        ((1, 40, 41, 17), (1, 2)),
        ((1, 5, 6, 17), (3,)),
        ((1, 9, 4, 16), (1,)),
        ((1, 3, 50, 3), (2,)),
        ((1, 64, 64, 1), (1, 2)),
        ((33, 17), (1,)),
        ((1, 2, 3, 130), (1, 2, 3)),
    ]
    for op, dtype, (shape, axes), keep, other in itertools.product(
        ("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN"), DTYPES, shapes, (False, True), (False, True)
    ):
        if other and (not keep or op.startswith("REDUCE")):
            continue
        out = tuple(1 if i in axes else d for i, d in enumerate(shape) if keep or i not in axes)
        q = Q[dtype] if not other else (Q[dtype][0] * 0.6, OUT_Q[dtype][1])
        if op == "SUM":
            q = (q[0] * float(np.sqrt(np.prod([shape[i] for i in axes]))), q[1])
        name = "%s_%s_%s_%s%s%s" % (op.lower(), dtype, size_text(shape), size_text(axes), "_keep" * keep, "_q" * other)
        yield one(name, op, dtype, shape, out, [ints32("axes", axes)], options("Reducer", keepDims=keep), q)


def resize_cases():
    modes = {"plain": {}, "align": {"alignCorners": True}, "half": {"halfPixelCenters": True}}
    shapes = [(1, 3, 5, 17), (1, 8, 9, 33), (1, 2, 2, 1), (1, 16, 16, 3), (1, 1, 1, 16)]
    for (op, table), dtype, shape, factor, (mode, fields) in itertools.product(
        (("RESIZE_BILINEAR", "ResizeBilinear"), ("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighbor")),
        DTYPES,
        shapes,
        (2, 4, 8),
        modes.items(),
    ):
        lost = factor - 1 if mode == "align" else 0
        size = [max(d * factor - lost, 1) for d in shape[1:3]]
        name = "%s_%s_%s_x%d_%s" % (op.lower(), dtype, size_text(shape), factor, mode)
        yield one(name, op, dtype, shape, (1, *size, shape[3]), [ints32("size", size)], options(table, **fields))


# ---- elementwise and activations -----------------------------------------------------------------------------------

BINARY = {
    "ADD": "Add",
    "SUB": "Sub",
    "MUL": "Mul",
    "MINIMUM": "MaximumMinimum",
    "MAXIMUM": "MaximumMinimum",
    "SQUARED_DIFFERENCE": "SquaredDifference",
}


def binary_cases():
    shapes = [((1, 9, 10, c), (1, 9, 10, c)) for c in CHANNELS]
    shapes += [
        ((1, 20, 21, 33), s)
        for s in (
            (1, 1, 1, 33),
            (1, 20, 1, 1),
            (1, 1, 21, 1),
            (1, 20, 21, 1),
            (1, 1, 1, 1),
            (1, 1, 21, 33),
            (1, 20, 1, 33),
            (),
            (33,),
        )
    ]
    shapes += [
        ((1, 1, 1, 17), (1, 6, 7, 17)),
        ((1, 6, 1, 3), (1, 1, 7, 3)),
        ((5, 17), (5, 17)),
        ((300,), (300,)),
        ((3, 4, 5, 6), (3, 4, 5, 6)),
        ((1, 70, 70, 16), (1, 70, 70, 16)),
    ]
    for op, dtype, (a, b), const in itertools.product(BINARY, DTYPES, shapes, (None, 0, 1)):
        if (const is not None and a == b and len(a) == 4 and a[3] != 17) or (
            op == "SQUARED_DIFFERENCE" and dtype != "int8"
        ):  # the reference takes int8 only
            continue
        name = "_".join([op.lower(), dtype, size_text(a), size_text(b)] + ([] if const is None else ["c%d" % const]))
        rng = ops_conv.rng_of(name)
        same = op in ("MINIMUM", "MAXIMUM")  # the reference compares the stored values
        qs = (Q[dtype],) * 3 if same else (Q[dtype], OTHER_Q[dtype], OUT_Q[dtype])
        if op == "SQUARED_DIFFERENCE":
            qs = (Q[dtype], OTHER_Q[dtype], (0.6, -128))
        elif op == "MUL" and dtype == "int16":
            qs = (Q[dtype], OTHER_Q[dtype], (1e-3, 0))
        arrays = [values(rng, a, dtype), values(rng, b, dtype)]
        ins = [
            T(n, v.shape, dtype, *q, data=v if i == const else None)
            for i, (n, v, q) in enumerate(zip("ab", arrays, qs))
        ]
        fields = {}
        if op in ("ADD", "SUB", "MUL"):
            fields["fusedActivationFunction"] = (NONE, RELU, RELU6)[len(name) % 3]
        if op in ("ADD", "SUB") and dtype == "int16":
            fields["potScaleInt16"] = False
        y = T("y", np.broadcast_shapes(a, b), dtype, *qs[2])
        yield (
            name,
            single_op(op, ins, [y], options(BINARY[op], **fields)),
            [v for i, v in enumerate(arrays) if i != const],
        )
    for op, shape in itertools.product(("ADD", "SUB", "MUL"), ((1, 5, 6, 17), (40,))):
        name = "%s_int32_%s" % (op.lower(), size_text(shape))
        rng = ops_conv.rng_of(name)
        ins = [T(n, shape, "int32") for n in "ab"]
        yield (
            name,
            single_op(op, ins, [T("y", shape, "int32")], options(BINARY[op])),
            [rng.integers(-40000, 40000, shape).astype(np.int32) for _ in ins],
        )


# operator: (option table, its fields, types that both the reference and Vela take)
UNARY = {
    "ABS": ("Abs", {}, ("int8", "int16")),
    "NEG": ("Neg", {}, ("int8", "int16")),
    "RELU": (None, {}, DTYPES),
    "RELU6": (None, {}, DTYPES),
    "RELU_N1_TO_1": (None, {}, ("int8", "uint8")),
    "RELU_0_TO_1": (None, {}, ("int8", "uint8")),
    "LEAKY_RELU": ("LeakyRelu", {"alpha": 0.17}, DTYPES),
    "LOGISTIC": (None, {}, DTYPES),
    "TANH": (None, {}, DTYPES),
    "HARD_SWISH": ("HardSwish", {}, ("int8", "uint8")),
    "EXP": ("Exp", {}, ("int8", "int16")),
    "ELU": (None, {}, ("int8",)),
    "GELU": ("Gelu", {}, ("int8", "uint8")),
    "LOG": (None, {}, ("int8", "int16")),
    "RSQRT": (None, {}, ("int8", "int16")),
    "QUANTIZE": (None, {}, DTYPES),
    "SOFTMAX": ("Softmax", {"beta": 0.7}, DTYPES),
}


def unary_cases():
    shapes = [(1, 9, 10, c) for c in CHANNELS] + [(1, 40, 41, 16), (7, 33), (1, 130), (2, 3, 4, 5)]
    for (op, (table, fields, dtypes)), dtype, shape in itertools.product(UNARY.items(), DTYPES, shapes):
        if dtype not in dtypes:
            continue
        name = "%s_%s_%s" % (op.lower(), dtype, size_text(shape))
        wide = dtype == "int16"
        q = OUT_Q[dtype]
        if op in ("LOGISTIC", "TANH", "SOFTMAX"):
            low = {"int8": -128, "uint8": 0}.get(dtype)
            q = (2.0**-15, 0) if wide else (2.0**-7, low + 128) if op == "TANH" else (2.0**-8, low)
        opts = options(table, **fields) if table else None
        case = one(name, op, dtype, shape, shape, (), opts, q)
        if op == "NEG":  # the reference knows no zero points
            t = [T(n, shape, dtype, Q[dtype][0], 0) for n in "xy"]
            case = name, single_op(op, t[:1], t[1:], opts), case[2]
        if op == "RSQRT":
            case = case[:2] + ([np.maximum(case[2][0], Q[dtype][1] + 1)],)
        yield case
    for a, b in itertools.product(DTYPES + ("int32",), DTYPES):
        name, shape = "quantize_%s_%s" % (a, b), (1, 7, 9, 17)
        q = {**Q, "int32": (1e-6, 0)}
        rng = ops_conv.rng_of(name)
        x = rng.integers(-(10**6), 10**6, shape).astype(np.int32) if a == "int32" else values(rng, shape, a)
        yield name, single_op("QUANTIZE", [T("x", shape, a, *q[a])], [T("y", shape, b, *OUT_Q[b])]), [x]
    for dtype, (shape, alpha) in itertools.product(
        DTYPES, (((1, 9, 10, 17), (1, 1, 17)), ((1, 6, 5, 3), (6, 5, 3)), ((1, 8, 8, 33), (1, 1, 1)))
    ):
        name = "prelu_const_%s_%s" % (dtype, size_text(alpha))
        q = (0.011, 120 if dtype == "uint8" else 0 if dtype == "int16" else -9)
        t = T(
            "alpha",
            alpha,
            "int8" if dtype == "int16" else dtype,
            *q,
            data=values(ops_conv.rng_of(name), alpha, "int8" if dtype == "int16" else dtype),
        )
        yield one(name, "PRELU", dtype, shape, shape, [t], None, OUT_Q[dtype])


# ---- movement ------------------------------------------------------------------------------------------------------


def concat_cases(dtype):
    q, whole = Q[dtype], (1, 4, 6, 17)
    for axis, c in itertools.product((1, 2, 3), ((1, 3), (16, 17), (33, 5, 16))):
        name = "concat_%s_axis%d_%s" % (dtype, axis, size_text(c))
        shapes = [tuple(d if i == axis else s for i, s in enumerate(whole)) for d in c]
        out = tuple(sum(c) if i == axis else s for i, s in enumerate(whole))
        scales = [q, OTHER_Q[dtype], q] if dtype == "uint8" and len(c) == 3 else [q] * 3  # only uint8 may differ
        ins = [T("x%d" % i, s, dtype, *scales[i]) for i, s in enumerate(shapes)]
        model = single_op("CONCATENATION", ins, [T("y", out, dtype, *q)], options("Concatenation", axis=axis))
        rng = ops_conv.rng_of(name)
        yield name, model, [values(rng, s, dtype) for s in shapes]
    for axis in (0, 1, 3):
        shape, name = (5, 6, 17), "pack_%s_%d" % (dtype, axis)
        out, rng = shape[:axis] + (3,) + shape[axis:], ops_conv.rng_of(name)
        parts = [T("x%d" % i, shape, dtype, *q) for i in range(3)]
        whole = T("y", out, dtype, *q)
        yield (
            name,
            single_op("PACK", parts, [whole], options("Pack", axis=axis, valuesCount=3)),
            [values(rng, shape, dtype) for _ in parts],
        )
        yield (
            "un" + name,
            single_op("UNPACK", [whole], parts, options("Unpack", axis=axis, num=3)),
            [values(rng, out, dtype)],
        )


def split_cases(dtype):
    for axis, n in ((1, 2), (2, 3), (3, 4)):
        name, shape = "split_%s_axis%d" % (dtype, axis), (1, 4, 6, 68)
        part = tuple(d // n if i == axis else d for i, d in enumerate(shape))
        x, outs = T("x", shape, dtype, *Q[dtype]), [T("y%d" % i, part, dtype, *Q[dtype]) for i in range(n)]
        model = single_op("SPLIT", [ints32("axis", axis), x], outs, options("Split", numSplits=n))
        yield name, model, [values(ops_conv.rng_of(name), shape, dtype)]
    shape = (1, 11, 13, 33)
    for begin, size in (((0, 1, 2, 3), (1, 9, 8, 17)), ((0, 0, 0, 16), (1, 11, 13, 17)), ((0, 10, 12, 32), (1,) * 4)):
        yield one(
            "slice_%s_%s_%s" % (dtype, size_text(begin), size_text(size)),
            "SLICE",
            dtype,
            shape,
            size,
            [ints32("begin", begin), ints32("size", size)],
        )
    begin, ones = (0, 1, 2, 3), (1, 1, 1, 1)
    for end, stride in ((shape, ones), (shape, (1, 2, 3, 1)), ((1, 5, 9, 20), ones), (shape, (1, 1, 1, 2))):
        out = tuple(-(-(e - b) // s) for b, e, s in zip(begin, end, stride))
        o = options("StridedSlice", beginMask=0, endMask=0, ellipsisMask=0, newAxisMask=0, shrinkAxisMask=0)
        name = "strided_slice_%s_%s_%s" % (dtype, size_text(end), size_text(stride))
        where = [ints32("b", begin), ints32("e", end), ints32("s", stride)]
        yield one(name, "STRIDED_SLICE", dtype, shape, out, where, o)


def pad_cases(dtype):
    shape = (1, 11, 13, 33)
    for p in ((0, 0, 1, 2, 3, 0, 0, 0), (0, 0, 0, 0, 0, 0, 1, 2), (0, 0, 1, 1, 1, 1, 16, 1)):
        p = np.reshape(p, (4, 2))
        out, name = tuple(np.add(shape, p.sum(1))), "_%s_%s" % (dtype, size_text(p.flat))
        yield one("pad" + name, "PAD", dtype, shape, out, [ints32("pads", p)], schema.PadOptionsT())
        value = T("v", (1,), dtype, *Q[dtype], data=[77])
        yield one("padv2" + name, "PADV2", dtype, shape, out, [ints32("pads", p), value], schema.PadV2OptionsT())
    for mode, p in itertools.product((0, 1), ((0, 0, 1, 2, 3, 0, 0, 0), (0, 0, 1, 1, 1, 1, 0, 0))):
        p = np.reshape(p, (4, 2))
        yield one(
            "mirror_pad_%s_%d_%d" % (dtype, mode, p.sum()),
            "MIRROR_PAD",
            dtype,
            shape,
            tuple(np.add(shape, p.sum(1))),
            [ints32("pads", p)],
            options("MirrorPad", mode=mode),
        )


def order_cases(dtype):
    perms = ((0, 2, 1, 3), (0, 3, 1, 2), (0, 1, 3, 2), (0, 2, 3, 1), (0, 3, 2, 1))
    for shape, perm in itertools.product(((1, 11, 13, 33), (1, 20, 3, 17)), perms):
        name = "transpose_%s_%s_%s" % (dtype, size_text(shape), size_text(perm))
        yield one(name, "TRANSPOSE", dtype, shape, tuple(shape[i] for i in perm), [ints32("perm", perm)])
    for multiples in ((1, 2, 3, 1), (1, 1, 1, 5), (1, 2, 2, 2)):
        out = tuple(np.multiply((1, 3, 4, 17), multiples))
        yield one(
            "tile_%s_%s" % (dtype, size_text(multiples)), "TILE", dtype, (1, 3, 4, 17), out, [ints32("m", multiples)]
        )
    for c, (out, code) in itertools.product((3, 17, 33, 127), (("int32", 2), ("int64", 4)) if dtype != "int16" else ()):
        yield one(
            "argmax_%s_%d_%s" % (dtype, c, out),
            "ARG_MAX",
            dtype,
            (1, 6, 7, c),
            (1, 6, 7),
            [ints32("axis", 3)],
            options("ArgMax", outputType=code),
            (None, None),
            out,
        )


def move_cases():
    for dtype, make in itertools.product(DTYPES, (concat_cases, split_cases, pad_cases, order_cases)):
        yield from make(dtype)


def cases():
    for make in (conv_cases, pool_cases, reduce_cases, resize_cases, binary_cases, unary_cases, move_cases):
        yield from make()
