/* Depthwise 3 x 3 of 64 channels whose results floats make (dw_vnni.h). */
#include "dw_vnni.h"
#if NPU__HAS_X86

NPU__AVX512_BEGIN

/* A column of the window, in quads of channels as units are packed (dw_vnni.c). */
#define NPU__FAST_COLUMN(r0, r1, r2)                                                                                          \
    {                                                                                                                         \
        const __m512i u = _mm512_xor_si512(NPU__LOAD64(r0), flip), v = _mm512_xor_si512(NPU__LOAD64(r1), flip);               \
        const __m512i z = _mm512_xor_si512(NPU__LOAD64(r2), flip);                                                            \
        const __m512i lo = _mm512_unpacklo_epi8(u, v), hi = _mm512_unpackhi_epi8(u, v);                                       \
        const __m512i low = _mm512_unpacklo_epi8(z, z), high = _mm512_unpackhi_epi8(z, z);                                    \
        q0 = _mm512_unpacklo_epi16(lo, low);                                                                                  \
        q1 = _mm512_unpackhi_epi16(lo, low);                                                                                  \
        q2 = _mm512_unpacklo_epi16(hi, high);                                                                                 \
        q3 = _mm512_unpackhi_epi16(hi, high);                                                                                 \
    }
/* Its products with column n of the weights. A constant distance between units: else compilers keep twelve pointers. */
#define NPU__FAST_UNIT 448 /* npu__dw_i8_unit_bytes(16, 4, 9) */
#define NPU__FAST_DOTS(x, n)                                               \
    x##0 = npu__dot8_at__vnni(x##0, q0, w + 64 * n);                       \
    x##1 = npu__dot8_at__vnni(x##1, q1, w + NPU__FAST_UNIT + 64 * n);      \
    x##2 = npu__dot8_at__vnni(x##2, q2, w + 2 * NPU__FAST_UNIT + 64 * n);  \
    x##3 = npu__dot8_at__vnni(x##3, q3, w + 3 * NPU__FAST_UNIT + 64 * n);  \
    if (more) {                                                            \
        x##0 = npu__dot8__vnni(x##0, q0, f->rest3);                        \
        x##1 = npu__dot8__vnni(x##1, q1, f->rest3);                        \
        x##2 = npu__dot8__vnni(x##2, q2, f->rest3);                        \
        x##3 = npu__dot8__vnni(x##3, q3, f->rest3);                        \
    }
