#!/usr/bin/env python3
"""Tests ./amalgamate on small trees: what it writes, and each thing --check must refuse. Standard library only."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

TREE = {
    "LICENSE": "do what you like\n",
    "src/npu.h": "#ifndef NPU_RT_H\n#define NPU_RT_H\n#include <stddef.h>\n#endif\n",
    "src/npu_rt.c": '#include "npu.h"\n#include "base/base.h"\n#include "base/one.c"\n#include "ops/ops.c"\n',
    "src/base/base.h": "#ifndef BASE_H\n#define BASE_H\n#include <math.h>\nint base;\n#endif\n",
    "src/base/one.c": '#include "base.h"\n/*\n#include "not/code.h"\n*/\nconst char *one = "/*";\n',
    "src/ops/list.h": "X(a)\nX(b)\n",
    "src/ops/ops.c": '#include "../base/base.h"\n#define X(n) int n;\n#include "list.h"\n#undef X\n'
    '#define X(n) int n##2;\n#include "list.h"\n#undef X\n',
}

passed = failed = 0


def check(label, ok, detail=""):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {label}\n       {detail}")


def run(folder, *args):
    r = subprocess.run([sys.executable, str(folder / "amalgamate"), *args], capture_output=True, text=True)
    return r.returncode, r.stdout + r.stderr


def tree(folder, changes):
    """A tree with changes: path -> new text, None to delete."""
    shutil.rmtree(folder, ignore_errors=True)
    for path, text in {**TREE, **changes}.items():
        if text is not None:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, newline="")
    shutil.copy(ROOT / "amalgamate", folder / "amalgamate")


def test_output(folder):
    tree(folder, {})
    code, text = run(folder)
    header = (folder / "npu_rt.h").read_text() if code == 0 else ""
    check("writes", code == 0, text)
    check("public header on top", header.startswith(TREE["src/npu.h"]))
    check("license at the end", "do what you like" in header.splitlines()[-2] and header.endswith("*/\n"))
    check("guarded header once", header.count("int base;") == 1)
    check("list twice", header.count("X(a)\nX(b)\n") == 2)
    check("system includes stay", "#include <math.h>" in header and "#include <stddef.h>" in header)
    check("comments stay", '#include "not/code.h"' in header)
    check("no other quoted include is left", header.count('#include "') == 1)
    check(
        "implementation is guarded", "#ifdef NPU_RT_IMPLEMENTATION\n#ifndef NPU_RT_IMPLEMENTATION_INCLUDED\n" in header
    )
    check("--check accepts it", run(folder, "--check") == (0, ""))
    before = (folder / "npu_rt.h").stat().st_mtime_ns
    run(folder)
    check("unchanged output is not written again", (folder / "npu_rt.h").stat().st_mtime_ns == before)


def test_conditional(folder):
    """A guarded header that is met first inside an #if must still come where it is needed."""
    tree(
        folder,
        {
            "src/base/one.c": '#if SIMD\n#include "extra.h"\n#endif\n',
            "src/base/two.c": '#include "extra.h"\n#include "extra.h"\n',
            "src/base/extra.h": "#ifndef EXTRA_H\n#define EXTRA_H\nint extra;\n#endif\n",
            "src/npu_rt.c": TREE["src/npu_rt.c"] + '#include "base/two.c"\n',
        },
    )
    code, text = run(folder)
    header = (folder / "npu_rt.h").read_text() if code == 0 else text
    check("conditional include", header.count("int extra;") == 2, header)


