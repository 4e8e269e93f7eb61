#!/usr/bin/env python3
"""The benchmarks run and say what they promise: nothing here looks at how fast anything is.

test_bench.py        needs build/npu_rt"""

import json
import os
import platform
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
REPO = os.path.dirname(os.path.dirname(HERE))
NATIVE = os.path.join(REPO, "build", "npu_rt")
DIGITS = os.path.join(REPO, "examples", "digits", "digits_int8.tflite")
passed = failed = 0


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAIL bench: " + what)


def run(script, *args):
    """What it printed, as JSON where it is; None where it failed."""
    p = subprocess.run([sys.executable, os.path.join(HERE, script), *args], capture_output=True, text=True, cwd=REPO)
    check(p.returncode == 0, "%s %s: exit %d: %s" % (script, " ".join(args), p.returncode, p.stderr[-300:]))
    if p.returncode:
        return None
    return json.loads(p.stdout) if p.stdout.startswith("{") else p.stdout


def networks():
    small = ["--quick", "--runs", "3", "--only", "digits_int8"]
    found = run("bench.py", *small, "--before", NATIVE, "--json")
    if found:
        row = next(r for r in found["networks"] if r["model"] == "digits_int8")
        check(row["ratio"] > 0 and row["ratio_before"] > 0 and row["ratio_start"] > 0, "ratios of digits_int8")
        check(row["class"] == "small" and found["classes"], "its class")
        operators = {r["op"]: r for r in found["operators"]}
        check(operators["CONV_2D"]["computes_with"] in ("i8", None), "CONV_2D of an int8 network computes with bytes")
        check(abs(sum(r["share"] for r in found["operators"]) - 1) < 1e-6, "shares of operators sum up to 1")
        peak = found["peak_gmacs_per_s"]
        check(
            not peak or all(r["of_peak"] is None or r["of_peak"] < 1.05 for r in found["operators"]), "beyond the peak"
        )
        check(not peak or not peak["f32"] or peak["f32"] * 20 > peak["i8"], "the peak of floats: %s" % peak)
    if platform.machine() == "x86_64":
        lesser = run("bench.py", *small, "--isa", "sse4.1", "--json")
        engines = next(r for r in lesser["networks"] if r["model"] == "digits_int8")["engines"] if lesser else {}
        check(engines and engines["npu_rt"]["isa"] == "sse4.1" and "litert" in engines, "--isa sse4.1: " + str(engines))
        hidden()
    for form in ([], ["--markdown"]):
        text = run("bench.py", *small, *form)
        check(text and "digits_int8" in text and "share of time" in text, "bench.py %s" % form)


def hidden():
    """A processor's bits are hidden from the instructions that are replaced, and a name that means nothing is refused."""
    p = subprocess.run(
        [sys.executable, os.path.join(HERE, "bench.py"), "--isa", "neon"], capture_output=True, text=True, cwd=REPO
    )
    check(p.returncode == 2 and "--isa neon" in p.stderr, "--isa neon: " + p.stderr[-200:])
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "test_mask_cpu")
        build = [os.environ.get("CC", "cc"), "-O1", "-std=gnu99", "-Wall", "-Wextra", "-Werror"]
        p = subprocess.run(
            [*build, os.path.join(HERE, "test_mask_cpu.c"), "-o", program], capture_output=True, text=True
        )
        check(p.returncode == 0, "test_mask_cpu.c: " + p.stderr[-300:])
        if p.returncode == 0:
            p = subprocess.run([program], capture_output=True, text=True)
            check(p.returncode == 0, "test_mask_cpu: exit %d: %s" % (p.returncode, p.stdout))


def kernels():
    """The kernel benchmark builds, and times every row of a family that this machine can run."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "bench_kernels")
        build = [
            os.environ.get("CC", "cc"),
            "-O1",
            "-std=c99",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-I.",
            "tests/bench/bench_kernels.c",
            "-lm",
        ]
        p = subprocess.run([*build, "-o", program], capture_output=True, text=True, cwd=REPO)
        check(p.returncode == 0, "bench_kernels.c: " + p.stderr[-300:])
        if p.returncode == 0:
            p = subprocess.run([program, "dw_"], capture_output=True, text=True)
            check(
                p.returncode == 0 and p.stdout and all("OP/s" in row for row in p.stdout.splitlines()),
                "bench_kernels dw_: " + p.stdout[-300:],
            )


def main():
    networks()
    kernels()
    found = run("operators.py", "--only", "conv_2d/1x1_small/f32", "--rounds", "1", "--json")
    check(found and found["layers"], "operators.py: no layer")
    found = run("classes.py", DIGITS, os.path.join(REPO, "README.md"))
    check(found and found[DIGITS] == "small" and "refused" in found.values(), "classes.py")
    print("benchmarks: %d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
