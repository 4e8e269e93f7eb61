/* RFFT2D: the two-dimensional Fourier transform of real matrices (the last two dims), lengths powers of two. Computed
 * in double: rows by a complex transform of half their length, then columns. */
#include "../kernels/fft64.h"
#include "scratch.h"

typedef struct npu__rfft2d {
    const char *kernel;    /* for profiles */
    int32_t height, width; /* of the transform; the input is cut or padded with zeros */
    int32_t period;        /* of the table of roots: max(height, width, 2) */
    int32_t roots, packed, work, line;
    int32_t sides; /* how many work at a time, each with a `work` and a `line` */
} npu__rfft2d;

NPU__FN npu_status npu__rfft2d_infer(npu__ctx *c) {
    npu__val  *x = c->in[0], *length = c->in[1];
    npu__shape s = x->shape;
    int32_t    size[2];
    NPU__TRY(npu__need_rank(c, x, "input", 2, NPU_MAX_RANK));
    NPU__TRY(npu__need_rank(c, length, "fft_length", 1, 1));
    if (length->type != NPU_INT32 || length->shape.dims[0] != 2) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "rfft2d.fft_length", "fft_length must be two INT32 values");
    }
    if (!length->data) return NPU__DYNAMIC;
    memcpy(size, length->data, sizeof size);
    for (int i = 0; i < 2; i++) {
        if (size[i] >= 1 && (size[i] & (size[i] - 1)) == 0) continue;
        return NPU__FAIL(c, NPU_UNSUPPORTED, "rfft2d.power_of_two", "fft_length must be powers of two: got %d and %d",
                         size[0], size[1]);
    }
    s.dims[s.rank - 2] = size[0];
    s.dims[s.rank - 1] = size[1] / 2 + 1;
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__rfft2d_prepare(npu__ctx *c) {
    npu__rfft2d *d = (npu__rfft2d *)c->data;
    int32_t      size[2];
    NPU__TRY(npu__need_type(c, c->in[0], "input", NPU_FLOAT32));
    NPU__TRY(npu__need_type(c, c->out[0], "output", NPU_COMPLEX64));
    if (!c->in[1]->data) return NPU__FAIL(c, NPU_INVALID_MODEL, "rfft2d.fft_length", "fft_length has no value");
    memcpy(size, c->in[1]->data, sizeof size);
    d->height = size[0];
    d->width = size[1];
    d->period = NPU__MAX(2, NPU__MAX(d->height, d->width));
    d->packed = npu__can_pack(c, 1);
    NPU__TRY(npu__want_array(c, d->packed, d->period / 2, 1, sizeof(npu__complex), &d->roots));
    d->kernel = npu__fft64_select(npu__ctx_isa(c))->name;
    /* Rows that are matrices of their own share the threads. */
    d->sides = d->height == 1 ? npu__ctx_threads(c) : 1;
    NPU__TRY(npu__want_array(c, 0, npu__sat_mul(d->sides, d->height), (int64_t)d->width / 2 + 1, sizeof(npu__complex), &d->work));
    return npu__want_array(c, 0, d->period, d->sides, sizeof(npu__complex), &d->line);
}

/* roots[k] = exp(-2 pi i k / period) */
NPU__FN void npu__rfft2d_fill_roots(npu__ctx *c, const npu__rfft2d *d) {
    npu__complex *roots = (npu__complex *)npu__slot(c, d->roots);
    double        step = 6.283185307179586476925 / (double)d->period;
    for (int32_t k = 0; k < d->period / 2; k++) {
        roots[k].re = cos(step * (double)k);
        roots[k].im = -sin(step * (double)k);
    }
}

NPU__FN npu_status npu__rfft2d_pack(npu__ctx *c) {
    const npu__rfft2d *d = (const npu__rfft2d *)c->data;
    if (d->packed) npu__rfft2d_fill_roots(c, d);
    return NPU_OK;
}

/* The width / 2 + 1 values of one row of n_x real numbers: even ones as real, odd ones as imaginary parts. */
NPU__FN void npu__rfft2d_row(const npu__fft64_kernel *kern, const float *x, int32_t n_x, npu__complex *out, npu__complex *line,
                             const npu__rfft2d *d, const npu__complex *roots) {
    const int32_t half = d->width / 2, pairs = NPU__MIN(half, n_x / 2);
    int32_t       j = 0;
    if (d->width == 1) {
        out[0].re = n_x > 0 ? (double)x[0] : 0.0;
        out[0].im = 0.0;
        return;
    }
    for (int32_t k = 0; k < half; k++) {
        line[j].re = 2 * k < n_x ? (double)x[2 * k] : 0.0;
        line[j].im = k < pairs ? (double)x[2 * k + 1] : 0.0;
        j = npu__fft64_next(j, half);
    }
    /* The transforms of even and odd samples lie in one: their symmetric and antisymmetric parts. Each value joins the two. */
    npu__fft64_reversed(kern, line, half, roots, d->period);
    for (int32_t k = 1; k <= half / 2; k++) { /* and half - k; in the middle both are one */
        npu__complex a = line[k], b = line[half - k], odd;
        odd.re = 0.5 * (a.im + b.im);
        odd.im = -0.5 * (a.re - b.re);
        odd = npu__complex_mul(odd, roots[k * (d->period / d->width)]);
        a.re = 0.5 * (a.re + b.re);
        a.im = 0.5 * (a.im - b.im);
        out[half - k].re = a.re - odd.re;
        out[half - k].im = odd.im - a.im;
        out[k].re = a.re + odd.re;
        out[k].im = a.im + odd.im;
    }
    out[0].re = line[0].re + line[0].im;
    out[half].re = line[0].re - line[0].im;
    out[0].im = out[half].im = 0.0;
}

