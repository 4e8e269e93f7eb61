/* npu_graph_*: what is said about whole subgraphs and the model, and the end. */
#include "graph.h"

#if NPU__HAS_GRAPH

NPU__FN npu_status npu__graph_list(npu_graph *g, const char *what, int32_t subgraph, const int32_t *tensors, int32_t n,
                                   int output, npu_diag *diag) {
    npu__subgraph *sub = NULL;
    npu_status     s = npu__graph_enter(g, what, subgraph, &sub, diag);
    if (s != NPU_OK) return s;
    if (npu__graph_vec_bad(tensors, n)) return NPU__GRAPH_FAIL(g, "%s: a list must not be NULL, nor of negative length", what);
    npu__graph_give(g, 4 * (uint64_t)n); /* bounded: a number of 31 bits */
    return npu__build_list(&g->b, npu__graph_vec(tensors, n), output, sub);
}

NPU_API npu_status npu_graph_inputs(npu_graph *graph, int32_t subgraph, const int32_t *tensors, int32_t n, npu_diag *diag) {
    return npu__graph_list(graph, "npu_graph_inputs", subgraph, tensors, n, 0, diag);
}

NPU_API npu_status npu_graph_outputs(npu_graph *graph, int32_t subgraph, const int32_t *tensors, int32_t n, npu_diag *diag) {
    return npu__graph_list(graph, "npu_graph_outputs", subgraph, tensors, n, 1, diag);
}

/* NULL: no memory. */
NPU__FN npu__sig_entry *npu__graph_entries(npu_graph *g, const npu_graph_entry *from, int32_t n) {
    npu__sig_entry *e = (npu__sig_entry *)npu__pool_alloc(&g->draft.pool, (size_t)n, sizeof *e);
    for (int32_t i = 0; e && i < n; i++) {
        if (!npu__graph_str(g, from[i].name, &e[i].name)) return NULL;
        e[i].position = from[i].tensor;
    }
    return e;
}

NPU_API npu_status npu_graph_signature(npu_graph *graph, const char *key, int32_t subgraph, const npu_graph_entry *inputs,
                                       int32_t n_inputs, const npu_graph_entry *outputs, int32_t n_outputs, npu_diag *diag) {
    npu_status s = npu__graph_enter(graph, "npu_graph_signature", 0, NULL, diag);
    npu__sig  *list, *sig;
    int32_t    n;
    if (s != NPU_OK) return s;
    if (npu__graph_vec_bad(inputs, n_inputs) || npu__graph_vec_bad(outputs, n_outputs)) {
        return NPU__GRAPH_FAIL(graph, "npu_graph_signature: a list must not be NULL, nor of negative length");
    }
    n = graph->draft.n_sigs;
    npu__graph_give(graph, sizeof *sig + 16 * ((uint64_t)n_inputs + (uint64_t)n_outputs)); /* bounded: numbers of 31 bits */
    list = (npu__sig *)npu__graph_grow(&graph->draft.pool, graph->draft.sigs, n, sizeof *list);
    if (!list) return npu__graph_oom(graph);
    graph->draft.sigs = list;
    sig = &list[n];
    memset(sig, 0, sizeof *sig);
    sig->subgraph = subgraph;
    sig->n_in = n_inputs;
    sig->n_out = n_outputs;
    sig->in = npu__graph_entries(graph, inputs, n_inputs);
    sig->out = npu__graph_entries(graph, outputs, n_outputs);
    if (!sig->in || !sig->out || !npu__graph_str(graph, key, &sig->key)) return npu__graph_oom(graph);
    graph->draft.n_sigs = n + 1; /* bounded: by memory, as all that follows */
    return NPU_OK;
}

NPU_API npu_status npu_graph_metadata(npu_graph *graph, const char *name, const void *data, size_t bytes, npu_diag *diag) {
    npu_status s = npu__graph_enter(graph, "npu_graph_metadata", 0, NULL, diag);
    npu__meta *list, *m;
    int32_t    n;
    if (s != NPU_OK) return s;
    if (!data && bytes) return NPU__GRAPH_FAIL(graph, "npu_graph_metadata: data must not be NULL");
    n = graph->draft.n_meta;
    npu__graph_give(graph, sizeof *m);
    npu__graph_give(graph, bytes);
    list = (npu__meta *)npu__graph_grow(&graph->draft.pool, graph->draft.meta, n, sizeof *list);
    if (!list) return npu__graph_oom(graph);
    graph->draft.meta = list;
    m = &list[n];
    m->data.p = (const char *)npu__dup_bytes(&graph->draft.pool, data, bytes, 1);
    m->data.n = bytes;
    if (!m->data.p || !npu__graph_str(graph, name, &m->name)) return npu__graph_oom(graph);
    graph->draft.n_meta = n + 1; /* bounded: likewise */
    return NPU_OK;
}

NPU_API npu_status npu_graph_description(npu_graph *graph, const char *text, npu_diag *diag) {
    npu__str   description;
    npu_status s = npu__graph_enter(graph, "npu_graph_description", 0, NULL, diag);
    if (s != NPU_OK) return s;
    if (!npu__graph_str(graph, text, &description)) return npu__graph_oom(graph);
    graph->draft.description = description;
    return NPU_OK;
}

/* The rules that need all of it. */
NPU__FN npu_status npu__graph_check(npu_graph *g) {
    npu_model       *m = &g->draft;
    npu__sig_builder w;
    npu_status       s = npu__build_count_subgraphs(&g->b, (uint32_t)m->n_subgraphs);
    for (int32_t i = 0; s == NPU_OK && i < m->n_subgraphs; i++) {
        g->b.subgraph = i;
        s = npu__build_inputs(&g->b, &m->subgraphs[i], (npu__tensor *)m->subgraphs[i].tensors);
        if (s == NPU_OK) s = npu__build_check_flow(&g->b, &m->subgraphs[i]);
    }
    if (s != NPU_OK) return s;
    s = npu__build_sigs_begin(&g->b, &w);
    for (int32_t i = 0; s == NPU_OK && i < m->n_sigs; i++) {
        npu__sig *sig = (npu__sig *)&m->sigs[i];
        s = npu__build_signature(&g->b, &w, sig, (npu__sig_entry *)sig->in, (npu__sig_entry *)sig->out);
    }
    npu__build_sigs_end(&w);
    return s;
}

NPU_API npu_status npu_graph_finish(npu_graph *graph, npu_model **out, npu_diag *diag) {
    npu_status s = npu__graph_enter(graph, "npu_graph_finish", 0, NULL, diag);
    if (out) *out = NULL;
    if (s != NPU_OK) return s;
    if (!out) return NPU__GRAPH_FAIL(graph, "npu_graph_finish: out must not be NULL");
    graph->finished = 1;
    s = npu__graph_check(graph);
    if (s != NPU_OK) return s;
    graph->b.subgraph = -1;
    graph->draft.n_bytes = graph->given < SIZE_MAX ? (size_t)graph->given : SIZE_MAX;
    npu__graph_give(graph, 0); /* what the draft left is the model's */
    if (!npu__dup_model(graph->model, &graph->draft)) return npu__graph_oom(graph);
    *out = graph->model;
    graph->model = NULL;
    return NPU_OK;
}

#endif
