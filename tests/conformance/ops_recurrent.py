"""Conformance cases of recurrent, resource, control flow and detection ops.

cases() yields (name, model, input sets, oracle, tolerance or None for exact). The input sets are invoked in sequence
on one session, without a reset between them, so state that lives on is compared as well.
"""

import numpy as np
from flatbuffers import flexbuffers

from mkmodel import Builder, T, schema, single_op, rng_of

REF, TFLM, DEFAULT = "litert_ref", "tflm", "litert_default"
FLOAT_TOL = 1e-4
GATES = ("input", "forget", "cell", "output")


def i8(rng, shape, lo=-128, hi=127):
    return rng.integers(lo, hi, size=shape, endpoint=True).astype(np.int8)


# ---- UNIDIRECTIONAL_SEQUENCE_LSTM ----------------------------------------------------------------------------------


def lstm_options(activation=4, cell_clip=0.0, proj_clip=0.0, time_major=False, asymmetric=False, diagonal=False):
    o = schema.UnidirectionalSequenceLSTMOptionsT()
    o.fusedActivationFunction, o.cellClip, o.projClip = activation, cell_clip, proj_clip
    o.timeMajor, o.asymmetricQuantizeInputs, o.diagonalRecurrentTensors = time_major, asymmetric, diagonal
    return o


