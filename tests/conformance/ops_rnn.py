"""Conformance cases of RNN, UNIDIRECTIONAL_ and BIDIRECTIONAL_SEQUENCE_RNN, and SVDF by variant.

The input sets of a case are invoked in sequence on one session, so state that lives on is compared as well."""

import numpy as np

from mkmodel import T, opts, rng_of, single_op
from ops_recurrent import FLOAT_TOL, REF, svdf

HYBRID = "reference_recurrent.BidirectionalRnn"


class Weights:
    def __init__(self, rng, kind):
        self.rng, self.kind = rng, kind

    def matrix(self, name, shape):
        if self.kind == "f32":
            return T(name, shape, data=self.rng.normal(0, 0.5, shape))
        scale = float(np.float32(self.rng.uniform(0.003, 0.006)))
        data = self.rng.integers(-127, 128, shape).astype(np.int8)
        return T(name, shape, "uint8" if self.kind == "hyb_u8" else "int8", scale, 0, data=data.tobytes())

    def bias(self, name, n):
        return T(name, (n,), data=self.rng.normal(0, 0.5, n))


def feeds(rng, tensors, n=4):
    live = [t for t in tensors if t is not None and t.data is None and not t.is_variable]
    sets = [[rng.normal(0, 1, t.shape).astype(np.float32) for t in live] for _ in range(n)]
    sets[1] = [a * 0 for a in sets[1]]
    return sets


def rnn(op, name, kind, batch=1, time=4, n_x=5, units=7, activation=4, time_major=False, asymmetric=False, live=False):
    rng = rng_of(name)
    w = Weights(rng, kind)
    shape = (batch,) if op == "RNN" else (time, batch) if time_major else (batch, time)
    ins = [
        T("x", shape + (n_x,)),
        w.matrix("w", (units, n_x)),
        w.matrix("r", (units, units)),
        w.bias("b", units),
        T("h", (batch, units), is_variable=True),
    ]
    for t in ins[1:4] if live else []:
        t.data = None
    if op == "RNN":
        options = opts("RNN", fusedActivationFunction=activation, asymmetricQuantizeInputs=asymmetric)
    else:
        options = opts(
            "SequenceRNN", timeMajor=time_major, fusedActivationFunction=activation, asymmetricQuantizeInputs=asymmetric
        )
    return single_op(op, ins, [T("y", shape + (units,))], options), feeds(rng, ins)


SHAPES = [
    ("plain", {}),
    ("batch", {"batch": 3, "n_x": 6, "units": 9}),
    ("one", {"n_x": 1, "units": 1, "time": 1}),
    ("large", {"n_x": 33, "units": 40, "batch": 2}),
]
SEQUENCES = [("time_major", {"batch": 3, "time_major": True}), ("long", {"time": 12, "batch": 2})]


def rnn_cases():
    for op, shapes in (("RNN", SHAPES), ("UNIDIRECTIONAL_SEQUENCE_RNN", SHAPES + SEQUENCES)):
        for variant, extra in (("f32", {}), ("hyb", {}), ("hybasym", {"asymmetric": True})):
            for label, shape in shapes:
                name = "%s/%s/%s" % (op.lower(), variant, label)
                model, sets = rnn(op, name, variant[:3], **shape, **extra)
                yield name, model, sets, REF, FLOAT_TOL
        for code, label in ((0, "none"), (1, "relu"), (2, "relu_n1_to_1"), (3, "relu6")):
            name = "%s/f32/%s" % (op.lower(), label)
            # without a bound, and of several steps, sums would grow
            model, sets = rnn(op, name, "f32", activation=code, time=2, units=3)
            yield name, model, sets, REF, FLOAT_TOL
        name = op.lower() + "/f32/live_weights"
        model, sets = rnn(op, name, "f32", batch=2, live=True)
        yield name, model, sets, REF, FLOAT_TOL
        name = op.lower() + "/hyb/u8"
        model, sets = rnn(op, name, "hyb_u8", batch=2)
        yield name, model, sets, REF, FLOAT_TOL


