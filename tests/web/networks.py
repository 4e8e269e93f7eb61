#!/usr/bin/env python3
"""The networks in a browser's worker or in node: the same outputs as the native command line.

    networks.py --where chromium|node [--models DIR] [--only SUBSTRING] [--seed N] [--isa NAME]

Integers must be equal, floats within 1e-4 of the output's largest magnitude (the kernels sum in another order).
The native answers are held against
LiteRT by tests/conformance/networks.py."""

import argparse
import glob
import json
import os
import shutil
import subprocess
import sys

import numpy as np

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(REPO, "tests", "conformance"))
from networks import FLOAT_BOUND, Network  # noqa: E402
from runner import SHARED, Command, CommandFailed, Score, difference  # noqa: E402


class Job:
    """One run: what the browser's side is told, and what it has to answer."""

    def __init__(self, net, key, subgraph, seed, folder):
        self.net, self.key, self.subgraph = net, key, subgraph
        self.label = net.name + ("" if key is None else "/" + key)
        self.inputs = net.inputs(subgraph, seed)
        self.folder = os.path.join(folder, self.label.replace("/", "."))
        os.makedirs(self.folder)

    def description(self):
        paths = []
        for i, array in enumerate(self.inputs):
            paths.append(os.path.join(self.folder, "in%d.npy" % i))
            np.save(paths[-1], array)
        return {
            "model": os.path.abspath(self.net.path),
            "inputs": paths,
            "outDir": os.path.join(self.folder, "out"),
            "subgraph": self.subgraph,
        }

    def outputs(self):
        arrays = []
        while os.path.exists(os.path.join(self.folder, "out", "%d.npy" % len(arrays))):
            arrays.append(np.load(os.path.join(self.folder, "out", "%d.npy" % len(arrays))))
        return arrays

    def error(self):
        path = os.path.join(self.folder, "out", "error.txt")
        if not os.path.exists(path):
            return None
        with open(path) as f:
            return f.read().strip()

    def problem(self, native):
        error = self.error()
        if error is not None:
            return "failed: " + error
        ours = self.outputs()
        if not ours:
            return "left no outputs"
        try:
            expected = native.run(self.net.path, self.inputs, self.key)
        except CommandFailed as e:
            return "natively: %s" % e
        return difference(ours, expected, FLOAT_BOUND)


def networks(models, only):
    paths = sorted(glob.glob(os.path.join(models, "*.tflite")))
    paths += sorted(glob.glob(os.path.join(REPO, "examples", "digits", "*.tflite")))
    return [Network(path) for path in paths if only in os.path.basename(path)]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--where", choices=("chromium", "node"), required=True)
    p.add_argument("--models", default=os.path.join(SHARED, "models"))
    p.add_argument("--only", default="")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--isa", default="auto")
    a = p.parse_args()
    score = Score(a.where)
    if not os.path.isdir(a.models):
        print("left out %s: the public networks (no %s)" % (a.where, os.path.relpath(a.models, REPO)))
    folder = os.path.join(REPO, "build", "test", "web_" + a.where)
    shutil.rmtree(folder, ignore_errors=True)
    jobs = [
        Job(net, key, subgraph, a.seed, folder) for net in networks(a.models, a.only) for key, subgraph in net.entries()
    ]
    listing = os.path.join(folder, "jobs.json")
    with open(listing, "w") as f:
        json.dump([job.description() for job in jobs], f, indent=1)
    ran = subprocess.run(
        ["node", "tests/web/conformance.mjs", "--where", a.where, "--jobs", listing, "--isa", a.isa],
        cwd=REPO,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=1500,
    )
    print(ran.stdout + ran.stderr, flush=True)
    native = Command(os.path.join(REPO, "build", "npu_rt"))
    for job in jobs:
        score.check(job.label, job.problem(native))
    if ran.returncode != 0 and not score.failed:
        score.check("conformance.mjs", "exit %d: %s" % (ran.returncode, ran.stderr[-300:]))
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
