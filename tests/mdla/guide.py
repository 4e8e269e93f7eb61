"""MediaTek's Model Design Guide, transcribed by hand: what the tests of the MDLA expect.

Nothing here is made from the tables in src/vendor/mdla; test_guide.py compares it with the guide's text where that is there."""

VERSIONS = ("1.5", "2.0", "3.0")

# MACs per cycle
MACS = {"1.5": (1024, 512, 256), "2.0": (1024, 512, 512), "3.0": (2048, 512, 512)}  # int8, int16, FP16

# Data type support matrix
HW_SW = {
    "FP32 (--relax-fp32)": "SW SW SW",
    "FP16": "HW HW HW",
    "ASYM UINT8": "HW HW HW",
    "ASM INT8": "SW HW HW",
    "SYM INT8": "HW HW HW",
    "SYM INT16": "HW HW HW",
}

# TFLite operations: name in the guide: (versions, first MDLA)
OPERATIONS = {
    **dict.fromkeys("ADD SUB MUL DIV MAXIMUM MINIMUM RESIZE_BILINEAR RESIZE_NEAREST".split(), ("1", "1.5")),
    **dict.fromkeys("AVERAGE_POOL_2D MAX_POOL_2D L2_POOL_2D CONV_2D RELU RELU6 RELU_N1_TO_1".split(), ("1", "1.5")),
    "MAX_POOL_3D": ("1", "3.0"),
    "CONV_3D": ("1", "3.0"),
    **dict.fromkeys("TANH LOGISTIC ELU TRANSPOSE_CONV CONCATENATION FULLY_CONNECTED".split(), ("1", "1.5")),
    "DEPTHWISE_CONV_2D": ("1, 2", "1.5"),
    **dict.fromkeys("RESHAPE SQUEEZE EXPAND_DIMS PRELU SLICE STRIDED_SLICE PAD MEAN TRANSPOSE".split(), ("1", "1.5")),
    "SPLIT": ("1, 2, 3", "1.5"),
    **dict.fromkeys("BATCH_TO_SPACE_ND SPACE_TO_BATCH_ND SPACE_TO_DEPTH DEPTH_TO_SPACE".split(), ("1", "1.5")),
    **dict.fromkeys("NEG ABS POW SQUARED_DIFFERENCE QUANTIZE DEQUANTIZE".split(), ("1", "1.5")),
    "Quantized LSTM": ("1, 2", "1.5"),
    **dict.fromkeys("EXP SQUARE SQRT RSQRT RCP SOFTMAX".split(), ("1", "2.0")),
}
# Rows under another name in TFLite, and those that nothing reaches.
TFLITE = {"RESIZE_NEAREST": "RESIZE_NEAREST_NEIGHBOR", "Quantized LSTM": "LSTM"}
NOT_REACHED = {"MAX_POOL_3D", "RCP"}
# Operators that the report lists beside the table of operations, and why: other parts of the guide speak of them.
BESIDE = {"MIRROR_PAD": "3.0", "GELU": "2.0"}

CUSTOM = {
    "MTK_ABS": ("1", "1.5"),
    "MTK_MIN_POOL": ("1", "1.5"),
    "MTK_TRANSPOSE_CONV": ("1", "1.5"),
    "MTK_REVERSE": ("1", "1.5"),
    "MTK_ELU": ("1", "1.5"),
    "MTK_REQUANTIZE": ("1", "1.5"),
    "MTK_DEPTH_TO_SPACE": ("1", "1.5"),
    "MTK_CROP_AND_RESIZE": ("1", "1.5"),
    "MTK_LAYER_NORMALIZATION": ("2", "2.0"),
}

# Op convolution uRate, in percent; of FULLY_CONNECTED by batch.
CONV_RATE, DEPTHWISE_RATE = 100, 25
FC_RATE = {
    1: {"1.5": 25, "2.0": 25, "3.0": 12.5},
    2: {"1.5": 50, "2.0": 50, "3.0": 25},
    4: {"1.5": 100, "2.0": 100, "3.0": 50},
    8: {"1.5": 100, "2.0": 100, "3.0": 100},
}
# Filters up to this many weights are small: (8 bits, 16 bits)
SMALL_CONV = {"1.5": (32, 16), "2.0": (32, 16), "3.0": (80, 20)}
SMALL_DEPTHWISE = {"1.5": (8, 4), "2.0": (8, 4), "3.0": (19, 9)}

