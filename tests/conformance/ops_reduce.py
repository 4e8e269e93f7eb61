"""Reductions, ARG_MIN and ARG_MAX, CUMSUM: types, axes, scales far apart, and axes given at run time.

cases() yields (name, model, inputs, oracle, tolerance): tolerance None means bit-equal, else it is relative to the
largest magnitude of the expected output.
"""

import itertools

import numpy as np

from mkmodel import T, TYPES, single_op, opts, rng_of
from op_cases import Op, QUANT, REF, TFLM, const, values

REDUCTIONS = [
    ((2, 3, 4), [1], False),
    ((2, 3, 4), [0, 2], True),
    ((2, 3, 4), [-1], True),
    ((2, 3, 4), [0, 1, 2], False),
    ((2, 3, 4), [1, 1, -2], False),
    ((2, 5, 6, 3), [1, 2], True),
    ((2, 5, 6, 3), [2, 1], False),
    ((1, 7, 7, 33), [1, 2], False),
    ((5,), [0], False),
    ((2, 1, 3, 2, 2), [0, 2, 4], True),
    ((2, 2, 1, 3, 2, 2), [1, 3], False),
    ((3, 4), [], True),
    ((40, 3, 5), [0, 2], True),  # what stays is surrounded
    ((2, 30, 8, 4), [0, 1, 3], False),
    ((9, 2, 3, 2), [0, 2], True),
    ((1, 70, 70, 6, 3), [1, 2, 4], True),
    ((60, 7, 40), [0, 2], False),
]


def reduce_cases():
    found = []
    types = {
        "MEAN": ["float32", "int16", "int32", "int64", "int8", "uint8"],
        "SUM": ["float32", "int32", "int64", "int8", "uint8"],
        "REDUCE_MAX": ["float32", "int16", "int32", "int64", "int8", "uint8"],
        "REDUCE_MIN": ["float32", "int16", "int32", "int64", "int8", "uint8"],
        "REDUCE_PROD": ["float32", "int16", "int32", "int64", "int8"],
        "REDUCE_ANY": ["bool"],
        "REDUCE_ALL": ["bool"],
    }
    for name, kinds in types.items():
        op = Op(name)
        for d, (i, (shape, axes, keep)) in itertools.product(kinds, enumerate(REDUCTIONS)):
            rng = rng_of(name + d + str(i))
            x = values(rng, shape, d)
            out = np.zeros(shape).sum(tuple(set(a % len(shape) for a in axes)), keepdims=keep).shape
            out_quant = None
            if d in QUANT and name in ("MEAN", "SUM", "REDUCE_PROD"):
                scale = QUANT[d][0] * float(rng.uniform(0.4, 8))
                out_quant = (
                    scale if name == "MEAN" else scale * 5,
                    0 if d == "int16" else int(rng.integers(-20, 20)) + (128 if d == "uint8" else 0),
                )
            tol = 1e-5 if d == "float32" and name in ("MEAN", "SUM", "REDUCE_PROD") else None
            op.run(
                "%s_%d" % (d, i),
                [("x", x, 0), ("a", np.array(axes, np.int32), 1)],
                [out],
                opts("ReducerOptions", keepDims=keep),
                out_quant=out_quant,
                tol=tol,
            )
        d = kinds[0]
        rng = rng_of(name)
        op.run(
            "live",
            [("x", values(rng, (2, 3, 4), d), 0), ("a", np.array([0, 2], np.int32), 1)],
            [(3,)],
            opts("ReducerOptions"),
            live=("a",),
            tol=1e-5 if d == "float32" else None,
        )
        op.run(
            "scalar_axis",
            [("x", values(rng, (2, 3), d), 0), ("a", np.array(1, np.int32), 1)],
            [(2,)],
            opts("ReducerOptions"),
            tol=1e-5 if d == "float32" else None,
        )
        op.run(
            "scalar", [("x", values(rng, (), d), 0), ("a", np.array([0], np.int32), 1)], [()], opts("ReducerOptions")
        )
        op.run(
            "empty",
            [("x", values(rng, (0, 3), d), 0), ("a", np.array([0], np.int32), 1)],
            [(3,)],
            opts("ReducerOptions"),
        )
        op.run(
            "empty_out",
            [("x", values(rng, (0, 3), d), 0), ("a", np.array([1], np.int32), 1)],
            [(0,)],
            opts("ReducerOptions"),
        )
        for d in ("int8", "int16", "uint8"):
            if name in ("REDUCE_PROD", "REDUCE_MAX", "REDUCE_MIN") and d in kinds:
                op.run(
                    "%s_plain" % d,
                    [("x", values(rng, (3, 4, 2), d), 0), ("a", np.array([1], np.int32), 1)],
                    [(3, 2)],
                    opts("ReducerOptions"),
                    quantized=False,
                )
        found += op.found
    return found + mean_network_cases() + list(sum_micro_cases())


