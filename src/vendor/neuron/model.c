/* The Neuron model of a segment: counted, then filled in, for each version of the adapter that takes something otherwise. */
#include "make.h"

#if NPU__HAS_NEURON && NPU__HAS_LOWERING

NPU__FN void npu__neuron_lower_node(npu__neuron_make *m, const npu__ctx *c) {
    switch (c->node->code) {
#define NPU__X(name, inputs, family, operation, groups, profiles, note) \
        case NPU__BUILTIN_##name: npu__neuron_lower_##family(m, c, NPU__NEURON_OP_##operation); return;
        NPU__NEURON_ROWS(NPU__X, NPU__NEURON_G_, NPU__NEURON_P_)
#undef NPU__X
        default: npu__neuron_refuse(m, c, "neuron.operator_not_listed", "there is no Neuron operation for this operator");
    }
}

/* Borders first: inputs, then outputs. */
NPU__FN void npu__neuron_walk(npu__neuron_make *m, npu__neuron_index *borders) {
    const npu__ctx *c = &m->seg->ctx;
    for (int32_t i = 0; i < c->n_in + c->n_out; i++) {
        const uint32_t n = npu__neuron_tensor(m, i < c->n_in ? c->in[i] : c->out[i - c->n_in]);
        if (borders) borders[i] = n;
    }
    for (int32_t i = 0; m->status == NPU_OK && i < m->seg->n_nodes; i++) npu__neuron_lower_node(m, m->seg->nodes[i]);
}

NPU__FN int npu__neuron_seen_before(const void *a, const void *b) {
    return ((const npu__neuron_seen *)a)->tensor < ((const npu__neuron_seen *)b)->tensor;
}

/* Lists the tensors of the segment: sorted, each once. */
NPU__FN npu_status npu__neuron_list(npu__neuron_make *m) {
    const npu__seg *seg = m->seg;
    size_t          n = 0, kept = 0;
    void           *p;
    for (int32_t i = 0; i < seg->n_nodes; i++) n += (size_t)seg->nodes[i]->n_in + (size_t)seg->nodes[i]->n_out;
    NPU__TRY(npu__seg_alloc(m->seg, n, NPU__SIZE(npu__neuron_seen), &p));
    m->seen = (npu__neuron_seen *)p;
    n = 0;
    for (int32_t i = 0; i < seg->n_nodes; i++) {
        const npu__node *node = seg->nodes[i]->node;
        for (int32_t k = 0; k < node->n_in; k++) if (node->in[k] >= 0) m->seen[n++].tensor = node->in[k];
        for (int32_t k = 0; k < node->n_out; k++) m->seen[n++].tensor = node->out[k];
    }
    npu__sort(m->seen, n, sizeof *m->seen, npu__neuron_seen_before);
    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || m->seen[i].tensor != m->seen[kept - 1].tensor) m->seen[kept++] = m->seen[i];
    }
    m->n_seen = kept;
    return NPU_OK;
}

NPU__FN void npu__neuron_forget(npu__neuron_make *m) {
    for (size_t i = 0; i < m->n_seen; i++) m->seen[i].operand = NPU__NEURON_NOT_YET;
    m->model->n_operands = m->model->n_operations = m->n_refs = 0;
}

NPU__FN npu_status npu__neuron_tables(npu__neuron_make *m) {
    npu__neuron_model *model = m->model;
    void              *p;
    NPU__TRY(npu__seg_alloc(m->seg, model->n_operands, NPU__SIZE(npu__neuron_operand), &p));
    model->operands = (npu__neuron_operand *)p;
    NPU__TRY(npu__seg_alloc(m->seg, model->n_operations, NPU__SIZE(npu__neuron_operation), &p));
    model->operations = (npu__neuron_operation *)p;
    NPU__TRY(npu__seg_alloc(m->seg, m->n_refs, NPU__SIZE(npu__neuron_index), &p));
    m->refs = (npu__neuron_index *)p;
    return NPU_OK;
}

/* One version. */
NPU__FN npu_status npu__neuron_version(npu__neuron_make *m, npu__seg *seg, int32_t version, const npu__neuron_make *twin) {
    const npu__node *about = seg->ctx.node;
    const size_t     n_borders = (size_t)seg->ctx.n_in + (size_t)seg->ctx.n_out;
    void            *p;
    memset(m, 0, sizeof *m);
    m->seg = seg;
    m->version = version;
    m->profile = seg->profile->bit;
    m->twin = twin;
    NPU__TRY(npu__seg_alloc(seg, 1, NPU__SIZE(npu__neuron_model), &p));
    m->model = (npu__neuron_model *)p;
    NPU__TRY(npu__neuron_list(m));
    npu__neuron_forget(m);
    npu__neuron_walk(m, NULL);
    if (m->status == NPU_OK) m->status = npu__neuron_tables(m);
    if (m->status == NPU_OK) m->status = npu__seg_alloc(seg, n_borders, NPU__SIZE(npu__neuron_index), &p);
    if (m->status == NPU_OK) {
        npu__neuron_forget(m);
        m->filling = 1;
        npu__neuron_walk(m, (npu__neuron_index *)p);
        m->model->in = (npu__neuron_index *)p;
        m->model->out = m->model->in + seg->ctx.n_in;
        m->model->n_in = (uint32_t)seg->ctx.n_in;
        m->model->n_out = (uint32_t)seg->ctx.n_out;
    }
    seg->ctx.node = about; /* failures are about a node of their own */
    return m->status;
}

NPU__FN npu_status npu__neuron_make_program(npu__seg *seg, npu__neuron_program **out) {
    npu__neuron_make made[NPU__NEURON_VERSIONS];
    void            *p;
    NPU__TRY(npu__seg_alloc(seg, 1, NPU__SIZE(npu__neuron_program), &p));
    *out = (npu__neuron_program *)p;
    for (int32_t v = NPU__NEURON_VERSIONS - 1, newer = -1; v >= 0; v--) {
        if (newer < 0 || made[newer].differs[v + 1]) {
            NPU__TRY(npu__neuron_version(&made[v], seg, v, newer < 0 ? NULL : &made[NPU__NEURON_VERSIONS - 1]));
            newer = v;
        }
        (*out)->by_version[v] = made[newer].model;
    }
    return NPU_OK;
}

#endif
