"""Layers of one operator in the sizes that networks have: what tests/bench/operators.py times. layers() yields
(name, model bytes, inputs)."""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "conformance"))
from mkmodel import T, opts, rng_of, single_op  # noqa: E402
from ops_conv import NONE, RELU, SAME, VALID, batch_matmul, conv_2d, depthwise, fully_connected, pool  # noqa: E402
from ops_conv import transpose_conv  # noqa: E402

QUANT = {"int8": (0.05, 3), "uint8": (0.05, 120), "int16": (0.0002, 0)}
FLOAT_AND_INT8 = ("float32", "int8")

# input NHWC, filter, stride
CONV = [
    ("first", (1, 224, 224, 3), (32, 3, 3, 3), 2),
    ("first_7x7", (1, 224, 224, 3), (64, 7, 7, 3), 2),
    ("first_grey", (1, 96, 96, 1), (8, 3, 3, 1), 2),
    ("1x1", (1, 28, 28, 128), (128, 1, 1, 128), 1),
    ("1x1_wide", (1, 56, 56, 16), (96, 1, 1, 16), 1),
    ("1x1_narrow", (1, 56, 56, 96), (24, 1, 1, 96), 1),
    ("1x1_small", (1, 7, 7, 320), (1280, 1, 1, 320), 1),
    ("1x1_24", (1, 28, 28, 24), (72, 1, 1, 24), 1),
    ("3x3", (1, 28, 28, 64), (64, 3, 3, 64), 1),
    ("3x3_16", (1, 32, 32, 16), (16, 3, 3, 16), 1),
    ("3x3_stride", (1, 56, 56, 64), (128, 3, 3, 64), 2),
    ("grouped", (1, 28, 28, 64), (64, 3, 3, 16), 1),
    ("line", (1, 1, 200, 40), (64, 1, 9, 40), 1),
    ("few_outputs", (1, 28, 28, 128), (6, 3, 3, 128), 1),
]
DEPTHWISE = [
    ("3x3", (1, 56, 56, 96), 3, 1, 1),
    ("3x3_stride", (1, 56, 56, 96), 3, 2, 1),
    ("3x3_14", (1, 14, 14, 512), 3, 1, 1),
    ("3x3_7", (1, 7, 7, 960), 3, 1, 1),
    ("5x5", (1, 28, 28, 120), 5, 1, 1),
    ("7x7", (1, 14, 14, 64), 7, 1, 1),
    ("few", (1, 96, 96, 8), 3, 1, 1),
    ("multiplier", (1, 49, 10, 8), 3, 1, 8),
]
FULLY = [
    ("1000", (1, 1024), (1000, 1024)),
    ("small", (1, 128), (128, 128)),
    ("tiny", (1, 16), (12, 16)),
    ("batch", (64, 256), (256, 256)),
    ("few_rows", (4, 512), (512, 512)),
]
MATMUL = [
    ("scores", (4, 128, 64), (4, 64, 128)),
    ("short_depth", (8, 200, 20), (8, 20, 200)),
    ("few_columns", (8, 200, 200), (8, 200, 20)),
    ("few_rows", (4, 4, 100), (4, 100, 800)),
    ("vector", (8, 1, 64), (8, 64, 512)),
]
TRANSPOSED = [("2x2", (1, 28, 28, 64), (32, 2, 2, 64), 2), ("4x4", (1, 28, 28, 64), (32, 4, 4, 64), 2)]
IMAGE, VECTOR, SCORES = (1, 56, 56, 96), (1, 1000), (1, 4, 200, 200)
UNARY = {
    "RELU": None,
    "RELU6": None,
    "LEAKY_RELU": opts("LeakyRelu", alpha=0.1),
    "ELU": None,
    "GELU": opts("Gelu", approximate=False),
    "HARD_SWISH": None,
    "LOGISTIC": None,
    "TANH": None,
    "ABS": None,
    "NEG": None,
    "SQRT": None,
    "RSQRT": None,
    "SQUARE": None,
    "EXP": None,
    "LOG": None,
    "SIN": None,
    "FLOOR": None,
    "ROUND": None,
}
FLOATS_ALONE = {"NEG", "RSQRT", "SQUARE", "SIN", "FLOOR", "ROUND", "SQRT", "EXP", "LOG"}
BINARY = {
    "ADD": opts("Add"),
    "SUB": opts("Sub"),
    "MUL": opts("Mul"),
    "DIV": opts("Div"),
    "MAXIMUM": opts("MaximumMinimum"),
    "MINIMUM": opts("MaximumMinimum"),
    "SQUARED_DIFFERENCE": opts("SquaredDifference"),
    "POW": opts("Pow"),
    "PRELU": None,
    "LESS": opts("Less"),
}
BROADCAST = [
    ("same", IMAGE, IMAGE),
    ("channels", IMAGE, (96,)),
    ("scalar", IMAGE, ()),
    ("pixels", IMAGE, (1, 56, 56, 1)),
]
REDUCE = [("image", IMAGE, (1, 2)), ("channels", IMAGE, (3,)), ("rows", IMAGE, (1,))]
TRANSPOSE = [
    ("nchw", IMAGE, (0, 3, 1, 2)),
    ("nhwc", (1, 96, 56, 56), (0, 2, 3, 1)),
    ("heads", (1, 200, 8, 32), (0, 2, 1, 3)),
    ("last_of_heads", (1, 200, 8, 32), (0, 2, 3, 1)),
    ("matrix", (400, 500), (1, 0)),
    ("few_last", (4, 100, 100, 8), (1, 0, 3, 2)),
    ("few_first", (100, 4, 8, 100), (1, 0, 3, 2)),
    ("three", (3, 200, 200), (1, 2, 0)),
]


