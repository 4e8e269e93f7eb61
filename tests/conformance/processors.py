#!/usr/bin/env python3
"""Every operator case on other processors than this one, emulated: what is not there must not be executed.

    processors.py --x86 build/test/processors --aarch64 build/test/processors.aarch64 [--only SUBSTRING] [--sample SEED]

--isa on a machine that has more finds wrong numbers, but no instruction that a kernel of that instruction set should not have. So
the cases run once as this machine does it when it is asked for that instruction set, and once under qemu, on a processor that has no
more; integers must be equal, floats close (libc's functions are others there)."""

import argparse
import math
import os
import struct
import subprocess
import sys
import tempfile

import numpy as np

from ops import all_cases
from runner import Score
from sample import Sample, add_option

# qemu's architecture and processor, the best instruction set that is to be found on it, and what this machine compares with.
PROCESSORS = [
    ("x86_64", "core2duo", "scalar", "scalar"),
    ("x86_64", "Nehalem", "sse4.1", "sse4.1"),
    ("x86_64", "Haswell", "avx2", "avx2"),
    ("aarch64", "cortex-a72", "neon", "scalar"),
    ("aarch64", "cortex-a76", "neon-dot", "scalar"),
    ("aarch64", "max", "neon-i8mm", "scalar"),
]


def written(f, model, inputs):
    """A case as processors.c reads it."""
    f.write(struct.pack("=I", len(model)) + model + struct.pack("=I", len(inputs)))
    for a in inputs:
        raw = np.ascontiguousarray(a).tobytes()
        f.write(struct.pack("=%dI" % (a.ndim + 2), a.ndim, *a.shape, len(raw)) + raw)


def fits(inputs):
    return len(inputs) <= 64 and all(a.dtype != object and a.ndim <= 8 for a in inputs)


def answers(command):
    """(the instruction set, the lines of the cases, what went wrong or None)."""
    p = subprocess.run(command, capture_output=True, text=True, timeout=3000)
    head, *lines = p.stdout.splitlines() or [""]
    return head, lines, p.stderr.strip()[-200:] or "exit %d" % p.returncode if p.returncode else None


def differs(ours, theirs):
    a, b = ours.split(), theirs.split()
    if a[:3] != b[:3] or a[4] != b[4] or not math.isclose(float(a[3]), float(b[3]), rel_tol=1e-3, abs_tol=1e-5):
        return "%s natively, %s emulated (number, status, hash of integers, sum of floats, not finite)" % (ours, theirs)
    return None


class Cases:
    """Names in order, the file that holds them, and what the native program makes of them, by instruction set."""

    def __init__(self, program, f):
        self.names, self.program, self.file, self.ours = [], program, f, {}

    def add(self, name, model, inputs):
        self.names.append(name)
        written(self.file, model, inputs)

    def native(self, isa):
        if isa not in self.ours:
            _, lines, wrong = answers([self.program, self.file.name, isa])
            if wrong:
                raise RuntimeError("natively, as %s: %s" % (isa, wrong))
            self.ours[isa] = lines
        return self.ours[isa]


def compare(score, cases, command, best, native):
    """What an emulated program, of that best instruction set, makes of the cases."""
    found, lines, wrong = answers([*command, cases.file.name])
    on = " on " + command[2]
    score.check(best + on, None if found == best else "the best instruction set found is " + found)
    for name, a, b in zip(cases.names, cases.native(native), lines):
        score.check(name + on, differs(a, b))
    if len(lines) < len(cases.names):
        score.check(cases.names[len(lines)] + on, wrong or "no answer")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--x86", required=True, help="processors.c for this machine, linked statically")
    p.add_argument("--aarch64", required=True, help="the same for AArch64")
    p.add_argument("--only", default="")
    add_option(p)
    a = p.parse_args()
    score, sample = Score("other processors"), Sample(a.sample)
    programs = {"x86_64": os.path.abspath(a.x86), "aarch64": os.path.abspath(a.aarch64)}
    with tempfile.NamedTemporaryFile(suffix=".cases") as f:
        cases = Cases(programs["x86_64"], f)
        for name, model, runs, _, _ in all_cases(a.only):
            inputs = [np.asarray(x) for x in runs[0]]
            if fits(inputs) and sample.takes(name, 8):
                cases.add(name, model, inputs)
        f.flush()
        for machine, processor, best, native in PROCESSORS:
            compare(score, cases, ["qemu-" + machine, "-cpu", processor, programs[machine]], best, native)
    sample.report("other processors", "cases")
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
