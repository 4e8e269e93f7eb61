"""Variables, CALL_ONCE, IF, WHILE, composites and cells of an LSTM: every row of rows.txt with shapes drawn from the case's name.

cases() yields (name, model, input sets, oracle, tolerance; None: bit-equal). The sets are invoked one after another on one session."""

import numpy as np

from mkmodel import Builder, T, opts, rng_of
from op_cases import QUANT, REF, values
from ops_composite import composite, rms_norm
from ops_recurrent import Lstm, assign, if_options, read, var_handle, while_options
from ops_rows_move import DTYPES, shape_of
from variants import ROWS

EACH = 4


def q(dtype):
    return QUANT.get(dtype, (None, None))


def small(rng, shape, dtype):
    return values(rng, shape, dtype, -50, 50) if dtype.startswith("int") else values(rng, shape, dtype)


# ---- variables ----------------------------------------------------------------------------------------------------------


def variables(name, variant):
    """Each variable gives what the last run put into it; the first run, what CALL_ONCE did."""
    rng, dtype = rng_of(name), DTYPES[variant]
    n, b, ins, outs = int(rng.integers(1, 4)), Builder(), [], []
    shapes = [shape_of(rng, 0, 4) for _ in range(n)]
    b.subgraph()
    b.op("CALL_ONCE", [], [], opts("CallOnce", initSubgraphIndex=1))
    for i, shape in enumerate(shapes):
        h = T("h%d" % i, (), "resource")
        x, old = (T("%s%d" % (c, i), shape, dtype, *q(dtype)) for c in "xo")
        var_handle(b, h, "v%d" % i, "box" if i % 2 else "")
        b.op("READ_VARIABLE", [h], [old], read())
        b.op("ASSIGN_VARIABLE", [h, x], [], assign())
        ins.append(x), outs.append(old)
    b.io(ins, outs)
    b.subgraph("start")
    for i, shape in enumerate(shapes):
        h = T("g%d" % i, (), "resource")
        var_handle(b, h, "v%d" % i, "box" if i % 2 else "")
        start = T("s%d" % i, shape, dtype, *q(dtype), data=values(rng, shape, dtype))
        b.op("ASSIGN_VARIABLE", [h, start], [], assign())
    b.io([], [])
    return b.bytes(), [[values(rng, s, dtype) for s in shapes] for _ in range(3)]


# ---- IF -----------------------------------------------------------------------------------------------------------------


def branch(b, name, op, tensors, y, more=()):
    """A subgraph of one operator, with a reduction behind it where y has another shape."""
    b.subgraph(name)
    ins = [T("a%d" % i, t.shape, t.dtype, t.scale, t.zero_point) for i, t in enumerate(tensors)]
    same = T("r", ins[-1].shape, y.dtype, y.scale, y.zero_point)
    b.op(op, ins[-2:], [same], opts({"ADD": "Add", "MUL": "Mul", "MAXIMUM": "MaximumMinimum"}[op]))
    if y.shape != same.shape:
        axis = T("axis", (1,), "int32", data=[0])
        out = T("y", y.shape, y.dtype)
        b.op("SUM", [same, axis], [out], opts("Reducer", keepDims=len(y.shape) == len(same.shape)))
        same = out
    b.io(ins, [same])


def if_(name, variant):
    rng, dtype = rng_of(name), DTYPES.get(variant, "float32")
    shape = shape_of(rng, 1, 3)
    other = shape if variant != "dyn" else (1,) + shape[1:] if rng.random() < 0.5 else shape[1:]
    b = Builder()
    b.subgraph()
    c = [T("c%d" % i, (), "bool") for i in range(2 if variant == "nested" else 1)]
    u, v, y = (T(n, shape, dtype, *q(dtype)) for n in "uvy")
    if variant == "dyn":
        y.shape_signature = (-1,) * len(shape)
    b.op("IF", c + [u, v], [y], if_options(1, 2))
    b.io(c + [u, v], [y])
    ops = [str(op) for op in rng.permutation(["ADD", "MUL", "MAXIMUM"])]
    rest = c[1:] + [u, v]
    branch(b, "then", ops[0], rest, y)
    if variant == "nested":
        b.subgraph("else")
        ins = [T("e%d" % i, t.shape, t.dtype, t.scale, t.zero_point) for i, t in enumerate(rest)]
        out = T("out", shape, dtype, *q(dtype))
        b.op("IF", ins, [out], if_options(3, 4))
        b.io(ins, [out])
        branch(b, "inner then", ops[1], [u, v], y)
        branch(b, "inner else", ops[2], [u, v], y)
    else:
        branch(b, "else", ops[1], rest, T("y", other, dtype, *q(dtype)))
    sets = [
        [np.array(k), *([np.array(k != j)] if len(c) > 1 else []), *(small(rng, shape, dtype) for _ in "uv")]
        for k, j in ((True, False), (False, True), (False, False), (True, True))
    ]
    return b.bytes(), sets


