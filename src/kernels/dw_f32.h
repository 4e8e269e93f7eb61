/* Template: depthwise convolution of floats, stamped once for each instruction set that has it (no include guard).
 *
 * The includer defines NPU__V(name) (adds its suffix), the vector type NPU__DW_V of NPU__DW_LANES floats, NPU__DW_FN (what
 * functions need) and NPU__DW_{LOAD, STORE, SET1, MADD, CLAMP}; NPU__DW_W(w, r) loads vector r of a tap's weights, w being those
 * of its first unit, `unit` floats before the next one's; NPU__DW_ONE(TILE) adds to a tile's name what makes it that of one unit;
 * NPU__DW_SHARE: do neighbours share the columns they load in any window? NPU__DW_KEEP(v): v is in a register from here on. They are
 * undefined at the end. A tile is P pixels of R vectors. */

#define NPU__DW_1x1(X) X(0, 0)
#define NPU__DW_1x2(X) X(0, 0) X(0, 1)
#define NPU__DW_2x1(X) X(0, 0) X(1, 0)
#define NPU__DW_2x2(X) NPU__DW_2x1(X) X(0, 1) X(1, 1)
#define NPU__DW_4x1(X) NPU__DW_2x1(X) X(2, 0) X(3, 0)
#define NPU__DW_4x2(X) NPU__DW_2x2(X) X(2, 0) X(3, 0) X(2, 1) X(3, 1)

