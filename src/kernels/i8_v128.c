/* Integer kernels on 128 bits, for WebAssembly and SSE4.1: bytes widened to int16, pairs multiplied and added. */
#include "dw_groups.h"
#include "i8_stage_v128.h"
NPU__SPEED_BEGIN

#if NPU__HAS_V128

/* ---- staging ---- */

NPU__V128 NPU__INLINE npu__v128 npu__widen8__v128(const uint8_t *p, int is_signed) {
    return is_signed ? NPU__V_LOAD_S8(p) : NPU__V_LOAD_U8(p);
}

NPU__V128 NPU__FN void npu__stage_i16__v128(const uint8_t *src, void *dst, int32_t n, int32_t is_signed, int32_t subtract) {
    const npu__v128 sub = NPU__V_SET16((int16_t)subtract);
    int16_t     *to = (int16_t *)dst;
    int32_t      i = 0;
    for (; i + 8 <= n; i += 8) NPU__V_STORE(to + i, NPU__V_SUB16(npu__widen8__v128(src + i, is_signed), sub));
    for (; i < n; i++) to[i] = (int16_t)((is_signed ? (int32_t)(int8_t)src[i] : (int32_t)src[i]) - subtract);
}

NPU__V128 NPU__FN int32_t npu__sum_i16__v128(const void *staged, int32_t n) {
    const int16_t *p = (const int16_t *)staged;
    npu__v128         acc = NPU__V_SET32(0);
    int32_t        i = 0, sum;
    for (; i + 8 <= n; i += 8) acc = NPU__V_ADD32(acc, NPU__V_PAIRS16(NPU__V_LOAD(p + i)));
    sum = NPU__V_LANE32(acc, 0) + NPU__V_LANE32(acc, 1) + NPU__V_LANE32(acc, 2) +
          NPU__V_LANE32(acc, 3);
    for (; i < n; i++) sum += p[i];
    return sum;
}

/* ---- sums ---- */

/* Of a matrix product's rows, four at a time. What whole vectors leave of a segment is behind a mask of the last eight of it. */
#define NPU__SUM_INIT(r)                                                                             \
    const int16_t *a##r = (const int16_t *)(const void *)npu__gemm_row(a, NPU__MIN(i + r, m - 1)); \
    npu__v128      s##r = NPU__V_SET32(0);
#define NPU__SUM_STEP(r) s##r = NPU__V_ADD32(s##r, NPU__V_PAIRS16(NPU__V_LOAD(a##r + at)));
#define NPU__SUM_LAST(r) s##r = NPU__V_ADD32(s##r, NPU__V_DOT16(NPU__V_LOAD(a##r + end - 8), part));
NPU__V128 NPU__INLINE void npu__row_sums_long__v128(const npu__gemm_rows *a, int32_t m, int32_t run, int32_t *sums) {
    static const int16_t behind[16] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
    const npu__v128      part = NPU__V_LOAD(behind + run % 8);
    for (int32_t i = 0; i < m; i += 4) {
        npu__v128 four;
        NPU__ROWS_4(NPU__SUM_INIT)
        for (int32_t s = 0; s < a->segments; s++) {
            size_t       at = a->offsets[s];
            const size_t end = at + (size_t)run;
            for (; at + 8 <= end; at += 8) { NPU__ROWS_4(NPU__SUM_STEP) }
            if (at < end) { NPU__ROWS_4(NPU__SUM_LAST) }
        }
        four = npu__sum4_i32__v128(s0, s1, s2, s3);
        if (m - i >= 4) NPU__V_STORE(sums + i, four);
        else memcpy(sums + i, &four, (size_t)(m - i) * sizeof *sums);
    }
}
#undef NPU__SUM_INIT
#undef NPU__SUM_STEP
#undef NPU__SUM_LAST
NPU__V128 NPU__FN void npu__row_sums__v128(const npu__gemm_rows *a, int32_t m, int32_t run, int32_t *sums) {
    if (run >= 8) {
        npu__row_sums_long__v128(a, m, run, sums);
        return;
    }
    for (int32_t r = 0; r < m; r++) {
        const int16_t *row = (const int16_t *)(const void *)npu__gemm_row(a, r);
        sums[r] = 0;
        for (int32_t s = 0; s < a->segments; s++) {
            for (int32_t i = 0; i < run; i++) sums[r] += row[a->offsets[s] + (size_t)i];
        }
    }
}

