#!/usr/bin/env python3
"""Operations of detectors on the NNAPI device against NumPy: boxes, suppression, proposals, regions, heat maps; floats, half floats
and both quantized types, both layouts.

    test_boxes.py [--library build/test/libnpu_rt_nnapi.so]

Bounds are those of test_operations.py. Scores are drawn such that no two are equal: ties may go either way."""

import argparse
import sys

import numpy as np

import settings  # isort: skip
from client import Failed, Library
from runner import Score
from test_operations import FLOAT, HALF, I8, INT, QUANT, U8, S, X, built, check, f32, i32, nchw, seeded, yes

U16, S16 = "TENSOR_QUANT16_ASYMM", "TENSOR_QUANT16_SYMM"
KINDS = (FLOAT, HALF, U8, I8)


def scalar(kind, v):
    return S("FLOAT16", np.float16(v)) if kind == HALF else f32(v)


def wide(kind):
    """The type of boxes beside data of that type."""
    return U16 if kind in (U8, I8) else kind


def quant(kind):
    return QUANT.get(kind)


def some_boxes(rng, n, height, width, least=1.0):
    x, y = (np.sort(rng.uniform(0, size, (n, 2)), 1) for size in (width, height))
    x[:, 1] = np.minimum(x[:, 1] + least, width)
    y[:, 1] = np.minimum(y[:, 1] + least, height)
    return np.stack([x[:, 0], y[:, 0], x[:, 1], y[:, 1]], 1)


def moved(boxes, deltas, image):
    """Boxes [n, 4] by deltas [n, 4], cut to (height, width)."""
    size, center = boxes[:, 2:] - boxes[:, :2], (boxes[:, 2:] + boxes[:, :2]) / 2
    center, size = center + deltas[:, :2] * size, size * np.exp(deltas[:, 2:])
    return np.clip(np.concatenate([center - size / 2, center + size / 2], 1), 0, np.tile(image[::-1], 2))


def bbox_cases():
    for kind in KINDS:
        rng, n, classes, b = seeded("bbox" + kind), 7, 3, wide(kind)
        boxes, deltas = X(some_boxes(rng, n, 60, 80), b), X(rng.uniform(-1, 1, (n, classes * 4)), kind)
        batch, image = X(rng.integers(0, 3, n), INT), X([[60, 80], [50, 64], [48, 90]], b)
        parts = deltas.real.reshape(n, classes, 4)
        want = [
            [moved(boxes.real[i : i + 1], parts[i, c : c + 1], image.real[batch.raw[i]])[0] for c in range(classes)]
            for i in range(n)
        ]
        yield (
            "AXIS_ALIGNED_BBOX_TRANSFORM",
            [boxes, deltas, batch, image],
            [(b, (n, classes * 4), quant(b))],
            [np.reshape(want, (n, -1))],
        )


def overlap(a, b):
    side = np.maximum(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), 0)
    both = side[0] * side[1]
    return both / (np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]) - both)


def suppressed(boxes, scores, which, threshold, most=-1, kernel=0, sigma=1.0, least=0.0):
    """The candidates that stay, in order; `scores` changes with the soft kernels."""
    left, stay = list(which), []
    while left and (most < 0 or len(stay) < most):
        best = max(left, key=lambda i: scores[i])
        stay.append(best)
        left.remove(best)
        for i in list(left):
            over = overlap(boxes[i], boxes[best])
            if kernel == 2:
                scores[i] *= np.exp(-(over**2) / sigma)
            elif over >= threshold:
                scores[i] *= 1 - over if kernel else 0
            if scores[i] < least or (not kernel and over >= threshold):
                left.remove(i)
    return stay


