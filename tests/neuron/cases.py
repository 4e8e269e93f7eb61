"""One-operator models drawn at random: case(number, seed) is the same model for the same numbers, wherever it is asked for.

The number says which operator and which types; chance says the rest: shapes, quantization, attributes, what is constant.
Operators are those of the plugin's list and as many others, which it has to leave; types are all that a file can name.
Values follow what converters write where that is a condition for reading the file, and anything else where it is not."""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../conformance"))

from case_ops import (
    arg_max,
    batch_matmul,
    binary,
    composite,
    concatenation,
    conv,
    convert,
    depthwise,
    expand_dims,
    fully,
    fused_options,
    gather,
    group_attributes,
    norm_attributes,
    pack,
    pad,
    pool,
    prelu,
    reduce,
    reshape,
    resize,
    select,
    slice_,
    space_to_depth,
    split,
    squeeze,
    strided_slice,
    tile,
    transpose,
    transpose_conv,
    unary,
    unpack,
)  # noqa: E402
from draw import ALL, Draw, FLOATS, PLAIN, QUANT  # noqa: E402
from mkmodel import Builder, T, opts  # noqa: E402

F = fused_options
TAKEN = {
    "ADD": binary("ADD", F("Add")),
    "SUB": binary("SUB", F("Sub")),
    "MUL": binary("MUL", F("Mul")),
    "DIV": binary("DIV", F("Div")),
    "SQUARED_DIFFERENCE": binary("SQUARED_DIFFERENCE", lambda d: opts("SquaredDifference")),
    "MAXIMUM": binary("MAXIMUM", lambda d: opts("MaximumMinimum")),
    "MINIMUM": binary("MINIMUM", lambda d: opts("MaximumMinimum")),
    "GREATER": binary("GREATER", lambda d: opts("Greater"), "bool"),
    "LESS": binary("LESS", lambda d: opts("Less"), "bool"),
    "ABS": unary("ABS", lambda d: opts("Abs")),
    "RSQRT": unary("RSQRT"),
    "SQRT": unary("SQRT"),
    "LOGISTIC": unary("LOGISTIC"),
    "TANH": unary("TANH"),
    "RELU": unary("RELU"),
    "HARD_SWISH": unary("HARD_SWISH", lambda d: opts("HardSwish")),
    "GELU": unary("GELU", lambda d: opts("Gelu", approximate=d.chance(50))),
    "LEAKY_RELU": unary("LEAKY_RELU", lambda d: opts("LeakyRelu", alpha=d.pick(0.1, 0.25, 0.0, -1.5))),
    "L2_NORMALIZATION": unary("L2_NORMALIZATION", lambda d: opts("L2Norm", fusedActivationFunction=d.pick(0, 0, 0, 1))),
    "SOFTMAX": unary("SOFTMAX", lambda d: opts("Softmax", beta=d.pick(1.0, 1.0, 0.5, 2.0))),
    "QUANTIZE": convert("QUANTIZE"),
    "DEQUANTIZE": convert("DEQUANTIZE"),
    "CAST": convert("CAST"),
    "AVERAGE_POOL_2D": pool("AVERAGE_POOL_2D"),
    "MAX_POOL_2D": pool("MAX_POOL_2D"),
    "CONV_2D": conv,
    "DEPTHWISE_CONV_2D": depthwise,
    "FULLY_CONNECTED": fully,
    "BATCH_MATMUL": batch_matmul,
    "CONCATENATION": concatenation,
    "RESHAPE": reshape,
    "TRANSPOSE": transpose,
    "PAD": pad("PAD"),
    "PADV2": pad("PADV2"),
    "SLICE": slice_,
    "STRIDED_SLICE": strided_slice,
    "SPLIT": split,
    "MEAN": reduce("MEAN"),
    "SUM": reduce("SUM"),
    "REDUCE_MAX": reduce("REDUCE_MAX"),
    "PRELU": prelu,
    "RESIZE_BILINEAR": resize("RESIZE_BILINEAR"),
    "RESIZE_NEAREST_NEIGHBOR": resize("RESIZE_NEAREST_NEIGHBOR"),
    "TRANSPOSE_CONV": transpose_conv,
    "TILE": tile,
    "UNPACK": unpack,
    "odml.rms_norm": composite("odml.rms_norm", (2, 2, 2, 1), norm_attributes),
    "odml.l2_norm": composite("odml.l2_norm", (1,), norm_attributes),
    "odml.group_norm": composite("odml.group_norm", (2, 3, 3), group_attributes),
    "odml.layer_norm": composite("odml.layer_norm", (2, 3), norm_attributes),
}
OTHERS = {
    op: unary(op)
    for op in "EXP LOG NEG SIN COS FLOOR CEIL ROUND RELU6 RELU_N1_TO_1 ELU LOG_SOFTMAX SQUARE ZEROS_LIKE".split()
}
OTHERS.update({op: binary(op) for op in "POW FLOOR_DIV FLOOR_MOD LOGICAL_AND LOGICAL_OR".split()})
OTHERS.update({op: binary(op, None, "bool") for op in "EQUAL NOT_EQUAL LESS_EQUAL GREATER_EQUAL".split()})
OTHERS.update({op: reduce(op) for op in "REDUCE_MIN REDUCE_PROD REDUCE_ANY".split()})
OTHERS.update({"GATHER": gather, "PACK": pack, "ARG_MAX": arg_max, "EXPAND_DIMS": expand_dims, "SQUEEZE": squeeze})
OTHERS.update({"SPACE_TO_DEPTH": space_to_depth, "SELECT_V2": select})
OTHERS["odml.unknown"] = composite("odml.unknown", (1, 2), norm_attributes)


