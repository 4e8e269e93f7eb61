/* One operator that does something else in each test, mostly wrong; and what registrations may not be. */
#ifndef TESTS_UNIT_USER_OPS_TRIAL_H
#define TESTS_UNIT_USER_OPS_TRIAL_H

#include "user_ops_kit.h"

/* ---- trials: each callback does one of these, and otherwise what is right ---- */

enum {
    FINE, INFER_FAILS, INFER_SILENT, INFER_ODD, INFER_BELOW, INFER_RANK, INFER_NEGATIVE, INFER_HUGE, INFER_NOTHING, INFER_PAST,
    INFER_UNDER, INFER_NO_DIMS, INFER_ALWAYS_LATER, INFER_MEMORY, INFER_COMPUTES, INFER_TWICE, PREPARE_FAILS, PREPARE_LATER,
    PREPARE_SHAPE, PREPARE_TOO_MUCH, PREPARE_MANY, EVAL_FAILS, EVAL_NO_WORDS, EVAL_MEMORY, EVAL_FAILS_OK, WORK_HUGE, WORK_BELOW,
    WORK_FAILS
};

static npu_status trial_infer(void *user, npu_call *call) {
    const int  how = *(const int *)user;
    int32_t    dims[10] = {2, 3, 1, 1, 1, 1, 1, 1, 1, 1};
    npu_tensor t;
    CHECK_INT(npu_call_input_count(call), 1);
    CHECK_INT(npu_call_output_count(call), 1);
    CHECK(!npu_call_input(call, 1, &t) && !npu_call_input(call, -1, &t) && !npu_call_output(call, 1, &t) && t.bytes == 0);
    CHECK(npu_call_input(call, 0, &t) && t.rank == 2 && t.bytes == 24);
    CHECK(npu_call_data(call) == NULL && npu_call_memory(call, 0) == NULL);
    npu_call_place(call, &dims[8], &dims[9]);
    CHECK(dims[8] == 0 && dims[9] == 0);
    switch (how) {
    case INFER_FAILS: return npu_call_fail(call, NPU_INVALID_MODEL, "trial.no", "not this one");
    case INFER_SILENT: return NPU_LIMIT;
    case INFER_ODD: return (npu_status)(NPU_STATUS_COUNT + 1);
    case INFER_BELOW: return (npu_status)-1;
    case INFER_RANK: npu_call_set_shape(call, 0, 9, dims); return NPU_OK;
    case INFER_NEGATIVE: dims[1] = -3; return npu_call_set_shape(call, 0, 2, dims);
    case INFER_HUGE: dims[0] = dims[1] = INT32_MAX; return npu_call_set_shape(call, 0, 2, dims);
    case INFER_NOTHING: return NPU_OK;
    case INFER_PAST: return npu_call_set_shape(call, 1, 2, dims);
    case INFER_UNDER: return npu_call_set_shape(call, -1, 2, dims);
    case INFER_NO_DIMS: return npu_call_set_shape(call, 0, 2, NULL);
    case INFER_ALWAYS_LATER: return NPU_LATER;
    case INFER_MEMORY: npu_call_want_state(call, 8); break;
    case INFER_COMPUTES: npu_call_parallel(call, 1, 1, NULL, NULL); break;
    case INFER_TWICE: npu_call_set_shape(call, 0, 0, NULL); break;
    default: break;
    }
    return npu_call_set_shape(call, 0, 2, dims);
}

static npu_status trial_prepare(void *user, npu_call *call) {
    const int how = *(const int *)user;
    int32_t   dims[2] = {2, 3};
    CHECK(npu_call_threads(call) == 1 && !npu_call_poll(call, -5));
    CHECK(npu_call_memory(call, 0) == NULL);
    *(int *)npu_call_data(call) = how;
    switch (how) {
    case PREPARE_FAILS: return npu_call_fail(call, NPU_OK, NULL, NULL);
    case PREPARE_LATER: return NPU_LATER;
    case PREPARE_SHAPE: npu_call_set_shape(call, 0, 2, dims); return NPU_OK;
    case PREPARE_TOO_MUCH: npu_call_want_scratch(call, SIZE_MAX / 2); return NPU_OK;
    case PREPARE_MANY: for (int i = 0; i < 33; i++) npu_call_want_scratch(call, 1); return NPU_OK;
    default: return npu_call_want_scratch(call, 8) == 0 ? NPU_OK : NPU_LIMIT;
    }
}

