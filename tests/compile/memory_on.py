#!/usr/bin/env python3
"""npu_memory_on (`info --target 32bit --isa NAME`) tells on this machine what a build for another one takes there, to the byte: all
public networks, all instruction sets, against 32-bit x86 with both alignments, WebAssembly under wasmtime, and aarch64 under qemu.
On each machine, also what is counted against what is allocated.

    memory_on.py [--models DIR]"""

import argparse
import concurrent.futures
import glob
import os
import shutil
import subprocess
import sys
import tempfile

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(REPO, "tests", "conformance"))
from runner import Score  # noqa: E402

SOURCE = os.path.join(REPO, "tests", "compile", "memory_on.c")
WASMTIME = os.path.join(REPO, "build", "tools", "wasmtime")
CLANG = "clang-19"
# Machine, what npu_memory_on calls it, instruction sets, compiler, how to run it.
MACHINES = [
    ("x86-64", None, "", ["gcc", "-O0"], []),
    (
        "32-bit x86, int64_t aligned to 8",
        "32bit",
        "scalar,avx2,avx512vnni",
        ["gcc", "-O0", "-m32", "-malign-double"],
        [],
    ),
    ("32-bit x86", "32bit-x86", "scalar,avx2,avx512vnni", ["gcc", "-O0", "-m32"], []),
    (
        "WebAssembly",
        "32bit",
        "scalar,wasm-simd128,wasm-relaxed",
        [CLANG, "-O0", "--target=wasm32-wasi", "-msimd128", "-mrelaxed-simd", "-Wl,-z,stack-size=1048576"],
        [WASMTIME, "run", "--dir=/"],
    ),
    (
        "aarch64",
        "64bit",
        "scalar,neon,neon-dot",
        [CLANG, "-O0", "--target=aarch64-linux-gnu", "-fuse-ld=lld", "-static"],
        ["qemu-aarch64"],
    ),
]


def run(*command):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=1500)


def build(machine, folder):
    name, _, _, compiler, prefix = machine
    if not all(map(shutil.which, [compiler[0], *prefix[:1]])):
        return None
    program = os.path.join(folder, name.split()[0] + str(MACHINES.index(machine)))
    p = run(*compiler, "-std=c99", "-w", "-I", REPO, SOURCE, "-lm", "-o", program)
    return program if p.returncode == 0 else p.stderr[-400:]


def compare(score, label, want, got, isas):
    """Rows of `want` (that machine's own) and of `got` (told here), by model and instruction set."""
    theirs = {tuple(row.split()[:2]): row for row in want}
    ours = {tuple(row.split()[:2]): row for row in got}
    missing = set(isas.split(",")) - {isa for _, isa in theirs}
    for isa in sorted(set(isas.split(",")) - missing):
        wrong = [(theirs[k], ours.get(k)) for k in theirs if k[1] == isa and theirs[k] != ours.get(k)]
        n = sum(k[1] == isa for k in theirs)
        score.check(
            "%s, %s, %d models" % (label, isa, n),
            None if n and not wrong else "%d differ, first %s" % (len(wrong), wrong[:1]),
        )
    for isa in sorted(missing):
        score.skip("%s, %s" % (label, isa), "not on this machine")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--models", default=os.path.join(REPO, "..", "shared", "models"))
    a = p.parse_args()
    score = Score("memory on other machines")
    models = sorted(glob.glob(a.models + "/*.tflite") + glob.glob(REPO + "/examples/digits/*.tflite"))
    if len(models) < 10:
        score.skip("the public networks", "no ../shared")
    models = [os.path.realpath(m) for m in models]
    with tempfile.TemporaryDirectory(prefix="npu_rt_memory_") as folder:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            programs = list(pool.map(lambda m: build(m, folder), MACHINES))
            own = list(
                pool.map(
                    lambda i: (
                        run(*MACHINES[i][4], programs[i], "this", *models)
                        if programs[i] and os.path.exists(programs[i])
                        else None
                    ),
                    range(len(MACHINES)),
                )
            )
        for (name, target, isas, _, _), program, said in zip(MACHINES, programs, own):
            if program is None:
                score.skip(name, "its compiler or emulator is not here")
                continue
            score.check(name + ": compiles", None if said else program)
            if not said:
                continue
            score.check(
                name + ": counted as allocated",
                None if said.returncode == 0 and said.stdout else "exit %d %s" % (said.returncode, said.stderr[-300:]),
            )
            if target and programs[0]:
                told = run(programs[0], target, isas, *models)
                compare(score, name, said.stdout.splitlines(), told.stdout.splitlines(), isas)
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
