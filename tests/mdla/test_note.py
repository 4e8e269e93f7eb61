#!/usr/bin/env python3
"""The plan that src/notes/2026-11-mdla-plan.md works out by hand is npu_rt's."""

import os
import re
import sys

import numpy as np

from kit import REPO, Mdla, Net, Score, arguments, const, opts

NOTE = os.path.join(REPO, "src", "notes", "2026-11-mdla-plan.md")


def network():
    n = Net((1, 16, 16, 3), "ASYM INT8")
    n.conv(16, 3, 2, 0, act=1, w_kind="SYM INT8")
    n.pool()
    n.conv(10, w_kind="SYM INT8")
    added = n.const(const(np.ones(10), "int8", scale=0.5, zero_point=3))
    add = n.op("ADD", [n.at, added], n.new(n.at.shape), opts("Add"))
    n.unary("SOFTMAX", options=opts("Softmax", beta=1.0))
    return n.bytes(), add.name


def figures(plan, added):
    sub, total = plan["subgraphs"][0], plan["summary"]
    tensors = {t["name"]: t for t in sub["tensors"]}
    cycles = [o.get("cycles", 0) for o in sub["ops"]]
    return {
        "phases": total["phases"],
        **{"cycles of operator %d" % i: c for i, c in enumerate(cycles)},
        "cycles of its activation": sub["ops"][0]["activation_cycles"],
        "cycles in all": total["cycles_at_least"],
        "operators without a throughput": total["ops_unknown"],
        "bytes of the input as laid out": tensors["in0"]["laid_bytes"],
        "bytes of operator 3's output as laid out": tensors[added]["laid_bytes"],
        "conversions move": total["convert_bytes"],
        "re-layouts move at run time": total["relayout_bytes"],
        "re-layouts move at compile time": total["relayout_constant_bytes"],
        "external bytes": total["external_bytes"],
        "groups of several operators": total["groups"],
        "chains": total["chains"],
    }


def main():
    a = arguments(__doc__)
    score, mdla = Score("mdla note"), Mdla(a.command)
    with open(NOTE, encoding="utf-8") as f:
        rows = re.findall(r"^\| (\w[^|]*) \| (\d+) \| (\d+) \|$", f.read(), re.M)
    model, added = network()
    for column, version in enumerate(("1.5", "3.0"), 1):
        got = figures(mdla.plan(model, version), added)
        want = {row[0]: int(row[column]) for row in rows}
        score.check(version + " rows", None if set(got) == set(want) else str(sorted(set(got) ^ set(want))))
        for name in want:
            score.check(
                "%s %s" % (version, name),
                None if got.get(name) == want[name] else "%s, by hand %d" % (got.get(name), want[name]),
            )
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
