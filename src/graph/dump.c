/* Dumping a model: every subgraph, tensor and operator. Options are printed from the schema's own field list. */
#include "../tflite/flexbuf.h"
#include "../tflite/schema.h"
#include "dump.h"

#if NPU__HAS_REPORTS

#define NPU__DUMP_LIST 16 /* longest vector or channel list printed whole */

NPU__FN void npu__dump_type_shape(npu__text *t, int32_t type, const npu__shape *shape) {
    npu__text_f(t, "%s[", npu_type_name((npu_type)type));
    for (int32_t i = 0; i < shape->rank; i++) npu__text_f(t, i ? ",%d" : "%d", shape->dims[i]);
    npu__text_put(t, "]", 1);
}

NPU__FN void npu__json_shape(npu__text *t, const char *key, const npu__shape *shape) {
    npu__json_open(t, key, '[');
    for (int32_t i = 0; i < shape->rank; i++) npu__json_int(t, NULL, shape->dims[i]);
    npu__json_close(t, ']');
}

NPU__FN void npu__json_quant(npu__text *t, const npu_quant *q) {
    int32_t n = NPU__MIN(q->count, NPU__DUMP_LIST);
    if (q->count < 1) return;
    npu__json_open(t, "quantization", '{');
    npu__json_int(t, "channels", q->count);
    npu__json_int(t, "axis", q->axis);
    npu__json_open(t, "scale", '[');
    for (int32_t i = 0; i < n; i++) npu__json_num(t, NULL, (double)q->scale[i]);
    npu__json_close(t, ']');
    npu__json_open(t, "zero_point", '[');
    for (int32_t i = 0; i < n; i++) npu__json_int(t, NULL, q->zero_point[i]);
    npu__json_close(t, ']');
    npu__json_close(t, '}');
}

/* A number of an options struct, or an element of one of its vectors. Neither need be aligned. */
NPU__FN int64_t npu__dump_int(const uint8_t *p, int32_t kind) {
    switch (kind) {
    case NPU__K_U32: case NPU__K_VU32: return (int64_t)npu__rd_u32(p);
    case NPU__K_I64: case NPU__K_VI64: return npu__rd_i64(p);
    case NPU__K_VBOOL: case NPU__K_VU8: return *p;
    case NPU__K_VU16: return npu__rd_u16(p);
    default: return npu__rd_i32(p);
    }
}

typedef struct npu__dumper {
    npu__text t;
    int       json;
    int       any; /* text: an option was printed already */
} npu__dumper;

NPU__FN void npu__dump_number(npu__dumper *d, const char *key, const uint8_t *p, const npu__schema_field *f) {
    npu__str name = npu__str_of("");
    if (f->kind == NPU__K_F32 || f->kind == NPU__K_VF32) {
        double v = (double)npu__rd_f32(p);
        if (d->json) npu__json_num(&d->t, key, v);
        else npu__text_f(&d->t, "%g", v);
        return;
    }
    {
        int64_t v = npu__dump_int(p, f->kind);
        if (f->kind == NPU__K_I8 && f->sub) name = npu__enum_name(f->sub, v);
        if (f->kind == NPU__K_BOOL) name = npu__str_of(v ? "true" : "false");
        if (d->json && f->kind == NPU__K_BOOL) npu__json_bool(&d->t, key, v != 0);
        else if (d->json && name.n) npu__json_str(&d->t, key, name);
        else if (d->json) npu__json_int(&d->t, key, v);
        else if (name.n) npu__text_f(&d->t, "%S", &name);
        else npu__text_f(&d->t, "%l", v);
    }
}

NPU__FN void npu__dump_vector(npu__dumper *d, const npu__schema_field *f, npu__vec v) {
    uint32_t n = NPU__MIN(v.n, (uint32_t)NPU__DUMP_LIST), bytes = npu__kind_bytes(f->kind);
    if (d->json) npu__json_open(&d->t, npu__schema_field_name(f), '[');
    else npu__text_put(&d->t, "[", 1);
    for (uint32_t i = 0; i < n; i++) {
        if (!d->json && i) npu__text_put(&d->t, ",", 1);
        npu__dump_number(d, NULL, v.p + (size_t)i * bytes, f); /* bounded: a vector that lies in the file */
    }
    if (d->json) npu__json_close(&d->t, ']');
    else npu__text_f(&d->t, v.n > n ? ",...]" : "]");
}

