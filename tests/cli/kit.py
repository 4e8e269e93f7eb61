"""What the tests of the command line share: starting it in a temporary folder and judging what it says. Needs Python 3 and
numpy.

usage: test_NAME.py [--models DIR] [--only GROUP] COMMAND...

COMMAND is how to start npu_rt: `build/npu_rt`, or `wasmtime run --dir=. build/npu_rt.wasm`. Every call runs in a
temporary folder, so under WASI `--dir=.` gives it just that. COMMAND may also be one quoted word. Real models are
used where there are some.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import tiny_model as tiny

MODELS = str(Path(__file__).resolve().parents[3] / "shared" / "models")


class Kit:
    def __init__(self, prefix, folder, models):
        self.prefix, self.folder, self.models = prefix, Path(folder), models
        self.wasi = any(a.endswith("wasm") for a in prefix)
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
        return subprocess.run(
            self.prefix + [str(a) for a in args], cwd=self.folder, input=stdin, capture_output=True, timeout=300, **more
        )

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

    def timed(self, label, args, seconds, code=1, err=(), stdin=None):
        """An expected stop: in time, and with words on stderr."""
        start = time.monotonic()
        r = self.call(*args, stdin=stdin)
        took = time.monotonic() - start
        errors = r.stderr.decode()
        missing = [pattern for pattern in err if not re.search(pattern, errors)]
        self.check(
            label,
            r.returncode == code and took < seconds + 2 and not missing,
            f"exit {r.returncode} after {took:.2f} s, lacks {missing}\n{errors}",
        )
        return r

    def run(self, only=""):
        self.write("add.tflite", tiny.add_model())
        if self.call("--version").returncode != 0:
            sys.exit(f"cannot start {' '.join(self.prefix)}")
        for name in sorted(n for n in dir(self) if n.startswith("test_" + only)):
            try:
                getattr(self, name)()
            except Exception as error:  # one broken group must not hide the others
                self.check(name, False, f"{type(error).__name__}: {error}")
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0


def main(tests):
    """Runs the methods test_* of a class of tests."""
    parser = argparse.ArgumentParser(description="Tests the npu_rt command as a user meets it.")
    parser.add_argument(
        "--models",
        default=MODELS if os.path.isdir(MODELS) else None,
        help="folder with the public models (default: ../shared/models, if there is one)",
    )
    parser.add_argument("--only", default="", help="run one group of tests: the method test_NAME")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="how to start npu_rt")
    args = parser.parse_args()
    if not args.command:
        parser.error("say how to start npu_rt, for example build/npu_rt")
    words = shlex.split(args.command[0]) if len(args.command) == 1 else args.command
    prefix = [os.path.abspath(a) if os.path.isfile(a) else a for a in words]
    with tempfile.TemporaryDirectory(prefix="npu_rt_cli_") as folder:
        return tests(prefix, folder, args.models).run(args.only)
