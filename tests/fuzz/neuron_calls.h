/* A program of calls of the Neuron adapter's functions, as bytes: a step begins with the number of a function (its place in
 * NPU_NEURON_FUNCTIONS), then come its arguments. Bytes that are missing are zeros.
 *
 *   slot     a byte: one of three handles of its kind; 3: NULL
 *   number   a byte less 16, up to 207; bytes from 224 on are followed by an int32
 *   list     a byte, how many, and numbers; 255: NULL with one; 254: NULL with more than there can be
 *
 * Handles that were freed are not used again, and what depends on a handle goes before it: all else may happen. The program that
 * neuron_seeds.c records is one that LiteRT's plugin could have written. */
#ifndef FUZZ_NEURON_CALLS_H
#define FUZZ_NEURON_CALLS_H

enum { N_SLOTS = 3, MOST_LIST = 253, MOST_VALUE = 1 << 20, MOST_CALLS = 2000, NUMBER_RAW = 224, NUMBER_LESS = 16 };

typedef struct block {
    struct block *next;
} block;

typedef struct program {
    const uint8_t *p, *end;
    void          *models[N_SLOTS], *compilations[N_SLOTS], *executions[N_SLOTS], *memories[N_SLOTS];
    void          *owners[N_SLOTS];     /* the compilations of executions */
    void          *making[N_SLOTS];     /* the models of compilations */
    uint8_t       *network;             /* what was stored */
    size_t         n_network;
    block         *blocks;              /* what the adapter may read until the end */
    size_t         taken;
    meter          memory;
} program;

static const char *const texts[] = {"", "--opt 3", "com.mediatek.general_operation", "com.mediatek.compiled_network",
                                    "a name longer than sixty-three bytes, as those that a model keeps of its own must be cut off"};

static uint8_t byte_of(program *g) { return g->p < g->end ? *g->p++ : 0; }

static uint32_t bits_of(program *g) {
    uint32_t v = 0;
    for (int i = 0; i < 4; i++) v |= (uint32_t)byte_of(g) << 8 * i;
    return v;
}

static int32_t number_of(program *g) {
    const uint8_t b = byte_of(g);
    return b >= NUMBER_RAW ? (int32_t)bits_of(g) : (int32_t)b - NUMBER_LESS;
}

static float float_of(program *g) { return npu__f32_from_bits(bits_of(g)); }

static const char *text_of(program *g) {
    const uint8_t b = byte_of(g);
    return b == 255 ? NULL : texts[b % (sizeof texts / sizeof *texts)];
}

/* Memory until the end of the program, exactly as long; NULL: enough was taken. */
static uint8_t *take(program *g, size_t n) {
    block *b;
    if (n > (size_t)1 << 26 || g->taken + n > (size_t)1 << 26) return NULL;
    b = (block *)malloc(sizeof *b + n); /* the sanitizer sees what is behind it */
    if (!b) abort();
    b->next = g->blocks;
    g->blocks = b;
    g->taken += n;
    memset(b + 1, 0x3C, n);
    return (uint8_t *)(b + 1);
}

static uint32_t *list_of(program *g, uint32_t *n) {
    uint32_t *list;
    *n = byte_of(g);
    if (*n > MOST_LIST) {
        *n = *n == 255 ? 1 : 1u << 21;
        return NULL;
    }
    list = (uint32_t *)(void *)take(g, *n * sizeof *list);
    if (!list) *n = 0;
    for (uint32_t i = 0; i < *n; i++) list[i] = (uint32_t)number_of(g);
    return list;
}

/* A handle, and where it is; NULL the second: no place. */
static void *handle(program *g, void **slots, void ***at) {
    const uint8_t b = byte_of(g) % (N_SLOTS + 1);
    if (at) *at = b < N_SLOTS ? &slots[b] : NULL;
    return b < N_SLOTS ? slots[b] : NULL;
}

/* ---- what depends on what ---- */

static void drop_executions(program *g, const void *compilation) {
    for (int i = 0; i < N_SLOTS; i++) {
        if (!g->executions[i] || g->owners[i] != compilation) continue;
        NeuronExecution_free(g->executions[i]);
        g->executions[i] = NULL;
    }
}

static void drop_compilation(program *g, int i) {
    if (!g->compilations[i]) return;
    drop_executions(g, g->compilations[i]);
    NeuronCompilation_free(g->compilations[i]);
    g->compilations[i] = g->making[i] = NULL;
}

