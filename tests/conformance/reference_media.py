"""NumPy references of MediaPipe's custom operators, which no oracle here has: an independent reading of their documented
arithmetic (transposed convolution as a scatter, pooling by windows, matrices as products of 3 x 3 and 4 x 4 matrices)."""

import numpy as np
from flatbuffers import flexbuffers

from reference_recurrent import OneOperator

LIMITS = {0: (-np.inf, np.inf), 1: (0, np.inf), 2: (-1, 1), 3: (0, 6)}


class Media(OneOperator):
    def __init__(self, model):
        super().__init__(model)
        code = self.model.operatorCodes[self.op.opcodeIndex]
        raw = self.op.customOptions
        self.raw = b"" if raw is None else np.asarray(raw, np.uint8).tobytes()
        self.v2 = code.version >= 2 or code.customCode.endswith(b"V2")

    def words(self):
        return [int(w) for w in np.frombuffer(self.raw, "<i4")]

    def options(self):
        return flexbuffers.Loads(bytearray(self.raw))


class TransposeConvBias(Media):
    def compute(self):
        same, (stride_w, stride_h) = self.words()[0] == 1, self.words()[1:3]
        x, w, bias = self.ins
        n, h, wide, _ = x.shape
        out_c, k_h, k_w, _ = w.shape
        y = np.zeros((n, stride_h * (h - 1) + k_h, stride_w * (wide - 1) + k_w, out_c))
        for i in range(h):
            for j in range(wide):
                part = np.einsum("nc,oyxc->nyxo", x[:, i, j].astype(np.float64), w)
                y[:, i * stride_h : i * stride_h + k_h, j * stride_w : j * stride_w + k_w] += part
        if same:
            cut_h = max(0, k_h - (h - 1) % stride_h - 1)
            cut_w = max(0, k_w - (wide - 1) % stride_w - 1)
            top, left = cut_h // 2, cut_w // 2
            y = y[:, top : y.shape[1] - (cut_h - top), left : y.shape[2] - (cut_w - left)]
        return [(y + bias).astype(np.float32)]


class MaxPool(Media):
    def axis(self, size, k, stride, same):
        """Where windows begin."""
        out = -(-size // stride) if same else (size - k) // stride + 1
        pad = max(0, (out - 1) * stride + k - size) // 2 if same else 0
        return [i * stride - pad for i in range(out)]

    def compute(self):
        padding, stride_w, stride_h, k_w, k_h, activation = self.words()[:6]
        (x,) = self.ins
        n, h, w, c = x.shape
        rows, columns = self.axis(h, k_h, stride_h, padding == 1), self.axis(w, k_w, stride_w, padding == 1)
        y = np.zeros((n, len(rows), len(columns), c), np.float32)
        at = np.zeros_like(y)
        for i, top in enumerate(rows):
            for j, left in enumerate(columns):
                cells = np.full((n, k_h, k_w, c), np.float32(-3.402823466e38))
                for a in range(k_h):
                    for b in range(k_w):
                        if 0 <= top + a < h and 0 <= left + b < w:
                            cells[:, a, b] = x[:, top + a, left + b]
                cells = cells.reshape(n, k_h * k_w, c)
                y[:, i, j], at[:, i, j] = cells.max(1), cells.argmax(1)
        return [np.clip(y, *LIMITS[activation]), at + np.float32(0.1)]


class MaxUnpool(Media):
    """Indices are cells of windows (MediaPipe) or, of whole numbers, elements of the output's image (TFLite)."""

    def valid(self, h, w):
        stride_w, stride_h, k_w, k_h = self.words()[1:5]
        return (h - 1) * stride_h + k_h, (w - 1) * stride_w + k_w

    def flat(self, x, at, h, w):
        y = np.zeros((len(x), h * w * x.shape[3]), np.float32)
        for b in range(len(x)):
            inside = (at[b] >= 0) & (at[b] < y.shape[1])
            y[b, at[b][inside]] = x[b][inside]
        return y.reshape(len(x), h, w, x.shape[3])

    def compute(self):
        padding, stride_w, stride_h, k_w, k_h = self.words()[:5]
        x, at = self.ins
        n, h, w, c = x.shape
        if at.dtype == np.int32:
            return [self.flat(x, at, *((h * stride_h, w * stride_w) if padding == 1 else self.valid(h, w)))]
        y = np.zeros((n, h * k_h, w * k_w, c), np.float32)
        top = max(0, (h - 1) * stride_h + k_h - h * k_h) // 2
        left = max(0, (w - 1) * stride_w + k_w - w * k_w) // 2
        for b, i, j, k in np.ndindex(*x.shape):
            cell = int(at[b, i, j, k])
            row, column = i * stride_h - top + cell // k_w, j * stride_w - left + cell % k_w
            # MediaPipe writes wherever an index leads; a place outside of the image is none
            if cell >= 0 and 0 <= row < y.shape[1] and 0 <= column < y.shape[2]:
                y[b, row, column, k] = x[b, i, j, k]
        return [y]


def turn(angle):
    return np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])


