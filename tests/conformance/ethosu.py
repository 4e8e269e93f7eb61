"""`npu_rt check` and `npu_rt ops` for the Ethos-U backends, as Python values."""

import argparse
import json
import os
import shlex
import subprocess
import tempfile

from runner import REPO, SHARED


class Ethosu:
    def __init__(self, command):
        self.prefix = shlex.split(command)

    def _text(self, *args):
        p = subprocess.run(
            self.prefix + list(args), stdin=subprocess.DEVNULL, capture_output=True, timeout=600, cwd=REPO
        )
        if p.returncode:
            raise RuntimeError("exit %d: %s" % (p.returncode, p.stderr.decode(errors="replace").strip()[-400:]))
        return p.stdout.decode("utf-8")

    def _json(self, *args):
        return json.loads(self._text(*args, "--json"))

    def markdown(self, profile):
        return self._text("ops", "--backend", "ethos-u", "--profile", profile, "--markdown")

    def ops(self, profile=None, backend="ethos-u"):
        return self._json("ops", "--backend", backend, *(["--profile", profile] if profile else []))

    def check_file(self, path, profile=None, backend="ethos-u"):
        return self._json("check", path, "--backend", backend, *(["--profile", profile] if profile else []))

    def check(self, model, profile=None, backend="ethos-u"):
        with tempfile.NamedTemporaryFile(suffix=".tflite") as f:
            f.write(model)
            f.flush()
            return self.check_file(f.name, profile, backend)


# (backend, profile): every set of rules there is. Accelerators of one product share theirs.
PROFILES = [
    ("ethos-u", "published"),
    ("ethos-u", "vela-3.2"),
    ("ethos-u55-128", "vela-5.2"),
    ("ethos-u65-256", "vela-5.2"),
    ("ethos-u85-256", "vela-5.2"),
]


def arguments(description):
    p = argparse.ArgumentParser(description=description)
    p.add_argument("--command", default=os.path.join(REPO, "build", "npu_rt"))
    p.add_argument("--shared", default=SHARED, help="folder with reference/, models/ and oracles/")
    return p.parse_args()
