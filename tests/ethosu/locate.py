#!/usr/bin/env python3
"""Which operator of a network goes wrong on the software device: for whoever repairs it, no test.

    locate.py MODEL --config ethos-u55-128 [--command build/npu_rt] [--seed N] [--keep DIR] [--all] [--option OPT ...]

Compiles every operator alone, runs it on the values that the network gives it, and lists those that differ from the
reference. If none does, cuts the network after each operator in turn: the first cut that differs is printed, with the
file that shows it."""

import argparse
import copy
import os
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "conformance"))

import numpy as np

from mkmodel import Builder, schema
from networks import Network
from runner import REPO, Command, CommandFailed, difference
from vela import Request, Vela

BUILTINS = {v: k for k, v in vars(schema.BuiltinOperator).items() if isinstance(v, int)}


class Part(Network):
    """A piece of a network: operators `keep`, with new inputs and outputs."""

    def __init__(self, whole, name, keep, inputs, outputs):
        self.name, self.oracle, self.bound = name, whole.oracle, whole.bound
        model = copy.copy(whole.model)
        sg = copy.copy(whole.model.subgraphs[0])
        sg.operators = [sg.operators[i] for i in keep]
        sg.inputs, sg.outputs = np.array(inputs, np.int32), np.array(outputs, np.int32)
        model.subgraphs, model.signatureDefs, model.metadata = [sg], [], []
        b = Builder()
        b.model = model
        self.bytes, self.model = b.bytes(), model


def name_of(model, op):
    c = model.operatorCodes[op.opcodeIndex]
    return BUILTINS[max(c.builtinCode, c.deprecatedBuiltinCode)]


def live(model, tensor):
    t = model.subgraphs[0].tensors[tensor]
    data = model.buffers[t.buffer].data
    return tensor >= 0 and (data is None or not len(data)) and not t.isVariable


def needed(sg, tensor):
    """Indices of the operators that a tensor depends on."""
    wanted, keep = {int(tensor)}, []
    for i in reversed(range(len(sg.operators))):
        if wanted & set(map(int, sg.operators[i].outputs)):
            keep.append(i)
            wanted |= set(map(int, sg.operators[i].inputs))
    return keep[::-1]


class Locator:
    def __init__(self, args):
        self.whole = Network(args.model)
        self.vela, self.command, self.config = Vela(), Command(args.command), args.config
        self.options, self.keep = args.option, args.keep or tempfile.mkdtemp(prefix="locate-")
        self.inputs = self.whole.inputs(0, args.seed)
        os.makedirs(self.keep, exist_ok=True)

    def value(self, tensor):
        sg = self.whole.model.subgraphs[0]
        if tensor in sg.inputs:
            return self.inputs[list(sg.inputs).index(tensor)]
        part = Part(self.whole, self.whole.name, needed(sg, tensor), sg.inputs, [tensor])
        return part.expected(None, 0, self.inputs, 1)[0]

    def problem(self, part, inputs):
        """(text or None, whether the NPU was asked)."""
        ((_, result),) = self.vela.compile([Request(part.name, part.bytes, self.config, tuple(self.options))])
        with open(os.path.join(self.keep, part.name + ".tflite"), "wb") as f:
            f.write(part.bytes)
        if result.path is None:
            return None, result.why
        with open(result.path, "rb") as f:
            data = f.read()
        if b"ethos-u" not in data:
            return None, "left to the CPU"
        with open(os.path.join(self.keep, part.name + "_vela.tflite"), "wb") as f:
            f.write(data)
        try:
            return difference(self.command.run(result.path, inputs), part.expected(None, 0, inputs, 1), None), None
        except CommandFailed as e:
            return str(e), None

    def alone(self):
        sg, wrong = self.whole.model.subgraphs[0], 0
        for i, op in enumerate(sg.operators):
            ins = list(dict.fromkeys(int(t) for t in op.inputs if live(self.whole.model, t)))
            part = Part(self.whole, "%s_op%d" % (self.whole.name, i), [i], ins, op.outputs)
            problem, skipped = self.problem(part, [self.value(t) for t in ins])
            label = "operator %d %s" % (i, name_of(self.whole.model, op))
            if skipped:
                print("%s: %s" % (label, skipped))
            elif problem:
                wrong += 1
                print("%s ALONE DIFFERS: %s" % (label, problem), flush=True)
        return wrong

    def cuts(self):
        sg = self.whole.model.subgraphs[0]
        for i, op in enumerate(sg.operators):
            part = Part(
                self.whole, "%s_cut%d" % (self.whole.name, i), needed(sg, op.outputs[0]), sg.inputs, op.outputs[:1]
            )
            problem, _ = self.problem(part, self.inputs)
            if problem:
                print("cut after operator %d %s DIFFERS: %s" % (i, name_of(self.whole.model, op), problem))
                return 1
        return 0


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("model")
    p.add_argument("--config", default="ethos-u55-128")
    p.add_argument("--command", default=os.path.join(REPO, "build", "npu_rt"))
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--keep", help="folder for the pieces, plain and compiled")
    p.add_argument("--all", action="store_true", help="cut the network even if an operator differs alone")
    p.add_argument("--option", action="append", default=[], help="for Vela")
    a = p.parse_args()
    locator = Locator(a)
    wrong = locator.alone()
    if a.all or not wrong:
        wrong += locator.cuts()
    print("pieces are in %s" % locator.keep if wrong else "no operator differs")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
