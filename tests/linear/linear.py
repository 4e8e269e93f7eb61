#!/usr/bin/env python3
"""Opening, planning and every report take time and memory in proportion to the file: proven by counting.

    linear.py [--harness PROGRAM] [--bytes N] [--factor N] [--only KIND] [--verbose]

For each kind of thing that a file may have many of, two files: one of about N bytes and one FACTOR times as large. The
harness (reports.c beside this file) counts executed edges and bytes at the peak, phase by phase; the larger file may
take at most FACTOR * 1.3 times as many (a pass n log n stays below that). The kinds named "shared" have operators that
all name the same large thing, which is where a file of N bytes could ask for N * N steps.

The full proof is linear.py --bytes 1000000 --factor 10."""

import argparse
import os
import struct
import subprocess
import sys
import tempfile

import flatbuffers
import numpy as np
from flatbuffers import flexbuffers

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "conformance"))
from mkmodel import TYPES, schema, opts as options  # noqa: E402

OPS = schema.BuiltinOperator
SLACK = 1.3
FLOOR_EDGES, FLOOR_BYTES = 20000, 200000  # what every run takes whatever the file: not compared below


class File:
    """A model written table by table: far faster than objects, and tables may be shared."""

    def __init__(self):
        self.m = schema.ModelT()
        self.m.version, self.m.description = 3, b"linear"
        self.m.operatorCodes, self.m.subgraphs, self.m.buffers = [], [], [schema.BufferT()]
        self.m.signatureDefs, self.m.metadata = [], []
        self.tail = b""  # custom options that all operators share, behind the flatbuffer
        self.behind = (
            None  # given the flatbuffer's length: completes operators (of the same length) and makes what follows
        )
        self.subgraph()

    def subgraph(self):
        self.g = schema.SubGraphT()
        self.g.name, self.g.tensors, self.g.operators, self.g.inputs, self.g.outputs = b"g", [], [], [], []
        self.m.subgraphs.append(self.g)

    def buffer(self, data):
        b = schema.BufferT()
        b.data = np.frombuffer(bytes(data), np.uint8)
        self.m.buffers.append(b)
        return len(self.m.buffers) - 1

    def tensor(self, shape, kind="int8", name=b"", data=None, scale=(0.5,), buffer=0, variable=False):
        t = schema.TensorT()
        t.name, t.type, t.shape = name, TYPES[kind], np.array(shape, np.int32)
        t.buffer = self.buffer(data) if data is not None else buffer
        t.isVariable = variable
        if scale is not None:
            t.quantization = schema.QuantizationParametersT()
            t.quantization.scale = np.array(scale, np.float32)
            t.quantization.zeroPoint = np.zeros(len(scale), np.int64)
        self.g.tensors.append(t)
        return len(self.g.tensors) - 1

    def op(self, name, inputs, outputs, options=None, custom=None):
        o = schema.OperatorT()
        o.opcodeIndex = self.code(name)
        o.inputs, o.outputs = np.array(inputs, np.int32), np.array(outputs, np.int32)
        if options is not None:
            o.builtinOptions = options
            o.builtinOptionsType = getattr(schema.BuiltinOptions, type(options).__name__[:-1])
        if custom is not None:
            o.customOptions = np.frombuffer(bytes(custom), np.uint8)
        self.g.operators.append(o)

    def code(self, name):
        """A builtin's name, or bytes: a custom operator's."""
        for i in range(len(self.m.operatorCodes) - 1, max(-1, len(self.m.operatorCodes) - 8), -1):
            if self.m.operatorCodes[i].key == name:
                return i
        c = schema.OperatorCodeT()
        c.key = name
        custom = isinstance(name, bytes)
        c.builtinCode = OPS.CUSTOM if custom else getattr(OPS, name)
        c.deprecatedBuiltinCode = min(c.builtinCode, 127)
        c.customCode = name if custom else None
        c.version = 1
        self.m.operatorCodes.append(c)
        return len(self.m.operatorCodes) - 1

    def io(self, inputs, outputs):
        self.g.inputs, self.g.outputs = np.array(inputs, np.int32), np.array(outputs, np.int32)

    def bytes(self):
        offset = 2
        while True:  # the second time with the offset known
            for o in self.g.operators if self.tail else []:
                o.largeCustomOptionsOffset, o.largeCustomOptionsSize = offset, len(self.tail)
            fb = flatbuffers.Builder(1 << 16)
            fb.Finish(self.m.Pack(fb), b"TFL3")
            data = bytes(fb.Output())
            if not self.tail or offset == len(data):
                break
            offset = len(data)
        if not self.behind:
            return data + self.tail
        packed = self.behind(len(data))
        fb = flatbuffers.Builder(1 << 16)
        fb.Finish(self.m.Pack(fb), b"TFL3")
        return bytes(fb.Output()) + packed


