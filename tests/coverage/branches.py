"""Joins what several programs saw of the same sources, from `llvm-cov export`, and reads exceptions.txt.

A branch is one outcome (true or false) of a condition at a place in a function. Conditions inside of macros count at
every place where the macro is used."""

import collections
import os

Place = collections.namedtuple("Place", "file function at")  # at: where it stands, outermost macro first

EXPANSION = 1  # kind of a region in llvm-cov's JSON


def folder_of(file):
    """Layers are one folder each; a vendor's are looked at one by one."""
    return os.path.dirname(file) if file.startswith("vendor" + os.sep) else file.split(os.sep)[0]


class Union:
    def __init__(self, root):
        self.root = root + os.sep
        self.lines = collections.defaultdict(dict)  # file: {line: count}
        self.branches = {}  # Place: [true count, false count]
        self.mcdc = {}  # Place: [condition shown to matter, ...]
        self.sources = {}

    def add(self, functions):
        for f in functions:
            if f["filenames"][0].startswith(self.root):
                self._function(f)

    def _function(self, f):
        name = f["name"].rsplit(":", 1)[-1].rsplit(";", 1)[-1]
        file = f["filenames"][0][len(self.root) :]
        sites, files = {0: ()}, f["filenames"]
        regions = f["regions"]
        for _ in range(8):  # macros inside of macros; an expansion may be listed after what it holds
            for ls, cs, le, ce, _count, file_id, expanded, kind in regions:
                if kind == EXPANSION and file_id in sites and expanded not in sites:
                    sites[expanded] = sites[file_id] + ((files[file_id], ls, cs, le, ce),)
        self._lines(file, [r for r in regions if r[5] == 0 and r[7] == 0])
        for b in f.get("branches", ()):
            ls, cs, le, ce, yes, no, file_id = b[:7]
            place = Place(file, name, sites.get(file_id, ()) + ((files[file_id], ls, cs, le, ce),))
            have = self.branches.setdefault(place, [0, 0])
            have[0] += yes
            have[1] += no
        for m in f.get("mcdc_records", ()):
            shown = m[-1]
            place = Place(file, name, tuple(m[:4]) + tuple(x for x in m[4:-1] if isinstance(x, int)))
            have = self.mcdc.setdefault(place, [False] * len(shown))
            for i, x in enumerate(shown):
                have[i] = have[i] or bool(x)

    def _lines(self, file, regions):
        """A line counts as often as the innermost region over it; outer ones are written first."""
        mine = {}
        for ls, _cs, le, _ce, count, *_ in sorted(regions, key=lambda r: (r[0], r[1], -r[2], -r[3])):
            for line in range(ls, le + 1):
                mine[line] = max(count, mine[line]) if line == ls and line in mine else count
        for line, count in mine.items():
            self.lines[file][line] = self.lines[file].get(line, 0) + count

    def text(self, span):
        path, ls, cs, le, ce = span
        if path not in self.sources:
            with open(path, errors="replace") as f:
                self.sources[path] = f.read().split("\n")
        rows = self.sources[path][ls - 1 : le]
        rows[-1] = rows[-1][: ce - 1]
        rows[0] = rows[0][cs - 1 :]
        return " ".join(" ".join(rows).split())

    def labels(self):
        """{Place: source text}; the second one of the same text in a function ends in #2."""
        found, out = collections.Counter(), {}
        for place in sorted(self.branches):
            text = " => ".join(self.text(s) for s in place.at[-2:] if s[0])
            key = (place.file, place.function, text)
            found[key] += 1
            out[place] = text if found[key] == 1 else "%s #%d" % (text, found[key])
        return out

    def untaken(self):
        """{(file, function, text, "true"|"false"): line} of the branches that no test takes, and the set of all of them."""
        labels, missing, every = self.labels(), {}, set()
        for place, counts in self.branches.items():
            for outcome, count in zip(("true", "false"), counts):
                key = (place.file, place.function, labels[place], outcome)
                every.add(key)
                if not count:
                    missing[key] = place.at[0][1]
        return missing, every

    def missing(self, excepted):
        missing, _ = self.untaken()
        rows = sorted((k[0], line, k) for k, line in missing.items() if k not in excepted)
        return ["%s | %s | %s | %s  (line %d)" % (*k, line) for _, line, k in rows]

    def summary(self, excepted):
        total = collections.defaultdict(lambda: {k: [0, 0] for k in ("lines", "branches", "mcdc")})
        missing, every = self.untaken()

        def count(file, what, taken):
            for folder in (folder_of(file), "all"):
                total[folder][what][0] += bool(taken)
                total[folder][what][1] += 1

        for file, lines in self.lines.items():
            for n in lines.values():
                count(file, "lines", n)
        for key in every:
            if key not in excepted:
                count(key[0], "branches", key not in missing)
        for place, shown in self.mcdc.items():
            for x in shown:
                count(place.file, "mcdc", x)
        rows = []
        for folder in sorted(total, key=lambda f: (f == "all", f)):
            row = {"folder": folder}
            for what, (taken, of) in total[folder].items():
                row[what] = {"taken": taken, "of": of, "percent": 100.0 * taken / of if of else 100.0}
            rows.append(row)
        return rows


def exceptions(path, seen, all_ran):
    """The branches that a line of the file excuses, and what is wrong with the file. A line: file | function | condition |
    true or false | why it cannot be taken. Whether a branch is taken is known only when all tests ran."""
    missing, every = seen.untaken()
    excepted, problems = set(), []
    with open(path) as f:
        for number, line in enumerate(f, 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            parts = line.split(" | ")
            where = "exceptions.txt:%d: " % number
            if len(parts) != 5 or parts[3] not in ("true", "false") or len(parts[4]) < 12:
                problems.append(where + "want: file | function | condition | true or false | reason")
                continue
            key = tuple(parts[:4])
            if key not in every:
                problems.append(where + "no such branch: " + " | ".join(key))
            elif key not in missing and all_ran:
                problems.append(where + "a test takes this branch: " + " | ".join(key))
            elif key in excepted:
                problems.append(where + "listed twice: " + " | ".join(key))
            else:
                excepted.add(key)
    return excepted, problems
