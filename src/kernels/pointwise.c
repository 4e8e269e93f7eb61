/* The loops of pointwise.h for each instruction set of this build, and their table. */
#include "avx2.h"
#include "neon.h"
#include "vec_loop.h"

#if NPU__HAS_X86
/* Of eight lanes: seven at most; their largest, their sum. */
NPU__AVX2 NPU__INLINE __m256 npu__load_first__avx2(const float *p, int32_t n, __m256 other) {
    static const int32_t mask[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
    const __m256i        m = _mm256_loadu_si256((const __m256i *)(const void *)(mask + 8 - n));
    return _mm256_blendv_ps(other, _mm256_maskload_ps(p, m), _mm256_castsi256_ps(m));
}
NPU__AVX2 NPU__INLINE void npu__store_first__avx2(float *p, int32_t n, __m256 v) {
    __m128 four = _mm256_castps256_ps128(v);
    if (n & 4) { _mm_storeu_ps(p, four); four = _mm256_extractf128_ps(v, 1); p += 4; }
    if (n & 2) { _mm_storel_epi64((__m128i *)(void *)p, _mm_castps_si128(four)); four = _mm_movehl_ps(four, four); p += 2; }
    if (n & 1) _mm_store_ss(p, four);
}
NPU__AVX2 NPU__INLINE float npu__largest__avx2(__m256 v) {
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    four = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(four, _mm_shuffle_ps(four, four, 1)));
}
NPU__AVX2 NPU__INLINE float npu__total__avx2(__m256 v) {
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    four = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(four, _mm_shuffle_ps(four, four, 1)));
}

#define NPU__V(name) name##__avx2
#define NPU__VF_LOAD_FIRST(p, n, v) npu__load_first__avx2(p, n, v)
#define NPU__VF_STORE_FIRST(p, n, v) npu__store_first__avx2(p, n, v)
#define NPU__VF_LARGEST(v) npu__largest__avx2(v)
#define NPU__VF_TOTAL(v) npu__total__avx2(v)
#define NPU__VF __m256
#define NPU__VN 8
#define NPU__VFN NPU__AVX2
#define NPU__VF_LOAD(p) _mm256_loadu_ps(p)
#define NPU__VF_STORE(p, v) _mm256_storeu_ps(p, v)
#define NPU__VF_SET1(x) _mm256_set1_ps(x)
#define NPU__VF_ADD(a, b) _mm256_add_ps(a, b)
#define NPU__VF_SUB(a, b) _mm256_sub_ps(a, b)
#define NPU__VF_MUL(a, b) _mm256_mul_ps(a, b)
#define NPU__VF_DIV(a, b) _mm256_div_ps(a, b)
#define NPU__VF_MADD(a, b, c) _mm256_fmadd_ps(a, b, c)
#define NPU__VF_NMADD(a, b, c) _mm256_fnmadd_ps(a, b, c)
#define NPU__VF_CLAMP(v, lo, hi) _mm256_min_ps(hi, _mm256_max_ps(lo, v))
#define NPU__VF_MAX(x, y) _mm256_max_ps(x, y)
#define NPU__VF_SELECT_GE(x, y, a, b) _mm256_blendv_ps(b, a, _mm256_cmp_ps(x, y, _CMP_GE_OQ))
#define NPU__VF_ALL_GE(x, y) (_mm256_movemask_ps(_mm256_cmp_ps(x, y, _CMP_GE_OQ)) == 255)
#define NPU__VF_SQRT(v) _mm256_sqrt_ps(v)
#define NPU__VF_BITS_SHL(v, n) _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(v), n))
#define NPU__VF_BITS_SHR(v, n) _mm256_castsi256_ps(_mm256_srli_epi32(_mm256_castps_si256(v), n))
#define NPU__VF_BITS_ADD(a, b) _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b)))
#define NPU__VF_BITS_AND(a, b) _mm256_and_ps(a, b)
#define NPU__VF_BITS_ANDNOT(a, b) _mm256_andnot_ps(a, b)
#define NPU__VF_BITS_OR(a, b) _mm256_or_ps(a, b)
#include "pointwise_v.h"

