/* Depthwise convolution of integers for AVX-512 with VNNI: a dot product of four bytes takes four taps of sixteen channels. */
#include "dw_vnni.h"
#if NPU__HAS_X86

NPU__AVX512_BEGIN

NPU__VNNI NPU__FN const npu__dw_near__vnni *npu__dw_near_of__vnni(npu__dw_near__vnni *near, const npu__dw_job *job, const npu__dw_all__vnni *f,
                                                                 const uint8_t *packed, size_t unit, int32_t n) {
    int all = f->near;
    for (int32_t i = 0; all && i < n; i++, packed += unit) {
        near->bias[i] = _mm512_xor_si512(NPU__LOAD64(packed), _mm512_set1_epi32(INT32_MIN));
        all = npu__near_of__vnni(&near->of[i], packed, 64, job->out.zero_point);
    }
    return all ? near : NULL;
}

/* ---- 3 x 3, 64 channels at a time ----
 * Bytes of three rows are unpacked twice, which leaves quads of channels in turns: units of such channels are packed in that order
 * (pack_dw.c), and packing sums to bytes puts them back. */

typedef struct npu__dw_wide__vnni {
    __m512i a, b, c, d; /* of each sixteen channels the first four, the second, ... */
} npu__dw_wide__vnni;

#define NPU__DW_TO_EACH(DO) DO(a, 0) DO(b, 1) DO(c, 2) DO(d, 3)
#define NPU__DW_UNIT_AT(i, line) NPU__LOAD64(packed + (i) * unit + 64 * (line))

NPU__VNNI NPU__INLINE npu__dw_wide__vnni npu__dw_wide3__vnni(const npu__dw_all__vnni *f, const uint8_t *a, const uint8_t *b, const uint8_t *c) {
    const __m512i      x = _mm512_xor_si512(NPU__LOAD64(a), f->flip), y = _mm512_xor_si512(NPU__LOAD64(b), f->flip);
    const __m512i      z = _mm512_xor_si512(NPU__LOAD64(c), f->flip);
    const __m512i      lo = _mm512_unpacklo_epi8(x, y), hi = _mm512_unpackhi_epi8(x, y);
    const __m512i      low = _mm512_unpacklo_epi8(z, z), high = _mm512_unpackhi_epi8(z, z);
    npu__dw_wide__vnni q;
    q.a = _mm512_unpacklo_epi16(lo, low);
    q.b = _mm512_unpackhi_epi16(lo, low);
    q.c = _mm512_unpacklo_epi16(hi, high);
    q.d = _mm512_unpackhi_epi16(hi, high);
    return q;
}

/* Sums that are stored as they are, or whose shifts are not plain. */
NPU__VNNI NPU__FN NPU__NOINLINE void npu__dw_wide_other__vnni(const npu__dw_job *job, const npu__dw_all__vnni *f, const uint8_t *packed,
                                                              size_t unit, const npu__dw_wide__vnni *sums, uint8_t *to) {
    npu__dw_wide__vnni x = *sums;
    uint8_t            raw[256];
    if (!job->out.raw) {
#define NPU__DW_EACH(n, i) x.n = npu__requant__vnni(x.n, NPU__DW_UNIT_AT(i, 1), NPU__DW_UNIT_AT(i, 2), NPU__DW_UNIT_AT(i, 3));
        NPU__DW_TO_EACH(NPU__DW_EACH)
#undef NPU__DW_EACH
        x.a = _mm512_packs_epi16(npu__words__vnni(x.a, x.b, 0, &f->fin), npu__words__vnni(x.c, x.d, 0, &f->fin));
        _mm512_storeu_si512((void *)to, npu__dw_clamped__vnni(&f->fin, x.a));
        return;
    }
#define NPU__DW_EACH(n, i) npu__raw16__vnni(raw + 64 * (i), x.n, f->offset);
    NPU__DW_TO_EACH(NPU__DW_EACH)
#undef NPU__DW_EACH
    for (int32_t i = 0; i < 16; i++) memcpy(to + 16 * i, raw + 64 * (i % 4) + 16 * (i / 4), 16);
}

