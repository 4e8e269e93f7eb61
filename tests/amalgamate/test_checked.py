#!/usr/bin/env python3
"""No number that a file chose is multiplied, or shifted left, without a reason why the result fits.

Reads src/npu_rt.c with libclang as a compiler for i686 does (size_t has 32 bits, as on wasm32: the strictest case), and
looks at every `*`, `*=`, `<<` and `<<=` on integers, macros expanded. Each one must be

  proven    the bits of its operands cannot give more than its type holds. An operand has the bits of its type before
            promotion, or of its value, mask, modulus, divisor or shift where that is constant. Or it must be
  bounded   a comment "bounded: why" stands on a line of the statement or above it; "bounded, here and below: why" holds
            to the end of the function. For unsigned types "wraps: why" says that it may.

All else fails. A computation on unbounded numbers belongs into base/checked.h (npu__try_mul, npu__try_mad, npu__sat_mul,
npu__mul_size), which this script does not look at, no more than it looks at sums: what is added was multiplied before,
or counts things that memory holds.

src/kernels and src/ops are not in the lists. Shapes that get there have passed one gate: a tensor has at most
max_tensor_bytes (2^31 by default), so its dimensions, their products and the offsets of its elements fit.

    test_checked.py [--list FOLDER]     prints what is not explained in a folder, also in one that is only counted
"""

import argparse
import ctypes
import os
import re
import subprocess
import sys

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ENFORCED = [
    "src/vendor/ethosu/device",
    "src/vendor/ethosu/stream",
    "src/vendor/ethosu/compiled.c",
    "src/vendor/ethosu/list.c",
    "src/vendor/ethosu/cost/cost_graph.c",
    "src/vendor/ethosu/cost/cost_walk.c",
    "src/vendor/neuron",
    "src/vendor/mdla",
    "src/tflite",
    "src/graph",
    "src/plan",
    "src/run",
    "src/api",
    "src/legal",
]
COUNTED = ["src/vendor"]

try:
    import clang.cindex as ci
except ImportError:  # libclang is in the tests' own environment, which tests/setup makes
    venv = os.path.join(REPO, "build", "tools", "venv", "bin", "python")
    if sys.executable == venv:
        raise
    os.execv(venv, [venv, *sys.argv])

K, T = ci.CursorKind, ci.TypeKind
MUL, DIV, REM, ADD, SUB, SHL, SHR = range(3, 10)  # CXBinaryOperatorKind
AND, OR_, ASSIGN, MUL_ASSIGN, SHL_ASSIGN, COMMA = 17, 19, 22, 23, 28, 33
SIGNED = {T.CHAR_S, T.SCHAR, T.SHORT, T.INT, T.LONG, T.LONGLONG}
UNSIGNED = {T.BOOL, T.CHAR_U, T.UCHAR, T.USHORT, T.UINT, T.ULONG, T.ULONGLONG, T.ENUM}
COMMENT = re.compile(r"/\*.*?\*/", re.S)

lib = ci.conf.lib
lib.clang_getCursorBinaryOperatorKind.argtypes, lib.clang_getCursorBinaryOperatorKind.restype = (
    [ci.Cursor],
    ctypes.c_int,
)
lib.clang_Cursor_Evaluate.argtypes, lib.clang_Cursor_Evaluate.restype = [ci.Cursor], ctypes.c_void_p
lib.clang_EvalResult_getKind.argtypes, lib.clang_EvalResult_getKind.restype = [ctypes.c_void_p], ctypes.c_int
lib.clang_EvalResult_getAsLongLong.argtypes = [ctypes.c_void_p]
lib.clang_EvalResult_getAsLongLong.restype = ctypes.c_longlong
lib.clang_EvalResult_dispose.argtypes, lib.clang_EvalResult_dispose.restype = [ctypes.c_void_p], None


# ---- how large an expression can be ------------------------------------------------------------------------------------


