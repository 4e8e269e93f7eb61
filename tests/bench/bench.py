#!/usr/bin/env python3
"""npu_rt beside LiteRT (XNNPACK), on the same inputs and as many threads; and npu_rt under wasmtime and node.

    bench.py [--only TEXT[,TEXT...]] [--models FOLDER] [--threads N] [--isa NAME] [--runs N] [--rounds N] [--quick]
             [--before PROGRAM] [--json | --markdown]

npu_rt and LiteRT take turns in several rounds, so that what else the machine does falls on both; a figure is the
median of its rounds' medians. Only invoke is timed: inputs are written before every run, outside the time. LiteRT is
called through Python, which adds up to a microsecond: a second geometric mean leaves out networks where that would
matter. --before names an older npu_rt, which takes its turns in the same rounds; the two are compared by their fastest
runs, which other load on the machine touches least. --isa gives both engines a lesser processor's instruction sets
(mask_cpu.py: XNNPACK then chooses as on such a machine). The WASM figures are of one round and one thread. Progress goes to stderr.
'-': the engine does not run that model.

"start" is opening, preparing and the first run, in a process of its own each round; what LiteRT's import takes does not count.
Two tables close the report: by class of network (classes.py), and of operators, one thread, all networks together: their
share of the time and how much of this machine's measured peak they reach (by_operator.py)."""

import argparse
import glob
import json
import math
import multiprocessing
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import by_operator
import classes
import mask_cpu
import numpy as np

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(REPO, "tests", "conformance"))
from networks import Network, Stranger  # noqa: E402
from runner import SHARED  # noqa: E402

NATIVE = os.path.join(REPO, "build", "npu_rt")
WASMTIME = os.path.join(REPO, "build", "tools", "wasmtime")
# Networks on which LiteRT 2.3.0 writes outside its memory (glibc's heap check stops it): its time would mean nothing.
LITERT_CORRUPTS = {"keyword_scrambled_8bit": "LiteRT corrupts its heap on SVDF with int8 state"}
WARMUP = 3
ROUND_MS = 300  # without --runs, a round is about this long
LONG_MS = 0.02  # from here on Python's share of a LiteRT run is below 5 %


def output_of(*command):
    """First line a command prints; '-' where it does not run."""
    try:
        p = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=60
        )
        return (p.stdout.splitlines() or ["-"])[0].strip()
    except OSError:
        return "-"


# ---- engines: each has start(network, input arrays), which may raise Refused, and round(runs) -> figures ---------


class Refused(Exception):
    pass


class CommandLine:
    """npu_rt bench, natively or as a WASI module."""

    def __init__(self, prefix, extra=()):
        self.prefix, self.extra = list(prefix), list(extra)

    def start(self, net, inputs, folder):
        self.command = [*self.prefix, "bench", os.path.abspath(net.path), "--json", "--warmup", str(WARMUP)]
        self.command += self.extra
        for i, array in enumerate(inputs):
            path = os.path.join(folder, "in%d.npy" % i)
            np.save(path, array)
            self.command += ["--input", "%d=%s" % (i, path)]

    def round(self, runs):
        p = subprocess.run(
            [*self.command, "--runs", str(runs)],
            cwd=REPO,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=900,
        )
        if p.returncode != 0:
            raise Refused("exit %d: %s" % (p.returncode, p.stderr.strip()[-200:]))
        figures = json.loads(p.stdout)
        figures["ms"] = figures["invoke_ms"]["median"]
        figures["start_ms"] = figures["load_ms"] + figures["prepare_ms"] + figures["first_ms"]
        return figures


class LiteRT:
    """In a process of its own for every round, as npu_rt is; a crash in there is a dash and not the end."""

    def __init__(self, threads, mask=None):
        self.threads, self.mask = threads, mask

    def start(self, net, inputs, folder):
        if net.name in LITERT_CORRUPTS:
            raise Refused(LITERT_CORRUPTS[net.name])
        self.path, self.inputs = net.path, inputs

    def round(self, runs):
        context = multiprocessing.get_context("fork")
        pipe, theirs = context.Pipe()
        process = context.Process(
            target=litert_process, args=(theirs, self.path, self.inputs, self.threads, self.mask, runs), daemon=True
        )
        process.start()
        theirs.close()
        try:
            answer = pipe.recv()
        except EOFError:
            answer = None
        process.join()
        if answer is None:
            raise Refused("LiteRT's process ended with %s" % process.exitcode)
        if isinstance(answer, str):
            raise Refused(answer[:200])
        return answer


