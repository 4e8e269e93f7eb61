#!/usr/bin/env python3
"""Verdicts on public networks against the vendor's own converter (recorded: Vela 3.2.0, one JSON file per network).

Profile vela-3.2 must give the same verdict on every operator, say of the same ones that the model itself stands in the
way ("semantic"), and name the constraint that the converter names among its reasons.

The published document is that converter's report, narrowed: fewer operators, int8 only, one doubling in
RESIZE_BILINEAR, and none of the converter's "semantic" checks. So profile published may be stricter only through those
lines, and milder only where the converter's semantic check refused."""

import collections
import glob
import json
import os
import re
import sys

from ethosu import Ethosu, arguments
from runner import Score

NARROWED = ("operator_not_listed", "tensor_type_int8", "fused_activation_output_int8", "bias_int32", "type_int32")
ONE_DOUBLING = "ethosu.resize_bilinear.size"

# How the converter words its constraints (the start is enough), and the names that rows give them.
CONSTRAINTS = {
    "Input(s) and Output tensors must not be dynamic": "semantic.tens_no_dynamic",
    "Output tensors cannot be scalar": "semantic.tens_output_scalar",
    "Scalar Input tensors are only valid for op type": "semantic.tens_input_scalar",
    "Input(s) and Output tensors must not be greater than 4D": "semantic.tens_shape_size",
    "Input(s), Output and Weight tensors must have quantization parameters": "semantic.tens_quant_none_check",
    "Input(s), Output and Weight tensors with quantization scales must be finite": "semantic.tens_quant_scale",
    "Input and Output tensors must have quantization scales that fit": "semantic.quant_scale_inf",
    "IFM and OFM data types must match": "semantic.matching_in_out_types",
    "At least one Input's shape must match the OFM's shape": "semantic.matching_either_shapes",
    "Both Input data types must match": "semantic.matching_inputs_types",
    "For IFM that are signed, OFM must also be signed": "semantic.matching_signed",
    "For IFM that are unsigned, OFM must either be": "semantic.unsigned_valid",
    "Input and output quantisation must match": "semantic.matching_in_out_quant",
    "Axis attribute must exist": "semantic.axis_exists",
    "Axis attribute must be in the range": "semantic.axis_valid",
    "All Input dimensionalities must match": "semantic.matching_dimensionality",
    "All Input dimensions must match OFM dimension": "semantic.valid_dimensions",
    "IFM and OFM shapes must match": "semantic.matching_shapes",
    "Beta value needs to be positive": "semantic.beta_value_range",
    "Only one size is allowed to be inferred": "semantic.splitv_inferred",
    "Exactly 4 Input tensors are required": "semantic.stridedslice_input_count",
    "Begin, End and Stride Input tensors must be constant": "semantic.stridedslice_inputs_const",
    "ellipsis_mask must be 0": "semantic.ellipsis_mask",
    "new_axis_mask and shrink_axis_mask cannot both be set": "semantic.axis_masks",
    "Slice 'end' values must be greater than 'begin' values": "semantic.slice_ranges",
    "Alpha must not be negative": "semantic.alpha_valid",
    "The output tensor(s) must have 2D shape": "semantic.fc_output_2d",
    "The IFM and OFM must have the same number of dimensions": "semantic.keep_dim_ifm_ofm",
    "Number of input tensors must be exactly 2": "semantic.pad_input_count",
    "The padding tensor must be constant": "semantic.pad_constant",
    "IFM must be int8 or uint8": "semantic.input_8bit",
    "Input tensor must be at least 2D": "semantic.mean_input_dims",
    "Axis indices must correspond to height and width axes": "semantic.mean_axis",
    "Tensors must be of type": "supported.tens_dtype",
    "Tensors which are int32 are only valid when op type is": "supported.tens_int32_ops",
    "Tensor dimensions must be in the range": "supported.tens_dimension",
    "Per-axis quantization is only supported for": "supported.tens_quant_per_axis",
    "The fused activation function (if present) must be": "supported.faf",
    "If a fused activation function is present, the Output": "supported.faf_type",
    "Stride values for both width and height must be in the range": "supported.stride_range",
    "Dilation factor values for both width and height must be in": "supported.dilation_range",
    "Dilated kernel height must be in the range": "supported.dilated_height_range",
    "Product of dilated kernel width and height": "supported.dilated_product_range",
    "Weight tensor must be 8-bit": "supported.weights_type",
    "Weight tensor must be constant": "supported.weights_const",
    "The sum of the weights cannot exceed": "supported.weights_limit",
    "Optional Bias tensor must be of type": "supported.bias_type",
    "Optional Bias tensor values must fit within 40-bits": "supported.bias_40bit",
    "IFM Tensor batch size must be 1": "supported.batch_size",
    "For depth multipliers > 1": "supported.depth_multiplier",
    "Stride values for both width and height must be 2": "supported.tconv_stride",
    "SAME padding: OFM dimensions must equal": "supported.tconv_same",
    "VALID padding: OFM dimensions must equal": "supported.tconv_valid",
    "Kernel filter values for both width and height must be in": "supported.filter_range",
    "Kernel filter height must be in the range": "supported.filter_height_range",
    "Product of kernel filter width and height": "supported.filter_product_range",
    "VALID padding: Kernel filter height": "supported.filter_height_range_valid_pad",
    "VALID padding: Product of kernel filter": "supported.filter_product_range_valid_pad",
    "The width and height of the IFM and OFM must match one of": "supported.resize",
    "half_pixel_centers are not supported": "supported.bilinear_resize_attrs",
    "Batch size must be 1 for Input tensors with more than 2": "supported.elemwise_batch_size",
    "Both Input quantization parameters must match OFM": "supported.matching_quantization_parameters",
    "Broadcasting is only allowed for rank indices": "supported.broadcast_shapes",
    "All Strides values must be 1": "supported.stridedslice_stride_values",
    "The padding tensor must have the shape": "supported.pad_shape",
    "The pad tensor can only pad width and height": "supported.padding_dimensions",
    "Pad tensor must be of type": "supported.pad_type",
    "Product of height and width can be at most 65536": "supported.mean_height_width_product_avgpool",
    "Product of height and width can be at most 4096": "supported.mean_height_width_product",
    "Product of IFM height and width can be at most": "supported.mean_height_width_product_int8",
    "Shape must be constant": "supported.reshape_shape_constant",
}
# What the converter's source says about numbers: the rows' limits, low end None where there is none.
LIMITS = {
    "semantic.tens_shape_size": (0, 4),
    "semantic.splitv_inferred": (0, 1),
    "semantic.stridedslice_input_count": (4, 4),
    "semantic.ellipsis_mask": (0, 0),
    "semantic.fc_output_2d": (2, 2),
    "semantic.pad_input_count": (2, 2),
    "semantic.mean_input_dims": (2, 4),
    "supported.tens_dimension": (1, 65535),
    "supported.stride_range": (1, 3),
    "supported.dilation_range": (1, 2),
    "supported.dilated_height_range": (1, 64),
    "supported.dilated_product_range": (1, 64 * 64),
    "supported.weights_limit": (None, 127 * 65536),
    "supported.bias_40bit": (None, 40),
    "supported.batch_size": (1, 1),
    "supported.tconv_stride": (2, 2),
    "supported.filter_range": (1, 8),
    "supported.filter_height_range": (1, 256),
    "supported.filter_product_range": (1, 256 * 256),
    "supported.filter_height_range_valid_pad": (1, 256),
    "supported.filter_product_range_valid_pad": (1, 256 * 256),
    "supported.elemwise_batch_size": (1, 1),
    "supported.stridedslice_stride_values": (1, 1),
    "supported.mean_height_width_product_avgpool": (None, 256 * 256),
    "supported.mean_height_width_product": (None, 64 * 64),
    "supported.mean_height_width_product_int8": (None, 16 * 16),
}
# Operators that the converter places, and how many of its checks each has beside those of all operators (checks that no
# .tflite file can fail left out; a row for several operators counts with each).
OPERATORS = {
    "ABS": 3,
    "ADD": 6,
    "AVERAGE_POOL_2D": 6,
    "CONCATENATION": 4,
    "CONV_2D": 10,
    "DEPTHWISE_CONV_2D": 11,
    "EXPAND_DIMS": 1,
    "FULLY_CONNECTED": 6,
    "HARD_SWISH": 2,
    "LEAKY_RELU": 4,
    "LOGISTIC": 0,
    "MAXIMUM": 5,
    "MAX_POOL_2D": 5,
    "MEAN": 7,
    "MINIMUM": 5,
    "MUL": 6,
    "PACK": 0,
    "PAD": 5,
    "QUANTIZE": 0,
    "RELU": 0,
    "RELU6": 0,
    "RELU_N1_TO_1": 0,
    "RESHAPE": 2,
    "RESIZE_BILINEAR": 2,
    "SLICE": 0,
    "SOFTMAX": 3,
    "SPLIT": 0,
    "SPLIT_V": 1,
    "SQUEEZE": 1,
    "STRIDED_SLICE": 6,
    "SUB": 6,
    "TANH": 0,
    "TRANSPOSE_CONV": 12,
    "UNPACK": 0,
}
EVERY = {
    "semantic.tens_no_dynamic",
    "semantic.tens_output_scalar",
    "semantic.tens_input_scalar",
    "semantic.tens_shape_size",
    "semantic.tens_quant_none_check",
    "semantic.tens_quant_scale",
    "semantic.quant_scale_inf",
    "supported.tens_dtype",
    "supported.tens_int32_ops",
    "supported.tens_dimension",
    "supported.tens_quant_per_axis",
    "supported.faf",
    "supported.faf_type",
}
COMPILED = (
    "ethos-u"  # the converter passes on what it compiled before; here it is placed, or compiled for another accelerator
)
CPU_ONLY = "supported operators"  # "... is a CPU only op"


