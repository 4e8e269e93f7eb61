"""Where Vela puts each operator of a model: the oracle of `npu_rt check --profile vela-5.2`.

    oracle = Oracle()                                       # raises vela.VelaMissing
    for key, placement in oracle.place({"add": (model_bytes, "ethos-u55-128"), ...}):
        placement.why                                       # None, or why there is nothing to compare
        placement.ops[(subgraph, index)]                    # Verdict(placed, reasons, dropped)

Vela prints "Warning (supported operators) operator: OP, ofm: 'NAME'", the reason and the constraint's documentation for
what it refuses, and nothing for what it takes. What one has to know to read that:
- It names operators by output. Networks reuse names, over subgraphs too, and leave them out; so every tensor gets a
  name of its own first. An operator without outputs is 'placeholder-for-INDEX-OFM', INDEX counting in its subgraph: where
  that does not say which one, operators that nobody needs are put in front of a subgraph's, and the indices differ.
- A fused activation is an operator of its own there: the first half then writes 'NAME_act', and when either half is
  refused both go to the CPU.
- An operator can be refused several times (variables: once for the handle, once by itself).
- Two checks refuse without naming anything: they print their documentation only.
- VAR_HANDLE is taken silently when everything that uses it is: it becomes memory. So are SPACE_TO_BATCH_ND and
  BATCH_TO_SPACE_ND around a convolution: they become its dilation.
- Operators that no output of the graph depends on are dropped before all that: `placed` is None.
- Operators that are refused may vanish later, when a placed operator that was the only one to need them is compiled:
  what computes the shape of a RESHAPE. The file does not hold them: `dropped`. Without a file it is None.
- A model that breaks one of its "semantics" checks is not read at all. Afterwards compilation may still fail, or take
  too long, but by then all verdicts are printed.
Where a file comes out, it must hold no operators but those that were refused."""

import collections
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "conformance"))

from mkmodel import schema  # noqa: E402

import flatbuffers  # noqa: E402
import vela  # noqa: E402

Verdict = collections.namedtuple("Verdict", "placed reasons dropped")
Refusal = collections.namedtuple("Refusal", "op ofm reason")
BLOCK = re.compile(
    r"^Warning \(supported operators\) operator: (?P<op>.+?), ofm: '(?P<ofm>.*)'\n"
    r"(?:Reason: (?P<reason>.*)\n)?",
    re.M,
)
SEMANTICS = re.compile(r"Error: (?P<op>\S*) '(?P<name>.*)' Does not have valid TFLite Semantics\.\n - (?P<rule>.*)\n")
AFTER_CHECKS = "could not run on NPU"
NAMES = {v: k for k, v in vars(schema.BuiltinOperator).items() if not k.startswith("_")}
RENAMED = {"ARG_MAX": "ARGMAX"}  # what Vela calls it


class Placement:
    """ops: {(subgraph, index): Verdict}. why: why there are none. semantics: (rule, output) that stopped the reader.
    unnamed: refusals of which Vela did not say what they are about."""

    def __init__(self, why=None, ops=None, semantics=None, unnamed=0, odd=None):
        self.why, self.ops, self.semantics, self.unnamed, self.odd = why, ops or {}, semantics, unnamed, odd


def code_of(model, op):
    c = model.operatorCodes[op.opcodeIndex]
    return max(c.builtinCode, c.deprecatedBuiltinCode)


def is_npu(model, op):
    return model.operatorCodes[op.opcodeIndex].customCode == b"ethos-u"


def indices(vector):
    return [] if vector is None else [int(i) for i in vector]


