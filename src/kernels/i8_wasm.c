/* Integer kernels for WebAssembly SIMD128: bytes widened to int16, pairs multiplied and added by i32x4.dot_i16x8. */
#include "kernels.h"
#include "simd.h"
NPU__SPEED_BEGIN

#if NPU__HAS_WASM_SIMD

/* ---- output stage ----
 * There is no shift by a different amount in each lane: packed weights hold powers of two instead
 * (NPU__SHIFT_POWERS), left = 1 << left shift and right = 1 << (31 - right shift), and lanes are multiplied into 64
 * bits. */

/* (a * b + 2^30) >> 31, low 32 bits. */
NPU__INLINE v128_t npu__high_product__wasm(v128_t lo, v128_t hi) {
    const v128_t nudge = wasm_i64x2_splat((int64_t)1 << 30);
    lo = wasm_u64x2_shr(wasm_i64x2_add(lo, nudge), 31);
    hi = wasm_u64x2_shr(wasm_i64x2_add(hi, nudge), 31);
    return wasm_i32x4_shuffle(lo, hi, 0, 2, 4, 6);
}

NPU__INLINE v128_t npu__requant__wasm(v128_t x, const int32_t *mult, const int32_t *left, const int32_t *right) {
    const v128_t m = wasm_v128_load(mult), power = wasm_v128_load(right), zero = wasm_i32x4_splat(0);
    x = wasm_i32x4_mul(x, wasm_v128_load(left));
    x = npu__high_product__wasm(wasm_i64x2_extmul_low_i32x4(x, m), wasm_i64x2_extmul_high_i32x4(x, m));
    /* Halves round up below: one less first for negative numbers, unless nothing is shifted out (power is 2^31). */
    x = wasm_i32x4_add(x, wasm_v128_and(wasm_i32x4_shr(x, 31), wasm_i32x4_gt(power, zero)));
    x = wasm_v128_xor(x, wasm_i32x4_splat(INT32_MIN)); /* + 2^31, unsigned from here */
    x = npu__high_product__wasm(wasm_u64x2_extmul_low_u32x4(x, power), wasm_u64x2_extmul_high_u32x4(x, power));
    return wasm_i32x4_sub(x, power);
}

/* Eight int16 to eight bytes, in the low half. */
NPU__INLINE v128_t npu__bytes8__wasm(v128_t v, const npu__i8_out *o) {
    v = wasm_i16x8_add_sat(v, wasm_i16x8_splat((int16_t)o->zero_point));
    v = wasm_i8x16_narrow_i16x8(v, v);
    v = wasm_i8x16_min(wasm_i8x16_max(v, wasm_i8x16_splat((int8_t)o->lo)), wasm_i8x16_splat((int8_t)o->hi));
    return wasm_v128_xor(v, wasm_i8x16_splat((int8_t)o->flip));
}
NPU__INLINE v128_t npu__finish8__wasm(v128_t a, v128_t b, const npu__i8_out *o) {
    return npu__bytes8__wasm(wasm_i16x8_narrow_i32x4(a, b), o);
}

/* Folded headers (pack.h): the upper half of (x + 2^31) * 2 * multiplier is what the reference's product rounds to, plus the
 * multiplier. A shift by what the eight columns have in common leaves at most 7 bits for a rounding product of int16. */
NPU__INLINE v128_t npu__plain__wasm(v128_t x, const int32_t *head, int32_t common) {
    const v128_t twice = wasm_v128_load(head + 8), round = wasm_i64x2_splat((int64_t)1 << 31);
    const v128_t lo = wasm_i64x2_add(wasm_u64x2_extmul_low_u32x4(x, twice), round);
    const v128_t hi = wasm_i64x2_add(wasm_u64x2_extmul_high_u32x4(x, twice), round);
    x = wasm_i32x4_add(wasm_i32x4_shuffle(lo, hi, 1, 3, 5, 7), wasm_v128_load(head + 16));
    return wasm_i32x4_shr(wasm_i32x4_add(x, wasm_i32x4_shr(x, 31)), (uint32_t)common);
}

