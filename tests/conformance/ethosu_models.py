"""Models of one operator, as the Ethos-U rule tests need them. Defaults are what every profile accepts."""

import numpy as np

from mkmodel import T, single_op, opts

ACTS = {"NONE": 0, "RELU": 1, "RELU_N1_TO_1": 2, "RELU6": 3, "TANH": 4, "SIGN_BIT": 5}


def q(name, shape, dtype="int8", **more):
    quantized = dtype in ("int8", "uint8", "int16", "int32")
    return T(name, shape, dtype, 0.5 if quantized else None, 0, **more)


def unary(op, shape=(1, 4), out=None, dtype="int8", out_dtype=None, options=None):
    return single_op(op, [q("x", shape, dtype)], [q("y", out or shape, out_dtype or dtype)], options)


def binary(op, a, b, out, act=0, dtype="int8", out_dtype="int8", b_data=None):
    table = {"ADD": "AddOptions", "SUB": "SubOptions", "MUL": "MulOptions"}[op]
    return single_op(
        op,
        [q("a", a, dtype), q("b", b, dtype, data=b_data)],
        [q("y", out, out_dtype)],
        opts(table, fusedActivationFunction=act),
    )


def pool(op, filter=(2, 2), stride=(1, 1), padding=0, batch=1, out=(4, 4), act=0, out_dtype="int8"):
    o = opts(
        "Pool2DOptions",
        filterWidth=filter[0],
        filterHeight=filter[1],
        strideW=stride[0],
        strideH=stride[1],
        padding=padding,
        fusedActivationFunction=act,
    )
    return single_op(op, [q("x", (batch, 4, 4, 2))], [q("y", (batch,) + out + (2,), out_dtype)], o)


def conv(
    op,
    kernel=(1, 1),
    stride=(1, 1),
    dilation=(1, 1),
    batch=1,
    weights=None,
    weight_dtype="int8",
    constant=True,
    bias="int32",
    zero_point=0,
    channels=1,
    outputs=None,
    multiplier=1,
    scale=0.5,
    bias_value=0,
    act=0,
    out_dtype="int8",
):
    depthwise = op == "DEPTHWISE_CONV_2D"
    w, h = kernel
    outputs = outputs if outputs is not None else channels * multiplier if depthwise else 1
    shape = (1, h, w, outputs) if depthwise else (outputs, h, w, channels)
    if weights is None:
        weights = np.ones(shape, weight_dtype)
    table = "DepthwiseConv2DOptions" if depthwise else "Conv2DOptions"
    o = opts(
        table, strideW=stride[0], strideH=stride[1], dilationWFactor=dilation[0], dilationHFactor=dilation[1], padding=0
    )
    if depthwise:
        o.depthMultiplier = multiplier
    inputs = [
        q("x", (batch, 2, 2, channels)),
        T("w", shape, weight_dtype, scale, zero_point, axis=3 if depthwise else 0, data=weights if constant else None),
        T("b", (outputs,), bias, data=np.full(outputs, bias_value, bias)) if bias else None,
    ]
    o.fusedActivationFunction = act
    return single_op(op, inputs, [q("y", (batch, 2, 2, outputs), out_dtype)], o)


def dense(weight_dtype="int8", constant=True, bias="int32", bias_value=0, lead=(1,), out_lead=None, keep=False):
    inputs = [
        q("x", lead + (3,)),
        q("w", (2, 3), weight_dtype, data=np.ones((2, 3), weight_dtype) if constant else None),
        T("b", (2,), bias, data=np.array([0, bias_value], bias)) if bias else None,
    ]
    return single_op(
        "FULLY_CONNECTED",
        inputs,
        [q("y", (lead if out_lead is None else out_lead) + (2,))],
        opts("FullyConnectedOptions", keepNumDims=keep),
    )


