/* Copies of weights in SRAM: whether, and in which slices.
 *
 * A slice is a run of output channels. The first may be copied while the operation before computes, each other one while
 * the slice before it does, into the second of two buffers. That pays where weights are read more than once, or where
 * the store is slow. */
#include "cost.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

enum {
    NPU__COST_SLICE = 16,      /* output channels are cut at multiples of this */
    NPU__COST_STARTUP = 1000,  /* cycles of waiting that count as noise */
    NPU__COST_SLICE_HEAD = 16  /* bytes that another slice adds to the coded stream */
};

typedef struct npu__cost_slices {
    int32_t depth, first, other, n; /* output channels: all, of the first slice, of each further one; slices */
    double  full;                   /* bytes of all of them */
} npu__cost_slices;

NPU__FN double npu__cost_slice_bytes(const npu__cost_slices *s, int32_t depth) {
    return depth >= s->depth ? s->full : floor(s->full * depth / s->depth / 16) * 16 + (double)NPU__COST_SLICE_HEAD;
}

NPU__FN int32_t npu__cost_slice_last(const npu__cost_slices *s) {
    return s->n > 1 ? s->depth - s->first - (s->n - 2) * s->other : s->depth;
}

/* What an operation needs with given slices. */
typedef struct npu__cost_tried {
    double run, waits, last; /* cycles: computing, waiting for copies, computing the last slice */
    double weight_reads, map_reads; /* cycles of the reads */
    double map_bytes;        /* read, of the input */
} npu__cost_tried;

NPU__FN double npu__cost_stripes(const npu__cost_step *p) {
    return NPU__MAX((double)p->op.out.h / NPU__MAX(p->rows, 1), 1.0);
}

/* `from`: where the weights are read. `slack`: cycles before. `pairs`: two buffers. */
NPU__FN void npu__cost_try_slices(npu__cost_tried *out, const npu__cost_system *s, const npu__cost_step *p,
                                  const npu__cost_slices *k, int from, double slack, int pairs) {
    npu__cost_op op = p->op;
    double  fetches = npu__cost_refetch(&op, &p->cost), stripes = npu__cost_stripes(p), first, other, bytes = 0;
    int32_t last = npu__cost_slice_last(k);
    int     copied = from == NPU__COST_SRAM && !s->model_in_sram;
    memset(out, 0, sizeof *out);
    first = npu__cost_run(s, &op, &p->cost, k->first, from, 1, k->n == 1);
    out->run = first;
    out->last = first;
    bytes = npu__cost_read_bytes(&op, &p->cost, k->first);
    if (copied) out->waits = NPU__MAX(npu__cost_copy_cycles(s, npu__cost_slice_bytes(k, k->first)) - slack, 0);
    if (k->n > 1) {
        double under = pairs ? first : 0, copy = npu__cost_copy_cycles(s, npu__cost_slice_bytes(k, k->other));
        other = npu__cost_run(s, &op, &p->cost, k->other, from, 0, 0);
        out->last = npu__cost_run(s, &op, &p->cost, last, from, 0, 1);
        out->run += other * (k->n - 2) + out->last;
        bytes += npu__cost_read_bytes(&op, &p->cost, k->other) * (k->n - 2) +
                 npu__cost_read_bytes(&op, &p->cost, last);
        if (copied && k->n > 2) {
            out->waits += NPU__MAX(copy - under, 0) + NPU__MAX(copy - (pairs ? other : 0), 0) * (k->n - 3);
            under = pairs ? other : 0;
        }
        if (copied) out->waits += NPU__MAX(npu__cost_copy_cycles(s, npu__cost_slice_bytes(k, last)) - under, 0);
    }
    out->run *= stripes;
    fetches *= k->n;
    out->weight_reads = fetches * stripes * npu__cost_read_cycles(s, from, NPU__COST_WEIGHTS, k->full / k->n);
    out->map_bytes = bytes;
    out->map_reads = stripes * npu__cost_read_cycles(s, op.in[0].where, NPU__COST_MAPS, bytes);
}

/* Operations side by side that share a copy. */
NPU__FN int32_t npu__cost_in_a_row(const npu__cost_op *op) { return op->apart ? 1 : op->repeat; }

/* The share of the weights to have before it starts. */
NPU__FN double npu__cost_ahead_share(const npu__cost_slices *k, double slack, double copy, int dominated, int64_t room) {
    double least = NPU__MIN((double)NPU__COST_SLICE / k->depth, 1), share = NPU__MIN(slack / copy, 1);
    if (1 - floor(share / least) * least < least / 2) share = 1;
    if (dominated && share > 0.5 && share < 1) {
        share = ceil(floor(k->depth * 0.5) / (double)NPU__COST_SLICE) * (double)NPU__COST_SLICE / k->depth;
    }
    return NPU__MIN(NPU__MAX(share, least), NPU__MIN((double)(room / 2) / k->full, 1));
}

