/* Depthwise convolution of integers for AVX2, two taps at a time: their bytes are widened, interleaved and multiplied by
 * pairs of weights. */
#include "avx2.h"
#include "dw_groups.h"
#include "vec_loop.h"
#if NPU__HAS_X86

/* ---- int8: channels outside, pixels inside, two pixels at a time ----
 * Sixteen lanes of int32 are 16 channels of a pixel (two units), or 8 of two pixels (one unit). Two units are packed with their middle
 * quads exchanged: what unpacking 256-bit halves asks for.
 * Groups of plain channels are packed folded: the product of x + 2^31 and twice the multiplier, both unsigned, has s + multiplier
 * in its upper half (s: what npu__srdhm__avx2 gives), so that one shuffle collects these halves, in the order 0, 2, 1, 3. */

/* Last steps of folded channels, in the order of their shuffles; are these folded? */
typedef struct npu__dw_fin__avx2 {
    __m256i zero_point, lo, hi, flip, order;
    int     folded;
} npu__dw_fin__avx2;

NPU__AVX2 NPU__FN npu__dw_fin__avx2 npu__dw_fin_of__avx2(const npu__i8_out *o) {
    npu__dw_fin__avx2 f;
    f.folded = 0;
    f.zero_point = _mm256_set1_epi16((int16_t)o->zero_point);
    f.lo = _mm256_set1_epi8((char)o->lo);
    f.hi = _mm256_set1_epi8((char)o->hi);
    f.flip = _mm256_set1_epi8((char)o->flip);
    f.order = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15));
    return f;
}

/* even, odd: twice the multipliers; less: minus them, in the order of the shuffle. */
NPU__AVX2 NPU__LOOP_BODY NPU__INLINE __m256i npu__dw_plain__avx2(__m256i x, __m256i even, __m256i odd, __m256i less, __m256i right) {
    const __m256i round = _mm256_set1_epi64x((int64_t)1 << 31);
    even = _mm256_add_epi64(_mm256_mul_epu32(x, even), round);
    odd = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(x, 32), odd), round);
    x = _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(even), _mm256_castsi256_ps(odd), 0xDD));
    x = _mm256_add_epi32(x, less);
    return _mm256_srav_epi32(_mm256_add_epi32(x, _mm256_cmpgt_epi32(_mm256_setzero_si256(), x)), right);
}

/* Twice sixteen scaled lanes to bytes: those of the first sixteen are in the lower half. */
NPU__AVX2 NPU__LOOP_BODY NPU__INLINE __m256i npu__dw_bytes__avx2(const npu__dw_fin__avx2 *f, __m256i v, __m256i w) {
    v = _mm256_adds_epi16(npu__halve__avx2(v), f->zero_point);
    w = _mm256_adds_epi16(npu__halve__avx2(w), f->zero_point);
    v = _mm256_shuffle_epi8(_mm256_packs_epi16(v, w), f->order);
    v = _mm256_xor_si256(_mm256_min_epi8(_mm256_max_epi8(v, f->lo), f->hi), f->flip);
    return _mm256_permute4x64_epi64(v, 0xD8);
}

/* Sums that are stored as they are, or whose shifts are not plain: of 16 channels (`next` NULL), or 8 of a pixel at `out` and of one at
 * `next`, which may be the same. */
NPU__AVX2 NPU__FN void npu__dw_other__avx2(const npu__dw_job *job, int folded, const uint8_t *u0, const uint8_t *u1, __m256i a, __m256i b,
                                           uint8_t *out, uint8_t *next) {
    const npu__fin__avx2 fin = npu__fin_of__avx2(&job->out);
    if (job->out.raw) {
        const __m256i offset = _mm256_set1_epi32(folded ? INT32_MIN : 0);
        a = _mm256_xor_si256(a, offset);
        b = _mm256_xor_si256(b, offset);
        if (!next) {
            npu__raw16__avx2(out, a, b);
            return;
        }
        _mm256_storeu_si256((__m256i *)(void *)next, b);
        _mm256_storeu_si256((__m256i *)(void *)out, a);
        return;
    }
    a = npu__requant_any__avx2(a, NPU__LOAD32(u0 + 32), NPU__LOAD32(u0 + 64), NPU__LOAD32(u0 + 96));
    b = npu__requant_any__avx2(b, NPU__LOAD32(u1 + 32), NPU__LOAD32(u1 + 64), NPU__LOAD32(u1 + 96));
    if (!next) {
        _mm_storeu_si128((__m128i *)(void *)out, npu__finish16__avx2(a, b, 0, &fin));
        return;
    }
    _mm_storel_epi64((__m128i *)(void *)next, npu__finish8__avx2(b, 0, &fin));
    _mm_storel_epi64((__m128i *)(void *)out, npu__finish8__avx2(a, 0, &fin));
}

