"""Strings through the operators that LiteRT runs on them, hash tables, LSH_PROJECTION and SKIP_GRAM."""

import numpy as np

from mkmodel import Builder, T, TYPES, opts, rng_of, single_op
from op_cases import REF, const

DEFAULT = "litert_default"  # hash tables are registered there alone
WORDS = [b"", b"a", b"bb", b"c c", b"\xff\x00\xfe", b"longer than the others " * 9, b"a", b"\xc3\xa9", b"zz", b"  "]


def strings(rng, shape):
    n = int(np.prod(shape))
    out = np.empty(n, object)
    for i in range(n):
        out[i] = WORDS[rng.integers(len(WORDS))] + b"%d" % rng.integers(3)
    return out.reshape(shape)


def objects(items, shape=None):
    out = np.empty(len(items), object)
    out[:] = items
    return out if shape is None else out.reshape(shape)


def text(name, shape, data=None):
    return T(name, shape, "string", data=data)


def moved(name, op, shape, rest, out_shape, options=None, version=1):
    """One string input, live or constant, and constants; two invokes with strings of other lengths."""
    label = "%s/string/%s" % (op.lower(), name)
    rng = rng_of(label)
    x, y = text("x", shape), text("y", out_shape)
    live = single_op(op, [x] + rest, [y], options, version=version)
    if shape:  # the interpreter takes no string of rank 0
        yield label, live, [[strings(rng, shape)] for _ in range(3)], REF, None
    fixed = text("x", shape, strings(rng, shape))
    if int(np.prod(shape)):
        yield label + "_const", single_op(op, [fixed] + rest, [y], options, version=version), [[], []], REF, None


def movers():
    i32 = lambda name, data: const(name, data, "int32")  # noqa: E731
    yield from moved("plain", "RESHAPE", (2, 3), [i32("s", [3, 2])], (3, 2))
    yield from moved("stretch", "RESHAPE", (4, 3, 2), [i32("s", [2, -1])], (2, 12))
    yield from moved("scalar", "RESHAPE", (1, 1), [T("s", (0,), "int32", data=np.zeros(0, np.int32))], ())
    yield from moved("some", "SQUEEZE", (1, 4, 1), [], (4, 1), opts("Squeeze", squeezeDims=[0]))
    yield from moved("all", "SQUEEZE", (1, 4, 1), [], (4,), opts("Squeeze", squeezeDims=[]))
    yield from moved("negative", "SQUEEZE", (3, 1), [], (3,), opts("Squeeze", squeezeDims=[-1]))
    yield from moved("front", "EXPAND_DIMS", (2, 3), [i32("a", [0])], (1, 2, 3))
    yield from moved("back", "EXPAND_DIMS", (5,), [i32("a", [-1])], (5, 1))
    yield from moved("scalar", "EXPAND_DIMS", (), [i32("a", [0])], (1,))
    g = opts("Gather", axis=0)
    yield from moved("plain", "GATHER", (7,), [i32("i", [6, 0, 0, 3])], (4,), g)
    yield from moved("matrix", "GATHER", (7,), [i32("i", [[1, 2, 3], [0, 0, 6]])], (2, 3), g)
    yield from moved("scalar", "GATHER", (3,), [T("i", (), "int32", data=np.int32(2))], (), g)
    yield from moved("i64", "GATHER", (3,), [const("i", [2, 1], "int64")], (2,), g)
    yield from moved("points", "GATHER_ND", (2, 3), [i32("i", [[1, 0], [0, 2]])], (2,))
    yield from moved("rows", "GATHER_ND", (3, 4), [i32("i", [[2], [0], [2]])], (3, 4))
    yield from moved("deep", "GATHER_ND", (2, 3, 2), [const("i", [[[1, 2], [0, 0]]], "int64")], (1, 2, 2))
    yield from moved("box", "SLICE", (3, 4), [i32("b", [1, 1]), i32("n", [2, 2])], (2, 2))
    yield from moved("to_end", "SLICE", (5,), [const("b", [2], "int64"), const("n", [-1], "int64")], (3,))
    yield from moved("rank4", "SLICE", (2, 3, 2, 3), [i32("b", [1, 0, 1, 0]), i32("n", [1, -1, 1, 2])], (1, 3, 1, 2))
    yield from moved("empty", "SLICE", (3,), [i32("b", [1]), i32("n", [0])], (0,))
    walk = [i32("b", [0, 3]), i32("e", [3, 0]), i32("s", [2, -1])]
    yield from moved("back", "STRIDED_SLICE", (3, 4), walk, (2, 3), opts("StridedSlice"))
    ends = [i32("b", [0, 0]), i32("e", [0, 0]), i32("s", [1, 2])]
    yield from moved("masks", "STRIDED_SLICE", (3, 4), ends, (3, 2), opts("StridedSlice", beginMask=3, endMask=3))
    one = [i32("b", [1, 0]), i32("e", [2, 4]), i32("s", [1, 1])]
    yield from moved("shrink", "STRIDED_SLICE", (3, 4), one, (4,), opts("StridedSlice", shrinkAxisMask=1))
    yield from moved("rows", "TILE", (2, 3), [i32("m", [3, 1])], (6, 3))
    yield from moved("both", "TILE", (2, 3), [i32("m", [2, 2])], (4, 6))
    yield from moved("i64", "TILE", (2, 1, 2), [const("m", [1, 3, 2], "int64")], (2, 3, 4))


