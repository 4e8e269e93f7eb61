#!/usr/bin/env python3
"""`npu_rt lower --backend neuron --rules litert-2.3` against LiteRT's MediaTek plugin, live: the same operations in the same
order, with operands of the same types, shapes, scales (of all channels), zero points and constants, up to numbering; the
same partitions. Generated one-operator models, networks drawn at random, shipped and public networks, three versions of the
adapter. What is different on purpose stands in compare.py and known.py, with its argument and a test."""

import collections
import copy
import os
import sys

import plugin

import settings  # isort: skip
import batch
import compare
import ours
from runner import Score
from sample import Sample
from settings import nothing


def generated(a, score, npu):
    chosen, same, all_ = Sample(a.sample), 0, 0
    for version, some in settings.drawn(a, chosen):
        theirs = batch.answers(some, version, a.adapter)
        for (case, answer), our in zip(theirs, ours.answers(npu, some, version)):
            if not our.ops or our.ops[0]["placed"] is False or answer.error or not answer.models:
                continue  # test_placement.py compares verdicts
            all_ += 1
            same += compare.same_numbers(answer.models, our.models)
            score.check(
                "%s %s '%s'" % (version, case.name, case.seed),
                our.error or compare.difference(answer.models, our.models),
            )
    chosen.report("neuron lowering", "generated models at a version")
    print(
        "neuron lowering: %d generated models compared, %d of them with the same numbers of operands too" % (all_, same)
    )
    score.check("generated models were compared", None if all_ else "none")


def by_subgraph(run):
    models, found = iter(run.models), {}
    for subgraph, _, _, partitions in run.partitions:
        found[subgraph] = [next(models) for _ in range(partitions)]
    return found


def network_problem(run, lowered):
    mine = collections.defaultdict(list)
    for subgraph, _, model in lowered:
        mine[subgraph].append(model)
    for subgraph, theirs in by_subgraph(run).items():
        problem = compare.difference(theirs, mine[subgraph])
        if problem:
            return "subgraph %d: %s" % (subgraph, problem)
    return None


def networks(a, score, npu, which, title):
    """Networks of which npu_rt places as many operators as the plugin takes: the others are test_placement.py's."""
    chosen, compared, left = Sample(a.sample), 0, collections.Counter()
    for name, path in which:
        for version in chosen.pick(name, plugin.VERSIONS):
            run = plugin.apply(path, version, a.adapter)
            if run.code:
                left["the plugin fails"] += 1
                continue
            try:
                placed = collections.Counter(op["subgraph"] for op in npu.check(path)["ops"] if op["placed"])
                if any(placed[p[0]] != p[1] for p in run.partitions):
                    left["other operators are taken"] += 1
                    continue
                problem = network_problem(run, npu.lower(path, version))
            except ours.Refused as e:
                problem = str(e)
            compared += 1
            score.check("%s %s" % (version, name), problem)
    for why, n in sorted(left.items()):
        print("left out neuron lowering: %d %s: %s" % (n, title, why))
    chosen.report("neuron lowering", title + " at a version")
    score.check("%s were compared" % title, None if compared else "none")


def damaged(model):
    """The same model with one thing changed, for everything there is to change: (what, model)."""
    for i, o in enumerate(model.operands):
        changes = {
            "type": o.type == 3 and 8 or 3,
            "dims": o.dims + (1,),
            "scale": o.scale + 1,
            "zero_point": o.zero_point + 1,
        }
        if o.value:
            changes["value"] = (o.value[0], "0" * 16, "")
        if o.channels:
            changes["channels"] = o.channels[:3] + (o.channels[3][:-1] + (2 * o.channels[3][-1],),) + o.channels[4:]
        for field, value in changes.items():
            bad = copy.deepcopy(model)
            setattr(bad.operands[i], field, value)
            yield "%s of operand %d" % (field, i), bad
    for i, (kind, ins, outs) in enumerate(model.operations):
        for what, op in (
            ("kind", (kind + 1, ins, outs)),
            ("order", (kind, ins[::-1], outs)),
            ("length", (kind, ins[:-1], outs)),
        ):
            bad = copy.deepcopy(model)
            bad.operations[i] = op
            if what != "order" or len(set(ins)) > 1:
                yield "%s of operation %d" % (what, i), bad
    for field in ("operations", "inputs", "outputs"):
        bad = copy.deepcopy(model)
        setattr(bad, field, getattr(bad, field)[:-1])
        yield field, bad


def comparison(a, score):
    """The comparison itself sees every single change."""
    run = plugin.apply(os.path.join(settings.SHIPPED, "digits_int8.tflite"), plugin.STATIC, a.adapter)
    model, tried = run.models[0], 0
    score.check("comparison of a model with itself", compare.difference([model], [copy.deepcopy(model)]))
    for what, bad in damaged(model):
        tried += 1
        score.check("comparison sees " + what, None if compare.difference([model], [bad]) else "nothing seen")
    score.check("comparison was tried", None if tried > 50 else "%d times" % tried)


def main():
    a = settings.arguments(__doc__.split("\n")[0])
    score, npu = Score("neuron lowering"), ours.Npu(a.command)
    if not plugin.available():
        return nothing(score)
    comparison(a, score)
    generated(a, score, npu)
    if not os.path.isdir(os.path.join(a.shared, "models")):
        score.skip("public networks", "no ../shared")
    networks(a, score, npu, settings.public(a), "public networks")
    unseen = settings.Unseen(a, fusable=True)
    networks(a, score, npu, unseen.list, "drawn and changed networks")
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