/* About as much as a transform of n values takes. */
NPU__FN int64_t npu__rfft2d_steps(int32_t n) {
    int64_t stages = 1;
    while (n >> stages) stages++;
    return 4 * stages * n;
}

/* One matrix of n_rows * n_cols to `work`. */
NPU__FN npu_status npu__rfft2d_slice(npu__ctx *c, const npu__rfft2d *d, const float *x, int32_t n_rows, int32_t n_cols) {
    const npu__complex *roots = (const npu__complex *)npu__slot(c, d->roots);
    const npu__fft64_kernel *kern = npu__fft64_select(npu__ctx_isa(c));
    npu__complex       *work = (npu__complex *)npu__slot(c, d->work), *line = (npu__complex *)npu__slot(c, d->line);
    int32_t             n_out = d->width / 2 + 1;
    int64_t             done = 0;
    for (int32_t r = 0; r < d->height; r++) {
        npu__complex *to = work + (int64_t)r * n_out;
        if (r < n_rows) npu__rfft2d_row(kern, x + (int64_t)r * n_cols, n_cols, to, line, d, roots);
        else for (int32_t k = 0; k < n_out; k++) to[k].re = to[k].im = 0.0;
        NPU__POLL_PASS(c, done, npu__rfft2d_steps(d->width));
    }
    /* Columns are copied out, transformed and copied back: strided access twice, not in every stage. */
    for (int32_t k = 0; d->height > 1 && k < n_out; k++) {
        for (int32_t r = 0; r < d->height; r++) line[r] = work[(int64_t)r * n_out + k];
        npu__fft64(kern, line, d->height, roots, d->period);
        for (int32_t r = 0; r < d->height; r++) work[(int64_t)r * n_out + k] = line[r];
        NPU__POLL_PASS(c, done, npu__rfft2d_steps(d->height));
    }
    return NPU_OK;
}

NPU__FN void npu__rfft2d_out(const npu__complex *from, float *out, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        out[2 * i] = (float)from[i].re;
        out[2 * i + 1] = (float)from[i].im;
    }
}

/* Matrices of one row. */
NPU__FN void npu__rfft2d_rows(void *arg, int64_t begin, int64_t end, int32_t thread) {
    npu__ctx           *c = (npu__ctx *)arg;
    const npu__rfft2d  *d = (const npu__rfft2d *)c->data;
    const npu__complex *roots = (const npu__complex *)npu__slot(c, d->roots);
    const int64_t       n_in = npu__dim(c->in[0], -1), n_out = (int64_t)d->width / 2 + 1;
    npu__complex       *work = (npu__complex *)npu__slot(c, d->work) + thread * n_out;
    npu__complex       *line = (npu__complex *)npu__slot(c, d->line) + (int64_t)thread * d->period;
    for (int64_t r = begin; r < end; r++) {
        npu__rfft2d_row(npu__fft64_select(npu__ctx_isa(c)), (const float *)c->in[0]->data + r * n_in, (int32_t)n_in, work, line, d, roots);
        npu__rfft2d_out(work, (float *)c->out[0]->data + 2 * r * n_out, n_out);
    }
}

NPU__FN npu_status npu__rfft2d_eval(npu__ctx *c) {
    const npu__rfft2d *d = (const npu__rfft2d *)c->data;
    const npu__val    *x = c->in[0];
    const float       *from = (const float *)x->data;
    float             *out = (float *)c->out[0]->data;
    int32_t            rank = x->shape.rank, n_rows = x->shape.dims[rank - 2], n_cols = x->shape.dims[rank - 1];
    int64_t            slices = npu__dims_product(&x->shape, 0, rank - 2), size = (int64_t)n_rows * n_cols;
    if (!d->packed) npu__rfft2d_fill_roots(c, d);
    if (d->height == 1 && n_rows == 1 && n_cols > 0) {
        npu__parallel(c, slices, 1 + 100000 / npu__rfft2d_steps(d->width), npu__rfft2d_rows, c);
        return NPU_OK;
    }
    for (int64_t s = 0; s < slices; s++) {
        const npu__complex *work = (const npu__complex *)npu__slot(c, d->work);
        NPU__TRY(npu__rfft2d_slice(c, d, size ? from + s * size : NULL, size ? n_rows : 0, n_cols));
        npu__rfft2d_out(work, out, (int64_t)d->height * (d->width / 2 + 1));
        out += 2 * (int64_t)d->height * (d->width / 2 + 1);
    }
    return NPU_OK;
}

/* Every row and every column of every slice, and the table of roots where it is not kept. */
NPU__FN npu__work npu__rfft2d_work(const npu__ctx *c) {
    const npu__rfft2d *d = (const npu__rfft2d *)c->data;
    const npu__shape  *s = &c->in[0]->shape;
    int64_t            slice = npu__sat_mul(d->height, npu__rfft2d_steps(d->width));
    slice = npu__sat_add(slice, npu__sat_mul((int64_t)d->width / 2 + 1, npu__rfft2d_steps(d->height)));
    slice = npu__sat_mul(slice, npu__dims_product(s, 0, s->rank - 2));
    return npu__work_steps(c, npu__sat_add(slice, 16 * (int64_t)d->period));
}

NPU__OPDEF(npu__op_rfft2d) = {2, 2, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__rfft2d), npu__rfft2d_infer,
                                          npu__rfft2d_prepare, npu__rfft2d_pack, npu__rfft2d_eval,
                                          npu__rfft2d_work};
