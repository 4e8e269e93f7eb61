/* The loops of fft64.h for each instruction set of this build, and their table. */
#include "fft64.h"
NPU__SPEED_BEGIN

NPU__INLINE npu__complex npu__complex_add(npu__complex a, npu__complex b) {
    a.re += b.re;
    a.im += b.im;
    return a;
}
NPU__INLINE npu__complex npu__complex_sub(npu__complex a, npu__complex b) {
    a.re -= b.re;
    a.im -= b.im;
    return a;
}
NPU__INLINE npu__complex npu__complex_turn(npu__complex a) {
    npu__complex r;
    r.re = a.im;
    r.im = -a.re;
    return r;
}

#define NPU__V(name) name##__c
#define NPU__VFN
#define NPU__Z npu__complex
#define NPU__ZN 1
#define NPU__Z_LOAD(p) *(p)
#define NPU__Z_STORE(p, v) *(p) = v
#define NPU__Z_ADD(a, b) npu__complex_add(a, b)
#define NPU__Z_SUB(a, b) npu__complex_sub(a, b)
#define NPU__Z_MUL(a, b) npu__complex_mul(a, b)
#define NPU__Z_TURN(a) npu__complex_turn(a)
#define NPU__Z_ROOTS(p, step) *(p)
#include "fft64_v.h"

#if NPU__HAS_X86
NPU__AVX2_ONLY NPU__INLINE __m256d npu__fft64_mul__avx2(__m256d a, __m256d b) {
    return _mm256_addsub_pd(_mm256_mul_pd(a, _mm256_movedup_pd(b)),
                            _mm256_mul_pd(_mm256_permute_pd(a, 5), _mm256_permute_pd(b, 15)));
}
#define NPU__V(name) name##__avx2
#define NPU__VFN NPU__AVX2_ONLY
#define NPU__Z __m256d
#define NPU__ZN 2
#define NPU__Z_LOAD(p) _mm256_loadu_pd(&(p)->re)
#define NPU__Z_STORE(p, v) _mm256_storeu_pd(&(p)->re, v)
#define NPU__Z_ADD(a, b) _mm256_add_pd(a, b)
#define NPU__Z_SUB(a, b) _mm256_sub_pd(a, b)
#define NPU__Z_MUL(a, b) npu__fft64_mul__avx2(a, b)
#define NPU__Z_TURN(a) _mm256_xor_pd(_mm256_permute_pd(a, 5), _mm256_setr_pd(0.0, -0.0, 0.0, -0.0))
#define NPU__Z_ROOTS(p, step) \
    _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(&(p)->re)), _mm_loadu_pd(&(p)[step].re), 1)
#include "fft64_v.h"
#endif

#if NPU__HAS_NEON64
/* a with one of its signs turned. */
NPU__INLINE float64x2_t npu__fft64_flip__neon(float64x2_t a, double re, double im) {
    const double sign[2] = {re, im};
    return vreinterpretq_f64_u64(veorq_u64(vreinterpretq_u64_f64(a), vreinterpretq_u64_f64(vld1q_f64(sign))));
}
NPU__INLINE float64x2_t npu__fft64_mul__neon(float64x2_t a, float64x2_t b) {
    const float64x2_t cross = vmulq_f64(vextq_f64(a, a, 1), vdupq_laneq_f64(b, 1));
    return vaddq_f64(vmulq_f64(a, vdupq_laneq_f64(b, 0)), npu__fft64_flip__neon(cross, -0.0, 0.0));
}
#define NPU__V(name) name##__neon
#define NPU__VFN
#define NPU__Z float64x2_t
#define NPU__ZN 1
#define NPU__Z_LOAD(p) vld1q_f64(&(p)->re)
#define NPU__Z_STORE(p, v) vst1q_f64(&(p)->re, v)
#define NPU__Z_ADD(a, b) vaddq_f64(a, b)
#define NPU__Z_SUB(a, b) vsubq_f64(a, b)
#define NPU__Z_MUL(a, b) npu__fft64_mul__neon(a, b)
#define NPU__Z_TURN(a) npu__fft64_flip__neon(vextq_f64(a, a, 1), 0.0, -0.0)
#define NPU__Z_ROOTS(p, step) vld1q_f64(&(p)->re)
#include "fft64_v.h"
#endif

