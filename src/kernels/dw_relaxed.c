/* Depthwise convolution of integers by WebAssembly's relaxed dot product: four taps of four channels at once. */
#include "relaxed.h"
NPU__SPEED_BEGIN

#if NPU__HAS_DOT8

/* What all pixels share. `flip` makes taps unsigned (of WASM_SDOT signed); `rest[n]`: what the weights of n taps lack (job->w_rest). */
typedef struct npu__dw_all__relaxed {
    npu__v128 flip, rest[5];
    int32_t   more; /* do they? */
} npu__dw_all__relaxed;
NPU__V128 NPU__INLINE npu__dw_all__relaxed npu__dw_all_of__relaxed(const npu__dw_job *job) {
    npu__dw_all__relaxed f;
    const uint32_t       rest = ((uint32_t)job->w_rest & 0xFFu) * 0x01010101u;
    f.flip = NPU__V_SET8((int8_t)(job->is_signed ? INT8_MIN : 0));
    f.more = job->w_rest != 0;
    f.rest[0] = NPU__V_SET32(0);
    for (int32_t n = 1; n < 5; n++) f.rest[n] = NPU__V_SET32((int32_t)(rest >> (32 - 8 * n)));
    return f;
}

/* Four taps of eight channels: of the lower and the upper four, each channel's side by side. */
#define NPU__DW_FOUR(a, b, c, d)                                                      \
    x = NPU__V_ZIP_LO8(a, b), y = NPU__V_ZIP_LO8(c, d);                               \
    q0 = NPU__V_XOR(NPU__V_ZIP_LO16(x, y), f.flip), q1 = NPU__V_XOR(NPU__V_ZIP_HI16(x, y), f.flip);
/* Their products with group k of the weights, of which `n` are taps. */
#define NPU__DW_DOT(k, lo, hi, n)                            \
    lo = NPU__V_DOT8(lo, NPU__V_LOAD(w + 32 * (k)), q0);      \
    hi = NPU__V_DOT8(hi, NPU__V_LOAD(w + 32 * (k) + 16), q1); \
    if (more) {                                              \
        lo = NPU__V_DOT8(lo, f.rest[n], q0);                 \
        hi = NPU__V_DOT8(hi, f.rest[n], q1);                 \
    }

/* ---- any window ---- */

/* Groups of four taps begin at `first` and have the others `step` apart, as pack_dw.c says. */
NPU__V128 NPU__FN NPU__NOINLINE void npu__i8_dw_any__relaxed(const npu__dw_job *job, size_t at, const uint8_t *unit, uint8_t *out) {
    const npu__dw_all__relaxed f = npu__dw_all_of__relaxed(job);
    const uint8_t *const      *tap = job->taps;
    const int32_t              side = job->n_taps == 9 ? 3 : job->n_taps == 25 ? 5 : 0, last = job->n_taps - 1, more = f.more;
    for (int32_t p = 0; p < job->pixels; p++, tap += job->taps_step, at += job->in_step, out += job->out_stride) {
        const uint8_t *w = unit + 128;
        npu__v128      lo = NPU__V_LOAD(unit), hi = NPU__V_LOAD(unit + 16), x, y, q0, q1;
        for (int32_t g = 0, fours = npu__dw_fours(job->n_taps); g < fours; g++, w += 32) {
            const int32_t  first = g < side ? g : 4 * g, step = g < side ? side : 1, left = (last - first) / step + 1;
            const uint8_t *b = tap[NPU__MIN(first + step, last)], *c = tap[NPU__MIN(first + 2 * step, last)];
            const uint8_t *d = tap[NPU__MIN(first + 3 * step, last)];
            NPU__DW_FOUR(NPU__V_LOAD8(tap[first] + at), NPU__V_LOAD8(b + at), NPU__V_LOAD8(c + at), NPU__V_LOAD8(d + at))
            NPU__DW_DOT(0, lo, hi, NPU__MIN(left, 4))
        }
        NPU__V_STORE(out, lo);
        NPU__V_STORE(out + 16, hi);
    }
}

/* ---- pixels of 3 x 3 windows that share columns, which are one or two apart: a column goes to all pixels it belongs to ---- */

