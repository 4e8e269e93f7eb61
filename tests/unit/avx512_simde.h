/* AVX-512 (and AVX2) intrinsics emulated by SIMDe, so that kernels this machine cannot run are executed all the same.
 * The compiler's own header is kept out by its guard. */
#ifndef NPU_TESTS_AVX512_SIMDE_H
#define NPU_TESTS_AVX512_SIMDE_H

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx2.h>
#include <simde/x86/fma.h>
#include <simde/x86/avx512.h>
#include <math.h>
#include <string.h>
#define _IMMINTRIN_H_INCLUDED
#define __IMMINTRIN_H
#define NPU__AVX2
#define NPU__AVX2_ONLY
#define NPU__AVXVNNI
#define NPU__AVX512
#define NPU__AVX512_LOOPS
#define NPU__VNNI
#define NPU__VBMI
#define NPU__AMX
#define NPU__SSE41
#define _mm256_dpbusd_avx_epi32 simde_mm256_dpbusd_epi32
#define NPU_TEST_CAN_RUN(isa) ((isa) != NPU_ISA_AUTO)

#include "amx_emulated.h"

/* What SIMDe 0.7.4 lacks, or has with arguments of another function. */
#undef _mm512_madd_epi16
#define _mm512_madd_epi16 simde_mm512_madd_epi16
typedef simde__mmask16 __mmask16;
typedef simde__mmask32 __mmask32;
typedef simde__mmask64 __mmask64;
#ifndef _MM_FROUND_NO_EXC
#define _MM_FROUND_NO_EXC SIMDE_MM_FROUND_NO_EXC
#define _MM_FROUND_TO_ZERO SIMDE_MM_FROUND_TO_ZERO
#endif
static simde__m512i npu_test_shift(simde__m512i a, simde__m512i n) {
    int32_t x[16], s[16];
    simde_mm512_storeu_si512(x, a);
    simde_mm512_storeu_si512(s, n);
    for (int i = 0; i < 16; i++) {
        uint32_t count = (uint32_t)s[i] > 31u ? 31u : (uint32_t)s[i];
        x[i] = x[i] < 0 ? ~(~x[i] >> count) : x[i] >> count;
    }
    return simde_mm512_loadu_si512(x);
}
#define _mm512_srav_epi32(a, n) npu_test_shift(a, n)
#define _mm512_srai_epi32(a, n) npu_test_shift(a, simde_mm512_set1_epi32(n))

static simde__m512i npu_test_widen8(simde__m128i a) {
    int8_t  x[16];
    int32_t y[16];
    simde_mm_storeu_si128((simde__m128i *)(void *)x, a);
    for (int i = 0; i < 16; i++) y[i] = x[i];
    return simde_mm512_loadu_si512(y);
}
#undef _mm512_cvtepi8_epi32
#define _mm512_cvtepi8_epi32(a) npu_test_widen8(a)
static simde__m128i npu_test_load8(simde__mmask16 some, const void *p) {
    uint8_t x[16];
    for (int i = 0; i < 16; i++) x[i] = 0;
    for (int i = 0; i < 16; i++) if (some >> i & 1) x[i] = ((const uint8_t *)p)[i];
    return simde_mm_loadu_si128((const simde__m128i *)(const void *)x);
}
#undef _mm_maskz_loadu_epi8
#define _mm_maskz_loadu_epi8(some, p) npu_test_load8(some, p)

/* One rounding: some kernels were proven for it. SIMDe's rounds the product first where the compiler has no such instruction. */
#define NPU_TEST_FMA(name, type, load, store, n)                                  \
    static type name(type a, type b, type c) {                                    \
        float x[n], y[n], z[n];                                                   \
        store(x, a);                                                              \
        store(y, b);                                                              \
        store(z, c);                                                              \
        for (int i = 0; i < n; i++) x[i] = fmaf(x[i], y[i], z[i]);                \
        return load(x);                                                           \
    }
