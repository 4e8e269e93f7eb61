/* Circle files: what its schema has in the place of TFLite's, and files with one thing wrong. */
#define NPU_RT_IMPLEMENTATION
#include "npu_rt.h"

#include "fb_writer.h"
#include "test.h"
#include "walk_model.h"

NPU__FN int32_t npu__read_code(int circle, npu__tab opcode); /* graph/read_tflite.c */

/* A model of one operator and two float tensors [2]. */
typedef struct circle_parts {
    fbw    w;
    size_t model, code, subgraph, tensor, quant, op;
} circle_parts;

static size_t place(circle_parts *m, size_t table, int slot) { return fbw_field(&m->w, table, slot); }

static circle_parts make_circle(int old_code, int code, int byte, const char *options) {
    circle_parts m;
    fbw         *w = &m.w;
    size_t       vec, shape;
    memset(&m, 0, sizeof m);
    w->cap = 1 << 14;
    w->buf = (uint8_t *)calloc(1, w->cap);
    fbw_add(w, 0, 4);
    memcpy(w->buf + fbw_add(w, 0, 4), "CIR0", 4);
    m.model = fbw_table(w, 0, "44444");
    fbw_put(w, 0, m.model, 4);
    vec = fbw_vec(w, place(&m, m.model, NPU__S_Model_operator_codes), 1, 4);
    m.code = fbw_table(w, vec, "1.44");
    fbw_set(w, m.code, NPU__S_OperatorCode_deprecated_builtin_code, (uint8_t)old_code, 1);
    fbw_set(w, m.code, NPU__S_OperatorCode_builtin_code, (uint32_t)code, 4);
    fbw_str(w, place(&m, m.model, NPU__S_Model_description), "a circle");
    fbw_table(w, fbw_vec(w, place(&m, m.model, NPU__S_Model_buffers), 1, 4), "");
    vec = fbw_vec(w, place(&m, m.model, NPU__S_Model_subgraphs), 1, 4);
    m.subgraph = fbw_table(w, vec, "4444.1");
    vec = fbw_vec(w, place(&m, m.subgraph, NPU__S_SubGraph_tensors), 2, 4);
    for (int i = 0; i < 2; i++) {
        m.tensor = fbw_table(w, vec + 4 * (size_t)i, i ? "41..4.....1" : "41........1");
        shape = fbw_vec(w, place(&m, m.tensor, NPU__S_Tensor_shape), 1, 4);
        fbw_put(w, shape, 2, 4);
    }
    m.quant = fbw_table(w, place(&m, m.tensor, NPU__S_Tensor_quantization), "....14");
    fbw_set(w, m.quant, NPU__S_QuantizationParameters_details_type, 2, 1); /* MXQuantization */
    fbw_table(w, place(&m, m.quant, NPU__S_QuantizationParameters_details), "4");
    fbw_vec(w, place(&m, m.subgraph, NPU__S_SubGraph_inputs), 1, 4);
    fbw_put(w, fbw_vec(w, place(&m, m.subgraph, NPU__S_SubGraph_outputs), 1, 4), 1, 4);
    vec = fbw_vec(w, place(&m, m.subgraph, NPU__S_SubGraph_operators), 1, 4);
    m.op = fbw_table(w, vec, "44414");
    fbw_vec(w, place(&m, m.op, NPU__S_Operator_inputs), 1, 4);
    fbw_put(w, fbw_vec(w, place(&m, m.op, NPU__S_Operator_outputs), 1, 4), 1, 4);
    fbw_set(w, m.op, NPU__S_Operator_builtin_options_type, (uint32_t)byte, 1);
    fbw_table(w, place(&m, m.op, NPU__S_Operator_builtin_options), options);
    return m;
}

static npu_status open_it(circle_parts *m, npu_model **model, npu_diag *d) {
    *model = NULL;
    return npu_model_open(model, m->w.buf, m->w.n, NULL, d);
}

/* Opens and frees; the rule, "" where nothing is wrong. */
static const char *rule_of(circle_parts m, npu_diag *d) {
    npu_model *model;
    open_it(&m, &model, d);
    npu_model_close(model);
    free(m.w.buf);
    return d->rule;
}

static int keep(void *user, const char *text, size_t n) {
    char  *to = (char *)user;
    size_t at = strlen(to);
    if (at + n < 4000) {
        memcpy(to + at, text, n);
        to[at + n] = 0;
    }
    return 0;
}

