/* Loops whose values change their shapes (plan/open.c, run/open.c): what they compute, what is refused, limits, memory that runs out
 * at every place. What LiteRT makes of such loops is compared in tests/conformance. */
#define NPU_RT_IMPLEMENTATION
#ifndef COVERAGE_PRIVATE /* assertions have a branch that nothing takes */
#  define NPU_RT_DEBUG
#endif
#define NPU__POOL_FIRST_BLOCK 0 /* each piece of a plan asks the allocator, so each can be missing */
#define NPU_RT_BACKEND_NEURON
#define NPU_RT_ONLY_OPS(X) X(ADD) X(CONCATENATION) X(FILL) X(IF) X(LESS) X(SLICE) X(STABLEHLO_SCATTER) X(TILE) X(WHILE)
#include "npu_rt.h"

#include "runtime_kit.h"

enum { MK_TILE = 69 };

static const int32_t one_i32 = 1, two_i32 = 2, five_i32 = 5, all_i32 = -1;
static const float   more_f32[2] = {1.5f, 2.5f};

/* A condition on subgraph g's first input: below 5. It takes as many floats [n] beside. */
static void make_condition(mk *m, int g, int floats, int n) {
    int limit, out;
    mk_in(m, g, mk_t(m, g, NPU_INT32, 1, -1, -1, -1));
    for (int i = 0; i < floats; i++) mk_in(m, g, mk_t(m, g, NPU_FLOAT32, n, -1, -1, -1));
    limit = mk_const(m, g, NPU_INT32, 1, -1, &five_i32, 4);
    out = mk_t(m, g, NPU_BOOL, 1, -1, -1, -1);
    mk_out(m, g, out);
    mk_node(m, g, MK_LESS, 0, limit, -9, out);
}

/* Of subgraph g, a body: i + 1. */
static void make_count(mk *m, int g) {
    int one, out;
    mk_in(m, g, mk_t(m, g, NPU_INT32, 1, -1, -1, -1));
    one = mk_const(m, g, NPU_INT32, 1, -1, &one_i32, 4);
    out = mk_t(m, g, NPU_INT32, 1, -1, -1, -1);
    mk_out(m, g, out);
    mk_options(mk_node(m, g, MK_ADD, 0, one, -9, out), MK_O_ADD, "1", 0, 0);
}

/* One more value of a body: x [n] and a number behind it. */
static void make_appended(mk *m, int g, int n) {
    int x = mk_t(m, g, NPU_FLOAT32, n, -1, -1, -1), k = mk_const(m, g, NPU_FLOAT32, 1, -1, more_f32, 4);
    int y = mk_t(m, g, NPU_FLOAT32, n + 1, -1, -1, -1);
    mk_in(m, g, x);
    mk_out(m, g, y);
    mk_options(mk_node(m, g, MK_CONCAT, x, k, -9, y), MK_O_CONCAT, "41", 0, 0);
}

/* One more value of a body: x [n] without its first. */
static void make_cut(mk *m, int g, int n) {
    int x = mk_t(m, g, NPU_FLOAT32, n, -1, -1, -1), from = mk_const(m, g, NPU_INT32, 1, -1, &one_i32, 4);
    int all = mk_const(m, g, NPU_INT32, 1, -1, &all_i32, 4), y = mk_t(m, g, NPU_FLOAT32, n - 1, -1, -1, -1);
    mk_in(m, g, x);
    mk_out(m, g, y);
    mk_node(m, g, MK_SLICE, x, from, all, y);
}

/* One more value of a body that stays: of two dimensions (-1: of one). */
static void make_kept(mk *m, int g, int type, int a, int b) {
    int x = mk_t(m, g, type, a, b, -1, -1);
    mk_in(m, g, x);
    mk_out(m, g, x);
}

