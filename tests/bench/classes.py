#!/usr/bin/env python3
"""What kind of network a model is, for figures by class.

    classes.py [--command build/npu_rt] MODEL...    prints {"path": "class"} as JSON

small      less than a million multiply-accumulates in a run, and recurrent ones: with state, or a loop
hybrid     integer weights, float activations ("dynamic range")
integers   int8, uint8 and int16 activations
floats     all others: float32, and weights stored as float16
refused    npu_rt does not open it"""

import argparse
import collections
import json
import os
import subprocess
import sys

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NAMES = ("floats", "integers", "hybrid", "small", "refused")
SMALL_MACS = 1000000
STATE = {"UNIDIRECTIONAL_SEQUENCE_LSTM", "BIDIRECTIONAL_SEQUENCE_LSTM", "LSTM", "SVDF", "RNN", "WHILE", "VAR_HANDLE"}
STATE |= {"UNIDIRECTIONAL_SEQUENCE_RNN", "BIDIRECTIONAL_SEQUENCE_RNN", "GRU"}
INTEGERS = {"INT8", "UINT8", "INT16", "INT4", "INT2"}
WEIGHTED = {"CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV", "BATCH_MATMUL", "CONV_3D"}


def elements(tensor):
    n = 1
    for d in tensor["shape"]:
        n *= d
    return n


def hybrid_bytes(graph):
    """Bytes of integer weights that operators read beside floats."""
    tensors, found = graph["tensors"], 0
    for op in graph["operators"]:
        named = [tensors[i] for i in op["inputs"] if i >= 0]
        if op["op"] in WEIGHTED and any("constant_bytes" not in t and t["type"] == "FLOAT32" for t in named):
            found += sum(t["constant_bytes"] for t in named if "constant_bytes" in t and t["type"] in INTEGERS)
    return found


def class_of(command, path):
    def ask(what):
        p = subprocess.run([*command, what, path, "--json"], capture_output=True, text=True)
        return json.loads(p.stdout) if p.returncode == 0 else None

    info, dump = ask("info"), ask("dump")
    if not info or not dump:
        return "refused"
    graphs = dump["subgraphs"]
    if info["macs"] < SMALL_MACS or STATE & {one["op"] for one in info["op_counts"]}:
        return "small"
    if any(t.get("variable") for g in graphs for t in g["tensors"]):
        return "small"
    if 2 * sum(map(hybrid_bytes, graphs)) > info["constant_bytes"]:
        return "hybrid"
    live = collections.Counter()
    for t in (t for g in graphs for t in g["tensors"] if "constant_bytes" not in t):
        live[t["type"] in INTEGERS] += elements(t)
    return "integers" if live[True] > live[False] else "floats"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--command", default=os.path.join(REPO, "build", "npu_rt"))
    p.add_argument("models", nargs="+")
    a = p.parse_args()
    print(json.dumps({path: class_of([a.command], path) for path in a.models}, indent=1))


if __name__ == "__main__":
    sys.exit(main())
