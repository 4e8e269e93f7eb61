#!/usr/bin/env python3
"""The Neuron rules against the published document: every row of its tables has its row here, and the other way round."""

import hashlib
import os
import re
import sys

from rules_kit import BACKEND, PUBLISHED, Neuron, Score, arguments

TYPES, QUANT, OPS = "Supported Data Types", "Supported Quantization Types", "Supported Operations"

# (section, row): (first 8 digits of the row's SHA-256, the rule that says it). "neuron.type" lists the types that have no
# conditions; None: what a row allows without conditions needs no rule.
LINES = {
    (TYPES, 1): ("306120dd", "neuron.type"),
    (TYPES, 2): ("03613f4f", "neuron.type"),
    (TYPES, 3): ("7d8808a0", "neuron.type"),
    (TYPES, 4): ("4d1a2b3f", "neuron.int16"),
    (TYPES, 5): ("c87d0e4c", "neuron.uint8"),
    (TYPES, 6): ("ab29fc25", "neuron.int8"),
    (TYPES, 7): ("d27da215", "neuron.int4"),
    (TYPES, 8): ("d258e368", "neuron.type"),
    (TYPES, 9): ("845ed4b8", "neuron.int64"),
    (QUANT, 1): ("e70a0f15", None),
    (QUANT, 2): ("f4c539f4", None),
    (QUANT, 3): ("eafb8770", "neuron.blockwise"),
    (QUANT, 4): ("e45acc12", None),
}
TYPE_NAMES = "Float32 Float16 Int32 Int16 UInt8 Int8 Int4 Bool Int64".split()
# Rows of operations whose name is not the operator's.
OTHER_NAMES = {"ShloComposite": "STABLEHLO_COMPOSITE", "TflPadv2": "PADV2", "TflBatchMatmul": "BATCH_MATMUL"}
# Rules of the profile that no row states: what VerifyCommonOp and the code behind the rows need.
NO_LINE = {
    "neuron.operator_not_listed",
    "neuron.int64_range",
    "neuron.sparse",
    "neuron.operands",
    "neuron.fused_activation",
    "neuron.composite",
    "neuron.gamma",
    "neuron.resize_bilinear.rank",
    "neuron.resize_nearest_neighbor.size",
    "neuron.transpose_conv.output_shape",
    "neuron.weights_rank",
    "neuron.weights_format",
}


def read(path):
    """{section: [rows as lists of cells]}"""
    found, section = {}, None
    with open(path, encoding="utf-8") as f:
        for line in f:
            heading = re.match(r"## (.*)$", line)
            if heading:
                section = heading.group(1).strip()
            elif line.startswith("|") and not line.startswith("| :"):
                found.setdefault(section, []).append([c.strip() for c in line.strip().strip("|").split("|")])
    return {s: rows[1:] for s, rows in found.items()}  # without the header


def operator(cell):
    name = re.fullmatch(r"`kLiteRtOpCode(\w+)`", cell).group(1)
    if name in OTHER_NAMES:
        return OTHER_NAMES[name]
    words = re.findall(r"[A-Z][a-z]*|\d+d?", name[3:])
    return "_".join(words).upper()


def digest(row):
    return hashlib.sha256("|".join(row).encode()).hexdigest()[:8]


def spoken(note):
    """What a note says a row becomes: NEURON_X, or the name of an extension's operation; and the attributes it names."""
    return set(re.findall(r"(?:NEURON_|MTKEXT_)\w+", note)), {
        w.replace("_", "") for w in re.findall(r"`([a-z]+_[a-z_]+|axis|beta)`", note)
    }


