/* libFuzzer target: any bytes through open, plan, session and one invoke of every subgraph. */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_BACKEND_ALL
#include "npu_rt.h"

#ifndef FUZZ_STAGE
#define FUZZ_STAGE 2 /* 0 open and dump, 1 plan and reports, 2 run */
#endif

static int drop(void *user, const char *text, size_t n) {
    (void)user;
    (void)text;
    (void)n;
    return 0;
}

static void run(const npu_model *model, const npu_plan *plan) {
    npu_session     *s = NULL;
    npu_session_desc sd;
    int64_t          macs = 0;
    memset(&sd, 0, sizeof sd);
    sd.max_loop_runs = 100;
    if (npu_session_create(&s, plan, &sd, NULL) != NPU_OK) return;
    for (int32_t g = 0; g < npu_model_subgraph_count(model); g++) {
        for (int32_t i = 0; i < npu_session_op_count(s, g); i++) {
            npu_op_profile p;
            if (npu_session_op_profile(s, g, i, &p) == NPU_OK && p.macs > 0) macs += p.macs < 1 << 24 ? p.macs : 1 << 24;
        }
    }
    for (int32_t g = 0; macs < 1 << 22 && g < npu_model_subgraph_count(model); g++) {
        for (int32_t i = 0; i < npu_model_input_count(model, g); i++) {
            npu_tensor t;
            if (npu_session_input_of(s, g, i, &t) == NPU_OK && t.bytes) memset(t.data, g + i, t.bytes);
        }
        npu_session_invoke_subgraph(s, g, NULL);
    }
    npu_session_destroy(s);
}

/* One backend by the input's length, all its profiles; its cost; and what was compiled for it. */
static void check(const npu_model *model, size_t n, const npu_writer *w) {
    const char *backend, *profile;
    npu_diag    diag;
    int32_t     n_backends = 0;
    npu_cost_desc cost;
    while (npu_backend_name(n_backends)) n_backends++;
    backend = npu_backend_name((int32_t)(n % (size_t)n_backends));
    for (int32_t i = 0; (profile = npu_backend_profile(backend, i)) != NULL; i++) {
        npu_check(model, backend, profile, n & 1 ? NPU_FORMAT_JSON : NPU_FORMAT_TEXT, w, NULL, &diag);
    }
    memset(&cost, 0, sizeof cost);
    cost.backend = backend;
    npu_cost(model, &cost, n & 1 ? NPU_FORMAT_JSON : NPU_FORMAT_TEXT, w, NULL, &diag);
    npu_model_stream(model, n & 1 ? NPU_FORMAT_JSON : NPU_FORMAT_TEXT, w, &diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    npu_model     *model = NULL;
    npu_plan      *plan = NULL;
    npu_model_desc md;
    npu_plan_desc  pd;
    npu_writer     w;
    npu_diag       diag;
    memset(&md, 0, sizeof md);
    memset(&pd, 0, sizeof pd);
    memset(&w, 0, sizeof w);
    w.write = drop;
    /* Windows that span all of a large input are slow by right, and pooling reports no MACs: run small tensors only. */
    md.max_tensor_bytes = FUZZ_STAGE > 1 ? 1 << 14 : 1 << 20;
    pd.max_memory_bytes = 1 << 24;
    if (npu_model_open(&model, bytes, n, &md, &diag) != NPU_OK) return 0;
    if (FUZZ_STAGE == 0) npu_model_dump(model, n & 1 ? NPU_FORMAT_JSON : NPU_FORMAT_TEXT, &w, &diag);
    if (FUZZ_STAGE == 1) {
        npu_model_info(model, NULL, n & 1 ? NPU_FORMAT_JSON : NPU_FORMAT_TEXT, &w, &diag);
        check(model, n, &w);
    }
    if (FUZZ_STAGE > 0 && npu_plan_create(&plan, model, &pd, &diag) == NPU_OK && FUZZ_STAGE > 1) run(model, plan);
    npu_plan_destroy(plan);
    npu_model_close(model);
    return 0;
}
