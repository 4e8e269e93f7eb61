"""Conformance cases of QUANTIZE, DEQUANTIZE, CAST and the complex ops. cases() yields
(name, model, inputs, oracle, tolerance or None for exact)."""

import itertools

import numpy as np

from casebuild import FLOAT_TOL, INT_RANGE, REF, SHAPES, all_values, floats, ints, text, unary, values
from mkmodel import T, single_op, rng_of


def quantize():
    scales = ((0.05, -3), (0.0039, 12), (1.0, 0), (17.5, -128))
    for dtype, shape in itertools.product(("int8", "uint8", "int16", "int4", "uint4"), SHAPES):
        name = f"quantize/float32_{dtype}/{text(shape)}"
        lo, hi = INT_RANGE[dtype]
        yield unary(
            name,
            "QUANTIZE",
            "float32",
            floats(rng_of(name), shape),
            out_dtype=dtype,
            qo=(0.02 if hi > 15 else 0.6, 0 if dtype == "int16" else (lo + hi) // 2),
        )
    for dtype, (i, (s, z)) in itertools.product(("int8", "uint8", "int16"), enumerate(scales)):
        name = f"quantize/float32_{dtype}/ties_q{i}"
        lo, hi = INT_RANGE[dtype]
        ties = np.concatenate([(np.arange(-300, 300) + 0.5), np.arange(-300, 300) / 7, [1e4, -1e4, 7e4, -7e4]])
        yield unary(
            name,
            "QUANTIZE",
            "float32",
            (ties * s).astype(np.float32),
            out_dtype=dtype,
            qo=(s, 0 if dtype == "int16" else np.clip(z + (128 if dtype == "uint8" else 0), lo, hi)),
        )
    for dtype, axis in itertools.product(("int8", "uint8", "int16"), range(4)):
        name = f"quantize/float32_{dtype}/per_channel{axis}"
        r, shape = rng_of(name), (2, 3, 4, 5)
        n = shape[axis]
        o = T("out", shape, dtype, r.uniform(0.01, 0.1, n), np.zeros(n, int) + (100 if dtype == "uint8" else 0), axis)
        yield name, single_op("QUANTIZE", [T("x", shape)], [o]), [floats(r, shape)], REF, None
    pairs = [
        ("int8", "int8"),
        ("int8", "uint8"),
        ("int8", "int16"),
        ("uint8", "int8"),
        ("uint8", "uint8"),
        ("uint8", "int16"),
        ("int16", "int8"),
        ("int16", "int16"),
        ("int16", "int32"),
        ("int32", "int8"),
        ("int32", "int16"),
    ]
    steps = ((0.05, 0.05), (0.05, 0.021), (0.013, 0.4), (1e-3, 0.9), (0.5, 1e-3))
    for (din, dout), (i, (si, so)) in itertools.product(pairs, enumerate(steps)):
        name = f"quantize/{din}_{dout}/all_q{i}"
        zi = {"int8": -5, "uint8": 120, "int16": 0, "int32": 0}[din]
        zo = {"int8": 9, "uint8": 131, "int16": 0, "int32": 0}[dout]
        a = np.asarray(ints(rng_of(name), (4000,), din, -(10**6), 10**6)) if din == "int32" else all_values(din)
        yield unary(name, "QUANTIZE", din, a, out_dtype=dout, qi=(si, zi), qo=(so, zo))
    for din, dout, zi, zo in (("int8", "uint8", -5, 123), ("uint8", "int8", 123, -5)):
        yield unary(
            f"quantize/{din}_{dout}/flip", "QUANTIZE", din, all_values(din), out_dtype=dout, qi=(0.1, zi), qo=(0.1, zo)
        )
    name = "quantize/int16_int8/zero_points"
    yield unary(name, "QUANTIZE", "int16", all_values("int16"), out_dtype="int8", qi=(0.1, 300), qo=(0.7, -3))


def dequantize():
    for dtype, shape in itertools.product(("int8", "uint8", "int16", "float16"), SHAPES):
        name = f"dequantize/{dtype}/{text(shape)}"
        q = (None, None) if dtype == "float16" else (0.037, {"int8": -7, "uint8": 130, "int16": 0}[dtype])
        yield unary(name, "DEQUANTIZE", dtype, values(rng_of(name), shape, dtype), out_dtype="float32", qi=q)
    for dtype in ("int8", "uint8", "int16"):
        yield unary(
            f"dequantize/{dtype}/all",
            "DEQUANTIZE",
            dtype,
            all_values(dtype),
            out_dtype="float32",
            qi=(0.0123, 0 if dtype == "int16" else 5),
        )
    halves = np.arange(65536).astype(np.uint16).view(np.float16)
    yield unary("dequantize/float16/all", "DEQUANTIZE", "float16", halves, out_dtype="float32")
    for dtype, shape in itertools.product(("int4", "uint4", "int2"), ((1,), (7,), (3, 5), (2, 3, 4))):
        name = f"dequantize/{dtype}_const/{text(shape)}"
        x = T("x", shape, dtype, 0.37, 1 if dtype != "int2" else 0, data=ints(rng_of(name), shape, dtype))
        yield name, single_op("DEQUANTIZE", [x], [T("out", shape)]), [], REF, None
    for dtype, axis in itertools.product(("int8", "uint8", "int4", "int2"), range(3)):
        name = f"dequantize/{dtype}_const/per_channel{axis}"
        r, shape = rng_of(name), (3, 4, 5)
        n = shape[axis]
        zp = r.integers(-2, 2, n) + (100 if dtype == "uint8" else 0)
        x = T(
            "x",
            shape,
            dtype,
            r.uniform(0.01, 0.1, n),
            zp if dtype != "int2" else zp * 0,
            axis,
            data=ints(r, shape, dtype),
        )
        yield name, single_op("DEQUANTIZE", [x], [T("out", shape)]), [], REF, None


CAST_TYPES = (
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
)


def cast():
    for din, dout in itertools.product(CAST_TYPES, CAST_TYPES):
        name = f"cast/{din}_{dout}"
        r = rng_of(name)
        if din == "float64":
            a = r.normal(0, 300, 301)
        else:
            a = values(r, (301,), din)
        if din in ("float16", "float32", "complex64"):
            a = (a * (50 if dout in ("int8", "uint8", "bool") else 300)).astype(din)
        yield unary(name, "CAST", din, a, out_dtype=dout)
        if din.startswith("float"):
            with np.errstate(all="ignore"):
                edges = np.array(
                    [
                        0.0,
                        -0.0,
                        0.5,
                        -0.5,
                        1.5,
                        -1.5,
                        127.9,
                        128.0,
                        -128.9,
                        -129.0,
                        255.9,
                        256.0,
                        32767.9,
                        32768.0,
                        -32768.9,
                        -32769.0,
                        65504.0,
                        2147483520.0,
                        2147483648.0,
                        -2147483648.0,
                        4294967040.0,
                        4294967296.0,
                        9.2233715e18,
                        9.223372e18,
                        -9.223372e18,
                        1e30,
                        -1e30,
                        np.inf,
                        -np.inf,
                        np.nan,
                        1e-8,
                    ],
                    din,
                )
            if dout != "float16" or din != "float64":
                yield unary(name + "_edges", "CAST", din, edges, out_dtype=dout)
        elif din not in ("bool", "complex64"):
            lo, hi = INT_RANGE[din]
            edges = [lo, hi, lo + 1, hi - 1] + [
                v
                for v in (
                    0,
                    1,
                    -1,
                    127,
                    128,
                    255,
                    256,
                    32768,
                    65535,
                    65536,
                    16777217,
                    2**31 - 1,
                    2**31,
                    2**32 - 1,
                    2**53 + 1,
                    2**24 + 1,
                )
                if lo <= v <= hi
            ]
            yield unary(name + "_edges", "CAST", din, np.array(edges, din), out_dtype=dout)
    for shape in SHAPES:
        name = f"cast/int32_float32/{text(shape)}"
        yield unary(name, "CAST", "int32", values(rng_of(name), shape, "int32"), out_dtype="float32")
    for dtype, shape in itertools.product(("int4", "uint4", "int2"), ((1,), (7,), (3, 5), (2, 3, 4))):
        name = f"cast/float32_{dtype}/{text(shape)}"
        yield unary(name, "CAST", "float32", floats(rng_of(name), shape, scale=9), out_dtype=dtype)
        name = f"cast/{dtype}_const_float32/{text(shape)}"
        x = T("x", shape, dtype, data=ints(rng_of(name), shape, dtype))
        yield name, single_op("CAST", [x], [T("out", shape)]), [], REF, None
    for dtype in ("float32", "int32", "uint8"):
        name = f"cast/bfloat16_const_{dtype}"
        x = T("x", (64,), "bfloat16", data=floats(rng_of(name), (64,), scale=50))
        yield name, single_op("CAST", [x], [T("out", (64,), dtype)]), [], REF, None


def complex_ops():
    for op, shape in itertools.product(("REAL", "IMAG", "COMPLEX_ABS"), SHAPES):
        name = f"{op.lower()}/complex64/{text(shape)}"
        yield unary(
            name,
            op,
            "complex64",
            values(rng_of(name), shape, "complex64"),
            out_dtype="float32",
            tol=FLOAT_TOL if op == "COMPLEX_ABS" else None,
        )


def cases():
    yield from quantize()
    yield from dequantize()
    yield from cast()
    yield from complex_ops()
