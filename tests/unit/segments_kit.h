/* Networks for the tests of segments, made of a seed: operators that the vendor of tests/vendors/loopback takes and such that it
 * does not, in chains and diamonds, with constants that fold, views, variables, shapes that depend on data, and called subgraphs. */
#ifndef TESTS_UNIT_SEGMENTS_KIT_H
#define TESTS_UNIT_SEGMENTS_KIT_H

#include "../hostile/counted.h"
#include "descs.h"
#include "test.h"

#define WIDTH 8

static uint32_t kit_seed;
static uint32_t kit_random(uint32_t n) {
    kit_seed = kit_seed * 1664525u + 1013904223u;
    return (kit_seed >> 8) % n;
}

typedef struct kit {
    npu_graph *g;
    npu_diag  *d;
    int32_t    sub;
    int32_t    made[160], n;    /* tensors of WIDTH floats that may be read, of this subgraph */
    int32_t    others[8], n_others; /* more outputs */
} kit;

static npu_status kit_tensor(kit *k, npu_type type, int32_t rank, int32_t d0, int32_t d1, const void *data, size_t bytes, int32_t *index) {
    const int32_t         dims[2] = {d0, d1};
    const npu_tensor_desc t = tensor_desc(type, rank, dims, data, bytes);
    return npu_graph_tensor(k->g, k->sub, &t, index, k->d);
}

static npu_status kit_row(kit *k, int32_t *index) { return kit_tensor(k, NPU_FLOAT32, 2, 1, WIDTH, NULL, 0, index); }

static npu_status kit_weights(kit *k, int32_t rank, int32_t d0, int32_t d1, int32_t *index) {
    float   w[WIDTH * WIDTH];
    int32_t n = rank == 1 ? d0 : d0 * d1;
    for (int32_t i = 0; i < n; i++) w[i] = ((float)kit_random(201) - 100.0f) / 128.0f;
    return kit_tensor(k, NPU_FLOAT32, rank, d0, d1, w, (size_t)n * sizeof *w, index);
}

static npu_status kit_op(kit *k, const char *name, int32_t n_in, int32_t a, int32_t b, int32_t c, int32_t out, int32_t *index) {
    const int32_t     in[3] = {a, b, c};
    const npu_op_desc o = op_desc(name, in, n_in, &out, 1);
    return npu_graph_op(k->g, k->sub, &o, index, k->d);
}

/* A tensor made before: mostly one of the last. */
static int32_t kit_any(const kit *k) {
    return k->made[k->n - 1 - (int32_t)kit_random((uint32_t)(kit_random(3) ? (k->n < 3 ? k->n : 3) : k->n))];
}

static npu_status kit_svdf(kit *k, int32_t out) {
    static const int32_t state[2] = {1, WIDTH * 4};
    npu_tensor_desc      t = tensor_desc(NPU_FLOAT32, 2, state, NULL, 0);
    int32_t              in[5], op = 0;
    const npu_op_desc    o = op_desc("SVDF", in, 5, &out, 1);
    npu_status           s = kit_weights(k, 2, WIDTH, WIDTH, &in[1]);
    in[0] = kit_any(k);
    in[3] = -1;
    TRY(kit_weights(k, 2, WIDTH, 4, &in[2]));
    t.is_variable = 1;
    TRY(npu_graph_tensor(k->g, k->sub, &t, &in[4], k->d));
    TRY(npu_graph_op(k->g, k->sub, &o, &op, k->d));
    TRY(npu_graph_option_int(k->g, k->sub, op, "rank", 1, k->d));
    return s;
}

/* A shape that only data tells, and what follows from it; beside the others it is an output. */
static npu_status kit_dynamic(kit *k) {
    int32_t    shape = -1, some = -1, view = -1, end = -1;
    npu_status s = kit_tensor(k, NPU_INT32, 1, 2, 0, NULL, 0, &shape);
    TRY(kit_tensor(k, NPU_INT32, 1, 2, 0, "\0\0\0\0\0\0\0", 8, &some));
    TRY(kit_op(k, "ADD", 2, k->others[0], some, 0, shape, NULL)); /* of integers: the vendor's CPU way */
    TRY(kit_row(k, &view));
    TRY(kit_row(k, &end));
    TRY(kit_op(k, "RESHAPE", 2, kit_any(k), shape, 0, view, NULL));
    TRY(kit_op(k, "RELU", 1, view, 0, 0, end, NULL));
    if (s == NPU_OK) k->others[k->n_others++] = end;
    return s;
}