static npu_status trial_eval(void *user, npu_call *call) {
    npu_tensor y;
    npu_call_output(call, 0, &y);
    CHECK_INT(*(int *)npu_call_data(call), *(const int *)user);
    memset(y.data, 1, y.bytes);
    switch (*(const int *)user) {
    case EVAL_FAILS: npu_call_fail(call, NPU_BAD_INPUT, "trial.eval", "values"); return NPU_OK;
    case EVAL_NO_WORDS: return NPU_RUNTIME;
    case EVAL_MEMORY: return npu_call_want_scratch(call, 8) < 0 ? NPU_OK : NPU_LIMIT;
    case EVAL_FAILS_OK: npu_call_fail(call, NPU_BAD_INPUT, "trial.first", ""); return npu_call_fail(call, NPU_STATUS_COUNT, "trial.next", "");
    default: return NPU_OK;
    }
}

static int64_t trial_work(void *user, const npu_call *call) {
    npu_tensor x;
    CHECK(npu_call_input(call, 0, &x) && x.bytes == 24 && *(int *)npu_call_data(call) == *(const int *)user);
    CHECK_INT(npu_call_threads(call), 1);
    if (*(const int *)user == WORK_FAILS) CHECK_INT(npu_call_fail((npu_call *)(uintptr_t)call, NPU_OK, NULL, NULL), NPU_RUNTIME);
    return *(const int *)user == WORK_HUGE ? INT64_MAX : *(const int *)user == WORK_BELOW ? -1 : 10;
}

static const struct {
    int         how;
    npu_status  status;
    const char *rule;
} trial_cases[] = {
    {FINE, NPU_OK, ""},
    {INFER_FAILS, NPU_INVALID_MODEL, "trial.no"},
    {INFER_SILENT, NPU_LIMIT, "user_op.failed"},
    {INFER_ODD, NPU_RUNTIME, "user_op.failed"},
    {INFER_BELOW, NPU_RUNTIME, "user_op.failed"},
    {INFER_RANK, NPU_UNSUPPORTED, "op.output_rank"},
    {INFER_NEGATIVE, NPU_LIMIT, "op.output_size"},
    {INFER_HUGE, NPU_LIMIT, "op.output_size"},
    {INFER_NOTHING, NPU_UNSUPPORTED, "op.output_shape"},
    {INFER_PAST, NPU_INVALID_ARGUMENT, "user_op.call"},
    {INFER_UNDER, NPU_INVALID_ARGUMENT, "user_op.call"},
    {INFER_NO_DIMS, NPU_INVALID_ARGUMENT, "user_op.call"},
    {INFER_ALWAYS_LATER, NPU_RUNTIME, "op.dynamic_shape"},
    {INFER_MEMORY, NPU_INVALID_ARGUMENT, "user_op.call"},
    {INFER_COMPUTES, NPU_INVALID_ARGUMENT, "user_op.call"},
    {INFER_TWICE, NPU_OK, ""},
    {PREPARE_FAILS, NPU_RUNTIME, "user_op.failed"},
    {PREPARE_LATER, NPU_RUNTIME, "user_op.failed"},
    {PREPARE_SHAPE, NPU_INVALID_ARGUMENT, "user_op.call"},
    {PREPARE_TOO_MUCH, NPU_LIMIT, "plan.memory"},
    {PREPARE_MANY, NPU_LIMIT, "plan.memory"},
    {EVAL_FAILS, NPU_BAD_INPUT, "trial.eval"},
    {EVAL_NO_WORDS, NPU_RUNTIME, "user_op.failed"},
    {EVAL_MEMORY, NPU_INVALID_ARGUMENT, "user_op.call"},
    {EVAL_FAILS_OK, NPU_BAD_INPUT, "trial.first"},
    {WORK_HUGE, NPU_LIMIT, "session.work"},
    {WORK_BELOW, NPU_OK, ""},
    {WORK_FAILS, NPU_OK, ""},
};

