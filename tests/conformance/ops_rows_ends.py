"""Conformance cases at the ends of what types hold: elementwise operators and reductions."""

import numpy as np

from casebuild import INT_RANGE, binary, unary
from mkmodel import T, opts, rng_of, single_op
from ops_rows_math import TYPE, tolerance

REF = "litert_ref"


def ends(dtype):
    lo, hi = INT_RANGE[dtype]
    return np.array([lo, lo + 1, -7 if lo < 0 else 7, -1 if lo < 0 else 1, 0, 1, 2, 3, 100, hi - 1, hi], dtype)


def special(dtype):
    return np.array([np.nan, np.inf, -np.inf, 0, -0.0, 1, -1.5, 0.5, 2.5, -2.5, 65504, 1e-7, 6, 3.4], dtype)


def integers():
    for op, shorts in {
        "ADD": "i16 i32 i64",
        "SUB": "i32 i64",
        "MUL": "i16 i32 i64 u32",
        "MAXIMUM": "i8 u8 i16 i32 i64",
        "MINIMUM": "i8 u8 i16 i32 i64",
        "SQUARED_DIFFERENCE": "i32",
    }.items():
        for short in shorts.split():
            v = ends(TYPE[short])
            for act in (0, 1, 2, 3) if op in ("ADD", "SUB", "MUL") and short != "u32" else (0,):
                o = opts(op.title(), fusedActivationFunction=act) if op in ("ADD", "SUB", "MUL") else None
                yield binary(f"{op.lower()}/{short}/ends_{act}", op, TYPE[short], v.reshape(-1, 1), v, o)
    for op, shorts in {"ABS": "i16 i32", "NEG": "i8 i16 i32 i64"}.items():
        for short in shorts.split():
            v = ends(TYPE[short])
            yield unary(f"{op.lower()}/{short}/ends", op, TYPE[short], v)
    for op in ("FLOOR_DIV", "FLOOR_MOD"):
        for short in "i8 i16 i32 i64".split():
            if (op, short) == ("FLOOR_DIV", "i64"):
                continue
            v = ends(TYPE[short])
            yield binary(f"{op.lower()}/{short}/ends", op, TYPE[short], v[1:].reshape(-1, 1), v[v != 0])


def floats():
    for op, row in {
        "ADD": "f16 f32",
        "SUB": "f32",
        "MUL": "f16 f32",
        "DIV": "f32",
        "MAXIMUM": "f16 f32",
        "MINIMUM": "f16 f32",
        "SQUARED_DIFFERENCE": "f32",
        "FLOOR_DIV": "f32",
        "FLOOR_MOD": "f32",
        "PRELU": "f32",
    }.items():
        for short in row.split():
            dtype = TYPE[short]
            v = special(dtype)
            a, b = (np.ascontiguousarray(x) for x in np.broadcast_arrays(v[:, None], v[None]))
            if op == "FLOOR_DIV":
                b = np.where(b == 0, 4, b).astype(dtype)
            for act in (0, 1, 2, 3) if op in ("ADD", "SUB", "MUL", "DIV") else (0,):
                o = opts(op.title(), fusedActivationFunction=act) if op in ("ADD", "SUB", "MUL", "DIV") else None
                yield binary(f"{op.lower()}/{short}/special_{act}", op, dtype, a, b, o, tol=tolerance(dtype))
    for op, row in {
        "ABS": "f32",
        "CEIL": "f32",
        "COS": "f16 f32",
        "SIN": "f16 f32",
        "ELU": "f32",
        "EXP": "f32",
        "FLOOR": "f16 f32",
        "GELU": "f16 f32",
        "HARD_SWISH": "f32",
        "LEAKY_RELU": "f32",
        "LOG": "f32",
        "LOGISTIC": "f16 f32",
        "NEG": "f16 f32",
        "RELU": "f32",
        "RELU6": "f32",
        "RELU_0_TO_1": "f32",
        "RELU_N1_TO_1": "f32",
        "ROUND": "f16 f32",
        "RSQRT": "f32",
        "SQRT": "f32",
        "SQUARE": "f32",
        "TANH": "f16 f32",
        "ZEROS_LIKE": "f32",
    }.items():
        for short in row.split():
            o = {"GELU": opts("Gelu", approximate=False), "LEAKY_RELU": opts("LeakyRelu", alpha=0.2)}.get(op)
            oracle = "litert_default" if op in ("CEIL", "ELU", "ROUND") else REF
            yield unary(
                f"{op.lower()}/{short}/special",
                op,
                TYPE[short],
                special(TYPE[short]),
                o,
                tol=tolerance(TYPE[short]),
                oracle=oracle,
            )


