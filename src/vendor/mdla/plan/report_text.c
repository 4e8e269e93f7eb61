/* A plan as text. */
#include "plan.h"
#include "words.h"

#if NPU__HAS_MDLA && NPU__HAS_REPORTS

NPU__FN void npu__mdla_column(npu__text *t, int64_t v, size_t width) {
    char   digits[24];
    size_t n = npu__format(digits, sizeof digits, "%l", v);
    while (n++ < width) npu__text_put(t, " ", 1);
    npu__text_put(t, digits, strlen(digits));
}

NPU__FN void npu__mdla_word_in(npu__text *t, const char *word, size_t width) {
    npu__text_f(t, "%s", word);
    npu__text_pad(t, strlen(word), width);
}

NPU__FN void npu__mdla_summary_text(npu__text *t, const npu__mdla_plan *plan) {
    const npu_plan_report_summary *s = &plan->total;
    const npu__profile            *profile = plan->p->backend.profile;
    npu__text_f(t, "plan for %s (profile %s), after %s: an estimate\n", plan->p->backend.target->name, profile->name,
                profile->document);
    npu__text_f(t, "  %d of %d ops and %l of %l MACs on the MDLA, in %d %s, %d %s\n", s->ops_placed, s->ops, s->macs_placed,
                s->macs, s->phases, s->phases == 1 ? "phase" : "phases", s->switches,
                s->switches == 1 ? "switch" : "switches");
    if (s->ops_compiled) npu__text_f(t, "  %d ops are computed when it is compiled, or dropped\n", s->ops_compiled);
    npu__text_f(t, "  at least %l cycles", s->cycles);
    if (plan->desc->clock_hz > 0) npu__text_f(t, " (%g ms at %g MHz)", s->seconds * 1e3, plan->desc->clock_hz / 1e6);
    npu__text_f(t, "; %d ops have no stated throughput and count nothing\n", s->ops_unknown);
    npu__text_f(t, "  %d groups of several ops; external memory: %l bytes", s->groups, s->external_bytes);
    if (s->chains) npu__text_f(t, ", %l with %d chains of deep layer fusion", s->external_bytes_chained, s->chains);
    npu__text_f(t, "\n  conversions move %l bytes, re-layouts %l at run time and %l when it is compiled,\n",
                s->convert_bytes, s->relayout_bytes, s->relayout_constant_bytes);
    npu__text_f(t, "  other transfers %l; %l bytes are read without need\n", s->extra_bytes, s->dummy_bytes);
}

NPU__FN void npu__mdla_parts_text(npu__text *t, const npu__mdla_plan *plan) {
    npu__text_f(t, "  by type of data:");
    for (int32_t k = 0, n = 0; k < NPU__MDLA_N_TYPES; k++) {
        const npu__mdla_part part = npu__mdla_part_of(plan, k);
        if (part.ops) npu__text_f(t, "%s %l ops and %l MACs of %s", n++ ? "," : "", part.ops, part.macs,
                                  npu__mdla_type_name(k));
    }
    npu__text_f(t, "\n");
}

NPU__FN void npu__mdla_phases_text(npu__text *t, const npu__mdla_graph *g) {
    npu__text_f(t, "\nexecution plan (in, out: bytes that cross to and from others; copied: of them, between memories;\n"
                "relayout: bytes moved; sync: caches)\n");
    npu__text_f(t, "phase  device   memory     ops      MACs    cycles>=         in        out     copied   relayout"
                "  sync\n");
    for (int32_t k = 0; k < g->n_phases; k++) {
        const npu__mdla_phase *p = &g->phases[k];
        npu__mdla_column(t, k, 5);
        npu__text_f(t, "  ");
        npu__mdla_word_in(t, npu__mdla_device_name(p->device), 9);
        npu__mdla_word_in(t, npu__mdla_domain(p->device), 6);
        npu__mdla_column(t, p->n, 8);
        npu__mdla_column(t, p->macs, 10);
        npu__mdla_column(t, p->cycles, 12);
        npu__mdla_column(t, p->in, 11);
        npu__mdla_column(t, p->out, 11);
        npu__mdla_column(t, p->copied, 11);
        npu__mdla_column(t, p->relayout, 11);
        npu__text_f(t, "  %s\n", npu__mdla_syncs(g, k) ? "yes" : "no");
    }
}