def type_bits(t):
    """(can be negative, bits without the sign) of an integer type; None for others."""
    t = t.get_canonical()
    if t.kind in SIGNED:
        return True, 8 * t.get_size() - 1
    if t.kind in UNSIGNED:
        return False, 1 if t.kind == T.BOOL else 8 * t.get_size()
    return None


def constant(e):
    """The value of a constant integer expression, or None."""
    result = lib.clang_Cursor_Evaluate(e)
    if not result:
        return None
    value = lib.clang_EvalResult_getAsLongLong(result) if lib.clang_EvalResult_getKind(result) == 1 else None
    lib.clang_EvalResult_dispose(result)
    return value


def operands(e):
    return [c for c in e.get_children() if c.kind.is_expression()]


def convert(x, t):
    """What a value of range x can be after conversion to type t, whose range this is."""
    if x is None or t is None:
        return t
    if x[0] and not t[0]:
        return t  # a negative number becomes a large one
    return (x[0], x[1]) if x[1] <= t[1] else t


def binary(e, t):
    op, (a, b) = lib.clang_getCursorBinaryOperatorKind(e), operands(e)
    x, y, k = size(a), size(b), constant(b)
    if x is None or y is None:
        return t
    if op == AND and not (x[0] and y[0]):
        return False, min([v[1] for v in (x, y) if not v[0]])
    if op == REM and k:
        return x[0], min(x[1], (abs(k) - 1).bit_length())
    if op == DIV and k:
        return x[0] or k < 0, max(0, x[1] - abs(k).bit_length() + 1)
    if op == SHR and k is not None:
        return x[0], max(int(x[0]), x[1] - k)
    if op == MUL:
        r = x[0] or y[0], x[1] + y[1]
    elif op == SHL and k is not None:
        r = x[0], x[1] + k
    elif op == ADD or (op == SUB and t[0]):
        r = x[0] or y[0] or op == SUB, max(x[1], y[1]) + 1
    elif AND <= op <= OR_ and not x[0] and not y[0]:
        r = False, max(x[1], y[1])
    elif op in (ASSIGN, COMMA):
        r = y
    elif 10 <= op <= 16 or op in (20, 21):  # comparisons, && and ||
        r = False, 1
    else:
        return t
    return convert(r, t)


def size(e):
    """(can be negative, bits) of an expression."""
    t = type_bits(e.type)
    if t is None:
        return None
    k = constant(e)
    if k is not None:
        return k < 0, abs(k).bit_length()
    inner = operands(e)
    if e.kind in (K.UNEXPOSED_EXPR, K.PAREN_EXPR, K.CSTYLE_CAST_EXPR) and len(inner) == 1:
        return convert(size(inner[0]), t)
    if e.kind == K.CONDITIONAL_OPERATOR and len(inner) == 3:
        a, b = size(inner[1]), size(inner[2])
        return convert((a[0] or b[0], max(a[1], b[1])), t) if a and b else t
    if e.kind == K.BINARY_OPERATOR and len(inner) == 2:
        return binary(e, t)
    return t


def bare(e):
    """Without parentheses and implicit conversions."""
    while e.kind in (K.UNEXPOSED_EXPR, K.PAREN_EXPR) and len(operands(e)) == 1:
        e = operands(e)[0]
    return e


def fits(e, op):
    """Does a product or a shifted number fit, whatever its operands are?"""
    (a, b), t = operands(e), type_bits(e.type)
    if constant(e) is not None:
        return True
    quotient = bare(a)
    if op == MUL and quotient.kind == K.BINARY_OPERATOR and lib.clang_getCursorBinaryOperatorKind(quotient) == DIV:
        if constant(b) and constant(b) == constant(operands(quotient)[1]):
            return True  # x / 8 * 8
    x = size(a)
    if op in (SHL, SHL_ASSIGN):
        k = constant(b)
        y = (False, k) if k is not None and k >= 0 else (False, 1 << min(size(b)[1], 10))
    else:
        y = size(b)
    if x[0] and not t[0]:
        return False
    return x[1] + y[1] + (x[0] and y[0]) <= t[1]


