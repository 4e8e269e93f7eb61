#!/usr/bin/env python3
"""Recurrent operations of the NNAPI device against NumPy: all optional operands, both orders of time and batch, states in and out.

    test_recurrent.py [--library build/test/libnpu_rt_nnapi.so]

Bounds are those of test_operations.py; the quantized LSTM, which computes in float between its quantized operands, within two steps
of float64. Also LSH_PROJECTION (its hash against FarmHash in Python) and how RANDOM_MULTINOMIAL's samples are distributed."""

import argparse
import sys

import numpy as np

import settings  # isort: skip
from client import Failed, Library
from runner import Score
from test_operations import FLOAT, HALF, INT, U8, X, built, check, f32, i32, seeded, yes

S16, S8, I8 = "TENSOR_QUANT16_SYMM", "TENSOR_QUANT8_SYMM", "TENSOR_QUANT8_ASYMM_SIGNED"
GATES = ("in", "forget", "cell", "out")


def sigmoid(v):
    return 1 / (1 + np.exp(-v))


ACT = {0: lambda v: v, 1: lambda v: np.maximum(v, 0), 3: lambda v: np.clip(v, 0, 6), 4: np.tanh, 6: sigmoid}


class Cell:
    """Weights of an LSTM, and the reference: a sequence [time, batch, inputs] from states to outputs and states."""

    def __init__(self, rng, inputs, cells, outputs, cifg=0, peephole=0, projection=0, norm=0, aux=0, kind=FLOAT):
        def some(there, *shape):
            return X(rng.uniform(-0.6, 0.6, shape), kind, fixed=True) if there else None

        gates = [i or not cifg for i in range(4)]
        self.kind, self.cells, self.outputs, self.cifg = kind, cells, outputs, cifg
        self.w = [some(g, cells, inputs) for g in gates]
        self.r = [some(g, cells, outputs) for g in gates]
        self.peep = [some(peephole and g, cells) for g in (gates[0], 1, 1)]
        self.bias = [some(g, cells) for g in gates]
        self.proj = some(projection, outputs, cells)
        self.proj_bias = some(projection > 1, outputs)
        self.norm = [some(norm and g, cells) for g in gates]
        self.aux = [some(aux and g, cells, aux) for g in gates]

    def operands(self):
        return [*self.w, *self.r, *self.peep, *self.bias, self.proj, self.proj_bias]

    def gate(self, g, x, aux, h, peep):
        v = x @ self.w[g].real.T + h @ self.r[g].real.T
        if aux is not None:
            v = v + aux @ self.aux[g].real.T
        if peep is not None:
            v = v + peep
        if self.norm[g] is not None:
            v = (v - v.mean(1, keepdims=True)) / np.sqrt(v.var(1, keepdims=True) + 1e-8) * self.norm[g].real
        return v + self.bias[g].real

    def step(self, x, aux, h, c, act, cell_clip, proj_clip):
        peep = [p.real * c if p is not None else None for p in self.peep]
        forget = sigmoid(self.gate(1, x, aux, h, peep[1]))
        take = 1 - forget if self.cifg else sigmoid(self.gate(0, x, aux, h, peep[0]))
        c = forget * c + take * act(self.gate(2, x, aux, h, None))
        c = np.clip(c, -cell_clip, cell_clip) if cell_clip else c
        h = sigmoid(self.gate(3, x, aux, h, self.peep[2].real * c if self.peep[2] is not None else None)) * act(c)
        if self.proj is not None:
            h = h @ self.proj.real.T + (self.proj_bias.real if self.proj_bias is not None else 0)
            h = np.clip(h, -proj_clip, proj_clip) if proj_clip else h
        return h, c

    def run(self, x, h, c, code=4, cell_clip=0.0, proj_clip=0.0, backward=False, aux=None):
        out = [None] * len(x)
        for t in reversed(range(len(x))) if backward else range(len(x)):
            h, c = self.step(x[t], None if aux is None else aux[t], h, c, ACT[code], cell_clip, proj_clip)
            out[t] = h
        return np.stack(out), h, c


