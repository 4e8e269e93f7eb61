"""Transposed convolutions around the sizes at which kernels, blocks and phases change: every stride with filters smaller
and larger than it, one to several dozen channels, images of one pixel and of more than a block of rows, several batches.
Likewise matrix products: few and many rows, depths around those of vectors and of exact sums, one and several products."""

import itertools

import numpy as np

import ops_conv

SAME, VALID = ops_conv.SAME, ops_conv.VALID
ACTS = (ops_conv.NONE, ops_conv.RELU, ops_conv.RELU6, ops_conv.RELU_N1_TO_1)


def size(inp, k, stride, padding, less):
    """An output that a convolution of these leads back to the input, the largest one or a few cells less."""
    if padding == SAME:
        return max(inp * stride - min(less, stride - 1), 1)
    return (inp - 1) * stride + k + min(less, stride - 1)


# input h and w, in_c, out_c, filter, strides
GEOMETRIES = (
    ((1, 1), 1, 1, (3, 3), (2, 2)),
    ((1, 33), 7, 8, (4, 4), (2, 2)),
    ((8, 7), 8, 9, (4, 4), (2, 2)),
    ((9, 31), 15, 16, (3, 3), (2, 2)),
    ((5, 26), 16, 17, (2, 2), (2, 2)),
    ((4, 5), 31, 33, (5, 5), (3, 2)),
    ((3, 40), 33, 1, (2, 2), (2, 2)),
    ((6, 6), 3, 2, (1, 1), (2, 3)),
    ((5, 4), 9, 5, (2, 3), (4, 5)),
    ((4, 3), 5, 3, (16, 16), (8, 8)),
    ((3, 25), 4, 32, (7, 1), (1, 4)),
    ((70, 2), 2, 15, (3, 5), (3, 1)),
    ((3, 3), 200, 7, (3, 3), (1, 1)),
    ((2, 30), 6, 21, (6, 6), (5, 4)),
)


def transpose_conv_cases():
    number = itertools.count()
    for variant in ops_conv.TRANSPOSE_VARIANTS:
        for image, in_c, out_c, k, stride in GEOMETRIES:
            i = next(number)
            padding = (SAME, VALID)[i % 2]
            to = tuple(size(image[a], k[a], stride[a], padding, i // 2 % 4) for a in (0, 1))
            name = "transpose_conv/%s/fast_%dx%dx%d_%d_%dx%d_%dx%d" % (variant, *image, in_c, out_c, *k, *stride)
            spec = ((1 + i % 3 % 2, *image, in_c), (out_c, *k, in_c), padding, stride, to, ACTS[i % 4])
            const = i % 5 != 0 or variant not in ("f32", "i8pc", "i16pc", "hyb")
            bias = i % 3 != 0 or variant.endswith("b32") or variant == "hyb"
            model, feed = ops_conv.transpose_conv(name, variant, *spec, bias=bias, const_shape=const)
            yield name, model, feed, ops_conv.REF, ops_conv.tolerance(variant)


# left and right shape before transposition
PRODUCTS = (
    ((1, 7), (7, 8)),
    ((2, 8), (8, 9)),
    ((3, 9), (9, 15)),
    ((4, 15), (15, 16)),
    ((7, 16), (16, 17)),
    ((8, 17), (17, 31)),
    ((9, 31), (31, 33)),
    ((17, 33), (33, 1)),
    ((1, 600), (600, 34)),
    ((33, 530), (530, 7)),
    ((3, 2, 40), (3, 40, 25)),
    ((2, 1, 1, 64), (1, 3, 64, 50)),
    ((5, 1, 20), (20, 12)),
    ((9, 70), (2, 70, 3)),
    ((2, 300, 80), (2, 80, 720)),
)


def extremes(feed):
    """int16: every product as large as can be, so that sums need more than 32 bits."""
    return [np.full_like(v, np.iinfo(v.dtype).min) for v in feed]


def batch_matmul_cases():
    number = itertools.count()
    for variant, (dtype, *_) in ops_conv.MATMUL_VARIANTS.items():
        for a, b in PRODUCTS:
            i = next(number)
            name = "batch_matmul/%s/rows_%s_%s" % (variant, "x".join(map(str, a)), "x".join(map(str, b)))
            oracle, adj = ops_conv.REF, i // 2 % 4 if np.prod(a) * b[-1] < 10**7 else 2 * (i % 2)
            if variant.startswith("hyb") and sum(d > 1 for d in a[:-2]) > 1:
                oracle = "ops_rows_matrix.MatrixByMatrix"
            const = variant in ("i16i8c", "hyb", "hybasym")
            model, feed = ops_conv.batch_matmul(name, variant, a, b, bool(adj & 1), bool(adj & 2), const)
            if variant == "i16" and i % 2:
                feed = [feed, extremes(feed)]
            yield name, model, feed, oracle, ops_conv.F32_TOL if dtype == "float32" else None


def cases():
    yield from transpose_conv_cases()
    yield from batch_matmul_cases()
