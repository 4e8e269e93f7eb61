"""Conformance cases of POW, ATAN2, SIGN, the bit operators, BITCAST, FAKE_QUANT, LOCAL_RESPONSE_NORMALIZATION and the
elementwise operators of StableHLO."""

import numpy as np

from casebuild import DEFAULT, FLOAT_TOL, INT_RANGE, binary, ints, unary, values
from mkmodel import T, opts, rng_of, single_op
from op_cases import SHORT

PAIRS = {
    "same": ((3, 5), (3, 5)),
    "broadcast": ((2, 1, 5), (1, 3, 1)),
    "one": ((4, 7), (1,)),
    "scalars": ((), ()),
    "rank6": ((2, 1, 3, 1, 2, 3), (2, 2, 1, 2, 1, 3)),
    "empty": ((3, 0, 2), (1, 1, 2)),
}
EQUAL = {"rank1": (9,), "rank3": (2, 3, 5), "scalar": (), "rank5": (2, 1, 3, 1, 4), "empty": (0, 3)}


def power():
    for label, (sa, sb) in PAIRS.items():
        r = rng_of("pow" + label)
        a, b = np.abs(values(r, sa, "float32")), r.uniform(-2, 2, sb).astype(np.float32)
        yield binary(f"pow/f32/{label}", "POW", "float32", a, b, opts("Pow"), tol=FLOAT_TOL)
        a, b = ints(r, sa, "int32", -9, 9), ints(r, sb, "int32", 0, 9)
        yield binary(f"pow/i32/{label}", "POW", "int32", np.asarray(a), np.asarray(b), opts("Pow"))
    signed = np.array([-2, -1.5, 0, -0.0, 3, 1, np.inf, np.nan], np.float32)
    exponents = np.array([[2], [-3], [0], [1], [0.5], [7]], np.float32)
    yield binary("pow/f32/signs", "POW", "float32", signed, exponents, opts("Pow"), tol=FLOAT_TOL)
    yield binary("pow/f32/const", "POW", "float32", signed, exponents, opts("Pow"), tol=FLOAT_TOL, const=1)
    base = np.array([2, -2, 3, -3, 7, 0, 1, -1, 10, 46341, -46340], np.int32)
    huge = np.array([[31], [32], [2], [40], [2000000001], [0], [1]], np.int32)
    yield binary("pow/i32/overflow", "POW", "int32", base, huge, opts("Pow"))
    for i, e in enumerate((31, 33, 12, 2000000001)):
        yield binary(
            f"pow/i32/wraps{i}", "POW", "int32", base, np.array([e], np.int32), opts("Pow"), const=1 if i else None
        )


def unary_and_atan2():
    for short in ("f32", "f64"):
        dtype = SHORT[short]
        odd = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan], dtype)
        a, b = (np.ascontiguousarray(v) for v in np.broadcast_arrays(odd[:, None], odd[None]))
        yield binary(f"atan2/{short}/signs", "ATAN2", dtype, a, b, opts("ATan2"), tol=FLOAT_TOL)
        yield unary(f"sign/{short}/signs", "SIGN", dtype, odd, opts("Sign"))
        for label, shape in EQUAL.items():
            r = rng_of(short + label)
            a, b = values(r, shape, dtype), values(r, shape, dtype)
            yield binary(f"atan2/{short}/{label}", "ATAN2", dtype, a, b, opts("ATan2"), tol=FLOAT_TOL)
            yield unary(f"sign/{short}/{label}", "SIGN", dtype, np.asarray(np.round(a)), opts("Sign"))
    for label, shape in EQUAL.items():
        a = np.asarray(ints(rng_of(label), shape, "int32", -2, 2))
        yield unary(f"sign/i32/{label}", "SIGN", "int32", a, opts("Sign"))
    edges = np.array([-(2**31), 2**31 - 1, 0, 1, -1], np.int32)
    yield unary("sign/i32/edges", "SIGN", "int32", edges, opts("Sign"))


def bits():
    for op, table in (("BITWISE_XOR", "BitwiseXor"), ("RIGHT_SHIFT", "RightShift")):
        for short in ("i8", "u8", "i16", "u16", "i32", "u32"):
            dtype = SHORT[short]
            lo, hi = INT_RANGE[dtype]
            for label, (sa, sb) in PAIRS.items():
                r = rng_of(op + short + label)
                a, b = values(r, sa, dtype), values(r, sb, dtype)
                if op == "RIGHT_SHIFT":
                    b = np.asarray(r.integers(0, 9, sb)).astype(dtype)
                yield binary(f"{op.lower()}/{short}/{label}", op, dtype, a, b, opts(table))
            v = np.array([lo, lo + 1, 0, 1, 2, 7, 8, 15, 16, 31, 32, 33, hi - 1, hi], dtype)
            yield binary(f"{op.lower()}/{short}/edges", op, dtype, v.reshape(-1, 1), v, opts(table))
            yield binary(f"{op.lower()}/{short}/const", op, dtype, v, v[3:4], opts(table), const=1)


