"""Float layers most of whose weights are 0, as pruning leaves them: products without those weights, in numbers of rows, columns and
inputs around those of the kernels' tiles (32 rows, 4 columns, 4 inputs), of whole images, windows and rows of FULLY_CONNECTED; and
weights of which none, or no more than one, is left."""

import numpy as np

from mkmodel import Builder, schema
from ops_conv import NONE, REF, RELU, RELU6, SAME, VALID, conv_2d, fully_connected, tolerance

ONE = (1, 1)

# (name, input NHWC, filter (out_c, k_h, k_w, in_c), padding, strides, dilations, activation, kept weights)
CONVS = [
    ("1x1", (1, 8, 8, 32), (16, 1, 1, 32), SAME, ONE, ONE, RELU6, 0.3),
    ("1x1_odd", (1, 7, 9, 37), (19, 1, 1, 37), SAME, ONE, ONE, NONE, 0.25),
    ("1x1_few_columns", (1, 12, 12, 64), (3, 1, 1, 64), VALID, ONE, ONE, RELU, 0.2),
    ("1x1_one_column", (2, 6, 6, 48), (1, 1, 1, 48), VALID, ONE, ONE, NONE, 0.2),
    ("1x1_batches", (3, 5, 5, 40), (24, 1, 1, 40), SAME, ONE, ONE, NONE, 0.2),
    ("1x1_deep", (1, 6, 6, 385), (33, 1, 1, 385), SAME, ONE, ONE, NONE, 0.2),
    ("1x1_strided", (1, 13, 13, 32), (16, 1, 1, 32), SAME, (2, 2), ONE, RELU, 0.2),
    ("3x3_same", (1, 9, 11, 16), (24, 3, 3, 16), SAME, ONE, ONE, RELU6, 0.2),
    ("3x3_valid", (1, 10, 10, 18), (12, 3, 3, 18), VALID, ONE, ONE, NONE, 0.2),
    ("3x2_strided", (2, 11, 15, 13), (10, 3, 2, 13), SAME, (2, 1), ONE, NONE, 0.2),
    ("3x3_dilated", (1, 14, 12, 16), (8, 3, 3, 16), SAME, ONE, (2, 3), RELU, 0.2),
    ("whole_image", (40, 3, 3, 8), (12, 3, 3, 8), VALID, ONE, ONE, NONE, 0.2),
    ("no_weights", (1, 8, 8, 32), (8, 1, 1, 32), SAME, ONE, ONE, NONE, 0.0),
    ("one_weight", (1, 8, 8, 32), (8, 1, 1, 32), SAME, ONE, ONE, NONE, 1),
    ("most_weights", (1, 8, 8, 32), (16, 1, 1, 32), SAME, ONE, ONE, NONE, 0.7),
]

# (name, rows, units, depth, activation, kept weights)
LAYERS = [
    ("rows_32", 32, 24, 64, RELU, 0.2),
    ("rows_45", 45, 33, 70, NONE, 0.25),
    ("deep", 64, 8, 500, RELU6, 0.1),
    ("one_unit", 70, 1, 64, NONE, 0.2),
    ("no_weights", 32, 8, 64, NONE, 0.0),
]


def pruned(model, keep, seed):
    """The model with that share of its weights, w; keep 1: with one of them."""
    m = schema.ModelT.InitFromObj(schema.Model.GetRootAs(model))
    (w,) = (t for t in m.subgraphs[0].tensors if t.name == b"w")
    data = np.array(m.buffers[w.buffer].data, np.uint8).view(np.float32).copy()
    rng = np.random.default_rng(seed)
    kept = np.arange(data.size) == data.size // 2 if keep == 1 else rng.random(data.size) < keep
    data[~kept] = np.where(rng.random(int((~kept).sum())) < 0.5, np.float32(0), np.float32(-0.0))
    m.buffers[w.buffer].data = np.frombuffer(data.tobytes(), np.uint8)
    b = Builder()
    b.model = m
    return b.bytes()


def cases():
    for i, (label, *spec, keep) in enumerate(CONVS):
        name = "conv_2d/f32/pruned_" + label
        model, inputs = conv_2d(name, "f32", *spec)
        yield name, pruned(model, keep, i), inputs, REF, tolerance("f32")
    for i, (label, rows, units, depth, act, keep) in enumerate(LAYERS):
        name = "fully_connected/f32/pruned_" + label
        model, inputs = fully_connected(name, "f32", (rows, depth), units, depth, act, False)
        yield name, pruned(model, keep, 100 + i), inputs, REF, tolerance("f32")
