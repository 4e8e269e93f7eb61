/* The loops of bytes.h for AVX-512. */
#include "avx512.h"
#include "bytes.h"
#if NPU__HAS_X86

NPU__AVX512_BEGIN

#define NPU__V(name) name##__avx512
#define NPU__VFN NPU__AVX512
#define NPU__BN 64
#define NPU__B8 __m512i
#define NPU__BW __m512i
#define NPU__BI __m512i
#define NPU__BP __m512i
#define NPU__B_SET8(x) _mm512_set1_epi8((char)(x))
#define NPU__B_WIDE(p, flip, w0, w1)                                                                        \
    (w0 = _mm512_cvtepi8_epi16(_mm256_xor_si256(NPU__LOAD32(p), _mm512_castsi512_si256(flip))),             \
     w1 = _mm512_cvtepi8_epi16(_mm256_xor_si256(NPU__LOAD32((p) + 32), _mm512_castsi512_si256(flip))))
#define NPU__B_ADDS16(a, b) _mm512_adds_epi16(a, b)
#define NPU__B_PACK(e0, e1) _mm512_packs_epi32(e0, e1)
#define NPU__B_SET16(x) _mm512_set1_epi16((int16_t)(x))
#define NPU__B_SET32(x) _mm512_set1_epi32(x)
#define NPU__B_ADD16(a, b) _mm512_add_epi16(a, b)
#define NPU__B_ADD32(a, b) _mm512_add_epi32(a, b)
#define NPU__B_AND(a, b) _mm512_and_si512(a, b)
#define NPU__B_MUL32(a, b) _mm512_mullo_epi32(a, b)
#define NPU__B_SAR(a, n) _mm512_srai_epi32(a, n)
#define NPU__B_SAR_BY(a, n) _mm512_srav_epi32(a, _mm512_set1_epi32(n))
#define NPU__B_DOT(pairs, factors) _mm512_madd_epi16(pairs, factors)
#define NPU__B_PAIRS(x, y, e0, e1) (e0 = _mm512_unpacklo_epi16(x, y), e1 = _mm512_unpackhi_epi16(x, y))
#define NPU__B_PRODUCTS(x, y, e0, e1) npu__bytes_products__avx512(x, y, &e0, &e1)
#define NPU__B_STORE npu__bytes_store__avx512
#define NPU__BF __m512
#define NPU__B_SETF(x) _mm512_set1_ps(x)
#define NPU__B_FLOATS(e, c)                                                        \
    _mm512_cvtps_epi32(_mm512_fmadd_ps(_mm512_cvtepi32_ps(e), (c)->scale,          \
                                       _mm512_mask_mov_ps((c)->above, _mm512_movepi32_mask(e), (c)->below)))
NPU__AVX512 NPU__INLINE void npu__bytes_products__avx512(__m512i x, __m512i y, __m512i *e0, __m512i *e1) {
    const __m512i low = _mm512_mullo_epi16(x, y), high = _mm512_mulhi_epi16(x, y);
    *e0 = _mm512_unpacklo_epi16(low, high);
    *e1 = _mm512_unpackhi_epi16(low, high);
}
NPU__AVX512 NPU__INLINE void npu__bytes_store__avx512(uint8_t *to, __m512i w0, __m512i w1, __m512i least, __m512i most, __m512i flip) {
    const __m512i v = _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), _mm512_packs_epi16(w0, w1));
    _mm512_storeu_si512((void *)to, _mm512_xor_si512(_mm512_min_epi8(_mm512_max_epi8(v, least), most), flip));
}
#include "bytes_v.h"

/* Each sixteenth of the table by the low half of the byte, then one of two four times over by its higher bits: the first time while it
 * is looked up. */
