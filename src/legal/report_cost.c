/* The cost estimate as text and JSON. Every form says that it is one. */
#include "compiled.h"
#include "report_cost.h"

#if NPU__HAS_REPORTS

NPU__FN double npu__cost_utilisation(const npu__cost_plan *plan, int64_t macs, int64_t cycles) {
    return cycles > 0 ? (double)macs / ((double)cycles * plan->macs_per_cycle) : 0;
}

NPU__FN int npu__cost_row_placed(const npu__cost_row *r) {
    return r->how == NPU__COST_ON_NPU || r->how == NPU__COST_FUSED;
}

NPU__FN int64_t npu__cost_macs_placed(const npu__cost_plan *plan, const npu__nodes *nodes) {
    int64_t macs = 0;
    for (int32_t s = 0; s < nodes->model->n_subgraphs; s++) {
        for (int32_t i = 0; i < nodes->model->subgraphs[s].n_nodes; i++) {
            if (npu__cost_row_placed(&plan->rows[s][i])) macs = npu__sat_add(macs, plan->rows[s][i].macs);
        }
    }
    return macs;
}

/* The slow memory's whole: what the model becomes, and feature maps where they live there. */
NPU__FN int64_t npu__cost_slow_bytes(const npu__cost_plan *plan) {
    int64_t model = plan->model_in_sram ? 0 : plan->total.stored;
    return npu__sat_add(model, plan->arena_store);
}
NPU__FN int64_t npu__cost_fast_bytes(const npu__cost_plan *plan) {
    return npu__sat_add(plan->total.live, plan->model_in_sram ? plan->total.stored : 0);
}

NPU__FN const char *npu__cost_how_text(int32_t how) {
    static const char *const names[] = {"CPU", "NPU", "NPU, fused", "none"};
    return how >= 0 && how < NPU__COUNT(names) ? names[how] : "";
}

/* What a vendor's compiler made is not estimated: it is scheduled already. */
NPU__FN const char *npu__cost_where(const npu__ctx *c, const npu__cost_row *r) {
    if (!npu__node_compiled(c->node)) return npu__cost_how_text(r->how);
    return r->how == NPU__COST_ON_CPU ? "other NPU" : "NPU, compiled";
}

/* ---- JSON ---- */

NPU__FN void npu__cost_row_json(npu__text *t, const npu__cost_plan *plan, const npu__ctx *c, const npu__cost_row *r) {
    static const npu__str none = {"", 0};
    npu__json_open(t, NULL, '{');
    npu__json_int(t, "subgraph", c->node->subgraph);
    npu__json_int(t, "index", c->node->index);
    npu__json_str(t, "op", npu__node_name(c->node));
    npu__json_str(t, "output", c->n_out > 0 ? c->out[0]->t->name : none);
    npu__json_z(t, "runs_on", npu__cost_where(c, r));
    npu__json_int(t, "macs", r->macs);
    if (r->how == NPU__COST_ON_NPU) {
        npu__json_int(t, "cycles", r->cycles);
        npu__json_int(t, "npu_cycles", r->npu);
        npu__json_int(t, "sram_cycles", r->sram);
        npu__json_int(t, "store_cycles", r->store);
        npu__json_int(t, "store_bytes", r->stored);
        npu__json_num(t, "utilisation", npu__cost_utilisation(plan, r->macs, r->cycles));
        npu__json_int(t, "sram_bytes", r->live);
        npu__json_int(t, "operations", r->operations);
        npu__json_open(t, "block", '[');
        for (int32_t i = 0; i < 3; i++) npu__json_int(t, NULL, r->block[i]);
        npu__json_close(t, ']');
    }
    npu__json_close(t, '}');
}

NPU__FN void npu__cost_summary_json(npu__text *t, const npu__cost_plan *plan, const npu__placement *p,
                                    const npu__nodes *nodes) {
    const npu__cost_row *total = &plan->total;
    int64_t              placed = npu__cost_macs_placed(plan, nodes);
    npu__json_open(t, "summary", '{');
    npu__json_bool(t, "estimate", 1);
    npu__json_int(t, "ops", p->summary.ops);
    npu__json_int(t, "ops_placed", p->summary.ops_placed);
    npu__json_int(t, "switches", p->summary.switches);
    npu__json_int(t, "macs", total->macs);
    npu__json_int(t, "macs_placed", placed);
    npu__json_int(t, "cycles", total->cycles);
    npu__json_int(t, "npu_cycles", total->npu);
    npu__json_int(t, "sram_cycles", total->sram);
    npu__json_int(t, "store_cycles", total->store);
    npu__json_num(t, "seconds", (double)total->cycles / plan->clock_hz);
    npu__json_num(t, "utilisation", npu__cost_utilisation(plan, placed, total->cycles));
    npu__json_int(t, "sram_bytes", npu__cost_fast_bytes(plan));
    npu__json_int(t, "store_bytes", npu__cost_slow_bytes(plan));
    npu__json_close(t, '}');
}

NPU__FN void npu__cost_json(npu__text *t, const npu__cost_plan *plan, const npu__placement *p,
                            const npu__nodes *nodes) {
    npu__json_open(t, NULL, '{');
    npu__json_bool(t, "estimate", 1);
    npu__json_z(t, "backend", p->backend.target->name);
    npu__json_z(t, "accelerator", plan->accelerator);
    npu__json_z(t, "profile", p->backend.profile->name);
    npu__json_z(t, "memory_mode", plan->memory_mode);
    npu__json_z(t, "store", plan->store_name);
    npu__json_num(t, "clock_hz", plan->clock_hz);
    npu__report_compiled(t, 1, nodes->model);
    npu__json_open(t, "ops", '[');
    for (int32_t g = 0; g < nodes->model->n_subgraphs; g++) {
        for (int32_t i = 0; i < nodes->model->subgraphs[g].n_nodes; i++) {
            npu__cost_row_json(t, plan, nodes->at(nodes->user, g, i), &plan->rows[g][i]);
        }
    }
    npu__json_close(t, ']');
    npu__cost_summary_json(t, plan, p, nodes);
    npu__json_close(t, '}');
}

