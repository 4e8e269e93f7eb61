#!/usr/bin/env python3
"""The guide's custom operators on the CPU, against NumPy (custom.py), and what is refused of them: unknown and damaged options, types
and shapes. The planner knows their windows and MACs.

    test_custom.py [--command CMD] [--shared DIR]"""

import concurrent.futures
import os
import sys
import tempfile

import custom
import numpy as np
from custom import NONE, QUANT, flex
from guide import CUSTOM
from kit import Mdla, Score, T, arguments, const
from runner import Command, CommandFailed

POOL = {"padding": 1, "stride_h": 2, "stride_w": 2, "filter_height": 2, "filter_width": 2}
NEEDS = {  # options without which an operator cannot run
    "MTK_MIN_POOL": POOL,
    "MTK_DEPTH_TO_SPACE": {"block_size": 2},
    "MTK_TRANSPOSE_CONV": {"padding": 0, "stride_h": 1, "stride_w": 1},
}


def one(name, options, dtype="float32", **more):
    """The smallest model of an operator."""
    x, y = custom.tensors((1, 4, 4, 4), (1, 4, 4, 4), dtype, True)
    ins = [x]
    if name == "MTK_TRANSPOSE_CONV":
        ins = [const((1, 4, 4, 4), "int32", "shape"), T("w", (4, 1, 1, 4), "float32", data=np.ones((4, 1, 1, 4))), x]
    if name == "MTK_REVERSE":
        ins = [x, const(more.get("axes", [1]), "int32", "axes")]
    if name == "MTK_CROP_AND_RESIZE":
        boxes = const(np.array(more.get("boxes", [[0, 0, 1, 1]]), "float32"), "float32", "boxes")
        ins = [x, boxes, const(more.get("of", [0]), "int32", "of"), const(more.get("size", [4, 4]), "int32", "size")]
    if name == "MTK_LAYER_NORMALIZATION" and "gamma" in more:
        ins.append(const(np.ones(more["gamma"], "float32"), "float32", "g"))
    if name == "MTK_REQUANTIZE" and dtype == "float32":
        y.dtype = more.get("out", "float32")
    if name == "MTK_DEPTH_TO_SPACE":
        y.shape = (1, 8, 8, 1)
    if name == "MTK_MIN_POOL":
        y.shape = (1, 2, 2, 4)
    return custom.custom(name, ins, y, options)


def refused():
    """(case, model, the rule that says it)."""
    for name in CUSTOM:
        good = NEEDS.get(name, {})
        yield name + ": an unknown option", one(name, flex(**good, surprise=1)), "op.option_unknown"
        yield name + ": options that are a list", one(name, bytes(custom.flexbuffers.Dumps([1, 2]))), "op.options"
        yield name + ": bytes that are nothing", one(name, b"\xff\xfe\xfd"), "op.options"
        many = {"k%d" % i: i for i in range(40)}
        yield name + ": 40 options", one(name, flex(**many)), "op.option_count"
        yield name + ": int64", one(name, flex(**good), "int64"), "op.types" if name not in FREE else None
    for key in POOL:
        for value in ("two", 1.5, None, [2], 1 << 40):
            yield (
                "MTK_MIN_POOL: %s = %r" % (key, value),
                one("MTK_MIN_POOL", flex(**{**POOL, key: value})),
                "op.option_value",
            )
    for key, value in (("stride_h", 0), ("filter_width", -3), ("padding", 9)):
        yield "MTK_MIN_POOL: %s = %r" % (key, value), one("MTK_MIN_POOL", flex(**{**POOL, key: value})), ""
    yield "MTK_MIN_POOL: nothing said", one("MTK_MIN_POOL", NONE), ""
    yield "MTK_REQUANTIZE: floats", one("MTK_REQUANTIZE", NONE), "op.types"
    yield "MTK_REVERSE: an axis too far", one("MTK_REVERSE", NONE, axes=[4]), ""
    yield "MTK_REVERSE: an axis twice", one("MTK_REVERSE", NONE, axes=[1, -3]), "reverse_v2.twice"
    yield "MTK_DEPTH_TO_SPACE: 4 channels by 3", one("MTK_DEPTH_TO_SPACE", flex(block_size=3)), "space.divisible"
    crop = "MTK_CROP_AND_RESIZE"
    yield crop + ": a method nobody knows", one(crop, flex(method="bicubic")), "op.option_value"
    yield crop + ": a method that is a number", one(crop, flex(method=1)), "op.option_value"
    yield crop + ": outside is text", one(crop, flex(extrapolation_value="0")), "op.option_value"
    yield crop + ": outside is infinite", one(crop, flex(extrapolation_value=float("inf"))), "op.option_value"
    yield crop + ": no such image", one(crop, NONE, of=[1]), "crop_and_resize.image"
    yield crop + ": image -1", one(crop, NONE, of=[-1]), "crop_and_resize.image"
    yield crop + ": crops of nothing", one(crop, NONE, size=[0, 4]), "crop_and_resize.size"
    yield crop + ": a size of three", one(crop, NONE, size=[4, 4, 4]), "crop_and_resize.shapes"
    yield crop + ": boxes of five", one(crop, NONE, boxes=[[0, 0, 1, 1, 1]]), "crop_and_resize.shapes"
    norm = "MTK_LAYER_NORMALIZATION"
    for axis in (4, -5, [3, 3], [0], [0, 3], [], "last", 1.0, [3, "x"]):
        yield norm + ": axis %r" % (axis,), one(norm, flex(axis=axis)), "layer_normalization.axis"
    for epsilon in (-1, "small", float("nan"), [1]):
        yield norm + ": epsilon %r" % (epsilon,), one(norm, flex(epsilon=epsilon)), "op.option_value"
    yield norm + ": a gamma of 3", one(norm, NONE, gamma=3), "layer_normalization.size"


