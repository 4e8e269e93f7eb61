/* The four calls of a segment, by the functions of the adapter. */
#include "../select.h"
#include "adapter/adapter.h"
#include "client.h"

#if NPU__HAS_NEURON && NPU__HAS_LOWERING

NPU__FN npu_status npu__neuron_want(npu__seg *seg, npu__neuron_program *program) {
    program->run = npu__want_packed(&seg->ctx, 5 * npu__ctx_word(&seg->ctx)); /* bounded: an npu__neuron_run, sizes.h */
    return program->run < 0 ? NPU_LIMIT : NPU_OK;
}

/* What LiteRT's plugin says to each network. */
static const npu_neuron_options npu__neuron_plugin = {
    "--opt-accuracy --opt 3", NPU__NEURON_PREFER_SUSTAINED_SPEED, NPU__NEURON_PRIORITY_HIGH, NPU__NEURON_HINT_NORMAL, 0,
    NPU__NEURON_MAX_BOOST, 0, NULL, NULL, NULL};

NPU__FN const npu_neuron_options *npu__neuron_options(npu__ctx *c) {
    const npu_neuron_driver *given = (const npu_neuron_driver *)npu__driver(c, NPU__VENDOR_NR_neuron);
    return given && given->options ? given->options : &npu__neuron_plugin;
}

NPU__FN const char *npu__neuron_result_name(int code) {
    switch (code) {
#define NPU__X(name, number) case number: return #name;
    NPU__NEURON_RESULTS(NPU__X)
#undef NPU__X
    default: return "a code that is not documented";
    }
}

NPU__FN npu_status npu__neuron_missing(npu__ctx *c, const char *name) {
    return NPU__FAIL(c, NPU_RUNTIME, "neuron.missing", "the Neuron adapter has no function %s", name);
}

NPU__FN npu_status npu__neuron_failed(npu__ctx *c, const char *name, int code, int64_t about) {
    const npu_status s = code == NPU__NEURON_OUT_OF_MEMORY ? NPU_OUT_OF_MEMORY : NPU_RUNTIME;
    if (about < 0) return NPU__FAIL(c, s, "neuron.failed", "%s said %d (%s)", name, code, npu__neuron_result_name(code));
    return NPU__FAIL(c, s, "neuron.failed", "%s said %d (%s) about number %l", name, code, npu__neuron_result_name(code),
                     about);
}

NPU__FN npu_status npu__neuron_no_handle(npu__ctx *c, const char *name) {
    return NPU__FAIL(c, NPU_RUNTIME, "neuron.failed", "%s said 0 (NO_ERROR), but gave nothing", name);
}

/* What no run does without: asked for before anything is made that only these give back. */
#define NPU__NEURON_NEEDED(X) \
    X(NeuronModel_free) X(NeuronCompilation_free) X(NeuronExecution_create) X(NeuronExecution_free) X(NeuronExecution_setInput) \
    X(NeuronExecution_setOutput) X(NeuronExecution_compute)

NPU__FN npu_status npu__neuron_functions(npu__ctx *c, const npu_neuron_driver **out) {
    const npu_neuron_driver *given = (const npu_neuron_driver *)npu__driver(c, NPU__VENDOR_NR_neuron);
    *out = given;
    if (given && (given->NeuronModel_create || given->NeuronModel_restoreFromCompiledNetwork)) {
#define NPU__X(name) if (!given->name) return npu__neuron_missing(c, #name);
        NPU__NEURON_NEEDED(NPU__X)
#undef NPU__X
        return NPU_OK;
    }
#if NPU__HAS_NEURON_SOFTWARE
    *out = npu__nsw_driver();
    return NPU_OK;
#else
    if (given) return npu__neuron_missing(c, "NeuronModel_create");
    return NPU__FAIL(c, NPU_UNSUPPORTED, "neuron.no_driver",
                     "this build has no software adapter: give the session a driver for "
                     "\"neuron\"");
#endif
}

