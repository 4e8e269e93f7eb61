#!/usr/bin/env python3
"""`npu_rt check --profile vela-5.2` against live Vela 5.2.0, for Ethos-U55-128, U65-256 and U85-256.

rules     the operators Vela lists and, for each, the constraints it documents: ours, no more and no fewer
networks  every public network that Vela reads: each operator on the same side, refused for what Vela says
operators models of the conformance cases (ops_*.py), one in so many: the same
limits    small models on both sides of each rule (placement_rules.py; numbers at limit - 1, limit and limit + 1,
          from the rule table): the same, and every rule must be seen to refuse and to let pass, by Vela's word"""

import argparse
import collections
import glob
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "conformance"))

from ethosu import Ethosu  # noqa: E402
from runner import REPO, SHARED, Score  # noqa: E402
import ops  # noqa: E402

import placement_cases  # noqa: E402
import placement_rules  # noqa: E402
import placement_vela  # noqa: E402
import vela  # noqa: E402

ACCELERATORS = {"ethos-u55-128": "EthosU55", "ethos-u65-256": "EthosU65", "ethos-u85-256": "EthosU85"}
PROFILE = "vela-5.2"
# How the documentation of a constraint begins, and what our rows call it.
DOCUMENTED = {
    "Only the first dimension of tensors can be dynamic.": "tensDimMustBeStatic",
    "Feature-map dataTypes must be one of": "supportedDTypes",
    "Variable handle tensors must be Resource.": "variableDTypes",
    "Tensors must have constant shape.": "tensMustHaveShape",
    "Operations must have at least one IFM.": "mustHaveIFM",
    "Operations must have at least one OFM.": "mustHaveOFM",
    "Input(s), Output and Weight tensors must have quantization": "tensQuantized",
    "Quantization scale of any tensor must be positive.": "quantizationScaleShiftPositive",
    "Per-axis quantization is not supported.": "perAxisQuant",
    "FullyConnected weights must be on the form": "fcWeightShape",
    "Both Input quantization parameters must match": "matchingQuantization",
    "Weight tensors must be 8-bit precision": "weightsPrecision",
    "Weigth sum constraints:": "weightSum",
    "Bias values must be stored in the channel axis": "biasShape",
    "Bias tensors must be constant": "biasConstant",
    "Bias tensors precision must be Int32 or Int64": "biasPrecision",
    "Int64 bias must be smaller than": "bias64BitRange",
    "Kernel constraints:": "avgPoolPad",
    "kernel product must be less than or equal to 256*256": "maxPool",
    "Shape constraints:": "transposeConvShape",
    "IFM must be Int8 or Int16": "rsqrtIFMPrecision",
    "Parameter tensors must be constant": "constParams",
    "The product of IFM width and height must be": "softmaxOverflow",
    "Params tensor must be Int32 or Int64": "padParams",
    "Tensor dimension must be <= 8": "transposeDims",
    "IFM and OFM datatypes must match, and must be Int8 or Int16": "logPrecision",
    "IFM and OFM datatypes must match, and must be Int8 or UInt8": "geluPrecision",
    "IFM and OFM datatypes must match, and must be Int8": "eluPrecision",
    "Batch must be 1.": "unitBatch",
    "Reduction over depth is only supported if": "meanDepth",
    "Reduced axis must be less than 4096": "meanAxisSize",
    "Amount of reduced elements cannot exceed": "meanTotalElements",
    "IFM precision must be one of: (Int8, UInt8, Int16)": "meanDataType",
    "Slice must represent a volume.": "stridedSlice",
    "Implicit gate calculation is not supported.": "lstmImplicitGateCalc",
    "Peephole variant is not supported.": "lstmPeephole",
    "Projection is not supported.": "lstmProjection",
    "Gate normalization is not supported.": "lstmGateNorm",
    "num_splits must match the number of outputs.": "splitsMatchOutputs",
    "Axis attribute is not supported.": "reverseMask",
    "Kernel stride must be in the range (1,3).": "kernelStride",
    "Stride>3 is only supported IF": "unrolledKernelStride",
    "IF Matmul or (FC with dynamic weights): Reduced axis": "matmulReducedAxis",
    "IF Matmul or (FC with dynamic weights): OFM depth": "matmulOFMDepth",
    "IF Matmul or (FC with dynamic weights): IFM precision": "matmulIFMPrecision",
    "IFM depth must be less than or equal to 127.": "argMaxDepth",
    "Operation must be performed along the depth axis.": "argMaxAxis",
    "IF IFM is Int32:": "transpose32Bit",
    "IF IFM is Int8 or Int16": "transpose8And16Bit",
    "IF not (IFM H == IFM W == 1)": "resize",
    "IF NOT (IFM H == IFM W == 1)": "resize",
    "32-bit feature-maps are not supported.": "reject32BitPrecision",
    "64-bit feature-maps are not supported.": "reject64BitPrecision",
    "Zero-points must be 0 for Int32": "constrainZeroPoints",
    "Stride values WxH must be: 1x1 OR 2x2": "transposeConvStrides",
    "align_corners and half_pixel_centers are mutually exclusive.": "resizeACHPC",
    "Scale-factor:": "resizeScaleFactor",
    "Scale-factor must be an integer power of two.": "resizeBilinearPowerOfTwo",
    "Shape tensor must be constant": "scatterShapeConst",
    "Index tensor must be constant": "scatterIndexConst",
    "Index tensor must have channel=1": "scatterIndexUnitChannel",
    "Index tensor elements must be unique": "scatterIndexUniqueElements",
    "axis must be equal to batch_dims": "gatherAxis",
    "IFM Zero-points must be in the range:": "ifmZeroPoints",
    "OFM Zero-points must be in the range:": "ofmZeroPoints",
    "Unsupported opType": "supported operators",
}
SAME_SHAPE = "IFM and OFM shapes must match"  # of three operators
SHAPES = {"GELU": "geluShapes", "ELU": "eluShapes", "LOG": "logShapes"}
# Documented for operators without a kernel, where it cannot be broken.
NO_KERNEL = {"ARG_MAX", "FULLY_CONNECTED", "SUM", "REDUCE_MAX", "REDUCE_MIN"}
# Rows of ours about what Vela's list has no constraint for: the activation of another operator, and operators that
# disappear in others.
OURS_ALONE = (
    "supported operators, of the activation",
    "supported operators, of those that use the variable",
    "supported operators, of the convolution between",
)
OURS_ALONE_OPS = {"VAR_HANDLE", "SPACE_TO_BATCH_ND", "BATCH_TO_SPACE_ND"}
# How Vela states what it checks of a whole network, and what our rows call it.
SEMANTICS = {
    "Constant tensors must not have empty buffers": "EmptyConstTensors",
    "Tensor Quantization scales must be finite": "TensQuantScale",
    "Input and Output tensors must have quantization scales": "QuantScaleInf",
    "IFM depth must be a whole multiple of the filter": "ConvGroupsIfmDepth",
    "Number of filter kernels must be equally divisible": "ConvGroupsNumFilters",
    "OFM depth must be a equal to IFM depth": "DepthwiseConvOfmDepth",
    "IFM and OFM types must match": "MatchingInOutTypes",
    "IFM and OFM types must match or upcast": "SoftmaxInOutTypes",
    "Beta attr must to be positive": "BetaValueRange",
    "IFM and OFM shapes must match": "MatchingShapes",
    "Split dim size must be in the interval": "SplitDim",
    "Size of dim to split must be divisible": "SplitNumSplits",
    "Only one size is allowed to be inferred": "SplitvInferred",
    "Axis must be in the interval": "AxisValid",
    "All Input ranks must match the OFM rank": "MatchingDimensionality",
    "All Input dimensions must match OFM dimension": "ValidDimensions",
    "Must have 4 input tensors": "StridedsliceInputCount",
    "Must have 2 input tensors": "PadInputCount",
    "Shape of OFM must equal the IFM shape plus padding": "PadOutputShape",
    "Both Input data types must match": "MatchingInputsTypes",
    "For IFM that are signed, OFM must also be signed": "MatchingSigned",
    "For IFM that are unsigned, OFM must either": "UnsignedValid",
    "IFM must be INT8 or INT16": "InputSigned",
    "IFM has to be 8bit": "Input8bit",
    "Params must be INT32 or UINT32": "Params32bit",
    "IFM2 must be INT16, INT32 or INT64": "GatherIndicesInput",
    "Permutation vector size must match IFM rank": "TransposeParamsInput",
    "At least one Input's shape must match the OFM's": "MatchingEitherShapes",
    "BatchMatMul inputs and output must have rank": "BatchMatMulRanks",
    "BatchMatMul output rank must match": "BatchMatMulRanks",
    "BatchMatMul input leading dimensions must be equal": "BatchMatMulBroadcastShapes",
    "BatchMatMul output leading dimensions must match": "BatchMatMulBroadcastShapes",
    "Input and output quantisation must match": "MatchingInOutQuant",
    "IFM and OFM ranks must match": "KeepDimIfmOfm",
    "Input and output number of elements must match": "MatchingInOutElements",
    "IFM and OFM must have 3D shape": "LstmInputRank",
    "Must have 24 input const tensors": "LstmInputs",
    "Must have 5 intermediate tensors": "LstmIntermediates",
}
# Vela does not read models that break the first two, or say "no axis", or permute more dimensions than there are.
NOT_SHOWN = {
    ("ethosu.has_input", "broken"),
    ("ethosu.has_output", "broken"),
    ("ethosu.reverse_v2.axis", "kept"),
    ("ethosu.transpose.permutation", "broken"),
}