/* Cuts all output channels into slices that fit in half of `room` each. */
NPU__FN void npu__cost_cut(npu__cost_slices *k, const npu__cost_system *s, const npu__cost_step *p, double share,
                           double copy, int64_t room) {
    int32_t block = p->cost.block[2], least = NPU__MAX(NPU__COST_SLICE, p->cost.smallest[2]);
    int32_t first = NPU__MAX((int32_t)(k->depth * share) / least * least, NPU__COST_SLICE), other;
    double  half = (double)(room / 2), cycles;
    if (first >= k->depth) return;
    cycles = npu__cost_run(s, &p->op, &p->cost, first, NPU__COST_SRAM, 1, 0);
    other = (int32_t)NPU__MIN(k->depth * cycles / copy, (double)k->depth);
    other = (NPU__MAX(other, NPU__COST_SLICE) + block - 1) / block * block;
    if (k->full * other / k->depth > half) other = (int32_t)(half / k->full * k->depth);
    for (int32_t i = 0; i < 64; i++) {
        int32_t step = other > block ? block : least;
        other = NPU__MAX(other / step * step, least);
        if (npu__cost_slice_bytes(k, NPU__MAX(first, other)) <= half) break;
        if (first == NPU__COST_SLICE && other == least) break;
        if (other > first) other = (other / 2 + least - 1) / least * least;
        else first = (first / 2 + NPU__COST_SLICE - 1) / NPU__COST_SLICE * NPU__COST_SLICE;
    }
    k->first = first;
    k->other = other;
    k->n = 1 + (k->depth - first + other - 1) / other;
}

/* Buffers for these slices within `room` bytes: how many, 0 where none fits. */
NPU__FN int npu__cost_buffers(const npu__cost_slices *k, int64_t room, int64_t *bytes) {
    double first = npu__cost_slice_bytes(k, k->first), other = first;
    if (k->n > 1) other = npu__cost_slice_bytes(k, k->n > 2 ? k->other : npu__cost_slice_last(k));
    bytes[0] = (int64_t)(k->n > 2 ? NPU__MAX(first, other) : first);
    bytes[1] = (int64_t)other;
    if (k->n > 1 && bytes[0] + bytes[1] <= room) return 2;
    bytes[0] = NPU__MAX(bytes[0], bytes[1]);
    bytes[1] = 0;
    return bytes[0] <= room;
}

typedef struct npu__cost_choice {
    double  copy, unmoved, refetch, slack;
    int64_t room_before; /* left by the step before */
    int     ahead, forced, dominated;
    npu__cost_tried plain; /* without copies */
} npu__cost_choice;

/* Is it faster than without? Staging the input instead may be better still. */
NPU__FN int npu__cost_copy_pays(const npu__cost_system *s, const npu__cost_step *p, const npu__cost_choice *q,
                                const npu__cost_slices *k, const npu__cost_tried *tried, int64_t buffers) {
    const npu__cost_map *in = &p->op.in[0];
    double reads = tried->map_reads, map = (double)NPU__MIN(npu__cost_rows_in(&p->op, p->rows), in->h) * in->w * in->c *
                   in->bits / 8, plain, copied, run = tried->run + tried->waits;
    if (in->where == NPU__COST_STORE && p->cascade < 0) {
        int    both = map + (double)buffers <= (double)p->room;
        double staged = npu__cost_read_cycles(s, NPU__COST_SRAM, NPU__COST_MAPS, q->plain.map_bytes);
        double with_map = NPU__MAX(NPU__MAX(q->plain.run, q->plain.weight_reads), staged);
        double with_weights = NPU__MAX(NPU__MAX(run, tried->weight_reads), reads);
        if (!both && map < (double)q->room_before && with_map < with_weights && with_map < reads) return 0;
        if (both) reads = npu__cost_read_cycles(s, NPU__COST_SRAM, NPU__COST_MAPS, tried->map_bytes);
    }
    plain = NPU__MAX(NPU__MAX(q->plain.run, q->plain.weight_reads), reads);
    copied = NPU__MAX(NPU__MAX(run, tried->weight_reads), reads);
    if (q->dominated) {
        if (tried->waits / k->n < (double)NPU__COST_STARTUP) copied -= tried->waits;
        if (k->n > 1 && run == copied && q->forced) copied -= k->n * (NPU__COST_STARTUP / 2);
    }
    return plain >= copied && (q->refetch > 1 || q->copy + tried->weight_reads <= plain);
}