class Lstm:
    """Tensors of one LSTM; kind: float, hybrid, hybrid_u8, int8, micro8 (no intermediates) or micro16."""

    def __init__(
        self,
        name,
        kind,
        batch=1,
        time=3,
        n_x=5,
        n_cell=7,
        n_out=None,
        cifg=False,
        peephole=False,
        layer_norm=False,
        projection=False,
        proj_bias=True,
        diagonal=False,
        inputs=24,
        time_major=False,
        x_zp=-3,
        h_zp=5,
        cell_log2=-11,
        hidden_zp=9,
        activation=4,
        cell_clip=0.0,
        proj_clip=0.0,
        asymmetric=False,
    ):
        self.rng, self.kind, self.integer = rng_of(name), kind, kind in ("int8", "micro8", "micro16")
        self.n_cell, self.n_x, self.n_out = n_cell, n_x, n_out or n_cell
        self.wide = kind == "micro16"
        if self.wide:
            x_zp = h_zp = 0
        shape = self.dims(batch, time, time_major)
        ins = [self.x(shape + (n_x,), x_zp)]
        for g in GATES:
            ins.append(None if cifg and g == "input" else self.weight("w_" + g, (n_cell, n_x), 0.8))
        for g in GATES:
            if cifg and g == "input":
                ins.append(None)
            elif diagonal:
                ins.append(T("r_" + g, (n_cell,), data=self.rng.normal(0, 0.7, n_cell)))
            else:
                ins.append(self.weight("r_" + g, (n_cell, self.n_out), 0.5))
        for g in ("input", "forget", "output"):
            ins.append(self.peephole("p_" + g) if peephole and not (cifg and g == "input") else None)
        for g in GATES:
            ins.append(None if cifg and g == "input" else self.bias("b_" + g, n_cell, layer_norm))
        ins.append(self.weight("w_proj", (self.n_out, n_cell), 0.5) if projection else None)
        ins.append(self.bias("b_proj", self.n_out, False) if projection and proj_bias else None)
        ins += self.states(batch, h_zp, cell_log2)
        if inputs == 24:
            for g in GATES:
                ins.append(self.norm("n_" + g) if layer_norm and not (cifg and g == "input") else None)
        dtype = {"int8": "int8", "micro8": "int8", "micro16": "int16"}.get(kind, "float32")
        q = (self.h_scale, h_zp) if self.integer else (None, None)
        out = T("y", shape + (self.n_out,), dtype, *q)
        mids = ()
        if kind == "int8":
            mids = [T("m%d" % i, (0,), "int16", 2.0**-12 * (i + 1) if layer_norm else None) for i in range(4)]
            mids.append(
                T("m4", (0,), "int8", self.h_scale * (0.7 if projection else 1.0), hidden_zp if projection else h_zp)
            )
        options = self.options(activation, cell_clip, proj_clip, time_major, asymmetric, diagonal)
        self.model = single_op(self.op, ins, [out], options, intermediates=mids)
        self.shape = shape + (n_x,)

    x_scale, h_scale = 0.02, 0.007
    op = "UNIDIRECTIONAL_SEQUENCE_LSTM"

    def dims(self, batch, time, time_major):
        return (time, batch) if time_major else (batch, time)

    def options(self, *values):
        return lstm_options(*values)

    def x(self, shape, zp):
        if self.wide:
            return T("x", shape, "int16", 1e-4, 0)
        return T("x", shape, "int8", self.x_scale, zp) if self.integer else T("x", shape)

    def weight(self, name, shape, spread):
        if self.kind == "float":
            return T(name, shape, data=self.rng.normal(0, spread, shape))
        scale = float(np.float32(spread * self.rng.uniform(0.006, 0.012)))
        data = i8(self.rng, shape, -127, 127)
        if self.kind == "hybrid_u8":
            return T(name, shape, "uint8", scale, 0, data=data.tobytes())
        return T(name, shape, "int8", scale, 0, data=data)

    def peephole(self, name):
        if self.kind == "int8":
            return T(name, (self.n_cell,), "int16", 2e-5, 0, data=self.rng.integers(-32768, 32768, self.n_cell))
        return self.weight(name, (self.n_cell,), 0.6)

    def bias(self, name, n, layer_norm):
        if not self.integer:
            return T(name, (n,), data=self.rng.normal(0, 0.5, n))
        spread = 20000 if self.wide else 3000 if not layer_norm else 300000
        return T(name, (n,), "int64" if self.wide else "int32", 1e-4, 0, data=self.rng.integers(-spread, spread, n))

    def norm(self, name):
        if self.kind == "int8":
            return T(name, (self.n_cell,), "int16", 3e-5, 0, data=self.rng.integers(-32768, 32768, self.n_cell))
        return T(name, (self.n_cell,), data=self.rng.normal(0.5, 0.5, self.n_cell))

    def states(self, batch, h_zp, cell_log2):
        h, c = (batch, self.n_out), (batch, self.n_cell)
        if not self.integer:
            return [T("h", h, is_variable=True), T("c", c, is_variable=True)]
        h_type, self.h_scale = ("int16", 2.0**-15) if self.wide else ("int8", self.h_scale)
        return [
            T("h", h, h_type, self.h_scale, h_zp, is_variable=True),
            T("c", c, "int16", 2.0**cell_log2, 0, is_variable=True),
        ]

    def inputs(self, n=3):
        sets = []
        for k in range(n):
            if self.wide:
                a = self.rng.integers(-32768, 32767, self.shape, endpoint=True).astype(np.int16)
            elif self.integer:
                a = i8(self.rng, self.shape)
            else:
                a = self.rng.normal(0, 1, self.shape).astype(np.float32)
            sets.append([a if k != 1 else np.zeros_like(a)])  # all zero takes short cuts in LiteRT
        return sets