def nms_cases():
    for n_case, (kind, kernel, most, images) in enumerate([
        (FLOAT, 0, -1, [0] * 12), (FLOAT, 0, 4, [0] * 7 + [1] * 9), (FLOAT, 1, 5, [2] * 10 + [0] * 6), (FLOAT, 2, -1, [0] * 11),
        (HALF, 1, 6, [0] * 5 + [3] * 6), (U8, 0, 5, [0] * 12), (I8, 0, -1, [0] * 4 + [1] * 6), (FLOAT, 2, 3, [0, 1, 1, 1, 1]),
        (FLOAT, 0, 0, [0] * 4),
    ]):  # fmt: skip
        rng, n, classes = seeded("nms%d" % n_case), len(images), 3
        q = {U8: (1 / 256, 0), I8: (1 / 256, -128)}.get(kind)
        scores = X(rng.permutation(n * classes).reshape(n, classes) / (n * classes) * 0.98 + 0.01, kind, quant=q)
        boxes = X(some_boxes(rng, n * classes, 40, 40, 8).reshape(n, classes * 4), wide(kind))
        batch, wants = X(images, INT), [[], [], [], []]
        least, over, sigma, nms_least = 0.2, 0.35, 0.6, 0.15
        start = 0
        for image in dict.fromkeys(images):
            end = start + images.count(image)
            found = []
            for c in range(1, classes):
                s = scores.real[start:end, c].copy()
                b = boxes.real[start:end, c * 4 : c * 4 + 4]
                for i in suppressed(b, s, np.nonzero(s > least)[0], over, most, kernel, sigma, nms_least):
                    found.append((s[i], b[i], c, image))
            if most >= 0:
                limit = sorted((f[0] for f in found), reverse=True)[:most]
                found = [f for f in found if f[0] in limit]
            for f in found:
                for k in range(4):
                    wants[k].append(f[k])
            start = end
        wants[1] = np.reshape(wants[1], (-1, 4))
        args = [
            scores,
            boxes,
            batch,
            scalar(kind, least),
            i32(most),
            i32(kernel),
            scalar(kind, over),
            scalar(kind, sigma),
            scalar(kind, nms_least),
        ]
        kinds = [(kind, q), (wide(kind), quant(wide(kind))), (INT, None), (INT, None)]
        yield "BOX_WITH_NMS_LIMIT", args, [(k, np.shape(w), qq) for (k, qq), w in zip(kinds, wants)], wants


def proposal_cases():
    for n_case, (kind, before, after, layout) in enumerate([
        (FLOAT, -1, -1, False), (FLOAT, 20, 6, True), (HALF, 15, -1, False), (U8, -1, 5, True), (I8, 30, 8, False), (FLOAT, 0, 3, False),
    ]):  # fmt: skip
        rng, (b, h, w, a) = seeded("propose%d" % n_case), (2, 3, 4, 3)
        q = {U8: (1 / 128, 0), I8: (1 / 128, -100)}.get(kind)
        dq = {U8: (1 / 64, 128), I8: (1 / 64, 1)}.get(kind)
        lay = nchw if layout else lambda v: v
        base = rng.permuted(np.tile(np.arange(h * w * a), (b, 1)), axis=1).reshape(b, h, w, a) / 40 + 0.01
        scores = X(lay(base), kind, quant=q)
        raw = X(rng.uniform(-0.7, 0.7, (b, h, w, a * 4)), kind, quant=dq)
        deltas = X(lay(raw.real), kind, quant=dq)
        anchors = X([[-4, -4, 6, 5], [-8, -3, 9, 4], [-2.5, -7, 3, 9]], S16 if kind in (U8, I8) else kind)
        image = X([[30, 40], [26, 44]], wide(kind))
        stride, over, least = (8.0, 10.0), 0.3, 2.0
        flat = np.moveaxis(scores.real, 1, 3) if layout else scores.real
        wants = [[], [], []]
        for i in range(b):
            shift = np.stack(np.meshgrid(np.arange(w) * stride[1], np.arange(h) * stride[0]), -1)
            grid = (np.tile(shift, 2)[:, :, None] + anchors.real).reshape(-1, 4)
            boxes, s = moved(grid, raw.real[i].reshape(-1, 4), image.real[i]), flat[i].reshape(-1)
            order = np.argsort(-s, kind="stable")[: before if before > 0 else len(s)]
            size, center = boxes[:, 2:] - boxes[:, :2], (boxes[:, 2:] + boxes[:, :2]) / 2
            keep = [k for k in order if (size[k] > least).all() and (center[k] < image.real[i][::-1]).all()]
            for k in suppressed(boxes, s, keep, over, after if after > 0 else -1):
                wants[0].append(s[k])
                wants[1].append(boxes[k])
                wants[2].append(i)
        args = [
            scores,
            deltas,
            anchors,
            image,
            f32(stride[0]),
            f32(stride[1]),
            i32(before),
            i32(after),
            f32(over),
            f32(least),
            yes(layout),
        ]
        if kind == HALF:
            args[4:6], args[8:10] = [scalar(HALF, v) for v in stride], [scalar(HALF, over), scalar(HALF, least)]
        kinds = [(kind, q), (wide(kind), quant(wide(kind))), (INT, None)]
        yield "GENERATE_PROPOSALS", args, [(k, np.shape(v), qq) for (k, qq), v in zip(kinds, wants)], wants


