#!/usr/bin/env python3
"""What LiteRT's MediaTek plugin makes of the public networks is what was recorded of it, and what the rules and the lowering
rely on (facts.py) still holds. It tests nothing of npu_rt: it says when the plugin inside the wheel has changed."""

import glob
import gzip
import os
import re
import sys

import plugin

import settings  # isort: skip
import batch
import facts
from runner import Score
from sample import Sample
from settings import nothing

NEWER_FIELDS = re.compile(r" (fnv|scales|zps|inputs|outputs)=\S*")  # of our recorder: the recorded logs are older
SAME_CONSTANT = re.compile(r"(value #\d+ len=\d+) .*")


def recorded(folder):
    """{network: [(subgraph, operators taken, operators, partitions)]}: empty where LiteRT does not load it."""
    networks = {}
    with open(os.path.join(folder, "partition.tsv")) as f:
        for line in f.read().splitlines()[1:]:
            name, *numbers = line.split("\t")
            networks.setdefault(name, []).extend([tuple(map(int, numbers))] if numbers[0] else [])
    return networks


def after_fully_connected(lines, i):
    """Whether line i is the constant of the RESHAPE that the plugin adds, of which parts are read from freed memory."""
    number = lines[i].split()[1][1:]
    op = next((n for n in range(i, len(lines)) if lines[n].startswith("OP ")), None)
    if op is None or " type=22 " not in lines[op] or ",%s] " % number not in lines[op]:
        return False
    source = lines[op].split("in=[")[1].split(",")[0]
    return any(
        " type=9 " in line and line.endswith("out=[%s]" % source) for line in lines[:op] if line.startswith("OP ")
    )


def log_difference(ours, theirs):
    ours = [NEWER_FIELDS.sub("", line) for line in ours.splitlines()]
    theirs = theirs.splitlines()
    if len(ours) != len(theirs):
        return "%d lines instead of %d" % (len(ours), len(theirs))
    for i, (a, b) in enumerate(zip(ours, theirs)):
        if a != b:
            loose = [SAME_CONSTANT.sub(r"\1", line) for line in (a, b)]
            if loose[0] != loose[1] or not a.startswith("value") or not after_fully_connected(ours, i):
                return "line %d: %r instead of %r" % (i + 1, a[:100], b[:100])
    return None


def networks(score, a):
    shared, chosen = a.shared, Sample(a.sample)
    folder = os.path.join(shared, "oracles/neuron-plugin")
    if not os.path.isdir(folder):
        score.skip("recorded networks", "no ../shared")
        return
    for name, want in sorted(recorded(folder).items()):
        for version in chosen.pick(name, plugin.VERSIONS):
            run = plugin.apply(os.path.join(shared, "models", name + ".tflite"), version, a.adapter)
            if name == "litert_qwen_fc_blockwise_quantized" and version != plugin.STATIC:
                problem = None if any("BlockWise" in line for line in run.output.splitlines()) else "is compiled"
                score.check("%s %s: block-wise scales end the whole compilation" % (name, version), problem)
                continue
            problem = None if run.partitions == want else "%s instead of %s" % (run.partitions, want)
            score.check("%s %s partitions" % (name, version), problem)
            log = os.path.join(folder, name + ".log.gz")
            if version == plugin.STATIC and os.path.exists(log):
                score.check(name + " log", log_difference(run.log, gzip.open(log, "rt").read()))
    chosen.report("neuron plugin", "networks at a version")
    missing = set(recorded(folder)) ^ {
        os.path.basename(p)[:-7] for p in glob.glob(os.path.join(shared, "models/*.tflite"))
    }
    score.check("every network is recorded", str(sorted(missing)) if missing else None)


def check_facts(score, a):
    for text, (make, _) in facts.FACTS.items():
        for version in plugin.VERSIONS:
            case, holds = make()
            ((_, answer),) = batch.answers([case], version, a.adapter)
            numbers = tuple(map(int, version.split(".")))
            try:
                problem = None if holds(answer, numbers) else "no longer so"
            except (IndexError, KeyError, AttributeError, TypeError) as e:
                problem = "no longer so: %r %s" % (e, answer.error)
            score.check("%s: %s" % (version, text), problem)


def main():
    a = settings.arguments(__doc__.split("\n")[0])
    score = Score("neuron plugin")
    if not plugin.available():
        return nothing(score)
    networks(score, a)
    check_facts(score, a)
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
