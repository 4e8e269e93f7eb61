/* Feature maps of compiled operators ("ethos-u") lie inside their scratch tensor, at offsets that the compiler wrote into
 * the model's metadata. The arena has no choice there: such tensors are pinned before anything else is laid out. */
#include "plan.h"
#if NPU__HAS_ETHOSU

/* Metadata "OfflineMemoryAllocation": int32 version (0), number of subgraphs, number of tensors, then an offset for each
 * tensor, subgraph after subgraph, -1 where the run time decides. */
typedef struct npu__offline {
    const uint8_t *offsets; /* NULL: the model has none */
    int64_t        n;
} npu__offline;

#define NPU__OFFLINE_HEADER 3
#define NPU__OFFLINE_ALIGN 16 /* Vela's smallest alignment of a tensor */

NPU__FN int32_t npu__offline_i32(const uint8_t *p, int64_t i) {
    int32_t v;
    memcpy(&v, p + (size_t)i * sizeof v, sizeof v);
    return v;
}

/* The part about subgraph `g`. */
NPU__FN npu__offline npu__offline_find(const npu_model *model, const npu__subgraph *g) {
    npu__offline o = {NULL, 0};
    int32_t      n = npu_model_metadata(model, 0, NULL, NULL, NULL, NULL);
    int64_t      skip = 0;
    for (const npu__subgraph *s = model->subgraphs; s < g; s++) skip += s->n_tensors;
    for (int32_t i = 0; i < n; i++) {
        const char *name;
        const void *data;
        size_t      len, bytes;
        npu__str    s;
        if (npu_model_metadata(model, i, &name, &len, &data, &bytes) < 0) continue;
        s.p = name;
        s.n = len;
        if (!npu__str_is(s, "OfflineMemoryAllocation") || !data || bytes < NPU__OFFLINE_HEADER * 4) continue;
        o.n = NPU__MIN((int64_t)(bytes / 4) - NPU__OFFLINE_HEADER, npu__offline_i32((const uint8_t *)data, 2)) - skip;
        if (o.n > 0) o.offsets = (const uint8_t *)data + (size_t)(NPU__OFFLINE_HEADER + skip) * 4;
        return o;
    }
    return o;
}

NPU__FN int npu__offline_compiled(const npu__node *node) {
    return node->code == NPU__BUILTIN_CUSTOM && npu__str_is(node->custom_name, "ethos-u") && node->n_in >= 4;
}

NPU__FN npu_status npu__offline_fail(const npu__node *node, npu_status s, npu_diag *diag, const char *rule,
                                     const char *text, int64_t tensor) {
    npu__diag_fail(diag, s, rule, "ethos-u (subgraph %d, operator %d): tensor %l %s", node->subgraph, node->index, tensor,
                   text);
    if (diag) {
        diag->subgraph = node->subgraph;
        diag->op = node->index;
    }
    return s;
}

/* Vela leaves feature maps that it only passes on (int64) out of the scratch tensor's size: it must reach to the end of all. */
NPU__FN void npu__offline_grow(const npu__subplan *sub, const npu__offline *o, int32_t t, int32_t scratch) {
    const int64_t offset = t >= 0 && t < o->n ? npu__offline_i32(o->offsets, t) : -1;
    size_t        end;
    if (offset < 0 || scratch < 0 || sub->vals[scratch].data) return;
    if (npu__add_size((size_t)offset, sub->vals[t].bytes, &end) && end > sub->vals[scratch].bytes) {
        sub->vals[scratch].bytes = end;
    }
}

NPU__FN void npu__plan_offline_sizes(const npu_model *model, npu__subplan *sub) {
    const npu__offline o = npu__offline_find(model, sub->g);
    for (int32_t n = 0; o.n > 0 && n < sub->g->n_nodes; n++) {
        const npu__node *node = &sub->g->nodes[n];
        if (!npu__offline_compiled(node)) continue;
        for (int32_t i = 4; i < node->n_in; i++) npu__offline_grow(sub, &o, node->in[i], node->in[2]);
        for (int32_t i = 0; i < node->n_out; i++) npu__offline_grow(sub, &o, node->out[i], node->in[2]);
    }
}

