/* The arena of one subgraph: who lives when, who may share bytes, and where everything lies. */
#include "arena.h"

typedef struct npu__life {
    int32_t first, last; /* of the root's whole group */
    int32_t is_output;
} npu__life;

/* At `time` somebody reads, or (`written`) writes, tensor t. */
NPU__FN void npu__arena_use(npu__life *life, int32_t t, int32_t time, int written) {
    if (written && life[t].first > time) life[t].first = time;
    if (life[t].last < time) life[t].last = time;
}

#if NPU__HAS_LOWERING
/* A segment reads and writes at its borders, whoever of its operators does so. */
NPU__FN void npu__arena_borders(const npu__subplan *sub, npu__life *life) {
    for (int32_t k = 0; k < sub->n_segs; k++) {
        const npu__ctx *c = &sub->segs[k].ctx;
        for (int32_t i = 0; sub->segs[k].n_nodes && i < c->n_in; i++) {
            npu__arena_use(life, (int32_t)(c->in[i] - sub->vals), c->node->index, 0);
        }
        for (int32_t i = 0; sub->segs[k].n_nodes && i < c->n_out; i++) {
            npu__arena_use(life, (int32_t)(c->out[i] - sub->vals), c->node->index, 1);
        }
    }
}
#endif

NPU__FN void npu__arena_lifetimes(const npu_plan *plan, npu__subplan *sub, npu__life *life) {
    const npu__subgraph *g = sub->g;
    int32_t              keep_inputs = g != plan->model->subgraphs; /* WHILE copies outputs back to inputs */
    for (int32_t t = 0; t < g->n_tensors; t++) { life[t].first = INT32_MAX; life[t].last = -2; }
    for (int32_t i = 0; i < g->n_in; i++) {
        life[g->in[i]].first = -1;
        life[g->in[i]].last = keep_inputs ? g->n_nodes : -1;
    }
    for (int32_t n = 0; n < g->n_nodes; n++) {
        const npu__node *node = &g->nodes[n];
        const int32_t    time = npu__step_time(sub, n);
        const npu__ctx  *c = &sub->steps[n].ctx; /* a fused node reads another tensor than in the file */
        if (sub->steps[n].kind == NPU__STEP_FOLDED || sub->steps[n].kind == NPU__STEP_FUSED || !npu__step_ready(sub, n)) continue;
        for (int32_t i = 0; i < node->n_in; i++) if (c->in[i]) npu__arena_use(life, (int32_t)(c->in[i] - sub->vals), time, 0);
        for (int32_t i = 0; i < node->n_out; i++) npu__arena_use(life, node->out[i], time, 1);
    }
#if NPU__HAS_LOWERING
    npu__arena_borders(sub, life);
#endif
    for (int32_t i = 0; i < g->n_out; i++) {
        life[g->out[i]].last = g->n_nodes;
        life[g->out[i]].is_output = 1;
    }
    for (int32_t t = 0; plan->keep_values && t < g->n_tensors; t++) {
        if (life[t].last < -1) continue; /* nobody has it */
        life[t].last = g->n_nodes;
        life[t].is_output = 1;
    }
}

NPU__FN int32_t npu__arena_root(const npu__subplan *sub, int32_t t) {
    while (sub->places[t].root != t) t = sub->places[t].root;
    return t;
}

/* Lets output 0 of node n use input i's bytes. */
NPU__FN void npu__arena_join(npu__subplan *sub, npu__life *life, int32_t in, int32_t out) {
    int32_t root = npu__arena_root(sub, in);
    sub->places[out].root = root;
    life[root].last = NPU__MAX(life[root].last, life[out].last);
    life[root].is_output |= life[out].is_output;
}

