#!/usr/bin/env python3
"""Writes corpus/models/class_*: a small file for each class of harm that a model could do before 0.2.

    classes.py [FOLDER]

Classes 6 and 9 (time and memory of large files) need size: tests/linear/ makes those."""

import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "conformance"))

import numpy as np  # noqa: E402
from mkmodel import Builder, T, schema, single_op, opts as options  # noqa: E402


def sparsity(rows, columns):
    """Rows of CSR, one entry each: as many values as rows."""
    s = schema.SparsityParametersT()
    s.traversalOrder = np.array([0, 1], np.int32)
    dense, sparse = schema.DimensionMetadataT(), schema.DimensionMetadataT()
    dense.format, dense.denseSize = 0, rows
    sparse.format = 1
    for name, values in (("arraySegments", range(rows + 1)), ("arrayIndices", [columns - 1] * rows)):
        v = schema.Int32VectorT()
        v.values = np.array(list(values), np.int32)
        setattr(sparse, name + "Type", schema.SparseIndexVector.Int32Vector)
        setattr(sparse, name, v)
    s.dimMetadata = [dense, sparse]
    return s


def sparse_models():
    shape, out = (4, 64), T("y", (4, 64))
    yield "input", single_op("NEG", [T("x", shape, sparsity=sparsity(4, 64))], [out])
    yield (
        "constant",
        single_op(
            "ADD",
            [T("x", shape), T("c", shape, sparsity=sparsity(4, 64), data=np.ones(4, np.float32))],
            [out],
            options("AddOptions"),
        ),
    )
    yield "folded", single_op("NEG", [T("c", shape, sparsity=sparsity(4, 64), data=np.ones(4, np.float32))], [out])
    b, x, y = Builder(), T("x", shape), T("y", shape)
    b.subgraph()
    b.op("NEG", [x], [y])
    b.io([x], [y, T("c", shape, sparsity=sparsity(4, 64), data=np.ones(4, np.float32))])
    yield "graph_output", b.bytes()
    yield "output", single_op("NEG", [T("x", shape)], [T("y", shape, sparsity=sparsity(4, 64))])
    state = T("s", (4, 60), is_variable=True, sparsity=sparsity(4, 60))
    yield (
        "state",
        single_op(
            "SVDF",
            [
                T("x", (2, 3)),
                T("f", (4, 3), data=np.ones((4, 3), np.float32)),
                T("t", (4, 30), data=np.ones((4, 30), np.float32)),
                None,
                state,
            ],
            [T("y", (2, 4))],
            options("SVDFOptions", rank=1),
        ),
    )


def copy_stream(rows, planes, skip0, skip1, length=1):
    """A payload for Ethos-U55-128 that copies once, in three dimensions."""

    def narrow(code, v):
        return [(v & 0xFFFF) << 16 | code]

    def wide(code, v):
        return [(v >> 32 & 0xFF) << 16 | 0x4000 | code, v & 0xFFFFFFFF]

    words = narrow(0x130, 0x400) + narrow(0x131, 0x401) + narrow(0x132, rows) + narrow(0x133, planes)
    words += (
        wide(0x30, 0) + wide(0x31, 0) + wide(0x32, length) + wide(0x33, skip0) + wide(0x34, skip1) + narrow(0x10, 0)
    )
    words += narrow(0, 0xFFFF)
    head = [0x31504F43, 0x00100001, 0x1807, 0x10060000, 5, 5, 5, len(words) << 16 | 2]
    return struct.pack("<%dI" % (len(head) + len(words)), *head, *words)


def compiled(stream):
    b = Builder()
    b.subgraph()
    flash = np.zeros(16, np.uint8)
    t = [
        T("stream", (len(stream),), "uint8", data=stream),
        T("flash", (16,), "uint8", data=flash),
        T("scratch", (256,), "uint8"),
        T("fast", (16,), "uint8"),
        T("x", (1, 16), "int8"),
        T("y", (1, 16), "int8"),
    ]
    b.op("CUSTOM", t[:5], t[5:], custom=("ethos-u", b""))
    b.io(t[4:5], t[5:])
    entry, buffer = schema.MetadataT(), schema.BufferT()
    entry.name, entry.buffer = b"OfflineMemoryAllocation", len(b.model.buffers)
    buffer.data = np.frombuffer(np.array([0, 1, 6, -1, -1, -1, -1, 0, 16], "<i4").tobytes(), np.uint8)
    b.model.buffers.append(buffer)
    b.model.metadata = [entry]
    return b.bytes()


