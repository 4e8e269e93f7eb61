#!/usr/bin/env python3
"""Neuron networks compute what the network itself does: every public network, with inputs of three seeds, natively and under
wasmtime, as npu_rt's own segments (run --backend neuron) and as LiteRT's plugin leaves it for three versions of the adapter.

Integers are equal to the bit. Float32 is computed as float16, as the plugin allows: outputs stay within a twentieth of
their largest number (a twelfth for one network: WIDER), and within a millionth where float16 is forbidden. What `check`
warns of is part of the network that they are compared with (warned.py). Beside the networks: generated models of one
operator, of every operator and type, and composites."""

import collections
import concurrent.futures
import copy
import ctypes as C
import os
import subprocess
import sys
import tempfile

import numpy as np

import plugin

import settings  # isort: skip
import norms
import ours
import warned
from casebuild import INT_RANGE
from binding import Library, NpuError, Session, structs
from runner import CommandFailed, Command, Score, difference
from sample import Sample
from test_plugin import recorded

RELAXED, EXACT, HYBRID = 1 / 20, 1e-6, 1 / 25
HALF = 1 / 1024  # results that are float16 anyway: the CPU may round once more on its way
# It begins with a spectrum and its logarithm: noise in float16 is some other noise.
WIDER = {"yamnet_audio_classifier_with_metadata": 1 / 12}
SEEDS = (1, 2, 3)
WASMTIME = os.path.join(plugin.REPO, "build/tools/wasmtime")
# LiteRT writes the sparse constants of this network back without their sparsity: no runtime can read that.
UNREADABLE = {"face_detection_full_range_sparse": "tflite.buffer_size"}


# ---- networks -----------------------------------------------------------------------------------------------------------


def run(command, path, seed, *more):
    """Outputs for the inputs of a seed."""
    with tempfile.TemporaryDirectory() as d:
        args = [*command.prefix, "run", path, "--seed", str(seed), "--output-dir", d, *more]
        p = subprocess.run(
            args, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=900
        )
        if p.returncode:
            raise CommandFailed(p.returncode, p.stderr)
        return [np.load(os.path.join(d, "%d.npy" % i)) for i in range(len(os.listdir(d)))]


def error(got, want):
    """The largest error of the outputs of floats, each against its largest number."""
    pairs = [(a, b) for a, b in zip(got, want) if b.dtype.kind == "f" and b.size]
    return max([float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-30)) for a, b in pairs] or [0])


class Networks:
    def __init__(self, a, score, chosen, folder):
        self.a, self.score, self.chosen, self.folder = a, score, chosen, folder
        self.npu, self.native = ours.Npu(a.command), Command(a.command)
        self.commands = {"native": self.native, "wasmtime": self._wasmtime()}
        self.errors, self.counts = collections.defaultdict(float), collections.Counter()

    def _wasmtime(self):
        fast = os.path.join(self.folder, "npu_rt.cwasm")
        wasm = os.path.join(plugin.REPO, "build/npu_rt.wasm")
        subprocess.run([WASMTIME, "compile", wasm, "-o", fast], check=True)
        return Command("%s run --allow-precompiled --dir=/ %s" % (WASMTIME, fast))

    def compare(self, title, path, want, where, seed, more=(), unreadable=None):
        try:
            got = run(self.commands[where], path, seed, *more)
            problem = difference(got, want, WIDER.get(title.split(" ")[0], RELAXED))
            if problem is None and unreadable:
                problem = "can be read: take it off the list"
            self.errors[title.split(" ")[0]] = max(
                self.errors[title.split(" ")[0]], error(got, want) if not problem else 0
            )
        except CommandFailed as e:
            problem = None if unreadable and "[%s]" % unreadable in e.stderr else str(e)
        self.counts[title.split(" ")[1]] += 1
        self.score.check("%s, %s, seed %d" % (title, where, seed), problem)

    def network(self, name, path):
        """All ways of one network, or some of them."""
        ops = self.npu.check(path)["ops"]
        placed = sum(op["placed"] for op in ops)
        if not placed:
            return
        kind = "wholly placed" if placed == len(ops) else "partly placed"
        self.counts[kind] += 1
        unknown = {w[2] for w in warned.warnings(ops)} - set(warned.CHANGES) - warned.HARMLESS - warned.NORMS
        self.score.check("%s: warnings are known" % name, str(unknown) if unknown else None)
        same = os.path.join(self.folder, name + ".tflite")
        with open(path, "rb") as f, open(same, "wb") as g:
            g.write(warned.changed(f.read(), ops))
        made = {"own": path}
        ways = ["own", *plugin.VERSIONS] if plugin.available() and not name.startswith("digits") else ["own"]
        chosen = [
            (way, where, seed)
            for way in self.chosen.pick((name, "way"), ways, 2)
            for where in self.chosen.pick((name, way, "where"), self.commands)
            for seed in self.chosen.pick((name, way, "seed"), SEEDS)
        ]
        for way in {way for way, _, _ in chosen} - {"own"}:
            made[way] = os.path.join(self.folder, "%s %s.tflite" % (name, way))
            plugin.apply(path, way, os.path.join(plugin.REPO, "build"), made[way])
        want = {seed: run(self.native, same, seed) for seed in {seed for _, _, seed in chosen}}
        for way, where, seed in chosen:
            if not os.path.exists(made[way]):
                self.score.check("%s %s" % (name, way), "LiteRT's plugin does not compile it")
                continue
            more = ("--backend", "neuron") if way == "own" else ()
            self.compare(
                "%s %s" % (name, way), made[way], want[seed], where, seed, more, way != "own" and UNREADABLE.get(name)
            )
        for way in made:
            if way != "own" and os.path.exists(made[way]):
                os.remove(made[way])


