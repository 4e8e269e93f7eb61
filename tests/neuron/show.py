#!/usr/bin/env python3
"""Prints one generated model, what the plugin makes of it, and what npu_rt does: tests/neuron/show.py NAME SEED."""

import argparse
import os

import plugin

import settings  # isort: skip
import batch
import cases
import compare
import ours


def model_lines(m):
    yield "  inputs %s outputs %s" % (m.inputs, m.outputs)
    for kind, ins, outs in m.operations:
        yield "  %s %s -> %s" % (kind, ins, outs)
    for i, o in enumerate(m.operands):
        yield "  #%d type %s dims %s scale %.9g zero point %d channels %s value %s" % (i, *o.key())


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("name", help="operator.kind.number, as the tests print it")
    p.add_argument("seed", help="sample, version's place and round: the words after the name in a failure")
    p.add_argument("--version", default=plugin.STATIC)
    p.add_argument("--command", default=os.path.join(plugin.REPO, "build/npu_rt"))
    a = p.parse_args()
    case = cases.case(int(a.name.rsplit(".", 1)[1]), a.seed)
    print(case.op, {k: v for k, v in vars(case.options).items()} if case.options else "")
    for title, tensors in (("in", case.inputs), ("out", case.outputs)):
        for t in tensors:
            print("  %s %s" % (title, t and {k: v for k, v in vars(t).items() if v is not None and v is not False}))
    plugin.build_recorder()
    ((_, answer),) = batch.answers([case], a.version)
    (our,) = ours.answers(ours.Npu(a.command), [case], a.version)
    print("plugin: %s %s" % ("taken" if answer.taken else "left", answer.error or ""))
    for m in answer.models:
        print("\n".join(model_lines(m)))
    print("npu_rt: %s %s" % ([(op["placed"], [r["rule"] for r in op["reasons"]]) for op in our.ops], our.error or ""))
    for m in our.models:
        print("\n".join(model_lines(m)))
    print(compare.difference(answer.models, our.models) or "equal")


if __name__ == "__main__":
    assert settings.HERE
    main()
