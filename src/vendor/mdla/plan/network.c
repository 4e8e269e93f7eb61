/* What a plan says of the network as a whole: memory domains, synchronisation, hints that belong to no operator. */
#include "plan.h"

#if NPU__HAS_MDLA && NPU__HAS_REPORTS

NPU__FN int npu__mdla_in_apu(int32_t device) { return device == NPU__MDLA_ON_MDLA || device == NPU__MDLA_ON_MVPU; }

NPU__FN const char *npu__mdla_domain(int32_t device) { return npu__mdla_in_apu(device) ? "APU" : "CPU"; }

NPU__FN npu__mdla_part npu__mdla_part_of(const npu__mdla_plan *plan, int32_t type) {
    npu__mdla_part part = {0, 0, 0};
    for (int32_t s = 0; s < plan->nodes->model->n_subgraphs; s++) {
        const npu__mdla_graph *g = &plan->graphs[s];
        for (int32_t i = 0; i < g->g->n_nodes; i++) {
            const npu__mdla_step *step = &g->steps[i];
            if (step->device != NPU__MDLA_ON_MDLA || step->type != type) continue;
            part.ops++;
            part.macs = npu__sat_add(part.macs, step->macs);
            part.cycles = npu__sat_add(part.cycles, step->cycles);
        }
    }
    return part;
}

/* Does control pass between CPU and APU before this phase? */
NPU__FN int npu__mdla_syncs(const npu__mdla_graph *g, int32_t phase) {
    const int32_t before = phase > 0 ? g->phases[phase - 1].device : NPU__MDLA_ON_CPU;
    return npu__mdla_in_apu(before) != npu__mdla_in_apu(g->phases[phase].device);
}

/* X(id, unit, what to do) */
#define NPU__MDLA_NETWORK(X) \
    X(SUPPRESS_INPUT, "bytes", \
      "feed inputs as the MDLA holds them, and suppress their conversion (--suppress-input-conversion)") \
    X(SUPPRESS_OUTPUT, "bytes", \
      "take outputs as the MDLA holds them, and suppress their conversion (--suppress-output-conversion)") \
    X(DMA_BUF, "bytes", "use dma-buf buffers for inputs and outputs, which need no copies") \
    X(DEVICES, "switches", "change the network so that it runs on the MDLA entirely: each switch prepares a device") \
    X(CONTROL_FLOW, "operators", "unroll loops and decide branches outside: the runtime handles them") \
    X(RELAX_FP32, "operators", "let FP32 run as FP16 (--relax-fp32): otherwise the MDLA takes none of it")

NPU__FN const char *npu__mdla_network_name(int32_t k) {
    static const char *const names[] = {
#define NPU__X(id, unit, text) #id,
        NPU__MDLA_NETWORK(NPU__X)
#undef NPU__X
    };
    return names[k];
}

NPU__FN const char *npu__mdla_network_unit(int32_t k) {
    static const char *const units[] = {
#define NPU__X(id, unit, text) unit,
        NPU__MDLA_NETWORK(NPU__X)
#undef NPU__X
    };
    return units[k];
}

NPU__FN const char *npu__mdla_network_text(int32_t k) {
    static const char *const texts[] = {
#define NPU__X(id, unit, text) text,
        NPU__MDLA_NETWORK(NPU__X)
#undef NPU__X
    };
    return texts[k];
}

NPU__FN int64_t npu__mdla_border_bytes(const npu__mdla_graph *g, int output) {
    int64_t bytes = 0;
    for (int32_t i = 0; i < g->g->n_tensors; i++) {
        const npu__mdla_tensor *t = &g->tensors[i];
        if (!(output ? t->output : t->input) || !t->v) continue;
        if (t->converted) bytes = npu__sat_add(bytes, npu__mdla_converted_bytes(t));
        if (t->relayout == NPU__MDLA_RELAYOUT_RUN) bytes = npu__sat_add(bytes, npu__sat_add(t->bytes, t->laid));
    }
    return bytes;
}

/* Operators that are the CPU's for their FP32 data, perhaps for no other reason. */
NPU__FN int64_t npu__mdla_strict(const npu__mdla_plan *plan, const npu__mdla_graph *g) {
    int64_t n = 0;
    if (plan->p->backend.profile->bit & NPU__MDLA_P_RELAXED) return 0;
    for (int32_t i = 0; i < g->g->n_nodes; i++) {
        const npu__val *data = g->steps[i].device == NPU__MDLA_ON_CPU && npu__mdla_op_of(&g->g->nodes[i])
                                   ? npu__mdla_data(npu__mdla_ctx(plan, g, i)) : NULL;
        n += data && data->type == NPU_FLOAT32;
    }
    return n;
}

NPU__FN int64_t npu__mdla_graph_value(const npu__mdla_plan *plan, const npu__mdla_graph *g, int32_t k) {
    int64_t n = 0;
    switch (k) {
    case NPU__MDLA_NET_SUPPRESS_INPUT: return npu__mdla_border_bytes(g, 0);
    case NPU__MDLA_NET_SUPPRESS_OUTPUT: return npu__mdla_border_bytes(g, 1);
    case NPU__MDLA_NET_DMA_BUF:
        for (int32_t i = 0; i < g->n_phases; i++) n = npu__sat_add(n, g->phases[i].copied);
        return n;
    case NPU__MDLA_NET_DEVICES: return NPU__MAX(g->n_phases - 1, 0);
    case NPU__MDLA_NET_RELAX_FP32: return npu__mdla_strict(plan, g);
    default:
        for (int32_t i = 0; i < g->g->n_nodes; i++) n += g->steps[i].device == NPU__MDLA_ON_RUNTIME;
        return n;
    }
}

NPU__FN int64_t npu__mdla_network_value(const npu__mdla_plan *plan, int32_t k) {
    int64_t sum = 0;
    for (int32_t s = 0; s < plan->nodes->model->n_subgraphs; s++) {
        sum = npu__sat_add(sum, npu__mdla_graph_value(plan, &plan->graphs[s], k));
    }
    return sum;
}

#endif