#define NPU__DW_X(n, step, r) NPU__DW_LOAD((const float *)(const void *)(x + n * step) + r * NPU__DW_LANES)
#define NPU__DW_INIT(p, r) NPU__DW_V s##p##r = NPU__DW_W(w, r);
#define NPU__DW_WEIGHTS(r) const NPU__DW_V w##r = NPU__DW_W(w, r);
#define NPU__DW_STEP(p, r) s##p##r = NPU__DW_MADD(NPU__DW_X(p, in_step, r), w##r, s##p##r);
#define NPU__DW_DONE(p, r) \
    NPU__DW_STORE((float *)(void *)(out + p * out_stride) + r * NPU__DW_LANES, NPU__DW_CLAMP(s##p##r, vlo, vhi));

/* Three taps side by side of four pixels side by side are six columns, each loaded once. */
#define NPU__DW_THREE1(r)
#define NPU__DW_THREE2(r)
#define NPU__DW_THREE4(r)                                                                       \
    {                                                                                           \
        const NPU__DW_V a = NPU__DW_W(w, r), b = NPU__DW_W(w + 8, r), c = NPU__DW_W(w + 16, r); \
        NPU__DW_V       v = NPU__DW_X(0, in_step, r); NPU__DW_KEEP(v)                           \
        s0##r = NPU__DW_MADD(v, a, s0##r);                                                      \
        v = NPU__DW_X(1, in_step, r); NPU__DW_KEEP(v)                                           \
        s0##r = NPU__DW_MADD(v, b, s0##r), s1##r = NPU__DW_MADD(v, a, s1##r);                   \
        v = NPU__DW_X(2, in_step, r); NPU__DW_KEEP(v)                                           \
        s0##r = NPU__DW_MADD(v, c, s0##r), s1##r = NPU__DW_MADD(v, b, s1##r);                   \
        s2##r = NPU__DW_MADD(v, a, s2##r);                                                      \
        v = NPU__DW_X(3, in_step, r); NPU__DW_KEEP(v)                                           \
        s1##r = NPU__DW_MADD(v, c, s1##r), s2##r = NPU__DW_MADD(v, b, s2##r);                   \
        s3##r = NPU__DW_MADD(v, a, s3##r);                                                      \
        v = NPU__DW_X(4, in_step, r); NPU__DW_KEEP(v)                                           \
        s2##r = NPU__DW_MADD(v, c, s2##r), s3##r = NPU__DW_MADD(v, b, s3##r);                   \
        v = NPU__DW_X(5, in_step, r); NPU__DW_KEEP(v)                                           \
        s3##r = NPU__DW_MADD(v, c, s3##r);                                                      \
    }

#define NPU__DW(P, R)                                                                                                \
    NPU__DW_FN NPU__INLINE void NPU__V(npu__f32_dw##P##x##R)(const npu__dw_job *job, size_t unit, const uint8_t *in, \
                                                             const float *packed, uint8_t *out) {                    \
        const NPU__DW_V vlo = NPU__DW_SET1(job->lo), vhi = NPU__DW_SET1(job->hi);                                    \
        const size_t    in_step = job->in_step, col_step = job->col_step, out_stride = job->out_stride;              \
        const int32_t   cols = job->cols, threes = NPU__DW_SHARE && P == 4 && in_step == col_step ? cols - 2 : 0;    \
        const float    *w = packed;                                                                                  \
        (void)unit;                                                                                                  \
        NPU__DW_##P##x##R(NPU__DW_INIT)                                                                              \
        packed += NPU__DW_UNIT * ((size_t)job->first + 1);                                                           \
        for (int32_t n = job->lines; n > 0; n--, in += job->line_step, packed += NPU__DW_UNIT * (size_t)job->k_w) {  \
            const uint8_t *x = in;                                                                                   \
            int32_t        i = 0;                                                                                    \
            w = packed;                                                                                              \
            for (; i < threes; i += 3, x += 3 * in_step, w += 3 * NPU__DW_UNIT) { NPU__ROWS_##R(NPU__DW_THREE##P) }  \
            for (; i < cols; i++, x += col_step, w += NPU__DW_UNIT) {                                                \
                NPU__ROWS_##R(NPU__DW_WEIGHTS)                                                                       \
                NPU__DW_##P##x##R(NPU__DW_STEP)                                                                      \
            }                                                                                                        \
        }                                                                                                            \
        NPU__DW_##P##x##R(NPU__DW_DONE)                                                                              \
    }

/* All channels of P pixels, at last one unit at a time, the last of which overlaps its neighbour. */
#define NPU__DW_TILES(TILE, R, at)                                                                                    \
    for (; c + R * NPU__DW_LANES <= channels; c += R * NPU__DW_LANES, w += unit * (R * NPU__DW_LANES / NPU__DW_UNIT)) \
        NPU__V(TILE##R)(at, unit, in + 4 * (size_t)c, w, out + 4 * (size_t)c);
#define NPU__DW_ENDS(TILE, at)                                              \
    for (; c < channels; c += NPU__DW_UNIT, w += unit) {                    \
        const size_t c0 = 4 * (size_t)NPU__MIN(c, channels - NPU__DW_UNIT); \
        NPU__DW_ONE(TILE)(at, unit, in + c0, w, out + c0);                  \
    }
#define NPU__DW_PIXELS(P)                                                                                            \
    NPU__DW(P, 1)                                                                                                    \
    NPU__DW(P, 2)                                                                                                    \
    NPU__DW_FN NPU__FN void NPU__V(npu__f32_dw_pixels##P)(const npu__dw_job *job, const uint8_t *in, const float *w, \
                                                          uint8_t *out) {                                            \
        const size_t  unit = npu__dw_f32_unit_bytes(job->n_taps) / sizeof(float);                                    \
        const int32_t channels = job->channels;                                                                      \
        int32_t       c = 0;                                                                                         \
        NPU__DW_TILES(npu__f32_dw##P##x, 2, job)                                                                     \
        if (NPU__DW_LANES > NPU__DW_UNIT) { NPU__DW_TILES(npu__f32_dw##P##x, 1, job) }                               \
        NPU__DW_ENDS(npu__f32_dw##P##x, job)                                                                         \
    }
NPU__DW_PIXELS(1)
NPU__DW_PIXELS(2)
NPU__DW_PIXELS(4)

#include "dw_f32_whole.h"

#define NPU__DW_STEPS(P)                                                             \
    for (; left >= P; left -= P, out += P * job->out_stride, in += P * job->in_step) \
        NPU__V(npu__f32_dw_pixels##P)(job, in, w, out);
/* Four pixels at a time; of two or three that are left, the last ones are done again. */
#define NPU__DW_FOURS(NAME)                                                                     \
    while (left >= 4) {                                                                         \
        const int32_t some = left == 6 || left == 7 ? left - 4 : 4;                             \
        NPU__V(npu__f32_dw_##NAME)(job, in, w, out);                                            \
        left -= some, out += (size_t)some * job->out_stride, in += (size_t)some * job->in_step; \
    }
NPU__DW_FN NPU__FN void NPU__V(npu__f32_dw_line)(const npu__dw_job *job, const uint8_t *in, const float *w, uint8_t *out) {
    const int32_t whole = job->cols == job->k_w ? job->cols : 0;
    int32_t       left = job->pixels;
    if (whole == 3 && job->in_step == job->col_step) {
        NPU__DW_FOURS(three)
    } else if (whole == 3 && job->in_step == 2 * job->col_step) {
        NPU__DW_FOURS(apart)
    } else if (whole == 5 && job->in_step == job->col_step) {
        NPU__DW_FOURS(five)
    }
    NPU__DW_STEPS(4)
    NPU__DW_STEPS(2)
    NPU__DW_STEPS(1)
}

/* Four pixels from `p` on at an end of a row, of which npu__dw_f32_takes_rows is true; they may be done already. */
NPU__DW_FN NPU__FN void NPU__V(npu__f32_dw_end)(npu__dw_job *one, int32_t p, const float *w, uint8_t *out) {
    const int32_t  k = one->k_w, stride = one->in_step == one->col_step ? 1 : 2, first = p * stride - one->before;
    const uint8_t *in = one->in + (size_t)(first + k / 2) * one->col_step;
    one->lead = NPU__MAX(-first, 0);
    one->trail = NPU__MAX(first + 3 * stride + k - one->width, 0);
    out += (size_t)p * one->out_stride;
    if (k == 5) NPU__V(npu__f32_dw_five_end)(one, in, w, out);
    else if (stride == 1) NPU__V(npu__f32_dw_three_end)(one, in, w, out);
    else NPU__V(npu__f32_dw_apart_end)(one, in, w, out);
}
NPU__DW_FN NPU__FN void NPU__V(npu__f32_dw_row)(const npu__dw_job *job, const float *w, uint8_t *out) {
    const int32_t stride = job->in_step == job->col_step ? 1 : 2, all = job->pixels;
    const int32_t from = (job->before + stride - 1) / stride, to = (job->width + job->before - job->k_w) / stride + 1; /* between them all is inside */
    const int32_t begin = from ? 4 : 0, end = to < all ? all - 4 : all;
    npu__dw_job   one = *job;
    if (begin) NPU__V(npu__f32_dw_end)(&one, 0, w, out);
    if (begin < end) {
        one.pixels = end - begin;
        NPU__V(npu__f32_dw_line)(&one, job->in + (size_t)(begin * stride - job->before) * job->col_step, w, out + (size_t)begin * job->out_stride);
    }
    if (end < all && (end || !begin)) NPU__V(npu__f32_dw_end)(&one, all - 4, w, out);
}

NPU__DW_FN NPU__FN void NPU__V(npu__f32_dw)(const npu__dw_job *job, const uint8_t *packed, uint8_t *out) {
    const float *w = (const float *)(const void *)packed;
    /* Dilated: pixels that far apart share columns. */
    const size_t apart = job->in_step && job->cols > 2 && job->col_step % job->in_step == 0 ? job->col_step / job->in_step : 1;
    npu__dw_job  some;
    if (job->width && job->lines) {
        NPU__V(npu__f32_dw_row)(job, w, out);
        return;
    }
    if (apart < 2 || apart > (size_t)job->pixels / 4u) {
        NPU__V(npu__f32_dw_line)(job, job->in, w, out);
        return;
    }
    some = *job;
    some.in_step = job->col_step;
    some.out_stride = job->out_stride * apart;
    for (size_t i = 0; i < apart; i++) {
        some.pixels = (int32_t)(((size_t)job->pixels - i + apart - 1u) / apart);
        NPU__V(npu__f32_dw_line)(&some, job->in + i * job->in_step, w, out + i * job->out_stride);
    }
}

#undef NPU__DW_1x1
#undef NPU__DW_1x2
#undef NPU__DW_2x1
#undef NPU__DW_2x2
#undef NPU__DW_4x1
#undef NPU__DW_4x2
#undef NPU__DW_X
#undef NPU__DW_INIT
#undef NPU__DW_WEIGHTS
#undef NPU__DW_STEP
#undef NPU__DW_DONE
#undef NPU__DW_THREE1
#undef NPU__DW_THREE2
#undef NPU__DW_THREE4
#undef NPU__DW
#undef NPU__DW_TILES
#undef NPU__DW_ENDS
#undef NPU__DW_FOURS
#undef NPU__DW_PIXELS
#undef NPU__DW_STEPS
#undef NPU__V
#undef NPU__DW_V
#undef NPU__DW_LANES
#undef NPU__DW_SHARE
#undef NPU__DW_KEEP
#undef NPU__DW_FN
#undef NPU__DW_ONE
#undef NPU__DW_LOAD
#undef NPU__DW_STORE
#undef NPU__DW_SET1
#undef NPU__DW_MADD
#undef NPU__DW_CLAMP
#undef NPU__DW_W
