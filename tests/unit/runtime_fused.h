/* What the plan does once for several operators: a PAD that a convolution takes over, those that have to stay; sums of shared weights. */
#ifndef TESTS_UNIT_RUNTIME_FUSED_H
#define TESTS_UNIT_RUNTIME_FUSED_H

#include "runtime_memory.h"

enum { PAD_PLAIN, PAD_OF_NOTHING, PAD_OF_A_VARIABLE, PAD_OF_A_CONSTANT };

/* A 3 x 3 window of ones over an image with a border of two rows and one column. */
static void make_padded_as(mk *m, int kind) {
    static const int32_t border[8] = {0, 0, 2, 2, 1, 1, 0, 0};
    static const float   sixteen_ones[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const int            rows = kind == PAD_OF_NOTHING ? 0 : 4;
    int                  x, by, wide, w, y;
    mk_op               *o;
    mk_init(m);
    x = mk_t(m, 0, NPU_FLOAT32, 1, rows, 4, 1);
    by = mk_const(m, 0, NPU_INT32, 4, 2, border, sizeof border);
    wide = mk_t(m, 0, NPU_FLOAT32, 1, rows + 4, 6, 1);
    w = mk_t(m, 0, NPU_FLOAT32, 1, 3, 3, 1);
    m->g[0].t[w].buffer = mk_buffer(m, sixteen_ones, 9 * sizeof(float));
    y = mk_t(m, 0, NPU_FLOAT32, 1, rows + 2, 4, 1);
    if (kind == PAD_OF_A_VARIABLE) m->g[0].t[x].variable = 1;
    else if (kind == PAD_OF_A_CONSTANT) m->g[0].t[x].buffer = mk_buffer(m, sixteen_ones, sizeof sixteen_ones);
    else mk_in(m, 0, x);
    mk_out(m, 0, y);
    mk_node(m, 0, MK_PAD, x, by, -9, wide);
    o = mk_options(mk_node(m, 0, MK_CONV, wide, w, -1, y), MK_O_CONV, "144144", 1, 1);
    o->value[2] = o->value[4] = o->value[5] = 1;
}
static void make_padded(mk *m) { make_padded_as(m, PAD_PLAIN); }

/* The sum of what an image of ones gives. */
static void padded_gives(int kind, double want) {
    static mk      m;
    npu_model     *model = NULL;
    npu_plan      *plan = NULL;
    npu_session   *s = NULL;
    npu_diag       d;
    npu_tensor     t;
    double         sum = 0;
    size_t         n;
    const uint8_t *bytes;
    make_padded_as(&m, kind);
    bytes = mk_file(&m, &n);
    if (!CHECK_INT(npu_model_open(&model, bytes, n, NULL, &d), NPU_OK)) printf("    %s: %s\n", d.rule, d.text);
    if (!CHECK_INT(npu_plan_create(&plan, model, NULL, &d), NPU_OK)) printf("    %s\n", d.text);
    CHECK_INT(npu_session_create(&s, plan, NULL, &d), NPU_OK);
    if (kind < PAD_OF_A_VARIABLE) {
        CHECK_INT(npu_session_input(s, 0, &t), NPU_OK);
        for (size_t i = 0; i < t.bytes / 4; i++) ((float *)t.data)[i] = 1.0f;
    }
    if (!CHECK_INT(npu_session_invoke(s, &d), NPU_OK)) printf("    %s\n", d.text);
    CHECK_INT(npu_session_output(s, 0, &t), NPU_OK);
    for (size_t i = 0; i < t.bytes / 4; i++) sum += (double)((const float *)t.data)[i];
    if (!CHECK(sum >= want && sum <= want)) printf("    %d: %g instead of %g\n", kind, sum, want);
    npu_session_destroy(s);
    npu_plan_destroy(plan);
    npu_model_close(model);
}

TEST(pads_before_convolutions) {
    padded_gives(PAD_PLAIN, 4 * 3 * 10); /* each pixel is in three rows of windows, the outer ones in two columns */
    padded_gives(PAD_OF_NOTHING, 0);
    padded_gives(PAD_OF_A_VARIABLE, 0);
    padded_gives(PAD_OF_A_CONSTANT, 4 * 3 * 10);
}

TEST(memory_of_pads_runs_out_anywhere) {
    static mk         m;
    static const life plain;
    for (int relus = 0; relus < 20; relus++) {
        for (int tensors = 0; tensors < 12; tensors += 1 + (relus != 0)) {
            const uint8_t *bytes;
            size_t         n;
            make_padded(&m);
            for (int i = 0; i < relus; i++) mk_node(&m, 0, MK_RELU, 0, -9, -9, mk_t(&m, 0, NPU_FLOAT32, 1, 4, 4, 1));
            for (int i = 0; i < tensors; i++) mk_t(&m, 0, NPU_FLOAT32, 1, -1, -1, -1);
            bytes = mk_file(&m, &n);
            CHECK_INT(live(bytes, n, &plain, NULL), NPU_OK);
            starve("padded", bytes, n, &plain, NPU_OK, "");
        }
    }
}

/* 88 layers of the same 256 KiB of weights, more than what is added up while planning: the last ones do that while they run. */
enum { SHARED_SIDE = 512, SHARED_GRAPHS = 4, SHARED_LAYERS = 22 };

static void make_shared(mk *m) {
    static int8_t w[SHARED_SIDE][SHARED_SIDE];
    unsigned      buffer;
    for (int i = 0; i < SHARED_SIDE; i++) w[i][i] = 1;
    mk_init(m);
    m->n_graphs = SHARED_GRAPHS;
    buffer = mk_buffer(m, w, sizeof w);
    for (int g = 0; g < SHARED_GRAPHS; g++) {
        int k = mk_t(m, g, NPU_INT8, SHARED_SIDE, SHARED_SIDE, -1, -1), x = mk_t(m, g, NPU_INT8, 1, SHARED_SIDE, -1, -1);
        mk_quant(m, g, k, 1, 0);
        mk_quant(m, g, x, 1, 3);
        m->g[g].t[k].buffer = buffer;
        mk_in(m, g, x);
        for (int i = 0; i < SHARED_LAYERS; i++) {
            int y = mk_t(m, g, NPU_INT8, 1, SHARED_SIDE, -1, -1);
            mk_quant(m, g, y, 1, 3);
            mk_options(mk_node(m, g, MK_FC, x, k, -1, y), MK_O_FC, "1", 0, 0);
            x = y;
        }
        mk_out(m, g, x);
    }
}

TEST(weights_that_many_layers_share) {
    static mk      m;
    static int8_t  x[SHARED_SIDE];
    const uint8_t *bytes;
    size_t         n;
    life           l;
    npu_diag       d;
    memset(&l, 0, sizeof l);
    for (int i = 0; i < SHARED_SIDE; i++) x[i] = (int8_t)(i * 37);
    l.input[0] = x;
    make_shared(&m);
    bytes = mk_file(&m, &n);
    for (l.subgraph = 0; l.subgraph < SHARED_GRAPHS; l.subgraph++) {
        if (!CHECK_INT(live(bytes, n, &l, &d), NPU_OK)) printf("    %s: %s\n", d.rule, d.text);
        CHECK(life_output_bytes == sizeof x && memcmp(life_output, x, sizeof life_output) == 0);
    }
}

#endif
