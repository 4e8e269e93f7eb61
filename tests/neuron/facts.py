"""What LiteRT's MediaTek plugin does that a reader of its published table would not expect, each as a model that shows it.

A fact is a function that gives (case, what has to hold of the plugin's answer at a version). npu_rt copies some of these,
warns of others and refuses some: when the plugin stops doing one of them, its test fails, and the rules want a look."""

import struct

import numpy as np
from cases import Case
from draw import Draw
from mkmodel import T, opts, schema

FACTS = {}


def fact(text, rule=None):
    """The text of a fact says what the plugin does; the rule by which npu_rt refuses its model or warns of it: None where
    it does the same, and nothing is wrong with it."""

    def add(make):
        FACTS[text] = (make, rule)
        return make

    return add


def x(shape=(1, 4, 4, 2), dtype="float32", name="x", **more):
    return T(name, shape, dtype, **more)


def one(op, inputs, outputs, options=None):
    return Case(str(op), op, inputs, outputs, options)


def scalar(operand):
    """An operand's first value: INT32, BOOL or FLOAT32 by its type."""
    raw = bytes.fromhex(operand.value[2])
    return struct.unpack_from({1: "<i", 2: "<I", 4: "<i", 6: "<?", 0: "<f", 3: "<f"}[operand.type], raw)[0]


def inputs(answer, operation=0):
    m = answer.models[0]
    return [m.operands[i] for i in m.operations[operation][1]]


def last(answer):
    return scalar(inputs(answer)[-1])


def rng():
    return np.random.default_rng(1)


for code, word in ((4, "TANH"), (5, "SIGN_BIT")):

    @fact(
        "a fused %s is passed on as the number it has in the file, which means nothing to Neuron" % word,
        "neuron.fused_activation",
    )
    def _(code=code):
        case = one("ADD", [x(), x(name="y")], [x(name="z")], opts("Add", fusedActivationFunction=code))
        return case, lambda a, version: last(a) == code


@fact("CONCATENATION loses its fused activation", "neuron.concatenation.activation")
def _():
    o = opts("Concatenation", axis=3, fusedActivationFunction=1)
    case = one("CONCATENATION", [x(), x(name="y")], [x((1, 4, 4, 4), name="z")], o)
    return case, lambda a, version: len(inputs(a)) == 3 and last(a) == 3


def transpose_conv(fused=0, bias=True, live=False, dtype="float32"):
    size = T("size", (4,), "int32", data=None if live else np.array([1, 8, 8, 3], np.int32))
    w = T("w", (3, 2, 2, 2), dtype, data=np.ones((3, 2, 2, 2), np.float32))
    ins = [size, w, x(dtype=dtype)] + ([T("b", (3,), dtype, data=np.ones(3, np.float32))] if bias else [])
    o = opts("TransposeConv", padding=0, strideH=2, strideW=2, fusedActivationFunction=fused)
    return one("TRANSPOSE_CONV", ins, [x((1, 8, 8, 3), dtype, "y")], o)


@fact("TRANSPOSE_CONV loses its fused activation", "neuron.transpose_conv.activation")
def _():
    return transpose_conv(fused=3), lambda a, version: scalar(inputs(a)[-2]) == 0


@fact(
    "TRANSPOSE_CONV with neither bias nor a constant output shape ends the whole compilation",
    "neuron.transpose_conv.output_shape",
)
def _():
    return transpose_conv(bias=False, live=True), lambda a, version: bool(a.error)


def strided_slice(**fields):
    o = opts("StridedSlice", **fields)
    ins = [x((4, 4))] + [
        T(n, (2,), "int32", data=np.array(v, np.int32)) for n, v in (("b", (0, 1)), ("e", (2, 3)), ("s", (1, 1)))
    ]
    return one("STRIDED_SLICE", ins, [x((2, 2), name="y")], o)


for field, value in (("ellipsisMask", 2), ("newAxisMask", 2), ("offset", True)):

    @fact("STRIDED_SLICE loses %s" % field, "neuron.strided_slice." + ("offset" if value is True else "masks"))
    def _(field=field, value=value):
        case = strided_slice(**{field: value})
        return case, lambda a, version: [scalar(o) for o in inputs(a)[4:]] == [0, 0, 0] and len(inputs(a)) == 7


@fact("GELU is the tanh approximation, also where the file wants the exact one", "neuron.gelu.tanh")
def _():
    return one("GELU", [x()], [x(name="y")], opts("Gelu", approximate=False)), lambda a, version: last(a) == 1


