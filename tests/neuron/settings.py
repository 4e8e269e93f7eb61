"""What the scripts that compare npu_rt with the plugin have in common: options, cases, networks."""

import argparse
import glob
import os
import sys
import tempfile

import plugin

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "../conformance"), os.path.join(HERE, "../ethosu")]

import cases  # noqa: E402
import sample  # noqa: E402
from runner import SHARED  # noqa: E402

ROUNDS = 3  # of every operator with every type: how often with other shapes and attributes
SHIPPED = os.path.join(plugin.REPO, "examples/digits")


def arguments(description):
    p = argparse.ArgumentParser(description=description)
    p.add_argument("--command", default=os.path.join(plugin.REPO, "build/npu_rt"))
    p.add_argument("--shared", default=SHARED, help="folder with models/ and oracles/")
    p.add_argument("--adapter", default=None, help="folder with a libneuron_adapter.so that records (default: the recorder)")
    p.add_argument("--rounds", type=int, default=ROUNDS, help="how often each operator is drawn with each type")
    p.add_argument("--networks", type=int, default=40, help="how many networks are drawn")
    sample.add_option(p)
    a = p.parse_args()
    a.adapter = a.adapter or plugin.build_recorder()
    return a


def drawn(a, chosen):
    """[(version, cases)]: all of them at each version; of a sample each case at one version, and one in four."""
    numbers, count = range(len(cases.pairs())), a.rounds
    found = {v: [] for v in plugin.VERSIONS}
    for version in plugin.VERSIONS:
        for n in numbers:
            for r in range(count):
                if a.sample and (r or chosen.number(n) % 4 or chosen.number(n, "version") % 3 != plugin.VERSIONS.index(version)):
                    chosen.left += 1
                    continue
                chosen.taken += 1
                found[version].append(cases.case(n, "%s %d" % (a.sample, r)))
    return list(found.items())


def public(a):
    """[(name, path)] of the shipped and the public networks."""
    paths = sorted(glob.glob(SHIPPED + "/*.tflite")) + sorted(glob.glob(os.path.join(a.shared, "models/*.tflite")))
    return [(os.path.basename(p)[:-7], p) for p in paths]


class Unseen:
    """Networks of several operators drawn at random, as files: [(name, path)]."""

    def __init__(self, a):
        import unseen
        import zlib

        self.folder, self.list = tempfile.TemporaryDirectory(), []
        first = zlib.crc32(a.sample.encode())
        for seed in range(first, first + (a.networks // 3 if a.sample else a.networks)):
            name, data = unseen.network(seed)
            path = os.path.join(self.folder.name, "%d.tflite" % seed)
            with open(path, "wb") as f:
                f.write(data)
            self.list.append(("%s %d" % (name, seed), path))
