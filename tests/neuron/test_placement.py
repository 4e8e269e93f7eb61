#!/usr/bin/env python3
"""`npu_rt check --backend neuron --rules litert-2.3` against what LiteRT's MediaTek plugin takes: generated one-operator
models of every operator and type, networks drawn at random, the public networks; operator by operator where the plugin
asks the adapter, by number where its own list decides."""

import collections
import os
import sys

import plugin

import settings  # isort: skip
import batch
import facts
import known
import ours
from runner import Score
from sample import Sample
from settings import nothing

NORMS = {"odml.rms_norm", "odml.l2_norm", "odml.group_norm"}


def took(case, answer):
    """Whether the plugin took the operator itself: LiteRT replaces a composite that it leaves by its parts."""
    if not isinstance(case.op, tuple):
        return answer.taken
    kinds = {kind for m in answer.models for kind, _, _ in m.operations}
    return case.op[1] in NORMS and bool(kinds & {ours.EXTENSION, 11})


def said(answer):
    return " ".join(answer.error[-1].split())[:200]


def one_problem(case, answer, our, met):
    """None, or how the verdicts on a generated model differ."""
    op = case.op if isinstance(case.op, str) else case.op[1]
    if not our.ops:
        return None if met.unread(our.error) else "is not read: %s" % our.error
    mine, rules = our.ops[0]["placed"], sorted(r["rule"] for r in our.ops[0]["reasons"])
    refusals = {**known.REFUSED, **known.FAILS}
    if op == "odml.rms_norm":
        refusals.update(known.REFUSED_NORM)
    if answer.error and mine:
        return None if met.taken(op) else "taken, although the plugin fails: %s" % said(answer)
    if answer.error:
        return (
            None
            if met.refused(rules, refusals)
            else "the plugin fails (%s), ours leaves it by %s" % (said(answer), rules)
        )
    theirs = took(case, answer)
    if theirs == mine:
        return None
    if theirs:
        return None if met.refused(rules, refusals) else "left by %s, the plugin takes it" % rules
    return "taken, the plugin leaves it"


def generated(a, score, npu, met):
    chosen = Sample(a.sample)
    oddities = [make()[0] for make, _ in facts.FACTS.values()]
    for version, some in settings.drawn(a, chosen):
        some = oddities + some
        for case in oddities:
            case.seed = "facts.py"
        theirs = batch.answers(some, version, a.adapter)
        for (case, answer), our in zip(theirs, ours.answers(npu, some)):
            score.check("%s %s '%s'" % (version, case.name, case.seed), one_problem(case, answer, our, met))
    chosen.report("neuron placement", "generated models at a version")


def said_of_facts(score, npu):
    """Every flaw of the plugin that a test shows is a warning or a reason of npu_rt's verdict, and every warning
    has its test."""
    shown = set()
    for (text, (make, rule)), our in zip(
        facts.FACTS.items(), ours.answers(npu, [make()[0] for make, _ in facts.FACTS.values()])
    ):
        got = {r["rule"] for op in our.ops[:1] for r in op["reasons"] + op["warnings"]}
        shown |= {rule}
        score.check(
            "said of: " + text, None if rule is None or rule in got else "%s is not in %s" % (rule, sorted(got))
        )
    warnings = {w for op in npu.operators() for w in op["warnings"]}
    score.check("warnings that no model shows", ", ".join(sorted(warnings - shown)) or None)


def flags(run):
    """Per subgraph, what the plugin takes of it, where it asked: the adapter takes what the plugin knows."""
    return {p[0]: q.supported for p, q in zip(run.partitions, run.queries)}


def network_problem(run, ops, met):
    """None, or how the verdicts on a network differ."""
    asked, by_subgraph = flags(run), collections.defaultdict(list)
    refusals = {**known.REFUSED, **known.FAILS} if run.code else known.REFUSED
    for op in ops:
        by_subgraph[op["subgraph"]].append(op)
    for subgraph, taken, total, _ in run.partitions:
        mine = by_subgraph[subgraph]
        if len(mine) != total:
            return "subgraph %d has %d operators, the plugin sees %d" % (subgraph, len(mine), total)
        refused = [op for op in mine if not op["placed"] and met.refused([r["rule"] for r in op["reasons"]], refusals)]
        if subgraph in asked:
            for op, flag in zip(mine, asked[subgraph]):
                if op["placed"] != flag and op not in refused:
                    return "operator %d %s: placed %s, the plugin %s" % (op["index"], op["op"], op["placed"], flag)
        placed = sum(op["placed"] for op in mine)
        if not placed <= taken <= placed + len(refused):
            return "subgraph %d: %d operators placed, the plugin takes %d" % (subgraph, placed, taken)
    return None


def networks(a, score, npu, met, which, title):
    left, compared = collections.Counter(), 0
    for name, path in which:
        for version in (plugin.STATIC, plugin.ASKED):
            run = plugin.apply(path, version, a.adapter)
            if not run.partitions:
                why = run.errors()[-1] if run.errors() else "no partitions"
                left["BlockWise" if "BlockWise" in run.output else why.split("] ")[-1][:60]] += 1
                continue
            compared += 1
            try:
                problem = network_problem(run, npu.check(path)["ops"], met)
            except ours.Refused as e:
                problem = str(e)
            score.check("%s %s" % (version, name), problem)
    for why, n in sorted(left.items()):
        print("left out neuron placement: %d %s that the plugin cannot tell about: %s" % (n, title, why))
    score.check("%s were compared" % title, None if compared else "none")


def main():
    a = settings.arguments(__doc__.split("\n")[0])
    score, npu, met = Score("neuron placement"), ours.Npu(a.command), known.Met()
    if not plugin.available():
        return nothing(score)
    said_of_facts(score, npu)
    generated(a, score, npu, met)
    if not os.path.isdir(os.path.join(a.shared, "models")):
        score.skip("public networks", "no ../shared")
    networks(a, score, npu, met, settings.public(a), "public networks")
    unseen = settings.Unseen(a)
    networks(a, score, npu, met, unseen.list, "drawn and changed networks")
    if not a.sample:
        score.check(
            "known differences",
            "no longer met: %s" % gone
            if (gone := met.gone(known.REFUSED, known.REFUSED_NORM, known.FAILS, known.TAKEN_ANYWAY, known.UNREAD))
            else None,
        )
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
