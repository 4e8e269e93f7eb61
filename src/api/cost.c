/* npu_cost: what an NPU would need for a model, estimated. */
#include "../legal/report_cost.h"
#include "../plan/plan.h"
#include "../plan/view.h"
#include "check.h"

#if NPU__HAS_REPORTS

/* The first vendor that estimates; NULL: this build has none. */
NPU__FN const npu__vendor *npu__cost_vendor(void) {
    const npu__vendor *v;
    for (int32_t i = 0; (v = npu__vendor_at(i)) != NULL && !v->cost;) i++;
    return v;
}

NPU_API const char *npu_backend_memory_mode(const char *backend, int32_t i) {
    npu__backend   b;
    /* Only whether there are figures is asked here: `any` is thrown away. */
    npu__cost_plan any;
    if (i < 0 || npu__backend_find(&b, backend, NULL, NULL) != NPU_OK) return NULL;
    return b.vendor->cost_of && b.vendor->cost_of(&any, b.target, NULL) ? b.vendor->memory_mode(i) : NULL;
}

NPU_API double npu_backend_clock_hz(const char *backend) {
    npu__backend   b;
    npu__cost_plan plan;
    if (npu__backend_find(&b, backend, NULL, NULL) != NPU_OK) return 0;
    return b.vendor->cost_of && b.vendor->cost_of(&plan, b.target, NULL) ? plan.clock_hz : 0;
}

NPU_API const char *npu_cost_memory_mode(int32_t i) {
    const npu__vendor *v = npu__cost_vendor();
    return v ? v->memory_mode(i) : NULL;
}

NPU__FN npu_status npu__cost_system_of(npu__cost_plan *out, const npu__backend *b, const npu__vendor *any,
                                       const npu_cost_desc *desc, npu_diag *diag) {
    const npu__vendor *v = b->vendor;
    char               list[160] = "";
    size_t             n = 0;
    if (!v->cost_of || !v->cost_of(out, b->target, NULL)) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "cost.accelerator", "there are no figures for %s: choose one "
                              "accelerator, for example %s", b->target->name, v->cost_of ? v->example : any->example);
    }
    /* Asked again with the mode's name, which fills `out` with that mode's speeds. */
    if (desc->memory_mode && !v->cost_of(out, b->target, desc->memory_mode)) {
        for (int32_t i = 0; v->memory_mode(i) && n < sizeof list; i++) {
            n += npu__format(list + n, sizeof list - n, "%s%s", i ? ", " : "", v->memory_mode(i));
        }
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "cost.memory_mode", "no memory mode %s; there are: %s",
                              desc->memory_mode, list);
    }
    if (desc->clock_hz > 0) out->clock_hz = desc->clock_hz;
    return NPU_OK;
}

NPU__FN void npu__cost_summarize(npu_cost_summary *out, const npu__cost_plan *plan, const npu__placement *p,
                                 const npu__nodes *nodes) {
    out->ops = p->summary.ops;
    out->ops_placed = p->summary.ops_placed;
    out->macs = plan->total.macs;
    out->macs_placed = npu__cost_macs_placed(plan, nodes);
    out->cycles = plan->total.cycles;
    /* The clock is positive: cost_of set it, or the caller's own above 0. */
    out->seconds = (double)plan->total.cycles / plan->clock_hz;
    out->utilisation = npu__cost_utilisation(plan, out->macs_placed, plan->total.cycles);
    out->sram_bytes = npu__cost_fast_bytes(plan);
    out->store_bytes = npu__cost_slow_bytes(plan);
}

/* Verdicts look at the nodes as the profile asks; the estimate at inferred shapes and folded constants. */
NPU__FN npu_status npu__cost_planned(const npu_plan *plan, const npu__backend *b, npu__cost_plan *cost,
                                     npu_format format, const npu_writer *writer, npu_cost_summary *summary,
                                     npu_diag *diag) {
    npu__pool        pool;
    npu__plan_view   view;
    npu__nodes       nodes;
    npu__placement   p;
    npu_status       s = NPU_OK;
    npu__pool_init_within(&pool, &plan->pool);
    if (!npu__view_for(&nodes, &view, plan, b->profile, &pool)) {
        s = npu__diag_fail(diag, NPU_OUT_OF_MEMORY, "cost.memory", "no memory for the estimate");
    }
    if (s == NPU_OK) s = npu__placement_make(&p, &pool, b, &nodes, diag);
    /* From here on as they run: a compiler lowers what it has inferred, whatever its checks looked at. */
    npu__view_planned(&nodes, &view, plan);
    if (s == NPU_OK) s = b->vendor->cost(cost, &pool, &p, &nodes, diag);
    if (s == NPU_OK && summary) npu__cost_summarize(summary, cost, &p, &nodes);
    if (s == NPU_OK && writer) s = npu__report_cost(cost, &p, &nodes, format, writer, diag);
    npu__pool_free(&pool);
    return s;
}

NPU_API npu_status npu_cost(const npu_model *model, const npu_cost_desc *desc, npu_format format,
                            const npu_writer *writer, npu_cost_summary *summary, npu_diag *diag) {
    const npu__vendor *v;
    npu__backend       b;
    npu__cost_plan     cost;
    npu_plan          *plan;
    npu_plan_desc      pd;
    npu_status         s;
    npu__diag_clear(diag);
    if (summary) memset(summary, 0, sizeof *summary);
    if (!model || !desc || !npu__check_writer_ok(writer, format, NPU_FORMAT_JSON)) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.report", "npu_cost: needs a model, a descriptor and the "
                              "format TEXT or JSON; a writer, where there is one, needs its function");
    }
    v = npu__cost_vendor();
    if (!v) {
        return npu__diag_fail(diag, NPU_UNSUPPORTED, "cost.backend", "this build knows no NPU: define NPU_RT_BACKEND_ALL");
    }
    s = npu__backend_find(&b, desc->backend, desc->profile, diag);
    memset(&cost, 0, sizeof cost);
    if (s == NPU_OK) s = npu__cost_system_of(&cost, &b, v, desc, diag);
    if (s != NPU_OK) return s;
    memset(&pd, 0, sizeof pd);
    /* Operators without a kernel here may run on the NPU all the same: analysed, not planned. */
    pd.allocator = model->desc.allocator;
    s = npu__analyze(&plan, model, &pd, diag);
    if (s != NPU_OK) return s;
    s = npu__cost_planned(plan, &b, &cost, format, writer, summary, diag);
    npu_plan_destroy(plan);
    return s;
}

#endif
