#!/usr/bin/env python3
"""Tests the npu_rt command as a user meets it. Needs Python 3 and numpy.

usage: test_cli.py [--models DIR] COMMAND...

COMMAND is how to start npu_rt: `build/npu_rt`, or `wasmtime run --dir=. build/npu_rt.wasm`. Every call runs in a
temporary folder, so under WASI `--dir=.` gives it just that. COMMAND may also be one quoted word. Real models are
used where there are some.
"""
import argparse
import json
import os
import pty
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import media
import tiny_model as tiny

MASK = (1 << 64) - 1
MODELS = str(Path(__file__).resolve().parents[3] / "shared" / "models")


class Tests:
    def __init__(self, prefix, folder, models):
        self.prefix, self.folder, self.models = prefix, Path(folder), models
        self.passed = self.failed = 0
        self.images = True

    # ---- helpers ----

    def check(self, label, ok, detail=""):
        if ok:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {label}\n       {str(detail)[:1500]}")

    def call(self, *args, stdin=None, **more):
        return subprocess.run(self.prefix + [str(a) for a in args], cwd=self.folder, input=stdin, capture_output=True,
                              timeout=300, **more)

    def expect(self, label, code, *args, out=(), err=(), stdin=None):
        """Runs, compares the exit code, looks for texts; a failure must say so on stderr and leave stdout empty."""
        r = self.call(*args, stdin=stdin)
        text, errors = r.stdout.decode("utf-8", "replace"), r.stderr.decode("utf-8", "replace")
        problems = [] if r.returncode == code else [f"exit {r.returncode}, expected {code}"]
        problems += [f"stdout lacks {t!r}" for t in out if t not in text]
        problems += [f"stderr lacks {t!r}" for t in err if t not in errors]
        if code not in (0, 6) and text:
            problems.append("results on stdout although it failed")
        if code != 0 and not errors.startswith(("npu_rt: ", "usage: ")):
            problems.append("no message on stderr")
        if "\033" in text + errors:
            problems.append("escape sequences although this is no terminal")
        self.check(label, not problems, "; ".join(problems) + f"\n       {' '.join(map(str, args))}\n{text}{errors}")
        return r

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, np.ndarray):
            np.save(path, content)
        else:
            path.write_bytes(content)
        return name

    def outputs(self, directory="out"):
        files = sorted((self.folder / directory).iterdir())
        return [np.load(self.folder / directory / f"{i}.npy") for i in range(len(files))]

    def run_ok(self, label, *args, err=()):
        """Runs with --output-dir and returns the outputs, [] on failure."""
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        r = self.expect(label, 0, "run", *args, "--output-dir", "out", err=err)
        return self.outputs() if r.returncode == 0 else []

    def equal(self, label, got, want):
        want = np.asarray(want)
        ok = len(got) == 1 and got[0].dtype == want.dtype and np.array_equal(got[0], want)
        differs = ""
        if len(got) == 1 and got[0].shape == want.shape and not ok:
            differs = f"{np.count_nonzero(got[0] != want)} of {want.size} differ; "
        self.check(label, ok, f"{differs}got {str(got)[:400]}\n       want {str(want)[:400]} {want.dtype}")

    # ---- usage ----

    def test_usage(self):
        self.expect("no arguments", 2, err=["usage: npu_rt"])
        self.expect("--help", 0, "--help", out=["usage: npu_rt", "Exit code"])
        self.expect("--version", 0, "--version", out=["npu_rt 0.", "scalar", "backends: "])
        self.expect("unknown command", 2, "fly", err=["fly", "run, bench, info, dump, check, ops"])
        for command in "run", "bench", "info", "dump", "check", "ops":
            self.expect(f"{command} --help", 0, command, "--help", out=[f"usage: npu_rt {command}"])
            self.expect(f"{command} with an unknown option", 2, command, "--nonsense", err=["--nonsense", "--help"])
            self.expect(f"{command} with an unknown letter", 2, command, "-z", err=["-z"])
        for command in "run", "bench", "info", "dump":
            self.expect(f"{command} without a model", 2, command, err=["which model?"])
            self.expect(f"{command} with two models", 2, command, "a.tflite", "b.tflite", err=["b.tflite"])
        self.expect("option without its value", 2, "run", "add.tflite", "--seed", err=["--seed needs a value"])
        for option, value in (("--seed", "x"), ("--seed", "-1"), ("--seed", "99999999999999999999"),
                              ("--threads", "0"), ("--threads", "two"), ("--repeat", "0"), ("--normalize", "1"),
                              ("--normalize", "1,0"), ("--normalize", "nan,1"), ("--input", "0"), ("--input", "=x"),
                              ("--input", "0=")):
            self.expect(f"run {option} {value}", 2, "run", "add.tflite", option, value, err=[option[2:]])
        self.expect("unknown instruction set lists them", 2, "run", "add.tflite", "--isa", "mmx",
                    err=["mmx", "scalar"])
        self.expect("bench --runs 0", 2, "bench", "add.tflite", "--runs", "0", err=["--runs"])

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
            got = self.run_ok(f"inputs by {refs}", "add.tflite", "--input", f"{refs[0]}=x.npy",
                              f"--input={refs[1]}=y.npy")
            self.equal(f"sum, inputs by {refs}", got, want)
        got = self.run_ok("signature", "add.tflite", "--signature", "serve", "--input", "y=y.npy", "--input",
                          "x=x.npy")
        self.equal("sum by signature", got, want)
        self.write("a=b/x=1.npy", x)
        got = self.run_ok("path with =", "add.tflite", "--input", "0=a=b/x=1.npy", "--input", "y=y.npy")
        self.equal("sum, path with =", got, want)
        self.expect("unknown signature", 2, "run", "add.tflite", "--signature", "train", err=["train", "serve"])
        self.expect("unknown input", 2, "run", "add.tflite", "--input", "z=x.npy",
                    err=["z=x.npy", "0  a = x", "1  b = y"])
        self.expect("position too large", 2, "run", "add.tflite", "--input", "2=x.npy", err=["2=x.npy"])
        self.expect("input given twice", 2, "run", "add.tflite", "--input", "0=x.npy", "--input", "a=x.npy",
                    err=["twice"])
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
        variants = {"C order": x, "Fortran order": np.asfortranarray(x), "big-endian": x.astype(">f4"),
                    "big-endian, Fortran order": np.asfortranarray(x.astype(">f4")),
                    "version 2": media.npy(header + "\n", x.tobytes(), version=2),
                    "version 3": media.npy(header + "\n", x.tobytes(), version=3),
                    "tight header": media.npy(header.replace(" ", "").replace(",}", "}"), x.tobytes()),
                    "double quotes": media.npy(header.replace("'", '"'), x.tobytes()),
                    "Python 2 numbers": media.npy(header.replace("(2, 3, 4)", "(2L, 3L, 4L)"), x.tobytes()),
                    "native order": media.npy(header.replace("<f4", "=f4"), x.tobytes())}
        for label, content in variants.items():
            got = self.run_ok(f".npy: {label}", "copy.tflite", "--input", f"0={self.write('v.npy', content)}")
            self.equal(f".npy: {label}: values", got, x.reshape(-1))
        for label, content in media.broken_npys():
            self.write("broken.npy", content)
            self.expect(f"broken .npy: {label}", 5, "run", "add.tflite", "--input", "0=broken.npy",
                        err=["broken.npy"])

    def test_types(self):
        rng = np.random.default_rng(2)
        for code, dtype in ((tiny.FLOAT32, "<f4"), (tiny.INT32, "<i4"), (tiny.UINT8, "|u1"), (tiny.INT64, "<i8"),
                            (tiny.BOOL, "|b1"), (tiny.INT16, "<i2"), (tiny.INT8, "|i1"), (tiny.FLOAT16, "<f2"),
                            (tiny.FLOAT64, "<f8"), (tiny.INT4, "|i1")):
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

    def test_seed(self):
        def draws(seed, position, n):
            state = (seed + (position << 32)) & MASK
            for _ in range(n):
                state = (state + 0x9E3779B97F4A7C15) & MASK
                z = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & MASK
                z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
                yield z ^ z >> 31
        rules = {tiny.FLOAT32: ("<f4", lambda r: (r >> 40) / 2**23 - 1),
                 tiny.FLOAT16: ("<f2", lambda r: (r >> 53) / 2**10 - 1),
                 tiny.FLOAT64: ("<f8", lambda r: (r >> 11) / 2**52 - 1), tiny.UINT8: ("|u1", lambda r: r >> 56),
                 tiny.INT8: ("|i1", lambda r: ((r >> 56) ^ 128) - 128), tiny.BOOL: ("|b1", lambda r: r >> 63),
                 tiny.INT16: ("<i2", lambda r: ((r >> 48) ^ 32768) - 32768), tiny.INT32: ("<i4", lambda r: r >> 61),
                 tiny.INT64: ("<i8", lambda r: r >> 61)}
        for code, (dtype, rule) in rules.items():
            self.write("seed.tflite", tiny.copy_model(code, [50]))
            if self.call("run", "seed.tflite").returncode == 4:
                continue
            for seed in 0, 7, MASK:
                got = self.run_ok(f"seed {seed} {dtype}", "seed.tflite", "--seed", seed)
                want = np.array([rule(r) for r in draws(seed, 0, 50)], dtype)
                self.equal(f"seed {seed} {dtype}: values", got, want)
        got = self.run_ok("seed, two inputs", "add.tflite", "--seed", 5)
        a, b = (np.array([[rules[tiny.FLOAT32][1](r) for r in draws(5, k, 4)]], "<f4") for k in (0, 1))
        self.equal("seed, two inputs: values", got, a + b)

    # ---- images and audio ----

    def test_images(self):
        rng = np.random.default_rng(3)
        pixels = rng.integers(0, 256, (8, 8, 3), np.uint8)
        self.write("p.png", media.png(pixels))
        self.write("u8.tflite", tiny.copy_model(tiny.UINT8, [1, 8, 8, 3], quant=(1 / 128, 128)))
        if "no images" in self.call("run", "u8.tflite", "--input", "0=p.png").stderr.decode():
            print("note: this build reads no images; skipping their tests")
            return
        flat = pixels.reshape(-1)
        self.equal("uint8 image", self.run_ok("PNG", "u8.tflite", "--input", "0=p.png", err=["8x8", "uint8"]), flat)
        self.write("p.bmp", media.bmp(pixels))
        self.equal("BMP image", self.run_ok("BMP", "u8.tflite", "--input", "0=p.bmp"), flat)
        self.write("i8.tflite", tiny.copy_model(tiny.INT8, [1, 8, 8, 3], quant=(1 / 255, -128)))
        got = self.run_ok("int8 image", "i8.tflite", "--input", "0=p.png", err=["pixel - 128", "real 0 to 1"])
        self.equal("int8 image: values", got, (flat.astype(int) - 128).astype(np.int8))
        self.write("f.tflite", tiny.copy_model(tiny.FLOAT32, [1, 8, 8, 3]))
        got = self.run_ok("float image", "f.tflite", "--input", "0=p.png", err=["127.5", "--normalize"])
        self.equal("float image: values", got, ((flat.astype(float) - 127.5) / 127.5).astype("<f4"))
        got = self.run_ok("--normalize", "f.tflite", "--input", "0=p.png", "--normalize", "0,255", err=["255"])
        self.equal("--normalize: values", got, (flat / 255.0).astype("<f4"))
        mean, std = np.array([10, 20, 30.0]), np.array([2, 4, 8.0])
        self.write("m.tflite", tiny.copy_model(tiny.FLOAT32, [1, 8, 8, 3], meta=tiny.metadata(mean, std)))
        got = self.run_ok("metadata", "m.tflite", "--input", "0=p.png", err=["metadata"])
        self.equal("metadata: values", got, ((pixels - mean) / std).reshape(-1).astype("<f4"))
        self.write("q.tflite", tiny.copy_model(tiny.INT8, [1, 8, 8, 3], quant=(0.5, 3),
                                               meta=tiny.metadata([100.0], [4.0])))
        got = self.run_ok("metadata, int8", "q.tflite", "--input", "0=p.png", err=["metadata"])
        real = (flat - 100.0) / 4 / 0.5
        want = np.clip(np.sign(real) * np.floor(np.abs(real) + 0.5) + 3, -128, 127)
        self.equal("metadata, int8: values", got, want.astype(np.int8))
        self.write("nchw.tflite", tiny.copy_model(tiny.UINT8, [1, 3, 8, 8]))
        self.equal("NCHW", self.run_ok("NCHW image", "nchw.tflite", "--input", "0=p.png"),
                   pixels.transpose(2, 0, 1).reshape(-1))
        self.more_images(pixels)

    def more_images(self, pixels):
        flat_color = np.full((20, 30, 3), (10, 200, 90), np.uint8)
        self.write("flat.png", media.png(flat_color))
        got = self.run_ok("resize", "u8.tflite", "--input", "0=flat.png", err=["30x20", "8x8"])
        self.equal("resize: values", got, flat_color[:8, :8].reshape(-1))
        for height, width in ((5, 3), (8, 20), (31, 8), (100, 77)):
            odd = np.random.default_rng(5).integers(0, 256, (height, width, 3), np.uint8)
            self.write("odd.png", media.png(odd))
            got = self.run_ok(f"resize {width}x{height}", "u8.tflite", "--input", "0=odd.png")
            want = media.resample(media.resample(odd, 8).transpose(1, 0, 2), 8).transpose(1, 0, 2)
            off = np.abs(got[0].reshape(8, 8, 3) - np.round(want)).max() if got else None
            self.check(f"resize {width}x{height}: values", off is not None and off <= 1, off)
        self.write("open.tflite", tiny.copy_model(tiny.UINT8, [1, 1, 1, 3], signature=[1, -1, -1, 3]))
        got = self.run_ok("open size", "open.tflite", "--input", "0=flat.png", err=["30x20"])
        self.equal("open size: values", got, flat_color.reshape(-1))
        gray = pixels[:, :, 0]
        self.write("gray.png", media.png(gray))
        self.write("g.tflite", tiny.copy_model(tiny.UINT8, [1, 8, 8, 1]))
        self.equal("gray", self.run_ok("gray image", "g.tflite", "--input", "0=gray.png"), gray.reshape(-1))
        got = self.run_ok("gray image for a color input", "u8.tflite", "--input", "0=gray.png")
        self.equal("gray image for a color input: values", got, np.repeat(gray.reshape(-1), 3))
        for label, content in media.broken_images():
            self.write("broken.png", content)
            self.expect(f"broken image: {label}", 5, "run", "u8.tflite", "--input", "0=broken.png",
                        err=["broken.png"])
        self.expect("image for another kind of input", 5, "run", "add.tflite", "--input", "0=p.png",
                    err=["takes no image"])

    def test_audio(self):
        rng = np.random.default_rng(4)
        x = np.round(rng.uniform(-1, 1, (16, 1)) * 64) / 128
        self.write("a.tflite", tiny.copy_model(tiny.FLOAT32, [16], meta=tiny.metadata(audio_rate=16000)))
        mono = x.reshape(-1).astype("<f4")
        for bits, is_float in ((8, False), (16, False), (24, False), (32, False), (32, True), (64, True)):
            for extensible in False, True:
                label = f"WAV {bits} bit{' float' if is_float else ''}{' extensible' if extensible else ''}"
                self.write("s.wav", media.wav(x, bits, is_float=is_float, extensible=extensible))
                self.equal(f"{label}: values", self.run_ok(label, "a.tflite", "--input", "0=s.wav", err=["16000 Hz"]),
                           mono)
        self.write("s.wav", media.wav(np.hstack([x, x / 2]), 16))
        self.equal("stereo: values", self.run_ok("stereo", "a.tflite", "--input", "0=s.wav"),
                   (x[:, 0] * 0.75).astype("<f4"))
        self.write("s.wav", media.wav(x[:10], 16, rate=8000))
        got = self.run_ok("short WAV", "a.tflite", "--input", "0=s.wav", err=["padded", "expects 16000"])
        self.equal("short WAV: values", got, np.concatenate([mono[:10], np.zeros(6, "<f4")]))
        self.write("s.wav", media.wav(np.vstack([x, x]), 16))
        self.equal("long WAV: values", self.run_ok("long WAV", "a.tflite", "--input", "0=s.wav", err=["cut to 16"]),
                   mono)
        self.write("open.tflite", tiny.copy_model(tiny.FLOAT32, [1], signature=[-1]))
        self.equal("open length: values", self.run_ok("open length", "open.tflite", "--input", "0=s.wav"),
                   np.concatenate([mono, mono]))
        for label, content in media.broken_wavs():
            self.write("broken.wav", content)
            self.expect(f"broken WAV: {label}", 5, "run", "a.tflite", "--input", "0=broken.wav", err=["broken.wav"])
        self.write("2d.tflite", tiny.copy_model(tiny.FLOAT32, [4, 4]))
        self.expect("WAV for a matrix", 5, "run", "2d.tflite", "--input", "0=s.wav", err=["takes no audio"])

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
        self.check("run --json: keys", o["shape"] == [1, 4] and o["file"] == "out/0.npy" and len(o["top"]) == 4 and
                   o["quantization"] is None and j["inputs"][1]["name"] == "b", r.stdout)
        self.expect("run text", 0, "run", "add.tflite", out=["input 0 a float32[1,4]", "output 0 c float32[1,4]",
                                                             "seed 0"])
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
        """A full disk and a closed pipe end with 1, not with silence."""
        for args in (("--help",), ("run", "add.tflite"), ("info", "add.tflite"), ("dump", "add.tflite", "--json")):
            with open("/dev/full", "wb") as full:
                r = subprocess.run(self.prefix + list(args), cwd=self.folder, stdout=full, stderr=subprocess.PIPE)
            self.check(f"full disk: {args}", r.returncode == 1 and b"cannot write" in r.stderr,
                       f"{r.returncode} {r.stderr}")
            reader, writer = os.pipe()
            os.close(reader)
            r = subprocess.run(self.prefix + list(args), cwd=self.folder, stdout=writer, stderr=subprocess.PIPE)
            os.close(writer)
            self.check(f"closed pipe: {args}", r.returncode == 1 and b"cannot write" in r.stderr,
                       f"{r.returncode} {r.stderr}")
        self.limited_disk()

    def limited_disk(self):
        import resource

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 20, 4 << 20))  # leaves a WASI host room for its own files
        self.write("wide.tflite", tiny.copy_model(tiny.FLOAT32, [2 << 20]))
        r = self.call("run", "wide.tflite", "--output-dir", "small", preexec_fn=limit)
        left = list((self.folder / "small").iterdir()) if (self.folder / "small").is_dir() else []
        self.check("output too large for the disk", r.returncode == 1 and b"cannot write" in r.stderr and left == [],
                   f"{r.returncode} {r.stderr} {left}")

    def test_terminal(self):
        def on_terminal(extra):
            leader, follower = pty.openpty()
            env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
            env.update(TERM="xterm", **extra)
            prefix = self.prefix
            if "run" in prefix:  # a WASI host passes variables on only when told to
                at = prefix.index("run") + 1
                prefix = prefix[:at] + [f"--env={k}={v}" for k, v in extra.items()] + prefix[at:]
            process = subprocess.Popen(prefix + ["run", "add.tflite"], cwd=self.folder, stdout=follower,
                                       stderr=follower,
                                       env=env)
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

    # ---- the other commands ----

    def test_bench(self):
        keys = ["load_ms", "prepare_ms", "first_ms", "invoke_ms", "runs", "time_limit_reached", "arena_bytes",
                "packed_bytes", "memory", "peak_rss_bytes", "isa", "threads", "ops"]
        r = self.expect("bench --json", 0, "bench", "add.tflite", "--json", "--warmup", 1, "--runs", 5)
        j = json.loads(r.stdout)
        self.check("bench --json: keys", list(j) == keys and list(j["invoke_ms"]) == ["min", "median", "p95"],
                   r.stdout)
        self.check("bench --json: order", j["invoke_ms"]["min"] <= j["invoke_ms"]["median"] <= j["invoke_ms"]["p95"])
        self.check("bench --json: memory", j["peak_rss_bytes"] > 100000 and j["threads"] == 1 and j["ops"] == [])
        j = json.loads(self.call("bench", "add.tflite", "--json", "--profile", "--runs", 5, "--isa", "scalar").stdout)
        self.check("bench --profile --json", len(j["ops"]) == 1 and j["ops"][0]["op"] == "ADD" and
                   j["ops"][0]["runs"] == 5 and j["isa"] == "scalar" and abs(j["ops"][0]["share"] - 1) < 1e-6, j)
        self.expect("bench text", 0, "bench", "add.tflite", "--profile", "--runs", 1, "--warmup", 0,
                    out=["load", "prepare", "first", "median", "arena", "packed", "GMAC/s", "ADD"])
        self.expect("bench reports errors", 4, "bench", self.write("custom.tflite", tiny.custom_model()))

    # ---- limits ----

    def timed(self, label, args, seconds, code=1, err=(), stdin=None):
        """An expected stop: in time, and with words on stderr."""
        start = time.monotonic()
        r = self.call(*args, stdin=stdin)
        took = time.monotonic() - start
        errors = r.stderr.decode()
        missing = [pattern for pattern in err if not re.search(pattern, errors)]
        self.check(label, r.returncode == code and took < seconds + 2 and not missing,
                   f"exit {r.returncode} after {took:.2f} s, lacks {missing}\n{errors}")
        return r

    def test_time_limit(self):
        self.write("slow.tflite", tiny.slow_model())
        reached = r"time limit of 1 s reached after \d+\.\d+ s in "
        where = r": subgraph 0, operator 0 AVERAGE_POOL_2D \(about 100 % of the work of its subgraph\)"
        r = self.timed("run stops inside an operator", ("run", "slow.tflite", "--time-limit", 1, "--output-dir", "never"), 1,
                       err=[reached + "run 1 of 1" + where])
        self.check("a stopped run writes nothing", r.stdout == b"" and not (self.folder / "never").exists(), r.stdout)
        r = self.timed("threads stop too", ("run", "slow.tflite", "--time-limit", 1, "--threads", 4), 1, err=[reached])
        r = self.timed("bench stops inside an operator", ("bench", "slow.tflite", "--time-limit", 1, "--json"), 1,
                       err=[reached + "the first run" + where])
        self.check("bench that finished nothing says nothing", r.stdout == b"", r.stdout)
        self.timed("repeated runs stop", ("run", "add.tflite", "--repeat", 1000000000, "--time-limit", "0.5"), 0.5,
                   err=[r"time limit of 0\.5 s reached after 0\.\d+ s in run \d+ of 1000000000.*; \d+ runs before it finished"])
        self.write("quick.tflite", tiny.slow_model(32, 32))
        r = self.timed("repeated timings stop", ("bench", "quick.tflite", "--runs", 1000000, "--time-limit", "0.5", "--json"),
                       0.5, err=["in timed run \\d+ of 1000000"])
        j = json.loads(r.stdout)
        self.check("bench gives the figures until then", j["time_limit_reached"] is True and 0 < j["runs"] < 1000000 and
                   j["invoke_ms"]["min"] > 0, r.stdout)
        r = self.timed("warm-up stops", ("bench", "quick.tflite", "--warmup", 1000000, "--time-limit", "0.5", "--json"), 0.5,
                       err=["in warm-up run \\d+ of 1000000"])
        j = json.loads(r.stdout)
        self.check("bench without a timed run", j["runs"] == 0 and j["invoke_ms"]["median"] is None and j["first_ms"] > 0,
                   r.stdout)
        self.expect("a limit that is not reached", 0, "run", "add.tflite", "--time-limit", 60)
        self.write("copy.tflite", tiny.copy_model(tiny.FLOAT16, [1 << 27]))
        self.timed("making up inputs stops", ("run", "copy.tflite", "--time-limit", "0.2"), 0.2,
                   err=["while (making up the inputs|preparing)"])
        self.stops_after_invoke()
        with open("/dev/zero", "rb") as endless:
            r = subprocess.run(self.prefix + ["run", "-", "--time-limit", "0.3"], stdin=endless, capture_output=True)
        self.check("endless input stops", r.returncode == 1 and b"while reading" in r.stderr, r.stderr)
        for value in "0", "-1", "nan", "inf", "x", "1s", "":
            for command in "run", "bench":
                self.expect(f"{command} --time-limit {value!r}", 2, command, "add.tflite", f"--time-limit={value}",
                            err=["--time-limit"])

    def stops_after_invoke(self):
        """The invoke is over and a large output is summed up, or written, when the time comes: no outputs, no report."""
        self.write("wide.tflite", tiny.wide_model(100_000_000))
        start = time.monotonic()
        r = self.expect("a large output", 0, "run", "wide.tflite", "--json")
        took = time.monotonic() - start
        invoke = json.loads(r.stdout)["invoke_ms"] / 1000
        r = self.timed("summing up stops", ("run", "wide.tflite", "--json", "--output-dir", "never", "--time-limit",
                                            f"{(took + invoke) / 2:.3f}"), took, err=["while summing up the outputs"])
        self.check("then nothing is written", r.stdout == b"" and not (self.folder / "never").exists(), r.stdout[:200])

    def test_memory_and_work(self):
        self.write("slow.tflite", tiny.slow_model())
        for command in "run", "bench":
            self.expect(f"{command} --max-memory", 3, command, "slow.tflite", "--max-memory", 1,
                        err=["plan.memory", "--max-memory MIB raises"])
            self.expect(f"{command} --max-work", 3, command, "slow.tflite", "--max-work", 1000000,
                        err=["session.work", "AVERAGE_POOL_2D", "--max-work STEPS raises"])
            for option, value in (("--max-memory", "0"), ("--max-memory", "x"), ("--max-memory", "1.5"), ("--max-work", "0"),
                                  ("--max-work", "9223372036854775808"), ("--max-work", "-1")):
                self.expect(f"{command} {option} {value}", 2, command, "add.tflite", option, value, err=[option])
            self.expect(f"{command} within its limits", 0, command, "add.tflite", "--max-memory", 1, "--max-work", 100000)
        for args in (("check", "--backend", "none"), ("plan", "--backend", "ethos-u55-128")):
            self.expect(f"{args[0]} --max-memory", 0, *args, "add.tflite", "--max-memory", 1)
            self.expect(f"{args[0]} --max-memory 0", 2, *args, "add.tflite", "--max-memory", 0, err=["--max-memory"])
        self.expect("info --max-memory", 0, "info", "slow.tflite", "--max-memory", 1,
                    err=["plan.memory", "--max-memory MIB raises"])
        big = np.zeros((1 << 17, 4), "<f4")
        self.write("big.npy", big)
        self.expect("an input beyond the limit", 5, "run", "add.tflite", "--input", "0=big.npy", "--input", "1=big.npy",
                    "--max-memory", 1, err=["plan.memory", "--max-memory"])
        r = self.expect("run --json has the memory", 0, "run", "add.tflite", "--json")
        memory = json.loads(r.stdout)["memory"]
        size = (self.folder / "add.tflite").stat().st_size
        self.check("memory of each part", memory["file_bytes"] == size and memory["session_bytes"] >= memory["arena_bytes"] +
                   memory["packed_bytes"] + memory["variable_bytes"] > 0 and memory["plan_bytes"] > 0, memory)
        j = json.loads(self.call("bench", "add.tflite", "--json", "--runs", 1).stdout)
        self.check("the same in bench", j["memory"] == memory, j)
        self.expect("run --verbose", 0, "run", "add.tflite", "--verbose",
                    out=["memory\n", f"{'session':<12} {memory['session_bytes']:>12} bytes"])
        self.check("run without --verbose", b"memory" not in self.call("run", "add.tflite").stdout)

    def test_image_bombs(self):
        """A small file never takes much time or memory, whatever size its header promises."""
        self.write("u8.tflite", tiny.copy_model(tiny.UINT8, [1, 8, 8, 3]))
        self.write("p.png", media.png(np.zeros((8, 8, 3), np.uint8)))
        if "no images" in self.call("run", "u8.tflite", "--input", "0=p.png").stderr.decode():
            return
        for label, content in media.image_bombs():
            self.write("bomb", content)
            self.timed(f"image bomb: {label}", ("run", "u8.tflite", "--input", "0=bomb"), 3, code=5,
                       err=["bomb: no readable image"])
        flat = np.full((2000, 3000), 77, np.uint8)
        self.write("flat.png", media.png(flat))
        self.write("g.tflite", tiny.copy_model(tiny.UINT8, [1, 8, 8, 1]))
        self.equal("an image that packs well", self.run_ok("flat image", "g.tflite", "--input", "0=flat.png"),
                   np.full(64, 77, np.uint8))
        self.expect("an image beyond the memory limit", 5, "run", "g.tflite", "--input", "0=flat.png", "--max-memory", 1,
                    err=["flat.png takes 24000000 bytes", "--max-memory"])
        self.write("long.tflite", tiny.copy_model(tiny.FLOAT32, [1 << 20]))
        self.write("s.wav", media.wav(np.zeros((4, 1)), 16))
        self.expect("audio beyond the memory limit", 5, "run", "long.tflite", "--input", "0=s.wav", "--max-memory", 1,
                    err=["s.wav takes 4194304 bytes", "--max-memory"])

    def test_reports(self):
        self.expect("info", 0, "info", "add.tflite", out=["serve", "ADD"])
        self.expect("dump", 0, "dump", "add.tflite", out=["ADD"])
        for args in (("info", "add.tflite"), ("dump", "add.tflite"), ("check", "add.tflite", "--backend", "none"),
                     ("ops", "--backend", "none")):
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
        self.expect("check without a backend", 2, "check", "add.tflite", err=["--backend", "none"])
        self.expect("check with an unknown backend", 2, "check", "add.tflite", "--backend", "tpu",
                    err=["tpu", "none"])
        self.profiles()
        self.expect("check of a broken model", 3, "check", "empty.tflite", "--backend", "none")
        names = self.call("--version").stdout.decode().split("backends: ")[1].split("\n")[0].split(", ")
        for backend in names:
            r = self.call("check", "add.tflite", "--backend", backend, "--json")
            j = json.loads(r.stdout)
            self.check(f"check --backend {backend}", r.returncode == 0 and sorted(j["summary"]) == sorted(
                ["ops", "ops_placed", "ops_dropped", "macs", "macs_placed", "partitions", "switches"]) and
                j["backend"] == backend and j["accelerator"] == (backend if backend.count("-") > 1 else None) and
                sorted(j["ops"][0]) == sorted(["subgraph", "index", "op", "output", "placed", "dropped", "reasons"]),
                r.stdout)
            self.check(f"check --backend {backend}: reasons", all(sorted(reason) == sorted(
                ["rule", "text", "got", "limit", "hint", "source"]) for reason in j["ops"][0]["reasons"]), r.stdout)
            placed = j["summary"]["ops_placed"] == j["summary"]["ops"]
            self.expect(f"check --strict --backend {backend}", 0 if placed else 6, "check", "add.tflite", "--backend",
                        backend, "--strict", err=[] if placed else ["not placed"])

    def profiles(self):
        for backend, default, other in (("ethos-u", "published", "vela-3.2"), ("ethos-u55-128", "vela-5.2", "published"),
                                        ("ethos-u65-512", "vela-5.2", "vela-3.2"),
                                        ("ethos-u85-256", "vela-5.2", "published"), ("none", "runtime", "runtime")):
            for profile, args in ((default, ()), (other, ("--profile", other))):
                for command in (("ops",), ("check", "add.tflite")):
                    r = self.call(*command, "--backend", backend, *args, "--json")
                    self.check(f"{command[0]} --backend {backend} {args}",
                               r.returncode == 0 and json.loads(r.stdout)["profile"] == profile, r.stderr)
        for command in (("ops",), ("check", "add.tflite")):
            self.expect(f"{command[0]} with an unknown profile", 2, *command, "--backend", "ethos-u55-64", "--profile",
                        "vela-4", err=["vela-4", "ethos-u55-64", "vela-5.2, vela-3.2, published"])
            self.expect(f"{command[0]} with another product's profile", 2, *command, "--backend", "ethos-u85-256",
                        "--profile", "vela-3.2", err=["vela-3.2", "vela-5.2, published"])
        self.expect("--version lists profiles", 0, "--version", out=["profiles of ethos-u: published, vela-3.2"])
        self.expect("check: text says what to change", 0, "check", "add.tflite", "--backend", "ethos-u",
                    out=["Quantize the model", "switches 0 times"])

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
        self.expect("signature of another subgraph", 0, "run", take("lyra_quantizer.tflite"), "--signature", "encode",
                    out=["input_frames"])
        self.write("ids.npy", np.full((46, 1, 1), 3, "<i4"))
        self.expect("name from the signature", 0, "run", "lyra_quantizer.tflite", "--signature", "decode", "--input",
                    "encoding_indices=ids.npy")
        self.expect("a compiled network", 0, "run", take("person_detect_vela.tflite"), out=["int8[1,2]"])
        self.write("ids.npy", np.full((1, 256), 1 << 30, "<i4"))
        self.expect("index out of range", 5, "run", take("movie_review.tflite"), "--input", "0=ids.npy")
        self.expect("several threads", 0, "run", "micro_speech_quantized.tflite", "--threads", 4)

    def run(self):
        self.write("add.tflite", tiny.add_model())
        if self.call("--version").returncode != 0:
            sys.exit(f"cannot start {' '.join(self.prefix)}")
        for name in sorted(n for n in dir(self) if n.startswith("test_")):
            try:
                getattr(self, name)()
            except Exception as error:  # one broken group must not hide the others
                self.check(name, False, f"{type(error).__name__}: {error}")
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0


def main():
    parser = argparse.ArgumentParser(description="Tests the npu_rt command as a user meets it.")
    parser.add_argument("--models", default=MODELS if os.path.isdir(MODELS) else None,
                        help="folder with the public models (default: ../shared/models, if there is one)")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="how to start npu_rt")
    args = parser.parse_args()
    if not args.command:
        parser.error("say how to start npu_rt, for example build/npu_rt")
    words = shlex.split(args.command[0]) if len(args.command) == 1 else args.command
    prefix = [os.path.abspath(a) if os.path.isfile(a) else a for a in words]
    with tempfile.TemporaryDirectory(prefix="npu_rt_cli_") as folder:
        return Tests(prefix, folder, args.models).run()


if __name__ == "__main__":
    sys.exit(main())
