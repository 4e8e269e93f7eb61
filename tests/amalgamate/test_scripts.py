#!/usr/bin/env python3
"""On a fresh machine a script is read before tests/setup has installed its tools: none may look for one that early.

Module level of every script under tests/ (what runs at import) starts no process and asks for no program; the Makefile,
which is read before any of its rules runs, calls with $(shell) only what every machine has. Also proves that both checks see what they look for."""

import ast
import glob
import os
import re
import sys

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ASKS = {
    "which",
    "run",
    "call",
    "check_call",
    "check_output",
    "Popen",
    "getoutput",
    "getstatusoutput",
    "system",
    "popen",
    "access",
    "exists",
    "isfile",
    "find_executable",
}
OF = {"shutil", "subprocess", "os", "path", "distutils", "spawn"}


def early(tree):
    """(line, call) of everything at import that asks for a file or a program."""
    todo = list(tree.body)
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            todo += [*node.args.defaults, *filter(None, node.args.kw_defaults), *getattr(node, "decorator_list", [])]
            continue
        if isinstance(node, ast.If) and "__name__" in ast.dump(node.test):
            continue  # what a script does when it is run
        if isinstance(node, ast.Call):
            f = node.func
            name = f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", "")
            owner = f.value if isinstance(f, ast.Attribute) else None
            owner = getattr(owner, "attr", getattr(owner, "id", None))
            if name in ASKS and (owner in OF or isinstance(f, ast.Name)):
                yield node.lineno, name
        todo += ast.iter_child_nodes(node)


def scripts():
    for path in [
        *(os.path.join(REPO, "tests", name) for name in ("run", "case")),
        *glob.glob(os.path.join(REPO, "tests", "**", "*.py"), recursive=True),
    ]:
        with open(path, encoding="utf-8") as f:
            yield os.path.relpath(path, REPO), f.read()


def shells(text):
    """Lines of a Makefile that run something while it is read."""
    return [
        n
        for n, line in enumerate(text.splitlines(), 1)
        if not line.startswith(("\t", "#")) and re.search(r"\$\(shell (?!(cat|sed|uname) )|!=", line)
    ]


def main():
    wrong, seen = [], 0
    for name, text in sorted(scripts()):
        seen += 1
        wrong += [
            "%s:%d: %s() at import: tests/setup has not run yet" % (name, *found) for found in early(ast.parse(text))
        ]
    with open(os.path.join(REPO, "Makefile")) as f:
        wrong += ["Makefile:%d: runs a program while it is read" % n for n in shells(f.read())]
    seen += 1
    bad = [
        "C = shutil.which('clang-19') or 'clang'",
        "if True:\n    X = subprocess.run(['a'])",
        "class A:\n    c = which('a')",
        "def f(x=shutil.which('a')):\n    pass",
        "A = [p for p in b if os.path.exists(p)]",
    ]
    good = [
        "def f():\n    return shutil.which('a')",
        "if __name__ == '__main__':\n    subprocess.run(['a'])",
        "A = lambda: shutil.which('a')",
        "B = os.path.join('a', 'b')",
    ]
    for text, expected in [(t, True) for t in bad] + [(t, False) for t in good]:
        seen += 1
        if bool(list(early(ast.parse(text)))) != expected:
            wrong.append("self-test: %r is %s" % (text, "missed" if expected else "taken for a lookup"))
    seen += 1
    if shells("A := $(shell which a)\nB := $(shell sed 1q b)\n\t$(shell a)\nC != a\n") != [1, 4]:
        wrong.append("self-test: $(shell) is missed")
    for line in wrong:
        print("FAIL " + line)
    print("scripts: %d passed, %d failed" % (seen - len(wrong) if len(wrong) < seen else 0, len(wrong)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