NPU__FN void npu__mdla_groups_text(npu__text *t, const npu__mdla_plan *plan, const npu__mdla_graph *g) {
    npu__text_f(t, "\nfused operators (rule; * rests on an order that you supplied)\n");
    for (int32_t k = 0; k < g->n_groups; k++) {
        const npu__mdla_group *group = &g->groups[k];
        if (group->n < 2) continue;
        npu__text_f(t, "  group %d, ops %d to %d (%d): rule %s%s, %l cycles\n", k, group->first, group->last, group->n,
                    npu__mdla_rule_name(group->rule), group->supplied ? "*" : "", group->cycles);
    }
    for (int32_t k = 0; k < g->n_chains; k++) {
        const npu__mdla_chain *c = &g->chains[k];
        npu__text_f(t, "  chain of groups %d to %d (%d)%s: %l bytes instead of %l; %l of weights%s\n", c->first, c->last,
                    c->n, c->supplied ? "*" : "", c->with, c->without, c->weights,
                    plan->desc->weight_bytes ? "" : ", if there is room for them");
    }
}

NPU__FN void npu__mdla_borders_text(npu__text *t, const npu__mdla_graph *g) {
    npu__text_f(t, "\ntensors that are converted or change their layout\n");
    for (int32_t i = 0; i < g->g->n_tensors; i++) {
        const npu__mdla_tensor *v = &g->tensors[i];
        if (!v->v || (!v->converted && !v->relayout)) continue;
        npu__text_f(t, "  %S: %s%s%s, %s, %l bytes as %l\n", &g->g->tensors[i].name, npu__mdla_type_name(v->type),
                    v->converted ? ", converted" : "", v->input ? ", input" : v->output ? ", output" : "",
                    v->relayout == NPU__MDLA_RELAYOUT_RUN ? "re-layout at run time" :
                    v->relayout == NPU__MDLA_RELAYOUT_COMPILE ? "re-layout at compile time" : "no re-layout",
                    v->bytes, v->laid);
    }
}

NPU__FN void npu__mdla_ops_text(npu__text *t, const npu__mdla_plan *plan, const npu__mdla_graph *g) {
    npu__text_f(t, "\n   op  device   operator                   group        MACs    cycles>=  known        util %%\n");
    for (int32_t i = 0; i < g->g->n_nodes; i++) {
        const npu__mdla_step *s = &g->steps[i];
        const npu__str        name = npu__node_name(&g->g->nodes[i]);
        npu__mdla_column(t, i, 5);
        npu__text_f(t, "  ");
        npu__mdla_word_in(t, npu__mdla_device_name(s->device), 9);
        npu__text_f(t, "%S", &name);
        npu__text_pad(t, name.n, 27);
        npu__mdla_column(t, s->group, 5);
        npu__mdla_column(t, s->macs, 12);
        npu__mdla_column(t, s->cycles, 12);
        npu__text_f(t, "  ");
        npu__mdla_word_in(t, s->device == NPU__MDLA_ON_MDLA ? npu__mdla_known_name(s->known) : "", 12);
        npu__text_f(t, " %g\n", 100.0 * npu__mdla_utilisation(plan, g, i));
    }
}

/* ---- hints, summed by row ---- */

typedef struct npu__mdla_hint_sum {
    int64_t          count, bytes, cycles;
    npu__mdla_gain   best; /* of the operator that has most to gain, bytes before cycles; the first of equal ones */
    const npu__node *node;
    char             got[160];
} npu__mdla_hint_sum;

typedef struct npu__mdla_hints_to {
    const npu__mdla_plan  *plan;
    const npu__mdla_graph *g;
    npu__mdla_hint_sum    *sums;
    int32_t                node;
} npu__mdla_hints_to;

NPU__FN void npu__mdla_hint_add(void *user, const npu__rule *rule, const char *got) {
    npu__mdla_hints_to  *to = (npu__mdla_hints_to *)user;
    npu__mdla_hint_sum  *sum = &to->sums[rule - to->plan->p->backend.set->warnings];
    const npu__mdla_gain gain = npu__mdla_gains(to->plan, to->g, to->node, rule);
    if (!sum->node || gain.bytes > sum->best.bytes || (gain.bytes == sum->best.bytes && gain.cycles > sum->best.cycles)) {
        sum->best = gain;
        sum->node = &to->g->g->nodes[to->node];
        npu__format(sum->got, sizeof sum->got, "%s", got);
    }
    sum->count++;
    sum->bytes = npu__sat_add(sum->bytes, gain.bytes);
    sum->cycles = npu__sat_add(sum->cycles, gain.cycles);
}

