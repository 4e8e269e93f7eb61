"""The normalisations that composites become, computed by numpy as the plugin's operations say them: its epsilon, its axis."""

import numpy as np

FLT_EPSILON = float(np.finfo(np.float32).eps)


def real(t, values):
    """Numbers of a tensor as reals."""
    if t.scale is None:
        return np.asarray(values, np.float64)
    scale, zero = np.asarray(t.scale, np.float64), np.asarray(t.zero_point, np.float64)
    if scale.ndim:
        shape = [1] * len(t.shape)
        shape[t.axis] = len(scale)
        scale, zero = scale.reshape(shape), zero.reshape(shape)
    return (np.asarray(values, np.float64) - zero) * scale


def stored(t, values, low, high):
    if t.scale is None:
        return values
    return np.clip(np.rint(values / np.float64(t.scale)) + t.zero_point, low, high)


def rms_norm(x, gamma, attributes):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + FLT_EPSILON) * gamma


def l2_norm(x, attributes):
    return x / np.sqrt(np.maximum((x * x).sum(-1, keepdims=True), 1e-6))


def group_norm(x, gamma, beta, attributes):
    axis = attributes.get("channel_axis", x.ndim - 1)
    centered = x - x.mean(axis, keepdims=True)
    with np.errstate(all="ignore"):
        normal = centered / np.sqrt((centered * centered).mean(axis, keepdims=True) + attributes.get("epsilon", 0.0))
    return normal * gamma + beta


def expected(case, values):
    """Reals that a composite which the plugin takes gives for its inputs, constants among them."""
    _, name, attributes = case.op
    x, *more = [real(t, v) for t, v in zip(case.inputs, values)]
    attributes = attributes or {}
    if name == "odml.rms_norm":
        return rms_norm(x, more[0], attributes)
    if name == "odml.l2_norm":
        return l2_norm(x, attributes)
    return group_norm(x, more[0], more[1] if len(more) > 1 else 0.0, attributes)
