"""Small models for the rules of profile vela-5.2, and NUMERIC: for each rule with numbers, how to make a model for
which the rule measures a given value (the limits come from the rule table)."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "conformance"))

import flatbuffers  # noqa: E402
import numpy as np  # noqa: E402
from mkmodel import Builder, T, schema, single_op, opts  # noqa: E402

RELU, TANH, SIGN_BIT = 1, 4, 5
SAME, VALID = 0, 1


def q(name, shape, dtype="int8", scale=0.5, zero=0, **more):
    quantized = dtype in ("int8", "uint8", "int16", "int32")
    return T(name, shape, dtype, scale if quantized else None, zero, **more)


def const(name, values, dtype="int32", shape=None):
    a = np.array(values, dtype)
    return T(name, a.shape if shape is None else shape, dtype, data=a)


def unary(op, x, y=None, options=None):
    """x, y: shapes or tensors."""
    x = x if isinstance(x, T) else q("x", x)
    y = y if isinstance(y, T) else q("y", x.shape if y is None else y, x.dtype)
    return single_op(op, [x], [y], options)


def typed(op, dtype, out=None, shape=(1, 4), options=None):
    return single_op(op, [q("x", shape, dtype)], [q("y", shape, out or dtype)], options)


def binary(op, a=(1, 4), b=(1, 4), y=(1, 4), dtype="int8", out=None, act=0, b_dtype=None, zero=0):
    table = {"ADD": "AddOptions", "SUB": "SubOptions", "MUL": "MulOptions", "DIV": "DivOptions"}.get(op)
    o = opts(table, fusedActivationFunction=act) if table else None
    return single_op(
        op,
        [q("a", a, dtype, zero=zero), q("b", b, b_dtype or dtype, zero=zero)],
        [q("y", y, out or dtype, zero=zero)],
        o,
    )


def min_max(op, scales=(0.5, 0.5, 0.5), zeros=(0, 0, 0)):
    t = [T(n, (1, 4), "int8", s, z) for n, s, z in zip("aby", scales, zeros)]
    return single_op(op, t[:2], t[2:], opts("MaximumMinimumOptions"))


def size_of(size, kernel, stride, padding, dilation=1):
    kernel = (kernel - 1) * dilation + 1
    return -(-size // stride) if padding == SAME else (size - kernel) // stride + 1


def pool(op="MAX_POOL_2D", filter=(2, 2), stride=(1, 1), padding=VALID, size=None, dtype="int8", act=0, zero=0):
    """filter, stride, size: width, height."""
    size = size or tuple(f + 8 for f in filter)
    out = [size_of(n, f, s, padding) for n, f, s in zip(size, filter, stride)]
    o = opts(
        "Pool2DOptions",
        filterWidth=filter[0],
        filterHeight=filter[1],
        strideW=stride[0],
        strideH=stride[1],
        padding=padding,
        fusedActivationFunction=act,
    )
    return single_op(
        op, [q("x", (1, size[1], size[0], 2), dtype, zero=zero)], [q("y", (1, out[1], out[0], 2), dtype, zero=zero)], o
    )


def conv(
    op="CONV_2D",
    kernel=(1, 1),
    stride=(1, 1),
    dilation=(1, 1),
    padding=VALID,
    size=None,
    channels=2,
    outputs=2,
    weights=None,
    weight_dtype="int8",
    bias=None,
    bias_dtype="int32",
    dtype="int8",
    weight_zero=0,
    multiplier=1,
    act=0,
    depth=None,
    scale=0.5,
    out_scale=0.5,
):
    depthwise = op == "DEPTHWISE_CONV_2D"
    outputs = channels * multiplier if depthwise else outputs
    size = size or tuple((k - 1) * d + 9 for k, d in zip(kernel, dilation))
    shape = (1, kernel[1], kernel[0], outputs) if depthwise else (outputs, kernel[1], kernel[0], depth or channels)
    if weights is None:
        weights = np.ones(shape, weight_dtype)
    out = [size_of(n, k, s, padding, d) for n, k, s, d in zip(size, kernel, stride, dilation)]
    o = opts(
        "DepthwiseConv2DOptions" if depthwise else "Conv2DOptions",
        strideW=stride[0],
        strideH=stride[1],
        dilationWFactor=dilation[0],
        dilationHFactor=dilation[1],
        padding=padding,
        fusedActivationFunction=act,
    )
    if depthwise:
        o.depthMultiplier = multiplier
    if bias is None:
        bias = const("b", np.zeros(outputs), bias_dtype)
    return single_op(
        op,
        [
            q("x", (1, size[1], size[0], channels), dtype),
            T("w", shape, weight_dtype, scale, weight_zero, data=weights),
            bias,
        ],
        [T("y", (1, out[1], out[0], outputs), dtype, out_scale, [0] * np.size(out_scale), axis=3)],
        o,
    )


def transpose_conv(kernel=(2, 2), stride=(2, 2), size=(3, 3), padding=SAME, out=None):
    full = [n * s + (max(k - s, 0) if padding == VALID else 0) for n, s, k in zip(size, stride, kernel)]
    out, shape = out or full, (2, kernel[1], kernel[0], 2)
    return single_op(
        "TRANSPOSE_CONV",
        [
            const("s", [1, out[1], out[0], 2]),
            q("w", shape, data=np.ones(shape)),
            q("x", (1, size[1], size[0], 2)),
            const("b", [0, 0]),
        ],
        [q("y", (1, out[1], out[0], 2))],
        opts("TransposeConvOptions", padding=padding, strideW=stride[0], strideH=stride[1]),
    )


def dense(
    weights=(2, 4),
    x=(1, 4),
    y=(1, 2),
    weight_data=True,
    bias=None,
    dtype="int8",
    act=0,
    out=None,
    keep=False,
    weight_dtype="int8",
):
    w = q("w", weights, weight_dtype, data=np.ones(weights, weight_dtype) if weight_data else None)
    return single_op(
        "FULLY_CONNECTED",
        [q("x", x, dtype), w, bias],
        [q("y", y, out or dtype)],
        opts("FullyConnectedOptions", fusedActivationFunction=act, keepNumDims=keep),
    )


def weights_sum(value, dtype="int8"):
    """A matrix of one row whose absolute values add up to `value`. Weights lie below a zero point of 128, as far as
    255 from it."""
    n = -(-value // 254)
    n += n % 2
    w = np.full(n, value // n, np.int64)
    w[: value - int(w.sum())] += 1
    assert w.sum() == value and 0 <= w.min() and w.max() <= 255
    data = (127 - w).astype(np.int8)
    return single_op(
        "FULLY_CONNECTED",
        [
            q("x", (1, n), dtype),
            T("w", (1, n), "int8", 0.5, 127, data=data[None]),
            const("b", [0], "int64" if dtype == "int16" else "int32"),
        ],
        [q("y", (1, 1), dtype)],
        opts("FullyConnectedOptions"),
    )


def conv_sums(op, extra):
    """The second output channel adds up to the limit and `extra`: channels count one by one."""
    w = np.full((2, 64, 64, 16) if op == "CONV_2D" else (1, 256, 256, 2), 127, np.int8)
    channel = w[1] if op == "CONV_2D" else w[0, :, :, 1]
    channel[0, 1] = np.where(
        np.arange(channel[0, 1].size).reshape(channel[0, 1].shape) == 0, -128 if extra > 0 else 127 + extra, 127
    )
    return conv(op, (64, 64) if op == "CONV_2D" else (256, 256), channels=16 if op == "CONV_2D" else 2, weights=w)


def bias_value(value):
    return conv(bias=const("b", [0, value], "int64"), dtype="int16")


def mean(x, axes, dtype="int8", keep=True):
    away = [a % len(x) for a in axes]
    y = [1 if i in away else d for i, d in enumerate(x) if keep or i not in away]
    return single_op(
        "MEAN", [q("x", x, dtype), const("a", axes)], [q("y", y, dtype)], opts("ReducerOptions", keepDims=keep)
    )


def three_factors(n):
    """n as a product of three numbers up to 4096; None where there are none."""
    for a in (a for a in range(1, 4097) if n % a == 0):
        for b in (b for b in range(1, 4097) if n // a % b == 0):
            if n // a // b <= 4096:
                return a, b, n // a // b
    return None


def mean_elements(n, dtype):
    a, b, c = three_factors(n)
    return mean((a, 1, b, c, 1), (0, 2, 3), dtype)


def makes(rule, value):
    """Is there a model for which the rule measures this value?"""
    return not rule.startswith("ethosu.mean.elements_") or three_factors(value) is not None


def arg_max(depth=8, axis=-1, rank=4, dtype="int8", out="int32", axis_dtype="int32"):
    shape = (1, 3, 5, depth)[-rank:]
    y = tuple(d for i, d in enumerate(shape) if i != axis % rank)
    return single_op(
        "ARG_MAX",
        [q("x", shape, dtype), const("a", axis, axis_dtype)],
        [T("y", y, out)],
        opts("ArgMaxOptions", outputType={"int32": 2, "int64": 4, "int8": 9}[out]),
    )


def transpose(shape, perm, dtype="int8", perm_dtype="int32", perm_data=True):
    y = tuple(shape[p] for p in perm) if len(perm) == len(shape) else shape
    p = const("p", perm, perm_dtype) if perm_data else T("p", (len(perm),), perm_dtype)
    return single_op("TRANSPOSE", [q("x", shape, dtype), p], [q("y", y, dtype)], opts("TransposeOptions"))


def matmul(a=(1, 3, 4), b=(1, 4, 5), y=None, dtype="int8", adj_x=False):
    y = y or a[:-2] + (a[-1] if adj_x else a[-2], b[-1])
    return single_op(
        "BATCH_MATMUL", [q("a", a, dtype), q("b", b, dtype)], [q("y", y, dtype)], opts("BatchMatMulOptions", adjX=adj_x)
    )


def resize(op, size, out, align=False, half=False):
    """size, out: height, width."""
    table = {"BILINEAR": "ResizeBilinearOptions", "NEAREST_NEIGHBOR": "ResizeNearestNeighborOptions"}[op]
    o = opts(table, alignCorners=align, halfPixelCenters=half)
    return single_op("RESIZE_" + op, [q("x", (1,) + size + (2,)), const("s", out)], [q("y", (1,) + out + (2,))], o)


def strided_slice(shape, begin, end, strides, y, dtype="int8", inputs=4, **masks):
    p = [const(n, v) for n, v in zip("besm", (begin, end, strides, strides))]
    return single_op(
        "STRIDED_SLICE", ([q("x", shape, dtype)] + p)[:inputs], [q("y", y, dtype)], opts("StridedSliceOptions", **masks)
    )


def pad(op="PAD", rows=((0, 0), (1, 1), (1, 1), (0, 0)), dtype="int32", y=None, more=()):
    rows = np.array(rows)
    x = (1, 4, 4, 2)
    options = {"PAD": "PadOptions", "PADV2": "PadV2Options", "MIRROR_PAD": "MirrorPadOptions"}[op]
    return single_op(
        op,
        [q("x", x), const("p", rows, dtype)] + list(more),
        [q("y", y or [int(d + r.sum()) for d, r in zip(x, rows)])],
        opts(options),
    )


def split(x=(1, 4, 4, 6), axis=3, splits=2, outputs=None):
    outputs = splits if outputs is None else outputs
    y = [d // splits if i == axis % len(x) else d for i, d in enumerate(x)]
    return single_op(
        "SPLIT",
        [const("a", axis), q("x", x)],
        [q("y%d" % i, y) for i in range(outputs)],
        opts("SplitOptions", numSplits=splits),
    )


def split_v(sizes, splits=None, real=None):
    real = real or sizes
    return single_op(
        "SPLIT_V",
        [q("x", (1, 2, sum(real))), const("s", sizes), const("a", 2)],
        [q("y%d" % i, (1, 2, n)) for i, n in enumerate(real)],
        opts("SplitVOptions", numSplits=len(real) if splits is None else splits),
    )


def concatenation(shapes, y, axis=1, dtype="int8"):
    return single_op(
        "CONCATENATION",
        [q("x%d" % i, s, dtype) for i, s in enumerate(shapes)],
        [q("y", y, dtype)],
        opts("ConcatenationOptions", axis=axis),
    )


def reshape(x, y, dtype="int8", y_scale=0.5):
    return single_op(
        "RESHAPE",
        [q("x", x, dtype), const("s", y)],
        [q("y", y, dtype, y_scale)],
        opts("ReshapeOptions", newShape=list(y)),
    )


def softmax(x=(1, 4), y=None, dtype="int8", out=None, beta=1.0):
    return single_op("SOFTMAX", [q("x", x, dtype)], [q("y", y or x, out or dtype)], opts("SoftmaxOptions", beta=beta))


def gather(axis=0, batch=0, index="int32", out="int8"):
    shape = (3, 4, 5)
    y = shape[:axis] + (2,) + shape[axis + 1 :] if batch == 0 else shape[:axis] + (2,) + shape[axis + 1 :]
    indices = T("i", (2,) if batch == 0 else (3, 2), index)
    return single_op(
        "GATHER", [q("x", shape), indices], [q("y", y, out)], opts("GatherOptions", axis=axis, batchDims=batch)
    )


def scatter(indices, shape=(8, 2), constant=True, depth=None, shape_constant=True):
    indices = np.array(indices, np.int32)
    i = T("i", indices.shape, "int32", data=indices if constant else None)
    updates = q("u", indices.shape[:-1] + shape[indices.shape[-1] :])
    s = const("s", shape) if shape_constant else T("s", (len(shape),), "int32")
    return single_op("SCATTER_ND", [i, updates, s], [q("y", shape)], opts("ScatterNdOptions"))


def variable(dtype="int8", zero=0):
    """A variable that is read, then assigned."""
    b = Builder()
    b.subgraph()
    handle, x, y = T("h", (1,), "resource"), q("x", (1, 4), dtype, zero=zero), q("y", (1, 4), dtype, zero=zero)
    for t in (handle, x, y):
        b.tensor(t)
    b.op("VAR_HANDLE", [], [handle], opts("VarHandleOptions", sharedName=b"v", container=b""))
    b.op("READ_VARIABLE", [handle], [y], opts("ReadVariableOptions"))
    b.op("ASSIGN_VARIABLE", [handle, x], [], opts("AssignVariableOptions"))
    b.io([x], [y])
    return b.bytes()


def dilated(op="CONV_2D", act=0, dtype="int8", bridges=0, seen="", last=True, weight_dtype="int8"):
    """A convolution between SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND. bridges: operators before it that only move
    dimensions of 1. seen: what else is an output of the network, "x" or "y" of the convolution."""
    b = Builder()
    b.subgraph()
    block, zeros = const("block", [2, 2]), const("zeros", [[0, 0], [0, 0]])
    x, s = q("x", (1, 8, 8, 2), dtype), q("s", (4, 4, 4, 2), dtype)
    c, y = q("c", (4, 2, 2, 2), dtype), q("y", (1, 4, 4, 2), dtype)
    weights = q(
        "w",
        (2, 3, 3, 2) if op == "CONV_2D" else (1, 3, 3, 2),
        weight_dtype,
        data=np.ones((2, 3, 3, 2) if op == "CONV_2D" else (1, 3, 3, 2)),
    )
    b.op("SPACE_TO_BATCH_ND", [x, block, zeros], [s], opts("SpaceToBatchNDOptions"))
    source = s
    for i in range(bridges):
        before, source = source, q("t%d" % i, s.shape, dtype)
        b.op("RESHAPE", [before, const("shape", s.shape)], [source], opts("ReshapeOptions", newShape=list(s.shape)))
    options = opts(
        "Conv2DOptions" if op == "CONV_2D" else "DepthwiseConv2DOptions",
        strideW=1,
        strideH=1,
        padding=VALID,
        dilationWFactor=1,
        dilationHFactor=1,
        fusedActivationFunction=act,
    )
    if op != "CONV_2D":
        options.depthMultiplier = 1
    b.op(op, [source, weights, const("b", [0, 0])], [c], options)
    if last:
        b.op("BATCH_TO_SPACE_ND", [c, block, zeros], [y], opts("BatchToSpaceNDOptions"))
    b.io([x], ([y] if last else [c]) + [{"x": s, "y": c}[n] for n in seen])
    return b.bytes()


def lstm(edit=None, dtype="int8", rank=3, inputs=24, mid=5):
    """A layer of 2 cells over 3 features; edit: {position of an input: tensor or None}."""

    def w(name, shape):
        return T(name, shape, "int8", 0.01, 0, data=np.ones(shape, np.int8))

    t = [q("x", (1, 2, 3)[-rank:], dtype)] + [w("w%d" % i, (2, 3)) for i in range(4)]
    t += [w("r%d" % i, (2, 2)) for i in range(4)] + [None] * 3
    t += [T("b%d" % i, (2,), "int32", 0.001, 0, data=np.zeros(2, np.int32)) for i in range(4)] + [None] * 2
    t += [q("h", (1, 2), is_variable=True), T("c", (1, 2), "int16", 2.0**-11, 0, is_variable=True)] + [None] * 5
    for at, tensor in (edit or {}).items():
        t[at] = tensor
    middle = [T("m%d" % i, (0,), "int16" if i < 4 else "int8", 2.0**-12, 0) for i in range(mid)]
    options = opts("UnidirectionalSequenceLSTMOptions", fusedActivationFunction=TANH, timeMajor=False)
    return single_op(
        "UNIDIRECTIONAL_SEQUENCE_LSTM", t[:inputs], [q("y", (1, 2, 2)[-rank:], dtype)], options, None, middle
    )


GATE = T("g", (2,), "int16", 0.01, 0, data=np.ones(2, np.int16))


def without_multiplier():
    """A stored depth multiplier of 0, which LiteRT does not look at."""
    m = schema.ModelT.InitFromPackedBuf(conv("DEPTHWISE_CONV_2D"), 0)
    m.subgraphs[0].operators[0].builtinOptions.depthMultiplier = 0
    fb = flatbuffers.Builder(1024)
    fb.Finish(m.Pack(fb), b"TFL3")
    return bytes(fb.Output())


def quantized(scale=0.5, zero=0, dtype="int8", out_scale=None, out_zero=None):
    return single_op(
        "RELU",
        [T("x", (1, 2), dtype, scale, zero, axis=1)],
        [T("y", (1, 2), dtype, scale if out_scale is None else out_scale, zero if out_zero is None else out_zero)],
    )


def window_of(product):
    """A window of at most 256 rows with so many cells."""
    h = max(h for h in range(1, 257) if product % h == 0)
    return product // h, h


NUMERIC = {
    "ethosu.weights.sum_8bit": weights_sum,
    "ethosu.weights.sum_16bit": lambda v: weights_sum(v, "int16"),
    "ethosu.weights.sum_16bit_u85": lambda v: weights_sum(v, "int16"),
    "ethosu.bias.range_40bit": bias_value,
    "ethosu.bias.range_48bit": bias_value,
    "ethosu.average_pool_2d.filter_height": lambda v: pool("AVERAGE_POOL_2D", (1, v)),
    "ethosu.average_pool_2d.filter_product": lambda v: pool("AVERAGE_POOL_2D", window_of(v)),
    "ethosu.average_pool_2d.padded_filter": lambda v: pool("AVERAGE_POOL_2D", (2, v), padding=SAME),
    "ethosu.max_pool_2d.filter_height": lambda v: pool("MAX_POOL_2D", (1, v), padding=SAME),
    "ethosu.max_pool_2d.filter_product": lambda v: pool("MAX_POOL_2D", window_of(v)),
    "ethosu.conv_2d.stride_or_unrolled": lambda v: conv(stride=(1, v), kernel=(1, 3), padding=SAME, size=(9, 9)),
    "ethosu.average_pool_2d.stride_or_unrolled": lambda v: pool("AVERAGE_POOL_2D", (3, 1), (v, 1), SAME, (9, 9)),
    "ethosu.max_pool_2d.stride_or_unrolled": lambda v: pool("MAX_POOL_2D", (3, 3), (v, v), SAME, (9, 9)),
    "ethosu.depthwise_conv_2d.stride": lambda v: conv("DEPTHWISE_CONV_2D", stride=(v, 1)),
    "ethosu.softmax.area": lambda v: softmax((1, window_of(v)[1], window_of(v)[0], 3)),
    "ethosu.matmul.reduced_axis": lambda v: matmul((1, 2, v), (1, v, 3)),
    "ethosu.matmul.output_depth": lambda v: matmul((1, 2, 3), (1, 3, v)),
    "ethosu.mean.batch": lambda v: mean((v, 3, 3, 2), (1, 2)),
    "ethosu.mean.axis_4096": lambda v: mean((1, v, 3, 2), (1,)),
    "ethosu.mean.elements_int8": lambda v: mean_elements(v, "int8"),
    "ethosu.mean.elements_uint8": lambda v: mean_elements(v, "uint8"),
    "ethosu.mean.elements_int16": lambda v: mean_elements(v, "int16"),
    "ethosu.arg_max.depth": arg_max,
    "ethosu.transpose.permutation": lambda v: transpose((2,) * min(v, 8), [1, 0] + list(range(2, v))),
    "ethosu.transpose.int32_rank": lambda v: transpose((2,) * v, list(range(v)), "int32"),
    "ethosu.transpose.int32_nhwc": lambda v: transpose((1, 2, 2, v), [0, 1, 2, 3], "int32"),
    "ethosu.transpose.three_axes": lambda v: transpose((1, 2, v, 2), [0, 2, 1, 3]),
    "ethosu.transpose.more_axes": lambda v: transpose((1, 1, v, 1), [1, 0, 3, 2]),
    "ethosu.resize.factor_centers": lambda v: resize("NEAREST_NEIGHBOR", (1, 2), (1, 2 * v)),
    "ethosu.resize.factor_corners": lambda v: resize("NEAREST_NEIGHBOR", (2, 2), (2, 1 + v), align=True),
    "ethosu.scatter_nd.index_depth": lambda v: scatter(np.arange(2 * v).reshape(2, v) % 4, (8, 8, 2)),
    "ethosu.model.split_v.sizes": lambda v: split_v([2, 2, 2, 2][v:] + [-1] * v, real=[2, 2, 2, 2]),
    "ethosu.model.strided_slice.inputs": lambda v: strided_slice((1, 4), [0, 0], [1, 4], [1, 1], (1, 4), inputs=v),
    "ethosu.model.pad.inputs": lambda v: single_op(
        "PAD", [q("x", (1, 2)), const("p", [[0, 0], [0, 0]]), const("z", [0])][:v], [q("y", (1, 2))], opts("PadOptions")
    ),
    "ethosu.model.lstm.inputs": lambda v: lstm(inputs=v),
    "ethosu.model.lstm.intermediates": lambda v: lstm(mid=v),
}
