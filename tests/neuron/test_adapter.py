#!/usr/bin/env python3
"""LiteRT's own MediaTek plugin compiles against npu_rt's libneuron_adapter.so.

Every public network that LiteRT loads, at every version of the adapter: nothing fails, and partitions are those recorded
(test_numbers.py runs them). Damaged bytecode ends in an error, and that of hardware is refused."""

import os
import subprocess
import sys
import tempfile

import numpy as np

import plugin

import settings  # isort: skip
from runner import Command, Score
from sample import Sample
from settings import nothing
from test_plugin import recorded

MAGIC = b"npu_rtNN"


def network(score, a, adapter, name, version, want):
    path = os.path.join(a.shared, "models", name + ".tflite")
    title = "%s %s" % (name, version)
    with tempfile.TemporaryDirectory() as d:
        out = os.path.join(d, "out.tflite")
        made = plugin.apply(path, version, adapter, out)
        failed = [line for line in made.log.splitlines() if " failed: " in line]
        problem = None if made.code == 0 and not failed else "exit %d, %s" % (made.code, failed or made.errors())
        score.check(title + " compiles", problem)
        problem = None if made.partitions == want else "%s instead of %s" % (made.partitions, want)
        score.check(title + " partitions", problem)


def damaged(score, a, command, adapter):
    """Bytes of the container changed, cut off, and not ours."""
    source = os.path.join(a.shared, "models/hello_world_int8.tflite")
    rng = np.random.default_rng(7)
    with tempfile.TemporaryDirectory() as d:
        out = os.path.join(d, "out.tflite")
        plugin.apply(source, plugin.STATIC, adapter, out)
        data = open(out, "rb").read()
        # The container begins a little before the network: its root's offset, tables, then the bytes.
        network_at = data.index(MAGIC)
        codes = {}
        for n in range(60):
            bad = bytearray(data)
            for at in rng.integers(network_at - 200, len(data), rng.integers(1, 4)):
                bad[at] ^= int(rng.integers(1, 256))
            with open(out, "wb") as f:
                f.write(bad if n % 6 else bad[: rng.integers(network_at, len(data))])
            p = subprocess.run([*command.prefix, "run", out], capture_output=True, text=True, timeout=120)
            codes[p.returncode] = codes.get(p.returncode, 0) + 1
        unexpected = {c: n for c, n in codes.items() if c not in (0, 1, 3, 4, 5)}
        score.check("damaged bytecode: no crash", str(unexpected) if unexpected else None)
        score.check("damaged bytecode: most is refused", None if codes.get(0, 0) < 15 else str(codes))
        with open(out, "wb") as f:
            f.write(data.replace(MAGIC, b"\x00DLA\x00\x00\x00\x00"))
        p = subprocess.run([*command.prefix, "run", out], capture_output=True, text=True, timeout=120)
        problem = None if p.returncode == 4 and "[neuron.bytecode]" in p.stderr else p.stderr[-300:]
        score.check("bytecode of hardware is refused", problem)
        p = subprocess.run(
            [*command.prefix, "check", out, "--backend", "neuron"], capture_output=True, text=True, timeout=120
        )
        score.check("and named", None if "bytes for a cache of the adapter" in p.stdout else p.stdout[:300])


def main():
    a = settings.arguments(__doc__.split("\n")[0])
    score, chosen = Score("neuron adapter"), Sample(a.sample)
    if not plugin.available():
        return nothing(score)
    subprocess.run(["make", "-s", "neuron-adapter"], cwd=plugin.REPO, check=True)
    adapter, command = os.path.join(plugin.REPO, "build"), Command(a.command)
    folder = os.path.join(a.shared, "oracles/neuron-plugin")
    if not os.path.isdir(folder):
        score.skip("public networks", "no ../shared")
        return score.close()
    networks = {n: want for n, want in sorted(recorded(folder).items()) if sum(taken for _, taken, *_ in want)}
    for name, want in networks.items():
        if chosen.takes(name, 3, name == "person_detect"):
            for version in chosen.pick(name, plugin.VERSIONS):
                network(score, a, adapter, name, version, want)
    chosen.report("neuron adapter", "networks at a version")
    damaged(score, a, command, adapter)
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
