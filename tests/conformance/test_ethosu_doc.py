#!/usr/bin/env python3
"""The Ethos-U rule table against the vendor's published document: every line has its rule, every rule its line."""

import hashlib
import os
import re
import sys

from ethosu import Ethosu, arguments
from runner import Score

# (section, bullet): (first 8 digits of the line's SHA-256, rule). The digits notice a line that changes or moves.
LINES = {
    ("Generic", 1): ("df529a6f", "ethosu.tensor_type_int8"),
    ("Generic", 2): ("60924a9d", "ethosu.tensor_dims_1_65535"),
    ("Generic", 3): ("13298f0f", "ethosu.fused_activation"),
    ("Generic", 4): ("8eef8b38", "ethosu.fused_activation_output_int8"),
    ("ADD", 1): ("ff1b0c77", "ethosu.add.broadcast"),
    ("AVERAGE_POOL_2D", 1): ("cd82593b", "ethosu.average_pool_2d.batch_1"),
    ("AVERAGE_POOL_2D", 2): ("a0b28543", "ethosu.average_pool_2d.stride_1_3"),
    ("AVERAGE_POOL_2D", 3): ("b1496dbe", "ethosu.average_pool_2d.filter_1_8"),
    ("AVERAGE_POOL_2D", 4): ("02e21060", "ethosu.average_pool_2d.valid_filter_height_1_256"),
    ("AVERAGE_POOL_2D", 5): ("f0238c54", "ethosu.average_pool_2d.valid_filter_product_1_65536"),
    ("CONV_2D", 1): ("a0b28543", "ethosu.conv_2d.stride_1_3"),
    ("CONV_2D", 2): ("8c5b571b", "ethosu.conv_2d.dilation_1_2"),
    ("CONV_2D", 3): ("cf0314f5", "ethosu.conv_2d.dilated_height_1_64"),
    ("CONV_2D", 4): ("1c8acf05", "ethosu.conv_2d.dilated_product_1_4096"),
    ("CONV_2D", 5): ("17dbab58", "ethosu.conv_2d.weights_8bit"),
    ("CONV_2D", 6): ("db798e16", "ethosu.conv_2d.weights_constant"),
    ("CONV_2D", 7): ("2e9d2733", "ethosu.conv_2d.weights_sum"),
    ("CONV_2D", 8): ("38212150", "ethosu.conv_2d.bias_int32"),
    ("CONV_2D", 9): ("cd82593b", "ethosu.conv_2d.batch_1"),
    ("DEPTHWISE_CONV_2D", 1): ("a0b28543", "ethosu.depthwise_conv_2d.stride_1_3"),
    ("DEPTHWISE_CONV_2D", 2): ("8c5b571b", "ethosu.depthwise_conv_2d.dilation_1_2"),
    ("DEPTHWISE_CONV_2D", 3): ("cf0314f5", "ethosu.depthwise_conv_2d.dilated_height_1_64"),
    ("DEPTHWISE_CONV_2D", 4): ("1c8acf05", "ethosu.depthwise_conv_2d.dilated_product_1_4096"),
    ("DEPTHWISE_CONV_2D", 5): ("17dbab58", "ethosu.depthwise_conv_2d.weights_8bit"),
    ("DEPTHWISE_CONV_2D", 6): ("db798e16", "ethosu.depthwise_conv_2d.weights_constant"),
    ("DEPTHWISE_CONV_2D", 7): ("2e9d2733", "ethosu.depthwise_conv_2d.weights_sum"),
    ("DEPTHWISE_CONV_2D", 8): ("38212150", "ethosu.depthwise_conv_2d.bias_int32"),
    ("DEPTHWISE_CONV_2D", 9): ("cd82593b", "ethosu.depthwise_conv_2d.batch_1"),
    ("DEPTHWISE_CONV_2D", 10): ("e352e761", "ethosu.depthwise_conv_2d.depth_multiplier"),
    ("FULLY_CONNECTED", 1): ("17dbab58", "ethosu.fully_connected.weights_8bit"),
    ("FULLY_CONNECTED", 2): ("db798e16", "ethosu.fully_connected.weights_constant"),
    ("FULLY_CONNECTED", 3): ("38212150", "ethosu.fully_connected.bias_int32"),
    ("MAX_POOL_2D", 1): ("cd82593b", "ethosu.max_pool_2d.batch_1"),
    ("MAX_POOL_2D", 2): ("a0b28543", "ethosu.max_pool_2d.stride_1_3"),
    ("MAX_POOL_2D", 3): ("a9009b9a", "ethosu.max_pool_2d.filter_height_1_256"),
    ("MAX_POOL_2D", 4): ("bdeb45bc", "ethosu.max_pool_2d.filter_product_1_65536"),
    ("MUL", 1): ("ff1b0c77", "ethosu.mul.broadcast"),
    ("PAD", 1): ("d8a92325", "ethosu.pad.shape"),
    ("PAD", 2): ("cd188e3b", "ethosu.pad.width_height_only"),
    ("PAD", 3): ("0a26feac", "ethosu.pad.type_int32"),
    ("RESHAPE", 1): ("d7b46e7e", "ethosu.reshape.shape_constant"),
    ("RESIZE_BILINEAR", 1): ("91a8ba42", "ethosu.resize_bilinear.size"),
    ("RESIZE_BILINEAR", 2): ("bc6db803", "ethosu.resize_bilinear.half_pixel_centers"),
    ("SUB", 1): ("ff1b0c77", "ethosu.sub.broadcast"),
}
NO_LINE = {"ethosu.operator_not_listed"}  # the paragraph above the summary table


