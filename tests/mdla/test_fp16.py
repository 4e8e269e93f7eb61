#!/usr/bin/env python3
"""Segments run in FP16, against NumPy (half.py): every operator of the public float networks and of networks made of a seed gives the
float16 next to the exact result (but for what sums of float32 lose), from its own inputs; whole networks stay within a bound of
NumPy's. Quantized networks give the CPU's integers.

    test_fp16.py [--command CMD] [--shared DIR] [--count N] [--seed N]"""

import collections
import os
import sys
import tempfile

import half
import numpy as np
from kit import Builder, Mdla, Score, T, opts
from kit import arguments as kit_arguments
from runner import Command, CommandFailed, difference

# End to end: parts of the largest magnitude of an output. Each operator's error is half a float16 of its result at most, or a whole one
# where the order of a sum decides the rounding; a network multiplies them.
WHOLE = 0.008
RELAXED = ["--backend", "mdla3.0", "--rules", "guide-relax-fp32"]
FLOAT = [
    "ad01_fp32",
    "deeplabv3",
    "dtln_model_1",
    "face_detection_front",
    "face_detection_full_range_sparse",
    "hello_world_float",
    "litert_torchaudio_conformer",
    "mobilenet_v1_0.25_224_1_default_1",
    "movenet_single_pose_lightning_ptq",
    "palm_detection_lite",
    "pretrainedResnet",
    "trained_lstm",
    "vww_96_float",
    "yamnet_audio_classifier_with_metadata",
]
INTEGERS = [
    "ad01_int8",
    "mobilenet_v2_1.0_224_quant",
    "person_detect",
    "pretrainedResnet_quant",
    "vww_96_int8",
    "kws_ref_model",
]


def arguments():
    argv = sys.argv[1:]
    count = int(argv[argv.index("--count") + 1]) if "--count" in argv else 40
    seed = int(argv[argv.index("--seed") + 1]) if "--seed" in argv else 0
    for name in ("--count", "--seed"):
        if name in argv:
            at = sys.argv.index(name)
            del sys.argv[at : at + 2]
    return kit_arguments(__doc__), count, seed


class Runs:
    """`npu_rt run` with all tensors as outputs."""

    def __init__(self, a):
        self.command, self.mdla = Command(a.command), Mdla(a.command)
        self.counts, self.worst, self.whole = collections.Counter(), [], []

    def run(self, content, inputs, more=()):
        with tempfile.TemporaryDirectory() as temp:
            path = os.path.join(temp, "m.tflite")
            with open(path, "wb") as f:
                f.write(content)
            self.command.extra = list(more)
            return self.command.run(path, inputs)

    def placed(self, content):
        r = self.mdla.json("check", "{0}", *RELAXED, model=content)
        return {op["index"] for op in r["ops"] if op["placed"] and op["subgraph"] == 0}


def opened(content):
    """The model with all that is computed as outputs, and which tensors these are."""
    m = half.Model(content)
    g, made = m.g, []
    for op in g.operators:
        made += [int(t) for t in op.outputs if m.is_float(t) and m.tensors[int(t)].shape is not None]
    outs = [int(t) for t in g.outputs]
    made = [t for t in dict.fromkeys(made) if t not in outs]
    g.outputs = np.array(outs + made, np.int32)
    m.m.signatureDefs = []
    b = Builder()
    b.model = m.m
    return b.bytes(), outs + made


def operators(runs, m, values, placed):
    """(worst, problem): how far any operator is beyond its bound, as a part of that."""
    worst, problem = 0.0, None
    for i, op in enumerate(m.g.operators):
        outs = [int(t) for t in op.outputs]
        if i not in placed or any(t not in values for t in outs):
            runs.counts["integers, folded or not placed"] += 1
            continue
        want = half.operator(m, op, values)
        if want is None:
            runs.counts["not in the reference: " + m.name(op)] += 1
            continue
        runs.counts["compared"] += 1
        for t, (exact, slack) in zip(outs, want, strict=True):
            got = values[t].astype(np.float64)
            if got.shape != exact.shape:
                return 9.0, "operator %d %s: shape %s, not %s" % (i, m.name(op), got.shape, exact.shape)
            if not np.array_equal(half.half(got), got, equal_nan=True):
                return 9.0, "operator %d %s: no float16" % (i, m.name(op))
            rounded = half.half(exact)
            same = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
            with np.errstate(invalid="ignore"):
                off = np.where(same, 0.0, np.abs(got - exact) / (half.half_ulp(exact) + slack))
            most = float(off.max()) if off.size else 0.0
            if most > worst:
                worst = most
            if not most <= 1.0 + 1e-6 and problem is None:
                problem = "operator %d %s: %g of its bound" % (i, m.name(op), most)
    return worst, problem