# ---- what the source says ----------------------------------------------------------------------------------------------


class Notes:
    """Comments of one file: lines where something is explained, and lines from which on it is."""

    def __init__(self, text):
        self.lines = {"bounded": set(), "wraps": set()}
        self.below = []
        for m in COMMENT.finditer(text):
            first, last = text.count("\n", 0, m.start()) + 1, text.count("\n", 0, m.end()) + 1
            alone = not text[text.rfind("\n", 0, m.start()) + 1 : m.start()].strip()
            for word, where in self.lines.items():
                if re.search(r"\b%s\b[^:]*: *\w" % word, m.group(), re.S):
                    where.update(range(first, last + 1 + alone))
            if re.search(r"bounded, here and below: *\w", m.group(), re.S):
                self.below.append(first)

    def explain(self, first, last, function_first, unsigned):
        span = range(first, last + 1)
        return (
            any(n in self.lines["bounded"] for n in span)
            or (unsigned and any(n in self.lines["wraps"] for n in span))
            or any(function_first <= n <= last for n in self.below)
        )


class Lint:
    def __init__(self, folders):
        self.folders, self.notes, self.found = (
            folders,
            {},
            {f: [0, 0, []] for f in folders},
        )  # proven, explained, neither
        self.functions = {f: 0 for f in folders}

    def folder_of(self, path):
        path = os.path.relpath(path, REPO)
        return next((f for f in self.folders if (path + os.sep).startswith(f + os.sep)), None)

    def see(self, e, op, folder, statement, function):
        path, last, mine = e.location.file.name, e.extent.end.line, self.found[folder]
        t = type_bits(e.type)
        if t is None:
            return  # floats
        if path not in self.notes:
            with open(path) as f:
                self.notes[path] = Notes(f.read())
        if fits(e, op):
            mine[0] += 1
        elif self.notes[path].explain(statement, last, function, not t[0]):
            mine[1] += 1
        else:
            mine[2].append((os.path.relpath(path, REPO), e.extent.start.line))

    def walk(self, e, folder, statement, function):
        if e.kind in (K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR):
            op = lib.clang_getCursorBinaryOperatorKind(e)
            if op in (MUL, SHL, MUL_ASSIGN, SHL_ASSIGN):
                self.see(e, op, folder, statement, function)
        for c in e.get_children():
            first = c.extent.start.line if e.kind in (K.COMPOUND_STMT, K.CASE_STMT, K.DEFAULT_STMT) else statement
            self.walk(c, folder, first, function)

    def file(self, path, unsaved=None):
        resources = subprocess.run(["clang-19", "-print-resource-dir"], stdout=subprocess.PIPE, text=True, check=True)
        flags = [
            "--target=i686-linux-gnu",
            "-std=c99",
            "-D_POSIX_C_SOURCE=200809L",
            "-DNPU_RT_BACKEND_ALL",
            "-DNPU_RT_GRAPH",
            "-DNPU_RT_THREADS",
            "-DNPU_RT_NO_SIMD",
            "-isystem",
            resources.stdout.strip() + "/include",
            "-isystem",
            "/usr/include/x86_64-linux-gnu",
        ]
        unit = ci.Index.create().parse(path, flags, unsaved_files=unsaved)
        errors = [str(d) for d in unit.diagnostics if d.severity >= ci.Diagnostic.Error]
        if errors:
            sys.exit("test_checked: %s" % "\n".join(errors[:5]))
        for e in unit.cursor.get_children():
            folder = (
                e.kind == K.FUNCTION_DECL
                and e.is_definition()
                and e.location.file
                and self.folder_of(e.location.file.name)
            )
            if folder:
                self.functions[folder] += 1
                self.walk(e, folder, e.extent.start.line, e.extent.start.line)
        return self


