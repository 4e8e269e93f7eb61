#!/usr/bin/env python3
"""Every Ethos-U rule on both sides of its limit: one-op models, and whether `npu_rt check` gives that reason.

Rules with numeric limits get models at limit - 1, limit and limit + 1, made from the rows themselves; the others have
cases. Each is tried under every profile that has the rule."""

import re
import sys

import ethosu_cases
import ethosu_cases_vela
import ethosu_cases_vela52
import ethosu_numbers
from ethosu import PROFILES, Ethosu, arguments
from ethosu_models import conv
from runner import Score

EVERY_GROUP = [*ethosu_cases.GROUPS, *ethosu_cases_vela.GROUPS, *ethosu_cases_vela52.GROUPS]
GENERATORS = {**ethosu_numbers.GENERATORS, **ethosu_cases_vela52.GENERATORS}
IMPERATIVE = re.compile(r"[A-Z][a-z]+ .*\.$")


class Tester:
    def __init__(self, ethosu, score, backend, profile):
        self.ethosu, self.score, self.backend, self.profile = ethosu, score, backend, profile
        self.rules = {r["rule"]: r for r in ethosu.ops(profile, backend)["rules"]}
        self.tried = {}

    def case(self, rule, name, model, got):
        """`got`: the measured value, or None where the rule must be kept."""
        label = "%s %s %s %s" % (self.backend, self.profile, rule, name)
        self.tried.setdefault(rule, set()).add(got is None)
        try:
            ops = self.ethosu.check(model, self.profile, self.backend)["ops"]
        except (RuntimeError, ValueError) as e:
            self.score.check(label, str(e))
            return
        op = next((op for op in ops if any(r["rule"] == rule for r in op["reasons"])), ops[0])
        reasons = {r["rule"]: r for r in op["reasons"]}
        problem = None
        if len(reasons) != len(op["reasons"]) or op["placed"] == bool(reasons):
            problem = "placed %s with reasons %s" % (op["placed"], op["reasons"])
        elif (rule in reasons) != (got is not None):
            problem = "is not given" if got is not None else "is given: got " + reasons[rule]["got"]
        elif got is not None and str(got) not in reasons[rule]["got"]:
            problem = "got %s instead of %s" % (reasons[rule]["got"], got)
        elif got is not None and any(
            reasons[rule][k] != self.rules[rule][k] for k in ("text", "limit", "hint", "source")
        ):
            problem = "differs from the supported-ops report"
        self.score.check(label, problem)

    def boundary(self, row):
        """Limits come from the row; models from the generator of that rule."""
        rule, make = row["rule"], GENERATORS.get(row["rule"])
        if make is None:
            self.score.check("%s %s %s" % (self.backend, self.profile, rule), "no generator for this numeric rule")
            return
        low, high = row.get("lo", -float("inf")), row["hi"]
        values = {v for end in (row.get("lo"), high) if end is not None for v in (end - 1, end, end + 1)}
        for v in sorted(values):
            model = make(v)
            if model is not None:
                self.case(rule, "at %d" % v, model, None if low <= v <= high else v)

    def run(self):
        for row in self.rules.values():
            if "hi" in row:
                self.boundary(row)
        for group in EVERY_GROUP:
            for rule, name, model, got, *only in group():
                if rule in self.rules and (not only or only[0] == self.profile):
                    self.case(rule, name, model, got)
        for rule, row in self.rules.items():
            label = "%s %s %s" % (self.backend, self.profile, rule)
            both = self.tried.get(rule) == {False, True}
            self.score.check("both sides of " + label, None if both else "lacks a case")
            self.score.check(
                "hint of " + label,
                None
                if IMPERATIVE.match(row["hint"]) and len(row["hint"]) < 100
                else "is no short imperative sentence: %r" % row["hint"],
            )


def check_all_reported(score, ethosu):
    """One op that breaks many rules at once: each is a reason, in the order of the table."""
    model = conv(
        "CONV_2D", (65, 65), stride=(4, 0), dilation=(3, 3), batch=2, weight_dtype="int16", constant=False, bias="int64"
    )
    got = [r["rule"] for r in ethosu.check(model)["ops"][0]["reasons"]]
    want = ["ethosu.tensor_type_int8"] + [
        "ethosu.conv_2d." + r
        for r in (
            "stride_1_3",
            "dilation_1_2",
            "dilated_height_1_64",
            "dilated_product_1_4096",
            "weights_8bit",
            "weights_constant",
            "bias_int32",
            "batch_1",
        )
    ]
    score.check("all reasons", None if got == want else "got %s" % got)


def main():
    a = arguments(__doc__.split("\n")[0])
    ethosu, score = Ethosu(a.command), Score("ethosu rules")
    seen = set()
    for backend, profile in PROFILES:
        tester = Tester(ethosu, score, backend, profile)
        seen |= set(tester.rules)
        tester.run()
    check_all_reported(score, ethosu)
    unknown = (set(GENERATORS) | {case[0] for group in EVERY_GROUP for case in group()}) - seen
    score.check("cases without a rule", None if not unknown else str(sorted(unknown)))
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
