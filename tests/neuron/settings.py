"""What the scripts that compare npu_rt with the plugin have in common: options, cases, networks."""

import argparse
import glob
import os
import sys
import tempfile
import zlib

import numpy as np
import plugin

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "../conformance"), os.path.join(HERE, "../ethosu")]

import cases  # noqa: E402
import mutated  # noqa: E402
import sample  # noqa: E402
import unseen  # noqa: E402
from runner import SHARED  # noqa: E402

ROUNDS = 1  # how often each operator is drawn with each type, for each version of the adapter
LARGEST = 1 << 20  # bytes of a public network to change
SHIPPED = os.path.join(plugin.REPO, "examples/digits")


def arguments(description):
    p = argparse.ArgumentParser(description=description)
    p.add_argument("--command", default=os.path.join(plugin.REPO, "build/npu_rt"))
    p.add_argument("--shared", default=SHARED, help="folder with models/ and oracles/")
    p.add_argument(
        "--adapter", default=None, help="folder with a libneuron_adapter.so that records (default: the recorder)"
    )
    p.add_argument(
        "--rounds", type=int, default=ROUNDS, help="how often each operator is drawn with each type, per version"
    )
    p.add_argument(
        "--networks", type=int, default=24, help="how many networks are drawn, and twice as many made of others"
    )
    p.add_argument(
        "--library", default=os.path.join(plugin.REPO, "build/test/libnpu_rt.so"), help="the header as a library"
    )
    sample.add_option(p)
    a = p.parse_args()
    if plugin.available() and not a.adapter:
        a.adapter = plugin.build_recorder()
    return a


def nothing(score):
    """The end of a script where there is no plugin: wheels hold it for Linux on x86-64 only."""
    score.skip("everything", "no MediaTek plugin in build/tools")
    print("%s: 0 passed, 0 failed" % score.title)
    return 0


def drawn(a, chosen):
    """[(version, cases)]: every operator with every type, other models at each version; one in six of a sample."""
    found = []
    for i, version in enumerate(plugin.VERSIONS):
        numbers = [(n, r) for r in range(a.rounds) for n in range(len(cases.pairs()))]
        taken = [(n, r) for n, r in numbers if chosen.takes((version, n, r), 6)]
        found.append((version, [cases.case(n, "%s %d %d" % (a.sample, i, r)) for n, r in taken]))
    return found


def public(a):
    """[(name, path)] of the shipped and the public networks."""
    paths = sorted(glob.glob(SHIPPED + "/*.tflite")) + sorted(glob.glob(os.path.join(a.shared, "models/*.tflite")))
    return [(os.path.basename(p)[:-7], p) for p in paths]


def _fusable(data):
    """The same network with RELU where TANH or SIGN_BIT is fused: npu_rt leaves those to the CPU, the plugin doesn't."""
    model = mutated.load(data)
    for op in (op for graph in model.subgraphs for op in graph.operators):
        if getattr(op.builtinOptions, "fusedActivationFunction", 0) in (4, 5):
            op.builtinOptions.fusedActivationFunction = 1
    return mutated.pack(model)


class Unseen:
    """Networks of several operators that nobody has seen, as files: drawn at random, and drawn and public ones with something
    changed. list: [(name, path)]. fusable: only with activations that both sides take."""

    def __init__(self, a, fusable=False):
        self.folder, self.list = tempfile.TemporaryDirectory(), []
        small = [p for _, p in public(a) if os.path.getsize(p) <= LARGEST and not p.endswith("_vela.tflite")]
        first, rng = zlib.crc32(a.sample.encode()), np.random.default_rng(list(a.sample.encode()))
        for seed in range(first, first + (a.networks // 4 if a.sample else a.networks)):
            name, data = unseen.network(seed)
            source = small[int(rng.integers(len(small)))]
            with open(source, "rb") as f:
                known = os.path.basename(source)[:-7], f.read()
            self._add("drawn %s %d" % (name, seed), data, fusable)
            for kind, (name, data) in (("mutated", (name, data)), ("mutated", known)):
                what, changed = mutated.mutate(data, np.random.default_rng([seed, 7]))
                self._add("%s %s %s %d" % (kind, name, what, seed), changed, fusable)

    def _add(self, name, data, fusable):
        path = os.path.join(self.folder.name, "%d.tflite" % len(self.list))
        with open(path, "wb") as f:
            f.write(_fusable(data) if fusable else data)
        self.list.append((name, path))
