#!/usr/bin/env python3
"""Seeing inside a run: traces, ranges, values of tensors, comparisons, profiles, drawn graphs. usage: see kit.py."""

import csv
import io
import json
import os
import re
import shutil
import sys

import numpy as np

import kit
import tiny_model as tiny
from tiny_model import BOOL, FLOAT32, INT8, INT32, Table, Vector, i8, i32, tensor, u32

LESS, NEG, RANGE, WHILE = 58, 59, 96, 119
HOSTILE = b'a"b\\c\nd\x01\x1b[2J\xff\xc3\xa4</script>'


def code(op, custom=None):
    return Table({0: i8(min(op, 127)), 2: i32(1), 3: i32(op), **({1: custom} if custom else {})})


def node(index, inputs, outputs, options_type=0, options=None):
    fields = {0: u32(index), 1: Vector("<i", inputs), 2: Vector("<i", outputs)}
    if options_type:
        fields[3], fields[4] = ("<B", options_type), options or Table({})
    return Table(fields)


def graph(tensors, inputs, outputs, nodes, name=b"main"):
    return Table(
        {0: Vector(None, tensors), 1: Vector("<i", inputs), 2: Vector("<i", outputs), 3: Vector(None, nodes), 4: name}
    )


def file_of(codes, graphs, buffers=()):
    buffers = [Table({})] + [Table({0: Vector("raw", b, 16)}) for b in buffers]
    fields = {0: u32(3), 1: Vector(None, codes), 2: Vector(None, graphs), 4: Vector(None, buffers)}
    return tiny.Writer().finish(Table(fields), b"TFL3")


def loop_model():
    """y = WHILE(x < 5: x + 1)."""
    number = np.int32([5]).tobytes(), np.int32([1]).tobytes()
    main = graph(
        [tensor(b"x", INT32, [1]), tensor(b"y", INT32, [1])],
        [0],
        [1],
        [node(0, [0], [1], 93, Table({0: i32(1), 1: i32(2)}))],
    )
    condition = graph(
        [tensor(b"x", INT32, [1]), tensor(b"five", INT32, [1], buffer=1), tensor(b"on", BOOL, [1])],
        [0],
        [2],
        [node(1, [0, 1], [2])],
        b"condition",
    )
    body = graph(
        [tensor(b"x", INT32, [1]), tensor(b"one", INT32, [1], buffer=2), tensor(b"next", INT32, [1])],
        [0],
        [2],
        [node(2, [0, 1], [2], 11)],
        b"body",
    )
    return file_of([code(WHILE), code(LESS), code(tiny.ADD)], [main, condition, body], number)


def range_model():
    """-RANGE(0, x, 1): a shape that depends on data."""
    tensors = [
        tensor(b"limit", INT32, []),
        tensor(b"zero", INT32, [], buffer=1),
        tensor(b"one", INT32, [], buffer=2),
        tensor(b"range", INT32, [1], signature=[-1]),
        tensor(b"out", INT32, [1], signature=[-1]),
    ]
    nodes = [node(0, [1, 0, 2], [3]), node(1, [3], [4])]
    numbers = np.int32(0).tobytes(), np.int32(1).tobytes()
    return file_of([code(RANGE), code(NEG)], [graph(tensors, [0], [4], nodes)], numbers)


def chain(names, op=NEG, type_=FLOAT32):
    """One operator after the other, over four numbers; the tensors have these names."""
    tensors = [tensor(n, type_, [4]) for n in names]
    nodes = [node(0, [i], [i + 1]) for i in range(len(names) - 1)]
    return file_of([code(op)], [graph(tensors, [0], [len(names) - 1], nodes, HOSTILE)])


