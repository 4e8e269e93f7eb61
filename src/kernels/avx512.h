/* What the integer kernels for AVX-512, with VNNI and without, share. */
#ifndef NPU__KERNELS_AVX512_H
#define NPU__KERNELS_AVX512_H

#include "near.h"
#include "simd.h"

#if NPU__HAS_X86

NPU__AVX512_BEGIN

#define NPU__LOAD64(p) _mm512_loadu_si512((const void *)(p))

/* sum + four unsigned a times four signed b, or two int16 a times two b, in each lane. GCC's own intrinsics cost two copies of each sum in
 * a loop, more than the front end takes. */
#if defined(__GNUC__) && !defined(__clang__) && defined(NPU__ASM_VNNI)
#  define NPU__HERE(x) __asm__ volatile("" : "+v"(x)) /* is computed so far, not collected for later */
#  define NPU__DOT_BY(instruction, intrinsic) __asm__(instruction " {%2, %1, %0|%0, %1, %2}" : "+v"(sum) : "v"(a), "v"(b))
#else
#  define NPU__HERE(x) (void)(x)
#  define NPU__DOT_BY(instruction, intrinsic) sum = intrinsic(sum, a, b)
#endif
NPU__VNNI NPU__INLINE __m512i npu__dot8__vnni(__m512i sum, __m512i a, __m512i b) {
    NPU__DOT_BY("vpdpbusd", _mm512_dpbusd_epi32);
    return sum;
}
NPU__VNNI NPU__INLINE __m512i npu__dot16__vnni(__m512i sum, __m512i a, __m512i b) {
    NPU__DOT_BY("vpdpwssd", _mm512_dpwssd_epi32);
    return sum;
}
/* With b in memory, which costs no load of its own. */
NPU__VNNI NPU__INLINE __m512i npu__dot8_at__vnni(__m512i sum, __m512i a, const uint8_t *b) {
#if defined(__GNUC__) && !defined(__clang__) && defined(NPU__ASM_VNNI)
    __asm__("vpdpbusd {%2, %1, %0|%0, %1, %2}" : "+v"(sum) : "v"(a), "m"(*(const __m512i_u *)(const void *)b));
    return sum;
#else
    return npu__dot8__vnni(sum, a, NPU__LOAD64(b));
#endif
}
#undef NPU__DOT_BY

/* ---- sums across lanes: of eight vectors together, and of one ---- */

/* s0 + s1, each pair of neighbouring lanes added: quads of one and the other. */
#define NPU__ADD32(a, b) _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b))
#define NPU__ADD64(a, b) _mm512_add_epi32(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b))
NPU__AVX512 NPU__INLINE __m256i npu__hsum8__avx512(__m512i s0, __m512i s1, __m512i s2, __m512i s3, __m512i s4, __m512i s5, __m512i s6,
                                               __m512i s7) {
    const __m512i a = NPU__ADD64(NPU__ADD32(s0, s1), NPU__ADD32(s2, s3)), b = NPU__ADD64(NPU__ADD32(s4, s5), NPU__ADD32(s6, s7));
    const __m512i c = _mm512_add_epi32(_mm512_shuffle_i32x4(a, b, 0x44), _mm512_shuffle_i32x4(a, b, 0xEE)); /* a, a, b, b */
    return _mm256_add_epi32(_mm512_castsi512_si256(_mm512_shuffle_i32x4(c, c, 0x08)),
                            _mm512_castsi512_si256(_mm512_shuffle_i32x4(c, c, 0x0D)));
}
#undef NPU__ADD32
#undef NPU__ADD64
NPU__AVX512 NPU__INLINE int32_t npu__hsum__avx512(__m512i s) {
    const __m256i a = _mm256_add_epi32(_mm512_castsi512_si256(s), _mm512_extracti64x4_epi64(s, 1));
    __m128i       b = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    b = _mm_add_epi32(b, _mm_shuffle_epi32(b, 0x4E));
    return _mm_cvtsi128_si32(_mm_add_epi32(b, _mm_shuffle_epi32(b, 0xB1)));
}

