#!/usr/bin/env python3
"""The thread pool under Emscripten's pthreads, in node: emscripten_threads.c, with main in a thread of its own
(PROXY_TO_PTHREAD) and with main blocking on a ready-made pool (PTHREAD_POOL_SIZE). Left out where emcc is missing:
Debian has it as `emscripten`, which `apt-get install --no-install-recommends` adds without touching node."""

import os
import re
import shutil
import subprocess
import sys

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OUT = os.path.join(REPO, "build", "test", "emscripten")
MODEL = os.path.join(REPO, "examples", "digits", "digits_int8.tflite")
WAYS = {"main in a thread": ["-sPROXY_TO_PTHREAD"], "main and a pool": ["-sPTHREAD_POOL_SIZE=4"]}
FLAGS = [
    "-O2",
    "-std=gnu99",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-pthread",
    "-msimd128",
    "-sEXIT_RUNTIME=1",
    "-sINITIAL_MEMORY=33554432",
]
TALLY = re.compile(r"^(\d+) passed, (\d+) failed$", re.M)


def write_model():
    with open(MODEL, "rb") as f:
        data = f.read()
    rows = [", ".join(map(str, data[i : i + 24])) for i in range(0, len(data), 24)]
    with open(os.path.join(OUT, "digits_model.h"), "w") as f:
        f.write("static const unsigned char digits_model[] __attribute__((aligned(16))) = {\n")
        f.write(",\n".join(rows) + "};\nstatic const size_t digits_model_size = %d;\n" % len(data))


def environment():
    """With a node that is not Debian's, emcc has to be told where Debian's node modules are."""
    env = dict(os.environ)
    env["NODE_PATH"] = os.pathsep.join(p for p in (env.get("NODE_PATH"), "/usr/share/nodejs") if p)
    return env


def attempt(number, name, flags, env):
    """(passed, failed) of one way to build it."""
    script = os.path.join(OUT, "threads%d.js" % number)
    source = os.path.join(REPO, "tests", "compile", "emscripten_threads.c")
    commands = [
        ["emcc", *FLAGS, *flags, "-I", REPO, "-I", OUT, source, "-o", script],
        ["node", "--require", os.path.join(OUT, "no_fetch.js"), script],
    ]
    for command in commands:
        try:
            p = subprocess.run(
                command,
                cwd=OUT,
                env=env,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=300,
            )
        except subprocess.TimeoutExpired:
            print("FAIL emscripten %s: %s takes more than 300 s" % (name, command[0]))
            return 0, 1
        tally = TALLY.search(p.stdout)
        if p.returncode != 0 or (command[0] == "node" and not tally):
            print("FAIL emscripten %s: %s exit %d" % (name, command[0], p.returncode))
            print((p.stdout + p.stderr)[-1500:])
            return (int(tally[1]), int(tally[2])) if tally and int(tally[2]) else (0, 1)
    print("%s:\n%s" % (name, p.stdout.rstrip()), flush=True)
    return int(tally[1]), int(tally[2])


def main():
    missing = [tool for tool in ("emcc", "node") if not shutil.which(tool)]
    if missing:
        print("left out emscripten: no %s here" % " and no ".join(missing))
        print("emscripten: 0 passed, 0 failed")
        return 0
    os.makedirs(OUT, exist_ok=True)
    with open(os.path.join(OUT, "package.json"), "w") as f:
        f.write('{"type": "commonjs"}\n')  # what emcc writes is no ES module, and the repository's scripts are
    with open(os.path.join(OUT, "no_fetch.js"), "w") as f:
        f.write("delete globalThis.fetch;\n")  # Emscripten before 3.1.7 takes node's own for a browser's
    write_model()
    results = [attempt(i, name, flags, environment()) for i, (name, flags) in enumerate(WAYS.items())]
    passed, failed = (sum(r[k] for r in results) for k in (0, 1))
    print("emscripten: %d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
