#!/usr/bin/env python3
"""Tests `npu_rt stream`: streams written here with known contents, damaged ones, and Vela's own, word by word.

usage: test_stream_cli.py [--models DIR] [--no-vela] [COMMAND...]

COMMAND is how to start npu_rt: build/npu_rt, or `wasmtime run --dir=. build/npu_rt.wasm`; calls run in a temporary
folder. Names of commands and fields are compared with the tables inside Vela's Python package, walked independently.
Needs the standard library only."""

import argparse
import json
import os
import re
import shlex
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPO = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "cli"))

import tiny_model as tiny  # noqa: E402
import vela  # noqa: E402

SHARED = REPO.parent / "shared" / "models"
CONFIGS = {
    "ethos-u55-32": 0x1005,
    "ethos-u55-64": 0x1006,
    "ethos-u55-128": 0x1807,
    "ethos-u55-256": 0x3008,
    "ethos-u65-256": 0x10003008,
    "ethos-u65-512": 0x10006009,
}
STOP = 0xFFFF0000
LINE = re.compile(r"^ *(\d+)  (NPU_\w+)(.*)$")


# ---- writing payloads and models ----


def narrow(opcode, param=0):
    return [(param & 0xFFFF) << 16 | opcode]


def wide(opcode, data, param=0):
    return [(param & 0xFFFF) << 16 | 0x4000 | opcode, data & 0xFFFFFFFF]


def payload(words, config=0x1807, nops=None, mark=b"COP1"):
    head = [struct.unpack("<I", mark)[0], 0x00100001, config, 0x10060000]
    head += [5] * (3 if nops is None else nops)
    head += [(len(words) & 0xFFFF) << 16 | (len(words) >> 16) << 8 | 2]
    return struct.pack("<%dI" % (len(head) + len(words)), *head, *words)


def model(payloads, constant=True):
    """One operator ethos-u a payload, each with its own stream and tensors."""
    tensors, buffers, nodes = [], [tiny.Table({})], []
    for i, data in enumerate(payloads):
        first = len(tensors)
        buffers.append(tiny.Table({0: tiny.Vector("raw", data, 16)}))
        tensors += [tiny.tensor(b"stream%d" % i, tiny.UINT8, [len(data)], buffer=len(buffers) - 1 if constant else 0)]
        buffers.append(tiny.Table({0: tiny.Vector("raw", bytes(64), 16)}))
        tensors += [tiny.tensor(b"flash%d" % i, tiny.UINT8, [64], buffer=len(buffers) - 1)]
        tensors += [tiny.tensor(name % i, tiny.UINT8, [n]) for name, n in ((b"scratch%d", 4096), (b"fast%d", 2048))]
        tensors += [tiny.tensor(name % i, tiny.INT8, [1, 8]) for name in (b"in%d", b"out%d")]
        ins = list(range(first, first + 5))
        nodes.append(tiny.Table({0: tiny.u32(0), 1: tiny.Vector("<i", ins), 2: tiny.Vector("<i", [first + 5])}))
    maps = [i for i in range(len(tensors)) if i % 6 == 4] + ([] if constant else [0])
    code = tiny.Table({0: tiny.i8(tiny.CUSTOM), 1: b"ethos-u", 2: tiny.i32(1), 3: tiny.i32(tiny.CUSTOM)})
    subgraph = tiny.Table(
        {
            0: tiny.Vector(None, tensors),
            1: tiny.Vector("<i", maps),
            2: tiny.Vector("<i", [6 * i + 5 for i in range(len(payloads))]),
            3: tiny.Vector(None, nodes),
            4: b"main",
        }
    )
    return tiny.Writer().finish(
        tiny.Table(
            {
                0: tiny.u32(3),
                1: tiny.Vector(None, [code]),
                2: tiny.Vector(None, [subgraph]),
                3: b"streams",
                4: tiny.Vector(None, buffers),
            }
        ),
        b"TFL3",
    )