/* A compilation needs its model until it is finished. */
static void drop_model(program *g, int i) {
    for (int k = 0; k < N_SLOTS; k++) {
        if (g->compilations[k] && g->making[k] == g->models[i] && !((npu__nsw_compilation *)g->compilations[k])->network) drop_compilation(g, k);
        if (g->compilations[k] && g->making[k] == g->models[i]) g->making[k] = NULL;
    }
    NeuronModel_free(g->models[i]);
    g->models[i] = NULL;
}

static void drop_execution(program *g, int i) {
    NeuronExecution_free(g->executions[i]);
    g->executions[i] = NULL;
}

/* Memory is read and written by any execution that was told of it. */
static void drop_memory(program *g, int i) {
    for (int k = 0; k < N_SLOTS; k++) drop_execution(g, k);
    NeuronMemory_free(g->memories[i]);
    g->memories[i] = NULL;
}

/* ---- a step for each function ---- */

static void step_Neuron_getVersion(program *g) {
    npu_neuron_version v;
    promise(Neuron_getVersion(byte_of(g) & 1 ? NULL : &v) != NPU__NEURON_OP_FAILED, "a version that fails");
}
static void step_Neuron_getL1MemorySizeKb(program *g) {
    uint32_t kb;
    Neuron_getL1MemorySizeKb(byte_of(g) & 1 ? NULL : &kb);
}

static void step_NeuronModel_create(program *g) {
    void **at;
    if (handle(g, g->models, &at)) drop_model(g, (int)(at - g->models));
#ifdef FUZZ_PRODUCTION
    NeuronModel_create(at);
#else
    {
        npu_allocator   a = meter_of(&g->memory);
        npu__nsw_model *m = NULL;
        if (!at) NeuronModel_create(NULL);
        else npu__nsw_model_new(&m, &a);
        if (at) *at = m;
    }
#endif
}
static void step_NeuronModel_free(program *g) {
    void **at;
    handle(g, g->models, &at);
    if (at) drop_model(g, (int)(at - g->models));
    else NeuronModel_free(NULL);
}
static void step_NeuronModel_setName(program *g) {
    void *m = handle(g, g->models, NULL);
    NeuronModel_setName(m, text_of(g));
}
static void step_NeuronModel_addOperand(program *g) {
    void              *m = handle(g, g->models, NULL);
    npu_neuron_operand o;
    uint32_t           n;
    o.type = number_of(g);
    o.dims = list_of(g, &n);
    o.n_dims = n;
    o.scale = float_of(g);
    o.zero_point = number_of(g);
    NeuronModel_addOperand(m, o.type == -1 ? NULL : &o);
}
static void step_NeuronModel_setOperandValue(program *g) {
    void         *m = handle(g, g->models, NULL);
    const int32_t index = number_of(g), length = number_of(g);
    const uint8_t how = byte_of(g);
    const size_t  n = length < 0 ? 0 : (size_t)length > MOST_VALUE ? MOST_VALUE : (size_t)length;
    uint8_t      *p = how == 255 ? NULL : take(g, n);
    for (size_t i = 0; p && i < n; i++) p[i] = how == 0 ? byte_of(g) : (uint8_t)(how + i);
    NeuronModel_setOperandValue(m, index, p, n);
}

static float *scales_of(program *g, uint32_t n) {
    const uint8_t how = byte_of(g);
    float        *p = how == 255 ? NULL : (float *)(void *)take(g, n * sizeof *p);
    for (uint32_t i = 0; p && i < n; i++) p[i] = how == 0 ? float_of(g) : 0.001f * (float)(how + i);
    return p;
}
static void step_NeuronModel_setOperandSymmPerChannelQuantParams(program *g) {
    void                    *m = handle(g, g->models, NULL);
    const int32_t            index = number_of(g);
    npu_neuron_channels_symm q;
    q.axis = (uint32_t)number_of(g);
    q.n_scales = byte_of(g);
    q.scales = scales_of(g, q.n_scales);
    NeuronModel_setOperandSymmPerChannelQuantParams(m, index, index == -1 ? NULL : &q);
}
static void step_NeuronModel_setOperandPerChannelQuantParams(program *g) {
    void               *m = handle(g, g->models, NULL);
    const int32_t       index = number_of(g);
    npu_neuron_channels q;
    uint32_t            n;
    q.axis = (uint32_t)number_of(g);
    q.n_scales = byte_of(g);
    q.scales = scales_of(g, q.n_scales);
    q.zero_points = (const int32_t *)list_of(g, &n);
    q.n_zero_points = n;
    NeuronModel_setOperandPerChannelQuantParams(m, index, index == -1 ? NULL : &q);
}
static void step_NeuronModel_addOperation(program *g) {
    void           *m = handle(g, g->models, NULL);
    const int32_t   type = number_of(g);
    uint32_t        n_in, n_out;
    const uint32_t *in = list_of(g, &n_in), *out = list_of(g, &n_out);
    NeuronModel_addOperation(m, type, n_in, in, n_out, out);
}

