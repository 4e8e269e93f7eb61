/* Transposed convolutions on matrix products: rows of periods, each part of a period a product of its own. */
#include "transpose_conv_fast.h"
NPU__SPEED_BEGIN

#define NPU__TCONV_GRAIN_MACS 100000
#define NPU__TCONV_ROWS 192             /* that share one walk over the weights */
#define NPU__TCONV_DIRECT 24            /* periods of a line from which on its results need not be gathered with others */
#define NPU__TCONV_BYTES (128 * 1024)   /* of a band, or of results, of more than one row of periods */
#define NPU__TCONV_MOST (4 << 20)       /* of one row of periods */
#define NPU__TCONV_MACS ((int64_t)1 << 29) /* of one row of periods: between them a session can stop */
#define NPU__TCONV_TAPS 1024
#define NPU__TCONV_SLACK 64             /* read past the last run where it is padded */

/* ---- prepare ---- */

/* Of results, and of inputs as kernels read them. */
NPU__INLINE size_t npu__tconv_out_elem(const npu__tconv_data *d) {
    return d->fast.gemm_f32 || d->conv.kind == NPU__CONV_HYBRID ? sizeof(float) : 1;
}
NPU__INLINE size_t npu__tconv_elem(const npu__tconv_fast *f) {
    return f->gemm_f32 ? sizeof(float) : f->gemm_i8 ? npu__gemm_i8_elem_bytes(f->gemm_i8) : sizeof(int16_t);
}

/* Bytes of part `i`, packed; SIZE_MAX / 2: too large. */
NPU__FN size_t npu__tconv_packed(const npu__tconv_data *d, int32_t i) {
    const npu__tconv_fast *f = &d->fast;
    const npu__phase_part  p = npu__tconv_part(d, i);
    const int32_t          n = npu__phase_columns(&p), run = p.x->taps * d->conv.g.in_c;
    size_t                 bytes = SIZE_MAX / 2;
    if (f->gemm_f32) {
        if (!npu__gemm_f32_packed_bytes(f->gemm_f32, n, run * p.y->taps, &bytes)) return SIZE_MAX / 2;
    } else if (f->gemm_i8) {
        if (!npu__gemm_i8_packed_bytes(f->gemm_i8, n, p.y->taps, run, &bytes)) return SIZE_MAX / 2;
    } else if (!npu__mul_size((size_t)run * (size_t)p.y->taps, (size_t)n, &bytes)) {
        return SIZE_MAX / 2;
    }
    return npu__align_up(bytes, 64);
}

/* Multiply-accumulates of a period's position with these phases, columns filled up to whole panels; -1: not for us. */
NPU__FN int64_t npu__tconv_cost(const npu__tconv_data *d) {
    const npu__tconv_fast *f = &d->fast;
    const int64_t          nr = f->gemm_f32 ? f->gemm_f32->unit : f->gemm_i8 ? f->gemm_i8->nr : 1, in_c = d->conv.g.in_c;
    int64_t                cost = 0;
    if (!f->n_y || !f->n_x) return -1;
    for (int32_t i = 0; i < f->n_y * f->n_x; i++) {
        const npu__phase_part p = npu__tconv_part(d, i);
        const int64_t         n = npu__sat_mul((int64_t)p.y->count * p.x->count, d->conv.g.out_c);
        const int64_t         taps = (int64_t)p.y->taps * p.x->taps;
        if (taps > NPU__TCONV_TAPS || taps * in_c > 1 << 24 || n > 1 << 24) return -1;
        /* Moving results to their places, and a product's beginning, cost too. */
        cost += (n + nr - 1) / nr * nr * taps * in_c + (p.y->count > 1 ? 2 * n : 0) + 32;
    }
    return cost;
}

/* Chooses how cells are put together: as the fewest multiplications come out. */
NPU__FN int64_t npu__tconv_phases(npu__tconv_data *d) {
    static const int8_t   modes[][2] = {{NPU__PHASES_EACH, NPU__PHASES_EQUAL}, {NPU__PHASES_EACH, NPU__PHASES_ALL},
                                        {NPU__PHASES_EQUAL, NPU__PHASES_EQUAL}, {NPU__PHASES_EQUAL, NPU__PHASES_ALL},
                                        {NPU__PHASES_ALL, NPU__PHASES_EQUAL}, {NPU__PHASES_ALL, NPU__PHASES_ALL}};
    npu__tconv_fast      *f = &d->fast, best;
    const npu__conv_geom *g = &d->conv.g;
    int64_t               least = -1;
    memset(&best, 0, sizeof best);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        int64_t cost;
        f->n_y = npu__phases_of(modes[i][0], g->k_h, g->stride_h, g->pad_h, g->out_h, f->y);
        f->n_x = npu__phases_of(modes[i][1], g->k_w, g->stride_w, g->pad_w, g->out_w, f->x);
        cost = npu__tconv_cost(d);
        if (cost < 0 || (least >= 0 && cost >= least)) continue;
        least = cost;
        best = *f;
    }
    if (least >= 0) *f = best;
    return least;
}

