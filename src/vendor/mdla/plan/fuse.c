/* Which operators run as one: the fusion rules, PAD, what quantize operations become, and deep layer fusion. */
#include "plan.h"

#if NPU__HAS_MDLA && NPU__HAS_REPORTS

NPU__FN int npu__mdla_is_conv(const npu__mdla_op *op) { return op && op->group == NPU__MDLA_G_CONV; }

/* The fused activation as a group of the rules. */
NPU__FN int32_t npu__mdla_then(const npu__node *node) {
    const int32_t code = npu__fused_activation(node);
    return code > NPU__ACT_NONE && code <= NPU__ACT_TANH ? NPU__MDLA_G_ACT1 : NPU__MDLA_G_NONE;
}

/* Does a node read the tensor as its data? Either input of element-wise operations. */
NPU__FN int npu__mdla_takes(const npu__node *node, int32_t tensor) {
    const npu__mdla_op *op = npu__mdla_op_of(node);
    const int32_t       k = node->code == NPU__BUILTIN_TRANSPOSE_CONV ? 2 : 0;
    /* none that is fused has so many: a loop over all would not be linear */
    if (node->n_in > NPU__MDLA_MOST_INPUTS) return 0;
    if (k < node->n_in && node->in[k] == tensor) return 1;
    return op && op->group == NPU__MDLA_G_MATH2 && node->n_in > 1 && node->in[1] == tensor;
}

/* The operator that alone reads what `node` gives, as its data; -1: there is none, or it runs elsewhere, or stands in a
 * group already. */
NPU__FN int32_t npu__mdla_next(const npu__mdla_graph *g, int32_t node, int32_t first) {
    const npu__node        *n = &g->g->nodes[node], *next;
    const npu__mdla_tensor *t = n->n_out == 1 ? &g->tensors[n->out[0]] : NULL;
    if (!t || t->users != 1 || t->output || t->reader <= node) return -1;
    if (g->steps[t->reader].device != NPU__MDLA_ON_MDLA || g->steps[t->reader].group >= 0) return -1;
    next = &g->g->nodes[t->reader];
    if (!npu__mdla_takes(next, n->out[0])) return -1;
    for (int32_t k = 0; k < next->n_in; k++) { /* all else that it reads is there before the group starts */
        const npu__mdla_tensor *other = next->in[k] >= 0 ? &g->tensors[next->in[k]] : NULL;
        if (other && other != t && !other->constant && other->writer >= first) return -1;
    }
    return t->reader;
}

NPU__FN void npu__mdla_join(npu__mdla_graph *g, npu__mdla_group *group, int32_t at, int32_t node) {
    const npu__mdla_op *op = npu__mdla_op_of(&g->g->nodes[node]);
    const npu__node    *n = &g->g->nodes[node];
    for (int32_t k = 0; group->n && k < n->n_in; k++) { /* the last operator outside of the group that it waits for */
        const npu__mdla_tensor *t = n->in[k] >= 0 ? &g->tensors[n->in[k]] : NULL;
        if (t && !t->constant && t->writer != group->last) group->waits = NPU__MAX(group->waits, t->writer);
    }
    g->steps[node].group = at;
    group->last = node;
    group->resize |= op && op->group == NPU__MDLA_G_RESIZE;
    group->n++;
}

/* How many operators behind `last` follow an order from a stage on. join: they become members of group `at`. */
NPU__FN int32_t npu__mdla_follow(npu__mdla_graph *g, npu__mdla_group *group, int32_t at, const npu__mdla_order *o,
                                 int32_t stage, int join) {
    int32_t last = group->last, n = 0;
    for (int32_t next; (next = npu__mdla_next(g, last, group->first)) >= 0; n++) {
        const npu__mdla_op *op = npu__mdla_op_of(&g->g->nodes[next]);
        if (!op || op->group == NPU__MDLA_G_NONE || op->group == NPU__MDLA_G_CONV || g->steps[next].mapped) break;
        if (!npu__mdla_fits(o, &stage, op->group, npu__mdla_then(&g->g->nodes[next]))) break;
        if (join) npu__mdla_join(g, group, at, next);
        last = next;
    }
    return n;
}