/* As npu__requant_any__avx2, on sixteen lanes. */
NPU__AVX512 NPU__INLINE __m512i npu__requant__vnni(__m512i x, __m512i mult, __m512i left, __m512i right) {
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
NPU__AVX512 NPU__INLINE __m512i npu__requant_folded__vnni(__m512i x, __m512i twice, __m512i odd, __m512i less, __m512i right) {
    const __m512i round = _mm512_set1_epi64((int64_t)1 << 31);
    const __m512i e = _mm512_add_epi64(_mm512_mul_epu32(x, twice), round);
    const __m512i o = _mm512_add_epi64(_mm512_mul_epu32(_mm512_srli_epi64(x, 32), odd), round);
    x = _mm512_mask_shuffle_epi32(o, (__mmask16)0x5555, e, _MM_PERM_CDAB);
    x = _mm512_add_epi32(x, less);
    return _mm512_srav_epi32(_mm512_add_epi32(x, _mm512_srai_epi32(x, 31)), right);
}

/* ---- the same by floats (near.h) ---- */

typedef struct npu__near__vnni {
    __m512 scale, plus, minus; /* times 2^16; what is added to sums from 0 on, and below */
} npu__near__vnni;

/* Sixteen columns, whose folded header is at `head`, its lines `line` bytes apart. False: not for these. */
NPU__AVX512 NPU__INLINE int npu__near_of__vnni(npu__near__vnni *n, const uint8_t *head, size_t line, int32_t zero_point) {
    const __m512i m = _mm512_srli_epi32(NPU__LOAD64(head + line), 1), right = NPU__LOAD64(head + 3 * line); /* less one */
    const __m512i power = _mm512_slli_epi32(_mm512_sub_epi32(_mm512_set1_epi32(127 - 16), right), 23);
    const __m512  add = _mm512_set1_ps(npu__near_plus(zero_point));
    const __mmask16 some = _mm512_cmpgt_epi32_mask(m, _mm512_setzero_si512()); /* the others have any shift */
    const __m512    e = _mm512_maskz_mov_ps(some, _mm512_castsi512_ps(_mm512_add_epi32(power, _mm512_set1_epi32(30 << 23))));
    n->scale = _mm512_mul_ps(_mm512_cvtepi32_ps(m), _mm512_castsi512_ps(power));
    n->plus = _mm512_add_ps(add, e);
    n->minus = _mm512_sub_ps(add, e);
    return !_mm512_mask_cmpeq_epi32_mask(some, _mm512_and_si512(m, _mm512_set1_epi32(NPU__NEAR_FEW_BITS)), _mm512_setzero_si512());
}
/* Is there doubt about any of those whose least fractions `doubt` has kept, in its lower words? */
NPU__AVX512 NPU__INLINE int npu__near_doubt__vnni(__m512i doubt) {
    return _mm512_cmpgt_epi32_mask(_mm512_set1_epi32(NPU__NEAR_DOUBT), _mm512_and_si512(doubt, _mm512_set1_epi32(0xFFFF))) != 0;
}
/* Sixteen sums to results in upper words; `doubt` keeps the least fractions, in lower ones. */
NPU__AVX512 NPU__INLINE __m512i npu__near_scaled__vnni(__m512i x, __m512 scale, __m512 add, __m512i *doubt) {
    x = _mm512_cvtps_epi32(_mm512_fmadd_ps(_mm512_cvtepi32_ps(x), scale, add));
    *doubt = _mm512_min_epu16(*doubt, x);
    return x;
}
NPU__AVX512 NPU__INLINE __m512 npu__near_add__vnni(__m512i x, __m512 plus, __m512 minus) {
    return _mm512_mask_mov_ps(plus, _mm512_movepi32_mask(x), minus);
}

/* Words 1, 3, 5 and so on. */
NPU__AVX512 NPU__INLINE __m512i npu__near_odd__vnni(void) {
    static const uint16_t odd[32] = {1,  3,  5,  7,  9,  11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31,
                                     33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63};
    return NPU__LOAD64(odd);
}

/* The constants of the last steps. */
typedef struct npu__fin__vnni {
    __m512i zero_point, lo, hi, flip;
} npu__fin__vnni;

NPU__AVX512 NPU__INLINE npu__fin__vnni npu__fin_of__vnni(const npu__i8_out *o) {
    npu__fin__vnni f;
    f.zero_point = _mm512_set1_epi16((int16_t)o->zero_point);
    f.lo = _mm512_set1_epi8((char)o->lo);
    f.hi = _mm512_set1_epi8((char)o->hi);
    f.flip = _mm512_set1_epi8((char)o->flip);
    return f;
}

/* Two times sixteen scaled lanes to int16, quads of the one and the other in turns; the last halving of folded ones. */
NPU__AVX512 NPU__INLINE __m512i npu__words__vnni(__m512i a, __m512i b, int folded, const npu__fin__vnni *f) {
    a = _mm512_packs_epi32(a, b);
    if (folded) a = _mm512_mulhrs_epi16(a, _mm512_set1_epi16(1 << 14));
    return _mm512_adds_epi16(a, f->zero_point);
}

NPU__AVX512 NPU__INLINE __m256i npu__bytes32__vnni(__m512i words, const npu__fin__vnni *f) {
    __m256i v = _mm512_cvtsepi16_epi8(words);
    v = _mm256_max_epi8(v, _mm512_castsi512_si256(f->lo));
    v = _mm256_min_epi8(v, _mm512_castsi512_si256(f->hi));
    return _mm256_xor_si256(v, _mm512_castsi512_si256(f->flip));
}
/* Sixteen lanes in order: two of the same are packed, of which one is stored. */
NPU__AVX512 NPU__INLINE void npu__store16_words__vnni(uint8_t *out, __m512i words, const npu__fin__vnni *f, __mmask32 mask) {
    const __m256i v = npu__bytes32__vnni(words, f);
    _mm_mask_storeu_epi8(out, (__mmask16)mask,
                         _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7))));
}
NPU__AVX512 NPU__INLINE void npu__store16__vnni(uint8_t *out, __m512i x, int folded, const npu__fin__vnni *f, __mmask32 mask) {
    npu__store16_words__vnni(out, npu__words__vnni(x, x, folded, f), f, mask);
}
/* Sixteen sums as they are; those of folded headers have 2^31 too much. */
NPU__AVX512 NPU__INLINE void npu__raw16__vnni(uint8_t *out, __m512i x, __m512i offset) {
    _mm512_storeu_si512((void *)out, _mm512_xor_si512(x, offset));
}

