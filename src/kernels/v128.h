/* Integers in vectors of 128 bits, as WebAssembly's SIMD128 and SSE4.1 both have them: i8_v128.c is written in these words. Neither
 * shifts each lane by its own amount. */
#ifndef NPU__KERNELS_V128_H
#define NPU__KERNELS_V128_H

#include "simd.h"

/* Products of int32 are 64 bits wide, in two vectors: MUL_ONE has those of lanes 0 and 1 (WebAssembly) or 0 and 2 (SSE4.1), MUL_TWO the
 * others. JOIN_LOW puts the lower halves of both back into order. */
#if NPU__HAS_WASM_SIMD
#  define NPU__HAS_V128 1
#  define NPU__V128
typedef v128_t npu__v128;
#  define NPU__V_LOAD(p) wasm_v128_load(p)
#  define NPU__V_LOAD8(p) wasm_v128_load64_zero(p) /* into the lower half */
#  define NPU__V_LANES NPU__WASM_LANES
#  define NPU__V_SPREAD4(p) wasm_v128_load32_splat(p)
#  define NPU__V_LOAD_S8(p) wasm_i16x8_load8x8(p) /* eight bytes as int16 */
#  define NPU__V_LOAD_U8(p) wasm_u16x8_load8x8(p)
#  define NPU__V_STORE(p, v) wasm_v128_store(p, v)
#  define NPU__V_STORE8(p, v) wasm_v128_store64_lane(p, v, 0) /* the lower half */
#  define NPU__V_STORE8_UP(p, v) wasm_v128_store64_lane(p, v, 1)
#  define NPU__V_SET8(x) wasm_i8x16_splat(x)
#  define NPU__V_SET16(x) wasm_i16x8_splat(x)
#  define NPU__V_SET32(x) wasm_i32x4_splat(x)
#  define NPU__V_SET64(x) wasm_i64x2_splat(x)
#  define NPU__V_LANE32(v, n) wasm_i32x4_extract_lane(v, n)
#  define NPU__V_SPREAD32(v, n) wasm_i32x4_shuffle(v, v, n, n, n, n)
#  define NPU__V_AND(a, b) wasm_v128_and(a, b)
#  define NPU__V_ANDNOT(a, b) wasm_v128_andnot(a, b) /* a and not b */
#  define NPU__V_OR(a, b) wasm_v128_or(a, b)
#  define NPU__V_XOR(a, b) wasm_v128_xor(a, b)
#  define NPU__V_MIN8(a, b) wasm_i8x16_min(a, b)
#  define NPU__V_MAX8(a, b) wasm_i8x16_max(a, b)
#  define NPU__V_MINU8(a, b) wasm_u8x16_min(a, b)
#  define NPU__V_EQ8(a, b) wasm_i8x16_eq(a, b)
#  define NPU__V_GT8(a, b) wasm_i8x16_gt(a, b)
#  define NPU__V_SIGNS8(a) wasm_i8x16_bitmask(a)
#  define NPU__V_SUB16(a, b) wasm_i16x8_sub(a, b)
#  define NPU__V_ADDS16(a, b) wasm_i16x8_add_sat(a, b)
#  define NPU__V_MULR16(a, b) wasm_i16x8_q15mulr_sat(a, b) /* a * b / 2^15, halves up; not of two times -2^15 */
#  define NPU__V_SHR16(a, n) wasm_u16x8_shr(a, n)
#  define NPU__V_PACK16(a, b) wasm_i8x16_narrow_i16x8(a, b)
#  define NPU__V_PACK32(a, b) wasm_i16x8_narrow_i32x4(a, b)
#  define NPU__V_ADD32(a, b) wasm_i32x4_add(a, b)
#  define NPU__V_SUB32(a, b) wasm_i32x4_sub(a, b)
#  define NPU__V_MUL32(a, b) wasm_i32x4_mul(a, b)
#  define NPU__V_GT32(a, b) wasm_i32x4_gt(a, b)
#  define NPU__V_MAX32(a, b) wasm_i32x4_max(a, b)
#  define NPU__V_MINU32(a, b) wasm_u32x4_min(a, b)
#  define NPU__V_SAR32(a, n) wasm_i32x4_shr(a, n)
#  define NPU__V_SIGNS32(a) wasm_i32x4_bitmask(a)
#  define NPU__V_DOT16(a, b) wasm_i32x4_dot_i16x8(a, b)
#  define NPU__V_PAIRS16(a) wasm_i32x4_extadd_pairwise_i16x8(a) /* sums of neighbours */
#  define NPU__V_TO_F32(a) wasm_f32x4_convert_i32x4(a) /* four floats, of the same type; nearest */
#  define NPU__V_OF_F32(a) wasm_i32x4_trunc_sat_f32x4(a)
#  define NPU__V_ADDF(a, b) wasm_f32x4_add(a, b)
#  define NPU__V_SUBF(a, b) wasm_f32x4_sub(a, b)
#  define NPU__V_MULF(a, b) wasm_f32x4_mul(a, b)
/* a * b + c, in one rounding or two */
#  if NPU__HAS_WASM_RELAXED
#    define NPU__V_MADDF(a, b, c) wasm_f32x4_relaxed_madd(a, b, c)
#  else
#    define NPU__V_MADDF(a, b, c) wasm_f32x4_add(wasm_f32x4_mul(a, b), c)
#  endif
#  define NPU__V_SETF(x) wasm_f32x4_splat(x)
#  define NPU__V_CLAMPF(v, lo, hi) wasm_f32x4_pmin(wasm_f32x4_pmax(v, lo), hi) /* NaN stays */
#  define NPU__V_ADD64(a, b) wasm_i64x2_add(a, b)
#  define NPU__V_SHR64(a, n) wasm_u64x2_shr(a, n)
#  define NPU__V_MUL_ONE(a, b) wasm_i64x2_extmul_low_i32x4(a, b)
#  define NPU__V_MUL_TWO(a, b) wasm_i64x2_extmul_high_i32x4(a, b)
#  define NPU__V_MUL_ONE_U(a, b) wasm_u64x2_extmul_low_u32x4(a, b)
#  define NPU__V_MUL_TWO_U(a, b) wasm_u64x2_extmul_high_u32x4(a, b)
#  define NPU__V_JOIN_LOW(one, two) wasm_i32x4_shuffle(one, two, 0, 2, 4, 6)
#  define NPU__V_ZIP_LO8(a, b) wasm_i8x16_shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#  define NPU__V_ZIP_HI8(a, b) wasm_i8x16_shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#  define NPU__V_ZIP_LO16(a, b) wasm_i16x8_shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#  define NPU__V_ZIP_HI16(a, b) wasm_i16x8_shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#  define NPU__V_ZIP_LO32(a, b) wasm_i32x4_shuffle(a, b, 0, 4, 1, 5)
#  define NPU__V_ZIP_HI32(a, b) wasm_i32x4_shuffle(a, b, 2, 6, 3, 7)
#  define NPU__V_ZIP_LO64(a, b) wasm_i32x4_shuffle(a, b, 0, 1, 4, 5)
#  define NPU__V_ZIP_HI64(a, b) wasm_i32x4_shuffle(a, b, 2, 3, 6, 7)
#elif NPU__HAS_X86
#  define NPU__HAS_V128 1
#  define NPU__V128 NPU__SSE41
typedef __m128i npu__v128;
#  define NPU__V_LOAD(p) NPU__LOAD16(p)
#  define NPU__V_LOAD8(p) NPU__LOAD8(p)
#  define NPU__V_LANES 1
#  define NPU__V_SPREAD4(p) _mm_set1_epi32(npu__load_i32(p))
#  define NPU__V_LOAD_S8(p) _mm_cvtepi8_epi16(NPU__LOAD8(p))
#  define NPU__V_LOAD_U8(p) _mm_cvtepu8_epi16(NPU__LOAD8(p))
#  define NPU__V_STORE(p, v) _mm_storeu_si128((__m128i *)(void *)(p), v)
#  define NPU__V_STORE8(p, v) _mm_storel_epi64((__m128i *)(void *)(p), v)
#  define NPU__V_STORE8_UP(p, v) _mm_storeh_pi((__m64 *)(void *)(p), _mm_castsi128_ps(v))
#  define NPU__V_SET8(x) _mm_set1_epi8((char)(x))
#  define NPU__V_SET16(x) _mm_set1_epi16(x)
#  define NPU__V_SET32(x) _mm_set1_epi32(x)
#  define NPU__V_SET64(x) _mm_set1_epi64x(x)
#  define NPU__V_LANE32(v, n) _mm_extract_epi32(v, n)
#  define NPU__V_SPREAD32(v, n) _mm_shuffle_epi32(v, (n) * 0x55)
#  define NPU__V_AND(a, b) _mm_and_si128(a, b)
#  define NPU__V_ANDNOT(a, b) _mm_andnot_si128(b, a)
#  define NPU__V_OR(a, b) _mm_or_si128(a, b)
#  define NPU__V_XOR(a, b) _mm_xor_si128(a, b)
#  define NPU__V_MIN8(a, b) _mm_min_epi8(a, b)
#  define NPU__V_MAX8(a, b) _mm_max_epi8(a, b)
#  define NPU__V_MINU8(a, b) _mm_min_epu8(a, b)
#  define NPU__V_EQ8(a, b) _mm_cmpeq_epi8(a, b)
#  define NPU__V_GT8(a, b) _mm_cmpgt_epi8(a, b)
#  define NPU__V_SIGNS8(a) _mm_movemask_epi8(a)
#  define NPU__V_SUB16(a, b) _mm_sub_epi16(a, b)
#  define NPU__V_ADDS16(a, b) _mm_adds_epi16(a, b)
#  define NPU__V_MULR16(a, b) _mm_mulhrs_epi16(a, b)
#  define NPU__V_SHR16(a, n) _mm_srli_epi16(a, n)
#  define NPU__V_PACK16(a, b) _mm_packs_epi16(a, b)
#  define NPU__V_PACK32(a, b) _mm_packs_epi32(a, b)
#  define NPU__V_ADD32(a, b) _mm_add_epi32(a, b)
#  define NPU__V_SUB32(a, b) _mm_sub_epi32(a, b)
#  define NPU__V_MUL32(a, b) _mm_mullo_epi32(a, b)
#  define NPU__V_GT32(a, b) _mm_cmpgt_epi32(a, b)
#  define NPU__V_MAX32(a, b) _mm_max_epi32(a, b)
#  define NPU__V_MINU32(a, b) _mm_min_epu32(a, b)
#  define NPU__V_SAR32(a, n) _mm_sra_epi32(a, _mm_cvtsi32_si128((int)(n)))
#  define NPU__V_SIGNS32(a) _mm_movemask_ps(_mm_castsi128_ps(a))
#  define NPU__V_DOT16(a, b) _mm_madd_epi16(a, b)
#  define NPU__V_PAIRS16(a) _mm_madd_epi16(a, _mm_set1_epi16(1))
#  define NPU__V_TO_F32(a) _mm_castps_si128(_mm_cvtepi32_ps(a))
#  define NPU__V_OF_F32(a) _mm_cvttps_epi32(_mm_castsi128_ps(a))
#  define NPU__V_ADDF(a, b) _mm_castps_si128(_mm_add_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b)))
#  define NPU__V_SUBF(a, b) _mm_castps_si128(_mm_sub_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b)))
#  define NPU__V_MULF(a, b) _mm_castps_si128(_mm_mul_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b)))
#  define NPU__V_MADDF(a, b, c) NPU__V_ADDF(NPU__V_MULF(a, b), c)
#  define NPU__V_SETF(x) _mm_castps_si128(_mm_set1_ps(x))
#  define NPU__V_CLAMPF(v, lo, hi) \
    _mm_castps_si128(_mm_min_ps(_mm_castsi128_ps(hi), _mm_max_ps(_mm_castsi128_ps(lo), _mm_castsi128_ps(v))))
