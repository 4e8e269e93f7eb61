"""Moving in runs, strided planes and transposed blocks: sizes around those that the kernels have, for elements of 1 to 8 bytes.

cases() yields (name, model, inputs, oracle, tolerance), as in ops_move.py. What is compared is bits.
"""

import numpy as np

from mkmodel import opts, rng_of
from op_cases import Op, values

TYPES = ("int8", "int16", "float32", "int64")
EDGES = (1, 7, 8, 9, 15, 16, 17, 31, 32, 33)


def i32(x):
    return np.array(x, np.int32)


def transpose_cases():
    op = Op("TRANSPOSE")
    shapes = [((a, b), (1, 0)) for a, b in zip(EDGES, EDGES[3:] + EDGES[:3])]
    shapes += [((a, a), (1, 0)) for a in (8, 17, 65)]
    shapes += [((130, 67), (1, 0)), ((3, 1030), (1, 0)), ((1030, 3), (1, 0)), ((2, 300, 2), (0, 2, 1))]
    shapes += [((5, 9, 17), p) for p in ((2, 1, 0), (1, 0, 2), (2, 0, 1), (0, 2, 1))]
    shapes += [((3, 1, 8, 9, 4), p) for p in ((4, 1, 3, 2, 0), (3, 0, 1, 2, 4), (2, 3, 0, 1, 4))]
    shapes += [((2, 2, 2, 3, 3), (4, 3, 2, 1, 0)), ((12, 33, 3), (1, 0, 2))]
    for few in (2, 3):
        shapes += [((3, few, many), (0, 2, 1)) for many in EDGES[1:] + (50, 333)]
        shapes += [((3, many, few), (0, 2, 1)) for many in EDGES[1:] + (50, 333)]
        shapes += [((few, 21, 5), (2, 1, 0)), ((21, 5, few), (2, 0, 1)), ((few, 4, 21), (1, 2, 0))]
    for d in TYPES:
        for k, (shape, perm) in enumerate(shapes):
            x = values(rng_of("turn%s%d" % (d, k)), shape, d)
            op.run(
                "blocks/%s_%d" % (d, k),
                [("x", x, 0), ("p", i32(perm), 1)],
                [tuple(shape[i] for i in perm)],
                opts("TransposeOptions"),
                quantized=False,
            )
    return op.found


