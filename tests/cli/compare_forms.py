"""A comparison's forms, read back: rows by NPU, each with the cells that all forms have, and what JSON says that they should hold."""

import html.parser
import re

NAMES = ["npu", "rules", "ops", "macs", "partitions", "switches", "time", "fast", "slow", "relaxed"]
RELAXED = re.compile(r"--relax-fp32: (\d+)")


def read_text(text):
    """The table stands before the first empty line; two spaces or more separate its cells."""
    rows = [re.split(r" {2,}", line.strip()) for line in text.split("\n\n")[0].split("\n")[1:]]
    return [dict(zip(NAMES, row + [""] * (len(NAMES) - len(row)))) for row in rows]


def read_markdown(text):
    lines = [line.strip("|").split("|") for line in text.split("\n") if line.startswith("|")]
    heads = [cell.strip() for cell in lines[0]]
    rows = []
    for line in lines[2:]:
        cells = [cell.strip() for cell in line]
        row = dict(zip(NAMES, cells[: len(heads) - 1]))
        rows.append({"relaxed": "", **row, "reasons": cells[-1]})
    return rows


class Tables(html.parser.HTMLParser):
    """Every table as rows of cells; what <br> and <small> begin is a part of its own."""

    def __init__(self):
        super().__init__()
        self.tables, self.cell = [], None

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.cell = [""]
            self.tables[-1][-1].append(self.cell)
        elif tag == "br" and self.cell is not None:
            self.cell.append("")

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.cell = None

    def handle_data(self, data):
        if self.cell is not None:
            self.cell[-1] += data


def read_html(page):
    tables = Tables()
    tables.feed(page)
    rows = []
    for (npu, rules), ops, macs, partitions, switches, time, fast, slow, reasons in tables.tables[0][1:]:
        fits = {"fits": ", fits", "more": ", TOO MUCH"}.get(fast[1].split()[0] if len(fast) > 1 else "", "")
        row = [
            npu,
            rules.removeprefix("rules "),
            ops[0],
            macs[0],
            partitions[0],
            switches[0],
            time[0],
            fast[0] + fits,
            slow[0],
        ]
        found = RELAXED.search("".join(ops[1:]))
        relaxed = "--relax-fp32: %s of %s" % (found[1], ops[0].split()[-1]) if found else ""
        rows.append({**dict(zip(NAMES, [*row, relaxed])), "reasons": reasons})
    return rows, tables.tables[1][1:]


def near(cell, value, unit):
    """A number that was rounded to two digits behind the point, or to six digits in all."""
    if not cell.endswith(unit):
        return False
    got = float(cell[: -len(unit)].removeprefix(">= "))
    return abs(got - value) <= max(0.0051, 2e-5 * abs(value))


def near_bytes(cell, n):
    for k, unit in enumerate((" B", " KiB", " MiB", " GiB", " TiB")):
        if n < 1024 ** (k + 1) or k == 4:
            return near(cell, n / 1024**k, unit)
    return False


def wrong(row, npu):
    """Which cell does not say what JSON does; None: all do."""
    unknown = "unknown" if npu["ops_placed"] else "-"
    estimate, bound, more = npu["estimate"], npu["lower_bound"], npu["with_relax_fp32"]
    plain = {
        "npu": npu["backend"],
        "rules": npu["profile"],
        "ops": "%d of %d" % (npu["ops_placed"], npu["ops"]),
        "partitions": str(npu["partitions"]),
        "switches": str(npu["switches"]),
        "relaxed": "--relax-fp32: %d of %d" % (more["ops_placed"], npu["ops"]) if more else "",
    }
    for name, want in plain.items():
        if row[name] != want:
            return name
    if row["macs"] != "-" if not npu["macs"] else not near(row["macs"], 100 * npu["macs_placed"] / npu["macs"], " %"):
        return "macs"
    fast = row["fast"].split(", ")
    if estimate:
        words = {None: [], True: ["fits"], False: ["TOO MUCH"]}[npu["fits"]]
        slow, store = row["slow"].rsplit(" ", 1)
        ok = near(row["time"], 1e3 * estimate["seconds"], " ms") and near_bytes(fast[0], estimate["sram_bytes"])
        ok = ok and fast[1:] == words and near_bytes(slow, estimate["store_bytes"]) and store == estimate["store"]
        return None if ok and not bound else "estimate"
    if bound:
        if bound["seconds"] is not None and bound["cycles"]:
            ok = row["time"].startswith(">= ") and near(row["time"], 1e3 * bound["seconds"], " ms")
        else:
            ok = row["time"] == (">= {:,} cycles".format(bound["cycles"]) if bound["cycles"] else unknown)
        ok = (
            ok
            and row["slow"].startswith(">= ")
            and near_bytes(row["slow"].removesuffix(" moved"), bound["external_bytes"])
        )
        return None if ok and fast == ["unknown"] else "lower bound"
    return None if [row["time"], *fast, row["slow"]] == [unknown] * 3 else "figures that nobody knows"
