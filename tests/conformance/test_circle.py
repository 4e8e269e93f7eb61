#!/usr/bin/env python3
"""Networks and operator cases once from their TFLite file and once from the same as Circle: the same bytes come out.

test_circle.py --library build/test/libnpu_rt.so [--models DIR] [--only SUBSTRING] [--every N] [MODEL.tflite...]"""

import argparse
import glob
import os
import sys

import numpy as np

from binding import DTYPES, Library, NpuError, Session, structs
from circle import circle
from mkmodel import rng_of
from ops import all_cases
from runner import REPO, Score

import ctypes as C

MODELS = os.path.join(REPO, "..", "shared", "models")


def random_inputs(session, name):
    rng, t, inputs = rng_of(name), structs.npu_tensor(), []
    for i in range(session.n_in):
        session.lib.npu_model_input(session.model, 0, i, C.byref(t))
        dtype, shape = np.dtype(DTYPES[t.type]), list(t.dims[: t.rank])
        if dtype.kind == "f":
            inputs.append(rng.uniform(-1, 1, shape).astype(dtype))
        else:
            inputs.append(rng.integers(0, 2 if dtype.itemsize > 2 else 128, shape).astype(dtype))
    return inputs


def contents(a):
    """What an array holds; strings are objects, whose bytes are their places in memory."""
    return a.tolist() if a.dtype == object else a.tobytes()


def outcome(library, model, sequence, name=None):
    """The bytes of all outputs, or the status and rule of what refused."""
    session = None
    try:
        session = Session(library, model)
        sequence = sequence or [random_inputs(session, name)] * 2
        return [[(contents(a), a.shape, a.dtype) for a in session.run(inputs)] for inputs in sequence]
    except NpuError as e:
        return (e.status, e.rule)
    finally:
        if session:
            session.close()


def compare(library, score, name, model, sequence=None, must_run=False):
    theirs, ours = outcome(library, model, sequence, name), outcome(library, circle(model), sequence, name)
    problem = None if theirs == ours else "TFLite and Circle differ"
    if theirs != ours and isinstance(ours, tuple):
        problem = "as Circle: %d, %s" % ours
    if not problem and must_run and isinstance(ours, tuple):
        problem = "refused: %d, %s" % ours
    score.check(name, problem)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--library", default=os.path.join(REPO, "build", "test", "libnpu_rt.so"))
    p.add_argument("--models", default=MODELS)
    p.add_argument("--only", default="")
    p.add_argument("--every", type=int, default=7, help="one of so many operator cases")
    p.add_argument("files", nargs="*")
    a = p.parse_args()
    library, score = Library(a.library), Score("circle")
    files = a.files or sorted(
        glob.glob(os.path.join(a.models, "*.tflite")) + glob.glob(os.path.join(REPO, "examples", "digits", "*.tflite"))
    )
    for path in files:
        name = os.path.basename(path)
        # What Vela compiled names places in its own file; the others must run.
        if a.only in name:
            with open(path, "rb") as f:
                compare(library, score, name, f.read())
    if not a.files:
        for i, (name, model, sequence, _, _) in enumerate(all_cases(a.only)):
            if i % a.every == 0 and model[4:8] == b"TFL3":
                compare(library, score, name, model, sequence)
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
