"""Picking, repeating, reordering and resizing: element sizes, awkward shapes, options, and values given at run time.

cases() yields (name, model, inputs, oracle, tolerance): tolerance None means bit-equal, else it is relative to the
largest magnitude of the expected output.
"""

import itertools

import numpy as np

from mkmodel import Builder, T, schema, opts, rng_of
from op_cases import ALL_SIZES, Op, REF, TFLM, int4_case, const, values


def gather_cases():
    op, nd = Op("GATHER"), Op("GATHER_ND")
    for d in ["bool", "float16", "float32", "int16", "int32", "int64", "int8", "uint8"]:
        for t in (np.int16, np.int32, np.int64):
            rng = rng_of("gather%s%s" % (d, np.dtype(t)))
            x = values(rng, (3, 4, 2), d)
            for axis in (0, 1, -1):
                i = rng.integers(0, x.shape[axis], (2, 3)).astype(t)
                op.run(
                    "%s_%s_axis%d" % (d, np.dtype(t), axis),
                    [("x", x, 0), ("i", i, 0)],
                    [np.take(x, i, axis).shape],
                    opts("GatherOptions", axis=axis),
                    quantized=False,
                )
            i = np.stack([rng.integers(0, 3, 5), rng.integers(0, 4, 5)], 1).astype(t)
            nd.run(
                "%s_%s" % (d, np.dtype(t)),
                [("x", x, 0), ("i", i, 0)],
                [(5, 2)],
                opts("GatherNdOptions"),
                quantized=False,
            )
    rng = rng_of("gather")
    for label, shape, idx, axis, batch in [
        ("scalar", (4, 3), (), 0, 0),
        ("batch1", (2, 5, 3), (2, 4), 1, 1),
        ("batch_axis2", (2, 3, 5), (2, 4), 2, 1),
        ("batch2", (2, 3, 5, 2), (2, 3, 4), 2, 2),
        ("batch_negative", (2, 5), (2, 4), 1, -1),
        ("none", (4, 3), (0,), 0, 0),
        ("rank6", (2, 1, 3, 1, 2, 2), (2,), 2, 0),
    ]:
        x = values(rng, shape, "int8")
        i = rng.integers(0, shape[axis], idx).astype(np.int32)
        real = batch + len(idx) if batch < 0 else batch
        out = shape[:axis] + idx[real:] + shape[axis + 1 :]
        op.run(
            label, [("x", x, 0), ("i", i, 0)], [out], opts("GatherOptions", axis=axis, batchDims=batch), quantized=False
        )
    op.found.append(int4_case("GATHER", (5, 4), [const("i", [4, 0, 2])], (3, 4), opts("GatherOptions", axis=0)))
    for label, shape, idx in [
        ("deep", (2, 3, 4), (3, 2, 3)),
        ("shallow", (2, 3, 4), (3, 1)),
        ("one", (4,), (1,)),
        ("rank5", (2, 1, 2, 3, 2), (2, 4)),
    ]:
        x = values(rng, shape, "float32")
        i = np.stack([rng.integers(0, shape[k], idx[:-1]) for k in range(idx[-1])], -1).astype(np.int32)
        nd.run(label, [("x", x, 0), ("i", i, 0)], [idx[:-1] + shape[idx[-1] :]], opts("GatherNdOptions"))
    return op.found + nd.found


