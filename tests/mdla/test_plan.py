#!/usr/bin/env python3
"""Plans of small models: cycles by every rate and formula of the guide, layouts and conversions in bytes, fused operators, rule C and
deep layer fusion at and beyond each restriction, devices. What is expected is computed from guide.py or by hand."""

import math
import sys

import numpy as np

import guide
from guide import VERSIONS
from kit import Mdla, Net, Score, T, arguments, const, opts, single_op, tensor, weights

COLUMN = {"SYM INT8": 0, "ASYM UINT8": 1, "SYM INT16": 2, "FP16": 3}
MAC_COLUMN = {"SYM INT8": 0, "ASYM UINT8": 0, "SYM INT16": 1, "FP16": 2}
ORDER_A = "A: CONV MATH1 MATH2 ACT1|ACT2 RESIZE POOL\n"
ORDER_B = "B: MATH1 MATH2 ACT1|ACT2 POOL\n"


def first(plan):
    return plan["subgraphs"][0]


def rules(plan):
    """[(rule, first op, last op)] of groups with more than one operator"""
    return [(g["rule"], g["first"], g["last"]) for g in first(plan)["groups"] if g["operators"] > 1]


def expect(score, label, got, want):
    score.check(label, None if got == want else "is %s, not %s" % (got, want))


