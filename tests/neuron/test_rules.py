#!/usr/bin/env python3
"""The Neuron rules one by one: every operator of the lists, every type with every quantization, activations, composites,
constants that must be there, and what is warned of; and the Neuron model that `npu_rt lower` prints of them.

What is expected of types is written down here a second time, from the document and from what LiteRT's plugin does;
test_placement.py and test_lowering.py ask the plugin itself."""

import itertools
import re
import struct
import sys

import numpy as np
from rules_kit import (
    IMAGE,
    LITERT,
    PROFILES,
    PUBLISHED,
    Neuron,
    Score,
    T,
    arguments,
    composite,
    const,
    listed,
    opts,
    single_op,
    window,
    x,
)
from mkmodel import schema

LATER = {"LEAKY_RELU", "LESS", "L2_NORMALIZATION", "TILE", "UNPACK"}  # only the plugin lists them
UNLISTED = ("ELU", "LOG_SOFTMAX", "EXP", "NEG", "RELU6", "SIN")

# Quantization of a tensor [2, 4]: (scale, zero point, axis)
KINDS = {
    "none": (None, None, 0),
    "tensor": (0.5, 0, 0),
    "tensor z": (0.5, 3, 0),
    "channel": ([0.5, 0.25], [0, 0], 0),
    "channel z": ([0.5, 0.25], [0, 1], 0),
}
SMALL = {"int4": 1, "int2": 1}  # zero points that fit
ALL = set(KINDS)
# {type: {kind: operand type}} by profile
EXPECTED = {
    PUBLISHED: {
        "float32": dict.fromkeys(ALL, "TENSOR_FLOAT32"),
        "float16": dict.fromkeys(ALL, "TENSOR_FLOAT16"),
        "int32": dict.fromkeys(ALL, "TENSOR_INT32"),
        "bool": dict.fromkeys(ALL, "TENSOR_BOOL8"),
        "int16": {"tensor": "TENSOR_QUANT16_SYMM"},
        "uint8": dict.fromkeys(("none", "tensor", "tensor z"), "TENSOR_QUANT8_ASYMM"),
        "int8": {"tensor": "TENSOR_QUANT8_SYMM", "channel": "TENSOR_QUANT8_SYMM_PER_CHANNEL"},
        "int4": {"tensor": "EXT_TENSOR_QUANT4_SYMM", "channel": "EXT_TENSOR_QUANT4_SYMM_PER_CHANNEL"},
    },
    LITERT: {
        "float32": dict.fromkeys(ALL, "TENSOR_FLOAT32"),
        "float16": dict.fromkeys(ALL, "TENSOR_FLOAT16"),
        "bool": dict.fromkeys(ALL, "TENSOR_BOOL8"),
        "int32": {
            **dict.fromkeys(("none", "tensor", "tensor z"), "TENSOR_INT32"),
            **dict.fromkeys(("channel", "channel z"), "EXT_TENSOR_INT32_SYMM_PER_CHANNEL"),
        },
        "int16": {"tensor": "TENSOR_QUANT16_SYMM", "tensor z": "EXT_TENSOR_QUANT16_ASYMM_SIGNED"},
        "uint16": dict.fromkeys(("tensor", "tensor z"), "TENSOR_QUANT16_ASYMM"),
        "uint8": {
            **dict.fromkeys(("none", "tensor", "tensor z"), "TENSOR_QUANT8_ASYMM"),
            **dict.fromkeys(("channel", "channel z"), "EXT_TENSOR_QUANT8_ASYMM_PER_CHANNEL"),
        },
        "int8": {
            "tensor": "TENSOR_QUANT8_SYMM",
            "tensor z": "TENSOR_QUANT8_ASYMM_SIGNED",
            "channel": "TENSOR_QUANT8_SYMM_PER_CHANNEL",
            "channel z": "EXT_TENSOR_QUANT8_ASYMM_SIGNED_PER_CHANNEL",
        },
        "int4": {
            "tensor": "EXT_TENSOR_QUANT4_SYMM",
            "tensor z": "EXT_TENSOR_QUANT4_ASYMM_SIGNED",
            "channel": "EXT_TENSOR_QUANT4_SYMM_PER_CHANNEL",
            "channel z": "EXT_TENSOR_QUANT4_ASYMM_SIGNED_PER_CHANNEL",
        },
        "int2": {
            "tensor": "EXT_TENSOR_QUANT2_SYMM",
            "tensor z": "EXT_TENSOR_QUANT2_ASYMM_SIGNED",
            "channel": "EXT_TENSOR_QUANT2_SYMM_PER_CHANNEL",
            "channel z": "EXT_TENSOR_QUANT2_ASYMM_SIGNED_PER_CHANNEL",
        },
    },
}
INT64 = {PUBLISHED: dict.fromkeys(ALL, "TENSOR_INT32"), LITERT: EXPECTED[LITERT]["int32"]}  # of constants
NEVER = ("uint32", "float64", "uint4", "bfloat16", "uint64")
TYPES = sorted(set().union(*EXPECTED.values())) + ["int64", *NEVER]


