"""Float convolutions of 3 x 3 by Winograd's tiles: images of odd and even sizes, their edges, several images, numbers of channels and
columns around those of tiles and panels, and layers that are just none of these."""

from ops_conv import NONE, REF, RELU, RELU6, SAME, VALID, conv_2d, tolerance

ONE = (1, 1)

# (name, input NHWC, filter (out_c, 3, 3, in_c), padding, activation)
CONVS = [
    ("even", (1, 16, 16, 16), (16, 3, 3, 16), SAME, NONE),
    ("odd", (1, 15, 17, 24), (32, 3, 3, 24), SAME, RELU6),
    ("valid", (1, 18, 13, 32), (40, 3, 3, 32), VALID, RELU),
    ("valid_odd", (1, 13, 16, 17), (33, 3, 3, 17), VALID, NONE),
    ("batches", (3, 9, 11, 20), (47, 3, 3, 20), SAME, NONE),
    ("many_columns", (1, 12, 12, 16), (130, 3, 3, 16), SAME, RELU),
    ("many_channels", (1, 14, 14, 131), (31, 3, 3, 131), SAME, NONE),
    ("both", (1, 12, 10, 96), (96, 3, 3, 96), SAME, RELU6),
    ("flat", (1, 1, 90, 32), (32, 3, 3, 32), SAME, NONE),
    ("narrow", (1, 90, 1, 32), (32, 3, 3, 32), SAME, NONE),
    ("few_channels", (1, 16, 16, 15), (32, 3, 3, 15), SAME, NONE),
    ("few_columns", (1, 16, 16, 32), (15, 3, 3, 32), SAME, NONE),
]


def cases():
    for label, shape, weights, padding, act in CONVS:
        name = "conv_2d/f32/winograd_" + label
        model, inputs = conv_2d(name, "f32", shape, weights, padding, ONE, ONE, act)
        yield name, model, inputs, REF, tolerance("f32")
