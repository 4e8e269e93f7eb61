/* NeuronCompilation_*, and what is asked of the adapter itself. */
#include "adapter.h"

#if NPU__HAS_NEURON_SOFTWARE

/* The software adapter behaves as this version does. */
NPU__FN int npu__nsw_Neuron_getVersion(npu_neuron_version *version) {
    if (!version) return NPU__NEURON_UNEXPECTED_NULL;
    version->major = 8;
    version->minor = 2;
    version->patch = 26;
    return NPU__NEURON_NO_ERROR;
}

/* There is no L1 memory to fill: what an MT6991 has. */
NPU__FN int npu__nsw_Neuron_getL1MemorySizeKb(uint32_t *size_kb) {
    if (!size_kb) return NPU__NEURON_UNEXPECTED_NULL;
    *size_kb = 7168;
    return NPU__NEURON_NO_ERROR;
}

NPU__FN int npu__nsw_compilation_new(npu__nsw_compilation **out, const npu_allocator *a, npu__nsw_model *model) {
    npu__nsw_compilation *c = (npu__nsw_compilation *)a->alloc(a->user, sizeof *c, 64);
    *out = c;
    if (!c) return NPU__NEURON_OUT_OF_MEMORY;
    memset(c, 0, sizeof *c);
    c->allocator = *a;
    c->model = model;
    c->preference = NPU__NEURON_PREFER_FAST_SINGLE_ANSWER;
    c->priority = NPU__NEURON_PRIORITY_MEDIUM;
    return NPU__NEURON_NO_ERROR;
}

NPU__FN int npu__nsw_NeuronCompilation_create(void *model, void **compilation) {
    npu__nsw_model       *m = (npu__nsw_model *)model;
    npu__nsw_compilation *c;
    if (compilation) *compilation = NULL;
    if (!m || !compilation) return NPU__NEURON_UNEXPECTED_NULL;
    if (!m->finished || m->restored) return NPU__NEURON_BAD_STATE;
    NPU__NSW_TRY(npu__nsw_compilation_new(&c, &m->allocator, m));
    *compilation = c;
    return NPU__NEURON_NO_ERROR;
}

/* Options are for the compiler of the hardware: there is none, and any text will do. */
NPU__FN int npu__nsw_NeuronCompilation_createWithOptions(void *model, void **compilation, const char *options) {
    if (!options) return NPU__NEURON_UNEXPECTED_NULL;
    return npu__nsw_NeuronCompilation_create(model, compilation);
}

NPU__FN void npu__nsw_NeuronCompilation_free(void *compilation) {
    npu__nsw_compilation *c = (npu__nsw_compilation *)compilation;
    npu_allocator         a;
    if (!c) return;
    a = c->allocator;
    npu__nsw_network_close(c->network);
    a.free(a.user, c, sizeof *c);
}

/* Calls that tell a compilation something begin so. */
NPU__FN int npu__nsw_open_compilation(const npu__nsw_compilation *c, const void *needed) {
    if (!c || !needed) return NPU__NEURON_UNEXPECTED_NULL;
    return c->network ? NPU__NEURON_BAD_STATE : NPU__NEURON_NO_ERROR;
}

NPU__FN int npu__nsw_NeuronCompilation_setPreference(void *compilation, int32_t preference) {
    npu__nsw_compilation *c = (npu__nsw_compilation *)compilation;
    NPU__NSW_TRY(npu__nsw_open_compilation(c, c));
    if (preference < NPU__NEURON_PREFER_LOW_POWER || preference > NPU__NEURON_PREFER_TURBO_BOOST) {
        return NPU__NEURON_BAD_DATA;
    }
    c->preference = preference;
    return NPU__NEURON_NO_ERROR;
}

NPU__FN int npu__nsw_NeuronCompilation_setPriority(void *compilation, int32_t priority) {
    npu__nsw_compilation *c = (npu__nsw_compilation *)compilation;
    NPU__NSW_TRY(npu__nsw_open_compilation(c, c));
    switch (priority) {
#define NPU__X(name, number) case number:
    NPU__NEURON_PRIORITIES(NPU__X)
#undef NPU__X
        c->priority = priority;
        return NPU__NEURON_NO_ERROR;
    default: return NPU__NEURON_BAD_DATA;
    }
}

