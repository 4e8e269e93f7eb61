"""Sides around those of blocks that are transposed in registers, and products of few rows or few columns: what is read as it
lies, what fills no panel, and what is summed as dot products.

cases() yields (name, model, inputs, oracle, tolerance), as in ops_move.py."""

import itertools

import numpy as np

from mkmodel import opts, rng_of
from op_cases import Op, values
import ops_conv

TYPES = ("int8", "int16", "float32", "int64")
SIDES = (3, 4, 5, 7, 8, 12, 15, 16, 21)


def transpose_cases():
    op = Op("TRANSPOSE")
    shapes = [((a, b), (1, 0)) for a in SIDES for b in (17, 64, 67)]
    shapes += [((b, a), (1, 0)) for a in SIDES for b in (16, 33, 130)]
    shapes += [((1, 5, 7, 21), (0, 3, 1, 2)), ((2, 21, 5, 7), (0, 2, 3, 1)), ((6, 4, 8, 19), (1, 0, 3, 2))]
    shapes += [((3, 20, 4, 5), (2, 0, 3, 1)), ((2, 18, 3, 4), (0, 2, 3, 1)), ((700, 130), (1, 0))]
    for d in TYPES:
        for k, (shape, perm) in enumerate(shapes):
            op.run(
                "turn/%s_%d" % (d, k),
                [("x", values(rng_of("sides%s%d" % (d, k)), shape, d), 0), ("p", np.array(perm, np.int32), 1)],
                [tuple(shape[i] for i in perm)],
                opts("TransposeOptions"),
                quantized=False,
            )
    return op.found


# rows, depth, columns
PRODUCTS = [(m, k, n) for m in (2, 4, 5, 11, 12, 13) for k, n in ((1, 16), (7, 33), (33, 40), (100, 15), (9, 64))]
PRODUCTS += [(31, 17, 8), (31, 17, 16), (33, 9, 32), (15, 40, 20), (40, 3, 67)]


def product_cases():
    for i, (m, k, n) in enumerate(PRODUCTS):
        batches = ((), (3,), (2, 2))[i % 3]
        for adj in (0, 1 + i % 3):
            name = "batch_matmul/f32/turn_%dx%dx%d_%d" % (m, k, n, adj)
            a, b = batches + (m, k), batches + (k, n)
            built = ops_conv.batch_matmul(name, "f32", a, b, bool(adj & 1), bool(adj & 2), i % 4 == 3)
            yield name, *built, ops_conv.REF, ops_conv.F32_TOL
    for variant in ("i8", "i16"):
        for m, k, n in ((9, 17, 31), (16, 33, 8), (5, 4, 67)):
            name = "batch_matmul/%s/turn_%dx%dx%d" % (variant, m, k, n)
            yield (
                name,
                *ops_conv.batch_matmul(name, variant, (2, m, k), (2, k, n), False, False, False),
                ops_conv.REF,
                None,
            )


# input, filter, stride
FEW = [((2, 5, 6, 32), (n, 1, 1, 32), 1) for n in range(1, 14)]
FEW += [((1, 7, 7, 33), (n, 3, 3, 33), 1 + n % 2) for n in (1, 2, 3, 5, 6, 9, 12)]
FEW += [((1, 9, 4, 11), (6, 3, 3, 11), 1), ((1, 6, 6, 40), (21, 3, 3, 40), 1), ((1, 4, 4, 7), (100, 1, 1, 7), 1)]


def few_cases():
    acts = itertools.cycle((ops_conv.NONE, ops_conv.RELU, ops_conv.RELU6))
    for variant in ("f32", "hyb", "hybpc"):
        for i, (shape, f, stride) in enumerate(FEW):
            name = "conv_2d/%s/few_%d" % (variant, i)
            padding = (ops_conv.SAME, ops_conv.VALID)[i % 2]
            built = ops_conv.conv_2d(name, variant, shape, f, padding, (stride, stride), (1, 1), next(acts))
            yield name, *built, ops_conv.REF, ops_conv.tolerance(variant)
    for rows, depth, units in ((8, 32, 1), (13, 33, 6), (31, 100, 12), (64, 40, 3), (17, 15, 5)):
        name = "fully_connected/f32/few_%dx%dx%d" % (rows, depth, units)
        built = ops_conv.fully_connected(name, "f32", (rows, depth), units, depth, next(acts), False)
        yield name, *built, ops_conv.REF, ops_conv.F32_TOL


def cases():
    for found in (transpose_cases, product_cases, few_cases):
        yield from found()
