"""Networks that nobody has seen, made of networks there are: mutate(model, rng) gives the bytes of one like it with
other outputs, sizes left open, another batch, other types, quantization, activations or operators, and what that is
called. Most still make sense; a few do not, and have to be refused by both sides."""

import copy

import flatbuffers
import numpy as np
from mkmodel import TYPES, schema

OPS = schema.BuiltinOperator
NAMES = {v: k for k, v in vars(OPS).items() if not k.startswith("_")}
# Operators of one input and no options that can stand for each other.
UNARY = ["RELU", "RELU6", "RELU_N1_TO_1", "TANH", "LOGISTIC", "HARD_SWISH", "ELU", "RELU_0_TO_1", "FLOOR", "ROUND"]
BYTES = {TYPES[t] for t in ("int8", "uint8", "int16")}


def load(data):
    return schema.ModelT.InitFromPackedBuf(data, 0)


def pack(model):
    fb = flatbuffers.Builder(1 << 16)
    fb.Finish(model.Pack(fb), b"TFL3")
    return bytes(fb.Output())


def listed(vector):
    return [] if vector is None else [int(i) for i in vector]


def dims(tensor):
    return listed(tensor.shape)


def name_of(model, op):
    c = model.operatorCodes[op.opcodeIndex]
    return NAMES[max(c.builtinCode, c.deprecatedBuiltinCode)]


def code(model, name):
    for i, c in enumerate(model.operatorCodes):
        if max(c.builtinCode, c.deprecatedBuiltinCode) == getattr(OPS, name):
            return i
    c = schema.OperatorCodeT()
    c.builtinCode, c.version = getattr(OPS, name), 1
    c.deprecatedBuiltinCode = min(c.builtinCode, 127)
    model.operatorCodes.append(c)
    return len(model.operatorCodes) - 1


def stored(model, tensor):
    data = model.buffers[tensor.buffer].data
    return data is not None and len(data) > 0


def some(rng, items, most=3):
    items = list(items)
    n = min(len(items), int(rng.integers(1, most + 1)))
    return [items[i] for i in rng.permutation(len(items))[:n]]


def computed(model, graph):
    """Tensors that are no constants, by index."""
    return [i for i, t in enumerate(graph.tensors) if not stored(model, t)]


def written(graph):
    return [t for op in graph.operators for t in listed(op.outputs)]


def without_signatures(model):
    model.signatureDefs = []


# ---- mutations: change the model and return False where there is nothing to change ------------------------------


def batch_open(model, graph, rng):
    """As converters leave it: every tensor of the batch."""
    changed = False
    for i in computed(model, graph):
        t = graph.tensors[i]
        if dims(t) and dims(t)[0] == 1:
            t.shapeSignature, changed = np.array([-1] + dims(t)[1:], np.int32), True
    return changed


def some_open(model, graph, rng):
    """A few tensors, in any dimension."""
    having = [i for i in computed(model, graph) if dims(graph.tensors[i])]
    for i in some(rng, having):
        signature = dims(graph.tensors[i])
        for k in some(rng, range(len(signature)), 2):
            signature[k] = -1
        graph.tensors[i].shapeSignature = np.array(signature, np.int32)
    return bool(having)


def sizes_open(model, graph, rng):
    """Width and height from the input on, as fully convolutional networks have it; down to some operator."""
    reached, changed = set(listed(graph.inputs)), False
    stop = int(rng.integers(1, len(graph.operators) + 1))
    for op in graph.operators[:stop]:
        if reached.intersection(listed(op.inputs)):
            reached.update(listed(op.outputs))
    batch = bool(rng.integers(2))
    for i in reached:
        t = graph.tensors[i]
        if len(dims(t)) == 4 and not stored(model, t):
            t.shapeSignature = np.array([-1 if batch else dims(t)[0], -1, -1, dims(t)[3]], np.int32)
            changed = True
    return changed


def time_open(model, graph, rng):
    """The second dimension, as networks for sequences have it."""
    changed = False
    for i in computed(model, graph):
        t = graph.tensors[i]
        if len(dims(t)) in (2, 3):
            t.shapeSignature, changed = np.array([dims(t)[0], -1] + dims(t)[2:], np.int32), True
    return changed


