/* What the kernels for AVX2 share. */
#ifndef NPU__KERNELS_AVX2_H
#define NPU__KERNELS_AVX2_H

#include "move.h"
#include "near.h"
#include "pointwise.h"
#include "simd.h"

#if NPU__HAS_X86

/* ---- floats ---- */

/* Order of the operands keeps NaN: vmaxps and vminps return the second one then. */
NPU__AVX2 NPU__INLINE __m256 npu__clamp__avx2(__m256 x, float lo, float hi) {
    return _mm256_min_ps(_mm256_set1_ps(hi), _mm256_max_ps(_mm256_set1_ps(lo), x));
}

/* The first `cols` of up to 8. */
NPU__AVX2 NPU__INLINE void npu__store8_f32__avx2(float *out, __m256 v, int32_t cols) {
    float tmp[8];
    if (cols == 8) {
        _mm256_storeu_ps(out, v);
    } else {
        _mm256_storeu_ps(tmp, v);
        memcpy(out, tmp, (size_t)cols * sizeof *out);
    }
}

/* ---- sums of products ---- */

NPU__AVX2 NPU__INLINE int32_t npu__hsum__avx2(__m256i v) {
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4E));
    return _mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xB1)));
}

NPU__AVX2 NPU__INLINE __m256i npu__hsum8__avx2(__m256i s0, __m256i s1, __m256i s2, __m256i s3, __m256i s4, __m256i s5,
                                               __m256i s6, __m256i s7) {
    __m256i a = _mm256_hadd_epi32(_mm256_hadd_epi32(s0, s1), _mm256_hadd_epi32(s2, s3));
    __m256i b = _mm256_hadd_epi32(_mm256_hadd_epi32(s4, s5), _mm256_hadd_epi32(s6, s7));
    return _mm256_add_epi32(_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31));
}

/* Adds four signed bytes times four in each lane; of the second ones none is -128. */
NPU__AVX2 NPU__INLINE __m256i npu__dot8_narrow__avx2(__m256i sum, __m256i a, __m256i w) {
    const __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(a), _mm256_sign_epi8(w, a));
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

/* npu__gemv_i8_sum_of, of units n to n + 7. */
NPU__AVX2 NPU__INLINE void npu__gemv_i8_sum8_of__avx2(const npu__gemv_i8_job *job, int32_t n, __m256i acc, int32_t *sums) {
    acc = _mm256_add_epi32(acc, _mm256_set1_epi32(job->add));
    if (job->w_sums) acc = _mm256_sub_epi32(acc, _mm256_mullo_epi32(_mm256_set1_epi32(job->a_zero), NPU__LOAD32(job->w_sums + n)));
    if (job->bias) acc = _mm256_add_epi32(acc, NPU__LOAD32(job->bias + n));
    _mm256_storeu_si256((__m256i *)(void *)(sums + n), acc);
}

/* ---- output stage ----
 * Reference: x << left, times the multiplier with rounding to the high half, then divided by 2^right rounding half
 * away from zero. The middle step is floor((x * m + 2^30) / 2^31) for either sign. "Plain" columns, nearly all there
 * are, have no left shift and right >= 1: their last step is (((s - (s < 0)) >> (right - 1)) + 1) >> 1, which cannot
 * overflow, and whose outer part is done on int16 after packing (values that saturate there are clamped anyway). */

NPU__AVX2 NPU__INLINE __m256i npu__srdhm__avx2(__m256i x, __m256i mult) {
    const __m256i nudge = _mm256_set1_epi64x((int64_t)1 << 30);
    __m256i       even = _mm256_add_epi64(_mm256_mul_epi32(x, mult), nudge);
    __m256i       odd = _mm256_mul_epi32(_mm256_srli_epi64(x, 32), _mm256_srli_epi64(mult, 32));
    odd = _mm256_add_epi64(odd, nudge);
    return _mm256_blend_epi32(_mm256_srli_epi64(even, 31), _mm256_add_epi64(odd, odd), 0xAA);
}

