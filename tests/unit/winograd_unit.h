/* Convolutions by Winograd's tiles: the rows of kernels/winograd_f32.h against sums in double, over images of any size with any padding, in
 * tiles split anywhere. */
#ifndef WINOGRAD_UNIT_H
#define WINOGRAD_UNIT_H

static npu__conv_geom wino_geom(int32_t i) {
    npu__conv_geom g;
    memset(&g, 0, sizeof g);
    g.batches = rnd_in(1, 2);
    g.in_h = rnd_in(1, i % 4 ? 9 : 20);
    g.in_w = rnd_in(1, i % 4 ? 9 : 20);
    g.in_c = g.k_c = rnd_in(NPU__WINO, i % 3 ? 40 : 130);
    g.out_c = rnd_in(NPU__WINO, i % 3 ? 150 : 50);
    g.k_h = g.k_w = 3;
    g.stride_h = g.stride_w = g.dil_h = g.dil_w = 1;
    g.pad_h = rnd_in(0, 3);
    g.pad_w = rnd_in(0, 3);
    /* What is below and on the right of it is given by the size alone. */
    g.out_h = g.in_h + g.pad_h + rnd_in(0, 2) - 2;
    g.out_w = g.in_w + g.pad_w + rnd_in(0, 2) - 2;
    if (g.out_h < 1) g.out_h = 1;
    if (g.out_w < 1) g.out_w = 1;
    return g;
}

static float wino_pixel(const npu__conv_geom *g, const float *in, int32_t b, int32_t y, int32_t x, int32_t k) {
    if (y < 0 || x < 0 || y >= g->in_h || x >= g->in_w) return 0.0f;
    return in[((size_t)(b * g->in_h + y) * (size_t)g->in_w + (size_t)x) * (size_t)g->in_c + (size_t)k];
}

/* Is out's pixel (oy, ox) of column n within the bound? `spread`: what each channel's weights sum up to. */
static int wino_close(const npu__wino_f32_job *job, const float *w, const float *bias, const double *spread, const float *out, int32_t b,
                      int32_t oy, int32_t ox, int32_t n) {
    const npu__conv_geom *g = job->g;
    const double          first = bias ? bias[n] : 0.0;
    double                sum = first, mag = 0.0;
    float                 got = out[((size_t)(b * g->out_h + oy) * (size_t)g->out_w + (size_t)ox) * (size_t)g->out_c + (size_t)n];
    for (int32_t k = 0; k < g->in_c; k++) {
        double under = 0.0;
        for (int32_t i = 0; i < 9; i++) {
            sum += (double)wino_pixel(g, job->in, b, oy - g->pad_h + i / 3, ox - g->pad_w + i % 3, k) *
                   (double)w[(size_t)(n * 9 + i) * (size_t)g->in_c + (size_t)k];
        }
        for (int32_t i = 0; i < 16; i++) {
            under += fabs((double)wino_pixel(g, job->in, b, oy / 2 * 2 - g->pad_h + i / 4, ox / 2 * 2 - g->pad_w + i % 4, k));
        }
        mag += under * spread[(size_t)n * (size_t)g->in_c + (size_t)k];
    }
    /* (k + 2) of close_enough is c + 12 */
    return close_enough(got, sum, fabs(first) + 4.0 * mag, g->in_c + 10, job->lo, job->hi);
}

