#!/usr/bin/env python3
"""Public networks against live LiteRT BUILTIN_REF (tflite-micro where LiteRT refuses or corrupts a model).

    networks.py --command "build/npu_rt" [--models DIR] [--isa NAME] [--threads N] [--only SUBSTRING] [--seeds N]
                [--sample SEED --one-in N] [--strangers]

Integers must be equal, floats within 1e-4 of the output's largest magnitude, hybrid networks within the bound stated
below. Stateful networks are also run three times in a row. Oracle answers are kept in build/oracle/, because several
test layers (native, WASI, sanitizers, ISAs) ask for the same ones. --sample takes one network in N, and always those that an
oracle or a state makes special, and the digits. --strangers: the networks of DIR are none of those that are described below, as
tests/bench/keras_networks.py and torch_networks.py build them."""

import argparse
import glob
import hashlib
import os
import sys

import numpy as np

from isolated import OracleError, Oracles
import mkmodel
from mkmodel import schema
from runner import REPO, SHARED, Command, CommandFailed, Score, difference
from sample import Sample, add_option

FLOAT_BOUND = 1e-4
# name: (oracle, bound). Everything else: BUILTIN_REF, FLOAT_BOUND.
SPECIAL = {
    "audio_preprocessor_int8": ("tflm", None),  # Signal* custom ops exist only there
    "person_detect": ("tflm", None),  # LiteRT refuses its quantized_dimension
    "keyword_scrambled_8bit": ("tflm", None),  # BUILTIN_REF corrupts memory on SVDF with int8 state
    "litert_qwen_fc_blockwise_quantized": ("default", 1e-2),  # BUILTIN_REF returns garbage
    "model_ToyCar_quant": ("ref", 1e-3),  # hybrid: activations are quantized on the fly
}
# Compiled for an Ethos-U by Vela, and the network it was: the software device must give that network's answers.
COMPILED = {"person_detect_vela": "person_detect", "digits_int8_ethos_u55_128": "digits_int8"}
STATEFUL = (
    "lyra_soundstream_encoder",
    "mww_v2_okay_nabu",
    "trained_lstm",
    "trained_lstm_int8",
    "tflm_dtln_noise_suppression",
    "keyword_scrambled_8bit",
    "audio_preprocessor_int8",
)
RESIZED = {
    "ad01_int8": [(3, 640)],
    "ad01_fp32": [(2, 640)],
    "hello_world_int8": [(5, 1)],
    "kws_ref_model": [(2, 49, 10, 1)],
    "pretrainedResnet_quant": [(3, 32, 32, 3)],
}
# Index-like inputs: the largest value that is valid, by (network, input position, subgraph).
INT_LIMITS = {
    ("movie_review", 0, 0): 9999,
    ("lyra_quantizer", 0, 0): 15,
    ("lyra_quantizer", 0, 1): 46,
    ("aeq_toy_model_with_kv_cache_multi_signature", 2, 0): 199,
    ("aeq_toy_model_with_kv_cache_multi_signature", 3, 0): 99,
    ("aeq_toy_model_with_kv_cache_multi_signature", 2, 1): 199,
    ("aeq_toy_model_with_kv_cache_multi_signature", 3, 1): 99,
}
NUMPY = {0: np.float32, 2: np.int32, 3: np.uint8, 4: np.int64, 6: np.bool_, 7: np.int16, 9: np.int8}


class Network:
    def __init__(self, path):
        self.path, self.name = path, os.path.basename(path)[: -len(".tflite")]
        with open(path, "rb") as f:
            self.bytes = f.read()
        self.model = schema.ModelT.InitFromPackedBuf(self.bytes, 0)
        self.oracle, self.bound = SPECIAL.get(COMPILED.get(self.name, self.name), ("ref", FLOAT_BOUND))

    def entries(self):
        """(signature key or None, subgraph index): each callable subgraph once."""
        if len(self.model.subgraphs) > 1 and len(self.model.signatureDefs or []) > 1:
            return [(s.signatureKey.decode(), s.subgraphIndex) for s in self.model.signatureDefs]
        return [(None, 0)]

    def inputs(self, subgraph, seed, shapes=None):
        rng = np.random.default_rng([seed, subgraph])
        arrays, sg = [], self.model.subgraphs[subgraph]
        for i, t in enumerate(sg.inputs):
            t = sg.tensors[t]
            shape = tuple(int(d) for d in t.shape) if t.shape is not None else ()
            shape, dtype = (shapes[i] if shapes else shape), NUMPY[t.type]
            if dtype == np.float32:
                a = rng.uniform(-1, 1, shape).astype(np.float32)
            elif dtype == np.bool_:
                a = rng.integers(0, 2, shape).astype(np.bool_)
            elif (self.name, i, subgraph) in INT_LIMITS:
                a = rng.integers(0, INT_LIMITS[(self.name, i, subgraph)] + 1, shape).astype(dtype)
            else:
                info = np.iinfo(dtype)
                a = rng.integers(info.min, info.max, shape, endpoint=True, dtype=dtype)
            arrays.append(np.asarray(a, dtype))
        return arrays

    def expected(self, key, subgraph, inputs, repeat):
        h = hashlib.sha256(self.bytes + repr((key, repeat, self.oracle)).encode())
        for a in inputs:
            h.update(repr((a.shape, a.dtype)).encode() + a.tobytes())
        path = os.path.join(REPO, "build", "oracle", "%s-%s.npz" % (self.name, h.hexdigest()[:16]))
        if os.path.exists(path):
            with np.load(path) as z:
                return [z["o%d" % i] for i in range(len(z.files))]
        outputs = self.ask_oracle(key, subgraph, inputs, repeat)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        mine = "%s.%d.npz" % (path, os.getpid())  # other layers may ask the same at the same time
        np.savez(mine, **{"o%d" % i: o for i, o in enumerate(outputs)})
        os.replace(mine, path)
        return outputs

    def ask_oracle(self, key, subgraph, inputs, repeat):
        if self.name in COMPILED:
            return Network(os.path.join(os.path.dirname(self.path), COMPILED[self.name] + ".tflite")).ask_oracle(
                key, subgraph, inputs, repeat
            )
        if self.oracle == "tflm":
            return mkmodel.tflm(self.bytes, inputs, repeat=repeat)
        kind = mkmodel.litert_ref if self.oracle == "ref" else mkmodel.litert_default
        if key is None:
            return kind(self.bytes, inputs, repeat=repeat)
        return kind(self.bytes, inputs, repeat=repeat, signature=key)