def shift(x, y):
    return np.array([[1, 0, x], [0, 1, y], [0, 0, 1.0]])


def scale(x, y):
    return np.diag([x, y, 1.0])


class LandmarksToMatrix(Media):
    def box(self, points, subset, angle):
        """Middle (turned back) and size of what encloses the points, seen turned by the angle."""
        seen = points[subset] @ turn(angle)[:2, :2].T
        low, high = seen.min(0), seen.max(0)
        return turn(-angle)[:2, :2] @ ((low + high) / 2), high - low

    def compute(self):
        o = self.options()
        points = self.ins[0].reshape(-1, 3)[:, :2].astype(np.float64)
        left, right = points[o["left_rotation_idx"]], points[o["right_rotation_idx"]]
        dx, dy = right - left
        if self.v2:
            angle = o["target_rotation_radians"] - np.arctan2(dy, dx)
            middle, size = self.box(points, o["subset_idxs"], angle)
            out_w, out_h = o["output_width"], o["output_height"]
            m = shift(*middle) @ turn(-angle) @ scale(o["scale_x"] * size[0] / out_w, o["scale_y"] * size[1] / out_h)
            m = m @ shift(-out_w / 2, -out_h / 2)
        else:
            angle = -np.arctan(dy / dx)
            middle, size = self.box(points, o["subset"], angle)
            reach, (in_h, in_w), (out_h, out_w) = o["landmarks_range"], o["input_hw"], o["output_hw"]
            size = size * o["bbox_size_multiplier"] / reach
            place = middle / reach * 2 - 1
            to_pixels = shift((in_w - 1) / 2, (in_h - 1) / 2) @ scale((in_w - 1) / 2, (in_h - 1) / 2)
            to_square = shift(-1, -1) @ scale(2 / (out_w - 1), 2 / (out_h - 1))
            m = to_pixels @ shift(*place) @ turn(-angle) @ scale(*size) @ to_square
        full = np.eye(4, dtype=np.float32)
        full[:2, :2], full[:2, 3] = m[:2, :2], m[:2, 2]
        return [full[None]]


class TransformLandmarks(Media):
    def compute(self):
        x, m = self.ins[0], self.ins[1].reshape(4, 4)
        o = {} if self.v2 else self.options()
        n = x.shape[-1] if self.v2 else o.get("dimensions", 3)
        points = x.reshape(-1, n).astype(np.float64)
        y = points.copy()
        y[:, :2] = points[:, :2] @ m[:2, :2].T.astype(np.float64) + m[:2, 3] * o.get("scale", 1.0)
        return [y.reshape(x.shape).astype(np.float32)]


class TransformImage(Media):
    def compute(self):
        o, x, m = self.options(), self.ins[0][0], self.ins[1].reshape(4, 4)
        h, w, c = x.shape
        size = (o["output_height"], o["output_width"]) if self.v2 else o["output_size"]
        half = np.float32(0.5 if self.v2 else 0)
        row, column = np.meshgrid(np.arange(size[0]), np.arange(size[1]), indexing="ij")
        # the centre of an output pixel, where the matrix says it is, less the half that the input's own centres have
        at = [r[0] * (column + half) + r[1] * (row + half) + r[3] - half for r in m[:2].astype(np.float64)]
        px, py = at
        inside = (px >= 0) & (px <= w - 1) & (py >= 0) & (py <= h - 1)
        padded = np.zeros((h + 1, w + 1, c))
        padded[:h, :w] = x
        ix, iy = [np.where(inside, np.floor(v), 0).astype(int) for v in (px, py)]
        fx, fy = (px - ix)[..., None], (py - iy)[..., None]
        upper = padded[iy, ix] * (1 - fx) + padded[iy, ix + 1] * fx
        lower = padded[iy + 1, ix] * (1 - fx) + padded[iy + 1, ix + 1] * fx
        y = np.where(inside[..., None], upper * (1 - fy) + lower * fy, 0)
        return [y[None].astype(np.float32)]
