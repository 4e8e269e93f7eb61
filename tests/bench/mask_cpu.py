"""LiteRT as it runs on a lesser x86 processor than this one: its CPUID instructions answer without what is hidden (mask_cpu.c).

XNNPACK chooses its kernels by CPUID when the first interpreter is made, so this is its choice on such a processor, at this one's clock. What
it leaves open: another processor's caches, widths and rates."""

import ctypes
import glob
import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


class Unmaskable(Exception):
    pass


class Mask:
    """Made once, where processes fork later; hide() is called in each of them, after the library is loaded and before it is used."""

    def __init__(self, isa, folder):
        import ai_edge_litert

        package = os.path.dirname(os.path.abspath(ai_edge_litert.__file__))
        found = glob.glob(os.path.join(package, "libpywrap_litert_common*"))
        if len(found) != 1:
            raise Unmaskable("LiteRT's package has no single library of kernels")
        self.isa, self.library = isa, os.path.realpath(found[0])
        compiled = os.path.join(folder, "mask_cpu.so")
        source = os.path.join(HERE, "mask_cpu.c")
        output_of(os.environ.get("CC", "cc"), "-O1", "-std=gnu99", "-shared", "-fPIC", source, "-o", compiled)
        self.mask = ctypes.CDLL(compiled).mask_cpu
        self.mask.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t]
        if self.mask(isa.encode(), None, 0) != 0:
            raise Unmaskable("nothing is known of a processor's bits for '%s'" % isa)
        text = output_of("objdump", "-d", "--no-show-raw-insn", self.library)
        self.offsets = [int(a, 16) for a in re.findall(r"^\s*([0-9a-f]+):\s+cpuid", text, re.M)]
        if not self.offsets:
            raise Unmaskable("%s has no CPUID instruction" % os.path.basename(self.library))

    def hide(self):
        with open("/proc/self/maps") as maps:
            mine = [line.split() for line in maps if line.rstrip().endswith(os.path.basename(self.library))]
        base = min(int(line[0].split("-")[0], 16) for line in mine)  # what is at offset 0 of the file
        places = (ctypes.c_void_p * len(self.offsets))(*(base + offset for offset in self.offsets))
        if self.mask(self.isa.encode(), places, len(places)) != len(places):
            raise Unmaskable("the CPUID instructions of %s cannot be replaced" % os.path.basename(self.library))


def asked(parser, isa, folder):
    """The mask of a command's --isa, None where there is none; one that cannot be ends the command."""
    try:
        return Mask(isa, folder) if isa else None
    except Unmaskable as e:
        parser.error("--isa %s: %s" % (isa, e))


def output_of(*command):
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout
    except FileNotFoundError as e:
        raise Unmaskable("%s is needed: %s" % (command[0], e.strerror)) from e
    except subprocess.CalledProcessError as e:
        raise Unmaskable("%s: %s" % (command[0], e.stderr.strip()[-200:])) from e
