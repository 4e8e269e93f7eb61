#!/usr/bin/env python3
"""Mutants of single-operator models and of the public networks, through the command line as users have it.

    mutants.py [--count 2000] [--first SEED] [--command build/npu_rt] [--keep FOLDER] [--sample SEED]

tests/fuzz/mutate.c makes them: the same seed gives the same mutant. Each must end within 10 s and 2 GiB with an exit code
of 0 to 5, words on stdout when that is 0 and on stderr otherwise. Two run at a time. `make mutants` runs 100,000,
--sample a part of those."""

import argparse
import collections
import concurrent.futures
import glob
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
REPO = os.path.dirname(os.path.dirname(HERE))
FUZZ = os.path.join(REPO, "tests", "fuzz")
sys.path.insert(0, FUZZ)
sys.path.insert(1, os.path.join(REPO, "tests", "conformance"))
from sample import Sample, add_option  # noqa: E402

BATCH, SECONDS, MEMORY, ALL = 250, 10, 2 << 30, 100000
NPU = ["ethos-u55-128", "ethos-u65-512", "ethos-u85-256", "ethos-u"]
FUSION = os.path.join(HERE, "fusion.txt")


def build_mutator(folder):
    out = os.path.join(folder, "mutate")
    subprocess.run(
        [
            os.environ.get("CC", "cc"),
            "-O1",
            "-w",
            "-std=c99",
            "-D_POSIX_C_SOURCE=200809L",
            "-DMUTATE_MAIN",
            "-I",
            REPO,
            os.path.join(FUZZ, "mutate.c"),
            "-lm",
            "-o",
            out,
        ],
        check=True,
    )
    return out


def parents(folder):
    """Two lists of paths: small models, and networks. The small ones are the fuzzer's seeds (models that hold
    compiled networks among them) and the findings so far."""
    import seeds

    seeds.write(os.path.join(folder, "seeds"))
    small = sorted(
        glob.glob(os.path.join(folder, "seeds", "models", "*")) + glob.glob(os.path.join(FUZZ, "corpus", "models", "*"))
    )
    networks = sorted(glob.glob(os.path.join(REPO, "..", "shared", "models", "*.tflite")))
    return small, networks or sorted(glob.glob(os.path.join(REPO, "examples", "digits", "*.tflite")))


def plan_options(r):
    """Some of what `plan` takes."""
    some = ["--backend", r.choice(["mdla1.5", "mdla2.0", "mdla3.0"])]
    for option in ("--relax-fp32", "--suppress-input-conversion", "--suppress-output-conversion"):
        some += [option] * r.randrange(2)
    for option, value in (
        ("--transpose-conv", "software"),
        ("--mvpu", "SOFTMAX,ARG_MAX,CONV_2D"),
        ("--weight-storage", "1024"),
        ("--clock", "800"),
        ("--fusion-rules", FUSION),
    ):
        some += [option, value] if r.randrange(3) == 0 else []
    return some


def check_options(r, lowered):
    """One NPU, or all of them side by side."""
    kind = r.randrange(4)
    if kind == 0:
        return lowered
    if kind == 1:
        return r.choice([[], ["--markdown"], ["--html", os.devnull], ["--sram", "65536"]])
    return ["--backend", r.choice([*NPU, "mdla1.5", "mdla3.0"])]


