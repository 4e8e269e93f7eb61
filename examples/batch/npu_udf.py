"""npu_rt inside a data engine's workers: the WASI module in wasmtime, a function from a model's bytes to rows.

A worker compiles the module once. Each model gets an instance of its own with memory and time that are limited, no folder
and no network: whatever a model does to it, the next one starts afresh.
"""

import functools
import json
import os
import tempfile
import threading
import time

import wasmtime

# What a row says of a model on an NPU. status OK: ops and what follows are known; else rule and message say why not.
FIELDS = [
    ("status", "string"),
    ("rule", "string"),
    ("message", "string"),
    ("npu", "string"),
    ("rules", "string"),
    ("ops", "int"),
    ("ops_placed", "int"),
    ("macs", "bigint"),
    ("macs_placed", "bigint"),
    ("partitions", "int"),
    ("switches", "int"),
    ("seconds_estimated", "double"),
    ("sram_bytes_estimated", "bigint"),
    ("fits", "boolean"),
    ("cycles_at_least", "bigint"),
    ("external_bytes_at_least", "bigint"),
    ("ops_placed_relax_fp32", "int"),
    ("reasons", "array<string>"),
]
SCHEMA = "array<struct<%s>>" % ", ".join("%s: %s" % f for f in FIELDS)


@functools.lru_cache(maxsize=1)
def runtime(module):
    """The engine of this process, which counts seconds so that a model can be stopped."""
    config = wasmtime.Config()
    config.epoch_interruption = True
    engine = wasmtime.Engine(config)
    linker = wasmtime.Linker(engine)
    linker.define_wasi()

    def tick():
        while True:
            time.sleep(1)
            engine.increment_epoch()

    threading.Thread(target=tick, daemon=True).start()
    return engine, linker, wasmtime.Module.from_file(engine, module)


def call(module, args, content, seconds, memory_mib):
    """npu_rt ARGS with the model on stdin: (exit code, stdout, stderr). The exit code is None if it was stopped or trapped."""
    engine, linker, compiled = runtime(module)
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, name) for name in ("model", "out", "err")]
        with open(files[0], "wb") as f:
            f.write(content)
        wasi = wasmtime.WasiConfig()
        wasi.argv = ["npu_rt", *args]
        wasi.stdin_file, wasi.stdout_file, wasi.stderr_file = files
        store = wasmtime.Store(engine)
        store.set_wasi(wasi)
        store.set_limits(memory_size=memory_mib << 20)
        store.set_epoch_deadline(seconds)
        code = 0
        try:
            linker.instantiate(store, compiled).exports(store)["_start"](store)
        except wasmtime.ExitTrap as e:
            code = e.code
        except (wasmtime.Trap, wasmtime.WasmtimeError):
            code = None
        del store  # closes the files
        return code, open(files[1], "rb").read(), open(files[2], "rb").read().decode("utf-8", "replace")


def row(**known):
    return {name: known.get(name) for name, _ in FIELDS}


def rows_of(npus):
    return [
        row(
            status="OK",
            npu=n["backend"],
            rules=n["profile"],
            seconds_estimated=n["estimate"] and n["estimate"]["seconds"],
            sram_bytes_estimated=n["estimate"] and n["estimate"]["sram_bytes"],
            cycles_at_least=n["lower_bound"] and n["lower_bound"]["cycles"],
            external_bytes_at_least=n["lower_bound"] and n["lower_bound"]["external_bytes"],
            ops_placed_relax_fp32=n["with_relax_fp32"] and n["with_relax_fp32"]["ops_placed"],
            reasons=["%d x %s: %s" % (r["ops"], r["rule"], r["text"]) for r in n["first_reasons"]],
            **{k: n[k] for k in ("ops", "ops_placed", "macs", "macs_placed", "partitions", "switches", "fits")},
        )
        for n in npus
    ]


def check(content, module, seconds=60, memory_mib=1024):
    """Rows for every NPU; of a model that cannot be read one row that says why. Never raises."""
    try:
        code, out, err = call(module, ["check", "-", "--json"], bytes(content), seconds, memory_mib)
        if code == 0:
            return rows_of(json.loads(out)["npus"])
        if code is None:
            return [
                row(
                    status="STOPPED",
                    rule="batch.limit",
                    message="more than %d s or %d MiB: %s" % (seconds, memory_mib, err),
                )
            ]
        error = json.loads(out)["error"]
        return [row(status=error["status"], rule=error["rule"], message=error["message"])]
    except Exception as e:  # a worker must go on with the next model
        return [row(status="FAILED", rule="batch.failed", message="%s: %s" % (type(e).__name__, e))]
