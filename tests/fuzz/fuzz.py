#!/usr/bin/env python3
"""Builds the libFuzzer targets and replays the corpus, or fuzzes for a while.

    fuzz.py                     replay: the committed corpus and every seed, through every target (make test)
    fuzz.py --seconds 600       fuzz each target that long from the same seeds; findings land in build/fuzz/crashes/
    fuzz.py --runs 2000000      the same by executions; --target NAME[,NAME] for some of the targets, --go-on past findings
    fuzz.py --total 20000000    that many executions over all targets together, --jobs N of them at a time
    fuzz.py --sample SEED       replay through one of the small targets: oss_fuzz.py replays the same files through all of them
    fuzz.py --list              the targets: name, source, seeds, flags; --sample has one of those that hold a library of their own
    fuzz.py --header FOLDER     another npu_rt.h, with --old-api one of before sessions had work limits

Targets named *_production have the limits that callers get who set none. A finding that is fixed joins the corpus:
corpus/README.md says how."""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys

import seeds

HERE = os.path.dirname(os.path.abspath(__file__))
REPO = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(1, os.path.join(REPO, "tests", "conformance"))
from sample import Sample, add_option  # noqa: E402

OUT = os.path.join(REPO, "build", "fuzz")
CC = ["clang-19", "-gline-tables-only", "-std=c99", "-D_POSIX_C_SOURCE=200809L", "-pthread"]
# Traced comparisons find magic numbers, which the schema-aware mutator and the dictionary know already: without them a
# run of a model takes half the time.
SANITIZE = [
    "-fsanitize=fuzzer-no-link,address,undefined",
    "-fno-sanitize-recover=all",
    "-fno-sanitize-coverage=trace-cmp",
]
LINK = ["-fsanitize=fuzzer,address,undefined", "-pthread", "-lm"]
PRODUCTION = ["-DFUZZ_PRODUCTION"]
# name: (source, flags, folder of corpus/ and of the seeds that it reads). oss-fuzz/build.sh builds the same ones.
LINKED, OWN_LIBRARY = "fuzz_model.c", "fuzz_neuron.c"  # how targets come by the library; the others need a part of it
TARGETS = {
    "verify": ("fuzz_verify.c", [], "models"),
    "open": ("fuzz_model.c", ["-DFUZZ_STAGE=0"], "models"),
    "plan": ("fuzz_model.c", ["-DFUZZ_STAGE=1"], "models"),
    "reports": ("fuzz_model.c", ["-DFUZZ_STAGE=2"], "models"),
    "run": ("fuzz_model.c", ["-DFUZZ_STAGE=3"], "models"),
    "threads": ("fuzz_model.c", ["-DFUZZ_STAGE=3", "-DFUZZ_THREADS=4"], "models"),
    "stream": ("fuzz_stream.c", [], "stream"),
    "npy": ("fuzz_reader.c", ["-DFUZZ_NPY"], "npy"),
    "wav": ("fuzz_reader.c", ["-DFUZZ_WAV"], "wav"),
    "image": ("fuzz_reader.c", ["-DFUZZ_IMAGE"], "image"),
    "metadata": ("fuzz_reader.c", ["-DFUZZ_METADATA"], "metadata"),
    "neuron": ("fuzz_model.c", ["-DFUZZ_STAGE=3", '-DFUZZ_BACKEND="neuron"'], "models"),
    "mdla": ("fuzz_model.c", ["-DFUZZ_STAGE=3", '-DFUZZ_BACKEND="mdla3.0"'], "models"),
    "networks": ("fuzz_neuron.c", ["-DFUZZ_NETWORK"], "networks"),
    "calls": ("fuzz_neuron.c", ["-DFUZZ_CALLS"], "calls"),
}
# The others have no limits that could be lowered; the stream's run is stopped after some million steps, as sessions do.
for name in ("open", "plan", "reports", "run", "threads", "image", "neuron", "mdla", "networks", "calls"):
    source, flags, folder = TARGETS[name]
    TARGETS[name + "_production"] = (source, flags + PRODUCTION, folder)
