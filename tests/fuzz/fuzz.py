#!/usr/bin/env python3
"""Builds the libFuzzer targets and replays the corpus, or fuzzes for a while.

    fuzz.py                     replay: the committed corpus and every operator case, through every target (make test)
    fuzz.py --seconds 600       fuzz each target that long from the same seeds; findings land in build/fuzz/crashes/

A finding that is fixed joins the corpus: copy the file to tests/fuzz/corpus/, one of the target "stream" to
tests/fuzz/corpus/stream/ (whose first files fuzz_stream.c itself writes)."""
import argparse
import glob
import hashlib
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
REPO = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(REPO, "tests", "conformance"))
OUT = os.path.join(REPO, "build", "fuzz")
FLAGS = ["-g", "-O1", "-std=c99", "-D_POSIX_C_SOURCE=200809L", "-fsanitize=fuzzer,address,undefined",
         "-fno-sanitize-recover=all", "-I", REPO]
# name: (source, extra flags)
TARGETS = {
    "verify": ("fuzz_verify.c", []),
    "open": ("fuzz_model.c", ["-DFUZZ_STAGE=0"]),
    "plan": ("fuzz_model.c", ["-DFUZZ_STAGE=1"]),
    "run": ("fuzz_model.c", ["-DFUZZ_STAGE=2"]),
    "stream": ("fuzz_stream.c", []),
}
# Folders of corpus/ that are one target's alone: other inputs mean nothing to it, and its own mean nothing to others.
OWN_CORPUS = {"stream": "corpus/stream"}
LIMITS = ["-timeout=20", "-rss_limit_mb=2048", "-max_len=65536", "-print_final_stats=0", "-verbosity=0"]


def seeds(only=""):
    """Every operator case and small network as a file of its own."""
    from ops import all_cases
    path = os.path.join(OUT, "seeds")
    os.makedirs(path, exist_ok=True)
    for _, model, _, _, _ in all_cases(only):
        if len(model) <= 16384:
            with open(os.path.join(path, hashlib.sha1(model).hexdigest()[:16]), "wb") as f:
                f.write(model)
    for model in glob.glob(os.path.join(REPO, "..", "shared", "models", "*.tflite")):
        if os.path.getsize(model) <= 65536:
            with open(model, "rb") as src, open(os.path.join(path, os.path.basename(model)), "wb") as dst:
                dst.write(src.read())
    return path


def build(name):
    source, extra = TARGETS[name]
    out = os.path.join(OUT, "fuzz_" + name)
    os.makedirs(OUT, exist_ok=True)
    p = subprocess.run(["clang-19", *FLAGS, *extra, os.path.join(HERE, source), "-lm", "-o", out], capture_output=True,
                       text=True)
    if p.returncode != 0:
        print("FAIL fuzz target %s does not build: %s" % (name, p.stderr[-800:]))
        return None
    return out


def replay(program, name, folders):
    # -runs=0 still runs every file of the folders once
    p = subprocess.run([program, "-runs=0", *LIMITS, *folders], capture_output=True, text=True, errors="replace",
                       cwd=OUT)
    files = sum(len(names) for f in folders for _, _, names in os.walk(f))
    if p.returncode == 0:
        return files, 0
    kind = re.search(r"SUMMARY: .*", p.stderr)
    print("FAIL fuzz replay %s: %s" % (name, kind.group(0) if kind else p.stderr[-400:]))
    return files - 1, 1


def fuzz(program, name, folders, seconds):
    grown, crashes = os.path.join(OUT, "grown_" + name), os.path.join(OUT, "crashes", "")
    os.makedirs(grown, exist_ok=True)
    os.makedirs(crashes, exist_ok=True)
    p = subprocess.run([program, *LIMITS, "-max_total_time=%d" % seconds, "-artifact_prefix=" + crashes + name + "-",
                        "-print_final_stats=1", grown, *folders], capture_output=True, text=True, errors="replace", cwd=OUT)
    runs = re.search(r"number_of_executed_units: (\d+)", p.stderr)
    print("%s: %s executions in %d s, exit %d" % (name, runs.group(1) if runs else "?", seconds, p.returncode), flush=True)
    if p.returncode:
        print(p.stderr[-3000:])
    return (1, 0) if p.returncode == 0 else (0, 1)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--seconds", type=int, default=0)
    p.add_argument("--target", choices=sorted(TARGETS))
    a = p.parse_args()
    shared = [f for f in (os.path.join(HERE, "corpus"), seeds()) if os.path.isdir(f)]
    passed = failed = 0
    for name in [a.target] if a.target else TARGETS:
        program = build(name)
        folders = [os.path.join(HERE, OWN_CORPUS[name])] if name in OWN_CORPUS else shared
        if program is None:
            failed += 1
            continue
        ok, bad = fuzz(program, name, folders, a.seconds) if a.seconds else replay(program, name, folders)
        passed, failed = passed + ok, failed + bad
    print("fuzz: %d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
