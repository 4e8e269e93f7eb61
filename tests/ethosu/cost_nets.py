"""Networks for the cost table: the public ones, pieces cut out of them, and synthetic ones of the usual families.

networks(shared) yields (name, bytes), the same ones every time. Synthetic weights follow a bell curve, as trained ones
do: the size of a coded stream depends on it. Needs tests/conformance (flatbuffers, numpy, LiteRT's schema)."""

import glob
import os
import sys

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(REPO, "tests", "conformance"))

import numpy as np

from mkmodel import Builder, T, schema, opts as options, rng_of

NONE, RELU, RELU6, SAME, VALID = 0, 1, 3, 0, 1


class Net:
    """Grows a quantized network; every method takes tensors and returns one."""

    def __init__(self, name, shape, dtype="int8", spread=22):
        self.name, self.dtype, self.spread, self.rng, self.count = name, dtype, spread, rng_of(name), 0
        self.b = Builder()
        self.b.subgraph()
        self.x = T("x", shape, dtype, 0.05, 0)
        self.b.tensor(self.x)

    def new(self, shape, scale=0.05, zero_point=0, dtype=None, data=None):
        self.count += 1
        return T("t%d" % self.count, shape, dtype or self.dtype, scale, zero_point, data=data)

    def weights(self, shape):
        w = np.clip(np.rint(self.rng.laplace(0, self.spread, shape)), -127, 127).astype(np.int8)
        return self.new(shape, 0.01, 0, "int8", w)

    def bias(self, n, scale):
        wide = self.dtype == "int16"
        return self.new((n,), scale, 0, "int64" if wide else "int32", self.rng.integers(-3000, 3000, n))

    def ints(self, values):
        return self.new((len(values),), None, None, "int32", np.array(values, np.int32))

    def op(self, op, inputs, shape, opts=None, scale=0.05, zero_point=0):
        y = self.new(shape, scale, zero_point)
        self.b.op(op, inputs, [y], opts)
        return y

    def conv(self, x, channels, k=3, stride=1, act=RELU, depthwise=False, padding=SAME, dilation=1):
        k, s = (k, k) if isinstance(k, int) else k, (stride, stride) if isinstance(stride, int) else stride
        d = x.shape[3]
        n = d if depthwise else channels
        w = self.weights((1, *k, d) if depthwise else (channels, *k, d))
        if depthwise:
            w.axis = 3
        reach = [(kk - 1) * dilation + 1 for kk in k]
        size = [-(-a // b) if padding == SAME else (a - r) // b + 1 for a, b, r in zip(x.shape[1:3], s, reach)]
        fields = {
            "padding": padding,
            "strideH": s[0],
            "strideW": s[1],
            "dilationHFactor": dilation,
            "dilationWFactor": dilation,
            "fusedActivationFunction": act,
        }
        if depthwise:
            fields["depthMultiplier"] = 1
        kind = "DepthwiseConv2D" if depthwise else "Conv2D"
        return self.op(
            "DEPTHWISE_CONV_2D" if depthwise else "CONV_2D",
            [x, w, self.bias(n, x.scale * 0.01)],
            (x.shape[0], *size, n),
            options(kind, **fields),
        )

    def dw(self, x, k=3, stride=1, act=RELU6, **more):
        return self.conv(x, 0, k, stride, act, True, **more)

    def separable(self, x, channels, k=3, stride=1):
        return self.conv(self.dw(x, k, stride), channels, 1, 1, RELU6)

    def inverted(self, x, channels, stride=1, expand=6, k=3):
        y = self.conv(x, x.shape[3] * expand, 1, 1, RELU6) if expand > 1 else x
        y = self.conv(self.dw(y, k, stride), channels, 1, 1, NONE)
        return self.add(x, y) if x.shape == y.shape else y

    def fc(self, x, n, act=NONE):
        rows = int(np.prod(x.shape)) // x.shape[-1]
        w = self.weights((n, x.shape[-1]))
        return self.op(
            "FULLY_CONNECTED",
            [x, w, self.bias(n, x.scale * 0.01)],
            (rows, n),
            options("FullyConnected", fusedActivationFunction=act),
        )

    def add(self, a, b, act=NONE):
        return self.op("ADD", [a, b], a.shape, options("Add", fusedActivationFunction=act))

    def mul(self, a, b):
        return self.op("MUL", [a, b], a.shape, options("Mul", fusedActivationFunction=NONE))

    def pool(self, x, k=2, stride=2, kind="MAX_POOL_2D", padding=SAME):
        k = (k, k) if isinstance(k, int) else k
        size = [-(-a // stride) if padding == SAME else (a - r) // stride + 1 for a, r in zip(x.shape[1:3], k)]
        o = options(
            "Pool2D",
            padding=padding,
            strideH=stride,
            strideW=stride,
            filterHeight=k[0],
            filterWidth=k[1],
            fusedActivationFunction=NONE,
        )
        return self.op(kind, [x], (x.shape[0], *size, x.shape[3]), o)

    def mean(self, x):
        return self.op(
            "MEAN", [x, self.ints([1, 2])], (x.shape[0], 1, 1, x.shape[3]), options("Reducer", keepDims=True)
        )

    def reshape(self, x, *shape):
        return self.op("RESHAPE", [x, self.ints(shape)], shape, options("Reshape", newShape=np.array(shape, np.int32)))

    def concat(self, *xs, axis=3):
        shape = list(xs[0].shape)
        shape[axis] = sum(x.shape[axis] for x in xs)
        return self.op(
            "CONCATENATION", list(xs), tuple(shape), options("Concatenation", axis=axis, fusedActivationFunction=NONE)
        )

    def up(self, x, kind="NEAREST_NEIGHBOR", **fields):
        table = "ResizeNearestNeighbor" if kind == "NEAREST_NEIGHBOR" else "ResizeBilinear"
        size = [2 * d for d in x.shape[1:3]]
        return self.op(
            "RESIZE_" + kind, [x, self.ints(size)], (x.shape[0], *size, x.shape[3]), options(table, **fields)
        )

    def up_conv(self, x, channels, k=2):
        shape = (x.shape[0], 2 * x.shape[1], 2 * x.shape[2], channels)
        o = options("TransposeConv", padding=SAME, strideH=2, strideW=2, fusedActivationFunction=NONE)
        return self.op("TRANSPOSE_CONV", [self.ints(shape), self.weights((channels, k, k, x.shape[3])), x], shape, o)

    def logistic(self, x):
        wide = self.dtype == "int16"
        return self.op("LOGISTIC", [x], x.shape, None, 2.0 ** (-15 if wide else -8), 0 if wide else -128)

    def hard_swish(self, x):
        return self.op("HARD_SWISH", [x], x.shape)

    def softmax(self, x):
        wide = self.dtype == "int16"
        return self.op(
            "SOFTMAX", [x], x.shape, options("Softmax", beta=1.0), 2.0 ** (-15 if wide else -8), 0 if wide else -128
        )

    def matmul(self, a, b, adj_y=False):
        n = b.shape[-2] if adj_y else b.shape[-1]
        return self.op("BATCH_MATMUL", [a, b], (*a.shape[:-1], n), options("BatchMatMul", adjX=False, adjY=adj_y))

    def transpose(self, x, *perm):
        return self.op("TRANSPOSE", [x, self.ints(perm)], tuple(x.shape[p] for p in perm), options("Transpose"))

    def squeeze_excite(self, x, ratio=4):
        s = self.conv(self.mean(x), max(x.shape[3] // ratio, 8), 1)
        return self.mul(x, self.logistic(self.conv(s, x.shape[3], 1, 1, NONE)))

    def classify(self, x, n):
        return self.softmax(self.fc(self.reshape(self.mean(x), x.shape[0], x.shape[3]), n))

    def close(self, *outputs):
        self.b.io([self.x], list(outputs))
        return self.name, self.b.bytes()


# ---- families ----


def mobilenet_v1(size, alpha, batch=1):
    c = Net("mobilenet_v1_%d_%g_%d" % (size, alpha, batch), (batch, size, size, 3))
    at = lambda n: max(int(n * alpha), 8)
    x = c.conv(c.x, at(32), 3, 2, RELU6)
    for n, s in ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1), (512, 1), (1024, 2), (1024, 1)):
        x = c.separable(x, at(n), 3, s)
    return c.close(c.classify(x, 100))


def mobilenet_v2(size, alpha):
    c = Net("mobilenet_v2_%d_%g" % (size, alpha), (1, size, size, 3))
    at = lambda n: max(int(n * alpha) // 8 * 8, 8)
    x = c.inverted(c.conv(c.x, at(32), 3, 2, RELU6), at(16), 1, 1)
    for n, times, s in ((24, 2, 2), (32, 2, 2), (64, 3, 2), (96, 2, 1), (160, 2, 2), (320, 1, 1)):
        for i in range(times):
            x = c.inverted(x, at(n), s if i == 0 else 1)
    return c.close(c.classify(c.conv(x, max(at(1280), 1280), 1, 1, RELU6), 1000))


def efficient(size):
    c = Net("efficient_%d" % size, (1, size, size, 3), spread=14)
    x = c.conv(c.x, 32, 3, 2, NONE)
    for n, k, s in ((16, 3, 1), (24, 3, 2), (40, 5, 2), (80, 3, 2), (112, 5, 1)):
        y = c.hard_swish(c.conv(x, x.shape[3] * 4, 1, 1, NONE))
        y = c.squeeze_excite(c.hard_swish(c.dw(y, k, s, NONE)))
        y = c.conv(y, n, 1, 1, NONE)
        x = c.add(x, y) if x.shape == y.shape else y
    return c.close(c.classify(x, 50))


def resnet(size, widths, blocks, first=3, stride=1):
    c = Net("resnet_%d_%s" % (size, "_".join(map(str, widths))), (1, size, size, 3), spread=18)
    x = c.conv(c.x, widths[0], first, stride)
    if stride > 1:
        x = c.pool(x, 3, 2)
    for i, n in enumerate(widths):
        for j in range(blocks):
            s = 2 if i and not j else 1
            y = c.conv(c.conv(x, n, 3, s), n, 3, 1, NONE)
            x = c.add(y, x if x.shape == y.shape else c.conv(x, n, 1, s, NONE), RELU)
    return c.close(c.classify(x, 10))


def unet(size, base, how):
    c = Net("unet_%d_%d_%s" % (size, base, how), (1, size, size, 3), spread=30)
    x, skips = c.x, []
    for i in range(3):
        x = c.conv(c.conv(x, base << i), base << i)
        skips.append(x)
        x = c.pool(x)
    x = c.conv(x, base << 3)
    for i in (2, 1, 0):
        x = c.up_conv(x, base << i) if how == "transpose" else c.up(x, how)
        x = c.conv(c.concat(x, skips[i]), base << i)
    return c.close(c.conv(x, 4, 1, 1, NONE))


def super_resolution(h, w, channels, depth):
    c = Net("sr_%dx%d_%d" % (h, w, channels), (1, h, w, 3), spread=12)
    x = first = c.conv(c.x, channels, 5)
    for _ in range(depth):
        x = c.conv(x, channels)
    return c.close(c.conv(c.add(x, first), 12, 3, 1, NONE))


def keyword(frames, features, channels):
    c = Net("kws_%dx%d_%d" % (frames, features, channels), (1, frames, features, 1))
    x = c.conv(c.x, channels, (10, 4), (2, 1))
    for _ in range(4):
        x = c.separable(x, channels)
    x = c.pool(x, x.shape[1:3], 1, "AVERAGE_POOL_2D", VALID)
    return c.close(c.softmax(c.fc(c.reshape(x, 1, channels), 12)))


def temporal(length, channels):
    c = Net("temporal_%d_%d" % (length, channels), (1, 1, length, 40))
    x = c.conv(c.x, channels, (1, 3))
    for i in range(3):
        y = c.conv(c.conv(x, channels, (1, 9)), channels, (1, 9), 1, NONE, dilation=1)
        x = c.add(x, y, RELU)
        x = c.conv(x, channels + 16, (1, 9), (1, 2))
        channels += 16
    return c.close(c.classify(x, 12))


def mlp(*widths):
    c = Net("mlp_" + "_".join(map(str, widths)), (1, widths[0]), spread=25)
    x = c.x
    for n in widths[1:-1]:
        x = c.fc(x, n, RELU)
    return c.close(c.fc(x, widths[-1]))


def transformer(tokens, width, heads, layers):
    c = Net("transformer_%d_%d" % (tokens, width), (tokens, width), spread=16)
    x, each = c.x, width // heads
    for _ in range(layers):
        q, k, v = (c.transpose(c.reshape(c.fc(x, width), 1, tokens, heads, each), 0, 2, 1, 3) for _ in range(3))
        a = c.matmul(c.softmax(c.matmul(q, k, True)), v)
        a = c.reshape(c.transpose(a, 0, 2, 1, 3), tokens, width)
        x = c.add(x, c.fc(a, width))
        x = c.add(x, c.fc(c.fc(x, 4 * width, RELU), width))
    return c.close(x)


def inception(size):
    c = Net("inception_%d" % size, (1, size, size, 3))
    x = c.pool(c.conv(c.x, 32, 3, 2), 3, 2)
    for n in (16, 24, 32):
        x = c.concat(
            c.conv(x, n, 1),
            c.conv(c.conv(x, n, 1), 2 * n, 3),
            c.conv(c.conv(x, n, 1), n, 5),
            c.conv(c.pool(x, 3, 1), n, 1),
        )
        x = c.pool(x)
    return c.close(c.classify(x, 20))


def detector(size, base):
    c = Net("detector_%d_%d" % (size, base), (1, size, size, 3), spread=20)
    x, levels = c.x, []
    for i in range(5):
        x = c.conv(x, base << min(i, 4), 3, 2)
        x = c.add(x, c.conv(c.conv(x, x.shape[3] // 2, 1), x.shape[3]))
        levels.append(x)
    top = c.up(c.conv(levels[-1], base * 4, 1))
    mixed = c.conv(c.concat(top, c.conv(levels[-2], base * 4, 1)), base * 4)
    heads = [c.logistic(c.conv(t, 24, 1, 1, NONE)) for t in (levels[-1], mixed)]
    flat = [c.reshape(h, 1, h.shape[1] * h.shape[2], 24) for h in heads]
    return c.close(c.concat(*flat, axis=1))


def vgg(size, base):
    c = Net("vgg_%d_%d" % (size, base), (1, size, size, 3), spread=9)
    x = c.x
    for i in range(4):
        x = c.pool(c.conv(c.conv(x, base << i), base << i))
    return c.close(c.fc(c.fc(c.reshape(x, 1, int(np.prod(x.shape))), 512, RELU), 10))


def audio16(length):
    c = Net("audio16_%d" % length, (1, length, 32, 1), "int16")
    x = c.conv(c.x, 16, 3, 2)
    for n in (24, 32):
        x = c.separable(x, n, 3, 2)
    return c.close(c.logistic(c.conv(x, 8, 1, 1, NONE)))


def synthetic():
    yield mobilenet_v1(96, 0.25)
    yield mobilenet_v1(160, 0.5)
    yield mobilenet_v1(224, 1.0)
    yield mobilenet_v1(96, 0.5, 4)
    yield mobilenet_v2(128, 0.35)
    yield mobilenet_v2(224, 1.0)
    yield efficient(128)
    yield resnet(32, (16, 32, 64), 3)
    yield resnet(128, (64, 128, 256), 2, 7, 2)
    yield unet(128, 16, "NEAREST_NEIGHBOR")
    yield unet(256, 8, "transpose")
    yield unet(96, 16, "BILINEAR")
    yield super_resolution(180, 320, 16, 4)
    yield super_resolution(360, 640, 24, 3)
    yield keyword(49, 10, 64)
    yield keyword(98, 40, 172)
    yield temporal(100, 32)
    yield mlp(640, 128, 128, 8, 128, 128, 640)
    yield mlp(784, 2048, 1024, 10)
    yield transformer(64, 128, 4, 2)
    yield transformer(196, 192, 3, 1)
    yield inception(128)
    yield detector(256, 16)
    yield detector(416, 24)
    yield vgg(64, 32)
    yield vgg(64, 64)
    yield audio16(200)


# ---- pieces of the public networks ----


def piece(data, first, last):
    """Operators [first, last) of the first subgraph as a network of their own; None where that is not one."""
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(data, 0))
    g = model.subgraphs[0]
    g.operators = g.operators[first:last]
    constant = lambda t: model.buffers[g.tensors[t].buffer].data is not None
    made, used = {}, {}
    for op in g.operators:
        used.update({int(t): None for t in op.inputs if t >= 0 and int(t) not in made and not constant(t)})
        made.update({int(t): None for t in op.outputs})
    read = {int(t) for op in g.operators for t in op.inputs}
    outputs = [t for t in made if t not in read]
    if not outputs or not used or any(g.tensors[t].isVariable for t in used):
        return None
    g.inputs, g.outputs = np.array(list(used), np.int32), np.array(outputs, np.int32)
    model.signatureDefs, model.metadata, model.subgraphs = [], [], [g]
    import flatbuffers

    fb = flatbuffers.Builder(1024)
    fb.Finish(model.Pack(fb), b"TFL3")
    return bytes(fb.Output())


CUT = [
    "mobilenet_v2_1.0_224_quant",
    "tf2_mobilenet_v2_1.0_224_ptq",
    "pretrainedResnet_quant",
    "person_detect",
    "movenet_single_pose_lightning_ptq",
    "deeplabv3_mnv2_dm05_pascal_quant",
    "kws_ref_model",
    "rock_paper_scissors",
    "vww_96_int8",
    "lyra_soundstream_encoder",
    "mww_v2_okay_nabu",
    "tflm_dtln_noise_suppression",
    "ad01_int8",
    "coco_ssd_mobilenet_v1_1.0_quant_2018_06_29",
]


def pieces(shared):
    for name in CUT:
        path = os.path.join(shared, "models", name + ".tflite")
        if not os.path.exists(path):
            continue
        with open(path, "rb") as f:
            data = f.read()
        n = schema.Model.GetRootAs(data, 0).Subgraphs(0).OperatorsLength()
        rng = rng_of("piece " + name)
        for i in range(2):
            first = int(rng.integers(0, max(2 * n // 3, 1)))
            last = first + int(rng.integers(1, max(n - first, 2)))
            cut = piece(data, first, last)
            if cut:
                yield "%s_ops_%d_%d" % (name[:24], first, last), cut


def public(shared):
    for path in sorted(glob.glob(os.path.join(shared, "models", "*.tflite"))):
        with open(path, "rb") as f:
            yield os.path.basename(path)[: -len(".tflite")], f.read()


def networks(shared):
    yield from public(shared)
    yield from pieces(shared)
    yield from synthetic()


if __name__ == "__main__":
    for n, b in networks(sys.argv[1]):
        print(n, len(b))