/* Eight sums of folded columns. */
NPU__INLINE v128_t npu__plain8__wasm(v128_t lo, v128_t hi, const int32_t *head, const npu__i8_out *o) {
    lo = npu__plain__wasm(lo, head, head[28]);
    hi = npu__plain__wasm(hi, head + 4, head[28]);
    return npu__bytes8__wasm(wasm_i16x8_q15mulr_sat(wasm_i16x8_narrow_i32x4(lo, hi), wasm_v128_load(head + 24)), o);
}

NPU__INLINE void npu__store8__wasm(uint8_t *out, v128_t v, int32_t cols) {
    uint8_t tmp[8];
    if (cols == 8) {
        wasm_v128_store64_lane(out, v, 0);
    } else {
        wasm_v128_store64_lane(tmp, v, 0);
        memcpy(out, tmp, (size_t)cols);
    }
}

/* Eight sums as they are. */
NPU__INLINE void npu__raw8__wasm(uint8_t *out, v128_t lo, v128_t hi) {
    wasm_v128_store(out, lo);
    wasm_v128_store(out + 16, hi);
}

/* ---- staging ---- */

NPU__INLINE v128_t npu__widen8__wasm(const uint8_t *p, int is_signed) {
    return is_signed ? wasm_i16x8_load8x8(p) : wasm_u16x8_load8x8(p);
}

NPU__FN void npu__stage_i16__wasm(const uint8_t *src, void *dst, int32_t n, int32_t is_signed, int32_t subtract) {
    const v128_t sub = wasm_i16x8_splat((int16_t)subtract);
    int16_t     *to = (int16_t *)dst;
    int32_t      i = 0;
    for (; i + 8 <= n; i += 8) wasm_v128_store(to + i, wasm_i16x8_sub(npu__widen8__wasm(src + i, is_signed), sub));
    for (; i < n; i++) to[i] = (int16_t)((is_signed ? (int32_t)(int8_t)src[i] : (int32_t)src[i]) - subtract);
}

NPU__FN int32_t npu__sum_i16__wasm(const void *staged, int32_t n) {
    const int16_t *p = (const int16_t *)staged;
    v128_t         acc = wasm_i32x4_splat(0);
    int32_t        i = 0, sum;
    for (; i + 8 <= n; i += 8) acc = wasm_i32x4_add(acc, wasm_i32x4_extadd_pairwise_i16x8(wasm_v128_load(p + i)));
    sum = wasm_i32x4_extract_lane(acc, 0) + wasm_i32x4_extract_lane(acc, 1) + wasm_i32x4_extract_lane(acc, 2) +
          wasm_i32x4_extract_lane(acc, 3);
    for (; i < n; i++) sum += p[i];
    return sum;
}

/* ---- GEMM: a tile is R rows of 8 columns ---- */

/* A header of four times 8 columns (bias, multiplier, powers; or folded), then two of k for every column at a time. */
#define NPU__TILE_INIT(r)                                                                                 \
    const int16_t *a##r = (const int16_t *)(const void *)npu__gemm_row(&job->a, row + r);                 \
    v128_t         lo##r = wasm_i32x4_add(wasm_v128_load(head), wasm_i32x4_splat(job->row_add[row + r])), \
                   hi##r = wasm_i32x4_add(wasm_v128_load(head + 4), wasm_i32x4_splat(job->row_add[row + r]));
