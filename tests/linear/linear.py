#!/usr/bin/env python3
"""Opening, planning and every report take time and memory in proportion to the file: proven by counting.

    linear.py [--harness PROGRAM] [--bytes N] [--factor N] [--only KIND] [--sample SEED] [--verbose]

For each kind of thing that a file may have many of, two files: one of about N bytes and one FACTOR times as large. The
harness (reports.c beside this file) counts executed edges and bytes at the peak, phase by phase; the larger file may
take at most FACTOR * 1.3 times as many (a pass n log n stays below that). The kinds named "shared" have operators that
all name the same large thing, which is where a file of N bytes could ask for N * N steps.

--sample takes three kinds. The full proof is linear.py --bytes 1000000 --factor 10."""

import argparse
import os
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "conformance"))
from sample import Sample, add_option  # noqa: E402

from kinds import (
    adds,
    branches,
    calls,
    constants,
    convolutions,
    custom_long_names,
    custom_operators,
    dilated,
    inputs_of_add_n,
    inputs_of_concatenation,
    inputs_of_pack,
    inputs_of_unknown,
    long_names,
    many_signatures_of_many,
    metadata,
    operators,
    outputs_of_split,
    outputs_of_unpack,
    resources,
    resources_long,
    same_input_again,
    signature_entries,
    signatures,
    subgraphs,
    subgraphs_wide,
    tensors,
    variables,
)
from kinds_shared import (
    channels,
    custom_options,
    custom_options_big,
    dispatches,
    scattered,
    shared_buffer,
    shared_channels,
    shared_custom_options,
    shared_long_name,
    shared_name,
    shared_sizes,
    shared_stream,
    shared_weights,
    sparse,
    streams,
)
from parts import File

HERE = os.path.dirname(os.path.abspath(__file__))

SLACK = 1.3
FLOOR_EDGES, FLOOR_BYTES = 20000, 200000  # what every run takes whatever the file: not compared below

KINDS = [
    operators,
    branches,
    adds,
    convolutions,
    dilated,
    tensors,
    constants,
    variables,
    subgraphs,
    subgraphs_wide,
    calls,
    signatures,
    signature_entries,
    many_signatures_of_many,
    resources,
    resources_long,
    metadata,
    long_names,
    custom_operators,
    custom_long_names,
    inputs_of_concatenation,
    same_input_again,
    inputs_of_pack,
    inputs_of_add_n,
    outputs_of_split,
    outputs_of_unpack,
    inputs_of_unknown,
    channels,
    sparse,
    custom_options,
    custom_options_big,
    streams,
    shared_channels,
    shared_weights,
    shared_buffer,
    dispatches,
    shared_long_name,
    shared_sizes,
    shared_name,
    shared_stream,
    shared_custom_options,
    scattered,
]


def build(kind, size, path):
    f = File()
    kind(f, size)
    data = f.bytes()
    if not size / 3 < len(data) < size * 2:
        raise RuntimeError("%d bytes instead of about %d" % (len(data), size))
    with open(path, "wb") as out:
        out.write(data)
    return len(data)


def measure(harness, path):
    """{phase: (status, edges, peak bytes)}"""
    p = subprocess.run([harness, path], capture_output=True, text=True, timeout=3600)
    if p.returncode:
        raise RuntimeError("exit %d: %s" % (p.returncode, p.stderr[-300:]))
    rows = [line.split() for line in p.stdout.splitlines() if not line.startswith(("file ", "#"))]
    return {r[0]: (r[1], int(r[2]), int(r[3])) for r in rows}


def compare(kind, a, harness, folder):
    paths = [os.path.join(folder, "%s.%d.tflite" % (kind.__name__, i)) for i in (0, 1)]
    sizes = [build(kind, n, p) for n, p in zip((a.bytes, a.bytes * a.factor), paths)]
    small, large = [measure(harness, p) for p in paths]
    grown, problems, worst = sizes[1] / sizes[0], [], (0, "")
    most = max((row[1] / sizes[1], phase) for phase, row in large.items())
    for phase in small:
        plan = phase.replace("session", "plan")
        if phase not in large and large[plan][0] == "LIMIT":  # what is larger may be too large, and ends there
            continue
        edges = max(large[phase][1], 1) / max(small[phase][1], FLOOR_EDGES)
        memory = max(large[phase][2], 1) / max(small[phase][2], FLOOR_BYTES)
        worst = max(worst, (edges, phase))
        for what, ratio in (("edges", edges), ("bytes", memory)):
            if ratio > grown * SLACK:
                problems.append("%s: %s grow %.1f times for a file %.1f times as large" % (phase, what, ratio, grown))
        if a.verbose:
            print(
                "  %-24s %-16s %-16s edges %12d %12d %7.1f   bytes %11d %11d %7.1f"
                % (
                    phase,
                    small[phase][0],
                    large[phase][0],
                    small[phase][1],
                    large[phase][1],
                    edges,
                    small[phase][2],
                    large[phase][2],
                    memory,
                )
            )
    status = "plan " + large["plan"][0] if "plan" in large else "open " + large["open"][0]
    print(
        "%-24s %9d %10d bytes  x%-5.1f worst x%-5.1f (%s)  most %.0f edges a byte (%s)  %s"
        % (kind.__name__, sizes[0], sizes[1], grown, worst[0], worst[1], *most, status),
        flush=True,
    )
    for p in paths:
        os.remove(p)
    return problems


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--harness", default="build/test/reports")
    p.add_argument("--bytes", type=int, default=300000, help="size of the smaller files")
    p.add_argument("--factor", type=int, default=10)
    p.add_argument("--only", default="")
    p.add_argument("--verbose", action="store_true")
    add_option(p)
    a = p.parse_args()
    sample = Sample(a.sample)
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        chosen = sample.pick("kinds", [kind.__name__ for kind in KINDS if a.only in kind.__name__], 3)
        for kind in KINDS:
            if kind.__name__ not in chosen:
                continue
            try:
                problems = compare(kind, a, a.harness, folder)
            except (RuntimeError, subprocess.TimeoutExpired) as e:
                problems = [str(e)]
            passed, failed = passed + (not problems), failed + bool(problems)
            for text in problems:
                print("FAIL linear: %s: %s" % (kind.__name__, text), flush=True)
    sample.report("linear", "kinds of files")
    print("linear: %d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
