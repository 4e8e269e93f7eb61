"""Conformance cases of the unary elementwise ops, SOFTMAX, LOG_SOFTMAX and L2_NORMALIZATION. cases() yields
(name, model, inputs, oracle, tolerance or None for exact)."""

import itertools

import numpy as np

from mkmodel import opts as options, rng_of
from casebuild import DEFAULT, FLOAT_TOL, REF, SHAPES, TFLM, all_values, floats, text, unary, values


# (input scale, zero point, output scale, zero point) for int8; uint8 is the same shifted by 128.
TABLE_Q = [
    (0.05, 3, 0.04, -11),
    (0.031, -128, 0.02, -128),
    (0.1, 0, 0.0078125, 0),
    (0.7, 127, 0.3, 5),
    (0.0039, -7, 0.011, 127),
    (0.25, 10, 0.0625, -128),
]


def unary_float():
    positive = ("SQRT", "RSQRT", "LOG")
    edges = np.array(
        [-3.5, -2.5, -1.5, -0.5, -0.0, 0.0, 0.49999997, 0.5, 1.5, 2.5, 3.4999998, 8388609.0, 1e9, -1e9], np.float32
    )
    special = np.array([np.inf, -np.inf, np.nan, 88.0, -104.0, 1e-40, 20.0, -20.0], np.float32)
    for op in (
        "ABS",
        "NEG",
        "SQRT",
        "RSQRT",
        "SIN",
        "COS",
        "LOG",
        "EXP",
        "SQUARE",
        "FLOOR",
        "CEIL",
        "ROUND",
        "RELU",
        "RELU6",
        "RELU_N1_TO_1",
        "RELU_0_TO_1",
        "LOGISTIC",
        "TANH",
        "HARD_SWISH",
        "ELU",
    ):
        oracle = DEFAULT if op in ("CEIL", "ROUND", "ELU") else REF
        tol = None if op in ("ABS", "NEG", "FLOOR", "CEIL", "ROUND", "RELU") else FLOAT_TOL
        for shape in SHAPES:
            name = f"{op.lower()}/float32/{text(shape)}"
            a = floats(rng_of(name), shape)
            yield unary(
                name, op, "float32", np.abs(a) + np.float32(1e-3) if op in positive else a, oracle=oracle, tol=tol
            )
        if op not in positive + ("SIN", "COS", "EXP", "SQUARE", "HARD_SWISH", "ELU"):
            yield unary(f"{op.lower()}/float32/edges", op, "float32", edges, oracle=oracle, tol=tol)
        if op in ("LOGISTIC", "TANH", "LOG", "SQRT", "FLOOR", "ABS", "ROUND"):
            yield unary(f"{op.lower()}/float32/special", op, "float32", special, oracle=oracle, tol=tol)
    for op in ("SIN", "COS", "NEG", "FLOOR", "LOGISTIC", "TANH"):
        name = f"{op.lower()}/float16/random"
        yield unary(name, op, "float16", floats(rng_of(name), (3, 77), "float16"), tol=1e-3)
    for alpha in (0.1, -0.3, 2.0, 0.0):
        name = f"leaky_relu/float32/alpha{alpha}"
        yield unary(
            name,
            "LEAKY_RELU",
            "float32",
            floats(rng_of(name), (2, 3, 11)),
            options("LeakyRelu", alpha=alpha),
            tol=FLOAT_TOL,
        )
    for approximate, dtype in itertools.product((False, True), ("float32", "float16")):
        name = f"gelu/{dtype}/approximate{int(approximate)}"
        yield unary(
            name,
            "GELU",
            dtype,
            floats(rng_of(name), (2, 3, 41), dtype),
            options("Gelu", approximate=approximate),
            tol=FLOAT_TOL if dtype == "float32" else 2e-3,
        )