def arguments(seed, path, limit):
    """Most mutants run, some of them through Neuron; the others go through the reports."""
    r = random.Random(seed)
    flags = ["--json"] if r.randrange(3) == 0 else []
    lowered = ["--backend", "neuron", "--rules", r.choice(["published", "litert-2.3"])]
    if r.randrange(10) < 7:
        backend = [*lowered, *["--exact-float32"] * r.randrange(2)] if r.randrange(3) == 0 else []
        return ["run", path, "--seed", "1", *limit, *backend, *flags]
    command = r.choice(["check", "cost", "info", "dump", "stream", "check", "lower", "plan"])
    if command == "plan":
        return [command, path, *plan_options(r), *flags]
    if command == "lower":
        runtime = r.choice([[], ["--runtime", "8.1.0"], ["--runtime", "8.2.24"]])
        return [command, path, *lowered, *runtime, *(flags or r.choice([[], ["--dot"]]))]
    if command == "check":
        some = check_options(r, lowered)
        return [command, path, *some, *(flags if "--markdown" not in some and "--html" not in some else [])]
    if command == "cost":
        return [command, path, "--backend", r.choice(NPU[:3]), *flags]
    return [command, path, *flags]


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def wrong_json(p):
    """One object, which says so where something failed."""
    try:
        report = json.loads(p.stdout)
    except ValueError as e:
        return "exit %d and no JSON: %s: %r" % (p.returncode, e, p.stdout[:200])
    if p.returncode and not (report.get("error") or {}).get("rule"):
        return "exit %d and no error in the JSON: %r" % (p.returncode, p.stdout[:200])
    return None


def run_one(command, seed, path, limit):
    """What is wrong, or None, and the exit code."""
    args = arguments(seed, path, limit)
    try:
        p = subprocess.run(
            [*command, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return "no end within %d s" % SECONDS, "timeout", args
    wrong = None
    if p.returncode < 0:
        wrong = "signal %d" % -p.returncode
    elif p.returncode > 5:
        wrong = "exit %d: %s" % (p.returncode, p.stderr[-200:])
    elif p.returncode == 0 and not p.stdout.strip() and "--html" not in args:
        wrong = "exit 0 without a word on stdout"
    elif p.returncode != 0 and not p.stderr.strip():
        wrong = "exit %d without a word on stderr" % p.returncode
    elif "--json" in args:
        wrong = wrong_json(p)
    return wrong, p.returncode, args


def has_time_limit(command):
    p = subprocess.run([*command, "run", "--help"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return "--time-limit" in p.stdout + p.stderr


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--count", type=int, default=2000)
    p.add_argument("--first", type=int, default=1)
    p.add_argument("--command", default=os.path.join(REPO, "build", "npu_rt"))
    p.add_argument("--keep", default=os.path.join(REPO, "build", "mutants"), help="where bad mutants go")
    add_option(p)
    a = p.parse_args()
    if a.sample:
        a.first += a.count * (Sample(a.sample).number("mutants") % max(ALL // a.count, 1))
        print(
            "left out mutants: all but %d to %d of %d (make mutants takes all)" % (a.first, a.first + a.count - 1, ALL)
        )
    command, start = a.command.split(), time.time()
    limit = ["--time-limit", "8"] if has_time_limit(command) else []
    codes, failed = collections.Counter(), 0
    with (
        tempfile.TemporaryDirectory() as folder,
        concurrent.futures.ProcessPoolExecutor(2, initializer=limit_memory) as pool,
    ):
        mutate, (small, networks) = build_mutator(folder), parents(folder)
        made = os.path.join(folder, "made")
        for first in range(a.first, a.first + a.count, BATCH):
            n = min(BATCH, a.first + a.count - first)
            of_networks = n // 5
            os.makedirs(made)
            for at, many, paths in ((first, n - of_networks, small), (first + n - of_networks, of_networks, networks)):
                subprocess.run([mutate, "--many", str(at), str(many), made, *paths], check=True)
            jobs = {
                seed: pool.submit(run_one, command, seed, os.path.join(made, "%d.tflite" % seed), limit)
                for seed in range(first, first + n)
            }
            for seed, job in jobs.items():
                wrong, code, args = job.result()
                codes[code] += 1
                if wrong:
                    failed += 1
                    os.makedirs(a.keep, exist_ok=True)
                    kept = shutil.copy(args[1], a.keep)
                    print("FAIL mutant %d: %s: %s %s" % (seed, wrong, args[0], " ".join([kept, *args[2:]])), flush=True)
            shutil.rmtree(made)
    print(
        "exit codes: %s; %.0f s"
        % (", ".join("%s: %d" % c for c in sorted(codes.items(), key=str)), time.time() - start)
    )
    print("mutants: %d passed, %d failed" % (a.count - failed, failed))
    return 1 if failed or not a.count else 0


if __name__ == "__main__":
    sys.exit(main())
