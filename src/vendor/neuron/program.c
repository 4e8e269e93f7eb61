/* A Neuron model as text, JSON and a graph. */
#include "make.h"

#if NPU__HAS_NEURON && NPU__HAS_REPORTS

NPU__FN const char *npu__neuron_type_name(int32_t type) {
    switch (type) {
#define NPU__X(name, number, scalar, element, bits, quant, zp_min, zp_max) case number: return #name;
        NPU__NEURON_TYPES(NPU__X)
#undef NPU__X
        default: return "ARGSTRING"; /* the extension's */
    }
}

NPU__FN const char *npu__neuron_op_name(const npu__neuron_operation *op) {
    switch (op->code) {
#define NPU__X(name, number) case number: return #name;
        NPU__NEURON_OPS(NPU__X)
#undef NPU__X
        default: return op->name;
    }
}

/* FNV-1a, 64 bits, as 16 digits; "" where the budget of the report is used up. */
NPU__FN void npu__neuron_hash(char out[17], const void *data, size_t bytes, uint64_t *left) {
    const uint8_t *p = (const uint8_t *)data;
    uint64_t       h = 14695981039346656037u;
    out[0] = 0;
    if (bytes > *left) return;
    *left -= bytes;
    /* wraps: a hash */
    for (size_t i = 0; i < bytes; i++) h = (h ^ p[i]) * 1099511628211u;
    for (int i = 0; i < 16; i++) out[i] = "0123456789abcdef"[h >> (60 - 4 * i) & 15]; /* bounded: digits */
    out[16] = 0;
}

/* ---- text ---- */

NPU__FN void npu__neuron_dims_text(npu__text *t, const npu__neuron_operand *o) {
    npu__text_f(t, "[");
    for (uint32_t i = 0; i < o->n_dims; i++) {
        if (o->dims[i] == NPU__NEURON_OPEN) npu__text_f(t, i ? ",?" : "?");
        else npu__text_f(t, i ? ",%u" : "%u", o->dims[i]);
    }
    npu__text_f(t, "]");
}

NPU__FN void npu__neuron_scalar_text(npu__text *t, const npu__neuron_operand *o) {
    int32_t i;
    float   f;
    memcpy(&i, o->scalar, sizeof i);
    memcpy(&f, o->scalar, sizeof f);
    if (o->type == NPU__NEURON_TYPE_FLOAT32) npu__text_f(t, " %g", (double)f);
    else if (o->type == NPU__NEURON_TYPE_BOOL) npu__text_f(t, o->scalar[0] ? " true" : " false");
    else npu__text_f(t, " %d", i);
}

NPU__FN void npu__neuron_operand_text(npu__text *t, uint32_t n, const npu__neuron_operand *o, uint64_t *left) {
    char hash[17];
    npu__text_f(t, "    #%u %s", n, npu__neuron_type_name(o->type));
    if (o->n_dims) npu__neuron_dims_text(t, o);
    else npu__neuron_scalar_text(t, o);
    if (o->scale != 0.0f || o->zero_point) npu__text_f(t, ", scale %g, zero point %d", (double)o->scale, o->zero_point);
    if (o->n_channels) npu__text_f(t, ", %u %s along %u", o->n_channels, o->zero_points ? "scales and zero points" : "scales", o->channel_dim);
    if (o->n_dims && o->data) {
        npu__neuron_hash(hash, o->data, o->bytes, left);
        npu__text_f(t, ", %z bytes, fnv1a %s", o->bytes, hash[0] ? hash : "not computed: shared too often");
    }
    if (o->val) npu__text_f(t, "  %S", &o->val->t->name);
    npu__text_f(t, "\n");
}

NPU__FN void npu__neuron_list_text(npu__text *t, const char *before, const uint32_t *list, uint32_t n) {
    npu__text_f(t, "%s", before);
    for (uint32_t i = 0; i < n; i++) npu__text_f(t, i ? ", #%u" : "#%u", list[i]);
}

NPU__FN void npu__neuron_text(npu__text *t, const npu__neuron_model *m, uint64_t *left) {
    uint32_t said = 0; /* operands stand before the first operation that has them */
    npu__text_f(t, "  %u operands, %u operations; ", m->n_operands, m->n_operations);
    npu__neuron_list_text(t, "inputs ", m->in, m->n_in);
    npu__neuron_list_text(t, "; outputs ", m->out, m->n_out);
    npu__text_f(t, "\n");
    for (uint32_t i = 0; i < m->n_operations; i++) {
        const npu__neuron_operation *op = &m->operations[i];
        uint32_t                     last = 0;
        for (uint32_t k = 0; k < op->n_in + op->n_out; k++) last = NPU__MAX(last, op->in[k] + 1);
        for (; said < last; said++) npu__neuron_operand_text(t, said, &m->operands[said], left);
        npu__text_f(t, "  %u %s(", i, npu__neuron_op_name(op));
        npu__neuron_list_text(t, "", op->in, op->n_in);
        npu__neuron_list_text(t, ") -> ", op->out, op->n_out);
        npu__text_f(t, "  operator %d\n", op->node->node->index);
    }
    for (; said < m->n_operands; said++) npu__neuron_operand_text(t, said, &m->operands[said], left);
}

/* ---- JSON ---- */

NPU__FN void npu__neuron_list_json(npu__text *t, const char *key, const uint32_t *list, uint32_t n) {
    npu__json_open(t, key, '[');
    for (uint32_t i = 0; i < n; i++) npu__json_int(t, NULL, list[i]);
    npu__json_close(t, ']');
}

