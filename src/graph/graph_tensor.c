/* npu_graph_*: tensors. */
#include "graph.h"

#if NPU__HAS_GRAPH

NPU__FN int npu__graph_sparsity_bad(const npu_sparsity *s) {
    if (npu__graph_vec_bad(s->traversal_order, s->n_traversal_order) || npu__graph_vec_bad(s->block_map, s->n_block_map) ||
        npu__graph_vec_bad(s->levels, s->n_levels)) return 1;
    for (int32_t i = 0; i < s->n_levels; i++) {
        const npu_sparse_level *l = &s->levels[i];
        if (npu__graph_vec_bad(l->segments, l->n_segments) || npu__graph_vec_bad(l->indices, l->n_indices)) return 1;
        if (l->segments && l->segment_bytes != 1 && l->segment_bytes != 2 && l->segment_bytes != 4) return 1;
        if (l->indices && l->index_bytes != 1 && l->index_bytes != 2 && l->index_bytes != 4) return 1;
    }
    return 0;
}

/* NULL: no memory. */
NPU__FN npu__sparsity *npu__graph_sparsity(npu_graph *g, const npu_sparsity *from) {
    const int32_t      n = NPU__MIN(from->n_levels, NPU__SPARSE_LEVELS);
    npu__pool         *pool = &g->draft.pool;
    npu__sparsity     *s = (npu__sparsity *)npu__pool_alloc(pool, 1, sizeof *s);
    npu__sparse_level *l = (npu__sparse_level *)npu__pool_alloc(pool, (size_t)n, sizeof *l);
    if (!s || !l) return NULL;
    s->order = npu__graph_vec(from->traversal_order, from->n_traversal_order);
    s->block_map = npu__graph_vec(from->block_map, from->n_block_map);
    s->n_levels = (uint32_t)from->n_levels;
    s->levels = l;
    for (int32_t i = 0; i < n; i++) {
        const npu_sparse_level *x = &from->levels[i];
        l[i].dense = !x->csr;
        l[i].dense_size = x->dense_size;
        l[i].segments = npu__graph_vec(x->segments, x->n_segments);
        l[i].indices = npu__graph_vec(x->indices, x->n_indices);
        l[i].segment_bytes = x->segments ? x->segment_bytes : 0;
        l[i].index_bytes = x->indices ? x->index_bytes : 0;
        npu__graph_give(g, (uint64_t)l[i].segments.n * 4 + (uint64_t)l[i].indices.n * 4); /* bounded: numbers of 31 bits */
    }
    return s;
}

NPU__FN int npu__graph_blockwise(npu_graph *g, const npu_blockwise *from, npu__tensor *t) {
    npu__opts *o = npu__opts_new(&g->draft.pool, NPU__T_BlockwiseQuantization);
    if (o) {
        struct npu__opts_BlockwiseQuantization *b = (struct npu__opts_BlockwiseQuantization *)(void *)o;
        b->is.given = 1;
        b->scales = from->scales;
        b->zero_points = from->zero_points;
        b->block_size = from->block_size;
        t->blockwise = b;
    }
    return o != NULL;
}

/* Contents: copied unless lent, in the order of the calls. Each piece is a block of its own, so that what the model's pool takes
 * does not depend on when it was added. */
NPU__FN npu_status npu__graph_contents(npu_graph *g, int32_t index, const npu_tensor_desc *d, npu__sparsity *sparsity,
                                       npu__tensor *t) {
    npu__span  data;
    npu_status s;
    size_t     before;
    void      *copy;
    data.p = (const uint8_t *)d->data;
    data.n = d->bytes;
    t->buffer = data.n ? g->n_constants + 1 : 0; /* bounded: fewer than tensors */
    s = npu__build_data(&g->b, index, data, sparsity, t);
    if (s != NPU_OK || data.n == 0) return s;
    g->n_constants++;
    if (d->lend && !npu__build_misaligned(t)) return NPU_OK;
    npu__graph_give(g, 0); /* the model's pool may now grow by what the draft's has left */
    before = g->model->pool.total_bytes;
    copy = npu__pool_alloc_aligned64(&g->model->pool, data.n);
    if (!copy) return npu__graph_oom(g);
    g->model->kept_bytes += g->model->pool.total_bytes - before; /* bounded: the pool's own sum */
    memcpy(copy, data.p, data.n);
    if (sparsity) sparsity->values.p = (const uint8_t *)copy;
    else t->data = (const uint8_t *)copy;
    return NPU_OK;
}

