/* From a verified .tflite or .circle file to the graph: reads its tables and gives build.c what they say. */
#include "build.h"
#include "custom.h"

typedef struct npu__tflite {
    npu__builder    b;
    npu__vec        opcodes, buffers;
    const uint8_t **aligned; /* by buffer: its copy, where the file has it at an address its type cannot be read at */
    size_t          copied_bytes;
} npu__tflite;

/* One aligned copy a buffer. All together they cannot exceed the file, unless buffers overlap to make us copy the same
 * bytes again and again. */
NPU__FN npu_status npu__read_aligned(npu__tflite *r, npu__tensor *t) {
    npu_model *m = r->b.m;
    if (!r->aligned) {
        r->aligned = (const uint8_t **)npu__pool_new(&m->pool, r->buffers.n, NPU__SIZE(npu__word));
        if (!r->aligned) return npu__build_oom(&r->b);
    }
    if (!r->aligned[t->buffer]) {
        void *copy;
        if (t->data_bytes > m->n_bytes - r->copied_bytes) {
            return NPU__BUILD_FAIL(&r->b, NPU_INVALID_MODEL, "tflite.buffer_overlap", "buffers overlap: together they hold "
                                   "more bytes than the file");
        }
        copy = npu__pool_alloc_aligned64(&m->pool, t->data_bytes);
        if (!copy) return npu__build_oom(&r->b);
        memcpy(copy, t->data, t->data_bytes);
        r->copied_bytes += t->data_bytes;
        r->aligned[t->buffer] = (const uint8_t *)copy;
    }
    t->data = r->aligned[t->buffer];
    return NPU_OK;
}

NPU__FN npu_status npu__read_data(npu__tflite *r, int32_t index, npu__sparsity *sparsity, npu__tensor *t) {
    npu__span  data;
    npu_status s;
    if ((uint32_t)t->buffer >= r->buffers.n) {
        if (t->buffer == 0) return NPU_OK;
        return NPU__BUILD_FAIL(&r->b, NPU_INVALID_MODEL, "tflite.buffer_index", "tensor %d (%S) uses buffer %d of %d",
                               index, &t->name, t->buffer, (int)r->buffers.n);
    }
    data = npu__buffer_span(r->b.m->bytes, npu__vec_tab(r->buffers, (uint32_t)t->buffer));
    s = npu__build_data(&r->b, index, data, sparsity, t);
    return s == NPU_OK && npu__build_misaligned(t) ? npu__read_aligned(r, t) : s;
}

/* What Circle says of a tensor in its own way. */
NPU__FN npu_status npu__circle_tensor(npu__tflite *r, int32_t index, npu__tab tab, npu__tensor *t) {
    int32_t     type = -1;
    const char *name = npu__circle_type(t->type, &type);
    if (npu__tab_u8(tab, NPU__S_Tensor_external_buffer, 0) != 0) {
        return NPU__BUILD_FAIL(&r->b, NPU_UNSUPPORTED, "circle.compression", "tensor %d (%S) is compressed: export the model "
                               "without compression of weights", index, &t->name);
    }
    if (!name) return NPU_OK;
    if (type < 0) {
        return NPU__BUILD_FAIL(&r->b, NPU_UNSUPPORTED, "circle.type", "tensor %d (%S) has the type %s, which no kernel here "
                               "takes: export the model with another one", index, &t->name, name);
    }
    t->type = type;
    return NPU_OK;
}

