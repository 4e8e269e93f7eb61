"""Builds one-operator (or few-operator) TFLite models in memory and runs them through the oracles.

    x = T("x", (2, 3), "int8", 0.5, -3)            # an input; data=... makes it a constant
    y = T("y", (2, 3), "int8", 0.25, 0)
    model = single_op("RELU", [x], [y])
    (out,) = litert_ref(model, [np.zeros((2, 3), np.int8)])

Oracles: litert_ref (LiteRT's reference kernels), litert_default (optimized kernels and XNNPACK), tflm (tflite-micro).
Each takes the model's bytes and one array per subgraph input, and returns one array per subgraph output.
"""

import importlib
import os
import zlib

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

TYPES = {
    "float32": 0,
    "float16": 1,
    "int32": 2,
    "uint8": 3,
    "int64": 4,
    "string": 5,
    "bool": 6,
    "int16": 7,
    "complex64": 8,
    "int8": 9,
    "float64": 10,
    "complex128": 11,
    "uint64": 12,
    "resource": 13,
    "variant": 14,
    "uint32": 15,
    "uint16": 16,
    "int4": 17,
    "bfloat16": 18,
    "int2": 19,
    "uint4": 20,
}
PACKED_BITS = {"int4": 4, "uint4": 4, "int2": 2}


class T:
    """A tensor. data: constant contents (numpy, or raw bytes as they are). scale/zero_point: number, list or None."""

    def __init__(
        self,
        name,
        shape,
        dtype="float32",
        scale=None,
        zero_point=None,
        axis=0,
        data=None,
        is_variable=False,
        shape_signature=None,
        sparsity=None,
        quantization=None,
    ):
        self.name, self.shape, self.dtype = name, tuple(int(d) for d in shape), str(dtype)
        self.scale, self.zero_point, self.axis = scale, zero_point, axis
        self.data, self.is_variable = data, is_variable
        self.shape_signature = shape_signature
        self.sparsity = sparsity  # a SparsityParametersT
        self.quantization = quantization  # a QuantizationParametersT; overrides scale, zero_point and axis


def _as_tensor(t):
    return T(**t) if isinstance(t, dict) else t


def pack_bits(values, bits):
    """Packs small integers into bytes, first element in the low bits, each array padded to a whole byte."""
    v = np.asarray(values).reshape(-1).astype(np.int64) & ((1 << bits) - 1)
    per = 8 // bits
    v = np.concatenate([v, np.zeros(-len(v) % per, np.int64)]).reshape(-1, per)
    return sum(v[:, i] << (bits * i) for i in range(per)).astype(np.uint8).tobytes()


def pack_strings(strings):
    """The string tensor format: count, offsets, bytes."""
    raw = [s.encode() if isinstance(s, str) else bytes(s) for s in strings]
    head = 4 * (len(raw) + 2)
    offsets = np.cumsum([head] + [len(r) for r in raw]).astype("<i4")
    return np.array([len(raw)], "<i4").tobytes() + offsets.tobytes() + b"".join(raw)


def bfloat16_bits(values):
    """float32 to bfloat16 bit patterns, round to nearest even."""
    u = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    return ((u + 0x7FFF + ((u >> 16) & 1)) >> 16).astype(np.uint16)


def data_bytes(t):
    """What goes into the file for a constant tensor."""
    if isinstance(t.data, (bytes, bytearray)):
        return bytes(t.data)
    if t.dtype in PACKED_BITS:
        return pack_bits(t.data, PACKED_BITS[t.dtype])
    if t.dtype == "string":
        return pack_strings(np.asarray(t.data, object).reshape(-1))
    if t.dtype == "bfloat16":
        a = np.asarray(t.data)
        return (a if a.dtype == np.uint16 else bfloat16_bits(a)).tobytes()
    return np.ascontiguousarray(np.asarray(t.data).astype(np.dtype(t.dtype))).tobytes()


def _quantization(t):
    if t.quantization is not None:
        return t.quantization
    if t.scale is None:
        return None
    scale = np.atleast_1d(np.asarray(t.scale, np.float32))
    zero_point = np.atleast_1d(np.asarray(0 if t.zero_point is None else t.zero_point, np.int64))
    if len(zero_point) == 1 and len(scale) > 1:
        zero_point = np.repeat(zero_point, len(scale))
    q = schema.QuantizationParametersT()
    q.scale, q.zeroPoint, q.quantizedDimension = scale, zero_point, int(t.axis)
    return q


def opts(kind, **fields):
    """Options by the schema's name, with or without its last word: opts("Conv2D", strideH=2)."""
    o = getattr(schema, (kind if kind.endswith("Options") else kind + "Options") + "T")()
    for key, value in fields.items():
        assert hasattr(o, key), "%sOptions has no %s" % (kind, key)
        setattr(o, key, value)
    return o