def ones_stored(model, graph, rng):
    """What is open, and where nothing is, everything but the last dimension, is stored as 1."""
    changed = False
    for i in computed(model, graph):
        t = graph.tensors[i]
        if not dims(t):
            continue
        signature = listed(t.shapeSignature) or [-1] * (len(dims(t)) - 1) + dims(t)[-1:]
        t.shapeSignature = np.array(signature, np.int32)
        if len(signature) == len(dims(t)):
            t.shape, changed = np.array([1 if s < 0 else d for s, d in zip(signature, dims(t))], np.int32), True
    return changed


def rank_unknown(model, graph, rng):
    """Tensors without dimensions, as data-dependent operators leave them."""
    at = some(rng, written(graph), 2)
    for i in at:
        graph.tensors[i].shape, graph.tensors[i].shapeSignature = np.array([], np.int32), None
        graph.tensors[i].hasRank = bool(rng.integers(2))
    return bool(at)


def custom(model, graph, rng):
    """An operator that nobody knows."""
    for op in some(rng, graph.operators, 2):
        c = schema.OperatorCodeT()
        c.builtinCode = c.deprecatedBuiltinCode = OPS.CUSTOM
        c.customCode, c.version = b"FlexSomething", 1
        model.operatorCodes.append(c)
        op.opcodeIndex, op.builtinOptions, op.builtinOptionsType = len(model.operatorCodes) - 1, None, 0
    return True


def signature_repeats(model, graph, rng):
    """A signature that only repeats the shape."""
    for i in computed(model, graph):
        graph.tensors[i].shapeSignature = np.array(dims(graph.tensors[i]), np.int32)
    return True


def cut(model, graph, rng):
    """Other outputs, and what they do not need goes."""
    outputs = some(rng, written(graph))
    if not outputs:
        return False
    graph.outputs = np.array(outputs, np.int32)
    if rng.integers(2):
        drop_unneeded(graph)
    without_signatures(model)
    return True


def drop_unneeded(graph):
    wanted, kept = set(listed(graph.outputs)), []
    for op in reversed(graph.operators):
        if wanted.intersection(listed(op.outputs)) or not listed(op.outputs):
            wanted.update(listed(op.inputs))
            kept.append(op)
    graph.operators = kept[::-1]


def begin_later(model, graph, rng):
    """A tensor in the middle becomes an input."""
    inner = written(graph)
    if not inner:
        return False
    t = inner[int(rng.integers(len(inner)))]
    graph.inputs = np.array(listed(graph.inputs) + [t], np.int32)
    for op in list(graph.operators):
        if listed(op.outputs) == [t]:
            graph.operators.remove(op)
    drop_unneeded(graph)
    without_signatures(model)
    return len(graph.operators) > 0


def more_outputs(model, graph, rng):
    """Inner tensors, inputs and constants as outputs too, but none stored sparsely: no runtime reads those."""
    dense = [i for i, t in enumerate(graph.tensors) if t.sparsity is None]
    graph.outputs = np.array(listed(graph.outputs) + some(rng, dense, 2), np.int32)
    without_signatures(model)
    return True


def constants_computed(model, graph, rng):
    """Something stored becomes an input."""
    for i in some(rng, [i for i, t in enumerate(graph.tensors) if stored(model, t)], 2):
        graph.tensors[i].buffer, graph.tensors[i].sparsity = 0, None
        graph.inputs = np.array(listed(graph.inputs) + [i], np.int32)
    without_signatures(model)
    return True


def inputs_stored(model, graph, rng):
    """An input, or something computed, gets contents in the file."""
    at = some(rng, listed(graph.inputs), 1)
    for i in at:
        t = graph.tensors[i]
        bits = {v: k for k, v in TYPES.items()}[t.type]
        if bits not in ("int8", "uint8", "int16", "int32", "float32"):
            return False
        b = schema.BufferT()
        b.data = np.frombuffer(rng.integers(0, 3, [max(1, d) for d in dims(t)]).astype(bits).tobytes(), np.uint8)
        t.buffer = len(model.buffers)
        model.buffers.append(b)
        graph.inputs = np.array([k for k in listed(graph.inputs) if k != i], np.int32)
    without_signatures(model)
    return bool(at)


def unquantized(model, graph, rng):
    for i in some(rng, range(len(graph.tensors))):
        graph.tensors[i].quantization = None
    return True