static void step_NeuronModel_getExtensionOperandType(program *g) {
    void       *m = handle(g, g->models, NULL);
    const char *name = text_of(g);
    int32_t     type;
    NeuronModel_getExtensionOperandType(m, name, (uint16_t)number_of(g), &type);
}
static void step_NeuronModel_getExtensionOperationType(program *g) {
    void       *m = handle(g, g->models, NULL);
    const char *name = text_of(g);
    int32_t     type;
    NeuronModel_getExtensionOperationType(m, name, (uint16_t)number_of(g), byte_of(g) & 1 ? NULL : &type);
}
static void step_NeuronModel_identifyInputsAndOutputs(program *g) {
    void           *m = handle(g, g->models, NULL);
    uint32_t        n_in, n_out;
    const uint32_t *in = list_of(g, &n_in), *out = list_of(g, &n_out);
    NeuronModel_identifyInputsAndOutputs(m, n_in, in, n_out, out);
}
static void step_NeuronModel_relaxComputationFloat32toFloat16(program *g) {
    void *m = handle(g, g->models, NULL);
    NeuronModel_relaxComputationFloat32toFloat16(m, byte_of(g));
}
static void step_NeuronModel_finish(program *g) { NeuronModel_finish(handle(g, g->models, NULL)); }

/* How many operations there are, or some number. */
static uint8_t *verdicts_of(program *g, const npu__nsw_model *m, uint32_t *n) {
    const int32_t other = number_of(g);
    *n = other == 0 && m ? (uint32_t)m->n_ops : (uint32_t)other & 0xFFFFu;
    return take(g, *n);
}
static void step_NeuronModel_getSupportedOperations(program *g) {
    void    *m = handle(g, g->models, NULL);
    uint32_t n;
    uint8_t *list = verdicts_of(g, (const npu__nsw_model *)m, &n);
    if (NeuronModel_getSupportedOperations(m, list, n) != NPU__NEURON_NO_ERROR) return;
    for (uint32_t i = 0; i < n; i++) promise(list[i] < 2, "a verdict that is no verdict");
}

/* The handles of a network that was stored before, a byte of it changed. */
static void step_NeuronModel_restoreFromCompiledNetwork(program *g) {
    void       **m, **c;
    const size_t at = (size_t)(uint32_t)number_of(g);
    const uint8_t change = byte_of(g), mended = byte_of(g) & 1;
    void        *old_m = handle(g, g->models, &m), *old_c = handle(g, g->compilations, &c);
    if (old_c) drop_compilation(g, (int)(c - g->compilations));
    if (old_m) drop_model(g, (int)(m - g->models));
    if (g->n_network > at) g->network[at] ^= change;
    if (mended && g->n_network > NPU__NSW_HEAD) npu__nsw_put(g->network + NPU__NSW_SUM_AT, npu__nsw_checksum(g->network, g->n_network), 8);
    NeuronModel_restoreFromCompiledNetwork(m, c, g->network, g->n_network);
    if (m && c) g->making[c - g->compilations] = *m;
}

static void make_compilation(program *g, int options) {
    void        *m = handle(g, g->models, NULL), **at;
    const char  *text = options ? text_of(g) : NULL;
    if (handle(g, g->compilations, &at)) drop_compilation(g, (int)(at - g->compilations));
    if (options) NeuronCompilation_createWithOptions(m, at, text);
    else NeuronCompilation_create(m, at);
    if (at) g->making[at - g->compilations] = m;
}
static void step_NeuronCompilation_create(program *g) { make_compilation(g, 0); }
static void step_NeuronCompilation_createWithOptions(program *g) { make_compilation(g, 1); }
static void step_NeuronCompilation_free(program *g) {
    void **at;
    handle(g, g->compilations, &at);
    if (at) drop_compilation(g, (int)(at - g->compilations));
    else NeuronCompilation_free(NULL);
}
static void step_NeuronCompilation_setPreference(program *g) {
    void *c = handle(g, g->compilations, NULL);
    NeuronCompilation_setPreference(c, number_of(g));
}
static void step_NeuronCompilation_setPriority(program *g) {
    void *c = handle(g, g->compilations, NULL);
    NeuronCompilation_setPriority(c, number_of(g));
}
static void step_NeuronCompilation_setOptimizationString(program *g) {
    void *c = handle(g, g->compilations, NULL);
    NeuronCompilation_setOptimizationString(c, text_of(g));
}
static void step_NeuronCompilation_setOptimizationHint(program *g) {
    void *c = handle(g, g->compilations, NULL);
    NeuronCompilation_setOptimizationHint(c, (uint32_t)number_of(g));
}
static void step_NeuronCompilation_setL1MemorySizeKb(program *g) {
    void *c = handle(g, g->compilations, NULL);
    NeuronCompilation_setL1MemorySizeKb(c, (uint32_t)number_of(g));
}
static void step_NeuronCompilation_getSupportedOperations(program *g) {
    npu__nsw_compilation *c = (npu__nsw_compilation *)handle(g, g->compilations, NULL);
    uint32_t              n;
    uint8_t              *list = verdicts_of(g, c && !c->network ? c->model : NULL, &n); /* finished: its model may be gone */
    NeuronCompilation_getSupportedOperations(c, n, list);
}
static void step_NeuronCompilation_finish(program *g) { NeuronCompilation_finish(handle(g, g->compilations, NULL)); }