/* What has nothing to compute: a step that a run passes over. */
static npu_status kit_empty(kit *k) {
    int32_t    out = -1;
    npu_status s = kit_tensor(k, NPU_FLOAT32, 2, 0, WIDTH, NULL, 0, &out);
    TRY(kit_op(k, kit_random(2) ? "RELU" : "NEG", 1, k->others[2], 0, 0, out, NULL));
    return s;
}

/* One more operator. `calls`: subgraphs 1 and 2 are there to be called. */
static npu_status kit_step(kit *k, int calls) {
    static const int32_t row_shape[2] = {1, WIDTH};
    int32_t              out = -1, w = -1, b = -1, op = 0;
    npu_status           s = kit_row(k, &out);
    switch (kit_random(calls ? 15 : 13)) {
    case 0: case 1: case 2: TRY(kit_op(k, "ADD", 2, kit_any(k), kit_any(k), 0, out, NULL)); break;
    case 3: case 4: TRY(kit_op(k, "RELU", 1, kit_any(k), 0, 0, out, NULL)); break;
    case 5:
        TRY(kit_op(k, "ADD", 2, kit_any(k), kit_any(k), 0, out, &op));
        TRY(npu_graph_option_str(k->g, k->sub, op, "fused_activation_function", "RELU6", k->d));
        break;
    case 6: case 7:
        TRY(kit_weights(k, 2, WIDTH, WIDTH, &w));
        TRY(kit_weights(k, 1, WIDTH, 0, &b));
        TRY(kit_op(k, "FULLY_CONNECTED", 3, kit_any(k), w, b, out, NULL));
        break;
    case 8: TRY(kit_svdf(k, out)); break;
    case 9: TRY(kit_op(k, "NEG", 1, kit_any(k), 0, 0, out, NULL)); break;
    case 10: TRY(kit_op(k, "TANH", 1, kit_any(k), 0, 0, out, NULL)); break;
    case 11: /* a view */
        TRY(kit_tensor(k, NPU_INT32, 1, 2, 0, row_shape, sizeof row_shape, &w));
        TRY(kit_op(k, "RESHAPE", 2, kit_any(k), w, 0, out, NULL));
        break;
    case 12: /* folded: what is computed of constants */
        TRY(kit_weights(k, 2, 1, WIDTH, &w));
        TRY(kit_op(k, "NEG", 1, w, 0, 0, out, NULL));
        break;
    default:
        TRY(kit_op(k, "IF", 2, k->others[1], kit_any(k), 0, out, &op));
        TRY(npu_graph_option_int(k->g, k->sub, op, "then_subgraph_index", 1, k->d));
        TRY(npu_graph_option_int(k->g, k->sub, op, "else_subgraph_index", 2, k->d));
        break;
    }
    if (s == NPU_OK) k->made[k->n++] = out;
    return s;
}

static npu_status kit_subgraph(kit *k, int32_t sub, int n_ops, int calls, int dynamic) {
    int32_t    in[5], out[8], n_in = 0, n_out = 0, last;
    npu_status s = npu_graph_subgraph(k->g, NULL, NULL, k->d);
    k->sub = sub;
    k->n = k->n_others = 0;
    for (int i = 0; i < (sub ? 1 : 2); i++) {
        TRY(kit_row(k, &in[n_in]));
        k->made[k->n++] = in[n_in++];
    }
    if (sub == 0) { /* a shape, a condition, and nothing */
        TRY(kit_tensor(k, NPU_INT32, 1, 2, 0, NULL, 0, &in[2]));
        TRY(kit_tensor(k, NPU_BOOL, 0, 0, 0, NULL, 0, &in[3]));
        TRY(kit_tensor(k, NPU_FLOAT32, 2, 0, WIDTH, NULL, 0, &in[4]));
        for (n_in = 2; n_in < 5; n_in++) k->others[k->n_others++] = in[n_in];
    }
    for (int i = 0; i < n_ops; i++) {
        if (dynamic && i == n_ops / 2) TRY(kit_dynamic(k));
        if (sub == 0 && kit_random(8) == 0) TRY(kit_empty(k));
        TRY(kit_step(k, calls));
    }
    last = k->n - 1;
    out[n_out++] = k->made[last];
    if (sub == 0 && n_ops > 4) out[n_out++] = k->made[2 + kit_random((uint32_t)last - 2)];
    for (int32_t i = 3; sub == 0 && i < k->n_others; i++) out[n_out++] = k->others[i];
    if (n_out > 1 && out[1] == out[0]) out[1] = k->made[0];
    TRY(npu_graph_inputs(k->g, sub, in, n_in, k->d));
    TRY(npu_graph_outputs(k->g, sub, out, n_out, k->d));
    return s;
}