def fnv(data):
    h = 14695981039346656037
    for byte in data:
        h = (h ^ byte) * 1099511628211 & (1 << 64) - 1
    return "%016x" % h


def placed(score, neuron, label, model, profile, rule):
    """`rule`: what refuses the operator, None: nothing does."""
    ok, reasons, _ = neuron.verdict(model, profile)
    problem = None
    if ok != (rule is None):
        problem = "placed: %s, reasons %s" % (ok, sorted(reasons))
    elif rule is not None and set(reasons) != {rule}:
        problem = "refused by %s instead of %s" % (sorted(reasons), rule)
    score.check("%s %s" % (profile, label), problem)


def operators(score, neuron):
    models = listed()
    for profile in PROFILES:
        have = {o["op"] for o in neuron.ops(profile, "neuron")["operators"]}
        want = set(models) - (LATER if profile == PUBLISHED else set())
        score.check(profile + " list", None if have == want else "differs: %s" % sorted(have ^ want))
        for op, model in models.items():
            placed(score, neuron, op, model, profile, None if op in have else "neuron.operator_not_listed")
        for op in UNLISTED:
            placed(score, neuron, op, single_op(op, [x()], [x(name="y")]), profile, "neuron.operator_not_listed")


def tensor(dtype, kind, constant):
    scale, zero, axis = KINDS[kind]
    if dtype in SMALL and scale is not None:
        zero = SMALL[dtype] if zero == 3 else zero
    data = None
    if constant:
        data = np.arange(8).reshape(2, 4) % 2 if dtype != "bool" else np.zeros((2, 4), bool)
        data = data.astype(
            "int8" if dtype in ("int4", "int2", "uint4") else "float32" if dtype == "bfloat16" else dtype
        )
    return T("t", (2, 4), dtype, scale, zero, axis, data=data)


def types(score, neuron):
    """Every type with every quantization, as an input, as a constant and as an output."""
    for profile, dtype, kind, where in itertools.product(PROFILES, TYPES, KINDS, ("input", "constant", "output")):
        t = tensor(dtype, kind, where == "constant")
        if where == "output":
            model = single_op("CAST", [x()], [t], opts("Cast"))
        else:
            model = single_op("ADD", [x(name="f"), t], [x(name="y")], opts("Add"))
        expected = EXPECTED[profile].get(dtype)
        if dtype == "int64":
            expected, rule = (INT64[profile], None) if where == "constant" else ({}, "neuron.int64")
        else:
            rule = "neuron.type" if expected is None else "neuron." + dtype
        code = (expected or {}).get(kind)
        label = "%s %s %s" % (where, dtype, kind)
        placed(score, neuron, label, model, profile, None if code else rule)
        if code:
            lowered(score, neuron, profile + " " + label, model, profile, t, code, where)