/* ---- GEMM: a tile is R rows of 8 columns ---- */

/* A header of four times 8 columns (bias, multiplier, powers; or folded), then two of k for every column at a time. */
#define NPU__TILE_INIT(r)                                                                                 \
    const int16_t *a##r = (const int16_t *)(const void *)npu__gemm_row(&job->a, row + r);                 \
    npu__v128         lo##r = NPU__V_ADD32(NPU__V_LOAD(head), NPU__V_SET32(job->row_add[row + r])), \
                   hi##r = NPU__V_ADD32(NPU__V_LOAD(head + 4), NPU__V_SET32(job->row_add[row + r])), x##r;
#define NPU__TILE_EIGHT(r) x##r = NPU__V_LOAD(a##r + i);
#define NPU__TILE_STEP(r, pair)                       \
    v = pair;                                         \
    lo##r = NPU__V_ADD32(lo##r, NPU__V_DOT16(v, b0)); \
    hi##r = NPU__V_ADD32(hi##r, NPU__V_DOT16(v, b1));
#define NPU__TILE_STEP_ONE(r) NPU__TILE_STEP(r, NPU__V_SPREAD4(a##r + i))
#define NPU__TILE_STEP0(r) NPU__TILE_STEP(r, NPU__V_SPREAD32(x##r, 0))
#define NPU__TILE_STEP1(r) NPU__TILE_STEP(r, NPU__V_SPREAD32(x##r, 1))
#define NPU__TILE_STEP2(r) NPU__TILE_STEP(r, NPU__V_SPREAD32(x##r, 2))
#define NPU__TILE_STEP3(r) NPU__TILE_STEP(r, NPU__V_SPREAD32(x##r, 3))
/* Pair t of k from i on; `step`: where rows have it. */
#define NPU__TILE_PAIR(R, t, step)         \
    b0 = NPU__V_LOAD_S8(w + 16 * (t));     \
    b1 = NPU__V_LOAD_S8(w + 16 * (t) + 8); \
    NPU__ROWS_##R(NPU__TILE_STEP##step)
