/* Segments of MDLA on the software device, custom operators with options, and npu_session_compare. */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_BACKEND_ALL
#define NPU_RT_GRAPH
#define NPU_RT_THREADS
#include "npu_rt.h"

#include "../hostile/counted.h"
#include "test.h"

NPU__FN int npu__custom_fits(const npu__schema_field *f, npu__flex v); /* graph/custom.c */

enum { ROWS = 3, WIDE = 8 };

static char   report[1 << 16];
static size_t n_report;

static int take(void *user, const char *text, size_t n) {
    (void)user;
    if (n > sizeof report - 1 - n_report) n = sizeof report - 1 - n_report;
    memcpy(report + n_report, text, n);
    n_report += n;
    report[n_report] = 0;
    return 0;
}

static int refuse(void *user, const char *text, size_t n) {
    (void)user;
    (void)text;
    (void)n;
    return 1;
}

static const npu_writer writer = {NULL, take};

/* ---- models ---- */

static int32_t tensor(npu_graph *g, npu_type type, int32_t rank, const int32_t *dims, const void *data, size_t bytes) {
    static const float   scale = 0.01f;
    static const int32_t zero = 0;
    npu_tensor_desc      t;
    int32_t              index = -1;
    npu_diag             d;
    memset(&t, 0, sizeof t);
    t.type = type;
    t.rank = rank;
    memcpy(t.dims, dims, (size_t)rank * sizeof *dims);
    t.data = data;
    t.bytes = bytes;
    if (type == NPU_INT8) {
        t.quant.count = 1;
        t.quant.scale = &scale;
        t.quant.zero_point = &zero;
    }
    return npu_graph_tensor(g, 0, &t, &index, &d) == NPU_OK ? index : -1;
}

static int32_t matrix(npu_graph *g, int32_t rows, const void *data, npu_type type) {
    const int32_t dims[2] = {rows, WIDE};
    return tensor(g, type, 2, dims, data, data ? (size_t)(rows * WIDE) * (type == NPU_INT8 ? 1 : 4) : 0);
}

static npu_status op(npu_graph *g, const char *name, int custom, const uint8_t *options, size_t bytes, const int32_t *in, int32_t n,
                     int32_t out, npu_diag *d) {
    npu_op_desc o;
    int32_t     index;
    memset(&o, 0, sizeof o);
    o.name = name;
    o.custom = custom;
    o.custom_options = options;
    o.custom_options_bytes = bytes;
    o.inputs = in;
    o.n_inputs = n;
    o.outputs = &out;
    o.n_outputs = 1;
    return npu_graph_op(g, 0, &o, &index, d);
}

static npu_model *finished(npu_graph *g, int32_t in, const int32_t *out, int32_t n_out, npu_diag *d) {
    npu_model *m = NULL;
    CHECK_INT(npu_graph_inputs(g, 0, &in, 1, d), NPU_OK);
    CHECK_INT(npu_graph_outputs(g, 0, out, n_out, d), NPU_OK);
    CHECK_INT(npu_graph_finish(g, &m, d), NPU_OK);
    npu_graph_destroy(g);
    return m;
}

static npu_graph *begun(const npu_allocator *a) {
    npu_model_desc desc;
    npu_graph     *g = NULL;
    npu_diag       d;
    int32_t        sub;
    memset(&desc, 0, sizeof desc);
    if (a) desc.allocator = *a;
    CHECK_INT(npu_graph_create(&g, &desc, &d), NPU_OK);
    CHECK_INT(npu_graph_subgraph(g, "main", &sub, &d), NPU_OK);
    return g;
}

static float weight(int i) { return (float)((i * 37) % 101) / 97.0f - 0.5f; }

/* FULLY_CONNECTED (floats), ADD of its own input, FLOOR (nobody's), FULLY_CONNECTED (int8 weights), RESHAPE of the network's input as
 * a second output. All in one network, so that inputs, constants and results are read by both devices. */
