"""Pools and reductions in sizes where their loops change: windows of few, some and many cells, channels around the widths of
vectors and beyond what one pass takes, rows by the eight, extremes that must not overflow on the way.

cases() yields (name, model, inputs, oracle, tolerance): tolerance None means bit-equal."""

import itertools

import numpy as np

from mkmodel import T, opts, rng_of, single_op
from op_cases import QUANT, REF, Op, values
from ops_conv import out_size

SAME, VALID = 0, 1
# image, window, stride, padding
WINDOWS = [
    ((1, 1), (1, 1), (1, 1), VALID),
    ((5, 9), (2, 2), (2, 2), VALID),
    ((5, 9), (1, 2), (1, 1), SAME),
    ((7, 20), (3, 3), (1, 1), SAME),
    ((7, 5), (3, 3), (2, 3), VALID),
    ((4, 30), (2, 4), (2, 1), SAME),
    ((9, 8), (5, 5), (2, 2), SAME),
    ((8, 8), (8, 8), (8, 8), VALID),
    ((3, 40), (3, 2), (3, 5), SAME),
    ((17, 16), (17, 16), (1, 1), VALID),
    ((2, 3), (9, 9), (1, 1), SAME),
]


def pool_case(op, d, c, window, act, fill=None):
    (h, w), k, stride, padding = window
    label = "%s_%dx%dx%d_%dx%d_act%d%s" % (d, h, w, c, *k, act, "" if fill is None else "_%d" % fill)
    x = values(rng_of("pools" + op + label), (2, h, w, c), d)
    if fill is not None:
        x[:] = fill
    scale, zero = QUANT.get(d, (None, None))
    out = (2, out_size(padding, h, k[0], stride[0]), out_size(padding, w, k[1], stride[1]), c)
    fields = dict(padding=padding, strideH=stride[0], strideW=stride[1], filterHeight=k[0], filterWidth=k[1])
    options = opts("Pool2DOptions", fusedActivationFunction=act, **fields)
    model = single_op(op, [T("x", x.shape, d, scale, zero)], [T("y", out, d, scale, zero)], options)
    return "%s/cells/%s" % (op.lower(), label), model, [x], REF, 1e-5 if d == "float32" else None


def pool_cases():
    for op, d in itertools.product(("AVERAGE_POOL_2D", "MAX_POOL_2D"), ("float32", "int8", "uint8")):
        for i, window in enumerate(WINDOWS):
            for c in (1, 3, 7, 8, 9, 15, 16, 17, 31, 33):
                yield pool_case(op, d, c, window, (0, 3)[(i + c) % 2])
        for c in (255, 256, 257, 271, 272, 273, 530):
            for window in WINDOWS[:5]:
                yield pool_case(op, d, c, window, 0)
    for op, d in (("AVERAGE_POOL_2D", "int8"), ("MAX_POOL_2D", "uint8")):  # more cells than 32 bits sum for sure
        yield pool_case(op, d, 1, ((2050, 2049), (2050, 2049), (1, 1), VALID), 0)
    for d, fill in (("int8", -128), ("int8", 127), ("uint8", 255), ("uint8", 0)):
        for window in WINDOWS:
            yield pool_case("AVERAGE_POOL_2D", d, 17, window, 0, fill)


def reduce_cases():
    found = []
    for name in ("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN"):
        op = Op(name)
        shapes = [
            ((1, rows, n), [1])
            for rows, n in itertools.product((1, 7, 8, 9, 17, 65, 130), (2, 3, 12, 16, 31, 32, 33, 40))
        ]
        shapes += [((2, 9, 1000), [1]), ((1, 70, 513), [1]), ((3, 300, 24), [1])]
        shapes += [
            ((3, n), [1]) for n in (4, 12, 15, 16, 20, 28, 31, 32, 47, 48, 63, 64, 100, 255, 256, 257, 300, 5000)
        ]
        shapes += [((2, 40, 3, 21), [1, 2]), ((40, 5, 21), [0, 2]), ((4, 3, 40, 2), [0, 2])]
        for d, (shape, axes) in itertools.product(("float32", "int8", "uint8", "int16", "int32"), shapes):
            if d == "int16" and name == "SUM":
                continue
            op.run(
                "walk/%s_%s_%s" % (d, "x".join(map(str, shape)), "".join(map(str, axes))),
                [
                    ("x", values(rng_of("walk%s%s%s" % (name, d, shape)), shape, d), 0),
                    ("a", np.array(axes, np.int32), 1),
                ],
                [np.zeros(shape).sum(tuple(axes)).shape],
                opts("ReducerOptions", keepDims=False),
                tol=1e-5 if d == "float32" and name in ("MEAN", "SUM") else None,
            )
        for d, fill in (("int8", -128), ("int8", 127), ("uint8", 255)):
            for shape, axes in (((2, 700), [1]), ((700, 33), [0])):
                op.run(
                    "walk/%s_full_%d_%s" % (d, fill, "x".join(map(str, shape))),
                    [("x", np.full(shape, fill, d), 0), ("a", np.array(axes, np.int32), 1)],
                    [np.zeros(shape).sum(tuple(axes)).shape],
                    opts("ReducerOptions", keepDims=False),
                )
        found += op.found
    return found


def cases():
    yield from pool_cases()
    yield from reduce_cases()
