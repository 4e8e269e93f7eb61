#!/usr/bin/env python3
"""What the house rules of src/README.md say in numbers, and that comments cite files that exist.

No file of src/, wasi/ and web/*.mjs exceeds 500 lines (but for src/npu.h, the manual) and no function 60; every file begins by
saying what it is; a file that a comment names is there. Also proves that each check sees what it looks for."""

import ast
import glob
import io
import os
import re
import subprocess
import sys
import tokenize

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MAX_FILE, MAX_FUNCTION = 500, 60
LONG_FILES = {"src/npu.h"}  # the public header is documentation
C_TOKEN = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|/\*.*?\*/|//[^\n]*", re.S)
CITED = re.compile(r"(?<![\w./*<%-])((?:[\w.-]+/)*\w[\w.-]*\.(?:c|h|mjs|py|html|css|md))(?![\w*])")
MADE = {"npu_rt.h", "border.mjs", "digits_model.h"}  # by ./amalgamate, make web, tests/compile/emscripten.py
# Headers of libc and of compilers.
FOREIGN = re.compile(r"^(std\w+|string|math|pthread|arm_neon|getopt|NeuralNetworks)\.h$")


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def sources():
    """What the size rules hold for."""
    found = [p for folder in ("src", "wasi") for p in glob.glob(folder + "/**/*.[ch]", recursive=True)]
    return sorted([*found, *glob.glob("web/*.mjs")])


def comments(path, text):
    """(line, text) of each comment; of Python, also of docstrings."""
    if path.endswith((".c", ".h", ".mjs")):
        for m in C_TOKEN.finditer(text):
            if m.group(0).startswith("/"):
                yield text.count("\n", 0, m.start()) + 1, m.group(0)
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
            yield node.body[0].lineno, ast.get_docstring(node)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def c_functions(text):
    """(line, lines) of each definition: what begins and ends in the first column."""
    start, lines = None, text.split("\n")
    for i, line in enumerate(lines, 1):
        if re.match(r"[A-Za-z_]", line) and not line.rstrip().endswith((";", "\\")) and start is None:
            start = i
        if line.startswith("}") and start is not None:
            if line == "}" and "(" in "".join(lines[start - 1 : i]).partition("{")[0]:
                yield start, i - start + 1
            start = None
        elif start is not None and line.rstrip().endswith(";") and not line.startswith((" ", "\t")):
            start = None  # a declaration


def mjs_functions(text):
    """(line, lines) of functions, methods and arrow functions with a body, which end at their own indentation."""
    lines = text.split("\n")
    begins = re.compile(
        r"^\s*(?:.*\bfunction\b.*|(?!(?:if|for|while|switch|catch|do|else)\b)(?:static |async |get |set |\*)*#?\w+\(.*\)|.*=>) \{$"
    )
    for i, line in enumerate(lines):
        if not begins.match(line):
            continue
        indent = len(line) - len(line.lstrip())
        for k in range(i + 1, len(lines)):
            if lines[k].strip() and len(lines[k]) - len(lines[k].lstrip()) <= indent:
                if lines[k].lstrip().startswith("}"):
                    yield i + 1, k - i + 1
                break


def too_long(path, text):
    if path not in LONG_FILES and text.count("\n") > MAX_FILE:
        yield "%s has %d lines: at most %d" % (path, text.count("\n"), MAX_FILE)
    for line, n in (mjs_functions if path.endswith(".mjs") else c_functions)(text):
        if n > MAX_FUNCTION:
            yield "%s:%d: a function of %d lines: at most %d" % (path, line, n, MAX_FUNCTION)


def headless(path, text):
    text = re.sub(r"\A#!.*\n", "", text)
    if not text.startswith(("/*", "//")):
        yield "%s:1: no comment says what this file is" % path


def missing(path, text, files):
    """Files that comments name and nobody has: a name is a path, or the end of one."""
    for line, comment in comments(path, text):
        for name in CITED.findall(comment):
            if os.path.basename(name) in MADE or "NAME" in name or FOREIGN.match(name):
                continue
            ends = "/" + re.sub(r"^(\.{1,2}/)+", "", name)
            if not any(("/" + f).endswith(ends) for f in files):
                yield "%s:%d: there is no %s" % (path, line, name)


def self_test():
    long = "int f(void) {\n%s}\n"
    cases = [
        (list(too_long("src/a.c", "x\n" * 501)) == ["src/a.c has 501 lines: at most 500"], "a long file"),
        (not list(too_long("src/a.c", "x;\n" * 500)), "a file of 500 lines"),
        (len(list(too_long("src/a.c", long % ("    f();\n" * 59)))) == 1, "a function of 61 lines"),
        (not list(too_long("src/a.c", long % ("    f();\n" * 58))), "a function of 60 lines"),
        (
            len(list(too_long("src/a.c", "int\nf(void)\n{\n%s}\n" % ("    f();\n" * 60)))) == 1,
            "a head of several lines",
        ),
        (
            len(list(too_long("src/a.c", "int g(int a,\n      int b) {\n%s}\n" % ("    f();\n" * 60)))) == 1,
            "a long head",
        ),
        (not list(too_long("src/a.c", "struct a {\n%s};\n" % ("    int x;\n" * 90))), "a long struct"),
        (len(list(too_long("web/a.mjs", "export function f() {\n%s}\n" % ("  f();\n" * 60)))) == 1, "a long function"),
        (
            len(list(too_long("web/a.mjs", "class A {\n  g(x) {\n%s  }\n}\n" % ("    f();\n" * 60)))) == 1,
            "a long method",
        ),
        (not list(too_long("web/a.mjs", "class A {\n%s}\n" % ("  f() {\n    g();\n  }\n" * 30))), "a long class"),
        (list(headless("src/a.c", "int x;\n")) and not list(headless("src/a.c", "/* a */\n")), "a file without a head"),
        (len(list(missing("a.c", "/* see lost.c and there.c */", ["src/there.c"]))) == 1, "a file that is not there"),
        (not list(missing("a.c", '#include "lost.h"\nchar x[] = "lost.c"; /* npu_rt.h */', [])), "no comment"),
        (len(list(missing("a.py", '"""lost.py"""\nx = """not.c"""  # gone.c\n', []))) == 2, "a docstring"),
        (not list(missing("a.c", "/* op_*.c, *.h, a.cpp, cmd_NAME.c, %s/a.c */", [])), "a pattern"),
    ]
    return ["self-test: %s" % what for ok, what in cases if not ok], len(cases)


def main():
    os.chdir(REPO)
    files = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True
    ).stdout.split("\n")
    files = [f for f in files if f]
    wrong, seen = self_test()
    for path in sources():
        text = read(path)
        wrong += [*too_long(path, text), *headless(path, text)]
        seen += 1
    for path in files:
        if (
            path.endswith((".c", ".h", ".mjs", ".py"))
            and path.startswith(("src/", "wasi/", "web/", "tests/"))
            and os.path.exists(path)
        ):
            wrong += missing(path, read(path), files)
            seen += 1
    if seen < 300:
        wrong.append("only %d files were looked at" % seen)
    for line in wrong:
        print("FAIL " + line)
    print("house rules: %d passed, %d failed" % (max(seen - len(wrong), 0), len(wrong)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
