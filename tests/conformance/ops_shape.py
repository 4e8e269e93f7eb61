"""Shapes, joining, cutting and padding: element sizes, awkward shapes, options, and values that come at run time.

cases() yields (name, model, inputs, oracle, tolerance): tolerance None means bit-equal, else it is relative to the
largest magnitude of the expected output.
"""

import itertools

import numpy as np

from mkmodel import Builder, T, TYPES, single_op, opts, rng_of
from op_cases import ALL_SIZES, Op, QUANT, REF, const, int4_case, q, values


def reshape_cases():
    op = Op("RESHAPE")
    for d in ALL_SIZES + ["complex64"]:
        rng = rng_of("reshape" + d)
        op.run(
            d,
            [("x", values(rng, (2, 3, 4), d), 0), ("s", np.array([4, -1], np.int32), 1)],
            [(4, 6)],
            opts("ReshapeOptions", newShape=[4, -1]),
        )
    rng = rng_of("reshape")
    for label, shape, new, out in [
        ("scalar", (1, 1), [], ()),
        ("from_scalar", (), [1, 1, 1], (1, 1, 1)),
        ("rank6", (2, 3, 4), [1, 2, 1, 3, 2, 2], (1, 2, 1, 3, 2, 2)),
        ("rank8", (8,), [1, 2, 1, 2, 1, 2, 1, 1], (1, 2, 1, 2, 1, 2, 1, 1)),
        ("empty", (0, 3), [3, 0], (3, 0)),
        ("empty_stretch", (0, 3), [-1, 5], (0, 5)),
        ("empty_zero", (2, 0), [0, -1], (0, 2)),
        ("flat", (3, 5), [-1], (15,)),
    ]:
        x = values(rng, shape, "float32")
        op.run(label, [("x", x, 0), ("s", np.array(new, np.int32), 1)], [out], opts("ReshapeOptions", newShape=new))
        if new:
            op.run(label + "_option", [("x", x, 0)], [out], opts("ReshapeOptions", newShape=new))
    op.run("old_scalar", [("x", values(rng, (1,), "float32"), 0)], [()], opts("ReshapeOptions", newShape=[0]))
    op.run(
        "live",
        [("x", values(rng, (2, 6), "float32"), 0), ("s", np.array([3, -1], np.int32), 1)],
        [(3, 4)],
        opts("ReshapeOptions", newShape=[]),
        live=("s",),
    )
    op.found.append(int4_case("RESHAPE", (3, 5), [const("s", [5, 3])], (5, 3), opts("ReshapeOptions", newShape=[5, 3])))

    sq = Op("SQUEEZE")
    for d in ALL_SIZES:
        sq.run(
            d,
            [("x", values(rng_of("squeeze" + d), (1, 3, 1, 2), d), 0)],
            [(3, 2)],
            opts("SqueezeOptions", squeezeDims=[]),
        )
    for label, shape, dims, out in [
        ("some", (1, 3, 1, 2), [-2], (1, 3, 2)),
        ("twice", (1, 3, 1), [0, -3], (3, 1)),
        ("all", (1, 1), [], ()),
        ("rank6", (1, 2, 1, 3, 1, 1), [0, 2, 5], (2, 3, 1)),
        ("empty", (1, 0, 1), [0], (0, 1)),
    ]:
        sq.run(label, [("x", values(rng, shape, "float32"), 0)], [out], opts("SqueezeOptions", squeezeDims=dims))

    ex = Op("EXPAND_DIMS")
    for d in ALL_SIZES:
        ex.run(
            d,
            [("x", values(rng_of("expand" + d), (3, 2), d), 0), ("a", np.array(1, np.int32), 1)],
            [(3, 1, 2)],
            opts("ExpandDimsOptions"),
        )
    for axis in (-4, -1, 0, 3):
        for t in (np.int32, np.int64):
            x = values(rng, (2, 3, 2), "int8")
            out = np.expand_dims(x, axis).shape
            ex.run(
                "axis%d_%s" % (axis, np.dtype(t)),
                [("x", x, 0), ("a", np.array([axis], t), 1)],
                [out],
                opts("ExpandDimsOptions"),
            )
    ex.run(
        "live",
        [("x", values(rng, (2, 3), "float32"), 0), ("a", np.array([-1], np.int32), 1)],
        [(2, 3, 1)],
        opts("ExpandDimsOptions"),
        live=("a",),
    )
    ex.run(
        "scalar",
        [("x", values(rng, (), "float32"), 0), ("a", np.array(0, np.int32), 1)],
        [(1,)],
        opts("ExpandDimsOptions"),
    )
    return op.found + sq.found + ex.found


