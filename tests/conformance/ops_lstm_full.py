"""Conformance cases of LSTM (the full kernel and the basic one), UNIDIRECTIONAL_ and BIDIRECTIONAL_SEQUENCE_LSTM, by variant.

The input sets of a case are invoked in sequence on one session, so state that lives on is compared as well."""

import numpy as np

from mkmodel import T, opts, rng_of, schema, single_op
from ops_recurrent import FLOAT_TOL, GATES, REF, Lstm

ALL = {"layer_norm": True, "peephole": True, "projection": True, "n_out": 5, "cell_clip": 0.5, "proj_clip": 0.3}

# variant: (kind of Lstm, what it always has)
VARIANTS = {
    "f32": ("float", {}),
    "f32cifg": ("float", {"cifg": True}),
    "f32ln": ("float", {"layer_norm": True}),
    "f32peep": ("float", {"peephole": True}),
    "f32proj": ("float", {"projection": True, "n_out": 4}),
    "hyb": ("hybrid", {}),
    "hybasym": ("hybrid", {"asymmetric": True}),
    "hybln": ("hybrid", {"layer_norm": True}),
    "hybpeepcifg": ("hybrid", {"peephole": True, "cifg": True}),
    "hybproj": ("hybrid", {"projection": True, "n_out": 4}),
    "i8": ("int8", {}),
    "i8cifg": ("int8", {"cifg": True}),
    "i8ln": ("int8", {"layer_norm": True}),
    "i8peep": ("int8", {"peephole": True}),
    "i8proj": ("int8", {"projection": True, "n_out": 4}),
}
SHAPES = [
    ("plain", {}),
    ("batch", {"batch": 3, "n_x": 6, "n_cell": 9}),
    ("clip", {"batch": 2, "cell_clip": 0.4, "n_x": 1}),
    ("large", {"n_x": 33, "n_cell": 40}),
]
# All options together, in each representation.
MIX = [
    ("f32", "float", ALL),
    ("f32_cifg", "float", dict(ALL, cifg=True, batch=2)),
    ("hyb", "hybrid", dict(ALL, batch=3)),
    ("hyb_asym", "hybrid", dict(ALL, asymmetric=True)),
    ("hyb_u8", "hybrid_u8", {"batch": 2, "projection": True, "n_out": 4}),
    ("i8", "int8", ALL),
    ("i8_cifg", "int8", dict(ALL, cifg=True, batch=3)),
]


class Step(Lstm):
    """The same tensors for LSTM: an input without a time."""

    op = "LSTM"

    def dims(self, batch, time, time_major):
        return (batch,)

    def options(self, activation, cell_clip, proj_clip, time_major, asymmetric, diagonal):
        return opts(
            "LSTM",
            fusedActivationFunction=activation,
            cellClip=cell_clip,
            projClip=proj_clip,
            asymmetricQuantizeInputs=asymmetric,
        )


def exact(kind):
    return None if kind == "int8" else FLOAT_TOL


def variant_cases(op, make, more, mix):
    for variant, (kind, always) in VARIANTS.items():
        for label, extra in SHAPES + more:
            name = "%s/%s/%s" % (op, variant, label)
            lstm = make(name, kind, **extra, **always)
            yield name, lstm.model, lstm.inputs(4), REF, exact(kind)
    for label, kind, extra in MIX + mix:
        name = "%s/mix/%s" % (op, label)
        lstm = make(name, kind, **extra)
        yield name, lstm.model, lstm.inputs(4), REF, exact(kind)


def activation_cases():
    for code, label in ((1, "relu"), (2, "relu_n1_to_1"), (3, "relu6")):
        name = "lstm/f32/" + label
        lstm = Step(name, "float", activation=code)
        yield name, lstm.model, lstm.inputs(), REF, FLOAT_TOL
    lstm = Step("lstm/f32/inputs20", "float", inputs=20)
    yield "lstm/f32/inputs20", lstm.model, lstm.inputs(), REF, FLOAT_TOL


# ---- the basic kernel ----------------------------------------------------------------------------------------------


