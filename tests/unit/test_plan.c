/* What plans rarely meet, or only on some machines: pieces that are missing, sizes that wrap, what is added up beforehand. */
#define NPU_RT_IMPLEMENTATION
#ifndef COVERAGE_PRIVATE /* assertions have a branch that nothing takes */
#  define NPU_RT_DEBUG
#endif
#define NPU__POOL_FIRST_BLOCK 0 /* each piece of a plan asks the allocator, so each can be missing */
#define NPU_RT_BACKEND_ETHOSU
#define NPU_RT_ONLY_OPS(X) X(ADD) X(CONV_2D) X(PAD) X(RELU)
#include "npu_rt.h"

#if defined __GNUC__
#  pragma GCC diagnostic ignored "-Wunused-function" /* of the runtime's tests it takes the models alone */
#endif
#include "runtime_fused.h"

static npu_model *opened(const mk *m) {
    npu_model     *model = NULL;
    npu_diag       d;
    size_t         n;
    const uint8_t *bytes = mk_file(m, &n);
    if (!CHECK_INT(npu_model_open(&model, bytes, n, NULL, &d), NPU_OK)) printf("    %s: %s\n", d.rule, d.text);
    return model;
}

TEST(each_piece_of_a_plan_is_missing_once) {
    static void (*const make[])(mk *m) = {make_add, make_compiled, make_padded};
    static const life plain;
    static mk         m;
    for (size_t k = 0; k < sizeof make / sizeof make[0]; k++) {
        make[k](&m);
        expect("in pieces", &m, &plain, NPU_OK, "");
    }
}

/* Kernels that add up weights beforehand exist on some machines alone; what they may add up is the same everywhere. */
TEST(sums_of_weights_have_a_budget) {
    static mk  m;
    npu_plan   p;
    npu__env   env;
    npu__ctx   c;
    npu_model *model;
    make_add(&m);
    model = opened(&m);
    memset(&p, 0, sizeof p);
    memset(&env, 0, sizeof env);
    memset(&c, 0, sizeof c);
    p.model = model;
    env.plan = &p;
    c.env = &env;
    CHECK(npu__may_sum(&c, 100));
    CHECK_INT(p.summed, 100);
    CHECK(!npu__may_sum(&c, (size_t)NPU__SHARED_MOST(model) - 99));
    CHECK(npu__may_sum(&c, (size_t)NPU__SHARED_MOST(model) - 100));
    CHECK(!npu__may_sum(&c, 1));
    CHECK_INT(p.summed, NPU__SHARED_MOST(model));
    p.summed = 0;
    model->bytes = NULL; /* built by calls, which may lend the same memory again and again */
    CHECK(!npu__may_sum(&c, (size_t)NPU__SHARED_FREE + 1));
    CHECK(npu__may_sum(&c, (size_t)NPU__SHARED_FREE));
    CHECK(!npu__may_sum(&c, 1));
    npu_model_close(model);
}

TEST(work_memory_of_odd_sizes) {
    static mk      m;
    npu_plan      *plan = NULL;
    npu_model     *model;
    npu__env       env;
    npu__ctx      *c;
    npu__val      *second;
    npu_diag       d;
    make_add(&m);
    model = opened(&m);
    CHECK_INT(npu_plan_create(&plan, model, NULL, NULL), NPU_OK);
    memset(&env, 0, sizeof env);
    env.plan = plan;
    env.may_pack = 1;
    c = &plan->subs[0].steps[0].ctx;
    c->env = &env;
    CHECK_INT(npu__want_scratch_upto(c, 0, 0), 0);
    CHECK_INT(npu__want_scratch_upto(c, 200, 100), 1); /* at least is what counts */
    CHECK_INT(npu__want_scratch_upto(c, 100, 200), 2);
    CHECK_INT(npu__want_scratch_upto(c, 100, SIZE_MAX), 3);
    CHECK_INT(env.slots[0].bytes, 0);
    CHECK_INT(env.slots[0].most, 64);
    CHECK_INT(env.slots[1].bytes, 256);
    CHECK_INT(env.slots[1].most, 256);
    CHECK_INT(env.slots[2].bytes, 128);
    CHECK_INT(env.slots[2].most, 256);
    CHECK_INT(env.slots[3].most, 128); /* more than there may be is asked of nobody */
    CHECK_INT(env.n_slots, 4);
    CHECK(npu__can_pack(c, 1));
    CHECK(!npu__can_pack(c, 0)); /* no constant */
    second = c->in[1];
    c->in[1] = NULL;
    CHECK(!npu__can_pack(c, 1));
    c->in[1] = second;
    memset(&d, 0, sizeof d);
    env.diag = &d;
    plan->walked = NPU__SHARED_MOST(model); /* by operators before this one */
    CHECK_INT(npu__check_walk(c), NPU_OK);
    plan->walked++;
    CHECK_INT(npu__check_walk(c), NPU_LIMIT);
    CHECK_STR(d.rule, "plan.shared");
    c->env = NULL;
    npu_plan_destroy(plan);
    npu_model_close(model);
}

