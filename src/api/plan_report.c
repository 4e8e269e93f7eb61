/* npu_model_plan_report: how a vendor's compiler would execute a model. */
#include "../plan/view.h"
#include "../vendor/planner.h"
#include "check.h"

#if NPU__HAS_REPORTS

/* Verdicts look at the nodes as the profile asks; the plan at inferred shapes and folded constants. */
NPU__FN npu_status npu__plan_report_of(const npu_plan *plan, const npu__backend *b, const npu__planner *planner,
                                       const npu_plan_report_desc *desc, npu_format format, const npu_writer *writer,
                                       npu_plan_report_summary *summary, npu_diag *diag) {
    npu__pool      pool;
    npu__plan_view view;
    npu__nodes     nodes;
    npu__placement p;
    npu_status     s = NPU_OK;
    npu__pool_init_within(&pool, &plan->pool);
    if (!npu__view_for(&nodes, &view, plan, b->profile, &pool)) {
        s = npu__diag_fail(diag, NPU_OUT_OF_MEMORY, "plan.memory", "no memory for the plan");
    }
    if (s == NPU_OK) s = npu__placement_make(&p, &pool, b, &nodes, diag);
    npu__view_planned(&nodes, &view, plan);
    if (s == NPU_OK) s = planner->plan(desc, &p, &nodes, &pool, format, writer, summary, diag);
    npu__pool_free(&pool);
    return s;
}

NPU_API int npu_backend_plans(const char *backend) {
    npu__backend b;
    return npu__backend_find(&b, backend, NULL, NULL) == NPU_OK && npu__planner_of(b.vendor) != NULL;
}

NPU_API npu_status npu_model_plan_report(const npu_model *model, const npu_plan_report_desc *desc, npu_format format,
                                         const npu_writer *writer, npu_plan_report_summary *summary, npu_diag *diag) {
    const npu__planner *planner;
    npu__backend        b;
    npu_plan           *plan;
    npu_plan_desc       pd;
    npu_status          s;
    npu__diag_clear(diag);
    if (summary) memset(summary, 0, sizeof *summary);
    if (!model || !desc || !npu__check_writer_ok(writer, format, NPU_FORMAT_JSON)) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.report", "npu_model_plan_report: needs a model, a descriptor and the "
                              "format TEXT or JSON; a writer, where there is one, needs its function");
    }
    s = npu__backend_find(&b, desc->backend, desc->profile, diag);
    if (s != NPU_OK) return s;
    planner = npu__planner_of(b.vendor);
    if (!planner) {
        return npu__diag_fail(diag, NPU_UNSUPPORTED, "plan.backend", "npu_rt has no planner for %s: npu_check says what it takes",
                              b.target->name);
    }
    memset(&pd, 0, sizeof pd);
    pd.allocator = model->desc.allocator;
    s = npu__analyze(&plan, model, &pd, diag);
    if (s != NPU_OK) return s;
    s = npu__plan_report_of(plan, &b, planner, desc, format, writer, summary, diag);
    npu_plan_destroy(plan);
    return s;
}

#endif
