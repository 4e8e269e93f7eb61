/* What the tests of the Neuron client have in common: a library (neuron_mock.h), a network, its plans, and a cache. */
#ifndef TESTS_UNIT_NEURON_CLIENT_KIT_H
#define TESTS_UNIT_NEURON_CLIENT_KIT_H

#include "../hostile/counted.h"
#include "descs.h"
#include "neuron_mock.h"
#include "test.h"

/* ---- a network: two convolutions by channel, a fully connected layer of three dimensions, and what the backend has
 * not ---- */

static npu_status net_tensor(npu_graph *g, npu_type type, int32_t rank, const int32_t *dims, const npu_quant *q,
                             const void *data, size_t bytes, int32_t *out) {
    npu_tensor_desc t = tensor_desc(type, rank, dims, data, bytes);
    if (q) t.quant = *q;
    return npu_graph_tensor(g, 0, &t, out, NULL);
}

static npu_status net_op(npu_graph *g, const char *name, const int32_t *in, int32_t n_in, int32_t out, int32_t *op) {
    const npu_op_desc o = op_desc(name, in, n_in, &out, 1);
    return npu_graph_op(g, 0, &o, op, NULL);
}

static npu_model *network(void) {
    static const int32_t  image[4] = {1, 5, 7, 3}, filter[4] = {4, 3, 3, 3}, four[1] = {4}, maps[4] = {1, 5, 7, 4};
    static const float    scales[4] = {0.01f, 0.02f, 0.03f, 0.04f}, one = 0.1f;
    static const int32_t  zeros[4] = {0, 0, 0, 0}, zp = -3;
    static const npu_quant by_channel = {4, 0, scales, zeros}, whole = {1, 0, &one, &zp};
    int8_t                w[4 * 27];
    int32_t               bias[4] = {100, -200, 300, 0}, t[6], in[3], op;
    npu_graph            *g;
    npu_model            *m = NULL;
    for (int i = 0; i < 4 * 27; i++) w[i] = (int8_t)(i * 37 % 255 - 127);
    CHECK_INT(npu_graph_create(&g, NULL, NULL), NPU_OK);
    CHECK_INT(npu_graph_subgraph(g, "main", NULL, NULL), NPU_OK);
    CHECK_INT(net_tensor(g, NPU_INT8, 4, image, &whole, NULL, 0, &t[0]), NPU_OK);
    CHECK_INT(net_tensor(g, NPU_INT8, 4, filter, &by_channel, w, sizeof w, &t[1]), NPU_OK);
    CHECK_INT(net_tensor(g, NPU_INT32, 1, four, NULL, bias, sizeof bias, &t[2]), NPU_OK);
    for (int i = 3; i < 6; i++) CHECK_INT(net_tensor(g, NPU_INT8, 4, maps, &whole, NULL, 0, &t[i]), NPU_OK);
    in[0] = t[0];
    in[1] = t[1];
    in[2] = t[2];
    CHECK_INT(net_op(g, "CONV_2D", in, 3, t[3], &op), NPU_OK);
    CHECK_INT(npu_graph_option_int(g, 0, op, "stride_w", 1, NULL), NPU_OK);
    CHECK_INT(npu_graph_option_int(g, 0, op, "stride_h", 1, NULL), NPU_OK);
    CHECK_INT(net_op(g, "RELU", &t[3], 1, t[4], &op), NPU_OK);
    in[0] = t[4];
    in[1] = t[3];
    CHECK_INT(net_op(g, "ADD", in, 2, t[5], &op), NPU_OK);
    CHECK_INT(npu_graph_inputs(g, 0, &t[0], 1, NULL), NPU_OK);
    CHECK_INT(npu_graph_outputs(g, 0, &t[5], 1, NULL), NPU_OK);
    CHECK_INT(npu_graph_finish(g, &m, NULL), NPU_OK);
    npu_graph_destroy(g);
    return m;
}

static const char *ran_by; /* who ran the first operator; NULL: the CPU */

/* Two runs of a plan; the driver may be NULL. `diag` has the failure, or the last note of why the CPU ran a segment. */
static npu_status run(const npu_plan *plan, const npu_neuron_driver *driver, const npu_allocator *a, uint8_t *out, size_t n,
                      npu_diag *diag) {
    npu_session_desc d;
    npu_driver       list;
    npu_session     *s = NULL;
    npu_diag         last;
    npu_op_profile   profile;
    npu_tensor       t;
    npu_status       status;
    memset(&d, 0, sizeof d);
    if (a) d.allocator = *a;
    list.vendor = "neuron";
    list.functions = driver;
    d.drivers = &list;
    d.n_drivers = driver != NULL;
    status = npu_session_create(&s, plan, &d, &last);
    if (diag) *diag = last;
    for (int pass = 0; status == NPU_OK && pass < 2; pass++) {
        CHECK_INT(npu_session_input(s, 0, &t), NPU_OK);
        for (size_t i = 0; i < t.bytes; i++) ((uint8_t *)t.data)[i] = (uint8_t)(i * 29 + 5);
        status = npu_session_invoke(s, &last);
        if (diag && last.rule[0]) *diag = last;
        CHECK_INT(npu_session_output(s, 0, &t), NPU_OK);
        CHECK_INT(t.bytes, n);
        memcpy(out, t.data, n);
    }
    ran_by = s && npu_session_op_profile(s, 0, 0, &profile) == NPU_OK ? profile.vendor : NULL;
    npu_session_destroy(s);
    return status;
}

enum { BYTES = 5 * 7 * 4 };
static npu_model *net;
static npu_plan  *on_cpu, *on_npu, *either;
static uint8_t    want[BYTES];

static npu_plan *plan_with(const char *backend, int fallback) {
    npu_plan_desc d;
    npu_plan     *p = NULL;
    npu_diag      diag;
    memset(&d, 0, sizeof d);
    d.backend = backend;
    d.fallback = fallback;
    if (!CHECK_INT(npu_plan_create(&p, net, &d, &diag), NPU_OK)) printf("    %s\n", diag.text);
    return p;
}

static int same(const uint8_t *got) { return memcmp(got, want, BYTES) == 0; }

/* ---- where compiled networks are kept ---- */

static struct {
    uint8_t  bytes[1 << 14];
    size_t   n;
    uint64_t key;
    int      loads, stores, damage;
} cache;

static const void *cache_load(void *user, uint64_t key, size_t *bytes) {
    CHECK(user == &cache);
    cache.loads++;
    if (cache.n == 0 || key != cache.key) return NULL;
    *bytes = cache.n;
    return cache.bytes;
}
static void cache_store(void *user, uint64_t key, const void *network, size_t bytes) {
    CHECK(user == &cache && bytes <= sizeof cache.bytes);
    cache.stores++;
    cache.key = key;
    cache.n = bytes;
    memcpy(cache.bytes, network, bytes);
}

#endif
