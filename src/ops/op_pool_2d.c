/* AVERAGE_POOL_2D, MAX_POOL_2D and L2_POOL_2D. Input and output share their quantization, so none is applied. */
#include "pool_2d.h"

NPU__FN npu_status npu__pool_2d_geom(npu__ctx *c, npu__pool_geom *p) {
    const npu__val *in = c->in[0];
    npu__window     win = npu__window_of(c);
    npu__conv_geom  g;
    memset(&g, 0, sizeof g);
    NPU__TRY(npu__need_rank(c, in, "the input", 4, 4));
    NPU__TRY(npu__window_check(c, &win));
    g.in_h = in->shape.dims[1];
    g.in_w = in->shape.dims[2];
    g.in_c = g.k_c = g.out_c = 1;
    NPU__TRY(npu__window_sizes(c, &win, &g));
    p->batches = in->shape.dims[0];
    p->c = in->shape.dims[3];
    p->in_h = g.in_h;
    p->in_w = g.in_w;
    p->out_h = g.out_h;
    p->out_w = g.out_w;
    p->k_h = g.k_h;
    p->k_w = g.k_w;
    p->stride_h = g.stride_h;
    p->stride_w = g.stride_w;
    p->pad_h = g.pad_h;
    p->pad_w = g.pad_w;
    return NPU_OK;
}