static void step_NeuronCompilation_getInputPaddedDimensions(program *g) {
    void    *c = handle(g, g->compilations, NULL);
    uint32_t dims[NPU_MAX_RANK];
    NeuronCompilation_getInputPaddedDimensions(c, number_of(g), dims);
}
static void step_NeuronCompilation_getOutputPaddedDimensions(program *g) {
    void    *c = handle(g, g->compilations, NULL);
    uint32_t dims[NPU_MAX_RANK];
    NeuronCompilation_getOutputPaddedDimensions(c, number_of(g), dims);
}
static void step_NeuronCompilation_getInputPaddedSize(program *g) {
    void  *c = handle(g, g->compilations, NULL);
    size_t n;
    NeuronCompilation_getInputPaddedSize(c, number_of(g), &n);
}
static void step_NeuronCompilation_getOutputPaddedSize(program *g) {
    void  *c = handle(g, g->compilations, NULL);
    size_t n;
    NeuronCompilation_getOutputPaddedSize(c, number_of(g), &n);
}
static void step_NeuronCompilation_getCompiledNetworkSize(program *g) {
    void  *c = handle(g, g->compilations, NULL);
    size_t n;
    NeuronCompilation_getCompiledNetworkSize(c, byte_of(g) & 1 ? NULL : &n);
}
static void step_NeuronCompilation_storeCompiledNetwork(program *g) {
    void         *c = handle(g, g->compilations, NULL);
    const int32_t more = number_of(g);
    size_t        n = 0;
    uint8_t      *p;
    if (NeuronCompilation_getCompiledNetworkSize(c, &n) != NPU__NEURON_NO_ERROR) n = 64;
    n = more < 0 ? n / 2 : n + (size_t)(more & 255);
    p = take(g, n);
    if (NeuronCompilation_storeCompiledNetwork(c, p, n) != NPU__NEURON_NO_ERROR) return;
    g->network = p;
    g->n_network = n;
}

/* ---- memory and executions ---- */

static void step_NeuronMemory_createFromFd(program *g) {
    static int    fd = -1;
    const size_t  size = (size_t)(uint32_t)number_of(g);
    const uint8_t protect = byte_of(g), which = byte_of(g);
    const size_t  offset = 4096 * (size_t)(uint32_t)number_of(g);
    void        **at;
    if (fd < 0) {
        fd = memfd_create("fuzz", 0);
        if (fd < 0 || ftruncate(fd, 5000) != 0) abort();
    }
    if (handle(g, g->memories, &at)) drop_memory(g, (int)(at - g->memories));
    NeuronMemory_createFromFd(size, protect, which & 1 ? -1 : fd, offset, at);
}
static void step_NeuronMemory_createFromAHardwareBuffer(program *g) {
    void **at;
    if (handle(g, g->memories, &at)) return;
    NeuronMemory_createFromAHardwareBuffer(&at, at);
}
static void step_NeuronMemory_free(program *g) {
    void **at;
    handle(g, g->memories, &at);
    if (at) drop_memory(g, (int)(at - g->memories));
    else NeuronMemory_free(NULL);
}

/* Within bounds: all that runs ends soon. */
static void step_NeuronExecution_create(program *g) {
    npu__nsw_compilation *c = (npu__nsw_compilation *)handle(g, g->compilations, NULL);
    npu__nsw_bounds       bounds;
    void                **at;
    if (handle(g, g->executions, &at)) drop_execution(g, (int)(at - g->executions));
    memset(&bounds, 0, sizeof bounds);
    bounds.max_work = MAX_STEPS;
    if (!c || !at) NeuronExecution_create(c, at);
    else npu__nsw_execution_new(c, &bounds, at);
    if (at) g->owners[at - g->executions] = c;
}
static void step_NeuronExecution_free(program *g) {
    void **at;
    handle(g, g->executions, &at);
    if (at) drop_execution(g, (int)(at - g->executions));
    else NeuronExecution_free(NULL);
}
static void step_NeuronExecution_setBoostHint(program *g) {
    void *e = handle(g, g->executions, NULL);
    NeuronExecution_setBoostHint(e, byte_of(g));
}

