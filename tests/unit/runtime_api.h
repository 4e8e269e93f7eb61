/* Public functions with every argument they may be given, and reports on odd models. */
#ifndef TESTS_UNIT_RUNTIME_API_H
#define TESTS_UNIT_RUNTIME_API_H

#include "runtime_flow.h"

typedef struct made {
    npu_model   *model;
    npu_plan    *plan;
    npu_session *session;
} made;

/* All three of the model in `m`; the file stays where mk_file wrote it. */
static made make_all(const mk *m, const npu_plan_desc *pd, const npu_session_desc *sd) {
    made           x = {NULL, NULL, NULL};
    size_t         n;
    const uint8_t *bytes = mk_file(m, &n);
    CHECK_INT(npu_model_open(&x.model, bytes, n, NULL, NULL), NPU_OK);
    CHECK_INT(npu_plan_create(&x.plan, x.model, pd, NULL), NPU_OK);
    CHECK_INT(npu_session_create(&x.session, x.plan, sd, NULL), NPU_OK);
    return x;
}

static void drop_all(made *x) {
    npu_session_destroy(x->session);
    npu_plan_destroy(x->plan);
    npu_model_close(x->model);
}

TEST(arguments_of_open) {
    npu_model     *model = NULL;
    npu_diag       d;
    npu_model_desc half;
    static mk      m;
    size_t         n;
    const uint8_t *bytes;
    make_add(&m);
    bytes = mk_file(&m, &n);
    CHECK_INT(npu_model_open(NULL, bytes, n, NULL, &d), NPU_INVALID_ARGUMENT);
    CHECK_STR(d.rule, "api.null");
    CHECK_INT(npu_model_open(&model, NULL, n, NULL, &d), NPU_INVALID_ARGUMENT);
    CHECK_STR(d.rule, "api.null");
    CHECK_INT(npu_model_open(&model, NULL, 0, NULL, &d), NPU_INVALID_MODEL);
    CHECK_STR(d.rule, "tflite.empty");
    CHECK(model == NULL);
    memset(&half, 0, sizeof half);
    half.allocator.alloc = counter_alloc; /* half an allocator is none */
    CHECK_INT(npu_model_open(&model, bytes, n, &half, &d), NPU_OK);
    npu_model_close(model);
    half.allocator.alloc = NULL;
    half.allocator.free = counter_free;
    CHECK_INT(npu_model_open(&model, bytes, n, &half, &d), NPU_OK);
    npu_model_close(model);
    npu_model_close(NULL);
    npu_plan_destroy(NULL);
    npu_session_destroy(NULL);
}

TEST(arguments_about_models) {
    static mk      m;
    made           x;
    npu_signature  sig;
    npu_tensor     t;
    const char    *name = "";
    const void    *data;
    size_t         len = 0, bytes;
    int32_t        position = -1;
    static const int bad[] = {-1, 1};
    make_add(&m);
    add_sig(&m);
    m.n_meta = 2;
    m.meta[0].name = "first";
    m.meta[0].buffer = 1;
    m.meta[1].name = "of no buffer";
    m.meta[1].buffer = 99;
    x = make_all(&m, NULL, NULL);
    CHECK_INT(npu_model_signature_count(x.model), 1);
    CHECK_INT(npu_model_signature(x.model, 0, &sig), NPU_OK);
    CHECK_INT(npu_model_find_signature(x.model, "serve"), 0);
    CHECK_INT(npu_model_find_signature(x.model, "serv"), -1);
    CHECK_INT(npu_model_signature_entry(x.model, 0, 0, 0, NULL, NULL, NULL), NPU_OK);
    CHECK_INT(npu_model_signature_entry(x.model, 0, 1, 0, &name, &len, &position), NPU_OK);
    CHECK(len == 1 && name[0] == 'y' && position == 0);
    CHECK_INT(npu_model_input(x.model, 0, 0, &t), NPU_OK);
    CHECK_INT(npu_model_output(x.model, 0, 0, &t), NPU_OK);
    CHECK_INT(t.bytes, 24);
    for (int i = 0; i < 2; i++) {
        CHECK_INT(npu_model_signature(x.model, bad[i], &sig), NPU_INVALID_ARGUMENT);
        CHECK_INT(npu_model_signature_entry(x.model, bad[i], 0, 0, NULL, NULL, NULL), NPU_INVALID_ARGUMENT);
        CHECK_INT(npu_model_signature_entry(x.model, 0, 0, bad[i], NULL, NULL, NULL), NPU_INVALID_ARGUMENT);
        CHECK_INT(npu_model_signature_entry(x.model, 0, 1, bad[i], NULL, NULL, NULL), NPU_INVALID_ARGUMENT);
        CHECK_INT(npu_model_input_count(x.model, bad[i]), -1);
        CHECK_INT(npu_model_output_count(x.model, bad[i]), -1);
        CHECK_INT(npu_model_input(x.model, bad[i], 0, &t), NPU_INVALID_ARGUMENT);
        CHECK_INT(npu_model_input(x.model, 0, bad[i], &t), NPU_INVALID_ARGUMENT);
        CHECK_INT(npu_model_output(x.model, bad[i], 0, &t), NPU_INVALID_ARGUMENT);
        CHECK_INT(npu_model_output(x.model, 0, bad[i], &t), NPU_INVALID_ARGUMENT);
    }
    CHECK_INT(npu_model_metadata(x.model, 0, NULL, NULL, NULL, NULL), 2);
    CHECK_INT(npu_model_metadata(x.model, 0, &name, NULL, NULL, NULL), 2);
    CHECK_INT(npu_model_metadata(x.model, 0, &name, &len, &data, &bytes), 2);
    CHECK(bytes == 24 && len == 5);
    CHECK_INT(npu_model_metadata(x.model, 1, &name, &len, &data, &bytes), 2);
    CHECK(bytes == 0 && !data);
    CHECK_INT(npu_model_metadata(x.model, -1, &name, &len, &data, &bytes), -1);
    CHECK_INT(npu_model_metadata(x.model, 2, &name, &len, &data, &bytes), -1);
    drop_all(&x);
}