# Of the executions of --total, in hundredths: what is fast and what guards most get more. Targets not named get one each.
SHARES = {
    "verify": 14,
    "open": 9,
    "plan": 10,
    "reports": 5,
    "run": 14,
    "threads": 2,
    "stream": 1,
    "npy": 6,
    "wav": 3,
    "image": 2,
    "metadata": 4,
    "neuron": 7,
    "mdla": 5,
    "networks": 6,
    "calls": 6,
    "neuron_production": 3,
    "networks_production": 2,
    "calls_production": 2,
    "open_production": 7,
    "plan_production": 6,
    "reports_production": 3,
    "run_production": 6,
}
LIMITS = ["-entropic=0", "-timeout=20", "-rss_limit_mb=2048", "-reload=0", "-print_final_stats=0", "-verbosity=0"]
ENV = dict(os.environ, ASAN_OPTIONS="allocator_may_return_null=1:detect_leaks=1", UBSAN_OPTIONS="print_stacktrace=1")


def compile_one(out, command):
    p = subprocess.run(command + ["-o", out], capture_output=True, text=True)
    if p.returncode != 0:
        print("FAIL fuzz: %s does not build: %s" % (os.path.basename(out), p.stderr[-800:]))
        return None
    return out


def sampled(sample):
    """All targets but those that compile the whole library again; of these one."""
    own = [t for t in TARGETS if TARGETS[t][0] == OWN_LIBRARY]
    one = sample.pick("own library", own)
    return [t for t in TARGETS if t in one or t not in own]


def build_parts(header, old, level, with_library):
    """What targets are linked with: the mutator, without instrumentation (what it does is no coverage), and the library."""
    flags = ["-I", header] + (["-DFUZZ_OLD_API"] if old else [])
    mutator = compile_one(os.path.join(OUT, "mutate.o"), [*CC, "-O2", "-I", REPO, "-c", os.path.join(HERE, "mutate.c")])
    if not with_library:
        return [mutator] if mutator else None
    library = compile_one(
        os.path.join(OUT, "library.o"), [*CC, level, *SANITIZE, *flags, "-c", os.path.join(HERE, "library.c")]
    )
    return [mutator, library] if mutator and library else None


def build(name, parts, header, old, level):
    source, flags, _ = TARGETS[name]
    out = os.path.join(OUT, "fuzz_" + name)
    flags = ["-I", header, *flags] + (["-DFUZZ_OLD_API"] if old else [])
    if source != LINKED:  # the others hold what they need of the library themselves
        parts = parts[:1]
    if not compile_one(out + ".o", [*CC, level, *SANITIZE, *flags, "-c", os.path.join(HERE, source)]):
        return None
    return compile_one(out, [*CC, out + ".o", *parts, *LINK])


def folders_of(name):
    folder = TARGETS[name][2]
    both = [os.path.join(HERE, "corpus", folder), os.path.join(OUT, "seeds", folder)]
    return [f for f in both if os.path.isdir(f)]


def what_happened(log):
    found = re.search(
        r"broken promise: .*|runtime error: .*|ERROR: (?:Address|Leak)Sanitizer: .*|ERROR: libFuzzer: .*", log
    )
    frames = re.findall(r"#\d+ 0x\w+ in (\w+)", log)
    frames = [
        f for f in frames if f.startswith("npu")
    ] or frames  # none of the library's: the mutator's, or the target's
    return "%s in %s" % (found.group(0) if found else log[-300:], " < ".join(frames[:3]) or "?")


def replay(program, name, folders):
    # -runs=0 still runs every file of the folders once
    p = subprocess.run(
        [program, "-runs=0", *LIMITS, "-max_len=%d" % seeds.MOST_BYTES, *folders],
        capture_output=True,
        text=True,
        errors="replace",
        cwd=OUT,
        env=ENV,
    )
    files = sum(len(names) for f in folders for _, _, names in os.walk(f))
    if p.returncode == 0:
        return files, 0
    print("FAIL fuzz replay %s: %s" % (name, what_happened(p.stderr)))
    return files - 1, 1


