/* Depthwise weights into units, once per session. */
#include "pack.h"
NPU__SPEED_BEGIN

/* i8 unit: int32 bias[8], multiplier[8], left shift[8], right shift[8], int16 w[taps / pair][8][pair] (taps even). Pairs of nine
 * taps are those that a 3 x 3 window can share with its neighbours: 0 and 3, 1 and 4, 2 and 5, 6 and 7, nothing and 8.
 * f32 unit: float bias[8], w[taps][8]. */

NPU__INLINE size_t npu__dw_units(int32_t channels) {
    return ((size_t)channels + NPU__DW_UNIT - 1) / NPU__DW_UNIT;
}
NPU__FN int npu__dw_i8_packed_bytes(int32_t channels, int32_t taps, size_t *bytes) {
    if (taps > INT32_MAX / 64) return 0;
    return npu__mul_size(npu__dw_units(channels), npu__dw_i8_unit_bytes(taps), bytes);
}
NPU__FN int npu__dw_f32_packed_bytes(int32_t channels, int32_t taps, size_t *bytes) {
    if (taps > INT32_MAX / 64) return 0;
    return npu__mul_size(npu__dw_units(channels), npu__dw_f32_unit_bytes(taps), bytes);
}

NPU__FN npu__shift_range npu__dw_i8_shifts(const npu__dw_i8_weights *w, int32_t first) {
    npu__shift_range s = npu__no_shifts;
    for (int32_t c = first; c < first + NPU__DW_UNIT; c++) npu__add_shift(&s, w->qmul[w->qmul_step * c]);
    return s;
}

NPU__FN int npu__dw_i8_foldable(const npu__dw_kernel *kern, int32_t channels, const npu__dw_i8_weights *w) {
    int32_t some = 0;
    for (int32_t u = 0; u < (int32_t)npu__dw_units(channels); u++) {
        const npu__shift_range s = npu__dw_i8_shifts(w, npu__dw_unit_start(u, channels));
        if (!npu__foldable(kern->shifts, &s)) return 0;
        some |= s.some;
    }
    return some;
}

/* The fourth line. Counts: right - 1; this line and the one before it in the order 0, 2, 1, 3. Powers: int16 of
 * 1 << (15 - (right - common)), then at [4] a shift `common` that leaves 1 to 7. */
NPU__FN void npu__fold_head(int32_t shifts, const npu__shift_range *s, int32_t *head) {
    const int32_t common = NPU__MAX(s->most - 7, 0);
    int32_t      *fourth = head + 3 * NPU__DW_UNIT;
    int16_t       powers[NPU__DW_UNIT];
    for (int32_t p = 0; p < NPU__DW_UNIT; p++) {
        const int32_t mult = head[NPU__DW_UNIT + p];
        head[p] ^= INT32_MIN;
        head[2 * NPU__DW_UNIT + p] = -mult;
        head[NPU__DW_UNIT + p] = npu__shl32(mult, 1);
        /* 1 << (31 - right) over 1 << (16 - common) */
        powers[p] = mult ? (int16_t)(((uint32_t)fourth[p] << common) >> 16) : 0;
        if (!(shifts & NPU__SHIFT_POWERS)) fourth[p]--;
    }
    if (shifts & NPU__SHIFT_POWERS) {
        memset(fourth, 0, NPU__DW_UNIT * sizeof *fourth);
        memcpy(fourth, powers, sizeof powers);
        fourth[4] = common;
        return;
    }
    for (int32_t p = 2 * NPU__DW_UNIT + 1; p < 4 * NPU__DW_UNIT; p += 4) {
        const int32_t second = head[p];
        head[p] = head[p + 1];
        head[p + 1] = second;
    }
}

/* The place of tap t. */
NPU__INLINE int32_t npu__dw_i8_place(const npu__dw_kernel *kern, int32_t taps, int32_t t) {
    static const uint8_t nine[9] = {0, 2, 4, 1, 3, 5, 6, 7, 9};
    return taps == 9 && kern->pair == 2 ? nine[t] : t;
}

NPU__FN void npu__dw_i8_pack(const npu__dw_kernel *kern, int32_t channels, int32_t taps, const npu__dw_i8_weights *w,
                             uint8_t *packed) {
    size_t  unit_bytes = npu__dw_i8_unit_bytes(taps);
    int32_t units = (int32_t)npu__dw_units(channels);
    const int fold = npu__dw_i8_foldable(kern, channels, w);
    for (int32_t u = 0; u < units; u++, packed += unit_bytes) {
        int32_t *head = (int32_t *)(void *)packed;
        int16_t *dst = (int16_t *)(void *)(packed + NPU__DW_UNIT * 16);
        memset(packed, 0, unit_bytes);
        for (int32_t p = 0; p < NPU__DW_UNIT; p++) {
            int32_t  c = npu__dw_unit_start(u, channels) + p;
            uint32_t sum = 0;
            /* Two whole units side by side are sixteen channels: as in the panels above. */
            if (kern->swap_quads && (u | 1) * NPU__DW_UNIT + NPU__DW_UNIT <= channels) {
                if (!(u & 1) && p >= 4) c += 4;
                if ((u & 1) && p < 4) c -= 4;
            }
            for (int32_t t = 0; t < taps; t++) {
                const uint8_t raw = w->w[(size_t)t * (size_t)channels + (size_t)c];
                const int32_t to = npu__dw_i8_place(kern, taps, t);
                int32_t v = (w->w_signed ? (int32_t)(int8_t)raw : (int32_t)raw) - w->w_zero_point;
                dst[to / kern->pair * NPU__DW_UNIT * kern->pair + p * kern->pair + to % kern->pair] = (int16_t)v;
                sum += (uint32_t)v;
            }
            sum = (w->bias ? (uint32_t)w->bias[c] : 0u) - (uint32_t)w->a_zero_point * sum;
            npu__pack_qmul(head, NPU__DW_UNIT, p, (int32_t)sum, w->qmul[w->qmul_step * c], kern->shifts);
        }
        if (fold) {
            const npu__shift_range s = npu__dw_i8_shifts(w, npu__dw_unit_start(u, channels));
            npu__fold_head(kern->shifts, &s, head);
        }
    }
}

NPU__FN int npu__dw_i8_plain(int32_t channels, int32_t taps, const uint8_t *packed) {
    for (size_t u = 0; u < npu__dw_units(channels); u++, packed += npu__dw_i8_unit_bytes(taps)) {
        const int32_t *third = (const int32_t *)(const void *)packed + 2 * NPU__DW_UNIT;
        for (int32_t p = 0; p < NPU__DW_UNIT; p++) if (third[p]) return third[p] < 0;
    }
    return 0;
}

NPU__FN void npu__dw_f32_pack(int32_t channels, int32_t taps, const float *w, const float *bias, uint8_t *packed) {
    float  *dst = (float *)(void *)packed;
    int32_t units = (int32_t)npu__dw_units(channels);
    for (int32_t u = 0; u < units; u++) {
        int32_t c0 = npu__dw_unit_start(u, channels);
        for (int32_t p = 0; p < NPU__DW_UNIT; p++) *dst++ = bias ? bias[c0 + p] : 0.0f;
        for (int32_t t = 0; t < taps; t++, dst += NPU__DW_UNIT)
            memcpy(dst, w + (size_t)t * (size_t)channels + (size_t)c0, NPU__DW_UNIT * sizeof *w);
    }
}
NPU__SPEED_END