/* Plain columns: all but the last halving. */
NPU__AVX2 NPU__INLINE __m256i npu__requant_plain__avx2(__m256i x, __m256i mult, __m256i right) {
    const __m256i zero = _mm256_setzero_si256();
    x = npu__srdhm__avx2(x, mult);
    x = _mm256_add_epi32(x, _mm256_cmpgt_epi32(zero, x));
    return _mm256_srav_epi32(x, _mm256_add_epi32(right, _mm256_cmpeq_epi32(zero, zero)));
}

NPU__AVX2 NPU__INLINE __m256i npu__requant_any__avx2(__m256i x, __m256i mult, __m256i left, __m256i right) {
    const __m256i one = _mm256_set1_epi32(1);
    __m256i       mask, over;
    x = npu__srdhm__avx2(_mm256_sllv_epi32(x, left), mult);
    mask = _mm256_sub_epi32(_mm256_sllv_epi32(one, right), one);
    over = _mm256_cmpgt_epi32(_mm256_and_si256(x, mask),
                              _mm256_sub_epi32(_mm256_srli_epi32(mask, 1), _mm256_srai_epi32(x, 31)));
    return _mm256_sub_epi32(_mm256_srav_epi32(x, right), over);
}

/* Folded headers (pack.h), all but the last halving; the multipliers of odd lanes are one lane on. */
NPU__AVX2 NPU__INLINE __m256i npu__requant_folded__avx2(__m256i x, __m256i twice, __m256i odd, __m256i less, __m256i right) {
    const __m256i round = _mm256_set1_epi64x((int64_t)1 << 31);
    const __m256i e = _mm256_add_epi64(_mm256_mul_epu32(x, twice), round);
    const __m256i o = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(x, 32), odd), round);
    x = _mm256_add_epi32(_mm256_blend_epi32(_mm256_srli_epi64(e, 32), o, 0xAA), less);
    return _mm256_srav_epi32(_mm256_add_epi32(x, _mm256_srai_epi32(x, 31)), right);
}

/* ---- the same by floats (near.h), of two vectors of columns ---- */

typedef struct npu__near__avx2 {
    __m256i bias[2];                      /* without the 2^31 of folded headers */
    __m256  scale[2], plus[2], minus[2]; /* times 2^16; what is added to sums from 0 on, and below */
    int     both, adds;                   /* adds: some row's is not 0 */
} npu__near__avx2;