def one_hot_cases():
    op = Op("ONE_HOT")
    for d in ["bool", "float32", "int32", "int64", "int8", "uint8"]:
        for axis, t in itertools.product((-1, 0, 1), (np.int32, np.int64)):
            rng = rng_of("one_hot%s%d" % (d, axis))
            i = rng.integers(-1, 6, (2, 3)).astype(t)
            out = list(i.shape)
            out.insert(axis if axis >= 0 else 2, 5)
            op.run(
                "%s_%s_axis%d" % (d, np.dtype(t), axis),
                [
                    ("i", i, 0),
                    ("d", np.array(5, np.int32), 1),
                    ("on", values(rng, (), d), 0),
                    ("off", values(rng, (), d), 0),
                ],
                [out],
                opts("OneHotOptions", axis=axis),
                dtype=d,
                quantized=False,
            )
    rng = rng_of("one_hot")
    op.run(
        "scalar",
        [
            ("i", np.array(2, np.int32), 0),
            ("d", np.array([4], np.int32), 1),
            ("on", np.array([1], np.float32), 1),
            ("off", np.array([0], np.float32), 1),
        ],
        [(4,)],
        opts("OneHotOptions", axis=-1),
        dtype="float32",
    )
    op.run(
        "depth0",
        [
            ("i", np.array([2], np.int32), 0),
            ("d", np.array([0], np.int32), 1),
            ("on", np.array([1], np.float32), 1),
            ("off", np.array([0], np.float32), 1),
        ],
        [(1, 0)],
        opts("OneHotOptions", axis=-1),
        dtype="float32",
    )
    op.run(
        "live",
        [
            ("i", np.array([1, 0, 3], np.int32), 0),
            ("d", np.array(4, np.int32), 1),
            ("on", np.array(2, np.float32), 1),
            ("off", np.array(-1, np.float32), 1),
        ],
        [(3, 4)],
        opts("OneHotOptions", axis=-1),
        dtype="float32",
        live=("d", "on", "off"),
    )
    op.run(
        "narrowed",
        [
            ("i", np.array([(1 << 32) + 1, 2], np.int64), 0),
            ("d", np.array(4, np.int32), 1),
            ("on", np.array(2, np.float32), 1),
            ("off", np.array(-1, np.float32), 1),
        ],
        [(2, 4)],
        opts("OneHotOptions", axis=-1),
        dtype="float32",
    )
    return op.found


def transpose_cases():
    op = Op("TRANSPOSE")
    for d in ALL_SIZES:
        x = values(rng_of("transpose" + d), (3, 4, 5), d)
        for perm in ([2, 0, 1], [0, -1, 1]):
            op.run(
                "%s_%d" % (d, perm[0]),
                [("x", x, 0), ("p", np.array(perm, np.int32), 1)],
                [x.transpose(perm).shape],
                opts("TransposeOptions"),
            )
    rng = rng_of("transpose")
    for label, shape, perm in [
        ("rank1", (5,), [0]),
        ("same", (2, 3), [0, 1]),
        ("image", (1, 5, 6, 3), [0, 3, 1, 2]),
        ("matrix", (33, 17), [1, 0]),
        ("rank5", (2, 3, 2, 4, 3), [4, 1, 3, 0, 2]),
        ("rank6", (2, 1, 3, 2, 2, 2), [5, 3, 1, 0, 4, 2]),
        ("empty", (2, 0, 3), [2, 1, 0]),
    ]:
        x = values(rng, shape, "int8")
        op.run(
            label,
            [("x", x, 0), ("p", np.array(perm, np.int32), 1)],
            [x.transpose(perm).shape],
            opts("TransposeOptions"),
        )
    op.run(
        "live",
        [("x", values(rng, (2, 3, 4), "float32"), 0), ("p", np.array([1, 2, 0], np.int32), 1)],
        [(3, 4, 2)],
        opts("TransposeOptions"),
        live=("p",),
    )
    op.found.append(int4_case("TRANSPOSE", (3, 5), [const("p", [1, 0])], (5, 3), opts("TransposeOptions")))
    return op.found


