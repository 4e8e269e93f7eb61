/* npu_graph_*: a draft that grows call by call under the rules of build.c and flow.c, and what it becomes. */
#include "graph.h"

#if NPU__HAS_GRAPH

/* ---- memory: the model's pool and the draft's share one limit ---- */

NPU__FN void npu__graph_give(npu_graph *g, uint64_t n) {
    npu__pool *a = &g->model->pool, *b = &g->draft.pool;
    size_t     limit = SIZE_MAX;
    uint64_t   most;
    g->given = n < UINT64_MAX / 8 - g->given ? g->given + n : UINT64_MAX / 8; /* bounded: by the condition */
    most = npu__model_limit(NULL, 0) + 4 * g->given; /* bounded: by the line above */
    if (g->most) most = g->most;
    if (most < limit) limit = (size_t)most;
    g->draft.desc.max_memory_bytes = g->model->desc.max_memory_bytes = limit;
    a->limit = NPU__MAX(limit > b->total_bytes ? limit - b->total_bytes : 0, a->total_bytes);
    b->limit = NPU__MAX(limit > a->total_bytes ? limit - a->total_bytes : 0, b->total_bytes);
}

NPU__FN npu_status npu__graph_oom(npu_graph *g) {
    g->draft.pool.over_limit |= g->model->pool.over_limit;
    return npu__build_oom(&g->b);
}

NPU__FN void *npu__graph_grow(npu__pool *pool, const void *list, int32_t n, size_t elem_bytes) {
    void *more;
    if (n > 0 && (n < 4 || (n & (n - 1)) != 0)) return (void *)(uintptr_t)list;
    more = npu__pool_alloc(pool, n ? 2 * (size_t)n : 4, elem_bytes); /* bounded: a number of 31 bits */
    if (more && n) memcpy(more, list, (size_t)n * elem_bytes); /* bounded: twice as much was allocated */
    return more;
}

NPU__FN int npu__graph_str(npu_graph *g, const char *z, npu__str *out) {
    *out = npu__str_of(z ? z : "");
    npu__graph_give(g, out->n);
    return npu__dup_str(&g->draft.pool, out);
}

NPU__FN npu_status npu__graph_enter(npu_graph *g, const char *what, int32_t subgraph, npu__subgraph **sub, npu_diag *diag) {
    npu__diag_clear(diag);
    if (!g) return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.graph", "%s: graph must not be NULL", what);
    g->b.diag = diag;
    g->b.subgraph = -1;
    if (g->finished) return NPU__GRAPH_FAIL(g, "%s: the graph is finished, all that is left is to destroy it", what);
    g->draft.pool.over_limit = g->model->pool.over_limit = 0;
    npu__graph_give(g, 0);
    if (!sub) return NPU_OK;
    if (subgraph < 0 || subgraph >= g->draft.n_subgraphs) {
        return NPU__GRAPH_FAIL(g, "%s: there is no subgraph %d, npu_graph_subgraph made %d", what, subgraph, g->draft.n_subgraphs);
    }
    g->b.subgraph = subgraph;
    *sub = (npu__subgraph *)&g->draft.subgraphs[subgraph];
    return NPU_OK;
}

/* ---- beginning and end ---- */

NPU__FN npu_status npu__graph_new(npu_graph **out, const npu_model_desc *desc, npu__op_finder find_op, npu_diag *diag) {
    npu_model *m = NULL;
    npu__pool  pool;
    npu_graph *g;
    npu_status s;
    npu__diag_clear(diag);
    if (!out) return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.graph", "npu_graph_create: out must not be NULL");
    *out = NULL;
    s = npu__model_make(&m, "npu_graph_create", desc, find_op, npu__model_limit(desc, 0), NULL, diag);
    if (s != NPU_OK) return s;
    npu__pool_init_within(&pool, &m->pool);
    g = (npu_graph *)npu__pool_alloc(&pool, 1, sizeof *g);
    if (!g) {
        npu_model_close(m);
        if (pool.over_limit) return npu__diag_fail(diag, NPU_LIMIT, "model.memory_limit", "max_memory_bytes is too small");
        return npu__diag_fail(diag, NPU_OUT_OF_MEMORY, "model.memory", "no memory for the graph");
    }
    g->model = m;
    g->draft.pool = pool;
    g->draft.desc = m->desc;
    g->draft.user_defs = m->user_defs;
    g->draft.find_op = find_op;
    g->most = desc ? desc->max_memory_bytes : 0;
    g->draft.schema_version = 3;
    g->draft.description = npu__str_of("");
    g->b.m = &g->draft;
    *out = g;
    return NPU_OK;
}

NPU_API void npu_graph_destroy(npu_graph *graph) {
    npu__pool pool;
    if (!graph) return;
    pool = graph->draft.pool; /* the graph lies in it, and was taken after the model */
    if (!graph->model) {
        npu__pool_free(&pool);
        return;
    }
    {
        npu_model *m = graph->model;
        npu__pool_free(&pool);
        npu_model_close(m);
    }
}

NPU_API npu_status npu_graph_subgraph(npu_graph *graph, const char *name, int32_t *index, npu_diag *diag) {
    npu_status     s = npu__graph_enter(graph, "npu_graph_subgraph", -1, NULL, diag);
    npu__subgraph *list, *sub;
    int32_t        n;
    if (s != NPU_OK) return s;
    n = graph->draft.n_subgraphs;
    s = npu__build_count_subgraphs(&graph->b, (uint32_t)n + 1);
    if (s != NPU_OK) return s;
    npu__graph_give(graph, sizeof *sub);
    list = (npu__subgraph *)npu__graph_grow(&graph->draft.pool, graph->draft.subgraphs, n, sizeof *list);
    if (!list) return npu__graph_oom(graph);
    graph->draft.subgraphs = list;
    sub = &list[n];
    memset(sub, 0, sizeof *sub);
    if (!npu__graph_str(graph, name, &sub->name)) return npu__graph_oom(graph);
    graph->draft.n_subgraphs = n + 1; /* bounded: max_subgraphs */
    if (index) *index = n;
    return NPU_OK;
}

NPU__FN npu__vec npu__graph_vec(const void *p, int32_t n) {
    npu__vec v;
    v.p = (const uint8_t *)p;
    v.n = p && n > 0 ? (uint32_t)n : 0;
    return v;
}

NPU__FN int npu__graph_vec_bad(const void *p, int32_t n) { return n < 0 || (n > 0 && !p); }

#endif