def read(path):
    """Operators of the summary table with "has a section of its own", and the bullets by section."""
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    table, bullets, section, last = {}, {}, None, None
    for line in lines:
        row = re.match(r"\| ([A-Z0-9_]+) \| (.*) \|$", line)
        heading = re.match(r"### TFLite (\w+) Constraints$", line)
        if row:
            table[row.group(1)] = "Specific" in row.group(2)
        elif heading:
            section, last = heading.group(1), None
        elif section and line.startswith("- "):
            last = (section, 1 + sum(s == section for s, _ in bullets))
            bullets[last] = line[2:]
        elif last and line.startswith("  "):
            bullets[last] += " " + line
        else:
            last = None
    return table, bullets


def digest(text):
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:8]


def limits(text):
    """The numbers a line allows, (lowest or None, highest or None)."""
    span = re.search(r"in the range \[(\d+), (\d+)\]$", text)
    exact = re.search(r"must be (\d+)$", text)
    most = re.search(r"cannot exceed (\d+)$", text)
    if span:
        return int(span.group(1)), int(span.group(2))
    if exact:
        return int(exact.group(1)), int(exact.group(1))
    return None, int(most.group(1)) if most else None


def sections(markdown):
    """Operators of the report's table with their number of rules, and the rules under each heading."""
    table = {m.group(1): int(m.group(2)) for m in re.finditer(r"^\| ([A-Z0-9_]+) \| (\d+) \|$", markdown, re.M)}
    parts = re.split(r"^## (.*)$", markdown, flags=re.M)
    return table, {
        h: dict((rule, text) for text, rule in re.findall(r"^- (.*) \(`(.*)`\)$", body, re.M))
        for h, body in zip(parts[1::2], parts[2::2])
    }


def compare_markdown(score, markdown, report, table, bullets):
    """The report for readers has the same operators and, under each heading, a line for every line of the document."""
    rows, headings = sections(markdown)
    rules = {r["rule"]: r for r in report["rules"]}
    score.check("markdown table", None if set(rows) == set(table) else "differs: %s" % sorted(set(rows) ^ set(table)))
    seen = 0
    for section, bullet in bullets:
        rule = LINES[(section, bullet)][1]
        lines = headings.get("Every operator" if section == "Generic" else section, {})
        row, said = rules[rule], lines.get(rule, "")
        seen += 1
        whole = said.startswith(row["text"]) and ("hi" in row or said.endswith(": " + row["limit"]))
        score.check("markdown %s %d" % (section, bullet), None if whole else "says: %r" % said)
    stated = sum(len(lines) for lines in headings.values())
    score.check("markdown lines", None if stated == seen else "%d lines for %d of the document" % (stated, seen))
    for op, n in rows.items():
        score.check("markdown count of " + op, None if n == len(headings.get(op, {})) else "says %d rules" % n)


def compare(score, report, table, bullets):
    rules = {r["rule"]: r for r in report["rules"]}
    own = {o["op"]: [r for r in o["rules"] if rules[r]["section"] != "Generic"] for o in report["operators"]}
    score.check("19 operators", None if len(table) == 19 else "the document lists %d" % len(table))
    score.check("operators", None if set(own) == set(table) else "differ: %s" % sorted(set(own) ^ set(table)))
    for op, specific in table.items():
        score.check("section of " + op, None if bool(own.get(op)) == specific else "has rules: %s" % own.get(op))
    for key, text in bullets.items():
        want, rule = LINES.get(key, (None, None))
        problem = None
        if want is None:
            problem = "no rule for this line: %s" % text
        elif want != digest(text):
            problem = "the line has changed: %s" % text
        elif rule not in rules:
            problem = "the backend has no rule " + rule
        elif (rules[rule]["section"], rules[rule]["bullet"]) != key:
            problem = "%s says it comes from %s, bullet %d" % (rule, rules[rule]["section"], rules[rule]["bullet"])
        elif any((rule in o["rules"]) != (key[0] in ("Generic", o["op"])) for o in report["operators"]):
            problem = rule + " is not in force for exactly the operators of its section"
        elif limits(text) != (rules[rule].get("lo"), rules[rule].get("hi")):
            problem = "%s has limits %s to %s" % (rule, rules[rule].get("lo"), rules[rule].get("hi"))
        elif rules[rule]["source"] != "Supported Ops 0.1, %s, line %d" % key:
            problem = "%s gives its source as %s" % (rule, rules[rule]["source"])
        score.check("%s %d" % key, problem)
    gone = set(LINES) - set(bullets)
    score.check("lines that are gone", None if not gone else str(sorted(gone)))
    extra = set(rules) - {rule for _, rule in LINES.values()} - NO_LINE
    score.check("rules without a line", None if not extra else str(sorted(extra)))


def main():
    a = arguments(__doc__)
    path = os.path.join(a.shared, "reference", "ethos-u-supported-ops.md")
    if not os.path.exists(path):
        print("left out ethosu document: no %s" % path)
        return 0
    score = Score("ethosu document")
    ethosu, document = Ethosu(a.command), read(path)
    report = ethosu.ops("published")
    compare(score, report, *document)
    compare_markdown(score, ethosu.markdown("published"), report, *document)
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