def executions(name, a):
    return a.runs or a.total * SHARES.get(name, 1) // sum(SHARES.get(t, 1) for t in TARGETS)


def fuzz(program, name, folders, a):
    grown, crashes = os.path.join(OUT, "grown_" + name), os.path.join(OUT, "crashes", "")
    os.makedirs(grown, exist_ok=True)
    os.makedirs(crashes, exist_ok=True)
    command = [
        program,
        *LIMITS,
        "-max_len=%d" % a.max_len,
        "-artifact_prefix=" + crashes + name + "-",
        "-print_final_stats=1",
        "-dict=" + os.path.join(OUT, "seeds", "tflite.dict"),
    ]
    command += ["-max_total_time=%d" % a.seconds] if a.seconds else ["-runs=%d" % executions(name, a)]
    if a.go_on:
        command += ["-fork=1", "-ignore_crashes=1", "-ignore_timeouts=1", "-ignore_ooms=1"]
    before = set(os.listdir(crashes))
    p = subprocess.run(command + [grown, *folders], capture_output=True, text=True, errors="replace", cwd=OUT, env=ENV)
    runs = re.findall(r"number_of_executed_units: (\d+)|^#(\d+): cov", p.stderr, re.M)
    # Its own: other targets may run beside it.
    found = sorted(f for f in set(os.listdir(crashes)) - before if re.match(name + "-(?!slow)", f))
    print(
        "%s: %s executions, %d findings, exit %d"
        % (name, max(int(x or y) for x, y in runs) if runs else "?", len(found), p.returncode),
        flush=True,
    )
    for f in found:
        print("    " + f)
    if p.returncode:
        print("    " + what_happened(p.stderr))
    return (0, 1) if found or p.returncode else (1, 0)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--seconds", type=int, default=0)
    p.add_argument("--runs", type=int, default=0)
    p.add_argument("--total", type=int, default=0)
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--target", default="")
    p.add_argument(
        "--max-len", type=int, default=seeds.MOST_BYTES, help="bytes of an input: a tenth runs twice as fast"
    )
    p.add_argument("--go-on", action="store_true", help="keep fuzzing after a finding")
    p.add_argument("--list", action="store_true")
    p.add_argument("--header", default=REPO)
    p.add_argument("--old-api", action="store_true")
    add_option(p)
    a = p.parse_args()
    sample = Sample(a.sample)
    if a.list:
        for name in sampled(sample):
            source, flags, folder = TARGETS[name]
            print("\t".join((name, source, folder, " ".join(flags))))
        return 0
    unknown = [t for t in a.target.split(",") if t and t not in TARGETS]
    if unknown:
        p.error("no such target: " + unknown[0])
    os.makedirs(OUT, exist_ok=True)
    fuzzing = a.seconds or a.runs or a.total
    level = "-O2" if fuzzing else "-O1"
    chosen = [t for t in TARGETS if not a.target or t in a.target.split(",")]
    small = [t for t in chosen if TARGETS[t][0] not in (LINKED, OWN_LIBRARY)]
    chosen = sample.pick("target", small if a.sample else chosen)
    sample.report("fuzz", "small targets in this build; oss_fuzz has all")
    parts = build_parts(a.header, a.old_api, level, any(TARGETS[t][0] == LINKED for t in chosen))
    seeds.write(os.path.join(OUT, "seeds"))

    def one(name):
        program = build(name, parts, a.header, a.old_api, level) if parts else None
        if program is None:
            return 0, 1
        return fuzz(program, name, folders_of(name), a) if fuzzing else replay(program, name, folders_of(name))

    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        results = list(pool.map(one, chosen))
    passed, failed = sum(ok for ok, _ in results), sum(bad for _, bad in results)
    print("fuzz: %d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
