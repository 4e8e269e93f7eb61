/* Builds the graph from verified tables: resolves every index, copies small arrays to aligned memory, checks that data
 * flows forward. What an op needs of its inputs is the op's own business (infer, prepare). */
#include "../tflite/schema.h"
#include "build.h"

#define NPU__MAX_SCALE 3.0e38f /* so that the reciprocal of one over it stays finite */

typedef struct npu__builder {
    npu_model *m;
    npu_diag  *diag;
    npu__vec   opcodes, buffers;
    const uint8_t **aligned; /* by buffer: its copy, where the file has it at an address its type cannot be read at */
    size_t     copied_bytes;
    uint64_t   n_tensors, n_ops;
    int32_t    subgraph;
} npu__builder;

#define NPU__BUILD_FAIL(b, status, rule, ...) \
    ((b)->diag ? (void)((b)->diag->subgraph = (b)->subgraph) : (void)0, npu__diag_fail((b)->diag, status, rule, __VA_ARGS__))

NPU__FN npu_status npu__build_oom(npu__builder *b) {
    if (b->m->pool.over_limit) {
        return NPU__BUILD_FAIL(b, NPU_LIMIT, "model.memory_limit", "the graph of this model needs more memory than the limit "
                               "of %l bytes (npu_model_desc.max_memory_bytes)", (int64_t)b->m->desc.max_memory_bytes);
    }
    return NPU__BUILD_FAIL(b, NPU_OUT_OF_MEMORY, "model.memory", "no memory for the graph of this model");
}

/* Copies a vector of int32 and checks that every entry lies in [lo, limit). */
NPU__FN npu_status npu__build_indices(npu__builder *b, npu__vec v, int32_t lo, int32_t limit, const char *what,
                                      const int32_t **out, int32_t *n) {
    int32_t *p;
    if (v.n > INT32_MAX / 8) return npu__build_oom(b);
    p = (int32_t *)npu__pool_alloc(&b->m->pool, v.n, sizeof(int32_t));
    if (!p) return npu__build_oom(b);
    for (uint32_t i = 0; i < v.n; i++) {
        p[i] = npu__vec_i32(v, i);
        if (p[i] < lo || p[i] >= limit) {
            return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "tflite.tensor_index",
                                   "subgraph %d: %s %d names tensor %d, but there are %d tensors", b->subgraph, what,
                                   (int)i, p[i], limit);
        }
    }
    *out = p;
    *n = (int32_t)v.n;
    return NPU_OK;
}

NPU__FN npu_status npu__build_shape(npu__builder *b, int32_t index, npu__tab tab, npu__tensor *t) {
    npu__vec dims = npu__tab_vec(tab, NPU__S_Tensor_shape), sig = npu__tab_vec(tab, NPU__S_Tensor_shape_signature);
    if (dims.n > NPU_MAX_RANK) {
        return NPU__BUILD_FAIL(b, NPU_UNSUPPORTED, "tflite.rank", "tensor %d (%S) has %d dimensions: at most %d are "
                               "supported", index, &t->name, (int)dims.n, NPU_MAX_RANK);
    }
    t->shape.rank = (int32_t)dims.n;
    for (uint32_t i = 0; i < dims.n; i++) {
        int32_t d = npu__vec_i32(dims, i), s = sig.n == dims.n ? npu__vec_i32(sig, i) : d;
        if (d < -1) {
            return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "tflite.dimension", "tensor %d (%S): dimension %d is %d",
                                   index, &t->name, (int)i, d);
        }
        t->shape.dims[i] = d == -1 ? 1 : d; /* -1: any size; LiteRT starts from 1 as well */
        t->signature.dims[i] = d == -1 || s == -1 ? -1 : d;
    }
    t->signature.rank = t->shape.rank;
    return NPU_OK;
}

/* Is this channel by the invariant in ir.h? */
NPU__FN int npu__build_channel_fits(int32_t type, float scale, int32_t zero_point) {
    int32_t lo, hi;
    if (!npu__type_range(type, &lo, &hi)) return 1; /* no kernel looks at them */
    return scale >= 0.0f && scale <= NPU__MAX_SCALE && zero_point >= lo && zero_point <= hi;
}

