/* npu_graph_option_*: fields of the options structs by their names in the schema. */
#include "graph.h"

#if NPU__HAS_GRAPH

/* A field that is to be set: where it lies and what it takes. */
typedef struct npu__option {
    const npu__node         *node;
    const npu__schema_field *field;
    void                    *at;
    const char              *name;
} npu__option;

NPU__FN npu_status npu__option_unknown(npu_graph *g, const npu__node *node, const char *name) {
    int32_t                  n;
    const npu__schema_field *f = npu__schema_fields(npu__builtin_options_table(node->code), &n);
    const npu__str           op = npu__node_name(node);
    char                     list[160] = "";
    size_t                   used = 0;
    npu__diag_about(g->b.diag, node);
    if (node->code == NPU__BUILTIN_CUSTOM) {
        return NPU__BUILD_FAIL(&g->b, NPU_INVALID_ARGUMENT, "graph.option_name", "the custom operator %S takes its options as "
                               "bytes: npu_op_desc.custom_options", &op);
    }
    for (int32_t i = 0; i < n && used < sizeof list; i++) {
        /* bounded: by the list */
        used += npu__format(list + used, sizeof list - used, i ? ", %s" : "%s", npu__schema_field_name(&f[i]));
    }
    return NPU__BUILD_FAIL(&g->b, NPU_INVALID_ARGUMENT, "graph.option_name", "%S has no option %s, it has %s", &op, name,
                           n ? list : "none");
}

/* Finds it. `what`: the public function. */
NPU__FN npu_status npu__option_find(npu_graph *g, const char *what, int32_t subgraph, int32_t op, const char *name,
                                    npu__option *o, npu_diag *diag) {
    npu__subgraph           *sub = NULL;
    const npu__schema_field *f;
    int32_t                  n, i = 0;
    npu_status               s = npu__graph_enter(g, what, subgraph, &sub, diag);
    memset(o, 0, sizeof *o); /* compilers cannot see that nobody reads it after a failure */
    if (s != NPU_OK) return s;
    if (!name) return NPU__GRAPH_FAIL(g, "%s: name must not be NULL", what);
    if (op < 0 || op >= sub->n_nodes) {
        return NPU__GRAPH_FAIL(g, "%s: there is no operator %d, subgraph %d has %d so far", what, op, subgraph, sub->n_nodes);
    }
    o->node = &sub->nodes[op];
    o->name = name;
    f = npu__schema_fields(o->node->opts->table, &n);
    while (i < n && strcmp(npu__schema_field_name(&f[i]), name) != 0) i++;
    if (i == n) return npu__option_unknown(g, o->node, name);
    o->field = &f[i];
    o->at = (uint8_t *)(uintptr_t)o->node->opts + npu__opts_offset(o->node->opts->table, i, NPU_MACHINE_THIS);
    return NPU_OK;
}

NPU__FN npu_status npu__option_kind(npu_graph *g, const npu__option *o, const char *kind) {
    const npu__str op = npu__node_name(o->node);
    npu__diag_about(g->b.diag, o->node);
    return NPU__BUILD_FAIL(&g->b, NPU_INVALID_ARGUMENT, "graph.option_kind", "option %s of %S is not %s", o->name, &op, kind);
}

NPU__FN npu_status npu__option_range(npu_graph *g, const npu__option *o, int64_t lo, int64_t hi) {
    const npu__str op = npu__node_name(o->node);
    npu__diag_about(g->b.diag, o->node);
    return NPU__BUILD_FAIL(&g->b, NPU_INVALID_ARGUMENT, "graph.option_range", "option %s of %S takes values from %l to %l", o->name,
                           &op, lo, hi);
}

NPU__FN void npu__option_given(const npu__option *o) { ((npu__opts *)(uintptr_t)o->node->opts)->given = 1; }

/* What an integer field, or an element of a list of integers, holds. False for other kinds. */
NPU__FN int npu__option_limits(int32_t kind, int64_t *lo, int64_t *hi) {
    *lo = 0;
    switch (kind) {
    case NPU__K_BOOL: case NPU__K_VBOOL: *hi = 1; return 1;
    case NPU__K_I8: *lo = INT8_MIN; *hi = INT8_MAX; return 1;
    case NPU__K_VU8: *hi = UINT8_MAX; return 1;
    case NPU__K_VU16: *hi = UINT16_MAX; return 1;
    case NPU__K_U32: case NPU__K_VU32: *hi = UINT32_MAX; return 1;
    case NPU__K_I32: case NPU__K_VI32: *lo = INT32_MIN; *hi = INT32_MAX; return 1;
    case NPU__K_I64: case NPU__K_VI64: *lo = INT64_MIN; *hi = INT64_MAX; return 1;
    default: return 0;
    }
}

NPU__FN npu_status npu__option_set_int(npu_graph *g, const npu__option *o, int64_t value) {
    int64_t lo, hi;
    if (o->field->kind >= NPU__K_STR || !npu__option_limits(o->field->kind, &lo, &hi)) return npu__option_kind(g, o, "a number");
    if (value < lo || value > hi) return npu__option_range(g, o, lo, hi);
    if (o->field->kind == NPU__K_I64) *(int64_t *)o->at = value;
    else if (o->field->kind == NPU__K_U32) *(uint32_t *)o->at = (uint32_t)value;
    else *(int32_t *)o->at = (int32_t)value;
    npu__option_given(o);
    return NPU_OK;
}

