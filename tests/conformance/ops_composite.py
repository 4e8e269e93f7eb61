"""Conformance cases of composites: operators that say by a subgraph what they compute, which the CPU runs.

cases() yields (name, model, input sets, oracle, tolerance or None for exact)."""

import numpy as np
from flatbuffers import flexbuffers

from mkmodel import Builder, T, opts, rng_of

REF = "litert_ref"


def composite(b, name, inputs, outputs, parts, attributes=None):
    """LiteRT does not load a composite without attributes."""
    o = opts("StableHLOComposite", name=name.encode(), decompositionSubgraphIndex=parts)
    o.compositeAttributes = np.frombuffer(bytes(flexbuffers.Dumps(attributes or {"version": 1})), np.uint8)
    b.op("STABLEHLO_COMPOSITE", inputs, outputs, o)


def rms_norm(b, x, gamma):
    """x over the root of the mean of its squares, times gamma: as converters take it apart."""
    rows, epsilon = T("rows", x.shape[:-1] + (1,)), T("eps", (), data=1e-6)
    squares, mean, sum_, root, normal = (
        T("sq", x.shape),
        rows,
        T("sum", rows.shape),
        T("rsqrt", rows.shape),
        T("n", x.shape),
    )
    y = T("y", x.shape)
    b.op("MUL", [x, x], [squares], opts("Mul"))
    axis = T("axis", (1,), "int32", data=[len(x.shape) - 1])
    b.op("MEAN", [squares, axis], [mean], opts("Reducer", keepDims=True))
    b.op("ADD", [mean, epsilon], [sum_], opts("Add"))
    b.op("RSQRT", [sum_], [root])
    b.op("MUL", [x, root], [normal], opts("Mul"))
    b.op("MUL", [normal, gamma], [y], opts("Mul"))
    return y


def norm_model(shape, calls=1, constant=True, before=False):
    """One or more rms_norms, which share their parts; gamma a constant of the caller, or its input."""
    b = Builder()
    b.subgraph()
    gamma_data = rng_of("gamma").normal(1, 0.3, shape[-1]).astype(np.float32) if constant else None
    x, gamma = T("x", shape), T("gamma", shape[-1:], data=gamma_data)
    value = x
    if before:
        value = T("before", shape)
        b.op("ABS", [x], [value])
    for i in range(calls):
        y = T("out%d" % i, shape)
        composite(b, "odml.rms_norm", [value, gamma], [y], 1, {"epsilon": 1e-6})
        value = y
    b.io([x] if constant else [x, gamma], [value])
    b.subgraph("parts")
    x, gamma = T("x", shape), T("gamma", shape[-1:])
    y = rms_norm(b, x, gamma)
    b.io([x, gamma], [y])
    return b.bytes()


def several_model():
    """Two outputs, one of them an input passed through, and an input that the parts do not read."""
    b = Builder()
    b.subgraph()
    x, y, p, q = (
        T("x", (2, 3), "int8", 0.5, 3),
        T("y", (3,)),
        T("p", (2, 3), "int8", 0.5, 3),
        T("q", (2, 3), "int8", 0.5, 3),
    )
    composite(b, "my.thing", [x, y], [p, q], 1)
    b.io([x, y], [q, p])
    b.subgraph("parts")
    x, y, p = T("x", (2, 3), "int8", 0.5, 3), T("y", (3,)), T("p", (2, 3), "int8", 0.5, 3)
    b.op("RELU", [x], [p])
    b.io([x, y], [p, x])
    return b.bytes()


def nested_model():
    """A composite of a composite, and the inner one again by itself."""
    b = Builder()
    b.subgraph()
    x, y, z = T("x", (4,)), T("y", (4,)), T("z", (4,))
    composite(b, "my.outer", [x], [y], 1)
    composite(b, "my.inner", [y], [z], 2)
    b.io([x], [z])
    b.subgraph("outer")
    x, y, z = T("x", (4,)), T("y", (4,)), T("z", (4,))
    composite(b, "my.inner", [x], [y], 2)
    b.op("ADD", [y, x], [z], opts("Add"))
    b.io([x], [z])
    b.subgraph("inner")
    x, y = T("x", (4,)), T("y", (4,))
    b.op("MUL", [x, x], [y], opts("Mul"))
    b.io([x], [y])
    return b.bytes()


def data_dependent_model():
    """The output's shape is known when the parts have run: coordinates of what is not zero."""
    b = Builder()
    b.subgraph()
    x, y, z = T("x", (6,), "bool"), T("y", (), "int64"), T("z", (), "int32")
    composite(b, "my.where", [x], [y], 1)
    b.op("CAST", [y], [z], opts("Cast", inDataType=4, outDataType=2))
    b.io([x], [z])
    b.subgraph("parts")
    x, y = T("x", (6,), "bool"), T("y", (), "int64")
    b.op("WHERE", [x], [y], opts("Where"))
    b.io([x], [y])
    return b.bytes()


def cases():
    rng = rng_of("composite")

    def floats(*shape):
        return rng.normal(0, 2, shape).astype(np.float32)

    for shape in ((2, 5), (1, 3, 8), (4,), (2, 1, 3, 7)):
        name = "composite_rms_norm_%s" % "x".join(map(str, shape))
        yield name, norm_model(shape), [[floats(*shape)] for _ in range(3)], REF, None
    yield (
        "composite_gamma_given",
        norm_model((2, 6), constant=False),
        [[floats(2, 6), floats(6)] for _ in range(3)],
        REF,
        None,
    )
    yield "composite_shared", norm_model((2, 6), calls=3), [[floats(2, 6)] for _ in range(3)], REF, None
    yield "composite_behind", norm_model((2, 6), before=True), [[floats(2, 6)]], REF, None
    sets = [[rng.integers(-128, 128, (2, 3)).astype(np.int8), floats(3)] for _ in range(3)]
    yield "composite_two_outputs", several_model(), sets, REF, None
    yield "composite_nested", nested_model(), [[floats(4)] for _ in range(3)], REF, None
    sets = [[rng.integers(0, 2, 6).astype(bool)] for _ in range(4)] + [[np.ones(6, bool)]]
    yield "composite_data_dependent", data_dependent_model(), sets, REF, None
