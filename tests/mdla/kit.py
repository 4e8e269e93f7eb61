"""What the tests of the MDLA share: `npu_rt check`, `ops` and `plan` as Python values, and small models."""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../conformance"))

import numpy as np  # noqa: E402
from mkmodel import Builder, T, opts, schema, single_op  # noqa: E402, F401
from runner import REPO, SHARED, Score  # noqa: E402, F401

from guide import VERSIONS  # noqa: E402, F401

GUIDE_TEXT = "mdla-model-design-guide.txt"


def arguments(description):
    p = argparse.ArgumentParser(description=description)
    p.add_argument("--command", default=os.path.join(REPO, "build", "npu_rt"))
    p.add_argument("--shared", default=SHARED, help="folder with reference/ and models/")
    return p.parse_args()


class Mdla:
    def __init__(self, command):
        self.prefix = shlex.split(command)

    def call(self, *args, model=None, files=()):
        """(exit code, stdout, stderr); `{0}` in an argument is the model's path, `{1}` that of files[0], ..."""
        paths = []
        try:
            for content in ([] if model is None else [model]) + list(files):
                with tempfile.NamedTemporaryFile(delete=False) as f:
                    f.write(content)
                paths.append(f.name)
            p = subprocess.run(
                [*self.prefix, *[a.format(*paths) for a in args]],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=600,
                cwd=REPO,
            )
        finally:
            for path in paths:
                os.unlink(path)
        return p.returncode, p.stdout, p.stderr

    def json(self, *args, **more):
        code, out, err = self.call(*args, "--json", **more)
        if code:
            raise RuntimeError("exit %d: %s" % (code, err.strip()[-400:]))
        return json.loads(out)

    def ops(self, version, rules="guide"):
        return self.json("ops", "--backend", "mdla" + version, "--rules", rules)

    def verdict(self, model, version, rules="guide"):
        """Of the first operator: (placed, {rule: reason}, {rule: warning})."""
        op = self.json("check", "{0}", "--backend", "mdla" + version, "--rules", rules, model=model)["ops"][0]
        return op["placed"], {r["rule"]: r for r in op["reasons"]}, {r["rule"]: r for r in op["warnings"]}

    def plan(self, model, version, *options, files=()):
        return self.json("plan", "{0}", "--backend", "mdla" + version, *options, model=model, files=files)


KINDS = {  # as the guide names them: dtype, scale, zero point
    "FP32": ("float32", None, None),
    "FP16": ("float16", None, None),
    "ASYM UINT8": ("uint8", 0.5, 3),
    "ASYM INT8": ("int8", 0.5, 3),
    "SYM INT8": ("int8", 0.5, 0),
    "SYM INT16": ("int16", 0.5, 0),
}


def tensor(shape, kind="SYM INT8", name="x", scale=None, zero_point=None, **more):
    dtype, s, z = KINDS[kind]
    return T(name, shape, dtype, s if scale is None else scale, z if zero_point is None else zero_point, **more)


def const(data, dtype="int32", name="c", scale=None, zero_point=None, axis=0):
    a = np.asarray(data).astype(dtype)
    return T(name, a.shape, dtype, scale, zero_point, axis, data=a)


def weights(shape, kind="SYM INT8", name="w", scales=None, axis=0, scale=0.01):
    """Constant weights; `scales`: by channel."""
    dtype, s, z = KINDS[kind]
    data = np.ones(shape, dtype)
    if s is None:
        return T(name, shape, dtype, data=data)
    n = shape[axis]
    return T(name, shape, dtype, [scale] * n if scales else scale, [z] * n if scales else z, axis, data=data)


def conv_opts(padding=1, stride=(1, 1), dilation=(1, 1), act=0):
    return opts(
        "Conv2D",
        padding=padding,
        strideH=stride[0],
        strideW=stride[1],
        dilationHFactor=dilation[0],
        dilationWFactor=dilation[1],
        fusedActivationFunction=act,
    )


def window_out(n, k, stride, padding, dilation=1):
    k = (k - 1) * dilation + 1
    return -(-n // stride) if padding == 0 else (n - k) // stride + 1


class Net:
    """A chain of operators, for plans: each adds one whose first input is the last output (or `at`)."""

    def __init__(self, shape, kind="SYM INT8"):
        self.b, self.kind, self.n = Builder(), kind, 0
        self.b.subgraph()
        self.x = self.input(shape)
        self.inputs, self.at, self.outputs = [self.x], self.x, []

    def input(self, shape, kind=None):
        t = tensor(shape, kind or self.kind, "in%d" % self.n)
        self.n += 1
        self.b.tensor(t)
        return t

    def new(self, shape, kind=None, **more):
        self.n += 1
        t = tensor(shape, kind or self.kind, "t%d" % self.n, **more)
        self.b.tensor(t)
        return t

    def const(self, t):
        self.n += 1
        t.name = "c%d" % self.n
        self.b.tensor(t)
        return t

    def op(self, code, inputs, out, options=None, **more):
        self.b.op(code, inputs, [out], options, **more)
        self.at = out
        return out

    def conv(self, oc, k=1, stride=1, padding=1, dilation=1, act=0, at=None, w_kind=None, **more):
        x = at or self.at
        n, h, w, c = x.shape
        f = self.const(weights((oc, k, k, c), w_kind or self.kind))
        out = self.new((n, *(window_out(d, k, stride, padding, dilation) for d in (h, w)), oc), **more)
        return self.op("CONV_2D", [x, f], out, conv_opts(padding, (stride, stride), (dilation, dilation), act))

    def depthwise(self, k=3, stride=1, padding=0, act=0, at=None):
        x = at or self.at
        n, h, w, c = x.shape
        f = self.const(weights((1, k, k, c), self.kind, axis=3))
        out = self.new((n, *(window_out(d, k, stride, padding) for d in (h, w)), c))
        o = opts(
            "DepthwiseConv2D",
            padding=padding,
            strideH=stride,
            strideW=stride,
            depthMultiplier=1,
            fusedActivationFunction=act,
        )
        return self.op("DEPTHWISE_CONV_2D", [x, f], out, o)

    def unary(self, code, at=None, options=None, **more):
        x = at or self.at
        return self.op(code, [x], self.new(x.shape, **more), options)

    def add(self, other, at=None, code="ADD", **more):
        x = at or self.at
        return self.op(code, [x, other], self.new(x.shape), **more)

    def pool(self, k=2, stride=2, code="MAX_POOL_2D", at=None, padding=1, **more):
        x = at or self.at
        n, h, w, c = x.shape
        out = self.new((n, *(window_out(d, k, stride, padding) for d in (h, w)), c), **more)
        o = opts("Pool2D", padding=padding, strideH=stride, strideW=stride, filterHeight=k, filterWidth=k)
        return self.op(code, [x], out, o)

    def resize(self, h, w, at=None, code="RESIZE_BILINEAR"):
        x = at or self.at
        size = self.const(const([h, w]))
        name = "ResizeBilinear" if code == "RESIZE_BILINEAR" else "ResizeNearestNeighbor"
        return self.op(code, [x, size], self.new((x.shape[0], h, w, x.shape[3])), opts(name))

    def bytes(self, *outputs):
        self.b.io(self.inputs, list(outputs) or [self.at])
        return self.b.bytes()
