#!/usr/bin/env python3
"""Networks of one or a few operators, compiled by Vela and run by the software device, against BUILTIN_REF bit for bit.

    single_op.py --library build/test/libnpu_rt.so [--configs NAME,NAME] [--only SUBSTRING] [--inputs N] [--jobs N]
                 [--sample SEED]

The networks: every case of tests/conformance that has an operator Vela knows and no floats, and those of cases.py and
chains.py. What Vela leaves to the CPU or fails on is counted in one line; every operator that Vela knows must reach the
NPU in some case. --sample compiles one case in six, each for one accelerator; in full where known.py speaks of the case,
and until each operator has been compiled for each accelerator."""

import argparse
import collections
import os
import re
import shlex
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "conformance"))

import numpy as np

import cases
import chains
import forks
import known
from binding import Library, NpuError, Session
from mkmodel import Builder, oracle_session, schema
from ops import all_cases
from runner import REPO, Score, difference
from sample import Sample, add_option
from vela import CONFIGS, Request, Vela, VelaMissing

BUILTINS = {v: k for k, v in vars(schema.BuiltinOperator).items() if isinstance(v, int)}
NAMES = {"ARGMAX": "ARG_MAX"}  # Vela's spelling: the format's
TYPES = schema.TensorType
# Without quantization Vela refuses 8 and 16 bits. Equal scales everywhere keep what the operator means.
PLAIN_Q = {TYPES.INT8: (0.05, 3), TYPES.UINT8: (0.05, 131), TYPES.INT16: (2e-4, 0)}
ACTIVATIONS = {TYPES.INT8: np.int8, TYPES.UINT8: np.uint8, TYPES.INT16: np.int16, TYPES.INT32: np.int32}
ORACLE_OF = {"ELU": "tflm"}  # where BUILTIN_REF has no integer kernel
NEVER = {"REVERSE_V2"}  # Vela takes it with no axis to reverse only, and then refuses the empty list of axes
TAME = {"ADD", "SUB", "MUL", "SUM"}
FLOATS = (TYPES.FLOAT32, TYPES.FLOAT16, TYPES.FLOAT64, TYPES.COMPLEX64, TYPES.RESOURCE)

Case = collections.namedtuple("Case", "name model runs oracle ops dtype row")
Task = collections.namedtuple("Task", "case compiled library inputs")  # compiled: {config: path}


def op_names(model):
    """A Counter of the operators of all subgraphs."""
    found = collections.Counter()
    for i in range(model.SubgraphsLength()):
        sg = model.Subgraphs(i)
        for k in range(sg.OperatorsLength()):
            c = model.OperatorCodes(sg.Operators(k).OpcodeIndex())
            code = max(c.BuiltinCode(), c.DeprecatedBuiltinCode())
            found[c.CustomCode().decode() if code == 32 else BUILTINS[code]] += 1
    return found


def loses_an_output(model):
    """Whether an output of the main graph is written by nobody, neither an input nor stored."""
    sg = model.Subgraphs(0)
    written = {t for k in range(sg.OperatorsLength()) for t in sg.Operators(k).OutputsAsNumpy().ravel()}
    written |= set(sg.InputsAsNumpy().ravel())
    left = set(sg.OutputsAsNumpy().ravel()) - written
    return any(model.Buffers(sg.Tensors(int(t)).Buffer()).DataLength() == 0 for t in left)


def prepared(name, model, runs, oracle, wanted):
    """A case for Vela, or None: integers only, an operator that Vela knows, what Vela insists on filled in."""
    packed = schema.Model.GetRootAs(model, 0)
    ops = op_names(packed)
    if packed.SubgraphsLength() != 1 or not wanted & set(ops):
        return None
    sg = packed.Subgraphs(0)
    types = [sg.Tensors(i).Type() for i in range(sg.TensorsLength())]
    if any(t in FLOATS for t in types) or not sg.InputsLength() or types[sg.Inputs(0)] not in ACTIVATIONS:
        return None
    b = Builder()
    b.model = schema.ModelT.InitFromObj(packed)
    changed = False
    for t in b.model.subgraphs[0].tensors:
        if t.type in PLAIN_Q and (t.quantization is None or t.quantization.scale is None):
            t.quantization = schema.QuantizationParametersT()
            t.quantization.scale = np.array([PLAIN_Q[t.type][0]], np.float32)
            t.quantization.zeroPoint = np.array([0 if "NEG" in ops else PLAIN_Q[t.type][1]], np.int64)
            changed = True
    for o in b.model.subgraphs[0].operators:
        if "UNIDIRECTIONAL_SEQUENCE_LSTM" in ops and o.intermediates is None:
            o.intermediates, changed = [], True
    runs = runs if runs and isinstance(runs[0], (list, tuple)) else [runs]
    runs = [[tamed(ops, np.asarray(a)) for a in inputs] for inputs in runs]
    dtype = np.dtype(ACTIVATIONS[types[sg.Inputs(0)]]).name
    model = b.bytes() if changed else model
    row = known.row_of(model)
    oracle = oracle or next((ORACLE_OF[op] for op in ops if op in ORACLE_OF), "litert_ref")
    if row is not None and known.ROWS[row].oracle:
        oracle = known.ROWS[row].oracle
    return Case(name, model, runs, oracle, ops, dtype, row)


