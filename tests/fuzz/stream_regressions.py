#!/usr/bin/env python3
"""Writes the command streams of corpus/stream that once did harm, or asked for it: one file each, in the format that
fuzz_stream.c tells. Registers that a stream does not set are 0.

    stream_regressions.py FOLDER"""

import os
import re
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "..", "..", "src", "vendor", "ethosu", "stream", "commands.h")) as f:
    HEADER = f.read()
FORM_0, FORM_1 = HEADER.split("NPU__EU_CMD1_LIST(X)")[:2]
ROW = re.compile(r"X\((\w+), *0x([0-9A-F]+), *\w+,")
CODES = {name: int(code, 16) for name, code in ROW.findall(FORM_0)}
WIDE = {name: int(code, 16) | 0x4000 for name, code in ROW.findall(FORM_1)}
SCRATCH = 20480  # bytes of region 1


class Stream:
    def __init__(self, flash=b"\xff" * 64):
        self.words, self.flash = [], flash

    def set(self, **registers):
        for name, value in registers.items():
            name = name if name.startswith("OP_") else "SET_" + name
            if name in WIDE:
                self.words += [(value >> 32 & 0xFF) << 16 | WIDE[name], value & 0xFFFFFFFF]
            else:
                self.words.append((value & 0xFFFF) << 16 | CODES[name])
        return self

    def map(self, which, h, w, c, precision, base=0, steps=None):
        """Sizes of the tiles are those of the map; steps (x, y) of 0 make all elements one."""
        size = 1 << (precision >> (1 if which == "OFM" else 2) & 3)
        x, y = (c * size, w * c * size) if steps is None else steps
        self.set(
            **{
                which + "_REGION": 1,
                which + "_PRECISION": precision,
                which + "_WIDTH0_M1": w - 1,
                which + "_HEIGHT0_M1": h - 1,
                which + "_HEIGHT1_M1": h - 1,
                which + "_BASE0": base,
                which + "_STRIDE_X": x,
                which + "_STRIDE_Y": y,
            }
        )
        if which == "IFM":
            self.set(IFM_DEPTH_M1=c - 1)
        if which == "OFM":
            self.set(OFM_HEIGHT_M1=h - 1, OFM_WIDTH_M1=w - 1, OFM_DEPTH_M1=c - 1, ACTIVATION_MAX=127)
        return self

    def file(self):
        words = self.words + [0xFFFF0000]
        head = [0x31504F43, 0x00100001, 0x1807, 5, 5, 5, 5, (len(words) & 0xFFFF) << 16 | len(words) >> 16 << 8 | 2]
        payload = struct.pack("<%dI" % (len(head) + len(words)), *head, *words)
        return struct.pack("<HBB", len(payload) // 4, 0, 0) + payload + self.flash


def wrapping_copy(**sides):
    """One byte in rows and planes whose last one is 2^64 bytes further: in 64 bits, right behind the first one."""
    rows, planes = 65535, 4097
    step = 2**64 // (rows * planes - 1)
    rest = 2**64 - step * (rows * planes - 1)
    skip = -(-rest // (planes - 1))
    assert step < 2**39 and 0 <= skip * (planes - 1) - rest < SCRATCH
    return Stream(b"\xff" * 8192).set(
        DMA0_LEN=1, DMA0_SKIP0=step - 1, DMA0_SKIP1=skip, DMA0_SIZE0=rows, DMA0_SIZE1=planes, **sides, OP_DMA_START=0
    )


def pool(mode, h, w, kernel, precision=1, out=1, **more):
    s = (
        Stream()
        .set(DMA0_LEN=64, DMA0_DST_REGION=1, OP_DMA_START=0)
        .map("IFM", h + kernel - 1, w + kernel - 1, 1, precision, 0, (0, 0))
        .map("OFM", h, w, 1, out)
    )
    return s.set(KERNEL_HEIGHT_M1=kernel - 1, KERNEL_WIDTH_M1=kernel - 1, ACTIVATION_MIN=0, **more, OP_POOL=mode)


def zero_weights(n):
    """A weight stream of at least n zeros: slices of 32768 raw codes that have no bits, of which only headers are left."""
    bits = "".join((6 | 32767 << 3 | 7 << 18).__format__("023b")[::-1] for _ in range(0, n, 32768))
    bits += "1" * (-len(bits) % 128)
    return bytes(int(bits[i : i + 8][::-1], 2) for i in range(0, len(bits), 8))


def conv(h, w, ic, oc, weights, times=1):
    """Every pixel of the input is the first one."""
    flash = weights + bytes(max(0, 10 * oc - len(weights)))
    s = Stream(flash).map("IFM", h, w, ic, 1, 0, (0, 0)).map("OFM", h, w, oc, 1)
    s.set(OFM_BLK_DEPTH_M1=15, WEIGHT_LENGTH=len(weights), SCALE_LENGTH=len(flash))
    for _ in range(times):
        s.set(OP_CONV=0)
    return s


def add_32_bits(mode, a, b):
    s = Stream(struct.pack("<i", a) * 8 + struct.pack("<i", b) * 8).set(DMA0_LEN=64, DMA0_DST_REGION=1, OP_DMA_START=0)
    s.map("IFM", 1, 1, 1, 0x109).map("IFM2", 1, 1, 1, 9, 32).map("OFM", 1, 1, 1, 5)
    s.words += [WIDE["SET_OPA_SCALE"], 0xFFFFFFFF]
    return s.set(OP_ELEMENTWISE=mode)


REGRESSIONS = {
    "copy_from_and_to_wraps": wrapping_copy(DMA0_SRC_REGION=1 | 2 << 9, DMA0_DST_REGION=1 | 2 << 9),
    "copy_from_wraps": wrapping_copy(DMA0_SRC_REGION=1 | 2 << 9, DMA0_DST_REGION=1),
    "copy_zero_stride_for_minutes": Stream(b"\0" * 48).set(
        DMA0_LEN=48,
        DMA0_SKIP0=2**40 - 48,
        DMA0_SIZE0=65535,
        DMA0_SIZE1=65000,
        DMA0_SRC_REGION=2 << 9,
        DMA0_DST_REGION=1 | 2 << 9,
        OP_DMA_START=0,
    ),
    "pool_window_for_seconds": pool(0, 128, 160, 256),
    "pool_average_beyond_32_bits": pool(1, 1, 1, 256, 4, 2),
    "pool_sum_reads_padding": Stream()
    .map("IFM", 3, 1, 1, 1, SCRATCH - 1, (0, 4))
    .map("OFM", 3, 1, 1, 1)
    .set(IFM_PAD_BOTTOM=2, OP_POOL=2),
    "conv_zero_stride": conv(64, 64, 4096, 1, zero_weights(8 * 4096)),
    "conv_channels_by_the_group": conv(1, 1, 8192, 6000, zero_weights(8192 * 6000)),
    "weights_behind_padding_again_and_again": conv(1, 1, 16, 8, b"\xff" * 40000 + zero_weights(8 * 32), 4000),
    "add_beyond_64_bits": add_32_bits(1, 2**31 - 1, 2**31 - 1),
    "subtract_beyond_64_bits": add_32_bits(2, -(2**31), 2**31 - 1),
    "nothing_but_empty_copies": Stream().set(OP_DMA_START=0),
}
REGRESSIONS["nothing_but_empty_copies"].words *= 12000


def main():
    for name, stream in REGRESSIONS.items():
        with open(os.path.join(sys.argv[1], name), "wb") as f:
            f.write(stream.file())


if __name__ == "__main__":
    main()
