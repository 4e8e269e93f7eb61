/* Operators of the caller's own (npu_model_desc.operators): success and every failure, with each allocation failing; shapes that depend
 * on data, state, control flow, threads, folding, options, reports. It brings a library of few operators. */
#define NPU_RT_IMPLEMENTATION
#ifndef COVERAGE_PRIVATE /* assertions have a branch that nothing takes */
#  define NPU_RT_DEBUG
#endif
#define NPU__POOL_FIRST_BLOCK 256 /* each piece asks the allocator, so each can be missing */
#define NPU_RT_THREADS
#define NPU_RT_GRAPH
#define NPU_RT_BACKEND_NEURON
#define NPU_RT_ONLY_OPS(X) X(ADD) X(RELU) X(WHILE) X(LESS) X(SignalEnergy)
#include "npu_rt.h"

#include "user_ops_trial.h"

TEST(runs) {
    static mk          m;
    static const float x[6] = {1, -2, 3, 0, 5, 6};
    npu_user_op        ops[3] = {count_op(), scale_op("Scale"), positives_op()};
    life               l;
    memset(&l, 0, sizeof l);
    l.md.operators = ops;
    l.md.n_operators = 3;
    l.input[0] = x;
    make_custom(&m, "Scale", NPU_FLOAT32);
    m.g[0].op[0].data = map_options;
    m.g[0].op[0].data_bytes = sizeof map_options;
    expect("an operator of the caller's own", &m, &l, NPU_OK, "");
    CHECK_INT(life_output_bytes, 24);
    for (int i = 0; i < 6; i++) CHECK(((const float *)(const void *)life_output)[i] == x[i] * 2.5f);
    m.g[0].op[0].data_bytes = 0;
    expect("without options", &m, &l, NPU_OK, "");
    for (int i = 0; i < 6; i++) CHECK(((const float *)(const void *)life_output)[i] == x[i]);
    m.g[0].t[0].type = NPU_INT32;
    expect("of a type that it refuses", &m, &l, NPU_UNSUPPORTED, "scale.type");
    make_custom(&m, "Positives", NPU_FLOAT32);
    custom(&m, 0, "Scale", 1, mk_t(&m, 0, NPU_FLOAT32, 1, -1, -1, -1));
    m.g[0].out[0] = 2;
    expect("with a shape that depends on data", &m, &l, NPU_OK, "");
    CHECK_INT(life_output_bytes, 16);
    CHECK(((const float *)(const void *)life_output)[1] == 3);
    l.input[0] = NULL;
    expect("with nothing to give", &m, &l, NPU_OK, "");
    CHECK_INT(life_output_bytes, 0);
}

TEST(keeps_state) {
    static mk    m;
    npu_user_op  op = count_op();
    npu_model   *model;
    npu_plan    *plan;
    npu_session *session;
    npu_tensor   x, y;
    npu_diag     d;
    npu_memory   mem[2];
    life         l;
    size_t       n;
    const uint8_t *bytes;
    memset(&l, 0, sizeof l);
    l.md.operators = &op;
    l.md.n_operators = 1;
    l.runs = 3;
    make_custom(&m, "Count", NPU_INT32);
    expect("an operator that counts", &m, &l, NPU_OK, "");
    CHECK_INT(*(const int32_t *)(const void *)life_output, 3);
    bytes = mk_file(&m, &n);
    CHECK_INT(npu_model_open(&model, bytes, n, &l.md, &d), NPU_OK);
    memset(&op, 0, sizeof op); /* it was copied */
    CHECK_INT(npu_plan_create(&plan, model, NULL, &d), NPU_OK);
    npu_plan_memory(plan, &mem[0]);
    CHECK_INT(mem[0].variable_bytes, 64);
    CHECK_INT(npu_memory_on(model, NULL, NPU_MACHINE_THIS, &mem[1], &d), NPU_OK);
    CHECK_INT(mem[1].session_bytes, mem[0].session_bytes);
    CHECK_INT(mem[1].plan_bytes, mem[0].plan_bytes);
    CHECK_INT(mem[1].model_bytes, mem[0].model_bytes);
    CHECK_INT(npu_memory_on(model, NULL, NPU_MACHINE_32BIT, &mem[1], &d), NPU_OK);
    CHECK(mem[1].model_bytes < mem[0].model_bytes);
    CHECK_INT(npu_session_create(&session, plan, NULL, &d), NPU_OK);
    npu_session_input(session, 0, &x);
    memset(x.data, 0, x.bytes);
    for (int i = 1; i < 8; i++) {
        if (i == 4) npu_session_reset(session);
        CHECK_INT(npu_session_invoke(session, &d), NPU_OK);
        npu_session_output(session, 0, &y);
        CHECK_INT(*(const int32_t *)y.data, i < 4 ? i : i - 3);
    }
    npu_session_destroy(session);
    npu_plan_destroy(plan);
    npu_model_close(model);
}

