/* A plan as text: what it comes to, where the cycles go and what could be better first; then all of it. */
#include "plan.h"
#include "words.h"

#if NPU__HAS_MDLA && NPU__HAS_REPORTS

NPU__FN void npu__mdla_right(npu__text *t, const char *text, size_t width) {
    for (size_t n = strlen(text); n < width; n++) npu__text_put(t, " ", 1);
    npu__text_put(t, text, strlen(text));
}

NPU__FN void npu__mdla_column(npu__text *t, int64_t v, size_t width) {
    char digits[32];
    npu__format(digits, sizeof digits, "%k", v);
    npu__mdla_right(t, digits, width);
}

/* Bytes; nothing where there are none, so that the others stand out. */
NPU__FN void npu__mdla_bytes_column(npu__text *t, int64_t v, size_t width) {
    char text[32] = "-";
    if (v) npu__format(text, sizeof text, "%b", v);
    npu__mdla_right(t, text, width);
}

NPU__FN void npu__mdla_percent_column(npu__text *t, double share, size_t width) {
    char text[16] = "-";
    if (share > 0) npu__format(text, sizeof text, "%g", (double)(int64_t)(1000 * share + 0.5) / 10);
    npu__mdla_right(t, text, width);
}

NPU__FN void npu__mdla_word_in(npu__text *t, const char *word, size_t width) {
    npu__text_f(t, "%s", word);
    npu__text_pad(t, strlen(word), width);
}

/* ---- what it comes to ---- */

NPU__FN void npu__mdla_parts_text(npu__text *t, const npu__mdla_plan *plan) {
    npu__text_f(t, "  types            ");
    for (int32_t k = 0, n = 0; k < NPU__MDLA_N_TYPES; k++) {
        const npu__mdla_part part = npu__mdla_part_of(plan, k);
        if (part.ops) npu__text_f(t, "%s%k ops, %k MACs in %s", n++ ? "; " : "", part.ops, part.macs, npu__mdla_type_name(k));
    }
    npu__text_f(t, "\n");
}

NPU__FN void npu__mdla_summary_text(npu__text *t, const npu__mdla_plan *plan) {
    const npu_plan_report_summary *s = &plan->total;
    const npu__profile            *profile = plan->p->backend.profile;
    npu__text_f(t, "plan for %s by the rules %s, after %s\nAn estimate from a document, not a measurement: cycles are lower bounds. What is "
                "assumed and what is not known stands at the end.\n\n", plan->p->backend.target->name, profile->name, profile->document);
    npu__text_f(t, "  operators        %d of %d on the MDLA, in %d %s with %d %s\n", s->ops_placed, s->ops, s->phases,
                s->phases == 1 ? "phase" : "phases", s->switches, s->switches == 1 ? "switch" : "switches");
    if (s->ops_compiled) npu__text_f(t, "                   %d are computed when it is compiled, or dropped\n", s->ops_compiled);
    npu__text_f(t, "  MACs             %k of %k on the MDLA\n", s->macs_placed, s->macs);
    if (s->ops_placed) npu__mdla_parts_text(t, plan);
    npu__text_f(t, "  cycles           at least %k; %d %s no stated throughput and %s nothing\n", s->cycles, s->ops_unknown,
                s->ops_unknown == 1 ? "op has" : "ops have", s->ops_unknown == 1 ? "counts" : "count");
    if (plan->desc->clock_hz > 0) {
        npu__text_f(t, "  time             at least %g ms at %g MHz\n", (double)(int64_t)(s->seconds * 1e5 + 0.5) / 100, plan->desc->clock_hz / 1e6);
    } else {
        npu__text_f(t, "  time             unknown: no clock is stated (--clock MHZ)\n");
    }
    npu__text_f(t, "  fusion           %d groups of several ops, %d chains of deep layer fusion\n", s->groups, s->chains);
    npu__text_f(t, "  external memory  %b read and written", s->external_bytes);
    if (s->chains) npu__text_f(t, ", %b with the chains", s->external_bytes_chained);
    npu__text_f(t, "\n  conversions      %b; re-layouts %b at run time, %b when it is compiled\n", s->convert_bytes, s->relayout_bytes,
                s->relayout_constant_bytes);
    npu__text_f(t, "  beside that      %b in other transfers, %b read without need\n", s->extra_bytes, s->dummy_bytes);
}

/* ---- where the cycles go ---- */

enum { NPU__MDLA_TOP = 5, NPU__MDLA_TOP_NAMES = 4 };

typedef struct npu__mdla_top {
    int32_t subgraph, group; /* group -1: none */
} npu__mdla_top;

