"""LiteRT's own MediaTek plugin, run against an adapter that writes down what it is told.

    run = apply("m.tflite", version="8.1.0")
    run.partitions        # [(subgraph, operators taken, operators, partitions)]
    run.models[0]         # a NeuronModel: operands, operations, inputs, outputs, and how it was compiled
    run.left              # per subgraph, the output tensors' names of operators that stayed with the CPU

The plugin and the tool that applies it are those inside the ai-edge-litert wheel; the adapter is recorder/recorder.c, or
any libneuron_adapter.so that writes the same lines to $NPU_NEURON_TRACE.
"""

import os
import re
import subprocess
import sys
import tempfile

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SITE = os.path.join(REPO, "build/tools/venv/lib/python%d.%d/site-packages/ai_edge_litert" % sys.version_info[:2])
TOOL, PLUGIN = os.path.join(SITE, "tools/apply_plugin_main"), os.path.join(SITE, "vendors/mediatek/compiler")
RECORDER = os.path.join(REPO, "build/neuron/recorder")
STATIC, ASKED = "8.1.0", "8.2.26"  # below 8.2.24 the plugin's own list decides, from there the adapter is asked as well
NEWER = "8.2.28"  # scales by channel of int32, int4 and int2 have types of their own
VERSIONS = [STATIC, ASKED, NEWER]
SOC = "mt6991"
PARTITION = re.compile(r"Partitioned subgraph<(\d+)>, selected (\d+) ops, from a total of (\d+) ops. resulted in (\d+)")


def available():
    """Whether the wheel with the plugin is there."""
    return os.access(TOOL, os.X_OK) and os.path.isdir(PLUGIN)


def build_recorder(out=RECORDER):
    """Compiles the recorder where it is missing or older than its source. Returns its folder."""
    source, lib = os.path.join(REPO, "tests/neuron/recorder/recorder.c"), os.path.join(out, "libneuron_adapter.so")
    if not os.path.exists(lib) or os.path.getmtime(lib) < os.path.getmtime(source):
        os.makedirs(out, exist_ok=True)
        made = "%s.%d" % (lib, os.getpid())
        subprocess.run(
            [os.environ.get("CC", "cc"), "-O2", "-std=c99", "-shared", "-fPIC", source, "-o", made], check=True
        )
        os.replace(made, lib)
    return out


class Operand:
    """type: a number, or for an extension's type its name and code. value: (length, FNV-1a or None, first bytes)."""

    def __init__(self, type_, dims, scale, zero_point):
        self.type, self.dims, self.scale, self.zero_point = type_, dims, scale, zero_point
        self.value = self.channels = None

    def key(self):
        return (self.type, self.dims, self.scale, self.zero_point, self.channels, self.value)


class NeuronModel:
    def __init__(self):
        self.name, self.operands, self.operations = "", [], []
        self.inputs, self.outputs, self.n_io = [], [], None
        self.supported, self.calls, self.extensions, self.finished = None, [], {}, False

    def canonical(self):
        """The model up to numbering: operations in order, operands numbered by their first use, and what each one is."""
        number, order = {}, []

        def of(i):
            if i not in number:
                number[i] = len(order)
                order.append(self.operands[i].key())
            return number[i]

        operations = [(t, tuple(map(of, ins)), tuple(map(of, outs))) for t, ins, outs in self.operations]
        return operations, order, tuple(map(of, self.inputs)), tuple(map(of, self.outputs))


def _ints(text):
    return tuple(int(x) for x in text.strip("[]").split(",") if x)


def _fields(words):
    return dict(w.split("=", 1) for w in words if "=" in w)


def parse_log(text):
    """The models of a recording, in the order they were made."""
    models, pending = [], None
    for line in text.splitlines():
        word, *rest = line.split(" ")
        if word == "NeuronModel_create":
            models.append(NeuronModel())
            pending = None
            continue
        if not models:
            continue
        m, f = models[-1], _fields(rest)
        if word == "setName":
            m.name = " ".join(rest)
        elif word in ("extOperand", "extOperation"):
            pending = (word, rest[0], int(rest[1], 0))
        elif word == "operand":
            kind = int(f["type"])
            if pending and pending[0] == "extOperand":
                m.extensions[kind], pending = "%s/%d" % pending[1:], None
            m.operands.append(Operand(m.extensions.get(kind, kind), _ints(f["dims"]), float(f["scale"]), int(f["zp"])))
        elif word == "value":
            head = "".join(w for w in rest if "=" not in w and not w.startswith("#"))
            m.operands[int(rest[0][1:])].value = (int(f["len"]), f.get("fnv"), head)
        elif word in ("symmPC", "PC"):
            scales = tuple(map(float, f["scales"].split(","))) if f.get("scales") else (float(f["s0"]),)
            m.operands[int(rest[0][1:])].channels = (word, int(f["dim"]), int(f["n"]), scales, _ints(f.get("zps", "")))
        elif word == "OP":
            kind = int(f["type"])
            if pending and pending[0] == "extOperation":
                m.extensions[kind], pending = "%s/%d" % pending[1:], None
            m.operations.append((m.extensions.get(kind, kind), _ints(f["in"]), _ints(f["out"])))
        elif word == "io":
            m.n_io = (int(f["in"]), int(f["out"]))
            m.inputs, m.outputs = _ints(f.get("inputs", "[]")), _ints(f.get("outputs", "[]"))
        elif word == "finish":
            m.finished = True
        elif word == "getSupportedOperations":
            m.supported = [flag == "1" for flag in rest[-1]]
        else:
            m.calls.append(line)
    return models


class Run:
    def __init__(self, code, output, log):
        self.code, self.output, self.log = code, output, log
        self.partitions = [tuple(map(int, m)) for m in PARTITION.findall(output)]
        self.queries = []  # models that were only asked about
        self.models = []
        for m in parse_log(log):
            (self.models if m.supported is None else self.queries).append(m)

    def errors(self):
        return [line for line in self.output.splitlines() if line.startswith("ERROR")]


def apply(model, version=STATIC, adapter=RECORDER, out=None, timeout=600, extra=()):
    """Applies the plugin to a file. out: where the resulting model goes (default: nowhere)."""
    with tempfile.TemporaryDirectory() as d:
        log = os.path.join(d, "log")
        command = [TOOL, "--cmd=apply", "--model=" + str(model), "--o=" + (out or os.path.join(d, "out.tflite"))]
        command += ["--soc_manufacturer=MediaTek", "--soc_model=" + SOC, "--libs=" + PLUGIN, "--err=--", *extra]
        env = dict(os.environ, LD_LIBRARY_PATH=adapter, NPU_NEURON_TRACE=log, NPU_NEURON_VERSION=version)
        env["TMPDIR"] = d
        p = subprocess.run(
            command,
            cwd=d,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=timeout,
        )
        text = open(log).read() if os.path.exists(log) else ""
        return Run(p.returncode, p.stdout, text)
