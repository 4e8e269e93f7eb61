/* Looking into a run: observers, values of any tensor, differences of tensors, and the graph as Graphviz draws it. */
#define NPU_RT_IMPLEMENTATION
#include "npu_rt.h"

#include <math.h>

#include "../hostile/counted.h"
#include "model_maker.h"
#include "test.h"

/* ---- models, opened and run ---- */

typedef struct life {
    npu_model   *model;
    npu_plan    *plan;
    npu_session *session;
    npu_diag     diag;
} life;

static const int32_t one = 1, five = 5;
static const float   weights[4] = {1, -2, 3, -4};

static uint64_t ticking(void *user) { return *(uint64_t *)user += 10; }
static uint64_t ticks;

static npu_status begin(life *l, const mk *m, int keep, int profile, void (*observe)(void *, const npu_observed *), void *user) {
    npu_plan_desc    pd;
    npu_session_desc sd;
    size_t           n;
    const uint8_t   *bytes = mk_file(m, &n);
    npu_status       s;
    memset(l, 0, sizeof *l);
    memset(&pd, 0, sizeof pd);
    memset(&sd, 0, sizeof sd);
    pd.keep_values = keep;
    sd.profile = profile;
    sd.clock_ns = ticking;
    sd.clock_user = &ticks;
    sd.observe = observe;
    sd.observe_user = user;
    s = npu_model_open(&l->model, bytes, n, NULL, &l->diag);
    TRY(npu_plan_create(&l->plan, l->model, &pd, &l->diag));
    TRY(npu_session_create(&l->session, l->plan, &sd, &l->diag));
    return s;
}

static void end(life *l) {
    npu_session_destroy(l->session);
    npu_plan_destroy(l->plan);
    npu_model_close(l->model);
}

static void feed(life *l, const void *values) {
    npu_tensor t;
    if (CHECK_INT(npu_session_input(l->session, 0, &t), NPU_OK)) memcpy(t.data, values, t.bytes);
}

/* 4 = NEG(NEG(NEG(0))) + 5, where 5 is folded from a constant. */
static void make_chain(mk *m) {
    mk_init(m);
    for (int i = 0; i < 5; i++) mk_t(m, 0, NPU_FLOAT32, 4, -1, -1, -1);
    mk_t(m, 0, NPU_FLOAT32, 4, -1, -1, -1);
    mk_const(m, 0, NPU_FLOAT32, 4, -1, weights, sizeof weights);
    mk_t(m, 0, NPU_FLOAT32, 4, -1, -1, -1); /* 7: nobody's */
    mk_in(m, 0, 0);
    mk_out(m, 0, 4);
    for (int i = 0; i < 3; i++) mk_node(m, 0, MK_NEG, i, -9, -9, i + 1);
    mk_node(m, 0, MK_NEG, 6, -9, -9, 5);
    mk_options(mk_node(m, 0, MK_ADD, 3, 5, -9, 4), MK_O_ADD, "1", 0, 0);
}

/* 0: y = WHILE(x); 1: x < 5; 2: x + 1. */
static void make_loop(mk *m) {
    mk_init(m);
    m->n_graphs = 3;
    for (int g = 0; g < 3; g++) mk_in(m, g, mk_t(m, g, NPU_INT32, 1, -1, -1, -1));
    mk_out(m, 0, mk_t(m, 0, NPU_INT32, 1, -1, -1, -1));
    mk_options(mk_node(m, 0, MK_WHILE, 0, -9, -9, 1), MK_O_WHILE, "44", 1, 2);
    mk_const(m, 1, NPU_INT32, 1, -1, &five, 4);
    mk_out(m, 1, mk_t(m, 1, NPU_BOOL, 1, -1, -1, -1));
    mk_node(m, 1, MK_LESS, 0, 1, -9, 2);
    mk_const(m, 2, NPU_INT32, 1, -1, &one, 4);
    mk_out(m, 2, mk_t(m, 2, NPU_INT32, 1, -1, -1, -1));
    mk_options(mk_node(m, 2, MK_ADD, 0, 1, -9, 2), MK_O_ADD, "1", 0, 0);
}

/* ---- observers ---- */