def up(n, to):
    return -(-n // to) * to


# ---- cycles -------------------------------------------------------------------------------------------------------------------


def convolutions(score, mdla):
    for kind in COLUMN:
        for oc in (1, 4, 5, 16, 24):
            n = Net((1, 10, 10, 32), kind)
            n.conv(oc, 5)
            m = n.bytes()
            macs = 6 * 6 * oc * 5 * 5 * 32
            for v in VERSIONS:
                rate = guide.MACS[v][MAC_COLUMN[kind]] * guide.outputs_rate(oc) / 100
                op = first(mdla.plan(m, v))["ops"][0]
                expect(
                    score,
                    "%s conv %s %d" % (v, kind, oc),
                    (op["macs"], op["cycles"]),
                    (macs, math.ceil(round(macs / rate, 6))),
                )
    for kind in ("SYM INT8", "SYM INT16"):
        n = Net((1, 12, 12, 32), kind)
        n.depthwise(5)
        m, macs = n.bytes(), 12 * 12 * 32 * 25
        for v in VERSIONS:
            want = math.ceil(macs / (guide.MACS[v][MAC_COLUMN[kind]] * guide.DEPTHWISE_RATE / 100))
            op = first(mdla.plan(m, v))["ops"][0]
            expect(score, "%s depthwise %s" % (v, kind), (op["cycles"], op["known"]), (want, "rate"))
    o = opts(
        "Conv3D", padding=1, strideD=1, strideH=1, strideW=1, dilationDFactor=1, dilationHFactor=1, dilationWFactor=1
    )
    ins = [
        tensor((1, 5, 6, 7, 32)),
        T("w", (3, 3, 3, 32, 24), "int8", 0.01, 0, data=np.ones((3, 3, 3, 32, 24), np.int8)),
    ]
    m = single_op("CONV_3D", ins, [tensor((1, 3, 4, 5, 24), name="y")], o)
    op, macs = first(mdla.plan(m, "3.0"))["ops"][0], 3 * 4 * 5 * 24 * 27 * 32
    expect(score, "CONV_3D", (op["macs"], op["cycles"]), (macs, math.ceil(macs / (guide.MACS["3.0"][0] * 0.75))))
    for batch in (1, 2, 3, 4, 8, 9):
        m = single_op(
            "FULLY_CONNECTED",
            [tensor((batch, 64)), weights((32, 64))],
            [tensor((batch, 32), name="y")],
            opts("FullyConnected"),
        )
        for v in VERSIONS:
            rate = guide.FC_RATE.get(batch, {}).get(v)
            want = math.ceil(batch * 32 * 64 / (guide.MACS[v][0] * (rate or 100) / 100))
            op = first(mdla.plan(m, v))["ops"][0]
            expect(
                score,
                "%s batch %d" % (v, batch),
                (op["cycles"], op["known"]),
                (want, "rate" if rate else "lower bound"),
            )
    for stride in (1, 2, 3):
        n = 8 * stride
        o = opts("TransposeConv", padding=0, strideH=stride, strideW=stride)
        ins = [const([1, n, n, 16]), weights((16, 3, 3, 16)), tensor((1, 8, 8, 16))]
        m = single_op("TRANSPOSE_CONV", ins, [tensor((1, n, n, 16), name="y")], o)
        for v in VERSIONS:
            for way in ("hardware", "software"):
                op = first(mdla.plan(m, v, "--transpose-conv", way))["ops"][0]
                hardware = way == "hardware" and v != "3.0"
                want = math.ceil(8 * 8 * 9 * 16 * 16 * (stride * stride if hardware else 1) / guide.MACS[v][0])
                expect(score, "%s transposed %d %s" % (v, stride, way), op["cycles"], want)


def throughput(score, mdla):
    """Every row of the table that an operator reaches, for every type."""
    unary = "RELU RELU6 RELU_N1_TO_1 TANH LOGISTIC ELU GELU EXP SQRT NEG ABS SQUARE".split()
    shape, elements = (1, 7, 5, 16), 7 * 5 * 16
    for kind, column in COLUMN.items():
        x, y = tensor(shape, kind), tensor(shape, kind, "y")
        models = {op: single_op(op, [x], [y]) for op in unary}
        z = tensor(shape, kind, "z")
        for op, o in (
            ("ADD", "Add"),
            ("SUB", "Sub"),
            ("MUL", "Mul"),
            ("MAXIMUM", "MaximumMinimum"),
            ("MINIMUM", "MaximumMinimum"),
        ):
            models[op] = single_op(op, [x, z], [y], opts(o))
        models["PRELU"] = single_op("PRELU", [x, weights((1, 1, 16), kind, "a")], [y])
        models["SQUARED_DIFFERENCE"] = single_op("SQUARED_DIFFERENCE", [x, z], [y])
        names = {"MAXIMUM": "MAX", "MINIMUM": "MIN", "SQUARE": "SQUARE(MUL)"}
        for op, m in models.items():
            for v in VERSIONS:
                row = first(mdla.plan(m, v))["ops"][0]
                if op == "SQUARED_DIFFERENCE":
                    want = sum(math.ceil(elements / guide.math_rate(r, v)[column]) for r in ("SUB", "MUL"))
                else:
                    rates = guide.math_rate(names.get(op, op), v)
                    if not rates:
                        expect(score, "%s %s runs elsewhere" % (v, op), row["device"], "CPU")
                        continue
                    want = math.ceil(elements / rates[column])
                expect(score, "%s %s %s" % (v, op, kind), (row["cycles"], row["known"]), (want, "rate"))


def pools(score, mdla):
    for kind, column in COLUMN.items():
        for op, row in (("MAX_POOL_2D", "MAX"), ("AVERAGE_POOL_2D", "AVG"), ("L2_POOL_2D", "L2")):
            for k, stride, c in ((2, 2, 16), (2, 1, 24), (3, 2, 5), (1, 1, 32)):
                n = Net((2, 16, 16, c), kind)
                n.pool(k, stride, op)
                side = (16 - k) // stride + 1
                factor = guide.POOLS[row][column]
                tile = (side, side, up(c, 16 if column < 2 else 8))
                want = 0 if factor is None else math.ceil(2 * guide.pool_tc(k, k, stride, stride, tile) * factor)
                got = first(mdla.plan(n.bytes(), "2.0"))["ops"][0]
                known = "unknown" if factor is None else "rate"
                expect(
                    score, "%s %s %d/%d of %d" % (op, kind, k, stride, c), (got["cycles"], got["known"]), (want, known)
                )
    for stride, k, side in ((1, 7, 1), (7, 7, 1), (1, 5, 4), (1, 4, 5)):  # a tile lower than the window: no figure
        before = k + (side - 1) * stride
        n = Net((1, before, before, 16))
        n.pool(k, stride, "AVERAGE_POOL_2D")
        got = first(mdla.plan(n.bytes(), "3.0"))["ops"][0]
        want = (
            (math.ceil(guide.pool_tc(k, k, stride, stride, (side, side, 16))), "rate") if side >= k else (0, "unknown")
        )
        expect(score, "pool of %d, output of %d" % (k, side), (got["cycles"], got["known"]), want)
    for kind, points in (("SYM INT8", 10), ("FP16", 5)):
        for size, known in ((16, "rate"), (8, "rate"), (7, "unknown")):
            n = Net((1, 8, 8, 16), kind)
            n.resize(size, size)
            got = first(mdla.plan(n.bytes(), "2.0"))["ops"][0]
            want = math.ceil(size * size * 16 / points) if known == "rate" else 0
            expect(score, "resize %s to %d" % (kind, size), (got["cycles"], got["known"]), (want, known))


def quantize(score, mdla):
    """Into what the mapping turns QUANTIZE and DEQUANTIZE."""
    for before, kinds, op, mapped, cycles in (
        ("CONV_2D", ("SYM INT8", "ASYM UINT8"), "QUANTIZE", "requantize.1", 0),
        ("ABS", ("SYM INT8", "ASYM UINT8"), "QUANTIZE", "requantize.2", 0),
        ("RELU", ("SYM INT8", "ASYM UINT8"), "QUANTIZE", "requantize.3.1", 1024 / 16),  # BN_ADD
        (
            "RELU",
            ("SYM INT8", "SYM INT16"),
            "QUANTIZE",
            "requantize.3.2",
            1024 * 16 / 1024,
        ),  # <16, 1, 1, 16> at 1024 MACs
        ("CONV_2D", ("FP16", "ASYM UINT8"), "QUANTIZE", "quantize.1", 0),
        ("ABS", ("FP16", "ASYM UINT8"), "QUANTIZE", "quantize.2", 1024 * 16 / 512),
        ("CONV_2D", ("SYM INT8", "FP16"), "DEQUANTIZE", "dequantize.1", 0),
        ("ABS", ("SYM INT8", "FP16"), "DEQUANTIZE", "dequantize.2", 1024 * 16 / 1024),
    ):
        n = Net((1, 8, 8, 16), kinds[0])
        n.conv(16, 3, padding=0) if before == "CONV_2D" else n.unary(before)
        n.op(op, [n.at], n.new((1, 8, 8, 16), kinds[1]))
        plan = mdla.plan(n.bytes(), "2.0")
        got = first(plan)["ops"][1]
        expect(score, "%s after %s" % (op, before), (got["mapped"], got["cycles"]), (mapped, cycles))
        fused = [("QUANTIZE" if before == "ABS" else "A", 0, 1)] if not cycles else []
        expect(score, "%s after %s, group" % (op, before), rules(plan), [("QUANTIZE", 0, 1)] if fused else [])


# ---- layouts ------------------------------------------------------------------------------------------------------------------


def tensors(plan):
    return {t["name"]: t for t in first(plan)["tensors"]}


def layouts(score, mdla):
    for c, kind, layout, laid in (
        (3, "SYM INT8", "4C", 10 * 12 * 4),
        (4, "SYM INT8", "4C", 10 * 12 * 4),
        (5, "SYM INT8", "16C", 10 * 10 * 16),
        (16, "SYM INT8", "16C", 10 * 10 * 16),
        (17, "SYM INT8", "16C", 10 * 10 * 32),
        (3, "SYM INT16", "4C", 10 * 10 * 4 * 2),
        (8, "SYM INT16", "16C", 10 * 10 * 8 * 2),
        (9, "SYM INT16", "16C", 10 * 10 * 16 * 2),
    ):
        n = Net((1, 10, 10, c), kind)
        n.conv(16, 3)
        plan = mdla.plan(n.bytes(), "3.0")
        t = tensors(plan)["in0"]
        dense = 100 * c * (2 if kind == "SYM INT16" else 1)
        how = "run time" if laid != dense else "none"
        expect(
            score,
            "%d of %s" % (c, kind),
            (t["layout"], t["bytes"], t["laid_bytes"], t["relayout"]),
            (layout, dense, laid, how),
        )
        moved = dense + laid if laid != dense else 0
        expect(score, "%d of %s, moved" % (c, kind), plan["summary"]["relayout_bytes"], moved)
        plan = mdla.plan(n.bytes(), "3.0", "--suppress-input-conversion")
        expect(score, "%d of %s, suppressed" % (c, kind), plan["summary"]["relayout_bytes"], 0)
    n = Net((1, 8, 8, 3))  # a pool takes 16C alone
    n.pool()
    expect(score, "pool", tensors(mdla.plan(n.bytes(), "2.0"))["in0"]["layout"], "16C")
    n = Net((1, 8, 8, 3))  # ADD: both inputs alike, 16C as one of them comes from a pool
    a = n.pool(1, 1)
    b = n.input((1, 8, 8, 3))
    n.inputs.append(b)
    n.add(b, at=a)
    got = tensors(mdla.plan(n.bytes(), "2.0"))
    expect(score, "shared", (got[a.name]["layout"], got[b.name]["layout"]), ("16C", "16C"))
    n = Net((1, 8, 8, 3))
    b = n.input((1, 8, 8, 3))
    n.inputs.append(b)
    n.add(b)
    got = tensors(mdla.plan(n.bytes(), "2.0"))
    expect(score, "shared 4C", (got["in0"]["layout"], got[b.name]["layout"]), ("4C", "4C"))
    n = Net((1, 8, 8, 20))  # the output goes out dense; what the MDLA reads again keeps its pitch
    x = n.unary("ABS")
    n.unary("NEG")
    got = tensors(mdla.plan(n.bytes(), "2.0"))
    expect(score, "pitch", [got[k]["laid_bytes"] for k in (x.name, n.at.name)], [64 * 32, 64 * 20])
    got = mdla.plan(n.bytes(x, n.at), "2.0")  # read again and an output: it changes its layout on the way out
    expect(score, "output with pitch", tensors(got)[x.name]["relayout"], "run time")
    plan = mdla.plan(n.bytes(), "2.0", "--suppress-output-conversion")
    expect(score, "raw output", tensors(plan)[n.at.name]["laid_bytes"], 64 * 32)
    y = single_op(
        "ADD", [tensor((1, 8, 8, 20)), weights((1, 1, 1, 20), name="z")], [tensor((1, 8, 8, 20), name="y")], opts("Add")
    )
    plan = mdla.plan(y, "2.0")
    expect(
        score,
        "constant",
        (tensors(plan)["z"]["relayout"], plan["summary"]["relayout_constant_bytes"]),
        ("compile time", 20 + 32),
    )


def conversions(score, mdla):
    for kind, version, options, read, held in (
        ("FP32", "3.0", ["--relax-fp32"], 4, 2),
        ("ASYM INT8", "1.5", [], 1, 1),
        ("ASYM INT8", "2.0", [], 0, 0),
        ("ASYM UINT8", "1.5", [], 0, 0),
        ("SYM INT8", "1.5", [], 0, 0),
        ("FP16", "1.5", [], 0, 0),
    ):
        n = Net((1, 4, 4, 16), kind)
        n.unary("ABS")
        n.unary("NEG")
        m = n.bytes()
        each = 256 * (read + held)
        for more, want in (
            ([], 2 * each),
            (["--suppress-input-conversion"], each),
            (["--suppress-output-conversion"], each),
            (["--suppress-input-conversion", "--suppress-output-conversion"], 0),
        ):
            got = mdla.plan(m, version, *options, *more)["summary"]["convert_bytes"]
            expect(score, "%s %s %s" % (version, kind, " ".join(more)), got, want)


# ---- fusion -------------------------------------------------------------------------------------------------------------------


def fusion(score, mdla):
    def net(*ops, act=0):
        n = Net((1, 8, 8, 16))
        n.conv(16, 3, padding=0, act=act)
        for op in ops:
            if op == "POOL":
                n.pool()
            elif op == "PRELU":
                n.op("PRELU", [n.at, n.const(weights((1, 1, 16)))], n.new(n.at.shape))
            elif op == "RESIZE":
                n.resize(16, 16)
            elif op == "MUL":
                n.op("MUL", [n.at, n.const(weights((16,)))], n.new(n.at.shape), opts("Mul"))
            else:
                n.unary(op)
        return n.bytes()

    for ops, act, want in (
        (["ABS"], 0, [("A", 0, 1)]),
        (["NEG"], 0, [("A", 0, 1)]),
        (["RELU"], 0, [("A", 0, 1)]),
        (["TANH"], 0, [("A", 0, 1)]),
        (["LOGISTIC"], 0, [("A", 0, 1)]),
        (["PRELU"], 0, [("A", 0, 1)]),
        (["POOL"], 0, [("A", 0, 1)]),
        (["MUL"], 0, []),  # nothing proves it
        (["ELU"], 0, []),  # in no group
        (["ABS", "RELU"], 0, [("A", 0, 1)]),  # one of them alone is proven
        (["POOL"], 1, []),  # the fused ReLU is the one
        (["RESIZE"], 0, []),
    ):
        for v in VERSIONS:
            expect(score, "%s proven %s %d" % (v, ops, act), rules(mdla.plan(net(*ops, act=act), v)), want)
    for ops, act, want in (
        (["ABS", "RELU"], 0, [("A", 0, 2)]),
        (["ABS", "MUL", "RELU", "RESIZE", "POOL"], 0, [("A", 0, 5)]),
        (["POOL"], 1, [("A", 0, 1)]),
        (["RELU", "ABS"], 0, [("A", 0, 1)]),  # not in the order
        (["RESIZE"], 0, [("A", 0, 1)]),
    ):
        plan = mdla.plan(net(*ops, act=act), "2.0", "--fusion-rules", "{1}", files=[ORDER_A.encode()])
        expect(score, "supplied %s %d" % (ops, act), rules(plan), want)
        marks = [g["supplied_order"] for g in first(plan)["groups"] if g["rule"] in "ABDE"]
        expect(score, "supplied %s is marked" % ops, all(marks) and bool(marks), True)
    for v in VERSIONS:
        want = [("F", 0, 2)] if v == "3.0" else []
        expect(score, v + " rule F", rules(mdla.plan(net("RESIZE", "RELU"), v)), want)
    n = Net((1, 8, 8, 16))
    n.unary("ABS")
    n.unary("RELU")
    for supplied, want in ((b"", []), (ORDER_B.encode(), [("B", 0, 1)])):
        plan = mdla.plan(n.bytes(), "1.5", "--fusion-rules", "{1}", files=[supplied])
        expect(score, "rule B %s" % bool(supplied), rules(plan), want)
    for v in VERSIONS:  # D is MDLA 2.0's
        plan = mdla.plan(net("MUL"), v, "--fusion-rules", "{1}", files=[b"D: CONV MATH2 # a comment\n\n"])
        expect(score, v + " rule D", rules(plan), [] if v == "1.5" else [("D", 0, 1)])
    n = Net((1, 8, 8, 16))  # two readers: nobody takes it over
    x = n.conv(16, 3)
    a = n.unary("RELU")
    b = n.unary("ABS", at=x)
    expect(score, "two readers", rules(mdla.plan(n.bytes(a, b), "1.5")), [])
    n = Net((1, 8, 8, 16))
    x = n.conv(16, 3)
    expect(score, "an output", rules(mdla.plan(n.bytes(x, n.unary("RELU")), "1.5")), [])
    for text, wrong in (
        ("C: CONV", "line 1"),
        ("A: ABS", "line 1"),
        ("# x\nB: CONV", "line 2"),
        ("A: CONV NOTHING", "line 1"),
        ("A:", "line 1"),
        ("A: CONV" + " ACT1" * 12, "line 1"),
        ("A: CONV CONV", "line 1"),
        ("nonsense", "line 1"),
    ):
        args = ("plan", "{0}", "--backend", "mdla1.5", "--fusion-rules", "{1}")
        code, _, err = mdla.call(*args, model=n.bytes(), files=[text.encode()])
        score.check("refused: " + text, None if code == 2 and wrong in err else "%d %s" % (code, err))


def pads(score, mdla):
    for by, fused in ((15, True), (16, False)):
        n = Net((1, 8, 8, 16))
        n.op("PAD", [n.x, n.const(const([[0, 0], [by, 0], [0, by], [0, 0]]))], n.new((1, 8 + by, 8 + by, 16)))
        n.conv(16, 3)
        plan = mdla.plan(n.bytes(), "1.5")
        expect(score, "pad by %d" % by, rules(plan), [("A", 0, 1)] if fused else [])
        moved = 0 if fused else (64 + (8 + by) ** 2) * 16
        expect(score, "pad by %d, bytes" % by, plan["summary"]["extra_bytes"], moved)
    n = Net((1, 8, 8, 16))
    n.op("PAD", [n.x, n.const(const([[0, 0], [1, 0], [0, 1], [0, 0]]))], n.new((1, 9, 9, 16)))
    n.pool()
    expect(score, "pad before a pool", rules(mdla.plan(n.bytes(), "1.5")), [("PAD", 0, 1)])


def rule_c(score, mdla):
    def pair(stride=1, padding=1, k=3, kind=None, depthwise=False, second="conv", shape=(1, 9, 9, 16)):
        n = Net(shape)
        n.depthwise() if depthwise else n.conv(16, 3, padding=0)
        if second == "conv":
            n.conv(16, k, stride, padding, **({"kind": kind} if kind else {}))
        else:
            n.depthwise(padding=1)
        return n.bytes()

    for label, model, fused in (
        ("two convolutions", pair(), True),
        ("depthwise and convolution", pair(depthwise=True), True),
        ("convolution and depthwise", pair(second="depthwise"), False),
        ("stride 2", pair(2), True),
        ("stride 3", pair(3), False),
        ("padding at the top", pair(padding=0), False),
        ("1 x 1 with SAME has no padding", pair(padding=0, k=1), True),
        ("padding at the end alone", pair(2, 0, 2, shape=(1, 8, 8, 16)), True),  # 8 by 2: none
        ("padding behind alone", pair(2, 0, 2), True),  # 9 by 2: one behind
    ):
        for v in VERSIONS:
            got = [r for r in rules(mdla.plan(model, v)) if r[0] == "C"]
            expect(score, "%s rule C, %s" % (v, label), got, [("C", 0, 1)] if fused else [])
    n = Net((1, 12, 12, 16))
    n.conv(16)
    n.conv(16)
    n.conv(16)
    expect(score, "three convolutions", rules(mdla.plan(n.bytes(), "1.5")), [("C", 0, 1)])
    n = Net((1, 12, 12, 16))
    x = n.conv(16)
    y = n.conv(16)
    expect(score, "group 1 is used twice", rules(mdla.plan(n.bytes(x, y), "1.5")), [])
    for k, stride, fused in ((2, 2, True), (3, 2, False), (1, 1, True), (2, 1, False)):
        n = Net((1, 8, 8, 16))
        n.conv(16, 3, padding=0)
        n.resize(16, 16)
        n.conv(16, k, stride)
        plan = mdla.plan(n.bytes(), "1.5", "--fusion-rules", "{1}", files=[ORDER_A.encode()])
        want = [("C", 0, 2)] if fused else [("A", 0, 1)]
        expect(score, "rule C after RESIZE, filter %d, stride %d" % (k, stride), rules(plan), want)
    n = Net((1, 8, 8, 16))  # types of the two groups
    n.conv(16)
    n.conv(16, kind="ASYM UINT8")
    expect(score, "rule C, another type", rules(mdla.plan(n.bytes(), "1.5")), [])
    n = Net((1, 8, 8, 16))  # both convolutions need the MAC units
    n.conv(16, 3, padding=0)
    n.conv(16, 3)
    plan = mdla.plan(n.bytes(), "1.5")
    cycles = [o["cycles"] for o in first(plan)["ops"]]
    expect(score, "rule C takes the sum", plan["summary"]["cycles_at_least"], sum(cycles))


def chains(score, mdla):
    def chain_of(n, *options, files=(), version="3.0"):
        return [
            (c["first_group"], c["groups"])
            for c in first(mdla.plan(n.bytes(), version, *options, files=files))["chains"]
        ]

    def convs(count, dilated=None, padding=0):
        """Convolutions with padding at the top, so that rule C joins none."""
        n = Net((1, 16, 16, 16))
        for i in range(count):
            n.conv(16, 3, padding=padding, dilation=2 if i == dilated else 1)
        return n

    for v in VERSIONS:
        expect(score, v + " chain of 4", chain_of(convs(4), version=v), [(0, 4)] if v == "3.0" else [])
    expect(score, "one is no chain", chain_of(convs(1)), [])
    for at, want in ((3, [(0, 4)]), (2, [(0, 3)]), (1, [(0, 2), (2, 2)]), (0, [(1, 3)])):
        expect(score, "dilated at %d" % at, chain_of(convs(4, at)), want)
    n = Net((1, 20, 20, 16))  # rule C joins the middle two, of which the first is dilated: in no chain
    n.conv(16, 3, padding=0)
    n.conv(16, 3, padding=0, dilation=2)
    n.conv(16, 3)
    n.conv(16, 3, padding=0)
    expect(score, "dilated within rule C", (chain_of(n), rules(mdla.plan(n.bytes(), "3.0"))), ([], [("C", 1, 2)]))
    n = Net((1, 8, 8, 16))
    n.conv(16, 3, padding=0)
    x = n.at
    n.op(
        "TRANSPOSE_CONV",
        [n.const(const([1, 16, 16, 16])), n.const(weights((16, 3, 3, 16))), x],
        n.new((1, 16, 16, 16)),
        opts("TransposeConv", padding=0, strideH=2, strideW=2),
    )
    expect(score, "transposed last", chain_of(n), [(0, 2)])
    n.conv(16, 3, padding=0)
    expect(score, "transposed in the middle", chain_of(n), [(0, 2)])
    n = convs(2)
    n.op("DEPTH_TO_SPACE", [n.at], n.new((1, 32, 32, 4)), opts("DepthToSpace", blockSize=2))
    expect(score, "DEPTH_TO_SPACE last", chain_of(n), [(0, 3)])
    n.conv(16, 3, padding=0)
    n.conv(16, 3, padding=0)
    expect(score, "nothing behind DEPTH_TO_SPACE", chain_of(n), [(0, 3), (3, 2)])
    n = convs(2)
    n.unary("ABS")
    n.unary("ABS")
    expect(score, "rule A then B", chain_of(n, "--fusion-rules", "{1}", files=[ORDER_B.encode()]), [(0, 2)])
    n = Net((1, 16, 16, 16))
    n.unary("ABS")
    n.conv(16, 3, padding=0)
    expect(score, "rule B then A", chain_of(n, "--fusion-rules", "{1}", files=[ORDER_B.encode()]), [(0, 2)])
    one = 16 * 3 * 3 * 16
    for bytes_, want in ((2 * one - 1, []), (2 * one, [(0, 2)]), (2 * one + 1, [(0, 2)]), (3 * one, [(0, 3)])):
        expect(score, "%d bytes of weights" % bytes_, chain_of(convs(3), "--weight-storage", str(bytes_))[:1], want)
    c = first(mdla.plan(convs(3).bytes(), "3.0"))["chains"][0]  # 4 tensors of 4096 bytes: six passes, or two
    want = (6 * 4096 + 3 * one, 2 * 4096 + 3 * one)
    expect(score, "external bytes", (c["external_bytes_without"], c["external_bytes_with"]), want)


# ---- devices ------------------------------------------------------------------------------------------------------------------


def devices(score, mdla):
    n = Net((1, 4, 4, 20), "FP16")
    n.conv(20)
    n.unary("SIN")  # nobody's
    n.conv(20)
    plan = mdla.plan(n.bytes(), "2.0")
    got = [(p["device"], p["memory"], p["operators"], p["cache_sync"]) for p in first(plan)["phases"]]
    want = [("MDLA", "APU", 1, True), ("CPU", "CPU", 1, True), ("MDLA", "APU", 1, True)]
    expect(score, "phases", got, want)
    each = 16 * 20 * 2
    expect(score, "crossing", [(p["in_bytes"], p["out_bytes"]) for p in first(plan)["phases"]], [(each, each)] * 3)
    expect(score, "copied", [p["copied_bytes"] for p in first(plan)["phases"]], [each, each, 2 * each])
    laid = 16 * 24 * 2  # both inputs of the MDLA come without pitch
    expect(score, "re-layouts", plan["summary"]["relayout_bytes"], 2 * (each + laid))
    expect(score, "switches", plan["summary"]["switches"], 2)
    plan = mdla.plan(n.bytes(), "2.0", "--mvpu", "ABS,SIN")
    got = [(p["device"], p["cache_sync"]) for p in first(plan)["phases"]]
    expect(score, "MVPU", got, [("MDLA", True), ("MVPU", False), ("MDLA", False)])
    hints = {h["hint"]: h for h in plan["network_hints"]}
    expect(score, "network hints", hints["DEVICES"]["switches"], 2)
    plan = mdla.plan(n.bytes(), "2.0", "--clock", "500")
    want = plan["summary"]["cycles_at_least"] / 5e8
    expect(score, "clock", abs(plan["summary"]["seconds_at_least"] - want) < 1e-12, True)
    expect(score, "no clock", "seconds_at_least" in mdla.plan(n.bytes(), "2.0")["summary"], False)
    for args, code in (
        (("plan", "{0}", "--backend", "ethos-u55-128"), 4),
        (("plan", "{0}", "--backend", "none"), 4),
        (("plan", "{0}", "--backend", "mdla9"), 2),
        (("plan", "{0}", "--backend", "mdla2.0", "--rules", "none"), 2),
        (("plan", "{0}", "--backend", "mdla2.0", "--transpose-conv", "both"), 2),
        (("plan", "{0}", "--backend", "ethos-u55-128", "--relax-fp32"), 2),
    ):
        got, _, err = mdla.call(*args, model=n.bytes())
        score.check(" ".join(args), None if got == code and err else "exit %d: %s" % (got, err))


def moves(score, mdla):
    """Bytes beside the operators: broadcasts, joined tensors, cuts."""
    for c, b, constant, version, extra in (
        ((1, 8, 8, 16), (1, 8, 1, 16), False, "1.5", 8 * 16 + 1024),
        ((1, 8, 8, 16), (1, 8, 1, 16), True, "1.5", 0),  # enlarged when compiled
        ((1, 8, 8, 16), (16,), False, "1.5", 16 + 1024),
        ((1, 8, 8, 16), (16,), True, "1.5", 0),
        ((1, 8, 8, 16), (1, 8, 8, 1), False, "3.0", 0),
    ):
        z = tensor(b, name="z")
        if constant:
            z.data = np.ones(b, np.int8)
        m = single_op("ADD", [tensor(c), z], [tensor(c, name="y")], opts("Add"))
        expect(score, "broadcast of %s, %s" % (b, constant), mdla.plan(m, version)["summary"]["extra_bytes"], extra)
    n = Net((1, 8, 8, 16))
    other = n.input((1, 8, 8, 16))
    n.inputs.append(other)
    n.op("CONCATENATION", [n.x, other], n.new((1, 8, 8, 32)), opts("Concatenation", axis=3))
    joined = n.at
    for users, version, known, extra in (
        (1, "1.5", "rate", 0),
        (2, "1.5", "unknown", 2 * 2048),
        (2, "3.0", "unknown", 0),
    ):
        m = n.bytes(joined) if users == 1 else n.bytes(joined, n.unary("ABS", at=other))
        plan = mdla.plan(m, version)
        got = first(plan)["ops"][0]["known"], plan["summary"]["extra_bytes"]
        expect(score, "concatenation %s %d" % (version, users), got, (known, extra))
        readers = len(first(plan)["ops"]) - 1
        external = (0 if known == "rate" else 2 * 2048) + 2 * 1024 * readers
        expect(score, "concatenation %s %d, external" % (version, users), plan["summary"]["external_bytes"], external)


def gains(score, mdla):
    """What hints are worth, worked out by hand."""

    def worth(model, version, hint, *options):
        rows = [h for h in mdla.plan(model, version, *options)["hints"] if h["hint"] == hint]
        return (rows[0]["gain_bytes"], rows[0]["gain_cycles"]) if rows else None

    n = Net((1, 4, 4, 16), "FP32")
    n.unary("ABS")
    expect(score, "fp32", worth(n.bytes(), "2.0", "mdla.fp32", "--relax-fp32"), (2 * 256 * (4 + 2), 0))
    n = Net((1, 4, 4, 16), "ASYM INT8")
    n.unary("ABS")
    expect(score, "asym int8", worth(n.bytes(), "1.5", "mdla.asym_int8"), (2 * 256 * (1 + 1), 0))
    n = Net((1, 4, 4, 20))  # padding to 32 and the re-layout of the input
    n.unary("ABS")
    expect(score, "channels", worth(n.bytes(), "2.0", "mdla.unaligned_channels"), (16 * 12 + 16 * 20 + 16 * 32, 0))
    n = Net((1, 4, 4, 3))
    n.pool(1, 1)
    expect(score, "16C", worth(n.bytes(), "2.0", "mdla.only_16c"), (16 * 13 + 16 * 3 + 16 * 16, 0))
    z = weights((1, 8, 1, 16), name="z")
    m = single_op("ADD", [tensor((1, 8, 8, 16)), z], [tensor((1, 8, 8, 16), name="y")], opts("Add"))
    expect(score, "enlarged", worth(m, "1.5", "mdla.broadcast.enlarged"), (1024, 0))
    m = single_op(
        "ADD", [tensor((1, 8, 8, 16)), tensor((16,), name="z")], [tensor((1, 8, 8, 16), name="y")], opts("Add")
    )
    expect(score, "broadcast", worth(m, "1.5", "mdla.broadcast.dma"), (16 + 1024, 0))
    n = Net((1, 8, 8, 16), "ASYM UINT8")
    n.pool(scale=0.25)
    expect(score, "pool requant", worth(n.bytes(), "3.0", "mdla.pool.requant"), (2 * 1024, 1024 / 16))
    expect(
        score, "pool requant, said", first(mdla.plan(n.bytes(), "3.0"))["ops"][0].get("requantize_inserted"), "input"
    )
    n = Net((1, 8, 8, 16))
    n.conv(16, scale=0.001)
    expect(score, "conv requant", worth(n.bytes(), "1.5", "mdla.conv.requant"), (2 * 1024, 1024 / 16))
    expect(score, "conv requant, later", worth(n.bytes(), "2.0", "mdla.conv.requant"), None)
    n = Net((1, 8, 8, 64))
    n.conv(24)  # 32 instead of 24
    macs = 64 * 24 * 64
    expect(
        score,
        "channels of a convolution",
        worth(n.bytes(), "2.0", "mdla.conv.output_channels"),
        (0, macs // 24 * 32 // 1024 - macs // 1024),
    )
    m = single_op(
        "FULLY_CONNECTED", [tensor((1, 256)), weights((128, 256))], [tensor((1, 128), name="y")], opts("FullyConnected")
    )
    expect(
        score, "batch", worth(m, "3.0", "mdla.fully_connected.batch"), (0, 8 * 128 * 256 // 2048 - 128 * 256 // 2048)
    )
    for begin, size, shape, want in (
        ((0, 0, 0, 8), (1, 4, 4, 16), (1, 4, 4, 32), 16 * 16),  # 16C: a block of 16 bytes a pixel
        ((0, 2, 0, 0), (1, 6, 8, 3), (1, 8, 8, 3), 8 * 4 * 4),  # 4C: four rows of 8 pixels of 4 channels
    ):
        m = single_op("SLICE", [tensor(shape), const(begin, name="b"), const(size)], [tensor(size, name="y")])
        expect(score, "cut of %s" % (shape,), worth(m, "2.0", "mdla.slice.dummy_read"), (want, 0))
        expect(score, "cut of %s, in all" % (shape,), mdla.plan(m, "2.0")["summary"]["dummy_bytes"], want)
    n = Net((1, 8, 8, 16))
    n.op("PAD", [n.x, n.const(const([[0, 0], [16, 0], [0, 0], [0, 0]]))], n.new((1, 24, 8, 16)))
    n.conv(16)
    expect(score, "pad", worth(n.bytes(), "2.0", "mdla.pad.dma"), (1024 + 24 * 8 * 16, 0))
    n = Net((1, 8, 8, 16))
    n.unary("RELU")
    n.op("QUANTIZE", [n.at], n.new((1, 8, 8, 16), "ASYM UINT8"))
    expect(score, "quantize", worth(n.bytes(), "2.0", "mdla.quantize.alone"), (2 * 1024, 1024 / 16))


def mixed(score, mdla):
    """Parts of several types, hybrid operators, FP32 without leave, open shapes."""
    n = Net((1, 8, 8, 16))
    n.conv(16)
    n.op("QUANTIZE", [n.at], n.new((1, 8, 8, 16), "SYM INT16"))
    n.kind = "SYM INT16"
    n.conv(16)
    n.op("DEQUANTIZE", [n.at], n.new((1, 8, 8, 16), "FP16"))
    n.kind = "FP16"
    n.conv(16)
    got = {t["type"]: (t["ops"], t["macs"]) for t in mdla.plan(n.bytes(), "2.0")["types"]}
    each = 64 * 16 * 16
    expect(score, "types", got, {"SYM INT8": (2, each), "SYM INT16": (2, each), "FP16": (1, each)})
    hybrid = weights((16, 1, 1, 16), name="w")
    o = opts("Conv2D", padding=1, strideH=1, strideW=1)
    m = single_op("CONV_2D", [tensor((1, 8, 8, 16), "FP32"), hybrid], [tensor((1, 8, 8, 16), "FP32", "y")], o)
    for v in VERSIONS:
        op = first(mdla.plan(m, v, "--relax-fp32"))["ops"][0]
        want = (True, math.ceil(each / guide.MACS[v][2]), "lower bound") if v == "1.5" else (True, 0, "unknown")
        expect(score, v + " hybrid", (op.get("hybrid"), op["cycles"], op["known"]), want)
    plan = mdla.plan(m, "2.0")
    hints = {h["hint"]: h for h in plan["network_hints"]}
    expect(score, "strict", (plan["summary"]["ops_placed"], hints["RELAX_FP32"]["operators"]), (0, 1))
    x = tensor((1, 8, 8, 16), shape_signature=(1, -1, 8, 16))
    plan = mdla.plan(single_op("ABS", [x], [tensor((1, 8, 8, 16), name="y")]), "2.0")
    expect(score, "open shape", "mdla.dynamic_shape" in [h["hint"] for h in plan["hints"]], True)
    n = Net((1, 8, 8, 16))  # what computes weights does not fuse with what reads them as such
    f = n.input((16, 1, 1, 16))
    n.inputs.append(f)
    w = n.unary("ABS", at=f)
    n.op("CONV_2D", [n.x, w], n.new((1, 8, 8, 16)), o)
    expect(
        score,
        "weights that are computed",
        rules(mdla.plan(n.bytes(), "1.5", "--fusion-rules", "{1}", files=[ORDER_B.encode()])),
        [],
    )


def whole(score, mdla):
    """Text and JSON of one model with a bit of everything agree; what is assumed and unknown is said."""
    n = Net((1, 8, 8, 3), "FP32")
    n.conv(16, 3, act=1)
    n.pool()
    n.unary("SIN")
    n.unary("SOFTMAX", options=opts("Softmax", beta=1.0))
    plan = mdla.plan(n.bytes(), "3.0", "--relax-fp32")
    code, text, _ = mdla.call("plan", "{0}", "--backend", "mdla3.0", "--relax-fp32", model=n.bytes())
    for line in plan["assumed"] + plan["unknown"]:
        score.check("said: " + line[:40], None if line in text else "is not there")
    score.check("cycles", None if "at least {:,};".format(plan["summary"]["cycles_at_least"]) in text else text[:300])
    for h in plan["hints"]:
        score.check("hint " + h["hint"], None if h["hint"] in text and h["suggestion"] in text else "is not there")
    expect(score, "hints", plan["summary"]["hints"], len(plan["hints"]))
    expect(score, "unknown", plan["summary"]["ops_unknown"], 1)


def main():
    a = arguments(__doc__)
    score, mdla = Score("mdla plans"), Mdla(a.command)
    for part in (
        convolutions,
        throughput,
        pools,
        quantize,
        layouts,
        conversions,
        fusion,
        pads,
        rule_c,
        chains,
        devices,
        moves,
        gains,
        mixed,
        whole,
    ):
        part(score, mdla)
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