@fact("L2_NORMALIZATION loses its fused activation, and has no axis", "neuron.l2_normalization.activation")
def _():
    case = one("L2_NORMALIZATION", [x()], [x(name="y")], opts("L2Norm", fusedActivationFunction=1))
    return case, lambda a, version: len(inputs(a)) == 1


def norm(name, attributes, gamma=1):
    """With one vector behind the data, or another number of them."""
    d = Draw(rng(), "norm")
    ins = [d.tensor("float32", (2, 4))] + [d.tensor("float32", (4,), True) for _ in range(gamma)]
    return Case("norm", ("composite", name, attributes), ins, [d.tensor("float32", (2, 4))], None)


@fact("odml.rms_norm loses its epsilon: it is FLT_EPSILON always", "neuron.rms_norm.epsilon")
def _():
    case = norm("odml.rms_norm", {"epsilon": 0.5})
    return case, lambda a, version: scalar(inputs(a)[4]) == float(np.finfo(np.float32).eps)


@fact(
    "odml.rms_norm without gamma crashes the plugin, or ends the whole compilation where the adapter is asked",
    "neuron.gamma",
)
def _():
    return norm("odml.rms_norm", {"epsilon": 0.5}, gamma=0), lambda a, version: bool(a.error)


@fact("odml.group_norm without an epsilon gets 0", "neuron.group_norm.epsilon")
def _():
    case = norm("odml.group_norm", {"num_groups": 1, "channel_axis": 1})
    return case, lambda a, version: scalar(inputs(a)[4]) == 0.0


@fact("odml.group_norm of one group becomes a layer normalisation along the channels alone", "neuron.group_norm.axis")
def _():
    d = Draw(rng(), "norm")
    ins = [d.tensor("float32", (1, 3, 3, 4)), d.tensor("float32", (4,), True), d.tensor("float32", (4,), True)]
    attributes = {"num_groups": 1, "channel_axis": 3, "epsilon": 0.5}
    case = Case("norm", ("composite", "odml.group_norm", attributes), ins, [d.tensor("float32", (1, 3, 3, 4))], None)
    return case, lambda a, version: inputs(a)[1].dims == (1,) and scalar(inputs(a)[1]) == 3


@fact("odml.rms_norm loses inputs behind gamma", "neuron.rms_norm.beta")
def _():
    case = norm("odml.rms_norm", {"epsilon": 0.5}, gamma=2)
    return case, lambda a, version: inputs(a)[3].value[2] == "00" * 16


@fact("odml.l2_norm loses its attributes", "neuron.l2_norm.attributes")
def _():
    return norm("odml.l2_norm", {"epsilon": 0.5, "axis": 1}, gamma=0), lambda a, version: len(inputs(a)) == 1


@fact("the axis of SPLIT is a tensor of one element, where Neuron has a scalar", "neuron.scalar_tensor")
def _():
    axis = T("axis", (), "int32", data=np.array(0, np.int32))
    case = one("SPLIT", [axis, x((4, 2))], [x((2, 2), name="y"), x((2, 2), name="z")], opts("Split", numSplits=2))
    return case, lambda a, version: (inputs(a)[1].type, inputs(a)[1].dims) == (4, (1,))


@fact("the value of PADV2 is a tensor of one element, where Neuron has a scalar", "neuron.scalar_tensor")
def _():
    pads, value = T("pads", (1, 2), "int32", data=np.array([[1, 1]], np.int32)), T("v", (), data=np.array(7.0))
    case = one("PADV2", [x((4,)), pads, value], [x((6,), name="y")], opts("PadV2"))
    return case, lambda a, version: (inputs(a)[2].type, inputs(a)[2].dims) == (3, (1,))


@fact(
    "odml.group_norm of several groups, or without attributes, is left, and LiteRT puts its parts in its place",
    "neuron.composite",
)
def _():
    case = norm("odml.group_norm", {"num_groups": 2, "channel_axis": 1, "epsilon": 0.5})
    return case, lambda a, version: [o[0] for o in a.models[0].operations] == [22]


@fact("odml.layer_norm is left, and LiteRT puts its parts in its place", "neuron.composite")
def _():
    return norm("odml.layer_norm", {"epsilon": 0.5}), lambda a, version: [o[0] for o in a.models[0].operations] == [22]


