/* Window, automatic gain before a fixed-point FFT, and the power spectrum after it. */
#include "signal.h"

NPU__FN void npu__signal_window(const int16_t *in, const int16_t *window, int64_t n, int64_t n_window, int32_t shift,
                                int16_t *out) {
    for (int64_t at = 0; at < n; at += n_window, in += n_window, out += n_window) { /* whole windows */
        for (int64_t i = 0; i < n_window; i++) {
            const int32_t v = ((int32_t)in[i] * window[i]) >> shift;
            out[i] = (int16_t)NPU__MAX(INT16_MIN, NPU__MIN(INT16_MAX, v));
        }
    }
}

NPU__FN int32_t npu__signal_auto_scale(const int16_t *in, int64_t n, int16_t *out) {
    int32_t max = 0, lo = 0, hi = 0, bits;
    for (int64_t i = 0; i < n; i++) {
        lo = NPU__MIN(lo, (int32_t)in[i]);
        hi = NPU__MAX(hi, (int32_t)in[i]);
    }
    max = NPU__MAX(hi, -lo);
    if (lo == INT16_MIN) max = 0;
    for (int64_t i = 0; lo == INT16_MIN && i < n; i++) {
        /* The magnitude of -32768 wraps to -32768, and any later sample then replaces it: the reference's habit. */
        int32_t v = in[i];
        if (v > max) max = v;
        else if (-v > max) max = (int16_t)-v;
    }
    bits = max > 0 ? 15 - npu__signal_msb((uint32_t)max) : 0;
    for (int64_t i = 0; i < n; i++) out[i] = (int16_t)(in[i] * (1 << bits));
    return bits;
}

NPU__FN void npu__signal_energy(const int16_t *in, int64_t begin, int64_t end, int64_t n, uint32_t *out) {
    for (int64_t i = 0; i < NPU__MIN(begin, n); i++) out[i] = 0;
    for (int64_t i = begin; i < end; i++) {
        const int32_t r = in[2 * i], m = in[2 * i + 1];
        out[i] = (uint32_t)(r * r) + (uint32_t)(m * m);
    }
    for (int64_t i = NPU__MAX(begin, end); i < n; i++) out[i] = 0;
}
