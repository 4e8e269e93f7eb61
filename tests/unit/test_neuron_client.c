/* Segments through the functions of the Neuron adapter: a library of which each function fails in turn, is missing, or answers garbage;
 * what is compiled is kept and found again; padded inputs and outputs; the CPU where the plan falls back on it. The library is the
 * software adapter behind functions that count. */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_BACKEND_NEURON
#define NPU_RT_NO_REPORTS
#define NPU_RT_DEBUG
#include "npu_rt.h"

#include "../hostile/counted.h"
#include "test.h"

/* ---- the library ---- */

enum {
#define ROW(type, name, parameters, arguments) FN_##name,
    NPU_NEURON_FUNCTIONS(ROW)
#undef ROW
    N_FUNCTIONS
};
static const char *const names[] = {
#define ROW(type, name, parameters, arguments) #name,
    NPU_NEURON_FUNCTIONS(ROW)
#undef ROW
};

static struct {
    int fail, code, at;      /* function that fails with this code at its call number `at`; -1: none */
    int calls[N_FUNCTIONS];
} lib;

static int fails(int fn) { return ++lib.calls[fn] == lib.at && fn == lib.fail; }

#define MOCK_int(name, parameters, arguments) \
    static int mock_##name parameters { return fails(FN_##name) ? lib.code : npu__nsw_##name arguments; }
#define MOCK_void(name, parameters, arguments) \
    static void mock_##name parameters { lib.calls[FN_##name]++; npu__nsw_##name arguments; }
#define MOCK(type, name, parameters, arguments) MOCK_##type(name, parameters, arguments)
NPU_NEURON_FUNCTIONS(MOCK)

static const npu_neuron_driver counting = {
#define ROW(type, name, parameters, arguments) mock_##name,
    NPU_NEURON_FUNCTIONS(ROW)
#undef ROW
    NULL, NULL};

static void all_well(void) {
    memset(&lib, 0, sizeof lib);
    lib.fail = -1;
}

/* ---- a network: two convolutions by channel, a fully connected layer of three dimensions, and what the backend has not ---- */

static npu_status net_tensor(npu_graph *g, npu_type type, int32_t rank, const int32_t *dims, const npu_quant *q, const void *data,
                             size_t bytes, int32_t *out) {
    npu_tensor_desc t;
    memset(&t, 0, sizeof t);
    t.type = type;
    t.rank = rank;
    for (int32_t i = 0; i < rank; i++) t.dims[i] = dims[i];
    if (q) t.quant = *q;
    t.data = data;
    t.bytes = bytes;
    return npu_graph_tensor(g, 0, &t, out, NULL);
}

static npu_status net_op(npu_graph *g, const char *name, const int32_t *in, int32_t n_in, int32_t out, int32_t *op) {
    npu_op_desc o;
    memset(&o, 0, sizeof o);
    o.name = name;
    o.inputs = in;
    o.n_inputs = n_in;
    o.outputs = &out;
    o.n_outputs = 1;
    return npu_graph_op(g, 0, &o, op, NULL);
}