#define NPU__V(name) name##__sse41
#define NPU__VF __m128
#define NPU__VN 4
#define NPU__VFN NPU__SSE41
#define NPU__VF_LOAD(p) _mm_loadu_ps(p)
#define NPU__VF_STORE(p, v) _mm_storeu_ps(p, v)
#define NPU__VF_SET1(x) _mm_set1_ps(x)
#define NPU__VF_ADD(a, b) _mm_add_ps(a, b)
#define NPU__VF_SUB(a, b) _mm_sub_ps(a, b)
#define NPU__VF_MUL(a, b) _mm_mul_ps(a, b)
#define NPU__VF_DIV(a, b) _mm_div_ps(a, b)
#define NPU__VF_MADD(a, b, c) _mm_add_ps(_mm_mul_ps(a, b), c)
#define NPU__VF_NMADD(a, b, c) _mm_sub_ps(c, _mm_mul_ps(a, b))
#define NPU__VF_CLAMP(v, lo, hi) _mm_min_ps(hi, _mm_max_ps(lo, v))
#define NPU__VF_MAX(x, y) _mm_max_ps(x, y)
#define NPU__VF_SELECT_GE(x, y, a, b) _mm_blendv_ps(b, a, _mm_cmpge_ps(x, y))
#define NPU__VF_ALL_GE(x, y) (_mm_movemask_ps(_mm_cmpge_ps(x, y)) == 15)
#define NPU__VF_SQRT(v) _mm_sqrt_ps(v)
#define NPU__VF_BITS_SHL(v, n) _mm_castsi128_ps(_mm_slli_epi32(_mm_castps_si128(v), n))
#define NPU__VF_BITS_SHR(v, n) _mm_castsi128_ps(_mm_srli_epi32(_mm_castps_si128(v), n))
#define NPU__VF_BITS_ADD(a, b) _mm_castsi128_ps(_mm_add_epi32(_mm_castps_si128(a), _mm_castps_si128(b)))
#define NPU__VF_BITS_AND(a, b) _mm_and_ps(a, b)
#define NPU__VF_BITS_ANDNOT(a, b) _mm_andnot_ps(a, b)
#define NPU__VF_BITS_OR(a, b) _mm_or_ps(a, b)
#include "pointwise_v.h"

NPU__AVX512_BEGIN
#define NPU__HIGH(v) _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(v), 1))
/* Not by a mask: what is loaded next from the lanes left out would wait until the store is done. */
NPU__AVX512 NPU__INLINE void npu__store_first__avx512(float *p, int32_t n, __m512 v) {
    __m256 eight = _mm512_castps512_ps256(v);
    if (n & 8) { _mm256_storeu_ps(p, eight); eight = NPU__HIGH(v); p += 8; }
    npu__store_first__avx2(p, n, eight);
}
#define NPU__HALVES(op, v) op(_mm512_castps512_ps256(v), NPU__HIGH(v))
#define NPU__V(name) name##__avx512
#define NPU__VF_LOAD_FIRST(p, n, v) _mm512_mask_loadu_ps(v, (__mmask16)((1u << (n)) - 1u), p)
#define NPU__VF_STORE_FIRST(p, n, v) npu__store_first__avx512(p, n, v)
#define NPU__VF_LARGEST(v) npu__largest__avx2(NPU__HALVES(_mm256_max_ps, v))
#define NPU__VF_TOTAL(v) npu__total__avx2(NPU__HALVES(_mm256_add_ps, v))
#define NPU__VF __m512
#define NPU__VN 16
#define NPU__VFN NPU__AVX512
#define NPU__VF_LOAD(p) _mm512_loadu_ps(p)
#define NPU__VF_STORE(p, v) _mm512_storeu_ps(p, v)
#define NPU__VF_SET1(x) _mm512_set1_ps(x)
#define NPU__VF_ADD(a, b) _mm512_add_ps(a, b)
#define NPU__VF_SUB(a, b) _mm512_sub_ps(a, b)
#define NPU__VF_MUL(a, b) _mm512_mul_ps(a, b)
#define NPU__VF_DIV(a, b) _mm512_div_ps(a, b)
#define NPU__VF_MADD(a, b, c) _mm512_fmadd_ps(a, b, c)
#define NPU__VF_NMADD(a, b, c) _mm512_fnmadd_ps(a, b, c)
#define NPU__VF_CLAMP(v, lo, hi) _mm512_min_ps(hi, _mm512_max_ps(lo, v))
#define NPU__VF_MAX(x, y) _mm512_max_ps(x, y)
#define NPU__VF_SELECT_GE(x, y, a, b) _mm512_mask_blend_ps(_mm512_cmp_ps_mask(x, y, _CMP_GE_OQ), b, a)
#define NPU__VF_ALL_GE(x, y) (_mm512_cmp_ps_mask(x, y, _CMP_GE_OQ) == 0xFFFF)
#define NPU__VF_SQRT(v) _mm512_sqrt_ps(v)
#define NPU__VF_BITS_SHL(v, n) _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_castps_si512(v), n))
#define NPU__VF_BITS_SHR(v, n) _mm512_castsi512_ps(_mm512_srli_epi32(_mm512_castps_si512(v), n))
#define NPU__VF_BITS_ADD(a, b) _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(a), _mm512_castps_si512(b)))
#define NPU__VF_BITS_AND(a, b) _mm512_and_ps(a, b)
#define NPU__VF_BITS_ANDNOT(a, b) _mm512_andnot_ps(a, b)
#define NPU__VF_BITS_OR(a, b) _mm512_or_ps(a, b)
#include "pointwise_v.h"
#undef NPU__HALVES
#undef NPU__HIGH
NPU__AVX512_END
#endif

