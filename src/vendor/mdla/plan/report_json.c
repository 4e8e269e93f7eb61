/* A plan as JSON. */
#include "plan.h"
#include "words.h"

#if NPU__HAS_MDLA && NPU__HAS_REPORTS

NPU__FN npu__str npu__mdla_output_name(const npu__mdla_graph *g, int32_t node) {
    static const npu__str none = {"", 0};
    const npu__node      *n = &g->g->nodes[node];
    return n->n_out > 0 ? g->g->tensors[n->out[0]].name : none;
}

/* MACs as a share of what the units could do in these cycles; 0: no cycles, or no MACs. */
NPU__FN double npu__mdla_utilisation(const npu__mdla_plan *plan, const npu__mdla_graph *g, int32_t node) {
    const npu__mdla_step *s = &g->steps[node];
    const npu__val       *data = npu__mdla_data(npu__mdla_ctx(plan, g, node));
    const npu__node      *n = &g->g->nodes[node];
    int32_t               per_cycle = 0;
    for (int32_t k = 0; data && k < n->n_in && k < 3; k++) {
        const npu__mdla_tensor *t = n->in[k] >= 0 ? &g->tensors[n->in[k]] : NULL;
        if (t && t->v && !t->constant) per_cycle = npu__mdla_macs(t->type, plan->version);
        if (per_cycle) break;
    }
    return s->cycles > 0 && per_cycle ? (double)s->macs / ((double)s->cycles * per_cycle) : 0;
}

NPU__FN void npu__mdla_step_flags_json(npu__text *t, const npu__mdla_step *s) {
    static const char *const broadcasts[] = {"", "hardware", "enlarged", "dma"};
    if (s->activation) npu__json_int(t, "activation_cycles", s->activation);
    if (s->broadcast) npu__json_z(t, "broadcast", broadcasts[s->broadcast]);
    if (s->enlarged) npu__json_int(t, "enlarged_bytes", s->enlarged);
    if (s->dma) npu__json_int(t, "extra_bytes", s->dma);
    if (s->dummy) npu__json_int(t, "dummy_bytes", s->dummy);
    if (s->requant_in) npu__json_z(t, "requantize_inserted", "input");
    if (s->requant_out) npu__json_z(t, "requantize_inserted", "output");
    if (s->mapped) npu__json_z(t, "mapped", s->mapped);
    if (s->eliminated) npu__json_bool(t, "eliminated", 1);
    if (s->pad_fused) npu__json_bool(t, "pad_fused", 1);
    if (s->hybrid) npu__json_bool(t, "hybrid", 1);
}

NPU__FN void npu__mdla_step_json(npu__text *t, const npu__mdla_plan *plan, const npu__mdla_graph *g, int32_t i) {
    const npu__mdla_step *s = &g->steps[i];
    npu__json_open(t, NULL, '{');
    npu__json_int(t, "index", i);
    npu__json_str(t, "op", npu__node_name(&g->g->nodes[i]));
    npu__json_str(t, "output", npu__mdla_output_name(g, i));
    npu__json_z(t, "device", npu__mdla_device_name(s->device));
    npu__json_int(t, "macs", s->macs);
    if (s->device == NPU__MDLA_ON_MDLA) {
        npu__json_int(t, "group", s->group);
        npu__json_z(t, "known", npu__mdla_known_name(s->known));
        npu__json_int(t, "cycles", s->cycles);
        npu__json_num(t, "utilisation", npu__mdla_utilisation(plan, g, i));
        npu__mdla_step_flags_json(t, s);
    }
    npu__json_close(t, '}');
}

NPU__FN void npu__mdla_tensor_json(npu__text *t, const npu__mdla_graph *g, int32_t i) {
    static const char *const relayouts[] = {"none", "run time", "compile time"};
    const npu__mdla_tensor  *v = &g->tensors[i];
    const int                dense = v->laid == v->bytes && !(v->read_by & 1 << NPU__MDLA_ON_MDLA) && !v->constant;
    if (!v->v || !v->data || v->layout == NPU__MDLA_DENSE) return;
    npu__json_open(t, NULL, '{');
    npu__json_int(t, "index", i);
    npu__json_str(t, "name", g->g->tensors[i].name);
    npu__json_z(t, "type", npu__mdla_type_name(v->type));
    npu__json_z(t, "layout", dense ? "NHWC" : npu__mdla_layout_name(v->layout));
    npu__json_int(t, "bytes", v->bytes);
    npu__json_int(t, "laid_bytes", v->laid);
    npu__json_z(t, "relayout", relayouts[v->relayout]);
    npu__json_bool(t, "converted", v->converted);
    npu__json_bool(t, "input", v->input);
    npu__json_bool(t, "output", v->output);
    npu__json_close(t, '}');
}