static npu_model *network(void) {
    static const int32_t  image[4] = {1, 5, 7, 3}, filter[4] = {4, 3, 3, 3}, four[1] = {4}, maps[4] = {1, 5, 7, 4};
    static const float    scales[4] = {0.01f, 0.02f, 0.03f, 0.04f}, one = 0.1f;
    static const int32_t  zeros[4] = {0, 0, 0, 0}, zp = -3;
    static const npu_quant by_channel = {4, 0, scales, zeros}, whole = {1, 0, &one, &zp};
    int8_t                w[4 * 27];
    int32_t               bias[4] = {100, -200, 300, 0}, t[6], in[3], op;
    npu_graph            *g;
    npu_model            *m = NULL;
    for (int i = 0; i < 4 * 27; i++) w[i] = (int8_t)(i * 37 % 255 - 127);
    CHECK_INT(npu_graph_create(&g, NULL, NULL), NPU_OK);
    CHECK_INT(npu_graph_subgraph(g, "main", NULL, NULL), NPU_OK);
    CHECK_INT(net_tensor(g, NPU_INT8, 4, image, &whole, NULL, 0, &t[0]), NPU_OK);
    CHECK_INT(net_tensor(g, NPU_INT8, 4, filter, &by_channel, w, sizeof w, &t[1]), NPU_OK);
    CHECK_INT(net_tensor(g, NPU_INT32, 1, four, NULL, bias, sizeof bias, &t[2]), NPU_OK);
    for (int i = 3; i < 6; i++) CHECK_INT(net_tensor(g, NPU_INT8, 4, maps, &whole, NULL, 0, &t[i]), NPU_OK);
    in[0] = t[0];
    in[1] = t[1];
    in[2] = t[2];
    CHECK_INT(net_op(g, "CONV_2D", in, 3, t[3], &op), NPU_OK);
    CHECK_INT(npu_graph_option_int(g, 0, op, "stride_w", 1, NULL), NPU_OK);
    CHECK_INT(npu_graph_option_int(g, 0, op, "stride_h", 1, NULL), NPU_OK);
    CHECK_INT(net_op(g, "RELU", &t[3], 1, t[4], &op), NPU_OK);
    in[0] = t[4];
    in[1] = t[3];
    CHECK_INT(net_op(g, "ADD", in, 2, t[5], &op), NPU_OK);
    CHECK_INT(npu_graph_inputs(g, 0, &t[0], 1, NULL), NPU_OK);
    CHECK_INT(npu_graph_outputs(g, 0, &t[5], 1, NULL), NPU_OK);
    CHECK_INT(npu_graph_finish(g, &m, NULL), NPU_OK);
    npu_graph_destroy(g);
    return m;
}

/* One run of a plan; the driver may be NULL. */
static npu_status run(const npu_plan *plan, const npu_neuron_driver *driver, const npu_allocator *a, uint8_t *out, size_t n, npu_diag *diag) {
    npu_session_desc d;
    npu_driver       list;
    npu_session     *s = NULL;
    npu_tensor       t;
    npu_status       status;
    memset(&d, 0, sizeof d);
    if (a) d.allocator = *a;
    list.vendor = "neuron";
    list.functions = driver;
    d.drivers = &list;
    d.n_drivers = driver != NULL;
    status = npu_session_create(&s, plan, &d, diag);
    for (int pass = 0; status == NPU_OK && pass < 2; pass++) {
        CHECK_INT(npu_session_input(s, 0, &t), NPU_OK);
        for (size_t i = 0; i < t.bytes; i++) ((uint8_t *)t.data)[i] = (uint8_t)(i * 29 + 5);
        status = npu_session_invoke(s, diag);
        CHECK_INT(npu_session_output(s, 0, &t), NPU_OK);
        CHECK_INT(t.bytes, n);
        memcpy(out, t.data, n);
    }
    npu_session_destroy(s);
    return status;
}

enum { BYTES = 5 * 7 * 4 };
static npu_model *net;
static npu_plan  *on_cpu, *on_npu, *either;
static uint8_t    want[BYTES];

static npu_plan *plan_with(const char *backend, int fallback) {
    npu_plan_desc d;
    npu_plan     *p = NULL;
    npu_diag      diag;
    memset(&d, 0, sizeof d);
    d.backend = backend;
    d.fallback = fallback;
    if (!CHECK_INT(npu_plan_create(&p, net, &d, &diag), NPU_OK)) printf("    %s\n", diag.text);
    return p;
}

static int same(const uint8_t *got) { return memcmp(got, want, BYTES) == 0; }

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