LSTM_VARIANTS = [
    ("plain", {}),
    ("inputs20", {"inputs": 20}),
    ("batch", {"batch": 3}),
    ("time_major", {"batch": 3, "time_major": True}),
    ("one", {"time": 1, "n_x": 1, "n_cell": 1}),
    ("large", {"n_x": 33, "n_cell": 40, "time": 5}),
    ("clip", {"cell_clip": 0.4}),
    ("cifg", {"cifg": True}),
    ("peephole", {"peephole": True}),
    ("cifg_peephole_clip", {"cifg": True, "peephole": True, "cell_clip": 0.3, "batch": 2}),
    ("projection", {"projection": True, "n_out": 4}),
    ("projection_wide", {"projection": True, "n_out": 11, "batch": 2}),
    ("projection_clip", {"projection": True, "n_out": 4, "proj_bias": False, "proj_clip": 0.2}),
    ("norm", {"layer_norm": True}),
    ("norm_cifg", {"layer_norm": True, "cifg": True, "batch": 2}),
    ("norm_16", {"layer_norm": True, "n_cell": 16, "time_major": True, "batch": 2}),
    (
        "everything",
        {
            "layer_norm": True,
            "peephole": True,
            "projection": True,
            "n_out": 5,
            "cell_clip": 0.5,
            "proj_clip": 0.3,
            "batch": 2,
            "time_major": True,
        },
    ),
    (
        "everything_batch",
        {
            "layer_norm": True,
            "peephole": True,
            "projection": True,
            "n_out": 7,
            "cell_clip": 0.5,
            "proj_clip": 0.3,
            "batch": 2,
        },
    ),
]
LSTM_INT8_VARIANTS = [
    ("zero_points", {"x_zp": 0, "h_zp": 0}),
    ("far_zero_points", {"x_zp": -128, "h_zp": 127}),
    ("cell_15", {"cell_log2": -15}),
    ("cell_9", {"cell_log2": -9}),
    ("cell_12", {"cell_log2": -12}),
    ("peephole_projection", {"peephole": True, "projection": True, "n_out": 4}),
]
LSTM_MICRO_VARIANTS = [
    ("plain", {}),
    ("batch", {"batch": 3}),
    ("time_major", {"batch": 3, "time_major": True}),
    ("clip", {"cell_clip": 0.4}),
    ("one", {"time": 1, "n_x": 1, "n_cell": 1}),
    ("large", {"n_x": 33, "n_cell": 40, "time": 5}),
    ("zero_points", {"x_zp": 0, "h_zp": 0}),
    ("far_zero_points", {"x_zp": -128, "h_zp": 127}),
    ("cell_15", {"cell_log2": -15}),
    ("cell_9", {"cell_log2": -9}),
    ("cell_12", {"cell_log2": -12}),
]


def lstm_cases():
    for kind in ("float", "hybrid", "int8"):
        for label, extra in LSTM_VARIANTS + (LSTM_INT8_VARIANTS if kind == "int8" else []):
            if kind == "int8" and label == "inputs20":
                continue
            name = "lstm_%s_%s" % (kind, label)
            lstm = Lstm(name, kind, **extra)
            yield name, lstm.model, lstm.inputs(), REF, None if kind == "int8" else FLOAT_TOL
    for label, extra in [v for v in LSTM_VARIANTS if v[0] in ("plain", "batch", "projection", "everything", "cifg")]:
        name = "lstm_hybrid_asym_" + label
        lstm = Lstm(name, "hybrid", asymmetric=True, **extra)
        yield name, lstm.model, lstm.inputs(), REF, FLOAT_TOL
    for kind, extra in (("float", {}), ("hybrid", {})):
        name = "lstm_%s_diagonal" % kind
        lstm = Lstm(name, kind, diagonal=True, batch=2, **extra)
        yield name, lstm.model, lstm.inputs(), REF, FLOAT_TOL
    for activation in (1, 2, 3):
        name = "lstm_float_activation_%d" % activation
        lstm = Lstm(name, "float", activation=activation)
        yield name, lstm.model, lstm.inputs(), REF, FLOAT_TOL
    lstm = Lstm("lstm_hybrid_u8", "hybrid_u8")
    yield "lstm_hybrid_u8", lstm.model, lstm.inputs(), REF, FLOAT_TOL
    for kind in ("micro8", "micro16"):
        for label, extra in LSTM_MICRO_VARIANTS:
            if kind == "micro16" and "zero_points" in label:
                continue
            name = "lstm_%s_%s" % (kind, label)
            lstm = Lstm(name, kind, **extra)
            yield name, lstm.model, lstm.inputs(), TFLM, None


# ---- SVDF ----------------------------------------------------------------------------------------------------------


