/* The estimates of a placed graph, in execution order. */
#include "../../../ops/util.h"
#include "cost_graph.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

NPU__FN npu__cost_op *npu__cost_new_op(npu__cost_graph *w) {
    npu__cost_chunk *to = w->filling;
    npu__cost_op    *op;
    if (w->full) return NULL;
    if (!to || to->n == NPU__COST_CHUNK) {
        npu__cost_chunk *next = NULL;
        if (w->n_steps < INT32_MAX / 4) next = (npu__cost_chunk *)npu__pool_alloc(w->pool, 1, sizeof *next);
        if (!next) {
            w->full = 1;
            return NULL;
        }
        if (to) to->next = next;
        else w->chunks = next;
        w->filling = to = next;
    }
    w->n_steps++;
    to->taken[to->n].row = w->at;
    op = &to->taken[to->n++].op;
    op->in[0].range = op->in[1].range = op->out.range = -1;
    return op;
}

/* Steps of the operations that were lowered. */
NPU__FN int npu__cost_make_steps(npu__cost_graph *w) {
    npu__cost_step *p = (npu__cost_step *)npu__pool_alloc(w->pool, (size_t)w->n_steps + 1, sizeof *p);
    w->steps = p;
    for (const npu__cost_chunk *from = w->chunks; p && from; from = from->next) {
        for (int32_t k = 0; k < from->n; k++, p++) {
            p->op = from->taken[k].op;
            p->row = from->taken[k].row;
        }
    }
    return w->steps != NULL && !w->full;
}

NPU__FN int32_t npu__cost_range_of(const npu__cost_graph *w, int32_t range) {
    return range >= 0 && range < w->g->n_tensors ? npu__cost_root(w, range) : range;
}

NPU__FN void npu__cost_put(npu__cost_graph *w, const npu__cost_op *op) {
    npu__cost_op *p = npu__cost_new_op(w);
    if (!p) return;
    *p = *op;
    for (int32_t k = 0; k < 2; k++) p->in[k].range = npu__cost_range_of(w, op->in[k].range);
    p->out.range = npu__cost_range_of(w, op->out.range);
    w->rows[w->at].operations++;
}

/* An Ethos-U85 copies an input of the network out of slow memory first where a convolution that goes through all channels
 * of a place at once would read it three times or more, and would wait for it. */
NPU__FN int npu__cost_stages(const npu__cost_graph *w, const npu__cost_op *op) {
    const npu__cost_system *s = w->system;
    int32_t                 t = op->in[0].range;
    npu__cost_op            from_store = *op;
    npu__cost               c;
    double                  read;
    if (s->machine.n_shapes < 1 || !s->arena_in_store || op->kind != NPU__COST_CONV || op->product) return 0;
    if (t < 0 || t >= w->g->n_tensors || w->tensors[t].producer >= 0 || w->tensors[t].n_users != 1) return 0;
    if (npu__cost_map_bytes(&op->in[0]) >= s->cache_bytes) return 0;
    memset(&c, 0, sizeof c);
    npu__cost_choose_block(&c, &s->machine, op, op->out.h);
    if (c.part_kernel || (int64_t)c.block[2] * 2 >= op->out.c) return 0;
    from_store.in[0].where = NPU__COST_STORE;
    read = npu__cost_read_cycles(s, NPU__COST_STORE, NPU__COST_MAPS, npu__cost_read_bytes(op, &c, op->out.c));
    return read > npu__cost_run(s, &from_store, &c, op->out.c, NPU__COST_STORE, 1, 1);
}

NPU__FN void npu__cost_take(void *user, const npu__cost_op *op) {
    npu__cost_graph *w = (npu__cost_graph *)user;
    npu__cost_op     copy, behind = *op;
    if (npu__cost_stages(w, op)) {
        behind.in[0] = npu__cost_between(w->lowered, op->in[0], op->in[0].bits);
        behind.in[0].linear = 1;
        copy = npu__cost_op_make(NPU__COST_POOL, op->in[0], behind.in[0]);
        copy.copies = 1;
        npu__cost_put(w, &copy);
    }
    npu__cost_put(w, &behind);
}

