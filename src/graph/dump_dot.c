/* The graph as Graphviz draws it: a cluster for each subgraph, operators with the constants they read, edges with types and shapes. */
#include "../tflite/schema.h"
#include "dump.h"

#if NPU__HAS_REPORTS

enum { NPU__DOT_CONSTANTS = 8 }; /* listed in an operator */

/* Where a tensor comes from: an operator by its index, an input of the subgraph, or nobody (a constant, a variable). */
#define NPU__DOT_NOBODY INT32_MIN
#define NPU__DOT_INPUT(i) (-1 - (i))

typedef struct npu__dot {
    npu__text            t;
    const npu_model     *m;
    const npu__subgraph *g;
    int32_t              index, *from; /* of the subgraph; by tensor */
} npu__dot;

/* A name between quotes: those, and what escapes them, are escaped; newlines and broken UTF-8 become '?' as in all text. */
NPU__FN void npu__dot_name(npu__text *t, npu__str name) {
    int      cut;
    npu__str s = npu__text_short(name, &cut), piece;
    for (size_t i = 0; i < s.n; i += piece.n) {
        piece.p = s.p + i;
        piece.n = 0;
        if (*piece.p == '"' || *piece.p == '\\') {
            npu__text_put(t, "\\", 1);
            npu__text_put(t, piece.p, 1);
            piece.n = 1;
            continue;
        }
        while (i + piece.n < s.n && piece.p[piece.n] != '"' && piece.p[piece.n] != '\\') piece.n++;
        npu__text_name(t, piece);
    }
    if (cut) npu__text_put(t, "...", 3);
}

NPU__FN void npu__dot_type(npu__dot *d, int32_t tensor) {
    const npu__tensor *x = &d->g->tensors[tensor];
    npu__dump_type_shape(&d->t, x->type, &x->signature);
}

/* The node's constants and variables, a line each. */
NPU__FN void npu__dot_constants(npu__dot *d, const npu__node *node) {
    int32_t n = 0;
    for (int32_t i = 0; i < node->n_in; i++) {
        const int32_t in = node->in[i];
        if (in < 0 || d->from[in] != NPU__DOT_NOBODY || n++ >= NPU__DOT_CONSTANTS) continue;
        npu__text_f(&d->t, d->g->tensors[in].is_variable ? "\\nvariable " : "\\n");
        npu__dot_type(d, in);
        npu__text_put(&d->t, " ", 1);
        npu__dot_name(&d->t, d->g->tensors[in].name);
    }
    if (n > NPU__DOT_CONSTANTS) npu__text_f(&d->t, "\\nand %d more", n - NPU__DOT_CONSTANTS);
}

/* The name of a tensor's node or operator: the beginning of an edge. */
NPU__FN void npu__dot_source(npu__dot *d, int32_t tensor) {
    const int32_t from = d->from[tensor];
    if (from >= 0) npu__text_f(&d->t, "  s%dn%d", d->index, from);
    else npu__text_f(&d->t, "  s%di%d", d->index, NPU__DOT_INPUT(from));
}

NPU__FN void npu__dot_edge(npu__dot *d, int32_t tensor, char kind, int32_t to) {
    if (tensor < 0 || d->from[tensor] == NPU__DOT_NOBODY) return;
    npu__dot_source(d, tensor);
    npu__text_f(&d->t, " -> s%d%c%d [label=\"", d->index, kind, to);
    npu__dot_type(d, tensor);
    npu__text_f(&d->t, "\", tooltip=\"t%d ", tensor);
    npu__dot_name(&d->t, d->g->tensors[tensor].name);
    npu__text_f(&d->t, "\"];\n");
}

NPU__FN void npu__dot_border(npu__dot *d, char kind, int32_t i, int32_t tensor) {
    npu__text_f(&d->t, "    s%d%c%d [shape=ellipse, label=\"%s %d\\n", d->index, kind, i, kind == 'i' ? "input" : "output", i);
    npu__dot_name(&d->t, d->g->tensors[tensor].name);
    npu__text_f(&d->t, "\\n");
    npu__dot_type(d, tensor);
    npu__text_f(&d->t, "\"];\n");
}

