/* Which operators a compiled network holds: those that its placed ones still need. */
#ifndef TESTS_UNIT_RUNTIME_PLACEMENT_H
#define TESTS_UNIT_RUNTIME_PLACEMENT_H

#include "runtime_kit.h"

/* RESHAPE of x [1,4] to [2,2]; its shape is that of z [1,2] when it runs, which does not fit. `seen`: the shape is an
 * output, too. */
static void make_computed_shape(mk *m, int seen) {
    int x, z, s, y;
    mk_init(m);
    x = mk_t(m, 0, NPU_INT8, 1, 4, -1, -1);
    z = mk_t(m, 0, NPU_INT8, 1, 2, -1, -1);
    s = mk_t(m, 0, NPU_INT32, 2, -1, -1, -1);
    y = mk_t(m, 0, NPU_INT8, 2, 2, -1, -1);
    mk_quant(m, 0, x, 0.5f, 0);
    mk_quant(m, 0, z, 0.5f, 0);
    mk_quant(m, 0, y, 0.5f, 0);
    mk_in(m, 0, x);
    mk_in(m, 0, z);
    mk_out(m, 0, y);
    if (seen) mk_out(m, 0, s);
    mk_node(m, 0, MK_SHAPE, z, -9, -9, s);
    mk_node(m, 0, MK_RESHAPE, x, s, -9, y);
}

static void check_placed(mk *m, const char *profile, int ops, int placed, int dropped, int partitions, int switches) {
    npu_check_summary sum;
    npu_diag          d;
    npu_model        *model = NULL;
    size_t            n;
    const uint8_t    *bytes = mk_file(m, &n);
    memset(&sum, 0, sizeof sum);
    CHECK_INT(npu_model_open(&model, bytes, n, NULL, &d), NPU_OK);
    if (!model) return;
    CHECK_INT(npu_check(model, "ethos-u55-128", profile, NPU_FORMAT_JSON, NULL, &sum, &d), NPU_OK);
    CHECK_INT(sum.ops, ops);
    CHECK_INT(sum.ops_placed, placed);
    CHECK_INT(sum.ops_dropped, dropped);
    CHECK_INT(sum.partitions, partitions);
    CHECK_INT(sum.switches, switches);
    npu_model_close(model);
}

TEST(placement_drops_what_nobody_needs) {
    static mk m;
    int       y;
    make_computed_shape(&m, 0); /* verdicts are given although the network cannot run with these sizes */
    check_placed(&m, NULL, 2, 1, 1, 1, 0);
    make_computed_shape(&m, 1);
    check_placed(&m, NULL, 2, 1, 0, 1, 1);
    make_computed_shape(&m, 0);
    y = mk_t(&m, 0, NPU_INT8, 1, 4, -1, -1);
    mk_quant(&m, 0, y, 0.5f, 0);
    mk_node(&m, 0, MK_RELU, 0, -9, -9, y); /* its result is no output: it would be placed otherwise */
    check_placed(&m, NULL, 3, 1, 2, 1, 0);
    check_placed(&m, "vela-3.2", 3, 1, 0, 1, 1); /* this profile leaves everything where it is */
}

/* SLICE from a place that SHAPE computes, beyond the input's end: judged nevertheless. */
TEST(placement_with_computed_bounds) {
    static mk m;
    int       x, s, y;
    mk_init(&m);
    x = mk_t(&m, 0, NPU_INT8, 1, 4, -1, -1);
    s = mk_t(&m, 0, NPU_INT32, 2, -1, -1, -1);
    y = mk_t(&m, 0, NPU_INT8, 1, 4, -1, -1);
    mk_quant(&m, 0, x, 0.5f, 0);
    mk_quant(&m, 0, y, 0.5f, 0);
    mk_in(&m, 0, x);
    mk_out(&m, 0, y);
    mk_node(&m, 0, MK_SHAPE, x, -9, -9, s);
    mk_node(&m, 0, MK_SLICE, x, s, s, y);
    check_placed(&m, NULL, 2, 0, 0, 0, 0);
}

/* A tensor without a shape gets that of the NEG that writes it, also for those who read it. */
TEST(placement_completes_shapes) {
    static mk m;
    int       x, t, y, z;
    mk_init(&m);
    x = mk_t(&m, 0, NPU_INT8, 1, 4, -1, -1);
    t = mk_t(&m, 0, NPU_INT8, -1, -1, -1, -1);
    y = mk_t(&m, 0, NPU_INT8, 1, 4, -1, -1);
    z = mk_t(&m, 0, NPU_INT8, 1, 4, -1, -1);
    for (int i = 0; i < 4; i++) mk_quant(&m, 0, i, 0.5f, 0);
    mk_in(&m, 0, x);
    mk_out(&m, 0, z);
    mk_node(&m, 0, MK_NEG, x, -9, -9, t);
    mk_node(&m, 0, MK_SUB, x, t, -9, y);
    mk_node(&m, 0, MK_RELU, y, -9, -9, z);
    check_placed(&m, NULL, 3, 3, 0, 1, 0);
    m.g[0].op[0].code = MK_RELU; /* this one does not say */
    check_placed(&m, NULL, 3, 1, 0, 1, 1);
}

#endif