# ---- does it find what it must, and nothing else? -----------------------------------------------------------------------

SELF_TEST = """#include <stdint.h>
#include <stddef.h>
#define TWICE(x) ((x) * 2)
typedef struct { int32_t n; uint16_t small; } thing;
int32_t a(int32_t x, int32_t y) { return x * y; } /*BAD*/
int64_t b(int32_t x, int32_t y) { return (int64_t)x * y; }
int64_t c(int64_t x) { return x * 3; } /*BAD*/
size_t d(int32_t n) { return (size_t)n * sizeof(int32_t); } /*BAD*/
size_t e(const thing *t) { return t->small * sizeof *t; }
int32_t f(uint32_t x) { return (int32_t)(x & 1023u) * 1024; }
uint32_t g(uint32_t x) { return x << 1; } /*BAD*/
int32_t h(uint8_t x) { return 1 << x; } /*BAD*/
int32_t i(uint8_t x) { return 1 << (x & 15); }
int64_t j(int64_t x) { x *= x; return x; } /*BAD*/
int32_t k(int32_t x) { return TWICE(x); } /*BAD*/
uint64_t l(int32_t x, int32_t y) { return (uint64_t)x * (uint64_t)y; } /*BAD*/
int64_t m(int64_t x, int64_t y) {
    int64_t z = x * y; /* bounded: so it is said */
    z += x * y; /*BAD*/
    /* bounded: a reason */
    z += x +
         x * y;
    z += x * y; /*BAD*/
    /* bounded: */
    z += x * y; /*BAD*/
    return z << 1; /* wraps: not for signed types */ /*BAD*/
}
int64_t n(int64_t x) {
    int64_t y = x * x; /*BAD*/
    /* bounded, here and below: all is small */
    y += x * x;
    for (int i = 0; i < 3; i++) {
        y += x * x;
    }
    return y;
}
uint32_t o(uint32_t x) { return x * x; /* wraps: a hash */ }
int32_t p(int32_t x) { return x % 100 * 1000; }
float q(float x) { return x * x; }
size_t s(size_t x, size_t y) { return (x + 7) / 8 * 8 + x / 8 * 7 + x / y * 8; } /*BAD*/
int32_t r(int8_t x, int16_t y) { return x * y + (x > 0 ? x : 7) * 3 + (y >> 3) * 2; }
"""


def self_test():
    path = os.path.join(REPO, "tests", "amalgamate", "self_test.c")
    lint = Lint(["tests/amalgamate"])
    lint.notes[path] = Notes(SELF_TEST)
    lint.file(path, [(path, SELF_TEST)])
    lines = SELF_TEST.split("\n")
    want = {n for n, line in enumerate(lines, 1) if "/*BAD*/" in line}
    got = {n for _, n in lint.found["tests/amalgamate"][2]}
    for n in sorted(want ^ got):
        print("FAIL self-test line %d %s: %s" % (n, "is not found" if n in want else "is found", lines[n - 1].strip()))
    return len(lines) - 1 - len(want ^ got), len(want ^ got)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--list", metavar="FOLDER")
    a = p.parse_args()
    folders = [a.list] if a.list else ENFORCED + COUNTED
    lint = Lint(folders).file(os.path.join(REPO, "src", "npu_rt.c"))
    passed, failed = self_test()
    for folder in folders:
        proven, explained, rest = lint.found[folder]
        print("%-12s %4d proven, %4d bounded, %4d unexplained" % (folder, proven, explained, len(rest)))
        if folder in ENFORCED or a.list:
            passed, failed = passed + proven + explained, failed + len(rest)
            for path, line in rest:
                print("FAIL %s:%d: why does this fit? (see tests/amalgamate/test_checked.py)" % (path, line))
        if lint.functions[folder] == 0:
            print("FAIL %s: nothing was looked at" % folder)
            failed += 1
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
