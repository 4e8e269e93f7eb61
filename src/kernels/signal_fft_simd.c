/* The int16 FFT's vectors for each instruction set of this build, and their table. A complex product is two sums of pairs: of
 * (a.r, a.i) with (b.r, -b.i), and with (b.i, b.r). */
#include "signal.h"
#include "simd.h"
NPU__SPEED_BEGIN

/* One complex number. */
NPU__INLINE int32_t npu__fft_pair(const int16_t *p) { return npu__load_i32(p); }

#if NPU__HAS_X86
NPU__AVX2_ONLY NPU__INLINE __m128i npu__fft_swap__avx2(__m128i a) { return _mm_or_si128(_mm_slli_epi32(a, 16), _mm_srli_epi32(a, 16)); }
/* The parts that `mask` names, negative. */
NPU__AVX2_ONLY NPU__INLINE __m128i npu__fft_negate__avx2(__m128i a, int32_t mask) {
    const __m128i m = _mm_set1_epi32(mask);
    return _mm_sub_epi16(_mm_xor_si128(a, m), m);
}
NPU__AVX2_ONLY NPU__INLINE __m128i npu__fft_mul__avx2(__m128i a, __m128i b) {
    const __m128i nudge = _mm_set1_epi32(1 << 14);
    __m128i       re = _mm_add_epi32(_mm_madd_epi16(a, npu__fft_negate__avx2(b, (int32_t)0xFFFF0000u)), nudge);
    __m128i       im = _mm_add_epi32(_mm_madd_epi16(a, npu__fft_swap__avx2(b)), nudge);
    return _mm_blend_epi16(_mm_srli_epi32(re, 15), _mm_slli_epi32(im, 1), 0xAA);
}
#define NPU__V(name) name##__avx2
#define NPU__VFN NPU__AVX2_ONLY
#define NPU__C __m128i
#define NPU__C_LOAD(p) NPU__LOAD16(p)
#define NPU__C_STORE(p, v) _mm_storeu_si128((__m128i *)(void *)(p), v)
#define NPU__C_GATHER(p, step) \
    _mm_setr_epi32(npu__fft_pair(p), npu__fft_pair((p) + 2 * (step)), npu__fft_pair((p) + 4 * (step)), npu__fft_pair((p) + 6 * (step)))
#define NPU__C_ADD(a, b) _mm_add_epi16(a, b)
#define NPU__C_SUB(a, b) _mm_sub_epi16(a, b)
#define NPU__C_SCALE(a) _mm_mulhrs_epi16(a, _mm_set1_epi16(32767 / 4))
#define NPU__C_MUL(a, b) npu__fft_mul__avx2(a, b)
#define NPU__C_TURN(a) npu__fft_negate__avx2(npu__fft_swap__avx2(a), (int32_t)0xFFFF0000u)
#define NPU__C_UNTURN(a) npu__fft_negate__avx2(npu__fft_swap__avx2(a), 0xFFFF)
#include "signal_fft_v.h"
#endif

#if NPU__HAS_NEON64
NPU__INLINE int16x8_t npu__fft_negate__neon(int16x8_t a, uint32_t mask) {
    const int16x8_t m = vreinterpretq_s16_u32(vdupq_n_u32(mask));
    return vsubq_s16(veorq_s16(a, m), m);
}
NPU__INLINE int32x4_t npu__fft_pairs__neon(int16x8_t a, int16x8_t b) {
    return vpaddq_s32(vmull_s16(vget_low_s16(a), vget_low_s16(b)), vmull_s16(vget_high_s16(a), vget_high_s16(b)));
}
NPU__INLINE int16x8_t npu__fft_mul__neon(int16x8_t a, int16x8_t b) {
    const int32x4_t re = npu__fft_pairs__neon(a, npu__fft_negate__neon(b, 0xFFFF0000u)), im = npu__fft_pairs__neon(a, vrev32q_s16(b));
    const int16x4x2_t z = vzip_s16(vrshrn_n_s32(re, 15), vrshrn_n_s32(im, 15));
    return vcombine_s16(z.val[0], z.val[1]);
}
NPU__INLINE int16x8_t npu__fft_gather__neon(const int16_t *p, int32_t step) {
    const int32_t v[4] = {npu__fft_pair(p), npu__fft_pair(p + 2 * step), npu__fft_pair(p + 4 * step), npu__fft_pair(p + 6 * step)};
    return vreinterpretq_s16_s32(vld1q_s32(v));
}
#define NPU__V(name) name##__neon
#define NPU__VFN
#define NPU__C int16x8_t
#define NPU__C_LOAD(p) vld1q_s16(p)
#define NPU__C_STORE(p, v) vst1q_s16(p, v)
#define NPU__C_GATHER(p, step) npu__fft_gather__neon(p, step)
#define NPU__C_ADD(a, b) vaddq_s16(a, b)
#define NPU__C_SUB(a, b) vsubq_s16(a, b)
#define NPU__C_SCALE(a) vqrdmulhq_n_s16(a, 32767 / 4)
#define NPU__C_MUL(a, b) npu__fft_mul__neon(a, b)
#define NPU__C_TURN(a) npu__fft_negate__neon(vrev32q_s16(a), 0xFFFF0000u)
#define NPU__C_UNTURN(a) npu__fft_negate__neon(vrev32q_s16(a), 0xFFFFu)
#include "signal_fft_v.h"
#endif