def detection_cases():
    for n_case, (kind, regular, background, most, classes_each, per_class) in enumerate([
        (FLOAT, True, True, 8, 1, 4), (FLOAT, True, False, 3, 1, 100), (FLOAT, False, True, 4, 2, 1), (FLOAT, False, False, 50, 1, 1),
        (HALF, True, True, 6, 1, 3), (HALF, False, False, 5, 9, 1),
    ]):  # fmt: skip
        rng, (b, n, classes) = seeded("detect%d" % n_case), (2, 9, 4)
        scores = X(
            rng.permuted(np.tile(np.arange(n * classes), (b, 1)), axis=1).reshape(b, n, classes) / (n * classes), kind
        )
        deltas = X(rng.uniform(-1, 1, (b, n, 4 + n_case % 2 * 3)), kind)
        anchors = X(rng.uniform(0.3, 0.6, (n, 4)), kind)
        scale, least, over = (10.0, 9.0, 5.0, 4.0), 0.3, 0.4
        room = most if regular else most * classes_each
        wants = [np.zeros((b, room)), np.zeros((b, room, 4)), np.zeros((b, room), np.int32), np.zeros(b, np.int32)]
        for i in range(b):
            d, a, s = deltas.real[i], anchors.real, scores.real[i]
            center = a[:, :2] + a[:, 2:] * d[:, :2] / scale[:2]
            half = a[:, 2:] * np.exp(d[:, 2:4] / scale[2:]) / 2
            boxes, found = np.concatenate([center - half, center + half], 1), []
            if regular:
                for c in range(1, classes):
                    stay = suppressed(boxes, s[:, c].copy(), np.nonzero(s[:, c] > least)[0], over, per_class)
                    found += [(s[k, c], boxes[k], c) for k in stay]
                found = sorted(found, key=lambda f: -f[0])[:most]
            else:
                best = s[:, 1:].max(1)
                for k in suppressed(boxes, best.copy(), np.nonzero(best > least)[0], over, most):
                    found += [(s[k, c], boxes[k], c) for c in 1 + np.argsort(-s[k, 1:])[:classes_each]]
            for k, f in enumerate(found):
                wants[0][i, k], wants[1][i, k], wants[2][i, k] = f[0], f[1], f[2] - (not background)
            wants[3][i] = len(found)
        args = [
            scores,
            deltas,
            anchors,
            *(scalar(kind, v) for v in scale),
            yes(regular),
            i32(most),
            i32(classes_each),
            i32(per_class),
        ]
        args += [scalar(kind, least), scalar(kind, over), yes(background)]
        yield (
            "DETECTION_POSTPROCESSING",
            args,
            [(k, w.shape, None) for k, w in zip((kind, kind, INT, INT), wants)],
            wants,
        )