/* Where the second pixel of a step is, if any. */
#define NPU__DW_STEP                                      \
    const int    two = p + 1 < job->pixels;               \
    const size_t beside = two ? job->in_step : 0;         \
    uint8_t     *next = two ? out + job->out_stride : out;
/* The multipliers of odd lanes are one lane on. */
#define NPU__DW_SCALE(u, x) \
    npu__dw_plain__avx2(x, NPU__LOAD32(u + 32), NPU__LOAD32(u + 36), NPU__LOAD32(u + 64), NPU__LOAD32(u + 96))
#define NPU__DW_SCALED(a, b) _mm256_packs_epi32(NPU__DW_SCALE(u0, a), NPU__DW_SCALE(u1, b))
#define NPU__DW_DONE16                                                                      \
    if (plain) {                                                                            \
        x = NPU__DW_SCALED(a0, b0);                                                         \
        y = two ? NPU__DW_SCALED(a1, b1) : x;                                               \
        x = npu__dw_bytes__avx2(f, x, y);                                                   \
        if (two) _mm_storeu_si128((__m128i *)(void *)next, _mm256_extracti128_si256(x, 1)); \
        _mm_storeu_si128((__m128i *)(void *)out, _mm256_castsi256_si128(x));                \
    } else {                                                                                \
        npu__dw_other__avx2(job, f->folded, u0, u1, a0, b0, out, NULL);                     \
        if (two) npu__dw_other__avx2(job, f->folded, u0, u1, a1, b1, next, NULL);           \
    }
#define NPU__DW_ONE16                                                                                \
    if (plain) {                                                                                     \
        x = _mm256_adds_epi16(npu__halve__avx2(NPU__DW_SCALED(a0, b0)), f->zero_point);              \
        r = _mm_packs_epi16(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));              \
        r = _mm_shuffle_epi8(r, _mm256_castsi256_si128(f->order));                                   \
        r = _mm_max_epi8(r, _mm256_castsi256_si128(f->lo));                                          \
        r = _mm_min_epi8(r, _mm256_castsi256_si128(f->hi));                                          \
        _mm_storeu_si128((__m128i *)(void *)out, _mm_xor_si128(r, _mm256_castsi256_si128(f->flip))); \
    } else {                                                                                         \
        npu__dw_other__avx2(job, f->folded, u0, u1, a0, b0, out, NULL);                              \
    }
#define NPU__DW_DONE8                                                                      \
    if (plain) {                                                                           \
        x = _mm256_adds_epi16(npu__halve__avx2(NPU__DW_SCALED(a0, b0)), f->zero_point);    \
        x = _mm256_shuffle_epi8(_mm256_packs_epi16(x, x), f->order);                       \
        x = _mm256_xor_si256(_mm256_min_epi8(_mm256_max_epi8(x, f->lo), f->hi), f->flip);  \
        r = _mm_unpacklo_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1)); \
        _mm_storel_epi64((__m128i *)(void *)next, _mm_unpackhi_epi64(r, r));               \
        _mm_storel_epi64((__m128i *)(void *)out, r);                                       \
    } else {                                                                               \
        npu__dw_other__avx2(job, f->folded, u0, u0, a0, b0, out, next);                    \
    }

/* Weights k and k + 1, for taps s and t. */
#define NPU__MADD(acc, x, w) acc = _mm256_add_epi32(acc, _mm256_madd_epi16(x, w));
#define NPU__PAIR16(CVT, k, s, t)                                                 \
    x = CVT(NPU__LOAD16(tap[s] + at));                                            \
    y = CVT(NPU__LOAD16(tap[t] + at));                                            \
    NPU__MADD(a0, _mm256_unpacklo_epi16(x, y), NPU__LOAD32(u0 + 128 + 16 * (k)))  \
    NPU__MADD(b0, _mm256_unpackhi_epi16(x, y), NPU__LOAD32(u1 + 128 + 16 * (k)))