def slice_cases():
    strided, plain, reverse = Op("STRIDED_SLICE"), Op("SLICE"), Op("REVERSE_V2")
    for d in TYPES:
        for n in EDGES:
            x = values(rng_of("runs%s%d" % (d, n)), (3, n, 5), d)
            for label, begin, end, step in (
                ("two", (0, 0, 0), (3, n, 5), (1, 2, 1)),
                ("back", (2, n - 1, 4), (-4, -n - 1, -6), (-1, -1, -2)),
                ("last", (0, n - 1, 1), (3, n, 4), (2, 1, 1)),
            ):
                want = x[tuple(slice(b, None if e < 0 else e, s) for b, e, s in zip(begin, end, step))]
                strided.run(
                    "runs/%s_%d_%s" % (d, n, label),
                    [("x", x, 0), ("b", i32(begin), 1), ("e", i32(end), 1), ("s", i32(step), 1)],
                    [want.shape],
                    opts("StridedSliceOptions"),
                    quantized=False,
                )
            plain.run(
                "runs/%s_%d" % (d, n),
                [("x", x, 0), ("b", i32((1, n // 2, 1)), 1), ("s", i32((2, n - n // 2, 3)), 1)],
                [(2, n - n // 2, 3)],
                opts("SliceOptions"),
                quantized=False,
            )
            reverse.run(
                "runs/%s_%d" % (d, n),
                [("x", x, 0), ("a", i32([1]), 1)],
                [x.shape],
                opts("ReverseV2Options"),
                quantized=False,
            )
    return strided.found + plain.found + reverse.found


def border_cases():
    pad, mirror, tile = Op("PAD"), Op("MIRROR_PAD"), Op("TILE")
    for d in ("int8", "float32", "int64"):
        for n in EDGES:
            x = values(rng_of("border%s%d" % (d, n)), (2, n, 3), d)
            for label, border in (
                ("rows", ((0, 0), (1, 2), (0, 0))),
                ("columns", ((0, 0), (0, 0), (0, 1))),
                ("all", ((1, 0), (2, 1), (3, 4))),
                ("wide", ((0, 9), (40, 0), (0, 0))),
            ):
                out = tuple(s + sum(b) for s, b in zip(x.shape, border))
                inputs = [("x", x, 0), ("p", i32(border), 1)]
                pad.run("runs/%s_%d_%s" % (d, n, label), inputs, [out], opts("PadOptions"), quantized=False)
            border = ((1, 0), (n - 1, n // 2), (2, 1))
            if d != "int64":
                mirror.run(
                    "runs/%s_%d" % (d, n),
                    [("x", x, 0), ("p", i32(np.minimum(border, np.array(x.shape)[:, None] - 1)), 1)],
                    [
                        tuple(
                            s + int(b)
                            for s, b in zip(x.shape, np.minimum(border, np.array(x.shape)[:, None] - 1).sum(1))
                        )
                    ],
                    opts("MirrorPadOptions", mode=0),
                    quantized=False,
                )
            tile.run(
                "runs/%s_%d" % (d, n),
                [("x", x, 0), ("m", i32((2, 3, 2)), 1)],
                [(4, 3 * n, 6)],
                opts("TileOptions"),
                quantized=False,
            )
    return pad.found + mirror.found + tile.found


def part_cases():
    concat, pack, unpack = Op("CONCATENATION"), Op("PACK"), Op("UNPACK")
    split, gather = Op("SPLIT"), Op("GATHER")
    for d in TYPES:
        for n in EDGES:
            rng = rng_of("parts%s%d" % (d, n))
            parts = [values(rng, (300, k), d) for k in (n, 1, 5)]
            inputs = [("x%d" % i, x, 0) for i, x in enumerate(parts)]
            concat.run(
                "runs/%s_%d" % (d, n), inputs, [(300, n + 6)], opts("ConcatenationOptions", axis=1), quantized=False
            )
            same = [("x%d" % i, values(rng, (n, 3), d), 0) for i in range(3)]
            for axis in (0, 1, 2):
                out = [n, 3]
                out.insert(axis, 3)
                options = opts("PackOptions", axis=axis, valuesCount=3)
                pack.run("runs/%s_%d_%d" % (d, n, axis), same, [tuple(out)], options, quantized=False)
            x = values(rng, (n, 3, 4), d)
            options = opts("UnpackOptions", axis=1, num=3)
            if d != "int64":
                unpack.run("runs/%s_%d" % (d, n), [("x", x, 0)], [(n, 4)] * 3, options, quantized=False)
            options = opts("SplitOptions", numSplits=2)
            split.run(
                "runs/%s_%d" % (d, n), [("a", i32(2), 1), ("x", x, 0)], [(n, 3, 2)] * 2, options, d, quantized=False
            )
            x, i = values(rng, (11, n), d), rng.integers(0, 11, (2, 65)).astype(np.int32)
            options = opts("GatherOptions", axis=0)
            gather.run("runs/%s_%d" % (d, n), [("x", x, 0), ("i", i, 0)], [(2, 65, n)], options, quantized=False)
    return concat.found + pack.found + unpack.found + split.found + gather.found


def space_cases():
    to, back = Op("SPACE_TO_BATCH_ND"), Op("BATCH_TO_SPACE_ND")
    depth, space = Op("SPACE_TO_DEPTH"), Op("DEPTH_TO_SPACE")
    for d in ("int8", "float32"):
        for n in (1, 4, 7, 9, 17):
            rng = rng_of("space%s%d" % (d, n))
            x = values(rng, (2, 6, 8, n), d)
            for block, border in (((2, 2), ((0, 0), (0, 0))), ((3, 2), ((2, 1), (3, 1))), ((1, 4), ((0, 5), (4, 8)))):
                out = (2 * block[0] * block[1], (6 + sum(border[0])) // block[0], (8 + sum(border[1])) // block[1], n)
                label = "runs/%s_%d_%d%d" % (d, n, block[0], block[1])
                rest = [("b", i32(block), 1), ("p", i32(border), 1)]
                options = opts("SpaceToBatchNDOptions")
                to.run(label, [("x", x, 0)] + rest, [out], options, quantized=False)
                y = values(rng, out, d)
                options = opts("BatchToSpaceNDOptions")
                back.run(label, [("x", y, 0)] + rest, [x.shape], options, quantized=False)
            options = opts("SpaceToDepthOptions", blockSize=2)
            depth.run("runs/%s_%d" % (d, n), [("x", x, 0)], [(2, 3, 4, 4 * n)], options, quantized=False)
            y = values(rng, (2, 3, 4, 4 * n), d)
            options = opts("DepthToSpaceOptions", blockSize=2)
            space.run("runs/%s_%d" % (d, n), [("x", y, 0)], [(2, 6, 8, n)], options, quantized=False)
    return to.found + back.found + depth.found + space.found


def select_cases():
    op = Op("SELECT_V2")
    for d in TYPES:
        for n in EDGES:
            rng = rng_of("choose%s%d" % (d, n))
            mask = rng.integers(0, 2, (5, n)).astype(bool)
            for label, a, b in (("xy", (5, n), (5, n)), ("x", (5, n), ()), ("y", (1,), (5, n)), ("row", (n,), (5, 1))):
                inputs = [("c", mask, 0), ("x", values(rng, a, d), 0), ("y", values(rng, b, d), 0)]
                op.run("runs/%s_%d_%s" % (d, n, label), inputs, [(5, n)], opts("SelectV2Options"), d, quantized=False)
    return op.found


def cases():
    for found in (transpose_cases, slice_cases, border_cases, part_cases, space_cases, select_cases):
        yield from found()