NPU__FN int npu__arena_may_overwrite(const npu__subplan *sub, const npu__life *life, const npu__node *node, int32_t k) {
    int32_t         in = node->in[k], root = npu__arena_root(sub, in);
    const npu__val *vi = &sub->vals[in], *vo = &sub->vals[node->out[0]];
    if (life[root].last != node->index || life[root].is_output) return 0;
    if (npu_type_bits((npu_type)vi->type) != npu_type_bits((npu_type)vo->type)) return 0;
    for (int32_t j = 0; j < node->n_in; j++) { /* a second view of the same bytes may be read in another order */
        if (node->in[j] >= 0 && node->in[j] != in && sub->places[node->in[j]].at == NPU__AT_ARENA &&
            npu__arena_root(sub, node->in[j]) == root) return 0;
    }
    return 1;
}

NPU__FN void npu__arena_share(npu__subplan *sub, npu__life *life) {
    const npu__subgraph *g = sub->g;
    for (int32_t n = 0; n < g->n_nodes; n++) {
        const npu__node *node = &g->nodes[n];
        uint32_t         flags;
        if (sub->steps[n].kind != NPU__STEP_RUN || !node->def || node->n_out < 1) continue;
        flags = node->def->flags & (NPU__OP_INPLACE0 | NPU__OP_INPLACE1 | NPU__OP_ALIAS);
        if (sub->steps[n].alias) flags |= NPU__OP_ALIAS;
        if (sub->places[node->out[0]].at != NPU__AT_ARENA || sub->places[node->out[0]].pinned) continue;
        for (int32_t k = 0; flags && k < 2 && k < node->n_in; k++) {
            /* A fused node's input is another one's. */
            int32_t in = sub->steps[n].alias ? (int32_t)(sub->steps[n].ctx.in[0] - sub->vals) : node->in[k];
            if (in < 0 || sub->places[in].at != NPU__AT_ARENA || in == node->out[0] || sub->places[in].pinned) continue;
            if (sub->vals[in].bytes != sub->vals[node->out[0]].bytes) continue;
            if ((k == 0 && (flags & NPU__OP_ALIAS)) ||
                ((flags & (k == 0 ? NPU__OP_INPLACE0 : NPU__OP_INPLACE1)) &&
                 npu__arena_may_overwrite(sub, life, node, k))) {
                npu__arena_join(sub, life, in, node->out[0]);
                break;
            }
        }
    }
}

NPU__FN void npu__arena_classify(npu__subplan *sub, const npu__life *life) {
    for (int32_t t = 0; t < sub->g->n_tensors; t++) {
        npu__place *p = &sub->places[t];
        if (p->fused) p->at = NPU__AT_NOWHERE;
        else if (sub->vals[t].data) p->at = NPU__AT_CONST;
        else if (sub->vals[t].t->sparsity) p->at = NPU__AT_NOWHERE; /* read where it lies in the file */
        else if (!sub->vals[t].known || sub->vals[t].type == NPU_STRING) p->at = NPU__AT_HEAP;
        else if (life[t].last < -1 || sub->vals[t].bytes == 0) p->at = NPU__AT_NOWHERE;
        else if (sub->vals[t].t->is_variable && life[t].first == INT32_MAX) p->at = NPU__AT_STATE;
        else p->at = NPU__AT_ARENA;
    }
}

/* Scratch memory with feature maps inside lives as long as any of them. */
NPU__FN void npu__arena_pinned(const npu__subplan *sub, npu__life *life) {
    for (int32_t t = 0; t < sub->g->n_tensors; t++) {
        const int32_t root = sub->places[t].root;
        if (!sub->places[t].pinned) continue;
        life[root].first = -1;
        life[root].last = NPU__MAX(life[root].last, life[t].last);
    }
}

