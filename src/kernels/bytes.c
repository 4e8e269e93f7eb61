/* The loops of bytes.h for each instruction set of this build, and their table. */
#include "bytes.h"
#include "v128.h"

NPU__FN void npu__bytes_table(const uint8_t *table, const uint8_t *in, uint8_t *out, int64_t n) {
    for (int64_t i = 0; i < n; i++) out[i] = table[in[i]];
}

#if NPU__HAS_X86
#define NPU__V(name) name##__avx2
#define NPU__VFN NPU__AVX2
#define NPU__BN 32
#define NPU__B8 __m256i
#define NPU__BW __m256i
#define NPU__BI __m256i
#define NPU__BP __m256i
#define NPU__B_SET8(x) _mm256_set1_epi8((char)(x))
#define NPU__B_WIDE(p, flip, w0, w1)                                                             \
    (w0 = _mm256_cvtepi8_epi16(_mm_xor_si128(NPU__LOAD16(p), _mm256_castsi256_si128(flip))),     \
     w1 = _mm256_cvtepi8_epi16(_mm_xor_si128(NPU__LOAD16((p) + 16), _mm256_castsi256_si128(flip))))
#define NPU__B_ADDS16(a, b) _mm256_adds_epi16(a, b)
#define NPU__B_PACK(e0, e1) _mm256_packs_epi32(e0, e1)
#define NPU__B_SET16(x) _mm256_set1_epi16((int16_t)(x))
#define NPU__B_SET32(x) _mm256_set1_epi32(x)
#define NPU__B_ADD16(a, b) _mm256_add_epi16(a, b)
#define NPU__B_ADD32(a, b) _mm256_add_epi32(a, b)
#define NPU__B_AND(a, b) _mm256_and_si256(a, b)
#define NPU__B_MUL32(a, b) _mm256_mullo_epi32(a, b)
#define NPU__B_SAR(a, n) _mm256_srai_epi32(a, n)
#define NPU__B_SAR_BY(a, n) _mm256_sra_epi32(a, _mm_cvtsi32_si128(n))
#define NPU__B_DOT(pairs, factors) _mm256_madd_epi16(pairs, factors)
#define NPU__B_PAIRS(x, y, e0, e1) (e0 = _mm256_unpacklo_epi16(x, y), e1 = _mm256_unpackhi_epi16(x, y))
#define NPU__B_PRODUCTS(x, y, e0, e1) npu__bytes_products__avx2(x, y, &e0, &e1)
#define NPU__B_STORE npu__bytes_store__avx2
#define NPU__BF __m256
#define NPU__B_SETF(x) _mm256_set1_ps(x)
#define NPU__B_FLOATS(e, c)                                                                                            \
    _mm256_cvtps_epi32(_mm256_fmadd_ps(_mm256_cvtepi32_ps(e), (c)->scale,                                              \
                                       _mm256_blendv_ps((c)->above, (c)->below, _mm256_castsi256_ps(e))))
NPU__AVX2 NPU__INLINE void npu__bytes_products__avx2(__m256i x, __m256i y, __m256i *e0, __m256i *e1) {
    const __m256i low = _mm256_mullo_epi16(x, y), high = _mm256_mulhi_epi16(x, y);
    *e0 = _mm256_unpacklo_epi16(low, high);
    *e1 = _mm256_unpackhi_epi16(low, high);
}
NPU__AVX2 NPU__INLINE void npu__bytes_store__avx2(uint8_t *to, __m256i w0, __m256i w1, __m256i least, __m256i most, __m256i flip) {
    const __m256i v = _mm256_permute4x64_epi64(_mm256_packs_epi16(w0, w1), 0xD8);
    _mm256_storeu_si256((__m256i *)(void *)to, _mm256_xor_si256(_mm256_min_epi8(_mm256_max_epi8(v, least), most), flip));
}
#include "bytes_v.h"

/* 64 bytes at a time: each sixteenth of the table by the low half of the byte, then one of two four times over by its higher bits,
 * which are moved to where a blend looks for them. */
