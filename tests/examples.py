#!/usr/bin/env python3
"""Builds every example by the command in its head comment, with gcc and clang (g++ and clang++), and runs it.

    examples.py [--jobs N]

Outputs must be those of the command line for the same input; broken, missing and absent models must end in a message.
Also: at most 100 lines each, no malloc in static_arena, nothing exported from two_units, and `make demo` in a fresh
copy of the sources where there is no Python."""

import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

REPO = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(REPO, "tests", "conformance"))
from runner import Command, Score  # noqa: E402

OUT = os.path.join(REPO, "build", "test", "examples")
DIGITS = os.path.join(REPO, "examples", "digits")
MODELS = {"int8": np.int8, "float32": np.float32}
COMPILERS = {"cc": ("gcc", "clang-19"), "c++": ("g++", "clang++-19")}
STRICT = {
    "cc": ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"],
    "c++": ["-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"],
}
COMMAND = re.compile(r"^(?: \*|//) {5}(cc|c\+\+) (.+) -o (\S+) &&", re.M)
HEAP = {"malloc", "calloc", "realloc", "free", "aligned_alloc", "posix_memalign"}
ACCURACY = re.compile(r"^(digits_\w+)\.tflite +\d+ of \d+ held-out images right \(([\d.]+) %\)", re.M)


def sources():
    """Every source file under examples/, as a path relative to it."""
    for folder, _, files in sorted(os.walk(os.path.join(REPO, "examples"))):
        for name in sorted(files):
            if name.endswith((".c", ".cpp")):
                yield os.path.relpath(os.path.join(folder, name), os.path.join(REPO, "examples"))


def read(source):
    with open(os.path.join(REPO, "examples", source)) as f:
        return f.read()


def execute(*args, cwd=REPO, timeout=600, env=None):
    return subprocess.run(
        [str(a) for a in args],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout,
    )


def problem_of(process, wanted=0):
    if process.returncode == wanted:
        return None
    return "exit %d instead of %d: %s" % (process.returncode, wanted, (process.stderr + process.stdout)[-400:])


class Expected:
    """What the command line gives for the examples' inputs: zero bytes (`raw`) and zeros quantized (`real`, dequantized)."""

    def __init__(self, command, model, dtype):
        info = json.loads(execute(os.path.join(REPO, "build", "npu_rt"), "info", model, "--json").stdout)["subgraphs"][
            0
        ]
        (s_in, z_in), (s_out, z_out) = (self.quantization(t) for t in (info["inputs"][0], info["outputs"][0]))
        (self.raw,) = command.run(model, [np.zeros((1, 8, 8, 1), dtype)])
        (out,) = command.run(model, [np.full((1, 8, 8, 1), z_in, dtype)])
        self.real = (s_out * (out.astype(np.float64) - z_out)).astype(np.float32)

    @staticmethod
    def quantization(tensor):
        q = tensor.get("quantization") or {}
        return (np.float64(np.float32(q["scale"][0])), q["zero_point"][0]) if q.get("scale") else (1.0, 0)


# ---- what a good run prints: name -> function(printed text, Expected) --------------------------------------------------


def values(text):
    """The first values drop_in prints, as strings."""
    m = re.search(r"^output 0 .* \[1,10\]((?: \S+)+)$", text, re.M)
    return m.group(1).split() if m else []


def drop_in(text, expected):
    """Reals in and out: its own expectation, beside the one of zero bytes."""
    return values(text) == ["%g" % v for v in expected.real.reshape(-1)[:8]]


def static_arena(text, expected):
    total = 0
    for byte in expected.raw.tobytes():
        total = (total * 31 + byte) & 0xFFFFFFFF
    used = re.search(r"^session (\d+) bytes, of which arena (\d+); all together (\d+) of", text, re.M)
    return bool(used) and "hash %08x" % total in text and int(used[2]) <= int(used[1]) <= int(used[3])


def two_units(text, expected):
    raw = expected.raw.tobytes()
    return "a: output 0 has %d bytes, the first is %d\n" % (len(raw), raw[0]) in text and "b: input 0 " in text


def custom_allocator(text, expected):
    return re.search(r"^invoke took memory 0 times\n\d+ allocations, .* 0 bytes not given back\n$", text) is not None


PRINTS = {
    "drop_in": drop_in,
    "drop_in_cpp": drop_in,
    "static_arena": static_arena,
    "two_units": two_units,
    "custom_allocator": custom_allocator,
}


def check_accuracy(score, label, text):
    found = {name: float(percent) for name, percent in ACCURACY.findall(text)}
    ok = set(found) == {"digits_int8", "digits_float32"} and min(found.values()) >= 95
    score.check(label + " accuracy", None if ok else "at least 95 %% of both models, got %s" % (found or text[-300:]))


