/* The walker behind every elementwise op. */
#include "elementwise.h"

#define NPU__EW_GRAIN 8192 /* elements worth a thread of their own */

NPU__FN int npu__ew_same_types(const npu__ctx *c, int32_t n_in) {
    for (int32_t k = 1; k < n_in; k++) {
        if (c->in[k]->type != c->in[0]->type) return 0;
    }
    return c->out[0]->type == c->in[0]->type;
}

/* Appends a dimension inside those present, or merges it with the innermost one where no stride jumps. */
NPU__FN void npu__ew_push_dim(npu__ew *w, int64_t dim, const int64_t *step) {
    int32_t last = w->rank - 1;
    int     fits = last >= 0;
    /* One dimension for two, where going on in the inner one leads to where the outer one steps: in every input. */
    for (int32_t k = 0; k < w->n_in && fits; k++) fits = w->step[k][last] == step[k] * dim;
    if (!fits) {
        last = w->rank++;
        w->dims[last] = 1;
    }
    w->dims[last] *= dim;
    for (int32_t k = 0; k < w->n_in; k++) w->step[k][last] = step[k];
}

NPU__FN npu_status npu__ew_prepare_shapes(npu__ctx *c, npu__ew_row row, int32_t n_in,
                                          const npu__shape *const *shapes) {
    npu__ew          *w = (npu__ew *)c->data;
    const npu__shape *out = &c->out[0]->shape;
    int64_t           inner[NPU__EW_MAX_IN], step[NPU__EW_MAX_IN];
    w->row = row;
    w->kernel = "reference";
    w->fast = npu__pointwise_select(npu__ctx_isa(c));
    w->bytes = npu__bytes_select(npu__ctx_isa(c));
    w->wide = npu__isa_includes(npu__ctx_isa(c), NPU_ISA_AVX2);
    w->by_table = 0;
    w->gate[0] = w->gate[1] = NULL;
    w->n_in = n_in;
    w->rank = 0;
    w->total = npu__elems(c->out[0]);
    w->out_bytes = npu_type_bits((npu_type)c->out[0]->type) / 8;
    for (int32_t k = 0; k < n_in; k++) {
        w->in_bytes[k] = npu_type_bits((npu_type)c->in[k]->type) / 8;
        inner[k] = npu__dims_product(shapes[k], 0, shapes[k]->rank);
    }
    for (int32_t i = 0; i < out->rank && w->total; i++) {
        if (out->dims[i] == 1) continue;
        for (int32_t k = 0; k < n_in; k++) {
            /* As numpy: shapes are aligned at their ends, and a dimension of 1 stands still. */
            int32_t at = i - (out->rank - shapes[k]->rank), d = at >= 0 ? shapes[k]->dims[at] : 1;
            inner[k] /= d;
            step[k] = d == 1 ? 0 : inner[k];
        }
        npu__ew_push_dim(w, out->dims[i], step);
    }
    if (w->rank == 0) { /* one element: every input stands still, but rows expect at least one that moves */
        for (int32_t k = 0; k < n_in; k++) step[k] = 1;
        npu__ew_push_dim(w, 1, step);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__ew_prepare_fast(npu__ctx *c, npu__ew_row row, npu__ew_row fast_row, int32_t n_in) {
    npu__ew *w = (npu__ew *)c->data;
    NPU__TRY(npu__ew_prepare(c, row, n_in));
    if (!w->fast) return NPU_OK;
    w->row = fast_row;
    w->kernel = w->fast->name;
    return NPU_OK;
}

NPU__FN void npu__ew_unary_row(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    (void)step;
    ((const npu__ew *)op)->unary((const float *)in[0], (float *)out, n);
}

NPU__FN npu_status npu__ew_prepare_unary(npu__ctx *c, npu__ew_row row, int32_t function) {
    npu__ew *w = (npu__ew *)c->data;
    NPU__TRY(npu__ew_prepare_fast(c, row, npu__ew_unary_row, 1));
    if (w->fast) w->unary = w->fast->unary[function];
    return NPU_OK;
}

NPU__FN npu_status npu__ew_prepare_loops(npu__ctx *c, npu__ew_row row, int32_t n_in) {
    NPU__TRY(npu__ew_prepare(c, row, n_in));
    ((npu__ew *)c->data)->kernel = NPU__LOOPS_ANY;
    return NPU_OK;
}

NPU__FN npu_status npu__ew_prepare(npu__ctx *c, npu__ew_row row, int32_t n_in) {
    const npu__shape *shapes[NPU__EW_MAX_IN];
    for (int32_t k = 0; k < n_in; k++) shapes[k] = &c->in[k]->shape;
    return npu__ew_prepare_shapes(c, row, n_in, shapes);
}

typedef struct npu__ew_job {
    const npu__ew *w;
    const void    *op; /* what rows are told: w, and what follows it, of the operator */
    const uint8_t *in[NPU__EW_MAX_IN];
    uint8_t       *out;
} npu__ew_job;

/* Where a thread is: position in every dimension, and the element of each input that goes with it. */
typedef struct npu__ew_at {
    int64_t at[NPU_MAX_RANK], offset[NPU__EW_MAX_IN];
} npu__ew_at;

NPU__FN void npu__ew_seek(const npu__ew *w, int64_t element, npu__ew_at *p) {
    /* Divides once for each part of a thread; from there on it only adds. */
    for (int32_t i = w->rank - 1; i >= 0; i--) { p->at[i] = element % w->dims[i]; element /= w->dims[i]; }
    for (int32_t k = 0; k < w->n_in; k++) {
        p->offset[k] = 0;
        for (int32_t i = 0; i < w->rank; i++) p->offset[k] += p->at[i] * w->step[k][i];
    }
}

/* Goes n steps along dimension `dim`, which may end there: then carries into the next outer one. */
NPU__FN void npu__ew_advance(const npu__ew *w, npu__ew_at *p, int32_t dim, int64_t n) {
    p->at[dim] += n;
    for (int32_t k = 0; k < w->n_in; k++) p->offset[k] += n * w->step[k][dim];
    for (int32_t i = dim; i > 0 && p->at[i] == w->dims[i]; i--) {
        p->at[i] = 0;
        p->at[i - 1]++;
        for (int32_t k = 0; k < w->n_in; k++) p->offset[k] += w->step[k][i - 1] - w->dims[i] * w->step[k][i];
    }
}

/* Short rows (three channels, say, or a hundred) are run several at a time: inputs that do not simply go on from row to row are
 * written out into a buffer first. */
#define NPU__EW_SHORT 64    /* where each row must be written anew, which for single bytes costs next to nothing */
#define NPU__EW_BUFFER 2048 /* bytes for each input */

typedef struct npu__ew_wide {
    uint64_t bytes[NPU__EW_MAX_IN][NPU__EW_BUFFER / 8];
    int64_t  from[NPU__EW_MAX_IN], filled[NPU__EW_MAX_IN]; /* first element and rows that are in the buffer */
} npu__ew_wide;

/* How many rows fit; less than 2: they are not short. */
NPU__FN int64_t npu__ew_rows_at_once(const npu__ew *w) {
    const int64_t n = w->dims[w->rank - 1];
    int64_t       bytes = 1;
    if (w->rank < 2) return 0;
    for (int32_t k = 0; k < w->n_in; k++) {
        if (w->in_bytes[k] < 1 || w->in_bytes[k] > 8) return 0;
        if (n >= NPU__EW_SHORT && w->in_bytes[k] > 1 && !w->step[k][w->rank - 1] && w->step[k][w->rank - 2]) return 0;
        bytes = NPU__MAX(bytes, w->in_bytes[k]);
    }
    return NPU__EW_BUFFER / bytes / n;
}

/* The first `bytes` again and again, until there are `times` of them. */
NPU__FN void npu__ew_repeat(uint8_t *p, size_t bytes, int64_t times) {
    const size_t all = bytes * (size_t)times; /* bounded: a buffer */
    for (size_t done = bytes, now; done < all; done += now) {
        now = NPU__MIN(done, all - done);
        memcpy(p + done, p, now);
    }
}

/* `rows` rows of input k: its own memory where that is contiguous (or one element), else the buffer. */
NPU__FN const void *npu__ew_widen(const npu__ew_job *job, const npu__ew_at *p, int32_t k, int64_t rows,
                                  npu__ew_wide *wide, int32_t *step) {
    const npu__ew *w = job->w;
    const int64_t  n = w->dims[w->rank - 1], inner = w->step[k][w->rank - 1], outer = w->step[k][w->rank - 2];
    const size_t   bytes = (size_t)w->in_bytes[k];
    const uint8_t *src = job->in[k] + (size_t)p->offset[k] * bytes;
    uint8_t       *dst = (uint8_t *)wide->bytes[k];
    *step = inner || outer ? 1 : 0;
    if ((inner && outer == n) || (!inner && !outer)) return src;
    /* The same row again and again (a bias for each pixel): it is still in the buffer. */
    if (outer == 0 && wide->from[k] == p->offset[k] && wide->filled[k] >= rows) return dst;
    wide->from[k] = p->offset[k];
    wide->filled[k] = rows;
    if (outer == 0) {
        memcpy(dst, src, (size_t)n * bytes);
        npu__ew_repeat(dst, (size_t)n * bytes, rows);
        return dst;
    }
    for (int64_t r = 0; r < rows; r++, src += (size_t)outer * bytes, dst += (size_t)n * bytes) {
        if (inner) memcpy(dst, src, (size_t)n * bytes);
        else if (bytes == 1) memset(dst, *src, (size_t)n);
        else if (bytes == 4) {
            uint32_t v;
            memcpy(&v, src, 4);
            for (int64_t i = 0; i < n; i++) ((uint32_t *)(void *)dst)[i] = v;
        } else {
            memcpy(dst, src, bytes);
            npu__ew_repeat(dst, bytes, n);
        }
    }
    return wide->bytes[k];
}

/* Whole short rows from p on, at most `limit` elements. Returns how many it did. */
NPU__FN int64_t npu__ew_short_rows(const npu__ew_job *job, npu__ew_at *p, npu__ew_wide *wide, uint8_t *out,
                                   int64_t limit, int64_t at_once) {
    const npu__ew *w = job->w;
    const int32_t  last = w->rank - 1;
    const int64_t  rows = NPU__MIN(at_once, NPU__MIN(w->dims[last - 1] - p->at[last - 1], limit / w->dims[last]));
    const void    *in[NPU__EW_MAX_IN];
    int32_t        step[NPU__EW_MAX_IN];
    if (rows < 2) return 0;
    for (int32_t k = 0; k < w->n_in; k++) in[k] = npu__ew_widen(job, p, k, rows, wide, &step[k]);
    w->row(job->op, in, out, rows * w->dims[last], step);
    npu__ew_advance(w, p, last - 1, rows);
    return rows * w->dims[last];
}

/* Whole rows from p on, one at a time, as far as the next outer dimension and `limit` elements. Returns how many elements it did. */
NPU__FN int64_t npu__ew_rows(const npu__ew_job *job, npu__ew_at *p, uint8_t *out, int64_t limit, const int32_t *step) {
    const npu__ew *w = job->w;
    const int32_t  last = w->rank - 1;
    const int64_t  n = w->dims[last], rows = NPU__MIN(w->dims[last - 1] - p->at[last - 1], limit / n);
    const void    *in[NPU__EW_MAX_IN];
    for (int64_t r = 0; r < rows; r++, out += n * w->out_bytes) {
        for (int32_t k = 0; k < w->n_in; k++) in[k] = job->in[k] + (p->offset[k] + r * w->step[k][last - 1]) * w->in_bytes[k];
        w->row(job->op, in, out, n, step);
    }
    if (rows) npu__ew_advance(w, p, last - 1, rows);
    return rows * n;
}

NPU__FN void npu__ew_part(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__ew_job *job = (const npu__ew_job *)arg;
    const npu__ew     *w = job->w;
    const int32_t      last = w->rank - 1;
    const int64_t      at_once = npu__ew_rows_at_once(w);
    int32_t            step[NPU__EW_MAX_IN];
    npu__ew_wide       wide;
    npu__ew_at         p;
    (void)thread;
    npu__ew_seek(w, begin, &p);
    for (int32_t k = 0; k < w->n_in; k++) {
        step[k] = (int32_t)w->step[k][last];
        wide.from[k] = -1;
        wide.filled[k] = 0;
    }
    while (begin < end) {
        const void *in[NPU__EW_MAX_IN];
        int64_t     n = 0;
        uint8_t    *out = job->out + begin * w->out_bytes;
        /* A part may begin or end within a row: there the plain way. */
        if (at_once > 1 && p.at[last] == 0) n = npu__ew_short_rows(job, &p, &wide, out, end - begin, at_once);
        else if (last > 0 && p.at[last] == 0) n = npu__ew_rows(job, &p, out, end - begin, step);
        if (n == 0) {
            n = NPU__MIN(w->dims[last] - p.at[last], end - begin);
            for (int32_t k = 0; k < w->n_in; k++) in[k] = job->in[k] + p.offset[k] * w->in_bytes[k];
            w->row(job->op, in, out, n, step);
            npu__ew_advance(w, &p, last, n);
        }
        begin += n;
    }
}

/* One operand is a single value, or both are functions of the same one: all that the row can give. */
typedef struct npu__ew_table {
    npu__ew        ew;
    npu__bytes_map map;
} npu__ew_table;

/* Operands are made block by block, which stay in the nearest cache. */
#define NPU__EW_GATED 2048 /* bytes */
NPU__FN void npu__ew_gated_row(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    static const int32_t one[1] = {1};
    const npu__ew       *w = (const npu__ew *)op;
    const int64_t        size = w->out_bytes, block = NPU__EW_GATED / size;
    uint64_t             made[2][NPU__EW_GATED / 8];
    for (int64_t at = 0; at < n; at += block) {
        const int64_t some = NPU__MIN(n - at, block);
        const void   *x[2];
        for (int32_t k = 0; k < 2; k++) {
            x[k] = (const uint8_t *)in[k] + at * size * step[k];
            if (!w->gate[k]) continue;
            w->gate[k]->row(w->gate[k], &x[k], made[k], some, one);
            x[k] = made[k];
        }
        w->gated(op, x, (uint8_t *)out + at * size, some, step);
    }
}

NPU__FN int npu__ew_gate(npu__ctx *c, int32_t k, const npu__ctx *f) {
    npu__ew        *w = (npu__ew *)c->data;
    const npu__ew  *g = (const npu__ew *)f->data;
    const npu__val *v = f->in[0];
    if (v->type != c->out[0]->type || (v->type != NPU_FLOAT32 && v->type != NPU_INT8 && v->type != NPU_UINT8)) return 0;
    if (w->n_in != 2 || g->n_in != 1 || !npu__ew_same_types(c, 2) || !npu__shape_eq(&v->shape, &c->out[0]->shape)) return 0;
    if (!w->gate[0] && !w->gate[1]) {
        w->gated = w->row;
        w->row = npu__ew_gated_row;
    }
    w->gate[k] = g;
    c->in[k] = f->in[0];
    return 1;
}

#define NPU__EW_TABLE_FROM 1024    /* elements from which on it pays to fill it, ... */
#define NPU__EW_LINE_FROM  (1 << 16) /* ... and to look for the line that it may be */

NPU__FN void npu__ew_table_row(const void *op, const void *const *in, void *out, int64_t n, const int32_t *step) {
    const npu__ew_table *t = (const npu__ew_table *)op;
    npu__bytes_map_run(t->ew.bytes, &t->map, (const uint8_t *)in[step[0] ? 0 : 1], (uint8_t *)out, n);
}

NPU__FN npu_status npu__ew_run_table(npu__ctx *c, const npu__ew *w) {
    const int32_t step[NPU__EW_MAX_IN] = {w->step[0][0] != 0, w->step[1][0] != 0, 0};
    const void   *in[NPU__EW_MAX_IN] = {c->in[0]->data, c->in[1]->data, NULL};
    const npu__val *moves = c->in[step[0] ? 0 : 1];
    uint8_t       bytes[256];
    npu__ew_table t;
    for (int32_t i = 0; i < 256; i++) bytes[i] = (uint8_t)i;
    for (int32_t k = 0; k < 2; k++) if (step[k]) in[k] = bytes;
    w->row(w, in, t.map.as.table, 256, step);
    t.map.is_line = 0;
    if (w->total >= NPU__EW_LINE_FROM)
        npu__bytes_map_make(w->bytes, moves->type == NPU_INT8, c->out[0]->type == NPU_INT8, npu__zero_point(moves), &t.map);
    t.ew = *w;
    t.ew.row = npu__ew_table_row;
    t.ew.by_table = 0;
    return npu__ew_run(c, &t.ew);
}

/* An operand whose short rows stand still or jump, and that all come again and again (the mean of each group of channels), is written out
 * once: then its rows are longer. */
typedef struct npu__ew_spread {
    npu__ew  ew; /* as it is then */
    uint64_t bytes[NPU__EW_MAX_IN][NPU__EW_BUFFER / 8];
} npu__ew_spread;

/* The outermost dimension from which on operand k is so; `rank`: it is not. *n: elements from there on. */
NPU__FN int32_t npu__ew_spread_from(const npu__ew *w, int32_t k, int64_t *n) {
    int32_t from = w->rank;
    int     lies = 1; /* as written out already */
    *n = 1;
    for (int32_t i = w->rank - 1; i >= 0; i--) {
        if (*n * w->dims[i] > NPU__EW_BUFFER / w->in_bytes[k]) break; /* bounded: a buffer's elements times a dimension */
        lies &= w->step[k][i] == *n;
        *n *= w->dims[i];
        from = i;
    }
    for (int32_t i = 0; i < from; i++) if (w->step[k][i]) return w->rank;
    return lies || w->rank - from < 2 || from == 0 ? w->rank : from;
}

NPU__FN void npu__ew_spread_out(const npu__ew *w, int32_t k, int32_t from, int64_t n, const uint8_t *in, uint8_t *to) {
    for (int64_t i = 0; i < n; i++) {
        int64_t rest = i, at = 0;
        for (int32_t d = w->rank - 1; d >= from; d--) {
            at += rest % w->dims[d] * w->step[k][d];
            rest /= w->dims[d];
        }
        memcpy(to + i * w->in_bytes[k], in + at * w->in_bytes[k], (size_t)w->in_bytes[k]);
    }
}

/* Where any operand is, the job goes by `s`. */
NPU__FN void npu__ew_spread_all(npu__ew_job *job, npu__ew_spread *s) {
    const npu__ew *w = job->w;
    int64_t        step[NPU__EW_MAX_IN][NPU_MAX_RANK], n;
    int            some = 0;
    memcpy(step, w->step, sizeof step);
    for (int32_t k = 0; k < w->n_in; k++) {
        const int32_t from = w->in_bytes[k] > 0 ? npu__ew_spread_from(w, k, &n) : w->rank;
        if (from == w->rank) continue;
        npu__ew_spread_out(w, k, from, n, job->in[k], (uint8_t *)s->bytes[k]);
        job->in[k] = (const uint8_t *)s->bytes[k];
        n = 1;
        for (int32_t i = w->rank - 1; i >= from; n *= w->dims[i--]) step[k][i] = n;
        some = 1;
    }
    if (!some) return;
    s->ew = *w;
    s->ew.rank = 0;
    for (int32_t i = 0; i < w->rank; i++) {
        int64_t of[NPU__EW_MAX_IN];
        for (int32_t k = 0; k < w->n_in; k++) of[k] = step[k][i];
        npu__ew_push_dim(&s->ew, w->dims[i], of);
    }
    job->w = &s->ew;
}

NPU__FN NPU__NOINLINE npu_status npu__ew_run_spread(npu__ctx *c, const npu__ew_job *job) {
    npu__ew_spread s;
    npu__ew_job    mine = *job;
    npu__ew_spread_all(&mine, &s);
    npu__parallel(c, mine.w->total, NPU__EW_GRAIN, npu__ew_part, &mine);
    return NPU_OK;
}

NPU__FN npu_status npu__ew_run(npu__ctx *c, const npu__ew *w) {
    npu__ew_job job;
    if (w->total == 0) return NPU_OK;
    if (w->by_table && w->rank == 1 && w->total >= NPU__EW_TABLE_FROM && (c->in[0] == c->in[1] || !(w->step[0][0] && w->step[1][0]))) {
        return npu__ew_run_table(c, w);
    }
    job.w = w;
    job.op = w;
    for (int32_t k = 0; k < w->n_in; k++) job.in[k] = (const uint8_t *)c->in[k]->data;
    job.out = (uint8_t *)c->out[0]->data;
    if (w->rank >= 3 && w->dims[w->rank - 1] < NPU__EW_SHORT) return npu__ew_run_spread(c, &job); /* with a buffer on the stack */
    npu__parallel(c, w->total, NPU__EW_GRAIN, npu__ew_part, &job);
    return NPU_OK;
}

NPU__FN npu_status npu__ew_eval(npu__ctx *c) { return npu__ew_run(c, (const npu__ew *)c->data); }

NPU__FN npu_status npu__q2_prepare(npu__ctx *c, npu__q2 *q, int32_t left_shift) {
    double twice_max;
    NPU__TRY(npu__need_quant(c, c->in[0], "input 0"));
    NPU__TRY(npu__need_quant(c, c->in[1], "input 1"));
    NPU__TRY(npu__need_quant(c, c->out[0], "the output"));
    /* The doubling happens in float, the divisions in double: TFLite's bits depend on it. */
    twice_max = (double)(2.0f * NPU__MAX(npu__scale(c->in[0]), npu__scale(c->in[1])));
    for (int32_t k = 0; k < 2; k++) {
        q->mul[k] = npu__qmul_of((double)npu__scale(c->in[k]) / twice_max);
        q->offset[k] = -npu__zero_point(c->in[k]);
        q->type[k] = c->in[k]->type;
    }
    q->out_type = c->out[0]->type;
    q->left_shift = left_shift;
    q->out_offset = npu__zero_point(c->out[0]);
    q->out_mul = npu__qmul_of(twice_max / (double)((float)(1 << left_shift) * npu__scale(c->out[0])));
    return NPU_OK;
}

NPU__FN int npu__checked_log2(float x, int32_t *log2) {
    /* TFLite's CheckedLog2, in float as there. */
    float l = logf(x) * (1.0f / logf(2.0f)), rounded = npu__roundf(l);
    *log2 = npu__f32_to_i32(rounded);
    return fabsf(l - rounded) < 1e-3f;
}