# Commands, what the line says after the name, and what the object holds besides word, name, param and payload.
KNOWN = [
    (narrow(0x10F, 1), "NPU_SET_IFM_REGION", "1", {"region": 1}),
    (wide(0x000, 0x1F40), "NPU_SET_IFM_BASE0", "region 1+0x1f40", {"region": 1, "address": 0x1F40}),
    (wide(0x001, 0x10, 0x12), "NPU_SET_IFM_BASE1", "region 1+0x1200000010", {"region": 1, "address": 0x1200000010}),
    (narrow(0x104, 2), "NPU_SET_IFM_DEPTH_M1", "2+1", {"value": 3}),
    (narrow(0x109, -128), "NPU_SET_IFM_ZERO_POINT", "-128", {"value": -128}),
    (
        narrow(0x105, 0x141),
        "NPU_SET_IFM_PRECISION",
        "int8 NHCWB16 scale OPA rounding tfl",
        {"type": "int8", "layout": "NHCWB16", "scale": "OPA", "rounding": "tfl"},
    ),
    (
        narrow(0x105, 0x8204),
        "NPU_SET_IFM_PRECISION",
        "uint16 NHWC scale OPB rounding natural",
        {"type": "uint16", "layout": "NHWC", "scale": "OPB", "rounding": "natural"},
    ),
    (narrow(0x185, 0x09), "NPU_SET_IFM2_PRECISION", "int32 NHWC", {"type": "int32", "layout": "NHWC"}),
    (narrow(0x107, 1), "NPU_SET_IFM_UPSCALE", "nearest", {"value": "nearest"}),
    (narrow(0x107, 2), "NPU_SET_IFM_UPSCALE", "zeros", {"value": "zeros"}),
    (narrow(0x107, 3), "NPU_SET_IFM_UPSCALE", "3", {"value": 3}),
    (wide(0x004, 48), "NPU_SET_IFM_STRIDE_X", "48", {"value": 48}),
    (narrow(0x11F, 1), "NPU_SET_OFM_REGION", "1", {"region": 1}),
    (wide(0x010, 0x2000), "NPU_SET_OFM_BASE0", "region 1+0x2000", {"region": 1, "address": 0x2000}),
    (narrow(0x112, 23), "NPU_SET_OFM_HEIGHT_M1", "23+1", {"value": 24}),
    (narrow(0x111, 11), "NPU_SET_OFM_WIDTH_M1", "11+1", {"value": 12}),
    (narrow(0x113, 0xFFFF), "NPU_SET_OFM_DEPTH_M1", "65535+1", {"value": 65536}),
    (
        narrow(0x114, 0x4143),
        "NPU_SET_OFM_PRECISION",
        "int16 NHCWB16 global_scale rounding truncate",
        {"type": "int16", "layout": "NHCWB16", "global_scale": True, "rounding": "truncate"},
    ),
    (
        narrow(0x114, 0x0001),
        "NPU_SET_OFM_PRECISION",
        "int8 NHWC rounding tfl",
        {"type": "int8", "layout": "NHWC", "global_scale": False, "rounding": "tfl"},
    ),
    (narrow(0x121, 4), "NPU_SET_KERNEL_HEIGHT_M1", "4+1", {"value": 5}),
    (narrow(0x120, 2), "NPU_SET_KERNEL_WIDTH_M1", "2+1", {"value": 3}),
    (
        narrow(0x122, 0x0000),
        "NPU_SET_KERNEL_STRIDE",
        "stride 1x1 dilation 1x1 weights depth first",
        {"stride": [1, 1], "dilation": [1, 1], "weights": "depth first", "sub_4x4": False},
    ),
    (
        narrow(0x122, 0x024D),
        "NPU_SET_KERNEL_STRIDE",
        "stride 3x4 dilation 1x2 weights part kernel first",
        {"stride": [3, 4], "dilation": [1, 2], "weights": "part kernel first", "sub_4x4": False},
    ),
    (
        narrow(0x122, 0x8032),
        "NPU_SET_KERNEL_STRIDE",
        "stride 2x1 dilation 2x1 weights depth first sub_4x4 reserved_bits 32768",
        {"stride": [2, 1], "dilation": [2, 1], "weights": "depth first", "sub_4x4": True, "reserved_bits": 0x8000},
    ),
    (narrow(0x128, 0), "NPU_SET_WEIGHT_REGION", "0", {"region": 0}),
    (wide(0x020, 0x100), "NPU_SET_WEIGHT_BASE", "region 0+0x100", {"region": 0, "address": 0x100}),
    (wide(0x021, 160), "NPU_SET_WEIGHT_LENGTH", "160", {"value": 160}),
    (narrow(0x129, 0), "NPU_SET_SCALE_REGION", "0", {"region": 0}),
    (wide(0x022, 0x40), "NPU_SET_SCALE_BASE", "region 0+0x40", {"region": 0, "address": 0x40}),
    (wide(0x023, 80), "NPU_SET_SCALE_LENGTH", "80", {"value": 80}),
    (wide(0x024, 0xFFFFFFFF, 37), "NPU_SET_OFM_SCALE", "4294967295 shift 37", {"scale": 0xFFFFFFFF, "shift": 37}),
    (narrow(0x125, 0x3010), "NPU_SET_ACTIVATION", "lut0 range int8", {"function": "lut0", "range": "int8"}),
    (narrow(0x125, 3), "NPU_SET_ACTIVATION", "tanh range output", {"function": "tanh", "range": "output"}),
    (narrow(0x125, 0x1001), "NPU_SET_ACTIVATION", "1 range 1", {"function": 1, "range": 1}),
    (narrow(0x127, 0x7F), "NPU_SET_ACTIVATION_MAX", "127", {"value": 127}),
    (narrow(0x124, 1), "NPU_SET_ACC_FORMAT", "int40", {"value": "int40"}),
    (narrow(0x123, 1), "NPU_SET_PARALLEL_MODE", "cores share channels", {"value": "cores share channels"}),
    (narrow(0x12F, 3), "NPU_SET_BLOCKDEP", "3", {"value": 3}),
    (
        narrow(0x180, 0x83),
        "NPU_SET_IFM2_BROADCAST",
        "height width scalar",
        {"height": True, "width": True, "depth": False, "swap": False, "scalar": True},
    ),
    (
        narrow(0x180, 0x44),
        "NPU_SET_IFM2_BROADCAST",
        "depth swap",
        {"height": False, "width": False, "depth": True, "swap": True, "scalar": False},
    ),
    (
        narrow(0x002),
        "NPU_OP_CONV",
        "kernel 5x3 stride 2x1 output 24x12x65536 int8 at region 1+0x2000 "
        "weights region 0+0x100..0x1a0 scales region 0+0x40..0x90",
        {
            "kernel": [5, 3],
            "stride": [2, 1],
            "output": [24, 12, 65536],
            "type": "int8",
            "at": {"region": 1, "address": 0x2000},
            "weights": {"region": 0, "address": 0x100, "bytes": 160},
            "scales": {"region": 0, "address": 0x40, "bytes": 80},
        },
    ),
    (
        narrow(0x005, 1),
        "NPU_OP_POOL",
        "average kernel 5x3 stride 2x1 output 24x12x65536 int8 at region 1+0x2000",
        {
            "operation": "average",
            "kernel": [5, 3],
            "stride": [2, 1],
            "output": [24, 12, 65536],
            "type": "int8",
            "at": {"region": 1, "address": 0x2000},
        },
    ),
    (
        narrow(0x006, 8),
        "NPU_OP_ELEMENTWISE",
        "shr output 24x12x65536 int8 at region 1+0x2000",
        {"operation": "shr", "output": [24, 12, 65536], "type": "int8", "at": {"region": 1, "address": 0x2000}},
    ),
    (wide(0x030, 0x10), "NPU_SET_DMA0_SRC", "region ?+0x10", {"shram": False, "address": 0x10}),
    (narrow(0x130, 0), "NPU_SET_DMA0_SRC_REGION", "region 0 shape 1d", {"region": 0, "shram": False, "shape": "1d"}),
    (
        narrow(0x131, 0x503),
        "NPU_SET_DMA0_DST_REGION",
        "region 3 shram shape 3d",
        {"region": 3, "shram": True, "shape": "3d"},
    ),
    (wide(0x031, 0x5800), "NPU_SET_DMA0_DST", "shram+0x5800", {"shram": True, "address": 0x5800}),
    (wide(0x032, 256), "NPU_SET_DMA0_LEN", "256", {"value": 256}),
    (
        narrow(0x010),
        "NPU_OP_DMA_START",
        "bytes 256 from region 0+0x10 to shram+0x5800",
        {
            "bytes": 256,
            "from": {"shram": False, "region": 0, "address": 0x10},
            "to": {"shram": True, "address": 0x5800},
        },
    ),
    (narrow(0x011), "NPU_OP_DMA_WAIT", "0", {"value": 0}),
    ([STOP], "NPU_OP_STOP", "65535", {"value": 65535}),
]


