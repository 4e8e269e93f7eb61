#!/usr/bin/env python3
"""The generated parts of README.md: between <!-- generated: NAME --> and <!-- end --> stands what a command says.

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
README = os.path.join(REPO, "README.md")


def cli(*args):
    return subprocess.run(
        [os.path.join(REPO, "build", "npu_rt"), *args], check=True, capture_output=True, text=True
    ).stdout


def listed_ops(backend):
    import json

    report = json.loads(cli("ops", "--backend", backend, "--json"))
    return [o["op"] if "op" in o else o["name"] for o in report.get("operators", report.get("ops"))]


def support_matrix():
    """One row an operator: the types its conformance cases prove, and whether the Ethos-U rules list it."""
    from mkmodel import TYPES, schema
    from ops import all_cases, ops_of, rows

    names = {v: k for k, v in TYPES.items()}
    proven = {}
    for _, model, _, _, _ in all_cases(""):
        ops = set(ops_of(model))
        m = schema.Model.GetRootAs(model, 0)
        g = m.Subgraphs(0)
        for i in range(g.OperatorsLength()):
            o = g.Operators(i)
            code = m.OperatorCodes(o.OpcodeIndex())
            number = max(code.BuiltinCode(), code.DeprecatedBuiltinCode())
            name = (
                next((x for x in ops if x == (code.CustomCode() or b"").decode()), None)
                if number == 32
                else next(k for k, v in vars(schema.BuiltinOperator).items() if v == number)
            )
            tensors = [o.Inputs(k) for k in range(o.InputsLength())] + [o.Outputs(k) for k in range(o.OutputsLength())]
            types = [names[g.Tensors(t).Type()] for t in tensors if t >= 0]
            if types:
                # SPLIT's first input is its axis; SELECT's the condition: what matters is what comes out
                proven.setdefault(name, set()).add(
                    names[g.Tensors(o.Outputs(0)).Type()] if o.OutputsLength() else types[-1]
                )
    ethosu = set(listed_ops("ethos-u"))
    order = list(TYPES)
    lines = ["| operator | types of the output proven against the oracle | Ethos-U rules list it |", "|---|---|---|"]
    for name in sorted(rows()):
        types = ", ".join(sorted(proven.get(name, ()), key=order.index))
        lines.append("| %s | %s | %s |" % (name, types, "yes" if name in ethosu else ""))
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


PARTS = {"support": support_matrix, "switches": switches}


def renewed(text):
    for name, make in PARTS.items():
        pattern = re.compile(r"(<!-- generated: %s -->\n).*?(<!-- end -->)" % name, re.S)
        if not pattern.search(text):
            raise SystemExit("README.md has no part '%s'" % name)
        text = pattern.sub(lambda m: m[1] + make() + "\n" + m[2], text)
    return text


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--write", action="store_true")
    p.add_argument("--check", action="store_true")
    a = p.parse_args()
    with open(README) as f:
        old = f.read()
    new = renewed(old)
    if a.write:
        with open(README, "w") as f:
            f.write(new)
    ok = a.write or new == old
    if not ok:
        print("FAIL README.md is stale: run make docs")
    print("docs: %d passed, %d failed" % (ok, not ok))
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
