#!/usr/bin/env python3
"""The cost estimate (`npu_rt plan`) against Vela's own, network by network, and facts that hold for any estimate.

usage: test_cost.py [--command COMMAND] [--shared DIR] [--accelerators NAME,...] [--fresh]

Vela compiles every public network (with its default system and memory mode) and says how many cycles it expects; the
table shows both and the difference. Networks with int8 feature maps count: none may be missing, and the median of the
absolute differences must stay within LIMIT. Without Vela or the networks the table is left out, and said so.
Needs the standard library only."""
import argparse
import glob
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile

import vela

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.path.realpath(os.path.join(os.path.dirname(REPO), "shared"))
DIGITS = os.path.join(REPO, "examples", "digits", "digits_int8.tflite")
DIGITS_FLOAT = os.path.join(REPO, "examples", "digits", "digits_float32.tflite")
LIMIT = 0.25
FEWEST = 15  # int8 networks that Vela 5.2 finds work in; fewer of them means that this test has gone blind
STRONGER = [["ethos-u55-32", "ethos-u55-64", "ethos-u55-128", "ethos-u55-256"], ["ethos-u65-256", "ethos-u65-512"]]
MODES = ["sram-only", "shared-sram", "dedicated-sram-256k", "dedicated-sram-384k", "dedicated-sram-512k"]

FIGURES = {"cycles": r"^Total cycles +(\d+) cycles", "sram": r"^Total SRAM used +([\d.]+) KiB",
           "dram": r"^Total DRAM used +([\d.]+) KiB", "flash": r"^Total Off-chip Flash used +([\d.]+) KiB"}


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
        return self.json("plan", model, "--backend", backend, *args)


# ---- the table ----

def has_int8(plan, path):
    """Is anything that changes from run to run int8? (Constants alone do not make a network one.)"""
    graph = plan.json("dump", path)
    return any(t["type"] == "INT8" and "constant_bytes" not in t for s in graph["subgraphs"] for t in s["tensors"])


def expectation(log):
    """Vela's figures; None when it left everything to the CPU or said nothing."""
    found = {k: re.findall(p, log, re.M) for k, p in FIGURES.items()}
    if not found["cycles"] or not int(found["cycles"][-1]):
        return None
    return {"cycles": int(found["cycles"][-1]),
            "sram": sum(float(x) for x in found["sram"][-1:]) * 1024,
            "store": sum(float(x) for k in ("dram", "flash") for x in found[k][-1:]) * 1024}


def off(ours, theirs):
    return (ours - theirs) / theirs if theirs else 0.0


def row(name, ours, theirs, counted):
    print("  %-42s %11d %11d %+7.1f %% %10d %10d %+7.1f %% %10d %10d %+7.1f %%  %s" % (
        name[:42], ours["cycles"], theirs["cycles"], 100 * off(ours["cycles"], theirs["cycles"]), ours["sram_bytes"],
        theirs["sram"], 100 * off(ours["sram_bytes"], theirs["sram"]), ours["store_bytes"], theirs["store"],
        100 * off(ours["store_bytes"], theirs["store"]), "" if counted else "not int8"), flush=True)


def table(t, plan, compiler, accelerator, paths):
    requests = {}
    for path in paths:
        with open(path, "rb") as f:
            name = os.path.basename(path)[:-len(".tflite")]
            requests[name] = vela.Request(name, f.read(), accelerator, ("--verbose-cycle-estimate",))
    results = {r.name: result for r, result in compiler.compile(list(requests.values()))}
    print("%s: this estimate, Vela %s's, and the difference: cycles, SRAM bytes, bytes of flash or DRAM" % (
        accelerator, compiler.version))
    errors, others = {}, {}
    for path, name in zip(paths, requests):
        theirs = expectation(results[name].log) if results[name].path else None
        if theirs is None:
            continue
        counted = has_int8(plan, path)
        try:
            ours = plan.plan(path, accelerator)["summary"]
        except (RuntimeError, ValueError) as e:
            t.check(not counted, "%s %s: no estimate: %s" % (accelerator, name, e))
            continue
        if counted:
            t.check(ours["cycles"] > 0, "%s %s: estimated 0 cycles, Vela %d" % (accelerator, name, theirs["cycles"]))
        row(name, ours, theirs, counted)
        (errors if counted else others)[name] = abs(off(ours["cycles"], theirs["cycles"]))
    if not t.check(len(errors) >= FEWEST, "%s: only %d int8 networks compiled" % (accelerator, len(errors))):
        return
    median, worst = statistics.median(errors.values()), max(errors, key=errors.get)
    print("  %s: median %.1f %%, worst %.1f %% (%s) over %d int8 networks; median %.1f %% with %d others" % (
        accelerator, 100 * median, 100 * errors[worst], worst, len(errors),
        100 * statistics.median(list(errors.values()) + list(others.values())), len(others)))
    t.check(median <= LIMIT, "%s: the median is %.1f %%, allowed %.0f %%" % (accelerator, 100 * median, 100 * LIMIT))


