"""Depthwise convolutions of integers whose windows share columns with their neighbours (3 x 3, one or two columns on), and those that
nearly do, with channels around those that kernels take at a time and rows from one pixel to several strips."""

from ops_conv import NONE, REF, RELU, SAME, VALID, depthwise, tolerance

CHANNELS = (8, 9, 15, 16, 17, 24, 31, 33, 40)
# (name, height and width, window, padding, strides, dilations)
WINDOWS = [
    ("columns", (4, 9), (3, 3), SAME, (1, 1), (1, 1)),
    ("columns_long", (3, 75), (3, 3), SAME, (2, 1), (1, 1)),
    ("columns_two", (5, 8), (3, 3), SAME, (1, 2), (1, 1)),
    ("columns_two_long", (7, 83), (3, 3), VALID, (2, 2), (1, 1)),
    ("narrow", (5, 3), (3, 3), SAME, (1, 1), (1, 1)),
    ("dilated", (7, 12), (3, 3), SAME, (1, 1), (2, 2)),
    ("dilated_by_stride", (6, 19), (3, 3), VALID, (2, 2), (2, 2)),
    ("dilated_wide", (9, 40), (3, 3), SAME, (1, 1), (4, 3)),
    ("dilated_columns", (5, 30), (1, 5), SAME, (1, 1), (1, 3)),
    ("dilated_lines", (20, 6), (5, 3), SAME, (2, 1), (3, 1)),
    ("dilated_beyond", (6, 7), (3, 3), SAME, (1, 1), (6, 7)),
    ("stride_3", (7, 20), (3, 3), SAME, (3, 3), (1, 1)),
    ("nine_in_a_row", (3, 21), (1, 9), SAME, (1, 1), (1, 1)),
    ("five", (6, 11), (5, 5), SAME, (1, 1), (1, 1)),
    ("five_stride", (9, 12), (5, 5), SAME, (2, 2), (1, 1)),
]


def cases():
    for i, (label, size, window, padding, stride, dilation) in enumerate(WINDOWS):
        for j, channels in enumerate(CHANNELS):
            variant = ("i8pc", "u8", "i8")[(i + j) % 3]
            name = "depthwise_i8/%s/%s_%d" % (label, variant, channels)
            act = RELU if j % 2 else NONE
            spec = ((2, *size, channels), window, 1, padding, stride, dilation, act)
            yield name, *depthwise(name, variant, *spec), REF, tolerance(variant)
        for variant in ("i16pc", "hybpc"):
            name = "depthwise_i8/%s/%s" % (label, variant)
            spec = ((1, *size, 26), window, 1, padding, stride, dilation, NONE)
            yield name, *depthwise(name, variant, *spec), REF, tolerance(variant)