/* Inside of the body of a WHILE: y = x + 1 is Count's now. */
TEST(in_a_loop) {
    static mk            m;
    static const int32_t limit = 20;
    npu_user_op          op = count_op();
    life                 l;
    memset(&l, 0, sizeof l);
    l.md.operators = &op;
    l.md.n_operators = 1;
    mk_init(&m);
    m.n_graphs = 3;
    for (int g = 0; g < 3; g++) mk_in(&m, g, mk_t(&m, g, NPU_INT32, 1, -1, -1, -1));
    mk_out(&m, 0, mk_t(&m, 0, NPU_INT32, 1, -1, -1, -1));
    mk_options(mk_node(&m, 0, MK_WHILE, 0, -9, -9, 1), MK_O_WHILE, "44", 1, 2);
    mk_const(&m, 1, NPU_INT32, 1, -1, &limit, 4);
    mk_out(&m, 1, mk_t(&m, 1, NPU_BOOL, 1, -1, -1, -1));
    mk_node(&m, 1, MK_LESS, 0, 1, -9, 2);
    mk_out(&m, 2, mk_t(&m, 2, NPU_INT32, 1, -1, -1, -1));
    custom(&m, 2, "Count", 0, 1);
    expect("an operator in a loop", &m, &l, NPU_OK, "");
    CHECK_INT(*(const int32_t *)(const void *)life_output, 21); /* 1 + 2 + ... + 6 */
}

/* Two models have operators of one name that do different things, at the same time. */
TEST(two_models) {
    static const float x[6] = {1, 2, 3, 4, 5, 6};
    static mk          m;
    int                times[2] = {2, 3};
    npu_user_op        op = scale_op("Mine");
    npu_model_desc     md;
    npu_model         *model[2];
    npu_plan          *plan[2];
    npu_session       *session[2];
    npu_tensor         t;
    npu_diag           d;
    size_t             n;
    const uint8_t     *bytes;
    make_custom(&m, "Mine", NPU_FLOAT32);
    bytes = mk_file(&m, &n);
    memset(&md, 0, sizeof md);
    md.operators = &op;
    md.n_operators = 1;
    for (int i = 0; i < 2; i++) {
        op.user = &times[i];
        CHECK_INT(npu_model_open(&model[i], bytes, n, &md, &d), NPU_OK);
        CHECK_INT(npu_plan_create(&plan[i], model[i], NULL, &d), NPU_OK);
        CHECK_INT(npu_session_create(&session[i], plan[i], NULL, &d), NPU_OK);
    }
    for (int i = 0; i < 2; i++) {
        npu_session_input(session[i], 0, &t);
        memcpy(t.data, x, sizeof x);
        CHECK_INT(npu_session_invoke(session[i], &d), NPU_OK);
        npu_session_output(session[i], 0, &t);
        CHECK(((const float *)t.data)[5] == 6.0f * (float)times[i]);
    }
    for (int i = 0; i < 2; i++) {
        npu_session_destroy(session[i]);
        npu_plan_destroy(plan[i]);
        npu_model_close(model[i]);
    }
}

/* On constants: pure operators run once, while planning; others at each run. */
TEST(folding) {
    static mk          m;
    static const float c[6] = {1, 2, 3, 4, 5, 6};
    npu_user_op        op = scale_op("Scale");
    life               l;
    memset(&l, 0, sizeof l);
    l.md.operators = &op;
    l.md.n_operators = 1;
    l.runs = 3;
    for (int pure = 0; pure < 2; pure++) {
        npu_diag       d;
        size_t         n;
        const uint8_t *bytes;
        op.flags = pure ? NPU_USER_OP_PURE : 0;
        mk_init(&m);
        mk_const(&m, 0, NPU_FLOAT32, 2, 3, c, sizeof c);
        mk_out(&m, 0, mk_t(&m, 0, NPU_FLOAT32, 2, 3, -1, -1));
        custom(&m, 0, "Scale", 0, 1);
        bytes = mk_file(&m, &n);
        scale_evals = 0;
        CHECK_INT(live(bytes, n, &l, &d), NPU_OK);
        CHECK_INT(scale_evals, pure ? 1 : 3);
        CHECK(((const float *)(const void *)life_output)[5] == 6);
        expect("an operator on constants", &m, &l, NPU_OK, "");
        mk_init(&m); /* and with nothing to compute */
        mk_in(&m, 0, mk_t(&m, 0, NPU_FLOAT32, 0, 3, -1, -1));
        mk_out(&m, 0, mk_t(&m, 0, NPU_FLOAT32, 0, 3, -1, -1));
        custom(&m, 0, "Scale", 0, 1);
        bytes = mk_file(&m, &n);
        scale_evals = 0;
        CHECK_INT(live(bytes, n, &l, &d), NPU_OK);
        CHECK_INT(scale_evals, pure ? 0 : 3);
    }
}