def litert_process(pipe, path, inputs, threads, mask, runs):
    """Sends the figures of a round, or an error as text."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # every interpreter announces its delegate
    from ai_edge_litert.interpreter import Interpreter

    try:
        if mask:
            mask.hide()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.perf_counter()
        it = Interpreter(model_path=path, num_threads=threads)
        it.allocate_tensors()
        prepare_ms = (time.perf_counter() - start) * 1e3
        where = [d["index"] for d in it.get_input_details()]

        def invoke():
            for index, array in zip(where, inputs):
                it.set_tensor(index, array)
            start = time.perf_counter_ns()
            it.invoke()
            return (time.perf_counter_ns() - start) / 1e6

        figures = {"prepare_ms": prepare_ms, "first_ms": invoke()}
        figures["start_ms"] = sum(figures.values())
        figures["rss_grown_bytes"] = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
        for _ in range(WARMUP):
            invoke()
        figures["ms"] = statistics.median(invoke() for _ in range(runs))
        pipe.send(figures)
    except (RuntimeError, ValueError, mask_cpu.Unmaskable) as e:
        pipe.send(str(e).strip())


class Node:
    """The page's module. Its inputs come from a seed, so networks with index-like inputs may refuse them."""

    def start(self, net, inputs, folder):
        self.path = os.path.abspath(net.path)

    def round(self, runs):
        p = subprocess.run(
            ["node", "tests/web/bench.mjs", self.path, "--json"],
            cwd=REPO,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=900,
        )
        figures = (json.loads(p.stdout) if p.stdout.strip() else [{"error": p.stderr[-200:]}])[0]
        if "error" in figures:
            raise Refused(figures["error"])
        figures["ms"] = figures["invoke_ms"]["median"]
        return figures


def wasm_engines(folder):
    """WASM engines that are here, by name. wasmtime compiles each module once, beforehand."""
    engines = {}
    for name, module in (("wasmtime", "npu_rt"), ("relaxed", "npu_rt_relaxed")):
        source, fast = "%s/build/%s.wasm" % (REPO, module), "%s/%s.cwasm" % (folder, module)
        if os.path.exists(WASMTIME) and os.path.exists(source):
            note("compiling %s.wasm with wasmtime" % module)
            subprocess.run([WASMTIME, "compile", source, "-o", fast], check=True)
            engines[name] = CommandLine([WASMTIME, "run", "--allow-precompiled", "--dir=/", fast])
    if os.path.exists(REPO + "/build/web/npu_rt.mjs") and output_of("node", "--version") != "-":
        engines["node"] = Node()
    return engines


def note(text):
    print(text, file=sys.stderr, flush=True)


# ---- measuring -----------------------------------------------------------------------------------------------------


def runs_of(engine, asked):
    """How many runs make a round: enough for ROUND_MS, by the time of a short trial."""
    trial = engine.round(5)
    return asked or min(500, max(5, int(ROUND_MS / max(trial["ms"], 1e-3))))


def attempt(engine, act, why, name):
    """What `act` returns; None, with the reason kept, where the engine refuses."""
    if name in why:
        return None
    try:
        return act(engine)
    except Refused as e:
        why[name] = str(e)
        return None


