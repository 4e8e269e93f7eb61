/* What LiteRT's plugin for MediaTek leaves in a model: containers whole and damaged, the operators that name their
 * parts, reports of them, and runs. */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_BACKEND_NEURON
#define NPU_RT_DEBUG
#include "npu_rt.h"

#include "../hostile/counted.h"
#include "neuron_container_kit.h"

static int find(const container *c, const char *name, npu__neuron_bytecode *b) {
    npu__neuron_dispatch d;
    d.name = npu__str_of(name);
    d.container.p = c->bytes;
    d.container.n = c->n;
    return npu__neuron_bytecode_find(b, &d);
}

TEST(finds) {
    static const struct {
        kind        k;
        const char *name;
        int         found, type;
    } rows[] = {{{1, 0, 0, 1, NULL, 0}, "part", 1, 0},   {{1, 1, 3, 0, NULL, 1}, "part", 1, 1},
                {{1, 2, 0, 1, NULL, -1}, "part", 1, 2},  {{1, -1, 0, 1, NULL, 0}, "part", 1, 0},
                {{1, 0, 0, 1, NULL, 2}, "part", 0, 0},   {{1, 0, 0, 1, NULL, 0}, "none", 0, 0},
                {{2, 0, 2, 1, "more", 0}, "part", 1, 0}, {{2, 0, 0, 1, "lost", 0}, "part", 0, 0},
                {{0, 0, 0, 1, "code", 0}, "part", 0, 0},
                {{3, 0, 0, 1, "code", 0}, "part", 0, 0}, {{1, 0, 1, 1, NULL, 0}, "other", 1, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static container     c;
        npu__neuron_bytecode b;
        int                  ok;
        container_make(&c, &rows[i].k, "bytecode", 8);
        ok = CHECK_INT(find(&c, rows[i].name, &b), rows[i].found);
        if (rows[i].found) ok &= CHECK(b.data.n == 8 && memcmp(b.data.p, "bytecode", 8) == 0) &
                                    CHECK_INT(b.type, rows[i].type);
        ok &= CHECK_INT(b.sdk[0], rows[i].k.sdk ? 8 : 0) & CHECK_INT(b.sdk[2], rows[i].k.sdk ? 10 : 0);
        if (!ok) printf("    row %d\n", (int)i);
    }
}

/* Cut off at every length and with every byte changed, in memory of just that size: either the bytes that were put there are
 * found, or others inside, or nothing. */
TEST(damaged) {
    static const uint8_t what[] = {1, 0x80, 0xff, 0x7f, 4, 0x10};
    static container     c;
    long                 found = 0, lost = 0;
    for (int by = 1; by <= 2; by++) {
        kind k = PLAIN;
        k.by = by;
        container_make(&c, &k, "bytecode", 8);
        for (size_t i = 0; i < c.n; i++) {
            for (size_t how = 0; how <= sizeof what; how++) {
                const size_t         n = how == sizeof what ? i : c.n;
                uint8_t             *copy = (uint8_t *)malloc(n ? n : 1);
                npu__neuron_dispatch d;
                npu__neuron_bytecode b;
                memcpy(copy, c.bytes, n);
                if (how < sizeof what) copy[i] ^= what[how];
                d.name = npu__str_of("part");
                d.container.p = copy;
                d.container.n = n;
                if (npu__neuron_bytecode_find(&b, &d)) {
                    CHECK(b.data.p >= copy && b.data.n <= n - (size_t)(b.data.p - copy));
                    found++;
                } else {
                    lost++;
                }
                free(copy);
            }
        }
    }
    CHECK(found > 100 && lost > 300);
}

/* A field's offset, or what it holds, set to what leads out of the container. */
TEST(led_astray) {
    enum { NOTHING, SUBGRAPHS, BUFFERS, NAME, UNION_TYPE, UNION, INDEX, DATA_OF, SUBGRAPH_AT, BUFFER_AT, ROOT,
           N_SUBGRAPHS, N_BUFFERS };
    static const struct {
        int      where, found;
        uint32_t value;
    } rows[] = {{NOTHING, 1, 0},        {SUBGRAPHS, 0, 0},          {SUBGRAPHS, 0, 0x7ffffff0},  {BUFFERS, 0, 0},
                {BUFFERS, 0, 1u << 30}, {NAME, 0, 0},               {NAME, 0, 1u << 20},         {UNION, 0, 0},
                {UNION, 0, 1u << 31},   {DATA_OF, 0, 0},            {DATA_OF, 0, 0xfffffff0},    {SUBGRAPH_AT, 0, 0},
                {BUFFER_AT, 0, 0},      {BUFFER_AT, 0, 1u << 24},   {ROOT, 0, 0},                {ROOT, 0, 1u << 16},
                {N_SUBGRAPHS, 0, 4097}, {N_SUBGRAPHS, 0, 1u << 31}, {N_BUFFERS, 0, 1u << 29},    {SUBGRAPH_AT, 0, 1u << 31}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int by = 1; by <= 2; by++) {
            static container     c;
            npu__neuron_bytecode b;
            fbw                  w;
            size_t               at = 0;
            kind                 k = PLAIN;
            k.by = by;
            container_make(&c, &k, "bytecode", 8);
            w.buf = c.bytes;
            c.buffer = c.buffers + *(uint32_t *)(void *)(c.bytes + c.buffers);
            switch (rows[i].where) {
            case SUBGRAPHS: at = fbw_field(&w, c.root, 1); break;
            case BUFFERS: at = fbw_field(&w, c.root, 2); break;
            case NAME: at = fbw_field(&w, c.subgraph, 0); break;
            case UNION: at = fbw_field(&w, c.subgraph, 3); break;
            case DATA_OF: at = fbw_field(&w, c.buffer, 1); break;
            case SUBGRAPH_AT: at = c.subgraphs; break;
            case BUFFER_AT: at = c.buffers; break;
            case N_SUBGRAPHS: at = c.subgraphs - 4; break;
            case N_BUFFERS: at = c.buffers - 4; break;
            default: break;
            }
            if (rows[i].where != NOTHING) fbw_put(&w, at, rows[i].value, 4);
            if (!CHECK_INT(find(&c, "part", &b), rows[i].found)) printf("    row %d by %d\n", (int)i, by);
        }
    }
}