def lowered(score, neuron, label, model, profile, t, code, where):
    """The operand of a tensor, as `lower` prints it for the newest adapter."""
    status, found, err = neuron.lower(model, "--rules", profile, "--json")
    if status:
        score.check(label + " lowers", err[-200:])
        return
    (o,) = [o for o in found["segments"][0]["operands"] if o.get("tensor") == "t"]
    scales = np.atleast_1d(np.float32(t.scale if t.scale is not None else 0))
    one = len(scales) == 1
    want = {"type": code, "dims": [2, 4], "scale_bits": int(scales.view(np.uint32)[0]) if one else 0}
    want["zero_point"] = int(t.zero_point or 0) if one else 0
    problem = next(("%s is %s instead of %s" % (k, o[k], v) for k, v in want.items() if o[k] != v), None)
    by_channel = "CHANNEL" in code and "QUANT2" not in code and where == "constant"
    if not problem and ("channels" in o) != by_channel:
        problem = "scales by channel: %s" % o.get("channels")
    if not problem and by_channel:
        c = o["channels"]
        general = any(t.zero_point) or "QUANT8_ASYMM_PER" in code
        zeros = fnv(np.array(t.zero_point, "<i4").tobytes()) if general else None
        if (c["axis"], c["count"], c["scales_fnv1a"], c.get("zero_points_fnv1a")) != (
            0,
            2,
            fnv(scales.tobytes()),
            zeros,
        ):
            problem = "scales by channel: %s" % c
    if not problem and where == "constant":
        kept = {"int4": "int8", "int2": "int8", "int64": "<i4"}.get(t.dtype, t.dtype)
        data = np.asarray(t.data).astype(kept).tobytes()
        if (o.get("bytes"), o.get("fnv1a")) != (len(data), fnv(data)):
            problem = "contents: %s bytes, hash %s" % (o.get("bytes"), o.get("fnv1a"))
    score.check(label + " lowers", problem)


def fused(score, neuron):
    """Activations 0 to 3 are passed on, others are refused; CONCATENATION and TRANSPOSE_CONV drop theirs."""
    f, z, y = x(), x(name="z"), x(name="y")
    w, b = const(np.ones((2, 1, 1, 2)), "float32", "w"), const(np.zeros(2), "float32", "b")
    made = {
        "AVERAGE_POOL_2D": ([x(IMAGE)], x(IMAGE, name="y"), "Pool2D", window(filterWidth=1, filterHeight=1)),
        "MAX_POOL_2D": ([x(IMAGE)], x(IMAGE, name="y"), "Pool2D", window(filterWidth=1, filterHeight=1)),
        "CONV_2D": ([x(IMAGE), w, b], x(IMAGE, name="y"), "Conv2D", window()),
        "DEPTHWISE_CONV_2D": (
            [x(IMAGE), const(np.ones((1, 1, 1, 2)), "float32", "w"), b],
            x(IMAGE, name="y"),
            "DepthwiseConv2D",
            window(depthMultiplier=1),
        ),
        "FULLY_CONNECTED": ([f, const(np.ones((4, 4)), "float32", "w")], y, "FullyConnected", {}),
        **{op: ([f, z], y, op.capitalize(), {}) for op in ("ADD", "SUB", "MUL", "DIV")},
    }
    for (op, (ins, out, kind, fields)), act, profile in itertools.product(made.items(), range(-1, 7), PROFILES):
        model = single_op(op, ins, [out], opts(kind, fusedActivationFunction=act, **fields))
        placed(
            score,
            neuron,
            "%s activation %d" % (op, act),
            model,
            profile,
            None if 0 <= act <= 3 else "neuron.fused_activation",
        )
    for act in range(0, 6):
        model = single_op(
            "CONCATENATION", [f, z], [x((4, 4), name="y")], opts("Concatenation", fusedActivationFunction=act)
        )
        placed(score, neuron, "CONCATENATION activation %d" % act, model, LITERT, None)