def filled(b, name, dims, dtype="float32"):
    """A tensor that FILL makes: large, in a small file."""
    t = T(name, dims, dtype)
    b.op(
        "FILL",
        [
            T(name + "_dims", (len(dims),), "int32", data=np.array(dims, np.int32)),
            T(name + "_value", (), dtype, data=np.array(1, dtype)),
        ],
        [t],
    )
    return t


def folded_pool():
    b = Builder()
    b.subgraph()
    y = T("y", (1, 2048, 2048, 1))
    b.op(
        "MAX_POOL_2D",
        [filled(b, "x", (1, 2048, 2048, 1))],
        [y],
        options("Pool2DOptions", filterWidth=2047, filterHeight=2047, strideW=1, strideH=1),
    )
    b.io([], [y])
    return b.bytes()


def hash_of(model):
    """The hash by which fuzz_model.c chooses inputs and allocator."""
    h = 0xCBF29CE484222325
    for byte in model:
        h = (h ^ byte) * 0x100000001B3 & (1 << 64) - 1
    return h


def elements(h):
    """Elements of the shape that fuzz_model.c gives the first input, two numbers of int32 below 128, for a hash."""
    shape = []
    for i in range(8):
        h = (h * 6364136223846793005 + 1442695040888963407) & (1 << 64) - 1
        shape += [h >> 57] if i % 4 == 0 else []
    return shape[0] * shape[1]


def data_dependent(n, wanted):
    """`n` tensors whose shapes come in, all alive at the end; with a hash that is `wanted`."""
    return next(m for m in (described(n, i) for i in range(10000)) if wanted(hash_of(m)))


def described(n, number):
    b = Builder()
    b.model.description = b"test %d" % number
    b.subgraph()
    dims, outs = T("dims", (2,), "int32"), []
    for i in range(n):
        outs.append(T("y%d" % i, (1, 1), shape_signature=(-1, -1)))
        b.op("FILL", [dims, T("v", (), data=np.array(1, np.float32))], [outs[-1]])
    b.io([dims], outs)
    return b.bytes()


def much_work():
    b = Builder()
    b.subgraph()
    y = T("y", (1024, 2048))
    b.op(
        "FULLY_CONNECTED",
        [T("x", (1024, 2048)), filled(b, "w", (2048, 2048)), None],
        [y],
        options("FullyConnectedOptions"),
    )
    b.io([T("x", (1024, 2048))], [y])
    return b.bytes()


def later_zero_points():
    q = dict(scale=[1.0, 1.0, 1.0], zero_point=[0, 0, 2**31 - 1], axis=1)
    yield (
        "quantize",
        single_op("QUANTIZE", [T("x", (2, 3), data=np.full((2, 3), 100, np.float32))], [T("y", (2, 3), "int8", **q)]),
    )
    yield (
        "dequantize",
        single_op("DEQUANTIZE", [T("x", (2, 3), "int8", data=np.full((2, 3), -100, np.int8), **q)], [T("y", (2, 3))]),
    )


def files():
    for where, model in sparse_models():
        yield "class_1_sparse_" + where, model
    yield "class_2_copy_wraps", compiled(copy_stream(0xFFFF, 0xFFFF, (1 << 39) - 1, (1 << 39) - 1))
    yield "class_2_copy_wraps_back", compiled(copy_stream(0x8000, 0x8001, 1 << 39, (1 << 39) - 1))
    yield "class_3_folded_pool", folded_pool()
    yield (
        "class_4_data_dependent",
        data_dependent(20, lambda h: h % 4 == 2 and (h >> 40) % 4 and h % 7 == 0 and 5000 < elements(h) < 8000),
    )
    yield "class_5_fully_connected", much_work()
    yield "class_5_copy_in_place", compiled(copy_stream(0xFFFF, 0xFFFF, (1 << 40) - 16, 0, 16))
    for what, model in later_zero_points():
        yield "class_7_zero_point_" + what, model
    yield "class_8_two_dynamic", data_dependent(2, lambda h: h % 4 == 1 and (h >> 40) % 4 == 0)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "corpus", "models")
    for name, model in files():
        assert len(model) <= 4096, name
        with open(os.path.join(folder, name), "wb") as f:
            f.write(model)


if __name__ == "__main__":
    main()