def rng_of(name):
    """Random numbers of a case: its name is the seed."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def _union(options):
    """(which of the two option unions, its type code) of a schema object."""
    name = type(options).__name__[:-1]
    for which, union in ((1, schema.BuiltinOptions), (2, schema.BuiltinOptions2)):
        if hasattr(union, name):
            return which, getattr(union, name)
    raise ValueError("not a builtin options class: " + name)


class Builder:
    """Collects tensors (by name) and operators of one or more subgraphs, and writes the file."""

    def __init__(self):
        self.model = schema.ModelT()
        self.model.version = 3
        self.model.description = b"test"
        self.model.operatorCodes, self.model.subgraphs = [], []
        self.model.buffers = [schema.BufferT()]
        self.model.signatureDefs = []
        self.codes = {}

    def subgraph(self, name="main"):
        sg = schema.SubGraphT()
        sg.name = name.encode()
        sg.tensors, sg.operators, sg.inputs, sg.outputs = [], [], [], []
        self.model.subgraphs.append(sg)
        self.index = {}
        return sg

    def tensor(self, t):
        """Index of a tensor in the newest subgraph; -1 for None. The same name is the same tensor."""
        t = _as_tensor(t)
        if t is None:
            return -1
        if t.name in self.index:
            return self.index[t.name]
        sg = self.model.subgraphs[-1]
        o = schema.TensorT()
        o.name, o.type = t.name.encode(), TYPES[t.dtype]
        o.shape = np.array(t.shape, np.int32)
        o.hasRank = True
        o.isVariable = bool(t.is_variable)
        o.quantization = _quantization(t)
        o.sparsity = t.sparsity
        if t.shape_signature is not None:
            o.shapeSignature = np.array(t.shape_signature, np.int32)
        o.buffer = 0
        if t.data is not None:
            b = schema.BufferT()
            b.data = np.frombuffer(data_bytes(t), np.uint8)
            o.buffer = len(self.model.buffers)
            self.model.buffers.append(b)
        self.index[t.name] = len(sg.tensors)
        sg.tensors.append(o)
        return self.index[t.name]

    def code(self, op_name, custom_name=None, version=1):
        key = (op_name, custom_name, version)
        if key not in self.codes:
            o = schema.OperatorCodeT()
            o.builtinCode = getattr(schema.BuiltinOperator, op_name)
            o.deprecatedBuiltinCode = min(o.builtinCode, 127)
            o.customCode = custom_name.encode() if custom_name else None
            o.version = version
            self.codes[key] = len(self.model.operatorCodes)
            self.model.operatorCodes.append(o)
        return self.codes[key]

    def op(self, op_name, inputs, outputs, options=None, custom=None, intermediates=(), version=1):
        o = schema.OperatorT()
        if custom is not None:
            op_name = "CUSTOM"
        o.opcodeIndex = self.code(op_name, custom[0] if custom else None, version)
        o.inputs = np.array([self.tensor(t) for t in inputs], np.int32)
        o.outputs = np.array([self.tensor(t) for t in outputs], np.int32)
        if intermediates:
            o.intermediates = np.array([self.tensor(t) for t in intermediates], np.int32)
        if options is not None:
            which, code = _union(options)
            if which == 1:
                o.builtinOptionsType, o.builtinOptions = code, options
            else:
                o.builtinOptions2Type, o.builtinOptions2 = code, options
        if custom is not None and custom[1] is not None:
            o.customOptions = np.frombuffer(bytes(custom[1]), np.uint8)
        self.model.subgraphs[-1].operators.append(o)

    def io(self, inputs, outputs):
        """Says which tensors are the newest subgraph's inputs and outputs."""
        sg = self.model.subgraphs[-1]
        sg.inputs = np.array([self.tensor(t) for t in inputs], np.int32)
        sg.outputs = np.array([self.tensor(t) for t in outputs], np.int32)

    def signature(self, key, subgraph=0):
        """Names a subgraph; its inputs and outputs keep their tensor names."""
        sg = self.model.subgraphs[subgraph]
        s = schema.SignatureDefT()
        s.signatureKey, s.subgraphIndex, s.inputs, s.outputs = key.encode(), subgraph, [], []
        for where, indices in ((s.inputs, sg.inputs), (s.outputs, sg.outputs)):
            for i in indices:
                m = schema.TensorMapT()
                m.name, m.tensorIndex = sg.tensors[i].name, int(i)
                where.append(m)
        self.model.signatureDefs.append(s)

    def bytes(self):
        fb = flatbuffers.Builder(1024)
        fb.Finish(self.model.Pack(fb), b"TFL3")
        return bytes(fb.Output())


