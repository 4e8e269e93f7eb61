/* The rows of a convolution's matrix product: pixels as they lie, windows in the image or in a padded copy of some of
 * its rows (a band), or, where neither pays, copied windows. */
#include "conv_fast.h"
#include "conv_util.h"
NPU__SPEED_BEGIN

#define NPU__ROWS_BYTES (48 * 1024)  /* of rows worked on at a time, where they can be cut at will */
#define NPU__BAND_BYTES (128 * 1024) /* of a band of more than one output row */
#define NPU__BAND_MAX (1024 * 1024)  /* of a band of one output row */
#define NPU__BAND_PIXELS 192         /* output pixels that share one walk over the weights */
#define NPU__BAND_SLACK 64           /* read past the last run where it is padded */
#define NPU__MAX_SEGMENTS 1024
#define NPU__LINE_MACS ((int64_t)1 << 27) /* of an output row: beyond, pixels are the unit, so that a session can stop */

NPU__INLINE size_t npu__conv_elem_bytes(const npu__conv_data *d) {
    return d->kind == NPU__CONV_F32 ? sizeof(float) : npu__gemm_i8_elem_bytes(d->fast.gemm_i8);
}
NPU__INLINE int32_t npu__conv_run(const npu__conv_fast *f, int f32) {
    return f32 ? f->run : npu__gemm_i8_run_of(f->gemm_i8, f->run);
}

/* Are the rows of the product the input as it lies? A 1x1 window on each pixel, or one window on each whole image. */
NPU__FN int npu__conv_is_direct(const npu__conv_geom *g) {
    if (g->k_c != g->in_c || g->pad_h != 0 || g->pad_w != 0) return 0;
    if (g->k_h == 1 && g->k_w == 1) {
        return g->stride_h == 1 && g->stride_w == 1 && g->out_h == g->in_h && g->out_w == g->in_w;
    }
    return g->k_h == g->in_h && g->k_w == g->in_w && g->out_h == 1 && g->out_w == 1 && g->dil_h == 1 && g->dil_w == 1;
}

/* Output rows for one band: enough pixels to make walking over the weights pay, few enough bytes to stay cached.
 * 0: not even one row fits. */
NPU__FN int32_t npu__conv_band_block(const npu__conv_geom *g, int64_t row_bytes) {
    int64_t rows = 1;
    if (npu__band_rows(g, 1) > NPU__BAND_MAX || npu__band_rows(g, 1) * row_bytes > NPU__BAND_MAX) return 0;
    while (rows < g->out_h && rows * g->out_w < NPU__BAND_PIXELS &&
           npu__band_rows(g, rows + 1) * row_bytes <= NPU__BAND_BYTES) rows++;
    return (int32_t)rows;
}

NPU__FN int32_t npu__conv_choose_rows(const npu__conv_data *d) {
    const npu__conv_geom *g = &d->g;
    const int             f32 = d->kind == NPU__CONV_F32;
    const int64_t         width = npu__band_width(g);
    if (npu__conv_is_direct(g)) return NPU__ROWS_DIRECT;
    /* The tests go from what costs nothing to what always works; the first two below only bound a line's work and its
     * tables. */
    if (npu__sat_mul((int64_t)g->out_w * g->out_c, d->fast.k) > NPU__LINE_MACS) return NPU__ROWS_GATHER;
    if ((int64_t)g->k_h * g->k_w > NPU__MAX_SEGMENTS || width > INT32_MAX / 64 / g->in_c) return NPU__ROWS_GATHER;
    /* Floats need no staging: where no window leaves the image, it is its own band. */
    if (f32 && g->pad_h == 0 && g->pad_w == 0 && width <= g->in_w && npu__band_rows(g, g->out_h) <= g->in_h) {
        return NPU__ROWS_INPLACE;
    }
    /* Strided 1x1 windows leave most of a band unread. */
    if (g->k_h == 1 && g->k_w == 1 && (g->stride_h > 1 || g->stride_w > 1)) return NPU__ROWS_GATHER;
    if (!npu__conv_band_block(g, width * g->in_c * (int64_t)npu__conv_elem_bytes(d))) return NPU__ROWS_GATHER;
    return NPU__ROWS_BAND;
}

