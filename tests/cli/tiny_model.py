"""Writes small .tflite files with nothing but the standard library, so that the CLI's tests need no model of others.

A flatbuffer is laid out front to back: every table is followed by what it refers to.
"""

import struct

FLOAT32, FLOAT16, INT32, UINT8, INT64, STRING, BOOL, INT16, COMPLEX64, INT8, FLOAT64 = range(11)
INT4 = 17
ADD, AVERAGE_POOL_2D, DEQUANTIZE, RESHAPE, CUSTOM, FILL, ABS = 0, 1, 6, 22, 32, 94, 101


class Table:
    """Fields by slot: (struct format, value) for numbers, or a Table, Vector or bytes (a string)."""

    def __init__(self, fields):
        self.fields = fields


class Vector:
    """Numbers by struct format ("raw" for bytes), or references when `fmt` is None."""

    def __init__(self, fmt, items, align=4):
        self.fmt, self.items, self.align = fmt, items, align


class Writer:
    def __init__(self):
        self.out = bytearray()
        self.later = []  # (where the offset goes, what it points to)

    def pad(self, align, ahead=0):
        while (len(self.out) + ahead) % align:
            self.out.append(0)

    def table(self, table):
        entries, size = {}, 4
        for slot, value in sorted(table.fields.items()):
            width = struct.calcsize(value[0]) if isinstance(value, tuple) else 4
            size = (size + width - 1) // width * width
            entries[slot] = size
            size += width
        n_slots = max(entries, default=-1) + 1
        vtable_bytes = 4 + 2 * n_slots
        self.pad(8, vtable_bytes)
        self.out += struct.pack("<HH", vtable_bytes, size)
        for slot in range(n_slots):
            self.out += struct.pack("<H", entries.get(slot, 0))
        start = len(self.out)
        self.out += struct.pack("<i", vtable_bytes) + bytes(size - 4)
        for slot, value in table.fields.items():
            at = start + entries[slot]
            if isinstance(value, tuple):
                struct.pack_into(value[0], self.out, at, value[1])
            else:
                self.later.append((at, value))
        return start

    def vector(self, vector):
        if vector.fmt == "raw":
            self.pad(vector.align, 4)
            start = len(self.out)
            self.out += struct.pack("<I", len(vector.items)) + bytes(vector.items)
        else:
            width = struct.calcsize(vector.fmt) if vector.fmt else 4
            self.pad(max(4, width), 4)
            start = len(self.out)
            self.out += struct.pack("<I", len(vector.items))
            for item in vector.items:
                if vector.fmt:
                    self.out += struct.pack(vector.fmt, item)
                else:
                    self.later.append((len(self.out), item))
                    self.out += bytes(4)
        return start

    def string(self, text):
        self.pad(4)
        start = len(self.out)
        self.out += struct.pack("<I", len(text)) + text + b"\0"
        return start

    def finish(self, root, identifier):
        self.out += bytes(4) + identifier
        self.later.append((0, root))
        while self.later:
            at, value = self.later.pop(0)
            write = {Table: self.table, Vector: self.vector, bytes: self.string}[type(value)]
            start = write(value)
            struct.pack_into("<I", self.out, at, start - at)
        return bytes(self.out)


def i32(v):
    return ("<i", v)


def u32(v):
    return ("<I", v)


def i8(v):
    return ("<b", v)


def quantization(scale, zero_point):
    return Table({2: Vector("<f", [scale]), 3: Vector("<q", [zero_point])})


def tensor(name, type_, shape, buffer=0, signature=None, quant=None):
    fields = {0: Vector("<i", shape), 1: i8(type_), 2: u32(buffer), 3: name}
    if quant:
        fields[4] = quantization(*quant)
    if signature:
        fields[7] = Vector("<i", signature)
    return Table(fields)


def metadata(mean=None, std=None, audio_rate=None):
    """A TFLITE_METADATA flatbuffer about input 0."""
    about = {}
    if mean is not None:
        options = Table({0: Vector("<f", mean), 1: Vector("<f", std)})
        about[4] = Vector(None, [Table({0: ("<B", 1), 1: options})])
    if audio_rate is not None:
        about[3] = Table({0: ("<B", 4), 1: Table({0: u32(audio_rate), 1: u32(1)})})
    subgraph = Table({2: Vector(None, [Table(about)])})
    return Writer().finish(Table({0: b"tiny", 3: Vector(None, [subgraph])}), b"M001")


def model(
    tensors,
    inputs,
    outputs,
    op,
    options_type=0,
    options=None,
    custom=None,
    buffers=(),
    signatures=(),
    meta=None,
    feeds=None,
):
    """One operator over `inputs`, of which `feeds` (all) are the graph's; `signatures`: (key, [(name, tensor)],
    [(name, tensor)])."""
    code = Table({0: i8(op), 2: i32(1), 3: i32(op), **({1: custom} if custom else {})})
    node = {0: u32(0), 1: Vector("<i", inputs), 2: Vector("<i", outputs)}
    if options_type:
        node[3], node[4] = ("<B", options_type), options or Table({})
    feeds = inputs if feeds is None else feeds
    subgraph = Table(
        {
            0: Vector(None, tensors),
            1: Vector("<i", feeds),
            2: Vector("<i", outputs),
            3: Vector(None, [Table(node)]),
            4: b"main",
        }
    )
    all_buffers = [Table({})] + [Table({0: Vector("raw", b, 16)}) for b in buffers]
    fields = {0: u32(3), 1: Vector(None, [code]), 2: Vector(None, [subgraph]), 3: b"tiny model"}
    if meta:
        fields[6] = Vector(None, [Table({0: b"TFLITE_METADATA", 1: u32(len(all_buffers))})])
        all_buffers.append(Table({0: Vector("raw", meta, 16)}))
    if signatures:

        def entries(pairs):
            return Vector(None, [Table({0: n, 1: u32(i)}) for n, i in pairs])

        fields[7] = Vector(
            None, [Table({0: entries(ins), 1: entries(outs), 2: key, 4: u32(0)}) for key, ins, outs in signatures]
        )
    fields[4] = Vector(None, all_buffers)
    return Writer().finish(Table(fields), b"TFL3")


