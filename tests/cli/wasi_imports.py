#!/usr/bin/env python3
"""Fails unless a WebAssembly module imports functions of WASI preview 1 only: usage: wasi_imports.py FILE.wasm..."""

import sys


def leb128(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def text(data, at):
    n, at = leb128(data, at)
    return data[at : at + n].decode(), at + n


def imports(data):
    """(module, name, kind) of every import; kind 0 is a function."""
    if data[:8] != b"\0asm\1\0\0\0":
        raise ValueError("no WebAssembly module")
    at = 8
    while at < len(data):
        section, (size, body) = data[at], leb128(data, at + 1)
        if section == 2:
            count, at = leb128(data, body)
            for _ in range(count):
                module, at = text(data, at)
                name, at = text(data, at)
                kind = data[at]
                yield module, name, kind
                if kind != 0:
                    return  # anything else is wrong already, so its layout does not matter
                at = leb128(data, at + 1)[1]
            return
        at = body + size


def main():
    wrong = 0
    for path in sys.argv[1:]:
        with open(path, "rb") as f:
            found = list(imports(f.read()))
        bad = [f"{m}.{n}" for m, n, kind in found if m != "wasi_snapshot_preview1" or kind != 0]
        print(f"{path}: {len(found)} imports" + (f", not WASI preview 1: {', '.join(bad)}" if bad else ""))
        wrong += bool(bad)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
