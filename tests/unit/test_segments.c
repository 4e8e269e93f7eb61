/* Segments: what a backend takes is lowered and run by its vendor, the rest by the CPU, in one session. The vendor is
 * tests/vendors/loopback. Outputs against those of a plan without a backend, every way to fail, memory and limits. */
#include "../vendors/loopback/loopback.h"

#define NPU_RT_IMPLEMENTATION
#define NPU_RT_GRAPH
#ifndef COVERAGE_PRIVATE /* assertions have a branch that nothing takes */
#  define NPU_RT_DEBUG
#endif
#define NPU_RT_BACKEND_ETHOSU
#define NPU_RT_ONLY_OPS(X) X(ADD) X(RELU) X(FULLY_CONNECTED) X(SVDF) X(NEG) X(TANH) X(RESHAPE) X(IF)
#include "npu_rt.h"

#include "../vendors/loopback/loopback.c"
#include "segments_kit.h"
#include "segments_more.h"

static char   said[1 << 16];
static size_t n_said;
static int say(void *user, const char *text, size_t n) {
    (void)user;
    if (n_said + n >= sizeof said) return 1;
    memcpy(said + n_said, text, n);
    n_said += n;
    said[n_said] = 0;
    return 0;
}

/* What reports ask a vendor, of one that is not in this build's own list. */
TEST(reports) {
    static const npu_writer writer = {NULL, say};
    npu_check_summary       sum;
    npu_cost_summary        cost;
    npu_cost_desc           cd;
    npu_model              *model;
    npu_plan_desc           pd = on_loopback();
    npu_memory              m[2];
    npu_plan               *plan;
    npu_diag                d;
    int                     found = 0;
    memset(&loop, 0, sizeof loop);
    for (int32_t i = 0; npu_backend_name(i); i++) found += strcmp(npu_backend_name(i), "loopback") == 0;
    CHECK_INT(found, 1);
    CHECK_STR(npu_backend_profile("loopback", 0), "new");
    CHECK_STR(npu_backend_profile("loopback", 1), "old");
    CHECK_INT(kit_model(&model, busy(), 14, 0, 0, &d), NPU_OK);
    CHECK_INT(npu_check(model, "loopback", NULL, NPU_FORMAT_TEXT, &writer, &sum, &d), NPU_OK);
    CHECK_HAS(said, "loopback.not_listed");
    CHECK(sum.ops_placed > 0 && sum.partitions > 0);
    n_said = 0;
    CHECK_INT(npu_backend_ops("loopback", NULL, NPU_FORMAT_MARKDOWN, &writer, &d), NPU_OK);
    CHECK_HAS(said, "tensors must have 4 dimensions at most");
    memset(&cd, 0, sizeof cd);
    cd.backend = "loopback";
    n_said = 0;
    CHECK_INT(npu_cost(model, &cd, NPU_FORMAT_JSON, &writer, &cost, &d), NPU_OK);
    CHECK_HAS(said, "loopback");
    CHECK_INT(npu_memory_on(model, &pd, NPU_MACHINE_THIS, &m[0], &d), NPU_OK);
    CHECK_INT(npu_plan_create(&plan, model, &pd, &d), NPU_OK);
    npu_plan_memory(plan, &m[1]);
    CHECK_INT(m[0].session_bytes, m[1].session_bytes);
    CHECK_INT(m[0].plan_bytes, m[1].plan_bytes);
    npu_plan_destroy(plan);
    CHECK_INT(npu_memory_on(model, &pd, NPU_MACHINE_32BIT, &m[1], &d), NPU_OK);
    CHECK(m[1].session_bytes < m[0].session_bytes);
    npu_model_close(model);
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    run_segments();
    RUN(reports);
    return REPORT();
}
