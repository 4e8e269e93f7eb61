/* Integer kernels for NEON: bytes widened to int16, multiplied and added into int32. */
#include "neon.h"
#include "vec_loop.h"
#if NPU__HAS_NEON

/* ---- staging ---- */

NPU__NEON NPU__INLINE int16x8_t npu__widen8__neon(const uint8_t *p, int is_signed) {
    const uint8x8_t v = vld1_u8(p);
    return is_signed ? vmovl_s8(vreinterpret_s8_u8(v)) : vreinterpretq_s16_u16(vmovl_u8(v));
}

NPU__NEON NPU__FN void npu__stage_i16__neon(const uint8_t *src, void *dst, int32_t n, int32_t is_signed, int32_t subtract) {
    const int16x8_t sub = vdupq_n_s16((int16_t)subtract);
    int16_t        *to = (int16_t *)dst;
    int32_t         i = 0;
    for (; i + 8 <= n; i += 8) vst1q_s16(to + i, vsubq_s16(npu__widen8__neon(src + i, is_signed), sub));
    for (; i < n; i++) to[i] = (int16_t)((is_signed ? (int32_t)(int8_t)src[i] : (int32_t)src[i]) - subtract);
}

NPU__NEON NPU__FN int32_t npu__sum_i16__neon(const void *staged, int32_t n) {
    const int16_t *p = (const int16_t *)staged;
    int32x4_t      acc = vdupq_n_s32(0);
    int32_t        i = 0, sum;
    for (; i + 8 <= n; i += 8) acc = vpadalq_s16(acc, vld1q_s16(p + i));
    sum = NPU__SUM_S32(acc);
    for (; i < n; i++) sum += p[i];
    return sum;
}

/* ---- GEMM: a tile is R rows of 8 columns ---- */

/* A header of four times 8 columns (bias, multiplier, shifts), then one of k for every column at a time. */
#define NPU__TILE_INIT(r)                                                                  \
    const int16_t *a##r = (const int16_t *)(const void *)npu__gemm_row(&job->a, row + r);  \
    int32x4_t      lo##r = vaddq_s32(vld1q_s32(head), vdupq_n_s32(job->row_add[row + r])), \
                   hi##r = vaddq_s32(vld1q_s32(head + 4), vdupq_n_s32(job->row_add[row + r]));
#define NPU__TILE_STEP(r)                                 \
    lo##r = vmlal_n_s16(lo##r, vget_low_s16(b), a##r[i]); \
    hi##r = vmlal_n_s16(hi##r, vget_high_s16(b), a##r[i]);
#define NPU__TILE_LOAD4(r) const int16x4_t v##r = vld1_s16(a##r + i);
#define NPU__TILE_LANE(r, lane)                                 \
    lo##r = vmlal_lane_s16(lo##r, vget_low_s16(b), v##r, lane); \
    hi##r = vmlal_lane_s16(hi##r, vget_high_s16(b), v##r, lane);