/* A PAD that reads a constant and is too large to be computed beforehand: it stays, and the convolution takes over no border. */
TEST(pads_of_large_constants_stay) {
    enum { SIDE = 128, STRIDE = 4, OUT = SIDE / STRIDE };
    static float         image[SIDE * SIDE];
    static const int32_t border[8] = {0, 0, 1, 1, 1, 1, 0, 0};
    static const float   weights[9] = {0, 0, 0, 0, 1, 0, 0, 0, 0}; /* the pixel in the middle */
    static mk            m;
    npu_plan_desc        pd;
    npu_model           *model;
    npu_plan            *plan = NULL;
    npu_session         *s = NULL;
    npu_diag             d;
    npu_tensor           t;
    int                  x, by, wide, w, y;
    mk_op               *o;
    for (int i = 0; i < SIDE * SIDE; i++) image[i] = (float)i;
    mk_init(&m);
    x = mk_t(&m, 0, NPU_FLOAT32, 1, SIDE, SIDE, 1);
    m.g[0].t[x].buffer = mk_buffer(&m, image, sizeof image);
    by = mk_const(&m, 0, NPU_INT32, 4, 2, border, sizeof border);
    wide = mk_t(&m, 0, NPU_FLOAT32, 1, SIDE + 2, SIDE + 2, 1);
    w = mk_t(&m, 0, NPU_FLOAT32, 1, 3, 3, 1);
    m.g[0].t[w].buffer = mk_buffer(&m, weights, sizeof weights);
    y = mk_t(&m, 0, NPU_FLOAT32, 1, OUT, OUT, 1);
    mk_out(&m, 0, y);
    mk_node(&m, 0, MK_PAD, x, by, -9, wide);
    o = mk_options(mk_node(&m, 0, MK_CONV, wide, w, -1, y), MK_O_CONV, "144144", 1, STRIDE);
    o->value[2] = STRIDE;
    o->value[4] = o->value[5] = 1;
    model = opened(&m);
    memset(&pd, 0, sizeof pd);
    for (pd.max_memory_bytes = 1 << 12; !plan && pd.max_memory_bytes < 1 << 24; pd.max_memory_bytes += 1 << 12) {
        if (npu_plan_create(&plan, model, &pd, &d) != NPU_OK) CHECK_INT(d.status, NPU_LIMIT); /* up to the least that there must be */
    }
    if (!CHECK(plan != NULL)) return;
    CHECK_INT(plan->subs[0].steps[0].kind, NPU__STEP_RUN);
    CHECK_INT(npu_session_create(&s, plan, NULL, &d), NPU_OK);
    CHECK_INT(npu_session_invoke(s, &d), NPU_OK);
    CHECK_INT(npu_session_output(s, 0, &t), NPU_OK);
    CHECK_INT(t.bytes, OUT * OUT * sizeof(float));
    for (int i = 0; i < OUT * OUT; i++) CHECK_INT(((const float *)t.data)[i], i / OUT * STRIDE * SIDE + i % OUT * STRIDE);
    npu_session_destroy(s);
    npu_plan_destroy(plan);
    npu_model_close(model);
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    RUN(each_piece_of_a_plan_is_missing_once);
    RUN(sums_of_weights_have_a_budget);
    RUN(work_memory_of_odd_sizes);
    RUN(pads_of_large_constants_stay);
    return REPORT();
}
