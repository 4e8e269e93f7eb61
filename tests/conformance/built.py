#!/usr/bin/env python3
"""Every operator case (ops_*.py beside this file) once from its file and once built by npu_graph_*: the same bytes come out, the
dump lists the same graph. And files with one thing wrong: the same status and rule both ways. And nothing behind the readers of
files reads flatbuffers.

    built.py --library build/test/libnpu_rt.so [--only SUBSTRING] [--sample SEED] [MODEL.tflite...]"""

import argparse
import ctypes as C
import os
import re
import sys

import numpy as np

from binding import Library, NpuError, Session
from built_broken import broken
from mkmodel import schema
from ops import all_cases, ops_of
from rebuild import RebuiltSession, Unsayable
from runner import REPO, Score
from sample import Sample, add_option
from structs import structs

WRITE = C.CFUNCTYPE(C.c_int, C.c_void_p, C.c_void_p, C.c_size_t)


def report(library, name, *before):
    """The JSON text of a report."""
    pieces = []

    def write(_, text, n):
        pieces.append(C.string_at(text, n))
        return 0

    called = WRITE(write)
    writer = structs.npu_writer(None, C.cast(called, C.c_void_p))
    status = getattr(library.c, name)(*before, 1, C.byref(writer), None)
    return status, b"".join(pieces)


# Where file and calls may differ: empty constants have no contents in either, versions of 0 become 1.
def dumped(library, session):
    status, text = report(library, "npu_model_dump", session.model)
    return status, re.sub(rb'"version":0\b', b'"version":1', text)


def contents(a):
    return repr(a.tolist()).encode() if a.dtype == object else a.tobytes()  # strings are objects


def runs(library, make, model, sequence):
    s = make(library, model)
    try:
        dump = dumped(library, s)
        return dump, [[contents(a) + repr((a.shape, a.dtype)).encode() for a in s.run(inputs)] for inputs in sequence]
    finally:
        s.close()


def compare(library, model, sequence):
    dump, expected = runs(library, Session, model, sequence)
    built_dump, built = runs(library, RebuiltSession, model, sequence)
    if built != expected:
        return "built by calls, it gives other bytes than from its file"
    if dump[0] or built_dump != dump:
        return "built by calls, its dump is another one than its file's"
    return None


def verdict(library, make, model):
    """(status, rule) of making the model and planning it."""
    try:
        s = make(library, model)
    except NpuError as e:
        return e.status, e.rule
    try:
        s._check(library.c.npu_plan_create(C.byref(s.plan), s.model, None, C.byref(s.diag)))
    except NpuError as e:
        return e.status, e.rule
    finally:
        s.close()
    return 0, ""


def inputs_of(model):
    """Zeros for the declared inputs of a file."""
    sg = schema.ModelT.InitFromPackedBuf(model, 0).subgraphs[0]
    types = {0: np.float32, 1: np.float16, 2: np.int32, 3: np.uint8, 4: np.int64, 6: np.bool_, 7: np.int16, 9: np.int8}
    return [np.zeros(np.maximum(np.asarray(sg.tensors[i].shape), 1), types[sg.tensors[i].type]) for i in sg.inputs]


READERS = {"graph/read_tflite.c", "graph/options.c", "graph/sparsity.c", "graph/model.c"}  # and all of tflite/


def flatbuffers_beyond():
    """Sources that read flatbuffers without being a reader of files."""
    src = os.path.join(REPO, "src")
    for folder, _, names in sorted(os.walk(src)):
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), src)
            if (
                path.startswith("tflite" + os.sep)
                or path.replace(os.sep, "/") in READERS
                or not name.endswith((".c", ".h"))
            ):
                continue
            with open(os.path.join(src, path)) as f:
                if re.search(r"\bnpu__(tab_\w+|vec_tab|fb_follow)\s*\(", f.read()):
                    yield path


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--library", default=os.path.join(REPO, "build", "test", "libnpu_rt.so"))
    p.add_argument("--only", default="")
    p.add_argument("models", nargs="*")
    add_option(p)
    a = p.parse_args()
    library, score, sample, touched = Library(a.library), Score("built"), Sample(a.sample), set()
    for name, model, sequence, _, _ in all_cases(a.only):
        new = set(ops_of(model)) - touched
        if not sample.takes(name, 4, always=bool(new)):
            continue
        touched |= new
        try:
            score.check(name, compare(library, model, sequence))
        except (NpuError, Unsayable) as e:
            score.check(name, "%s: %s" % (type(e).__name__, e))
    for path in a.models:
        with open(path, "rb") as f:
            model = f.read()
        score.check(os.path.basename(path), compare(library, model, [inputs_of(model)]))
    for name, model, status, rule in broken():
        if a.only not in "broken " + name:
            continue
        file, built = verdict(library, Session, model), verdict(library, RebuiltSession, model)
        problem = None if file == (status, rule) else "the file gives %s, not %s" % (file, (status, rule))
        score.check(
            "broken " + name,
            problem or (None if built == file else "built by calls: %s, from the file: %s" % (built, file)),
        )
    beyond = list(flatbuffers_beyond())
    score.check("readers of flatbuffers", "also " + ", ".join(beyond) if beyond else None)
    sample.report("built", "operator cases, built by calls and from their files")
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
