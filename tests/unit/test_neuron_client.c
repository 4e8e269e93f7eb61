/* Segments through the functions of the Neuron adapter: a library of which each function fails in turn, is missing, or
 * answers garbage; what is compiled is kept and found again; padded inputs and outputs; the CPU where the plan falls
 * back on it. */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_BACKEND_NEURON
#define NPU_RT_NO_REPORTS
#define NPU_RT_DEBUG
#include "npu_rt.h"

#include "neuron_client_kit.h"
#include "neuron_client_pads.h"

/* ---- tests ---- */

TEST(runs) {
    uint8_t got[BYTES];
    CHECK_INT(run(on_cpu, NULL, NULL, want, BYTES, NULL), NPU_OK);
    memset(got, 0, sizeof got);
    CHECK_INT(run(on_npu, NULL, NULL, got, BYTES, NULL), NPU_OK); /* the software adapter itself */
    CHECK(same(got));
    all_well();
    memset(got, 0, sizeof got);
    CHECK_INT(run(on_npu, &counting, NULL, got, BYTES, NULL), NPU_OK);
    CHECK(same(got));
    CHECK_INT(lib.calls[FN_NeuronModel_create], 1);
    CHECK_INT(lib.calls[FN_NeuronModel_addOperation], 3);
    CHECK_INT(lib.calls[FN_NeuronModel_free], 1);
    CHECK_INT(lib.calls[FN_NeuronCompilation_free], 1);
    CHECK_INT(lib.calls[FN_NeuronExecution_compute], 2);
    CHECK_INT(lib.calls[FN_NeuronExecution_free], 1);
}

/* Says everything that can be said. */
static npu_neuron_options all_options(void) {
    npu_neuron_options o;
    memset(&o, 0, sizeof o);
    o.text = "--opt 3";
    o.preference = NPU__NEURON_PREFER_TURBO_BOOST;
    o.priority = NPU__NEURON_PRIORITY_LOW;
    o.hint = 1;
    o.l1_kb = 64;
    o.boost = 50;
    o.cache_user = &cache;
    o.load = cache_load;
    o.store = cache_store;
    return o;
}

static int is_about_the_cache(int fn) {
    return fn == FN_NeuronModel_restoreFromCompiledNetwork || fn == FN_NeuronCompilation_getCompiledNetworkSize ||
           fn == FN_NeuronCompilation_storeCompiledNetwork;
}

/* What a run says that cannot do without the function: its name, or of the two that ask for padding what they have in
 * common. */
static void check_says(const npu_diag *d, const char *rule, int fn) {
    if (!CHECK_STR(d->rule, rule)) printf("    %s\n", names[fn]);
    CHECK_HAS(d->text, strstr(names[fn], "Padded") ? "Padded" : names[fn]);
}

/* Function `fn` fails: alone, and then with a plan that falls back on the CPU, which says why and computes the same. */
static int one_function_fails(const npu_neuron_driver *driver, int fn, int code, int at) {
    const int  harmless = fn == FN_NeuronModel_setOperandSymmPerChannelQuantParams || is_about_the_cache(fn);
    npu_status s;
    for (int fallback = 0; fallback < 2; fallback++) {
        npu_diag d;
        uint8_t  got[BYTES] = {0};
        all_well();
        lib.fail = fn;
        lib.code = code;
        lib.at = at;
        s = run(fallback ? either : on_npu, driver, NULL, got, BYTES, &d);
        CHECK_INT(s, fallback || harmless ? NPU_OK : code == NPU__NEURON_OUT_OF_MEMORY ? NPU_OUT_OF_MEMORY : NPU_RUNTIME);
        CHECK_INT(d.status, s);
        if (s == NPU_OK) CHECK(same(got));
        if (fn != FN_NeuronModel_setOperandSymmPerChannelQuantParams) check_says(&d, "neuron.failed", fn);
        CHECK_INT(lib.calls[FN_NeuronModel_create] + lib.calls[FN_NeuronModel_restoreFromCompiledNetwork] -
                      (fn == FN_NeuronModel_create ||
                       fn == FN_NeuronModel_restoreFromCompiledNetwork), lib.calls[FN_NeuronModel_free]);
        if (s == NPU_OK) CHECK((ran_by != NULL) == harmless);
        if (fallback == 0) harmless ? CHECK(lib.calls[FN_NeuronExecution_compute] == 2) : CHECK(s != NPU_OK);
    }
    return !harmless;
}

