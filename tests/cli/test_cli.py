#!/usr/bin/env python3
"""Options, models, inputs and outputs of the npu_rt command as a user meets it. usage: see kit.py."""

import json
import os
import pty
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np

import kit
import media
import tiny_model as tiny

MASK = (1 << 64) - 1


class Tests(kit.Kit):
    # ---- usage ----

    def test_usage(self):
        self.expect("no arguments", 2, err=["usage: npu_rt"])
        self.expect("--help", 0, "--help", out=["usage: npu_rt", "Exit code"])
        self.expect("--version", 0, "--version", out=["npu_rt 0.", "scalar", "backends: "])
        self.expect("unknown command", 2, "fly", err=["fly", "run, bench, info, dump, check, lower, ops"])
        commands = self.commands()
        self.expect("unknown command: all of them", 2, "fly", err=["one of: " + ", ".join(commands) + "; see"])
        files = {p.stem[4:] for p in (Path(__file__).resolve().parents[2] / "wasi").glob("cmd_*.c")}
        self.check("each command has its file", set(commands) == files and len(files) > 7, (commands, files))
        for command in commands:
            self.expect(f"{command} --help", 0, command, "--help", out=[f"usage: npu_rt {command}"])
            self.expect(f"{command} with an unknown option", 2, command, "--nonsense", err=["--nonsense", "--help"])
            self.expect(f"{command} with an unknown letter", 2, command, "-z", err=["-z"])
        for command in (c for c, operand in commands.items() if operand):
            self.expect(f"{command} without a model", 2, command, err=["which model?"])
            if command not in ("check", "compare"):  # which take several: test_compare.py, test_inside.py
                self.expect(f"{command} with two models", 2, command, "a.tflite", "b.tflite", err=["b.tflite"])
        self.expect("option without its value", 2, "run", "add.tflite", "--seed", err=["--seed needs a value"])
        for option, value in (
            ("--seed", "x"),
            ("--seed", "-1"),
            ("--seed", "99999999999999999999"),
            ("--threads", "0"),
            ("--threads", "two"),
            ("--repeat", "0"),
            ("--normalize", "1"),
            ("--normalize", "1,0"),
            ("--normalize", "nan,1"),
            ("--input", "0"),
            ("--input", "=x"),
            ("--input", "0="),
        ):
            self.expect(f"run {option} {value}", 2, "run", "add.tflite", option, value, err=[option[2:]])
        self.expect("unknown instruction set lists them", 2, "run", "add.tflite", "--isa", "mmx", err=["mmx", "scalar"])
        self.expect(
            "a backend that does not exist", 2, "run", "add.tflite", "--backend", "abacus", err=["abacus", "none"]
        )
        for command in "run", "bench":
            self.expect(
                f"{command} with a backend that compiles nothing",
                4,
                command,
                "add.tflite",
                "--backend",
                "ethos-u55-128",
                err=["ethos-u55-128", "compiler"],
            )
        self.expect("the CPU as a backend", 0, "run", "add.tflite", "--backend", "none", out=["invoke"])

    def test_neuron(self):
        """run and bench: whose rules, for which version of the library, and what to do where it fails."""
        neuron, placed = ("add.tflite", "--backend", "neuron"), "neuron runs 1 of 1 operators, in 1 segment"
        for command in ("run", "bench"):
            plain = json.loads(self.call(command, "add.tflite", "--json").stdout)
            self.check(f"{command} --json without a backend", plain["backend"] is None, plain)
            for more in ((), ("--rules", "published"), ("--runtime", "8.1.0"), ("--exact-float32",), ("--fallback",)):
                label = " ".join((command, "--backend neuron", *more))
                self.expect(label, 0, command, *neuron, *more, out=[placed])
                j = json.loads(self.call(command, *neuron, *more, "--json").stdout)
                want = {"name": "neuron", "rules": "published" if "published" in more else "litert-2.3"}
                want.update(software=True, ops=1, ops_placed=1, segments=1)
                self.check(label + " --json", j["backend"] == want, j["backend"])
                if command == "run":
                    pairs = zip(plain["outputs"][0]["top"], j["outputs"][0]["top"])
                    bound = 1e-6 if "--exact-float32" in more else 0.002
                    same = all(a["index"] == b["index"] and abs(a["value"] - b["value"]) < bound for a, b in pairs)
                    self.check(label + ": the numbers of the CPU, as float16 or as they are", same, j["outputs"])
            for label, more, err in (
                ("rules of another", (*neuron, "--rules", "vela-5.2"), ["vela-5.2", "litert-2.3, published"]),
                ("rules of nobody", ("add.tflite", "--rules", "published"), ["--rules", "--backend", "neuron"]),
                ("a version of nobody", ("add.tflite", "--runtime", "8.1.0"), ["--runtime", "--backend"]),
                ("exact for nobody", ("add.tflite", "--exact-float32"), ["--exact-float32", "--backend"]),
                ("exact on the CPU", ("add.tflite", "--backend", "none", "--exact-float32"), ["neuron, not none"]),
                ("nothing to fall back from", ("add.tflite", "--fallback"), ["--fallback", "--backend"]),
                ("no version", (*neuron, "--runtime", "newest"), ["newest", "8.2.28", "[neuron.runtime]"]),
                (
                    "a version of the CPU",
                    ("add.tflite", "--backend", "none", "--runtime", "8.1.0"),
                    ["neuron, not none"],
                ),
            ):
                self.expect(f"{command}: {label}", 2, command, *more, err=err)
        self.expect("bench keeps its --profile", 0, "bench", *neuron, "--profile", "--runs", "1", out=["neuron\n"])
        self.expect("bench --runs 0", 2, "bench", "add.tflite", "--runs", "0", err=["--runs"])

    def test_former_names(self):
        """The former name of an option does the same, and says on stderr what it is called now."""
        npu = ("--backend", "ethos-u55-128")
        for label, former, now, names in (
            (
                "check --profile",
                ("check", "add.tflite", *npu, "--profile", "vela-3.2"),
                ("check", "add.tflite", *npu, "--rules", "vela-3.2"),
                "--profile is called --rules now",
            ),
            (
                "cost --profile=",
                ("cost", "add.tflite", *npu, "--profile=published"),
                ("cost", "add.tflite", *npu, "--rules=published"),
                "--profile is called --rules now",
            ),
            (
                "ops --profile",
                ("ops", *npu, "--profile", "vela-3.2"),
                ("ops", *npu, "--rules", "vela-3.2"),
                "--profile is called --rules now",
            ),
        ):
            for more in (), ("--json",):
                old, new = self.call(*former, *more), self.call(*now, *more)
                self.check(
                    f"{label} {more}",
                    old.returncode == new.returncode == 0
                    and old.stdout == new.stdout
                    and new.stdout
                    and names in old.stderr.decode()
                    and not new.stderr,
                    (old, new),
                )
        self.expect("plan is no cost any more", 4, "plan", "add.tflite", *npu, err=["no planner"])
        self.expect(
            "bench --profile is another option", 0, "bench", "add.tflite", "--profile", "--runs", 1, out=["kernel"]
        )
        r = self.call("bench", "add.tflite", "--profile", "--runs", 1)
        self.check("and no former name", b"called" not in r.stderr, r.stderr)
        self.expect(
            "bench --rules", 2, "bench", "add.tflite", "--rules", "vela-3.2", err=["--rules is about a backend"]
        )
        self.expect("dump takes no --rules", 2, "dump", "add.tflite", "--rules", "x", err=["unknown option --rules"])
        self.check(
            "help does not name check --profile",
            b"--profile" not in self.call("check", "--help").stdout,
            "check --help",
        )

    def test_models(self):
        good = (self.folder / "add.tflite").read_bytes()
        self.expect("missing model", 1, "run", "nowhere.tflite", err=["nowhere.tflite"])
        self.expect("model is a folder", 1, "run", ".", err=["cannot read"])
        self.expect("empty model", 3, "run", self.write("empty.tflite", b""), err=["empty.tflite"])
        self.expect("model is text", 3, "run", self.write("text.tflite", b"hello" * 100))
        for n in range(0, len(good), 7):
            self.expect(f"model cut to {n} bytes", 3, "run", self.write("cut.tflite", good[:n]))
        self.expect("unknown custom op", 4, "run", self.write("custom.tflite", tiny.custom_model()), err=["NoSuchOp"])
        self.expect("info about a model that cannot run", 0, "info", "custom.tflite", out=["NoSuchOp"])
        self.expect("model from stdin", 0, "run", "-", stdin=good, out=["output 0"])
        self.expect("empty stdin", 3, "run", "-", stdin=b"")

    # ---- inputs ----

    def test_inputs(self):
        x = np.array([[1, 2, 3, 4]], "<f4")
        self.write("x.npy", x)
        self.write("y.npy", x * 10)
        want = x * 11
        for refs in (("0", "1"), ("a", "b"), ("x", "y"), ("x", "1")):
            got = self.run_ok(
                f"inputs by {refs}", "add.tflite", "--input", f"{refs[0]}=x.npy", f"--input={refs[1]}=y.npy"
            )
            self.equal(f"sum, inputs by {refs}", got, want)
        got = self.run_ok("signature", "add.tflite", "--signature", "serve", "--input", "y=y.npy", "--input", "x=x.npy")
        self.equal("sum by signature", got, want)
        self.write("a=b/x=1.npy", x)
        got = self.run_ok("path with =", "add.tflite", "--input", "0=a=b/x=1.npy", "--input", "y=y.npy")
        self.equal("sum, path with =", got, want)
        self.expect("unknown signature", 2, "run", "add.tflite", "--signature", "train", err=["train", "serve"])
        self.expect(
            "unknown input", 2, "run", "add.tflite", "--input", "z=x.npy", err=["z=x.npy", "0  a = x", "1  b = y"]
        )
        self.expect("position too large", 2, "run", "add.tflite", "--input", "2=x.npy", err=["2=x.npy"])
        self.expect(
            "input given twice", 2, "run", "add.tflite", "--input", "0=x.npy", "--input", "a=x.npy", err=["twice"]
        )
        self.expect("missing input file", 1, "run", "add.tflite", "--input", "0=no.npy", err=["no.npy"])

    def test_resize(self):
        big = np.arange(20, dtype="<f4").reshape(5, 4)
        self.write("big.npy", big)
        got = self.run_ok("resized", "add.tflite", "--input", "0=big.npy", "--input", "1=big.npy")
        self.equal("sum, resized", got, big * 2)
        self.write("odd.npy", np.zeros((1, 3), "<f4"))
        self.expect("shape that cannot run", 5, "run", "add.tflite", "--input", "0=odd.npy", err=["[1,3]", "[1,4]"])
        self.write("none.npy", np.zeros((0, 4), "<f4"))
        got = self.run_ok("empty arrays", "add.tflite", "--input", "0=none.npy", "--input", "1=none.npy")
        self.equal("sum, empty arrays", got, np.zeros((0, 4), "<f4"))

    def test_npy(self):
        rng = np.random.default_rng(1)
        x = rng.normal(size=(2, 3, 4)).astype("<f4")
        self.write("copy.tflite", tiny.copy_model(tiny.FLOAT32, [2, 3, 4]))
        header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 4), }"
        variants = {
            "C order": x,
            "Fortran order": np.asfortranarray(x),
            "big-endian": x.astype(">f4"),
            "big-endian, Fortran order": np.asfortranarray(x.astype(">f4")),
            "version 2": media.npy(header + "\n", x.tobytes(), version=2),
            "version 3": media.npy(header + "\n", x.tobytes(), version=3),
            "tight header": media.npy(header.replace(" ", "").replace(",}", "}"), x.tobytes()),
            "double quotes": media.npy(header.replace("'", '"'), x.tobytes()),
            "Python 2 numbers": media.npy(header.replace("(2, 3, 4)", "(2L, 3L, 4L)"), x.tobytes()),
            "native order": media.npy(header.replace("<f4", "=f4"), x.tobytes()),
        }
        for label, content in variants.items():
            got = self.run_ok(f".npy: {label}", "copy.tflite", "--input", f"0={self.write('v.npy', content)}")
            self.equal(f".npy: {label}: values", got, x.reshape(-1))
        for label, content in media.broken_npys():
            self.write("broken.npy", content)
            self.expect(f"broken .npy: {label}", 5, "run", "add.tflite", "--input", "0=broken.npy", err=["broken.npy"])

    def test_types(self):
        rng = np.random.default_rng(2)
        for code, dtype in (
            (tiny.FLOAT32, "<f4"),
            (tiny.INT32, "<i4"),
            (tiny.UINT8, "|u1"),
            (tiny.INT64, "<i8"),
            (tiny.BOOL, "|b1"),
            (tiny.INT16, "<i2"),
            (tiny.INT8, "|i1"),
            (tiny.FLOAT16, "<f2"),
            (tiny.FLOAT64, "<f8"),
            (tiny.INT4, "|i1"),
        ):
            x = rng.integers(-8, 8, 7).astype(dtype)
            self.write("type.tflite", tiny.copy_model(code, [7]))
            self.write("type.npy", x)
            if self.call("run", "type.tflite").returncode == 4:
                continue  # RESHAPE of this type is not in this build
            got = self.run_ok(f"type {dtype}", "type.tflite", "--input", "0=type.npy")
            self.equal(f"type {dtype}: values", got, x)
            other = np.zeros(7, "<i2" if dtype != "<i2" else "<i4")
            self.write("other.npy", other)
            self.expect(f"wrong dtype for {dtype}", 5, "run", "type.tflite", "--input", "0=other.npy", err=["astype"])
        self.write("type.npy", np.array([9], "|i1"))
        if code == tiny.INT4 and got:
            self.expect("int4 out of range", 5, "run", "type.tflite", "--input", "0=type.npy", err=["range"])

    def test_strings(self):
        self.write("open.tflite", tiny.copy_model(tiny.STRING, [1], signature=[-1]))
        self.write("one.tflite", tiny.copy_model(tiny.STRING, [1]))
        self.write("two.tflite", tiny.copy_model(tiny.STRING, [2, 1]))
        say = np.array([b"one", b"two words", b""])
        got = self.run_ok("lines of text", "open.tflite", "--input", "0=text:one\ntwo words\n")
        self.equal("lines of text: values", got, say)
        got = self.run_ok("a text of two lines for one element", "one.tflite", "--input", "in=text:a\nb")
        self.equal("a text of two lines: values", got, np.array([b"a\nb"]))
        self.write("bytes.npy", say)
        self.equal("bytes", self.run_ok("bytes", "open.tflite", "--input", "0=bytes.npy"), say)
        words = ["z\u00e4hl", "\u20ac", "\U0001f600 x"]
        for order in "<>":
            self.write("text.npy", np.array(words, order + "U6"))
            got = self.run_ok("text", "open.tflite", "--input", "0=text.npy")
            self.equal("text in UTF-8", got, np.array([w.encode() for w in words]))
        self.write("matrix.npy", np.array([[b"a"], [b"bc"]]))
        got = self.run_ok("two dimensions", "two.tflite", "--input", "0=matrix.npy")
        self.equal("two dimensions: values", got, np.array([b"a", b"bc"]))
        self.expect(
            "shown, no control characters", 0, "run", "open.tflite", "--input", "0=text:\033b\nc", out=['[1] "c"']
        )
        many = "\n".join("w%d" % i for i in range(20))
        self.expect(
            "the first ones", 0, "run", "open.tflite", "--input", "0=text:" + many, out=['[9] "w9"', "20 strings"]
        )
        r = self.expect("JSON", 0, "run", "open.tflite", "--json", "--input", "0=text:a\nb")
        self.check("JSON: strings", json.loads(r.stdout)["outputs"][0]["strings"] == ["a", "b"], r.stdout)
        self.expect("no strings given", 4, "run", "open.tflite", err=["--input 0=text:"])
        self.expect("text for numbers", 5, "run", "add.tflite", "--input", "0=text:a", err=["FLOAT32"])
        self.expect("too few lines", 5, "run", "two.tflite", "--input", "0=text:a", err=["2 elements"])
        self.write("x.npy", np.zeros(1, "<f4"))
        self.expect("numbers for strings", 5, "run", "one.tflite", "--input", "0=x.npy", err=["dtype S"])
        long = "x" * 70000 + "\n" * 40000
        self.expect(
            "too wide for a file",
            4,
            "run",
            "open.tflite",
            "--input",
            "0=text:" + long,
            "--output-dir",
            "out",
            err=["2 GiB"],
        )

    def test_seed(self):
        def draws(seed, position, n):
            state = (seed + (position << 32)) & MASK
            for _ in range(n):
                state = (state + 0x9E3779B97F4A7C15) & MASK
                z = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & MASK
                z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
                yield z ^ z >> 31

        rules = {
            tiny.FLOAT32: ("<f4", lambda r: (r >> 40) / 2**23 - 1),
            tiny.FLOAT16: ("<f2", lambda r: (r >> 53) / 2**10 - 1),
            tiny.FLOAT64: ("<f8", lambda r: (r >> 11) / 2**52 - 1),
            tiny.UINT8: ("|u1", lambda r: r >> 56),
            tiny.INT8: ("|i1", lambda r: ((r >> 56) ^ 128) - 128),
            tiny.BOOL: ("|b1", lambda r: r >> 63),
            tiny.INT16: ("<i2", lambda r: ((r >> 48) ^ 32768) - 32768),
            tiny.INT32: ("<i4", lambda r: r >> 61),
            tiny.INT64: ("<i8", lambda r: r >> 61),
        }
        for code, (dtype, rule) in rules.items():
            self.write("seed.tflite", tiny.copy_model(code, [50]))
            if self.call("run", "seed.tflite").returncode == 4:
                continue
            for seed in 0, 7, MASK:
                got = self.run_ok(f"seed {seed} {dtype}", "seed.tflite", "--seed", seed)
                want = np.array([rule(r) for r in draws(seed, 0, 50)], dtype)
                self.equal(f"seed {seed} {dtype}: values", got, want)
        for code, n in (tiny.INT8, 300_000), (tiny.FLOAT64, 50_001):  # made in several pieces
            self.write("seed.tflite", tiny.copy_model(code, [n]))
            got = self.run_ok(f"seed, {n} elements", "seed.tflite", "--seed", 3)
            want = np.array([rules[code][1](r) for r in draws(3, 0, n)], rules[code][0])
            self.equal(f"seed, {n} elements: values", got, want)
        got = self.run_ok("seed, two inputs", "add.tflite", "--seed", 5)
        a, b = (np.array([[rules[tiny.FLOAT32][1](r) for r in draws(5, k, 4)]], "<f4") for k in (0, 1))
        self.equal("seed, two inputs: values", got, a + b)

    # ---- outputs ----

    def test_outputs(self):
        self.run_ok("output folder", "add.tflite")
        self.check("no temporary files stay", [p.name for p in (self.folder / "out").iterdir()] == ["0.npy"])
        self.expect("folder is created with its parents", 0, "run", "add.tflite", "--output-dir", "deep/er/out/")
        self.check("output is there", (self.folder / "deep/er/out/0.npy").is_file())
        self.expect("outputs are replaced", 0, "run", "add.tflite", "--seed", 3, "--output-dir", "out")
        self.write("file", b"x")
        self.expect("folder is a file", 1, "run", "add.tflite", "--output-dir", "file", err=["file"])
        self.expect("folder below a file", 1, "run", "add.tflite", "--output-dir", "file/out", err=["file"])
        r = self.expect("run --json", 0, "run", "add.tflite", "--json", "--output-dir", "out")
        j = json.loads(r.stdout)
        o = j["outputs"][0]
        self.check(
            "run --json: keys",
            o["shape"] == [1, 4]
            and o["file"] == "out/0.npy"
            and len(o["top"]) == 4
            and o["quantization"] is None
            and j["inputs"][1]["name"] == "b",
            r.stdout,
        )
        self.expect(
            "run text", 0, "run", "add.tflite", out=["input 0 a float32[1,4]", "output 0 c float32[1,4]", "seed 0"]
        )
        self.expect("--repeat", 0, "run", "add.tflite", "--repeat", 3, out=["the last of 3"])
        self.write("nan.npy", np.array([[np.nan, np.inf, 1, 2]], "<f4"))
        self.write("nan.tflite", tiny.copy_model(tiny.FLOAT32, [1, 4]))
        self.expect("NaN is shown", 0, "run", "nan.tflite", "--input", "0=nan.npy", out=["2 of 4 values are NaN"])
        j = json.loads(self.call("run", "nan.tflite", "--input", "0=nan.npy", "--json").stdout)
        self.check("NaN does not break JSON", np.isfinite(j["outputs"][0]["max"]))
        self.write("esc.tflite", tiny.add_model().replace(b"c\0\0\0", b"\x1b\0\0\0"))
        self.expect("names cannot steer the terminal", 0, "run", "esc.tflite")
        json.loads(self.call("run", "esc.tflite", "--json").stdout)

    def test_write_failures(self):
        """A full disk ends with 1, not with silence. (A reader that leaves: test_messages.py.)"""
        for args in (("--help",), ("run", "add.tflite"), ("info", "add.tflite"), ("dump", "add.tflite", "--json")):
            with open("/dev/full", "wb") as full:
                r = subprocess.run(self.prefix + list(args), cwd=self.folder, stdout=full, stderr=subprocess.PIPE)
            self.check(
                f"full disk: {args}", r.returncode == 1 and b"cannot write" in r.stderr, f"{r.returncode} {r.stderr}"
            )
        self.limited_disk()

    def limited_disk(self):
        import resource

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 20, 4 << 20))  # leaves a WASI host room for its own files

        self.write("wide.tflite", tiny.copy_model(tiny.FLOAT32, [2 << 20]))
        r = self.call("run", "wide.tflite", "--output-dir", "small", preexec_fn=limit)
        left = list((self.folder / "small").iterdir()) if (self.folder / "small").is_dir() else []
        self.check(
            "output too large for the disk",
            r.returncode == 1 and b"cannot write" in r.stderr and left == [],
            f"{r.returncode} {r.stderr} {left}",
        )

    def test_terminal(self):
        def on_terminal(extra):
            leader, follower = pty.openpty()
            env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
            env.update(TERM="xterm", **extra)
            prefix = self.prefix
            if "run" in prefix:  # a WASI host passes variables on only when told to
                at = prefix.index("run") + 1
                prefix = prefix[:at] + [f"--env={k}={v}" for k, v in extra.items()] + prefix[at:]
            process = subprocess.Popen(
                prefix + ["run", "add.tflite"], cwd=self.folder, stdout=follower, stderr=follower, env=env
            )
            os.close(follower)
            text = b""
            while True:
                try:
                    part = os.read(leader, 4096)
                except OSError:
                    break
                if not part:
                    break
                text += part
            process.wait()
            os.close(leader)
            return text

        self.check("NO_COLOR", b"\033" not in on_terminal({"NO_COLOR": "1"}))
        if len(self.prefix) == 1:  # a WASI host decides what its module learns of terminals
            self.check("emphasis on a terminal", b"\033" in on_terminal({}))

    # ---- real models ----

    def test_real_models(self):
        """Those that ran as an example of something; the conformance tests look at all of them and at every value."""
        if not self.models:
            print("left out: the public models (no ../shared/models)")
            return

        def take(name):
            return name if shutil.copy(Path(self.models) / name, self.folder / name) else None

        got = self.run_ok("micro_speech", take("micro_speech_quantized.tflite"))
        self.check("micro_speech: output", len(got) == 1 and got[0].shape == (1, 4) and got[0].dtype == np.int8, got)
        self.expect(
            "signature of another subgraph",
            0,
            "run",
            take("lyra_quantizer.tflite"),
            "--signature",
            "encode",
            out=["input_frames"],
        )
        self.write("ids.npy", np.full((46, 1, 1), 3, "<i4"))
        self.expect(
            "name from the signature",
            0,
            "run",
            "lyra_quantizer.tflite",
            "--signature",
            "decode",
            "--input",
            "encoding_indices=ids.npy",
        )
        self.expect("a compiled network", 0, "run", take("person_detect_vela.tflite"), out=["int8[1,2]"])
        self.write("ids.npy", np.full((1, 256), 1 << 30, "<i4"))
        self.expect("index out of range", 5, "run", take("movie_review.tflite"), "--input", "0=ids.npy")
        self.expect("several threads", 0, "run", "micro_speech_quantized.tflite", "--threads", 4)


if __name__ == "__main__":
    sys.exit(kit.main(Tests))
