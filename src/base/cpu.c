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
#if NPU__HAS_WASM_RELAXED
#  include <wasm_simd128.h>
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

#  if NPU__HAS_AMX
/* Does the system let this process use tiles? A question that permits it: arch_prctl(ARCH_REQ_XCOMP_PERM, tile data). */
NPU__FN int npu__tiles_allowed(void) {
    long answer;
    __asm__ __volatile__("syscall" : "=a"(answer) : "0"(158L), "D"(0x1023L), "S"(18L) : "rcx", "r11", "memory");
    return answer == 0;
}
#  endif

/* Leaf 1, ecx: SSSE3 and SSE4.1; FMA, OSXSAVE and AVX. Leaf 7, ebx: AVX2; AVX-512 F, DQ, BW and VL; ecx: AVX-512 VBMI and VNNI; edx: AMX tiles and
 * int8; sub-leaf 1, eax: AVX-VNNI. XCR0: xmm and ymm; masks and zmm; tiles. */
NPU__FN uint32_t npu__cpu_isas(void) {
    const uint32_t sse41 = 1u << 9 | 1u << 19, avx = 1u << 12 | 1u << 27 | 1u << 28;
    const uint32_t avx2 = 1u << 5, avx512 = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;
    const uint32_t vnni = 1u << 11, vbmi = vnni | 1u << 1;
    uint32_t       r1[4], r7[4], more[4], state, isas;
    if (!npu__cpuid(1, 0, r1) || (r1[2] & sse41) != sse41) return 0;
    isas = 1u << NPU_ISA_SSE41;
    if ((r1[2] & avx) != avx || !npu__cpuid(7, 0, r7) || !(r7[1] & avx2)) return isas;
    state = npu__xcr0();
    if ((state & 0x6u) != 0x6u) return isas;
    isas |= 1u << NPU_ISA_AVX2;
    if (NPU__HAS_AVXVNNI && r7[0] >= 1 && npu__cpuid(7, 1, more) && more[0] >> 4 & 1u) isas |= 1u << NPU_ISA_AVXVNNI;
    if ((r7[1] & avx512) != avx512 || (state & 0xE0u) != 0xE0u) return isas;
    isas |= 1u << NPU_ISA_AVX512 | (uint32_t)((r7[2] & vnni) == vnni) << NPU_ISA_AVX512VNNI;
    if ((r7[2] & vbmi) != vbmi) return isas;
    isas |= 1u << NPU_ISA_AVX512VBMI;
#  if NPU__HAS_AMX
    if ((r7[3] >> 24 & 3u) == 3u && (state >> 17 & 3u) == 3u && npu__tiles_allowed()) isas |= 1u << NPU_ISA_AMX_INT8;
#  endif
    return isas;
}
#elif NPU__HAS_NEON
NPU__FN uint32_t npu__cpu_isas(void) {
    uint32_t isas = 1u << NPU_ISA_NEON;
#  if !NPU__HAS_NEON64 && !defined(__ARM_NEON)
    if (!(getauxval(AT_HWCAP) >> 12 & 1u)) return 0; /* HWCAP_NEON */
#  elif NPU__HAS_NEON64 && defined(__linux__)
    isas |= (uint32_t)(getauxval(AT_HWCAP) >> 20 & 1u) << NPU_ISA_NEON_DOT; /* HWCAP_ASIMDDP */
    if (NPU__HAS_I8MM && isas >> NPU_ISA_NEON_DOT & 1u)
        isas |= (uint32_t)(getauxval(AT_HWCAP2) >> 13 & 1u) << NPU_ISA_NEON_I8MM; /* HWCAP2_I8MM */
#  endif
#  if NPU__HAS_NEON_DOT && defined(__ARM_FEATURE_DOTPROD)
    isas |= 1u << NPU_ISA_NEON_DOT;
#    if defined(__ARM_FEATURE_MATMUL_INT8)
    isas |= 1u << NPU_ISA_NEON_I8MM;
#    endif
#  endif
    return isas;
}
#else
#  if NPU__HAS_WASM_RELAXED
/* What the relaxed dot product is on this machine: the instruction set that needs it so, or 0. Bytes, `w` signed, which tell all that is
 * allowed apart: upper bits in one operand, in both; sums of pairs that fit no int16, of both signs; a sum that wraps. */
