"""Models with one thing wrong, each as (name, bytes of the file, status, rule): what a file says and what calls say, in one form."""

import numpy as np

from mkmodel import Builder, T, opts, schema

INVALID, UNSUPPORTED, LIMIT = 3, 4, 7


def x(**kw):
    return T("x", kw.pop("shape", (2, 3)), kw.pop("dtype", "float32"), **kw)


def y(**kw):
    return T("y", kw.pop("shape", (2, 3)), kw.pop("dtype", "float32"), **kw)


def made(inputs=None, outputs=None, op="RELU", ins=None, outs=None, change=None, **kw):
    """One subgraph with one operator; `change` gets the Builder before it is packed."""
    ins, outs = ins or [x()], outs or [y()]
    b = Builder()
    b.subgraph()
    for t in ins + outs:
        b.tensor(t)
    b.op(op, ins, outs, **kw)
    b.io(inputs if inputs is not None else ins[:1], outputs if outputs is not None else outs)
    if change:
        change(b.model)
    return b.bytes()


def first(model):
    return model.subgraphs[0]


def op(model):
    return first(model).operators[0]


def sets(where, field, value):
    def change(model):
        setattr(where(model), field, np.array(value, np.int32) if isinstance(value, list) else value)

    return change


def loop(body_calls):
    """WHILE whose body is the subgraph that it stands in."""
    b = Builder()
    for name in ("main", "cond", "body"):
        b.subgraph(name)
        i = T("i", (1,), "int32")
        if name == "cond":
            less = T("less", (1,), "bool")
            b.op("LESS", [i, T("ten", (1,), "int32", data=np.array([10], np.int32))], [less])
            b.io([i], [less])
            continue
        o = schema.WhileOptionsT()
        o.condSubgraphIndex, o.bodySubgraphIndex = 1, body_calls
        out = T("out", (1,), "int32")
        b.op("WHILE", [i], [out], o)
        b.io([i], [out])
    return b.bytes()


def composite(parts=1, ins=1, outs=1, dtype="float32", shape=(2, 3), types=("float32", "float32")):
    """STABLEHLO_COMPOSITE of x, whose parts are an ABS or a composite of the subgraph that a list names next."""
    b = Builder()
    chain = parts if isinstance(parts, list) else [parts, None]
    for number, target in enumerate(chain):
        b.subgraph("sub%d" % number)
        u, v = (
            T("u", shape if number else (2, 3), types[0] if number else "float32"),
            T("v", (2, 3), types[1] if number else dtype),
        )
        if target is None:
            b.op("ABS", [u], [v])
        else:
            o = schema.StableHLOCompositeOptionsT()
            o.name, o.decompositionSubgraphIndex, o.compositeAttributes = b"my.thing", target, [0, 36, 1]
            more = [T("v%d" % i, (2, 3)) for i in range(1, outs)] if number == 0 else []
            b.op("STABLEHLO_COMPOSITE", [u] * (ins if number == 0 else 1), [v, *more], o)
        b.io([u], [v])
    return b.bytes()


def initializer(n_in):
    """CALL_ONCE of a subgraph with inputs, which nobody gives."""
    b = Builder()
    b.subgraph("main")
    b.op("CALL_ONCE", [], [], opts("CallOnce", initSubgraphIndex=1))
    x, y = T("x", (2,)), T("y", (2,))
    b.op("ABS", [x], [y])
    b.io([x], [y])
    b.subgraph("init")
    b.io([T("u%d" % i, (2,)) for i in range(n_in)], [])
    return b.bytes()


def composites():
    yield "an initializer with an input", initializer(1), INVALID, "control_flow.count"
    yield "a composite of its own subgraph", composite(0), INVALID, "graph.recursion"
    yield "composites in a circle", composite([1, 2, 1]), INVALID, "graph.recursion"
    yield "composites 20 deep", composite([*range(1, 20), None]), INVALID, "graph.recursion"
    yield "a composite without parts", composite(9), INVALID, "graph.subgraph_index"
    yield "a composite of subgraph -1", composite(-1), INVALID, "graph.subgraph_index"
    yield "a composite with too many inputs", composite(ins=2), INVALID, "control_flow.count"
    yield "a composite with too few inputs", composite(ins=0), INVALID, "control_flow.count"
    yield "a composite with too many outputs", composite(outs=2), INVALID, "control_flow.count"
    yield "a composite's output of another type", composite(dtype="int32"), INVALID, "control_flow.output"
    yield "a composite's input of another type", composite(types=("int32", "int32")), UNSUPPORTED, "control_flow.input"


def signed(change):
    b = Builder()
    b.subgraph()
    b.op("RELU", [x()], [y()])
    b.io([x()], [y()])
    b.signature("serve")
    change(b.model.signatureDefs[0])
    return b.bytes()


def conv(**kw):
    o = schema.Conv2DOptionsT()
    o.strideW = o.strideH = kw.pop("stride", 1)
    o.padding = kw.pop("padding", 0)
    w = T("w", kw.pop("filter", (4, 1, 1, 3)), "float32", data=np.zeros(kw.pop("data", (4, 1, 1, 3)), np.float32))
    ins = [x(shape=kw.pop("shape", (1, 4, 4, 3))), w] + kw.pop(
        "more", [T("b", (4,), "float32", data=np.zeros(4, np.float32))]
    )
    return made(op="CONV_2D", ins=ins, outs=[y(shape=(1, 4, 4, 4))], options=o)


def no_subgraph():
    return Builder().bytes()