#define NPU__PAIR8(CVT, k, s, t)                                                            \
    x = CVT(_mm_unpacklo_epi8(NPU__LOAD8(tap[s] + at), NPU__LOAD8(tap[t] + at)));           \
    NPU__MADD(a0, x, NPU__LOAD32(u0 + 128 + 16 * (k)))
#define NPU__NEXT8(CVT, k, s, t)                                                            \
    x = CVT(_mm_unpacklo_epi8(NPU__LOAD8(after[s] + then), NPU__LOAD8(after[t] + then)));   \
    NPU__MADD(b0, x, NPU__LOAD32(u0 + 128 + 16 * (k)))
#define NPU__TAPS(PAIR, CVT)                                                                                      \
    if (job->n_taps == 9) {                                                                                       \
        PAIR(CVT, 0, 0, 3) PAIR(CVT, 2, 1, 4) PAIR(CVT, 4, 2, 5) PAIR(CVT, 6, 6, 7) PAIR(CVT, 8, 7, 8)            \
    } else {                                                                                                      \
        for (int32_t t = 0; t < job->n_taps; t += 2) { PAIR(CVT, t, t, t + 1) }                               \
    }
/* The first c channels, or the last from c on: 8 may overlap those before. Pixel 0 is `first` bytes behind the taps. */
#define NPU__DW_BLOCK                                                            \
    const uint8_t *const *tap = job->taps;                                       \
    const uint8_t        *u0 = packed, *u1 = packed + unit;                      \
    size_t                at = (size_t)NPU__MIN(c, job->channels - NPU__DW_UNIT); \
    uint8_t              *out = to + at * each;                                  \
    at += first;
#define NPU__DW_NAME(NAME, S)                                                                                               \
    NPU__AVX2 NPU__FN void npu__i8_dw##NAME##S##__avx2(const npu__dw_job *job, const npu__dw_fin__avx2 *f, int32_t c,       \
                                                       size_t first, const uint8_t *packed, uint8_t *to) {                  \
        const size_t unit = npu__dw_i8_unit_bytes(NPU__DW_UNIT, 2, job->n_taps), each = job->out.raw ? sizeof(int32_t) : 1; \
        const int    plain = f->folded && !job->out.raw;

/* Any window. */
#define NPU__DW_ANY(S, CVT)                                                                                                          \
    NPU__AVX2 NPU__FN void npu__i8_dw16##S##__avx2(const npu__dw_job *job, const npu__dw_fin__avx2 *f, int32_t channels,             \
                                                   size_t first, const uint8_t *packed, uint8_t *to) {                               \
        const uint8_t *const *tap = job->taps;                                                                                       \
        const size_t          unit = npu__dw_i8_unit_bytes(NPU__DW_UNIT, 2, job->n_taps), each = job->out.raw ? sizeof(int32_t) : 1; \
        const int             plain = f->folded && !job->out.raw;                                                                    \
        const uint8_t *const  end = packed + (size_t)(channels / NPU__DW_UNIT) * unit;                                               \
        for (int32_t p = 0; p < job->pixels; p++, tap += job->taps_step, first += job->in_step, to += job->out_stride) {             \
            const uint8_t *u0 = packed;                                                                                              \
            size_t         at = first;                                                                                               \
            for (uint8_t *out = to; u0 < end; u0 += 2 * unit, at += 16, out += 16 * each) {                                          \
                const uint8_t *u1 = u0 + unit;                                                                                       \
                __m256i        a0 = NPU__LOAD32(u0), b0 = NPU__LOAD32(u1), x, y;                                                     \
                __m128i        r;                                                                                                    \
                NPU__TAPS(NPU__PAIR16, CVT) NPU__DW_ONE16                                                                            \
            }                                                                                                                        \
        }                                                                                                                            \
    }                                                                                                                                \
    NPU__DW_NAME(8, S)                                                                                                               \
        for (; c < job->channels; c += 8, packed += unit) {                                                                          \
            NPU__DW_BLOCK                                                                                                            \
            u1 = u0;                                                                                                                 \
            for (int32_t p = 0; p < job->pixels; p += 2) {                                                                           \
                NPU__DW_STEP                                                                                                         \
                const uint8_t *const *after = two ? tap + job->taps_step : tap;                                                      \
                const size_t          then = at + beside;                                                                            \
                __m256i               a0 = NPU__LOAD32(u0), b0 = a0, x;                                                              \
                __m128i               r;                                                                                             \
                NPU__TAPS(NPU__PAIR8, CVT)                                                                                           \
                if (two) { NPU__TAPS(NPU__NEXT8, CVT) }                                                                              \
                NPU__DW_DONE8                                                                                                        \
                tap = after + job->taps_step;                                                                                        \
                at += 2 * job->in_step;                                                                                              \
                out = next + job->out_stride;                                                                                        \
            }                                                                                                                        \
        }                                                                                                                            \
    }

