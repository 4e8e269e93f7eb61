"""An NNAPI client in Python: the C functions of a library built with NPU_RT_NNAPI, and models added operand by operand."""

import ctypes
import os

import numpy as np

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

TYPES = dict(
    FLOAT32=0, INT32=1, UINT32=2, TENSOR_FLOAT32=3, TENSOR_INT32=4, TENSOR_QUANT8_ASYMM=5, BOOL=6, TENSOR_QUANT16_SYMM=7,
    TENSOR_FLOAT16=8, TENSOR_BOOL8=9, FLOAT16=10, TENSOR_QUANT8_SYMM_PER_CHANNEL=11, TENSOR_QUANT16_ASYMM=12,
    TENSOR_QUANT8_SYMM=13, TENSOR_QUANT8_ASYMM_SIGNED=14, MODEL=15,
)  # fmt: skip
DTYPES = dict(
    FLOAT32="f4", INT32="i4", UINT32="u4", TENSOR_FLOAT32="f4", TENSOR_INT32="i4", TENSOR_QUANT8_ASYMM="u1", BOOL="?",
    TENSOR_QUANT16_SYMM="i2", TENSOR_FLOAT16="f2", TENSOR_BOOL8="?", FLOAT16="f2", TENSOR_QUANT8_SYMM_PER_CHANNEL="i1",
    TENSOR_QUANT16_ASYMM="u2", TENSOR_QUANT8_SYMM="i1", TENSOR_QUANT8_ASYMM_SIGNED="i1",
)  # fmt: skip
RESULTS = [
    "NO_ERROR", "OUT_OF_MEMORY", "INCOMPLETE", "UNEXPECTED_NULL", "BAD_DATA", "OP_FAILED", "BAD_STATE", "UNMAPPABLE",
    "OUTPUT_INSUFFICIENT_SIZE", "UNAVAILABLE_DEVICE",
]  # fmt: skip
# In the order of NNAPI's numbers.
OPERATIONS = """ADD AVERAGE_POOL_2D CONCATENATION CONV_2D DEPTHWISE_CONV_2D DEPTH_TO_SPACE DEQUANTIZE EMBEDDING_LOOKUP FLOOR
    FULLY_CONNECTED HASHTABLE_LOOKUP L2_NORMALIZATION L2_POOL_2D LOCAL_RESPONSE_NORMALIZATION LOGISTIC LSH_PROJECTION LSTM
    MAX_POOL_2D MUL RELU RELU1 RELU6 RESHAPE RESIZE_BILINEAR RNN SOFTMAX SPACE_TO_DEPTH SVDF TANH BATCH_TO_SPACE_ND DIV MEAN PAD
    SPACE_TO_BATCH_ND SQUEEZE STRIDED_SLICE SUB TRANSPOSE ABS ARGMAX ARGMIN AXIS_ALIGNED_BBOX_TRANSFORM
    BIDIRECTIONAL_SEQUENCE_LSTM BIDIRECTIONAL_SEQUENCE_RNN BOX_WITH_NMS_LIMIT CAST CHANNEL_SHUFFLE DETECTION_POSTPROCESSING EQUAL
    EXP EXPAND_DIMS GATHER GENERATE_PROPOSALS GREATER GREATER_EQUAL GROUPED_CONV_2D HEATMAP_MAX_KEYPOINT INSTANCE_NORMALIZATION
    LESS LESS_EQUAL LOG LOGICAL_AND LOGICAL_NOT LOGICAL_OR LOG_SOFTMAX MAXIMUM MINIMUM NEG NOT_EQUAL PAD_V2 POW PRELU QUANTIZE
    QUANTIZED_16BIT_LSTM RANDOM_MULTINOMIAL REDUCE_ALL REDUCE_ANY REDUCE_MAX REDUCE_MIN REDUCE_PROD REDUCE_SUM ROI_ALIGN
    ROI_POOLING RSQRT SELECT SIN SLICE SPLIT SQRT TILE TOPK_V2 TRANSPOSE_CONV_2D UNIDIRECTIONAL_SEQUENCE_LSTM
    UNIDIRECTIONAL_SEQUENCE_RNN RESIZE_NEAREST_NEIGHBOR QUANTIZED_LSTM IF WHILE ELU HARD_SWISH FILL RANK BATCH_MATMUL PACK
    MIRROR_PAD REVERSE""".split()
POINTER = ctypes.c_void_p


class OperandType(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int32),
        ("n", ctypes.c_uint32),
        ("dims", ctypes.POINTER(ctypes.c_uint32)),
        ("scale", ctypes.c_float),
        ("zero_point", ctypes.c_int32),
    ]


class ChannelQuant(ctypes.Structure):
    _fields_ = [("axis", ctypes.c_uint32), ("n", ctypes.c_uint32), ("scales", ctypes.POINTER(ctypes.c_float))]


class Failed(Exception):
    """A function did not say NO_ERROR."""

    def __init__(self, function, result, why=""):
        name = RESULTS[result] if 0 <= result < len(RESULTS) else str(result)
        super().__init__("%s: %s %s" % (function, name, why))
        self.result = name


class Library:
    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        self.c.npu_nnapi_why.restype = ctypes.c_char_p
        self.c.npu_nnapi_why.argtypes = [POINTER]

    def result(self, name, *args):
        """Calls it and gives the result's name."""
        r = getattr(self.c, "ANeuralNetworks" + name)(*args)
        return RESULTS[r] if 0 <= r < len(RESULTS) else str(r)

    def call(self, name, *args):
        r = getattr(self.c, "ANeuralNetworks" + name)(*args)
        if r != 0:
            raise Failed(name, r)

    def free(self, name, handle):
        getattr(self.c, "ANeuralNetworks%s_free" % name)(handle)


