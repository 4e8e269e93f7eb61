/* Deep layer fusion (MDLA 3.0): chains of groups whose links stay inside. */
#include "plan.h"

#if NPU__HAS_MDLA && NPU__HAS_REPORTS

NPU__FN int npu__mdla_is_space(int32_t code) {
    return code == NPU__BUILTIN_DEPTH_TO_SPACE || code == NPU__BUILTIN_SPACE_TO_DEPTH;
}

/* Must its convolution be the last one of a chain? */
NPU__FN int npu__mdla_ends(const npu__mdla_plan *plan, const npu__mdla_graph *g, int32_t conv) {
    npu__window w;
    if (conv < 0) return 0;
    w = npu__window_of(npu__mdla_ctx(plan, g, conv));
    if (npu__mdla_op_of(&g->g->nodes[conv])->work == NPU__MDLA_W_TRANSPOSED) return 1;
    return w.dil_h != 1 || w.dil_w != 1;
}

/* Rule C may put a convolution behind a dilated one: such a group stands in no chain. */
NPU__FN int npu__mdla_breaks(const npu__mdla_plan *plan, const npu__mdla_graph *g, const npu__mdla_group *group) {
    return group->second >= 0 && npu__mdla_ends(plan, g, group->head);
}

/* Rule B, or rule C with a rule B in front (assumed to count as one there). */
NPU__FN int npu__mdla_starts_b(const npu__mdla_group *group) {
    return group->rule == NPU__MDLA_F_B || (group->rule == NPU__MDLA_F_C && group->head < 0);
}

/* The group that alone reads what a group gives; -1: there is none. */
NPU__FN int32_t npu__mdla_link(const npu__mdla_graph *g, int32_t at) {
    const npu__node        *last = &g->g->nodes[g->groups[at].last];
    const npu__mdla_tensor *t = last->n_out == 1 ? &g->tensors[last->out[0]] : NULL;
    int32_t                 next;
    if (!t || t->users != 1 || t->output || t->reader <= g->groups[at].last) return -1;
    next = g->steps[t->reader].group;
    if (next < 0 || g->groups[next].n == 0 || g->groups[next].first != t->reader) return -1;
    return npu__mdla_takes(&g->g->nodes[t->reader], last->out[0]) ? next : -1;
}

/* Why a chain does not go on with a group: an id of NPU__MDLA_DLF; "" where no rule covers it; NULL: it does. */
NPU__FN const char *npu__mdla_chain_stops(const npu__mdla_plan *plan, const npu__mdla_graph *g, const npu__mdla_chain *chain,
                                          const npu__mdla_group *last, const npu__mdla_group *next, int ended) {
    const int64_t capacity = plan->desc->weight_bytes;
    const int32_t code = g->g->nodes[next->first].code;
    if (npu__mdla_is_space(g->g->nodes[last->last].code)) return "space";
    if (npu__mdla_starts_b(next) && last->rule != NPU__MDLA_F_B) return "rule_b";
    if (next->rule == NPU__MDLA_F_NONE && !npu__mdla_is_space(code)) return "";
    if (next->rule >= NPU__MDLA_F_PAD) return "";
    if (npu__mdla_breaks(plan, g, next)) return "dilated";
    if (ended && (next->head >= 0 || next->second >= 0)) {
        return npu__mdla_op_of(&g->g->nodes[ended - 1])->work == NPU__MDLA_W_TRANSPOSED ? "transposed" : "dilated";
    }
    return capacity > 0 && npu__sat_add(chain->weights, next->weights) > capacity ? "capacity" : NULL;
}

/* The convolution of a group that ends convolutions, plus 1; 0: none. */
NPU__FN int npu__mdla_ended(const npu__mdla_plan *plan, const npu__mdla_graph *g, const npu__mdla_group *group) {
    if (npu__mdla_ends(plan, g, group->second)) return group->second + 1;
    return npu__mdla_ends(plan, g, group->head) ? group->head + 1 : 0;
}

NPU__FN void npu__mdla_chain_from(npu__mdla_plan *plan, npu__mdla_graph *g, int32_t first) {
    npu__mdla_chain *chain = &g->chains[g->n_chains];
    int32_t          at = first, next;
    int              ended = npu__mdla_ended(plan, g, &g->groups[first]);
    memset(chain, 0, sizeof *chain);
    chain->first = chain->last = first;
    chain->n = 1;
    chain->supplied = g->groups[first].supplied;
    chain->weights = g->groups[first].weights;
    chain->without = npu__sat_add(npu__sat_add(g->groups[first].read, g->groups[first].weights), g->groups[first].written);
    chain->with = chain->without;
    while ((next = npu__mdla_link(g, at)) >= 0 &&
           !npu__mdla_chain_stops(plan, g, chain, &g->groups[at], &g->groups[next], ended)) {
        const npu__mdla_group *group = &g->groups[next];
        const int64_t          link = g->tensors[g->g->nodes[g->groups[at].last].out[0]].laid; /* written, and read again */
        const int64_t          all = npu__sat_add(npu__sat_add(group->read, group->weights), group->written);
        chain->without = npu__sat_add(chain->without, all);
        chain->with = npu__sat_add(chain->with - link, all) - link;
        chain->weights = npu__sat_add(chain->weights, group->weights);
        chain->supplied |= group->supplied;
        chain->last = at = next;
        chain->n++;
        if (!ended) ended = npu__mdla_ended(plan, g, group);
    }
    if (chain->n < 2) return;
    for (int32_t k = first; k >= 0; k = k == chain->last ? -1 : npu__mdla_link(g, k)) g->groups[k].chain = g->n_chains;
    g->n_chains++;
}

NPU__FN int npu__mdla_chains_make(npu__mdla_plan *plan, npu__mdla_graph *g) {
    if (plan->version < 30) return 1;
    g->chains = (npu__mdla_chain *)npu__pool_alloc(plan->pool, (size_t)NPU__MAX(g->n_groups, 1), sizeof *g->chains);
    if (!g->chains) return 0;
    for (int32_t k = 0; k < g->n_groups; k++) {
        const npu__mdla_group *group = &g->groups[k];
        if (group->n == 0 || group->chain >= 0 || group->rule == NPU__MDLA_F_NONE ||
            group->rule >= NPU__MDLA_F_PAD) continue;
        if (npu__mdla_breaks(plan, g, group)) continue;
        npu__mdla_chain_from(plan, g, k);
    }
    return 1;
}

#endif