#if NPU__HAS_WASM_SIMD
NPU__INLINE v128_t npu__fft_swap__wasm(v128_t a) { return wasm_i16x8_shuffle(a, a, 1, 0, 3, 2, 5, 4, 7, 6); }
NPU__INLINE v128_t npu__fft_negate__wasm(v128_t a, uint32_t mask) {
    const v128_t m = wasm_i32x4_splat((int32_t)mask);
    return wasm_i16x8_sub(wasm_v128_xor(a, m), m);
}
NPU__INLINE v128_t npu__fft_mul__wasm(v128_t a, v128_t b) {
    const v128_t nudge = wasm_i32x4_splat(1 << 14);
    const v128_t re = wasm_i32x4_add(wasm_i32x4_dot_i16x8(a, npu__fft_negate__wasm(b, 0xFFFF0000u)), nudge);
    const v128_t im = wasm_i32x4_add(wasm_i32x4_dot_i16x8(a, npu__fft_swap__wasm(b)), nudge);
    return wasm_v128_bitselect(wasm_i32x4_shl(im, 1), wasm_u32x4_shr(re, 15), wasm_i32x4_splat((int32_t)0xFFFF0000u));
}
#define NPU__V(name) name##__wasm
#define NPU__VFN
#define NPU__C v128_t
#define NPU__C_LOAD(p) wasm_v128_load(p)
#define NPU__C_STORE(p, v) wasm_v128_store(p, v)
#define NPU__C_GATHER(p, step) \
    wasm_i32x4_make(npu__fft_pair(p), npu__fft_pair((p) + 2 * (step)), npu__fft_pair((p) + 4 * (step)), npu__fft_pair((p) + 6 * (step)))
#define NPU__C_ADD(a, b) wasm_i16x8_add(a, b)
#define NPU__C_SUB(a, b) wasm_i16x8_sub(a, b)
#define NPU__C_SCALE(a) wasm_i16x8_q15mulr_sat(a, wasm_i16x8_splat(32767 / 4))
#define NPU__C_MUL(a, b) npu__fft_mul__wasm(a, b)
#define NPU__C_TURN(a) npu__fft_negate__wasm(npu__fft_swap__wasm(a), 0xFFFF0000u)
#define NPU__C_UNTURN(a) npu__fft_negate__wasm(npu__fft_swap__wasm(a), 0xFFFFu)
#include "signal_fft_v.h"
#endif

#define NPU_X(name, isa, s) {name, NPU_ISA_##isa, npu__fft_radix4_i16__##s},
static const npu__fft_kernel npu__fft_rows[] = {
    NPU__FFT_KERNELS(NPU_X)
    {NULL, NPU_ISA_AUTO, NULL}
};
#undef NPU_X

NPU__FN const npu__fft_kernel *npu__fft_select(npu_isa isa) {
    const npu__fft_kernel *r = npu__fft_rows;
    while (r->name && !npu__isa_includes(isa, r->isa)) r++;
    return r->name ? r : NULL;
}
NPU__SPEED_END
