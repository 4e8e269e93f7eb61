/* What the integer kernels for AVX-512 with VNNI share. */
#ifndef NPU__KERNELS_AVX512_H
#define NPU__KERNELS_AVX512_H

#include "kernels.h"
#include "simd.h"

#if NPU__HAS_X86

NPU__AVX512_BEGIN

#define NPU__LOAD64(p) _mm512_loadu_si512((const void *)(p))

/* As npu__requant_any__avx2, on sixteen lanes. */
NPU__VNNI NPU__INLINE __m512i npu__requant__vnni(__m512i x, __m512i mult, __m512i left, __m512i right) {
    const __m512i nudge = _mm512_set1_epi64((int64_t)1 << 30), one = _mm512_set1_epi32(1);
    __m512i       even, odd, mask;
    __mmask16     over;
    x = _mm512_sllv_epi32(x, left);
    even = _mm512_add_epi64(_mm512_mul_epi32(x, mult), nudge);
    odd = _mm512_add_epi64(_mm512_mul_epi32(_mm512_srli_epi64(x, 32), _mm512_srli_epi64(mult, 32)), nudge);
    x = _mm512_mask_blend_epi32((__mmask16)0xAAAA, _mm512_srli_epi64(even, 31), _mm512_add_epi64(odd, odd));
    mask = _mm512_sub_epi32(_mm512_sllv_epi32(one, right), one);
    over = _mm512_cmpgt_epi32_mask(_mm512_and_si512(x, mask),
                                   _mm512_sub_epi32(_mm512_srli_epi32(mask, 1), _mm512_srai_epi32(x, 31)));
    x = _mm512_srav_epi32(x, right);
    return _mm512_mask_add_epi32(x, over, x, one);
}

/* Folded headers (pack.h), all but the last halving. twice: at the lane's own multiplier; `odd` one lane on. */
NPU__VNNI NPU__INLINE __m512i npu__requant_folded__vnni(__m512i x, __m512i twice, __m512i odd, __m512i less, __m512i right) {
    const __m512i round = _mm512_set1_epi64((int64_t)1 << 31);
    const __m512i e = _mm512_add_epi64(_mm512_mul_epu32(x, twice), round);
    const __m512i o = _mm512_add_epi64(_mm512_mul_epu32(_mm512_srli_epi64(x, 32), odd), round);
    x = _mm512_mask_shuffle_epi32(o, (__mmask16)0x5555, e, _MM_PERM_CDAB);
    x = _mm512_add_epi32(x, less);
    return _mm512_srav_epi32(_mm512_add_epi32(x, _mm512_srai_epi32(x, 31)), right);
}

/* The constants of the last steps. */
typedef struct npu__fin__vnni {
    __m512i zero_point, lo, hi, flip;
} npu__fin__vnni;

NPU__VNNI NPU__INLINE npu__fin__vnni npu__fin_of__vnni(const npu__i8_out *o) {
    npu__fin__vnni f;
    f.zero_point = _mm512_set1_epi16((int16_t)o->zero_point);
    f.lo = _mm512_set1_epi8((char)o->lo);
    f.hi = _mm512_set1_epi8((char)o->hi);
    f.flip = _mm512_set1_epi8((char)o->flip);
    return f;
}

/* Two times sixteen scaled lanes to int16, quads of the one and the other in turns; the last halving of folded ones. */
NPU__VNNI NPU__INLINE __m512i npu__words__vnni(__m512i a, __m512i b, int folded, const npu__fin__vnni *f) {
    a = _mm512_packs_epi32(a, b);
    if (folded) a = _mm512_mulhrs_epi16(a, _mm512_set1_epi16(1 << 14));
    return _mm512_adds_epi16(a, f->zero_point);
}

NPU__VNNI NPU__INLINE __m256i npu__bytes32__vnni(__m512i words, const npu__fin__vnni *f) {
    __m256i v = _mm512_cvtsepi16_epi8(words);
    v = _mm256_max_epi8(v, _mm512_castsi512_si256(f->lo));
    v = _mm256_min_epi8(v, _mm512_castsi512_si256(f->hi));
    return _mm256_xor_si256(v, _mm512_castsi512_si256(f->flip));
}
/* Sixteen lanes in order: two of the same are packed, of which one is stored. */
NPU__VNNI NPU__INLINE void npu__store16__vnni(uint8_t *out, __m512i x, int folded, const npu__fin__vnni *f, __mmask32 mask) {
    const __m256i v = npu__bytes32__vnni(npu__words__vnni(x, x, folded, f), f);
    _mm_mask_storeu_epi8(out, (__mmask16)mask,
                         _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7))));
}
/* Sixteen sums as they are; those of folded headers have 2^31 too much. */
NPU__VNNI NPU__INLINE void npu__raw16__vnni(uint8_t *out, __m512i x, __m512i offset) {
    _mm512_storeu_si512((void *)out, _mm512_xor_si512(x, offset));
}

NPU__AVX512_END
#endif
#endif
