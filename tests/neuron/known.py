"""Where npu_rt and LiteRT's plugin differ on purpose, with the argument. A script that has seen everything fails for a
difference that it has not met: then it is gone, and its line here has to go too."""

# Rules by which npu_rt leaves to the CPU what the plugin takes.
REFUSED = {
    "neuron.fused_activation": "TANH and SIGN_BIT are passed on as numbers that mean nothing to Neuron",
    "neuron.weights_format": "shuffled weights are passed on as if they were in plain order",
    "neuron.sparse": "what is stored of them is passed on as if it were all",
}

# The same of one operator: LiteRT turns a quantized odml.rms_norm into a float one between DEQUANTIZE and QUANTIZE,
# of which the
# plugin takes the middle. npu_rt leaves the whole where it would have to leave those two.
REFUSED_NORM = {
    "neuron.type": "of a type that no operand has",
    "neuron.int64": "of int64",
    "neuron.int16": "of int16 with scales by channel",
}

# Rules by which npu_rt leaves to the CPU one operator, where the plugin fails and takes nothing of the whole file.
FAILS = {
    "neuron.gamma": "the plugin reads a gamma that is not there",
    "neuron.int64_range": "the cast to int32 fails",
    "neuron.resize_nearest_neighbor.size": "legalization fails",
    "neuron.transpose_conv.output_shape": "legalization fails where there is no bias either",
    "neuron.blockwise": "the model that the adapter is asked about cannot be made",
}

# Cases that the plugin fails at and npu_rt takes.
TAKEN_ANYWAY = {
    "FULLY_CONNECTED": "below 8.2.24, open dimensions are multiplied as 2^32 - 1: npu_rt leaves them open",
    "ADD": "an operator without options: TFLite and npu_rt take the defaults",
}

# Reasons for which npu_rt does not open a file that the plugin makes something of.
UNREAD = {"tflite.quantization": "scales and zero points that do not go together: TFLite does not open it either"}


class Met:
    """Which of the differences a run has met."""

    def __init__(self):
        self.met = set()

    def refused(self, rules, table):
        """Whether these reasons, all of them, are differences of that table."""
        known = bool(rules) and set(rules) <= set(table)
        self.met |= set(rules) if known else set()
        return known

    def unread(self, error):
        found = {rule for rule in UNREAD if "[%s]" % rule in (error or "")}
        self.met |= found
        return bool(found)

    def taken(self, op):
        self.met |= {op} & set(TAKEN_ANYWAY)
        return op in TAKEN_ANYWAY

    def gone(self, *tables):
        return sorted(set().union(*tables) - self.met)