# (cifg, peephole, projection (2: with a bias), layer norm, activation, cell clip, projection clip)
VARIANTS = [
    (0, 0, 0, 0, 4, 0.0, 0.0), (1, 0, 0, 0, 4, 0.0, 0.0), (0, 1, 0, 0, 4, 0.0, 0.0), (1, 1, 0, 0, 4, 0.0, 0.0),
    (0, 0, 1, 0, 4, 0.0, 0.0), (0, 1, 2, 0, 4, 0.3, 0.2), (0, 0, 0, 1, 4, 0.0, 0.0), (1, 1, 2, 1, 4, 0.5, 0.4),
    (0, 0, 0, 0, 1, 1.0, 0.0), (0, 0, 0, 0, 6, 0.0, 0.0), (0, 1, 0, 1, 3, 0.0, 0.0), (1, 0, 1, 0, 0, 0.7, 0.0),
]  # fmt: skip


def scalar(kind, v):
    from test_operations import S

    return S("FLOAT16", np.float16(v)) if kind == HALF else f32(v)


def swapped(v, time_major):
    return v if time_major else v.swapaxes(0, 1)


def lstm_cases():
    for n, (cifg, peep, proj, norm, code, cell_clip, proj_clip) in enumerate(VARIANTS):
        for kind in (FLOAT, HALF) if n in (0, 7) else (FLOAT,):
            rng, outputs = seeded("lstm%d" % n), 3 if proj else 5
            w = Cell(rng, 4, 5, outputs, cifg, peep, proj, norm, kind=kind)
            h, c = X(rng.uniform(-0.5, 0.5, (3, outputs)), kind), X(rng.uniform(-0.5, 0.5, (3, 5)), kind)
            clips = [scalar(kind, cell_clip), scalar(kind, proj_clip)]
            cell_clip, proj_clip = (float(v.value) for v in clips)
            x = X(rng.uniform(-1, 1, (3, 4)), kind)
            y, h1, c1 = w.run(x.real[None], h.real, c.real, code, cell_clip, proj_clip)
            args = [x, *w.operands(), h, c, i32(code), *clips, *(w.norm if norm else [])]
            wants = [np.zeros((3, 5 * (3 if cifg else 4))), h1, c1, y[0]]
            yield "LSTM", args, [(kind, v.shape, None) for v in wants], wants
            for time_major in (False, True):
                base = rng.uniform(-1, 1, (6, 3, 4))
                x = X(swapped(base, time_major), kind)
                y, h1, c1 = w.run(swapped(x.real, time_major), h.real, c.real, code, cell_clip, proj_clip)
                args = [x, *w.operands(), h, c, i32(code), *clips, yes(time_major), *(w.norm if norm else [])]
                wants = [swapped(y, time_major), h1, c1]
                for count in (1, 3):
                    yield (
                        "UNIDIRECTIONAL_SEQUENCE_LSTM",
                        args,
                        [(kind, v.shape, None) for v in wants[:count]],
                        wants[:count],
                    )


def both_lstm_cases():
    for n, (cifg, peep, proj, norm, code, cell_clip, proj_clip) in enumerate(VARIANTS):
        rng, outputs, link = seeded("both%d" % n), 3 if proj else 5, n % 3
        time_major, merge, states = n % 2 == 0, n % 4 > 1, n % 3 != 1
        aux_size = 4 if link == 2 else 0
        fw = Cell(rng, 4, 5, outputs, cifg, peep, proj, norm, aux_size)
        bw = Cell(rng, 7 if link == 1 else 4, 5, outputs, cifg, peep, proj, norm, aux_size)
        x = X(swapped(rng.uniform(-1, 1, (4, 2, 4)), time_major))
        aux = X(swapped(rng.uniform(-1, 1, (4, 2, 7 if link == 1 else 4)), time_major)) if link else None
        s = [X(rng.uniform(-0.5, 0.5, (2, size))) for size in (outputs, 5, outputs, 5)]
        xs = swapped(x.real, time_major)
        xa = swapped(aux.real, time_major) if link else None
        how = (code, cell_clip, proj_clip)
        a = fw.run(xs, s[0].real, s[1].real, *how, aux=xa if link == 2 else None)
        b = bw.run(xa if link == 1 else xs, s[2].real, s[3].real, *how, True, xa if link == 2 else None)
        args = [x, *fw.operands(), *bw.operands(), *s, aux, *fw.aux, *bw.aux, i32(code), f32(cell_clip), f32(proj_clip)]
        args += [yes(merge), yes(time_major), *fw.norm, *bw.norm]
        ya, yb = swapped(a[0], time_major), swapped(b[0], time_major)
        wants = [np.concatenate([ya, yb], 2)] if merge else [ya, yb]
        wants += [a[1], a[2], b[1], b[2]] if states else []
        yield "BIDIRECTIONAL_SEQUENCE_LSTM", args, [(FLOAT, v.shape, None) for v in wants], wants


