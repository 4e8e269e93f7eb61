#!/usr/bin/env python3
"""The sizes in src/base/sizes.h, and in the folders of vendors, against compilers: those of structs on 64-bit machines, on 32-bit ones (natural alignment, as on
Arm and in WebAssembly) and on x86 with 32 bits.

    sizes.py            asks every compiler that is here, in every build that could make a difference
    sizes.py --write    writes what gcc says into them"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEADERS = [
    os.path.join(REPO, "src", "base", "sizes.h"),
    *sorted(glob.glob(os.path.join(REPO, "src", "vendor", "*", "sizes.h"))),
]
LIST = re.compile(r"^#define (NPU__\w+)\(X\)", re.M)
ROW = re.compile(r"^    X\((\w+), (\d+), (\d+), (\d+)\)", re.M)
START = '%s\n#define NPU_RT_STATIC\n#define NPU_RT_IMPLEMENTATION\n#define NPU_RT_BACKEND_ALL\n#include "npu_rt.c"\n'
PRINT = START + "#include <stdio.h>\nint main(void) {\n%s    return 0;\n}\n"
# gcc's natural layout for 32 bits is that of Arm and WebAssembly: the compilers for those confirm it.
COLUMNS = ([], ["-m32", "-malign-double"], ["-m32"])
# A typedef of an array with a negative length is an error that names the type.
CHECK = START + "#define NPU_X(type, a, b, c) typedef char size_of_##type[sizeof(type) %s (%s) ? 1 : -1];\n%s\n"
NO_DEVICE = "#define NPU_RT_NO_SOFTWARE_DEVICE"  # what an ethos-u operator keeps is less then: estimates stay above it
SWITCHES = [
    "",
    "#define NPU_RT_NO_STRINGS",
    "#define NPU_RT_NO_PROFILE",
    "#define NPU_RT_NO_SIMD",
    "#define NPU_RT_DEBUG",
    NO_DEVICE,
    "#define NPU_RT_NO_MALLOC",
    "#define NPU_RT_NO_REPORTS",
]


def builds():
    """(label, compiler and flags, column)"""
    for cc in ("gcc", "clang-19"):
        yield cc, [cc], "a"
        yield cc + " -m32", [cc, "-m32"], "c"
        yield cc + " -m32 -malign-double", [cc, "-m32", "-malign-double"], "b"
    yield "Cortex-M4", ["arm-none-eabi-gcc", "-mcpu=cortex-m4"], "b"
    yield "Cortex-M55", ["arm-none-eabi-gcc", "-mcpu=cortex-m55", "-mfloat-abi=hard"], "b"
    yield "wasm32", ["clang-19", "--target=wasm32-wasi", "-msimd128"], "b"
    yield "aarch64", ["clang-19", "--target=aarch64-linux-gnu"], "a"


def read_headers():
    texts = []
    for header in HEADERS:
        with open(header) as f:
            texts.append(f.read())
    return texts


def measure(folder):
    texts = read_headers()
    names = [m[1] for text in texts for m in ROW.finditer(text)]
    columns = []
    for flags in COLUMNS:
        source = os.path.join(folder, "print.c")
        with open(source, "w") as f:
            f.write(PRINT % ("", "".join('    printf("%%u\\n", (unsigned)sizeof(%s));\n' % n for n in names)))
        subprocess.run(
            ["gcc", "-std=c99", "-w", *flags, "-I", REPO + "/src", source, "-lm", "-o", folder + "/print"], check=True
        )
        columns.append(subprocess.run([folder + "/print"], capture_output=True, text=True, check=True).stdout.split())
    sizes = dict(zip(names, zip(*columns)))
    return texts, [ROW.sub(lambda m: "    X(%s, %s, %s, %s)" % (m[1], *sizes[m[1]]), text) for text in texts]


def check(folder):
    passed = failed = 0
    lists = "".join("%s(NPU_X) " % LIST.search(text)[1] for text in read_headers())
    for label, command, column in builds():
        if not shutil.which(command[0]):
            print("left out sizes by %s: not here" % label)
            continue
        for switch in SWITCHES if label in ("gcc", "Cortex-M4") else [""]:
            source = os.path.join(folder, "check.c")
            with open(source, "w") as f:
                # without reports the list is there, but no machine other than this
                f.write(CHECK % (switch, "<=" if switch == NO_DEVICE else "==", column, lists))
            p = subprocess.run(
                [*command, "-std=c99", "-w", "-fsyntax-only", "-I", REPO + "/src", source],
                capture_output=True,
                text=True,
            )
            passed, failed = passed + (p.returncode == 0), failed + (p.returncode != 0)
            if p.returncode:
                wrong = re.findall(r"size_of_(\w+)", p.stderr) or [p.stderr[-300:]]
                print(
                    "FAIL sizes by %s %s: %s; run tests/compile/sizes.py --write"
                    % (label, switch, ", ".join(sorted(set(wrong))))
                )
    print("sizes of structs: %d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


def main():
    with tempfile.TemporaryDirectory(prefix="npu_rt_sizes_") as folder:
        if "--write" not in sys.argv[1:]:
            return check(folder)
        old, new = measure(folder)
        for header, before, after in zip(HEADERS, old, new):
            if before != after:
                with open(header, "w") as f:
                    f.write(after)
            print("%s: %s" % (os.path.relpath(header, REPO), "as it was" if before == after else "written"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