def live_shapes():
    """Shapes that only the data tell, from one invoke to the next."""
    x, n, y = text("x", (6,)), T("n", (1,), "int32"), text("y", (6,))
    y.shape_signature = (-1,)
    rng = rng_of("string sizes")
    b = const("b", [1])
    model = single_op("SLICE", [x, b, n], [y])
    runs = [[strings(rng, (6,)), np.array([k], np.int32)] for k in (2, 5, 0, -1, 1)]
    yield "slice/string/sizes", model, runs, REF, None
    d, v, y = T("d", (2,), "int32"), text("v", (), objects([b"again"])), text("y", (1, 1))
    y.shape_signature = (-1, -1)
    runs = [[np.array(s, np.int32)] for s in ((2, 3), (1, 1), (0, 4), (5, 2))]
    yield "fill/string/sizes", single_op("FILL", [d, v], [y]), runs, REF, None
    for k, value in enumerate((b"", b"\x00 bytes", b"x" * 500)):
        model = single_op("FILL", [const("d", [2, 2]), text("v", (), objects([value]))], [text("y", (2, 2))])
        yield "fill/string/value%d" % k, model, [], REF, None


def compared():
    for op in ("EQUAL", "NOT_EQUAL"):
        for k, (a, b, shape) in enumerate(
            [
                ((2, 3), (2, 3), (2, 3)),
                ((2, 3), (3,), (2, 3)),
                ((3, 1, 2), (4, 1), (3, 4, 2)),
                ((4,), (1,), (4,)),
                ((), (), ()),
            ]
        ):
            name = "%s/string/%d" % (op.lower(), k)
            rng = rng_of(name)
            x, z = text("x", a), text("z", b)
            model = single_op(op, [x, z], [T("y", shape, "bool")])
            sequence = [[strings(rng, a), strings(rng, b)] for _ in range(2)]
            if a == ():  # a string of no dimensions cannot be fed
                model = single_op(
                    op, [text("x", a, objects([b"a"])), text("z", b, objects([b"b"]))], [T("y", shape, "bool")]
                )
                sequence = []
            yield name, model, sequence, REF, None
            fixed = text("z", b, strings(rng, b))
            if a != ():
                yield name + "_const", single_op(op, [x, fixed], [T("y", shape, "bool")]), [strings(rng, a)], REF, None