def mean_network_cases():
    """Global average pools as networks have them, and scales far apart."""
    op = Op("MEAN")
    for i, (shape, axes, keep, scales) in enumerate(
        [
            ((1, 7, 7, 1280), [1, 2], False, (0.0235, -128, 0.0199, -128)),
            ((1, 7, 7, 1280), [1, 2], True, (0.0235, 3, 0.0039, -100)),
            ((1, 1280, 7, 7), [-1, -2], False, (0.05, -1, 0.02, 7)),
            ((1, 3, 2, 1024), [1, 2], False, (0.1, -128, 0.03, -128)),
            ((1, 64, 96, 3), [1, 2], True, (1e-4, 0, 90.0, 0)),
            ((2, 100, 100), [1, 2], False, (3.0, 5, 1e-6, -9)),
        ]
    ):
        for d in ("int8", "uint8", "int16"):
            shift = 128 if d == "uint8" else 0
            s, z, so, zo = scales
            z, zo = (0, 0) if d == "int16" else (z + shift, zo + shift)
            x = values(rng_of("mean_net%d%s" % (i, d)), shape, d)
            out = np.zeros(shape).sum(tuple(axes), keepdims=keep).shape
            model = single_op(
                "MEAN",
                [T("x", shape, d, s, z), const("a", axes)],
                [T("y", out, d, so, zo)],
                opts("ReducerOptions", keepDims=keep),
            )
            op.found.append(("mean/net%d_%s" % (i, d), model, [x], REF, None))
    return op.found


def sum_micro_cases():
    """LiteRT's reference SUM reads INT16 as bytes; tflite-micro sums what is there."""
    for i, (shape, axes, keep) in enumerate([((1, 4, 6, 2), [1, 2], True), ((3, 5), [1], False)]):
        x = values(rng_of("sum16_%d" % i), shape, "int16")
        out = np.zeros(shape).sum(tuple(axes), keepdims=keep).shape
        model = single_op(
            "SUM",
            [T("x", shape, "int16", 0.01, 0), const("a", axes)],
            [T("y", out, "int16", 0.05, 0)],
            opts("ReducerOptions", keepDims=keep),
        )
        yield "sum/int16_tflm%d" % i, model, [x], TFLM, None


def arg_cases():
    found = []
    for name in ("ARG_MAX", "ARG_MIN"):
        op = Op(name)
        kind = "ArgMaxOptions" if name == "ARG_MAX" else "ArgMinOptions"
        for d in ["bool", "float32", "int32", "int8", "uint8"]:
            for axis, at, out in itertools.product((0, 1, -1), (np.int32, np.int64), ("int32", "int64")):
                rng = rng_of(name + d)
                x = values(rng, (3, 40, 5), d) if d == "bool" else values(rng, (3, 40, 5), d, 0, 9)
                op.run(
                    "%s_axis%d_%s_%s" % (d, axis, np.dtype(at), out),
                    [("x", x, 0), ("a", np.array(axis, at), 1)],
                    [np.delete(x.shape, axis)],
                    opts(kind, outputType=TYPES[out]),
                    dtype=out,
                )
        x = rng_of(name).normal(0, 1, (4, 6)).astype(np.float32)
        x[1, 2] = x[3, 5] = np.nan
        op.run(
            "nan",
            [("x", x, 0), ("a", np.array(1, np.int32), 1)],
            [(4,)],
            opts(kind, outputType=TYPES["int32"]),
            dtype="int32",
        )
        op.run(
            "live",
            [("x", values(rng_of(name), (3, 4), "int8"), 0), ("a", np.array([0], np.int32), 1)],
            [(4,)],
            opts(kind, outputType=TYPES["int32"]),
            dtype="int32",
            live=("a",),
        )
        op.run(
            "empty",
            [("x", values(rng_of(name), (0, 4), "int8"), 0), ("a", np.array([1], np.int32), 1)],
            [(0,)],
            opts(kind, outputType=TYPES["int32"]),
            dtype="int32",
        )
        found += op.found
    return found


def cumsum_cases():
    cum, rng = Op("CUMSUM"), rng_of("cumsum")
    for d, axis, exclusive, reverse in itertools.product(
        ("float32", "int32", "int64"), (0, 1, -1), (False, True), (False, True)
    ):
        x = values(rng_of("cumsum" + d), (3, 4, 5), d)
        cum.run(
            "%s_axis%d_%d%d" % (d, axis, exclusive, reverse),
            [("x", x, 0), ("a", np.array(axis, np.int32), 1)],
            [x.shape],
            opts("CumsumOptions", exclusive=exclusive, reverse=reverse),
            tol=1e-6 if d == "float32" else None,
        )
    cum.run(
        "live",
        [("x", values(rng, (6,), "int32"), 0), ("a", np.array([0], np.int32), 1)],
        [(6,)],
        opts("CumsumOptions"),
        live=("a",),
    )
    for i, (zx, so, zy, exclusive, reverse) in enumerate(
        [(0, 0.03, 0, False, False), (0, 0.11, 5, True, False), (-11, 0.2, 20, False, True), (7, 0.05, -3, True, True)]
    ):
        x = values(rng_of("cumsum8%d" % i), (2, 5, 3), "int8")
        model = single_op(
            "CUMSUM",
            [T("x", x.shape, "int8", 0.03, zx), const("a", 1)],
            [T("y", x.shape, "int8", so, zy)],
            opts("CumsumOptions", exclusive=exclusive, reverse=reverse),
        )
        cum.found.append(("cumsum/int8_tflm%d" % i, model, [x], TFLM, None))
    return cum.found


def cases():
    for group in (reduce_cases, arg_cases, cumsum_cases):
        yield from group()
