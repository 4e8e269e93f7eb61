/* Cascades: operations that run stripe by stripe, one after the other, so that only some rows of the feature maps
 * between them are in memory. They are made where a feature map does not fit into the cache. */
#include "cost_block.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

NPU__FN int32_t npu__cost_range_root(const npu__cost_schedule *w, int32_t range) {
    for (int32_t hops = 0; hops < 64 && range >= 0 && w->ranges[range].root != range; hops++) {
        range = w->ranges[range].root;
    }
    return range;
}

/* Rows of the last operation but as few as the one behind can use. */
NPU__FN int32_t npu__cost_least_rows(const npu__cost_schedule *w, int32_t i) {
    return i + 1 < w->n_steps ? NPU__MIN(w->steps[i + 1].op.stride_h, w->steps[i].op.out.h) : 1;
}

NPU__FN int npu__cost_cascadable(const npu__cost_step *p, int32_t rows) {
    const npu__cost_op *op = &p->op;
    if (op->kind == NPU__COST_CPU || op->kind == NPU__COST_REDUCE || op->whole || op->repeat > 1) return 0;
    if (op->in[0].range < 0 || (op->kind != NPU__COST_POOL && op->upscale > 1)) return 0;
    return rows < op->out.h;
}

/* Can step i + 1 take what step i leaves, stripe by stripe? */
NPU__FN int npu__cost_follows(const npu__cost_schedule *w, int32_t i) {
    const npu__cost_op    *a = &w->steps[i].op, *b;
    const npu__cost_range *r;
    if (i + 1 >= w->n_steps || a->out.range < 0) return 0;
    b = &w->steps[i + 1].op;
    if (b->in[0].range != a->out.range || b->in[0].linear || a->out.linear) return 0;
    if (a->out.h != b->in[0].h || a->out.w != b->in[0].w || a->out.c != b->in[0].c) return 0;
    r = &w->ranges[a->out.range];
    return r->readers == 1 && r->reader == i + 1 && r->writers == 1 && !r->kept && !r->linear;
}

/* Bytes of the rows between step i and the next. */
NPU__FN int64_t npu__cost_rolling(const npu__cost_op *a, int32_t rows, const npu__cost_op *b, int32_t next_rows) {
    int64_t in = npu__cost_rows_in(b, next_rows), n = (rows + in + in - 1) / in * in;
    return n * a->out.w * npu__cost_round(a->out.c, 16) * a->out.bits / 8;
}

NPU__FN int64_t npu__cost_map_bytes(const npu__cost_map *m) {
    return (int64_t)m->h * m->w * (m->linear ? m->c : npu__cost_round(m->c, 16)) * m->bits / 8;
}

/* Rows that steps [first, last] make at a time when the last makes `rows`: into w->moved. 0: some step would make
 * everything at once. */
NPU__FN int npu__cost_stripe(npu__cost_schedule *w, int32_t first, int32_t last, int32_t rows) {
    for (int32_t i = last; i >= first; i--) {
        const npu__cost_op *op = &w->steps[i].op;
        int64_t             before = (int64_t)rows * op->stride_h / op->upscale;
        if (rows >= op->out.h) return 0;
        w->moved[i] = rows;
        rows = (int32_t)NPU__MIN(NPU__MAX(before, 1), 1 << 20);
    }
    return 1;
}

NPU__FN int64_t npu__cost_copies_of(const npu__cost_step *p) { return p->copy.buffer[0] + p->copy.buffer[1]; }

/* Cascades that steps [first, last] become with the rows in w->moved, each as long as it fits; 0: one would be of a single
 * step. `commit` 0: changes nothing. */
NPU__FN int32_t npu__cost_parts(npu__cost_schedule *w, int32_t first, int32_t last, int commit) {
    int32_t n = 0, end;
    for (int32_t i = first; i <= last; i = end + 1, n++) {
        int64_t bytes = npu__cost_copies_of(&w->steps[i]);
        for (end = i; end < last; end++) {
            const npu__cost_step *p = &w->steps[end];
            bytes += npu__cost_rolling(&p->op, w->moved[end], &p[1].op, w->moved[end + 1]) + npu__cost_copies_of(&p[1]);
            if (bytes > w->system->cache_bytes) break;
        }
        if (end == i) return 0;
        for (int32_t k = i; commit && k <= end; k++) {
            w->steps[k].cascade = end;
            w->steps[k].time = w->steps[i].time;
            w->steps[k].rows = w->moved[k];
        }
    }
    return n;
}