/* 3 x 3 where neighbouring windows share columns: those are assembled once. Column c: its rows 0 and 1 side by side in lo##c and
 * hi##c, row 2 in z##c, which goes side by side with the next column's. */
#define NPU__COLUMN(CVT, c, n, from)               \
    x = CVT(NPU__LOAD16(tap[n] + (from)));         \
    y = CVT(NPU__LOAD16(tap[(n) + 3] + (from)));   \
    z##c = CVT(NPU__LOAD16(tap[(n) + 6] + (from))); \
    lo##c = _mm256_unpacklo_epi16(x, y);           \
    hi##c = _mm256_unpackhi_epi16(x, y);
#define NPU__BESIDE(i, j, k)              \
    p##i = _mm256_unpacklo_epi16(z##j, z##k); \
    r##i = _mm256_unpackhi_epi16(z##j, z##k);
#define NPU__BOTH(s, k, x, y)                        \
    NPU__MADD(a##s, x, NPU__LOAD32(u0 + 128 + 32 * (k))) \
    NPU__MADD(b##s, y, NPU__LOAD32(u1 + 128 + 32 * (k)))
#define NPU__WINDOW(s, i, j, k, l, m) \
    NPU__BOTH(s, 0, lo##i, hi##i) NPU__BOTH(s, 1, lo##j, hi##j) NPU__BOTH(s, 2, lo##k, hi##k) \
    NPU__BOTH(s, 3, p##l, r##l) NPU__BOTH(s, 4, p##m, r##m)

/* Two pixels, one column apart or two. */
#define NPU__BEGIN1(CVT) NPU__COLUMN(CVT, 0, 0, at) NPU__COLUMN(CVT, 1, 1, at) NPU__BESIDE(0, 0, 1)
#define NPU__TWO1(CVT)                                                                        \
    NPU__COLUMN(CVT, 2, 2, at) NPU__BESIDE(1, 1, 2) NPU__WINDOW(0, 0, 1, 2, 0, 1)             \
    NPU__COLUMN(CVT, 3, 2, at + beside) NPU__BESIDE(0, 2, 3) NPU__WINDOW(1, 1, 2, 3, 1, 0)    \
    lo0 = lo2; hi0 = hi2; lo1 = lo3; hi1 = hi3; z1 = z3;
#define NPU__BEGIN2(CVT) NPU__COLUMN(CVT, 0, 0, at)
#define NPU__TWO2(CVT)                                                                                \
    NPU__COLUMN(CVT, 1, 1, at) NPU__BESIDE(0, 0, 1) NPU__COLUMN(CVT, 2, 2, at) NPU__BESIDE(1, 1, 2)   \
    NPU__WINDOW(0, 0, 1, 2, 0, 1)                                                                     \
    NPU__COLUMN(CVT, 1, 1, at + beside) NPU__BESIDE(0, 2, 1) NPU__COLUMN(CVT, 0, 2, at + beside)      \
    NPU__BESIDE(1, 1, 0) NPU__WINDOW(1, 2, 1, 0, 0, 1)

#define NPU__DW_COLUMNS(STEP, S, CVT)                                                                               \
    NPU__DW_NAME(_columns##STEP, S)                                                                                 \
        const int32_t channels = c;                                                                                 \
        for (c = 0; c < channels; c += 16, packed += 2 * unit) {                                                    \
            __m256i lo0, hi0, z0, lo1, hi1, z1, lo2, hi2, z2, lo3, hi3, z3, x, y, p0, r0, p1, r1;                   \
            NPU__DW_BLOCK                                                                                           \
            NPU__BEGIN##STEP(CVT)                                                                                   \
            for (int32_t p = 0; p < job->pixels; p += 2) {                                                          \
                NPU__DW_STEP                                                                                        \
                __m256i a0 = NPU__LOAD32(u0), b0 = NPU__LOAD32(u1), a1 = a0, b1 = b0;                               \
                NPU__TWO##STEP(CVT)                                                                                 \
                NPU__DW_DONE16                                                                                      \
                at += 2 * job->in_step;                                                                             \
                out = next + job->out_stride;                                                                       \
            }                                                                                                       \
            (void)lo3;                                                                                              \
            (void)hi3;                                                                                              \
            (void)z3;                                                                                               \
        }                                                                                                           \
    }

#define NPU__DW(S, CVT)       \
    NPU__DW_ANY(S, CVT) \
    NPU__DW_COLUMNS(1, S, CVT) \
    NPU__DW_COLUMNS(2, S, CVT)
NPU__DW(S, _mm256_cvtepi8_epi16)
NPU__DW(U, _mm256_cvtepu8_epi16)
#undef NPU__DW
#undef NPU__DW_ANY
#undef NPU__DW_NAME
#undef NPU__DW_BLOCK
#undef NPU__DW_COLUMNS
#undef NPU__BEGIN1
#undef NPU__BEGIN2
#undef NPU__TWO1
#undef NPU__TWO2
#undef NPU__DW_STEP
#undef NPU__DW_SCALED
#undef NPU__DW_SCALE
#undef NPU__DW_DONE16
#undef NPU__DW_DONE8
#undef NPU__DW_ONE16
#undef NPU__COLUMN
#undef NPU__BESIDE
#undef NPU__BOTH
#undef NPU__WINDOW
#undef NPU__TAPS
#undef NPU__PAIR16
#undef NPU__PAIR8
#undef NPU__NEXT8
#undef NPU__MADD

typedef void npu__dw_part__avx2(const npu__dw_job *job, const npu__dw_fin__avx2 *f, int32_t c, size_t first, const uint8_t *packed,
                                uint8_t *to);

/* The loops of columns go through all pixels for each 16 channels: so few columns that lines of 64 stay in the cache. */
#define NPU__DW_STRIP 32

NPU__AVX2 NPU__FN void npu__i8_dw__avx2(const npu__dw_job *job, const uint8_t *packed, uint8_t *out) {
    static npu__dw_part__avx2 *const wide[2][3] = {{npu__i8_dw16U__avx2, npu__i8_dw_columns1U__avx2, npu__i8_dw_columns2U__avx2},
                                                   {npu__i8_dw16S__avx2, npu__i8_dw_columns1S__avx2, npu__i8_dw_columns2S__avx2}};
    const int32_t     columns = npu__dw_columns(job, 3), strip = columns ? NPU__DW_STRIP / columns : NPU__MAX(job->pixels, 1);
    const size_t      unit = npu__dw_i8_unit_bytes(NPU__DW_UNIT, 2, job->n_taps), each = job->out.raw ? sizeof(int32_t) : 1;
    npu__dw_fin__avx2 f = npu__dw_fin_of__avx2(&job->out);
    for (int32_t c = 0; c < job->channels;) {
        const npu__dw_span span = npu__dw_span_at(NPU__DW_UNIT, NPU__DW_HALVES, job, packed, unit, c);
        npu__dw_job        part = *job;
        f.folded = span.folded;
        part.channels = span.end;
        if (span.group == 1) {
            (job->is_signed ? npu__i8_dw8S__avx2 : npu__i8_dw8U__avx2)(&part, &f, c, 0, packed, out);
        } else {
            for (int32_t p = 0; p < job->pixels; p += part.pixels) {
                part.pixels = NPU__MIN(strip, job->pixels - p);
                wide[job->is_signed != 0][columns](&part, &f, span.end - c, (size_t)c + (size_t)p * job->in_step, packed,
                                                   out + (size_t)c * each + (size_t)p * job->out_stride);
            }
        }
        packed += (size_t)((span.end - c) / NPU__DW_UNIT) * unit;
        c = span.end;
    }
}
#undef NPU__DW_STRIP
#endif