static npu_user_op trial_op(const char *name, int *how) {
    npu_user_op op = user_op(name, 1, 1, trial_eval);
    op.user = how;
    op.data_bytes = sizeof(int);
    op.infer = trial_infer;
    op.prepare = trial_prepare;
    op.work = trial_work;
    return op;
}

#define CHANGE(name) static void name(mk *m)
CHANGE(no_input) { m->g[0].op[0].n_in = 0; }
CHANGE(two_inputs) { m->g[0].op[0].n_in = 2; m->g[0].op[0].in[1] = 0; }
CHANGE(two_outputs) {
   
    m->g[0].op[0].n_out = 2;
    m->g[0].op[0].out[1] = mk_t(m, 0, NPU_FLOAT32, 1, -1, -1, -1);
}
CHANGE(input_left_out) { m->g[0].op[0].in[0] = -1; }
CHANGE(strings_in) { m->g[0].t[0].type = NPU_STRING; }
CHANGE(bad_scale) { m->g[0].t[1].type = NPU_INT8; mk_quant(m, 0, 1, -1, 0); }

static const struct {
    const char *name;
    void      (*change)(mk *m);
    npu_status  status;
    const char *rule;
} before_callbacks[] = {
    {"no input", no_input, NPU_INVALID_MODEL, "op.input_count"},
    {"two inputs", two_inputs, NPU_INVALID_MODEL, "op.input_count"},
    {"two outputs", two_outputs, NPU_INVALID_MODEL, "op.output_count"},
    {"an input left out", input_left_out, NPU_INVALID_MODEL, "op.input_missing"},
    {"strings", strings_in, NPU_UNSUPPORTED, "op.unsized"},
    {"a scale below 0", bad_scale, NPU_INVALID_MODEL, "op.scale"},
};

TEST(trials) {
    static mk   m;
    int         how = FINE;
    npu_user_op op = trial_op("Trial", &how);
    life        l;
    memset(&l, 0, sizeof l);
    l.md.operators = &op;
    l.md.n_operators = 1;
    make_custom(&m, "Trial", NPU_FLOAT32);
    for (size_t i = 0; i < sizeof trial_cases / sizeof *trial_cases; i++) {
        char name[16];
        snprintf(name, sizeof name, "trial %d", trial_cases[i].how);
        how = trial_cases[i].how;
        expect(name, &m, &l, trial_cases[i].status, trial_cases[i].rule);
    }
    how = FINE;
    for (size_t i = 0; i < sizeof before_callbacks / sizeof *before_callbacks; i++) {
        make_custom(&m, "Trial", NPU_FLOAT32);
        before_callbacks[i].change(&m);
        expect(before_callbacks[i].name, &m, &l, before_callbacks[i].status, before_callbacks[i].rule);
    }
    op.infer = NULL; /* as declared */
    op.prepare = NULL;
    op.work = NULL;
    op.eval = positives_eval;
    op.eval = count_eval;
    make_custom(&m, "Trial", NPU_FLOAT32);
    m.g[0].t[1].n_sig = 2;
    m.g[0].t[1].sig[0] = -1;
    m.g[0].t[1].sig[1] = 3;
    expect("an open dimension and nobody to say", &m, &l, NPU_UNSUPPORTED, "user_op.shape");
    make_custom(&m, "Count", NPU_INT32);
    op = count_op();
    op.infer = NULL;
    expect("shapes as declared", &m, &l, NPU_OK, "");
    op.infer = positives_infer;
    make_custom(&m, "Count", NPU_FLOAT32);
    expect("state of an operator whose shapes depend on data", &m, &l, NPU_UNSUPPORTED, "op.dynamic_state");
}

/* ---- registrations ---- */

