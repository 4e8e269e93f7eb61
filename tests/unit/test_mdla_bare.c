/* MDLA alone and without reports: what it takes by its rules runs in FP16 all the same. */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_BACKEND_MDLA
#define NPU_RT_NO_REPORTS
#define NPU_RT_GRAPH
#include "npu_rt.h"

#include "test.h"

enum { WIDE = 16 };

static int32_t add_tensor(npu_graph *g, npu_diag *d) {
    npu_tensor_desc t;
    int32_t         index = -1;
    memset(&t, 0, sizeof t);
    t.type = NPU_FLOAT32;
    t.rank = 1;
    t.dims[0] = WIDE;
    CHECK_INT(npu_graph_tensor(g, 0, &t, &index, d), NPU_OK);
    return index;
}

/* ABS, then FLOOR, which is nobody's. */
static npu_model *network(void) {
    npu_graph  *g;
    npu_model  *m = NULL;
    npu_op_desc o;
    npu_diag    d;
    int32_t     t[3], index;
    CHECK_INT(npu_graph_create(&g, NULL, &d), NPU_OK);
    CHECK_INT(npu_graph_subgraph(g, "main", &index, &d), NPU_OK);
    for (int i = 0; i < 3; i++) t[i] = add_tensor(g, &d);
    for (int i = 0; i < 2; i++) {
        memset(&o, 0, sizeof o);
        o.name = i ? "FLOOR" : "ABS";
        o.inputs = &t[i];
        o.outputs = &t[i + 1];
        o.n_inputs = o.n_outputs = 1;
        CHECK_INT(npu_graph_op(g, 0, &o, &index, &d), NPU_OK);
    }
    CHECK_INT(npu_graph_inputs(g, 0, t, 1, &d), NPU_OK);
    CHECK_INT(npu_graph_outputs(g, 0, t + 1, 2, &d), NPU_OK);
    CHECK_INT(npu_graph_finish(g, &m, &d), NPU_OK);
    npu_graph_destroy(g);
    return m;
}

/* 2.0004 is 2 in FP16, where it is taken: so is what FLOOR makes of 1.9999. */
static void half(const char *profile, float of_first, float of_second) {
    npu_model    *m = network();
    npu_plan_desc desc;
    npu_plan     *p;
    npu_session  *s;
    npu_tensor    t;
    npu_diag      d;
    memset(&desc, 0, sizeof desc);
    desc.backend = "mdla2.0";
    desc.profile = profile;
    CHECK_INT(npu_plan_create(&p, m, &desc, &d), NPU_OK);
    CHECK_INT(npu_session_create(&s, p, NULL, &d), NPU_OK);
    CHECK_INT(npu_session_input(s, 0, &t), NPU_OK);
    for (int i = 0; i < WIDE; i++) ((float *)t.data)[i] = i ? -1.9999f : -2.0004f;
    CHECK_INT(npu_session_invoke(s, &d), NPU_OK);
    CHECK_INT(npu_session_output(s, 0, &t), NPU_OK);
    CHECK(fabsf(((const float *)t.data)[0] - of_first) < 1e-7f);
    CHECK_INT(npu_session_output(s, 1, &t), NPU_OK);
    CHECK(fabsf(((const float *)t.data)[1] - of_second) < 1e-7f);
    npu_session_destroy(s);
    npu_plan_destroy(p);
    npu_model_close(m);
}

TEST(relaxed) { half("guide-relax-fp32", 2.0f, 2.0f); }
TEST(strict) { half("guide", 2.0004f, 1.0f); }

int main(void) {
    RUN(relaxed);
    RUN(strict);
    REPORT();
}
