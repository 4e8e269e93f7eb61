/* Deep copies: what a finished model keeps of its draft. */
#include "copy.h"

#if NPU__HAS_GRAPH

NPU__FN void *npu__dup_bytes(npu__pool *pool, const void *p, size_t count, size_t elem_bytes) {
    void *copy = npu__pool_alloc(pool, count, elem_bytes);
    if (copy && count) memcpy(copy, p, count * elem_bytes); /* bounded: it was allocated */
    return copy;
}

NPU__FN int npu__dup_str(npu__pool *pool, npu__str *s) {
    s->p = (const char *)npu__dup_bytes(pool, s->p, s->n, 1);
    return s->p != NULL;
}

NPU__FN int npu__dup_vec(npu__pool *pool, npu__vec *v, size_t elem_bytes) {
    if (!v->p) return 1; /* "not there" and "there, but empty" stay apart */
    v->p = (const uint8_t *)npu__dup_bytes(pool, v->p, v->n, elem_bytes);
    return v->p != NULL;
}

NPU__FN const npu__opts *npu__dup_opts(npu__pool *pool, const npu__opts *from) {
    int32_t                  n;
    const npu__schema_field *f = npu__schema_fields(from->table, &n);
    npu__opts               *to;
    int                      ok = 1;
    if (n == 0) return from; /* all of these are one */
    to = npu__opts_new(pool, from->table);
    if (!to) return NULL;
    memcpy(to, from, npu__opts_offset(from->table, n, NPU_MACHINE_THIS));
    for (int32_t i = 0; ok && i < n; i++) {
        void *at = (uint8_t *)to + npu__opts_offset(from->table, i, NPU_MACHINE_THIS);
        if (f[i].kind == NPU__K_STR) ok = npu__dup_str(pool, (npu__str *)at);
        else if (f[i].kind > NPU__K_STR) ok = npu__dup_vec(pool, (npu__vec *)at, npu__kind_bytes(f[i].kind));
    }
    return ok ? to : NULL;
}

NPU__FN const npu__sparsity *npu__dup_sparsity(npu__pool *pool, const npu__sparsity *from) {
    const uint32_t     n = NPU__MIN(from->n_levels, (uint32_t)NPU__SPARSE_LEVELS);
    npu__sparsity     *s = (npu__sparsity *)npu__pool_new(pool, 1, NPU__SIZE(npu__sparsity));
    npu__sparse_level *l = (npu__sparse_level *)npu__pool_new(pool, n, NPU__SIZE(npu__sparse_level));
    if (!s || !l) return NULL;
    *s = *from;
    s->levels = l;
    if (!npu__dup_vec(pool, &s->order, 4) || !npu__dup_vec(pool, &s->block_map, 4)) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        l[i] = from->levels[i];
        if (!npu__dup_vec(pool, &l[i].segments, (size_t)l[i].segment_bytes)) return NULL;
        if (!npu__dup_vec(pool, &l[i].indices, (size_t)l[i].index_bytes)) return NULL;
    }
    return s;
}

NPU__FN int npu__dup_tensor(npu__pool *pool, npu__tensor *t) {
    const size_t n = (size_t)t->quant.count;
    if (!npu__dup_str(pool, &t->name)) return 0;
    if (n) {
        t->quant.scale = (const float *)npu__dup_bytes(pool, t->quant.scale, n, sizeof(float));
        t->quant.zero_point = (const int32_t *)npu__dup_bytes(pool, t->quant.zero_point, n, sizeof(int32_t));
        if (!t->quant.scale || !t->quant.zero_point) return 0;
    }
    if (t->blockwise) {
        t->blockwise = (const npu__blockwise *)(const void *)npu__dup_opts(pool, &t->blockwise->is);
        if (!t->blockwise) return 0;
    }
    if (!t->sparsity) return 1;
    t->sparsity = npu__dup_sparsity(pool, t->sparsity);
    return t->sparsity != NULL;
}

NPU__FN int npu__dup_indices(npu__pool *pool, const int32_t **list, int32_t n) {
    *list = (const int32_t *)npu__dup_bytes(pool, *list, (size_t)n, sizeof(int32_t));
    return *list != NULL;
}