def refusals(score, neuron):
    f, g, y = x(), const(np.ones(4), "float32", "g"), x(name="y")
    named = {
        "odml.rms_norm": ([f, g], None, None),
        "odml.l2_norm": ([f], None, None),
        "odml.layer_norm": ([f, g], "neuron.composite", "neuron.composite"),
        "odml.rms_norms": ([f, g], "neuron.composite", "neuron.composite"),
        "odml.group_norm": ([f, g], "neuron.composite", "neuron.composite"),
    }
    for name, (ins, *rules) in named.items():
        for profile, rule in zip(PROFILES, rules):
            placed(score, neuron, name, composite(name, ins, [y], {"epsilon": 1e-6}), profile, rule)
    for groups, rule in ((0, "neuron.composite"), (1, None), (2, "neuron.composite")):
        model = composite("odml.group_norm", [f, g], [y], {"num_groups": groups})
        placed(score, neuron, "group_norm of %d" % groups, model, LITERT, rule)
        placed(score, neuron, "group_norm of %d" % groups, model, PUBLISHED, "neuron.composite")
    placed(score, neuron, "rms_norm without gamma", composite("odml.rms_norm", [f], [y]), LITERT, "neuron.gamma")
    open_ = T("g", (4,), "float32", shape_signature=(-1,))
    for beta, rule in (([], "neuron.gamma"), ([const(np.ones(4), "float32", "b")], None)):
        model = composite("odml.group_norm", [f, open_, *beta], [y], {"num_groups": 1})
        placed(score, neuron, "group_norm, gamma of open length, %d betas" % len(beta), model, LITERT, rule)
    placed(score, neuron, "rms_norm, open", composite("odml.rms_norm", [f, open_], [y]), LITERT, "neuron.gamma")
    placed(
        score,
        neuron,
        "rms_norm of a number",
        composite("odml.rms_norm", [x(()), g], [x((), name="y")]),
        LITERT,
        "neuron.gamma",
    )
    for value, rule in (
        (2**31 - 1, None),
        (2**31, "neuron.int64_range"),
        (-(2**31), None),
        (-(2**31) - 1, "neuron.int64_range"),
    ):
        model = single_op("ADD", [f, const([value], "int64")], [y], opts("Add"))
        for profile in PROFILES:
            placed(score, neuron, "int64 constant %d" % value, model, profile, rule)
    size, shape = T("s", (2,), "int32"), T("s", (4,), "int32")
    model = single_op("RESIZE_NEAREST_NEIGHBOR", [x(IMAGE), size], [x(IMAGE, name="y")], opts("ResizeNearestNeighbor"))
    placed(score, neuron, "nearest, computed size", model, LITERT, "neuron.resize_nearest_neighbor.size")
    w, b = const(np.ones((2, 1, 1, 2)), "float32", "w"), const(np.zeros(2), "float32", "b")
    for bias, rule in (([], "neuron.transpose_conv.output_shape"), ([b], None)):
        model = single_op(
            "TRANSPOSE_CONV", [shape, w, x(IMAGE), *bias], [x(IMAGE, name="y")], opts("TransposeConv", **window())
        )
        placed(score, neuron, "transposed, computed shape, %d biases" % len(bias), model, LITERT, rule)
    blocks = schema.QuantizationParametersT()
    blocks.scale, blocks.zeroPoint = [], []
    blocks.detailsType, blocks.details = 2, schema.BlockwiseQuantizationT()
    blocks.details.blockSize, blocks.details.scales = 32, 0
    t = T("t", (4, 4), "int4", data=np.zeros((4, 4), "int8"), quantization=blocks)
    model = single_op("FULLY_CONNECTED", [f, t], [y], opts("FullyConnected"))
    for profile in PROFILES:
        placed(score, neuron, "blockwise", model, profile, "neuron.blockwise")


