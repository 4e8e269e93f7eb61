/* Makes a plan, step by step, and its sums. */
#include "plan.h"

#if NPU__HAS_MDLA && NPU__HAS_REPORTS

NPU__FN const char *npu__mdla_device_name(int32_t device) {
    static const char *const names[] = {"none", "MDLA", "MVPU", "CPU", "runtime"};
    return device >= 0 && device < NPU__MDLA_N_DEVICES ? names[device] : "";
}

NPU__FN const char *npu__mdla_rule_name(int32_t rule) {
    switch (rule) {
#define NPU__X(name, from, text, order) case NPU__MDLA_F_##name: return #name;
        NPU__MDLA_FUSION(NPU__X)
#undef NPU__X
        case NPU__MDLA_F_PAD: return "PAD";
        case NPU__MDLA_F_QUANTIZE: return "QUANTIZE";
        default: return "none";
    }
}

NPU__FN const char *npu__mdla_known_name(int32_t known) {
    return known == NPU__MDLA_C_RATE ? "rate" : known == NPU__MDLA_C_LOWER ? "lower bound" : "unknown";
}

NPU__FN const char *npu__mdla_layout_name(int32_t layout) {
    return layout == NPU__MDLA_4C ? "4C" : layout == NPU__MDLA_16C ? "16C" : "NHWC";
}

/* ---- sums ---- */

NPU__FN void npu__mdla_sum_tensors(npu__mdla_plan *plan, const npu__mdla_graph *g) {
    npu_plan_report_summary *sum = &plan->total;
    for (int32_t i = 0; i < g->g->n_tensors; i++) {
        const npu__mdla_tensor *t = &g->tensors[i];
        const int64_t           both = npu__sat_add(t->bytes, t->laid);
        if (t->converted) sum->convert_bytes = npu__sat_add(sum->convert_bytes, npu__mdla_converted_bytes(t));
        if (t->relayout == NPU__MDLA_RELAYOUT_RUN) sum->relayout_bytes = npu__sat_add(sum->relayout_bytes, both);
        if (t->relayout == NPU__MDLA_RELAYOUT_COMPILE) {
            sum->relayout_constant_bytes = npu__sat_add(sum->relayout_constant_bytes, both);
        }
    }
}

NPU__FN void npu__mdla_sum_graph(npu__mdla_plan *plan, const npu__mdla_graph *g) {
    npu_plan_report_summary *sum = &plan->total;
    npu__mdla_sum_tensors(plan, g);
    for (int32_t i = 0; i < g->g->n_nodes; i++) {
        const npu__mdla_step *s = &g->steps[i];
        const int             placed = s->device == NPU__MDLA_ON_MDLA;
        sum->ops++;
        sum->ops_placed += placed;
        sum->ops_compiled += s->device == NPU__MDLA_ON_NOTHING;
        sum->ops_unknown += placed && s->known == NPU__MDLA_C_UNKNOWN;
        sum->macs = npu__sat_add(sum->macs, s->macs);
        if (placed) sum->macs_placed = npu__sat_add(sum->macs_placed, s->macs);
        sum->extra_bytes = npu__sat_add(sum->extra_bytes, s->dma);
        sum->dummy_bytes = npu__sat_add(sum->dummy_bytes, s->dummy);
    }
    for (int32_t k = 0; k < g->n_groups; k++) {
        const npu__mdla_group *group = &g->groups[k];
        const int64_t          all = npu__sat_add(npu__sat_add(group->read, group->weights), group->written);
        if (group->n == 0) continue;
        sum->groups += group->n > 1;
        sum->cycles = npu__sat_add(sum->cycles, group->cycles);
        sum->external_bytes = npu__sat_add(sum->external_bytes, all);
        if (group->chain < 0) sum->external_bytes_chained = npu__sat_add(sum->external_bytes_chained, all);
    }
    for (int32_t k = 0; k < g->n_chains; k++) {
        sum->external_bytes_chained = npu__sat_add(sum->external_bytes_chained, g->chains[k].with);
    }
    sum->chains += g->n_chains;
    sum->phases += g->n_phases;
    sum->switches += NPU__MAX(g->n_phases - 1, 0);
}