NPU__FN int npu__dup_node(npu__pool *pool, npu__node *node, const npu__subgraph *g) {
    node->graph = g;
    if (!npu__dup_str(pool, &node->custom_name) || !npu__dup_indices(pool, &node->in, node->n_in) ||
        !npu__dup_indices(pool, &node->out, node->n_out) || !npu__dup_indices(pool, &node->mid, node->n_mid)) return 0;
    node->opts = npu__dup_opts(pool, node->opts);
    if (!node->opts) return 0;
    if (!node->custom) return 1;
    node->custom = (const uint8_t *)npu__dup_bytes(pool, node->custom, node->custom_bytes, 1);
    return node->custom != NULL;
}

NPU__FN int npu__dup_subgraph(npu__pool *pool, npu__subgraph *g) {
    npu__tensor *t = (npu__tensor *)npu__pool_new(pool, (size_t)g->n_tensors, NPU__SIZE(npu__tensor));
    npu__node   *nodes = (npu__node *)npu__pool_new(pool, (size_t)g->n_nodes, NPU__SIZE(npu__node));
    if (!t || !nodes || !npu__dup_str(pool, &g->name)) return 0;
    for (int32_t i = 0; i < g->n_tensors; i++) {
        t[i] = g->tensors[i];
        if (!npu__dup_tensor(pool, &t[i])) return 0;
    }
    for (int32_t i = 0; i < g->n_nodes; i++) {
        nodes[i] = g->nodes[i];
        if (!npu__dup_node(pool, &nodes[i], g)) return 0;
    }
    g->tensors = t;
    g->nodes = nodes;
    return npu__dup_indices(pool, &g->in, g->n_in) && npu__dup_indices(pool, &g->out, g->n_out);
}

NPU__FN const npu__sig_entry *npu__dup_sig_entries(npu__pool *pool, const npu__sig_entry *from, int32_t n) {
    npu__sig_entry *e = (npu__sig_entry *)npu__pool_new(pool, (size_t)n, NPU__SIZE(npu__sig_entry));
    for (int32_t i = 0; e && i < n; i++) {
        e[i] = from[i];
        if (!npu__dup_str(pool, &e[i].name)) return NULL;
    }
    return e;
}

NPU__FN int npu__dup_sigs(npu_model *to, const npu_model *from) {
    npu__sig *s = (npu__sig *)npu__pool_new(&to->pool, (size_t)from->n_sigs, NPU__SIZE(npu__sig));
    if (!s) return 0;
    for (int32_t i = 0; i < from->n_sigs; i++) {
        s[i] = from->sigs[i];
        s[i].in = npu__dup_sig_entries(&to->pool, s[i].in, s[i].n_in);
        s[i].out = npu__dup_sig_entries(&to->pool, s[i].out, s[i].n_out);
        if (!s[i].in || !s[i].out || !npu__dup_str(&to->pool, &s[i].key)) return 0;
    }
    to->sigs = s;
    to->n_sigs = from->n_sigs;
    return 1;
}

NPU__FN int npu__dup_meta(npu_model *to, const npu_model *from) {
    npu__meta *m = (npu__meta *)npu__pool_new(&to->pool, (size_t)from->n_meta, NPU__SIZE(npu__meta));
    if (!m) return 0;
    for (int32_t i = 0; i < from->n_meta; i++) {
        m[i] = from->meta[i];
        if (!npu__dup_str(&to->pool, &m[i].name) || !npu__dup_str(&to->pool, &m[i].data)) return 0;
    }
    to->meta = m;
    to->n_meta = from->n_meta;
    return 1;
}

NPU__FN int npu__dup_model(npu_model *to, const npu_model *from) {
    npu__subgraph *g = (npu__subgraph *)npu__pool_new(&to->pool, (size_t)from->n_subgraphs, NPU__SIZE(npu__subgraph));
    if (!g) return 0;
    to->schema_version = from->schema_version;
    to->n_bytes = from->n_bytes;
    to->description = from->description;
    if (!npu__dup_str(&to->pool, &to->description)) return 0;
    for (int32_t i = 0; i < from->n_subgraphs; i++) {
        g[i] = from->subgraphs[i];
        if (!npu__dup_subgraph(&to->pool, &g[i])) return 0;
    }
    to->subgraphs = g;
    to->n_subgraphs = from->n_subgraphs;
    return npu__dup_sigs(to, from) && npu__dup_meta(to, from);
}

#endif
