"""Conformance cases of the binary elementwise ops, PRELU and SELECT. cases() yields
(name, model, inputs, oracle, tolerance or None for exact)."""

import itertools

import numpy as np

from casebuild import (
    ACTS,
    FLOAT_TOL,
    INT_RANGE,
    PAIRS,
    Q8,
    REF,
    SHAPES,
    all_pairs,
    all_values,
    binary,
    floats,
    ints,
    shift_q,
    text,
    unary,
    values,
)
from mkmodel import T, single_op, opts as options, rng_of


def arithmetic():
    for op, table in (("ADD", "Add"), ("SUB", "Sub"), ("MUL", "Mul"), ("DIV", "Div")):
        types = ["float32", "int32"] + (["int64"] if op != "DIV" else [])
        for dtype, (sa, sb) in itertools.product(types, PAIRS):
            name = f"{op.lower()}/{dtype}/{text(sa)}_{text(sb)}"
            r = rng_of(name)
            a, b = values(r, sa, dtype), values(r, sb, dtype)
            if op == "DIV":
                b = np.where(b == 0, 1, b).astype(dtype)
            yield binary(name, op, dtype, a, b, options(table), tol=FLOAT_TOL if dtype == "float32" else None)
        for dtype, (act, code) in itertools.product(types, ACTS.items()):
            name = f"{op.lower()}/{dtype}/act_{act}"
            r = rng_of(name)
            a, b = (
                (values(r, (5, 11), dtype) for _ in range(2))
                if dtype == "float32"
                else (np.asarray(ints(r, (5, 11), dtype, -9, 9)) for _ in range(2))
            )
            if op == "DIV":
                b = np.where(b == 0, 1, b).astype(dtype)
            yield binary(
                name,
                op,
                dtype,
                a,
                b,
                options(table, fusedActivationFunction=code),
                tol=FLOAT_TOL if dtype == "float32" else None,
            )
        yield from arithmetic_quantized(op, table)
    for op, dtype in (("ADD", "int16"), ("MUL", "int16"), ("MUL", "uint32"), ("ADD", "float16"), ("MUL", "float16")):
        for act, code in ACTS.items():
            if dtype == "uint32" and act == "relu_n1_to_1":
                continue
            name = f"{op.lower()}/{dtype}/plain_{act}"
            r = rng_of(name)
            yield binary(
                name,
                op,
                dtype,
                values(r, (4, 1, 9), dtype),
                values(r, (3, 1), dtype),
                options({"ADD": "Add", "MUL": "Mul"}[op], fusedActivationFunction=code),
            )


