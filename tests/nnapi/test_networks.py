#!/usr/bin/env python3
"""Networks through an NNAPI client, operand by operand: integer outputs are LiteRT's BUILTIN_REF bytes, floats within 1e-4 of the
largest.

    test_networks.py [--library build/test/libnpu_rt_nnapi.so] [--shared DIR]

The digits of examples/ and, with ../shared, every public network whose operators the conversion knows (convert.py); MobileNetV2 in
int8 and uint8 must be among those."""

import argparse
import glob
import os
import sys

import numpy as np

import settings  # isort: skip
from client import Library
from convert import Network, Unsayable
from mkmodel import oracle_session
from runner import Score

MUST = ("digits_int8", "digits_float32", "tf2_mobilenet_v2_1.0_224_ptq", "mobilenet_v2_1.0_224_quant")


def feed(network, seed):
    rng, arrays = np.random.default_rng(seed), []
    for i in network.g.inputs:
        t = network.g.tensors[i]
        if t.type == 0:
            arrays.append(rng.uniform(-1, 1, t.shape).astype("f4"))
        else:
            info = np.iinfo({2: "i4", 3: "u1", 9: "i1"}[t.type])
            arrays.append(
                rng.integers(max(info.min, -128), min(info.max, 255), t.shape, endpoint=True).astype(info.dtype)
            )
    return arrays


def check(score, library, path):
    """True where the network could be converted."""
    name = os.path.basename(path)[:-7]
    with open(path, "rb") as f:
        data = f.read()
    try:
        network = Network(library, data)
    except Unsayable:
        return False
    try:
        reference = oracle_session("litert_ref", data)
    except (
        ValueError,
        RuntimeError,
    ):  # a file that LiteRT refuses: biases that name their weights' axis, as tflite-micro takes them
        reference = oracle_session("tflm", data)
    for seed in range(2):
        arrays = feed(network, seed)
        ours, theirs = network.model.run(arrays), reference.run(arrays)
        for i, (a, b) in enumerate(zip(ours, theirs)):
            if a.dtype.kind == "f":
                off = np.max(np.abs(a - b)) / max(1.0, np.max(np.abs(b)))
                problem = None if off <= 1e-4 else "off by %g of the largest" % off
            else:
                problem = None if np.array_equal(a, b) else "%d bytes differ" % np.count_nonzero(a != b)
            score.check("%s, seed %d, output %d" % (name, seed, i), problem)
    flags = network.model.supported(len(network.g.operators))
    score.check(name + ": all operations are supported", None if all(flags) else str(flags))
    network.model.close()
    return True


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--library", default=settings.LIBRARY)
    p.add_argument("--shared", default=os.path.join(settings.REPO, "..", "shared"))
    a = p.parse_args()
    library, score = Library(a.library), Score("nnapi networks")
    shared = sorted(glob.glob(os.path.join(a.shared, "models", "*.tflite")))
    known, left = [], []
    for path in sorted(glob.glob(os.path.join(settings.REPO, "examples/digits/*.tflite"))) + shared:
        (known if check(score, library, path) else left).append(os.path.basename(path)[:-7])
    if not shared:
        print("left out: the public networks (no ../shared)")
    for name in MUST if shared else MUST[:2]:
        score.check(name + " is among them", None if name in known else "not converted")
    print("through NNAPI: %s; not converted: %d" % (", ".join(known), len(left)))
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