NPU__FN npu_status npu__build_quant(npu__builder *b, int32_t index, npu__tab q, npu__tensor *t) {
    npu__vec scale = npu__tab_vec(q, NPU__S_QuantizationParameters_scale);
    npu__vec zero = npu__tab_vec(q, NPU__S_QuantizationParameters_zero_point);
    float   *s;
    int32_t *z;
    /* Byte 2 of the union is BlockwiseQuantization: its scales are a tensor of their own. */
    if (npu__tab_u8(q, NPU__S_QuantizationParameters_details_type, 0) == 2) {
        t->blockwise = npu__tab_tab(q, NPU__S_QuantizationParameters_details);
    }
    t->quant.axis = npu__tab_i32(q, NPU__S_QuantizationParameters_quantized_dimension, 0);
    if (scale.n == 0) return NPU_OK;
    if (zero.n != 0 && zero.n != scale.n) {
        return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "tflite.quantization", "tensor %d (%S) has %d scales but %d zero "
                               "points", index, &t->name, (int)scale.n, (int)zero.n);
    }
    s = (float *)npu__pool_alloc(&b->m->pool, scale.n, sizeof(float));
    z = (int32_t *)npu__pool_alloc(&b->m->pool, scale.n, sizeof(int32_t));
    if (!s || !z || scale.n > INT32_MAX / 8) return npu__build_oom(b);
    for (uint32_t i = 0; i < scale.n; i++) {
        int64_t v = zero.n ? npu__vec_i64(zero, i) : 0;
        if (v < INT32_MIN || v > INT32_MAX) {
            return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "tflite.zero_point", "tensor %d (%S): zero point %l does not "
                                   "fit in 32 bits", index, &t->name, v);
        }
        s[i] = npu__vec_f32(scale, i);
        z[i] = (int32_t)v;
        if (!t->bad_channel && !npu__build_channel_fits(t->type, s[i], z[i])) t->bad_channel = (int32_t)i + 1;
    }
    t->quant.count = (int32_t)scale.n;
    t->quant.scale = s;
    t->quant.zero_point = z;
    return NPU_OK;
}

/* One aligned copy a buffer. All together they cannot exceed the file, unless buffers overlap to make us copy the same
 * bytes again and again. */
NPU__FN npu_status npu__build_align(npu__builder *b, npu__span data, npu__tensor *t) {
    if (!b->aligned) {
        b->aligned = (const uint8_t **)npu__pool_new(&b->m->pool, b->buffers.n, NPU__SIZE(npu__word));
        if (!b->aligned) return npu__build_oom(b);
    }
    if (!b->aligned[t->buffer]) {
        void *copy;
        if (data.n > b->m->n_bytes - b->copied_bytes) {
            return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "tflite.buffer_overlap", "buffers overlap: together they hold "
                                   "more bytes than the file");
        }
        copy = npu__pool_alloc_aligned64(&b->m->pool, data.n);
        if (!copy) return npu__build_oom(b);
        memcpy(copy, data.p, data.n);
        b->copied_bytes += data.n;
        b->aligned[t->buffer] = (const uint8_t *)copy;
    }
    t->data = b->aligned[t->buffer];
    return NPU_OK;
}

NPU__FN npu_status npu__build_data(npu__builder *b, int32_t index, npu__tensor *t) {
    npu__span data;
    size_t    want = 0;
    if ((uint32_t)t->buffer >= b->buffers.n) {
        if (t->buffer == 0) return NPU_OK;
        return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "tflite.buffer_index", "tensor %d (%S) uses buffer %d of %d",
                               index, &t->name, t->buffer, (int)b->buffers.n);
    }
    data = npu__buffer_span(b->m->bytes, npu__vec_tab(b->buffers, (uint32_t)t->buffer));
    if (t->sparsity && (data.n == 0 || t->is_variable)) {
        return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "graph.sparse", "tensor %d (%S) has a sparsity table: it must be a "
                               "constant, and no variable", index, &t->name);
    }
    if (data.n == 0) return NPU_OK;
    if (t->is_variable) {
        return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "graph.variable_data", "tensor %d (%S) is a variable: it cannot have "
                               "constant data", index, &t->name);
    }
    if (t->sparsity) {
        t->sparse = data;
        return NPU_OK;
    }
    if (t->type != NPU_STRING && (!npu__shape_bytes(&t->shape, t->type, &want) || want != data.n)) {
        return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "tflite.buffer_size", "tensor %d (%S) needs %z bytes of "
                               "constant data, but buffer %d holds %z", index, &t->name, want, t->buffer, data.n);
    }
    t->data = data.p;
    t->data_bytes = data.n;
    if (((uintptr_t)data.p & (npu__type_align(t->type) - 1)) != 0) return npu__build_align(b, data, t);
    return NPU_OK;
}

