"""STABLEHLO_GATHER and STABLEHLO_SCATTER: slices by index vectors, taken and put."""

from index_cases import SHORT, np, one, rng_of, values
from mkmodel import Builder, T, opts
from op_cases import REF


def longs(v):
    return np.array(v, np.int64)


def gather_out(at, o):
    """The shape of the output, as StableHLO's specification has it."""
    batch = [n for d, n in enumerate(at.shape) if d != o["ivd"]]
    slices = [n for d, n in enumerate(o["sizes"]) if d not in o["collapsed"]]
    rank = len(batch) + len(slices)
    return tuple((slices if d in o["offset"] else batch).pop(0) for d in range(rank))


# label: (operand, indices' shape, offset_dims, collapsed, start_index_map, index_vector_dim, slice sizes). LiteRT crashes where
# index_vector_dim is the rank of the indices.
GATHERS = {
    "rows": ((6, 4), (5, 1), [1], [0], [0], 1, [1, 4]),
    "columns": ((3, 7), (2, 3, 1), [0], [1], [1], 2, [3, 1]),
    "elements": ((5, 6), (2, 4, 2), [], [0, 1], [0, 1], 2, [1, 1]),
    "swapped_map": ((5, 6), (4, 2), [1], [0], [1, 0], 1, [1, 3]),
    "vector_first": ((4, 5, 3), (2, 3), [0, 2], [1], [2, 1], 0, [2, 1, 2]),
    "offset_first": ((6, 4), (3, 1), [0, 1], [], [0], 1, [2, 4]),
    "offset_around": ((6, 4, 2), (3, 1), [0, 2], [0], [0], 1, [1, 3, 2]),
    "one_slice": ((6, 4, 5), (2,), [0, 1, 2], [], [2, 0], 0, [2, 4, 3]),
    "rank5": ((2, 3, 1, 4, 2), (2, 2, 3), [1, 3], [0, 2, 3], [0, 1, 3], 2, [1, 2, 1, 1, 2]),
    "middle_vector": ((4, 4), (2, 2, 3), [2], [0], [0, 1], 1, [1, 2]),
}


def gather_cases():
    for v in ["bool", "f32", "i16", "i32", "i64", "i8"]:
        for n, (label, (shape, at_shape, offset, collapsed, index_map, ivd, sizes)) in enumerate(GATHERS.items()):
            rng = rng_of("stablehlo_gather" + v + label)
            # Some reach out, on both sides: they are moved inside.
            at = rng.integers(-2, 8, at_shape).astype([np.int32, np.int64][n % 2])
            o = {"ivd": ivd, "sizes": sizes, "collapsed": collapsed, "offset": offset}
            options = opts(
                "StablehloGather",
                offsetDims=longs(offset),
                collapsedSliceDims=longs(collapsed),
                startIndexMap=longs(index_map),
                indexVectorDim=ivd,
                sliceSizes=longs(sizes),
            )
            ins = [(values(rng, shape, SHORT[v]), 0), (at, n % 3 == 0)]
            yield one("STABLEHLO_GATHER", "%s/%s" % (v, label), ins, [(gather_out(at, o), SHORT[v])], options)


# label: (operand, indices' shape, updates' shape, update_window_dims, inserted, scatter_dims_to_operand_dims, index_vector_dim). LiteRT reads
# outside of its memory where index_vector_dim is the rank of the indices: no_oracle.py.
SCATTERS = {
    "rows": ((6, 4), (5, 1), (5, 4), [1], [0], [0], 1),
    "columns": ((3, 7), (2, 4, 1), (2, 4, 3), [2], [1], [1], 2),
    "elements": ((5, 6), (7, 2), (7,), [], [0, 1], [0, 1], 1),
    "windows": ((6, 7), (4, 2), (4, 3, 2), [1, 2], [], [0, 1], 1),
    "window_first": ((6, 7), (4, 2), (3, 4, 2), [0, 2], [], [1, 0], 1),
    "window_last_is_index": ((6, 7), (4, 2), (2, 3, 4), [0, 1], [], [0, 1], 1),
    "vector_first": ((4, 5, 3), (2, 3), (2, 3, 2), [0, 2], [1], [2, 1], 0),
    "one_window": ((6, 4), (2,), (3, 2), [0, 1], [], [0, 1], 0),
    "rank5": ((2, 3, 1, 4, 2), (2, 3, 3), (2, 3, 2, 2), [2, 3], [0, 2, 3], [0, 1, 3], 2),
}


def scatter_case(v, label, body, n):
    shape, at_shape, update_shape, window, inserted, to_operand, ivd = SCATTERS[label]
    d = SHORT[v]
    rng = rng_of("stablehlo_scatter" + v + label + str(body))
    most = [
        shape[k] + 1 for k in to_operand
    ]  # some reach out: they are left out. LiteRT does not look for negative ones
    at = rng.integers(0, max(most), at_shape)
    if ivd < len(at_shape):
        at = np.stack([rng.integers(0, m, np.delete(at_shape, ivd)) for m in most], ivd)
    at = at.astype([np.int32, np.int64][n % 2])
    x, update = (
        values(rng, s, d) if d == "float32" else rng.integers(-9, 10, s).astype(d) for s in (shape, update_shape)
    )
    ends = [T(name, (), d) for name in ("a", "b", "c")]
    tensors = [T("x", shape, d), T("i", at.shape, at.dtype, data=at if n % 3 == 0 else None), T("u", update_shape, d)]
    y = T("y", shape, d)
    b = Builder()
    b.subgraph()
    options = opts(
        "StablehloScatter",
        updateWindowDims=longs(window),
        insertedWindowDims=longs(inserted),
        scatterDimsToOperandDims=longs(to_operand),
        indexVectorDim=ivd,
        updateComputationSubgraphIndex=1,
    )
    b.op("STABLEHLO_SCATTER", tensors, [y], options)
    given = [0, 2] if n % 3 == 0 else [0, 1, 2]
    b.io([tensors[k] for k in given], [y])
    b.subgraph("update")
    if body:
        b.op("STABLEHLO_" + body, ends[:2], ends[2:])
    b.io(ends[:2], ends[2:] if body else ends[1:2])
    name = "stablehlo_scatter/%s/%s_%s" % (v, label, (body or "update").lower())
    return (name, b.bytes(), [[x, at, update][k] for k in given], REF, None)


def scatter_cases():
    for v in ["f32", "i32", "i64", "i8"]:
        for n, label in enumerate(SCATTERS):
            for body in [None, "ADD", "MULTIPLY", "MAXIMUM", "MINIMUM"]:
                yield scatter_case(v, label, body, n)


def cases():
    for group in [gather_cases, scatter_cases]:
        yield from group()
