"""Elementwise operators at sizes around their vector loops, whole and broadcast; float functions over their ranges.

cases() yields (name, model, inputs, oracle, tolerance): tolerance None means bit-equal."""

import itertools

import numpy as np

from casebuild import DEFAULT, binary, ints, unary
from mkmodel import T, TYPES, opts, rng_of, single_op
from op_cases import QUANT, REF, values

SIZES = (1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 65, 1030)
LAYOUTS = (
    ("all", lambda n: ((3, n), (3, n))),
    ("right", lambda n: ((3, n), (3, 1))),
    ("left", lambda n: ((1, 1), (3, n))),
)
ARITHMETIC = {"ADD": "Add", "SUB": "Sub", "MUL": "Mul", "DIV": "Div"}
BINARY = [
    *itertools.product(("ADD", "SUB", "MUL"), ("float32", "int32", "int64", "int16")),
    *itertools.product(("DIV", "FLOOR_DIV", "FLOOR_MOD"), ("int32",)),
    *itertools.product(("FLOOR_DIV", "FLOOR_MOD"), ("int8", "int16")),
    *itertools.product(("DIV",), ("float32", "int8", "uint8")),
    *itertools.product(("MAXIMUM", "MINIMUM"), ("float32", "int8", "int16", "int32", "int64")),
    *itertools.product(("EQUAL", "LESS", "GREATER_EQUAL"), ("float32", "int8", "int16", "int32", "int64")),
    *itertools.product(("SQUARED_DIFFERENCE",), ("float32", "int8", "int32")),
]
# Function: ranges of its input, with a tolerance relative to the largest output of a case.
FUNCTIONS = {
    "ABS": (-9, 9),
    "NEG": (-9, 9),
    "SQUARE": (-9, 9),
    "SIGN": (-1, 1),
    "SQRT": (0, 1e6),
    "RSQRT": (1e-3, 1e3),
    "EXP": (-20, 20),
    "LOG": (1e-6, 1e6),
    "SIN": (-9000, 9000),
    "COS": (-9000, 9000),
    "FLOOR": (-50, 50),
    "CEIL": (-50, 50),
    "ROUND": (-50, 50),
    "ELU": (-20, 3),
    "HARD_SWISH": (-5, 5),
    "TANH": (-6, 6),
    "LOGISTIC": (-9, 9),
}
OPTIMIZED = ("CEIL", "ROUND", "ELU")  # there are no reference kernels of these
SPECIAL = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1e-30, -1e-30, 1e-42, 8388607.5, 8388609.0, -8388609.0, 3e38, -3e38]
SPECIAL = np.array(SPECIAL + [np.inf, -np.inf, np.nan] + [0.25] * 20, np.float32)


def two_inputs():
    for (op, d), n, (layout, shapes) in itertools.product(BINARY, SIZES, LAYOUTS):
        name = "%s/vector/%s_%s_%d" % (op.lower(), d, layout, n)
        sa, sb = shapes(n)
        r = rng_of(name)
        a, b = values(r, sa, d), values(r, sb, d)
        q = QUANT.get(d, (None, None)) if not op.startswith("FLOOR") else (None, None)
        if "DIV" in op or "MOD" in op:
            b = np.where(b == (q[1] or 0), 1, b).astype(d)
        if op == "DIV" and d == "int32":
            a.flat[0], b.flat[0] = -(2**31), 3
        table = opts(ARITHMETIC[op]) if op in ARITHMETIC else None
        truth = op in ("EQUAL", "LESS", "GREATER_EQUAL")
        yield binary(
            name,
            op,
            d,
            a,
            b,
            table,
            out_dtype="bool" if truth else None,
            qa=q,
            qb=q,
            qo=(None, None) if truth else q,
            tol=1e-6 if d == "float32" and not truth else None,
        )