NPU__FN npu_status npu__build_tensor(npu__builder *b, int32_t index, npu__tab tab, npu__tensor *t) {
    size_t     bytes = 0;
    int64_t    elems;
    npu_status s;
    t->name = npu__tab_str(tab, NPU__S_Tensor_name);
    t->type = npu__tab_i8(tab, NPU__S_Tensor_type, 0);
    t->buffer = (int32_t)npu__tab_u32(tab, NPU__S_Tensor_buffer, 0);
    t->is_variable = npu__tab_u8(tab, NPU__S_Tensor_is_variable, 0) != 0;
    t->sparsity = npu__tab_tab(tab, NPU__S_Tensor_sparsity);
    if (npu__tab_u32(tab, NPU__S_Tensor_external_buffer, 0) != 0) {
        return NPU__BUILD_FAIL(b, NPU_UNSUPPORTED, "tflite.external_buffer", "tensor %d (%S) keeps its data in another "
                               "file: embed the weights", index, &t->name);
    }
    if (t->type < 0 || t->type >= NPU_TYPE_COUNT) {
        return NPU__BUILD_FAIL(b, NPU_UNSUPPORTED, "tflite.type", "tensor %d (%S) has the unknown type code %d", index,
                               &t->name, t->type);
    }
    s = npu__build_shape(b, index, tab, t);
    if (s != NPU_OK) return s;
    if (!npu__shape_elems(&t->shape, &elems) ||
        (npu_type_bits((npu_type)t->type) != 0 &&
         (!npu__shape_bytes(&t->shape, t->type, &bytes) || bytes > b->m->desc.max_tensor_bytes))) {
        return NPU__BUILD_FAIL(b, NPU_LIMIT, "tflite.tensor_size", "tensor %d (%S) is larger than the limit of %l "
                               "bytes", index, &t->name, (int64_t)b->m->desc.max_tensor_bytes);
    }
    if (npu__tab_tab(tab, NPU__S_Tensor_quantization)) {
        s = npu__build_quant(b, index, npu__tab_tab(tab, NPU__S_Tensor_quantization), t);
        if (s != NPU_OK) return s;
    }
    return npu__build_data(b, index, t);
}

NPU__FN npu_status npu__build_node(npu__builder *b, int32_t index, npu__tab tab, int32_t n_tensors, npu__node *node) {
    uint32_t   oc = npu__tab_u32(tab, NPU__S_Operator_opcode_index, 0);
    npu__tab   opcode;
    npu__span  custom;
    npu_status s;
    node->subgraph = b->subgraph;
    node->index = index;
    if (oc >= b->opcodes.n) {
        return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "tflite.opcode_index", "operator %d uses operator code %u of %u",
                               index, oc, b->opcodes.n);
    }
    opcode = npu__vec_tab(b->opcodes, oc);
    /* Codes above 126 do not fit the old field, which then holds 127: the larger of the two counts. */
    node->code = npu__tab_i8(opcode, NPU__S_OperatorCode_deprecated_builtin_code, 0);
    if (npu__tab_i32(opcode, NPU__S_OperatorCode_builtin_code, 0) > node->code) {
        node->code = npu__tab_i32(opcode, NPU__S_OperatorCode_builtin_code, 0);
    }
    node->version = npu__tab_i32(opcode, NPU__S_OperatorCode_version, 1);
    node->custom_name = npu__tab_str(opcode, NPU__S_OperatorCode_custom_code);
    node->def = b->m->find_op(node->code, node->custom_name);
    node->options = npu__operator_options(tab, node->code);
    custom = npu__custom_options_span(b->m->bytes, tab);
    node->custom = custom.p;
    node->custom_bytes = custom.n;
    s = npu__build_indices(b, npu__tab_vec(tab, NPU__S_Operator_inputs), -1, n_tensors, "an operator's input",
                           &node->in, &node->n_in);
    if (s == NPU_OK) {
        s = npu__build_indices(b, npu__tab_vec(tab, NPU__S_Operator_outputs), 0, n_tensors, "an operator's output",
                               &node->out, &node->n_out);
    }
    if (s == NPU_OK) {
        s = npu__build_indices(b, npu__tab_vec(tab, NPU__S_Operator_intermediates), -1, n_tensors,
                               "an operator's intermediate", &node->mid, &node->n_mid);
    }
    return s;
}

