/* Reports by their public functions: every format of every one, what they refuse, names that came from a hostile hand, writers that
 * stop, and memory that is missing at any piece. Public functions only. */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_BACKEND_ALL
#define NPU_RT_GRAPH
#include "npu_rt.h"

#include "../hostile/counted.h"
#include "descs.h"
#include "test.h"

/* ---- where reports go ---- */

static struct {
    char   text[1 << 20];
    size_t n;
    long   calls, stop_at; /* the call that refuses; 0: none */
} said;

static int take(void *user, const char *text, size_t n) {
    (void)user;
    if (++said.calls == said.stop_at || n > sizeof said.text - 1 - said.n) return 1;
    memcpy(said.text + said.n, text, n);
    said.n += n;
    said.text[said.n] = 0;
    return 0;
}

static const npu_writer to_text = {NULL, take}, without = {NULL, NULL};

static void again(long stop_at) {
    said.n = 0;
    said.text[0] = 0;
    said.calls = 0;
    said.stop_at = stop_at;
}

/* ---- a network ---- */

static const char hostile[] = "<script>\"&'|\x01\xff";

static npu_status tensor(npu_graph *g, npu_type type, int32_t rows, int32_t columns, const char *name, const void *data, size_t bytes,
                         int32_t *index) {
    static const float   scale = 0.5f;
    static const int32_t zero = 0;
    const int32_t        dims[2] = {rows, columns};
    npu_tensor_desc      t = tensor_desc(type, 2, dims, data, bytes);
    t.name = name;
    if (type == NPU_INT8) {
        t.quant.count = 1;
        t.quant.scale = &scale;
        t.quant.zero_point = &zero;
    }
    return npu_graph_tensor(g, 0, &t, index, NULL);
}

static npu_status add(npu_graph *g, const char *name, const int32_t *in, int32_t n_in, const int32_t *out, int32_t n_out) {
    const npu_op_desc o = op_desc(name, in, n_in, out, n_out);
    return npu_graph_op(g, 0, &o, NULL, NULL);
}

/* FULLY_CONNECTED of `width` numbers, TANH, two that nobody needs, FLOOR that no NPU has, an ABS in floats whose result has a long
 * name, and (for all but 0 outputs) an operator of the user's own without outputs. */
static npu_status fill(npu_graph *g, int32_t width, int own) {
    static int8_t weights[1200 * 1200];
    static char   long_name[3000];
    int32_t       t[8], in[2];
    npu_status    s = npu_graph_subgraph(g, "main", NULL, NULL);
    uint32_t      seed = 7;
    memset(long_name, 'n', sizeof long_name - 1);
    for (int32_t i = 0; i < width * width; i++) weights[i] = (int8_t)((seed = seed * 1664525u + 1013904223u) >> 24);
    TRY(tensor(g, NPU_INT8, 1, width, hostile, NULL, 0, &t[0]));
    TRY(tensor(g, NPU_INT8, width, width, "w", weights, (size_t)width * (size_t)width, &t[1]));
    for (int i = 2; i < 5; i++) TRY(tensor(g, NPU_INT8, 1, width, hostile, NULL, 0, &t[i]));
    for (int i = 5; i < 8; i++) TRY(tensor(g, NPU_FLOAT32, 1, width, i == 7 ? long_name : NULL, NULL, 0, &t[i]));
    in[0] = t[0];
    in[1] = t[1];
    TRY(add(g, "FULLY_CONNECTED", in, 2, &t[2], 1));
    TRY(add(g, "TANH", &t[2], 1, &t[3], 1));
    TRY(add(g, "ABS", &t[3], 1, &t[4], 1)); /* nobody needs it */
    TRY(add(g, "DEQUANTIZE", &t[3], 1, &t[5], 1));
    TRY(add(g, "FLOOR", &t[5], 1, &t[6], 1));
    TRY(add(g, "ABS", &t[6], 1, &t[7], 1));
    if (own) TRY(add(g, hostile, &t[7], 1, NULL, 0));
    TRY(npu_graph_inputs(g, 0, &t[0], 1, NULL));
    TRY(npu_graph_outputs(g, 0, &t[7], 1, NULL));
    return s;
}