/* ---- text ---- */

NPU__FN void npu__cost_column(npu__text *t, int64_t v, size_t width) {
    char   digits[24];
    size_t n = npu__format(digits, sizeof digits, "%l", v);
    while (n++ < width) npu__text_put(t, " ", 1);
    npu__text_f(t, "%s", digits);
}

NPU__FN void npu__cost_row_text(npu__text *t, const npu__cost_plan *plan, const npu__ctx *c, const npu__cost_row *r) {
    npu__str name = npu__node_name(c->node);
    npu__cost_column(t, c->node->subgraph, 3);
    npu__cost_column(t, c->node->index, 6);
    npu__text_f(t, "  %S", &name);
    npu__text_pad(t, name.n, 25);
    npu__text_f(t, "%s", npu__cost_where(c, r));
    npu__text_pad(t, strlen(npu__cost_where(c, r)), 13);
    npu__cost_column(t, r->macs, 12);
    if (r->how == NPU__COST_ON_NPU) {
        npu__cost_column(t, r->cycles, 12);
        npu__cost_column(t, r->npu, 12);
        npu__cost_column(t, r->sram, 12);
        npu__cost_column(t, r->store, 12);
        npu__cost_column(t, (int64_t)(100 * npu__cost_utilisation(plan, r->macs, r->cycles) + 0.5), 7);
        npu__cost_column(t, r->live, 11);
        npu__text_f(t, "  %dx%dx%d", r->block[0], r->block[1], r->block[2]);
    }
    npu__text_f(t, "\n");
}

/* Ops whose results are known before the first run, whoever would compute them. */
NPU__FN int64_t npu__cost_once(const npu__cost_plan *plan, const npu__nodes *nodes) {
    int64_t n = 0;
    for (int32_t g = 0; g < nodes->model->n_subgraphs; g++) {
        for (int32_t i = 0; i < nodes->model->subgraphs[g].n_nodes; i++) {
            n += plan->rows[g][i].how == NPU__COST_NOTHING && nodes->once(nodes->user, g, i);
        }
    }
    return n;
}

NPU__FN void npu__cost_summary_text(npu__text *t, const npu__cost_plan *plan, const npu__placement *p,
                                    const npu__nodes *nodes) {
    const npu__cost_row *total = &plan->total;
    int64_t              placed = npu__cost_macs_placed(plan, nodes), once = npu__cost_once(plan, nodes);
    npu__text_f(t, "estimated %l cycles, %g ms at %g MHz, for %d of %d ops (the CPU's are not estimated)\n",
                total->cycles, 1e3 * (double)total->cycles / plan->clock_hz, plan->clock_hz / 1e6,
                p->summary.ops_placed, p->summary.ops);
    npu__text_f(t, "estimated %g %% of the MAC units used: %l of %l MACs on the NPU\n",
                100 * npu__cost_utilisation(plan, placed, total->cycles), placed, total->macs);
    npu__text_f(t, "estimated memory: SRAM %l bytes, %s %l bytes\n", npu__cost_fast_bytes(plan), plan->store_name,
                npu__cost_slow_bytes(plan));
    if (once > 0) {
        npu__text_f(t, "%l ops compute from constants alone (\"none\" below): once, when the model is loaded; no run pays for "
                    "them, though check names those that the NPU refuses\n", once);
    }
}

NPU__FN void npu__cost_text(npu__text *t, const npu__cost_plan *plan, const npu__placement *p,
                            const npu__nodes *nodes) {
    const npu__vendor *compiled = NULL;
    for (int32_t g = 0; g < nodes->model->n_subgraphs; g++) {
        for (int32_t i = 0; i < nodes->model->subgraphs[g].n_nodes; i++) {
            if (!compiled) compiled = npu__vendor_of(&nodes->model->subgraphs[g].nodes[i]);
        }
    }
    npu__report_compiled(t, 0, nodes->model);
    npu__text_f(t, "ESTIMATE for %s, memory mode %s, %g MHz; placed by %s\n\n", plan->accelerator, plan->memory_mode,
                plan->clock_hz / 1e6, p->backend.profile->name);
    if (compiled) {
        npu__text_f(t, "what %s compiled is not estimated: for cycles, plan the network as it was before\n", compiled->compiler);
    }
    if (!compiled || plan->total.cycles > 0) npu__cost_summary_text(t, plan, p, nodes);
    npu__text_f(t, "\nsub    op  operator                 runs on              MACs      cycles   computing        SRAM");
    npu__text_pad(t, 0, 12 - strlen(plan->store_name));
    npu__text_f(t, "%s  MACs %%  SRAM bytes  block\n", plan->store_name);
    for (int32_t g = 0; g < nodes->model->n_subgraphs; g++) {
        for (int32_t i = 0; i < nodes->model->subgraphs[g].n_nodes; i++) {
            npu__cost_row_text(t, plan, nodes->at(nodes->user, g, i), &plan->rows[g][i]);
        }
    }
}

NPU__FN npu_status npu__report_cost(const npu__cost_plan *plan, const npu__placement *p, const npu__nodes *nodes,
                                    npu_format format, const npu_writer *writer, npu_diag *diag) {
    npu__text t;
    npu__text_init(&t, writer);
    if (format == NPU_FORMAT_JSON) npu__cost_json(&t, plan, p, nodes);
    else npu__cost_text(&t, plan, p, nodes);
    return npu__text_end(&t, diag);
}

#endif
