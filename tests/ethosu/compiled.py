#!/usr/bin/env python3
"""Public networks, compiled by Vela in this run, on the software device: equal to the uncompiled network bit for bit.

    compiled.py --command "build/npu_rt" [--configs NAME,NAME] [--only SUBSTRING] [--inputs N] [--jobs N] [--fresh]
                [--sample SEED --each N]

Every network of which Vela places at least one operator, for every configuration, on seeded inputs; stateful networks
also three times in a row. What is expected comes from the oracles of tests/conformance/networks.py, one answer for all
configurations. Beside them, networks that were shipped compiled: PAIRS. --sample takes N of the configurations for each
network, the same ones for all commands, and every configuration for digits_int8."""

import argparse
import collections
import concurrent.futures
import glob
import os
import shlex
import sys
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "conformance"))

from mkmodel import schema
from networks import STATEFUL, Network
from runner import REPO, SHARED, Command, CommandFailed, Score, difference
from sample import Sample, add_option
from vela import CONFIGS, Request, Vela, VelaMissing

PAIRS = {"person_detect_vela": "person_detect"}  # shipped compiled: the network that it was
# Where the references disagree, Vela follows tflite-micro: BUILTIN_REF rounds FULLY_CONNECTED in floating point, and
# computes the sigmoid and tanh of an LSTM instead of looking them up.
ORACLES = {
    "ad01_int8": "tflm",
    "digits_int8": "tflm",
    "pt_mobilenet_v2_quantized_1x3x224x224": "tflm",
    "tflm_dtln_noise_suppression": "tflm",
}
DIGITS = os.path.join(REPO, "examples", "digits", "digits_int8.tflite")  # this one is always there
# Vela moves CALL_ONCE, which sets the variables up, behind operators that read and assign them: the state is lost once.
ONE_RUN = ("lyra_soundstream_encoder",)
Run = collections.namedtuple("Run", "label net path key inputs repeat expected")


def ethos_ops(path):
    with open(path, "rb") as f:
        model = schema.Model.GetRootAs(f.read(), 0)
    codes = [(model.OperatorCodes(i).CustomCode() or b"") for i in range(model.OperatorCodesLength())]
    graphs = [model.Subgraphs(i) for i in range(model.SubgraphsLength())]
    ops = [codes[g.Operators(i).OpcodeIndex()] for g in graphs for i in range(g.OperatorsLength())]
    return ops.count(b"ethos-u"), len(ops)


def compile_all(nets, vela, configs, options, title):
    """{network: {configuration: path}} of {network: its configurations}; networks without any say why they are left out."""
    placed = {net.name: {} for net in nets}
    why = collections.defaultdict(lambda: collections.defaultdict(list))
    mixed, slowest = {}, (0, "")
    for r, result in vela.compile([Request(n.name, n.bytes, c, options) for n in nets for c in configs[n.name]]):
        slowest = max(slowest, (result.seconds, r.name))
        if result.path is None:
            why[r.name]["Vela: " + result.why].append(r.config)
            continue
        ours, everything = ethos_ops(result.path)
        if not ours:
            why[r.name]["Vela leaves all of it to the CPU"].append(r.config)
            continue
        placed[r.name][r.config] = result.path
        if ours != everything:
            mixed[r.name] = everything - ours
    for name, reasons in sorted(why.items()):
        for reason, where in reasons.items():
            which = "" if len(where) == len(configs[name]) else " (%s)" % ", ".join(sorted(where))
            print("left out %s %s%s: %s" % (title, name, which, reason), flush=True)
    for name, n in sorted(mixed.items()):
        print("%s: %d operators stay on the CPU" % (name, n))
    print("slowest compilation: %s, %.1f s" % slowest[::-1])
    return placed


def sequences(net, count):
    """(label, signature key, subgraph, inputs, invokes)."""
    for key, subgraph in net.entries():
        label = "" if key is None else "/" + key
        for seed in range(count):
            yield "%s seed %d" % (label, seed), key, subgraph, net.inputs(subgraph, seed), 1
        if net.name in STATEFUL and net.name not in ONE_RUN:
            yield label + " three in a row", key, subgraph, net.inputs(subgraph, 7), 3


