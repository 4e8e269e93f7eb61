#!/usr/bin/env python3
"""The command line as for a phone, built with NPU_RT_NEURON_DLOPEN: it runs what the machine's Neuron adapter takes on that (here
libneuron_adapter.so, which writes down its calls), at whatever version it reports, and says so where there is none."""

import glob
import json
import os
import subprocess
import sys
import tempfile

import plugin

import settings  # isort: skip
from runner import Score

FLAGS = ["-std=c99", "-D_POSIX_C_SOURCE=200809L", "-DNPU_RT_BACKEND_ALL", "-DNPU_RT_NEURON_DLOPEN", "-O0", "-I."]
MODEL = "examples/digits/digits_int8.tflite"


def build(to):
    command = ["cc", *FLAGS, *sorted(glob.glob("wasi/*.c")), "-lm", "-ldl", "-o", to]
    return subprocess.run(command, capture_output=True, text=True)


def run(cli, *args, **env):
    """(exit code, the object that it prints, stderr)"""
    own = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
    p = subprocess.run([cli, "run", MODEL, "--json", *args], capture_output=True, text=True, env=dict(own, **env))
    return p.returncode, json.loads(p.stdout), p.stderr


def main():
    settings.arguments(__doc__.split("\n")[0])
    score = Score("neuron library")
    os.chdir(plugin.REPO)
    with tempfile.TemporaryDirectory() as d:
        cli, trace = os.path.join(d, "npu_rt"), os.path.join(d, "trace")
        built = build(cli)
        score.check("it builds", built.stderr[-500:] if built.returncode else None)
        if built.returncode:
            return score.close()
        _, plain, _ = run(cli)
        score.check("nothing is loaded unless it is asked for", None if plain["backend"] is None else plain["backend"])
        code, none, errors = run(cli, "--backend", "neuron")
        said = "no Neuron adapter" in errors and "software adapter" in errors
        score.check("without an adapter its software runs, and that is said", None if said and code == 0 else errors)
        score.check("and told to programs", None if none["backend"]["software"] else str(none["backend"]))
        for version, patch in (("8.1.0", 0), ("8.2.26", 26)):
            env = {"LD_LIBRARY_PATH": "build", "NPU_NEURON_TRACE": trace, "NPU_NEURON_VERSION": version}
            code, j, errors = run(cli, "--backend", "neuron", **env)
            good = code == 0 and not errors and j["backend"]["software"] is False and j["backend"]["ops_placed"] > 0
            score.check("the adapter of version %s runs" % version, None if good else (errors or str(j["backend"])))
            same = j["outputs"][0]["top"] == plain["outputs"][0]["top"]
            score.check("version %s: the same integers" % version, None if same else str(j["outputs"]))
            with open(trace) as f:
                calls = f.read()
            asked = "getSupportedOperations" in calls
            score.check("version %s: what it was asked" % version, None if asked == (patch > 23) else calls[:300])
            score.check("version %s: it computed" % version, None if "compute" in calls else calls[-300:])
            os.remove(trace)
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
