#!/usr/bin/env python3
"""Every operator case (ops_*.py beside this file) against its live oracle, through the header as a shared library.

    ops.py --library build/test/libnpu_rt.so [--isa NAME|all] [--threads N] [--only SUBSTRING]

Also proves that every operator of src/ops/ops.h has at least one case."""
import argparse
import glob
import importlib
import os
import re
import sys

from binding import Library, NpuError, Session
from mkmodel import oracle_session, schema
from runner import REPO, Score, difference

BUILTINS = {v: k for k, v in vars(schema.BuiltinOperator).items() if isinstance(v, int)}


def all_cases(only):
    here = os.path.dirname(os.path.abspath(__file__))
    for path in sorted(glob.glob(os.path.join(here, "ops_*.py"))):
        module = importlib.import_module(os.path.basename(path)[:-3])
        for name, model, runs, oracle, tolerance in module.cases():
            if only in name:
                sequence = runs if runs and isinstance(runs[0], (list, tuple)) else [runs]
                yield name, bytes(model), sequence, oracle, tolerance


def ops_of(model):
    m = schema.Model.GetRootAs(model, 0)
    for i in range(m.OperatorCodesLength()):
        c = m.OperatorCodes(i)
        code = max(c.BuiltinCode(), c.DeprecatedBuiltinCode())
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


def check_case(score, library, isas, threads, case):
    name, model, sequence, oracle, tolerance = case
    try:
        session = oracle_session(oracle, model)
        expected = [session.run(inputs) for inputs in sequence]
    except Exception as e:  # the oracles raise many types
        score.check(name, "the oracle refuses the case: %s" % str(e)[:200])
        return
    for isa_name, isa in isas.items():
        label = name if len(isas) == 1 else "%s [%s]" % (name, isa_name)
        try:
            ours = run_ours(library, model, sequence, isa, threads)
        except NpuError as e:
            score.check(label, str(e))
            continue
        problems = [difference(a, b, tolerance) for a, b in zip(ours, expected)]
        score.check(label, next((p for p in problems if p), None))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--library", default=os.path.join(REPO, "build", "test", "libnpu_rt.so"))
    p.add_argument("--isa", default="auto", help="a name, auto, or all that this machine has")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--only", default="")
    p.add_argument("--title", default="ops")
    a = p.parse_args()
    library, score = Library(a.library), Score(a.title)
    isas = library.isas() if a.isa == "all" else {"auto": 0} if a.isa == "auto" else {a.isa: library.isas()[a.isa]}
    covered = set()
    for case in all_cases(a.only):
        covered.update(ops_of(case[1]))
        check_case(score, library, isas, a.threads, case)
    if not a.only:
        for op in rows():
            score.check("coverage of " + op, None if op in covered else "no case in tests/conformance/ops_*.py")
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
