"""`npu_rt check` and `npu_rt ops` for backend ethosu, as Python values."""
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

    def _json(self, *args):
        p = subprocess.run(self.prefix + list(args), stdin=subprocess.DEVNULL, capture_output=True, timeout=600,
                           cwd=REPO)
        if p.returncode:
            raise RuntimeError("exit %d: %s" % (p.returncode, p.stderr.decode(errors="replace").strip()[-400:]))
        return json.loads(p.stdout.decode("utf-8"))

    def ops(self):
        return self._json("ops", "--backend", "ethos-u", "--json")

    def check_file(self, path):
        return self._json("check", path, "--backend", "ethos-u", "--json")

    def check(self, model):
        with tempfile.NamedTemporaryFile(suffix=".tflite") as f:
            f.write(model)
            f.flush()
            return self.check_file(f.name)


def arguments(description):
    p = argparse.ArgumentParser(description=description)
    p.add_argument("--command", default=os.path.join(REPO, "build", "npu_rt"))
    p.add_argument("--shared", default=SHARED, help="folder with reference/, models/ and oracles/")
    return p.parse_args()