NPU__FN void npu__dump_options(npu__dumper *d, const npu__node *node) {
    const int32_t            table = node->opts->table;
    int32_t                  n;
    const npu__schema_field *f = npu__schema_fields(table, &n);
    if (!node->opts->given) return;
    for (int32_t i = 0; i < n; i++) {
        const char    *name = npu__schema_field_name(&f[i]);
        const uint8_t *at = (const uint8_t *)node->opts + npu__opts_offset(table, i, NPU_MACHINE_THIS);
        npu__str       s;
        npu__vec       v;
        if (!d->json) npu__text_f(&d->t, d->any ? ", %s=" : "%s=", name);
        d->any = 1;
        if (f[i].kind == NPU__K_STR) {
            memcpy(&s, at, sizeof s);
            if (d->json) npu__json_str(&d->t, name, s);
            else npu__text_f(&d->t, "\"%S\"", &s);
        } else if (f[i].kind > NPU__K_STR) {
            memcpy(&v, at, sizeof v);
            npu__dump_vector(d, &f[i], v);
        } else {
            npu__dump_number(d, name, at, &f[i]);
        }
    }
}

NPU__FN void npu__dump_tensor(npu__dumper *d, const npu__tensor *x, int32_t i) {
    if (d->json) {
        npu__json_open(&d->t, NULL, '{');
        npu__json_int(&d->t, "index", i);
        npu__json_str(&d->t, "name", x->name);
        npu__json_z(&d->t, "type", npu_type_name((npu_type)x->type));
        npu__json_shape(&d->t, "shape", &x->shape);
        if (!npu__shape_eq(&x->shape, &x->signature)) npu__json_shape(&d->t, "shape_signature", &x->signature);
        npu__json_quant(&d->t, &x->quant);
        if (x->data) npu__json_int(&d->t, "constant_bytes", (int64_t)x->data_bytes);
        if (x->is_variable) npu__json_bool(&d->t, "variable", 1);
        if (x->sparsity) npu__json_bool(&d->t, "sparse", 1);
        npu__json_close(&d->t, '}');
        return;
    }
    npu__text_f(&d->t, "  t%d ", i);
    npu__dump_type_shape(&d->t, x->type, &x->signature);
    if (x->quant.count == 1) {
        npu__text_f(&d->t, " scale=%g zero_point=%d", (double)x->quant.scale[0], x->quant.zero_point[0]);
    } else if (x->quant.count > 1) {
        npu__text_f(&d->t, " %d scales along axis %d", x->quant.count, x->quant.axis);
    }
    if (x->data) npu__text_f(&d->t, " constant, %z bytes", x->data_bytes);
    if (x->is_variable) npu__text_f(&d->t, " variable");
    if (x->sparsity) npu__text_f(&d->t, " sparse");
    npu__text_f(&d->t, " \"%S\"\n", &x->name);
}

NPU__FN void npu__dump_indices(npu__dumper *d, const char *key, const int32_t *p, int32_t n) {
    if (d->json) npu__json_open(&d->t, key, '[');
    for (int32_t i = 0; i < n; i++) {
        if (d->json) npu__json_int(&d->t, NULL, p[i]);
        else if (p[i] < 0) npu__text_f(&d->t, i ? ", -" : "-");
        else npu__text_f(&d->t, i ? ", t%d" : "t%d", p[i]);
    }
    if (d->json) npu__json_close(&d->t, ']');
}

