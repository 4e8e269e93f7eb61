"""Rows and values at which float functions go other ways: masked rows of SOFTMAX, halves in QUANTIZE, a few large ones in SIN.

cases() yields (name, model, inputs, oracle, tolerance): tolerance None means bit-equal."""

import itertools

import numpy as np

from casebuild import unary
from mkmodel import opts, rng_of

SIZES = (1, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 100, 255, 256, 257)
MASKS = {"lowest": -3.4028235e38, "billion": -1e9, "none": -90.0, "infinite": -np.inf}


def masked():
    for op, n, (mask, lowest) in itertools.product(("SOFTMAX", "LOG_SOFTMAX"), SIZES, MASKS.items()):
        if op == "LOG_SOFTMAX" and mask != "none":
            continue
        name = "%s/masked/%s_%d" % (op.lower(), mask, n)
        r = rng_of(name)
        x = r.uniform(-9, 9, (5, n)).astype(np.float32)
        x[r.random((5, n)) < 0.4] = lowest
        x[:, n // 2] = 1
        yield unary(name, op, "float32", x, opts("Softmax", beta=1.0) if op == "SOFTMAX" else None, tol=3e-6)


def halves():
    scales = (0.5, 1 / 255, 0.0078431377, 0.1, 0.05000001, 3.0e-5, 7.7e-21, 1.0000001)
    for d, (k, scale), n in itertools.product(("int8", "uint8", "int16"), enumerate(scales), (33, 700)):
        name = "quantize/halves/%s_%d_%d" % (d, k, n)
        zp = {"int8": -5, "uint8": 127, "int16": 0}[d]
        r = rng_of(name)
        whole = r.integers(-300, 300, (n,)) if d != "int16" else r.integers(-33000, 33000, (n,))
        x = ((whole + 0.5) * np.float64(np.float32(scale))).astype(np.float32)
        x = (x.view(np.int32) + r.integers(-2, 3, (n,))).astype(np.int32).view(np.float32)
        yield unary(name, "QUANTIZE", "float32", x, out_dtype=d, qo=(scale, zp))


def far():
    for op, n in itertools.product(("SIN", "COS"), SIZES):
        name = "%s/far/float32_%d" % (op.lower(), n)
        x = rng_of(name).uniform(-100, 100, (n,)).astype(np.float32)
        x[n // 2] = 12345678.0
        yield unary(name, op, "float32", x, tol=3e-6)


def cases():
    yield from masked()
    yield from halves()
    yield from far()
