#!/usr/bin/env python3
"""What every NPU makes of all models of a folder or a table, by Spark, started here.

usage: npu_batch.py FOLDER [--out rows.csv]      all .tflite and .circle files below a folder
       npu_batch.py TABLE.parquet [--out ...]    a table with the columns path and content

In a cluster of your own: add npu_udf.py and the module to its files, and use `verdicts` below as it stands.
"""

import argparse
import csv
import os
import sys
import time

import npu_udf
from pyspark import StorageLevel
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

HERE = os.path.dirname(os.path.abspath(__file__))


def verdicts(models, module, seconds, memory_mib):
    """A row for each model and NPU, from rows with path and content."""
    check = F.udf(lambda content: npu_udf.check(content, module, seconds, memory_mib), npu_udf.SCHEMA)
    return models.select("path", F.explode(check("content")).alias("r")).select("path", "r.*")


def empty_files(spark, source):
    """Models of no bytes: Spark's reader leaves such files out, and they shall have a row, too."""
    folder = spark._jvm.org.apache.hadoop.fs.Path(source)
    files = folder.getFileSystem(spark._jsc.hadoopConfiguration()).listFiles(folder, True)
    while files.hasNext():
        f = files.next()
        if f.getLen() == 0 and f.getPath().getName().endswith((".tflite", ".circle")):
            yield f.getPath().toString(), bytearray()


def models_of(spark, source):
    if source.endswith(".parquet"):
        return spark.read.parquet(source).select("path", "content")
    files = (
        spark.read.format("binaryFile")
        .option("recursiveFileLookup", "true")
        .option("pathGlobFilter", "*.{tflite,circle}")
    )
    # One model a task: some take a thousand times as long as others.
    found = files.load(source).select("path", "content")
    empty = list(empty_files(spark, source))
    if empty:
        found = found.union(spark.createDataFrame(empty, "path string, content binary"))
    return found.repartition(max(1, min(10000, found.select("path").count())))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("source")
    p.add_argument("--out", default="-", help="CSV; - is stdout")
    p.add_argument("--module", default=os.path.join(HERE, "..", "..", "build", "npu_rt.wasm"))
    p.add_argument("--seconds", type=int, default=60, help="for one model")
    p.add_argument("--memory", type=int, default=1024, help="MiB for one model")
    p.add_argument("--master", default="local[*]")
    a = p.parse_args()
    if not os.path.isfile(a.module):
        p.error("no module %s: make wasi builds it" % a.module)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers have the same packages
    builder = SparkSession.builder.master(a.master).appName("npu_rt").config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.execution.arrow.pyspark.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.sparkContext.addPyFile(os.path.join(HERE, "npu_udf.py"))
    start, n, broken = time.monotonic(), 0, 0
    seen = set()
    out = sys.stdout if a.out == "-" else open(a.out, "w", newline="")
    rows = verdicts(models_of(spark, a.source), os.path.abspath(a.module), a.seconds, a.memory)
    rows.persist(StorageLevel.DISK_ONLY).count()  # all workers at once; an iterator would ask one after the other
    writer = csv.writer(out)
    writer.writerow(["path"] + [name for name, _ in npu_udf.FIELDS])
    for r in rows.toLocalIterator():
        writer.writerow([";".join(v) if isinstance(v, list) else v for v in r])
        seen.add(r["path"])
        n, broken = n + 1, broken + (r["status"] != "OK")
    out.flush()
    print(
        "%d models, %d rows, %d broken models, %.1f s" % (len(seen), n, broken, time.monotonic() - start),
        file=sys.stderr,
    )
    spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