for op, kind in (("MEAN", 1), ("SUM", 6), ("REDUCE_MAX", 6)):

    @fact("keep_dims of %s is %s" % (op, "an INT32" if kind == 1 else "a BOOL"), "neuron.keep_dims")
    def _(op=op, kind=kind):
        axes = T("axes", (1,), "int32", data=np.array([1], np.int32))
        case = one(op, [x(), axes], [x((1, 1, 4, 2), name="y")], opts("Reducer", keepDims=True))
        return case, lambda a, version: inputs(a)[-1].type == kind


def conv(bias, dtype="float32"):
    w = T("w", (3, 1, 1, 2), dtype, data=np.ones((3, 1, 1, 2), np.float32))
    o = opts("Conv2D", padding=0, strideH=1, strideW=1, dilationHFactor=1, dilationWFactor=1)
    return one("CONV_2D", [x(dtype=dtype), w] + bias, [x((1, 4, 4, 3), dtype, "y")], o)


for bias in ([], [None]):

    @fact(
        "CONV_2D %s has an operand less than Neuron's" % ("with bias -1" if bias else "without bias"),
        "neuron.conv.bias",
    )
    def _(bias=bias):
        return conv(bias), lambda a, version: len(inputs(a)) == 9 and inputs(a)[2].type == 1


@fact("DEPTHWISE_CONV_2D without bias has an operand less than Neuron's", "neuron.conv.bias")
def _():
    w = T("w", (1, 1, 1, 2), "float32", data=np.ones((1, 1, 1, 2), np.float32))
    o = opts("DepthwiseConv2D", padding=0, strideH=1, strideW=1, depthMultiplier=1)
    case = one("DEPTHWISE_CONV_2D", [x(), w], [x(name="y")], o)
    return case, lambda a, version: len(inputs(a)) == 10 and inputs(a)[2].type == 1


def fully(shape, dtype="float32", out=None, **more):
    w = T("w", (3, shape[-1]), dtype, data=np.ones((3, shape[-1]), np.float32))
    o = opts("FullyConnected", keepNumDims=True)
    return one("FULLY_CONNECTED", [x(shape, dtype, **more), w], [x(shape[:-1] + (3,), dtype, "y", **more)], o)


@fact("FULLY_CONNECTED of float16 without bias gets zeros of INT32", "neuron.zero_bias")
def _():
    return fully((2, 4), "float16"), lambda a, version: inputs(a)[2].type == 4


@fact("below 8.2.24 FULLY_CONNECTED of three dimensions is followed by a RESHAPE", "neuron.fully_connected.reshape")
def _():
    want = {True: [9, 22], False: [9]}
    return fully((2, 5, 4)), lambda a, version: [o[0] for o in a.models[0].operations] == want[version < (8, 2, 24)]


@fact("the shape constant of that RESHAPE is read from freed memory", "neuron.fully_connected.reshape")
def _():
    def holds(a, version):
        m = a.models[0]
        return (
            version >= (8, 2, 24) or m.operands[m.operations[1][1][1]].value[2] != struct.pack("<4i", 2, 5, 3, 3).hex()
        )

    return fully((2, 5, 3, 4)), holds


@fact(
    "below 8.2.24 FULLY_CONNECTED of three dimensions makes nonsense of an open one", "neuron.fully_connected.reshape"
)
def _():
    case = fully((2, 3, 4), shape_signature=(-1, 3, 4))
    case.outputs[0].shape_signature = (-1, 3, 3)

    def holds(a, version):
        m = a.models[0] if a.models else None
        return version >= (8, 2, 24) or bool(a.error) or m.operands[m.operations[0][2][0]].dims[0] != 0xFFFFFFFF

    return case, holds


@fact("RESHAPE with its shape in the options only has no shape operand", "neuron.reshape.shape")
def _():
    case = one("RESHAPE", [x()], [x((32,), name="y")], opts("Reshape", newShape=np.array([32], np.int32)))
    return case, lambda a, version: len(inputs(a)) == 1


def resize(op, live=False):
    size = T("size", (2,), "int32", data=None if live else np.array([8, 3], np.int32))
    kind = "ResizeBilinear" if op == "RESIZE_BILINEAR" else "ResizeNearestNeighbor"
    return one(op, [x(), size], [x((1, 8, 3, 2), name="y")], opts(kind))


@fact("RESIZE_BILINEAR has height before width, although Neuron's has width first", "neuron.resize_bilinear.order")
def _():
    return resize("RESIZE_BILINEAR"), lambda a, version: [scalar(o) for o in inputs(a)[1:3]] == [8, 3]