#define NPU__TILE_DONE(r)                          \
    NPU__V_STORE(out + (size_t)r * stride, lo##r); \
    NPU__V_STORE(out + (size_t)r * stride + 16, hi##r);

#define NPU__TILE(R)                                                                                                      \
    NPU__V128 NPU__INLINE void npu__i8_tile_##R##x8__v128(const npu__gemm_i8_job *job, int32_t row, const uint8_t *panel, \
                                                          uint8_t *out) {                                                 \
        const int32_t *head = (const int32_t *)(const void *)panel;                                                       \
        const int8_t  *w = (const int8_t *)(const void *)(head + 32);                                                     \
        const size_t   stride = job->out_stride;                                                                          \
        NPU__ROWS_##R(NPU__TILE_INIT)                                                                                     \
        for (int32_t s = 0; s < job->a.segments; s++) {                                                                   \
            size_t       i = job->a.offsets[s];                                                                           \
            const size_t end = i + (size_t)job->a.run;                                                                    \
            npu__v128    v, b0, b1;                                                                                       \
            for (; NPU__V_LANES && i + 8 <= end; i += 8, w += 64) {                                                       \
                NPU__ROWS_##R(NPU__TILE_EIGHT)                                                                            \
                NPU__TILE_PAIR(R, 0, 0) NPU__TILE_PAIR(R, 1, 1) NPU__TILE_PAIR(R, 2, 2) NPU__TILE_PAIR(R, 3, 3)           \
            }                                                                                                             \
            for (; i < end; i += 2, w += 16) { NPU__TILE_PAIR(R, 0, _ONE) }                                               \
        }                                                                                                                 \
        NPU__ROWS_##R(NPU__TILE_DONE)                                                                                     \
    }
NPU__TILE(1)
NPU__TILE(2)
NPU__TILE(4)
#undef NPU__TILE
#undef NPU__TILE_INIT
#undef NPU__TILE_STEP
#undef NPU__TILE_EIGHT
#undef NPU__TILE_STEP_ONE
#undef NPU__TILE_STEP0
#undef NPU__TILE_STEP1
#undef NPU__TILE_STEP2
#undef NPU__TILE_STEP3
#undef NPU__TILE_PAIR
#undef NPU__TILE_DONE

/* All sums of a panel. */
#define NPU__TILE_CALL(R) npu__i8_tile_##R##x8__v128(job, row, panel, out)
NPU__V128 NPU__FN NPU__NOINLINE void npu__i8_sums_4x8__v128(const npu__gemm_i8_job *job, const uint8_t *panel, uint8_t *out) {
    NPU__TILES(4, NPU__TILE_CALL);
}
#undef NPU__TILE_CALL

NPU__V128 NPU__FN void npu__i8_gemm_4x8__v128(const npu__gemm_i8_job *job, const uint8_t *panel, int32_t cols, uint8_t *out) {
    npu__gemm_by_sums__v128(npu__i8_sums_4x8__v128, job, panel, cols, out);
}

/* ---- GEMV: four weight rows at a time ---- */

#define NPU__DOT_INIT(r)                       \
    npu__v128         s##r = NPU__V_SET32(0); \
    const uint8_t *w##r = w + (size_t)r * job->w_stride;
/* S, U: signed and unsigned weights. What they are is not asked in the loop: a module compiled for size does not take that out of it. */
#define NPU__DOT_STEP_S(r) s##r = NPU__V_ADD32(s##r, NPU__V_DOT16(v, NPU__V_LOAD_S8(w##r + i)));
#define NPU__DOT_STEP_U(r) s##r = NPU__V_ADD32(s##r, NPU__V_DOT16(v, NPU__V_LOAD_U8(w##r + i)));

#define NPU__DOT_NEXT_S(r) s##r = NPU__V_ADD32(s##r, NPU__V_DOT16(v, NPU__V_LOAD_S8(w##r + i + 8)));
#define NPU__DOT_NEXT_U(r) s##r = NPU__V_ADD32(s##r, NPU__V_DOT16(v, NPU__V_LOAD_U8(w##r + i + 8)));

/* k >= 8. `tail` holds the last k % 8 values of a behind zeros: the last chunk overlaps the one before it. */
#define NPU__DOT(R, S, S0, S1, S2, S3)                                                                        \
    NPU__V128 NPU__INLINE npu__v128 npu__i8_dot##R##S##__v128(const npu__gemv_i8_job *job, const uint8_t *w, npu__v128 tail) { \
        int32_t    i = 0;                                                                                     \
        npu__v128  v;                                                                                         \
        NPU__ROWS_##R(NPU__DOT_INIT)                                                                          \
        for (; i + 16 <= job->k; i += 16) {                                                                   \
            v = NPU__V_LOAD(job->a + i);                                                                      \
            NPU__ROWS_##R(NPU__DOT_STEP_##S)                                                                  \
            v = NPU__V_LOAD(job->a + i + 8);                                                                  \
            NPU__ROWS_##R(NPU__DOT_NEXT_##S)                                                                  \
        }                                                                                                     \
        for (; i + 8 <= job->k; i += 8) {                                                                     \
            v = NPU__V_LOAD(job->a + i);                                                                      \
            NPU__ROWS_##R(NPU__DOT_STEP_##S)                                                                  \
        }                                                                                                     \
        if (i < job->k) {                                                                                     \
            i = job->k - 8;                                                                                   \
            v = tail;                                                                                         \
            NPU__ROWS_##R(NPU__DOT_STEP_##S)                                                                  \
        }                                                                                                     \
        return npu__sum4_i32__v128(S0, S1, S2, S3);                                                           \
    }