def arithmetic_quantized(op, table):
    for dtype, (i, q) in itertools.product(("int8", "uint8"), enumerate(Q8)):
        qa, qb, qo = shift_q(q, dtype)
        a, b = all_pairs(dtype)
        if op == "DIV":
            b = b[b != qb[1]].reshape(1, -1)
        for act, code in ACTS.items():
            if i and act != "none":
                continue
            yield binary(
                f"{op.lower()}/{dtype}/all_q{i}_{act}",
                op,
                dtype,
                a,
                b,
                options(table, fusedActivationFunction=code),
                qa=qa,
                qb=qb,
                qo=qo,
            )
    for dtype, (sa, sb) in itertools.product(("int8", "uint8", "int16"), PAIRS):
        name = f"{op.lower()}/{dtype}/{text(sa)}_{text(sb)}"
        r = rng_of(name)
        qa, qb, qo = ((0.0021, 0), (0.0013, 0), (0.0034, 0)) if dtype == "int16" else shift_q(Q8[0], dtype)
        a, b = values(r, sa, dtype), values(r, sb, dtype)
        if op == "DIV":
            b = np.where(b == qb[1], qb[1] + 1, b).astype(dtype)
        opts = options(table, potScaleInt16=False) if op in ("ADD", "SUB") else options(table)
        yield binary(name, op, dtype, a, b, opts, qa=qa, qb=qb, qo=qo)
        if sb and sa != sb:
            yield binary(name + "_const", op, dtype, a, b, opts, qa=qa, qb=qb, qo=qo, const=1)
    edge = np.array([-32768, -32767, -256, -255, -2, -1, 0, 1, 2, 255, 256, 32766, 32767], np.int16)
    r = rng_of(op)
    wide = np.concatenate([edge, ints(r, (500,), "int16")])
    for i, (sa, sb, so) in enumerate(
        ((2**-12, 2**-12, 2**-11), (1e-3, 1e-3, 1e-3), (3e-4, 7e-3, 2e-2), (1.0, 0.25, 0.9))
    ):
        b = np.where(wide == 0, 1, wide)[::-1].astype(np.int16) if op == "DIV" else wide[::-1].copy()
        opts = options(table, potScaleInt16=False) if op in ("ADD", "SUB") else options(table)
        for act in ("none", "relu6"):
            opts.fusedActivationFunction = ACTS[act]
            yield binary(
                f"{op.lower()}/int16/wide_q{i}_{act}", op, "int16", wide, b, opts, qa=(sa, 0), qb=(sb, 0), qo=(so, 0)
            )
    if op in ("ADD", "SUB"):
        for i, (ea, eb, eo) in enumerate(((-15, -15, -15), (-15, -13, -13), (-10, -15, -10), (-15, -1, -1))):
            yield binary(
                f"{op.lower()}/int16/pot{i}",
                op,
                "int16",
                wide,
                wide[::-1].copy(),
                options(table, potScaleInt16=True),
                qa=(2.0**ea, 0),
                qb=(2.0**eb, 0),
                qo=(2.0**eo, 0),
            )


def minmax_and_friends():
    types = {
        "MAXIMUM": ("float32", "int8", "uint8", "int16", "int32", "int64", "float16"),
        "MINIMUM": ("float32", "int8", "uint8", "int16", "int32", "int64", "float16"),
        "SQUARED_DIFFERENCE": ("float32", "int32"),
        "FLOOR_DIV": ("float32", "int8", "int16", "int32"),
        "FLOOR_MOD": ("float32", "int8", "int16", "int32", "int64"),
        "LOGICAL_AND": ("bool",),
        "LOGICAL_OR": ("bool",),
    }
    for op, dtypes in types.items():
        for dtype, (sa, sb) in itertools.product(dtypes, PAIRS):
            name = f"{op.lower()}/{dtype}/{text(sa)}_{text(sb)}"
            r = rng_of(name)
            a, b = values(r, sa, dtype), values(r, sb, dtype)
            if op.startswith("FLOOR"):
                b = np.where(b == 0, 1, b).astype(dtype)
            yield binary(name, op, dtype, a, b, tol=FLOAT_TOL if dtype == "float32" else None)
    for op in ("FLOOR_DIV", "FLOOR_MOD"):
        for dtype in ("int8", "int16", "int32"):
            lo, hi = INT_RANGE[dtype]
            v = np.array([lo, lo + 1, -7, -6, -2, -1, 0, 1, 2, 3, 7, hi - 1, hi], dtype)
            a, b = v.reshape(-1, 1), v[v != 0].reshape(1, -1)
            if dtype == "int32" or op == "FLOOR_DIV":  # the most negative number over -1 has no answer
                a = a[1:]
            yield binary(f"{op.lower()}/{dtype}/edges", op, dtype, a, b)
    f = np.array([-7.5, -6, -0.5, 0, 0.25, 6, 7.5], np.float32)
    yield binary("floor_mod/float32/edges", "FLOOR_MOD", "float32", f.reshape(-1, 1), f.reshape(1, -1))
    nan = np.array([np.nan, 1, np.inf, -np.inf, 0, -1], np.float32)
    for op in ("MAXIMUM", "MINIMUM"):
        yield binary(f"{op.lower()}/float32/nan", op, "float32", nan.reshape(-1, 1), nan.reshape(1, -1))
    for i, q in enumerate(Q8[:3] + [((1.7e-1, 11), (9.1e-2, -1), (1.9e-1, 5))]):
        a, b = all_pairs("int8")
        qo = (max(q[0][0], q[1][0]) ** 2 * 250, q[2][1])
        yield binary(f"squared_difference/int8/all_q{i}", "SQUARED_DIFFERENCE", "int8", a, b, qa=q[0], qb=q[1], qo=qo)
    for sa, sb in PAIRS:
        name = f"squared_difference/int8/{text(sa)}_{text(sb)}"
        r = rng_of(name)
        yield binary(
            name,
            "SQUARED_DIFFERENCE",
            "int8",
            values(r, sa, "int8"),
            values(r, sb, "int8"),
            qa=(0.05, 3),
            qb=(0.03, -7),
            qo=(0.6, -128),
        )
    for s in SHAPES:
        name = f"logical_not/bool/{text(s)}"
        yield unary(name, "LOGICAL_NOT", "bool", values(rng_of(name), s, "bool"))