def shape_cases():
    op, rank = Op("SHAPE"), Op("RANK")
    rng = rng_of("shape")
    for d in ALL_SIZES:
        op.run(d, [("x", values(rng, (2, 3, 4), d), 0)], [(3,)], opts("ShapeOptions", outType=TYPES["int32"]), "int32")
    for shape in [(), (0, 4), (1, 2, 3, 4, 5, 6)]:
        x = values(rng, shape, "float32")
        op.run(
            "i64_%d" % len(shape),
            [("x", x, 0)],
            [(len(shape),)],
            opts("ShapeOptions", outType=TYPES["int64"]),
            "int64",
            measure=not shape,
        )
        rank.run(str(len(shape)), [("x", x, 0)], [()], opts("RankOptions"), "int32")
    for d in ("bool", "int8", "int32"):
        rank.run(d, [("x", values(rng, (2, 3), d), 0)], [()], opts("RankOptions"), "int32")
    return op.found + rank.found + list(shape_arithmetic_cases())


def shape_arithmetic_cases():
    """SHAPE -> STRIDED_SLICE -> PACK -> RESHAPE, as converters write x.reshape(x.shape[0], -1)."""
    x = T("x", (3, 2, 5), "float32", shape_signature=(-1, 2, 5))
    s, n, p = T("s", (3,), "int32"), T("n", (), "int32"), T("p", (2,), "int32")
    begin, end, step, rest = const("b", [0]), const("e", [1]), const("t", [1]), const("r", -1)
    y = T("y", (3, 10), "float32", shape_signature=(-1, 10))
    b = Builder()
    b.subgraph()
    for t in (x, s, n, p, begin, end, step, rest, y):
        b.tensor(t)
    b.op("SHAPE", [x], [s], opts("ShapeOptions", outType=TYPES["int32"]))
    b.op("STRIDED_SLICE", [s, begin, end, step], [n], opts("StridedSliceOptions", shrinkAxisMask=1))
    b.op("PACK", [n, rest], [p], opts("PackOptions", valuesCount=2, axis=0))
    b.op("RESHAPE", [x, p], [y], opts("ReshapeOptions"))
    b.io([x], [y])
    for rows in (3, 1, 7):
        yield "shape/arithmetic_%d" % rows, b.bytes(), [values(rng_of("arith"), (rows, 2, 5), "float32")], REF, None


def concatenation_cases():
    op = Op("CONCATENATION")

    def go(label, shapes, axis, d, **k):
        rng = rng_of(label)
        xs = [values(rng, s, d) for s in shapes]
        out = list(shapes[0])
        out[axis] = sum(s[axis] for s in shapes)
        op.run(
            label, [("x%d" % i, x, 0) for i, x in enumerate(xs)], [out], opts("ConcatenationOptions", axis=axis), **k
        )

    for d in ["bool", "float16", "float32", "int16", "int32", "int64", "int8", "uint32", "uint8"]:
        for axis in (0, 1, -1):
            shapes = [[2, 3, 4], [2, 3, 4], [2, 3, 4]]
            for i, s in enumerate(shapes):
                s[axis] += i
            go("%s_axis%d" % (d, axis), [tuple(s) for s in shapes], axis, d)
    go("one", [(3, 2)], 0, "float32")
    go("empty_part", [(2, 3), (0, 3), (1, 3)], 0, "int8")
    go("all_empty", [(0, 3), (0, 3)], 1, "float32")
    go("rank6", [(2, 1, 3, 1, 2, 2), (2, 1, 1, 1, 2, 2)], 2, "int8")
    go("many", [(1, 2)] * 17, 0, "int16")
    for i, (sx, zx, so, zo) in enumerate(
        [(0.1, 5, 0.05, 20), (0.013, 200, 0.021, 90), (0.5, 0, 0.003, 255), (0.1, 5, 0.1, 6)]
    ):
        # The last two are long enough for threads, whose parts end within rows.
        rows, one, two = [(3, 40, 7), (3, 40, 7), (3, 30011, 5), (40001, 2, 1)][i]
        rng = rng_of("u8req%d" % i)
        a, b = values(rng, (rows, one), "uint8"), values(rng, (rows, two), "uint8")
        model = single_op(
            "CONCATENATION",
            [T("a", a.shape, "uint8", sx, zx), T("b", b.shape, "uint8", so, zo)],
            [T("y", (rows, one + two), "uint8", so, zo)],
            opts("ConcatenationOptions", axis=1),
        )
        op.found.append(("concatenation/u8req%d" % i, model, [a, b], REF, None))
    op.found.append(int4_case("CONCATENATION", (3, 5), [], (3, 8), opts("ConcatenationOptions", axis=1), other=(3, 3)))
    ones = [const("c%d" % i, v) for i, v in enumerate((4, 5, 6))]
    b = Builder()
    b.subgraph()
    x, s, y = T("x", (120,), "float32"), T("s", (3,), "int32"), T("y", (4, 5, 6), "float32")
    for t in [x, s, y] + ones:
        b.tensor(t)
    b.op("CONCATENATION", ones, [s], opts("ConcatenationOptions", axis=0))
    b.op("RESHAPE", [x, s], [y], opts("ReshapeOptions"))
    b.io([x], [y])
    op.found.append(("concatenation/scalars", b.bytes(), [values(rng_of("cs"), (120,), "float32")], REF, None))
    return op.found


