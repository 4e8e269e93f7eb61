#!/usr/bin/env python3
"""What the tests reach: lines, branches and MC/DC of every folder of src/, and the gate over those that hostile bytes meet.

    coverage.py [--quick] [--json] [--only PROGRAM,PROGRAM] [--list-missing FOLDER] [--no-build] [--write-readme]

Builds src/npu_rt.c with clang-19's coverage mapping, runs the test programs that link it (conformance cases, command line,
unit tests, hostile files, fuzz targets on their seeds), joins what each saw and prints a table; build/coverage/ holds
coverage.json, missing.txt (every branch that no test takes) and html/. --quick leaves out what takes minutes and reaches
nothing new in the gated folders; that is the layer `coverage` of tests/run, `make coverage` runs it all.

The gate: in each folder of GATED at least 98 % of the branches are taken, those of exceptions.txt not counted. A line there
that names a branch that exists no more, or that a test does take, fails."""

import argparse
import glob
import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import branches

HERE = os.path.dirname(os.path.abspath(__file__))
REPO = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(REPO, "tests", "unit"))
import whole  # noqa: E402

OUT = os.path.join(REPO, "build", "coverage")
RAW = os.path.join(OUT, "raw")
PYTHON = os.path.join(REPO, "build", "tools", "venv", "bin", "python")
SHARED = os.path.join(REPO, "..", "shared", "models")
GATED = ("tflite", "graph", "plan", "run", "vendor/ethosu/device", "vendor/ethosu/stream", "vendor/neuron/adapter")
GATE = 98.0
# Programs with the library to themselves, most of a minute each, without which every branch of these folders is taken that is with them.
SLOW = ("test_kernels", "test_mdla_bare", "test_neuron_client", "test_segments_bare", "fuzz_calls")
NICE = ["nice", "-n", str(max(0, 10 - os.nice(0)))]  # 10 in all
BASE = [
    "clang-19",
    "-O1",
    "-g0",
    "-std=c99",
    "-D_POSIX_C_SOURCE=200809L",
    *(d for d in whole.DEFINES if "DEBUG" not in d),  # assertions have a branch that nothing takes
    "-pthread",
    "-w",
]
MAPPED = [
    "-fprofile-instr-generate",
    "-fcoverage-mapping",
    "-fcoverage-mcdc",
    "-Xclang",
    "-fmcdc-max-conditions=12",
    "-Xclang",
    "-fmcdc-max-test-vectors=65536",
]
# One stands for npu_rt.h, so that what the tests reach is reported of src/ and the runtime is compiled once: programs link the
# library's object, but for those marked private, which get a copy of the sources (tests/unit/whole.py says which and how).
STUB = """#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#undef NPU_RT_DEBUG
#ifdef COVERAGE_PRIVATE
#  include "%(repo)s/src/npu_rt.c"
#else
#  include "%(linked)s"
#endif
"""


class Program:
    """name: of the program and its profiles; private: sees src/ itself instead of linking the library's object."""

    def __init__(self, name, sources, private, extra=(), library=False):
        self.name, self.sources, self.private, self.extra, self.library = name, sources, private, list(extra), library
        self.path = os.path.join(OUT, "lib%s.so" % name if library else name)

    def build(self):
        command = [*NICE, *BASE, *MAPPED, "-I" + os.path.join(OUT, "include"), "-I" + REPO, *self.extra]
        if self.private:
            command.append("-DCOVERAGE_PRIVATE")
        if self.private and self.name.startswith("test_") and self.name != "test_kernels":
            command.append("-O0")  # each has the whole library: optimizing all of them took longer than running them
        sources = self.sources + ([] if self.private else [os.path.join(OUT, "npu_rt.o")])
        run(command + (["-shared"] if self.library else []) + sources + ["-lm", "-o", self.path])


def run(command, **kw):
    p = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        cwd=REPO,
        **kw,
    )
    if p.returncode != 0:
        raise RuntimeError("exit %d: %s\n%s" % (p.returncode, " ".join(command)[:300], p.stdout[-2000:]))
    return p.stdout


def unit_programs():
    for source in sorted(glob.glob(os.path.join(REPO, "tests", "unit", "test_*.c"))):
        name = os.path.basename(source)[:-2]
        if not name.startswith("test_kernels_"):  # emulations
            yield Program(name, [source], whole.alone(source))


# Fuzz targets, and whether they reach inside.
FUZZ = {"verify": True, "open": False, "plan": False, "reports": False, "run": False, "stream": True}
FUZZ.update({"neuron": False, "networks": False, "calls": True})


def fuzz_targets():
    sys.path.insert(0, os.path.join(REPO, "tests", "fuzz"))
    import fuzz

    return fuzz.TARGETS


