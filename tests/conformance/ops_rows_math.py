"""Conformance cases of elementwise operators, activations and reductions: some for every type that LiteRT takes."""

import numpy as np

from casebuild import DEFAULT, FLOAT_TOL, REF, ints
from mkmodel import T, TYPES, opts, rng_of, single_op

TYPE = {
    "bool": "bool",
    "f16": "float16",
    "f32": "float32",
    "c64": "complex64",
    "i8": "int8",
    "u8": "uint8",
    "i16": "int16",
    "i32": "int32",
    "u32": "uint32",
    "i64": "int64",
}
SCALES = {"int8": [(0.05, 3), (0.031, -7), (0.07, -20)], "uint8": [(0.05, 131), (0.031, 121), (0.07, 108)]}
SCALES["int16"] = [(0.0021, 0), (0.0013, 0), (0.0034, 0)]
NONE = [(None, None)] * 3
HALF_TOL = 2e-3

SHAPES = {"rank1": (9,), "rank3": (2, 3, 5), "scalar": (), "rank5": (2, 1, 3, 1, 4), "empty": (0, 3), "long": (1031,)}
PAIRS = {
    "same": ((3, 5), (3, 5)),
    "broadcast": ((2, 1, 5), (1, 3, 1)),
    "right": ((4, 7), (7,)),
    "left": ((1,), (2, 3, 5)),
    "rank4": ((2, 3, 1, 5), (1, 3, 4, 1)),
    "rank5": ((2, 1, 3, 1, 2), (1, 2, 1, 3, 2)),
    "rank6": ((2, 1, 3, 1, 2, 3), (2, 2, 1, 2, 1, 3)),
    "empty": ((3, 0, 2), (1, 1, 2)),
}


def tolerance(dtype):
    return {"float32": FLOAT_TOL, "complex64": FLOAT_TOL, "float16": HALF_TOL}.get(dtype)


def some(r, shape, dtype, lo=None, hi=None):
    if dtype == "bool":
        return np.asarray(r.integers(0, 2, shape)).astype(bool)
    if dtype == "complex64":
        return np.asarray(r.normal(0, 2, shape) + 1j * r.normal(0, 2, shape)).astype(dtype)
    if dtype.startswith("float"):
        a = r.normal(0, 2, shape) if lo is None else r.uniform(lo, hi, shape)
        return np.asarray(a).astype(dtype)
    if lo is None and dtype in ("int32", "int64", "uint32"):
        lo, hi = (0 if dtype == "uint32" else -1000), 1000
    return np.asarray(ints(r, shape, dtype, None if lo is None else int(lo), None if hi is None else int(hi)))


def quantization(op, short):
    """Scales of the inputs and the output: none where the type is a plain number there."""
    dtype = TYPE[short[:3] if short.startswith("i16") else short]
    if short == "i16pot":
        return [(2.0**-12, 0), (2.0**-11, 0), (2.0**-11, 0)]
    if op in ("SELECT", "SELECT_V2", "ONE_HOT", "FLOOR_DIV", "FLOOR_MOD", "NEG", "REDUCE_PROD"):
        return NONE
    return SCALES.get(dtype, NONE)


# ---- two inputs ----------------------------------------------------------------------------------------------------------

COMPARED = ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL")
BINARY = {
    "ADD": "f16 f32 i16 i16pot i32 i64 i8 u8",
    "SUB": "f32 i16 i16pot i32 i64 i8 u8",
    "MUL": "c64 f16 f32 i16 i16pot i32 i64 i8 u32 u8",
    "DIV": "f32 i32 i8 u8",
    "MAXIMUM": "f16 f32 i16 i32 i64 i8 u8",
    "MINIMUM": "f16 f32 i16 i32 i64 i8 u8",
    "SQUARED_DIFFERENCE": "f32 i32 i8",
    "FLOOR_DIV": "f32 i16 i32 i8",
    "FLOOR_MOD": "f32 i16 i32 i64 i8",
    "PRELU": "f32 i16 i8 u8",
    "LOGICAL_AND": "bool",
    "LOGICAL_OR": "bool",
    **{op: "f16 f32 i16 i32 i64 i8 u8" for op in COMPARED[2:]},
    **{op: "bool f16 f32 i16 i32 i64 i8 u8" for op in COMPARED[:2]},
}
BINARY_OPTIONS = {"ADD": "Add", "SUB": "Sub", "MUL": "Mul", "DIV": "Div"}


def pairs_of(op, short):
    for label, (a, b) in PAIRS.items():
        if (op, short) == ("ADD", "i16pot") and label != "same":
            continue  # the oracle aborts
        if op == "PRELU":
            a = np.broadcast_shapes(a, b)
        yield label, a, b