class Tests:
    def __init__(self, prefix, folder, models, with_vela):
        self.prefix, self.folder, self.models, self.with_vela = prefix, Path(folder), models, with_vela
        self.passed = self.failed = 0

    def check(self, label, ok, detail=""):
        self.passed, self.failed = self.passed + bool(ok), self.failed + (not ok)
        if not ok:
            print("FAIL %s\n     %s" % (label, str(detail)[:1500]))

    def call(self, *args, data=None):
        if data is not None:
            (self.folder / "m.tflite").write_bytes(data)
        r = subprocess.run(self.prefix + [str(a) for a in args], cwd=self.folder, capture_output=True, timeout=300)
        return r.returncode, r.stdout.decode("utf-8", "replace"), r.stderr.decode("utf-8", "replace")

    def text(self, data):
        """(exit code, [(word, name, rest)], stdout, stderr)"""
        code, out, err = self.call("stream", "m.tflite", data=data)
        found = [LINE.match(line) for line in out.splitlines()]
        return code, [(int(m[1]), m[2], m[3].strip()) for m in found if m], out, err

    def json(self, data):
        code, out, err = self.call("stream", "m.tflite", "--json", data=data)
        try:
            return code, json.loads(out)["streams"], err
        except (ValueError, KeyError) as e:
            return code, None, "%s: %s" % (e, out[:300])

    # ---- usage ----

    def test_usage(self):
        code, out, _ = self.call("stream", "--help")
        self.check("stream --help", code == 0 and out.startswith("usage: npu_rt stream"), out)
        code, out, err = self.call("--help")
        self.check("--help lists stream", code == 0 and "stream MODEL" in out, out)
        for args, word in (
            (["stream"], "which model?"),
            (["stream", "a", "b"], "one too many"),
            (["stream", "--nonsense"], "--nonsense"),
            (["stream", "a", "--json=1"], "--json"),
        ):
            code, out, err = self.call(*args)
            self.check("usage: %s" % args, code == 2 and word in err and not out, err)
        code, out, err = self.call("stream", "nowhere.tflite")
        self.check("missing model", code == 1 and "nowhere.tflite" in err, err)
        code, out, err = self.call("stream", "m.tflite", data=b"hello" * 50)
        self.check("model is text", code == 3 and not out, err)
        for flag in [], ["--json"]:
            code, out, err = self.call("stream", "m.tflite", *flag, data=tiny.add_model())
            self.check(
                "no ethos-u operator %s" % flag,
                code == 2
                and "vela" in err
                and "ethos_u.no_stream" in err
                and (list(json.loads(out)) == ["error"] if flag else not out),
                err,
            )
        data = model([payload([STOP])])
        r = subprocess.run(self.prefix + ["stream", "-"], input=data, capture_output=True, timeout=300)
        self.check("model from stdin", r.returncode == 0 and b"NPU_OP_STOP" in r.stdout, r.stderr)
        (self.folder / "m.tflite").write_bytes(model([payload(narrow(0x12F, 1) * 5000 + [STOP])]))
        for flag in [], ["--json"]:
            with open("/dev/full", "wb") as full:
                r = subprocess.run(
                    self.prefix + ["stream", "m.tflite", *flag],
                    cwd=self.folder,
                    stdout=full,
                    stderr=subprocess.PIPE,
                    timeout=300,
                )
            self.check("a full disk %s" % flag, r.returncode == 1 and r.stderr.startswith(b"npu_rt: "), r.stderr)

    # ---- streams whose contents are known ----

    def test_fields(self):
        words = [w for item in KNOWN for w in item[0]]
        data = model([payload(words)])
        code, lines, out, err = self.text(data)
        self.check("known stream: exit", code == 0, err)
        code, streams, err = self.json(data)
        self.check("known stream: JSON", code == 0 and streams and len(streams) == 1, err)
        commands = streams[0]["commands"] if streams else []
        self.check("known stream: count", len(lines) == len(commands) == len(KNOWN), (len(lines), len(commands)))
        at = 8
        for (raw, name, rest, fields), line, got in zip(KNOWN, lines, commands):
            self.check("%s: line" % name, line == (at, name, rest), "got %s want %s" % (line, (at, name, rest)))
            want = dict(fields, word=at, name=name, param=raw[0] >> 16, **({"payload": raw[1]} if raw[1:] else {}))
            self.check("%s: object" % name, got == want, "got %s want %s" % (got, want))
            at += len(raw)

    def test_config(self):
        for name, word in CONFIGS.items():
            data = model([payload([STOP], config=word)])
            code, _, out, err = self.text(data)
            self.check("config %s" % name, code == 0 and name + ": " in out, out + err)
            code, streams, err = self.json(data)
            got = streams[0]["config"] if streams else {}
            want = {
                "processor": name,
                "product": word >> 28,
                "macs_per_cycle": 1 << (word & 15),
                "cores": 2 if name.endswith("512") else 1,
                "payload_bytes": 36,
                "first_word": 8,
                "words": 1,
                "shram_bytes": (word >> 8 & 255) * 1024 // (2 if name.endswith("512") else 1),
                "stream_version": 0,
            }
            self.check("config %s: JSON" % name, code == 0 and got == want, "got %s want %s" % (got, want))
        sizes = [(r["region"], r["bytes"], r["tensor"]) for r in streams[0]["regions"]] if streams else []
        self.check("regions", sizes == [(0, 64, "flash0"), (1, 4096, "scratch0"), (2, 2048, "fast0")], sizes)

    def test_long_and_several(self):
        long = payload(narrow(0x12F, 1) * 70000 + [STOP])
        code, streams, err = self.json(model([long, payload([STOP])]))
        counts = [(s["op"], len(s["commands"])) for s in streams or []]
        self.check("70001 words, and a second operator", code == 0 and counts == [(0, 70001), (1, 1)], (counts, err))
        extra = struct.pack("<2I", 5, 5)
        code, lines, _, err = self.text(model([payload([STOP, 0x3FF]) + extra]))
        self.check("words behind the stop, actions behind the stream", code == 0 and len(lines) == 1, err)
        bad = payload(narrow(0x12F, 1) + [0x3FF, STOP])
        data = model([payload([STOP]), bad, payload([STOP])])
        code, lines, out, err = self.text(data)
        self.check(
            "a damaged one between two good ones",
            code == 3 and len(lines) == 3 and "operator 1" in err and "word 9" in err and "ethos_u.command" in err,
            err,
        )
        code, streams, err = self.json(data)
        self.check(
            "a damaged one between two good ones: JSON",
            code == 3
            and len(streams or []) == 3
            and [len(s["commands"]) for s in streams] == [1, 1, 1]
            and streams[1]["error"]["word"] == 9
            and streams[1]["error"]["rule"] == "ethos_u.command"
            and "error" not in streams[0],
            err,
        )

    # ---- damaged payloads ----

    def test_damage(self):
        good = payload(narrow(0x104, 2) + wide(0x000, 64) + [STOP])
        code, lines, _, err = self.text(model([good]))
        self.check("before the damage", code == 0 and len(lines) == 3, err)
        nop, word = struct.pack("<I", 5), lambda i, v: good[: 4 * i] + struct.pack("<I", v) + good[4 * i + 4 :]
        cases = [
            ("another mark", word(0, 0x31504F44), 3, "ethos_u.payload", 0),
            ("empty", b"", 3, "ethos_u.payload", None),
            ("COP2", word(0, 0x32504F43), 4, "ethos_u.payload", 0),
            ("not whole words", good + b"\0", 3, "ethos_u.payload", None),
            ("Ethos-U85", word(2, 0x20000008), 4, "ethos_u.product", 2),
            ("product 9", word(2, 0x90000008), 4, "ethos_u.product", 2),
            ("no such U55", word(2, 0x1809), 3, "ethos_u.config", 2),
            ("other SHRAM", word(2, 0x1907), 3, "ethos_u.config", 2),
            ("unknown action", word(5, 7), 3, "ethos_u.payload", 5),
            ("action zero", good + bytes(4), 3, "ethos_u.payload", 12),
            ("stream longer than the tensor", word(7, 5 << 16 | 2), 3, "ethos_u.payload", 7),
            ("stream much longer", word(7, 0xFFFFFF02), 3, "ethos_u.payload", 7),
            ("empty stream", word(7, 2), 3, "ethos_u.payload", 7),
            ("not aligned", payload([STOP], nops=2), 3, "ethos_u.payload", 6),
            ("two streams", good + nop * 3 + struct.pack("<2I", 0x10002, STOP), 3, "ethos_u.payload", 15),
            ("two configurations", good + good[4:16], 3, "ethos_u.payload", 12),
            ("configuration cut off", good + good[4:8], 3, "ethos_u.payload", 12),
            ("no stream", good[:16], 3, "ethos_u.payload", None),
            ("no configuration", good[:4] + nop * 6 + good[28:], 3, "ethos_u.payload", None),
            ("unknown opcode", word(9, 0x3FF), 3, "ethos_u.command", 9),
            ("form 2", word(9, 0x8000), 3, "ethos_u.command", 9),
            ("bits that must be zero", word(8, 0x20504), 3, "ethos_u.command", 8),
            ("cut off by the end", word(11, 0x4000), 3, "ethos_u.command", 11),
            ("no stop", word(11, 0x104), 3, "ethos_u.stop", 12),
        ]
        for label, data, code, rule, at in cases:
            got, _, out, err = self.text(model([data]))
            where = "word %d of the command stream's tensor" % at if at is not None else "operator 0"
            self.check(
                "damaged: %s" % label, got == code and "[%s]" % rule in err and where in err and rule in out, err
            )
            got, streams, err = self.json(model([data]))
            error = (streams or [{}])[0].get("error", {})
            self.check(
                "damaged: %s: JSON" % label,
                got == code and error.get("rule") == rule and error.get("word") == (-1 if at is None else at),
                (error, err),
            )
        listed = [len(self.text(model([word(i, 0x3FF)]))[1]) for i in (8, 9, 11)]
        self.check("what could be read is listed", listed == [0, 1, 2], listed)
        code, _, _, err = self.text(model([good], constant=False))
        self.check("the stream is no constant", code == 3 and "ethos_u.payload" in err, err)
        for n in range(0, len(good), 4):
            code, _, _, err = self.text(model([good[:n]]))
            self.check("cut to %d bytes" % n, code == 3 and "ethos_u." in err, err)

    # ---- against Vela ----

    def tables(self):
        """Opcodes, fields and enums as Vela's Python package has them; None (said) without Vela."""
        if not self.with_vela:
            print("left out: comparison with Vela's tables (--no-vela)")
            return None
        try:
            _, python = vela.find()
        except vela.VelaMissing as e:
            print("left out: comparison with Vela's tables: %s" % e)
            return None
        r = subprocess.run([python, str(HERE / "vela_tables.py")], capture_output=True, text=True, timeout=120)
        if r.returncode:
            print("left out: comparison with Vela's tables: %s" % r.stderr.strip()[-200:])
            return None
        return json.loads(r.stdout)

    def streams_of_vela(self):
        """(label, model bytes): networks that Vela compiled."""
        shipped = Path(self.models or "") / "person_detect_vela.tflite"
        if self.models and shipped.exists():
            yield "person_detect_vela", shipped.read_bytes()
        else:
            print("left out: person_detect_vela: no ../shared")
        if self.with_vela:
            source = (REPO / "examples" / "digits" / "digits_int8.tflite").read_bytes()
            try:
                requests = [vela.Request("digits", source, c) for c in (*CONFIGS, "ethos-u85-256")]
                for request, result in vela.Vela().compile(requests):
                    if result.path:
                        yield "digits for " + request.config, Path(result.path).read_bytes()
                    else:
                        self.check("compiling digits for %s" % request.config, False, result.why)
            except vela.VelaMissing as e:
                print("left out: networks that Vela compiles: %s" % e)

    def test_vela(self):
        tables = self.tables()
        if tables:
            words = [[int(op) | i % 7 << 16] for i, op in enumerate(tables["cmd0"]) if int(op)]
            words += [[int(op) | 0x4000, 77] for op in tables["cmd1"]]
            code, streams, err = self.json(model([payload([w for c in words for w in c] + [STOP])]))
            got = {c["name"]: c for c in streams[0]["commands"]} if streams else {}
            want = set(tables["cmd0"].values()) | set(tables["cmd1"].values())
            self.check("every command of Vela's table", code == 0 and set(got) == want, set(got) ^ want)
        for label, data in self.streams_of_vela():
            code, streams, err = self.json(data)
            if "u85" in label:
                self.check("%s: refused" % label, code == 4 and "ethos_u.product" in err and "Ethos-U85" in err, err)
                continue
            self.check("%s: listed" % label, code == 0 and streams, err)
            _, lines, _, _ = self.text(data)
            ours = [(c["word"], c["name"]) for s in streams or [] for c in s["commands"]]
            self.check(
                "%s: text and JSON agree" % label, [line[:2] for line in lines] == ours and len(ours) > 40, len(ours)
            )
            if tables:
                for stream in streams or []:
                    self.compare(label, data, stream, tables)

    def compare(self, label, data, stream, tables):
        """Walks the raw words with Vela's tables only."""
        start = data.find(b"COP1")
        size = stream["config"]["payload_bytes"] // 4
        words = struct.unpack("<%dI" % size, data[start : start + 4 * size])
        at, want = stream["config"]["first_word"], []
        length = words[at - 1] >> 16 | (words[at - 1] >> 8 & 255) << 16
        self.check("%s: length" % label, length == stream["config"]["words"] == size - at, (length, size, at))
        while at < size:
            is_wide = words[at] >> 14 & 3
            name = tables["cmd1" if is_wide else "cmd0"].get(str(words[at] & 0x3FF), "?")
            want.append((at, name, words[at] >> 16, words[at + 1] if is_wide else None))
            at += 2 if is_wide else 1
        got = [(c["word"], c["name"], c["param"], c.get("payload")) for c in stream["commands"]]
        self.check("%s: command sequence" % label, got == want, [x for x in zip(got, want) if x[0] != x[1]][:3])
        wrong = {}
        for c in stream["commands"]:
            for key, text in expected_fields(c, tables).items():
                if c.get(key) != text:
                    wrong[c["word"]] = (c, key, text)
        self.check("%s: fields" % label, not wrong, list(wrong.values())[:3])

    def run(self):
        for name in sorted(n for n in dir(self) if n.startswith("test_")):
            try:
                getattr(self, name)()
            except Exception as error:  # one broken group must not hide the others
                self.check(name, False, "%s: %s" % (type(error).__name__, error))
        print("%d passed, %d failed" % (self.passed, self.failed))
        return 1 if self.failed else 0