def constraint_of(documentation, op):
    if documentation == SAME_SHAPE:
        return "supported." + SHAPES[op]
    name = max((d for d in DOCUMENTED if documentation.startswith(d)), key=len, default=None)
    if name is None:
        return "? " + documentation.split("\n")[0]
    return DOCUMENTED[name] if " " in DOCUMENTED[name] else "supported." + DOCUMENTED[name]


def semantic_of(text, op):
    name = max((t for t in SEMANTICS if text.startswith(t)), key=len, default=None)
    if name and op == "ARG_MAX" and SEMANTICS[name] == "MatchingSigned":
        return "semantic.ArgmaxOutput"
    return "semantic." + SEMANTICS[name] if name else "? " + text


COMPILED = "ethos-u"  # Vela passes on what it compiled before; here it is placed, or compiled for another accelerator

# broken: what Vela calls the rules
Verdict = collections.namedtuple("Verdict", "op broken rules dropped problem", defaults=(False, None))


class Ours:
    """Verdicts of the command line under test, and what its rules mirror."""

    def __init__(self, command, jobs):
        self.command, self.jobs, self.listed = Ethosu(command), jobs, {}
        self.constraint, self.limits = {}, {}
        for accelerator in ACCELERATORS:
            report = self.command._json("ops", "--backend", accelerator, "--profile", PROFILE, "--json")
            self.listed[accelerator] = {op["op"]: op["rules"] for op in report["operators"]}
            self.constraint[accelerator] = {r["rule"]: r["constraint"] for r in report["rules"]}
            self.limits[accelerator] = {r["rule"]: (r.get("lo"), r["hi"]) for r in report["rules"] if "hi" in r}

    def check(self, item):
        key, (model, accelerator) = item
        with tempfile.NamedTemporaryFile(suffix=".tflite") as f:
            f.write(model)
            f.flush()
            try:
                report = self.command._json("check", f.name, "--backend", accelerator, "--profile", PROFILE, "--json")
            except (RuntimeError, ValueError) as e:
                return key, str(e)
        return key, {
            (op["subgraph"], op["index"]): self._verdict(op, self.constraint[accelerator]) for op in report["ops"]
        }

    @staticmethod
    def _verdict(op, names):
        rules, problem = {r["rule"] for r in op["reasons"]}, None
        if op["placed"] != (not rules and not op["dropped"]):
            problem = "placed %s, dropped %s, %d reasons" % (op["placed"], op["dropped"], len(rules))
        if any(not r[field] for r in op["reasons"] for field in ("rule", "text", "got", "limit", "hint")):
            problem = "a reason says nothing: %s" % op["reasons"]
        return Verdict(op["op"], {names.get(r, r) for r in rules}, rules, op["dropped"], problem)

    def check_all(self, todo):
        with ThreadPoolExecutor(self.jobs) as pool:
            return dict(pool.map(self.check, todo.items()))