def tensor(name, shape, dtype, data=None):
    scale, zero_point = QUANT.get(dtype, (None, None))
    return T(name, shape, dtype, scale, zero_point, data=data)


def ints(name, values):
    return T(name, np.shape(values), "int32", data=np.array(values, np.int32))


def values(rng, shape, dtype):
    if dtype == "float32":
        return rng.uniform(0.1, 2, shape).astype(np.float32)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    lo, hi = {"int8": (-100, 100), "uint8": (10, 250), "int16": (-30000, 30000)}.get(dtype, (1, 100))
    return rng.integers(lo, hi, shape).astype(dtype)


def one(op, label, dtype, inputs, y_shape, options=None, y_dtype=None, y_quant=None):
    """inputs: shapes of what is given, and constants."""
    name = "%s/%s/%s" % (op.lower(), label, dtype)
    rng, given = rng_of(name), [a for a in inputs if not isinstance(a, T)]
    tensors = [a if isinstance(a, T) else tensor("x%d" % i, a, dtype) for i, a in enumerate(inputs)]
    y = tensor("y", y_shape, y_dtype or dtype)
    if y_quant and y.scale is not None:
        y.scale, y.zero_point = y_quant[y.dtype]
    return name, single_op(op, tensors, [y], options), [values(rng, shape, dtype) for shape in given]


def convolutions():
    for variant in ("f32", "i8pc", "u8", "i16pc", "hybpc"):
        for label, shape, f, stride in CONV:
            name = "conv_2d/%s/%s" % (label, variant)
            yield name, *conv_2d(name, variant, shape, f, SAME, (stride, stride), (1, 1), RELU)
        for label, shape, k, stride, multiplier in DEPTHWISE:
            name = "depthwise_conv_2d/%s/%s" % (label, variant)
            yield name, *depthwise(name, variant, shape, (k, k), multiplier, SAME, (stride, stride), (1, 1), RELU)
        for label, a, b in FULLY:
            name = "fully_connected/%s/%s" % (label, variant)
            yield name, *fully_connected(name, variant.replace("pc", ""), a, *b, NONE, False)
    for variant in ("f32", "i8pc", "i16pc"):
        for label, shape, f, stride in TRANSPOSED:
            name = "transpose_conv/%s/%s" % (label, variant)
            size = tuple(stride * n for n in shape[1:3])
            yield name, *transpose_conv(name, variant, shape, f, SAME, (stride, stride), size, NONE)
    for variant in ("f32", "i8"):
        for label, a, b in MATMUL:
            name = "batch_matmul/%s/%s" % (label, variant)
            yield name, *batch_matmul(name, variant, a, b, False, False, False)


def elementwise():
    other = {"int8": (0.08, -5), "uint8": (0.08, 110), "int16": (0.0004, 0)}
    sigmoid = {"int8": (1 / 256, -128), "uint8": (1 / 256, 0), "int16": (1 / 32768, 0)}
    tanh = {"int8": (1 / 128, 0), "uint8": (1 / 128, 128), "int16": (1 / 32768, 0)}
    for op, options in UNARY.items():
        for dtype in ("float32",) if op in FLOATS_ALONE else FLOAT_AND_INT8:
            quant = {"LOGISTIC": sigmoid, "TANH": tanh}.get(op, other)
            yield one(op, "image", dtype, [IMAGE], IMAGE, options, y_quant=quant)
    for op, options in BINARY.items():
        for dtype in FLOAT_AND_INT8 if op not in ("POW", "DIV") else ("float32",):
            for label, a, b in BROADCAST:
                y_dtype = "bool" if op == "LESS" else None
                if op == "PRELU" and label != "channels":
                    continue
                second = T("w", (1, 1, 96), dtype, *QUANT.get(dtype, ()), data=values(rng_of(op), (1, 1, 96), dtype))
                inputs = [a, second if op == "PRELU" else b]
                same = op in ("MAXIMUM", "MINIMUM")
                yield one(op, label, dtype, inputs, a, options, y_dtype, None if same else other)
    for dtype in ("int16", "uint8"):
        for op in ("ADD", "MUL", "SUB"):
            yield one(op, "same", dtype, [IMAGE, IMAGE], IMAGE, BINARY[op], None, other)
    soft = {"int8": (1 / 256, -128), "uint8": (1 / 256, 0), "int16": (1 / 32768, 0)}
    for dtype in FLOAT_AND_INT8:
        for label, shape in (("classes", VECTOR), ("scores", SCORES), ("short", (1, 2000, 21))):
            yield one("SOFTMAX", label, dtype, [shape], shape, opts("Softmax", beta=1), y_quant=soft)
    yield one("LOG_SOFTMAX", "classes", "float32", [VECTOR], VECTOR)
    yield one("L2_NORMALIZATION", "rows", "float32", [(200, 128)], (200, 128), opts("L2Norm"))


