/* Boxes of elements moved from steps to steps, fills and lists of indices: what the operators that only move share. */
#include "move_util.h"

/* ---- fills ---- */

typedef struct npu__fill_job {
    uint8_t    *dst;
    const void *value;
    size_t      elem;
} npu__fill_job;

NPU__FN void npu__fill_run(uint8_t *dst, const void *value, int64_t n, size_t elem) {
    const uint8_t *v = (const uint8_t *)value;
    npu__plane     p;
    size_t         same = 1;
    if (n <= 0) return;
    while (same < elem && v[same] == v[0]) same++;
    if (same == elem) { /* every byte alike: zeros above all */
        memset(dst, v[0], (size_t)n * elem);
        return;
    }
    memset(&p, 0, sizeof p);
    p.unit = p.to[1] = (int64_t)elem;
    npu__plane_pick(p.unit, 0)(&p, dst, v, 1, n);
}

NPU__FN void npu__fill_part(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__fill_job *job = (const npu__fill_job *)arg;
    (void)thread;
    npu__fill_run(job->dst + (size_t)begin * job->elem, job->value, end - begin, job->elem);
}

NPU__FN void npu__fill_all(npu__ctx *c, void *dst, const void *value, int64_t n, size_t elem) {
    npu__fill_job job;
    job.dst = (uint8_t *)dst;
    job.value = value;
    job.elem = elem;
    npu__parallel(c, n, 65536, npu__fill_part, &job);
}

/* ---- making a box ---- */

NPU__FN void npu__box_add(npu__box *b, npu__box_dim *dim, int64_t n, int64_t from, int64_t to) {
    if (n == 0) b->empty = 1;
    if (n == 1) return;
    dim[b->rank].n = n;
    dim[b->rank].from = from;
    dim[b->rank++].to = to;
}

NPU__FN void npu__box_dense(npu__box *b, npu__box_dim *dim) {
    int64_t n = 1;
    for (int32_t i = b->rank - 1; i >= 0; i--) {
        dim[i].to = n;
        n *= dim[i].n;
    }
}

/* One dimension for two where the inner one, gone through, leads to where the outer one steps, on both sides. */
NPU__FN void npu__box_merge(npu__box *b, npu__box_dim *dim) {
    int32_t last = -1;
    for (int32_t i = 0; i < b->rank; i++) {
        const npu__box_dim d = dim[i];
        if (last >= 0 && dim[last].from == d.from * d.n && dim[last].to == d.to * d.n) {
            dim[last].n *= d.n;
            dim[last].from = d.from;
            dim[last].to = d.to;
        } else {
            dim[++last] = d;
        }
    }
    b->rank = last + 1;
}

/* Is it a transpose: does another dimension than the last go over neighbours in the source? It comes to stand before the last. */
NPU__FN int npu__box_turn(const npu__box *b, npu__box_dim *dim) {
    const int32_t last = b->rank - 1;
    if (b->rank < 2 || b->unit > 64 || dim[last].to != b->unit) return 0;
    for (int32_t i = last - 1; i >= 0; i--) {
        const npu__box_dim d = dim[i];
        if (d.from != b->unit || !npu__turn_pays(b->unit, d.n, dim[last].n)) continue;
        for (int32_t k = i; k < last - 1; k++) dim[k] = dim[k + 1];
        dim[last - 1] = d;
        return 1;
    }
    return 0;
}

NPU__FN void npu__box_done(npu__box *b, npu__box_dim *dim, int32_t type) {
    const int64_t elem = (int64_t)npu__elem_bytes(type);
    int           turned;
    b->nibbles = elem == 0;
    b->unit = b->nibbles ? 1 : elem;
    if (b->empty) b->unit = b->rank = 0;
    b->kernel = "copy";
    b->from *= b->unit;
    b->to *= b->unit;
    for (int32_t i = 0; i < b->rank; i++) {
        dim[i].from *= b->unit;
        dim[i].to *= b->unit;
    }
    npu__box_merge(b, dim);
    if (b->rank > 0 && dim[b->rank - 1].from == b->unit && dim[b->rank - 1].to == b->unit) b->unit *= dim[--b->rank].n;
    if (b->rank == 0) return;
    turned = npu__box_turn(b, dim);
    b->kernel = turned ? "transpose" : b->unit > elem ? "copy_rows" : "strided";
    b->run = npu__plane_pick(b->unit, turned);
}

