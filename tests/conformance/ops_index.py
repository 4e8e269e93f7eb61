"""Operators that pick, place and compare by index: the largest elements, scatters, sequences, look-ups, unique values."""

from index_cases import SHORT, few, np, one, rng_of, shape_of, values
from mkmodel import Builder, T, opts
from op_cases import REF


def topk_cases():
    options = opts("TopKV2")

    def case(label, x, k, index="int32", k_type="int32", k_shape=(), live=False):
        out = x.shape[:-1] + (max(k, 0),)
        return one(
            "TOPK_V2",
            label,
            [(x, 0), (np.full(k_shape, k, k_type), 1)],
            [(out, x.dtype), (out, index)],
            options,
            live=live,
        )

    for v in ["f32", "i16", "i32", "i64", "i8", "u8"]:
        rng = rng_of("topk" + v)
        for rank, k in [(1, 1), (2, 3), (3, 5), (5, 2)]:
            shape = shape_of(rng, rank - 1, 4) + (7,)
            yield case("%s/rank%d" % (v, rank), values(rng, shape, SHORT[v]), k)
        yield case(v + "/ties", few(rng, (3, 40), SHORT[v]), 17)
        yield case(v + "/sorted", few(rng, (2, 33), SHORT[v]), 33)
        yield case(v + "/live", values(rng, (2, 9), SHORT[v]), 4, live=True)
        yield case(v + "/one_in_a_list", values(rng, (2, 9), SHORT[v]), 9, k_shape=(1,))
    rng = rng_of("topk")
    for label, k_type, live in [("all", "int32", False), ("k_int16", "int16", False), ("live", "int16", True)]:
        x = values(rng, (3, 50), "float32")
        yield case("f32-i16idx/" + label, x, 12, "int16", k_type, live=live)
    yield case("f32-i16idx/vector", values(rng, (300,), "float32"), 300, "int16")
    yield case("f32/none", values(rng, (2, 5), "float32"), 0)
    yield case("f32/rank8", values(rng, (2, 1, 1, 2, 1, 1, 2, 6), "float32"), 4)
    yield case("f32/negative", values(rng, (2, 5), "float32"), -3)
    yield case("f32/large", values(rng, (2, 3000), "float32"), 999)
    odd = np.array([np.nan, np.inf, 0.0, -0.0, np.nan, -np.inf, 0.0, 3.0, np.nan, -3.0], np.float32)
    for k in (1, 4, 7, 8, 10):
        yield case("f32/not_a_number_%d" % k, np.stack([odd, odd[::-1]]), k)


def dynamic_update_slice_cases():
    options = opts("DynamicUpdateSlice")

    def case(label, x, update, start, index="int32", const=True):
        ins = [(x, 0), (update, 0), (np.array(start, index), const)]
        return one("DYNAMIC_UPDATE_SLICE", label, ins, [(x.shape, x.dtype)], options)

    for v in ["bool", "f16", "f32", "f64", "i16", "i32", "i64", "i8", "u16", "u32", "u64", "u8"]:
        rng = rng_of("dus" + v)
        for rank in (1, 2, 4):
            shape, low, d = shape_of(rng, rank, 6), [], SHORT[v]
            size = tuple(int(rng.integers(1, n + 1)) for n in shape)
            low = [int(rng.integers(0, n - m + 1)) for n, m in zip(shape, size)]
            yield case("%s/rank%d" % (v, rank), values(rng, shape, d), values(rng, size, d), low)
        yield case(v + "/clamped", values(rng, (4, 5), d), values(rng, (2, 3), d), [-7, 9], "int64", False)
    rng = rng_of("dus")
    x = values(rng, (2, 1, 3, 2, 2), "float32")
    yield case("f32/rank5", x, values(rng, (1, 1, 2, 1, 2), "float32"), [1, 0, 1, 1, 0], "int32", False)
    rank8 = values(rng, (2, 1, 3, 1, 2, 1, 2, 3), "float32")
    yield case("f32/rank8", rank8, values(rng, (1, 1, 2, 1, 2, 1, 1, 2), "float32"), [1, 0, 1, 0, 0, 0, 1, 1])
    yield case("f32/all", x, values(rng, x.shape, "float32"), [5, 5, 5, 5, 5])
    yield case("f32/nothing", x, values(rng, (2, 1, 0, 2, 2), "float32"), [0, 0, 3, 0, 0])
    yield case("f32/scalar", np.float32(2), np.float32(7), np.zeros(0))
    yield case("f32/huge_start", x, x[:1] * 2, [1 << 40, 0, -(1 << 40), 0, 0], "int64", False)
    for label, shape, size, start in [
        ("odd", (3, 5), (2, 3), [1, 1]),
        ("even", (4, 6), (1, 2), [2, 4]),
        ("vector", (9,), (4,), [3]),
        ("rank3", (2, 3, 5), (2, 1, 4), [0, 1, 7]),
        ("all", (3, 3), (3, 3), [0, 0]),
    ]:
        yield dus_int4_case(label, shape, size, start)