@fact("RESIZE_NEAREST_NEIGHBOR has width before height, as Neuron's has")
def _():
    return resize("RESIZE_NEAREST_NEIGHBOR"), lambda a, version: [scalar(o) for o in inputs(a)[1:3]] == [3, 8]


@fact(
    "RESIZE_NEAREST_NEIGHBOR to a size that is an input ends the whole compilation",
    "neuron.resize_nearest_neighbor.size",
)
def _():
    return resize("RESIZE_NEAREST_NEIGHBOR", live=True), lambda a, version: bool(a.error)


@fact("LEAKY_RELU's alpha is FLOAT32 beside an input of any type", "neuron.leaky_relu.alpha")
def _():
    q = dict(scale=0.5, zero_point=3)
    case = one("LEAKY_RELU", [x(dtype="int8", **q)], [x(dtype="int8", name="y", **q)], opts("LeakyRelu", alpha=0.25))
    return case, lambda a, version: inputs(a)[1].type == 3 and last(a) == 0.25 and inputs(a)[0].type == 14


def channels(dtype, zero):
    w = T("w", (3,), dtype, [0.5, 0.25, 0.125], [zero, 0, 0], 0, data=np.array([1, 2, 3]))
    q = dict(scale=0.5, zero_point=3)
    kind = "int8" if dtype != "int32" else "int32"
    return one("MUL", [x((2, 3), kind, **q), w], [x((2, 3), kind, "y", **q)], opts("Mul"))


for dtype, zero, old, new, lost in (
    ("int4", 0, 9005, 9011, "neuron.scales"),
    ("int4", 1, 9004, 9013, "neuron.scales"),
    ("int32", 0, 4, 9014, None),  # of a bias they follow from the others
    ("int32", 1, 4, 9014, None),
    ("int2", 0, 9017, 9017, "neuron.scales"),
):

    @fact("scales by channel of %s%s: lost before 8.2.28" % (dtype, " with zero points" if zero else ""), lost)
    def _(dtype=dtype, zero=zero, old=old, new=new):
        def holds(a, version):
            w, kept = inputs(a)[1], version >= (8, 2, 28) and dtype != "int2"
            return w.type == (new if version >= (8, 2, 28) else old) and (w.channels is not None) == kept

        return channels(dtype, zero), holds


for op, weights_shape, option in (
    ("FULLY_CONNECTED", (2, 4), "FullyConnected"),
    ("BATCH_MATMUL", (4, 2), "BatchMatMul"),
):

    @fact("asymmetric_quantize_inputs of %s is dropped" % op, "neuron.asymmetric_inputs")
    def _(op=op, shape=weights_shape, option=option):
        w = T("w", shape, "int8", 0.5, 0, data=np.ones(shape, "int8"))
        o = opts(option, asymmetricQuantizeInputs=True)
        case = one(op, [x((2, 4)), w], [x((2, 2), name="y")], o)
        # Data, weights, and two more: a bias and the activation, or the two adjoints, both false.
        return case, lambda a, version: len(inputs(a)) == 4 and last(a) == 0


@fact("scales by channel of what is not constant are lost", "neuron.scales")
def _():
    case = channels("int8", 0)
    case.inputs[1].data = None
    return case, lambda a, version: inputs(a)[1].type == 11 and inputs(a)[1].channels is None


@fact("an int64 constant beyond 32 bits ends the whole compilation", "neuron.int64_range")
def _():
    case = one(
        "SLICE",
        [x((4,))] + [T(n, (1,), "int64", data=np.array([v])) for n, v in (("b", 0), ("n", 1 << 40))],
        [x((4,), name="y")],
        opts("Slice"),
    )
    return case, lambda a, version: bool(a.error)


@fact("uint8 without quantization is taken as quantized with scale 0")
def _():
    case = one("ABS", [x(dtype="uint8")], [x(dtype="uint8", name="y")], opts("Abs"))
    return case, lambda a, version: a.taken and inputs(a)[0].type == 5 and inputs(a)[0].scale == 0


