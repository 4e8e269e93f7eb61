#!/usr/bin/env python3
"""The cost estimate (`npu_rt cost`) against Vela's own, network by network, and facts that hold for any estimate.

usage: test_cost.py [--command COMMAND] [--shared DIR] [--share PERCENT] [--fresh]

Vela compiles networks (cost_nets.py: public ones, pieces of them, synthetic ones) for every accelerator and memory mode
that it takes, and says what it expects. Of the pairs of a network and a configuration a share is drawn from their names;
--share 100 takes all. The median of the absolute differences, and the share of them that is far off, must stay within
LIMITS for each family. Without Vela or the networks the table is left out, and said so."""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile

import cost_table
import vela

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.path.realpath(os.path.join(os.path.dirname(REPO), "shared"))
DIGITS = os.path.join(REPO, "examples", "digits", "digits_int8.tflite")
DIGITS_FLOAT = os.path.join(REPO, "examples", "digits", "digits_float32.tflite")
# Of each family: the largest median, and how many in a hundred may be off by more than cost_table.FAR.
LIMITS = {
    "u55": {"cycles": (0.01, 2), "sram": (0.01, 2), "store": (0.02, 2)},
    "u65": {"cycles": (0.01, 2), "sram": (0.01, 4), "store": (0.02, 3)},
    "u85": {"cycles": (0.01, 3), "sram": (0.01, 2), "store": (0.02, 2)},
}
FEWEST = 15  # of a family, with the default share: fewer mean that this test has gone blind
SHARE = 12  # percent
STRONGER = [["ethos-u55-32", "ethos-u55-64", "ethos-u55-128", "ethos-u55-256"], ["ethos-u65-256", "ethos-u65-512"]]
MODES = ["sram-only", "shared-sram", "dedicated-sram-256k", "dedicated-sram-384k", "dedicated-sram-512k"]


class Tests:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, ok, what):
        self.passed += bool(ok)
        self.failed += not ok
        if not ok:
            print("FAILED " + what, flush=True)
        return ok


class Plan:
    def __init__(self, command):
        self.prefix = shlex.split(command)

    def run(self, *args, stdin=b""):
        return subprocess.run(self.prefix + list(args), input=stdin, capture_output=True, timeout=600, cwd=REPO)

    def json(self, command, model, *args):
        p = self.run(command, model, *args, "--json")
        if p.returncode:
            raise RuntimeError("exit %d: %s" % (p.returncode, p.stderr.decode(errors="replace").strip()[-300:]))
        return json.loads(p.stdout)

    def plan(self, model, backend, *args):
        return self.json("cost", model, "--backend", backend, *args)


# ---- the table ----


def within_limits(t, measured, share):
    fewest = FEWEST * min(share, SHARE) // SHARE
    for fam, limits in LIMITS.items():
        for key, (largest, far) in limits.items():
            found = cost_table.of_family(measured, fam, key)
            name = "%s, %s" % (fam, key)
            if not t.check(len(found) >= fewest, "%s: only %d networks compared" % (name, len(found))):
                continue
            median, _, _ = cost_table.summary(found)
            beyond = 100 * cost_table.beyond(found, key) / len(found)
            t.check(
                median <= largest, "%s: the median is %.1f %%, allowed %.0f %%" % (name, 100 * median, 100 * largest)
            )
            t.check(beyond <= far, "%s: %.0f %% of the networks are far off, allowed %d %%" % (name, beyond, far))


def against_vela(t, args):
    try:
        measured, wrong = cost_table.measure(
            shlex.split(args.command), args.shared, cost_table.configurations(), share=args.share, fresh=args.fresh
        )
    except vela.VelaMissing as e:
        print("left out: the table against Vela: %s" % e)
        return
    cost_table.show(measured)
    for w in wrong:
        t.check(False, w)
    within_limits(t, measured, args.share)


# ---- what holds for any estimate ----


def consistent(t, name, report, info):
    """Sums, bounds and labels of one report."""
    s, ops = report["summary"], report["ops"]
    t.check(report["estimate"] is True and s["estimate"] is True, name + ": not labelled an estimate")
    t.check(s["macs"] == info["macs"], "%s: %d MACs, info says %d" % (name, s["macs"], info["macs"]))
    t.check(sum(o["macs"] for o in ops) == s["macs"], name + ": the ops' MACs do not add up")
    t.check(len(ops) == s["ops"] == info["ops"], name + ": ops are missing")
    on_npu = [o for o in ops if o["runs_on"] == "NPU"]
    t.check(sum(o["cycles"] for o in on_npu) == s["cycles"], name + ": the ops' cycles do not add up")
    t.check(all(o["cycles"] >= max(o["npu_cycles"], 1) for o in on_npu), name + ": an op takes no time")
    t.check(all(0 <= o["utilisation"] <= 1 for o in on_npu), name + ": more MACs than the units can do")
    t.check(all(o["sram_bytes"] <= s["sram_bytes"] for o in on_npu), name + ": more SRAM in use than at the peak")
    t.check(
        abs(s["seconds"] * report["clock_hz"] - s["cycles"]) <= 1e-5 * s["cycles"] + 1,
        name + ": seconds times clock are not the cycles",
    )