def dus_int4_case(label, shape, size, start):
    """Packed elements cannot cross the interpreter's border: constants in, dequantized out. The start comes at run time."""
    rng = rng_of("dus_int4" + label)
    x = T("x", shape, "int4", 0.5, 0, data=rng.integers(-8, 8, shape))
    u = T("u", size, "int4", 0.5, 0, data=rng.integers(-8, 8, size))
    s = T("s", (len(start),), "int32")
    y, z = T("y", shape, "int4", 0.5, 0), T("z", shape, "float32")
    b = Builder()
    b.subgraph()
    b.op("DYNAMIC_UPDATE_SLICE", [x, u, s], [y], opts("DynamicUpdateSlice"))
    b.op("DEQUANTIZE", [y], [z])
    b.io([s], [z])
    return ("dynamic_update_slice/i4/" + label, b.bytes(), [np.array(start, np.int32)], REF, None)


def scatter_nd_cases():
    def case(label, at, update, shape, live=False):
        ins = [(at.astype(np.int32), 0), (update, 0), (np.array(shape, np.int32), 1)]
        return one("SCATTER_ND", label, ins, [(shape, update.dtype)], opts("ScatterNd"), live=live)

    for v in ["bool", "f32", "i32", "i64", "i8", "u8"]:
        rng = rng_of("scatter_nd" + v)
        for label, shape, depth, lead in [
            ("vector", (6,), 1, (9,)),
            ("rows", (5, 3), 1, (4,)),
            ("elements", (3, 4), 2, (2, 5)),
            ("rank5", (2, 3, 1, 2, 2), 3, (4,)),
            ("everything", (2, 3), 0, (3,)),
        ]:
            at = np.stack([rng.integers(0, n, lead) for n in shape[:depth]] or [np.zeros(lead + (0,))], -1)
            at = at.reshape(lead + (depth,))
            update = values(rng, lead + shape[depth:], SHORT[v])
            yield case("%s/%s" % (v, label), at, update, shape)
        at = rng.integers(0, 4, (7, 1))
        yield case(v + "/live", at, values(rng, (7, 2), SHORT[v]), (4, 2), live=True)
    rng = rng_of("scatter_nd")
    yield case("f32/no_updates", np.zeros((0, 1)), np.zeros((0, 2), np.float32), (3, 2))
    yield case("f32/no_columns", np.zeros((2, 1)), np.zeros((2, 0), np.float32), (3, 0))
    yield case("i32/wraps", np.zeros((3, 1)), np.full(3, 2**31 - 1, np.int32), (2,))