def quantized(scales, zero_points):
    """A product of two int8 tensors with exactly these numbers in the file."""
    q = schema.QuantizationParametersT()
    q.scale, q.zeroPoint = (
        np.array(scales, np.float32),
        None if zero_points is None else np.array(zero_points, np.int64),
    )
    q.quantizedDimension = 1
    w = T("w", (2, 3), "int8", quantization=q, data=np.ones((2, 3)))
    return one(
        "MUL",
        [x((2, 3), "int8", "x", scale=0.5, zero_point=3), w],
        [x((2, 3), "int8", "y", scale=0.5, zero_point=3)],
        opts("Mul"),
    )


@fact("several scales with one zero point are one scale, the first")
def _():
    case = quantized([0.5, 0.25, 0.125], [3])
    return case, lambda a, version: (inputs(a)[1].type, inputs(a)[1].scale, inputs(a)[1].zero_point) == (14, 0.5, 3)


@fact("sparse constants are passed on as if they were dense", "neuron.sparse")
def _():
    s, rows, columns = schema.SparsityParametersT(), schema.DimensionMetadataT(), schema.DimensionMetadataT()
    s.traversalOrder, s.dimMetadata = np.array([0, 1], np.int32), [rows, columns]
    rows.format, rows.denseSize = schema.DimensionType.DENSE, 2
    columns.format, columns.denseSize = schema.DimensionType.SPARSE_CSR, 0
    columns.arraySegmentsType = columns.arrayIndicesType = schema.SparseIndexVector.Int32Vector
    columns.arraySegments, columns.arrayIndices = schema.Int32VectorT(), schema.Int32VectorT()
    columns.arraySegments.values, columns.arrayIndices.values = (
        np.array([0, 1, 2], np.int32),
        np.array([0, 2], np.int32),
    )
    w = T("w", (2, 3), "float32", data=np.array([1.0, 2.0], np.float32), sparsity=s)
    case = one("FULLY_CONNECTED", [x((1, 3)), w], [x((1, 2), name="y")], opts("FullyConnected"))
    return case, lambda a, version: inputs(a)[1].value[0] == 8


@fact("shuffled weights are passed on as if they were in plain order", "neuron.weights_format")
def _():
    w = T("w", (4, 16), "uint8", scale=0.5, zero_point=128, data=np.arange(64))
    tensors = [x((1, 16), "uint8", "x", scale=0.5, zero_point=128), w, T("b", (4,), "int32", 0.25, 0, data=np.zeros(4))]
    o = opts("FullyConnected", weightsFormat=1)
    case = one("FULLY_CONNECTED", tensors, [x((1, 4), "int16", "y", scale=0.5, zero_point=0)], o)
    return case, lambda a, version: bool(a.taken) and inputs(a)[1].value[0] == 64


@fact("an operator without the options it needs ends the whole compilation")
def _():
    return one("ADD", [x(), x(name="z")], [x(name="y")]), lambda a, version: bool(a.error)


@fact(
    "scales by block: left where the plugin's own list decides; where the adapter is asked the whole compilation ends",
    "neuron.blockwise",
)
def _():
    q = schema.QuantizationParametersT()
    q.detailsType, q.details = schema.QuantizationDetails.BlockwiseQuantization, schema.BlockwiseQuantizationT()
    q.details.scales, q.details.zeroPoints, q.details.blockSize = 3, -1, 32
    w = T("w", (4, 64), "int4", quantization=q, data=np.ones((4, 64), np.int64))
    case = one("FULLY_CONNECTED", [x((1, 64)), w], [x((1, 4), name="y")], opts("FullyConnected"))
    case.extra = [T("scales", (4, 2), "float16", data=np.ones((4, 2), np.float16))]
    return case, lambda a, version: bool(a.error) if version >= (8, 2, 24) else not a.taken


for kind, rule in (("uint4", "neuron.type"), ("int64q", "neuron.int64"), ("int16c", "neuron.int16")):

    @fact("a quantized odml.rms_norm of %s is taken without its DEQUANTIZE and QUANTIZE" % kind, rule)
    def _(kind=kind):
        d = Draw(rng(), "norm")
        ins = [d.tensor(kind, (2, 4)), d.tensor("float32", (4,), True)]
        outs = [d.tensor(kind, (2, 4))]
        for t in ins + outs:
            t.shape_signature = None
        case = Case("norm", ("composite", "odml.rms_norm", {"epsilon": 0.5}), ins, outs, None)
        return case, lambda a, version: [len(m.operations) for m in a.models] == [1]


@fact("a constant that is an output of the graph is an output of the partition")
def _():
    case = fully((2, 4))
    case.also = [case.inputs[1]]
    return case, lambda a, version: len(a.models[0].outputs) == 2