/* Those of two pixels, or of the first alone: `next` is the same as `to` then. */
NPU__VNNI NPU__LOOP_BODY NPU__INLINE void npu__dw_wide_done__vnni(const npu__dw_job *job, const npu__dw_all__vnni *f, const uint8_t *packed,
                                                                  size_t unit, npu__dw_wide__vnni x, npu__dw_wide__vnni y, uint8_t *to,
                                                                  uint8_t *next) {
    if (!f->folded || job->out.raw) {
        npu__dw_wide_other__vnni(job, f, packed, unit, &y, next);
        npu__dw_wide_other__vnni(job, f, packed, unit, &x, to);
        return;
    }
#define NPU__DW_EACH(n, i)                                                                                                      \
    {                                                                                                                           \
        const __m512i mult = NPU__DW_UNIT_AT(i, 1), odd = NPU__LOAD64(packed + (i) * unit + 68);                                \
        const __m512i less = NPU__DW_UNIT_AT(i, 2), right = NPU__DW_UNIT_AT(i, 3);                                              \
        x.n = npu__requant_folded__vnni(x.n, mult, odd, less, right);                                                           \
        y.n = npu__requant_folded__vnni(y.n, mult, odd, less, right);                                                           \
    }
    NPU__DW_TO_EACH(NPU__DW_EACH)
#undef NPU__DW_EACH
    x.a = _mm512_packs_epi16(npu__words__vnni(x.a, x.b, 1, &f->fin), npu__words__vnni(x.c, x.d, 1, &f->fin));
    y.a = _mm512_packs_epi16(npu__words__vnni(y.a, y.b, 1, &f->fin), npu__words__vnni(y.c, y.d, 1, &f->fin));
    _mm512_storeu_si512((void *)next, npu__dw_clamped__vnni(&f->fin, y.a));
    _mm512_storeu_si512((void *)to, npu__dw_clamped__vnni(&f->fin, x.a));
}

/* Column q's share in windows of which it is number `n`. */
NPU__VNNI NPU__LOOP_BODY NPU__INLINE npu__dw_wide__vnni npu__dw_wide_dot__vnni(const npu__dw_all__vnni *f, const uint8_t *packed, size_t unit,
                                                                               npu__dw_wide__vnni x, npu__dw_wide__vnni q, int n) {
#define NPU__DW_EACH(n_, i) x.n_ = npu__dot8__vnni(x.n_, q.n_, NPU__DW_UNIT_AT(i, 4 + n));
    NPU__DW_TO_EACH(NPU__DW_EACH)
#undef NPU__DW_EACH
#define NPU__DW_EACH(n_, i) x.n_ = npu__dot8__vnni(x.n_, q.n_, f->rest3);
    if (f->more) { NPU__DW_TO_EACH(NPU__DW_EACH) }
#undef NPU__DW_EACH
    return x;
}
NPU__VNNI NPU__LOOP_BODY NPU__INLINE npu__dw_wide__vnni npu__dw_wide_bias__vnni(const uint8_t *bias, size_t step) {
    npu__dw_wide__vnni x;
#define NPU__DW_EACH(n, i) x.n = NPU__LOAD64(bias + (i) * step);
    NPU__DW_TO_EACH(NPU__DW_EACH)
#undef NPU__DW_EACH
    return x;
}

#define NPU__DW_DOT64(x, n) x = npu__dw_wide_dot__vnni(f, packed, unit, x, q, n);
#define NPU__DW_COL64(n, from) q = npu__dw_wide3__vnni(f, tap[n] + (from), tap[(n) + 3] + (from), tap[(n) + 6] + (from));
#define NPU__DW_BIAS64 npu__dw_wide_bias__vnni(packed, unit)
/* Results of four units by floats, where floats are for them. */
#define NPU__DW_NEAR64(STEP)                                                                     \
    {                                                                                            \
        npu__dw_near__vnni        memory;                                                        \
        const npu__dw_near__vnni *near = npu__dw_near_of__vnni(&memory, job, f, packed, unit, 4); \
        if (near) {                                                                              \
            npu__i8_dw_fast__vnni(job, f, near, STEP, (size_t)c, packed, to + c);                \
            continue;                                                                            \
        }                                                                                        \
    }

