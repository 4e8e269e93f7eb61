#!/usr/bin/env python3
"""The tables of the MDLA against the guide: transcribed by hand (guide.py), every table; and, where the guide's text is there, every
line of it has rows here, or is no statement (lines.txt), and the transcription says what the text says.

lines.txt: first line, last line, first 8 digits of the SHA-256 of their words, and what says it: operators, facts and rules of the
reports; or, behind a dash, why nothing needs to."""

import hashlib
import os
import re
import sys

import guide
from guide import VERSIONS, since
from kit import GUIDE_TEXT, HERE, Mdla, Score, arguments

# Facts that say more than the guide's lines do, or that nothing is said.
NO_LINE_FACTS = {"hybrid.later"}
# Rules that stand beside the guide: what every operator needs, and what is not said.
NO_LINE_ROWS = {
    "mdla.operator_not_listed",
    "mdla.operands",
    "mdla.fused_activation",
    "mdla.version",
    "mdla.fully_connected.weights_format",
}
SHORT = {"ASYM UINT8": "ASYM_U8", "SYM INT8": "SYM_I8", "SYM INT16": "SYM_I16"}
FACT_TYPES = {
    "FP32 (--relax-fp32)": "FP32",
    "FP16": "FP16",
    "ASYM UINT8": "ASYM_U8",
    "ASM INT8": "ASYM_I8",
    "SYM INT8": "SYM_I8",
    "SYM INT16": "SYM_I16",
}


def facts_of(report):
    found = {}
    for f in report["facts"]:
        assert f["fact"] not in found, "twice: " + f["fact"]
        found[f["fact"]] = f
    return found


def numbers(text):
    return [float(n) for n in re.findall(r"(?<![\w.])\d+(?:\.\d+)?", text)]


# ---- the report against the transcription -------------------------------------------------------------------------------------


def operators(score, version, report):
    """Which operators there are, and which versions of them the table lists."""
    ours = {o["op"]: o["note"] for o in report["operators"]}
    want = {}
    for name, (versions, first) in {**guide.OPERATIONS, **guide.CUSTOM}.items():
        if version in since(first) and name not in guide.NOT_REACHED:
            want[guide.TFLITE.get(name, name)] = versions
    want.update({n: None for n, first in guide.BESIDE.items() if version in since(first)})
    score.check(
        version + " operators", None if set(ours) == set(want) else "differ: %s" % sorted(set(ours) ^ set(want))
    )
    for op, versions in want.items():
        said = re.search(r": (?:version|versions) ([\d, ]+);", ours.get(op, ""))
        if versions is not None:
            score.check("%s versions of %s" % (version, op), None if said and said[1] == versions else ours.get(op))


def rates(score, version, facts):
    def check(fact, want):
        got = numbers(facts[fact]["value"].split(": ")[-1]) if fact in facts else None
        score.check(
            "%s %s" % (version, fact), None if got == [float(w) for w in want] else "is %s, not %s" % (got, want)
        )

    for fact, want in zip(("macs.int8", "macs.int16", "macs.fp16"), guide.MACS[version]):
        check(fact, [want])
    for name in sorted({row[0] for row in guide.MATH}):
        fact, want = "math." + name.split("(")[0], guide.math_rate(name, version)
        if want:
            check(fact, want)
        else:
            score.check("%s no %s" % (version, fact), "it is there" if fact in facts else None)
    for name, want in guide.POOLS.items():
        check("pool.%s_POOL" % name, [w or 0 for w in want])
    for batch, want in guide.FC_RATE.items():
        check("urate.FC%d" % batch, [want[version]])
    check("urate.CONV", [guide.CONV_RATE])
    check("urate.DEPTHWISE", [guide.DEPTHWISE_RATE])
    for fact, table in (("small.CONV", guide.SMALL_CONV), ("small.DEPTHWISE", guide.SMALL_DEPTHWISE)):
        got = [int(n) for n in re.findall(r"<= (\d+)", facts[fact]["value"])]
        score.check("%s %s" % (version, fact), None if tuple(got) == table[version] else str(got))
    got = [int(n) for n in re.findall(r"(\d+) \(", facts["resize.up"]["value"])]
    score.check(version + " resize.up", None if tuple(got) == guide.RESIZE_UP else str(got))