def aligned(data, region, batch, size, stride, samples):
    h, w = data.shape[1:3]
    x0, y0, x1, y1 = region / np.array([stride[1], stride[0]] * 2)
    high, wide_ = max(y1 - y0, 1) / size[0], max(x1 - x0, 1) / size[1]
    ny, nx = samples[0] or int(np.ceil(high)), samples[1] or int(np.ceil(wide_))
    out = np.zeros((*size, data.shape[3]))
    for i in range(size[0]):
        for j in range(size[1]):
            for a in range(ny):
                for b in range(nx):
                    y, x = y0 + high * (i + (a + 0.5) / ny), x0 + wide_ * (j + (b + 0.5) / nx)
                    yl, xl = min(int(y), h - 1), min(int(x), w - 1)
                    yh, xh = min(yl + 1, h - 1), min(xl + 1, w - 1)
                    dy, dx = (y - yl if yl < h - 1 else 0), (x - xl if xl < w - 1 else 0)
                    v = data[batch]
                    out[i, j] += (1 - dy) * ((1 - dx) * v[yl, xl] + dx * v[yl, xh]) + dy * (
                        (1 - dx) * v[yh, xl] + dx * v[yh, xh]
                    )
    return out / (ny * nx)


def pooled(data, region, batch, size, stride):
    h, w = data.shape[1:3]
    x0, y0, x1, y1 = np.floor(region / np.array([stride[1], stride[0]] * 2) + 0.5)
    high, wide_ = max(y1 - y0 + 1, 1) / size[0], max(x1 - x0 + 1, 1) / size[1]
    out = np.zeros((*size, data.shape[3]))
    for i in range(size[0]):
        for j in range(size[1]):
            rows = slice(min(int(np.floor(i * high + y0)), h), min(int(np.ceil((i + 1) * high + y0)), h))
            columns = slice(min(int(np.floor(j * wide_ + x0)), w), min(int(np.ceil((j + 1) * wide_ + x0)), w))
            part = data[batch, rows, columns]
            if part.size:
                out[i, j] = part.max((0, 1))
    return out


def roi_cases():
    for n_case, (kind, layout, size, stride, samples) in enumerate([
        (FLOAT, False, (2, 2), (2.0, 2.0), (2, 2)), (FLOAT, True, (3, 2), (4.0, 2.0), (0, 0)), (HALF, False, (2, 3), (2.0, 4.0), (1, 3)),
        (U8, True, (2, 2), (2.0, 2.0), (0, 2)), (I8, False, (3, 3), (2.0, 2.0), (2, 0)), (FLOAT, False, (5, 4), (1.0, 1.0), (4, 4)),
    ]):  # fmt: skip
        rng, (b, h, w, c), n = seeded("roi%d" % n_case), (3, 6, 5, 4), 6
        lay = nchw if layout else lambda v: v
        base = X(rng.uniform(-3, 3, (b, h, w, c)), kind)
        x = X(lay(base.real), kind)
        grid = some_boxes(rng, n, h * stride[0], w * stride[1])
        regions, batch = X(np.round(grid * 4) / 4, wide(kind)), X(np.sort(rng.integers(0, b, n)), INT)
        strides = [scalar(kind, stride[0]), scalar(kind, stride[1])]
        for op in ("ROI_ALIGN", "ROI_POOLING"):
            if op == "ROI_ALIGN":
                y = [aligned(base.real, r, k, size, stride, samples) for r, k in zip(regions.real, batch.raw)]
            else:
                y = [pooled(base.real, r, k, size, stride) for r, k in zip(regions.real, batch.raw)]
            y = lay(np.stack(y))
            more = [i32(samples[0]), i32(samples[1])] if op == "ROI_ALIGN" else []
            args = [x, regions, batch, i32(size[0]), i32(size[1]), *strides, *more, yes(layout)]
            yield op, args, [(kind, y.shape, quant(kind))], [y]


