"""The kinds of things that a file may have many of: each adds them to a small model until it has about `size` bytes."""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "conformance"))
from mkmodel import schema, opts as options  # noqa: E402
from parts import chain, conv_options, entry, signature


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
