"""Makes the image, audio and array files of the CLI's tests, good and broken, with the standard library and numpy."""

import struct
import zlib

import numpy as np


def png(pixels):
    """A PNG of a (height, width) or (height, width, 3) uint8 array."""
    pixels = np.ascontiguousarray(pixels, np.uint8)
    height, width = pixels.shape[:2]
    rows = b"".join(b"\0" + pixels[y].tobytes() for y in range(height))

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2 if pixels.ndim == 3 else 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def bmp(pixels):
    """A 24-bit BMP of a (height, width, 3) array."""
    height, width = pixels.shape[:2]
    rows = b"".join(pixels[y, :, ::-1].tobytes() + bytes(-width * 3 % 4) for y in reversed(range(height)))
    return (
        b"BM"
        + struct.pack("<IHHI", 54 + len(rows), 0, 0, 54)
        + struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, len(rows), 2835, 2835, 0, 0)
        + rows
    )


def resample(pixels, size):
    """Rows scaled to `size` with a triangle as wide as the step: the reference for what an image becomes."""
    step = len(pixels) / size
    reach = max(step, 1.0)
    away = np.abs(np.arange(len(pixels)) + 0.5 - (np.arange(size)[:, None] + 0.5) * step) / reach
    weights = np.maximum(1 - away, 0)
    return np.tensordot(weights / weights.sum(1, keepdims=True), pixels, 1)