def chain(m, inputs, folded):
    """Outputs of the whole network in float16, or None. `folded`: what the plan computed."""
    values = {int(t): half.half(v) if v.dtype == np.float32 else v for t, v in zip(m.g.inputs, inputs, strict=True)}
    values.update({t: half.half(v) for t, v in folded.items()})
    for op in m.g.operators:
        outs = [int(t) for t in op.outputs]
        if all(t in folded for t in outs):
            continue
        want = half.operator(m, op, values)
        if want is None:
            return None
        for t, (exact, _) in zip(outs, want, strict=True):
            values[t] = half.half(exact)
    return [values[int(t)] for t in m.g.outputs]


def dequantized(m):
    """Constants that DEQUANTIZE of float16 makes."""
    made = {}
    for op in m.g.operators:
        t = int(op.inputs[0]) if len(op.inputs) else -1
        if m.name(op) == "DEQUANTIZE" and m.constant(t) is not None and m.constant(t).dtype == np.float16:
            made[int(op.outputs[0])] = m.constant(t).astype(np.float32)
    return made


def network(runs, score, name, content, seed):
    m = half.Model(content)
    rng = np.random.default_rng(seed)
    inputs = []
    for t in m.g.inputs:
        t = m.tensors[int(t)]
        d = half.DTYPES[t.type]
        a = rng.uniform(-1, 1, tuple(t.shape)) if d == "float32" else rng.integers(0, 2, tuple(t.shape))
        inputs.append(a.astype(d))
    wide, tensors = opened(content)
    placed = runs.placed(content)
    try:
        values = dict(zip(tensors, runs.run(wide, inputs, RELAXED), strict=True))
    except CommandFailed as e:
        score.check(name, str(e))
        return
    values.update({int(t): v for t, v in zip(m.g.inputs, inputs, strict=True)})
    folded = dequantized(m)
    values.update({t: v for t, v in folded.items() if t not in values})
    worst, problem = operators(runs, m, values, placed)
    runs.worst.append((worst, name))
    score.check(name + ": operators", problem)
    got = runs.run(content, inputs, RELAXED)
    score.check(name + ": alone as with all tensors", difference(got, [values[int(t)] for t in m.g.outputs], None))
    whole = chain(m, inputs, folded) if len(placed) == len(m.g.operators) else None
    if whole is None:
        return
    runs.counts["whole networks"] += 1
    for i, (a, b) in enumerate(zip(got, whole, strict=True)):
        off = np.abs(a - b).max() / max(np.abs(b).max(), 1e-9)
        runs.whole.append((float(off), name))
        score.check(
            "%s: output %d of the whole" % (name, i), None if off <= WHOLE else "off by %g of the largest" % off
        )


# ---- networks that nobody has seen ----


