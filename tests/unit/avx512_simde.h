/* AVX-512 (and AVX2) intrinsics emulated by SIMDe, so that kernels this machine cannot run are executed all the same.
 * The compiler's own header is kept out by its guard. */
#ifndef NPU_TESTS_AVX512_SIMDE_H
#define NPU_TESTS_AVX512_SIMDE_H

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx2.h>
#include <simde/x86/fma.h>
#include <simde/x86/avx512.h>
#define _IMMINTRIN_H_INCLUDED
#define __IMMINTRIN_H
#define NPU__AVX2
#define NPU__AVX2_ONLY
#define NPU__VNNI
#define NPU_TEST_CAN_RUN(isa) ((isa) != NPU_ISA_AUTO)

/* What SIMDe 0.7.4 lacks. */
typedef simde__mmask16 __mmask16;
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

#endif