#define NPU__TILE_STEP(r, t)                                    \
    v = wasm_v128_load32_splat(a##r + i + t);                   \
    lo##r = wasm_i32x4_add(lo##r, wasm_i32x4_dot_i16x8(v, b0)); \
    hi##r = wasm_i32x4_add(hi##r, wasm_i32x4_dot_i16x8(v, b1));
#define NPU__TILE_STEP0(r) NPU__TILE_STEP(r, 0)
#define NPU__TILE_STEP2(r) NPU__TILE_STEP(r, 2)
#define NPU__TILE_STEP4(r) NPU__TILE_STEP(r, 4)
#define NPU__TILE_STEP6(r) NPU__TILE_STEP(r, 6)
/* The pair of k at i + t. */
#define NPU__TILE_PAIR(R, t)              \
    b = wasm_v128_load(w + 8 * t);        \
    b0 = wasm_i16x8_extend_low_i8x16(b);  \
    b1 = wasm_i16x8_extend_high_i8x16(b); \
    NPU__ROWS_##R(NPU__TILE_STEP##t)
#define NPU__TILE_DONE(r)                                               \
    lo##r = npu__requant__wasm(lo##r, head + 8, head + 16, head + 24);  \
    hi##r = npu__requant__wasm(hi##r, head + 12, head + 20, head + 28); \
    npu__store8__wasm(out + (size_t)r * job->out_stride, npu__finish8__wasm(lo##r, hi##r, &job->out), cols);
#define NPU__TILE_PLAIN(r) \
    npu__store8__wasm(out + (size_t)r * job->out_stride, npu__plain8__wasm(lo##r, hi##r, head, &job->out), cols);
#define NPU__TILE_RAW(r) \
    npu__raw8__wasm(out + (size_t)r * job->out_stride, wasm_v128_xor(lo##r, offset), wasm_v128_xor(hi##r, offset));

#define NPU__TILE(R)                                                                                            \
    NPU__INLINE void npu__i8_tile_##R##x8__wasm(const npu__gemm_i8_job *job, int32_t row, const uint8_t *panel, \
                                                int plain, int32_t cols, uint8_t *out) {                        \
        const int32_t *head = (const int32_t *)(const void *)panel;                                             \
        const int8_t  *w = (const int8_t *)(const void *)(head + 32);                                           \
        NPU__ROWS_##R(NPU__TILE_INIT)                                                                           \
        for (int32_t s = 0; s < job->a.segments; s++) {                                                         \
            size_t       i = job->a.offsets[s];                                                                 \
            const size_t end = i + (size_t)job->a.run;                                                          \
            v128_t       v, b, b0, b1;                                                                          \
            for (; i + 8 <= end; i += 8, w += 64) {                                                             \
                NPU__TILE_PAIR(R, 0) NPU__TILE_PAIR(R, 2) NPU__TILE_PAIR(R, 4) NPU__TILE_PAIR(R, 6)             \
            }                                                                                                   \
            for (; i < end; i += 2, w += 16) { NPU__TILE_PAIR(R, 0) }                                           \
        }                                                                                                       \
        if (job->out.raw) {                                                                                     \
            const v128_t offset = wasm_i32x4_splat(plain ? INT32_MIN : 0);                                      \
            NPU__ROWS_##R(NPU__TILE_RAW)                                                                        \
        } else if (plain) {                                                                                     \
            NPU__ROWS_##R(NPU__TILE_PLAIN)                                                                      \
        } else {                                                                                                \
            NPU__ROWS_##R(NPU__TILE_DONE)                                                                       \
        }                                                                                                       \
    }
NPU__TILE(1)
NPU__TILE(2)
NPU__TILE(4)
#undef NPU__TILE
#undef NPU__TILE_INIT
#undef NPU__TILE_STEP
#undef NPU__TILE_STEP0
#undef NPU__TILE_STEP2
#undef NPU__TILE_STEP4
#undef NPU__TILE_STEP6
#undef NPU__TILE_PAIR
#undef NPU__TILE_DONE
#undef NPU__TILE_RAW
#undef NPU__TILE_PLAIN

#define NPU__TILE_CALL(R) npu__i8_tile_##R##x8__wasm(job, row, panel, plain, cols, out)
NPU__FN void npu__i8_gemm_4x8__wasm(const npu__gemm_i8_job *job, const uint8_t *panel, int32_t cols, uint8_t *out) {
    const int32_t *third = (const int32_t *)(const void *)panel + 16;
    const int      plain = wasm_i32x4_bitmask(wasm_v128_or(wasm_v128_load(third), wasm_v128_load(third + 4))) != 0;
    NPU__TILES(4, NPU__TILE_CALL);
}
#undef NPU__TILE_CALL

/* ---- GEMV: four weight rows at a time ---- */

NPU__INLINE v128_t npu__sum4_i32__wasm(v128_t a, v128_t b, v128_t c, v128_t d) {
    v128_t ab = wasm_i32x4_add(wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), wasm_i32x4_shuffle(a, b, 2, 6, 3, 7));
    v128_t cd = wasm_i32x4_add(wasm_i32x4_shuffle(c, d, 0, 4, 1, 5), wasm_i32x4_shuffle(c, d, 2, 6, 3, 7));
    return wasm_i32x4_add(wasm_i32x4_shuffle(ab, cd, 0, 1, 4, 5), wasm_i32x4_shuffle(ab, cd, 2, 3, 6, 7));
}

#define NPU__DOT_INIT(r)                       \
    v128_t         s##r = wasm_i32x4_splat(0); \
    const uint8_t *w##r = w + (size_t)r * job->w_stride;
#define NPU__DOT_STEP(r) \
    s##r = wasm_i32x4_add(s##r, wasm_i32x4_dot_i16x8(v, npu__widen8__wasm(w##r + i, job->w_signed)));

/* k >= 8. `tail` holds the last k % 8 values of a behind zeros: the last chunk overlaps the one before it. */
#define NPU__DOT(R, S0, S1, S2, S3)                                                                         \
    NPU__INLINE v128_t npu__i8_dot##R##__wasm(const npu__gemv_i8_job *job, const uint8_t *w, v128_t tail) { \
        int32_t i = 0;                                                                                      \
        v128_t  v;                                                                                          \
        NPU__ROWS_##R(NPU__DOT_INIT)                                                                        \
        for (; i + 8 <= job->k; i += 8) {                                                                   \
            v = wasm_v128_load(job->a + i);                                                                 \
            NPU__ROWS_##R(NPU__DOT_STEP)                                                                    \
        }                                                                                                   \
        if (i < job->k) {                                                                                   \
            i = job->k - 8;                                                                                 \
            v = tail;                                                                                       \
            NPU__ROWS_##R(NPU__DOT_STEP)                                                                    \
        }                                                                                                   \
        return npu__sum4_i32__wasm(S0, S1, S2, S3);                                                         \
    }
NPU__DOT(1, s0, s0, s0, s0)
NPU__DOT(4, s0, s1, s2, s3)
#undef NPU__DOT
#undef NPU__DOT_INIT
#undef NPU__DOT_STEP

/* Shorter rows than a vector: plain C. */
NPU__INLINE uint32_t npu__i8_dot_any__wasm(const npu__gemv_i8_job *job, const uint8_t *w, v128_t tail) {
    uint32_t sum = 0;
    if (job->k >= 8) return (uint32_t)wasm_i32x4_extract_lane(npu__i8_dot1__wasm(job, w, tail), 0);
    for (int32_t i = 0; i < job->k; i++)
        sum += (uint32_t)(job->a[i] * (job->w_signed ? (int32_t)(int8_t)w[i] : (int32_t)w[i]));
    return sum;
}

NPU__FN void npu__i8_gemv__wasm(const npu__gemv_i8_job *job, int32_t n0, int32_t n1, int32_t *sums) {
    int16_t        tail8[8];
    const int32_t  rest = job->k & 7;
    const uint8_t *w = job->w + (size_t)n0 * job->w_stride;
    v128_t         tail;
    memset(tail8, 0, sizeof tail8);
    if (rest) memcpy(tail8 + 8 - rest, job->a + job->k - rest, (size_t)rest * sizeof *tail8);
    tail = wasm_v128_load(tail8);
    for (; job->k >= 8 && n0 + 4 <= n1; n0 += 4, w += 4 * job->w_stride) {
        v128_t acc = wasm_i32x4_add(npu__i8_dot4__wasm(job, w, tail), wasm_i32x4_splat(job->add));
        if (job->bias) acc = wasm_i32x4_add(acc, wasm_v128_load(job->bias + n0));
        wasm_v128_store(sums + n0, acc);
    }
    for (; n0 < n1; n0++, w += job->w_stride) {
        uint32_t acc = npu__i8_dot_any__wasm(job, w, tail) + (uint32_t)job->add;
        sums[n0] = (int32_t)(acc + (job->bias ? (uint32_t)job->bias[n0] : 0u));
    }
}

/* ---- depthwise: a unit of 8 channels, two taps at a time ---- */

NPU__INLINE void npu__dw_done__wasm(const npu__dw_job *job, const int32_t *head, v128_t lo, v128_t hi, uint8_t *out) {
    if (job->out.raw) {
        const v128_t offset = wasm_i32x4_splat(job->plain ? INT32_MIN : 0);
        npu__raw8__wasm(out, wasm_v128_xor(lo, offset), wasm_v128_xor(hi, offset));
    } else if (job->plain) {
        wasm_v128_store64_lane(out, npu__plain8__wasm(lo, hi, head, &job->out), 0);
    } else {
        lo = npu__requant__wasm(lo, head + 8, head + 16, head + 24);
        hi = npu__requant__wasm(hi, head + 12, head + 20, head + 28);
        wasm_v128_store64_lane(out, npu__finish8__wasm(lo, hi, &job->out), 0);
    }
}

#define NPU__SIDE_LO(x, y) wasm_i16x8_shuffle(x, y, 0, 8, 1, 9, 2, 10, 3, 11)
#define NPU__SIDE_HI(x, y) wasm_i16x8_shuffle(x, y, 4, 12, 5, 13, 6, 14, 7, 15)
/* Pair k of the weights, of both halves. */
#define NPU__DW_DOT(k, x, y)                                                            \
    lo = wasm_i32x4_add(lo, wasm_i32x4_dot_i16x8(x, wasm_v128_load(w + 16 * (k))));     \
    hi = wasm_i32x4_add(hi, wasm_i32x4_dot_i16x8(y, wasm_v128_load(w + 16 * (k) + 8)));

/* One pixel of any window; taps in the order of the weights. */
NPU__INLINE void npu__i8_dw8__wasm(const npu__dw_job *job, const uint8_t *const *tap, size_t at, const uint8_t *unit,
                                   uint8_t *out) {
    const int32_t *head = (const int32_t *)(const void *)unit;
    const int16_t *w = (const int16_t *)(const void *)(head + 32);
    v128_t         lo = wasm_v128_load(head), hi = wasm_v128_load(head + 4);
    for (int32_t t = 0; t < job->n_taps; t += 2, w += 16) {
        const v128_t x = npu__widen8__wasm(tap[t] + at, job->is_signed);
        const v128_t y = npu__widen8__wasm(tap[t + 1] + at, job->is_signed);
        NPU__DW_DOT(0, NPU__SIDE_LO(x, y), NPU__SIDE_HI(x, y))
    }
    npu__dw_done__wasm(job, head, lo, hi, out);
}

/* Pixels of 3 x 3 windows that share columns, which are one or two apart. Column c: rows 0 and 1 side by side in lo##c and hi##c, row
 * 2 in z##c, beside the next column's in p and q. */
#define NPU__DW_COLUMN(c)                                     \
    x = npu__widen8__wasm(tap[c] + at, job->is_signed);       \
    y = npu__widen8__wasm(tap[c + 3] + at, job->is_signed);   \
    z##c = npu__widen8__wasm(tap[c + 6] + at, job->is_signed); \
    lo##c = NPU__SIDE_LO(x, y);                               \
    hi##c = NPU__SIDE_HI(x, y);
NPU__INLINE void npu__i8_dw_columns__wasm(const npu__dw_job *job, size_t at, const uint8_t *unit, int one, uint8_t *out) {
    const uint8_t *const *tap = job->taps;
    const int32_t        *head = (const int32_t *)(const void *)unit;
    const int16_t        *w = (const int16_t *)(const void *)(head + 32);
    v128_t                lo0, hi0, z0, lo1, hi1, z1, lo2, hi2, z2, p0, q0, p1, q1, x, y;
    NPU__DW_COLUMN(0)
    NPU__DW_COLUMN(1)
    p0 = NPU__SIDE_LO(z0, z1);
    q0 = NPU__SIDE_HI(z0, z1);
    for (int32_t p = 0; p < job->pixels; p++, at += job->in_step, out += job->out_stride) {
        v128_t lo = wasm_v128_load(head), hi = wasm_v128_load(head + 4);
        if (!one && p) {
            NPU__DW_COLUMN(1)
            p0 = NPU__SIDE_LO(z0, z1);
            q0 = NPU__SIDE_HI(z0, z1);
        }
        NPU__DW_COLUMN(2)
        p1 = NPU__SIDE_LO(z1, z2);
        q1 = NPU__SIDE_HI(z1, z2);
        NPU__DW_DOT(0, lo0, hi0)
        NPU__DW_DOT(1, lo1, hi1)
        NPU__DW_DOT(2, lo2, hi2)
        NPU__DW_DOT(3, p0, q0)
        NPU__DW_DOT(4, p1, q1)
        lo0 = one ? lo1 : lo2; hi0 = one ? hi1 : hi2;
        lo1 = lo2; hi1 = hi2; z0 = z1 = z2; p0 = p1; q0 = q1;
        npu__dw_done__wasm(job, head, lo, hi, out);
    }
}
#undef NPU__DW_COLUMN
#undef NPU__DW_DOT
#undef NPU__SIDE_LO
#undef NPU__SIDE_HI

NPU__FN void npu__i8_dw__wasm(const npu__dw_job *job, const uint8_t *packed, uint8_t *out) {
    static const uint8_t  order[10] = {0, 3, 1, 4, 2, 5, 6, 7, 7, 8}; /* of nine taps, as pack.c says */
    const uint8_t        *nine[10];
    const uint8_t *const *tap = job->taps;
    const size_t          unit = npu__dw_i8_unit_bytes(NPU__DW_UNIT, 2, job->n_taps), each = job->out.raw ? sizeof(int32_t) : 1;
    const int             columns = npu__dw_columns(job, 3);
    size_t                at = 0;
    for (int32_t c = 0; columns && c < job->channels; c += NPU__DW_UNIT, packed += unit) {
        const size_t c0 = (size_t)NPU__MIN(c, job->channels - NPU__DW_UNIT);
        npu__i8_dw_columns__wasm(job, c0, packed, columns == 1, out + c0 * each);
    }
    if (columns) return;
    for (int32_t p = 0; p < job->pixels; p++, tap += job->taps_step, at += job->in_step, out += job->out_stride) {
        const uint8_t *u = packed;
        for (int32_t i = 0; job->n_taps == 9 && i < 10; i++) nine[i] = tap[order[i]];
        for (int32_t c = 0; c < job->channels; c += NPU__DW_UNIT, u += unit) {
            const size_t c0 = (size_t)NPU__MIN(c, job->channels - NPU__DW_UNIT);
            npu__i8_dw8__wasm(job, job->n_taps == 9 ? nine : tap, at + c0, u, out + c0 * each);
        }
    }
}
#endif
NPU__SPEED_END