def measure(net, others, before, threads, mask, asked, rounds, folder):
    """One row: figures by engine (the median round, with its other figures), and why engines refused."""
    ours = ["--threads", str(threads), *(["--isa", mask.isa] if mask else [])]
    pair, why, figures = {"npu_rt": CommandLine([NATIVE], ours), "litert": LiteRT(threads, mask)}, {}, {}
    if before:
        pair["before"] = CommandLine([before], ours)
    inputs = net.inputs(0, 0)
    for name, engine in {**pair, **others}.items():
        attempt(engine, lambda e: e.start(net, inputs, folder), why, name)
    runs = attempt(pair["npu_rt"], lambda e: runs_of(e, asked), why, "npu_rt") or 5
    results = {name: [] for name in pair}
    for i in range(rounds):
        for name in (list(pair), list(pair)[::-1])[i % 2]:
            one = attempt(pair[name], lambda e: e.round(runs), why, name)
            if one is not None:
                results[name].append(one)
    for name, engine in others.items():
        one = attempt(engine, lambda e: e.round(runs), why, name)
        results[name] = [] if one is None else [one]
    fastest = [
        min((row["invoke_ms"]["min"] for row in results.get(name, ())), default=0) for name in ("npu_rt", "before")
    ]
    for name, rows in results.items():
        if rows and name not in why:
            rows.sort(key=lambda r: r["ms"])
            middles = {key: statistics.median(r[key] for r in rows) for key in ("ms", "start_ms") if key in rows[0]}
            figures[name] = dict(rows[len(rows) // 2], **middles)
            figures[name].pop("ops", None)
    both = "npu_rt" in figures and "litert" in figures
    ratio = figures["npu_rt"]["ms"] / figures["litert"]["ms"] if both else None
    return {
        "model": net.name,
        "class": classes.class_of([NATIVE], net.path),
        "runs": runs,
        "rounds": rounds,
        "ratio": ratio,
        "ratio_start": figures["npu_rt"]["start_ms"] / figures["litert"]["start_ms"] if both else None,
        "ratio_before": fastest[0] / fastest[1] if all(fastest) else None,
        "engines": figures,
        "refused": why,
    }


def paths(only, models=None):
    found = sorted(glob.glob(os.path.join(models or os.path.join(SHARED, "models"), "*.tflite")))
    if not found and not models:
        note("left out: the public networks (no ../shared/models)")
    if not models:
        found += sorted(glob.glob(os.path.join(REPO, "examples", "digits", "*.tflite")))
    for path in found:
        name = os.path.basename(path)[: -len(".tflite")]
        if any(text in name for text in only.split(",")):
            yield path


def machine(threads):
    with open("/proc/cpuinfo") as f:
        cpu = next((line.split(":", 1)[1].strip() for line in f if line.startswith("model name")), "unknown CPU")
    from importlib.metadata import version

    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "threads": threads,
        "load": "%.1f" % os.getloadavg()[0],
        "compiler": output_of(os.environ.get("CC", "cc"), "--version"),
        "npu_rt": output_of(NATIVE, "--version"),
        "litert": version("ai-edge-litert"),
        "wasmtime": output_of(WASMTIME, "--version"),
        "node": output_of("node", "--version"),
        "date": time.strftime("%Y-%m-%d"),
    }


# ---- printing ------------------------------------------------------------------------------------------------------


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def ms(value):
    if value is None:
        return "-"
    return ("%.4f" if value < 1 else "%.3f" if value < 100 else "%.1f") % value


def kib(value):
    return "-" if value is None else "%.1f" % (value / 1024)


def mib(value):
    return "-" if value is None else "%.1f" % (value / (1 << 20))


def times(value):
    return "-" if value is None else "%.2f" % value


COLUMNS = [
    ("class", None, "class", str),
    ("npu_rt ms", "npu_rt", "ms", ms),
    ("LiteRT ms", "litert", "ms", ms),
    ("npu_rt / LiteRT", None, "ratio", times),
    ("now / before", None, "ratio_before", times),
    ("wasmtime ms", "wasmtime", "ms", ms),
    ("relaxed ms", "relaxed", "ms", ms),
    ("node ms", "node", "ms", ms),
    ("arena KiB", "npu_rt", "arena_bytes", kib),
    ("packed KiB", "npu_rt", "packed_bytes", kib),
    ("start ms", "npu_rt", "start_ms", ms),
    ("LiteRT's", "litert", "start_ms", ms),
    ("start, npu_rt / LiteRT", None, "ratio_start", times),
    ("load ms", "npu_rt", "load_ms", ms),
    ("prepare ms", "npu_rt", "prepare_ms", ms),
    ("first ms", "npu_rt", "first_ms", ms),
    ("peak RSS MiB", "npu_rt", "peak_rss_bytes", mib),
    ("LiteRT's growth MiB", "litert", "rss_grown_bytes", mib),
]
IN_README = 10  # columns


def shown(columns, before):
    return [c for c in columns if before or c[2] != "ratio_before"]


def cells(row, columns):
    def value(engine, key):
        return (row if engine is None else row["engines"].get(engine, {})).get(key)

    return [write(value(engine, key)) for _, engine, key, write in columns]


def headline(m):
    return (
        "%(cpu)s, %(cores)d cores, threads used: %(threads)d, load %(load)s at the start, %(date)s; %(npu_rt)s built by %(compiler)s; "
        "LiteRT %(litert)s with XNNPACK; %(wasmtime)s; node %(node)s" % m
    )


def against_before(rows):
    """Alone, without LiteRT: what a change did to the speed."""
    known = sorted((r for r in rows if r["ratio_before"]), key=lambda r: r["ratio_before"])
    if not known:
        return ""
    ends = [(r["model"], r["ratio_before"]) for r in (known[0], known[-1])]
    return (
        "\nnow / before by the fastest runs, geometric mean of %d networks: %.3f, median %.3f; from %s %.2f to %s %.2f"
        % (
            len(known),
            geometric_mean(r["ratio_before"] for r in known),
            statistics.median(r["ratio_before"] for r in known),
            *ends[0],
            *ends[1],
        )
    )


def summary(rows, mean, long_mean, isas):
    paired = sorted((r for r in rows if r["ratio"]), key=lambda r: r["ratio"])
    if not paired:
        return "no network ran in both"
    ends = [(r["model"], r["ratio"]) for r in (paired[0], paired[-1])]
    faster = sum(r["ratio"] < 1 for r in paired)
    return (
        "npu_rt / LiteRT, geometric mean of %d networks: %.2f (below 1: npu_rt is faster, %d of them); without "
        "those below %g ms in LiteRT: %s; from %s %.2f to %s %.2f; kernels for %s"
        % (len(paired), mean, faster, LONG_MS, times(long_mean), *ends[0], *ends[1], ", ".join(isas))
    )


def of_class(rows, name):
    """Figures of a class of networks. These ratios are turned around: above 1, npu_rt is ahead."""
    mine = [r for r in rows if r["class"] == name]
    run = sorted((1 / r["ratio"], r["model"]) for r in mine if r["ratio"])
    start = sorted((1 / r["ratio_start"], r["model"]) for r in mine if r["ratio_start"])
    both = [r for r in mine if {"npu_rt", "wasmtime"} <= set(r["engines"])]
    wasm = sorted((r["engines"]["wasmtime"]["ms"] / r["engines"]["npu_rt"]["ms"], r["model"]) for r in both)
    figures = {"class": name, "networks": len(run)}
    for key, values, worst in (("run", run, 0), ("start", start, 0), ("wasmtime", wasm, -1)):
        figures[key] = geometric_mean(v for v, _ in values)
        figures["worst_" + key] = {"model": values[worst][1], "ratio": values[worst][0]} if values else None
    return figures


def by_class(rows):
    return [of_class(rows, name) for name in classes.NAMES if any(r["class"] == name for r in rows)]


def class_lines(rows):
    """The table by class, its titles first."""
    yield (
        "class",
        "networks",
        "LiteRT / npu_rt",
        "least",
        "start, LiteRT / npu_rt",
        "least",
        "wasmtime / native",
        "most",
    )
    for one in by_class(rows):
        line = [one["class"], str(one["networks"])]
        for key in ("run", "start", "wasmtime"):
            worst = one["worst_" + key]
            line += [times(one[key]), "%.2f %s" % (worst["ratio"], worst["model"]) if worst else "-"]
        yield line


def markdown(table):
    for i, line in enumerate(table):
        print("| %s |%s" % (" | ".join(line), "" if i else "\n" + "|---" * len(line) + "|"))


def print_markdown(rows, lines, before, operators):
    columns = shown(COLUMNS[:IN_README], before)
    print("%s\n\n| network | %s |\n|---|%s" % (lines[0], " | ".join(c[0] for c in columns), "---:|" * len(columns)))
    for row in rows:
        print("| %s | %s |" % (row["model"], " | ".join(cells(row, columns))))
    print("\n%s\n" % lines[1])
    markdown(class_lines(rows))
    print()
    markdown(operators)


def print_text(rows, lines, before, operators):
    columns = shown(COLUMNS, before)
    print(lines[0] + "\n")
    form = "%-52s" + "".join("%%%ds" % max(11, len(c[0]) + 2) for c in columns)
    print(form % ("network", *(c[0] for c in columns)))
    for row in rows:
        print(form % (row["model"], *cells(row, columns)))
    print("\n" + lines[1] + "\n")
    for line in class_lines(rows):
        print("%-10s%10s%18s  %-50s%24s  %-50s%19s  %s" % tuple(line))
    print()
    for line in operators:
        print("%-32s%14s%15s%10s  %s" % tuple(line))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--only", default="", help="networks whose names contain one of these, separated by commas")
    p.add_argument("--models", metavar="FOLDER", help="measure the networks in there, not the public ones")
    p.add_argument("--threads", type=int, default=1, help="of npu_rt and of LiteRT (default 1)")
    p.add_argument("--isa", metavar="NAME", help="as on a processor with these instruction sets and no better ones")
    p.add_argument("--runs", type=int, default=0, help="timed runs in a round (default: by time, 5 to 500)")
    p.add_argument("--rounds", type=int, default=5, help="rounds in which npu_rt and LiteRT take turns (default 5)")
    p.add_argument("--quick", action="store_true", help="two rounds of at most 20 runs, native only")
    p.add_argument("--before", metavar="PROGRAM", help="an older build/npu_rt to compare with")
    p.add_argument("--json", action="store_true")
    p.add_argument("--markdown", action="store_true", help="the table in README.md")
    a = p.parse_args()
    if not os.path.exists(NATIVE):
        p.error("build/npu_rt is missing: make bench builds it")
    if a.before and not os.access(a.before, os.X_OK):
        p.error("--before %s: no such program" % a.before)
    a.before = a.before and os.path.abspath(a.before)
    about, rows = machine(a.threads), []
    with tempfile.TemporaryDirectory(prefix="npu_rt_bench_") as folder:
        others = {} if a.quick or a.isa else wasm_engines(folder)
        mask = mask_cpu.asked(p, a.isa, folder)
        todo = list(paths(a.only, a.models))
        asked, rounds = (a.runs or 20, 2) if a.quick else (a.runs, a.rounds)
        operators = by_operator.Operators([NATIVE], ["--isa", a.isa] if a.isa else [])
        for i, path in enumerate(todo):
            net = (Stranger if a.models else Network)(path)
            row = measure(net, others, a.before, a.threads, mask, asked, rounds, folder)
            rows.append(row)
            operators.add(path)
            figures = zip((c[0] for c in COLUMNS), cells(row, COLUMNS[:7]))
            note(
                "[%d/%d] %s: %s"
                % (i + 1, len(todo), row["model"], ", ".join("%s %s" % f for f in figures if f[1] != "-"))
            )
            for name, reason in row["refused"].items():
                note("        %s: %s" % (name, " ".join(reason.split())))
        peak = operators.peak(folder)
    if not rows:
        p.error("no network is called like '%s'%s" % (a.only, " in " + a.models if a.models else ""))
    paired = [r for r in rows if r["ratio"]]
    mean = geometric_mean(r["ratio"] for r in paired)
    long_mean = geometric_mean(r["ratio"] for r in paired if r["engines"]["litert"]["ms"] >= LONG_MS)
    isas = sorted({r["engines"]["npu_rt"]["isa"] for r in rows if "npu_rt" in r["engines"]})
    if a.json:
        print(
            json.dumps(
                {
                    "machine": about,
                    "geometric_mean": mean,
                    "geometric_mean_long": long_mean,
                    "classes": by_class(rows),
                    "peak_gmacs_per_s": peak,
                    "operators": list(operators.rows(peak)),
                    "networks": rows,
                },
                indent=1,
            )
        )
    else:
        lines = headline(about), summary(rows, mean, long_mean, isas) + against_before(rows)
        table = by_operator.lines(operators.rows(peak), peak)
        (print_markdown if a.markdown else print_text)(rows, lines, a.before, table)
    failed = [r["model"] for r in rows if "npu_rt" not in r["engines"]]
    if failed:
        note("npu_rt failed on: " + ", ".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