/* A thread's scratch: offsets, window pointers, row corrections, band or staged rows, gathered rows, rows turned. */
NPU__FN void npu__conv_rows_layout(const npu__conv_data *d, npu__conv_fast *f, int32_t block, size_t word) {
    const npu__conv_geom *g = &d->g;
    const int             f32 = d->kind == NPU__CONV_F32;
    const size_t          elem = npu__conv_elem_bytes(d), row_bytes = (size_t)npu__conv_run(f, f32) * elem;
    size_t                rows, staged = 0, col = 0;
    f->block = block ? block : f->width ? 1 : npu__conv_mr(f, f32);
    rows = (size_t)f->block * (f->width ? (size_t)g->out_w : 1u);
    if (f->rows == NPU__ROWS_BAND) {
        staged = (size_t)npu__band_rows(g, f->block) * (size_t)f->width * (size_t)g->in_c * elem + NPU__BAND_SLACK;
    } else if (!f->width && !f32) {
        staged = row_bytes * rows;
    }
    /* Integer rows are copied as bytes first, then staged: two buffers. Floats are multiplied as they were copied. */
    if (f->rows == NPU__ROWS_GATHER) col = (size_t)f->k * (f32 ? sizeof(float) : 1u) * rows;
    f->at_windows = npu__align_up((size_t)f->segments * word, 64);
    f->at_adds = f->at_windows + (f->width ? npu__align_up(rows * word, 64) : 0);
    f->at_staged = f->at_adds + (f32 ? 0 : npu__align_up(rows * sizeof(int32_t), 64));
    f->at_col = f->at_staged + npu__align_up(staged, 64);
    f->at_turned = f->at_col + npu__align_up(col, 64);
    f->plane_each = f->at_turned + (f32 && f->sparse.kern ? f->sparse.work : 0);
    f->scratch_each = f->plane_each * (d->kind == NPU__CONV_I16 ? 2u : 1u);
}

NPU__FN int npu__conv_rows_plan(const npu__conv_data *d, npu__conv_fast *f, size_t word) {
    const npu__conv_geom *g = &d->g;
    const int             f32 = d->kind == NPU__CONV_F32, mr = npu__conv_mr(f, f32);
    const size_t          elem = npu__conv_elem_bytes(d);
    const int64_t         pixels = (int64_t)g->batches * g->out_h * g->out_w;
    int64_t               rows;
    f->rows = npu__conv_choose_rows(d);
    f->segments = 1;
    f->run = f->k;
    f->width = 0;
    if (f->rows == NPU__ROWS_BAND || f->rows == NPU__ROWS_INPLACE) {
        npu__band_runs(g, &f->segments, &f->run);
        f->width = f->rows == NPU__ROWS_INPLACE ? g->in_w : (int32_t)npu__band_width(g);
        rows = npu__conv_band_block(g, (int64_t)f->width * g->in_c * (int64_t)elem);
        if (rows < 1) rows = 1;
        if (rows * g->out_w > 1 << 24) return 0;
    } else {
        rows = NPU__MAX((int64_t)(NPU__ROWS_BYTES / ((size_t)npu__conv_run(f, f32) * elem)) / mr * mr, (int64_t)mr);
        rows = NPU__MIN(rows, (pixels + mr - 1) / mr * mr);
        if (rows > 1 << 24) return 0;
    }
    npu__conv_rows_layout(d, f, 0, word);
    f->scratch_least = f->scratch_each <= NPU__LOCAL_BYTES ? 0 : f->scratch_each;
    npu__conv_rows_layout(d, f, (int32_t)rows, word);
    return 1;
}

NPU__FN void npu__conv_rows_fit(const npu__conv_data *d, npu__conv_fast *f, size_t bytes) {
    const int32_t unit = f->width ? 1 : npu__conv_mr(f, d->kind == NPU__CONV_F32);
    int32_t       fits = 1, too_many = f->block / unit + 1; /* in units; one always fits */
    if (f->scratch_each <= bytes) return;
    while (too_many - fits > 1) {
        const int32_t some = fits + (too_many - fits) / 2;
        npu__conv_rows_layout(d, f, some * unit, sizeof(void *));
        if (f->scratch_each <= bytes) fits = some;
        else too_many = some;
    }
    npu__conv_rows_layout(d, f, fits * unit, sizeof(void *));
}