def warned():
    """(warning, what is measured, a model that it is about, one that it is not about or None)"""
    f, z, y, g = x(), x(name="z"), x(name="y"), const(np.ones(4), "float32", "g")
    halves = x(dtype="float16"), x(name="y", dtype="float16")
    models = listed()

    def slice_(**fields):
        ins = [f, *(const(v, name=n) for n, v in (("b", [0, 1]), ("e", [2, 3]), ("s", [1, 1])))]
        return single_op("STRIDED_SLICE", ins, [x((2, 2), name="y")], opts("StridedSlice", **fields))

    def concatenation(act):
        return single_op(
            "CONCATENATION", [f, z], [x((4, 4), name="y")], opts("Concatenation", fusedActivationFunction=act)
        )

    def transposed(act):
        ins = [const([1, 4, 4, 3]), const(np.ones((3, 1, 1, 2)), "float32", "w"), x(IMAGE)]
        o = opts("TransposeConv", **window(fusedActivationFunction=act))
        return single_op("TRANSPOSE_CONV", ins, [x((1, 4, 4, 3), name="y")], o)

    def fully(dtype, shape=(2, 4)):
        w = const(np.ones((4, 4)), dtype, "w")
        return single_op(
            "FULLY_CONNECTED",
            [x(shape, dtype), w],
            [x(shape, dtype, name="y")],
            opts("FullyConnected", keepNumDims=True),
        )

    def weights(dtype, live=False, **fields):
        w = T("w", (2, 4), dtype, [0.5, 0.25], [0, 0], 0, data=None if live else np.ones((2, 4), "int8"))
        return single_op("FULLY_CONNECTED", [f, w], [x((2, 2), name="y")], opts("FullyConnected", **fields))

    def product(dtype, asymmetric):
        data, w = (x(dtype=dtype, scale=0.5, zero_point=0) if dtype == "int8" else f), T("w", (4, 2), "int8", 0.5, 0)
        w.data = np.ones((4, 2), "int8")
        out = x((2, 2), dtype, name="y", **({"scale": 0.5, "zero_point": 0} if dtype == "int8" else {}))
        return single_op("BATCH_MATMUL", [data, w], [out], opts("BatchMatMul", asymmetricQuantizeInputs=asymmetric))

    def bilinear(h, w):
        return single_op(
            "RESIZE_BILINEAR", [x(IMAGE), const([h, w])], [x((1, h, w, 2), name="y")], opts("ResizeBilinear")
        )

    def conv(bias):
        ins = [x(IMAGE), const(np.ones((2, 1, 1, 2)), "float32", "w"), *bias]
        return single_op("CONV_2D", ins, [x(IMAGE, name="y")], opts("Conv2D", **window()))

    eps = {"epsilon": float(np.finfo(np.float32).eps)}
    three = x((2, 3, 4)), x((2, 3, 4), name="y")
    yield "concatenation.activation", "RELU6", concatenation(3), concatenation(0)
    yield "transpose_conv.activation", "RELU", transposed(1), transposed(0)
    yield (
        "l2_normalization.activation",
        "RELU",
        single_op("L2_NORMALIZATION", [f], [y], opts("L2Norm", fusedActivationFunction=1)),
        models["L2_NORMALIZATION"],
    )
    yield "strided_slice.masks", "ellipsis_mask 1", slice_(ellipsisMask=1), slice_(beginMask=1, endMask=1)
    yield "strided_slice.masks", "new_axis_mask 2", slice_(newAxisMask=2), slice_()
    yield "strided_slice.offset", "true", slice_(offset=True), slice_()
    yield (
        "gelu.tanh",
        "exact",
        single_op("GELU", [f], [y], opts("Gelu")),
        single_op("GELU", [f], [y], opts("Gelu", approximate=True)),
    )
    yield (
        "rms_norm.epsilon",
        "0.01",
        composite("odml.rms_norm", [f, g], [y], {"epsilon": 0.01}),
        composite("odml.rms_norm", [f, g], [y], eps),
    )
    yield (
        "rms_norm.beta",
        "3 inputs",
        composite("odml.rms_norm", [f, g, const(np.ones(4), "float32", "b")], [y], eps),
        composite("odml.rms_norm", [f, g], [y], eps),
    )
    yield "l2_norm.attributes", "epsilon", composite("odml.l2_norm", [f], [y], eps), composite("odml.l2_norm", [f], [y])
    groups = {"num_groups": 1, "channel_axis": -1}
    yield (
        "group_norm.epsilon",
        "none",
        composite("odml.group_norm", [f, g], [y], groups),
        composite("odml.group_norm", [f, g], [y], {**groups, "epsilon": 0.5}),
    )
    yield (
        "group_norm.axis",
        "dimension 1 of 3",
        composite("odml.group_norm", [three[0], g], [three[1]], groups),
        composite("odml.group_norm", [f, g], [y], groups),
    )
    yield "keep_dims", "false as int32", models["MEAN"], models["ABS"]
    yield "keep_dims", "false as bool", models["SUM"], models["ABS"]
    yield "resize_bilinear.order", "height 8, width 6", bilinear(8, 6), bilinear(8, 8)
    yield "fully_connected.reshape", "3 dimensions", fully("float32", (2, 3, 4)), fully("float32")
    yield "zero_bias", "float16", fully("float16"), fully("float32")
    yield "conv.bias", "no bias", conv([]), conv([const(np.zeros(2), "float32", "b")])
    yield "scales", "input 1: INT4", weights("int4"), weights("int8")
    yield "scales", "input 1: INT2", weights("int2"), weights("int8")
    yield "scales", "input 1: INT8", weights("int8", live=True), weights("int8")
    asymmetric = weights("int8", asymmetricQuantizeInputs=True)
    yield "asymmetric_inputs", "true, weights of INT8", asymmetric, weights("int8")
    yield "asymmetric_inputs", "true, weights of INT8", product("float32", True), product("float32", False)
    yield "asymmetric_inputs", "true", product("float32", True), product("int8", True)
    yield "scalar_tensor", "the axis", models["SPLIT"], models["SLICE"]
    yield "scalar_tensor", "the value", models["PADV2"], models["PAD"]
    yield "leaky_relu.alpha", "FLOAT16", single_op("LEAKY_RELU", [halves[0]], [halves[1]]), models["LEAKY_RELU"]
    yield (
        "reshape.shape",
        "one input",
        single_op("RESHAPE", [f], [y], opts("Reshape", newShape=[2, 4])),
        models["RESHAPE"],
    )