WEIGHED = {
    schema.BuiltinOperator.CONV_2D,
    schema.BuiltinOperator.FULLY_CONNECTED,
    schema.BuiltinOperator.DEPTHWISE_CONV_2D,
}
WEIGHED |= {schema.BuiltinOperator.BATCH_MATMUL, schema.BuiltinOperator.EMBEDDING_LOOKUP}


class Stranger(Network):
    """Nobody has said what its integers may be: wide ones are indices mostly, small ones of which are safe. Where floats meet weights of
    few bits they are quantized by their range, and one bit of a float may move all that follows by a step. What no oracle runs, or an
    oracle crashes on, is left out."""

    oracles = Oracles()

    def __init__(self, path):
        super().__init__(path)
        self.bound = 5e-2 if self.is_hybrid() else FLOAT_BOUND
        if any(t.quantization and t.quantization.detailsType for g in self.model.subgraphs for t in g.tensors):
            self.oracle = "default"  # BUILTIN_REF reads the scales of blocks wrongly

    def ask_oracle(self, key, subgraph, inputs, repeat):
        return self.oracles.run("litert_" + self.oracle, self.bytes, [inputs] * repeat)[-1]

    def is_hybrid(self):
        few = (schema.TensorType.INT8, schema.TensorType.INT4, schema.TensorType.INT2)
        for g in self.model.subgraphs:
            for node in g.operators or []:
                code = self.model.operatorCodes[node.opcodeIndex]
                if max(code.builtinCode, code.deprecatedBuiltinCode) in WEIGHED and len(node.inputs) > 1:
                    a, w = (g.tensors[i].type for i in node.inputs[:2])
                    if w in few and a in (schema.TensorType.FLOAT32, schema.TensorType.INT32):
                        return True
        return False

    def inputs(self, subgraph, seed, shapes=None):
        arrays = super().inputs(subgraph, seed, shapes)
        return [a & 3 if a.dtype.kind in "iu" and a.dtype.itemsize > 2 else a for a in arrays]


def check_network(net, command, seeds, score):
    for key, subgraph in net.entries():
        label = net.name + ("" if key is None else "/" + key)
        runs = [(label + " seed %d" % s, net.inputs(subgraph, s), 1) for s in range(seeds)]
        if net.name in STATEFUL:
            runs.append((label + " three in a row", net.inputs(subgraph, 7), 3))
        if net.name in RESIZED:
            runs.append((label + " resized", net.inputs(subgraph, 8, RESIZED[net.name]), 1))
        for name, inputs, repeat in runs:
            try:
                ours = command.run(net.path, inputs, key, repeat)
            except CommandFailed as e:
                score.check(name, str(e))
                continue
            try:
                expected = net.expected(key, subgraph, inputs, repeat)
            except OracleError as e:
                score.skip(name, str(e))
                continue
            score.check(name, difference(ours, expected, net.bound))


def is_special(net):
    """Always in a sample: what an oracle or a state makes special, and the digits, which are always there."""
    return bool({net.name, COMPILED.get(net.name)} & {*SPECIAL, *STATEFUL}) or net.name.startswith("digits")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--command", default=os.path.join(REPO, "build", "npu_rt"))
    p.add_argument("--models", default=os.path.join(SHARED, "models"))
    p.add_argument("--isa")
    p.add_argument("--threads", type=int)
    p.add_argument("--only", default="")
    p.add_argument("--max-kib", type=int, default=1 << 30, help="leave out larger files (slow runs: sanitizers)")
    p.add_argument("--seeds", type=int, default=3)
    p.add_argument("--title", default="networks")
    p.add_argument("--one-in", type=int, default=2, metavar="N")
    p.add_argument("--strangers", action="store_true", help="networks that nobody described")
    add_option(p)
    a = p.parse_args()
    score, sample = Score(a.title), Sample(a.sample)
    paths = sorted(glob.glob(os.path.join(a.models, "*.tflite")))
    if not a.strangers:
        paths += sorted(glob.glob(os.path.join(REPO, "examples", "digits", "*.tflite")))
    if not os.path.isdir(a.models):
        print("left out %s: the public networks (no %s)" % (a.title, os.path.relpath(a.models, REPO)))
    command = Command(a.command, a.isa, a.threads)
    for path in paths:
        if a.only not in os.path.basename(path):
            continue
        net = (Stranger if a.strangers else Network)(path)
        if len(net.bytes) > a.max_kib * 1024:
            score.skip(net.name, "larger than %d KiB" % a.max_kib)
        elif sample.takes((a.title, net.name), a.one_in, is_special(net)):
            check_network(net, command, a.seeds, score)
    sample.report(a.title, "networks")
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
