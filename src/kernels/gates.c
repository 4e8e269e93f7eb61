/* The loops of gates.h for each instruction set of this build, and their table. */
#include "gates.h"
#include "../base/fixed16.h"
#include "avx2.h"
#include "neon.h"
#include "simd.h"
NPU__SPEED_BEGIN

NPU__FN void npu__gates_logistic__c(const int16_t *x, int16_t *out, int64_t n) {
    for (int64_t i = 0; i < n; i++) out[i] = npu__logistic16(x[i]);
}

NPU__FN void npu__gates_tanh__c(const int16_t *x, int16_t *out, int64_t n, int bits) {
    for (int64_t i = 0; i < n; i++) out[i] = npu__tanh16(x[i], bits);
}

NPU__FN void npu__gates_add__c(const int32_t *sums, npu__qmul mul, int twice, int16_t *gate, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        const int32_t v = npu__qmul_apply(sums[i], mul);
        /* Modulo 2^32, as the reference's sum. */
        gate[i] = npu__sat16((int32_t)((uint32_t)(twice ? npu__sat16(v) : v) + (uint32_t)(int32_t)gate[i]));
    }
}

NPU__FN void npu__gates_dots__c(const void *a, const void *b, int wide, int32_t a_zp, int32_t n, int32_t rows, int32_t *out) {
    for (int32_t r = 0; r < rows; r++) {
        const size_t at = (size_t)r * (size_t)n;
        uint32_t     sum = 0;
        for (int32_t i = 0; wide && i < n; i++) sum += (uint32_t)((int32_t)((const int16_t *)a)[at + (size_t)i] * ((const int16_t *)b)[at + (size_t)i]);
        out[r] = wide ? (int32_t)sum : npu__ref_dot_i8((const int8_t *)a + at, (const int8_t *)b + at, n, a_zp);
    }
}

#if NPU__HAS_X86
typedef struct npu__gate_mul__avx2 { __m256i multiplier, left, right; } npu__gate_mul__avx2;
NPU__AVX2 NPU__INLINE npu__gate_mul__avx2 npu__gate_mul_of__avx2(npu__qmul q) {
    npu__gate_mul__avx2 m;
    m.multiplier = _mm256_set1_epi32(q.multiplier);
    m.left = _mm256_set1_epi32(q.shift > 0 ? q.shift : 0);
    m.right = _mm256_set1_epi32(q.shift > 0 ? 0 : -q.shift);
    return m;
}
NPU__AVX2 NPU__INLINE __m256i npu__gate_scale__avx2(const int32_t *sums, const npu__gate_mul__avx2 *m, int twice, __m256i gate) {
    __m256i a = npu__requant_any__avx2(NPU__LOAD32(sums), m->multiplier, m->left, m->right);
    __m256i b = npu__requant_any__avx2(NPU__LOAD32(sums + 8), m->multiplier, m->left, m->right);
    if (!twice) {
        a = _mm256_add_epi32(a, _mm256_cvtepi16_epi32(_mm256_castsi256_si128(gate)));
        b = _mm256_add_epi32(b, _mm256_cvtepi16_epi32(_mm256_extracti128_si256(gate, 1)));
    }
    a = _mm256_permute4x64_epi64(_mm256_packs_epi32(a, b), 0xD8);
    return twice ? _mm256_adds_epi16(a, gate) : a;
}
NPU__AVX2 NPU__INLINE int32_t npu__gate_sum__avx2(__m128i s) {
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4E));
    return _mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xB1)));
}
#define NPU__V(name) name##__avx2
#define NPU__D8 __m128i
#define NPU__D4 __m128i
#define NPU__D8_LOAD(p) NPU__LOAD16(p)
#define NPU__D8_WIDEN(p) _mm_cvtepi8_epi16(NPU__LOAD8(p))
#define NPU__D8_SET1(x) _mm_set1_epi16(x)
#define NPU__D8_SUB(a, b) _mm_sub_epi16(a, b)
#define NPU__D8_AND(a, b) _mm_and_si128(a, b)
#define NPU__D8_DOT(s, a, b) _mm_add_epi32(s, _mm_madd_epi16(a, b))
#define NPU__D4_ZERO _mm_setzero_si128()
#define NPU__D4_SUM(s) npu__gate_sum__avx2(s)
#define NPU__VI __m256i
#define NPU__VN 16
#define NPU__VFN NPU__AVX2
#define NPU__VI_LOAD(p) NPU__LOAD32(p)
#define NPU__VI_STORE(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define NPU__VI_SET1(x) _mm256_set1_epi16(x)
#define NPU__VI_ADD(a, b) _mm256_add_epi16(a, b)
#define NPU__VI_SUB(a, b) _mm256_sub_epi16(a, b)
#define NPU__VI_ADDS(a, b) _mm256_adds_epi16(a, b)
#define NPU__VI_AND(a, b) _mm256_and_si256(a, b)
#define NPU__VI_SHL(a, n) _mm256_sll_epi16(a, _mm_cvtsi32_si128(n))
#define NPU__VI_SRA(a, n) _mm256_sra_epi16(a, _mm_cvtsi32_si128(n))
#define NPU__VI_MULHR(a, b) _mm256_mulhrs_epi16(a, b)
#define NPU__VI_GT(a, b) _mm256_cmpgt_epi16(a, b)
#define NPU__VI_EQ(a, b) _mm256_cmpeq_epi16(a, b)
#define NPU__VI_SELECT(m, a, b) _mm256_blendv_epi8(b, a, m)
#include "gates_v.h"
#endif