NPU__DOT(1, S, s0, s0, s0, s0)
NPU__DOT(1, U, s0, s0, s0, s0)
NPU__DOT(4, S, s0, s1, s2, s3)
NPU__DOT(4, U, s0, s1, s2, s3)
#undef NPU__DOT
#undef NPU__DOT_INIT
#undef NPU__DOT_STEP_S
#undef NPU__DOT_NEXT_S
#undef NPU__DOT_NEXT_U
#undef NPU__DOT_STEP_U

NPU__V128 NPU__INLINE uint32_t npu__i8_dot_any__v128(const npu__gemv_i8_job *job, const uint8_t *w, npu__v128 tail) {
    if (job->k >= 8) return (uint32_t)NPU__V_LANE32(job->w_signed ? npu__i8_dot1S__v128(job, w, tail) : npu__i8_dot1U__v128(job, w, tail), 0);
    return npu__gemv_i8_short(job, w);
}

NPU__V128 NPU__FN void npu__i8_gemv__v128(const npu__gemv_i8_job *job, int32_t n0, int32_t n1, int32_t *sums) {
    int16_t        tail8[8];
    const int32_t  rest = job->k & 7;
    const uint8_t *w = job->w + (size_t)n0 * job->w_stride;
    npu__v128         tail;
    memset(tail8, 0, sizeof tail8);
    if (rest) memcpy(tail8 + 8 - rest, job->a + job->k - rest, (size_t)rest * sizeof *tail8);
    tail = NPU__V_LOAD(tail8);
    for (; job->k >= 8 && job->k < NPU__GEMV_LONG_ROW && n0 + 4 <= n1; n0 += 4, w += 4 * job->w_stride) {
        npu__v128 acc = job->w_signed ? npu__i8_dot4S__v128(job, w, tail) : npu__i8_dot4U__v128(job, w, tail);
        acc = NPU__V_ADD32(acc, NPU__V_SET32(job->add));
        if (job->bias) acc = NPU__V_ADD32(acc, NPU__V_LOAD(job->bias + n0));
        NPU__V_STORE(sums + n0, acc);
    }
    for (; n0 < n1; n0++, w += job->w_stride) {
        uint32_t acc = npu__i8_dot_any__v128(job, w, tail) + (uint32_t)job->add;
        sums[n0] = (int32_t)(acc + (job->bias ? (uint32_t)job->bias[n0] : 0u));
    }
}

/* ---- depthwise: sums of a unit of 8 channels, two taps at a time ---- */

/* The sums lo and hi with pair k of the weights. */
#define NPU__DW_SUM(k, lo, hi, x, y)                                   \
    lo = NPU__V_ADD32(lo, NPU__V_DOT16(x, NPU__V_LOAD(w + 16 * (k)))); \
    hi = NPU__V_ADD32(hi, NPU__V_DOT16(y, NPU__V_LOAD(w + 16 * (k) + 8)));
#define NPU__DW_WIDEN(row, at) (is_signed ? NPU__V_LOAD_S8((row) + (at)) : NPU__V_LOAD_U8((row) + (at)))

/* One pixel of any window; taps in the order of the weights. */
NPU__V128 NPU__INLINE void npu__i8_dw8__v128(const uint8_t *const *tap, int32_t taps, int is_signed, size_t at, const uint8_t *unit,
                                             uint8_t *out) {
    const int32_t *head = (const int32_t *)(const void *)unit;
    const int16_t *w = (const int16_t *)(const void *)(head + 32);
    npu__v128      lo = NPU__V_LOAD(head), hi = NPU__V_LOAD(head + 4);
    for (int32_t t = 0; t < taps; t += 2, w += 16) {
        const npu__v128 x = NPU__DW_WIDEN(tap[t], at), y = NPU__DW_WIDEN(tap[t + 1], at);
        NPU__DW_SUM(0, lo, hi, NPU__V_ZIP_LO16(x, y), NPU__V_ZIP_HI16(x, y))
    }
    NPU__V_STORE(out, lo);
    NPU__V_STORE(out + 16, hi);
}
/* Pixels of any window. */
NPU__V128 NPU__FN NPU__NOINLINE void npu__i8_dw_any__v128(const npu__dw_job *job, size_t at, const uint8_t *unit, uint8_t *out) {
    const uint8_t *const *tap = job->taps;
    for (int32_t p = 0; p < job->pixels; p++, tap += job->taps_step, at += job->in_step, out += job->out_stride) {
        if (job->is_signed) npu__i8_dw8__v128(tap, job->n_taps, 1, at, unit, out);
        else npu__i8_dw8__v128(tap, job->n_taps, 0, at, unit, out);
    }
}