def asked():
    rng = rng_of("string shapes")
    for k, shape in enumerate([(2, 3), (4,), (1, 2, 3, 4)]):
        for kind in ("int32", "int64"):
            y = T("y", (len(shape),), kind)
            model = single_op("SHAPE", [text("x", shape)], [y], opts("Shape", outType=TYPES[kind]))
            yield "shape/string/%s%d" % (kind, k), model, [strings(rng, shape)], REF, None
        model = single_op("RANK", [text("x", shape)], [T("y", (), "int32")])
        yield "rank/string/%d" % k, model, [strings(rng, shape)], REF, None


def passed_through():
    """Constants and inputs that are outputs, chains, and strings in control flow."""
    rng = rng_of("strings pass")
    b = Builder()
    b.subgraph()
    x, k = text("x", (2, 3)), text("k", (3,), objects([b"", b"k", b"\xff"]))
    y, z, w = text("y", (3, 2)), text("z", (6, 2)), text("w", (3, 1))
    b.op("RESHAPE", [x, const("s", [3, 2])], [y])
    b.op("TILE", [y, const("m", [2, 1])], [z])
    b.op("RESHAPE", [k, const("t", [3, 1])], [w])
    b.io([x], [x, y, z, w])
    yield "reshape/string/chain", b.bytes(), [[strings(rng, (2, 3))] for _ in range(2)], REF, None

    def two(subgraph):
        n, x, n2, x2 = T("n", (), "int32"), text("x", (3,)), T("n2", (), "int32"), text("x2", (3,))
        return n, x, n2, x2

    b = Builder()
    b.subgraph()
    n, x, n2, x2 = two(0)
    b.op("WHILE", [n, x], [n2, x2], opts("While", condSubgraphIndex=1, bodySubgraphIndex=2))
    b.io([n, x], [n2, x2])
    b.subgraph("cond")
    n, x, _, _ = two(1)
    b.op("LESS", [n, T("k", (), "int32", data=np.int32(3))], [T("c", (), "bool")])
    b.io([n, x], [T("c", (), "bool")])
    b.subgraph("body")
    n, x, n2, x2 = two(2)
    b.op("ADD", [n, T("k", (), "int32", data=np.int32(1))], [n2], opts("Add"))
    b.op("GATHER", [x, const("i", [1, 2, 1])], [x2], opts("Gather"))
    b.io([n, x], [n2, x2])
    for start in (0, 2, 9):
        feed = [np.int32(start), strings(rng, (3,))]
        yield "while/string/from%d" % start, b.bytes(), [feed, feed], REF, None
    b = Builder()
    b.subgraph()
    c, x, y = T("c", (1,), "bool"), text("x", (2,)), text("y", (2,))
    b.op("IF", [c, x], [y], opts("If", thenSubgraphIndex=1, elseSubgraphIndex=2))
    b.io([c, x], [y])
    for name, picks in (("then", [1, 0]), ("else", [1, 1])):
        b.subgraph(name)
        b.op("GATHER", [text("x", (2,)), const("i", picks)], [text("y", (2,))], opts("Gather"))
        b.io([text("x", (2,))], [text("y", (2,))])
    runs = [[np.array([v]), strings(rng, (2,))] for v in (True, False, True)]
    yield "if/string/picks", b.bytes(), runs, REF, None