#if NPU__HAS_NEON64
typedef struct npu__gate_mul__neon { int32x4_t multiplier, left, right; } npu__gate_mul__neon;
NPU__INLINE npu__gate_mul__neon npu__gate_mul_of__neon(npu__qmul q) {
    npu__gate_mul__neon m;
    m.multiplier = vdupq_n_s32(q.multiplier);
    m.left = vdupq_n_s32(q.shift > 0 ? q.shift : 0);
    m.right = vdupq_n_s32(q.shift > 0 ? 0 : -q.shift);
    return m;
}
NPU__INLINE int16x8_t npu__gate_scale__neon(const int32_t *sums, const npu__gate_mul__neon *m, int twice, int16x8_t gate) {
    int32x4_t a = npu__requant__neon(vld1q_s32(sums), m->multiplier, m->left, m->right);
    int32x4_t b = npu__requant__neon(vld1q_s32(sums + 4), m->multiplier, m->left, m->right);
    if (twice) return vqaddq_s16(vcombine_s16(vqmovn_s32(a), vqmovn_s32(b)), gate);
    a = vaddq_s32(a, vmovl_s16(vget_low_s16(gate)));
    b = vaddq_s32(b, vmovl_s16(vget_high_s16(gate)));
    return vcombine_s16(vqmovn_s32(a), vqmovn_s32(b));
}
NPU__INLINE int32x4_t npu__gate_dot__neon(int32x4_t s, int16x8_t a, int16x8_t b) {
    return vmlal_s16(vmlal_s16(s, vget_low_s16(a), vget_low_s16(b)), vget_high_s16(a), vget_high_s16(b));
}
#define NPU__V(name) name##__neon
#define NPU__D8 int16x8_t
#define NPU__D4 int32x4_t
#define NPU__D8_LOAD(p) vreinterpretq_s16_u8(vld1q_u8((const uint8_t *)(const void *)(p)))
#define NPU__D8_WIDEN(p) vmovl_s8(vreinterpret_s8_u8(vld1_u8(p)))
#define NPU__D8_SET1(x) vdupq_n_s16(x)
#define NPU__D8_SUB(a, b) vsubq_s16(a, b)
#define NPU__D8_AND(a, b) vandq_s16(a, b)
#define NPU__D8_DOT(s, a, b) npu__gate_dot__neon(s, a, b)
#define NPU__D4_ZERO vdupq_n_s32(0)
#define NPU__D4_SUM(s) vaddvq_s32(s)
#define NPU__VI int16x8_t
#define NPU__VN 8
#define NPU__VFN
#define NPU__VI_LOAD(p) vld1q_s16(p)
#define NPU__VI_STORE(p, v) vst1q_s16(p, v)
#define NPU__VI_SET1(x) vdupq_n_s16(x)
#define NPU__VI_ADD(a, b) vaddq_s16(a, b)
#define NPU__VI_SUB(a, b) vsubq_s16(a, b)
#define NPU__VI_ADDS(a, b) vqaddq_s16(a, b)
#define NPU__VI_AND(a, b) vandq_s16(a, b)
#define NPU__VI_SHL(a, n) vshlq_s16(a, vdupq_n_s16((int16_t)(n)))
#define NPU__VI_SRA(a, n) vshlq_s16(a, vdupq_n_s16((int16_t)-(n)))
#define NPU__VI_MULHR(a, b) vqrdmulhq_s16(a, b)
#define NPU__VI_GT(a, b) vreinterpretq_s16_u16(vcgtq_s16(a, b))
#define NPU__VI_EQ(a, b) vreinterpretq_s16_u16(vceqq_s16(a, b))
#define NPU__VI_SELECT(m, a, b) vbslq_s16(vreinterpretq_u16_s16(m), a, b)
#include "gates_v.h"
#endif