def networks(a, score):
    chosen, folder = Sample(a.sample), os.path.join(a.shared, "oracles/neuron-plugin")
    names = recorded(folder) if os.path.isdir(folder) else {}
    public = [(n, p) for n, p in settings.public(a) if n not in names or names[n]]
    with tempfile.TemporaryDirectory() as temp:
        all_ = Networks(a, score, chosen, temp)
        some = [(n, p) for n, p in public if chosen.takes(n, 2, n in ("person_detect", "hello_world_float"))]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for result in [pool.submit(all_.network, n, p) for n, p in some]:
                result.result()
    chosen.report("neuron numbers", "networks, ways of compiling, machines and seeds")
    worst = sorted(((e, n) for n, e in all_.errors.items() if e), reverse=True)[:6]
    print("neuron numbers: %s" % ", ".join("%d %s" % (n, what) for what, n in sorted(all_.counts.items())))
    print("neuron numbers: largest errors of float16: %s" % ", ".join("%s %.2g" % (n, e) for e, n in worst))
    if not a.sample and names:
        score.check("partly placed networks", None if all_.counts["partly placed"] >= 10 else str(all_.counts))


# ---- models of one operator ----------------------------------------------------------------------------------------------


class OnNpu(Session):
    """A session with the backend "neuron"; exact: float32 is computed as such."""

    def __init__(self, library, model, exact):
        super().__init__(library, model)
        self.options = structs.npu_neuron_options(preference=2, priority=110, exact_float32=exact)
        self.functions = structs.npu_neuron_driver(options=C.pointer(self.options))
        self.driver = structs.npu_driver(vendor=b"neuron", functions=C.cast(C.pointer(self.functions), C.c_void_p))

    def descs(self):
        plan = structs.npu_plan_desc(backend=b"neuron")
        return plan, structs.npu_session_desc(drivers=C.pointer(self.driver), n_drivers=1)


def outcome(session, inputs):
    """(outputs, None) or (None, the error)"""
    try:
        return session.run(inputs), None
    except NpuError as e:
        return None, e
    finally:
        session.close()


def inputs_of(case, rng):
    """Numbers for what the caller gives: small ones where they may be axes or sizes."""
    values = []
    for t in case.live():
        if "float" in t.dtype:
            values.append(rng.normal(0, 1.5, t.shape).astype(np.float16 if t.dtype == "float16" else np.float32))
        elif t.dtype in ("int32", "int64", "uint32", "uint64"):
            values.append(rng.integers(0, 4, t.shape).astype(t.dtype))
        else:
            low, high = INT_RANGE.get(t.dtype, (0, 1))
            stored = {"int4": "int8", "int2": "int8", "bool": "bool"}.get(t.dtype, t.dtype)
            values.append(rng.integers(low, high + 1, t.shape).astype(stored))
    return values


def odd(case):
    """Scales that are not one for each channel, or none: the plugin passes them on, an adapter refuses them."""
    for t in case.inputs:
        scales = np.size(t.scale) if t is not None and isinstance(t.scale, list) else 1
        if scales > 1 and t.data is not None and (t.axis >= len(t.shape) or t.shape[t.axis] != scales):
            return True
    # A scalar is a vector of one element to the adapter: what else says its dimensions then says another number of them.
    if any(t is not None and tuple(t.shape) == () and t.data is None for t in case.inputs):
        return True
    return any(w.startswith("neuron.strided_slice") for w in case.warned)


def bound_of(case, exact):
    """Allowed error. Of float layers with weights of integers the CPU quantizes the data too, while it runs; where sums are of 64
    bits and the bias has 32, the CPU rounds otherwise than with the bias of 64 bits that the adapter is given; and without a bias
    otherwise than with the zeros of 32 bits that the adapter is given then."""
    window = case.op in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV", "BATCH_MATMUL")
    kinds = [t.dtype for t in case.inputs if t is not None]
    if window and "float32" in kinds and not all("float" in k for k in kinds):
        return HYBRID
    bias = case.inputs[(3 if case.op == "TRANSPOSE_CONV" else 2) :]
    if (
        window
        and "int16" in kinds
        and case.op != "BATCH_MATMUL"
        and (not bias or bias[0] is None or bias[0].dtype == "int32")
    ):
        return 2 / 32767
    if not exact:
        return RELAXED
    return HALF if "float16" in kinds else EXACT


