"""Windows over tensors and elements moved apart: REDUCE_WINDOW, DILATE and their relatives of StableHLO."""

from index_cases import SHORT, np, one, rng_of, shape_of, values
from mkmodel import Builder, T, opts
from op_cases import REF

FUNCTIONS = ["add", "mul", "minimum", "maximum", "all", "any"]  # of the schema, from 1


def small(rng, shape, dtype):
    """Values whose sums and products are exact in every type, or wrap."""
    return values(rng, shape, dtype) if dtype in ("bool", "int8") else rng.integers(0, 4, shape).astype(dtype)


def reduce_window_cases():
    def case(label, x, function, init, window, strides, dilations):
        out = [
            max(0, (n - (w - 1) * d - 1) // s + 1)
            for n, w, s, d in zip(x.shape, window, strides, dilations, strict=True)
        ]
        numbers = [(np.array(v, np.int64), 1) for v in (window, strides, dilations)]
        options = opts("ReduceWindow", reduceFunction=function)
        return one("REDUCE_WINDOW", label, [(x, 0), (np.array(init, x.dtype), 1)] + numbers, [(out, x.dtype)], options)

    for v in ["bool", "f32", "i16", "i32", "i64", "i8", "u8"]:
        for f, name in enumerate(FUNCTIONS, 1):
            if v == "bool" and name == "add":
                continue  # a sum of bytes, which are neither 0 nor 1
            for rank in (1, 2, 4):
                rng = rng_of("reduce_window%s%s%d" % (v, name, rank))
                window, strides, dilations = (rng.integers(1, 4, rank) for _ in range(3))
                shape = (window - 1) * dilations + 1 + rng.integers(0, 4, rank)
                x = small(rng, shape, SHORT[v])
                yield case("%s/%s_rank%d" % (v, name, rank), x, f, f in (2, 5), window, strides, dilations)
    rng = rng_of("reduce_window")
    yield case(
        "f32/rank6", small(rng, (2, 3, 1, 2, 3, 4), "float32"), 1, 3, [1, 2, 1, 2, 2, 3], [1] * 6, [1, 2, 1, 1, 2, 1]
    )
    yield case("f32/floats", values(rng, (5, 6, 7), "float32"), 1, 0.5, [3, 2, 4], [1, 2, 1], [1, 2, 1])
    odd = np.array([1, np.nan, 2, 3, np.nan, np.nan, -1, np.inf], np.float32)
    for f in (1, 2, 3, 4, 5, 6):
        yield case("f32/not_a_number_%s" % FUNCTIONS[f - 1], odd, f, 1, [3], [1], [1])


def spread(shape, low, high, inner):
    return tuple((n - 1) * (i + 1) + 1 + a + b for n, a, b, i in zip(shape, low, high, inner, strict=True))


def dilate_cases():
    for v in ["bool", "f32", "i16", "i32", "i64", "i8", "u8"]:
        for rank in (1, 2, 3, 5):
            rng = rng_of("dilate%s%d" % (v, rank))
            shape, by = shape_of(rng, rank, 4), rng.integers(1, 4, rank)
            x, pad = values(rng, shape, SHORT[v]), values(rng, (), SHORT[v])
            out = [(spread(shape, [0] * rank, [0] * rank, by - 1), SHORT[v])]
            ins = [(x, 0), (by.astype(np.int32), rank != 3), (pad, rank == 2)]
            yield one("DILATE", "%s/rank%d" % (v, rank), ins, out, opts("Dilate"))
        ins = [(values(rng, (3, 4), SHORT[v]), 0), (np.array([1, 1], np.int32), 1), (values(rng, (), SHORT[v]), 1)]
        yield one("DILATE", v + "/nothing", ins, [((3, 4), SHORT[v])], opts("Dilate"))


def stablehlo_pad_cases():
    def case(label, x, low, high, inner):
        shape = spread(x.shape, low, high, inner)
        out = shape if min(shape) > 0 else (0,) * x.ndim
        arrays = [np.array(v, np.int64) for v in (low, high, inner)]
        options = opts("StablehloPad", edgePaddingLow=arrays[0], edgePaddingHigh=arrays[1], interiorPadding=arrays[2])
        pad = values(rng_of(label), (), str(x.dtype))
        return one("STABLEHLO_PAD", label, [(x, 0), (pad, 0)], [(out, x.dtype)], options)

    for v in ["f32", "i16", "i32", "i64", "i8"]:
        rng = rng_of("stablehlo_pad" + v)
        yield case(v + "/around", values(rng, (3, 4), SHORT[v]), [1, 0], [2, 3], [0, 0])
        yield case(v + "/between", values(rng, (3, 2, 2), SHORT[v]), [0, 1, 0], [0, 0, 1], [1, 0, 2])
        yield case(v + "/cut", values(rng, (5, 6), SHORT[v]), [-1, 2], [-2, -3], [0, 0])
        yield case(v + "/cut_between", values(rng, (4, 5), SHORT[v]), [-2, -4], [-3, -1], [2, 1])
        yield case(v + "/vector", values(rng, (6,), SHORT[v]), [3], [-4], [1])
        yield case(
            v + "/rank5", values(rng, (2, 1, 3, 2, 2), SHORT[v]), [1, 0, -1, 0, 2], [0, 2, 1, -1, 0], [0, 3, 1, 0, 1]
        )
    for i in range(25):
        rng = rng_of("stablehlo_pad_any%d" % i)
        rank = int(rng.integers(1, 5))
        shape, inner = shape_of(rng, rank, 5), rng.integers(0, 3, rank)
        low, high = rng.integers(-4, 4, rank), rng.integers(-4, 4, rank)
        if min(spread(shape, low, high, inner)) > 0:
            yield case("f32/any%d" % i, values(rng, shape, "float32"), low, high, inner)


def stablehlo_reduce_window_case(label, x, body, init, window, strides, base, dilations, padding):
    """`body`: the operator of the subgraph that says how to reduce."""
    dtype = str(x.dtype)
    pads = np.array(padding, np.int64).reshape(-1, 2)
    have = [(n - 1) * b + 1 + p[0] + p[1] for n, b, p in zip(x.shape, base, pads, strict=True)]
    out = [max(0, (n - (w - 1) * d - 1) // s + 1) for n, w, s, d in zip(have, window, strides, dilations, strict=True)]
    t, i, y = T("x", x.shape, dtype), T("i", (), dtype), T("y", out, dtype)
    b = Builder()
    b.subgraph()
    names = ["windowDimensions", "windowStrides", "baseDilations", "windowDilations"]
    lists = {k: np.array(v, np.int64) for k, v in zip(names, (window, strides, base, dilations), strict=True)}
    options = opts("StablehloReduceWindow", bodySubgraphIndex=1, padding=pads.reshape(-1), **lists)
    b.op("STABLEHLO_REDUCE_WINDOW", [t, i], [y], options)
    b.io([t, i], [y])
    b.subgraph("body")
    ends = [T(n, (), dtype) for n in ("a", "b", "c")]
    b.op(body, ends[:2], ends[2:])
    b.io(ends[:2], ends[2:])
    return ("stablehlo_reduce_window/" + label, b.bytes(), [x, np.array(init, dtype)], REF, None)


def stablehlo_reduce_window_cases():
    for v in ["f32", "i16", "i32", "i64", "i8"]:
        # ADD and MUL of the other types would need quantization.
        more = ["ADD", "MUL"] if v in ("f32", "i32", "i64") else []
        for body in ["STABLEHLO_ADD", "STABLEHLO_MULTIPLY", "STABLEHLO_MAXIMUM", "STABLEHLO_MINIMUM"] + more:
            for rank in (1, 2, 4):
                rng = rng_of("shlo_window%s%s%d" % (v, body, rank))
                window, strides, base, dilations = (rng.integers(1, 4, rank) for _ in range(4))
                padding = rng.integers(0, 3, (rank, 2))
                need = (window - 1) * dilations + 1 - padding.sum(1)
                shape = np.maximum((need + base - 1) // base, 1) + rng.integers(0, 3, rank)
                x = small(rng, shape, SHORT[v])
                label = "%s/%s_rank%d" % (v, body.lower(), rank)
                yield stablehlo_reduce_window_case(label, x, body, 1, window, strides, base, dilations, padding)
        rng = rng_of("shlo_window" + v)
        x = small(rng, (7, 6), SHORT[v])
        yield stablehlo_reduce_window_case(
            v + "/cut", x, "STABLEHLO_ADD", 2, [2, 2], [1, 2], [1, 2], [2, 1], [[-2, 1], [3, -4]]
        )
    rng = rng_of("shlo_window")
    x = values(rng, (2, 9, 3), "float32")
    window = [1, 4, 1], [1, 2, 1], [1, 1, 1], [1, 1, 1], [[0, 0], [2, 3], [0, 0]]
    truth = values(rng, (5, 6), "bool")
    for body, init in [("LOGICAL_AND", True), ("LOGICAL_OR", False)]:
        shapes = [2, 2], [1, 2], [1, 1], [2, 1], [[0, 1], [2, 0]]
        yield stablehlo_reduce_window_case("bool/" + body.lower(), truth, body, init, *shapes)
    yield stablehlo_reduce_window_case("f32/sums", x, "STABLEHLO_ADD", 0.25, *window)
    yield stablehlo_reduce_window_case(
        "f32/cumsum", x, "ADD", 0, [1, 9, 1], [1, 1, 1], [1] * 3, [1] * 3, [[0, 0], [8, 0], [0, 0]]
    )


def cases():
    for group in [reduce_window_cases, dilate_cases, stablehlo_pad_cases, stablehlo_reduce_window_cases]:
        yield from group()