/* A loop in subgraph g over its inputs, the first of which counts; its outputs are those of the subgraph, the count behind them. */
static mk_op *make_loop(mk *m, int g, int floats, int n, int cond, int body) {
    mk_op *o;
    int    count = mk_t(m, g, NPU_INT32, 1, -1, -1, -1);
    mk_in(m, g, count);
    o = mk_options(mk_node(m, g, MK_WHILE, count, -9, -9, -9), MK_O_WHILE, "44", cond, body);
    for (int i = 0; i < floats; i++) {
        o->in[o->n_in++] = mk_t(m, g, NPU_FLOAT32, n, -1, -1, -1);
        mk_in(m, g, o->in[i + 1]);
    }
    for (int i = 0; i <= floats; i++) o->out[o->n_out++] = mk_t(m, g, i ? NPU_FLOAT32 : NPU_INT32, i ? n : 1, -1, -1, -1);
    for (int i = 1; i <= floats; i++) mk_out(m, g, o->out[i]);
    mk_out(m, g, o->out[0]);
    return o;
}

/* 0: y = WHILE(i, x[n]); 1: i < 5; 2: i + 1 and x with a number behind it. */
static void make_grow_of(mk *m, int n) {
    mk_init(m);
    m->n_graphs = 3;
    make_loop(m, 0, 1, n, 1, 2);
    make_condition(m, 1, 1, n);
    make_count(m, 2);
    make_appended(m, 2, n);
}
static void make_grow(mk *m) { make_grow_of(m, 1); }
static void make_grow_from_nothing(mk *m) { make_grow_of(m, 0); }
static void make_shrink(mk *m) {
    mk_init(m);
    m->n_graphs = 3;
    make_loop(m, 0, 1, 6, 1, 2);
    make_condition(m, 1, 1, 6);
    make_count(m, 2);
    make_cut(m, 2, 6);
}

static void gives(const char *name, const mk *m, const life *l, const float *want, size_t n) {
    float got[16];
    expect(name, m, l, NPU_OK, "");
    CHECK_INT(life_output_bytes, n * sizeof *want);
    memcpy(got, life_output, sizeof got);
    for (size_t i = 0; i < n; i++) CHECK(got[i] == want[i]);
}

TEST(values_that_change) {
    static const float   x[6] = {1, 2, 3, 4, 5, 6}, grown[6] = {1, 1.5f, 1.5f, 1.5f, 1.5f, 1.5f};
    static const int32_t four = 4;
    static mk            m;
    life                 l;
    memset(&l, 0, sizeof l);
    l.input[1] = x;
    for (l.runs = 1; l.runs < 4; l.runs += 2) {
        make_grow(&m);
        gives("a value that grows", &m, &l, grown, 6);
        make_grow_from_nothing(&m);
        gives("a value that grows from nothing", &m, &l, grown + 1, 5);
        make_shrink(&m);
        gives("a value that shrinks", &m, &l, x + 5, 1);
    }
    l.input[0] = &four;
    gives("one round", &m, &l, x + 1, 5);
    l.input[0] = &five_i32;
    gives("no round", &m, &l, x, 6);
}

/* ---- refused ---- */

#define CHANGE(name) static void name(mk *m, life *l)

typedef struct loop_case {
    const char *name;
    void      (*change)(mk *m, life *l);
    npu_status  status;
    const char *rule;
} loop_case;

/* One more value of the loop: [a] ([a, b]) in subgraph 0, [c] ([c, d]) in the condition; the body has it already. */
static void more_value(mk *m, int type, int a, int b, int c, int d) {
    mk_op *o = &m->g[0].op[0];
    int    x = mk_t(m, 0, type, a, b, -1, -1);
    mk_in(m, 0, x);
    o->in[o->n_in++] = x;
    o->out[o->n_out++] = mk_t(m, 0, type, a, b, -1, -1);
    if (c >= 0) mk_in(m, 1, mk_t(m, 1, type, c, d, -1, -1));
}
static int body_value(const mk *m, int i) { return m->g[2].in[i]; }

