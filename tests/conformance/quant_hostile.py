#!/usr/bin/env python3
"""Quantization that no converter writes, in every quantized case of op_cases: zero scales, denormal and huge ones, zero
points outside of their type, of the first channel and of the second. Each model must give a clear error or a run; under
the sanitizers that is the test.

    quant_hostile.py --command build/npu_rt [--only OP]"""
import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import flatbuffers  # noqa: E402
import numpy as np  # noqa: E402
from mkmodel import schema  # noqa: E402
from ops import all_cases, ops_of  # noqa: E402

SCALES = {"zero": 0.0, "denormal": 1e-45, "tiny": 1e-38, "huge": 3e38, "infinite": float("inf"), "negative": -1.0,
          "nan": float("nan")}
ZERO_POINTS = {"zp-min": -2**31, "zp-max": 2**31 - 1, "zp-300": 300, "zp-wide": 2**40}


def packed(model):
    fb = flatbuffers.Builder(1024)
    fb.Finish(model.Pack(fb), b"TFL3")
    return bytes(fb.Output())


def mutants(model):
    """(label, bytes) for each tensor with quantization, its first and its last channel, and each value of the tables."""
    original = schema.ModelT.InitFromObj(schema.Model.GetRootAs(model, 0))
    for s, graph in enumerate(original.subgraphs):
        for t, tensor in enumerate(graph.tensors):
            q = tensor.quantization
            if q is None or q.scale is None or len(q.scale) == 0:
                continue
            for channel in sorted({0, len(q.scale) - 1}):
                for kind, table in (("scale", SCALES), ("zeroPoint", ZERO_POINTS)):
                    for label, value in table.items():
                        values = getattr(q, kind)
                        if values is None or len(values) <= channel:
                            continue
                        changed = np.array(values)
                        changed[channel] = value
                        setattr(q, kind, changed)
                        yield "%d.%d[%d] %s" % (s, t, channel, label), packed(original)
                        setattr(q, kind, values)


def verdict(command, path):
    """None, or what went wrong. Exit codes 0 to 5 are the command line's own; anything else is a crash."""
    try:
        p = subprocess.run([*command, "run", path], capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "took more than a minute"
    if p.returncode in range(0, 6) and b"runtime error" not in p.stderr and b"Sanitizer" not in p.stderr:
        return None
    return "exit %d: %s" % (p.returncode, p.stderr.decode(errors="replace")[:300])


def types_of(model):
    m = schema.Model.GetRootAs(model, 0)
    g = m.Subgraphs(0)
    return tuple(g.Tensors(i).Type() for i in range(g.TensorsLength()))


def chosen(only):
    """One case for each set of operators and types."""
    seen = set()
    for name, model, *_ in all_cases(only):
        key = (tuple(sorted(set(ops_of(model)))), types_of(model))
        if key not in seen:
            seen.add(key)
            yield name, model


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--command", default="build/npu_rt")
    p.add_argument("--only", default="")
    p.add_argument("--title", default="hostile quantization")
    args = p.parse_args()
    command = args.command.split()
    passed = failed = 0

    def one(job):
        (label, model), n = job
        path = os.path.join(folder, "%d.tflite" % n)
        with open(path, "wb") as f:
            f.write(model)
        problem = verdict(command, path)
        os.unlink(path)
        return label, problem

    jobs = (("%s, tensor %s" % (name, label), model) for name, case in chosen(args.only) for label, model in mutants(case))
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for label, problem in pool.map(one, zip(jobs, range(10**9))):
            passed, failed = passed + (problem is None), failed + (problem is not None)
            if problem:
                print("FAIL %s: %s" % (label, problem), flush=True)
    print("%s: %d passed, %d failed" % (args.title, passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