def svdf(name, kind, batch=1, n_in=6, units=5, rank=2, memory=4, bias=True, activation=0, asymmetric=False):
    rng, filters = rng_of(name), units * rank
    o = schema.SVDFOptionsT()
    o.rank, o.fusedActivationFunction, o.asymmetricQuantizeInputs = rank, activation, asymmetric
    f, t, s, y = (filters, n_in), (filters, memory), (batch, memory * filters), (batch, units)
    b = rng.normal(0, 0.5, units)
    if kind == "float":
        tensors = [
            T("x", (batch, n_in)),
            T("f", f, data=rng.normal(0, 0.6, f)),
            T("t", t, data=rng.normal(0, 0.6, t)),
            T("b", (units,), data=b),
            T("s", s, is_variable=True),
        ]
        out = T("y", y)
    elif kind in ("hybrid", "hybrid_u8"):
        w = "int8" if kind == "hybrid" else "uint8"
        tensors = [
            T("x", (batch, n_in)),
            T("f", f, w, 0.007, 0, data=i8(rng, f, -127).tobytes()),
            T("t", t, w, 0.006, 0, data=i8(rng, t, -127).tobytes()),
            T("b", (units,), data=b),
            T("s", s, is_variable=True),
        ]
        out = T("y", y)
    else:
        wide = kind == "state16"
        time = rng.integers(-32768, 32768, t) if wide else i8(rng, t, -127)
        s_type, s_scale, t_scale = ("int16", 0.0005, 3e-5) if wide else ("int8", 0.15, 0.007)
        tensors = [
            T("x", (batch, n_in), "int8", 0.05, -7),
            T("f", f, "int8", 0.007, 0, data=i8(rng, f, -127)),
            T("t", t, s_type, t_scale, 0, data=time),
            T("b", (units,), "int32", s_scale * t_scale, 0, data=rng.integers(-1000, 1000, units)),
            T("s", s, s_type, s_scale, 0 if wide else 11, is_variable=True),
        ]
        out = T("y", y, "int8", 0.02 * n_in**0.5, -20)
    if not bias:
        tensors[3] = None
    model = single_op("SVDF", tensors, [out], o)
    sets = []
    for k in range(memory + 3):
        a = i8(rng, (batch, n_in)) if kind.startswith("state") else rng.normal(0, 1, (batch, n_in)).astype(np.float32)
        sets.append([a * 0 if k == 2 else a])
    return model, sets


def svdf_cases():
    shapes = [
        ("plain", {}),
        ("rank1", {"rank": 1}),
        ("memory1", {"memory": 1}),
        ("batch", {"batch": 3}),
        ("large", {"n_in": 40, "units": 33, "rank": 3, "memory": 9}),
    ]
    for kind in ("float", "hybrid", "hybrid_u8", "state16", "state8"):
        for label, extra in shapes + ([] if kind == "state8" else [("no_bias", {"bias": False})]):
            name = "svdf_%s_%s" % (kind, label)
            model, sets = svdf(name, kind, activation=1 if kind.startswith("state") else 0, **extra)
            tol = None if kind.startswith("state") else FLOAT_TOL
            yield name, model, sets, TFLM if kind == "state8" else REF, tol
    for activation in (1, 2, 3, 4):
        name = "svdf_float_activation_%d" % activation
        model, sets = svdf(name, "float", activation=activation)
        yield name, model, sets, REF, FLOAT_TOL
    for label in ("plain", "batch", "large"):
        name = "svdf_hybrid_asym_" + label
        model, sets = svdf(name, "hybrid", asymmetric=True, **dict(shapes)[label])
        yield name, model, sets, REF, FLOAT_TOL


# ---- RFFT2D --------------------------------------------------------------------------------------------------------


