"""Many cases for few runs of the plugin: a subgraph each in files of dozens, the answers told apart again.

    for case, answer in answers(cases, version):
        answer.taken          # whether the plugin took the operator
        answer.models         # the NeuronModels of its partitions: one, where it was taken
        answer.error          # what the plugin failed with, or None: then nothing is known about what it would have taken

One case that the plugin fails at takes the whole file with it, so a file that fails is halved until it doesn't."""

import os
import tempfile

import plugin
from mkmodel import Builder

PER_FILE = 40


class Answer:
    def __init__(self, taken, models, query, error):
        self.taken, self.models, self.query, self.error = taken, models, query, error


def _file(cases):
    """(bytes, each case's subgraph)"""
    b, where = Builder(), []
    for case in cases:
        where.append(len(b.model.subgraphs))
        case.put(b)
    return b.bytes(), where


def _run(cases, version, adapter, folder):
    data, where = _file(cases)
    path = os.path.join(folder, "m.tflite")
    with open(path, "wb") as f:
        f.write(data)
    run = plugin.apply(path, version, adapter)
    lines = {p[0]: p for p in run.partitions}
    counts = {s: p[3] for s, p in lines.items()}
    if run.code == 0 or (
        len(lines) and sum(counts.values()) == len(run.models) and all(m.finished for m in run.models)
    ):
        if sum(counts.values()) == len(run.models) and all(s in lines for s in where):
            return _split(where, lines, run)
    if len(cases) == 1:
        errors = [e for e in run.errors()] or ["exit %d: %s" % (run.code, run.output[-200:])]
        line = lines.get(where[0])
        return [Answer(bool(line and line[1]), run.models, run.queries[:1], errors)]
    half = len(cases) // 2
    return _run(cases[:half], version, adapter, folder) + _run(cases[half:], version, adapter, folder)


def _split(where, lines, run):
    models, queries, answers = iter(run.models), list(run.queries), {}
    for n, s in enumerate(sorted(lines)):
        _, taken, _, partitions = lines[s]
        answers[s] = Answer(taken > 0, [next(models) for _ in range(partitions)], queries[n : n + 1], None)
    return [answers[s] for s in where]


def answers(cases, version=plugin.STATIC, adapter=plugin.RECORDER, per_file=PER_FILE):
    """A list of (case, answer), in the order of the cases."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for i in range(0, len(cases), per_file):
            some = cases[i : i + per_file]
            found += zip(some, _run(some, version, adapter, folder))
    return found