/* The stage behind an order's first operator; -1: it cannot begin with this one. Rule B may begin with any of its stages. */
NPU__FN int32_t npu__mdla_begin(const npu__mdla_order *o, const npu__node *node, int conv) {
    const npu__mdla_op *op = npu__mdla_op_of(node);
    int32_t             stage = 0;
    while (!conv && stage < o->n && !((uint32_t)o->stage[stage] >> op->group & 1u)) stage++;
    if (stage >= o->n || !((uint32_t)o->stage[stage] >> op->group & 1u)) return -1;
    stage++;
    if (npu__mdla_then(node) && !npu__mdla_fits(o, &stage, npu__mdla_then(node), 0)) return -1;
    return stage;
}

/* The rule with the longest sequence from a node on; of equal ones the first. Rule F, which has no stage to skip, counts
 * as a whole. */
NPU__FN void npu__mdla_group_rules(npu__mdla_plan *plan, npu__mdla_graph *g, npu__mdla_group *group, int32_t at) {
    static const int32_t with_conv[] = {NPU__MDLA_F_F, NPU__MDLA_F_A, NPU__MDLA_F_D, NPU__MDLA_F_E};
    const npu__node     *node = &g->g->nodes[group->last];
    const npu__mdla_op  *op = npu__mdla_op_of(node);
    const int            conv = npu__mdla_is_conv(op);
    int32_t              best = NPU__MDLA_F_NONE, most = -1;
    if (!op || op->group == NPU__MDLA_G_NONE || g->steps[group->last].mapped) return;
    for (int32_t k = 0; k < (conv ? NPU__COUNT(with_conv) : 1); k++) {
        const int32_t          rule = conv ? with_conv[k] : NPU__MDLA_F_B;
        const npu__mdla_order *o = &plan->orders[rule];
        const int32_t          stage = npu__mdla_begin(o, node, conv);
        int32_t                n;
        if (stage < 0) continue;
        n = npu__mdla_follow(g, group, at, o, stage, 0);
        if (o->exact && n < o->n - 1) continue;
        if (n > most) {
            most = n;
            best = rule;
        }
    }
    if (best == NPU__MDLA_F_NONE) return;
    group->rule = best;
    group->supplied = plan->orders[best].supplied;
    (void)npu__mdla_follow(g, group, at, &plan->orders[best], npu__mdla_begin(&plan->orders[best], node, conv), 1);
}

/* What stands behind CONV_2D, FULLY_CONNECTED, ABS, ... and is fused into it by the mapping of quantize operations. */
NPU__FN void npu__mdla_take_quantize(npu__mdla_graph *g, npu__mdla_group *group, int32_t at) {
    const int32_t next = npu__mdla_next(g, group->last, group->first);
    const char   *m = next >= 0 ? g->steps[next].mapped : NULL;
    if (!m || (strcmp(m, "requantize.1") && strcmp(m, "requantize.2") && strcmp(m, "quantize.1") &&
               strcmp(m, "dequantize.1"))) return;
    if (group->n == 1) group->rule = NPU__MDLA_F_QUANTIZE;
    npu__mdla_join(g, group, at, next);
}

NPU__FN void npu__mdla_group_make(npu__mdla_plan *plan, npu__mdla_graph *g, int32_t node) {
    const int32_t    at = g->n_groups++;
    npu__mdla_group *group = &g->groups[at];
    group->first = node;
    group->head = group->chain = group->second = group->waits = -1;
    npu__mdla_join(g, group, at, node);
    if (g->steps[node].pad_fused) {
        const int32_t next = npu__mdla_next(g, node, node);
        if (next < 0) return;
        npu__mdla_join(g, group, at, next);
        node = next;
    }
    if (npu__mdla_is_conv(npu__mdla_op_of(&g->g->nodes[node]))) group->head = node;
    npu__mdla_group_rules(plan, g, group, at);
    if (group->rule == NPU__MDLA_F_NONE && group->n > 1) group->rule = NPU__MDLA_F_PAD;
    npu__mdla_take_quantize(g, group, at);
}