def requantized(model, graph, rng):
    quantized = [
        t
        for t in graph.tensors
        if t.quantization is not None and t.quantization.scale is not None and len(t.quantization.scale)
    ]
    for t in some(rng, quantized):
        n = len(t.quantization.scale)
        if rng.integers(2):
            t.quantization.scale = np.full(n, t.quantization.scale[0] * rng.choice([0.5, 1.1, 2.0]), np.float32)
        else:
            t.quantization.zeroPoint = np.full(n, int(rng.integers(-128, 256)), np.int64)
    return bool(quantized)


def retyped(model, graph, rng):
    """All feature maps, or a few tensors, of another type."""
    types = [t.type for t in graph.tensors if t.type in BYTES]
    if not types:
        return False
    to = TYPES[str(rng.choice(["int8", "uint8", "int16", "float32", "int32"]))]
    at = computed(model, graph)
    at = at if rng.integers(2) else some(rng, at, 4)
    for i in at:
        t = graph.tensors[i]
        if t.type in BYTES:
            t.type = to
            if to == TYPES["float32"]:
                t.quantization = None
    return True


def activation(model, graph, rng):
    fused = [op for op in graph.operators if hasattr(op.builtinOptions, "fusedActivationFunction")]
    for op in some(rng, fused):
        op.builtinOptions.fusedActivationFunction = int(rng.choice([0, 1, 2, 3, 4, 5]))
    return bool(fused)


def other_operator(model, graph, rng):
    ops = [
        op
        for op in graph.operators
        if name_of(model, op) in UNARY
        or (len(listed(op.inputs)) == 1 and len(listed(op.outputs)) == 1 and op.builtinOptions is None)
    ]
    for op in some(rng, ops):
        op.opcodeIndex, op.builtinOptions, op.builtinOptionsType = code(model, str(rng.choice(UNARY))), None, 0
    return bool(ops)


def insert(model, graph, rng):
    """An operator of one input behind a tensor, at times a stored one, seen by all who read it."""
    at = written(graph) if rng.integers(3) else [i for i, t in enumerate(graph.tensors) if stored(model, t)]
    if not at:
        return False
    t = at[int(rng.integers(len(at)))]
    before = next((i for i, op in enumerate(graph.operators) if t in listed(op.outputs)), -1)
    name = str(rng.choice(UNARY + ["QUANTIZE", "DEQUANTIZE", "SHAPE", "RESHAPE", "NEG", "ABS"]))
    new = copy.deepcopy(graph.tensors[t])
    new.name, new.buffer, new.sparsity = (new.name or b"") + b"_" + name.encode(), 0, None
    if name == "DEQUANTIZE":
        new.type, new.quantization = TYPES["float32"], None
    graph.tensors.append(new)
    here = len(graph.tensors) - 1
    op = schema.OperatorT()
    op.opcodeIndex = code(model, name)
    op.inputs, op.outputs = np.array([t], np.int32), np.array([here], np.int32)
    if name in ("SHAPE", "RESHAPE", "ABS", "NEG", "QUANTIZE", "DEQUANTIZE"):
        table = {
            "SHAPE": "Shape",
            "RESHAPE": "Reshape",
            "ABS": "Abs",
            "NEG": "Neg",
            "QUANTIZE": "Quantize",
            "DEQUANTIZE": "Dequantize",
        }[name] + "Options"
        op.builtinOptions, op.builtinOptionsType = getattr(schema, table + "T")(), getattr(schema.BuiltinOptions, table)
        if name == "RESHAPE":
            op.builtinOptions.newShape = np.array(dims(new), np.int32)
    if name == "SHAPE":
        new.type, new.shape, new.shapeSignature = TYPES["int32"], np.array([len(dims(new))], np.int32), None
        new.quantization = None
        if rng.integers(2):
            graph.outputs = np.array(listed(graph.outputs) + [here], np.int32)
    else:
        for later in graph.operators[before + 1 :]:
            later.inputs = np.array([here if i == t else i for i in listed(later.inputs)], np.int32)
        graph.outputs = np.array([here if i == t else i for i in listed(graph.outputs)], np.int32)
    graph.operators.insert(before + 1, op)
    without_signatures(model)
    return True


