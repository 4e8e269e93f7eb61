#!/usr/bin/env python3
"""`run --compare cpu`: the errors of outputs and operators are those that NumPy finds between two runs, for every backend that runs
operators; the operator that loses most stands first; text and JSON say the same.

    test_compare.py [--command CMD] [--shared DIR]"""

import json
import os
import sys
import tempfile

import numpy as np
from kit import REPO, Builder, Mdla, Score, T, arguments, opts
from runner import Command

DIGITS = os.path.join(REPO, "examples", "digits", "digits_float32.tflite")


def made():
    """x + 1000 loses what float16 cannot hold: the operator to find. MUL, ABS before it; SUB of the same takes the sum away."""
    b = Builder()
    b.subgraph()
    t = [T("x", (1, 8)), *[T(n, (1, 8)) for n in ("scaled", "positive", "wide", "back")]]
    c = [T("half", (8,), data=np.full(8, 0.5)), T("thousand", (8,), data=np.full(8, 1000))]
    for x in t + c:
        b.tensor(x)
    b.op("MUL", [t[0], c[0]], [t[1]], opts("Mul"))
    b.op("ABS", [t[1]], [t[2]])
    b.op("ADD", [t[2], c[1]], [t[3]], opts("Add"))
    b.op("SUB", [t[3], c[1]], [t[4]], opts("Sub"))
    b.io([t[0]], [t[4]])
    return b.bytes()


def compared(mdla, path, *more):
    return mdla.json("run", path, "--compare", "cpu", *more)["comparison"]


def outputs(a, score, name, path, *more):
    """The report's figures of outputs against two runs."""
    one, two = Command(a.command), Command(a.command)
    one.extra = [m for m in more if m != "--relax-fp32"]
    if "--relax-fp32" in more:
        one.extra += ["--rules", "guide-relax-fp32"]
    got = compared(Mdla(a.command), path, *more)
    for x, y, r in zip(one.run(path, []), two.run(path, []), got["outputs"], strict=True):
        off = np.abs(x.astype(np.float64) - y.astype(np.float64))
        want = (off.max(), off.mean(), np.abs(y).max())
        same = np.allclose(want, (r["max_error"], r["mean_error"], r["largest"]), rtol=1e-4, atol=1e-12)
        score.check("%s: %s" % (name, r["name"]), None if same else "%s, not %s" % (r, want))
    return got


def growth(score, name, rows):
    """The largest growth first; each row's growth follows from its other figures."""
    order = [r["growth"] for r in rows if r["growth"] is not None]
    score.check(name + ": sorted", None if order == sorted(order, reverse=True) else str(order[:5]))
    wrong = [r for r in rows if abs(r["growth"] - (r["relative"] - r["inputs"])) > 1e-5 * (r["relative"] + r["inputs"])]
    score.check(name + ": growth is what an operator adds", str(wrong[:1]) if wrong else None)
    wrong = [
        r for r in rows if abs(r["relative"] - r["max_error"] / (r["largest"] or 1.0)) > 1e-5 * r["relative"] + 1e-12
    ]
    score.check(name + ": relative errors", str(wrong[:1]) if wrong else None)


def main():
    a = arguments(__doc__)
    score, mdla = Score("mdla compare"), Mdla(a.command)
    with tempfile.TemporaryDirectory() as temp:
        path = os.path.join(temp, "m.tflite")
        with open(path, "wb") as f:
            f.write(made())
        got = outputs(a, score, "made", path, "--backend", "mdla3.0", "--relax-fp32")
        growth(score, "made", got["operators"])
        first = got["operators"][0]["name"]
        score.check("the operator that loses most is first", None if first == "SUB" else first)
        worst = max(got["operators"], key=lambda r: r["max_error"])["name"]
        score.check("and the largest error is behind the sum", None if worst in ("ADD", "SUB") else worst)
        code, out, err = mdla.call("run", path, "--backend", "mdla3.0", "--relax-fp32", "--compare", "cpu")
        for word in ("max error", "growth", "mdla3.0  ", "SUB", "of the largest"):
            score.check("text says " + word, None if code == 0 and word in out else out + err)
        for wrong in (("--compare", "gpu"), ("--relax-fp32",), ("--backend", "neuron", "--relax-fp32")):
            code, _, err = mdla.call("run", path, *wrong)
            score.check("refused: %s" % (wrong,), None if code == 2 and err else "exit %d: %s" % (code, err))
    for backend in (("mdla1.5", "--relax-fp32"), ("mdla3.0", "--relax-fp32"), ("mdla3.0",), ("neuron",), ("none",)):
        name = "digits on " + " ".join(backend)
        got = outputs(a, score, name, DIGITS, "--backend", *backend)
        growth(score, name, got["operators"])
        exact = backend[0] == "none" or backend == ("mdla3.0",)
        most = max(r["max_error"] for r in got["operators"])
        score.check(
            name + ": " + ("exact" if exact else "float16"),
            None if (most == 0) == exact else json.dumps(got["outputs"]),
        )
        by = {r["by"] for r in got["operators"]}
        score.check(name + ": who ran it", None if (by == {"cpu"}) == exact else str(by))
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
