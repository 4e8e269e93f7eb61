"""Cases of the operators that only Circle has. Neither LiteRT nor tflite-micro knows them, so the oracle is NumPy, written from the
arithmetic that ONE documents by its kernels (op_norm.c, op_rope.c, op_gru.c, op_attention.c, op_bcq.c say it)."""

import numpy as np

from circle import Options, circle_op
from mkmodel import T, opts, rng_of

ORACLE, TOL = "ops_circle.Reference", 1e-5
# Cases by model: what the reference needs beside the inputs that the graph has.
KNOWN = {}


class Reference:
    def __init__(self, model):
        if bytes(model) not in KNOWN:  # the process of the oracles begins without them
            list(cases())
        self.fn, self.feed, self.live, self.state = KNOWN[bytes(model)]
        self.state = {k: v.copy() for k, v in self.state.items()}

    def run(self, inputs):
        values = dict(self.feed, **dict(zip(self.live, inputs)), **self.state)
        return [np.asarray(self.fn(values), np.float32)]


def case(name, op, fn, inputs, out_shape, options=None, const=(), variable=(), runs=1):
    """inputs: {name: array, or None where it is left out} in order."""
    tensors, live = [], []
    for key, a in inputs.items():
        if a is None:
            tensors.append(None)
            continue
        fixed = key in const
        tensors.append(T(key, a.shape, str(a.dtype), data=a if fixed else None, is_variable=key in variable))
        if not fixed and key not in variable:
            live.append(key)
    out = T("out", out_shape, "float32")
    model = circle_op(op, tensors, [out], Options(op, *options) if isinstance(options, tuple) else options)
    state = {k: np.zeros_like(inputs[k]) for k in variable}
    KNOWN[model] = (fn, {k: v for k, v in inputs.items() if k not in variable}, live, state)
    feed = [inputs[k] for k in live]
    return name, model, feed if runs == 1 else [feed] * runs, ORACLE, TOL


def f32(rng, *shape):
    return rng.normal(0, 1, shape).astype(np.float32)


def instance_norm(name, shape, epsilon=0.0, act=0, const=("gamma", "beta")):
    rng = rng_of(name)
    inputs = {"x": f32(rng, *shape), "gamma": f32(rng, shape[-1]), "beta": f32(rng, shape[-1])}

    def fn(v):
        x, axes = v["x"].astype(np.float64), tuple(range(1, len(shape) - 1))
        y = (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + (epsilon or 1e-5))
        y = y * v["gamma"] + v["beta"]
        return {0: y, 1: np.maximum(y, 0), 3: np.clip(y, 0, 6)}[act]

    return case("instance_norm/" + name, "INSTANCE_NORM", fn, inputs, shape, (epsilon, act), const)


def rms_norm(name, shape, epsilon=0.0, beta=None, const=("gamma", "beta")):
    rng = rng_of(name)
    inputs = {"x": f32(rng, *shape), "gamma": f32(rng, shape[-1])}
    if beta is not None:
        inputs["beta"] = f32(rng, shape[-1]) if beta else None

    def fn(v):
        x = v["x"].astype(np.float64)
        y = x / np.sqrt((x * x).mean(-1, keepdims=True) + (epsilon or 1e-6)) * v["gamma"]
        return y + (v.get("beta") if v.get("beta") is not None else 0)

    return case("rms_norm/" + name, "RMS_NORM", fn, inputs, shape, (epsilon,), const)


def turned(x, sin, cos, pairs):
    half = x.shape[-1] // 2
    if pairs:
        other = np.stack([-x[..., 1::2], x[..., 0::2]], -1).reshape(x.shape)
    else:
        other = np.concatenate([-x[..., half:], x[..., :half]], -1)
    return x * cos + other * sin


def rope(name, shape, table, mode=0, const=("sin", "cos")):
    rng = rng_of(name)
    inputs = {"x": f32(rng, *shape), "sin": f32(rng, *table), "cos": f32(rng, *table)}
    fn = lambda v: turned(v["x"], v["sin"], v["cos"], mode)  # noqa: E731
    return case("rope/" + name, "ROPE", fn, inputs, shape, (mode,), const)


