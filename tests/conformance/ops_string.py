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
            [((2, 3), (2, 3), (2, 3)), ((2, 3), (3,), (2, 3)), ((3, 1, 2), (4, 1), (3, 4, 2)), ((4,), (1,), (4,)), ((), (), ())]
        ):
            name = "%s/string/%d" % (op.lower(), k)
            rng = rng_of(name)
            x, z = text("x", a), text("z", b)
            model = single_op(op, [x, z], [T("y", shape, "bool")])
            sequence = [[strings(rng, a), strings(rng, b)] for _ in range(2)]
            if a == ():  # a string of no dimensions cannot be fed
                model = single_op(op, [text("x", a, objects([b"a"])), text("z", b, objects([b"b"]))], [T("y", shape, "bool")])
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


def cases():
    yield from movers()
    yield from live_shapes()
    yield from compared()
    yield from asked()
    yield from passed_through()
