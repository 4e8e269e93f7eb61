#!/usr/bin/env python3
"""Runs oss-fuzz/build.sh as OSS-Fuzz would, with clang-19, and every target that comes out of it on its seeds.

oss_fuzz.py [--runs 100] [--keep FOLDER] [--sample SEED]

--sample leaves out some of the targets that compile the whole library by themselves, and optimizes none."""

import argparse
import os
import subprocess
import sys
import tempfile
import zipfile

from fuzz import LIMITS, sampled, what_happened
from sample import Sample, add_option

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FLAGS = "-g -fno-omit-frame-pointer -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all"


def run_target(folder, out, name, runs):
    """What is wrong with one target, or None."""
    program = os.path.join(out, "fuzz_" + name)
    missing = [
        f
        for f in (program, program + "_seed_corpus.zip", program + ".dict", program + ".options")
        if not os.path.exists(f)
    ]
    if missing:
        return "build.sh did not make " + ", ".join(map(os.path.basename, missing))
    seeds = os.path.join(folder, "seeds_" + name)
    with zipfile.ZipFile(program + "_seed_corpus.zip") as z:
        z.extractall(seeds)
    if not os.listdir(seeds):
        return "no seeds"
    p = subprocess.run(
        [program, "-runs=%d" % runs, "-seed=1", "-dict=%s.dict" % program, *LIMITS, seeds],
        capture_output=True,
        text=True,
        errors="replace",
        cwd=folder,
        env=dict(os.environ, ASAN_OPTIONS="allocator_may_return_null=1"),
    )
    return None if p.returncode == 0 else "exit %d: %s" % (p.returncode, what_happened(p.stderr))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--runs", type=int, default=100)
    p.add_argument("--keep", help="build here instead of in a temporary folder")
    add_option(p)
    a = p.parse_args()
    sample = Sample(a.sample)
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        out = a.keep or os.path.join(folder, "out")
        flags = "%s %s" % ("-O0" if a.sample else "-O1", FLAGS)
        env = dict(
            os.environ,
            CC="clang-19",
            CXX="clang++-19",
            CFLAGS=flags,
            CXXFLAGS=flags,
            LIB_FUZZING_ENGINE="-fsanitize=fuzzer",
            OUT=out,
            SRC=os.path.dirname(REPO),
            WORK=os.path.join(folder, "work"),
            PYTHON=sys.executable,
            SAMPLE=a.sample,
        )
        if not os.path.exists("/usr/bin/clang++-19"):
            env["CXX"] = "clang-19"
        b = subprocess.run([os.path.join(REPO, "oss-fuzz", "build.sh")], env=env, capture_output=True, text=True)
        if b.returncode != 0:
            print("FAIL oss-fuzz/build.sh: exit %d: %s" % (b.returncode, b.stderr[-800:]))
            failed += 1
        for name in sampled(sample) if b.returncode == 0 else ():
            wrong = run_target(folder, out, name, a.runs)
            passed, failed = passed + (not wrong), failed + bool(wrong)
            if wrong:
                print("FAIL oss-fuzz target %s: %s" % (name, wrong))
    sample.report("oss-fuzz", "targets with a library of their own")
    print("oss-fuzz: %d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