/* Periods as outputs of a convolution of stride 1 over the input. */
NPU__FN void npu__tconv_band(npu__tconv_data *d) {
    const npu__conv_geom *g = &d->conv.g;
    npu__tconv_fast      *f = &d->fast;
    npu__conv_geom       *band = &f->band;
    int32_t               from_y = 0, from_x = 0, to_y = 1, to_x = 1;
    for (int32_t i = 0; i < f->n_y; i++) {
        from_y = NPU__MIN(from_y, f->y[i].from);
        to_y = NPU__MAX(to_y, f->y[i].from + f->y[i].taps);
    }
    for (int32_t i = 0; i < f->n_x; i++) {
        from_x = NPU__MIN(from_x, f->x[i].from);
        to_x = NPU__MAX(to_x, f->x[i].from + f->x[i].taps);
    }
    *band = *g;
    band->out_h = (int32_t)(((int64_t)g->out_h + g->stride_h - 1) / g->stride_h);
    band->out_w = (int32_t)(((int64_t)g->out_w + g->stride_w - 1) / g->stride_w);
    band->stride_h = band->stride_w = band->dil_h = band->dil_w = 1;
    band->pad_h = -from_y;
    band->pad_w = -from_x;
    band->k_h = to_y - from_y;
    band->k_w = to_x - from_x;
    f->inplace = f->gemm_f32 && from_y == 0 && from_x == 0 && npu__band_width(band) <= g->in_w &&
                 npu__band_rows(band, band->out_h) <= g->in_h;
}
NPU__INLINE int32_t npu__tconv_width(const npu__tconv_fast *f) {
    return f->inplace ? f->band.in_w : (int32_t)npu__band_width(&f->band);
}

/* A thread's scratch for that many rows of periods at a time. */
NPU__FN void npu__tconv_layout(const npu__tconv_data *d, npu__tconv_fast *f, int32_t rows, size_t word) {
    const int64_t w = (int64_t)rows * f->band.out_w, line = npu__band_width(&f->band) * f->band.in_c * (int64_t)npu__tconv_elem(f);
    const int64_t each = f->gemv ? (int64_t)f->columns * 8 : f->direct ? 0 : w * f->columns * (int64_t)npu__tconv_out_elem(d);
    f->block = rows;
    f->at_windows = npu__align_up((size_t)f->segments * word, 64);
    f->at_adds = f->at_windows + npu__align_up(f->gemv ? (size_t)f->depth * sizeof(int16_t) : (size_t)w * word, 64);
    f->at_out = f->at_adds + (f->gemm_f32 ? 0 : npu__align_up((size_t)(f->gemv ? f->columns : w) * sizeof(int32_t), 64));
    f->at_band = f->at_out + npu__align_up((size_t)each, 64);
    f->scratch_each = f->at_band;
    if (!f->inplace) f->scratch_each += npu__align_up((size_t)(npu__band_rows(&f->band, rows) * line) + NPU__TCONV_SLACK, 64);
}

/* As many rows at a time as pay. 0: not for us. */
NPU__FN int32_t npu__tconv_rows(npu__tconv_data *d) {
    npu__tconv_fast *f = &d->fast;
    const int64_t    w = f->band.out_w, line = npu__band_width(&f->band) * f->band.in_c * (int64_t)npu__tconv_elem(f);
    int64_t          segments = 0, columns = 0, depth = 0, each, rows = 1;
    f->direct = d->conv.g.out_w % NPU__MIN(d->conv.g.stride_w, d->conv.g.out_w) == 0 && w >= NPU__TCONV_DIRECT;
    for (int32_t i = 0; i < f->n_y * f->n_x; i++) {
        const npu__phase_part p = npu__tconv_part(d, i);
        segments += p.y->taps;
        columns = NPU__MAX(columns, (int64_t)npu__phase_columns(&p));
        depth = NPU__MAX(depth, (int64_t)p.y->taps * p.x->taps * f->band.in_c);
        if (p.y->count > 1) f->direct = 0;
    }
    each = f->gemv ? columns * 8 : f->direct ? 0 : w * columns * (int64_t)npu__tconv_out_elem(d); /* of a row of periods */
    if (w > 1 << 20 || f->band.k_h > NPU__TCONV_TAPS || npu__band_rows(&f->band, 1) * line > NPU__TCONV_MOST ||
        each > NPU__TCONV_MOST || depth > INT32_MAX) return 0;
    f->segments = (int32_t)segments;
    f->columns = (int32_t)columns;
    f->depth = (int32_t)depth;
    while (!f->gemv && rows < f->band.out_h && rows * w < NPU__TCONV_ROWS && (rows + 1) * each <= NPU__TCONV_BYTES &&
           npu__band_rows(&f->band, rows + 1) * line <= NPU__TCONV_BYTES) rows++;
    return (int32_t)rows;
}