def wav(frames, bits, rate=16000, is_float=False, extensible=False):
    """A WAV of a (samples, channels) array of numbers in [-1, 1)."""
    frames = np.atleast_2d(np.asarray(frames, np.float64))
    if is_float:
        data = frames.astype("<f4" if bits == 32 else "<f8").tobytes()
    elif bits == 8:
        data = (np.round(frames * 128) + 128).astype(np.uint8).tobytes()
    else:
        whole = np.round(frames * 2.0 ** (bits - 1)).astype("<i8")
        data = whole.reshape(-1, 1).view(np.uint8).reshape(-1, 8)[:, : bits // 8].tobytes()
    channels = frames.shape[1]
    step = channels * bits // 8
    tag = 3 if is_float else 1
    form = struct.pack("<HHIIHH", 0xFFFE if extensible else tag, channels, rate, rate * step, step, bits)
    if extensible:
        form += struct.pack("<HHI", 22, bits, 0) + struct.pack("<H", tag) + bytes(14)
    body = (
        b"WAVE"
        + b"LIST"
        + struct.pack("<I", 3)
        + b"abc\0"
        + b"fmt "
        + struct.pack("<I", len(form))
        + form
        + b"data"
        + struct.pack("<I", len(data))
        + data
    )
    return b"RIFF" + struct.pack("<I", len(body)) + body


def npy(header, data=b"", version=1, magic=b"\x93NUMPY"):
    """A .npy with any header text."""
    header = header.encode("latin-1")
    size = struct.pack("<H", len(header)) if version == 1 else struct.pack("<I", len(header))
    return magic + bytes([version, 0]) + size + header + data


def broken_npys():
    """(what is wrong, bytes) for a float32 input of 4 elements in one row."""
    good = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 4), }\n"
    row = np.zeros(4, "<f4").tobytes()
    return [
        ("cut in the magic", b"\x93NUM"),
        ("cut after the magic", b"\x93NUMPY"),
        ("cut in the length", b"\x93NUMPY\x02\x00\x10"),
        ("no version 9", npy(good, row, version=9)),
        ("header longer than file", b"\x93NUMPY\x01\x00\xff\xff" + good.encode()),
        ("header of 4 GiB", b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + good.encode()),
        ("data cut short", npy(good, row[:-1])),
        ("data too long", npy(good, row + b"x")),
        ("no data", npy(good)),
        ("empty header", npy("")),
        ("no dictionary", npy("[1, 2]\n", row)),
        ("no shape", npy("{'descr': '<f4', 'fortran_order': False}\n", row)),
        ("unknown key", npy(good.replace("}", "'x': 1}"), row)),
        ("key without end", npy("{'descr", row)),
        ("very long key", npy("{'" + "d" * 5000 + "': '<f4'}", row)),
        ("very long dtype", npy(good.replace("<f4", "<f" + "4" * 5000), row)),
        ("object dtype", npy(good.replace("<f4", "|O"), row)),
        ("record dtype", npy(good.replace("'<f4'", "[('x', '<f4')]"), row)),
        ("string dtype", npy(good.replace("<f4", "<U4"), row)),
        ("empty dtype", npy(good.replace("<f4", ""), row)),
        ("negative dimension", npy(good.replace("(1, 4)", "(-1, 4)"), row)),
        ("dimension beyond int32", npy(good.replace("(1, 4)", "(1, 4294967300)"), row)),
        ("huge dimension", npy(good.replace("(1, 4)", "(1, 99999999999999999999999999)"), row)),
        ("product overflows", npy(good.replace("(1, 4)", "(" + "2147483647, " * 8 + ")"), row)),
        ("9 dimensions", npy(good.replace("(1, 4)", "(1, 1, 1, 1, 1, 1, 1, 1, 4)"), row)),
        ("shape without end", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 4", row)),
        ("shape is text", npy(good.replace("(1, 4)", "'1, 4'"), row)),
        ("code in the header", npy(good.replace("False", "__import__('os')"), row)),
        ("no flag", npy(good.replace("False", "Maybe"), row)),
        ("text behind the dictionary", npy(good.strip() + " + 1\n", row)),
        ("nul bytes", npy("\0" * 64, row)),
        ("float64", npy(good.replace("<f4", "<f8"), row + row)),
        ("int32", npy(good.replace("<f4", "<i4"), row)),
        ("an npz", b"PK\x03\x04" + bytes(100)),
        ("text", b"1.0 2.0 3.0 4.0\n"),
        ("nothing", b""),
    ]


def broken_wavs():
    good = wav(np.zeros((16, 1)), 16)
    return [
        ("cut in the header", good[:14]),
        ("cut in the format", good[:30]),
        ("cut in the data", good[:-1]),
        ("only the magic", b"RIFF\0\0\0\0WAVE"),
        ("compressed", good.replace(b"fmt \x10\0\0\0\x01\0", b"fmt \x10\0\0\0\x11\0")),
        ("no channels", good.replace(b"\x01\0\x01\0\x80\x3e", b"\x01\0\0\0\x80\x3e")),
        ("12 bits", good[: good.index(b"data") - 2] + b"\x0c\0" + good[good.index(b"data") :]),
        ("data before format", b"RIFF\x10\0\0\0WAVEdata\x04\0\0\0\0\0\0\0"),
        ("a chunk of 4 GiB", b"RIFF\x10\0\0\0WAVEjunk\xff\xff\xff\xff\0\0"),
        ("no samples", wav(np.zeros((0, 1)), 16)),
    ]


def jpeg(front=b"", table=bytes([1] + [0] * 15) + b"\0"):
    """8x8 gray pixels of 128. `front` comes before everything else; `table` is both Huffman tables."""
    parts = [
        (0xDB, b"\0" + bytes([1] * 64)),
        (0xC0, struct.pack(">BHHBBBB", 8, 8, 8, 1, 1, 0x11, 0)),
        (0xC4, b"\0" + table),
        (0xC4, b"\x10" + table),
        (0xDA, b"\x01\x01\0\0\x3f\0"),
    ]
    return (
        b"\xff\xd8"
        + front
        + b"".join(b"\xff%c%s%s" % (m, struct.pack(">H", len(b) + 2), b) for m, b in parts)
        + b"\x3f\xff\xd9"
    )


def broken_images():
    good = png(np.zeros((8, 8, 3), np.uint8))
    huge = bytearray(good)
    huge[16:24] = struct.pack(">II", 1 << 30, 1 << 30)
    return [
        ("cut PNG", good[:40]),
        ("PNG magic only", good[:8]),
        ("PNG of 2^60 pixels", bytes(huge)),
        ("JPEG magic only", b"\xff\xd8\xff\xe0"),
        ("JPEG whose Huffman table has 257 symbols", jpeg(table=bytes([0] * 14 + [2, 255]) + bytes(257))),
        ("JPEG with more tables than bytes", jpeg(b"\xff\xc4\xff\xff" + b"\0" * 13 + b"\xff\xc4\xff\xff" * 500)),
        ("BMP with a bad header", b"BM" + bytes(60)),
        ("cut BMP", bmp(np.zeros((8, 8, 3), np.uint8))[:50]),
    ]


def image_bombs():
    """(what, bytes) of small files that promise pictures of gigabytes, or that draw a picture thousands of times."""
    small = bytearray(png(np.zeros((8, 8, 3), np.uint8)))
    small[16:24] = struct.pack(">II", 16384, 16384)
    tall = bytearray(small)
    tall[16:24] = struct.pack(">II", 16384, 8000)
    wide = bytearray(bmp(np.zeros((8, 8, 3), np.uint8)))
    wide[18:26] = struct.pack("<ii", 16000, 8000)
    frame = b"\xff\xc2" + struct.pack(">HBHHBBBB", 11, 8, 1024, 1024, 1, 1, 0x11, 0)  # progressive, one component
    table = b"\xff\xc4" + struct.pack(">HB16B", 20, 0, 1, *[0] * 15) + b"\0"
    scan = b"\xff\xda" + struct.pack(">HBBBBBB", 8, 1, 1, 0, 0, 0, 0)
    return [
        ("PNG of 16384x16384", bytes(small)),
        ("PNG of 16384x8000", bytes(tall)),
        ("BMP of 16000x8000", bytes(wide)),
        ("progressive JPEG of 10000 scans", b"\xff\xd8" + frame + table + scan * 10000 + b"\xff\xd9"),
    ]