def rnn_run(x, w, h, code, backward=False, aux=None, aux_w=None):
    out = [None] * len(x)
    for t in reversed(range(len(x))) if backward else range(len(x)):
        v = x[t] @ w[0].real.T + h @ w[1].real.T + w[2].real
        h = out[t] = ACT[code](v if aux is None else v + aux[t] @ aux_w.real.T)
    return np.stack(out), h


def rnn_cases():
    for n in range(12):
        rng, code, time_major, kind = seeded("rnn%d" % n), (4, 0, 1, 6)[n % 4], n % 2 == 1, HALF if n == 8 else FLOAT

        def weights(rng=rng, kind=kind, inputs=6, units=5):
            shapes = ((units, inputs), (units, units), (units,))
            return [X(rng.uniform(-0.6, 0.6, s), kind, fixed=True) for s in shapes]

        x, w, h = (
            X(rng.uniform(-1, 1, (3, 4, 6)), kind),
            weights(),
            [X(rng.uniform(-1, 1, (3, 5)), kind) for _ in range(2)],
        )
        if time_major:
            x = X(x.raw.swapaxes(0, 1), kind)
        xs = swapped(x.real, time_major)
        y, last = rnn_run(xs, w, h[0].real, code)
        wants = [swapped(y, time_major), last][: 1 + n // 2 % 2]
        args = [x, *w, h[0], i32(code), i32(int(time_major))]
        yield "UNIDIRECTIONAL_SEQUENCE_RNN", args, [(kind, v.shape, None) for v in wants], wants
        link, merge, states = n % 3, n // 2 % 2 == 1, n % 4 == 3
        back = weights(inputs=2 if link == 1 else 6)
        aux = X(swapped(rng.uniform(-1, 1, (4, 3, 2)), time_major), kind) if link else None
        xa = swapped(aux.real, time_major) if link else None
        aux_w = [X(rng.uniform(-1, 1, (5, 2)), kind, fixed=True) if link == 2 else None for _ in range(2)]
        crossed = xa if link == 2 else None
        a = rnn_run(xs, w, h[0].real, code, False, crossed, aux_w[0])
        b = rnn_run(xa if link == 1 else xs, back, h[1].real, code, True, crossed, aux_w[1])
        sequences = [swapped(v[0], time_major) for v in (a, b)]
        wants = ([np.concatenate(sequences, 2)] if merge else sequences) + ([a[1], b[1]] if states else [])
        args = [x, *w, h[0], *back, h[1], aux, *aux_w, i32(code), yes(time_major), yes(merge)]
        yield "BIDIRECTIONAL_SEQUENCE_RNN", args, [(kind, v.shape, None) for v in wants], wants


def svdf_cases():
    for n, (batch, inputs, units, rank, memory, bias, code) in enumerate([
        (2, 3, 4, 1, 10, 1, 0), (3, 5, 2, 2, 4, 0, 1), (1, 7, 3, 3, 1, 1, 0), (4, 9, 5, 2, 9, 1, 3),
    ]):  # fmt: skip
        for kind in (FLOAT, HALF):
            rng, filters = seeded("svdf%d" % n), units * rank
            x = X(rng.uniform(-1, 1, (batch, inputs)), kind)
            feature, time = (X(rng.uniform(-1, 1, (filters, k)), kind, fixed=True) for k in (inputs, memory))
            b = X(rng.uniform(-1, 1, units), kind, fixed=True) if bias else None
            state = X(rng.uniform(-1, 1, (batch, filters * memory)), kind)
            s = state.real.reshape(batch, filters, memory).copy()
            s[:, :, -1] = x.real @ feature.real.T
            y = (s * time.real).sum(2).reshape(batch, units, rank).sum(2) + (b.real if bias else 0)
            moved = np.concatenate([s[:, :, 1:], np.zeros((batch, filters, 1))], 2).reshape(batch, -1)
            wants = [moved, ACT[code](y)]
            args = [x, feature, time, b, state, i32(rank), i32(code)]
            yield "SVDF", args, [(kind, v.shape, None) for v in wants], wants


def lsh_cases():
    """The weighted sum of one row has the sign of its hash, so that what differs between types is seen without one."""
    rng = seeded("lsh")
    seeds, data = X(rng.uniform(-2, 2, (4, 3))), X(rng.integers(-99, 99, (5, 2)), INT)
    yield seeds, data, X(rng.uniform(0.1, 1, 5))
    yield seeds, X(rng.uniform(-1, 1, (6,))), None


FAMILIES = (lstm_cases, both_lstm_cases, rnn_cases, svdf_cases)


def ran(library, op, args, outs):
    m, arrays = built(library, op, args, outs)
    try:
        return m.run(arrays)
    finally:
        m.close()


def check_lsh(score, library):
    for n, (seeds, data, weight) in enumerate(lsh_cases()):
        problem = None
        try:
            hashes, bits = seeds.raw.shape
            dense = ran(library, "LSH_PROJECTION", [seeds, data, weight, i32(2)], [(INT, (hashes * bits,), None)])[0]
            numbers = dense.reshape(hashes, bits) @ (1 << np.arange(bits)[::-1])
            for kind, want in ((3, numbers + (np.arange(hashes) << bits)), (1, numbers)):
                got = ran(library, "LSH_PROJECTION", [seeds, data, weight, i32(kind)], [(INT, (hashes,), None)])[0]
                if not np.array_equal(got, want):
                    problem = "type %d: %s instead of %s" % (kind, got, want)
            if not 0 < dense.sum() < dense.size:
                problem = "all bits are alike"
        except Failed as e:
            problem = str(e)
        score.check("lsh_projection/%d" % n, problem)


def check_multinomial(score, library):
    p = np.array([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]])
    for kind in (FLOAT, HALF):
        args = [X(np.log(p) + 3, kind), i32(20000), X([37, 42], INT, fixed=True)]
        try:
            got = ran(library, "RANDOM_MULTINOMIAL", args, [(INT, (2, 20000), None)])[0]
            share = np.stack([(got == k).mean(1) for k in range(3)], 1)
            problem = None if np.abs(share - p).max() < 0.02 else "shares %s" % share
        except Failed as e:
            problem = str(e)
        score.check("random_multinomial/%s" % kind.lower(), problem)


