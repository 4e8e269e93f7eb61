#!/usr/bin/env python3
"""Trains the digit recogniser that the demo and the page ship, from scikit-learn's bundled handwritten digits.

    python3 examples/digits/train.py        (needs tests/requirements.txt; about a minute)

Writes digits_float32.tflite, digits_int8.tflite (post-training quantization, per-channel weights) and held_out.pgm (the
test images, one below the other, labels in the comment), and prints the accuracy of both on the held-out quarter."""

import os
import sys

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tests", "conformance"))
from mkmodel import Builder, T, litert_ref, schema  # noqa: E402

RNG = np.random.default_rng(1)


def im2col(x):
    """3x3 windows with SAME padding: [n,h,w,c] -> [n,h,w,9c], in the order of a TFLite filter."""
    p = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    h, w = x.shape[1:3]
    return np.concatenate([p[:, dy : dy + h, dx : dx + w] for dy in range(3) for dx in range(3)], -1)


def col2im(g, c):
    n, h, w, _ = g.shape
    p = np.zeros((n, h + 2, w + 2, c), np.float32)
    for k in range(9):
        p[:, k // 3 : k // 3 + h, k % 3 : k % 3 + w] += g[..., k * c : (k + 1) * c]
    return p[:, 1:-1, 1:-1]


def pool(x):
    n, h, w, c = x.shape
    return x.reshape(n, h // 2, 2, w // 2, 2, c).max((2, 4))


def pool_back(g, x, y):
    up = lambda a: a.repeat(2, 1).repeat(2, 2)
    return up(g) * (x == up(y))


class Net:
    """conv 3x3x8, pool, conv 3x3x16, pool, dense 32, dense 10; ReLU between."""

    def __init__(self):
        def layer(i, o):
            return [(RNG.standard_normal((i, o)) * np.sqrt(2 / i)).astype(np.float32), np.zeros(o, np.float32)]

        self.layers = [layer(9, 8), layer(72, 16), layer(64, 32), layer(32, 10)]

    def forward(self, x):
        (w1, b1), (w2, b2), (w3, b3), (w4, b4) = self.layers
        a = {"x": x}
        a["c1"] = im2col(x)
        a["r1"] = np.maximum(a["c1"] @ w1 + b1, 0)
        a["p1"] = pool(a["r1"])
        a["c2"] = im2col(a["p1"])
        a["r2"] = np.maximum(a["c2"] @ w2 + b2, 0)
        a["p2"] = pool(a["r2"])
        a["f"] = a["p2"].reshape(len(x), -1)
        a["r3"] = np.maximum(a["f"] @ w3 + b3, 0)
        a["y"] = a["r3"] @ w4 + b4
        return a

    def backward(self, a, g):
        (w1, _), (w2, _), (w3, _), (w4, _) = self.layers
        grads = [None] * 4
        grads[3] = [a["r3"].T @ g, g.sum(0)]
        g = (g @ w4.T) * (a["r3"] > 0)
        grads[2] = [a["f"].T @ g, g.sum(0)]
        g = pool_back((g @ w3.T).reshape(a["p2"].shape), a["r2"], a["p2"]) * (a["r2"] > 0)
        grads[1] = [a["c2"].reshape(-1, 72).T @ g.reshape(-1, 16), g.sum((0, 1, 2))]
        g = pool_back(col2im(g @ w2.T, 8), a["r1"], a["p1"]) * (a["r1"] > 0)
        grads[0] = [a["c1"].reshape(-1, 9).T @ g.reshape(-1, 8), g.sum((0, 1, 2))]
        return grads


def shifted(x):
    """Moves each image by up to one pixel: hand-drawn digits are not centred like the training ones."""
    out = np.zeros_like(x)
    for i, (dy, dx) in enumerate(RNG.integers(-1, 2, (len(x), 2))):
        out[i] = np.roll(x[i], (dy, dx), (0, 1))
    return out


def train(x, labels, epochs=120, batch=32):
    net, step = Net(), 0
    moments = [[[np.zeros_like(p), np.zeros_like(p)] for p in layer] for layer in net.layers]
    for epoch in range(epochs):
        order = RNG.permutation(len(x))
        for k in range(0, len(x), batch):
            pick, step = order[k : k + batch], step + 1
            a = net.forward(shifted(x[pick]))
            e = np.exp(a["y"] - a["y"].max(1, keepdims=True))
            g = e / e.sum(1, keepdims=True)
            g[np.arange(len(pick)), labels[pick]] -= 1
            rate = 2e-3 * (0.5 + 0.5 * np.cos(np.pi * epoch / epochs))
            for layer, grads, ms in zip(net.layers, net.backward(a, (g / len(pick)).astype(np.float32)), moments):
                for i in range(2):  # Adam
                    m, v = ms[i]
                    m += 0.1 * (grads[i] - m)
                    v += 0.001 * (grads[i] ** 2 - v)
                    layer[i] -= rate * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)
        if epoch % 20 == 19:
            print(
                "epoch %d: training accuracy %.4f" % (epoch + 1, (net.forward(x)["y"].argmax(1) == labels).mean()),
                file=sys.stderr,
            )
    return net


def conv_options():
    o = schema.Conv2DOptionsT()
    o.padding, o.strideH, o.strideW, o.dilationHFactor, o.dilationWFactor, o.fusedActivationFunction = 0, 1, 1, 1, 1, 1
    return o


def pool_options():
    o = schema.Pool2DOptionsT()
    o.padding, o.strideH, o.strideW, o.filterHeight, o.filterWidth = 1, 2, 2, 2, 2
    return o


def dense_options(relu):
    o = schema.FullyConnectedOptionsT()
    o.fusedActivationFunction = 1 if relu else 0
    return o


def softmax_options():
    o = schema.SoftmaxOptionsT()
    o.beta = 1.0
    return o


def write(net, path, quant=None):
    """quant: None for float32, or {activation: (scale, zero point)}."""
    b = Builder()
    b.model.description = b"npu_rt handwritten digits, " + (b"int8" if quant else b"float32")
    b.subgraph()

    def act(name, shape):
        if not quant:
            return T(name, shape, shape_signature=(-1,) + shape[1:])
        return T(name, shape, "int8", *quant[name], shape_signature=(-1,) + shape[1:])

    def weights(i, shape, source):
        w, bias = net.layers[i]
        w = w.T.reshape(shape)
        if not quant:
            return T("w%d" % i, shape, data=w), T("b%d" % i, bias.shape, data=bias)
        scale = np.abs(w).reshape(shape[0], -1).max(1) / 127
        q = np.clip(np.round(w / scale.reshape((-1,) + (1,) * (len(shape) - 1))), -127, 127)
        bias_scale = scale * np.float32(quant[source][0])
        return (
            T("w%d" % i, shape, "int8", scale, 0, 0, data=q),
            T("b%d" % i, bias.shape, "int32", bias_scale, 0, 0, data=np.round(bias / bias_scale)),
        )

    x, r1, p1 = act("x", (1, 8, 8, 1)), act("r1", (1, 8, 8, 8)), act("p1", (1, 4, 4, 8))
    r2, p2, f = act("r2", (1, 4, 4, 16)), act("p2", (1, 2, 2, 16)), act("f", (1, 64))
    r3, y, out = act("r3", (1, 32)), act("y", (1, 10)), act("probabilities", (1, 10))
    to = T("shape", (2,), "int32", data=np.array([-1, 64], np.int32))
    b.op("CONV_2D", [x, *weights(0, (8, 3, 3, 1), "x")], [r1], conv_options(), version=3)
    b.op("MAX_POOL_2D", [r1], [p1], pool_options(), version=2)
    b.op("CONV_2D", [p1, *weights(1, (16, 3, 3, 8), "p1")], [r2], conv_options(), version=3)
    b.op("MAX_POOL_2D", [r2], [p2], pool_options(), version=2)
    b.op("RESHAPE", [p2, to], [f], schema.ReshapeOptionsT())
    b.op("FULLY_CONNECTED", [f, *weights(2, (32, 64), "f")], [r3], dense_options(True), version=5)
    b.op("FULLY_CONNECTED", [r3, *weights(3, (10, 32), "r3")], [y], dense_options(False), version=5)
    b.op("SOFTMAX", [y], [out], softmax_options(), version=2)
    b.io([x], [out])
    b.signature("serving_default")
    with open(path, "wb") as file:
        file.write(b.bytes())


def calibrate(net, x):
    """Scale and zero point of every activation, from the training images. The input maps 0..16 to itself minus 8."""
    a = net.forward(x)
    quant = {"x": (1 / 16, -8), "probabilities": (1 / 256, -128)}
    for name in ("r1", "r2", "r3", "y"):
        lo, hi = min(float(a[name].min()), 0.0), max(float(a[name].max()), 0.0)
        scale = np.float32((hi - lo) / 255)
        quant[name] = (scale, int(np.clip(round(-128 - lo / scale), -128, 127)))
    quant["p1"], quant["p2"], quant["f"] = quant["r1"], quant["r2"], quant["r2"]
    return quant


def accuracy(path, images, labels, to_input):
    with open(path, "rb") as file:
        (out,) = litert_ref(file.read(), [to_input(images)])
    return (out.argmax(1) == labels).mean()


def main():
    digits = load_digits()
    images = digits.images.astype(np.float32)[..., None]  # 0..16
    x_train, x_test, y_train, y_test = train_test_split(
        images, digits.target, test_size=0.25, random_state=0, stratify=digits.target
    )
    net = train(x_train / 16, y_train)
    f32, i8 = os.path.join(HERE, "digits_float32.tflite"), os.path.join(HERE, "digits_int8.tflite")
    write(net, f32)
    write(net, i8, calibrate(net, x_train / 16))
    with open(os.path.join(HERE, "held_out.pgm"), "wb") as file:
        file.write(b"P5\n# labels %s\n8 %d\n16\n" % (" ".join(map(str, y_test)).encode(), 8 * len(x_test)))
        file.write(x_test.astype(np.uint8).tobytes())
    print(
        "held out: %d images; accuracy float32 %.4f, int8 %.4f"
        % (
            len(y_test),
            accuracy(f32, x_test, y_test, lambda x: x / 16),
            accuracy(i8, x_test, y_test, lambda x: (x - 8).astype(np.int8)),
        )
    )


if __name__ == "__main__":
    main()
