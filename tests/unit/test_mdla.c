/* Plans of MDLA by the public function: what it refuses, what it fills in, and that every allocation may fail. */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_BACKEND_ALL
#define NPU_RT_GRAPH
#include "npu_rt.h"

#include "../hostile/counted.h"
#include "descs.h"
#include "test.h"

enum { BATCH = 8, WIDE = 16 };

static size_t n_written;

static int count(void *user, const char *text, size_t n) {
    (void)user;
    (void)text;
    n_written += n;
    return 0;
}

static int refuse(void *user, const char *text, size_t n) {
    (void)user;
    (void)text;
    (void)n;
    return 1;
}

static const npu_writer writer = {NULL, count};

static npu_status matrix(npu_graph *g, npu_type type, int32_t rows, const void *data, size_t bytes, int32_t *index,
                         npu_diag *d) {
    static const float   scale = 0.5f;
    static const int32_t zero = 0;
    const int32_t        dims[2] = {rows, WIDE};
    npu_tensor_desc      t = tensor_desc(type, 2, dims, data, bytes);
    if (type == NPU_INT8) {
        t.quant.count = 1;
        t.quant.scale = &scale;
        t.quant.zero_point = &zero;
    }
    return npu_graph_tensor(g, 0, &t, index, d);
}

static npu_status add_op(npu_graph *g, const char *name, const int32_t *in, int32_t n_in, int32_t out, npu_diag *d) {
    const npu_op_desc o = op_desc(name, in, n_in, &out, 1);
    int32_t           index;
    return npu_graph_op(g, 0, &o, &index, d);
}

/* FULLY_CONNECTED, RELU, FLOOR (nobody's), ABS: of [BATCH, WIDE]. */
static npu_status fill(npu_graph *g, npu_type type, npu_diag *d) {
    static const int8_t weights[WIDE * WIDE * 4];
    const size_t        bytes = (size_t)WIDE * WIDE * (type == NPU_INT8 ? 1 : 4);
    int32_t             t[6], in[2], sub;
    npu_status          s = npu_graph_subgraph(g, "main", &sub, d);
    if (s == NPU_OK) s = matrix(g, type, BATCH, NULL, 0, &t[0], d);
    if (s == NPU_OK) s = matrix(g, type, WIDE, weights, bytes, &t[1], d);
    for (int i = 2; i < 6 && s == NPU_OK; i++) s = matrix(g, type, BATCH, NULL, 0, &t[i], d);
    in[0] = t[0];
    in[1] = t[1];
    if (s == NPU_OK) s = add_op(g, "FULLY_CONNECTED", in, 2, t[2], d);
    if (s == NPU_OK) s = add_op(g, "RELU", &t[2], 1, t[3], d);
    if (s == NPU_OK) s = add_op(g, "FLOOR", &t[3], 1, t[4], d);
    if (s == NPU_OK) s = add_op(g, "ABS", &t[4], 1, t[5], d);
    if (s == NPU_OK) s = npu_graph_inputs(g, 0, &t[0], 1, d);
    if (s == NPU_OK) s = npu_graph_outputs(g, 0, &t[5], 1, d);
    return s;
}

static npu_status make(npu_model **out, npu_type type, const npu_allocator *allocator, npu_diag *d) {
    npu_model_desc desc;
    npu_graph     *g;
    npu_status     s;
    *out = NULL;
    memset(&desc, 0, sizeof desc);
    if (allocator) desc.allocator = *allocator;
    s = npu_graph_create(&g, &desc, d);
    if (s != NPU_OK) return s;
    s = fill(g, type, d);
    if (s == NPU_OK) s = npu_graph_finish(g, out, d);
    npu_graph_destroy(g);
    return s;
}

static npu_plan_report_desc of(const char *backend, const char *profile) {
    npu_plan_report_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.backend = backend;
    desc.profile = profile;
    return desc;
}