NPU__FN npu_status npu__neuron_pick(npu__neuron_call *k) {
    const npu__neuron_program *program = (const npu__neuron_program *)k->c->data;
    const npu_neuron_driver   *given = (const npu_neuron_driver *)npu__driver(k->c, NPU__VENDOR_NR_neuron);
    const char                *runtime = given ? given->runtime : NULL;
    npu_neuron_version         v;
    uint32_t                   number = 0;
    int32_t                    which = NPU__NEURON_BEFORE_8_2_24;
    memset(&v, 0, sizeof v);
    if (!runtime) {
        NPU__NEURON_CALL_IF(k, -1, Neuron_getVersion, (&v));
    } else if (!npu__runtime_version(runtime, &number)) {
        return NPU__FAIL(k->c, NPU_INVALID_ARGUMENT, "neuron.runtime", "npu_neuron_driver.runtime: " NPU__RUNTIME_FORM, runtime);
    }
    k->version = runtime ? (int32_t)number : NPU__NEURON_VERSION_OF(v.major, v.minor, v.patch);
    if (k->version >= NPU__NEURON_VERSION_OF(8, 2, 24)) which = NPU__NEURON_SINCE_8_2_24;
    if (k->version >= NPU__NEURON_VERSION_OF(8, 2, 28)) which = NPU__NEURON_SINCE_8_2_28;
    k->m = program->by_version[which];
    return NPU_OK;
}

/* ---- compiling ---- */

/* Will the adapter take every operation? Not asked of those before 8.2.24, as the plugin does. */
NPU__FN npu_status npu__neuron_ask_supported(npu__neuron_call *k) {
    npu_allocator a = npu__ctx_allocator(k->c);
    const size_t  n = k->m->n_operations;
    uint8_t      *supported;
    uint32_t      no = 0;
    int           code;
    if (k->version < NPU__NEURON_VERSION_ASKS || !k->f->NeuronCompilation_getSupportedOperations) return NPU_OK;
    supported = (uint8_t *)a.alloc(a.user, n, 64);
    if (!supported) return NPU__FAIL(k->c, NPU_OUT_OF_MEMORY, "neuron.memory",
                                     "no memory for the verdicts on %z operations", n);
    memset(supported, 0, n);
    code = k->f->NeuronCompilation_getSupportedOperations(k->run->compilation, (uint32_t)n, supported);
    while (no < n && supported[no]) no++;
    a.free(a.user, supported, n);
    if (code != NPU__NEURON_NO_ERROR) return npu__neuron_failed(k->c, "NeuronCompilation_getSupportedOperations", code, -1);
    if (no == n) return NPU_OK;
    k->c->node = k->m->operations[no].node->node; /* whom the message is about */
    return NPU__FAIL(k->c, NPU_UNSUPPORTED, "neuron.not_supported",
                     "the adapter does not take what this operator becomes (its "
                     "operation %d, code %d): plan with fallback, and the CPU runs it", (int)no, k->m->operations[no].code);
}

NPU__FN npu_status npu__neuron_settings(npu__neuron_call *k) {
    const npu_neuron_options *o = npu__neuron_options(k->c);
    void                     *c = k->run->compilation;
    NPU__NEURON_CALL_IF(k, o->priority, NeuronCompilation_setPriority, (c, o->priority));
    NPU__NEURON_CALL_IF(k, o->preference, NeuronCompilation_setPreference, (c, o->preference));
    if (o->l1_kb > 0) NPU__NEURON_CALL(k, o->l1_kb, NeuronCompilation_setL1MemorySizeKb, (c, o->l1_kb));
    /* What is asked for must be there; that nothing is asked for need not be said. */
    if (o->hint != 0) NPU__NEURON_CALL(k, o->hint, NeuronCompilation_setOptimizationHint, (c, o->hint));
    else NPU__NEURON_CALL_IF(k, 0, NeuronCompilation_setOptimizationHint, (c, 0));
    if (o->text) NPU__NEURON_CALL_IF(k, -1, NeuronCompilation_setOptimizationString, (c, o->text));
    return NPU_OK;
}

NPU__FN npu_status npu__neuron_compile_model(npu__neuron_call *k) {
    const npu_neuron_options *o = npu__neuron_options(k->c);
    if (o->text && k->f->NeuronCompilation_createWithOptions) {
        NPU__NEURON_MAKE(k, k->run->compilation, NeuronCompilation_createWithOptions, (k->run->model,
                                                                                       &k->run->compilation, o->text));
    } else {
        NPU__NEURON_MAKE(k, k->run->compilation, NeuronCompilation_create, (k->run->model, &k->run->compilation));
    }
    NPU__TRY(npu__neuron_ask_supported(k));
    NPU__TRY(npu__neuron_settings(k));
    NPU__NEURON_CALL(k, -1, NeuronCompilation_finish, (k->run->compilation));
    return NPU_OK;
}