FREE = ("MTK_REVERSE", "MTK_DEPTH_TO_SPACE")  # they move elements of any type


def run(command, model, inputs):
    with tempfile.TemporaryDirectory() as temp:
        path = os.path.join(temp, "m.tflite")
        with open(path, "wb") as f:
            f.write(model)
        return Command(command).run(path, inputs)


def numbers(a, score, pool):
    def work(case):
        try:
            return case.name, case.check(run(a.command, case.model, case.inputs)[0])
        except CommandFailed as e:
            return case.name, str(e)

    for name, problem in pool.map(work, custom.cases()):
        score.check(name, problem)


def refusals(a, score, pool):
    def work(item):
        name, model, rule = item
        try:
            run(a.command, model, [])
        except CommandFailed as e:
            known = e.code in (3, 4) and ("[%s]" % rule in e.stderr if rule else "[" in e.stderr)
            return name, None if known and rule is not None else str(e)
        return name, None if rule is None else "runs"

    for name, problem in pool.map(work, refused()):
        score.check(name, problem)


def damaged(a, score, pool):
    """Every byte of each operator's options changed: an answer, and no other."""
    rng = np.random.default_rng(1)
    models = []
    for name in CUSTOM:
        good = flex(
            **NEEDS.get(name, {"axis": -1} if "NORM" in name else {"method": "nearest"} if "CROP" in name else {})
        )
        for at in range(len(good)):
            bad = bytearray(good)
            bad[at] ^= int(rng.integers(1, 256))
            models.append(("%s with byte %d damaged" % (name, at), one(name, bytes(bad))))
        models += [("%s cut to %d bytes" % (name, n), one(name, good[:n])) for n in range(len(good))]

    def work(item):
        try:
            run(a.command, item[1], [])
        except CommandFailed as e:
            return item[0], None if e.code in (3, 4) and "[" in e.stderr else str(e)
        return item[0], None

    for name, problem in pool.map(work, models):
        score.check(name, problem)


def same(score, name, got, want):
    score.check(name, None if got == want else "%s, by hand %s" % (got, want))


def plans(a, score):
    """Windows of MTK_MIN_POOL (TC of the guide) and MACs of MTK_TRANSPOSE_CONV, worked out here."""
    m = Mdla(a.command)
    x, y = custom.tensors((1, 8, 8, 16), (1, 4, 4, 16), "int8", True)
    pool = m.plan(custom.custom("MTK_MIN_POOL", [x], y, flex(**POOL)), "3.0")["subgraphs"][0]["ops"][0]
    cycles = (2 * 2 + (4 - 1) * 2 * 2) * ((4 - 2) / 2 + 1) * (16 / 16)
    same(score, "plan of MTK_MIN_POOL", pool["cycles"], int(cycles))
    x, y = T("x", (1, 5, 6, 32), "int8", 0.5, 0), T("y", (1, 10, 12, 16), "int8", 0.5, 0)
    w = T("w", (16, 3, 3, 32), "int8", 0.01, 0, data=np.ones((16, 3, 3, 32)))
    o = flex(padding=0, stride_h=2, stride_w=2)
    conv = m.plan(custom.custom("MTK_TRANSPOSE_CONV", [const(y.shape, "int32", "s"), w, x], y, o), "3.0")["subgraphs"][
        0
    ]["ops"][0]
    macs = 5 * 6 * 32 * 3 * 3 * 16
    same(score, "MACs of MTK_TRANSPOSE_CONV", conv["macs"], macs)
    same(score, "cycles of MTK_TRANSPOSE_CONV", conv["cycles"], -(-macs // 2048))


def assumed(a, score):
    """What is assumed is said, for each operator: in the report of operators, and of each model."""
    m = Mdla(a.command)
    said = {op["op"]: str(op) for op in m.ops("3.0")["operators"]}
    for name in CUSTOM:
        score.check("ops says what is assumed of " + name, None if "assumed" in said.get(name, "") else said.get(name))
        model = one(name, flex(**NEEDS.get(name, {})), "int8" if name == "MTK_REQUANTIZE" else "float32")
        _, _, warnings = m.verdict(model, "3.0", "guide-relax-fp32")
        score.check("check warns of " + name, None if "mdla.custom.assumed" in warnings else str(list(warnings)))
    _, _, warnings = m.verdict(custom.single_op("ABS", *[[t] for t in custom.tensors((1, 4), (1, 4), "int8")]), "3.0")
    score.check("check does not warn of ABS", str(warnings) if "mdla.custom.assumed" in warnings else None)


def main():
    a = arguments(__doc__)
    score = Score("mdla custom operators")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        numbers(a, score, pool)
        refusals(a, score, pool)
        damaged(a, score, pool)
    plans(a, score)
    assumed(a, score)
    score.check("every operator has a reference", None if len(CUSTOM) == 9 and len(QUANT) == 4 else str(CUSTOM))
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