def tile_cases():
    op, to = Op("TILE"), Op("BROADCAST_TO")
    for d in ALL_SIZES:
        for t in (np.int32, np.int64):
            x = values(rng_of("tile" + d), (2, 1, 3), d)
            op.run(
                "%s_%s" % (d, np.dtype(t)),
                [("x", x, 0), ("m", np.array([2, 3, 2], t), 1)],
                [(4, 3, 6)],
                opts("TileOptions"),
            )
            to.run(
                "%s_%s" % (d, np.dtype(t)),
                [("x", x, 0), ("s", np.array([2, 2, 4, 3], t), 1)],
                [(2, 2, 4, 3)],
                opts("BroadcastToOptions"),
                version=2,
            )
    rng = rng_of("tile")
    for label, shape, m in [
        ("none", (2, 3), [1, 1]),
        ("zero", (2, 3), [0, 2]),
        ("vector", (3,), [4]),
        ("rank5", (1, 2, 1, 2, 3), [2, 1, 3, 2, 1]),
        ("empty", (0, 3), [2, 2]),
    ]:
        op.run(
            label,
            [("x", values(rng, shape, "int8"), 0), ("m", np.array(m, np.int32), 1)],
            [np.array(shape) * m],
            opts("TileOptions"),
        )
    op.run(
        "live",
        [("x", values(rng, (2, 3), "float32"), 0), ("m", np.array([2, 3], np.int32), 1)],
        [(4, 9)],
        opts("TileOptions"),
        live=("m",),
    )
    for label, shape, s in [
        ("same", (2, 3), (2, 3)),
        ("scalar", (), (3, 2)),
        ("column", (3, 1), (3, 4)),
        ("rank6", (3, 1, 2), (2, 1, 2, 3, 4, 2)),
        ("rank8", (1, 2), (1, 2, 1, 2, 1, 1, 3, 2)),
        ("empty", (1, 3), (0, 3)),
    ]:
        to.run(
            label,
            [("x", values(rng, shape, "int8"), 0), ("s", np.array(s, np.int32), 1)],
            [s],
            opts("BroadcastToOptions"),
            version=2,
        )
    to.run(
        "live",
        [("x", values(rng, (1, 3), "float32"), 0), ("s", np.array([4, 3], np.int32), 1)],
        [(4, 3)],
        opts("BroadcastToOptions"),
        live=("s",),
        version=2,
    )
    return op.found + to.found


