/* The segments of a plan: verdicts on its nodes become steps that a vendor runs. After all nodes are inferred and prepared, as then
 * shapes are real and constants folded; before memory is laid out, as lowering asks for some.
 *
 * A segment is made of neighbours: between two of its operators stand only such that a run passes over (folded, or without
 * anything to compute). So whatever runs before its first operator is done when it starts, nothing that it computes is read
 * before it ends, and variables are read and written in the order of the model. */
#include "../graph/user_op.h"
#include "view.h"

NPU__FN npu_status npu__plan_analysis_only(npu_diag *diag, const char *name) {
    return npu__diag_fail(diag, NPU_UNSUPPORTED, "plan.analysis_only", "this build does not compile for %s: run what its vendor's "
                          "compiler makes of the model, or plan without a backend, for the CPU", name);
}

#if !NPU__HAS_LOWERING

/* Nobody can lower; names are those that reports know. */
NPU__FN npu_status npu__plan_segments(npu__env *env, const npu_plan_desc *desc) {
    if (!desc || !desc->backend) return NPU_OK;
#if NPU__HAS_REPORTS
    {
        npu__backend b;
        NPU__TRY(npu__backend_find(&b, desc->backend, desc->profile, env->diag));
        if (b.vendor == npu__vendor_none()) return NPU_OK;
    }
#else
    if (npu__str_is(npu__str_of(desc->backend), "none")) return NPU_OK;
#endif
    return npu__plan_analysis_only(env->diag, desc->backend);
}

#else

NPU__FN int32_t npu__step_time(const npu__subplan *sub, int32_t n) {
    const int32_t seg = sub->steps[n].seg;
    return seg ? sub->segs[seg - 1].ctx.node->index : n;
}

NPU__FN int npu__step_ready(const npu__subplan *sub, int32_t n) {
    const npu__seg *seg = sub->steps[n].seg ? &sub->segs[sub->steps[n].seg - 1] : NULL;
    return !seg || seg->kept[n - seg->ctx.node->index];
}

/* May a segment have this node? What another compiler made runs on its own device, an operator of the caller's own by its callbacks
 * (vendors may know the name, but not what is in its data); unknown shapes have no verdict. */
NPU__FN int npu__segments_may(const npu__step *step) {
    return step->kind == NPU__STEP_RUN && !npu__node_compiled(step->ctx.node) && !npu__node_is_user(step->ctx.node);
}

/* Numbers the segments of a subgraph. */
NPU__FN void npu__segments_number(npu__subplan *sub, const uint8_t *placed) {
    int open = 0;
    for (int32_t n = 0; n < sub->g->n_nodes; n++) {
        npu__step *step = &sub->steps[n];
        if (step->kind == NPU__STEP_FOLDED || step->kind == NPU__STEP_IDLE) continue;
        if (placed[n] && npu__segments_may(step)) {
            sub->n_segs += !open;
            step->seg = sub->n_segs;
        }
        open = step->seg != 0;
    }
}

NPU__FN npu_status npu__segments_place(npu__env *env, const npu__backend *b) {
    npu_plan      *p = env->plan;
    npu__pool      temp;
    npu__plan_view view;
    npu__nodes     nodes;
    npu__placement placed;
    npu_status     s;
    npu__view_planned(&nodes, &view, p);
    npu__pool_init_within(&temp, &p->pool);
    s = npu__placement_make(&placed, &temp, b, &nodes, NULL);
    for (int32_t i = 0; s == NPU_OK && i < p->model->n_subgraphs; i++) npu__segments_number(&p->subs[i], placed.placed[i]);
    if (s != NPU_OK) s = npu__plan_no_memory(p, &temp, env->diag);
    npu__pool_free(&temp);
    return s;
}