#if NPU__HAS_WASM_SIMD
NPU__INLINE v128_t npu__fft64_swap__wasm(v128_t a) { return wasm_i64x2_shuffle(a, a, 1, 0); }
NPU__INLINE v128_t npu__fft64_mul__wasm(v128_t a, v128_t b) {
    const v128_t cross = wasm_f64x2_mul(npu__fft64_swap__wasm(a), wasm_i64x2_shuffle(b, b, 1, 1));
    return wasm_f64x2_add(wasm_f64x2_mul(a, wasm_i64x2_shuffle(b, b, 0, 0)), wasm_v128_xor(cross, wasm_f64x2_make(-0.0, 0.0)));
}
#define NPU__V(name) name##__wasm
#define NPU__VFN
#define NPU__Z v128_t
#define NPU__ZN 1
#define NPU__Z_LOAD(p) wasm_v128_load(p)
#define NPU__Z_STORE(p, v) wasm_v128_store(p, v)
#define NPU__Z_ADD(a, b) wasm_f64x2_add(a, b)
#define NPU__Z_SUB(a, b) wasm_f64x2_sub(a, b)
#define NPU__Z_MUL(a, b) npu__fft64_mul__wasm(a, b)
#define NPU__Z_TURN(a) wasm_v128_xor(npu__fft64_swap__wasm(a), wasm_f64x2_make(0.0, -0.0))
#define NPU__Z_ROOTS(p, step) wasm_v128_load(p)
#include "fft64_v.h"
#endif

#define NPU_X(name, isa, s) {name, NPU_ISA_##isa, npu__fft64_stages__##s},
static const npu__fft64_kernel npu__fft64_rows[] = {
    NPU__FFT64_KERNELS(NPU_X)
    {"reference", NPU_ISA_SCALAR, npu__fft64_stages__c},
    {NULL, NPU_ISA_AUTO, NULL}
};
#undef NPU_X

NPU__FN const npu__fft64_kernel *npu__fft64_select(npu_isa isa) {
    const npu__fft64_kernel *r = npu__fft64_rows;
    /* The reference fits every instruction set. */
    while (r->isa != NPU_ISA_SCALAR && !npu__isa_includes(isa, r->isa)) r++;
    return r;
}

NPU__FN void npu__fft64_reversed(const npu__fft64_kernel *kern, npu__complex *v, int32_t n, const npu__complex *roots, int32_t period) {
    int32_t half = 1, stages = 0;
    while (n >> stages > 1) stages++;
    /* What is left is a whole number of pairs of stages; the roots of the first are 1, and -i. */
    for (int32_t i = 0; stages % 2 && i < n; i += 2) {
        const npu__complex a = v[i], b = v[i + 1];
        v[i] = npu__complex_add(a, b);
        v[i + 1] = npu__complex_sub(a, b);
        half = 2;
    }
    for (int32_t i = 0; stages % 2 == 0 && i + 4 <= n; i += 4) {
        const npu__complex sum = npu__complex_add(v[i], v[i + 1]), dif = npu__complex_sub(v[i], v[i + 1]);
        const npu__complex even = npu__complex_add(v[i + 2], v[i + 3]), odd = npu__complex_turn(npu__complex_sub(v[i + 2], v[i + 3]));
        v[i] = npu__complex_add(sum, even);
        v[i + 1] = npu__complex_add(dif, odd);
        v[i + 2] = npu__complex_sub(sum, even);
        v[i + 3] = npu__complex_sub(dif, odd);
        half = 4;
    }
    for (; half < n; half *= 4) kern->stages(v, n, half, roots, period);
}

NPU__FN void npu__fft64(const npu__fft64_kernel *kern, npu__complex *v, int32_t n, const npu__complex *roots, int32_t period) {
    int32_t j = 0;
    for (int32_t i = 1; i < n; i++) {
        j = npu__fft64_next(j, n);
        if (i < j) {
            const npu__complex t = v[i];
            v[i] = v[j];
            v[j] = t;
        }
    }
    npu__fft64_reversed(kern, v, n, roots, period);
}
NPU__SPEED_END