def add_model(output=b"c"):
    """c = a + b over float32 [-1, 4], with a signature that names them x, y and sum."""
    tensors = [tensor(name, FLOAT32, [1, 4], signature=[-1, 4]) for name in (b"a", b"b", output)]
    return model(tensors, [0, 1], [2], ADD, 11, signatures=[(b"serve", [(b"x", 0), (b"y", 1)], [(b"sum", 2)])])


def copy_model(type_, shape, signature=None, quant=None, meta=None):
    """The input's elements as a flat vector: shows exactly what an input became."""
    n = 1
    for d in shape:
        n *= d
    tensors = [
        tensor(b"in", type_, shape, signature=signature, quant=quant),
        tensor(b"out", type_, [n], signature=[-1], quant=quant),
    ]
    return model(tensors, [0], [1], RESHAPE, 17, Table({0: Vector("<i", [-1])}), meta=meta)


def custom_model():
    return model([tensor(b"in", FLOAT32, [4]), tensor(b"out", FLOAT32, [4])], [0], [1], CUSTOM, custom=b"NoSuchOp")


def slow_model(height=512, width=1024):
    """Half a kilobyte that computes for minutes: every mean is over (nearly) the whole picture."""
    options = Table({1: i32(1), 2: i32(1), 3: i32(width), 4: i32(height)})  # padding SAME, strides 1
    tensors = [tensor(name, FLOAT32, [1, height, width, 1]) for name in (b"in", b"out")]
    return model(tensors, [0], [1], AVERAGE_POOL_2D, 5, options)


def wide_model(n):
    """A small file with a large output that is quickly made: `n` copies of one input."""
    tensors = [tensor(b"dims", INT32, [1], buffer=1), tensor(b"value", INT8, []), tensor(b"out", INT8, [n])]
    return model(tensors, [0, 1], [2], FILL, buffers=[struct.pack("<i", n)], feeds=[1])


def chain_model(n):
    """`n` operators, one after the other."""
    code = Table({0: i8(ABS), 2: i32(1), 3: i32(ABS)})
    tensors = [tensor(b"t", FLOAT32, [4]) for _ in range(n + 1)]
    nodes = [Table({0: u32(0), 1: Vector("<i", [i]), 2: Vector("<i", [i + 1])}) for i in range(n)]
    subgraph = Table({0: Vector(None, tensors), 1: Vector("<i", [0]), 2: Vector("<i", [n]), 3: Vector(None, nodes)})
    fields = {0: u32(3), 1: Vector(None, [code]), 2: Vector(None, [subgraph]), 4: Vector(None, [Table({})])}
    return Writer().finish(Table(fields), b"TFL3")


def missing_model(names):
    """Operators that nobody has a kernel for, one after the other: builtin codes, or custom names in bytes."""
    kinds = sorted(set(names), key=names.index)
    codes = [
        Table({0: i8(CUSTOM), 2: i32(1), 3: i32(CUSTOM), 1: k})
        if isinstance(k, bytes)
        else Table({0: i8(min(k, 127)), 2: i32(1), 3: i32(k)})
        for k in kinds
    ]
    tensors = [tensor(b"t%d" % i, FLOAT32, [4]) for i in range(len(names) + 1)]
    nodes = [
        Table({0: u32(kinds.index(k)), 1: Vector("<i", [i]), 2: Vector("<i", [i + 1])}) for i, k in enumerate(names)
    ]
    subgraph = Table(
        {0: Vector(None, tensors), 1: Vector("<i", [0]), 2: Vector("<i", [len(names)]), 3: Vector(None, nodes)}
    )
    fields = {0: u32(3), 1: Vector(None, codes), 2: Vector(None, [subgraph]), 4: Vector(None, [Table({})])}
    return Writer().finish(Table(fields), b"TFL3")


def float16_model(values=4):
    """b = a + DEQUANTIZE(constant of float16): what a model with weights of half the size does with each of them."""

    def table(code):
        return Table({0: i8(code), 2: i32(1), 3: i32(code)})

    tensors = [
        tensor(b"half", FLOAT16, [values], buffer=1),
        tensor(b"whole", FLOAT32, [values]),
        tensor(b"a", FLOAT32, [values]),
        tensor(b"b", FLOAT32, [values]),
    ]
    nodes = [
        Table({0: u32(0), 1: Vector("<i", [0]), 2: Vector("<i", [1])}),
        Table({0: u32(1), 1: Vector("<i", [2, 1]), 2: Vector("<i", [3]), 3: ("<B", 11), 4: Table({})}),
    ]
    subgraph = Table({0: Vector(None, tensors), 1: Vector("<i", [2]), 2: Vector("<i", [3]), 3: Vector(None, nodes)})
    buffers = [Table({}), Table({0: Vector("raw", bytes(2 * values), 16)})]
    fields = {
        0: u32(3),
        1: Vector(None, [table(DEQUANTIZE), table(ADD)]),
        2: Vector(None, [subgraph]),
        4: Vector(None, buffers),
    }
    return Writer().finish(Table(fields), b"TFL3")
