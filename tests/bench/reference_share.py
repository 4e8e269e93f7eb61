#!/usr/bin/env python3
"""Which operators of the public networks spend their time in kernels called `reference`.

    reference_share.py [--command build/npu_rt] [--at-least 1] [--threads N] [--isa NAME] [MODEL...]

A row for each network and operator type with that many percent of an invoke or more, by the profile of a few runs; then the worst
share of each type. The exit code is 0: these are figures, not a test."""

import argparse
import collections
import glob
import json
import os
import subprocess

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.path.join(os.path.dirname(REPO), "shared", "models")


def shares(command, path, more):
    """{operator: percent of the network's time in reference kernels}, or the reason why there are none."""
    p = subprocess.run(
        [command, "bench", path, "--profile", "--json", "--time-limit", "60", *more], capture_output=True, text=True
    )
    try:
        report = json.loads(p.stdout)
    except ValueError:
        return p.stderr.strip()
    if not report.get("ops"):
        return report["error"]["message"] if report.get("error") else "no operators"
    found = collections.Counter()
    for op in report["ops"]:
        found[op["op"]] += op["share"] * 100 if op["kernel"] == "reference" else 0
    return found


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("models", nargs="*", metavar="MODEL", help="default: those of ../shared/models")
    p.add_argument("--command", default=os.path.join(REPO, "build", "npu_rt"))
    p.add_argument("--at-least", type=float, default=1)
    p.add_argument("--threads", default="1")
    p.add_argument("--isa")
    a = p.parse_args()
    worst = {}
    more = ["--threads", a.threads] + (["--isa", a.isa] if a.isa else [])
    for path in a.models or sorted(glob.glob(os.path.join(SHARED, "*.tflite"))):
        name, found = os.path.basename(path), shares(a.command, path, more)
        if isinstance(found, str):
            print("%-50s left out: %s" % (name, found))
            continue
        for op, share in found.most_common():
            worst[op] = max(worst.get(op, (0, "")), (share, name))
            if share >= a.at_least:
                print("%-50s %-28s %5.1f %%" % (name, op, share))
    print()
    for op, (share, name) in sorted(worst.items(), key=lambda w: -w[1][0]):
        if share >= a.at_least:
            print("%-28s at most %5.1f %%  %s" % (op, share, name))


if __name__ == "__main__":
    main()