def compare_rules(score, ours, oracle):
    for accelerator, family in ACCELERATORS.items():
        theirs = {k.replace("ARGMAX", "ARG_MAX"): v for k, v in oracle.constraints[family].items()}
        listed = ours.listed[accelerator]
        odd = set(theirs) ^ (set(listed) - OURS_ALONE_OPS)
        score.check("%s lists %d operators" % (accelerator, len(theirs)), str(sorted(odd)) if odd else None)
        for op in sorted(set(theirs) & set(listed)):
            want = {constraint_of(d, op) for d in theirs[op]}
            if op in NO_KERNEL:
                want.discard("supported.kernelStride")
            have = {ours.constraint[accelerator][r] for r in listed[op]}
            have = {c for c in have if c not in OURS_ALONE and not c.startswith("semantic.")}
            score.check(
                "%s %s" % (accelerator, op),
                None if have == want else "lacks %s, adds %s" % (sorted(want - have), sorted(have - want)),
            )


def differences(ours, placement):
    """What is said differently of operators, one text for each."""
    wrong = []
    for key, their in sorted(placement.ops.items()):
        op, broken = ours[key].op, ours[key].broken
        if op == COMPILED:
            continue
        if ours[key].problem:
            wrong.append("%s %s: %s" % (key, op, ours[key].problem))
        if their.dropped is not None and their.placed is not True and their.dropped != ours[key].dropped:
            wrong.append(
                "%s %s: we say %s; it is %s the file"
                % (key, op, "dropped" if ours[key].dropped else "not dropped", "not in" if their.dropped else "in")
            )
        if their.placed is None:
            continue
        if any(b.startswith("semantic.") for b in broken):
            wrong.append("%s %s breaks %s, yet the network is read" % (key, op, sorted(broken)))
        elif their.placed != (not broken):
            wrong.append("%s %s: we say %s; Vela says %s" % (key, op, sorted(broken) or "yes", their.reasons or "yes"))
        elif not their.placed:
            missing = {constraint_of(r, op) for r in their.reasons} - broken
            if missing and not excused(op, missing, broken):
                wrong.append("%s %s: %s is not among our reasons %s" % (key, op, sorted(missing), sorted(broken)))
    return wrong


