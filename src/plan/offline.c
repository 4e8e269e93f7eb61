/* Feature maps of compiled operators lie inside their scratch tensor (npu__working.memory), at offsets that the compiler wrote
 * into the model's metadata. The arena has no choice there: such tensors are pinned before anything else is laid out. */
#include "../vendor/vendor.h"
#include "plan.h"
#if NPU__HAS_VENDORS

#define NPU__OFFLINE_HEADER 3

NPU__FN int32_t npu__offline_i32(const uint8_t *p, int64_t i) {
    int32_t v;
    memcpy(&v, p + (size_t)i * sizeof v, sizeof v); /* bounded: an entry that lies in the file */
    return v;
}

/* Metadata "OfflineMemoryAllocation": int32 version (0), number of subgraphs, number of tensors, then an offset for each
 * tensor, subgraph after subgraph, -1 where the run time decides. The first entry of that name counts. */
NPU__FN int npu__plan_offline_find(npu_plan *plan) {
    const npu_model *m = plan->model;
    const int32_t    n = npu_model_metadata(m, 0, NULL, NULL, NULL, NULL);
    for (int32_t i = 0; i < n; i++) {
        const char *name;
        const void *data;
        size_t      len, bytes;
        npu__str    s;
        int64_t    *first, tensors = 0;
        if (npu_model_metadata(m, i, &name, &len, &data, &bytes) < 0) continue;
        s.p = name;
        s.n = len;
        if (!npu__str_is(s, "OfflineMemoryAllocation") || !data || bytes < NPU__OFFLINE_HEADER * 4) continue;
        first = (int64_t *)npu__pool_alloc(&plan->pool, (size_t)m->n_subgraphs, sizeof *first);
        if (!first) return 0;
        for (int32_t k = 0; k < m->n_subgraphs; k++) {
            first[k] = tensors;
            tensors += m->subgraphs[k].n_tensors;
        }
        plan->offline.n = NPU__MIN((int64_t)(bytes / 4) - NPU__OFFLINE_HEADER, npu__offline_i32((const uint8_t *)data, 2));
        plan->offline.offsets = (const uint8_t *)data + (size_t)NPU__OFFLINE_HEADER * 4;
        plan->offline.first = first;
        return 1;
    }
    return 1;
}

/* Offset of tensor `t` of a subgraph inside its scratch tensor, -1: none is given. */
NPU__FN int64_t npu__offline_offset(const npu_plan *plan, const npu__subgraph *g, int32_t t) {
    const npu__offline *o = &plan->offline;
    if (!o->offsets || t < 0 || o->first[g - plan->model->subgraphs] + t >= o->n) return -1;
    return npu__offline_i32(o->offsets, o->first[g - plan->model->subgraphs] + t);
}

/* Where a compiled operator works; NULL: it is none, or its vendor fixes nothing. */
NPU__FN const npu__working *npu__offline_working(const npu__node *node) {
    const npu__vendor *v = npu__vendor_of(node);
    return v && v->working && node->n_in >= v->working->first_map ? v->working : NULL;
}

NPU__FN npu_status npu__offline_fail(const npu__node *node, npu_status s, npu_diag *diag, const char *rule,
                                     const char *text, int64_t tensor) {
    const npu__str name = npu__node_name(node);
    npu__diag_about(diag, node);
    return npu__diag_fail(diag, s, rule, "%S (subgraph %d, operator %d): tensor %l %s", &name, node->subgraph,
                          node->index, tensor, text);
}

/* A compiler may leave feature maps that it only passes on out of the scratch tensor's size: it must reach to the end of all. */
NPU__FN void npu__offline_grow(const npu_plan *plan, const npu__subplan *sub, int32_t t, int32_t scratch) {
    const int64_t offset = npu__offline_offset(plan, sub->g, t);
    size_t        end;
    if (offset < 0 || scratch < 0 || sub->vals[scratch].data) return;
    if (npu__add_size((size_t)offset, sub->vals[t].bytes, &end) && end > sub->vals[scratch].bytes) {
        sub->vals[scratch].bytes = end;
    }
}

NPU__FN void npu__plan_offline_sizes(const npu_plan *plan, npu__subplan *sub) {
    for (int32_t n = 0; plan->offline.n > 0 && n < sub->g->n_nodes; n++) {
        const npu__node *node = &sub->g->nodes[n];
        const npu__working *w = npu__offline_working(node);
        if (!w) continue;
        for (int32_t i = w->first_map; i < node->n_in; i++) npu__offline_grow(plan, sub, node->in[i], node->in[w->memory]);
        for (int32_t i = 0; i < node->n_out; i++) npu__offline_grow(plan, sub, node->out[i], node->in[w->memory]);
    }
}

