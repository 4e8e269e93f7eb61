/* Which feature maps the cache holds, and how much memory is in use when. */
#include "cost.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

enum {
    NPU__COST_LONG = 2048,     /* times: a life longer than this is left to the slow memory */
    NPU__COST_RIVALS = 12,     /* feature maps that are weighed against each other at once */
    NPU__COST_WEIGHING = 1 << 26 /* times looked at; from there on the first that fits stays */
};

NPU__FN int32_t npu__cost_begin(const npu__cost_schedule *w, const npu__cost_range *r) {
    return w->steps[r->first].time;
}
NPU__FN int32_t npu__cost_end(const npu__cost_schedule *w, const npu__cost_range *r) {
    return w->steps[r->last].time + 1;
}

/* An operation that makes an element of one may write over an input of the same size that nobody needs any more. */
NPU__FN void npu__cost_overwrite(npu__cost_schedule *w, double *worth, int32_t i) {
    const npu__cost_op *op = &w->steps[i].op;
    int32_t             out = npu__cost_range_root(w, op->out.range);
    if (w->steps[i].cascade >= 0 || out < 0 || op->repeat > 1) return;
    if (op->kind != NPU__COST_ELEMENTWISE && (op->kind != NPU__COST_POOL || op->kernel_h * op->kernel_w > 1)) return;
    for (int32_t k = 0; k < 2; k++) {
        int32_t          in = npu__cost_range_root(w, op->in[k].range);
        npu__cost_range *a, *b = &w->ranges[out];
        if (in < 0 || in == out || op->in[k].h < 1 || op->in[k].constant || op->in[k].bits != op->out.bits) continue;
        a = &w->ranges[in];
        if (a->bytes != b->bytes || a->last != i || b->first != i) continue;
        if (a->linear != b->linear || a->kept != b->kept) continue;
        if (w->ranges[op->in[k].range].readers != 1 || b->writers != 1 || a->kept > 1 || a->where != b->where) continue;
        a->last = b->last;
        b->root = in;
        worth[in] += worth[out];
        return;
    }
}

NPU__FN int64_t npu__cost_peak(const int64_t *use, int32_t from, int32_t to) {
    int64_t most = 0;
    for (; from <= to; from++) most = NPU__MAX(most, use[from]);
    return most;
}

NPU__FN void npu__cost_occupy(int64_t *use, int32_t from, int32_t to, int64_t bytes) {
    for (; from <= to; from++) use[from] += bytes;
}

/* ---- the cache ---- */

typedef struct npu__cost_rivals {
    npu__cost_schedule *w;
    const double       *worth; /* elements moved in and out of each range: what the cache saves */
    int64_t            *most; /* use if all that is undecided stays */
    int32_t             n, range[NPU__COST_RIVALS];
    int64_t             left; /* times that may still be looked at */
    uint32_t            best; /* a bit for each that stays */
    double              score;
} npu__cost_rivals;

/* All ways to keep some of them from the k-th on, but those that cannot fit or give up what costs nothing. */
NPU__FN void npu__cost_weigh(npu__cost_rivals *v, int32_t k, uint32_t kept, double score) {
    npu__cost_schedule *w = v->w;
    npu__cost_range    *r;
    int32_t             from, to;
    int64_t             limit = w->system->cache_bytes;
    int                 fits, surely;
    if (k == v->n) {
        if (score <= v->score && v->score > 0) return;
        v->score = score;
        v->best = kept;
        return;
    }
    r = &w->ranges[v->range[k]];
    from = npu__cost_begin(w, r);
    to = npu__cost_end(w, r);
    v->left -= 4 * ((int64_t)to - from + 1);
    fits = npu__cost_peak(w->fast, from, to) + r->bytes <= limit;
    surely = fits && (v->left < 0 || npu__cost_peak(v->most, from, to) <= limit);
    if (fits) {
        npu__cost_occupy(w->fast, from, to, r->bytes);
        npu__cost_weigh(v, k + 1, kept | 1u << k, score + v->worth[v->range[k]]);
        npu__cost_occupy(w->fast, from, to, -r->bytes);
    }
    if (surely) return;
    npu__cost_occupy(v->most, from, to, -r->bytes);
    npu__cost_weigh(v, k + 1, kept, score);
    npu__cost_occupy(v->most, from, to, r->bytes);
}

NPU__FN void npu__cost_decide(npu__cost_rivals *v, int32_t k, int stays) {
    npu__cost_range *r = &v->w->ranges[v->range[k]];
    int32_t          from = npu__cost_begin(v->w, r), to = npu__cost_end(v->w, r);
    r->where = stays ? NPU__COST_SRAM : NPU__COST_STORE;
    if (stays) npu__cost_occupy(v->w->fast, from, to, r->bytes);
    else npu__cost_occupy(v->most, from, to, -r->bytes);
}

NPU__FN void npu__cost_settle_rivals(npu__cost_rivals *v) {
    v->best = 0;
    v->score = 0;
    npu__cost_weigh(v, 0, 0, 0);
    for (int32_t k = 0; k < v->n; k++) npu__cost_decide(v, k, (int)(v->best >> k & 1));
    v->n = 0;
}

/* w->fast has copies of weights and stripes. What is too large goes, what fits for sure stays; the others are weighed
 * against each other as long as their lives overlap. */