class Named:
    """A model whose tensors have names of their own, and what Vela will call its operators."""

    def __init__(self, data):
        self.model = schema.ModelT.InitFromPackedBuf(data, 0)
        self.producer, self.user, self.silent, self.dead = {}, {}, {}, set()
        for s, graph in enumerate(self.model.subgraphs):
            for i, tensor in enumerate(graph.tensors):
                tensor.name = b"s%dt%d" % (s, i)
            for i, op in enumerate(graph.operators):
                for t in indices(op.outputs):
                    self.producer["s%dt%d" % (s, t)] = (s, i)
                for t in indices(op.inputs):
                    self.user.setdefault("s%dt%d" % (s, t), (s, i))
            self._find_dead(s, graph)
        self._tell_apart()
        fb = flatbuffers.Builder(len(data) + 1024)
        fb.Finish(self.model.Pack(fb), b"TFL3")
        self.bytes = bytes(fb.Output())
        for graph, n in zip(self.model.subgraphs, self.fillers):
            del graph.operators[:n]

    def _tell_apart(self):
        """silent: {index that Vela will name: operator without outputs}; fillers: operators put before a subgraph's."""
        found = [
            (s, i)
            for s, g in enumerate(self.model.subgraphs)
            for i, op in enumerate(g.operators)
            if not indices(op.outputs)
        ]
        self.fillers, ahead = [], 0
        for graph in self.model.subgraphs:
            self.fillers.append(ahead if len({i for _, i in found}) < len(found) else 0)
            ahead += len(graph.operators)
        self.silent = {i + self.fillers[s]: (s, i) for s, i in found}
        for s, n in enumerate(self.fillers):
            self._fill(self.model.subgraphs[s], n)

    def _fill(self, graph, n):
        if not n:
            return
        code = schema.OperatorCodeT()
        code.builtinCode = code.deprecatedBuiltinCode = schema.BuiltinOperator.RELU
        code.version = 1
        self.model.operatorCodes.append(code)
        first = len(graph.tensors)
        for i in range(n + 1):
            t = schema.TensorT()
            t.name, t.shape, t.type = b"filler%d" % i, [1], schema.TensorType.INT8
            graph.tensors.append(t)
        for i in range(n):
            op = schema.OperatorT()
            op.opcodeIndex, op.inputs, op.outputs = len(self.model.operatorCodes) - 1, [first], [first + 1 + i]
            graph.operators.insert(0, op)

    def _find_dead(self, s, graph):
        """Operators are in no certain order: until nothing changes."""
        wanted, alive, grown = set(indices(graph.outputs)), set(), True
        while grown:
            grown = False
            for i, op in enumerate(graph.operators):
                outputs = indices(op.outputs)
                if i not in alive and (not outputs or wanted.intersection(outputs)):
                    alive.add(i)
                    wanted.update(indices(op.inputs))
                    grown = True
        self.dead.update((s, i) for i in range(len(graph.operators)) if i not in alive)

    def keys(self):
        return [(s, i) for s, g in enumerate(self.model.subgraphs) for i in range(len(g.operators))]

    def op(self, key):
        return self.model.subgraphs[key[0]].operators[key[1]]

    def op_name(self, key):
        name = NAMES[code_of(self.model, self.op(key))]
        return RENAMED.get(name, name)

    def find(self, refusal):
        """The operator that a refusal is about. None: there is none."""
        hidden = re.fullmatch(r"placeholder-for-(\d+)-OFM", refusal.ofm)
        if hidden:
            return self.silent.get(int(hidden.group(1)))
        return self.producer.get(re.sub(r"_act$", "", refusal.ofm))


def parse(log, documentation):
    """([Refusal], how many refusals name nothing). The reason is followed by the constraint's documentation."""
    refusals, unnamed, end = [], 0, len(log)
    for m in reversed(list(BLOCK.finditer(log))):
        said = log[m.end() : end]
        known = max((d for d in documentation if said.startswith(d)), key=len, default="")
        refusals.append(Refusal(m["op"], m["ofm"], known or m["reason"] or ""))
        unnamed += count_documentation(said[len(known) :], documentation)
        end = m.start()
    unnamed += count_documentation(log[:end], documentation)
    return refusals[::-1], unnamed


def count_documentation(text, documentation):
    return sum(("\n" + text).count("\n" + d + "\n") for d in documentation)