static npu_model *network(int32_t width, int own, const npu_allocator *a) {
    npu_model_desc desc;
    npu_graph     *g = NULL;
    npu_model     *m = NULL;
    npu_diag       d;
    npu_status     s;
    memset(&desc, 0, sizeof desc);
    if (a) desc.allocator = *a;
    s = npu_graph_create(&g, &desc, &d);
    TRY(fill(g, width, own));
    TRY(npu_graph_finish(g, &m, &d));
    npu_graph_destroy(g);
    if (!CHECK_INT(s, NPU_OK)) printf("    %s\n", d.text);
    return m;
}

/* ---- the reports, all behind one call ---- */

static npu_compare_desc comparison(const char *const *backends, int32_t n, const char *title) {
    npu_compare_desc d;
    memset(&d, 0, sizeof d);
    d.backends = backends;
    d.n_backends = n;
    d.title = title;
    return d;
}

enum { CHECKED, COMPARED, COSTED, PLANNED, LOWERED, DUMPED, TOLD, TOLD_OF_MEMORY, LISTED, N_REPORTS };

static npu_status report_of(int which, const npu_model *m, npu_format format, const npu_writer *w, npu_diag *d) {
    static const char *const three[] = {"ethos-u85-256", "neuron", "mdla3.0"};
    npu_compare_desc         compare = comparison(three, 3, hostile);
    npu_check_desc           check = {"neuron", NULL, 0};
    npu_cost_desc            cost = {"ethos-u55-128", NULL, NULL, 0};
    npu_lower_desc           lower = {"neuron", NULL, NULL};
    npu_plan_report_desc     plan;
    npu_memory               memory;
    memset(&memory, 0, sizeof memory);
    memset(&plan, 0, sizeof plan);
    plan.backend = "mdla2.0";
    switch (which) {
    case CHECKED: return npu_check_with(m, &check, format, w, NULL, d);
    case COMPARED: return npu_compare(m, &compare, NULL, 0, NULL, format, w, d);
    case COSTED: return npu_cost(m, &cost, format, w, NULL, d);
    case PLANNED: return npu_model_plan_report(m, &plan, format, w, NULL, d);
    case LOWERED: return npu_model_lower(m, &lower, format, w, d);
    case DUMPED: return npu_model_dump(m, format, w, d);
    case TOLD: return npu_model_info(m, NULL, format, w, d);
    case TOLD_OF_MEMORY: return npu_model_info_with(m, &memory, format, w, d);
    default: return npu_backend_ops("mdla3.0", NULL, format, w, d);
    }
}

/* By report: a digit for each format that it has, in the order of npu_format; may it go without a writer? */
static const struct {
    const char *formats;
    int         silent;
} reports[N_REPORTS] = {{"01", 1}, {"0124", 1}, {"01", 1}, {"01", 1}, {"013", 0}, {"013", 0}, {"01", 0}, {"01", 0}, {"012", 0}};

TEST(formats_and_writers) {
    npu_model *m = network(16, 0, NULL);
    for (int r = 0; r < N_REPORTS; r++) {
        for (int f = -1; f < 7; f++) {
            const npu_format format = (npu_format)f;
            const int        has = f >= 0 && strchr(reports[r].formats, '0' + f) != NULL;
            npu_diag         d;
            again(0);
            if (!CHECK_INT(report_of(r, m, format, &to_text, &d), has ? NPU_OK : NPU_INVALID_ARGUMENT)) {
                printf("    report %d, format %d: %s\n", r, f, d.text);
            }
            CHECK((said.n > 0) == has);
            CHECK_INT(report_of(r, m, format, &without, &d), NPU_INVALID_ARGUMENT);
            CHECK_INT(report_of(r, m, format, NULL, &d), has && reports[r].silent ? NPU_OK : NPU_INVALID_ARGUMENT);
            if (r != LISTED) CHECK_INT(report_of(r, NULL, format, &to_text, &d), NPU_INVALID_ARGUMENT);
            if (!has) continue;
            for (long stop = 1; stop < said.calls + 1; stop++) {
                again(stop);
                CHECK_INT(report_of(r, m, format, &to_text, &d), NPU_RUNTIME);
                if (stop > 20) break;
            }
        }
    }
    npu_model_close(m);
}