/* ---- moving it ---- */

#define NPU__BOX_RANK (2 * NPU_MAX_RANK)   /* TILE has two dimensions for each */
#define NPU__BOX_PIECE ((int64_t)65536)    /* columns that are moved at a time where rows are long */
#define NPU__BOX_LARGE ((int64_t)1 << 18)  /* bytes in a unit that is worth threads of its own */

typedef struct npu__box_job {
    npu__plane          plane;
    npu__plane_fn       run;
    const npu__box_dim *dim;
    int32_t             outer; /* dimensions outside the plane */
    int64_t             rows, cols, pieces;
    const uint8_t      *src;
    uint8_t            *dst;
} npu__box_job;

/* Where the plane with that number lies; at[]: its position in the dimensions outside. */
NPU__INLINE void npu__box_seek(const npu__box_job *job, int64_t plane, int64_t *at, int64_t *from, int64_t *to) {
    *from = *to = 0;
    for (int32_t d = job->outer - 1; d >= 0; d--) {
        at[d] = plane % job->dim[d].n;
        plane /= job->dim[d].n;
        *from += at[d] * job->dim[d].from;
        *to += at[d] * job->dim[d].to;
    }
}

NPU__INLINE void npu__box_next(const npu__box_job *job, int64_t *at, int64_t *from, int64_t *to) {
    for (int32_t d = job->outer - 1; d >= 0; d--) {
        const npu__box_dim *dim = &job->dim[d];
        *from += dim->from;
        *to += dim->to;
        if (++at[d] < dim->n) return;
        *from -= dim->from * dim->n;
        *to -= dim->to * dim->n;
        at[d] = 0;
    }
}

/* Pieces [begin, end) of long rows. */
NPU__FN void npu__box_pieces(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__box_job *job = (const npu__box_job *)arg;
    const npu__plane   *p = &job->plane;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        int64_t       at[NPU__BOX_RANK], from, to;
        const int64_t row = i / job->pieces, first = i % job->pieces * NPU__BOX_PIECE;
        npu__box_seek(job, row / job->rows, at, &from, &to);
        from += row % job->rows * p->from[0] + first * p->from[1];
        to += row % job->rows * p->to[0] + first * p->to[1];
        job->run(p, job->dst + to, job->src + from, 1, NPU__MIN(job->cols - first, NPU__BOX_PIECE));
    }
}

/* Rows [begin, end), as many of a plane at a time as there are. */
NPU__FN void npu__box_rows(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__box_job *job = (const npu__box_job *)arg;
    const npu__plane   *p = &job->plane;
    int64_t             at[NPU__BOX_RANK], from, to, row = begin % job->rows;
    (void)thread;
    npu__box_seek(job, begin / job->rows, at, &from, &to);
    while (begin < end) {
        const int64_t n = NPU__MIN(end - begin, job->rows - row);
        job->run(p, job->dst + to + row * p->to[0], job->src + from + row * p->from[0], n, job->cols);
        npu__box_next(job, at, &from, &to);
        begin += n;
        row = 0;
    }
}

/* Units that are large, or nibbles: one after the other. */
NPU__FN void npu__box_units(npu__ctx *c, const npu__box *b, const npu__box_job *job) {
    int64_t at[NPU__BOX_RANK], from, to, n = 1, done = 0;
    for (int32_t d = 0; d < b->rank; d++) n *= b->unit ? job->dim[d].n : 0;
    npu__box_seek(job, 0, at, &from, &to);
    for (int64_t i = 0; i < n; i++, npu__box_next(job, at, &from, &to)) {
        if (!b->nibbles) {
            npu__copy_bytes(c, job->dst + to, job->src + from, (size_t)b->unit);
            continue;
        }
        for (int64_t k = 0; k < b->unit; k++) {
            npu__set_nibble(job->dst, b->to + to + k, npu__nibble(job->src, b->from + from + k));
        }
        done += b->unit;
        if (done >= NPU__POLL_STEPS) {
            if (npu__poll(c, done)) return;
            done = 0;
        }
    }
}