def is_narrowed(rule):
    return rule.split(".")[-1] in NARROWED or rule == ONE_DOUBLING


def named(why):
    """Sets of constraints, one of which each message of the converter must mean. The records are cut after some length,
    so a message may be any beginning."""
    if "is a CPU only op" in why:
        yield {CPU_ONLY}
    for text in re.findall(r"\| - ([^|]*)", why):
        text = text.strip()
        yield {c for start, c in CONSTRAINTS.items() if text.startswith(start) or start.startswith(text)}


def problem_published(our, their):
    if our["op"] == COMPILED:
        return None
    broken = [r["rule"] for r in our["reasons"]]
    if our["placed"] and not their["npu"] and their["semantic"]:
        return "is placed, but: %s" % their["why"]
    if their["npu"] and not all(is_narrowed(r) for r in broken):
        return "is refused by %s" % broken
    return None


def problem_exact(our, their):
    if our["op"] == COMPILED:
        return None
    ours = {r["source"].split(", ", 1)[1] for r in our["reasons"]}
    if our["placed"] != their["npu"]:
        return "placed is %s (%s), but: %s" % (our["placed"], sorted(ours), their["why"])
    if any(c.startswith("semantic.") for c in ours) == their["semantic"]:
        return "semantic is not %s: %s" % (their["semantic"], sorted(ours))
    for constraints in named(their["why"] or ""):
        if not constraints:
            return "a message that no constraint begins with: %s" % their["why"]
        if not constraints & ours:
            return "%s is not among %s" % (sorted(constraints), sorted(ours))
    return None