/* Windows have one column in common, two, or none; `p1` and `p2` hold the sums of those that are not complete. */
#define NPU__DW_BEGIN64_1 NPU__DW_COL64(0, at) NPU__DW_DOT64(p1, 0) NPU__DW_COL64(1, at) NPU__DW_DOT64(p1, 1) NPU__DW_DOT64(p2, 0)
#define NPU__DW_NEXT64_1(x, from)  \
    NPU__DW_COL64(2, from)         \
    x = p1; NPU__DW_DOT64(x, 2)    \
    p1 = p2; NPU__DW_DOT64(p1, 1)  \
    p2 = NPU__DW_BIAS64; NPU__DW_DOT64(p2, 0)
#define NPU__DW_BEGIN64_2 NPU__DW_COL64(0, at) NPU__DW_DOT64(p1, 0) (void)p2;
#define NPU__DW_NEXT64_2(x, from)                     \
    NPU__DW_COL64(1, from)                            \
    NPU__DW_DOT64(p1, 1)                              \
    NPU__DW_COL64(2, from)                            \
    x = p1; NPU__DW_DOT64(x, 2)                       \
    p1 = NPU__DW_BIAS64; NPU__DW_DOT64(p1, 0)

/* One pixel, of whose taps these are the places. */
NPU__VNNI NPU__FN NPU__NOINLINE void npu__dw_exact64__vnni(const npu__dw_job *job, const npu__dw_all__vnni *f, const uint8_t *packed,
                                                           size_t unit, const uint8_t *const *tap, size_t at, uint8_t *out) {
    npu__dw_wide__vnni q, x = NPU__DW_BIAS64;
    for (int32_t n = 0; n < 3; n++) { NPU__DW_COL64(n, at) NPU__DW_DOT64(x, n) }
    npu__dw_wide_done__vnni(job, f, packed, unit, x, x, out, out);
}

#define NPU__DW_WIDE(STEP)                                                                                                       \
    NPU__VNNI NPU__FN void npu__i8_dw_wide##STEP##__vnni(const npu__dw_job *job, const npu__dw_all__vnni *f, size_t unit,        \
                                                         int32_t begin, const uint8_t *packed, uint8_t *to) {                    \
        const uint8_t *const *tap = job->taps;                                                                                   \
        const size_t          each = job->out.raw ? sizeof(int32_t) : 1;                                                         \
        for (int32_t c = begin; c < job->channels; c += 64, packed += 4 * unit) {                                                \
            NPU__DW_NEAR64(STEP)                                                                                                 \
            npu__dw_wide__vnni q, x, y, p1 = NPU__DW_BIAS64, p2 = p1;                                                            \
            size_t             at = (size_t)c;                                                                                   \
            uint8_t           *out = to + at * each;                                                                             \
            NPU__DW_BEGIN64_##STEP                                                                                               \
            for (int32_t p = 0; p < job->pixels; p += 2, at += 2 * job->in_step, out += 2 * job->out_stride) {                   \
                const int two = p + 1 < job->pixels;                                                                             \
                NPU__DW_NEXT64_##STEP(x, at)                                                                                     \
                NPU__DW_NEXT64_##STEP(y, two ? at + job->in_step : at)                                                           \
                npu__dw_wide_done__vnni(job, f, packed, unit, x, y, out, two ? out + job->out_stride : out);                     \
            }                                                                                                                    \
        }                                                                                                                        \
    }
NPU__DW_WIDE(1)
NPU__DW_WIDE(2)

NPU__VNNI NPU__FN void npu__i8_dw_wide__vnni(const npu__dw_job *job, const npu__dw_all__vnni *f, size_t unit, int32_t begin,
                                             const uint8_t *packed, uint8_t *to) {
    const size_t each = job->out.raw ? sizeof(int32_t) : 1;
    for (int32_t c = begin; c < job->channels; c += 64, packed += 4 * unit) {
        NPU__DW_NEAR64(0)
        for (int32_t p = 0; p < job->pixels; p++) {
            npu__dw_exact64__vnni(job, f, packed, unit, job->taps + (ptrdiff_t)p * job->taps_step, (size_t)c + (size_t)p * job->in_step,
                                  to + (size_t)c * each + (size_t)p * job->out_stride);
        }
    }
}
#undef NPU__DW_WIDE
#undef NPU__DW_BEGIN64_1
#undef NPU__DW_BEGIN64_2
#undef NPU__DW_NEXT64_1
#undef NPU__DW_NEXT64_2
#undef NPU__DW_DOT64
#undef NPU__DW_COL64
#undef NPU__DW_BIAS64
#undef NPU__DW_NEAR64
#undef NPU__DW_UNIT_AT
#undef NPU__DW_TO_EACH