def heatmap_cases():
    for n_case, (kind, layout, size) in enumerate(
        [(FLOAT, False, 6), (FLOAT, True, 5), (HALF, False, 2), (U8, True, 7), (I8, False, 4)]
    ):
        rng, n, points = seeded("heat%d" % n_case), 3, 4
        base = X(rng.uniform(-4, 4, (n, size, size, points)), kind)
        x, boxes = X(nchw(base.real) if layout else base.real, kind), X(some_boxes(rng, n, 50, 70), wide(kind))
        scores, places = np.zeros((n, points)), np.zeros((n, points, 2))
        for i in range(n):
            for p in range(points):
                m = base.real[i, :, :, p]
                y0, x0 = np.unravel_index(np.argmax(m), m.shape)
                v = np.pad(m, 1, "reflect")[y0 : y0 + 3, x0 : x0 + 3]
                grad = np.array([v[1, 2] - v[1, 0], v[2, 1] - v[0, 1]]) / 2
                mixed = (v[2, 2] - v[2, 0] - v[0, 2] + v[0, 0]) / 4
                hess = np.array([[v[1, 0] - 2 * v[1, 1] + v[1, 2], mixed], [mixed, v[0, 1] - 2 * v[1, 1] + v[2, 1]]])
                d = np.zeros(2)
                if abs(np.linalg.det(hess)) >= 1e-5 * (1 + hess[0, 0] * hess[1, 1]):
                    d = -np.linalg.solve(hess, grad)
                    d *= min(1, 1.5 / max(np.abs(d).max(), 1e-9))
                scores[i, p] = v[1, 1] + grad @ d + d @ hess @ d / 2
                corner, far = boxes.real[i, :2], boxes.real[i, 2:]
                places[i, p] = corner + (np.array([x0, y0]) + d + 0.5) / size * (far - corner)
        outs = [(kind, scores.shape, quant(kind)), (wide(kind), places.shape, quant(wide(kind)))]
        yield "HEATMAP_MAX_KEYPOINT", [x, boxes, yes(layout)], outs, [scores, places]


FAMILIES = (bbox_cases, nms_cases, proposal_cases, detection_cases, roi_cases, heatmap_cases)


def hostile(score, library):
    """Data that no box may have: a failure, and nothing else."""
    x = X(np.ones((2, 4, 4, 3)))
    for name, region, batch in (
        ("outside", [[0, 0, 99, 2]], [0]), ("inside_out", [[3, 0, 1, 2]], [0]), ("nan", [[np.nan, 0, 1, 2]], [0]),
        ("batch", [[0, 0, 1, 2]], [2]), ("negative", [[0, 0, 1, 2]], [-1]),
    ):  # fmt: skip
        args = [x, X(region), X(batch, INT), i32(2), i32(2), f32(1), f32(1)]
        for op, more in (("ROI_ALIGN", [i32(0), i32(0), yes(False)]), ("ROI_POOLING", [yes(False)])):
            m, arrays = built(library, op, args + more, [(FLOAT, (1, 2, 2, 3), None)])
            try:
                m.run(arrays)
                problem = "no failure"
            except Failed as e:
                problem = None if e.result == "OP_FAILED" else str(e)
            m.close()
            score.check("%s/%s" % (op.lower(), name), problem)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--library", default=settings.LIBRARY)
    a = p.parse_args()
    library, score, count = Library(a.library), Score("nnapi boxes"), {}
    for family in FAMILIES:
        for case in family():
            count[case[0]] = count.get(case[0], 0) + 1
            check(score, library, case, count[case[0]])
    hostile(score, library)
    return score.close()


if __name__ == "__main__":
    sys.exit(main())
