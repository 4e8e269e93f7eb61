"""The kinds of network that unseen.py draws: TEMPLATES, functions that fill a Net."""

import numpy as np
from mkmodel import T, opts


def image(net, channels=None):
    h = int(net.rng.integers(3, 13)) * 2
    x = net.new((1, h, net.pick(h, h + 2), channels or net.pick(1, 3, 4, 8)))
    if net.dtype != "float32" and net.chance(25):  # the float or unsigned input is quantized first
        x = net.new(x.shape, net.pick("float32", "uint8", "int8"))
        return x, net.quantize(x)
    return x, x


def finish(net, x):
    """What comes after the last layer."""
    how = net.pick("as it is", "float", "softmax", "arg max", "two", "logistic")
    if how == "float" and x.dtype != "float32":
        return [net.dequantize(x)]
    if how == "softmax":
        return [net.unary("SOFTMAX", x, "Softmax", beta=1.0)]
    if how == "arg max" and len(x.shape) > 1:
        y = T(net.name(), x.shape[:-1], net.pick("int32", "int64"))
        return [
            net.op(
                "ARG_MAX",
                [x, net.const(len(x.shape) - 1)],
                [y],
                opts("ArgMax", outputType=2 if y.dtype == "int32" else 4),
            )
        ]
    if how == "two":
        return [x, net.some_activation(x)]
    return [net.unary("LOGISTIC", x)] if how == "logistic" else [x]


def head(net, x, classes=10):
    """From a feature map to a row of numbers."""
    n, h, w, d = x.shape
    how = net.pick("mean", "mean", "pool", "flatten", "conv")
    if how == "mean":
        x = net.mean(x, (1, 2))
    elif how == "pool":
        x = net.pool(x, "AVERAGE_POOL_2D", max(h, w), max(h, w))
    elif how == "conv":
        x = net.conv(net.mean(x, (1, 2), keep=True), classes, 1)
    if len(x.shape) == 4:
        n, h, w, d = x.shape
        x = (
            net.reshape(x, (n, h * w * d))
            if net.chance(80) or h * w > 1
            else net.op("SQUEEZE", [x], [net.like(x, (n, d))], opts("Squeeze", squeezeDims=np.array([1, 2], np.int32)))
        )
    return finish(net, net.dense(x, classes))


def classifier(net):
    net.b.subgraph()
    x, y = image(net)
    y = net.conv(y, net.pick(4, 8), 3, 2)
    for _ in range(int(net.rng.integers(1, 4))):
        y = net.conv(y, 0, 3, net.pick(1, 1, 2), depthwise=True)
        y = net.conv(y, net.pick(4, 8, 12), 1)
        if net.chance(20):
            y = net.some_activation(y)
        if net.chance(15):
            y = net.pad_conv(y, 4)
    net.close([x], head(net, y))


def residual(net):
    net.b.subgraph()
    x, y = image(net)
    y = net.conv(y, 8, 3)
    for _ in range(int(net.rng.integers(1, 4))):
        branch = net.conv(net.conv(y, 12, 1), 8, 3, padding=0)
        if net.chance(30):  # squeeze and excite
            gate = net.unary("LOGISTIC", net.conv(net.mean(branch, (1, 2), keep=True), 8, 1))
            branch = net.binary("MUL", branch, gate)
        if net.chance(30):
            branch = net.some_activation(branch)
        y = net.binary(net.pick("ADD", "ADD", "SUB", "MUL", "MAXIMUM"), y, branch)
        if net.chance(15) and y.dtype != "float32":  # an island of floats
            y = net.quantize(net.some_activation(net.dequantize(y)))
        if net.chance(15):
            y = net.binary("MUL", y, net.stored((1, 1, 1, 8), y))
    net.close([x], head(net, y) if net.chance(70) else [y])


def unet(net):
    net.b.subgraph()
    x, y = image(net)
    n, h, w, d = y.shape
    skips = []
    for _ in range(2):
        y = net.conv(y, 6, 3, padding=0)
        skips.append(y)
        if y.shape[1] % 2 or y.shape[2] % 2:
            break
        y = net.pool(y)
    for skip in skips[::-1]:
        if skip.shape[1] == 2 * y.shape[1]:
            y = net.up_conv(y, 6) if net.chance(50) else net.resize(y)
        if skip.shape[1:3] == y.shape[1:3]:
            if y.dtype != "float32":
                skip = net.op("QUANTIZE", [skip], [net.like(y, skip.shape)], opts("Quantize"))
            y = net.concat([y, skip], net.pick(3, -1))
        y = net.conv(y, 4, 3, padding=0)
    outputs = [y] if net.chance(50) else finish(net, y)
    net.close([x], outputs)


