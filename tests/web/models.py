"""Models for the page's tests, written to standard output: models.py NAME [NUMBER ...]"""

import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import tiny_model as t  # noqa: E402

GATHER, EQUAL = 36, 71


def shaped(*dims):
    """The absolute values of an input of this shape: shows how such an output is drawn."""
    return t.model([t.tensor(name, t.FLOAT32, list(dims)) for name in (b"in", b"out")], [0], [1], t.ABS)


def integers(*dims):
    """An input of int32 as it is: with an array of classes, what a segmentation gives."""
    return t.model([t.tensor(name, t.INT32, list(dims)) for name in (b"in", b"out")], [0], [1], t.ABS)


def chain(codes, ops, name=b"t"):
    """Operators one after the other. `codes`: operator codes as tables, `ops`: which of them, in order."""
    return graph(codes, [(code, [i]) for i, code in enumerate(ops)], name)


def graph(codes, ops, name=b"t", options=b""):
    """`ops`: operator code and inputs of each; tensor 0 is the model's input, tensor i + 1 what operator i makes. `options`: custom
    options of all."""
    tensors = [t.tensor(name + b"%d" % i, t.FLOAT32, [4]) for i in range(len(ops) + 1)]
    more = {5: t.Vector("raw", options)} if options else {}
    nodes = [
        t.Table({0: t.u32(code), 1: t.Vector("<i", inputs), 2: t.Vector("<i", [i + 1]), **more})
        for i, (code, inputs) in enumerate(ops)
    ]
    subgraph = t.Table(
        {0: t.Vector(None, tensors), 1: t.Vector("<i", [0]), 2: t.Vector("<i", [len(ops)]), 3: t.Vector(None, nodes)}
    )
    fields = {0: t.u32(3), 1: t.Vector(None, codes), 2: t.Vector(None, [subgraph]), 4: t.Vector(None, [t.Table({})])}
    return t.Writer().finish(t.Table(fields), b"TFL3")


def custom(name):
    return t.Table({0: t.i8(t.CUSTOM), 1: name, 2: t.i32(1), 3: t.i32(t.CUSTOM)})


def missing():
    """ABS, three times one unknown operator, once another whose name is a spreadsheet's formula, ABS."""
    codes = [
        t.Table({0: t.i8(t.ABS), 2: t.i32(1), 3: t.i32(t.ABS)}),
        custom(b"NoSuchOp"),
        custom(b'=HYPERLINK("http://x","y")'),
    ]
    return chain(codes, [0, 1, 1, 2, 1, 0])


def mixed(count):
    """Runnable: ABS and a second kind of operator, NEG, in turn."""
    codes = [t.Table({0: t.i8(code), 2: t.i32(1), 3: t.i32(code)}) for code in (t.ABS, 59)]
    return chain(codes, [i % 3 // 2 for i in range(count)])


def code(op):
    return t.Table({0: t.i8(op), 2: t.i32(1), 3: t.i32(op)})


def branches(count):
    """ABS, whose result two chains of NEG read in turn; every seventh operator adds both."""
    ops = [(0, [0]), (1, [1])]
    for i in range(2, count):
        ops.append((2, [i, i - 1]) if i % 7 == 6 else (1, [i - 1]))
    return graph([code(t.ABS), code(59), code(t.ADD)], ops)


def hostile():
    """Names that want to be markup: of a tensor and of an operator."""
    name = b"<script>alert(1)</script><img src=x onerror=alert(2)>\"'&</title>"
    return chain([code(t.ABS), custom(name)], [0, 1, 0], name)


# A flexbuffer: {"factor": 2.5, "on": true, "times": -3, "title": "ab"}
OPTIONS = bytes.fromhex(
    "666163746f72006f6e0074696d6573007469746c650002616200041b15130e000500000001000000040000000000204001000000fdffff"
    "ff210000000e6a0614142601"
)


def own():
    """Operators that npu_rt does not have, with options: Scale, then Total, which keeps state."""
    return graph([custom(b"Scale"), custom(b"Total")], [(0, [0]), (1, [1])], options=OPTIONS)


def own_dynamic():
    """Positives, whose shape depends on data, then ABS."""
    return graph([custom(b"Positives"), code(t.ABS)], [(0, [0]), (1, [1])])


def strings(n):
    """Strings as they are; `n` of them, which the model leaves open."""
    return t.copy_model(t.STRING, [n, 1], signature=[-1, 1])


def strings_equal(n):
    """Which of `n` strings are those of the second input."""
    tensors = [t.tensor(name, t.STRING, [n]) for name in (b"a", b"b")] + [t.tensor(b"same", t.BOOL, [n])]
    return t.model(tensors, [0, 1], [2], EQUAL)


def packed(words):
    """The contents of a tensor of strings: their number, where each begins and the last ends, their bytes."""
    at = [4 * (len(words) + 2)]
    for word in words:
        at.append(at[-1] + len(word))
    return struct.pack("<%di" % (len(at) + 1), len(words), *at) + b"".join(words)


def strings_of(n):
    """`n` of four constant strings by their index; the last one is no UTF-8."""
    words = packed(["zero".encode(), b"", "zw\u00f6lf \u2713".encode(), b"\xff\x00a"])
    tensors = [
        t.tensor(b"words", t.STRING, [4], buffer=1),
        t.tensor(b"which", t.INT32, [n]),
        t.tensor(b"chosen", t.STRING, [n]),
    ]
    return t.model(tensors, [0, 1], [2], GATHER, buffers=[words], feeds=[1])


def strings_by_index(n):
    """`n` strings of an input with two, by an index: strings and numbers go in."""
    tensors = [t.tensor(b"words", t.STRING, [2]), t.tensor(b"which", t.INT32, [n]), t.tensor(b"chosen", t.STRING, [n])]
    return t.model(tensors, [0, 1], [2], GATHER)


if __name__ == "__main__":
    sys.stdout.buffer.write(globals()[sys.argv[1]](*map(int, sys.argv[2:])))
