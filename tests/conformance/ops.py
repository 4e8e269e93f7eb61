#!/usr/bin/env python3
"""Every operator case (ops_*.py beside this file) against its live oracle, through the header as a shared library.

    ops.py --library build/test/libnpu_rt.so [--isa NAME|all] [--threads N[,N]] [--only SUBSTRING] [--sample SEED]

The best ISA runs with each number of threads, the others with the first. --sample runs each case in one of these ways, and
every operator in each of them at least once. Also proves that every operator of src/ops/ops.h has at least one case, and
every row of rows.txt (operator x type) at least three, none of which fails; --matrix FILE writes that as Markdown."""

import argparse
import collections
import glob
import importlib
import os
import re
import sys

from binding import Library, NpuError, Session
from circle import CODES
from isolated import OracleError, Oracles
from mkmodel import schema
from runner import REPO, Score, difference
from sample import Sample, add_option
from variants import Table

BUILTINS = {v: k for k, v in vars(schema.BuiltinOperator).items() if isinstance(v, int)}
CIRCLE = {v: k for k, v in CODES.items()}


def holds(name, part):
    """Whether a case's name holds this; slashes and underscores are alike."""
    return part.replace("/", "_") in name.replace("/", "_")


def modules():
    here = os.path.dirname(os.path.abspath(__file__))
    return sorted(os.path.basename(path)[:-3] for path in glob.glob(os.path.join(here, "ops_*.py")))


def all_cases(only, names=None, circle=False):
    """Those whose models are Circle files only for who asks for them: the readers of many tests know TFLite alone."""
    for module in map(importlib.import_module, names or modules()):
        for name, model, runs, oracle, tolerance in module.cases():
            if holds(name, only) and (circle or bytes(model[4:8]) == b"TFL3"):
                sequence = runs if runs and isinstance(runs[0], (list, tuple)) else [runs]
                yield name, bytes(model), sequence, oracle, tolerance


def ops_of(model):
    m = schema.Model.GetRootAs(model, 0)
    for i in range(m.OperatorCodesLength()):
        c = m.OperatorCodes(i)
        code = max(c.BuiltinCode(), c.DeprecatedBuiltinCode())
        if model[4:8] == b"CIR0" and c.DeprecatedBuiltinCode() < 0:
            yield CIRCLE[c.DeprecatedBuiltinCode()]
            continue
        yield c.CustomCode().decode() if code == 32 else BUILTINS[code]


def rows():
    with open(os.path.join(REPO, "src", "ops", "ops.h")) as f:
        text = f.read()
    return re.findall(r'^\s*X\("?(\w+)"?,', text, re.M)


def run_ours(library, model, sequence, isa, threads):
    s = Session(library, model, isa, threads)
    try:
        return [s.run(inputs) for inputs in sequence]
    finally:
        s.close()


def ways_of(library, isa, threads):
    """{label: (ISA, number of threads)}: the best ISA with all numbers of threads, the others with the first."""
    known = library.isas()
    best = max(known.values())
    isas = known if isa == "all" else {"auto": 0} if isa == "auto" else {isa: known[isa]}
    ways = {}
    for name, number in isas.items():
        for n in threads if number in (0, best) else threads[:1]:
            ways[name if n == 1 else "%s, %d threads" % (name, n)] = (number, n)
    return ways


UNSUPPORTED = 4  # NPU_UNSUPPORTED, of npu_status


def check_case(score, oracles, library, ways, case):
    """Problems of a case, and how many of them are that we do not support it."""
    name, model, sequence, oracle, tolerance = case
    found, unsupported = [], 0

    def check(label, problem):
        score.check(label, problem)
        if problem:
            found.append("%s: %s" % (label, problem))

    try:
        expected = oracles.run(oracle, model, sequence)
    except OracleError as e:
        check(name, str(e))
        return found, unsupported
    for way, (isa, threads) in ways.items():
        label = "%s [%s]" % (name, way)
        try:
            ours = run_ours(library, model, sequence, isa, threads)
        except NpuError as e:
            unsupported += e.status == UNSUPPORTED
            check(label, str(e))
            continue
        problems = [difference(a, b, tolerance) for a, b in zip(ours, expected)]
        check(label, next((p for p in problems if p), None))
    return found, unsupported


def close_table(score, table, everything, matrix):
    """Says how many rows are proven; when everything ran, one that is not is a failure."""
    line, bad = table.summary()
    for row, why in bad.items() if everything else ():
        score.check("row " + row, why)
    print(line, flush=True)
    if matrix:
        with open(matrix, "w") as f:
            f.write(table.matrix() + "\n")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--library", default=os.path.join(REPO, "build", "test", "libnpu_rt.so"))
    p.add_argument("--isa", default="auto", help="a name, auto, or all that this machine has")
    p.add_argument("--threads", default="1", help="numbers, comma-separated")
    p.add_argument("--only", default="")
    p.add_argument("--files", default="", help="case files to look into, comma-separated: ops_conv")
    p.add_argument("--title", default="ops")
    p.add_argument("--matrix", metavar="FILE", default="", help="write the rows as Markdown")
    add_option(p)
    a = p.parse_args()
    library, score, sample = Library(a.library), Score(a.title), Sample(a.sample)
    ways = ways_of(library, a.isa, list(map(int, a.threads.split(","))))
    covered, touched = set(), collections.defaultdict(set)
    table, oracles = Table(), Oracles()
    for case in all_cases(a.only, list(filter(None, a.files.split(","))), circle=True):
        ops = set(ops_of(case[1]))
        covered |= ops
        new = [w for w in ways if any(w not in touched[op] for op in ops)]
        chosen = sample.pick(case[0], ways, always=new)
        for op in ops:
            touched[op].update(chosen)
        problems, unsupported = check_case(score, oracles, library, {w: ways[w] for w in chosen}, case)
        for row in table.case(case[0], case[1], case[3], case[4]):
            row.problems += problems
            row.unsupported += unsupported
    oracles.close()
    sample.report(a.title, "runs of a case with an instruction set and a number of threads")
    everything = not a.only and not a.files
    if everything:
        for op in rows():
            score.check("coverage of " + op, None if op in covered else "no case in tests/conformance/ops_*.py")
    close_table(score, table, everything, a.matrix)
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