def pack_cases():
    op, un = Op("PACK"), Op("UNPACK")
    for d in ["float32", "int16", "int32", "int64", "int8", "uint32", "uint8"]:
        for axis in (0, 1, 2, -1, -3):
            rng = rng_of("pack%s%d" % (d, axis))
            xs = [values(rng, (2, 3), d) for _ in range(3)]
            op.run(
                "%s_axis%d" % (d, axis),
                [("x%d" % i, x, 0) for i, x in enumerate(xs)],
                [np.stack(xs, axis).shape],
                opts("PackOptions", valuesCount=3, axis=axis),
            )
    rng = rng_of("pack")
    op.run("one", [("x", values(rng, (2, 3), "float32"), 0)], [(2, 1, 3)], opts("PackOptions", valuesCount=1, axis=1))
    op.run(
        "scalars",
        [("x%d" % i, values(rng, (), "float32"), 0) for i in range(4)],
        [(4,)],
        opts("PackOptions", valuesCount=4, axis=0),
    )
    op.run(
        "empty",
        [("x%d" % i, values(rng, (0, 2), "int8"), 0) for i in range(2)],
        [(0, 2, 2)],
        opts("PackOptions", valuesCount=2, axis=1),
    )
    for d in ["bool", "float16", "float32", "int16", "int32", "int8", "uint8"]:
        for axis in (0, 1, -1):
            x = values(rng_of("unpack%s%d" % (d, axis)), (2, 3, 4), d)
            out = np.delete(x.shape, axis)
            un.run(
                "%s_axis%d" % (d, axis),
                [("x", x, 0)],
                [out] * x.shape[axis],
                opts("UnpackOptions", num=x.shape[axis], axis=axis),
            )
    un.run("vector", [("x", values(rng, (5,), "float32"), 0)], [()] * 5, opts("UnpackOptions", num=5, axis=0))
    un.run(
        "rank5",
        [("x", values(rng, (2, 1, 2, 3, 2), "int8"), 0)],
        [(2, 1, 2, 2)] * 3,
        opts("UnpackOptions", num=3, axis=3),
    )
    return op.found + un.found


