/* What depthwise integers for AVX-512 with VNNI share: columns of windows, and output stages of sixteen channels. */
#ifndef NPU__KERNELS_DW_VNNI_H
#define NPU__KERNELS_DW_VNNI_H

#include "avx512.h"
#include "dw_groups.h"
#include "vec_loop.h"

#if NPU__HAS_X86

NPU__AVX512_BEGIN

/* What units that are all folded, or none, share. */
typedef struct npu__dw_all__vnni {
    npu__fin__vnni fin;
    __m512i        spread; /* each of sixteen bytes four times */
    __m512i        flip;   /* makes taps unsigned */
    __m512i        offset; /* of raw sums, that folded units have too much */
    __m512i        order;  /* quads of four pixels in turns to pixels */
    __m512i        rest3, rest; /* what weights lack (job->w_rest), of three and of four taps */
    int32_t        more;        /* do they? */
    int32_t        folded;
    int32_t        near;        /* may results be made by floats (avx512.h), where a unit is for that? */
    __m512i        words;       /* upper words of two times sixteen lanes, four of the one and four of the other in turns */
} npu__dw_all__vnni;

/* What makes the results of up to four units by floats. */
typedef struct npu__dw_near__vnni {
    __m512i           bias[4]; /* without the 2^31 of folded ones */
    npu__near__vnni   of[4];
} npu__dw_near__vnni;
#define NPU__DW_NEAR_PIXELS 4 /* fewer are not worth finding that out */

NPU__VNNI NPU__INLINE npu__dw_all__vnni npu__dw_all_of__vnni(const npu__dw_job *job, int folded) {
    static const uint16_t words[32] = {1,  3,  5,  7,  33, 35, 37, 39, 9,  11, 13, 15, 41, 43, 45, 47,
                                       17, 19, 21, 23, 49, 51, 53, 55, 25, 27, 29, 31, 57, 59, 61, 63};
    npu__dw_all__vnni f;
    f.fin = npu__fin_of__vnni(&job->out);
    f.spread = _mm512_mullo_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), _mm512_set1_epi32(0x01010101));
    f.flip = _mm512_set1_epi8((char)(job->is_signed ? 0x80 : 0));
    f.folded = folded;
    f.offset = _mm512_set1_epi32(folded ? INT32_MIN : 0);
    f.order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    f.rest = _mm512_set1_epi8((char)job->w_rest);
    f.rest3 = _mm512_srli_epi32(f.rest, 8);
    f.more = job->w_rest != 0;
    f.near = folded && !job->out.raw && job->pixels >= NPU__DW_NEAR_PIXELS;
    f.words = NPU__LOAD64(words);
    return f;
}

/* NULL: not for these `n` units, or not worth it. */
NPU__VNNI NPU__FN const npu__dw_near__vnni *npu__dw_near_of__vnni(npu__dw_near__vnni *near, const npu__dw_job *job, const npu__dw_all__vnni *f,
                                                                 const uint8_t *packed, size_t unit, int32_t n);

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
NPU__VNNI NPU__INLINE __m512i npu__dw_scaled__vnni(const npu__dw_all__vnni *f, const uint8_t *head, __m512i x) {
    if (f->folded) {
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
    npu__store16__vnni(to, npu__dw_scaled__vnni(f, head, x), f->folded, &f->fin, 0xFFFF);
}

#define NPU__DW_NEAR(x, i) \
    npu__near_scaled__vnni(x, near->of[i].scale, both ? npu__near_add__vnni(x, near->of[i].plus, near->of[i].minus) : near->of[i].plus, &doubt)

/* The first `n` of four, in bytes. */
NPU__VNNI NPU__INLINE void npu__dw_store4__vnni(const npu__dw_all__vnni *f, __m512i x, int32_t n, uint8_t *to, size_t step) {
    x = _mm512_permutexvar_epi32(f->order, npu__dw_clamped__vnni(&f->fin, x));
    _mm_storeu_si128((__m128i *)(void *)to, _mm512_castsi512_si128(x));
    if (n > 1) _mm_storeu_si128((__m128i *)(void *)(to + step), _mm512_extracti32x4_epi32(x, 1));
    if (n > 2) _mm_storeu_si128((__m128i *)(void *)(to + 2 * step), _mm512_extracti32x4_epi32(x, 2));
    if (n > 3) _mm_storeu_si128((__m128i *)(void *)(to + 3 * step), _mm512_extracti32x4_epi32(x, 3));
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
    x0 = npu__words__vnni(npu__dw_scaled__vnni(f, head, x0), npu__dw_scaled__vnni(f, head + unit, x1), f->folded, &f->fin);
    x2 = npu__words__vnni(npu__dw_scaled__vnni(f, head + 2 * unit, x2), npu__dw_scaled__vnni(f, head + 3 * unit, x3), f->folded, &f->fin);
    npu__dw_store4__vnni(f, _mm512_packs_epi16(x0, x2), n, to, step);
}

/* The same by floats, of one unit. False: there is doubt. */
NPU__VNNI NPU__LOOP_BODY NPU__INLINE int npu__dw_near4__vnni(const npu__dw_near__vnni *near, const npu__dw_all__vnni *f, int both, __m512i x0,
                                                             __m512i x1, __m512i x2, __m512i x3, int32_t n, uint8_t *to, size_t step) {
    __m512i doubt = _mm512_set1_epi32(-1);
    x0 = _mm512_permutex2var_epi16(NPU__DW_NEAR(x0, 0), f->words, NPU__DW_NEAR(x1, 0));
    NPU__HERE(doubt);
    x2 = _mm512_permutex2var_epi16(NPU__DW_NEAR(x2, 0), f->words, NPU__DW_NEAR(x3, 0));
    NPU__HERE(doubt);
    npu__dw_store4__vnni(f, _mm512_packs_epi16(x0, x2), n, to, step);
    return !npu__near_doubt__vnni(doubt);
}

/* dw_wide_vnni.c: 64 channels from `at` on by floats; neighbouring windows are `columns` columns apart, 0: they share none. */
NPU__VNNI NPU__FN void npu__i8_dw_fast__vnni(const npu__dw_job *job, const npu__dw_all__vnni *f, const npu__dw_near__vnni *near, int columns,
                                             size_t at, const uint8_t *packed, uint8_t *out);
/* dw_vnni.c: one pixel of these by the reference's steps. */
NPU__VNNI NPU__FN void npu__dw_exact64__vnni(const npu__dw_job *job, const npu__dw_all__vnni *f, const uint8_t *packed, size_t unit,
                                             const uint8_t *const *tap, size_t at, uint8_t *out);

/* Column n of a window of 3 x 3, and the first four of the five of one of 5 x 5. */
#define NPU__DW_COLUMN3(n, from) npu__dw_three__vnni(f, tap[n] + (from), tap[(n) + 3] + (from), tap[(n) + 6] + (from))
#define NPU__DW_COLUMN5(n, from) \
    npu__dw_four__vnni(f, tap[n] + (from), tap[(n) + 5] + (from), tap[(n) + 10] + (from), tap[(n) + 15] + (from))

NPU__AVX512_END
#endif
#endif
