/* Real FFTs with the arithmetic of tflite-micro's signal library: int16, int32 and float32. */
#include "signal.h"

/* The length is split into radices 4, then 2, 3 and 5, outermost first. */
NPU__FN int npu__fft_plan_init(npu__fft_plan *plan, npu_isa isa, int32_t real_length, int32_t inverse) {
    static const int32_t radices[4] = {4, 2, 3, 5};
    int32_t              rest = real_length / 2;
    if (real_length < 4 || real_length % 2 != 0 || real_length > NPU__FFT_MAX_LENGTH) return 0;
    plan->fast = npu__fft_select(isa);
    plan->n = rest;
    plan->inverse = inverse;
    plan->n_stages = 0;
    for (int32_t i = 0; i < 4; i++) {
        while (rest % radices[i] == 0) {
            rest /= radices[i];
            plan->radix[plan->n_stages] = radices[i];
            plan->m[plan->n_stages++] = rest;
        }
    }
    /* A prime factor beyond 5 is left: the caller refuses the length. */
    return rest == 1;
}

/* Which input elements the decimations bring to places [i, i + last radix): the mixed-radix digits of i, read backwards, as a
 * counter. Element j is source + j * step. */
typedef struct npu__fft_walk {
    int32_t digit[24], stride[24];
    int32_t source, step;
} npu__fft_walk;

NPU__FN void npu__fft_start(const npu__fft_plan *plan, npu__fft_walk *w) {
    int32_t stride = 1;
    memset(w, 0, sizeof *w);
    for (int32_t s = 0; s < plan->n_stages; s++) {
        w->stride[s] = stride;
        stride *= plan->radix[s];
    }
    w->step = w->stride[plan->n_stages - 1];
}

NPU__INLINE void npu__fft_next(const npu__fft_plan *plan, npu__fft_walk *w) {
    for (int32_t s = plan->n_stages - 2; s >= 0; s--) {
        w->source += w->stride[s];
        if (++w->digit[s] < plan->radix[s]) return;
        w->digit[s] = 0;
        w->source -= plan->radix[s] * w->stride[s]; /* carried to the digit before */
    }
}

typedef struct npu__cpx_i16 { int16_t r, i; } npu__cpx_i16;
typedef struct npu__cpx_i32 { int32_t r, i; } npu__cpx_i32;
typedef struct npu__cpx_f32 { float r, i; } npu__cpx_f32;

/* ---- int16: Q15, products and their sums fit int32, sums wrap ---- */

NPU__INLINE int16_t npu__fft_i16_round(int32_t x) { return (int16_t)((x + (1 << 14)) >> 15); }
NPU__INLINE int16_t npu__fft_i16_add(int16_t a, int16_t b) { return (int16_t)(a + b); }
NPU__INLINE int16_t npu__fft_i16_sub(int16_t a, int16_t b) { return (int16_t)(a - b); }
NPU__INLINE int16_t npu__fft_i16_half_sum(int16_t a, int16_t b) { return (int16_t)((a + b) >> 1); }
NPU__INLINE int16_t npu__fft_i16_half_dif(int16_t a, int16_t b) { return (int16_t)((a - b) >> 1); }
NPU__INLINE int16_t npu__fft_i16_mul(int16_t a, int16_t b) { return npu__fft_i16_round((int32_t)a * b); }
NPU__INLINE int16_t npu__fft_i16_mul_sub(int16_t a, int16_t b, int16_t c, int16_t d) {
    return npu__fft_i16_round((int32_t)a * b - (int32_t)c * d);
}
NPU__INLINE int16_t npu__fft_i16_mul_add(int16_t a, int16_t b, int16_t c, int16_t d) {
    return npu__fft_i16_round((int32_t)a * b + (int32_t)c * d);
}
NPU__INLINE int16_t npu__fft_i16_scale(int16_t a, int32_t divisor) {
    return npu__fft_i16_round((int32_t)a * (32767 / divisor));
}
NPU__INLINE int16_t npu__fft_i16_unit(double x) { return (int16_t)floor(.5 + 32767 * x); }

/* ---- int32: Q31, everything wraps, which unsigned arithmetic makes defined ---- */