def binary_options(op, short, k):
    if op not in BINARY_OPTIONS:
        return None
    o = opts(BINARY_OPTIONS[op])
    if short not in ("c64", "u32"):
        o.fusedActivationFunction = (0, 0, 1, 3, 2, 0, 1, 0)[k % 8]
    if op in ("ADD", "SUB"):
        o.potScaleInt16 = short == "i16pot"
    return o


def binary():
    for op, row in BINARY.items():
        for short in row.split():
            dtype = TYPE["i16" if short == "i16pot" else short]
            for k, (label, sa, sb) in enumerate(pairs_of(op, short)):
                for const in (None, 1) if label in ("same", "right") else (None,):
                    yield binary_case(op, short, dtype, label, sa, sb, k, const)


def binary_case(op, short, dtype, label, sa, sb, k, const):
    name = f"{op.lower()}/{short}/row_{label}{'_const' if const else ''}"
    r = rng_of(name)
    scales = quantization(op, short)
    if op in ("MAXIMUM", "MINIMUM"):
        scales = [scales[0]] * 3
    second = "int8" if op == "PRELU" and short == "i16" else dtype
    a, b = some(r, sa, dtype), some(r, sb, second)
    if op in COMPARED and dtype.startswith("float"):
        a, b = np.asarray(np.round(a)).astype(dtype), np.asarray(np.round(b)).astype(dtype)
    if op in ("DIV", "FLOOR_DIV", "FLOOR_MOD"):
        zero = scales[1][1] or 0
        b = np.where(b == zero, zero + 3, b).astype(dtype)
    if second != dtype:
        scales = [scales[0], (0.02, 0), scales[2]]
    out = "bool" if op in COMPARED else dtype
    x = T("x", a.shape, dtype, *scales[0])
    y = T("y", b.shape, second, *scales[1], data=b if const else None)
    z = T("z", np.broadcast_shapes(sa, sb), out, *(NONE[0] if out == "bool" else scales[2]))
    model = single_op(op, [x, y], [z], binary_options(op, short, k))
    return name, model, [a] if const else [a, b], REF, tolerance(dtype)


# ---- one input -----------------------------------------------------------------------------------------------------------

UNARY = {
    "ABS": "f32 i16 i32 i8",
    "CEIL": "f32",
    "COMPLEX_ABS": "c64",
    "REAL": "c64",
    "IMAG": "c64",
    "COS": "f16 f32",
    "SIN": "f16 f32",
    "ELU": "f32 i8",
    "EXP": "f32 i16 i8",
    "FLOOR": "f16 f32",
    "GELU": "f16 f32 i16 i8 u8",
    "HARD_SWISH": "f32 i8 u8",
    "L2_NORMALIZATION": "f32 i8 u8",
    "LEAKY_RELU": "f32 i16 i8 u8",
    "LOG": "f32 i16 i8",
    "LOGICAL_NOT": "bool",
    "LOGISTIC": "f16 f32 i16 i8 u8",
    "LOG_SOFTMAX": "f32 i8 u8",
    "NEG": "f16 f32 i16 i32 i64 i8",
    "RELU": "f32 i16 i8 u8",
    "RELU6": "f32 i16 i8 u8",
    "RELU_0_TO_1": "f32 i8 u8",
    "RELU_N1_TO_1": "f32 i8 u8",
    "ROUND": "f16 f32",
    "RSQRT": "f32 i16 i8",
    "SOFTMAX": "f16 f32 i16 i8 i8-i16 u8",
    "SQRT": "f32 i16 i8",
    "SQUARE": "f32",
    "TANH": "f16 f32 i16 i8 u8",
    "ZEROS_LIKE": "f32 i32 i64",
}
OPTIMIZED = ("CEIL", "ELU", "ROUND")  # no reference kernels of these
# Scales that the operator fixes for its output, by type.
FIXED = {
    "LOGISTIC": {"int8": (1 / 256, -128), "uint8": (1 / 256, 0), "int16": (1 / 32768, 0)},
    "SOFTMAX": {"int8": (1 / 256, -128), "uint8": (1 / 256, 0), "int16": (1 / 32768, 0)},
    "TANH": {"int8": (1 / 128, 0), "uint8": (1 / 128, 128), "int16": (1 / 32768, 0)},
    "LOG_SOFTMAX": {"int8": (16 / 256, 127), "uint8": (16 / 256, 255)},
    "L2_NORMALIZATION": {"int8": (1 / 128, 0), "uint8": (1 / 128, 128)},
}
UNARY_OPTIONS = {
    "SOFTMAX": lambda k: opts("Softmax", beta=(1.0, 0.5, 2.0)[k % 3]),
    "GELU": lambda k: opts("Gelu", approximate=k % 2 == 1),
    "LEAKY_RELU": lambda k: opts("LeakyRelu", alpha=(0.1, -0.3, 1.5)[k % 3]),
    "L2_NORMALIZATION": lambda k: opts("L2Norm"),
}
MIN_RANK = {"SOFTMAX": 1, "LOG_SOFTMAX": 1, "L2_NORMALIZATION": 1}