NPU__FN int32_t npu__mdla_count_hints(const npu__mdla_plan *plan) {
    npu__scene scene = plan->scene;
    int32_t    n = 0;
    for (int32_t s = 0; s < plan->nodes->model->n_subgraphs; s++) {
        const npu__mdla_graph *g = &plan->graphs[s];
        for (int32_t i = 0; i < g->g->n_nodes; i++) {
            if (g->steps[i].device != NPU__MDLA_ON_MDLA) continue;
            n += npu__backend_warnings(&plan->p->backend, &scene, npu__mdla_ctx(plan, g, i), NULL);
        }
    }
    return n;
}

/* ---- all of it ---- */

NPU__FN npu_status npu__mdla_plan_make(npu__mdla_plan *plan, npu_diag *diag) {
    const int32_t n = plan->nodes->model->n_subgraphs;
    int           ok;
    if (!npu__mdla_orders(plan, diag)) return NPU_INVALID_ARGUMENT;
    plan->graphs = (npu__mdla_graph *)npu__pool_alloc(plan->pool, (size_t)n, sizeof *plan->graphs);
    plan->sums = (npu__mdla_hint_sum *)npu__pool_alloc(plan->pool, (size_t)plan->p->backend.set->n_warnings, sizeof *plan->sums);
    ok = plan->graphs && plan->sums;
    for (int32_t s = 0; ok && s < n; s++) {
        npu__mdla_graph *g = &plan->graphs[s];
        ok = npu__mdla_tensors_make(plan, g, s);
        if (!ok) break;
        npu__mdla_layouts_make(plan, g);
        npu__mdla_borders_make(plan, g);
        npu__mdla_cycles_make(plan, g);
        ok = npu__mdla_groups_make(plan, g) && npu__mdla_chains_make(plan, g) && npu__mdla_phases_make(plan, g);
        if (ok) npu__mdla_sum_graph(plan, g);
    }
    if (!ok) return npu__diag_fail(diag, NPU_OUT_OF_MEMORY, "plan.memory", "no memory for the plan");
    plan->scene = plan->p->scene; /* hints look as verdicts did */
    plan->total.hints = npu__mdla_count_hints(plan);
    if (plan->desc->clock_hz > 0) plan->total.seconds = (double)plan->total.cycles / plan->desc->clock_hz;
    return NPU_OK;
}

NPU__FN npu_status npu__mdla_plan_report(const npu_plan_report_desc *desc, const npu__placement *p, const npu__nodes *nodes,
                                         npu__pool *pool, npu_format format, const npu_writer *writer,
                                         npu_plan_report_summary *summary, npu_diag *diag) {
    npu__mdla_plan plan;
    npu__text      t;
    npu_status     s;
    memset(&plan, 0, sizeof plan);
    plan.desc = desc;
    plan.p = p;
    plan.nodes = nodes;
    plan.pool = pool;
    plan.scene = p->scene;
    plan.version = npu__mdla_version(p->backend.target);
    s = npu__mdla_plan_make(&plan, diag);
    if (s != NPU_OK) return s;
    if (summary) *summary = plan.total;
    if (!writer) return NPU_OK;
    npu__text_init(&t, writer);
    if (format == NPU_FORMAT_JSON) npu__mdla_plan_json(&t, &plan);
    else npu__mdla_plan_text(&t, &plan);
    return npu__text_end(&t, diag);
}

NPU__FN const npu__planner *npu__planner_mdla(void) {
    static const npu__planner planner = {"mdla", npu__mdla_facts, npu__mdla_plan_report, npu__mdla_raw};
    return &planner;
}

#endif
