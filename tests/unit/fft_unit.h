/* The vectors of kernels/signal_fft_simd.c against the template, bit for bit, and those of fft64.c against plain C. */
#ifndef FFT_UNIT_H
#define FFT_UNIT_H

static void fft_case(const npu__fft_kernel *kern) {
    static const int32_t lengths[] = {8, 32, 96, 128, 160, 240, 480, 512, 960, 1024, 2048};
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
        const int32_t length = lengths[l];
        for (int inverse = 0; inverse < 2; inverse++) {
            int16_t      *in = (int16_t *)bytes_of((size_t)(length + 2) * 2, (int)(l % 3)), *tmp = (int16_t *)malloc((size_t)length * 2);
            int16_t      *twiddles = (int16_t *)malloc((size_t)length * 3), *out[2];
            npu__fft_plan plan;
            expect(npu__fft_plan_init(&plan, kern->isa, length, inverse), "plan", kern->name, length, 0, 0);
            npu__fft_twiddles(&plan, NPU__FFT_I16, twiddles);
            for (int way = 0; way < 2; way++) {
                out[way] = (int16_t *)malloc((size_t)(length + 2) * 2);
                plan.fast = way ? kern : NULL;
                if (inverse) npu__fft_real_inverse(&plan, NPU__FFT_I16, twiddles, in, out[way], tmp);
                else npu__fft_real(&plan, NPU__FFT_I16, twiddles, in, length, out[way], tmp);
            }
            expect(memcmp(out[0], out[1], (size_t)(length + (inverse ? 0 : 2)) * 2) == 0, "fft", kern->name, length, inverse, 0);
            free(in);
            free(tmp);
            free(twiddles);
            free(out[0]);
            free(out[1]);
        }
    }
}

static void fft64_case(const npu__fft64_kernel *kern) {
    const npu__fft64_kernel *plain = npu__fft64_select(NPU_ISA_SCALAR);
    for (int32_t n = 1; n <= 4096; n *= 2) {
        npu__complex *v = (npu__complex *)malloc((size_t)n * sizeof *v), *w = (npu__complex *)malloc((size_t)n * sizeof *w);
        npu__complex *roots = (npu__complex *)malloc((size_t)n * sizeof *roots);
        int           close = 1;
        for (int32_t k = 0; k < n; k++) { /* a table twice as fine as needed */
            roots[k].re = cos(3.14159265358979323846 * k / n);
            roots[k].im = -sin(3.14159265358979323846 * k / n);
            v[k].re = rnd_f32();
            v[k].im = rnd_f32();
            w[k] = v[k];
        }
        npu__fft64(kern, v, n, roots, 2 * n);
        npu__fft64(plain, w, n, roots, 2 * n);
        for (int32_t k = 0; k < n; k++) close &= fabs(v[k].re - w[k].re) < 1e-9 && fabs(v[k].im - w[k].im) < 1e-9;
        expect(close, "fft64", kern->name, n, 0, 0);
        free(v);
        free(w);
        free(roots);
    }
}

#endif