/* Backends that only tell what they would take cannot be planned for; the CPU's own name is no other plan. */
TEST(plans_name_backends) {
    static mk     m;
    made          x;
    npu_plan     *plan = NULL;
    npu_plan_desc pd;
    npu_diag      d;
    memset(&pd, 0, sizeof pd);
    make_add(&m);
    x = make_all(&m, NULL, NULL);
    pd.backend = "none";
    CHECK_INT(npu_plan_create(&plan, x.model, &pd, &d), NPU_OK);
    npu_plan_destroy(plan);
    pd.profile = "vela";
    CHECK_INT(npu_plan_create(&plan, x.model, &pd, &d), NPU_INVALID_ARGUMENT);
    CHECK_STR(d.rule, "backend.profile");
    pd.profile = NULL;
    pd.backend = "no-such-npu";
    CHECK_INT(npu_plan_create(&plan, x.model, &pd, &d), NPU_INVALID_ARGUMENT);
    CHECK_STR(d.rule, "backend.name");
    pd.backend = "ethos-u55-128";
    CHECK_INT(npu_plan_create(&plan, x.model, &pd, &d), NPU_UNSUPPORTED);
    CHECK_STR(d.rule, "plan.analysis_only");
    CHECK_HAS(d.text, "ethos-u55-128");
    CHECK(plan == NULL);
    drop_all(&x);
}