/* Sums of small multiples of 1 / 8192: the same in any order. */
static npu_status kit_exact(npu_model **model, npu_diag *d) {
    kit        k;
    int32_t    in[2], t[5], w = -1, b = -1;
    npu_status s;
    memset(&k, 0, sizeof k);
    k.d = d;
    *model = NULL;
    s = npu_graph_create(&k.g, NULL, d);
    TRY(npu_graph_subgraph(k.g, NULL, NULL, d));
    for (int i = 0; i < 2; i++) TRY(kit_tensor(&k, NPU_FLOAT32, 2, 16, WIDTH, NULL, 0, &in[i]));
    for (int i = 0; i < 5; i++) TRY(kit_tensor(&k, NPU_FLOAT32, 2, 16, WIDTH, NULL, 0, &t[i]));
    for (int i = 0; i < 2; i++) {
        TRY(kit_weights(&k, 2, WIDTH, WIDTH, &w));
        TRY(kit_weights(&k, 1, WIDTH, 0, &b));
        TRY(kit_op(&k, "FULLY_CONNECTED", 3, in[i], w, b, t[i], NULL));
        if (i == 0) TRY(kit_op(&k, "NEG", 1, t[0], 0, 0, t[2], NULL));
    }
    TRY(kit_op(&k, "ADD", 2, t[1], t[2], 0, t[3], NULL));
    TRY(kit_op(&k, "RELU", 1, t[3], 0, 0, t[4], NULL));
    TRY(npu_graph_inputs(k.g, 0, in, 2, d));
    TRY(npu_graph_outputs(k.g, 0, &t[4], 1, d));
    TRY(npu_graph_finish(k.g, model, d));
    npu_graph_destroy(k.g);
    return s;
}

static npu_status kit_model(npu_model **model, uint32_t seed, int n_ops, int calls, int dynamic, npu_diag *d) {
    kit        k;
    npu_status s;
    memset(&k, 0, sizeof k);
    k.d = d;
    kit_seed = seed * 2654435761u + 12345u;
    *model = NULL;
    s = npu_graph_create(&k.g, NULL, d);
    TRY(kit_subgraph(&k, 0, n_ops, calls, dynamic));
    if (calls) {
        TRY(kit_subgraph(&k, 1, 5, 0, 0));
        TRY(kit_subgraph(&k, 2, 3, 0, 0));
    }
    TRY(npu_graph_finish(k.g, model, d));
    npu_graph_destroy(k.g);
    return s;
}

static void kit_fill(npu_session *session, uint32_t seed, int condition) {
    npu_tensor t;
    kit_seed = seed;
    for (int32_t i = 0; npu_session_input(session, i, &t) == NPU_OK; i++) {
        if (t.type == NPU_FLOAT32) {
            for (size_t k = 0; k < t.bytes / sizeof(float); k++) ((float *)t.data)[k] = ((float)kit_random(401) - 200.0f) / 64.0f;
        } else if (t.type == NPU_INT32) {
            ((int32_t *)t.data)[0] = condition ? 2 : 4;
            ((int32_t *)t.data)[1] = condition ? 4 : 2;
        } else {
            *(uint8_t *)t.data = (uint8_t)condition;
        }
    }
}

/* Are the outputs of both the same, to the bit? */
static int kit_same(npu_session *a, npu_session *b) {
    npu_tensor x, y;
    for (int32_t i = 0; npu_session_output(a, i, &x) == NPU_OK; i++) {
        if (npu_session_output(b, i, &y) != NPU_OK || x.bytes != y.bytes) return 0;
        if (x.bytes && memcmp(x.data, y.data, x.bytes) != 0) return 0;
    }
    return 1;
}

#endif
