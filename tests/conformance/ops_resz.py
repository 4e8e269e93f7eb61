"""Sizes around the widths of vector loops: resizing, pools, reductions, ARG_MAX and conversions.

cases() yields (name, model, inputs, oracle, tolerance): tolerance None means bit-equal."""

import itertools

import numpy as np

from mkmodel import T, TYPES, opts, rng_of, single_op
from op_cases import QUANT, REF, Op, values

CHANNELS = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33)


def resize_cases():
    op = Op("RESIZE_BILINEAR")
    shapes = [((2, 5, 6, c), (9, 13)) for c in CHANNELS]
    # Shrunk much; one blended row does not fit at once; its channels do not either.
    shapes += [
        ((1, 9, 40, 5), (4, 7)),
        ((1, 2, 300, 17), (3, 310)),
        ((1, 2, 700, 33), (3, 61)),
        ((1, 2, 3, 2100), (3, 5)),
    ]
    modes = [("plain", {}), ("align", {"alignCorners": True}), ("half", {"halfPixelCenters": True})]
    for (shape, size), (mode, fields), d in itertools.product(shapes, modes, ("float32", "int8", "uint8", "int16")):
        label = "%s_%dx%dx%d_%s" % (d, *shape[1:], mode)
        x = values(rng_of("resz" + label), shape, d)
        op.run(
            "vector/" + label,
            [("x", x, 0), ("s", np.array(size, np.int32), 1)],
            [(shape[0],) + size + (shape[3],)],
            opts("ResizeBilinearOptions", **fields),
            tol=1e-6 if d == "float32" else None,
        )
    return op.found


def arg_cases():
    found = []
    for name, kind in (("ARG_MAX", "ArgMaxOptions"), ("ARG_MIN", "ArgMinOptions")):
        op = Op(name)
        for d, n in itertools.product(("float32", "int32", "int8", "uint8"), CHANNELS + (255, 256, 257, 600)):
            for axis, shape in ((1, (3, n)), (0, (5, n)), (1, (2, 300, n) if n < 10 else (2, 4, n))):
                x = values(rng_of("argz%s%s%d" % (d, name, n)), shape, d, 0, 50)
                if d == "float32":
                    x = np.round(x)
                op.run(
                    "vector/%s_%s_axis%d" % (d, "x".join(map(str, shape)), axis),
                    [("x", x, 0), ("a", np.array(axis, np.int32), 1)],
                    [np.delete(shape, axis)],
                    opts(kind, outputType=TYPES["int32"]),
                    dtype="int32",
                )
        found += op.found
    return found


def pool_cases():
    for d, c in itertools.product(("float32", "int8", "uint8", "int16"), CHANNELS):
        for name, act in itertools.product(("AVERAGE_POOL_2D", "MAX_POOL_2D"), (0, 3)):
            if d == "int16" and name == "MAX_POOL_2D" and act == 3:
                continue
            scale, zero = QUANT.get(d, (None, None))
            x = values(rng_of("poolz%s%d" % (d, c)), (2, 6, 7, c), d)
            fields = dict(padding=0, strideW=2, strideH=2, filterWidth=3, filterHeight=3, fusedActivationFunction=act)
            model = single_op(
                name,
                [T("x", x.shape, d, scale, zero)],
                [T("y", (2, 3, 4, c), d, scale, zero)],
                opts("Pool2DOptions", **fields),
            )
            yield "%s/vector/%s_%d_act%d" % (name.lower(), d, c, act), model, [x], REF, 1e-6 if d == "float32" else None


def reduce_cases():
    found = []
    for name, d in itertools.product(
        ("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN"), ("float32", "int32", "int64", "int8", "uint8", "int16")
    ):
        if d == "int16" and name == "SUM":
            continue
        op = Op(name)
        for c, (shape, axes) in itertools.product(
            CHANNELS, (((5, "c"), [1]), ((5, "c"), [0]), ((2, 3, 4, "c"), [1, 2]))
        ):
            shape = tuple(c if s == "c" else s for s in shape)
            x = values(rng_of("redz%s%s%d" % (name, d, c)), shape, d)
            op.run(
                "vector/%s_%s_%s" % (d, "x".join(map(str, shape)), "".join(map(str, axes))),
                [("x", x, 0), ("a", np.array(axes, np.int32), 1)],
                [np.zeros(shape).sum(tuple(axes)).shape],
                opts("ReducerOptions", keepDims=False),
                tol=1e-5 if d == "float32" and name in ("MEAN", "SUM") else None,
            )
        found += op.found
    return found


def convert_cases():
    cast = Op("CAST")
    kinds = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "float32")
    for a, b in itertools.product(kinds, kinds):
        x = values(rng_of("castz" + a + b), (37,), a)
        if a == "float32" and np.dtype(b).kind == "u":
            x = np.abs(x)
        cast.run("vector/%s_%s" % (a, b), [("x", x, 0)], [(37,)], dtype=b, quantized=False)
    yield from cast.found
    for d, n in itertools.product(("int8", "uint8", "int16"), (1, 15, 16, 17, 33, 100)):
        x = (np.arange(n, dtype=np.float32) - n / 2) * np.float32(QUANT[d][0]) / 2  # every second one is a tie
        scale, zero = QUANT[d]
        model = single_op("QUANTIZE", [T("x", (n,))], [T("y", (n,), d, scale, zero)])
        yield "quantize/vector/%s_%d" % (d, n), model, [x], REF, None
        back = values(rng_of("deqz%s%d" % (d, n)), (n,), d)
        model = single_op("DEQUANTIZE", [T("x", (n,), d, scale, zero)], [T("y", (n,))])
        yield "dequantize/vector/%s_%d" % (d, n), model, [back], REF, None
    for a, b in itertools.product(("int8", "uint8"), ("int8", "uint8")):
        x = np.arange(256).astype("uint8").view(a)
        model = single_op("QUANTIZE", [T("x", (256,), a, 0.03, 5)], [T("y", (256,), b, 0.05, 17)])
        yield "quantize/table/%s_%s" % (a, b), model, [x], REF, None


def cases():
    for make in (resize_cases, arg_cases, pool_cases, reduce_cases, convert_cases):
        yield from make()
