"""NPUs side by side and models by the thousand: check without --backend, with folders, in several processes."""

import csv
import html.parser
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import compare_forms as forms
import kit
import tiny_model as tiny


class Page(html.parser.HTMLParser):
    """Tags that are open at the end, texts, what a page would load or run, and the rows of its tables."""

    def __init__(self):
        super().__init__()
        self.open, self.texts, self.active, self.rows = [], [], [], 0

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "br"):
            self.open.append(tag)
        self.rows += tag == "tr"
        if tag in ("script", "img", "link", "iframe", "object") or any(
            k.startswith("on") or k in ("src", "href") for k, _ in attrs
        ):
            self.active.append((tag, attrs))

    def handle_endtag(self, tag):
        if self.open and self.open[-1] == tag:
            self.open.pop()
        else:
            self.open.append("/" + tag)

    def handle_data(self, data):
        self.texts.append(data)


class Tests(kit.Kit):
    def usual(self):
        text = self.call("check", "add.tflite", "--json").stdout
        return [n["backend"] for n in json.loads(text)["npus"]]

    def compared_with_the_rest(self, name):
        """Every figure of a row is what check and cost say of that NPU alone."""
        j = json.loads(self.call("check", name, "--json").stdout)
        self.check(f"{name}: title", j["title"] == name, j)
        for row in j["npus"]:
            alone = json.loads(self.call("check", name, "--backend", row["backend"], "--json").stdout)
            same = all(
                row[k] == alone["summary"][k]
                for k in ("ops", "ops_placed", "ops_dropped", "macs", "macs_placed", "partitions", "switches")
            )
            self.check(
                f"{name} on {row['backend']}: verdicts",
                same and row["profile"] == alone["profile"],
                (row, alone["summary"]),
            )
            first = [(r["rule"], r["count"]) for r in alone["rules"][:3]]
            told = [(r["rule"], r["ops"]) for r in row["first_reasons"]]
            self.check(
                f"{name} on {row['backend']}: reasons",
                first == told and row["reasons"] == len(alone["rules"]) and row["warnings"] == len(alone["warnings"]),
                (first, told),
            )
            cost = self.call("cost", name, "--backend", row["backend"], "--json")
            summary = json.loads(cost.stdout)["summary"] if cost.returncode == 0 else {"cycles": 0}
            estimate = row["estimate"]
            self.check(
                f"{name} on {row['backend']}: estimate",
                (summary["cycles"] == 0) == (estimate is None)
                and (
                    estimate is None or all(estimate[k] == summary[k] for k in ("cycles", "sram_bytes", "store_bytes"))
                ),
                (summary, estimate),
            )
            self.bounded(name, row)
            fits = None if not estimate or not row["sram_limit"] else estimate["sram_bytes"] <= row["sram_limit"]
            self.check(f"{name} on {row['backend']}: fits", row["fits"] == fits, row)
            self.adds_up(f"{name} on {row['backend']}", row, alone)
        self.every_form(name, ())

    def bounded(self, name, row, *clock):
        """Lower bounds are those of the plan, where there is a planner; what FP16 would bring is what its rules say."""
        label, npu = (
            f"{name} on {row['backend']} {' '.join(clock)}",
            ("--backend", row["backend"], "--rules", row["profile"]),
        )
        planned, bound = self.call("plan", name, *npu, *clock, "--json"), row["lower_bound"]
        summary = json.loads(planned.stdout)["summary"] if planned.returncode == 0 else None
        self.check(
            f"{label}: a bound where there is a plan",
            bool(bound) == bool(summary and row["ops_placed"]),
            (bound, summary),
        )
        if bound:
            same = {
                "cycles": "cycles_at_least",
                "external_bytes": "external_bytes_chained",
                "ops_unknown": "ops_unknown",
            }
            self.check(f"{label}: bounds", all(bound[a] == summary[b] for a, b in same.items()), (bound, summary))
            self.check(f"{label}: seconds", bound["seconds"] == summary.get("seconds_at_least"), (bound, summary))
            words = "not validated" if clock else "not validated, no clock stated"
            self.check(f"{label}: how sure", bound["accuracy"] == words, bound)
        relaxed = self.call("check", name, "--backend", row["backend"], "--relax-fp32", "--json")
        placed = json.loads(relaxed.stdout)["summary"]["ops_placed"] if relaxed.returncode == 0 else 0
        more = row["with_relax_fp32"]
        self.check(
            f"{label}: FP32 as FP16",
            (more or {}).get("ops_placed", 0) == (placed if placed > row["ops_placed"] else 0),
            more,
        )

    def adds_up(self, label, row, alone):
        """Sums are those of the operators."""
        ops = alone["ops"]
        counted = {
            "ops": len(ops),
            "ops_placed": sum(op["placed"] for op in ops),
            "ops_dropped": sum(op["dropped"] for op in ops),
        }
        self.check(f"{label}: sums", all(row[k] == n for k, n in counted.items()), (row, counted))
        left = row["ops"] - row["ops_placed"] - row["ops_dropped"]
        most = max((r["ops"] for r in row["first_reasons"]), default=0)
        self.check(f"{label}: reasons for what is left", (left > 0) == (most > 0) and most <= left, row)
        self.check(f"{label}: MACs", 0 <= row["macs_placed"] <= row["macs"], row)

    def every_form(self, name, options):
        """Text, Markdown and HTML say what JSON says, cell by cell."""
        j = json.loads(self.call("check", name, *options, "--json").stdout)
        self.call("check", name, *options, "--html", "form.html")
        page, verdicts = forms.read_html((self.folder / "form.html").read_text("utf-8"))
        tables = {
            "text": forms.read_text(self.call("check", name, *options).stdout.decode()),
            "Markdown": forms.read_markdown(self.call("check", name, *options, "--markdown").stdout.decode()),
            "HTML": page,
        }
        for form, rows in tables.items():
            label = f"{name} {' '.join(map(str, options))} as {form}"
            self.check(f"{label}: rows", len(rows) == len(j["npus"]), rows)
            for row, npu in zip(rows, j["npus"]):
                self.check(
                    f"{label}: {npu['backend']}", forms.wrong(row, npu) is None, (forms.wrong(row, npu), row, npu)
                )
        self.check(f"{name}: a row for each op", len(verdicts) == j["npus"][0]["ops"], len(verdicts))
        for k, npu in enumerate(j["npus"]):
            cells = ["".join(row[4 + k]) for row in verdicts]
            placed = sum(cell.startswith("NPU") for cell in cells)
            self.check(f"{name} as HTML: ops on {npu['backend']}", placed == npu["ops_placed"], placed)
            for reason in npu["first_reasons"]:
                told = sum(reason["rule"] + ":" in cell for cell in cells)
                self.check(f"{name} as HTML: {npu['backend']}: {reason['rule']}", told == reason["ops"], (told, reason))

    def test_side_by_side(self):
        usual = self.usual()
        families = {re.sub(r"-\d+$", "", n) for n in usual}
        self.check("one of each family", len(families) == len(usual) >= 4, usual)
        self.compared_with_the_rest("add.tflite")
        self.expect("text", 0, "check", "add.tflite", out=[*usual, "partitions", "leaves 1 op to the CPU"])
        r = self.expect("Markdown", 0, "check", "add.tflite", "--markdown", out=["## add.tflite", "|---"])
        rows = [line for line in r.stdout.decode().splitlines() if line.startswith("|")]
        self.check(
            "Markdown: a row each", len(rows) == 2 + len(usual) and len({line.count("|") for line in rows}) == 1, rows
        )
        r = self.call("check", "add.tflite", "--backend", "neuron,ethos-u55-32", "--json")
        names = [n["backend"] for n in json.loads(r.stdout)["npus"]]
        self.check("NPUs by name, in that order", names == ["neuron", "ethos-u55-32"], names)

    def test_public_networks(self):
        if not self.models:
            print("left out: side by side on the public networks (no ../shared/models)")
            return
        for path in sorted(Path(self.models).glob("*.tflite")):
            shutil.copy(path, self.folder / path.name)
            if self.wasi and path.name not in ("person_detect.tflite", "hello_world_float.tflite"):
                continue
            self.compared_with_the_rest(path.name)
        if self.wasi:
            return
        j = json.loads(self.call("check", "person_detect.tflite", "--json", "--sram", "64").stdout)
        self.check("--sram 64: too small", [n["fits"] for n in j["npus"] if n["estimate"]].count(False) >= 1, j)
        j = json.loads(self.call("check", "person_detect.tflite", "--json", "--sram", "4096").stdout)
        self.check("--sram 4096: fits", all(n["fits"] for n in j["npus"] if n["estimate"]), j)
        for name in ("person_detect.tflite", "deeplabv3.tflite", "vww_96_float.tflite"):
            for options in (
                ("--relax-fp32",),
                ("--clock", "312.5"),
                ("--relax-fp32", "--clock", "900", "--sram", "64"),
            ):
                self.every_form(name, options)
                clock = options[options.index("--clock") :][:2] if "--clock" in options else ()
                for row in json.loads(self.call("check", name, *options, "--json").stdout)["npus"]:
                    self.bounded(name, row, *clock)

    def test_page(self):
        names = {"plain": b"add", "hostile": b"<script>alert(1)</script>\" onload='x' &amp; \xc3\xa9\x01\x7f\xff"}
        for label, name in names.items():
            self.write("named.tflite", tiny.add_model(output=name))
            self.expect(
                f"--html of a {label} name", 0, "check", "named.tflite", "--html", "page.html", err=["page.html"]
            )
            page = Page()
            page.feed((self.folder / "page.html").read_text("utf-8"))
            self.check(f"{label}: tags match", page.open == [], page.open)
            self.check(f"{label}: nothing to run or load", page.active == [], page.active)
            self.check(f"{label}: a row for each NPU and op", page.rows == 2 + len(self.usual()) + 1, page.rows)
            text = "".join(page.texts)
            self.check(f"{label}: reasons are in it", "Quantize the model" in text and "ethosu." in text, text[:400])
        self.check("hostile: the name is text", "<script>alert(1)</script>" in text, text[:600])
        self.expect(
            "--html to nowhere", 1, "check", "add.tflite", "--html", "no/such/page.html", err=["no/such/page.html"]
        )
        self.expect("--html of a broken model", 3, "check", self.write("broken.tflite", b"TFL3"), "--html", "b.html")
        self.check(
            "no page of a broken model", not list(self.folder.glob("b.html*")), list(self.folder.glob("b.html*"))
        )

    def test_page_in_place(self):
        """What is no plain file stays what it is: /dev/null as root is nobody's to replace."""
        link, pipe = self.folder / "link.html", self.folder / "pipe.html"
        for path in (link, pipe):
            path.unlink(missing_ok=True)
        (self.folder / "linked.html").write_text("old")
        link.symlink_to("linked.html")
        self.expect("--html through a link", 0, "check", "add.tflite", "--html", "link.html", err=["link.html"])
        page = (self.folder / "linked.html").read_text("utf-8")
        self.check("the link is still one, the page is behind it", link.is_symlink() and "</html>" in page, page[:80])
        self.check("nothing is left beside it", not list(self.folder.glob("*.part")), list(self.folder.glob("*.part")))
        if self.wasi:  # a host that opens pipes for its guest waits for both ends
            return
        os.mkfifo(pipe)
        reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
        self.expect("--html into a pipe", 0, "check", "add.tflite", "--html", "pipe.html", err=["pipe.html"])
        text = reader.communicate(timeout=30)[0]
        self.check("the pipe is still one, the page went through it", pipe.is_fifo() and b"</html>" in text, text[:80])
        self.check(
            "nothing is left beside them", not list(self.folder.glob("*.part")), list(self.folder.glob("*.part"))
        )

    def test_hostile_names(self):
        """Names of files that want to be more than names, in every form of one and of many."""
        good = tiny.add_model()
        names = [
            'a"b.tflite',
            "a,b;c.tflite",
            "a|b.tflite",
            "<b>&amp;.tflite",
            "a\tb.tflite",
            "a\nb,OK,,,x.tflite",
            "'=1+1'.tflite",
        ]
        shutil.rmtree(self.folder / "odd", ignore_errors=True)
        for name in names:
            self.write("odd/" + name, good)
        usual = len(self.usual())
        rows = list(csv.DictReader(io.StringIO(self.call("check", "odd", "--csv").stdout.decode(), newline="")))
        self.check("CSV: a row for each model and NPU", len(rows) == len(names) * usual, len(rows))
        plain = {re.sub(r"[\x00-\x1f]", " ", "odd/" + name) for name in names}
        self.check("CSV: names", {row["model"] for row in rows} == plain, {row["model"] for row in rows})
        self.check("CSV: status", {row["status"] for row in rows} == {"OK"}, {row["status"] for row in rows})
        models = json.loads(self.call("check", "odd", "--json").stdout)["models"]
        self.check("JSON: names as they are", {m["title"] for m in models} == {"odd/" + n for n in names}, models[0])
        for form in ((), ("--markdown",)):
            lines = self.call("check", "odd", *form).stdout.decode().splitlines()
            self.check(f"{form or 'text'}: a line each", sum("odd/" in line for line in lines) == len(names), lines)
        for name in names:
            self.every_form("odd/" + name, ())
            page = Page()
            page.feed((self.folder / "form.html").read_text("utf-8"))
            self.check(f"HTML of {name!r}: text alone", page.open == [] and page.active == [], (page.open, page.active))

    def folder_of_models(self):
        shutil.rmtree(self.folder / "many", ignore_errors=True)
        good, bad = tiny.add_model(), {"many/broken.tflite": b"TFL3" * 9, "many/deep/er/empty.tflite": b""}
        for i in range(9):
            self.write(f"many/good{i}.tflite", good)
        self.write("many/deep/also.circle", good)
        self.write("many/read.me", b"no model")
        for name, content in bad.items():
            self.write(name, content)
        return 12, len(bad)

    def test_many(self):
        n, n_bad = self.folder_of_models()
        usual = len(self.usual())
        r = self.call("check", "many", "--csv")
        rows = list(csv.DictReader(io.StringIO(r.stdout.decode())))
        self.check(
            "a folder: every model has a row",
            len({row["model"] for row in rows}) == n,
            sorted({row["model"] for row in rows}),
        )
        self.check("a folder: a row for each NPU", len(rows) == (n - n_bad) * usual + n_bad, len(rows))
        self.check(
            "no row has too many or too few cells",
            all(None not in row and None not in row.values() for row in rows),
            rows[:2],
        )
        self.check("the exit code is the worst", r.returncode == 3, r.returncode)
        broken = [row for row in rows if row["status"] != "OK"]
        self.check(
            "broken models say why",
            len(broken) == n_bad and all(row["rule"] and row["message"] for row in broken),
            broken,
        )
        r = self.call("check", "many", "add.tflite", "gone.tflite", "--json")
        models = json.loads(r.stdout)["models"]
        self.check(
            "JSON: all of them", len(models) == n + 2 and sum("error" in m for m in models) == n_bad + 1, models[-1]
        )
        self.check("JSON: a file that is not there", models[-1].get("error", {}).get("rule") == "cli.read", models[-1])
        for form in ((), ("--markdown",)):
            lines = self.call("check", "many", *form).stdout.decode().splitlines()
            self.check(f"{form or 'text'}: a line each", sum("many/" in line for line in lines) == n, lines)
        self.expect("a folder without models", 2, "check", self.empty_folder(), err=["nothing", ".tflite"])
        self.expect("--html of many", 2, "check", "many", "--html", "x.html", err=["one model"])
        self.expect("--strict of many", 2, "check", "many", "--strict", err=["--strict"])
        self.expect(
            "--csv with one backend by its rules",
            2,
            "check",
            "add.tflite",
            "--csv",
            "--rules",
            "published",
            err=["--rules"],
        )
        self.expect("--markdown and --csv", 2, "check", "many", "--markdown", "--csv", err=["--csv"])
        self.expect(
            "--sram with one backend", 2, "check", "add.tflite", "--backend", "neuron", "--sram", "9", err=["--sram"]
        )
        self.expect(
            "--clock with one backend",
            2,
            "check",
            "add.tflite",
            "--backend",
            "mdla2.0",
            "--clock",
            "9",
            err=["--clock"],
        )
        self.expect("--clock of nothing", 2, "check", "add.tflite", "--clock", "0", err=["--clock"])
        self.expect("an unknown NPU among others", 2, "check", "add.tflite", "--backend", "neuron,tpu", err=["tpu"])

    def empty_folder(self):
        (self.folder / "nothing").mkdir(exist_ok=True)
        return "nothing"

    def test_jobs(self):
        if self.wasi:
            print("left out: --jobs (one process under WASI)")
            return
        self.folder_of_models()
        for form in ("--csv", "--json", "--markdown"):
            alone = self.call("check", "many", form)
            for jobs in (2, 5, 40):
                r = self.call("check", "many", form, "--jobs", jobs)
                self.check(
                    f"--jobs {jobs} {form}: the same rows",
                    (r.stdout, r.returncode) == (alone.stdout, alone.returncode),
                    r.stdout[:300],
                )
        self.expect("--jobs 0", 2, "check", "many", "--jobs", "0", err=["--jobs"])
        self.lost()

    def lost(self):
        """A process that ends in the middle of a model: one row says so, all others are there."""
        fifo = self.folder / "many" / "m.tflite"
        os.mkfifo(fifo)
        p = subprocess.Popen(
            [*self.prefix, "check", "many", "--csv", "--jobs", "2"],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        reader = None
        end = time.monotonic() + 30
        while reader is None and time.monotonic() < end:  # the process that waits for the pipe's writer
            for child in Path(f"/proc/{p.pid}/task/{p.pid}/children").read_text().split():
                state = Path(f"/proc/{child}/wchan").read_text() if os.access(f"/proc/{child}/wchan", os.R_OK) else ""
                if "wait_for_partner" in state or "fifo_open" in state:
                    reader = int(child)
            time.sleep(0.05)
        if reader is None:  # kernels that do not say where a process waits: it is the one that has not ended
            children = Path(f"/proc/{p.pid}/task/{p.pid}/children").read_text().split()
            reader = int(children[0])
        os.kill(reader, signal.SIGKILL)
        out, _ = p.communicate(timeout=60)
        fifo.unlink()
        rows = list(csv.DictReader(io.StringIO(out.decode())))
        gone = [row for row in rows if row["rule"] == "check.lost"]
        self.check("a lost process: one row", len(gone) == 1, gone)
        self.check(
            "a lost process: the others go on",
            len({row["model"] for row in rows}) == 13 and p.returncode == 3,
            (len(rows), p.returncode),
        )


if __name__ == "__main__":
    sys.exit(kit.main(Tests))