def shape_computed(model, graph, rng):
    """The shape of a RESHAPE comes from SHAPE, STRIDED_SLICE and PACK, as converters write it."""
    ops = [op for op in graph.operators if name_of(model, op) == "RESHAPE" and dims(graph.tensors[op.outputs[0]])]
    if not ops:
        return False
    for op in some(rng, ops, 2):
        chain_of_shape(model, graph, op, int(op.inputs[0]), dims(graph.tensors[op.outputs[0]]))
    return True


def new_tensor(model, graph, name, shape, kind="int32", data=None):
    t = schema.TensorT()
    t.name, t.type, t.shape, t.hasRank = name.encode(), TYPES[kind], np.array(shape, np.int32), True
    if data is not None:
        b = schema.BufferT()
        b.data = np.frombuffer(np.array(data, kind).tobytes(), np.uint8)
        t.buffer = len(model.buffers)
        model.buffers.append(b)
    graph.tensors.append(t)
    return len(graph.tensors) - 1


def new_op(model, name, inputs, outputs, table=None, **fields):
    op = schema.OperatorT()
    op.opcodeIndex = code(model, name)
    op.inputs, op.outputs = np.array(inputs, np.int32), np.array(outputs, np.int32)
    if table:
        op.builtinOptions, op.builtinOptionsType = getattr(schema, table + "T")(), getattr(schema.BuiltinOptions, table)
        for key, value in fields.items():
            setattr(op.builtinOptions, key, value)
    return op


def chain_of_shape(model, graph, op, source, wanted):
    n = len(graph.tensors)
    shape = new_tensor(model, graph, "shape%d" % n, [len(dims(graph.tensors[source]))])
    batch = new_tensor(model, graph, "batch%d" % n, [])
    limits = [new_tensor(model, graph, "at%d_%d" % (n, i), [1], data=[v]) for i, v in enumerate((0, 1, 1))]
    others = [new_tensor(model, graph, "dim%d_%d" % (n, i), [], data=d) for i, d in enumerate(wanted[1:])]
    packed = new_tensor(model, graph, "packed%d" % n, [len(wanted)])
    at = graph.operators.index(op)
    graph.operators[at:at] = [
        new_op(model, "SHAPE", [source], [shape], "ShapeOptions", outType=TYPES["int32"]),
        new_op(model, "STRIDED_SLICE", [shape] + limits, [batch], "StridedSliceOptions", shrinkAxisMask=1),
        new_op(model, "PACK", [batch] + others, [packed], "PackOptions", valuesCount=len(wanted)),
    ]
    op.inputs = np.array([source, packed], np.int32)


def unused(model, graph, rng):
    """An operator whose output nobody wants."""
    t = int(rng.integers(len(graph.tensors)))
    new = copy.deepcopy(graph.tensors[t])
    new.name, new.buffer = b"unused%d" % len(graph.tensors), 0
    graph.tensors.append(new)
    graph.operators.append(new_op(model, str(rng.choice(UNARY)), [t], [len(graph.tensors) - 1]))
    return True


def reversed_order(model, graph, rng):
    """Tensors numbered differently; operators stay in order."""
    n = len(graph.tensors)
    to = rng.permutation(n)
    graph.tensors = [graph.tensors[i] for i in np.argsort(to)]
    for o, fields in [(graph, ("inputs", "outputs"))] + [
        (op, ("inputs", "outputs", "intermediates")) for op in graph.operators
    ]:
        for field in fields:
            if getattr(o, field) is not None:
                setattr(o, field, np.array([to[i] if i >= 0 else i for i in listed(getattr(o, field))], np.int32))
    without_signatures(model)
    return True


MUTATIONS = [
    batch_open,
    some_open,
    sizes_open,
    time_open,
    ones_stored,
    rank_unknown,
    custom,
    signature_repeats,
    cut,
    begin_later,
    more_outputs,
    constants_computed,
    inputs_stored,
    unquantized,
    requantized,
    retyped,
    activation,
    other_operator,
    insert,
    shape_computed,
    unused,
    reversed_order,
]


def mutate(data, rng, most=3):
    """(what was done, bytes)."""
    model, done = load(data), []
    for _ in range(8):
        if len(done) >= 1 + int(rng.integers(most)):
            break
        graph = model.subgraphs[int(rng.integers(len(model.subgraphs)))]
        change = MUTATIONS[int(rng.integers(len(MUTATIONS)))]
        if graph.operators and change(model, graph, rng):
            done.append(change.__name__)
    return "+".join(done) or "same", pack(model)
