#!/usr/bin/env python3
"""Plans of the public networks, a line each in networks.txt, which were looked at when they were written (--write writes them anew);
and that every plan agrees with itself and with `npu_rt check`: each operator is in one group of one phase, and what is summed up is
the sum of its parts."""

import glob
import os
import sys

from kit import HERE, VERSIONS, Mdla, Score, arguments

FILE = os.path.join(HERE, "networks.txt")
WHOLE = (
    ("mobilenet_v2_1.0_224_quant", "3.0"),
    ("deeplabv3", "1.5"),
    ("tf2_mobilenet_v2_1.0_224_ptq", "1.5"),
)  # golden/: all of a plan
COLUMNS = (
    "ops_placed ops_compiled ops phases groups chains ops_unknown hints cycles_at_least convert_bytes relayout_bytes extra_bytes "
    "dummy_bytes external_bytes external_bytes_chained"
).split()


def parts(plan):
    """What is wrong inside of a plan, or None."""
    total, hints = plan["summary"], plan["hints"]
    cycles = external = chained = convert = unknown = relayout = 0
    for sub in plan["subgraphs"]:
        groups = {g["group"]: g for g in sub["groups"]}
        counts = dict.fromkeys(groups, 0)
        for op in sub["ops"]:
            if op["device"] != "MDLA":
                continue
            if op["group"] not in groups:
                return "operator %d is in no group" % op["index"]
            counts[op["group"]] += 1
            unknown += op["known"] == "unknown"
            if not 0 <= op["utilisation"] <= 1.0000001:
                return "operator %d has an utilisation of %g" % (op["index"], op["utilisation"])
        wrong = [k for k, g in groups.items() if counts[k] != g["operators"]]
        if wrong:
            return "groups %s do not have the operators they say" % wrong
        if sum(p["operators"] for p in sub["phases"]) != sum(op["device"] != "none" for op in sub["ops"]):
            return "phases do not have all operators"
        if sum(p["cycles"] for p in sub["phases"]) != sum(g["cycles"] for g in groups.values()):
            return "phases have other cycles than groups"
        relayout += sum(p["relayout_bytes"] for p in sub["phases"])
        cycles += sum(g["cycles"] for g in groups.values())
        external += sum(g["read_bytes"] + g["weight_bytes"] + g["written_bytes"] for g in groups.values())
        chained += sum(c["external_bytes_without"] - c["external_bytes_with"] for c in sub["chains"])
        if any(c["external_bytes_with"] >= c["external_bytes_without"] or c["groups"] < 2 for c in sub["chains"]):
            return "a chain saves nothing"
        for t in sub["tensors"]:
            convert += t["converted"]
            if t["laid_bytes"] < t["bytes"]:
                return "%s shrinks" % t["name"]
    if (total["cycles_at_least"], total["external_bytes"]) != (cycles, external):
        return "sums are %s" % [cycles, external]
    if total["relayout_bytes"] != relayout:
        return "phases change layouts of %d bytes" % relayout
    if total["external_bytes_chained"] != external - chained:
        return "chains save %d bytes" % chained
    if (total["convert_bytes"] > 0) != (convert > 0) or total["ops_unknown"] != unknown or total["hints"] != len(hints):
        return "conversions, unknown operators or hints do not add up"
    return None


def whole(score, mdla, shared, write):
    for name, version in WHOLE:
        path, golden = (
            os.path.join(shared, "models", name + ".tflite"),
            os.path.join(HERE, "golden", "%s.%s.txt" % (name, version)),
        )
        code, text, err = mdla.call("plan", path, "--backend", "mdla" + version, "--relax-fp32")
        if write:
            with open(golden, "w", encoding="utf-8") as f:
                f.write(text)
        with open(golden, encoding="utf-8") as f:
            want = f.read().split("\n")
        lines = text.split("\n")
        at = next((i for i, (x, y) in enumerate(zip(lines, want)) if x != y), min(len(lines), len(want)))
        problem = None if code == 0 and lines == want else "line %d is %s %s" % (at + 1, lines[at : at + 1], err)
        score.check("%s %s whole" % (name, version), problem)


def main():
    write = "--write" in sys.argv
    sys.argv = [x for x in sys.argv if x != "--write"]
    a = arguments(__doc__)
    models = sorted(glob.glob(os.path.join(a.shared, "models", "*.tflite")))
    if not models:
        print("left out the networks: none in %s" % a.shared)
        return 0
    score, mdla = Score("mdla networks"), Mdla(a.command)
    rows = ["# network version " + " ".join(COLUMNS)]
    with open(FILE, encoding="utf-8") if os.path.exists(FILE) else open(os.devnull) as f:
        known = {tuple(line.split()[:2]): line.rstrip("\n") for line in f}
    for path in models:
        name = os.path.basename(path)[: -len(".tflite")]
        for version in VERSIONS:
            backend = ("--backend", "mdla" + version, "--relax-fp32")
            plan = mdla.json("plan", path, *backend)
            rows.append("%s %s %s" % (name, version, " ".join(str(plan["summary"][c]) for c in COLUMNS)))
            want = rows[-1] if write else known.get((name, version))
            score.check("%s %s" % (name, version), None if want == rows[-1] else "was %s\nis  %s" % (want, rows[-1]))
            score.check("%s %s adds up" % (name, version), parts(plan))
            check = mdla.json("check", path, *backend)
            there = sum(op["placed"] and not op["once"] for op in check["ops"])
            same = all(check["summary"][k] == plan["summary"][k] for k in ("ops", "macs", "macs_placed"))
            score.check(
                "%s %s and check" % (name, version),
                None if same and there == plan["summary"]["ops_placed"] else str(plan["summary"]),
            )
    whole(score, mdla, a.shared, write)
    if write:
        with open(FILE, "w", encoding="utf-8") as f:
            f.write("\n".join(rows) + "\n")
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