NPU__FN int npu__nsw_NeuronCompilation_setOptimizationString(void *compilation, const char *text) {
    return npu__nsw_open_compilation((const npu__nsw_compilation *)compilation, text);
}

NPU__FN int npu__nsw_NeuronCompilation_setOptimizationHint(void *compilation, uint32_t hint) {
    npu__nsw_compilation *c = (npu__nsw_compilation *)compilation;
    NPU__NSW_TRY(npu__nsw_open_compilation(c, c));
    if (hint > (NPU__NEURON_HINT_LOW_LATENCY | NPU__NEURON_HINT_DEEP_FUSION | NPU__NEURON_HINT_BATCH_PROCESSING)) {
        return NPU__NEURON_BAD_DATA;
    }
    c->hint = hint;
    return NPU__NEURON_NO_ERROR;
}

NPU__FN int npu__nsw_NeuronCompilation_setL1MemorySizeKb(void *compilation, uint32_t size_kb) {
    npu__nsw_compilation *c = (npu__nsw_compilation *)compilation;
    uint32_t              most;
    NPU__NSW_TRY(npu__nsw_open_compilation(c, c));
    NPU__NSW_TRY(npu__nsw_Neuron_getL1MemorySizeKb(&most));
    if (size_kb > most) return NPU__NEURON_BAD_DATA;
    c->l1_kb = size_kb;
    return NPU__NEURON_NO_ERROR;
}

NPU__FN int npu__nsw_NeuronCompilation_getSupportedOperations(void *compilation, uint32_t n, uint8_t *supported) {
    npu__nsw_compilation *c = (npu__nsw_compilation *)compilation;
    NPU__NSW_TRY(npu__nsw_open_compilation(c, supported));
    if (n != (uint32_t)c->model->n_ops) return NPU__NEURON_BAD_DATA;
    return npu__nsw_supported(c->model, supported);
}

NPU__FN int npu__nsw_NeuronModel_getSupportedOperations(void *model, uint8_t *supported, uint32_t n) {
    npu__nsw_model *m = (npu__nsw_model *)model;
    if (!m || !supported) return NPU__NEURON_UNEXPECTED_NULL;
    if (!m->finished) return NPU__NEURON_BAD_STATE;
    if (n != (uint32_t)m->n_ops) return NPU__NEURON_BAD_DATA;
    return npu__nsw_supported(m, supported);
}

NPU__FN int npu__nsw_NeuronCompilation_finish(void *compilation) {
    npu__nsw_compilation *c = (npu__nsw_compilation *)compilation;
    uint8_t              *bytes;
    size_t                n_bytes;
    NPU__NSW_TRY(npu__nsw_open_compilation(c, c));
    NPU__NSW_TRY(npu__nsw_network_write(c->model, &bytes, &n_bytes));
    return npu__nsw_network_adopt(&c->network, &c->allocator, bytes, n_bytes, &c->diag);
}

/* ---- what the compiled network is ---- */

/* Input or output `index` of a finished compilation. */
NPU__FN int npu__nsw_border(const npu__nsw_compilation *c, int32_t index, int output, const void *needed,
                            const npu__nsw_operand **out) {
    const npu__nsw_model *m;
    if (!c || !needed) return NPU__NEURON_UNEXPECTED_NULL;
    if (!c->network) return NPU__NEURON_BAD_STATE;
    m = c->network->model;
    if (index < 0 || (uint32_t)index >= (output ? m->n_out : m->n_in)) return NPU__NEURON_BAD_DATA;
    *out = &m->operands[output ? m->out[index] : m->in[index]];
    return NPU__NEURON_NO_ERROR;
}

/* Nothing is padded. */
NPU__FN int npu__nsw_padded_dims(const void *compilation, int32_t index, uint32_t *dimensions, int output) {
    const npu__nsw_operand *o;
    NPU__NSW_TRY(npu__nsw_border((const npu__nsw_compilation *)compilation, index, output, dimensions, &o));
    for (uint32_t i = 0; i < o->n_dims; i++) dimensions[i] = o->dims[i];
    return NPU__NEURON_NO_ERROR;
}