NPU__FN npu_status npu__tconv_prepare(npu__ctx *c, npu__conv_io io, npu__tconv_data *d) {
    npu__tconv_fast *f = &d->fast;
    const npu_isa    isa = npu__ctx_isa(c);
    const int32_t    kind = d->conv.kind;
    const size_t     threads = (size_t)npu__ctx_threads(c), word = npu__ctx_word(c);
    size_t           packed = 0, least, most;
    int64_t          cost = -1;
    int32_t          rows = 0;
    d->conv.kernel = "reference";
    if (kind == NPU__CONV_F32) f->gemm_f32 = npu__gemm_f32_select(isa);
    else if (kind != NPU__CONV_I16) f->gemm_i8 = npu__gemm_i8_select(isa);
    else f->gemv = npu__gemv_i8_select(isa);
    if (!npu__tconv_is_fast(d)) return NPU_OK;
    if (c->in[io.in]->bytes > 0 && c->out[0]->bytes > 0) cost = npu__tconv_phases(d);
    if (cost >= 0) npu__tconv_band(d);
    if (cost >= 0 && npu__sat_mul(cost, f->band.out_w) <= NPU__TCONV_MACS) rows = npu__tconv_rows(d);
    if (!rows) {
        f->gemm_f32 = NULL;
        f->gemm_i8 = NULL;
        f->gemv = NULL;
        return NPU_OK;
    }
    d->conv.kernel = f->gemm_f32 ? f->gemm_f32->name : f->gemm_i8 ? f->gemm_i8->name : f->gemv->name;
    f->packed = npu__can_pack(c, io.w) && (!npu__opt_in(c, io.bias) || npu__can_pack(c, io.bias));
    for (int32_t i = 0; i < f->n_y * f->n_x; i++)
        if (!npu__add_size(packed, npu__tconv_packed(d, i), &packed)) packed = SIZE_MAX / 2;
    npu__tconv_layout(d, f, 1, word);
    if (!npu__mul_size(f->scratch_each, threads, &least)) least = SIZE_MAX / 2;
    npu__tconv_layout(d, f, rows, word);
    if (!npu__mul_size(f->scratch_each, threads, &most)) most = SIZE_MAX / 2;
    f->packed_slot = f->packed ? npu__want_packed(c, packed) : npu__want_scratch(c, packed);
    f->scratch_slot = npu__want_scratch_upto(c, least, most);
    return f->packed_slot < 0 || f->scratch_slot < 0 ? NPU_LIMIT : NPU_OK;
}

/* ---- pack ---- */

NPU__FN void npu__tconv_pack_i8(npu__ctx *c, npu__conv_io io, const npu__tconv_data *d, const npu__phase_part *p,
                                const int32_t *bias, uint8_t *to) {
    const int            hybrid = d->conv.kind == NPU__CONV_HYBRID;
    npu__pack_floats     floats = npu__conv_hybrid_columns(c, io.w, io.bias, 0);
    npu__gemm_i8_weights w;
    npu__pack_by         by;
    by.at = npu__phase_tap;
    by.arg = p;
    by.piece = d->conv.g.in_c;
    by.channels = d->conv.g.out_c;
    w.w = NULL;
    w.stride_n = 0;
    w.stride_k = 1;
    w.segments = p->y->taps;
    w.run = p->x->taps * by.piece;
    w.w_signed = w.a_signed = d->conv.kind != NPU__CONV_U8;
    w.w_zero_point = d->conv.w_zp;
    w.a_zero_point = d->conv.in_zp;
    w.bias = hybrid ? NULL : bias;
    w.qmul = npu__conv_qmuls(c, &d->conv);
    w.qmul_step = d->conv.mul_slot >= 0;
    npu__gemm_i8_pack_by(d->fast.gemm_i8, npu__phase_columns(p), &w, &by, hybrid ? &floats : NULL, to);
}