NPU_TEST_FMA(npu_test_fma8, simde__m256, simde_mm256_loadu_ps, simde_mm256_storeu_ps, 8)
NPU_TEST_FMA(npu_test_fma16, simde__m512, simde_mm512_loadu_ps, simde_mm512_storeu_ps, 16)
#undef _mm256_fmadd_ps
#undef _mm512_fmadd_ps
#define _mm256_fmadd_ps npu_test_fma8
#define _mm512_fmadd_ps npu_test_fma16
#undef _mm256_fnmadd_ps
#undef _mm512_fnmadd_ps
#define _mm256_fnmadd_ps(a, b, c) npu_test_fma8(simde_mm256_sub_ps(simde_mm256_setzero_ps(), a), b, c)
#define _mm512_fnmadd_ps(a, b, c) npu_test_fma16(simde_mm512_sub_ps(simde_mm512_setzero_ps(), a), b, c)

/* Roundings as they are, without fusing: what these forms are for. */
#define _MM_FROUND_CUR_DIRECTION 4
#define _mm512_mul_round_ps(a, b, rounding) simde_mm512_mul_ps(a, b)
#define _mm512_add_round_ps(a, b, rounding) simde_mm512_add_ps(a, b)

static void npu_test_store(void *to, simde__mmask64 mask, const void *from) {
    for (int i = 0; i < 64; i++)
        if (mask >> i & 1) ((uint8_t *)to)[i] = ((const uint8_t *)from)[i];
}
static void _mm512_mask_storeu_epi8(void *to, simde__mmask64 mask, simde__m512i v) { npu_test_store(to, mask, &v); }
static void _mm256_mask_storeu_epi8(void *to, simde__mmask32 mask, simde__m256i v) { npu_test_store(to, mask, &v); }
static void _mm_mask_storeu_epi8(void *to, simde__mmask16 mask, simde__m128i v) { npu_test_store(to, mask, &v); }
static simde__m512i npu_test_load(simde__mmask64 mask, const void *from) {
    simde__m512i v = simde_mm512_setzero_si512();
    npu_test_store(&v, mask, from);
    return v;
}
#define _mm512_maskz_loadu_epi8 npu_test_load
static simde__m512 _mm512_mask_loadu_ps(simde__m512 src, simde__mmask16 mask, const void *from) {
    float x[16];
    simde_mm512_storeu_ps(x, src);
    for (int i = 0; i < 16; i++)
        if (mask >> i & 1) memcpy(x + i, (const char *)from + 4 * i, 4);
    return simde_mm512_loadu_ps(x);
}
#define _mm512_maskz_loadu_ps(mask, from) _mm512_mask_loadu_ps(simde_mm512_setzero_ps(), mask, from)
static void _mm512_mask_storeu_ps(void *to, simde__mmask16 mask, simde__m512 v) {
    float x[16];
    simde_mm512_storeu_ps(x, v);
    for (int i = 0; i < 16; i++)
        if (mask >> i & 1) memcpy((char *)to + 4 * i, x + i, 4);
}
static simde__m512i _mm512_cvttps_epi32(simde__m512 v) {
    float   x[16];
    int32_t y[16];
    simde_mm512_storeu_ps(x, v);
    for (int i = 0; i < 16; i++) y[i] = x[i] >= -2147483648.0f && x[i] < 2147483648.0f ? (int32_t)x[i] : INT32_MIN;
    return simde_mm512_loadu_si512(y);
}
#define _MM_PERM_CDAB 0xB1
static simde__m512i npu_test_mask_shuffle(simde__m512i src, simde__mmask16 mask, simde__m512i a, int quads) {
    int32_t to[16], from[16];
    simde_mm512_storeu_si512(to, src);
    simde_mm512_storeu_si512(from, a);
    for (int i = 0; i < 16; i++)
        if (mask >> i & 1) to[i] = from[(i & 12) + (quads >> 2 * (i & 3) & 3)];
    return simde_mm512_loadu_si512(to);
}
#define _mm512_mask_shuffle_epi32 npu_test_mask_shuffle