/* ---- rule C ---- */

NPU__FN int npu__mdla_no_top_left(const npu__ctx *c) {
    const npu__padding p = npu__padding_of(c);
    return p.top == 0 && p.left == 0;
}

/* Is all that the group reads from others there before `first`? Its link, from group 1, is. */
NPU__FN int npu__mdla_ready(const npu__mdla_graph *g, const npu__mdla_group *group, int32_t first) {
    const npu__node *n = &g->g->nodes[group->first];
    for (int32_t k = 1; k < n->n_in; k++) {
        const npu__mdla_tensor *t = n->in[k] >= 0 ? &g->tensors[n->in[k]] : NULL;
        if (t && !t->constant && t->writer >= first) return 0;
    }
    return group->n == 1 || group->waits < first;
}

/* Why rule C does not join two groups: an id of NPU__MDLA_RULE_C; NULL: it does. */
NPU__FN const char *npu__mdla_rule_c(const npu__mdla_plan *plan, const npu__mdla_graph *g, const npu__mdla_group *one,
                                     const npu__mdla_group *two) {
    const npu__node        *last = &g->g->nodes[one->last], *conv = two->head >= 0 ? &g->g->nodes[two->head] : NULL;
    const npu__mdla_tensor *link = last->n_out == 1 ? &g->tensors[last->out[0]] : NULL;
    const npu__ctx         *c;
    npu__window             w;
    if (two->rule != NPU__MDLA_F_A || !conv || two->first != two->head ||
        conv->code != NPU__BUILTIN_CONV_2D) return "group_2";
    if (one->rule != NPU__MDLA_F_A && one->rule != NPU__MDLA_F_B) return "two";
    if (one->head >= 0 && g->g->nodes[one->head].code != NPU__BUILTIN_CONV_2D &&
        g->g->nodes[one->head].code != NPU__BUILTIN_DEPTHWISE_CONV_2D) return "two";
    if (one->second >= 0 || one->into) return "two";
    if (!link || link->users != 1 || link->output || link->reader != two->first ||
        !npu__mdla_takes(conv, last->out[0])) return "single_use";
    if (!npu__mdla_ready(g, two, one->first)) return "single_use"; /* it would have to wait for what comes later */
    c = npu__mdla_ctx(plan, g, two->head);
    w = npu__window_of(c);
    if (w.stride_h < 1 || w.stride_h > 2 || w.stride_w < 1 || w.stride_w > 2) return "stride";
    if (c->in[0]->shape.rank != 4 || c->out[0]->shape.rank != 4 || !npu__mdla_no_top_left(c)) return "padding";
    if (link->type != g->tensors[g->g->nodes[two->last].out[0]].type) return "type";
    return one->resize && (w.k_h != w.stride_h || w.k_w != w.stride_w) ? "resize" : NULL;
}

/* Group 2 becomes a part of group 1. */
NPU__FN void npu__mdla_merge(npu__mdla_graph *g, int32_t one, int32_t two) {
    npu__mdla_group *a = &g->groups[one], *b = &g->groups[two];
    b->into = one + 1;
    a->rule = NPU__MDLA_F_C;
    a->supplied |= b->supplied;
    a->second = b->head;
    a->last = b->last;
    a->n += b->n;
    b->n = 0;
}

