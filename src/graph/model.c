/* Models: making one of bytes, closing, looking around (npu_model_open: api/create.c). */
#include "../tflite/schema.h"
#include "build.h"
#include "user_op.h"

NPU__FN uint64_t npu__model_limit(const npu_model_desc *desc, size_t n_bytes) {
    const uint64_t base = (uint64_t)64 << 20; /* tables of the smallest files; as in npu.h */
    return desc && desc->max_memory_bytes ? desc->max_memory_bytes : base + 4 * (uint64_t)n_bytes;
}

NPU__FN npu_status npu__model_open_into(npu_model *m, npu_diag *diag) {
    npu_status s = npu__verify_model(m->bytes, m->n_bytes, &m->root, diag);
    return s == NPU_OK ? npu__read_tflite(m, diag) : s;
}

NPU__FN npu_status npu__model_make(npu_model **out, const char *what, const npu_model_desc *desc, npu__op_finder find_op,
                                   uint64_t limit, npu__pool_elsewhere *elsewhere, npu_diag *diag) {
    npu_allocator a;
    npu__pool     pool;
    npu_model    *m;
    npu_status    s;
    if (!npu__allocator_resolve(&a, desc ? &desc->allocator : NULL)) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.no_allocator", "%s: this build has no malloc: set "
                              "desc.allocator", what);
    }
    npu__pool_init(&pool, &a, limit);
    if (elsewhere) npu__pool_count_elsewhere(&pool, elsewhere, elsewhere->machine);
    m = (npu_model *)npu__pool_new(&pool, 1, NPU__SIZE(npu_model));
    if (!m) {
        if (pool.over_limit) return npu__diag_fail(diag, NPU_LIMIT, "model.memory_limit", "max_memory_bytes is too small");
        return npu__diag_fail(diag, NPU_OUT_OF_MEMORY, "model.memory", "no memory for the model");
    }
    m->pool = pool;
    m->find_op = find_op;
    if (desc) m->desc = *desc;
    if (!m->desc.max_tensors) m->desc.max_tensors = 1u << 20;
    if (!m->desc.max_ops) m->desc.max_ops = 1u << 20;
    if (!m->desc.max_subgraphs) m->desc.max_subgraphs = 1u << 12;
    if (!m->desc.max_tensor_bytes) m->desc.max_tensor_bytes = (uint64_t)1 << 31;
    m->desc.max_memory_bytes = limit;
    s = npu__user_ops_take(m, desc, what, diag);
    if (s == NPU_OK) *out = m;
    else npu_model_close(m);
    return s;
}

NPU__FN npu_status npu__model_new(npu_model **out, const void *bytes, size_t n_bytes, const npu_model_desc *desc,
                                  npu__op_finder find_op, npu__pool_elsewhere *elsewhere, npu_diag *diag) {
    npu_model *m = NULL;
    npu_status s;
    npu__diag_clear(diag);
    if (out) *out = NULL;
    if (!out || (!bytes && n_bytes)) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.null", "npu_model_open: out and bytes must not be NULL");
    }
    s = npu__model_make(&m, "npu_model_open", desc, find_op, npu__model_limit(desc, n_bytes), elsewhere, diag);
    if (s != NPU_OK) return s;
    m->bytes = (const uint8_t *)bytes;
    m->n_bytes = n_bytes;
    s = npu__model_open_into(m, diag);
    if (s != NPU_OK) {
        npu_model_close(m);
        return s;
    }
    *out = m;
    return NPU_OK;
}

NPU_API void npu_model_close(npu_model *model) {
    npu__pool pool;
    if (!model) return;
    pool = model->pool; /* the model lies in its own pool */
    npu__pool_free(&pool);
}

NPU_API int32_t npu_model_signature_count(const npu_model *model) { return model->n_sigs; }

NPU_API npu_status npu_model_signature(const npu_model *model, int32_t index, npu_signature *out) {
    if (index < 0 || index >= model->n_sigs) return NPU_INVALID_ARGUMENT;
    out->key = model->sigs[index].key.p;
    out->key_len = model->sigs[index].key.n;
    out->subgraph = model->sigs[index].subgraph;
    out->n_inputs = model->sigs[index].n_in;
    out->n_outputs = model->sigs[index].n_out;
    return NPU_OK;
}

NPU_API int32_t npu_model_find_signature(const npu_model *model, const char *key) {
    for (int32_t i = 0; i < model->n_sigs; i++) {
        if (npu__str_is(model->sigs[i].key, key)) return model->sigs[i].subgraph;
    }
    return -1;
}

NPU_API npu_status npu_model_signature_entry(const npu_model *model, int32_t index, int output, int32_t i,
                                             const char **name, size_t *name_len, int32_t *position) {
    const npu__sig       *sig;
    const npu__sig_entry *e;
    if (index < 0 || index >= model->n_sigs) return NPU_INVALID_ARGUMENT;
    sig = &model->sigs[index];
    if (i < 0 || i >= (output ? sig->n_out : sig->n_in)) return NPU_INVALID_ARGUMENT;
    e = output ? &sig->out[i] : &sig->in[i];
    if (name) *name = e->name.p;
    if (name_len) *name_len = e->name.n;
    if (position) *position = e->position;
    return NPU_OK;
}

