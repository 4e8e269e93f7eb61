"""A reference, in NumPy, for FULLY_CONNECTED with a scale for each block of a row's weights: inputs are quantized by rows to all of
int8, asymmetrically, and scales rounded to bfloat16, as LiteRT's blockwise int4 kernels do (XNNPACK's)."""

from mkmodel import PACKED_BITS, TYPES, schema
import numpy as np

NAMES = {number: name for name, number in TYPES.items()}


def unpacked(data, name):
    """Integers of a buffer, of 2, 4 or 8 bits, the lowest bits of a byte first."""
    raw, bits = np.frombuffer(bytes(data), np.uint8), PACKED_BITS.get(name, 8)
    whole = np.stack([(raw >> shift) & (2**bits - 1) for shift in range(0, 8, bits)], 1).reshape(-1).astype(np.int32)
    return np.where(whole >= 2 ** (bits - 1), whole - 2**bits, whole)


def bfloat16(x):
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)


class Session:
    def __init__(self, model):
        m = schema.ModelT.InitFromPackedBuf(model, 0)
        g = m.subgraphs[0]
        w = g.tensors[g.operators[0].inputs[1]]
        block = w.quantization.details.blockSize
        scales = np.frombuffer(bytes(m.buffers[g.tensors[w.quantization.details.scales].buffer].data), np.float16)
        units, depth = w.shape
        whole = unpacked(m.buffers[w.buffer].data, NAMES[w.type])[: units * depth].reshape(units, depth)
        self.w = whole * np.repeat(bfloat16(scales).astype(np.float64).reshape(units, depth // block), block, axis=1)

    def run(self, inputs):
        x = inputs[0].astype(np.float64)
        low, high = np.minimum(x.min(1, keepdims=True), 0), np.maximum(x.max(1, keepdims=True), 0)
        scale = (high - low) / 255
        # Of the two ends, the zero point follows the one that is less far off.
        from_low, from_high = -128 - low / scale, 127 - high / scale
        zero = np.round(np.where(128 - low / scale < 127 + high / scale, from_low, from_high))
        q = np.clip(np.round(x / scale) + zero, -128, 127)
        return [((q - zero) * scale @ self.w.T).astype(np.float32)]