typedef struct log {
    int      n;
    char     text[4096];
    uint64_t last, took;
    int      in_order;
} log_of;

/* "B0 O0.0=NEG(1) E0 ": moment, subgraph, operator, name, tensors. */
static void note(void *user, const npu_observed *seen) {
    log_of    *l = (log_of *)user;
    npu_tensor t;
    int32_t    index = -7;
    const int  room = (int)sizeof l->text - l->n;
    if (seen->moment == NPU_MOMENT_OP) {
        l->n += snprintf(l->text + l->n, (size_t)room, "O%d.%d=%.*s(", (int)seen->depth, (int)seen->op, (int)seen->name_len, seen->name);
    } else {
        l->n += snprintf(l->text + l->n, (size_t)room, "%c%d.%d(", seen->moment == NPU_MOMENT_BEGIN ? 'B' : 'E', (int)seen->depth, (int)seen->subgraph);
        CHECK_INT(seen->row, -1);
        CHECK_INT(seen->op, -1);
    }
    for (int32_t i = 0; i < seen->n_tensors; i++) {
        CHECK_INT(npu_observed_tensor(seen, i, &t, i ? NULL : &index), NPU_OK);
        CHECK(t.data != NULL && t.bytes > 0);
        if (t.type == NPU_INT32 && t.bytes == 4) l->n += snprintf(l->text + l->n, sizeof l->text - (size_t)l->n, "t%d=%d", (int)index, *(int32_t *)t.data);
        else l->n += snprintf(l->text + l->n, sizeof l->text - (size_t)l->n, "t%d", (int)index);
    }
    l->n += snprintf(l->text + l->n, sizeof l->text - (size_t)l->n, ") ");
    CHECK_INT(npu_observed_tensor(seen, -1, &t, NULL), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_observed_tensor(seen, seen->n_tensors, &t, NULL), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_observed_tensor(seen, 0, NULL, NULL), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_observed_tensor(NULL, 0, &t, NULL), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_observed_tensor(seen, 0, &t, NULL), NPU_OK);
    if (seen->start_ns < l->last && seen->moment == NPU_MOMENT_OP && seen->depth == 0) l->in_order = 0;
    if (seen->depth == 0) l->last = seen->start_ns;
    l->took = seen->duration_ns;
}

TEST(observer_sees_each_operator) {
    static mk  m;
    life       l;
    log_of     seen;
    npu_op_profile p;
    memset(&seen, 0, sizeof seen);
    make_chain(&m);
    CHECK_INT(begin(&l, &m, 0, 0, note, &seen), NPU_OK);
    feed(&l, weights);
    CHECK_INT(npu_session_invoke(l.session, &l.diag), NPU_OK);
    CHECK_STR(seen.text, "B0.0(t0) O0.0=NEG(t1) O0.1=NEG(t2) O0.2=NEG(t3) O0.4=ADD(t4) E0.0(t4) ");
    CHECK_INT(seen.took, 0); /* nobody asked for times */
    CHECK_INT(npu_session_op_profile(l.session, 0, 0, &p), NPU_OK);
    CHECK_INT(p.runs, 0);
    end(&l);
}

TEST(observer_sees_loops_and_times) {
    static mk      m;
    life           l;
    log_of         seen;
    const int32_t  three = 3;
    npu_op_profile p;
    memset(&seen, 0, sizeof seen);
    seen.in_order = 1;
    make_loop(&m);
    CHECK_INT(begin(&l, &m, 0, 1, note, &seen), NPU_OK);
    feed(&l, &three);
    CHECK_INT(npu_session_invoke(l.session, &l.diag), NPU_OK);
    CHECK_STR(seen.text, "B0.0(t0=3) B1.1(t0=3) O1.0=LESS(t2) E1.1(t2) B1.2(t0=3) O1.0=ADD(t2=4) E1.2(t2=4) "
                         "B1.1(t0=4) O1.0=LESS(t2) E1.1(t2) B1.2(t0=4) O1.0=ADD(t2=5) E1.2(t2=5) "
                         "B1.1(t0=5) O1.0=LESS(t2) E1.1(t2) O0.0=WHILE(t1=5) E0.0(t1=5) ");
    CHECK(seen.in_order && seen.took > 0);
    CHECK_INT(npu_session_op_profile(l.session, 2, 0, &p), NPU_OK);
    CHECK_INT(p.runs, 2);
    CHECK_INT(p.total_ns, 20);
    end(&l);
}