def quantized_lstm_cases():
    """Operands of QUANTIZED_LSTM, and the same numbers for the float reference."""
    for n, (cifg, peep, proj, norm) in enumerate(
        [(0, 0, 0, 0), (1, 1, 0, 0), (0, 0, 1, 0), (0, 1, 2, 1), (1, 0, 0, 1)]
    ):
        rng, outputs = seeded("qlstm%d" % n), 3 if proj else 5
        scales = dict(x=1 / 128, w=1 / 200, hidden=0.006)

        def some(there, kind, scale, *shape, rng=rng):
            return X(rng.uniform(-0.6, 0.6, shape), kind, fixed=True, quant=(scale, 0)) if there else None

        w, gates = Cell(rng, 4, 5, outputs), [i or not cifg for i in range(4)]
        w.cifg = cifg
        w.w = [some(g, S8, scales["w"], 5, 4) for g in gates]
        w.r = [some(g, S8, scales["w"], 5, outputs) for g in gates]
        w.peep = [some(peep and g, S16, 2**-14, 5) for g in (gates[0], 1, 1)]
        w.norm = [some(norm and g, S16, 2**-14, 5) for g in gates]
        by = 2**-24 if norm else scales["x"] * scales["w"]
        w.bias = [some(g, INT, by, 5) for g in gates]
        w.proj = some(proj, S8, scales["w"], outputs, 5)
        w.proj_bias = some(proj > 1, INT, scales["w"] * scales["hidden"], outputs)
        x = X(rng.uniform(-1, 1, (2, 4)), I8, quant=(scales["x"], 3))
        h, c = (
            X(rng.uniform(-0.5, 0.5, (2, outputs)), I8, quant=(0.008, -2)),
            X(rng.uniform(-0.5, 0.5, (2, 5)), S16, quant=(2**-11, 0)),
        )
        y, h1, c1 = w.run(x.real[None], h.real, c.real, 4, 0.4)
        args = [x, *w.operands(), h, c, *w.norm, f32(0.4), f32(0), *[f32(0.001)] * 4, i32(4), f32(scales["hidden"])]
        # Without a projection the output is the hidden state, whatever scale it says.
        told = (0.008, -2) if proj else (scales["hidden"], 4)
        outs = [(I8, h1.shape, (0.008, -2)), (S16, c1.shape, (2**-11, 0)), (I8, h1.shape, (0.008, -2))]
        yield args, outs, [h1, c1, y[0]], [told, outs[1][2], told]


