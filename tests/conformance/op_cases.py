"""What the cases of shape, movement and reduction ops share: seeded values, options, one-operator models."""

import numpy as np

from mkmodel import Builder, T, TYPES, single_op, opts, rng_of

REF, TFLM = "litert_ref", "tflm"
ALL_SIZES = [
    "uint8",
    "int8",
    "bool",
    "int16",
    "uint16",
    "float16",
    "int32",
    "uint32",
    "float32",
    "int64",
    "uint64",
    "float64",
]
SHORT = {  # as rows of operator x type say types
    "bool": "bool",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "i8": "int8",
    "u8": "uint8",
    "i16": "int16",
    "u16": "uint16",
    "i32": "int32",
    "u32": "uint32",
    "i64": "int64",
    "u64": "uint64",
}
QUANT = {"uint8": (0.04, 117), "int8": (0.03, -11), "int16": (0.001, 0)}


def values(rng, shape, dtype, lo=None, hi=None):
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return rng.normal(0, 3, shape).astype(kind)
    if kind.kind == "c":
        return (rng.normal(0, 3, shape) + 1j * rng.normal(0, 3, shape)).astype(kind)
    info = np.iinfo(kind)
    lo = max(info.min, -(1 << 40)) if lo is None else lo
    hi = min(info.max, 1 << 40) if hi is None else hi
    return rng.integers(lo, hi, shape, endpoint=True).astype(kind)


def q(dtype, quantized=True):
    return QUANT.get(dtype, (None, None)) if quantized else (None, None)


def const(name, data, dtype="int32"):
    a = np.asarray(data, dtype)
    return T(name, a.shape, dtype, data=a)


class Op:
    """Collects one operator's cases. run() makes a model; `live` names inputs whose values come at run time."""

    def __init__(self, op):
        self.op, self.found = op, []

    def run(
        self,
        label,
        inputs,
        out_shapes,
        options=None,
        dtype=None,
        quantized=True,
        live=(),
        oracle=REF,
        tol=None,
        out_quant=None,
        version=1,
        measure=False,
    ):
        """inputs: (name, array, constant?) tuples; the outputs take `dtype`, or the first input's. `measure`: the
        output is empty, which the oracle cannot hand out, so the model gives its shape instead."""
        name = "%s/%s" % (self.op.lower(), label)
        ins, feed = [], []
        for n, a, constant in inputs:
            a = np.asarray(a)
            d = str(a.dtype)
            scale, zero = q(d, quantized) if not constant else (None, None)
            fixed = constant and n not in live
            ins.append(T(n, a.shape, d, scale, zero, data=a if fixed else None))
            if not fixed:
                feed.append(a)
        dtype = dtype or ins[0].dtype
        scale, zero = out_quant if out_quant else q(dtype, quantized)
        outs = [T("y%d" % i, s, dtype, scale, zero) for i, s in enumerate(out_shapes)]
        model = (
            measured(self.op, ins, outs, options)
            if measure
            else single_op(self.op, ins, outs, options, version=version)
        )
        self.found.append((name, model, feed, oracle, tol))


def measured(op, ins, outs, options):
    size = T("size", (len(outs[0].shape),), "int32")
    b = Builder()
    b.subgraph()
    b.op(op, ins, outs, options)
    b.op("SHAPE", [outs[0]], [size], opts("ShapeOptions", outType=TYPES["int32"]))
    b.io([t for t in ins if t.data is None], [size])
    return b.bytes()


def int4_case(op, shape, consts, out_shape, options=None, seed="", other=None):
    """Packed elements cannot cross the interpreter's border: a constant in, dequantized out."""
    rng = rng_of(op + seed)
    x = T("x", shape, "int4", 0.5, 0, data=rng.integers(-8, 8, shape))
    more = [T("x2", other, "int4", 0.5, 0, data=rng.integers(-8, 8, other))] if other else []
    y, z = T("y", out_shape, "int4", 0.5, 0), T("z", out_shape, "float32")
    b = Builder()
    b.subgraph()
    for t in [x, y, z] + more + consts:
        b.tensor(t)
    b.op(op, [x] + more + consts, [y], options)
    b.op("DEQUANTIZE", [y], [z])
    b.io([], [z])
    return ("%s/int4%s" % (op.lower(), seed), b.bytes(), [], REF, None)