NPU__FN npu_status npu__pool_2d_infer(npu__ctx *c) {
    npu__pool_geom g;
    npu__shape     s;
    NPU__TRY(npu__pool_2d_geom(c, &g));
    s = npu__shape_make(4, g.batches, g.out_h, g.out_w, g.c);
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__pool_2d_prepare(npu__ctx *c) {
    npu__pool_data *d = (npu__pool_data *)c->data;
    const int32_t   type = c->in[0]->type;
    const int32_t   act = npu__fused_activation(c->node);
    d->kernel = NPU__LOOPS_ANY;
    NPU__TRY(npu__pool_2d_geom(c, &d->g));
    if (type != c->out[0]->type) return npu__fail_types(c);
    if (type == NPU_FLOAT32) return npu__act_range_f32(c, act, &d->lo, &d->hi);
    if (type != NPU_UINT8 && type != NPU_INT8 && type != NPU_INT16) return npu__fail_types(c);
    return npu__act_range_q(c, act, c->out[0], &d->q_lo, &d->q_hi);
}

/* Windows of more cells than these are for the reference: 32 bits do not hold their sums. */
#define NPU__POOL_MOST_CELLS (1 << 22)

/* Cells of the largest window: what lies outside the image does not count. */
NPU__FN int64_t npu__pool_cells(const npu__pool_geom *g) {
    return (int64_t)NPU__MIN(g->k_h, g->in_h) * NPU__MIN(g->k_w, g->in_w);
}

NPU__FN npu_status npu__pool_prepare(npu__ctx *c, int32_t average) {
    npu__pool_data *d = (npu__pool_data *)c->data;
    const int32_t   type = c->in[0]->type;
    size_t          bytes;
    NPU__TRY(npu__pool_2d_prepare(c));
    d->average = average;
    d->sums = -1;
    if (type == NPU_INT16 || (type != NPU_FLOAT32 && npu__pool_cells(&d->g) > NPU__POOL_MOST_CELLS)) return NPU_OK;
    d->loops = npu__pool_select(npu__ctx_isa(c));
    d->lines = npu__reduce_select(npu__ctx_isa(c));
    d->kernel = d->loops->name;
    if (type == NPU_FLOAT32) {
        d->kind = average ? NPU__POOL_average_f32 : NPU__POOL_max_f32;
        d->lines_kind = average ? NPU__REDUCE_sum_f32 : NPU__REDUCE_max_f32;
    } else {
        d->kind = average ? NPU__POOL_average_8 : NPU__POOL_max_8;
        d->lines_kind = average ? NPU__REDUCE_sum_8 : NPU__REDUCE_max_8;
    }
    if (!average || type == NPU_FLOAT32 || npu__pool_cells(&d->g) <= NPU__POOL_SOME) return NPU_OK;
    if (!npu__mul_size((size_t)d->g.c, (size_t)npu__ctx_threads(c) * sizeof(int32_t), &bytes)) return NPU_LIMIT;
    d->sums = npu__want_scratch(c, bytes);
    return d->sums < 0 ? NPU_LIMIT : NPU_OK;
}
NPU__FN npu_status npu__average_pool_2d_prepare(npu__ctx *c) { return npu__pool_prepare(c, 1); }
NPU__FN npu_status npu__max_pool_2d_prepare(npu__ctx *c) { return npu__pool_prepare(c, 0); }

NPU__FN npu_status npu__l2_pool_2d_prepare(npu__ctx *c) {
    NPU__TRY(npu__need_type(c, c->in[0], "the input", NPU_FLOAT32));
    return npu__pool_2d_prepare(c);
}

/* Windows of bytes, larger than images seldom are: channel by channel. */
NPU__FN void npu__pool_plain(void *arg, int64_t begin, int64_t end, int32_t thread) {
    npu__ctx             *c = (npu__ctx *)arg;
    const npu__pool_data *d = (const npu__pool_data *)c->data;
    const npu__pool_geom *g = &d->g;
    const uint8_t         flip = c->in[0]->type == NPU_INT8 ? 0 : 0x80;
    npu__pool_at          at = npu__pool_at_of(g, begin);
    (void)thread;
    for (; begin < end; begin++, npu__pool_next(g, &at)) {
        const npu__pool_window w = npu__pool_window_at(g, at.y, at.x);
        const int64_t          n = (int64_t)NPU__MAX(w.y1 - w.y0, 1) * NPU__MAX(w.x1 - w.x0, 1);
        for (int32_t k = 0; k < g->c; k++) {
            int64_t sum = 0;
            int32_t most = -128;
            for (int32_t y = w.y0; y < w.y1; y++) {
                const uint8_t *v = (const uint8_t *)c->in[0]->data + (size_t)k +
                                   (((size_t)at.b * (size_t)g->in_h + (size_t)y) * (size_t)g->in_w + (size_t)w.x0) * (size_t)g->c;
                for (int32_t x = w.x0; x < w.x1; x++, v += g->c) {
                    const int32_t cell = (int8_t)(uint8_t)(*v ^ flip);
                    sum += cell + flip;
                    most = NPU__MAX(most, cell);
                }
            }
            most += flip;
            if (d->average) most = (int32_t)((sum > 0 ? sum + n / 2 : sum - n / 2) / n);
            ((uint8_t *)c->out[0]->data)[(size_t)begin * (size_t)g->c + (size_t)k] =
                (uint8_t)(uint32_t)npu__clamp32(most, d->q_lo, d->q_hi);
        }
    }
}

NPU__FN void npu__pool_range_i16(void *arg, int64_t begin, int64_t end, int32_t thread) {
    npu__ctx             *c = (npu__ctx *)arg;
    const npu__pool_data *d = (const npu__pool_data *)c->data;
    const int16_t        *in = (const int16_t *)c->in[0]->data;
    int16_t              *out = (int16_t *)c->out[0]->data;
    (void)thread;
    if (d->average) npu__ref_average_pool_i16(&d->g, in, d->q_lo, d->q_hi, out, begin, end);
    else npu__ref_max_pool_i16(&d->g, in, d->q_lo, d->q_hi, out, begin, end);
}

NPU__FN void npu__l2_pool_range(void *arg, int64_t begin, int64_t end, int32_t thread) {
    npu__ctx             *c = (npu__ctx *)arg;
    const npu__pool_data *d = (const npu__pool_data *)c->data;
    (void)thread;
    npu__ref_l2_pool_f32(&d->g, (const float *)c->in[0]->data, d->lo, d->hi, (float *)c->out[0]->data, begin, end);
}

NPU__FN npu_status npu__pool_run(npu__ctx *c, npu__range_fn fn) {
    const npu__pool_geom *g = &((const npu__pool_data *)c->data)->g;
    const int64_t         pixel_cells = npu__sat_mul(npu__pool_cells(g), g->c);
    if (c->out[0]->bytes == 0) return NPU_OK;
    npu__parallel(c, (int64_t)g->batches * g->out_h * g->out_w, 32768 / NPU__MAX(pixel_cells, (int64_t)1) + 1, fn, c);
    return NPU_OK;
}

NPU__FN npu__work npu__pool_work(const npu__ctx *c) {
    return npu__work_each(c, npu__pool_cells(&((const npu__pool_data *)c->data)->g));
}

/* A pass over an output pixel, and the image that it is of. */
typedef struct npu__pool_pixel {
    const npu__pool_data *d;
    const uint8_t        *image, *in_end; /* in_end: of all images */
    uint8_t              *out, *out_end;  /* out_end: of this thread's part */
    int32_t              *sums;
    size_t                elem;
    int32_t               is_signed;
    npu__pool_pass        pass;
} npu__pool_pixel;

static const float npu__pool_zeros[NPU__POOL_CHANNELS] = {0};

/* More channels than there are zeros. */
NPU__FN void npu__pool_channels(npu__pool_pixel *x, npu__pool_fn fn, int32_t moving, int32_t all) {
    npu__pool_pass *p = &x->pass;
    const size_t    least = NPU__POOL_LANES * x->elem, pixel = (size_t)x->d->g.c * x->elem;
    const uint8_t  *from[NPU__POOL_SOME];
    for (int32_t i = 0; i < all; i++) from[i] = (const uint8_t *)p->cells[i];
    for (size_t done = 0; done < pixel; done += NPU__POOL_CHANNELS * x->elem) {
        /* The last ones begin earlier where they are few. */
        const size_t at = NPU__MIN(done, pixel - least);
        p->n = (int32_t)(NPU__MIN(pixel - at, NPU__POOL_CHANNELS * x->elem) / x->elem);
        p->out = x->out + at;
        for (int32_t i = 0; i < moving; i++) p->cells[i] = from[i] + at;
        fn(p);
    }
}

/* May all pixels of the pass read and write as many channels as fill a vector? */
NPU__FN int npu__pool_loose(const npu__pool_pixel *x, int32_t last_cell) {
    const size_t   least = NPU__POOL_LANES * x->elem, on = (size_t)(x->pass.pixels - 1);
    const uint8_t *last = (const uint8_t *)x->pass.cells[last_cell] + on * x->pass.steps[last_cell] * x->elem;
    return (size_t)(x->out_end - x->out) >= on * (size_t)x->d->g.c * x->elem + least && (size_t)(x->in_end - last) >= least;
}

/* Of up to `most` pixels from this one on; gives how many they were. */
NPU__FN int32_t npu__pool_few_cells(npu__pool_pixel *x, const npu__pool_window *w, int32_t most) {
    const npu__pool_geom *g = &x->d->g;
    const size_t          pixel = (size_t)g->c * x->elem, step = (size_t)g->stride_w * (size_t)g->c;
    npu__pool_pass       *p = &x->pass;
    npu__pool_fn          fn;
    int32_t               cells = 0, all, last;
    for (int32_t y = w->y0; y < w->y1; y++) {
        const uint8_t *cell = x->image + ((size_t)y * (size_t)g->in_w + (size_t)w->x0) * pixel;
        for (int32_t i = w->x0; i < w->x1; i++, cell += pixel) p->cells[cells++] = cell;
    }
    last = cells - 1;
    if (cells == 1 && x->elem == 1) p->cells[cells++] = p->cells[0]; /* see npu__pool_inverse */
    all = cells <= NPU__POOL_FEW ? NPU__POOL_FEW : NPU__POOL_SOME;
    fn = (cells <= NPU__POOL_FEW ? x->d->loops->few : x->d->loops->some)[x->d->kind];
    p->inverse = 1.0f / (float)cells;
    npu__pool_inverse(p, cells);
    p->q_first = x->d->average ? p->flip * all : -128;
    for (int32_t i = cells; i < all; i++) p->cells[i] = x->d->average ? npu__pool_zeros : p->cells[0];
    for (int32_t i = 0; i < all; i++) p->steps[i] = i >= cells && x->d->average ? 0 : step;
    p->out = x->out;
    p->n = g->c;
    p->loose = 0;
    p->pixels = g->c > NPU__POOL_CHANNELS ? 1 : most;
    if (g->c > NPU__POOL_CHANNELS) {
        npu__pool_channels(x, fn, x->d->average ? cells : all, all);
        return 1;
    }
    if (g->c < NPU__POOL_LANES) {
        p->loose = npu__pool_loose(x, last);
        if (!p->loose && p->pixels > NPU__POOL_LANES) { /* all but the last ones */
            p->pixels -= NPU__POOL_LANES;
            p->loose = npu__pool_loose(x, last);
        }
    }
    fn(p);
    return p->pixels;
}

/* How many pixels of its row, from this one on, have windows like its own: those that reach over no edge. */
NPU__FN int32_t npu__pool_alike(const npu__pool_geom *g, const npu__pool_window *w, int32_t ox) {
    if (w->x1 - w->x0 < g->k_w) return 1;
    return (int32_t)NPU__MIN(((int64_t)g->in_w - w->x1) / g->stride_w + 1, (int64_t)g->out_w - ox);
}

/* What maxima begin with, which a window without cells keeps: TFLite's MaxPool starts from it too. */
NPU__FN void npu__pool_start(const npu__pool_pixel *x, void *acc) {
    const int32_t n = x->d->g.c;
    if (x->d->average) {
        memset(acc, 0, (size_t)n * sizeof(float));
    } else if (x->elem == 1) {
        memset(acc, x->is_signed ? 0x80 : 0, (size_t)n);
    } else {
        for (int32_t i = 0; i < n; i++) ((float *)acc)[i] = -3.402823466e+38f;
    }
}

NPU__FN void npu__pool_many_cells(npu__pool_pixel *x, const npu__pool_window *w) {
    const npu__pool_data *d = x->d;
    const npu__pool_geom *g = &d->g;
    const int32_t         n = g->c, lines = NPU__MAX(w->y1 - w->y0, 0), columns = NPU__MAX(w->x1 - w->x0, 0);
    const int32_t         whole = columns == g->in_w; /* then lines lie one behind the other */
    npu__reduce_part      part;
    part.acc = x->sums ? (void *)x->sums : x->out;
    part.n = n;
    part.acc_row = part.fold = 0;
    part.flip = x->pass.flip;
    part.rows = whole ? (int64_t)lines * columns : columns;
    npu__pool_start(x, part.acc);
    for (int32_t y = 0; y < (whole ? lines > 0 : lines) && columns > 0; y++) {
        part.in = x->image + ((size_t)(w->y0 + y) * (size_t)g->in_w + (size_t)w->x0) * (size_t)n * x->elem;
        d->lines->by[d->lines_kind](&part);
    }
    if (x->elem != 1) {
        npu__pool_finish_f32((float *)(void *)x->out, n, d->average ? 1.0f / (float)NPU__MAX((int64_t)lines * columns, (int64_t)1) : 1.0f,
                             d->lo, d->hi);
    } else if (d->average) {
        npu__pool_finish_q8(x->sums, n, NPU__MAX((int64_t)lines * columns, (int64_t)1), part.flip * lines * columns, d->q_lo, d->q_hi,
                            x->out);
    } else {
        for (int32_t i = 0; i < n; i++) {
            const int32_t v = x->is_signed ? ((const int8_t *)x->out)[i] : x->out[i];
            x->out[i] = (uint8_t)(uint32_t)npu__clamp32(v, d->q_lo, d->q_hi);
        }
    }
}

NPU__FN void npu__pool_pixels(void *arg, int64_t begin, int64_t end, int32_t thread) {
    npu__ctx             *c = (npu__ctx *)arg;
    const npu__pool_data *d = (const npu__pool_data *)c->data;
    const npu__pool_geom *g = &d->g;
    const size_t          elem = c->in[0]->type == NPU_FLOAT32 ? sizeof(float) : 1, pixel = (size_t)g->c * elem;
    const size_t          image = (size_t)g->in_h * (size_t)g->in_w * pixel;
    npu__pool_at          at = npu__pool_at_of(g, begin);
    npu__pool_pixel       x;
    memset(&x, 0, sizeof x);
    x.d = d;
    x.elem = elem;
    x.is_signed = c->in[0]->type == NPU_INT8;
    x.in_end = (const uint8_t *)c->in[0]->data + c->in[0]->bytes;
    x.out_end = (uint8_t *)c->out[0]->data + (size_t)end * pixel;
    if (d->sums >= 0) x.sums = (int32_t *)npu__slot(c, d->sums) + (size_t)thread * (size_t)g->c;
    x.pass.lo = d->lo;
    x.pass.hi = d->hi;
    x.pass.flip = x.is_signed ? 0 : 0x80;
    x.pass.q_lo = d->q_lo - (d->average ? 0 : x.pass.flip);
    x.pass.q_hi = d->q_hi - (d->average ? 0 : x.pass.flip);
    for (int32_t done; begin < end; begin += done) {
        const npu__pool_window w = npu__pool_window_at(g, at.y, at.x);
        const int64_t          cells = (int64_t)NPU__MAX(w.y1 - w.y0, 0) * NPU__MAX(w.x1 - w.x0, 0);
        x.image = (const uint8_t *)c->in[0]->data + (size_t)at.b * image;
        x.out = (uint8_t *)c->out[0]->data + (size_t)begin * pixel;
        done = 1;
        if (cells > 0 && cells <= NPU__POOL_SOME) {
            done = npu__pool_few_cells(&x, &w, (int32_t)NPU__MIN((int64_t)npu__pool_alike(g, &w, at.x), end - begin));
        } else {
            npu__pool_many_cells(&x, &w);
        }
        at.x += done - 1;
        npu__pool_next(g, &at);
    }
}

NPU__FN npu_status npu__pool_2d_eval(npu__ctx *c) {
    const npu__pool_data *d = (const npu__pool_data *)c->data;
    return npu__pool_run(c, d->loops ? npu__pool_pixels : c->in[0]->type == NPU_INT16 ? npu__pool_range_i16 : npu__pool_plain);
}
NPU__FN npu_status npu__l2_pool_2d_eval(npu__ctx *c) { return npu__pool_run(c, npu__l2_pool_range); }

NPU__OPDEF(npu__op_average_pool_2d) = {1, 1, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__pool_data), npu__pool_2d_infer,
                                                   npu__average_pool_2d_prepare, NULL, npu__pool_2d_eval,
                                                   npu__pool_work};
NPU__OPDEF(npu__op_max_pool_2d) = {1, 1, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__pool_data),
                                               npu__pool_2d_infer, npu__max_pool_2d_prepare, NULL,
                                               npu__pool_2d_eval, npu__pool_work};
NPU__OPDEF(npu__op_l2_pool_2d) = {1, 1, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__pool_data), npu__pool_2d_infer,
                                              npu__l2_pool_2d_prepare, NULL, npu__l2_pool_2d_eval, npu__pool_work};