NPU__FN uint32_t npu__relaxed_dot(void) {
    static const int8_t bytes[2][16] = {{127, 127, -128, -128, -128, -128, -128, -128, -128, -128, -1, 1, 127, 127, 127, 127},
                                        {-1, -1, -128, 5, -128, -128, -128, -128, -1, -1, -1, 127, 127, 127, 127, 127}};
    const volatile int8_t *w = bytes[0], *a = bytes[1]; /* compilers have an opinion of their own */
    int8_t                 x[16], y[16];
    int32_t                got[4];
    uint32_t               both = 3; /* bits: signed, unsigned */
    for (int32_t i = 0; i < 16; i++) x[i] = w[i], y[i] = a[i];
    wasm_v128_store(got, wasm_i32x4_relaxed_dot_i8x16_i7x16_add(wasm_v128_load(x), wasm_v128_load(y), wasm_i32x4_splat(INT32_MAX - 50000)));
    for (int32_t lane = 0; lane < 4; lane++) {
        uint32_t s = (uint32_t)INT32_MAX - 50000u, u = s;
        for (int32_t i = 4 * lane; i < 4 * lane + 4; i++) {
            s += (uint32_t)(x[i] * y[i]);
            u += (uint32_t)(x[i] * (int32_t)(uint8_t)y[i]);
        }
        both &= ((uint32_t)got[lane] == s ? 1u : 0u) | ((uint32_t)got[lane] == u ? 2u : 0u);
    }
    return both == 1 ? 1u << NPU_ISA_WASM_SDOT : both == 2 ? 1u << NPU_ISA_WASM_USDOT : 0u;
}
#  else
#    define npu__relaxed_dot() 0u
#  endif
NPU__FN uint32_t npu__cpu_isas(void) {
    return npu__relaxed_dot() | (uint32_t)NPU__HAS_WASM_SIMD << NPU_ISA_WASM_SIMD | (uint32_t)NPU__HAS_WASM_RELAXED << NPU_ISA_WASM_RELAXED;
}
#endif

/* X(name, what it adds to, is its code in this build?) */
#define NPU__ISAS(X)                                  \
    X(SSE41, SCALAR, NPU__HAS_X86)                    \
    X(AVX2, SSE41, NPU__HAS_X86)                      \
    X(AVXVNNI, AVX2, NPU__HAS_AVXVNNI)                \
    X(AVX512, AVX2, NPU__HAS_X86)                     \
    X(AVX512VNNI, AVX512, NPU__HAS_X86)               \
    X(AVX512VBMI, AVX512VNNI, NPU__HAS_X86)           \
    X(AMX_INT8, AVX512VBMI, NPU__HAS_AMX)             \
    X(NEON, SCALAR, NPU__HAS_NEON)                    \
    X(NEON_DOT, NEON, NPU__HAS_NEON_DOT)              \
    X(NEON_I8MM, NEON_DOT, NPU__HAS_I8MM)             \
    X(WASM_SIMD, SCALAR, NPU__HAS_WASM_SIMD)          \
    X(WASM_RELAXED, WASM_SIMD, NPU__HAS_WASM_RELAXED) \
    X(WASM_SDOT, WASM_RELAXED, NPU__HAS_WASM_RELAXED) \
    X(WASM_USDOT, WASM_RELAXED, NPU__HAS_WASM_RELAXED)

NPU__FN int npu__isa_includes(npu_isa whole, npu_isa part) {
    while (whole != part) {
        switch (whole) {
#define NPU_X(name, base, built) case NPU_ISA_##name: whole = NPU_ISA_##base; break;
        NPU__ISAS(NPU_X)
#undef NPU_X
        default: return part == NPU_ISA_SCALAR;
        }
    }
    return 1;
}

NPU__FN int npu__isa_built(npu_isa isa) {
#define NPU_X(name, base, built) | (uint32_t)(built) << NPU_ISA_##name
    const uint32_t all = 1u << NPU_ISA_AUTO | 1u << NPU_ISA_SCALAR NPU__ISAS(NPU_X);
#undef NPU_X
    return (uint32_t)isa < NPU_ISA_COUNT && all >> isa & 1u;
}

NPU_API int npu_isa_available(npu_isa isa) {
    return (uint32_t)isa <= NPU_ISA_SCALAR || ((uint32_t)isa < NPU_ISA_COUNT && npu__cpu_isas() >> isa & 1u);
}

/* The list has the best of an architecture last. */
NPU_API npu_isa npu_isa_best(void) {
    uint32_t isas = npu__cpu_isas() >> 1;
    int      isa = NPU_ISA_SCALAR;
    while (isas >>= 1) isa++;
    return (npu_isa)isa;
}