NPU__FN void npu__mdla_groups_json(npu__text *t, const npu__mdla_plan *plan, const npu__mdla_graph *g) {
    npu__json_open(t, "groups", '[');
    for (int32_t k = 0; k < g->n_groups; k++) {
        const npu__mdla_group *group = &g->groups[k];
        if (group->n == 0) continue;
        npu__json_open(t, NULL, '{');
        npu__json_int(t, "group", k);
        npu__json_z(t, "rule", npu__mdla_rule_name(group->rule));
        npu__json_bool(t, "supplied_order", group->supplied);
        npu__json_int(t, "first", group->first);
        npu__json_int(t, "last", group->last);
        npu__json_int(t, "operators", group->n);
        npu__json_int(t, "chain", group->chain);
        npu__json_z(t, "known", npu__mdla_known_name(group->known));
        npu__json_int(t, "cycles", group->cycles);
        npu__json_int(t, "read_bytes", group->read);
        npu__json_int(t, "weight_bytes", group->weights);
        npu__json_int(t, "written_bytes", group->written);
        npu__json_close(t, '}');
    }
    npu__json_close(t, ']');
    npu__json_open(t, "chains", '[');
    for (int32_t k = 0; k < g->n_chains; k++) {
        const npu__mdla_chain *chain = &g->chains[k];
        npu__json_open(t, NULL, '{');
        npu__json_int(t, "first_group", chain->first);
        npu__json_int(t, "last_group", chain->last);
        npu__json_int(t, "groups", chain->n);
        npu__json_bool(t, "supplied_order", chain->supplied);
        npu__json_bool(t, "storage_given", plan->desc->weight_bytes > 0);
        npu__json_int(t, "weight_bytes", chain->weights);
        npu__json_int(t, "external_bytes_without", chain->without);
        npu__json_int(t, "external_bytes_with", chain->with);
        npu__json_close(t, '}');
    }
    npu__json_close(t, ']');
}

NPU__FN void npu__mdla_phases_json(npu__text *t, const npu__mdla_graph *g) {
    npu__json_open(t, "phases", '[');
    for (int32_t k = 0; k < g->n_phases; k++) {
        const npu__mdla_phase *phase = &g->phases[k];
        npu__json_open(t, NULL, '{');
        npu__json_z(t, "device", npu__mdla_device_name(phase->device));
        npu__json_z(t, "memory", npu__mdla_domain(phase->device));
        npu__json_int(t, "first", phase->first);
        npu__json_int(t, "last", phase->last);
        npu__json_int(t, "operators", phase->n);
        npu__json_int(t, "macs", phase->macs);
        npu__json_z(t, "known", npu__mdla_known_name(phase->known));
        npu__json_int(t, "cycles", phase->cycles);
        npu__json_int(t, "in_bytes", phase->in);
        npu__json_int(t, "out_bytes", phase->out);
        npu__json_int(t, "copied_bytes", phase->copied);
        npu__json_int(t, "relayout_bytes", phase->relayout);
        npu__json_bool(t, "cache_sync", npu__mdla_syncs(g, k));
        npu__json_close(t, '}');
    }
    npu__json_close(t, ']');
}

/* ---- hints ---- */

typedef struct npu__mdla_hint_to {
    npu__text             *t;
    const npu__mdla_plan  *plan;
    const npu__mdla_graph *g;
    int32_t                node;
} npu__mdla_hint_to;

NPU__FN void npu__mdla_hint_json(void *user, const npu__rule *rule, const char *got) {
    const npu__mdla_hint_to *to = (const npu__mdla_hint_to *)user;
    const npu__mdla_gain     gain = npu__mdla_gains(to->plan, to->g, to->node, rule);
    npu__json_open(to->t, NULL, '{');
    npu__json_int(to->t, "subgraph", to->g->g->nodes[to->node].subgraph);
    npu__json_int(to->t, "index", to->node);
    npu__json_str(to->t, "op", npu__node_name(&to->g->g->nodes[to->node]));
    npu__json_z(to->t, "hint", rule->id);
    npu__json_z(to->t, "got", got);
    npu__json_z(to->t, "limit", rule->limit);
    npu__json_z(to->t, "text", rule->text);
    npu__json_z(to->t, "suggestion", rule->hint);
    npu__json_z(to->t, "section", rule->section);
    npu__json_int(to->t, "gain_bytes", gain.bytes);
    npu__json_int(to->t, "gain_cycles", gain.cycles);
    npu__json_close(to->t, '}');
}

NPU__FN void npu__mdla_hints_json(npu__text *t, const npu__mdla_plan *plan) {
    npu__scene        scene = plan->scene;
    npu__mdla_hint_to to;
    npu__why          why;
    to.t = t;
    to.plan = plan;
    why.user = &to;
    why.add = npu__mdla_hint_json;
    npu__json_open(t, "hints", '[');
    for (int32_t s = 0; s < plan->nodes->model->n_subgraphs; s++) {
        to.g = &plan->graphs[s];
        for (to.node = 0; to.node < to.g->g->n_nodes; to.node++) {
            if (to.g->steps[to.node].device != NPU__MDLA_ON_MDLA) continue;
            (void)npu__backend_warnings(&plan->p->backend, &scene, npu__mdla_ctx(plan, to.g, to.node), &why);
        }
    }
    npu__json_close(t, ']');
}

