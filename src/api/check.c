/* npu_check, npu_backend_ops and npu_backend_name: what an NPU would take of a model. */
#include "../backend/select.h"
#include "../legal/report.h"
#include "../plan/plan.h"

#if NPU__HAS_REPORTS

NPU_API const char *npu_backend_name(int32_t i) {
    const npu__backend *b = npu__backend_at(i);
    return b ? b->name : NULL;
}

NPU__FN int npu__check_writer_ok(const npu_writer *writer, npu_format format, npu_format last) {
    return (!writer || writer->write) && (int)format >= 0 && (int)format <= (int)last;
}

NPU__FN const npu__ctx *npu__check_node(const void *user, int32_t subgraph, int32_t node) {
    return &((const npu_plan *)user)->subs[subgraph].steps[node].ctx;
}

/* As npu_model_info counts them: what is folded or cannot run costs nothing. */
NPU__FN int64_t npu__check_macs(const void *user, int32_t subgraph, int32_t node) {
    const npu__step  *step = &((const npu_plan *)user)->subs[subgraph].steps[node];
    const npu__opdef *def = step->ctx.node->def;
    return step->status == NPU_OK && step->kind == NPU__STEP_RUN && def && def->macs ? def->macs(&step->ctx) : 0;
}

NPU__FN npu_status npu__check_planned(const npu_plan *plan, const npu__backend *b, npu_format format,
                                      const npu_writer *writer, npu_check_summary *summary, npu_diag *diag) {
    npu__pool      pool;
    npu__nodes     nodes;
    npu__placement p;
    npu_status     s;
    nodes.model = plan->model;
    nodes.user = plan;
    nodes.at = npu__check_node;
    nodes.macs = npu__check_macs;
    npu__pool_init(&pool, &plan->pool.allocator);
    s = npu__placement_make(&p, &pool, b, &nodes, diag);
    if (s == NPU_OK && summary) *summary = p.summary;
    if (s == NPU_OK && writer) s = npu__report_placement(&p, &nodes, format, writer, diag);
    npu__pool_free(&pool);
    return s;
}

NPU_API npu_status npu_check(const npu_model *model, const char *backend, npu_format format, const npu_writer *writer,
                             npu_check_summary *summary, npu_diag *diag) {
    const npu__backend *b;
    npu_plan           *plan;
    npu_plan_desc       desc;
    npu_status          s;
    npu__diag_clear(diag);
    if (summary) memset(summary, 0, sizeof *summary);
    if (!model || !npu__check_writer_ok(writer, format, NPU_FORMAT_JSON)) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.report", "npu_check: needs a model and the format "
                              "TEXT or JSON; a writer, where there is one, needs its function");
    }
    b = npu__backend_find(backend, diag);
    if (!b) return NPU_INVALID_ARGUMENT;
    memset(&desc, 0, sizeof desc);
    desc.allocator = model->desc.allocator;
    s = npu__analyze(&plan, model, &desc, diag);
    if (s != NPU_OK) return s;
    s = npu__check_planned(plan, b, format, writer, summary, diag);
    npu_plan_destroy(plan);
    return s;
}

NPU_API npu_status npu_backend_ops(const char *backend, npu_format format, const npu_writer *writer, npu_diag *diag) {
    const npu__backend *b;
    npu__diag_clear(diag);
    if (!writer || !npu__check_writer_ok(writer, format, NPU_FORMAT_MARKDOWN)) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.report", "npu_backend_ops: needs a writer and the "
                              "format TEXT, JSON or MARKDOWN");
    }
    b = npu__backend_find(backend, diag);
    return b ? npu__report_ops(b, format, writer, diag) : NPU_INVALID_ARGUMENT;
}

#endif
