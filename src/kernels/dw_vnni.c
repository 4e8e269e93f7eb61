/* Depthwise convolution of integers for AVX-512 with VNNI: a dot product of four bytes takes four taps of sixteen channels. */
#include "avx512.h"
#include "vec_loop.h"
#if NPU__HAS_X86

NPU__AVX512_BEGIN

/* What all units of a layer share. */
typedef struct npu__dw_all__vnni {
    npu__fin__vnni fin;
    __m512i        spread; /* each of sixteen bytes four times */
    __m512i        flip;   /* makes taps unsigned */
    __m512i        offset; /* of raw sums, that folded units have too much */
    __m512i        order;  /* quads of four pixels in turns to pixels */
} npu__dw_all__vnni;

NPU__VNNI NPU__INLINE npu__dw_all__vnni npu__dw_all_of__vnni(const npu__dw_job *job) {
    npu__dw_all__vnni f;
    f.fin = npu__fin_of__vnni(&job->out);
    f.spread = _mm512_mullo_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), _mm512_set1_epi32(0x01010101));
    f.flip = _mm512_set1_epi8((char)(job->is_signed ? 0x80 : 0));
    f.offset = _mm512_set1_epi32(job->plain ? INT32_MIN : 0);
    f.order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return f;
}

/* Sixteen channels' bytes of three or four taps side by side. With three, the fourth byte is one of those: its weight is 0. */
#define NPU__DW_TAP(p) _mm512_broadcast_i32x4(NPU__LOAD16(p))
#define NPU__DW_MERGE(v, n, p) _mm512_mask_shuffle_epi8(v, UINT64_C(0x1111111111111111) << n, NPU__DW_TAP(p), f->spread)
NPU__VNNI NPU__INLINE __m512i npu__dw_three__vnni(const npu__dw_all__vnni *f, const uint8_t *a, const uint8_t *b, const uint8_t *c) {
    const __m512i two = NPU__DW_MERGE(_mm512_shuffle_epi8(NPU__DW_TAP(a), f->spread), 1, b);
    return _mm512_xor_si512(NPU__DW_MERGE(two, 2, c), f->flip);
}
NPU__VNNI NPU__INLINE __m512i npu__dw_four__vnni(const npu__dw_all__vnni *f, const uint8_t *a, const uint8_t *b, const uint8_t *c,
                                                 const uint8_t *d) {
    const __m512i two = NPU__DW_MERGE(_mm512_shuffle_epi8(NPU__DW_TAP(a), f->spread), 1, b);
    return _mm512_xor_si512(NPU__DW_MERGE(NPU__DW_MERGE(two, 2, c), 3, d), f->flip);
}

/* Sums, scaled: the multipliers of odd lanes are one lane on. */
NPU__VNNI NPU__INLINE __m512i npu__dw_scaled__vnni(const npu__dw_job *job, const uint8_t *head, __m512i x) {
    if (job->plain) {
        return npu__requant_folded__vnni(x, NPU__LOAD64(head + 64), NPU__LOAD64(head + 68), NPU__LOAD64(head + 128), NPU__LOAD64(head + 192));
    }
    return npu__requant__vnni(x, NPU__LOAD64(head + 64), NPU__LOAD64(head + 128), NPU__LOAD64(head + 192));
}
NPU__VNNI NPU__INLINE __m512i npu__dw_clamped__vnni(const npu__fin__vnni *f, __m512i v) {
    return _mm512_xor_si512(_mm512_min_epi8(_mm512_max_epi8(v, f->lo), f->hi), f->flip);
}

NPU__VNNI NPU__INLINE void npu__dw_done1__vnni(const npu__dw_job *job, const npu__dw_all__vnni *f, const uint8_t *head, __m512i x, uint8_t *to) {
    if (job->out.raw) {
        npu__raw16__vnni(to, x, f->offset);
        return;
    }
    npu__store16__vnni(to, npu__dw_scaled__vnni(job, head, x), job->plain, &f->fin, 0xFFFF);
}

