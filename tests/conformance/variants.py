"""Which rows of operator x type a case covers: the facts are in rows.txt beside this file.

A case that is called operator/variant/detail says it itself, when the variant is one of the operator's. Of any other the model
says it: types of the tensors, scales for each channel, weights of fewer bits, options. Letters of a variant: pc, a scale for
each channel; i4, i2, u8 behind the first type, the weights'; hyb, float activations with integer weights; asym, of an offset;
b32, a bias of 32 bits with 16-bit activations; c, a constant; dyn, weights that come at run time; f16w, weights of half floats."""

import os

import numpy as np

from circle import CODES
from mkmodel import TYPES, schema

SHORT = {"complex": "c", "bfloat": "bf", "float": "f", "uint": "u", "int": "i"}
BUILTINS = {v: k for k, v in vars(schema.BuiltinOperator).items() if isinstance(v, int)}
CIRCLE = {v: k for k, v in CODES.items()}
# The input that gives a row its type, where that is not the first one; -1: the output.
MAIN = {
    "SPLIT": 1,
    "SELECT": 1,
    "SELECT_V2": 1,
    "ONE_HOT": -1,
    "FILL": 1,
    "ASSIGN_VARIABLE": 1,
    "READ_VARIABLE": -1,
    "TRANSPOSE_CONV": 2,
    "EMBEDDING_LOOKUP": 1,
    "SCATTER_ND": 1,
    "SPARSE_TO_DENSE": 2,
    "CONV_3D_TRANSPOSE": 2,
    "IF": 1,
    "RANDOM_UNIFORM": -1,
    "RANDOM_STANDARD_NORMAL": -1,
}


def rows():
    """{operator: {variant: whether a reference kernel is registered}}"""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "rows.txt")) as f:
        lines = [line.split() for line in f if line.strip() and not line.startswith("#")]
    return {op: {v.rstrip("*"): not v.endswith("*") for v in variants} for op, *variants in lines}


ROWS = rows()


def short(name):
    for long, letters in SHORT.items():
        if name.startswith(long):
            return letters + name[len(long) :]
    return name


class Tensor:
    NAMES = {v: short(k) for k, v in TYPES.items()}

    def __init__(self, model, t):
        self.name, self.type = t.Name() or b"", self.NAMES[t.Type()]
        self.shape = tuple(t.ShapeAsNumpy()) if t.ShapeLength() else ()
        b = model.Buffers(t.Buffer())
        self.const = b.DataLength() > 0
        q = t.Quantization()
        self.scales = [float(q.Scale(i)) for i in range(q.ScaleLength())] if q else []
        self.zeros = [int(q.ZeroPoint(i)) for i in range(q.ZeroPointLength())] if q else []
        self.pc = "pc" if len(self.scales) > 1 else ""
        self.dynamic = t.ShapeSignatureLength() > 0 and -1 in t.ShapeSignatureAsNumpy()


class Node:
    def __init__(self, model, graph, o):
        code = model.OperatorCodes(o.OpcodeIndex())
        number = max(code.BuiltinCode(), code.DeprecatedBuiltinCode())
        self.op, self.custom = BUILTINS.get(number) or CIRCLE[number], (code.CustomCode() or b"").decode()
        tensor = lambda i: Tensor(model, graph.Tensors(i)) if i >= 0 else None
        self.ins = [tensor(o.Inputs(i)) for i in range(o.InputsLength())]
        self.outs = [tensor(o.Outputs(i)) for i in range(o.OutputsLength())]
        self.raw = o

    def get(self, i):
        return self.ins[i] if i < len(self.ins) else None

    def option(self, kind, member):
        """A member of the options, or None."""
        raw = self.raw
        for table, name, number in (
            (raw.BuiltinOptions(), "BuiltinOptions", raw.BuiltinOptionsType()),
            (raw.BuiltinOptions2(), "BuiltinOptions2", raw.BuiltinOptions2Type()),
        ):
            if table is not None and number == getattr(getattr(schema, name), kind, -1):
                options = getattr(schema, kind)()
                options.Init(table.Bytes, table.Pos)
                return getattr(options, member)()
        return None


