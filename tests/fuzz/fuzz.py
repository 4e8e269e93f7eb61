#!/usr/bin/env python3
"""Builds the libFuzzer targets and replays the corpus, or fuzzes for a while.

    fuzz.py                     replay: the committed corpus and every seed, through every target (make test)
    fuzz.py --seconds 600       fuzz each target that long from the same seeds; findings land in build/fuzz/crashes/
    fuzz.py --runs 2000000      the same by executions; --target NAME[,NAME] for some of the targets, --go-on past findings
    fuzz.py --list              the targets

Targets named *_production have the limits that callers get who set none. A finding that is fixed joins the corpus:
corpus/README.md says how."""
import argparse
import os
import re
import subprocess
import sys

import seeds

HERE = os.path.dirname(os.path.abspath(__file__))
REPO = os.path.dirname(os.path.dirname(HERE))
OUT = os.path.join(REPO, "build", "fuzz")
CC = ["clang-19", "-g", "-O1", "-std=c99", "-D_POSIX_C_SOURCE=200809L", "-I", REPO]
SANITIZE = ["-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all"]
THREADS = ["-DFUZZ_THREADS=4", "-DNPU_RT_THREADS", "-pthread"]
PRODUCTION = ["-DFUZZ_PRODUCTION"]
# name: (source, flags, folder of corpus/ and of the seeds that it reads)
TARGETS = {
    "verify": ("fuzz_verify.c", [], "models"),
    "open": ("fuzz_model.c", ["-DFUZZ_STAGE=0"], "models"),
    "plan": ("fuzz_model.c", ["-DFUZZ_STAGE=1"], "models"),
    "reports": ("fuzz_model.c", ["-DFUZZ_STAGE=2"], "models"),
    "run": ("fuzz_model.c", ["-DFUZZ_STAGE=3"], "models"),
    "threads": ("fuzz_model.c", ["-DFUZZ_STAGE=3", *THREADS], "models"),
    "stream": ("fuzz_stream.c", [], "stream"),
    "npy": ("fuzz_reader.c", ["-DFUZZ_NPY"], "npy"),
    "wav": ("fuzz_reader.c", ["-DFUZZ_WAV"], "wav"),
    "image": ("fuzz_reader.c", ["-DFUZZ_IMAGE"], "image"),
    "metadata": ("fuzz_reader.c", ["-DFUZZ_METADATA"], "metadata"),
}
for name in ("open", "plan", "reports", "run", "threads", "stream", "image"):
    source, flags, folder = TARGETS[name]
    TARGETS[name + "_production"] = (source, flags + PRODUCTION, folder)
LIMITS = ["-timeout=20", "-rss_limit_mb=2048", "-max_len=%d" % seeds.MOST_BYTES, "-print_final_stats=0", "-verbosity=0"]
ENV = dict(os.environ, ASAN_OPTIONS="allocator_may_return_null=1:detect_leaks=1", UBSAN_OPTIONS="print_stacktrace=1")


def compile_one(out, command):
    p = subprocess.run(command + ["-o", out], capture_output=True, text=True)
    if p.returncode != 0:
        print("FAIL fuzz: %s does not build: %s" % (os.path.basename(out), p.stderr[-800:]))
        return None
    return out


def build_mutator():
    """The mutator goes into every target, without instrumentation: what it does is no coverage."""
    os.makedirs(OUT, exist_ok=True)
    return compile_one(os.path.join(OUT, "mutate.o"), [*CC, "-O2", "-c", os.path.join(HERE, "mutate.c")])


def build(name, mutator):
    source, flags, _ = TARGETS[name]
    out = os.path.join(OUT, "fuzz_" + name)
    return compile_one(out, [*CC, *SANITIZE, *flags, os.path.join(HERE, source), mutator, "-lm"])


def folders_of(name):
    folder = TARGETS[name][2]
    both = [os.path.join(HERE, "corpus", folder), os.path.join(OUT, "seeds", folder)]
    return [f for f in both if os.path.isdir(f)]


def what_happened(log):
    found = re.search(r"broken promise: .*|runtime error: .*|ERROR: (?:Address|Leak)Sanitizer: .*|ERROR: libFuzzer: .*", log)
    frames = [f for f in re.findall(r"#\d+ 0x\w+ in (\w+)", log) if f.startswith("npu")]
    return "%s in %s" % (found.group(0) if found else log[-300:], " < ".join(frames[:3]) or "?")


def replay(program, name, folders):
    # -runs=0 still runs every file of the folders once
    p = subprocess.run([program, "-runs=0", *LIMITS, *folders], capture_output=True, text=True, errors="replace", cwd=OUT,
                       env=ENV)
    files = sum(len(names) for f in folders for _, _, names in os.walk(f))
    if p.returncode == 0:
        return files, 0
    print("FAIL fuzz replay %s: %s" % (name, what_happened(p.stderr)))
    return files - 1, 1


def fuzz(program, name, folders, a):
    grown, crashes = os.path.join(OUT, "grown_" + name), os.path.join(OUT, "crashes", "")
    os.makedirs(grown, exist_ok=True)
    os.makedirs(crashes, exist_ok=True)
    command = [program, *LIMITS, "-artifact_prefix=" + crashes + name + "-", "-print_final_stats=1",
               "-dict=" + os.path.join(OUT, "seeds", "tflite.dict")]
    command += ["-max_total_time=%d" % a.seconds] if a.seconds else ["-runs=%d" % a.runs]
    if a.go_on:
        command += ["-fork=1", "-ignore_crashes=1", "-ignore_timeouts=1", "-ignore_ooms=1"]
    before = set(os.listdir(crashes))
    p = subprocess.run(command + [grown, *folders], capture_output=True, text=True, errors="replace", cwd=OUT, env=ENV)
    runs = re.findall(r"number_of_executed_units: (\d+)|^#(\d+): cov", p.stderr, re.M)
    found = sorted(f for f in set(os.listdir(crashes)) - before if not f.startswith(name + "-slow"))
    print("%s: %s executions, %d findings, exit %d" % (name, max(int(x or y) for x, y in runs) if runs else "?", len(found),
                                                       p.returncode), flush=True)
    for f in found:
        print("    " + f)
    if p.returncode:
        print("    " + what_happened(p.stderr))
    return (0, 1) if found or p.returncode else (1, 0)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--seconds", type=int, default=0)
    p.add_argument("--runs", type=int, default=0)
    p.add_argument("--target", default="")
    p.add_argument("--go-on", action="store_true", help="keep fuzzing after a finding")
    p.add_argument("--list", action="store_true")
    a = p.parse_args()
    if a.list:
        print("\n".join(TARGETS))
        return 0
    unknown = [t for t in a.target.split(",") if t and t not in TARGETS]
    if unknown:
        p.error("no such target: " + unknown[0])
    mutator = build_mutator()
    seeds.write(os.path.join(OUT, "seeds"))
    passed = failed = 0
    for name in [t for t in TARGETS if not a.target or t in a.target.split(",")]:
        program = build(name, mutator) if mutator else None
        if program is None:
            failed += 1
            continue
        ok, bad = (fuzz if a.seconds or a.runs else replay)(program, name, folders_of(name), *([a] if a.seconds or a.runs else []))
        passed, failed = passed + ok, failed + bad
    print("fuzz: %d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