TEST(times_without_an_observer_and_failures) {
    static mk      m;
    life           l;
    log_of         seen;
    npu_op_profile p;
    const int32_t  zero = 0;
    make_chain(&m);
    CHECK_INT(begin(&l, &m, 0, 1, NULL, NULL), NPU_OK);
    CHECK_INT(npu_session_invoke(l.session, NULL), NPU_OK);
    CHECK_INT(npu_session_op_profile(l.session, 0, 3, &p), NPU_OK);
    CHECK(p.runs == 1 && p.total_ns == 10 && p.op == 4);
    end(&l);
    /* Of an operator that fails nobody is told: a loop with more passes than it may take. */
    memset(&seen, 0, sizeof seen);
    make_loop(&m);
    CHECK_INT(begin(&l, &m, 0, 0, note, &seen), NPU_OK);
    l.session->max_loop_runs = 2;
    feed(&l, &zero);
    CHECK_INT(npu_session_invoke(l.session, &l.diag), NPU_RUNTIME);
    CHECK(strstr(seen.text, "WHILE") == NULL && strstr(seen.text, "E0.0") == NULL && strstr(seen.text, "O1.0=ADD") != NULL);
    end(&l);
}

/* ---- tensors of a session ---- */

static void has_floats(life *l, int32_t tensor, float sign, float factor) {
    npu_tensor t;
    if (!CHECK_INT(npu_session_tensor(l->session, 0, tensor, &t, &l->diag), NPU_OK)) return;
    CHECK_INT(t.bytes, 16);
    for (int i = 0; t.bytes == 16 && i < 4; i++) CHECK(((const float *)t.data)[i] == sign * factor * weights[i]);
}

TEST(values_that_were_kept) {
    static mk  m;
    life       l;
    npu_tensor t;
    make_chain(&m);
    CHECK_INT(begin(&l, &m, 1, 0, NULL, NULL), NPU_OK);
    feed(&l, weights);
    CHECK_INT(npu_session_invoke(l.session, &l.diag), NPU_OK);
    for (int32_t i = 0; i < 4; i++) has_floats(&l, i, i % 2 ? -1.0f : 1.0f, 1.0f);
    has_floats(&l, 5, -1.0f, 1.0f);
    has_floats(&l, 6, 1.0f, 1.0f);
    has_floats(&l, 4, -1.0f, 2.0f);
    CHECK_INT(npu_session_tensor(l.session, 0, 7, &t, &l.diag), NPU_RUNTIME);
    CHECK_STR(l.diag.rule, "session.no_value");
    end(&l);
}

TEST(values_that_were_not_kept) {
    static mk  m;
    life       l;
    npu_tensor t;
    make_chain(&m);
    CHECK_INT(begin(&l, &m, 0, 0, NULL, NULL), NPU_OK);
    feed(&l, weights);
    CHECK_INT(npu_session_invoke(l.session, &l.diag), NPU_OK);
    CHECK_INT(npu_session_tensor(l.session, 0, 1, &t, &l.diag), NPU_INVALID_ARGUMENT);
    CHECK_STR(l.diag.rule, "session.not_kept");
    CHECK_HAS(l.diag.text, "keep_values");
    has_floats(&l, 4, -1.0f, 2.0f); /* an output, a folded constant and one of the file are there all the same */
    has_floats(&l, 5, -1.0f, 1.0f);
    has_floats(&l, 6, 1.0f, 1.0f);
    for (int bad = 0; bad < 6; bad++) {
        CHECK_INT(npu_session_tensor(bad == 0 ? NULL : l.session, bad == 1 ? -1 : bad == 2 ? 1 : 0, bad == 3 ? -1 : bad == 4 ? 8 : 0,
                                     bad == 5 ? NULL : &t, &l.diag), NPU_INVALID_ARGUMENT);
        CHECK_STR(l.diag.rule, "api.tensor");
    }
    end(&l);
}