/* The first `n` of four, `step` bytes apart; their headers are `unit` bytes apart. */
NPU__VNNI NPU__LOOP_BODY NPU__INLINE void npu__dw_done4__vnni(const npu__dw_job *job, const npu__dw_all__vnni *f, const uint8_t *head, size_t unit,
                                               __m512i x0, __m512i x1, __m512i x2, __m512i x3, int32_t n, uint8_t *to, size_t step) {
    if (job->out.raw) {
        npu__raw16__vnni(to, x0, f->offset);
        if (n > 1) npu__raw16__vnni(to + step, x1, f->offset);
        if (n > 2) npu__raw16__vnni(to + 2 * step, x2, f->offset);
        if (n > 3) npu__raw16__vnni(to + 3 * step, x3, f->offset);
        return;
    }
    x0 = npu__words__vnni(npu__dw_scaled__vnni(job, head, x0), npu__dw_scaled__vnni(job, head + unit, x1), job->plain, &f->fin);
    x2 = npu__words__vnni(npu__dw_scaled__vnni(job, head + 2 * unit, x2), npu__dw_scaled__vnni(job, head + 3 * unit, x3), job->plain, &f->fin);
    x0 = _mm512_permutexvar_epi32(f->order, npu__dw_clamped__vnni(&f->fin, _mm512_packs_epi16(x0, x2)));
    _mm_storeu_si128((__m128i *)(void *)to, _mm512_castsi512_si128(x0));
    if (n > 1) _mm_storeu_si128((__m128i *)(void *)(to + step), _mm512_extracti32x4_epi32(x0, 1));
    if (n > 2) _mm_storeu_si128((__m128i *)(void *)(to + 2 * step), _mm512_extracti32x4_epi32(x0, 2));
    if (n > 3) _mm_storeu_si128((__m128i *)(void *)(to + 3 * step), _mm512_extracti32x4_epi32(x0, 3));
}

/* Column n of a window of 3 x 3, and the first four of the five of one of 5 x 5. */
#define NPU__DW_COLUMN3(n, from) npu__dw_three__vnni(f, tap[n] + (from), tap[(n) + 3] + (from), tap[(n) + 6] + (from))
#define NPU__DW_COLUMN5(n, from) \
    npu__dw_four__vnni(f, tap[n] + (from), tap[(n) + 5] + (from), tap[(n) + 10] + (from), tap[(n) + 15] + (from))

/* ---- any window: pixels outside, channels inside, four units at a time ---- */

NPU__VNNI NPU__LOOP_BODY NPU__INLINE __m512i npu__dw_sum__vnni(const npu__dw_job *job, const npu__dw_all__vnni *f, const uint8_t *const *tap, size_t at,
                                                const uint8_t *unit) {
    const uint8_t *w = unit + 256;
    const int32_t  last = job->n_taps - 1;
    __m512i        x = NPU__LOAD64(unit);
    int32_t        t = 0;
    if (job->n_taps == 9) {
        x = _mm512_dpbusd_epi32(x, NPU__DW_COLUMN3(0, at), NPU__LOAD64(w));
        x = _mm512_dpbusd_epi32(x, NPU__DW_COLUMN3(1, at), NPU__LOAD64(w + 64));
        return _mm512_dpbusd_epi32(x, NPU__DW_COLUMN3(2, at), NPU__LOAD64(w + 128));
    }
    if (job->n_taps == 25) {
        for (int32_t i = 0; i < 5; i++, w += 64) x = _mm512_dpbusd_epi32(x, NPU__DW_COLUMN5(i, at), NPU__LOAD64(w));
        t = 20;
    }
    for (; t <= last; t += 4, w += 64) { /* taps beyond the last have weights of 0 */
        x = _mm512_dpbusd_epi32(x, npu__dw_four__vnni(f, tap[t] + at, tap[NPU__MIN(t + 1, last)] + at, tap[NPU__MIN(t + 2, last)] + at,
                                                      tap[NPU__MIN(t + 3, last)] + at), NPU__LOAD64(w));
    }
    return x;
}