TEST(codes_of_both_formats) {
    static const struct {
        int         old_code, code;
        const char *name;
    } cases[] = {
        {-2, -2, "INSTANCE_NORM"}, {-9, -9, "ATTENTION"}, {-8, -8, "RUN_MODEL"}, {0, 0, "ADD"}, {25, 25, "SOFTMAX"},
        {127, 150, "GELU"}, {-7, 0, "ROPE"}, {-1, -1, "UNKNOWN"}, {-10, -10, "UNKNOWN"}, {127, 514, "UNKNOWN"}, {127, 700, "UNKNOWN"},
    };
    npu_diag d;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        circle_parts m = make_circle(cases[i].old_code, cases[i].code, 0, "4");
        npu_model   *model;
        npu__str     name;
        CHECK_INT(open_it(&m, &model, &d), NPU_OK);
        name = npu__node_name(&model->subgraphs[0].nodes[0]);
        CHECK(npu__str_is(name, cases[i].name));
        npu_model_close(model);
        memcpy(m.w.buf + 4, "TFL3", 4); /* there, Circle's own are no operators */
        if (cases[i].old_code < 0) {
            fbw_set(&m.w, m.code, NPU__S_OperatorCode_builtin_code, (uint32_t)-100, 4);
        }
        CHECK_INT(npu__read_code(0, m.w.buf + m.code) > NPU__BUILTIN_CIRCLE &&
                  npu__read_code(0, m.w.buf + m.code) < NPU__BUILTIN_END, 0);
        free(m.w.buf);
    }
    CHECK_INT(npu__builtin_code("GRU"), NPU__BUILTIN_GRU);
    CHECK_INT(npu__builtin_code("ADD"), 0);
    CHECK_INT(npu__builtin_code("no such thing"), -1);
    CHECK_INT(npu__builtin_file_code(NPU__BUILTIN_GRU), -5);
    CHECK_INT(npu__builtin_file_code(3), 3);
    CHECK_INT(npu__builtin_file_code(INT32_MAX), INT32_MAX);
    CHECK_STR(npu__builtin_name(NPU__BUILTIN_CIRCLE), "UNKNOWN");
    CHECK_STR(npu__builtin_name(NPU__BUILTIN_END), "UNKNOWN");
}

TEST(options_and_dump) {
    static char  text[4096];
    npu_writer   writer = {NULL, NULL};
    circle_parts m = make_circle(-7, -7, 249, "4");
    npu_model   *model;
    npu_diag     d;
    walk_sum     sum = {0, 0};
    fbw_set(&m.w, m.model, NPU__S_Model_version, 0, 4);
    CHECK_INT(open_it(&m, &model, &d), NPU_OK);
    walk_table(&sum, m.w.buf, model->root, NPU__T_Model);
    CHECK_INT(model->subgraphs[0].nodes[0].opts->table, NPU__T_RoPEOptions);
    CHECK_INT(model->subgraphs[0].nodes[0].opts->given, 1);
    writer.user = text;
    writer.write = keep;
    text[0] = 0;
    CHECK_INT(npu_model_dump(model, NPU_FORMAT_TEXT, &writer, &d), NPU_OK);
    CHECK(strstr(text, "Circle schema 0") && strstr(text, "ROPE"));
    text[0] = 0;
    CHECK_INT(npu_model_dump(model, NPU_FORMAT_JSON, &writer, &d), NPU_OK);
    CHECK(strstr(text, "\"circle\"") && strstr(text, "\"builtin_code\":-7"));
    npu_model_close(model);
    free(m.w.buf);
}

TEST(types_and_fields) {
    npu_diag     d;
    circle_parts m;
    for (int type = -8; type < 0; type++) {
        m = make_circle(0, 0, 0, "4");
        fbw_set(&m.w, m.tensor, NPU__S_Tensor_type, (uint8_t)type, 1);
        CHECK_STR(rule_of(m, &d), type == -1 ? "" : type == -8 ? "tflite.type" : "circle.type");
        if (type == -6) CHECK(strstr(d.text, "MXFP4"));
    }
    m = make_circle(0, 0, 0, "4");
    fbw_set(&m.w, m.tensor, NPU__S_Tensor_external_buffer, 1, 1);
    CHECK_STR(rule_of(m, &d), "circle.compression");
    m = make_circle(0, 0, 0, "4");
    fbw_set(&m.w, m.subgraph, NPU__S_SubGraph_debug_metadata_index, 1, 1);
    CHECK_STR(rule_of(m, &d), "circle.data_format");
    m = make_circle(0, 0, 0, "4");
    fbw_set(&m.w, m.model, NPU__S_Model_version, 3, 4);
    CHECK_STR(rule_of(m, &d), "");
    m = make_circle(0, 0, 0, "4");
    fbw_set(&m.w, m.model, NPU__S_Model_version, 4, 4);
    CHECK_STR(rule_of(m, &d), "tflite.version");
}

/* Every byte in turn has other values, and the file ends everywhere: an error or a model, all of which can be read. */
TEST(broken_files) {
    circle_parts m = make_circle(-8, -8, 248, "44");
    npu_model   *model;
    npu_diag     d;
    walk_sum     sum = {0, 0};
    fbw_str(&m.w, place(&m, (size_t)(npu__tab_tab(m.w.buf + m.op, NPU__S_Operator_builtin_options) - m.w.buf), 0), "other.circle");
    for (size_t n = 0; n <= m.w.n; n++) {
        uint8_t *copy = (uint8_t *)malloc(n + 1);
        memcpy(copy, m.w.buf, n);
        if (npu_model_open(&model, copy, n, NULL, &d) == NPU_OK) walk_table(&sum, copy, model->root, NPU__T_Model);
        else CHECK(d.rule[0] && d.text[0]);
        npu_model_close(model);
        free(copy);
    }
    for (size_t i = 8; i < m.w.n; i++) {
        const uint8_t was = m.w.buf[i];
        for (int v = 1; v < 256; v += v < 8 ? 1 : 61) {
            m.w.buf[i] = (uint8_t)(was + v);
            if (open_it(&m, &model, &d) == NPU_OK) walk_table(&sum, m.w.buf, model->root, NPU__T_Model);
            else CHECK(d.rule[0] && d.text[0]);
            npu_model_close(model);
        }
        m.w.buf[i] = was;
    }
    free(m.w.buf);
}

