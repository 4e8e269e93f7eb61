"""CAST, QUANTIZE, DEQUANTIZE, DENSIFY and comparisons, every row of rows.txt with shapes, scales and values drawn from the case's
name. cases() yields (name, model, inputs, oracle, tolerance None: bit-equal)."""

import numpy as np

from mkmodel import Builder, T, TYPES, opts, rng_of, single_op
from op_cases import QUANT, REF, values
from ops_move import sparse
from ops_rows_move import DTYPES, shape_of
from variants import ROWS

EACH = 4
BITS = {"int2": (-2, 1), "int4": (-8, 7), "uint4": (0, 15)}


def range_of(dtype):
    if dtype in BITS:
        return BITS[dtype]
    return np.iinfo(dtype).min, np.iinfo(dtype).max


def spread(rng, shape, dtype, most):
    """Values that any of the types can hold that are asked for in `most`: what does not fit is for cases of edges."""
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    lo, hi = -1e4, 1e4
    for other in (dtype, most):
        if other.startswith(("int", "uint")):
            a, b = range_of(other)
            lo, hi = max(lo, a), min(hi, b)
    if most == "float16":
        lo, hi = max(lo, -2000), min(hi, 2000)
    if dtype.startswith(("int", "uint")):
        return rng.integers(int(lo), int(hi) + 1, shape).astype("int8" if dtype in BITS else dtype)
    v = rng.uniform(lo, hi, shape)
    if dtype == "complex64":
        return (v + 1j * rng.uniform(lo, hi, shape)).astype(dtype)
    v = v * rng.integers(0, 2, shape) if most == "bool" else v
    return v.astype("float32" if dtype == "bfloat16" else dtype)


# Types that do not cross LiteRT's border.
INSIDE = ("bfloat16", "int4", "int2", "uint4")


def cast(variant, k):
    name = "cast/%s/random%d" % (variant, k)
    rng = rng_of(name)
    a, b = (DTYPES[v] for v in variant.split("-"))
    shape = shape_of(rng, 0, 5)
    x, live = spread(rng, shape, a, b), a not in INSIDE
    t = T("x", shape, a, data=None if live else x)
    feed = [x] if live else []
    o = opts("Cast", inDataType=TYPES[a], outDataType=TYPES[b]) if k % 2 else None
    y = T("y", shape, b)
    if b not in INSIDE:
        return name, single_op("CAST", [t], [y], o), feed, REF, None
    model = Builder()
    model.subgraph()
    model.op("CAST", [t], [y], o)
    model.op("CAST", [y], [T("z", shape)])
    model.io([t] if live else [], [T("z", shape)])
    return name, model.bytes(), feed, REF, None


def scales_of(rng, shape, pc, dtype, small=False):
    """(scale, zero point, axis) of a tensor."""
    lo, hi = range_of(dtype)
    axis = int(rng.integers(len(shape))) if pc else 0
    n = shape[axis] if pc else 1
    scale = rng.uniform(0.005, 0.2, n) * (1 if hi - lo < 300 else 1e-3)
    zero = rng.integers(max(lo, -100), min(hi, 200) + 1, n) if not small and hi - lo < 300 else np.zeros(n, int)
    return scale, zero, axis


def quantize(variant, k):
    name = "quantize/%s/random%d" % (variant, k)
    rng = rng_of(name)
    a, b = variant.split("-")
    pc = b.endswith("pc")
    a, b = DTYPES[a], DTYPES[b.removesuffix("pc")]
    shape = tuple(d + 1 for d in shape_of(rng, 1, 4))
    y = T("y", shape, b, *scales_of(rng, shape, pc, b, small=b in ("int16", "int32")))
    if pc:
        y.zero_point = y.zero_point * 0
    if a == "float32":
        x = T("x", shape)
        lo, hi = range_of(b)
        v = rng.uniform(lo - 20, hi + 20, shape) * np.mean(y.scale)
    else:
        x = T("x", shape, a, *scales_of(rng, shape, False, a, small=a in ("int16", "int32")))
        y.scale = x.scale * rng.uniform(0.3, 30) * (256.0 ** (np.dtype(a).itemsize - np.dtype(b).itemsize))
        v = values(rng, shape, a, -(10**6), 10**6) if a == "int32" else values(rng, shape, a)
    v = v.astype(a)
    if b not in INSIDE:
        return name, single_op("QUANTIZE", [x], [y], opts("Quantize")), [v], REF, None
    model = Builder()
    model.subgraph()
    model.op("QUANTIZE", [x], [y], opts("Quantize"))
    model.op("DEQUANTIZE", [y], [T("z", shape)], opts("Dequantize"))
    model.io([x], [T("z", shape)])
    return name, model.bytes(), [v], REF, None