def check_runs(score, label, name, program, expected, folder):
    for kind, output in expected.items():
        p = execute(program, os.path.join(DIGITS, "digits_%s.tflite" % kind))
        problem = problem_of(p)
        if problem is None and not (PRINTS[name](p.stdout, output) and p.stderr == ""):
            problem = "prints something else than the command line's result: %s" % (p.stdout + p.stderr)[-400:]
        score.check("%s on digits_%s" % (label, kind), problem)
    for what, args, codes, word in (
        ("broken model", [folder + "/broken.tflite"], (1, 3), ""),
        ("missing model", [folder + "/missing.tflite"], (1, 2), "missing.tflite"),
        ("no model", [], (2,), "usage: " + name),
    ):
        p = execute(program, *args)
        ok = p.returncode in codes and p.stderr.strip() and word in p.stderr
        score.check("%s, %s" % (label, what), None if ok else "exit %d, says '%s'" % (p.returncode, p.stderr[-200:]))


def jobs():
    """(label, name, compiler kind, compiler, arguments, folder to compile in, output)"""
    for source in sources():
        found = COMMAND.search(read(source))
        if not found:
            continue  # the second file of a program: the first one's command names it
        kind, arguments, output = found.groups()
        name = os.path.basename(output)
        where = REPO if "examples/" in arguments else os.path.join(REPO, "examples")
        for compiler in COMPILERS[kind]:
            program = os.path.join(OUT, "%s.%s" % (name, compiler))
            yield "%s with %s" % (name, compiler), name, kind, compiler, arguments.split(), where, program


def build(job):
    _, _, kind, compiler, arguments, where, program = job
    if not shutil.which(compiler):
        return None
    return execute(compiler, *STRICT[kind], *arguments, "-o", program, cwd=where)


def check_programs(score, workers, expected, folder):
    todo = list(jobs())
    score.check(
        "a command in every head comment",
        None
        if {j[1] for j in todo} == set(PRINTS) | {"digits"}
        else "found only those of %s" % sorted({j[1] for j in todo}),
    )
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for job, built in zip(todo, pool.map(build, todo)):
            label, name, program = job[0], job[1], job[-1]
            if built is None:
                score.skip(label, "no such compiler here")
                continue
            score.check(label, problem_of(built))
            if built.returncode != 0:
                continue
            if name == "digits":
                p = execute(program, DIGITS)
                score.check(label + " runs", problem_of(p))
                check_accuracy(score, label, p.stdout)
            else:
                check_runs(score, label, name, program, expected, folder)
            if name in ("static_arena", "two_units"):
                check_symbols(score, label, name, program)


def check_symbols(score, label, name, program):
    """What a program asks of others, and what it shows them. nm says `name` or, linked, `name@version`."""
    undefined = execute("nm", "--undefined-only", program).stdout
    wanted = {line.split()[-1].split("@")[0] for line in undefined.splitlines()}
    score.check(label + ": nm works", None if "fread" in wanted else "no fread among %s" % sorted(wanted))
    if name == "static_arena":
        score.check(label + " needs no heap", "links %s" % sorted(wanted & HEAP) if wanted & HEAP else None)
    if name == "two_units":
        shown = execute("nm", "--defined-only", "--extern-only", program).stdout
        score.check(label + " exports nothing", "exports " + shown if " npu_" in shown else None)


def check_demo(score):
    """make demo where only a C compiler is: a copy of the sources alone, no Python, the system's default compiler."""
    with tempfile.TemporaryDirectory(prefix="npu_rt_demo_") as copy:
        for name in ("Makefile", "LICENSE", "amalgamate", "npu_rt.h"):
            shutil.copy(os.path.join(REPO, name), copy)
        for name in ("src", "wasi", "examples"):
            shutil.copytree(os.path.join(REPO, name), os.path.join(copy, name))
        with open(os.path.join(copy, "npu_rt.h"), "rb") as f:
            header = f.read()
        os.utime(os.path.join(copy, "npu_rt.h"), (0, 0))  # as old as a clone's file may look
        env = {k: v for k, v in os.environ.items() if k not in ("CC", "CFLAGS", "MAKEFLAGS", "MFLAGS")}
        p = execute("make", "demo", "PYTHON3=no-python-here", cwd=copy, env=env)
        score.check("make demo", problem_of(p))
        check_accuracy(score, "make demo", p.stdout)
        version = execute(os.path.join(copy, "build", "npu_rt"), "--version") if p.returncode == 0 else p
        score.check("make demo leaves build/npu_rt", problem_of(version))
        with open(os.path.join(copy, "npu_rt.h"), "rb") as f:
            score.check("make demo keeps npu_rt.h", None if f.read() == header else "npu_rt.h changed")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--jobs", type=int, default=2, help="compilers at a time")
    a = p.parse_args()
    os.makedirs(OUT, exist_ok=True)
    score = Score("examples")
    for source in sources():
        n = len(read(source).splitlines())
        score.check("lines of " + source, "%d, more than 100" % n if n > 100 else None)
    command = Command(os.path.join(REPO, "build", "npu_rt"))
    expected = {
        kind: Expected(command, os.path.join(DIGITS, "digits_%s.tflite" % kind), dtype)
        for kind, dtype in MODELS.items()
    }
    with tempfile.TemporaryDirectory(prefix="npu_rt_examples_") as folder:
        with open(os.path.join(DIGITS, "digits_int8.tflite"), "rb") as f, open(folder + "/broken.tflite", "wb") as g:
            g.write(f.read()[:500])
        check_programs(score, a.jobs, expected, folder)
    check_demo(score)
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