#if NPU__HAS_NEON
#define NPU__V(name) name##__neon
#define NPU__VF float32x4_t
#define NPU__VN 4
#define NPU__VFN NPU__NEON
#define NPU__VF_LOAD(p) vld1q_f32(p)
#define NPU__VF_STORE(p, v) vst1q_f32(p, v)
#define NPU__VF_SET1(x) vdupq_n_f32(x)
#define NPU__VF_ADD(a, b) vaddq_f32(a, b)
#define NPU__VF_SUB(a, b) vsubq_f32(a, b)
#define NPU__VF_MUL(a, b) vmulq_f32(a, b)
#define NPU__VF_DIV(a, b) NPU__DIV_F32(a, b)
#define NPU__VF_MADD(a, b, c) NPU__MADD_F32(c, a, b)
#define NPU__VF_NMADD(a, b, c) NPU__NMADD_F32(c, a, b)
#define NPU__VF_CLAMP(v, lo, hi) vminq_f32(vmaxq_f32(v, lo), hi)
#define NPU__VF_MAX(x, y) vbslq_f32(vcgtq_f32(x, y), x, y)
#define NPU__VF_SELECT_GE(x, y, a, b) vbslq_f32(vcgeq_f32(x, y), a, b)
#define NPU__VF_ALL_GE(x, y) NPU__ALL_U32(vcgeq_f32(x, y))
#define NPU__BITS(v) vreinterpretq_u32_f32(v)
#define NPU__VF_SQRT(v) NPU__SQRT_F32(v)
#define NPU__VF_BITS_SHL(v, n) vreinterpretq_f32_u32(vshlq_n_u32(NPU__BITS(v), n))
#define NPU__VF_BITS_SHR(v, n) vreinterpretq_f32_u32(vshrq_n_u32(NPU__BITS(v), n))
#define NPU__VF_BITS_ADD(a, b) vreinterpretq_f32_u32(vaddq_u32(NPU__BITS(a), NPU__BITS(b)))
#define NPU__VF_BITS_AND(a, b) vreinterpretq_f32_u32(vandq_u32(NPU__BITS(a), NPU__BITS(b)))
#define NPU__VF_BITS_ANDNOT(a, b) vreinterpretq_f32_u32(vbicq_u32(NPU__BITS(b), NPU__BITS(a)))
#define NPU__VF_BITS_OR(a, b) vreinterpretq_f32_u32(vorrq_u32(NPU__BITS(a), NPU__BITS(b)))
#include "pointwise_v.h"
#undef NPU__BITS
#endif