def compare_types(score, rules, document):
    names = [row[0].strip("`") for row in document[TYPES]]
    score.check("types of the document", None if names == TYPE_NAMES else "are %s" % names)
    limit = rules["neuron.type"]["limit"].replace(";", ",").replace(" constants", "")
    said = {w.strip() for w in limit.split(",")}
    score.check("types of the rule", None if said == {n.lower() for n in TYPE_NAMES} else "are %s" % sorted(said))
    for section in (TYPES, QUANT):
        for i, row in enumerate(document[section], 1):
            want, rule = LINES.get((section, i), (None, None))
            problem = None
            if want != digest(row):
                problem = "the row has changed, its digest is %s: %s" % (digest(row), row)
            elif rule and rule not in rules:
                problem = "there is no rule " + rule
            elif rule and rules[rule]["section"] != section:
                problem = "%s says it comes from %s" % (rule, rules[rule]["section"])
            elif rule and rule != "neuron.type" and rules[rule]["bullet"] != i:
                problem = "%s says it comes from row %d" % (rule, rules[rule]["bullet"])
            score.check("%s %d" % (section, i), problem)
    rows = {(s, i + 1) for s in (TYPES, QUANT) for i in range(len(document[s]))}
    score.check("rows that are gone", None if rows == set(LINES) else "differ: %s" % sorted(rows ^ set(LINES)))


def compare_operators(score, report, document):
    ours = [o["op"] for o in report["operators"]]
    theirs = [operator(row[0]) for row in document[OPS]]
    score.check("42 operators", None if len(theirs) == 42 else "the document has %d" % len(theirs))
    score.check("operators in order", None if ours == theirs else "differ: %s" % sorted(set(ours) ^ set(theirs)))
    notes = {o["op"]: o["note"] for o in report["operators"]}
    for row in document[OPS]:
        op = operator(row[0])
        becomes, attributes = spoken(row[1])
        problem = None
        missing = [b for b in becomes if b not in notes.get(op, "")]
        plain = notes.get(op, "").replace("_", "").replace(" ", "")
        if op not in notes:
            problem = "is not listed"
        elif missing:
            problem = "the note does not say %s: %s" % (missing, notes[op])
        elif any(a not in plain and a not in ("approximate",) for a in attributes):
            problem = "the note leaves out one of %s: %s" % (sorted(attributes), notes[op])
        elif "fused activation" in row[1] and "fused activation" not in notes[op]:
            problem = "the note has no fused activation"
        elif ("zero bias" in row[1]) != ("zeros is added" in notes[op]):
            problem = "the note does not say what happens without a bias"
        score.check("row of " + op, problem)


def compare_report(score, neuron, report):
    """The report for readers has every operator and every rule."""
    markdown = neuron._text("ops", "--backend", BACKEND, "--rules", PUBLISHED, "--markdown")
    table = re.findall(r"^\| ([A-Z0-9_]+) \| \d+ \|$", markdown, re.M)
    score.check("markdown operators", None if table == [o["op"] for o in report["operators"]] else "differ")
    for r in report["rules"] + report["warnings"]:
        score.check("markdown has " + r["rule"], None if "(`%s`)" % r["rule"] in markdown else "it is not there")
    for o in report["operators"]:
        score.check(
            "markdown note of " + o["op"],
            None if "## %s\n\n%s." % (o["op"], o["note"]) in markdown else "it is not there",
        )


def main():
    a = arguments(__doc__)
    path = os.path.join(a.shared, "reference", "litert-mediatek-neuron.md")
    if not os.path.exists(path):
        print("left out neuron document: no %s" % path)
        return 0
    score, neuron, document = Score("neuron document"), Neuron(a.command), read(path)
    report = neuron.ops(PUBLISHED, BACKEND)
    rules = {r["rule"]: r for r in report["rules"]}
    compare_types(score, rules, document)
    compare_operators(score, report, document)
    extra = set(rules) - {rule for _, rule in LINES.values()} - NO_LINE
    score.check("rules without a row", None if not extra else str(sorted(extra)))
    gone = NO_LINE - set(rules)
    score.check("rules that are gone", None if not gone else str(sorted(gone)))
    compare_report(score, neuron, report)
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