CHANGE(stays) { (void)l; make_kept(m, 2, NPU_FLOAT32, 2, 3); more_value(m, NPU_FLOAT32, 2, 3, 2, 3); }
CHANGE(string_stays) { (void)l; make_kept(m, 2, NPU_STRING, 1, -1); more_value(m, NPU_STRING, 1, -1, 1, -1); }
CHANGE(string_changes) {
    int y = mk_t(m, 2, NPU_STRING, 2, -1, -1, -1);
    (void)l;
    string_stays(m, l);
    mk_node(m, 2, MK_TILE, body_value(m, 2), mk_const(m, 2, NPU_INT32, 1, -1, &two_i32, 4), -9, y);
    m->g[2].out[2] = y;
}
CHANGE(variable_changes) { (void)l; m->g[2].t[body_value(m, 1)].variable = 1; }
CHANGE(body_gives_only) { /* what the body does not take */
    stays(m, l);
    m->g[2].n_in = 2;
    m->g[2].out[2] = m->g[2].out[1];
}
CHANGE(body_takes_less) {
    static const float six[6] = {1, 2, 3, 4, 5, 6};
    stays(m, l);
    m->g[2].n_in = 2;
    m->g[2].out[2] = mk_const(m, 2, NPU_FLOAT32, 2, 3, six, sizeof six);
}
CHANGE(condition_takes_less) { (void)l; make_kept(m, 2, NPU_FLOAT32, 2, 3); more_value(m, NPU_FLOAT32, 2, 3, -1, -1); }
/* Nobody gives the last input. */
static void one_more(mk *m, int graph) { m->g[graph].in[m->g[graph].n_in++] = mk_t(m, graph, NPU_FLOAT32, 2, 3, -1, -1); }
CHANGE(body_takes_more) { (void)l; one_more(m, 2); }
CHANGE(condition_takes_more) { (void)l; one_more(m, 1); }
CHANGE(condition_takes_another_type) {
    stays(m, l);
    m->g[1].t[m->g[1].in[2]].type = NPU_INT32;
}
CHANGE(condition_changes_type) { (void)l; m->g[1].t[m->g[1].in[1]].type = NPU_INT32; }
CHANGE(condition_is_number) { (void)l; m->g[1].out[0] = 0; }
CHANGE(output_of_another_type) { (void)l; m->g[0].t[m->g[0].op[0].out[1]].type = NPU_INT32; }
CHANGE(condition_is_body) { (void)l; m->g[0].op[0].value[0] = 2; }
CHANGE(endless) { (void)m; l->sd.max_loop_runs = 4; }
CHANGE(limited) { (void)m; l->pd.max_memory_bytes = 600000; }
CHANGE(bytes_limited) { (void)m; l->sd.max_work = 20; }
CHANGE(only_numbers) { /* a type that grows and is not float */
    (void)l;
    for (int g = 0; g < 3; g++) {
        for (int i = 0; i < m->g[g].n_tensors; i++) if (m->g[g].t[i].type == NPU_FLOAT32) m->g[g].t[i].type = NPU_INT32;
    }
}

static void run_cases(void (*make)(mk *m), const loop_case *cases, size_t n) {
    static mk m;
    for (size_t i = 0; i < n; i++) {
        life l;
        memset(&l, 0, sizeof l);
        make(&m);
        cases[i].change(&m, &l);
        expect(cases[i].name, &m, &l, cases[i].status, cases[i].rule);
    }
}

