"""Conformance cases of custom operators of audio (TFLite's, its own kernels are the oracle) and of MediaPipe's networks, which
no oracle has: reference_media.py computes them."""

import struct

import numpy as np
from flatbuffers import flexbuffers

from mkmodel import T, rng_of, single_op

REF, TOL = "litert_ref", 1e-4


def model(op, ins, outs, options, version=1):
    raw = options if isinstance(options, bytes) else bytes(flexbuffers.Dumps(options))
    return single_op("CUSTOM", ins, outs, custom=(op, raw), version=version)


def sets(rng, ins, n=2, spread=1.0):
    live = [t for t in ins if t.data is None]
    return [[rng.normal(0, spread, t.shape).astype(np.float32) for t in live] for _ in range(n)]


# ---- audio ---------------------------------------------------------------------------------------------------------


def spectrogram_cases():
    for label, samples, channels, window, stride, squared in (
        ("plain", 1000, 1, 320, 160, True),
        ("magnitude", 1000, 1, 320, 160, False),
        ("power_of_two", 900, 2, 256, 100, True),
        ("stereo_magnitude", 777, 2, 65, 33, False),
        ("short", 40, 1, 40, 40, True),
        ("two", 9, 3, 2, 1, True),
        ("gaps", 100, 1, 7, 30, True),
    ):
        name = "custom/AudioSpectrogram/" + label
        fft = 1 << (window - 1).bit_length()
        ins = [T("x", (samples, channels))]
        out = T("y", (channels, 1 + (samples - window) // stride, fft // 2 + 1))
        options = {"window_size": window, "stride": stride, "magnitude_squared": squared}
        yield name, model("AudioSpectrogram", ins, [out], options), sets(rng_of(name), ins), REF, TOL


def mfcc_cases():
    for label, shape, low, high, channels, coefficients, rate in (
        ("plain", (1, 5, 257), 20, 4000, 40, 13, 16000),
        ("stereo", (2, 3, 129), 0, 3000, 20, 20, 8000),
        ("narrow", (1, 2, 65), 300, 1000, 10, 4, 16000),
        ("one", (1, 1, 17), 1, 7999, 1, 1, 16000),
        # the spectrogram ends before the filter bank
        ("too_short", (1, 2, 33), 20, 4000, 8, 5, 4000),
        ("many_channels", (1, 2, 33), 20, 4000, 80, 30, 16000),
    ):
        for live in (False, True):
            name = "custom/Mfcc/%s%s" % (label, "_live" if live else "")
            rng = rng_of(name)
            x = T("x", shape)
            r = T("rate", (1,), "int32", data=None if live else np.array([rate]))
            options = {
                "upper_frequency_limit": high,
                "lower_frequency_limit": low,
                "filterbank_channel_count": channels,
                "dct_coefficient_count": coefficients,
            }
            made = model("Mfcc", [x, r], [T("y", shape[:2] + (coefficients,))], options)
            feeds = [[np.abs(rng.normal(0, 9, shape)).astype(np.float32) ** 2] for _ in range(2)]
            feeds[1][0][0, 0] = 0
            yield name, made, [f + [np.array([rate], np.int32)] * live for f in feeds], REF, TOL


# ---- images --------------------------------------------------------------------------------------------------------

SAME, VALID = 1, 2


def transpose_conv_cases():
    for label, shape, out_c, k, stride, padding in (
        ("same", (1, 4, 5, 3), 2, (2, 2), (2, 2), SAME),
        ("same_overlap", (2, 3, 4, 5), 4, (3, 3), (2, 2), SAME),
        ("valid", (1, 4, 5, 3), 2, (3, 2), (2, 3), VALID),
        ("gaps", (1, 3, 3, 2), 3, (1, 2), (3, 4), VALID),
        ("same_gaps", (1, 3, 3, 2), 3, (1, 2), (3, 4), SAME),
        ("one", (1, 1, 1, 1), 1, (4, 4), (1, 1), SAME),
        ("large", (1, 9, 8, 16), 8, (4, 4), (2, 2), SAME),
    ):
        for longer in (False, True):
            name = "convolution_2d_transpose_bias/f32/%s%s" % (label, "_long_options" if longer else "")
            rng = rng_of(name)
            w = T("w", (out_c,) + k + shape[3:], data=rng.normal(0, 0.5, (out_c,) + k + shape[3:]))
            ins = [T("x", shape), w, T("b", (out_c,), data=rng.normal(0, 0.5, out_c))]
            # the struct of TFLite's builtin, which grew: padding, strides, (activation, type of the bias)
            options = struct.pack("<3i", padding, stride[1], stride[0]) + (bytes(8) if longer else b"")
            cut = [max(0, k[i] - (shape[1 + i] - 1) % stride[i] - 1) if padding == SAME else 0 for i in (0, 1)]
            size = tuple(stride[i] * (shape[1 + i] - 1) + k[i] - cut[i] for i in (0, 1))
            made = model("Convolution2DTransposeBias", ins, [T("y", shape[:1] + size + (out_c,))], options)
            yield name, made, sets(rng, ins), "reference_media.TransposeConvBias", TOL


def pool_options(padding, stride, k, activation=0, size=40):
    return struct.pack("<6i", padding, stride[1], stride[0], k[1], k[0], activation).ljust(size, b"\0")


POOLS = (
    ("plain", (1, 6, 8, 3), (2, 2), (2, 2), VALID, 0),
    ("same", (2, 5, 7, 4), (2, 2), (2, 2), SAME, 0),
    ("overlap", (1, 7, 7, 5), (3, 3), (2, 2), SAME, 0),
    ("wide", (1, 6, 9, 2), (2, 3), (2, 3), VALID, 0),
    ("relu", (1, 5, 6, 3), (2, 2), (1, 2), SAME, 1),
    ("relu6", (1, 4, 4, 3), (2, 2), (2, 2), VALID, 3),
    ("gaps", (1, 9, 8, 2), (2, 2), (4, 3), SAME, 0),
    ("short_options", (1, 4, 4, 1), (2, 2), (2, 2), VALID, 0),
)


def pool_cases():
    for label, shape, k, stride, padding, activation in POOLS:
        name = "max_pooling_with_argmax_2d/f32/" + label
        out = [
            -(-shape[1 + i] // stride[i]) if padding == SAME else (shape[1 + i] - k[i]) // stride[i] + 1 for i in (0, 1)
        ]
        out = shape[:1] + tuple(out) + shape[3:]
        options = pool_options(padding, stride, k, activation, 24 if label == "short_options" else 40)
        ins = [T("x", shape)]
        made = model("MaxPoolingWithArgmax2D", ins, [T("y", out), T("at", out)], options)
        feeds = sets(rng_of(name), ins, spread=4.0)
        feeds[1] = [np.rint(feeds[1][0] / 4).astype(np.float32)]  # ties: the first one counts
        yield name, made, feeds, "reference_media.MaxPool", None


def unpool_cases():
    for label, shape, k, stride, padding, wild in (
        ("plain", (1, 3, 4, 3), (2, 2), (2, 2), SAME, False),
        ("valid", (2, 2, 3, 4), (2, 2), (2, 2), VALID, False),
        ("wide", (1, 3, 3, 2), (2, 3), (2, 3), SAME, False),
        ("overlap", (1, 4, 4, 2), (3, 3), (2, 2), SAME, False),
        ("gaps", (1, 3, 3, 2), (2, 2), (3, 3), SAME, False),
        # indices that lead out of the image
        ("wild", (1, 3, 3, 2), (2, 2), (2, 2), SAME, True),
    ):
        name = "max_unpooling_2d/f32/" + label
        rng = rng_of(name)
        ins = [T("x", shape), T("at", shape)]
        out = (shape[0], shape[1] * k[0], shape[2] * k[1], shape[3])
        made = model("MaxUnpooling2D", ins, [T("y", out)], pool_options(padding, stride, k))
        feeds = sets(rng, ins)
        for f in feeds:
            f[1] = rng.integers(-9 if wild else 0, 60 if wild else k[0] * k[1], shape).astype(np.float32) + np.float32(
                0.1
            )
        yield name, made, feeds, "reference_media.MaxUnpool", None


def flat_unpool_cases():
    for label, shape, k, stride, padding, wild in (
        ("same", (2, 3, 4, 3), (2, 2), (2, 2), SAME, False),
        ("valid", (2, 2, 4, 2), (2, 2), (2, 3), VALID, False),
        ("overlap", (1, 4, 4, 2), (3, 3), (2, 1), VALID, False),
        ("wild", (1, 3, 3, 2), (2, 2), (2, 2), SAME, True),
    ):
        name = "max_unpooling_2d/f32-i32idx/" + label
        rng = rng_of(name)
        ins = [T("x", shape), T("at", shape, "int32")]
        size = [shape[1 + i] * stride[i] if padding == SAME else (shape[1 + i] - 1) * stride[i] + k[i] for i in (0, 1)]
        n = size[0] * size[1] * shape[3]
        made = model(
            "MaxUnpooling2D", ins, [T("y", shape[:1] + tuple(size) + shape[3:])], pool_options(padding, stride, k)
        )
        feeds = []
        for _ in range(2):
            # each place once: which of two values wins is nobody's word
            at = np.stack([rng.permutation(n)[: shape[1] * shape[2] * shape[3]] for _ in range(shape[0])])
            feeds.append([rng.normal(0, 1, shape).astype(np.float32), at.reshape(shape).astype(np.int32)])
            if wild:
                feeds[-1][1] = feeds[-1][1] * 3 - n
        yield name, made, feeds, "reference_media.MaxUnpool", None


# ---- landmarks -----------------------------------------------------------------------------------------------------


def landmark_cases():
    v1 = {
        "dimensions": 3,
        "landmarks_range": 192,
        "left_rotation_idx": 1,
        "right_rotation_idx": 4,
        "bbox_size_multiplier": 1.5,
        "input_hw": [192, 160],
        "output_hw": [64, 48],
        "subset": [0, 1, 2, 4, 7, 5],
    }
    v2 = {
        "left_rotation_idx": 2,
        "right_rotation_idx": 3,
        "target_rotation_radians": 0.25,
        "output_height": 64,
        "output_width": 48,
        "scale_x": 1.5,
        "scale_y": 1.25,
        "subset_idxs": [0, 3, 6, 8],
    }
    v1_name = "Landmarks2TransformMatrix"
    for label, op, version, points, options in (
        ("v1", v1_name, 1, 9, v1),
        ("v1_odd", v1_name, 1, 12, dict(v1, subset=[3, 1, 8])),
        ("v1_range", v1_name, 1, 9, dict(v1, landmarks_range=1, bbox_size_multiplier=2.0)),
        ("v2", v1_name, 2, 9, v2),
        ("v2_name", v1_name + "V2", 1, 11, dict(v2, subset_idxs=[1, 2, 10])),
        ("v2_level", v1_name, 2, 9, dict(v2, target_rotation_radians=0)),
    ):
        name = "landmarks_2_transform_matrix/f32/" + label
        rng = rng_of(name)
        ins = [T("x", (1, 1, 1, 3 * points) if label.startswith("v1") else (1, points, 3))]
        made = model(op, ins, [T("y", (1, 4, 4))], options, version)
        feeds = [[rng.uniform(10, 150, ins[0].shape).astype(np.float32)] for _ in range(3)]
        yield name, made, feeds, "reference_media.LandmarksToMatrix", TOL
    for label, op, version, shape, options in (
        ("v1", "TransformLandmarks", 1, (1, 1, 1, 21), {"dimensions": 3, "scale": 2.5}),
        ("v1_flat", "TransformLandmarks", 1, (1, 2, 3, 8), {"dimensions": 2, "scale": 1.0}),
        ("v1_bare", "TransformLandmarks", 1, (1, 1, 1, 6), {}),
        ("v2", "TransformLandmarks", 2, (1, 7, 3), {}),
        ("v2_flat", "TransformLandmarks", 2, (1, 5, 2), {}),
        ("v2_name", "TransformLandmarksV2", 1, (1, 5, 3), {}),
    ):
        name = "transform_landmarks/f32/" + label
        ins = [T("x", shape), T("m", (1, 4, 4))]
        made = model(op, ins, [T("y", shape)], options, version)
        yield name, made, sets(rng_of(name), ins, spread=5.0), "reference_media.TransformLandmarks", TOL


def transform_cases():
    for label, op, version, shape, size in (
        ("v1", "TransformTensorBilinear", 1, (1, 8, 9, 3), (5, 6)),
        ("v1_old_name", "TransformTensor", 1, (1, 4, 4, 1), (7, 3)),
        ("v2", "TransformTensorBilinear", 2, (1, 8, 9, 3), (5, 6)),
        ("v2_name", "TransformTensorBilinearV2", 1, (1, 10, 6, 4), (12, 12)),
        ("v2_one", "TransformTensorBilinear", 2, (1, 1, 1, 2), (3, 3)),
        ("v2_large", "TransformTensorBilinear", 2, (1, 32, 24, 5), (16, 16)),
    ):
        name = "transform_tensor_bilinear/f32/" + label
        rng = rng_of(name)
        v2 = version == 2 or op.endswith("V2")
        options = (
            {"output_height": size[0], "output_width": size[1]}
            if v2
            else {"mode": "bilinear", "output_size": list(size)}
        )
        ins = [T("x", shape), T("m", (1, 4, 4))]
        feeds = sets(rng, ins, 3)
        for k, f in enumerate(feeds):
            angle, zoom = rng.uniform(-1, 1) * k, rng.uniform(0.4, 1.2) * shape[1] / size[0]
            m = np.eye(4, dtype=np.float32)
            m[:2, :2] = zoom * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
            m[:2, 3] = rng.uniform(0.1, 0.9, 2) + k
            f[1] = m[None]
        made = model(op, ins, [T("y", (1,) + size + shape[3:])], options, version)
        yield name, made, feeds, "reference_media.TransformImage", TOL


def cases():
    yield from spectrogram_cases()
    yield from mfcc_cases()
    yield from transpose_conv_cases()
    yield from pool_cases()
    yield from unpool_cases()
    yield from flat_unpool_cases()
    yield from landmark_cases()
    yield from transform_cases()