class Case:
    """One operator with its tensors: put into a builder, several to a file, or into a file of its own."""

    def __init__(self, name, op, inputs, outputs, options):
        self.name, self.op, self.inputs, self.outputs, self.options = name, op, inputs, outputs, options
        self.seed = None  # of a drawn one
        self.extra, self.also = (), ()  # tensors that no operator names; inputs that are outputs of the graph too

    def live(self):
        """Inputs of the subgraph: what is not a constant, once each."""
        return list({t.name: t for t in self.inputs if t is not None and t.data is None}.values())

    def put(self, b):
        """Adds a subgraph; a composite's decomposition comes after it."""
        b.subgraph(self.name)
        b.io(self.live(), [*self.outputs, *self.also])
        if not isinstance(self.op, tuple):
            b.op(self.op, self.inputs, self.outputs, self.options)
            for t in self.extra:
                b.tensor(t)
            return
        from flatbuffers import flexbuffers

        _, name, attributes = self.op
        o = opts("StableHLOComposite", name=name.encode(), decompositionSubgraphIndex=len(b.model.subgraphs))
        if attributes is not None:
            o.compositeAttributes = np.frombuffer(bytes(flexbuffers.Dumps(attributes)), np.uint8)
        b.op("STABLEHLO_COMPOSITE", self.inputs, self.outputs, o)
        b.subgraph(self.name + "/inside")
        inside = [T("in%d" % i, t.shape, t.dtype, t.scale, t.zero_point, t.axis) for i, t in enumerate(self.inputs)]
        x, y = self.inputs[0], self.outputs[0]
        out = T("out", y.shape, y.dtype, y.scale, y.zero_point, y.axis)
        shape = T("shape", (len(y.shape),), "int32", data=np.array(y.shape, np.int32))
        assert x.shape == y.shape
        b.io(inside, [out])
        b.op("RESHAPE", [inside[0], shape], [out], None)

    def subgraphs(self):
        return 2 if isinstance(self.op, tuple) else 1

    def bytes(self):
        b = Builder()
        self.put(b)
        return b.bytes()


def pairs():
    """Every (operator, kind) that there are cases of."""
    return [(op, kind) for op in TAKEN for kind in ALL] + [
        (op, kind) for op in OTHERS for kind in FLOATS + PLAIN[:1] + QUANT
    ]


def case(number, seed):
    """The case of that number; the seed, a string, changes everything but operator and kind."""
    op, kind = pairs()[number % len(pairs())]
    name = "%s.%s.%d" % (op, kind, number)
    rng = np.random.default_rng([number, *seed.encode()])
    made = Case(name, *(TAKEN.get(op) or OTHERS[op])(Draw(rng, name), kind))
    made.seed = seed
    return made