TEST(changed_loops) {
    static const loop_case cases[] = {
        {"a value beside that stays", stays, NPU_OK, ""},
        {"numbers that grow", only_numbers, NPU_OK, ""},
        {"strings beside", string_stays, NPU_UNSUPPORTED, "graph.open"},
        {"strings that grow", string_changes, NPU_UNSUPPORTED, "graph.open"},
        {"a variable that grows", variable_changes, NPU_UNSUPPORTED, "graph.open"},
        {"the body gives what it does not take", body_gives_only, NPU_INVALID_MODEL, "control_flow.count"},
        {"the body takes fewer values", body_takes_less, NPU_INVALID_MODEL, "control_flow.count"},
        {"the condition takes fewer values", condition_takes_less, NPU_INVALID_MODEL, "control_flow.count"},
        {"the body takes more values", body_takes_more, NPU_INVALID_MODEL, "control_flow.count"},
        {"the condition takes more values", condition_takes_more, NPU_INVALID_MODEL, "control_flow.count"},
        {"the condition takes another type", condition_takes_another_type, NPU_UNSUPPORTED, "graph.open"},
        {"the condition takes another type of what grows", condition_changes_type, NPU_UNSUPPORTED, "graph.open"},
        {"the condition is a number", condition_is_number, NPU_INVALID_MODEL, "control_flow.condition"},
        {"the output has another type", output_of_another_type, NPU_UNSUPPORTED, "while.shape"},
        {"condition and body are one", condition_is_body, NPU_INVALID_MODEL, "control_flow.condition"},
        {"too many rounds", endless, NPU_RUNTIME, "graph.endless"},
        {"too much work", bytes_limited, NPU_LIMIT, "session.work"},
    };
    run_cases(make_grow, cases, sizeof cases / sizeof *cases);
}

/* x grows by 200 kB each round. */
static void make_large(mk *m) {
    static float more[50000];
    make_grow(m);
    m->buffer[m->g[2].t[m->g[2].op[1].in[1]].buffer].p = more;
    m->buffer[m->g[2].t[m->g[2].op[1].in[1]].buffer].n = sizeof more;
    m->g[2].t[m->g[2].op[1].in[1]].dims[0] = 50000;
}

/* Refused wherever the limit is met: in the body's outputs, in the inputs that are given. */
TEST(large_values) {
    static const loop_case cases[] = {{"values beyond the limit", limited, NPU_LIMIT, "session.memory_limit"}};
    static mk              m;
    life                   l;
    npu_diag               d;
    npu_status             s = NPU_LIMIT;
    const uint8_t         *bytes;
    size_t                 n;
    run_cases(make_large, cases, 1);
    make_large(&m);
    bytes = mk_file(&m, &n);
    memset(&l, 0, sizeof l);
    for (l.pd.max_memory_bytes = 150000; s == NPU_LIMIT && l.pd.max_memory_bytes < 10000000; l.pd.max_memory_bytes += 50000) {
        s = live(bytes, n, &l, &d);
        if (s != NPU_OK) CHECK_STR(d.rule, "session.memory_limit");
    }
    CHECK_INT(s, NPU_OK);
}

/* ---- several loops ---- */

/* Two loops one behind the other with a condition and a body: the second meets what the first leaves. */
static void make_two(mk *m) {
    mk_op *a, *b;
    make_grow(m);
    a = &m->g[0].op[0];
    b = mk_options(mk_node(m, 0, MK_WHILE, 0, a->out[1], -9, -9), MK_O_WHILE, "44", 1, 2);
    for (int i = 0; i < 2; i++) b->out[b->n_out++] = mk_t(m, 0, i ? NPU_FLOAT32 : NPU_INT32, 1, -1, -1, -1);
    m->g[0].out[0] = b->out[1];
}

/* Subgraph 0 has loops over one body, which keeps its three values: one that is given one number for each, then `loops` of which the
 * k-th is given two for value k. For each of these the body would have to be planned again: not so often. */
static void make_many(mk *m, int loops) {
    int count, x[4], two = -1;
    mk_init(m);
    m->n_graphs = 3;
    count = mk_t(m, 0, NPU_INT32, 1, -1, -1, -1);
    mk_in(m, 0, count);
    for (int i = 0; i < 3; i++) mk_in(m, 0, x[i] = mk_t(m, 0, NPU_FLOAT32, 1, -1, -1, -1));
    mk_in(m, 0, two = mk_t(m, 0, NPU_FLOAT32, 2, -1, -1, -1));
    for (int k = 0; k <= loops; k++) { /* the first as the file says */
        mk_op *o = mk_options(mk_node(m, 0, MK_WHILE, count, -9, -9, -9), MK_O_WHILE, "44", 1, 2);
        for (int i = 0; i < 3; i++) o->in[o->n_in++] = i == k - 1 ? two : x[i];
        for (int i = 0; i < 4; i++) o->out[o->n_out++] = mk_t(m, 0, i ? NPU_FLOAT32 : NPU_INT32, 1, -1, -1, -1);
        if (k == loops) mk_out(m, 0, o->out[1]);
    }
    make_condition(m, 1, 3, 1);
    make_count(m, 2);
    for (int i = 0; i < 3; i++) make_kept(m, 2, NPU_FLOAT32, 1, -1);
}

