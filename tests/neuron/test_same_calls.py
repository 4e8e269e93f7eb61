#!/usr/bin/env python3
"""LiteRT's unmodified MediaTek plugin compiles for npu_rt's own libneuron_adapter.so what it compiles for the recorder: the
shipped and public networks, where the plugin's own list decides and where the adapter is asked. Both are told the same
models, both files are written, and both have the same partitions."""

import os
import sys
import tempfile

import plugin

import settings  # isort: skip
import compare
from runner import Score
from sample import Sample
from settings import nothing

OWN = os.path.join(plugin.REPO, "build")


def problem_of(path, version, recorder, folder):
    want = plugin.apply(path, version, recorder)
    out = os.path.join(folder, "out.tflite")
    got = plugin.apply(path, version, OWN, out=out)
    if (got.code, got.partitions) != (want.code, want.partitions):
        return "exit %d, %s instead of %d, %s" % (got.code, got.partitions, want.code, want.partitions)
    models = [compare.canonical(compare.correct(m)) for m in want.models]
    if models != [compare.canonical(compare.correct(m)) for m in got.models]:
        return "is told other models than the recorder"
    if [q.supported for q in got.queries] != [q.supported for q in want.queries]:
        return "takes other operations than those that the plugin knows"
    return None if got.code or os.path.getsize(out) else "no file"


def main():
    a = settings.arguments(__doc__.split("\n")[0])
    score, chosen = Score("neuron calls"), Sample(a.sample)
    if not plugin.available():
        return nothing(score)
    with tempfile.TemporaryDirectory() as folder:
        for name, path in settings.public(a):
            for version in chosen.pick(name, plugin.VERSIONS):
                score.check("%s %s" % (version, name), problem_of(path, version, a.adapter, folder))
    chosen.report("neuron calls", "networks at a version")
    if not os.path.isdir(os.path.join(a.shared, "models")):
        score.skip("public networks", "no ../shared")
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