/* Each function fails, at its first call and its last one, with each code that is documented and one that is not; with
 * the options of the plugin, with all options, and with a network that was kept. */
TEST(each_function_fails) {
    static const int codes[] = {
#define ROW(name, number) number,
        NPU__NEURON_RESULTS(ROW)
#undef ROW
        4711, -1};
    npu_neuron_options options = all_options();
    npu_neuron_driver  driver = counting;
    int                calls[N_FUNCTIONS], failures = 0;
    for (int way = 0; way < 3; way++) {
        uint8_t got[BYTES];
        if (way > 0) driver.options = &options;
        memset(&cache, 0, sizeof cache);
        for (int kept = 0; kept < (way == 2 ? 2 : 1); kept++) {
            all_well();
            CHECK_INT(run(on_npu, &driver, NULL, got, BYTES, NULL), NPU_OK);
        }
        memcpy(calls, lib.calls, sizeof calls);
        CHECK_INT(calls[FN_NeuronModel_restoreFromCompiledNetwork], way == 2);
        for (int fn = 0; fn < N_FUNCTIONS; fn++) {
            for (size_t k = 0; calls[fn] > 0 && !strstr(names[fn], "_free") && k < sizeof codes / sizeof *codes; k++) {
                if (codes[k] == NPU__NEURON_NO_ERROR) continue;
                if (way < 2) cache.n = 0; /* so that it is compiled and stored */
                failures += one_function_fails(&driver, fn, codes[k], k % 2 ? calls[fn] : 1);
            }
        }
    }
    CHECK(failures > 500);
}

/* A library that lacks a function: what the client can do without does no harm, all else says which it is. */
static void one_function_missing(npu_neuron_driver d, int fn) {
    /* By a part of their names. Of the two functions that make a compilation one will do. */
    static const char *const without[] = {"getVersion", "setName", "PerChannelQuantParams", "NeuronCompilation_create",
                                          "setPreference", "setPriority", "setOptimizationString", "setBoostHint",
                                          "SupportedOperations", "Padded", "NeuronMemory", "FromMemory",
                                          "getOutputOperand", "Extension", "getL1MemorySizeKb"};
    const int asked = d.options != NULL;
    switch (fn) {
#define ROW(type, name, parameters, arguments) case FN_##name: d.name = NULL; break;
        NPU_NEURON_FUNCTIONS(ROW)
#undef ROW
    default: break;
    }
    for (int fallback = 0; fallback < 2; fallback++) {
        uint8_t    got[BYTES] = {0};
        npu_diag   diag;
        npu_status s;
        int        optional = is_about_the_cache(fn);
        for (size_t i = 0; i < sizeof without / sizeof *without; i++) optional |= strstr(names[fn], without[i]) != NULL;
        /* What is asked for by an option must be there. */
        optional |= !asked && (fn == FN_NeuronCompilation_setL1MemorySizeKb ||
                               fn == FN_NeuronCompilation_setOptimizationHint);
        all_well();
        cache.n = 0;
        s = run(fallback ? either : on_npu, &d, NULL, got, BYTES, &diag);
        if (!CHECK_INT(s, optional || fallback ? NPU_OK : NPU_RUNTIME)) printf("    %s\n", names[fn]);
        CHECK_INT(diag.status, s);
        if (s == NPU_OK) CHECK(same(got));
        /* A library that can make no models is none. */
        if (!optional && fn != FN_NeuronModel_create) check_says(&diag, "neuron.missing", fn);
        if (optional && !(asked && is_about_the_cache(fn) &&
                          fn != FN_NeuronModel_restoreFromCompiledNetwork)) CHECK_STR(diag.rule, "");
    }
}

TEST(each_function_missing) {
    npu_neuron_options options = all_options();
    npu_neuron_driver  d = counting;
    for (int asked = 0; asked < 2; asked++) {
        if (asked) d.options = &options;
        for (int fn = 0; fn < N_FUNCTIONS; fn++) one_function_missing(d, fn);
    }
}

/* ---- an adapter whose answers contradict each other ---- */

static struct {
    /* function that gives no handle and says it worked; that says it failed, and leaves garbage as handle */
    int    nothing, garbage;
    size_t network;          /* bytes that a compiled network has */
    int    flags;            /* what supported-operations answers are full of; -1: not written */
    npu_neuron_version version;
} lie;