/* Names longer than any are nobody's, and lists of thousands are not looked through. */
TEST(too_much) {
    static container     c;
    static uint8_t       many[1 << 17];
    npu__neuron_bytecode b;
    npu__neuron_dispatch d;
    char                 name[300];
    fbw                  w;
    size_t               root, v;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    container_make(&c, &PLAIN, "bytecode", 8);
    CHECK_INT(find(&c, name, &b), 0);
    for (int which = 1; which <= 2; which++) { /* an entry too many, whole in memory */
        w.buf = many;
        w.n = 0;
        w.cap = sizeof many;
        fbw_add(&w, 0, 4);
        root = fbw_table(&w, 0, "444");
        fbw_put(&w, 0, root, 4);
        v = fbw_vec(&w, fbw_field(&w, root, 1), which == 1 ? 4097 : 1, 4);
        (void)v;
        fbw_vec(&w, fbw_field(&w, root, 2), which == 2 ? 4097 : 1, 4);
        d.name = npu__str_of("part");
        d.container.p = many;
        d.container.n = w.n;
        CHECK_INT(npu__neuron_bytecode_find(&b, &d), 0);
        CHECK_INT(b.looked_at, 0);
    }
    /* A string of 300 bytes as the name of an entry that is asked for by the same name. */
    w.buf = c.bytes;
    w.n = c.n;
    w.cap = sizeof c.bytes;
    fbw_str(&w, fbw_field(&w, c.subgraph, 0), name);
    c.n = w.n;
    CHECK_INT(find(&c, name, &b), 0);
}

/* ---- running them ---- */

static int pads;
static int padded_size(void *c, int32_t i, size_t *bytes) {
    (void)c;
    (void)i;
    *bytes = pads < 0 ? 1 : 16;
    return pads > 0 ? NPU__NEURON_BAD_DATA : 0;
}

static npu_status run_file(const npu_model *m, const npu_neuron_driver *driver, const npu_allocator *a, float *out,
                           npu_diag *diag) {
    npu_session_desc d;
    npu_driver       list;
    npu_plan        *plan = NULL;
    npu_session     *s = NULL;
    npu_tensor       t;
    npu_status       status = net_plan(m, NULL, a, &plan, diag);
    memset(&d, 0, sizeof d);
    if (a) d.allocator = *a;
    list.vendor = "neuron";
    list.functions = driver;
    d.drivers = &list;
    d.n_drivers = driver != NULL;
    if (status == NPU_OK) status = npu_session_create(&s, plan, &d, diag);
    for (int32_t i = 0; status == NPU_OK && i < 2; i++) {
        CHECK_INT(npu_session_input(s, i, &t), NPU_OK);
        for (int k = 0; k < 4; k++) ((float *)t.data)[k] = (float)(k + 1);
    }
    if (status == NPU_OK) status = npu_session_invoke(s, diag);
    if (status == NPU_OK) CHECK_INT(npu_session_output(s, 0, &t), NPU_OK);
    if (status == NPU_OK) memcpy(out, t.data, 16);
    npu_session_destroy(s);
    npu_plan_destroy(plan);
    return status;
}