#if NPU__HAS_WASM_SIMD
typedef struct npu__gate_mul__wasm { v128_t multiplier; int32_t left, right; } npu__gate_mul__wasm;
NPU__INLINE npu__gate_mul__wasm npu__gate_mul_of__wasm(npu__qmul q) {
    npu__gate_mul__wasm m;
    m.multiplier = wasm_i32x4_splat(q.multiplier);
    m.left = q.shift > 0 ? q.shift : 0;
    m.right = q.shift > 0 ? 0 : -q.shift;
    return m;
}
NPU__INLINE v128_t npu__gate_requant__wasm(v128_t x, const npu__gate_mul__wasm *m) {
    const v128_t nudge = wasm_i64x2_splat((int64_t)1 << 30), mask = wasm_i32x4_splat((int32_t)(((uint32_t)1 << m->right) - 1u));
    v128_t       lo, hi, over;
    x = wasm_i32x4_shl(x, (uint32_t)m->left);
    lo = wasm_u64x2_shr(wasm_i64x2_add(wasm_i64x2_extmul_low_i32x4(x, m->multiplier), nudge), 31);
    hi = wasm_u64x2_shr(wasm_i64x2_add(wasm_i64x2_extmul_high_i32x4(x, m->multiplier), nudge), 31);
    x = wasm_i32x4_shuffle(lo, hi, 0, 2, 4, 6);
    /* npu__rdbpot: true is -1. */
    over = wasm_i32x4_gt(wasm_v128_and(x, mask), wasm_i32x4_sub(wasm_u32x4_shr(mask, 1), wasm_i32x4_shr(x, 31)));
    return wasm_i32x4_sub(wasm_i32x4_shr(x, (uint32_t)m->right), over);
}
NPU__INLINE v128_t npu__gate_scale__wasm(const int32_t *sums, const npu__gate_mul__wasm *m, int twice, v128_t gate) {
    v128_t a = npu__gate_requant__wasm(wasm_v128_load(sums), m), b = npu__gate_requant__wasm(wasm_v128_load(sums + 4), m);
    if (twice) return wasm_i16x8_add_sat(wasm_i16x8_narrow_i32x4(a, b), gate);
    a = wasm_i32x4_add(a, wasm_i32x4_extend_low_i16x8(gate));
    b = wasm_i32x4_add(b, wasm_i32x4_extend_high_i16x8(gate));
    return wasm_i16x8_narrow_i32x4(a, b);
}
NPU__INLINE int32_t npu__gate_sum__wasm(v128_t s) {
    s = wasm_i32x4_add(s, wasm_i32x4_shuffle(s, s, 2, 3, 0, 1));
    return wasm_i32x4_extract_lane(wasm_i32x4_add(s, wasm_i32x4_shuffle(s, s, 1, 0, 3, 2)), 0);
}
#define NPU__V(name) name##__wasm
#define NPU__D8 v128_t
#define NPU__D4 v128_t
#define NPU__D8_LOAD(p) wasm_v128_load(p)
#define NPU__D8_WIDEN(p) wasm_i16x8_load8x8(p)
#define NPU__D8_SET1(x) wasm_i16x8_splat(x)
#define NPU__D8_SUB(a, b) wasm_i16x8_sub(a, b)
#define NPU__D8_AND(a, b) wasm_v128_and(a, b)
#define NPU__D8_DOT(s, a, b) wasm_i32x4_add(s, wasm_i32x4_dot_i16x8(a, b))
#define NPU__D4_ZERO wasm_i32x4_splat(0)
#define NPU__D4_SUM(s) npu__gate_sum__wasm(s)
#define NPU__VI v128_t
#define NPU__VN 8
#define NPU__VFN
#define NPU__VI_LOAD(p) wasm_v128_load(p)
#define NPU__VI_STORE(p, v) wasm_v128_store(p, v)
#define NPU__VI_SET1(x) wasm_i16x8_splat(x)
#define NPU__VI_ADD(a, b) wasm_i16x8_add(a, b)
#define NPU__VI_SUB(a, b) wasm_i16x8_sub(a, b)
#define NPU__VI_ADDS(a, b) wasm_i16x8_add_sat(a, b)
#define NPU__VI_AND(a, b) wasm_v128_and(a, b)
#define NPU__VI_SHL(a, n) wasm_i16x8_shl(a, (uint32_t)(n))
#define NPU__VI_SRA(a, n) wasm_i16x8_shr(a, (uint32_t)(n))
#define NPU__VI_MULHR(a, b) wasm_i16x8_q15mulr_sat(a, b)
#define NPU__VI_GT(a, b) wasm_i16x8_gt(a, b)
#define NPU__VI_EQ(a, b) wasm_i16x8_eq(a, b)
#define NPU__VI_SELECT(m, a, b) wasm_v128_bitselect(a, b, m)
#include "gates_v.h"
#endif

#define NPU_X(name, isa, s) {name, NPU_ISA_##isa, npu__gates_logistic__##s, npu__gates_tanh__##s, npu__gates_add__##s, \
    npu__gates_dots__##s},
static const npu__gates npu__gates_rows[] = {
    NPU__GATES_KERNELS(NPU_X)
    {"reference", NPU_ISA_SCALAR, npu__gates_logistic__c, npu__gates_tanh__c, npu__gates_add__c, npu__gates_dots__c},
    {NULL, NPU_ISA_AUTO, NULL, NULL, NULL, NULL}
};
#undef NPU_X

NPU__FN const npu__gates *npu__gates_select(npu_isa isa) {
    const npu__gates *r = npu__gates_rows;
    /* The reference fits every instruction set. */
    while (r->isa != NPU_ISA_SCALAR && !npu__isa_includes(isa, r->isa)) r++;
    return r;
}
NPU__SPEED_END