NPU__FN void npu__mdla_network_json(npu__text *t, const npu__mdla_plan *plan) {
    npu__json_open(t, "network_hints", '[');
    for (int32_t k = 0; k < NPU__MDLA_N_NETWORK; k++) {
        const int64_t value = npu__mdla_network_value(plan, k);
        if (value == 0) continue;
        npu__json_open(t, NULL, '{');
        npu__json_z(t, "hint", npu__mdla_network_name(k));
        npu__json_z(t, "suggestion", npu__mdla_network_text(k));
        npu__json_int(t, npu__mdla_network_unit(k), value);
        npu__json_close(t, '}');
    }
    npu__json_close(t, ']');
}

/* ---- the whole ---- */

NPU__FN void npu__mdla_summary_json(npu__text *t, const npu_plan_report_summary *s, double clock_hz) {
    npu__json_open(t, "summary", '{');
    npu__json_int(t, "ops", s->ops);
    npu__json_int(t, "ops_placed", s->ops_placed);
    npu__json_int(t, "ops_compiled", s->ops_compiled);
    npu__json_int(t, "phases", s->phases);
    npu__json_int(t, "switches", s->switches);
    npu__json_int(t, "groups", s->groups);
    npu__json_int(t, "chains", s->chains);
    npu__json_int(t, "ops_unknown", s->ops_unknown);
    npu__json_int(t, "hints", s->hints);
    npu__json_int(t, "macs", s->macs);
    npu__json_int(t, "macs_placed", s->macs_placed);
    npu__json_int(t, "cycles_at_least", s->cycles);
    if (clock_hz > 0) npu__json_num(t, "seconds_at_least", s->seconds);
    npu__json_int(t, "convert_bytes", s->convert_bytes);
    npu__json_int(t, "relayout_bytes", s->relayout_bytes);
    npu__json_int(t, "relayout_constant_bytes", s->relayout_constant_bytes);
    npu__json_int(t, "extra_bytes", s->extra_bytes);
    npu__json_int(t, "dummy_bytes", s->dummy_bytes);
    npu__json_int(t, "external_bytes", s->external_bytes);
    npu__json_int(t, "external_bytes_chained", s->external_bytes_chained);
    npu__json_close(t, '}');
}

NPU__FN void npu__mdla_parts_json(npu__text *t, const npu__mdla_plan *plan) {
    npu__json_open(t, "types", '[');
    for (int32_t k = 0; k < NPU__MDLA_N_TYPES; k++) {
        const npu__mdla_part part = npu__mdla_part_of(plan, k);
        if (part.ops == 0) continue;
        npu__json_open(t, NULL, '{');
        npu__json_z(t, "type", npu__mdla_type_name(k));
        npu__json_int(t, "ops", part.ops);
        npu__json_int(t, "macs", part.macs);
        npu__json_int(t, "op_cycles", part.cycles);
        npu__json_close(t, '}');
    }
    npu__json_close(t, ']');
}

NPU__FN void npu__mdla_graph_json(npu__text *t, const npu__mdla_plan *plan, int32_t s) {
    const npu__mdla_graph *g = &plan->graphs[s];
    npu__json_open(t, NULL, '{');
    npu__json_int(t, "subgraph", s);
    npu__mdla_phases_json(t, g);
    npu__json_open(t, "ops", '[');
    for (int32_t i = 0; i < g->g->n_nodes; i++) npu__mdla_step_json(t, plan, g, i);
    npu__json_close(t, ']');
    npu__mdla_groups_json(t, plan, g);
    npu__json_open(t, "tensors", '[');
    for (int32_t i = 0; i < g->g->n_tensors; i++) npu__mdla_tensor_json(t, g, i);
    npu__json_close(t, ']');
    npu__json_close(t, '}');
}

NPU__FN void npu__mdla_plan_json(npu__text *t, const npu__mdla_plan *plan) {
    npu__json_open(t, NULL, '{');
    npu__json_bool(t, "estimate", 1);
    npu__json_z(t, "backend", plan->p->backend.target->name);
    npu__json_z(t, "profile", plan->p->backend.profile->name);
    npu__json_z(t, "document", plan->p->backend.profile->document);
    npu__mdla_summary_json(t, &plan->total, plan->desc->clock_hz);
    npu__mdla_parts_json(t, plan);
    npu__json_open(t, "subgraphs", '[');
    for (int32_t s = 0; s < plan->nodes->model->n_subgraphs; s++) npu__mdla_graph_json(t, plan, s);
    npu__json_close(t, ']');
    npu__mdla_hints_json(t, plan);
    npu__mdla_network_json(t, plan);
    npu__json_open(t, "assumed", '[');
#define NPU__X(text) npu__json_z(t, NULL, text);
    NPU__MDLA_ASSUMED(NPU__X)
    npu__json_close(t, ']');
    npu__json_open(t, "unknown", '[');
    NPU__MDLA_UNKNOWN(NPU__X)
#undef NPU__X
    npu__json_close(t, ']');
    npu__json_close(t, '}');
}

#endif