TEST(arguments) {
    static const npu_writer none = {NULL, NULL}, stops = {NULL, refuse};
    npu_plan_report_desc    desc = of("mdla2.0", "guide-relax-fp32");
    npu_model              *m;
    npu_diag                d;
    CHECK_INT(make(&m, NPU_FLOAT32, NULL, &d), NPU_OK);
    CHECK_INT(npu_model_plan_report(NULL, &desc, NPU_FORMAT_TEXT, &writer, NULL, &d), NPU_INVALID_ARGUMENT);
    CHECK_STR(d.rule, "api.report");
    CHECK_INT(npu_model_plan_report(m, NULL, NPU_FORMAT_TEXT, &writer, NULL, &d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_model_plan_report(m, &desc, NPU_FORMAT_MARKDOWN, &writer, NULL, &d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_model_plan_report(m, &desc, NPU_FORMAT_TEXT, &none, NULL, &d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_model_plan_report(m, &desc, NPU_FORMAT_TEXT, &stops, NULL, &d), NPU_RUNTIME);
    CHECK_STR(d.rule, "report.write");
    CHECK_INT(npu_model_plan_report(m, &desc, NPU_FORMAT_JSON, &writer, NULL, NULL), NPU_OK);
    CHECK_INT(npu_model_plan_report(m, &desc, NPU_FORMAT_JSON, NULL, NULL, &d), NPU_OK);
    desc = of("mdla2.0", "published");
    CHECK_INT(npu_model_plan_report(m, &desc, NPU_FORMAT_TEXT, &writer, NULL, &d), NPU_INVALID_ARGUMENT);
    CHECK_STR(d.rule, "backend.profile");
    desc = of("mdla4.0", NULL);
    CHECK_INT(npu_model_plan_report(m, &desc, NPU_FORMAT_TEXT, &writer, NULL, &d), NPU_INVALID_ARGUMENT);
    CHECK_STR(d.rule, "backend.name");
    CHECK_HAS(d.text, "ethos-u55-32, -64, -128, -256, ethos-u65-256, -512, ethos-u85-128, "); /* all of them, to the last */
    CHECK_HAS(d.text, "mdla1.5, mdla2.0, mdla3.0, none");
    desc = of("ethos-u", NULL);
    CHECK_INT(npu_model_plan_report(m, &desc, NPU_FORMAT_TEXT, &writer, NULL, &d), NPU_UNSUPPORTED);
    CHECK_STR(d.rule, "plan.backend");
    desc = of("mdla1.5", NULL);
    desc.fusion_rules = "A: CONV\nF: CONV";
    CHECK_INT(npu_model_plan_report(m, &desc, NPU_FORMAT_TEXT, &writer, NULL, &d), NPU_INVALID_ARGUMENT);
    CHECK_STR(d.rule, "plan.fusion_rules");
    CHECK_HAS(d.text, "line 2");
    npu_model_close(m);
}

/* 8 x 16 of FP32, as FP16: 256 bytes. On the MDLA but for FLOOR. */
TEST(summary) {
    npu_plan_report_desc    desc = of("mdla2.0", "guide-relax-fp32");
    npu_plan_report_summary s;
    npu_model              *m;
    npu_diag                d;
    CHECK_INT(make(&m, NPU_FLOAT32, NULL, &d), NPU_OK);
    CHECK_INT(npu_model_plan_report(m, &desc, NPU_FORMAT_TEXT, NULL, &s, &d), NPU_OK);
    CHECK_INT(s.ops, 4);
    CHECK_INT(s.ops_placed, 3);
    CHECK_INT(s.ops_compiled, 0);
    CHECK_INT(s.phases, 3);
    CHECK_INT(s.switches, 2);
    CHECK_INT(s.groups, 1); /* FULLY_CONNECTED and RELU, rule A */
    CHECK_INT(s.chains, 0);
    CHECK_INT(s.ops_unknown, 0);
    CHECK_INT(s.macs, BATCH * WIDE * WIDE);
    CHECK_INT(s.cycles, 8 + 8); /* 128 pixels at 16 a cycle, RELU beside 4 of the convolution; ABS */
    CHECK_INT(s.convert_bytes, 4 * 128 * (4 + 2)); /* in, out before FLOOR, in behind it, out */
    CHECK_INT(s.relayout_bytes, 0);
    CHECK(s.seconds <= 0);
    CHECK_INT(s.external_bytes, 256 + 512 + 256 + 256 + 256);
    desc.clock_hz = 16e6;
    desc.suppress_input_conversion = 1;
    desc.suppress_output_conversion = 1;
    CHECK_INT(npu_model_plan_report(m, &desc, NPU_FORMAT_TEXT, NULL, &s, &d), NPU_OK);
    CHECK_INT(s.convert_bytes, 2 * 128 * (4 + 2));
    CHECK(s.seconds > 0.99e-6 && s.seconds < 1.01e-6);
    npu_model_close(m);
}

/* Each allocation fails in turn: an error, nothing kept, and in the end the same words. */
TEST(no_memory) {
    npu_plan_report_desc desc = of("mdla3.0", "guide");
    npu_plan_report_summary s;
    npu_status           status = NPU_OUT_OF_MEMORY;
    counter              c;
    npu_allocator        a;
    npu_diag             d;
    long                 calls = 0, tried = 0;
    for (long fail = 1; fail < 400 && status != NPU_OK; fail++) {
        npu_model *m;
        size_t     before;
        a = counted(&c, 0);
        CHECK_INT(make(&m, NPU_INT8, &a, &d), NPU_OK);
        before = c.live;
        calls = c.calls;
        c.fail_at = calls + fail;
        status = npu_model_plan_report(m, &desc, NPU_FORMAT_JSON, &writer, &s, &d);
        CHECK(status == NPU_OK || status == NPU_OUT_OF_MEMORY);
        CHECK_INT(c.live, before);
        tried += status != NPU_OK;
        c.fail_at = 0;
        npu_model_close(m);
        CHECK_INT(c.live, 0);
    }
    CHECK_INT(status, NPU_OK);
    CHECK(tried > 2);
    CHECK_INT(s.ops_placed, 3);
    CHECK(n_written > 0);
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    RUN(arguments);
    RUN(summary);
    RUN(no_memory);
    REPORT();
}