def sparse_to_dense_cases():
    def case(label, at, shape, value, live=False, index="int32", dims="int32"):
        value = np.asarray(value)
        ins = [
            (np.asarray(at, index), 0),
            (np.array(shape, dims), 1),
            (value, 0),
            (np.array(5 if value.dtype != np.int8 else -5, value.dtype), 1),
        ]
        return one("SPARSE_TO_DENSE", label, ins, [(shape, value.dtype)], opts("SparseToDense"), live=live)

    for v in ["f32", "i32", "i64", "i8", "u8"]:
        d = SHORT[v]
        rng = rng_of("sparse_to_dense" + v)
        for rank in (1, 2, 3, 4):
            shape = shape_of(rng, rank)
            at = np.stack([rng.integers(0, n, 6) for n in shape], -1)
            index, dims = [("int32", "int32"), ("int64", "int32"), ("int32", "int64"), ("int64", "int64")][rank - 1]
            yield case("%s/rank%d" % (v, rank), at, shape, values(rng, (6,), d), index=index, dims=dims)
        yield case(v + "/vector", [3, 1, 3], (7,), values(rng, (3,), d))
        yield case(v + "/same_value", [[0, 1], [2, 2]], (3, 3), values(rng, (), d))
        yield case(v + "/scalar", 2, (4,), values(rng, (), d))
        yield case(v + "/live", [[0, 1], [2, 2]], (3, 4), values(rng, (2,), d), live=True)
    yield case("f32/none", np.zeros((0, 2)), (2, 3), np.zeros(0, np.float32))


def reverse_sequence_cases():
    def case(label, x, lengths, seq, batch, index="int32", const=False):
        ins = [(x, 0), (np.array(lengths, index), const)]
        return one(
            "REVERSE_SEQUENCE", label, ins, [(x.shape, x.dtype)], opts("ReverseSequence", seqDim=seq, batchDim=batch)
        )

    for v in ["f32", "i16", "i32", "i64", "u8"]:
        rng = rng_of("reverse_sequence" + v)
        for rank, seq, batch in [(2, 1, 0), (2, 0, 1), (3, 1, 0), (3, 0, 2), (4, 3, 1), (5, 1, 3)]:
            x = values(rng, shape_of(rng, rank, 6), SHORT[v])
            lengths = rng.integers(0, x.shape[seq] + 1, x.shape[batch])
            index = "int64" if rank % 2 else "int32"
            yield case("%s/rank%d_%d_%d" % (v, rank, seq, batch), x, lengths, seq, batch, index, rank == 3)
        yield case(v + "/negative", values(rng, (2, 4), SHORT[v]), [-1, 3], 1, 0)


def boxes_of(rng, n):
    """Boxes that overlap, with corners in any order; some are empty."""
    low, side = rng.uniform(0, 4, (n, 2)), rng.uniform(0.5, 3, (n, 2))
    b = np.concatenate([low, low + side], 1).astype(np.float32)
    b[::5] = b[::5][:, [2, 1, 0, 3]]
    b[3::7, 2] = b[3::7, 0]
    return b


def non_max_suppression_cases():
    def case(label, boxes, scores, most, iou, least, sigma=None, live=False):
        v5 = sigma is not None
        numbers = [np.array(most, np.int32)] + [np.array(x, np.float32) for x in [iou, least, sigma] if x is not None]
        outs = [((most,), "int32")] + [((most,), "float32")] * v5 + [((), "int32")]
        version = "NON_MAX_SUPPRESSION_V%d" % (4 + v5)
        ins = [(boxes, 0), (scores, 0)] + [(a, not live) for a in numbers]
        options = opts("NonMaxSuppressionV%d" % (4 + v5))
        return one(version, "f32/" + label, ins, outs, options, tol=1e-5 if v5 else None)

    for sigma in (None, 0.0, 0.4):
        tag = "" if sigma is None else "sigma%d_" % (sigma > 0)
        for n, most, iou, least in [
            (6, 6, 0.5, 0.0),
            (40, 10, 0.3, 0.2),
            (200, 250, 0.6, 0.5),
            (7, 3, 1.0, -1.0),
            (9, 0, 0.5, 0),
        ]:
            rng = rng_of("nms%d" % n)
            scores = rng.uniform(0, 1, n).astype(np.float32)
            yield case("%s%d_of_%d" % (tag, most, n), boxes_of(rng, n), scores, most, iou, least, sigma)
            if most:
                yield case(
                    "%slive_%d_of_%d" % (tag, most, n), boxes_of(rng, n), scores, most, iou, least, sigma, live=True
                )
        for n in (5, 30, 101):
            rng = rng_of("nms_ties%d" % n)
            scores = (rng.integers(1, 4, n) / 4).astype(np.float32)
            yield case("%sties_%d" % (tag, n), boxes_of(rng, n), scores, n, 0.4, 0.3, sigma)
        yield case(tag + "empty_boxes", np.ones((9, 4), np.float32), np.full(9, 0.5, np.float32), 7, 0.5, 0.1, sigma)
        odd = np.array([0.5, np.nan, 0.7, np.inf, np.nan, 0.6], np.float32)
        yield case(tag + "not_a_number", boxes_of(rng_of("nms"), 6), odd, 6, 0.5, 0.1, sigma)


