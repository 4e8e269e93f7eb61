"""Data movement, one operator and type at a time: every variant that rows.txt names, with shapes and attributes drawn from the
case's name. cases() yields (name, model, inputs, oracle, tolerance None: bit-equal)."""

import numpy as np

from mkmodel import Builder, T, TYPES, opts, rng_of, single_op
from op_cases import REF, values
from variants import ROWS, short

DTYPES = {short(name): name for name in TYPES}
EACH = 4  # cases a row


def shape_of(rng, lo=1, hi=5, most=6):
    return tuple(int(d) for d in rng.integers(1, most, rng.integers(lo, hi + 1)))


def axis_of(rng, rank):
    """An axis, and how the model says it: from either end."""
    axis = int(rng.integers(rank))
    return axis, axis - rank if rng.random() < 0.4 else axis


class Made:
    """What a generator made: operands in order (values are arrays, those that shape the output are marked), outputs, options."""

    def __init__(self, inputs, outputs, options=None, out=None):
        self.inputs, self.outputs, self.options, self.out = inputs, outputs, options, out


def data(rng, shape, dtype):
    if dtype == "int4":
        return rng.integers(-8, 8, shape).astype(np.int8)
    return values(rng, shape, dtype)


class Index:
    """An operand that says what to do: int32 or int64 where the operator takes both, constant or live."""

    def __init__(self, value, wide=False):
        self.value, self.wide = value, wide


# ---- the operators: each makes one random use of itself -----------------------------------------------------------------


def concatenation(rng, dtype):
    shape = shape_of(rng)
    axis, said = axis_of(rng, len(shape))
    parts = []
    for _ in range(int(rng.integers(1, 5))):
        part = list(shape)
        part[axis] = int(rng.integers(1, 5))
        parts.append(data(rng, part, dtype))
    y = list(shape)
    y[axis] = sum(p.shape[axis] for p in parts)
    return Made(parts, [y], opts("Concatenation", axis=said))


def gather(rng, dtype):
    shape = shape_of(rng, 1, 4)
    axis, said = axis_of(rng, len(shape))
    batch = int(rng.integers(0, axis + 1)) if rng.random() < 0.5 else 0
    index = shape[:batch] + shape_of(rng, 0, 2)
    y = shape[:axis] + index[batch:] + shape[axis + 1 :]
    picks = rng.integers(0, shape[axis], index)
    return Made([data(rng, shape, dtype), Index(picks, True)], [y], opts("Gather", axis=said, batchDims=batch))


def gather_nd(rng, dtype):
    shape = shape_of(rng, 1, 5)
    depth = int(rng.integers(1, len(shape) + 1))
    outer = shape_of(rng, 1, 2)
    index = np.stack([rng.integers(0, d, outer) for d in shape[:depth]], -1)
    return Made([data(rng, shape, dtype), Index(index, True)], [outer + shape[depth:]], opts("GatherNd"))


def pads_of(rng, shape, most):
    return np.array([[rng.integers(0, m + 1), rng.integers(0, m + 1)] for m in most(shape)]).reshape(-1, 2)


def pad(rng, dtype):
    shape = shape_of(rng, 1, 5)
    pads = pads_of(rng, shape, lambda s: [3] * len(s))
    y = [d + int(p.sum()) for d, p in zip(shape, pads)]
    return Made([data(rng, shape, dtype), Index(pads, True)], [y], opts("Pad"))


def padv2(rng, dtype):
    made = pad(rng, dtype)
    made.inputs.append(data(rng, (1,), dtype))
    made.options = opts("PadV2")
    return made


def mirror_pad(rng, dtype):
    mode = int(rng.integers(2))  # REFLECT leaves the edge out
    shape = tuple(d + 1 for d in shape_of(rng, 1, 4, 5))
    pads = pads_of(rng, shape, lambda s: [min(d - 1, 3) if mode == 0 else min(d, 3) for d in s])
    y = [d + int(p.sum()) for d, p in zip(shape, pads)]
    return Made([data(rng, shape, dtype), Index(pads, True)], [y], opts("MirrorPad", mode=mode))


def slice_(rng, dtype):
    shape = shape_of(rng, 1, 5)
    begin = np.array([rng.integers(0, d) for d in shape])
    size = np.array([rng.integers(1, d - b + 1) for d, b in zip(shape, begin)])
    y = size.copy()
    for i in range(len(shape)):
        if rng.random() < 0.3:
            y[i], size[i] = shape[i] - begin[i], -1
    return Made([data(rng, shape, dtype), Index(begin, True), Index(size, True)], [y], opts("Slice"))


