"""Conformance cases of CONV_3D and CONV_3D_TRANSPOSE."""

import numpy as np

from casebuild import FLOAT_TOL
from mkmodel import T, opts, rng_of, single_op

SAME, VALID = 0, 1
# volume [batches, d, h, w, c], filter [d, h, w], channels out, strides, dilations, padding, activation, bias
VOLUMES = {
    "valid": ((1, 3, 4, 5, 2), (2, 2, 2), 3, (1, 1, 1), (1, 1, 1), VALID, 0, False),
    "same": ((2, 3, 4, 5, 2), (3, 3, 3), 4, (1, 1, 1), (1, 1, 1), SAME, 0, True),
    "strides": ((1, 5, 6, 7, 3), (2, 3, 2), 2, (2, 3, 2), (1, 1, 1), SAME, 1, True),
    "dilated": ((1, 6, 7, 8, 2), (2, 2, 3), 3, (1, 1, 1), (2, 3, 2), SAME, 3, False),
    "dilated_valid": ((2, 5, 5, 5, 1), (2, 2, 2), 2, (1, 1, 1), (3, 2, 2), VALID, 2, True),
    "strides_valid": ((1, 7, 8, 9, 2), (3, 2, 1), 5, (2, 3, 4), (1, 1, 1), VALID, 0, True),
    "point": ((1, 2, 3, 4, 5), (1, 1, 1), 6, (1, 1, 1), (1, 1, 1), SAME, 0, False),
    "blocks": ((2, 6, 9, 10, 8), (3, 3, 3), 17, (1, 1, 1), (1, 1, 1), SAME, 1, True),
    "halves": ((1, 7, 8, 9, 5), (3, 3, 3), 24, (2, 2, 2), (1, 1, 1), SAME, 0, True),
    "gaps": ((1, 6, 7, 8, 3), (1, 2, 1), 4, (2, 3, 3), (1, 1, 1), SAME, 0, True),
    "deep": ((1, 3, 4, 4, 300), (3, 3, 3), 9, (1, 1, 1), (1, 1, 1), SAME, 0, False),
    "wide": ((1, 1, 1, 11, 17), (1, 1, 5), 19, (1, 1, 3), (1, 1, 1), SAME, 0, True),
}


def out_size(n, k, stride, dilation, padding):
    reach = (k - 1) * dilation + 1
    return -(-n // stride) if padding == SAME else -(-(n - reach + 1) // stride)


def case(op, label, live):
    volume, k, channels, strides, dilations, padding, act, bias = VOLUMES[label]
    name = f"{op.lower()}/f32/{label}{'_live' if live else ''}"
    r = rng_of(name)
    small = tuple(out_size(*v, padding) for v in zip(volume[1:4], k, strides, dilations))
    small = (volume[0],) + small + (channels,)
    transposed = op == "CONV_3D_TRANSPOSE"
    x = r.normal(0, 1, small if transposed else volume).astype(np.float32)
    out = volume if transposed else small
    w = r.normal(0, 1, k + (volume[4], channels)).astype(np.float32)
    b = r.normal(0, 1, out[4]).astype(np.float32)
    ins = [T("x", x.shape), T("w", w.shape, data=None if live else w), T("b", b.shape, data=None if live else b)]
    feed = [x] + ([w, b][: 2 if bias else 1] if live else [])
    ins = ins[: 3 if bias else 2]
    if transposed:
        shape = np.array(out, np.int32)
        ins = [T("shape", (5,), "int32", data=None if live else shape), ins[1], ins[0]] + ins[2:]
        feed = ([shape, w, x] + ([b] if bias else [])) if live else [x]
    o = opts("Conv3D", padding=padding, fusedActivationFunction=act)
    o.strideD, o.strideH, o.strideW = strides
    o.dilationDFactor, o.dilationHFactor, o.dilationWFactor = dilations
    return name, single_op(op, ins, [T("y", out)], o), feed, "litert_ref", FLOAT_TOL


def cases():
    for op in ("CONV_3D", "CONV_3D_TRANSPOSE"):
        for label in VOLUMES:
            for live in (False, True):
                yield case(op, label, live)