def norm_difference(case, inputs, got):
    """A composite that the plugin takes, against numpy: the nearest number of its type, or the one beside it."""
    by_name = {t.name: v for t, v in zip(case.live(), inputs)}
    values = [by_name.get(t.name, t.data) for t in case.inputs]
    want, y = norms.expected(case, values), case.outputs[0]
    if y.scale is None:
        bound = 1e-3 if y.dtype == "float16" else 1e-5
        return difference([got[0].astype(np.float64)], [want], bound)
    low, high = INT_RANGE[y.dtype]
    off = np.nan_to_num(np.abs(got[0].astype(np.int64) - norms.stored(y, want, low, high))).max(initial=0)
    return None if off <= 1 else "off by %d" % off


def halved(value):
    """Float32 as a relaxed network sees it."""
    half = getattr(value, "dtype", None) == np.float32
    return value.astype(np.float16).astype(np.float32) if half else value


def with_halved_constants(case):
    case = copy.copy(case)
    case.inputs = [copy.copy(t) for t in case.inputs]
    for t in filter(None, case.inputs):
        t.data = halved(t.data)
    return case


def numbers_differ(got, want, bound):
    """Integers to the bit, unless the bound is one of 16 bits. Where there are no numbers, none differ. A scalar, which a STRIDED_SLICE
    without its new axes gives, is a vector of one element to the adapter."""
    if len(got) == len(want):
        want = [b.reshape(a.shape) if b.shape == () and a.shape == (1,) else b for a, b in zip(got, want)]
    if not any(a.size or b.size for a, b in zip(got, want)):
        return None
    if bound == 2 / 32767:
        return difference([a.astype(np.float64) for a in got], [b.astype(np.float64) for b in want], bound)
    return difference(got, want, bound)


class OneOperator:
    def __init__(self, a, score):
        self.score, self.library, self.npu = score, Library(a.library), ours.Npu(a.command)
        self.counts, self.gaps = collections.Counter(), collections.Counter()

    def clamped(self, case, inputs, want):
        """How much larger the largest number is before a fused activation: that is what data is quantized for."""
        case = copy.copy(case)
        case.options = copy.copy(case.options)
        case.options.fusedActivationFunction = 0
        whole, _ = outcome(Session(self.library, case.bytes()), inputs)
        largest = np.abs(want[0]).max(initial=0)
        return max(1, np.abs(whole[0]).max(initial=0) / largest) if largest else 1

    def check(self, label, case, our):
        rng = np.random.default_rng([7, *label.encode()])
        inputs, data = inputs_of(case, rng), case.bytes()
        norm = isinstance(case.op, tuple)
        case.warned = [w["rule"] for w in our.ops[0]["warnings"]]
        ops = [dict(our.ops[0], subgraph=0)]
        want, failed = outcome(Session(self.library, warned.changed(data, ops)), inputs)
        if want is None or outcome(Session(self.library, data), inputs)[1]:
            self.counts["that the CPU does not run"] += 1
            return
        # A shape that depends on data is the CPU's in any case.
        free = case.op == "STRIDED_SLICE" and any(t.data is None for t in case.inputs[1:])
        if free:
            want, _ = outcome(Session(self.library, data), inputs)
        for exact in (1, 0):
            got, failed = outcome(OnNpu(self.library, data, exact), inputs)
            if failed:
                self.gaps["%s: %s" % (case.name.rsplit(".", 1)[0], failed.rule)] += 1
                refused = failed.rule == "neuron.not_supported" or (failed.rule == "neuron.failed" and odd(case))
                self.score.check(label, None if refused else "fails: %s" % failed)
                return
            if norm and not exact:
                continue
            if not exact and any("float" not in y.dtype for y in case.outputs):
                # Integers made of floats (QUANTIZE, ARG_MAX, comparisons) are those of the numbers that it sees, to the bit.
                seen = with_halved_constants(case).bytes()
                seen = seen if free else warned.changed(seen, ops)
                want, _ = outcome(Session(self.library, seen), [halved(v) for v in inputs])
            bound = bound_of(case, exact)
            if bound == HYBRID:
                bound *= self.clamped(case, inputs, want)
            problem = norm_difference(case, inputs, got) if norm else numbers_differ(got, want, bound)
            self.counts["norms" if norm else "operators"] += exact
            self.score.check("%s%s" % (label, "" if exact else ", relaxed"), problem)


def operators(a, score):
    chosen, one = Sample(a.sample), OneOperator(a, score)
    for _, some in settings.drawn(a, chosen):
        for case, our in zip(some, ours.answers(one.npu, some)):
            if our.ops and our.ops[0]["placed"]:
                one.check("%s '%s'" % (case.name, case.seed), case, our)
    chosen.report("neuron numbers", "generated models")
    print("neuron numbers: %s" % ", ".join("%d %s" % (n, what) for what, n in sorted(one.counts.items())))
    for gap, n in sorted(one.gaps.items()) if os.environ.get("NPU_GAPS") else ():
        print("gap %4d %s" % (n, gap))


def main():
    a = settings.arguments(__doc__.split("\n")[0])
    score = Score("neuron numbers")
    if plugin.available():
        subprocess.run(["make", "-s", "neuron-adapter"], cwd=plugin.REPO, check=True)
    operators(a, score)
    networks(a, score)
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