/* No name leaves the place where it stands. */
TEST(hostile_names) {
    npu_model *m = network(16, 0, NULL);
    npu_diag   d;
    again(0);
    CHECK_INT(report_of(COMPARED, m, NPU_FORMAT_HTML, &to_text, &d), NPU_OK);
    CHECK(strstr(said.text, "<script") == NULL && strchr(said.text, 1) == NULL);
    CHECK(strstr(said.text, "&#60;script&#62;&#34;&#38;&#39;") != NULL);
    CHECK(strstr(said.text, "nnn...") != NULL);
    again(0);
    CHECK_INT(report_of(COMPARED, m, NPU_FORMAT_JSON, &to_text, &d), NPU_OK);
    CHECK_HAS(said.text, "\"<script>\\\"&'|\\u0001");
    again(0);
    CHECK_INT(report_of(COMPARED, m, NPU_FORMAT_MARKDOWN, &to_text, &d), NPU_OK);
    CHECK(strchr(said.text, 1) == NULL);
    npu_model_close(m);
}

/* ---- comparisons ---- */

static npu_status compare(const npu_model *m, const npu_compare_desc *desc, npu_format format, npu_fit *fits, int32_t cap, int32_t *n) {
    again(0);
    return npu_compare(m, desc, fits, cap, n, format, &to_text, NULL);
}

TEST(side_by_side) {
    npu_fit    fits[16];
    npu_model *m = network(16, 0, NULL);
    int32_t    n = 0, all = 0;
    memset(fits, 0, sizeof fits);
    while (npu_compare_backend(all)) all++;
    CHECK(all > 4 && npu_compare_backend(-1) == NULL);
    CHECK_INT(compare(m, NULL, NPU_FORMAT_TEXT, fits, 2, &n), NPU_OK);
    CHECK_INT(n, all);
    CHECK(fits[1].backend != NULL && fits[2].backend == NULL); /* no more than there is room for */
    CHECK_INT(compare(m, NULL, NPU_FORMAT_HTML, fits, 16, NULL), NPU_OK);
    CHECK_HAS(said.text, "<title>model on every NPU");
    CHECK_INT(compare(m, NULL, NPU_FORMAT_MARKDOWN, NULL, 16, &n), NPU_OK);
    CHECK(strncmp(said.text, "| NPU", 5) == 0);
    CHECK_INT(compare(m, NULL, NPU_FORMAT_JSON, NULL, 0, &n), NPU_OK);
    CHECK(strncmp(said.text, "{\n\"npus\"", 8) == 0);
    for (int32_t i = 0; i < all; i++) {
        npu_check_summary s;
        CHECK_INT(npu_check(m, fits[i].backend, NULL, NPU_FORMAT_TEXT, NULL, &s, NULL), NPU_OK);
        CHECK(memcmp(&s, &fits[i].check, sizeof s) == 0);
        CHECK(fits[i].fits == -1 || fits[i].estimated);
    }
    npu_model_close(m);
}

TEST(what_is_asked_wrongly) {
    static const char *const nobody[] = {"ethos-u55-128", "a-toaster"}, *const family[] = {"ethos-u"};
    npu_compare_desc         desc = comparison(nobody, 0, NULL);
    npu_model               *m = network(16, 0, NULL);
    int32_t                  n = 7;
    npu_diag                 d;
    CHECK_INT(compare(m, &desc, NPU_FORMAT_TEXT, NULL, 0, &n), NPU_INVALID_ARGUMENT);
    CHECK_INT(n, 0);
    desc.n_backends = 2;
    CHECK_INT(npu_compare(m, &desc, NULL, 0, &n, NPU_FORMAT_TEXT, &to_text, &d), NPU_INVALID_ARGUMENT);
    CHECK_STR(d.rule, "backend.name");
    CHECK_HAS(d.text, "a-toaster");
    desc.backends = family; /* which has no estimate */
    desc.n_backends = 1;
    CHECK_INT(compare(m, &desc, NPU_FORMAT_JSON, NULL, 0, &n), NPU_OK);
    CHECK_HAS(said.text, "\"estimate\":null");
    CHECK_INT(n, 1);
    npu_model_close(m);
}