/* The code in the graph. INT32_MAX, which is no operator, for numbers that graphs give to Circle's own. */
NPU__FN int32_t npu__read_code(int circle, npu__tab opcode) {
    const int32_t old = npu__tab_i8(opcode, NPU__S_OperatorCode_deprecated_builtin_code, 0);
    const int32_t code = npu__tab_i32(opcode, NPU__S_OperatorCode_builtin_code, 0);
    /* TFLite: codes above 126 do not fit the old field, which then holds 127, so the larger of the two counts. Circle's own
     * are below 0 in both: the old field counts, as onert has it. */
    const int32_t counts = circle ? (code < NPU__BUILTIN_PLACEHOLDER_FOR_GREATER_OP_CODES ? old : code) : NPU__MAX(old, code);
    if (circle && counts < 0) return NPU__BUILTIN_CIRCLE - counts; /* bounded: counts is one of 8 bits */
    return counts > NPU__BUILTIN_CIRCLE && counts < NPU__BUILTIN_END ? INT32_MAX : counts;
}

NPU__FN npu_status npu__read_tensor(npu__tflite *r, int32_t index, npu__tab tab, npu__tensor *t) {
    npu__tab         q = npu__tab_tab(tab, NPU__S_Tensor_quantization), details = NULL;
    npu__sparsity   *sparsity = NULL;
    npu__tensor_spec spec;
    npu_status       s;
    t->name = npu__tab_str(tab, NPU__S_Tensor_name);
    t->type = npu__tab_i8(tab, NPU__S_Tensor_type, 0);
    if (r->b.m->circle) {
        s = npu__circle_tensor(r, index, tab, t);
        if (s != NPU_OK) return s;
    }
    t->buffer = (int32_t)npu__tab_u32(tab, NPU__S_Tensor_buffer, 0);
    t->is_variable = npu__tab_u8(tab, NPU__S_Tensor_is_variable, 0) != 0;
    t->has_rank = npu__tab_u8(tab, NPU__S_Tensor_has_rank, 0) != 0;
    if (npu__tab_tab(tab, NPU__S_Tensor_sparsity)) {
        t->sparsity = sparsity = npu__sparsity_new(&r->b.m->pool, npu__tab_tab(tab, NPU__S_Tensor_sparsity));
        if (!sparsity) return npu__build_oom(&r->b);
    }
    if (!r->b.m->circle && npu__tab_u32(tab, NPU__S_Tensor_external_buffer, 0) != 0) {
        return NPU__BUILD_FAIL(&r->b, NPU_UNSUPPORTED, "tflite.external_buffer", "tensor %d (%S) keeps its data in another "
                               "file: embed the weights", index, &t->name);
    }
    spec.dims = npu__tab_vec(tab, NPU__S_Tensor_shape);
    spec.signature = npu__tab_vec(tab, NPU__S_Tensor_shape_signature);
    spec.scales = npu__tab_vec(q, NPU__S_QuantizationParameters_scale);
    spec.zeros = npu__tab_vec(q, NPU__S_QuantizationParameters_zero_point);
    spec.zero_bytes = 8;
    spec.axis = npu__tab_i32(q, NPU__S_QuantizationParameters_quantized_dimension, 0);
    s = npu__build_tensor(&r->b, index, &spec, t);
    if (s != NPU_OK) return s;
    /* Scales by blocks are a tensor of their own. */
    if (npu__union_table_in(r->b.m->circle, NPU__U_QuantizationDetails,
                            npu__tab_u8(q, NPU__S_QuantizationParameters_details_type, 0)) == NPU__T_BlockwiseQuantization) {
        details = npu__tab_tab(q, NPU__S_QuantizationParameters_details);
    }
    if (details) {
        const npu__opts *o = npu__opts_from(&r->b.m->pool, NPU__T_BlockwiseQuantization, details);
        if (!o) return npu__build_oom(&r->b);
        t->blockwise = (const npu__blockwise *)(const void *)o;
    }
    return npu__read_data(r, index, sparsity, t);
}

