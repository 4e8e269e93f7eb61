/* Whoever passes no diagnostic is told the same: the status of every public call on models of every kind, with one and without. */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_BACKEND_ALL
#define NPU_RT_THREADS
#define NPU_RT_GRAPH
#include "npu_rt.h"

#include <dirent.h>
#include <limits.h>

#include "model_maker.h"
#include "test.h"

/* Under sanitizers a run takes ten times as long: fewer of them, the others without. */
enum { MAX_FILE = 1 << 16, MUTANTS = NPU__HAS_POISON ? 30 : 90, EDITED = NPU__HAS_POISON ? 1000 : 3000 };

static uint32_t seed = 1;
static uint32_t rnd(uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

/* ---- a model's life, as a list of what was answered ---- */

typedef struct answers {
    npu_diag    diag, *to; /* to: &diag, or NULL */
    int32_t     n, bad;    /* bad: a failure that the diagnostic tells otherwise */
    struct {
        const char *call;
        npu_status  status;
    } list[64];
} answers;

static int heard(answers *a, const char *call, npu_status s) {
    if (a->n == (int32_t)(sizeof a->list / sizeof *a->list)) return s == NPU_OK;
    a->list[a->n].call = call;
    a->list[a->n++].status = s;
    if (a->to && (a->diag.status != s || (s != NPU_OK && (!a->diag.rule[0] || !a->diag.text[0])))) a->bad = 1;
    return s == NPU_OK;
}

static int swallow(void *user, const char *text, size_t n) {
    (void)user;
    (void)text;
    (void)n;
    return 0;
}

static void hear_reports(answers *a, const npu_model *model) {
    npu_plan_report_desc plan;
    npu_writer           w;
    w.user = NULL;
    w.write = swallow;
    heard(a, "dump", npu_model_dump(model, NPU_FORMAT_TEXT, &w, a->to));
    heard(a, "info", npu_model_info(model, NULL, NPU_FORMAT_JSON, &w, a->to));
    heard(a, "stream", npu_model_stream(model, NPU_FORMAT_TEXT, &w, a->to));
    for (int32_t i = 0; npu_backend_name(i); i += 5) {
        npu_cost_desc cd;
        memset(&cd, 0, sizeof cd);
        cd.backend = npu_backend_name(i);
        heard(a, "check", npu_check(model, cd.backend, NULL, NPU_FORMAT_JSON, &w, NULL, a->to));
        heard(a, "cost", npu_cost(model, &cd, NPU_FORMAT_JSON, &w, NULL, a->to));
    }
    memset(&plan, 0, sizeof plan);
    plan.backend = "mdla3.0";
    heard(a, "plan report", npu_model_plan_report(model, &plan, NPU_FORMAT_JSON, &w, NULL, a->to));
}

static void hear_runs(answers *a, const npu_model *model, const npu_plan *plan) {
    npu_session_desc sd;
    npu_session     *s;
    npu_tensor       t;
    memset(&sd, 0, sizeof sd);
    sd.max_loop_runs = 20;
    sd.max_work = 1 << 20;
    if (!heard(a, "session", npu_session_create(&s, plan, &sd, a->to))) return;
    for (int32_t g = 0; g < npu_model_subgraph_count(model) && g < 8; g++) {
        for (int32_t i = 0; i < npu_model_input_count(model, g); i++) {
            if (npu_session_input_of(s, g, i, &t) == NPU_OK && t.bytes) memset(t.data, g & 1, t.bytes);
        }
        heard(a, "invoke", npu_session_invoke_subgraph(s, g, a->to));
    }
    npu_session_destroy(s);
}

/* `reports`: those too, which takes longer. */
static void live(answers *a, const uint8_t *bytes, size_t n, int with_diag, int reports) {
    npu_model_desc  md;
    npu_plan_desc   pd;
    npu_input_shape shape;
    npu_memory      memory;
    npu_model      *model;
    npu_plan       *plan;
    memset(a, 0, sizeof *a);
    a->to = with_diag ? &a->diag : NULL;
    memset(&md, 0, sizeof md);
    memset(&pd, 0, sizeof pd);
    memset(&shape, 0, sizeof shape);
    md.max_tensor_bytes = 1 << 16;
    md.max_memory_bytes = 1 << 20;
    pd.max_memory_bytes = 1 << 20;
    if (!heard(a, "open", npu_model_open(&model, bytes, n, &md, a->to))) return;
    if (heard(a, "plan", npu_plan_create(&plan, model, &pd, a->to))) {
        hear_runs(a, model, plan);
        npu_plan_destroy(plan);
    }
    shape.rank = 2; /* of input 0, which then fits or not */
    shape.dims[0] = 1;
    shape.dims[1] = 7;
    pd.input_shapes = &shape;
    pd.n_input_shapes = 1;
    if (heard(a, "plan with other shapes", npu_plan_create(&plan, model, &pd, a->to))) npu_plan_destroy(plan);
    pd.n_input_shapes = 0;
    if (reports) {
        hear_reports(a, model);
        heard(a, "memory elsewhere", npu_memory_on(model, &pd, NPU_MACHINE_32BIT, &memory, a->to));
    }
    npu_model_close(model);
}

static int32_t answered[NPU_STATUS_COUNT]; /* how often each status was seen: a test that only sees one proves little */

/* One life with a diagnostic, one without: the same answers. */
static void compare(const char *name, const uint8_t *bytes, size_t n, int reports) {
    static answers with, without;
    live(&with, bytes, n, 1, reports);
    live(&without, bytes, n, 0, reports);
    if (!CHECK(!with.bad)) printf("    %s: the diagnostic has another status, or says nothing\n", name);
    for (int32_t i = 0; i < with.n && i < without.n; i++) {
        answered[with.list[i].status]++;
        if (CHECK(with.list[i].status == without.list[i].status && with.list[i].call == without.list[i].call)) continue;
        printf("    %s: %s: %s with a diagnostic, %s without\n", name, with.list[i].call, npu_status_name(with.list[i].status),
               npu_status_name(without.list[i].status));
        return;
    }
    CHECK_INT(with.n, without.n);
}

/* ---- files, and mutants of their bytes ---- */

static uint8_t file[MAX_FILE], mutant[MAX_FILE];

static size_t read_file(const char *path) {
    FILE  *f = fopen(path, "rb");
    size_t n = f ? fread(file, 1, sizeof file, f) : 0;
    if (f) fclose(f);
    return n;
}

static void compare_mutants(const char *path, int mutants) {
    const size_t n = read_file(path);
    CHECK(n > 8 && n < sizeof file);
    if (n <= 8) return;
    compare(path, file, n, 1);
    for (int k = 0; k < mutants; k++) {
        size_t cut = n;
        memcpy(mutant, file, n);
        for (uint32_t edits = 1 + rnd(3); edits; edits--) {
            const uint32_t at = rnd((uint32_t)n);
            mutant[at] = (uint8_t)(rnd(2) ? rnd(256) : mutant[at] + 1 - 2 * rnd(2));
        }
        if (rnd(16) == 0) cut = rnd((uint32_t)n);
        compare(path, mutant, cut, k % 8 == 0);
    }
}

TEST(corpus_and_mutants) {
    static const char folder[] = "tests/fuzz/corpus/models";
    DIR              *d = opendir(folder);
    struct dirent    *e;
    int               files = 0;
    CHECK(d != NULL);
    while (d && (e = readdir(d)) != NULL) {
        char path[512];
        if (e->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        compare_mutants(path, MUTANTS);
        files++;
    }
    if (d) closedir(d);
    CHECK(files >= 20);
    compare_mutants("examples/digits/digits_int8.tflite", MUTANTS);
    compare_mutants("examples/digits/digits_int8_ethos_u55_128.tflite", MUTANTS);
}

/* ---- models that no converter makes ---- */

static void compare_model(const char *name, const mk *m) {
    static int     models;
    size_t         n;
    const uint8_t *bytes = mk_file(m, &n);
    compare(name, bytes, n, models++ % 8 == 0); /* reports take most of the time */
}

/* A convolution, ADD with a constant, RESHAPE, a call of another subgraph. */
static void make_base(mk *m) {
    static const float   ones[64] = {1.0f};
    static const int32_t to[2] = {1, 32};
    int                  image, weights, bias, conv, other, sum, shape, flat, cond, result;
    mk_init(m);
    m->n_graphs = 2;
    image = mk_t(m, 0, NPU_FLOAT32, 1, 4, 4, 1);
    weights = mk_t(m, 0, NPU_FLOAT32, 2, 1, 1, 1);
    m->g[0].t[weights].buffer = mk_buffer(m, ones, 8);
    bias = mk_const(m, 0, NPU_FLOAT32, 2, -1, ones, 8);
    conv = mk_t(m, 0, NPU_FLOAT32, 1, 4, 4, 2);
    other = mk_const(m, 0, NPU_FLOAT32, 2, -1, ones, 8);
    sum = mk_t(m, 0, NPU_FLOAT32, 1, 4, 4, 2);
    shape = mk_const(m, 0, NPU_INT32, 2, -1, to, 8);
    flat = mk_t(m, 0, NPU_FLOAT32, 1, 32, -1, -1);
    cond = mk_t(m, 0, NPU_BOOL, 1, -1, -1, -1);
    result = mk_t(m, 0, NPU_FLOAT32, 1, 32, -1, -1);
    mk_options(mk_node(m, 0, MK_CONV, image, weights, bias, conv), MK_O_CONV, "1441", 0, 1)->value[2] = 1;
    mk_node(m, 0, MK_ADD, conv, other, -9, sum);
    mk_node(m, 0, MK_RESHAPE, sum, shape, -9, flat);
    mk_options(mk_node(m, 0, MK_IF, cond, flat, -9, result), MK_O_IF, "44", 1, 1);
    mk_quant(m, 0, image, 0.5f, 3);
    mk_in(m, 0, image);
    mk_in(m, 0, cond);
    mk_out(m, 0, result);
    mk_node(m, 1, MK_NEG, mk_t(m, 1, NPU_FLOAT32, 1, 32, -1, -1), -9, -9, mk_t(m, 1, NPU_FLOAT32, 1, 32, -1, -1));
    mk_in(m, 1, 0);
    mk_out(m, 1, 1);
}

/* Number `i` of those that an edit may set, and the most it may be (arrays of the maker end there); NULL: past the last. */
static int *number(mk *m, int i, int *most) {
    mk_graph *g = &m->g[i & 1];
    mk_tensor *t = &g->t[(i >> 1) % g->n_tensors];
    mk_op     *o = &g->op[(i >> 1) % g->n_ops];
    int *const all[] = {&t->type, &t->rank, &t->dims[0], &t->dims[1], &t->variable, &t->external, &t->n_scale, &t->n_zero, &t->axis,
                        &t->sparse, &t->blockwise, &t->n_sig, &t->sig[0], &o->code, &o->opcode, &o->n_in, &o->in[0], &o->in[1], &o->n_out,
                        &o->out[0], &o->n_mid, &o->mid[0], &g->n_in, &g->in[0], &g->n_out, &g->out[0]};
    const int  n = (int)(sizeof all / sizeof *all), which = (i >> 1) / 12;
    if (which >= n) return NULL;
    *most = all[which] == &t->rank || all[which] == &t->n_sig ? 10
            : all[which] == &t->n_scale || all[which] == &t->n_zero || all[which] == &o->n_in ? 40
            : all[which] == &o->n_out || all[which] == &g->n_in || all[which] == &g->n_out ? 8
            : all[which] == &o->n_mid ? 4 : INT_MAX;
    return all[which];
}

static void edit(mk *m, int i, int value) {
    int  most;
    int *p = number(m, i, &most);
    if (most == INT_MAX) *p = value;
    else *p = (int)((unsigned)value % (unsigned)(most + 1));
}

TEST(malformed_models) {
    static const int values[] = {INT_MIN, -2, -1, 0, 1, 2, 3, 7, 9, 10, 17, 126, 127, 128, 255, 1 << 20, INT_MAX};
    const int        n_values = (int)(sizeof values / sizeof *values);
    static mk        m;
    int              most, n = 0;
    make_base(&m);
    compare_model("base", &m);
    while (number(&m, n, &most)) n++;
    for (int i = 0; i < n; i++) {
        for (int v = 0; v < n_values; v++) {
            make_base(&m);
            edit(&m, i, values[v]);
            compare_model("one number", &m);
        }
    }
    for (int k = 0; k < EDITED; k++) {
        make_base(&m);
        for (uint32_t edits = 2 + rnd(3); edits; edits--) edit(&m, (int)rnd((uint32_t)n), values[rnd((uint32_t)n_values)]);
        compare_model("some numbers", &m);
    }
    CHECK(answered[NPU_OK] > 1000 && answered[NPU_INVALID_MODEL] > 1000 && answered[NPU_UNSUPPORTED] > 100);
    CHECK(answered[NPU_LIMIT] > 10 && answered[NPU_BAD_INPUT] > 10);
}

/* Nine dimensions: one status from both doors, a file and calls, whoever listens. */
TEST(nine_dimensions) {
    npu_tensor_desc t;
    npu_graph      *g;
    npu_model      *model;
    static mk       m;
    npu_diag        d;
    for (int tensor = 0; tensor < 2; tensor++) {
        for (int with_diag = 0; with_diag < 2; with_diag++) {
            size_t n;
            make_base(&m);
            m.g[tensor].t[0].rank = 9;
            mk_file(&m, &n);
            CHECK_INT(npu_model_open(&model, mk_file(&m, &n), n, NULL, with_diag ? &d : NULL), NPU_UNSUPPORTED);
            if (with_diag) CHECK_STR(d.rule, "tflite.rank");
        }
    }
    memset(&t, 0, sizeof t);
    t.rank = 9;
    for (int with_diag = 0; with_diag < 2; with_diag++) {
        npu_status s;
        CHECK_INT(npu_graph_create(&g, NULL, NULL), NPU_OK);
        CHECK_INT(npu_graph_subgraph(g, "main", NULL, NULL), NPU_OK);
        s = npu_graph_tensor(g, 0, &t, NULL, with_diag ? &d : NULL);
        CHECK_INT(s, NPU_UNSUPPORTED);
        if (with_diag) CHECK_STR(d.rule, "tflite.rank");
        npu_graph_destroy(g);
    }
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    RUN(nine_dimensions);
    RUN(corpus_and_mutants);
    RUN(malformed_models);
    return REPORT();
}
