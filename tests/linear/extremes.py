#!/usr/bin/env python3
"""Models of one operator with extreme shapes, options and quantization: every report on them ends, and sanitizers find
nothing, for every backend, profile, accelerator and memory mode.

    extremes.py --harness PROGRAM [--count N] [--seed N] [--keep DIR]

PROGRAM is reports.c beside this file, built with sanitizers. --keep: where the models are written, to look at them.
Every operator case of tests/conformance is the start of some; what changes: dims (0, 1, huge; ranks 0 to 8) of tensors
without contents, all integers of the options, scales and zero points, types, and which tensors an operator names."""

import argparse
import os
import random
import subprocess
import sys
import tempfile

import flatbuffers
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "conformance"))
from mkmodel import schema  # noqa: E402
from ops import all_cases  # noqa: E402

BATCH, SECONDS = 100, 10
INTS = [0, 1, 2, 3, 7, 8, 127, 255, 256, 65535, 65536, 1 << 20, (1 << 31) - 1, -1, -2, -128, -(1 << 31)]
DIMS = [0, 1, 1, 2, 3, 7, 16, 255, 65536, 46340, 2000000000, (1 << 31) - 1]
SCALES = [0.0, 1e-45, 1.2e-38, 1e-20, 0.5, 1.0, 4294967296.0, 3e38, float("inf"), float("-inf"), float("nan"), -1.0]
ZEROS = [0, 1, -128, 127, 255, 32768, (1 << 31) - 1, -(1 << 31)]


BYTES = {0: 4, 1: 2, 2: 4, 4: 8, 7: 2, 8: 8, 10: 8, 11: 16, 12: 8, 15: 4, 16: 2, 18: 2}


def shape(rng, element):
    """Dims of at most 2^31 - 1 bytes in all, or with a zero among huge ones."""
    rank = rng.choice([0, 1, 2, 3, 4, 4, 4, 4, 5, 8])
    dims = [1] * rank
    left = ((1 << 31) - 1) // element
    for i in rng.sample(range(rank), rank):
        d = rng.choice(DIMS)
        if rng.random() < 0.3:
            d = left
        if d <= left:
            dims[i] = d
            left = left // max(d, 1)
    if rank and rng.random() < 0.15:
        dims[rng.randrange(rank)] = 0
    return dims


def options(rng, o):
    for key, value in vars(o).items():
        if isinstance(value, bool) or value is None or rng.random() < 0.5:
            continue
        if isinstance(value, int):
            small = key in ("fusedActivationFunction", "padding", "weightsFormat", "mode", "kernelType", "activation")
            setattr(o, key, rng.choice([0, 1, 2, 3, 4, 5, 100] if small else INTS))
        elif isinstance(value, float):
            setattr(o, key, rng.choice(SCALES))