static void refuse(npu_user_op *ops, int32_t n, const char *says) {
    static mk      m;
    npu_model_desc md;
    npu_model     *model;
    npu_diag       d;
    size_t         size;
    const uint8_t *bytes;
    make_add(&m);
    bytes = mk_file(&m, &size);
    memset(&md, 0, sizeof md);
    md.operators = ops;
    md.n_operators = n;
    CHECK_INT(npu_model_open(&model, bytes, size, &md, NULL), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_model_open(&model, bytes, size, &md, &d), NPU_INVALID_ARGUMENT);
    CHECK_STR(d.rule, "api.operators");
    CHECK_HAS(d.text, says);
    CHECK(!model);
}

TEST(registrations) {
    npu_user_op ops[2] = {scale_op("Scale"), scale_op("Scale")};
    refuse(NULL, 1, "is NULL");
    refuse(ops, -1, "negative");
    refuse(ops, 2, "one of that name already");
    ops[1].name = NULL;
    refuse(ops, 2, "operator 1 of the caller's own (NULL): it has no name");
    ops[1].name = "";
    refuse(ops, 2, "no name");
    ops[1] = scale_op("SignalEnergy");
    refuse(ops, 2, "this build has an operator of that name");
    ops[1] = scale_op("ADD");
    refuse(ops, 2, "this build has an operator of that name");
    ops[1] = scale_op("Other");
    ops[1].eval = NULL;
    refuse(ops, 2, "no eval");
    ops[1] = scale_op("Other");
    ops[1].flags = 8;
    refuse(ops, 2, "flag");
    ops[1] = scale_op("Other");
    ops[1].data_bytes = 32769;
    refuse(ops, 2, "data_bytes");
    for (int i = 0; i < 6; i++) {
        ops[1] = scale_op("Other");
        if (i == 0) ops[1].min_inputs = -1;
        if (i == 1) ops[1].min_outputs = -1;
        if (i == 2) ops[1].max_inputs = -2;
        if (i == 3) ops[1].max_outputs = -2;
        if (i == 4) ops[1].max_inputs = 0;
        if (i == 5) ops[1].max_outputs = 0;
        refuse(ops, 2, "numbers of inputs and outputs");
    }
}

/* Beside an operator of this build; any number of inputs and outputs. */
TEST(beside_ours) {
    static mk   m;
    npu_user_op op = scale_op("Scale");
    life        l;
    npu_model  *model;
    npu_op      found;
    size_t      n;
    const uint8_t *bytes;
    memset(&l, 0, sizeof l);
    op.max_inputs = op.max_outputs = -1;
    l.md.operators = &op;
    l.md.n_operators = 1;
    make_add(&m);
    m.g[0].out[0] = mk_t(&m, 0, NPU_FLOAT32, 2, 3, -1, -1);
    custom(&m, 0, "Scale", 2, 3)->in[1] = 0;
    m.g[0].op[1].n_in = 2;
    expect("two inputs of any number", &m, &l, NPU_OK, "");
    CHECK(((const float *)(const void *)life_output)[5] == 6);
    bytes = mk_file(&m, &n);
    CHECK_INT(npu_model_open(&model, bytes, n, &l.md, NULL), NPU_OK);
    CHECK_INT(npu_model_op(model, 0, 0, &found), NPU_OK);
    CHECK_STR(found.keep, "ADD");
    CHECK_INT(npu_model_op(model, 0, 1, &found), NPU_OK);
    CHECK_STR(found.keep, "");
    npu_model_close(model);
    expect("without a registration", &m, NULL, NPU_UNSUPPORTED, "op.unknown");
    op.name = "UNKNOWN"; /* as npu_model_op says of codes that the schema does not have */
    m.g[0].op[1].code = 120000;
    expect("a code that nobody knows", &m, &l, NPU_UNSUPPORTED, "op.unknown");
    m.g[0].op[1].code = MK_NEG;
    expect("another builtin", &m, &l, NPU_UNSUPPORTED, "op.unknown");
    m.g[0].op[1].code = -7;
    expect("a code below 0", &m, &l, NPU_UNSUPPORTED, "op.unknown");
    m.g[0].op[1].code = MK_CUSTOM;
    op.name = "Scale";
    op.infer = NULL;
    m.g[0].t[3].type = NPU_STRING;
    expect("a type without a size, as declared", &m, &l, NPU_UNSUPPORTED, "op.unsized");
}