NPU__FN npu_status npu__neuron_restore_bytes(npu__neuron_call *k, const void *network, size_t bytes) {
    static const char name[] = "NeuronModel_restoreFromCompiledNetwork";
    int               code;
    if (!k->f->NeuronModel_restoreFromCompiledNetwork) return npu__neuron_missing(k->c, name);
    code = k->f->NeuronModel_restoreFromCompiledNetwork(&k->run->model, &k->run->compilation, network, bytes);
    if (code == NPU__NEURON_NO_ERROR) return k->run->model && k->run->compilation ? NPU_OK : npu__neuron_no_handle(k->c,
                                                                                                                   name);
    k->run->model = k->run->compilation = NULL;
    return npu__neuron_failed(k->c, name, code, -1);
}

/* A network that was compiled before, if the caller has one that the adapter takes. */
NPU__FN int npu__neuron_restore(npu__neuron_call *k, uint64_t key) {
    const npu_neuron_options *o = npu__neuron_options(k->c);
    const void               *network;
    size_t                    bytes = 0;
    if (!o->load) return 0;
    network = o->load(o->cache_user, key, &bytes);
    if (!network) return 0;
    if (npu__neuron_restore_bytes(k, network, bytes) == NPU_OK) return 1;
    npu__neuron_let_go(k->run, k->c); /* one of the two handles */
    k->run->f = k->f;
    npu__excuse(k->c);
    return 0;
}

NPU__FN npu_status npu__neuron_store(npu__neuron_call *k, uint64_t key) {
    const npu_neuron_options *o = npu__neuron_options(k->c);
    npu_allocator             a = npu__ctx_allocator(k->c);
    size_t                    bytes = 0;
    void                     *network;
    int                       code;
    if (!o->store) return NPU_OK;
    NPU__NEURON_CALL(k, -1, NeuronCompilation_getCompiledNetworkSize, (k->run->compilation, &bytes));
    if (!k->f->NeuronCompilation_storeCompiledNetwork) return npu__neuron_missing(k->c,
                                                                                  "NeuronCompilation_storeCompiledNetwork");
    network = bytes > 0 && bytes <= INT32_MAX ? a.alloc(a.user, bytes, 64) : NULL;
    if (!network) {
        return NPU__FAIL(k->c, NPU_OUT_OF_MEMORY, "neuron.memory", "no memory for the %z bytes of a compiled network",
                         bytes);
    }
    code = k->f->NeuronCompilation_storeCompiledNetwork(k->run->compilation, network, bytes);
    if (code == NPU__NEURON_NO_ERROR) o->store(o->cache_user, key, network, bytes);
    a.free(a.user, network, bytes);
    return code == NPU__NEURON_NO_ERROR ? NPU_OK : npu__neuron_failed(k->c, "NeuronCompilation_storeCompiledNetwork",
                                                                      code, -1);
}

NPU__FN npu_status npu__neuron_compile(npu__neuron_call *k) {
    const npu_neuron_options *o = npu__neuron_options(k->c);
    const uint64_t            key = o->load || o->store ? npu__neuron_key(k) : 0;
    if (npu__neuron_restore(k, key)) return NPU_OK;
#if NPU__HAS_NEURON_SOFTWARE
    if (k->f->NeuronModel_create == npu__nsw_NeuronModel_create) { /* its memory is the session's */
        npu_allocator   a = npu__ctx_allocator(k->c);
        npu__nsw_model *m;
        const int       code = npu__nsw_model_new(&m, &a);
        if (code != NPU__NEURON_NO_ERROR) return npu__neuron_failed(k->c, "NeuronModel_create", code, -1);
        k->run->model = m;
    }
#endif
    if (!k->run->model) NPU__NEURON_MAKE(k, k->run->model, NeuronModel_create, (&k->run->model));
    NPU__TRY(npu__neuron_feed(k));
    NPU__TRY(npu__neuron_compile_model(k));
    if (npu__neuron_store(k, key) != NPU_OK) npu__excuse(k->c); /* it runs, and is compiled again the next time */
    return NPU_OK;
}

/* ---- running ---- */

#if NPU__HAS_NEURON_SOFTWARE
/* Asks the session's cancel function: the software adapter runs in a session of its own. */
NPU__FN int npu__neuron_stop(void *ctx) { return npu__poll((npu__ctx *)ctx, INT64_MAX); }
#endif