def u32(values):
    return (ctypes.c_uint32 * max(len(values), 1))(*values)


def operand_type(kind, shape=(), scale=0.0, zero_point=0):
    return OperandType(TYPES[kind], len(shape), u32(shape), scale, zero_point)


def pointer(a):
    return ctypes.c_void_p(a.ctypes.data)


class Model:
    """A model in the making; operands are numbers. What it lends to NNAPI lives as long as it does."""

    def __init__(self, library):
        self.library, self.keep, self.handle, self.kinds = library, [], POINTER(), []
        library.call("Model_create", ctypes.byref(self.handle))

    def close(self):
        self.library.free("Model", self.handle)

    def operand(self, kind, shape=(), scale=0.0, zero_point=0, channels=None):
        self.library.call("Model_addOperand", self.handle, ctypes.byref(operand_type(kind, shape, scale, zero_point)))
        self.kinds.append((kind, tuple(shape)))
        if channels is not None:
            axis, scales = channels
            scales = (ctypes.c_float * len(scales))(*scales)
            quant = ChannelQuant(axis, len(scales), scales)
            self.library.call(
                "Model_setOperandSymmPerChannelQuantParams", self.handle, len(self.kinds) - 1, ctypes.byref(quant)
            )
        return len(self.kinds) - 1

    def constant(self, kind, value, scale=0.0, zero_point=0, channels=None):
        a = np.ascontiguousarray(value, DTYPES[kind])
        i = self.operand(kind, a.shape if kind.startswith("TENSOR") else (), scale, zero_point, channels)
        self.keep.append(a)
        self.library.call("Model_setOperandValue", self.handle, i, pointer(a), ctypes.c_size_t(a.nbytes))
        return i

    def omitted(self, kind, shape=()):
        i = self.operand(kind, shape)
        self.library.call("Model_setOperandValue", self.handle, i, None, ctypes.c_size_t(0))
        return i

    def model(self, other):
        i = self.operand("MODEL")
        self.library.call("Model_setOperandValueFromModel", self.handle, i, other.handle)
        return i

    def operation(self, name, inputs, outputs):
        code = OPERATIONS.index(name)
        self.library.call("Model_addOperation", self.handle, code, len(inputs), u32(inputs), len(outputs), u32(outputs))

    def finish(self, inputs, outputs):
        self.inputs, self.outputs = list(inputs), list(outputs)
        self.library.call(
            "Model_identifyInputsAndOutputs", self.handle, len(inputs), u32(inputs), len(outputs), u32(outputs)
        )
        self.library.call("Model_finish", self.handle)
        return self

    def supported(self, n):
        device, flags = POINTER(), (ctypes.c_bool * n)()
        self.library.call("_getDevice", 0, ctypes.byref(device))
        devices = (POINTER * 1)(device)
        self.library.call("Model_getSupportedOperationsForDevices", self.handle, devices, 1, flags)
        return list(flags)

    def compile(self):
        c = POINTER()
        self.library.call("Compilation_create", self.handle, ctypes.byref(c))
        r = self.library.c.ANeuralNetworksCompilation_finish(c)
        if r != 0:
            why = self.library.c.npu_nnapi_why(c).decode()
            self.library.free("Compilation", c)
            raise Failed("Compilation_finish", r, why)
        return c

    def run(self, arrays):
        """Outputs of one execution; shapes that the model leaves open are those of the arrays."""
        library, compilation, e = self.library, self.compile(), POINTER()
        try:
            library.call("Execution_create", compilation, ctypes.byref(e))
            return self.execute(e, arrays)
        finally:
            library.free("Execution", e)
            library.free("Compilation", compilation)

    def execute(self, e, arrays, compute="Execution_compute"):
        library, outs = self.library, []
        arrays = [np.ascontiguousarray(a) for a in arrays]
        for i, a in enumerate(arrays):
            kind, shape = self.kinds[self.inputs[i]]
            now = operand_type(kind, a.shape, *self.quant(self.inputs[i])) if 0 in shape or not shape else None
            now = ctypes.byref(now) if now is not None and kind.startswith("TENSOR") else None
            library.call("Execution_setInput", e, i, now, pointer(a), ctypes.c_size_t(a.nbytes))
        for i, operand in enumerate(self.outputs):
            kind, shape = self.kinds[operand]
            known = 0 not in shape and (shape or not kind.startswith("TENSOR"))
            outs.append(np.zeros(int(np.prod(shape)) if known else 1 << 16, DTYPES[kind]))
            library.call("Execution_setOutput", e, i, None, pointer(outs[i]), ctypes.c_size_t(outs[i].nbytes))
        library.call(compute, e)
        return [self.shaped(e, i, out) for i, out in enumerate(outs)]

    def shaped(self, e, i, out):
        rank = ctypes.c_uint32()
        self.library.call("Execution_getOutputOperandRank", e, i, ctypes.byref(rank))
        dims = u32([0] * rank.value)
        if rank.value:
            self.library.call("Execution_getOutputOperandDimensions", e, i, dims)
        shape = list(dims)[: rank.value]
        return out[: int(np.prod(shape))].reshape(shape)

    def quant(self, operand):
        return self.quants.get(operand, (0.0, 0)) if hasattr(self, "quants") else (0.0, 0)