NPU__FN npu_status npu__read_node(npu__tflite *r, int32_t index, npu__tab tab, int32_t n_tensors, npu__node *node) {
    uint32_t       oc = npu__tab_u32(tab, NPU__S_Operator_opcode_index, 0);
    npu__tab       opcode;
    npu__span      custom;
    npu__node_spec spec;
    if (oc >= r->opcodes.n) {
        return NPU__BUILD_FAIL(&r->b, NPU_INVALID_MODEL, "tflite.opcode_index", "operator %d uses operator code %u of %u",
                               index, oc, r->opcodes.n);
    }
    opcode = npu__vec_tab(r->opcodes, oc);
    node->code = npu__read_code(r->b.m->circle, opcode);
    node->version = npu__tab_i32(opcode, NPU__S_OperatorCode_version, 1);
    node->custom_name = npu__tab_str(opcode, NPU__S_OperatorCode_custom_code);
    node->opts = npu__opts_from(&r->b.m->pool, npu__builtin_options_table(node->code), npu__operator_options(tab, node->code));
    custom = npu__custom_options_span(r->b.m->bytes, tab);
    node->custom = custom.p;
    node->custom_bytes = custom.n;
    if (node->opts) node->opts = npu__custom_opts(&r->b.m->pool, node, node->opts);
    if (!node->opts) return npu__build_oom(&r->b);
    spec.in = npu__tab_vec(tab, NPU__S_Operator_inputs);
    spec.out = npu__tab_vec(tab, NPU__S_Operator_outputs);
    spec.mid = npu__tab_vec(tab, NPU__S_Operator_intermediates);
    return npu__build_node(&r->b, index, &spec, n_tensors, node);
}

NPU__FN npu_status npu__read_subgraph(npu__tflite *r, npu__tab tab, npu__subgraph *g) {
    npu__vec     tensors = npu__tab_vec(tab, NPU__S_SubGraph_tensors), ops = npu__tab_vec(tab, NPU__S_SubGraph_operators);
    npu__tensor *t;
    npu__node   *nodes;
    npu_status   s = npu__build_count(&r->b, tensors.n, ops.n);
    if (s != NPU_OK) return s;
    if (r->b.m->circle && npu__tab_u8(tab, NPU__S_SubGraph_debug_metadata_index, 0) != 0) {
        return NPU__BUILD_FAIL(&r->b, NPU_UNSUPPORTED, "circle.data_format", "the subgraph has its channels first: convert the "
                               "model with channels last");
    }
    g->name = npu__tab_str(tab, NPU__S_SubGraph_name);
    g->n_tensors = (int32_t)tensors.n;
    g->n_nodes = (int32_t)ops.n;
    t = (npu__tensor *)npu__pool_new(&r->b.m->pool, tensors.n, NPU__SIZE(npu__tensor));
    nodes = (npu__node *)npu__pool_new(&r->b.m->pool, ops.n, NPU__SIZE(npu__node));
    if (!t || !nodes) return npu__build_oom(&r->b);
    g->tensors = t;
    g->nodes = nodes;
    for (uint32_t i = 0; i < tensors.n; i++) {
        s = npu__read_tensor(r, (int32_t)i, npu__vec_tab(tensors, i), &t[i]);
        if (s != NPU_OK) return s;
    }
    s = npu__build_list(&r->b, npu__tab_vec(tab, NPU__S_SubGraph_inputs), 0, g);
    if (s == NPU_OK) s = npu__build_list(&r->b, npu__tab_vec(tab, NPU__S_SubGraph_outputs), 1, g);
    if (s == NPU_OK) s = npu__build_inputs(&r->b, g, t);
    if (s != NPU_OK) return s;
    for (uint32_t i = 0; i < ops.n; i++) {
        s = npu__read_node(r, (int32_t)i, npu__vec_tab(ops, i), g->n_tensors, &nodes[i]);
        if (s != NPU_OK) return s;
        nodes[i].graph = g;
    }
    return npu__build_check_flow(&r->b, g);
}