NPU__FN npu_status npu__neuron_execution(npu__neuron_call *k) {
#if NPU__HAS_NEURON_SOFTWARE
    if (k->f->NeuronExecution_create == npu__nsw_NeuronExecution_create) {
        npu__nsw_bounds bounds;
        int             code;
        bounds.max_work = npu__ctx_max_work(k->c);
        bounds.cancel = npu__neuron_stop;
        bounds.cancel_user = k->c;
        code = npu__nsw_execution_new((npu__nsw_compilation *)k->run->compilation, &bounds, &k->run->execution);
        return code == NPU__NEURON_NO_ERROR ? NPU_OK : npu__neuron_failed(k->c, "NeuronExecution_create", code, -1);
    }
#endif
    NPU__NEURON_MAKE(k, k->run->execution, NeuronExecution_create, (k->run->compilation, &k->run->execution));
    return NPU_OK;
}

NPU__FN npu_status npu__neuron_open(npu__neuron_call *k) {
    const npu_neuron_options *o = npu__neuron_options(k->c);
    NPU__TRY(npu__neuron_borders_prepare(k));
    NPU__TRY(npu__neuron_execution(k));
    if (o->boost > 0) NPU__NEURON_CALL_IF(k, o->boost, NeuronExecution_setBoostHint, (k->run->execution, (uint8_t)o->boost));
    return NPU_OK;
}

NPU__FN npu_status npu__neuron_compute(npu__neuron_call *k) {
    int code;
    NPU__TRY(npu__neuron_borders_bind(k));
    code = k->f->NeuronExecution_compute(k->run->execution); /* it is there: npu__neuron_functions */
#if NPU__HAS_NEURON_SOFTWARE
    if (code == NPU__NEURON_RESOURCE_EXHAUSTED_PERSISTENT && k->f->NeuronExecution_compute == npu__nsw_NeuronExecution_compute) {
        return NPU__FAIL(k->c, NPU_LIMIT, "session.work", "a compiled network takes more than the limit of %l steps "
                         "(npu_session_desc.max_work)", npu__ctx_max_work(k->c));
    }
#endif
    if (code != NPU__NEURON_NO_ERROR) return npu__neuron_failed(k->c, "NeuronExecution_compute", code, -1);
    npu__neuron_borders_read(k);
    return NPU_OK;
}

NPU__FN void npu__neuron_let_go(npu__neuron_run *run, npu__ctx *c) {
    if (run->execution && run->f->NeuronExecution_free) run->f->NeuronExecution_free(run->execution);
    if (run->compilation && run->f->NeuronCompilation_free) run->f->NeuronCompilation_free(run->compilation);
    if (run->model && run->f->NeuronModel_free) run->f->NeuronModel_free(run->model);
    npu__neuron_borders_release(run, c);
    memset(run, 0, sizeof *run);
}

/* ---- the calls of a segment ---- */

NPU__FN npu__neuron_run *npu__neuron_run_of(npu__seg *seg) {
    return (npu__neuron_run *)npu__slot(&seg->ctx, ((const npu__neuron_program *)seg->ctx.data)->run);
}

NPU__FN npu_status npu__neuron_prepare_all(npu__neuron_call *k) {
    NPU__TRY(npu__neuron_functions(k->c, &k->f));
    k->run->f = k->f;
    NPU__TRY(npu__neuron_pick(k));
    NPU__TRY(npu__neuron_compile(k));
    return npu__neuron_open(k);
}

NPU__FN npu_status npu__neuron_prepare(npu__seg *seg) {
    const npu__node *about = seg->ctx.node;
    npu__neuron_call k;
    npu_status       s;
    memset(&k, 0, sizeof k);
    k.c = &seg->ctx;
    k.run = npu__neuron_run_of(seg);
    memset(k.run, 0, sizeof *k.run);
    s = npu__neuron_prepare_all(&k);
    seg->ctx.node = about;
    if (s != NPU_OK) npu__neuron_let_go(k.run, k.c);
    return s;
}

NPU__FN void npu__neuron_release(npu__seg *seg) { npu__neuron_let_go(npu__neuron_run_of(seg), &seg->ctx); }

NPU__FN npu_status npu__neuron_invoke(npu__seg *seg) {
    npu__neuron_call k;
    memset(&k, 0, sizeof k);
    k.c = &seg->ctx;
    k.run = npu__neuron_run_of(seg);
    k.f = k.run->f;
    return npu__neuron_compute(&k);
}

#endif

NPU_API const npu_neuron_driver *npu_neuron_software(void) {
#if NPU__HAS_NEURON_SOFTWARE
    return npu__nsw_driver();
#else
    return NULL;
#endif
}

NPU_API npu_neuron_options npu_neuron_usual_options(void) {
    npu_neuron_options o;
#if NPU__HAS_NEURON && NPU__HAS_LOWERING
    o = npu__neuron_plugin;
#else
    memset(&o, 0, sizeof o);
#endif
    return o;
}