def runs_of(net, paths, count):
    """One Run for every configuration and input; the oracle answers once for all configurations."""
    found = []
    for label, key, subgraph, inputs, repeat in sequences(net, count):
        expected = net.expected(key, subgraph, inputs, repeat)
        found += [
            Run("%s [%s]%s" % (net.name, config, label), net, path, key, inputs, repeat, expected)
            for config, path in paths.items()
        ]
    return found


def execute(command, run):
    start = time.monotonic()
    try:
        ours = command.run(run.path, run.inputs, run.key, run.repeat)
        problem = difference(ours, run.expected, run.net.bound)
    except CommandFailed as e:
        problem = str(e)
    except Exception as e:  # a run that never ends, or writes what is no array, is a failed test
        problem = repr(e)[:300]
    return run, problem, time.monotonic() - start


def chosen(a, score):
    """The networks by name; says which are left out."""
    paths = sorted(glob.glob(os.path.join(a.models, "*.tflite"))) + [DIGITS]
    nets = {n.name: n for n in map(Network, paths) if a.only in n.name}
    for net in list(nets.values()):
        net.oracle = ORACLES.get(net.name, net.oracle)
        if net.name in a.leave_out.split(","):
            score.skip(net.name, "as told")
            del nets[net.name]
        elif len(net.bytes) > a.max_kib * 1024:
            score.skip(net.name, "larger than %d KiB" % a.max_kib)
            del nets[net.name]
        elif net.name in ONE_RUN:
            score.skip(net.name + " three in a row", "Vela moves CALL_ONCE behind what reads the variables")
    return nets


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--command", default=os.path.join(REPO, "build", "npu_rt"))
    p.add_argument("--models", default=os.path.join(SHARED, "models"))
    p.add_argument("--configs", default="all", help="comma-separated")
    p.add_argument("--only", default="")
    p.add_argument("--leave-out", default="", help="networks, comma-separated")
    p.add_argument("--inputs", type=int, default=5, help="random inputs for each")
    p.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    p.add_argument("--max-kib", type=int, default=1 << 30, help="leave out larger files (slow runs)")
    p.add_argument("--fresh", action="store_true", help="compile again what was compiled before")
    p.add_argument("--vela", default="", help='more options for Vela, as in --vela="--optimise Size"')
    p.add_argument("--title", default="ethos-u networks")
    p.add_argument("--each", type=int, default=1, metavar="N", help="configurations for each network of a sample")
    add_option(p)
    a = p.parse_args()
    score, spent, sample = Score(a.title), collections.Counter(), Sample(a.sample)
    if not os.path.isdir(a.models):
        print("left out %s: the public networks (no %s)" % (a.title, os.path.relpath(a.models, REPO)))
    try:
        vela = Vela(a.jobs, fresh=a.fresh)
    except VelaMissing as e:
        score.check("Vela", str(e))
        return score.close()
    nets = chosen(a, score)
    start = time.monotonic()
    configs = CONFIGS if a.configs == "all" else a.configs.split(",")
    todo = [n for n in nets.values() if n.name not in PAIRS]
    chosen_configs = {n.name: sample.pick(n.name, configs, a.each, configs if n.path == DIGITS else ()) for n in todo}
    placed = compile_all(todo, vela, chosen_configs, tuple(shlex.split(a.vela)), a.title)
    sample.report(a.title, "pairs of a network and an accelerator")
    for shipped, original in PAIRS.items():
        if shipped in nets:
            nets.setdefault(original, Network(os.path.join(a.models, original + ".tflite")))
            placed.setdefault(original, {})["shipped as " + shipped] = nets[shipped].path
    spent["Vela"] = time.monotonic() - start
    command, slow = Command(a.command), []
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        start = time.monotonic()
        waiting = {n: pool.submit(runs_of, nets[n], paths, a.inputs) for n, paths in placed.items() if paths}
        runs = [run for n in sorted(waiting) for run in waiting[n].result()]
        spent["oracles"] = time.monotonic() - start
        start = time.monotonic()
        for run, problem, seconds in pool.map(lambda run: execute(command, run), runs):
            score.check(run.label, problem)
            slow.append((seconds, run.label))
        spent["runs"] = time.monotonic() - start
    if slow:
        print("slowest run: %s, %.1f s" % max(slow)[::-1])
    print("%d networks; %s" % (len(waiting), ", ".join("%s %.0f s" % s for s in spent.items())))
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
