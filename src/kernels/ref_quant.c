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

/* The zero point is derived from whichever end of the range loses less, in double. */
NPU__FN int32_t npu__asymmetric_zero_point(double lo, double hi, double scale) {
    /* The affine map must give real zero exactly: the zero point is rounded, and clamped to int8. */
    const double at_lo = lo / scale, at_hi = hi / scale;
    const double zp = 128.0 + fabs(at_lo) < 127.0 + fabs(at_hi) ? -128.0 - at_lo : 127.0 - at_hi;
    if (!(zp > -128.0)) return -128;
    if (zp >= 127.0) return 127;
    return (int32_t)(zp + (zp < 0.0 ? -0.49999999999999994 : 0.49999999999999994)); /* round(), without the call */
}

/* How a row of this range is quantized: values times `inverse` plus the zero point, or all to 0 (`zeros`). */
typedef struct npu__quantize_by {
    float   scale, inverse;
    int32_t zero_point, zeros;
} npu__quantize_by;

/* -128 is left out: the range is symmetric. */
NPU__INLINE npu__quantize_by npu__quantize_symmetric(npu__minmax m) {
    const float      lo = fabsf(m.lo), hi = fabsf(m.hi), range = NPU__MAX(lo, hi);
    npu__quantize_by by = {1.0f, 0.0f, 0, 1};
    if (!(range != 0.0f)) return by;
    by.zeros = 0;
    by.scale = range / 127.0f;
    by.inverse = 127.0f / range;
    return by;
}

NPU__INLINE npu__quantize_by npu__quantize_asymmetric(npu__minmax m) {
    const double     lo = (double)NPU__MIN(0.0f, m.lo), hi = (double)NPU__MAX(0.0f, m.hi), step = (hi - lo) / 255.0;
    npu__quantize_by by = {1.0f, 0.0f, 0, 1};
    if (lo == hi) return by;
    by.zeros = 0;
    by.zero_point = npu__asymmetric_zero_point(lo, hi, step);
    by.scale = (float)step;
    by.inverse = 1.0f / by.scale;
    return by;
}

/* Some rows at a time, so that their divisions need not wait for each other. */
#define NPU__QUANTIZE_ROWS 16
#define NPU__QUANTIZE_NEAR 8192 /* elements of these, which stay in the nearest cache */
NPU__FN void npu__quantize_rows_by(npu__minmax_fn minmax, npu__quantize_fn quantize, const float *x, int64_t rows,
                                   int64_t n, int asymmetric, int8_t *q, float *scale, int32_t *zp) {
    const int64_t fit = NPU__MIN(NPU__QUANTIZE_NEAR / NPU__MAX(n, (int64_t)1), (int64_t)NPU__QUANTIZE_ROWS), some = NPU__MAX(fit, (int64_t)1);
    for (int64_t done = 0; done < rows; done += some) {
        const int64_t    k = NPU__MIN(rows - done, some);
        npu__minmax      range[NPU__QUANTIZE_ROWS];
        npu__quantize_by by[NPU__QUANTIZE_ROWS];
        for (int64_t r = 0; r < k; r++) range[r] = minmax(x + (done + r) * n, n);
        for (int64_t r = 0; r < k; r++) by[r] = asymmetric ? npu__quantize_asymmetric(range[r]) : npu__quantize_symmetric(range[r]);
        for (int64_t r = 0; r < k; r++) {
            int8_t *to = q + (done + r) * n;
            scale[done + r] = by[r].scale;
            zp[done + r] = by[r].zero_point;
            if (!by[r].zeros) quantize(x + (done + r) * n, n, by[r].inverse, (float)by[r].zero_point, asymmetric ? -128 : -127, to);
            else if (n > 0) memset(to, 0, (size_t)n);
        }
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
