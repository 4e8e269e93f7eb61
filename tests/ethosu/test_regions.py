#!/usr/bin/env python3
"""What a model may name as the memory of an operator ethos-u: variants of a compiled network whose scratch is constant,
computed, a feature map, a variable, empty, or the same tensor twice. Each is refused with its rule, or gives the very
output of the network itself: a tensor that the stream writes never lies in the model's bytes.

usage: test_regions.py [--command "build/npu_rt"]"""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
REPO = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(HERE, os.pardir, "conformance"))

import flatbuffers  # noqa: E402
from mkmodel import schema  # noqa: E402

MODEL = os.path.join(REPO, "examples", "digits", "digits_int8_ethos_u55_128.tflite")
STREAM, READ_ONLY, SCRATCH, FAST, MAP = range(5)  # inputs of the operator
SAME = ""  # the variant runs, and gives the network's output


def inputs(m):
    return m.subgraphs[0].operators[0].inputs


def tensor(m, name, shape, data=None, variable=False):
    """A new tensor of bytes; returns its index."""
    t = schema.TensorT()
    t.name, t.shape, t.type, t.isVariable, t.buffer = name, shape, schema.TensorType.UINT8, variable, 0
    if data is not None:
        b = schema.BufferT()
        b.data = data
        m.buffers.append(b)
        t.buffer = len(m.buffers) - 1
    m.subgraphs[0].tensors.append(t)
    offsets(m)
    return len(m.subgraphs[0].tensors) - 1


def offsets(m):
    """The metadata has an offset for every tensor: one more."""
    data = m.buffers[m.metadata[0].buffer].data
    words = bytes(data) + (-1).to_bytes(4, "little", signed=True)
    count = int.from_bytes(words[8:12], "little") + 1
    m.buffers[m.metadata[0].buffer].data = list(words[:8] + count.to_bytes(4, "little") + words[12:])


def name_input(i, make):
    def change(m):
        inputs(m)[i] = make(m) if callable(make) else make

    return change


def constant_scratch(m):
    scratch = m.subgraphs[0].tensors[inputs(m)[SCRATCH]]
    inputs(m)[SCRATCH] = tensor(m, b"constant", list(scratch.shape), [7] * int(scratch.shape[0]))


def variable_scratch(m):
    m.subgraphs[0].tensors[inputs(m)[SCRATCH]].isVariable = True


def shape_of(i, shape):
    def change(m):
        m.subgraphs[0].tensors[inputs(m)[i]].shape = shape

    return change


def computed(i):
    """A reshape of the read-only data: its output would be the model's own bytes."""

    def change(m):
        g, code, op = m.subgraphs[0], schema.OperatorCodeT(), schema.OperatorT()
        read_only = g.tensors[inputs(m)[READ_ONLY]]
        out = tensor(m, b"computed", list(read_only.shape))
        code.builtinCode = code.deprecatedBuiltinCode = schema.BuiltinOperator.RESHAPE
        code.version = 1
        m.operatorCodes.append(code)
        op.builtinOptionsType, op.builtinOptions = schema.BuiltinOptions.ReshapeOptions, schema.ReshapeOptionsT()
        op.builtinOptions.newShape = list(read_only.shape)
        op.opcodeIndex, op.inputs, op.outputs = len(m.operatorCodes) - 1, [int(inputs(m)[READ_ONLY])], [out]
        inputs(m)[i] = out
        g.operators.insert(0, op)

    return change


def loose_read_only(m):
    m.subgraphs[0].tensors[inputs(m)[READ_ONLY]].buffer = 0


def fed_read_only(m):
    loose_read_only(m)
    m.subgraphs[0].inputs = [*(int(t) for t in m.subgraphs[0].inputs), int(inputs(m)[READ_ONLY])]


VARIANTS = [
    ("the network itself", lambda m: None, SAME),
    ("fast scratch of its own", name_input(FAST, lambda m: tensor(m, b"fast", [4096])), SAME),
    ("fast scratch is a variable", name_input(FAST, lambda m: tensor(m, b"fast", [4096], variable=True)), SAME),
    ("fast scratch is empty and not used", name_input(FAST, lambda m: tensor(m, b"fast", [0])), SAME),
    ("fast scratch is constant", name_input(FAST, lambda m: tensor(m, b"fast", [64], [1] * 64)), "ethos_u.scratch"),
    ("fast scratch is the read-only data", name_input(FAST, READ_ONLY), "ethos_u.scratch"),
    ("fast scratch is the stream", name_input(FAST, STREAM), "ethos_u.scratch"),
    ("fast scratch is the input", name_input(FAST, lambda m: int(inputs(m)[MAP])), "ethos_u.scratch"),
    ("fast scratch is the output", name_input(FAST, lambda m: int(m.subgraphs[0].outputs[0])), "ethos_u.scratch"),
    ("fast scratch is computed", computed(FAST), "ethos_u.scratch"),
    ("scratch is constant", constant_scratch, "ethos_u.scratch"),
    ("scratch is the read-only data", name_input(SCRATCH, READ_ONLY), "ethos_u.scratch"),
    ("scratch is the stream", name_input(SCRATCH, STREAM), "ethos_u.scratch"),
    ("scratch is the input", name_input(SCRATCH, lambda m: int(inputs(m)[MAP])), "ethos_u.shape"),
    ("scratch is a variable", variable_scratch, "ethos_u.scratch"),
    ("scratch is computed", computed(SCRATCH), "ethos_u.scratch"),
    ("scratch is too small", shape_of(SCRATCH, [64]), "ethos_u.address"),
    ("scratch is empty", shape_of(SCRATCH, [0]), "ethos_u.address"),
    ("the read-only data is not stored", loose_read_only, "graph.undefined_input"),
    ("the read-only data is an input", fed_read_only, "ethos_u.constant"),
]


def run(command, path, out):
    p = subprocess.run(
        [*command, "run", path, "--output-dir", out],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        timeout=60,
    )
    result = os.path.join(out, "0.npy")
    data = open(result, "rb").read() if p.returncode == 0 and os.path.exists(result) else None
    return p.returncode, p.stdout + p.stderr, data


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--command", default=os.path.join(REPO, "build", "npu_rt"))
    a = p.parse_args()
    passed = failed = 0
    with open(MODEL, "rb") as f:
        original = f.read()
    with tempfile.TemporaryDirectory() as folder:
        want = run(shlex.split(a.command), MODEL, os.path.join(folder, "want"))[2]
        for i, (title, change, rule) in enumerate(VARIANTS):
            m = schema.ModelT.InitFromPackedBuf(original, 0)
            m.subgraphs[0].operators[0].inputs = [int(k) for k in m.subgraphs[0].operators[0].inputs]
            change(m)
            b = flatbuffers.Builder(1 << 16)
            b.Finish(m.Pack(b), b"TFL3")
            path = os.path.join(folder, "%d.tflite" % i)
            with open(path, "wb") as f:
                f.write(b.Output())
            code, text, data = run(shlex.split(a.command), path, os.path.join(folder, str(i)))
            ok = (code == 0 and data is not None and data == want) if rule == SAME else (code > 0 and rule in text)
            passed, failed = passed + ok, failed + (not ok)
            if not ok:
                print("FAIL %s: exit %d, want %s: %s" % (title, code, rule or "the same output", text.strip()[:300]))
    print("ethos-u regions: %d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
