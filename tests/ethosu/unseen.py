"""Networks drawn at random: network(seed) gives (name, bytes). A template says what kind of network it is (image
classifier, U-Net, detector, transformer, streaming keyword spotter, loops and variables, shapes computed from shapes),
chance says everything else: sizes, types, quantization, what is fused, shared, left open or never used."""

import numpy as np
from mkmodel import Builder, T, opts

SAME, VALID = 0, 1
FUSED = [0, 0, 1, 1, 3, 2, 4]


class Net:
    """Adds operators to the newest subgraph; tensors are T. `dtype` is the type of activations."""

    def __init__(self, rng, dtype):
        self.rng, self.dtype, self.n, self.b = rng, dtype, 0, Builder()
        self.per_channel = bool(rng.integers(2))
        # Sizes left open: not at all, the batch, height and width, or everything.
        self.open = str(rng.choice(["", "", "", "batch", "batch", "size", "all"]))
        # Converters store 1 where the size is open, at times 1 everywhere but in the last dimension.
        self.ones = self.open and bool(rng.integers(2))

    def chance(self, percent):
        return self.rng.integers(100) < percent

    def pick(self, *items):
        return items[int(self.rng.integers(len(items)))]

    def name(self, what="t"):
        self.n += 1
        return "%s%d" % (what, self.n)

    def signature(self, shape):
        if not self.open or not shape or (self.open == "size" and len(shape) != 4):
            return None
        if self.open == "batch":
            return (-1,) + tuple(shape[1:])
        if self.open == "size":
            return (shape[0], -1, -1, shape[3])
        return (-1,) * len(shape)

    def new(self, shape, dtype=None, scale=None, zero=None):
        dtype = dtype or self.dtype
        quantized = dtype in ("int8", "uint8", "int16")
        if quantized and scale is None:
            scale = float(self.rng.choice([0.003, 0.0235, 0.047, 0.5]))
        if quantized and zero is None:
            zero = {"int8": int(self.rng.integers(-128, 128)), "uint8": int(self.rng.integers(256)), "int16": 0}[dtype]
        t = T(
            self.name(),
            shape,
            dtype,
            scale if quantized else None,
            zero if quantized else None,
            shape_signature=self.signature(shape),
        )
        t.stored_shape = t.shape
        if self.ones and t.shape_signature:
            t.stored_shape = tuple(1 if s < 0 else s for s in t.shape_signature)
        return t

    def like(self, x, shape=None, **more):
        return self.new(x.shape if shape is None else shape, x.dtype, x.scale, x.zero_point, **more)

    def const(self, values, dtype="int32", shape=None):
        a = np.array(values, dtype)
        return T(self.name("c"), a.shape if shape is None else shape, dtype, data=a)

    def stored(self, shape, x):
        """A constant of x's type and quantization."""
        low, high = {"int8": (-128, 128), "uint8": (0, 256)}.get(x.dtype, (-100, 100))
        return T(self.name("k"), shape, x.dtype, x.scale, x.zero_point, data=self.rng.integers(low, high, shape))

    def op(self, name, inputs, outputs, options=None, **more):
        """Templates compute with the sizes a network runs with; the file gets what a converter stores."""
        tensors = [t for t in list(inputs) + list(outputs) if t is not None]
        real = [t.shape for t in tensors]
        for t in tensors:
            t.shape = getattr(t, "stored_shape", t.shape)
        self.b.op(name, inputs, outputs, options, **more)
        for t, shape in zip(tensors, real):
            t.shape = shape
        return outputs[0] if len(outputs) == 1 else outputs

    def weights(self, shape, axis):
        """(weights, their scale): of the type that goes with the activations."""
        if self.dtype == "float32" and not self.chance(25):
            w = self.rng.standard_normal(shape).astype(np.float32)
            half = self.chance(30)
            t = T(self.name("w"), shape, "float16" if half else "float32", data=w)
            if half:  # stored as float16, read through DEQUANTIZE
                whole = T(self.name("w"), shape, "float32")
                self.op("DEQUANTIZE", [t], [whole], opts("Dequantize"))
                return whole, None
            return t, None
        dtype = "uint8" if self.dtype == "uint8" else "int8"
        n = shape[axis]
        scale = [0.01] * n if self.per_channel and dtype == "int8" else 0.01
        data = self.rng.integers(-127, 128, shape) if dtype == "int8" else self.rng.integers(0, 256, shape)
        t = T(self.name("w"), shape, dtype, scale, 0 if dtype == "int8" else 127, axis=axis, data=data)
        if self.dtype == "float32" and self.chance(50):  # a dequantized constant instead of a hybrid layer
            whole = T(self.name("w"), shape, "float32")
            self.op("DEQUANTIZE", [t], [whole], opts("Dequantize"))
            return whole, None
        return t, scale

    def bias(self, n, x, scale):
        if self.chance(15):
            return None
        if self.dtype == "float32":
            return T(self.name("b"), (n,), "float32", data=np.zeros(n))
        s = None if x.scale is None or scale is None else [x.scale * v for v in np.atleast_1d(scale)]
        return T(self.name("b"), (n,), "int64" if x.dtype == "int16" else "int32", s, 0, data=np.zeros(n))

    def conv(self, x, channels, k=3, stride=1, depthwise=False, act=None, padding=None):
        n, h, w, d = x.shape
        padding = self.pick(SAME, SAME, VALID) if padding is None else padding
        k = min(k, h, w)
        act = self.pick(*FUSED) if act is None else act
        shape = (1, k, k, d) if depthwise else (channels, k, k, d)
        weights, scale = self.weights(shape, 3 if depthwise else 0)
        size = [-(-s // stride) if padding == SAME else (s - k) // stride + 1 for s in (h, w)]
        y = self.new((n, size[0], size[1], d if depthwise else channels))
        fields = dict(
            padding=padding,
            strideH=stride,
            strideW=stride,
            dilationHFactor=1,
            dilationWFactor=1,
            fusedActivationFunction=act,
        )
        bias = self.bias(y.shape[3], x, scale)
        if depthwise:
            return self.op(
                "DEPTHWISE_CONV_2D", [x, weights, bias], [y], opts("DepthwiseConv2D", depthMultiplier=1, **fields)
            )
        return self.op("CONV_2D", [x, weights, bias], [y], opts("Conv2D", **fields))

    def pad_conv(self, x, channels):
        n, h, w, d = x.shape
        y = self.op(
            "PAD", [x, self.const([[0, 0], [1, 1], [1, 1], [0, 0]])], [self.like(x, (n, h + 2, w + 2, d))], opts("Pad")
        )
        return self.conv(y, channels, 3, self.pick(1, 2), padding=VALID)

    def dense(self, x, n, act=None):
        depth = x.shape[-1]
        weights, scale = self.weights((n, depth), 0)
        keep = len(x.shape) > 2
        shape = x.shape[:-1] + (n,) if keep else (x.shape[0], n)
        return self.op(
            "FULLY_CONNECTED",
            [x, weights, self.bias(n, x, scale)],
            [self.new(shape)],
            opts("FullyConnected", keepNumDims=keep, fusedActivationFunction=self.pick(*FUSED) if act is None else act),
        )

    def pool(self, x, op=None, k=2, stride=2):
        n, h, w, d = x.shape
        k = min(k, h, w)
        o = opts("Pool2D", filterHeight=k, filterWidth=k, strideH=stride, strideW=stride, padding=SAME)
        return self.op(
            op or self.pick("MAX_POOL_2D", "AVERAGE_POOL_2D"),
            [x],
            [self.like(x, (n, -(-h // stride), -(-w // stride), d))],
            o,
        )

    def binary(self, op, a, b, shape=None):
        table = {"ADD": "Add", "SUB": "Sub", "MUL": "Mul", "DIV": "Div"}.get(op, "MaximumMinimum")
        o = opts(table, fusedActivationFunction=self.pick(0, 0, 1, 3)) if table != "MaximumMinimum" else opts(table)
        shape = shape or tuple(max(i, j) for i, j in zip(a.shape, b.shape))
        y = self.like(a, shape) if table == "MaximumMinimum" else self.new(shape, a.dtype)
        return self.op(op, [a, b], [y], o)

    def unary(self, op, x, table=None, **fields):
        y = self.like(x)
        if op in ("LOGISTIC", "TANH", "SOFTMAX") and x.dtype in ("int8", "uint8", "int16"):
            low = {"int8": -128, "uint8": 0, "int16": 0}[x.dtype]
            middle = {"int8": 0, "uint8": 128, "int16": 0}[x.dtype]
            y = self.new(
                x.shape,
                x.dtype,
                2.0**-15 if x.dtype == "int16" else 2.0**-7 if op == "TANH" else 2.0**-8,
                middle if op == "TANH" else low,
            )
        return self.op(op, [x], [y], opts(table, **fields) if table else None)

    def some_activation(self, x):
        op, table, fields = self.pick(
            ("RELU", None, {}),
            ("RELU6", None, {}),
            ("LOGISTIC", None, {}),
            ("TANH", None, {}),
            ("HARD_SWISH", "HardSwish", {}),
            ("LEAKY_RELU", "LeakyRelu", {"alpha": 0.1}),
            ("ELU", None, {}),
            ("GELU", "Gelu", {}),
            ("RELU_N1_TO_1", None, {}),
            ("ABS", "Abs", {}),
            ("FLOOR", None, {}),
        )
        return self.unary(op, x, table, **fields)

    def reshape(self, x, shape, how=None):
        """By a constant, an option, a -1, a shape computed from the input's, or EXPAND_DIMS and SQUEEZE."""
        y = self.like(x, shape)
        how = how or self.pick("constant", "constant", "option", "rest", "computed", "whole")
        wanted = list(shape)
        if how == "rest" and wanted:
            wanted[int(self.rng.integers(len(wanted)))] = -1
        if how == "option":
            return self.op("RESHAPE", [x], [y], opts("Reshape", newShape=np.array(wanted, np.int32)))
        if how == "computed" and wanted and wanted[0] == x.shape[0]:
            return self.op("RESHAPE", [x, self.computed_shape(x, wanted)], [y], opts("Reshape"))
        if how == "whole" and tuple(shape) == tuple(x.shape):
            return self.op("RESHAPE", [x, self.shape_of(x)], [y], opts("Reshape"))
        return self.op(
            "RESHAPE",
            [x, self.const(wanted)],
            [y],
            opts("Reshape", newShape=np.array(wanted, np.int32) if self.chance(50) else None),
        )

    def shape_of(self, x):
        return self.op("SHAPE", [x], [T(self.name(), (len(x.shape),), "int32")], opts("Shape", outType=2))

    def computed_shape(self, x, wanted):
        """SHAPE -> STRIDED_SLICE -> (MUL) -> PACK, CONCATENATION for some."""
        shape = self.shape_of(x)
        batch = self.op(
            "STRIDED_SLICE",
            [shape] + [self.const([v]) for v in (0, 1, 1)],
            [T(self.name(), (), "int32")],
            opts("StridedSlice", shrinkAxisMask=1),
        )
        if self.chance(30):
            batch = self.op("MUL", [batch, self.const(1)], [T(self.name(), (), "int32")], opts("Mul"))
        rest = [self.const(d) for d in wanted[1:]]
        if self.chance(25):
            one = self.op("RESHAPE", [batch, self.const([1])], [T(self.name(), (1,), "int32")], opts("Reshape"))
            return self.op(
                "CONCATENATION",
                [one, self.const(wanted[1:])],
                [T(self.name(), (len(wanted),), "int32")],
                opts("Concatenation", axis=0),
            )
        return self.op(
            "PACK", [batch] + rest, [T(self.name(), (len(wanted),), "int32")], opts("Pack", valuesCount=len(wanted))
        )

    def quantize(self, x, dtype=None):
        return self.op("QUANTIZE", [x], [self.new(x.shape, dtype or self.dtype)], opts("Quantize"))

    def dequantize(self, x):
        return self.op("DEQUANTIZE", [x], [self.new(x.shape, "float32")], opts("Dequantize"))

    def mean(self, x, axes, op="MEAN", keep=None):
        keep = self.chance(50) if keep is None else keep
        shape = tuple(1 if i in axes else d for i, d in enumerate(x.shape) if keep or i not in axes)
        return self.op(op, [x, self.const(list(axes))], [self.like(x, shape)], opts("Reducer", keepDims=keep))

    def transpose(self, x, order):
        return self.op(
            "TRANSPOSE",
            [x, self.const(list(order))],
            [self.like(x, tuple(x.shape[i] for i in order))],
            opts("Transpose"),
        )

    def concat(self, parts, axis):
        shape = list(parts[0].shape)
        shape[axis] = sum(p.shape[axis] for p in parts)
        return self.op("CONCATENATION", parts, [self.like(parts[0], tuple(shape))], opts("Concatenation", axis=axis))

    def split(self, x, axis, n):
        shape = tuple(d // n if i == axis else d for i, d in enumerate(x.shape))
        return self.op(
            "SPLIT", [self.const(axis), x], [self.like(x, shape) for _ in range(n)], opts("Split", numSplits=n)
        )

    def slice(self, x, begin, size):
        return self.op("SLICE", [x, self.const(begin), self.const(size)], [self.like(x, tuple(size))], opts("Slice"))

    def resize(self, x, factor=2):
        n, h, w, d = x.shape
        size, op = (h * factor, w * factor), self.pick("Bilinear", "NearestNeighbor")
        half = self.chance(40)
        wanted = self.const(size)
        if self.chance(25):  # height and width come from another tensor's shape, doubled
            wanted = self.op(
                "STRIDED_SLICE",
                [self.shape_of(x)] + [self.const([v]) for v in (1, 3, 1)],
                [T(self.name(), (2,), "int32")],
                opts("StridedSlice"),
            )
            wanted = self.op(
                "MUL", [wanted, self.const([factor, factor])], [T(self.name(), (2,), "int32")], opts("Mul")
            )
        return self.op(
            "RESIZE_BILINEAR" if op == "Bilinear" else "RESIZE_NEAREST_NEIGHBOR",
            [x, wanted],
            [self.like(x, (n,) + size + (d,))],
            opts("Resize" + op, halfPixelCenters=half, alignCorners=not half and self.chance(40)),
        )

    def up_conv(self, x, channels):
        n, h, w, d = x.shape
        weights, scale = self.weights((channels, 2, 2, d), 0)
        out = (n, 2 * h, 2 * w, channels)
        shape = self.computed_shape(x, list(out)) if self.chance(30) else self.const(out)
        return self.op(
            "TRANSPOSE_CONV",
            [shape, weights, x] + ([self.bias(channels, x, scale)] if self.chance(50) else []),
            [self.new(out)],
            opts("TransposeConv", padding=SAME, strideH=2, strideW=2),
        )

    def close(self, inputs, outputs):
        """Makes the interface odd at times: outputs twice, inputs and constants as outputs, unused operators."""
        inputs, outputs = list(inputs), list(outputs)
        if self.chance(12):
            outputs.append(inputs[0])
        if self.chance(8):
            outputs.append(self.stored((1, 4), self.like(inputs[0])))
        if self.chance(8):
            outputs.append(outputs[0])
        if self.chance(20):
            self.some_activation(outputs[0])  # nobody reads it
        if self.chance(8):
            unused = self.stored((1, 4), self.like(inputs[0]))
            outputs.append(self.unary("RELU", unused))  # computed from constants
        self.b.io(inputs, outputs)


DTYPES = ["int8"] * 6 + ["uint8", "int16", "float32"]


def network(seed):
    import unseen_templates

    rng = np.random.default_rng(seed)
    templates = sorted(unseen_templates.TEMPLATES)
    name = templates[int(rng.integers(len(templates)))]
    net = Net(rng, str(rng.choice(DTYPES)))
    unseen_templates.TEMPLATES[name](net)
    return "%s_%s_%s%d" % (name, net.dtype, "open_" + net.open + "_" if net.open else "", seed), net.b.bytes()
