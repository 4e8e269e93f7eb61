#!/usr/bin/env python3
"""The recipes of src/README.md, followed: its code blocks are applied to a copy of the tree, which is built at -O0 and run.

A block of C that begins with a comment "/* PATH: ..." is a new file; a diff that begins with "--- PATH" says what changes: lines
with a space must be there as they are, in front of or behind those with - and +."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PYTHON = os.path.join(REPO, "build/tools/venv/bin/python")
CUBE = """
import sys
sys.path.insert(0, "tests/conformance")
import numpy as np
from mkmodel import T, single_op
x, y = T("x", (3,), "float32"), T("y", (3,), "float32")
open(sys.argv[1] + "/cube.tflite", "wb").write(single_op("CUSTOM", [x], [y], custom=("Cube", b"")))
a, b, c = (T(n, (3,), "int8", 0.5, 0) for n in "abc")
open(sys.argv[1] + "/add.tflite", "wb").write(single_op("ADD", [a, b], [c]))
np.save(sys.argv[1] + "/x.npy", np.array([1, -2, 0.5], np.float32))
"""


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def apply(block, folder):
    """(path, what is wrong or None) of a code block; nothing for one that is no part of a recipe."""
    kind, text = block
    if kind == "c":
        path = re.match(r"/\* ((?:src|wasi)/[\w/]+\.[ch]): ", text)
        if not path:
            return None
        new = os.path.join(folder, path[1])
        if os.path.exists(new):
            return path[1], "is there already"
        write(new, text)
        return path[1], None
    path, lines = text.split("\n", 1)[0][4:], text.split("\n")[1:-1]
    old = "".join(x[1:] + "\n" for x in lines if x[:1] in " -")[:-1]  # the last line may go on behind what is shown
    new = "".join(x[1:] + "\n" for x in lines if x[:1] in " +")[:-1]
    have = read(os.path.join(folder, path))
    if have.count("\n" + old) != 1:
        return path, "stands there %d times: %s" % (have.count("\n" + old), old)
    write(os.path.join(folder, path), have.replace("\n" + old, "\n" + new))
    return path, None


class Score:
    passed = failed = 0

    def check(self, label, ok, detail=""):
        self.passed, self.failed = self.passed + bool(ok), self.failed + (not ok)
        if not ok:
            print("FAIL recipe, %s: %s" % (label, str(detail)[-1500:]))
        return ok


def run(score, label, folder, command, *wanted):
    p = subprocess.run(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    missing = [w for w in wanted if not re.search(w, p.stdout)]
    return score.check(
        label, p.returncode == 0 and not missing, "exit %d, lacks %s\n%s" % (p.returncode, missing, p.stdout)
    )


def follow(score, folder):
    blocks = re.findall(r"^```(c|diff)\n(.*?)^```$", read(os.path.join(REPO, "src/README.md")), re.M | re.S)
    applied = [a for a in (apply(b, folder) for b in blocks) if a]
    for path, wrong in applied:
        score.check(path, wrong is None, wrong)
    score.check("all of them are found", len(applied) >= 18, "%d blocks" % len(applied))
    made = run(score, "npu_rt.h", folder, [sys.executable, "amalgamate"])
    if not made or not run(score, "layers, and names of vendors", folder, [sys.executable, "amalgamate", "--check"]):
        return
    jobs = "-j%d" % (os.cpu_count() or 2)
    program, unit = "build/dev/npu_rt", "build/dev/unit/test_kernels"
    if not run(score, "build", folder, ["make", "-s", jobs, program, unit]):
        return
    run(score, "models", REPO, [PYTHON, "-c", CUBE, folder])
    run(score, "operator", folder, [program, "run", "cube.tflite", "--input", "0=x.npy", "--output-dir", "out"])
    cubed = os.path.join(folder, "out/0.npy")
    show = "import sys, numpy; print(numpy.load(sys.argv[1]).tolist())"
    run(score, "operator's result", folder, [PYTHON, "-c", show, cubed], r"\[1\.0, -8\.0, 0\.125\]")
    run(score, "kernel", folder, [unit, "gemv_f32.plain"], r"gemv_f32\.plain +\d+ checks ok")
    run(score, "vendor", folder, [program, "check", "add.tflite", "--backend", "acme-1"], r"ADD", r"yes")
    run(
        score,
        "vendor's refusal",
        folder,
        [program, "check", "cube.tflite", "--backend", "acme-1", "--json"],
        r"acme\.not_listed",
    )
    run(score, "vendor's report", folder, [program, "ops", "--backend", "acme-1", "--json"], r"acme\.int8")
    run(score, "report, public function and command", folder, [program, "totals", "add.tflite"], r"^1 operators$")
    run(score, "report as JSON", folder, [program, "totals", "add.tflite", "--json"], r'"operators": ?1\b')


def main():
    score = Score()
    if os.path.exists(os.path.join(REPO, "build/dev/npu_rt")):  # its objects are a copy's too: make goes by their times
        made = subprocess.run(["make", "-s", "dev"], cwd=REPO)
        score.check("make dev", made.returncode == 0)
    with tempfile.TemporaryDirectory(prefix="npu_rt_recipes_") as folder:
        for what in ("src", "wasi", "tests/unit", "build/dev", "Makefile", "amalgamate", "LICENSE"):
            if not os.path.exists(os.path.join(REPO, what)):
                continue
            there = os.path.join(folder, what)
            os.makedirs(os.path.dirname(there), exist_ok=True)
            (shutil.copytree if os.path.isdir(os.path.join(REPO, what)) else shutil.copy2)(
                os.path.join(REPO, what), there
            )
        follow(score, folder)
        bad = apply(("diff", "--- src/npu_rt.c\n no such line\n+x\n"), folder)
        score.check("a stale recipe is seen", bad and bad[1])
    print("recipes: %d passed, %d failed" % (score.passed, score.failed))
    return 1 if score.failed else 0


if __name__ == "__main__":
    sys.exit(main())