#define LIE(fn, handle, call)                                                                \
    do {                                                                                     \
        if (lie.nothing == (fn)) { (handle) = NULL; return NPU__NEURON_NO_ERROR; }           \
        if (lie.garbage == (fn)) { (handle) = (void *)&lie; return NPU__NEURON_BAD_STATE; }  \
        return call;                                                                         \
    } while (0)

static int lie_model(void **m) { LIE(FN_NeuronModel_create, *m, mock_NeuronModel_create(m)); }
static int lie_compilation(void *m, void **c) { LIE(FN_NeuronCompilation_create, *c, mock_NeuronCompilation_create(m, c)); }
static int lie_with_options(void *m, void **c, const char *o) {
    LIE(FN_NeuronCompilation_createWithOptions, *c, mock_NeuronCompilation_createWithOptions(m, c, o));
}
static int lie_execution(void *c, void **e) { LIE(FN_NeuronExecution_create, *e, mock_NeuronExecution_create(c, e)); }
static int lie_restore(void **m, void **c, const void *p, size_t n) {
    if (lie.garbage == FN_NeuronModel_restoreFromCompiledNetwork) *m = (void *)&cache;
    LIE(FN_NeuronModel_restoreFromCompiledNetwork, *c, mock_NeuronModel_restoreFromCompiledNetwork(m, c, p, n));
}
static int lie_size(void *c, size_t *n) {
    const int r = mock_NeuronCompilation_getCompiledNetworkSize(c, n);
    if (lie.network != 1) *n = lie.network;
    return r;
}
static int lie_supported(void *c, uint32_t n, uint8_t *supported) {
    (void)c;
    if (lie.flags >= 0) memset(supported, lie.flags, n);
    return NPU__NEURON_NO_ERROR;
}
static int lie_version(npu_neuron_version *v) { *v = lie.version; return NPU__NEURON_NO_ERROR; }

static npu_neuron_driver lying(const npu_neuron_options *options) {
    npu_neuron_driver d = counting;
    lie.nothing = lie.garbage = -1;
    lie.network = 1;
    lie.flags = 1;
    lie.version.major = 8;
    lie.version.minor = 2;
    lie.version.patch = 26;
    d.NeuronModel_create = lie_model;
    d.NeuronCompilation_create = lie_compilation;
    d.NeuronCompilation_createWithOptions = lie_with_options;
    d.NeuronExecution_create = lie_execution;
    d.NeuronModel_restoreFromCompiledNetwork = lie_restore;
    d.NeuronCompilation_getCompiledNetworkSize = lie_size;
    d.NeuronCompilation_getSupportedOperations = lie_supported;
    d.Neuron_getVersion = lie_version;
    d.options = options;
    all_well();
    return d;
}

TEST(handles) {
    static const int makers[] = {FN_NeuronModel_create, FN_NeuronCompilation_create, FN_NeuronCompilation_createWithOptions,
                                 FN_NeuronExecution_create, FN_NeuronModel_restoreFromCompiledNetwork};
    npu_neuron_options options = all_options();
    for (int i = 0; i < 20; i++) {
        const int         fn = makers[i / 4], restore = fn == FN_NeuronModel_restoreFromCompiledNetwork;
        npu_neuron_driver d = lying(&options);
        uint8_t           got[BYTES] = {0};
        npu_diag          diag;
        options.text = fn == FN_NeuronCompilation_create ? NULL : "--opt 3";
        memset(&cache, 0, sizeof cache);
        if (restore) CHECK_INT(run(on_npu, &d, NULL, got, BYTES, &diag), NPU_OK);
        memset(got, 0, sizeof got);
        *(i & 1 ? &lie.nothing : &lie.garbage) = fn;
        CHECK_INT(run(i & 2 ? either : on_npu, &d, NULL, got, BYTES, &diag), i & 2 || restore ? NPU_OK : NPU_RUNTIME);
        if (i & 2 || restore) CHECK(same(got));
        check_says(&diag, "neuron.failed", fn);
    }
}

/* A network that cannot be kept is run all the same, and says so. */
TEST(sizes_of_networks) {
    static const size_t sizes[] = {0, 2, SIZE_MAX, (size_t)INT32_MAX + 1, INT32_MAX};
    npu_neuron_options  options = all_options();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        npu_neuron_driver d = lying(&options);
        uint8_t           got[BYTES] = {0};
        npu_diag          diag;
        memset(&cache, 0, sizeof cache);
        lie.network = sizes[i];
        CHECK_INT(run(on_npu, &d, NULL, got, BYTES, &diag), NPU_OK);
        CHECK(same(got) && cache.stores == 0);
        CHECK_STR(diag.rule, sizes[i] == 2 ? "neuron.failed" : "neuron.memory");
        CHECK_INT(lib.calls[FN_NeuronExecution_compute], 2);
    }
}

