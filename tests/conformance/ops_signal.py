"""The Signal* custom ops of tflite-micro: every op, type and edge of its fixed-point arithmetic.

cases() yields (name, model, runs, oracle, tolerance). `runs` is a list of runs of one session, each a list of input
arrays: most of these ops remember something from run to run. tolerance None means bit-equal.
"""

import numpy as np
from flatbuffers import flexbuffers

from mkmodel import Builder, T, TYPES, single_op


def options(**values):
    b = flexbuffers.Builder()
    with b.Map():
        for key in sorted(values):
            b.Key(key)
            b.Bool(values[key]) if isinstance(values[key], bool) else b.Int(values[key])
    return bytes(b.Finish())


def signal(op, inputs, outputs, **values):
    return single_op("CUSTOM", inputs, outputs, custom=("Signal" + op, options(**values)))


def samples(rng, n, amplitude=32767):
    return rng.integers(-amplitude - (amplitude == 32767), amplitude + 1, n).astype(np.int16)


def words(rng, n, bits=32):
    """Unsigned numbers of every magnitude."""
    x = rng.integers(0, 1 << 64, n, dtype=np.uint64) >> np.uint64(64 - bits)
    return (x >> rng.integers(0, bits, n).astype(np.uint64)).astype(np.uint32 if bits == 32 else np.uint64)


def fft_data(rng, dtype, n, amplitude):
    if dtype == "float32":
        return (rng.standard_normal(n) * amplitude).astype(np.float32)
    top = np.iinfo(dtype).max
    low, high = int(-top * amplitude) - (amplitude == 1), int(top * amplitude)
    return rng.integers(low, high, n, endpoint=True).astype(dtype)


def fft_cases(rng):
    lengths = (4, 6, 8, 10, 12, 16, 18, 20, 30, 32, 50, 60, 64, 90, 128, 240, 256, 400, 512, 1000, 1024)
    for dtype in ("int16", "int32", "float32"):
        for n in lengths:
            for op, n_in, n_out in (("Rfft", n, n + 2), ("Irfft", n + 2, n)):
                model = signal(op, [T("x", (n_in,), dtype)], [T("y", (n_out,), dtype)], T=TYPES[dtype], fft_length=n)
                runs = [[fft_data(rng, dtype, n_in, a)] for a in (1, 0.5, 0.01)]
                if dtype != "float32":
                    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
                    runs.append([np.full(n_in, low, dtype)])
                    runs.append([np.where(np.arange(n_in) % 2, low, high).astype(dtype)])
                yield "%s_%s_%d" % (op.lower(), dtype, n), model, runs, "tflm", 1e-4 if dtype == "float32" else None
    for shape, n in (((2, 3, 480), 512), ((1, 1), 8), ((3, 7), 12)):
        x = fft_data(rng, "int16", shape, 1)
        model = signal("Rfft", [T("x", shape, "int16")], [T("y", shape[:-1] + (n + 2,), "int16")], T=7, fft_length=n)
        yield "rfft_rows_%s" % "x".join(map(str, shape)), model, [[x]], "tflm", None
    x = fft_data(rng, "int16", (2, 2, 34), 1)
    model = signal("Irfft", [T("x", x.shape, "int16")], [T("y", (2, 2, 32), "int16")], T=7, fft_length=32)
    yield "irfft_rows", model, [[x]], "tflm", None


def spectrum_cases(rng):
    for shift in (0, 1, 12, 15, 31):
        window, x = samples(rng, 48), samples(rng, (2, 3, 48))
        model = signal(
            "Window",
            [T("x", x.shape, "int16"), T("w", (48,), "int16", data=window)],
            [T("y", x.shape, "int16")],
            shift=shift,
        )
        yield "window_%d" % shift, model, [[x]], "tflm", None
    low = np.full(9, -32768, np.int16)
    model = signal("Window", [T("x", (9,), "int16"), T("w", (9,), "int16")], [T("y", (9,), "int16")], shift=3)
    yield "window_saturates", model, [[low, low], [low, -1 - low]], "tflm", None

    model = signal("FftAutoScale", [T("x", (64,), "int16")], [T("y", (64,), "int16"), T("bits", (), "int32")])
    runs = [[samples(rng, 64, a)] for a in (0, 1, 2, 3, 100, 255, 256, 16383, 16384, 32767)]
    runs += [
        [np.array(x, np.int16)]
        for x in ([-32768] + [5] * 63, [5] * 63 + [-32768], [-32768] * 2 + [-7] * 62, [-32768, 0] * 32)
    ]
    yield "fft_auto_scale", model, runs, "tflm", None

    model = signal("Energy", [T("x", (66,), "int16")], [T("y", (33,), "uint32")], start_index=0, end_index=33)
    yield "energy", model, [[samples(rng, 66)], [np.full(66, -32768, np.int16)]], "tflm", None
    yield "energy_part", energy_part(), [[samples(rng, 66)]], "tflm", None