/* Data must flow forward: every input exists before the op that reads it, every output is written once. What each tensor is
 * so far: */
enum {
    NPU__FLOW_NOTHING,
    NPU__FLOW_THERE,   /* constant or variable */
    NPU__FLOW_WRITTEN, /* by an operator */
    NPU__FLOW_INPUT,
    NPU__FLOW_EMPTY,   /* no elements: may be read without being written ... */
    NPU__FLOW_READ     /* ... and was, so that nobody may write it any more */
};

NPU__FN int npu__flow_writable(const npu__tensor *t, uint8_t so_far, int compiled) {
    if (t->data || t->sparsity || (t->is_variable && !compiled)) return 0;
    if (so_far == NPU__FLOW_NOTHING || so_far == NPU__FLOW_THERE || so_far == NPU__FLOW_EMPTY) return 1;
    return compiled && so_far == NPU__FLOW_WRITTEN; /* other compiled operators wrote other parts of it */
}

NPU__FN npu_status npu__build_check_flow(npu__builder *b, const npu__subgraph *g) {
    uint8_t *defined = (uint8_t *)npu__pool_alloc(&b->m->pool, (size_t)g->n_tensors, 1);
    if (!defined) return npu__build_oom(b);
    for (int32_t i = 0; i < g->n_tensors; i++) {
        int64_t elems = 1;
        npu__shape_elems(&g->tensors[i].shape, &elems);
        if (g->tensors[i].data || g->tensors[i].sparsity || g->tensors[i].is_variable) defined[i] = NPU__FLOW_THERE;
        else if (elems == 0) defined[i] = NPU__FLOW_EMPTY;
    }
    for (int32_t i = 0; i < g->n_in; i++) defined[g->in[i]] = NPU__FLOW_INPUT;
    for (int32_t n = 0; n < g->n_nodes; n++) {
        const npu__node *node = &g->nodes[n];
        const int        compiled = npu__node_compiled(node);
        for (int32_t i = 0; i < node->n_in; i++) {
            if (node->in[i] >= 0 && defined[node->in[i]] == NPU__FLOW_EMPTY) defined[node->in[i]] = NPU__FLOW_READ;
            if (node->in[i] < 0 || defined[node->in[i]]) continue;
            if (!node->def) continue; /* custom ops may take scratch tensors that nobody writes */
            if (npu__node_works_in(node, i)) continue;
            return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "graph.undefined_input", "operator %d reads tensor %d (%S) "
                                   "before anything writes it", n, node->in[i], &g->tensors[node->in[i]].name);
        }
        for (int32_t i = 0; i < node->n_out; i++) {
            const npu__tensor *t = &g->tensors[node->out[i]];
            if (!npu__flow_writable(t, defined[node->out[i]], compiled)) {
                return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "graph.written_twice", "operator %d writes tensor %d "
                                       "(%S), which is constant, an input, or already written or read", n, node->out[i],
                                       &t->name);
            }
            defined[node->out[i]] = NPU__FLOW_WRITTEN;
        }
    }
    for (int32_t i = 0; i < g->n_out; i++) {
        if (g->tensors[g->out[i]].sparsity) {
            return NPU__BUILD_FAIL(b, NPU_UNSUPPORTED, "graph.sparse", "output %d (tensor %d, %S) is a sparse constant: only "
                                   "DENSIFY takes sparse tensors", i, g->out[i], &g->tensors[g->out[i]].name);
        }
        if (defined[g->out[i]]) continue;
        return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "graph.undefined_output", "output %d (tensor %d, %S) is never "
                               "written", i, g->out[i], &g->tensors[g->out[i]].name);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__build_subgraph(npu__builder *b, npu__tab tab, npu__subgraph *g) {
    npu__vec     tensors = npu__tab_vec(tab, NPU__S_SubGraph_tensors), ops = npu__tab_vec(tab, NPU__S_SubGraph_operators);
    npu__tensor *t;
    npu__node   *nodes;
    npu_status   s;
    b->n_tensors += tensors.n;
    b->n_ops += ops.n;
    if (b->n_tensors > b->m->desc.max_tensors || b->n_ops > b->m->desc.max_ops) {
        return NPU__BUILD_FAIL(b, NPU_LIMIT, "model.limit", "the model has more tensors or operators than the limits "
                               "of %u and %u", b->m->desc.max_tensors, b->m->desc.max_ops);
    }
    g->name = npu__tab_str(tab, NPU__S_SubGraph_name);
    g->n_tensors = (int32_t)tensors.n;
    g->n_nodes = (int32_t)ops.n;
    t = (npu__tensor *)npu__pool_new(&b->m->pool, tensors.n, NPU__SIZE(npu__tensor));
    nodes = (npu__node *)npu__pool_new(&b->m->pool, ops.n, NPU__SIZE(npu__node));
    if (!t || !nodes) return npu__build_oom(b);
    g->tensors = t;
    g->nodes = nodes;
    for (uint32_t i = 0; i < tensors.n; i++) {
        s = npu__build_tensor(b, (int32_t)i, npu__vec_tab(tensors, i), &t[i]);
        if (s != NPU_OK) return s;
    }
    s = npu__build_indices(b, npu__tab_vec(tab, NPU__S_SubGraph_inputs), 0, g->n_tensors, "input", &g->in, &g->n_in);
    if (s != NPU_OK) return s;
    s = npu__build_indices(b, npu__tab_vec(tab, NPU__S_SubGraph_outputs), 0, g->n_tensors, "output", &g->out, &g->n_out);
    if (s != NPU_OK) return s;
    for (int32_t i = 0; i < g->n_in; i++) { /* the caller writes it: whatever the file holds is no constant */
        t[g->in[i]].data = NULL;
        t[g->in[i]].data_bytes = 0;
        if (!t[g->in[i]].sparsity) continue;
        return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "graph.sparse", "input %d (tensor %d, %S) has a sparsity table: it must "
                               "be a constant", i, g->in[i], &t[g->in[i]].name);
    }
    for (uint32_t i = 0; i < ops.n; i++) {
        s = npu__build_node(b, (int32_t)i, npu__vec_tab(ops, i), g->n_tensors, &nodes[i]);
        if (s != NPU_OK) return s;
        nodes[i].graph = g;
    }
    return npu__build_check_flow(b, g);
}