/* A loop that grows in a loop: after the inner one, which starts at 3, the outer has two numbers more. That is seen where another of
 * its values plainly grows (`grows`). */
static void make_nested(mk *m, int grows) {
    static const int32_t three = 3;
    mk_op               *o;
    int                  count;
    mk_init(m);
    m->n_graphs = 5;
    make_loop(m, 0, 1 + grows, 1, 1, 2);
    make_condition(m, 1, 1 + grows, 1);
    make_count(m, 2);
    make_kept(m, 2, NPU_FLOAT32, 1, -1);
    count = mk_const(m, 2, NPU_INT32, 1, -1, &three, 4);
    o = mk_options(mk_node(m, 2, MK_WHILE, count, m->g[2].in[1], -9, -9), MK_O_WHILE, "44", 3, 4);
    for (int i = 0; i < 2; i++) o->out[o->n_out++] = mk_t(m, 2, i ? NPU_FLOAT32 : NPU_INT32, 1, -1, -1, -1);
    m->g[2].out[1] = o->out[1];
    if (grows) make_appended(m, 2, 1);
    make_condition(m, 3, 1, 1);
    make_count(m, 4);
    make_appended(m, 4, 1);
}

/* Two loops share a condition; beside what grows, the second keeps a value of another shape. */
static void make_shared_condition(mk *m, int a, int b) {
    mk_op *o;
    int    x;
    make_grow(m);
    make_kept(m, 2, NPU_FLOAT32, 2, 3);
    more_value(m, NPU_FLOAT32, 2, 3, 2, 3);
    m->n_graphs = 4;
    m->g[3] = m->g[2];
    m->g[3].t[m->g[3].in[2]].dims[0] = a;
    m->g[3].t[m->g[3].in[2]].dims[1] = b;
    x = mk_t(m, 0, NPU_FLOAT32, a, b, -1, -1);
    mk_in(m, 0, x);
    o = mk_options(mk_node(m, 0, MK_WHILE, 0, m->g[0].in[1], x, -9), MK_O_WHILE, "44", 1, 3);
    for (int i = 0; i < 3; i++) o->out[o->n_out++] = mk_t(m, 0, i ? NPU_FLOAT32 : NPU_INT32, i == 2 ? a : 1, i == 2 ? b : -1, -1, -1);
    m->g[0].out[0] = o->out[1];
}

/* The body that grows is a branch of an IF too, which comes first or last. */
static void make_branch_too(mk *m, int first) {
    mk_op *o, loop;
    int    yes;
    make_grow(m);
    loop = m->g[0].op[0];
    m->g[0].n_ops = 0;
    yes = mk_const(m, 0, NPU_BOOL, 1, -1, "\1", 1);
    if (!first) m->g[0].op[m->g[0].n_ops++] = loop;
    o = mk_options(mk_node(m, 0, MK_IF, yes, loop.in[0], loop.in[1], -9), MK_O_IF, "44", 2, 2);
    for (int i = 0; i < 2; i++) o->out[o->n_out++] = mk_t(m, 0, i ? NPU_FLOAT32 : NPU_INT32, i ? 2 : 1, -1, -1, -1);
    if (first) m->g[0].op[m->g[0].n_ops++] = loop;
    mk_out(m, 0, o->out[1]);
}