def energy_part():
    """Bins outside [start, end) are whatever the arena held, so they are cut off before they become an output."""
    b = Builder()
    b.subgraph()
    x, e, y = T("x", (66,), "int16"), T("e", (33,), "uint32"), T("y", (33,), "int32")
    z = T("z", (20,), "int32")
    b.op("CUSTOM", [x], [e], custom=("SignalEnergy", options(start_index=5, end_index=25)))
    b.op("CAST", [e], [y])
    b.op(
        "STRIDED_SLICE",
        [y]
        + [T(n, (1,), "int32", data=np.array([v], np.int32)) for n, v in (("begin", 5), ("end", 25), ("stride", 1))],
        [z],
    )
    b.io([x], [z])
    return b.bytes()


def filter_bank_cases(rng):
    for channels, bins in ((5, 30), (1, 4), (40, 257)):
        width = rng.integers(0, bins // 2, channels + 1).astype(np.int16)
        first = np.array([rng.integers(0, bins - w) for w in width], np.int16)
        start = np.concatenate([[0], np.cumsum(width)[:-1]]).astype(np.int16)
        tables = [samples(rng, max(1, int(width.sum()))) for _ in range(2)] + [first, start, width]
        inputs = [T("x", (bins,), "uint32")] + [T("t%d" % i, t.shape, "int16", data=t) for i, t in enumerate(tables)]
        model = signal("FilterBank", inputs, [T("y", (channels,), "uint64")], num_channels=channels)
        yield "filter_bank_%d" % channels, model, [[words(rng, bins)] for _ in range(3)], "tflm", None

    square = words(rng, 500, 64) >> np.uint64(32)
    square = square * square
    edges = np.array([2**32 - 1, 2**32, 2**32 + 1, 2**64 - 1, 0xFFFE0001, 0xFFFE0002, 0xFFFF0000], np.uint64)
    x = np.concatenate(
        [
            words(rng, 1000, 64),
            square,
            square + np.uint64(1),
            square - np.uint64(1),
            np.arange(1000, dtype=np.uint64),
            edges,
        ]
    )
    model = signal(
        "FilterBankSquareRoot", [T("x", x.shape, "uint64"), T("bits", (), "int32")], [T("y", x.shape, "uint32")]
    )
    yield "square_root", model, [[x, np.array(s, np.int32)] for s in (0, 1, 7, 15, 31)], "tflm", None

    sets = (
        (409, 15975, 983, 15401, 819, 10, 14),
        (5000, 11384, 900, 15484, 0, 0, 14),
        (65535, 1, 1, 65535, 9, 4, 16),
        (-1, -2, -3, -4, -5, 31, 40),
    )
    for clamping in (False, True):
        for i, (s, one_s, a, one_a, least, smoothing_bits, bits) in enumerate(sets):
            model = signal(
                "FilterBankSpectralSubtraction",
                [T("x", (40,), "uint32")],
                [T("y", (40,), "uint32"), T("noise", (40,), "uint32")],
                num_channels=40,
                smoothing=s,
                one_minus_smoothing=one_s,
                alternate_smoothing=a,
                alternate_one_minus_smoothing=one_a,
                min_signal_remaining=least,
                smoothing_bits=smoothing_bits,
                spectral_subtraction_bits=bits,
                clamping=clamping,
            )
            yield (
                "spectral_subtraction_%d_%d" % (clamping, i),
                model,
                [[words(rng, 40)] for _ in range(20)],
                "tflm",
                None,
            )

    luts = (
        samples(rng, 125),
        np.abs(samples(rng, 125, 32766)),
        np.full(125, 32767, np.int16),
        np.full(125, -32768, np.int16),
    )
    for i, lut in enumerate(luts):
        for shift in (0, 6, 12, 40):
            model = signal(
                "PCAN",
                [T("x", (500,), "uint32"), T("noise", (500,), "uint32"), T("lut", (125,), "int16", data=lut)],
                [T("y", (500,), "uint32")],
                snr_shift=shift,
            )
            noise = np.concatenate([np.arange(40, dtype=np.uint32), words(rng, 460)])
            yield "pcan_%d_%d" % (i, shift), model, [[words(rng, 500), noise]], "tflm", None

    for scale, bits in ((64, 3), (1, 0), (1600, 0), (65536, 5), (100000, 31), (-1, 2)):
        model = signal(
            "FilterBankLog",
            [T("x", (2000,), "uint32")],
            [T("y", (2000,), "int16")],
            output_scale=scale,
            input_correction_bits=bits,
        )
        top = np.array([2**32 - 1, 2**31, 2**31 - 1, 1, 0] * 400, np.uint32)
        runs = [[words(rng, 2000)], [np.arange(2000, dtype=np.uint32)], [top]]
        yield "log_%d_%d" % (scale, bits), model, runs, "tflm", None


def masked(op, shape, out_shape, **values):
    """[frames, valid] with the frames zeroed where they are not valid: tflite-micro leaves those unwritten."""
    b = Builder()
    b.subgraph()
    x, frames, valid = T("x", shape, "int16"), T("frames", out_shape, "int16"), T("valid", (), "bool")
    y, zero = T("y", out_shape, "int16"), T("zero", out_shape, "int16", data=np.zeros(out_shape, np.int16))
    b.op("CUSTOM", [x], [frames, valid], custom=("Signal" + op, options(**values)))
    b.op("SELECT_V2", [valid, frames, zero], [y])
    b.io([x], [y, valid])
    return b.bytes()


def stream_cases(rng):
    for delay in (0, 1, 5, 8, 9, 30):
        model = signal("Delay", [T("x", (2, 3, 8), "int16")], [T("y", (2, 3, 8), "int16")], delay_length=delay)
        yield "delay_%d" % delay, model, [[samples(rng, (2, 3, 8))] for _ in range(6)], "tflm", None
    for size, step, shape in ((6, 2, (4,)), (5, 2, (4,)), (400, 160, (160,)), (3, 3, (2, 6)), (7, 3, (2, 2, 9))):
        out = shape[:-1] + (shape[-1] // step, size)
        for prefill in (False, True):
            model = masked("Framer", shape, out, frame_size=size, frame_step=step, prefill=prefill)
            name = "framer_%d_%d_%s%s" % (size, step, "x".join(map(str, shape)), "_prefill" if prefill else "")
            yield name, model, [[samples(rng, shape)] for _ in range(7)], "tflm", None
    for dtype in ("int16", "float32"):
        for shape, step in (((3, 8), 4), ((2, 1, 6), 6), ((2, 2, 5), 2), ((1, 9), 1)):
            out = shape[:-2] + (shape[-2] * step,)
            model = signal("OverlapAdd", [T("x", shape, dtype)], [T("y", out, dtype)], T=TYPES[dtype], frame_step=step)
            runs = [[samples(rng, shape).astype(dtype)] for _ in range(5)]
            name = "overlap_add_%s_%s_%d" % (dtype, "x".join(map(str, shape)), step)
            yield name, model, runs, "tflm", None if dtype == "int16" else 1e-4
    for left, right, step in ((0, 0, 1), (2, 0, 1), (1, 1, 1), (0, 3, 2), (3, 2, 6), (2, 1, 4)):
        model = masked(
            "Stacker",
            (5,),
            (5 * (left + right + 1),),
            num_channels=5,
            stacker_left_context=left,
            stacker_right_context=right,
            stacker_step=step,
        )
        yield "stacker_%d_%d_%d" % (left, right, step), model, [[samples(rng, 5)] for _ in range(12)], "tflm", None


def cases():
    rng = np.random.default_rng(7)
    for group in (fft_cases, spectrum_cases, filter_bank_cases, stream_cases):
        for name, model, runs, oracle, tolerance in group(rng):
            yield "signal/" + name, model, runs, oracle, tolerance