def steps(got, want, quant):
    return np.abs(got - (np.round(want / quant[0]) + quant[1])).max()


def check_quantized(score, library):
    for n, (args, outs, wants, quants) in enumerate(quantized_lstm_cases()):
        try:
            got = ran(library, "QUANTIZED_LSTM", args, outs)
            worst = max(steps(g, w, q) for g, w, q in zip(got, wants, quants))
            problem = None if worst <= 2 else "%g steps" % worst
        except Failed as e:
            problem = str(e)
        score.check("quantized_lstm/%d" % n, problem)
    for n, (batch, inputs, cells) in enumerate([(1, 2, 4), (3, 5, 8)]):
        rng = seeded("lstm16%d" % n)
        quant, data = (1 / 100, 131), (1 / 128, 128)
        w = Cell(rng, inputs, cells, cells)
        w.w = [X(rng.uniform(-0.9, 0.9, (cells, inputs)), U8, fixed=True, quant=quant) for _ in range(4)]
        w.r = [X(rng.uniform(-0.9, 0.9, (cells, cells)), U8, fixed=True, quant=quant) for _ in range(4)]
        w.bias = [X(rng.uniform(-0.5, 0.5, cells), INT, fixed=True, quant=(quant[0] * data[0], 0)) for _ in range(4)]
        x, h = (X(rng.uniform(-0.9, 0.9, (batch, k)), U8, quant=data) for k in (inputs, cells))
        c = X(rng.uniform(-2, 2, (batch, cells)), S16, quant=(2**-11, 0))
        # As Android's tests have it: recurrent weights, then those of the input, times the input, then the last output.
        both = [np.concatenate([r.real, v.real], 1) for r, v in zip(w.r, w.w)]
        by = Cell(rng, inputs, cells, cells)
        by.w, by.r, by.bias = [X(m[:, :inputs]) for m in both], [X(m[:, inputs:]) for m in both], w.bias
        y, h1, c1 = by.run(x.real[None], h.real, c.real)
        outs = [(S16, c1.shape, (2**-11, 0)), (U8, h1.shape, data)]
        try:
            got = ran(library, "QUANTIZED_16BIT_LSTM", [x, *w.w, *w.r, *w.bias, c, h], outs)
            worst = (steps(got[0], c1, outs[0][2]), steps(got[1], y[0], data))
            problem = None if worst[0] <= 8 and worst[1] <= 2 else "%g and %g steps" % worst
        except Failed as e:
            problem = str(e)
        score.check("quantized_16bit_lstm/%d" % n, problem)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--library", default=settings.LIBRARY)
    a = p.parse_args()
    library, score, count = Library(a.library), Score("nnapi recurrent operations"), {}
    for family in FAMILIES:
        for case in family():
            count[case[0]] = count.get(case[0], 0) + 1
            check(score, library, case, count[case[0]])
    check_lsh(score, library)
    check_multinomial(score, library)
    check_quantized(score, library)
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