NPU__FN void npu__tconv_fill(npu__ctx *c, npu__conv_io io, const npu__tconv_data *d) {
    const npu__val *bias = npu__opt_in(c, io.bias);
    const void     *b = bias ? bias->data : NULL;
    uint8_t        *to = (uint8_t *)npu__slot(c, d->fast.packed_slot);
    for (int32_t i = 0; i < d->fast.n_y * d->fast.n_x; i++) {
        npu__phase_part p = npu__tconv_part(d, i);
        p.w = (const uint8_t *)npu__weights_data(c, io.w, &d->conv.w);
        if (d->fast.gemm_f32) npu__phase_pack_f32(d->fast.gemm_f32, &p, (const float *)b, (float *)(void *)to);
        else if (d->fast.gemv) npu__phase_pack_rows(&p, (int8_t *)to);
        else npu__tconv_pack_i8(c, io, d, &p, (const int32_t *)b, to);
        to += npu__tconv_packed(d, i);
    }
}

NPU__FN npu_status npu__tconv_pack(npu__ctx *c, npu__conv_io io) {
    const npu__tconv_data *d = (const npu__tconv_data *)c->data;
    NPU__TRY(npu__conv_pack(c, io));
    if (npu__tconv_is_fast(d) && d->fast.packed) npu__tconv_fill(c, io, d);
    return NPU_OK;
}

/* ---- eval ---- */

typedef struct npu__tconv_job {
    npu__ctx              *c;
    const npu__tconv_data *d;
    npu__conv_io           io;
} npu__tconv_job;

/* Rows of periods [r, r + n) of image b, whose band is there. */
typedef struct npu__tconv_lines {
    int32_t        b, r, n;
    uint8_t       *scratch;
    npu__gemm_rows a; /* of the part */
} npu__tconv_lines;

/* m rows of the product from row `row` on. */
NPU__FN void npu__tconv_gemm(const npu__tconv_job *job, const npu__tconv_lines *l, const npu__phase_part *p,
                             const uint8_t *packed, int32_t row, int32_t m, size_t stride, uint8_t *out) {
    const npu__tconv_data *d = job->d;
    const npu__tconv_fast *f = &d->fast;
    const int32_t          n = npu__phase_columns(p);
    npu__gemm_rows         a = l->a;
    a.rows += row;
    if (f->gemm_f32) {
        npu__gemm_f32_job g;
        g.a = a;
        g.m = m;
        g.out_stride = stride;
        g.lo = d->conv.lo;
        g.hi = d->conv.hi;
        npu__gemm_f32_run(f->gemm_f32, &g, (const float *)(const void *)packed, n, (float *)(void *)out);
    } else {
        int32_t         *adds = (int32_t *)(void *)(l->scratch + f->at_adds);
        npu__i8_floats   floats;
        npu__gemm_i8_job g;
        g.a = a;
        g.m = m;
        g.row_add = adds;
        g.out_stride = stride * npu__tconv_out_elem(d);
        g.out = npu__conv_i8_out(&d->conv);
        if (d->conv.kind == NPU__CONV_HYBRID) {
            floats = npu__conv_hybrid_floats(job->c, &d->conv, l->b);
            g.out.floats = &floats;
        }
        npu__gemm_i8_row_adds(f->gemm_i8, &a, m, p->x->taps * d->conv.g.in_c,
                              npu__gemm_i8_delta(d->conv.kind != NPU__CONV_U8, d->conv.w_zp), adds);
        npu__gemm_i8_run(f->gemm_i8, &g, packed, n, out);
    }
}

/* Results of a part, which lie [row][column], to their places. */
NPU__FN void npu__tconv_place(const npu__tconv_data *d, const npu__tconv_lines *l, const npu__phase_part *p,
                              const uint8_t *from, uint8_t *out) {
    const npu__conv_geom *g = &d->conv.g;
    const size_t          pixel = (size_t)g->out_c * npu__tconv_out_elem(d), line = (size_t)p->x->count * pixel;
    for (int32_t r = l->r; r < l->r + l->n; r++) {
        for (int32_t q = 0; q < d->fast.band.out_w; q++) {
            const int64_t x = (int64_t)q * g->stride_w + p->x->first;
            const size_t  cells = (size_t)NPU__MIN(NPU__MAX(g->out_w - x, (int64_t)0), (int64_t)p->x->count);
            for (int32_t i = 0; i < p->y->count; i++, from += line) {
                const int64_t y = (int64_t)r * g->stride_h + p->y->first + i;
                if (y >= g->out_h || !cells) continue;
                memcpy(out + (((size_t)l->b * (size_t)g->out_h + (size_t)y) * (size_t)g->out_w + (size_t)x) * pixel, from,
                       cells * pixel);
            }
        }
    }
}