/* ---- any window: pixels outside, channels inside, four units at a time ---- */

NPU__VNNI NPU__LOOP_BODY NPU__INLINE __m512i npu__dw_sum__vnni(const npu__dw_job *job, const npu__dw_all__vnni *f, const uint8_t *const *tap, size_t at,
                                                const uint8_t *unit) {
    const uint8_t *w = unit + 256;
    const int32_t  last = job->n_taps - 1;
    __m512i        x = NPU__LOAD64(unit), q;
    int32_t        t = 0, n = job->n_taps == 9 ? 3 : job->n_taps == 25 ? 5 : 0;
    for (int32_t i = 0; i < n; i++, w += 64) {
        q = n == 3 ? NPU__DW_COLUMN3(i, at) : NPU__DW_COLUMN5(i, at);
        x = npu__dot8__vnni(x, q, NPU__LOAD64(w));
        if (f->more) x = npu__dot8__vnni(x, q, n == 3 ? f->rest3 : f->rest);
    }
    if (n == 3) return x;
    for (t = 4 * n; t <= last; t += 4, w += 64) { /* taps beyond the last have weights of 0 */
        q = npu__dw_four__vnni(f, tap[t] + at, tap[NPU__MIN(t + 1, last)] + at, tap[NPU__MIN(t + 2, last)] + at,
                               tap[NPU__MIN(t + 3, last)] + at);
        x = npu__dot8__vnni(x, q, NPU__LOAD64(w));
        if (f->more) x = npu__dot8__vnni(x, q, _mm512_srli_epi32(f->rest, (unsigned)(8 * NPU__MAX(t + 3 - last, 0))));
    }
    return x;
}

NPU__VNNI NPU__FN void npu__i8_dw_any__vnni(const npu__dw_job *job, const npu__dw_all__vnni *f, size_t unit, int32_t begin,
                                            const uint8_t *packed, uint8_t *to) {
    const uint8_t *const *tap = job->taps;
    const size_t          each = job->out.raw ? sizeof(int32_t) : 1;
    size_t                first = 0;
    for (int32_t p = 0; p < job->pixels; p++, tap += job->taps_step, first += job->in_step, to += job->out_stride) {
        const uint8_t *u = packed;
        int32_t        c = begin;
#define NPU__DW_SUM(i) npu__dw_sum__vnni(job, f, tap, first + (size_t)c + 16 * i, u + i * unit)
        for (; c + 64 <= job->channels; c += 64, u += 4 * unit) {
            const __m512i x0 = NPU__DW_SUM(0), x1 = NPU__DW_SUM(1), x2 = NPU__DW_SUM(2), x3 = NPU__DW_SUM(3);
            npu__dw_done4__vnni(job, f, u, unit, x0, x1, x2, x3, 4, to + (size_t)c * each, 16 * each);
        }
#undef NPU__DW_SUM
        for (; c < job->channels; c += 16, u += unit) {
            const size_t at = (size_t)NPU__MIN(c, job->channels - 16);
            npu__dw_done1__vnni(job, f, u, npu__dw_sum__vnni(job, f, tap, first + at, u), to + at * each);
        }
    }
}

/* ---- 3 x 3 and 5 x 5 where neighbouring windows share columns: units outside, pixels inside, four at a time ----
 * Columns are put together once. Behind the last pixel they are read again, for nothing. */

/* Pixel i of this step, or the last one there is. */
#define NPU__DW_AT(i) (at + (size_t)NPU__MIN(i, left - 1) * job->in_step)
#define NPU__DW_DOT(x, a, w) x = npu__dot8__vnni(x, a, w);
#define NPU__DW_REST3(x, a, b, c) \
    if (f->more) { NPU__DW_DOT(x, a, f->rest3) NPU__DW_DOT(x, b, f->rest3) NPU__DW_DOT(x, c, f->rest3) }