NPU__FN void npu__cost_fill_cache(npu__cost_schedule *w, const double *worth) {
    npu__cost_rivals v;
    int32_t          until = -1;
    int64_t          limit = w->system->cache_bytes;
    memset(&v, 0, sizeof v);
    v.w = w;
    v.worth = worth;
    v.most = w->slow;
    v.left = NPU__COST_WEIGHING;
    memcpy(w->slow, w->fast, sizeof *w->fast * (size_t)(2 * w->n_steps + 2));
    for (int32_t sweep = 0; sweep < 3; sweep++) {
        for (int32_t i = 0; i < w->n_ranges; i++) {
            npu__cost_range *r = &w->ranges[i];
            int32_t          from, to;
            if (r->where != NPU__COST_UNDECIDED || r->root != i) continue;
            from = npu__cost_begin(w, r);
            to = npu__cost_end(w, r);
            if (sweep == 0) {
                npu__cost_occupy(w->slow, from, to, r->bytes);
                continue;
            }
            v.range[v.n] = i;
            if (sweep == 1) {
                if (npu__cost_peak(w->fast, from, to) + r->bytes > limit) npu__cost_decide(&v, v.n, 0);
                continue;
            }
            if (npu__cost_peak(w->slow, from, to) <= limit) {
                npu__cost_decide(&v, v.n, 1);
                continue;
            }
            if (v.n > 0 && (from > until || v.n == NPU__COST_RIVALS - 1)) {
                npu__cost_settle_rivals(&v);
                v.range[0] = i;
                until = -1;
            }
            v.n++;
            until = NPU__MAX(until, to);
        }
    }
    npu__cost_settle_rivals(&v);
}

/* The inputs of an element by element operation lie together: in the slow memory, if one of them does. */
NPU__FN void npu__cost_together(npu__cost_schedule *w) {
    for (int32_t i = 0; i < w->n_steps; i++) {
        const npu__cost_op *op = &w->steps[i].op;
        int32_t             a = npu__cost_range_root(w, op->in[0].range), b = npu__cost_range_root(w, op->in[1].range);
        if (op->kind != NPU__COST_ELEMENTWISE || a < 0 || b < 0 || op->in[1].h < 1 || w->steps[i].cascade >= 0) continue;
        if (w->ranges[a].where == w->ranges[b].where) continue;
        if (w->ranges[a].where == NPU__COST_STORE) a = b;
        if (w->ranges[a].kept == 0 && w->ranges[a].readers == 1) w->ranges[a].where = NPU__COST_STORE;
    }
}

/* ---- all of it ---- */

/* Copies of weights, and the rows between the steps of a cascade. */
NPU__FN void npu__cost_reserve(npu__cost_schedule *w) {
    memset(w->fast, 0, sizeof *w->fast * (size_t)(2 * w->n_steps + 2));
    for (int32_t i = 0; i < w->n_steps; i++) {
        const npu__cost_step *p = &w->steps[i];
        for (int32_t k = 0; k < p->copy.parts; k++) {
            int32_t from = p->time - (k == 0 && p->copy.ahead && p->time > 0);
            npu__cost_occupy(w->fast, from, p->time + (k == p->copy.last_part), p->copy.buffer[k]);
        }
        if (p->cascade > i) npu__cost_occupy(w->fast, p->time, p->time + 1, w->ranges[p->op.out.range].bytes);
    }
}

NPU__FN int npu__cost_in_cascade(const npu__cost_schedule *w, const npu__cost_range *r) {
    return r->writers == 1 && r->writer >= 0 && w->steps[r->writer].cascade > r->writer;
}

/* Adds up the memory of what is decided. */
NPU__FN void npu__cost_tally(npu__cost_schedule *w) {
    int64_t n = 2 * (int64_t)w->n_steps + 2;
    npu__cost_reserve(w);
    for (int64_t t = n - 1; t > 0; t--) w->fast[t] -= w->fast[t - 1]; /* growth, so that long lives cost nothing */
    memset(w->slow, 0, sizeof *w->slow * (size_t)n);
    for (int32_t i = 0; i < w->n_ranges; i++) {
        const npu__cost_range *r = &w->ranges[i];
        int64_t               *use = r->where == NPU__COST_STORE ? w->slow : w->fast;
        if (r->root != i || r->first > r->last || npu__cost_in_cascade(w, r)) continue;
        use[npu__cost_begin(w, r)] += r->bytes;
        use[npu__cost_end(w, r) + 1] -= r->bytes;
    }
    for (int64_t t = 1; t < n; t++) {
        w->fast[t] += w->fast[t - 1];
        w->slow[t] += w->slow[t - 1];
    }
}

NPU__FN void npu__cost_place(npu__cost_schedule *w, double *worth) {
    int spills = w->system->arena_in_store;
    for (int32_t i = 0; spills && i < w->n_ranges; i++) {
        npu__cost_range *r = &w->ranges[i];
        if (r->first > r->last || npu__cost_in_cascade(w, r)) continue;
        r->where = NPU__COST_STORE;
        if (r->kept || r->writers < 1 || r->readers < 1 || r->last - r->first > NPU__COST_LONG / 2) continue;
        r->where = NPU__COST_UNDECIDED;
    }
    for (int32_t i = 0; i < w->n_steps; i++) npu__cost_overwrite(w, worth, i);
    if (spills) {
        npu__cost_reserve(w);
        npu__cost_fill_cache(w, worth);
        for (int32_t i = 0; i < w->n_ranges; i++) w->ranges[i].where = w->ranges[npu__cost_range_root(w, i)].where;
        npu__cost_together(w);
    }
    npu__cost_tally(w);
}

#endif