TEST(runs) {
    static container  c;
    static file       f;
    static const odd  usual;
    npu_neuron_driver without = *sw, other = *sw;
    npu_model        *m;
    npu_diag          diag;
    float             y[4] = {0};
    container_make(&c, &PLAIN, network, n_network);
    file_make(&f, &c, &usual);
    m = opened(&f);
    CHECK_INT(run_file(m, NULL, NULL, y, &diag), NPU_OK);
    CHECK(y[0] == 2 && y[3] == 8);
    /* A driver whose library does not say sizes, and one that has another function to restore. */
    without.NeuronCompilation_getInputPaddedSize = NULL;
    without.NeuronCompilation_getOutputPaddedSize = NULL;
    memset(y, 0, sizeof y);
    CHECK_INT(run_file(m, &without, NULL, y, &diag), NPU_OK);
    CHECK(y[3] == 8);
    other.NeuronCompilation_getInputPaddedDimensions = NULL;
    other.NeuronCompilation_getOutputPaddedDimensions = NULL;
    other.NeuronCompilation_getInputPaddedSize = padded_size;
    other.NeuronCompilation_getOutputPaddedSize = padded_size;
    for (pads = -1; pads <= 1; pads++) {
        memset(y, 0, sizeof y);
        CHECK_INT(run_file(m, &other, NULL, y, &diag), pads < 0 ? NPU_INVALID_MODEL : NPU_OK);
        if (pads < 0) CHECK_STR(diag.rule, "neuron.size");
        else CHECK(y[3] == 8);
    }
    other = *sw;
    other.NeuronCompilation_getOutputPaddedSize = padded_size;
    pads = -1;
    CHECK_INT(run_file(m, &other, NULL, y, &diag), NPU_INVALID_MODEL);
    CHECK_HAS(diag.text, "output 0 has 16 bytes");
    memset(&other, 0, sizeof other);
    other.NeuronModel_restoreFromCompiledNetwork = sw->NeuronModel_restoreFromCompiledNetwork;
    CHECK_INT(run_file(m, &other, NULL, y, &diag), NPU_RUNTIME);
    CHECK_STR(diag.rule, "neuron.missing");
    other = *sw;
    other.NeuronModel_restoreFromCompiledNetwork = NULL;
    CHECK_INT(run_file(m, &other, NULL, y, &diag), NPU_RUNTIME);
    CHECK_HAS(diag.text, "NeuronModel_restoreFromCompiledNetwork");
    npu_model_close(m);
}

