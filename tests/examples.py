#!/usr/bin/env python3
"""Builds every example by the command in its head comment, with gcc and clang (g++ and clang++), and runs it.

    examples.py [--jobs N] [--sample SEED]

Outputs must be those of the command line for the same input; broken, missing and absent models must end in a message.
Also: at most 100 lines each, no malloc in static_arena, nothing exported from two_units, and `make demo` in a fresh
copy of the sources where there is no Python. neuron_android runs against libneuron_adapter.so, here and, made by Debian's cross
compiler, on an emulated aarch64. --sample builds each with one compiler, one in four with gcc, which takes two to three times as long as
Clang, and optimizes few."""

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
from sample import Sample, add_option  # noqa: E402

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


def jobs(sample):
    """(label, name, compiler kind, compiler, arguments, folder to compile in, output)"""
    for source in sources():
        found = COMMAND.search(read(source))
        if not found:
            continue  # the second file of a program: the first one's command names it
        kind, arguments, output = found.groups()
        name = os.path.basename(output)
        where = REPO if "examples/" in arguments else os.path.join(REPO, "examples")
        gcc, clang = COMPILERS[kind]
        slow = sample.takes((name, "gcc"), 4)
        for compiler in sample.pick(name, COMPILERS[kind], 0, always=[gcc if slow else clang]):
            program = os.path.join(OUT, "%s.%s" % (name, compiler))
            # What of the library a program links is what optimizing leaves of it.
            optimized = sample.takes((name, compiler), 8, always=name == "static_arena")
            options = arguments.split() + ([] if optimized else ["-O0"])
            yield "%s with %s" % (name, compiler), name, kind, compiler, options, where, program


def build(job):
    _, _, kind, compiler, arguments, where, program = job
    if not shutil.which(compiler):
        return None
    return execute(compiler, *STRICT[kind], *arguments, "-o", program, cwd=where)


# ---- neuron_android: a phone's program, with and without the phone's library ------------------------------------------

CROSS, SYSROOT = "aarch64-linux-gnu-gcc", "/usr/aarch64-linux-gnu"
ADAPTER = ["-O0", "-std=gnu99", "-I.", "-fPIC", "-fvisibility=hidden", "-shared"]
POOR = '__attribute__((visibility("default"))) int NeuronModel_create(void **model); int NeuronModel_create(void **model) { *model = 0; return 7; }\n'


class Phone:
    """A machine that the program runs on: here, or emulated. library: a folder with libneuron_adapter.so."""

    def __init__(self, compiler, program, emulated=False):
        self.compiler, self.program, self.emulated = compiler, program, emulated

    def libraries(self, folder):
        """The software adapter by the name of the vendor's library; and a library that has next to nothing."""
        whole, poor = os.path.join(folder, "whole"), os.path.join(folder, "poor")
        for path, source, more in ((whole, "neuron/libneuron_adapter.c", ["-lm"]), (poor, folder + "/poor.c", [])):
            os.makedirs(path)
            with open(folder + "/poor.c", "w") as f:
                f.write(POOR)
            p = execute(self.compiler, *ADAPTER, source, *more, "-o", path + "/libneuron_adapter.so")
            if p.returncode:
                raise AssertionError(p.stderr[-400:])
        return whole, poor

    def run(self, model, folder, library):
        where = ["-E", "LD_LIBRARY_PATH=" + library] if library else []
        prefix = ["qemu-aarch64", "-L", SYSROOT, *where] if self.emulated else []
        env = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
        if library and not self.emulated:
            env["LD_LIBRARY_PATH"] = library
        return execute(*prefix, self.program, model, cwd=folder, env=env)


def check_phone(score, label, phone, expected):
    total = 0
    for byte in expected.raw.tobytes():
        total = (total * 31 + byte) & 0xFFFFFFFF
    model = os.path.join(DIGITS, "digits_int8.tflite")

    def run(what, library, *wanted, never="never"):
        p = phone.run(model, folder, library)
        lacks = [w for w in (*wanted, "hash %08x" % total) if not re.search(w, p.stdout)]
        problem = "lacks %s: %s" % (lacks, p.stdout + p.stderr) if lacks or never in p.stdout else None
        score.check("%s, %s" % (label, what), problem_of(p) or problem)

    with tempfile.TemporaryDirectory(prefix="npu_rt_phone_") as folder:
        whole, poor = phone.libraries(folder)
        alone = (
            r"everything on the CPU: .*libneuron_adapter.* \[neuron.library\]",
            r"\b0 of [1-9]\d* operators on the NPU",
        )
        run("without a library", None, *alone)
        compiled = (
            r"^Neuron 8\.2\.26\n",
            r"compiled now: npu_rt-[0-9a-f]{16}\.neuron",
            r"\b[1-9]\d* of [1-9]\d* operators on",
        )
        run("compiled", whole, *compiled, never="note")
        run("compiled before", whole, "compiled before: ", compiled[2], never="compiled now")
        (kept,) = [f for f in os.listdir(folder) if f.endswith(".neuron")]
        with open(os.path.join(folder, kept), "r+b") as f:
            f.seek(200)
            f.write(b"damaged")
        run("a damaged file", whole, "note: .*restoreFromCompiledNetwork said 4", compiled[1])
        run("a library without functions", poor, r"note: .*NeuronModel_free \[neuron.missing\]", alone[1])


