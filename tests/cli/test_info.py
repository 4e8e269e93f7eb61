#!/usr/bin/env python3
"""npu_rt info: --ops-define, --target and --isa. As test_cli.py: test_info.py COMMAND..."""

import json
import re
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

import test_cli
import tiny_model as tiny

REPO = Path(__file__).resolve().parents[2]
ISAS = ["scalar", "avx2", "avx512vnni", "neon", "neon-dot", "wasm-simd128", "wasm-relaxed"]


class Tests(test_cli.Tests):
    def memory(self, *args):
        r = self.call("info", *args, "--json")
        self.check(f"info {args}", r.returncode == 0, r.stderr)
        return json.loads(r.stdout)["memory"]

    # ---- --ops-define ----

    def test_ops_define(self):
        for name in ("digits_int8.tflite", "digits_int8_ethos_u55_128.tflite"):
            shutil.copy(REPO / "examples" / "digits" / name, self.folder / name)
        self.expect("one model", 0, "info", "--ops-define", "add.tflite", out=["#define NPU_RT_ONLY_OPS(X) X(ADD)\n"])
        r = self.expect(
            "several models, each operator once",
            0,
            "info",
            "add.tflite",
            "--ops-define",
            "digits_int8.tflite",
            "add.tflite",
        )
        line = r.stdout.decode()
        self.check(
            "sorted, on one line",
            line == "#define NPU_RT_ONLY_OPS(X) X(ADD) X(CONV_2D) X(FULLY_CONNECTED) X(MAX_POOL_2D) "
            "X(RESHAPE) X(SOFTMAX)\n",
            line,
        )
        r = self.call("info", "--ops-define", "digits_int8_ethos_u55_128.tflite")
        self.check(
            "a compiled network",
            r.returncode == 0 and b"#define NPU_RT_BACKEND_ETHOSU\n" in r.stdout and b"ethos" not in r.stdout,
            r.stdout,
        )
        j = json.loads(
            self.call("info", "--ops-define", "--json", "digits_int8_ethos_u55_128.tflite", "add.tflite").stdout
        )
        self.check(
            "JSON",
            "ADD" in j["ops"]
            and j["ethos_u"] is True
            and "-DNPU_RT_BACKEND_ETHOSU" in j["flags"]
            and re.fullmatch(r"-DNPU_RT_ONLY_OPS\(X\)=X\(\w+\)( X\(\w+\))*", j["flags"][0]),
            j,
        )
        j = json.loads(self.call("info", "--ops-define", "--json", "add.tflite").stdout)
        self.check(
            "JSON without an NPU", j == {"ops": ["ADD"], "ethos_u": False, "flags": ["-DNPU_RT_ONLY_OPS(X)=X(ADD)"]}, j
        )

    def test_ops_define_refusals(self):
        self.write("custom.tflite", tiny.custom_model())
        r = self.expect(
            "an unknown operator",
            4,
            "info",
            "--ops-define",
            "add.tflite",
            "custom.tflite",
            err=["custom.tflite", "no kernel for the custom operator", "1 times, first as operator 0 of subgraph 0"],
        )
        self.check("and no line", not r.stdout, r.stdout)
        self.expect("no model", 2, "info", "--ops-define", err=["which model"])
        self.expect("several models without it", 2, "info", "add.tflite", "add.tflite", err=["one model at a time"])
        self.expect("a missing file", 1, "info", "--ops-define", "add.tflite", "nothing.tflite", err=["nothing.tflite"])
        self.write("broken.tflite", b"broken")
        self.expect("a broken file", 3, "info", "--ops-define", "broken.tflite", err=["broken.tflite"])

    # ---- --target and --isa ----

    def test_memory_of_a_target(self):
        here = self.memory("add.tflite")
        self.check("this machine", here["machine"] == "this" and here["isa"] in ISAS, here)
        same = self.memory("add.tflite", "--isa", here["isa"])
        self.check("this machine, named", same == here, (same, here))
        on32, on64, x86 = (self.memory("add.tflite", "--target", t) for t in ("32bit", "64bit", "32bit-x86"))
        self.check(
            "32 bits take less",
            on32["session_bytes"] < on64["session_bytes"] and x86["plan_bytes"] <= on32["plan_bytes"],
            (on32, on64, x86),
        )
        self.check("scalar by default", {m["isa"] for m in (on32, on64, x86)} == {"scalar"}, on32)
        for isa in ISAS:
            m = self.memory("add.tflite", "--target", "32bit", "--isa", isa)
            self.check(f"32 bits with {isa}", m["isa"] == isa and m["machine"] == "32bit" and m["session_bytes"] > 0, m)
        self.expect(
            "as text",
            0,
            "info",
            "add.tflite",
            "--target",
            "32bit",
            "--isa",
            "neon",
            out=["memory (32bit, neon): session"],
        )

    def test_targets_refused(self):
        self.expect(
            "unknown target",
            2,
            "info",
            "add.tflite",
            "--target",
            "16bit",
            err=["16bit", "this, 64bit, 32bit, 32bit-x86"],
        )
        self.expect("unknown instruction set", 2, "info", "add.tflite", "--isa", "mmx", err=["mmx", "neon-dot"])
        self.expect("no value", 2, "info", "add.tflite", "--target", err=["needs a value"])


def main():
    words = shlex.split(sys.argv[1]) if len(sys.argv) == 2 else sys.argv[1:]
    prefix = [str(Path(a).resolve()) if Path(a).is_file() else a for a in words]
    with tempfile.TemporaryDirectory(prefix="npu_rt_info_") as folder:
        tests = Tests(prefix, folder, None)
        tests.write("add.tflite", tiny.add_model())
        own = sorted(n for n in vars(Tests) if n.startswith("test_"))
        for name in own:
            getattr(tests, name)()
        print(f"info: {tests.passed} passed, {tests.failed} failed")
        return 1 if tests.failed or not own else 0


if __name__ == "__main__":
    sys.exit(main())
