/* Segments for reports: as lowering gets them, of a graph that nobody runs. Nodes are those that the profile looks at: where it takes
 * the file at its word, nothing is inferred or folded, which is what a converter sees. */
#include "view.h"

#if NPU__HAS_LOWERING && NPU__HAS_REPORTS

NPU__FN int npu__segments_copy(npu__subplan *out, const npu__subplan *from, npu__pool *pool, int declared) {
    const npu__subgraph *g = from->g;
    npu__val           **refs;
    size_t               n = 0;
    int64_t              elems;
    for (int32_t i = 0; i < g->n_nodes; i++) n += (size_t)g->nodes[i].n_in + (size_t)g->nodes[i].n_out + (size_t)g->nodes[i].n_mid;
    out->g = g;
    out->vals = (npu__val *)npu__pool_alloc(pool, (size_t)g->n_tensors, sizeof *out->vals);
    out->steps = (npu__step *)npu__pool_alloc(pool, (size_t)g->n_nodes, sizeof *out->steps);
    refs = (npu__val **)npu__pool_alloc(pool, n, sizeof *refs);
    if (!out->vals || !out->steps || !refs) return 0;
    for (int32_t t = 0; t < g->n_tensors; t++) {
        out->vals[t] = from->vals[t];
        if (!declared) continue;
        npu__view_declare_one(&out->vals[t], &g->tensors[t]);
        /* An empty constant. What is empty when computed may be declared otherwise: then it has no values. */
        if (npu__shape_elems(&g->tensors[t].shape, &elems) && elems == 0) out->vals[t].data = from->vals[t].data;
    }
    for (int32_t i = 0; i < g->n_nodes; i++) {
        const npu__node *node = &g->nodes[i];
        npu__ctx        *c = &out->steps[i].ctx;
        *c = from->steps[i].ctx;
        c->in = refs;
        c->out = c->in + node->n_in;
        c->mid = c->out + node->n_out;
        refs = c->mid + node->n_mid;
        for (int32_t k = 0; k < node->n_in; k++) c->in[k] = node->in[k] < 0 ? NULL : &out->vals[node->in[k]];
        for (int32_t k = 0; k < node->n_out; k++) c->out[k] = &out->vals[node->out[k]];
        for (int32_t k = 0; k < node->n_mid; k++) c->mid[k] = node->mid[k] < 0 ? NULL : &out->vals[node->mid[k]];
    }
    return 1;
}

NPU__FN npu_status npu__segments_of(npu__subplan *out, npu__env *env, const npu__placement *p, int32_t subgraph) {
    const npu__subplan *from = &env->plan->subs[subgraph];
    memset(out, 0, sizeof *out);
    out->g = from->g;
    for (int32_t i = 0; i < p->n_segments; i++) out->n_segs += p->segments[i].subgraph == subgraph;
    if (out->n_segs == 0) return NPU_OK;
    if (!npu__segments_copy(out, from, &env->plan->pool, p->backend.profile->declared)) {
        return npu__plan_no_memory(env->plan, NULL, env->diag);
    }
    for (int32_t i = 0, number = 0; i < p->n_segments; i++) {
        const npu__segment *s = &p->segments[i];
        if (s->subgraph != subgraph) continue;
        number++;
        for (int32_t k = s->first; k < s->first + s->count; k++) if (p->placed[subgraph][k]) out->steps[k].seg = number;
    }
    NPU__TRY(npu__segments_alloc(env, out, &p->backend));
    return npu__segments_borders(env, out);
}

#endif