def chain(f, n, shape=(1, 4, 4, 8), op="RELU", make=None):
    """n operators in a row."""
    first = at = f.tensor(shape)
    for i in range(n):
        to = f.tensor(shape)
        f.op(op, [at], [to], make() if make else None)
        at = to
    f.io([first], [at])


def conv_options():
    return options("Conv2DOptions", strideW=1, strideH=1, dilationWFactor=1, dilationHFactor=1, padding=0)


def entry(name, tensor):
    e = schema.TensorMapT()
    e.name, e.tensorIndex = name, tensor
    return e


def signature(f, key, subgraph, inputs, outputs):
    s = schema.SignatureDefT()
    s.signatureKey, s.subgraphIndex, s.inputs, s.outputs = key, subgraph, inputs, outputs
    f.m.signatureDefs.append(s)


# ---- the kinds: each adds things to a small model until it has about `size` bytes -----------------------------------


def operators(f, size):
    chain(f, size // 180)


def branches(f, size):
    """One input, one output, everything between alive to the end."""
    x = f.tensor((1, 4, 4, 8))
    parts = [f.tensor((1, 4, 4, 8)) for _ in range(size // 190)]
    for p in parts:
        f.op("RELU", [x], [p])
    y = f.tensor((1, 4, 4, 8 * len(parts)))
    f.op("CONCATENATION", parts, [y], options("ConcatenationOptions", axis=3))
    f.io([x], [y])


def adds(f, size):
    """x + relu(x), again and again, and the first x once more at the end."""
    x = at = f.tensor((1, 4, 4, 8))
    for i in range(size // 370):
        r, s = f.tensor((1, 4, 4, 8)), f.tensor((1, 4, 4, 8))
        f.op("RELU", [at], [r])
        f.op("ADD", [at, r], [s], options("AddOptions"))
        at = s
    y = f.tensor((1, 4, 4, 8))
    f.op("ADD", [at, x], [y], options("AddOptions"))
    f.io([x], [y])


def convolutions(f, size):
    at = x = f.tensor((1, 4, 4, 8))
    for i in range(size // 1100):
        w = f.tensor((8, 3, 3, 8), data=bytes(576), scale=[0.5] * 8)
        b = f.tensor((8,), "int32", data=bytes(32), scale=[0.25] * 8)
        y = f.tensor((1, 4, 4, 8))
        f.op("CONV_2D", [at, w, b], [y], conv_options())
        at = y
    f.io([x], [at])


def dilated(f, size):
    """SPACE_TO_BATCH_ND, a convolution, BATCH_TO_SPACE_ND: verdicts on these look at neighbours."""
    block = f.tensor((2,), "int32", data=np.array([2, 2], "<i4").tobytes(), scale=None)
    pads = f.tensor((2, 2), "int32", data=bytes(16), scale=None)
    w = f.tensor((8, 1, 1, 8), data=bytes(64), scale=[0.5] * 8)
    b = f.tensor((8,), "int32", data=bytes(32), scale=[0.25] * 8)
    at = x = f.tensor((1, 4, 4, 8))
    for i in range(size // 560):
        s, c, y = f.tensor((4, 2, 2, 8)), f.tensor((4, 2, 2, 8)), f.tensor((1, 4, 4, 8))
        f.op("SPACE_TO_BATCH_ND", [at, block, pads], [s])
        f.op("CONV_2D", [s, w, b], [c], conv_options())
        f.op("BATCH_TO_SPACE_ND", [c, block, pads], [y])
        at = y
    f.io([x], [at])


def tensors(f, size):
    chain(f, 3)
    for i in range(size // 110):
        f.tensor((1, 4, 4, 8))


def constants(f, size):
    chain(f, 3)
    for i in range(size // 160):
        f.tensor((16,), data=bytes(16))


def variables(f, size):
    chain(f, 3)
    for i in range(size // 110):
        f.tensor((1, 16), variable=True)


SUBGRAPH = 2600  # bytes: the limit of 4096 subgraphs holds for the largest files


def subgraphs(f, size):
    for i in range(size // SUBGRAPH):
        if i:
            f.subgraph()
        chain(f, 17)


def subgraphs_wide(f, size):
    chain(f, 3)
    for i in range(size // SUBGRAPH):
        f.subgraph()
        for k in range(22):
            f.tensor((1, 4, 4, 8))


def calls(f, size):
    """Subgraphs called by CALL_ONCE: each is planned on demand."""
    main, n = f.g, size // SUBGRAPH
    for i in range(n):
        f.op("CALL_ONCE", [], [], options("CallOnceOptions", initSubgraphIndex=1 + i))
    for i in range(n):
        f.subgraph()
        for k in range(21):
            f.tensor((1, 4, 4, 8))
    f.g = main


def signatures(f, size):
    chain(f, 3)
    for i in range(size // 190):
        signature(f, b"signature %d" % i, 0, [entry(b"x", 0)], [entry(b"y", 3)])


def signature_entries(f, size):
    n = size // 250
    xs = [f.tensor((1, 8)) for _ in range(n)]
    ys = [f.tensor((1, 8)) for _ in range(n)]
    for x, y in zip(xs, ys):
        f.op("RELU", [x], [y])
    f.io(xs, ys)
    back = list(zip(range(n), xs, ys))[::-1]
    signature(f, b"s", 0, [entry(b"%d" % i, x) for i, x, _ in back], [entry(b"%d" % i, y) for i, _, y in back])


def many_signatures_of_many(f, size):
    """Square root of everything: as many signatures as each has entries, all of one subgraph."""
    n = int((size / 90) ** 0.5)
    xs = [f.tensor((1, 8)) for _ in range(n)]
    ys = [f.tensor((1, 8)) for _ in range(n)]
    for x, y in zip(xs, ys):
        f.op("RELU", [x], [y])
    f.io(xs, ys)
    for k in range(n):
        signature(f, b"s%d" % k, 0, [entry(b"x", x) for x in xs], [entry(b"y", y) for y in ys])


def resources(f, size, name="%d"):
    for i in range(size // (230 + len(name))):
        h = f.tensor((1,), "resource", scale=None)
        f.op("VAR_HANDLE", [], [h], options("VarHandleOptions", container="", sharedName=name % i))
    x = f.tensor((1, 4))
    y = f.tensor((1, 4))
    f.op("RELU", [x], [y])
    f.io([x], [y])


def resources_long(f, size):
    resources(f, size, "the same long beginning of a name, again and again, " * 4 + "%09d")


def metadata(f, size):
    chain(f, 3)
    for i in range(size // 80):
        m = schema.MetadataT()
        m.name, m.buffer = b"metadata %d" % i, f.buffer(b"12345678") if i % 16 == 0 else 0
        f.m.metadata.append(m)


def long_names(f, size):
    chain(f, 8)
    for t in f.g.tensors:
        t.name = b"n" * (size // 9)


def custom_operators(f, size):
    """Operators nobody knows, every one of another name."""
    at = x = f.tensor((1, 8))
    for i in range(size // 240):
        to = f.tensor((1, 8))
        f.op(b"Custom%d" % i, [at], [to])
        at = to
    f.io([x], [at])


def custom_long_names(f, size):
    """64 long names that differ at their ends; operators take them in turn."""
    base = b"c" * (size // 128)
    codes = [f.code(base + b"%02d" % i) for i in range(64)]
    at = x = f.tensor((1, 8))
    for i in range(size // 2 // 200):
        to = f.tensor((1, 8))
        f.op("RELU", [at], [to])
        f.g.operators[-1].opcodeIndex = codes[i % 64]
        at = to
    f.io([x], [at])


def inputs_of_concatenation(f, size):
    n = size // 130
    xs = [f.tensor((1, 4, 4, 1)) for _ in range(n)]
    y = f.tensor((1, 4, 4, n))
    f.op("CONCATENATION", xs, [y], options("ConcatenationOptions", axis=3))
    f.io(xs, [y])


def same_input_again(f, size):
    """One tensor as all inputs of operators with many."""
    x = f.tensor((1, 1))
    n = size // 3 // 4
    for i in range(3):
        y = f.tensor((1, n))
        f.op("CONCATENATION", [x] * n, [y], options("ConcatenationOptions", axis=1))
    f.io([x], [y])


def inputs_of_pack(f, size):
    n = size // 120
    xs = [f.tensor((4,)) for _ in range(n)]
    y = f.tensor((n, 4))
    f.op("PACK", xs, [y], options("PackOptions", valuesCount=n, axis=0))
    f.io(xs, [y])


def inputs_of_add_n(f, size):
    n = size // 110
    xs = [f.tensor((4,), "float32", scale=None) for _ in range(n)]
    y = f.tensor((4,), "float32", scale=None)
    f.op("ADD_N", xs, [y], options("AddNOptions"))
    f.io(xs, [y])


def outputs_of_split(f, size):
    n = size // 120
    axis = f.tensor((), "int32", data=bytes(4), scale=None)
    x = f.tensor((n, 4))
    ys = [f.tensor((1, 4)) for _ in range(n)]
    f.op("SPLIT", [axis, x], ys, options("SplitOptions", numSplits=n))
    f.io([x], ys)


def outputs_of_unpack(f, size):
    n = size // 120
    x = f.tensor((n, 4))
    ys = [f.tensor((4,)) for _ in range(n)]
    f.op("UNPACK", [x], ys, options("UnpackOptions", num=n, axis=0))
    f.io([x], ys)


def inputs_of_unknown(f, size):
    n = size // 110
    xs = [f.tensor((4,)) for _ in range(n)]
    y = f.tensor((4,))
    f.op(b"Unknown", xs, [y])
    f.io(xs, [y])


def channels(f, size):
    n = size // 40
    x = f.tensor((1, 1, 1, 4))
    w = f.tensor((n, 1, 1, 4), data=bytes(4 * n), scale=[0.5] * n)
    b = f.tensor((n,), "int32", data=bytes(4 * n), scale=[0.25] * n)
    y = f.tensor((1, 1, 1, n))
    f.op("CONV_2D", [x, w, b], [y], conv_options())
    f.io([x], [y])


def shared_channels(f, size):
    """Half of the file is the scales of one tensor; all operators read it."""
    n = size // 2 // 12
    x = f.tensor((1, 1, 1, 8), scale=[0.5] * n)
    ys = []
    for i in range(size // 2 // 180):
        ys.append(f.tensor((1, 1, 1, 8)))
        f.op("RELU", [x], [ys[-1]])
    f.io([x], ys)


def shared_weights(f, size):
    """Half of the file is one filter; all convolutions use it."""
    n = size // 2
    w = f.tensor((1, 1, 1, n), data=bytes(range(256)) * (n // 256) + bytes(n % 256))
    x = f.tensor((1, 1, 1, n))
    ys = []
    for i in range(size // 2 // 200):
        ys.append(f.tensor((1, 1, 1, 1)))
        f.op("CONV_2D", [x, w], [ys[-1]], conv_options())
    f.io([x], ys)


def shared_buffer(f, size):
    """The same, but every convolution has a tensor of its own for that filter."""
    n = size // 2
    data = f.buffer(bytes(range(256)) * (n // 256) + bytes(n % 256))
    x = f.tensor((1, 1, 1, n))
    ys = []
    b = f.tensor((1,), "int32", data=bytes(4), scale=[0.25])
    for i in range(size // 2 // 310):
        w = f.tensor((1, 1, 1, n), buffer=data)
        ys.append(f.tensor((1, 1, 1, 1)))
        f.op("CONV_2D", [x, w, b], [ys[-1]], conv_options())
    f.io([x], ys)


def dispatch_options(name, offset, length):
    b = flexbuffers.Builder()
    with b.Map():
        b.Key("bytecode_offset"), b.Int(offset, 4)
        b.Key("bytecode_size"), b.Int(length, 4)
        b.Key("name"), b.String(name)
    return np.frombuffer(bytes(b.Finish()), np.uint8)


def compiled_parts(names):
    """The container of LiteRT's plugin for MediaTek: a subgraph a name, one buffer for all of them."""
    b = flatbuffers.Builder(1 << 16)

    def table(slots, **fields):
        b.StartObject(slots)
        for slot, value in fields.items():
            put = b.PrependUint8Slot if slot[0] == "b" else b.PrependUOffsetTRelativeSlot
            put(int(slot[1:]), value, 0)
        return b.EndObject()

    def vector(items):
        b.StartVector(4, len(items), 4)
        for item in items:
            b.PrependUOffsetTRelative(item)
        return b.EndVector()

    data, index = b.CreateByteVector(b"bytecode" * 8), table(1)
    shared = {n: b.CreateString(n) for n in dict.fromkeys(names)}
    buffers = vector([table(2, o1=data)])
    b.Finish(table(5, o1=vector([table(5, o0=shared[n], b2=1, o3=index) for n in names]), o2=buffers))
    return bytes(b.Output())


def dispatched(f, names, more):
    """Operators that were compiled, by these names; the container has parts for them, and `more`."""
    x = f.tensor((1, 8))
    ys = []
    for name in names:
        ys.append(f.tensor((1, 8)))
        f.op(b"DISPATCH_OP", [x], [ys[-1]], custom=dispatch_options(name, 0, 0))
    f.io([x], ys)

    def behind(offset):
        packed = compiled_parts(more + list(dict.fromkeys(names)))
        for o, name in zip(f.g.operators, names):
            o.customOptions = dispatch_options(name, offset, len(packed))
        return packed

    f.behind = behind


def dispatches(f, size):
    """Each looks for its part among two hundred: there is a limit of how many there may be."""
    dispatched(f, ["partition_%06d" % (i % 200) for i in range(size // 300)], [])


def shared_long_name(f, size):
    """Parts of a container that all have one long name, which differs at its end from the one that is looked for."""
    name = "a" * (size // 4)
    dispatched(f, [name + "b", name + "c"], [name + "d"] * (3000 if size > 1 << 20 else 300))


def shared_sizes(f, size):
    """A long list of integers as the sizes of many SPLIT_V, the strides of many STRIDED_SLICE."""
    n = size // 2 // 4
    sizes = f.tensor((n,), "int32", data=np.ones(n, "<i4").tobytes(), scale=None)
    axis = f.tensor((), "int32", data=bytes(4), scale=None)
    x = f.tensor((n, 1))
    ys = []
    for i in range(size // 4 // 220):
        ys.append(f.tensor((n, 1)))
        f.op("SPLIT_V", [x, sizes, axis], [ys[-1]], options("SplitVOptions", numSplits=1))
        ys.append(f.tensor((n, 1)))
        f.op("STRIDED_SLICE", [x, sizes, sizes, sizes], [ys[-1]], options("StridedSliceOptions"))
    f.io([x], ys)


def scattered(f, size):
    """Constant indices, far apart, that a verdict wants to find different."""
    ys = []
    updates = f.tensor((8, 1))
    for i in range(size // 420):
        index = f.tensor((8, 1), "int32", data=(np.arange(8, dtype="<i4") * 250000000 + i).tobytes(), scale=None)
        to = f.tensor((1,), "int32", data=np.array([2000000000], "<i4").tobytes(), scale=None)
        ys.append(f.tensor((2000000000,)))
        f.op("SCATTER_ND", [index, updates, to], [ys[-1]])
    f.io([updates], ys)


def shared_name(f, size):
    """Half of the file is one name: of an input given thousands of times, and of an operator."""
    x = f.tensor((1, 8), name=b"n" * (size // 4))
    code = f.code(b"c" * (size // 4))
    at = x
    for i in range(size // 4 // 200):
        to = f.tensor((1, 8))
        f.op("RELU", [at], [to])
        f.g.operators[-1].opcodeIndex = code
        at = to
    f.io([x] * (size // 4 // 4), [at])


def sparse(f, size):
    n = max(size // 10, 8)
    x = f.tensor((1, n), "float32", scale=None)
    w = f.tensor((1, n), "float32", data=np.ones(n, "<f4").tobytes(), scale=None)
    y = f.tensor((1, 1), "float32", scale=None)
    dense = f.tensor((1, n), "float32", scale=None)
    s = schema.SparsityParametersT()
    s.traversalOrder = [0, 1]
    s.dimMetadata = [schema.DimensionMetadataT(), schema.DimensionMetadataT()]
    s.dimMetadata[0].format, s.dimMetadata[0].denseSize = 0, 1
    d = s.dimMetadata[1]
    d.format = 1
    for which, values in (("Segments", [0, n]), ("Indices", range(n))):
        v = schema.Int32VectorT()
        v.values = np.array(values, np.int32)
        setattr(d, "array" + which, v)
        setattr(d, "array" + which + "Type", schema.SparseIndexVector.Int32Vector)
    f.g.tensors[w].sparsity = s
    f.op("DENSIFY", [w], [dense])
    f.op("FULLY_CONNECTED", [x, dense], [y], options("FullyConnectedOptions"))
    f.io([x], [y])


def flex_tree(width):
    """A flexbuffer whose vectors share: a tree of `width` to the power of eight values in few bytes."""
    out = bytearray()
    out += bytes([4]) + b"leaf" + b"\0"
    at, kind = 1, (5 << 2)
    for level in range(8):
        out += bytes([width])
        start = len(out)
        for i in range(width):
            out += bytes([len(out) - at])
        out += bytes([kind]) * width
        at, kind = start, (10 << 2)
    out += bytes([len(out) - at, kind, 1])
    return bytes(out)


def custom_options(f, size):
    tree = flex_tree(9)
    at = x = f.tensor((1, 8))
    for i in range(size // (220 + len(tree))):
        to = f.tensor((1, 8))
        f.op(b"Flexible", [at], [to], custom=tree)
        at = to
    f.io([x], [at])


def overlapping_strings(size):
    """A flexbuffer: a vector of strings that are all the same one."""
    n = 1000
    text = b"s" * (size - 8 * n)
    out = bytearray(struct.pack("<I", len(text)) + text)
    out += bytes(-len(out) % 4) + struct.pack("<I", n)
    start = len(out)
    for i in range(n):
        out += struct.pack("<I", len(out) - 4)
    out += bytes([(5 << 2) | 2]) * n
    back = len(out) - start
    out += bytes(-len(out) % 4)
    back = len(out) - start
    out += struct.pack("<I", back) + bytes([(10 << 2) | 2, 4])
    return bytes(out)


def custom_options_big(f, size):
    x, y = f.tensor((1, 8)), f.tensor((1, 8))
    f.op(b"Flexible", [x], [y], custom=overlapping_strings(size))
    f.io([x], [y])


def shared_custom_options(f, size):
    """Half of the file is one flexbuffer; all operators have it, by offset and size."""
    at = x = f.tensor((1, 8))
    for i in range(size // 2 // 220):
        to = f.tensor((1, 8))
        f.op(b"Flexible", [at], [to])
        at = to
    f.io([x], [at])
    f.tail = overlapping_strings(size // 2)


CONFIG, STREAM, NOP = 1, 2, 5  # actions of a driver payload


def streams(f, size, shared=False):
    """Operators compiled for an Ethos-U: the payload of one is as large as half of the file, or each has a small one."""
    words = max(size // 2 // 4, 64) if shared else 64
    stream = [0x0012 | 1 << 16] * (words - 1) + [0xFFFF << 16]  # KERNEL_WAIT 1, again and again; STOP
    payload = b"COP1" + struct.pack("<III", CONFIG, 7 | 24 << 8, 0)  # Ethos-U55-128
    payload += struct.pack("<III", NOP, NOP, NOP)  # the stream starts at a multiple of 16 bytes
    payload += struct.pack("<I", STREAM | (words >> 16) << 8 | (words & 0xFFFF) << 16)
    payload += np.array(stream, "<u4").tobytes()
    one = f.tensor((len(payload),), "uint8", data=payload, scale=None) if shared else None
    flash = f.tensor((16,), "uint8", data=bytes(16), scale=None)
    ys, x = [], f.tensor((1, 16))
    for i in range((size // 2 if shared else size) // (520 if shared else 1000)):
        p = one if shared else f.tensor((len(payload),), "uint8", data=payload, scale=None)
        scratch, fast = f.tensor((64,), "uint8", scale=None), f.tensor((64,), "uint8", scale=None)
        ys.append(f.tensor((1, 16)))
        f.op(b"ethos-u", [p, flash, scratch, fast, x], [ys[-1]], custom=b"\x01\x04\x01")
    f.io([x], ys)


def shared_stream(f, size):
    streams(f, size, shared=True)


KINDS = [
    operators,
    branches,
    adds,
    convolutions,
    dilated,
    tensors,
    constants,
    variables,
    subgraphs,
    subgraphs_wide,
    calls,
    signatures,
    signature_entries,
    many_signatures_of_many,
    resources,
    resources_long,
    metadata,
    long_names,
    custom_operators,
    custom_long_names,
    inputs_of_concatenation,
    same_input_again,
    inputs_of_pack,
    inputs_of_add_n,
    outputs_of_split,
    outputs_of_unpack,
    inputs_of_unknown,
    channels,
    sparse,
    custom_options,
    custom_options_big,
    streams,
    shared_channels,
    shared_weights,
    shared_buffer,
    dispatches,
    shared_long_name,
    shared_sizes,
    shared_name,
    shared_stream,
    shared_custom_options,
    scattered,
]


def build(kind, size, path):
    f = File()
    kind(f, size)
    data = f.bytes()
    if not size / 3 < len(data) < size * 2:
        raise RuntimeError("%d bytes instead of about %d" % (len(data), size))
    with open(path, "wb") as out:
        out.write(data)
    return len(data)


def measure(harness, path):
    """{phase: (status, edges, peak bytes)}"""
    p = subprocess.run([harness, path], capture_output=True, text=True, timeout=600)
    if p.returncode:
        raise RuntimeError("exit %d: %s" % (p.returncode, p.stderr[-300:]))
    rows = [line.split() for line in p.stdout.splitlines() if not line.startswith(("file ", "#"))]
    return {r[0]: (r[1], int(r[2]), int(r[3])) for r in rows}


def compare(kind, a, harness, folder):
    paths = [os.path.join(folder, "%s.%d.tflite" % (kind.__name__, i)) for i in (0, 1)]
    sizes = [build(kind, n, p) for n, p in zip((a.bytes, a.bytes * a.factor), paths)]
    small, large = [measure(harness, p) for p in paths]
    grown, problems, worst = sizes[1] / sizes[0], [], (0, "")
    most = max((row[1] / sizes[1], phase) for phase, row in large.items())
    for phase in small:
        plan = phase.replace("session", "plan")
        if phase not in large and large[plan][0] == "LIMIT":  # what is larger may be too large, and ends there
            continue
        edges = max(large[phase][1], 1) / max(small[phase][1], FLOOR_EDGES)
        memory = max(large[phase][2], 1) / max(small[phase][2], FLOOR_BYTES)
        worst = max(worst, (edges, phase))
        for what, ratio in (("edges", edges), ("bytes", memory)):
            if ratio > grown * SLACK:
                problems.append("%s: %s grow %.1f times for a file %.1f times as large" % (phase, what, ratio, grown))
        if a.verbose:
            print(
                "  %-24s %-16s %-16s edges %12d %12d %7.1f   bytes %11d %11d %7.1f"
                % (
                    phase,
                    small[phase][0],
                    large[phase][0],
                    small[phase][1],
                    large[phase][1],
                    edges,
                    small[phase][2],
                    large[phase][2],
                    memory,
                )
            )
    status = "plan " + large["plan"][0] if "plan" in large else "open " + large["open"][0]
    print(
        "%-24s %9d %10d bytes  x%-5.1f worst x%-5.1f (%s)  most %.0f edges a byte (%s)  %s"
        % (kind.__name__, sizes[0], sizes[1], grown, worst[0], worst[1], *most, status),
        flush=True,
    )
    for p in paths:
        os.remove(p)
    return problems


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--harness", default="build/test/reports")
    p.add_argument("--bytes", type=int, default=300000, help="size of the smaller files")
    p.add_argument("--factor", type=int, default=10)
    p.add_argument("--only", default="")
    p.add_argument("--verbose", action="store_true")
    a = p.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            if a.only and a.only not in kind.__name__:
                continue
            try:
                problems = compare(kind, a, a.harness, folder)
            except (RuntimeError, subprocess.TimeoutExpired) as e:
                problems = [str(e)]
            passed, failed = passed + (not problems), failed + bool(problems)
            for text in problems:
                print("FAIL linear: %s: %s" % (kind.__name__, text), flush=True)
    print("linear: %d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
