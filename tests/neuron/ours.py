"""`npu_rt lower` and `npu_rt check` for MediaTek Neuron, in the terms of plugin.py: NeuronModels, and which operators."""

import json
import os
import shlex
import struct
import subprocess
import tempfile

import plugin
from mkmodel import Builder
from plugin import NeuronModel, Operand

PROFILE = "litert-2.3"
STRING, EXTENSION = "com.mediatek.general_operation/256", "com.mediatek.general_operation/0"


class Refused(Exception):
    """npu_rt does not open the file, or does not lower what it takes."""


class Npu:
    def __init__(self, command):
        self.prefix = shlex.split(command)

    def _json(self, *args):
        p = subprocess.run(
            self.prefix + [*args, "--backend", "neuron", "--rules", PROFILE, "--json"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=600,
            cwd=plugin.REPO,
        )
        if p.returncode:
            raise Refused("exit %d: %s" % (p.returncode, p.stderr.decode(errors="replace").strip()[-300:]))
        return json.loads(p.stdout.decode())

    def operators(self):
        return self._json("ops")["operators"]

    def check(self, path):
        return self._json("check", path)

    def lower(self, path, version):
        """[(subgraph, operators, NeuronModel)]"""
        found = self._json("lower", path, "--runtime", version)["segments"]
        return [(s["subgraph"], s["operators"], _model(s)) for s in found]


def _operand(o):
    dims = tuple(d & 0xFFFFFFFF for d in o["dims"])
    scale = struct.unpack("<f", struct.pack("<I", o["scale_bits"]))[0]
    kind = STRING if o["type"] == "ARGSTRING" else o["code"]
    made = Operand(kind, dims, scale, o["zero_point"])
    if "bytes" in o:
        made.value = (o["bytes"], o.get("fnv1a", "not computed"), "")
    if "channels" in o:
        c = o["channels"]
        made.channels = (c["axis"], c["count"], c.get("scales_fnv1a"), c.get("zero_points_fnv1a"))
    return made


def _model(s):
    m = NeuronModel()
    m.operands = [_operand(o) for o in s["operands"]]
    m.inputs, m.outputs = tuple(s["inputs"]), tuple(s["outputs"])
    for op in s["operations"]:
        m.operations.append((op.get("code", EXTENSION), tuple(op["inputs"]), tuple(op["outputs"])))
    m.finished = True
    return m


class Ours:
    """What npu_rt makes of one case. error: it does not open the file, or does not lower it."""

    def __init__(self, ops, models, error):
        self.ops, self.models, self.error = ops, models, error
        self.taken = bool(ops) and all(op["placed"] for op in ops)

    def rules(self):
        return sorted({r["rule"] for op in self.ops for r in op["reasons"]})


def _run(npu, cases, version, path):
    b, where = Builder(), []
    for case in cases:
        where.append(len(b.model.subgraphs))
        case.put(b)
    with open(path, "wb") as f:
        f.write(b.bytes())
    try:
        ops, models = npu.check(path)["ops"], npu.lower(path, version) if version else []
    except Refused as e:
        if len(cases) == 1:
            try:
                return [Ours(npu.check(path)["ops"], [], str(e))]
            except Refused:
                return [Ours([], [], str(e))]
        half = len(cases) // 2
        return _run(npu, cases[:half], version, path) + _run(npu, cases[half:], version, path)
    return [_part(case, s, ops, models) for s, case in zip(where, cases)]


def _part(case, subgraph, ops, models):
    """A composite that is taken stands for its parts; of one that is left they are what is taken."""
    ops = [op for op in ops if op["subgraph"] == subgraph]
    subgraphs = 1 if ops[0]["placed"] else case.subgraphs()
    return Ours(ops, [m for g, _, m in models if subgraph <= g < subgraph + subgraphs], None)


def answers(npu, cases, version=None, per_file=40):
    """A list of Ours, in the order of the cases; without a version only verdicts."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for i in range(0, len(cases), per_file):
            found += _run(npu, cases[i : i + per_file], version, os.path.join(folder, "m.tflite"))
    return found