/* ---- options: those of builtins are the schema's, those of custom operators a flexbuffer's ---- */

static int64_t     option_int;
static double      option_float;
static char        option_str[8];
static size_t      option_bytes;
static int         option_found; /* bits: int, float, str */

static npu_status options_prepare(void *user, npu_call *call) {
    const char *name = (const char *)user;
    const char *text = "";
    size_t      bytes;
    option_bytes = 0;
    option_found = npu_call_option_int(call, name, &option_int);
    option_found |= npu_call_option_float(call, name, &option_float) << 1;
    option_found |= npu_call_option_str(call, name, &text, &option_bytes) << 2;
    CHECK(option_bytes < sizeof option_str);
    memcpy(option_str, text, option_bytes);
    CHECK(npu_call_options(call, &bytes) == npu_call_options(call, NULL));
    CHECK((bytes != 0) == (npu_call_options(call, NULL) != NULL));
    return NPU_OK;
}

static npu_status nothing_eval(void *user, npu_call *call) {
    (void)user;
    (void)call;
    return NPU_OK;
}

/* A graph of one operator with an option, planned with a registration that reads `name`. */
static int option_of(const char *op, const char *option, const char *kind, const char *name) {
    static const int32_t in = 0, out = 1;
    npu_user_op          own = user_op(op, 1, 1, nothing_eval);
    npu_model_desc       md;
    npu_graph           *g = NULL;
    npu_model           *model = NULL;
    npu_plan            *plan;
    npu_op_desc          o = op_desc(op, &in, 1, &out, 1);
    const int32_t        dims[2] = {2, 3};
    npu_tensor_desc      t = tensor_desc(NPU_FLOAT32, 2, dims, NULL, 0);
    npu_diag             d;
    npu_status           s = NPU_OK;
    memset(&md, 0, sizeof md);
    own.user = (void *)(uintptr_t)name;
    own.prepare = options_prepare;
    md.operators = &own;
    md.n_operators = 1;
    if (strcmp(kind, "flex") == 0) {
        o.custom_options = map_options;
        o.custom_options_bytes = sizeof map_options;
    }
    TRY(npu_graph_create(&g, &md, &d));
    TRY(npu_graph_subgraph(g, NULL, NULL, &d));
    TRY(npu_graph_tensor(g, 0, &t, NULL, &d));
    TRY(npu_graph_tensor(g, 0, &t, NULL, &d));
    TRY(npu_graph_op(g, 0, &o, NULL, &d));
    if (strcmp(kind, "int") == 0) TRY(npu_graph_option_int(g, 0, 0, option, 1, &d));
    if (strcmp(kind, "float") == 0) TRY(npu_graph_option_float(g, 0, 0, option, 0.25, &d));
    if (strcmp(kind, "str") == 0) TRY(npu_graph_option_str(g, 0, 0, option, "abc", &d));
    TRY(npu_graph_inputs(g, 0, &in, 1, &d));
    TRY(npu_graph_outputs(g, 0, &out, 1, &d));
    TRY(npu_graph_finish(g, &model, &d));
    npu_graph_destroy(g);
    TRY(npu_plan_create(&plan, model, NULL, &d));
    if (s == NPU_OK) npu_plan_destroy(plan);
    else printf("    %s: %s\n", op, d.text);
    npu_model_close(model);
    return s == NPU_OK ? option_found : -1;
}