def rfft2d_cases():
    for shape, length in [
        ((1, 512), (1, 512)),
        ((3, 1, 16), (1, 16)),
        ((2, 3, 4, 8), (4, 8)),
        ((5, 7), (8, 16)),
        ((9, 20), (4, 8)),
        ((4, 4), (4, 4)),
        ((2, 2), (2, 2)),
        ((1, 2), (1, 2)),
        ((64, 32), (64, 32)),
        ((3, 5), (1, 2)),
        ((16, 2), (16, 2)),
        ((1, 1, 1), (2, 4)),
        ((8, 4), (2, 4)),
    ]:
        for const in (True, False):
            name = "rfft2d_%s_%s" % ("x".join(map(str, shape)), "x".join(map(str, length)))
            name += "" if const else "_dynamic"
            rng = rng_of(name)
            out = shape[:-2] + (length[0], length[1] // 2 + 1)
            n = T("n", (2,), "int32", data=np.array(length) if const else None)
            model = single_op("RFFT2D", [T("x", shape), n], [T("y", out, "complex64")], schema.Rfft2dOptionsT())
            extra = [] if const else [np.array(length, np.int32)]
            sets = [[rng.normal(0, 1, shape).astype(np.float32)] + extra for _ in range(2)]
            yield name, model, sets, REF, FLOAT_TOL


# ---- resource variables and CALL_ONCE ------------------------------------------------------------------------------

assign, read = schema.AssignVariableOptionsT, schema.ReadVariableOptionsT


def var_handle(b, tensor, shared_name, container=""):
    o = schema.VarHandleOptionsT()
    o.container, o.sharedName = container.encode(), shared_name.encode()
    b.op("VAR_HANDLE", [], [tensor], o)


def accumulate(name, dtype, shape, with_init, q=(None, None), calls=1):
    """y = v; v = v + x, optionally with an initial value through CALL_ONCE."""
    rng, b = rng_of(name), Builder()
    b.subgraph()
    h = T("v", (), "resource")
    x, old, new = (T(n, shape, dtype, *q) for n in ("x", "old", "new"))
    if with_init:
        o = schema.CallOnceOptionsT()
        o.initSubgraphIndex = 1
        for _ in range(calls):
            b.op("CALL_ONCE", [], [], o)
    var_handle(b, h, "acc")
    if not with_init:  # LiteRT refuses to read what was never assigned
        b.op("ASSIGN_VARIABLE", [h, T("start", shape, dtype, *q, data=np.ones(shape))], [], assign())
    b.op("READ_VARIABLE", [h], [old], read())
    b.op("ADD", [old, x], [new], schema.AddOptionsT())
    b.op("ASSIGN_VARIABLE", [h, new], [], assign())
    if calls > 1:  # names the same subgraph: does nothing
        b.op("CALL_ONCE", [], [], o)
    b.io([x], [old, new])
    if with_init:
        init = T("init", shape, dtype, *q, data=rng.integers(-9, 9, shape))
        b.subgraph("NoOp")
        h = T("v1", (), "resource")
        var_handle(b, h, "acc")
        b.op("ASSIGN_VARIABLE", [h, init], [], assign())
        b.io([], [])
    values = lambda: rng.integers(-9, 9, shape).astype(dtype)
    return b.bytes(), [[values()] for _ in range(4)]


def two_variables(name):
    """Two variables, same shared name in two containers, swapped at every invoke."""
    rng, b, shape = rng_of(name), Builder(), (2, 3)
    b.subgraph()
    h = [T("h0", (), "resource"), T("h1", (), "resource")]
    o = schema.CallOnceOptionsT()
    o.initSubgraphIndex = 1
    b.op("CALL_ONCE", [], [], o)
    out = []
    for i in range(2):
        var_handle(b, h[i], "v", "c%d" % i)
        out.append(T("r%d" % i, shape))
        b.op("READ_VARIABLE", [h[i]], [out[i]], read())
    b.op("ASSIGN_VARIABLE", [h[0], out[1]], [], assign())
    x = T("x", shape)
    total = T("total", shape)
    b.op("ADD", [out[0], x], [total], schema.AddOptionsT())
    b.op("ASSIGN_VARIABLE", [h[1], total], [], assign())
    b.io([x], out)
    b.subgraph("NoOp")
    for i in range(2):
        g = T("g%d" % i, (), "resource")
        var_handle(b, g, "v", "c%d" % i)
        b.op("ASSIGN_VARIABLE", [g, T("i%d" % i, shape, data=rng.normal(0, 1, shape))], [], assign())
    b.io([], [])
    return b.bytes(), [[rng.normal(0, 1, shape).astype(np.float32)] for _ in range(4)]


def unassigned(name, dtype, zp):
    """Reads a variable before anything is assigned: LiteRT refuses, tflite-micro starts at the zero point."""
    rng, b, shape = rng_of(name), Builder(), (1, 6)
    q = (0.5, zp) if dtype != "float32" else (None, None)
    b.subgraph()
    h, x, old = T("v", (), "resource"), T("x", shape, dtype, *q), T("old", shape, dtype, *q)
    var_handle(b, h, "acc")
    b.op("READ_VARIABLE", [h], [old], read())
    b.op("ASSIGN_VARIABLE", [h, x], [], assign())
    b.io([x], [old])
    values = lambda: rng.integers(-9, 9, shape).astype(dtype)
    return b.bytes(), [[values()] for _ in range(3)]


def resource_cases():
    for dtype, shape in (("float32", (2, 3)), ("int32", (5,)), ("float32", (1, 2, 3, 4))):
        for init in (False, True):
            name = "variable_%s_%d%s" % (dtype, len(shape), "_once" if init else "")
            yield (name, *accumulate(name, dtype, shape, init), REF, None)
    name = "variable_int8_once"
    yield (name, *accumulate(name, "int8", (4, 4), True, (0.5, 3)), REF, None)
    name = "variable_called_twice"
    yield (name, *accumulate(name, "float32", (3,), True, calls=2), REF, None)
    yield ("variable_two", *two_variables("variable_two"), REF, None)
    for dtype, zp in (("int8", -17), ("int16", 0), ("float32", 0)):
        name = "variable_unassigned_" + dtype
        yield (name, *unassigned(name, dtype, zp), TFLM, None)


# ---- IF and WHILE --------------------------------------------------------------------------------------------------


def if_options(a, b):
    o = schema.IfOptionsT()
    o.thenSubgraphIndex, o.elseSubgraphIndex = a, b
    return o


def while_options(cond, body):
    o = schema.WhileOptionsT()
    o.condSubgraphIndex, o.bodySubgraphIndex = cond, body
    return o


def if_model(shapes=((2, 3), (2, 3)), through=False):
    """if c: (x + y, x) else (x * y, ...). Different shapes of the branches make the output depend on data."""
    b = Builder()
    b.subgraph()
    c, x, y = T("c", (1,), "bool"), T("x", (2, 3)), T("y", (2, 3))
    dynamic = shapes[0] != shapes[1]
    out = T("o", () if dynamic else shapes[0])
    outs = [out] + ([T("p", (2, 3))] if through else [])
    b.op("IF", [c, x, y], outs, if_options(1, 2))
    b.io([c, x, y], outs)
    for k, op in enumerate(("ADD", "MUL")):
        b.subgraph(op)
        u, v, w = T("u", (2, 3)), T("v", (2, 3)), T("w", (2, 3))
        b.op(op, [u, v], [w], schema.AddOptionsT() if op == "ADD" else schema.MulOptionsT())
        z = w
        if shapes[k] != (2, 3):
            z = T("z", shapes[k])
            axis = T("axis", (1,), "int32", data=[0])
            o = schema.ReducerOptionsT()
            o.keepDims = len(shapes[k]) == 2
            b.op("SUM", [w, axis], [z], o)
        b.io([u, v], [z] + ([u] if through else []))
    return b.bytes()


def if_cases():
    rng = rng_of("if")

    def sets():
        return [
            [np.array([k])] + list(rng.normal(0, 1, (2, 2, 3)).astype(np.float32))
            for k in (True, False, True, True, False)
        ]

    yield "if_static", if_model(), sets(), REF, None
    yield "if_through", if_model(through=True), sets(), REF, None
    yield "if_reduced", if_model(((1, 3), (1, 3))), sets(), REF, 1e-6
    yield "if_dynamic", if_model(((2, 3), (1, 3))), sets(), REF, 1e-6
    yield "if_dynamic_rank", if_model(((3,), (2, 3))), sets(), REF, 1e-6


def while_model(swap=False):
    """for (i = 0; i < n; i++) x = x * y (+ swap of two values)"""
    b = Builder()
    b.subgraph()
    i, n, x, y = T("i", (), "int32"), T("n", (), "int32"), T("x", (3,)), T("y", (3,))
    outs = [T("oi", (), "int32"), T("on", (), "int32"), T("ox", (3,)), T("oy", (3,))]
    b.op("WHILE", [i, n, x, y], outs, while_options(1, 2))
    b.io([i, n, x, y], outs)
    b.subgraph("cond")
    i, n, x, y = T("i", (), "int32"), T("n", (), "int32"), T("x", (3,)), T("y", (3,))
    less = T("less", (), "bool")
    b.op("LESS", [i, n], [less], schema.LessOptionsT())
    b.io([i, n, x, y], [less])
    b.subgraph("body")
    i, n, x, y = T("i", (), "int32"), T("n", (), "int32"), T("x", (3,)), T("y", (3,))
    i2, x2 = T("i2", (), "int32"), T("x2", (3,))
    b.op("ADD", [i, T("one", (), "int32", data=1)], [i2], schema.AddOptionsT())
    b.op("MUL", [x, y], [x2], schema.MulOptionsT())
    b.io([i, n, x, y], [i2, n, y, x2] if swap else [i2, n, x2, y])
    return b.bytes()


def nested_model():
    """while (i < n) { x = c ? x + x : x * x; i += 1 } : an IF inside the body, both arms in subgraphs of their own"""
    b = Builder()

    def args():
        return [T("i", (), "int32"), T("c", (1,), "bool"), T("x", (3,))]

    b.subgraph()
    ins, outs = args(), [T("oi", (), "int32"), T("oc", (1,), "bool"), T("ox", (3,))]
    b.op("WHILE", ins, outs, while_options(1, 2))
    b.io(ins, outs)
    b.subgraph("cond")
    ins, less = args(), T("less", (), "bool")
    b.op("LESS", [ins[0], T("n", (), "int32", data=3)], [less], schema.LessOptionsT())
    b.io(ins, [less])
    b.subgraph("body")
    ins, i2, x2 = args(), T("i2", (), "int32"), T("x2", (3,))
    b.op("ADD", [ins[0], T("one", (), "int32", data=1)], [i2], schema.AddOptionsT())
    b.op("IF", [ins[1], ins[2]], [x2], if_options(3, 4))
    b.io(ins, [i2, ins[1], x2])
    for op, options in (("ADD", schema.AddOptionsT), ("MUL", schema.MulOptionsT)):
        b.subgraph(op)
        u, w = T("u", (3,)), T("w", (3,))
        b.op(op, [u, u], [w], options())
        b.io([u], [w])
    return b.bytes()


def while_cases():
    rng = rng_of("while")
    sets = [
        [np.int32(0), np.int32(n), rng.normal(0, 1, 3).astype(np.float32), rng.normal(0, 1, 3).astype(np.float32)]
        for n in (3, 0, 1, 6)
    ]
    yield "while_static", while_model(), sets, REF, None
    yield "while_swap", while_model(True), sets, REF, None
    sets = [[np.int32(k), np.array([bool(k & 1)]), rng.normal(0, 1, 3).astype(np.float32)] for k in (0, 1, 2, 5, 0)]
    yield "while_nested_if", nested_model(), sets, REF, None


# ---- TFLite_Detection_PostProcess ----------------------------------------------------------------------------------


def detection(
    name, boxes=40, classes=5, background=True, quantized=False, quantized_scores=None, ties=False, stride=4, **options
):
    rng = rng_of(name)
    o = {
        "max_detections": 10,
        "max_classes_per_detection": 1,
        "detections_per_class": 100,
        "use_regular_nms": False,
        "nms_score_threshold": 0.3,
        "nms_iou_threshold": 0.5,
        "num_classes": classes,
        "y_scale": 10.0,
        "x_scale": 10.0,
        "h_scale": 5.0,
        "w_scale": 5.0,
    }
    o.update(options)
    custom = flexbuffers.Dumps({k: v for k, v in o.items() if v is not None})
    columns = classes + (1 if background else 0)
    anchors = np.stack(
        [
            rng.uniform(0, 1, boxes),
            rng.uniform(0, 1, boxes),
            rng.uniform(0.1, 0.6, boxes),
            rng.uniform(0.1, 0.6, boxes),
        ],
        1,
    ).astype(np.float32)
    q_scores = quantized if quantized_scores is None else quantized_scores
    if quantized:
        a = T("a", (boxes, 4), "uint8", 1 / 255, 0, data=np.clip(np.rint(anchors * 255), 0, 255))
        x = T("x", (1, boxes, stride), "uint8", 0.08, 120)
    else:
        a, x = T("a", (boxes, 4), data=anchors), T("x", (1, boxes, stride))
    s = T("s", (1, boxes, columns), "uint8", 1 / 256, 0) if q_scores else T("s", (1, boxes, columns))
    n = o["max_detections"] * o["max_classes_per_detection"]
    outs = [T("boxes", (1, n, 4)), T("classes", (1, n)), T("scores", (1, n)), T("count", (1,))]
    model = single_op("CUSTOM", [x, s, a], outs, custom=("TFLite_Detection_PostProcess", custom))
    sets = []
    for _ in range(3):
        b = rng.integers(90, 150, x.shape).astype(np.uint8) if quantized else rng.normal(0, 2, x.shape)
        p = rng.integers(0, 256, s.shape).astype(np.uint8) if q_scores else rng.uniform(0, 1, s.shape)
        if ties:
            p = (p // 64 * 64).astype(np.uint8) if q_scores else np.floor(p * 4) / 4
        sets.append([a if a.dtype == np.uint8 else a.astype(np.float32) for a in (b, p)])
    return model, sets


def detection_cases():
    """Where fewer boxes are kept than there is room for, LiteRT leaves the rest of the outputs of the fast kind as it
    finds them. The thresholds of these cases fill them."""
    for quantized in (False, True):
        for ties in (False, True):
            for label, extra in [
                ("fast", {}),
                ("fast_no_background", {"background": False}),
                ("fast_2", {"max_classes_per_detection": 2}),
                ("fast_4", {"max_classes_per_detection": 4, "classes": 9}),
                ("fast_all", {"max_classes_per_detection": 5}),
                ("fast_many", {"boxes": 300, "max_detections": 20, "classes": 17, "max_classes_per_detection": 7}),
                ("regular", {"use_regular_nms": True}),
                ("fast_ssd", {"boxes": 700, "max_detections": 30, "classes": 90}),
                ("regular_ssd", {"use_regular_nms": True, "boxes": 400, "classes": 20, "max_detections": 30}),
                ("regular_few", {"use_regular_nms": True, "detections_per_class": 2, "classes": 3}),
                ("regular_sparse", {"use_regular_nms": True, "nms_score_threshold": 0.97}),
                ("regular_default", {"use_regular_nms": True, "detections_per_class": None, "boxes": 200}),
                ("keypoints", {"stride": 8}),
                ("one_class", {"classes": 1, "boxes": 120}),
            ]:
                name = "detection_%s%s%s" % (label, "_u8" if quantized else "", "_ties" if ties else "")
                model, sets = detection(name, quantized=quantized, ties=ties, **extra)
                yield name, model, sets, REF, 1e-5
    model, sets = detection("detection_mixed", quantized_scores=True)
    yield "detection_mixed", model, sets, REF, 1e-5


def cases():
    yield from lstm_cases()
    yield from svdf_cases()
    yield from rfft2d_cases()
    yield from resource_cases()
    yield from if_cases()
    yield from while_cases()
    yield from detection_cases()