def basic(name, dtype, batch, n_x, n_cell, variables):
    rng, n = rng_of(name), n_x + n_cell
    options = opts("LSTM", fusedActivationFunction=4, kernelType=schema.LSTMKernelType.BASIC)
    if dtype == "float32":
        q, s = (None, None), (None, None)
        w = T("w", (4 * n_cell, n), data=rng.normal(0, 0.5, (4 * n_cell, n)))
        b = T("b", (4 * n_cell,), data=rng.normal(0, 0.5, 4 * n_cell))
        wide = "float32"
    else:
        q, s, wide = (1 / 128, 128), (2.0**-11, 0), "int16"
        w = T("w", (4 * n_cell, n), "uint8", 0.02, 117, data=rng.integers(0, 256, (4 * n_cell, n)))
        b = T("b", (4 * n_cell,), "int32", 0.02 / 128, 0, data=rng.integers(-9000, 9000, 4 * n_cell))
    ins = [
        T("x", (batch, n_x), dtype, *q),
        T("h", (batch, n_cell), dtype, *q, is_variable=variables),
        w,
        b,
        T("c", (batch, n_cell), wide, *s, is_variable=variables),
    ]
    outs = [
        T("y", (batch, n_cell), dtype, *q),
        T("c2", (batch, n_cell), wide, *s),
        T("row", (batch, n), dtype, *q),
        T("gates", (batch, 4 * n_cell), wide, *(s[0] and (2.0**-12, 0) or s)),
    ]
    sets = []
    for _ in range(4):
        feed = []
        for t in ins:
            if t.data is None and not t.is_variable:
                a = rng.normal(0, 1, t.shape).astype(np.float32)
                if t.dtype == "uint8":
                    a = rng.integers(0, 256, t.shape).astype(np.uint8)
                elif t.dtype == "int16":
                    a = rng.integers(-32768, 32768, t.shape).astype(np.int16)
                feed.append(a)
        sets.append(feed)
    return single_op("LSTM", ins, outs, options), sets


def basic_cases():
    for dtype, short in (("float32", "f32"), ("uint8", "u8")):
        for label, batch, n_x, n_cell in (
            ("plain", 1, 5, 7),
            ("batch", 3, 4, 6),
            ("one", 1, 1, 1),
            ("large", 2, 33, 20),
        ):
            for variables in (False, True):
                name = "lstm/%s/basic_%s%s" % (short, label, "_state" if variables else "")
                model, sets = basic(name, dtype, batch, n_x, n_cell, variables)
                yield name, model, sets, REF, None if dtype == "uint8" else FLOAT_TOL


# ---- BIDIRECTIONAL_SEQUENCE_LSTM -----------------------------------------------------------------------------------