NPU__FN void npu__box_run(npu__ctx *c, const npu__box *b, const npu__box_dim *dim, const npu__val *in, const npu__val *out) {
    npu__box_job  job;
    npu__range_fn fn;
    int64_t       rows;
    if (b->unit == 0) return;
    job.dim = dim;
    job.src = (const uint8_t *)in->data;
    job.dst = (uint8_t *)out->data;
    if (b->nibbles) { /* two share a byte: one thread */
        memset(out->data, 0, out->bytes);
        job.outer = b->rank;
        npu__box_units(c, b, &job);
        return;
    }
    job.src += b->from;
    job.dst += b->to;
    if (b->rank == 0 && job.dst == job.src) return; /* it lies there already */
    if (b->rank == 0 && b->unit <= NPU__BOX_LARGE) {
        npu__copy_run(job.dst, job.src, (size_t)b->unit);
        return;
    }
    job.outer = b->rank;
    if (b->unit > NPU__BOX_LARGE) {
        npu__box_units(c, b, &job);
        return;
    }
    job.run = b->run;
    job.plane.unit = b->unit;
    job.cols = dim[b->rank - 1].n;
    job.plane.from[1] = dim[b->rank - 1].from;
    job.plane.to[1] = dim[b->rank - 1].to;
    job.rows = b->rank > 1 ? dim[b->rank - 2].n : 1;
    job.plane.from[0] = b->rank > 1 ? dim[b->rank - 2].from : 0;
    job.plane.to[0] = b->rank > 1 ? dim[b->rank - 2].to : 0;
    job.outer = NPU__MAX(b->rank - 2, 0);
    job.pieces = job.cols <= NPU__BOX_PIECE ? 1 : (job.cols + NPU__BOX_PIECE - 1) / NPU__BOX_PIECE;
    rows = job.rows * job.pieces;
    for (int32_t d = 0; d < job.outer; d++) rows *= dim[d].n;
    fn = job.pieces > 1 ? npu__box_pieces : npu__box_rows;
    npu__parallel(c, rows, 16384 / (NPU__MIN(job.cols, NPU__BOX_PIECE) * b->unit) + 1, fn, &job);
}

/* ---- operators that are one box ---- */

NPU__FN npu_status npu__move_lay(npu__ctx *c, npu__move_layout layout, npu__move *m) {
    memset(m, 0, sizeof *m);
    NPU__TRY(layout(c, m));
    npu__box_dense(&m->box, m->dim);
    npu__box_done(&m->box, m->dim, c->in[0]->type);
    m->box.run = npu__plane_for(npu__ctx_isa(c), m->box.run, m->box.unit);
    m->box.ready = 1;
    return NPU_OK;
}

NPU__FN npu_status npu__move_prepare(npu__ctx *c, npu__move_layout layout, int known) {
    npu__move *m = (npu__move *)c->data;
    if (known) return npu__move_lay(c, layout, m);
    m->box.kernel = "copy_rows"; /* as far as is known */
    return NPU_OK;
}

NPU__FN npu_status npu__move_eval(npu__ctx *c, npu__move_layout layout) {
    const npu__move *m = (const npu__move *)c->data;
    npu__move        now;
    if (!m->box.ready) {
        NPU__TRY(npu__move_lay(c, layout, &now));
        m = &now;
    }
    npu__box_run(c, &m->box, m->dim, c->in[0], c->out[0]);
    return NPU_OK;
}

/* ---- parts side by side ---- */

typedef struct npu__parts_job {
    uint8_t   *whole, *part;
    npu__plane plane; /* to: the whole's rows if `apart` is 0 */
    int        apart;
} npu__parts_job;

