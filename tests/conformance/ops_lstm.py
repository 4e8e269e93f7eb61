"""Recurrent operators and transforms at sizes that fill vectors, almost fill them, and end blocks of work."""

import numpy as np

from mkmodel import T, rng_of, schema, single_op
from ops_lstm_full import basic
from ops_recurrent import FLOAT_TOL, REF, TFLM, Lstm, svdf
from ops_rnn import rnn

SIZES = (1, 7, 8, 9, 15, 16, 17, 31, 32, 33)
KINDS = (
    ("float", REF, FLOAT_TOL),
    ("hybrid", REF, FLOAT_TOL),
    ("int8", REF, None),
    ("micro8", TFLM, None),
    ("micro16", TFLM, None),
)


def lstm_cases():
    for kind, oracle, tolerance in KINDS:
        for n in SIZES:
            name = "unidirectional_sequence_lstm/%s/cells_%d" % (kind, n)
            cell = Lstm(name, kind, n_x=n + 2, n_cell=n, time=3)
            yield name, cell.model, cell.inputs(), oracle, tolerance
        # deeper than the sums of 32 bits that int16 data are added in
        for label, extra in (
            ("deep", {"n_x": 1100, "n_cell": 66, "time": 1}),
            ("many", {"n_x": 40, "n_cell": 130, "time": 2, "batch": 2}),
        ):
            name = "unidirectional_sequence_lstm/%s/%s" % (kind, label)
            cell = Lstm(name, kind, **extra)
            yield name, cell.model, cell.inputs(), oracle, tolerance
    for cells in (16, 64, 65):
        for dtype, short in (("float32", "f32"), ("uint8", "u8")):
            name = "lstm/%s/basic_cells_%d" % (short, cells)
            model, sets = basic(name, dtype, 2, 17, cells, True)
            yield name, model, sets, REF, None if dtype == "uint8" else FLOAT_TOL


def svdf_cases():
    for kind, oracle, tolerance in (
        ("float", REF, FLOAT_TOL),
        ("hybrid", REF, FLOAT_TOL),
        ("state16", REF, None),
        ("state8", TFLM, None),
    ):
        for memory in SIZES:
            name = "svdf/%s/memory_%d" % (kind, memory)
            model, sets = svdf(
                name, kind, n_in=memory + 1, units=17, rank=2, memory=memory, batch=2, activation=int(kind[0] == "s")
            )
            yield name, model, sets, oracle, tolerance


def rnn_cases():
    for variant in ("f32", "hyb"):
        for units in SIZES:
            name = "unidirectional_sequence_rnn/%s/units_%d" % (variant, units)
            model, sets = rnn("UNIDIRECTIONAL_SEQUENCE_RNN", name, variant, n_x=units + 1, units=units)
            yield name, model, sets, REF, FLOAT_TOL


def transform_cases():
    for rows, n_in, length in ((40, 200, 256), (33, 513, 512), (700, 30, 32), (3, 4096, 4096), (5, 1, 8)):
        name = "rfft2d/f32/rows_%d_of_%d" % (rows, length)
        x = rng_of(name).normal(0, 100, (rows, 1, n_in)).astype(np.float32)
        size = T("n", (2,), "int32", data=np.array((1, length)))
        model = single_op(
            "RFFT2D",
            [T("x", x.shape), size],
            [T("y", (rows, 1, length // 2 + 1), "complex64")],
            schema.Rfft2dOptionsT(),
        )
        yield name, model, [[x]], REF, 1e-4


def cases():
    yield from lstm_cases()
    yield from svdf_cases()
    yield from rnn_cases()
    yield from transform_cases()