def tamed(ops, a):
    """Values without overflow: the reference wraps around, the hardware need not."""
    if a.dtype == np.int32 and TAME & set(ops):
        return a >> 16
    return np.maximum(a, np.iinfo(a.dtype).min + 1).astype(a.dtype) if "NEG" in ops and a.dtype.kind == "i" else a


def collect(only, operators):
    wanted = {NAMES.get(o, o) for o in operators}
    own = [(n, m, r, None) for make in (cases.cases, chains.cases) for n, m, r in make() if only in n]
    theirs = [(n, m, r, oracle) for n, m, r, oracle, _ in all_cases(only)]
    found = [prepared(*c, wanted) for c in own + theirs]
    return [c for c in found if c], wanted


def sampled(found, configs, sample, wanted):
    """{case: its configurations}, for cases with any."""
    touched, chosen = collections.defaultdict(set), {}
    for c in found:
        kinds = [(op, c.dtype) for op in wanted & set(c.ops)]
        must_differ = c.row is not None and (known.ROWS[c.row].within or not known.ROWS[c.row].oracle)
        mine = configs
        if sample.seed:
            new = [x for x in configs if any(x not in touched[k] for k in kinds)]
            mine = sample.ranked(c.name, configs if must_differ or sample.number(c.name) % 6 == 0 else new)[:1]
        for k in kinds:
            touched[k].update(mine)
        sample.taken, sample.left = sample.taken + len(mine), sample.left + len(configs) - len(mine)
        if mine:
            chosen[c.name] = mine
    return chosen


def compile_all(found, vela, chosen, options, done):
    """Compiles cases for the configurations in chosen: adds to done what came of it. What the first configuration of a
    case leaves to the CPU, its others are not asked for."""
    by_name, k = {c.name: c for c in found}, 0
    asked = [c for c in found if c.name in chosen]
    while asked:
        for r, result in vela.compile([Request(c.name, c.model, chosen[c.name][k], options) for c in asked]):
            if result.path is None:
                done.reasons["Vela %s" % re.sub(r"^exit \d+: (\w+Error: )?", "fails: ", result.why)] += 1
                continue
            with open(result.path, "rb") as f:
                compiled = schema.Model.GetRootAs(f.read(), 0)
            left = op_names(compiled)
            if loses_an_output(compiled):  # one that a TRANSPOSE or RESHAPE reads as well
                done.reasons["Vela loses an output"] += 1
                continue
            if not left["ethos-u"]:
                done.reasons["left to the CPU"] += 1
                continue
            done.paths[r.name][r.config] = result.path
            for op in by_name[r.name].ops - left:
                done.reached[op].add(by_name[r.name].dtype)
        k += 1
        asked = [c for c in asked if c.name in done.paths and k < len(chosen[c.name])]


class Compiled:
    """paths: {case: {config: path}} of what has an operator for the NPU; reasons: why the others have none; reached: the
    types with which an operator got there."""

    def __init__(self):
        self.paths, self.reasons = collections.defaultdict(dict), collections.Counter()
        self.reached = collections.defaultdict(set)


def random_runs(case, n):
    """Full-range inputs; 32-bit ones stay, for they may be indices."""
    rng = np.random.default_rng(len(case.model))
    for _ in range(n):
        yield [
            a if a.dtype == np.int32 or a.dtype == np.int64 else tamed(case.ops, cases.values(rng, a.shape, a.dtype))
            for a in case.runs[0]
        ]


def check(task, stage):
    """[(config, problem or None, whether it equals)], or a text: why there is nothing to compare with."""
    case = task.case
    stage("library")
    library = Library(task.library)
    stage("oracle")
    try:
        oracle = oracle_session(case.oracle, case.model)
        sequences = [(case.runs, [oracle.run(inputs) for inputs in case.runs])]
    except Exception as e:  # the oracles raise many types
        return "the oracle refuses: " + str(e).strip().splitlines()[-1][:100]
    for inputs in random_runs(case, task.inputs):
        try:
            expected = oracle_session(case.oracle, case.model).run(inputs)
        except Exception:  # values outside of what the operator is defined for
            break
        sequences.append(([inputs], [expected]))
    results = []
    within = None if case.row is None else known.ROWS[case.row].within
    for config, path in task.compiled.items():
        stage(config)
        with open(path, "rb") as f:
            compiled = f.read()
        results.append((config, *compare(library, compiled, sequences, within)))
    return results


