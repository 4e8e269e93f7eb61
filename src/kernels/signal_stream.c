/* Frames out of and into sample streams. */
#include "signal.h"

NPU__FN void npu__overlap_add_i16(const int16_t *in, int32_t frame, int32_t step, int16_t *state, int16_t *out) {
    size_t keep = (size_t)(frame - step);
    for (int32_t i = 0; i < frame; i++) {
        int32_t v = in[i] + state[i];
        state[i] = (int16_t)NPU__MAX(INT16_MIN, NPU__MIN(INT16_MAX, v));
    }
    memcpy(out, state, (size_t)step * sizeof *out);
    memmove(state, state + step, keep * sizeof *state);
    memset(state + keep, 0, (size_t)step * sizeof *state);
}

NPU__FN void npu__overlap_add_f32(const float *in, int32_t frame, int32_t step, float *state, float *out) {
    size_t keep = (size_t)(frame - step);
    for (int32_t i = 0; i < frame; i++) state[i] += in[i];
    memcpy(out, state, (size_t)step * sizeof *out);
    memmove(state, state + step, keep * sizeof *state);
    memset(state + keep, 0, (size_t)step * sizeof *state);
}

NPU__FN void npu__delay_i16(const int16_t *in, int64_t n, int64_t delay, int16_t *state, int16_t *out) {
    size_t held = (size_t)NPU__MIN(n, delay); /* samples that leave the state */
    memcpy(out, state, held * sizeof *out);
    if (n >= delay) {
        memcpy(out + held, in, (size_t)(n - delay) * sizeof *out);
        memcpy(state, in + (n - delay), (size_t)delay * sizeof *state);
    } else {
        memmove(state, state + n, (size_t)(delay - n) * sizeof *state);
        memcpy(state + (delay - n), in, (size_t)n * sizeof *state);
    }
}