TYPES = {"U8": "uint8", "S8": "int8", "U16": "uint16", "S16": "int16", "S32": "int32"}
TEXTS = {
    "SCALE_16BIT": "OPA+OPB",
    "SCALE_OPA_32BIT": "OPA",
    "SCALE_OPB_32BIT": "OPB",
    "TRANSPOSE": "zeros",
    "OFM_PRECISION": "output",
    "FORCE_UINT8": "uint8",
    "FORCE_INT8": "int8",
    "FORCE_INT16": "int16",
    "STRIDE_MODE_1D": "1d",
    "STRIDE_MODE_2D": "2d",
    "STRIDE_MODE_3D": "3d",
}
# command: {Vela's field: (our key, Vela's enum or None for numbers)}
FIELDS = {
    "NPU_SET_IFM_PRECISION": {
        "precision": ("type", "ifm_precision"),
        "format": ("layout", "data_format"),
        "scale_mode": ("scale", "ifm_scale_mode"),
        "round_mode": ("rounding", "rounding"),
    },
    "NPU_SET_IFM2_PRECISION": {"precision": ("type", "ifm_precision"), "format": ("layout", "data_format")},
    "NPU_SET_OFM_PRECISION": {
        "precision": ("type", "ofm_precision"),
        "format": ("layout", "data_format"),
        "scaling": ("global_scale", bool),
        "rounding": ("rounding", "rounding"),
    },
    "NPU_SET_IFM_UPSCALE": {"mode": ("value", "resampling_mode")},
    "NPU_SET_ACTIVATION": {"act_clip_range": ("range", "clip_range")},
    "NPU_SET_DMA0_SRC_REGION": {
        "region": ("region", None),
        "internal": ("shram", bool),
        "stride_mode": ("shape", "stride_mode"),
    },
    "NPU_SET_DMA0_DST_REGION": {
        "region": ("region", None),
        "internal": ("shram", bool),
        "stride_mode": ("shape", "stride_mode"),
    },
    "NPU_SET_IFM2_BROADCAST": {
        "broadcast_height": ("height", bool),
        "broadcast_width": ("width", bool),
        "broadcast_depth": ("depth", bool),
        "operand_order": ("swap", bool),
        "broadcast_scalar": ("scalar", bool),
    },
    "NPU_OP_POOL": {"mode": ("operation", "pooling_mode")},
    "NPU_OP_ELEMENTWISE": {"mode": ("operation", "elementwise_mode")},
}