/* Slices to try: 1, whole; 2, cut; 0, no copy. */
NPU__FN int npu__cost_manner(const npu__cost_step *p, const npu__cost_choice *q, const npu__cost_slices *k,
                             double moved) {
    double visible = NPU__MAX(q->copy - q->slack, 0), buffered = moved + visible;
    double smallest = q->copy * NPU__MIN(k->depth, NPU__COST_SLICE) / k->depth;
    if (p->cascade < 0 && npu__cost_in_a_row(&p->op) == 1) {
        return q->forced || buffered < q->unmoved || k->depth / p->cost.block[2] > 2 ||
               (q->ahead && smallest < q->slack && q->refetch > 1) ? 2 : 0;
    }
    if (k->full > (double)p->room || (buffered >= q->unmoved && q->dominated)) return 0;
    return npu__cost_in_a_row(&p->op) > 1 || visible < q->copy / 20 || visible / npu__cost_stripes(p) < (double)NPU__COST_STARTUP ||
           q->forced;
}

NPU__FN void npu__cost_commit(npu__cost_schedule *w, npu__cost_step *p, const npu__cost_choice *q,
                              const npu__cost_slices *k, const npu__cost_tried *tried, int parts, const int64_t *bytes) {
    npu__cost_copy *c = &p->copy;
    c->parts = parts;
    c->buffer[0] = bytes[0];
    c->buffer[1] = parts > 1 ? bytes[1] : 0;
    c->first = npu__cost_slice_bytes(k, k->first);
    c->ahead = q->ahead && bytes[0] < q->room_before;
    c->last_part = parts > 1 ? (k->n - 1) % 2 : 0;
    c->last = tried->last;
    p->slack = tried->last;
    p->room -= c->buffer[c->last_part];
    w->fast[p->time] += c->buffer[0] + c->buffer[1];
}

NPU__FN void npu__cost_propose(npu__cost_schedule *w, int32_t i, int64_t limit) {
    const npu__cost_system *s = w->system;
    npu__cost_step   *p = &w->steps[i], *before = i > 0 ? &w->steps[i - 1] : NULL;
    npu__cost_slices  k;
    npu__cost_choice  q;
    npu__cost_tried   tried;
    int64_t           bytes[2];
    double            moved;
    int               manner, parts;
    memset(&q, 0, sizeof q);
    memset(&k, 0, sizeof k);
    k.depth = k.first = p->op.out.c;
    k.n = 1;
    k.full = (double)p->op.weight_bytes + (double)p->op.scale_bytes;
    if (!p->op.has_weights || s->model_in_sram || k.full <= 0) return;
    if (before && before->op.kind == NPU__COST_CPU) before = NULL;
    q.slack = before ? before->slack : 0;
    q.room_before = before ? before->room : limit;
    q.copy = npu__cost_copy_cycles(s, k.full);
    q.refetch = npu__cost_refetch(&p->op, &p->cost) * ceil(npu__cost_stripes(p)) * npu__cost_in_a_row(&p->op);
    q.unmoved = q.refetch * npu__cost_read_cycles(s, NPU__COST_STORE, NPU__COST_WEIGHTS, k.full);
    moved = q.refetch * npu__cost_read_cycles(s, NPU__COST_SRAM, NPU__COST_WEIGHTS, k.full);
    if (moved >= q.unmoved) return;
    q.ahead = i > 0 && (p->cascade < 0 || w->steps[i - 1].cascade != p->cascade);
    q.forced = !before && q.refetch > 1 &&
               q.copy * NPU__MIN(k.depth, NPU__COST_SLICE) / k.depth < NPU__MAX(q.unmoved / 10, NPU__COST_STARTUP + 1);
    npu__cost_try_slices(&q.plain, s, p, &k, NPU__COST_STORE, 0, 0);
    q.dominated = q.plain.run > q.unmoved;
    manner = npu__cost_manner(p, &q, &k, moved);
    if (!manner) return;
    if (manner == 2) {
        double share = npu__cost_ahead_share(&k, q.slack, q.copy, q.dominated, p->room);
        int32_t block = p->cost.block[2];
        if (share < 1) npu__cost_cut(&k, s, p, share, q.copy, p->room);
        if (k.n > 2 && q.dominated && k.other < 0.3 * ((k.other + block - 1) / block * block)) return;
    }
    parts = npu__cost_buffers(&k, p->room, bytes);
    if (!parts) return;
    npu__cost_try_slices(&tried, s, p, &k, NPU__COST_SRAM,
                         q.ahead && bytes[0] < q.room_before ? q.slack : q.forced ? NPU__COST_STARTUP : 0, parts > 1);
    if (npu__cost_in_a_row(&p->op) > 1 || npu__cost_copy_pays(s, p, &q, &k, &tried, bytes[0] + bytes[1])) {
        npu__cost_commit(w, p, &q, &k, &tried, parts, bytes);
    }
}

#endif
