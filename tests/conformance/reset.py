#!/usr/bin/env python3
"""Sessions of operators that keep state: after npu_session_reset the same inputs give the same outputs as in the beginning, and
without it the state is kept, so that they give others.

    reset.py [--library build/test/libnpu_rt.so]"""

import argparse
import os

from binding import Library, Session
from mkmodel import schema
from ops import all_cases
from runner import REPO, Score, difference

FILES = ["ops_lstm_full", "ops_recurrent", "ops_rnn"]


def has_state(model):
    m = schema.Model.GetRootAs(model, 0)
    graphs = [m.Subgraphs(i) for i in range(m.SubgraphsLength())]
    return any(g.Tensors(i).IsVariable() for g in graphs for i in range(g.TensorsLength()))


def rounds(library, model, sequence, reset):
    s = Session(library, model)
    try:
        first = [s.run(inputs) for inputs in sequence]
        if reset:
            s.reset()
        return first, [s.run(inputs) for inputs in sequence]
    finally:
        s.close()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--library", default=os.path.join(REPO, "build", "test", "libnpu_rt.so"))
    a = p.parse_args()
    library, score, kept, tried = Library(a.library), Score("reset"), 0, 0
    for name, model, sequence, _, _ in all_cases("", FILES):
        if not has_state(model):
            continue
        first, second = rounds(library, model, sequence, True)
        problems = [difference(y, x, None) for x, y in zip(first, second)]
        score.check(name, next((p for p in problems if p), None))
        first, second = rounds(library, model, sequence, False)
        tried += 1
        kept += difference(second[0], first[0], None) is not None
    # Not each one: gates of some are shut, and activations without a bound end in infinities.
    score.check("states are kept", None if tried and kept > tried * 0.9 else "in %d cases of %d" % (kept, tried))
    return score.close()


if __name__ == "__main__":
    raise SystemExit(main())
