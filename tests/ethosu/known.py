"""Where a compiled network cannot equal BUILTIN_REF: errors of Vela 5.2.0, its approximations, and places in which the
reference kernels disagree among themselves. single_op.py takes the first row that fits a case. A row whose cases all
equal the reference is reported, so that none outlives its cause."""

import collections

import numpy as np

from mkmodel import schema

BUILTINS = {v: k for k, v in vars(schema.BuiltinOperator).items() if isinstance(v, int)}
TYPES = schema.TensorType
ARITHMETIC = ("ADD", "SUB", "MUL", "MINIMUM", "MAXIMUM", "SQUARED_DIFFERENCE")

# It fits when one of ops is in the model and fits(its Facts) is true. oracle: the one to use instead. within: the
# largest difference allowed. Neither: not compared, but some case must differ.
Row = collections.namedtuple("Row", "ops fits why oracle within", defaults=(None, None))


class Facts:
    """One operator of a model: types, shapes, options, constant inputs."""

    def __init__(self, model, op):
        self.model, self.fields, self.n_in = model, op.builtinOptions, len(op.inputs)
        tensors = model.subgraphs[0].tensors
        self.tensors = [tensors[i] if i >= 0 else None for i in list(op.inputs) + list(op.outputs)]
        self.shapes = [() if t is None or t.shape is None else tuple(map(int, t.shape)) for t in self.tensors]
        self.types = [None if t is None else t.type for t in self.tensors]
        self.out, self.out_type = self.shapes[self.n_in], self.types[self.n_in]

    def option(self, name):
        """A field of the options; 0 when the operator has none."""
        return getattr(self.fields, name, 0)

    def stored(self, i):
        """The bytes of an input that is in the model; None when it is not."""
        if i >= self.n_in or self.tensors[i] is None:
            return None
        data = self.model.buffers[self.tensors[i].buffer].data
        return None if data is None or not len(data) else bytes(np.asarray(data, np.uint8))

    @property
    def axes(self):
        given, rank = self.stored(1), max(len(self.shapes[0]), 1)
        return set() if given is None else {int(a) % rank for a in np.frombuffer(given, "<i4")}

    @property
    def several_axes(self):
        return sum(self.shapes[0][a] > 1 for a in self.axes) > 1


def six_dims(f):
    return max(map(len, f.shapes)) > 5 and 1 in map(np.prod, f.shapes[:2])


def loses_rows(f):
    """An axis goes, and something before it stays."""
    before = range(max(f.axes, default=0))
    return not f.option("keepDims") and any(f.shapes[0][i] > 1 for i in before if i not in f.axes)


def groups_in_batches(f):
    return f.shapes[0][0] > 1 and f.shapes[1][3] != f.shapes[0][3] and f.option("padding") == schema.Padding.SAME


def multiplied_and_fused(f):
    spread = f.shapes[0][-1] > 1 and f.out[-1] > f.shapes[0][-1]
    return spread and f.out_type == TYPES.UINT8 and f.option("fusedActivationFunction") != 0


def scales_differ(f):
    return len({float(t.quantization.scale[0]) for t in f.tensors}) > 1


def gelu_or_elu(f):
    return not f.option("approximate")


def largest_exp(f):
    """The largest entry of an int8 table of EXP, before it is cut to the type."""
    q, to = (t.quantization for t in f.tensors)
    return np.exp((127.0 - q.zeroPoint[0]) * q.scale[0]) / to.scale[0]