def detector(net):
    net.b.subgraph()
    x, y = image(net)
    boxes, scores = [], []
    for i in range(2):
        y = net.conv(y, 8, 3, 2)
        n, h, w, d = y.shape
        for parts, width in ((boxes, 4), (scores, 3)):
            p = net.conv(y, 2 * width, 1, act=0)
            parts.append(net.reshape(p, (1, h * w * 2, width)))
    boxes = [boxes[0]] + [
        net.op("QUANTIZE", [b], [net.like(boxes[0], b.shape)], opts("Quantize")) if b.dtype != "float32" else b
        for b in boxes[1:]
    ]
    scores = [scores[0]] + [
        net.op("QUANTIZE", [s], [net.like(scores[0], s.shape)], opts("Quantize")) if s.dtype != "float32" else s
        for s in scores[1:]
    ]
    box, score = net.concat(boxes, 1), net.unary("LOGISTIC", net.concat(scores, 1))
    if net.chance(40):
        parts = net.split(box, 2, 2)
        box = net.concat([parts[1], net.binary("ADD", *parts)][::-1], 2) if box.dtype == "float32" else parts[1]
    if net.chance(40) and score.dtype != "float32":
        box, score = net.dequantize(box), net.dequantize(score)
    if net.chance(25):
        boxes, classes, best = (T(net.name(), (1, 3) + n, "float32") for n in ((4,), (), ()))
        found = T(net.name(), (1,), "float32")
        anchors = net.stored((box.shape[1], 4), box)
        net.op(
            "CUSTOM",
            [box, score, anchors],
            [boxes, classes, best, found],
            custom=("TFLite_Detection_PostProcess", None),
        )
        net.close([x], [boxes, classes, best, found])
        return
    if net.chance(30):
        values, order = net.like(score, (1, score.shape[1], 2)), T(net.name(), (1, score.shape[1], 2), "int32")
        net.op("TOPK_V2", [score, net.const(2)], [values, order], opts("TopKV2"))
        net.close([x], [box, values, order] if net.chance(60) else [box, order])
        return
    net.close([x], [box, score])