def gru(
    name,
    time,
    batch,
    depth,
    units,
    sequences=False,
    major=True,
    bias=True,
    const=("wi", "bi", "wh", "bh", "state"),
    act=0,
):
    rng = rng_of(name)
    inputs = {
        "x": f32(rng, time, batch, depth),
        "wi": f32(rng, 3 * units, depth),
        "bi": f32(rng, 3 * units) if bias else None,
        "wh": f32(rng, 3 * units, units),
        "bh": f32(rng, 3 * units) if bias else None,
        "state": f32(rng, batch, units),
    }

    def fn(v):
        h, seen = v["state"].astype(np.float64), []
        logistic = lambda x: 1 / (1 + np.exp(-x))  # noqa: E731
        for x in v["x"]:
            b = x @ v["wi"].T + (v["bi"] if bias else 0)
            a = h @ v["wh"].T + (v["bh"] if bias else 0)
            (a0, a1, a2), (b0, b1, b2) = np.split(a, 3, -1), np.split(b, 3, -1)
            z = logistic(a0 + b0)
            h = z * h + (1 - z) * np.tanh(logistic(a1 + b1) * a2 + b2)
            seen.append(h)
        return np.stack(seen) if sequences else h

    out = (time, batch, units) if sequences else (batch, units)
    return case("gru/" + name, "GRU", fn, inputs, out, (act, sequences, major), const)


def attention(name, tokens, heads, head, cache, pos, mask=True, variable=(), context=None, postype=np.int64):
    rng, model = rng_of(name), heads * head
    context = context or cache
    hidden = np.where(np.arange(context) <= pos + np.arange(tokens)[:, None], 0, -np.inf).astype(np.float32)
    inputs = {
        "x": f32(rng, 1, tokens, model),
        "wq": f32(rng, model, model) / 3,
        "wk": f32(rng, model, model) / 3,
        "wv": f32(rng, model, model) / 3,
        "wo": f32(rng, model, model) / 3,
        "cos": f32(rng, 1, tokens, head),
        "sin": f32(rng, 1, tokens, head),
        "mask": hidden.reshape(1, 1, tokens, context) if mask else None,
        "k": f32(rng, 1, cache, heads, head),
        "v": f32(rng, 1, cache, heads, head),
        "pos": np.array([pos], postype),
    }

    def fn(v):
        x = v["x"][0].astype(np.float64)
        q, k, new = [(x @ v[w].T).reshape(tokens, heads, head) for w in ("wq", "wk", "wv")]
        sin, cos = v["sin"][0][:, None, :], v["cos"][0][:, None, :]
        keys, values = v["k"][0].astype(np.float64), v["v"][0].astype(np.float64)
        keys[pos : pos + tokens], values[pos : pos + tokens] = turned(k, sin, cos, False), new
        score = np.einsum("thd,chd->htc", turned(q, sin, cos, False), keys[:context]) / np.sqrt(head) + hidden[None]
        p = np.exp(score - score.max(-1, keepdims=True))
        p /= p.sum(-1, keepdims=True)
        return (np.einsum("htc,chd->thd", p, values[:context]).reshape(tokens, model) @ v["wo"].T)[None]

    return case(
        "attention/" + name,
        "ATTENTION",
        fn,
        inputs,
        (1, tokens, model),
        (),
        ("wq", "wk", "wv", "wo"),
        variable,
        2 if variable else 1,
    )


