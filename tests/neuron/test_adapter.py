#!/usr/bin/env python3
"""LiteRT's own MediaTek plugin compiles against npu_rt's libneuron_adapter.so, and what it leaves runs.

Every public network that LiteRT loads, at every version of the adapter: nothing fails, partitions are those recorded, and
the compiled model computes what the model itself does: integers to the bit, floats, which the plugin relaxes to float16,
within a sixteenth of the largest number. Damaged bytecode ends in an error, and that of hardware is refused."""

import os
import subprocess
import sys
import tempfile

import numpy as np

import plugin

import settings  # isort: skip
from runner import CommandFailed, Command, Score
from sample import Sample
from settings import nothing
from test_plugin import recorded

RELAXED = 1 / 16
# LiteRT writes the sparse constants of this network back without their sparsity: no runtime can read that.
UNREADABLE = {"face_detection_full_range_sparse": "tflite.buffer_size"}
MAGIC = b"npu_rtNN"


def difference(got, want):
    """None, or how the outputs of the compiled model differ."""
    if len(got) != len(want):
        return "%d outputs instead of %d" % (len(got), len(want))
    for i, (a, b) in enumerate(zip(got, want)):
        if a.shape != b.shape or a.dtype != b.dtype:
            return "output %d is %s%s instead of %s%s" % (i, a.dtype, list(a.shape), b.dtype, list(b.shape))
        if a.dtype.kind != "f":
            if not np.array_equal(a, b):
                return "output %d: %d elements differ" % (i, np.sum(a != b))
        elif not np.array_equal(np.isfinite(a), np.isfinite(b)):
            return "output %d: not finite in other places" % i
        elif np.abs(a - b).max(initial=0) > RELAXED * np.abs(b).max(initial=0):
            return "output %d: off by %g of %g" % (i, np.abs(a - b).max(), np.abs(b).max())
    return None


def run(command, path):
    """Outputs for the inputs of seed 1, or what the command line says."""
    with tempfile.TemporaryDirectory() as d:
        args = [*command.prefix, "run", path, "--seed", "1", "--output-dir", d]
        p = subprocess.run(args, capture_output=True, text=True, errors="replace", timeout=600)
        if p.returncode:
            raise CommandFailed(p.returncode, p.stderr)
        return [np.load(os.path.join(d, "%d.npy" % i)) for i in range(len(os.listdir(d)))]


def network(score, a, command, adapter, name, version, want):
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
        if made.code:
            return
        try:
            problem = difference(run(command, out), run(command, path))
            if name in UNREADABLE:
                problem = "can be read: take it off the list"
        except CommandFailed as e:
            problem = None if "[%s]" % UNREADABLE.get(name) in e.stderr else str(e)
        score.check(title + " runs", problem)


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
                network(score, a, command, adapter, name, version, want)
    chosen.report("neuron adapter", "networks at a version")
    damaged(score, a, command, adapter)
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