def types(score, version, facts):
    at = VERSIONS.index(version)
    for name, row in guide.HW_SW.items():
        want = "hardware" if row.split()[at] == "HW" else "software"
        got = facts["type." + FACT_TYPES[name]]["value"]
        score.check("%s type %s" % (version, name), None if got.endswith(": " + want) else got)
    for (w, d), have in guide.CHANNEL.items():
        fact = facts["by_channel.%s.%s" % (SHORT[w], SHORT[d])]["value"]
        want = "%s weights, %s data: %s" % (w, d, "yes" if version in have else "no")
        score.check("%s by channel %s, %s" % (version, w, d), None if fact == want else fact)
    for name, ops in guide.GROUPS.items():
        got = facts["group." + name]["value"]
        score.check("%s group %s" % (version, name), None if got == ", ".join(ops) else got)


def fusion(score, version, facts):
    """Rules of a version; and that those whose order is lost have none here."""
    have = {f.split(".")[1] for f in facts if re.fullmatch(r"fusion\.[A-F]", f)}
    want = set("ABC") | (set("DE") if version >= "2.0" else set()) | (set("F") if version == "3.0" else set())
    score.check(version + " fusion rules", None if have == want else str(sorted(have)))
    for rule in have & set("BDE"):
        text = facts["fusion." + rule]["value"]
        score.check("%s rule %s" % (version, rule), text if "proven" in text or "lost image" not in text else None)
    score.check(
        version + " rule A",
        None if facts["fusion.A"]["value"].endswith("proven: CONV MATH1|ACT1|ACT2|POOL") else "differs",
    )
    n = len([f for f in facts if f.startswith("dlf.")])
    score.check(version + " deep layer fusion", None if n == (6 if version == "3.0" else 0) else "%d facts" % n)


def markdown(score, mdla, version, report):
    """The report for readers has every operator, rule and fact."""
    code, text, err = mdla.call("ops", "--backend", "mdla" + version, "--rules", "guide", "--markdown")
    table = re.findall(r"^\| ([A-Z0-9_]+) \| \d+ \|$", text, re.M)
    score.check(version + " markdown operators", None if table == [o["op"] for o in report["operators"]] else "differ")
    for r in report["rules"] + report["warnings"]:
        score.check("%s markdown %s" % (version, r["rule"]), None if "(`%s`)" % r["rule"] in text else "is not there")
    for f in report["facts"]:
        line = "- %s (`%s`" % (f["value"], f["fact"])
        score.check("%s markdown %s" % (version, f["fact"]), None if line in text else "is not there")


# ---- the transcription and the rows against the text ----------------------------------------------------------------------------


def read_lines():
    with open(os.path.join(HERE, "lines.txt"), encoding="utf-8") as f:
        rows = [line.rstrip("\n") for line in f]
    return [(int(r[:4]), int(r[5:9]), r[10:18], r[19:]) for r in rows]


def lines(score, text, reports):
    """Every line is somebody's, as it stood when the row was written; and every row that cites the guide has lines."""
    ids = {"op": set(), "fact": set(), "row": set()}
    cited = {}
    for report in reports:
        ids["op"] |= {o["op"] for o in report["operators"]}
        ids["fact"] |= {f["fact"] for f in report["facts"]}
        ids["row"] |= {r["rule"] for r in report["rules"] + report["warnings"]}
        cited.update({f["fact"]: f["section"] for f in report["facts"]})
    covered, used = set(), {"op": set(), "fact": set(), "row": set()}
    for first, last, digest, owner in read_lines():
        body = " ".join(line.strip() for line in text[first - 1 : last] if line.strip())
        problem = (
            None if hashlib.sha256(body.encode()).hexdigest()[:8] == digest else "the text has changed: " + body[:80]
        )
        overlap = covered & set(range(first, last + 1))
        covered |= set(range(first, last + 1))
        for kind, name in [o.split(" ", 1) for o in owner.split(", ")] if not owner.startswith("-") else []:
            used[kind].add(name)
            if name not in ids[kind]:
                problem = "there is no %s %s" % (kind, name)
        score.check("lines %d to %d" % (first, last), problem or ("two rows" if overlap else None))
    left = [i for i, line in enumerate(text, 1) if line.strip() and i not in covered]
    score.check("all lines", None if not left else "nobody says lines %s" % left)
    for kind, more in (("op", {"MIRROR_PAD", "GELU"}), ("fact", NO_LINE_FACTS), ("row", NO_LINE_ROWS)):
        extra = ids[kind] - used[kind] - more
        score.check("every %s has lines" % kind, None if not extra else str(sorted(extra)))
    uncited = [f for f in NO_LINE_FACTS if cited[f]]
    score.check("what no line says cites nothing", None if not uncited else str(uncited))