#define NPU__FAST_BIAS(x) x##0 = near->bias[0], x##1 = near->bias[1], x##2 = near->bias[2], x##3 = near->bias[3];
#define NPU__FAST_NEAR0(x, i) npu__near_scaled__vnni(x##i, scale##i, plus##i, &doubt)
#define NPU__FAST_NEAR1(x, i) npu__near_scaled__vnni(x##i, scale##i, npu__near_add__vnni(x##i, plus##i, near->of[i].minus), &doubt)
/* A pixel that is complete; then the next one, of which there may be none. */
#define NPU__FAST_DONE(STEP, BOTH, x)                                                                                   \
    {                                                                                                                   \
        __m512i doubt = _mm512_set1_epi32(-1), a, b;                                                                    \
        a = _mm512_permutex2var_epi16(NPU__FAST_NEAR##BOTH(x, 0), words, NPU__FAST_NEAR##BOTH(x, 1));                   \
        b = _mm512_permutex2var_epi16(NPU__FAST_NEAR##BOTH(x, 2), words, NPU__FAST_NEAR##BOTH(x, 3));                   \
        _mm512_storeu_si512((void *)out, npu__dw_clamped__vnni(&fin, _mm512_packs_epi16(a, b)));                        \
        if (npu__near_doubt__vnni(doubt)) npu__dw_exact64__vnni(job, f, packed, NPU__FAST_UNIT, tap, NPU__FAST_AT_##STEP, out); \
    }                                                                                                                   \
    if (--left == 0) break;                                                                                             \
    out += job->out_stride;                                                                                             \
    NPU__FAST_ON_##STEP

/* Nothing shared: each pixel may have taps of its own. */
#define NPU__FAST_AT_0 at
#define NPU__FAST_ON_0     \
    at += step;            \
    tap += job->taps_step;
#define NPU__FAST_BEGIN_0 (void)right0, (void)right1, (void)right2;
#define NPU__FAST_TURN_0(BOTH)                                                                       \
    NPU__FAST_BIAS(x)                                                                                \
    NPU__FAST_COLUMN(tap[0] + at, tap[3] + at, tap[6] + at) NPU__FAST_DOTS(x, 0)                     \
    NPU__FAST_COLUMN(tap[1] + at, tap[4] + at, tap[7] + at) NPU__FAST_DOTS(x, 1)                     \
    NPU__FAST_COLUMN(tap[2] + at, tap[5] + at, tap[8] + at) NPU__FAST_DOTS(x, 2) NPU__FAST_DONE(0, BOTH, x)
#define NPU__FAST_AT_1 (size_t)(right0 - tap[2])
#define NPU__FAST_ON_1 \
    right0 += step;    \
    right1 += step;    \
    right2 += step;
#define NPU__FAST_AT_2 NPU__FAST_AT_1
#define NPU__FAST_ON_2 NPU__FAST_ON_1
/* One column apart, windows share two: x is complete, y begun with two of its columns, z with one. */
#define NPU__FAST_BEGIN_1                                                                                       \
    NPU__FAST_BIAS(x) NPU__FAST_BIAS(y)                                                                         \
    NPU__FAST_COLUMN(tap[0] + at, tap[3] + at, tap[6] + at) NPU__FAST_DOTS(x, 0)                                \
    NPU__FAST_COLUMN(tap[1] + at, tap[4] + at, tap[7] + at) NPU__FAST_DOTS(x, 1) NPU__FAST_DOTS(y, 0)
#define NPU__FAST_PIXEL_1(BOTH, x, y, z)                                                            \
    NPU__FAST_BIAS(z)                                                                               \
    NPU__FAST_COLUMN(right0, right1, right2)                                                        \
    NPU__FAST_DOTS(x, 2) NPU__FAST_DOTS(y, 1) NPU__FAST_DOTS(z, 0) NPU__FAST_DONE(1, BOTH, x)
#define NPU__FAST_TURN_1(BOTH) NPU__FAST_PIXEL_1(BOTH, x, y, z) NPU__FAST_PIXEL_1(BOTH, y, z, x) NPU__FAST_PIXEL_1(BOTH, z, x, y)
/* Two apart they share one. */
#define NPU__FAST_BEGIN_2 NPU__FAST_BIAS(x) NPU__FAST_COLUMN(tap[0] + at, tap[3] + at, tap[6] + at) NPU__FAST_DOTS(x, 0)
#define NPU__FAST_PIXEL_2(BOTH, x, y)                                                                      \
    NPU__FAST_COLUMN(right0 - column, right1 - column, right2 - column) NPU__FAST_DOTS(x, 1)               \
    NPU__FAST_BIAS(y)                                                                                      \
    NPU__FAST_COLUMN(right0, right1, right2) NPU__FAST_DOTS(x, 2) NPU__FAST_DOTS(y, 0) NPU__FAST_DONE(2, BOTH, x)
#define NPU__FAST_TURN_2(BOTH) NPU__FAST_PIXEL_2(BOTH, x, y) NPU__FAST_PIXEL_2(BOTH, y, x)

#define NPU__FAST(STEP, BOTH, MORE)                                                                                              \
    NPU__VNNI NPU__FN void npu__i8_dw_fast##STEP##BOTH##MORE##__vnni(const npu__dw_job *job, const npu__dw_all__vnni *f,         \
                                                                     const npu__dw_near__vnni *near, size_t at,                  \
                                                                     const uint8_t *packed, uint8_t *out) {                      \
        const uint8_t *const *tap = job->taps;                                                                                   \
        const uint8_t        *w = packed + 256, *right0 = tap[2] + at, *right1 = tap[5] + at, *right2 = tap[8] + at;             \
        const size_t          step = job->in_step, column = (size_t)(tap[2] - tap[1]);                                           \
        const npu__fin__vnni  fin = f->fin;                                                                                      \
        const __m512i         flip = f->flip, words = f->words;                                                                  \
        const __m512          scale0 = near->of[0].scale, scale1 = near->of[1].scale, scale2 = near->of[2].scale;                \
        const __m512          plus0 = near->of[0].plus, plus1 = near->of[1].plus, plus2 = near->of[2].plus;                      \
        const __m512          scale3 = near->of[3].scale, plus3 = near->of[3].plus;                                              \
        const int             more = MORE;                                                                                       \
        int32_t               left = job->pixels;                                                                                \
        __m512i               q0, q1, q2, q3, x0, x1, x2, x3, y0, y1, y2, y3, z0, z1, z2, z3;                                    \
        (void)column;                                                                                                            \
        y0 = y1 = y2 = y3 = z0 = z1 = z2 = z3 = flip;                                                                            \
        NPU__FAST_BEGIN_##STEP                                                                                                   \
        (void)y0, (void)y1, (void)y2, (void)y3, (void)z0, (void)z1, (void)z2, (void)z3;                                          \
        for (;;) { NPU__FAST_TURN_##STEP(BOTH) }                                                                                 \
    }
#define NPU__FAST_ALL(STEP) NPU__FAST(STEP, 0, 0) NPU__FAST(STEP, 0, 1) NPU__FAST(STEP, 1, 0) NPU__FAST(STEP, 1, 1)
NPU__FAST_ALL(0)
NPU__FAST_ALL(1)
NPU__FAST_ALL(2)
#undef NPU__FAST_ALL
#undef NPU__FAST
#undef NPU__FAST_TURN_0
#undef NPU__FAST_TURN_1
#undef NPU__FAST_TURN_2
#undef NPU__FAST_PIXEL_1
#undef NPU__FAST_PIXEL_2
#undef NPU__FAST_BEGIN_0
#undef NPU__FAST_BEGIN_1
#undef NPU__FAST_BEGIN_2
#undef NPU__FAST_DONE
#undef NPU__FAST_AT_2
#undef NPU__FAST_ON_2
#undef NPU__FAST_AT_1
#undef NPU__FAST_ON_1
#undef NPU__FAST_AT_0
#undef NPU__FAST_ON_0
#undef NPU__FAST_NEAR0
#undef NPU__FAST_NEAR1
#undef NPU__FAST_BIAS
#undef NPU__FAST_DOTS
#undef NPU__FAST_COLUMN
#undef NPU__FAST_UNIT

NPU__VNNI NPU__FN void npu__i8_dw_fast__vnni(const npu__dw_job *job, const npu__dw_all__vnni *f, const npu__dw_near__vnni *near, int columns,
                                             size_t at, const uint8_t *packed, uint8_t *out) {
    const int both = npu__near_both(&job->out);
#define NPU__FAST_PICK(STEP, BOTH) (f->more ? npu__i8_dw_fast##STEP##BOTH##1__vnni : npu__i8_dw_fast##STEP##BOTH##0__vnni)
#define NPU__FAST_RUN(STEP) (both ? NPU__FAST_PICK(STEP, 1) : NPU__FAST_PICK(STEP, 0))(job, f, near, at, packed, out)
    if (columns == 1) NPU__FAST_RUN(1);
    else if (columns == 2) NPU__FAST_RUN(2);
    else NPU__FAST_RUN(0);
#undef NPU__FAST_PICK
#undef NPU__FAST_RUN
}

NPU__AVX512_END
#endif