def functions():
    for (op, (lo, hi)), n in itertools.product(FUNCTIONS.items(), SIZES):
        name = "%s/vector/float32_%d" % (op.lower(), n)
        a = rng_of(name).uniform(lo, hi, (n,)).astype(np.float32)
        yield unary(name, op, "float32", a, tol=3e-6, oracle=DEFAULT if op in OPTIMIZED else REF)
    for approximate, n in itertools.product((False, True), SIZES):
        name = "gelu/vector/float32_%d_%d" % (approximate, n)
        a = rng_of(name).uniform(-7, 7, (n,)).astype(np.float32)
        a[0] = 1  # far left there is next to nothing, to which no error is relative
        yield unary(name, "GELU", "float32", a, opts("Gelu", approximate=approximate), tol=1e-6)
    for op in ("FLOOR", "ABS", "NEG", "SQRT", "SIGN", "LOG", "EXP", "SIN", "COS"):
        exact = op in ("FLOOR", "ABS", "NEG", "SQRT", "SIGN")
        yield unary("%s/vector/special" % op.lower(), op, "float32", SPECIAL, tol=None if exact else 1e-6)


def quantized():
    pairs = [
        ("int8", "int16"),
        ("int16", "int8"),
        ("int16", "int16"),
        ("int16", "int32"),
        ("int32", "int8"),
        ("int32", "int16"),
    ]
    wide = {**QUANT, "int32": (1e-4, 0)}
    for (i, o), n in itertools.product(
        [*pairs, ("float32", "int16"), ("float32", "int8"), ("float32", "uint8")], SIZES
    ):
        name = "quantize/vector/%s_%s_%d" % (i, o, n)
        qo = (wide[o][0] * 1.7, wide[o][1])
        yield unary(
            name, "QUANTIZE", i, values(rng_of(name), (n,), i), out_dtype=o, qi=wide.get(i, (None, None)), qo=qo
        )
    for op, n in itertools.product(("RELU", "RELU6", "LEAKY_RELU"), SIZES):
        name = "%s/vector/int16_%d" % (op.lower(), n)
        o = opts("LeakyRelu", alpha=-0.3 if n % 2 else 0.2) if op == "LEAKY_RELU" else None
        yield unary(name, op, "int16", ints(rng_of(name), (n,), "int16"), o, qi=(0.001, 0), qo=(0.0007, 0))
    for d, n in itertools.product(("int8", "uint8"), (1, 8, 31, 33, 511, 512, 700)):
        name = "softmax/vector/%s_%d" % (d, n)
        qo = (1 / 256, -128 if d == "int8" else 0)
        yield unary(name, "SOFTMAX", d, values(rng_of(name), (3, n), d), opts("Softmax", beta=0.7), qi=QUANT[d], qo=qo)


def others():
    for (d, n), (layout, shape) in itertools.product(
        itertools.product(("float32", "int8", "int16", "int64"), SIZES),
        (("all", None), ("x", (1, 1)), ("both", (1, 1))),
    ):
        name = "select_v2/vector/%s_%s_%d" % (d, layout, n)
        r = rng_of(name)
        c = values(r, (3, n), "bool")
        x, y = values(r, shape or (3, n), d), values(r, (3, n) if layout != "both" else (1, 1), d)
        q = QUANT.get(d, (None, None))
        ins = [T("c", c.shape, "bool"), T("x", x.shape, d, *q), T("y", y.shape, d, *q)]
        yield name, single_op("SELECT_V2", ins, [T("o", (3, n), d, *q)], opts("SelectV2")), [c, x, y], REF, None
    for (i, o), n in itertools.product(
        (("float32", "float16"), ("float16", "float32"), ("float32", "bool"), ("int32", "bool")), SIZES
    ):
        name = "cast/vector/%s_%s_%d" % (i, o, n)
        a = values(rng_of(name), (n,), i) if i != "int32" else values(rng_of(name), (n,), i, -1, 1)
        yield unary(name, "CAST", i, a, opts("Cast", inDataType=TYPES[i], outDataType=TYPES[o]), out_dtype=o)
    for n in SIZES:
        name = "log_softmax/vector/float32_%d" % n
        yield unary(name, "LOG_SOFTMAX", "float32", values(rng_of(name), (3, n), "float32"), tol=1e-6)


def cases():
    yield from two_inputs()
    yield from functions()
    yield from quantized()
    yield from others()
