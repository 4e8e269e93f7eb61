/* Segments: what a backend takes is lowered and run by its vendor, the rest by the CPU, in one session. The vendor is
 * tests/vendors/loopback. Outputs against those of a plan without a backend, every way to fail, memory and limits. */
#include "../vendors/loopback/loopback.h"

#define NPU_RT_IMPLEMENTATION
#define NPU__POOL_FIRST_BLOCK 256 /* each piece of a plan asks the allocator, so each can be missing */
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
    CHECK_HAS(said, "warning loopback.add.twice: 2 inputs: two passes are made");
    CHECK_HAS(said, "loopback.add.twice: two passes are made\n      ADD x");
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

static npu_status lower_to(const npu_model *model, const char *backend, const char *profile, const char *runtime, npu_format format,
                           npu_diag *d) {
    static const npu_writer writer = {NULL, say};
    npu_lower_desc          desc;
    desc.backend = backend;
    desc.profile = profile;
    desc.runtime = runtime;
    n_said = 0;
    said[0] = 0;
    return npu_model_lower(model, &desc, format, &writer, d);
}

/* What npu_model_lower says of a vendor's programs, and when it says nothing. */
TEST(lowered) {
    static const npu_writer none = {NULL, NULL};
    npu_model              *model;
    npu_lower_desc          desc = {"loopback", NULL, NULL};
    npu_diag                d;
    memset(&loop, 0, sizeof loop);
    CHECK_INT(kit_model(&model, busy(), 14, 0, 0, &d), NPU_OK);
    CHECK_INT(lower_to(model, "loopback", NULL, NULL, NPU_FORMAT_TEXT, &d), NPU_OK);
    CHECK_HAS(said, "segment 0: ");
    CHECK_HAS(said, "  0: entry 0\n");
    CHECK_INT(lower_to(model, "loopback", "old", "1.2.255", NPU_FORMAT_JSON, &d), NPU_OK);
    CHECK_HAS(said, "\"profile\":\"old\"");
    CHECK_HAS(said, "\"entries\":[");
    CHECK_INT(lower_to(model, "loopback", NULL, NULL, NPU_FORMAT_DOT, &d), NPU_OK);
    CHECK_HAS(said, "subgraph cluster_0 {");
    CHECK_INT(lower_to(model, "loopback", NULL, NULL, NPU_FORMAT_MARKDOWN, &d), NPU_INVALID_ARGUMENT);
    CHECK_STR(d.rule, "api.report");
    CHECK_INT(npu_model_lower(model, &desc, NPU_FORMAT_TEXT, &none, &d), NPU_INVALID_ARGUMENT);
    CHECK_INT(lower_to(model, "nobody", NULL, NULL, NPU_FORMAT_TEXT, &d), NPU_INVALID_ARGUMENT);
    CHECK_STR(d.rule, "backend.name");
    CHECK_INT(lower_to(model, "loopback", NULL, "1.2", NPU_FORMAT_TEXT, &d), NPU_INVALID_ARGUMENT);
    CHECK_STR(d.rule, "lower.runtime");
    CHECK_INT(lower_to(model, "none", NULL, NULL, NPU_FORMAT_TEXT, &d), NPU_UNSUPPORTED);
    CHECK_INT(lower_to(model, "ethos-u", NULL, NULL, NPU_FORMAT_TEXT, &d), NPU_UNSUPPORTED);
    CHECK_STR(d.rule, "lower.analysis_only");
    loop.fail = LOOP_LOWER;
    loop.at_segment = loop.lowered; /* the next one */
    loop.status = NPU_UNSUPPORTED;
    CHECK_INT(lower_to(model, "loopback", NULL, NULL, NPU_FORMAT_TEXT, &d), NPU_UNSUPPORTED);
    CHECK_STR(d.rule, "loopback.fails");
    CHECK_STR(said, "");
    loop.at_segment = loop.lowered;
    loop.silent = 1;
    CHECK_INT(lower_to(model, "loopback", NULL, NULL, NPU_FORMAT_JSON, &d), NPU_UNSUPPORTED);
    CHECK_STR(d.rule, "segment.lower");
    memset(&loop, 0, sizeof loop);
    loop.endless = 1;
    CHECK_INT(lower_to(model, "loopback", NULL, NULL, NPU_FORMAT_TEXT, &d), NPU_LIMIT);
    npu_model_close(model);
    memset(&loop, 0, sizeof loop);
}

/* The n-th allocation of such a report fails, until none does. */
TEST(lowering_runs_out) {
    for (int n_ops = 1; n_ops < 40; n_ops += 3) {
        npu_model *model;
        npu_diag   d;
        npu_status s = NPU_OUT_OF_MEMORY;
        counter    c;
        long       at = 0;
        memset(&loop, 0, sizeof loop);
        CHECK_INT(kit_model(&model, 700 + (uint32_t)n_ops, n_ops, 0, 0, &d), NPU_OK);
        while (s != NPU_OK && at < 1000) {
            model->desc.allocator = counted(&c, ++at);
            s = lower_to(model, "loopback", NULL, NULL, NPU_FORMAT_TEXT, &d);
            CHECK_INT(c.live, 0);
            if (s != NPU_OK) CHECK_INT(s, NPU_OUT_OF_MEMORY);
        }
        CHECK(s == NPU_OK && at > 2);
        npu_model_close(model);
    }
}

/* Verdicts on what a file declares, and on what a vendor's compiler would see of it. */
TEST(checking_runs_out) {
    static const char *const backends[] = {"ethos-u", "ethos-u55-128", "loopback"};
    for (int n_ops = 1; n_ops < 30; n_ops++) {
        npu_model *model;
        npu_diag   d;
        CHECK_INT(kit_model(&model, 700 + (uint32_t)n_ops, n_ops, n_ops & 1, 0, &d), NPU_OK);
        for (int k = 0; k < 3; k++) {
            npu_status s = NPU_OUT_OF_MEMORY;
            counter    c;
            long       at = 0;
            while (s != NPU_OK && at < 1000) {
                npu_check_summary summary;
                npu_writer        w;
                n_said = 0;
                w.user = NULL;
                w.write = say;
                model->desc.allocator = counted(&c, ++at);
                s = npu_check(model, backends[k], NULL, at & 1 ? NPU_FORMAT_TEXT : NPU_FORMAT_JSON, &w, &summary, &d);
                CHECK_INT(c.live, 0);
                if (s != NPU_OK) CHECK_INT(s, NPU_OUT_OF_MEMORY);
            }
            CHECK(s == NPU_OK && at > 3);
        }
        npu_model_close(model);
    }
}

int main(int argc, char **argv) {
    ONLY(argc, argv);
    RUN(checking_runs_out);
    run_segments();
    RUN(reports);
    RUN(lowered);
    RUN(lowering_runs_out);
    return REPORT();
}
