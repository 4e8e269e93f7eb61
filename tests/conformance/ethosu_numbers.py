"""For every numeric Ethos-U rule, a way to make a model whose measured value is a given number.

The rule test takes limits from `npu_rt ops --json`, and makes models at limit - 1, limit and limit + 1. A rule with
limits that has no entry here fails it. None: no model can have that value."""

import numpy as np

from ethosu_models import (
    binary,
    conv,
    dense,
    mean,
    pool,
    q,
    split_v,
    strided_slice,
    transpose_conv,
    unary,
    weights_of_sum,
)
from mkmodel import T, single_op


def at_least(low, make):
    return lambda v: make(v) if v >= low else None


def windows():
    """Strides, dilations, filters and batches."""
    for op in ("CONV_2D", "DEPTHWISE_CONV_2D"):
        prefix = "ethosu.%s." % op.lower()
        yield prefix + "batch_1", lambda v, op=op: conv(op, batch=v)
        yield prefix + "stride_1_3", lambda v, op=op: conv(op, stride=(v, v))
        yield prefix + "dilation_1_2", lambda v, op=op: conv(op, dilation=(v, v))
        yield prefix + "dilated_height_1_64", lambda v, op=op: conv(op, (1, v))
        yield prefix + "dilated_product_1_4096", lambda v, op=op: conv(op, (v, 1))
        yield (
            prefix + "weights_sum",
            lambda v, op=op: conv(op, (64, 64), channels=16, weights=weights_of_sum(v, (1, 64, 64, 16))),
        )
    for op in ("AVERAGE_POOL_2D", "MAX_POOL_2D"):
        prefix = "ethosu.%s." % op.lower()
        valid = op == "AVERAGE_POOL_2D"
        name = "valid_filter" if valid else "filter"
        yield prefix + "batch_1", lambda v, op=op: pool(op, batch=v)
        yield prefix + "stride_1_3", lambda v, op=op: pool(op, stride=(v, v), out=(-(-4 // max(v, 1)),) * 2)
        yield prefix + name + "_height_1_256", lambda v, op=op, p=int(valid): pool(op, (1, v), padding=p)
        yield prefix + name + "_product_1_65536", lambda v, op=op, p=int(valid): pool(op, (v, 1), padding=p)
    yield "ethosu.average_pool_2d.filter_1_8", lambda v: pool("AVERAGE_POOL_2D", (v, v))
    prefix = "ethosu.transpose_conv."
    yield prefix + "batch_1", lambda v: transpose_conv(batch=v)
    yield prefix + "stride_1_3", lambda v: transpose_conv(stride=(v, v))
    yield prefix + "stride_2", lambda v: transpose_conv(stride=(v, v))
    yield prefix + "height_1_64", lambda v: transpose_conv((1, v))
    yield prefix + "product_1_4096", lambda v: transpose_conv((v, 1))
    yield (
        prefix + "weights_sum",
        lambda v: transpose_conv((64, 64), channels=16, weights=weights_of_sum(v, (1, 64, 64, 16))),
    )


def tensors():
    for rule in ("tensor_dims_1_65535", "feature_map_dims_1_65535"):
        yield "ethosu." + rule, lambda v: unary("RELU", (1, v))
    yield "ethosu.tensor_rank_4", at_least(0, lambda v: unary("RELU", (1,) * v))
    yield "ethosu.elementwise.batch_1", lambda v: binary("ADD", (v, 2, 2, 2), (v, 2, 2, 2), (v, 2, 2, 2))
    yield "ethosu.bias_40bit", lambda v: dense(bias="int64", bias_value=(1 << v) - 1)
    yield "ethosu.fully_connected.output_2d", at_least(1, lambda v: dense(lead=(1,) * (v - 1)))


def inputs():
    yield "ethosu.strided_slice.inputs", lambda v: strided_slice(n_inputs=v)
    yield "ethosu.strided_slice.ellipsis_mask", lambda v: strided_slice(ellipsisMask=v)
    yield "ethosu.strided_slice.stride_1", lambda v: strided_slice(strides=(1, v, v, 1))
    yield "ethosu.split_v.inferred", at_least(0, lambda v: split_v(v * [-1] + (4 - v) * [2]))
    paddings = T("p", (4, 2), "int32", data=np.zeros((4, 2), np.int32))
    zero = T("z", (1,), "int8", 0.5, 0, data=np.zeros(1, np.int8))
    yield (
        "ethosu.pad.inputs",
        lambda v: single_op("PAD", [q("x", (1, 4, 4, 2)), paddings, zero][:v], [q("y", (1, 4, 4, 2))]),
    )


def means():
    yield "ethosu.mean.batch_1", lambda v: mean((v, 2, 2, 3), (1, 2))
    yield "ethosu.mean.rank_2_4", lambda v: mean((1,) + (2,) * (v - 1), (1,) if v > 1 else (0,))
    yield "ethosu.mean.product_65536", lambda v: mean((1, v, 1, 1), (1, 2))
    yield "ethosu.mean.product_4096", lambda v: mean((1, v, 1, 1), (1, 2), out_scale=0.25)
    yield "ethosu.mean.product_256", lambda v: mean((1, 1, v, 1), (1, 2), keep=True)


GENERATORS = dict(pair for group in (windows, tensors, inputs, means) for pair in group())
