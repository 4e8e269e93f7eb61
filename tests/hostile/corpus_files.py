#!/usr/bin/env python3
"""The regression files of tests/fuzz/corpus/models through the command line: each must end within 10 s with an exit code of 0 to
5, a rule's sentence on stderr where that is not 0, and the same outcome whatever the number of threads.

    corpus_files.py [--command build/npu_rt] [--threads 1,4] [--title NAME]"""

import argparse
import glob
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = os.path.join(os.path.dirname(HERE), "fuzz", "corpus", "models", "*")


def outcome(command, args):
    """(exit code, first line of stderr), or what is wrong."""
    try:
        p = subprocess.run([*command, *args], stdin=subprocess.DEVNULL, capture_output=True, timeout=10)
    except subprocess.TimeoutExpired:
        return None, "no end within 10 s"
    text = p.stderr.decode(errors="replace").strip()
    if not 0 <= p.returncode <= 5:
        return None, "exit %d: %s" % (p.returncode, text[-300:])
    if p.returncode and not text:
        return None, "exit %d without a word" % p.returncode
    if p.returncode == 0 and not p.stdout.strip():
        return None, "exit 0 without a word"
    return (p.returncode, text.split("\n")[0] if p.returncode else ""), None


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--command", default="build/npu_rt")
    p.add_argument("--threads", default="1", help="numbers of threads, separated by commas")
    p.add_argument("--title", default="corpus files")
    a = p.parse_args()
    command, passed, failed = a.command.split(), 0, 0
    files = sorted(glob.glob(FILES))
    for path in files:
        calls = [("info", path), ("check", path, "--backend", "ethos-u55-128"), ("stream", path)]
        calls += [
            ("lower", path, "--backend", "neuron"),
            ("run", path, "--seed", "1", "--time-limit", "8", "--backend", "neuron"),
        ]
        calls += [("run", path, "--seed", "1", "--time-limit", "8", "--threads", t) for t in a.threads.split(",")]
        seen = set()
        for args in calls:
            got, wrong = outcome(command, args)
            if (
                args[0] == "run" and "--threads" in args and not wrong and "time limit of" not in got[1]
            ):  # how far it comes depends on the machine
                seen.add(got)
                if len(seen) > 1:
                    wrong = "the number of threads changes the outcome: %s" % seen
            passed, failed = passed + (not wrong), failed + bool(wrong)
            if wrong:
                print("FAIL %s %s: %s" % (os.path.basename(path), " ".join((args[0], *args[2:])), wrong))
    print("%s: %d passed, %d failed" % (a.title, passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
