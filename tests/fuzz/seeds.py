"""Seeds for the fuzz targets: one model of every operator and set of types among the conformance cases, and the kinds of
models that need more than one operator. Also the dictionary, made from the lists of the source."""

import glob
import io
import os
import re
import subprocess
import sys
import tempfile
import wave

HERE = os.path.dirname(os.path.abspath(__file__))
REPO = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(REPO, "tests", "conformance"))
MOST_BYTES = 65536  # the fuzzer's -max_len


def kinds_of(model):
    """What makes a model worth keeping: operators, types of their tensors, and how the tensors are made."""
    from ops import BUILTINS, schema

    m = schema.ModelT.InitFromPackedBuf(model, 0)
    for g in m.subgraphs:
        for op in g.operators:
            code = m.operatorCodes[op.opcodeIndex]
            number = max(code.builtinCode, code.deprecatedBuiltinCode)
            name = code.customCode.decode() if number == 32 else BUILTINS[number]
            tensors = [g.tensors[i] for i in [*op.inputs, *op.outputs] if i >= 0]
            types = tuple(t.type for t in tensors[:4])
            special = (
                any(t.sparsity for t in tensors),
                any(t.isVariable for t in tensors),
                any(t.quantization and t.quantization.details for t in tensors),
                len(m.subgraphs) > 1,
            )
            yield (name, types, special)


def compiled():
    """The streams of corpus/stream as models: one operator ethos-u, two feature maps inside its scratch tensor."""
    import numpy as np
    from mkmodel import Builder, T, schema

    for path in sorted(glob.glob(os.path.join(HERE, "corpus", "stream", "made_*"))):
        with open(path, "rb") as f:
            data = f.read()
        words = data[0] | data[1] << 8
        stream, flash = data[4 : 4 + 4 * words], data[4 + 4 * words :] or bytes(16)
        b = Builder()
        b.subgraph()
        t = [
            T("stream", (len(stream),), "uint8", data=stream),
            T("flash", (len(flash),), "uint8", data=flash),
            T("scratch", (20480,), "uint8"),
            T("fast", (2048,), "uint8"),
            T("x", (1, 64), "int8"),
            T("y", (1, 64), "int8"),
        ]
        b.op("CUSTOM", t[:5], t[5:], custom=("ethos-u", b""))
        b.io(t[4:5], t[5:])
        places = np.array([0, 1, 6, -1, -1, -1, -1, 0, 4096], "<i4")
        entry = schema.MetadataT()
        entry.name, entry.buffer = b"OfflineMemoryAllocation", len(b.model.buffers)
        buffer = schema.BufferT()
        buffer.data = np.frombuffer(places.tobytes(), np.uint8)
        b.model.buffers.append(buffer)
        b.model.metadata = [entry]
        yield "compiled_" + os.path.basename(path), b.bytes()


def custom_operators():
    """Cases of the operators that MediaTek's converter makes: of each, and of each type of its data, one stays."""
    sys.path.append(os.path.join(REPO, "tests", "mdla"))
    import custom

    return custom.cases()


