/* npu_check, npu_backend_ops and the names that go with them: what an NPU would take of a model. */
#include "../vendor/select.h"
#include "../legal/report.h"
#include "../plan/view.h"
#include "check.h"

#if NPU__HAS_REPORTS

NPU_API const char *npu_backend_name(int32_t i) {
    const npu__target *t = npu__backend_at(i);
    return t ? t->name : NULL;
}

NPU_API const char *npu_backend_profile(const char *backend, int32_t i) {
    const npu__profile *p = i >= 0 ? npu__backend_profile_at(backend, i) : NULL;
    return p ? p->name : NULL;
}

NPU_API const char *npu_backend_relaxed(const char *backend, const char *profile) {
    const npu__profile *p;
    npu__backend        b;
    if (npu__backend_find(&b, backend, profile, NULL) != NPU_OK) return NULL;
    p = npu__backend_relaxed(&b);
    return p ? p->name : NULL;
}

NPU__FN int npu__check_writer_ok(const npu_writer *writer, npu_format format, npu_format last) {
    return (!writer || writer->write) && (unsigned)format <= (unsigned)last;
}

NPU__FN npu_status npu__check_planned(const npu_plan *plan, const npu__backend *b, int only_refused, npu_format format,
                                      const npu_writer *writer, npu_check_summary *summary, npu_diag *diag) {
    npu__pool        pool;
    npu__plan_view   view;
    npu__nodes       nodes;
    npu__placement   p;
    npu_status       s;
    npu__pool_init_within(&pool, &plan->pool);
    if (npu__view_for(&nodes, &view, plan, b->profile, &pool)) s = npu__placement_make(&p, &pool, b, &nodes, diag);
    else s = npu__diag_fail(diag, NPU_OUT_OF_MEMORY, "place.memory", "no memory for the placement");
    if (s == NPU_OK && summary) *summary = p.summary;
    if (s == NPU_OK && writer) s = npu__report_placement(&p, &nodes, &pool, only_refused, format, writer, diag);
    npu__pool_free(&pool);
    return s;
}

NPU_API npu_status npu_check_with(const npu_model *model, const npu_check_desc *desc, npu_format format,
                                  const npu_writer *writer, npu_check_summary *summary, npu_diag *diag) {
    npu__backend  b;
    npu_plan     *plan;
    npu_plan_desc pd;
    npu_status    s;
    npu__diag_clear(diag);
    if (summary) memset(summary, 0, sizeof *summary);
    if (!model || !desc || !npu__check_writer_ok(writer, format, NPU_FORMAT_JSON)) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.report", "npu_check: needs a model and the format "
                              "TEXT or JSON; a writer, where there is one, needs its function");
    }
    s = npu__backend_find(&b, desc->backend, desc->profile, diag);
    if (s != NPU_OK) return s;
    memset(&pd, 0, sizeof pd);
    pd.allocator = model->desc.allocator;
    s = npu__analyze(&plan, model, &pd, diag);
    if (s != NPU_OK) return s;
    s = npu__check_planned(plan, &b, desc->only_refused, format, writer, summary, diag);
    npu_plan_destroy(plan);
    return s;
}

NPU_API npu_status npu_check(const npu_model *model, const char *backend, const char *profile, npu_format format,
                             const npu_writer *writer, npu_check_summary *summary, npu_diag *diag) {
    npu_check_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.backend = backend;
    desc.profile = profile;
    return npu_check_with(model, &desc, format, writer, summary, diag);
}

NPU_API npu_status npu_backend_ops(const char *backend, const char *profile, npu_format format,
                                   const npu_writer *writer, npu_diag *diag) {
    npu__backend b;
    npu_status   s;
    npu__diag_clear(diag);
    if (!writer || !npu__check_writer_ok(writer, format, NPU_FORMAT_MARKDOWN)) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.report", "npu_backend_ops: needs a writer and the "
                              "format TEXT, JSON or MARKDOWN");
    }
    s = npu__backend_find(&b, backend, profile, diag);
    return s == NPU_OK ? npu__report_ops(&b, format, writer, diag) : s;
}

#endif