#define NPU__PART(k, at) _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(NPU__LOAD16(table + 16 * (k))), at)
NPU__AVX2 NPU__INLINE void npu__bytes_table4__avx2(const uint8_t *table, const __m256i *x, const __m256i *at, __m256i *out) {
    for (int j = 0; j < 2; j++) {
        const __m256i b4 = _mm256_slli_epi16(x[j], 3);
        const __m256i v = _mm256_blendv_epi8(NPU__PART(0, at[j]), NPU__PART(1, at[j]), b4);
        const __m256i w = _mm256_blendv_epi8(NPU__PART(2, at[j]), NPU__PART(3, at[j]), b4);
        out[j] = _mm256_blendv_epi8(v, w, _mm256_slli_epi16(x[j], 2));
    }
}
#undef NPU__PART
NPU__AVX2 NPU__INLINE void npu__bytes_table8__avx2(const uint8_t *table, const __m256i *x, const __m256i *at, __m256i *out) {
    __m256i more[2];
    npu__bytes_table4__avx2(table, x, at, out);
    npu__bytes_table4__avx2(table + 64, x, at, more);
    for (int j = 0; j < 2; j++) out[j] = _mm256_blendv_epi8(out[j], more[j], _mm256_slli_epi16(x[j], 1));
}
NPU__AVX2 NPU__FN void npu__bytes_table__avx2(const uint8_t *table, const uint8_t *in, uint8_t *out, int64_t n) {
    const __m256i low = _mm256_set1_epi8(15);
    int64_t       i = 0;
    for (; i + 64 <= n; i += 64) {
        __m256i x[2], at[2], v[2], w[2];
        for (int j = 0; j < 2; j++) at[j] = _mm256_and_si256(x[j] = NPU__LOAD32(in + i + 32 * j), low);
        npu__bytes_table8__avx2(table, x, at, v);
        npu__bytes_table8__avx2(table + 128, x, at, w);
        for (int j = 0; j < 2; j++) {
            _mm256_storeu_si256((__m256i *)(void *)(out + i + 32 * j), _mm256_blendv_epi8(v[j], w[j], x[j]));
        }
    }
    npu__bytes_table(table, in + i, out + i, n - i);
}

#define NPU__V(name) name##__avx2
#define NPU__VFN NPU__AVX2
#define NPU__LT __m256i
#define NPU__LN 32
#define NPU__L_LOAD(p) NPU__LOAD32(p)
#define NPU__L_STORE(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define NPU__L_SET8(x) _mm256_set1_epi8(x)
#define NPU__L_SET16(x) _mm256_set1_epi16(x)
#define NPU__L_XOR(a, b) _mm256_xor_si256(a, b)
#define NPU__L_MIN8(a, b) _mm256_min_epi8(a, b)
#define NPU__L_MAX8(a, b) _mm256_max_epi8(a, b)
#define NPU__L_BELOW8(x, y) _mm256_cmpgt_epi8(y, x)
#define NPU__L_PICK(mask, a, b) _mm256_blendv_epi8(b, a, mask)
#define NPU__L_ZIP_LO8(a, b) _mm256_unpacklo_epi8(a, b)
#define NPU__L_ZIP_HI8(a, b) _mm256_unpackhi_epi8(a, b)
#define NPU__L_PACK16(a, b) _mm256_packs_epi16(a, b)
#define NPU__L_ADDS16(a, b) _mm256_adds_epi16(a, b)
#define NPU__L_MUL16(a, b) _mm256_mulhrs_epi16(a, b)
#include "bytes_line_v.h"

/* A product and nothing that could be fused with it: the bits of plain C. */
NPU__AVX2 NPU__INLINE __m256 npu__bytes_real8__avx2(const uint8_t *in, __m128i flip, __m256i zero, __m256 by) {
    return _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_sub_epi32(_mm256_cvtepi8_epi32(_mm_xor_si128(NPU__LOAD8(in), flip)), zero)), by);
}
NPU__AVX2 NPU__FN void npu__bytes_real__avx2(const uint8_t *in, float *out, int64_t n, int32_t is_signed, float scale,
                                             int32_t zero_point) {
    const __m256  by = _mm256_set1_ps(scale);
    const __m128i flip = _mm_set1_epi8((char)(is_signed ? 0 : 0x80));
    const __m256i zero = _mm256_set1_epi32(zero_point - (is_signed ? 0 : 128));
    uint8_t       rest[8] = {0};
    float         last[8];
    int64_t       i = 0;
    for (; i + 32 <= n; i += 32) {
        for (int j = 0; j < 32; j += 8) _mm256_storeu_ps(out + i + j, npu__bytes_real8__avx2(in + i + j, flip, zero, by));
    }
    for (; i + 8 <= n; i += 8) _mm256_storeu_ps(out + i, npu__bytes_real8__avx2(in + i, flip, zero, by));
    if (i == n) return;
    memcpy(rest, in + i, (size_t)(n - i));
    _mm256_storeu_ps(last, npu__bytes_real8__avx2(rest, flip, zero, by));
    memcpy(out + i, last, (size_t)(n - i) * sizeof *out);
}
#endif