NPU__FN int npu__nsw_padded_size(const void *compilation, int32_t index, size_t *size, int output) {
    const npu__nsw_operand *o;
    NPU__NSW_TRY(npu__nsw_border((const npu__nsw_compilation *)compilation, index, output, size, &o));
    return npu__nsw_bytes(o, size) ? NPU__NEURON_NO_ERROR : NPU__NEURON_BAD_DATA; /* of no known size */
}

NPU__FN int npu__nsw_NeuronCompilation_getInputPaddedDimensions(void *compilation, int32_t index, uint32_t *dimensions) {
    return npu__nsw_padded_dims(compilation, index, dimensions, 0);
}
NPU__FN int npu__nsw_NeuronCompilation_getOutputPaddedDimensions(void *compilation, int32_t index, uint32_t *dimensions) {
    return npu__nsw_padded_dims(compilation, index, dimensions, 1);
}
NPU__FN int npu__nsw_NeuronCompilation_getInputPaddedSize(void *compilation, int32_t index, size_t *size) {
    return npu__nsw_padded_size(compilation, index, size, 0);
}
NPU__FN int npu__nsw_NeuronCompilation_getOutputPaddedSize(void *compilation, int32_t index, size_t *size) {
    return npu__nsw_padded_size(compilation, index, size, 1);
}

/* ---- as bytes ---- */

NPU__FN int npu__nsw_NeuronCompilation_getCompiledNetworkSize(void *compilation, size_t *size) {
    const npu__nsw_compilation *c = (const npu__nsw_compilation *)compilation;
    if (!c || !size) return NPU__NEURON_UNEXPECTED_NULL;
    if (!c->network || c->restored || c->has_executions) return NPU__NEURON_BAD_STATE;
    *size = c->network->n_bytes;
    return NPU__NEURON_NO_ERROR;
}

NPU__FN int npu__nsw_NeuronCompilation_storeCompiledNetwork(void *compilation, void *buffer, size_t size) {
    const npu__nsw_compilation *c = (const npu__nsw_compilation *)compilation;
    size_t                      needed;
    if (!buffer) return NPU__NEURON_UNEXPECTED_NULL;
    NPU__NSW_TRY(npu__nsw_NeuronCompilation_getCompiledNetworkSize(compilation, &needed));
    if (size < needed) return NPU__NEURON_BAD_DATA;
    memcpy(buffer, c->network->bytes, needed);
    return NPU__NEURON_NO_ERROR;
}

NPU__FN int npu__nsw_restore(void **model, void **compilation, const void *buffer, size_t size,
                             const npu_allocator *allocator) {
    npu_allocator         a;
    npu__nsw_model       *m;
    npu__nsw_compilation *c;
    npu__nsw_network     *network;
    int                   r;
    if (!npu__allocator_resolve(&a, allocator)) return NPU__NEURON_OUT_OF_MEMORY;
    r = npu__nsw_network_open(&network, &a, buffer, size, NULL);
    if (r != NPU__NEURON_NO_ERROR) return r == NPU__NEURON_OUT_OF_MEMORY ? r : NPU__NEURON_BAD_DATA;
    /* The model that the caller gets and frees is a handle: the network has its own. */
    r = npu__nsw_model_new(&m, &a);
    if (r == NPU__NEURON_NO_ERROR) {
        m->finished = m->restored = 1;
        r = npu__nsw_compilation_new(&c, &a, m);
        if (r == NPU__NEURON_NO_ERROR) {
            c->network = network;
            c->restored = 1;
            *model = m;
            *compilation = c;
            return r;
        }
        npu__nsw_NeuronModel_free(m);
    }
    npu__nsw_network_close(network);
    return r;
}

NPU__FN int npu__nsw_NeuronModel_restoreFromCompiledNetwork(void **model, void **compilation, const void *buffer,
                                                            size_t size) {
    if (model) *model = NULL;
    if (compilation) *compilation = NULL;
    if (!model || !compilation || !buffer) return NPU__NEURON_UNEXPECTED_NULL;
    return npu__nsw_restore(model, compilation, buffer, size, NULL);
}

NPU__FN const npu_neuron_driver *npu__nsw_driver(void) {
    static const npu_neuron_driver driver = {
#define NPU__X(type, name, parameters, arguments) npu__nsw_##name,
        NPU_NEURON_FUNCTIONS(NPU__X)
#undef NPU__X
        NULL, NULL};
    return &driver;
}

#endif
