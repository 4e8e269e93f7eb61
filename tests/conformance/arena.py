#!/usr/bin/env python3
"""Bytes of the arena (activations and work memory, one thread) of every public network beside those of tflite-micro and LiteRT, which
must not be fewer: with the instruction set that takes most, of all that there are.

    arena.py [--command build/npu_rt] [--only TEXT] [--json] [--sample SEED]

tflite-micro's are what its recording allocator reports for the whole arena. LiteRT does not report any: they are the span of
addresses in which the graph's tensors lie, work tensors included, after allocation without delegates, of its reference and its
optimized kernels the smaller; the work space of XNNPACK would come on top of what such a graph keeps. Peers run in processes of their
own. Networks of several graphs are not compared with LiteRT, whose figure is the first one's. --sample takes a third of the networks."""

import argparse
import glob
import json
import os
import re
import subprocess
import sys

from runner import REPO, SHARED, Score
from sample import Sample, add_option

TFLM = """
import sys
from tflite_micro.python.tflite_micro import runtime
runtime.Interpreter.from_file(sys.argv[1]).print_allocations()
"""
LITERT = """
import sys
from ai_edge_litert.interpreter import Interpreter, OpResolverType
kinds = {"ref": OpResolverType.BUILTIN_REF, "opt": OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES}
i = Interpreter(sys.argv[1], experimental_op_resolver_type=kinds[sys.argv[2]], num_threads=1)
i.allocate_tensors()
spans = []
for d in i.get_tensor_details():
    try:
        t = i.tensor(d["index"])()
    except ValueError:
        continue  # has no memory
    if t.nbytes:
        at = t.__array_interface__["data"][0]
        spans.append((at, at + t.nbytes))
mine = [i.tensor(d["index"])().__array_interface__["data"][0] for d in i.get_input_details()]
blocks = []  # tensors that lie near each other: the arena, the file, persistent tensors
for start, end in sorted(spans):
    if blocks and start - blocks[-1][1] < 4096:
        blocks[-1][1] = max(blocks[-1][1], end)
    else:
        blocks.append([start, end])
print("bytes", max(b[1] - b[0] for b in blocks if any(b[0] <= at < b[1] for at in mine)))
"""


def peer(code, pattern, *args):
    """None where the peer does not take the network."""
    p = subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True, errors="replace")
    found = re.search(pattern, p.stdout + p.stderr)
    return int(found.group(1)) if p.returncode == 0 and found else None


def least(*values):
    return min((v for v in values if v is not None), default=None)


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def isas_of(command):
    """All, those of other machines too."""
    said = re.findall(r"^instruction sets(?: elsewhere)?: ([^(\n]*)", output(command, "--version"), re.M)
    return [name.strip() for names in said for name in names.split(",")]


def measure(command, path, isas):
    infos = {isa: json.loads(output(command, "info", path, "--isa", isa, "--json")) for isa in isas}
    arenas = {isa: info["memory"]["arena_bytes"] for isa, info in infos.items()}
    most = max(arenas, key=arenas.get)
    info = infos[most]
    litert = [peer(LITERT, r"bytes (\d+)", path, kind) for kind in ("ref", "opt")]
    return {
        "network": os.path.basename(path)[: -len(".tflite")],
        "npu_rt": arenas[most],
        "isa": most,
        "tflite_micro": peer(TFLM, r"Arena allocation total (\d+)", path),
        "litert": least(*litert) if len(info["subgraphs"]) == 1 else None,
    }


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--command", default=os.path.join(REPO, "build", "npu_rt"))
    p.add_argument("--only", default="")
    p.add_argument("--json", action="store_true")
    add_option(p)
    a = p.parse_args()
    score, rows, isas, sample = Score("arena"), [], isas_of(a.command), Sample(a.sample)
    paths = glob.glob(os.path.join(SHARED, "models", "*.tflite")) + glob.glob(
        os.path.join(REPO, "examples", "digits", "digits_[fi]*[28].tflite")
    )
    for path in sorted(p for p in paths if a.only in p and sample.takes(os.path.basename(p), 3)):
        row = measure(a.command, path, isas)
        rows.append(row)
        if not a.json:
            shown = ["-" if row[k] is None else str(row[k]) for k in ("npu_rt", "tflite_micro", "litert")]
            print("%-46s npu_rt %9s  tflite-micro %9s  LiteRT %9s" % (row["network"], *shown), flush=True)
        bound = least(row["tflite_micro"], row["litert"])
        if bound is None:
            continue  # no peer takes it
        more = row["npu_rt"] > bound
        score.check(
            row["network"], "%d bytes with %s, a peer takes %d" % (row["npu_rt"], row["isa"], bound) if more else None
        )
    if a.json:
        print(json.dumps(rows))
    else:
        sample.report("arena", "networks")
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
