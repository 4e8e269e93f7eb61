"""What the tests of the Neuron rules share: `npu_rt check`, `ops` and `lower` as Python values, and one-operator models."""

import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../conformance"))

import numpy as np  # noqa: E402
import sample  # noqa: E402
from ethosu import Ethosu  # noqa: E402
from flatbuffers import flexbuffers  # noqa: E402
from mkmodel import Builder, T, opts, schema, single_op  # noqa: E402
from runner import REPO, SHARED, Score  # noqa: E402, F401

BACKEND = "neuron"
PUBLISHED, LITERT = "published", "litert-2.3"
PROFILES = (PUBLISHED, LITERT)


def arguments(description):
    p = argparse.ArgumentParser(description=description)
    p.add_argument("--command", default=os.path.join(REPO, "build", "npu_rt"))
    p.add_argument("--shared", default=SHARED, help="folder with reference/")
    sample.add_option(p)  # of the layer: these are quick enough to be whole
    return p.parse_args()


class Neuron(Ethosu):
    def verdict(self, model, profile):
        """Of the first operator: (placed, {rule: reason}, {rule: warning})."""
        op = self.check(model, profile, BACKEND)["ops"][0]
        return op["placed"], {r["rule"]: r for r in op["reasons"]}, {r["rule"]: r for r in op["warnings"]}

    def lower(self, model, *options):
        """(exit code, JSON or text, stderr)"""
        with tempfile.NamedTemporaryFile(suffix=".tflite") as f:
            f.write(model)
            f.flush()
            p = subprocess.run(
                [*self.prefix, "lower", f.name, "--backend", BACKEND, *options],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=600,
                cwd=REPO,
            )
        return p.returncode, json.loads(p.stdout) if "--json" in options else p.stdout, p.stderr


def x(shape=(2, 4), dtype="float32", scale=None, zero_point=None, name="x", **more):
    return T(name, shape, dtype, scale, zero_point, **more)


def const(data, dtype="int32", name="c"):
    a = np.asarray(data)
    return T(name, a.shape, dtype, data=a.astype("int8" if dtype.startswith("int4") else dtype))


def composite(name, inputs, outputs, attributes=None):
    """A composite whose parts are an ABS in subgraph 1."""
    b = Builder()
    b.subgraph()
    for t in inputs + outputs:
        b.tensor(t)
    o = schema.StableHLOCompositeOptionsT()
    o.name, o.decompositionSubgraphIndex, o.version = name, 1, 1
    if attributes is not None:
        f = flexbuffers.Builder()
        with f.Map():
            for key, value in attributes.items():
                (f.Float if isinstance(value, float) else f.Int)(key, value)
        o.compositeAttributes = list(bytes(f.Finish()))
    b.op("STABLEHLO_COMPOSITE", inputs, outputs, o)
    b.io([t for t in inputs if t.data is None], outputs)
    b.subgraph()
    inner, out = T("inner", inputs[0].shape), T("out", inputs[0].shape)
    b.op("ABS", [inner], [out])
    b.io([inner], [out])
    return b.bytes()


def window(**more):
    return dict(padding=0, strideW=1, strideH=1, **more)


IMAGE = (1, 4, 4, 2)


