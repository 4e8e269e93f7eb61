#!/usr/bin/env python3
"""Every source compiles by itself, with the headers that it includes: as `make dev` and editors do it.

gcc and clang, C99 and C++11, without vendors and with all of them; kernels for aarch64 and WASM too. Warnings are errors. A
sample takes one of these for each source. Also proves that the check sees a source that relies on another one before it."""

import argparse
import concurrent.futures
import glob
import os
import subprocess
import sys
import tempfile

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(REPO, "tests", "conformance"))
import sample

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
C, CPP = ["-std=c99", "-x", "c"], ["-std=c++11", "-x", "c++"]
ALL = ["-DNPU_RT_BACKEND_ALL", "-DNPU_RT_THREADS", "-D_POSIX_C_SOURCE=200809L"]
HOW = [  # (title, compiler and flags)
    ("gcc C99", ["gcc", *C]),
    ("gcc C99, all", ["gcc", *C, *ALL]),
    ("gcc C++11", ["g++", *CPP]),
    ("gcc C++11, all", ["g++", *CPP, *ALL]),
    ("clang C99", ["clang-19", *C]),
    ("clang C99, all", ["clang-19", *C, *ALL]),
    ("clang C++11", ["clang-19", *CPP]),
    ("clang C++11, all", ["clang-19", *CPP, *ALL]),
]
ELSEWHERE = [
    ("aarch64", ["clang-19", "--target=aarch64-linux-gnu", *C]),
    ("wasm", ["clang-19", "--target=wasm32-wasi", "-msimd128", "-mrelaxed-simd", *C]),
]


def compiles(job):
    title, command, source = job
    p = subprocess.run([*command, "-fsyntax-only", *WARNINGS, source], capture_output=True, text=True, errors="replace")
    return title, source, p.returncode, (p.stdout + p.stderr).strip().split("\n")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sample.add_option(p)
    some = sample.Sample(p.parse_args().sample)
    os.chdir(REPO)
    sources = sorted(set(glob.glob("src/**/*.c", recursive=True)) - {"src/npu_rt.c"})
    titles = {s: some.pick(s, [title for title, _ in HOW]) for s in sources}
    jobs = [(title, command, s) for title, command in HOW for s in sources if title in titles[s]]
    kernels = [
        s for s in sources if s.startswith("src/kernels/") and "x86" not in s and "avx" not in s and "vnni" not in s
    ]
    jobs += [(title, command, s) for title, command in ELSEWHERE for s in kernels]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool, tempfile.TemporaryDirectory() as folder:
        for title, source, code, lines in pool.map(compiles, jobs):
            if code:
                failed += 1
                print(
                    "FAIL %s by itself (%s): %s" % (source, title, next((x for x in lines if "error" in x), lines[0]))
                )
        needy = os.path.join(folder, "needy.c")
        with open(needy, "w") as f:
            f.write(
                '#include "%s/src/base/base.h"\nNPU__FN int npu__needy(void);\n'
                "NPU__FN int npu__needy(void) { return npu__defined_before(); }\n" % REPO
            )
        for title, command in HOW:
            if not compiles((title, command, needy))[2]:
                failed += 1
                print("FAIL self-test: %s: a source that needs another one is missed" % title)
    some.report("sources alone", "compilations")
    print("sources alone: %d passed, %d failed" % (len(jobs) + len(HOW) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
