"""Convolutions, FULLY_CONNECTED, BATCH_MATMUL, pooling, resizing and SVDF: every row of rows.txt with shapes and options drawn
from the case's name. cases() yields (name, model, inputs, oracle, tolerance; None: bit-equal)."""

import zlib

import numpy as np

import ops_conv
from mkmodel import Builder, T, TYPES, opts, oracle_session, rng_of, schema, single_op
from op_cases import REF, values
from ops_conv import F32_TOL, NONE, RELU, RELU6, RELU_N1_TO_1, SAME, VALID
from ops_recurrent import svdf
from variants import ROWS

EACH = 4


def spec_rng(name):
    """Numbers of the attributes: those of the values have the name itself for their seed."""
    return np.random.default_rng(zlib.crc32(name.encode()) ^ 0x5BD1E995)


def some(rng, *choices):
    return choices[int(rng.integers(len(choices)))]


def window(rng, most=4):
    return int(rng.integers(1, most + 1)), int(rng.integers(1, most + 1))


def activation(rng):
    return some(rng, NONE, NONE, RELU, RELU6, RELU_N1_TO_1)


def image(rng, kernel, dilation, channels):
    """An input into which the window fits without padding."""
    size = [(k - 1) * d + 1 + int(rng.integers(0, 6)) for k, d in zip(kernel, dilation)]
    return int(rng.integers(1, 4)), size[0], size[1], channels


def conv_spec(rng, groups):
    stride, kernel = window(rng, 3), window(rng)
    dilation = (1, 1) if rng.random() < 0.5 else window(rng, 3)
    depth, units = int(rng.integers(1, 20)), int(rng.integers(2, 18))
    count = int(rng.integers(2, 5)) if groups else 1
    shape = image(rng, kernel, dilation, depth * count)
    return shape, (units * count, *kernel, depth), some(rng, SAME, VALID), stride, dilation, activation(rng)


def conv_2d(name, variant):
    rng = spec_rng(name)
    kind = {"fdyn": "f32", "f16w": "f32"}.get(variant, variant.removesuffix("grp"))
    spec = conv_spec(rng, variant.endswith("grp"))
    model, feed = ops_conv.conv_2d(name, kind, *spec, const=variant != "fdyn")
    return half_weights(model) if variant == "f16w" else model, feed, ops_conv.tolerance(kind)


def depthwise_conv_2d(name, variant):
    rng = spec_rng(name)
    kind = "f32" if variant == "f16w" else variant
    kernel, dilation = window(rng), (1, 1) if rng.random() < 0.5 else window(rng, 3)
    stride = int(rng.integers(1, 4))
    shape = image(rng, kernel, dilation, int(rng.integers(1, 20)))
    multiplier = some(rng, 1, 1, 2, 3)
    if shape[3] * multiplier == 1:
        multiplier = 2  # a vector of one scale is none
    spec = shape, kernel, multiplier, some(rng, SAME, VALID), (stride, stride), dilation, activation(rng)
    model, feed = ops_conv.depthwise(name, kind, *spec)
    return half_weights(model) if variant == "f16w" else model, feed, ops_conv.tolerance(kind)


def transpose_conv(name, variant):
    rng = spec_rng(name)
    stride, kernel = window(rng, 3), window(rng)
    shape = (int(rng.integers(1, 3)), *window(rng, 5), int(rng.integers(1, 12)))
    padding = some(rng, SAME, VALID)
    if padding == SAME:
        size = [n * s - int(rng.integers(s)) for n, s in zip(shape[1:3], stride)]
    else:
        size = [(n - 1) * s + max(k, s) for n, s, k in zip(shape[1:3], stride, kernel)]
    spec = shape, (int(rng.integers(2, 12)), *kernel, shape[3]), padding, stride, size, activation(rng)
    model, feed = ops_conv.transpose_conv(name, variant, *spec, bias=rng.random() < 0.7 or variant.endswith("b32"))
    return model, feed, ops_conv.tolerance(variant)


FC_KINDS = {"fdyn": "f32", "f16w": "f32", "i8dyn": "i8", "u8-i16": "u8_i16"}


def fully_connected(name, variant):
    rng = spec_rng(name)
    kind = FC_KINDS.get(variant, variant)
    depth, keep = int(rng.integers(1, 70)), rng.random() < 0.5
    shape = (*(int(d) for d in rng.integers(1, 5, rng.integers(1, 4))), depth)
    spec = shape, int(rng.integers(2, 20)), depth, activation(rng), bool(keep)
    bias = rng.random() < 0.7 or kind in ("u8_i16", "i16pcb32")
    model, feed = ops_conv.fully_connected(name, kind, *spec, bias=bias, const="dyn" not in variant)
    return half_weights(model) if variant == "f16w" else model, feed, ops_conv.fc_tolerance(kind)