/* Pixels of 3 x 3 windows that share columns, which are one or two apart: a column goes to all pixels it belongs to, the first of which
 * is complete with it. Rows 0 and 1 of a column lie side by side in x and y, row 2 beside that of the column before in u and v. */
#define NPU__DW_COLUMN(at)       \
    u = NPU__DW_WIDEN(row0, at); \
    v = NPU__DW_WIDEN(row1, at); \
    x = NPU__V_ZIP_LO16(u, v);   \
    y = NPU__V_ZIP_HI16(u, v);   \
    v = z;                       \
    z = NPU__DW_WIDEN(row2, at); \
    u = NPU__V_ZIP_LO16(v, z);   \
    v = NPU__V_ZIP_HI16(v, z);
NPU__V128 NPU__INLINE void npu__i8_dw_columns__v128(const npu__dw_job *job, size_t at, const uint8_t *unit, int is_signed, int one,
                                                    uint8_t *out) {
    const int32_t *head = (const int32_t *)(const void *)unit;
    const int16_t *w = (const int16_t *)(const void *)(head + 32);
    const size_t   step = job->in_step, column = (size_t)(job->taps[1] - job->taps[0]), stride = job->out_stride;
    const uint8_t *row0 = job->taps[0] + at, *row1 = job->taps[3] + at, *row2 = job->taps[6] + at;
    npu__v128      x, y, u, v, z = NPU__V_SET32(0), lo0 = z, hi0 = z, lo1, hi1, lo2 = NPU__V_LOAD(head), hi2 = NPU__V_LOAD(head + 4);
    NPU__DW_COLUMN(0)
    NPU__DW_SUM(0, lo2, hi2, x, y)
    if (one) {
        NPU__DW_COLUMN(column)
        lo0 = lo2, hi0 = hi2, lo2 = NPU__V_LOAD(head), hi2 = NPU__V_LOAD(head + 4);
        NPU__DW_SUM(1, lo0, hi0, x, y)
        NPU__DW_SUM(3, lo0, hi0, u, v)
        NPU__DW_SUM(0, lo2, hi2, x, y)
    }
    for (int32_t p = job->pixels; p > 0; p--, row0 += step, row1 += step, row2 += step, out += stride) {
        lo1 = lo2, hi1 = hi2, lo2 = NPU__V_LOAD(head), hi2 = NPU__V_LOAD(head + 4);
        if (!one) {
            NPU__DW_COLUMN(column)
            NPU__DW_SUM(1, lo1, hi1, x, y)
            NPU__DW_SUM(3, lo1, hi1, u, v)
            lo0 = lo1, hi0 = hi1;
        }
        NPU__DW_COLUMN(2 * column)
        NPU__DW_SUM(2, lo0, hi0, x, y)
        NPU__DW_SUM(4, lo0, hi0, u, v)
        NPU__V_STORE(out, lo0);
        NPU__V_STORE(out + 16, hi0);
        if (one) {
            NPU__DW_SUM(1, lo1, hi1, x, y)
            NPU__DW_SUM(3, lo1, hi1, u, v)
        }
        NPU__DW_SUM(0, lo2, hi2, x, y)
        lo0 = lo1, hi0 = hi1;
    }
}
#undef NPU__DW_COLUMN
#undef NPU__DW_WIDEN
#undef NPU__DW_SUM
#define NPU__DW_COLUMNS(name, is_signed, one)                                                                                      \
    NPU__V128 NPU__FN NPU__NOINLINE void name(const npu__dw_job *job, size_t at, const uint8_t *unit, uint8_t *out) {              \
        npu__i8_dw_columns__v128(job, at, unit, is_signed, one, out);                                                              \
    }