NPU__FN void npu__tconv_part_run(const npu__tconv_job *job, const npu__tconv_lines *l, const npu__phase_part *p,
                                 const uint8_t *packed) {
    const npu__tconv_data *d = job->d;
    const npu__conv_geom  *g = &d->conv.g;
    const int32_t          w = d->fast.band.out_w;
    const size_t           pixel = (size_t)g->out_c * npu__tconv_out_elem(d);
    uint8_t               *out = (uint8_t *)job->c->out[0]->data, *results = l->scratch + d->fast.at_out;
    if (!d->fast.direct) {
        npu__tconv_gemm(job, l, p, packed, 0, l->n * w, (size_t)npu__phase_columns(p), results);
        npu__tconv_place(d, l, p, results, out);
        return;
    }
    for (int32_t i = 0; i < l->n; i++) {
        const int64_t y = (int64_t)(l->r + i) * g->stride_h + p->y->first;
        if (y >= g->out_h) return;
        npu__tconv_gemm(job, l, p, packed, i * w, w, (size_t)g->stride_w * (size_t)g->out_c,
                        out + (((size_t)l->b * (size_t)g->out_h + (size_t)y) * (size_t)g->out_w + (size_t)p->x->first) * pixel);
    }
}

/* The band of some rows of periods, and where their windows start in it. */
NPU__FN void npu__tconv_lines_at(const npu__tconv_job *job, const npu__tconv_lines *l) {
    const npu__tconv_data *d = job->d;
    const npu__tconv_fast *f = &d->fast;
    const npu__conv_geom  *g = &f->band;
    const int32_t          width = npu__tconv_width(f), y0 = l->r - g->pad_h;
    const int              hybrid = d->conv.kind == NPU__CONV_HYBRID;
    const uint8_t         *in = (const uint8_t *)(hybrid ? npu__slot(job->c, d->conv.in_slot) : job->c->in[job->io.in]->data);
    const uint8_t         *base = l->scratch + f->at_band;
    if (f->inplace) {
        base = in + ((size_t)l->b * (size_t)g->in_h + (size_t)y0) * (size_t)width * (size_t)g->in_c * sizeof(float);
    } else {
        npu__band band;
        band.g = g;
        band.in = in;
        band.elem_bytes = npu__tconv_elem(f);
        band.width = width;
        band.stage = f->gemm_f32 ? NULL : f->gemm_i8->stage;
        band.is_signed = d->conv.kind != NPU__CONV_U8;
        band.pad = f->gemm_f32 ? 0 : npu__gemm_i8_staged_zero(f->gemm_i8, band.is_signed, hybrid ? npu__conv_hybrid_zp(job->c, &d->conv, l->b)
                                                                                                   : d->conv.in_zp);
        npu__band_fill(&band, l->b, y0, (int32_t)npu__band_rows(g, l->n), l->scratch + f->at_band);
    }
    npu__band_windows(g, base, width, npu__tconv_elem(f), l->n, (const uint8_t **)(void *)(l->scratch + f->at_windows));
}

NPU__FN void npu__tconv_offsets(const npu__tconv_data *d, size_t *offsets) {
    const npu__tconv_fast *f = &d->fast;
    for (int32_t i = 0; i < f->n_y * f->n_x; i++) {
        const npu__phase_part p = npu__tconv_part(d, i);
        for (int32_t t = 0; t < p.y->taps; t++) {
            *offsets++ = ((size_t)(p.y->from + t + f->band.pad_h) * (size_t)npu__tconv_width(f) +
                          (size_t)(p.x->from + f->band.pad_w)) * (size_t)f->band.in_c;
        }
    }
}

