"""Models that are written table by table, of any size and shape."""

import os
import sys

import flatbuffers
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "conformance"))
from mkmodel import TYPES, schema, opts as options  # noqa: E402

OPS = schema.BuiltinOperator


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