# ---- WHILE --------------------------------------------------------------------------------------------------------------


def body_of(b, variant, ins, dtype, rng, chain=False):
    """What a pass makes of the loop's values: a count, a limit and two arrays."""
    i, n, x, y = ins
    i2, x2 = T("i2", (), "int32"), T("x2", x.shape, dtype)
    b.op("ADD", [i, T("one", (), "int32", data=1)], [i2], opts("Add"))
    if variant == "grow":
        x2.shape_signature = (-1,) + x.shape[1:]
        b.op("CONCATENATION", [x, y], [x2], opts("Concatenation", axis=0))
        if (
            chain
        ):  # what was x is y next time and grows a pass later. LiteRT loses values that are handed on as they are
            y2 = T("y2", x.shape, dtype, shape_signature=(-1,) + x.shape[1:])
            b.op("ABS", [x], [y2])
            return [i2, n, x2, y2]
    else:
        op = str(rng.choice(["ADD", "MUL", "SUB"])) if dtype == "float32" else str(rng.choice(["ADD", "SUB"]))
        b.op(op, [x, y], [x2], opts(op.capitalize()))
    return [i2, n, y, x2] if variant == "swap" else [i2, n, x2, y]


def while_(name, variant):
    rng, dtype = rng_of(name), DTYPES.get(variant, "float32")
    shape = shape_of(rng, 1, 3)
    b = Builder()

    def four(c):
        free = {"shape_signature": (-1,) + shape[1:]} if variant == "grow" else {}
        return [
            T(c + "i", (), "int32"),
            T(c + "n", (), "int32"),
            T(c + "x", shape, dtype, **free),
            T(c + "y", shape, dtype),
        ]

    b.subgraph()
    ins, outs = four(""), four("o")
    b.op("WHILE", ins, outs, while_options(1, 2))
    b.io(ins, outs)
    b.subgraph("cond")
    ins, less = four("c"), T("less", (), "bool")
    b.op("LESS", ins[:2], [less], opts("Less"))
    if variant == "cond-two":
        near, both = T("near", (), "bool"), T("both", (), "bool")
        b.op("LESS", [ins[0], T("four", (), "int32", data=4)], [near], opts("Less"))
        b.op("LOGICAL_AND", [less, near], [both], opts("LogicalAnd"))
        less = both
    b.io(ins, [less])
    b.subgraph("body")
    ins = four("b")
    b.io(ins, body_of(b, variant, ins, dtype, rng, name.endswith(("1", "3"))))
    passes = (0, -1, 0) if variant == "zero-iter" else (3, 0, 1, 6)
    return b.bytes(), [[np.int32(0), np.int32(n), small(rng, shape, dtype), small(rng, shape, dtype)] for n in passes]


# ---- composites ---------------------------------------------------------------------------------------------------------


def add_parts(b, x):
    y = T("y", x.shape)
    b.op("ADD", [x, x], [y], opts("Add"))
    return y


def gelu_parts(b, x):
    """The one with tanh."""
    names = [T("g%d" % i, x.shape) for i in range(7)]
    cube, scaled, inner, arg, th, one, half = names
    square, y = T("sq", x.shape), T("y", x.shape)
    number = lambda name, v: T(name, (), data=v)
    b.op("MUL", [x, x], [square], opts("Mul"))
    b.op("MUL", [square, x], [cube], opts("Mul"))
    b.op("MUL", [cube, number("k", 0.044715)], [scaled], opts("Mul"))
    b.op("ADD", [x, scaled], [inner], opts("Add"))
    b.op("MUL", [inner, number("root", 0.7978845608)], [arg], opts("Mul"))
    b.op("TANH", [arg], [th])
    b.op("ADD", [th, number("unit", 1.0)], [one], opts("Add"))
    b.op("MUL", [one, x], [half], opts("Mul"))
    b.op("MUL", [half, number("h", 0.5)], [y], opts("Mul"))
    return y


