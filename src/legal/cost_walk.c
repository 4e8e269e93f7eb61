/* The estimates of a placed graph, in execution order. */
#include "../ops/util.h"
#include "cost_graph.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

NPU__FN void npu__cost_take(void *user, const npu__cost_op *given) {
    npu__cost_graph *w = (npu__cost_graph *)user;
    npu__cost_op     op = *given;
    npu__cost        cost;
    op.slack = w->before;
    op.sram_free = NPU__MAX(w->plan->system.cache_bytes - w->fast[w->at], 0);
    npu__cost_estimate(&cost, &w->plan->system, &op);
    w->before = cost.npu / op.repeat;
    w->row->operations++;
    w->row->cycles = npu__cost_add(w->row->cycles, cost.cycles);
    w->row->npu = npu__cost_add(w->row->npu, cost.npu);
    w->row->sram = npu__cost_add(w->row->sram, cost.sram);
    w->row->store = npu__cost_add(w->row->store, cost.store);
    w->row->live = NPU__MAX(w->row->live, npu__cost_add(w->fast[w->at], cost.weight_buffer));
    if (cost.cycles < w->longest) return;
    w->longest = cost.cycles;
    memcpy(w->row->block, cost.block, sizeof w->row->block);
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

NPU__FN void npu__cost_node_row(npu__cost_graph *w, int32_t i) {
    npu__cost_node node;
    w->row = &w->rows[i];
    w->at = i;
    w->longest = -1;
    if (w->row->how == NPU__COST_ON_CPU) w->before = 0;
    if (w->row->how != NPU__COST_ON_NPU) return;
    memset(&node, 0, sizeof node);
    node.ctx = npu__cost_ctx(w, i);
    node.system = &w->plan->system;
    node.tensors = w->traits;
    node.activation = w->row->activation;
    node.left = w->left;
    node.user = w;
    node.emit = npu__cost_take;
    npu__cost_lower(&node);
    w->row->stored = npu__cost_add(node.stored, npu__cost_constants(node.ctx));
    if (w->row->operations > 0) w->row->live = NPU__MAX(w->row->live, npu__cost_add(w->fast[i], node.scratch));
    if (w->row->operations == 0) w->row->how = NPU__COST_NOTHING;
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
        t->live = NPU__MAX(t->live, NPU__MAX(r->live, w->fast[i]));
        out->arena_store = NPU__MAX(out->arena_store, w->slow[i]);
    }
}

NPU__FN npu_status npu__cost_subgraph(npu__cost_plan *out, npu__pool *pool, const npu__placement *p,
                                      const npu__nodes *nodes, int64_t *left, int32_t s) {
    npu__cost_graph w;
    size_t          n_nodes = (size_t)NPU__MAX(nodes->model->subgraphs[s].n_nodes, 1), n_tensors;
    memset(&w, 0, sizeof w);
    w.nodes = nodes;
    w.g = &nodes->model->subgraphs[s];
    w.placed = p->placed[s];
    w.dropped = p->dropped[s];
    w.plan = out;
    w.left = left;
    n_tensors = (size_t)NPU__MAX(w.g->n_tensors, 1);
    out->rows[s] = w.rows = (npu__cost_row *)npu__pool_alloc(pool, n_nodes, sizeof *w.rows);
    w.tensors = (npu__cost_tensor *)npu__pool_alloc(pool, n_tensors, sizeof *w.tensors);
    w.traits = (uint8_t *)npu__pool_alloc(pool, n_tensors, 1);
    w.fast = (int64_t *)npu__pool_alloc(pool, n_nodes, sizeof *w.fast);
    w.slow = (int64_t *)npu__pool_alloc(pool, n_nodes, sizeof *w.slow);
    if (!w.rows || !w.tensors || !w.traits || !w.fast || !w.slow) return NPU_OUT_OF_MEMORY;
    npu__cost_graph_facts(&w);
    for (int32_t i = 0; i < w.g->n_nodes; i++) npu__cost_node_row(&w, i);
    npu__cost_sum_up(out, &w);
    return NPU_OK;
}

NPU__FN npu_status npu__cost_walk(npu__cost_plan *out, npu__pool *pool, const npu__placement *p,
                                  const npu__nodes *nodes, npu_diag *diag) {
    int64_t    left = p->scene.left;
    npu_status s = NPU_OK;
    size_t     n = (size_t)NPU__MAX(nodes->model->n_subgraphs, 1);
    out->rows = (npu__cost_row **)npu__pool_alloc(pool, n, sizeof *out->rows);
    for (int32_t i = 0; out->rows && s == NPU_OK && i < nodes->model->n_subgraphs; i++) {
        s = npu__cost_subgraph(out, pool, p, nodes, &left, i);
    }
    if (out->rows && s == NPU_OK) return NPU_OK;
    return npu__diag_fail(diag, NPU_OUT_OF_MEMORY, "cost.memory", "no memory for the estimate");
}

#endif
