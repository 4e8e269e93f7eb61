/* npu_graph_*: operators and their options. */
#include "custom.h"
#include "graph.h"

#if NPU__HAS_GRAPH

/* The builtin of that name; 32, CUSTOM, when there is none. */
NPU__FN int32_t npu__graph_code(const char *name) {
    const int32_t code = npu__builtin_code(name);
    return code >= 0 ? code : NPU__BUILTIN_CUSTOM;
}

/* Options that are given as soon as one of them is; those without fields always are, as converters write them. */
NPU__FN const npu__opts *npu__graph_opts(npu__pool *pool, int32_t table) {
    static const npu__opts empty = {NPU__T_NONE, 1};
    int32_t                n;
    npu__schema_fields(table, &n);
    return n == 0 && table != NPU__T_NONE ? &empty : npu__opts_from(pool, table, NULL);
}

NPU__FN npu_status npu__graph_add_op(npu_graph *g, npu__subgraph *sub, const npu_op_desc *d) {
    npu__pool     *pool = &g->draft.pool;
    npu__node     *list = (npu__node *)npu__graph_grow(pool, sub->nodes, sub->n_nodes, sizeof *list), *node;
    npu__node_spec spec;
    npu_status     s;
    if (!list) return npu__graph_oom(g);
    sub->nodes = list;
    node = &list[sub->n_nodes];
    memset(node, 0, sizeof *node);
    node->code = d->custom ? NPU__BUILTIN_CUSTOM : npu__graph_code(d->name);
    node->version = d->version ? d->version : 1;
    if (!npu__graph_str(g, node->code == NPU__BUILTIN_CUSTOM ? d->name : NULL, &node->custom_name)) return npu__graph_oom(g);
    spec.in = npu__graph_vec(d->inputs, d->n_inputs);
    spec.out = npu__graph_vec(d->outputs, d->n_outputs);
    spec.mid = npu__graph_vec(d->intermediates, d->n_intermediates);
    s = npu__build_node(&g->b, sub->n_nodes, &spec, sub->n_tensors, node);
    if (s != NPU_OK) return s;
    node->opts = npu__graph_opts(pool, npu__builtin_options_table(node->code));
    if (!node->opts) return npu__graph_oom(g);
    if (d->custom_options) {
        node->custom = (const uint8_t *)npu__dup_bytes(pool, d->custom_options, d->custom_options_bytes, 1);
        node->custom_bytes = d->custom_options_bytes;
        if (!node->custom) return npu__graph_oom(g);
    }
    node->opts = npu__custom_opts(pool, node, node->opts);
    return node->opts ? NPU_OK : npu__graph_oom(g);
}

NPU_API npu_status npu_graph_op(npu_graph *graph, int32_t subgraph, const npu_op_desc *desc, int32_t *index, npu_diag *diag) {
    npu__subgraph *sub = NULL;
    npu_status     s = npu__graph_enter(graph, "npu_graph_op", subgraph, &sub, diag);
    if (s != NPU_OK) return s;
    if (!desc || !desc->name || npu__graph_vec_bad(desc->inputs, desc->n_inputs) ||
        npu__graph_vec_bad(desc->outputs, desc->n_outputs) || npu__graph_vec_bad(desc->intermediates, desc->n_intermediates) ||
        (!desc->custom_options && desc->custom_options_bytes)) {
        return NPU__GRAPH_FAIL(graph, "npu_graph_op: needs a name, and lists whose lengths are not negative and which are not "
                               "NULL");
    }
    npu__graph_give(graph, sizeof(npu__node) + 4 * ((uint64_t)desc->n_inputs + (uint64_t)desc->n_outputs +
                                                    (uint64_t)desc->n_intermediates)); /* bounded: numbers of 31 bits */
    npu__graph_give(graph, desc->custom_options_bytes);
    s = npu__build_count(&graph->b, 0, 1);
    if (s == NPU_OK) s = npu__graph_add_op(graph, sub, desc);
    if (s != NPU_OK) {
        graph->b.n_ops--;
        return s;
    }
    if (index) *index = sub->n_nodes;
    sub->n_nodes++; /* bounded: max_ops */
    return NPU_OK;
}

#endif
