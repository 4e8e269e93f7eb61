"""Dynamic-range (hybrid) operators beside an oracle that rounds a few activations otherwise.

Floats are quantized while the network runs: round(x / scale). LiteRT's x86 build multiplies by an approximate reciprocal of the
scale, which is not the same on every CPU, so one of some 20,000 activations, which lies between two steps, is rounded to the
other one (src/notes/2026-11-cpu-kernels.md). Which one, no test can know; but it is another one, or none, for inputs a little
different. So what differs by no more than a few steps counts as equal if most of the inputs nearby give equal results within
the tolerance. States that come back are quantized again at each step, after functions whose last bits differ: there it is
a quarter of the inputs. An error of an operator would stay with all of them."""

import numpy as np
from mkmodel import schema
from runner import difference

NEARBY = 12  # how many inputs are tried
STEP = 0.05  # of the largest magnitude: some steps of 1/127, as layers behind may carry them on
INTEGERS = {schema.TensorType.INT8, schema.TensorType.UINT8, schema.TensorType.INT4, schema.TensorType.INT2}


def is_dynamic_range(model):
    """Whether an operator of the model takes floats and quantized weights."""
    m = schema.Model.GetRootAs(model, 0)
    for s in range(m.SubgraphsLength()):
        graph = m.Subgraphs(s)
        for i in range(graph.OperatorsLength()):
            op = graph.Operators(i)
            types = [graph.Tensors(op.Inputs(k)).Type() for k in range(op.InputsLength()) if op.Inputs(k) >= 0]
            if types and types[0] == schema.TensorType.FLOAT32 and INTEGERS & set(types[1:]):
                return True
    return False


def has_state(model):
    graph = schema.Model.GetRootAs(model, 0).Subgraphs(0)
    return any(graph.Tensors(i).IsVariable() for i in range(graph.TensorsLength()))


def nearby(sequence, seed):
    """The inputs of each run; each float of them up to a hundredth larger or smaller. (Times one number, they would lie between the
    same two steps again.)"""
    rng = np.random.default_rng(seed)

    def moved(x):
        x = np.asarray(x)
        return x if x.dtype != np.float32 else (x * rng.uniform(0.99, 1.01, x.shape)).astype(x.dtype)

    return [[moved(x) for x in inputs] for inputs in sequence]


def first_problem(ours, theirs, tolerance):
    return next((p for p in (difference(a, b, tolerance) for a, b in zip(ours, theirs)) if p), None)


def rounded_otherwise(run_ours, run_oracle, sequence, ours, theirs, tolerance, state):
    """Whether a difference is an activation that the oracle rounds to the other side. run_*: a sequence of inputs to the outputs of
    each run; state: whether outputs come back."""
    if first_problem(ours, theirs, max(tolerance, STEP)):
        return False
    equal = 0
    for seed in range(NEARBY):
        near = nearby(sequence, seed)
        equal += first_problem(run_ours(near), run_oracle(near), tolerance) is None
    return equal >= NEARBY / (4 if state else 2)
