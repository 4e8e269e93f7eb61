/* npu_compare: one model on every NPU. */
#include "../legal/compare.h"
#include "../legal/report_cost.h"
#include "../plan/plan.h"
#include "../plan/view.h"
#include "../vendor/planner.h"
#include "check.h"

#if NPU__HAS_REPORTS

NPU_API const char *npu_compare_backend(int32_t i) {
    const npu__target *t = NULL;
    for (int32_t k = 0; i >= 0 && (t = npu__backend_at(k)) != NULL; k++) if (t->usual && i-- == 0) break;
    return t ? t->name : NULL;
}

NPU__FN npu_status npu__compare_cost(npu_fit *f, const npu__compared *c, const npu__nodes *nodes, npu__pool *pool, npu_diag *diag) {
    const npu__backend *b = &c->placement.backend;
    npu__cost_plan      cost;
    npu_status          s;
    memset(&cost, 0, sizeof cost);
    if (!b->vendor->cost || !b->vendor->cost_of(&cost, b->target, NULL)) return NPU_OK;
    s = b->vendor->cost(&cost, pool, &c->placement, nodes, diag);
    if (s == NPU_OK && cost.total.cycles > 0) {
        npu__cost_summarize(&f->cost, &cost, &c->placement, nodes);
        f->estimated = 1;
        f->clock_hz = cost.clock_hz;
        f->memory_mode = cost.memory_mode;
        f->store = cost.store_name;
        f->accuracy = cost.accuracy;
        f->sram_limit = cost.sram_limit;
    }
    return s;
}

NPU__FN npu_status npu__compare_bound(npu_fit *f, const npu__compared *c, const npu__nodes *nodes, double clock_hz, npu__pool *pool,
                                      npu_diag *diag) {
    const npu__planner  *planner = npu__planner_of(c->placement.backend.vendor);
    npu_plan_report_desc desc;
    if (!planner || f->check.ops_placed == 0) return NPU_OK;
    memset(&desc, 0, sizeof desc);
    desc.backend = f->backend;
    desc.profile = f->profile;
    desc.clock_hz = clock_hz;
    NPU__TRY(planner->plan(&desc, &c->placement, nodes, pool, NPU_FORMAT_TEXT, NULL, &f->bound, diag));
    f->bounded = 1;
    f->clock_hz = clock_hz;
    return NPU_OK;
}

/* What else can be said beside a placement, which is in memory of the report's own. */
NPU__FN npu_status npu__compare_figures(npu_fit *f, const npu__compared *c, const npu_compare_desc *desc, const npu_plan *plan,
                                        npu_diag *diag) {
    npu__plan_view view;
    npu__nodes     nodes;
    npu__pool      pool;
    npu_status     s;
    npu__pool_init_within(&pool, &plan->pool);
    npu__view_planned(&nodes, &view, plan);
    s = npu__compare_cost(f, c, &nodes, &pool, diag);
    if (s == NPU_OK) s = npu__compare_bound(f, c, &nodes, desc ? desc->clock_hz : 0, &pool, diag);
    npu__pool_free(&pool);
    return s;
}

/* Would more be taken if FP32 might run as FP16? */
NPU__FN npu_status npu__compare_relaxed(npu_fit *f, const npu__compared *c, const npu_plan *plan, npu_diag *diag) {
    npu__backend   b = c->placement.backend;
    npu__placement p;
    npu__pool      pool;
    npu_status     s;
    b.profile = npu__backend_relaxed(&b);
    if (!b.profile || b.profile == c->placement.backend.profile || f->check.ops_placed + f->check.ops_dropped >= f->check.ops) {
        return NPU_OK;
    }
    npu__pool_init_within(&pool, &plan->pool);
    s = npu__placement_make(&p, &pool, &b, &c->nodes, diag);
    if (s == NPU_OK && p.summary.ops_placed > f->check.ops_placed) {
        f->relaxed_profile = b.profile->name;
        f->relaxed = p.summary;
    }
    npu__pool_free(&pool);
    return s;
}

NPU__FN void npu__compare_reasons(npu_fit *f, const npu__reasons why[2]) {
    f->n_reasons = why[0].n;
    f->n_warnings = why[1].n;
    for (int32_t i = 0; i < NPU__MIN(why[0].n, NPU_FIT_REASONS); i++) {
        const npu__reason *row = &why[0].rows[i];
        f->reasons[i].rule = row->rule->id;
        f->reasons[i].text = row->rule->text;
        f->reasons[i].limit = row->rule->limit;
        f->reasons[i].hint = row->rule->hint;
        f->reasons[i].ops = row->count;
    }
}

