#!/usr/bin/env python3
"""Compiles npu_rt.h every way users may: compilers, language versions, each switch alone, static in two units, 32 bits.

    matrix.py [--sample SEED]

Warnings are errors. Programs that link are also run: they print the version and open nothing. --sample takes half of the ways, each
switch with one of the four compilers, and makes one program in six; of the others it looks at the syntax, warnings included."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(1, os.path.join(REPO, "tests", "conformance"))
from sample import Sample, add_option  # noqa: E402

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
USER = """
%s
#define NPU_RT_IMPLEMENTATION
#include "npu_rt.h"
int main(void) {
    npu_model *model;
    npu_diag   diag;
    return npu_model_open(&model, "no model", 8, NULL, &diag) == %s ? 0 : 1;
}
"""
# A build without malloc refuses to open anything without an allocator; all others refuse the bytes.
SWITCHES = [("NPU_RT_NO_MALLOC", "NPU_INVALID_ARGUMENT")] + [
    (s, "NPU_INVALID_MODEL")
    for s in (
        "NPU_RT_NO_SIMD",
        "NPU_RT_NO_STRINGS",
        "NPU_RT_KEEP_DENORMALS",
        "NPU_RT_NO_PROFILE",
        "NPU_RT_NO_WINOGRAD",
        "NPU_RT_NO_REPORTS",
        "NPU_RT_THREADS",
        "NPU_RT_STATIC",
        "NPU_RT_GRAPH",
        "NPU_RT_NNAPI",
        "NPU_RT_NNAPI\n#define NPU_RT_NO_STRINGS\n#define NPU_RT_NO_PROFILE\n#define NPU_RT_NO_REPORTS",
        "NPU_RT_BACKEND_NONE",
        "NPU_RT_BACKEND_ETHOSU",
        "NPU_RT_BACKEND_ALL",
        "NPU_RT_ONLY_OPS(X) X(CONV_2D) X(SignalRfft)",
        "NPU_RT_ONLY_OPS(X)",
        "NPU_RT_BACKEND_ALL\n#define NPU_RT_NO_SOFTWARE_DEVICE",
        "NPU_RT_GRAPH\n#define NPU_RT_STATIC\n#define NPU_RT_NO_STRINGS\n#define NPU_RT_NO_REPORTS",
    )
]
TWO_UNITS = (
    '#define NPU_RT_STATIC\n#define NPU_RT_IMPLEMENTATION\n#include "npu_rt.h"\n'
    "const char *%s(void);\nconst char *%s(void) { return npu_status_name(NPU_OK); }\n%s"
)
GUARDS = '#include "npu_rt.h"\n#include "npu_rt.h"\n#define NPU_RT_IMPLEMENTATION\n#include "npu_rt.h"\n#include "npu_rt.h"\nint main(void) { return npu_status_exit_code(NPU_OK); }\n'
OWN_MALLOC = """#include <stdlib.h>
#define NPU_RT_MALLOC(n) malloc(n)
#define NPU_RT_FREE(p) free(p)
#define NPU_RT_ASSERT(x) ((void)(x))"""


ALWAYS = ("gcc c99", "clang++-19 c++11")


def compilers():
    """(C compiler, C++ compiler) pairs. tests/setup installs the first two; another clang is taken where there is one."""
    known = [("gcc", "g++"), ("clang-19", "clang++-19")]
    return known + ([("clang", "clang++")] if shutil.which("clang") and shutil.which("clang++") else [])