COMPARE = {
    "EQUAL": "Equal",
    "NOT_EQUAL": "NotEqual",
    "LESS": "Less",
    "LESS_EQUAL": "LessEqual",
    "GREATER": "Greater",
    "GREATER_EQUAL": "GreaterEqual",
}


def compare():
    for op, table in COMPARE.items():
        equality = op in ("EQUAL", "NOT_EQUAL")
        plain = ["float32", "float16", "int32", "int64"] + (["bool"] if equality else ["int16"])
        for dtype, (sa, sb) in itertools.product(plain, PAIRS):
            name = f"{op.lower()}/{dtype}/{text(sa)}_{text(sb)}"
            r = rng_of(name)
            a, b = values(r, sa, dtype), values(r, sb, dtype)
            if dtype.startswith("int"):  # so that ties happen
                a, b = (a % 4).astype(dtype), (b % 4).astype(dtype)
            elif dtype.startswith("float"):
                a, b = np.round(a).astype(dtype), np.round(b).astype(dtype)
            yield binary(name, op, dtype, a, b, options(table), out_dtype="bool")
        nan = np.array([np.nan, 1, np.inf, -np.inf, 0, -0.0], np.float32)
        yield binary(
            f"{op.lower()}/float32/nan",
            op,
            "float32",
            nan.reshape(-1, 1),
            nan.reshape(1, -1),
            options(table),
            out_dtype="bool",
        )
        for dtype, (i, q) in itertools.product(("int8", "uint8"), enumerate(Q8)):
            qa, qb, _ = shift_q(q, dtype)
            a, b = all_pairs(dtype)
            yield binary(
                f"{op.lower()}/{dtype}/all_q{i}", op, dtype, a, b, options(table), out_dtype="bool", qa=qa, qb=qb
            )
            yield binary(
                f"{op.lower()}/{dtype}/same_q{i}", op, dtype, a, b, options(table), out_dtype="bool", qa=qa, qb=qa
            )
        for sa, sb in PAIRS:
            name = f"{op.lower()}/int8/{text(sa)}_{text(sb)}"
            r = rng_of(name)
            yield binary(
                name,
                op,
                "int8",
                values(r, sa, "int8"),
                values(r, sb, "int8"),
                options(table),
                out_dtype="bool",
                qa=(0.05, 3),
                qb=(0.03, -7),
            )
        name = f"{op.lower()}/int16/quantized"
        r = rng_of(name)
        a, b = (np.asarray(ints(r, (300,), "int16", -50, 50)) for _ in range(2))
        yield binary(name, op, "int16", a, b, options(table), out_dtype="bool", qa=(0.01, 0), qb=(0.02, 0))