def slope(t, plan, name, path):
    for family in STRONGER:
        cycles = [
            plan.plan(path, a, "--memory-mode", "shared-sram", "--clock", "500")["summary"]["cycles"] for a in family
        ]
        for i in range(1, len(cycles)):
            t.check(
                cycles[i] <= cycles[i - 1],
                "%s: %s takes %d cycles, %s only %d" % (name, family[i], cycles[i], family[i - 1], cycles[i - 1]),
            )
    slow, fast = (plan.plan(path, "ethos-u55-128", "--clock", mhz) for mhz in ("250", "500"))
    t.check(slow["summary"]["cycles"] == fast["summary"]["cycles"], name + ": cycles depend on the clock")
    t.check(
        abs(slow["summary"]["seconds"] - 2 * fast["summary"]["seconds"]) <= 1e-4 * slow["summary"]["seconds"],
        name + ": half the clock is not twice the time",
    )
    by_mode = {m: plan.plan(path, "ethos-u55-128", "--memory-mode", m)["summary"] for m in MODES}
    t.check(by_mode["sram-only"]["store_bytes"] == 0, name + ": flash in use though all is in SRAM")
    t.check(by_mode["sram-only"]["cycles"] <= by_mode["shared-sram"]["cycles"], name + ": weights in SRAM are slower")
    for size in (256, 384, 512):
        s = by_mode["dedicated-sram-%dk" % size]
        t.check(s["sram_bytes"] <= size * 1024, "%s: %d bytes in a cache of %d KB" % (name, s["sram_bytes"], size))


def facts(t, plan, args):
    models = {"digits": DIGITS}
    for name in ("person_detect", "mobilenet_v2_1.0_224_quant", "kws_ref_model", "micro_speech_quantized"):
        path = os.path.join(args.shared, "models", name + ".tflite")
        if os.path.exists(path):
            models[name] = path
    for name, path in models.items():
        info = plan.json("info", path)
        for accelerator in vela.CONFIGS:
            report = plan.plan(path, accelerator)
            t.check(report["summary"]["cycles"] > 0, "%s, %s: 0 cycles" % (name, accelerator))
            consistent(t, "%s, %s" % (name, accelerator), report, info)
        slope(t, plan, name, path)
    text = plan.run("cost", DIGITS, "--backend", "ethos-u55-128").stdout.decode()
    t.check(
        text.startswith("ESTIMATE") and text.count("estimated") >= 3, "the text does not say that it is an estimate"
    )
    floats = plan.plan(DIGITS_FLOAT, "ethos-u55-128")
    t.check(floats["summary"]["cycles"] == 0 and floats["summary"]["ops_placed"] == 0, "float ops on the NPU")


def refusals(t, plan):
    def fails(code, rule, *args, stdin=b""):
        p = plan.run("cost", *args, stdin=stdin)
        text = p.stderr.decode(errors="replace")
        t.check(
            p.returncode == code and rule in text and not p.stdout,
            "%s: exit %d, %r" % (" ".join(args), p.returncode, text[-200:]),
        )

    fails(2, "--backend", DIGITS)
    fails(2, "unknown backend", DIGITS, "--backend", "ethos-u55-127")
    fails(2, "cost.accelerator", DIGITS, "--backend", "ethos-u")
    fails(2, "cost.accelerator", DIGITS, "--backend", "none")
    fails(2, "unknown rules", DIGITS, "--backend", "ethos-u55-128", "--rules", "nowhere")
    fails(2, "unknown memory mode", DIGITS, "--backend", "ethos-u55-128", "--memory-mode", "tape")
    for clock in ("0", "-1", "nan", "inf", "1e9", "fast", ""):
        fails(2, "--clock", DIGITS, "--backend", "ethos-u55-128", "--clock", clock)
    fails(3, "tflite.identifier", "-", "--backend", "ethos-u55-128", stdin=bytes(range(256)) * 4)
    with open(DIGITS, "rb") as f:
        whole = f.read()
    with tempfile.TemporaryDirectory() as folder:
        for n in range(8, len(whole), max(len(whole) // 60, 1)):
            path = os.path.join(folder, "cut.tflite")
            with open(path, "wb") as f:
                f.write(whole[:n])
            p = plan.run("cost", path, "--backend", "ethos-u55-128")
            t.check(p.returncode in (0, 3, 4), "the first %d bytes: exit %d" % (n, p.returncode))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--command", default=os.path.join(REPO, "build", "npu_rt"))
    p.add_argument("--shared", default=SHARED, help="folder with models/")
    p.add_argument("--share", type=int, default=SHARE, help="percent of the pairs of a network and a configuration")
    p.add_argument("--fresh", action="store_true", help="let Vela compile again what it compiled before")
    args = p.parse_args()
    t, plan = Tests(), Plan(args.command)
    facts(t, plan, args)
    refusals(t, plan)
    against_vela(t, args)
    print("%d passed, %d failed" % (t.passed, t.failed))
    return 1 if t.failed else 0


if __name__ == "__main__":
    sys.exit(main())