/* Bytes, KiB and MiB; what fits and what does not, of an accelerator whose estimate has fast memory. */
TEST(memory_against_the_limit) {
    static const struct {
        int32_t     width;
        const char *store;
    } rows[] = {{4, " B "}, {64, " KiB "}, {1200, " MiB "}};
    static const char *const one[] = {"ethos-u55-128"};
    for (int i = 0; i < 3; i++) {
        npu_compare_desc desc = comparison(one, 1, "a model");
        npu_model       *m = network(rows[i].width, 0, NULL);
        npu_fit          fit;
        for (int limit = 0; limit < 3; limit++) {
            static const char *const words[] = {"", ", fits", ", TOO MUCH"}, *const spans[] = {"", "fits into", "more than"};
            desc.sram_bytes = limit == 0 ? 0 : limit == 1 ? fit.cost.sram_bytes : fit.cost.sram_bytes - 1;
            CHECK_INT(compare(m, &desc, NPU_FORMAT_TEXT, &fit, 1, NULL), NPU_OK);
            CHECK(fit.estimated && fit.cost.sram_bytes > 1);
            CHECK_HAS(said.text, words[limit]);
            CHECK_HAS(said.text, rows[i].store);
            if (limit) CHECK_INT(fit.fits, limit == 1);
            CHECK_INT(compare(m, &desc, NPU_FORMAT_HTML, NULL, 0, NULL), NPU_OK);
            CHECK_HAS(said.text, spans[limit]);
            CHECK_INT(compare(m, &desc, NPU_FORMAT_JSON, NULL, 0, NULL), NPU_OK);
            if (limit) CHECK_HAS(said.text, limit == 1 ? "\"fits\":true" : "\"fits\":false");
            CHECK_INT(compare(m, &desc, NPU_FORMAT_MARKDOWN, NULL, 0, NULL), NPU_OK);
            CHECK_HAS(said.text, words[limit]);
        }
        npu_model_close(m);
    }
}

/* An operator without outputs, of a name that is no name, is refused everywhere and described all the same. */
TEST(own_operators) {
    npu_model *m = network(16, 1, NULL);
    npu_diag   d;
    for (int r = 0; r < N_REPORTS; r++) {
        for (const char *f = reports[r].formats; *f; f++) {
            again(0);
            if (!CHECK_INT(report_of(r, m, (npu_format)(*f - '0'), &to_text, &d), NPU_OK)) printf("    %s\n", d.text);
        }
    }
    npu_model_close(m);
}

/* ---- supported operators ---- */