def bcq(rng, clusters, hidden):
    """(scales, words, dense weights [rows, hidden])."""
    words, scales, dense = [], [], []
    for bits, rows in clusters:
        for _ in range(rows):
            s = rng.uniform(0.1, 1, bits).astype(np.float32)
            code = rng.integers(0, 2, (bits, hidden))
            padded = np.concatenate([code, np.zeros((bits, -hidden % 32), int)], 1)
            words.append(np.packbits(padded.astype(np.uint8), axis=1, bitorder="little").view("<i4"))
            scales.append(s)
            dense.append(((2 * code - 1) * s[:, None]).sum(0))
    codes = sum(b * n for b, n in clusters)
    words = np.concatenate(words).reshape(codes, -1) if words else np.zeros((codes, (hidden + 31) // 32), np.int32)
    scales = np.concatenate(scales) if scales else np.zeros(0, np.float32)
    return scales, words.astype(np.int32), np.array(dense).reshape(-1, hidden)


def bcq_fc(name, clusters, hidden, n, bias=True, act=0, const=("scales", "binary", "bias", "clusters")):
    rng = rng_of(name)
    scales, words, dense = bcq(rng, clusters, hidden)
    inputs = {
        "x": f32(rng, hidden, n),
        "scales": scales,
        "binary": words,
        "bias": f32(rng, len(dense)) if bias else None,
        "clusters": np.array(clusters, np.int32).reshape(-1, 2),
    }

    def fn(v):
        y = dense @ v["x"] + (v["bias"][:, None] if bias else 0)
        return np.maximum(y, 0) if act else y

    return case("bcq_fully_connected/" + name, "BCQ_FULLY_CONNECTED", fn, inputs, (len(dense), n), (hidden, act), const)


def bcq_gather(name, clusters, hidden, at, axis, const=("scales", "binary", "clusters"), dtype=np.int32):
    rng = rng_of(name)
    scales, words, dense = bcq(rng, clusters, hidden)
    inputs = {"scales": scales, "binary": words, "at": np.array(at, dtype), "clusters": np.array(clusters, np.int32)}
    shape = np.take(dense, at, axis).shape
    return case(
        "bcq_gather/" + name,
        "BCQ_GATHER",
        lambda v: np.take(dense, v["at"], axis),
        inputs,
        shape,
        (hidden, axis),
        const,
    )


def shuffled(name, rows, units, depth, const=("w", "b"), act=0):
    """FULLY_CONNECTED with weights in blocks of 16 units (SHUFFLED16x1FLOAT32)."""
    rng = rng_of(name)
    w = f32(rng, units, depth)
    stored = w.reshape(units // 16, 16, depth).transpose(0, 2, 1).reshape(units, depth)
    inputs = {"x": f32(rng, rows, depth), "w": stored, "b": f32(rng, units)}

    def fn(v):
        y = v["x"] @ w.T + v["b"]
        return np.maximum(y, 0) if act else y

    o = opts("FullyConnected", weightsFormat=127, fusedActivationFunction=act)
    return case("fully_connected/f32/" + name, "FULLY_CONNECTED", fn, inputs, (rows, units), o, const)


def cases():
    yield shuffled("shuffled", 3, 32, 7)
    yield shuffled("shuffled_relu", 1, 16, 20, act=1)
    yield shuffled("shuffled_live", 2, 48, 5, ())
    yield bcq_fc("f32/one_cluster", [(3, 5)], 64, 4)
    yield bcq_fc("f32/clusters", [(1, 3), (4, 2), (2, 6)], 50, 3, act=1)
    yield bcq_fc("f32/no_bias", [(2, 4)], 32, 1, False)
    yield bcq_fc("f32/live_clusters", [(2, 4), (3, 3)], 33, 2, const=())
    yield bcq_fc("f32/empty", [(2, 4)], 32, 0)
    yield bcq_gather("f32/rows", [(1, 3), (4, 2), (2, 6)], 50, [[10, 0], [3, 4], [0, 5]], 0)
    yield bcq_gather("f32/columns", [(3, 5), (1, 2)], 40, [39, 0, 7], 1, dtype=np.int64)
    yield bcq_gather("f32/one", [(3, 5)], 32, 2, 0)
    yield bcq_gather("f32/none", [(3, 5)], 32, np.zeros(0, int), 0)
    yield bcq_gather("f32/live", [(3, 5)], 32, [4, 4], 0, const=())
    yield instance_norm("f32/plain", (2, 5, 7, 3))
    yield instance_norm("f32/relu", (1, 4, 4, 8), 1e-3, 1)
    yield instance_norm("f32/relu6_live", (3, 2, 9, 5), 1e-2, 3, ())
    yield instance_norm("f32/rank3", (2, 6, 4))
    yield instance_norm("f32/rank2", (2, 6))
    yield instance_norm("f32/empty", (0, 3, 3, 2))
    yield rms_norm("f32/plain", (2, 3, 5, 8))
    yield rms_norm("f32/beta", (1, 1, 4, 7), 1e-2, True)
    yield rms_norm("f32/beta_left_out", (4, 7), 1e-5, False)
    yield rms_norm("f32/live", (2, 2, 2, 3, 5), 0.5, True, ())
    yield rms_norm("f32/rank1", (9,))
    yield rms_norm("f32/empty", (0, 9))
    yield rope("f32/one_row", (1, 4, 3, 8), (1, 1, 1, 8))
    yield rope("f32/row_each", (2, 4, 5, 6), (1, 1, 5, 6))
    yield rope("f32/row_each_batch", (2, 4, 5, 6), (2, 1, 5, 6), const=())
    yield rope("f32/gpt_j", (2, 3, 4, 10), (4, 10), 1)
    yield rope("f32/gpt_j_one_row", (1, 2, 3, 2), (2,), 1)
    yield rope("f32/rank1", (6,), (6,))
    yield rope("f32/empty", (1, 0, 3, 4), (1, 1, 3, 4))
    yield gru("f32/one", 5, 1, 3, 4, major=False)
    yield gru("f32/no_bias", 2, 1, 2, 2, bias=False)
    yield gru("f32/batches", 4, 3, 5, 7, act=4)
    yield gru("f32/sequences", 6, 2, 4, 3, True)
    yield gru("f32/live", 3, 2, 4, 5, True, const=())
    yield gru("f32/no_time", 0, 1, 4, 5)
    yield attention("f32/first", 1, 2, 4, 8, 0)
    yield attention("f32/later", 1, 4, 8, 40, 33)
    yield attention("f32/short_mask", 1, 2, 6, 32, 5, context=8)
    yield attention("f32/tokens", 3, 2, 4, 16, 7, postype=np.int32)
    yield attention("f32/no_mask", 3, 2, 4, 16, 7, False)
    yield attention("f32/variable", 2, 2, 4, 8, 3, variable=("k", "v"))
