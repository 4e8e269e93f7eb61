#!/usr/bin/env python3
"""What the npu_rt command says when something is not as it should be. usage: see kit.py."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np

import kit
import media
import tiny_model as tiny

ROOT = Path(__file__).resolve().parents[2]
COMPILED = ROOT / "examples/digits/digits_int8_ethos_u55_128.tflite"
MODEL_COMMANDS = (
    ("run",),
    ("bench",),
    ("info",),
    ("dump",),
    ("check", "--backend", "none"),
    ("cost", "--backend", "ethos-u55-128"),
    ("stream",),
)


class Tests(kit.Kit):
    def failure(self, label, code, status, rule, *args, message=(), stdin=None):
        """With --json, a failure is an object on stdout that says what stderr says."""
        r = self.call(*args, stdin=stdin)
        try:
            j = json.loads(r.stdout)
        except ValueError:
            self.check(label, False, f"no JSON: {r.stdout!r} {r.stderr!r}")
            return {}
        e = j.get("error", {})
        ok = (
            r.returncode == code
            and list(j) == ["error"]
            and e["status"] == status
            and e["exit_code"] == code
            and re.fullmatch(rule, e["rule"])
            and all(m in e["message"] for m in message)
            and e["message"] in r.stderr.decode("utf-8", "replace")
        )
        self.check(label, ok, f"{r.returncode} {r.stdout.decode()} {r.stderr.decode()}")
        return e

    # ---- operators without a kernel ----

    def test_missing_operators(self):
        names = [29, b"Mine", 29, b"Yours", 31, 29]  # CONCAT_EMBEDDINGS and CALL, among customs
        self.write("missing.tflite", tiny.missing_model(names))
        for command in "run", "bench":
            self.expect(
                f"{command}: all missing operators",
                4,
                command,
                "missing.tflite",
                err=[
                    "CONCAT_EMBEDDINGS (subgraph 0, operator 0): this build has no kernel for 4 operators: CONCAT_EMBEDDINGS x3, "
                    'custom operator "Mine", custom operator "Yours", ',
                    "no kernel for CONCAT_EMBEDDINGS x3, first in subgraph 0, operator 0",
                    "no kernel for Yours (custom) x1, first in subgraph 0, operator 3",
                ],
            )
        want = [("CONCAT_EMBEDDINGS", False, 3, 0, 0), ("Mine", True, 1, 0, 1), ("Yours", True, 1, 0, 3)]
        e = self.failure(
            "run --json: all missing operators", 4, "UNSUPPORTED", "op.unknown", "run", "missing.tflite", "--json"
        )
        got = [tuple(m.values()) for m in e.get("missing", [])]
        self.check(
            "the list in the error",
            got[:3] == want and len(got) == 4 and e["op"] == "CONCAT_EMBEDDINGS" and e["index"] == 0,
            e,
        )
        self.expect(
            "info: all missing operators",
            0,
            "info",
            "missing.tflite",
            out=[
                "cannot run here",
                "CONCAT_EMBEDDINGS x3, first in subgraph 0, operator 0",
                "Mine x1 (custom), first in subgraph 0, operator 1",
                "Yours x1 (custom)",
            ],
        )
        j = json.loads(self.call("info", "missing.tflite", "--json").stdout)
        self.check("info --json: the same list", [tuple(m.values()) for m in j["missing"]] == got, j)
        j = json.loads(self.call("info", "add.tflite", "--json").stdout)
        self.check("info --json: nothing missing", j["missing"] == [], j)
        ops = json.loads(self.call("dump", "missing.tflite", "--json").stdout)["subgraphs"][0]["operators"]
        self.check("dump --json: none has a kernel", [op["known"] for op in ops] == [False] * 6, ops)
        many = [b"Operator%02d" % i for i in range(40)]
        self.write("many.tflite", tiny.missing_model(many))
        r = self.expect(
            "more than a message holds",
            4,
            "run",
            "many.tflite",
            err=[" for 40 operators: ", " more; register your own: npu_model_desc.operators [op.unknown]"],
        )
        self.check(
            "notes name every one",
            all(f"no kernel for {n.decode()} (custom) x1".encode() in r.stderr for n in many),
            r.stderr,
        )

    # ---- shapes ----

    def test_fixed_shapes(self):
        self.write("fixed.tflite", tiny.copy_model(tiny.FLOAT32, [1, 32, 32, 3]))
        self.write("less.npy", np.zeros((1, 31, 32, 3), "<f4"))
        self.write("flat.npy", np.zeros(32 * 32 * 3, "<f4"))
        for command in "run", "bench":
            for name, shape in (("less.npy", "[1,31,32,3]"), ("flat.npy", "[3072]")):
                self.expect(
                    f"{command}: {name} into a fixed input",
                    5,
                    command,
                    "fixed.tflite",
                    "--input",
                    f"0={name}",
                    err=[
                        f"{name}: input 0",
                        "takes the shape [1,32,32,3]",
                        f"not {shape}",
                        "plan.input_fixed",
                        "--resize",
                    ],
                )
        self.failure(
            "the same in JSON",
            5,
            "BAD_INPUT",
            "plan.input_fixed",
            "run",
            "fixed.tflite",
            "--input",
            "0=less.npy",
            "--json",
            message=["[1,32,32,3]", "[1,31,32,3]"],
        )
        r = self.expect(
            "--resize",
            0,
            "run",
            "fixed.tflite",
            "--input",
            "0=less.npy",
            "--resize",
            out=["input resized from [1,32,32,3] to [1,31,32,3]"],
        )
        self.check("--resize: the output's shape", b"float32[2976]" in r.stdout, r.stdout)
        j = json.loads(self.call("run", "fixed.tflite", "--input", "0=less.npy", "--resize", "--json").stdout)
        self.check(
            "--resize: JSON says so", "resized from [1,32,32,3] to [1,31,32,3]" in j["inputs"][0]["from"], j["inputs"]
        )
        self.expect("bench --resize", 0, "bench", "fixed.tflite", "--input", "0=flat.npy", "--resize", "--runs", 1)
        self.write("five.npy", np.zeros((5, 4), "<f4"))
        self.expect(
            "an open dimension needs no option",
            0,
            "run",
            "add.tflite",
            "--input",
            "0=five.npy",
            "--input",
            "1=five.npy",
            out=["input 0 a float32[5,4] <- .npy file, input resized from [1,4] to [5,4]"],
        )
        self.write("odd.npy", np.zeros((1, 3), "<f4"))
        self.expect(
            "a fixed dimension beside an open one",
            5,
            "run",
            "add.tflite",
            "--input",
            "1=odd.npy",
            err=["odd.npy: input 1", "[-1,4] (-1: any size), not [1,3]"],
        )
        self.expect(
            "a shape that an operator refuses",
            5,
            "run",
            "add.tflite",
            "--input",
            "1=odd.npy",
            "--resize",
            err=["odd.npy: ADD", "[op.broadcast]", "odd.npy has the shape [1,3]; input 1 is declared as [1,4]"],
        )
        self.write("right.npy", np.zeros((1, 32, 32, 3), "<f4"))
        r = self.expect("the declared shape", 0, "run", "fixed.tflite", "--input", "0=right.npy", "--resize")
        self.check("nothing was resized", b"resized" not in r.stdout, r.stdout)

    # ---- files of other kinds, and files that lost their end ----

    def test_other_files(self):
        kinds = {
            "a.onnx": (b"\x08\x07\x12\x07pytorch\x1a\x05", "an ONNX model"),
            "b.jpg": (b"\xff\xd8\xff\xe0\0\x10JFIF\0", "a JPEG image"),
            "c.png": (media.png(np.zeros((4, 4, 3), np.uint8)), "a PNG image"),
            "d.gguf": (b"GGUF\x03\0\0\0\0", "a GGUF model"),
            "e.safetensors": (b'\x40\0\0\0\0\0\0\0{"w":{"dtype":"F32"}}', "safetensors"),
            "f.zip": (b"PK\x03\x04" + bytes(60), "a ZIP archive"),
            "g.h5": (b"\x89HDF\r\n\x1a\n\0\0", "Keras .h5"),
            "h.html": (b"<!DOCTYPE html><html></html>", "HTML"),
            "i.lfs": (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
            "j.gz": (b"\x1f\x8b\x08\0\0\0\0\0\0", "gzip"),
            "k.cc": (b"alignas(16) const unsigned char g_model[] = {0x1c, 0x00};", "C source"),
            "l.wav": (media.wav(np.zeros((4, 1)), 16), "WAV audio"),
            "m.npy": (
                media.npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n", bytes(4)),
                "a .npy array",
            ),
            "n.elf": (b"\x7fELF\x02\x01\x01\0\0\0\0", "an ELF binary"),
            "p.tar": (bytes(257) + b"ustar\0" + bytes(100), "tar"),
            "q.zero": (bytes(200), "zeros only"),
            "r.pt": (b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.", "PyTorch"),
            "s.json": (b'{"a": 1}', "JSON"),
        }
        for name, (content, what) in kinds.items():
            self.write(name, content)
            self.expect(
                f"{name} as a model",
                3,
                "run",
                name,
                err=[f"{name}: not a TFLite model but ", what, "[tflite.identifier]"],
            )
            self.failure(
                f"{name} as a model, JSON",
                3,
                "INVALID_MODEL",
                "tflite.identifier",
                "info",
                "--json",
                name,
                message=[what],
            )
            if name[2:] not in ("png", "jpg", "wav", "npy"):
                self.expect(
                    f"{name} as an input",
                    5,
                    "run",
                    "add.tflite",
                    "--input",
                    f"0={name}",
                    err=[f"{name}: this is ", what, "an input is a .npy, PNG, JPEG, BMP or WAV file"],
                )
        self.expect(
            "a model as an input", 5, "run", "add.tflite", "--input", "0=add.tflite", err=["this is a TFLite model"]
        )
        self.write("bytes", bytes(range(128, 256)))
        self.expect(
            "unknown bytes as an input", 5, "run", "add.tflite", "--input", "0=bytes", err=["unknown kind of file"]
        )
        self.write("empty", b"")
        self.expect("an empty input", 5, "run", "add.tflite", "--input", "0=empty", err=["the file is empty"])

    def test_truncated(self):
        for model in COMPILED, ROOT / "examples/digits/digits_float32.tflite":
            whole, named = model.read_bytes(), 0
            sizes = [len(whole) * k // 40 for k in range(1, 40)]
            for n in sizes:
                r = self.expect(f"{model.name} cut to {n} bytes", 3, "info", self.write("cut.tflite", whole[:n]))
                found = re.search(rb"truncated: (\d+) bytes, the file speaks of (\d+)", r.stderr)
                named += found is not None
                self.check(
                    f"{model.name} cut to {n}: sizes",
                    not found or int(found[1]) == n < int(found[2]) <= len(whole),
                    r.stderr,
                )
            self.check(f"{model.name}: nearly every cut is named", named >= len(sizes) - 2, f"{named} of {len(sizes)}")
        self.write("cut.npy", np.zeros((1, 4), "<f4"))
        content = (self.folder / "cut.npy").read_bytes()
        self.write("cut.npy", content[:-5])
        self.expect(
            "a .npy file without its end",
            5,
            "run",
            "add.tflite",
            "--input",
            "0=cut.npy",
            err=[f"cut.npy: truncated: {len(content) - 5} bytes, its header speaks of {len(content)}"],
        )
        for at, bit in ((0, 0x80), (0, 4), (1, 1), (2, 1), (3, 0x40)):  # where the root is said to be
            damaged = bytearray(whole)
            damaged[at] ^= bit
            r = self.call("info", self.write("cut.tflite", bytes(damaged)))
            self.check(
                f"damaged, not truncated: byte {at}", r.returncode == 3 and b"truncated" not in r.stderr, r.stderr
            )

    # ---- readers that leave ----

    def test_head(self):
        self.write("long.tflite", tiny.chain_model(3000))
        for args in (
            ("--help",),
            ("run", "add.tflite"),
            ("info", "add.tflite"),
            ("dump", "long.tflite"),
            ("dump", "long.tflite", "--json"),
            ("frob", "--json"),
        ):
            for ignored in False, True:  # how a shell starts it, and how some programs do
                reader, writer = os.pipe()
                os.close(reader)
                r = subprocess.run(
                    self.prefix + list(args),
                    cwd=self.folder,
                    stdout=writer,
                    stderr=subprocess.PIPE,
                    restore_signals=False,
                    preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN if ignored else signal.SIG_DFL),
                )
                os.close(writer)
                quiet = r.stderr == b"" or args[0] == "frob" and r.stderr.count(b"\n") == 1
                left = (
                    1 if self.wasi else 141 if ignored else -signal.SIGPIPE
                )  # as a shell shows it, or the signal itself
                codes = {2, left} if args[0] == "frob" else {left}  # wrong usage may stay that
                self.check(
                    f"closed pipe: {args}, ignored: {ignored}",
                    quiet and r.returncode in codes,
                    f"{r.returncode} {r.stderr}",
                )

    # ---- --json ----

    def test_json_errors(self):
        for command in MODEL_COMMANDS:
            name = command[0]
            self.failure(
                f"{name}: no model", 2, "INVALID_ARGUMENT", "cli.usage", *command, "--json", message=["which model?"]
            )
            self.failure(
                f"{name}: no such file",
                1,
                "RUNTIME",
                "cli.read",
                *command,
                "--json",
                "nowhere.tflite",
                message=["nowhere.tflite"],
            )
            self.failure(
                f"{name}: unknown option",
                2,
                "INVALID_ARGUMENT",
                "cli.usage",
                *command,
                "--json",
                "--nonsense",
                "add.tflite",
            )
            e = self.failure(
                f"{name}: no model at all", 3, "INVALID_MODEL", "tflite.empty", *command, "-", "--json", stdin=b""
            )
            self.check(f"{name}: the file", e.get("file") == "-", e)
        self.write("custom.tflite", tiny.custom_model())
        e = self.failure(
            "info --ops-define: no kernel",
            4,
            "UNSUPPORTED",
            "op.unknown",
            "info",
            "--ops-define",
            "custom.tflite",
            "--json",
            message=["NoSuchOp"],
        )
        self.check("info --ops-define: the list", [m["op"] for m in e.get("missing", [])] == ["NoSuchOp"], e)
        self.failure(
            "info --target: unknown",
            2,
            "INVALID_ARGUMENT",
            "cli.usage",
            "info",
            "--target",
            "mars",
            "add.tflite",
            "--json",
        )
        self.failure("unknown command", 2, "INVALID_ARGUMENT", "cli.usage", "frob", "--json")
        self.failure("no command", 2, "INVALID_ARGUMENT", "cli.usage", "--json")
        self.failure(
            "check: unknown backend",
            2,
            "INVALID_ARGUMENT",
            "cli.usage",
            "check",
            "add.tflite",
            "--backend",
            "tpu",
            "--json",
        )
        self.failure(
            "cost: a family",
            2,
            "INVALID_ARGUMENT",
            "cost.accelerator",
            "cost",
            "add.tflite",
            "--backend",
            "ethos-u",
            "--json",
        )
        self.failure("ops: no backend", 2, "INVALID_ARGUMENT", "cli.usage", "ops", "--json")
        j = json.loads(self.call("ops", "--backend", "ethos-u55-128", "--json").stdout)
        self.check(
            "ops --json: the rule for what the vendor compiled",
            j["compiled_networks"]["rule"] == "ethosu.compiled_for",
            j,
        )
        self.failure(
            "stream: not compiled", 2, "INVALID_ARGUMENT", "ethos_u.no_stream", "stream", "--json", "add.tflite"
        )
        self.write("bad.npy", b"\x93NUMPY\x01\0")
        self.failure("broken .npy", 5, "BAD_INPUT", "input.npy", "run", "add.tflite", "--json", "--input", "0=bad.npy")
        self.write("ints.npy", np.zeros((1, 4), "<i4"))
        self.failure(
            "another dtype", 5, "BAD_INPUT", "input.dtype", "run", "add.tflite", "--json", "--input", "0=ints.npy"
        )
        self.write("slow.tflite", tiny.slow_model())
        self.failure("too much work", 3, "LIMIT", "session.work.*", "run", "slow.tflite", "--json", "--max-work", 1000)
        self.failure("too much memory", 3, "LIMIT", "plan.memory.*", "run", "slow.tflite", "--json", "--max-memory", 1)
        self.failure(
            "too much time", 1, "CANCELLED", "cli.time_limit", "run", "slow.tflite", "--json", "--time-limit", "0.2"
        )
        self.failure(
            "a folder that cannot be",
            1,
            "RUNTIME",
            "cli.write",
            "run",
            "add.tflite",
            "--json",
            "--output-dir",
            "add.tflite/out",
        )
        r = self.expect("without --json", 2, "frob")
        self.check("nothing on stdout", r.stdout == b"", r.stdout)
        self.damaged_stream()

    def damaged_stream(self):
        """What could be read is in the same object as the error."""
        content = bytearray(COMPILED.read_bytes())
        at = content.index(b"COP1") + 4 * 60
        content[at : at + 4] = b"\xff\xff\xff\xff"
        r = self.call("stream", "--json", self.write("damaged.tflite", bytes(content)))
        j = json.loads(r.stdout)
        self.check(
            "stream --json, damaged",
            r.returncode == 3
            and j["error"]["status"] == "INVALID_MODEL"
            and j["error"]["rule"].startswith("ethos_u.")
            and j["error"]["exit_code"] == 3
            and j["streams"][0]["commands"],
            r.stdout[-600:],
        )
        j = json.loads(self.call("check", "--json", "damaged.tflite", "--backend", "ethos-u55-128").stdout)
        self.check(
            "check --json, damaged", j["compiled"][0]["problem"] and j["compiled"][0]["operations"]["dma"] >= 0, j
        )

    # ---- paths under WASI ----

    def test_paths(self):
        for path in "out", "./out/", "deep/er", "deep//./er/2", "sub/../out2":
            (self.folder / "sub").mkdir(exist_ok=True)
            self.expect(f"--output-dir {path}", 0, "run", "add.tflite", "--output-dir", path, out=[f"{path}/0.npy"])
            self.check(f"{path} is where it says", (self.folder / path / "0.npy").is_file())
        absolute = self.folder.resolve() / "absolute"
        if not self.wasi:
            self.expect("absolute", 0, "run", "add.tflite", "--output-dir", absolute)
            self.check("absolute: it is there", (absolute / "0.npy").is_file())
            return
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()

        def wasm(*grants, label, args, code, where=None, err=()):
            """Runs with these --dir only. `where`: the one place under the folder that may be new."""
            before = {p for p in self.folder.rglob("*")}
            start = [a for a in self.prefix if not a.startswith("--dir") and not a.endswith("wasm")]
            module = [a for a in self.prefix if a.endswith("wasm")][-1]
            content = (self.folder / "add.tflite").read_bytes()
            r = subprocess.run(
                [*start, *(f"--dir={g}" for g in grants), module, "run", "-", *map(str, args)],
                cwd=self.folder,
                input=content,
                capture_output=True,
            )
            new = {p for p in self.folder.rglob("*")} - before
            files = {p for p in new if p.is_file()}
            ok = r.returncode == code and all(e.encode() in r.stderr for e in err)
            ok = ok and files == ({self.folder / where} if where else set()) and (code == 0 or not new)
            self.check(f"WASI: {label}", ok, f"{r.returncode} {r.stdout} {r.stderr} {sorted(map(str, new))}")

        refused = ["WASI program"]
        full = self.folder.resolve()
        wasm(".", label="absolute path, only . given", args=["--output-dir", full / "w1"], code=1, err=refused)
        wasm(".", label="absolute path that . could swallow", args=["--output-dir", "/w2"], code=1, err=refused)
        wasm(
            full, label="absolute path, given absolutely", args=["--output-dir", full / "w3"], code=0, where="w3/0.npy"
        )
        wasm(
            full, label="relative path, only an absolute folder given", args=["--output-dir", "w4"], code=1, err=refused
        )
        wasm(full, ".", label="relative path, both given", args=["--output-dir", "w5"], code=0, where="w5/0.npy")
        wasm(full, ".", label="absolute path, both given", args=["--output-dir", full / "w6"], code=0, where="w6/0.npy")
        wasm(".", label="a path that climbs out", args=["--output-dir", "../w7"], code=1, err=refused)
        wasm(
            ".",
            label="a path that climbs out and back",
            args=["--output-dir", f"sub/../../{self.folder.name}/w8"],
            code=1,
            err=refused,
        )
        wasm(".", label="a path that climbs inside", args=["--output-dir", "sub/../w9"], code=0, where="w9/0.npy")
        wasm(
            f"{full}/elsewhere::/data",
            label="a mapped folder",
            args=["--output-dir", "/data/w10"],
            code=0,
            where="elsewhere/w10/0.npy",
        )
        wasm(
            f"{full}/elsewhere::/data",
            label="beside a mapped folder",
            args=["--output-dir", "/database/w11"],
            code=1,
            err=refused,
        )
        wasm(
            f"{full}/elsewhere::data",
            label="a folder mapped to a relative name",
            args=["--output-dir", "data/w12"],
            code=0,
            where="elsewhere/w12/0.npy",
        )
        wasm("sub", label="beside a relative folder", args=["--output-dir", "w13"], code=1, err=refused)
        wasm(
            "..", label="a folder above", args=["--output-dir", f"../{self.folder.name}/w14"], code=0, where="w14/0.npy"
        )
        wasm(label="no folder at all", args=["--output-dir", "w15"], code=1, err=refused)
        wasm(".", label="an input by an absolute path", args=["--input", "0=/x.npy"], code=1, err=refused)

    # ---- reports ----

    def test_check_report(self):
        self.write("chain.tflite", tiny.chain_model(30))
        r = self.expect(
            "check: summary first",
            0,
            "check",
            "chain.tflite",
            "--backend",
            "ethos-u55-128",
            out=["takes 0 of 30 ops", "why ops are refused: how many, by rule\n  30  ethosu.", "ABS x30"],
        )
        lines = r.stdout.decode().split("\n")
        self.check(
            "check: in this order",
            lines[0].startswith("ethos-u55-128 (profile vela-5.2) takes")
            and r.stdout.index(b"why ops") < r.stdout.index(b"sub     op") < r.stdout.index(b"     29  no "),
            r.stdout[:600],
        )
        hints = [line for line in lines if "Quantize the model" in line]
        self.check("check: a hint stands there once a rule, not once an op", 0 < len(hints) < 5, hints)
        j = json.loads(self.call("check", "chain.tflite", "--backend", "ethos-u55-128", "--json").stdout)
        self.check(
            "check --json: rules",
            j["rules"]
            and all(rule["count"] == 30 and rule["ops"] == [{"op": "ABS", "count": 30}] for rule in j["rules"])
            and len(j["ops"]) == 30,
            j["rules"],
        )
        counts = {}
        for op in j["ops"]:
            for reason in op["reasons"]:
                counts[reason["rule"]] = counts.get(reason["rule"], 0) + 1
        self.check(
            "check --json: rules count the ops' reasons",
            {r["rule"]: r["count"] for r in j["rules"]} == counts,
            j["rules"],
        )
        self.only_refused()

    def only_refused(self):
        compiled = str(COMPILED.read_bytes() and self.write("compiled.tflite", COMPILED.read_bytes()))
        for backend, listed in (("none", 0), ("ethos-u65-256", 1)):
            r = self.expect(
                f"--only refused, {backend}", 0, "check", compiled, "--backend", backend, "--only", "refused"
            )
            self.check(
                f"--only refused, {backend}: rows",
                r.stdout.count(b"  no   ethos-u") == listed
                and b"  yes  " not in r.stdout
                and (b"no op is refused" in r.stdout) == (not listed),
                r.stdout,
            )
            j = json.loads(self.call("check", compiled, "--backend", backend, "--only", "refused", "--json").stdout)
            self.check(
                f"--only refused --json, {backend}",
                len(j["ops"]) == listed and j["only_refused"] is True and j["summary"]["ops"] == 1,
                j,
            )
        self.expect(
            "--only something",
            2,
            "check",
            "add.tflite",
            "--backend",
            "none",
            "--only",
            "some",
            err=["--only", "refused"],
        )

    def test_compiled(self):
        self.write("compiled.tflite", COMPILED.read_bytes())
        inside = [
            "compiled by Vela for ethos-u55-128: subgraph 0, operator 0 is a command stream of",
            "inside: ",
            "conv x",
            "DMA transfers",
            "bytes of scratch",
        ]
        listing = self.call("stream", "compiled.tflite").stdout
        convs = len(re.findall(rb"  NPU_OP_CONV\b", listing))
        inside.append(f"(conv x{convs}, ")
        for backend in "ethos-u55-128", "ethos-u":
            self.expect(
                f"check: compiled for {backend}",
                0,
                "check",
                "compiled.tflite",
                "--backend",
                backend,
                "--strict",
                out=inside + ["takes 1 of 1 ops"],
            )
        r = self.expect(
            "check: compiled for another",
            6,
            "check",
            "compiled.tflite",
            "--backend",
            "ethos-u65-256",
            "--strict",
            out=inside
            + [
                "takes 0 of 1 ops",
                "ethosu.compiled_for",
                "got compiled for ethos-u55-128",
                "vela --accelerator-config",
            ],
            err=["not placed"],
        )
        self.check("no advice that makes no sense", b"Rewrite it with listed operators" not in r.stdout, r.stdout)
        r = self.expect(
            "cost: compiled",
            0,
            "cost",
            "compiled.tflite",
            "--backend",
            "ethos-u55-128",
            out=inside + ["not estimated", "NPU, compiled"],
        )
        self.check("plan: no estimate of what is compiled", b"estimated 0 cycles" not in r.stdout, r.stdout)
        self.expect(
            "cost: compiled for another", 0, "cost", "compiled.tflite", "--backend", "ethos-u55-64", out=["other NPU"]
        )
        for command in ("check", "--backend", "ethos-u55-128"), ("cost", "--backend", "ethos-u55-128"):
            j = json.loads(self.call(*command, "compiled.tflite", "--json").stdout)
            c = j["compiled"][0]
            self.check(
                f"{command[0]} --json: compiled",
                c["accelerator"] == "ethos-u55-128"
                and c["operations"]["conv"] == convs
                and c["problem"] is None
                and c["read_only_bytes"] > 0,
                j,
            )
            j = json.loads(self.call(*command, "add.tflite", "--json").stdout)
            self.check(f"{command[0]} --json: not compiled", j["compiled"] == [], j)

    def test_float16(self):
        """DEQUANTIZE of a constant: refused, as by Vela, and costs nothing; check and plan say both."""
        self.write("half.tflite", tiny.float16_model())
        self.expect(
            "check: float16",
            0,
            "check",
            "half.tflite",
            "--backend",
            "ethos-u55-128",
            out=["1 of the refused ops compute from constants alone", "computed once, when the model is loaded"],
        )
        self.expect(
            "cost: float16",
            0,
            "cost",
            "half.tflite",
            "--backend",
            "ethos-u55-128",
            out=["1 ops compute from constants alone", "DEQUANTIZE               none"],
        )
        j = json.loads(self.call("check", "half.tflite", "--backend", "ethos-u55-128", "--json").stdout)
        self.check(
            "check --json: float16",
            j["summary"]["refused_once"] == 1 and [op["once"] for op in j["ops"]] == [True, False],
            j,
        )


if __name__ == "__main__":
    sys.exit(kit.main(Tests))