/* Pins tensor t at its offset inside `scratch`. The same tensor may come up at several operators. */
NPU__FN npu_status npu__offline_pin(const npu_plan *plan, npu__subplan *sub, const npu__working *w, const npu__node *node,
                                    int32_t t, npu_diag *diag) {
    const int32_t  scratch = node->in[w->memory];
    npu__place    *p = &sub->places[t];
    const int64_t  offset = npu__offline_offset(plan, sub->g, t);
    const size_t   room = sub->vals[scratch].bytes;
    if (p->pinned) {
        if (p->root == scratch) return NPU_OK;
        return npu__offline_fail(node, NPU_INVALID_MODEL, diag, w->offline_scratch,
                                 "belongs to two scratch tensors", t);
    }
    if (p->at == NPU__AT_NOWHERE) return NPU_OK; /* 0 bytes */
    if (p->at != NPU__AT_ARENA && p->at != NPU__AT_STATE) {
        return npu__offline_fail(node, NPU_UNSUPPORTED, diag, w->offline_constant,
                                 "is a feature map that is constant or has no fixed size", t);
    }
    if (offset < 0) {
        return npu__offline_fail(node, NPU_INVALID_MODEL, diag, w->offline_missing, w->missing_text, t);
    }
    if (offset % w->align || (size_t)offset > room || sub->vals[t].bytes > room - (size_t)offset) {
        return npu__offline_fail(node, NPU_INVALID_MODEL, diag, w->offline_offset, w->offset_text, t);
    }
    p->root = scratch;
    p->offset = (size_t)offset;
    p->pinned = 1;
    return NPU_OK;
}

/* A scratch tensor belongs to compiled operators alone: nobody else writes or reads it. */
NPU__FN npu_status npu__offline_scratch(npu__subplan *sub, const npu__working *w, const npu__node *node, int32_t t,
                                        const uint8_t *busy, npu_diag *diag) {
    npu__place *p = &sub->places[t];
    if (p->pinned && p->root == t) return NPU_OK;
    if (p->at == NPU__AT_NOWHERE) return NPU_OK; /* nothing fits in: pinning will say so */
    if (p->pinned || p->at != NPU__AT_ARENA || busy[t]) {
        return npu__offline_fail(node, NPU_INVALID_MODEL, diag, w->scratch,
                                 "is the operator's scratch: it must not be computed, constant, an input or an output", t);
    }
    p->pinned = 1;
    p->offset = 0;
    return NPU_OK;
}

/* Tensors that something other than a scratch input of a compiled operator touches. */
NPU__FN void npu__offline_busy(const npu__subgraph *g, uint8_t *busy) {
    for (int32_t i = 0; i < g->n_in; i++) busy[g->in[i]] = 1;
    for (int32_t i = 0; i < g->n_out; i++) busy[g->out[i]] = 1;
    for (int32_t n = 0; n < g->n_nodes; n++) {
        const npu__node    *node = &g->nodes[n];
        const npu__working *w = npu__offline_working(node);
        for (int32_t i = 0; i < node->n_in; i++) {
            if (node->in[i] >= 0 && !(w && (i == w->memory || i == w->extra))) busy[node->in[i]] = 1;
        }
        for (int32_t i = 0; i < node->n_out; i++) busy[node->out[i]] = 1;
    }
}

/* A pinned tensor of an operator: bytes [first, end) of scratch tensor `root`. */
typedef struct npu__span_of {
    size_t  first, end;
    int32_t root, index;
    int32_t written;
} npu__span_of;

NPU__FN int npu__span_before(const void *x, const void *y) {
    const npu__span_of *a = (const npu__span_of *)x, *b = (const npu__span_of *)y;
    if (a->root != b->root) return a->root < b->root;
    return a->first != b->first ? a->first < b->first : a->index < b->index;
}

/* Operators that run here assume that their outputs lie apart from their inputs and from each other. Sorted, each span need
 * only be compared with the farthest end of those before it. */