TEST(several_loops) {
    static const float grown[11] = {1, 1.5f, 1.5f, 1.5f, 1.5f, 1.5f, 1.5f, 1.5f, 1.5f, 1.5f, 1.5f};
    static mk          m;
    life               l;
    memset(&l, 0, sizeof l);
    l.input[1] = grown;
    l.runs = 2;
    make_two(&m);
    gives("two loops with one body", &m, &l, grown, 11);
    make_nested(&m, 1);
    gives("a loop in a loop", &m, &l, grown, 11);
    make_nested(&m, 0);
    expect("a loop in a loop that seems to keep its values", &m, &l, NPU_UNSUPPORTED, "control_flow.shape");
    make_many(&m, 2);
    expect("three loops over one body", &m, NULL, NPU_UNSUPPORTED, "control_flow.shape");
    make_many(&m, 3);
    expect("four loops over one body", &m, NULL, NPU_UNSUPPORTED, "graph.open");
    make_shared_condition(&m, 2, 3);
    gives("two loops with one condition", &m, &l, grown, 6);
    make_shared_condition(&m, 3, 2);
    expect("two loops with one condition: another shape", &m, &l, NPU_UNSUPPORTED, "graph.open");
    make_shared_condition(&m, 4, 2);
    expect("two loops with one condition: another size", &m, &l, NPU_UNSUPPORTED, "graph.open");
    make_branch_too(&m, 1);
    expect("a branch that is a body later", &m, &l, NPU_UNSUPPORTED, "control_flow.shape");
    make_branch_too(&m, 0);
    expect("a branch that was a body", &m, &l, NPU_UNSUPPORTED, "control_flow.input");
}

/* A loop behind a shape that data decide is seen only while running: its body may be any number. */
static void make_unseen(mk *m, int body) {
    mk_op *o;
    int    dims, fill, x;
    make_grow(m);
    m->g[0].n_ops = 0;
    dims = mk_t(m, 0, NPU_INT32, 1, -1, -1, -1);
    mk_in(m, 0, dims);
    fill = mk_const(m, 0, NPU_FLOAT32, -1, -1, more_f32, 4);
    m->g[0].t[fill].rank = 0;
    x = mk_t(m, 0, NPU_FLOAT32, 1, -1, -1, -1);
    mk_node(m, 0, MK_FILL, dims, fill, -9, x);
    o = &m->g[0].op[m->g[0].n_ops++];
    memset(o, 0, sizeof *o);
    mk_options(o, MK_O_WHILE, "44", 1, body);
    o->code = MK_WHILE;
    o->n_in = o->n_out = 2;
    o->in[1] = x;
    for (int i = 0; i < 2; i++) o->out[i] = mk_t(m, 0, i ? NPU_FLOAT32 : NPU_INT32, 1, -1, -1, -1);
    m->g[0].n_out = 0;
    mk_out(m, 0, o->out[1]);
}

TEST(loops_seen_while_running) {
    static mk m;
    life      l;
    memset(&l, 0, sizeof l);
    l.input[2] = &one_i32;
    make_unseen(&m, -1);
    expect("body -1, seen while running", &m, &l, NPU_INVALID_MODEL, "graph.subgraph_index");
    make_unseen(&m, 3);
    expect("body 3 of 3, seen while running", &m, &l, NPU_INVALID_MODEL, "graph.subgraph_index");
}

/* What is planned at every run has a kernel only when it has run. */
TEST(profiles_before_running) {
    static mk      m;
    npu_model     *model = NULL;
    npu_plan      *plan = NULL;
    npu_session   *session = NULL;
    npu_op_profile p;
    npu_diag       d;
    size_t         n;
    const uint8_t *bytes;
    int            y, unnamed = 0;
    make_grow(&m);
    y = mk_t(&m, 2, NPU_FLOAT32, 2, -1, -1, -1);
    mk_options(mk_node(&m, 2, MK_ADD, m.g[2].out[1], m.g[2].out[1], -9, y), MK_O_ADD, "1", 0, 0);
    m.g[2].out[1] = y;
    bytes = mk_file(&m, &n);
    CHECK_INT(npu_model_open(&model, bytes, n, NULL, &d), NPU_OK);
    CHECK_INT(npu_plan_create(&plan, model, NULL, &d), NPU_OK);
    CHECK_INT(npu_session_create(&session, plan, NULL, &d), NPU_OK);
    for (int32_t i = 0; npu_session_op_profile(session, 2, i, &p) == NPU_OK; i++) {
        unnamed += p.op == 2;
        if (p.op == 2) CHECK_STR(p.kernel, "reference");
        CHECK_INT(p.runs, 0);
    }
    CHECK_INT(unnamed, 1);
    npu_session_destroy(session);
    npu_plan_destroy(plan);
    npu_model_close(model);
}