NPU_API npu_status npu_graph_option_int(npu_graph *graph, int32_t subgraph, int32_t op, const char *name, int64_t value,
                                        npu_diag *diag) {
    npu__option o;
    npu_status  s = npu__option_find(graph, "npu_graph_option_int", subgraph, op, name, &o, diag);
    return s == NPU_OK ? npu__option_set_int(graph, &o, value) : s;
}

NPU_API npu_status npu_graph_option_float(npu_graph *graph, int32_t subgraph, int32_t op, const char *name, double value,
                                          npu_diag *diag) {
    npu__option o;
    npu_status  s = npu__option_find(graph, "npu_graph_option_float", subgraph, op, name, &o, diag);
    if (s != NPU_OK) return s;
    if (o.field->kind != NPU__K_F32) return npu__option_kind(graph, &o, "a float");
    if (value - value == 0 && (value > (double)FLT_MAX || value < -(double)FLT_MAX)) { /* infinities and NaN are floats */
        const npu__str what = npu__node_name(o.node);
        npu__diag_about(graph->b.diag, o.node);
        return NPU__BUILD_FAIL(&graph->b, NPU_INVALID_ARGUMENT, "graph.option_range", "option %s of %S: %g is no number of 32 bits",
                               name, &what, value);
    }
    *(float *)o.at = (float)value;
    npu__option_given(&o);
    return NPU_OK;
}

NPU_API npu_status npu_graph_option_str(npu_graph *graph, int32_t subgraph, int32_t op, const char *name, const char *value,
                                        npu_diag *diag) {
    npu__option o;
    npu__str    text;
    npu_status  s = npu__option_find(graph, "npu_graph_option_str", subgraph, op, name, &o, diag);
    if (s != NPU_OK) return s;
    if (!value) return NPU__GRAPH_FAIL(graph, "npu_graph_option_str: value must not be NULL");
    if (o.field->kind == NPU__K_STR) {
        if (!npu__graph_str(graph, value, &text)) return npu__graph_oom(graph);
        *(npu__str *)o.at = text;
        npu__option_given(&o);
        return NPU_OK;
    }
    if (o.field->kind > NPU__K_STR || !o.field->sub) return npu__option_kind(graph, &o, "a string or an enum");
    for (int64_t i = 0; i < 256; i++) { /* bounded: enums are bytes */
        const npu__str is = npu__enum_name(o.field->sub, i);
        if (is.n && npu__str_is(is, value)) return npu__option_set_int(graph, &o, i);
    }
    return npu__option_kind(graph, &o, value);
}

/* A list of that many elements in the draft, set as soon as it is filled. */
NPU__FN npu_status npu__option_list(npu_graph *g, const npu__option *o, const void *values, int32_t n, uint8_t **out) {
    if (npu__graph_vec_bad(values, n)) {
        return NPU__GRAPH_FAIL(g, "option %s: a list must not be NULL, nor of negative length", o->name);
    }
    npu__graph_give(g, (uint64_t)n * npu__kind_bytes(o->field->kind)); /* bounded: 31 bits times a few bytes */
    *out = (uint8_t *)npu__pool_alloc(&g->draft.pool, (size_t)n, npu__kind_bytes(o->field->kind));
    return *out ? NPU_OK : npu__graph_oom(g);
}

NPU__FN void npu__option_set_list(const npu__option *o, const uint8_t *list, int32_t n) {
    npu__vec v;
    v.p = list;
    v.n = (uint32_t)n;
    *(npu__vec *)o->at = v;
    npu__option_given(o);
}

NPU_API npu_status npu_graph_option_ints(npu_graph *graph, int32_t subgraph, int32_t op, const char *name,
                                         const int64_t *values, int32_t n, npu_diag *diag) {
    npu__option o;
    int64_t     lo, hi;
    size_t      bytes;
    uint8_t    *list;
    npu_status  s = npu__option_find(graph, "npu_graph_option_ints", subgraph, op, name, &o, diag);
    if (s != NPU_OK) return s;
    if (o.field->kind <= NPU__K_STR || !npu__option_limits(o.field->kind, &lo, &hi)) {
        return npu__option_kind(graph, &o, "a list of integers");
    }
    s = npu__option_list(graph, &o, values, n, &list);
    if (s != NPU_OK) return s;
    bytes = npu__kind_bytes(o.field->kind);
    for (int32_t i = 0; i < n; i++) {
        if (values[i] < lo || values[i] > hi) return npu__option_range(graph, &o, lo, hi);
        memcpy(list + (size_t)i * bytes, &values[i], bytes); /* bounded: it was allocated; numbers are little-endian (config.h) */
    }
    npu__option_set_list(&o, list, n);
    return NPU_OK;
}

NPU_API npu_status npu_graph_option_floats(npu_graph *graph, int32_t subgraph, int32_t op, const char *name,
                                           const float *values, int32_t n, npu_diag *diag) {
    npu__option o;
    uint8_t    *list;
    npu_status  s = npu__option_find(graph, "npu_graph_option_floats", subgraph, op, name, &o, diag);
    if (s != NPU_OK) return s;
    if (o.field->kind != NPU__K_VF32) return npu__option_kind(graph, &o, "a list of floats");
    s = npu__option_list(graph, &o, values, n, &list);
    if (s != NPU_OK) return s;
    if (n) memcpy(list, values, (size_t)n * sizeof(float)); /* bounded: it was allocated */
    npu__option_set_list(&o, list, n);
    return NPU_OK;
}

#endif
