/* Finds the phases of a transposed convolution, and their weights. */
#include "phases.h"

/* The window of cell `cell`. Input cell i meets it through tap cell + pad - i * stride. */
NPU__FN void npu__phase_window(int32_t filter, int32_t stride, int32_t pad, npu__phase *p) {
    const int64_t last = ((int64_t)p->first + pad) / stride, tap = ((int64_t)p->first + pad) % stride;
    p->taps = tap < filter ? (int32_t)((filter - 1 - tap) / stride + 1) : 0;
    p->from = (int32_t)(last + 1 - p->taps);
}

/* One window for all of them; those without a tap take it over. */
NPU__FN npu__phase npu__phases_union(const npu__phase *phases, int32_t n) {
    npu__phase all = {0, 0, 0, 0};
    for (int32_t i = 0; i < n; i++) {
        const npu__phase *p = phases + i;
        const int32_t     to = NPU__MAX(all.from + all.taps, p->from + p->taps);
        all.count += p->count;
        if (!p->taps) continue;
        if (!all.taps) {
            all.from = p->from;
            all.taps = p->taps;
            continue;
        }
        all.from = NPU__MIN(all.from, p->from);
        all.taps = to - all.from;
    }
    if (!all.taps) all.taps = 1;
    return all;
}

NPU__FN int32_t npu__phases_of(int32_t mode, int32_t filter, int32_t stride, int32_t pad, int32_t out, npu__phase *phases) {
    const int32_t period = NPU__MIN(stride, out), skip = pad % stride;
    /* Windows change where the next input cell comes in, and where the filter has no more taps for the last one. */
    const int32_t a = (stride - skip) % stride, b = (int32_t)(((int64_t)stride - skip + (filter - 1) % stride + 1) % stride);
    int32_t       n = 0, cell = 0;
    npu__phase    all;
    if (mode == NPU__PHASES_EACH && period > NPU__PHASES_MOST) return 0;
    while (cell < period) {
        int32_t end = period;
        if (a > cell && a < end) end = a;
        if (b > cell && b < end) end = b;
        if (mode == NPU__PHASES_EACH) end = cell + 1;
        phases[n].first = cell;
        phases[n].count = end - cell;
        npu__phase_window(filter, stride, pad, phases + n++);
        cell = end;
    }
    all = npu__phases_union(phases, n);
    for (int32_t i = 0; i < n; i++) {
        if (phases[i].taps) continue;
        phases[i].from = all.from;
        phases[i].taps = 1;
    }
    if (mode != NPU__PHASES_ALL) return n;
    phases[0] = all;
    return 1;
}

NPU__FN const uint8_t *npu__phase_tap(const void *part, int32_t column, int32_t segment, int32_t piece) {
    const npu__phase_part *p = (const npu__phase_part *)part;
    const npu__conv_geom  *g = p->g;
    const int32_t          oc = column % g->out_c, cell = column / g->out_c;
    const int64_t y = (int64_t)p->y->first + cell / p->x->count + g->pad_h - (int64_t)(p->y->from + segment) * g->stride_h;
    const int64_t x = (int64_t)p->x->first + cell % p->x->count + g->pad_w - (int64_t)(p->x->from + piece) * g->stride_w;
    if (y < 0 || y >= g->k_h || x < 0 || x >= g->k_w) return NULL;
    return p->w + (((size_t)oc * (size_t)g->k_h + (size_t)y) * (size_t)g->k_w + (size_t)x) * (size_t)g->in_c * p->elem_bytes;
}

NPU__FN void npu__phase_pack_f32(const npu__gemm_f32_kernel *kern, const npu__phase_part *p, const float *bias,
                                 float *packed) {
    const int32_t n = npu__phase_columns(p), in_c = p->g->in_c;
    const size_t  taps = (size_t)p->y->taps * (size_t)p->x->taps;
    /* The layout is that of npu__gemm_f32_pack: biases, then [k][nr]. */
    for (int32_t j0 = 0, nr; j0 < n; j0 += nr, packed += (size_t)nr * (taps * (size_t)in_c + 1u)) {
        nr = npu__gemm_f32_width(kern, n - j0);
        memset(packed, 0, (size_t)nr * (taps * (size_t)in_c + 1u) * sizeof *packed);
        for (int32_t j = j0; j < NPU__MIN(n, j0 + nr); j++) {
            float *to = packed + (j - j0);
            *to = bias ? bias[j % p->g->out_c] : 0.0f;
            to += nr;
            for (size_t t = 0; t < taps; t++, to += (size_t)nr * (size_t)in_c) {
                const float *w = (const float *)(const void *)npu__phase_tap(
                    p, j, (int32_t)(t / (size_t)p->x->taps), (int32_t)(t % (size_t)p->x->taps));
                for (int32_t i = 0; w && i < in_c; i++) to[(size_t)i * (size_t)nr] = w[i];
            }
        }
    }
}

NPU__FN void npu__phase_pack_rows(const npu__phase_part *p, int8_t *rows) {
    const int32_t n = npu__phase_columns(p);
    const size_t  in_c = (size_t)p->g->in_c;
    for (int32_t j = 0; j < n; j++) {
        for (int32_t y = 0; y < p->y->taps; y++) {
            for (int32_t x = 0; x < p->x->taps; x++, rows += in_c) {
                const uint8_t *w = npu__phase_tap(p, j, y, x);
                if (w) memcpy(rows, w, in_c);
                else memset(rows, 0, in_c);
            }
        }
    }
}