#  define NPU__V_ADD64(a, b) _mm_add_epi64(a, b)
#  define NPU__V_SHR64(a, n) _mm_srli_epi64(a, n)
#  define NPU__V_MUL_ONE(a, b) _mm_mul_epi32(a, b)
#  define NPU__V_MUL_TWO(a, b) _mm_mul_epi32(_mm_srli_epi64(a, 32), _mm_srli_epi64(b, 32))
#  define NPU__V_MUL_ONE_U(a, b) _mm_mul_epu32(a, b)
#  define NPU__V_MUL_TWO_U(a, b) _mm_mul_epu32(_mm_srli_epi64(a, 32), _mm_srli_epi64(b, 32))
#  define NPU__V_JOIN_LOW(one, two) _mm_blend_epi16(one, _mm_slli_epi64(two, 32), 0xCC)
#  define NPU__V_ZIP_LO8(a, b) _mm_unpacklo_epi8(a, b)
#  define NPU__V_ZIP_HI8(a, b) _mm_unpackhi_epi8(a, b)
#  define NPU__V_ZIP_LO16(a, b) _mm_unpacklo_epi16(a, b)
#  define NPU__V_ZIP_HI16(a, b) _mm_unpackhi_epi16(a, b)
#  define NPU__V_ZIP_LO32(a, b) _mm_unpacklo_epi32(a, b)
#  define NPU__V_ZIP_HI32(a, b) _mm_unpackhi_epi32(a, b)
#  define NPU__V_ZIP_LO64(a, b) _mm_unpacklo_epi64(a, b)
#  define NPU__V_ZIP_HI64(a, b) _mm_unpackhi_epi64(a, b)
#else
#  define NPU__HAS_V128 0
#endif

#endif