/* Vector i, of a folded header whose lines are 64 bytes apart. False: not for these. */
NPU__AVX2 NPU__INLINE int npu__near_of__avx2(npu__near__avx2 *n, int i, const uint8_t *head, int32_t zero_point) {
    const __m256i zero = _mm256_setzero_si256();
    const __m256i m = _mm256_srli_epi32(NPU__LOAD32(head + 64), 1), right = NPU__LOAD32(head + 192); /* less one */
    const __m256i power = _mm256_slli_epi32(_mm256_sub_epi32(_mm256_set1_epi32(127 - 16), right), 23);
    const __m256i some = _mm256_cmpgt_epi32(m, zero); /* the others have any shift */
    const __m256  add = _mm256_set1_ps(npu__near_plus(zero_point));
    const __m256  e = _mm256_castsi256_ps(_mm256_and_si256(some, _mm256_add_epi32(power, _mm256_set1_epi32(30 << 23))));
    const __m256i few = _mm256_cmpeq_epi32(_mm256_and_si256(m, _mm256_set1_epi32(NPU__NEAR_FEW_BITS)), zero);
    n->bias[i] = _mm256_xor_si256(NPU__LOAD32(head), _mm256_set1_epi32(INT32_MIN));
    n->scale[i] = _mm256_mul_ps(_mm256_cvtepi32_ps(m), _mm256_castsi256_ps(power));
    n->plus[i] = _mm256_add_ps(add, e);
    n->minus[i] = _mm256_sub_ps(add, e);
    return _mm256_testz_si256(few, some);
}
/* Is there doubt about any of those whose least fractions `doubt` has kept, in its lower words? */
NPU__AVX2 NPU__INLINE int npu__near_doubt__avx2(__m256i doubt) {
    doubt = _mm256_and_si256(doubt, _mm256_set1_epi32(0xFFFF));
    return _mm256_movemask_epi8(_mm256_cmpgt_epi32(_mm256_set1_epi32(NPU__NEAR_DOUBT), doubt)) != 0;
}
/* Eight sums to results in upper words; `doubt` keeps the least fractions, in lower ones. */
NPU__AVX2 NPU__INLINE __m256i npu__near_by__avx2(__m256i x, __m256 scale, __m256 add, __m256i *doubt) {
    x = _mm256_cvtps_epi32(_mm256_fmadd_ps(_mm256_cvtepi32_ps(x), scale, add));
    *doubt = _mm256_min_epu16(*doubt, x);
    return _mm256_srai_epi32(x, 16);
}
NPU__AVX2 NPU__INLINE __m256i npu__near_scaled__avx2(const npu__near__avx2 *n, int i, int both, __m256i x, __m256i *doubt) {
    __m256 add = n->plus[i];
    if (both) add = _mm256_blendv_ps(add, n->minus[i], _mm256_castsi256_ps(x));
    return npu__near_by__avx2(x, n->scale[i], add, doubt);
}

/* The constants of the last steps, loaded once a call: stores may alias the job. */
typedef struct npu__fin__avx2 {
    __m256i zero_point;
    __m128i lo, hi, flip;
} npu__fin__avx2;

NPU__AVX2 NPU__INLINE npu__fin__avx2 npu__fin_of__avx2(const npu__i8_out *o) {
    npu__fin__avx2 f;
    f.zero_point = _mm256_set1_epi16((int16_t)o->zero_point);
    f.lo = _mm_set1_epi8((char)o->lo);
    f.hi = _mm_set1_epi8((char)o->hi);
    f.flip = _mm_set1_epi8((char)o->flip);
    return f;
}

/* (v + 1) >> 1 on int16. */
NPU__AVX2 NPU__INLINE __m256i npu__halve__avx2(__m256i v) {
    return _mm256_mulhrs_epi16(v, _mm256_set1_epi16(1 << 14));
}

/* Sixteen words with the zero point in them to bytes. */
NPU__AVX2 NPU__INLINE __m128i npu__bytes16__avx2(__m256i v, const npu__fin__avx2 *f) {
    const __m128i r = _mm_packs_epi16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    return _mm_xor_si128(_mm_min_epi8(_mm_max_epi8(r, f->lo), f->hi), f->flip);
}
/* Sixteen scaled int32 (columns 0-3, 8-11 and 4-7, 12-15) to sixteen bytes in order. */
NPU__AVX2 NPU__INLINE __m128i npu__finish16__avx2(__m256i a, __m256i b, int plain, const npu__fin__avx2 *f) {
    const __m256i v = _mm256_packs_epi32(a, b);
    return npu__bytes16__avx2(_mm256_adds_epi16(plain ? npu__halve__avx2(v) : v, f->zero_point), f);
}

/* Sixteen sums in that order to sixteen int32 in order. */
NPU__AVX2 NPU__INLINE void npu__raw16__avx2(uint8_t *out, __m256i a, __m256i b) {
    _mm256_storeu_si256((__m256i *)(void *)out, _mm256_permute2x128_si256(a, b, 0x20));
    _mm256_storeu_si256((__m256i *)(void *)(out + 32), _mm256_permute2x128_si256(a, b, 0x31));
}