def table(label, keys, values, default, key_type, value_type, runs, once=False, again=()):
    """A table from constants, asked with each of `runs`. `once`: a subgraph of its own imports it, by CALL_ONCE."""
    value = lambda n, a, kind: T(n, np.shape(a), kind, data=a)  # noqa: E731

    def handle(b):
        h = T("h", (1,), "resource")
        b.op("HASHTABLE", [], [h], opts("Hashtable", tableId=7, keyDtype=TYPES[key_type], valueDtype=TYPES[value_type]))
        return h

    def fill(b, h, keys, values, n):
        b.op("HASHTABLE_IMPORT", [h, value("k%d" % n, keys, key_type), value("v%d" % n, values, value_type)], [])

    b = Builder()
    b.subgraph()
    q, y, z = T("q", np.shape(runs[0]), key_type), T("y", np.shape(runs[0]), value_type), T("z", (1,), "int64")
    if once:
        b.op("CALL_ONCE", [], [], opts("CallOnce", initSubgraphIndex=1))
    h = handle(b)
    if not once:
        fill(b, h, keys, values, 0)
    for n, (more_keys, more_values) in enumerate(again):
        fill(b, h, more_keys, more_values, n + 1)
    b.op("HASHTABLE_FIND", [h, q, value("d", default, value_type)], [y])
    b.op("HASHTABLE_SIZE", [h], [z])
    b.io([q], [y, z])
    if once:
        b.subgraph("init")
        fill(b, handle(b), keys, values, 0)
        b.io([], [])
    return label, b.bytes(), [[r] for r in runs], DEFAULT, None


def tables():
    i64 = lambda *a: np.array(a, np.int64)  # noqa: E731
    rng = rng_of("tables")
    numbers, words = (
        i64(5, -7, 1 << 40, 0, -(1 << 63), 99),
        objects([b"five", b"", b"\xff\x00", b"zero", b"w" * 70, b"99"]),
    )
    asked = [i64(0, 99, 5), i64(-7, 4, 1 << 40), i64(-(1 << 63), 6, 0)]
    one = objects([b"none"])
    yield table("hashtable/-/to_strings", numbers, words, one, "int64", "string", asked)
    yield table("hashtable/-/to_strings_once", numbers, words, one, "int64", "string", asked, once=True)
    yield table("hashtable/-/empty_default", numbers, words, objects([b""]), "int64", "string", asked)
    texts = [objects([b"five", b"w", b"w" * 70]), objects([b"\xff\x00", b"\xff", b""])]
    yield table("hashtable_find/-/to_numbers", words, numbers, i64(-1), "string", "int64", texts)
    yield table("hashtable_find/-/to_numbers_once", words, numbers, i64(-1), "string", "int64", texts, once=True)
    yield table(
        "hashtable_find/-/matrix",
        words,
        numbers,
        i64(-1),
        "string",
        "int64",
        [words.reshape(2, 3), words[::-1].reshape(2, 3)],
    )
    twice = objects([b"a", b"b", b"a", b"", b"b", b""])
    yield table("hashtable_import/-/equal_keys", twice, numbers, i64(8), "string", "int64", [twice[:4]])
    yield table("hashtable_import/-/equal_numbers", i64(3, 3, 1, 3), words[:4], one, "int64", "string", [i64(3, 1, 2)])
    later = [(words[:1], i64(123)), (objects([b"new"]), i64(1))]
    yield table(
        "hashtable_import/-/again", words, numbers, i64(8), "string", "int64", [objects([b"five", b"new"])], again=later
    )
    many = rng.permutation(2000).astype(np.int64) - 1000
    named = objects([b"%d" % (v % 977) for v in many])
    picks = [rng.integers(-1200, 1200, 300) for _ in range(2)]
    yield table("hashtable_size/-/many_numbers", many, named, one, "int64", "string", picks)
    yield table(
        "hashtable_size/-/many_strings", named, many, i64(-5000), "string", "int64", [named[100:400], named[:300]]
    )
    b = Builder()
    b.subgraph()
    h, z = T("h", (1,), "resource"), T("z", (1,), "int64")
    b.op("HASHTABLE", [], [h], opts("Hashtable", tableId=1, keyDtype=TYPES["string"], valueDtype=TYPES["int64"]))
    b.op("HASHTABLE_SIZE", [h], [z])
    b.io([], [z])
    yield "hashtable_size/-/nothing", b.bytes(), [], DEFAULT, None


