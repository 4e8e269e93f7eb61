#!/usr/bin/env python3
"""The judgement of dynamic_range.py on a product with two ways to round, and with errors that an operator may have."""

import sys

import numpy as np
from dynamic_range import first_problem, is_dynamic_range, rounded_otherwise
from ops import all_cases
from runner import Score

WEIGHTS = np.random.default_rng(1).integers(-127, 128, (8, 40)).astype(np.float32)
TOLERANCE = 1e-5


def product(reciprocal=lambda scale: np.float32(1) / scale, offset=0.0, gain=1.0):
    def run(sequence):
        outputs = []
        for (x,) in sequence:
            scale = np.float32(np.abs(x).max() / 127)
            q = np.floor(x * reciprocal(scale) + np.float32(0.5)) + offset
            outputs.append([(WEIGHTS @ q * scale * np.float32(gain)).astype(np.float32)])
        return outputs

    return run


def main():
    score = Score("dynamic range")
    x = np.random.default_rng(2).uniform(-1, 1, 40).astype(np.float32)
    x[0], x[1] = 1.27, 0.025 + 1e-9  # a scale of 0.01, and two and a half steps of it
    sequence, ours = [[x]], product()
    below = product(lambda scale: np.nextafter(np.float32(1) / scale, np.float32(0)) * np.float32(1 - 3e-7))

    def judged(theirs, state=False):
        a, b = ours(sequence), theirs(sequence)
        return first_problem(a, b, TOLERANCE), rounded_otherwise(ours, theirs, sequence, a, b, TOLERANCE, state)

    problem, excused = judged(below)
    score.check("one activation is rounded otherwise", None if problem else "the case does not show it")
    score.check("and that is no error", None if excused else problem)
    for label, wrong in (
        ("every activation a step higher", product(offset=1.0)),
        ("a hundredth too much", product(gain=1.01)),
        ("rounded down", product(lambda scale: np.float32(1) / scale, offset=-0.5)),
        ("one weight", lambda s: [[o[0] + np.eye(8, dtype=np.float32)[3] * np.abs(o[0]).max() / 100] for o in ours(s)]),
    ):
        problem, excused = judged(wrong, True)
        score.check("an error stays one: " + label, None if problem and not excused else "counts as equal")
    kinds = {name: is_dynamic_range(model) for name, model, *_ in all_cases("svdf", ["ops_rnn"])}
    for name, found in kinds.items():
        score.check(name, None if found == ("/hyb" in name) else "taken for %s" % found)
    score.check("cases", None if set(kinds.values()) == {True, False} else "only %s" % kinds)
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
