/* What an instruction set could reach on this machine: multiply-accumulates of registers alone, in independent chains, one thread.
 *     peak [ISA]      prints {"isa": ..., "f32": GMAC/s, "i8": GMAC/s} as JSON; 0 where nothing is known
 * The integer figure is that of the instruction that the kernels are made of: dot products of bytes, or pairs of int16 where those
 * would saturate. The fastest of some repetitions: a busy machine shows less. */
#define _POSIX_C_SOURCE 199309L
#include <time.h>
#include "../unit/kernels_unit.h"

#define STEPS 4096
#define REPEAT 200

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

uint8_t        results[10][64]; /* external, so that somebody may read them */
static uint8_t operands[160];
static float   reals[64]; /* near one: bytes read as floats are subnormal, which takes Intel's cores a hundred times as long */

/* Ten chains that begin differently, so that no compiler makes one of them: as many as latencies need, and as registers hold with what a
 * chain needs in between. */
#define TEN(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9)
#define LOOP(NAME, TARGET, TYPE, LOAD, FROM, STEP, STORE, MACS)    \
    TARGET static double NAME(void) {                              \
        const TYPE a = LOAD(FROM), b = LOAD(FROM + sizeof(TYPE) / sizeof *FROM); \
        TEN(BEGIN_##NAME)                                          \
        for (int i = 0; i < STEPS; i++) { TEN(STEP) }              \
        TEN(STORE)                                                 \
        return 10.0 * STEPS * MACS;                                \
    }

#if NPU__HAS_X86
#define F512(p) _mm512_loadu_ps((const float *)(const void *)(p))
#define F256(p) _mm256_loadu_ps((const float *)(const void *)(p))
#define I512(p) _mm512_loadu_si512((const void *)(p))
#define BEGIN_f32_avx512(n) __m512 s##n = F512(reals + n);
#define STEP_f32_avx512(n) s##n = _mm512_fmadd_ps(a, b, s##n);
#define STORE_f32_avx512(n) _mm512_storeu_ps((float *)(void *)results[n], s##n);
LOOP(f32_avx512, NPU__VNNI, __m512, F512, reals, STEP_f32_avx512, STORE_f32_avx512, 16)
#define BEGIN_f32_avx2(n) __m256 s##n = F256(reals + n);
#define STEP_f32_avx2(n) s##n = _mm256_fmadd_ps(a, b, s##n);
#define STORE_f32_avx2(n) _mm256_storeu_ps((float *)(void *)results[n], s##n);
LOOP(f32_avx2, NPU__AVX2, __m256, F256, reals, STEP_f32_avx2, STORE_f32_avx2, 8)
#define BEGIN_i8_vnni(n) __m512i s##n = I512(operands + n);
#define STEP_i8_vnni(n) s##n = _mm512_dpbusd_epi32(s##n, a, b);
#define STORE_i8_vnni(n) _mm512_storeu_si512((void *)results[n], s##n);
LOOP(i8_vnni, NPU__VNNI, __m512i, I512, operands, STEP_i8_vnni, STORE_i8_vnni, 64)
/* As instructions: compilers would make this product once for all, and spill sums where they are kept from it. */
#define BEGIN_i8_avx2(n) __m256i s##n = NPU__LOAD32(operands + n);
#define STEP_i8_avx2(n) \
    __asm__ volatile("vpmaddwd %1, %2, %%ymm15\n\tvpaddd %%ymm15, %0, %0" : "+x"(s##n) : "x"(a), "x"(b) : "xmm15");
#define STORE_i8_avx2(n) _mm256_storeu_si256((__m256i *)(void *)results[n], s##n);
LOOP(i8_avx2, NPU__AVX2, __m256i, NPU__LOAD32, operands, STEP_i8_avx2, STORE_i8_avx2, 16)
#endif
#if NPU__HAS_NEON
#define F128(p) vld1q_f32((const float *)(const void *)(p))
#define I128(p) vld1q_s8((const int8_t *)(p))
#define BEGIN_f32_neon(n) float32x4_t s##n = F128(reals + n);
#define STEP_f32_neon(n) s##n = vfmaq_f32(s##n, a, b);
#define STORE_f32_neon(n) vst1q_f32((float *)(void *)results[n], s##n);
LOOP(f32_neon, , float32x4_t, F128, reals, STEP_f32_neon, STORE_f32_neon, 4)
#define BEGIN_i8_dot(n) int32x4_t s##n = vreinterpretq_s32_s8(I128(operands + n));
#define STEP_i8_dot(n) s##n = vdotq_s32(s##n, a, b);
#define STORE_i8_dot(n) vst1q_s32((int32_t *)(void *)results[n], s##n);
LOOP(i8_dot, NPU__NEON_DOT, int8x16_t, I128, operands, STEP_i8_dot, STORE_i8_dot, 16)
#define I64(p) vld1_s16((const int16_t *)(const void *)(p))
#define BEGIN_i8_neon(n) int32x4_t s##n = vmovl_s16(I64(operands + n));
#define STEP_i8_neon(n) s##n = vmlal_s16(s##n, a, b);
#define STORE_i8_neon(n) vst1q_s32((int32_t *)(void *)results[n], s##n);
LOOP(i8_neon, , int16x4_t, I64, operands, STEP_i8_neon, STORE_i8_neon, 4)
#endif

/* Best first, as the kernels' rows. */
static const struct {
    npu_isa isa;
    double (*f32)(void), (*i8)(void);
} rows[] = {
#if NPU__HAS_X86
    {NPU_ISA_AVX512VNNI, f32_avx512, i8_vnni},
    {NPU_ISA_AVX2, f32_avx2, i8_avx2},
#endif
#if NPU__HAS_NEON
    {NPU_ISA_NEON_DOT, f32_neon, i8_dot},
    {NPU_ISA_NEON, f32_neon, i8_neon},
#endif
    {NPU_ISA_SCALAR, NULL, NULL},
};

static double rate(double (*loop)(void)) {
    double best = 0;
    for (int i = 0; loop && i < REPEAT; i++) {
        const double start = now_s(), macs = loop(), took = now_s() - start;
        if (took > 0 && macs / took > best) best = macs / took;
    }
    return best / 1e9;
}

int main(int argc, char **argv) {
    npu_isa isa = npu_isa_best();
    for (int i = 0; i < (int)sizeof operands; i++) operands[i] = (uint8_t)(i % 7);
    for (int i = 0; i < (int)(sizeof reals / sizeof *reals); i++) reals[i] = 1.0f / (float)(1 + i);
    for (size_t i = 0; argc > 1 && i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(npu_isa_name(rows[i].isa), argv[1])) isa = rows[i].isa;
    if (!npu_isa_available(isa)) {
        fprintf(stderr, "peak: this machine has no %s\n", npu_isa_name(isa));
        return 1;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!npu__isa_includes(isa, rows[i].isa)) continue;
        printf("{\"isa\": \"%s\", \"f32\": %.1f, \"i8\": %.1f}\n", npu_isa_name(isa), rate(rows[i].f32), rate(rows[i].i8));
        return 0;
    }
    return 1;
}
