"""Conformance cases of RANDOM_UNIFORM, RANDOM_STANDARD_NORMAL, MULTINOMIAL and STABLEHLO_RNG_BIT_GENERATOR. Every case with a
state runs several times: the oracle's stream goes on as ours does. Seeds of 0 and 0 have no oracle: LiteRT draws them."""

import numpy as np

from casebuild import FLOAT_TOL
from mkmodel import T, opts, rng_of, single_op

SHAPES = {"five": (5,), "odd": (3, 1, 7), "block": (2, 4), "large": (3, 1001), "scalar": (), "rank5": (1, 2, 1, 3, 1)}
SEEDS = {"plain": (1, 2), "wide": (0x123456789ABCDEF, -(2**62) + 5), "second": (0, 7), "first": (99, 0)}


def random():
    for op, tolerance in (("RANDOM_UNIFORM", None), ("RANDOM_STANDARD_NORMAL", FLOAT_TOL)):
        for label, shape in SHAPES.items():
            # The oracle writes one element past the end of an odd number of normal ones.
            if op == "RANDOM_STANDARD_NORMAL" and np.prod(shape, dtype=int) % 2:
                shape = shape + (2,)
            for seeds, (a, b) in SEEDS.items():
                o, s, y = opts("Random", seed=a, seed2=b), np.array(shape, np.int32), T("y", shape)
                name = f"{op.lower()}/f32/{label}_{seeds}"
                yield name, single_op(op, [T("s", s.shape, "int32", data=s)], [y], o), [[]] * 3, "litert_ref", tolerance
            if label in ("odd", "rank5"):
                y = T("y", shape, shape_signature=(-1,) * len(shape))
                shapes = [s, s * 2, s]
                name = f"{op.lower()}/f32/{label}_live"
                yield (
                    name,
                    single_op(op, [T("s", s.shape, "int32")], [y], o),
                    [[v] for v in shapes],
                    "litert_ref",
                    tolerance,
                )


def multinomial():
    for short, dtype in (("i32", "int32"), ("i64", "int64")):
        for label, (batches, classes, samples) in {"one": (1, 5, 7), "batch": (3, 4, 5), "many": (2, 33, 100)}.items():
            for seeds, (a, b) in SEEDS.items():
                name = f"multinomial/{short}/{label}_{seeds}"
                logits = rng_of(name).normal(0, 2, (batches, classes)).astype(np.float32)
                logits[0, 0], logits[-1, -1] = -np.inf, np.nan
                x, y = T("x", logits.shape), T("y", (batches, samples), dtype)
                o, live = opts("Random", seed=a, seed2=b), seeds == "first"
                n = T("n", (), "int32", data=None if live else np.array(samples, np.int32))
                feed = [logits] + ([np.array(samples, np.int32)] if live else [])
                yield name, single_op("MULTINOMIAL", [x, n], [y], o), [feed, feed, feed], "litert_ref", None


def bit_generator():
    edge = 2**64 - 1
    states = {2: [[1, 2], [2**63 + 12345, 2**32 - 1], [edge, edge - 1]], 3: [[3, 4, 5], [edge, edge - 2, edge]]}
    rows = {"default": (0, (2, 3)), "philox": (1, (2, 3)), "threefry": (2, (2,))}
    for algorithm, (code, sizes) in rows.items():
        for short, dtype in (("i32", "int32"), ("u32", "uint32"), ("i64", "int64"), ("u64", "uint64")):
            for shape in ((7,), (2, 3), (1, 2, 1, 9)):
                for size in sizes:
                    s, y = T("s", (size,), "uint64"), [T("next", (size,), "uint64"), T("y", shape, dtype)]
                    name = f"stablehlo_rng_bit_generator/{algorithm}-{short}/{len(shape)}_{size}"
                    model = single_op(
                        "STABLEHLO_RNG_BIT_GENERATOR", [s], y, opts("StablehloRngBitGenerator", algorithm=code)
                    )
                    yield name, model, [[np.array(v, np.uint64)] for v in states[size]], "litert_ref", None


def cases():
    yield from random()
    yield from multinomial()
    yield from bit_generator()
