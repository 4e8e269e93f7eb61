"""Rows of tables by number, buckets, diagonals, sums of many tensors."""

from index_cases import SHORT, np, one, rng_of, values
from mkmodel import Builder, T, opts, schema, single_op
from op_cases import REF, const


def blockwise_cases():
    """A scale for each block of a row."""
    for table, out, (rows, depth), block in (
        ("int4", "float32", (9, 64), 32),
        ("int4", "float32", (5, 96), 32),
        ("int4", "float32", (3, 32), 32),
        ("int4", "float32", (7, 24), 2),
    ):
        name = "embedding_lookup/i4blocks/%d_%d_%d" % (rows, depth, block)
        rng = rng_of(name)
        details = schema.BlockwiseQuantizationT()
        details.scales, details.zeroPoints, details.blockSize = 3, -1, block
        q = schema.QuantizationParametersT()
        q.detailsType, q.details = schema.QuantizationDetails.BlockwiseQuantization, details
        scales = rng.uniform(0.005, 0.05, (rows, depth // block)).astype(np.float16)
        x, y = T("x", (6,), "int32"), T("y", (6, depth), out)
        t = T("t", (rows, depth), table, data=rng.integers(-8, 7, (rows, depth), endpoint=True), quantization=q)
        b = Builder()
        b.subgraph()
        for tensor in (x, t, y, T("scales", scales.shape, "float16", data=scales)):
            b.tensor(tensor)
        b.op("EMBEDDING_LOOKUP", [x, t], [y])
        b.io([x], [y])
        yield name, b.bytes(), [rng.integers(0, rows, 6).astype(np.int32)], REF, None


def embedding_cases():
    """Tables of 4 and 2 bits have whole bytes in a row: with others LiteRT begins rows at the wrong element."""
    kinds = {
        "f32": ("float32", "float32", 0),
        "i2pc": ("int2", "float32", 2),
        "i4hyb": ("int4", "float32", 1),
        "i4pc": ("int4", "float32", 2),
        "i8": ("int8", "int8", 1),
        "i8f16": ("int8", "float16", 1),
        "i8hyb": ("int8", "float32", 1),
        "i8pc": ("int8", "float32", 2),
        "u8": ("uint8", "uint8", 1),
        "u8hyb": ("uint8", "float32", 1),
    }
    limits = {"int2": (-2, 1), "int4": (-8, 7), "int8": (-128, 127), "uint8": (0, 255)}
    for v, (table, out, scales) in kinds.items():
        for label, shape, n in [
            ("matrix", (9, 8), 5),
            ("rank3", (5, 3, 4), 7),
            ("rank5", (3, 2, 1, 2, 4), 2),
            ("row", (1, 4), 1),
        ]:
            rng = rng_of("embedding" + v + label)
            data = (
                values(rng, shape, table) if table == "float32" else rng.integers(*limits[table], shape, endpoint=True)
            )
            scale = [None, 0.037, list(rng.uniform(0.01, 2, shape[0]))][scales]
            zero = [None, 0, [0] * shape[0]][scales]
            ids = rng.integers(0, shape[0], n).astype(np.int32)
            copied = table == out and scales
            y = T("y", (n,) + shape[1:], out, scale if copied else None, zero if copied else None)
            for given in (True, False):
                x = T("x", (n,), "int32", data=None if given else ids)
                model = single_op("EMBEDDING_LOOKUP", [x, T("t", shape, table, scale, zero, data=data)], [y])
                name = "embedding_lookup/%s/%s%s" % (v, label, "" if given else "_constant")
                yield (name, model, [ids] if given else [], REF, None)
    x, y = T("x", (2,), "int32"), T("y", (2, 4), "float16")
    for label, scale, zero in [("rows", [0.3, 0.01, 7], [0] * 3), ("zero_point", 0.3, 5)]:
        table = T("t", (3, 4), "int8", scale, zero, data=np.arange(-60, 60, 10).reshape(3, 4))
        model = single_op("EMBEDDING_LOOKUP", [x, table], [y])
        yield ("embedding_lookup/i8f16/" + label, model, [np.array([2, 0], np.int32)], REF, None)
    yield from blockwise_cases()
    live = T("t", (3, 4), "float32")
    model = single_op("EMBEDDING_LOOKUP", [x, live], [T("y", (2, 4), "float32")])
    table = values(rng_of("embedding"), (3, 4), "float32")
    yield ("embedding_lookup/f32/live_table", model, [np.array([1, 1], np.int32), table], REF, None)


def embedding_sparse_cases():
    for combiner, tag in enumerate(["sum", "mean", "sqrtn"]):
        for label, dims, table, n, ordered in [
            ("matrix", (4, 3), (6, 5), 9, True),
            ("unordered", (3, 4), (5, 2), 8, False),
            ("deep", (2, 3, 2), (4, 2, 3), 7, True),
            ("vector", (5,), (4, 3), 4, True),
            ("rank5", (2, 1, 2, 3), (4, 2, 1), 6, False),
        ]:
            rng = rng_of("embedding_sparse" + label)
            at = np.stack([rng.integers(0, d, n) for d in dims], -1).astype(np.int32)
            if ordered:
                at = at[np.lexsort(at.T[::-1])]
            ins = [
                (rng.integers(0, table[0], n).astype(np.int32), 0),
                (at, 0),
                (np.array(dims, np.int32), label != "deep"),
                (rng.uniform(0.2, 2, n).astype(np.float32), 0),
                (values(rng, table, "float32"), label == "matrix"),
            ]
            options = opts("EmbeddingLookupSparse", combiner=combiner)
            out = [(dims[:-1] + table[1:], "float32")]
            yield one("EMBEDDING_LOOKUP_SPARSE", "f32/%s_%s" % (label, tag), ins, out, options, tol=1e-6)


def bucketize_cases():
    for v in ["f32", "f64", "i32", "i64"]:
        d = SHORT[v]
        for label, shape, n in [
            ("vector", (30,), 7),
            ("rank3", (2, 3, 4), 1),
            ("rank5", (2, 1, 2, 3, 2), 16),
            ("scalar", (), 4),
        ]:
            rng = rng_of("bucketize" + v + label)
            edges = np.sort(rng.integers(-6, 7, n)).astype(np.float32)
            x = (rng.integers(-14, 14, shape) / (2 if v[0] == "f" else 1)).astype(d)
            yield one("BUCKETIZE", v + "/" + label, [(x, 0)], [(shape, "int32")], opts("Bucketize", boundaries=edges))
    large = np.array([16777216, 1e10], np.float32)
    for v in ["i32", "i64"]:
        x = np.array([16777215, 16777216, 16777217, 16777218], SHORT[v])
        yield one("BUCKETIZE", v + "/as_float", [(x, 0)], [((4,), "int32")], opts("Bucketize", boundaries=large))
    odd = np.array([np.nan, np.inf, -np.inf, 0, -0.0, 1], np.float32)
    for label, edges in [("not_a_number", [0, 1, 2, 3]), ("edges", [-1, np.nan, 0, 0, np.inf]), ("none", [])]:
        options = opts("Bucketize", boundaries=np.array(edges, np.float32))
        yield one("BUCKETIZE", "f32/" + label, [(odd, 0)], [((6,), "int32")], options)


def diag_cases():
    for v in ["f32", "i16", "i32", "i64", "i8", "u8"]:
        d = SHORT[v]
        for shape in [(3,), (2, 4), (2, 1, 3), (2, 1, 2, 2), (1, 2, 1, 2, 1, 3)]:
            x = values(rng_of("diag%s%d" % (v, len(shape))), shape, d)
            yield one(
                "MATRIX_DIAG", "%s/rank%d" % (v, len(shape)), [(x, 0)], [(shape + shape[-1:], d)], opts("MatrixDiag")
            )
        for shape in [(3, 3), (2, 5), (5, 2), (2, 3, 4), (1, 2, 2, 3, 1), (2, 1, 1, 2, 4, 3)]:
            rng = rng_of("set_diag%s%s" % (v, shape))
            x, diag = values(rng, shape, d), values(rng, shape[:-2] + (min(shape[-2:]),), d)
            label = "%s/%s" % (v, "x".join(map(str, shape)))
            yield one("MATRIX_SET_DIAG", label, [(x, 0), (diag, len(shape) == 3)], [(shape, d)], opts("MatrixSetDiag"))


def add_n_cases():
    for v in ["f32", "i32"]:
        for n, shape in [(2, (5,)), (3, (2, 3)), (7, (2, 1, 3, 2, 2)), (4, ())]:
            rng = rng_of("add_n%s%d" % (v, n))
            ins = [(values(rng, shape, SHORT[v]), i == 1) for i in range(n)]
            yield one("ADD_N", "%s/%d_rank%d" % (v, n, len(shape)), ins, [(shape, SHORT[v])], opts("AddN"))
        x = T("x", (4,), SHORT[v])
        model = single_op(
            "ADD_N", [x, const("c", [3, 1, 2, 9], SHORT[v]), x, x], [T("y", (4,), SHORT[v])], opts("AddN")
        )
        yield ("add_n/%s/same_input" % v, model, [np.array([1, 5, -7, 2**30], SHORT[v])], REF, None)


def cases():
    for group in [embedding_cases, embedding_sparse_cases, bucketize_cases, diag_cases, add_n_cases]:
        yield from group()