TEST(options) {
    CHECK_INT(option_of("SUB", "pot_scale_int16", "int", "pot_scale_int16"), 3); /* a bool */
    CHECK(option_int == 1 && option_float == 1);
    CHECK_INT(option_of("SUB", "fused_activation_function", "int", "fused_activation_function"), 3); /* of 8 bits */
    CHECK_INT(option_of("SUB", "pot_scale_int16", "int", "pot_scale"), 0);
    CHECK_INT(option_of("SVDF", "rank", "int", "rank"), 3);
    CHECK_INT(option_of("CALL", "subgraph", "int", "subgraph"), 3);
    CHECK_INT(option_of("RANDOM_UNIFORM", "seed", "int", "seed"), 3);
    CHECK_INT(option_of("LEAKY_RELU", "alpha", "float", "alpha"), 2);
    CHECK(option_float == 0.25);
    CHECK_INT(option_of("VAR_HANDLE", "shared_name", "str", "shared_name"), 4);
    CHECK(option_bytes == 3 && memcmp(option_str, "abc", 3) == 0);
    CHECK_INT(option_of("Mine", "", "flex", "times"), 3);
    CHECK(option_int == -3 && option_float == -3);
    CHECK_INT(option_of("Mine", "", "flex", "on"), 3);
    CHECK(option_int == 1);
    CHECK_INT(option_of("Mine", "", "flex", "factor"), 2);
    CHECK(option_float == 2.5);
    CHECK_INT(option_of("Mine", "", "flex", "title"), 4);
    CHECK(option_bytes == 2 && memcmp(option_str, "ab", 2) == 0);
    CHECK_INT(option_of("Mine", "", "flex", "none"), 0);
    CHECK_INT(option_of("Mine", "", "none", "times"), 0);
}

/* ---- models built by calls ---- */

static npu_status build_own(npu_model **model, const npu_model_desc *md, npu_diag *d) {
    static const int32_t in = 0, out = 1, dims[2] = {2, 3};
    npu_tensor_desc      t = tensor_desc(NPU_FLOAT32, 2, dims, NULL, 0);
    npu_op_desc          o = op_desc("Scale", &in, 1, &out, 1);
    npu_graph           *g = NULL;
    npu_status           s = npu_graph_create(&g, md, d);
    *model = NULL;
    o.custom_options = map_options;
    o.custom_options_bytes = sizeof map_options;
    TRY(npu_graph_subgraph(g, NULL, NULL, d));
    TRY(npu_graph_tensor(g, 0, &t, NULL, d));
    TRY(npu_graph_tensor(g, 0, &t, NULL, d));
    TRY(npu_graph_op(g, 0, &o, NULL, d));
    TRY(npu_graph_inputs(g, 0, &in, 1, d));
    TRY(npu_graph_outputs(g, 0, &out, 1, d));
    TRY(npu_graph_finish(g, model, d));
    npu_graph_destroy(g);
    return s;
}

TEST(built_by_calls) {
    npu_user_op    op = scale_op("Scale");
    npu_model_desc md;
    npu_model     *model;
    npu_plan      *plan;
    npu_memory     mem[2];
    npu_diag       d;
    npu_status     s;
    counter        c;
    long           fail_at = 1;
    memset(&md, 0, sizeof md);
    md.operators = &op;
    md.n_operators = 1;
    for (; fail_at < 100; fail_at++) {
        md.allocator = counted(&c, fail_at);
        s = build_own(&model, &md, &d);
        if (s == NPU_OK) npu_model_close(model);
        else CHECK(s == NPU_OUT_OF_MEMORY && d.rule[0] && !model);
        CHECK(c.live == 0);
        if (c.calls < fail_at) break;
    }
    CHECK(fail_at < 100);
    memset(&md.allocator, 0, sizeof md.allocator);
    for (md.max_memory_bytes = 1; build_own(&model, &md, &d) != NPU_OK; md.max_memory_bytes += 64) {
        CHECK_INT(d.status, NPU_LIMIT);
        CHECK_STR(d.rule, "model.memory_limit");
        if (md.max_memory_bytes > 1 << 16) return;
    }
    CHECK_INT(npu_plan_create(&plan, model, NULL, &d), NPU_OK);
    npu_plan_memory(plan, &mem[0]);
    CHECK_INT(npu_memory_on(model, NULL, NPU_MACHINE_THIS, &mem[1], &d), NPU_OK);
    CHECK_INT(mem[1].session_bytes, mem[0].session_bytes);
    npu_plan_destroy(plan);
    npu_model_close(model);
    op.eval = NULL;
    CHECK_INT(build_own(&model, &md, &d), NPU_INVALID_ARGUMENT);
    CHECK_STR(d.rule, "api.operators");
}