def reductions():
    keep = opts("Reducer", keepDims=True)
    for op in ("MEAN", "SUM", "REDUCE_MAX"):
        for label, shape, axes in REDUCE:
            to = tuple(1 if i in axes else n for i, n in enumerate(shape))
            for dtype in FLOAT_AND_INT8:
                yield one(op, label, dtype, [shape, ints("axes", axes)], to, keep)
    for dtype in FLOAT_AND_INT8:
        yield one(
            "ARG_MAX",
            "classes",
            dtype,
            [(1, 33, 33, 21), ints("axis", 3)],
            (1, 33, 33),
            opts("ArgMax", outputType=2),
            "int32",
        )
        for op in ("AVERAGE_POOL_2D", "MAX_POOL_2D"):
            for label, shape, k, stride in (
                ("3x3", IMAGE, 3, 2),
                ("2x2", IMAGE, 2, 2),
                ("whole", (1, 7, 7, 1280), 7, 7),
            ):
                name = "%s/%s/%s" % (op.lower(), label, dtype)
                yield name, *pool(name, op, dtype, shape, (k, k), VALID, (stride, stride), NONE)


def moves():
    for dtype in FLOAT_AND_INT8:
        for label, shape, order in TRANSPOSE:
            to = tuple(shape[i] for i in order)
            yield one("TRANSPOSE", label, dtype, [shape, ints("order", order)], to)
        for op in ("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"):
            for label, shape, size in (("twice", (1, 28, 28, 64), (56, 56)), ("odd", (1, 33, 33, 21), (129, 129))):
                to = (1, *size, shape[3])
                options = opts(op.title().replace("_", ""))
                yield one(op, label, dtype, [shape, ints("size", size)], to, options)
        pads = ints("pads", [[0, 0], [1, 1], [1, 1], [0, 0]])
        yield one("PAD", "image", dtype, [IMAGE, pads], (1, 58, 58, 96))
        yield one("CONCATENATION", "channels", dtype, [IMAGE, IMAGE], (1, 56, 56, 192), opts("Concatenation", axis=3))
        yield one("CONCATENATION", "rows", dtype, [IMAGE, IMAGE], (1, 112, 56, 96), opts("Concatenation", axis=1))
        begin, size = ints("begin", [0, 3, 4, 8]), ints("size", [1, 40, 41, 70])
        yield one("SLICE", "inner", dtype, [IMAGE, begin, size], (1, 40, 41, 70))
        axes = [ints("b", [0, 0, 0, 0]), ints("e", [1, 56, 56, 96]), ints("s", [1, 2, 2, 1])]
        yield one("STRIDED_SLICE", "every_second", dtype, [IMAGE, *axes], (1, 28, 28, 96), opts("StridedSlice"))
        yield one("DEPTH_TO_SPACE", "2", dtype, [(1, 28, 28, 256)], (1, 56, 56, 64), opts("DepthToSpace", blockSize=2))
        yield one("SPACE_TO_DEPTH", "2", dtype, [(1, 56, 56, 64)], (1, 28, 28, 256), opts("SpaceToDepth", blockSize=2))
        index = ints("index", np.arange(0, 900, 3))
        yield one("GATHER", "rows", dtype, [(1000, 64), index], (300, 64), opts("Gather", axis=0))
        yield one("TILE", "rows", dtype, [(1, 28, 28, 64), ints("many", [1, 2, 2, 1])], (1, 56, 56, 64))
    for to in ("int8", "uint8", "int16"):
        yield one("QUANTIZE", "to_" + to, "float32", [IMAGE], IMAGE, y_dtype=to)
        yield one("DEQUANTIZE", "from", to, [IMAGE], IMAGE, y_dtype="float32")
    yield one("QUANTIZE", "again", "int8", [IMAGE], IMAGE, y_dtype="int8", y_quant={"int8": (0.07, 1)})
    yield one("CAST", "to_float", "uint8", [IMAGE], IMAGE, opts("Cast"), "float32")


def layers():
    for some in (convolutions, elementwise, reductions, moves):
        yield from some()