/* The same of 32 columns, in the order that packing gives back (NPU__COLS_EIGHTS). */
NPU__AVX512 NPU__INLINE void npu__store32_words__vnni(uint8_t *out, __m512i words, const npu__fin__vnni *f, __mmask32 mask) {
    const __m256i v = npu__bytes32__vnni(words, f);
    _mm256_mask_storeu_epi8(out, mask, _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 2, 1, 3, 4, 6, 5, 7)));
}
NPU__AVX512 NPU__INLINE void npu__store32__vnni(uint8_t *out, __m512i lo, __m512i hi, int folded, const npu__fin__vnni *f,
                                              __mmask32 mask) {
    npu__store32_words__vnni(out, npu__words__vnni(lo, hi, folded, f), f, mask);
}
/* Sums of 32 columns, in order. */
NPU__AVX512 NPU__INLINE void npu__raw32__vnni(uint8_t *out, __m512i lo, __m512i hi, __m512i offset) {
    const __m512i first = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
    const __m512i second = _mm512_or_si512(first, _mm512_set1_epi32(8));
    npu__raw16__vnni(out, _mm512_permutex2var_epi32(lo, first, hi), offset);
    npu__raw16__vnni(out + 64, _mm512_permutex2var_epi32(lo, second, hi), offset);
}

/* Sixteen sums to floats (npu__i8_floats), row `row` of them. `head`: biases of the columns, 128 bytes on scales, then sums of weights.
 * In these forms compilers leave products and sums apart. */
NPU__VNNI NPU__INLINE void npu__floats16__vnni(uint8_t *out, __m512i sums, const uint8_t *head, const npu__i8_floats *f, int32_t row,
                                               __mmask16 mask) {
    const size_t  at = (size_t)row * (size_t)f->step;
    const float   first = f->last ? 1.0f : f->scale[at], last = f->last ? f->scale[at] : 1.0f; /* times 1 is exact */
    const __m512i less = _mm512_mullo_epi32(_mm512_set1_epi32(f->zero_point[at]), NPU__LOAD64(head + 256));
    __m512        x = _mm512_cvtepi32_ps(_mm512_sub_epi32(sums, less));
    x = _mm512_mul_round_ps(x, _mm512_mul_ps(_mm512_set1_ps(first), _mm512_castsi512_ps(NPU__LOAD64(head + 128))), _MM_FROUND_CUR_DIRECTION);
    x = _mm512_mul_round_ps(x, _mm512_set1_ps(last), _MM_FROUND_CUR_DIRECTION);
    x = _mm512_add_round_ps(x, _mm512_castsi512_ps(NPU__LOAD64(head)), _MM_FROUND_CUR_DIRECTION);
    x = _mm512_min_ps(_mm512_set1_ps(f->hi), _mm512_max_ps(_mm512_set1_ps(f->lo), x)); /* NaN stays */
    _mm512_mask_storeu_ps((void *)out, mask, x);
}

/* Is any of them not 0? */
NPU__AVX512 NPU__INLINE int npu__any_add__vnni(const int32_t *add, int32_t m) {
    __m512i some = _mm512_setzero_si512();
    int32_t r = 0;
    for (; r + 16 <= m; r += 16) some = _mm512_or_si512(some, NPU__LOAD64(add + r));
    if (r < m) some = _mm512_or_si512(some, _mm512_maskz_loadu_epi32((__mmask16)((1u << (m - r)) - 1), add + r));
    return _mm512_test_epi32_mask(some, some) != 0;
}

/* ---- i8_vnni.c ---- */

NPU__VNNI NPU__FN npu__gemm_i8_code npu__i8_gemm_8x32__vnni;
/* i8_vnni_few.c: the same, but for panels of few columns (NPU__COLS_EIGHTS_FEW). */
NPU__VNNI NPU__FN npu__gemm_i8_code npu__i8_gemm_few__vnni;

NPU__AVX512_END
#endif
#endif