/* Subgraphs that an operator calls are options of it: then_subgraph_index, body_subgraph_index, ... */
NPU__FN void npu__dot_calls(npu__dot *d, const npu__node *node) {
    static const npu__str    tail = {"_subgraph_index", 15};
    int32_t                  n, called;
    const npu__schema_field *f = npu__schema_fields(node->opts->table, &n);
    for (int32_t i = 0; i < n; i++) {
        npu__str name = npu__str_of(npu__schema_field_name(&f[i]));
        if (f[i].kind != NPU__K_I32 || name.n <= tail.n || memcmp(name.p + name.n - tail.n, tail.p, tail.n) != 0) continue;
        memcpy(&called, (const uint8_t *)node->opts + npu__opts_offset(node->opts->table, i, NPU_MACHINE_THIS), sizeof called);
        if (called < 0 || called >= d->m->n_subgraphs) continue;
        name.n -= tail.n;
        npu__text_f(&d->t, "  s%dn%d -> s%d [style=dashed, lhead=cluster_%d, label=\"%S\"];\n", d->index, node->index, called, called,
                    &name);
    }
}

NPU__FN void npu__dot_nodes(npu__dot *d) {
    const npu__subgraph *g = d->g;
    npu__text_f(&d->t, "  subgraph cluster_%d {\n    label=\"subgraph %d ", d->index, d->index);
    npu__dot_name(&d->t, g->name);
    npu__text_f(&d->t, "\";\n    s%d [shape=point, style=invis];\n", d->index);
    for (int32_t i = 0; i < g->n_in; i++) npu__dot_border(d, 'i', i, g->in[i]);
    for (int32_t i = 0; i < g->n_nodes; i++) {
        npu__text_f(&d->t, "    s%dn%d [label=\"%d ", d->index, i, i);
        npu__dot_name(&d->t, npu__node_name(&g->nodes[i]));
        npu__dot_constants(d, &g->nodes[i]);
        npu__text_f(&d->t, g->nodes[i].def ? "\"];\n" : "\", color=red];\n");
    }
    for (int32_t i = 0; i < g->n_out; i++) npu__dot_border(d, 'o', i, g->out[i]);
    npu__text_f(&d->t, "  }\n");
}

NPU__FN int npu__dot_subgraph(npu__dot *d, npu__pool *temp) {
    const npu__subgraph *g = d->g;
    d->from = (int32_t *)npu__pool_alloc(temp, (size_t)g->n_tensors, sizeof *d->from);
    if (!d->from) return 0;
    for (int32_t t = 0; t < g->n_tensors; t++) d->from[t] = NPU__DOT_NOBODY;
    for (int32_t i = 0; i < g->n_in; i++) d->from[g->in[i]] = NPU__DOT_INPUT(i);
    for (int32_t n = 0; n < g->n_nodes; n++) {
        for (int32_t i = 0; i < g->nodes[n].n_out; i++) d->from[g->nodes[n].out[i]] = n;
    }
    npu__dot_nodes(d);
    for (int32_t n = 0; n < g->n_nodes; n++) {
        for (int32_t i = 0; i < g->nodes[n].n_in; i++) npu__dot_edge(d, g->nodes[n].in[i], 'n', n);
        npu__dot_calls(d, &g->nodes[n]);
    }
    for (int32_t i = 0; i < g->n_out; i++) npu__dot_edge(d, g->out[i], 'o', i);
    return 1;
}

NPU__FN npu_status npu__dump_dot(const npu_model *model, const npu_writer *writer, npu_diag *diag) {
    npu__dot  d;
    npu__pool temp;
    int       ok = 1;
    memset(&d, 0, sizeof d);
    npu__text_init(&d.t, writer);
    d.m = model;
    npu__pool_init(&temp, &model->pool.allocator, UINT64_MAX);
    npu__text_f(&d.t, "digraph model {\n  compound=true;\n  node [shape=box, fontname=\"sans-serif\", fontsize=11];\n"
                      "  edge [fontname=\"sans-serif\", fontsize=9];\n");
    for (d.index = 0; ok && d.index < model->n_subgraphs; d.index++) {
        d.g = &model->subgraphs[d.index];
        ok = npu__dot_subgraph(&d, &temp);
    }
    npu__text_f(&d.t, "}\n");
    npu__pool_free(&temp);
    if (!ok) return npu__diag_fail(diag, NPU_OUT_OF_MEMORY, "api.memory", "no memory to draw the graph");
    return npu__text_end(&d.t, diag);
}

#endif
