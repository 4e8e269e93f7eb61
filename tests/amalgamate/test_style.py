#!/usr/bin/env python3
"""One Python style (ruff.toml): formatted, no name that does not exist or that nobody uses.

test_style.py --fix formats, and removes imports that nobody uses."""

import os
import subprocess
import sys

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RUFF = "build/tools/venv/bin/ruff"


def main():
    os.chdir(REPO)
    fix = "--fix" in sys.argv[1:]
    failed = 0
    for command in (["check", "--quiet", "--output-format", "concise"], ["format", "--quiet"]):
        how = ["--fix"] if fix and command[0] == "check" else [] if fix or command[0] == "check" else ["--check"]
        p = subprocess.run([RUFF, *command, *how], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        failed += p.returncode != 0
        if p.returncode:
            print("FAIL ruff %s: tests/amalgamate/test_style.py --fix does it\n%s" % (command[0], p.stdout[:2000]))
    wrong = subprocess.run([RUFF, "format", "--check", "-"], input="x = ( 1 )\n", capture_output=True, text=True)
    failed += wrong.returncode == 0  # the check sees what it looks for
    print("Python style: %d passed, %d failed" % (3 - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