/* Memory of the segments of a subgraph: operators are counted, values have room for all that its operators name. */
NPU__FN npu_status npu__segments_alloc(npu__env *env, npu__subplan *sub, const npu__backend *b) {
    npu__pool *pool = &env->plan->pool;
    int32_t    n = 0;
    sub->segs = (npu__seg *)npu__pool_new(pool, (size_t)sub->n_segs, NPU__SIZE(npu__seg));
    if (!sub->segs) return npu__plan_no_memory(env->plan, NULL, env->diag);
    for (int32_t k = 0; k < sub->n_segs; k++) {
        npu__seg *seg = &sub->segs[k];
        size_t    refs = 0;
        int32_t   first, last;
        while (sub->steps[n].seg != k + 1) n++;
        for (first = last = n; n < sub->g->n_nodes && (sub->steps[n].seg == 0 || sub->steps[n].seg == k + 1); n++) {
            if (sub->steps[n].seg == 0) continue;
            last = n;
            seg->n_nodes++;
            refs += (size_t)sub->g->nodes[n].n_in + (size_t)sub->g->nodes[n].n_out;
        }
        seg->vendor = b->vendor;
        seg->profile = b->profile;
        seg->target = b->target;
        seg->ctx.node = &sub->g->nodes[first];
        seg->ctx.env = env;
        seg->nodes = (npu__ctx **)npu__pool_new(pool, (size_t)seg->n_nodes, NPU__SIZE(npu__word));
        seg->ctx.in = (npu__val **)npu__pool_new(pool, refs, NPU__SIZE(npu__word));
        seg->kept = (uint8_t *)npu__pool_alloc(pool, (size_t)(last - first) + 1, 1);
        if (!seg->nodes || !seg->ctx.in || !seg->kept) return npu__plan_no_memory(env->plan, NULL, env->diag);
        seg->n_nodes = 0;
    }
    return NPU_OK;
}

/* Which segment writes each tensor (0: none), and is it read by others? `all`: whatever there is, is read. */
NPU__FN void npu__segments_readers(const npu__subplan *sub, int all, int32_t *writer, uint8_t *outside) {
    for (int32_t n = 0; n < sub->g->n_nodes; n++) {
        const npu__node *node = &sub->g->nodes[n];
        for (int32_t k = 0; k < node->n_out; k++) writer[node->out[k]] = sub->steps[n].seg;
    }
    for (int32_t n = 0; n < sub->g->n_nodes; n++) {
        const npu__node *node = &sub->g->nodes[n];
        for (int32_t k = 0; k < node->n_in; k++) {
            if (node->in[k] >= 0 && writer[node->in[k]] != sub->steps[n].seg) outside[node->in[k]] = 1;
        }
    }
    for (int32_t k = 0; k < sub->g->n_out; k++) outside[sub->g->out[k]] = 1;
    for (int32_t t = 0; all && t < sub->g->n_tensors; t++) outside[t] = 1;
}

/* Lists operators and borders of all segments of a subgraph, in one pass for each. `seen`: the segment that listed it last. */
NPU__FN void npu__segments_list(npu__subplan *sub, const int32_t *writer, const uint8_t *outside, int32_t *seen) {
    for (int32_t n = 0; n < sub->g->n_nodes; n++) {
        const npu__node *node = &sub->g->nodes[n];
        const int32_t    number = sub->steps[n].seg;
        npu__seg        *seg = &sub->segs[number ? number - 1 : 0];
        for (int32_t k = 0; number && k < node->n_in; k++) {
            const int32_t t = node->in[k];
            if (t < 0 || sub->vals[t].data || sub->vals[t].t->sparsity || writer[t] == number || seen[t] == number) continue;
            seen[t] = number;
            seg->ctx.in[seg->ctx.n_in++] = &sub->vals[t];
        }
        if (number) seg->nodes[seg->n_nodes++] = &sub->steps[n].ctx;
    }
    for (int32_t k = 0; k < sub->n_segs; k++) sub->segs[k].ctx.out = sub->segs[k].ctx.in + sub->segs[k].ctx.n_in;
    for (int32_t n = 0; n < sub->g->n_nodes; n++) {
        const npu__node *node = &sub->g->nodes[n];
        for (int32_t k = 0; sub->steps[n].seg && k < node->n_out; k++) {
            npu__ctx *c = &sub->segs[sub->steps[n].seg - 1].ctx;
            if (outside[node->out[k]]) c->out[c->n_out++] = &sub->vals[node->out[k]];
        }
    }
    for (int32_t k = 0; k < sub->n_segs; k++) sub->segs[k].ctx.mid = sub->segs[k].ctx.out + sub->segs[k].ctx.n_out;
}