#define NPU__DW_REST5(x, a, b, c, d, e)                                                                                  \
    if (f->more) {                                                                                                       \
        NPU__DW_DOT(x, a, f->rest) NPU__DW_DOT(x, b, f->rest) NPU__DW_DOT(x, c, f->rest) NPU__DW_DOT(x, d, f->rest)      \
        NPU__DW_DOT(x, e, f->rest) NPU__DW_DOT(x, row, f->rest) NPU__DW_DOT(x, end, _mm512_srli_epi32(f->rest, 24))      \
    }

/* Columns a, b, c, as they come. */
#define NPU__DW_WINDOW3(x, a, b, c) NPU__DW_DOT(x, a, w0) NPU__DW_DOT(x, b, w1) NPU__DW_DOT(x, c, w2) NPU__DW_REST3(x, a, b, c)
#define NPU__DW_BEGIN3                                                                                                           \
    const __m512i w0 = NPU__LOAD64(packed + 256), w1 = NPU__LOAD64(packed + 320), w2 = NPU__LOAD64(packed + 384);                \
    __m512i       c0 = NPU__DW_COLUMN3(0, at), c1 = NPU__DW_COLUMN3(1, at), c2, c3, c4, c5;                                      \
    (void)c1; /* two columns apart, windows share one */
#define NPU__DW_FOUR3x1                                                                                            \
    c2 = NPU__DW_COLUMN3(2, at);             NPU__DW_WINDOW3(x0, c0, c1, c2)                                         \
    c3 = NPU__DW_COLUMN3(2, NPU__DW_AT(1)); NPU__DW_WINDOW3(x1, c1, c2, c3)                                         \
    c4 = NPU__DW_COLUMN3(2, NPU__DW_AT(2)); NPU__DW_WINDOW3(x2, c2, c3, c4)                                         \
    c5 = NPU__DW_COLUMN3(2, NPU__DW_AT(3)); NPU__DW_WINDOW3(x3, c3, c4, c5)                                         \
    c0 = c4;                                                                                                       \
    c1 = c5;
#define NPU__DW_FOUR3x2                                                                                            \
    c2 = NPU__DW_COLUMN3(2, at);             c1 = NPU__DW_COLUMN3(1, at); NPU__DW_WINDOW3(x0, c0, c1, c2)                     \
    c3 = NPU__DW_COLUMN3(2, NPU__DW_AT(1)); c1 = NPU__DW_COLUMN3(1, NPU__DW_AT(1)); NPU__DW_WINDOW3(x1, c2, c1, c3)         \
    c4 = NPU__DW_COLUMN3(2, NPU__DW_AT(2)); c1 = NPU__DW_COLUMN3(1, NPU__DW_AT(2)); NPU__DW_WINDOW3(x2, c3, c1, c4)         \
    c5 = NPU__DW_COLUMN3(2, NPU__DW_AT(3)); c1 = NPU__DW_COLUMN3(1, NPU__DW_AT(3)); NPU__DW_WINDOW3(x3, c4, c1, c5)         \
    c0 = c5;

/* The last row lies side by side in `row`, four columns that move on with the pixel, and `end`, the fifth. */
#define NPU__DW_WINDOW5(x, a, b, c, d, e)                                                              \
    NPU__DW_DOT(x, a, w0) NPU__DW_DOT(x, b, w1) NPU__DW_DOT(x, c, w2) NPU__DW_DOT(x, d, w3)            \
    NPU__DW_DOT(x, e, w4) NPU__DW_DOT(x, row, NPU__LOAD64(packed + 576)) NPU__DW_DOT(x, end, NPU__LOAD64(packed + 640)) \
    NPU__DW_REST5(x, a, b, c, d, e)
