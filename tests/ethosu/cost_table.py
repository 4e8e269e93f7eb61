#!/usr/bin/env python3
"""The cost estimate held against Vela's: cycles, SRAM and flash (or DRAM), for every accelerator and memory mode.

usage: cost_table.py [--command COMMAND] [--shared DIR] [--configs TEXT,...] [--only TEXT] [--share PERCENT] [--rows N]

    --configs TEXT,...  configurations whose "ACCELERATOR MODE" holds one of the texts; "usual": each one's usual mode
    --only TEXT         networks whose name holds this
    --share PERCENT     of the pairs of a network and a configuration: which ones is drawn from their names
    --rows N            print the N worst networks of each figure and configuration

Networks come from cost_nets.py. What Vela said is kept in build/test/vela."""

import argparse
import concurrent.futures
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import zlib

import cost_nets
import vela

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.path.realpath(os.path.join(os.path.dirname(REPO), "shared"))
FIGURES = {
    "cycles": r"^Total cycles +(\d+) cycles",
    "sram": r"^Total SRAM used +([\d.]+) KiB",
    "dram": r"^Total DRAM used +([\d.]+) KiB",
    "flash": r"^Total O\w+-chip Flash used +([\d.]+) KiB",
}
SYSTEMS = {"u55": "Ethos_U55_High_End_Embedded", "u65": "Ethos_U65_Client_Server", "u85": "Ethos_U85_SYS_DRAM_Mid"}
USUAL = {"u55": "shared-sram", "u65": "dedicated-sram-384k", "u85": "dedicated-sram-384k"}
MODES = {
    "sram-only": "Sram_Only",
    "shared-sram": "Shared_Sram",
    "dedicated-sram-256k": "Dedicated_Sram_256KB",
    "dedicated-sram-384k": "Dedicated_Sram_384KB",
    "dedicated-sram-512k": "Dedicated_Sram_512KB",
}
ACCELERATORS = [
    "ethos-u55-32",
    "ethos-u55-64",
    "ethos-u55-128",
    "ethos-u55-256",
    "ethos-u65-256",
    "ethos-u65-512",
    "ethos-u85-128",
    "ethos-u85-256",
    "ethos-u85-512",
    "ethos-u85-1024",
    "ethos-u85-2048",
]
KEYS = ("cycles", "sram", "store")
LEAST = 16 * 1024
FAR = {"cycles": 0.2, "sram": 0.25, "store": 0.25}


def family(accelerator):
    return accelerator.split("-")[1]


def configurations():
    """(accelerator, mode) of all that Vela takes: an Ethos-U55 has no memory for a dedicated SRAM's arena."""
    return [(a, m) for a in ACCELERATORS for m in MODES if family(a) != "u55" or not m.startswith("dedicated")]


def wanted(configs, name, share):
    """The configurations that a network is compiled for: a share of them, drawn from the names."""
    for a, m in configs:
        if zlib.crc32(("%s %s %s" % (a, m, name)).encode()) % 100 < share:
            yield a, m


def request(name, data, accelerator, mode):
    options = (
        "--verbose-performance",
        "--verbose-cycle-estimate",
        "--memory-mode",
        MODES[mode],
        "--system-config",
        SYSTEMS[family(accelerator)],
    )
    return vela.Request(name, data, accelerator, options)


def expectation(log):
    """Vela's figures; None when it left everything to the CPU or said nothing. `store`: flash or DRAM."""
    found = {k: re.findall(p, log, re.M) for k, p in FIGURES.items()}
    if not found["cycles"] or not int(found["cycles"][-1]):
        return None
    return {
        "cycles": int(found["cycles"][-1]),
        "sram": sum(float(x) for x in found["sram"][-1:]) * 1024,
        "store": sum(float(x) for k in ("dram", "flash") for x in found[k][-1:]) * 1024,
    }


def estimate(command, path, accelerator, mode):
    p = subprocess.run(
        command + ["plan", path, "--backend", accelerator, "--memory-mode", mode, "--json"],
        capture_output=True,
        timeout=600,
    )
    if p.returncode:
        return "exit %d: %s" % (p.returncode, p.stderr.decode(errors="replace").strip()[-200:])
    s = json.loads(p.stdout)["summary"]
    return {"cycles": s["cycles"], "sram": s["sram_bytes"], "store": s["store_bytes"]}


def has_int8(command, path):
    """Is anything that changes from run to run 8 or 16 bits wide? (Constants alone do not make a network quantized.)"""
    p = subprocess.run(command + ["dump", path, "--json"], capture_output=True, timeout=600)
    graph = json.loads(p.stdout) if p.returncode == 0 else {"subgraphs": []}
    return any(
        t["type"] in ("INT8", "UINT8", "INT16") and "constant_bytes" not in t
        for s in graph["subgraphs"]
        for t in s["tensors"]
    )