NPU__FN int64_t npu__conv_rows_count(const npu__conv_data *d) {
    const int64_t lines = (int64_t)d->g.batches * d->g.out_h;
    return d->fast.width ? lines : lines * d->g.out_w;
}

NPU__FN void npu__conv_rows_start(npu__conv_rows *r) {
    const npu__conv_fast *f = &r->d->fast;
    const int             f32 = r->d->kind == NPU__CONV_F32;
    r->a = npu__gemm_rows_of(NULL, 0, npu__conv_run(f, f32));
    if (!f->width) return;
    r->a.segments = f->segments;
    r->a.offsets = (const size_t *)(const void *)r->scratch;
    r->a.rows = (const uint8_t *const *)(const void *)(r->scratch + f->at_windows);
    npu__band_offsets(&r->d->g, f->width, (size_t *)(void *)r->scratch);
    /* Kernels read past the last run where its length is padded: what lies there must not be anybody's bytes. */
    if (f->rows == NPU__ROWS_BAND) memset(r->scratch + f->at_col - 64, 0, 64);
}

NPU__FN int32_t npu__conv_rows_lines(npu__conv_rows *r, int64_t line, int32_t n, int32_t group) {
    const npu__conv_data *d = r->d;
    const npu__conv_geom *g = &d->g;
    const npu__conv_fast *f = &d->fast;
    const size_t          elem = npu__conv_elem_bytes(d), pixel = (size_t)g->in_c * elem;
    const int32_t         b = (int32_t)(line / g->out_h), oy = (int32_t)(line % g->out_h);
    const int32_t         y0 = oy * g->stride_h - g->pad_h;
    const uint8_t        *base = r->scratch + f->at_staged;
    n = NPU__MIN(n, g->out_h - oy);
    if (f->rows == NPU__ROWS_INPLACE) {
        base = r->in + ((size_t)b * (size_t)g->in_h + (size_t)y0) * (size_t)g->in_w * pixel;
    /* All groups of a line share its band: the first one fills it. */
    } else if (group == 0) {
        npu__band band;
        band.g = g;
        band.in = r->in;
        band.elem_bytes = elem;
        band.width = f->width;
        band.stage = d->kind == NPU__CONV_F32 ? NULL : f->gemm_i8->stage;
        band.is_signed = d->kind != NPU__CONV_U8;
        band.pad = d->kind == NPU__CONV_F32 ? 0 : npu__gemm_i8_staged_zero(f->gemm_i8, band.is_signed, r->in_zp);
        npu__band_fill(&band, b, y0, (int32_t)npu__band_rows(g, n), r->scratch + f->at_staged);
    }
    npu__band_windows(g, base + (size_t)group * (size_t)g->k_c * elem, f->width, elem, n,
                      (const uint8_t **)(void *)(r->scratch + f->at_windows));
    r->m = n * g->out_w;
    return n;
}

NPU__FN int32_t npu__conv_rows_at(npu__conv_rows *r, int64_t at, int32_t n, int32_t group) {
    const npu__conv_data *d = r->d;
    const npu__conv_fast *f = &d->fast;
    const size_t          in_elem = d->kind == NPU__CONV_F32 ? sizeof(float) : 1;
    const uint8_t        *rows;
    if (f->width) return npu__conv_rows_lines(r, at, n, group);
    r->m = n;
    if (f->rows == NPU__ROWS_DIRECT) {
        rows = r->in + (size_t)at * (size_t)f->k * in_elem;
    } else {
        npu__im2col job;
        job.g = &d->g;
        job.in = r->in;
        job.elem_bytes = in_elem;
        job.first_c = group * d->g.k_c;
        /* Padding is a real zero: the zero point, as it is stored. */
        job.pad = d->kind == NPU__CONV_F32 ? 0 : r->in_zp & 0xFF;
        npu__im2col_rows(&job, at, n, r->scratch + f->at_col);
        rows = r->scratch + f->at_col;
    }
    if (d->kind != NPU__CONV_F32) {
        npu__gemm_i8_stage(f->gemm_i8, rows, n, f->k, r->a.run, d->kind != NPU__CONV_U8, r->scratch + f->at_staged);
        rows = r->scratch + f->at_staged;
    }
    r->a.a = rows;
    r->a.stride = (size_t)r->a.run * npu__conv_elem_bytes(d);
    return n;
}
NPU__SPEED_END
