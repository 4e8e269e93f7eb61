#!/usr/bin/env python3
"""Images and audio as inputs. usage: see kit.py."""

import sys

import numpy as np

import kit
import media
import tiny_model as tiny


class Tests(kit.Kit):
    def test_images(self):
        rng = np.random.default_rng(3)
        pixels = rng.integers(0, 256, (8, 8, 3), np.uint8)
        self.write("p.png", media.png(pixels))
        self.write("u8.tflite", tiny.copy_model(tiny.UINT8, [1, 8, 8, 3], quant=(1 / 128, 128)))
        if "no images" in self.call("run", "u8.tflite", "--input", "0=p.png").stderr.decode():
            print("note: this build reads no images; skipping their tests")
            return
        flat = pixels.reshape(-1)
        self.equal("uint8 image", self.run_ok("PNG", "u8.tflite", "--input", "0=p.png", err=["8x8", "uint8"]), flat)
        self.write("p.bmp", media.bmp(pixels))
        self.equal("BMP image", self.run_ok("BMP", "u8.tflite", "--input", "0=p.bmp"), flat)
        self.write("i8.tflite", tiny.copy_model(tiny.INT8, [1, 8, 8, 3], quant=(1 / 255, -128)))
        got = self.run_ok("int8 image", "i8.tflite", "--input", "0=p.png", err=["pixel - 128", "real 0 to 1"])
        self.equal("int8 image: values", got, (flat.astype(int) - 128).astype(np.int8))
        self.write("f.tflite", tiny.copy_model(tiny.FLOAT32, [1, 8, 8, 3]))
        got = self.run_ok("float image", "f.tflite", "--input", "0=p.png", err=["127.5", "--normalize"])
        self.equal("float image: values", got, ((flat.astype(float) - 127.5) / 127.5).astype("<f4"))
        got = self.run_ok("--normalize", "f.tflite", "--input", "0=p.png", "--normalize", "0,255", err=["255"])
        self.equal("--normalize: values", got, (flat / 255.0).astype("<f4"))
        mean, std = np.array([10, 20, 30.0]), np.array([2, 4, 8.0])
        self.write("m.tflite", tiny.copy_model(tiny.FLOAT32, [1, 8, 8, 3], meta=tiny.metadata(mean, std)))
        got = self.run_ok("metadata", "m.tflite", "--input", "0=p.png", err=["metadata"])
        self.equal("metadata: values", got, ((pixels - mean) / std).reshape(-1).astype("<f4"))
        self.write(
            "q.tflite", tiny.copy_model(tiny.INT8, [1, 8, 8, 3], quant=(0.5, 3), meta=tiny.metadata([100.0], [4.0]))
        )
        got = self.run_ok("metadata, int8", "q.tflite", "--input", "0=p.png", err=["metadata"])
        real = (flat - 100.0) / 4 / 0.5
        want = np.clip(np.sign(real) * np.floor(np.abs(real) + 0.5) + 3, -128, 127)
        self.equal("metadata, int8: values", got, want.astype(np.int8))
        self.write("nchw.tflite", tiny.copy_model(tiny.UINT8, [1, 3, 8, 8]))
        self.equal(
            "NCHW",
            self.run_ok("NCHW image", "nchw.tflite", "--input", "0=p.png"),
            pixels.transpose(2, 0, 1).reshape(-1),
        )
        self.more_images(pixels)

    def more_images(self, pixels):
        flat_color = np.full((20, 30, 3), (10, 200, 90), np.uint8)
        self.write("flat.png", media.png(flat_color))
        got = self.run_ok("resize", "u8.tflite", "--input", "0=flat.png", err=["30x20", "8x8"])
        self.equal("resize: values", got, flat_color[:8, :8].reshape(-1))
        for height, width in ((5, 3), (8, 20), (31, 8), (100, 77)):
            odd = np.random.default_rng(5).integers(0, 256, (height, width, 3), np.uint8)
            self.write("odd.png", media.png(odd))
            got = self.run_ok(f"resize {width}x{height}", "u8.tflite", "--input", "0=odd.png")
            want = media.resample(media.resample(odd, 8).transpose(1, 0, 2), 8).transpose(1, 0, 2)
            off = np.abs(got[0].reshape(8, 8, 3) - np.round(want)).max() if got else None
            self.check(f"resize {width}x{height}: values", off is not None and off <= 1, off)
        self.write("open.tflite", tiny.copy_model(tiny.UINT8, [1, 1, 1, 3], signature=[1, -1, -1, 3]))
        got = self.run_ok("open size", "open.tflite", "--input", "0=flat.png", err=["30x20"])
        self.equal("open size: values", got, flat_color.reshape(-1))
        gray = pixels[:, :, 0]
        self.write("gray.png", media.png(gray))
        self.write("g.tflite", tiny.copy_model(tiny.UINT8, [1, 8, 8, 1]))
        self.equal("gray", self.run_ok("gray image", "g.tflite", "--input", "0=gray.png"), gray.reshape(-1))
        got = self.run_ok("gray image for a color input", "u8.tflite", "--input", "0=gray.png")
        self.equal("gray image for a color input: values", got, np.repeat(gray.reshape(-1), 3))
        gray = np.full(64, 128, np.uint8)
        for label, front in (
            ("plain", b""),
            ("what looks like a table in a comment", b"\xff\xfe\x00\x28\xff\xc4\x01\x00\x00" + b"\xff" * 33),
        ):
            self.write("g.jpg", media.jpeg(front))
            self.equal(f"JPEG: {label}", self.run_ok(f"JPEG, {label}", "g.tflite", "--input", "0=g.jpg"), gray)
        for label, content in media.broken_images():
            self.write("broken.png", content)
            self.expect(f"broken image: {label}", 5, "run", "u8.tflite", "--input", "0=broken.png", err=["broken.png"])
        self.expect(
            "image for another kind of input", 5, "run", "add.tflite", "--input", "0=p.png", err=["takes no image"]
        )

    def test_audio(self):
        rng = np.random.default_rng(4)
        x = np.round(rng.uniform(-1, 1, (16, 1)) * 64) / 128
        self.write("a.tflite", tiny.copy_model(tiny.FLOAT32, [16], meta=tiny.metadata(audio_rate=16000)))
        mono = x.reshape(-1).astype("<f4")
        for bits, is_float in ((8, False), (16, False), (24, False), (32, False), (32, True), (64, True)):
            for extensible in False, True:
                label = f"WAV {bits} bit{' float' if is_float else ''}{' extensible' if extensible else ''}"
                self.write("s.wav", media.wav(x, bits, is_float=is_float, extensible=extensible))
                self.equal(
                    f"{label}: values", self.run_ok(label, "a.tflite", "--input", "0=s.wav", err=["16000 Hz"]), mono
                )
        self.write("s.wav", media.wav(np.hstack([x, x / 2]), 16))
        self.equal(
            "stereo: values", self.run_ok("stereo", "a.tflite", "--input", "0=s.wav"), (x[:, 0] * 0.75).astype("<f4")
        )
        self.write("s.wav", media.wav(x[:10], 16, rate=8000))
        got = self.run_ok("short WAV", "a.tflite", "--input", "0=s.wav", err=["padded", "expects 16000"])
        self.equal("short WAV: values", got, np.concatenate([mono[:10], np.zeros(6, "<f4")]))
        self.write("s.wav", media.wav(np.vstack([x, x]), 16))
        self.equal(
            "long WAV: values", self.run_ok("long WAV", "a.tflite", "--input", "0=s.wav", err=["cut to 16"]), mono
        )
        self.write("open.tflite", tiny.copy_model(tiny.FLOAT32, [1], signature=[-1]))
        self.equal(
            "open length: values",
            self.run_ok("open length", "open.tflite", "--input", "0=s.wav"),
            np.concatenate([mono, mono]),
        )
        for label, content in media.broken_wavs():
            self.write("broken.wav", content)
            self.expect(f"broken WAV: {label}", 5, "run", "a.tflite", "--input", "0=broken.wav", err=["broken.wav"])
        self.write("2d.tflite", tiny.copy_model(tiny.FLOAT32, [4, 4]))
        self.write("broken.wav", media.wav(x, 16)[:-3])
        self.expect(
            "a WAV cut short says by how much",
            5,
            "run",
            "a.tflite",
            "--input",
            "0=broken.wav",
            err=[f"its samples should have {2 * len(x)} bytes, {2 * len(x) - 3} are left"],
        )
        self.expect("WAV for a matrix", 5, "run", "2d.tflite", "--input", "0=s.wav", err=["takes no audio"])

    def test_image_bombs(self):
        """A small file never takes much time or memory, whatever size its header promises."""
        self.write("u8.tflite", tiny.copy_model(tiny.UINT8, [1, 8, 8, 3]))
        self.write("p.png", media.png(np.zeros((8, 8, 3), np.uint8)))
        if "no images" in self.call("run", "u8.tflite", "--input", "0=p.png").stderr.decode():
            return
        for label, content in media.image_bombs():
            self.write("bomb", content)
            self.timed(
                f"image bomb: {label}",
                ("run", "u8.tflite", "--input", "0=bomb"),
                3,
                code=5,
                err=["bomb: no readable image"],
            )
        flat = np.full((2000, 3000), 77, np.uint8)
        self.write("flat.png", media.png(flat))
        self.write("g.tflite", tiny.copy_model(tiny.UINT8, [1, 8, 8, 1]))
        self.equal(
            "an image that packs well",
            self.run_ok("flat image", "g.tflite", "--input", "0=flat.png"),
            np.full(64, 77, np.uint8),
        )
        self.expect(
            "an image beyond the memory limit",
            5,
            "run",
            "g.tflite",
            "--input",
            "0=flat.png",
            "--max-memory",
            1,
            err=["flat.png takes 24000000 bytes", "--max-memory"],
        )
        self.write("long.tflite", tiny.copy_model(tiny.FLOAT32, [1 << 20]))
        self.write("s.wav", media.wav(np.zeros((4, 1)), 16))
        self.expect(
            "audio beyond the memory limit",
            5,
            "run",
            "long.tflite",
            "--input",
            "0=s.wav",
            "--max-memory",
            1,
            err=["s.wav takes 4194304 bytes", "--max-memory"],
        )


if __name__ == "__main__":
    sys.exit(kit.main(Tests))
