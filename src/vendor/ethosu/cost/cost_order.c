/* The order that operations run in.
 *
 * A file may list operators in any order that its data flow allows, and what they leave lives until the last user of it.
 * The order here is Vela's: from the outputs back, the last output and the last input of each operator first, each
 * operator right after what it needs. Operators without outputs (assignments to variables) count as outputs that come
 * last. Then the CPU's work is gathered: what needs nothing of the NPU runs first, what nobody waits for last. */
#include "cost_graph.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

enum { NPU__COST_HOPS = 64 }; /* operators of the NPU that one of the CPU is put behind, at most: keeps it linear */

typedef struct npu__cost_visit {
    int32_t *stack; /* 2 * node, + 1 when all that it needs is in the order */
    int32_t *order;
    uint8_t *seen;
    int32_t  n_stack, n_order;
} npu__cost_visit;

NPU__FN void npu__cost_visit_from(const npu__cost_graph *w, npu__cost_visit *v) {
    while (v->n_stack > 0) {
        int32_t          top = v->stack[--v->n_stack], i = top / 2;
        const npu__node *n = &w->g->nodes[i];
        if (top % 2) {
            v->order[v->n_order++] = i;
            continue;
        }
        if (v->seen[i]) continue;
        v->seen[i] = 1;
        v->stack[v->n_stack++] = top + 1;
        for (int32_t k = 0; k < n->n_in; k++) {
            int32_t from = n->in[k] >= 0 ? w->tensors[n->in[k]].producer : -1;
            if (from >= 0 && !v->seen[from]) v->stack[v->n_stack++] = 2 * from;
        }
    }
}

/* 1: the CPU runs it before all others; 2: after them. */
NPU__FN int npu__cost_when(const npu__cost_graph *w, int32_t i, const uint8_t *when) {
    const npu__node *n = &w->g->nodes[i];
    int              early = 1, late = 1;
    if (w->rows[i].how != NPU__COST_ON_CPU) return 0;
    for (int32_t k = 0; k < n->n_in && early; k++) {
        int32_t from = n->in[k] >= 0 ? w->tensors[n->in[k]].producer : -1;
        early = from < 0 || when[from] == 1;
    }
    for (int32_t k = 0; k < n->n_out && late; k++) late = w->tensors[n->out[k]].user < 0;
    return early ? 1 : late ? 2 : 0;
}

NPU__FN int npu__cost_feeds(const npu__cost_graph *w, int32_t from, int32_t to) {
    const npu__node *n = &w->g->nodes[to];
    for (int32_t k = 0; k < n->n_in; k++) {
        if (n->in[k] >= 0 && w->tensors[n->in[k]].producer == from) return 1;
    }
    return 0;
}

/* Work of the CPU moves towards the next work of the CPU. */
NPU__FN void npu__cost_gather(const npu__cost_graph *w, int32_t *order, const uint8_t *when) {
    for (int32_t i = w->g->n_nodes; i-- > 0;) {
        if (w->rows[order[i]].how != NPU__COST_ON_CPU || when[order[i]]) continue;
        for (int32_t k = i; k + 1 < w->g->n_nodes && k < i + NPU__COST_HOPS; k++) {
            int32_t node = order[k];
            if (w->rows[order[k + 1]].how == NPU__COST_ON_CPU || npu__cost_feeds(w, node, order[k + 1])) break;
            order[k] = order[k + 1];
            order[k + 1] = node;
        }
    }
}

NPU__FN int npu__cost_put_in_order(npu__cost_graph *w) {
    const npu__subgraph *g = w->g;
    size_t               room = (size_t)g->n_out + 2 * (size_t)g->n_nodes + 1; /* bounded: each is named in the file */
    npu__cost_visit      v;
    int32_t             *sorted, n = 0;
    for (int32_t i = 0; i < g->n_nodes; i++) room += (size_t)g->nodes[i].n_in;
    memset(&v, 0, sizeof v);
    v.stack = (int32_t *)npu__pool_alloc(w->pool, room, sizeof *v.stack);
    v.order = (int32_t *)npu__pool_alloc(w->pool, (size_t)g->n_nodes + 1, sizeof *v.order);
    v.seen = (uint8_t *)npu__pool_alloc(w->pool, (size_t)g->n_nodes + 1, 1);
    w->order = sorted = (int32_t *)npu__pool_alloc(w->pool, (size_t)g->n_nodes + 1, sizeof *sorted);
    if (!v.stack || !v.order || !v.seen || !sorted) return 0;
    for (int32_t k = 0; k < g->n_out; k++) {
        int32_t from = w->tensors[g->out[k]].producer;
        if (from >= 0) v.stack[v.n_stack++] = 2 * from;
    }
    for (int32_t i = 0; i < g->n_nodes; i++) {
        if (g->nodes[i].n_out == 0) v.stack[v.n_stack++] = 2 * i;
    }
    npu__cost_visit_from(w, &v);
    for (int32_t i = 0; i < g->n_nodes; i++) { /* what leads nowhere */
        v.stack[v.n_stack++] = 2 * i;
        npu__cost_visit_from(w, &v);
    }
    memset(v.seen, 0, (size_t)g->n_nodes); /* from here on: when */
    for (int32_t i = 0; i < v.n_order; i++) {
        v.seen[v.order[i]] = (uint8_t)npu__cost_when(w, v.order[i], v.seen);
        if (v.seen[v.order[i]] == 1) sorted[n++] = v.order[i];
    }
    for (int32_t i = 0; i < v.n_order; i++) {
        if (v.seen[v.order[i]] == 0) sorted[n++] = v.order[i];
    }
    for (int32_t i = 0; i < v.n_order; i++) {
        if (v.seen[v.order[i]] == 2) sorted[n++] = v.order[i];
    }
    npu__cost_gather(w, sorted, v.seen);
    return 1;
}

#endif
