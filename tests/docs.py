#!/usr/bin/env python3
"""The generated parts of README.md and wasi/README.md: between <!-- generated: NAME --> and <!-- end --> stands what a command says.

docs.py --check     fails when a part is stale (make test)
docs.py --write     renews them"""

import argparse
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
REPO = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(HERE, "conformance"))


def cli(*args):
    return subprocess.run(
        [os.path.join(REPO, "build", "npu_rt"), *args], check=True, capture_output=True, text=True
    ).stdout


def listed_ops(backend):
    import json

    report = json.loads(cli("ops", "--backend", backend, "--json"))
    return [o["op"] if "op" in o else o["name"] for o in report.get("operators", report.get("ops"))]


def support_matrix():
    """Rows of operator x type that conformance cases prove, as tests/conformance/ops.py --matrix writes them when all of them
    pass (it fails when one does not), and whether the Ethos-U rules list the operator. Custom operators that LiteRT has no
    kernel of stand behind, with the types that come out of them."""
    from ops import all_cases, ops_of, rows
    from variants import ROWS, Table, nodes_of

    table, others = Table(), {}
    ours = set(rows()) - set(ROWS) - {v for op in ROWS for v in ROWS[op]}
    for name, model, _, oracle, tolerance in all_cases("", circle=True):
        table.case(name, model, oracle, tolerance)
        if ours.intersection(ops_of(model)):
            for node in nodes_of(model):
                if node.outs and ours.intersection((node.custom, node.op)):
                    by = "tflite-micro" if oracle == "tflm" else "a reference in the test"
                    found = others.setdefault(node.custom or node.op, (set(), set()))
                    found[0].add(node.outs[0].type)
                    found[1].add("" if oracle == "litert_ref" else by)
    ethosu = dict.fromkeys(listed_ops("ethos-u"), "yes")
    lines = [table.matrix(("Ethos-U rules list it", ethosu))]
    for name in sorted(ours):
        types, by = others.get(name, ((), ()))
        lines.append(
            "| %s | %s |  | %s | %s |" % (name, ", ".join(sorted(types)), ", ".join(sorted(by)), ethosu.get(name, ""))
        )
    return "\n".join(lines)


def switches():
    """The SWITCHES section of the header's manual."""
    with open(os.path.join(REPO, "src", "npu.h")) as f:
        text = f.read()
    block = re.search(r"\* SWITCHES.*?\n \*\n(.*?)\n \*\n", text, re.S).group(1)
    rows = []
    for line in block.splitlines():
        m = re.match(r" \*     (NPU_RT[^\s,]+(?:(?:,| \|) NPU_RT[^\s,]+)*) +(.*)", line)
        if m:
            rows.append([m[1], m[2]])
        else:
            rows[-1][1] += " " + line.strip(" *")
    return "\n".join(
        ["| define | effect |", "|---|---|"]
        + [
            "| %s | %s |" % (re.sub(r"[^,| ]+", r"`\g<0>`", a).replace(" | ", " or ").replace(", ", " and "), b)
            for a, b in rows
        ]
    )


def commands():
    """The commands of the command line, as its help lists them."""
    rows = re.findall(r"^  ([a-z]+ (?:MODEL)?) +(\S.*)", cli("--help"), re.M)
    return "\n".join(["| command | |", "|---|---|"] + ["| `%s` | %s |" % (name.strip(), does) for name, does in rows])


# A column of the table: its head, network, options.
PLANNED = [
    ("MobileNetV2, uint8", "mobilenet_v2_1.0_224_quant", ()),
    ("DeepLabV3, float32", "deeplabv3", ("--relax-fp32",)),
]
VERSIONS = ["1.5", "2.0", "3.0"]


def mib(n):
    return "%.2f MiB" % (n / 2**20)


# A row: its head, and what stands there of a plan's summary.
PLAN_ROWS = [
    ("operators on the MDLA", lambda s: "%d of %d" % (s["ops_placed"], s["ops"])),
    ("phases, switches", lambda s: "%d, %d" % (s["phases"], s["switches"])),
    ("cycles, at least", lambda s: "{:,}".format(s["cycles_at_least"])),
    ("operators without a stated rate", lambda s: s["ops_unknown"]),
    ("groups of fused operators", lambda s: s["groups"]),
    ("chains of deep layer fusion", lambda s: s["chains"]),
    ("external memory, read and written", lambda s: mib(s["external_bytes"])),
    ("with the chains", lambda s: mib(s["external_bytes_chained"])),
    ("conversions of types", lambda s: mib(s["convert_bytes"])),
    ("re-layouts at run time", lambda s: mib(s["relayout_bytes"])),
    ("hints", lambda s: s["hints"]),
]


def plans():
    """What npu_rt plans for public networks on each version of the MDLA."""
    import json

    heads, summaries = [], []
    for head, name, options in PLANNED:
        path = os.path.join(REPO, "..", "shared", "models", name + ".tflite")
        if not os.path.exists(path):
            return None
        for version in VERSIONS:
            heads.append("%s: %s" % (head, version) if version == VERSIONS[0] else version)
            summaries.append(
                json.loads(cli("plan", path, "--backend", "mdla" + version, *options, "--json"))["summary"]
            )
    lines = ["| | %s |" % " | ".join(heads), "|---|%s" % ("---:|" * len(heads))]
    for head, cell in PLAN_ROWS:
        lines.append("| %s | %s |" % (head, " | ".join(str(cell(s)) for s in summaries)))
    return "\n".join(lines)


# What a part's function gives; None: its networks are not here, so it stays as it is.
PARTS = {
    "README.md": {"support": support_matrix, "switches": switches, "plans": plans},
    "wasi/README.md": {"commands": commands},
}


def renewed(file, text):
    for name, make in PARTS[file].items():
        pattern = re.compile(r"(<!-- generated: %s -->\n).*?(<!-- end -->)" % name, re.S)
        if not pattern.search(text):
            raise SystemExit("%s has no part '%s'" % (file, name))
        made = make()
        if made is None:
            print("left out docs %s of %s: no ../shared/models" % (name, file))
            continue
        text = pattern.sub(lambda m: m[1] + made + "\n" + m[2], text)
    return text


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--write", action="store_true")
    p.add_argument("--check", action="store_true")
    a = p.parse_args()
    stale = 0
    for file in PARTS:
        path = os.path.join(REPO, file)
        with open(path) as f:
            old = f.read()
        new = renewed(file, old)
        if a.write:
            with open(path, "w") as f:
                f.write(new)
        elif new != old:
            print("FAIL %s is stale: run make docs" % file)
            stale += 1
    print("docs: %d passed, %d failed" % (len(PARTS) - stale, stale))
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