TEST(threads) {
    static mk        m;
    npu_user_op      op = scale_op("Scale");
    life             l;
    npu_diag         d;
    size_t           n;
    const uint8_t   *bytes;
    memset(&l, 0, sizeof l);
    l.md.operators = &op;
    l.md.n_operators = 1;
    l.pd.threads = 3;
    make_custom(&m, "Scale", NPU_FLOAT32);
    for (int t = 0; t < 2; t++) {
        m.g[0].t[t].dims[0] = 7;
        m.g[0].t[t].dims[1] = 1001;
    }
    bytes = mk_file(&m, &n);
    CHECK_INT(live(bytes, n, &l, &d), NPU_OK);
    CHECK_INT(life_output_bytes, 28028);
}

static char   said[1 << 15];
static size_t n_said;
static int say(void *user, const char *text, size_t n) {
    (void)user;
    if (n_said + n >= sizeof said) return 1;
    memcpy(said + n_said, text, n);
    n_said += n;
    said[n_said] = 0;
    return 0;
}

TEST(reports) {
    static const npu_writer writer = {NULL, say};
    static mk               m;
    npu_user_op             op = scale_op("Scale");
    npu_model_desc          md;
    npu_session_desc        sd;
    npu_check_summary       sum;
    npu_model              *model;
    npu_plan               *plan;
    npu_session            *session;
    npu_op_profile          profile;
    npu_op                  found;
    npu_diag                d;
    size_t                  n;
    const uint8_t          *bytes;
    memset(&md, 0, sizeof md);
    memset(&sd, 0, sizeof sd);
    make_custom(&m, "Scale", NPU_FLOAT32);
    bytes = mk_file(&m, &n);
    CHECK_INT(npu_model_open(&model, bytes, n, &md, &d), NPU_OK);
    CHECK_INT(npu_model_missing(model, NULL, 0), 1);
    CHECK_INT(npu_model_op(model, 0, 0, &found), NPU_OK);
    CHECK(found.keep == NULL);
    CHECK_INT(npu_plan_create(&plan, model, NULL, &d), NPU_UNSUPPORTED);
    CHECK_HAS(d.text, "npu_model_desc.operators");
    npu_model_close(model);
    md.operators = &op;
    md.n_operators = 1;
    CHECK_INT(npu_model_open(&model, bytes, n, &md, &d), NPU_OK);
    CHECK_INT(npu_model_missing(model, NULL, 0), 0);
    CHECK_INT(npu_model_op(model, 0, 0, &found), NPU_OK);
    CHECK_STR(found.keep, "");
    CHECK_INT(npu_model_info(model, NULL, NPU_FORMAT_TEXT, &writer, &d), NPU_OK);
    CHECK_HAS(said, "Scale");
    CHECK(strstr(said, "no kernel") == NULL);
    n_said = 0;
    CHECK_INT(npu_model_dump(model, NPU_FORMAT_JSON, &writer, &d), NPU_OK);
    CHECK_HAS(said, "\"known\":true");
    n_said = 0;
    CHECK_INT(npu_check(model, "neuron", NULL, NPU_FORMAT_TEXT, &writer, &sum, &d), NPU_OK);
    CHECK_INT(sum.ops, 1);
    CHECK_INT(sum.ops_placed, 0);
    sd.profile = 1;
    CHECK_INT(npu_plan_create(&plan, model, NULL, &d), NPU_OK);
    CHECK_INT(npu_session_create(&session, plan, &sd, &d), NPU_OK);
    CHECK_INT(npu_session_invoke(session, &d), NPU_OK);
    CHECK_INT(npu_session_op_profile(session, 0, 0, &profile), NPU_OK);
    CHECK(profile.name_len == 5 && memcmp(profile.name, "Scale", 5) == 0);
    CHECK_STR(profile.kernel, "user");
    CHECK_INT(profile.runs, 1);
    CHECK_INT(profile.steps, 13);
    npu_session_destroy(session);
    npu_plan_destroy(plan);
    npu_model_close(model);
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    RUN(runs);
    RUN(keeps_state);
    RUN(in_a_loop);
    RUN(two_models);
    RUN(folding);
    RUN(threads);
    RUN(reports);
    RUN(trials);
    RUN(registrations);
    RUN(beside_ours);
    RUN(options);
    RUN(built_by_calls);
    RUN(beside_a_backend);
    RUN(stops);
    return REPORT();
}