static npu_model *network(const npu_allocator *a) {
    static float  w[WIDE * WIDE], bias[WIDE];
    static int8_t q[WIDE * WIDE];
    static const int32_t dims[2] = {ROWS * WIDE, 1};
    const int32_t one[1] = {WIDE}, two[1] = {2};
    int32_t       t[9], in[3], outs[2];
    npu_graph    *g = begun(a);
    npu_diag      d;
    for (int i = 0; i < WIDE * WIDE; i++) w[i] = weight(i);
    for (int i = 0; i < WIDE * WIDE; i++) q[i] = (int8_t)((i * 29) % 200 - 100);
    for (int i = 0; i < WIDE; i++) bias[i] = weight(i + 1000);
    t[0] = matrix(g, ROWS, NULL, NPU_FLOAT32);
    t[1] = matrix(g, WIDE, w, NPU_FLOAT32);
    t[2] = tensor(g, NPU_FLOAT32, 1, one, bias, sizeof bias);
    for (int i = 3; i < 7; i++) t[i] = matrix(g, ROWS, NULL, NPU_FLOAT32);
    t[7] = matrix(g, WIDE, q, NPU_INT8);
    t[8] = tensor(g, NPU_FLOAT32, 2, dims, NULL, 0);
    in[0] = t[0];
    in[1] = t[1];
    in[2] = t[2];
    CHECK_INT(op(g, "FULLY_CONNECTED", 0, NULL, 0, in, 3, t[3], &d), NPU_OK);
    in[1] = t[3];
    CHECK_INT(op(g, "ADD", 0, NULL, 0, in, 2, t[4], &d), NPU_OK);
    CHECK_INT(op(g, "FLOOR", 0, NULL, 0, &t[4], 1, t[5], &d), NPU_OK);
    in[0] = t[5];
    in[1] = t[7];
    in[2] = t[2];
    CHECK_INT(op(g, "FULLY_CONNECTED", 0, NULL, 0, in, 3, t[6], &d), NPU_OK);
    in[0] = t[0];
    in[1] = tensor(g, NPU_INT32, 1, two, dims, sizeof dims);
    CHECK_INT(op(g, "RESHAPE", 0, NULL, 0, in, 2, t[8], &d), NPU_OK);
    outs[0] = t[6];
    outs[1] = t[8];
    return finished(g, t[0], outs, 2, &d);
}

/* ---- running ---- */

static npu_status run(npu_session **s, npu_plan **p, const npu_model *m, const npu_plan_desc *desc, npu_diag *d) {
    npu_tensor t;
    npu_status r = npu_plan_create(p, m, desc, d);
    *s = NULL;
    if (r != NPU_OK) return r;
    r = npu_session_create(s, *p, NULL, d);
    if (r != NPU_OK) return r;
    CHECK_INT(npu_session_input(*s, 0, &t), NPU_OK);
    for (size_t i = 0; i < t.bytes / 4; i++) ((float *)t.data)[i] = weight((int)i + 5000) * 3;
    r = npu_session_invoke(*s, d);
    /* Again: what a run leaves behind changes nothing. */
    CHECK_INT(npu_session_input(*s, 0, &t), NPU_OK);
    for (size_t i = 0; i < t.bytes / 4; i++) ((float *)t.data)[i] = weight((int)i + 5000) * 3;
    return r == NPU_OK ? npu_session_invoke(*s, d) : r;
}

static float half(float x) { return npu__f16_to_f32(npu__f16_from_f32(x)); }

/* The network by hand, sums in the order of the plain kernel. */
static void by_hand(float *out, float *view) {
    float x[ROWS * WIDE];
    for (int i = 0; i < ROWS * WIDE; i++) view[i] = x[i] = half(weight(i + 5000) * 3);
    for (int r = 0; r < ROWS; r++) {
        float added[WIDE];
        for (int i = 0; i < WIDE; i++) {
            float sum = 0;
            for (int k = 0; k < WIDE; k++) sum += x[r * WIDE + k] * half(weight(i * WIDE + k));
            added[i] = (float)floor((double)half(x[r * WIDE + i] + half(sum + half(weight(i + 1000)))));
        }
        for (int i = 0; i < WIDE; i++) {
            float sum = half(weight(i + 1000));
            for (int k = 0; k < WIDE; k++) sum += added[k] * half(0.01f * (float)(((i * WIDE + k) * 29) % 200 - 100));
            out[r * WIDE + i] = half(sum);
        }
    }
}