/* Constants that are read as feature maps are stored as they are; those that are weights, or only say how, are not. */
NPU__FN int64_t npu__cost_constants(const npu__ctx *c) {
    int64_t bytes = 0;
    switch (c->node->code) {
    case NPU__BUILTIN_ADD: case NPU__BUILTIN_SUB: case NPU__BUILTIN_MUL: case NPU__BUILTIN_MINIMUM:
    case NPU__BUILTIN_MAXIMUM: case NPU__BUILTIN_CONCATENATION: case NPU__BUILTIN_PACK: break;
    default: return 0;
    }
    for (int32_t k = 0; k < c->n_in; k++) {
        if (c->in[k] && npu__is_const(c->in[k])) bytes = npu__cost_add(bytes, (int64_t)c->in[k]->bytes);
    }
    return bytes;
}

/* Collects the operations of one node; the number of maps between them grows. */
NPU__FN int32_t npu__cost_node_steps(npu__cost_graph *w, int32_t i, int32_t between) {
    npu__cost_node node;
    npu__cost_row *row = &w->rows[i];
    w->at = i;
    if (row->how == NPU__COST_ON_CPU) {
        npu__cost_op *p = npu__cost_new_op(w);
        if (p) {
            p->kind = NPU__COST_CPU;
            p->stride_h = 1;
        }
    }
    if (row->how != NPU__COST_ON_NPU) return between;
    memset(&node, 0, sizeof node);
    node.ctx = npu__cost_ctx(w, i);
    node.system = w->system;
    node.tensors = w->traits;
    node.activation = row->activation;
    node.left = w->left;
    node.user = w;
    node.emit = npu__cost_take;
    node.n_tensors = w->g->n_tensors;
    node.between = between;
    w->lowered = &node;
    npu__cost_lower(&node);
    row->stored = npu__cost_add(node.stored, npu__cost_constants(node.ctx));
    if (node.zeros > 0 && node.zeros != w->zeros) row->stored = npu__cost_add(row->stored, node.zeros);
    if (node.zeros > 0) w->zeros = node.zeros;
    if (row->operations == 0) row->how = NPU__COST_NOTHING;
    return node.between;
}

/* Bytes of input `k` of a node that stay from run to run: those of a variable, or of the resource that is read or
 * assigned. */
NPU__FN int64_t npu__cost_lasting_bytes(const npu__cost_graph *w, int32_t node, int32_t k) {
    const npu__ctx *c = npu__cost_ctx(w, node);
    int32_t         t = c->node->in[k];
    if (t < 0 || !c->in[k] || !npu__cost_on_npu(w, node)) return 0;
    if (c->in[k]->t->is_variable) return (int64_t)c->in[k]->bytes;
    if (k > 0) return 0;
    if (c->node->code == NPU__BUILTIN_READ_VARIABLE && c->n_out > 0) return (int64_t)c->out[0]->bytes;
    return c->node->code == NPU__BUILTIN_ASSIGN_VARIABLE && c->n_in > 1 && c->in[1] ? (int64_t)c->in[1]->bytes : 0;
}

NPU__FN void npu__cost_keep_always(npu__cost_range *r, int64_t bytes, int32_t last) {
    r->bytes = NPU__MAX(r->bytes, bytes);
    r->kept = 2;
    npu__cost_touch_outside(r, 0);
    npu__cost_touch_outside(r, last);
}

/* Ranges of all tensors and of the maps between operations. The caller's inputs live from the start, its outputs to the
 * end, the CPU's as long as it needs them. */
