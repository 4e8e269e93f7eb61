"""Convolutions, FULLY_CONNECTED, pooling and BATCH_MATMUL: every type variant over awkward shapes and options.

cases() yields (name, model, inputs, oracle, tolerance): tolerance None means bit-equal, else it is relative to the
largest magnitude of the expected output.
"""

import numpy as np

from mkmodel import Builder, T, TYPES, opts, schema, single_op, rng_of

REF, TFLM, DEFAULT = "litert_ref", "tflm", "litert_default"
F32_TOL = 1e-5
SAME, VALID = 0, 1
NONE, RELU, RELU_N1_TO_1, RELU6, TANH, SIGN_BIT = range(6)
RANGE = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767), "int4": (-8, 7), "int2": (-2, 1)}

# variant -> (activation type, weight type, bias type, per-channel weight scales)
CONV_VARIANTS = {
    "f32": ("float32", "float32", "float32", False),
    "u8": ("uint8", "uint8", "int32", False),
    "i8": ("int8", "int8", "int32", False),
    "i8pc": ("int8", "int8", "int32", True),
    "i8i4": ("int8", "int4", "int32", False),
    "i8i4pc": ("int8", "int4", "int32", True),
    "i16": ("int16", "int8", "int64", False),
    "i16pc": ("int16", "int8", "int64", True),
    "i16pcb32": ("int16", "int8", "int32", True),
    "i16i4pc": ("int16", "int4", "int64", True),
    "hyb": ("float32", "int8", "float32", False),
    "hybpc": ("float32", "int8", "float32", True),
    "hybi4pc": ("float32", "int4", "float32", True),
    "hybu8": ("float32", "uint8", "float32", False),
}


def ints(rng, shape, dtype):
    lo, hi = RANGE[dtype]
    return rng.integers(lo, hi, shape, endpoint=True).astype("int8" if dtype in ("int4", "int2") else dtype)


def values(rng, shape, dtype):
    if dtype == "float32":
        return rng.normal(0, 1, shape).astype(np.float32)
    return ints(rng, shape, dtype)


def zero_point(rng, dtype):
    middle = {"int16": 0, "uint8": 128}.get(dtype, 0)
    return middle if dtype == "int16" else int(rng.integers(middle - 20, middle + 21))


# Real magnitudes that the clamps of fused activations fall into.
SCALE = {"float32": 1, "int8": 0.05, "uint8": 0.05, "int16": 0.05 / 256}


def activation(rng, name, shape, dtype, scale, data=None):
    """An input or output tensor; float tensors carry no quantization."""
    if dtype == "float32":
        return T(name, shape, dtype, data=data)
    return T(name, shape, dtype, scale, zero_point(rng, dtype), data=data)


def weights(rng, shape, dtype, axis, per_channel, scale, const=True, w_zp=0, hybrid=False):
    data = values(rng, shape, dtype)
    if hybrid and dtype in ("int8", "uint8"):  # uint8: int8 bytes under another name
        # LiteRT's hybrid kernels on x86 mistake -128, which no converter writes.
        data = np.maximum(data.view("int8"), -127).view(dtype)
    t = T("w", shape, dtype, data=data if const else None)
    if dtype != "float32":
        t.scale = np.float32(scale) * rng.uniform(0.3, 1.7, shape[axis]).astype(np.float32) if per_channel else scale
        t.zero_point, t.axis = w_zp, axis
    return t, data


def bias_of(rng, n, dtype, x, w, spread, per_channel_axis=0):
    if dtype is None:
        return None
    if dtype == "float32":
        return T("b", (n,), dtype, data=rng.normal(0, 1, n).astype(np.float32))
    scale = np.float32(x.scale) * np.asarray(w.scale, np.float32)
    data = rng.integers(-spread, spread, n, endpoint=True).astype(dtype)
    return T("b", (n,), dtype, scale, 0, per_channel_axis, data=data)


