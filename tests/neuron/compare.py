"""Two lists of NeuronModels, theirs recorded and ours reported: equal up to numbering, or how they differ.

Known differences are corrected in theirs before, each with its argument; facts.py holds a test of each, which fails when it
disappears."""

import struct

RESHAPE, FULLY_CONNECTED, OPEN = 22, 9, 0xFFFFFFFF


def fnv(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = ((h ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return "%016x" % h


def correct(model):
    """The plugin's model without two flaws of its making, which ours do not have:

    Below 8.2.24 FULLY_CONNECTED of rank above 2 goes through a tensor of two dimensions and a RESHAPE. The plugin reads that
    RESHAPE's shape from freed memory, and computes the two dimensions from 2^32 - 1 where one is open. Nobody could want
    either: ours say the shape that the output has, and leave open what is open.

    A constant that is an output of the graph is an output of every partition that uses it: the NPU
    would have to write it."""
    model.outputs = tuple(i for i in model.outputs if model.operands[i].value is None)
    made_by = {o[2][0]: o for o in model.operations}
    for kind, ins, outs in model.operations:
        before = made_by.get(ins[0]) if kind == RESHAPE and len(ins) == 2 else None
        if before is None or before[0] != FULLY_CONNECTED or model.operands[ins[1]].value is None:
            continue
        flat, shape, out = model.operands[ins[0]], model.operands[ins[1]], model.operands[outs[0]]
        if len(flat.dims) != 2 or len(out.dims) <= 2 or shape.value[0] != 4 * len(out.dims):
            continue
        data = struct.pack("<%dI" % len(out.dims), *out.dims)
        shape.value = (len(data), fnv(data), data.hex())
        if OPEN in out.dims:
            flat.dims = (OPEN, out.dims[-1])
    return model


def _operand(o):
    channels = o.channels
    if channels and isinstance(channels[0], str):  # recorded: the call, axis, number, scales, zero points
        call, axis, n, scales, zero_points = channels
        zeros = None if call == "symmPC" else fnv(struct.pack("<%di" % n, *zero_points))
        channels = (axis, n, fnv(struct.pack("<%df" % n, *scales)), zeros)
    scale = struct.pack("<f", o.scale).hex()
    return (o.type, o.dims, scale, o.zero_point, channels, o.value and tuple(o.value[:2]))


def canonical(model):
    number, order = {}, []

    def of(i):
        if i not in number:
            number[i] = len(order)
            order.append(_operand(model.operands[i]))
        return number[i]

    ops = [(kind, tuple(map(of, ins)), tuple(map(of, outs))) for kind, ins, outs in model.operations]
    return ops, order, tuple(map(of, model.inputs)), tuple(map(of, model.outputs))


FIELDS = ("type", "dimensions", "scale", "zero point", "scales by channel", "constant")


def model_difference(theirs, ours):
    """None, or the first thing that differs."""
    a, b = canonical(theirs), canonical(ours)
    for n, (x, y) in enumerate(zip(a[0], b[0])):
        if x[0] != y[0]:
            return "operation %d: %s instead of %s" % (n, y[0], x[0])
        if len(x[1]) != len(y[1]) or len(x[2]) != len(y[2]):
            return "operation %d (%s): %d and %d operands instead of %d and %d" % (
                n,
                x[0],
                len(y[1]),
                len(y[2]),
                len(x[1]),
                len(x[2]),
            )
        for where, p, q in [("input", *pair) for pair in enumerate(zip(x[1], y[1]))] + [
            ("output", *pair) for pair in enumerate(zip(x[2], y[2]))
        ]:
            if q[0] != q[1]:
                return "operation %d (%s) %s %d: operand %d instead of %d" % (n, x[0], where, p, q[1], q[0])
            for field, u, v in zip(FIELDS, a[1][q[0]], b[1][q[1]]):
                if u != v:
                    return "operation %d (%s) %s %d: %s %s instead of %s" % (n, x[0], where, p, field, v, u)
    if len(a[0]) != len(b[0]):
        return "%d operations instead of %d" % (len(b[0]), len(a[0]))
    for what, k in (("inputs", 2), ("outputs", 3)):
        if a[k] != b[k]:
            return "%s %s instead of %s" % (what, b[k], a[k])
    return None if a == b else "operands without operations: %s instead of %s" % (b[1], a[1])


def difference(theirs, ours):
    """None, or how the lists differ. Theirs are corrected."""
    theirs = [correct(m) for m in theirs]
    if len(theirs) != len(ours):
        return "%d models instead of %d" % (len(ours), len(theirs))
    for n, (a, b) in enumerate(zip(theirs, ours)):
        problem = model_difference(a, b)
        if problem:
            return "model %d: %s" % (n, problem)
    return None


def same_numbers(theirs, ours):
    """Whether operands have the same numbers too."""
    return all(
        a.operations == b.operations and [_operand(o) for o in a.operands] == [_operand(o) for o in b.operands]
        for a, b in zip(theirs, ours)
    )