def test_refusals(folder):
    kernels = {"src/kernels/k.c": "int k;\n", "src/npu_rt.c": TREE["src/npu_rt.c"] + '#include "kernels/k.c"\n'}
    cases = [
        ("include up a layer", {"src/base/one.c": '#include "../ops/list.h"\n'}, "above"),
        ("kernel that knows ops", {**kernels, "src/kernels/k.c": '#include "../ops/list.h"\n'}, "kernels"),
        ("base that knows kernels", {**kernels, "src/base/one.c": '#include "../kernels/k.c"\n'}, "above"),
        ("forgotten source", {"src/ops/forgotten.c": "int f;\n"}, "src/ops/forgotten.c"),
        ("forgotten header", {"src/ops/deep/forgotten.h": "int f;\n"}, "src/ops/deep/forgotten.h"),
        ("unknown folder", {"src/misc/m.h": "int m;\n", "src/base/one.c": '#include "../misc/m.h"\n'}, "layer"),
        ("missing file", {"src/base/one.c": '#include "gone.h"\n'}, "gone.h"),
        ("file outside src", {"src/base/one.c": '#include "../../LICENSE"\n'}, "LICENSE"),
        ("computed include", {"src/base/one.c": "#include WHAT\n"}, "WHAT"),
        ("circle", {"src/base/one.c": '#include "one.c"\n'}, "just being included"),
        ("carriage returns", {"src/base/one.c": "int a;\r\n"}, "carriage"),
        (
            "declared below its layer",
            {
                "src/base/one.c": "/* as ops do */\nNPU__FN int npu__up(int a,\n                   int b);\n",
                "src/ops/ops.c": TREE["src/ops/ops.c"] + "NPU__FN int npu__up(int a, int b) {\n    return a + b;\n}\n",
            },
            "npu__up",
        ),
        ("#if without #endif", {"src/base/one.c": "#if 1\n"}, "#endif"),
    ]
    for label, changes, text in cases:
        tree(folder, changes)
        code, out = run(folder, "--check")
        check(label, code != 0 and text in out and "Traceback" not in out, out)
    tree(
        folder,
        {
            "src/base/base.h": "NPU__FN int npu__here(void);\n",
            "src/base/one.c": "NPU__FN int npu__here(void) { return 1; }\n",
        },
    )
    check("declared where it is defined", run(folder)[0] == 0)
    tree(
        folder,
        {
            "src/npu_rt.c": '#include "npu.h"\n#if LAYERS & 1\n#include "base/base.h"\n#include "base/one.c"\n#endif\n'
            '#if LAYERS & 2\n#include "ops/ops.c"\n#endif\n'
        },
    )
    check(
        "layers that tests leave out", run(folder)[0] == 0 and (folder / "npu_rt.h").read_text().count("int base;") == 1
    )
    tree(folder, kernels)
    check("ops may not be needed for kernels", run(folder)[0] == 0)
    tree(folder, {})
    code, out = run(folder, "--check")
    check("missing header", code != 0 and "run ./amalgamate" in out, out)
    run(folder)
    (folder / "src/base/one.c").write_text("int changed;\n")
    code, out = run(folder, "--check")
    check("stale header", code != 0 and "run ./amalgamate" in out, out)


VENDORS = {
    "src/vendor/vendors.h": '#define NPU__VENDOR_WORDS_acme "acme ac_me"\n',
    "src/vendor/vendor.h": "int row;\n",
    "src/vendor/acme/acme.c": '#include "../vendor.h"\n#include "stream/s.h"\nint ACME;\n',
    "src/vendor/acme/stream/s.h": '#include "../../vendors.h"\n#include "../../../base/base.h"\nint s;\n',
    "src/vendor/none/none.c": '#include "../vendor.h"\n',
    "src/npu_rt.c": TREE["src/npu_rt.c"] + '#include "vendor/acme/acme.c"\n#include "vendor/none/none.c"\n',
}


def test_vendors(folder):
    """A vendor is named and looked into by nobody."""
    tree(folder, VENDORS)
    code, out = run(folder)
    check("a vendor in its folder", code == 0 and run(folder, "--check")[0] == 0, out)
    one = TREE["src/base/one.c"]
    other = {
        **VENDORS,
        "src/npu_rt.c": VENDORS["src/npu_rt.c"] + '#include "vendor/beta/beta.c"\n',
        "src/vendor/vendors.h": VENDORS["src/vendor/vendors.h"] + '#define NPU__VENDOR_WORDS_beta "beta"\n',
    }
    cases = [
        (
            "a vendor named in a comment",
            {**VENDORS, "src/base/one.c": one + "/* for Acme */\n"},
            "one.c:%d" % (len(one.splitlines()) + 1),
        ),
        ("a vendor named in an identifier", {**VENDORS, "src/base/one.c": one + "int HAS_AC_MEX;\n"}, "ac_me"),
        ("a vendor named by another", {**other, "src/vendor/beta/beta.c": "int acme_too;\n"}, "names vendor acme"),
        (
            "a vendor's header from outside",
            {**VENDORS, "src/vendor/none/none.c": '#include "../acme/stream/s.h"\n'},
            "own folder",
        ),
        (
            "a stream that knows more than base",
            {**VENDORS, "src/vendor/acme/stream/s.h": '#include "../../vendor.h"\n'},
            "above",
        ),
        (
            "a stream that knows its vendor's rest",
            {**VENDORS, "src/vendor/acme/rest.h": "int r;\n", "src/vendor/acme/stream/s.h": '#include "../rest.h"\n'},
            "own folder",
        ),
        (
            "a folder without a row",
            {**VENDORS, "src/vendor/beta/beta.c": "int b;\n", "src/npu_rt.c": other["src/npu_rt.c"]},
            "NPU__VENDOR_WORDS_beta",
        ),
        ("a row without a folder", {**VENDORS, "src/vendor/vendors.h": other["src/vendor/vendors.h"]}, "no folder"),
    ]
    for label, changes, text in cases:
        tree(folder, changes)
        run(folder)
        code, out = run(folder, "--check")
        check(label, code != 0 and text in out and "Traceback" not in out, out)


def main():
    with tempfile.TemporaryDirectory(prefix="npu_rt_amalgamate_") as folder:
        for test in test_output, test_conditional, test_refusals, test_vendors:
            test(Path(folder) / "tree")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