#define NPU__PART(k) _mm512_broadcast_i32x4(NPU__LOAD16(table + 16 * (k)))
NPU__AVX512 NPU__INLINE __m512i npu__bytes_two__avx512(const uint8_t *table, __m512i at, __mmask64 b4) {
    return _mm512_mask_shuffle_epi8(_mm512_shuffle_epi8(NPU__PART(0), at), b4, NPU__PART(1), at);
}
NPU__AVX512 NPU__INLINE __m512i npu__bytes_four__avx512(const uint8_t *table, __m512i at, __mmask64 b4, __mmask64 b5) {
    return _mm512_mask_mov_epi8(npu__bytes_two__avx512(table, at, b4), b5, npu__bytes_two__avx512(table + 32, at, b4));
}
NPU__AVX512 NPU__FN void npu__bytes_table__avx512(const uint8_t *table, const uint8_t *in, uint8_t *out, int64_t n) {
    const __m512i low = _mm512_set1_epi8(15);
    for (int64_t i = 0; i < n; i += 64) {
        const __mmask64 some = n - i < 64 ? ~UINT64_C(0) >> (64 - (n - i)) : ~UINT64_C(0);
        const __m512i   x = _mm512_maskz_loadu_epi8(some, in + i), at = _mm512_and_si512(x, low);
        const __mmask64 b4 = _mm512_movepi8_mask(_mm512_slli_epi16(x, 3)), b5 = _mm512_movepi8_mask(_mm512_slli_epi16(x, 2));
        const __mmask64 b6 = _mm512_movepi8_mask(_mm512_slli_epi16(x, 1)), b7 = _mm512_movepi8_mask(x);
        const __m512i   v = _mm512_mask_mov_epi8(npu__bytes_four__avx512(table, at, b4, b5), b6,
                                                 npu__bytes_four__avx512(table + 64, at, b4, b5));
        const __m512i   w = _mm512_mask_mov_epi8(npu__bytes_four__avx512(table + 128, at, b4, b5), b6,
                                                 npu__bytes_four__avx512(table + 192, at, b4, b5));
        if (n - i >= 64) _mm512_storeu_si512((void *)(out + i), _mm512_mask_mov_epi8(v, b7, w));
        else _mm512_mask_storeu_epi8(out + i, some, _mm512_mask_mov_epi8(v, b7, w));
    }
}
#undef NPU__PART

/* Halves of 128 in two registers each. */
NPU__VBMI NPU__FN void npu__bytes_table__vbmi(const uint8_t *table, const uint8_t *in, uint8_t *out, int64_t n) {
    const __m512i a = NPU__LOAD64(table), b = NPU__LOAD64(table + 64), c = NPU__LOAD64(table + 128), d = NPU__LOAD64(table + 192);
    for (int64_t i = 0; i < n; i += 64) {
        const __mmask64 some = n - i < 64 ? ~UINT64_C(0) >> (64 - (n - i)) : ~UINT64_C(0);
        const __m512i   x = _mm512_maskz_loadu_epi8(some, in + i);
        const __m512i   v = _mm512_permutex2var_epi8(a, x, b), w = _mm512_permutex2var_epi8(c, x, d);
        if (n - i >= 64) _mm512_storeu_si512((void *)(out + i), _mm512_mask_mov_epi8(v, _mm512_movepi8_mask(x), w));
        else _mm512_mask_storeu_epi8(out + i, some, _mm512_mask_mov_epi8(v, _mm512_movepi8_mask(x), w));
    }
}

/* As npu__bytes_real__avx2. */
NPU__AVX512 NPU__INLINE __m512 npu__bytes_real16__avx512(__m128i x, __m128i flip, __m512i zero, __m512 by) {
    return _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_sub_epi32(_mm512_cvtepi8_epi32(_mm_xor_si128(x, flip)), zero)), by);
}
NPU__AVX512 NPU__FN void npu__bytes_real__avx512(const uint8_t *in, float *out, int64_t n, int32_t is_signed, float scale,
                                                 int32_t zero_point) {
    const __m512  by = _mm512_set1_ps(scale);
    const __m128i flip = _mm_set1_epi8((char)(is_signed ? 0 : 0x80));
    const __m512i zero = _mm512_set1_epi32(zero_point - (is_signed ? 0 : 128));
    int64_t       i = 0;
    for (; i + 64 <= n; i += 64) {
        for (int j = 0; j < 64; j += 16) _mm512_storeu_ps(out + i + j, npu__bytes_real16__avx512(NPU__LOAD16(in + i + j), flip, zero, by));
    }
    for (; i < n; i += 16) {
        const __mmask16 some = (__mmask16)(n - i < 16 ? (1u << (n - i)) - 1u : 0xFFFFu);
        _mm512_mask_storeu_ps(out + i, some, npu__bytes_real16__avx512(_mm_maskz_loadu_epi8(some, in + i), flip, zero, by));
    }
}

NPU__AVX512_END
#endif
