"""Depthwise convolutions of floats in sizes around those of the kernels' tiles (four pixels, 8 to 32 channels), with windows that
hang over the image on each side, and of so many weights that channels are done in strips."""

from ops_conv import NONE, REF, RELU, RELU6, SAME, VALID, depthwise, tolerance

CHANNELS = (8, 9, 15, 16, 17, 31, 32, 33, 40, 71)
PIXELS = (1, 2, 3, 4, 5, 6, 7, 8, 9)

# (name, input NHWC, filter hw, depth multiplier, padding, strides hw, dilations hw, activation)
MORE = [
    ("window_5x5", (2, 6, 9, 24), (5, 5), 1, SAME, (1, 1), (1, 1), NONE),
    ("window_2x7", (1, 5, 11, 19), (2, 7), 1, SAME, (1, 1), (1, 1), RELU),
    ("window_1x1", (1, 3, 6, 20), (1, 1), 1, SAME, (1, 1), (1, 1), RELU6),
    ("window_wider_than_image", (1, 3, 2, 16), (9, 9), 1, SAME, (1, 1), (1, 1), NONE),
    ("stride_2x2", (2, 9, 14, 33), (3, 3), 1, SAME, (2, 2), (1, 1), RELU6),
    ("stride_3x1", (1, 10, 9, 12), (3, 4), 1, SAME, (3, 1), (1, 1), NONE),
    ("stride_1x5", (1, 4, 23, 8), (2, 3), 1, VALID, (1, 5), (1, 1), NONE),
    ("dilation_2x4", (1, 9, 13, 17), (3, 3), 1, SAME, (1, 1), (2, 4), NONE),
    ("lines_outside", (1, 1, 9, 24), (2, 3), 1, SAME, (1, 1), (2, 1), NONE),
    ("lines_outside_between", (2, 3, 7, 17), (2, 3), 1, SAME, (1, 1), (4, 1), NONE),
    ("lines_outside_five", (1, 2, 8, 40), (2, 5), 1, SAME, (1, 1), (3, 1), NONE),
    ("dilation_with_holes", (1, 4, 5, 8), (2, 2), 1, SAME, (1, 1), (5, 6), NONE),
    ("dilation_and_stride", (1, 15, 17, 10), (3, 3), 1, VALID, (2, 2), (1, 1), RELU),
    ("strips_3x3", (1, 4, 5, 1003), (3, 3), 1, SAME, (1, 1), (1, 1), RELU6),
    ("strips_5x5", (2, 3, 7, 327), (5, 5), 1, SAME, (2, 2), (1, 1), NONE),
    ("strips_whole", (1, 5, 5, 264), (5, 5), 1, SAME, (1, 1), (1, 1), NONE),
    ("copied_3_to_24", (1, 7, 9, 3), (3, 3), 8, SAME, (2, 2), (1, 1), RELU6),
    ("copied_2_to_22", (2, 5, 6, 2), (3, 2), 11, SAME, (1, 1), (1, 2), NONE),
    ("copied_10_to_30", (1, 4, 6, 10), (3, 3), 3, SAME, (1, 1), (1, 1), NONE),
    ("copied_5_to_5", (2, 4, 21, 5), (3, 5), 1, SAME, (1, 1), (1, 1), RELU),
]


def cases():
    for n in CHANNELS:
        spec = ((2, 4, 7, n), (3, 3), 1, SAME, (1, 1), (1, 1), RELU6)
        name = "depthwise_conv_2d/f32/channels_%d" % n
        yield name, *depthwise(name, "f32", *spec), REF, tolerance("f32")
    for n in PIXELS:
        spec = ((1, 3, n, 27), (3, 3), 1, SAME, (1, 1), (1, 1), NONE)
        name = "depthwise_conv_2d/f32/pixels_%d" % n
        yield name, *depthwise(name, "f32", *spec), REF, tolerance("f32")
    for n in range(4, 14):
        for label, window, stride in (("five", (5, 5), (1, 1)), ("apart", (3, 3), (2, 2)), ("flat", (1, 3), (1, 1))):
            spec = ((1, 6, n, 24), window, 1, SAME, stride, (1, 1), NONE)
            name = "depthwise_conv_2d/f32/ends_%s_%d" % (label, n)
            yield name, *depthwise(name, "f32", *spec), REF, tolerance("f32")
    for variant in ("f32", "i8pc", "hybpc"):
        for label, *spec in MORE:
            if variant == "f32" or label.startswith("copied"):
                name = "depthwise_conv_2d/%s/tiles_%s" % (variant, label)
                yield name, *depthwise(name, variant, *spec), REF, tolerance(variant)