def lookups():
    keys = np.array([-(1 << 31), -5, 0, 3, 3, 3, 8, (1 << 31) - 1], np.int32)
    asked = np.array([[3, 7, -5, 0, (1 << 31) - 1], [-(1 << 31), 8, 8, 1, 3]], np.int32)
    for kind in ("float32", "int32", "int8", "string"):
        for k, row in enumerate([(), (3,), (2, 2)]):
            if kind == "string" and row:
                continue  # LiteRT takes vectors alone
            name = "hashtable_lookup/%s/%d" % ({"float32": "f32", "int32": "i32", "int8": "i8"}.get(kind, kind), k)
            rng, shape = rng_of(name), (len(keys),) + row
            a = strings(rng, shape) if kind == "string" else (rng.normal(0, 50, shape)).astype(kind)
            for where in ("live", "fixed"):
                v = T("v", shape, kind, data=None if where == "live" else a)
                y, h = T("y", (5,) + row, kind), T("hits", (5,), "uint8")
                model = single_op("HASHTABLE_LOOKUP", [T("x", (5,), "int32"), const("k", keys), v], [y, h])
                runs = [[x, a] if where == "live" else [x] for x in asked]
                yield name + where, model, runs, REF, None


def projections():
    for kind, name in (("sparse", 1), ("dense", 2)):
        for dtype in ("int32", "float32", "int8", "int64"):
            variant = "denseF32" if (kind, dtype) == ("dense", "float32") else kind
            # 4 bytes of seed and those of a row: every branch of the hash
            for row in (0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 30, 40):
                label = "lsh_projection/%s/%s_%d" % (variant, dtype, row)
                rng = rng_of(label)
                shape = (5, row) if row else (5,)
                x = rng.integers(-100, 100, shape).astype(dtype)
                hashes, bits = (3, 1 + row % 7) if row != 8 else (2, 32)
                h = rng.normal(0, 1, (hashes, bits)).astype(np.float32)
                w = rng.normal(0, 2, 5).astype(np.float32)
                ins = [T("h", h.shape, data=h), T("x", x.shape, dtype)]
                if row % 3:
                    ins.append(T("w", (5,), data=w if row % 2 else None))
                out = (hashes * (bits if name == 2 else 1),)
                feed = [x] + ([w] if row % 3 and row % 2 == 0 else [])
                model = single_op("LSH_PROJECTION", ins, [T("y", out, "int32")], opts("LSHProjection", type=name))
                yield label, model, feed, REF, None


def grams():
    texts = [
        b"the quick brown fox jumps",
        b" a b c d",
        b"  a b",
        b"one",
        b"",
        b" ",
        b"a\tb\n\xc3\xa9  c ",
        b"a b c d e f g h i",
    ]
    for size, skip, every in [
        (1, 0, 0),
        (1, 5, 1),
        (2, 0, 0),
        (2, 1, 1),
        (3, 1, 1),
        (3, 2, 0),
        (4, 9, 0),
        (2, -1, 1),
        (2, -1, 0),
        (0, 0, 1),
        (5, 0, 1),
    ]:
        o = opts("SkipGram", ngramSize=size, maxSkipSize=skip, includeAllNgrams=bool(every))
        y = text("y", (1,))
        y.shape_signature = (-1,)
        label = "skip_gram/-/%d_%d_%d" % (size, skip, every)
        yield (
            label.replace("-1", "minus"),
            single_op("SKIP_GRAM", [text("x", (1,))], [y], o),
            [[objects([t])] for t in texts],
            REF,
            None,
        )
        fixed = single_op("SKIP_GRAM", [text("x", (2,), objects([texts[0], b"not looked at"]))], [y], o)
        yield label.replace("-1", "minus") + "_const", fixed, [], REF, None


def cases():
    yield from tables()
    yield from lookups()
    yield from projections()
    yield from grams()
    yield from movers()
    yield from live_shapes()
    yield from compared()
    yield from asked()
    yield from passed_through()
