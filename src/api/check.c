/* npu_check, npu_backend_ops and the names that go with them: what an NPU would take of a model. */
#include "../vendor/select.h"
#include "../legal/report.h"
#include "../plan/plan.h"
#include "check.h"

#if NPU__HAS_REPORTS

NPU_API const char *npu_backend_name(int32_t i) {
    const npu__target *t = npu__backend_at(i);
    return t ? t->name : NULL;
}

NPU_API const char *npu_backend_profile(const char *backend, int32_t i) {
    const npu__profile *p = i >= 0 ? npu__backend_profile_at(backend, i) : NULL;
    return p ? p->name : NULL;
}

NPU__FN int npu__check_writer_ok(const npu_writer *writer, npu_format format, npu_format last) {
    return (!writer || writer->write) && (unsigned)format <= (unsigned)last;
}

NPU__FN const npu__ctx *npu__check_node(const void *user, int32_t subgraph, int32_t node) {
    return &((const npu__check_nodes *)user)->plan->subs[subgraph].steps[node].ctx;
}

NPU__FN void npu__check_declare(const npu__subgraph *g, const npu__shape *shapes, const int32_t *tensors, int32_t n,
                                npu__val *vals, npu__val **refs) {
    for (int32_t i = 0; i < n; i++) {
        const npu__tensor *t = tensors[i] < 0 ? NULL : &g->tensors[tensors[i]];
        refs[i] = t ? &vals[i] : NULL;
        if (!t) continue;
        vals[i].t = t;
        vals[i].type = t->type;
        vals[i].shape = shapes ? shapes[tensors[i]] : t->shape;
        vals[i].bytes = t->data_bytes;
        vals[i].data = (void *)(uintptr_t)t->data;
        vals[i].known = 1;
    }
}

NPU__FN const npu__ctx *npu__check_declared(const void *user, int32_t subgraph, int32_t node) {
    npu__check_nodes    *nodes = (npu__check_nodes *)(uintptr_t)user;
    const npu__ctx      *planned = npu__check_node(user, subgraph, node);
    const npu__subgraph *g = &nodes->plan->model->subgraphs[subgraph];
    const npu__shape    *shapes = nodes->shapes ? nodes->shapes[subgraph] : NULL;
    npu__ctx            *c = &nodes->declared;
    *c = *planned;
    c->in = nodes->refs;
    c->out = c->in + c->n_in;
    c->mid = c->out + c->n_out;
    npu__check_declare(g, shapes, c->node->in, c->n_in, nodes->vals, c->in);
    npu__check_declare(g, shapes, c->node->out, c->n_out, nodes->vals + c->n_in, c->out);
    npu__check_declare(g, shapes, c->node->mid, c->n_mid, nodes->vals + c->n_in + c->n_out, c->mid);
    return c;
}

/* As npu_model_info counts them: what is folded or cannot run costs nothing. */
NPU__FN int64_t npu__check_macs(const void *user, int32_t subgraph, int32_t node) {
    const npu__step *step = &((const npu__check_nodes *)user)->plan->subs[subgraph].steps[node];
    if (step->status != NPU_OK || step->kind != NPU__STEP_RUN || !step->ctx.node->def) return 0;
    return npu__node_work(&step->ctx).macs;
}

NPU__FN int npu__check_once(const void *user, int32_t subgraph, int32_t node) {
    return ((const npu__check_nodes *)user)->plan->subs[subgraph].steps[node].kind == NPU__STEP_FOLDED;
}