/* Each function fails, at its first call and its last one, with each code that is documented and one that is not. */
TEST(each_function_fails) {
    int calls[N_FUNCTIONS], failures = 0;
    all_well();
    {
        uint8_t got[BYTES];
        CHECK_INT(run(on_npu, &counting, NULL, got, BYTES, NULL), NPU_OK);
    }
    memcpy(calls, lib.calls, sizeof calls);
    for (int fn = 0; fn < N_FUNCTIONS; fn++) {
        for (int k = 0; k < 3 && calls[fn] > 0 && !strstr(names[fn], "_free"); k++) {
            static const int codes[3] = {NPU__NEURON_OUT_OF_MEMORY, NPU__NEURON_BAD_STATE, 4711};
            const int        symm = fn == FN_NeuronModel_setOperandSymmPerChannelQuantParams; /* the general one follows */
            npu_diag         d;
            uint8_t          got[BYTES] = {0};
            npu_status       s;
            all_well();
            lib.fail = fn;
            lib.code = codes[k];
            lib.at = k == 1 ? calls[fn] : 1;
            s = run(on_npu, &counting, NULL, got, BYTES, &d);
            CHECK_INT(s, symm ? NPU_OK : k == 0 ? NPU_OUT_OF_MEMORY : NPU_RUNTIME);
            if (s == NPU_OK) CHECK(same(got));
            else if (!CHECK_STR(d.rule, "neuron.failed")) printf("    %s\n", names[fn]);
            if (s != NPU_OK) CHECK_HAS(d.text, strncmp(names[fn], "NeuronCompilation_get", 21) == 0 ? "NeuronCompilation_get" : names[fn]);
            CHECK_INT(lib.calls[FN_NeuronModel_create] - (fn == FN_NeuronModel_create), lib.calls[FN_NeuronModel_free]);
            failures += s != NPU_OK;
            /* With fallback the CPU runs what could not be compiled; a run that fails has failed. */
            all_well();
            lib.fail = fn;
            lib.code = codes[k];
            lib.at = 1;
            memset(got, 0, sizeof got);
            s = run(either, &counting, NULL, got, BYTES, &d);
            if (codes[k] != NPU__NEURON_OUT_OF_MEMORY && !strstr(names[fn], "setInput") && !strstr(names[fn], "setOutput") &&
                !strstr(names[fn], "compute")) {
                CHECK_INT(s, NPU_OK);
                CHECK(same(got));
            }
        }
    }
    CHECK(failures > 40);
}

/* A library that lacks a function: what the client can do without does no harm, all else says which it is. */
TEST(each_function_missing) {
    static const char *const without[] = {"Neuron_getVersion", "Neuron_getL1MemorySizeKb", "NeuronModel_setName",
                                          "NeuronModel_setOperandSymmPerChannelQuantParams", "NeuronCompilation_createWithOptions",
                                          "NeuronExecution_setBoostHint"};
    for (int fn = 0; fn < N_FUNCTIONS; fn++) {
        npu_neuron_driver d = counting;
        uint8_t           got[BYTES] = {0};
        npu_diag          diag;
        npu_status        s;
        int               optional = 0;
        switch (fn) {
#define ROW(type, name, parameters, arguments) case FN_##name: d.name = NULL; break;
            NPU_NEURON_FUNCTIONS(ROW)
#undef ROW
        default: break;
        }
        all_well();
        s = run(on_npu, &d, NULL, got, BYTES, &diag);
        for (size_t i = 0; i < sizeof without / sizeof *without; i++) optional |= strcmp(names[fn], without[i]) == 0;
        if (optional) CHECK_INT(s, NPU_OK);
        if (s == NPU_OK) {
            CHECK(same(got));
        } else {
            CHECK_STR(diag.rule, "neuron.missing");
            CHECK_HAS(diag.text, names[fn]);
        }
        memset(got, 0, sizeof got);
        CHECK_INT(run(either, &d, NULL, got, BYTES, &diag), NPU_OK);
        CHECK(same(got));
    }
}

/* ---- an adapter that pads: its buffers are larger, and hold the values apart ---- */

static struct {
    uint32_t dims[2][4];  /* of the input, of the output */
    size_t   size[2];
    int      refuse;      /* operation that it does not take, 1 more; 0: none */
    uint8_t *in, *out;
    size_t   in_bytes, out_bytes;
    uint8_t  plain_in[5 * 7 * 3], plain_out[BYTES];
} pad;