/* ---- RUN_MODEL: whoever has the other file runs it, as an operator of the caller's own ---- */

typedef struct other_model {
    const char    *location;
    const uint8_t *bytes;
    size_t         n_bytes;
} other_model;

static npu_status run_other(void *user, npu_call *call) {
    const other_model *other = (const other_model *)user;
    const char        *name = "";
    npu_model         *model = NULL;
    npu_plan          *plan = NULL;
    npu_session       *session = NULL;
    npu_tensor         to, from;
    npu_diag           d;
    npu_status         s;
    size_t             n = 0;
    if (!npu_call_option_str(call, "location", &name, &n) || n != strlen(other->location) || memcmp(name, other->location, n) != 0) {
        return npu_call_fail(call, NPU_RUNTIME, "run_model.location", "there is no such model");
    }
    s = npu_model_open(&model, other->bytes, other->n_bytes, NULL, &d);
    if (s == NPU_OK) s = npu_plan_create(&plan, model, NULL, &d);
    if (s == NPU_OK) s = npu_session_create(&session, plan, NULL, &d);
    if (s == NPU_OK) s = npu_session_input(session, 0, &to);
    if (s == NPU_OK && npu_call_input(call, 0, &from)) memcpy(to.data, from.data, to.bytes);
    if (s == NPU_OK) s = npu_session_invoke(session, &d);
    if (s == NPU_OK) s = npu_session_output(session, 0, &from);
    if (s == NPU_OK && npu_call_output(call, 0, &to)) memcpy(to.data, from.data, to.bytes);
    npu_session_destroy(session);
    npu_plan_destroy(plan);
    npu_model_close(model);
    return s;
}

TEST(run_model) {
    circle_parts   inner = make_circle(53, 53, 0, ""), outer = make_circle(-8, -8, 248, "44");
    other_model    other = {"other.circle", NULL, 0};
    npu_user_op    op;
    npu_model_desc desc;
    npu_model     *model;
    npu_plan      *plan;
    npu_session   *session;
    npu_tensor     t;
    npu_diag       d;
    const float    x[2] = {1.5f, -2.5f};
    size_t         options = (size_t)(npu__tab_tab(outer.w.buf + outer.op, NPU__S_Operator_builtin_options) - outer.w.buf);
    fbw_str(&outer.w, place(&outer, options, 0), "other.circle");
    fbw_str(&outer.w, place(&outer, options, 1), "main");
    other.bytes = inner.w.buf;
    other.n_bytes = inner.w.n;
    memset(&op, 0, sizeof op);
    memset(&desc, 0, sizeof desc);
    op.name = "RUN_MODEL";
    op.user = &other;
    op.min_inputs = op.max_inputs = op.min_outputs = op.max_outputs = 1;
    op.eval = run_other;
    CHECK_INT(npu_model_open(&model, outer.w.buf, outer.w.n, NULL, &d), NPU_OK);
    CHECK_INT(npu_plan_create(&plan, model, NULL, &d), NPU_UNSUPPORTED); /* nobody runs it */
    CHECK_STR(d.rule, "op.unknown");
    npu_model_close(model);
    desc.operators = &op;
    desc.n_operators = 1;
    for (int missing = 0; missing < 2; missing++) {
        CHECK_INT(npu_model_open(&model, outer.w.buf, outer.w.n, &desc, &d), NPU_OK);
        CHECK_INT(npu_plan_create(&plan, model, NULL, &d), NPU_OK);
        CHECK_INT(npu_session_create(&session, plan, NULL, &d), NPU_OK);
        npu_session_input(session, 0, &t);
        memcpy(t.data, x, sizeof x);
        CHECK_INT(npu_session_invoke(session, &d), missing ? NPU_RUNTIME : NPU_OK);
        npu_session_output(session, 0, &t);
        if (missing) CHECK_STR(d.rule, "run_model.location");
        else CHECK(memcmp(t.data, x, sizeof x) == 0);
        npu_session_destroy(session);
        npu_plan_destroy(plan);
        npu_model_close(model);
        other.location = "another.circle";
    }
    free(inner.w.buf);
    free(outer.w.buf);
}

int main(void) {
    RUN(codes_of_both_formats);
    RUN(options_and_dump);
    RUN(types_and_fields);
    RUN(broken_files);
    RUN(run_model);
    return REPORT();
}