def strided_slice(rng, dtype):
    shape = shape_of(rng, 1, 4)
    n = len(shape)
    begin, end, step, y, shrink = [], [], [], [], 0
    masks = [int(rng.integers(1 << n)) if rng.random() < 0.5 else 0 for _ in range(2)]
    for i, d in enumerate(shape):
        s = int(rng.choice([-2, -1, 1, 1, 2, 3]))
        b, e = int(rng.integers(-d, d)), int(rng.integers(-d - 1, d + 2))
        if rng.random() < 0.2:
            shrink |= 1 << i
            begin.append(b), end.append(b + 1 or d), step.append(1)
            masks = [m & ~(1 << i) for m in masks]
            continue
        got = range(d)[slice(None if masks[0] >> i & 1 else b, None if masks[1] >> i & 1 else e, s)]
        if len(got) == 0:  # that empties the output, which LiteRT cannot hand out
            b, e, s, got = 0, d, 1, range(d)
        begin.append(b), end.append(e), step.append(s), y.append(len(got))
    o = opts("StridedSlice", beginMask=masks[0], endMask=masks[1], shrinkAxisMask=shrink)
    return Made([data(rng, shape, dtype), Index(begin), Index(end), Index(step)], [y], o)


def split(rng, dtype):
    shape, parts = list(shape_of(rng)), int(rng.integers(1, 5))
    axis, said = axis_of(rng, len(shape))
    shape[axis] *= parts
    y = shape[:axis] + [shape[axis] // parts] + shape[axis + 1 :]
    return Made([Index(said), data(rng, shape, dtype)], [y] * parts, opts("Split", numSplits=parts))


def split_v(rng, dtype):
    shape, sizes = list(shape_of(rng)), rng.integers(1, 5, rng.integers(1, 5))
    axis, said = axis_of(rng, len(shape))
    shape[axis] = int(sizes.sum())
    y = [shape[:axis] + [int(s)] + shape[axis + 1 :] for s in sizes]
    if rng.random() < 0.5:
        sizes[rng.integers(len(sizes))] = -1
    return Made([data(rng, shape, dtype), Index(sizes, True), Index(said)], y, opts("SplitV", numSplits=len(y)))


def tile(rng, dtype):
    shape = shape_of(rng, 1, 4, 4)
    times = rng.integers(1, 4, len(shape))
    return Made([data(rng, shape, dtype), Index(times, True)], [np.array(shape) * times], opts("Tile"))


def transpose(rng, dtype):
    shape = shape_of(rng, 1, 6, 5)
    order = rng.permutation(len(shape))
    return Made([data(rng, shape, dtype), Index(order)], [[shape[i] for i in order]], opts("Transpose"))


def broadcast_to(rng, dtype):
    y = shape_of(rng, 1, 5)
    shape = tuple(1 if rng.random() < 0.5 else d for d in y)[int(rng.integers(len(y))) :]
    return Made([data(rng, shape, dtype), Index(y, True)], [y], opts("BroadcastTo"))


def where(rng, dtype):
    x = data(rng, shape_of(rng, 1, 5), dtype) * (rng.random(1) < 2)
    flat = x.reshape(-1)
    flat[rng.random(flat.size) < 0.5] = 0
    flat[0] = 1
    x = flat.reshape(x.shape).astype(dtype)
    return Made([x], [(int(np.count_nonzero(x)), x.ndim)], opts("Where"), out="int64")


def shape(rng, dtype):
    x = data(rng, shape_of(rng, 1, 6), "float32" if dtype == "bfloat16" else dtype)
    out = str(rng.choice(["int32", "int64"]))
    return Made([x], [(x.ndim,)], opts("Shape", outType=TYPES[out]), out=out)


def rank(rng, dtype):
    return Made([data(rng, shape_of(rng, 1, 6), dtype)], [()], opts("Rank"), out="int32")


def reverse_v2(rng, dtype):
    x = data(rng, shape_of(rng, 1, 5), dtype)
    first = int(rng.integers(x.ndim))
    axes = np.arange(first, int(rng.integers(first + 1, x.ndim + 1)))  # LiteRT takes neighbors only
    return Made([x, Index(axes if rng.random() < 0.6 else axes - x.ndim)], [x.shape], opts("ReverseV2"))


def pack(rng, dtype):
    part, count = shape_of(rng, 1, 4), int(rng.integers(1, 5))
    axis, said = axis_of(rng, len(part) + 1)
    y = part[:axis] + (count,) + part[axis:]
    return Made([data(rng, part, dtype) for _ in range(count)], [y], opts("Pack", axis=said, valuesCount=count))


def unpack(rng, dtype):
    shape = shape_of(rng, 2, 5)
    axis, said = axis_of(rng, len(shape))
    y = [shape[:axis] + shape[axis + 1 :]] * shape[axis]
    return Made([data(rng, shape, dtype)], y, opts("Unpack", axis=said, num=shape[axis]))


def expand_dims(rng, dtype):
    shape = shape_of(rng, 1, 5)
    axis, said = axis_of(rng, len(shape) + 1)
    return Made([data(rng, shape, dtype), Index(said, True)], [shape[:axis] + (1,) + shape[axis:]], opts("ExpandDims"))


def squeeze(rng, dtype):
    shape = tuple(1 if rng.random() < 0.5 else d for d in shape_of(rng, 2, 6))
    ones = [i for i, d in enumerate(shape) if d == 1]
    if rng.random() < 0.4:
        chosen, said = ones, []
    else:
        chosen = [i for i in ones if rng.random() < 0.7]
        said = [i - len(shape) if rng.random() < 0.4 else i for i in chosen]
        chosen = chosen or ones
    y = [d for i, d in enumerate(shape) if i not in chosen]
    return Made([data(rng, shape, dtype)], [y], opts("Squeeze", squeezeDims=said))


def reshape(rng, dtype):
    shape = shape_of(rng, 1, 5)
    y, rest = [], int(np.prod(shape))
    while rest > 1 and len(y) < 5:
        d = int(rng.choice([k for k in range(1, rest + 1) if rest % k == 0]))
        y, rest = y + [d], rest // d
    y = y + [rest]
    said = list(y)
    if rng.random() < 0.5:
        said[int(rng.integers(len(y)))] = -1
    return Made([data(rng, shape, dtype), Index(said)], [y], opts("Reshape", newShape=said))


def fill(rng, dtype):
    y = shape_of(rng, 1, 5)
    return Made([Index(y, True), data(rng, (), dtype)], [y], opts("Fill"))


def zeros_like(rng, dtype):
    x = data(rng, shape_of(rng, 1, 5), dtype)
    return Made([x], [x.shape], opts("ZerosLike"))


OPERATORS = {
    "CONCATENATION": concatenation,
    "GATHER": gather,
    "GATHER_ND": gather_nd,
    "PAD": pad,
    "PADV2": padv2,
    "MIRROR_PAD": mirror_pad,
    "SLICE": slice_,
    "STRIDED_SLICE": strided_slice,
    "SPLIT": split,
    "SPLIT_V": split_v,
    "TILE": tile,
    "TRANSPOSE": transpose,
    "BROADCAST_TO": broadcast_to,
    "WHERE": where,
    "SHAPE": shape,
    "RANK": rank,
    "REVERSE_V2": reverse_v2,
    "PACK": pack,
    "UNPACK": unpack,
    "EXPAND_DIMS": expand_dims,
    "SQUEEZE": squeeze,
    "RESHAPE": reshape,
    "FILL": fill,
    "ZEROS_LIKE": zeros_like,
}
VERSIONS = {"BROADCAST_TO": 2}  # LiteRT knows no older one
# Quantized where LiteRT asks for it, or moves a zero point in.
QUANTS = {"uint8": (0.04, 117), "int8": (0.03, -11), "int16": (0.001, 0), "int4": (0.5, 0)}


def tensors_of(rng, op, made, dtype, requantized):
    """Tensors of the operands, and the values that the caller gives."""
    ins, feed = [], []
    live, wide = rng.random() < 0.35, rng.random() < 0.3
    scale, zero = QUANTS.get(dtype, (None, None))
    for i, v in enumerate(made.inputs):
        name = "x%d" % i
        if isinstance(v, Index):
            a = np.asarray(v.value, np.int64 if v.wide and wide else np.int32)
            fixed = not live or op in ("SQUEEZE", "SPLIT", "REVERSE_V2")
            ins.append(T(name, a.shape, str(a.dtype), data=a if fixed else None))
            if not fixed:
                feed.append(a)
            continue
        s, z = (scale * rng.uniform(0.5, 1.5), int(rng.integers(90, 160))) if requantized else (scale, zero)
        fixed = dtype in ("int4", "bfloat16")
        ins.append(T(name, v.shape, dtype, s, z, data=v if fixed else None))
        if not fixed:
            feed.append(v)
    return ins, feed


def case(op, variant, k):
    name = "%s/%s/random%d" % (op.lower(), variant, k)
    rng = rng_of(name)
    dtype = "uint8" if variant == "u8req" else DTYPES[variant]
    made = OPERATORS[op](rng, dtype)
    ins, feed = tensors_of(rng, op, made, dtype, variant == "u8req")
    out = made.out or dtype
    scale, zero = QUANTS.get(out, (None, None)) if not made.out else (None, None)
    outs = [T("y%d" % i, s, out, scale, zero) for i, s in enumerate(made.outputs)]
    if out != "int4":
        return name, single_op(op, ins, outs, made.options, version=VERSIONS.get(op, 1)), feed, REF, None
    # Packed elements do not cross LiteRT's border: constants in, dequantized out.
    ends = [T("z%d" % i, t.shape) for i, t in enumerate(outs)]
    b = Builder()
    b.subgraph()
    for t in ins + outs + ends:
        b.tensor(t)
    b.op(op, ins, outs, made.options)
    for t, end in zip(outs, ends):
        b.op("DEQUANTIZE", [t], [end])
    b.io([t for t in ins if t.data is None], ends)
    return name, b.bytes(), feed, REF, None


def cases():
    for op in OPERATORS:
        for variant in ROWS[op]:
            for k in range(EACH):
                yield case(op, variant, k)