static int pad_dims_in(void *c, int32_t i, uint32_t *d) { (void)c, (void)i; memcpy(d, pad.dims[0], 16); return 0; }
static int pad_dims_out(void *c, int32_t i, uint32_t *d) { (void)c, (void)i; memcpy(d, pad.dims[1], 16); return 0; }
static int pad_size_in(void *c, int32_t i, size_t *n) { (void)c, (void)i; *n = pad.size[0]; return 0; }
static int pad_size_out(void *c, int32_t i, size_t *n) { (void)c, (void)i; *n = pad.size[1]; return 0; }
static int pad_in(void *e, int32_t i, const npu_neuron_operand *t, const void *p, size_t n) {
    pad.in = (uint8_t *)(uintptr_t)p;
    pad.in_bytes = n;
    return npu__nsw_NeuronExecution_setInput(e, i, t, pad.plain_in, sizeof pad.plain_in);
}
static int pad_out(void *e, int32_t i, const npu_neuron_operand *t, void *p, size_t n) {
    pad.out = (uint8_t *)p;
    pad.out_bytes = n;
    return npu__nsw_NeuronExecution_setOutput(e, i, t, pad.plain_out, sizeof pad.plain_out);
}
static void pad_copy(uint8_t *plain, uint8_t *padded, const uint32_t *d, uint32_t channels, int out) {
    for (uint32_t y = 0; y < 5; y++) {
        for (uint32_t x = 0; x < 7; x++) {
            uint8_t *p = plain + (y * 7 + x) * channels, *q = padded + (y * d[2] + x) * d[3];
            if (out) memcpy(q, p, channels);
            else memcpy(p, q, channels);
        }
    }
}
static int pad_compute(void *e) {
    int r;
    pad_copy(pad.plain_in, pad.in, pad.dims[0], 3, 0);
    r = npu__nsw_NeuronExecution_compute(e);
    pad_copy(pad.plain_out, pad.out, pad.dims[1], 4, 1);
    return r;
}
static int pad_supported(void *c, uint32_t n, uint8_t *supported) {
    const int r = npu__nsw_NeuronCompilation_getSupportedOperations(c, n, supported);
    if (pad.refuse > 0) supported[pad.refuse - 1] = 0;
    return r;
}

static npu_neuron_driver padding(uint32_t h, uint32_t w, uint32_t c) {
    npu_neuron_driver d = counting;
    memset(&pad, 0, sizeof pad);
    for (int i = 0; i < 2; i++) {
        pad.dims[i][0] = 1;
        pad.dims[i][1] = h;
        pad.dims[i][2] = w;
        pad.dims[i][3] = c;
        pad.size[i] = (size_t)h * w * c;
    }
    d.NeuronCompilation_getInputPaddedDimensions = pad_dims_in;
    d.NeuronCompilation_getOutputPaddedDimensions = pad_dims_out;
    d.NeuronCompilation_getInputPaddedSize = pad_size_in;
    d.NeuronCompilation_getOutputPaddedSize = pad_size_out;
    d.NeuronExecution_setInput = pad_in;
    d.NeuronExecution_setOutput = pad_out;
    d.NeuronExecution_compute = pad_compute;
    d.NeuronCompilation_getSupportedOperations = pad_supported;
    return d;
}

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

static struct {
    uint8_t  bytes[1 << 14];
    size_t   n;
    uint64_t key;
    int      loads, stores, damage;
} cache;

static const void *cache_load(void *user, uint64_t key, size_t *bytes) {
    CHECK(user == &cache);
    cache.loads++;
    if (cache.n == 0 || key != cache.key) return NULL;
    *bytes = cache.n;
    return cache.bytes;
}
static void cache_store(void *user, uint64_t key, const void *network, size_t bytes) {
    CHECK(user == &cache && bytes <= sizeof cache.bytes);
    cache.stores++;
    cache.key = key;
    cache.n = bytes;
    memcpy(cache.bytes, network, bytes);
}

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