def compare_ops(ours, theirs, find_problem):
    """The converter lists operators in its own order, and custom ones without their name: match by output."""
    waiting = collections.defaultdict(list)
    for op in ours:
        waiting[op["output"]].append(op)
    for their in theirs:
        found = [op for op in waiting[their["name"]] if their["op"] in (op["op"], "CUSTOM")]
        problem = find_problem(found[0], their) if found else "is missing"
        if problem:
            return "%s '%s' %s" % (their["op"], their["name"], problem)
        waiting[their["name"]].remove(found[0])
    return None


def compare_summary(report):
    ops, s = report["ops"], report["summary"]
    placed = [(op["subgraph"], op["placed"]) for op in ops]
    runs = sum(on and (i == 0 or placed[i - 1] != (graph, True)) for i, (graph, on) in enumerate(placed))
    switches = sum(a[0] == b[0] and a[1] != b[1] for a, b in zip(placed, placed[1:]))
    want = {"ops": len(ops), "ops_placed": sum(op["placed"] for op in ops), "partitions": runs, "switches": switches}
    wrong = {k: (s[k], v) for k, v in want.items() if s[k] != v}
    if s["macs_placed"] > s["macs"] or (s["ops"] == s["ops_placed"] and s["macs"] != s["macs_placed"]):
        wrong["macs_placed"] = (s["macs_placed"], s["macs"])
    return "summary differs: %s" % wrong if wrong else None


def compare_list(score, report):
    """The facts above are those of the profile's rows, no more and no less."""
    rows = {r["rule"]: r["constraint"] for r in report["rules"]}
    listed = set(CONSTRAINTS.values()) | {CPU_ONLY}
    differ = sorted(set(rows.values()) ^ listed)
    score.check("constraints", None if not differ else "differ: %s" % differ)
    numeric = set()
    for r in report["rules"]:
        have, want = (r.get("lo"), r["hi"]) if "hi" in r else None, LIMITS.get(r["constraint"])
        numeric.add(r["constraint"] if have else None)
        score.check("limits of " + r["rule"], None if have == want else "are %s instead of %s" % (have, want))
    score.check("all limits", None if set(LIMITS) <= numeric else "lacks %s" % sorted(set(LIMITS) - numeric))
    own = {o["op"]: [rows[r] for r in o["rules"] if rows[r] not in EVERY] for o in report["operators"]}
    score.check("operators", None if set(own) == set(OPERATORS) else "differ: %s" % sorted(set(own) ^ set(OPERATORS)))
    for op, n in OPERATORS.items():
        score.check("rules of " + op, None if len(own.get(op, [])) == n else "are %s" % own.get(op))


def main():
    a = arguments(__doc__.split("\n")[0])
    recorded = os.path.join(a.shared, "oracles", "vela-3.2.0")
    ethosu, score = Ethosu(a.command), Score("ethosu vela")
    compare_list(score, ethosu.ops("vela-3.2"))
    if not os.path.isdir(recorded):
        print("left out ethosu vela networks: no %s" % recorded)
        return score.close()
    for path in sorted(glob.glob(os.path.join(a.shared, "models", "*.tflite"))):
        name = os.path.basename(path)[: -len(".tflite")]
        oracle = os.path.join(recorded, name + ".json")
        theirs = None
        if os.path.exists(oracle):
            with open(oracle, encoding="utf-8") as f:
                theirs = json.load(f)
        for profile, find_problem in (("published", problem_published), ("vela-3.2", problem_exact)):
            label = "%s %s" % (name, profile)
            try:
                report = ethosu.check_file(path, profile)
            except (RuntimeError, ValueError) as e:
                score.check(label, str(e))
                continue
            score.check(label + " summary", compare_summary(report))
            if theirs is not None:
                score.check(label, compare_ops(report["ops"], theirs, find_problem))
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