NPU__VNNI NPU__FN void npu__i8_dw_any__vnni(const npu__dw_job *job, const npu__dw_all__vnni *f, size_t unit, const uint8_t *packed, uint8_t *to) {
    const uint8_t *const *tap = job->taps;
    const size_t          each = job->out.raw ? sizeof(int32_t) : 1;
    size_t                first = 0;
    for (int32_t p = 0; p < job->pixels; p++, tap += job->taps_step, first += job->in_step, to += job->out_stride) {
        const uint8_t *u = packed;
        int32_t        c = 0;
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
#define NPU__DW_DOT(x, a, w) x = _mm512_dpbusd_epi32(x, a, w);

/* Columns a, b, c, as they come. */
#define NPU__DW_WINDOW3(x, a, b, c) NPU__DW_DOT(x, a, w0) NPU__DW_DOT(x, b, w1) NPU__DW_DOT(x, c, w2)
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
    c2 = NPU__DW_COLUMN3(2, at);             NPU__DW_WINDOW3(x0, c0, NPU__DW_COLUMN3(1, at), c2)                     \
    c3 = NPU__DW_COLUMN3(2, NPU__DW_AT(1)); NPU__DW_WINDOW3(x1, c2, NPU__DW_COLUMN3(1, NPU__DW_AT(1)), c3)         \
    c4 = NPU__DW_COLUMN3(2, NPU__DW_AT(2)); NPU__DW_WINDOW3(x2, c3, NPU__DW_COLUMN3(1, NPU__DW_AT(2)), c4)         \
    c5 = NPU__DW_COLUMN3(2, NPU__DW_AT(3)); NPU__DW_WINDOW3(x3, c4, NPU__DW_COLUMN3(1, NPU__DW_AT(3)), c5)         \
    c0 = c5;

/* The last row lies side by side in `row`, four columns that move on with the pixel, and `end`, the fifth. */
#define NPU__DW_WINDOW5(x, a, b, c, d, e)                                                              \
    NPU__DW_DOT(x, a, w0) NPU__DW_DOT(x, b, w1) NPU__DW_DOT(x, c, w2) NPU__DW_DOT(x, d, w3)            \
    NPU__DW_DOT(x, e, w4) NPU__DW_DOT(x, row, NPU__LOAD64(packed + 576)) NPU__DW_DOT(x, end, NPU__LOAD64(packed + 640))
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
                                                              const uint8_t *packed, uint8_t *to) {                              \
        const uint8_t *const *tap = job->taps;                                                                                   \
        const size_t          each = job->out.raw ? sizeof(int32_t) : 1;                                                         \
        for (int32_t c = 0; c < job->channels; c += 16, packed += unit) {                                                        \
            size_t   at = (size_t)NPU__MIN(c, job->channels - 16);                                                               \
            uint8_t *out = to + at * each;                                                                                       \
            NPU__DW_BEGIN##SIDE                                                                                                  \
            for (int32_t p = 0; p < job->pixels; p += 4, at += 4 * job->in_step, out += 4 * job->out_stride) {                   \
                const int32_t left = job->pixels - p;                                                                            \
                __m512i       x0 = NPU__LOAD64(packed), x1 = x0, x2 = x0, x3 = x0;                                               \
                NPU__DW_FOUR##SIDE##x##STEP                                                                                      \
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
#undef NPU__DW_AT
#undef NPU__DW_COLUMN3
#undef NPU__DW_COLUMN5
#undef NPU__DW_MERGE
#undef NPU__DW_TAP

typedef void npu__dw_part__vnni(const npu__dw_job *job, const npu__dw_all__vnni *f, size_t unit, const uint8_t *packed, uint8_t *to);

NPU__VNNI NPU__FN void npu__i8_dw__vnni(const npu__dw_job *job, const uint8_t *packed, uint8_t *out) {
    static npu__dw_part__vnni *const three[3] = {npu__i8_dw_any__vnni, npu__i8_dw_3x1__vnni, npu__i8_dw_3x2__vnni};
    static npu__dw_part__vnni *const five[3] = {npu__i8_dw_any__vnni, npu__i8_dw_5x1__vnni, npu__i8_dw_5x2__vnni};
    const npu__dw_all__vnni f = npu__dw_all_of__vnni(job);
    const size_t            unit = npu__dw_i8_unit_bytes(16, 4, job->n_taps);
    if (job->n_taps == 25) five[npu__dw_columns(job, 5)](job, &f, unit, packed, out);
    else three[npu__dw_columns(job, 3)](job, &f, unit, packed, out);
}

NPU__AVX512_END
#endif