def unary_int():
    for op, dtypes in (("ABS", ("int16", "int32")), ("NEG", ("int8", "int16", "int32", "int64"))):
        for dtype, shape in itertools.product(dtypes, SHAPES):
            name = f"{op.lower()}/{dtype}/{text(shape)}"
            yield unary(name, op, dtype, values(rng_of(name), shape, dtype))
    for op in ("ABS", "NEG"):
        yield unary(f"{op.lower()}/int16/all", op, "int16", all_values("int16"))
    # ABS of int8 and int16 with scales, LEAKY_RELU, the RELUs: direct arithmetic
    for i, (si, zi, so, zo) in enumerate(TABLE_Q + [(0.05, 3, 0.05, 3), (0.05, 3, 0.05, -60)]):
        yield unary(f"abs/int8/all_q{i}", "ABS", "int8", all_values("int8"), qi=(si, zi), qo=(so, zo))
        yield unary(f"abs/int16/all_q{i}", "ABS", "int16", all_values("int16"), qi=(si, 0), qo=(so, 0))
        for dtype, d in (("int8", 0), ("uint8", 128)):
            a, qi, qo = all_values(dtype), (si, zi + d), (so, zo + d)
            for op in ("RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1", "TANH", "HARD_SWISH"):
                yield unary(f"{op.lower()}/{dtype}/all_q{i}", op, dtype, a, qi=qi, qo=qo)
            yield unary(f"logistic/{dtype}/all_q{i}", "LOGISTIC", dtype, a, qi=qi, qo=(1 / 256, d - 128))
            yield unary(f"logistic/{dtype}/all_zp{i}", "LOGISTIC", dtype, a, qi=qi, qo=(1 / 256, zo + d))
            for alpha in (0.1, -0.25, 1.75):
                yield unary(
                    f"leaky_relu/{dtype}/all_q{i}_alpha{alpha}",
                    "LEAKY_RELU",
                    dtype,
                    a,
                    options("LeakyRelu", alpha=alpha),
                    qi=qi,
                    qo=qo,
                )
            for approximate in (False, True):
                yield unary(
                    f"gelu/{dtype}/all_q{i}_approximate{int(approximate)}",
                    "GELU",
                    dtype,
                    a,
                    options("Gelu", approximate=approximate),
                    qi=qi,
                    qo=qo,
                )
        for op in ("EXP", "LOG"):
            yield unary(f"{op.lower()}/int8/all_q{i}", op, "int8", all_values("int8"), qi=(si, zi), qo=(so, zo))
        yield unary(f"elu/int8/all_q{i}", "ELU", "int8", all_values("int8"), qi=(si, zi), qo=(so, zo), oracle=TFLM)
        for op in ("SQRT", "RSQRT"):  # defined from the zero point on
            a = np.maximum(all_values("int8"), zi).astype(np.int8)
            yield unary(f"{op.lower()}/int8/all_q{i}", op, "int8", a, qi=(si, zi), qo=(so, zo))
    for i, (si, so) in enumerate(((1e-3, 1e-3), (3e-4, 1e-4), (2**-12, 2**-15), (2e-4, 4e-4), (5e-3, 2e-3))):
        a = all_values("int16")
        for op in ("RELU", "RELU6"):
            yield unary(f"{op.lower()}/int16/all_q{i}", op, "int16", a, qi=(si, 0), qo=(so, 0))
        yield unary(
            f"leaky_relu/int16/all_q{i}",
            "LEAKY_RELU",
            "int16",
            a,
            options("LeakyRelu", alpha=0.2),
            qi=(si, 0),
            qo=(so, 0),
        )
        for approximate in (False, True):
            yield unary(
                f"gelu/int16/all_q{i}_approximate{int(approximate)}",
                "GELU",
                "int16",
                a,
                options("Gelu", approximate=approximate),
                qi=(si, 0),
                qo=(so, 0),
            )
        for op in ("EXP", "LOG"):
            yield unary(f"{op.lower()}/int16/all_q{i}", op, "int16", a, qi=(si, 0), qo=(so, 0))
        for op in ("SQRT", "RSQRT"):
            yield unary(
                f"{op.lower()}/int16/all_q{i}",
                op,
                "int16",
                np.abs(a.astype(np.int32)).clip(0, 32767).astype(np.int16),
                qi=(si, 0),
                qo=(so, 0),
            )
    for i, scale in enumerate((2**-12, 2**-11, 2**-10, 1e-3, 2.5e-4, 1 / 32768, 3.05e-5, 0.02)):
        for op in ("LOGISTIC", "TANH"):
            yield unary(
                f"{op.lower()}/int16/all_q{i}", op, "int16", all_values("int16"), qi=(scale, 0), qo=(2.0**-15, 0)
            )
    for op in ("TANH", "LOGISTIC", "RELU", "EXP"):
        for shape in SHAPES:
            name = f"{op.lower()}/int8/{text(shape)}"
            yield unary(
                name,
                op,
                "int8",
                values(rng_of(name), shape, "int8"),
                qi=(0.06, -4),
                qo=(1 / 256, -128) if op == "LOGISTIC" else (0.02, 3),
            )


DEPTH_SHAPES = [(1,), (2,), (10,), (3, 7), (2, 3, 5), (1, 4, 4, 21), (2, 1, 3, 1, 12), (5, 1), (0, 4), (1, 1001)]