def cells(text, first, last):
    return [line.strip() for line in text[first - 1 : last] if line.strip()]


def transcription(score, text):
    rows = cells(text, 19, 41)
    got = {rows[i].split()[1]: tuple(int(c.split()[0]) for c in rows[i + 1 : i + 4]) for i in range(0, 12, 4)}
    score.check("MACs", None if got == guide.MACS else str(got))
    rows = cells(text, 63, 109)
    got = {rows[i]: " ".join(rows[i + 1 : i + 4]) for i in range(0, 24, 4)}
    score.check("types", None if got == guide.HW_SW else str(got))
    for name, first, last, want in (("operations", 201, 745, guide.OPERATIONS), ("custom", 761, 839, guide.CUSTOM)):
        rows = cells(text, first, last)
        got = {}
        for i, cell in enumerate(rows[2:], 2):
            if re.fullmatch(r"MDLA \d\.\d", cell) and re.fullmatch(r"[123](, [123])*", rows[i - 1]):
                op = rows[i - 3] if rows[i - 2] == "(5 inputs)" else rows[i - 2]
                got[op] = (rows[i - 1], cell.split()[1])
        score.check(name, None if got == want else "differ: %s" % sorted(set(got.items()) ^ set(want.items())))
    rows, got, name = cells(text, 963, 1275), [], None
    at = 0
    while at < len(rows):
        if not rows[at].startswith("MDLA "):
            name, at = rows[at], at + 1
        got.append((name, rows[at].split()[1], *map(int, rows[at + 1 : at + 5])))
        at += 5
    score.check("throughput", None if got == guide.MATH else str(set(got) ^ set(guide.MATH)))
    rows = cells(text, 1291, 1329)
    factor = {"TP": 1, "TP/2": 2, "NA": None}
    got = {rows[i]: tuple(factor[c] for c in rows[i + 1 : i + 5]) for i in range(0, 20, 5)}
    score.check("pools", None if got == guide.POOLS else str(got))
    got, name = {}, None
    for cell in cells(text, 1369, 1433):
        if cell in guide.GROUPS:
            name = got.setdefault(cell, [])
        else:
            name.append(cell.split(" (")[0])
    score.check("groups", None if got == guide.GROUPS else str(got))
    for batch, line in ((1, 897), (2, 903), (4, 909), (8, 915)):
        found = re.findall(r"MDLA ([\d./]+): ([\d.]+)%", text[line - 1])
        got = {v: float(rate) for vs, rate in found for v in vs.split("/")}
        score.check("batch %d" % batch, None if got == guide.FC_RATE[batch] else str(got))


def main():
    a = arguments(__doc__)
    score, mdla = Score("mdla guide"), Mdla(a.command)
    reports = [mdla.ops(v) for v in VERSIONS]
    for version, report in zip(VERSIONS, reports):
        facts = facts_of(report)
        operators(score, version, report)
        rates(score, version, facts)
        types(score, version, facts)
        fusion(score, version, facts)
        markdown(score, mdla, version, report)
    path = os.path.join(a.shared, "reference", GUIDE_TEXT)
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            text = f.read().split("\n")
        lines(score, text, [*reports, *(mdla.ops(v, "guide-relax-fp32") for v in VERSIONS)])
        transcription(score, text)
    else:
        print("left out the guide's text: no %s" % path)
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
