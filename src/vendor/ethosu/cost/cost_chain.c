/* Chains of an Ethos-U85: element by element operations that take what the operation before them leaves, out of a buffer
 * between them instead of memory. */
#include "cost.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

enum { NPU__COST_LINKS = 4, NPU__COST_READS = 3 }; /* operations in a chain, feature maps that they read */

NPU__FN int npu__cost_is_read(const npu__cost_map *m) { return m->h > 0 && !m->constant; }

/* Which input of `next` step `p` makes for it alone; -1: none. */
NPU__FN int npu__cost_link(const npu__cost_schedule *w, const npu__cost_step *p, const npu__cost_op *next) {
    const npu__cost_op    *op = &p->op;
    const npu__cost_range *between;
    int                    k = next->in[0].range == op->out.range ? 0 : 1, reads;
    if (op->kind == NPU__COST_CPU || op->out.range < 0 || next->kind != NPU__COST_ELEMENTWISE || next->resize) return -1;
    if (op->resize || op->repeat != next->repeat || op->chained + 1 >= NPU__COST_LINKS) return -1;
    if (op->copies && op->in[0].bits == 32) return -1;
    if (next->in[k].range != op->out.range || (next->in[0].range == next->in[1].range && next->in[1].h > 0)) return -1;
    between = &w->ranges[op->out.range];
    if (between->readers != 1 || between->writers != 1 || between->kept) return -1;
    if (op->out.h != next->out.h || op->out.w != next->out.w || op->out.c != next->out.c) return -1;
    reads = npu__cost_is_read(&op->in[0]) + npu__cost_is_read(&op->in[1]) + npu__cost_is_read(&op->also[0]) +
            npu__cost_is_read(&op->also[1]) + npu__cost_is_read(&next->in[1 - k]);
    return reads <= NPU__COST_READS ? k : -1;
}

NPU__FN void npu__cost_join(const npu__cost_system *s, npu__cost_op *op, const npu__cost_op *next, int k) {
    const npu__cost_map *other = &next->in[1 - k];
    if (op->chained == 0) op->first_bits = op->out.bits;
    op->chained++;
    op->chain_cycles += npu__cost_out_cycles(&s->machine, next);
    op->whole = 1;
    op->out = next->out;
    if (npu__cost_is_read(other)) op->also[op->also[0].h > 0] = *other;
}

NPU__FN void npu__cost_chain(npu__cost_schedule *w) {
    int32_t n = 0;
    for (int32_t i = 0; i < w->n_steps; i++) {
        int k = n > 0 ? npu__cost_link(w, &w->steps[n - 1], &w->steps[i].op) : -1;
        if (k >= 0) {
            npu__cost_join(w->system, &w->steps[n - 1].op, &w->steps[i].op, k);
            w->moved[i] = n - 1;
            continue;
        }
        w->moved[i] = n;
        w->steps[n++] = w->steps[i];
    }
    w->n_steps = n;
    for (int32_t i = 0; i < w->n_ranges; i++) { /* what was touched from outside follows */
        npu__cost_range *r = &w->ranges[i];
        if (r->touched_first > r->touched_last) continue;
        r->touched_first = w->moved[r->touched_first];
        r->touched_last = w->moved[r->touched_last];
    }
}

#endif