def circle_files(kept):
    """Models of Circle: one of each operator that it has alone, and some of the others rewritten."""
    import ops_circle
    from circle import circle

    seen = set()
    for name, model, _, _, _ in ops_circle.cases():
        if name.split("/")[0] not in seen:
            seen.add(name.split("/")[0])
            yield "circle_" + re.sub(r"\W", "_", name)[:80], model
    for name, model in kept[:: max(1, len(kept) // 40)]:
        yield "circle_of_" + name, circle(model)


def models():
    """(name, bytes) of every seed, the smallest of each kind."""
    from ops import all_cases

    kept, seen = list(compiled()), set()
    cases = {}
    for name, model, _, _, _ in all_cases(""):
        if len(model) <= MOST_BYTES:
            cases.setdefault(model, name)
    for case in custom_operators():
        cases.setdefault(case.model, case.name)
    for model in sorted(cases, key=lambda m: (len(m), cases[m])):
        kinds = set(kinds_of(model))
        if not kinds <= seen:
            seen |= kinds
            kept.append((re.sub(r"\W", "_", cases[model])[:80], model))
    for path in sorted(
        glob.glob(os.path.join(REPO, "examples", "digits", "*.tflite"))
        + glob.glob(os.path.join(REPO, "..", "shared", "models", "*.tflite"))
    ):
        if os.path.getsize(path) <= MOST_BYTES:
            with open(path, "rb") as f:
                kept.append((os.path.basename(path)[:-7], f.read()))
    return kept + list(circle_files(kept))


# ---- compiled networks for MediaTek Neuron -----------------------------------------------------------------------------

NETWORK_AT = 4096  # where models that hold one have its container: edit_network.c


def neuron(folder):
    """Networks and programs of calls that neuron_seeds.c makes of the models in folder/models; returns models that hold the networks."""
    for name in ("networks", "calls"):
        os.makedirs(os.path.join(folder, name), exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        program, source = os.path.join(temporary, "neuron_seeds"), os.path.join(HERE, "neuron_seeds.c")
        flags = ["-O1", "-w", "-std=c99", "-D_POSIX_C_SOURCE=200809L", "-I", REPO]
        subprocess.run([os.environ.get("CC", "cc"), *flags, source, "-lm", "-o", program], check=True)
        paths = sorted(glob.glob(os.path.join(folder, "models", "*")))
        paths = [p for p in paths if not os.path.basename(p).startswith("holds_")]
        p = subprocess.run([program, folder, *paths], stdout=subprocess.PIPE, text=True, check=True, timeout=600)
    for line in p.stdout.splitlines():
        name, inputs, outputs = line.split("\t")
        with open(os.path.join(folder, "networks", name), "rb") as f:
            yield "holds_" + name, holder(f.read(), inputs, outputs)


def holder(network, inputs, outputs):
    """A model as LiteRT's plugin leaves it: an operator DISPATCH_OP that names a part of the container behind the model."""
    from flatbuffers import flexbuffers
    from mkmodel import Builder, T

    packed, name = container(network), "partition_0"
    b = flexbuffers.Builder()
    with b.Map():
        b.Key("bytecode_offset"), b.Int(NETWORK_AT)
        b.Key("bytecode_size"), b.Int(len(packed))
        b.Key("name"), b.String(name)
    options = bytes(b.Finish())
    b = Builder()
    b.subgraph()
    values = []
    for texts in (inputs, outputs):
        values.append([])
        for text in texts.split(";"):
            kind, dims = text.split(":")
            shape = [int(d) if 0 < int(d) < 1 << 31 else 1 for d in dims.split(",") if d]
            values[-1].append(T("%s%d" % ("xy"[len(values) - 1], len(values[-1])), shape, kind.lower()))
    b.op("CUSTOM", values[0], values[1], custom=("DISPATCH_OP", options))
    b.io(values[0], values[1])
    model = b.bytes()
    return model + bytes(NETWORK_AT - len(model)) + packed


def container(network):
    """The plugin's flatbuffer: Graphs {version, subgraphs, data, external, neuron_sdk_version}."""
    import flatbuffers

    b = flatbuffers.Builder(len(network) + 256)
    data, label, name = b.CreateByteVector(network), b.CreateString("0"), b.CreateString("partition_0")

    def table(slots, **fields):
        b.StartObject(slots)
        for slot, value in fields.items():
            if slot[0] == "b":
                b.PrependUint8Slot(int(slot[1:]), value, 0)
            elif slot[0] == "u":
                b.PrependUint32Slot(int(slot[1:]), value, 0)
            else:
                b.PrependUOffsetTRelativeSlot(int(slot[1:]), value, 0)
        return b.EndObject()

    def vector(item):
        b.StartVector(4, 1, 4)
        b.PrependUOffsetTRelative(item)
        return b.EndVector()

    buffers = vector(table(2, o0=label, o1=data))
    index = table(1, u0=0) if len(network) % 2 else table(1, o0=label)
    subgraphs = vector(table(5, o0=name, b2=1 if len(network) % 2 else 2, o3=index))
    b.Finish(table(5, o1=subgraphs, o2=buffers))
    return bytes(b.Output())


def npy():
    import numpy as np

    for dtype in ("<f4", ">f4", "|u1", "<i8", "<c8", "|b1", "<f2"):
        for order in ("C", "F"):
            out = io.BytesIO()
            np.save(out, np.zeros((2, 3, 2), dtype, order))
            yield "%s_%s" % (dtype.strip("<>|") + ("_big" if dtype[0] == ">" else ""), order), out.getvalue()


def wav():
    for bits in (8, 16, 24, 32):
        for channels in (1, 2):
            out = io.BytesIO()
            with wave.open(out, "wb") as w:
                w.setnchannels(channels)
                w.setsampwidth(bits // 8)
                w.setframerate(16000)
                w.writeframes(bytes(range(96)))
            yield "%d_%d" % (bits, channels), b"\0\x04" + out.getvalue()


def image():
    """Two bytes that choose the model's input, then a BMP or PNG."""
    import struct
    import zlib

    rows = b"".join(b"\0" + bytes(range(i, i + 12)) for i in range(4))
    chunk = lambda kind, body: struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    png = (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )
    bmp = (
        b"BM"
        + struct.pack("<IHHI", 54 + 48, 0, 0, 54)
        + struct.pack("<IiiHHIIiiII", 40, 4, 4, 1, 24, 0, 48, 0, 0, 0, 0)
        + bytes(48)
    )
    for head in range(4):
        yield "png_%d" % head, bytes([head, 0]) + png
        yield "bmp_%d" % head, bytes([head, 1]) + bmp


def metadata():
    """The same bytes that a TFLITE_METADATA entry holds: normalization of a first input."""
    import flatbuffers

    b = flatbuffers.Builder(256)

    def floats(x):
        b.StartVector(4, 1, 4)
        b.PrependFloat32(x)
        return b.EndVector()

    def table(slots, **fields):
        b.StartObject(slots)
        for slot, value in fields.items():
            if slot[0] == "b":
                b.PrependUint8Slot(int(slot[1:]), value, 0)
            else:
                b.PrependUOffsetTRelativeSlot(int(slot[1:]), value, 0)
        return b.EndObject()

    def vector(*items):
        b.StartVector(4, len(items), 4)
        for x in reversed(items):
            b.PrependUOffsetTRelative(x)
        return b.EndVector()

    mean, std = floats(127.5), floats(127.5)
    options = table(2, o0=mean, o1=std)
    unit = table(2, b0=1, o1=options)
    units = vector(unit)
    tensor = table(8, o4=units)
    inputs = vector(tensor)
    subgraph = table(6, o2=inputs)
    subgraphs = vector(subgraph)
    b.Finish(table(8, o3=subgraphs), b"M001")
    yield "normalization", bytes(b.Output())


def dictionary():
    """Words that files are made of, from the lists in src/: names of operators, codes, values at the edges."""
    words = ["TFL3", "CIR0", "COP1", "OfflineMemoryAllocation", "TFLITE_METADATA", "min_runtime_version"]
    with open(os.path.join(REPO, "src", "ops", "ops.h")) as f:
        words += re.findall(r'X\("([\w-]+)"', f.read())
    lines = ['"%s"' % w for w in words]
    with open(os.path.join(REPO, "src", "vendor", "ethosu", "stream", "commands.h")) as f:
        text = f.read()
    for form, section in ((0, "CMD0"), (0x4000, "CMD1")):
        body = re.search(r"NPU__EU_%s_LIST\(X\)(.*?)\n\n" % section, text, re.S).group(1)
        for code in re.findall(r"X\(\w+,\s*(0x[0-9A-Fa-f]+)", body):
            lines.append('"%s"' % hexes((form | int(code, 16)).to_bytes(2, "little")))
    with open(os.path.join(REPO, "src", "tflite", "schema_builtins.h")) as f:
        for code in re.findall(r"X\(\w+, (\d+),", f.read()):
            lines.append('"%s"' % hexes(int(code).to_bytes(4, "little")))
    for v in (-1, -(2**31), 2**31 - 1, 2**31, 2**32 - 1, 2**16, 2**15, 127, 128, 255):
        lines.append('"%s"' % hexes((v & 0xFFFFFFFF).to_bytes(4, "little")))
    for v in (-(2**63), 2**63 - 1, 2**39, 2**40 - 1):
        lines.append('"%s"' % hexes((v & 0xFFFFFFFFFFFFFFFF).to_bytes(8, "little")))
    return "\n".join(dict.fromkeys(lines)) + "\n"


def hexes(data):
    return "".join("\\x%02x" % b for b in data)


READERS = {"npy": npy, "wav": wav, "image": image, "metadata": metadata}


def put(path, files):
    for label, data in files:
        with open(os.path.join(path, label), "wb") as f:
            f.write(data)


def write(folder):
    """Every set of seeds below `folder`: models/, npy/, networks/, ... and tflite.dict beside them."""
    sets = {"models": models(), **{name: make() for name, make in READERS.items()}}
    for name, files in sets.items():
        path = os.path.join(folder, name)
        os.makedirs(path, exist_ok=True)
        put(path, files)
    put(os.path.join(folder, "models"), list(neuron(folder)))
    with open(os.path.join(folder, "tflite.dict"), "w") as f:
        f.write(dictionary())


if __name__ == "__main__":
    write(sys.argv[1])