NPU__FN int npu__offline_apart(const npu__subplan *sub, const npu__node *node, npu__span_of *spans) {
    size_t  end = 0, end_written = 0;
    int32_t n = 0;
    for (int32_t k = 0; k < node->n_in + node->n_out; k++) {
        const int32_t     t = k < node->n_in ? node->in[k] : node->out[k - node->n_in];
        const npu__place *p = t < 0 ? NULL : &sub->places[t];
        if (!p || !p->pinned || sub->vals[t].bytes == 0) continue;
        spans[n].first = p->offset;
        spans[n].end = p->offset + sub->vals[t].bytes;
        spans[n].root = p->root;
        spans[n].index = k;
        spans[n++].written = k >= node->n_in;
    }
    npu__sort(spans, (size_t)n, sizeof *spans, npu__span_before);
    for (int32_t k = 0; k < n; k++) {
        if (k == 0 || spans[k].root != spans[k - 1].root) end = end_written = 0;
        if (spans[k].first < (spans[k].written ? end : end_written)) return 0;
        end = NPU__MAX(end, spans[k].end);
        if (spans[k].written) end_written = NPU__MAX(end_written, spans[k].end);
    }
    return 1;
}

NPU__FN npu_status npu__offline_check_apart(const char *rule, const npu__subplan *sub, npu__pool *temp, npu_diag *diag) {
    const npu__subgraph *g = sub->g;
    npu__span_of        *spans;
    size_t               most = 0;
    for (int32_t n = 0; n < g->n_nodes; n++) most = NPU__MAX(most, (size_t)g->nodes[n].n_in + (size_t)g->nodes[n].n_out);
    spans = (npu__span_of *)npu__pool_alloc(temp, most, sizeof *spans);
    if (!spans) return NPU_OUT_OF_MEMORY;
    for (int32_t n = 0; n < g->n_nodes; n++) {
        if (npu__offline_working(&g->nodes[n]) || npu__offline_apart(sub, &g->nodes[n], spans)) continue;
        return npu__offline_fail(&g->nodes[n], NPU_INVALID_MODEL, diag, rule,
                                 "of this operator overlaps another one in the scratch memory", g->nodes[n].out[0]);
    }
    return NPU_OK;
}

/* Variables inside a scratch tensor keep their values between runs, and so does all of it. */
NPU__FN void npu__offline_keep(npu__subplan *sub) {
    for (int32_t t = 0; t < sub->g->n_tensors; t++) {
        if (sub->places[t].pinned && sub->vals[t].t->is_variable) sub->places[sub->places[t].root].at = NPU__AT_STATE;
    }
    for (int32_t t = 0; t < sub->g->n_tensors; t++) {
        if (sub->places[t].pinned) sub->places[t].at = sub->places[sub->places[t].root].at;
    }
}

NPU__FN npu_status npu__plan_offline(npu_plan *plan, npu__subplan *sub, npu__pool *temp, npu_diag *diag) {
    const npu__subgraph *g = sub->g;
    uint8_t             *busy = (uint8_t *)npu__pool_alloc(temp, (size_t)g->n_tensors, 1);
    const npu__working  *found = NULL;
    npu_status           s = NPU_OK;
    if (!busy) return NPU_OUT_OF_MEMORY;
    npu__offline_busy(g, busy);
    for (int32_t n = 0; s == NPU_OK && n < g->n_nodes; n++) {
        const npu__node    *node = &g->nodes[n];
        const npu__working *w = npu__offline_working(node);
        const int32_t       extra = w && w->extra >= 0 ? node->in[w->extra] : -1;
        if (!w) continue;
        found = w;
        if (extra >= 0 && sub->places[extra].at != NPU__AT_NOWHERE && busy[extra]) {
            s = npu__offline_fail(node, NPU_INVALID_MODEL, diag, w->scratch, "is fast scratch, and something else "
                                  "uses it", extra);
        }
        if (s == NPU_OK) s = npu__offline_scratch(sub, w, node, node->in[w->memory], busy, diag);
        for (int32_t i = w->first_map; s == NPU_OK && i < node->n_in; i++) {
            s = npu__offline_pin(plan, sub, w, node, node->in[i], diag);
        }
        for (int32_t i = 0; s == NPU_OK && i < node->n_out; i++) {
            s = npu__offline_pin(plan, sub, w, node, node->out[i], diag);
        }
    }
    if (found && s == NPU_OK) s = npu__offline_check_apart(found->offline_overlap, sub, temp, diag);
    if (found && s == NPU_OK) npu__offline_keep(sub);
    return s;
}

#endif