NPU__FN void npu__mdla_groups_pair(npu__mdla_plan *plan, npu__mdla_graph *g) {
    for (int32_t k = 0; k < g->n_groups; k++) {
        const npu__mdla_group  *one = &g->groups[k];
        const npu__mdla_tensor *link;
        int32_t                 two;
        if (one->n == 0 || g->g->nodes[one->last].n_out != 1) continue;
        link = &g->tensors[g->g->nodes[one->last].out[0]];
        two = link->reader > one->last ? g->steps[link->reader].group : -1;
        if (two < 0 || two == k || g->groups[two].n == 0 || npu__mdla_rule_c(plan, g, one, &g->groups[two])) continue;
        npu__mdla_merge(g, k, two);
    }
    for (int32_t i = 0; i < g->g->n_nodes; i++) {
        const int32_t at = g->steps[i].group;
        if (at >= 0 && g->groups[at].into) g->steps[i].group = g->groups[at].into - 1;
    }
}

/* ---- sums ---- */

/* Fused operations are taken to overlap, so that a group takes as long as the slowest of them; but convolutions share the
 * MAC units. */
NPU__FN void npu__mdla_groups_sum(npu__mdla_graph *g) {
    for (int32_t k = 0; k < g->n_groups; k++) g->groups[k].known = NPU__MDLA_C_RATE;
    for (int32_t i = 0; i < g->g->n_nodes; i++) {
        const npu__mdla_step *s = &g->steps[i];
        npu__mdla_group      *group = s->group >= 0 ? &g->groups[s->group] : NULL;
        int64_t               cycles = s->cycles;
        if (!group) continue;
        if (i == group->second) cycles = npu__sat_add(cycles, g->steps[group->head >= 0 ? group->head : i].cycles);
        if (group->rule == NPU__MDLA_F_NONE) cycles = npu__sat_add(cycles, s->activation);
        else cycles = NPU__MAX(cycles, s->activation);
        group->cycles = NPU__MAX(group->cycles, cycles);
        group->known = NPU__MIN(group->known, s->known);
    }
}

/* What a group reads and writes of external memory: each tensor as often as a member reads it. A CONCATENATION that was
 * optimised away moves nothing: what it joins is written in its place. */
NPU__FN void npu__mdla_groups_bytes(npu__mdla_graph *g) {
    for (int32_t i = 0; i < g->g->n_nodes; i++) {
        const npu__node *n = &g->g->nodes[i];
        const int32_t    at = g->steps[i].eliminated ? -1 : g->steps[i].group;
        for (int32_t k = 0; at >= 0 && k < n->n_in; k++) {
            const npu__mdla_tensor *t = n->in[k] >= 0 ? &g->tensors[n->in[k]] : NULL;
            npu__mdla_group        *group = &g->groups[at];
            if (!t || (t->writer >= 0 && g->steps[t->writer].group == at)) continue;
            if (t->constant) group->weights = npu__sat_add(group->weights, t->laid);
            else group->read = npu__sat_add(group->read, t->laid);
        }
        for (int32_t k = 0; at >= 0 && k < n->n_out; k++) {
            const npu__mdla_tensor *t = &g->tensors[n->out[k]];
            if (t->users == 1 && !t->output && t->reader >= 0 && g->steps[t->reader].group == at) continue;
            g->groups[at].written = npu__sat_add(g->groups[at].written, t->laid);
        }
    }
}

NPU__FN int npu__mdla_groups_make(npu__mdla_plan *plan, npu__mdla_graph *g) {
    g->groups = (npu__mdla_group *)npu__pool_alloc(plan->pool, (size_t)NPU__MAX(g->g->n_nodes, 1), sizeof *g->groups);
    if (!g->groups) return 0;
    for (int32_t i = 0; i < g->g->n_nodes; i++) {
        if (g->steps[i].device == NPU__MDLA_ON_MDLA && g->steps[i].group < 0) npu__mdla_group_make(plan, g, i);
    }
    npu__mdla_groups_pair(plan, g);
    npu__mdla_groups_sum(g);
    npu__mdla_groups_bytes(g);
    return 1;
}

#endif