def unary():
    for op, row in UNARY.items():
        for short in row.split():
            dtype, _, out = short.partition("-")
            dtype = TYPE[dtype]
            out = TYPE[out] if out else "float32" if dtype == "complex64" else dtype
            for k, (label, shape) in enumerate(SHAPES.items()):
                if len(shape) < MIN_RANK.get(op, 0) or (op in MIN_RANK and label in ("empty", "rank5", "rank6")):
                    continue
                name = f"{op.lower()}/{short}/row_{label}"
                positive = op in ("LOG", "RSQRT", "SQRT")
                scale = quantization(op, short if short != "i8-i16" else "i8")
                lo, hi = (
                    (0.1, 9)
                    if dtype.startswith("float")
                    else ((scale[0][1] or 0) + 1, np.iinfo(dtype).max)
                    if positive
                    else (None, None)
                )
                a = some(rng_of(name), shape, dtype, *((lo, hi) if positive else ()))
                x = T("x", shape, dtype, *scale[0])
                y = T("y", shape, out, *FIXED.get(op, {}).get(out, scale[2]))
                o = UNARY_OPTIONS[op](k) if op in UNARY_OPTIONS else None
                oracle = DEFAULT if op in OPTIMIZED else REF
                yield name, single_op(op, [x], [y], o), [a], oracle, tolerance(dtype)


# ---- SELECT ----------------------------------------------------------------------------------------------------------------


def select():
    shapes = {
        "same": ((3, 5),) * 3,
        "scalar": ((), (2, 3, 4), (2, 3, 4)),
        "rows": ((4,), (4, 3), (4, 3)),
        "rank5": ((1, 2, 1, 2, 3),) * 3,
        "empty": ((0, 2),) * 3,
    }
    wider = {
        "same": ((3, 5),) * 3,
        "condition": ((1, 5), (3, 5), (3, 5)),
        "all": ((2, 1, 1), (1, 3, 1), (1, 1, 4)),
        "scalars": ((3,), (), ()),
        "rank5": ((2, 1, 2, 1, 3), (1, 2, 1, 1, 3), (2, 1, 1, 2, 1)),
        "empty": ((0, 2), (1, 2), (2,)),
    }
    for op, table in (("SELECT", shapes), ("SELECT_V2", wider)):
        for short in "bool f16 f32 i16 i32 i64 i8 u32 u8".split():
            for label, (c, x, y) in table.items():
                name = f"{op.lower()}/{short}/row_{label}"
                r, dtype = rng_of(name), TYPE[short]
                feed = [some(r, c, "bool"), some(r, x, dtype), some(r, y, dtype)]
                ins = [T(n, a.shape, str(a.dtype)) for n, a in zip("cxy", feed)]
                out = T("z", np.broadcast_shapes(c, x, y) if op == "SELECT_V2" else x, dtype)
                yield name, single_op(op, ins, [out]), feed, REF, None


# ---- reductions --------------------------------------------------------------------------------------------------------------

REDUCE = {
    "SUM": "f32 i32 i64 i8 u8",
    "MEAN": "f32 i16 i32 i64 i8 u8",
    "REDUCE_MAX": "f32 i16 i32 i64 i8 u8",
    "REDUCE_MIN": "f32 i16 i32 i64 i8 u8",
    "REDUCE_PROD": "f32 i16 i32 i64 i8",
    "REDUCE_ALL": "bool",
    "REDUCE_ANY": "bool",
}
AXES = {
    "last": ((2, 3, 5), [-1], False),
    "first": ((4, 3), [0], True),
    "two": ((2, 3, 4, 5), [1, 2], False),
    "apart": ((2, 3, 4, 5), [3, 0], True),
    "all": ((3, 5), [0, 1], False),
    "twice": ((3, 5), [1, -1], True),
    "none": ((3, 2), [], False),
    "rank5": ((2, 1, 3, 2, 2), [4, 2], False),
}


def reduce():
    for op, row in REDUCE.items():
        for short in row.split():
            for label, (shape, axes, keep) in AXES.items():
                for live in (False, True) if label in ("last", "two") else (False,):
                    yield reduce_case(op, short, label, shape, axes, keep, live)


