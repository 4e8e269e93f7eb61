/* On-the-fly quantization of float inputs, step by step as TFLite's portable tensor_utils do it. */
#include "ref_quant.h"
#include "vec_loop.h"
NPU__SPEED_BEGIN

/* Lanes start from x[0]: what a NaN in front decides, it decides for all. */
NPU__FN npu__minmax npu__minmax_f32(const float *x, int64_t n) {
    float       lo[16], hi[16];
    npu__minmax m;
    int64_t     i = 0;
    m.lo = m.hi = n > 0 ? x[0] : 0.0f;
    if (n >= 16) {
        for (int k = 0; k < 16; k++) lo[k] = hi[k] = m.lo;
        for (; i + 16 <= n; i += 16, x += 16) {
            NPU__VEC_FOR(k, 16) lo[k] = x[k] < lo[k] ? x[k] : lo[k];
            NPU__VEC_FOR(k, 16) hi[k] = x[k] > hi[k] ? x[k] : hi[k];
        }
        for (int k = 0; k < 16; k++) {
            if (lo[k] < m.lo) m.lo = lo[k];
            if (hi[k] > m.hi) m.hi = hi[k];
        }
    }
    for (; i < n; i++, x++) {
        if (*x < m.lo) m.lo = *x;
        if (*x > m.hi) m.hi = *x;
    }
    return m;
}

/* Half away from zero, NaN to 0. What is added before the cut is the float below a half: with a half, the float below a half would
 * become 1. One operation a statement: a multiply-add would round once. */
NPU__NO_FUSE NPU__FN void npu__quantize_f32(const float *x, int64_t n, float inverse, float zp, int32_t lo, int8_t *q) {
    const float most = npu__kept_f32(1.0e6f), half = npu__kept_f32(0.49999997f);
    for (; n >= 16; n -= 16, x += 16, q += 16) {
        int32_t whole[16];
        NPU__VEC_FOR(k, 16) {
            float v = x[k] * inverse;
            v = zp + v;
            v = v == v ? v : 0.0f;
            v = v > -most ? v : -most;
            v = v < most ? v : most;
            v += v < 0.0f ? -half : half;
            whole[k] = (int32_t)v;
        }
        NPU__VEC_FOR(k, 16) whole[k] = whole[k] < lo ? lo : whole[k] > 127 ? 127 : whole[k];
        NPU__VEC_FOR(k, 16) q[k] = (int8_t)whole[k];
    }
    for (int64_t i = 0; i < n; i++) {
        const float v = x[i] * inverse;
        q[i] = (int8_t)npu__clamp32(npu__round_i32(zp + v), lo, 127);
    }
}

/* Both return the scale. */
NPU__FN float npu__quantize_symmetric(npu__minmax_fn minmax, npu__quantize_fn quantize, const float *x, int64_t n,
                                      int8_t *q) {
    npu__minmax m = minmax(x, n);
    float       lo = fabsf(m.lo), hi = fabsf(m.hi), range = NPU__MAX(lo, hi);
    if (!(range != 0.0f)) {
        if (n > 0) memset(q, 0, (size_t)n);
        return 1.0f;
    }
    /* -128 is left out: the range is symmetric. */
    quantize(x, n, 127.0f / range, 0.0f, -127, q);
    return range / 127.0f;
}

/* The zero point is derived from whichever end of the range loses less, in double. */
NPU__FN int32_t npu__asymmetric_zero_point(double lo, double hi, double scale) {
    /* The affine map must give real zero exactly: the zero point is rounded, and clamped to int8. */
    const double at_lo = lo / scale, at_hi = hi / scale;
    const double zp = 128.0 + fabs(at_lo) < 127.0 + fabs(at_hi) ? -128.0 - at_lo : 127.0 - at_hi;
    if (!(zp > -128.0)) return -128;
    if (zp >= 127.0) return 127;
    return (int32_t)(zp + (zp < 0.0 ? -0.49999999999999994 : 0.49999999999999994)); /* round(), without the call */
}

NPU__FN float npu__quantize_asymmetric(npu__minmax_fn minmax, npu__quantize_fn quantize, const float *x, int64_t n,
                                       int8_t *q, int32_t *zp) {
    npu__minmax m = minmax(x, n);
    double      lo = (double)NPU__MIN(0.0f, m.lo), hi = (double)NPU__MAX(0.0f, m.hi), step;
    float       scale;
    *zp = 0;
    if (lo == hi) {
        if (n > 0) memset(q, 0, (size_t)n);
        return 1.0f;
    }
    step = (hi - lo) / 255.0;
    *zp = npu__asymmetric_zero_point(lo, hi, step);
    scale = (float)step;
    quantize(x, n, 1.0f / scale, (float)*zp, -128, q);
    return scale;
}

NPU__FN void npu__quantize_rows_by(npu__minmax_fn minmax, npu__quantize_fn quantize, const float *x, int64_t rows,
                                   int64_t n, int asymmetric, int8_t *q, float *scale, int32_t *zp) {
    for (int64_t r = 0; r < rows; r++, x += n, q += n) {
        zp[r] = 0;
        scale[r] = asymmetric ? npu__quantize_asymmetric(minmax, quantize, x, n, q, &zp[r])
                              : npu__quantize_symmetric(minmax, quantize, x, n, q);
    }
}

NPU__FN void npu__quantize_rows(const float *x, int64_t rows, int64_t n, int asymmetric, int8_t *q, float *scale,
                                int32_t *zp) {
    npu__quantize_rows_by(npu__minmax_f32, npu__quantize_f32, x, rows, n, asymmetric, q, scale, zp);
}

NPU__FN void npu__unpack_int2(const uint8_t *in, int64_t n, int8_t *out) {
    for (int64_t i = 0; i < n; i++) {
        int v = (in[i >> 2] >> ((i & 3) * 2)) & 3;
        out[i] = (int8_t)(v >= 2 ? v - 4 : v);
    }
}
NPU__SPEED_END
