#!/usr/bin/env python3
"""npu_tensor_quantize and npu_tensor_dequantize, bit for bit: against LiteRT's QUANTIZE and DEQUANTIZE where it has them, and
against numpy (and ml_dtypes, for the floats that numpy lacks) for every type. Natively and, for x87's registers, with -m32."""

import ctypes as C
import os
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
REPO = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
from binding import pack  # noqa: E402
from mkmodel import T, TYPES, litert_ref, single_op  # noqa: E402
from runner import Score  # noqa: E402
from structs import structs  # noqa: E402

PACKED = {"int2": (2, True), "int4": (4, True), "uint4": (4, False)}
INTEGERS = {
    "int2": (-2, 1),
    "int4": (-8, 7),
    "uint4": (0, 15),
    "int8": (-128, 127),
    "uint8": (0, 255),
    "int16": (-(2**15), 2**15 - 1),
    "uint16": (0, 2**16 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint64": (0, 2**64 - 1),
}
FLOATS = {
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8_e5m2": ml_dtypes.float8_e5m2,
    "float64": np.float64,
}
CODES = dict(TYPES, float8_e4m3fn=21, float8_e5m2=22)


class Reals:
    def __init__(self, path):
        self.c = C.CDLL(path)

    def tensor(self, dtype, shape, scale, zero_point, axis, data):
        t = structs.npu_tensor(type=CODES[dtype], rank=len(shape), data=data.ctypes.data, bytes=data.nbytes)
        t.dims[: len(shape)] = shape
        self.kept = np.atleast_1d(np.float32(scale)), np.atleast_1d(np.int32(zero_point))
        t.quant.count, t.quant.axis = len(self.kept[0]), axis
        t.quant.scale, t.quant.zero_point = self.kept[0].ctypes.data, self.kept[1].ctypes.data
        return t

    def call(self, name, t, reals):
        diag = structs.npu_diag()
        status = getattr(self.c, name)(
            C.byref(t), reals.ctypes.data_as(C.c_void_p), C.c_size_t(reals.size), C.byref(diag)
        )
        assert status == 0, (diag.rule, diag.text)

    def quantize(self, x, dtype, scale=1.0, zero_point=0, axis=0):
        x = np.ascontiguousarray(x, np.float32)
        bits = PACKED[dtype][0] if dtype in PACKED else 8 * np.dtype(FLOATS.get(dtype, dtype)).itemsize
        data = np.full((x.size * bits + 7) // 8, 0xA5, np.uint8)
        self.call("npu_tensor_quantize", self.tensor(dtype, x.shape, scale, zero_point, axis, data), x)
        return data.tobytes()

    def dequantize(self, raw, shape, dtype, scale=1.0, zero_point=0, axis=0):
        data, out = np.frombuffer(raw, np.uint8).copy(), np.zeros(shape, np.float32)
        self.call("npu_tensor_dequantize", self.tensor(dtype, shape, scale, zero_point, axis, data), out)
        return out


def raw_of(values, dtype):
    return pack(values, PACKED[dtype][0]).tobytes() if dtype in PACKED else np.asarray(values, dtype).tobytes()


def awkward(rng, scale, zero_point):
    """Ties, neighbours of ties, the type's ends and beyond, tiny and huge values, in units of the scale."""
    ties = (np.arange(-400, 400) + 0.5) * np.float32(scale)
    x = np.concatenate(
        [
            ties,
            np.nextafter(ties.astype(np.float32), np.float32(0)),
            rng.normal(0, 1, 500) * 300 * scale,
            rng.normal(0, 1, 200) * 1e5 * scale,
            (rng.integers(-(2**15), 2**16, 500) - zero_point + 0.5) * scale,
            10.0 ** rng.uniform(-40, 38, 300) * rng.choice([-1, 1], 300),
            [0.0, -0.0],
        ]
    )
    return x.astype(np.float32)


def away(x):
    """Half away from zero. All of a float's fraction fits a double."""
    x = x.astype(np.float64)
    return np.sign(x) * np.floor(np.abs(x) + 0.5)


def numpy_quantize(x, dtype, scale, zero_point):
    lo, hi = INTEGERS[dtype]
    with np.errstate(over="ignore"):
        q = away(x / np.float32(scale)) + zero_point
    exact = [lo if v <= lo else hi if v >= hi else int(v) for v in q.reshape(-1).tolist()]
    storage = "int8" if dtype in ("int2", "int4") else "uint8" if dtype == "uint4" else dtype
    return np.array(exact, storage).reshape(x.shape)


def against_litert(score, lib, title):
    rng = np.random.default_rng(8)
    for dtype in ("int8", "uint8", "int16", "int4", "uint4"):
        lo, hi = INTEGERS[dtype]
        for scale, zero in ((0.05, -3), (1.0, 0), (0.0039215689, 12), (17.5, -128), (1e-4, 7), (3e-7, 1)):
            zero = 0 if dtype == "int16" else int(np.clip(zero + (128 if lo == 0 else 0), lo, hi))
            x = awkward(rng, scale, zero)
            x = x[np.abs(x) < np.float32(scale) * 2e9]  # beyond int32 LiteRT's conversion is undefined
            (want,) = litert_ref(single_op("QUANTIZE", [T("x", x.shape)], [T("y", x.shape, dtype, scale, zero)]), [x])
            got = lib.quantize(x, dtype, scale, zero)
            if dtype in PACKED:
                want = want.tobytes() if want.nbytes == len(got) else raw_of(want, dtype)
            score.check(
                "%s quantize %s scale %g" % (title, dtype, scale),
                None if got == bytes(want if isinstance(want, bytes) else want.tobytes()) else "differs from LiteRT",
            )
    for dtype in ("int8", "uint8", "int16"):
        lo, hi = INTEGERS[dtype]
        q = np.arange(lo, hi + 1).astype(dtype)
        for scale, zero in ((0.037, 5), (1e-9, 0), (123.456, -128)):
            zero = 0 if dtype == "int16" else int(np.clip(zero, lo, hi))
            (want,) = litert_ref(single_op("DEQUANTIZE", [T("x", q.shape, dtype, scale, zero)], [T("y", q.shape)]), [q])
            got = lib.dequantize(q.tobytes(), q.shape, dtype, scale, zero)
            score.check(
                "%s dequantize %s scale %g" % (title, dtype, scale),
                None if got.tobytes() == want.tobytes() else "differs from LiteRT",
            )
    for dtype in ("int8", "uint8", "int16"):
        for axis in range(4):
            shape = (2, 3, 4, 5)
            s, z = (
                rng.uniform(0.01, 0.1, shape[axis]).astype(np.float32),
                np.full(shape[axis], 100 if dtype == "uint8" else 0),
            )
            x = rng.normal(0, 3, shape).astype(np.float32)
            (want,) = litert_ref(single_op("QUANTIZE", [T("x", shape)], [T("y", shape, dtype, s, z, axis)]), [x])
            got = lib.quantize(x, dtype, s, z, axis)
            score.check(
                "%s quantize %s along %d" % (title, dtype, axis),
                None if got == want.tobytes() else "differs from LiteRT",
            )
            if dtype == "int16":
                continue
            (want,) = litert_ref(single_op("DEQUANTIZE", [T("x", shape, dtype, s, z, axis)], [T("y", shape)]), [want])
            back = lib.dequantize(got, shape, dtype, s, z, axis)
            score.check(
                "%s dequantize %s along %d" % (title, dtype, axis),
                None if back.tobytes() == want.tobytes() else "differs from LiteRT",
            )


def against_numpy(score, lib, title):
    rng = np.random.default_rng(9)
    for dtype, (lo, hi) in INTEGERS.items():
        for scale, zero in ((1.0, 0), (0.05, 1), (2.5e-5, -1 if lo else 1), (3e30, 0)):
            x = np.concatenate([awkward(rng, scale, zero), np.float32([np.inf, -np.inf])])
            want = numpy_quantize(x, dtype, scale, zero)
            got = lib.quantize(x, dtype, scale, zero)
            score.check(
                "%s numpy quantize %s scale %g" % (title, dtype, scale),
                None if got == raw_of(want, dtype) else "differs from numpy",
            )
            with np.errstate(over="ignore"):
                back = (np.float64(np.float32(scale)) * (want.astype(np.float64) - zero)).astype(np.float32)
            score.check(
                "%s numpy dequantize %s scale %g" % (title, dtype, scale),
                None if lib.dequantize(got, x.shape, dtype, scale, zero).tobytes() == back.tobytes() else "differs",
            )
    # Every bit pattern of each small float, and floats of all magnitudes into them.
    every = rng.integers(0, 2**32, 200_000, dtype=np.uint32).view(np.float32)
    near = np.concatenate([rng.normal(0, s, 20_000).astype(np.float32) for s in (1e-5, 1e-2, 1, 100, 30_000)])
    for dtype, kind in FLOATS.items():
        bits = 8 * np.dtype(kind).itemsize
        if bits <= 16:
            codes = np.arange(1 << bits).astype("u%d" % (bits // 8))
            want = codes.view(kind).astype(np.float32)
            got = lib.dequantize(codes.tobytes(), codes.shape, dtype)
            ok = np.array_equal(got, want, equal_nan=True) and np.array_equal(
                np.signbit(got)[want == 0], np.signbit(want)[want == 0]
            )
            score.check(
                "%s every %s" % (title, dtype),
                None if ok else "differs at %s" % codes[(got != want) & (want == want)][:5],
            )
            steps = want[np.isfinite(want)].astype(np.float64)
            between = np.sort(steps)
            ties = ((between[1:] + between[:-1]) / 2).astype(np.float32)
            x = np.concatenate(
                [every, near, ties, np.nextafter(ties, np.float32(np.inf)), np.nextafter(ties, np.float32(-np.inf))]
            )
        else:
            x = np.concatenate([every, near])
        with np.errstate(all="ignore"):
            want = x.astype(kind)
        got = np.frombuffer(lib.quantize(x, dtype), kind)
        nan = np.isnan(want.astype(np.float64))
        same = (got.view("u%d" % (bits // 8)) == want.view("u%d" % (bits // 8))) | (
            nan & np.isnan(got.astype(np.float64))
        )
        score.check(
            "%s into %s" % (title, dtype), None if same.all() else "%d differ, first %r" % ((~same).sum(), x[~same][0])
        )
    raw = every.tobytes()
    score.check(
        "%s float32" % title,
        None
        if lib.quantize(every, "float32") == raw and lib.dequantize(raw, every.shape, "float32").tobytes() == raw
        else "not the same bits",
    )


M32 = r"""
#define NPU_RT_IMPLEMENTATION
#include "npu_rt.h"
#include <stdio.h>
int main(void) { /* records: type, scale, zero point, n, reals; out: elements, and reals again */
    static float x[1 << 16];
    static unsigned char q[1 << 19];
    npu_tensor t;
    float scale;
    int32_t head[2], n;
    memset(&t, 0, sizeof t);
    while (fread(head, 4, 2, stdin) == 2 && fread(&scale, 4, 1, stdin) == 1 && fread(&n, 4, 1, stdin) == 1) {
        if (fread(x, 4, (size_t)n, stdin) != (size_t)n) return 2;
        t.type = (npu_type)head[0]; t.rank = 1; t.dims[0] = n; t.data = q;
        t.bytes = ((size_t)n * (size_t)npu_type_bits(t.type) + 7) / 8;
        t.quant.count = 1; t.quant.scale = &scale; t.quant.zero_point = &head[1];
        if (npu_tensor_quantize(&t, x, (size_t)n, NULL) || npu_tensor_dequantize(&t, x, (size_t)n, NULL)) return 3;
        fwrite(q, 1, t.bytes, stdout);
        fwrite(x, 4, (size_t)n, stdout);
    }
    return 0;
}
"""


def on_x87(score, lib, folder):
    with open(folder + "/m32.c", "w") as f:
        f.write(M32)
    subprocess.run(
        [
            "gcc",
            "-m32",
            "-mfpmath=387",
            "-O2",
            "-std=gnu99",
            "-DNPU_RT_ONLY_OPS(X)=",
            "-I",
            REPO,
            folder + "/m32.c",
            "-lm",
            "-o",
            folder + "/m32",
        ],
        check=True,
    )
    rng, sent, want = np.random.default_rng(10), b"", b""
    for dtype in INTEGERS:
        for scale, zero in ((0.05, 1), (1 / 3, 0), (0.0039215689, 1)):
            x = awkward(rng, scale, zero)
            sent += (
                np.int32([CODES[dtype], zero]).tobytes()
                + np.float32(scale).tobytes()
                + np.int32(x.size).tobytes()
                + x.tobytes()
            )
            q = lib.quantize(x, dtype, scale, zero)
            want += q + lib.dequantize(q, x.shape, dtype, scale, zero).tobytes()
    got = subprocess.run([folder + "/m32"], input=sent, stdout=subprocess.PIPE, check=True).stdout
    score.check("the same bits on x87", None if got == want else "differs")


def main():
    score = Score("reals")
    with tempfile.TemporaryDirectory(prefix="npu_rt_real_") as folder:
        path = folder + "/libreal.so"
        subprocess.run(
            [
                "gcc",
                "-O2",
                "-shared",
                "-fPIC",
                "-DNPU_RT_IMPLEMENTATION",
                "-DNPU_RT_ONLY_OPS(X)=",
                "-x",
                "c",
                os.path.join(REPO, "npu_rt.h"),
                "-x",
                "none",
                "-lm",
                "-o",
                path,
            ],
            check=True,
        )
        lib = Reals(path)
        against_litert(score, lib, "native")
        against_numpy(score, lib, "native")
        on_x87(score, lib, folder)
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
