/* Template, a part of dw_f32.h: windows of three or five columns, all of them inside, of four pixels: tiles of few steps around their
 * products (no include guard). */

/* Two taps more, behind three. */
#define NPU__DW_TWO4(r)                                                       \
    {                                                                         \
        const NPU__DW_V d = NPU__DW_W(w + 24, r), e = NPU__DW_W(w + 32, r);   \
        NPU__DW_V       v = NPU__DW_X(3, in_step, r); NPU__DW_KEEP(v)         \
        s0##r = NPU__DW_MADD(v, d, s0##r);                                    \
        v = NPU__DW_X(4, in_step, r); NPU__DW_KEEP(v)                         \
        s0##r = NPU__DW_MADD(v, e, s0##r), s1##r = NPU__DW_MADD(v, d, s1##r); \
        v = NPU__DW_X(5, in_step, r); NPU__DW_KEEP(v)                         \
        s1##r = NPU__DW_MADD(v, e, s1##r), s2##r = NPU__DW_MADD(v, d, s2##r); \
        v = NPU__DW_X(6, in_step, r); NPU__DW_KEEP(v)                         \
        s2##r = NPU__DW_MADD(v, e, s2##r), s3##r = NPU__DW_MADD(v, d, s3##r); \
        v = NPU__DW_X(7, in_step, r); NPU__DW_KEEP(v)                         \
        s3##r = NPU__DW_MADD(v, e, s3##r);                                    \
    }
/* Three taps of pixels that lie two columns apart. */
#define NPU__DW_APART4(r)                                                                       \
    {                                                                                           \
        const NPU__DW_V a = NPU__DW_W(w, r), b = NPU__DW_W(w + 8, r), c = NPU__DW_W(w + 16, r); \
        NPU__DW_V       v = NPU__DW_X(2, col_step, r); NPU__DW_KEEP(v)                          \
        s0##r = NPU__DW_MADD(NPU__DW_X(0, col_step, r), a, s0##r);                              \
        s0##r = NPU__DW_MADD(NPU__DW_X(1, col_step, r), b, s0##r);                              \
        s0##r = NPU__DW_MADD(v, c, s0##r), s1##r = NPU__DW_MADD(v, a, s1##r);                   \
        s1##r = NPU__DW_MADD(NPU__DW_X(3, col_step, r), b, s1##r);                              \
        v = NPU__DW_X(4, col_step, r); NPU__DW_KEEP(v)                                          \
        s1##r = NPU__DW_MADD(v, c, s1##r), s2##r = NPU__DW_MADD(v, a, s2##r);                   \
        s2##r = NPU__DW_MADD(NPU__DW_X(5, col_step, r), b, s2##r);                              \
        v = NPU__DW_X(6, col_step, r); NPU__DW_KEEP(v)                                          \
        s2##r = NPU__DW_MADD(v, c, s2##r), s3##r = NPU__DW_MADD(v, a, s3##r);                   \
        s3##r = NPU__DW_MADD(NPU__DW_X(7, col_step, r), b, s3##r);                              \
        s3##r = NPU__DW_MADD(NPU__DW_X(8, col_step, r), c, s3##r);                              \
    }
#define NPU__DW_FIVE4(r) NPU__DW_THREE4(r) NPU__DW_TWO4(r)

/* The same at the ends of a line, where columns lie outside: x is the middle one of pixel 0's, which never does. */
#define NPU__DW_BACK(n, step, r) NPU__DW_LOAD((const float *)(const void *)(x - n * step) + r * NPU__DW_LANES)
#define NPU__DW_THREE_END4(r)                                                                   \
    {                                                                                           \
        const NPU__DW_V a = NPU__DW_W(w, r), b = NPU__DW_W(w + 8, r), c = NPU__DW_W(w + 16, r); \
        NPU__DW_V       v = NPU__DW_X(0, in_step, r); NPU__DW_KEEP(v)                           \
        if (!at.lead) s0##r = NPU__DW_MADD(NPU__DW_BACK(1, in_step, r), a, s0##r);              \
        s0##r = NPU__DW_MADD(v, b, s0##r), s1##r = NPU__DW_MADD(v, a, s1##r);                   \
        v = NPU__DW_X(1, in_step, r); NPU__DW_KEEP(v)                                           \
        s0##r = NPU__DW_MADD(v, c, s0##r), s1##r = NPU__DW_MADD(v, b, s1##r);                   \
        s2##r = NPU__DW_MADD(v, a, s2##r);                                                      \
        v = NPU__DW_X(2, in_step, r); NPU__DW_KEEP(v)                                           \
        s1##r = NPU__DW_MADD(v, c, s1##r), s2##r = NPU__DW_MADD(v, b, s2##r);                   \
        s3##r = NPU__DW_MADD(v, a, s3##r);                                                      \
        v = NPU__DW_X(3, in_step, r); NPU__DW_KEEP(v)                                           \
        s2##r = NPU__DW_MADD(v, c, s2##r), s3##r = NPU__DW_MADD(v, b, s3##r);                   \
        if (!at.trail) s3##r = NPU__DW_MADD(NPU__DW_X(4, in_step, r), c, s3##r);                \
    }