def check_cross(score, expected, optimized):
    """The example as its head says, by the cross compiler."""
    if not shutil.which(CROSS) or not shutil.which("qemu-aarch64"):
        return score.skip("neuron_android on aarch64", "no cross compiler, or no emulator")
    found = COMMAND.search(read("neuron_android.c"))
    program = os.path.join(OUT, "neuron_android.aarch64")
    options = [*STRICT["cc"], *found.group(2).split(), *([] if optimized else ["-O0"])]
    built = execute(CROSS, *options, "-o", program, cwd=os.path.join(REPO, "examples"))
    score.check("neuron_android on aarch64", problem_of(built))
    if built.returncode == 0:
        check_phone(score, "neuron_android on aarch64", Phone(CROSS, program, True), expected)


def check_programs(score, workers, expected, folder, sample):
    todo = list(jobs(sample))
    score.check(
        "a command in every head comment",
        None
        if {j[1] for j in todo} == set(PRINTS) | {"digits", "build_graph", "neuron_android", "user_operator"}
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
            if name == "build_graph":
                p = execute(program)
                x, w = np.arange(1, 5), np.array([[1, 0, -1, 0], [0, 2, 0, 2], [-1, -1, -1, -1]])
                said = "y = %g %g %g\n" % tuple(np.maximum(w @ x, 0))
                score.check(label + " runs", problem_of(p) or (None if p.stdout == said else "prints %s" % p.stdout))
            elif name == "user_operator":
                p = execute(program)
                said = "y = 4 -8\ny = 6 -12\ny = 7 -14\n"
                score.check(label + " runs", problem_of(p) or (None if p.stdout == said else "prints %s" % p.stdout))
            elif name == "neuron_android":
                check_phone(score, label, Phone(job[3], program), expected["int8"])
            elif name == "digits":
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


def check_readme(score):
    """The calls that the README shows for models without a file make one."""
    with open(os.path.join(REPO, "README.md")) as f:
        shown = next(
            block for block in re.findall(r"^```c\n(.*?)^```", f.read(), re.M | re.S) if "npu_graph_create" in block
        )
    source, program = os.path.join(OUT, "readme_graph.c"), os.path.join(OUT, "readme_graph")
    with open(source, "w") as f:
        f.write(
            "#include <stdio.h>\n#define NPU_RT_IMPLEMENTATION\n#define NPU_RT_GRAPH\n#define NPU_RT_ONLY_OPS(X) X(SOFTMAX)\n"
            '#include "npu_rt.h"\nint main(void) {\nnpu_diag diag;\n' + shown + "npu_plan *plan;\n"
            "return npu_plan_create(&plan, model, NULL, &diag) == NPU_OK ? 0 : 1;\n}\n"
        )
    score.check(
        "the README's graph",
        problem_of(execute("gcc", "-std=c99", "-I", REPO, source, "-lm", "-o", program))
        or problem_of(execute(program)),
    )


def check_demo(score, optimized):
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
        flags = [] if optimized else ["CFLAGS=-O0"]
        p = execute("make", "demo", "PYTHON3=no-python-here", *flags, cwd=copy, env=env)
        score.check("make demo", problem_of(p))
        check_accuracy(score, "make demo", p.stdout)
        version = execute(os.path.join(copy, "build", "npu_rt"), "--version") if p.returncode == 0 else p
        score.check("make demo leaves build/npu_rt", problem_of(version))
        with open(os.path.join(copy, "npu_rt.h"), "rb") as f:
            score.check("make demo keeps npu_rt.h", None if f.read() == header else "npu_rt.h changed")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--jobs", type=int, default=2, help="compilers at a time")
    add_option(p)
    a = p.parse_args()
    os.makedirs(OUT, exist_ok=True)
    score, sample = Score("examples"), Sample(a.sample)
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
        check_programs(score, a.jobs, expected, folder, sample)
        check_cross(score, expected["int8"], sample.takes("cross", 8))
    check_readme(score)
    check_demo(score, sample.takes("demo", 8))
    sample.report("examples", "pairs of an example and a compiler, or optimized builds")
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
