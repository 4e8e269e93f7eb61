"""Which programs of tests/unit link one object of the whole library, and the npu_rt.h that they see then.

A program that defines NPU_RT_IMPLEMENTATION to look inside would compile all of src/ by itself: most of a minute with sanitizers,
forty times. Compiled with -DNPU__FN=extern, src/npu_rt.c hands out its private functions instead, and a program needs their
declarations alone. Those that bring switches of their own, or look at what one source keeps to itself, are built alone."""

import glob
import os
import re

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SWITCHES = ["BACKEND_ALL", "THREADS", "GRAPH", "DEBUG"]  # of the object; programs may define some of them too
DEFINES = ["-DNPU__FN=extern", *("-DNPU_RT_%s=" % s for s in SWITCHES)]
KNOWN = re.compile(r"#\s*define NPU_RT_(?:IMPLEMENTATION|GRAPH|THREADS|DEBUG|BACKEND_\w+)$")
GUARD = re.compile(r"^#ifndef NPU__\w+_H$", re.M)


def alone(source):
    """Whether a program has the whole library to itself: it says so ("Built alone"), or includes or defines something else."""
    with open(os.path.join(REPO, source)) as f:
        head, found, _ = f.read().partition('#include "npu_rt.h"')
    defines = [line for line in head.splitlines() if re.match(r"#\s*(define|include)\b", line)]
    return not found or "Built alone" in head or not all(map(KNOWN.match, defines))


def write_header(folder):
    """npu_rt.h of a program that links the object: the public header, and every private one that is no template. Its path."""
    headers = sorted(glob.glob(os.path.join(REPO, "src", "**", "*.h"), recursive=True))
    private = []
    for path in headers:
        with open(path) as f:
            if GUARD.search(f.read()):
                private.append(path)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "npu_rt.h"), "w") as f:
        f.write('#include "%s/src/npu.h"\n#ifdef NPU_RT_IMPLEMENTATION\n' % REPO)
        f.writelines('#  include "%s"\n' % path for path in private)
        f.write("#endif\n")
    return os.path.abspath(os.path.join(folder, "npu_rt.h"))