def compare_ops(ours, placement):
    """None when every operator is on the same side and refused for what Vela says."""
    if set(ours) != set(placement.ops):
        return "%d operators instead of %d" % (len(ours), len(placement.ops))
    wrong = differences(ours, placement)
    silent = sum(v.placed is False and not v.reasons for v in placement.ops.values())
    if silent > placement.unnamed:
        wrong.append("%d refusals without a reason" % silent)
    return "%d of %d differ: %s" % (len(wrong), len(ours), "; ".join(wrong[:4])) if wrong else placement.odd


def excused(op, missing, broken):
    """May Vela say this of an operator, although we say something else? It may speak of the activation that it has
    split off (of operators not in its list, too), says nothing special of operators that disappear in others, and
    gives an operator without outputs one of no type."""
    return (
        "supported operators" in broken
        or (OURS_ALONE[0] in broken and missing <= ACTIVATION)
        or (op in OURS_ALONE_OPS and broken & set(OURS_ALONE))
        or "supported.mustHaveOFM" in broken
    )


ACTIVATION = {
    "supported." + c
    for c in ("reject32BitPrecision", "perAxisQuant", "constrainZeroPoints", "ifmZeroPoints", "ofmZeroPoints")
} | {"supported operators"}


def compare_semantics(ours, placement):
    """A network that Vela does not read, because of one operator: None when we refuse that one for the same."""
    text, key = placement.semantics
    if key not in ours:
        return "Vela stops at what we do not know: %s" % text
    name = semantic_of(text, ours[key].op)
    return (
        None
        if ours[key].broken & {name, "supported operators"}
        else "%s: %s is not among our reasons %s" % (key, name, sorted(ours[key].broken))
    )