NPU__FN npu_status npu__compare_one(npu__compared *c, npu__plan_view *view, const char *backend, const npu_compare_desc *desc,
                                    const npu_plan *plan, npu__pool *pool, npu_diag *diag) {
    npu__backend b;
    npu_fit     *f = &c->fit;
    NPU__TRY(npu__backend_find(&b, backend, NULL, diag));
    if (desc && desc->relax_fp32 && npu__backend_relaxed(&b)) b.profile = npu__backend_relaxed(&b);
    if (!npu__view_for(&c->nodes, view, plan, b.profile, pool)) {
        return npu__diag_fail(diag, NPU_OUT_OF_MEMORY, "place.memory", "no memory for the placement");
    }
    NPU__TRY(npu__placement_make(&c->placement, pool, &b, &c->nodes, diag));
    c->scene = c->placement.scene;
    for (int warn = 0; warn < 2; warn++) NPU__TRY(npu__reasons_make(&c->why[warn], warn, pool, &c->placement, &c->nodes, diag));
    f->backend = b.target->name;
    f->profile = b.profile->name;
    f->check = c->placement.summary;
    npu__compare_reasons(f, c->why);
    NPU__TRY(npu__compare_relaxed(f, c, plan, diag));
    if (!desc || !desc->verdicts_only) NPU__TRY(npu__compare_figures(f, c, desc, plan, diag));
    if (desc && desc->sram_bytes > 0) f->sram_limit = desc->sram_bytes;
    f->fits = !f->estimated || f->sram_limit <= 0 ? -1 : f->cost.sram_bytes <= f->sram_limit;
    return NPU_OK;
}

NPU__FN npu_status npu__compare_planned(const npu_plan *plan, const npu_compare_desc *desc, int32_t n, npu_fit *fits, int32_t cap,
                                        npu_format format, const npu_writer *writer, npu_diag *diag) {
    npu__pool       pool;
    npu__compared  *list;
    npu__plan_view *views;
    npu_status      s = NPU_OK;
    npu__pool_init_within(&pool, &plan->pool);
    list = (npu__compared *)npu__pool_alloc(&pool, (size_t)n, sizeof *list);
    views = (npu__plan_view *)npu__pool_alloc(&pool, (size_t)n, sizeof *views);
    if (!list || !views) s = npu__diag_fail(diag, NPU_OUT_OF_MEMORY, "place.memory", "no memory for %d placements", n);
    for (int32_t i = 0; s == NPU_OK && i < n; i++) {
        const char *name = desc && desc->backends ? desc->backends[i] : npu_compare_backend(i);
        s = npu__compare_one(&list[i], &views[i], name, desc, plan, &pool, diag);
    }
    for (int32_t i = 0; s == NPU_OK && fits && i < NPU__MIN(n, cap); i++) fits[i] = list[i].fit;
    if (s == NPU_OK && writer) s = npu__report_compared(list, n, desc ? desc->title : NULL, format, writer, diag);
    npu__pool_free(&pool);
    return s;
}

NPU_API npu_status npu_compare(const npu_model *model, const npu_compare_desc *desc, npu_fit *fits, int32_t cap, int32_t *n,
                               npu_format format, const npu_writer *writer, npu_diag *diag) {
    npu_plan     *plan;
    npu_plan_desc pd;
    npu_status    s;
    int32_t       count = 0;
    npu__diag_clear(diag);
    if (n) *n = 0;
    if (!model || !npu__check_writer_ok(writer, format, NPU_FORMAT_HTML) || format == NPU_FORMAT_DOT ||
        (desc && desc->backends && desc->n_backends < 1)) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.report", "npu_compare: needs a model and the format TEXT, JSON, MARKDOWN "
                              "or HTML; a list of backends, where there is one, needs one; a writer its function");
    }
    if (desc && desc->backends) count = desc->n_backends;
    else while (npu_compare_backend(count)) count++;
    if (count == 0) {
        return npu__diag_fail(diag, NPU_UNSUPPORTED, "compare.backend", "this build knows no NPU: define NPU_RT_BACKEND_ALL");
    }
    memset(&pd, 0, sizeof pd);
    pd.allocator = model->desc.allocator;
    s = npu__analyze(&plan, model, &pd, diag);
    if (s != NPU_OK) return s;
    s = npu__compare_planned(plan, desc, count, fits, cap, format, writer, diag);
    npu_plan_destroy(plan);
    if (s == NPU_OK && n) *n = count;
    return s;
}

#endif