/* Where each tensor stands among the inputs or outputs of a subgraph, 1 more than its first position; 0: nowhere. Made once
 * for each subgraph that a signature names, so that many signatures with many entries take linear time. */
typedef struct npu__sig_places {
    int32_t *in, *out;
} npu__sig_places;

NPU__FN int32_t *npu__build_positions(npu__pool *temp, const npu__subgraph *g, const int32_t *list, int32_t n) {
    int32_t *at = (int32_t *)npu__pool_alloc(temp, (size_t)g->n_tensors, sizeof *at);
    for (int32_t k = n; at && k-- > 0;) at[list[k]] = k + 1;
    return at;
}

NPU__FN npu_status npu__build_sig_entries(npu__builder *b, npu__vec maps, const npu__subgraph *g, const int32_t *at,
                                          const npu__sig_entry **out, int32_t *n) {
    npu__sig_entry *e = (npu__sig_entry *)npu__pool_new(&b->m->pool, maps.n, NPU__SIZE(npu__sig_entry));
    if (!e || maps.n > INT32_MAX) return npu__build_oom(b);
    for (uint32_t i = 0; i < maps.n; i++) {
        npu__tab map = npu__vec_tab(maps, i);
        uint32_t tensor = npu__tab_u32(map, NPU__S_TensorMap_tensor_index, 0);
        e[i].name = npu__tab_str(map, NPU__S_TensorMap_name);
        e[i].position = tensor < (uint32_t)g->n_tensors ? at[tensor] - 1 : -1;
        if (e[i].position < 0) {
            return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "tflite.signature", "signature entry %S names tensor %u, which "
                                   "is not an input or output of its subgraph", &e[i].name, tensor);
        }
    }
    *out = e;
    *n = (int32_t)maps.n;
    return NPU_OK;
}

