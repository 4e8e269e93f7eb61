/* Depthwise convolution of integers for AVX2, two taps at a time: their bytes are widened, interleaved and multiplied by
 * pairs of weights. */
#include "avx2.h"
#if NPU__HAS_X86

/* Units of full sixteens are packed with their middle quads exchanged: what unpacking 256-bit halves asks for. */

/* One pair of taps: each channel's two values side by side as int16, times their weights. */
#define NPU__PAIR16(CVT, t)                                                               \
    x = CVT(NPU__LOAD16(tap[t] + c));                                                     \
    y = CVT(NPU__LOAD16(tap[(t) + 1] + c));                                               \
    v = _mm256_madd_epi16(_mm256_unpacklo_epi16(x, y), NPU__LOAD32(u0 + 128 + 16 * (t))); \
    acc0 = _mm256_add_epi32(acc0, v);                                                     \
    v = _mm256_madd_epi16(_mm256_unpackhi_epi16(x, y), NPU__LOAD32(u1 + 128 + 16 * (t))); \
    acc1 = _mm256_add_epi32(acc1, v);
#define NPU__PAIR8(CVT, t)                                                            \
    v = CVT(_mm_unpacklo_epi8(NPU__LOAD8(tap[t] + c), NPU__LOAD8(tap[(t) + 1] + c))); \
    acc = _mm256_add_epi32(acc, _mm256_madd_epi16(v, NPU__LOAD32(u0 + 128 + 16 * (t))));

#define NPU__REQUANT(acc, u)                                                                  \
    (fin->plain ? npu__requant_plain__avx2(acc, NPU__LOAD32((u) + 32), NPU__LOAD32((u) + 96)) \
                : npu__requant_any__avx2(acc, NPU__LOAD32((u) + 32), NPU__LOAD32((u) + 64), NPU__LOAD32((u) + 96)))

/* S: signedness of the input. Nine taps, the usual case, without a loop: its exit would be mispredicted too often. */
#define NPU__DW(S, CVT)                                                                                            \
    /* One pixel, 16 channels: units u0 and u1 side by side. */                                                    \
    NPU__AVX2 NPU__INLINE void npu__i8_dw16##S##__avx2(const npu__fin__avx2 *fin, const uint8_t *const *tap,       \
                                                       int32_t n_taps, size_t c, const uint8_t *u0,                \
                                                       const uint8_t *u1, uint8_t *out) {                          \
        __m256i acc0 = NPU__LOAD32(u0), acc1 = NPU__LOAD32(u1), v, x, y;                                           \
        if (n_taps == 9) {                                                                                         \
            NPU__PAIR16(CVT, 0) NPU__PAIR16(CVT, 2) NPU__PAIR16(CVT, 4) NPU__PAIR16(CVT, 6) NPU__PAIR16(CVT, 8)    \
        } else {                                                                                                   \
            for (int32_t t = 0; t < n_taps; t += 2) { NPU__PAIR16(CVT, t) }                                        \
        }                                                                                                          \
        if (fin->raw) {                                                                                            \
            npu__raw16__avx2(out, acc0, acc1);                                                                     \
            return;                                                                                                \
        }                                                                                                          \
        acc0 = NPU__REQUANT(acc0, u0);                                                                             \
        acc1 = NPU__REQUANT(acc1, u1);                                                                             \
        _mm_storeu_si128((__m128i *)(void *)out, npu__finish16__avx2(acc0, acc1, fin->plain, fin));                \
    }                                                                                                              \
    NPU__AVX2 NPU__INLINE void npu__i8_dw8##S##__avx2(const npu__fin__avx2 *fin, const uint8_t *const *tap,        \
                                                      int32_t n_taps, size_t c, const uint8_t *u0, uint8_t *out) { \
        __m256i acc = NPU__LOAD32(u0), v;                                                                          \
        if (n_taps == 9) {                                                                                         \
            NPU__PAIR8(CVT, 0) NPU__PAIR8(CVT, 2) NPU__PAIR8(CVT, 4) NPU__PAIR8(CVT, 6) NPU__PAIR8(CVT, 8)         \
        } else {                                                                                                   \
            for (int32_t t = 0; t < n_taps; t += 2) { NPU__PAIR8(CVT, t) }                                         \
        }                                                                                                          \
        if (fin->raw) {                                                                                            \
            _mm256_storeu_si256((__m256i *)(void *)out, acc);                                                      \
            return;                                                                                                \
        }                                                                                                          \
        acc = NPU__REQUANT(acc, u0);                                                                               \
        _mm_storel_epi64((__m128i *)(void *)out, npu__finish8__avx2(acc, fin->plain, fin));                        \
    }                                                                                                              \
    NPU__AVX2 NPU__FN void npu__i8_dw##S##__avx2(const npu__dw_job *job, const npu__fin__avx2 *fin,                \
                                                 const uint8_t *packed, uint8_t *out) {                            \
        const size_t          unit = npu__dw_i8_unit_bytes(job->n_taps);                                           \
        const uint8_t *const *tap = job->taps;                                                                     \
        const int32_t         n_taps = job->n_taps, channels = job->channels, pixels = job->pixels;                \
        const size_t          each = fin->raw ? sizeof(int32_t) : 1; /* bytes of an output */                      \
        size_t                at = 0;                                                                              \
        for (int32_t p = 0; p < pixels; p++, tap += job->taps_step, at += job->in_step, out += job->out_stride) {  \
            const uint8_t *w = packed;                                                                             \
            int32_t        c = 0;                                                                                  \
            for (; c + 16 <= channels; c += 16, w += 2 * unit)                                                     \
                npu__i8_dw16##S##__avx2(fin, tap, n_taps, at + (size_t)c, w, w + unit, out + (size_t)c * each);    \
            for (; c < channels; c += 8, w += unit) {                                                              \
                const int32_t c0 = NPU__MIN(c, channels - 8);                                                      \
                npu__i8_dw8##S##__avx2(fin, tap, n_taps, at + (size_t)c0, w, out + (size_t)c0 * each);             \
            }                                                                                                      \
        }                                                                                                          \
    }
NPU__DW(S, _mm256_cvtepi8_epi16)
NPU__DW(U, _mm256_cvtepu8_epi16)
#undef NPU__DW
#undef NPU__PAIR16
#undef NPU__PAIR8
#undef NPU__REQUANT

NPU__AVX2 NPU__FN void npu__i8_dw__avx2(const npu__dw_job *job, const uint8_t *packed, uint8_t *out) {
    npu__fin__avx2 fin = npu__fin_of__avx2(&job->out);
    fin.plain = job->plain;
    if (job->is_signed) npu__i8_dwS__avx2(job, &fin, packed, out);
    else npu__i8_dwU__avx2(job, &fin, packed, out);
}
#endif
