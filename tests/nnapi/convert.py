"""A .tflite network as an NNAPI model, the way NNAPI's delegates do it: read with the schema's object API, added operand by operand."""

import numpy as np

from client import DTYPES, Model
from mkmodel import schema

BUILTINS = {v: k for k, v in vars(schema.BuiltinOperator).items() if isinstance(v, int)}
T = schema.TensorType
KINDS = {
    T.FLOAT32: "TENSOR_FLOAT32", T.FLOAT16: "TENSOR_FLOAT16", T.INT32: "TENSOR_INT32", T.UINT8: "TENSOR_QUANT8_ASYMM",
    T.INT8: "TENSOR_QUANT8_ASYMM_SIGNED", T.BOOL: "TENSOR_BOOL8",
}  # fmt: skip


class Unsayable(Exception):
    """What these conversions do not know."""


class Network:
    def __init__(self, library, data):
        self.m = schema.ModelT.InitFromObj(schema.Model.GetRootAs(bytearray(data), 0))
        if len(self.m.subgraphs) != 1:
            raise Unsayable("subgraphs")
        self.g, self.model, self.operands, self.library = self.m.subgraphs[0], Model(library), {}, library
        for op in self.g.operators:
            self.operator(op)
        inputs = [self.tensor(i) for i in self.g.inputs]
        self.model.finish(inputs, [self.tensor(i) for i in self.g.outputs])

    def data(self, t):
        raw = self.m.buffers[t.buffer].data
        return None if raw is None or len(raw) == 0 else np.asarray(raw, np.uint8)

    def tensor(self, i):
        if i not in self.operands:
            self.operands[i] = self.operand(self.g.tensors[i])
        return self.operands[i]

    def operand(self, t):
        if t.type not in KINDS or t.sparsity is not None or t.isVariable:
            raise Unsayable("a tensor of type %d" % t.type)
        kind, shape, data = KINDS[t.type], [] if t.shape is None else [int(d) for d in t.shape], self.data(t)
        scale, zero, channels = 0.0, 0, None
        q = t.quantization
        if q is not None and q.scale is not None and len(q.scale) and t.type != T.FLOAT32:
            scale, zero = float(q.scale[0]), int(q.zeroPoint[0]) if q.zeroPoint is not None and len(q.zeroPoint) else 0
            if len(q.scale) > 1:
                if t.type == T.INT8:
                    kind, channels = (
                        "TENSOR_QUANT8_SYMM_PER_CHANNEL",
                        (q.quantizedDimension, [float(s) for s in q.scale]),
                    )
                scale, zero = 0.0, 0
        if t.type == T.INT8 and not scale and channels is None:
            raise Unsayable("int8 without a scale")
        if not shape:
            raise Unsayable("a scalar")
        if data is None:
            return self.model.operand(kind, shape, scale, zero)
        return self.model.constant(kind, data.view(DTYPES[kind]).reshape(shape), scale, zero, channels)

    # ---- operators ----

    def i32(self, v):
        return self.model.constant("INT32", int(v))

    def yes(self, v):
        return self.model.constant("BOOL", bool(v))

    def f32(self, v):
        return self.model.constant("FLOAT32", v)

    def operator(self, op):
        c = self.m.operatorCodes[op.opcodeIndex]
        name = BUILTINS[max(c.builtinCode, c.deprecatedBuiltinCode)]
        how = getattr(self, "op_" + name.lower(), None)
        if how is None:
            raise Unsayable(name)
        inputs = [self.tensor(i) if i >= 0 else None for i in op.inputs]
        code, operands = how(op.builtinOptions, inputs, op)
        if any(i is None for i in operands):
            raise Unsayable("an input left out")
        self.model.operation(code, operands, [self.tensor(i) for i in op.outputs])

    def window(self, o):
        return [self.i32(1 if o.padding == schema.Padding.SAME else 2), self.i32(o.strideW), self.i32(o.strideH)]

    def act(self, o):
        if o.fusedActivationFunction > 3:
            raise Unsayable("an activation")
        return self.i32(o.fusedActivationFunction)

    def biased(self, inputs, op):
        if len(inputs) > 2 and inputs[2] is not None:
            return inputs[:3]
        w = self.g.tensors[op.inputs[1]]
        n = int(w.shape[-1] if w.shape[0] == 1 and len(w.shape) == 4 else w.shape[0])
        if w.type != T.FLOAT32:
            raise Unsayable("no bias")
        return [*inputs[:2], self.model.constant("TENSOR_FLOAT32", np.zeros(n))]

    def op_conv_2d(self, o, inputs, op):
        dilated = [self.yes(False), self.i32(o.dilationWFactor), self.i32(o.dilationHFactor)]
        return "CONV_2D", [*self.biased(inputs, op), *self.window(o), self.act(o), *dilated]

    def op_depthwise_conv_2d(self, o, inputs, op):
        w, x = self.g.tensors[op.inputs[1]].shape, self.g.tensors[op.inputs[0]].shape
        dilated = [self.yes(False), self.i32(o.dilationWFactor), self.i32(o.dilationHFactor)]
        return "DEPTHWISE_CONV_2D", [
            *self.biased(inputs, op),
            *self.window(o),
            self.i32(w[3] // x[3]),
            self.act(o),
            *dilated,
        ]

    def pool(self, name, o, inputs):
        return name, [*inputs, *self.window(o), self.i32(o.filterWidth), self.i32(o.filterHeight), self.act(o)]

    def op_average_pool_2d(self, o, inputs, op):
        return self.pool("AVERAGE_POOL_2D", o, inputs)

    def op_max_pool_2d(self, o, inputs, op):
        return self.pool("MAX_POOL_2D", o, inputs)

    def op_fully_connected(self, o, inputs, op):
        return "FULLY_CONNECTED", [*self.biased(inputs, op), self.act(o)]

    def op_add(self, o, inputs, op):
        return "ADD", [*inputs, self.act(o)]

    def op_mul(self, o, inputs, op):
        return "MUL", [*inputs, self.act(o)]

    def op_sub(self, o, inputs, op):
        return "SUB", [*inputs, self.act(o)]

    def op_softmax(self, o, inputs, op):
        return "SOFTMAX", [*inputs, self.f32(o.beta)]

    def op_reshape(self, o, inputs, op):
        shape = self.g.tensors[op.outputs[0]].shape
        return "RESHAPE", [inputs[0], self.model.constant("TENSOR_INT32", np.asarray(shape))]

    def op_mean(self, o, inputs, op):
        return "MEAN", [*inputs, self.i32(o.keepDims)]

    def op_concatenation(self, o, inputs, op):
        return "CONCATENATION", [*inputs, self.i32(o.axis)]

    def op_resize_bilinear(self, o, inputs, op):
        _, h, w, _ = self.g.tensors[op.outputs[0]].shape
        corners = [self.yes(False), self.yes(o.alignCorners), self.yes(o.halfPixelCenters)]
        return "RESIZE_BILINEAR", [inputs[0], self.i32(w), self.i32(h), *corners]


def plain(name):
    def method(self, o, inputs, op):
        return name, inputs

    return method


for _name in (
    "PAD",
    "RELU",
    "RELU6",
    "LOGISTIC",
    "TANH",
    "QUANTIZE",
    "DEQUANTIZE",
    "HARD_SWISH",
    "TRANSPOSE",
    "PRELU",
    "EXP",
    "ABS",
):
    setattr(Network, "op_" + _name.lower(), plain(_name))