def programs():
    fuzz, hostile = os.path.join(REPO, "tests", "fuzz"), os.path.join(REPO, "tests", "hostile")
    cli = [s for s in sorted(glob.glob(os.path.join(REPO, "wasi", "*.c"))) if not s.endswith("npu_rt_impl.c")]
    every = [
        Program("npu_rt", [], False, library=True),
        Program("cli", cli, False),
        *unit_programs(),
        Program("hostile", [os.path.join(hostile, "hostile.c")], False),
        Program("hostile_stream", [os.path.join(hostile, "stream.c")], True),
    ]
    for name, private in FUZZ.items():
        source, flags, _ = fuzz_targets()[name]
        every.append(
            Program("fuzz_" + name, [os.path.join(fuzz, source), os.path.join(HERE, "replay.c")], private, flags)
        )
    return {p.name: p for p in every}


# ---- what runs: (name, program, command); the first part of a name is the program whose profile it makes ----------------


def shipped(names):
    return [p for p in (os.path.join(SHARED, n + ".tflite") for n in names) if os.path.exists(p)]


def tasks(progs, quick):
    digits = os.path.join(REPO, "examples", "digits", "digits_int8%s.tflite")
    ops = [PYTHON, "tests/conformance/ops.py", "--library", progs["npu_rt"].path]
    yield "npu_rt", ops if quick else ops + ["--isa", "all"]
    for name in progs:
        if name.startswith("test_"):
            yield name, [progs[name].path]
    small = shipped(
        ["hello_world_int8", "trained_lstm_int8"] + ([] if quick else ["mww_v2_okay_nabu", "audio_preprocessor_int8"])
    )
    yield "hostile", [progs["hostile"].path, "300" if quick else "4000", digits % "", *small]
    compiled = [digits % "_ethos_u55_128", *shipped(["person_detect_vela"])]
    yield "hostile_stream", [progs["hostile_stream"].path, "500" if quick else "5000", *compiled]
    for name in FUZZ:
        if "fuzz_" + name not in progs:
            continue
        folder = fuzz_targets()[name][2]
        yield (
            "fuzz_" + name,
            [
                progs["fuzz_" + name].path,
                *filter(
                    os.path.isdir,
                    [os.path.join(REPO, "tests", "fuzz", "corpus", folder), os.path.join(OUT, "seeds", folder)],
                ),
            ],
        )
    for script in sorted(glob.glob(os.path.join(REPO, "tests/cli/test_*.py"))):
        yield "cli", [PYTHON, script, progs["cli"].path]
    yield "cli", [PYTHON, "tests/neuron/test_rules.py", "--command", progs["cli"].path]
    for script in ("rules", "plan", "unseen"):
        yield "cli", [PYTHON, "tests/mdla/test_%s.py" % script, "--command", progs["cli"].path]
    if quick:
        return
    networks = [PYTHON, "tests/conformance/networks.py", "--command", progs["cli"].path, "--seeds", "1"]
    yield "cli", networks
    yield "cli", networks + ["--threads", "2", "--max-kib", "900"]
    yield "cli", [PYTHON, "tests/ethosu/test_stream_cli.py"]
    yield "npu_rt", ops + ["--threads", "3"]
    yield "npu_rt", [PYTHON, "tests/ethosu/single_op.py", "--library", progs["npu_rt"].path]


def execute(task):
    """Runs one task; its profile goes to RAW/PROGRAM. Returns why it failed, or None: a wrong answer is not measured here,
    but a test that does not run reaches nothing and nobody would know why."""
    name, command = task
    start = time.time()
    env = dict(
        os.environ, LLVM_PROFILE_FILE=os.path.join(RAW, name, "%4m.profraw"), TF_CPP_MIN_LOG_LEVEL="3", NO_COLOR="1"
    )
    try:
        run([*NICE, *command], env=env, timeout=1800)
        problem = None
    except (RuntimeError, subprocess.TimeoutExpired, OSError) as e:
        problem = str(e)
    print("  %-16s %5.0f s%s" % (name, time.time() - start, "  failed" if problem else ""), file=sys.stderr, flush=True)
    return problem


def make_seeds():
    """What the fuzz targets start from."""
    fuzz_targets()
    import seeds

    seeds.write(os.path.join(OUT, "seeds"))


def build(progs):
    include = os.path.join(OUT, "include")
    os.makedirs(include, exist_ok=True)
    with open(os.path.join(include, "npu_rt.h"), "w") as f:
        f.write(STUB % {"repo": REPO, "linked": whole.write_header(os.path.join(OUT, "linked"))})
    if "npu_rt" in progs or not os.path.exists(os.path.join(OUT, "npu_rt.o")):
        run(
            [
                *NICE,
                *BASE,
                *MAPPED,
                "-fPIC",
                "-DNPU_RT_IMPLEMENTATION",
                "-c",
                os.path.join(REPO, "src", "npu_rt.c"),
                "-o",
                os.path.join(OUT, "npu_rt.o"),
            ]
        )
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(Program.build, progs.values()))