def split_cases():
    op, v = Op("SPLIT"), Op("SPLIT_V")
    for d in ["float32", "int16", "int32", "int64", "int8", "uint8"]:
        for axis in (0, 1, -1):
            rng = rng_of("split%s%d" % (d, axis))
            x = values(rng, (4, 6, 8), d)
            n = 2
            out = list(x.shape)
            out[axis] //= n
            op.run(
                "%s_axis%d" % (d, axis),
                [("a", np.array(axis, np.int32), 1), ("x", x, 0)],
                [out] * n,
                opts("SplitOptions", numSplits=n),
                dtype=d,
            )
            sizes = [1, 0, x.shape[axis] - 1] if axis else [2, -1, 1]
            outs = []
            for s in sizes:
                o = list(x.shape)
                o[axis] = s if s >= 0 else x.shape[axis] - sum(sizes) - 1
                outs.append(o)
            for t in (np.int32, np.int64):
                v.run(
                    "%s_axis%d_%s" % (d, axis, np.dtype(t)),
                    [("x", x, 0), ("s", np.array(sizes, t), 1), ("a", np.array(axis, np.int32), 1)],
                    outs,
                    opts("SplitVOptions", numSplits=3),
                )
    rng = rng_of("split")
    x = values(rng, (4, 6), "float32")
    op.run(
        "live",
        [("a", np.array(1, np.int32), 1), ("x", x, 0)],
        [(4, 2)] * 3,
        opts("SplitOptions", numSplits=3),
        dtype="float32",
        live=("a",),
    )
    op.run(
        "one",
        [("a", np.array([0], np.int32), 1), ("x", x, 0)],
        [(4, 6)],
        opts("SplitOptions", numSplits=1),
        dtype="float32",
    )
    v.run(
        "live",
        [("x", x, 0), ("s", np.array([1, 3], np.int32), 1), ("a", np.array(0, np.int32), 1)],
        [(1, 6), (3, 6)],
        opts("SplitVOptions", numSplits=2),
        live=("s", "a"),
    )
    return op.found + v.found


def slice_cases():
    op = Op("SLICE")
    for d in ALL_SIZES:
        x = values(rng_of("slice" + d), (3, 4, 5), d)
        op.run(
            d,
            [("x", x, 0), ("b", np.array([1, 0, 2], np.int32), 1), ("s", np.array([2, -1, 3], np.int32), 1)],
            [(2, 4, 3)],
            opts("SliceOptions"),
        )
    rng = rng_of("slice")
    for label, shape, b, s in [
        ("whole", (2, 3), [0, 0], [-1, -1]),
        ("row", (5,), [2], [2]),
        ("none", (4, 3), [1, 1], [0, 2]),
        ("end", (4,), [4], [-1]),
        ("rank5", (2, 3, 2, 3, 2), [0, 1, 1, 0, 0], [2, 2, 1, 3, 1]),
        ("inner", (2, 2, 6), [0, 1, 0], [2, 1, 6]),
    ]:
        x = values(rng, shape, "int8")
        out = [dim - begin if size < 0 else size for dim, begin, size in zip(shape, b, s)]
        for t in (np.int32, np.int64):
            op.run(
                "%s_%s" % (label, np.dtype(t)),
                [("x", x, 0), ("b", np.array(b, t), 1), ("s", np.array(s, t), 1)],
                [out],
                opts("SliceOptions"),
            )
    x = values(rng, (4, 6), "float32")
    for live in (("b",), ("s",), ("b", "s")):
        op.run(
            "live_" + "".join(live),
            [("x", x, 0), ("b", np.array([1, 2], np.int32), 1), ("s", np.array([2, 3], np.int32), 1)],
            [(2, 3)],
            opts("SliceOptions"),
            live=live,
        )
    op.found.append(int4_case("SLICE", (3, 5), [const("b", [1, 1]), const("s", [2, 3])], (2, 3), opts("SliceOptions")))
    return op.found


def strided_out(shape, b, e, s, m):
    """The numpy index that a specification stands for, where TensorFlow and numpy agree."""
    index = []
    for i in range(len(b)):
        bit = 1 << i
        if m.get("ellipsisMask", 0) & bit:
            index.append(Ellipsis)
        elif m.get("newAxisMask", 0) & bit:
            index.append(None)
        elif m.get("shrinkAxisMask", 0) & bit:
            index.append(b[i])
        else:
            index.append(
                slice(None if m.get("beginMask", 0) & bit else b[i], None if m.get("endMask", 0) & bit else e[i], s[i])
            )
    return np.zeros(shape)[tuple(index)].shape


