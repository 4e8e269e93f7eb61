#!/usr/bin/env python3
"""Verdicts on public networks against the vendor's own converter (recorded: Vela 3.2.0, one JSON file per network).

The published document is that converter's report, narrowed: fewer operators, int8 only, one doubling in
RESIZE_BILINEAR, and none of the converter's "semantic" checks. So our verdict may be stricter only through those lines,
and milder only where the converter's semantic check refused."""
import collections
import glob
import json
import os
import sys

from ethosu import Ethosu, arguments
from runner import Score

NARROWED = ("operator_not_listed", "tensor_type_int8", "fused_activation_output_int8", "bias_int32", "type_int32")
ONE_DOUBLING = "ethosu.resize_bilinear.size"


def is_narrowed(rule):
    return rule.split(".")[-1] in NARROWED or rule == ONE_DOUBLING


def compare_ops(ours, theirs):
    """The converter lists operators in its own order: match by operator and output name."""
    waiting = collections.defaultdict(list)
    for op in ours:
        waiting[(op["op"], op["output"])].append(op)
    for their in theirs:
        found = waiting[(their["op"], their["name"])]
        if not found:
            if their["op"] == "CUSTOM":  # we give a custom op's own name
                continue
            return "%s '%s' is missing" % (their["op"], their["name"])
        our = found.pop(0)
        broken = [r["rule"] for r in our["reasons"]]
        if our["placed"] and not their["npu"] and their["semantic"]:
            return "%s '%s' is placed, but: %s" % (their["op"], their["name"], their["why"])
        if their["npu"] and not all(is_narrowed(r) for r in broken):
            return "%s '%s' is refused by %s" % (their["op"], their["name"], broken)
    return None


def compare_summary(report):
    ops, s = report["ops"], report["summary"]
    placed = [(op["subgraph"], op["placed"]) for op in ops]
    runs = sum(on and (i == 0 or placed[i - 1] != (graph, True)) for i, (graph, on) in enumerate(placed))
    want = {"ops": len(ops), "ops_placed": sum(op["placed"] for op in ops), "partitions": runs}
    wrong = {k: (s[k], v) for k, v in want.items() if s[k] != v}
    if s["macs_placed"] > s["macs"] or (s["ops"] == s["ops_placed"] and s["macs"] != s["macs_placed"]):
        wrong["macs_placed"] = (s["macs_placed"], s["macs"])
    return "summary differs: %s" % wrong if wrong else None


def main():
    a = arguments(__doc__.split("\n")[0])
    recorded = os.path.join(a.shared, "oracles", "vela-3.2.0")
    if not os.path.isdir(recorded):
        print("left out ethosu vela: no %s" % recorded)
        return 0
    ethosu, score = Ethosu(a.command), Score("ethosu vela")
    for path in sorted(glob.glob(os.path.join(a.shared, "models", "*.tflite"))):
        name = os.path.basename(path)[:-len(".tflite")]
        try:
            report = ethosu.check_file(path)
        except (RuntimeError, ValueError) as e:
            score.check(name, str(e))
            continue
        score.check(name + " summary", compare_summary(report))
        if os.path.exists(os.path.join(recorded, name + ".json")):
            with open(os.path.join(recorded, name + ".json"), encoding="utf-8") as f:
                score.check(name, compare_ops(report["ops"], json.load(f)))
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