NPU__FN void npu__cost_set_ranges(npu__cost_graph *w, npu__cost_schedule *q) {
    for (int32_t i = 0; i < q->n_ranges; i++) {
        npu__cost_range *r = &q->ranges[i];
        memset(r, 0, sizeof *r);
        r->last = r->touched_last = r->reader = r->writer = -1;
        r->root = i;
    }
    for (int32_t i = 0; i < w->g->n_nodes; i++) {
        const npu__node *n = &w->g->nodes[i];
        npu__cost_graph_bytes(w, q->ranges, i);
        for (int32_t k = 0; k < n->n_in && q->n_steps > 0; k++) { /* what stays from run to run */
            int64_t bytes = npu__cost_lasting_bytes(w, i, k);
            if (bytes > 0) npu__cost_keep_always(&q->ranges[npu__cost_root(w, n->in[k])], bytes, q->n_steps - 1);
        }
    }
    for (int32_t i = 0; i < q->n_steps; i++) {
        const npu__cost_step *p = &q->steps[i];
        const npu__node      *n = &w->g->nodes[p->row];
        if (p->op.out.range >= w->g->n_tensors) {
            npu__cost_range *r = &q->ranges[p->op.out.range];
            r->bytes = NPU__MAX(r->bytes, npu__cost_map_bytes(&p->op.out));
            if (p->op.out.linear) r->linear = 1;
            if (p->op.scratch) r->kept = 1;
        }
        if (p->op.kind != NPU__COST_CPU) continue;
        for (int32_t k = 0; k < n->n_in; k++) {
            if (n->in[k] >= 0) npu__cost_touch_outside(&q->ranges[npu__cost_root(w, n->in[k])], i);
        }
        for (int32_t k = 0; k < n->n_out; k++) npu__cost_touch_outside(&q->ranges[npu__cost_root(w, n->out[k])], i);
    }
    for (int32_t k = 0; k < w->g->n_in; k++) npu__cost_touch_outside(&q->ranges[npu__cost_root(w, w->g->in[k])], 0);
    for (int32_t k = 0; k < w->g->n_out; k++) {
        npu__cost_touch_outside(&q->ranges[npu__cost_root(w, w->g->out[k])], q->n_steps - 1);
        q->ranges[npu__cost_root(w, w->g->out[k])].kept = 2;
    }
}

NPU__FN npu_status npu__cost_schedule_all(npu__cost_graph *w, int32_t between) {
    npu__cost_schedule q;
    double            *worth;
    /* bounded: that many steps, larger than 2 bytes each, are in memory */
    size_t             n_times = 2 * (size_t)w->n_steps + 2, n_ranges = (size_t)w->g->n_tensors + (size_t)between + 1;
    memset(&q, 0, sizeof q);
    q.system = w->system;
    q.steps = w->steps;
    q.n_steps = w->n_steps;
    q.n_ranges = w->g->n_tensors + between;
    q.ranges = (npu__cost_range *)npu__pool_alloc(w->pool, n_ranges, sizeof *q.ranges);
    q.fast = (int64_t *)npu__pool_alloc(w->pool, n_times, sizeof *q.fast);
    q.slow = (int64_t *)npu__pool_alloc(w->pool, n_times, sizeof *q.slow);
    q.moved = (int32_t *)npu__pool_alloc(w->pool, n_times, sizeof *q.moved);
    worth = (double *)npu__pool_alloc(w->pool, n_ranges, sizeof *worth);
    if (!q.moved || !q.ranges || !q.fast || !q.slow || !worth) return NPU_OUT_OF_MEMORY;
    if (w->n_steps == 0) return NPU_OK;
    npu__cost_set_ranges(w, &q);
    npu__cost_plan_steps(&q, worth);
    w->n_steps = q.n_steps;
    for (size_t t = 0; t < n_times; t++) w->plan->arena_store = NPU__MAX(w->plan->arena_store, q.slow[t]);
    return NPU_OK;
}

NPU__FN void npu__cost_add_rows(npu__cost_graph *w) {
    int64_t longest = -1;
    for (int32_t i = 0; i < w->n_steps; i++) {
        const npu__cost_step *p = &w->steps[i];
        npu__cost_row        *row = &w->rows[p->row];
        row->live = NPU__MAX(row->live, p->live);
        if (p->op.kind == NPU__COST_CPU) continue;
        row->cycles = npu__cost_add(row->cycles, p->cost.cycles);
        row->npu = npu__cost_add(row->npu, p->cost.npu);
        row->sram = npu__cost_add(row->sram, p->cost.sram);
        row->store = npu__cost_add(row->store, p->cost.store);
        if (i == 0 || w->steps[i - 1].row != p->row) longest = -1;
        if (p->cost.cycles <= longest) continue;
        longest = p->cost.cycles;
        memcpy(row->block, p->cost.block, sizeof row->block);
    }
    for (int32_t i = 0; i < w->g->n_nodes; i++) { /* in a chain */
        npu__cost_row *row = &w->rows[i];
        if (row->how == NPU__COST_ON_NPU && row->cycles == 0) row->how = NPU__COST_FUSED;
    }
}