def bidi(
    name,
    kind,
    batch=1,
    time=4,
    n_x=5,
    units=(7, 6),
    n_aux=0,
    aux_weights=True,
    activation=4,
    merge=False,
    time_major=False,
    asymmetric=False,
):
    rng = rng_of(name)
    w = Weights(rng, kind)
    shape = (time, batch) if time_major else (batch, time)
    ins = [T("x", shape + (n_x,))]
    for way, n in zip("fb", units):
        ins += [w.matrix(way + "_w", (n, n_x)), w.matrix(way + "_r", (n, n)), w.bias(way + "_b", n)]
        ins.append(T(way + "_h", (batch, n), is_variable=True))
    ins.append(T("aux", shape + (n_aux,)) if n_aux else None)
    ins += [w.matrix(way + "_a", (n, n_aux)) if n_aux and aux_weights else None for way, n in zip("fb", units)]
    options = opts(
        "BidirectionalSequenceRNN",
        timeMajor=time_major,
        fusedActivationFunction=activation,
        mergeOutputs=merge,
        asymmetricQuantizeInputs=asymmetric,
    )
    outs = [T("y", shape + (sum(units),))] if merge else [T("y%d" % i, shape + (n,)) for i, n in enumerate(units)]
    return single_op("BIDIRECTIONAL_SEQUENCE_RNN", ins, outs, options), feeds(rng, ins, 3)


BIDI = [
    ("plain", {}),
    ("batch", {"batch": 3}),
    ("time_major", {"batch": 3, "time_major": True}),
    ("merged", {"merge": True, "batch": 2}),
    ("merged_time_major", {"merge": True, "batch": 2, "time_major": True}),
    ("relu", {"activation": 1, "units": (3, 2)}),
    ("one", {"n_x": 1, "units": (1, 1), "time": 1}),
    # without weights of its own the auxiliary input is what the backward cell reads
    ("stacked_time_major", {"n_aux": 5, "aux_weights": False, "batch": 2, "time_major": True}),
]
# ... which LiteRT's float kernel forgets where batches come first
STACKED = {"n_aux": 5, "aux_weights": False, "batch": 2}
AUX = [
    ("plain", {"n_aux": 3}),
    ("batch", {"n_aux": 6, "batch": 2}),
    # LiteRT steps through it by the input's size where time comes first
    ("time_major", {"n_aux": 5, "batch": 3, "time_major": True}),
    ("merged", {"n_aux": 5, "merge": True}),
]


def bidi_cases():
    op = "bidirectional_sequence_rnn"
    for variant, shapes in (("f32", BIDI), ("f32aux", AUX)):
        for label, extra in shapes:
            name = "%s/%s/%s" % (op, variant, label)
            model, sets = bidi(name, "f32", **extra)
            yield name, model, sets, REF, FLOAT_TOL
            # the reference in NumPy is held to LiteRT's float kernel, since the hybrid cases have nothing else
            yield name + "_numpy", model, sets, HYBRID, FLOAT_TOL
    model, sets = bidi(op + "/f32/stacked", "f32", **STACKED)
    yield op + "/f32/stacked", model, sets, HYBRID, FLOAT_TOL
    # LiteRT ends with a fault in its hybrid kernel
    for label, extra in BIDI + [("stacked", STACKED)] + [("aux_" + label, extra) for label, extra in AUX]:
        name = "%s/hyb/%s" % (op, label)
        model, sets = bidi(name, "hyb", **extra)
        yield name, model, sets, HYBRID, FLOAT_TOL
    for label, kind, extra in (("u8", "hyb_u8", {}), ("asym", "hyb", {"asymmetric": True, "batch": 2})):
        name = "%s/hyb/%s" % (op, label)
        model, sets = bidi(name, kind, **extra)
        yield name, model, sets, HYBRID, FLOAT_TOL


def svdf_cases():
    shapes = [
        ("plain", {}),
        ("batch", {"batch": 3, "n_in": 7}),
        ("one", {"n_in": 1, "units": 1, "rank": 1, "memory": 1}),
        ("deep", {"rank": 4, "memory": 11, "units": 3}),
    ]
    for variant, kind, extra in (
        ("f32", "float", {}),
        ("hyb", "hybrid", {}),
        ("hybasym", "hybrid", {"asymmetric": True}),
        ("i8", "state16", {"activation": 1}),
    ):
        for label, shape in shapes:
            name = "svdf/%s/%s" % (variant, label)
            model, sets = svdf(name, kind, **shape, **extra)
            yield name, model, sets, REF, None if kind == "state16" else FLOAT_TOL


def cases():
    yield from rnn_cases()
    yield from bidi_cases()
    yield from svdf_cases()