def compare_networks(score, ours, oracle, folder):
    todo = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.tflite"))):
        with open(path, "rb") as f:
            model = f.read()
        for accelerator in ACCELERATORS:
            todo[(os.path.basename(path)[: -len(".tflite")], accelerator)] = (model, accelerator)
    verdicts, equal, total = ours.check_all(todo), collections.Counter(), 0
    for key, placement in sorted(oracle.place(todo), key=lambda p: p[0]):
        name = "%s %s" % key
        if placement.why and not placement.semantics:
            score.skip(name, placement.why)
        elif isinstance(verdicts[key], str):
            score.check(name, verdicts[key])
        elif placement.semantics:
            score.skip(name, placement.why)
            score.check(name + " is not read", compare_semantics(verdicts[key], placement))
        else:
            problem = compare_ops(verdicts[key], placement)
            score.check(name, problem)
            equal[key[1]] += problem is None
            total += len(placement.ops)
            dead = sum(v.placed is None for v in placement.ops.values())
            if dead:
                print("left out %s: %d operators no output depends on" % (name, dead))
    counts = ", ".join("%s: %d networks equal" % e for e in sorted(equal.items()))
    print("%s; %d verdicts on operators" % (counts, total))


def compare_operators(score, ours, oracle, every):
    """U65 has U55's rules."""
    todo, left_out = {}, collections.Counter()
    for i, (name, model, _, _, _) in enumerate(ops.all_cases("")):
        if i % every == 0:
            todo.update({(name, a): (model, a) for a in ACCELERATORS if a != "ethos-u65-256"})
    oracle.vela.timeout = 3
    verdicts = ours.check_all(todo)
    for key, placement in sorted(oracle.place(todo), key=lambda p: p[0]):
        mine = verdicts[key]
        if isinstance(mine, str) or (placement.why and not placement.semantics):
            left_out[placement.why if not isinstance(mine, str) else mine.split("[")[-1]] += 1
            continue
        score.check("%s %s" % key, (compare_semantics if placement.semantics else compare_ops)(mine, placement))
    for why, n in sorted(left_out.items()):
        score.skip("%d conformance cases" % n, why)


def limit_cases(ours):
    """{(rule, side, what, accelerator): (model, accelerator)}; side: "kept" or "broken", what is done to the rule."""
    numeric, cases = {}, []
    for accelerator in ACCELERATORS:
        for rule, (lo, hi) in ours.limits[accelerator].items():
            numeric[rule] = (lo, hi)
    for rule, (lo, hi) in sorted(numeric.items()):
        make = placement_cases.NUMERIC.get(rule)
        values = {hi - 1, hi, hi + 1} | ({lo, lo - 1} if lo is not None else set())
        for v in sorted(v for v in values if make and v > 0):
            v = next((x for x in range(v, v + 9) if placement_cases.makes(rule, x)), None)
            if v is None:
                continue
            cases.append((rule, "kept" if (lo is None or lo <= v) and v <= hi else "broken", str(v), make(v)))
    for n, (rule, kept, broken) in enumerate(placement_rules.plain()):
        for side, models in (("kept", kept), ("broken", broken)):
            cases += [(rule, side, "%d.%d" % (n, i), m) for i, m in enumerate(models)]
    return {(rule, side, what, a): (model, a) for rule, side, what, model in cases for a in ACCELERATORS}