def bidi(
    name,
    hybrid=False,
    batch=1,
    time=4,
    n_x=5,
    cells=(7, 7),  # LiteRT wants two of a kind
    outs=None,
    n_aux=0,
    aux_weights=True,
    cifg=False,
    peephole=False,
    projection=False,
    merge=False,
    time_major=False,
    asymmetric=False,
    u8=False,
    **more,
):
    rng = rng_of(name)

    def weight(label, shape, spread=0.6):
        if not hybrid:
            return T(label, shape, data=rng.normal(0, spread, shape))
        scale = float(np.float32(spread * rng.uniform(0.006, 0.012)))
        data = rng.integers(-127, 128, shape).astype(np.int8)
        return T(label, shape, "uint8" if u8 else "int8", scale, 0, data=data.tobytes())

    def bias(label, n):
        return T(label, (n,), data=rng.normal(0, 0.5, n))

    outs = outs or cells
    shape = (time, batch) if time_major else (batch, time)
    ins = [T("x", shape + (n_x,))]
    for way, n, h in zip("fb", cells, outs):
        gates = [None if cifg and g == "input" else g for g in GATES]
        ins += [g and weight("%s_w_%s" % (way, g), (n, n_x)) for g in gates]
        ins += [g and weight("%s_r_%s" % (way, g), (n, h)) for g in gates]
        ins += [g and weight("%s_p_%s" % (way, g), (n,)) if peephole else None for g in (gates[0], gates[1], gates[3])]
        ins += [g and bias("%s_b_%s" % (way, g), n) for g in gates]
        ins += [weight(way + "_proj", (h, n)), bias(way + "_proj_b", h)] if projection else [None, None]
    for way, n, h in zip("fb", cells, outs):
        ins += [T(way + "_h", (batch, h), is_variable=True), T(way + "_c", (batch, n), is_variable=True)]
    ins.append(T("aux", shape + (n_aux,)) if n_aux else None)
    for way, n in zip("fb", cells):
        for g in GATES:
            there = n_aux and aux_weights and not (cifg and g == "input")
            ins.append(weight("%s_a_%s" % (way, g), (n, n_aux)) if there else None)
    options = opts(
        "BidirectionalSequenceLSTM",
        fusedActivationFunction=4,
        mergeOutputs=merge,
        timeMajor=time_major,
        asymmetricQuantizeInputs=asymmetric,
        **more,
    )
    ys = [T("y", shape + (sum(outs),))] if merge else [T("y%d" % i, shape + (h,)) for i, h in enumerate(outs)]
    model = single_op("BIDIRECTIONAL_SEQUENCE_LSTM", ins, ys, options)
    feeds = [t for t in ins if t is not None and t.data is None and not t.is_variable]
    return model, [[rng.normal(0, 1, t.shape).astype(np.float32) for t in feeds] for _ in range(3)]


BIDI = [
    ("plain", {}),
    ("batch", {"batch": 3}),
    ("time_major", {"batch": 3, "time_major": True}),
    ("merged", {"merge": True}),
    # LiteRT's state of later batches lies elsewhere where outputs are merged and batches come first: time comes first here
    ("merged_time_major", {"batch": 2, "merge": True, "time_major": True}),
    ("clip", {"cellClip": 0.4}),
    ("one", {"time": 1, "n_x": 1, "cells": (1, 1)}),
    ("large", {"n_x": 20, "cells": (33, 33), "time": 6}),
    ("peephole", {"peephole": True}),
    ("aux", {"n_aux": 4, "batch": 2, "time_major": True}),
    ("aux_batch_major", {"n_aux": 3, "batch": 2}),
    # without weights of its own the auxiliary input is what the backward cell reads
    ("stacked", {"n_aux": 5, "aux_weights": False}),
    ("aux_merged", {"n_aux": 4, "batch": 2, "time_major": True, "merge": True}),
]
BIDI_VARIANTS = {
    "f32": {},
    "f32cifg": {"cifg": True},
    "f32proj": {"projection": True, "outs": (4, 4)},
    "hyb": {"hybrid": True},
}


def bidi_cases():
    for variant, always in BIDI_VARIANTS.items():
        for label, extra in BIDI:
            if "outs" in always and "cells" in extra:
                continue
            name = "bidirectional_sequence_lstm/%s/%s" % (variant, label)
            model, sets = bidi(name, **always, **extra)
            yield name, model, sets, REF, FLOAT_TOL
    for label, extra in (("asym", {"asymmetric": True, "batch": 2}), ("u8", {"u8": True}), ("cifg", {"cifg": True})):
        name = "bidirectional_sequence_lstm/hyb/" + label
        model, sets = bidi(name, hybrid=True, **extra)
        yield name, model, sets, REF, FLOAT_TOL


def cases():
    yield from variant_cases("lstm", Step, [], [])
    yield from activation_cases()
    yield from basic_cases()
    # int8 weights beside float diagonals
    mix = [
        ("hyb_diagonal", "hybrid", {"diagonal": True, "batch": 2}),
        ("hyb_diagonal_cifg", "hybrid", {"diagonal": True, "cifg": True}),
    ]
    more = [("time_major", {"batch": 3, "time_major": True}), ("long", {"time": 9, "batch": 2})]
    yield from variant_cases("unidirectional_sequence_lstm", Lstm, more, mix)
    yield from bidi_cases()