NPU__FN int64_t npu__mdla_top_cycles(const npu__mdla_plan *plan, npu__mdla_top at) {
    return plan->graphs[at.subgraph].groups[at.group].cycles;
}

/* The group that comes behind `last` (group -1: the first one) when the one with the most cycles comes first. */
NPU__FN npu__mdla_top npu__mdla_top_next(const npu__mdla_plan *plan, npu__mdla_top last) {
    npu__mdla_top best;
    int           behind = last.group < 0; /* equal ones stand in their own order */
    best.subgraph = 0;
    best.group = -1;
    for (int32_t s = 0; s < plan->nodes->model->n_subgraphs; s++) {
        for (int32_t k = 0; k < plan->graphs[s].n_groups; k++) {
            const int64_t cycles = plan->graphs[s].groups[k].cycles, most = last.group < 0 ? INT64_MAX : npu__mdla_top_cycles(plan, last);
            if (cycles > 0 && plan->graphs[s].groups[k].n > 0 && (cycles < most || (behind && cycles == most)) &&
                (best.group < 0 || cycles > npu__mdla_top_cycles(plan, best))) {
                best.subgraph = s;
                best.group = k;
            }
            if (s == last.subgraph && k == last.group) behind = 1;
        }
    }
    return best;
}

/* A group's ops, and whether an activation that one of them has on the way is what takes so long. */
NPU__FN void npu__mdla_top_ops_text(npu__text *t, const npu__mdla_graph *g, int32_t group) {
    const npu__mdla_group *of = &g->groups[group];
    int32_t                slow = -1;
    for (int32_t k = of->first, n = 0; k <= of->last; k++) {
        const npu__str name = npu__node_name(&g->g->nodes[k]);
        if (g->steps[k].group != group) continue;
        if (slow < 0 && g->steps[k].activation >= of->cycles) slow = k;
        if (n++ > NPU__MDLA_TOP_NAMES) continue;
        if (n > NPU__MDLA_TOP_NAMES) npu__text_f(t, ", ...");
        else npu__text_f(t, "%s%d %S", n > 1 ? ", " : "", k, &name);
    }
    if (slow >= 0) npu__text_f(t, "; the activation that is fused with %d", slow);
    npu__text_f(t, "\n");
}

NPU__FN void npu__mdla_top_text(npu__text *t, const npu__mdla_plan *plan) {
    npu__mdla_top at;
    at.subgraph = 0;
    at.group = -1;
    for (int32_t i = 0; i < NPU__MDLA_TOP; i++) {
        const npu__mdla_graph *g;
        const npu__mdla_group *group;
        at = npu__mdla_top_next(plan, at);
        if (at.group < 0) return;
        g = &plan->graphs[at.subgraph];
        group = &g->groups[at.group];
        if (i == 0) npu__text_f(t, "\nwhere the cycles go: ops that run as one, of all cycles above\n");
        npu__text_f(t, "  ");
        npu__mdla_percent_column(t, (double)group->cycles / (double)plan->total.cycles, 5);
        npu__text_f(t, " %%");
        npu__mdla_column(t, group->cycles, 15);
        npu__text_f(t, "  ");
        if (plan->nodes->model->n_subgraphs > 1) npu__text_f(t, "subgraph %d: ", at.subgraph);
        npu__mdla_top_ops_text(t, g, at.group);
    }
}

/* ---- all of it ---- */

NPU__FN void npu__mdla_phases_text(npu__text *t, const npu__mdla_graph *g) {
    npu__text_f(t, "\nexecution plan (in, out: what crosses from and to others; copied: of it, between memories; relayout: what layouts\n"
                "move; sync: caches are synchronised before)\n");
    npu__text_f(t, "phase  device   memory     ops             MACs       cycles>=          in         out      copied    relayout"
                "  sync\n");
    for (int32_t k = 0; k < g->n_phases; k++) {
        const npu__mdla_phase *p = &g->phases[k];
        npu__mdla_column(t, k, 5);
        npu__text_f(t, "  ");
        npu__mdla_word_in(t, npu__mdla_device_name(p->device), 9);
        npu__mdla_word_in(t, npu__mdla_domain(p->device), 6);
        npu__mdla_column(t, p->n, 8);
        npu__mdla_column(t, p->macs, 17);
        npu__mdla_column(t, p->cycles, 15);
        npu__mdla_bytes_column(t, p->in, 12);
        npu__mdla_bytes_column(t, p->out, 12);
        npu__mdla_bytes_column(t, p->copied, 12);
        npu__mdla_bytes_column(t, p->relayout, 12);
        npu__text_f(t, "  %s\n", npu__mdla_syncs(g, k) ? "yes" : "no");
    }
}