NPU__FN npu_status npu__graph_add_tensor(npu_graph *g, npu__subgraph *sub, const npu_tensor_desc *d) {
    const int32_t    index = sub->n_tensors;
    npu__tensor     *list = (npu__tensor *)npu__graph_grow(&g->draft.pool, sub->tensors, index, sizeof *list), *t;
    npu__sparsity   *sparsity = NULL;
    npu__tensor_spec spec;
    npu_status       s;
    if (!list) return npu__graph_oom(g);
    sub->tensors = list;
    t = &list[index];
    memset(t, 0, sizeof *t);
    if (!npu__graph_str(g, d->name, &t->name)) return npu__graph_oom(g);
    t->type = (int32_t)d->type;
    t->is_variable = d->is_variable != 0;
    t->has_rank = 1;
    spec.dims = npu__graph_vec(d->dims, d->rank);
    spec.signature = npu__graph_vec(d->dims_signature, d->rank);
    spec.scales = npu__graph_vec(d->quant.scale, d->quant.count);
    spec.zeros = npu__graph_vec(d->quant.zero_point, d->quant.count);
    spec.zero_bytes = 4;
    spec.axis = d->quant.axis;
    s = npu__build_tensor(&g->b, index, &spec, t);
    if (s != NPU_OK) return s;
    if (d->sparsity) {
        sparsity = npu__graph_sparsity(g, d->sparsity);
        if (!sparsity) return npu__graph_oom(g);
        t->sparsity = sparsity;
    }
    if (d->blockwise && !npu__graph_blockwise(g, d->blockwise, t)) return npu__graph_oom(g);
    s = npu__graph_contents(g, index, d, sparsity, t);
    if (s != NPU_OK || !sparsity) return s;
    t->sparsity = npu__dup_sparsity(&g->draft.pool, sparsity); /* until here it points to what the caller has */
    return t->sparsity ? NPU_OK : npu__graph_oom(g);
}

NPU_API npu_status npu_graph_tensor(npu_graph *graph, int32_t subgraph, const npu_tensor_desc *desc, int32_t *index,
                                    npu_diag *diag) {
    npu__subgraph *sub = NULL;
    npu_status     s = npu__graph_enter(graph, "npu_graph_tensor", subgraph, &sub, diag);
    if (s != NPU_OK) return s;
    if (!desc || desc->rank < 0 || npu__graph_vec_bad(desc->quant.scale, desc->quant.count) || (!desc->data && desc->bytes) ||
        (desc->sparsity && npu__graph_sparsity_bad(desc->sparsity))) {
        return NPU__GRAPH_FAIL(graph, "npu_graph_tensor: needs a description whose counts are not negative and whose lists are not "
                               "NULL");
    }
    s = npu__build_count(&graph->b, 1, 0);
    npu__graph_give(graph, sizeof(npu__tensor));
    npu__graph_give(graph, 12 * (uint64_t)desc->quant.count); /* bounded: a number of 31 bits */
    npu__graph_give(graph, desc->bytes);
    if (s == NPU_OK) s = npu__graph_add_tensor(graph, sub, desc);
    if (s != NPU_OK) {
        graph->b.n_tensors--;
        return s;
    }
    if (index) *index = sub->n_tensors;
    sub->n_tensors++; /* bounded: max_tensors */
    return NPU_OK;
}

#endif
