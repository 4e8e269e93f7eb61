#!/usr/bin/env python3
"""How long the software device takes for networks that Vela compiles now: natively, under wasmtime and under node.

    bench_ethosu.py [--accelerator NAME] [--runs N] [--only TEXT] [--json]

Beside it the same network uncompiled, on the CPU's kernels. Medians in milliseconds, one thread. The software device
shows what an Ethos-U computes, not how fast it is: for that see `npu_rt plan`."""

import argparse
import json
import os
import subprocess
import sys

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[1:1] = [os.path.join(REPO, "tests", "ethosu"), os.path.join(REPO, "tests", "conformance")]
from runner import SHARED  # noqa: E402
from vela import Request, Vela, VelaMissing  # noqa: E402

NETWORKS = ["person_detect", "kws_ref_model", "mobilenet_v2_1.0_224_quant", "tf2_mobilenet_v2_1.0_224_ptq"]
WASMTIME = os.path.join(REPO, "build", "tools", "wasmtime")


def figure(command, model, runs):
    p = subprocess.run(
        [*command, "bench", model, "--json", "--runs", str(runs), "--warmup", "1"],
        capture_output=True,
        text=True,
        cwd=REPO,
        timeout=1200,
    )
    return json.loads(p.stdout)["invoke_ms"]["median"] if p.returncode == 0 else None


def node_figure(model, runs):
    p = subprocess.run(
        ["node", "tests/web/bench.mjs", model, "--json", "--runs", str(runs)],
        capture_output=True,
        text=True,
        cwd=REPO,
        timeout=1200,
    )
    if p.returncode != 0:
        return None
    row = json.loads(p.stdout)
    row = row[0] if isinstance(row, list) else row
    return row["invoke_ms"]["median"] if "invoke_ms" in row else None


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--accelerator", default="ethos-u55-128")
    p.add_argument("--runs", type=int, default=20)
    p.add_argument("--only", default="")
    p.add_argument("--json", action="store_true")
    a = p.parse_args()
    models = {n: os.path.join(SHARED, "models", n + ".tflite") for n in NETWORKS if a.only in n}
    models = {n: path for n, path in models.items() if os.path.exists(path)}
    if not models:
        print("left out: the public networks (no ../shared/models)", file=sys.stderr)
        return 0
    try:
        vela = Vela()
    except VelaMissing as e:
        print("left out: %s" % e, file=sys.stderr)
        return 0
    requests = [Request(n, open(path, "rb").read(), a.accelerator) for n, path in models.items()]
    wasm = [WASMTIME, "run", "--dir=/", os.path.join(REPO, "build", "npu_rt.wasm")]
    native, rows = [os.path.join(REPO, "build", "npu_rt")], []
    for request, result in vela.compile(requests):
        if result.path is None:
            print("left out: %s: %s" % (request.name, result.why), file=sys.stderr)
            continue
        compiled = os.path.abspath(result.path)
        rows.append(
            {
                "network": request.name,
                "accelerator": a.accelerator,
                "native_ms": figure(native, compiled, a.runs),
                "wasmtime_ms": figure(wasm, compiled, a.runs),
                "node_ms": node_figure(compiled, a.runs),
                "uncompiled_ms": figure(native, models[request.name], a.runs),
            }
        )
    if a.json:
        print(json.dumps(rows, indent=1))
        return 0
    print("| network for %s | native ms | wasmtime ms | node ms | uncompiled, native ms |" % a.accelerator)
    print("|---|---:|---:|---:|---:|")
    for r in rows:
        print(
            "| %s | %s |"
            % (
                r["network"],
                " | ".join(
                    "-" if r[k] is None else "%.4g" % r[k]
                    for k in ("native_ms", "wasmtime_ms", "node_ms", "uncompiled_ms")
                ),
            )
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