#if NPU__HAS_NEON64
typedef struct npu__bytes_pairs__neon {
    int16x4_t a, b;
} npu__bytes_pairs__neon;
#define NPU__V(name) name##__neon
#define NPU__VFN
#define NPU__BN 16
#define NPU__B8 int8x16_t
#define NPU__BW int16x8_t
#define NPU__BI int32x4_t
#define NPU__BP npu__bytes_pairs__neon
#define NPU__B_SET8(x) vdupq_n_s8((int8_t)(uint8_t)(x))
#define NPU__B_WIDE(p, flip, w0, w1)                                    \
    do {                                                                \
        const int8x16_t v = veorq_s8(vreinterpretq_s8_u8(vld1q_u8(p)), flip); \
        w0 = vmovl_s8(vget_low_s8(v));                                  \
        w1 = vmovl_s8(vget_high_s8(v));                                 \
    } while (0)
#define NPU__B_ADDS16(a, b) vqaddq_s16(a, b)
#define NPU__B_PACK(e0, e1) vcombine_s16(vqmovn_s32(e0), vqmovn_s32(e1))
#define NPU__B_SET16(x) vdupq_n_s16((int16_t)(x))
#define NPU__B_SET32(x) vdupq_n_s32(x)
#define NPU__B_ADD16(a, b) vaddq_s16(a, b)
#define NPU__B_ADD32(a, b) vaddq_s32(a, b)
#define NPU__B_AND(a, b) vandq_s32(a, b)
#define NPU__B_MUL32(a, b) vmulq_s32(a, b)
#define NPU__B_SAR(a, n) vshrq_n_s32(a, n)
#define NPU__B_SAR_BY(a, n) vshlq_s32(a, vdupq_n_s32(-(n)))
#define NPU__B_DOT(e, factors) npu__bytes_dot__neon(e, vreinterpret_s16_s32(vget_low_s32(factors)))
#define NPU__B_PAIRS(x, y, e0, e1) \
    (e0.a = vget_low_s16(x), e0.b = vget_low_s16(y), e1.a = vget_high_s16(x), e1.b = vget_high_s16(y))
#define NPU__B_PRODUCTS(x, y, e0, e1) npu__bytes_products__neon(x, y, &e0, &e1)
#define NPU__B_STORE npu__bytes_store__neon
NPU__INLINE int32x4_t npu__bytes_dot__neon(npu__bytes_pairs__neon e, int16x4_t factors) {
    return vmlal_lane_s16(vmull_lane_s16(e.a, factors, 0), e.b, factors, 1);
}
NPU__INLINE void npu__bytes_products__neon(int16x8_t x, int16x8_t y, int32x4_t *e0, int32x4_t *e1) {
    *e0 = vmull_s16(vget_low_s16(x), vget_low_s16(y));
    *e1 = vmull_s16(vget_high_s16(x), vget_high_s16(y));
}
NPU__INLINE void npu__bytes_store__neon(uint8_t *to, int16x8_t w0, int16x8_t w1, int8x16_t least, int8x16_t most, int8x16_t flip) {
    const int8x16_t v = vcombine_s8(vqmovn_s16(w0), vqmovn_s16(w1));
    vst1q_u8(to, vreinterpretq_u8_s8(veorq_s8(vminq_s8(vmaxq_s8(v, least), most), flip)));
}
#include "bytes_v.h"

/* 16 bytes at a time, by a quarter of the table each: numbers outside of a quarter leave what is there. */
NPU__FN void npu__bytes_table__neon(const uint8_t *table, const uint8_t *in, uint8_t *out, int64_t n) {
    uint8x16x4_t t[4];
    int64_t      i = 0;
    for (int k = 0; k < 16; k++) t[k / 4].val[k % 4] = vld1q_u8(table + 16 * k);
    for (; i + 16 <= n; i += 16) {
        const uint8x16_t x = vld1q_u8(in + i);
        uint8x16_t       v = vqtbl4q_u8(t[0], x);
        v = vqtbx4q_u8(v, t[1], vsubq_u8(x, vdupq_n_u8(64)));
        v = vqtbx4q_u8(v, t[2], vsubq_u8(x, vdupq_n_u8(128)));
        v = vqtbx4q_u8(v, t[3], vsubq_u8(x, vdupq_n_u8(192)));
        vst1q_u8(out + i, v);
    }
    npu__bytes_table(table, in + i, out + i, n - i);
}
#endif

