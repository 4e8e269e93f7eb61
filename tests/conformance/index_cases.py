"""What the cases of operators with indices share: one-operator models, type names of variants."""

import numpy as np

from mkmodel import T, single_op, rng_of
from op_cases import REF, SHORT, values


def one(op, label, ins, outs, options=None, oracle=REF, tol=None, live=False):
    """A case of one operator. ins: (array, constant?) pairs (`live`: none is constant), or None for one left out; outs:
    (shape, type) pairs."""
    tensors, feed = [], []
    for i, pair in enumerate(ins):
        if pair is None:
            tensors.append(None)
            continue
        a, constant = np.asarray(pair[0]), pair[1] and not live
        tensors.append(T("x%d" % i, a.shape, a.dtype, data=a if constant else None))
        if not constant:
            feed.append(a)
    made = [T("y%d" % i, shape, dtype) for i, (shape, dtype) in enumerate(outs)]
    return ("%s/%s" % (op.lower(), label), single_op(op, tensors, made, options), feed, oracle, tol)


def few(rng, shape, dtype):
    """Values of which many are equal."""
    return values(rng, shape, dtype) if dtype == "bool" else rng.integers(0, 6, shape).astype(dtype)


def shape_of(rng, rank, most=5):
    return tuple(int(d) for d in rng.integers(1, most + 1, rank))


__all__ = ["SHORT", "few", "np", "one", "rng_of", "shape_of", "values"]