/* As many rows at a time as the cache has room for, beside copies of weights, in as few cascades as with few rows. */
NPU__FN void npu__cost_widen(npu__cost_schedule *w, int32_t first, int32_t last) {
    int32_t least = w->steps[last].rows, low = least, high = (w->steps[last].op.out.h + 1) / 2, most;
    for (int32_t i = first; i <= last; i++) npu__cost_propose(w, i, w->system->cache_bytes);
    most = npu__cost_stripe(w, first, last, least + 1) ? npu__cost_parts(w, first, last, 0) : 0;
    if (most == 0) high = low;
    while (low < high) {
        int32_t middle = low + (high - low + 1) / 2, n = 0;
        if (npu__cost_stripe(w, first, last, middle)) n = npu__cost_parts(w, first, last, 0);
        if (n > 0 && n <= most) low = middle;
        else high = middle - 1;
    }
    if (low > least && npu__cost_stripe(w, first, last, low)) npu__cost_parts(w, first, last, 1);
}

/* The last step of the cascade that starts with step `first`; `first` where there is none. */
NPU__FN int32_t npu__cost_extend(npu__cost_schedule *w, int32_t first) {
    int64_t limit = w->system->cache_bytes, bytes = 0;
    int32_t best = first;
    for (int32_t i = first; npu__cost_follows(w, i) && w->steps[i + 1].cascade < 0; i++) {
        const npu__cost_op *a = &w->steps[i].op, *b = &w->steps[i + 1].op;
        int32_t next = npu__cost_least_rows(w, i + 1);
        int64_t full = npu__cost_map_bytes(&b->in[0]);
        int     same = b->kind == NPU__COST_ELEMENTWISE || (b->kind == NPU__COST_POOL && b->kernel_h * b->kernel_w == 1);
        if (!npu__cost_cascadable(&w->steps[i + 1], next)) break;
        if (!same || b->out.bits != b->in[0].bits) full += npu__cost_map_bytes(&b->out);
        bytes += npu__cost_rolling(a, npu__cost_least_rows(w, i), b, next);
        if (full < limit || bytes > limit) break;
        best = i + 1;
    }
    return best;
}

/* Bytes of the rows between steps [first, last] of a cascade. */
NPU__FN int64_t npu__cost_between_rows(const npu__cost_schedule *w, int32_t first, int32_t last) {
    int64_t bytes = 0;
    for (int32_t i = first; i < last; i++) {
        const npu__cost_step *p = &w->steps[i];
        bytes += npu__cost_rolling(&p->op, p->rows, &p[1].op, p[1].rows);
    }
    return bytes;
}

NPU__FN void npu__cost_cascades(npu__cost_schedule *w) {
    for (int32_t i = 0; i < w->n_steps; i++) {
        int32_t last = i, first = i;
        if (npu__cost_cascadable(&w->steps[i], npu__cost_least_rows(w, i))) last = npu__cost_extend(w, i);
        if (last == i) continue;
        for (int32_t k = i; k <= last; k++) {
            w->steps[k].cascade = last;
            w->steps[k].time = w->steps[i].time;
            w->steps[k].rows = npu__cost_least_rows(w, k);
        }
        w->fast[w->steps[i].time] = npu__cost_between_rows(w, i, last);
        npu__cost_widen(w, i, last);
        w->fast[w->steps[i].time] = 0;
        for (int32_t k = i; k <= last; k++) {
            npu__cost_step *p = &w->steps[k];
            npu__cost_choose_block(&p->cost, &w->system->machine, &p->op, p->rows);
            memset(&p->copy, 0, sizeof p->copy);
            if (k == p->cascade) {
                w->fast[p->time] = npu__cost_between_rows(w, first, k);
                first = k + 1;
                continue;
            }
            w->ranges[p->op.out.range].where = NPU__COST_SRAM;
            w->ranges[p->op.out.range].bytes = npu__cost_rolling(&p->op, p->rows, &p[1].op, p[1].rows);
        }
        i = last;
    }
}

#endif