TEST(flags_and_versions) {
    static const struct row {
        uint8_t    major, minor, patch;
        int        flags;
        npu_status status;
    } rows[] = {{8, 2, 26, 1, NPU_OK},          {8, 2, 26, 0xff, NPU_OK},       {8, 2, 26, 0, NPU_UNSUPPORTED},
                {8, 2, 26, -1, NPU_UNSUPPORTED}, {8, 2, 23, 0, NPU_OK},          {0, 0, 0, 0, NPU_OK},
                {255, 255, 255, 1, NPU_OK},      {255, 255, 255, 0, NPU_UNSUPPORTED}, {9, 0, 0, -1, NPU_UNSUPPORTED}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int fallback = 0; fallback < 2; fallback++) {
            npu_neuron_driver d = lying(NULL);
            uint8_t           got[BYTES] = {0};
            npu_diag          diag;
            lie.version.major = rows[i].major;
            lie.version.minor = rows[i].minor;
            lie.version.patch = rows[i].patch;
            lie.flags = rows[i].flags;
            CHECK_INT(run(fallback ? either : on_npu, &d, NULL, got, BYTES, &diag), fallback ? NPU_OK : rows[i].status);
            if (fallback || rows[i].status == NPU_OK) CHECK(same(got));
            CHECK_STR(diag.rule, rows[i].status == NPU_OK ? "" : "neuron.not_supported");
        }
    }
}

/* ---- an adapter that pads ---- */

TEST(padded) {
    npu_neuron_driver d = padding(8, 9, 16);
    uint8_t           got[BYTES] = {0};
    all_well();
    CHECK_INT(run(on_npu, &d, NULL, got, BYTES, NULL), NPU_OK);
    CHECK(same(got));
    CHECK_INT(pad.in_bytes, 8 * 9 * 16);
    d = padding(5, 7, 4);
    pad.size[0] = pad.size[1] = 4096; /* the same rows, more behind them */
    memset(got, 0, sizeof got);
    CHECK_INT(run(on_npu, &d, NULL, got, BYTES, NULL), NPU_OK);
    CHECK(same(got));
}