def left_in(path, named):
    """Operators of a compiled file that are not for the NPU, as keys of the model that it was."""
    with open(path, "rb") as f:
        compiled = schema.ModelT.InitFromPackedBuf(f.read(), 0)
    left, silent = set(), collections.Counter()
    for graph in compiled.subgraphs:
        for op in graph.operators:
            outputs = [graph.tensors[t].name.decode() for t in indices(op.outputs)]
            # Vela appends to the name of a tensor that it has rewritten: _int8 to a bool, /Transpose to a transposed one
            key = (
                named.producer.get(re.sub(r"^(s\d+t\d+)(_int8$|/.*)", r"\1", outputs[0]), outputs[0])
                if outputs
                else None
            )
            if is_npu(compiled, op) and not (key in named.keys() and is_npu(named.model, named.op(key))):
                continue
            if outputs:
                left.add(key)
            else:
                silent[NAMES[code_of(compiled, op)]] += 1
    return left, silent


def judge(named, result, documentation):
    log = result.log
    broken = SEMANTICS.search(log)
    if broken:
        why = "not read: %s %s" % (broken["op"] or broken["name"], broken["rule"])
        about = named.producer.get(broken["name"]) or named.user.get(broken["name"])
        return Placement(why, semantics=(broken["rule"], about))
    if result.path is None and not result.late and AFTER_CHECKS not in log:
        return Placement("not compiled: " + result.why)
    if result.path is None and len(named.model.subgraphs) > 1:
        return Placement("subgraphs after one that is not compiled: " + result.why)
    refusals, unnamed = parse(log, documentation)
    reasons, lost = collections.defaultdict(set), []
    for r in refusals:
        key = named.find(r)
        if key is None:
            lost.append(r)
        else:
            reasons[key].add(r.reason)
    odd = "names what is not there: %s" % lost[:3] if lost else None
    refused, dropped = set(reasons), dict.fromkeys(named.keys())
    if result.path:
        left, silent = left_in(result.path, named)
        outputless = set(named.silent.values())
        says_nothing = left - refused
        if len(says_nothing) > unnamed or sum(silent.values()) != len(refused & outputless):
            odd = odd or "file and warnings differ: %s are left, not refused; %d of %d without outputs are left" % (
                sorted(map(str, says_nothing))[:5],
                sum(silent.values()),
                len(refused & outputless),
            )
        refused |= {k for k in says_nothing if isinstance(k, tuple)}
        dropped = {k: k in named.dead or k in refused - outputless - left for k in named.keys()}
    ops = {
        k: Verdict(None if k in named.dead else k not in refused, sorted(reasons[k]), dropped[k]) for k in named.keys()
    }
    return Placement(ops=ops, unnamed=unnamed, odd=odd)


class Oracle:
    """constraints: {"EthosU55": {operator: [documentation of each of its constraints]}, "EthosU85": ...}"""

    def __init__(self, **options):
        self.vela = vela.Vela(**options)
        ask = (
            "import json; from ethosu import regor; print(json.dumps({a: regor.tflite_operator_constraints(a) "
            "for a in ('EthosU55', 'EthosU65', 'EthosU85')}))"
        )
        p = subprocess.run([self.vela.python, "-c", ask], capture_output=True, text=True, timeout=120, check=True)
        self.constraints = json.loads(p.stdout)
        self.documentation = sorted({d for ops in self.constraints.values() for c in ops.values() for d in c})

    def place(self, todo):
        """Yields (key, Placement) for {key: (model, accelerator)}, in any order."""
        named, requests = {}, []
        for key, (model, accelerator) in todo.items():
            named.setdefault(id(model), Named(model))
            requests.append(vela.Request(repr(key), named[id(model)].bytes, accelerator))
        keys = {r.name: k for r, k in zip(requests, todo)}
        for request, result in self.vela.compile(requests):
            key = keys[request.name]
            yield key, judge(named[id(todo[key][0])], result, self.documentation)
