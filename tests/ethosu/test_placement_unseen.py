#!/usr/bin/env python3
"""`npu_rt check --profile vela-5.2` against live Vela 5.2.0 on whole networks that nobody has seen: drawn from templates
(unseen.py), and public networks or drawn ones with something changed (mutated.py).

A network is compared as test_placement_vela52.py does it: every operator on the same side, refused for what Vela says
(no refusal is without a reason), and gone where the file that Vela writes does not hold it. The seed is the commit, so
that every commit sees other networks; --count and --first make a sweep of it. What is left out is said, with its reason."""

import argparse
import collections
import glob
import os
import subprocess
import sys
import tempfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "conformance"))

from runner import REPO, SHARED, Score  # noqa: E402

import mutated  # noqa: E402
import numpy as np  # noqa: E402
import placement_vela  # noqa: E402
import test_placement_vela52 as same  # noqa: E402
import unseen  # noqa: E402
import vela  # noqa: E402

LARGEST = 1 << 20  # bytes of a public network to mutate: larger ones take Vela minutes


def seed_of(name):
    """A number for a commit or any other name; of this commit by default."""
    if not name:
        name = subprocess.run(["git", "-C", REPO, "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
    return zlib.crc32(name.encode()) >> 4


def public(folder):
    networks = {}
    for path in sorted(glob.glob(os.path.join(folder, "models", "*.tflite"))):
        if os.path.getsize(path) <= LARGEST and not path.endswith("_vela.tflite"):
            with open(path, "rb") as f:
                networks[os.path.basename(path)[: -len(".tflite")]] = f.read()
    return networks


def draw(kind, seed, networks):
    """(name, bytes) of the network of that seed."""
    rng = np.random.default_rng([seed, 7])
    if kind == "drawn":
        return unseen.network(seed)
    if kind == "mutated":
        name, data = unseen.network(seed)
    else:
        name = sorted(networks)[int(rng.integers(len(networks)))]
        data = networks[name]
    what, data = mutated.mutate(data, rng)
    return "%s %s %d" % (name, what, seed), data


def make(kinds, first, count, networks):
    made = {}
    for seed in range(first, first + count):
        for kind in kinds:
            name, data = draw(kind, seed, networks)
            made[(kind, name)] = data
    return made


class Table:
    """What was compared, by kind of network."""

    COLUMNS = ("networks", "comparisons", "equal", "verdicts", "equal verdicts")

    def __init__(self):
        self.rows = collections.defaultdict(lambda: dict.fromkeys(self.COLUMNS, 0))
        self.seen = collections.defaultdict(set)

    def add(self, kind, name, ok, verdicts, wrong):
        row = self.rows[kind]
        self.seen[kind].add(name)
        row["networks"] = len(self.seen[kind])
        row["comparisons"] += 1
        row["equal"] += ok
        row["verdicts"] += verdicts
        row["equal verdicts"] += verdicts - wrong

    def text(self):
        lines = ["| kind | " + " | ".join(self.COLUMNS) + " |", "|---" * (len(self.COLUMNS) + 1) + "|"]
        for kind, row in sorted(self.rows.items()):
            lines.append("| %s | %s |" % (kind, " | ".join(str(row[c]) for c in self.COLUMNS)))
        return "\n".join(lines)


def compare(score, ours, oracle, made, keep):
    todo = {(kind, name, a): (data, a) for (kind, name), data in made.items() for a in same.ACCELERATORS}
    verdicts, table, left_out = ours.check_all(todo), Table(), collections.defaultdict(set)
    for key, placement in oracle.place(todo):
        kind, name, accelerator = key
        mine = verdicts[key]
        if isinstance(mine, str):
            left_out["we say: " + mine.split(": ", 1)[-1][:100]].add(name)
            continue
        if placement.why and not placement.semantics:
            left_out["Vela: " + placement.why[:100]].add(name)
            continue
        if placement.semantics:
            problem = same.compare_semantics(mine, placement)
            n = wrong = 0
        else:
            problem, n, wrong = (
                same.compare_ops(mine, placement),
                len(placement.ops),
                len(same.differences(mine, placement)),
            )
        table.add(kind, name, problem is None, n, wrong)
        score.check("%s %s" % (name, accelerator), problem)
        if problem and keep:
            with open(os.path.join(keep, name.replace(" ", "_") + ".tflite"), "wb") as f:
                f.write(made[(kind, name)])
    for why, names in sorted(left_out.items()):
        score.skip("%d networks (%s)" % (len(names), ", ".join(sorted(names)[:2])), why)
    print(table.text())


def arguments():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--command", default=os.path.join(REPO, "build", "npu_rt"))
    p.add_argument("--shared", default=SHARED, help="folder with models/")
    p.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    p.add_argument("--sample", help="what the first seed is made from, instead of the commit")
    p.add_argument("--first", type=int, help="the first seed itself")
    p.add_argument("--count", type=int, default=16, help="seeds; each is one network of every kind")
    p.add_argument("--kinds", default="drawn,mutated,public")
    p.add_argument("--cache", help="folder that keeps what Vela said, from run to run")
    p.add_argument("--keep", help="folder for networks that differ")
    return p.parse_args()


def main():
    a, score = arguments(), Score("ethosu placement of unseen networks")
    first = seed_of(a.sample) if a.first is None else a.first
    print("seeds %d to %d" % (first, first + a.count - 1))
    if a.keep:
        os.makedirs(a.keep, exist_ok=True)
    with tempfile.TemporaryDirectory() as tmp:
        try:
            oracle = placement_vela.Oracle(jobs=a.jobs, folder=a.cache or tmp, timeout=10)
        except vela.VelaMissing as e:
            print("left out ethosu placement: %s" % e)
            return 0
        compare(
            score,
            same.Ours(a.command, a.jobs),
            oracle,
            make(a.kinds.split(","), first, a.count, public(a.shared)),
            a.keep,
        )
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