def nodes_of(model):
    m = schema.Model.GetRootAs(model, 0)
    for s in range(m.SubgraphsLength()):
        g = m.Subgraphs(s)
        for i in range(g.OperatorsLength()):
            yield Node(m, g, g.Operators(i))


# ---- what a node is a case of: variants in order, of which the first that the operator has counts -----------------------


def arithmetic(n):
    kind = n.ins[0].type
    if kind == "i16" and n.op in ("ADD", "SUB", "MUL"):
        option = n.op == "MUL" or n.option(n.op.capitalize() + "Options", "PotScaleInt16")
        tensors = [n.ins[0], n.ins[1], n.outs[0]]
        if option and all(t.scales and np.frexp(np.float32(t.scales[0]))[0] == 0.5 for t in tensors):
            return ["i16pot"]
    return [kind]


def converted(n):
    x, y = n.ins[0], n.outs[0]
    pc = x.pc or y.pc
    if n.op == "DEQUANTIZE":
        return [x.type + ("c" if x.type == "f16" and x.const else pc), x.type]
    if n.op in ("SOFTMAX", "TOPK_V2"):
        y = n.outs[-1]
        plain = x.type == y.type or (n.op == "TOPK_V2" and y.type == "i32")
        return [x.type if plain else "%s-%s%s" % (x.type, y.type, "idx" if n.op == "TOPK_V2" else "")]
    return ["%s-%s%s" % (x.type, y.type, pc), "%s-%s" % (x.type, y.type)]


def weighted(n):
    x, w, b = {"TRANSPOSE_CONV": (2, 1, 3)}.get(n.op, (0, 1, 2))
    x, w, b, y = n.ins[x], n.ins[w], n.get(b), n.outs[0]
    if w.type == "f16" or w.name.endswith(b"f16"):
        return ["f16w"]
    if x.type == "f32" and w.type == "f32":
        grouped = n.op == "CONV_2D" and x.shape[3] != w.shape[3]
        return ["f32grp" if grouped else "f32" if w.const else "fdyn", "f32"]
    if x.type == "f32":
        kind = "" if w.type == "i8" else w.type
        asym = n.op == "FULLY_CONNECTED" and n.option("FullyConnectedOptions", "AsymmetricQuantizeInputs")
        return ["hyb" + kind + w.pc + ("asym" if asym else ""), "hyb" + kind + w.pc]
    kind = x.type + (w.type if w.type not in ("i8", "u8") else "") + w.pc
    if n.op == "FULLY_CONNECTED" and y.type != x.type:
        return ["%s-%s" % (x.type, y.type)]
    if not w.const:
        return [kind + "dyn", kind]
    if n.op == "CONV_2D" and x.shape[3] != w.shape[3]:
        return [kind + "grp"]
    return [kind + ("b32" if x.type == "i16" and b and b.type == "i32" else "")]


def matmul(n):
    x, w, y = n.ins[0], n.ins[1], n.outs[0]
    constant = "c" if w.const else ""
    if x.type == "f32" and w.type == "i8":
        asym = n.option("BatchMatMulOptions", "AsymmetricQuantizeInputs")
        return ["hyb" + ("asym" if asym else "")]
    if x.type != w.type:
        return [x.type + w.type + constant]
    if y.type != x.type:
        return ["%s-%s" % (x.type, y.type)]
    return [x.type + w.pc + constant, x.type + constant, x.type]


def hybrid(n):
    """SVDF and the simple recurrences."""
    x, w = n.ins[0], n.ins[1]
    if x.type != "f32" or w.type == "f32":
        return [x.type]
    asym = n.option("SVDFOptions" if n.op == "SVDF" else "SequenceRNNOptions", "AsymmetricQuantizeInputs")
    return ["hybasym" if asym else "hyb"]