def against_vela(t, plan, args):
    paths = sorted(glob.glob(os.path.join(args.shared, "models", "*.tflite")))
    if not paths:
        print("left out: the table against Vela, as there are no networks in %s/models" % args.shared)
        return
    try:
        compiler = vela.Vela(fresh=args.fresh)
    except vela.VelaMissing as e:
        print("left out: the table against Vela: %s" % e)
        return
    for accelerator in args.accelerators.split(","):
        table(t, plan, compiler, accelerator, paths)


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
    t.check(abs(s["seconds"] * report["clock_hz"] - s["cycles"]) <= 1e-5 * s["cycles"] + 1,
            name + ": seconds times clock are not the cycles")


def slope(t, plan, name, path):
    for family in STRONGER:
        cycles = [plan.plan(path, a, "--memory-mode", "shared-sram", "--clock", "500")["summary"]["cycles"]
                  for a in family]
        for i in range(1, len(cycles)):
            t.check(cycles[i] <= cycles[i - 1], "%s: %s takes %d cycles, %s only %d" % (
                name, family[i], cycles[i], family[i - 1], cycles[i - 1]))
    slow, fast = (plan.plan(path, "ethos-u55-128", "--clock", mhz) for mhz in ("250", "500"))
    t.check(slow["summary"]["cycles"] == fast["summary"]["cycles"], name + ": cycles depend on the clock")
    t.check(abs(slow["summary"]["seconds"] - 2 * fast["summary"]["seconds"]) <= 1e-4 * slow["summary"]["seconds"],
            name + ": half the clock is not twice the time")
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
    text = plan.run("plan", DIGITS, "--backend", "ethos-u55-128").stdout.decode()
    t.check(text.startswith("ESTIMATE") and text.count("estimated") >= 3, "the text does not say that it is an estimate")
    floats = plan.plan(DIGITS_FLOAT, "ethos-u55-128")
    t.check(floats["summary"]["cycles"] == 0 and floats["summary"]["ops_placed"] == 0, "float ops on the NPU")


def refusals(t, plan):
    def fails(code, rule, *args, stdin=b""):
        p = plan.run("plan", *args, stdin=stdin)
        text = p.stderr.decode(errors="replace")
        t.check(p.returncode == code and rule in text and not p.stdout, "%s: exit %d, %r" % (
            " ".join(args), p.returncode, text[-200:]))
    fails(2, "--backend", DIGITS)
    fails(2, "unknown backend", DIGITS, "--backend", "ethos-u55-127")
    fails(2, "cost.accelerator", DIGITS, "--backend", "ethos-u")
    fails(2, "cost.accelerator", DIGITS, "--backend", "none")
    fails(2, "unknown profile", DIGITS, "--backend", "ethos-u55-128", "--profile", "nowhere")
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
            p = plan.run("plan", path, "--backend", "ethos-u55-128")
            t.check(p.returncode in (0, 3, 4), "the first %d bytes: exit %d" % (n, p.returncode))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--command", default=os.path.join(REPO, "build", "npu_rt"))
    p.add_argument("--shared", default=SHARED, help="folder with models/")
    p.add_argument("--accelerators", default="ethos-u55-128", help="names with commas between")
    p.add_argument("--fresh", action="store_true", help="let Vela compile again what it compiled before")
    args = p.parse_args()
    t, plan = Tests(), Plan(args.command)
    facts(t, plan, args)
    refusals(t, plan)
    against_vela(t, plan, args)
    print("%d passed, %d failed" % (t.passed, t.failed))
    return 1 if t.failed else 0


if __name__ == "__main__":
    sys.exit(main())