def warnings(score, neuron):
    rows = {w["rule"]: w for w in neuron.ops(LITERT, "neuron")["warnings"]}
    tried = set()
    for name, got, about, other in warned():
        rule = "neuron." + name
        tried.add(rule)
        ok, reasons, found = neuron.verdict(about, LITERT)
        problem = None
        if rule not in found:
            problem = "is not given: %s" % sorted(found)
        elif got not in found[rule]["got"]:
            problem = "got %s instead of %s" % (found[rule]["got"], got)
        elif not ok or reasons:
            problem = "changes the verdict: %s" % sorted(reasons)
        elif any(found[rule][k] != rows[rule][k] for k in ("text", "limit", "hint", "source")):
            problem = "differs from the supported-ops report"
        score.check("%s %s" % (rule, got), problem)
        ok, reasons, found = neuron.verdict(other, LITERT)
        score.check(
            "%s not %s" % (rule, got), None if ok and rule not in found else "given: %s %s" % (ok, sorted(found))
        )
    score.check("every warning is tried", None if tried == set(rows) else str(sorted(tried ^ set(rows))))
    for rule, row in rows.items():
        ends = row["hint"].endswith(".") and not row["text"].endswith(".")
        score.check(rule + " speaks", None if ends and row["limit"] else "text, limit and hint: %s" % row)


def in_text(score, neuron):
    """Warnings stand with their operators, and once for all, in text and JSON; a refused operator has none."""
    import tempfile

    ins = [x(), x(name="z")]
    model = single_op("CONCATENATION", ins, [x((4, 4), name="y")], opts("Concatenation", fusedActivationFunction=1))
    with tempfile.NamedTemporaryFile(suffix=".tflite") as f:
        f.write(model)
        f.flush()
        text = neuron._text("check", f.name, "--backend", "neuron")
        report = neuron.check_file(f.name, LITERT, "neuron")
    score.check("text of the operator", None if "warning neuron.concatenation.activation: RELU: " in text else text)
    score.check("text of all", None if re.search(r"^  1  neuron\.concatenation\.activation: ", text, re.M) else text)
    (w,) = report["warnings"]
    one = (w["rule"], w["count"], w["ops"]) == (
        "neuron.concatenation.activation",
        1,
        [{"op": "CONCATENATION", "count": 1}],
    )
    score.check("JSON of all", None if one and not report["rules"] else str(report["warnings"]))
    ins = [x(dtype="float64"), x(dtype="float64", name="z")]
    out = x((4, 4), "float64", name="y")
    model = single_op("CONCATENATION", ins, [out], opts("Concatenation", fusedActivationFunction=1))
    ok, reasons, found = neuron.verdict(model, LITERT)
    score.check("refused, so not warned of", None if not ok and reasons and not found else str((ok, found)))