NPU__FN npu_status npu__build_signature(npu__builder *b, npu__pool *temp, npu__sig_places *places, npu__tab def,
                                        npu__sig *sig) {
    const uint32_t       sg = npu__tab_u32(def, NPU__S_SignatureDef_subgraph_index, 0);
    const npu__subgraph *g;
    npu__sig_places     *p;
    npu_status           s;
    sig->key = npu__tab_str(def, NPU__S_SignatureDef_signature_key);
    if (sg >= (uint32_t)b->m->n_subgraphs) {
        return NPU__BUILD_FAIL(b, NPU_INVALID_MODEL, "tflite.signature", "signature %S names subgraph %u of %d",
                               &sig->key, sg, b->m->n_subgraphs);
    }
    g = &b->m->subgraphs[sg];
    p = &places[sg];
    b->subgraph = sig->subgraph = (int32_t)sg;
    if (!p->in) p->in = npu__build_positions(temp, g, g->in, g->n_in);
    if (!p->out) p->out = npu__build_positions(temp, g, g->out, g->n_out);
    b->m->pool.over_limit |= temp->over_limit;
    if (!p->in || !p->out) return npu__build_oom(b);
    s = npu__build_sig_entries(b, npu__tab_vec(def, NPU__S_SignatureDef_inputs), g, p->in, &sig->in, &sig->n_in);
    if (s != NPU_OK) return s;
    return npu__build_sig_entries(b, npu__tab_vec(def, NPU__S_SignatureDef_outputs), g, p->out, &sig->out, &sig->n_out);
}

NPU__FN npu_status npu__build_signatures(npu__builder *b) {
    npu__vec         defs = npu__tab_vec(b->m->root, NPU__S_Model_signature_defs);
    npu__sig        *sigs = (npu__sig *)npu__pool_new(&b->m->pool, defs.n, NPU__SIZE(npu__sig));
    npu__sig_places *places;
    npu__pool        temp;
    npu_status       s = NPU_OK;
    if (!sigs) return npu__build_oom(b);
    if (defs.n == 0) return NPU_OK;
    npu__pool_init_within(&temp, &b->m->pool);
    places = (npu__sig_places *)npu__pool_alloc(&temp, (size_t)b->m->n_subgraphs, sizeof *places);
    if (!places) s = npu__build_oom(b);
    for (uint32_t i = 0; s == NPU_OK && i < defs.n; i++) {
        s = npu__build_signature(b, &temp, places, npu__vec_tab(defs, i), &sigs[i]);
    }
    npu__pool_free(&temp);
    b->m->sigs = sigs;
    b->m->n_sigs = (int32_t)defs.n;
    return s;
}

NPU__FN npu_status npu__build_graph(npu_model *m, npu_diag *diag) {
    npu__builder   b;
    npu__subgraph *g;
    npu__vec       subgraphs = npu__tab_vec(m->root, NPU__S_Model_subgraphs);
    memset(&b, 0, sizeof b);
    b.m = m;
    b.diag = diag;
    b.subgraph = -1;
    b.opcodes = npu__tab_vec(m->root, NPU__S_Model_operator_codes);
    b.buffers = npu__tab_vec(m->root, NPU__S_Model_buffers);
    m->schema_version = npu__tab_u32(m->root, NPU__S_Model_version, 0);
    m->description = npu__tab_str(m->root, NPU__S_Model_description);
    if (m->schema_version != 3) {
        return NPU__BUILD_FAIL(&b, NPU_INVALID_MODEL, "tflite.version", "schema version %u: only 3 is known",
                               m->schema_version);
    }
    if (subgraphs.n == 0) {
        return NPU__BUILD_FAIL(&b, NPU_INVALID_MODEL, "tflite.no_subgraph", "the model has no subgraph");
    }
    if (subgraphs.n > m->desc.max_subgraphs) {
        return NPU__BUILD_FAIL(&b, NPU_LIMIT, "model.limit", "%u subgraphs, the limit is %u", subgraphs.n,
                               m->desc.max_subgraphs);
    }
    g = (npu__subgraph *)npu__pool_new(&m->pool, subgraphs.n, NPU__SIZE(npu__subgraph));
    if (!g) return npu__build_oom(&b);
    m->subgraphs = g;
    m->n_subgraphs = (int32_t)subgraphs.n;
    for (uint32_t i = 0; i < subgraphs.n; i++) {
        npu_status s;
        b.subgraph = (int32_t)i;
        s = npu__build_subgraph(&b, npu__vec_tab(subgraphs, i), &g[i]);
        if (s != NPU_OK) return s;
    }
    return npu__build_signatures(&b);
}

#undef NPU__BUILD_FAIL
