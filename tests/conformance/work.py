#!/usr/bin/env python3
"""What operators report as their work (npu_op_profile.steps) against counts made by hand.

work.py [--library build/test/libnpu_rt.so]"""

import argparse
import ctypes as C
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np  # noqa: E402
from binding import Library, NpuError, Session  # noqa: E402
from mkmodel import T, single_op, opts  # noqa: E402
from runner import REPO, Score  # noqa: E402
from structs import structs  # noqa: E402


def f(name, *shape):
    return T(name, shape)


def const(name, values, dtype="int32"):
    a = np.asarray(values, dtype)
    return T(name, a.shape, dtype, data=a)


def cases():
    """(label, model, inputs' shapes, macs, steps). Every count starts with one step, and one for each element of inputs
    and outputs; then comes what the operator adds."""
    yield (
        "ADD",
        single_op("ADD", [f("a", 4, 5), f("b", 5)], [f("o", 4, 5)], opts("AddOptions")),
        [(4, 5), (5,)],
        0,
        1 + 20 + 5 + 20,
    )
    yield "EXP: 16 for each", single_op("EXP", [f("a", 10)], [f("o", 10)]), [(10,)], 0, 1 + 20 + 160
    yield (
        "SOFTMAX: exp and two more walks",
        single_op("SOFTMAX", [f("a", 3, 7)], [f("o", 3, 7)], opts("SoftmaxOptions", beta=1.0)),
        [(3, 7)],
        0,
        1 + 42 + 18 * 21,
    )
    # 8 x 8, window 3 x 20 of which only 8 columns can lie inside, stride 2, SAME: 4 x 4 outputs of 2 channels
    yield (
        "MAX_POOL_2D: windows, as far as they can lie inside",
        single_op(
            "MAX_POOL_2D",
            [f("a", 1, 8, 8, 2)],
            [f("o", 1, 4, 4, 2)],
            opts("Pool2DOptions", filterHeight=3, filterWidth=20, strideH=2, strideW=2),
        ),
        [(1, 8, 8, 2)],
        0,
        1 + 128 + 32 + 32 * 3 * 8,
    )
    yield (
        "CONV_2D",
        single_op(
            "CONV_2D",
            [f("a", 1, 5, 5, 3), T("w", (4, 3, 3, 3), data=np.ones((4, 3, 3, 3), "f4"))],
            [f("o", 1, 5, 5, 4)],
            opts("Conv2DOptions", strideH=1, strideW=1),
        ),
        [(1, 5, 5, 3)],
        100 * 27,
        1 + 75 + 108 + 100 + 100 * 27,
    )
    yield (
        "CONV_3D",
        single_op(
            "CONV_3D",
            [f("a", 1, 3, 4, 5, 2), T("w", (2, 3, 1, 2, 6), data=np.ones((2, 3, 1, 2, 6), "f4"))],
            [f("o", 1, 3, 4, 5, 6)],
            opts("Conv3DOptions", strideD=1, strideH=1, strideW=1),
        ),
        [(1, 3, 4, 5, 2)],
        360 * 12,
        1 + 120 + 72 + 360 + 360 * 12,
    )
    yield (
        "LOCAL_RESPONSE_NORMALIZATION: a power, and the channels around",
        single_op(
            "LOCAL_RESPONSE_NORMALIZATION",
            [f("a", 1, 2, 3, 9)],
            [f("o", 1, 2, 3, 9)],
            opts("LocalResponseNormalizationOptions", radius=2, bias=1.0),
        ),
        [(1, 2, 3, 9)],
        0,
        1 + 54 + 54 + 54 * (16 + 5),
    )
    yield (
        "FULLY_CONNECTED",
        single_op(
            "FULLY_CONNECTED",
            [f("a", 2, 6), T("w", (5, 6), data=np.ones((5, 6), "f4"))],
            [f("o", 2, 5)],
            opts("FullyConnectedOptions"),
        ),
        [(2, 6)],
        60,
        1 + 12 + 30 + 10 + 60,
    )
    # products 2 x 4 x 6, depth 5; each right matrix of 5 x 6 is packed for its product
    yield (
        "BATCH_MATMUL",
        single_op("BATCH_MATMUL", [f("a", 2, 4, 5), f("b", 2, 5, 6)], [f("o", 2, 4, 6)], opts("BatchMatMulOptions")),
        [(2, 4, 5), (2, 5, 6)],
        240,
        1 + 40 + 60 + 48 + 240 + 60,
    )
    yield (
        "CONCATENATION: each input in each row",
        single_op("CONCATENATION", [f("a", 6, 1), f("b", 6, 2)], [f("o", 6, 3)], opts("ConcatenationOptions", axis=1)),
        [(6, 1), (6, 2)],
        0,
        1 + 6 + 12 + 18 + 6 * 2,
    )
    yield (
        "SPLIT: each output in each row",
        single_op(
            "SPLIT", [const("axis", 1), f("a", 6, 4)], [f("o", 6, 2), f("p", 6, 2)], opts("SplitOptions", numSplits=2)
        ),
        [(6, 4)],
        0,
        1 + 1 + 24 + 24 + 6 * 2,
    )
    yield (
        "RESIZE_BILINEAR: 8 for each",
        single_op(
            "RESIZE_BILINEAR",
            [f("a", 1, 2, 2, 3), const("size", [4, 5])],
            [f("o", 1, 4, 5, 3)],
            opts("ResizeBilinearOptions"),
        ),
        [(1, 2, 2, 3)],
        0,
        1 + 12 + 2 + 60 + 8 * 60,
    )
    yield (
        "SUM: elements",
        single_op("SUM", [f("a", 6, 7), const("axes", [1])], [f("o", 6)], opts("ReducerOptions")),
        [(6, 7)],
        0,
        1 + 42 + 1 + 6,
    )
    yield (
        "TOPK_V2: 2 for each, 24 for what is kept",
        single_op("TOPK_V2", [f("a", 2, 10), const("k", 3)], [f("o", 2, 3), T("i", (2, 3), "int32")]),
        [(2, 10)],
        0,
        1 + 20 + 1 + 12 + 2 * 20 + 24 * 6,
    )
    window = [const("w", [2, 3], "int64"), const("s", [1, 1], "int64"), const("d", [1, 1], "int64")]
    yield (
        "REDUCE_WINDOW: the window for each",
        single_op(
            "REDUCE_WINDOW",
            [f("a", 4, 5), const("init", 0, "float32")] + window,
            [f("o", 3, 3)],
            opts("ReduceWindowOptions", reduceFunction=1),
        ),
        [(4, 5)],
        0,
        1 + 20 + 1 + 6 + 9 + 9 * 6,
    )
    yield (
        "EMBEDDING_LOOKUP_SPARSE: rows",
        single_op(
            "EMBEDDING_LOOKUP_SPARSE",
            [
                const("ids", [1, 0, 2]),
                const("at", [[0, 0], [0, 1], [1, 0]]),
                const("shape", [2, 2]),
                f("w", 3),
                const("t", np.ones((3, 4)), "float32"),
            ],
            [f("o", 2, 4)],
            opts("EmbeddingLookupSparseOptions"),
        ),
        [(3,)],
        12,
        1 + 3 + 6 + 2 + 3 + 12 + 8 + 3 * 4,
    )