class Made:
    """A network of random float operators."""

    def __init__(self, rng):
        self.rng, self.b, self.n = rng, Builder(), 0
        self.b.subgraph()
        shape = (1, int(rng.integers(3, 10)), int(rng.integers(3, 10)), int(rng.choice([1, 3, 8, 17])))
        self.x = T("x", shape)
        self.b.tensor(self.x)
        self.made = [self.x]
        for _ in range(int(rng.integers(2, 9))):
            self.add()
        self.b.io([self.x], [self.made[-1]])

    def const(self, shape, scale=1.0, kind="float32", data=None):
        self.n += 1
        if kind == "int8":
            a = self.rng.integers(-127, 128, shape).astype("int8")
            return T("c%d" % self.n, shape, kind, 0.01 * scale, 0, data=a)
        a = data if data is not None else (self.rng.standard_normal(shape) * scale).astype("float32")
        return T("c%d" % self.n, shape, str(a.dtype), data=a)

    def op(self, name, inputs, shape, options=None):
        self.n += 1
        y = T("t%d" % self.n, shape)
        for t in inputs:
            self.b.tensor(t)
        self.b.tensor(y)
        self.b.op(name, inputs, [y], options)
        self.made.append(y)

    def add(self):
        r = self.rng
        x = self.made[-1] if r.random() < 0.7 else self.made[int(r.integers(len(self.made)))]
        n, h, w, c = x.shape
        way = str(
            r.choice(
                [
                    "conv",
                    "depthwise",
                    "hybrid",
                    "unary",
                    "unary",
                    "binary",
                    "const",
                    "pool",
                    "pad",
                    "resize",
                    "prelu",
                    "concat",
                ]
            )
        )
        act = int(r.choice([0, 0, 1, 3]))
        big = float(r.choice([0.05, 0.3, 1.0, 30.0]))
        if way in ("conv", "hybrid"):
            k, oc = int(r.choice([1, 2, 3])), int(r.choice([1, 4, 9]))
            o = opts("Conv2D", padding=0, strideH=1, strideW=1, dilationHFactor=1, dilationWFactor=1)
            o.fusedActivationFunction = act
            wt = self.const((oc, k, k, c), big, "int8" if way == "hybrid" else "float32")
            self.op("CONV_2D", [x, wt, self.const((oc,))], (n, h, w, oc), o)
        elif way == "depthwise":
            o = opts(
                "DepthwiseConv2D",
                padding=0,
                strideH=1,
                strideW=1,
                dilationHFactor=1,
                dilationWFactor=1,
                depthMultiplier=1,
            )
            self.op("DEPTHWISE_CONV_2D", [x, self.const((1, 3, 3, c), big), self.const((c,))], x.shape, o)
        elif way == "unary":
            names = ["RELU", "RELU6", "RELU_N1_TO_1", "TANH", "LOGISTIC", "ELU", "ABS", "NEG", "SQUARE", "SOFTMAX"]
            name = str(r.choice(names))
            self.op(name, [x], x.shape, opts("Softmax", beta=1.0) if name == "SOFTMAX" else None)
        elif way in ("binary", "const"):
            same = [t for t in self.made if t.shape == x.shape]
            y = self.const((c,), big) if way == "const" else same[int(r.integers(len(same)))]
            name = str(r.choice(["ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE"]))
            o = {"ADD": "Add", "SUB": "Sub", "MUL": "Mul"}.get(name)
            self.op(name, [x, y], x.shape, opts(o, fusedActivationFunction=act) if o else None)
        elif way == "pool":
            o = opts(
                "Pool2D", padding=0, strideH=1, strideW=2, filterHeight=2, filterWidth=3, fusedActivationFunction=act
            )
            self.op(str(r.choice(["MAX_POOL_2D", "AVERAGE_POOL_2D"])), [x], (n, h, -(-w // 2), c), o)
        elif way == "pad":
            p = self.const((4, 2), data=np.array([[0, 0], [1, 0], [2, 1], [0, 0]], "int32"))
            self.op("PAD", [x, p], (n, h + 1, w + 3, c), opts("Pad"))
        elif way == "resize" and h * w < 200:
            size = self.const((2,), data=np.array([h * 2, w + 1], "int32"))
            self.op("RESIZE_BILINEAR", [x, size], (n, h * 2, w + 1, c), opts("ResizeBilinear"))
        elif way == "prelu":
            self.op("PRELU", [x, self.const((1, 1, c), 0.3)], x.shape)
        elif way == "concat":
            o = opts("Concatenation", axis=3, fusedActivationFunction=0)
            self.op("CONCATENATION", [x, x], (n, h, w, 2 * c), o)


def integers(runs, score, a):
    for name in INTEGERS:
        path = os.path.join(a.shared, "models", name + ".tflite")
        if not os.path.exists(path):
            continue
        for version in ("mdla1.5", "mdla3.0"):
            runs.command.extra = []
            want = runs.command.run(path, [])
            runs.command.extra = ["--backend", version]
            score.check("%s on %s" % (name, version), difference(runs.command.run(path, []), want, None))


def main():
    a, count, seed = arguments()
    score, runs = Score("mdla fp16"), Runs(a)
    for name in FLOAT:
        path = os.path.join(a.shared, "models", name + ".tflite")
        if not os.path.exists(path):
            score.skip(name, "no " + path)
            continue
        with open(path, "rb") as f:
            network(runs, score, name, f.read(), 0)
    for i in range(seed, seed + count):
        made = Made(np.random.default_rng(i))
        network(runs, score, "network of seed %d" % i, made.b.bytes(), i)
    integers(runs, score, a)
    for title, rows in (("operators nearest to their bound", runs.worst), ("whole networks furthest off", runs.whole)):
        print("mdla fp16: %s: %s" % (title, ", ".join("%s %.3g" % (n, v) for v, n in sorted(rows, reverse=True)[:5])))
    print("mdla fp16: %s" % ", ".join("%s %d" % (k, v) for k, v in sorted(runs.counts.items())))
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