def unique_cases():
    def case(label, x, index):
        n = (1,) if len(x) else (0,)  # the oracle finds out
        options = opts("Unique", idxOutType={"int32": 2, "int64": 4}[index])
        return one("UNIQUE", label, [(x, 0)], [(n, x.dtype), (x.shape, index)], options)

    for v in ["f32", "i16", "i32", "i64", "i8", "u8"]:
        rng = rng_of("unique" + v)
        yield case(v + "/few", few(rng, (50,), SHORT[v]), "int32")
        yield case(v + "/int64", values(rng, (80,), SHORT[v]), "int64")
        yield case(v + "/one", values(rng, (1,), SHORT[v]), "int32")
        yield case(v + "/many", rng.permutation(3000).astype(SHORT[v]), "int32")
    rng = rng_of("unique")
    yield case("f32/512", rng.permutation(np.repeat(np.arange(512), 2)).astype(np.float32), "int32")
    yield case("f32/zeros", np.array([0.0, -1.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.inf], np.float32), "int32")
    yield case("f32/not_a_number", np.array([1, np.nan, 2, np.nan, -3, np.nan, -0.0, -3, 0], np.float32), "int32")
    yield case("f32/not_a_number_first", np.array([np.nan, 1, 2, np.nan, -3], np.float32), "int64")


def segment_cases():
    def case(op, label, x, ids, n=None, live=True, oracle=REF):
        ids = np.asarray(ids, np.int32)
        ins = [(x, 0), (ids, not live)] + ([] if n is None else [(np.array(n, np.int32), not live)])
        segments = int(np.max(ids, initial=-1)) + 1 if n is None else int(np.ravel(n)[0])
        options = opts("SegmentSum" if n is None else "".join(w.capitalize() for w in op.split("_")))
        out = [((segments,) + x.shape[ids.ndim :], x.dtype)]
        return one(op, label, ins, out, options, oracle)

    for v in ["f32", "i32"]:
        d = SHORT[v]
        rng = rng_of("segment" + v)
        for rank in (1, 2, 4):
            x = values(rng, (7,) + shape_of(rng, rank - 1), d)
            ids = np.cumsum([0] + list(rng.integers(0, 2, 6)))
            for live in (False, True):
                # No reference kernel is registered.
                label = "%s/rank%d_%s" % (v, rank, "live" if live else "constant")
                yield case("SEGMENT_SUM", label, x, ids, live=live, oracle="litert_default")
        for op in ["MAX", "MIN", "PROD", "SUM"]:
            op = "UNSORTED_SEGMENT_" + op
            for rank, ids_rank, live in [(1, 1, False), (2, 1, True), (3, 2, True), (4, 1, False), (4, 4, True)]:
                x = values(rng, shape_of(rng, rank), d)
                ids = rng.integers(-1, 4, x.shape[:ids_rank])
                yield case(op, "%s/rank%d_%d" % (v, rank, ids_rank), x, ids, 4 if live else [5], live)
            yield case(op, v + "/all_left_out", values(rng, (3, 2), d), [-1, -2, -3], 2)
    odd = np.array([1, np.nan, 3, np.nan, np.inf, -np.inf, -1, np.nan, 2, 1], np.float32)
    for op in ["MAX", "MIN", "PROD", "SUM"]:
        yield case("UNSORTED_SEGMENT_" + op, "f32/not_a_number", odd, [0, 0, 0, 1, 1, 2, 2, 3, 3, 0], 6)


def cases():
    for group in [
        topk_cases,
        dynamic_update_slice_cases,
        scatter_nd_cases,
        sparse_to_dense_cases,
        reverse_sequence_cases,
        non_max_suppression_cases,
        unique_cases,
        segment_cases,
    ]:
        yield from group()