static void wino_f32_case(const npu__wino_f32_kernel *kern, int32_t i) {
    const npu__conv_geom        g = wino_geom(i);
    const npu__gemm_f32_kernel *gemm = npu__gemm_f32_select(kern->isa);
    const int                   clamp = (int)(rnd() & 1);
    const int64_t               tiles = npu__wino_f32_tiles(&g), many = rnd_in(1, 50), most = NPU__MIN(tiles, many);
    const size_t                c = (size_t)g.in_c, n = (size_t)g.out_c;
    const size_t                outputs = (size_t)g.batches * (size_t)g.out_h * (size_t)g.out_w * n;
    float                      *w = floats_of(n * 9 * c), *bias = rnd() & 3 ? floats_of(n) : NULL;
    float                      *in = floats_of((size_t)g.batches * (size_t)g.in_h * (size_t)g.in_w * c), *work, *packed;
    float                      *out = floats_of(outputs + 32), *again = floats_of(outputs);
    double                     *spread = (double *)calloc(n * c, sizeof *spread);
    size_t                      bytes = 0, each = 0;
    int                         same = 1, kept = 1, split = 1;
    npu__wino_f32_job           job;
    expect(npu__wino_f32_takes(&g), "a layer it takes", kern->name, g.in_h, g.out_c, g.in_c);
    expect(npu__wino_f32_packed_bytes(gemm, g.out_c, g.in_c, &each) && npu__wino_f32_work(gemm, &g, most, &bytes), "sizes", kern->name,
           g.in_h, g.out_c, g.in_c);
    expect(npu__wino_f32_fit(gemm, &g, bytes, 1 << 20) == most && npu__wino_f32_fit(gemm, &g, bytes - 1, 1 << 20) == most - 1,
           "tiles that a work memory is for", kern->name, g.in_h, g.out_c, g.in_c);
    work = (float *)malloc(bytes);
    packed = (float *)malloc(each * NPU__WINO);
    memset(work, 0xFF, bytes);
    npu__wino_f32_pack(gemm, g.out_c, g.in_c, w, bias, each, packed);
    job.kern = kern; job.gemm = gemm; job.g = &g; job.in = in; job.packed = packed; job.each = each;
    job.lo = clamp ? 0.0f : -3.4e38f; job.hi = clamp ? 6.0f : 3.4e38f;
    job.out = out + 16;
    for (int32_t k = 0; k < 16; k++) out[k] = out[outputs + 16 + (size_t)k] = 123.0f;
    for (int64_t t = 0; t < tiles; t += most) npu__wino_f32_run(&job, t, (int32_t)NPU__MIN(most, tiles - t), work);
    for (int32_t k = 0; k < 16; k++) kept &= out[k] == 123.0f && out[outputs + 16 + (size_t)k] == 123.0f;
    job.out = again;
    for (int64_t t = 0, some; t < tiles; t += some) {
        some = rnd_in(1, (int32_t)most);
        some = NPU__MIN(some, tiles - t);
        npu__wino_f32_run(&job, t, (int32_t)some, work);
    }
    for (size_t k = 0; k < n * 9 * c; k++) spread[k / (9 * c) * c + k % c] += fabs((double)w[k]);
    for (size_t k = 0; k < outputs; k++) {
        const int32_t pixel = (int32_t)(k / n), line = pixel / g.out_w;
        split &= out[16 + k] == again[k];
        if (k % 7 && outputs > 4000) continue; /* sums in double take their time */
        same &= wino_close(&job, w, bias, spread, out + 16, line / g.out_h, line % g.out_h, pixel % g.out_w, (int32_t)(k % n));
    }
    expect(same, "beyond the error bound", kern->name, g.in_h, g.out_c, g.in_c);
    expect(split, "depends on the split", kern->name, g.in_h, g.out_c, g.in_c);
    expect(kept, "writes beside its output", kern->name, g.in_h, g.out_c, g.in_c);
    free(w); free(bias); free(in); free(work); free(packed); free(out); free(again); free(spread);
}

/* What it takes, and when: not for a few tiles with many weights. */
static void wino_takes_case(const npu__wino_f32_kernel *kern) {
    npu__conv_geom g, not_g[6];
    memset(&g, 0, sizeof g);
    g.batches = g.stride_h = g.stride_w = g.dil_h = g.dil_w = g.pad_h = g.pad_w = 1;
    g.in_h = g.in_w = g.out_h = g.out_w = 40;
    g.in_c = g.k_c = g.out_c = 64;
    g.k_h = g.k_w = 3;
    for (int i = 0; i < 6; i++) not_g[i] = g;
    not_g[0].k_h = 1; not_g[1].stride_w = 2; not_g[2].dil_h = 2; not_g[3].in_c = not_g[3].k_c = 15; not_g[4].out_c = 15; not_g[5].k_c = 32;
    for (int i = 0; i < 6; i++) expect(!npu__wino_f32_takes(not_g + i), "takes no such layer", kern->name, i, 0, 0);
    expect(npu__wino_f32_takes(&g) && npu__wino_f32_pays(kern, &g), "pays for 64 channels", kern->name, 40, 64, 64);
    g.out_h = g.out_w = g.in_h = g.in_w = 1;
    expect(!npu__wino_f32_pays(kern, &g), "does not pay for one pixel", kern->name, 1, 64, 64);
}

#endif