typedef struct npu__seg_in {
    npu__val *val;
    int64_t   place;
} npu__seg_in;

NPU__FN int npu__seg_in_before(const void *a, const void *b) {
    return ((const npu__seg_in *)a)->place < ((const npu__seg_in *)b)->place;
}

/* The subgraph's own inputs first, in its order, then the others as they are. `place`: memory for a number by tensor. */
NPU__FN int npu__segments_sort(npu__subplan *sub, npu__pool *temp, int32_t *place) {
    const npu__subgraph *g = sub->g;
    npu__seg_in         *list;
    size_t               most = 0;
    for (int32_t k = 0; k < sub->n_segs; k++) most = NPU__MAX(most, (size_t)sub->segs[k].ctx.n_in);
    list = (npu__seg_in *)npu__pool_alloc(temp, most, sizeof *list);
    if (!list) return 0;
    memset(place, 0, (size_t)g->n_tensors * sizeof *place); /* bounded: as allocated */
    for (int32_t k = g->n_in; k > 0; k--) place[g->in[k - 1]] = k;
    for (int32_t k = 0; k < sub->n_segs; k++) {
        npu__ctx *c = &sub->segs[k].ctx;
        for (int32_t i = 0; i < c->n_in; i++) {
            const int32_t p = place[c->in[i] - sub->vals];
            list[i].val = c->in[i];
            list[i].place = p ? p : (int64_t)g->n_in + 1 + i;
        }
        npu__sort(list, (size_t)c->n_in, sizeof *list, npu__seg_in_before);
        for (int32_t i = 0; i < c->n_in; i++) c->in[i] = list[i].val;
    }
    return 1;
}

NPU__FN npu_status npu__segments_borders(npu__env *env, npu__subplan *sub) {
    const size_t n = (size_t)sub->g->n_tensors;
    npu_status   s = NPU_OK;
    npu__pool    temp;
    int32_t     *writer, *seen;
    uint8_t     *outside;
    npu__pool_init_within(&temp, &env->plan->pool);
    writer = (int32_t *)npu__pool_alloc(&temp, n, sizeof *writer);
    seen = (int32_t *)npu__pool_alloc(&temp, n, sizeof *seen);
    outside = (uint8_t *)npu__pool_alloc(&temp, n, 1);
    if (writer && seen && outside) {
        npu__segments_readers(sub, env->plan->keep_values, writer, outside);
        npu__segments_list(sub, writer, outside, seen);
    }
    if (!writer || !seen || !outside || !npu__segments_sort(sub, &temp, seen)) s = npu__plan_no_memory(env->plan, &temp, env->diag);
    npu__pool_free(&temp);
    return s;
}

/* The nodes of a lowered segment: the first one's step is the segment's, with its slots behind those of the node's own kernel. What
 * kernels of nodes that are not kept asked for is not needed. */
NPU__FN npu_status npu__segments_adopt(npu__env *env, npu__subplan *sub, npu__seg *seg) {
    npu__step     *first = &sub->steps[seg->ctx.node->index];
    npu__slot_req *slots = (npu__slot_req *)npu__pool_new(&env->plan->pool, (size_t)env->n_slots, NPU__SIZE(npu__slot_req));
    int64_t        work = 0;
    if (!slots) return npu__plan_no_memory(env->plan, NULL, env->diag);
    for (int32_t i = 0; i < seg->n_nodes; i++) {
        const int32_t n = seg->nodes[i]->node->index;
        npu__step    *step = &sub->steps[n];
        for (int32_t k = 0; k < step->n_slots; k++) if (!npu__step_ready(sub, n)) step->slots[k].kind = NPU__SLOT_NONE;
        work = npu__sat_add(work, step->work);
        step->kind = NPU__STEP_INSIDE;
    }
    memcpy(slots, env->slots, (size_t)env->n_slots * sizeof *slots); /* bounded: NPU__MAX_SLOTS */
    if (first->n_slots) memcpy(slots, first->slots, (size_t)first->n_slots * sizeof *slots); /* bounded: likewise */
    first->kind = NPU__STEP_SEGMENT;
    first->slots = slots;
    first->n_slots = env->n_slots;
    seg->work = work;
    return NPU_OK;
}

