#!/usr/bin/env python3
"""What has no oracle: streams of random numbers whose seeds are 0, which LiteRT draws anew in every process, shifts by more
than the width, indices that are no vectors, and models that operators refuse, each by its rule.

no_oracle.py [--library build/test/libnpu_rt.so]"""

import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np  # noqa: E402
from binding import Library, NpuError, Session  # noqa: E402
from mkmodel import Builder, T, opts, single_op  # noqa: E402
from runner import REPO, Score  # noqa: E402


def const(name, values, dtype="int32"):
    a = np.asarray(values, dtype)
    return T(name, a.shape, dtype, data=a)


# ---- streams -------------------------------------------------------------------------------------------------------------


def streams(op):
    """(label, model, inputs) of one operator with seeds of 0."""
    if op == "MULTINOMIAL":
        logits = np.zeros((2, 50), np.float32)
        yield (
            "constant",
            single_op(op, [T("x", (2, 50)), const("n", 500)], [T("y", (2, 500), "int32")], opts("Random")),
            [logits],
        )
        ins = [T("x", (2, 50)), T("n", (), "int32")]
        yield "live", single_op(op, ins, [T("y", (2, 500), "int32")], opts("Random")), [logits, np.array(500, np.int32)]
        return
    yield "constant", single_op(op, [const("s", [2, 500])], [T("y", (2, 500))], opts("Random")), []
    shape = np.array([2, 500], np.int32)
    yield "live", single_op(op, [T("s", (2,), "int32")], [T("y", (2, 500))], opts("Random")), [shape]


def stream_problem(library, model, inputs, mean, spread):
    one, two = Session(library, model), Session(library, model)
    try:
        first, second, other = one.run(inputs)[0], one.run(inputs)[0], two.run(inputs)[0]
        one.reset()
        again = one.run(inputs)[0]
    finally:
        one.close()
        two.close()
    if not np.array_equal(first, other):
        return "two sessions begin differently"
    if np.array_equal(first, second):
        return "the second run repeats the first"
    if not np.array_equal(first, again):
        return "a session that was reset does not begin again"
    if abs(first.mean() - mean) > spread / 8 or abs(first.std() - spread) > spread / 8:
        return "mean %g, deviation %g" % (first.mean(), first.std())
    return None


def nodes_problem(library):
    """Two nodes with seeds of 0 have streams of their own."""
    b = Builder()
    b.subgraph()
    s, outs = const("s", [64]), [T("y", (64,)), T("z", (64,))]
    for out in outs:
        b.op("RANDOM_UNIFORM", [s], [out], opts("Random"))
    b.io([], outs)
    session = Session(library, b.bytes())
    try:
        y, z = session.run([])
    finally:
        session.close()
    return "both nodes give the same numbers" if np.array_equal(y, z) else None


def shift_problem(library, dtype):
    """Counts outside of the width leave nothing: LiteRT has no answer of its own, as it shifts by what C leaves open."""
    bits = np.dtype(dtype).itemsize * 8
    x = np.resize(np.array([1, 3, -1, 5, -7], dtype), 40)
    count = np.resize(np.array([bits, bits + 1, -1, 0, bits - 1, -bits, 127], dtype), 40)
    model, _ = two("STABLEHLO_SHIFT_LEFT", (40,), (40,), dtype, opts("StablehloShiftLeft"))
    session = Session(library, model)
    try:
        got = session.run([x, count])[0]
    finally:
        session.close()
    inside = (count >= 0) & (count < bits)
    want = np.where(inside, x.astype(np.int64) << np.where(inside, count, 0).astype(np.int64), 0).astype(dtype)
    return None if np.array_equal(got, want) else "got %s, want %s" % (got, want)