def off(ours, theirs):
    return (ours - theirs) / theirs


def measure(command, shared, configs, only="", share=100, jobs=None, fresh=False):
    """{(accelerator, mode): {network: (ours, Vela's)}}, and a list of what went wrong."""
    compiler, out, wrong = vela.Vela(jobs=jobs, fresh=fresh), {c: {} for c in configs}, []
    with tempfile.TemporaryDirectory(prefix="cost-") as folder:
        paths, requests = {}, {}
        for name, data in cost_nets.networks(shared):
            path = os.path.join(folder, name + ".tflite")
            if only not in name:
                continue
            with open(path, "wb") as f:
                f.write(data)
            if not has_int8(command, path):
                continue
            paths[name] = path
            for a, m in wanted(configs, name, share):
                requests[request(name, data, a, m)] = (a, m)
        with concurrent.futures.ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
            pending = []
            for r, result in compiler.compile(list(requests)):
                theirs = expectation(result.log) if result.path else None
                if theirs:
                    a, m = requests[r]
                    if m == "sram-only":  # Vela names the model's part of it flash
                        theirs["sram"], theirs["store"] = theirs["sram"] + theirs["store"], 0
                    pending.append((a, m, r.name, theirs, pool.submit(estimate, command, paths[r.name], a, m)))
            for a, m, name, theirs, future in pending:
                ours = future.result()
                if isinstance(ours, str):
                    wrong.append("%s %s %s: no estimate: %s" % (a, m, name, ours))
                else:
                    out[a, m][name] = (ours, theirs)
    return out, wrong


def errors(rows, key):
    """Relative differences. Of memory, less than LEAST bytes do not count: there it is overhead that differs."""
    least = 1 if key == "cycles" else LEAST
    return {n: off(ours[key], theirs[key]) for n, (ours, theirs) in rows.items() if theirs[key] >= least}


def summary(found):
    """median and worst of the absolute differences, and whose it is."""
    if not found:
        return 0, 0, "-"
    worst = max(found, key=lambda n: abs(found[n]))
    return statistics.median(abs(e) for e in found.values()), found[worst], worst


def show(measured, rows=0):
    print(
        "%-16s %-20s %4s  %s"
        % ("accelerator", "memory mode", "nets", "  ".join("%-44s" % (k + ": median, worst") for k in KEYS))
    )
    for (a, m), found in measured.items():
        cells = []
        for key in KEYS:
            median, worst, who = summary(errors(found, key))
            cells.append("%6.1f %% %+7.1f %% %-26s" % (100 * median, 100 * worst, who[:26]))
        print("%-16s %-20s %4d  %s" % (a, m, len(found), "  ".join(cells)))
        for key in KEYS if rows else ():
            e = errors(found, key)
            for n in sorted(e, key=lambda n: -abs(e[n]))[:rows]:
                print("    %-7s %-40s %+8.1f %% %12d %12d" % (key, n, 100 * e[n], found[n][0][key], found[n][1][key]))
    for fam in USUAL:
        for key in KEYS:
            found = of_family(measured, fam, key)
            if found:
                median, worst, who = summary(found)
                print(
                    "%s %-6s median %5.1f %%, worst %+6.1f %% (%s), %d of %d beyond %d %%"
                    % (fam, key, 100 * median, 100 * worst, who, beyond(found, key), len(found), 100 * FAR[key])
                )


def of_family(measured, fam, key):
    return {
        "%s %s %s" % (n, a, m): e
        for (a, m), found in measured.items()
        if family(a) == fam
        for n, e in errors(found, key).items()
    }


def beyond(found, key):
    return sum(abs(e) > FAR[key] for e in found.values())


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--command", default=os.path.join(REPO, "build", "npu_rt"))
    p.add_argument("--shared", default=SHARED, help="folder with models/")
    p.add_argument("--configs", default="")
    p.add_argument("--only", default="")
    p.add_argument("--share", type=int, default=100)
    p.add_argument("--rows", type=int, default=0)
    p.add_argument("--jobs", type=int)
    args = p.parse_args()
    usual = args.configs == "usual"
    configs = [
        c
        for c in configurations()
        if (usual and c[1] == USUAL[family(c[0])])
        or (not usual and any(t in " ".join(c) for t in args.configs.split(",")))
    ]
    measured, wrong = measure([args.command], args.shared, configs, args.only, args.share, args.jobs)
    show(measured, args.rows)
    for w in wrong:
        print("FAILED " + w)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