#define _mm512_maskz_loadu_epi32(mask, from) simde_mm512_castps_si512(_mm512_maskz_loadu_ps(mask, from))
#define _mm512_mask_storeu_epi32(to, mask, v) _mm512_mask_storeu_ps(to, mask, simde_mm512_castsi512_ps(v))
static simde__m256i _mm256_maskz_loadu_epi8(simde__mmask32 mask, const void *from) {
    simde__m256i v = simde_mm256_setzero_si256();
    npu_test_store(&v, mask, from);
    return v;
}
static simde__m512i _mm512_maskz_loadu_epi16(simde__mmask32 mask, const void *from) {
    simde__mmask64 bytes = 0;
    for (int i = 0; i < 32; i++)
        if (mask >> i & 1) bytes |= UINT64_C(3) << 2 * i;
    return npu_test_load(bytes, from);
}
/* Conversions of n elements; of floats what fits. */
#define NPU_TEST_CONVERT(name, n, vector, element, store, to_vector, to_element, load) \
    static to_vector name(vector a) {                                                  \
        element    from[n];                                                            \
        to_element to[n];                                                              \
        store((void *)from, a);                                                        \
        for (int i = 0; i < n; i++) to[i] = (to_element)from[i];                       \
        return load((const void *)to);                                                 \
    }
NPU_TEST_CONVERT(_mm512_cvtepi32_epi8, 16, simde__m512i, int32_t, simde_mm512_storeu_si512, simde__m128i, uint8_t, simde_mm_loadu_si128)
NPU_TEST_CONVERT(_mm512_cvtepi16_epi32, 16, simde__m256i, int16_t, simde_mm256_storeu_si256, simde__m512i, int32_t, simde_mm512_loadu_si512)
NPU_TEST_CONVERT(_mm512_cvtepu8_epi16, 32, simde__m256i, uint8_t, simde_mm256_storeu_si256, simde__m512i, uint16_t, simde_mm512_loadu_si512)
NPU_TEST_CONVERT(_mm512_cvtepi32_ps, 16, simde__m512i, int32_t, simde_mm512_storeu_si512, simde__m512, float, simde_mm512_loadu_ps)
NPU_TEST_CONVERT(_mm512_cvtepi32_pd, 8, simde__m256i, int32_t, simde_mm256_storeu_si256, simde__m512d, double, simde_mm512_loadu_pd)
NPU_TEST_CONVERT(_mm512_cvtpd_ps, 8, simde__m512d, double, simde_mm512_storeu_pd, simde__m256, float, simde_mm256_loadu_ps)
NPU_TEST_CONVERT(_mm512_cvttpd_epi32, 8, simde__m512d, double, simde_mm512_storeu_pd, simde__m256i, int32_t, simde_mm256_loadu_si256)
#undef NPU_TEST_CONVERT
static simde__m512i _mm512_cvtps_epi32(simde__m512 a) { /* to the nearest even one; INT32_MIN for what does not fit */
    float   from[16];
    int32_t to[16];
    simde_mm512_storeu_ps(from, a);
    for (int i = 0; i < 16; i++) {
        if (!(from[i] >= -2147483648.0f && from[i] < 2147483648.0f)) {
            to[i] = INT32_MIN;
            continue;
        }
        const double whole = (double)(int64_t)from[i], rest = (double)from[i] - whole;
        const int    odd = (int64_t)whole & 1;
        to[i] = (int32_t)(whole + (rest > 0.5 || (rest == 0.5 && odd)) - (rest < -0.5 || (rest == -0.5 && odd)));
    }
    return simde_mm512_loadu_si512(to);
}
static simde__m256 _mm512_extractf32x8_ps(simde__m512 a, int half) {
    float from[16];
    simde_mm512_storeu_ps(from, a);
    return simde_mm256_loadu_ps(from + 8 * half);
}

#endif