def dequantize(variant, k):
    name = "dequantize/%s/random%d" % (variant, k)
    rng = rng_of(name)
    pc, constant = variant.endswith("pc"), variant.endswith("c")
    dtype = DTYPES[variant.rstrip("pc")]
    shape = tuple(d + 1 for d in shape_of(rng, 1, 4))
    if dtype == "float16":
        v, q = (rng.normal(0, 30, shape) * 10.0 ** rng.integers(-7, 3, shape)).astype(np.float16), (None, None)
    else:
        lo, hi = range_of(dtype)
        v = rng.integers(lo, hi + 1, shape).astype("int8" if dtype in BITS else dtype)
        q = scales_of(rng, shape, pc, dtype, small=dtype in ("int16", "int2"))
    constant = constant or dtype in INSIDE
    x = T("x", shape, dtype, *q, data=v if constant else None)
    return name, single_op("DEQUANTIZE", [x], [T("y", shape)], opts("Dequantize")), [] if constant else [v], REF, None


def densify(variant, k):
    name = "densify/%s/random%d" % (variant, k)
    rng = rng_of(name)
    dtype = DTYPES[variant]
    block = None if rng.random() < 0.5 else (int(rng.choice([1, 2, 4])), int(rng.choice([1, 4, 16])))
    bh, bw = block or (1, 1)
    rows, cols = (int(n) for n in rng.integers(1, 6, 2))
    shape = (rows * bh, cols * bw)
    order = list(rng.permutation(2)) + ([2 + int(i) for i in rng.permutation(2)] if block else [])
    x = values(rng, shape, dtype)
    kept = rng.integers(0, 2, (rows, cols))
    kept[0, 0] = 1  # a sparse constant without contents is refused
    x = np.where(np.kron(kept, np.ones((bh, bw))) > 0, x, 0).astype(dtype)
    params, kept = sparse(x, block, [int(i) for i in order], 1, tuple(int(b) for b in rng.choice([8, 16, 32], 2)))
    w = T("w", shape, dtype, data=kept.astype(dtype).tobytes(), sparsity=params)
    return name, single_op("DENSIFY", [w], [T("y", shape, dtype)], opts("Densify")), [], REF, None


COMPARISONS = {
    "EQUAL": "Equal",
    "NOT_EQUAL": "NotEqual",
    "GREATER": "Greater",
    "GREATER_EQUAL": "GreaterEqual",
    "LESS": "Less",
    "LESS_EQUAL": "LessEqual",
}


def compare(op, variant, k):
    """Two shapes that broadcast into each other; a third of the elements is equal."""
    name = "%s/%s/random%d" % (op.lower(), variant, k)
    rng = rng_of(name)
    dtype = DTYPES[variant]
    shape = shape_of(rng, 1, 4)
    narrow = tuple(1 if rng.random() < 0.4 else d for d in shape)[int(rng.integers(len(shape))) :]
    shapes = [(shape, shape), (shape, narrow), (narrow, shape), (shape, ())][k % 4]
    v = [values(rng, s, dtype) for s in shapes]
    if shapes[0] == shapes[1]:
        same = rng.random(shape) < 0.33
        v[1] = np.where(same, v[0], v[1]).astype(dtype)
    ins = []
    for i, a in enumerate(v):
        s, z = QUANT.get(dtype, (None, None))
        if s and dtype != "int16":
            s, z = s * rng.uniform(0.7, 1.4), z + int(rng.integers(-9, 10))
        ins.append(T("x%d" % i, a.shape, dtype, s, z, data=a if i == k % 3 else None))
    feed = [a for i, a in enumerate(v) if i != k % 3]
    return name, single_op(op, ins, [T("y", shape, "bool")], opts(COMPARISONS[op])), feed, REF, None


MAKERS = {"CAST": cast, "QUANTIZE": quantize, "DEQUANTIZE": dequantize, "DENSIFY": densify}


def cases():
    for op, make in MAKERS.items():
        for variant in ROWS[op]:
            for k in range(EACH):
                yield make(variant, k)
    for op in COMPARISONS:
        for variant in ROWS[op]:
            for k in range(EACH):
                yield compare(op, variant, k)