def compare(library, compiled, sequences, within):
    """(problem or None, whether everything is equal)."""
    equal = True
    for k, (runs, expected) in enumerate(sequences):
        try:
            session = Session(library, compiled)
            try:
                for i, (inputs, outputs) in enumerate(zip(runs, expected)):
                    ours = session.run(inputs)
                    problem = difference(ours, outputs, None)
                    most = farthest(ours, outputs)
                    equal = equal and not problem
                    if problem and (within is None or most is None or most > within):
                        text = "inputs %d, run %d: %s" % (k, i, problem)
                        return text if most is None else text + ", by %d at most" % most, False
            finally:
                session.close()
        except NpuError as e:
            return str(e), False
    return None, equal


def farthest(ours, theirs):
    """The largest difference of two lists of integer arrays; None when they cannot be compared."""
    if [a.shape for a in ours] != [b.shape for b in theirs]:
        return None
    return max(int(np.abs(a.astype(np.int64) - b.astype(np.int64)).max(initial=0)) for a, b in zip(ours, theirs))


class Judge:
    def __init__(self, score, reasons):
        self.score, self.reasons = score, reasons
        self.seen, self.differ = collections.Counter(), collections.Counter()

    def take(self, case, results):
        row = None if case.row is None else known.ROWS[case.row]
        label = "%s (%s)" % (case.name, ", ".join(sorted(case.ops)))
        if isinstance(results, forks.Died) and results.stage != "oracle":
            self.score.check("%s [%s]" % (label, results.stage), results.text)
            return
        if not isinstance(results, list):
            self.reasons["no oracle"] += 1
            return
        for k, (config, problem, equal) in enumerate(results):
            self.seen[case.row] += 1
            self.differ[case.row] += not equal
            if row is None or row.oracle or row.within:
                self.score.check("%s [%s]" % (label, config), problem)
            else:
                self.reasons[row.why] += k == 0

    def close(self):
        """Rows that no case needs any more."""
        for i in sorted(set(self.seen) - {None}):
            row = known.ROWS[i]
            if row.within or not row.oracle:
                print("%s: %d of %d differ" % (row.why, self.differ[i], self.seen[i]))
                self.score.check("known: " + row.why, None if self.differ[i] else "no case differs any more")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--library", default=os.path.join(REPO, "build", "test", "libnpu_rt.so"))
    p.add_argument("--configs", default="ethos-u55-128,ethos-u65-512", help="comma-separated, or all")
    p.add_argument("--only", default="")
    p.add_argument("--inputs", type=int, default=2, help="random inputs beside those of the case")
    p.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    p.add_argument("--fresh", action="store_true", help="compile again what was compiled before")
    p.add_argument("--vela", default="", help='more options for Vela, as in --vela="--optimise Size"')
    p.add_argument("--title", default="ethos-u single ops")
    add_option(p)
    a = p.parse_args()
    score, sample = Score(a.title), Sample(a.sample)
    try:
        vela = Vela(a.jobs, fresh=a.fresh)
    except VelaMissing as e:
        score.check("Vela", str(e))
        return score.close()
    configs = CONFIGS if a.configs == "all" else a.configs.split(",")
    options, done = tuple(shlex.split(a.vela)), Compiled()
    found, wanted = collect(a.only, vela.operators)
    if len({c.name for c in found}) != len(found):
        score.check("names", "two cases have one name")
    chosen = sampled(found, configs, sample, wanted)
    compile_all(found, vela, chosen, options, done)
    missing = wanted - NEVER - set(done.reached)
    if sample.seed and missing:  # Vela took none of the sampled cases of an operator
        more = {c.name: configs[:1] for c in found if c.name not in chosen and missing & set(c.ops)}
        compile_all(found, vela, more, options, done)
    tasks = [Task(c, done.paths[c.name], os.path.abspath(a.library), a.inputs) for c in found if c.name in done.paths]
    judge = Judge(score, done.reasons)
    for task, results in forks.run(tasks, check, a.jobs):
        judge.take(task.case, results)
    if not a.only:
        for op in sorted(wanted - set(NEVER)):
            score.check("coverage of " + op, None if done.reached[op] else "no case reaches the NPU")
        judge.close()
        print(
            "reached the NPU: "
            + "; ".join("%s %s" % (op, "/".join(sorted(t))) for op, t in sorted(done.reached.items()))
        )
    sample.report(a.title, "pairs of a case and an accelerator")
    if done.reasons:
        print(
            "left out %s: %d of %d, %s"
            % (
                a.title,
                sum(done.reasons.values()),
                len(found),
                ", ".join("%d %s" % (n, why) for why, n in done.reasons.most_common()),
            )
        )
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