NPU__FN void npu__dump_node(npu__dumper *d, const npu__node *node) {
    npu__str name = npu__node_name(node);
    d->any = 0;
    if (d->json) {
        npu__json_open(&d->t, NULL, '{');
        npu__json_int(&d->t, "index", node->index);
        npu__json_str(&d->t, "op", name);
        npu__json_int(&d->t, "builtin_code", npu__builtin_file_code(node->code));
        npu__json_int(&d->t, "version", node->version);
        npu__json_bool(&d->t, "known", node->def != NULL);
        npu__dump_indices(d, "inputs", node->in, node->n_in);
        npu__dump_indices(d, "outputs", node->out, node->n_out);
        if (node->n_mid) npu__dump_indices(d, "intermediates", node->mid, node->n_mid);
        npu__json_open(&d->t, "options", '{');
        npu__dump_options(d, node);
        npu__json_close(&d->t, '}');
        if (node->custom_bytes) {
            npu__json_int(&d->t, "custom_options_bytes", (int64_t)node->custom_bytes);
            npu__json_key(&d->t, "custom_options");
            npu__flex_print(&d->t, npu__flex_root(node->custom, node->custom_bytes));
        }
        npu__json_close(&d->t, '}');
        return;
    }
    npu__text_f(&d->t, "  %d: ", node->index);
    npu__dump_indices(d, NULL, node->out, node->n_out);
    npu__text_f(&d->t, " = %S(", &name);
    npu__dump_indices(d, NULL, node->in, node->n_in);
    npu__text_f(&d->t, ")");
    if (node->opts->given) {
        npu__text_f(&d->t, " {");
        npu__dump_options(d, node);
        npu__text_f(&d->t, "}");
    }
    if (node->custom_bytes) {
        npu__text_f(&d->t, " ");
        npu__flex_print(&d->t, npu__flex_root(node->custom, node->custom_bytes));
    }
    npu__text_f(&d->t, "%s\n", node->def ? "" : "  (no kernel in this build)");
}

NPU__FN void npu__dump_subgraph(npu__dumper *d, const npu__subgraph *g, int32_t index) {
    if (d->json) {
        npu__json_open(&d->t, NULL, '{');
        npu__json_int(&d->t, "index", index);
        npu__json_str(&d->t, "name", g->name);
        npu__dump_indices(d, "inputs", g->in, g->n_in);
        npu__dump_indices(d, "outputs", g->out, g->n_out);
        npu__json_open(&d->t, "tensors", '[');
    } else {
        npu__text_f(&d->t, "subgraph %d \"%S\" (", index, &g->name);
        npu__dump_indices(d, NULL, g->in, g->n_in);
        npu__text_f(&d->t, ") -> (");
        npu__dump_indices(d, NULL, g->out, g->n_out);
        npu__text_f(&d->t, ")\n");
    }
    for (int32_t i = 0; i < g->n_tensors; i++) npu__dump_tensor(d, &g->tensors[i], i);
    if (d->json) {
        npu__json_close(&d->t, ']');
        npu__json_open(&d->t, "operators", '[');
    }
    for (int32_t i = 0; i < g->n_nodes; i++) npu__dump_node(d, &g->nodes[i]);
    if (d->json) {
        npu__json_close(&d->t, ']');
        npu__json_close(&d->t, '}');
    }
}

NPU_API npu_status npu_model_dump(const npu_model *model, npu_format format, const npu_writer *writer, npu_diag *diag) {
    npu__dumper d;
    npu__diag_clear(diag);
    if (!model || !writer || !writer->write || (format != NPU_FORMAT_TEXT && format != NPU_FORMAT_JSON && format != NPU_FORMAT_DOT)) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.report", "npu_model_dump: needs a model, a writer and the "
                              "format TEXT, JSON or DOT");
    }
    if (format == NPU_FORMAT_DOT) return npu__dump_dot(model, writer, diag);
    memset(&d, 0, sizeof d);
    npu__text_init(&d.t, writer);
    d.json = format == NPU_FORMAT_JSON;
    if (d.json) {
        npu__json_open(&d.t, NULL, '{');
        if (model->circle) npu__json_z(&d.t, "format", "circle");
        npu__json_int(&d.t, "schema_version", model->schema_version);
        npu__json_str(&d.t, "description", model->description);
        npu__json_open(&d.t, "subgraphs", '[');
    } else {
        npu__text_f(&d.t, model->circle ? "Circle schema %u, \"%S\"\n" : model->root ? "TFLite schema %u, \"%S\"\n" : "built without a file (TFLite schema %u), \"%S\"\n",
                    model->schema_version, &model->description);
    }
    for (int32_t i = 0; i < model->n_subgraphs; i++) npu__dump_subgraph(&d, &model->subgraphs[i], i);
    if (d.json) {
        npu__json_close(&d.t, ']');
        npu__json_close(&d.t, '}');
    }
    return npu__text_end(&d.t, diag);
}

#endif