#define NPU__TILE_LANE0(r) NPU__TILE_LANE(r, 0)
#define NPU__TILE_LANE1(r) NPU__TILE_LANE(r, 1)
#define NPU__TILE_LANE2(r) NPU__TILE_LANE(r, 2)
#define NPU__TILE_LANE3(r) NPU__TILE_LANE(r, 3)
#define NPU__TILE_DONE(r)                                                                                \
    lo##r = npu__requant__neon(lo##r, vld1q_s32(head + 8), vld1q_s32(head + 16), vld1q_s32(head + 24));  \
    hi##r = npu__requant__neon(hi##r, vld1q_s32(head + 12), vld1q_s32(head + 20), vld1q_s32(head + 28)); \
    npu__store8__neon(out + (size_t)r * job->out_stride, npu__finish8__neon(lo##r, hi##r, &job->out), cols);
#define NPU__TILE_RAW(r) npu__raw8__neon(out + (size_t)r * job->out_stride, lo##r, hi##r);

#define NPU__TILE(R)                                                                                            \
    NPU__NEON NPU__INLINE void npu__i8_tile_##R##x8__neon(const npu__gemm_i8_job *job, int32_t row, const uint8_t *panel, \
                                                int32_t cols, uint8_t *out) {                                   \
        const int32_t *head = (const int32_t *)(const void *)panel;                                             \
        const int8_t  *w = (const int8_t *)(const void *)(head + 32);                                           \
        int16x8_t      b;                                                                                       \
        NPU__ROWS_##R(NPU__TILE_INIT)                                                                           \
        for (int32_t s = 0; s < job->a.segments; s++) {                                                         \
            size_t       i = job->a.offsets[s];                                                                 \
            const size_t end = i + (size_t)job->a.run;                                                          \
            for (; i + 4 <= end; i += 4, w += 32) {                                                             \
                NPU__ROWS_##R(NPU__TILE_LOAD4)                                                                  \
                b = vmovl_s8(vld1_s8(w));                                                                       \
                NPU__ROWS_##R(NPU__TILE_LANE0)                                                                  \
                b = vmovl_s8(vld1_s8(w + 8));                                                                   \
                NPU__ROWS_##R(NPU__TILE_LANE1)                                                                  \
                b = vmovl_s8(vld1_s8(w + 16));                                                                  \
                NPU__ROWS_##R(NPU__TILE_LANE2)                                                                  \
                b = vmovl_s8(vld1_s8(w + 24));                                                                  \
                NPU__ROWS_##R(NPU__TILE_LANE3)                                                                  \
            }                                                                                                   \
            for (; i < end; i++, w += 8) {                                                                      \
                b = vmovl_s8(vld1_s8(w));                                                                       \
                NPU__ROWS_##R(NPU__TILE_STEP)                                                                   \
            }                                                                                                   \
        }                                                                                                       \
        if (job->out.raw) {                                                                                     \
            NPU__ROWS_##R(NPU__TILE_RAW)                                                                        \
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
#undef NPU__TILE_LOAD4
#undef NPU__TILE_LANE
#undef NPU__TILE_LANE0
#undef NPU__TILE_LANE1
#undef NPU__TILE_LANE2
#undef NPU__TILE_LANE3
#undef NPU__TILE_DONE
#undef NPU__TILE_RAW

#define NPU__TILE_CALL(R) npu__i8_tile_##R##x8__neon(job, row, panel, cols, out)
NPU__NEON NPU__FN void npu__i8_gemm_4x8__neon(const npu__gemm_i8_job *job, const uint8_t *panel, int32_t cols, uint8_t *out) {
    NPU__TILES(4, NPU__TILE_CALL);
}
#undef NPU__TILE_CALL

/* ---- GEMV: four weight rows at a time ---- */

#define NPU__DOT_INIT(r)                               \
    int32x4_t      s##r = vdupq_n_s32(0), t##r = s##r; \
    const uint8_t *w##r = w + (size_t)r * job->w_stride;
#define NPU__DOT_STEP(r)                                      \
    b = npu__widen8__neon(w##r + i, job->w_signed);           \
    s##r = vmlal_s16(s##r, vget_low_s16(v), vget_low_s16(b)); \
    t##r = vmlal_s16(t##r, vget_high_s16(v), vget_high_s16(b));
#define NPU__DOT_DONE(r) s##r = vaddq_s32(s##r, t##r);

/* k >= 8. `tail` holds the last k % 8 values of a behind zeros: the last chunk overlaps the one before it. */
#define NPU__DOT(R, RESULT)                                                                                       \
    NPU__NEON NPU__INLINE int32x4_t npu__i8_dot##R##__neon(const npu__gemv_i8_job *job, const uint8_t *w, int16x8_t tail) { \
        int32_t   i = 0;                                                                                          \
        int16x8_t v, b;                                                                                           \
        NPU__ROWS_##R(NPU__DOT_INIT)                                                                              \
        for (; i + 8 <= job->k; i += 8) {                                                                         \
            v = vld1q_s16(job->a + i);                                                                            \
            NPU__ROWS_##R(NPU__DOT_STEP)                                                                          \
        }                                                                                                         \
        if (i < job->k) {                                                                                         \
            i = job->k - 8;                                                                                       \
            v = tail;                                                                                             \
            NPU__ROWS_##R(NPU__DOT_STEP)                                                                          \
        }                                                                                                         \
        NPU__ROWS_##R(NPU__DOT_DONE)                                                                              \
        return RESULT;                                                                                            \
    }
NPU__DOT(1, s0)
NPU__DOT(4, NPU__PADD_S32(NPU__PADD_S32(s0, s1), NPU__PADD_S32(s2, s3)))
#undef NPU__DOT
#undef NPU__DOT_INIT
#undef NPU__DOT_STEP
#undef NPU__DOT_DONE

NPU__NEON NPU__INLINE uint32_t npu__i8_dot_any__neon(const npu__gemv_i8_job *job, const uint8_t *w, int16x8_t tail) {
    if (job->k >= 8) return (uint32_t)NPU__SUM_S32(npu__i8_dot1__neon(job, w, tail));
    return npu__gemv_i8_short(job, w);
}

NPU__NEON NPU__FN void npu__i8_gemv__neon(const npu__gemv_i8_job *job, int32_t n0, int32_t n1, int32_t *sums) {
    int16_t        tail8[8];
    const int32_t  rest = job->k & 7;
    const uint8_t *w = job->w + (size_t)n0 * job->w_stride;
    int16x8_t      tail;
    memset(tail8, 0, sizeof tail8);
    if (rest) memcpy(tail8 + 8 - rest, job->a + job->k - rest, (size_t)rest * sizeof *tail8);
    tail = vld1q_s16(tail8);
    for (; job->k >= 8 && job->k < NPU__GEMV_LONG_ROW && n0 + 4 <= n1; n0 += 4, w += 4 * job->w_stride) {
        int32x4_t acc = vaddq_s32(npu__i8_dot4__neon(job, w, tail), vdupq_n_s32(job->add));
        if (job->bias) acc = vaddq_s32(acc, vld1q_s32(job->bias + n0));
        vst1q_s32(sums + n0, acc);
    }
    for (; n0 < n1; n0++, w += job->w_stride) {
        uint32_t acc = npu__i8_dot_any__neon(job, w, tail) + (uint32_t)job->add;
        sums[n0] = (int32_t)(acc + (job->bias ? (uint32_t)job->bias[n0] : 0u));
    }
}

/* ---- depthwise: a unit of 8 channels at a time ---- */

NPU__NEON NPU__INLINE void npu__dw_done__neon(const npu__i8_out *o, const int32_t *head, int32x4_t lo, int32x4_t hi, uint8_t *out) {
    if (o->raw) {
        npu__raw8__neon(out, lo, hi);
        return;
    }
    lo = npu__requant__neon(lo, vld1q_s32(head + 8), vld1q_s32(head + 16), vld1q_s32(head + 24));
    hi = npu__requant__neon(hi, vld1q_s32(head + 12), vld1q_s32(head + 20), vld1q_s32(head + 28));
    vst1_u8(out, vreinterpret_u8_s8(npu__finish8__neon(lo, hi, o)));
}

NPU__NEON NPU__INLINE void npu__i8_dw8__neon(const npu__dw_job *job, const uint8_t *const *tap, size_t at, const uint8_t *unit,
                                   uint8_t *out) {
    const int32_t *head = (const int32_t *)(const void *)unit;
    const int16_t *w = (const int16_t *)(const void *)(head + 32);
    int32x4_t      lo = vld1q_s32(head), hi = vld1q_s32(head + 4);
    for (int32_t t = 0; t < job->n_taps; t++, w += 8) {
        const int16x8_t x = npu__widen8__neon(tap[t] + at, job->is_signed), b = vld1q_s16(w);
        lo = vmlal_s16(lo, vget_low_s16(x), vget_low_s16(b));
        hi = vmlal_s16(hi, vget_high_s16(x), vget_high_s16(b));
    }
    npu__dw_done__neon(&job->out, head, lo, hi, out);
}

/* Pixels of 3 x 3 windows that share columns, one or two apart (STEP): weights stay in registers, a column is widened once. Column
 * c is x##c, y##c, z##c, the k-th one of a window. */
#define NPU__DW_COLUMN(c, k)                              \
    x##c = npu__widen8__neon(tap[k] + at, is_signed);     \
    y##c = npu__widen8__neon(tap[k + 3] + at, is_signed); \
    z##c = npu__widen8__neon(tap[k + 6] + at, is_signed);
#define NPU__DW_MADD(x, w)                                      \
    lo = vmlal_s16(lo, vget_low_s16(x), vget_low_s16(w));       \
    hi = vmlal_s16(hi, vget_high_s16(x), vget_high_s16(w));
#define NPU__DW_PIXEL(i, j, k)                                                                                 \
    lo = vld1q_s32(head);                                                                                      \
    hi = vld1q_s32(head + 4);                                                                                  \
    NPU__DW_MADD(x##i, w0) NPU__DW_MADD(x##j, w1) NPU__DW_MADD(x##k, w2)                                       \
    NPU__DW_MADD(y##i, w3) NPU__DW_MADD(y##j, w4) NPU__DW_MADD(y##k, w5)                                       \
    NPU__DW_MADD(z##i, w6) NPU__DW_MADD(z##j, w7) NPU__DW_MADD(z##k, w8)                                       \
    npu__dw_done__neon(&last, head, lo, hi, out);                                                              \
    if (++p == job->pixels) return;                                                                            \
    at += job->in_step;                                                                                        \
    out += job->out_stride;
#define NPU__DW_WEIGHTS(t) const int16x8_t w##t = vld1q_s16((const int16_t *)(const void *)(head + 32) + 8 * (t));

/* pixels >= 1 */
#define NPU__DW_COLUMNS(STEP, BEGIN, PIXELS)                                                                               \
    NPU__NEON NPU__LOOP_BODY NPU__INLINE void npu__i8_dw_columns##STEP##__neon(const npu__dw_job *job, size_t at, const uint8_t *unit, \
                                                                     int is_signed, uint8_t *out) {                        \
        const uint8_t *const *tap = job->taps;                                                                             \
        const int32_t        *head = (const int32_t *)(const void *)unit;                                                  \
        const npu__i8_out     last = job->out; /* not read again for each pixel */                                           \
        int32_t               p = 0;                                                                                       \
        int32x4_t             lo, hi;                                                                                      \
        int16x8_t             x0, y0, z0, x1, y1, z1, x2, y2, z2;                                                          \
        NPU__ROWS_8(NPU__DW_WEIGHTS) NPU__DW_WEIGHTS(8)                                                                    \
        BEGIN                                                                                                              \
        for (;;) { PIXELS }                                                                                                \
    }
NPU__DW_COLUMNS(1, NPU__DW_COLUMN(0, 0) NPU__DW_COLUMN(1, 1),
                NPU__DW_COLUMN(2, 2) NPU__DW_PIXEL(0, 1, 2)
                NPU__DW_COLUMN(0, 2) NPU__DW_PIXEL(1, 2, 0)
                NPU__DW_COLUMN(1, 2) NPU__DW_PIXEL(2, 0, 1))
NPU__DW_COLUMNS(2, NPU__DW_COLUMN(0, 0),
                NPU__DW_COLUMN(1, 1) NPU__DW_COLUMN(2, 2) NPU__DW_PIXEL(0, 1, 2)
                NPU__DW_COLUMN(1, 1) NPU__DW_COLUMN(0, 2) NPU__DW_PIXEL(2, 1, 0))
#undef NPU__DW_COLUMNS
#undef NPU__DW_COLUMN
#undef NPU__DW_MADD
#undef NPU__DW_PIXEL
#undef NPU__DW_WEIGHTS

NPU__NEON NPU__FN void npu__i8_dw__neon(const npu__dw_job *job, const uint8_t *packed, uint8_t *out) {
    const uint8_t *const *tap = job->taps;
    const size_t          unit = npu__dw_i8_unit_bytes(NPU__DW_UNIT, 1, job->n_taps), each = job->out.raw ? sizeof(int32_t) : 1;
    const int             columns = npu__dw_columns(job, 3);
    size_t                at = 0;
    for (int32_t c = 0; columns && c < job->channels; c += NPU__DW_UNIT, packed += unit) {
        const size_t c0 = (size_t)NPU__MIN(c, job->channels - NPU__DW_UNIT);
        uint8_t     *to = out + c0 * each;
        if (columns == 1 && job->is_signed) npu__i8_dw_columns1__neon(job, c0, packed, 1, to);
        else if (columns == 1) npu__i8_dw_columns1__neon(job, c0, packed, 0, to);
        else if (job->is_signed) npu__i8_dw_columns2__neon(job, c0, packed, 1, to);
        else npu__i8_dw_columns2__neon(job, c0, packed, 0, to);
    }
    if (columns) return;
    for (int32_t p = 0; p < job->pixels; p++, tap += job->taps_step, at += job->in_step, out += job->out_stride) {
        const uint8_t *u = packed;
        for (int32_t c = 0; c < job->channels; c += NPU__DW_UNIT, u += unit) {
            const size_t c0 = (size_t)NPU__MIN(c, job->channels - NPU__DW_UNIT);
            npu__i8_dw8__neon(job, tap, at + c0, u, out + c0 * each);
        }
    }
}
#endif