def jobs(sample):
    """(name, compiler, flags, [(file name, text)], run it?)"""
    plain = USER % ("", "NPU_INVALID_MODEL")
    for cc, cxx in compilers():
        for std in ("c99", "c11", "gnu17"):
            yield "%s %s" % (cc, std), cc, ["-std=" + std], [("u.c", plain)], True
        for std in ("c++11", "c++17"):
            yield "%s %s" % (cxx, std), cxx, ["-std=" + std], [("u.cpp", plain)], True
    levels = [cc + " " + level for cc, _ in compilers() for level in ("-O3", "-Os" if cc == "gcc" else "-Oz")]
    for name in sample.pick("levels", levels):
        cc, level = name.split()
        yield name, cc, ["-std=c99", level], [("u.c", plain)], True
    for switch, status in SWITCHES:
        text = USER % ("#define %s" % switch, status)
        name = " ".join(switch.split("\n#define "))
        for compiler in sample.pick(name, [c for pair in compilers()[:2] for c in pair]):
            std, source = ("-std=c++11", "u.cpp") if "++" in compiler else ("-std=c99", "u.c")
            yield "%s %s" % (compiler, name), compiler, [std, "-O0"], [(source, text)], True
    everything = "\n".join("#define NPU_RT_NO_" + s for s in ("SIMD", "STRINGS", "PROFILE", "REPORTS"))
    yield "all off", "gcc", ["-std=c99"], [("u.c", USER % (everything, "NPU_INVALID_MODEL"))], True
    yield "own malloc", "gcc", ["-std=c99"], [("u.c", USER % (OWN_MALLOC, "NPU_INVALID_MODEL"))], True
    two = [
        ("a.c", TWO_UNITS % ("a", "a", "const char *b(void);\nint main(void) { return a()[0] != b()[0]; }\n")),
        ("b.c", TWO_UNITS % ("b", "b", "")),
    ]
    yield "static in two units, C", "gcc", ["-std=c99"], two, True
    yield "static in two units, C++", "g++", ["-std=c++11"], [(n + "pp", t) for n, t in two], True
    yield "included again and again", "gcc", ["-std=c99"], [("u.c", GUARDS)], True
    yield "32 bits, C", "gcc", ["-std=c99", "-m32"], [("u.c", plain)], True
    yield "32 bits, C++", "g++", ["-std=c++11", "-m32"], [("u.cpp", plain)], True
    cortex = ["-std=c99", "-mcpu=cortex-m55", "-mfloat-abi=hard", "-Os", "-c"]  # int32_t is long there
    yield (
        "Cortex-M55",
        "arm-none-eabi-gcc",
        cortex,
        [("u.c", USER % ("#define NPU_RT_BACKEND_ALL", "NPU_INVALID_MODEL"))],
        False,
    )
    yield "aarch64", "clang-19", ["-std=c99", "--target=aarch64-linux-gnu", "-c"], [("u.c", plain)], False
    for simd in ([], ["-msimd128"], ["-msimd128", "-mrelaxed-simd"]):
        yield (
            "wasm32 " + " ".join(simd),
            "clang-19",
            ["-std=c99", "--target=wasm32-wasi", "-c", *simd],
            [("u.c", plain)],
            False,
        )


def attempt(compiler, flags, files, run, whole):
    with tempfile.TemporaryDirectory() as tmp:
        for name, text in files:
            with open(os.path.join(tmp, name), "w") as f:
                f.write(text)
        out = os.path.join(tmp, "out")
        sources = [os.path.join(tmp, n) for n, _ in files]
        link = ["-fsyntax-only"] if not whole else ["-o", out] + ([] if "-c" in flags else ["-pthread", "-lm"])
        opt = [] if any(f.startswith("-O") for f in flags) else ["-O0"]
        if not shutil.which(compiler):
            return "no %s here: tests/setup installs it" % compiler
        p = subprocess.run(
            [compiler, *STRICT, *opt, *flags, "-I", REPO, *sources, *link], capture_output=True, text=True
        )
        if p.returncode != 0:
            return next((x for x in p.stderr.splitlines() if "error" in x), p.stderr[-300:])
        if run and whole and subprocess.run([out], stdin=subprocess.DEVNULL).returncode != 0:
            return "compiles, but the program fails"
    return None


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_option(p)
    seed = p.parse_args().sample
    sample, ways, programs = Sample(seed), Sample(seed), Sample(seed)
    passed = failed = 0
    for name, compiler, flags, files, run in jobs(sample):
        if not ways.takes(("way", name), 2, always=name in ALWAYS):
            continue
        whole = programs.takes(name, 6, always=name in ALWAYS or " -O" in name)
        problem = attempt(compiler, flags, files, run, whole)
        passed, failed = passed + (problem is None), failed + (problem is not None)
        if problem:
            print("FAIL compile %s: %s" % (name, problem), flush=True)
    sample.report("compile matrix", "pairs of a switch and a compiler")
    ways.report("compile matrix", "ways to compile")
    programs.report("compile matrix", "programs, but for their syntax")
    print("compile matrix: %d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