NPU__FN void npu__mdla_groups_text(npu__text *t, const npu__mdla_plan *plan, const npu__mdla_graph *g) {
    int any = 0;
    for (int32_t k = 0; k < g->n_groups; k++) {
        const npu__mdla_group *group = &g->groups[k];
        if (group->n < 2) continue;
        if (!any++) npu__text_f(t, "\nops that run as one (rule; * rests on an order that you supplied)\n");
        npu__text_f(t, "  group %d: ops %d to %d (%d of them), rule %s%s, %k cycles\n", k, group->first, group->last, group->n,
                    npu__mdla_rule_name(group->rule), group->supplied ? "*" : "", group->cycles);
    }
    for (int32_t k = 0; k < g->n_chains; k++) {
        const npu__mdla_chain *c = &g->chains[k];
        if (k == 0) {
            npu__text_f(t, "\nchains of deep layer fusion: external memory with and without%s\n",
                        plan->desc->weight_bytes ? "" : "; nothing is known of the room for their weights (--weight-storage)");
        }
        npu__text_f(t, "  groups %d to %d (%d)%s: %b instead of %b; weights %b\n", c->first, c->last, c->n, c->supplied ? "*" : "", c->with,
                    c->without, c->weights);
    }
}

NPU__FN void npu__mdla_borders_text(npu__text *t, const npu__mdla_graph *g) {
    int any = 0;
    for (int32_t i = 0; i < g->g->n_tensors; i++) {
        const npu__mdla_tensor *v = &g->tensors[i];
        if (!v->v || (!v->converted && !v->relayout)) continue;
        if (!any++) npu__text_f(t, "\ntensors that are converted or change their layout\n");
        npu__text_f(t, "  %S: %s%s%s, %s, %b as %b\n", &g->g->tensors[i].name, npu__mdla_type_name(v->type),
                    v->converted ? ", converted" : "", v->input ? ", input" : v->output ? ", output" : "",
                    v->relayout == NPU__MDLA_RELAYOUT_RUN ? "re-layout at run time" :
                    v->relayout == NPU__MDLA_RELAYOUT_COMPILE ? "re-layout at compile time" : "no re-layout",
                    v->bytes, v->laid);
    }
}

NPU__FN void npu__mdla_ops_text(npu__text *t, const npu__mdla_plan *plan, const npu__mdla_graph *g) {
    npu__text_f(t, "\n   op  device   operator                   group             MACs       cycles>=  fused activation  known by     MAC "
                "units %%\n");
    for (int32_t i = 0; i < g->g->n_nodes; i++) {
        const npu__mdla_step *s = &g->steps[i];
        const npu__str        name = npu__node_name(&g->g->nodes[i]);
        npu__mdla_column(t, i, 5);
        npu__text_f(t, "  ");
        npu__mdla_word_in(t, npu__mdla_device_name(s->device), 9);
        npu__text_f(t, "%S", &name);
        npu__text_pad(t, name.n, 27);
        if (s->device != NPU__MDLA_ON_MDLA) {
            npu__mdla_right(t, "-", 5);
            npu__mdla_column(t, s->macs, 17);
            npu__text_f(t, "\n");
            continue;
        }
        npu__mdla_column(t, s->group, 5);
        npu__mdla_column(t, s->macs, 17);
        npu__mdla_column(t, s->cycles, 15);
        if (s->activation) npu__mdla_column(t, s->activation, 18);
        else npu__mdla_right(t, "-", 18);
        npu__text_f(t, "  ");
        npu__mdla_word_in(t, npu__mdla_known_name(s->known), 12);
        npu__mdla_percent_column(t, npu__mdla_utilisation(plan, g, i), 12);
        npu__text_f(t, "\n");
    }
}

NPU__FN void npu__mdla_plan_text(npu__text *t, const npu__mdla_plan *plan) {
    npu__mdla_summary_text(t, plan);
    npu__mdla_top_text(t, plan);
    npu__mdla_hints_text(t, plan);
    for (int32_t s = 0; s < plan->nodes->model->n_subgraphs; s++) {
        const npu__mdla_graph *g = &plan->graphs[s];
        if (plan->nodes->model->n_subgraphs > 1) npu__text_f(t, "\nsubgraph %d\n", s);
        npu__mdla_phases_text(t, g);
        npu__mdla_groups_text(t, plan, g);
        npu__mdla_borders_text(t, g);
        npu__mdla_ops_text(t, plan, g);
    }
    npu__text_f(t, "\nassumed\n");
#define NPU__X(text) npu__text_f(t, "  %s\n", text);
    NPU__MDLA_ASSUMED(NPU__X)
    npu__text_f(t, "\nnot known\n");
    NPU__MDLA_UNKNOWN(NPU__X)
#undef NPU__X
}

#endif