NPU__FN void npu__neuron_hash_json(npu__text *t, const char *key, const void *data, size_t bytes, uint64_t *left) {
    char hash[17];
    npu__neuron_hash(hash, data, bytes, left);
    if (hash[0]) npu__json_z(t, key, hash);
}

NPU__FN void npu__neuron_operand_json(npu__text *t, const npu__neuron_operand *o, uint64_t *left) {
    uint32_t bits;
    memcpy(&bits, &o->scale, sizeof bits);
    npu__json_open(t, NULL, '{');
    npu__json_z(t, "type", npu__neuron_type_name(o->type));
    npu__json_int(t, "code", o->type);
    npu__json_open(t, "dims", '[');
    for (uint32_t i = 0; i < o->n_dims; i++) npu__json_int(t, NULL, o->dims[i] == NPU__NEURON_OPEN ? -1 : (int64_t)o->dims[i]);
    npu__json_close(t, ']');
    npu__json_num(t, "scale", (double)o->scale);
    npu__json_int(t, "scale_bits", bits);
    npu__json_int(t, "zero_point", o->zero_point);
    if (o->n_channels) {
        npu__json_open(t, "channels", '{');
        npu__json_int(t, "axis", o->channel_dim);
        npu__json_int(t, "count", o->n_channels);
        npu__neuron_hash_json(t, "scales_fnv1a", o->scales, o->n_channels * sizeof *o->scales, left); /* bounded: in memory */
        if (o->zero_points) {
            npu__neuron_hash_json(t, "zero_points_fnv1a", o->zero_points, o->n_channels * sizeof *o->zero_points, left); /* bounded: likewise */
        }
        npu__json_close(t, '}');
    }
    if (o->data) {
        npu__json_int(t, "bytes", (int64_t)o->bytes);
        npu__neuron_hash_json(t, "fnv1a", o->data, o->bytes, left);
    }
    if (o->val) npu__json_str(t, "tensor", o->val->t->name);
    npu__json_close(t, '}');
}

NPU__FN void npu__neuron_json(npu__text *t, const npu__neuron_model *m, uint64_t *left) {
    npu__neuron_list_json(t, "inputs", m->in, m->n_in);
    npu__neuron_list_json(t, "outputs", m->out, m->n_out);
    npu__json_open(t, "operands", '[');
    for (uint32_t i = 0; i < m->n_operands; i++) npu__neuron_operand_json(t, &m->operands[i], left);
    npu__json_close(t, ']');
    npu__json_open(t, "operations", '[');
    for (uint32_t i = 0; i < m->n_operations; i++) {
        const npu__neuron_operation *op = &m->operations[i];
        npu__json_open(t, NULL, '{');
        npu__json_z(t, "operation", npu__neuron_op_name(op));
        if (!op->name) npu__json_int(t, "code", op->code);
        else npu__json_z(t, "extension", NPU__NEURON_OEM_EXTENSION);
        npu__neuron_list_json(t, "inputs", op->in, op->n_in);
        npu__neuron_list_json(t, "outputs", op->out, op->n_out);
        npu__json_int(t, "operator", op->node->node->index);
        npu__json_close(t, '}');
    }
    npu__json_close(t, ']');
}

/* ---- a graph: operations, and between them the operands that are no constants ---- */

NPU__FN void npu__neuron_dot_operand(npu__text *t, const npu__neuron_model *m, int32_t segment, uint32_t n) {
    const npu__neuron_operand *o = &m->operands[n];
    npu__text_f(t, "  s%d_v%u [shape=ellipse, label=\"#%u %s", segment, n, n, npu__neuron_type_name(o->type));
    npu__neuron_dims_text(t, o);
    npu__text_f(t, "\"];\n");
}

NPU__FN void npu__neuron_dot(npu__text *t, const npu__neuron_model *m, int32_t segment) {
    for (uint32_t i = 0; i < m->n_in; i++) npu__neuron_dot_operand(t, m, segment, m->in[i]);
    for (uint32_t i = 0; i < m->n_operations; i++) {
        const npu__neuron_operation *op = &m->operations[i];
        npu__text_f(t, "  s%d_o%u [label=\"%u %s\"];\n", segment, i, i, npu__neuron_op_name(op));
        for (uint32_t k = 0; k < op->n_in; k++) {
            if (!m->operands[op->in[k]].data) npu__text_f(t, "  s%d_v%u -> s%d_o%u;\n", segment, op->in[k], segment, i);
        }
        for (uint32_t k = 0; k < op->n_out; k++) {
            npu__neuron_dot_operand(t, m, segment, op->out[k]);
            npu__text_f(t, "  s%d_o%u -> s%d_v%u;\n", segment, i, segment, op->out[k]);
        }
    }
}

NPU__FN void npu__neuron_program_report(npu__text *t, npu__seg *seg, const npu__program_ask *ask) {
    const npu__neuron_program *p = (const npu__neuron_program *)seg->ctx.data;
    const int32_t version = ask->runtime && ask->runtime < (uint32_t)NPU__NEURON_VERSION_ASKS ? NPU__NEURON_BEFORE_8_2_24 :
                            ask->runtime && ask->runtime < (uint32_t)NPU__NEURON_VERSION_CHANNELS ? NPU__NEURON_SINCE_8_2_24 :
                            NPU__NEURON_SINCE_8_2_28;
    const npu__neuron_model   *m = p->by_version[version];
    if (ask->format == NPU_FORMAT_JSON) npu__neuron_json(t, m, ask->left);
    else if (ask->format == NPU_FORMAT_DOT) npu__neuron_dot(t, m, ask->number);
    else npu__neuron_text(t, m, ask->left);
}

#endif
