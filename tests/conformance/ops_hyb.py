"""Convolutions whose output stage is not the kernels' own, in sizes around those of the kernels' tiles: dynamic-range (hybrid)
ones, which have float activations under int8 and int4 weights, and those of int16 activations. Also depthwise ones of few
channels or several outputs each, of every type, and layers of int16 activations."""

import numpy as np

from ops_conv import NONE, REF, RELU, RELU6, SAME, VALID, conv_2d, depthwise, fully_connected, tolerance

SIZES = (1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 65)


def spread(inputs):
    """Float images of different ranges, so that scales and zero points differ as well; the ends of the range of integers."""
    x = inputs[0]
    if x.dtype != np.float32:
        flat = x.reshape(-1)
        flat[::7], flat[3::7] = np.iinfo(x.dtype).min, np.iinfo(x.dtype).max
        return inputs
    for b in range(x.shape[0]):
        x[b] = x[b] * np.float32(0.5 + b) + np.float32(0.7 * b - 0.3)
    return [x, *inputs[1:]]


# (name, input NHWC, filter (out_c, k_h, k_w, k_c), padding, strides hw, dilations hw, activation)
CONV = [
    ("pixel_rows", (3, 5, 7, 24), (40, 1, 1, 24), SAME, (1, 1), (1, 1), NONE),
    ("one_pixel", (1, 1, 1, 70), (37, 1, 1, 70), SAME, (1, 1), (1, 1), RELU),
    ("whole_image", (2, 4, 5, 6), (19, 4, 5, 6), VALID, (1, 1), (1, 1), NONE),
    ("stride", (2, 13, 11, 9), (21, 3, 3, 9), SAME, (2, 3), (1, 1), RELU6),
    ("dilation", (2, 12, 14, 7), (18, 3, 2, 7), SAME, (1, 1), (3, 4), NONE),
    ("valid_dilation", (1, 15, 13, 5), (33, 2, 3, 5), VALID, (2, 1), (4, 2), RELU),
    ("many_pixels", (2, 1, 301, 3), (9, 1, 5, 3), SAME, (1, 1), (1, 1), NONE),
    ("wide", (1, 3, 600, 4), (17, 3, 3, 4), SAME, (1, 1), (1, 1), NONE),
    ("deep", (1, 3, 3, 300), (16, 3, 3, 300), SAME, (1, 1), (1, 1), NONE),
    ("more_taps_than_runs", (1, 40, 40, 2), (5, 33, 33, 2), SAME, (3, 3), (1, 1), NONE),
    ("strided_pixels", (2, 9, 9, 16), (16, 1, 1, 16), SAME, (2, 2), (1, 1), NONE),
]
GROUPED = [
    ("groups_2", (2, 6, 5, 18), (34, 3, 3, 9), SAME, (1, 1), (1, 1), NONE),
    ("groups_of_pixels", (2, 6, 5, 32), (8, 1, 1, 8), SAME, (1, 1), (1, 1), RELU),
    ("groups_all", (1, 7, 7, 10), (20, 3, 3, 1), SAME, (2, 1), (1, 1), NONE),
]
# (name, input NHWC, (k_h, k_w), multiplier, padding, strides, dilations, activation)
DEPTHWISE = [
    ("batches", (3, 7, 9, 24), (3, 3), 1, SAME, (1, 1), (1, 1), NONE),
    ("stride", (2, 11, 10, 33), (5, 3), 1, SAME, (2, 2), (1, 1), RELU6),
    ("dilation", (2, 9, 14, 19), (3, 3), 1, SAME, (1, 1), (3, 2), NONE),
    ("valid", (1, 12, 8, 40), (4, 2), 1, VALID, (1, 3), (1, 1), RELU),
    ("one_channel", (2, 10, 9, 1), (10, 4), 24, SAME, (2, 2), (1, 1), RELU),
    ("one_tap", (2, 5, 4, 16), (1, 1), 1, SAME, (1, 1), (1, 1), NONE),
    ("line", (1, 1, 200, 12), (1, 9), 1, SAME, (1, 1), (1, 1), NONE),
]
# Those that are copied first: a copy is of some pixels of a row, or of one.
COPIED = [
    ("multiplier_4", (2, 6, 7, 5), (3, 3), 4, SAME, (1, 1), (1, 1), NONE),
    ("multiplier_3", (2, 9, 8, 16), (3, 4), 3, VALID, (2, 2), (1, 1), RELU),
    ("multiplier_2_few", (2, 9, 8, 3), (3, 3), 2, SAME, (1, 2), (1, 1), NONE),
    ("multiplier_dilation", (1, 12, 9, 7), (3, 2), 2, SAME, (1, 1), (4, 5), NONE),
    ("few_wide", (2, 3, 1100, 3), (3, 3), 1, SAME, (1, 1), (1, 1), RELU6),
    ("few_stride", (1, 9, 301, 2), (5, 5), 1, SAME, (3, 2), (1, 1), NONE),
    ("multiplier_wide", (1, 3, 90, 130), (3, 3), 2, SAME, (1, 1), (1, 1), NONE),
    ("multiplier_far", (1, 2, 64, 296), (2, 3), 2, SAME, (1, 1), (1, 30), NONE),
]