#define NPU__DW_FIVE_END4(r)                                                                                                  \
    {                                                                                                                         \
        const NPU__DW_V a = NPU__DW_W(w, r), b = NPU__DW_W(w + 8, r), c = NPU__DW_W(w + 16, r), d = NPU__DW_W(w + 24, r),      \
                        e = NPU__DW_W(w + 32, r);                                                                             \
        NPU__DW_V v;                                                                                                          \
        if (at.lead < 1) s0##r = NPU__DW_MADD(NPU__DW_BACK(2, in_step, r), a, s0##r);                                         \
        if (at.lead < 2) {                                                                                                    \
            v = NPU__DW_BACK(1, in_step, r);                                                                                  \
            s0##r = NPU__DW_MADD(v, b, s0##r), s1##r = NPU__DW_MADD(v, a, s1##r);                                             \
        }                                                                                                                     \
        v = NPU__DW_X(0, in_step, r); NPU__DW_KEEP(v)                                                                         \
        s0##r = NPU__DW_MADD(v, c, s0##r), s1##r = NPU__DW_MADD(v, b, s1##r), s2##r = NPU__DW_MADD(v, a, s2##r);              \
        v = NPU__DW_X(1, in_step, r); NPU__DW_KEEP(v)                                                                         \
        s0##r = NPU__DW_MADD(v, d, s0##r), s1##r = NPU__DW_MADD(v, c, s1##r), s2##r = NPU__DW_MADD(v, b, s2##r);              \
        s3##r = NPU__DW_MADD(v, a, s3##r);                                                                                    \
        v = NPU__DW_X(2, in_step, r); NPU__DW_KEEP(v)                                                                         \
        s0##r = NPU__DW_MADD(v, e, s0##r), s1##r = NPU__DW_MADD(v, d, s1##r), s2##r = NPU__DW_MADD(v, c, s2##r);              \
        s3##r = NPU__DW_MADD(v, b, s3##r);                                                                                    \
        v = NPU__DW_X(3, in_step, r); NPU__DW_KEEP(v)                                                                         \
        s1##r = NPU__DW_MADD(v, e, s1##r), s2##r = NPU__DW_MADD(v, d, s2##r), s3##r = NPU__DW_MADD(v, c, s3##r);              \
        if (at.trail < 2) {                                                                                                   \
            v = NPU__DW_X(4, in_step, r);                                                                                     \
            s2##r = NPU__DW_MADD(v, e, s2##r), s3##r = NPU__DW_MADD(v, d, s3##r);                                             \
        }                                                                                                                     \
        if (at.trail < 1) s3##r = NPU__DW_MADD(NPU__DW_X(5, in_step, r), e, s3##r);                                           \
    }
#define NPU__DW_APART_END4(r)                                                                   \
    {                                                                                           \
        const NPU__DW_V a = NPU__DW_W(w, r), b = NPU__DW_W(w + 8, r), c = NPU__DW_W(w + 16, r); \
        NPU__DW_V       v = NPU__DW_X(1, col_step, r); NPU__DW_KEEP(v)                          \
        if (!at.lead) s0##r = NPU__DW_MADD(NPU__DW_BACK(1, col_step, r), a, s0##r);             \
        s0##r = NPU__DW_MADD(NPU__DW_X(0, col_step, r), b, s0##r);                              \
        s0##r = NPU__DW_MADD(v, c, s0##r), s1##r = NPU__DW_MADD(v, a, s1##r);                   \
        s1##r = NPU__DW_MADD(NPU__DW_X(2, col_step, r), b, s1##r);                              \
        v = NPU__DW_X(3, col_step, r); NPU__DW_KEEP(v)                                          \
        s1##r = NPU__DW_MADD(v, c, s1##r), s2##r = NPU__DW_MADD(v, a, s2##r);                   \
        s2##r = NPU__DW_MADD(NPU__DW_X(4, col_step, r), b, s2##r);                              \
        v = NPU__DW_X(5, col_step, r); NPU__DW_KEEP(v)                                          \
        s2##r = NPU__DW_MADD(v, c, s2##r), s3##r = NPU__DW_MADD(v, a, s3##r);                   \
        s3##r = NPU__DW_MADD(NPU__DW_X(6, col_step, r), b, s3##r);                              \
        if (!at.trail) s3##r = NPU__DW_MADD(NPU__DW_X(7, col_step, r), c, s3##r);               \
    }

