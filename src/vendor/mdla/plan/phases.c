/* Which device runs what, one after the other, and what crosses between them. */
#include "plan.h"

#if NPU__HAS_MDLA && NPU__HAS_REPORTS

/* Re-layouts are the MDLA's, each counted once. */
NPU__FN void npu__mdla_phase_relayout(npu__mdla_phase *phase, npu__mdla_tensor *t) {
    if (phase->device != NPU__MDLA_ON_MDLA || t->relayout != NPU__MDLA_RELAYOUT_RUN || t->relaid) return;
    t->relaid = 1;
    phase->relayout = npu__sat_add(phase->relayout, npu__sat_add(t->bytes, t->laid));
}

NPU__FN void npu__mdla_phase_add(npu__mdla_phase *phase, npu__mdla_graph *g, int32_t i, int32_t at) {
    const npu__node      *n = &g->g->nodes[i];
    const npu__mdla_step *s = &g->steps[i];
    phase->last = i;
    phase->n++;
    phase->macs = npu__sat_add(phase->macs, s->macs);
    for (int32_t k = 0; k < n->n_in; k++) {
        npu__mdla_tensor *t = n->in[k] >= 0 ? &g->tensors[n->in[k]] : NULL;
        if (!t || t->constant || t->seen == at + 1) continue;
        t->seen = at + 1;
        if (t->writer >= 0 && g->steps[t->writer].device == s->device) continue; /* it stays in the device's memory */
        phase->in = npu__sat_add(phase->in, t->bytes);
        if (npu__mdla_in_apu(s->device) != npu__mdla_in_apu(t->made_by)) {
            phase->copied = npu__sat_add(phase->copied, t->bytes);
        }
        npu__mdla_phase_relayout(phase, t);
    }
    for (int32_t k = 0; k < n->n_out; k++) {
        npu__mdla_tensor *t = &g->tensors[n->out[k]];
        if (!t->output && !(t->read_by & ~((1u << s->device) | 1u))) continue; /* bounded: five devices */
        phase->out = npu__sat_add(phase->out, t->bytes);
        if (t->output && npu__mdla_in_apu(s->device)) phase->copied = npu__sat_add(phase->copied, t->bytes);
        npu__mdla_phase_relayout(phase, t);
    }
}

/* Each group counts where its first operator stands. */
NPU__FN void npu__mdla_phases_cycles(npu__mdla_graph *g) {
    for (int32_t k = 0; k < g->n_groups; k++) {
        const npu__mdla_group *group = &g->groups[k];
        npu__mdla_phase       *phase = &g->phases[g->steps[group->first].phase];
        if (group->n == 0) continue;
        phase->cycles = npu__sat_add(phase->cycles, group->cycles);
        phase->known = NPU__MIN(phase->known, group->known);
    }
}

NPU__FN int npu__mdla_phases_make(npu__mdla_plan *plan, npu__mdla_graph *g) {
    int32_t device = -1;
    g->phases = (npu__mdla_phase *)npu__pool_alloc(plan->pool, (size_t)NPU__MAX(g->g->n_nodes, 1), sizeof *g->phases);
    if (!g->phases) return 0;
    for (int32_t i = 0; i < g->g->n_nodes; i++) {
        if (g->steps[i].device == NPU__MDLA_ON_NOTHING) continue;
        if (g->steps[i].device != device) {
            npu__mdla_phase *phase = &g->phases[g->n_phases++];
            device = phase->device = g->steps[i].device;
            phase->first = i;
            phase->known = device == NPU__MDLA_ON_MDLA ? NPU__MDLA_C_RATE : NPU__MDLA_C_UNKNOWN;
        }
        g->steps[i].phase = g->n_phases - 1;
        npu__mdla_phase_add(&g->phases[g->n_phases - 1], g, i, g->n_phases - 1);
    }
    npu__mdla_phases_cycles(g);
    return 1;
}

#endif