NPU__FN const npu__subgraph *npu__model_subgraph(const npu_model *model, int32_t i) {
    return i >= 0 && i < model->n_subgraphs ? &model->subgraphs[i] : NULL;
}

NPU_API int32_t npu_model_subgraph_count(const npu_model *model) { return model->n_subgraphs; }

NPU_API int32_t npu_model_input_count(const npu_model *model, int32_t subgraph) {
    const npu__subgraph *g = npu__model_subgraph(model, subgraph);
    return g ? g->n_in : -1;
}

NPU_API int32_t npu_model_output_count(const npu_model *model, int32_t subgraph) {
    const npu__subgraph *g = npu__model_subgraph(model, subgraph);
    return g ? g->n_out : -1;
}

NPU__FN void npu__tensor_view(const npu__tensor *t, npu_tensor *out) {
    memset(out, 0, sizeof *out);
    out->name = t->name.p;
    out->name_len = t->name.n;
    out->type = (npu_type)t->type;
    out->rank = t->shape.rank;
    memcpy(out->dims, t->shape.dims, sizeof out->dims);
    memcpy(out->dims_signature, t->signature.dims, sizeof out->dims_signature);
    out->quant = t->quant;
    npu__shape_bytes(&t->shape, t->type, &out->bytes);
}

NPU_API npu_status npu_model_input(const npu_model *model, int32_t subgraph, int32_t i, npu_tensor *out) {
    const npu__subgraph *g = npu__model_subgraph(model, subgraph);
    if (!g || i < 0 || i >= g->n_in) return NPU_INVALID_ARGUMENT;
    npu__tensor_view(&g->tensors[g->in[i]], out);
    return NPU_OK;
}

NPU_API npu_status npu_model_output(const npu_model *model, int32_t subgraph, int32_t i, npu_tensor *out) {
    const npu__subgraph *g = npu__model_subgraph(model, subgraph);
    if (!g || i < 0 || i >= g->n_out) return NPU_INVALID_ARGUMENT;
    npu__tensor_view(&g->tensors[g->out[i]], out);
    return NPU_OK;
}

NPU_API int32_t npu_model_tensor_count(const npu_model *model, int32_t subgraph) {
    const npu__subgraph *g = npu__model_subgraph(model, subgraph);
    return g ? g->n_tensors : -1;
}

NPU_API npu_status npu_model_tensor(const npu_model *model, int32_t subgraph, int32_t i, npu_tensor *out) {
    const npu__subgraph *g = npu__model_subgraph(model, subgraph);
    if (!g || i < 0 || i >= g->n_tensors || !out) return NPU_INVALID_ARGUMENT;
    npu__tensor_view(&g->tensors[i], out);
    if (g->tensors[i].data) {
        out->data = (void *)(uintptr_t)g->tensors[i].data; /* the model's own: to be read only */
        out->bytes = g->tensors[i].data_bytes;
    }
    return NPU_OK;
}

/* Of a built model. */
NPU__FN int32_t npu__model_meta(const npu_model *model, int32_t i, const char **name, size_t *name_len, const void **data,
                                size_t *bytes) {
    if (!name) return model->n_meta;
    if (i < 0 || i >= model->n_meta) return -1;
    *name = model->meta[i].name.p;
    if (name_len) *name_len = model->meta[i].name.n;
    if (data) *data = model->meta[i].data.n ? model->meta[i].data.p : NULL; /* as of a file, where it is empty */
    if (bytes) *bytes = model->meta[i].data.n;
    return model->n_meta;
}

NPU_API int32_t npu_model_metadata(const npu_model *model, int32_t i, const char **name, size_t *name_len,
                                   const void **data, size_t *bytes) {
    npu__vec  list = npu__tab_vec(model->root, NPU__S_Model_metadata);
    npu__vec  buffers = npu__tab_vec(model->root, NPU__S_Model_buffers);
    npu__span contents;
    npu__tab  entry;
    uint32_t  buffer;
    npu__str  s;
    if (!model->root) return npu__model_meta(model, i, name, name_len, data, bytes);
    if (!name) return (int32_t)list.n;
    if (i < 0 || (uint32_t)i >= list.n) return -1;
    entry = npu__vec_tab(list, (uint32_t)i);
    s = npu__tab_str(entry, NPU__S_Metadata_name);
    *name = s.p;
    if (name_len) *name_len = s.n;
    buffer = npu__tab_u32(entry, NPU__S_Metadata_buffer, 0);
    contents.p = NULL;
    contents.n = 0;
    if (buffer < buffers.n) contents = npu__buffer_span(model->bytes, npu__vec_tab(buffers, buffer));
    if (data) *data = contents.p;
    if (bytes) *bytes = contents.n;
    return (int32_t)list.n;
}