/* Pins tensor t at its offset inside `scratch`. The same tensor may come up at several operators. */
NPU__FN npu_status npu__offline_pin(npu__subplan *sub, const npu__offline *o, const npu__node *node, int32_t t,
                                    int32_t scratch, npu_diag *diag) {
    npu__place    *p = &sub->places[t];
    const int64_t  offset = t < o->n ? npu__offline_i32(o->offsets, t) : -1;
    const size_t   room = sub->vals[scratch].bytes;
    if (p->pinned) {
        if (p->root == scratch) return NPU_OK;
        return npu__offline_fail(node, NPU_INVALID_MODEL, diag, "ethos_u.offline_scratch",
                                 "belongs to two scratch tensors", t);
    }
    if (p->at == NPU__AT_NOWHERE) return NPU_OK; /* 0 bytes */
    if (p->at != NPU__AT_ARENA && p->at != NPU__AT_STATE) {
        return npu__offline_fail(node, NPU_UNSUPPORTED, diag, "ethos_u.offline_constant",
                                 "is a feature map that is constant or has no fixed size", t);
    }
    if (offset < 0) {
        return npu__offline_fail(node, NPU_INVALID_MODEL, diag, "ethos_u.offline_missing",
                                 "has no offset in the metadata OfflineMemoryAllocation: compile the model with Vela "
                                 "again", t);
    }
    if (offset % NPU__OFFLINE_ALIGN || (size_t)offset > room || sub->vals[t].bytes > room - (size_t)offset) {
        return npu__offline_fail(node, NPU_INVALID_MODEL, diag, "ethos_u.offline_offset",
                                 "has an offset that is no multiple of 16 or outside of the scratch tensor", t);
    }
    p->root = scratch;
    p->offset = (size_t)offset;
    p->pinned = 1;
    return NPU_OK;
}

/* A scratch tensor belongs to compiled operators alone: nobody else writes or reads it. */
NPU__FN npu_status npu__offline_scratch(npu__subplan *sub, const npu__node *node, int32_t t, const uint8_t *busy,
                                        npu_diag *diag) {
    npu__place *p = &sub->places[t];
    if (p->pinned && p->root == t) return NPU_OK;
    if (p->at == NPU__AT_NOWHERE) return NPU_OK; /* nothing fits in: pinning will say so */
    if (p->pinned || p->at != NPU__AT_ARENA || busy[t]) {
        return npu__offline_fail(node, NPU_INVALID_MODEL, diag, "ethos_u.scratch",
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
        const npu__node *node = &g->nodes[n];
        const int        compiled = npu__offline_compiled(node);
        for (int32_t i = 0; i < node->n_in; i++) {
            if (node->in[i] >= 0 && !(compiled && (i == 2 || i == 3))) busy[node->in[i]] = 1;
        }
        for (int32_t i = 0; i < node->n_out; i++) busy[node->out[i]] = 1;
    }
}

/* Operators that run here assume that their outputs lie apart from their inputs. */
NPU__FN int npu__offline_apart(const npu__subplan *sub, const npu__node *node) {
    for (int32_t i = 0; i < node->n_out; i++) {
        const npu__place *po = &sub->places[node->out[i]];
        const size_t      out_bytes = sub->vals[node->out[i]].bytes;
        if (!po->pinned) continue;
        for (int32_t k = 0; k < node->n_in + i; k++) {
            const int32_t     t = k < node->n_in ? node->in[k] : node->out[k - node->n_in];
            const npu__place *pi = t < 0 ? NULL : &sub->places[t];
            if (!pi || !pi->pinned || pi->root != po->root) continue;
            if (pi->offset < po->offset + out_bytes && po->offset < pi->offset + sub->vals[t].bytes) return 0;
        }
    }
    return 1;
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
    npu__offline         o = npu__offline_find(plan->model, g);
    int32_t              found = 0;
    npu_status           s = NPU_OK;
    if (!busy) return npu__diag_fail(diag, NPU_OUT_OF_MEMORY, "plan.memory", "no memory to lay out the arena");
    npu__offline_busy(g, busy);
    for (int32_t n = 0; s == NPU_OK && n < g->n_nodes; n++) {
        const npu__node *node = &g->nodes[n];
        if (!npu__offline_compiled(node)) continue;
        found = 1;
        if (node->in[3] >= 0 && sub->places[node->in[3]].at != NPU__AT_NOWHERE && busy[node->in[3]]) {
            s = npu__offline_fail(node, NPU_INVALID_MODEL, diag, "ethos_u.scratch", "is fast scratch, and something else "
                                  "uses it", node->in[3]);
        }
        if (s == NPU_OK) s = npu__offline_scratch(sub, node, node->in[2], busy, diag);
        for (int32_t i = 4; s == NPU_OK && i < node->n_in; i++) s = npu__offline_pin(sub, &o, node, node->in[i], node->in[2], diag);
        for (int32_t i = 0; s == NPU_OK && i < node->n_out; i++) s = npu__offline_pin(sub, &o, node, node->out[i], node->in[2], diag);
    }
    for (int32_t n = 0; found && s == NPU_OK && n < g->n_nodes; n++) {
        if (npu__offline_compiled(&g->nodes[n]) || npu__offline_apart(sub, &g->nodes[n])) continue;
        s = npu__offline_fail(&g->nodes[n], NPU_INVALID_MODEL, diag, "ethos_u.offline_overlap",
                              "of this operator overlaps another one in the scratch memory", g->nodes[n].out[0]);
    }
    if (found && s == NPU_OK) npu__offline_keep(sub);
    return s;
}

#endif