static npu_plan_desc on(const char *backend, const char *profile) {
    npu_plan_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.backend = backend;
    desc.profile = profile;
    return desc;
}

TEST(half_floats) {
    static const char *const backends[] = {"mdla1.5", "mdla2.0", "mdla3.0"};
    npu_model *m = network(NULL);
    for (int k = 0; k < 12; k++) {
        npu_plan_desc  desc = on(backends[k % 3], "guide-relax-fp32");
        npu_plan      *p;
        npu_session   *s;
        npu_tensor     t;
        npu_op_profile op_profile;
        npu_diag       d;
        float          want[ROWS * WIDE], view[ROWS * WIDE];
        int            taken = 0;
        desc.threads = 1 + k % 2;
        desc.fallback = k % 4 == 3;
        desc.keep_values = k >= 6;
        desc.isa = NPU_ISA_SCALAR;
        CHECK_INT(run(&s, &p, m, &desc, &d), NPU_OK);
        by_hand(want, view);
        CHECK_INT(npu_session_output(s, 0, &t), NPU_OK);
        for (int i = 0; i < ROWS * WIDE; i++) CHECK(fabsf(((const float *)t.data)[i] - want[i]) <= 0.002f * fabsf(want[i]) + 1e-6f);
        for (int i = 0; i < ROWS * WIDE; i++) CHECK(((const uint32_t *)t.data)[i] == npu__f32_bits(half(((const float *)t.data)[i])));
        CHECK_INT(npu_session_output(s, 1, &t), NPU_OK);
        CHECK(memcmp(t.data, view, sizeof view) == 0);
        CHECK_INT(npu_session_input(s, 0, &t), NPU_OK);
        if (desc.keep_values) CHECK(((const float *)t.data)[1] == weight(5001) * 3); /* the caller's, not the device's */
        for (int32_t i = 0; npu_session_op_profile(s, 0, i, &op_profile) == NPU_OK; i++) taken += op_profile.vendor != NULL;
        CHECK_INT(taken, 4);
        npu_session_destroy(s);
        npu_plan_destroy(p);
    }
    npu_model_close(m);
}

/* FP32 is nobody's without --relax-fp32: all runs as it is. */
TEST(strict) {
    npu_model    *m = network(NULL);
    npu_plan_desc desc = on("mdla3.0", NULL), cpu = on(NULL, NULL);
    npu_plan     *p, *q;
    npu_session  *s, *r;
    npu_tensor    a, b;
    npu_diag      d;
    CHECK_INT(run(&s, &p, m, &desc, &d), NPU_OK);
    CHECK_INT(run(&r, &q, m, &cpu, &d), NPU_OK);
    CHECK_INT(npu_session_output(s, 0, &a), NPU_OK);
    CHECK_INT(npu_session_output(r, 0, &b), NPU_OK);
    CHECK(memcmp(a.data, b.data, a.bytes) == 0);
    npu_session_destroy(s);
    npu_session_destroy(r);
    npu_plan_destroy(p);
    npu_plan_destroy(q);
    npu_model_close(m);
}

