"""Runs models through the command line under test and compares its .npy outputs with an oracle's."""

import os
import shlex
import subprocess
import tempfile

import numpy as np

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.path.realpath(os.path.join(os.path.dirname(REPO), "shared"))  # WASI follows no link out of a folder


class CommandFailed(Exception):
    def __init__(self, code, stderr):
        super().__init__("exit %d: %s" % (code, stderr.strip()[-400:]))
        self.code, self.stderr = code, stderr


class Command:
    """The command line under test, e.g. "build/npu_rt" or "wasmtime run --dir=/ build/npu_rt.wasm"."""

    def __init__(self, command, isa=None, threads=None, timeout=600):
        self.prefix = shlex.split(command)
        self.extra = (["--isa", isa] if isa else []) + (["--threads", str(threads)] if threads else [])
        self.timeout = timeout

    def run(self, model_path, inputs, signature=None, repeat=1):
        """Outputs of the last of `repeat` invokes, as a list of arrays."""
        with tempfile.TemporaryDirectory() as tmp:
            args = self.prefix + ["run", model_path, "--output-dir", os.path.join(tmp, "out")] + self.extra
            for i, a in enumerate(inputs):
                path = os.path.join(tmp, "in%d.npy" % i)
                np.save(path, a)
                args += ["--input", "%d=%s" % (i, path)]
            if signature:
                args += ["--signature", signature]
            if repeat != 1:
                args += ["--repeat", str(repeat)]
            p = subprocess.run(
                args,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=self.timeout,
                cwd=REPO,
            )
            if p.returncode != 0:
                raise CommandFailed(p.returncode, p.stderr)
            outputs = []
            while os.path.exists(os.path.join(tmp, "out", "%d.npy" % len(outputs))):
                outputs.append(np.load(os.path.join(tmp, "out", "%d.npy" % len(outputs))))
            return outputs


def difference(ours, theirs, tolerance):
    """None when equal (integers: exactly; floats: within `tolerance` of the largest magnitude), else what differs.
    tolerance None asks for exact equality of floats too."""
    if len(ours) != len(theirs):
        return "%d outputs instead of %d" % (len(ours), len(theirs))
    for i, (a, b) in enumerate(zip(ours, theirs)):
        a, b = np.asarray(a), np.asarray(b)
        if a.shape != b.shape:
            return "output %d: shape %s instead of %s" % (i, a.shape, b.shape)
        if a.dtype != b.dtype:
            return "output %d: type %s instead of %s" % (i, a.dtype, b.dtype)
        if a.size == 0:
            continue
        if a.dtype.kind not in "fc" or tolerance is None:
            wrong = ~((a == b) | ((a != a) & (b != b)))
            if wrong.any():
                k = int(np.argmax(wrong.reshape(-1)))
                return "output %d: %d of %d differ, first at %d: %s instead of %s" % (
                    i,
                    int(wrong.sum()),
                    a.size,
                    k,
                    a.reshape(-1)[k],
                    b.reshape(-1)[k],
                )
            continue
        nan = (a != a) | (b != b)
        if ((a != a) != (b != b)).any():
            return "output %d: NaN in different places" % i
        inf = np.isinf(a) | np.isinf(b)
        if (a[inf] != b[inf]).any():
            return "output %d: infinities in different places" % i
        ok = ~(nan | inf)
        if ok.any():
            largest = max(float(np.abs(b[ok]).max()), 1e-30)
            error = float(np.abs(a[ok].astype(np.complex128) - b[ok].astype(np.complex128)).max()) / largest
            if error > tolerance:
                return "output %d: error %.3g of the largest magnitude, allowed is %.3g" % (i, error, tolerance)
    return None


class Score:
    """Counts, prints failures as they come, and the closing line."""

    def __init__(self, title):
        self.title, self.passed, self.failed, self.skipped = title, 0, 0, []

    def check(self, name, problem):
        if problem is None:
            self.passed += 1
        else:
            self.failed += 1
            print("FAIL %s %s: %s" % (self.title, name, problem), flush=True)

    def skip(self, name, why):
        self.skipped.append(name)
        print("left out %s %s: %s" % (self.title, name, why), flush=True)

    def close(self):
        print("%s: %d passed, %d failed" % (self.title, self.passed, self.failed), flush=True)
        return 1 if self.failed or not self.passed else 0
