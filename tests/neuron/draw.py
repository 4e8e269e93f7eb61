"""Chance for the cases: types, shapes, quantization and numbers of one tensor after the other."""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../conformance"))

from mkmodel import T  # noqa: E402

SAME, VALID = 0, 1
FLOATS, PLAIN = ["float32", "float16"], ["int32", "int64", "bool"]
QUANT = ["int8", "int8z", "uint8", "int16"]  # int8z: with zero point 0
RARE = ["int8n", "int16n", "int16z", "uint16", "uint16n", "uint8n", "int4", "int4z", "uint32", "uint64", "float64"]
RARE += ["int4n", "int2", "int2z", "int2n", "uint4", "uint8z", "bfloat16", "int32q", "int64q"]
RARE += ["int8c", "int8cz", "uint8c", "uint8cz", "int16c", "int32c", "int4c", "int4cz", "int2c", "int2cz"]
ALL = FLOATS + PLAIN + QUANT + RARE
LIMITS = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-999, 999), "uint16": (0, 999), "int4": (-8, 7)}
LIMITS.update({"int2": (-2, 1), "uint4": (0, 15), "bool": (0, 1)})


class Draw:
    """Chance, and the tensors of one case. A kind is a type with a letter: n not quantized, z zero point 0, c per channel
    (cz: all zero points 0), q quantized although the type usually is not."""

    def __init__(self, rng, name):
        self.rng, self.name, self.n = rng, name, 0
        self.open = self.chance(12)  # the first dimension of what is not constant is left to the run: -1 in the file

    def pick(self, *items):
        return items[int(self.rng.integers(len(items)))]

    def chance(self, percent):
        return int(self.rng.integers(100)) < percent

    def number(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def shape(self, low=1, high=4, most=4):
        return tuple(self.number(1, most) for _ in range(self.number(low, high)))

    def quantization(self, kind, shape, axis):
        """(type, scale, zero point, axis)"""
        dtype = kind.rstrip("nzcq")
        letters = kind[len(dtype) :]
        quantized = dtype in LIMITS and dtype != "bool" or letters
        if not quantized or "n" in letters:
            return dtype, None, None, 0
        low, high = LIMITS.get(dtype, (-99, 99))
        axis = (len(shape) - 1 if axis is None else axis) if shape else 0
        n = shape[axis] if "c" in letters and shape else 1
        zero = [0] * n
        if "z" not in letters and (dtype not in ("int16", "int32", "int64") or self.chance(25)):
            zero = [self.number(low, high) or 1 for _ in range(n)]
        scale = [float(np.float32(self.rng.uniform(0.002, 0.3))) for _ in range(n)]
        return dtype, scale if "c" in letters else scale[0], zero if "c" in letters else zero[0], axis

    def tensor(self, kind, shape, constant=False, axis=None, like=None, what="t"):
        """like: a tensor whose quantization this one takes over."""
        self.n += 1
        dtype, scale, zero, axis = self.quantization(kind, shape, axis)
        if like is not None and like.dtype == dtype:
            scale, zero, axis = like.scale, like.zero_point, like.axis
        t = T("%s/%s%d" % (self.name, what, self.n), shape, dtype, scale, zero, axis)
        if constant:
            t.data = self.values(dtype, shape)
        elif self.open and len(shape):
            t.shape_signature = (-1,) + tuple(int(v) for v in shape[1:])
        return t

    def values(self, dtype, shape):
        if "float" in dtype:
            return self.rng.normal(0, 1, shape).astype(np.float32)
        low, high = LIMITS.get(dtype, (0, 99))
        return self.rng.integers(low, high + 1, shape)

    def const(self, values, dtype="int32"):
        self.n += 1
        a = np.array(values, dtype)
        return T("%s/c%d" % (self.name, self.n), a.shape, dtype, data=a)

    def fused(self):
        return self.pick(0, 0, 1, 2, 3, 4, 5)