def measure(library, model, shapes):
    s, p = Session(library, model), structs.npu_op_profile()
    try:
        s.run([np.ones(shape, "f4") for shape in shapes])
        status = library.c.npu_session_op_profile(s.session, 0, 0, C.byref(p))
        return "no profile: status %d" % status if status else (p.macs, p.steps)
    except NpuError as e:
        return str(e)
    finally:
        s.close()


class Limited(Session):
    """With a work limit, and a count of how often the caller was asked whether to go on."""

    MAX_WORK = 1 << 22

    def descs(self):
        self.asked = 0

        def ask(_):
            self.asked += 1
            return 0

        self.cancel = C.CFUNCTYPE(C.c_int, C.c_void_p)(ask)
        desc = structs.npu_session_desc(max_work=self.MAX_WORK, cancel=C.cast(self.cancel, C.c_void_p))
        return structs.npu_plan_desc(), desc


def unique_of_many(library):
    """UNIQUE counts before its output has a shape, and looks its values up in a table whose hash a file's author knows: what it
    takes for either ends with the budget. None, or what is wrong."""
    n = 1 << 18
    model = single_op(
        "UNIQUE",
        [T("x", (n,), "int32")],
        [T("y", (n,), "int32"), T("i", (n,), "int32")],
        opts("UniqueOptions", idxOutType=2),
    )
    s = Limited(library, model)
    try:
        s.run([np.arange(n, dtype=np.int32)])
        return "no error"
    except NpuError as e:
        # A question for each 2^18 steps. Counting to the end takes 512 passes over 2^18 values.
        most = Limited.MAX_WORK >> 18
        return None if e.rule == "session.work" and s.asked <= most + 2 else "%s after %d questions" % (e.rule, s.asked)
    finally:
        s.close()


def main():
    a = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    a.add_argument("--library", default=os.path.join(REPO, "build", "test", "libnpu_rt.so"))
    args = a.parse_args()
    library, score = Library(args.library), Score("work")
    for label, model, shapes, macs, steps in cases():
        got = measure(library, model, shapes)
        score.check(label, None if got == (macs, steps) else "got %s, want %s" % (got, (macs, steps)))
    score.check("UNIQUE of many values stops in time", unique_of_many(library))
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