def sparse(where):
    s = schema.SparsityParametersT()
    s.traversalOrder, s.blockMap, s.dimMetadata = np.array([0, 1], np.int32), np.zeros(0, np.int32), []
    for n in (2, 3):
        level = schema.DimensionMetadataT()
        level.format, level.denseSize = 0, n
        s.dimMetadata.append(level)
    t = T("s", (2, 3), "float32", data=None if where == "empty" else np.zeros((2, 3), np.float32), sparsity=s)
    if where == "input":
        return made(ins=[t])
    if where == "output":
        return made(ins=[x(), t], outputs=[t])
    if where == "read":
        return made(op="ADD", ins=[x(), t])
    if where == "variable":
        t.is_variable = True
    return made(ins=[x(), t])


def quantized(scale, zero, dtype="int8"):
    return made(ins=[x(dtype=dtype, scale=scale, zero_point=zero)], outs=[y(dtype=dtype, scale=1.0, zero_point=0)])


def broken():
    big = (1 << 16, 1 << 16)
    yield "rank 9", made(ins=[x(shape=(1,) * 9)]), UNSUPPORTED, "tflite.rank"
    yield "a dimension of -2", made(ins=[x(shape=(2, -2))]), INVALID, "tflite.dimension"
    yield "too large a tensor", made(ins=[x(shape=big)]), LIMIT, "tflite.tensor_size"
    yield "an unknown type", made(change=sets(lambda m: first(m).tensors[0], "type", 23)), UNSUPPORTED, "tflite.type"
    yield "a constant too short", conv(data=(4, 1, 1, 2)), INVALID, "tflite.buffer_size"
    yield "a constant too long", conv(data=(5, 1, 1, 3)), INVALID, "tflite.buffer_size"
    yield (
        "a variable with contents",
        made(ins=[x(), T("v", (1,), data=np.zeros(1, np.float32), is_variable=True)]),
        INVALID,
        "graph.variable_data",
    )
    for field, value in (
        ("inputs", [7]),
        ("inputs", [-2]),
        ("outputs", [7]),
        ("outputs", [-1]),
        ("intermediates", [9]),
    ):
        yield (
            "an operator's %s %s" % (field, value),
            made(change=sets(op, field, value)),
            INVALID,
            "tflite.tensor_index",
        )
    for field in ("inputs", "outputs"):
        for value in (-1, 2):
            yield (
                "%s of the subgraph [%d]" % (field, value),
                made(change=sets(first, field, [value])),
                INVALID,
                "tflite.tensor_index",
            )
    yield "reads what nobody writes", made(inputs=[]), INVALID, "graph.undefined_input"
    yield (
        "an output nobody writes",
        made(outputs=[y(), T("z", (1,))], ins=[x(), T("z", (1,))], op="RELU", change=sets(op, "inputs", [0])),
        INVALID,
        "graph.undefined_output",
    )
    yield "writes its input", made(change=sets(op, "outputs", [0])), INVALID, "graph.written_twice"
    yield (
        "writes a constant",
        made(ins=[x(), T("c", (2, 3), data=np.zeros((2, 3), np.float32))], change=sets(op, "outputs", [1])),
        INVALID,
        "graph.written_twice",
    )
    yield "writes twice", made(change=lambda m: first(m).operators.append(op(m))), INVALID, "graph.written_twice"
    for where, status in (("input", INVALID), ("output", UNSUPPORTED), ("variable", INVALID), ("empty", INVALID)):
        yield "a sparse " + where, sparse(where), status, "graph.sparse"
    yield "a sparse operand", sparse("read"), UNSUPPORTED, "op.sparse"
    yield "no subgraph", no_subgraph(), INVALID, "tflite.no_subgraph"
    yield "a signature of no subgraph", signed(lambda s: setattr(s, "subgraphIndex", 1)), INVALID, "tflite.signature"
    yield (
        "a signature's input is none",
        signed(lambda s: setattr(s.inputs[0], "tensorIndex", 1)),
        INVALID,
        "tflite.signature",
    )
    yield (
        "a signature's output is none",
        signed(lambda s: setattr(s.outputs[0], "tensorIndex", 9)),
        INVALID,
        "tflite.signature",
    )
    for scale, zero in ((-1.0, 0), (float("nan"), 0), (float("inf"), 0), (1.0, 128)):
        yield (
            "scale %g, zero point %d" % (scale, zero),
            quantized(scale, zero),
            INVALID,
            "op.zero_point" if zero else "op.scale",
        )
    yield "an unknown custom operator", made(custom=("Mine", b"")), UNSUPPORTED, "op.unknown"
    yield "a builtin without kernel", made(op="CONCAT_EMBEDDINGS"), UNSUPPORTED, "op.unknown"
    yield "too few inputs", made(op="ADD"), INVALID, "op.input_count"
    yield (
        "too many inputs",
        made(ins=[x(), T("x2", (2, 3), data=np.zeros((2, 3), np.float32))]),
        INVALID,
        "op.input_count",
    )
    yield "stride 0", conv(stride=0), INVALID, "window.stride"
    yield "padding 7", conv(padding=7), INVALID, "window.padding"
    yield "a filter of another depth", conv(filter=(4, 1, 1, 2), data=(4, 1, 1, 2)), INVALID, "conv_2d.channels"
    yield "a subgraph that calls itself", loop(2), INVALID, "graph.recursion"
    yield "a subgraph that is not there", loop(9), INVALID, "graph.subgraph_index"
    yield from composites()
