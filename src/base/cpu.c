/* Which instruction sets this build carries and this machine can run. Asked when called: no state is kept. */
#include "base.h"

#if NPU__HAS_X86
#  if defined(_MSC_VER) && !defined(__clang__)
#    include <intrin.h>
#  else
#    include <cpuid.h>
#  endif
#endif
#if NPU__HAS_NEON && defined(__linux__)
#  include <sys/auxv.h>
#endif

NPU_API const char *npu_isa_name(npu_isa isa) {
    switch (isa) {
#define NPU_X(name, value, text) case NPU_ISA_##name: return text;
        NPU_ISA_LIST(NPU_X)
#undef NPU_X
    default: return NULL;
    }
}

#if NPU__HAS_X86
/* False when the CPU does not have that leaf. */
NPU__FN int npu__cpuid(uint32_t leaf, uint32_t sub, uint32_t regs[4]) {
#  if defined(_MSC_VER) && !defined(__clang__)
    int r[4];
    __cpuid(r, 0);
    if ((uint32_t)r[0] < leaf) return 0;
    __cpuidex(r, (int)leaf, (int)sub);
    for (int i = 0; i < 4; i++) regs[i] = (uint32_t)r[i];
    return 1;
#  else
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid_count(leaf, sub, &a, &b, &c, &d)) return 0;
    regs[0] = a; regs[1] = b; regs[2] = c; regs[3] = d;
    return 1;
#  endif
}

/* Register state the operating system saves (XCR0). Only called when CPUID says OSXSAVE. */
NPU__FN uint32_t npu__xcr0(void) {
#  if defined(_MSC_VER) && !defined(__clang__)
    return (uint32_t)_xgetbv(0);
#  else
    uint32_t lo, hi;
    __asm__ __volatile__("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
    (void)hi;
    return lo;
#  endif
}

NPU__FN npu_isa npu__x86_best(void) {
    const uint32_t fma = 1u << 12, osxsave = 1u << 27, avx = 1u << 28; /* leaf 1 ecx */
    const uint32_t avx2 = 1u << 5;                                     /* leaf 7 ebx */
    const uint32_t avx512 = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31; /* leaf 7 ebx: F, DQ, BW, VL */
    const uint32_t vnni = 1u << 11;                                    /* leaf 7 ecx */
    uint32_t       r1[4], r7[4], state;
    if (!npu__cpuid(1, 0, r1) || (r1[2] & (fma | osxsave | avx)) != (fma | osxsave | avx)) return NPU_ISA_SCALAR;
    if (!npu__cpuid(7, 0, r7) || !(r7[1] & avx2)) return NPU_ISA_SCALAR;
    state = npu__xcr0();
    if ((state & 0x6u) != 0x6u) return NPU_ISA_SCALAR; /* xmm and ymm */
    if ((r7[1] & avx512) == avx512 && (r7[2] & vnni) && (state & 0xE0u) == 0xE0u) return NPU_ISA_AVX512VNNI;
    return NPU_ISA_AVX2;
}
#endif

#if NPU__HAS_NEON
NPU__FN npu_isa npu__arm_best(void) {
#  if defined(__ARM_FEATURE_DOTPROD)
    return NPU_ISA_NEON_DOT;
#  elif defined(__linux__)
    return (getauxval(AT_HWCAP) >> 20) & 1u ? NPU_ISA_NEON_DOT : NPU_ISA_NEON; /* HWCAP_ASIMDDP */
#  else
    return NPU_ISA_NEON;
#  endif
}
#endif

NPU_API npu_isa npu_isa_best(void) {
#if NPU__HAS_X86
    return npu__x86_best();
#elif NPU__HAS_NEON
    return npu__arm_best();
#elif NPU__HAS_WASM_RELAXED
    return NPU_ISA_WASM_RELAXED;
#elif NPU__HAS_WASM_SIMD
    return NPU_ISA_WASM_SIMD;
#else
    return NPU_ISA_SCALAR;
#endif
}

NPU__FN int npu__isa_includes(npu_isa whole, npu_isa part) {
    if (part == NPU_ISA_SCALAR || part == whole) return 1;
    return (whole == NPU_ISA_AVX512VNNI && part == NPU_ISA_AVX2) ||
           (whole == NPU_ISA_NEON_DOT && part == NPU_ISA_NEON) ||
           (whole == NPU_ISA_WASM_RELAXED && part == NPU_ISA_WASM_SIMD);
}

NPU__FN int npu__isa_built(npu_isa isa) {
    switch (isa) {
    case NPU_ISA_AVX2:
    case NPU_ISA_AVX512VNNI: return NPU__HAS_X86;
    case NPU_ISA_NEON:
    case NPU_ISA_NEON_DOT: return NPU__HAS_NEON;
    case NPU_ISA_WASM_SIMD: return NPU__HAS_WASM_SIMD;
    case NPU_ISA_WASM_RELAXED: return NPU__HAS_WASM_RELAXED;
    default: return 1;
    }
}

NPU_API int npu_isa_available(npu_isa isa) {
    return isa == NPU_ISA_AUTO || npu__isa_includes(npu_isa_best(), isa);
}
