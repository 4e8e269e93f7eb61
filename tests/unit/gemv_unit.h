/* Matrix times vector: the real output stage at and around halves; the rows of kernels/gemv_panels.h against scalar sums, any number of units
 * and depth, whole and from any panel on. */
#ifndef GEMV_UNIT_H
#define GEMV_UNIT_H

static void real_case(const npu__gemv_i8_kernel *kern, int nr) {
    enum { n = 83 };
    static const double special[] = {0.5, 0.25, 1.0, 3.0, 1e-30, 1e-320, 1e30, 0.0078125};
    const int           step = nr & 1, lo = nr & 2 ? -128 : 0, narrow = nr & 4;
    const npu__i8_out   stage = npu__i8_out_of(nr >> 1 & 1, rnd_in(lo, lo + 255), narrow ? rnd_in(lo, lo + 100) : lo, lo + 255);
    double              scale[n];
    int32_t             sums[n];
    uint8_t             out[n];
    int                 same = 1;
    for (int i = 0; i < n; i++) {
        const double some = (double)rnd_in(1, 1 << 24) / (double)(1 << rnd_in(0, 30)) * (rnd() & 1 ? 1.0 / 3.0 : 1.0);
        double       at;
        scale[i] = rnd() % 8 ? some / 16384.0 : special[rnd() % 8];
        at = floor((rnd_in(-300, 300) + 0.5) / scale[step ? i : 0]) + rnd_in(-1, 1);
        sums[i] = rnd() % 8 == 0 ? (int32_t)rnd() : (int32_t)(at > 2e9 ? 2e9 : at < -2e9 ? -2e9 : at);
    }
    kern->finish_real(sums, n, scale, step, &stage, out);
    for (int i = 0; i < n; i++) same &= out[i] == npu__i8_finish_real(sums[i], scale[step ? i : 0], &stage);
    expect(same, "real outputs differ from scalar at halves", kern->name, 1, n, nr);
}

static void panels_i8_case(const npu__gemv_panels_i8_kernel *kern, int32_t n, int32_t k, int extreme) {
    quant            q = quant_make(n, extreme);
    uint8_t         *a = bytes_of((size_t)k, extreme), *w = bytes_of((size_t)n * (size_t)k, extreme), *panels, *row;
    int32_t         *sums = (int32_t *)malloc((size_t)(n + 1) * sizeof *sums), *of_w = (int32_t *)malloc((size_t)n * sizeof *of_w);
    const int32_t    cut = rnd_in(0, n / NPU__PANELS_UNITS) * NPU__PANELS_UNITS;
    const size_t     depth = npu__gemv_panels_stride(k, 0);
    size_t           bytes = 0;
    const int32_t    form = npu__gemv_i8_select(kern->isa)->bytes, flipped = form == NPU__BYTES_FLIPPED; /* rows have the other signedness than weights */
    int              right = 1;
    npu__gemv_i8_job job;
    expect(npu__gemv_panels_bytes(n, k, 0, &bytes), "packed size", kern->name, 1, n, k);
    panels = (uint8_t *)malloc(bytes);
    row = bytes_of(depth, 1); /* behind k: anything */
    memset(panels, 0xA5, bytes);
    if (form == NPU__BYTES_NARROW) {
        q.a_signed = q.w_signed = 1;
        narrow_weights(w, (size_t)n * (size_t)k);
    }
    npu__gemv_panels_pack(w, n, k, 0, panels);
    for (int32_t t = 0; t < k; t++) row[t] = (uint8_t)(a[t] ^ (flipped && q.a_signed == q.w_signed ? 0x80 : 0));
    for (int32_t j = 0; j < n; j++) {
        of_w[j] = 0;
        for (int32_t t = 0; t < k; t++) of_w[j] += byte_at(w, (size_t)j * (size_t)k + (size_t)t, q.w_signed);
    }
    memset(&job, 0, sizeof job);
    job.bytes = row; job.w = panels; job.w_stride = depth; job.k = k; job.w_signed = q.w_signed; job.w_sums = of_w;
    job.add = 7;
    job.bias = rnd() & 1 ? q.bias : NULL;
    job.a_zero = q.a_zero + (!flipped || q.w_signed != q.a_signed ? 0 : q.a_signed ? 128 : -128);
    sums[n] = 1234567;
    kern->run(&job, 0, cut, sums);
    kern->run(&job, cut, n, sums);
    for (int32_t j = 0; j < n; j++) {
        uint32_t acc = (job.bias ? (uint32_t)q.bias[j] : 0u) + 7u;
        for (int32_t t = 0; t < k; t++)
            acc += (uint32_t)((byte_at(a, (size_t)t, q.a_signed) - q.a_zero) * byte_at(w, (size_t)j * (size_t)k + (size_t)t, q.w_signed));
        right &= (uint32_t)sums[j] == acc;
    }
    expect(right, "sums of panels differ from scalar", kern->name, 1, n, k);
    expect(sums[n] == 1234567, "writes behind its units", kern->name, 1, n, k);
    free(a); free(w); free(panels); free(row); free(sums); free(of_w);
    quant_free(&q);
}

static void panels_f32_case(const npu__gemv_panels_f32_kernel *kern, int32_t n, int32_t k) {
    float        *a = floats_of((size_t)k), *w = floats_of((size_t)n * (size_t)k), *bias = floats_of((size_t)n);
    float        *out = floats_of((size_t)n + 1), *again = floats_of((size_t)n + 1), *panels;
    const int32_t cut = rnd_in(0, n / NPU__PANELS_UNITS) * NPU__PANELS_UNITS;
    size_t        bytes = 0;
    int           same = 1, split = 1;
    npu__gemv_f32_job job;
    expect(npu__gemv_panels_bytes(n, k, 1, &bytes), "packed size", kern->name, 1, n, k);
    panels = (float *)malloc(bytes);
    memset(panels, 0xFF, bytes); /* NaN where nothing is packed */
    npu__gemv_panels_pack(w, n, k, 1, panels);
    out[n] = again[n] = 123.0f;
    job.a = a; job.w = panels; job.bias = rnd() & 1 ? bias : NULL; job.k = k; job.lo = -2.0f; job.hi = 50.0f;
    kern->run(&job, 0, n, out);
    kern->run(&job, 0, cut, again);
    kern->run(&job, cut, n, again);
    for (int32_t j = 0; j < n; j++) {
        double acc = job.bias ? bias[j] : 0.0, mag = fabs(acc);
        for (int32_t t = 0; t < k; t++) {
            const double p = (double)a[t] * (double)w[(size_t)j * (size_t)k + (size_t)t];
            acc += p;
            mag += fabs(p);
        }
        same &= close_enough(out[j], acc, mag, k, job.lo, job.hi);
        split &= out[j] == again[j];
    }
    expect(same, "beyond the error bound", kern->name, 1, n, k);
    expect(split, "depends on the split", kern->name, 1, n, k);
    expect(out[n] == 123.0f && again[n] == 123.0f, "writes behind its units", kern->name, 1, n, k);
    free(a); free(w); free(bias); free(out); free(again); free(panels);
}

#endif