def programs(score, neuron):
    """`npu_rt lower`: extension operations, versions of the adapter, formats, what it refuses to say."""
    models = listed()
    oem = b"\x06string" + struct.pack("<I", 9) + b"unpackmtk" + bytes(11)
    _, found, _ = neuron.lower(models["UNPACK"], "--json")
    (op,) = found["segments"][0]["operations"]
    name = found["segments"][0]["operands"][op["inputs"][-1]]
    good = (op["operation"], op["extension"]) == ("unpackmtk", "com.mediatek.general_operation")
    score.check("extension operation", None if good else str(op))
    score.check("its name", None if (name["dims"], name["bytes"], name["fnv1a"]) == ([31], 31, fnv(oem)) else str(name))
    w = const(np.ones((5, 4)), "float32", "w")
    model = single_op(
        "FULLY_CONNECTED", [x((2, 3, 4)), w], [x((2, 3, 5), name="y")], opts("FullyConnected", keepNumDims=True)
    )
    for version, want in (
        ("8.2.23", ["FULLY_CONNECTED", "RESHAPE"]),
        ("8.2.24", ["FULLY_CONNECTED"]),
        (None, ["FULLY_CONNECTED"]),
    ):
        _, found, _ = neuron.lower(model, "--json", *(["--runtime", version] if version else []))
        segment = found["segments"][0]
        ops = [o["operation"] for o in segment["operations"]]
        score.check("FULLY_CONNECTED of 3 dimensions at %s" % version, None if ops == want else str(ops))
        if len(want) == 2:
            shape = segment["operands"][segment["operations"][1]["inputs"][1]]
            score.check("its shape", None if shape["fnv1a"] == fnv(struct.pack("<3i", 2, 3, 5)) else str(shape))
    w = T("w", (2, 4), "int4", [0.5, 0.25], [0, 0], 0, data=np.ones((2, 4), "int8"))
    model = single_op("FULLY_CONNECTED", [x(), w], [x((2, 2), name="y")], opts("FullyConnected"))
    for version, code, channels in (
        ("8.2.27", "EXT_TENSOR_QUANT4_SYMM", False),
        ("8.2.28", "EXT_TENSOR_QUANT4_SYMM_PER_CHANNEL", True),
    ):
        _, found, _ = neuron.lower(model, "--json", "--runtime", version)
        (o,) = [o for o in found["segments"][0]["operands"] if o.get("tensor") == "w"]
        good = o["type"] == code and ("channels" in o) == channels and o["fnv1a"] == fnv(bytes([1] * 8))
        score.check("int4 by channel at " + version, None if good else str(o))
    for version in ("8", "8.2", "8.2.", ".2.1", "8.2.256", "8.2.1.0", "a.b.c", "8.2.1x", ""):
        code, _, err = neuron.lower(models["ABS"], "--runtime", version)
        score.check(
            "--runtime %r" % version,
            None if code == 2 and "three numbers" in err else "exit %d: %s" % (code, err[-200:]),
        )
    code, dot, _ = neuron.lower(models["UNPACK"], "--dot")
    good = (
        code == 0
        and dot.startswith("digraph lowered {")
        and dot.count("{") == dot.count("}")
        and '"0 unpackmtk"' in dot
    )
    score.check("--dot", None if good else dot)
    code, text, _ = neuron.lower(single_op("ELU", [x()], [x(name="y")]))
    score.check("nothing placed", None if code == 0 and "takes no operator" in text else text)
    code, text, _ = neuron.lower(models["SOFTMAX"])
    lines = text.splitlines()
    good = code == 0 and lines[-1].startswith("  0 SOFTMAX(#0, #2) -> #1") and "    #2 FLOAT32 " in lines[-2]
    score.check("text", None if good else text)


def main():
    a = arguments(__doc__)
    score, neuron = Score("neuron rules"), Neuron(a.command)
    for part in (operators, types, fused, refusals, warnings, in_text, programs):
        part(score, neuron)
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