NPU__DW_COLUMNS(npu__i8_dw_one_s8__v128, 1, 1)
NPU__DW_COLUMNS(npu__i8_dw_one_u8__v128, 0, 1)
NPU__DW_COLUMNS(npu__i8_dw_two_s8__v128, 1, 0)
NPU__DW_COLUMNS(npu__i8_dw_two_u8__v128, 0, 0)
#undef NPU__DW_COLUMNS

/* npu__dw_columns, where the three rows' columns are equally far apart. */
NPU__INLINE int npu__dw_even_columns__v128(const npu__dw_job *job) {
    const uint8_t *const *tap = job->taps;
    const int             columns = npu__dw_columns(job, 3);
    return columns && tap[4] == tap[3] + (tap[1] - tap[0]) && tap[7] == tap[6] + (tap[1] - tap[0]) ? columns : 0;
}

NPU__V128 NPU__FN void npu__dw_by_sums__v128(const npu__dw_sums__v128 *code, const npu__dw_job *job, const uint8_t *packed, uint8_t *out) {
    const uint8_t     *nine[10];
    const size_t       unit = npu__dw_i8_unit_bytes(NPU__DW_UNIT, code->together, job->n_taps), each = job->out.raw ? sizeof(int32_t) : 1;
    const int          columns = npu__dw_even_columns__v128(job), ordered = code->nine && job->n_taps == 9 && !columns;
    npu__dw_sums_code *run = columns ? code->columns[columns - 1][job->is_signed != 0] : code->any;
    npu__dw_job        part = *job;
    npu__v128          sums[NPU__SUMS * 2];
    size_t             at = 0;
    part.out_stride = job->out.raw ? job->out_stride : 32;
    part.taps = ordered ? nine : job->taps;
    for (int32_t p = 0; p < job->pixels; p += part.pixels) {
        const uint8_t *u = packed;
        /* As many pixels as there is room for; where each has pointers of its own, which are to be put in order, one. */
        part.pixels = ordered && job->taps_step ? 1 : job->out.raw ? job->pixels - p : NPU__MIN(job->pixels - p, NPU__SUMS);
        for (int32_t i = 0; ordered && i < 10; i++) nine[i] = job->taps[(ptrdiff_t)p * job->taps_step + code->nine[i]];
        for (int32_t c = 0; c < job->channels; c += NPU__DW_UNIT, u += unit) {
            const size_t c0 = (size_t)NPU__MIN(c, job->channels - NPU__DW_UNIT);
            uint8_t     *to = job->out.raw ? out + c0 * each : (uint8_t *)(void *)sums;
            run(&part, at + c0, u, to);
            if (!job->out.raw) {
                npu__finish8__v128(to, part.pixels, (const int32_t *)(const void *)u, npu__dw_folded(u, NPU__DW_UNIT, 1, unit), &job->out, 8,
                                   out + c0, job->out_stride);
            }
        }
        out += (size_t)part.pixels * job->out_stride;
        at += (size_t)part.pixels * job->in_step;
        if (!ordered) part.taps += part.pixels * job->taps_step;
    }
}
NPU__V128 NPU__FN void npu__i8_dw__v128(const npu__dw_job *job, const uint8_t *packed, uint8_t *out) {
    static const uint8_t            nine[10] = {0, 3, 1, 4, 2, 5, 6, 7, 7, 8}; /* as pack_dw.c says */
    static const npu__dw_sums__v128 code = {2, nine, npu__i8_dw_any__v128,
                                            {{npu__i8_dw_one_u8__v128, npu__i8_dw_one_s8__v128}, {npu__i8_dw_two_u8__v128, npu__i8_dw_two_s8__v128}}};
    npu__dw_by_sums__v128(&code, job, packed, out);
}
#endif
NPU__SPEED_END