def vector_problem(library, op):
    """Indices whose vectors have no dimension, which are single numbers: LiteRT reads that dimension all the same."""
    x, at, update = (
        np.arange(24, dtype=np.int32).reshape(6, 4),
        np.array([4, 0, 5], np.int32),
        -np.ones((3, 4), np.int32),
    )
    b = Builder()
    b.subgraph()
    ins = [T("x", x.shape, "int32"), T("i", at.shape, "int32")]
    dims = {"indexVectorDim": 1}
    if op == "STABLEHLO_GATHER":
        y, want = T("y", update.shape, "int32"), x[at]
        dims.update(offsetDims=[1], collapsedSliceDims=[0], startIndexMap=[0], sliceSizes=[1, 4])
    else:
        ins.append(T("u", update.shape, "int32"))
        y, want = T("y", x.shape, "int32"), x.copy()
        want[at] = update
        dims.update(updateWindowDims=[1], insertedWindowDims=[0], scatterDimsToOperandDims=[0])
        dims["updateComputationSubgraphIndex"] = 1
    fields = {k: np.array(v, np.int64) if isinstance(v, list) else v for k, v in dims.items()}
    b.op(op, ins, [y], opts("StablehloGather" if op == "STABLEHLO_GATHER" else "StablehloScatter", **fields))
    b.io(ins, [y])
    if op == "STABLEHLO_SCATTER":
        b.subgraph("update")
        ends = [T("a", (), "int32"), T("b", (), "int32")]
        b.io(ends, ends[1:])
    session = Session(library, b.bytes())
    try:
        got = session.run([x, at, update][: len(ins)])[0]
    finally:
        session.close()
    return None if np.array_equal(got, want) else "got %s, want %s" % (got, want)


# ---- refusals --------------------------------------------------------------------------------------------------------------


def two(op, a, b, dtype="float32", options=None, out=None):
    """A model of two inputs, and arrays of ones."""
    model = single_op(op, [T("a", a, dtype), T("b", b, dtype)], [T("y", out or a, dtype)], options)
    return model, [np.ones(a, dtype), np.ones(b, dtype)]


def refusals():
    """(rule, label, (model, inputs))"""
    model, feed = two("POW", (3,), (3,), "int32")
    yield "pow.negative", "a negative exponent", (model, [feed[0], np.array([1, 0, -1], np.int32)])
    yield "op.types", "POW of INT64", two("POW", (3,), (3,), "int64")
    yield "op.same_shape", "ATAN2 does not broadcast", two("ATAN2", (2, 3), (1, 3))
    yield "op.same_shape", "STABLEHLO_ADD does not broadcast", two("STABLEHLO_ADD", (2, 3), (3,))
    yield "op.types", "STABLEHLO_AND of floats", two("STABLEHLO_AND", (2,), (2,))
    yield "op.types", "BITWISE_XOR of INT64", two("BITWISE_XOR", (2,), (2,), "int64")
    yield "op.types", "RIGHT_SHIFT of INT64", two("RIGHT_SHIFT", (2,), (2,), "int64")
    yield "mul.complex_activation", "MUL", two("MUL", (2,), (2,), "complex64", opts("Mul", fusedActivationFunction=1))
    for label, shape in (("too short", (2, 3)), ("a scalar", ())):
        bitcast = single_op("BITCAST", [T("a", shape, "uint8")], [T("y", (), "int32")], opts("Bitcast"))
        yield "bitcast.shape", label, (bitcast, [np.ones(shape, np.uint8)])
    for rule, fields in (
        ("fake_quant.range", {"min": 0.0, "max": 1.0, "numBits": 17}),
        ("fake_quant.range", {"min": 0.0, "max": 1.0, "numBits": 8, "narrowRange": True}),
        ("fake_quant.bounds", {"min": 1.0, "max": 1.0, "numBits": 8}),
        ("fake_quant.bounds", {"min": 0.0, "max": float("nan"), "numBits": 8}),
    ):
        model = single_op("FAKE_QUANT", [T("a", (2,))], [T("y", (2,))], opts("FakeQuant", **fields))
        yield rule, str(fields), (model, [np.ones(2, np.float32)])
    o = opts("LocalResponseNormalization", radius=-1)
    model = single_op("LOCAL_RESPONSE_NORMALIZATION", [T("a", (1, 1, 1, 2))], [T("y", (1, 1, 1, 2))], o)
    yield "local_response_normalization.radius", "-1", (model, [np.ones((1, 1, 1, 2), np.float32)])
    yield from refused_3d()
    yield from refused_random()


