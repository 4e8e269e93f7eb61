"""Conformance cases of STABLEHLO_CASE. No reference kernel of it is registered."""

import numpy as np

from casebuild import DEFAULT, FLOAT_TOL
from mkmodel import Builder, T, opts, rng_of

STEPS = ("ADD", "MUL", "SUB", "DIV")


def case(label, branches, shape, n_in, n_out):
    o = opts("StablehloCase")
    o.branchSubgraphIndices = np.arange(1, branches + 1).astype(np.int32)
    index, ins = T("i", (1,), "int32"), [T(f"x{k}", shape) for k in range(n_in)]
    outs = [T(f"y{k}", shape) for k in range(n_out)]
    b = Builder()
    b.subgraph()
    b.op("STABLEHLO_CASE", [index] + ins, outs, o)
    b.io([index] + ins, outs)
    for k in range(branches):
        b.subgraph(f"branch{k}")
        args, results = [T(f"a{j}", shape) for j in range(n_in)], [T(f"r{j}", shape) for j in range(n_out)]
        for j, result in enumerate(results):
            op = STEPS[(j + k) % 4]
            c = T(f"c{j}", (), data=np.float32(k + j + 2))
            b.op(op, [args[j % n_in], c], [result], opts(op.title()))
        b.io(args, results)
    name = f"stablehlo_case/f32/{label}"
    x = [rng_of(name).normal(0, 1, shape).astype(np.float32) for _ in range(n_in)]
    runs = [[np.array([i], np.int32)] + x for i in (0, branches - 1, branches // 2, -1, branches, -(2**31), 0)]
    return name, b.bytes(), runs, DEFAULT, FLOAT_TOL


def cases():
    yield case("one", 1, (3,), 1, 1)
    yield case("two", 2, (2, 3), 1, 1)
    yield case("many", 5, (2, 1, 3), 2, 2)
    yield case("outputs", 3, (4,), 1, 3)
