#!/usr/bin/env python3
"""examples/ethosu_firmware.c: cross-compiled for Cortex-M55 by the command in its head comment (its size, and what it
asks of the C library), and run on this machine with a software device in the place of Arm's driver."""

import os
import re
import shutil
import subprocess
import sys

import numpy as np

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(REPO, "tests", "conformance"))
from runner import Command, Score  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(REPO, "build", "test", "firmware")
SOURCE = os.path.join(REPO, "examples", "ethosu_firmware.c")
DIGITS = os.path.join(REPO, "examples", "digits")
COMPILED = os.path.join(DIGITS, "digits_int8_ethos_u55_128.tflite")
ARM = "arm-none-eabi-"
# What a freestanding program may ask for: memory functions, mathematics, and the compiler's own helpers.
MAY_NEED = re.compile(
    r"^(mem(cpy|move|set|cmp)|strlen|__aeabi_\w+|\w*(log|exp|pow|round|floor|ceil|frexp|ldexp|sqrt|sin|cos|tan)"
    r"\w*|ethosu0|ethosu_invoke_v3|g_model(_bytes)?)$"
)


def run(*command, **kw):
    return subprocess.run(
        [str(c) for c in command], capture_output=True, text=True, errors="replace", timeout=600, **kw
    )


def problem(p):
    return None if p.returncode == 0 else "exit %d: %s" % (p.returncode, (p.stderr or p.stdout)[-600:])


def write_model():
    with open(COMPILED, "rb") as f:
        data = f.read()
    path = os.path.join(OUT, "model.c")
    with open(path, "w") as f:
        f.write(
            "#include <stddef.h>\n#include <stdint.h>\nextern const uint8_t g_model[];\nextern const size_t g_model_bytes;\n"
            "const uint8_t g_model[] __attribute__((aligned(16))) = {%s};\nconst size_t g_model_bytes = %d;\n"
            % (",".join(map(str, data)), len(data))
        )
    return path, len(data)


def cross(score, model):
    if not shutil.which(ARM + "gcc"):
        score.skip("Cortex-M55 build", "no %sgcc here" % ARM)
        return
    with open(SOURCE) as f:
        head = f.read().split("*/")[0]
    flags = re.search(r"gcc (.+?)-I\.\.", head.replace(" \\\n *", " "), re.S)[1].split()
    obj, elf = os.path.join(OUT, "firmware.o"), os.path.join(OUT, "firmware.elf")
    built = run(
        ARM + "gcc",
        *flags,
        "-Wall",
        "-Wextra",
        "-Wconversion",
        "-Wshadow",
        "-Werror",
        "-I",
        REPO,
        "-c",
        SOURCE,
        "-o",
        obj,
    )
    score.check("Cortex-M55: compiles", problem(built))
    if built.returncode:
        return
    undefined = [
        line.split()[-1] for line in run(ARM + "nm", "--undefined-only", obj).stdout.splitlines() if line.split()
    ]
    extra = [u for u in undefined if not MAY_NEED.match(u)]
    score.check("Cortex-M55: no malloc, no stdio", "asks for %s" % extra if extra or not undefined else None)
    linked = run(
        ARM + "gcc",
        *flags,
        "--specs=nosys.specs",
        "-Wl,--gc-sections",
        obj,
        os.path.join(HERE, "firmware_board.c"),
        model,
        "-lm",
        "-o",
        elf,
    )
    score.check("Cortex-M55: links", problem(linked))
    if linked.returncode == 0:
        for what, path in (("npu_rt and the program", obj), ("linked, with the C library and the model", elf)):
            row = run(ARM + "size", path).stdout.splitlines()[-1].split()
            print("%s: %s bytes of code and constants, %s of data, %s zeroed" % (what, *row[:3]))


def host(score, model, n_bytes):
    program = os.path.join(OUT, "firmware_host")
    flags = [
        "-std=c99",
        "-O1",
        "-g",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=all",
        "-I",
        REPO,
    ]
    objects = []
    for source, extra in ((SOURCE, ["-Dmain=firmware_main"]), (os.path.join(HERE, "firmware_host.c"), []), (model, [])):
        objects.append(os.path.join(OUT, os.path.basename(source) + ".o"))
        built = run("gcc", *flags, *extra, "-c", source, "-o", objects[-1])
        score.check("host: compiles " + os.path.basename(source), problem(built))
        if built.returncode:
            return
    linked = run("gcc", "-fsanitize=address,undefined", *objects, "-lm", "-o", program)
    score.check("host: links", problem(linked))
    if linked.returncode:
        return
    images = np.random.default_rng(0).integers(-128, 128, (20, 8, 8, 1)).astype(np.int8)
    p = subprocess.run([program], input=images.tobytes(), capture_output=True, timeout=600)
    command = Command(os.path.join(REPO, "build", "npu_rt"))
    plain = [command.run(os.path.join(DIGITS, "digits_int8.tflite"), [i[None]])[0].reshape(-1) for i in images]
    compiled = [command.run(COMPILED, [i[None]])[0].reshape(-1) for i in images]
    score.check(
        "compiled digits equal the uncompiled network", None if np.array_equal(plain, compiled) else "outputs differ"
    )
    said = p.stdout.decode().split()
    wanted = [str(int(np.argmax(o))) for o in plain]
    score.check(
        "host: classes through the driver",
        None
        if p.returncode == 0 and said == wanted
        else "exit %d: %s instead of %s; %s" % (p.returncode, said, wanted, p.stderr.decode(errors="replace")[-300:]),
    )
    score.check(
        "host: the driver ran every image", None if b"driver called 20 times" in p.stderr else p.stderr.decode()[-200:]
    )


def main():
    os.makedirs(OUT, exist_ok=True)
    score = Score("firmware")
    score.check("at most 100 lines", None if len(open(SOURCE).read().splitlines()) <= 100 else "too long")
    model, n_bytes = write_model()
    cross(score, model)
    host(score, model, n_bytes)
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
