#!/usr/bin/env python3
"""Every operator case on other processors than this one: what is not there must not be executed.

    processors.py PROGRAM [--only SUBSTRING] [--sample SEED]

PROGRAM: processors.c, built statically for this machine; PROGRAM.aarch64 and PROGRAM.i386 are the same for those.

--isa on a machine that has more finds wrong numbers, but no instruction that a kernel of that instruction set should not have. So
the cases run once as this machine does it when it is asked for that instruction set, and once under qemu, on a processor that has no
more; integers must be equal, floats close (libc's functions are others there). And once in 32 bits."""

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

# Where it runs, on whose program, the best instruction set that is to be found there (None: this machine's), and what is compared with.
PROCESSORS = [
    (["qemu-x86_64", "-cpu", "core2duo"], "x86", "scalar", "scalar"),
    (["qemu-x86_64", "-cpu", "Nehalem"], "x86", "sse4.1", "sse4.1"),
    (["qemu-x86_64", "-cpu", "Haswell"], "x86", "avx2", "avx2"),
    (["qemu-aarch64", "-cpu", "cortex-a72"], "aarch64", "neon", "scalar"),
    (["qemu-aarch64", "-cpu", "cortex-a76"], "aarch64", "neon-dot", "scalar"),
    (["qemu-aarch64", "-cpu", "max"], "aarch64", "neon-i8mm", "scalar"),
    ([], "i386", None, "scalar"),
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
        return "%s natively, %s there (number, status, hash of integers, sum of floats, not finite)" % (ours, theirs)
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


def compare(score, cases, title, command, best, native):
    """What a program, of that best instruction set, makes of the cases."""
    found, lines, wrong = answers([*command, cases.file.name])
    score.check(title, None if found == best or (found and not best) else "the best instruction set found is " + found)
    for name, a, b in zip(cases.names, cases.native(native), lines):
        score.check("%s on %s" % (name, title), differs(a, b))
    if len(lines) < len(cases.names):
        score.check("%s on %s" % (cases.names[len(lines)], title), wrong or "no answer")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("program")
    p.add_argument("--only", default="")
    add_option(p)
    a = p.parse_args()
    score, sample = Score("other processors"), Sample(a.sample)
    program = os.path.abspath(a.program)
    programs = {"x86": program, "aarch64": program + ".aarch64", "i386": program + ".i386"}
    with tempfile.NamedTemporaryFile(suffix=".cases") as f:
        cases = Cases(program, f)
        for name, model, runs, _, _ in all_cases(a.only):
            inputs = [np.asarray(x) for x in runs[0]]
            if fits(inputs) and sample.takes(name, 8):
                cases.add(name, model, inputs)
        f.flush()
        for where, which, best, native in PROCESSORS:
            compare(score, cases, where[-1] if where else which, [*where, programs[which]], best, native)
    sample.report("other processors", "cases")
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
