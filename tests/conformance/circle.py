"""Circle, the format of ONE and onert, in Python: rewrites a TFLite file as a Circle file, and builds models with the operators
that only Circle has."""

import flatbuffers

from mkmodel import Builder, T, _as_tensor, _is_input, schema

import numpy as np

CODES = {
    "INSTANCE_NORM": -2,
    "BCQ_FULLY_CONNECTED": -3,
    "BCQ_GATHER": -4,
    "GRU": -5,
    "RMS_NORM": -6,
    "ROPE": -7,
    "RUN_MODEL": -8,
    "ATTENTION": -9,
}
# Options: (type byte in BuiltinOptions, kinds of the fields in slot order).
OPTIONS = {
    "ATTENTION": (247, ()),
    "RUN_MODEL": (248, ("str", "str")),
    "ROPE": (249, ("i32",)),
    "RMS_NORM": (250, ("f32",)),
    "GRU": (251, ("i8", "bool", "bool")),
    "BCQ_GATHER": (252, ("i32", "i32")),
    "BCQ_FULLY_CONNECTED": (253, ("i32", "i8")),
    "INSTANCE_NORM": (254, ("f32", "i8")),
}
BLOCKWISE_TFLITE, BLOCKWISE_CIRCLE = 2, 3


class Options:
    """A table of one of the kinds above, with Pack as the generated classes have it."""

    def __init__(self, op, *values):
        (self.byte, self.kinds), self.values = OPTIONS[op], values

    def Pack(self, b):
        strings = {i: b.CreateString(v) for i, v in enumerate(self.values) if self.kinds[i] == "str"}
        b.StartObject(len(self.kinds))
        for i, value in enumerate(self.values):
            if i in strings:
                b.PrependUOffsetTRelativeSlot(i, strings[i], 0)
            else:
                put = {"i32": b.PrependInt32Slot, "f32": b.PrependFloat32Slot, "i8": b.PrependInt8Slot}
                put.get(self.kinds[i], b.PrependBoolSlot)(i, value, 0)
        return b.EndObject()


def packed(model):
    """The file of an object model, as Circle writes it."""
    for sg in model.subgraphs:
        sg.debugMetadataIndex = -1  # another slot there
        for t in sg.tensors:
            t.externalBuffer = 0  # the slot of the compression
            if t.quantization is not None and t.quantization.detailsType == BLOCKWISE_TFLITE:
                t.quantization.detailsType = BLOCKWISE_CIRCLE
    b = flatbuffers.Builder(1 << 16)
    b.Finish(model.Pack(b), b"CIR0")
    return bytes(b.Output())


def circle(tflite):
    """The same network as a Circle file. What lies behind the flatbuffer moves inside."""
    model = schema.ModelT.InitFromPackedBuf(tflite, 0)
    for buffer in model.buffers or []:
        if buffer.offset > 1:
            buffer.data = np.frombuffer(tflite[buffer.offset : buffer.offset + buffer.size], np.uint8)
            buffer.offset = buffer.size = 0
    for sg in model.subgraphs:
        for op in sg.operators or []:
            if op.largeCustomOptionsOffset > 1:
                end = op.largeCustomOptionsOffset + op.largeCustomOptionsSize
                op.customOptions = np.frombuffer(tflite[op.largeCustomOptionsOffset : end], np.uint8)
                op.largeCustomOptionsOffset = op.largeCustomOptionsSize = 0
    return packed(model)


class CircleBuilder(Builder):
    def code(self, op_name, custom_name=None, version=1):
        if op_name not in CODES:
            return super().code(op_name, custom_name, version)
        o = schema.OperatorCodeT()
        o.builtinCode = o.deprecatedBuiltinCode = CODES[op_name]
        o.version = version
        self.model.operatorCodes.append(o)
        return len(self.model.operatorCodes) - 1

    def bytes(self):
        return packed(self.model)


def circle_op(op_name, inputs, outputs, options=None):
    """mkmodel.single_op of an operator that only Circle has, or of any other, as a Circle file."""
    b = CircleBuilder()
    b.subgraph()
    inputs, outputs = [_as_tensor(t) for t in inputs], [_as_tensor(t) for t in outputs]
    for t in inputs + outputs:
        b.tensor(t)
    b.op(op_name, inputs, outputs, options if op_name not in CODES else None)
    if options is not None and op_name in CODES:
        op = b.model.subgraphs[-1].operators[-1]
        op.builtinOptionsType, op.builtinOptions = options.byte, options
    b.io(list({t.name: t for t in inputs if _is_input(t)}.values()), outputs)
    return b.bytes()


__all__ = ["CODES", "CircleBuilder", "Options", "T", "circle", "circle_op", "packed"]