STRIDED = [
    ("step", (7, 5), [1, 0], [6, 5], [2, 3], {}),
    ("negative", (7, 5), [5, 4], [0, 1], [-2, -1], {}),
    ("from_end", (7, 5), [-6, -2], [-1, 5], [1, 1], {}),
    ("clamped", (4, 3), [-9, 1], [9, 7], [1, 1], {}),
    ("clamped_back", (4, 3), [9, 2], [-9, -9], [-1, -2], {}),
    ("begin_mask", (4, 5, 3), [2, 3, 1], [3, 5, 2], [1, 1, 1], {"beginMask": 5}),
    ("end_mask", (4, 5, 3), [2, 3, 1], [3, 4, 2], [1, 1, 1], {"endMask": 6}),
    ("reverse", (6, 2), [0, 0], [0, 0], [-1, 1], {"beginMask": 3, "endMask": 3}),
    ("shrink", (4, 5, 3), [2, 0, -1], [3, 5, 0], [1, 2, 1], {"shrinkAxisMask": 5}),
    ("shrink_all", (4, 5), [3, 4], [4, 5], [1, 1], {"shrinkAxisMask": 3}),
    ("ellipsis", (2, 3, 4, 5), [1, 0, 1], [2, 0, 4], [1, 1, 2], {"ellipsisMask": 2}),
    ("ellipsis_front", (2, 3, 4), [0, 1], [0, 3], [1, 1], {"ellipsisMask": 1}),
    ("new_axis", (3, 4), [0, 1, 0], [0, 3, 4], [1, 1, 1], {"newAxisMask": 1}),
    ("new_axis_mid", (3, 4), [0, 0, 1], [2, 0, 4], [1, 1, 2], {"newAxisMask": 2}),
    (
        "new_and_ellipsis",
        (3, 4, 5),
        [0, 0, 0, 2],
        [0, 0, 0, 3],
        [1, 1, 1, 1],
        {"newAxisMask": 4, "ellipsisMask": 2, "shrinkAxisMask": 8, "beginMask": 1, "endMask": 1},
    ),
    ("new_and_shrink", (3, 4), [1, 0, 1], [2, 0, 3], [1, 1, 1], {"newAxisMask": 2, "shrinkAxisMask": 1}),
    ("short_spec", (3, 4, 5), [1], [3], [1], {}),
    ("nothing", (3, 4), [2, 0], [1, 4], [1, 1], {}),
    ("empty_input", (0, 4), [0, 1], [0, 3], [1, 1], {}),
    ("rank5", (2, 3, 2, 4, 3), [0, 2, 0, 3, 1], [2, 0, 2, 0, 3], [1, -1, 1, -2, 1], {}),
    ("scalar_spec", (3, 4), [], [], [], {}),
]


def strided_slice_cases():
    op = Op("STRIDED_SLICE")

    def ins(x, b, e, s):
        return [("x", x, 0)] + [(n, np.array(v, np.int32), 1) for n, v in (("b", b), ("e", e), ("s", s))]

    for label, shape, b, e, s, masks in STRIDED:
        rng = rng_of("strided" + label)
        for d in ("int8", "float32"):
            op.run(
                "%s_%s" % (label, d),
                ins(values(rng, shape, d), b, e, s),
                [strided_out(shape, b, e, s, masks)],
                opts("StridedSliceOptions", **masks),
            )
    for d in ALL_SIZES:
        op.run(
            d,
            ins(values(rng_of("strided" + d), (5, 7), d), [1, 6], [4, 0], [1, -2]),
            [(3, 3)],
            opts("StridedSliceOptions"),
        )
    rng = rng_of("strided")
    x = values(rng, (6, 5), "float32")
    op.run("live", ins(x, [4, 1], [0, 4], [-2, 1]), [(2, 3)], opts("StridedSliceOptions"), live=("b", "e", "s"))
    op.run(
        "live_mask", ins(x, [4, 1], [5, 4], [1, 1]), [(3,)], opts("StridedSliceOptions", shrinkAxisMask=1), live=("b",)
    )
    op.run("offset", ins(x, [2, 1], [3, 2], [1, 1]), [(3, 2)], opts("StridedSliceOptions", offset=True))
    op.run(
        "offset_live", ins(x, [2, 1], [3, 4], [1, 2]), [(3, 2)], opts("StridedSliceOptions", offset=True), live=("b",)
    )
    for i in range(60):
        rng = rng_of("strided_random%d" % i)
        rank = int(rng.integers(1, 5))
        shape = tuple(int(v) for v in rng.integers(1, 6, rank))
        b, e = [[int(v) for v in rng.integers(-7, 8, rank)] for _ in range(2)]
        s = [int(v) for v in rng.choice([-3, -2, -1, 1, 2, 3], rank)]
        masks = {"beginMask": int(rng.integers(0, 1 << rank)), "endMask": int(rng.integers(0, 1 << rank))}
        op.run(
            "random%d" % i,
            ins(values(rng, shape, "int16"), b, e, s),
            [strided_out(shape, b, e, s, masks)],
            opts("StridedSliceOptions", **masks),
        )
    return op.found