def lstm(n):
    """Every feature of the cell counts for itself: its variant is covered by cells that have others, too."""
    x, w = n.ins[0], n.ins[2]
    cifg, peep, proj, norm = (not n.get(1), bool(n.get(10)), bool(n.get(16)), bool(n.get(21)))
    kind = "UnidirectionalSequenceLSTMOptions" if n.op.startswith("UNI") else "LSTMOptions"
    base = x.type
    if x.type == "f32" and w.type != "f32":
        base = "hybasym" if n.option(kind, "AsymmetricQuantizeInputs") else "hyb"
    on = [name for name, there in (("cifg", cifg), ("peep", peep), ("proj", proj), ("ln", norm)) if there]
    found = {base + name for name in on} or {base}
    if cifg and peep:
        found.add(base + "peepcifg")
    if len(on) > 2:
        found.add("mix")
    return found


def concatenation(n):
    y = n.outs[0]
    requantized = y.type == "u8" and any((t.scales, t.zeros) != (y.scales, y.zeros) for t in n.ins)
    return ["u8req" if requantized else y.type]


def composite(n):
    name = (n.option("StableHLOCompositeOptions", "Name") or b"").decode()
    return [name.split(".")[-1]]


def custom(n):
    x = n.ins[1] if n.custom == "TFLite_Detection_PostProcess" else n.ins[0]
    return [n.custom + "-" + x.type, n.custom]


