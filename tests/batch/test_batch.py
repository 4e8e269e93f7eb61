#!/usr/bin/env python3
"""examples/batch through a real Spark: every public network and 200 mutants have their rows, the same that the command line gives.

    test_batch.py [--command build/npu_rt] [--module build/npu_rt.wasm] [--python build/tools/batch/bin/python] [--mutants 200]
                  [--sample SEED]

--sample takes 40 mutants, and one of the other two tests: a table of models, and limits.
Spark needs Java and an environment of its own (tests/setup makes it where there is Java); without them it is said what is left out."""

import argparse
import csv
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
REPO = os.path.dirname(os.path.dirname(HERE))
EXAMPLE = os.path.join(REPO, "examples", "batch", "npu_batch.py")
sys.path.insert(0, os.path.join(REPO, "tests", "hostile"))
sys.path.insert(1, os.path.join(REPO, "tests", "conformance"))
from mutants import build_mutator, parents  # noqa: E402
from runner import Score  # noqa: E402
from sample import Sample, add_option  # noqa: E402

# Column of the example's rows: column of the command line's CSV.
SAME = {
    "npu": "npu",
    "rules": "rules",
    "ops": "ops",
    "ops_placed": "ops_placed",
    "macs": "macs",
    "macs_placed": "macs_placed",
    "partitions": "partitions",
    "switches": "switches",
    "sram_bytes_estimated": "sram_bytes_estimated",
    "external_bytes_at_least": "external_bytes_at_least",
    "ops_placed_relax_fp32": "ops_placed_relax_fp32",
}
ODD = ['quote".tflite', "comma, and space.tflite", "new\nline.tflite", "é 漢.tflite", "=1+1.tflite"]
ENV = {k: v for k, v in os.environ.items() if not k.startswith(("SPARK_", "PYSPARK_"))}