#define NPU__DW_ONE(p) _mm512_xor_si512(_mm512_shuffle_epi8(NPU__DW_TAP(p), f->spread), f->flip)
#define NPU__DW_PUT(n, v) row = _mm512_mask_blend_epi8(UINT64_C(0x1111111111111111) << n, row, v);
#define NPU__DW_BEGIN5                                                                                                           \
    const __m512i w0 = NPU__LOAD64(packed + 256), w1 = NPU__LOAD64(packed + 320), w2 = NPU__LOAD64(packed + 384);                \
    const __m512i w3 = NPU__LOAD64(packed + 448), w4 = NPU__LOAD64(packed + 512);                                                \
    __m512i       c0 = NPU__DW_COLUMN5(0, at), c1 = NPU__DW_COLUMN5(1, at), c2 = NPU__DW_COLUMN5(2, at);                         \
    __m512i       c3 = NPU__DW_COLUMN5(3, at), c4, c5, c6, c7, end;                                                              \
    __m512i       row = npu__dw_four__vnni(f, tap[20] + at, tap[21] + at, tap[22] + at, tap[23] + at);                           \
    (void)c3;
#define NPU__DW_FIFTH(i, new) end = NPU__DW_ONE(tap[24] + NPU__DW_AT(i)); new = NPU__DW_COLUMN5(4, NPU__DW_AT(i));
#define NPU__DW_ROW1 row = _mm512_srli_epi32(row, 8); NPU__DW_PUT(3, end)
#define NPU__DW_FOUR5x1                                                                    \
    NPU__DW_FIFTH(0, c4) NPU__DW_WINDOW5(x0, c0, c1, c2, c3, c4) NPU__DW_ROW1              \
    NPU__DW_FIFTH(1, c5) NPU__DW_WINDOW5(x1, c1, c2, c3, c4, c5) NPU__DW_ROW1              \
    NPU__DW_FIFTH(2, c6) NPU__DW_WINDOW5(x2, c2, c3, c4, c5, c6) NPU__DW_ROW1              \
    NPU__DW_FIFTH(3, c7) NPU__DW_WINDOW5(x3, c3, c4, c5, c6, c7) NPU__DW_ROW1              \
    c0 = c4; c1 = c5; c2 = c6; c3 = c7;
/* Two columns on; that of pixel i is the first of the two. */
#define NPU__DW_ROW2(i) row = _mm512_srli_epi32(row, 16); NPU__DW_PUT(2, end) NPU__DW_PUT(3, NPU__DW_ONE(tap[23] + NPU__DW_AT(i)))
#define NPU__DW_FOUR5x2                                                                                                  \
    if (p) { NPU__DW_ROW2(0) }                                                                                           \
    NPU__DW_FIFTH(0, c4) c3 = NPU__DW_COLUMN5(3, at); NPU__DW_WINDOW5(x0, c0, c1, c2, c3, c4) NPU__DW_ROW2(1)            \
    NPU__DW_FIFTH(1, c6) c5 = NPU__DW_COLUMN5(3, NPU__DW_AT(1)); NPU__DW_WINDOW5(x1, c2, c3, c4, c5, c6) NPU__DW_ROW2(2) \
    NPU__DW_FIFTH(2, c0) c7 = NPU__DW_COLUMN5(3, NPU__DW_AT(2)); NPU__DW_WINDOW5(x2, c4, c5, c6, c7, c0) NPU__DW_ROW2(3) \
    NPU__DW_FIFTH(3, c2) c1 = NPU__DW_COLUMN5(3, NPU__DW_AT(3)); NPU__DW_WINDOW5(x3, c6, c7, c0, c1, c2)

