#!/usr/bin/env python3
"""Suppressed conversions: `run` takes inputs and gives outputs as bytes of the layouts that the guide describes, packed here by hand.

test_raw.py [--command CMD] [--shared DIR]"""

import os
import sys
import tempfile

import numpy as np
from kit import Builder, Mdla, Score, T, arguments, opts

# Elements: (channels, width) that sizes are multiples of, in 8 and in 16 bits. 4C up to 4 channels.
ALIGN = {"4C": {1: (4, 4), 2: (4, 2)}, "16C": {1: (16, 1), 2: (8, 1)}, "NHWC": {1: (1, 1), 2: (1, 1)}}


def up(n, step):
    return -(-n // step) * step


def pack(a, layout, version, scale):
    """As the device has it."""
    if a.dtype == np.float32:
        a = a.astype(np.float16)
    if a.dtype == np.int8 and version == "1.5" and scale:
        a = (a.astype(np.int16) + 128).astype(np.uint8)
    c, w = ALIGN[layout][a.dtype.itemsize]
    full = np.zeros((a.shape[0] * a.shape[1], up(a.shape[2], w), up(a.shape[3], c)), a.dtype)
    full[:, : a.shape[2], : a.shape[3]] = a.reshape(-1, *a.shape[2:])
    return np.frombuffer(full.tobytes(), np.uint8)


def network(shape, dtype, zero, op):
    """One operator, and the network's second output, which the MDLA reads again."""
    scale = None if dtype == "float32" else 0.5
    z = None if scale is None else zero
    x, y, last = (T(n, shape, dtype, scale, z) for n in "xyz")
    b = Builder()
    b.subgraph()
    for t in (x, y, last):
        b.tensor(t)
    o = opts("Pool2D", padding=0, strideH=1, strideW=1, filterHeight=1, filterWidth=1)
    b.op(op, [x], [y], o if "POOL" in op else None)
    b.op("RELU", [y], [last])
    b.io([x], [last, y])
    return b.bytes()


def run(mdla, path, folder, *more):
    out = os.path.join(folder, "out")
    code, _, err = mdla.call("run", path, "--output-dir", out, *more)
    if code:
        raise RuntimeError(err)
    return [np.load(os.path.join(out, "%d.npy" % i)) for i in range(2)]


def one(score, mdla, temp, version, shape, dtype, zero, op):
    name = "%s %s %s %s, zero point %d" % (version, op, dtype, shape, zero)
    path, fed, raw = (os.path.join(temp, n) for n in ("m.tflite", "x.npy", "raw.npy"))
    with open(path, "wb") as f:
        f.write(network(shape, dtype, zero, op))
    rng = np.random.default_rng(len(name))
    x = (
        (rng.standard_normal(shape) * 3).astype("float32")
        if dtype == "float32"
        else rng.integers(0, 100, shape).astype(dtype)
    )
    np.save(fed, x)
    inner = "16C" if shape[3] > 4 or "POOL" in op else "4C"
    bits = {"float32": 2, "int16": 2}.get(dtype, 1)
    np.save(raw, pack(x, inner, version, zero))
    on = ["--backend", "mdla" + version] + (["--relax-fp32"] if dtype == "float32" else [])
    want = run(mdla, path, temp, *on, "--input", "0=" + fed)
    got = run(mdla, path, temp, *on, "--input", "0=" + raw, "--suppress-input-conversion")
    same = all(np.array_equal(a, b) for a, b in zip(got, want, strict=True))
    score.check(name + ": raw input", None if same else "differs")
    got = run(mdla, path, temp, *on, "--input", "0=" + fed, "--suppress-output-conversion")
    for i, layout in enumerate(("NHWC", inner)):
        expected = pack(want[i], layout, version, zero)
        score.check(
            "%s: raw output %d" % (name, i), None if np.array_equal(got[i], expected) else "%s" % (got[i].shape,)
        )
    np.save(raw, np.zeros(len(np.load(raw)) + bits, np.uint8))
    code, _, err = mdla.call("run", path, *on, "--input", "0=" + raw, "--suppress-input-conversion")
    score.check(
        name + ": another size is refused",
        None if code == 5 and "bytes, but input 0 has" in err else "exit %d: %s" % (code, err),
    )


def main():
    a = arguments(__doc__)
    score, mdla = Score("mdla raw"), Mdla(a.command)
    with tempfile.TemporaryDirectory() as temp:
        for version in ("1.5", "3.0"):
            for shape in ((1, 3, 5, 3), (2, 2, 7, 4), (1, 4, 3, 5), (1, 1, 1, 1), (1, 2, 3, 33)):
                for dtype, zero in (("float32", 0), ("int8", 3), ("int8", 0), ("uint8", 7), ("int16", 0)):
                    for op in ("MAX_POOL_2D", "RELU"):
                        one(score, mdla, temp, version, shape, dtype, zero, op)
        with open(os.path.join(temp, "m.tflite"), "wb") as f:
            f.write(network((1, 2, 2, 2), "float32", 0, "FLOOR"))
        code, _, err = mdla.call("run", f.name, "--backend", "mdla3.0", "--relax-fp32", "--suppress-output-conversion")
        score.check("nothing raw is asked for", None if code == 0 else err)
        code, _, err = mdla.call("run", f.name, "--suppress-input-conversion")
        score.check("without a backend", None if code == 2 else "exit %d: %s" % (code, err))
        code, _, err = mdla.call(
            "run", f.name, "--backend", "neuron", "--suppress-output-conversion", "--output-dir", temp
        )
        score.check(
            "of a backend without a planner", None if code == 4 and "no planner" in err else "exit %d: %s" % (code, err)
        )
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
