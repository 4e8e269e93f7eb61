/* Products with weights of which many are 0: the rows of kernels/sparse_f32.h against scalar sums, at any density, from no weight to all,
 * and rows in any number, split anywhere. What stands at a weight of 0 must not show, be it infinite or NaN. */
#ifndef SPARSE_UNIT_H
#define SPARSE_UNIT_H

/* One row of weights: none of them, or about one of `every`. */
static void sparse_row(float *w, int32_t k, int32_t every) {
    for (int32_t t = 0; t < k; t++) w[t] = every && rnd_in(1, every) == 1 ? rnd_f32() : rnd() & 1 ? 0.0f : -0.0f;
}

static void sparse_f32_case(const npu__sparse_f32_kernel *kern, int32_t m, int32_t n, int32_t k) {
    const int     clamp = (int)(rnd() & 1), odd = (int)(rnd() & 1);
    const int     segments = k % 3 == 0 ? 3 : k % 2 == 0 && (rnd() & 1) ? 2 : 1;
    const int32_t cut = rnd_in(0, m), bare = rnd_in(0, k - 1); /* bare: an input whose weights are all 0 */
    const size_t  pitch = (size_t)n + (size_t)rnd_in(0, 3);
    float        *a, *w = floats_of((size_t)n * (size_t)k), *bias = rnd() & 3 ? floats_of((size_t)n) : NULL, *work;
    float        *out = floats_of((size_t)m * pitch), *again = floats_of((size_t)m * pitch);
    uint8_t      *packed;
    int64_t       entries = 0;
    size_t        bytes = 0, work_bytes = 0;
    int           same = 1, kept = 1, split = 1;
    left          l;
    npu__gemm_f32_job job;
    for (int32_t j = 0; j < n; j++) {
        float *row = w + (size_t)j * (size_t)k;
        sparse_row(row, k, rnd_in(0, 5));
        if (odd) row[bare] = 0.0f;
        entries += npu__sparse_f32_entries(row, k);
    }
    left_make(&l, m, k, segments, 1);
    a = floats_of(l.elems);
    left_bind(&l, a, m, sizeof *a);
    if (odd) for (int32_t i = 0; i < m; i++) if (l.of[i * k + bare] % 2 == 0) a[l.of[i * k + bare]] = i & 1 ? (float)INFINITY : (float)NAN;
    for (size_t i = 0; i < (size_t)m * pitch; i++) out[i] = again[i] = 123.0f;
    expect(npu__sparse_f32_packed_bytes(n, entries, &bytes) && npu__sparse_f32_work(k, &work_bytes), "packed size", kern->name, m, n, k);
    packed = (uint8_t *)malloc(bytes);
    work = (float *)malloc(work_bytes);
    memset(work, 0xFF, work_bytes);
    npu__sparse_f32_pack(n, k, w, bias, packed);
    job.a = l.rows; job.out_stride = pitch; job.m = m;
    job.lo = clamp ? 0.0f : -3.4e38f; job.hi = clamp ? 6.0f : 3.4e38f;
    kern->run(&job, packed, n, work, out);
    job.m = cut;
    kern->run(&job, packed, n, work, again);
    job.m = m - cut;
    job.a.a += (size_t)cut * job.a.stride;
    if (job.a.rows) job.a.rows += cut;
    kern->run(&job, packed, n, work, again + (size_t)cut * pitch);
    for (int32_t i = 0; i < m; i++) {
        for (int32_t j = 0; j < n; j++) {
            double acc = bias ? bias[j] : 0.0, mag = fabs(acc);
            for (int32_t t = 0; t < k; t++) {
                const double by = w[(size_t)j * (size_t)k + (size_t)t], p = by != 0.0 ? (double)a[l.of[i * k + t]] * by : 0.0;
                acc += p;
                mag += fabs(p);
            }
            if (!(mag < 1e30)) continue; /* rows may overlap: what is infinite there has a weight here */
            same &= close_enough(out[(size_t)i * pitch + (size_t)j], acc, mag, k, job.lo, job.hi);
            split &= out[(size_t)i * pitch + (size_t)j] == again[(size_t)i * pitch + (size_t)j];
        }
        for (size_t j = (size_t)n; j < pitch; j++) kept &= out[(size_t)i * pitch + j] == 123.0f && again[(size_t)i * pitch + j] == 123.0f;
    }
    expect(same, "beyond the error bound", kern->name, m, n, k);
    expect(split, "depends on the split", kern->name, m, n, k);
    expect(kept, stride_text, kern->name, m, n, k);
    free(packed); free(work); free(a); free(w); free(bias); free(out); free(again); free(l.of);
}

/* It is taken where it pays only: the fewer weights, and not for a few rows. */
static void sparse_pays_case(const npu__sparse_f32_kernel *kern) {
    int yes = 1, before = 1;
    size_t bytes = 0;
    expect(!npu__sparse_f32_work(INT32_MAX, &bytes) && npu__sparse_f32_work(1 << 20, &bytes), "depth has a limit", kern->name, 1, 1, INT32_MAX);
    expect(npu__sparse_f32_pays(kern, 1024, 64, 64, 64 * 64 / 5), "a fifth of the weights pays", kern->name, 1024, 64, 64);
    expect(!npu__sparse_f32_pays(kern, 1024, 64, 64, 64 * 64), "all weights do not", kern->name, 1024, 64, 64);
    expect(!npu__sparse_f32_pays(kern, 1, 64, 64, 64 * 64 / 5), "one row does not", kern->name, 1, 64, 64);
    for (int64_t some = 0; some <= 64 * 64; some += 16, before = yes) {
        yes = npu__sparse_f32_pays(kern, 1024, 64, 64, some);
        if (yes > before) break;
    }
    expect(yes <= before, "more weights pay where fewer do not", kern->name, 1024, 64, 64);
}

#endif