def mutate(rng, m):
    much = rng.choice([0.1, 0.3, 1.0])  # some stay near what backends accept
    for g in m.subgraphs:
        for t in g.tensors:
            if rng.random() > much:
                continue
            stored = t.buffer and m.buffers[t.buffer].data is not None and len(m.buffers[t.buffer].data)
            if not stored and rng.random() < 0.6:
                t.shape = np.array(shape(rng, BYTES.get(t.type, 1)), np.int32)
                if t.shapeSignature is not None:
                    t.shapeSignature = None
            elif stored and rng.random() < 0.2:
                n = len(m.buffers[t.buffer].data)
                if t.type in (2, 4):  # contents of the integers that say how
                    kind = np.int32 if t.type == 2 else np.int64
                    count = n // np.dtype(kind).itemsize
                    v = np.array([rng.choice(INTS) for _ in range(count)], kind)
                    m.buffers[t.buffer].data = np.frombuffer(v.tobytes(), np.uint8)
                if rng.random() < 0.2:
                    t.sparsity = schema.SparsityParametersT()
                    m.buffers[t.buffer].data = m.buffers[t.buffer].data[: rng.randrange(n + 1)]
            q = t.quantization
            if q is not None and q.scale is not None and rng.random() < 0.5:
                n = len(q.scale) if rng.random() < 0.8 else rng.choice([0, 1, 2, 17])
                q.scale = np.array([rng.choice(SCALES) for _ in range(n)], np.float32)
                q.zeroPoint = np.array([rng.choice(ZEROS) for _ in range(n)], np.int64)
                q.quantizedDimension = rng.choice([0, 0, 1, 3, -1, 100])
            if rng.random() < 0.05:
                t.type = rng.choice([0, 2, 3, 4, 5, 6, 7, 9, 13, 14, 17])
        for o in g.operators:
            if rng.random() > much:
                continue
            if o.builtinOptions is not None and rng.random() < 0.7:
                options(rng, o.builtinOptions)
            if rng.random() < 0.1 and o.inputs is not None and len(o.inputs):
                k = rng.randrange(len(o.inputs))
                o.inputs[k] = rng.choice([-1, int(o.inputs[rng.randrange(len(o.inputs))])])
            if rng.random() < 0.05 and o.inputs is not None and len(o.inputs):
                o.inputs = o.inputs[: rng.randrange(len(o.inputs))]
    if rng.random() < 0.2 * much:  # another operator on the same tensors
        for c in m.operatorCodes:
            if c.customCode is None:
                c.builtinCode = rng.randrange(0, 162)
                c.deprecatedBuiltinCode = min(c.builtinCode, 127)


def write(folder, count, seed):
    rng = random.Random(seed)
    cases = [model for _, model, _, _, _ in all_cases("") if len(model) < 20000]
    rng.shuffle(cases)
    paths = []
    for i in range(count):
        m = schema.ModelT.InitFromPackedBuf(bytearray(cases[i % len(cases)]), 0)
        try:
            mutate(rng, m)
            fb = flatbuffers.Builder(1024)
            fb.Finish(m.Pack(fb), b"TFL3")
        except (TypeError, ValueError, OverflowError, AttributeError):
            continue  # the binding cannot write such a value
        paths.append(os.path.join(folder, "%05d.tflite" % i))
        with open(paths[-1], "wb") as f:
            f.write(bytes(fb.Output()))
    return paths


def run(harness, paths):
    """(how many models opened, what went wrong). A file of a failing batch is tried alone."""
    try:
        p = subprocess.run(
            [harness, "--all", *paths], capture_output=True, text=True, errors="replace", timeout=SECONDS * len(paths)
        )
        code, error = p.returncode, next((x for x in p.stderr.splitlines() if "rror" in x), p.stderr[-200:])
    except subprocess.TimeoutExpired:
        code, error = -1, "more than %d s" % SECONDS
    if code == 0:
        rows = [line.split() for line in p.stdout.splitlines()]
        slow = ["%s took %s s" % (r[0], r[2]) for r in rows if float(r[2]) > SECONDS]
        return sum(r[1] == "ok" for r in rows), slow
    if len(paths) == 1:
        return 0, ["%s: exit %d: %s" % (os.path.basename(paths[0]), code, error[:300])]
    results = [run(harness, [path]) for path in paths]
    return sum(r[0] for r in results), [text for r in results for text in r[1]]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--harness", default="build/test/reports.asan")
    p.add_argument("--count", type=int, default=1500)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--keep", metavar="DIR")
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as temp:
        if a.keep:
            os.makedirs(a.keep, exist_ok=True)
        paths = write(a.keep or temp, a.count, a.seed)
        opened, problems = 0, []
        for i in range(0, len(paths), BATCH):
            ok, bad = run(a.harness, paths[i : i + BATCH])
            opened, problems = opened + ok, problems + bad
        if opened < len(paths) / 4:
            problems.append("only %d of %d models were good enough to open" % (opened, len(paths)))
    for text in problems:
        print("FAIL extremes: %s" % text)
    print("%d models opened, the others were refused" % opened)
    print("extremes: %d passed, %d failed" % (len(paths) - len(problems), len(problems)))
    return len(problems) > 0


if __name__ == "__main__":
    sys.exit(main())