def transpose_conv(
    kernel=(2, 2),
    stride=(2, 2),
    padding=0,
    batch=1,
    size=(2, 3),
    out=None,
    weights=None,
    weight_dtype="int8",
    constant=True,
    bias=None,
    bias_value=0,
    channels=1,
):
    (w, h), (sh, sw) = kernel, (stride[1], stride[0])
    if out is None:
        more = (max(h - sh, 0), max(w - sw, 0)) if padding else (0, 0)
        out = (size[0] * sh + more[0], size[1] * sw + more[1])
    if weights is None:
        weights = np.ones((1, h, w, channels), weight_dtype)
    shape = (batch,) + out + (1,)
    inputs = [
        T("s", (4,), "int32", data=np.array(shape, np.int32)),
        q("w", (1, h, w, channels), weight_dtype, data=weights if constant else None),
        q("x", (batch,) + size + (channels,)),
    ]
    if bias:
        inputs.append(T("b", (1,), bias, data=np.array([bias_value], bias)))
    return single_op(
        "TRANSPOSE_CONV",
        inputs,
        [q("y", shape)],
        opts("TransposeConvOptions", strideW=stride[0], strideH=stride[1], padding=padding),
    )


def pad(rows, dtype="int32", constant=True, shape=None):
    rows = np.array(rows)
    x = (1, 4, 4, 2)[-len(rows) :] if len(rows) <= 4 else (1,) * (len(rows) - 4) + (1, 4, 4, 2)
    out = tuple(int(d + r.sum()) for d, r in zip(x, rows))
    return single_op(
        "PAD", [q("x", x), T("p", shape or rows.shape, dtype, data=rows if constant else None)], [q("y", out)]
    )


def resize(size, out, align=False, half_pixel=False):
    o = opts("ResizeBilinearOptions", alignCorners=align, halfPixelCenters=half_pixel)
    sizes = T("s", (2,), "int32", data=np.array(out, np.int32))
    return single_op("RESIZE_BILINEAR", [q("x", (1,) + size + (1,)), sizes], [q("y", (1,) + out + (1,))], o)


def concat(shapes, out, axis=1, options=True, dtypes=None):
    inputs = [q("x%d" % i, s, dtypes[i] if dtypes else "int8") for i, s in enumerate(shapes)]
    return single_op(
        "CONCATENATION", inputs, [q("y", out)], opts("ConcatenationOptions", axis=axis) if options else None
    )


def strided_slice(
    shape=(1, 4, 4, 2),
    begin=(0, 0, 0, 0),
    end=(1, 2, 2, 2),
    strides=(1, 1, 1, 1),
    out=(1, 2, 2, 2),
    constant=True,
    n_inputs=4,
    **masks,
):
    bounds = [
        T(n, (len(v),), "int32", data=np.array(v, np.int32) if constant else None)
        for n, v in (("b", begin), ("e", end), ("s", strides), ("more", strides))
    ]
    o = opts("StridedSliceOptions", **masks)
    return single_op("STRIDED_SLICE", [q("x", shape)] + bounds[: n_inputs - 1], [q("y", out)], o)


def split_v(sizes, total=8, out=2):
    inputs = [
        q("x", (1, total)),
        T("n", (len(sizes),), "int32", data=np.array(sizes, np.int32)),
        T("a", (1,), "int32", data=np.array([1], np.int32)),
    ]
    outputs = [q("y%d" % i, (1, out)) for i in range(len(sizes))]
    return single_op("SPLIT_V", inputs, outputs, opts("SplitVOptions", numSplits=len(sizes)))


def mean(shape, axes, keep=False, dtype="int8", out_scale=0.5, constant=True, scalar=False):
    out = tuple(1 if i in axes else d for i, d in enumerate(shape) if keep or i not in axes)
    axis = T(
        "a",
        () if scalar else (len(axes),),
        "int32",
        data=np.array(axes[0] if scalar else axes, np.int32) if constant else None,
    )
    return single_op(
        "MEAN", [q("x", shape, dtype), axis], [T("y", out, dtype, out_scale, 0)], opts("ReducerOptions", keepDims=keep)
    )


def quantized(
    op,
    scale=0.5,
    zero_point=0,
    in_scale=0.5,
    shape=(1, 4),
    out=None,
    dtype="int8",
    out_dtype=None,
    options=None,
    more=(),
):
    """One input and one output whose quantization is given."""
    return single_op(
        op,
        [T("x", shape, dtype, in_scale, 0), *more],
        [T("y", out or shape, out_dtype or dtype, scale, zero_point)],
        options,
    )


def weights_of_sum(total, shape):
    """int8 weights whose magnitudes add up to `total`."""
    n = int(np.prod(shape))
    each, more = divmod(total, n)
    w = np.full(n, -each, np.int64)
    w[:more] -= 1
    assert w.min() >= -128
    return w.astype(np.int8).reshape(shape)