def out_size(padding, n, k, stride, dilation=1):
    return -(-n // stride) if padding == SAME else (n + stride - ((k - 1) * dilation + 1)) // stride


def magnitude(dtype, w_dtype, depth):
    """Roughly the standard deviation of an accumulator of uniform random integers."""
    span = {"int8": 74, "uint8": 74, "int16": 18900, "int4": 4.6, "int2": 1.1}
    return span[dtype] * span[w_dtype] * np.sqrt(depth)


def out_tensor(rng, shape, dtype, x_scale, w_scale, depth, w_dtype, act):
    if dtype == "float32":
        return T("y", shape, dtype)
    # Some results saturate or meet the fused activation: clamps are part of the test.
    span = 3 * x_scale * w_scale * magnitude(dtype, w_dtype, depth)
    span = min(span, {RELU6: 14, RELU_N1_TO_1: 3}.get(act, span))
    return activation(rng, "y", shape, dtype, float(np.float32(span / (RANGE[dtype][1] - RANGE[dtype][0]))))


def tolerance(variant):
    return F32_TOL if CONV_VARIANTS[variant][0] == "float32" else None


# (input NHWC, filter (out_c, k_h, k_w, k_c), padding, strides hw, dilations hw, activation)
CONV_SHAPES = [
    ((1, 5, 5, 3), (4, 3, 3, 3), SAME, (1, 1), (1, 1), NONE),
    ((2, 7, 6, 5), (7, 3, 2, 5), SAME, (2, 3), (1, 1), RELU6),
    ((1, 8, 9, 2), (3, 3, 3, 2), VALID, (1, 2), (2, 3), RELU),
    ((3, 4, 4, 17), (9, 1, 1, 17), VALID, (1, 1), (1, 1), RELU_N1_TO_1),
    ((1, 1, 1, 33), (16, 1, 1, 33), SAME, (1, 1), (1, 1), NONE),
    ((1, 6, 6, 1), (1, 5, 5, 1), SAME, (3, 3), (1, 1), NONE),
    ((1, 9, 5, 4), (5, 4, 4, 4), SAME, (1, 1), (3, 2), NONE),
    ((1, 3, 3, 2), (2, 3, 3, 2), VALID, (1, 1), (1, 1), RELU),
    ((1, 11, 11, 8), (6, 2, 2, 8), SAME, (4, 5), (1, 1), NONE),
    ((2, 5, 4, 6), (8, 3, 3, 3), SAME, (1, 1), (1, 1), NONE),  # 2 groups
    ((1, 5, 5, 8), (16, 3, 1, 2), VALID, (2, 1), (1, 2), RELU),  # 4 groups
    ((1, 4, 4, 5), (5, 3, 3, 1), SAME, (1, 1), (1, 1), NONE),  # as many groups as channels
    ((2, 9, 7, 12), (12, 3, 3, 1), SAME, (1, 1), (1, 1), RELU6),
    ((1, 8, 10, 40), (40, 5, 5, 1), SAME, (2, 1), (1, 1), NONE),
    ((1, 9, 9, 8), (8, 7, 7, 1), VALID, (1, 1), (1, 1), NONE),
    ((2, 6, 6, 9), (18, 3, 2, 1), SAME, (1, 1), (2, 1), RELU),
    ((1, 7, 5, 3), (12, 2, 3, 1), SAME, (1, 2), (1, 1), NONE),
    ((1, 1, 1, 16), (16, 1, 1, 1), SAME, (1, 1), (1, 1), NONE),
]


def conv_2d(name, variant, shape, f, padding, stride, dilation, act, bias=True, const=True, narrow=False):
    """narrow: no weight is -128, as converters write them."""
    rng = rng_of(name)
    dtype, w_dtype, b_dtype, per_channel = CONV_VARIANTS[variant]
    depth = f[1] * f[2] * f[3]
    x = activation(rng, "x", shape, dtype, SCALE[dtype])
    zp = zero_point(rng, "uint8") if dtype == "uint8" else 0
    w, w_data = weights(rng, f, w_dtype, 0, per_channel, 0.02, const, zp, narrow or dtype == "float32")
    b = bias_of(rng, f[0], b_dtype if bias else None, x, w, 1000 if dtype != "int16" else 10**6)
    y_shape = (
        shape[0],
        out_size(padding, shape[1], f[1], stride[0], dilation[0]),
        out_size(padding, shape[2], f[2], stride[1], dilation[1]),
        f[0],
    )
    y = out_tensor(rng, y_shape, dtype, SCALE[dtype], 0.02, depth, w_dtype, act)
    o = schema.Conv2DOptionsT()
    o.padding, o.strideH, o.strideW, o.dilationHFactor, o.dilationWFactor = padding, *stride, *dilation
    o.fusedActivationFunction = act
    if variant.endswith("b32"):
        o.quantizedBiasType = TYPES["int32"]
    model = single_op("CONV_2D", [x, w, b] if bias else [x, w], [y], o)
    return model, [values(rng, shape, dtype)] + ([] if const else [w_data])


def conv_2d_cases():
    for variant in CONV_VARIANTS:
        for i, spec in enumerate(CONV_SHAPES):
            groups = spec[0][3] // spec[1][3]
            if groups > 1 and variant in ("hyb", "hybu8"):
                continue  # LiteRT insists on one scale per channel for these
            name = "conv_2d_%s_%d" % (variant, i)
            yield name, *conv_2d(name, variant, *spec), REF, tolerance(variant)
    for variant in ("f32", "i8pc", "i16pc"):  # LiteRT insists on a bias
        name = "conv_2d_%s_nobias" % variant
        yield name, *conv_2d(name, variant, *CONV_SHAPES[0], bias=False), TFLM, tolerance(variant)
    for variant in ("f32", "i8", "i8pc", "u8", "i16pc"):
        name = "conv_2d_%s_weights_as_input" % variant
        yield name, *conv_2d(name, variant, *CONV_SHAPES[1], const=False), REF, tolerance(variant)
    for variant in ("i8", "i8pc"):
        for i, (depth, units) in enumerate(((70, 21), (1100, 9), (16, 8))):
            name = "conv_2d_%s_one_pixel_%d" % (variant, i)
            spec = ((1, 1, 1, depth), (units, 1, 1, depth), SAME, (1, 1), (1, 1), NONE)
            yield name, *conv_2d(name, variant, *spec, narrow=True), REF, None
    yield from conv_2d_axis_quirk()
    yield "conv_2d_zero_input_hybrid", *zero_input_hybrid("hybpc"), REF, F32_TOL
    yield "conv_2d_zero_input_hybrid_symmetric", *zero_input_hybrid("hyb"), REF, F32_TOL


def zero_input_hybrid(variant):
    model, (x,) = conv_2d("conv_2d_zero", variant, *CONV_SHAPES[0])
    return model, [np.zeros_like(x)]


def conv_2d_axis_quirk():
    """person_detect: a per-channel bias whose axis is outside of its one dimension. LiteRT refuses to load that."""
    name = "conv_2d_i8pc_bias_axis_3"
    model, inputs = conv_2d(name, "i8pc", *CONV_SHAPES[0])
    m = schema.ModelT.InitFromObj(schema.Model.GetRootAs(model))
    for t in m.subgraphs[0].tensors:
        if t.name == b"b":
            t.quantization.quantizedDimension = 3
    b = Builder()
    b.model = m
    yield name, b.bytes(), inputs, TFLM, None


# (input NHWC, (k_h, k_w), depth multiplier, padding, strides, dilations, activation)
DEPTHWISE_SHAPES = [
    ((1, 5, 5, 3), (3, 3), 1, SAME, (1, 1), (1, 1), NONE),
    ((2, 7, 6, 5), (3, 2), 2, SAME, (2, 2), (1, 1), RELU6),
    ((1, 8, 9, 1), (3, 3), 8, VALID, (1, 1), (2, 3), RELU),
    ((1, 4, 4, 17), (1, 1), 1, VALID, (1, 1), (1, 1), RELU_N1_TO_1),
    ((3, 10, 4, 16), (4, 3), 1, SAME, (3, 1), (1, 1), NONE),
    ((1, 9, 9, 4), (3, 3), 3, SAME, (1, 1), (4, 4), NONE),
    ((1, 1, 12, 8), (1, 5), 1, SAME, (1, 2), (1, 1), NONE),
    ((1, 6, 6, 33), (6, 6), 1, VALID, (1, 1), (1, 1), RELU),
]
DEPTHWISE_VARIANTS = ["f32", "u8", "i8", "i8pc", "i8i4", "i8i4pc", "i16", "i16pc", "hybpc"]


def depthwise(name, variant, shape, k, multiplier, padding, stride, dilation, act, bias=True, const=True, axis=3):
    rng = rng_of(name)
    dtype, w_dtype, b_dtype, per_channel = CONV_VARIANTS[variant]
    out_c = shape[3] * multiplier
    x = activation(rng, "x", shape, dtype, SCALE[dtype])
    zp = zero_point(rng, "uint8") if dtype == "uint8" else 0
    w, w_data = weights(rng, (1, k[0], k[1], out_c), w_dtype, axis, per_channel, 0.02, const, zp, dtype == "float32")
    b = bias_of(rng, out_c, b_dtype if bias else None, x, w, 1000 if dtype != "int16" else 10**6)
    y_shape = (
        shape[0],
        out_size(padding, shape[1], k[0], stride[0], dilation[0]),
        out_size(padding, shape[2], k[1], stride[1], dilation[1]),
        out_c,
    )
    y = out_tensor(rng, y_shape, dtype, SCALE[dtype], 0.02, k[0] * k[1], w_dtype, act)
    o = schema.DepthwiseConv2DOptionsT()
    o.padding, o.strideH, o.strideW, o.dilationHFactor, o.dilationWFactor = padding, *stride, *dilation
    o.depthMultiplier, o.fusedActivationFunction = multiplier, act
    model = single_op("DEPTHWISE_CONV_2D", [x, w, b] if bias else [x, w], [y], o)
    return model, [values(rng, shape, dtype)] + ([] if const else [w_data])


def depthwise_cases():
    for variant in DEPTHWISE_VARIANTS:
        for i, spec in enumerate(DEPTHWISE_SHAPES):
            name = "depthwise_%s_%d" % (variant, i)
            yield name, *depthwise(name, variant, *spec), REF, tolerance(variant)
    for variant in ("f32", "i8pc", "i16pc"):
        name = "depthwise_%s_nobias" % variant
        yield name, *depthwise(name, variant, *DEPTHWISE_SHAPES[1], bias=False), REF, tolerance(variant)
    for variant in ("f32", "i8pc", "u8"):
        name = "depthwise_%s_weights_as_input" % variant
        yield name, *depthwise(name, variant, *DEPTHWISE_SHAPES[1], const=False), REF, tolerance(variant)


# (input NHWC, filter (out_c, k_h, k_w, in_c), padding, strides, output h and w, activation)
TRANSPOSE_SHAPES = [
    ((1, 4, 4, 3), (2, 3, 3, 3), SAME, (1, 1), (4, 4), NONE),
    ((1, 3, 4, 5), (4, 3, 3, 5), SAME, (2, 2), (6, 8), RELU),
    ((2, 3, 2, 4), (3, 3, 4, 4), VALID, (2, 3), (7, 7), NONE),
    ((1, 5, 5, 1), (1, 2, 2, 1), SAME, (3, 3), (15, 13), RELU6),
    ((1, 2, 2, 8), (5, 5, 5, 8), SAME, (1, 2), (2, 4), NONE),
    ((1, 3, 3, 16), (16, 2, 2, 16), VALID, (2, 2), (6, 6), NONE),
    ((1, 4, 3, 2), (3, 1, 1, 2), VALID, (2, 2), (7, 5), RELU_N1_TO_1),
]
TRANSPOSE_VARIANTS = ["f32", "u8", "i8", "i8pc", "i16", "i16pc", "i16pcb32", "hybpc", "hyb"]


def transpose_conv(name, variant, shape, f, padding, stride, size, act, bias=True, const_shape=True):
    rng = rng_of(name)
    dtype, w_dtype, b_dtype, per_channel = CONV_VARIANTS[variant]
    x = activation(rng, "x", shape, dtype, SCALE[dtype])
    zp = zero_point(rng, "uint8") if w_dtype == "uint8" else 0
    w, _ = weights(rng, f, w_dtype, 0, per_channel, 0.02, True, zp, dtype == "float32")
    b = bias_of(rng, f[0], b_dtype if bias else None, x, w, 1000 if dtype != "int16" else 10**6)
    y_shape = np.array([shape[0], size[0], size[1], f[0]], np.int32)
    s = T("shape", (4,), "int32", data=y_shape if const_shape else None)
    depth = f[1] * f[2] * f[3] / stride[0] / stride[1]
    y = out_tensor(rng, tuple(y_shape), dtype, SCALE[dtype], 0.02, depth, w_dtype, act)
    o = schema.TransposeConvOptionsT()
    o.padding, o.strideH, o.strideW, o.fusedActivationFunction = padding, *stride, act
    if variant.endswith("b32"):
        o.quantizedBiasType = TYPES["int32"]
    model = single_op("TRANSPOSE_CONV", [s, w, x] + ([b] if bias else []), [y], o)
    return model, ([] if const_shape else [y_shape]) + [values(rng, shape, dtype)]


def transpose_conv_cases():
    for variant in TRANSPOSE_VARIANTS:
        for i, spec in enumerate(TRANSPOSE_SHAPES):
            name = "transpose_conv_%s_%d" % (variant, i)
            yield name, *transpose_conv(name, variant, *spec), REF, tolerance(variant)
        name = "transpose_conv_%s_nobias" % variant
        if variant not in ("hyb", "i16pcb32"):
            yield name, *transpose_conv(name, variant, *TRANSPOSE_SHAPES[1], bias=False), REF, tolerance(variant)
    for variant in ("f32", "i8pc"):
        name = "transpose_conv_%s_shape_as_input" % variant
        yield name, *transpose_conv(name, variant, *TRANSPOSE_SHAPES[2], const_shape=False), REF, tolerance(variant)


# variant -> (input, weights, bias, output, per-channel, options)
FC_VARIANTS = {
    "f32": ("float32", "float32", "float32", "float32", False, {}),
    "u8": ("uint8", "uint8", "int32", "uint8", False, {}),
    "u8_i16": ("uint8", "uint8", "int32", "int16", False, {}),
    "i8": ("int8", "int8", "int32", "int8", False, {}),
    "i8pc": ("int8", "int8", "int32", "int8", True, {}),
    "i8i4": ("int8", "int4", "int32", "int8", False, {}),
    "i8i4pc": ("int8", "int4", "int32", "int8", True, {}),
    "i8i2": ("int8", "int2", "int32", "int8", False, {}),
    "i8i2pc": ("int8", "int2", "int32", "int8", True, {}),
    "i16": ("int16", "int8", "int64", "int16", False, {}),
    "i16pc": ("int16", "int8", "int64", "int16", True, {}),
    "i16pcb32": ("int16", "int8", "int32", "int16", True, {"quantizedBiasType": TYPES["int32"]}),
    "i16i4": ("int16", "int4", "int64", "int16", False, {}),
    "i16i16": ("int16", "int16", "int64", "int16", False, {"quantizedBiasType": TYPES["int64"]}),
    "i16i16pc": ("int16", "int16", "int64", "int16", True, {"quantizedBiasType": TYPES["int64"]}),
    "i16i16b32": ("int16", "int16", "int32", "int16", False, {"quantizedBiasType": TYPES["int32"]}),
    "hyb": ("float32", "int8", "float32", "float32", False, {}),
    "hybasym": ("float32", "int8", "float32", "float32", False, {"asymmetricQuantizeInputs": True}),
    "hybpc": ("float32", "int8", "float32", "float32", True, {}),
    "hybpcasym": ("float32", "int8", "float32", "float32", True, {"asymmetricQuantizeInputs": True}),
    "hybi4": ("float32", "int4", "float32", "float32", False, {}),
    "hybi4pc": ("float32", "int4", "float32", "float32", True, {"asymmetricQuantizeInputs": True}),
    "hybi2pc": ("float32", "int2", "float32", "float32", True, {}),
    "hybu8": ("float32", "uint8", "float32", "float32", False, {}),
}
# (input shape, units, depth, activation, keep_num_dims)
FC_SHAPES = [
    ((1, 16), 8, 16, NONE, False),
    ((3, 37), 5, 37, RELU, False),
    ((2, 3, 5), 7, 15, RELU6, False),
    ((2, 3, 12), 9, 12, NONE, True),
    ((3, 4, 2, 8), 9, 8, RELU_N1_TO_1, True),
    ((4, 1), 6, 1, NONE, False),
    ((1, 640), 1, 640, NONE, False),
    ((129,), 2, 129, NONE, False),
]


# Rows of their own: (units, depth)
FC_ROWS = [(83, 130), (64, 32), (200, 41), (16, 5), (33, 1100), (500, 1200)]


def fully_connected(
    name, variant, shape, units, depth, act, keep, bias=True, const=True, w_zp=0, narrow=False, lowest=False
):
    """narrow: no weight is -128, as converters write them; lowest: the last one alone is."""
    rng = rng_of(name)
    dtype, w_dtype, b_dtype, o_dtype, per_channel, extra = FC_VARIANTS[variant]
    x = activation(rng, "x", shape, dtype, SCALE[dtype])
    if w_dtype == "uint8":
        w_zp = 0 if dtype == "float32" else zero_point(rng, "uint8")
    w, w_data = weights(rng, (units, depth), w_dtype, 0, per_channel, 0.02, const, w_zp, narrow or dtype == "float32")
    if lowest:
        w_data[-1, -1] = -128
    b = bias_of(rng, units, b_dtype if bias else None, x, w, 1000 if dtype != "int16" else 10**6)
    y_shape = shape[:-1] + (units,) if keep else (int(np.prod(shape)) // depth, units)
    y = out_tensor(rng, y_shape, dtype, SCALE[dtype], 0.02, depth, w_dtype, act)
    y.dtype = o_dtype
    if o_dtype == "int16" and dtype == "uint8":
        y.scale, y.zero_point = y.scale / 256, 0
    o = schema.FullyConnectedOptionsT()
    o.fusedActivationFunction, o.keepNumDims = act, keep
    for k, v in extra.items():
        setattr(o, k, v)
    model = single_op("FULLY_CONNECTED", [x, w, b], [y], o)
    return model, [values(rng, shape, dtype)] + ([] if const else [w_data])


def fully_connected_shuffled(name, rows, units, depth, act=NONE, const=True):
    """uint8 weights in blocks of 4 x 16 with their top bits flipped (SHUFFLED4x16INT8). Output 1 is the kernel's workspace."""
    rng = rng_of(name)
    w = rng.integers(0, 256, (units // 4, depth // 16, 4, 16), np.uint8).reshape(units, depth)
    tensors = [
        T("x", (rows, depth), "uint8", 0.03, 128),
        T("w", w.shape, "uint8", 0.02, 128, data=w if const else None),
        T("b", (units,), "int32", 0.03 * 0.02, 0, data=rng.integers(-90000, 90000, units).astype(np.int32)),
    ]
    outputs = [
        T("y", (rows, units), "int16", float(rng.uniform(1e-3, 9e-3)), 0),
        T("workspace", (rows, depth), "uint8", 0.03, 128),
    ]
    o = opts("FullyConnected", weightsFormat=1, fusedActivationFunction=act)
    x = rng.integers(0, 256, (rows, depth), np.uint8)
    return single_op("FULLY_CONNECTED", tensors, outputs, o), [x] + ([] if const else [w])


def fc_tolerance(variant):
    return F32_TOL if FC_VARIANTS[variant][0] == "float32" else None


def fully_connected_cases():
    for variant in FC_VARIANTS:
        for i, spec in enumerate(FC_SHAPES):
            name = "fully_connected_%s_%d" % (variant, i)
            yield name, *fully_connected(name, variant, *spec), REF, fc_tolerance(variant)
        if variant != "u8_i16":
            name = "fully_connected_%s_nobias" % variant
            yield name, *fully_connected(name, variant, *FC_SHAPES[1], bias=False), REF, fc_tolerance(variant)
    for variant in ("f32", "i8", "i8pc", "u8", "i8i4", "hyb", "hybpcasym"):
        for units, depth in FC_ROWS:
            name = "fully_connected_%s_row_%dx%d" % (variant, units, depth)
            spec = ((1, depth), units, depth, NONE, False)
            yield name, *fully_connected(name, variant, *spec, narrow=True), REF, fc_tolerance(variant)
    for w_zp in (0, -9):
        name = "fully_connected_i8_lowest_%d" % w_zp
        model, (x,) = fully_connected(name, "i8", (1, 130), 83, 130, NONE, False, w_zp=w_zp, narrow=True, lowest=True)
        yield name, model, [np.full_like(x, -128)], REF, None
    for variant in ("f32", "i8", "u8", "i16", "hyb"):
        name = "fully_connected_%s_weights_as_input" % variant
        yield name, *fully_connected(name, variant, *FC_SHAPES[1], const=False), REF, fc_tolerance(variant)
    for variant in ("i8", "i16"):
        name = "fully_connected_%s_weight_zero_point" % variant
        yield name, *fully_connected(name, variant, *FC_SHAPES[1], w_zp=11), REF, None
    for act in (TANH, SIGN_BIT):
        name = "fully_connected_hyb_activation_%d" % act
        yield name, *fully_connected(name, "hyb", (3, 37), 5, 37, act, False), REF, F32_TOL
    model, (x,) = fully_connected("fully_connected_hyb_zero", "hyb", *FC_SHAPES[1])
    yield "fully_connected_hyb_zero_input", model, [np.zeros_like(x)], REF, F32_TOL
    for rows, units, depth, *more in (
        (1, 4, 16),
        (4, 8, 48, RELU),
        (1, 36, 160, RELU6),
        (4, 64, 16, RELU_N1_TO_1),
        (4, 12, 32, NONE, False),
    ):
        name = "fully_connected_u8_i16_shuffled_%dx%dx%d" % (rows, units, depth)
        yield name, *fully_connected_shuffled(name, rows, units, depth, *more), REF, None
    name = "fully_connected_f32_no_depth"
    yield name, *fully_connected(name, "f32", (3, 0), 4, 0, NONE, True), REF, F32_TOL
    for i, (rows, units, depth, block) in enumerate(((1, 32, 64, 32), (5, 48, 256, 64), (3, 16, 96, 32))):
        yield "fully_connected_blockwise_%d" % i, *blockwise(rows, units, depth, block), DEFAULT, F32_TOL
        for d in ("int2", "int8"):
            model = blockwise(rows, units, depth, block, d)
            yield "fully_connected_blockwise_%s_%d" % (d, i), *model, "reference_blockwise.Session", F32_TOL


def blockwise(rows, units, depth, block, dtype="int4"):
    """Weights with one float16 scale for each `block` of them. BUILTIN_REF reads the scales wrongly here, and no engine of LiteRT
    computes with any but int4."""
    rng = rng_of("blockwise %d %d" % (units, depth) + ("" if dtype == "int4" else dtype))
    details = schema.BlockwiseQuantizationT()
    details.scales, details.zeroPoints, details.blockSize = 3, -1, block
    q = schema.QuantizationParametersT()
    q.detailsType, q.details = schema.QuantizationDetails.BlockwiseQuantization, details
    scales = rng.uniform(0.005, 0.05, (units, depth // block)).astype(np.float16)
    x, y = T("x", (rows, depth)), T("y", (rows, units))
    w = T("w", (units, depth), dtype, data=ints(rng, (units, depth), dtype), quantization=q)
    b = Builder()
    b.subgraph()
    for t in (x, w, y, T("w_scales", scales.shape, "float16", data=scales)):
        b.tensor(t)
    o = schema.FullyConnectedOptionsT()
    o.keepNumDims = o.asymmetricQuantizeInputs = True
    b.op("FULLY_CONNECTED", [x, w], [y], o)
    b.io([x], [y])
    return b.bytes(), [values(rng, (rows, depth), "float32")]


# (input NHWC, (k_h, k_w), padding, strides, activation)
POOL_SHAPES = [
    ((1, 5, 5, 3), (2, 2), VALID, (2, 2), NONE),
    ((2, 7, 6, 5), (3, 2), SAME, (2, 3), RELU6),
    ((1, 4, 4, 17), (4, 4), VALID, (1, 1), RELU),
    ((1, 6, 9, 2), (5, 5), SAME, (1, 1), RELU_N1_TO_1),
    ((1, 3, 3, 1), (7, 7), SAME, (1, 1), NONE),
    ((3, 9, 1, 4), (2, 1), SAME, (3, 1), NONE),
    ((1, 2, 2, 8), (1, 1), VALID, (2, 2), NONE),
]


def pool(name, op, dtype, shape, k, padding, stride, act):
    rng = rng_of(name)
    x = activation(rng, "x", shape, dtype, SCALE[dtype])
    y = T(
        "y",
        (
            shape[0],
            out_size(padding, shape[1], k[0], stride[0]),
            out_size(padding, shape[2], k[1], stride[1]),
            shape[3],
        ),
        dtype,
        x.scale,
        x.zero_point,
    )
    o = schema.Pool2DOptionsT()
    o.padding, o.strideH, o.strideW, o.filterHeight, o.filterWidth = padding, *stride, *k
    o.fusedActivationFunction = act
    return single_op(op, [x], [y], o), [values(rng, shape, dtype)]


def pool_cases():
    for op in ("AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D"):
        for dtype in ("float32", "uint8", "int8", "int16") if op != "L2_POOL_2D" else ("float32",):
            for i, spec in enumerate(POOL_SHAPES):
                name = "%s_%s_%d" % (op.lower(), dtype, i)
                yield name, *pool(name, op, dtype, *spec), REF, F32_TOL if dtype == "float32" else None


# (left shape, right shape) before transposition
MATMUL_SHAPES = [
    ((3, 4), (4, 5)),
    ((1, 1), (1, 1)),
    ((2, 3, 7), (2, 7, 4)),
    ((2, 3, 7), (7, 4)),
    ((5, 6), (3, 6, 2)),
    ((2, 1, 3, 8), (1, 4, 8, 5)),
    ((4, 2, 6, 5), (4, 1, 5, 9)),
    ((1, 33), (33, 17)),
    ((2, 3, 4, 5), (5, 6)),
]
# variant -> (left, right, output, options)
MATMUL_VARIANTS = {
    "f32": ("float32", "float32", "float32", {}),
    "i8": ("int8", "int8", "int8", {}),
    "i8_i32": ("int8", "int8", "int32", {}),
    "i16": ("int16", "int16", "int16", {}),
    "i16i8c": ("int16", "int8", "int16", {}),
    "hyb": ("float32", "int8", "float32", {}),
    "hybasym": ("float32", "int8", "float32", {"asymmetricQuantizeInputs": True}),
}


def batch_matmul(name, variant, a, b, adj_x, adj_y, const):
    rng = rng_of(name)
    dtype, b_dtype, o_dtype, extra = MATMUL_VARIANTS[variant]
    batch = np.broadcast_shapes(a[:-2], b[:-2])
    y_shape = tuple(batch) + (a[-2], b[-1])
    depth = a[-1]
    a = a[:-2] + (a[-1], a[-2]) if adj_x else a
    b = b[:-2] + (b[-1], b[-2]) if adj_y else b
    x = activation(rng, "a", a, dtype, SCALE[dtype])
    w_data = values(rng, b, b_dtype)
    if dtype == "float32" and b_dtype == "int8":
        w_data = np.maximum(w_data, -127)
    w = activation(rng, "b", b, b_dtype, 0.02, data=w_data if const else None)
    if dtype in ("int16", "float32") and b_dtype != "float32":
        w.zero_point = 0
    y = T("y", y_shape, o_dtype)
    if o_dtype == "int32":
        y.scale, y.zero_point = 0.001, 0
    elif o_dtype != "float32":
        span = {"int8": 74, "int16": 18900}
        y.scale = float(
            np.float32(
                SCALE[dtype]
                * 0.02
                * span[dtype]
                * span[b_dtype]
                * np.sqrt(depth)
                * 3
                / (RANGE[o_dtype][1] - RANGE[o_dtype][0])
            )
        )
        y.zero_point = zero_point(rng, o_dtype)
    o = schema.BatchMatMulOptionsT()
    o.adjX, o.adjY = adj_x, adj_y
    for k, v in extra.items():
        setattr(o, k, v)
    return single_op("BATCH_MATMUL", [x, w], [y], o), [values(rng, a, dtype)] + ([] if const else [w_data])


def matmul_per_channel(dtype, adj_y=False):
    """int8: TFLite accepts this and then takes the scale for 0."""
    rng = rng_of("batch_matmul_per_channel")
    x, y = activation(rng, "a", (3, 8), dtype, 0.05), activation(rng, "y", (3, 6), dtype, 0.1)
    data = np.maximum(ints(rng, (6, 8) if adj_y else (8, 6), "int8"), -127)
    w = T("b", data.shape, "int8", rng.uniform(0.01, 0.03, 6).astype(np.float32), 0, 0 if adj_y else 1, data=data)
    o = schema.BatchMatMulOptionsT()
    o.adjY = adj_y
    return single_op("BATCH_MATMUL", [x, w], [y], o), [values(rng, (3, 8), dtype)]


def batch_matmul_cases():
    for variant in MATMUL_VARIANTS:
        for i, (a, b) in enumerate(MATMUL_SHAPES):
            for adj in range(4):
                const = variant in ("i16i8c", "hyb", "hybasym") or (i + adj) % 3 == 2
                name = "batch_matmul_%s_%d_%d" % (variant, i, adj)
                tol = F32_TOL if MATMUL_VARIANTS[variant][0] == "float32" else None
                oracle = REF
                if variant.startswith("hyb") and sum(d > 1 for d in a[:-2]) > 1:
                    # BUILTIN_REF scales row (i, j) of two leading dimensions like row i + j.
                    oracle = "ops_rows_matrix.MatrixByMatrix"
                yield name, *batch_matmul(name, variant, a, b, bool(adj & 1), bool(adj & 2), const), oracle, tol
    yield "batch_matmul_i8pcc", *matmul_per_channel("int8"), REF, None
    yield "batch_matmul_hybpc", *matmul_per_channel("float32"), REF, F32_TOL
    yield "batch_matmul_hybpc_adj_y", *matmul_per_channel("float32", True), REF, F32_TOL


def empty_cases():
    """No batch, no rows."""
    for variant in ("f32", "i8pc"):
        tol = tolerance(variant)
        name = "conv_2d_%s_empty" % variant
        yield name, *conv_2d(name, variant, (0, 5, 5, 3), *CONV_SHAPES[0][1:]), REF, tol
        name = "depthwise_%s_empty" % variant
        yield name, *depthwise(name, variant, (0, 5, 5, 3), *DEPTHWISE_SHAPES[0][1:]), REF, tol
        name = "fully_connected_%s_empty" % variant
        yield name, *fully_connected(name, variant, (0, 16), 8, 16, NONE, True), REF, tol
    for op in ("AVERAGE_POOL_2D", "MAX_POOL_2D"):
        name = "%s_int8_empty" % op.lower()
        yield name, *pool(name, op, "int8", (0, 5, 5, 3), *POOL_SHAPES[0][1:]), REF, None
    for i, (a, b) in enumerate((((0, 2, 3), (0, 3, 4)), ((2, 0, 3), (3, 4)))):
        name = "batch_matmul_f32_empty_%d" % i
        yield name, *batch_matmul(name, "f32", a, b, False, False, False), REF, F32_TOL


def cases():
    yield from conv_2d_cases()
    yield from depthwise_cases()
    yield from transpose_conv_cases()
    yield from fully_connected_cases()
    yield from pool_cases()
    yield from batch_matmul_cases()
    yield from empty_cases()
