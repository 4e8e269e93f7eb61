"""What the case files of the elementwise ops share: shapes, values and builders of one-op models."""

import numpy as np

from mkmodel import T, single_op

REF, TFLM, DEFAULT = "litert_ref", "tflm", "litert_default"
FLOAT_TOL = 1e-5
INT_RANGE = {
    "int8": (-128, 127),
    "uint8": (0, 255),
    "int16": (-32768, 32767),
    "uint16": (0, 65535),
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "int4": (-8, 7),
    "uint4": (0, 15),
    "int2": (-2, 1),
}
STORAGE = {"int4": "int8", "int2": "int8", "uint4": "uint8"}
# Both sides broadcast, ranks up to 6, scalars, empty and odd sizes.
PAIRS = [
    ((), ()),
    ((1,), ()),
    ((), (3, 5)),
    ((7,), (7,)),
    ((2, 3, 5), (2, 3, 5)),
    ((2, 3, 5), (5,)),
    ((5,), (2, 3, 5)),
    ((2, 1, 5), (1, 3, 1)),
    ((2, 3, 4, 5), (1, 3, 1, 5)),
    ((1, 9, 7, 3), (1, 1, 1, 3)),
    ((257,), (1,)),
    ((2, 1, 3, 1, 5), (1, 4, 1, 2, 1)),
    ((2, 1, 3, 1, 2, 3), (2, 2, 1, 2, 1, 3)),
    ((1, 1, 1, 1, 1, 1), (2, 1, 2, 1, 2, 1)),
    ((3, 0, 2), (1, 1, 2)),
    ((0,), (1,)),
    ((2, 50, 8, 4), (1, 1, 8, 1)),  # groups of channels
    ((1, 3, 1, 2), (700, 3, 5, 2)),
    ((30, 1, 3), (30, 4, 3)),  # comes again in the middle only
]
SHAPES = [(), (1,), (7,), (3, 5), (2, 3, 5, 7), (1, 2, 1, 3, 1, 2), (0, 3), (1025,)]
ACTS = {"none": 0, "relu": 1, "relu_n1_to_1": 2, "relu6": 3}
Q8 = [
    ((0.05, 3), (0.031, -7), (0.07, -20)),
    ((0.5, -128), (0.002, 127), (0.25, 0)),
    ((0.013, 0), (0.013, 0), (0.026, 0)),
    ((1.7e-3, 11), (9.1e-2, -1), (1.9e-1, 5)),
]


def ints(rng, shape, dtype, lo=None, hi=None):
    a, b = INT_RANGE[dtype]
    lo, hi = a if lo is None else lo, b if hi is None else hi
    return rng.integers(lo, hi, size=shape, dtype=np.dtype(STORAGE.get(dtype, dtype)), endpoint=True)


def floats(rng, shape, dtype="float32", scale=3.0):
    return np.asarray(rng.normal(0, scale, size=shape)).astype(dtype)


def values(rng, shape, dtype):
    if dtype == "bool":
        return np.asarray(rng.integers(0, 2, size=shape)).astype(np.bool_)
    if dtype.startswith("float"):
        return floats(rng, shape, dtype)
    if dtype == "complex64":
        return (floats(rng, shape) + 1j * floats(rng, shape)).astype(np.complex64)
    return np.asarray(ints(rng, shape, dtype))


def text(shape):
    return "x".join(map(str, shape)) or "scalar"


def broadcast(a, b):
    return np.broadcast_shapes(a, b)


def binary(
    name,
    op,
    dtype,
    a,
    b,
    opts=None,
    out_dtype=None,
    qa=(None, None),
    qb=(None, None),
    qo=(None, None),
    oracle=REF,
    tol=None,
    const=None,
    tb=None,
):
    """One case of a two-input op on arrays a and b; const: index of the input that is a constant."""
    x = T("x", a.shape, dtype, *qa, data=a if const == 0 else None)
    y = T("y", b.shape, tb or dtype, *qb, data=b if const == 1 else None)
    o = T("out", broadcast(a.shape, b.shape), out_dtype or dtype, *qo)
    inputs = [v for i, v in enumerate((a, b)) if i != const]
    return name, single_op(op, [x, y], [o], opts), inputs, oracle, tol


def unary(name, op, dtype, a, opts=None, out_dtype=None, qi=(None, None), qo=(None, None), oracle=REF, tol=None):
    x, o = T("x", a.shape, dtype, *qi), T("out", a.shape, out_dtype or dtype, *qo)
    return name, single_op(op, [x], [o], opts), [a], oracle, tol


def all_pairs(dtype):
    """Every pair of 8-bit values, as a column and a row."""
    lo, hi = INT_RANGE[dtype]
    v = np.arange(lo, hi + 1).astype(dtype)
    return v.reshape(-1, 1), v.reshape(1, -1)


def shift_q(q, dtype):
    """int8 zero points moved into the type's range."""
    d = {"int8": 0, "uint8": 128}[dtype]
    return [(s, z + d) for s, z in q]


def all_values(dtype):
    lo, hi = INT_RANGE[dtype]
    return np.arange(lo, hi + 1).astype(dtype)