NPU__FN void npu__parts_rows(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__parts_job *job = (const npu__parts_job *)arg;
    const npu__plane     *p = &job->plane;
    uint8_t              *to = (job->apart ? job->part : job->whole) + begin * p->to[1];
    (void)thread;
    npu__plane_pick(p->unit, 0)(p, to, (job->apart ? job->whole : job->part) + begin * p->from[1], 1, end - begin);
}

/* Rows [first, first + rows) of all parts: those that are small are done at a time, so that the whole's rows stay in the cache. */
NPU__FN void npu__parts_some(npu__ctx *c, const npu__val *whole, npu__val *const *parts, int32_t n, int64_t outer, int64_t first,
                             int64_t rows, int apart) {
    const int64_t  row = (int64_t)whole->bytes / outer;
    npu__parts_job job;
    memset(&job, 0, sizeof job);
    job.apart = apart;
    job.whole = (uint8_t *)whole->data + first * row;
    for (int32_t i = 0; i < n; i++) {
        const int64_t unit = (int64_t)parts[i]->bytes / outer;
        if (unit == 0) continue;
        job.part = (uint8_t *)parts[i]->data + first * unit;
        if (rows == 1) {
            npu__copy_some(c, apart ? job.part : job.whole, apart ? job.whole : job.part, (size_t)unit);
        } else {
            job.plane.unit = unit;
            job.plane.from[1] = apart ? row : unit;
            job.plane.to[1] = apart ? unit : row;
            npu__parallel(c, rows, 16384 / unit + 1, npu__parts_rows, &job);
        }
        job.whole += unit;
    }
}

NPU__FN npu_status npu__parts_move(npu__ctx *c, const npu__val *whole, npu__val *const *parts, int32_t n, int64_t outer, int apart) {
    int64_t some, done = 0;
    if (whole->bytes == 0) return NPU_OK; /* else outer >= 1 */
    /* Small parts are a few bytes in each of many lines: all of them while these are near. Large ones, row by row. */
    some = NPU__MAX((int64_t)1, (int64_t)32768 * outer / (int64_t)whole->bytes);
    if ((int64_t)whole->bytes / outer >= (int64_t)n * 256 && (int64_t)whole->bytes / outer <= 1 << 18) some = outer;
    for (int64_t first = 0; first < outer; first += some) {
        const int64_t rows = NPU__MIN(outer - first, some);
        NPU__POLL_PASS(c, done, rows * ((int64_t)whole->bytes / outer / 4 + n));
        npu__parts_some(c, whole, parts, n, outer, first, rows, apart);
    }
    return NPU_OK;
}

/* ---- lists of indices ---- */

NPU__FN void npu__indices(const npu__val *v, int64_t first, int64_t n, int64_t *out) {
    /* The type once, not for each. */
    if (v->type == NPU_INT32) {
        const int32_t *p = (const int32_t *)v->data + first;
        for (int64_t i = 0; i < n; i++) out[i] = p[i];
    } else if (v->type == NPU_INT64) {
        memcpy(out, (const int64_t *)v->data + first, (size_t)n * sizeof *out);
    } else {
        for (int64_t i = 0; i < n; i++) out[i] = npu__int_at(v, first + i);
    }
}

NPU__FN int npu__places(const npu__val *v, int32_t depth, const npu__shape *s, int64_t first, int64_t n, int64_t *place,
                        int64_t *bad, int32_t *dim) {
    const int64_t group = NPU__INDEX_BLOCK / NPU_MAX_RANK; /* coordinates whose numbers fit into a block */
    int64_t       at[NPU__INDEX_BLOCK];
    for (int64_t done = 0; done < n; done += group) {
        const int64_t some = NPU__MIN(n - done, group);
        npu__indices(v, (first + done) * depth, some * depth, at);
        for (int64_t i = 0; i < some; i++) {
            place[done + i] = 0;
            for (int32_t j = 0; j < depth; j++) {
                const int64_t index = at[i * depth + j];
                *bad = index;
                *dim = s->dims[j];
                if (index < 0 || index >= s->dims[j]) return 0;
                place[done + i] = place[done + i] * s->dims[j] + index;
            }
        }
    }
    return 1;
}