def pad_cases():
    op, v2, mirror = Op("PAD"), Op("PADV2"), Op("MIRROR_PAD")
    types = ["bool", "float16", "float32", "int16", "int32", "int64", "int8", "uint8"]
    spots = [
        ("image", (1, 3, 4, 2), [[0, 0], [1, 2], [3, 0], [0, 0]]),
        ("all", (2, 3, 2), [[1, 0], [2, 1], [1, 3]]),
        ("vector", (5,), [[2, 3]]),
        ("none", (2, 3), [[0, 0], [0, 0]]),
        ("outer", (2, 3, 2), [[1, 1], [0, 0], [0, 0]]),
        ("rank5", (1, 2, 1, 3, 2), [[0, 1], [1, 0], [2, 0], [0, 1], [1, 1]]),
        ("empty", (0, 2), [[1, 1], [0, 1]]),
    ]
    for d, (label, shape, pads) in itertools.product(types, spots):
        rng = rng_of("pad" + d + label)
        x = values(rng, shape, d)
        p = np.array(pads, np.int32)
        out = np.array(shape) + p.sum(1)
        for quantized in (True, False) if d in QUANT and d != "uint8" else (True,):
            tag = "%s_%s%s" % (d, label, "" if quantized else "_plain")
            op.run(tag, [("x", x, 0), ("p", p, 1)], [out], opts("PadOptions"), quantized=quantized)
            ins = [
                T("x", shape, d, *q(d, quantized)),
                const("p", p),
                T("v", (1,), d, *q(d, quantized), data=values(rng, (1,), d)),
            ]
            v2.found.append(
                (
                    "padv2/" + tag,
                    single_op("PADV2", ins, [T("y", out, d, *q(d, quantized))], opts("PadV2Options")),
                    [x],
                    REF,
                    None,
                )
            )
    rng = rng_of("pad")
    x = values(rng, (2, 3), "float32")
    for t in (np.int64,):
        op.run(
            "p_%s" % np.dtype(t), [("x", x, 0), ("p", np.array([[1, 0], [0, 2]], t), 1)], [(3, 5)], opts("PadOptions")
        )
    op.run(
        "live", [("x", x, 0), ("p", np.array([[1, 0], [0, 2]], np.int32), 1)], [(3, 5)], opts("PadOptions"), live=("p",)
    )
    v2.run(
        "live",
        [("x", x, 0), ("p", np.array([[1, 0], [0, 2]], np.int32), 1), ("v", np.array(7.5, np.float32), 1)],
        [(3, 5)],
        opts("PadV2Options"),
        live=("p", "v"),
    )
    for d in ALL_SIZES:
        for mode in (0, 1):
            x = values(rng_of("mirror%s%d" % (d, mode)), (2, 3, 4), d)
            mirror.run(
                "%s_%d" % (d, mode),
                [("x", x, 0), ("p", np.array([[1, 0], [0, 2], [3, 1]], np.int32), 1)],
                [(3, 5, 8)],
                opts("MirrorPadOptions", mode=mode),
            )
    for label, shape, pads in spots[2:6]:
        x = values(rng, shape, "float32")
        p = np.minimum(np.array(pads), np.array(shape)[:, None])
        mirror.run(
            label + "_symmetric",
            [("x", x, 0), ("p", p.astype(np.int64), 1)],
            [np.array(shape) + p.sum(1)],
            opts("MirrorPadOptions", mode=1),
        )
    x = values(rng, (4, 3), "float32")
    mirror.run(
        "live",
        [("x", x, 0), ("p", np.array([[3, 1], [0, 2]], np.int32), 1)],
        [(8, 5)],
        opts("MirrorPadOptions", mode=0),
        live=("p",),
    )
    return op.found + v2.found + mirror.found


def cases():
    for group in (
        reshape_cases,
        shape_cases,
        concatenation_cases,
        pack_cases,
        split_cases,
        slice_cases,
        strided_slice_cases,
        pad_cases,
    ):
        yield from group()
