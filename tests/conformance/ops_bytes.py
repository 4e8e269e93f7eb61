"""Quantized bytes in sizes around those of the kernels' vectors: sums and products of scales that one linear form can and cannot
stand for, with halves and clamps, against every byte; tables; and what is broadcast by channel, by pixel and from both sides."""

import numpy as np

from mkmodel import T, opts, rng_of, single_op

REF = "litert_ref"
SIZES = (1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 65)
# scales of a, b and the output
SCALES = {
    "plain": (0.0478, 0.0613, 0.0731),
    "equal": (0.05, 0.05, 0.05),
    "halves": (0.05, 0.05, 0.1),
    "quarters": (0.02, 0.06, 0.08),
    "ties_of_roundings": (0.05, 0.01, 0.08),
    "large": (0.4, 0.3, 0.0625),
    "beyond": (0.9, 0.3, 0.05),
    "far_apart": (0.0007, 0.09, 0.07),
}
PRODUCTS = {
    "plain": (0.0478, 0.0613, 0.0731),
    "gate": (0.05, 1 / 256, 0.05),
    "halves": (0.5, 0.5, 0.5),
    "small": (0.001, 0.002, 0.07),
    "large": (2.0, 1.5, 0.9),
    "one": (1.0, 1.0, 1.0),
}
SHAPES = {
    "same": ((5, 257), (5, 257)),
    "channels": ((37, 43), (43,)),
    "pixels": ((3, 17, 33), (3, 17, 1)),
    "pixels_first": ((41, 1), (41, 65)),
    "both": ((19, 1, 9), (1, 11, 1)),
    "middle": ((4, 7, 45), (4, 1, 45)),
    "scalar": ((1171,), ()),
    "scalar_first": ((1,), (3, 400)),
}
ZERO = {"int8": (3, -20, 7), "uint8": (120, 140, 9)}


def values(rng, shape, dtype):
    if dtype == "float32":
        return rng.normal(0, 2, shape).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, endpoint=True).astype(dtype)


def pair(name, op, dtype, a, b, scales=(None,) * 3, options=None, y_dtype=None, tol=None):
    zero = ZERO.get(dtype, (0, 0, 0)) if scales[0] else (None,) * 3
    tensors = [
        T("a", a.shape, dtype, scales[0], zero[0]),
        T("b", b.shape, dtype, scales[1], zero[1]),
        T("y", np.broadcast_shapes(a.shape, b.shape), y_dtype or dtype, scales[2], zero[2]),
    ]
    kind = "MaximumMinimum" if op in ("MAXIMUM", "MINIMUM") else op.title().replace("_", "")
    model = single_op(op, tensors[:2], tensors[2:], opts(kind, **(options or {})))
    return name, model, [a, b], REF, tol


def all_pairs(dtype):
    every = np.arange(256).astype("uint8").view(dtype)
    return np.repeat(every, 256), np.tile(every, 256)


def sums_and_products():
    for dtype, short in (("int8", "i8"), ("uint8", "u8")):
        for op, table in (("ADD", SCALES), ("SUB", SCALES), ("MUL", PRODUCTS)):
            for label, scales in table.items():
                name = "%s/%s/every_pair_%s" % (op.lower(), short, label)
                yield pair(name, op, dtype, *all_pairs(dtype), scales)
            for act in (1, 3):
                name = "%s/%s/every_pair_activation%d" % (op.lower(), short, act)
                yield pair(name, op, dtype, *all_pairs(dtype), table["plain"], {"fusedActivationFunction": act})
            for label, (a, b) in SHAPES.items():
                name = "%s/%s/bytes_%s" % (op.lower(), short, label)
                r = rng_of(name)
                yield pair(name, op, dtype, values(r, a, dtype), values(r, b, dtype), table["plain"])
    for n in SIZES:
        for op in ("ADD", "MUL"):
            name = "%s/i8/bytes_%d" % (op.lower(), n)
            r = rng_of(name)
            rows = 1100 // n + 1
            yield pair(name, op, "int8", values(r, (rows, n), "int8"), values(r, (n,), "int8"), SCALES["plain"])
            yield pair(
                name + "_end",
                op,
                "int8",
                values(r, (1024 + n,), "int8"),
                values(r, (1024 + n,), "int8"),
                SCALES["plain"],
            )


def tables():
    every = np.arange(256).astype("uint8")
    for n in SIZES:
        a = np.resize(every, 256 + n)
        for op, dtype, short in (("LOGISTIC", "int8", "i8"), ("HARD_SWISH", "int8", "i8"), ("QUANTIZE", "uint8", "u8")):
            x = a.view(dtype)
            out = (1 / 256, -128) if op == "LOGISTIC" else (0.06, 4)
            tensors = [T("x", x.shape, dtype, 0.05, 3), T("y", x.shape, dtype, *out)]
            yield "%s/%s/bytes_%d" % (op.lower(), short, n), single_op(op, tensors[:1], tensors[1:]), [x], REF, None


def others():
    for label, (a, b) in SHAPES.items():
        for op in ("MAXIMUM", "MINIMUM"):
            for dtype, short in (("int8", "i8"), ("uint8", "u8"), ("float32", "f32")):
                name = "%s/%s/rows_%s" % (op.lower(), short, label)
                r = rng_of(name)
                yield pair(name, op, dtype, values(r, a, dtype), values(r, b, dtype))
        for op in ("LESS", "GREATER_EQUAL", "EQUAL"):
            for dtype, short in (("int8", "i8"), ("float32", "f32")):
                name = "%s/%s/rows_%s" % (op.lower(), short, label)
                r = rng_of(name)
                scales = (0.05, 0.05, None) if dtype == "int8" else (None,) * 3
                yield pair(name, op, dtype, values(r, a, dtype), values(r, b, dtype), scales, None, "bool")
        for op in ("ADD", "DIV", "SQUARED_DIFFERENCE"):
            name = "%s/f32/rows_%s" % (op.lower(), label)
            r = rng_of(name)
            yield pair(name, op, "float32", values(r, a, "float32"), values(r, b, "float32"), tol=1e-5)
        name = "squared_difference/i8/rows_%s" % label
        r = rng_of(name)
        yield pair(name, "SQUARED_DIFFERENCE", "int8", values(r, a, "int8"), values(r, b, "int8"), SCALES["plain"])


def cases():
    for some in (sums_and_products, tables, others):
        yield from some()