NPU__FN void npu__tconv_range(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__tconv_job  *job = (const npu__tconv_job *)arg;
    const npu__tconv_data *d = job->d;
    const npu__tconv_fast *f = &d->fast;
    npu__tconv_lines       l;
    l.scratch = (uint8_t *)npu__slot(job->c, f->scratch_slot) + (size_t)thread * f->scratch_each;
    npu__tconv_offsets(d, (size_t *)(void *)l.scratch);
    /* Kernels read past the last run where its length is padded: what lies there must not be anybody's bytes. */
    if (!f->inplace) memset(l.scratch + f->scratch_each - NPU__TCONV_SLACK, 0, NPU__TCONV_SLACK);
    l.a = npu__gemm_rows_of(NULL, 0, 0);
    l.a.rows = (const uint8_t *const *)(const void *)(l.scratch + f->at_windows);
    for (; begin < end; begin += l.n) {
        const uint8_t *packed = (const uint8_t *)npu__slot(job->c, f->packed_slot);
        l.b = (int32_t)(begin / f->band.out_h);
        l.r = (int32_t)(begin % f->band.out_h);
        l.n = (int32_t)NPU__MIN(NPU__MIN((int64_t)f->block, end - begin), (int64_t)f->band.out_h - l.r);
        npu__tconv_lines_at(job, &l);
        l.a.offsets = (const size_t *)(const void *)l.scratch;
        for (int32_t i = 0; i < f->n_y * f->n_x; i++) {
            const npu__phase_part p = npu__tconv_part(d, i);
            const int32_t         run = p.x->taps * d->conv.g.in_c;
            l.a.segments = p.y->taps;
            l.a.run = f->gemm_i8 ? npu__gemm_i8_run_of(f->gemm_i8, run) : run;
            npu__tconv_part_run(job, &l, &p, packed);
            l.a.offsets += p.y->taps;
            packed += npu__tconv_packed(d, i);
        }
    }
}
NPU__SPEED_END

NPU__FN npu_status npu__tconv_eval(npu__ctx *c, npu__conv_io io) {
    const npu__tconv_data *d = (const npu__tconv_data *)c->data;
    const npu__conv_geom  *g = &d->conv.g;
    const int64_t          macs = npu__sat_mul((int64_t)g->out_c * g->in_c, (int64_t)g->k_h * g->k_w);
    const int64_t          grain = NPU__TCONV_GRAIN_MACS / NPU__MAX(npu__sat_mul(macs, d->fast.band.out_w), (int64_t)1) + 1;
    npu__tconv_data        fitted;
    npu__tconv_job         job;
    size_t                 bytes;
    if (!npu__tconv_is_fast(d)) return npu__conv_eval_ref(c, io, npu__ref_transpose_conv_accs());
    if (!d->fast.packed) {
        npu__conv_late(c, io, &d->conv);
        npu__tconv_fill(c, io, d);
    }
    if (d->fast.gemv) return npu__tconv_eval_pixels(c, io, grain);
    if (d->conv.kind == NPU__CONV_HYBRID) {
        const npu__gemv_i8_kernel *kern = npu__gemv_i8_select(npu__ctx_isa(c));
        NPU__TRY(npu__quantize_input(c, kern->minmax, kern->quantize, (const float *)c->in[io.in]->data, g->batches,
                                     npu__elems(c->in[io.in]) / g->batches, d->conv.asymmetric,
                                     (int8_t *)npu__slot(c, d->conv.in_slot), (float *)npu__slot(c, d->conv.scale_slot),
                                     (int32_t *)npu__slot(c, d->conv.zp_slot)));
    }
    bytes = npu__slot_bytes(c, d->fast.scratch_slot) / (size_t)npu__ctx_threads(c);
    if (bytes < d->fast.scratch_each) { /* as many rows as the arena has room for */
        fitted = *d;
        while (fitted.fast.block > 1 && fitted.fast.scratch_each > bytes) {
            npu__tconv_layout(d, &fitted.fast, fitted.fast.block - 1, sizeof(void *));
        }
        d = &fitted;
    }
    job.c = c;
    job.d = d;
    job.io = io;
    npu__parallel(c, (int64_t)g->batches * d->fast.band.out_h, grain, npu__tconv_range, &job);
    return NPU_OK;
}

/* Every input element meets every filter cell of its channel, and in plain loops every output looks at every cell. */
NPU__FN npu__work npu__tconv_work(const npu__ctx *c, npu__conv_io io) {
    const npu__val *w = c->in[io.w];
    npu__work       work = npu__work_macs(c, npu__sat_mul(npu__elems(c->in[io.in]), npu__dims_product(&w->shape, 0, 3)));
    work.steps = npu__sat_add(work.steps, npu__sat_mul(npu__elems(c->out[0]), (int64_t)npu__dim(w, 1) * npu__dim(w, 2)));
    return work;
}