/* ---- subgraphs that only say what is computed ---- */

/* y = x with updates at indices (of no dimension: all fall on the one number), by the function of subgraph `body`. */
static void make_scatter(mk *m, int body) {
    mk_op *o;
    mk_init(m);
    m->n_graphs = 2;
    mk_in(m, 0, mk_t(m, 0, NPU_FLOAT32, -1, -1, -1, -1));
    mk_in(m, 0, mk_t(m, 0, NPU_INT32, 2, 0, -1, -1));
    mk_in(m, 0, mk_t(m, 0, NPU_FLOAT32, 2, -1, -1, -1));
    mk_out(m, 0, mk_t(m, 0, NPU_FLOAT32, -1, -1, -1, -1));
    o = mk_options(mk_node(m, 0, 190, 0, 1, 2, 3), 256 + 7, "1...814", 0, 0); /* STABLEHLO_SCATTER */
    o->value[4] = 1;
    o->value[6] = body;
}

TEST(functions_that_do_not_exist) {
    static mk m;
    make_scatter(&m, 2);
    expect("scatter by subgraph 2 of 2", &m, NULL, NPU_UNSUPPORTED, "stablehlo_scatter.function");
    make_scatter(&m, -1);
    expect("scatter by subgraph -1", &m, NULL, NPU_UNSUPPORTED, "stablehlo_scatter.function");
}

/* ---- operators of the caller's own ---- */

static npu_status same_shape(void *user, npu_call *call) {
    npu_tensor x;
    (void)user;
    npu_call_input(call, 0, &x);
    return npu_call_set_shape(call, 0, x.rank, x.dims);
}

static npu_status twice(void *user, npu_call *call) {
    npu_tensor x, y;
    npu_call_input(call, 0, &x);
    npu_call_output(call, 0, &y);
    for (size_t i = 0; i < x.bytes / 4; i++) ((float *)y.data)[i] = 2 * ((const float *)x.data)[i];
    ++*(int *)user;
    return NPU_OK;
}

/* One that a backend takes too, where this build has none: what was registered runs. */
TEST(own_operators_are_not_the_backends) {
    static const float want[6] = {2, 4, 6, 8, 10, 12};
    static mk          m;
    int                times = 0;
    npu_user_op        op;
    life               l;
    memset(&op, 0, sizeof op);
    memset(&l, 0, sizeof l);
    op.name = "RELU";
    op.user = &times;
    op.min_inputs = op.max_inputs = op.min_outputs = op.max_outputs = 1;
    op.infer = same_shape;
    op.eval = twice;
    l.md.operators = &op;
    l.md.n_operators = 1;
    l.pd.backend = "neuron";
    l.pd.fallback = 1;
    make_add(&m);
    m.g[0].out[0] = mk_t(&m, 0, NPU_FLOAT32, 2, 3, -1, -1);
    mk_node(&m, 0, MK_RELU, 2, -9, -9, 3);
    gives("beside a backend", &m, &l, want, 6);
    CHECK(times > 0);
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    (void)mk_quant; /* the kit has more than is needed here */
    RUN(values_that_change);
    RUN(changed_loops);
    RUN(large_values);
    RUN(several_loops);
    RUN(loops_seen_while_running);
    RUN(profiles_before_running);
    RUN(functions_that_do_not_exist);
    RUN(own_operators_are_not_the_backends);
    return REPORT();
}
