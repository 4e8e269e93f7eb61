#!/usr/bin/env python3
"""Timing, limits and reports. usage: see kit.py."""

import json
import re
import shutil
import subprocess
import sys
import time

import numpy as np

import kit
import tiny_model as tiny


class Tests(kit.Kit):
    # ---- the other commands ----

    def test_bench(self):
        keys = [
            "load_ms",
            "prepare_ms",
            "first_ms",
            "invoke_ms",
            "runs",
            "time_limit_reached",
            "arena_bytes",
            "packed_bytes",
            "backend",
            "memory",
            "peak_rss_bytes",
            "isa",
            "threads",
            "ops",
            "op_types",
            "error",
        ]
        r = self.expect("bench --json", 0, "bench", "add.tflite", "--json", "--warmup", 1, "--runs", 5)
        j = json.loads(r.stdout)
        self.check(
            "bench --json: keys",
            list(j) == keys and list(j["invoke_ms"]) == ["min", "median", "p95", "mean", "stddev"],
            r.stdout,
        )
        self.check("bench --json: order", j["invoke_ms"]["min"] <= j["invoke_ms"]["median"] <= j["invoke_ms"]["p95"])
        self.check("bench --json: memory", j["peak_rss_bytes"] > 100000 and j["threads"] == 1 and j["ops"] == [])
        j = json.loads(self.call("bench", "add.tflite", "--json", "--profile", "--runs", 5, "--isa", "scalar").stdout)
        self.check(
            "bench --profile --json",
            len(j["ops"]) == 1
            and j["ops"][0]["op"] == "ADD"
            and j["ops"][0]["runs"] == 5
            and j["isa"] == "scalar"
            and abs(j["ops"][0]["share"] - 1) < 1e-6,
            j,
        )
        self.expect(
            "bench text",
            0,
            "bench",
            "add.tflite",
            "--profile",
            "--runs",
            1,
            "--warmup",
            0,
            out=["load", "prepare", "first", "median", "arena", "packed", "GMAC/s", "ADD"],
        )
        self.expect("bench reports errors", 4, "bench", self.write("custom.tflite", tiny.custom_model()))

    # ---- limits ----

    def test_time_limit(self):
        self.write("slow.tflite", tiny.slow_model())
        reached = r"time limit of 1 s reached after \d+\.\d+ s in "
        where = r": subgraph 0, operator 0 AVERAGE_POOL_2D \(about 100 % of the work of its subgraph\)"
        r = self.timed(
            "run stops inside an operator",
            ("run", "slow.tflite", "--time-limit", 1, "--output-dir", "never"),
            1,
            err=[reached + "run 1 of 1" + where],
        )
        self.check("a stopped run writes nothing", r.stdout == b"" and not (self.folder / "never").exists(), r.stdout)
        r = self.timed("threads stop too", ("run", "slow.tflite", "--time-limit", 1, "--threads", 4), 1, err=[reached])
        r = self.timed(
            "bench stops inside an operator",
            ("bench", "slow.tflite", "--time-limit", 1, "--json"),
            1,
            err=[reached + "the first run" + where],
        )
        self.check("bench that finished nothing gives no figures", list(json.loads(r.stdout)) == ["error"], r.stdout)
        self.timed(
            "repeated runs stop",
            ("run", "add.tflite", "--repeat", 1000000000, "--time-limit", "0.5"),
            0.5,
            err=[
                r"time limit of 0\.5 s reached after 0\.\d+ s in run \d+ of 1000000000.*; \d+ runs before it finished"
            ],
        )
        self.write("quick.tflite", tiny.slow_model(32, 32))
        r = self.timed(
            "repeated timings stop",
            ("bench", "quick.tflite", "--runs", 1000000, "--time-limit", "0.5", "--json"),
            0.5,
            err=["in timed run \\d+ of 1000000"],
        )
        j = json.loads(r.stdout)
        self.check("bench says why it stopped", j["error"]["status"] == "CANCELLED", r.stdout)
        self.check(
            "bench gives the figures until then",
            j["time_limit_reached"] is True and 0 < j["runs"] < 1000000 and j["invoke_ms"]["min"] > 0,
            r.stdout,
        )
        r = self.timed(
            "warm-up stops",
            ("bench", "quick.tflite", "--warmup", 1000000, "--time-limit", "0.5", "--json"),
            0.5,
            err=["in warm-up run \\d+ of 1000000"],
        )
        j = json.loads(r.stdout)
        self.check(
            "bench without a timed run",
            j["runs"] == 0 and j["invoke_ms"]["median"] is None and j["first_ms"] > 0,
            r.stdout,
        )
        self.expect("a limit that is not reached", 0, "run", "add.tflite", "--time-limit", 60)
        self.write("copy.tflite", tiny.copy_model(tiny.FLOAT16, [1 << 27]))
        self.timed(
            "making up inputs stops",
            ("run", "copy.tflite", "--time-limit", "0.2"),
            10,
            err=["while (making up the inputs|preparing)"],
        )
        self.stops_after_invoke()
        with open("/dev/zero", "rb") as endless:
            r = subprocess.run(self.prefix + ["run", "-", "--time-limit", "0.1"], stdin=endless, capture_output=True)
        self.check("endless input stops", r.returncode == 1 and b"while reading" in r.stderr, r.stderr)
        for value in "0", "-1", "nan", "inf", "x", "1s", "":
            for command in "run", "bench":
                self.expect(
                    f"{command} --time-limit {value!r}",
                    2,
                    command,
                    "add.tflite",
                    f"--time-limit={value}",
                    err=["--time-limit"],
                )

    def stops_after_invoke(self):
        """The invoke is over and a large output is summed up, or written, when the time comes: no outputs, no report."""
        self.write("wide.tflite", tiny.wide_model(100_000_000))
        start = time.monotonic()
        self.expect("a large output", 0, "run", "wide.tflite", "--json")
        limit, r = time.monotonic() - start, None
        for _ in range(
            10
        ):  # how long it takes changes with what else the machine does: half the time, until that is too short
            r = self.call("run", "wide.tflite", "--json", "--output-dir", "never", "--time-limit", f"{limit:.3f}")
            if r.returncode:
                break
            shutil.rmtree(self.folder / "never")
            limit /= 1.5
        self.check(
            "summing up stops",
            r.returncode == 1 and re.search(b"while (summing up|writing) the outputs", r.stderr),
            r.stderr,
        )
        self.check(
            "then nothing is written",
            list(json.loads(r.stdout)) == ["error"] and not list(self.folder.glob("never/*")),
            r.stdout[:200],
        )

    def test_memory_and_work(self):
        self.write("slow.tflite", tiny.slow_model())
        for command in "run", "bench":
            self.expect(
                f"{command} --max-memory",
                3,
                command,
                "slow.tflite",
                "--max-memory",
                1,
                err=["plan.memory", "--max-memory MIB raises"],
            )
            self.expect(
                f"{command} --max-work",
                3,
                command,
                "slow.tflite",
                "--max-work",
                1000000,
                err=["session.work", "AVERAGE_POOL_2D", "--max-work STEPS raises"],
            )
            for option, value in (
                ("--max-memory", "0"),
                ("--max-memory", "x"),
                ("--max-memory", "1.5"),
                ("--max-work", "0"),
                ("--max-work", "9223372036854775808"),
                ("--max-work", "-1"),
            ):
                self.expect(f"{command} {option} {value}", 2, command, "add.tflite", option, value, err=[option])
            self.expect(
                f"{command} within its limits", 0, command, "add.tflite", "--max-memory", 1, "--max-work", 100000
            )
        for args in (("check", "--backend", "none"), ("cost", "--backend", "ethos-u55-128")):
            self.expect(f"{args[0]} --max-memory", 0, *args, "add.tflite", "--max-memory", 1)
            self.expect(f"{args[0]} --max-memory 0", 2, *args, "add.tflite", "--max-memory", 0, err=["--max-memory"])
        self.expect(
            "info --max-memory",
            0,
            "info",
            "slow.tflite",
            "--max-memory",
            1,
            err=["plan.memory", "--max-memory MIB raises"],
        )
        big = np.zeros((1 << 17, 4), "<f4")
        self.write("big.npy", big)
        self.expect(
            "an input beyond the limit",
            5,
            "run",
            "add.tflite",
            "--input",
            "0=big.npy",
            "--input",
            "1=big.npy",
            "--max-memory",
            1,
            err=["plan.memory", "--max-memory"],
        )
        r = self.expect("run --json has the memory", 0, "run", "add.tflite", "--json")
        memory = json.loads(r.stdout)["memory"]
        size = (self.folder / "add.tflite").stat().st_size
        self.check(
            "memory of each part",
            memory["file_bytes"] == size
            and memory["session_bytes"] >= memory["arena_bytes"] + memory["packed_bytes"] + memory["variable_bytes"] > 0
            and memory["plan_bytes"] > 0,
            memory,
        )
        j = json.loads(self.call("bench", "add.tflite", "--json", "--runs", 1).stdout)
        self.check("the same in bench", j["memory"] == memory, j)
        self.expect(
            "run --verbose",
            0,
            "run",
            "add.tflite",
            "--verbose",
            out=["memory\n", f"{'session':<12} {memory['session_bytes']:>12} bytes"],
        )
        self.check("run without --verbose", b"memory" not in self.call("run", "add.tflite").stdout)

    def test_reports(self):
        self.expect("info", 0, "info", "add.tflite", out=["serve", "ADD"])
        self.expect("dump", 0, "dump", "add.tflite", out=["ADD"])
        for args in (
            ("info", "add.tflite"),
            ("dump", "add.tflite"),
            ("check", "add.tflite", "--backend", "none"),
            ("ops", "--backend", "none"),
        ):
            r = self.expect(f"{args} --json", 0, *args, "--json")
            try:
                json.loads(r.stdout)
                self.check(f"{args} is JSON", True)
            except ValueError as error:
                self.check(f"{args} is JSON", False, f"{error} {r.stdout[:500]}")
        self.expect("ops --markdown", 0, "ops", "--backend", "none", "--markdown", out=["|"])
        self.expect("ops without a backend", 2, "ops", err=["--backend", "none"])
        self.expect("ops with an unknown backend", 2, "ops", "--backend", "tpu", err=["tpu", "none"])
        self.expect("ops with an operand", 2, "ops", "--backend", "none", "x", err=["x"])
        self.expect(
            "check by rules without a backend", 2, "check", "add.tflite", "--rules", "published", err=["--backend"]
        )
        self.expect("check with an unknown backend", 2, "check", "add.tflite", "--backend", "tpu", err=["tpu", "none"])
        self.profiles()
        self.lower()
        self.expect("check of a broken model", 3, "check", self.write("empty.tflite", b""), "--backend", "none")
        names = self.call("--version").stdout.decode().split("backends: ")[1].split("\n")[0].split(", ")
        for backend in names:
            r = self.call("check", "add.tflite", "--backend", backend, "--json")
            j = json.loads(r.stdout)
            self.check(
                f"check --backend {backend}",
                r.returncode == 0
                and sorted(j["summary"])
                == sorted(
                    [
                        "ops",
                        "ops_placed",
                        "ops_dropped",
                        "macs",
                        "macs_placed",
                        "partitions",
                        "switches",
                        "refused_once",
                    ]
                )
                and j["backend"] == backend
                and j["accelerator"] == (backend if backend.count("-") > 1 else None)
                and sorted(j["ops"][0])
                == sorted(["subgraph", "index", "op", "output", "placed", "once", "dropped", "reasons", "warnings"]),
                r.stdout,
            )
            self.check(
                f"check --backend {backend}: reasons",
                all(
                    sorted(reason) == sorted(["rule", "text", "got", "limit", "hint", "source"])
                    for reason in j["ops"][0]["reasons"]
                ),
                r.stdout,
            )
            placed = j["summary"]["ops_placed"] == j["summary"]["ops"]
            self.expect(
                f"check --strict --backend {backend}",
                0 if placed else 6,
                "check",
                "add.tflite",
                "--backend",
                backend,
                "--strict",
                err=[] if placed else ["not placed"],
            )

    def lower(self):
        self.expect("lower without a backend", 2, "lower", "add.tflite", err=["--backend", "neuron"])
        self.expect("lower for the CPU", 4, "lower", "add.tflite", "--backend", "none", err=["lower.analysis_only"])
        self.expect("lower for Vela's hardware", 4, "lower", "add.tflite", "--backend", "ethos-u", err=["ethos-u"])
        args = ("lower", "add.tflite", "--backend", "neuron")
        self.expect("lower", 0, *args, out=["segment 0: 1 operators", "ADD(#0, #1, #3) -> #2"])
        self.expect("lower --dot", 0, *args, "--dot", out=["digraph lowered {"])
        self.expect("lower --runtime", 2, *args, "--runtime", "9", err=["lower.runtime", "8.2.28"])
        self.expect("lower by unknown rules", 2, *args, "--rules", "x", err=["litert-2.3"])
        j = json.loads(self.expect("lower --json", 0, *args, "--rules", "published", "--json").stdout)
        good = (j["backend"], j["profile"], len(j["segments"])) == ("neuron", "published", 1)
        self.check("lower --json has a segment", good and len(j["segments"][0]["operations"]) == 1, j)
        self.expect("lower of a broken model", 3, "lower", self.write("none.tflite", b""), "--backend", "neuron")

    def profiles(self):
        for backend, default, other in (
            ("ethos-u", "published", "vela-3.2"),
            ("ethos-u55-128", "vela-5.2", "published"),
            ("ethos-u65-512", "vela-5.2", "vela-3.2"),
            ("ethos-u85-256", "vela-5.2", "published"),
            ("neuron", "litert-2.3", "published"),
            ("none", "runtime", "runtime"),
        ):
            for profile, args in ((default, ()), (other, ("--rules", other))):
                for command in (("ops",), ("check", "add.tflite")):
                    r = self.call(*command, "--backend", backend, *args, "--json")
                    self.check(
                        f"{command[0]} --backend {backend} {args}",
                        r.returncode == 0 and json.loads(r.stdout)["profile"] == profile,
                        r.stderr,
                    )
        for command in (("ops",), ("check", "add.tflite")):
            self.expect(
                f"{command[0]} with unknown rules",
                2,
                *command,
                "--backend",
                "ethos-u55-64",
                "--rules",
                "vela-4",
                err=["vela-4", "ethos-u55-64", "vela-5.2, vela-3.2, published"],
            )
            self.expect(
                f"{command[0]} with another product's rules",
                2,
                *command,
                "--backend",
                "ethos-u85-256",
                "--rules",
                "vela-3.2",
                err=["vela-3.2", "vela-5.2, published"],
            )
        self.expect("--version lists versions of rules", 0, "--version", out=["rules of ethos-u: published, vela-3.2"])
        self.expect(
            "check: text says what to change",
            0,
            "check",
            "add.tflite",
            "--backend",
            "ethos-u",
            out=["Quantize the model", "switches 0 times"],
        )


if __name__ == "__main__":
    sys.exit(kit.main(Tests))