#if NPU__HAS_WASM_SIMD
#define NPU__V(name) name##__wasm
#define NPU__VFN
#define NPU__BN 16
#define NPU__B8 v128_t
#define NPU__BW v128_t
#define NPU__BI v128_t
#define NPU__BP v128_t
#define NPU__B_SET8(x) wasm_i8x16_splat((int8_t)(uint8_t)(x))
#define NPU__B_WIDE(p, flip, w0, w1)                                \
    do {                                                            \
        const v128_t v = wasm_v128_xor(wasm_v128_load(p), flip);    \
        w0 = wasm_i16x8_extend_low_i8x16(v);                        \
        w1 = wasm_i16x8_extend_high_i8x16(v);                       \
    } while (0)
#define NPU__B_ADDS16(a, b) wasm_i16x8_add_sat(a, b)
#define NPU__B_PACK(e0, e1) wasm_i16x8_narrow_i32x4(e0, e1)
#define NPU__B_SET16(x) wasm_i16x8_splat((int16_t)(x))
#define NPU__B_SET32(x) wasm_i32x4_splat(x)
#define NPU__B_ADD16(a, b) wasm_i16x8_add(a, b)
#define NPU__B_ADD32(a, b) wasm_i32x4_add(a, b)
#define NPU__B_AND(a, b) wasm_v128_and(a, b)
#define NPU__B_MUL32(a, b) wasm_i32x4_mul(a, b)
#define NPU__B_SAR(a, n) wasm_i32x4_shr(a, n)
#define NPU__B_SAR_BY(a, n) wasm_i32x4_shr(a, (uint32_t)(n))
#define NPU__B_DOT(pairs, factors) wasm_i32x4_dot_i16x8(pairs, factors)
#define NPU__B_PAIRS(x, y, e0, e1) \
    (e0 = wasm_i16x8_shuffle(x, y, 0, 8, 1, 9, 2, 10, 3, 11), e1 = wasm_i16x8_shuffle(x, y, 4, 12, 5, 13, 6, 14, 7, 15))
#define NPU__B_PRODUCTS(x, y, e0, e1) npu__bytes_products__wasm(x, y, &e0, &e1)
#define NPU__B_STORE npu__bytes_store__wasm
NPU__INLINE void npu__bytes_products__wasm(v128_t x, v128_t y, v128_t *e0, v128_t *e1) {
    *e0 = wasm_i32x4_extmul_low_i16x8(x, y);
    *e1 = wasm_i32x4_extmul_high_i16x8(x, y);
}
NPU__INLINE void npu__bytes_store__wasm(uint8_t *to, v128_t w0, v128_t w1, v128_t least, v128_t most, v128_t flip) {
    const v128_t v = wasm_i8x16_narrow_i16x8(w0, w1);
    wasm_v128_store(to, wasm_v128_xor(wasm_i8x16_min(wasm_i8x16_max(v, least), most), flip));
}
#include "bytes_v.h"
#endif

#if NPU__HAS_V128
#define NPU__V(name) name##__v128
#define NPU__VFN NPU__V128
#define NPU__LT npu__v128
#define NPU__LN 16
#define NPU__L_LOAD(p) NPU__V_LOAD(p)
#define NPU__L_STORE(p, v) NPU__V_STORE(p, v)
#define NPU__L_SET8(x) NPU__V_SET8(x)
#define NPU__L_SET16(x) NPU__V_SET16(x)
#define NPU__L_XOR(a, b) NPU__V_XOR(a, b)
#define NPU__L_MIN8(a, b) NPU__V_MIN8(a, b)
#define NPU__L_MAX8(a, b) NPU__V_MAX8(a, b)
#define NPU__L_BELOW8(x, y) NPU__V_GT8(y, x)
#define NPU__L_PICK(mask, a, b) NPU__V_OR(NPU__V_AND(a, mask), NPU__V_ANDNOT(b, mask))
#define NPU__L_ZIP_LO8(a, b) NPU__V_ZIP_LO8(a, b)
#define NPU__L_ZIP_HI8(a, b) NPU__V_ZIP_HI8(a, b)
#define NPU__L_PACK16(a, b) NPU__V_PACK16(a, b)
#define NPU__L_ADDS16(a, b) NPU__V_ADDS16(a, b)
#define NPU__L_MUL16(a, b) NPU__V_MULR16(a, b)
#include "bytes_line_v.h"
#endif

#define NPU_X(name, isa, sum, product, table, real, line) {name, NPU_ISA_##isa, sum, product, table, real, line},
static const npu__bytes npu__bytes_rows[] = {NPU__BYTES_KERNELS(NPU_X) {NULL, NPU_ISA_AUTO, NULL, NULL, NULL, NULL, NULL}};
#undef NPU_X

NPU__FN const npu__bytes *npu__bytes_select(npu_isa isa) {
    const npu__bytes *r = npu__bytes_rows;
    while (!npu__isa_includes(isa, r->isa)) r++; /* the last one fits all */
    return r;
}