def export(progs, name):
    """Coverage of one program (of "npu_rt": of all that link its object) as llvm-cov tells it."""
    raw = [
        f
        for p in progs.values()
        if p.name == name or (name == "npu_rt" and not p.private)
        for f in glob.glob(os.path.join(RAW, p.name, "*.profraw"))
    ]
    if not raw:
        return None
    data = os.path.join(OUT, name + ".profdata")
    run(["llvm-profdata-19", "merge", "-sparse", *raw, "-o", data])
    p = subprocess.run(
        [*NICE, "llvm-cov-19", "export", "-instr-profile", data, progs[name].path],
        cwd=REPO,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return json.loads(p.stdout)["data"][0]["functions"]


def html(progs):
    shutil.rmtree(os.path.join(OUT, "html"), ignore_errors=True)
    run(
        [
            "llvm-cov-19",
            "show",
            "-format=html",
            "-show-branches=count",
            "-show-mcdc",
            "-output-dir",
            os.path.join(OUT, "html"),
            "-instr-profile",
            os.path.join(OUT, "npu_rt.profdata"),
            progs["npu_rt"].path,
        ]
    )


def measure(progs):
    seen = branches.Union(os.path.join(REPO, "src"))
    names = ["npu_rt"] + [p.name for p in progs.values() if p.private]
    for name in names:
        functions = export(progs, name)
        if functions:
            seen.add(functions)
    return seen


def table(rows):
    lines = ["| folder | lines | branches | MC/DC |", "|---|---:|---:|---:|"]
    for r in rows:
        lines.append(
            "| %s | %s | %s | %s |"
            % (
                r["folder"],
                *("%.1f %%" % r[k]["percent"] if r[k]["of"] else "-" for k in ("lines", "branches", "mcdc")),
            )
        )
    return "\n".join(lines)


def write_readme(text):
    path = os.path.join(REPO, "README.md")
    with open(path) as f:
        readme = f.read()
    start, end = "<!-- measured: coverage -->\n", "<!-- end -->"
    at = readme.index(start) + len(start)
    with open(path, "w") as f:
        f.write(readme[:at] + text + "\n" + readme[readme.index(end, at) :])


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--quick", action="store_true")
    p.add_argument("--json", action="store_true")
    p.add_argument("--only", default="", help="programs to run again; the others keep the profiles they have")
    p.add_argument("--list-missing", default="", metavar="FOLDER")
    p.add_argument("--no-build", action="store_true")
    p.add_argument("--write-readme", action="store_true")
    a = p.parse_args()
    progs, only, problems = programs(), set(filter(None, a.only.split(","))), []
    if a.quick:
        progs = {name: prog for name, prog in progs.items() if name not in SLOW}
    start = time.time()
    if not a.no_build:
        build({n: x for n, x in progs.items() if not only or n in only})
        print("  built in %.0f s" % (time.time() - start), file=sys.stderr, flush=True)
    make_seeds()
    wanted = [t for t in tasks(progs, a.quick) if not only or t[0] in only]
    for name in {t[0] for t in wanted}:
        shutil.rmtree(os.path.join(RAW, name), ignore_errors=True)
    with ThreadPoolExecutor(2) as pool:
        problems += filter(None, pool.map(execute, wanted))
    seen = measure(progs)
    excepted, stale = branches.exceptions(os.path.join(HERE, "exceptions.txt"), seen, all_ran=not a.quick and not only)
    rows = seen.summary(excepted)
    with open(os.path.join(OUT, "missing.txt"), "w") as f:
        f.writelines(line + "\n" for line in seen.missing(excepted))
    with open(os.path.join(OUT, "coverage.json"), "w") as f:
        json.dump(rows, f, indent=1)
    if not a.quick:
        html(progs)
    print(json.dumps(rows, indent=1) if a.json else table(rows))
    if a.write_readme and not problems and not only:
        write_readme(table(rows))
    for line in seen.missing(excepted):
        if a.list_missing and line.startswith(a.list_missing):
            print(line)
    failed = 0
    for problem in problems + stale:
        failed += 1
        print("FAIL " + problem)
    for r in rows:
        if r["folder"] in GATED and r["branches"]["percent"] < GATE:
            failed += 1
            print(
                "FAIL src/%s: %d of %d branches taken, %.2f %%: build/coverage/missing.txt lists the others"
                % (r["folder"], r["branches"]["taken"], r["branches"]["of"], r["branches"]["percent"])
            )
    passed = len(GATED) + len(wanted) + len(excepted) - failed
    print("coverage: %d passed, %d failed" % (max(passed, 0), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
