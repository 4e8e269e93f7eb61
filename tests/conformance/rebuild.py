"""A .tflite file made again by calls of npu_graph_*, through ctypes: every table is read with the schema's own object API (not by
npu_rt), and becomes calls. So a model that runs like its file proves that nothing behind the graph depends on flatbuffers.

What a file can say and calls cannot (schema versions, external buffers, indices of buffers and operator codes) is left to the
verifier's tests: Unsayable."""

import ctypes as C
import re

import numpy as np

from binding import NpuError, Session
from mkmodel import schema
from structs import structs

BUILTINS = {v: k for k, v in vars(schema.BuiltinOperator).items() if isinstance(v, int)}
INT32, UINT16, UINT8 = 1, 2, 3  # members of the union SparseIndexVector
VECTORS = {INT32: np.int32, UINT16: np.uint16, UINT8: np.uint8}


class Unsayable(Exception):
    """A file that no sequence of calls describes."""


def snake(name):
    """dilationWFactor -> dilation_w_factor: the schema's own spelling, which the object API changes."""
    return re.sub(r"([A-Z])", lambda m: "_" + m[1].lower(), name)


def numbers(values, dtype):
    return np.ascontiguousarray(np.asarray([] if values is None else values).reshape(-1), dtype)


class Graph:
    def __init__(self, library, limits=None):
        self.lib, self.diag, self.g = library.c, structs.npu_diag(), C.c_void_p()
        self.lib.npu_graph_destroy.restype = None
        self.kept = []  # what a description being passed points to
        desc = structs.npu_model_desc(**(limits or {}))
        self.call("create", C.byref(self.g), C.byref(desc))

    def call(self, name, *args):
        if getattr(self.lib, "npu_graph_" + name)(*args, C.byref(self.diag)):
            raise NpuError(self.diag.status, (self.diag.rule or b"").decode(), self.diag.text.decode(errors="replace"))

    def add(self, name, *args):
        index = C.c_int32(-1)
        self.call(name, self.g, *args, C.byref(index))
        return index.value

    def pointer(self, array):
        self.kept.append(array)
        return array.ctypes.data if array.size else None

    # ---- tensors ----

    def vector(self, union, kind):
        if union is None or kind not in VECTORS or union.values is None:
            return None
        return numbers(union.values, VECTORS[kind])

    def sparsity(self, s):
        levels = s.dimMetadata or []
        table = (structs.npu_sparse_level * max(len(levels), 1))()
        for to, level in zip(table, levels):
            to.csr, to.dense_size = int(level.format != 0), level.denseSize
            segments = self.vector(level.arraySegments, level.arraySegmentsType)
            indices = self.vector(level.arrayIndices, level.arrayIndicesType)
            if segments is not None:
                to.segments, to.n_segments, to.segment_bytes = self.pointer(segments), segments.size, segments.itemsize
            if indices is not None:
                to.indices, to.n_indices, to.index_bytes = self.pointer(indices), indices.size, indices.itemsize
        order, blocks = numbers(s.traversalOrder, np.int32), numbers(s.blockMap, np.int32)
        made = structs.npu_sparsity(
            traversal_order=self.pointer(order),
            block_map=self.pointer(blocks),
            n_traversal_order=order.size,
            n_block_map=blocks.size,
            n_levels=len(levels),
            levels=table,
        )
        self.kept.append(made)
        return C.pointer(made)

    def tensor(self, subgraph, t, data, lend):
        if t.externalBuffer:
            raise Unsayable("an external buffer")
        shape = numbers(t.shape, np.int32)
        d = structs.npu_tensor_desc(
            name=t.name, type=t.type, rank=shape.size, is_variable=int(t.isVariable), lend=int(lend)
        )
        d.dims[: min(shape.size, 8)] = shape[:8].tolist()
        signature = numbers(t.shapeSignature, np.int32)
        if signature.size == shape.size and shape.size:
            d.dims_signature = self.pointer(signature)
        q = t.quantization
        if q is not None:
            scale, zero = numbers(q.scale, np.float32), numbers(q.zeroPoint, np.int64)
            if zero.size not in (0, scale.size) and scale.size:
                raise Unsayable("as many zero points as scales, or none")
            if np.any(zero != zero.astype(np.int32)):
                raise Unsayable("a zero point of more than 32 bits")
            d.quant.axis = q.quantizedDimension
            if scale.size:
                d.quant.count, d.quant.scale = scale.size, self.pointer(scale)
                d.quant.zero_point = self.pointer(zero.astype(np.int32))
            if q.detailsType == schema.QuantizationDetails.BlockwiseQuantization and q.details is not None:
                blocks = structs.npu_blockwise(q.details.scales, q.details.zeroPoints, q.details.blockSize)
                self.kept.append(blocks)
                d.blockwise = C.pointer(blocks)
        if t.sparsity is not None:
            d.sparsity = self.sparsity(t.sparsity)
        if data is not None and data.size:
            d.data, d.bytes = data.ctypes.data, data.size
        self.add("tensor", subgraph, C.byref(d))

    # ---- operators ----

    def nothing(self, where, name):
        for setter, empty in (("option_ints", (None, 0)), ("option_floats", (None, 0)), ("option_str", (b"",))):
            try:
                return self.call(setter, self.g, *where, name, *empty)
            except NpuError as e:
                if e.rule != "graph.option_kind":
                    raise
        raise NpuError(1, "test.option", "no setter takes nothing for %s" % name)

    def option(self, where, name, value):
        name = name.encode()
        if value is None:  # a string or a list that is not there: empty, of whichever kind it is
            self.nothing(where, name)
        elif isinstance(value, (bytes, str)):
            self.call("option_str", self.g, *where, name, value.encode() if isinstance(value, str) else value)
        elif isinstance(value, float):
            self.call("option_float", self.g, *where, name, C.c_double(value))
        elif isinstance(value, (bool, int)):
            self.call("option_int", self.g, *where, name, C.c_int64(value))
        else:
            floats = np.asarray(value).dtype.kind == "f"
            a = numbers(value, np.float32 if floats else np.int64)
            self.call(
                "option_floats" if floats else "option_ints", self.g, *where, name, C.c_void_p(a.ctypes.data), a.size
            )

    def op(self, subgraph, op, codes, tail):
        if op.opcodeIndex >= len(codes):
            raise Unsayable("an operator code that does not exist")
        code = codes[op.opcodeIndex]
        builtin = max(code.builtinCode, code.deprecatedBuiltinCode)
        if builtin not in BUILTINS:
            raise Unsayable("a builtin that the schema does not name")
        lists = [numbers(v, np.int32) for v in (op.inputs, op.outputs, op.intermediates)]
        d = structs.npu_op_desc(
            name=code.customCode or b"" if builtin == 32 else BUILTINS[builtin].encode(),
            custom=int(builtin == 32),
            version=code.version,
        )
        d.inputs, d.outputs, d.intermediates = [self.pointer(v) for v in lists]
        d.n_inputs, d.n_outputs, d.n_intermediates = [v.size for v in lists]
        custom = numbers(op.customOptions, np.uint8) if op.customOptions is not None else tail
        if custom is not None:
            self.kept.append(custom)
            d.custom_options, d.custom_options_bytes = custom.ctypes.data, custom.size
        index = self.add("op", subgraph, C.byref(d))
        options = op.builtinOptions if op.builtinOptions is not None else op.builtinOptions2
        if options is None or not BUILTIN_OPTIONS.get(type(options).__name__, set()) & {builtin}:
            return
        for field, value in vars(options).items():
            self.option((subgraph, index), snake(field), value)

    # ---- the model ----

    def signature(self, s):
        lists = []
        for maps in (s.inputs or [], s.outputs or []):
            entries = (structs.npu_graph_entry * max(len(maps), 1))()
            for to, m in zip(entries, maps):
                to.name, to.tensor = m.name, m.tensorIndex
            lists += [entries, len(maps)]
        self.call("signature", self.g, s.signatureKey, s.subgraphIndex, *lists)

    def file(self, raw, lend=False):
        """Everything that the file says. With `lend`, constants stay where this object keeps them."""
        raw = bytes(raw)
        m = schema.ModelT.InitFromPackedBuf(raw, 0)
        if m.version != 3:
            raise Unsayable("a schema version")
        buffers = [contents(raw, b) for b in m.buffers or []]
        self.lent = buffers
        if m.description is not None:
            self.call("description", self.g, m.description)
        for sg in m.subgraphs or []:
            index = self.add("subgraph", sg.name)
            for t in sg.tensors or []:
                if t.buffer >= len(buffers) and t.buffer:
                    raise Unsayable("a buffer that does not exist")
                self.tensor(index, t, buffers[t.buffer] if t.buffer < len(buffers) else None, lend)
            for name, tensors in (("inputs", sg.inputs), ("outputs", sg.outputs)):
                v = numbers(tensors, np.int32)
                self.call(name, self.g, index, C.c_void_p(self.pointer(v)), v.size)
            for op in sg.operators or []:
                tail = None
                if op.largeCustomOptionsOffset > 1:
                    tail = np.frombuffer(raw, np.uint8)[op.largeCustomOptionsOffset :][: op.largeCustomOptionsSize]
                self.op(index, op, m.operatorCodes or [], tail)
            self.kept.clear()
        for s in m.signatureDefs or []:
            self.signature(s)
        for e in m.metadata or []:
            data = buffers[e.buffer] if e.buffer < len(buffers) else np.zeros(0, np.uint8)
            self.call(
                "metadata", self.g, e.name, C.c_void_p(data.ctypes.data if data.size else None), C.c_size_t(data.size)
            )
        return self

    def finish(self):
        """The npu_model, as a pointer; the graph is gone, whatever happens."""
        model = C.c_void_p()
        try:
            self.call("finish", self.g, C.byref(model))
        finally:
            self.close()
        return model

    def close(self):
        self.lib.npu_graph_destroy(self.g)
        self.g = C.c_void_p()


def contents(raw, b):
    if b.data is not None:
        return np.ascontiguousarray(np.asarray(b.data), np.uint8)
    if b.offset > 1:
        return np.frombuffer(raw, np.uint8)[b.offset :][: b.size].copy()
    return np.zeros(0, np.uint8)


def _builtin_options():
    """{class of options: the builtins that have it}: by their names, as the schema's own naming has it."""
    import os

    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "..", "..", "src", "tflite", "schema_builtins.h")) as f:
        rows = re.findall(r"X\((\w+), (\d+), (\w+)\)", f.read())
    out = {}
    for _, code, options in rows:
        out.setdefault(options + "T", set()).add(int(code))
    return out


BUILTIN_OPTIONS = _builtin_options()


class RebuiltSession(Session):
    """Session, but of the same model built by calls."""

    def open(self, library, model):
        graph = Graph(library)
        try:
            graph.file(model, lend=bool(len(model) & 1))  # either way, by a coin that falls the same each time
        except BaseException:
            graph.close()
            raise
        self.lent = graph.lent
        return graph.finish()