def group_norm_parts(b, x, groups):
    """Every group of channels by its own mean and deviation."""
    n, h, w, c = x.shape
    split, line = (n, h * w, groups, c // groups), (n, 1, groups, 1)
    t, d, sq, out = (T(k, split) for k in ("t", "d", "sq", "out"))
    mean, var, eps, inv = (T(k, line) for k in ("mean", "var", "veps", "inv"))
    axes = T("axes", (2,), "int32", data=[1, 3])
    y = T("y", x.shape)
    b.op("RESHAPE", [x, T("shape", (4,), "int32", data=split)], [t], opts("Reshape"))
    b.op("MEAN", [t, axes], [mean], opts("Reducer", keepDims=True))
    b.op("SUB", [t, mean], [d], opts("Sub"))
    b.op("MUL", [d, d], [sq], opts("Mul"))
    b.op("MEAN", [sq, axes], [var], opts("Reducer", keepDims=True))
    b.op("ADD", [var, T("eps", (), data=1e-3)], [eps], opts("Add"))
    b.op("RSQRT", [eps], [inv])
    b.op("MUL", [d, inv], [out], opts("Mul"))
    b.op("RESHAPE", [out, T("back", (4,), "int32", data=x.shape)], [y], opts("Reshape"))
    return y


def composite_case(name, variant):
    rng, b = rng_of(name), Builder()
    groups = int(rng.integers(1, 4))
    shape = shape_of(rng, 1, 4)
    if variant == "group_norm":
        shape = (*(int(d) for d in rng.integers(1, 5, 3)), groups * int(rng.integers(1, 5)))
    if variant == "gelu":  # a single element may lie far left, where 1 + tanh(x) is all rounding
        shape = (*shape, 32)
    b.subgraph()
    gamma = T("gamma", shape[-1:], data=rng.normal(1, 0.3, shape[-1])) if variant == "rms_norm" else None
    x, y = T("x", shape), T("y", shape)
    attributes = {"gelu": {"approximate": True}, "group_norm": {"num_groups": groups}, "rms_norm": {"epsilon": 1e-6}}
    composite(b, "odml." + variant, [x] + ([gamma] if gamma else []), [y], 1, attributes.get(variant))
    b.io([x], [y])
    b.subgraph("parts")
    x, gamma = T("px", shape), gamma and T("pgamma", shape[-1:])
    made = {
        "add": lambda: add_parts(b, x),
        "gelu": lambda: gelu_parts(b, x),
        "group_norm": lambda: group_norm_parts(b, x, groups),
        "rms_norm": lambda: rms_norm(b, x, gamma),
    }[variant]()
    b.io([x] + ([gamma] if gamma else []), [made])
    return b.bytes(), [[values(rng, shape, "float32")] for _ in range(2)]


# ---- LSTM ---------------------------------------------------------------------------------------------------------------


def lstm_case(name, variant):
    rng = rng_of("sizes of " + name)
    kind = "int8" if variant.startswith("i8") else "hybrid" if variant.startswith("hyb") else "float"
    sizes = {k: int(rng.integers(1, most)) for k, most in (("batch", 4), ("time", 6), ("n_x", 20), ("n_cell", 20))}
    on = {
        "cifg": "cifg" in variant,
        "peephole": "peep" in variant,
        "layer_norm": "ln" in variant,
        "projection": "proj" in variant,
    }
    if variant == "mix":
        on = dict.fromkeys(("peephole", "layer_norm", "projection"), True)
    if on["projection"]:
        sizes["n_out"] = int(rng.integers(1, 20))
    lstm = Lstm(name, kind, asymmetric="asym" in variant, time_major=bool(rng.random() < 0.4), **sizes, **on)
    return lstm.model, lstm.inputs()


MAKERS = {
    "VAR_HANDLE": (variables, None),
    "ASSIGN_VARIABLE": (variables, None),
    "READ_VARIABLE": (variables, None),
    "CALL_ONCE": (variables, None),
    "IF": (if_, 1e-6),
    "WHILE": (while_, 1e-6),
    "STABLEHLO_COMPOSITE": (composite_case, 1e-5),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": (lstm_case, 1e-5),
}


def cases():
    for op, (make, tolerance) in MAKERS.items():
        for variant in ROWS[op]:
            for k in range(EACH):
                name = "%s/%s/random%d" % (op.lower(), variant, k)
                model, sets = make(name, variant)
                yield name, model, sets, REF, None if variant[:2] in ("i8", "i3") else tolerance