#define NPU__DW_LINES(R, NAME, COLS, LINE)                                                                                     \
    NPU__DW_FN NPU__INLINE void NPU__V(npu__f32_dw_##NAME##R)(npu__dw_lines at, size_t unit, const uint8_t *x, const float *w, \
                                                              uint8_t *out) {                                                  \
        const NPU__DW_V vlo = NPU__DW_SET1(at.lo), vhi = NPU__DW_SET1(at.hi);                                                  \
        const size_t    in_step = at.in_step, col_step = at.col_step, out_stride = at.out_stride;                              \
        (void)unit; (void)in_step; (void)col_step;                                                                             \
        NPU__DW_4x##R(NPU__DW_INIT)                                                                                            \
        w += at.first;                                                                                                         \
        for (int32_t n = at.lines; n > 0; n--, x += at.line_step, w += COLS * NPU__DW_UNIT) { NPU__ROWS_##R(LINE) }            \
        NPU__DW_4x##R(NPU__DW_DONE)                                                                                            \
    }
/* Four lanes: vector after vector, as all that one needs is what registers hold. */
#if NPU__DW_LANES < NPU__DW_UNIT
#define NPU__DW_ALL(NAME)                                                                          \
    for (; c < channels; c += NPU__DW_UNIT, w += unit) {                                           \
        const size_t c0 = (size_t)NPU__MIN(c, channels - NPU__DW_UNIT);                            \
        for (size_t i = 0; i < NPU__DW_UNIT; i += NPU__DW_LANES)                                   \
            NPU__V(npu__f32_dw_##NAME##1)(at, unit, in + 4 * (c0 + i), w + i, out + 4 * (c0 + i)); \
    }
#else
#define NPU__DW_ALL(NAME)                                                          \
    NPU__DW_TILES(npu__f32_dw_##NAME, 2, at)                                       \
    if (NPU__DW_LANES > NPU__DW_UNIT) { NPU__DW_TILES(npu__f32_dw_##NAME, 1, at) } \
    NPU__DW_ENDS(npu__f32_dw_##NAME, at)
#endif
#define NPU__DW_WHOLE(NAME, COLS, LINE)                                                                           \
    NPU__DW_LINES(1, NAME, COLS, LINE)                                                                            \
    NPU__DW_LINES(2, NAME, COLS, LINE)                                                                            \
    NPU__DW_FN NPU__FN void NPU__V(npu__f32_dw_##NAME)(const npu__dw_job *job, const uint8_t *in, const float *w, \
                                                       uint8_t *out) {                                            \
        const npu__dw_lines at = npu__dw_lines_of(job);                                                           \
        const size_t        unit = npu__dw_f32_unit_bytes(job->n_taps) / sizeof(float);                           \
        const int32_t       channels = job->channels;                                                             \
        int32_t             c = 0;                                                                                \
        NPU__DW_ALL(NAME)                                                                                         \
    }
NPU__DW_WHOLE(three, 3, NPU__DW_THREE4)
NPU__DW_WHOLE(five, 5, NPU__DW_FIVE4)
NPU__DW_WHOLE(apart, 3, NPU__DW_APART4)
NPU__DW_WHOLE(three_end, 3, NPU__DW_THREE_END4)
NPU__DW_WHOLE(five_end, 5, NPU__DW_FIVE_END4)
NPU__DW_WHOLE(apart_end, 3, NPU__DW_APART_END4)

#undef NPU__DW_TWO4
#undef NPU__DW_APART4
#undef NPU__DW_BACK
#undef NPU__DW_THREE_END4
#undef NPU__DW_FIVE_END4
#undef NPU__DW_APART_END4
#undef NPU__DW_FIVE4
#undef NPU__DW_LINES
#undef NPU__DW_ALL
#undef NPU__DW_WHOLE