def refused_3d():
    x, w = np.ones((1, 3, 3, 3, 2), np.float32), np.ones((2, 2, 2, 2, 4), np.float32)
    good = {"strideD": 1, "strideH": 1, "strideW": 1, "padding": 1}
    for rule, filters, fields in (
        ("conv_3d.window", w, {"strideD": 0}),
        ("conv_3d.window", w, {"dilationHFactor": -1}),
        ("conv_3d.window", w, {"padding": 2}),
        ("conv_3d.size", w, {"dilationWFactor": 3}),
        ("conv_3d.channels", np.ones((2, 2, 2, 3, 4), np.float32), {}),
    ):
        ins = [T("x", x.shape), T("w", filters.shape, data=filters)]
        model = single_op("CONV_3D", ins, [T("y", (1, 2, 2, 2, 4))], opts("Conv3D", **{**good, **fields}))
        yield rule, str(fields), (model, [x])
    for rule, shape in (
        ("conv_3d_transpose.shape_size", [1, 4, 4, 4]),
        ("conv_3d_transpose.shape", [2, 4, 4, 4, 2]),
        ("conv_3d_transpose.size", [1, 9, 4, 4, 2]),
        ("op.dim", [1, -4, 4, 4, 2]),
    ):
        y = np.ones((1, 3, 3, 3, 4), np.float32)
        ins = [const("s", shape), T("w", w.shape, data=w), T("x", y.shape)]
        model = single_op("CONV_3D_TRANSPOSE", ins, [T("y", (1, 4, 4, 4, 2))], opts("Conv3D", **good))
        yield rule, str(shape), (model, [y])


def refused_random():
    model = single_op("RANDOM_UNIFORM", [const("s", [3])], [T("y", (3,), "float64")], opts("Random"))
    yield "op.types", "random numbers of FLOAT64", (model, [])
    model = single_op("RANDOM_UNIFORM", [T("s", (1,), "int32")], [T("y", (3,))], opts("Random"))
    yield "op.dim", "a negative dimension", (model, [np.array([-3], np.int32)])
    x = np.zeros((2, 0), np.float32)
    model = single_op("MULTINOMIAL", [T("x", x.shape), const("n", 3)], [T("y", (2, 3), "int32")], opts("Random"))
    yield "multinomial.classes", "no class", (model, [x])
    for algorithm, size in ((2, 3), (1, 1), (1, 4), (3, 2)):
        outs = [T("next", (size,), "uint64"), T("y", (3,), "uint32")]
        o = opts("StablehloRngBitGenerator", algorithm=algorithm)
        model = single_op("STABLEHLO_RNG_BIT_GENERATOR", [T("s", (size,), "uint64")], outs, o)
        yield "rng_bit_generator.state", "algorithm %d, %d" % (algorithm, size), (model, [np.ones(size, np.uint64)])
    for rule, dtype, branches in (("stablehlo_case.branches", "int32", []), ("control_flow.index", "float32", [1])):
        o = opts("StablehloCase")
        o.branchSubgraphIndices = np.array(branches, np.int32)
        b = Builder()
        b.subgraph()
        b.op("STABLEHLO_CASE", [T("i", (1,), dtype), T("x", (2,))], [T("y", (2,))], o)
        b.io([T("i", (1,), dtype), T("x", (2,))], [T("y", (2,))])
        b.subgraph("branch")
        b.op("ABS", [T("a", (2,))], [T("r", (2,))])
        b.io([T("a", (2,))], [T("r", (2,))])
        yield rule, "%d branches" % len(branches), (b.bytes(), [np.ones(1, dtype), np.ones(2, np.float32)])


def refused_by(library, model, inputs):
    session = None
    try:
        session = Session(library, model)
        session.run(inputs)
    except NpuError as e:
        return e.rule
    finally:
        if session:
            session.close()
    return "nothing"


def main():
    a = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    a.add_argument("--library", default=os.path.join(REPO, "build", "test", "libnpu_rt.so"))
    library, score = Library(a.parse_args().library), Score("no oracle")
    expected = {"RANDOM_UNIFORM": (0.5, 0.289), "RANDOM_STANDARD_NORMAL": (0, 1), "MULTINOMIAL": (24.5, 14.43)}
    for op, (mean, spread) in expected.items():
        for label, model, inputs in streams(op):
            score.check("%s, %s" % (op, label), stream_problem(library, model, inputs, mean, spread))
    for dtype in ("int8", "int16", "int32"):
        score.check("shift left, %s" % dtype, shift_problem(library, dtype))
    score.check("two nodes", nodes_problem(library))
    for op in ("STABLEHLO_GATHER", "STABLEHLO_SCATTER"):
        score.check("indices without a dimension of vectors, %s" % op, vector_problem(library, op))
    for rule, label, (model, inputs) in refusals():
        got = refused_by(library, model, inputs)
        score.check("%s: %s" % (rule, label), None if got == rule else "refused by %s" % got)
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