def depthwise_cases():
    for variant in ("hybpc", "i16", "i16pc"):
        for n in SIZES:
            name = "depthwise_conv_2d/%s/channels_%d" % (variant, n)
            model, inputs = depthwise(name, variant, (2, 6, 5, n), (3, 3), 1, SAME, (1, 1), (1, 1), NONE)
            yield name, model, spread(inputs), REF, tolerance(variant)
        for label, *spec in DEPTHWISE:
            name = "depthwise_conv_2d/%s/%s" % (variant, label)
            model, inputs = depthwise(name, variant, *spec)
            yield name, model, spread(inputs), REF, tolerance(variant)
    for variant in ("f32", "u8", "i8", "i8pc", "i8i4pc", "i16pc", "hybpc"):
        for label, *spec in COPIED:
            name = "depthwise_conv_2d/%s/copied_%s" % (variant, label)
            model, inputs = depthwise(name, variant, *spec)
            yield name, model, spread(inputs), REF, tolerance(variant)
    name = "depthwise_conv_2d/i8pc/copied_no_bias"
    model, inputs = depthwise(name, "i8pc", *COPIED[2][1:], bias=False)
    yield name, model, inputs, "tflm", None


def conv_cases():
    for variant in ("hyb", "hybpc", "hybi4pc", "hybu8", "i16", "i16pc", "i16pcb32", "i16i4pc"):
        for label, *spec in CONV:
            name = "conv_2d/%s/%s" % (variant, label)
            model, inputs = conv_2d(name, variant, *spec)
            yield name, model, spread(inputs), REF, tolerance(variant)
    for n in SIZES:
        for variant in ("hyb", "hybpc", "i16pc"):
            name = "conv_2d/%s/outputs_%d" % (variant, n)
            model, inputs = conv_2d(name, variant, (2, 4, 5, 11), (n, 2, 3, 11), SAME, (1, 1), (1, 1), NONE)
            yield name, model, spread(inputs), REF, tolerance(variant)
        for variant in ("hybpc", "i16pc"):
            name = "conv_2d/%s/depth_%d" % (variant, n)
            model, inputs = conv_2d(name, variant, (2, 3, 5, n), (12, 3, 3, n), SAME, (1, 1), (1, 1), NONE)
            yield name, model, spread(inputs), REF, tolerance(variant)
    for variant in ("hybpc", "hybi4pc", "i16pc"):  # LiteRT insists on one scale per channel for hybrid ones
        for label, *spec in GROUPED:
            name = "conv_2d/%s/%s" % (variant, label)
            model, inputs = conv_2d(name, variant, *spec)
            yield name, model, spread(inputs), REF, tolerance(variant)


def fully_connected_cases():
    for variant in ("i16", "i16pc", "i16pcb32", "i16i4"):
        for depth in (1, 15, 17, 495, 496, 497, 512, 993, 2000):
            name = "fully_connected/%s/depth_%d" % (variant, depth)
            model, inputs = fully_connected(name, variant, (3, depth), 11, depth, NONE, False)
            yield name, model, spread(inputs), REF, None
        for units in SIZES:
            name = "fully_connected/%s/units_%d" % (variant, units)
            model, inputs = fully_connected(name, variant, (2, 40), units, 40, RELU, False)
            yield name, model, spread(inputs), REF, None
    name = "fully_connected/i16/weight_zero_point"
    model, inputs = fully_connected(name, "i16", (3, 700), 37, 700, NONE, False, w_zp=-9)
    yield name, model, spread(inputs), REF, None


def cases():
    yield from conv_cases()
    yield from depthwise_cases()
    yield from fully_connected_cases()