/* Eight int32 in order to eight bytes in order (the low half of the result). */
NPU__AVX2 NPU__INLINE __m128i npu__finish8__avx2(__m256i a, int plain, const npu__fin__avx2 *f) {
    __m128i v = _mm_packs_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    if (plain) v = _mm_mulhrs_epi16(v, _mm_set1_epi16(1 << 14));
    v = _mm_adds_epi16(v, _mm256_castsi256_si128(f->zero_point));
    v = _mm_packs_epi16(v, v);
    return _mm_xor_si128(_mm_min_epi8(_mm_max_epi8(v, f->lo), f->hi), f->flip);
}

/* Folded headers have a third line of negative numbers and zeros, others one of zeros and left shifts. */
NPU__AVX2 NPU__INLINE int npu__is_folded__avx2(const uint8_t *panel) {
    return _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_or_si256(NPU__LOAD32(panel + 128), NPU__LOAD32(panel + 160)))) != 0;
}
/* What a panel's output stage by floats needs; NULL: not for this one. */
NPU__AVX2 NPU__INLINE const npu__near__avx2 *npu__near_panel__avx2(npu__near__avx2 *n, const npu__gemm_i8_job *job, const uint8_t *panel) {
    int32_t some = 0;
    if (job->out.raw || !npu__is_folded__avx2(panel)) return NULL;
    for (int32_t r = 0; r < job->m; r++) some |= job->row_add[r];
    n->both = npu__near_both(&job->out);
    n->adds = some != 0;
    return npu__near_of__avx2(n, 0, panel, job->out.zero_point) && npu__near_of__avx2(n, 1, panel + 32, job->out.zero_point) ? n : NULL;
}

/* The first `cols` of up to sixteen bytes. */
NPU__AVX2 NPU__INLINE void npu__store_cols__avx2(uint8_t *out, __m128i v, int32_t cols) {
    uint8_t tmp[16];
    if (cols == 16) {
        _mm_storeu_si128((__m128i *)(void *)out, v);
    } else if (cols == 8) {
        _mm_storel_epi64((__m128i *)(void *)out, v);
    } else {
        _mm_storeu_si128((__m128i *)(void *)tmp, v);
        memcpy(out, tmp, (size_t)cols);
    }
}

/* ---- f32_avx2.c ---- */

NPU__AVX2_ONLY NPU__FN npu__finish_hybrid_code npu__finish_hybrid__avx2;

/* ---- i8_avx2.c ---- */

NPU__AVX2 NPU__FN npu__gemv_blocks_code npu__i8_gemv_blocks__avx2;
NPU__AVX2 NPU__FN npu__finish_real_code npu__finish_real__avx2;

/* ---- f32_avx2.c ---- */

NPU__AVX2 NPU__FN npu__minmax npu__minmax_lanes__avx2(__m256 lo, __m256 hi); /* the least and the largest of lanes that start from one value */

/* ---- move_avx2.c ---- */

NPU__AVX2 NPU__FN void npu__transpose_4__avx2(const npu__plane *p, uint8_t *dst, const uint8_t *src, int64_t rows, int64_t cols);

/* ---- sum8_avx2.c: rows of pointwise.c ---- */

NPU__AVX2 NPU__FN void npu__sum8__avx2(const npu__sum8_job *job, const uint8_t *a, const uint8_t *b, uint8_t *out,
                                       int64_t n, int32_t step_a, int32_t step_b);
NPU__AVX2 NPU__FN void npu__mul8__avx2(const npu__sum8_job *job, const uint8_t *a, const uint8_t *b, uint8_t *out,
                                       int64_t n, int32_t step_a, int32_t step_b);

/* ---- quantize_avx2.c, quantize_avx512.c: likewise ---- */

NPU__AVX2 NPU__FN void npu__quantize__avx2(const float *x, uint8_t *out, int64_t n, float scale, const npu__i8_out *out_stage);
NPU__FN void npu__quantize__avx512(const float *x, uint8_t *out, int64_t n, float scale, const npu__i8_out *out_stage);

#endif
#endif