#if NPU__HAS_WASM_SIMD
NPU__INLINE float npu__pw_largest4__wasm(v128_t v) {
    v = wasm_f32x4_pmax(v, wasm_i32x4_shuffle(v, v, 2, 3, 0, 1));
    v = wasm_f32x4_pmax(v, wasm_i32x4_shuffle(v, v, 1, 0, 3, 2));
    return wasm_f32x4_extract_lane(v, 0);
}
NPU__INLINE float npu__pw_total4__wasm(v128_t v) {
    v = wasm_f32x4_add(v, wasm_i32x4_shuffle(v, v, 2, 3, 0, 1));
    return wasm_f32x4_extract_lane(wasm_f32x4_add(v, wasm_i32x4_shuffle(v, v, 1, 0, 3, 2)), 0);
}
#if NPU__HAS_WASM_RELAXED
#define NPU__VF_MADD(a, b, c) wasm_f32x4_relaxed_madd(a, b, c)
#define NPU__VF_NMADD(a, b, c) wasm_f32x4_relaxed_nmadd(a, b, c)
#else
#define NPU__VF_MADD(a, b, c) wasm_f32x4_add(wasm_f32x4_mul(a, b), c)
#define NPU__VF_NMADD(a, b, c) wasm_f32x4_sub(c, wasm_f32x4_mul(a, b))
#endif
#define NPU__V(name) name##__wasm
#define NPU__VF v128_t
#define NPU__VN 4
#define NPU__VFN
#define NPU__VF_LOAD(p) wasm_v128_load(p)
#define NPU__VF_STORE(p, v) wasm_v128_store(p, v)
#define NPU__VF_SET1(x) wasm_f32x4_splat(npu__kept_f32(x))
#define NPU__VF_ADD(a, b) wasm_f32x4_add(a, b)
#define NPU__VF_SUB(a, b) wasm_f32x4_sub(a, b)
#define NPU__VF_MUL(a, b) wasm_f32x4_mul(a, b)
#define NPU__VF_DIV(a, b) wasm_f32x4_div(a, b)
#define NPU__VF_CLAMP(v, lo, hi) wasm_f32x4_pmin(wasm_f32x4_pmax(v, lo), hi)
#define NPU__VF_MAX(x, y) wasm_f32x4_pmax(y, x)
#define NPU__VF_SELECT_GE(x, y, a, b) wasm_v128_bitselect(a, b, wasm_f32x4_ge(x, y))
#define NPU__VF_LARGEST(v) npu__pw_largest4__wasm(v)
#define NPU__VF_TOTAL(v) npu__pw_total4__wasm(v)
#define NPU__VF_ALL_GE(x, y) wasm_i32x4_all_true(wasm_f32x4_ge(x, y))
#define NPU__VF_SQRT(v) wasm_f32x4_sqrt(v)
#define NPU__VF_BITS_SHL(v, n) wasm_i32x4_shl(v, n)
#define NPU__VF_BITS_SHR(v, n) wasm_u32x4_shr(v, n)
#define NPU__VF_BITS_ADD(a, b) wasm_i32x4_add(a, b)
#define NPU__VF_BITS_AND(a, b) wasm_v128_and(a, b)
#define NPU__VF_BITS_ANDNOT(a, b) wasm_v128_andnot(b, a)
#define NPU__VF_BITS_OR(a, b) wasm_v128_or(a, b)
#include "pointwise_v.h"
#endif

#define NPU__PW_ROW(name, s) npu__pw_##name##__##s,
#define NPU_X(name, isa, s, sum8, mul8, quantize8)                                                                         \
    {name, NPU_ISA_##isa, npu__pw_add__##s, npu__pw_sub__##s, npu__pw_mul__##s, npu__pw_div__##s, npu__pw_sqdiff__##s,     \
     npu__pw_prelu__##s, npu__pw_clamp__##s, {NPU__PW_UNARY(NPU__PW_ROW, s)}, npu__pw_softmax__##s, npu__pw_log_softmax__##s, sum8, mul8, quantize8},
static const npu__pointwise npu__pointwise_rows[] = {
    NPU__POINTWISE_KERNELS(NPU_X)
    {NULL, NPU_ISA_AUTO, NULL, NULL, NULL, NULL, NULL, NULL, NULL, {NULL}, NULL, NULL, NULL, NULL, NULL}
};
#undef NPU_X
#undef NPU__PW_ROW

NPU__FN const npu__pointwise *npu__pointwise_select(npu_isa isa) {
    for (const npu__pointwise *r = npu__pointwise_rows; r->name; r++)
        /* The best row of an instruction set stands first. */
        if (npu__isa_includes(isa, r->isa)) return r;
    return NULL;
}
