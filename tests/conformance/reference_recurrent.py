"""NumPy references of recurrent operators that LiteRT crashes on: an independent reading of what the operator computes."""

import numpy as np

from mkmodel import schema

ACTIVATIONS = {
    0: lambda v: v,
    1: lambda v: np.maximum(v, 0),
    2: lambda v: np.clip(v, -1, 1),
    3: lambda v: np.clip(v, 0, 6),
    4: np.tanh,
}
DTYPES = {0: np.float32, 2: np.int32, 3: np.uint8, 4: np.int64, 6: np.bool_, 7: np.int16, 9: np.int8}


class OneOperator:
    """A model's first operator: its inputs as NumPy arrays, constants from the file."""

    def __init__(self, model):
        self.model = schema.ModelT.InitFromPackedBuf(bytes(model), 0)
        self.graph = self.model.subgraphs[0]
        self.op = self.graph.operators[0]
        self.variables = {}

    def tensor(self, i):
        return self.graph.tensors[i]

    def value(self, i, fed):
        """Input i of the operator; None where it is left out."""
        at = self.op.inputs[i] if i < len(self.op.inputs) else -1
        if at < 0:
            return None
        t = self.tensor(at)
        shape = tuple(t.shape) if t.shape is not None else ()
        if t.isVariable:
            return self.variables.setdefault(at, np.zeros(shape, DTYPES[t.type]))
        if at in fed:
            return fed[at]
        data = np.asarray(self.model.buffers[t.buffer].data, np.uint8).tobytes()
        return np.frombuffer(data, DTYPES[t.type]).reshape(shape)

    def scale(self, i):
        return np.float32(self.tensor(self.op.inputs[i]).quantization.scale[0])

    def run(self, inputs):
        fed = {int(at): np.asarray(a) for at, a in zip(self.graph.inputs, inputs)}
        self.ins = [self.value(i, fed) for i in range(len(self.op.inputs))]
        return [np.asarray(a) for a in self.compute()]


def quantized_rows(v, asymmetric):
    """Rows to int8: (integers, scales, zero points). Symmetric ones by the largest magnitude, others by their range with 0 in it."""
    if not asymmetric:
        scale = np.abs(v).max(1).astype(np.float32) / np.float32(127)
        scale[scale == 0] = 1
        return np.clip(np.rint(v / scale[:, None]), -127, 127), scale, np.zeros(len(v))
    low, high = np.minimum(v.min(1), 0).astype(np.float64), np.maximum(v.max(1), 0).astype(np.float64)
    scale = (high - low) / 255
    scale[scale == 0] = 1
    zero = np.clip(np.rint(-128 - low / scale), -128, 127)
    return np.clip(np.rint(v / scale[:, None] + zero[:, None]), -128, 127), scale.astype(np.float32), zero


class BidirectionalRnn(OneOperator):
    """BIDIRECTIONAL_SEQUENCE_RNN with float data: h = activation(W x + A aux + R h + bias), each direction with its own."""

    def product(self, i, v):
        w = self.ins[i]
        if w.dtype == np.float32:
            return v @ w.T
        q, scale, zero = quantized_rows(v, self.options.asymmetricQuantizeInputs)
        sums = (q - zero[:, None]) @ w.view(np.int8).astype(np.float64).T
        return sums * (scale * self.scale(i))[:, None].astype(np.float64)

    def direction(self, x, aux, back):
        first, h = (5 if back else 1), self.ins[8 if back else 4]
        steps = range(len(x))
        out = np.zeros(x.shape[:2] + h.shape[1:], np.float32)
        for t in reversed(steps) if back else steps:
            v = self.product(first, x[t]) + self.product(first + 1, h) + self.ins[first + 2]
            if aux is not None:
                v = v + self.product(11 if back else 10, aux[t])
            h[:] = ACTIVATIONS[self.options.fusedActivationFunction](v)
            out[t] = h
        return out

    def compute(self):
        self.options = self.op.builtinOptions
        flip = (lambda a: a) if self.options.timeMajor else (lambda a: None if a is None else a.swapaxes(0, 1))
        x, aux = flip(self.ins[0]), flip(self.ins[9])
        stacked = aux is not None and self.ins[10] is None
        forth = self.direction(x, None if stacked else aux, False)
        back = self.direction(aux if stacked else x, None if stacked else aux, True)
        outs = [np.concatenate([forth, back], 2)] if self.options.mergeOutputs else [forth, back]
        return [flip(o) for o in outs]
