/* Depthwise weights into units, once per session. */
#include "dw_groups.h"
#include "pack.h"
NPU__SPEED_BEGIN

/* i8 unit: int32 bias[unit], multiplier[unit], left shift[unit], right shift[unit], int16 w[taps / together][unit][together] (taps even).
 * Pairs of nine taps are those that a 3 x 3 window can share with its neighbours: 0 and 3, 1 and 4, 2 and 5, 6 and 7, nothing and 8.
 * Four together: int8, activations of the row's signedness (others have 128 added or subtracted), in the groups of npu__dw_fours.
 * f32 unit: float bias[8], w[taps][8]. */

NPU__INLINE size_t npu__dw_units(int32_t unit, int32_t channels) {
    return ((size_t)channels + (size_t)unit - 1) / (size_t)unit;
}
NPU__INLINE size_t npu__dw_bytes_of(const npu__dw_kernel *kern, int32_t taps) {
    return npu__dw_i8_unit_bytes(kern->unit, kern->together, taps);
}
NPU__FN int npu__dw_i8_packed_bytes(const npu__dw_kernel *kern, int32_t channels, int32_t taps, size_t *bytes) {
    if (taps > INT32_MAX / 64) return 0;
    return npu__mul_size(npu__dw_units(kern->unit, channels), npu__dw_bytes_of(kern, taps), bytes);
}
NPU__FN int npu__dw_f32_packed_bytes(int32_t channels, int32_t taps, size_t *bytes) {
    if (taps > INT32_MAX / 64) return 0;
    return npu__mul_size(npu__dw_units(NPU__DW_UNIT, channels), npu__dw_f32_unit_bytes(taps), bytes);
}

/* Those of channels [begin, end). */
NPU__INLINE int npu__dw_i8_foldable(const npu__dw_kernel *kern, int32_t begin, int32_t end, int32_t taps, const npu__dw_i8_weights *w) {
    npu__shift_range s = npu__no_shifts;
    for (int32_t c = begin; c < end; c++) npu__add_shift(&s, w->qmul[w->qmul_step * c], (size_t)taps, w->bias ? w->bias[c] : 0);
    return s.some && npu__foldable(kern->shifts, &s);
}

NPU__FN void npu__fold_head(int32_t shifts, int32_t nr, int32_t *head) {
    for (int32_t p = 0; p < nr; p++) {
        const int32_t mult = head[nr + p], fourth = head[3 * nr + p];
        if (shifts & NPU__SHIFT_POWERS) {
            const float left = (float)head[2 * nr + p], power = (float)(uint32_t)fourth / 4294967296.0f;
            const float factor = (float)mult * -left * power / 1073741824.0f, nudge = fourth < 0 ? -left : power;
            memcpy(head + 2 * nr + p, &factor, sizeof factor);
            memcpy(head + 3 * nr + p, &nudge, sizeof nudge);
            continue;
        }
        head[p] ^= INT32_MIN;
        head[2 * nr + p] = -mult;
        head[nr + p] = npu__shl32(mult, 1);
        head[3 * nr + p] = fourth - 1;
    }
    for (int32_t p = 2 * nr + 1; shifts == NPU__SHIFT_FOLD_PAIRS && p < 4 * nr; p += 4) {
        const int32_t second = head[p];
        head[p] = head[p + 1];
        head[p + 1] = second;
    }
}

/* The place of tap t. */
NPU__INLINE int32_t npu__dw_i8_place(const npu__dw_kernel *kern, int32_t taps, int32_t t) {
    static const uint8_t nine[9] = {0, 2, 4, 1, 3, 5, 6, 7, 9};
    if (kern->together == 4) return taps == 9 ? t % 3 * 4 + t / 3 : taps == 25 && t < 20 ? t % 5 * 4 + t / 5 : t;
    return taps == 9 && kern->together == 2 ? nine[t] : t;
}

/* Channel c's weights to place p of a unit's; returns their sum modulo 2^32. */
NPU__FN uint32_t npu__dw_i8_pack_channel(const npu__dw_kernel *kern, int32_t taps, const npu__dw_i8_weights *w, int32_t c, int32_t p,
                                         uint8_t *to) {
    uint32_t sum = 0;
    for (int32_t t = 0; t < taps; t++) {
        const uint8_t raw = w->w[(size_t)t * w->step_t + (size_t)c * w->step_c];
        const int32_t v = (w->w_signed ? (int32_t)(int8_t)raw : (int32_t)raw) - w->w_zero_point;
        const int32_t place = npu__dw_i8_place(kern, taps, t), n = kern->together;
        const size_t  at = (size_t)((place / n * kern->unit + p) * n + place % n);
        if (n == 4) to[at] = (uint8_t)(v - npu__dw_i8_rest(w->w_signed, w->w_zero_point));
        else ((int16_t *)(void *)to)[at] = (int16_t)v;
        sum += (uint32_t)v;
    }
    return sum;
}

NPU__FN void npu__dw_i8_pack(const npu__dw_kernel *kern, int32_t channels, int32_t taps, const npu__dw_i8_weights *w,
                             uint8_t *packed) {
    const int32_t  unit = kern->unit, units = (int32_t)npu__dw_units(unit, channels);
    const size_t   unit_bytes = npu__dw_bytes_of(kern, taps);
    const int32_t  moved = kern->a_kind == NPU__A_U8 && w->a_signed ? 128 : kern->a_kind == NPU__A_S8 && !w->a_signed ? -128 : 0;
    const uint32_t zero = (uint32_t)(w->a_zero_point + moved);
    int            fold = 0;
    for (int32_t u = 0; u < units; u++, packed += unit_bytes) {
        const int32_t n = npu__dw_group(unit, kern->order, taps, u, channels), start = npu__dw_unit_start(unit, u, channels);
        int32_t      *head = (int32_t *)(void *)packed;
        if (u % n == 0) fold = npu__dw_i8_foldable(kern, start, start + n * unit, taps, w);
        memset(packed, 0, unit_bytes);
        for (int32_t p = 0; p < unit; p++) {
            int32_t  c = start + p;
            uint32_t sum;
            if (n == 2) c += u & 1 ? (p < 4 ? -4 : 0) : p < 4 ? 0 : 4;
            if (n == 4) c = (u & ~3) * unit + p / 4 * 16 + u % 4 * 4 + p % 4;
            sum = npu__dw_i8_pack_channel(kern, taps, w, c, p, packed + (size_t)unit * 16);
            sum = (w->bias ? (uint32_t)w->bias[c] : 0u) - zero * sum;
            npu__pack_qmul(head, unit, p, (int32_t)sum, w->qmul[w->qmul_step * c], kern->shifts);
        }
        if (fold) npu__fold_head(kern->shifts, unit, head);
    }
}

NPU__FN void npu__dw_f32_pack(int32_t channels, int32_t taps, const float *w, size_t step_c, size_t step_t, const float *bias,
                              uint8_t *packed) {
    float  *dst = (float *)(void *)packed;
    int32_t units = (int32_t)npu__dw_units(NPU__DW_UNIT, channels);
    for (int32_t u = 0; u < units; u++) {
        int32_t c0 = npu__dw_unit_start(NPU__DW_UNIT, u, channels);
        for (int32_t p = 0; p < NPU__DW_UNIT; p++) *dst++ = bias ? bias[c0 + p] : 0.0f;
        for (int32_t t = 0; t < taps; t++) {
            const float *from = w + (size_t)t * step_t + (size_t)c0 * step_c;
            for (int32_t p = 0; p < NPU__DW_UNIT; p++, from += step_c) *dst++ = *from;
        }
    }
}
NPU__SPEED_END