def _is_input(t):
    return t is not None and t.data is None and not t.is_variable


def single_op(op_name, inputs, outputs, options=None, custom=None, intermediates=(), variables=(), version=1):
    """A model of one operator. Constant and variable inputs stay inside; the others are the subgraph's inputs, in
    order. `custom` = (name, option bytes). `variables`: names of inputs that are variable tensors. None among the
    inputs = -1."""
    inputs, outputs = [_as_tensor(t) for t in inputs], [_as_tensor(t) for t in outputs]
    for t in inputs:
        if t is not None and t.name in variables:
            t.is_variable = True
    b = Builder()
    b.subgraph()
    seen, io = set(), []
    for t in inputs:
        if _is_input(t) and t.name not in seen:
            seen.add(t.name)
            io.append(t)
    for t in inputs + outputs:
        b.tensor(t)
    b.op(op_name, inputs, outputs, options, custom, [_as_tensor(t) for t in intermediates], version)
    b.io(io, outputs)
    return b.bytes()


class _LiteRT:
    """An interpreter that keeps its state between invokes. `signature`: runs that signature's subgraph."""

    def __init__(self, model, resolver, signature=None):
        from ai_edge_litert.interpreter import Interpreter, OpResolverType

        self.it = Interpreter(
            model_content=bytes(model), num_threads=1, experimental_op_resolver_type=getattr(OpResolverType, resolver)
        )
        self.runner, self.allocated = None, False
        if signature is not None:
            m = schema.ModelT.InitFromPackedBuf(model, 0)
            sig = next(s for s in m.signatureDefs if s.signatureKey.decode() == signature)
            sg = m.subgraphs[sig.subgraphIndex]
            self.in_names = [next(e.name.decode() for e in sig.inputs if e.tensorIndex == t) for t in sg.inputs]
            self.out_names = [next(e.name.decode() for e in sig.outputs if e.tensorIndex == t) for t in sg.outputs]
            self.runner = self.it.get_signature_runner(signature)

    def run(self, inputs):
        if self.runner is not None:
            out = self.runner(**dict(zip(self.in_names, [np.asarray(a) for a in inputs])))
            return [np.array(out[n]) for n in self.out_names]
        details = self.it.get_input_details()
        if not self.allocated:
            for d, a in zip(details, inputs):
                if tuple(d["shape"]) != np.shape(a):
                    self.it.resize_tensor_input(d["index"], np.shape(a))
            self.it.allocate_tensors()
            self.allocated = True
        for d, a in zip(details, inputs):
            self.it.set_tensor(d["index"], np.asarray(a))
        self.it.invoke()
        return [np.array(self.it.get_tensor(d["index"])) for d in self.it.get_output_details()]


class _TFLM:
    def __init__(self, model, arena_bytes=1 << 22):
        from tflite_micro.python.tflite_micro import runtime

        self.it = runtime.Interpreter.from_bytes(bytes(model), arena_size=arena_bytes)
        self.n = int(schema.Model.GetRootAs(model, 0).Subgraphs(0).OutputsLength())

    def run(self, inputs):
        for i, a in enumerate(inputs):
            self.it.set_input(np.asarray(a), i)
        self.it.invoke()
        return [np.array(self.it.get_output(i)) for i in range(self.n)]


def _repeated(session, inputs, repeat):
    for _ in range(repeat):
        outputs = session.run(inputs)
    return outputs


def litert_ref(model, inputs, repeat=1, signature=None):
    """LiteRT with its reference kernels: the oracle."""
    return _repeated(_LiteRT(model, "BUILTIN_REF", signature), inputs, repeat)


def litert_default(model, inputs, repeat=1, signature=None):
    """LiteRT as users run it: for ops the reference resolver lacks."""
    return _repeated(_LiteRT(model, "AUTO", signature), inputs, repeat)


def tflm(model, inputs, repeat=1, arena_bytes=1 << 22):
    """tflite-micro: for what LiteRT refuses."""
    return _repeated(_TFLM(model, arena_bytes), inputs, repeat)


# Sessions by oracle name: oracle_session("litert_ref", model).run(inputs), again and again. A name with a dot is a module and its
# class: a reference in NumPy where no oracle runs the operator (or where all of them crash).
def oracle_session(name, model):
    if "." in name:
        module, session = name.split(".")
        return getattr(importlib.import_module(module), session)(model)
    if name == "tflm":
        return _TFLM(model)
    return _LiteRT(model, {"litert_ref": "BUILTIN_REF", "litert_default": "AUTO"}[name])


ORACLES = {"litert_ref": litert_ref, "litert_default": litert_default, "tflm": tflm}
