/* Hints of a plan as text: a row for each, with what all operators together would gain. */
#include "plan.h"

#if NPU__HAS_MDLA && NPU__HAS_REPORTS

typedef struct npu__mdla_hints_to {
    const npu__mdla_plan  *plan;
    const npu__mdla_graph *g;
    int32_t                node;
} npu__mdla_hints_to;

NPU__FN void npu__mdla_hint_add(void *user, const npu__rule *rule, const char *got) {
    npu__mdla_hints_to  *to = (npu__mdla_hints_to *)user;
    npu__mdla_hint_sum  *sum = &to->plan->sums[rule - to->plan->p->backend.set->warnings];
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
    if (bytes) npu__text_f(t, "%b", bytes);
    if (bytes && cycles) npu__text_f(t, " and ");
    if (cycles) npu__text_f(t, "%k cycles", cycles);
    if (!bytes && !cycles) npu__text_f(t, "not known");
}

NPU__FN void npu__mdla_hint_text(npu__text *t, const npu__rule *rule, const npu__mdla_hint_sum *sum) {
    const npu__str name = npu__node_name(sum->node), got = npu__str_of(sum->got);
    npu__text_f(t, "  %s To gain: ", rule->hint);
    npu__mdla_gain_text(t, sum->bytes, sum->cycles);
    npu__text_f(t, ".\n      %k %s: %s [%s]\n      %s op %d, %S (%S)", sum->count, sum->count == 1 ? "op" : "ops", rule->text, rule->id,
                sum->count > 1 ? "above all" : "that is", sum->node->index, &name, &got);
    if (sum->count > 1 && (sum->best.bytes || sum->best.cycles)) {
        npu__text_f(t, ": ");
        npu__mdla_gain_text(t, sum->best.bytes, sum->best.cycles);
    }
    npu__text_f(t, "\n");
}

/* Does hint a come before b? Those that gain most do; a hint that occurs nowhere never does. */
NPU__FN int npu__mdla_hint_before(const npu__mdla_hint_sum *a, const npu__mdla_hint_sum *b) {
    if (a->count == 0 || b->count == 0) return a->count > 0;
    if (a->bytes != b->bytes) return a->bytes > b->bytes;
    return a->cycles > b->cycles;
}

/* One of the network as a whole. */
NPU__FN void npu__mdla_network_text_at(npu__text *t, const npu__mdla_plan *plan, int32_t k) {
    const int64_t value = npu__mdla_network_value(plan, k);
    if (!value) return;
    npu__text_f(t, "  network: %s: ", npu__mdla_network_text(k));
    if (strcmp(npu__mdla_network_unit(k), "bytes") == 0) npu__text_f(t, "%b\n", value);
    else npu__text_f(t, "%k %s\n", value, npu__mdla_network_unit(k));
}

NPU__FN void npu__mdla_hints_text(npu__text *t, const npu__mdla_plan *plan) {
    const npu__ruleset *set = plan->p->backend.set;
    npu__scene          scene = plan->scene;
    npu__mdla_hints_to  to;
    npu__why            why;
    to.plan = plan;
    why.user = &to;
    why.add = npu__mdla_hint_add;
    for (int32_t s = 0; s < plan->nodes->model->n_subgraphs; s++) {
        to.g = &plan->graphs[s];
        for (to.node = 0; to.node < to.g->g->n_nodes; to.node++) {
            if (to.g->steps[to.node].device != NPU__MDLA_ON_MDLA) continue;
            (void)npu__backend_warnings(&plan->p->backend, &scene, npu__mdla_ctx(plan, to.g, to.node), &why);
        }
    }
    npu__text_f(t, "\nhints: what to change, and what that would gain where it can be counted\n");
    for (int32_t n = 0; n < set->n_warnings; n++) { /* bounded: by rows, not by the file */
        int32_t best = 0;
        for (int32_t k = 1; k < set->n_warnings; k++) if (npu__mdla_hint_before(&plan->sums[k], &plan->sums[best])) best = k;
        if (plan->sums[best].count == 0) break;
        npu__mdla_hint_text(t, &set->warnings[best], &plan->sums[best]);
        plan->sums[best].count = 0;
    }
    for (int32_t k = 0; k < NPU__MDLA_N_NETWORK; k++) npu__mdla_network_text_at(t, plan, k);
}

#endif