def reductions():
    for op, row in {
        "SUM": "f32 i32 i64",
        "MEAN": "f32 i16 i32 i64 i8 u8",
        "REDUCE_MAX": "f32 i8 u8 i16 i32 i64",
        "REDUCE_MIN": "f32 i8 u8 i16 i32 i64",
        "REDUCE_PROD": "f32 i8 i16 i32 i64",
    }.items():
        for short in row.split():
            dtype = TYPE[short]
            for label, v in {
                "ends": special(dtype)[None] if short == "f32" else ends(dtype)[None],
                "low": None,
                "high": None,
                "empty": np.zeros((3, 0), dtype),
            }.items():
                if label == "low":
                    v = np.full((2, 5), special(dtype)[2] if short == "f32" else INT_RANGE[dtype][0], dtype)
                if label == "high":
                    v = np.full((2, 5), special(dtype)[1] if short == "f32" else INT_RANGE[dtype][1], dtype)
                if op == "MEAN" and short in ("i8", "u8", "i16"):
                    continue  # numbers without a scale have no mean there
                if label == "empty" and op != "SUM" and op != "REDUCE_PROD":
                    continue
                axis = np.array([1], np.int32)
                model = single_op(
                    op,
                    [T("x", v.shape, dtype), T("a", (1,), "int32", data=axis)],
                    [T("y", v.shape[:1], dtype)],
                    opts("Reducer"),
                )
                yield f"{op.lower()}/{short}/{label}", model, [v], REF, tolerance(dtype)


def quantized():
    """Every value of 8 bits, and many of 16, through functions that have a table or a multiplier."""
    scales = {
        "i8": [
            ((0.05, 3), (0.07, -20)),
            ((0.5, -128), (0.002, 127)),
            ((0.013, 0), (0.026, 0)),
            ((1.7e-3, 11), (1.9e-1, 5)),
        ]
    }
    scales["u8"] = [((a, b + 128), (c, d + 128)) for (a, b), (c, d) in scales["i8"]]
    scales["i16"] = [
        ((1e-4, 0), (2e-4, 0)),
        ((3e-3, 0), (1e-3, 0)),
        ((2.0**-12, 0), (2.0**-15, 0)),
        ((0.9, 0), (0.11, 0)),
    ]
    rows = {
        "ABS": "i16 i8",
        "ELU": "i8",
        "EXP": "i16 i8",
        "GELU": "i16 i8 u8",
        "HARD_SWISH": "i8 u8",
        "LEAKY_RELU": "i16 i8 u8",
        "LOG": "i16 i8",
        "RELU": "i16 i8 u8",
        "RELU6": "i16 i8 u8",
        "RELU_0_TO_1": "i8 u8",
        "RELU_N1_TO_1": "i8 u8",
        "RSQRT": "i16 i8",
        "SQRT": "i16 i8",
    }
    for op, row in rows.items():
        for short in row.split():
            dtype = TYPE[short]
            lo, hi = INT_RANGE[dtype]
            for k, (qi, qo) in enumerate(scales[short]):
                if (op, k) == ("HARD_SWISH", 1):
                    continue  # the oracle refuses an output that is so much finer
                if (op, k) == ("ELU", 2):
                    continue  # ties, which the default kernel (XNNPACK's) rounds to even
                if op in ("LOG", "RSQRT", "SQRT"):
                    lo = qi[1] + (op != "SQRT")
                if op == "ABS" and short == "i16":
                    qo = qi if k % 2 else qo
                v = np.arange(lo, hi + 1, 1 if hi < 300 else 7).astype(dtype)
                o = {
                    "GELU": opts("Gelu", approximate=k % 2 == 1),
                    "LEAKY_RELU": opts("LeakyRelu", alpha=(0.1, -0.7, 1.3, 0.0)[k]),
                }.get(op)
                yield unary(
                    f"{op.lower()}/{short}/all_{k}",
                    op,
                    dtype,
                    v,
                    o,
                    qi=qi,
                    qo=qo,
                    oracle="litert_default" if op == "ELU" else REF,
                )
    for short in ("i8", "u8", "i16"):
        for op in ("SUM", "MEAN", "REDUCE_PROD", "REDUCE_MAX"):
            if op == "SUM" and short == "i16":
                continue
            if op == "REDUCE_PROD" and short == "u8":
                continue
            for k, (qi, qo) in enumerate(scales[short]):
                for shape, axes in (((5, 7), [1]), ((2, 4, 3, 5), [1, 2]), ((3, 4, 2), [0, 2]), ((40, 33), [0])):
                    if op == "REDUCE_MAX":
                        qo = qi
                    name = f"{op.lower()}/{short}/scaled_{k}_{len(shape)}_{shape[0]}"
                    v = rng_of(name).integers(*INT_RANGE[TYPE[short]], shape, endpoint=True).astype(TYPE[short])
                    axis = np.array(axes, np.int32)
                    out = tuple(d for i, d in enumerate(shape) if i not in axes)
                    for keep in (False, True) if len(shape) == 4 else (False,):
                        y = tuple(1 if i in axes else d for i, d in enumerate(shape)) if keep else out
                        yield (
                            name + ("_keep" if keep else ""),
                            single_op(
                                op,
                                [T("x", shape, TYPE[short], *qi), T("a", axis.shape, "int32", data=axis)],
                                [T("y", y, TYPE[short], *qo)],
                                opts("Reducer", keepDims=keep),
                            ),
                            [v],
                            REF,
                            None,
                        )


def cases():
    yield from integers()
    yield from floats()
    yield from reductions()
    yield from quantized()