/* Half of the last bit added, then an arithmetic shift: kissfft's sround. */
NPU__INLINE int32_t npu__fft_i32_round(uint64_t x) { return (int32_t)((int64_t)(x + (1u << 30)) >> 31); }
NPU__INLINE uint64_t npu__fft_i32_product(int32_t a, int32_t b) { return (uint64_t)((int64_t)a * b); }
NPU__INLINE int32_t npu__fft_i32_add(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }
NPU__INLINE int32_t npu__fft_i32_sub(int32_t a, int32_t b) { return (int32_t)((uint32_t)a - (uint32_t)b); }
NPU__INLINE int32_t npu__fft_i32_half_sum(int32_t a, int32_t b) { return npu__fft_i32_add(a, b) >> 1; }
NPU__INLINE int32_t npu__fft_i32_half_dif(int32_t a, int32_t b) { return npu__fft_i32_sub(a, b) >> 1; }
NPU__INLINE int32_t npu__fft_i32_mul(int32_t a, int32_t b) { return npu__fft_i32_round(npu__fft_i32_product(a, b)); }
NPU__INLINE int32_t npu__fft_i32_mul_sub(int32_t a, int32_t b, int32_t c, int32_t d) {
    return npu__fft_i32_round(npu__fft_i32_product(a, b) - npu__fft_i32_product(c, d));
}
NPU__INLINE int32_t npu__fft_i32_mul_add(int32_t a, int32_t b, int32_t c, int32_t d) {
    return npu__fft_i32_round(npu__fft_i32_product(a, b) + npu__fft_i32_product(c, d));
}
NPU__INLINE int32_t npu__fft_i32_scale(int32_t a, int32_t divisor) {
    return npu__fft_i32_round(npu__fft_i32_product(a, 2147483647 / divisor));
}
NPU__INLINE int32_t npu__fft_i32_unit(double x) { return (int32_t)floor(.5 + 2147483647 * x); }

/* ---- float32: nothing to scale ---- */

NPU__INLINE float npu__fft_f32_add(float a, float b) { return a + b; }
NPU__INLINE float npu__fft_f32_sub(float a, float b) { return a - b; }
NPU__INLINE float npu__fft_f32_half_sum(float a, float b) { return (a + b) * .5f; }
NPU__INLINE float npu__fft_f32_half_dif(float a, float b) { return (a - b) * .5f; }
NPU__INLINE float npu__fft_f32_mul(float a, float b) { return a * b; }
NPU__INLINE float npu__fft_f32_mul_sub(float a, float b, float c, float d) { return a * b - c * d; }
NPU__INLINE float npu__fft_f32_mul_add(float a, float b, float c, float d) { return a * b + c * d; }
NPU__INLINE float npu__fft_f32_scale(float a, int32_t divisor) { (void)divisor; return a; }
NPU__INLINE float npu__fft_f32_unit(double x) { return (float)x; }

#define NPU__FFT_FAST(w, x, m) plan->fast->radix4_i16(&(x)->r, &(w)->r, plan->n, m, plan->inverse)
#define NPU__FFT(name) npu__fft_i16_##name
#define NPU__FFT_T int16_t
#define NPU__FFT_CPX npu__cpx_i16
#include "signal_fft_template.h"
#undef NPU__FFT
#undef NPU__FFT_T
#undef NPU__FFT_CPX
#undef NPU__FFT_FAST

#define NPU__FFT(name) npu__fft_i32_##name
#define NPU__FFT_T int32_t
#define NPU__FFT_CPX npu__cpx_i32
#include "signal_fft_template.h"
#undef NPU__FFT
#undef NPU__FFT_T
#undef NPU__FFT_CPX

#define NPU__FFT(name) npu__fft_f32_##name
#define NPU__FFT_T float
#define NPU__FFT_CPX npu__cpx_f32
#include "signal_fft_template.h"
#undef NPU__FFT
#undef NPU__FFT_T
#undef NPU__FFT_CPX

NPU__FN void npu__fft_twiddles(const npu__fft_plan *plan, npu__fft_type type, void *out) {
    if (type == NPU__FFT_I16) npu__fft_i16_twiddles(plan, out);
    else if (type == NPU__FFT_I32) npu__fft_i32_twiddles(plan, out);
    else npu__fft_f32_twiddles(plan, out);
}

NPU__FN void npu__fft_real(const npu__fft_plan *plan, npu__fft_type type, const void *twiddles, const void *in,
                           int32_t n_in, void *out, void *tmp) {
    if (type == NPU__FFT_I16) npu__fft_i16_forward(plan, twiddles, in, n_in, out, tmp);
    else if (type == NPU__FFT_I32) npu__fft_i32_forward(plan, twiddles, in, n_in, out, tmp);
    else npu__fft_f32_forward(plan, twiddles, in, n_in, out, tmp);
}

NPU__FN void npu__fft_real_inverse(const npu__fft_plan *plan, npu__fft_type type, const void *twiddles,
                                   const void *in, void *out, void *tmp) {
    if (type == NPU__FFT_I16) {
        npu__fft_i16_backward(plan, twiddles, in, out, tmp);
    } else if (type == NPU__FFT_I32) {
        npu__fft_i32_backward(plan, twiddles, in, out, tmp);
    } else {
        float *samples = (float *)out;
        npu__fft_f32_backward(plan, twiddles, in, out, tmp);
        for (int32_t i = 0; i < 2 * plan->n; i++) samples[i] /= (float)(2 * plan->n);
    }
}
