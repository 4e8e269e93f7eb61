"""Where the time of networks goes, by operator and arithmetic, and how much of this machine's peak that is.

Peaks are measured (peak.c): multiply-accumulates on registers alone, of the instruction set that the kernels were chosen for."""

import collections
import json
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
REPO = os.path.dirname(os.path.dirname(HERE))
RUNS = 20
KINDS = {"f32", "i8"}  # the end of the name of a kernel's family
WINOGRAD = 16 / 36  # of the products of a convolution are what its tiles take (src/kernels/winograd_f32.h)


def kind_of(kernel):
    """f32, i8 or nothing: "gemm_i8.vnni" computes with bytes."""
    end = kernel.split(".")[0].rsplit("_", 1)[-1]
    return end if end in KINDS else ""


class Operators:
    """Sums over the networks that are added."""

    def __init__(self, command, options=()):
        self.command, self.options, self.isa = command, options, None
        self.ms, self.macs = collections.Counter(), collections.Counter()

    def add(self, path):
        """Runs a model once more, with its operators timed; one that does not run adds nothing."""
        p = subprocess.run(
            [*self.command, "bench", path, "--threads", "1", "--runs", str(RUNS), "--profile", "--json", *self.options],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
        )
        if p.returncode != 0:
            return
        found = json.loads(p.stdout)
        self.isa = found["isa"]
        for op in found["ops"]:
            key = op["op"], kind_of(op["kernel"])
            self.ms[key] += op["ms"]
            self.macs[key] += op["macs"] * (WINOGRAD if op["kernel"].startswith("winograd") else 1)

    def peak(self, folder):
        """GMAC/s by arithmetic; nothing where there is no compiler, or for this instruction set no loop."""
        program = os.path.join(folder, "peak")
        build = [os.environ.get("CC", "cc"), "-O2", "-std=c99", "-I", REPO, os.path.join(HERE, "peak.c"), "-o", program]
        if not self.isa or subprocess.run([*build, "-lm"], capture_output=True).returncode != 0:
            return {}
        p = subprocess.run([program, self.isa], capture_output=True, text=True)
        return json.loads(p.stdout) if p.returncode == 0 else {}

    def rows(self, peak):
        """Most time first."""
        total = sum(self.ms.values())
        for (op, kind), ms in self.ms.most_common():
            rate = self.macs[op, kind] / ms / 1e6 if ms and kind else None
            most = peak.get(kind) if kind else None
            yield {
                "op": op,
                "computes_with": kind or None,
                "share": ms / total if total else 0,
                "gmacs_per_s": rate,
                "of_peak": rate / most if rate and most else None,
            }


LEAST = 0.005  # of the time: what is less is not printed


def lines(rows, peak):
    """The table, its titles first."""
    yield ("operator", "computes with", "share of time", "GMAC/s", "of the peak")
    for r in rows:
        if r["share"] < LEAST:
            continue
        yield (
            r["op"],
            r["computes_with"] or "-",
            "%.1f %%" % (100 * r["share"]),
            "%.1f" % r["gmacs_per_s"] if r["gmacs_per_s"] else "-",
            "%.0f %% of %.0f" % (100 * r["of_peak"], peak[r["computes_with"]]) if r["of_peak"] else "-",
        )