def stated(placement, verdicts):
    """What Vela says that is broken, in our names."""
    if placement.semantics:
        key = placement.semantics[1]
        return {semantic_of(placement.semantics[0], verdicts[key].op)} if key in verdicts else set()
    return {constraint_of(r, verdicts[k].op) for k, v in placement.ops.items() for r in v.reasons}


def compare_limits(score, ours, oracle):
    todo = limit_cases(ours)
    verdicts, seen, left_out = ours.check_all(todo), collections.defaultdict(set), collections.defaultdict(list)
    oracle.vela.timeout = 3  # these are about what Vela says before it compiles
    for key, placement in sorted(oracle.place(todo), key=lambda p: p[0]):
        rule, side, _, accelerator = key
        name, mine = " ".join(key), verdicts[key]
        if isinstance(mine, str):
            score.check(name, mine)
            continue
        given = any(rule in v.rules for v in mine.values())
        in_force = rule in ours.constraint[accelerator]
        if in_force and given != (side == "broken"):
            score.check(name, "the rule is %s" % ("given" if given else "not given: %s" % sorted(mine.values())))
            continue
        if placement.why and not placement.semantics:
            left_out[(rule, side, placement.why)].append("%s %s" % key[2:])
            continue
        score.check(name, (compare_semantics if placement.semantics else compare_ops)(mine, placement))
        names = {ours.constraint[accelerator][r] for r in [rule] if in_force}
        if side == "kept" and not names & stated(placement, mine):
            seen[(rule, accelerator)].add("kept")
        if side == "broken" and (
            names & stated(placement, mine) or names & set(OURS_ALONE) or (placement.unnamed and given)
        ):
            seen[(rule, accelerator)].add("broken")
    for (rule, side, why), which in sorted(left_out.items()):
        score.skip("%s %s (%s)" % (rule, side, ", ".join(which)), why)
    for accelerator in ACCELERATORS:
        for rule in sorted(ours.constraint[accelerator]):
            for side in ("kept", "broken"):
                if side not in seen[(rule, accelerator)] and (rule, side) not in NOT_SHOWN and rule != NOT_LISTED:
                    score.check("%s %s" % (rule, accelerator), "no model shows it " + side)


NOT_LISTED = "ethosu.operator_not_listed"  # the networks show that one


def arguments():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--command", default=os.path.join(REPO, "build", "npu_rt"))
    p.add_argument("--shared", default=SHARED, help="folder with models/")
    p.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    p.add_argument("--only", choices=["rules", "networks", "operators", "limits"])
    p.add_argument("--every", type=int, default=16, help="conformance cases: one in so many")
    p.add_argument("--cache", help="folder that keeps what Vela said, from run to run")
    return p.parse_args()


def compare(a, score, ours, oracle):
    if a.only in (None, "rules"):
        compare_rules(score, ours, oracle)
    if a.only in (None, "networks"):
        compare_networks(score, ours, oracle, os.path.join(a.shared, "models"))
    if a.only in (None, "operators"):
        compare_operators(score, ours, oracle, a.every)
    if a.only in (None, "limits"):
        compare_limits(score, ours, oracle)


def main():
    a, score = arguments(), Score("ethosu placement")
    with tempfile.TemporaryDirectory() as tmp:
        try:
            oracle = placement_vela.Oracle(jobs=a.jobs, folder=a.cache or tmp, timeout=60)
        except vela.VelaMissing as e:
            print("left out ethosu placement: %s" % e)
            return 0
        compare(a, score, Ours(a.command, a.jobs), oracle)
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