/* A buffer as long as it must be, or otherwise. */
static uint8_t *border_of(program *g, void *e, int32_t index, int output, size_t *n) {
    const int32_t other = number_of(g);
    void         *c = e ? ((npu__nsw_execution *)e)->compilation : NULL;
    const int     r = output ? npu__nsw_NeuronCompilation_getOutputPaddedSize(c, index, n) : npu__nsw_NeuronCompilation_getInputPaddedSize(c, index, n);
    if (r != NPU__NEURON_NO_ERROR || other != 0) *n = (size_t)((uint32_t)other & 0xFFFFu);
    return take(g, *n);
}
static void step_NeuronExecution_setInput(program *g) {
    void              *e = handle(g, g->executions, NULL);
    const int32_t      index = number_of(g);
    size_t             n;
    uint8_t           *p = border_of(g, e, index, 0, &n);
    npu_neuron_operand type;
    memset(&type, 0, sizeof type);
    NeuronExecution_setInput(e, index, byte_of(g) & 1 ? &type : NULL, p, n);
}
static void step_NeuronExecution_setOutput(program *g) {
    void         *e = handle(g, g->executions, NULL);
    const int32_t index = number_of(g);
    size_t        n;
    uint8_t      *p = border_of(g, e, index, 1, &n);
    NeuronExecution_setOutput(e, index, NULL, p, n);
}
static void step_NeuronExecution_setInputFromMemory(program *g) {
    void          *e = handle(g, g->executions, NULL), *m = handle(g, g->memories, NULL);
    const uint32_t index = (uint32_t)number_of(g);
    const size_t   offset = (size_t)(int64_t)number_of(g);
    NeuronExecution_setInputFromMemory(e, index, NULL, m, offset, (size_t)(int64_t)number_of(g));
}
static void step_NeuronExecution_setOutputFromMemory(program *g) {
    void          *e = handle(g, g->executions, NULL), *m = handle(g, g->memories, NULL);
    const uint32_t index = (uint32_t)number_of(g);
    const size_t   offset = (size_t)(int64_t)number_of(g);
    NeuronExecution_setOutputFromMemory(e, index, NULL, m, offset, (size_t)(int64_t)number_of(g));
}
static void step_NeuronExecution_compute(program *g) { NeuronExecution_compute(handle(g, g->executions, NULL)); }
static void step_NeuronExecution_getOutputOperandRank(program *g) {
    void    *e = handle(g, g->executions, NULL);
    uint32_t rank = 0;
    NeuronExecution_getOutputOperandRank(e, number_of(g), &rank);
    promise(rank <= NPU_MAX_RANK, "an output of more dimensions than there are");
}
static void step_NeuronExecution_getOutputOperandDimensions(program *g) {
    void    *e = handle(g, g->executions, NULL);
    uint32_t dims[NPU_MAX_RANK];
    NeuronExecution_getOutputOperandDimensions(e, number_of(g), dims);
}

static void (*const steps[])(program *g) = {
#define X(type, name, parameters, arguments) step_##name,
    NPU_NEURON_FUNCTIONS(X)
#undef X
};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    static program g;
    memset(&g, 0, sizeof g);
    g.p = bytes;
    g.end = bytes + n;
    g.memory.pattern = 0x66;
    g.memory.most = MAX_BYTES;
    setenv("NPU_NEURON_TRACE", "/dev/null", 1); /* the trace says what it was given, whatever that is */
    for (int calls = 0; g.p < g.end && calls < MOST_CALLS; calls++) steps[byte_of(&g) % (sizeof steps / sizeof *steps)](&g);
    for (int i = 0; i < N_SLOTS; i++) drop_execution(&g, i);
    for (int i = 0; i < N_SLOTS; i++) drop_compilation(&g, i);
    for (int i = 0; i < N_SLOTS; i++) drop_model(&g, i);
    for (int i = 0; i < N_SLOTS; i++) drop_memory(&g, i);
    while (g.blocks) {
        block *b = g.blocks;
        g.blocks = b->next;
        free(b);
    }
    promise(g.memory.live == 0, "a model keeps memory");
    return 0;
}

#endif
