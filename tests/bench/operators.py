#!/usr/bin/env python3
"""Single layers: npu_rt beside LiteRT (XNNPACK), one thread each, slowest ratio first.

    operators.py [--only TEXT[,TEXT...]] [--rounds N] [--isa NAME] [--command build/npu_rt] [--json]

The layers (layers.py) have the sizes that networks have. Networks are what counts; this shows which operator of one that
nobody has seen yet would be slow. A figure is the fastest of its rounds. LiteRT is called through Python, which adds about a
microsecond: layers below 0.02 ms say little. --isa: as bench.py's."""

import argparse
import json
import os
import subprocess
import sys
import tempfile

from bench import LiteRT, NATIVE, Refused, geometric_mean, note
from layers import layers
import mask_cpu
import numpy as np

ROUND_MS = 30


class Layer:
    def __init__(self, name, path):
        self.name, self.path = name, path


def npu_rt(command, path, inputs, runs, mask):
    some = ["%d=%s" % (i, p) for i, p in enumerate(inputs)]
    p = subprocess.run(
        [command, "bench", path, "--json", "--profile", "--warmup", "3", "--runs", str(runs)]
        + (["--isa", mask.isa] if mask else [])
        + [word for text in some for word in ("--input", text)],
        capture_output=True,
        text=True,
    )
    if p.returncode:
        raise Refused("npu_rt: " + p.stderr.strip()[-200:])
    return json.loads(p.stdout)


def measure(name, model, inputs, rounds, command, mask, folder):
    path = os.path.join(folder, "layer.tflite")
    with open(path, "wb") as f:
        f.write(model)
    files = []
    for i, array in enumerate(inputs):
        files.append(os.path.join(folder, "in%d.npy" % i))
        np.save(files[-1], array)
    first = npu_rt(command, path, files, 3, mask)
    runs = min(300, max(5, int(ROUND_MS / max(first["invoke_ms"]["min"], 1e-3))))
    litert, ours, theirs = LiteRT(1, mask), [], []
    litert.start(Layer(name, path), inputs, folder)
    for _ in range(rounds):
        ours.append(npu_rt(command, path, files, runs, mask)["invoke_ms"]["min"])
        theirs.append(litert.round(runs)["ms"])
    kernels = sorted({op["kernel"] for op in first["ops"]})
    return {"layer": name, "ms": min(ours), "litert_ms": min(theirs), "kernels": kernels}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--only", default="", help="layers whose names contain one of these, separated by commas")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--isa", metavar="NAME", help="as on a processor with these instruction sets and no better ones")
    p.add_argument("--command", default=NATIVE)
    p.add_argument("--json", action="store_true")
    a = p.parse_args()
    rows, refused = [], 0
    with tempfile.TemporaryDirectory(prefix="npu_rt_layers_") as folder:
        mask = mask_cpu.asked(p, a.isa, folder)
        for name, model, inputs in layers():
            if not any(text in name for text in a.only.split(",")):
                continue
            try:
                rows.append(measure(name, model, inputs, a.rounds, os.path.abspath(a.command), mask, folder))
                r = rows[-1]
                note("%-48s %9.4f %9.4f %6.2f" % (name, r["ms"], r["litert_ms"], r["ms"] / r["litert_ms"]))
            except Refused as e:
                refused += 1
                note("%-48s %s" % (name, e))
    for r in rows:
        r["ratio"] = r["ms"] / r["litert_ms"]
    rows.sort(key=lambda r: -r["ratio"])
    mean = geometric_mean(r["ratio"] for r in rows)
    if a.json:
        print(json.dumps({"geometric_mean": mean, "layers": rows}, indent=1))
    else:
        print("%-48s %10s %10s %8s  %s" % ("layer", "npu_rt ms", "LiteRT ms", "ratio", "kernel"))
        for r in rows:
            print(
                "%-48s %10.4f %10.4f %8.2f  %s"
                % (r["layer"], r["ms"], r["litert_ms"], r["ratio"], ", ".join(r["kernels"]))
            )
        print(
            "\n%d layers, %d not run by both; npu_rt / LiteRT, geometric mean: %.2f" % (len(rows), refused, mean or 0)
        )
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