/* 1 = RANGE(0, x, 1) has a length that is known when it runs; 4 = NEG of it. */
TEST(values_of_shapes_that_depend_on_data) {
    static mk     m;
    life          l;
    npu_tensor    t;
    const int32_t zero = 0, limits[2] = {3, 0}, most = INT32_MAX;
    mk_init(&m);
    mk_in(&m, 0, mk_t(&m, 0, NPU_INT32, -1, -1, -1, -1));
    mk_t(&m, 0, NPU_INT32, 1, -1, -1, -1);
    mk_const(&m, 0, NPU_INT32, -1, -1, &zero, 4);
    mk_const(&m, 0, NPU_INT32, -1, -1, &one, 4);
    mk_out(&m, 0, mk_t(&m, 0, NPU_INT32, 1, -1, -1, -1));
    mk_node(&m, 0, MK_RANGE, 2, 0, 3, 1);
    mk_node(&m, 0, MK_NEG, 1, -9, -9, 4);
    if (!CHECK_INT(begin(&l, &m, 0, 0, NULL, NULL), NPU_OK)) { printf("    %s\n", l.diag.text); end(&l); return; }
    CHECK_INT(npu_session_tensor(l.session, 0, 1, &t, &l.diag), NPU_RUNTIME);
    CHECK_STR(l.diag.rule, "session.no_value");
    CHECK_HAS(l.diag.text, "depends on data");
    for (int k = 0; k < 2; k++) {
        feed(&l, &limits[k]);
        CHECK_INT(npu_session_invoke(l.session, &l.diag), NPU_OK);
        CHECK_INT(npu_session_tensor(l.session, 0, 1, &t, &l.diag), NPU_OK);
        CHECK_INT(t.rank, 1);
        CHECK_INT(t.dims[0], limits[k]);
        for (int i = 0; i < t.dims[0]; i++) CHECK_INT(((const int32_t *)t.data)[i], i);
    }
    feed(&l, &most); /* what an earlier run left is no value of a run that failed */
    CHECK(npu_session_invoke(l.session, &l.diag) != NPU_OK);
    CHECK_INT(npu_session_tensor(l.session, 0, 1, &t, &l.diag), NPU_RUNTIME);
    end(&l);
}

TEST(tensors_of_a_model) {
    static mk  m;
    life       l;
    npu_tensor t;
    npu_op     op;
    make_chain(&m);
    CHECK_INT(begin(&l, &m, 0, 0, NULL, NULL), NPU_OK);
    CHECK_INT(npu_model_tensor_count(l.model, 0), 8);
    CHECK_INT(npu_model_tensor_count(l.model, 1), -1);
    CHECK_INT(npu_model_tensor_count(l.model, -1), -1);
    CHECK_INT(npu_model_tensor(l.model, 0, 6, &t), NPU_OK);
    CHECK(t.data && memcmp(t.data, weights, sizeof weights) == 0 && t.bytes == sizeof weights);
    CHECK_INT(npu_model_tensor(l.model, 0, 0, &t), NPU_OK);
    CHECK(t.data == NULL && t.bytes == 16);
    CHECK_INT(npu_model_tensor(l.model, 0, 8, &t), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_model_tensor(l.model, 0, -1, &t), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_model_tensor(l.model, 2, 0, &t), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_model_tensor(l.model, 0, 0, NULL), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_model_op(l.model, 0, 4, &op), NPU_OK);
    CHECK(op.n_inputs == 2 && op.inputs[0] == 3 && op.inputs[1] == 5 && op.n_outputs == 1 && op.outputs[0] == 4);
    end(&l);
}

#include "watch_compare.h"
#include "watch_dot.h"

int main(int argc, char **argv) {
    ONLY(argc, argv);
    RUN(observer_sees_each_operator);
    RUN(observer_sees_loops_and_times);
    RUN(times_without_an_observer_and_failures);
    RUN(values_that_were_kept);
    RUN(values_that_were_not_kept);
    RUN(values_of_shapes_that_depend_on_data);
    RUN(tensors_of_a_model);
    run_compare_tests();
    run_dot_tests();
    (void)mk_quant;
    return REPORT();
}
