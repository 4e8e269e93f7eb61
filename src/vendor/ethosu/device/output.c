/* The output stage. Order of the hardware: bias, scale, zero point, clamp, table. */
#include "output.h"
#include "../../../base/sigmoid_table.h"
NPU__SPEED_BEGIN

#if NPU__HAS_EU_DEVICE

/* ---- tables ---- */

/* 256 entries of the output's type; the index was clamped to 8 bits. */
NPU__FN void npu__eu_lut8(const npu__eu_out *o, int32_t n, int32_t *v) {
    const uint8_t *table = o->lut + o->table_at;
    int32_t        bias = o->table_signed ? 128 : 0;
    for (int32_t i = 0; i < n; i++) {
        uint8_t entry = table[(v[i] + bias) & 255];
        v[i] = o->table_signed ? (int32_t)(int8_t)entry : (int32_t)entry;
    }
}

NPU__FN void npu__eu_lut8_to_32(const npu__eu_out *o, int32_t n, int32_t *v) {
    const uint8_t *table = o->lut + o->table_at;
    int32_t        bias = o->table_signed ? 128 : 0;
    for (int32_t i = 0; i < n; i++) memcpy(&v[i], table + ((v[i] + bias) & 255) * 4, 4);
}

/* 512 pairs of base and slope: lines between 513 points. */
NPU__FN void npu__eu_lut16(const npu__eu_out *o, int32_t n, int32_t *v) {
    for (int32_t i = 0; i < n; i++) {
        int32_t x = v[i] + 32768;
        int16_t line[2];
        memcpy(line, o->lut + o->table_at + ((x >> 7) & 511) * 4, 4);
        v[i] = line[0] + ((line[1] * (x & 127) + 64) >> 7);
    }
}

/* ---- activation ---- */

NPU__FN void npu__eu_activate(const npu__eu_out *o, int32_t n, int32_t *v) {
    int32_t zero = o->zero, lo = o->lo, hi = o->hi;
    if (o->function == NPU__EU_ACTIVATION_TANH || o->function == NPU__EU_ACTIVATION_SIGMOID) {
        int tanh = o->function == NPU__EU_ACTIVATION_TANH;
        for (int32_t i = 0; i < n; i++) {
            int32_t x = npu__clamp32(v[i], -(1 << 24), 1 << 24); /* far beyond the table's end */
            v[i] = npu__clamp32((tanh ? npu__tanh_one16(x, 1, 0) : npu__logistic_one16(x, 1, 0)) + zero, lo, hi);
        }
        return;
    }
    lo = npu__eu_sat32((int64_t)lo - zero); /* clamping first keeps the sum in 32 bits */
    hi = npu__eu_sat32((int64_t)hi - zero);
    for (int32_t i = 0; i < n; i++) v[i] = npu__clamp32(v[i], lo, hi) + zero;
    if (o->table == NPU__EU_TABLE_8) npu__eu_lut8(o, n, v);
    else if (o->table == NPU__EU_TABLE_16) npu__eu_lut16(o, n, v);
    else if (o->table == NPU__EU_TABLE_8_TO_32) npu__eu_lut8_to_32(o, n, v);
}

/* ---- scaling ---- */

NPU__FN void npu__eu_out_plain(const npu__eu_out *o, int32_t n, const int64_t *v, int32_t *out) {
    if (o->scaled) {
        for (int32_t i = 0; i < n; i++) out[i] = npu__eu_sat32(npu__eu_rescale(v[i], o->scale, o->shift, o->rounding));
    } else { /* unscaled sums and products of 32 bits wrap around */
        for (int32_t i = 0; i < n; i++) out[i] = (int32_t)(uint32_t)(uint64_t)v[i];
    }
    npu__eu_activate(o, n, out);
}

#define NPU__EU_SCALE_LOOP(rounding)                                                                              \
    for (int32_t i = 0; i < n; i++) {                                                                             \
        out[i] = npu__eu_sat32(npu__eu_rescale(acc[i] + o->bias[c + i], o->channel_scale[c + i],                  \
                                               o->channel_shift[c + i], rounding));                               \
    }
NPU__FN void npu__eu_out_channels(const npu__eu_out *o, int32_t c, int32_t n, const int32_t *acc, int32_t *out) {
    if (o->rounding == NPU__EU_ROUNDING_TFL) { NPU__EU_SCALE_LOOP(NPU__EU_ROUNDING_TFL) }
    else { NPU__EU_SCALE_LOOP(o->rounding) }
    npu__eu_activate(o, n, out);
}

NPU__FN void npu__eu_out_channels64(const npu__eu_out *o, int32_t c, int32_t n, const int64_t *acc, int32_t *out) {
    NPU__EU_SCALE_LOOP(o->rounding)
    npu__eu_activate(o, n, out);
}
#undef NPU__EU_SCALE_LOOP

#endif
NPU__SPEED_END
