/* The rules of a whole subgraph (data flows forward) and of signatures. */
#include "build.h"

NPU__FN npu_status npu__build_list(npu__builder *b, npu__vec tensors, int output, npu__subgraph *g) {
    if (output) return npu__build_indices(b, tensors, 0, g->n_tensors, "output", &g->out, &g->n_out);
    return npu__build_indices(b, tensors, 0, g->n_tensors, "input", &g->in, &g->n_in);
}

NPU__FN npu_status npu__build_inputs(npu__builder *b, const npu__subgraph *g, npu__tensor *t) {
    for (int32_t i = 0; i < g->n_in; i++) { /* the caller writes it: whatever was given is no constant */
        t[g->in[i]].data = NULL;
        t[g->in[i]].data_bytes = 0;
        if (!t[g->in[i]].sparsity) continue;
        return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "graph.sparse", "input %d (tensor %d, %S) has a sparsity table: it must "
                               "be a constant", i, g->in[i], &t[g->in[i]].name);
    }
    return NPU_OK;
}

/* Data must flow forward: every input exists before the op that reads it, every output is written once. What each tensor is
 * so far: */
enum {
    NPU__FLOW_NOTHING,
    NPU__FLOW_THERE,   /* constant or variable */
    NPU__FLOW_WRITTEN, /* by an operator */
    NPU__FLOW_INPUT,
    NPU__FLOW_EMPTY,   /* no elements: may be read without being written ... */
    NPU__FLOW_READ     /* ... and was, so that nobody may write it any more */
};

NPU__FN int npu__flow_writable(const npu__tensor *t, uint8_t so_far, int works) {
    if (t->data || t->sparsity || (t->is_variable && !works)) return 0;
    if (so_far == NPU__FLOW_NOTHING || so_far == NPU__FLOW_THERE || so_far == NPU__FLOW_EMPTY) return 1;
    return works && so_far == NPU__FLOW_WRITTEN; /* other compiled operators wrote other parts of it */
}

NPU__FN npu_status npu__build_check_flow(npu__builder *b, const npu__subgraph *g) {
    uint8_t *defined = (uint8_t *)npu__pool_alloc(&b->m->pool, (size_t)g->n_tensors, 1);
    if (!defined) return npu__build_oom(b);
    for (int32_t i = 0; i < g->n_tensors; i++) {
        int64_t elems = 1;
        npu__shape_elems(&g->tensors[i].shape, &elems);
        if (g->tensors[i].data || g->tensors[i].sparsity || g->tensors[i].is_variable) defined[i] = NPU__FLOW_THERE;
        else if (elems == 0) defined[i] = NPU__FLOW_EMPTY;
    }
    for (int32_t i = 0; i < g->n_in; i++) defined[g->in[i]] = NPU__FLOW_INPUT;
    for (int32_t n = 0; n < g->n_nodes; n++) {
        const npu__node *node = &g->nodes[n];
        const int        works = npu__node_works(node);
        for (int32_t i = 0; i < node->n_in; i++) {
            if (node->in[i] >= 0 && defined[node->in[i]] == NPU__FLOW_EMPTY) defined[node->in[i]] = NPU__FLOW_READ;
            if (node->in[i] < 0 || defined[node->in[i]]) continue;
            if (!node->def) continue; /* custom ops may take scratch tensors that nobody writes */
            if (npu__node_works_in(node, i)) continue;
            return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "graph.undefined_input", "operator %d reads tensor %d (%S) "
                                   "before anything writes it", n, node->in[i], &g->tensors[node->in[i]].name);
        }
        for (int32_t i = 0; i < node->n_out; i++) {
            const npu__tensor *t = &g->tensors[node->out[i]];
            if (!npu__flow_writable(t, defined[node->out[i]], works)) {
                return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "graph.written_twice", "operator %d writes tensor %d "
                                       "(%S), which is constant, an input, or already written or read", n, node->out[i],
                                       &t->name);
            }
            defined[node->out[i]] = NPU__FLOW_WRITTEN;
        }
    }
    for (int32_t i = 0; i < g->n_out; i++) {
        if (g->tensors[g->out[i]].sparsity) {
            return NPU__BUILD_FAIL(b, NPU_UNSUPPORTED, "graph.sparse", "output %d (tensor %d, %S) is a sparse constant: only "
                                   "DENSIFY takes sparse tensors", i, g->out[i], &g->tensors[g->out[i]].name);
        }
        if (defined[g->out[i]]) continue;
        return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "graph.undefined_output", "output %d (tensor %d, %S) is never "
                               "written", i, g->out[i], &g->tensors[g->out[i]].name);
    }
    return NPU_OK;
}

/* ---- signatures ---- */

NPU__FN int32_t *npu__build_positions(npu__pool *temp, const npu__subgraph *g, const int32_t *list, int32_t n) {
    int32_t *at = (int32_t *)npu__pool_alloc(temp, (size_t)g->n_tensors, sizeof *at);
    for (int32_t k = n; at && k-- > 0;) at[list[k]] = k + 1;
    return at;
}

NPU__FN npu_status npu__build_sigs_begin(npu__builder *b, npu__sig_builder *w) {
    npu__pool_init_within(&w->temp, &b->m->pool);
    w->places = (npu__sig_places *)npu__pool_alloc(&w->temp, (size_t)b->m->n_subgraphs, sizeof *w->places);
    b->m->pool.over_limit |= w->temp.over_limit;
    return w->places ? NPU_OK : npu__build_oom(b);
}

NPU__FN void npu__build_sigs_end(npu__sig_builder *w) { npu__pool_free(&w->temp); }

NPU__FN npu_status npu__build_sig_entries(npu__builder *b, const npu__subgraph *g, const int32_t *at, npu__sig_entry *e,
                                          int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        uint32_t tensor = (uint32_t)e[i].position;
        e[i].position = tensor < (uint32_t)g->n_tensors ? at[tensor] - 1 : -1;
        if (e[i].position < 0) {
            return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "tflite.signature", "signature entry %S names tensor %u, which "
                                   "is not an input or output of its subgraph", &e[i].name, tensor);
        }
    }
    return NPU_OK;
}

NPU__FN npu_status npu__build_signature(npu__builder *b, npu__sig_builder *w, npu__sig *sig, npu__sig_entry *in,
                                        npu__sig_entry *out) {
    const npu__subgraph *g;
    npu__sig_places     *p;
    npu_status           s;
    if ((uint32_t)sig->subgraph >= (uint32_t)b->m->n_subgraphs) {
        return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "tflite.signature", "signature %S names subgraph %u of %d",
                               &sig->key, (uint32_t)sig->subgraph, b->m->n_subgraphs);
    }
    g = &b->m->subgraphs[sig->subgraph];
    p = &w->places[sig->subgraph];
    b->subgraph = sig->subgraph;
    if (!p->in) p->in = npu__build_positions(&w->temp, g, g->in, g->n_in);
    if (!p->out) p->out = npu__build_positions(&w->temp, g, g->out, g->n_out);
    b->m->pool.over_limit |= w->temp.over_limit;
    if (!p->in || !p->out) return npu__build_oom(b);
    sig->in = in;
    sig->out = out;
    s = npu__build_sig_entries(b, g, p->in, in, sig->n_in);
    return s == NPU_OK ? npu__build_sig_entries(b, g, p->out, out, sig->n_out) : s;
}