def expected_fields(command, tables):
    """What the fields must be by Vela's bit fields and enums: {our key: value}."""
    want = {}
    for field, first, bits in tables["fields"].get(command["name"], []):
        key, kind = FIELDS.get(command["name"], {}).get(field, (None, None))
        if key is None:
            continue
        value = command["param"] >> first & ((1 << bits) - 1)
        if kind is None or kind is bool:
            want[key] = (kind or int)(value)
            continue
        name = tables["enums"][kind].get(str(value))
        want[key] = TYPES.get(name) or TEXTS.get(name) or (name if kind == "data_format" else (name or "?").lower())
    return want


def main():
    parser = argparse.ArgumentParser(description="Tests npu_rt stream.")
    parser.add_argument("--models", default=str(SHARED) if SHARED.is_dir() else None)
    parser.add_argument("--no-vela", action="store_true", help="leave out what needs Vela")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="how to start npu_rt (default: build/npu_rt)")
    args = parser.parse_args()
    command = args.command or [str(REPO / "build" / "npu_rt")]
    words = shlex.split(command[0]) if len(command) == 1 else command
    prefix = [os.path.abspath(a) if os.path.isfile(a) else a for a in words]
    with tempfile.TemporaryDirectory(prefix="npu_rt_stream_") as folder:
        return Tests(prefix, folder, args.models, not args.no_vela).run()


if __name__ == "__main__":
    sys.exit(main())