def listed():
    """{operator: a model with it alone that both profiles take, if they list it}"""
    f = x()
    w = const(np.ones((3, 1, 1, 2)), "float32", "w")
    unary = "ABS CAST DEQUANTIZE GELU HARD_SWISH LOGISTIC QUANTIZE RELU RSQRT SOFTMAX SQRT TANH LEAKY_RELU".split()
    unary += ["L2_NORMALIZATION"]
    binary = "ADD DIV GREATER MAXIMUM MINIMUM MUL PRELU SUB SQUARED_DIFFERENCE LESS".split()
    models = {op: single_op(op, [f], [x(name="y")]) for op in unary}
    models["CAST"] = single_op("CAST", [f], [x(name="y", dtype="int32")])
    models["DEQUANTIZE"] = single_op("DEQUANTIZE", [x(dtype="float16")], [x(name="y")])
    models["QUANTIZE"] = single_op("QUANTIZE", [f], [x(name="y", dtype="int8", scale=0.5, zero_point=0)])
    for op in binary:
        out = "bool" if op in ("GREATER", "LESS") else "float32"
        models[op] = single_op(op, [f, x(name="z")], [x(name="y", dtype=out)])
    for op in ("AVERAGE_POOL_2D", "MAX_POOL_2D"):
        o = opts("Pool2D", **window(filterWidth=2, filterHeight=2))
        models[op] = single_op(op, [x(IMAGE)], [x(IMAGE, name="y")], o)
    bias = const(np.zeros(3), "float32", "b")
    models["CONV_2D"] = single_op(
        "CONV_2D", [x(IMAGE), w, bias], [x((1, 4, 4, 3), name="y")], opts("Conv2D", **window())
    )
    models["DEPTHWISE_CONV_2D"] = single_op(
        "DEPTHWISE_CONV_2D",
        [x(IMAGE), const(np.ones((1, 2, 2, 2)), "float32", "w"), const(np.zeros(2), "float32", "b")],
        [x(IMAGE, name="y")],
        opts("DepthwiseConv2D", **window(depthMultiplier=1)),
    )
    models["FULLY_CONNECTED"] = single_op(
        "FULLY_CONNECTED", [f, const(np.ones((3, 4)), "float32", "w")], [x((2, 3), name="y")], opts("FullyConnected")
    )
    models["TRANSPOSE_CONV"] = single_op(
        "TRANSPOSE_CONV",
        [const([1, 4, 4, 3]), w, x(IMAGE)],
        [x((1, 4, 4, 3), name="y")],
        opts("TransposeConv", **window()),
    )
    models["BATCH_MATMUL"] = single_op(
        "BATCH_MATMUL", [f, x((4, 3), name="z")], [x((2, 3), name="y")], opts("BatchMatMul")
    )
    models["CONCATENATION"] = single_op("CONCATENATION", [f, x(name="z")], [x((4, 4), name="y")], opts("Concatenation"))
    for op in ("MEAN", "SUM", "REDUCE_MAX"):
        models[op] = single_op(op, [f, const([1])], [x((2,), name="y")], opts("Reducer"))
    models["PAD"] = single_op("PAD", [f, const([[0, 1], [1, 0]])], [x((3, 5), name="y")])
    models["PADV2"] = single_op(
        "PADV2", [f, const([[0, 1], [1, 0]]), const(2.0, "float32", "v")], [x((3, 5), name="y")]
    )
    models["RESHAPE"] = single_op(
        "RESHAPE", [f, const([4, 2])], [x((4, 2), name="y")], opts("Reshape", newShape=[4, 2])
    )
    for op, o in (("RESIZE_BILINEAR", "ResizeBilinear"), ("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighbor")):
        models[op] = single_op(op, [x(IMAGE), const([8, 8])], [x((1, 8, 8, 2), name="y")], opts(o))
    models["SLICE"] = single_op("SLICE", [f, const([0, 1], name="b"), const([1, 2])], [x((1, 2), name="y")])
    models["SPLIT"] = single_op(
        "SPLIT", [const(1), f], [x((2, 2), name="y"), x((2, 2), name="z")], opts("Split", numSplits=2)
    )
    models["STRIDED_SLICE"] = single_op(
        "STRIDED_SLICE",
        [f, const([0, 1], name="b"), const([2, 3], name="e"), const([1, 1], name="s")],
        [x((2, 2), name="y")],
        opts("StridedSlice"),
    )
    models["TRANSPOSE"] = single_op("TRANSPOSE", [f, const([1, 0])], [x((4, 2), name="y")])
    models["TILE"] = single_op("TILE", [f, const([1, 2])], [x((2, 8), name="y")])
    models["UNPACK"] = single_op("UNPACK", [f], [x((4,), name="y"), x((4,), name="z")], opts("Unpack", num=2, axis=0))
    models["STABLEHLO_COMPOSITE"] = composite("odml.l2_norm", [f], [x(name="y")])
    return models