def bitcast():
    pairs = "f16-i16 f32-i32 f32-u8 i16-i32 i32-f32 i32-i8 i64-f32 i8-u8 u8-i32 i8-f64 f64-i64".split()
    for pair in pairs:
        a, b = (SHORT[s] for s in (pair.split("-")))
        na, nb = np.dtype(a).itemsize, np.dtype(b).itemsize
        for label, shape in {
            "rank1": (4,),
            "rank3": (2, 3, 4),
            "scalar": (),
            "empty": (0, 2),
            "rank5": (1, 2, 1, 3, 2),
        }.items():
            if nb > na:
                shape = shape + (nb // na,)
            out = shape + (na // nb,) if na > nb else shape[:-1] if nb > na else shape
            v = rng_of(pair + label).integers(0, 100, shape + (na,)).astype(np.uint8).view(a).reshape(shape)
            x, y = T("x", shape, a), T("y", out, b)
            yield f"bitcast/{pair}/{label}", single_op("BITCAST", [x], [y], opts("Bitcast")), [v], "litert_ref", None


def floats_only():
    ranges = {
        "bits8": (-3.0, 5.0, 8),
        "bits4": (0.0, 6.0, 4),
        "bits16": (-1.0, 1.0, 16),
        "below": (-9.0, -1.0, 8),
        "above": (2.0, 6.0, 8),
    }
    for label, (lo, hi, n) in ranges.items():
        for shape in ((64,), (3, 5), (2, 1, 3, 2, 2)):
            r = rng_of(f"{label}{shape}")
            a = np.asarray(r.uniform(-8, 8, shape)).astype(np.float32)
            name = f"fake_quant/f32/{label}_{len(shape)}"
            yield unary(name, "FAKE_QUANT", "float32", a, opts("FakeQuant", min=lo, max=hi, numBits=n), tol=FLOAT_TOL)
    for i, (shape, radius, bias, alpha, beta) in enumerate(
        (
            ((1, 2, 3, 7), 2, 1.0, 0.5, 0.75),
            ((2, 1, 4, 16), 5, 2.0, 1e-3, 0.5),
            ((1, 3, 3, 5), 20, 1.0, 1.0, 1.0),
            ((3, 1, 1, 1), 0, 0.5, 4.0, 0.5),
            ((0, 2, 2, 3), 1, 1.0, 1.0, 0.5),
        )
    ):
        a = values(rng_of(str(shape)), shape, "float32")
        o = opts("LocalResponseNormalization", radius=radius, bias=bias, alpha=alpha, beta=beta)
        yield unary(
            f"local_response_normalization/f32/{i}", "LOCAL_RESPONSE_NORMALIZATION", "float32", a, o, tol=FLOAT_TOL
        )


def stablehlo():
    arithmetic = "f16 f32 f64 i8 u8 i16 u16 i32 u32 i64".split()
    table = {name: arithmetic for name in ("ADD", "MULTIPLY", "MAXIMUM", "MINIMUM")}
    # No reference kernels of these two.
    table.update(AND="bool i8 i16 i32 i64".split(), SHIFT_LEFT="i8 i16 i32".split())
    for op, types in table.items():
        for short in types:
            dtype = SHORT[short]
            for label, shape in EQUAL.items():
                name = f"stablehlo_{op.lower()}/{short}/{label}"
                r = rng_of(name)
                a, b = values(r, shape, dtype), values(r, shape, dtype)
                if op == "SHIFT_LEFT":
                    b = np.asarray(r.integers(0, 32 if dtype == "int32" else 12, shape)).astype(dtype)
                o = opts("StablehloShiftLeft") if op == "SHIFT_LEFT" else None
                oracle = DEFAULT if op in ("AND", "SHIFT_LEFT") else "litert_ref"
                yield binary(name, "STABLEHLO_" + op, dtype, a, b, o, oracle=oracle)
            v = np.array([np.nan, 1, -np.inf, 0, 65504], dtype) if short[0] == "f" else None
            if v is not None:
                a, b = (np.ascontiguousarray(x) for x in np.broadcast_arrays(v[:, None], v[None]))
                yield binary(f"stablehlo_{op.lower()}/{short}/nan", "STABLEHLO_" + op, dtype, a, b)


def cases():
    yield from power()
    yield from unary_and_atan2()
    yield from bits()
    yield from bitcast()
    yield from floats_only()
    yield from stablehlo()
