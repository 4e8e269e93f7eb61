/* The nodes of a plan, as rules and estimates see them. */
#include "view.h"

#if NPU__HAS_PLACEMENT

NPU__FN const npu__ctx *npu__view_node(const void *user, int32_t subgraph, int32_t node) {
    return &((const npu__plan_view *)user)->plan->subs[subgraph].steps[node].ctx;
}

/* As npu_model_info counts them: what is folded or cannot run costs nothing. */
NPU__FN int64_t npu__view_macs(const void *user, int32_t subgraph, int32_t node) {
    const npu__step *step = &((const npu__plan_view *)user)->plan->subs[subgraph].steps[node];
    if (step->status != NPU_OK || step->kind != NPU__STEP_RUN || !step->ctx.node->def) return 0;
    return npu__node_work(&step->ctx).macs;
}

NPU__FN int npu__view_once(const void *user, int32_t subgraph, int32_t node) {
    return ((const npu__plan_view *)user)->plan->subs[subgraph].steps[node].kind == NPU__STEP_FOLDED;
}

NPU__FN void npu__view_planned(npu__nodes *nodes, npu__plan_view *view, const npu_plan *plan) {
    memset(view, 0, sizeof *view);
    view->plan = plan;
    nodes->model = plan->model;
    nodes->user = view;
    nodes->at = npu__view_node;
    nodes->macs = npu__view_macs;
    nodes->once = npu__view_once;
}

#if NPU__HAS_REPORTS

NPU__FN void npu__view_declare_one(npu__val *v, const npu__tensor *t) {
    v->t = t;
    v->type = t->type;
    v->shape = t->shape;
    v->bytes = t->data_bytes;
    v->data = (void *)(uintptr_t)t->data;
    v->known = 1;
}

NPU__FN void npu__view_declare(const npu__subgraph *g, const npu__shape *shapes, const int32_t *tensors, int32_t n,
                                npu__val *vals, npu__val **refs) {
    for (int32_t i = 0; i < n; i++) {
        const npu__tensor *t = tensors[i] < 0 ? NULL : &g->tensors[tensors[i]];
        refs[i] = t ? &vals[i] : NULL;
        if (!t) continue;
        npu__view_declare_one(&vals[i], t);
        if (shapes) vals[i].shape = shapes[tensors[i]];
    }
}

NPU__FN const npu__ctx *npu__view_declared(const void *user, int32_t subgraph, int32_t node) {
    npu__plan_view      *nodes = (npu__plan_view *)(uintptr_t)user;
    const npu__ctx      *planned = npu__view_node(user, subgraph, node);
    const npu__subgraph *g = &nodes->plan->model->subgraphs[subgraph];
    const npu__shape    *shapes = nodes->shapes ? nodes->shapes[subgraph] : NULL;
    npu__ctx            *c = &nodes->declared;
    *c = *planned;
    c->in = nodes->refs;
    c->out = c->in + c->n_in;
    c->mid = c->out + c->n_out;
    npu__view_declare(g, shapes, c->node->in, c->n_in, nodes->vals, c->in);
    npu__view_declare(g, shapes, c->node->out, c->n_out, nodes->vals + c->n_in, c->out);
    npu__view_declare(g, shapes, c->node->mid, c->n_mid, nodes->vals + c->n_in + c->n_out, c->mid);
    return c;
}

/* The shapes of all tensors, completed node by node. */
NPU__FN int npu__view_complete(npu__plan_view *nodes, const npu__profile *profile, npu__pool *pool) {
    const npu_model *m = nodes->plan->model;
    nodes->shapes = (npu__shape **)npu__pool_alloc(pool, (size_t)m->n_subgraphs, sizeof *nodes->shapes);
    for (int32_t s = 0; nodes->shapes && s < m->n_subgraphs; s++) {
        const npu__subgraph *g = &m->subgraphs[s];
        npu__shape          *shapes = (npu__shape *)npu__pool_alloc(pool, (size_t)g->n_tensors, sizeof *shapes);
        if (!shapes) return 0;
        for (int32_t t = 0; t < g->n_tensors; t++) shapes[t] = g->tensors[t].shape;
        for (int32_t i = 0; i < g->n_nodes; i++) profile->complete(shapes, &g->nodes[i]);
        nodes->shapes[s] = shapes;
    }
    return nodes->shapes != NULL;
}

NPU__FN int npu__view_for(npu__nodes *nodes, npu__plan_view *view, const npu_plan *plan, const npu__profile *profile, npu__pool *pool) {
    const npu_model *m = plan->model;
    size_t           most = 1;
    npu__view_planned(nodes, view, plan);
    if (profile->declared) nodes->at = npu__view_declared;
    for (int32_t s = 0; s < m->n_subgraphs; s++) {
        for (int32_t i = 0; i < m->subgraphs[s].n_nodes; i++) {
            const npu__ctx *c = &plan->subs[s].steps[i].ctx;
            size_t          n = (size_t)c->n_in + (size_t)c->n_out + (size_t)c->n_mid;
            most = NPU__MAX(most, n);
        }
    }
    view->vals = (npu__val *)npu__pool_alloc(pool, most, sizeof *view->vals);
    view->refs = (npu__val **)npu__pool_alloc(pool, most, sizeof *view->refs);
    return view->vals && view->refs && (!profile->complete || npu__view_complete(view, profile, pool));
}

#endif
#endif