def half_weights(model):
    """The same model with weights of half floats, which a DEQUANTIZE makes floats: how converters write them."""
    m = schema.ModelT.InitFromObj(schema.Model.GetRootAs(model))
    g = m.subgraphs[0]
    for i, t in enumerate(list(g.tensors)):
        if t.name != b"w":
            continue
        half, b = schema.TensorT(), schema.BufferT()
        b.data = np.frombuffer(np.frombuffer(bytes(m.buffers[t.buffer].data), "<f4").astype("<f2").tobytes(), np.uint8)
        half.name, half.shape, half.type, half.buffer, half.hasRank = b"half", t.shape, 1, len(m.buffers), True
        m.buffers.append(b)
        t.buffer = 0
        o, code = schema.OperatorT(), schema.OperatorCodeT()
        code.builtinCode = code.deprecatedBuiltinCode = schema.BuiltinOperator.DEQUANTIZE
        code.version = 3
        o.opcodeIndex, o.inputs, o.outputs = len(m.operatorCodes), np.array([len(g.tensors)]), np.array([i])
        m.operatorCodes.append(code)
        g.tensors.append(half)
        g.operators.insert(0, o)
    b = Builder()
    b.model = m
    return b.bytes()


MATMUL_KINDS = {"f32c": "f32", "i8c": "i8", "i8-i32": "i8_i32"}


def batch_matmul(name, variant):
    rng = spec_rng(name)
    adj_x, adj_y = (bool(v) for v in rng.integers(0, 2, 2))
    rows, depth, columns = (int(n) for n in rng.integers(2, 24, 3))
    if variant == "i8pcc":
        return per_channel_case(name, rows, depth, columns, adj_y)
    kind = MATMUL_KINDS.get(variant, variant)
    batch = tuple(int(d) for d in rng.integers(1, 4, rng.integers(0, 3)))
    if variant.startswith("hyb"):
        batch = batch[:1]  # BUILTIN_REF scales rows of two leading dimensions wrongly
    left = tuple(1 if rng.random() < 0.3 else d for d in batch)
    right = tuple(d if left[i] == 1 else 1 if rng.random() < 0.3 else d for i, d in enumerate(batch))
    if variant.startswith("hyb"):
        left, right = batch, right if rng.random() < 0.5 else ()
    constant = variant.endswith("c") or variant.startswith("hyb")
    model, feed = ops_conv.batch_matmul(
        name, kind, left + (rows, depth), right + (depth, columns), adj_x, adj_y, constant
    )
    return model, feed, F32_TOL if kind[0] in "fh" else None


def per_channel_case(name, rows, depth, columns, adj_y):
    """LiteRT takes int8 weights with a scale for each column, and then the scale for 0."""
    rng = rng_of(name)
    x, y = ops_conv.activation(rng, "a", (rows, depth), "int8", 0.05), T("y", (rows, columns), "int8", 0.1, 3)
    data = np.maximum(values(rng, (columns, depth) if adj_y else (depth, columns), "int8"), -127)
    scales = rng.uniform(0.01, 0.03, columns).astype(np.float32)
    w = T("b", data.shape, "int8", scales, 0, 0 if adj_y else 1, data=data)
    return single_op("BATCH_MATMUL", [x, w], [y], opts("BatchMatMul", adjY=adj_y)), [values(rng, x.shape, "int8")], None


DTYPE = {"f32": "float32", "i8": "int8", "u8": "uint8", "i16": "int16", "i32": "int32"}


def pool(op):
    def make(name, variant):
        rng = spec_rng(name)
        kernel = window(rng, 5)
        spec = image(rng, kernel, (1, 1), int(rng.integers(1, 20))), kernel, some(rng, SAME, VALID), window(rng, 3)
        model, feed = ops_conv.pool(name, op, DTYPE[variant], *spec, activation(rng))
        return model, feed, F32_TOL if variant == "f32" else None

    return make


def resize(op, kind):
    def make(name, variant):
        rng = rng_of(name)
        dtype = DTYPE[variant]
        shape, size = tuple(int(d) for d in rng.integers(1, 9, 4)), rng.integers(1, 17, 2).astype(np.int32)
        centers = bool(rng.random() < 0.5)
        o = opts(kind, alignCorners=bool(not centers and rng.random() < 0.5), halfPixelCenters=centers)
        q = {"int8": (0.05, -3), "uint8": (0.05, 120), "int16": (0.001, 0)}.get(dtype, (None, None))
        x, y = T("x", shape, dtype, *q), T("y", (shape[0], *size, shape[3]), dtype, *q)
        live = rng.random() < 0.4
        model = single_op(op, [x, T("size", (2,), "int32", data=None if live else size)], [y], o)
        feed = [values(rng, shape, dtype)] + ([size] if live else [])
        return model, feed, F32_TOL if variant == "f32" and op == "RESIZE_BILINEAR" else None

    return make