SPECIAL = {
    "CONCATENATION": concatenation,
    "BATCH_MATMUL": matmul,
    "STABLEHLO_COMPOSITE": composite,
    "CUSTOM": custom,
    **dict.fromkeys(("ADD", "SUB", "MUL"), arithmetic),
    **dict.fromkeys(("CAST", "QUANTIZE", "DEQUANTIZE", "BITCAST", "SOFTMAX", "TOPK_V2"), converted),
    **dict.fromkeys(("CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "FULLY_CONNECTED"), weighted),
    **dict.fromkeys(("SVDF", "RNN", "UNIDIRECTIONAL_SEQUENCE_RNN"), hybrid),
}


def of_node(n):
    """Rows that a node is a case of."""
    if n.op in ("UNIDIRECTIONAL_SEQUENCE_LSTM", "LSTM"):
        return {v for v in lstm(n) if v in ROWS[n.op]}
    if n.op in SPECIAL:
        found = SPECIAL[n.op](n)
    else:
        at = MAIN.get(n.op, 0)
        tensors = n.outs if at < 0 or not n.ins else n.ins
        tensor = tensors[0 if at < 0 else min(at, len(tensors) - 1)] if tensors else None
        found = [tensor.type] if tensor else []
        if "-" in ROWS[n.op]:
            found = ["-"]
    return set([v for v in found if v in ROWS[n.op]][:1])


def with_variables(nodes):
    """Types of the variables that these nodes write and read."""
    return {n.ins[1].type for n in nodes if n.op == "ASSIGN_VARIABLE"} | {
        n.outs[0].type for n in nodes if n.op == "READ_VARIABLE"
    }


def said(name):
    """(operator, variant) that a case's name says, or None."""
    op, _, rest = name.partition("/")
    variants = {v.lower(): v for v in ROWS.get(op.upper(), ())}
    variant = variants.get(rest.partition("/")[0].lower())
    return (op.upper(), variant) if variant else None


def covers(name, model):
    """Rows of a case, {(operator, variant)}: by its name, or by its model's nodes of the operator that the name begins with; by
    all nodes when it begins with none."""
    by_name = said(name)
    if by_name:
        return {by_name}
    nodes = list(nodes_of(model))
    head = name.replace("/", "_").lower() + "_"
    named = max((n.op for n in nodes if head.startswith(n.op.lower() + "_")), key=len, default=None)
    found = set()
    for n in nodes:
        if n.op not in ROWS or (named and n.op != named):
            continue
        if n.op in ("VAR_HANDLE", "CALL_ONCE"):
            found |= {(n.op, v) for v in with_variables(nodes) if v in ROWS[n.op]}
        else:
            found |= {(n.op, v) for v in of_node(n)}
    return found


# ---- the table -----------------------------------------------------------------------------------------------------------


class Row:
    """What became of the cases of one row."""

    def __init__(self):
        self.cases, self.bound, self.oracles, self.problems, self.unsupported = 0, 0.0, set(), [], 0

    def add(self, oracle, tolerance):
        self.cases += 1
        self.oracles.add(oracle)
        self.bound = max(self.bound, tolerance or 0.0)


NEEDED = 3
USUAL = 1e-5  # of the largest magnitude: what counts as equal in floats, whose sums others add in another order
ORACLES = {"litert_default": "LiteRT's optimized kernels", "tflm": "tflite-micro"}


def gives_floats(model):
    """Only these are compared within a tolerance."""
    m = schema.Model.GetRootAs(model, 0)
    g = m.Subgraphs(0)
    types = (g.Tensors(g.Outputs(i)).Type() for i in range(g.OutputsLength()))
    return any(Tensor.NAMES[t][0] in "fc" for t in types)


class Table:
    """All rows, filled case by case."""

    def __init__(self):
        self.rows = {(op, v): Row() for op, variants in ROWS.items() for v in variants}

    def case(self, name, model, oracle, tolerance):
        """The rows of a case, which is now one of theirs."""
        found = [self.rows[key] for key in covers(name, model)]
        for row in found:
            row.add(oracle, tolerance if gives_floats(model) else None)
        return found

    def states(self):
        """{(operator, variant): (passed | bounded | unsupported | failed | missing, reason or bound)}"""
        found = {}
        for key, row in self.rows.items():
            if row.unsupported:
                found[key] = "unsupported", row.problems[0]
            elif row.problems:
                found[key] = "failed", "%d of %d cases, first: %s" % (len(row.problems), row.cases, row.problems[0])
            elif row.cases < NEEDED:
                found[key] = "missing", "%d of %d cases" % (row.cases, NEEDED)
            elif row.bound > USUAL:
                found[key] = "bounded", row.bound
            else:
                found[key] = "passed", None
        return found

    def summary(self):
        """The closing line, and one for each row that is not proven."""
        states = self.states()
        count = lambda state: sum(s == state for s, _ in states.values())
        line = (
            "operator x type rows: %d, passed %d, bounded %d (bound stated), unsupported %d, without three cases %d"
            % (len(states), *map(count, ("passed", "bounded", "unsupported", "missing")))
        )
        if count("failed"):
            line += ", failed %d" % count("failed")
        bad = {key: s for key, s in states.items() if s[0] not in ("passed", "bounded")}
        return line, {"%s %s" % key: "%s: %s" % s for key, s in bad.items()}

    def matrix(self, more=None):
        """Markdown: a row an operator. more: (head, {operator: cell}) of one column beside it."""
        states = self.states()
        head = [
            "operator",
            "rows passed",
            "bounded (error, of the largest magnitude)",
            "oracle where not `BUILTIN_REF`",
        ]
        lines = [head + [more[0]] if more else head]
        lines.append(["---"] * len(lines[0]))
        for op, variants in ROWS.items():
            of = {v: states[op, v] for v in variants}
            passed = [v for v, (s, _) in of.items() if s == "passed"]
            bounded = ["%s %g" % (v, bound) for v, (s, bound) in of.items() if s == "bounded"]
            cells = [op, ", ".join(passed), ", ".join(bounded), "; ".join(self.oracles(op))]
            lines.append(cells + [more[1].get(op, "")] if more else cells)
        return "\n".join("| %s |" % " | ".join(cells) for cells in lines)

    def oracles(self, op):
        """Who decided rows of which not a single case was LiteRT's reference kernel's to decide."""
        other = {}
        for v in ROWS[op]:
            oracles = self.rows[op, v].oracles
            names = sorted(ORACLES.get(o, "a reference in the test") for o in oracles if o != "litert_ref")
            if names and ("litert_ref" not in oracles or not ROWS[op][v]):
                other.setdefault(" and ".join(dict.fromkeys(names)), []).append(v)
        whole = len(ROWS[op])
        return [who if len(v) == whole else "%s: %s" % (", ".join(v), who) for who, v in other.items()]