NPU__FN void npu__mdla_gain_text(npu__text *t, int64_t bytes, int64_t cycles) {
    if (bytes) npu__text_f(t, " %l bytes.", bytes);
    if (cycles) npu__text_f(t, " %l cycles.", cycles);
    npu__text_f(t, "\n");
}

NPU__FN void npu__mdla_hint_text(npu__text *t, const npu__rule *rule, const npu__mdla_hint_sum *sum) {
    const npu__str name = npu__node_name(sum->node), got = npu__str_of(sum->got);
    npu__text_f(t, "  %l  %s: %s\n      %s", sum->count, rule->id, rule->text, rule->hint);
    npu__mdla_gain_text(t, sum->bytes, sum->cycles);
    npu__text_f(t, "      %s op %d, %S (%S):", sum->count > 1 ? "above all" : "that is", sum->node->index, &name, &got);
    if (!sum->best.bytes && !sum->best.cycles) npu__text_f(t, " what it would gain is not known");
    npu__mdla_gain_text(t, sum->best.bytes, sum->best.cycles);
}

NPU__FN void npu__mdla_hints_text(npu__text *t, const npu__mdla_plan *plan) {
    const npu__ruleset *set = plan->p->backend.set;
    npu__scene          scene = plan->scene;
    npu__mdla_hints_to  to;
    npu__why            why;
    to.plan = plan;
    to.sums = (npu__mdla_hint_sum *)npu__pool_alloc(plan->pool, (size_t)set->n_warnings, sizeof *to.sums);
    if (!to.sums) return;
    why.user = &to;
    why.add = npu__mdla_hint_add;
    for (int32_t s = 0; s < plan->nodes->model->n_subgraphs; s++) {
        to.g = &plan->graphs[s];
        for (to.node = 0; to.node < to.g->g->n_nodes; to.node++) {
            if (to.g->steps[to.node].device != NPU__MDLA_ON_MDLA) continue;
            (void)npu__backend_warnings(&plan->p->backend, &scene, npu__mdla_ctx(plan, to.g, to.node), &why);
        }
    }
    npu__text_f(t, "\nhints (how many ops; what following them would gain, where it can be counted)\n");
    for (int32_t k = 0; k < set->n_warnings; k++) {
        const npu__mdla_hint_sum *sum = &to.sums[k];
        if (sum->count) npu__mdla_hint_text(t, &set->warnings[k], sum);
    }
    for (int32_t k = 0; k < NPU__MDLA_N_NETWORK; k++) {
        const int64_t value = npu__mdla_network_value(plan, k);
        if (value) npu__text_f(t, "  network: %s: %l %s\n", npu__mdla_network_text(k), value, npu__mdla_network_unit(k));
    }
}

NPU__FN void npu__mdla_plan_text(npu__text *t, const npu__mdla_plan *plan) {
    npu__mdla_summary_text(t, plan);
    if (plan->total.ops_placed) npu__mdla_parts_text(t, plan);
    for (int32_t s = 0; s < plan->nodes->model->n_subgraphs; s++) {
        const npu__mdla_graph *g = &plan->graphs[s];
        if (plan->nodes->model->n_subgraphs > 1) npu__text_f(t, "\nsubgraph %d\n", s);
        npu__mdla_phases_text(t, g);
        npu__mdla_groups_text(t, plan, g);
        npu__mdla_borders_text(t, g);
        npu__mdla_ops_text(t, plan, g);
    }
    npu__mdla_hints_text(t, plan);
    npu__text_f(t, "\nassumed\n");
#define NPU__X(text) npu__text_f(t, "  %s\n", text);
    NPU__MDLA_ASSUMED(NPU__X)
    npu__text_f(t, "\nnot known\n");
    NPU__MDLA_UNKNOWN(NPU__X)
#undef NPU__X
}

#endif