TEST(arguments_of_plans_and_sessions) {
    static mk        m;
    static uint64_t  room[4096];
    made             x;
    npu_plan        *plan = NULL;
    npu_session     *s = NULL;
    npu_tensor       t;
    npu_op_profile   p;
    npu_memory       mem;
    npu_diag         d;
    npu_session_desc sd;
    static const int bad[] = {-1, 1};
    uint8_t         *block = (uint8_t *)room + (64 - (uintptr_t)room % 64) % 64;
    make_add(&m);
    x = make_all(&m, NULL, NULL);
    CHECK_INT(npu_plan_create(NULL, x.model, NULL, &d), NPU_INVALID_ARGUMENT);
    CHECK_STR(d.rule, "api.null");
    CHECK_INT(npu_plan_create(&plan, NULL, NULL, &d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_session_create(NULL, x.plan, NULL, &d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_session_create(&s, NULL, NULL, &d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_session_invoke(NULL, &d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_session_op_count(NULL, 0), -1);
    CHECK_INT(npu_session_op_profile(NULL, 0, 0, &p), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_session_op_profile(x.session, 0, 0, NULL), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_session_input(NULL, 0, &t), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_session_input(x.session, 0, NULL), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_session_input(x.session, 0, &t), NPU_OK);
    CHECK_INT(npu_session_output(x.session, 0, &t), NPU_OK);
    for (int i = 0; i < 2; i++) {
        CHECK_INT(npu_session_invoke_subgraph(x.session, bad[i], &d), NPU_INVALID_ARGUMENT);
        CHECK_STR(d.rule, "api.subgraph");
        CHECK_INT(npu_session_op_count(x.session, bad[i]), -1);
        CHECK_INT(npu_session_op_profile(x.session, bad[i], 0, &p), NPU_INVALID_ARGUMENT);
        CHECK_INT(npu_session_op_profile(x.session, 0, bad[i], &p), NPU_INVALID_ARGUMENT);
        CHECK_INT(npu_session_input_of(x.session, bad[i], 0, &t), NPU_INVALID_ARGUMENT);
        CHECK_INT(npu_session_input_of(x.session, 0, bad[i], &t), NPU_INVALID_ARGUMENT);
        CHECK_INT(npu_session_output_of(x.session, bad[i], 0, &t), NPU_INVALID_ARGUMENT);
        CHECK_INT(npu_session_output_of(x.session, 0, bad[i], &t), NPU_INVALID_ARGUMENT);
    }
    npu_plan_memory(x.plan, &mem);
    CHECK(mem.session_bytes <= sizeof room - 64);
    memset(&sd, 0, sizeof sd);
    sd.memory = block;
    sd.memory_bytes = mem.session_bytes - 1;
    CHECK_INT(npu_session_create(&s, x.plan, &sd, &d), NPU_OUT_OF_MEMORY);
    CHECK_STR(d.rule, "session.memory");
    sd.memory_bytes++;
    sd.memory = block + 8;
    CHECK_INT(npu_session_create(&s, x.plan, &sd, &d), NPU_INVALID_ARGUMENT);
    CHECK_STR(d.rule, "session.alignment");
    sd.memory = block;
    CHECK_INT(npu_session_create(&s, x.plan, &sd, &d), NPU_OK);
    CHECK_INT(npu_session_invoke(s, &d), NPU_OK);
    npu_session_destroy(s);
    drop_all(&x);
}

/* ---- profiles and threads ---- */

static uint64_t tick(void *user) { return *(uint64_t *)user += 10; }

TEST(profiles) {
    static mk        m;
    made             x;
    npu_session_desc sd;
    npu_op_profile   p;
    npu_tensor       t;
    uint64_t         now = 0;
    make_while(&m);
    m.n_graphs = 4; /* one without operators */
    memset(&sd, 0, sizeof sd);
    sd.profile = 1;
    sd.clock_ns = tick;
    sd.clock_user = &now;
    x = make_all(&m, NULL, &sd);
    CHECK_INT(npu_session_input(x.session, 0, &t), NPU_OK);
    memset(t.data, 0, t.bytes);
    CHECK_INT(npu_session_invoke(x.session, NULL), NPU_OK);
    CHECK_INT(npu_session_op_count(x.session, 2), 1);
    CHECK_INT(npu_session_op_count(x.session, 3), 0);
    CHECK_INT(npu_session_op_profile(x.session, 2, 0, &p), NPU_OK);
    CHECK(p.runs == 5 && p.total_ns == 50 && p.subgraph == 2 && p.op == 0);
    CHECK_INT(npu_session_op_profile(x.session, 2, 1, &p), NPU_INVALID_ARGUMENT);
    npu_session_profile_clear(x.session);
    CHECK_INT(npu_session_op_profile(x.session, 2, 0, &p), NPU_OK);
    CHECK(p.runs == 0 && p.total_ns == 0);
    npu_session_destroy(x.session);
    x.session = NULL;
    sd.clock_ns = NULL; /* the platform's */
    sd.max_loop_runs = 3;
    CHECK_INT(npu_session_create(&x.session, x.plan, &sd, NULL), NPU_OK);
    CHECK_INT(npu_session_input(x.session, 0, &t), NPU_OK);
    memset(t.data, 0, t.bytes);
    CHECK_INT(npu_session_invoke(x.session, NULL), NPU_RUNTIME);
    drop_all(&x);
}

/* ---- reports ---- */

typedef struct page {
    char   text[1 << 16];
    size_t n;
    long   left; /* writes until it stops; -1: never */
} page;

static int page_write(void *user, const char *text, size_t n) {
    page *p = (page *)user;
    if (p->left == 0) return 1;
    if (p->left > 0) p->left--;
    if (n >= sizeof p->text - p->n) return 1;
    memcpy(p->text + p->n, text, n);
    p->n += n;
    p->text[p->n] = 0;
    return 0;
}

/* Operators with options of every kind, tensors of every kind, an operator that nobody knows. */
static void make_odd(mk *m) {
    static const uint8_t flex[] = {7, 4, 1}; /* the number 7 */
    static const float   two[2] = {1, 2};
    mk_op               *o;
    mk_init(m);
    mk_in(m, 0, mk_t(m, 0, NPU_FLOAT32, 2, 3, -1, -1));
    m->g[0].t[0].n_sig = 2;
    m->g[0].t[0].sig[0] = -1;
    m->g[0].t[0].sig[1] = 3;
    mk_const(m, 0, NPU_FLOAT32, 2, -1, two, sizeof two);
    for (int i = 2; i < 8; i++) mk_t(m, 0, NPU_FLOAT32, 2, 3, -1, -1);
    m->g[0].t[7].variable = 1;
    mk_quant(m, 0, 2, 0.25f, 3);
    m->g[0].t[3].n_scale = m->g[0].t[3].n_zero = 20;
    for (int i = 0; i < 4; i++) m->g[0].t[3].scale[i] = 0.5f;
    mk_out(m, 0, 2);
    o = mk_node(m, 0, MK_CUSTOM, 0, -1, 7, 2);
    o->custom = "Odd";
    o->data = flex;
    o->data_bytes = sizeof flex;
    o->n_mid = 2;
    o->mid[0] = -1;
    o->mid[1] = 1;
    o = mk_node(m, 0, MK_FC, 0, 1, -9, 3);
    mk_options(o, MK_O_FC, "11111B", 1, 1);
    o->value[5] = 200;
    o = mk_node(m, 0, 147, 0, 1, -9, 4); /* BUCKETIZE */
    mk_options(o, 115, "I", 0x3F800000, 0);
    o = mk_node(m, 0, 171, 0, 1, -9, 5); /* STABLEHLO_CONVOLUTION */
    mk_options(o, 256 + 4, "LLLLB88L88L88L88I", 1, 2);
    o->value[4] = 1;
    mk_options(mk_node(m, 0, 99, 0, -9, -9, 6), 91, "44", 77, 1); /* options that are not the operator's */
}

TEST(reports_of_odd_models) {
    static mk   m;
    static page p;
    npu_writer  w = {&p, page_write}, none = {NULL, NULL};
    npu_diag    d;
    npu_model  *model = NULL;
    size_t      n;
    make_odd(&m);
    {
        const uint8_t *bytes = mk_file(&m, &n);
        if (npu_model_open(&model, bytes, n, NULL, &d) != NPU_OK) printf("    %s: %s\n", d.rule, d.text);
    }
    CHECK(model != NULL);
    if (!model) return;
    for (int format = NPU_FORMAT_TEXT; format <= NPU_FORMAT_JSON; format++) {
        long writes;
        p.n = 0;
        p.left = -1;
        CHECK_INT(npu_model_dump(model, (npu_format)format, &w, &d), NPU_OK);
        CHECK_HAS(p.text, "Odd");
        CHECK_HAS(p.text, "STABLEHLO_CONVOLUTION");
        CHECK_HAS(p.text, "precision_config");
        CHECK_HAS(p.text, "boundaries");
        CHECK_HAS(p.text, "variable");
        for (writes = 0; writes < 40; writes++) { /* a writer that stops */
            p.n = 0;
            p.left = writes;
            if (npu_model_dump(model, (npu_format)format, &w, &d) == NPU_OK) break;
            CHECK_INT(d.status, NPU_RUNTIME);
        }
        CHECK(writes > 1);
        p.n = 0;
        p.left = -1;
        CHECK_INT(npu_model_info(model, NULL, (npu_format)format, &w, &d), NPU_OK);
        CHECK_HAS(p.text, "Odd");
    }
    CHECK_INT(npu_model_dump(NULL, NPU_FORMAT_TEXT, &w, &d), NPU_INVALID_ARGUMENT);
    CHECK_STR(d.rule, "api.report");
    CHECK_INT(npu_model_dump(model, NPU_FORMAT_TEXT, NULL, &d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_model_dump(model, NPU_FORMAT_TEXT, &none, &d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_model_dump(model, NPU_FORMAT_MARKDOWN, &w, NULL), NPU_INVALID_ARGUMENT);
    npu_model_close(model);
}

#endif