def reduce_case(op, short, label, shape, axes, keep, live):
    name = f"{op.lower()}/{short}/row_{label}{'_live' if live else ''}"
    r, dtype = rng_of(name), TYPE[short]
    gone = {a % len(shape) for a in axes}
    out = tuple(1 if i in gone else d for i, d in enumerate(shape) if keep or i not in gone)
    scales = quantization(op, short)
    if op in ("REDUCE_MAX", "REDUCE_MIN"):
        scales = [scales[0]] * 3
    a = some(r, shape, dtype, *((-2, 3) if op == "REDUCE_PROD" else ()))
    axis = np.array(axes, np.int32)
    ins = [T("x", shape, dtype, *scales[0]), T("axis", axis.shape, "int32", data=None if live else axis)]
    model = single_op(op, ins, [T("y", out, dtype, *scales[2])], opts("Reducer", keepDims=keep))
    return name, model, [a, axis] if live else [a], REF, tolerance(dtype)


def arguments():
    for op, table in (("ARG_MAX", "ArgMax"), ("ARG_MIN", "ArgMin")):
        for short in "bool f32 i32 i8 u8".split():
            for label, shape, axis in (
                ("last", (3, 7), -1),
                ("first", (4, 2, 3), 0),
                ("rank5", (1, 2, 3, 2, 2), 2),
                ("vector", (9,), 0),
            ):
                name = f"{op.lower()}/{short}/row_{label}"
                a, dtype = some(rng_of(name), shape, TYPE[short]), TYPE[short]
                out = tuple(d for i, d in enumerate(shape) if i != axis % len(shape))
                index = "int64" if label == "rank5" else "int32"
                ins = [
                    T("x", shape, dtype, *quantization(op, short)[0]),
                    T("axis", (), "int32", data=np.array(axis, np.int32)),
                ]
                o = opts(table, outputType=TYPES[index])
                yield name, single_op(op, ins, [T("y", out, index)], o), [a], REF, None


def cumsum():
    for short in "f32 i32 i64".split():
        for k, (label, (shape, axis)) in enumerate(
            {"last": ((3, 5), -1), "first": ((4, 2, 3), 0), "rank5": ((2, 1, 3, 2, 2), 2), "empty": ((2, 0), 0)}.items()
        ):
            for live in (False, True):
                name = f"cumsum/{short}/row_{label}{'_live' if live else ''}"
                a, at = some(rng_of(name), shape, TYPE[short]), np.array(axis, np.int32)
                ins = [T("x", shape, TYPE[short]), T("axis", (), "int32", data=None if live else at)]
                o = opts("Cumsum", exclusive=k % 2 == 1, reverse=k > 1)
                model = single_op("CUMSUM", ins, [T("y", shape, TYPE[short])], o)
                yield name, model, [a, at] if live else [a], REF, tolerance(TYPE[short])


def made():
    """RANGE and ONE_HOT."""
    for short, spans in {
        "f32": ((0.0, 5.0, 0.7), (3.0, -2.0, -0.5), (1.0, -2.5, -1.0)),
        "i32": ((0, 10, 3), (7, -8, -4), (2, 3, 5)),
        "i64": ((0, 10, 3), (7, -8, -4), (2**40, 2**40 + 9, 2)),
    }.items():
        for k, span in enumerate(spans):
            n = max(0, int(np.ceil((span[1] - span[0]) / span[2])))
            for live in (False, True):
                values = [np.array(v, TYPE[short]) for v in span]
                ins = [T(f"x{i}", (), TYPE[short], data=None if live else v) for i, v in enumerate(values)]
                model = single_op("RANGE", ins, [T("y", (n,), TYPE[short])])
                yield (
                    f"range/{short}/row_{k}{'_live' if live else ''}",
                    model,
                    values if live else [],
                    REF,
                    tolerance(TYPE[short]),
                )
    for short in "bool f32 i32 i64 i8 u8".split():
        for k, (shape, axis) in enumerate((((5,), -1), ((2, 3), 0), ((2, 3), 1), ((), -1), ((1, 2, 2, 2), 2))):
            for index in ("int32", "int64"):
                name = f"one_hot/{short}/row_{k}_{index}"
                r, dtype = rng_of(name), TYPE[short]
                a = np.asarray(r.integers(-1, 6, shape)).astype(index)
                out = shape + (5,) if axis < 0 else shape[:axis] + (5,) + shape[axis:]
                on, off = (np.array(v).astype(dtype) for v in ((1, 0) if short == "bool" else (3, 1)))
                ins = [
                    T("i", shape, index),
                    T("d", (), "int32", data=np.array(5, np.int32)),
                    T("on", (), dtype, data=on),
                    T("off", (), dtype, data=off),
                ]
                yield name, single_op("ONE_HOT", ins, [T("y", out, dtype)], opts("OneHot", axis=axis)), [a], REF, None


def cases():
    yield from binary()
    yield from unary()
    yield from select()
    yield from reduce()
    yield from arguments()
    yield from cumsum()
    yield from made()