def batch(a, *args, timeout=1500):
    return subprocess.run(
        [a.python, EXAMPLE, *args, "--module", a.module, "--master", "local[2]"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        env=ENV,
        timeout=timeout,
    )


def models(folder, n_mutants):
    """The public networks, mutants of them and of small models, files that are no models, names that are hard to write down."""
    small, networks = parents(os.path.join(folder, "work"))
    source = os.path.join(folder, "models")
    os.makedirs(os.path.join(source, "mutants"))
    for path in networks:
        shutil.copy(path, source)
    mutate, of_networks = build_mutator(folder), n_mutants // 5
    for first, n, paths in ((1, n_mutants - of_networks, small), (n_mutants - of_networks + 1, of_networks, networks)):
        subprocess.run([mutate, "--many", str(first), str(n), os.path.join(source, "mutants"), *paths], check=True)
    for name in ODD:
        shutil.copy(networks[0], os.path.join(source, name))
    for name, content in (("empty.tflite", b""), ("text.tflite", b"no model"), ("read.me", b"not looked at")):
        with open(os.path.join(source, name), "wb") as f:
            f.write(content)
    return source, len(networks) + n_mutants + len(ODD) + 2


def by_model(text, key):
    rows = {}
    for row in csv.DictReader(text):
        rows.setdefault(os.path.realpath(row[key].removeprefix("file:")), []).append(row)
    return rows


def command_line(a, source):
    """What the command line says of each file: its CSV writes names as they can be read, so one at a time where they are odd."""
    p = subprocess.run(
        [a.command, "check", source, "--csv", "--jobs", "2"], capture_output=True, text=True, errors="replace"
    )
    found = by_model(p.stdout.splitlines(keepends=True), "model")
    plain = os.path.join(source, sorted(n for n in os.listdir(source) if n.endswith(".tflite") and n not in ODD)[0])
    for name in ODD:
        shown = subprocess.run(
            [a.command, "check", os.path.join(source, name), "--csv"], capture_output=True, text=True
        )
        found[os.path.realpath(os.path.join(source, name))] = list(csv.DictReader(shown.stdout.splitlines()))
    return found, plain


def problem_of(rows, want):
    if want is None:
        return "the command line has no such model"
    if len(rows) != len(want):
        return "%d rows, the command line has %d" % (len(rows), len(want))
    for row, other in zip(rows, want):
        if row["status"] == "FAILED" or not row["status"]:
            return "the engine failed: %s" % row["message"]
        if row["status"] != other["status"]:
            # The module has 32 bits and a limit of its own: what does not fit is refused there, in words.
            if row["rule"] and row["message"] and row["status"] in ("LIMIT", "OUT_OF_MEMORY", "STOPPED"):
                continue
            return "%s %s, the command line says %s" % (row["status"], row["rule"], other["status"])
        if row["status"] != "OK":
            if row["rule"] != other["rule"] or not row["message"]:
                return "%s, the command line says %s" % (row["rule"], other["rule"])
            continue
        for mine, theirs in SAME.items():
            if row[mine] != other[theirs]:
                return "%s on %s: %s, the command line says %s" % (mine, row["npu"], row[mine], other[theirs])
    return None


def everything(score, a, folder):
    source, n = models(folder, a.mutants)
    start, out = time.time(), os.path.join(folder, "rows.csv")
    p = batch(a, source, "--out", out)
    score.check("npu_batch.py", None if p.returncode == 0 else "exit %d: %s" % (p.returncode, p.stderr[-600:]))
    if p.returncode:
        return
    with open(out, newline="", encoding="utf-8") as f:
        rows = by_model(f, "path")
    want, _ = command_line(a, source)
    score.check("every model has rows", None if len(rows) == n else "%d of %d" % (len(rows), n))
    for path in sorted(rows):
        score.check(os.path.relpath(path, source), problem_of(rows[path], want.get(path)))
    npus = {len(of) for of in rows.values() if of[0]["status"] == "OK"}
    score.check("a row for each NPU", None if len(npus) == 1 and min(npus) >= 7 else str(npus))
    bad = sum(of[0]["status"] != "OK" for of in rows.values())
    score.check(
        "some mutants are broken, some not", None if 2 < bad < n - a.mutants // 4 else "%d of %d broken" % (bad, n)
    )
    print("note: %d models (%d broken) in %.0f s: %s" % (n, bad, time.time() - start, p.stderr.strip().split("\n")[-1]))


def table(score, a, folder):
    """A table instead of a folder: the same rows, whatever the bytes are."""
    path, out = os.path.join(folder, "models.parquet"), os.path.join(folder, "table.csv")
    with open(os.path.join(REPO, "examples", "digits", "digits_int8.tflite"), "rb") as f:
        good = f.read()
    made = subprocess.run(
        [a.python, "-c", TABLE, path, good.hex()], stdin=subprocess.DEVNULL, capture_output=True, text=True, env=ENV
    )
    score.check("a table", None if made.returncode == 0 else made.stderr[-400:])
    p = batch(a, path, "--out", out)
    score.check("npu_batch.py TABLE", None if p.returncode == 0 else p.stderr[-400:])
    if p.returncode:
        return
    with open(out, newline="", encoding="utf-8") as f:
        rows = [(r["path"], r["status"]) for r in csv.DictReader(f)]
    score.check("rows of the good one", None if rows.count(("good", "OK")) >= 7 else str(rows))
    for name in ("cut", "nothing", "null"):
        mine = [s for n, s in rows if n == name]
        score.check("a row for '%s'" % name, None if len(mine) == 1 and mine[0] != "OK" else str(mine))


TABLE = """
import sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
good = bytearray.fromhex(sys.argv[2])
rows = [("good", good), ("cut", good[:700]), ("nothing", bytearray()), ("null", None)]
spark.createDataFrame(rows, "path string, content binary").write.parquet(sys.argv[1])
"""


def limits(score, a, folder):
    """A model that needs more than it is given says so, and a module that is not there is a usage error."""
    few = os.path.join(folder, "few")
    os.makedirs(few)
    for name in ("digits_int8", "digits_float32"):
        shutil.copy(os.path.join(REPO, "examples", "digits", name + ".tflite"), few)
    out = os.path.join(folder, "few.csv")
    p = batch(a, few, "--out", out, "--memory", "1")
    with open(out, newline="", encoding="utf-8") as f:
        rows = [r["status"] for r in csv.DictReader(f)]
    ok = p.returncode == 0 and len(rows) == 2 and set(rows) <= {"STOPPED", "FAILED"}
    score.check("1 MiB", None if ok else "%s %s" % (rows, p.stderr[-300:]))
    a.module, module = os.path.join(folder, "no.wasm"), a.module
    p = batch(a, few)
    a.module = module
    score.check("no module", None if p.returncode == 2 and "make wasi" in p.stderr else p.stderr[-300:])


def missing(a):
    if not os.path.exists(a.python):
        return "no %s: tests/setup makes it where there is Java" % os.path.relpath(a.python, REPO)
    java = os.path.join(os.environ["JAVA_HOME"], "bin", "java") if os.environ.get("JAVA_HOME") else "java"
    return None if shutil.which(java) else "no Java 17 or newer: apt install openjdk-17-jre-headless, then tests/setup"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--command", default=os.path.join(REPO, "build", "npu_rt"))
    p.add_argument("--module", default=os.path.join(REPO, "build", "npu_rt.wasm"))
    p.add_argument("--python", default=os.path.join(REPO, "build", "tools", "batch", "bin", "python"))
    p.add_argument("--mutants", type=int, default=200)
    add_option(p)
    a = p.parse_args()
    score, why, sample = Score("batch"), missing(a), Sample(a.sample)
    if a.sample:
        a.mutants = min(a.mutants, 40)
    if why:
        print("left out batch: Spark over all public networks and mutants: %s" % why)
        print("batch: 0 passed, 0 failed")
        return 0
    with tempfile.TemporaryDirectory(prefix="npu_rt_batch_") as folder:
        everything(score, a, folder)
        for name in sample.pick("others", ("table", "limits")):
            {"table": table, "limits": limits}[name](score, a, folder)
    sample.report("batch", "tests of a table and of limits, and mutants but for 40")
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