ROWS = [
    # Vela's errors
    Row(ARITHMETIC, six_dims, "Vela loses dimensions of one value spread over six"),
    Row(("PRELU",), lambda f: len(f.shapes[0]) > 4, "Vela loses dimensions of PRELU beyond four"),
    Row(("REDUCE_MAX", "REDUCE_MIN"), loses_rows, "Vela reduces the first row only when the axis is not kept"),
    Row(("SUM",), lambda f: loses_rows(f) and f.out_type == TYPES.INT16, "Vela adds up the first row only, int16"),
    Row(("SUM",), lambda f: loses_rows(f), "Vela asks for several sums of channels at once"),
    Row(("SUM",), lambda f: f.several_axes, "Vela adds along one axis only"),
    Row(("CONV_2D",), groups_in_batches, "Vela puts the padding of grouped convolutions in batches on one side"),
    Row(("MIRROR_PAD",), lambda f: f.shapes[0][-1] != f.out[-1], "Vela ignores mirrored channels"),
    Row(("STRIDED_SLICE",), lambda f: f.option("newAxisMask"), "Vela ignores the mask of new axes"),
    Row(
        ("SOFTMAX",),
        lambda f: f.types[0] == TYPES.INT8 != f.out_type,
        "Vela gives int8 results where int16 ones are asked for",
    ),
    Row(
        ("SOFTMAX",),
        lambda f: f.tensors[0].quantization.scale[0] < 1e-9,
        "Vela's tables have other numbers where the scale is tiny",
    ),
    Row(
        ("DEPTHWISE_CONV_2D",),
        multiplied_and_fused,
        "Vela clamps uint8 as if it were int8 where channels are multiplied",
    ),
    Row(("TRANSPOSE",), lambda f: f.out_type == TYPES.UINT8, "Vela clamps uint8 as if it were int8"),
    Row(
        ("FULLY_CONNECTED",),
        lambda f: f.option("weightsFormat"),
        "Vela takes shuffled weights as if they were in order",
    ),
    Row(("FULLY_CONNECTED",), lambda f: f.stored(1) is None, "Vela drops the bias of weights that are no constant"),
    Row(("UNIDIRECTIONAL_SEQUENCE_LSTM",), lambda f: f.option("cellClip") != 0, "Vela drops the clipping of the cell"),
    # the references'
    Row(("BATCH_MATMUL",), lambda f: f.out_type == TYPES.INT32, "BUILTIN_REF ignores zero points for int32 results"),
    Row(
        ("EXP",),
        lambda f: f.out_type == TYPES.INT8 and largest_exp(f) >= 2**31,
        "BUILTIN_REF casts floats beyond int32",
    ),
    Row(
        ("FULLY_CONNECTED",),
        lambda f: f.out_type == f.types[0] != TYPES.UINT8,
        "BUILTIN_REF rounds in floating point, tflite-micro and the NPU in fixed point",
        oracle="tflm",
    ),
    Row(
        ("FULLY_CONNECTED",),
        lambda f: f.types[0] == TYPES.UINT8,
        "BUILTIN_REF rounds in floating point, and tflite-micro has no uint8",
        within=1,
    ),
    Row(("ABS",), lambda f: True, "tflite-micro rounds as the NPU does", oracle="tflm"),
    Row(
        ("ADD", "SUB"),
        lambda f: f.option("potScaleInt16") and f.out_type == TYPES.INT16,
        "BUILTIN_REF shifts by powers of two, tflite-micro and the NPU multiply",
        oracle="tflm",
    ),
    Row(
        ("SUM",),
        lambda f: f.out_type in (TYPES.INT8, TYPES.UINT8, TYPES.INT16),
        "BUILTIN_REF adds stored values; Vela rounds halves up",
        oracle="litert_default",
        within=2,
    ),
    Row(
        ("UNIDIRECTIONAL_SEQUENCE_LSTM",),
        lambda f: True,
        "BUILTIN_REF computes sigmoid and tanh, tflite-micro and the NPU look them up",
        oracle="tflm",
    ),
    # Vela's approximations
    Row(
        ("CONCATENATION",),
        lambda f: f.out_type == TYPES.UINT8 and scales_differ(f),
        "BUILTIN_REF rescales in floating point",
        within=1,
    ),
    Row(("ELU", "GELU"), gelu_or_elu, "Vela rounds one entry of its table otherwise", within=1),
    Row(("LEAKY_RELU",), lambda f: f.option("alpha") < 0, "Vela rounds tables of negative slopes otherwise", within=1),
    Row(
        ("SOFTMAX",),
        lambda f: f.out_type == f.types[0] == TYPES.INT16,
        "Vela's int16 exp is an approximation",
        within=1,
    ),
]


def row_of(model):
    """The index of the first row that fits, or None."""
    m = schema.ModelT.InitFromPackedBuf(model, 0)
    codes = [BUILTINS[max(c.builtinCode, c.deprecatedBuiltinCode)] for c in m.operatorCodes]
    for i, row in enumerate(ROWS):
        for op in m.subgraphs[0].operators:
            if codes[op.opcodeIndex] in row.ops and row.fits(Facts(m, op)):
                return i
    return None
