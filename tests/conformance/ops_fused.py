"""Two operators that run as one: PAD before a convolution, and what comes near to it and must stay as it is.

Each is named for the convolution. The oracle runs both as they stand."""

import numpy as np

from mkmodel import Builder, T, opts, rng_of
from ops_conv import CONV_VARIANTS, NONE, REF, RELU6, SAME, SCALE, VALID
from ops_conv import activation, bias_of, out_size, out_tensor, tolerance, values, weights, zero_point

# (input NHWC, (outputs or multiplier, k_h, k_w), strides hw, dilations hw, PAD: top, bottom, left, right, activation)
SHAPES = [
    ((1, 5, 5, 3), (4, 3, 3), (1, 1), (1, 1), (1, 1, 1, 1), NONE),
    ((1, 8, 9, 16), (1, 3, 3), (2, 2), (1, 1), (0, 1, 0, 1), RELU6),
    ((2, 7, 6, 5), (2, 3, 2), (2, 3), (1, 1), (2, 0, 1, 0), NONE),
    ((1, 6, 6, 24), (1, 5, 5), (1, 1), (1, 1), (4, 4, 4, 4), NONE),
    ((1, 1, 1, 8), (8, 3, 3), (1, 1), (1, 1), (1, 1, 1, 1), NONE),
    ((1, 9, 4, 17), (1, 3, 3), (1, 1), (2, 3), (4, 1, 0, 6), NONE),
    ((3, 4, 20, 32), (2, 1, 7), (1, 2), (1, 1), (0, 0, 3, 3), RELU6),
    ((1, 14, 15, 40), (1, 3, 3), (2, 2), (1, 1), (1, 1, 1, 1), NONE),
    ((1, 3, 3, 4), (4, 3, 3), (1, 1), (1, 1), (3, 0, 0, 3), NONE),  # windows beside the image: stays a PAD
    ((1, 5, 5, 4), (4, 1, 1), (1, 1), (1, 1), (1, 0, 0, 1), NONE),  # likewise
    ((1, 5, 6, 4), (4, 3, 3), (1, 1), (1, 1), (0, 3, 0, 0), NONE),  # likewise
    ((1, 5, 6, 4), (4, 3, 2), (1, 1), (1, 1), (0, 0, 2, 0), NONE),  # likewise
    ((1, 5, 6, 4), (4, 3, 2), (1, 1), (1, 2), (0, 0, 0, 3), NONE),  # likewise
    ((1, 5, 5, 4), (4, 1, 1), (2, 2), (1, 1), (0, 0, 0, 0), NONE),
]


def padded(name, op, variant, shape, f, stride, dilation, pad, act, padding=VALID, twist=None):
    rng = rng_of(name)
    dtype, w_dtype, b_dtype, per_channel = CONV_VARIANTS[variant]
    depthwise = op == "DEPTHWISE_CONV_2D"
    out_c = shape[3] * f[0] if depthwise else f[0]
    w_shape = (1, f[1], f[2], out_c) if depthwise else (out_c, f[1], f[2], shape[3])
    axis, depth = (3, f[1] * f[2]) if depthwise else (0, f[1] * f[2] * shape[3])
    x = activation(rng, "x", shape, dtype, SCALE[dtype])
    wide = (shape[0], shape[1] + pad[0] + pad[1], shape[2] + pad[2] + pad[3], shape[3])
    middle = T("padded", wide, dtype, x.scale, x.zero_point)
    zero = zero_point(rng, "uint8") if dtype == "uint8" else 0
    w, _ = weights(rng, w_shape, w_dtype, axis, per_channel, 0.02, True, zero, dtype == "float32")
    b = bias_of(rng, out_c, b_dtype, x, w, 1000 if dtype != "int16" else 10**6)
    y_shape = (
        shape[0],
        out_size(padding, wide[1], f[1], stride[0], dilation[0]),
        out_size(padding, wide[2], f[2], stride[1], dilation[1]),
        out_c,
    )
    y = out_tensor(rng, y_shape, dtype, SCALE[dtype], 0.02, depth, w_dtype, act)
    fields = {"padding": padding, "strideH": stride[0], "strideW": stride[1], "fusedActivationFunction": act}
    fields.update(dilationHFactor=dilation[0], dilationWFactor=dilation[1])
    if depthwise:
        fields["depthMultiplier"] = f[0]
    matrix = np.array([[0, 0], pad[:2], pad[2:], [0, 0]], np.int32)
    ins = [x, T("paddings", (4, 2), "int32", data=matrix)]
    if twist == "scaled" and x.scale:  # the border's bytes mean something else than the image's
        middle = T("padded", wide, dtype, x.scale * 2, x.zero_point)
    if twist in ("zero", "one"):
        number = 1 if twist == "one" else 0
        value = np.array([number if dtype == "float32" else x.zero_point + number]).astype(dtype)
        ins.append(T("value", (1,), dtype, x.scale, x.zero_point, data=value))
    m = Builder()
    m.subgraph()
    m.op("PADV2" if len(ins) == 3 else "PAD", ins, [middle])
    m.op(op, [middle, w, b], [y], opts("DepthwiseConv2D" if depthwise else "Conv2D", **fields))
    outs = [y]
    if twist == "read":  # by another one, too
        z = T("z", wide, dtype, x.scale, x.zero_point)
        m.op("MAXIMUM", [middle, middle], [z])
        outs.append(z)
    if twist == "output":
        outs.append(middle)
    m.io([x], outs)
    return m.bytes(), [values(rng, shape, dtype)]


def cases():
    for op in ("CONV_2D", "DEPTHWISE_CONV_2D"):
        for variant in ("f32", "i8pc", "u8", "i16pc", "hybpc"):
            for i, (shape, f, stride, dilation, pad, act) in enumerate(SHAPES):
                name = "%s/%s/padded%d" % (op.lower(), variant, i)
                yield name, *padded(name, op, variant, shape, f, stride, dilation, pad, act), REF, tolerance(variant)
            for twist in ("zero", "one", "read", "output", "scaled"):
                name = "%s/%s/padded_%s" % (op.lower(), variant, twist)
                some = (op, variant, (1, 7, 9, 8), (1, 3, 3), (2, 1), (1, 1), (1, 2, 2, 1), NONE, VALID, twist)
                yield name, *padded(name, *some), REF, tolerance(variant)
            name = "%s/%s/padded_same" % (op.lower(), variant)
            some = (op, variant, (1, 7, 9, 8), (1, 3, 3), (2, 1), (1, 1), (1, 2, 2, 1), NONE, SAME)
            yield name, *padded(name, *some), REF, tolerance(variant)