def transformer(net):
    """Attention over a sequence, with a mask now and then."""
    net.b.subgraph()
    t, d = net.pick(4, 7), net.pick(8, 12)
    x = net.new((1, t, d))
    inputs, y = [x], x
    for _ in range(int(net.rng.integers(1, 3))):
        q, k, v = (net.dense(y, d, 0) for _ in range(3))
        if net.chance(50):  # two heads
            q, k, v = (net.transpose(net.reshape(p, (1, t, 2, d // 2)), (0, 2, 1, 3)) for p in (q, k, v))
        lead = q.shape[:-2]
        s = net.op("BATCH_MATMUL", [q, k], [net.new(lead + (t, t))], opts("BatchMatMul", adjY=True))
        mask = net.pick("none", "stored", "input", "select")
        if mask == "stored":
            s = net.binary("ADD", s, net.stored((1,) * len(lead) + (t, t), s), s.shape)
        elif mask == "input":
            m = net.like(s, (1,) * len(lead) + (t, t))
            inputs.append(m)
            s = net.binary("ADD", s, m, s.shape)
        elif mask == "select":
            m = T(net.name(), s.shape, "bool")
            inputs.append(m)
            s = net.op("SELECT_V2", [m, s, net.stored(s.shape, s)], [net.like(s)], opts("SelectV2"))
        s = net.unary("SOFTMAX", s, "Softmax", beta=1.0)
        a = net.op("BATCH_MATMUL", [s, v], [net.new(v.shape)], opts("BatchMatMul"))
        if len(lead) == 2:
            a = net.reshape(net.transpose(a, (0, 2, 1, 3)), (1, t, d))
        y = net.binary("ADD", y, net.dense(a, d, 0))
        if net.chance(60):  # layer normalization
            m = net.mean(y, (2,), keep=True)
            c = net.binary("SUB", y, m, y.shape)
            sq = net.op(net.pick("MUL", "SQUARED_DIFFERENCE"), [y, m] if net.chance(50) else [c, c], [net.new(y.shape)])
            r = (
                net.unary("RSQRT", net.mean(sq, (2,), keep=True), "Rsqrt")
                if net.chance(0)
                else net.op("RSQRT", [net.mean(sq, (2,), keep=True)], [net.new((1, t, 1))])
            )
            y = net.binary("MUL", c, r, y.shape)
        y = net.dense(net.some_activation(net.dense(y, 2 * d)), d)
    if net.chance(40):
        y = net.op("GATHER", [y, net.const([0])], [net.like(y, (1, 1, d))], opts("Gather", axis=1))
    net.close(inputs, [y])


def embedding(net):
    """Words to vectors by GATHER; shapes follow from the input's."""
    net.b.subgraph()
    words, d = 6, 8
    x = T("words", (1, words), "int32", shape_signature=(1, -1) if net.chance(30) else None)
    like = net.new((1, 4))
    table = net.stored((20, d), like)
    y = net.op("GATHER", [table, x], [net.like(like, (1, words, d))], opts("Gather"))
    how = net.pick("mean", "flatten", "fill")
    if how == "fill":
        mask = T(net.name(), (1, words), "int32")
        net.op("FILL", [net.shape_of(x), net.const(1)], [mask], opts("Fill"))
        y = net.mean(y, (1,), keep=False)
        net.close([x], [net.dense(y, 3), mask] if net.chance(50) else [net.dense(y, 3)])
        return
    y = net.mean(y, (1,), keep=False) if how == "mean" else net.reshape(y, (1, words * d))
    net.close([x], finish(net, net.dense(y, 3)))


def variable_options(net, name):
    return opts("VarHandle", container=b"", sharedName=name.encode())


def streaming(net):
    """Keyword spotting with states, as variables: read, concatenated, cut, assigned; initialised by CALL_ONCE."""
    net.b.subgraph()
    t, d = 4, 8
    once, layers = net.chance(70), int(net.rng.integers(1, 3))
    first = int(net.rng.integers(2))  # is CALL_ONCE the first operator?
    x = net.new((1, 1, d))
    states, y = [], x
    for i in range(layers):
        state = net.new((1, t, y.shape[2]), net.pick(y.dtype, y.dtype, "float32"), y.scale, y.zero_point)
        handle = T("handle%d" % i, net.pick((), (), (1,)), "resource")
        states.append((handle, state))
        if i == 0 and once and first:
            net.op("CALL_ONCE", [], [], opts("CallOnce", initSubgraphIndex=1))
        net.op("VAR_HANDLE", [], [handle], variable_options(net, "v%d" % i))
        net.op("READ_VARIABLE", [handle], [state], opts("ReadVariable"))
        if state.dtype != y.dtype:
            state = net.quantize(state) if state.dtype == "float32" else net.dequantize(state)
        line = net.concat([state, y], 1)
        new = net.slice(line, [0, 1, 0], [1, t, y.shape[2]])
        if net.chance(30):
            new = net.op(
                "STRIDED_SLICE",
                [line, net.const([0, 1, 0]), net.const([1, t + 1, y.shape[2]]), net.const([1, 1, 1])],
                [net.like(line, new.shape)],
                opts("StridedSlice"),
            )
        if states[-1][1].dtype != new.dtype:
            new = net.dequantize(new) if states[-1][1].dtype == "float32" else net.quantize(new)
        net.op("ASSIGN_VARIABLE", [handle, new], [], opts("AssignVariable"))
        line = net.reshape(line, (1, t + 1, 1, line.shape[2]))
        y = net.reshape(net.mean(net.conv(line, 6, 1), (1, 2), keep=True), (1, 1, 6))
    if once and not first:
        net.op("CALL_ONCE", [], [], opts("CallOnce", initSubgraphIndex=1))
    net.close([x], finish(net, net.dense(net.reshape(y, (1, 6)), 3)))
    if once:
        net.b.subgraph("init")
        for i, (_, state) in enumerate(states):
            handle = T("init_handle%d" % i, (), "resource")
            net.op("VAR_HANDLE", [], [handle], variable_options(net, "v%d" % i))
            zeros = np.zeros(state.shape)
            net.op(
                "ASSIGN_VARIABLE",
                [handle, T("zeros%d" % i, state.shape, state.dtype, state.scale, state.zero_point, data=zeros)],
                [],
                opts("AssignVariable"),
            )
        net.b.io([], [])


def counters(net):
    """Variables of all kinds: read twice, never read, never written, of other types, shared by subgraphs."""
    net.b.subgraph()
    x = net.new((1, 6))
    kind = net.pick(net.dtype, net.dtype, "int32", "float32", "bool", "int64")
    held = net.new(net.pick((1, 6), (6,), ()) if kind != net.dtype else (1, 6), kind, x.scale, x.zero_point)
    handle = T("handle", net.pick((), (1,)), "resource")
    outputs, once = [net.dense(x, 4)], net.chance(60)
    if once:
        net.op("CALL_ONCE", [], [], opts("CallOnce", initSubgraphIndex=1))
    net.op("VAR_HANDLE", [], [handle], variable_options(net, "v"))
    first = net.op("READ_VARIABLE", [handle], [held], opts("ReadVariable"))
    if kind == net.dtype and net.chance(60):
        new = net.binary(
            net.pick("ADD", "MAXIMUM"),
            first,
            net.op("QUANTIZE", [x], [net.like(first)], opts("Quantize")) if kind != "float32" else x,
        )
    elif kind in ("int32", "float32"):
        one = T("one", held.shape, kind, data=np.ones(held.shape))
        new = net.op("ADD", [first, one], [net.new(held.shape, kind)], opts("Add"))
    else:
        new = T("given", held.shape, kind, held.scale, held.zero_point, data=np.ones(held.shape))
    if net.chance(80):
        net.op("ASSIGN_VARIABLE", [handle, new], [], opts("AssignVariable"))
    if net.chance(30):
        again = net.op("READ_VARIABLE", [handle], [net.like(held)], opts("ReadVariable"))
        outputs += [again] if net.chance(50) else []
    if net.chance(30):
        other = T("other", (), "resource")
        net.op("VAR_HANDLE", [], [other], variable_options(net, "w"))
        net.op("ASSIGN_VARIABLE", [other, x], [], opts("AssignVariable"))
    net.close([x], outputs + ([first] if net.chance(50) else []))
    if once or net.chance(40):
        init = net.b.subgraph("init" if once else "reset")
        handle = T("init_handle", (), "resource")
        net.op("VAR_HANDLE", [], [handle], variable_options(net, "v"))
        zeros = T(
            "zeros",
            held.shape,
            kind,
            None if net.chance(30) else held.scale,
            held.zero_point,
            data=np.zeros(held.shape),
        )
        if net.chance(20):
            zeros = net.op(
                "CAST", [T("ints", held.shape, "int32", data=np.zeros(held.shape))], [net.like(held)], opts("Cast")
            )
        net.op("ASSIGN_VARIABLE", [handle, zeros], [], opts("AssignVariable"))
        net.b.io([], [])
        assert init


def signatures(net):
    """Several subgraphs of the same make, each with the variable, of types that differ."""
    shape, count = (1, 6), net.pick(2, 3)
    kinds = [net.pick(net.dtype, "int32", "float32", "int16") for _ in range(count)]
    for i, kind in enumerate(kinds):
        net.b.subgraph("signature%d" % i)
        net.dtype = kind
        x, handle = net.new(shape, kind), T("handle%d" % i, (), "resource")
        net.op("VAR_HANDLE", [], [handle], variable_options(net, "v%d" % (i if net.chance(50) else 0)))
        if net.chance(70):
            net.op("ASSIGN_VARIABLE", [handle, x], [], opts("AssignVariable"))
            y = net.op("READ_VARIABLE", [handle], [net.like(x)], opts("ReadVariable"))
        else:
            y = net.op("READ_VARIABLE", [handle], [net.like(x)], opts("ReadVariable"))
            net.op("ASSIGN_VARIABLE", [handle, x], [], opts("AssignVariable"))
        net.b.io([x], [net.some_activation(y)])


def dilated(net):
    """SPACE_TO_BATCH_ND, a convolution, BATCH_TO_SPACE_ND, with others who see what is between at times."""
    net.b.subgraph()
    x, y = image(net, 4)
    y = net.conv(y, 4, 1, act=0)
    n, h, w, d = y.shape
    rate = 2
    pads = [[rate, rate + h % rate], [rate, rate + w % rate]]
    big = (n * rate * rate, (h + sum(pads[0])) // rate, (w + sum(pads[1])) // rate, d)
    block = net.const([rate, rate])
    s = net.op("SPACE_TO_BATCH_ND", [y, block, net.const(pads)], [net.like(y, big)])
    c = net.conv(s, 4, 3, 1, depthwise=net.chance(40), act=net.pick(0, 0, 0, 1), padding=1)
    b = net.op(
        "BATCH_TO_SPACE_ND", [c, block, net.const([[0, h % rate], [0, w % rate]])], [net.like(c, (n, h, w, c.shape[3]))]
    )
    outputs = [net.some_activation(b) if net.chance(60) else b]
    if net.chance(25):
        outputs.append(net.pick(s, c))
    if net.chance(25):
        outputs.append(net.some_activation(net.pick(s, c)))
    if net.chance(25):
        net.some_activation(net.pick(s, c, b))  # nobody reads it
    net.close([x], outputs)


def parameters(net):
    """What operators usually find stored in the model is computed: axes, sizes, slopes, weights, permutations."""
    net.b.subgraph()
    x = net.new((1, 4, 6, 4))
    y = net.conv(x, 4, 1) if net.chance(60) else x

    def made(values, dtype="int32"):
        """The values, from constants, from the shape of x, or as an input of the network."""
        k = net.const(values, dtype)
        how = net.pick("same", "computed", "computed", "cast", "input")
        if how == "input":
            k = T(net.name(), k.shape, dtype)
            inputs.append(k)
        elif how == "cast":
            k = net.op("CAST", [net.const(values, "int64")], [T(net.name(), k.shape, dtype)], opts("Cast"))
        elif how == "computed":
            zero = net.op("SUB", [net.shape_of(x), net.shape_of(x)], [T(net.name(), (4,), "int32")], opts("Sub"))
            zero = net.op(
                "SLICE", [zero, net.const([0]), net.const([1])], [T(net.name(), (1,), "int32")], opts("Slice")
            )
            k = net.op("ADD", [k, zero], [T(net.name(), k.shape or (1,), dtype)], opts("Add"))
        return k

    inputs = [x]
    for _ in range(int(net.rng.integers(1, 4))):
        how = net.pick(
            "reshape",
            "resize",
            "tile",
            "mean",
            "transpose",
            "pad",
            "slice",
            "prelu",
            "split",
            "expand",
            "gather",
            "reverse",
            "dense",
            "up",
            "argmax",
            "squeeze",
        )
        n, h, w, d = y.shape
        if how == "reshape":
            y = net.op("RESHAPE", [y, made([1, h, w, d])], [net.like(y)], opts("Reshape"))
        elif how == "resize":
            y = net.op(net.pick("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"), [y, made([h, w])], [net.like(y)])
        elif how == "tile":
            y = net.op("TILE", [y, made([1, 1, 1, 1])], [net.like(y)], opts("Tile"))
        elif how == "mean":
            y = net.op("MEAN", [y, made([1])], [net.like(y, (n, 1, w, d))], opts("Reducer", keepDims=True))
        elif how == "transpose":
            y = net.op("TRANSPOSE", [y, made([0, 2, 1, 3])], [net.like(y, (n, w, h, d))], opts("Transpose"))
        elif how == "pad":
            y = net.op("MIRROR_PAD" if net.chance(30) else "PAD", [y, made(np.zeros((4, 2)))], [net.like(y)])
        elif how == "slice":
            y = net.op("SLICE", [y, made([0, 0, 0, 0]), made([n, h, w, d])], [net.like(y)], opts("Slice"))
        elif how == "prelu":
            alpha = net.stored((1, 1, d), y)
            alpha = net.some_activation(alpha) if net.chance(60) else alpha
            y = net.op("PRELU", [y, alpha], [net.like(y)])
        elif how == "split" and d % 2 == 0:
            y = net.op(
                "SPLIT", [made(3), y], [net.like(y, (n, h, w, d // 2)) for _ in range(2)], opts("Split", numSplits=2)
            )[net.pick(0, 1)]
        elif how == "expand":
            y = net.op("EXPAND_DIMS", [y, made(0)], [net.like(y, (1,) + y.shape)], opts("ExpandDims"))
            y = net.op("SQUEEZE", [y], [net.like(y, y.shape[1:])], opts("Squeeze", squeezeDims=np.array([0], np.int32)))
        elif how == "gather":
            y = net.op("GATHER", [y, made([0])], [net.like(y, (1, h, w, d))], opts("Gather"))
        elif how == "reverse":
            y = net.op("REVERSE_V2", [y, made([1])], [net.like(y)], opts("ReverseV2"))
        elif how == "up":
            weights, _ = net.weights((d, 2, 2, d), 0)
            y = net.op(
                "TRANSPOSE_CONV",
                [made([n, 2 * h, 2 * w, d]), weights, y],
                [net.new((n, 2 * h, 2 * w, d))],
                opts("TransposeConv", padding=0, strideH=2, strideW=2),
            )
        elif how == "dense":
            weights = net.some_activation(net.stored((d, d), y))
            y = net.op(
                "FULLY_CONNECTED", [y, weights, None], [net.new(y.shape)], opts("FullyConnected", keepNumDims=True)
            )
        elif how == "argmax" and net.dtype in ("int8", "uint8"):
            inputs.append(net.new((1, 3, 5)))
            net.close(
                inputs,
                [
                    y,
                    net.op(
                        "ARG_MAX", [inputs[-1], made(2)], [T(net.name(), (1, 3), "int32")], opts("ArgMax", outputType=2)
                    ),
                ],
            )
            return
    net.close(inputs, [y] if net.chance(60) else [net.some_activation(y)])


def loop(net):
    """A recurrent layer as WHILE, or a choice of two as IF."""
    net.b.subgraph()
    d, steps = 6, 3
    x = net.new((1, d))
    count = T("count", (), "int32", data=np.int32(0)) if net.chance(50) else T("count", (1,), "int32")
    inputs = [x] + ([count] if count.data is None else [])
    if net.chance(40):
        flag = T("flag", net.pick((), (1,)), "bool")
        y = net.like(x)
        net.op("IF", [flag, x], [y], opts("If", thenSubgraphIndex=1, elseSubgraphIndex=2))
        net.close(inputs[:1] + [flag], finish(net, net.dense(y, 4)))
        for i in range(2):
            net.b.subgraph("branch%d" % i)
            a = net.like(x)
            b = net.dense(a, d) if i == 0 else net.some_activation(a)
            net.b.io([a], [b])
        return
    n, h = T("n", count.shape, "int32"), net.like(x)
    net.op("WHILE", [count, x], [n, h], opts("While", condSubgraphIndex=1, bodySubgraphIndex=2))
    net.close(inputs, [net.dense(h, 4)] if net.chance(50) else [h, n])
    net.b.subgraph("cond")
    a, s, more = T("a", count.shape, "int32"), net.like(x), T("more", count.shape, "bool")
    net.op("LESS", [a, T("limit", count.shape, "int32", data=np.full(count.shape, steps))], [more], opts("Less"))
    net.b.io([a, s], [more])
    net.b.subgraph("body")
    a, s = T("a", count.shape, "int32"), net.like(x)
    plus = net.op(
        "ADD",
        [a, T("one", count.shape, "int32", data=np.ones(count.shape))],
        [T("plus", count.shape, "int32")],
        opts("Add"),
    )
    z = net.unary("LOGISTIC", net.dense(s, d, 0))
    g = net.unary("TANH", net.dense(s, d, 0))
    net.b.io([a, s], [plus, net.binary("ADD", net.binary("MUL", z, g), s)])


def gates(net):
    """A step of a GRU or LSTM written out, with its state as an input and an output."""
    net.b.subgraph()
    d = 8
    x, s = net.new((1, d)), net.new((1, d))
    both = net.concat([x, s if x.dtype == "float32" else net.op("QUANTIZE", [s], [net.like(x)], opts("Quantize"))], 1)
    parts = net.split(net.dense(both, 4 * d, 0), 1, 4)
    i, f, o = (net.unary("LOGISTIC", p) for p in parts[:3])
    g = net.unary("TANH", parts[3])
    c = net.binary("ADD", net.binary("MUL", f, s), net.binary("MUL", i, g))
    h = net.binary("MUL", o, net.unary("TANH", c))
    if net.chance(40):
        pieces = net.op(
            "UNPACK", [net.reshape(h, (2, 4))], [net.like(h, (4,)) for _ in range(2)], opts("Unpack", num=2)
        )
        h = net.op("PACK", pieces, [net.like(h, (2, 4))], opts("Pack", valuesCount=2))
    net.close([x, s], [h, c] if net.chance(70) else [h])


def shapes(net):
    """Shapes computed from shapes, and constants from constants: most of it folds away."""
    net.b.subgraph()
    x = net.new((1, 4, 6, 2))
    y = net.conv(x, 4, 3, padding=0)
    for _ in range(int(net.rng.integers(1, 4))):
        how = net.pick("reshape", "reshape", "fill", "range", "broadcast", "transpose", "pad", "tile", "constant")
        if how == "reshape":
            y = net.reshape(y, net.pick((1, 24, 4), (1, 4, 24), (4, 24), (1, 4, 6, 4)), "computed")
        elif how == "fill":
            zeros = net.op("FILL", [net.shape_of(y), net.const(0, y.dtype)], [net.like(y)], opts("Fill"))
            y = net.binary("ADD", y, zeros)
        elif how == "range":
            numbers = net.op(
                "RANGE", [net.const(0), net.const(4), net.const(1)], [T(net.name(), (4,), "int32")], opts("Range")
            )
            y = (
                net.op("GATHER", [y, numbers], [net.like(y, y.shape[:-1] + (4,))], opts("Gather", axis=-1))
                if y.shape[-1] == 4
                else y
            )
        elif how == "broadcast":
            k = net.stored((1,) * len(y.shape), y)
            y = net.binary("MUL", y, net.op("BROADCAST_TO", [k, net.shape_of(y)], [net.like(y)], opts("BroadcastTo")))
        elif how == "transpose":
            n = len(y.shape)
            order = list(range(n))[::-1]
            if net.chance(40):
                perm = net.op(
                    "RANGE",
                    [net.const(n - 1), net.const(-1), net.const(-1)],
                    [T(net.name(), (n,), "int32")],
                    opts("Range"),
                )
                y = net.op("TRANSPOSE", [y, perm], [net.like(y, y.shape[::-1])], opts("Transpose"))
            else:
                y = net.transpose(y, order)
            y = net.reshape(y, (1, 4, 6, 4))
        elif how == "pad" and len(y.shape) == 4:
            rows = net.const(np.zeros((4, 2)))
            if net.chance(40):  # paddings that are computed, from constants
                rows = net.op(
                    "PACK", [net.const([0, 0])] * 4, [T(net.name(), (4, 2), "int32")], opts("Pack", valuesCount=4)
                )
            y = net.op("PAD", [y, rows], [net.like(y)], opts("Pad"))
        elif how == "tile":
            y = net.op("TILE", [y, net.const([1] * len(y.shape))], [net.like(y)], opts("Tile"))
        elif how == "constant":
            k = net.unary(net.pick("RELU", "NEG", "ABS", "TANH"), net.stored((1,) * len(y.shape), y))
            y = net.binary(net.pick("ADD", "MUL"), y, k)
    outputs = [y] if net.chance(70) else [y, net.shape_of(y)]
    net.close([x], outputs)


def dense_layers(net):
    """Anomaly detectors and tabular networks, hybrid layers among them."""
    net.b.subgraph()
    n = net.pick(1, 1, 2, 5)
    x = net.new((n, 12))
    y = x
    for _ in range(int(net.rng.integers(2, 5))):
        y = net.dense(y, net.pick(6, 12, 16))
        if net.chance(30):
            y = net.some_activation(y)
        if net.chance(20) and y.dtype != "float32":
            y = net.quantize(net.dequantize(y)) if net.chance(50) else net.quantize(y)
        if net.chance(15):
            y = net.op("EXPAND_DIMS", [y, net.const(1)], [net.like(y, (y.shape[0], 1, y.shape[1]))], opts("ExpandDims"))
            y = net.reshape(y, (y.shape[0], y.shape[2]))
    net.close([x], finish(net, y))


TEMPLATES = {
    f.__name__: f
    for f in (
        classifier,
        residual,
        unet,
        detector,
        transformer,
        embedding,
        streaming,
        counters,
        signatures,
        dilated,
        parameters,
        loop,
        gates,
        shapes,
        dense_layers,
    )
}