/* Files that do not run, and why. */
TEST(does_not_run) {
    static const struct {
        odd         o;
        kind        k;
        const char *network, *rule;
        npu_status  status;
    } rows[] = {
        {{0, 0, "none", 0, 0, 0, 0}, {1, 0, 0, 1, NULL, 0}, NULL, "neuron.container", NPU_INVALID_MODEL},
        {{-5, 0, NULL, 0, 0, 0, 0}, {1, 0, 0, 1, NULL, 0}, NULL, "neuron.container", NPU_INVALID_MODEL},
        {{0, -5, NULL, 0, 0, 0, 0}, {1, 0, 0, 1, NULL, 0}, NULL, "neuron.container", NPU_INVALID_MODEL},
        {{1 << 20, 0, NULL, 0, 0, 0, 0}, {1, 0, 0, 1, NULL, 0}, NULL, "neuron.container", NPU_INVALID_MODEL},
        {{0, 1 << 20, NULL, 0, 0, 0, 0}, {1, 0, 0, 1, NULL, 0}, NULL, "neuron.container", NPU_INVALID_MODEL},
        {{0, 3, NULL, 0, 0, 0, 0}, {1, 0, 0, 1, NULL, 0}, NULL, "neuron.container", NPU_INVALID_MODEL},
        {{0, 0, NULL, 0, 0, 0, 0}, {1, 0, 0, 1, NULL, 0}, "DLA of a phone", "neuron.bytecode", NPU_UNSUPPORTED},
        {{0, 0, NULL, 0, 0, 0, 0}, {1, 0, 0, 1, NULL, 0}, "short", "neuron.bytecode", NPU_UNSUPPORTED},
        {{0, 0, NULL, 0, 0, 0, 0}, {1, 0, 0, 1, NULL, 0}, "npu_rtNN and nothing", "neuron.network", NPU_INVALID_MODEL},
        {{0, 0, NULL, 0, 17, 0, 0}, {1, 0, 0, 1, NULL, 0}, NULL, "neuron.shape", NPU_UNSUPPORTED}, /* int4 */
        {{0, 0, NULL, 0, 0, 0, 1}, {1, 0, 0, 1, NULL, 0}, NULL, "op.input_missing", NPU_INVALID_MODEL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static container c;
        static file      f;
        npu_model       *m;
        npu_diag         diag;
        float            y[4];
        container_make(&c, &rows[i].k, rows[i].network ? rows[i].network : (const char *)network,
                       rows[i].network ? strlen(rows[i].network) : n_network);
        file_make(&f, &c, &rows[i].o);
        m = opened(&f);
        if (!(CHECK_INT(run_file(m, NULL, NULL, y, &diag), rows[i].status) & CHECK_STR(diag.rule, rows[i].rule))) {
            printf("    row %d: %s\n", (int)i, diag.text);
        }
        npu_model_close(m);
    }
}

/* Memory that is missing at each allocation of plan and session. */
TEST(memory_runs_out) {
    static container c;
    static file      f;
    static const odd usual;
    npu_status       s = NPU_OUT_OF_MEMORY;
    npu_model       *m;
    long             at = 0;
    container_make(&c, &PLAIN, network, n_network);
    file_make(&f, &c, &usual);
    m = opened(&f);
    while (s == NPU_OUT_OF_MEMORY && at < 1000) {
        counter             count;
        const npu_allocator a = counted(&count, ++at);
        npu_diag            diag;
        float               y[4] = {0};
        s = run_file(m, NULL, &a, y, &diag);
        CHECK_INT(count.live, 0);
        if (s == NPU_OK) CHECK(y[3] == 8);
    }
    CHECK_INT(s, NPU_OK);
    CHECK(at > 10);
    npu_model_close(m);
}

/* ---- reports ---- */

TEST(reports) {
    static const struct {
        odd         o;
        kind        k;
        const char *network, *text, *json;
    } rows[] = {
        {{0, 0, NULL, 0, 0, 0, 0}, {1, 0, 0, 1, NULL, 0}, NULL,
          "part, compiled for a MediaTek NPU|for npu_rt's software adapter, Neuron SDK 8.9.10|!DLA|!Rewrite it|1 of 1 ops",
         "\"placed\":true|\"name\":\"part\"|\"bytecode\":\"npu_rt's software adapter\"|\"software\":true"},
        {{0, 0, NULL, 0, 0, 0, 0}, {1, 0, 0, 0, NULL, 0}, "DLA of a phone",
          "14 bytes for DLA|!Neuron SDK|the phone's library runs them",
         "\"bytecode\":\"DLA\",\"bytes\":14,\"software\":false"},
        {{0, 0, NULL, 0, 0, 0, 0}, {1, 1, 0, 1, NULL, 0}, "DLB", "3 bytes for DLB", "\"bytecode\":\"DLB\""},
        {{0, 0, NULL, 0, 0, 0, 0}, {1, 2, 0, 1, NULL, 0}, "cache", "5 bytes for a cache of the adapter",
          "\"bytecode\":\"a cache of the adapter\""},
        {{0, 0, "none", 0, 0, 0, 0}, {1, 0, 0, 1, NULL, 0}, NULL, "no bytecode of this name is in the file|neuron.compiled: got none for \"none\"|as LiteRT wrote it",
          "\"name\":\"none\"|!\"bytecode\":|\"placed\":false|\"rule\":\"neuron.compiled\""},
        {{0, 0, NULL, 70, 0, 0, 0}, {1, 0, 0, 1, NULL, 0}, NULL,
          "subgraph 0, operator 63|and more such operators|!operator 64:", "\"index\":63,\"name\"|!\"index\":64,\"name\""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static container  c;
        static file       f;
        static net_text   said;
        net_row           row = {"DISPATCH_OP", "", "", "", ""};
        npu_model        *m;
        container_make(&c, &rows[i].k, rows[i].network ? rows[i].network : (const char *)network,
                       rows[i].network ? strlen(rows[i].network) : n_network);
        file_make(&f, &c, &rows[i].o);
        m = opened(&f);
        CHECK_INT(net_check(m, NULL, NPU_FORMAT_TEXT, &said), NPU_OK);
        net_says(said.text, rows[i].text, &row);
        CHECK_INT(net_check(m, NULL, NPU_FORMAT_JSON, &said), NPU_OK);
        net_says(said.text, rows[i].json, &row);
        npu_model_close(m);
    }
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    sw = npu_neuron_software();
    test_name = "network";
    (void)run_two;
    (void)net_make;
    (void)net_lower;
    (void)net_run;
    make_network();
    RUN(finds);
    RUN(damaged);
    RUN(led_astray);
    RUN(too_much);
    RUN(runs);
    RUN(does_not_run);
    RUN(memory_runs_out);
    RUN(reports);
    return REPORT();
}