def fill_cases():
    op, zeros, rang = Op("FILL"), Op("ZEROS_LIKE"), Op("RANGE")
    for d in ALL_SIZES:
        for t in (np.int32, np.int64):
            op.run(
                "%s_%s" % (d, np.dtype(t)),
                [("s", np.array([2, 3], t), 1), ("v", values(rng_of("fill" + d), (), d), 0)],
                [(2, 3)],
                opts("FillOptions"),
                dtype=d,
                quantized=False,
            )
    rng = rng_of("fill")
    op.run(
        "live",
        [("s", np.array([3, 2], np.int32), 1), ("v", values(rng, (), "float32"), 0)],
        [(3, 2)],
        opts("FillOptions"),
        dtype="float32",
        live=("s",),
    )
    op.run(
        "scalar",
        [("s", np.array([], np.int32), 1), ("v", values(rng, (), "float32"), 0)],
        [()],
        opts("FillOptions"),
        dtype="float32",
    )
    op.run(
        "empty",
        [("s", np.array([2, 0], np.int32), 1), ("v", values(rng, (), "int16"), 0)],
        [(2, 0)],
        opts("FillOptions"),
        dtype="int16",
        quantized=False,
    )
    for d in ("float32", "int32", "int64"):
        zeros.run(d, [("x", values(rng, (2, 3), d), 0)], [(2, 3)], opts("ZerosLikeOptions"))
    zeros.run("int8_tflm", [("x", values(rng, (2, 3), "int8"), 0)], [(2, 3)], opts("ZerosLikeOptions"), oracle=TFLM)
    spans = [("up", 2, 11, 3), ("down", 10, -3, -4), ("none", 4, 4, 1), ("exact", 0, 12, 4)]
    for d, (label, a, b, s) in itertools.product(("float32", "int32", "int64"), spans):
        n = max(0, -(-(b - a) // s)) if s > 0 else max(0, -(-(a - b) // -s))
        for live in ((), ("a",), ("a", "b", "s")):
            rang.run(
                "%s_%s_%d" % (d, label, len(live)),
                [("a", np.array(a, d), 1), ("b", np.array(b, d), 1), ("s", np.array(s, d), 1)],
                [(n,)],
                opts("RangeOptions"),
                live=live,
                measure=not n,
            )
    rang.run(
        "fraction",
        [("a", np.array(0.1, np.float32), 1), ("b", np.array(3.7, np.float32), 1), ("s", np.array(0.3, np.float32), 1)],
        [(12,)],
        opts("RangeOptions"),
        live=("a",),
    )
    return op.found + zeros.found + rang.found


RESIZES = [
    ((1, 4, 5, 3), (8, 10)),
    ((2, 7, 9, 2), (3, 4)),
    ((1, 3, 3, 1), (3, 3)),
    ((1, 1, 1, 4), (5, 6)),
    ((1, 8, 6, 2), (1, 1)),
    ((1, 5, 7, 1), (13, 4)),
    ((2, 2, 3, 5), (9, 17)),
    ((1, 33, 33, 3), (65, 65)),
    ((1, 6, 8, 16), (12, 16)),
]
MODES = [("plain", {}), ("align", {"alignCorners": True}), ("half", {"halfPixelCenters": True})]


def resize_cases():
    op, near = Op("RESIZE_BILINEAR"), Op("RESIZE_NEAREST_NEIGHBOR")
    for (shape, size), (mode, fields) in itertools.product(RESIZES, MODES):
        out = (shape[0],) + size + (shape[3],)
        label = "%dx%d_%dx%d_%s" % (shape[1:3] + size + (mode,))
        for d in ("float32", "int8", "uint8", "int16"):
            x = values(rng_of("resize" + d + label), shape, d)
            op.run(
                "%s_%s" % (d, label),
                [("x", x, 0), ("s", np.array(size, np.int32), 1)],
                [out],
                opts("ResizeBilinearOptions", **fields),
                tol=1e-6 if d == "float32" else None,
            )
        for d in ("float32", "int8", "uint8", "int16", "int32"):
            x = values(rng_of("near" + d + label), shape, d)
            near.run(
                "%s_%s" % (d, label),
                [("x", x, 0), ("s", np.array(size, np.int32), 1)],
                [out],
                opts("ResizeNearestNeighborOptions", **fields),
            )
    near.run(
        "float32_align_half",
        [("x", values(rng_of("ah"), (1, 5, 4, 2), "float32"), 0), ("s", np.array([7, 9], np.int32), 1)],
        [(1, 7, 9, 2)],
        opts("ResizeNearestNeighborOptions", alignCorners=True, halfPixelCenters=True),
    )
    for o in (op, near):
        kind = "ResizeBilinearOptions" if o is op else "ResizeNearestNeighborOptions"
        o.run(
            "live",
            [("x", values(rng_of("live"), (1, 5, 4, 2), "int8"), 0), ("s", np.array([7, 9], np.int32), 1)],
            [(1, 7, 9, 2)],
            opts(kind),
            live=("s",),
        )
        o.run(
            "no_channels",
            [("x", values(rng_of("live"), (1, 5, 4, 0), "float32"), 0), ("s", np.array([7, 9], np.int32), 1)],
            [(1, 7, 9, 0)],
            opts(kind),
        )
    return op.found + near.found


def space_cases():
    d2s, s2d, s2b, b2s = Op("DEPTH_TO_SPACE"), Op("SPACE_TO_DEPTH"), Op("SPACE_TO_BATCH_ND"), Op("BATCH_TO_SPACE_ND")
    for d in ["float32", "int32", "int64", "int8", "uint8"]:
        for block, shape in [(2, (1, 3, 2, 8)), (3, (2, 1, 2, 18)), (1, (1, 2, 2, 3)), (4, (1, 2, 3, 16))]:
            x = values(rng_of("d2s%s%d" % (d, block)), shape, d)
            n, h, w, k = shape
            d2s.run(
                "%s_%d" % (d, block),
                [("x", x, 0)],
                [(n, h * block, w * block, k // block // block)],
                opts("DepthToSpaceOptions", blockSize=block),
            )
            x = values(rng_of("s2d%s%d" % (d, block)), (n, h * block, w * block, 3), d)
            s2d.run(
                "%s_%d" % (d, block),
                [("x", x, 0)],
                [(n, h, w, 3 * block * block)],
                opts("SpaceToDepthOptions", blockSize=block),
            )
    for d in ["float32", "int16", "int32", "int64", "int8", "uint8"]:
        for i, (shape, block, pads) in enumerate(
            [
                ((1, 4, 6, 2), [2, 3], [[0, 0], [0, 0]]),
                ((2, 3, 5, 1), [2, 2], [[1, 0], [2, 1]]),
                ((2, 5, 3), [3], [[0, 1]]),
                ((1, 2, 2, 3), [1, 4], [[0, 2], [1, 1]]),
            ]
        ):
            x = values(rng_of("s2b%s%d" % (d, i)), shape, d)
            b, p = np.array(block, np.int32), np.array(pads, np.int32)
            mid = (np.array(shape[1:-1]) + p.sum(1)) // b
            out = (shape[0] * int(np.prod(b)),) + tuple(mid) + shape[-1:]
            s2b.run("%s_%d" % (d, i), [("x", x, 0), ("b", b, 1), ("p", p, 1)], [out], opts("SpaceToBatchNDOptions"))
            x = values(rng_of("b2s%s%d" % (d, i)), out, d)
            b2s.run("%s_%d" % (d, i), [("x", x, 0), ("b", b, 1), ("c", p, 1)], [shape], opts("BatchToSpaceNDOptions"))
    x = values(rng_of("space"), (4, 2, 3, 2), "float32")
    block, border = np.array([2, 2], np.int32), np.array([[1, 1], [0, 1]], np.int32)
    s2b.run(
        "live",
        [("x", x, 0), ("b", block, 1), ("p", border, 1)],
        [(16, 2, 2, 2)],
        opts("SpaceToBatchNDOptions"),
        live=("b", "p"),
    )
    b2s.run(
        "live",
        [("x", x, 0), ("b", block, 1), ("c", border, 1)],
        [(1, 2, 5, 2)],
        opts("BatchToSpaceNDOptions"),
        live=("b", "c"),
    )
    return d2s.found + s2d.found + s2b.found + b2s.found


def index_vector(a, bits):
    o = {8: schema.Uint8VectorT, 16: schema.Uint16VectorT, 32: schema.Int32VectorT}[bits]()
    o.values = np.asarray(a, {8: np.uint8, 16: np.uint16, 32: np.int32}[bits])
    return {32: 1, 16: 2, 8: 3}[bits], o


def level(size=None, segments=None, indices=None, bits=(32, 32)):
    m = schema.DimensionMetadataT()
    if segments is None:
        m.format, m.denseSize = 0, int(size)
        return m
    m.format = 1
    m.arraySegmentsType, m.arraySegments = index_vector(segments, bits[0])
    m.arrayIndicesType, m.arrayIndices = index_vector(indices, bits[1])
    return m


def sparse(x, block, order, sparse_level, bits):
    """(SparsityParameters, values) of a matrix: blocks of shape `block` (None: none), the given level compressed."""
    p = schema.SparsityParametersT()
    rows, cols = x.shape
    bh, bw = block or (1, 1)
    tiles = x.reshape(rows // bh, bh, cols // bw, bw).transpose(0, 2, 1, 3)
    if order[0] == 1:
        tiles = tiles.transpose(1, 0, 2, 3)
    if block and order[2] == 3:
        tiles = tiles.transpose(0, 1, 3, 2)
    kept, segments, indices = [], [0], []
    for line in tiles:
        for i, tile in enumerate(line):
            if np.any(tile):
                indices.append(i)
                kept.append(tile.reshape(-1))
        segments.append(len(indices))
    p.traversalOrder = np.array(order[: 4 if block else 2], np.int32)
    p.blockMap = np.array([0, 1] if block else [], np.int32)
    p.dimMetadata = [level(tiles.shape[0]), level(None, segments, indices, bits)]
    if block:
        p.dimMetadata += [level(tiles.shape[2]), level(tiles.shape[3])]
    return p, np.concatenate(kept) if kept else np.zeros(0, x.dtype)


def densify_cases():
    for d, (i, (shape, block, order)) in itertools.product(
        ("float32", "float16", "int8"),
        enumerate(
            [
                ((4, 6), None, [0, 1]),
                ((4, 6), None, [1, 0]),
                ((6, 8), (2, 4), [0, 1, 2, 3]),
                ((6, 8), (2, 4), [1, 0, 3, 2]),
                ((4, 32), (1, 16), [0, 1, 2, 3]),
            ]
        ),
    ):
        bits = [(32, 32), (16, 8), (8, 16), (8, 8), (32, 16)][i]
        rng = rng_of("densify%s%d" % (d, i))
        bh, bw = block or (1, 1)
        x = values(rng, shape, d)
        x *= np.kron(rng.integers(0, 2, (shape[0] // bh, shape[1] // bw)), np.ones((bh, bw))).astype(d)
        params, kept = sparse(x, block, order, 1, bits)
        w = T("w", shape, d, data=kept.astype(d).tobytes(), sparsity=params)
        b = Builder()
        b.subgraph()
        y = T("y", shape, d)
        for t in (w, y):
            b.tensor(t)
        b.op("DENSIFY", [w], [y], opts("DensifyOptions"))
        b.io([], [y])
        yield "densify/%s_%d" % (d, i), b.bytes(), [], REF, None


def misc_cases():
    rev, args, where = Op("REVERSE_V2"), Op("BROADCAST_ARGS"), Op("WHERE")
    for d in ["bool", "float16", "float32", "int16", "int32", "int64", "int8", "uint8"]:
        x = values(rng_of("reverse" + d), (3, 4, 5), d)
        for axes in ([0], [1], [-1], [1, 2], [2, 1, 0]):
            rev.run(
                "%s_%s" % (d, "".join(map(str, axes))),
                [("x", x, 0), ("a", np.array(axes, np.int32), 1)],
                [x.shape],
                opts("ReverseV2Options"),
            )
    rng = rng_of("misc")
    rev.run(
        "live",
        [("x", values(rng, (3, 4), "float32"), 0), ("a", np.array([-1], np.int32), 1)],
        [(3, 4)],
        opts("ReverseV2Options"),
        live=("a",),
    )
    rev.run(
        "empty",
        [("x", values(rng, (0, 4), "float32"), 0), ("a", np.array([0], np.int32), 1)],
        [(0, 4)],
        opts("ReverseV2Options"),
    )
    for d in (np.int32, np.int64):
        for i, (a, b) in enumerate([([2, 1, 3], [4, 1]), ([1], [5, 6, 7]), ([], [3]), ([2, 3], [2, 3])]):
            n = max(len(a), len(b))
            args.run("%s_%d" % (np.dtype(d), i), [("a", np.array(a, d), 0), ("b", np.array(b, d), 0)], [(n,)])
    for d in ["bool", "float32", "int32", "int64", "int8", "uint8", "uint32"]:
        for shape in [(5,), (3, 4), (2, 3, 2), (0, 3)]:
            x = (values(rng_of("where" + d), shape, d).astype(np.float64) * rng.integers(0, 2, shape)).astype(d)
            where.run(
                "%s_%d" % (d, len(shape) if 0 not in shape else 0),
                [("x", x, 0)],
                [(int(np.count_nonzero(x)), len(shape))],
                opts("WhereOptions"),
                dtype="int64",
                quantized=False,
                measure=not np.any(x),
            )
    return rev.found + args.found + where.found


def cases():
    for group in (
        gather_cases,
        one_hot_cases,
        transpose_cases,
        tile_cases,
        fill_cases,
        resize_cases,
        space_cases,
        densify_cases,
        misc_cases,
    ):
        yield from group()
