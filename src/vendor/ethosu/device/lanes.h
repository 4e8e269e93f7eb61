/* Eight int16 lanes times eight, added up in four int32 lanes: all that convolutions need, on what every CPU of a
 * family has. Plain C where the compiler may not use vectors. */
#ifndef NPU__VENDOR_ETHOSU_LANES_H
#define NPU__VENDOR_ETHOSU_LANES_H

#include "device.h"

#if NPU__HAS_EU_DEVICE

#if NPU__HAS_X86 && (defined(__SSE2__) || defined(_M_X64))
#  include <emmintrin.h>
typedef __m128i npu__eu_acc;
typedef __m128i npu__eu_i32x4;
typedef __m128i npu__eu_i16x8;
NPU__INLINE npu__eu_acc npu__eu_acc_zero(void) { return _mm_setzero_si128(); }
NPU__INLINE npu__eu_i32x4 npu__eu_i32x4_zero(void) { return _mm_setzero_si128(); }
NPU__INLINE npu__eu_i16x8 npu__eu_load8(const int16_t *p) { return _mm_loadu_si128((const __m128i *)(const void *)p); }
/* Lane sums of all products: in which lane one ends up does not matter. */
NPU__INLINE npu__eu_acc npu__eu_madd(npu__eu_acc a, npu__eu_i16x8 x, npu__eu_i16x8 w) {
    return _mm_add_epi32(a, _mm_madd_epi16(x, w));
}
/* Sums of the lanes of four accumulators. */
NPU__INLINE void npu__eu_sum4(npu__eu_acc a, npu__eu_acc b, npu__eu_acc c, npu__eu_acc d, int32_t *out) {
    __m128i ab = _mm_add_epi32(_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
    __m128i cd = _mm_add_epi32(_mm_unpacklo_epi32(c, d), _mm_unpackhi_epi32(c, d));
    _mm_storeu_si128((__m128i *)(void *)out, _mm_add_epi32(_mm_unpacklo_epi64(ab, cd), _mm_unpackhi_epi64(ab, cd)));
}
/* acc[0] and acc[1] are channels 0-3 and 4-7: += x0 * even elements of w[16] + x1 * odd ones. */
NPU__INLINE void npu__eu_madd_pair(npu__eu_i32x4 acc[2], npu__eu_i16x8 x0, npu__eu_i16x8 x1, const int16_t *w) {
    acc[0] = npu__eu_madd(acc[0], _mm_unpacklo_epi16(x0, x1), npu__eu_load8(w));
    acc[1] = npu__eu_madd(acc[1], _mm_unpackhi_epi16(x0, x1), npu__eu_load8(w + 8));
}
NPU__INLINE void npu__eu_i32x4_store(npu__eu_i32x4 a, int32_t *out) { _mm_storeu_si128((__m128i *)(void *)out, a); }

#elif NPU__HAS_NEON64
#  include <arm_neon.h>
typedef int32x4_t npu__eu_acc;
typedef int32x4_t npu__eu_i32x4;
typedef int16x8_t npu__eu_i16x8;
NPU__INLINE npu__eu_acc npu__eu_acc_zero(void) { return vdupq_n_s32(0); }
NPU__INLINE npu__eu_i32x4 npu__eu_i32x4_zero(void) { return vdupq_n_s32(0); }
NPU__INLINE npu__eu_i16x8 npu__eu_load8(const int16_t *p) { return vld1q_s16(p); }
NPU__INLINE npu__eu_acc npu__eu_madd(npu__eu_acc a, npu__eu_i16x8 x, npu__eu_i16x8 w) {
    return vmlal_high_s16(vmlal_s16(a, vget_low_s16(x), vget_low_s16(w)), x, w);
}
NPU__INLINE void npu__eu_sum4(npu__eu_acc a, npu__eu_acc b, npu__eu_acc c, npu__eu_acc d, int32_t *out) {
    vst1q_s32(out, vpaddq_s32(vpaddq_s32(a, b), vpaddq_s32(c, d)));
}
NPU__INLINE void npu__eu_madd_pair(npu__eu_i32x4 acc[2], npu__eu_i16x8 x0, npu__eu_i16x8 x1, const int16_t *w) {
    int16x8x2_t pair = vld2q_s16(w);
    acc[0] = vmlal_s16(acc[0], vget_low_s16(x0), vget_low_s16(pair.val[0]));
    acc[0] = vmlal_s16(acc[0], vget_low_s16(x1), vget_low_s16(pair.val[1]));
    acc[1] = vmlal_high_s16(acc[1], x0, pair.val[0]);
    acc[1] = vmlal_high_s16(acc[1], x1, pair.val[1]);
}
NPU__INLINE void npu__eu_i32x4_store(npu__eu_i32x4 a, int32_t *out) { vst1q_s32(out, a); }

#elif NPU__HAS_WASM_SIMD
#  include <wasm_simd128.h>
typedef v128_t npu__eu_acc;
typedef v128_t npu__eu_i32x4;
typedef v128_t npu__eu_i16x8;
NPU__INLINE npu__eu_acc npu__eu_acc_zero(void) { return wasm_i32x4_splat(0); }
NPU__INLINE npu__eu_i32x4 npu__eu_i32x4_zero(void) { return wasm_i32x4_splat(0); }
NPU__INLINE npu__eu_i16x8 npu__eu_load8(const int16_t *p) { return wasm_v128_load(p); }
NPU__INLINE npu__eu_acc npu__eu_madd(npu__eu_acc a, npu__eu_i16x8 x, npu__eu_i16x8 w) {
    return wasm_i32x4_add(a, wasm_i32x4_dot_i16x8(x, w));
}
NPU__INLINE void npu__eu_sum4(npu__eu_acc a, npu__eu_acc b, npu__eu_acc c, npu__eu_acc d, int32_t *out) {
    v128_t ab = wasm_i32x4_add(wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), wasm_i32x4_shuffle(a, b, 2, 6, 3, 7));
    v128_t cd = wasm_i32x4_add(wasm_i32x4_shuffle(c, d, 0, 4, 1, 5), wasm_i32x4_shuffle(c, d, 2, 6, 3, 7));
    ab = wasm_i32x4_add(wasm_i32x4_shuffle(ab, cd, 0, 1, 4, 5), wasm_i32x4_shuffle(ab, cd, 2, 3, 6, 7));
    wasm_v128_store(out, ab);
}
NPU__INLINE void npu__eu_madd_pair(npu__eu_i32x4 acc[2], npu__eu_i16x8 x0, npu__eu_i16x8 x1, const int16_t *w) {
    acc[0] = npu__eu_madd(acc[0], wasm_i16x8_shuffle(x0, x1, 0, 8, 1, 9, 2, 10, 3, 11), npu__eu_load8(w));
    acc[1] = npu__eu_madd(acc[1], wasm_i16x8_shuffle(x0, x1, 4, 12, 5, 13, 6, 14, 7, 15), npu__eu_load8(w + 8));
}
NPU__INLINE void npu__eu_i32x4_store(npu__eu_i32x4 a, int32_t *out) { wasm_v128_store(out, a); }