NPU__FN npu__sig_entry *npu__read_sig_entries(npu__tflite *r, npu__vec maps, int32_t *n) {
    npu__sig_entry *e = (npu__sig_entry *)npu__pool_new(&r->b.m->pool, maps.n, NPU__SIZE(npu__sig_entry));
    if (!e || maps.n > INT32_MAX) return NULL;
    for (uint32_t i = 0; i < maps.n; i++) {
        npu__tab map = npu__vec_tab(maps, i);
        e[i].name = npu__tab_str(map, NPU__S_TensorMap_name);
        e[i].position = (int32_t)npu__tab_u32(map, NPU__S_TensorMap_tensor_index, 0);
    }
    *n = (int32_t)maps.n;
    return e;
}

NPU__FN npu_status npu__read_signature(npu__tflite *r, npu__sig_builder *w, npu__tab def, npu__sig *sig) {
    npu__sig_entry *in, *out;
    sig->key = npu__tab_str(def, NPU__S_SignatureDef_signature_key);
    sig->subgraph = (int32_t)npu__tab_u32(def, NPU__S_SignatureDef_subgraph_index, 0);
    in = npu__read_sig_entries(r, npu__tab_vec(def, NPU__S_SignatureDef_inputs), &sig->n_in);
    out = npu__read_sig_entries(r, npu__tab_vec(def, NPU__S_SignatureDef_outputs), &sig->n_out);
    if (!in || !out) return npu__build_oom(&r->b);
    return npu__build_signature(&r->b, w, sig, in, out);
}

NPU__FN npu_status npu__read_signatures(npu__tflite *r) {
    npu_model       *m = r->b.m;
    npu__vec         defs = npu__tab_vec(m->root, NPU__S_Model_signature_defs);
    npu__sig        *sigs = (npu__sig *)npu__pool_new(&m->pool, defs.n, NPU__SIZE(npu__sig));
    npu__sig_builder w;
    npu_status       s;
    if (!sigs) return npu__build_oom(&r->b);
    if (defs.n == 0) return NPU_OK;
    s = npu__build_sigs_begin(&r->b, &w);
    for (uint32_t i = 0; s == NPU_OK && i < defs.n; i++) s = npu__read_signature(r, &w, npu__vec_tab(defs, i), &sigs[i]);
    npu__build_sigs_end(&w);
    m->sigs = sigs;
    m->n_sigs = (int32_t)defs.n;
    return s;
}

NPU__FN npu_status npu__read_tflite(npu_model *m, npu_diag *diag) {
    npu__tflite    r;
    npu__subgraph *g;
    npu__vec       subgraphs = npu__tab_vec(m->root, NPU__S_Model_subgraphs);
    npu_status     s;
    memset(&r, 0, sizeof r);
    r.b.m = m;
    r.b.diag = diag;
    r.b.subgraph = -1;
    r.opcodes = npu__tab_vec(m->root, NPU__S_Model_operator_codes);
    r.buffers = npu__tab_vec(m->root, NPU__S_Model_buffers);
    m->schema_version = npu__tab_u32(m->root, NPU__S_Model_version, 0);
    m->circle = npu__is_circle(m->bytes, m->n_bytes);
    m->description = npu__tab_str(m->root, NPU__S_Model_description);
    /* Circle's writers have given 0 and 3. */
    if (m->schema_version != 3 && !(m->circle && m->schema_version < 3)) {
        return NPU__BUILD_FAIL(&r.b, NPU_INVALID_MODEL, "tflite.version", "schema version %u: only 3 is known",
                               m->schema_version);
    }
    s = npu__build_count_subgraphs(&r.b, subgraphs.n);
    if (s != NPU_OK) return s;
    g = (npu__subgraph *)npu__pool_new(&m->pool, subgraphs.n, NPU__SIZE(npu__subgraph));
    if (!g) return npu__build_oom(&r.b);
    m->subgraphs = g;
    m->n_subgraphs = (int32_t)subgraphs.n;
    for (uint32_t i = 0; s == NPU_OK && i < subgraphs.n; i++) {
        r.b.subgraph = (int32_t)i;
        s = npu__read_subgraph(&r, npu__vec_tab(subgraphs, i), &g[i]);
    }
    return s == NPU_OK ? npu__read_signatures(&r) : s;
}
