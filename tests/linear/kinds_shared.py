"""Kinds of things that are large by themselves, or that many operators share: see kinds.py."""

import os
import struct
import sys

import flatbuffers
import numpy as np
from flatbuffers import flexbuffers

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "conformance"))
from mkmodel import schema, opts as options  # noqa: E402
from parts import conv_options


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