#else
typedef int32_t npu__eu_acc;
typedef struct npu__eu_i32x4 { int32_t v[4]; } npu__eu_i32x4;
typedef const int16_t *npu__eu_i16x8; /* where they are */
NPU__INLINE npu__eu_acc npu__eu_acc_zero(void) { return 0; }
NPU__INLINE npu__eu_i32x4 npu__eu_i32x4_zero(void) {
    npu__eu_i32x4 a;
    memset(&a, 0, sizeof a);
    return a;
}
NPU__INLINE npu__eu_i16x8 npu__eu_load8(const int16_t *p) { return p; }
NPU__INLINE npu__eu_acc npu__eu_madd(npu__eu_acc a, npu__eu_i16x8 x, npu__eu_i16x8 w) {
    return a + x[0] * w[0] + x[1] * w[1] + x[2] * w[2] + x[3] * w[3] + x[4] * w[4] + x[5] * w[5] + x[6] * w[6] +
           x[7] * w[7];
}
NPU__INLINE void npu__eu_sum4(npu__eu_acc a, npu__eu_acc b, npu__eu_acc c, npu__eu_acc d, int32_t *out) {
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
}
NPU__INLINE void npu__eu_madd_pair(npu__eu_i32x4 acc[2], npu__eu_i16x8 x0, npu__eu_i16x8 x1, const int16_t *w) {
    for (int i = 0; i < 4; i++) { /* bounded, here and below: 16 and 9 bits, which both users add up within 31 */
        acc[0].v[i] += x0[i] * w[2 * i] + x1[i] * w[2 * i + 1];
        acc[1].v[i] += x0[i + 4] * w[2 * i + 8] + x1[i + 4] * w[2 * i + 9];
    }
}
NPU__INLINE void npu__eu_i32x4_store(npu__eu_i32x4 a, int32_t *out) { memcpy(out, a.v, sizeof a.v); }
#endif

#endif
#endif