def svdf_case(name, variant):
    rng = spec_rng(name)
    kind = {"hyb": "hybrid", "hybasym": "hybrid", "i8": "state16", "f32": "float"}[variant]
    sizes = {"batch": 4, "n_in": 20, "units": 12, "rank": 4, "memory": 9}
    sizes = {k: int(rng.integers(1, most)) for k, most in sizes.items()}
    model, sets = svdf(name, kind, activation=int(variant == "i8"), asymmetric=variant == "hybasym", **sizes)
    return model, sets, None if variant == "i8" else F32_TOL


MAKERS = {
    "CONV_2D": conv_2d,
    "DEPTHWISE_CONV_2D": depthwise_conv_2d,
    "TRANSPOSE_CONV": transpose_conv,
    "FULLY_CONNECTED": fully_connected,
    "BATCH_MATMUL": batch_matmul,
    "AVERAGE_POOL_2D": pool("AVERAGE_POOL_2D"),
    "MAX_POOL_2D": pool("MAX_POOL_2D"),
    "L2_POOL_2D": pool("L2_POOL_2D"),
    "RESIZE_BILINEAR": resize("RESIZE_BILINEAR", "ResizeBilinear"),
    "RESIZE_NEAREST_NEIGHBOR": resize("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighbor"),
    "SVDF": svdf_case,
}


class AsGrouped:
    """An oracle of depthwise layers of 16 bits with 32-bit biases, which LiteRT refuses and tflite-micro reads as 64-bit: LiteRT's
    convolution with a group for each channel."""

    def __init__(self, model):
        m = schema.ModelT.InitFromObj(schema.Model.GetRootAs(model))
        g, o = m.subgraphs[0], m.subgraphs[0].operators[0].builtinOptions
        code = m.operatorCodes[0]
        code.builtinCode = code.deprecatedBuiltinCode = schema.BuiltinOperator.CONV_2D
        same = ("padding", "strideH", "strideW", "dilationHFactor", "dilationWFactor", "fusedActivationFunction")
        g.operators[0].builtinOptionsType = schema.BuiltinOptions.Conv2DOptions
        g.operators[0].builtinOptions = opts(
            "Conv2D", quantizedBiasType=TYPES["int32"], **{k: getattr(o, k) for k in same}
        )
        w = next(t for t in g.tensors if t.name == b"w")
        data = np.frombuffer(bytes(m.buffers[w.buffer].data), np.int8).reshape(w.shape).transpose(3, 1, 2, 0)
        m.buffers[w.buffer].data = np.frombuffer(np.ascontiguousarray(data).tobytes(), np.uint8)
        w.shape, w.quantization.quantizedDimension = np.array(data.shape, np.int32), 0
        b = Builder()
        b.model = m
        self.session = oracle_session(REF, b.bytes())

    def run(self, inputs):
        return self.session.run(inputs)


class MatrixByMatrix:
    """An oracle of hybrid products of more than one leading dimension, whose rows LiteRT's reference kernel scales by those of
    others: the same kernel, for every pair of matrices by itself. The weights are constants."""

    def __init__(self, model):
        m = schema.ModelT.InitFromObj(schema.Model.GetRootAs(model))
        g = m.subgraphs[0]
        self.options = g.operators[0].builtinOptions
        self.w = next(t for t in g.tensors if t.name == b"b")
        self.data = np.frombuffer(bytes(m.buffers[self.w.buffer].data), np.int8).reshape(self.w.shape)

    def one(self, x, w):
        o, q = self.options, self.w.quantization
        rows, columns = x.shape[1 if o.adjX else 0], w.shape[0 if o.adjY else 1]
        t = T("b", w.shape, "int8", float(q.scale[0]), int(q.zeroPoint[0]), data=w)
        model = single_op("BATCH_MATMUL", [T("a", x.shape), t], [T("y", (rows, columns))], o)
        return oracle_session(REF, model).run([x])[0]

    def run(self, inputs):
        x = inputs[0]
        batch = np.broadcast_shapes(x.shape[:-2], self.data.shape[:-2])
        x, w = (np.broadcast_to(a, batch + a.shape[-2:]) for a in (x, self.data))
        found = [self.one(np.ascontiguousarray(x[i]), np.ascontiguousarray(w[i])) for i in np.ndindex(*batch)]
        return [np.stack(found).reshape(batch + found[0].shape)]


# Rows of which no oracle is right.
OWN = {("DEPTHWISE_CONV_2D", "i16pcb32"): "ops_rows_matrix.AsGrouped"}


def cases():
    for op, make in MAKERS.items():
        for variant in ROWS[op]:
            for k in range(EACH):
                name = "%s/%s/random%d" % (op.lower(), variant, k)
                model, feed, tolerance = make(name, variant)
                yield name, model, feed, OWN.get((op, variant), REF), tolerance
