#!/usr/bin/env python3
"""Quantization and sparsity that no converter writes, in every kind of operator case that has them: zero scales, denormal
and huge ones, zero points outside of their type, of the first channel and of the last; traversal orders, block maps and
levels with other numbers, or without. Each model must give a clear error or a run; under the sanitizers that is the test.

    hostile_tensors.py --command build/npu_rt [--only OP] [--sample SEED]

--sample takes one model in six."""

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
from sample import Sample, add_option  # noqa: E402

SCALES = {"zero": 0.0, "denormal": 1e-45, "huge": 3e38, "nan": float("nan")}
ZERO_POINTS = {"zp-min": -(2**31), "zp-max": 2**31 - 1, "zp-300": 300}


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


NUMBERS = (-(2**31), -1, 0, 1, 3, 99, 255, 65535, 2**31 - 1)


def changes(holder, field):
    """Sets a list's first and last number, and its length, to others; a plain number likewise."""
    values = getattr(holder, field)
    if values is None or isinstance(values, (int, np.integer)):
        for n in NUMBERS if values is not None else ():
            setattr(holder, field, n if field != "format" else n & 1)
            yield "%s %d" % (field, n)
    else:
        array = np.array(values)
        for at in sorted({0, len(array) - 1}) if len(array) else ():
            for n in NUMBERS:
                changed = array.astype(np.int64)
                changed[at] = n
                setattr(holder, field, changed.astype(array.dtype))
                yield "%s[%d] %d" % (field, at, n)
        for shape, other in (("cut", array[:-1]), ("longer", np.append(array, array[-1:])), ("none", None)):
            setattr(holder, field, other)
            yield "%s %s" % (field, shape)
    setattr(holder, field, values)


def sparse_mutants(model):
    original = schema.ModelT.InitFromObj(schema.Model.GetRootAs(model, 0))
    for t, tensor in enumerate(original.subgraphs[0].tensors):
        sparse = tensor.sparsity
        holders = [] if sparse is None else [(sparse, "traversalOrder"), (sparse, "blockMap")]
        for level in sparse.dimMetadata if sparse is not None else ():
            holders += [(level, "format"), (level, "denseSize")]
            holders += [(v, "values") for v in (level.arraySegments, level.arrayIndices) if v is not None]
        for n, (holder, field) in enumerate(holders):
            for label in changes(holder, field):
                try:
                    yield "%d sparsity %d %s" % (t, n, label), packed(original)
                except (TypeError, AttributeError, ValueError):  # what the writer cannot write
                    pass


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
    p.add_argument("--title", default="hostile tensors")
    add_option(p)
    args = p.parse_args()
    command, sample = args.command.split(), Sample(args.sample)
    passed = failed = 0

    def one(job):
        (label, model), n = job
        path = os.path.join(folder, "%d.tflite" % n)
        with open(path, "wb") as f:
            f.write(model)
        problem = verdict(command, path)
        os.unlink(path)
        return label, problem

    jobs = (
        ("%s, tensor %s" % (name, label), model)
        for name, case in chosen(args.only)
        for source in (mutants, sparse_mutants)
        for label, model in source(case)
        if sample.takes((name, label), 6)
    )
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for label, problem in pool.map(one, zip(jobs, range(10**9))):
            passed, failed = passed + (problem is None), failed + (problem is not None)
            if problem:
                print("FAIL %s: %s" % (label, problem), flush=True)
    sample.report(args.title, "models")
    print("%s: %d passed, %d failed" % (args.title, passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