NPU__FN int32_t npu__arena_collect(npu__subplan *sub, const npu__life *life, npu__block *blocks) {
    int32_t n = 0;
    for (int32_t t = 0; t < sub->g->n_tensors; t++) {
        if (sub->places[t].at != NPU__AT_ARENA || sub->places[t].root != t) continue;
        if (blocks) {
            memset(&blocks[n], 0, sizeof blocks[n]);
            blocks[n].bytes = blocks[n].most = npu__align_up(sub->vals[t].bytes, 64);
            blocks[n].first = life[t].first == INT32_MAX ? -1 : life[t].first;
            blocks[n].last = life[t].last;
            blocks[n].tensor = t;
        }
        n++;
    }
    for (int32_t i = 0; i < sub->g->n_nodes; i++) {
        for (int32_t k = 0; k < sub->steps[i].n_slots; k++) {
            if (sub->steps[i].slots[k].kind != NPU__SLOT_SCRATCH) continue;
            if (blocks) {
                blocks[n].bytes = sub->steps[i].slots[k].bytes;
                blocks[n].most = sub->steps[i].slots[k].most;
                blocks[n].first = blocks[n].last = npu__step_time(sub, i);
                blocks[n].tensor = -1 - i;
                blocks[n].slot = k;
            }
            n++;
        }
    }
    return n;
}

NPU__FN npu_status npu__arena_assign(npu_plan *plan, npu__subplan *sub, npu__pool *temp, npu__block *blocks, int32_t n) {
    const npu_status s = n > NPU__ARENA_MAX_BLOCKS ? npu__arena_assign_large(temp, blocks, n, plan->max_memory, &sub->arena_bytes)
                                                   : npu__arena_assign_small(temp, blocks, n, plan->max_memory, &sub->arena_bytes);
    for (int32_t i = 0; s == NPU_OK && i < n; i++) {
        npu__slot_req *r;
        if (blocks[i].tensor >= 0) {
            sub->places[blocks[i].tensor].offset = blocks[i].offset;
            continue;
        }
        r = &sub->steps[-1 - blocks[i].tensor].slots[blocks[i].slot];
        r->offset = blocks[i].offset;
        r->bytes = blocks[i].bytes;
    }
    return s;
}

NPU__FN npu_status npu__arena_lay_out(npu_plan *plan, npu__subplan *sub, npu__pool *temp, npu_diag *diag) {
    npu__life  *life = (npu__life *)npu__pool_alloc(temp, (size_t)sub->g->n_tensors, sizeof *life);
    npu__block *blocks;
    int32_t     n;
    if (!life) return NPU_OUT_OF_MEMORY;
    npu__arena_lifetimes(plan, sub, life);
    npu__arena_classify(sub, life);
#if NPU__HAS_VENDORS
    {
        npu_status s = npu__plan_offline(plan, sub, temp, diag);
        if (s != NPU_OK) return s;
        npu__arena_pinned(sub, life);
    }
#else
    (void)diag;
#endif
    npu__arena_share(sub, life);
    n = npu__arena_collect(sub, life, NULL);
    blocks = (npu__block *)npu__pool_alloc(temp, (size_t)n, sizeof *blocks);
    if (!blocks) return NPU_OUT_OF_MEMORY;
    npu__arena_collect(sub, life, blocks);
    return npu__arena_assign(plan, sub, temp, blocks, n);
}

NPU__FN void npu__arena_offsets(npu__subplan *sub) {
    for (int32_t t = 0; t < sub->g->n_tensors; t++) { /* now from the arena's first byte; inside the state, plan.c adds the root's */
        npu__place *p = &sub->places[t];
        if (p->at == NPU__AT_ARENA && p->root != t) p->offset += sub->places[npu__arena_root(sub, t)].offset;
    }
}

NPU__FN npu_status npu__plan_arena(npu_plan *plan, npu__subplan *sub, npu_diag *diag) {
    npu__pool  temp;
    npu_status s;
    npu__pool_init_within(&temp, &plan->pool);
    s = npu__arena_lay_out(plan, sub, &temp, diag);
    if (s == NPU_OUT_OF_MEMORY) s = npu__plan_no_memory(plan, &temp, diag);
    npu__pool_free(&temp);
    if (s == NPU_LIMIT) { /* unless a message is there already */
        return npu__diag_fail(diag, s, "plan.memory", "the activations need more than the limit of %l bytes",
                              (int64_t)plan->max_memory);
    }
    if (s == NPU_OK) npu__arena_offsets(sub);
    return s;
}