def softmax():
    for shape in DEPTH_SHAPES:
        for beta in (1.0, 0.5, 3.0):
            name = f"softmax/float32/{text(shape)}_beta{beta}"
            yield unary(
                name, "SOFTMAX", "float32", floats(rng_of(name), shape), options("Softmax", beta=beta), tol=FLOAT_TOL
            )
        name = f"softmax/float16/{text(shape)}"
        yield unary(
            name, "SOFTMAX", "float16", floats(rng_of(name), shape, "float16"), options("Softmax", beta=1.0), tol=1e-3
        )
        name = f"log_softmax/float32/{text(shape)}"
        yield unary(name, "LOG_SOFTMAX", "float32", floats(rng_of(name), shape), options("LogSoftmax"), tol=FLOAT_TOL)
        name = f"l2_normalization/float32/{text(shape)}"
        yield unary(name, "L2_NORMALIZATION", "float32", floats(rng_of(name), shape), options("L2Norm"), tol=FLOAT_TOL)
        for i, (scale, beta) in enumerate(((0.05, 1.0), (0.5, 1.0), (1e-3, 1.0), (0.1, 0.25), (3.0, 7.0), (40.0, 1.0))):
            for din, dout in (("int8", "int8"), ("int8", "int16"), ("uint8", "uint8"), ("uint8", "int16")):
                if shape == (1, 1001) and dout != "int16" and scale * beta < 0.01:
                    continue  # the sum is above 512: LiteRT aborts
                name = f"softmax/{din}_{dout}/{text(shape)}_q{i}"
                qo = {"int8": (1 / 256, -128), "uint8": (1 / 256, 0), "int16": (1 / 65536, -32768)}[dout]
                yield unary(
                    name,
                    "SOFTMAX",
                    din,
                    values(rng_of(name), shape, din),
                    options("Softmax", beta=beta),
                    out_dtype=dout,
                    qi=(scale, 7),
                    qo=qo,
                )
            name = f"softmax/int16/{text(shape)}_q{i}"
            yield unary(
                name,
                "SOFTMAX",
                "int16",
                values(rng_of(name), shape, "int16"),
                options("Softmax", beta=beta),
                qi=(scale / 100, 0),
                qo=(1 / 32768, 0),
            )
            if beta == 1.0:
                for dtype, zp in (("int8", 127), ("uint8", 255)):
                    name = f"log_softmax/{dtype}/{text(shape)}_q{i}"
                    yield unary(
                        name,
                        "LOG_SOFTMAX",
                        dtype,
                        values(rng_of(name), shape, dtype),
                        options("LogSoftmax"),
                        qi=(scale, 7),
                        qo=(1 / 16, zp),
                    )
        for dtype, zi, zp in (("int8", -5, 0), ("uint8", 100, 128)):
            name = f"l2_normalization/{dtype}/{text(shape)}"
            yield unary(
                name,
                "L2_NORMALIZATION",
                dtype,
                values(rng_of(name), shape, dtype),
                options("L2Norm"),
                qi=(0.1, zi),
                qo=(1 / 128, zp),
            )
    for dtype, zp, top in (("int8", -128, 127), ("uint8", 0, 255)):
        v = all_values(dtype)
        pairs = np.stack(np.meshgrid(v, v, indexing="ij"), -1).reshape(-1, 2)
        for scale in (0.1, 0.03, 0.7):
            yield unary(
                f"softmax/{dtype}/all_pairs_{scale}",
                "SOFTMAX",
                dtype,
                pairs,
                options("Softmax", beta=1.0),
                qi=(scale, 0),
                qo=(1 / 256, zp),
            )
            yield unary(
                f"log_softmax/{dtype}/all_pairs_{scale}",
                "LOG_SOFTMAX",
                dtype,
                pairs,
                options("LogSoftmax"),
                qi=(scale, 0),
                qo=(1 / 16, top),
            )
        # Networks that were never trained end like this. The reference kernels abort, LiteRT's others run.
        for scale, n in itertools.product((1.4e-8, 7.84e-9, 1e-12, 1e-30), (1, 3, 10, 100, 1001)):
            name = f"softmax/{dtype}/tiny_{scale}_{n}"
            yield unary(
                name,
                "SOFTMAX",
                dtype,
                values(rng_of(name), (2, n), dtype),
                options("Softmax", beta=1.0),
                qi=(scale, 0),
                qo=(1 / 256, zp),
                oracle=DEFAULT,
            )
        zi, zo = (3, 0) if dtype == "int8" else (131, 128)
        yield unary(
            f"l2_normalization/{dtype}/all_pairs",
            "L2_NORMALIZATION",
            dtype,
            pairs,
            options("L2Norm"),
            qi=(0.1, zi),
            qo=(1 / 128, zo),
        )
        same = np.full((3, 40), zi, dtype)
        same[1, 5] += 1
        yield unary(
            f"l2_normalization/{dtype}/zeros",
            "L2_NORMALIZATION",
            dtype,
            same,
            options("L2Norm"),
            qi=(0.1, zi),
            qo=(1 / 128, zo),
        )


def cases():
    yield from unary_float()
    yield from unary_int()
    yield from softmax()