/* The shapes of all tensors, completed node by node. */
NPU__FN int npu__check_complete(npu__check_nodes *nodes, const npu__profile *profile, npu__pool *pool) {
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

NPU__FN int npu__check_nodes_init(npu__check_nodes *nodes, const npu_plan *plan, const npu__profile *profile,
                                  npu__pool *pool) {
    const npu_model *m = plan->model;
    size_t           most = 1;
    for (int32_t s = 0; s < m->n_subgraphs; s++) {
        for (int32_t i = 0; i < m->subgraphs[s].n_nodes; i++) {
            const npu__ctx *c = &plan->subs[s].steps[i].ctx;
            size_t          n = (size_t)c->n_in + (size_t)c->n_out + (size_t)c->n_mid;
            most = NPU__MAX(most, n);
        }
    }
    memset(nodes, 0, sizeof *nodes);
    nodes->plan = plan;
    nodes->vals = (npu__val *)npu__pool_alloc(pool, most, sizeof *nodes->vals);
    nodes->refs = (npu__val **)npu__pool_alloc(pool, most, sizeof *nodes->refs);
    return nodes->vals && nodes->refs && (!profile->complete || npu__check_complete(nodes, profile, pool));
}

NPU__FN npu_status npu__check_planned(const npu_plan *plan, const npu__backend *b, int only_refused, npu_format format,
                                      const npu_writer *writer, npu_check_summary *summary, npu_diag *diag) {
    npu__pool        pool;
    npu__check_nodes view;
    npu__nodes       nodes;
    npu__placement   p;
    npu_status       s;
    nodes.model = plan->model;
    nodes.user = &view;
    nodes.at = b->profile->declared ? npu__check_declared : npu__check_node;
    nodes.macs = npu__check_macs;
    nodes.once = npu__check_once;
    npu__pool_init_within(&pool, &plan->pool);
    if (npu__check_nodes_init(&view, plan, b->profile, &pool)) s = npu__placement_make(&p, &pool, b, &nodes, diag);
    else s = npu__diag_fail(diag, NPU_OUT_OF_MEMORY, "place.memory", "no memory for the placement");
    if (s == NPU_OK && summary) *summary = p.summary;
    if (s == NPU_OK && writer) s = npu__report_placement(&p, &nodes, &pool, only_refused, format, writer, diag);
    npu__pool_free(&pool);
    return s;
}

NPU_API npu_status npu_check_with(const npu_model *model, const npu_check_desc *desc, npu_format format,
                                  const npu_writer *writer, npu_check_summary *summary, npu_diag *diag) {
    npu__backend  b;
    npu_plan     *plan;
    npu_plan_desc pd;
    npu_status    s;
    npu__diag_clear(diag);
    if (summary) memset(summary, 0, sizeof *summary);
    if (!model || !desc || !npu__check_writer_ok(writer, format, NPU_FORMAT_JSON)) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.report", "npu_check: needs a model and the format "
                              "TEXT or JSON; a writer, where there is one, needs its function");
    }
    s = npu__backend_find(&b, desc->backend, desc->profile, diag);
    if (s != NPU_OK) return s;
    memset(&pd, 0, sizeof pd);
    pd.allocator = model->desc.allocator;
    s = npu__analyze(&plan, model, &pd, diag);
    if (s != NPU_OK) return s;
    s = npu__check_planned(plan, &b, desc->only_refused, format, writer, summary, diag);
    npu_plan_destroy(plan);
    return s;
}

NPU_API npu_status npu_check(const npu_model *model, const char *backend, const char *profile, npu_format format,
                             const npu_writer *writer, npu_check_summary *summary, npu_diag *diag) {
    npu_check_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.backend = backend;
    desc.profile = profile;
    return npu_check_with(model, &desc, format, writer, summary, diag);
}

NPU_API npu_status npu_backend_ops(const char *backend, const char *profile, npu_format format,
                                   const npu_writer *writer, npu_diag *diag) {
    npu__backend b;
    npu_status   s;
    npu__diag_clear(diag);
    if (!writer || !npu__check_writer_ok(writer, format, NPU_FORMAT_MARKDOWN)) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.report", "npu_backend_ops: needs a writer and the "
                              "format TEXT, JSON or MARKDOWN");
    }
    s = npu__backend_find(&b, backend, profile, diag);
    return s == NPU_OK ? npu__report_ops(&b, format, writer, diag) : s;
}

#endif