# Math operation throughput: (name, from, Sym8, Asym8, Sym16, FP16)
MATH = [
    ("RELU", "1.5", 32, 32, 16, 16),
    ("RELU6", "1.5", 32, 32, 16, 16),
    ("RELU_N1_TO_1", "1.5", 32, 32, 16, 16),
    ("TANH", "1.5", 4, 4, 4, 4),
    ("TANH", "2.0", 16, 16, 4, 8),
    ("LOGISTIC", "1.5", 4, 4, 4, 4),
    ("LOGISTIC", "2.0", 16, 16, 4, 8),
    ("ELU", "1.5", 4, 4, 4, 4),
    ("ELU", "2.0", 16, 16, 4, 8),
    ("GELU", "2.0", 16, 16, 4, 8),
    ("EXP", "2.0", 16, 16, 4, 8),
    ("RCP", "2.0", 16, 16, 4, 8),
    ("SQRT", "2.0", 16, 16, 4, 8),
    ("PRELU", "1.5", 16, 16, 16, 8),
    ("MAX", "1.5", 16, 16, 8, 8),
    ("MIN", "1.5", 16, 16, 8, 8),
    ("BN_MUL", "1.5", 16, 16, 16, 8),
    ("SQUARE(MUL)", "2.0", 16, 16, 16, 8),
    ("MUL", "1.5", 16, 16, 8, 8),
    ("BN_ADD", "1.5", 16, 16, 16, 8),
    ("IN_SUB", "2.0", 16, 16, 16, 8),
    ("ADD", "1.5", 8, 8, 8, 8),
    ("ADD", "3.0", 16, 16, 8, 8),
    ("SUB", "1.5", 8, 8, 8, 8),
    ("SUB", "3.0", 16, 16, 8, 8),
    ("NEG", "1.5", 16, 16, 16, 16),
    ("ABS", "1.5", 16, 16, 16, 16),
]
# Pools: cycles times TC; None: NA
POOLS = {"AVG": (1, 1, 2, 2), "L2": (1, 1, 2, None), "MAX": (1, 1, 2, 2), "MIN": (1, 1, 2, 2)}
RESIZE_UP = (10, 5)  # points per cycle of 8 and 16 bits

GROUPS = {
    "CONV": ["Conv2D", "Depthwise Conv2D", "Fully Connected", "Transpose Conv2D"],
    "MATH1": ["Batch normalization", "Abs", "Neg"],
    "MATH2": ["Mul", "Add", "Sub", "Max", "Min"],
    "ACT1": ["ReLU", "Tanh", "Sigmoid"],
    "ACT2": ["PReLU"],
    "POOL": ["AVG Pool", "Max Pool", "Min Pool", "L2 Pool"],
    "RESIZE": ["Resize bilinear", "Resize nearest"],
    "DEQUANTIZE": ["Dequantize"],
    "REQUANT": ["Requant"],
}

# Per-channel quantization: {(weights, data): versions that have it}
CHANNEL = {
    ("ASYM UINT8", "ASYM UINT8"): VERSIONS,
    ("ASYM UINT8", "SYM INT8"): VERSIONS,
    ("ASYM UINT8", "SYM INT16"): (),
    ("SYM INT8", "ASYM UINT8"): VERSIONS,
    ("SYM INT8", "SYM INT8"): VERSIONS,
    ("SYM INT8", "SYM INT16"): ("3.0",),
    ("SYM INT16", "ASYM UINT8"): (),
    ("SYM INT16", "SYM INT8"): (),
    ("SYM INT16", "SYM INT16"): VERSIONS,
}


def since(first):
    return VERSIONS[VERSIONS.index(first) :]


def math_rate(name, version):
    """(Sym8, Asym8, Sym16, FP16) of the last row up to the version; None: it has none."""
    rows = [r for r in MATH if r[0] == name and r[1] <= version]
    return rows[-1][2:] if rows else None


def outputs_rate(oc):
    """Percent that output channels leave: multiples of 16, or 4."""
    return 100 * oc / 4 if oc <= 4 else 100 * oc / (16 * -(-oc // 16))


def pool_tc(ps_h, ps_w, s_h, s_w, tile):
    """Cycles for a tile (h, w, c) of the output."""
    h, w, c = tile
    return (ps_w * ps_h + (w - 1) * ps_h * s_w) * ((h - ps_h) / s_h + 1) * (c / 16)