TEST(every_backend_says_what_it_takes) {
    const char *name, *profile;
    npu_diag    d;
    int         n = 0;
    for (int32_t i = 0; (name = npu_backend_name(i)) != NULL; i++) {
        for (int32_t k = 0; (profile = npu_backend_profile(name, k)) != NULL; k++) {
            for (int f = 0; f < 3; f++, n++) {
                again(0);
                CHECK_INT(npu_backend_ops(name, profile, (npu_format)f, &to_text, &d), NPU_OK);
                CHECK(said.n > 1000);
            }
        }
    }
    CHECK(n > 30);
    CHECK(npu_backend_profile("neuron", -1) == NULL && npu_backend_profile("a-toaster", 0) == NULL && npu_backend_name(-1) == NULL);
    CHECK_INT(npu_backend_ops("a-toaster", NULL, NPU_FORMAT_TEXT, &to_text, &d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_backend_ops("neuron", "a-toaster", NPU_FORMAT_TEXT, &to_text, &d), NPU_INVALID_ARGUMENT);
    CHECK(npu_backend_compiles("neuron") && !npu_backend_compiles("a-toaster") && !npu_backend_compiles("ethos-u"));
}

TEST(estimates) {
    npu_cost_desc    desc = {"ethos-u65-256", NULL, "a-toaster", 0};
    npu_model       *m = network(16, 0, NULL);
    npu_cost_summary slow, fast;
    npu_diag         d;
    again(0);
    CHECK_INT(npu_cost(m, &desc, NPU_FORMAT_TEXT, &to_text, NULL, &d), NPU_INVALID_ARGUMENT);
    CHECK_STR(d.rule, "cost.memory_mode");
    for (int32_t i = 0; (desc.memory_mode = npu_backend_memory_mode("ethos-u65-256", i)) != NULL; i++) {
        CHECK_HAS(d.text, desc.memory_mode);
        CHECK_INT(npu_cost(m, &desc, NPU_FORMAT_TEXT, &to_text, NULL, NULL), NPU_OK);
    }
    CHECK_INT(npu_cost(m, &desc, NPU_FORMAT_TEXT, NULL, &fast, NULL), NPU_OK);
    desc.clock_hz = npu_backend_clock_hz("ethos-u65-256") / 2;
    CHECK_INT(npu_cost(m, &desc, NPU_FORMAT_JSON, NULL, &slow, NULL), NPU_OK);
    CHECK(slow.cycles == fast.cycles && slow.seconds > 1.99 * fast.seconds);
    for (int i = 0; i < 3; i++) {
        static const char *const none[] = {"ethos-u", "neuron", "a-toaster"};
        desc.backend = none[i];
        CHECK_INT(npu_cost(m, &desc, NPU_FORMAT_TEXT, &to_text, NULL, &d), NPU_INVALID_ARGUMENT);
        CHECK(npu_backend_memory_mode(none[i], 0) == NULL && npu_backend_clock_hz(none[i]) <= 0);
    }
    CHECK(npu_cost_memory_mode(0) != NULL && npu_cost_memory_mode(99) == NULL && npu_cost_memory_mode(-1) == NULL);
    CHECK_INT(npu_cost(m, NULL, NPU_FORMAT_TEXT, &to_text, NULL, &d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_check_with(m, NULL, NPU_FORMAT_TEXT, &to_text, NULL, &d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_model_lower(m, NULL, NPU_FORMAT_TEXT, &to_text, &d), NPU_INVALID_ARGUMENT);
    npu_model_close(m);
}

/* ---- memory ---- */

/* Each allocation of each report fails in turn: an error, nothing kept, and in the end the same words as with memory. */
TEST(no_memory) {
    static char before[sizeof said.text];
    for (int r = 0; r < LISTED; r++) {
        for (const char *f = reports[r].formats; *f; f++) {
            const npu_format    format = (npu_format)(*f - '0');
            counter             c;
            const npu_allocator a = counted(&c, 0);
            npu_model          *m = network(16, 0, &a);
            const size_t        live = c.live;
            npu_status          s = NPU_OUT_OF_MEMORY;
            npu_diag            d;
            again(0);
            CHECK_INT(report_of(r, m, format, &to_text, &d), NPU_OK);
            memcpy(before, said.text, said.n + 1);
            for (long fail = 1; fail < 2000 && s != NPU_OK; fail++) {
                again(0);
                c.fail_at = c.calls + fail;
                s = report_of(r, m, format, &to_text, &d);
                CHECK(s == NPU_OK || s == NPU_OUT_OF_MEMORY);
                CHECK_INT(c.live, live);
            }
            CHECK_INT(s, NPU_OK);
            if (!CHECK(strcmp(said.text, before) == 0)) printf("    report %d, format %c: %zu bytes\n", r, *f, said.n);
            c.fail_at = 0;
            npu_model_close(m);
            CHECK_INT(c.live, 0);
        }
    }
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    RUN(formats_and_writers);
    RUN(hostile_names);
    RUN(side_by_side);
    RUN(what_is_asked_wrongly);
    RUN(memory_against_the_limit);
    RUN(own_operators);
    RUN(every_backend_says_what_it_takes);
    RUN(estimates);
    RUN(no_memory);
    return REPORT();
}