#define NPU__DW_COLUMN(at)                                                                        \
    z = NPU__V_LOAD8(row2 + (at));                                                                \
    NPU__DW_FOUR(NPU__V_LOAD8(row0 + (at)), NPU__V_LOAD8(row1 + (at)), z, z)
NPU__V128 NPU__INLINE void npu__i8_dw_columns__relaxed(const npu__dw_job *job, size_t at, const uint8_t *unit, int more, int one, uint8_t *out) {
    const npu__dw_all__relaxed f = npu__dw_all_of__relaxed(job);
    const uint8_t *w = unit + 128, *row0 = job->taps[0] + at, *row1 = job->taps[3] + at, *row2 = job->taps[6] + at;
    const size_t   step = job->in_step, column = (size_t)(job->taps[1] - job->taps[0]), stride = job->out_stride;
    npu__v128      x, y, z, q0, q1, lo0, hi0, lo1, hi1, lo2 = NPU__V_LOAD(unit), hi2 = NPU__V_LOAD(unit + 16);
    lo1 = lo2, hi1 = hi2;
    NPU__DW_COLUMN(0)
    NPU__DW_DOT(0, lo2, hi2, 3)
    if (one) {
        NPU__DW_COLUMN(column)
        lo0 = lo2, hi0 = hi2, lo2 = lo1, hi2 = hi1;
        NPU__DW_DOT(1, lo0, hi0, 3)
        NPU__DW_DOT(0, lo2, hi2, 3)
        lo1 = lo0, hi1 = hi0;
    }
    for (int32_t p = job->pixels; p > 0; p--, row0 += step, row1 += step, row2 += step, out += stride) {
        if (one) lo0 = lo1, hi0 = hi1, lo1 = lo2, hi1 = hi2;
        else {
            lo0 = lo2, hi0 = hi2;
            NPU__DW_COLUMN(column)
            NPU__DW_DOT(1, lo0, hi0, 3)
        }
        lo2 = NPU__V_LOAD(unit), hi2 = NPU__V_LOAD(unit + 16);
        NPU__DW_COLUMN(2 * column)
        NPU__DW_DOT(2, lo0, hi0, 3)
        NPU__V_STORE(out, lo0);
        NPU__V_STORE(out + 16, hi0);
        if (one) { NPU__DW_DOT(1, lo1, hi1, 3) }
        NPU__DW_DOT(0, lo2, hi2, 3)
    }
}
#undef NPU__DW_COLUMN
#undef NPU__DW_FOUR
#undef NPU__DW_DOT
#define NPU__DW_COLUMNS(name, one)                                                                                    \
    NPU__V128 NPU__FN NPU__NOINLINE void name(const npu__dw_job *job, size_t at, const uint8_t *unit, uint8_t *out) { \
        if (job->w_rest) npu__i8_dw_columns__relaxed(job, at, unit, 1, one, out);                                     \
        else npu__i8_dw_columns__relaxed(job, at, unit, 0, one, out);                                                 \
    }
NPU__DW_COLUMNS(npu__i8_dw_one__relaxed, 1)
NPU__DW_COLUMNS(npu__i8_dw_two__relaxed, 0)
#undef NPU__DW_COLUMNS

NPU__V128 NPU__FN void npu__i8_dw_usdot__relaxed(const npu__dw_job *job, const uint8_t *packed, uint8_t *out) {
    static const npu__dw_sums__v128 code = {4, NULL, npu__i8_dw_any__relaxed,
                                            {{npu__i8_dw_one__relaxed, npu__i8_dw_one__relaxed}, {npu__i8_dw_two__relaxed, npu__i8_dw_two__relaxed}}};
    npu__dw_by_sums__v128(&code, job, packed, out);
}
/* Taps are flipped where the other one leaves them, and the other way round. */
NPU__V128 NPU__FN void npu__i8_dw_sdot__relaxed(const npu__dw_job *job, const uint8_t *packed, uint8_t *out) {
    npu__dw_job other = *job;
    other.is_signed = !job->is_signed;
    npu__i8_dw_usdot__relaxed(&other, packed, out);
}
#endif
NPU__SPEED_END