NPU__FN void npu__cost_sum_up(npu__cost_plan *out, const npu__cost_graph *w) {
    npu__cost_row *t = &out->total;
    for (int32_t i = 0; i < w->g->n_nodes; i++) {
        const npu__cost_row *r = &w->rows[i];
        t->operations = (int32_t)NPU__MIN((int64_t)t->operations + r->operations, INT32_MAX);
        t->macs = npu__cost_add(t->macs, r->macs);
        t->cycles = npu__cost_add(t->cycles, r->cycles);
        t->npu = npu__cost_add(t->npu, r->npu);
        t->sram = npu__cost_add(t->sram, r->sram);
        t->store = npu__cost_add(t->store, r->store);
        t->stored = npu__cost_add(t->stored, r->stored);
        t->live = NPU__MAX(t->live, r->live);
    }
}

NPU__FN npu_status npu__cost_subgraph(npu__cost_plan *out, const npu__cost_system *system, npu__pool *pool,
                                      const npu__placement *p, const npu__nodes *nodes, int64_t *left, int32_t s) {
    npu__cost_graph w;
    size_t          n_nodes = (size_t)NPU__MAX(nodes->model->subgraphs[s].n_nodes, 1), n_tensors;
    int32_t         between = 0;
    memset(&w, 0, sizeof w);
    w.nodes = nodes;
    w.g = &nodes->model->subgraphs[s];
    w.placed = p->placed[s];
    w.dropped = p->dropped[s];
    w.plan = out;
    w.system = system;
    w.left = left;
    n_tensors = (size_t)NPU__MAX(w.g->n_tensors, 1);
    out->rows[s] = w.rows = (npu__cost_row *)npu__pool_alloc(pool, n_nodes, sizeof *w.rows);
    w.tensors = (npu__cost_tensor *)npu__pool_alloc(pool, n_tensors, sizeof *w.tensors);
    w.traits = (uint8_t *)npu__pool_alloc(pool, n_tensors, 1);
    w.pool = pool;
    if (!w.rows || !w.tensors || !w.traits) return NPU_OUT_OF_MEMORY;
    npu__cost_graph_facts(&w);
    if (!npu__cost_put_in_order(&w)) return NPU_OUT_OF_MEMORY;
    for (int32_t i = 0; i < w.g->n_nodes; i++) between = npu__cost_node_steps(&w, w.order[i], between);
    if (!npu__cost_make_steps(&w) || npu__cost_schedule_all(&w, between) != NPU_OK) return NPU_OUT_OF_MEMORY;
    npu__cost_add_rows(&w);
    npu__cost_sum_up(out, &w);
    return NPU_OK;
}

NPU__FN npu_status npu__cost_walk(npu__cost_plan *out, npu__pool *pool, const npu__placement *p,
                                  const npu__nodes *nodes, npu_diag *diag) {
    npu__cost_system system;
    int64_t          left = p->scene.left;
    npu_status       s = NPU_OK;
    size_t           n = (size_t)NPU__MAX(nodes->model->n_subgraphs, 1);
    npu__cost_system_make(&system, out->accelerator, out->memory_mode); /* npu__ethosu_cost_of has made the same */
    out->rows = (npu__cost_row **)npu__pool_alloc(pool, n, sizeof *out->rows);
    for (int32_t i = 0; out->rows && s == NPU_OK && i < nodes->model->n_subgraphs; i++) {
        s = npu__cost_subgraph(out, &system, pool, p, nodes, &left, i);
    }
    if (out->rows && s == NPU_OK) return NPU_OK;
    return npu__diag_fail(diag, NPU_OUT_OF_MEMORY, "cost.memory", "no memory for the estimate");
}

#endif