def prelu():
    shapes = [
        ((7,), (7,)),
        ((2, 3, 5), (5,)),
        ((1, 4, 3, 5), (1, 1, 5)),
        ((1, 4, 3, 5), (4, 3, 5)),
        ((1, 4, 3, 5), (1, 4, 1, 1)),
        ((2, 3), ()),
        ((2, 1, 3, 2, 5), (3, 1, 5)),
        ((0, 3), (3,)),
        ((1, 2, 1, 3, 1, 2), (2, 1, 1, 1, 2)),
    ]
    for sa, sb in shapes:
        name = f"prelu/float32/{text(sa)}_{text(sb)}"
        r = rng_of(name)
        yield binary(name, "PRELU", "float32", floats(r, sa), floats(r, sb), tol=FLOAT_TOL)
        for dtype in ("int8", "uint8", "int16"):
            name = f"prelu/{dtype}/{text(sa)}_{text(sb)}"
            r = rng_of(name)
            d = 128 if dtype == "uint8" else 0
            q = (
                ((0.0013, 0), (0.011, 9), (0.0017, 0))
                if dtype == "int16"
                else ((0.05, 3 + d), (0.011, -9 + d), (0.04, 17 + d))
            )
            alpha = "int8" if dtype == "int16" else dtype
            yield binary(
                name, "PRELU", dtype, values(r, sa, dtype), values(r, sb, alpha), qa=q[0], qb=q[1], qo=q[2], tb=alpha
            )
    for i, q in enumerate(Q8):
        for dtype in ("int8", "uint8"):
            qa, qb, qo = shift_q(q, dtype)
            lo, hi = INT_RANGE[dtype]
            a = np.tile(all_values(dtype).reshape(-1, 1), (1, 256))
            yield binary(f"prelu/{dtype}/all_q{i}", "PRELU", dtype, a, all_values(dtype), qa=qa, qb=qb, qo=qo)


def select():
    same = [(), (1,), (7,), (3, 5), (2, 3, 5, 7), (0, 3)]
    types = ("float32", "int8", "uint8", "int16", "int32", "int64", "bool", "float16", "complex64")

    def case(name, op, dtype, sc, sx, sy, so):
        r = rng_of(name)
        c, x, y = values(r, sc, "bool"), values(r, sx, dtype), values(r, sy, dtype)
        ts = [T("c", sc, "bool"), T("x", sx, dtype), T("y", sy, dtype)]
        return name, single_op(op, ts, [T("out", so, dtype)]), [c, x, y], REF, None

    for op, dtype, s in itertools.product(("SELECT", "SELECT_V2"), types, same):
        yield case(f"{op.lower()}/{dtype}/{text(s)}", op, dtype, s, s, s, s)
    for dtype in ("float32", "int8", "int64"):
        for sc, s in (((), (3, 5)), ((3,), (3, 5)), ((2,), (2, 1, 4, 3)), ((), (0, 2))):
            yield case(f"select/{dtype}/low_{text(sc)}_{text(s)}", "SELECT", dtype, sc, s, s, s)
        for op in ("SELECT", "SELECT_V2"):
            yield case(f"{op.lower()}/{dtype}/mixed_scalar", op, dtype, (1,), (), (1, 1), (1,))
        for sc, sx, sy in (
            ((3, 1), (1, 5), ()),
            ((5,), (2, 3, 5), (2, 1, 1)),
            ((2, 3, 5), (), (5,)),
            ((), (4,), (3, 1)),
            ((2, 1, 3, 1, 2), (1, 4, 1, 3, 1), (2, 4, 3, 3, 2)),
            ((1, 2, 1, 3, 1, 2), (2, 1, 2, 1, 2, 1), (2,)),
            ((1, 1), (0, 3), (1, 3)),
            ((3, 1), (3, 1), (4,)),
        ):
            so = np.broadcast_shapes(sc, sx, sy)
            yield case(f"select_v2/{dtype}/{text(sc)}_{text(sx)}_{text(sy)}", "SELECT_V2", dtype, sc, sx, sy, so)


def cases():
    yield from arithmetic()
    yield from minmax_and_friends()
    yield from compare()
    yield from prelu()
    yield from select()