/* A builtin that this build lacks and a backend knows: the callbacks run, whatever the plan asks for. */
TEST(beside_a_backend) {
    static mk      m;
    npu_user_op    op = scale_op("NEG");
    npu_model_desc md;
    npu_plan_desc  pd;
    npu_model     *model;
    npu_plan      *plan;
    npu_session   *session;
    npu_op_profile profile;
    npu_tensor     t;
    npu_diag       d;
    size_t         n;
    const uint8_t *bytes;
    memset(&md, 0, sizeof md);
    memset(&pd, 0, sizeof pd);
    md.operators = &op;
    md.n_operators = 1;
    pd.backend = "neuron";
    pd.fallback = 1; /* the software adapter has no more operators than this build */
    make_add(&m);
    m.g[0].out[0] = mk_t(&m, 0, NPU_FLOAT32, 2, 3, -1, -1);
    mk_node(&m, 0, MK_NEG, 2, -9, -9, 3);
    bytes = mk_file(&m, &n);
    CHECK_INT(npu_model_open(&model, bytes, n, &md, &d), NPU_OK);
    CHECK_INT(npu_plan_create(&plan, model, &pd, &d), NPU_OK);
    CHECK_INT(npu_session_create(&session, plan, NULL, &d), NPU_OK);
    npu_session_input(session, 0, &t);
    memset(t.data, 0, t.bytes);
    scale_evals = 0;
    CHECK_INT(npu_session_invoke(session, &d), NPU_OK);
    CHECK_INT(scale_evals, 1);
    npu_session_output(session, 0, &t);
    CHECK(((const float *)t.data)[5] == 6);
    CHECK_INT(npu_session_op_profile(session, 0, 0, &profile), NPU_OK);
    CHECK_INT(profile.segment, 0);
    CHECK_INT(npu_session_op_profile(session, 0, 1, &profile), NPU_OK);
    CHECK_INT(profile.segment, -1);
    npu_session_destroy(session);
    npu_plan_destroy(plan);
    npu_model_close(model);
}

/* ---- being stopped ---- */

static int stop_after, polls;

static int stop_now(void *user) {
    (void)user;
    return ++polls > stop_after;
}

static npu_status endless_eval(void *user, npu_call *call) {
    (void)user;
    while (!npu_call_poll(call, 1 << 20)) {}
    return NPU_OK; /* whatever it says */
}

TEST(stops) {
    static mk          m;
    static const float c[6] = {1, 2, 3, 4, 5, 6};
    npu_user_op        op = user_op("Endless", 1, 1, endless_eval);
    life               l;
    npu_diag           d;
    size_t             n;
    const uint8_t     *bytes;
    memset(&l, 0, sizeof l);
    op.infer = same_shape;
    l.md.operators = &op;
    l.md.n_operators = 1;
    l.sd.cancel = stop_now;
    stop_after = 3;
    make_custom(&m, "Endless", NPU_FLOAT32);
    bytes = mk_file(&m, &n);
    polls = 0;
    CHECK_INT(live(bytes, n, &l, &d), NPU_CANCELLED);
    CHECK_STR(d.rule, "session.cancelled");
    mk_init(&m); /* folded: planning has an end, too */
    mk_const(&m, 0, NPU_FLOAT32, 2, 3, c, sizeof c);
    mk_out(&m, 0, mk_t(&m, 0, NPU_FLOAT32, 2, 3, -1, -1));
    custom(&m, 0, "Endless", 0, 1);
    op.flags = NPU_USER_OP_PURE;
    bytes = mk_file(&m, &n);
    CHECK_INT(live(bytes, n, &l, &d), NPU_LIMIT);
    CHECK_STR(d.rule, "plan.work");
}

#endif
