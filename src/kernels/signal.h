/* Audio front-end kernels with the exact integer arithmetic of tflite-micro's Signal* custom ops. */
#ifndef NPU__KERNELS_SIGNAL_H
#define NPU__KERNELS_SIGNAL_H

#include "kernels.h"

/* ---- FFT (signal_fft.c) ---- */

#define NPU__FFT_MAX_LENGTH (1 << 24) /* real samples; keeps every index in int32 */

typedef enum npu__fft_type { NPU__FFT_I16, NPU__FFT_I32, NPU__FFT_F32 } npu__fft_type;

/* Whole stages of radix 4 of int16: `n` values in transforms of length 4 * m, m a multiple of 4. Bit for bit the template's. */
typedef struct npu__fft_kernel {
    const char *name;
    npu_isa     isa;
    void      (*radix4_i16)(int16_t *x, const int16_t *twiddles, int32_t n, int32_t m, int32_t inverse);
} npu__fft_kernel;
NPU__FN const npu__fft_kernel *npu__fft_select(npu_isa isa); /* NULL: none */

/* X(name, isa, suffix of its functions) */
#define NPU__FFT_KERNELS(X)                   \
    NPU__X86_ROW(X, "fft.avx2", AVX2, avx2)   \
    NPU__NEON64_ROW(X, "fft.neon", NEON, neon)  \
    NPU__WASM_ROW(X, "fft.wasm", WASM_SIMD, wasm)

typedef struct npu__fft_plan {
    const npu__fft_kernel *fast; /* may be NULL */
    int32_t n; /* complex length: half of the real one */
    int32_t inverse;
    int32_t n_stages;
    int32_t radix[24];
    int32_t m[24]; /* length of the transforms that stage joins */
} npu__fft_plan;

/* False for lengths that are odd, below 4, too long or have a prime factor above 5 (which crash tflite-micro). */
NPU__FN int npu__fft_plan_init(npu__fft_plan *plan, npu_isa isa, int32_t real_length, int32_t inverse);
/* out: n + n / 2 complex values of the type. */
NPU__FN void npu__fft_twiddles(const npu__fft_plan *plan, npu__fft_type type, void *out);
/* n_in <= 2n samples (zeros follow) to n + 1 complex values; tmp holds n complex values. */
NPU__FN void npu__fft_real(const npu__fft_plan *plan, npu__fft_type type, const void *twiddles, const void *in,
                           int32_t n_in, void *out, void *tmp);
/* n + 1 complex values to 2n samples; tmp holds n complex values. */
NPU__FN void npu__fft_real_inverse(const npu__fft_plan *plan, npu__fft_type type, const void *twiddles,
                                   const void *in, void *out, void *tmp);

/* Place of the highest set bit, counted from 1; 0 for 0. */
NPU__INLINE int32_t npu__signal_msb(uint32_t x) {
    int32_t n = 0;
    for (int32_t bits = 16; bits; bits >>= 1) {
        if (!(x >> bits)) continue;
        x >>= bits;
        n += bits;
    }
    return n + (int32_t)x;
}

/* ---- spectrum (signal_spectrum.c) ---- */

/* n: a multiple of n_window. */
NPU__FN void npu__signal_window(const int16_t *in, const int16_t *window, int64_t n, int64_t n_window, int32_t shift,
                                int16_t *out);
/* Shifts left as far as no sample clips; returns by how many bits. */
NPU__FN int32_t npu__signal_auto_scale(const int16_t *in, int64_t n, int16_t *out);
/* out[i] = |in[i]|^2 for i in [begin, end), which lie in [0, n], 0 elsewhere; `in` holds pairs. */
NPU__FN void npu__signal_energy(const int16_t *in, int64_t begin, int64_t end, int64_t n, uint32_t *out);

/* ---- filter bank (signal_filter_bank.c) ---- */

typedef struct npu__filter_bank {
    const int16_t *weights, *unweights;              /* n_weights, n_unweights entries */
    const int16_t *freq_start, *weight_start, *width; /* channels + 1 entries each */
    int64_t        n_weights, n_in;
    int32_t        channels;
} npu__filter_bank;

/* Do all bands lie inside the spectrum and the weights? */
NPU__FN int npu__filter_bank_ok(const npu__filter_bank *bank);
NPU__FN void npu__filter_bank_run(const npu__filter_bank *bank, const uint32_t *in, uint64_t *out);
NPU__FN uint32_t npu__signal_sqrt(uint64_t x);

typedef struct npu__spectral_subtraction {
    uint32_t smoothing[2], one_minus_smoothing[2]; /* even, odd channels */
    uint32_t min_remaining;
    int32_t  smoothing_bits, bits, clamping;
} npu__spectral_subtraction;

NPU__FN void npu__spectral_subtraction_run(const npu__spectral_subtraction *s, const uint32_t *in, int64_t n,
                                           uint32_t *estimate, uint32_t *out);

#define NPU__PCAN_LUT 125 /* entries of the gain table: 4 for each of 31 octaves, and one */
NPU__FN uint32_t npu__pcan(uint32_t x, uint32_t noise, const int16_t *lut, int32_t snr_shift);
/* Natural logarithm times `scale`. x > 0. */
NPU__FN uint32_t npu__signal_log(uint32_t x, uint32_t scale);

/* ---- streams (signal_stream.c) ---- */

/* Adds one frame into the tail of what came before and takes `step` finished samples out. */
NPU__FN void npu__overlap_add_i16(const int16_t *in, int32_t frame, int32_t step, int16_t *state, int16_t *out);
NPU__FN void npu__overlap_add_f32(const float *in, int32_t frame, int32_t step, float *state, float *out);
/* out = (state, in) without its end; state = that end. */
NPU__FN void npu__delay_i16(const int16_t *in, int64_t n, int64_t delay, int16_t *state, int16_t *out);

#endif