/* The segment's operators are the CPU's again. */
NPU__FN void npu__segments_give_back(npu__subplan *sub, npu__seg *seg) {
    for (int32_t i = 0; i < seg->n_nodes; i++) sub->steps[seg->nodes[i]->node->index].seg = 0;
    seg->n_nodes = 0;
}

NPU__FN npu_status npu__segments_lower(npu__env *env, npu__subplan *sub, npu__seg *seg, int fallback) {
    const npu__step *first = &sub->steps[seg->ctx.node->index];
    npu_status       s;
    env->n_slots = first->n_slots; /* slots are numbered by step: those of its own kernel stay as they are */
    memcpy(env->slots, first->slots, (size_t)first->n_slots * sizeof *env->slots); /* bounded: NPU__MAX_SLOTS */
    env->may_pack = 1;
    seg->fallback = fallback != 0;
    for (int32_t i = 0; fallback && i < seg->n_nodes; i++) npu__seg_keep(seg, i);
    s = seg->vendor->lower(seg);
    if (env->stopped) s = NPU_LIMIT; /* whatever the vendor made of it */
    if (s == NPU_OK) return npu__segments_adopt(env, sub, seg);
    if (s == NPU_UNSUPPORTED && fallback) {
        npu__excuse(&seg->ctx);
        npu__segments_give_back(sub, seg);
        return NPU_OK;
    }
    return NPU__FAIL(&seg->ctx, s, "segment.lower", "%s cannot compile the %d operators from here on", seg->vendor->name,
                     seg->n_nodes);
}

NPU__FN npu_status npu__plan_segments(npu__env *env, const npu_plan_desc *desc) {
    npu_plan    *p = env->plan;
    npu__backend b;
    if (!desc || !desc->backend) return NPU_OK;
    NPU__TRY(npu__backend_find(&b, desc->backend, desc->profile, env->diag));
    if (b.vendor == npu__vendor_none()) return NPU_OK;
    if (!b.vendor->lower) return npu__plan_analysis_only(env->diag, desc->backend);
    NPU__TRY(npu__segments_place(env, &b));
    for (int32_t i = 0; i < p->model->n_subgraphs; i++) {
        npu__subplan *sub = &p->subs[i];
        if (!sub->n_segs) continue;
        NPU__TRY(npu__segments_alloc(env, sub, &b));
        NPU__TRY(npu__segments_borders(env, sub));
        for (int32_t k = 0; k < sub->n_segs; k++) NPU__TRY(npu__segments_lower(env, sub, &sub->segs[k], desc->fallback));
    }
    return NPU_OK;
}

NPU__FN npu_status npu__seg_alloc(npu__seg *seg, size_t count, npu__size elem, void **out) {
    npu_plan *p = seg->ctx.env->plan;
    *out = npu__pool_new(&p->pool, count, elem);
    if (*out) return NPU_OK;
    if (p->pool.over_limit) {
        return NPU__FAIL(&seg->ctx, NPU_LIMIT, "plan.memory_limit", "%s's program needs more memory than the limit of %l bytes "
                         "(npu_plan_desc.max_memory_bytes)", seg->vendor->name, (int64_t)p->max_memory);
    }
    return NPU__FAIL(&seg->ctx, NPU_OUT_OF_MEMORY, "plan.memory", "no memory for %s's program", seg->vendor->name);
}

NPU__FN void npu__seg_keep(npu__seg *seg, int32_t i) { seg->kept[seg->nodes[i]->node->index - seg->ctx.node->index] = 1; }

#endif