#define NPU__DW_COLUMNS(SIDE, STEP)                                                                                              \
    NPU__VNNI NPU__FN void npu__i8_dw_##SIDE##x##STEP##__vnni(const npu__dw_job *job, const npu__dw_all__vnni *f, size_t unit,   \
                                                              int32_t begin, const uint8_t *packed, uint8_t *to) {               \
        const uint8_t *const *tap = job->taps;                                                                                   \
        const size_t          each = job->out.raw ? sizeof(int32_t) : 1;                                                         \
        const __m512i         top = _mm512_set1_epi32(INT32_MIN);                                                                \
        const int             both = npu__near_both(&job->out);                                                            \
        for (int32_t c = begin; c < job->channels; c += 16, packed += unit) {                                                    \
            size_t   at = (size_t)NPU__MIN(c, job->channels - 16);                                                               \
            uint8_t *out = to + at * each;                                                                                       \
            npu__dw_near__vnni        memory;                                                                                    \
            const npu__dw_near__vnni *near = npu__dw_near_of__vnni(&memory, job, f, packed, unit, 1);                            \
            const __m512i             bias = near ? near->bias[0] : NPU__LOAD64(packed);                                         \
            NPU__DW_BEGIN##SIDE                                                                                                  \
            for (int32_t p = 0; p < job->pixels; p += 4, at += 4 * job->in_step, out += 4 * job->out_stride) {                   \
                const int32_t left = job->pixels - p;                                                                            \
                __m512i       x0 = bias, x1 = x0, x2 = x0, x3 = x0;                                                              \
                NPU__DW_FOUR##SIDE##x##STEP                                                                                      \
                if (near) {                                                                                                      \
                    if (both ? npu__dw_near4__vnni(near, f, 1, x0, x1, x2, x3, left, out, job->out_stride)                       \
                             : npu__dw_near4__vnni(near, f, 0, x0, x1, x2, x3, left, out, job->out_stride)) continue;            \
                    x0 = _mm512_xor_si512(x0, top);                                                                              \
                    x1 = _mm512_xor_si512(x1, top);                                                                              \
                    x2 = _mm512_xor_si512(x2, top);                                                                              \
                    x3 = _mm512_xor_si512(x3, top);                                                                              \
                }                                                                                                                \
                npu__dw_done4__vnni(job, f, packed, 0, x0, x1, x2, x3, left, out, job->out_stride);                              \
            }                                                                                                                    \
        }                                                                                                                        \
    }
NPU__DW_COLUMNS(3, 1)
NPU__DW_COLUMNS(3, 2)
NPU__DW_COLUMNS(5, 1)
NPU__DW_COLUMNS(5, 2)
#undef NPU__DW_COLUMNS
#undef NPU__DW_BEGIN3
#undef NPU__DW_BEGIN5
#undef NPU__DW_FOUR3x1
#undef NPU__DW_FOUR3x2
#undef NPU__DW_FOUR5x1
#undef NPU__DW_FOUR5x2
#undef NPU__DW_ROW1
#undef NPU__DW_ROW2
#undef NPU__DW_FIFTH
#undef NPU__DW_PUT
#undef NPU__DW_ONE
#undef NPU__DW_WINDOW3
#undef NPU__DW_WINDOW5
#undef NPU__DW_DOT
#undef NPU__DW_REST3
#undef NPU__DW_REST5
#undef NPU__DW_AT
#undef NPU__DW_COLUMN3
#undef NPU__DW_COLUMN5
#undef NPU__DW_MERGE
#undef NPU__DW_TAP
#undef NPU__DW_NEAR

/* Channels from `begin` on. */
typedef void npu__dw_part__vnni(const npu__dw_job *job, const npu__dw_all__vnni *f, size_t unit, int32_t begin, const uint8_t *packed,
                                uint8_t *to);

NPU__VNNI NPU__FN void npu__i8_dw__vnni(const npu__dw_job *job, const uint8_t *packed, uint8_t *out) {
    static npu__dw_part__vnni *const wide[3] = {npu__i8_dw_wide__vnni, npu__i8_dw_wide1__vnni, npu__i8_dw_wide2__vnni};
    static npu__dw_part__vnni *const three[3] = {npu__i8_dw_any__vnni, npu__i8_dw_3x1__vnni, npu__i8_dw_3x2__vnni};
    static npu__dw_part__vnni *const five[3] = {npu__i8_dw_any__vnni, npu__i8_dw_5x1__vnni, npu__i8_dw_5x2__vnni};
    const size_t  unit = npu__dw_i8_unit_bytes(16, 4, job->n_taps);
    const int32_t columns = npu__dw_columns(job, job->n_taps == 25 ? 5 : 3);
    for (int32_t c = 0; c < job->channels;) {
        const npu__dw_span      span = npu__dw_span_at(16, NPU__DW_QUARTERS, job, packed, unit, c);
        const npu__dw_all__vnni f = npu__dw_all_of__vnni(job, span.folded);
        npu__dw_job             part = *job;
        part.channels = span.end;
        (span.group == 4 ? wide : job->n_taps == 25 ? five : three)[columns](&part, &f, unit, c, packed, out);
        packed += (size_t)((span.end - c) / 16) * unit;
        c = span.end;
    }
}

NPU__AVX512_END
#endif