class Tests(kit.Kit):
    def load(self, name):
        return json.loads((self.folder / name).read_bytes())

    def no_litter(self, label):
        left = [f for _, _, files in os.walk(self.folder) for f in files if f.endswith(".tmp")]
        self.check(f"{label}: nothing temporary stays", not left, left)

    # ---- traces ----

    def nested(self, label, events):
        """Events of one thread lie inside of each other or apart."""
        stack = []
        for e in events:
            start, end = round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000)
            while stack and stack[-1] <= start and stack[-1] < end:
                stack.pop()
            self.check(f"{label}: {e['name']} is nested", not stack or end <= stack[-1], events)
            stack.append(end)

    def trace(self, label, *args):
        self.expect(label, 0, "run", *args, "--trace", "t.json")
        j = self.load("t.json")
        events = j["traceEvents"]
        about = [e for e in events if e["ph"] == "M"]
        self.check(f"{label}: metadata", [e["name"] for e in about] == ["process_name", "thread_name"], about)
        events = [e for e in events if e["ph"] != "M"]
        self.check(f"{label}: events", all(e["ph"] == "X" and e["dur"] >= 0 and e["pid"] == 1 for e in events), events)
        self.nested(label, events)
        return events

    def test_trace(self):
        e = self.trace("a trace", "add.tflite", "--repeat", 3)
        kinds = [x["cat"] for x in e]
        self.check("trace: one of each for each run", kinds == ["invoke", "subgraph", "operator"] * 3, kinds)
        self.check("trace: invokes are counted", [x["name"] for x in e[::3]] == [f"invoke {i}" for i in (1, 2, 3)], e)
        more = ["--trace", "t.json", "--minmax", "m.json", "--keep", "c=c.npy"]
        self.expect(
            "files in words", 0, "run", "add.tflite", *more, out=["trace -> t.json", "minmax -> m.json", "kept c=c.npy"]
        )
        j = json.loads(self.expect("files as JSON", 0, "run", "add.tflite", *more, "--json").stdout)
        self.check("files as JSON: names", (j["trace"], j["minmax"], j["keep"]) == ("t.json", "m.json", ["c=c.npy"]), j)
        args = e[2]["args"]
        want = {"tensor": 2, "name": "c", "type": "float32", "shape": [1, 4]}
        self.check("trace: args", e[2]["name"] == "ADD" and args["outputs"] == [want] and args["op"] == 0, e[2])
        self.check("trace: kernel and MACs", args["kernel"] and args["macs"] == 0, args)

    def test_trace_loop(self):
        self.write("loop.tflite", loop_model())
        self.write("x.npy", np.int32([2]))
        e = self.trace("a loop", "loop.tflite", "--input", "0=x.npy")
        ops = [(x["name"], x["args"]["subgraph"]) for x in e if x["cat"] == "operator"]
        passes = [("LESS", 1), ("ADD", 2)] * 3 + [("LESS", 1)]
        self.check("trace: each pass", ops == [("WHILE", 0), *passes], ops)
        depths = [x["args"]["depth"] for x in e if x["cat"] == "subgraph"]
        self.check("trace: subgraphs in their places", depths == [0] + [1] * 7, depths)
        names = {x["args"]["name"] for x in e if x["cat"] == "subgraph"}
        self.check("trace: subgraphs by name", names == {"main", "condition", "body"}, names)

    def test_trace_shapes(self):
        self.write("range.tflite", range_model())
        self.write("x.npy", np.array(7, np.int32))
        e = self.trace("shapes that depend on data", "range.tflite", "--input", "0=x.npy")
        shapes = [x["args"]["outputs"][0]["shape"] for x in e if x["cat"] == "operator"]
        self.check("trace: real shapes", shapes == [[7], [7]], shapes)

    def test_hostile_names(self):
        self.write("evil.tflite", chain([b"in", HOSTILE, b"x" * 5000, b""]))
        e = self.trace("hostile names", "evil.tflite")
        names = [x["args"]["outputs"][0]["name"] for x in e if x["cat"] == "operator"]
        text = 'a"b\\c\nd\x01\x1b[2J\ufffd\u00e4</script>'
        self.check("trace: names", names[0] == text and len(names[1]) == 256 and names[2] == "", names)
        self.expect("ranges of hostile names", 0, "run", "evil.tflite", "--minmax", "m.csv")
        rows = list(csv.reader(io.StringIO((self.folder / "m.csv").read_text(errors="replace"), newline="")))
        self.check("ranges: hostile names in CSV", len(rows) == 5 and all(len(r) == 10 for r in rows), rows)
        self.check("ranges: hostile names stay", rows[2][2].startswith('a"b\\c d'), rows[2])
        self.expect("ranges of hostile names", 0, "run", "evil.tflite", "--minmax", "m.json")
        self.check("ranges: hostile names in JSON", self.load("m.json")["tensors"][1]["name"] == text)
        self.expect("all of hostile names", 0, "run", "evil.tflite", "--keep", "all=evil")
        self.check("kept: hostile names", self.load("evil/tensors.json")["tensors"][1]["name"] == text)
        r = self.expect("drawn hostile names", 0, "dump", "evil.tflite", "--dot")
        for line in r.stdout.decode().splitlines():
            plain = re.sub(r"\\.", "", line)
            self.check("dot: quotes in pairs", plain.count('"') % 2 == 0 and plain.isprintable(), line)
        r = self.expect("comparing hostile names", 0, "compare", "evil.tflite", "--json")
        self.check("compare: hostile names", json.loads(r.stdout)["operators"][0]["name"] == text, r.stdout)
        self.expect("comparing hostile names", 0, "compare", "evil.tflite", out=["equal"])
        custom = file_of(
            [code(tiny.CUSTOM, HOSTILE)],
            [graph([tensor(b"a", FLOAT32, [4]), tensor(b"b", FLOAT32, [4])], [0], [1], [node(0, [0], [1])])],
        )
        self.write("custom.tflite", custom)
        self.expect("a drawn custom operator", 0, "dump", "custom.tflite", "--dot", out=['0 a\\"b\\\\c?d', "color=red"])

    # ---- ranges ----

    def test_minmax(self):
        a, b = np.float32([[1, -2, 3, np.nan]]), np.float32([[5, 5, 4, np.inf]])
        self.write("a.npy", a)
        self.write("b.npy", b)
        feeds = ["--input", "0=a.npy", "--input", "1=b.npy"]
        self.expect("ranges", 0, "run", "add.tflite", *feeds, "--repeat", 2, "--minmax", "m.json")
        j = self.load("m.json")
        rows = {t["name"]: t for t in j["tensors"]}
        got = [(rows[n]["min"], rows[n]["max"], rows[n]["values"], rows[n]["not_finite"]) for n in "abc"]
        self.check("ranges: values", got == [(-2, 3, 8, 2), (4, 5, 8, 2), (3, 7, 8, 2)] and j["runs"] == 2, j)
        self.expect("ranges as a table", 0, "run", "add.tflite", *feeds, "--minmax", "m.csv")
        rows = list(csv.DictReader(io.StringIO((self.folder / "m.csv").read_text())))
        got = [(r["name"], r["min"], r["max"], r["shape"], r["constant"]) for r in rows]
        want = [("a", "-2", "3", "1x4", "0"), ("b", "4", "5", "1x4", "0"), ("c", "3", "7", "1x4", "0")]
        self.check("ranges: table", got == want, rows)
        self.write("half.tflite", tiny.float16_model())
        self.expect("ranges of constants", 0, "run", "half.tflite", "--minmax", "m.json")
        rows = {t["name"]: t for t in self.load("m.json")["tensors"]}
        self.check("ranges: constants", rows["half"]["constant"] and rows["half"]["max"] == 0, rows)
        self.write("nothing.npy", np.full((1, 4), np.nan, np.float32))
        args = ["--input", "0=nothing.npy", "--input", "1=b.npy"]
        self.expect("ranges without a number", 0, "run", "add.tflite", *args, "--minmax", "m.json")
        row = self.load("m.json")["tensors"][0]
        self.check("ranges: no number", row["min"] is None and row["not_finite"] == 4, row)
        self.expect("a table without a number", 0, "run", "add.tflite", *args, "--minmax", "m.csv")
        self.check("ranges: empty cells", ",,,4,4,0" in (self.folder / "m.csv").read_text())

    # ---- values ----

    def test_keep(self):
        self.write("chain.tflite", chain([b"in", b"x=y", b"12", b"z"]))
        self.write("v.npy", np.float32([1, -2, 3, -4]))
        feed = ["--input", "0=v.npy"]
        names = ["x=y=named.npy", "1=index.npy", "0:2=both.npy", "12=digits.npy"]
        self.expect("kept", 0, "run", "chain.tflite", *feed, *(w for n in names for w in ("--keep", n)))
        got = [np.load(self.folder / f"{n}.npy") for n in ("named", "index", "both", "digits")]
        want = np.float32([1, -2, 3, -4])
        self.check(
            "kept: values", [np.array_equal(g, w) for g, w in zip(got, [-want, -want, want, want])] == [True] * 4, got
        )
        self.expect("all kept", 0, "run", "chain.tflite", *feed, "--keep", "all=deep/all")
        for i in range(4):
            got = np.load(self.folder / f"deep/all/0_{i}.npy")
            self.check(f"all kept: {i}", np.array_equal(got, want * (-1) ** i), got)
        rows = self.load("deep/all/tensors.json")["tensors"]
        self.check("all kept: list", [r["file"] for r in rows] == [f"0_{i}.npy" for i in range(4)], rows)
        self.write("loop.tflite", loop_model())
        self.write("x.npy", np.int32([2]))
        self.expect("kept of a loop", 0, "run", "loop.tflite", "--input", "0=x.npy", "--keep", "2:2=next.npy")
        self.check("kept of a loop: the last pass", np.load(self.folder / "next.npy").tolist() == [5])
        self.write("range.tflite", range_model())
        self.write("x.npy", np.array(3, np.int32))
        args = ["range.tflite", "--input", "0=x.npy", "--keep", "range=r.npy", "--keep", "all=dyn"]
        self.expect("kept of a shape that depends on data", 0, "run", *args)
        self.check("kept: its shape", np.load(self.folder / "r.npy").tolist() == [0, 1, 2])
        self.check("all kept: its shape", np.load(self.folder / "dyn/0_3.npy").tolist() == [0, 1, 2])
        self.no_litter("kept")

    def test_refusals(self):
        for option in ("--keep", "a"), ("--keep", "=x"), ("--keep", "a="):
            self.expect(f"refused: {option}", 2, "run", "add.tflite", *option, err=["TENSOR=FILE"])
        for ref in "nosuch", "99", "7:0", "0:99", ":1", "1:", "99999999999":
            self.expect(
                f"no such tensor: {ref}", 2, "run", "add.tflite", "--keep", f"{ref}=none.npy", err=["no such tensor"]
            )
        self.check("no such tensor: no file", not (self.folder / "none.npy").exists())
        (self.folder / "folder").mkdir(exist_ok=True)
        for option in "--trace", "--minmax":
            self.expect(f"{option} on a folder", 1, "run", "add.tflite", option, "folder", err=["folder"])
            self.expect(f"{option} nowhere", 1, "run", "add.tflite", option, "no/where.json", err=["no/where.json"])
        # One of several files cannot be: then there is none.
        args = ["--trace", "one.json", "--minmax", "two.json", "--keep", "0=no/where.npy", "--output-dir", "three"]
        self.expect("all or none", 1, "run", "add.tflite", *args, err=["no/where.npy"])
        there = [n for n in ("one.json", "two.json", "three") if (self.folder / n).exists()]
        self.check("all or none: none", not there, there)
        self.write("kept.json", b"as it was")
        self.expect(
            "a failing run", 2, "run", "add.tflite", "--trace", "kept.json", "--keep", "nosuch=x.npy", err=["nosuch"]
        )
        self.check("a failing run leaves files alone", (self.folder / "kept.json").read_bytes() == b"as it was")
        self.write("slow.tflite", tiny.slow_model())
        args = ["slow.tflite", "--trace", "slow.json", "--minmax", "slow2.json", "--time-limit", "0.3"]
        self.timed("stopped by the time limit", ["run", *args], 0.3, err=["time limit"])
        self.check("stopped: no files", not (self.folder / "slow.json").exists())
        self.no_litter("refused")

    # ---- comparisons ----

    def compared(self, label, exit_code, *args):
        err = ["apart"] if exit_code == 6 else []
        return json.loads(self.expect(label, exit_code, "compare", *args, "--json", err=err).stdout)

    def test_compare(self):
        self.write("neg.tflite", chain([b"a", b"b", b"c"]))
        self.write("abs.tflite", chain([b"a", b"b", b"c"], tiny.ABS))
        j = self.compared("a model and itself", 0, "neg.tflite")
        self.check("compare: equal", j["equal"] and j["max_abs"] == 0 and j["first_difference"] is None, j)
        self.check("compare: who", j["b"]["by"] == "scalar" and j["same_operators"] and len(j["operators"]) == 2, j)
        self.expect(
            "equal", 0, "compare", "neg.tflite", out=["equal, 4 elements", "All values between operators are equal"]
        )
        self.write("v.npy", np.float32([1, -2, 3, -4]))
        j = self.compared("two models", 6, "neg.tflite", "abs.tflite", "--input", "0=v.npy")
        row = j["outputs"][0]
        self.check("compare: different operators", not j["same_operators"] and j["operators"] == [], j)
        self.check("compare: how far", (row["max_abs"], row["max_index"], row["differing"]) == (8, 3, 2), row)
        self.check("compare: histogram", row["histogram"][-1]["to"] is None and row["unit"] == "ulp", row)
        args = ["neg.tflite", "abs.tflite", "--input", "0=v.npy"]
        self.expect(
            "in words",
            6,
            "compare",
            *args,
            out=["by 8 at most, at [3]", "different operators"],
            err=["more than 0 apart"],
        )
        self.expect("within the tolerance", 0, "compare", *args, "--tolerance", 8)
        self.expect("beyond the tolerance", 6, "compare", *args, "--tolerance", 7.9, err=["7.9"])
        self.expect("one instruction set", 0, "compare", "neg.tflite", "--isa-a", "scalar", "--isa-b", "scalar")
        self.expect("the CPU as a backend", 0, "compare", "neg.tflite", "--backend-a", "none")
        for bad in (
            ("--tolerance", "x"),
            ("--tolerance", "-1"),
            ("--tolerance", "nan"),
            ("--isa-b", "mmx"),
            ("--backend-b", "abacus"),
        ):
            self.expect(
                f"refused: {bad}",
                2,
                "compare",
                "neg.tflite",
                *bad,
                err=[bad[0][2:9] if bad[0] == "--tolerance" else bad[1]],
            )
        self.expect("three models", 2, "compare", "a", "b", "c", err=["a"])
        self.expect("no such model", 1, "compare", "neg.tflite", "nosuch.tflite", err=["nosuch.tflite"])

    def test_compare_operators(self):
        """The first operator that differs: constants are others in B."""

        def sums(*constants):
            tensors = [tensor(b"in", FLOAT32, [4])]
            nodes = []
            for i in range(len(constants)):
                tensors += [tensor(b"k%d" % i, FLOAT32, [4], buffer=i + 1), tensor(b"s%d" % i, FLOAT32, [4])]
                nodes.append(node(0, [2 * i, 2 * i + 1], [2 * i + 2], 11))
            data = [np.full(4, k, np.float32).tobytes() for k in constants]
            return file_of([code(tiny.ADD)], [graph(tensors, [0], [2 * len(constants)], nodes)], data)

        self.write("a.tflite", sums(1, 2, 3))
        self.write("b.tflite", sums(1, 2.5, 2.5))
        j = self.compared("operators that differ", 0, "a.tflite", "b.tflite", "--tolerance", "0.0001")
        first = j["first_difference"]
        self.check(
            "compare: the first operator", (first["index"], first["name"], first["max_abs"]) == (1, "s1", 0.5), first
        )
        self.expect(
            "in words",
            0,
            "compare",
            "a.tflite",
            "b.tflite",
            "--tolerance",
            "1e-4",
            out=["differ by more is 1 ADD; 1 of 3 do"],
        )

    def test_compare_files(self):
        self.write("neg.tflite", chain([b"a", b"b"]))
        self.write("v.npy", np.float32([1, -2, np.nan, np.inf]))
        feed = ["--input", "0=v.npy"]
        self.expect("reference", 0, "run", "neg.tflite", *feed, "--output-dir", "ref")
        self.expect("as the reference", 0, "compare", "neg.tflite", "ref", *feed, out=["known outputs", "equal"])
        self.write("ref/0.npy", np.float32([-1, 2, 1, -np.inf]))
        j = self.compared("a number for a NaN", 6, "neg.tflite", "ref", *feed)
        row = j["outputs"][0]
        self.check("compare: NaN", row["nans"] == 1 and row["endless"] and row["max_abs"] is None, row)
        self.expect(
            "no tolerance is enough", 6, "compare", "neg.tflite", "ref", *feed, "--tolerance", "1e30", err=["apart"]
        )
        self.write("ref/0.npy", np.float64([-1, 2.5, np.nan, -np.inf]))
        j = self.compared("a file of another type", 6, "neg.tflite", "ref", *feed)
        row = j["outputs"][0]
        self.check("compare: reals", row["as_reals"] and row["max_abs"] == 0.5 and row["max_index"] == 1, row)
        self.write("ref/0.npy", np.float32([1]))
        j = self.compared("another shape", 6, "neg.tflite", "ref", *feed)
        self.check("compare: shape", not j["outputs"][0]["compared"] and "shape" in j["outputs"][0]["reason"], j)
        self.expect(
            "another shape in words",
            6,
            "compare",
            "neg.tflite",
            "ref",
            *feed,
            out=["cannot be compared"],
            err=["apart"],
        )
        self.write("ref/0.npy", b"\x93NUMPY nonsense")
        self.expect("a damaged file", 5, "compare", "neg.tflite", "ref", *feed, err=["unreadable"])
        shutil.rmtree(self.folder / "ref")
        (self.folder / "ref").mkdir()
        self.expect("no files", 1, "compare", "neg.tflite", "ref", *feed, err=["ref/0.npy"])
        self.write("small.tflite", tiny.copy_model(tiny.INT4, [4], quant=(0.5, 1)))
        self.expect("reference of int4", 0, "run", "small.tflite", "--output-dir", "four")
        self.expect("int4 as the reference", 0, "compare", "small.tflite", "four", out=["equal"])
        got = np.load(self.folder / "four/0.npy")
        got[2] = -8 if got[2] > 0 else 7
        np.save(self.folder / "four/0.npy", got)
        j = self.compared("int4", 6, "small.tflite", "four")
        row = j["outputs"][0]
        self.check("compare: int4", row["unit"] == "step" and row["max_index"] == 2 and row["differing"] == 1, row)

    def test_compare_types(self):
        """A float model and its quantized twin: B gets A's inputs in its own type."""
        self.write("float.tflite", tiny.copy_model(FLOAT32, [2, 3]))
        self.write("int8.tflite", tiny.copy_model(INT8, [2, 3], quant=(0.0078125, 0)))
        self.write("v.npy", np.float32([[0.5, -0.25, 0.125], [0, 0.75, -1]]))
        for more in [], ["--input", "0=v.npy"]:
            j = self.compared(f"types {more}", 0, "float.tflite", "int8.tflite", *more, "--tolerance", "0.00391")
            self.check("compare: as reals", j["outputs"][0]["as_reals"] and j["same_operators"], j)
        self.check("compare: exact ones", j["max_abs"] == 0, j)

    # ---- profiles ----

    def test_bench(self):
        self.write("mixed.tflite", loop_model())
        self.write("two.npy", np.int32([2]))
        r = self.expect(
            "types of operators", 0, "bench", "mixed.tflite", "--input", "0=two.npy", "--runs", 5, "--profile", "--json"
        )
        j = json.loads(r.stdout)
        self.check("bench: types", {t["op"]: t["count"] for t in j["op_types"]} == {"WHILE": 1, "LESS": 1, "ADD": 1}, j)
        self.check("bench: shares", abs(sum(t["share"] for t in j["op_types"]) - 1) < 1e-6, j["op_types"])
        order = [t["ms"] for t in j["op_types"]]
        self.check("bench: types by time", order == sorted(order, reverse=True), order)
        self.check("bench: deviation", j["invoke_ms"]["stddev"] >= 0 and j["invoke_ms"]["mean"] > 0, j["invoke_ms"])
        for sort, key in ("name", "op"), ("order", "subgraph"), ("kernel", "kernel"), ("macs", "macs"), ("time", "ms"):
            args = ["mixed.tflite", "--input", "0=two.npy", "--runs", 3, "--sort", sort]
            rows = json.loads(self.expect(f"sorted by {sort}", 0, "bench", *args, "--json").stdout)["ops"]
            values = [x["ms"] * x["runs"] if sort == "time" else x[key] for x in rows]
            backwards = sort in ("time", "macs")
            self.check(f"bench: sorted by {sort}", len(rows) == 3 and values == sorted(values, reverse=backwards), rows)
        args = ["mixed.tflite", "--input", "0=two.npy", "--runs", 3, "--sort", "time"]
        self.expect("profile in words", 0, "bench", *args, out=["type", "WHILE", "subgraph 2"])
        self.expect(
            "no such order", 2, "bench", "mixed.tflite", "--sort", "luck", err=["order, time, name, macs, kernel"]
        )

    def check_kernel(self, name, kernel, *options):
        """The first operator of that model is computed by a kernel whose name begins so; --isa scalar has none."""
        for isa in "auto", "scalar":
            run = "bench", name + ".tflite", "--runs", 1, "--profile", "--isa", isa, "--json", *options
            j = json.loads(self.expect(name + " " + isa, 0, *run).stdout)
            found = j["ops"][0]["kernel"]
            self.check(f"{name}: {kernel} {isa}", found.startswith("reference" if j["isa"] == "scalar" else kernel), j)

    def test_pruned(self):
        """Layers leave weights of 0 out where there are so many that it is faster."""
        rng = np.random.default_rng(1)
        w = rng.normal(size=(64, 64)).astype(np.float32)
        for name, kept, kernel in ("pruned", 0.2, "sparse_f32."), ("whole", 1.0, "gemm_f32."):
            zeroed = np.where(rng.random(w.shape) < kept, w, np.float32(0))
            tensors = [tensor(b"x", FLOAT32, [64, 64]), tensor(b"w", FLOAT32, [64, 64], buffer=1)]
            tensors += [tensor(b"y", FLOAT32, [64, 64])]
            main = graph(tensors, [0], [2], [node(0, [0, 1, -1], [2], 8)])
            self.write(name + ".tflite", file_of([code(9)], [main], [zeroed.tobytes()]))
            self.check_kernel(name, kernel)

    def test_winograd(self):
        """Convolutions of 3 x 3 go by Winograd's tiles where that is faster: not for steps of two, nor for a few channels; nor
        where the larger weights would be more than a quarter of the memory."""
        rng = np.random.default_rng(2)
        for name, channels, stride, kernel, *options in (
            ("tiles", 32, 1, "winograd_f32."),
            ("strided", 32, 2, "gemm_f32."),
            ("few", 8, 1, "gemm_f32."),
            ("large", 160, 1, "winograd_f32."),
            ("large", 160, 1, "gemm_f32.", "--max-memory", 2),
        ):
            w = rng.normal(size=(channels, 3, 3, channels)).astype(np.float32)
            side = 24 // stride
            tensors = [tensor(b"x", FLOAT32, [1, 24, 24, channels]), tensor(b"w", FLOAT32, list(w.shape), buffer=1)]
            tensors += [tensor(b"y", FLOAT32, [1, side, side, channels])]
            conv = node(0, [0, 1, -1], [2], 1, Table({1: i32(stride), 2: i32(stride)}))
            self.write(name + ".tflite", file_of([code(3)], [graph(tensors, [0], [2], [conv])], [w.tobytes()]))
            self.check_kernel(name, kernel, *options)

    # ---- drawn graphs ----

    def test_dot(self):
        self.write("loop.tflite", loop_model())
        self.expect(
            "drawn",
            0,
            "dump",
            "loop.tflite",
            "--dot",
            out=["digraph", "cluster_2", "s0n0 -> s1 [style=dashed", 's2n0 [label="0 ADD\\nINT32[1] one"]'],
        )
        self.expect("drawn from stdin", 0, "dump", "-", "--dot", out=["digraph"], stdin=loop_model())

    # ---- real models ----

    def test_models(self):
        if not self.models or self.wasi:
            return
        for name in "kws_ref_model.tflite", "trained_lstm.tflite", "person_detect_vela.tflite":
            shutil.copy(os.path.join(self.models, name), self.folder / name)
            e = self.trace(name, name)
            self.check(f"{name}: operators", any(x["cat"] == "operator" for x in e))
            self.expect(f"{name}: ranges", 0, "run", name, "--minmax", "m.json")
            self.load("m.json")
            self.expect(f"{name}: kept", 0, "run", name, "--keep", "all=kept")
            self.expect(f"{name}: drawn", 0, "dump", name, "--dot", out=["digraph"])
            self.expect(f"{name}: compared", 0, "compare", name, "--tolerance", "1e-4")


if __name__ == "__main__":
    sys.exit(kit.main(Tests))