TEST(garbage_sizes) {
    static const struct row {
        uint32_t h, w, c;
        size_t   size;
    } rows[] = {{4, 7, 4, 4096}, {5, 7, 2, 4096}, {5, 7, 4, 100}, {8, 9, 16, 8 * 9 * 16 - 1}, {65536, 65536, 65536, 1},
                {0x7fffffff, 0x7fffffff, 4, SIZE_MAX}, {8, 9, 16, SIZE_MAX}, {8, 9, 16, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        npu_neuron_driver d = padding(rows[i].h, rows[i].w, rows[i].c);
        uint8_t           got[BYTES] = {0};
        npu_diag          diag;
        pad.size[0] = pad.size[1] = rows[i].size;
        all_well();
        CHECK_INT(run(on_npu, &d, NULL, got, BYTES, &diag), NPU_RUNTIME);
        CHECK_STR(diag.rule, "neuron.padded_size");
        CHECK_INT(run(either, &d, NULL, got, BYTES, &diag), NPU_OK);
        CHECK(same(got));
    }
}

TEST(not_supported) {
    npu_neuron_driver d = padding(5, 7, 4);
    uint8_t           got[BYTES] = {0};
    npu_diag          diag;
    all_well();
    pad.dims[0][3] = 3;
    pad.size[0] = sizeof pad.plain_in;
    pad.refuse = 2;
    CHECK_INT(run(on_npu, &d, NULL, got, BYTES, &diag), NPU_UNSUPPORTED);
    CHECK_STR(diag.rule, "neuron.not_supported");
    CHECK_STR(diag.op_name, "RELU");
    CHECK_INT(run(either, &d, NULL, got, BYTES, &diag), NPU_OK);
    CHECK(same(got));
}

/* ---- compiled networks that the caller keeps ---- */

TEST(keeps_networks) {
    npu_neuron_options o;
    npu_neuron_driver  d = counting;
    uint8_t            got[BYTES] = {0};
    memset(&o, 0, sizeof o);
    memset(&cache, 0, sizeof cache);
    o.preference = NPU__NEURON_PREFER_TURBO_BOOST;
    o.priority = NPU__NEURON_PRIORITY_LOW;
    o.cache_user = &cache;
    o.load = cache_load;
    o.store = cache_store;
    d.options = &o;
    all_well();
    CHECK_INT(run(on_npu, &d, NULL, got, BYTES, NULL), NPU_OK);
    CHECK(same(got) && cache.loads == 1 && cache.stores == 1);
    all_well();
    memset(got, 0, sizeof got);
    CHECK_INT(run(on_npu, &d, NULL, got, BYTES, NULL), NPU_OK);
    CHECK(same(got) && cache.loads == 2 && cache.stores == 1);
    CHECK_INT(lib.calls[FN_NeuronModel_addOperand], 0);
    CHECK_INT(lib.calls[FN_NeuronModel_restoreFromCompiledNetwork], 1);
    cache.bytes[cache.n / 2] ^= 1; /* refused, so compiled anew */
    memset(got, 0, sizeof got);
    CHECK_INT(run(on_npu, &d, NULL, got, BYTES, NULL), NPU_OK);
    CHECK(same(got) && cache.stores == 2);
    o.priority = NPU__NEURON_PRIORITY_HIGH; /* another key */
    CHECK_INT(run(on_npu, &d, NULL, got, BYTES, NULL), NPU_OK);
    CHECK_INT(cache.stores, 3);
    o.hint = 16; /* no such hint */
    CHECK_INT(run(on_npu, &d, NULL, got, BYTES, NULL), NPU_RUNTIME);
    o.hint = 0;
    o.l1_kb = 64;
    CHECK_INT(run(on_npu, &d, NULL, got, BYTES, NULL), NPU_OK);
    memset(&d, 0, sizeof d); /* options alone: the software adapter with them */
    d.options = &o;
    CHECK_INT(run(on_npu, &d, NULL, got, BYTES, NULL), NPU_OK);
    CHECK_INT(cache.loads, 7);
}

/* Models are made for the version that the caller names, whatever the adapter reports. */
TEST(version_given) {
    static const struct {
        const char *version;
        int32_t     asked;
    } rows[] = {{"8.1.0", 0}, {"8.2.23", 0}, {"8.2.24", 1}, {"9.0.0", 1}};
    static const char *const wrong[] = {"", "8", "8.2", "8.2.256", "8.2.24.1", "8..24", "newest"};
    npu_neuron_driver        d = counting;
    uint8_t                  got[BYTES] = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        all_well();
        d.runtime = rows[i].version;
        CHECK_INT(run(on_npu, &d, NULL, got, BYTES, NULL), NPU_OK);
        CHECK(same(got));
        CHECK_INT(lib.calls[FN_Neuron_getVersion], 0);
        CHECK_INT(lib.calls[FN_NeuronCompilation_getSupportedOperations], rows[i].asked);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        all_well();
        d.runtime = wrong[i];
        CHECK_INT(run(on_npu, &d, NULL, got, BYTES, NULL), NPU_INVALID_ARGUMENT);
    }
}

/* Each allocation of the session fails: no leak, and the memory is the session's allocator's. */
TEST(memory_runs_out) {
    npu_status s = NPU_OUT_OF_MEMORY;
    long       at = 0;
    while (s == NPU_OUT_OF_MEMORY && at < 1000) {
        counter       count;
        npu_allocator a = counted(&count, ++at);
        uint8_t       got[BYTES] = {0};
        s = run(on_npu, NULL, &a, got, BYTES, NULL);
        CHECK_INT(count.live, 0);
        if (s == NPU_OK) CHECK(same(got));
    }
    CHECK_INT(s, NPU_OK);
    CHECK(at > 10);
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    test_name = "network";
    net = network();
    on_cpu = plan_with(NULL, 0);
    on_npu = plan_with("neuron", 0);
    either = plan_with("neuron", 1);
    RUN(runs);
    RUN(each_function_fails);
    RUN(each_function_missing);
    RUN(handles);
    RUN(sizes_of_networks);
    RUN(flags_and_versions);
    RUN(padded);
    RUN(garbage_sizes);
    RUN(not_supported);
    RUN(keeps_networks);
    RUN(version_given);
    RUN(memory_runs_out);
    npu_plan_destroy(on_cpu);
    npu_plan_destroy(on_npu);
    npu_plan_destroy(either);
    npu_model_close(net);
    return REPORT();
}