TEST(compare) {
    static const npu_writer none = {NULL, NULL}, stops = {NULL, refuse};
    npu_model    *m = network(NULL), *other;
    npu_plan_desc desc = on("mdla3.0", "guide-relax-fp32"), cpu = on(NULL, NULL);
    npu_plan     *p, *q, *plain;
    npu_session  *s, *r, *forgets;
    npu_diag      d;
    desc.keep_values = cpu.keep_values = 1;
    CHECK_INT(run(&s, &p, m, &desc, &d), NPU_OK);
    CHECK_INT(run(&r, &q, m, &cpu, &d), NPU_OK);
    desc.keep_values = 0;
    CHECK_INT(run(&forgets, &plain, m, &desc, &d), NPU_OK);
    n_report = 0;
    CHECK_INT(npu_session_compare(s, r, 0, NPU_FORMAT_TEXT, &writer, &d), NPU_OK);
    CHECK_HAS(report, "FULLY_CONNECTED");
    CHECK_HAS(report, "mdla3.0");
    CHECK_HAS(report, "growth");
    n_report = 0;
    CHECK_INT(npu_session_compare(s, r, 0, NPU_FORMAT_JSON, &writer, NULL), NPU_OK);
    CHECK_HAS(report, "\"by\":\"cpu\"");
    CHECK_HAS(report, "\"max_error\":");
    n_report = 0;
    CHECK_INT(npu_session_compare(r, r, 0, NPU_FORMAT_TEXT, &writer, &d), NPU_OK);
    CHECK_HAS(report, "5 more, with less growth or none");
    CHECK_INT(npu_session_compare(NULL, r, 0, NPU_FORMAT_TEXT, &writer, &d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_session_compare(s, NULL, 0, NPU_FORMAT_TEXT, &writer, &d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_session_compare(s, r, 0, NPU_FORMAT_TEXT, NULL, &d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_session_compare(s, r, 0, NPU_FORMAT_TEXT, &none, &d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_session_compare(s, r, 0, NPU_FORMAT_MARKDOWN, &writer, &d), NPU_INVALID_ARGUMENT);
    CHECK_STR(d.rule, "api.report");
    CHECK_INT(npu_session_compare(s, r, 0, NPU_FORMAT_TEXT, &stops, &d), NPU_RUNTIME);
    CHECK_INT(npu_session_compare(s, r, 1, NPU_FORMAT_TEXT, &writer, &d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_session_compare(s, r, -1, NPU_FORMAT_TEXT, &writer, &d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_session_compare(forgets, r, 0, NPU_FORMAT_TEXT, &writer, &d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_session_compare(s, forgets, 0, NPU_FORMAT_TEXT, &writer, &d), NPU_INVALID_ARGUMENT);
    CHECK_STR(d.rule, "api.compare");
    npu_session_destroy(forgets);
    npu_plan_destroy(plain);
    {
        npu_graph    *g = begun(NULL);
        const int32_t x = matrix(g, ROWS, NULL, NPU_FLOAT32), y = matrix(g, ROWS, NULL, NPU_FLOAT32);
        CHECK_INT(op(g, "RELU", 0, NULL, 0, &x, 1, y, &d), NPU_OK);
        other = finished(g, x, &y, 1, &d);
        CHECK_INT(run(&forgets, &plain, other, &cpu, &d), NPU_OK);
        CHECK_INT(npu_session_compare(s, forgets, 0, NPU_FORMAT_TEXT, &writer, &d), NPU_INVALID_ARGUMENT);
        npu_session_destroy(forgets);
        npu_plan_destroy(plain);
        npu_model_close(other);
    }
    npu_session_destroy(s);
    npu_session_destroy(r);
    npu_plan_destroy(p);
    npu_plan_destroy(q);
    npu_model_close(m);
}

TEST(lowered) {
    npu_model     *m = network(NULL);
    npu_lower_desc desc;
    npu_diag       d;
    memset(&desc, 0, sizeof desc);
    desc.backend = "mdla1.5";
    desc.profile = "guide-relax-fp32";
    n_report = 0;
    CHECK_INT(npu_model_lower(m, &desc, NPU_FORMAT_TEXT, &writer, &d), NPU_OK);
    CHECK_HAS(report, "FP16, weights dequantized");
    CHECK_HAS(report, "constants are rounded to FP16");
    n_report = 0;
    CHECK_INT(npu_model_lower(m, &desc, NPU_FORMAT_JSON, &writer, &d), NPU_OK);
    CHECK_HAS(report, "\"computes\":\"FP16\"");
    n_report = 0;
    CHECK_INT(npu_model_lower(m, &desc, NPU_FORMAT_DOT, &writer, &d), NPU_OK);
    CHECK_HAS(report, "s0_0 -> s0_1");
    npu_model_close(m);
}

/* [ROWS, WIDE] of FLOAT32: halves in 16C, whose 8 channels need no padding. */
TEST(raw) {
    npu_model           *m = network(NULL);
    npu_plan_report_desc desc;
    npu_raw              r;
    npu_diag             d;
    float                x[ROWS * WIDE], back[ROWS * WIDE];
    uint8_t              bytes[ROWS * WIDE * 2 + 1];
    memset(&desc, 0, sizeof desc);
    desc.backend = "mdla3.0";
    desc.profile = "guide-relax-fp32";
    CHECK_INT(npu_model_raw(m, &desc, 0, 0, 0, &r, &d), NPU_OK);
    CHECK_STR(r.layout, "16C");
    CHECK_INT(r.device_type, NPU_FLOAT16);
    CHECK_INT(r.bytes, ROWS * WIDE * 2);
    for (int i = 0; i < ROWS * WIDE; i++) x[i] = half(weight(i));
    CHECK_INT(npu_raw_pack(&r, x, sizeof x, bytes, r.bytes), NPU_OK);
    CHECK_INT(npu_raw_unpack(&r, bytes, r.bytes, back, sizeof back), NPU_OK);
    CHECK(memcmp(x, back, sizeof x) == 0);
    CHECK_INT(npu_raw_pack(NULL, x, sizeof x, bytes, r.bytes), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_raw_pack(&r, NULL, sizeof x, bytes, r.bytes), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_raw_pack(&r, x, sizeof x, NULL, r.bytes), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_raw_pack(&r, x, sizeof x, bytes, r.bytes + 1), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_raw_unpack(&r, bytes, r.bytes, back, sizeof back - 4), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_model_raw(m, &desc, 0, 1, 2, &r, &d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_model_raw(m, &desc, 0, 0, -1, &r, &d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_model_raw(m, &desc, 1, 0, 0, &r, &d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_model_raw(NULL, &desc, 0, 0, 0, &r, &d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_model_raw(m, NULL, 0, 0, 0, &r, &d), NPU_INVALID_ARGUMENT);
    CHECK_INT(npu_model_raw(m, &desc, 0, 0, 0, NULL, &d), NPU_INVALID_ARGUMENT);
    CHECK_STR(d.rule, "api.raw");
    desc.profile = "guide"; /* FP32 is nobody's */
    CHECK_INT(npu_model_raw(m, &desc, 0, 0, 0, &r, &d), NPU_UNSUPPORTED);
    CHECK_STR(d.rule, "plan.raw");
    CHECK_INT(npu_model_raw(m, &desc, 0, 1, 0, &r, &d), NPU_UNSUPPORTED);
    desc.backend = "neuron";
    desc.profile = NULL;
    CHECK_INT(npu_model_raw(m, &desc, 0, 0, 0, &r, &d), NPU_UNSUPPORTED);
    CHECK_STR(d.rule, "plan.backend");
    desc.backend = "nobody";
    CHECK_INT(npu_model_raw(m, &desc, 0, 0, 0, &r, &d), NPU_INVALID_ARGUMENT);
    npu_model_close(m);
}

/* Each allocation fails in turn, then each limit: an error that says why, and nothing is kept. */
TEST(no_memory) {
    npu_model    *m = network(NULL);
    npu_plan_desc desc = on("mdla3.0", "guide-relax-fp32");
    npu_status    status = NPU_OUT_OF_MEMORY;
    counter       c;
    npu_plan     *p;
    npu_diag      d;
    int           tried = 0;
    for (long fail = 1; fail < 400 && status != NPU_OK; fail++) {
        desc.allocator = counted(&c, fail);
        status = npu_plan_create(&p, m, &desc, &d);
        CHECK(status == NPU_OK || status == NPU_OUT_OF_MEMORY);
        tried += status != NPU_OK;
        npu_plan_destroy(p);
        CHECK_INT(c.live, 0);
    }
    CHECK(tried > 3);
    memset(&desc.allocator, 0, sizeof desc.allocator);
    status = NPU_LIMIT;
    tried = 0;
    for (uint64_t bytes = 512; bytes < 1 << 20 && status != NPU_OK; bytes += 64) {
        desc.max_memory_bytes = bytes;
        status = npu_plan_create(&p, m, &desc, &d);
        CHECK(status == NPU_OK || status == NPU_LIMIT);
        if (status != NPU_OK) CHECK(d.rule[0]);
        tried += status != NPU_OK;
        npu_plan_destroy(p);
    }
    CHECK(tried > 3 && status == NPU_OK);
    npu_model_close(m);
}

/* ---- custom operators whose options are a map ---- */

/* A flexbuffer: a map of keys, in this order, with one byte each (its type: 1 << 2 for an integer). */
static size_t map(uint8_t *out, const char *const *keys, const uint8_t *values, const uint8_t *types, uint8_t n) {
    size_t  at = 0, vector;
    uint8_t where[64];
    for (uint8_t i = 0; i < n; i++) {
        where[i] = (uint8_t)at;
        memcpy(out + at, keys[i], strlen(keys[i]) + 1);
        at += strlen(keys[i]) + 1;
    }
    out[at++] = n;
    vector = at;
    for (uint8_t i = 0; i < n; i++, at++) out[at] = (uint8_t)(at - where[i]);
    out[at] = (uint8_t)(at - vector); /* where the keys are, how wide their offsets */
    at++;
    out[at++] = 1;
    out[at++] = n;
    vector = at;
    for (uint8_t i = 0; i < n; i++) out[at++] = values[i];
    for (uint8_t i = 0; i < n; i++) out[at++] = types[i];
    out[at] = (uint8_t)(at - vector);
    at++;
    out[at++] = 9 << 2; /* a map */
    out[at++] = 1;
    return at;
}

static const char *const pool_keys[5] = {"filter_height", "filter_width", "padding", "stride_h", "stride_w"};

static npu_status pooled(const char *name, const uint8_t *options, size_t bytes, npu_diag *d) {
    const int32_t from[4] = {1, 2, 4, 3}, to[4] = {1, 1, 2, 3};
    npu_graph    *g = begun(NULL);
    const int32_t x = tensor(g, NPU_FLOAT32, 4, from, NULL, 0), y = tensor(g, NPU_FLOAT32, 4, to, NULL, 0);
    npu_model    *m;
    npu_plan     *p;
    npu_status    s;
    CHECK_INT(op(g, name, 1, options, bytes, &x, 1, y, d), NPU_OK);
    m = finished(g, x, &y, 1, d);
    s = npu_plan_create(&p, m, NULL, d);
    npu_plan_destroy(p);
    npu_model_close(m);
    return s;
}

TEST(options) {
    static const uint8_t ints[40] = {4, 4, 4, 4, 4, 4};
    const char          *keys[40];
    uint8_t              b[512], values[40] = {2, 2, 1, 2, 2, 0}, types[40];
    npu_diag             d;
    memcpy(types, ints, sizeof types);
    for (int i = 0; i < 40; i++) keys[i] = i < 5 ? pool_keys[i] : "padding";
    CHECK_INT(pooled("MTK_MIN_POOL", b, map(b, keys, values, types, 5), &d), NPU_OK);
    CHECK_INT(pooled("MTK_MIN_POOL", b, map(b, keys, values, types, 6), &d), NPU_INVALID_MODEL);
    CHECK_STR(d.rule, "op.option_twice");
    CHECK_INT(pooled("MTK_MIN_POOL", b, map(b, keys, values, types, 33), &d), NPU_INVALID_MODEL);
    CHECK_STR(d.rule, "op.option_count");
    keys[4] = "stride_x";
    CHECK_INT(pooled("MTK_MIN_POOL", b, map(b, keys, values, types, 5), &d), NPU_UNSUPPORTED);
    CHECK_STR(d.rule, "op.option_unknown");
    keys[4] = pool_keys[4];
    types[3] = 3 << 2; /* a float */
    CHECK_INT(pooled("MTK_MIN_POOL", b, map(b, keys, values, types, 5), &d), NPU_INVALID_MODEL);
    CHECK_STR(d.rule, "op.option_value");
    types[3] = 26 << 2; /* true is 1 */
    values[3] = 1;
    CHECK_INT(pooled("MTK_MIN_POOL", b, map(b, keys, values, types, 5), &d), NPU_OK);
    CHECK_INT(pooled("MTK_MIN_POOL", b, 3, &d), NPU_INVALID_MODEL);
    CHECK_STR(d.rule, "op.options");
    CHECK_INT(pooled("MTK_MIN_POOL", NULL, 0, &d), NPU_INVALID_MODEL); /* a window of nothing */
    CHECK_INT(pooled("MTK_ABS", b, map(b, keys, values, types, 1), &d), NPU_UNSUPPORTED);
    CHECK_STR(d.rule, "op.option_unknown");
    CHECK_INT(pooled("MTK_ABS", b, map(b, keys, values, types, 0), &d), NPU_OK);
    CHECK_INT(pooled("MTK_CROP_AND_RESIZE", NULL, 0, &d), NPU_INVALID_MODEL); /* one input */
    keys[0] = keys[1] = "axis";
    values[0] = values[1] = 3;
    types[0] = types[1] = 4;
    CHECK_INT(pooled("MTK_LAYER_NORMALIZATION", b, map(b, keys, values, types, 1), &d), NPU_OK);
    CHECK_INT(pooled("MTK_LAYER_NORMALIZATION", b, map(b, keys, values, types, 2), &d), NPU_INVALID_MODEL);
    CHECK_STR(d.rule, "op.option_twice");
    CHECK_INT(pooled("MTK_LAYER_NORMALIZATION", b, map(b, keys, values, types, 33), &d), NPU_INVALID_MODEL);
    CHECK_STR(d.rule, "op.option_count");
    CHECK_INT(pooled("MTK_LAYER_NORMALIZATION", b, 2, &d), NPU_INVALID_MODEL);
    CHECK_STR(d.rule, "op.options");
}

/* Fields of the other kinds of numbers, at their ends. */
TEST(fields) {
    static const npu__schema_field kinds[] = {
#define FIELD(kind) {"x", 0, NPU__K_##kind, 0, 0}
        FIELD(BOOL), FIELD(I8), FIELD(I32), FIELD(F32)
#undef FIELD
    };
    const uint8_t two[4] = {2, 4, 1, 0}, wide[6] = {0xff, 0x7f, 0, 0, 1 << 2 | 1, 2};
    npu__flex     v = npu__flex_root(two, 3), w;
    (void)wide;
    CHECK_INT(npu__flex_i64(v, 0), 2);
    CHECK_INT(npu__custom_fits(&kinds[0], v), 0);
    CHECK_INT(npu__custom_fits(&kinds[1], v), 1);
    CHECK_INT(npu__custom_fits(&kinds[2], v), 1);
    CHECK_INT(npu__custom_fits(&kinds[3], v), 0);
    {
        const uint8_t many[10] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 1 << 2 | 3, 8};
        w = npu__flex_root(many, sizeof many);
        CHECK(npu__flex_i64(w, 0) > INT32_MAX);
        CHECK_INT(npu__custom_fits(&kinds[1], w), 0);
        CHECK_INT(npu__custom_fits(&kinds[2], w), 0);
    }
    {
        const uint8_t few[10] = {0, 0, 0, 0, 0xff, 0xfe, 0xff, 0xff, 1 << 2 | 3, 8};
        w = npu__flex_root(few, sizeof few);
        CHECK(npu__flex_i64(w, 0) < INT32_MIN);
        CHECK_INT(npu__custom_fits(&kinds[1], w), 0);
        CHECK_INT(npu__custom_fits(&kinds[2], w), 0);
    }
    {
        const uint8_t yes[3] = {1, 4, 1};
        CHECK_INT(npu__custom_fits(&kinds[0], npu__flex_root(yes, 3)), 1);
    }
}

int main(void) {
    RUN(half_floats);
    RUN(strict);
    RUN(compare);
    RUN(lowered);
    RUN(raw);
    RUN(no_memory);
    RUN(options);
    RUN(fields);
    REPORT();
}
