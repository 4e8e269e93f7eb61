/* What following a hint would gain. */
#include "../rules/warnings.h"
#include "plan.h"

#if NPU__HAS_MDLA && NPU__HAS_REPORTS

/* Of a node's tensors: those that it reads (inputs) or writes. */
NPU__FN const npu__mdla_tensor *npu__mdla_tensor_of(const npu__mdla_graph *g, const npu__node *n, int32_t k) {
    const int32_t t = k < n->n_in ? n->in[k] : n->out[k - n->n_in];
    return t < 0 ? NULL : &g->tensors[t];
}

/* Bytes that conversions of its inputs and outputs move. */
NPU__FN int64_t npu__mdla_gain_convert(const npu__mdla_graph *g, const npu__node *n) {
    int64_t bytes = 0;
    for (int32_t k = 0; k < n->n_in + n->n_out; k++) {
        const npu__mdla_tensor *t = npu__mdla_tensor_of(g, n, k);
        if (t && t->converted) bytes = npu__sat_add(bytes, npu__mdla_converted_bytes(t));
    }
    return bytes;
}

/* What it reads beyond the elements, and the re-layouts before it. */
NPU__FN int64_t npu__mdla_gain_padding(const npu__mdla_graph *g, const npu__node *n) {
    int64_t bytes = 0;
    for (int32_t k = 0; k < n->n_in; k++) {
        const npu__mdla_tensor *t = npu__mdla_tensor_of(g, n, k);
        if (!t || t->constant || t->layout == NPU__MDLA_DENSE) continue;
        bytes = npu__sat_add(bytes, t->laid - t->bytes);
        if (t->relayout == NPU__MDLA_RELAYOUT_RUN) bytes = npu__sat_add(bytes, npu__sat_add(t->bytes, t->laid));
    }
    return bytes;
}

/* Cycles above those of all MAC units at work. */
NPU__FN int64_t npu__mdla_gain_rate(const npu__mdla_plan *plan, const npu__mdla_graph *g, const npu__node *n,
                                    const npu__mdla_step *s) {
    const npu__ctx *c = npu__mdla_ctx(plan, g, n->index);
    const npu__val *data = npu__mdla_data(c);
    const int32_t   per_cycle = data ? npu__mdla_macs(g->tensors[n->in[data == c->in[0] ? 0 : 2]].type, plan->version) : 0;
    return per_cycle ? NPU__MAX(s->cycles - s->macs / per_cycle, 0) : 0;
}

NPU__FN npu__mdla_gain npu__mdla_gains(const npu__mdla_plan *plan, const npu__mdla_graph *g, int32_t node,
                                       const npu__rule *hint) {
    const npu__node        *n = &g->g->nodes[node];
    const npu__mdla_step   *s = &g->steps[node];
    const npu__mdla_tensor *in = n->n_in > 0 ? npu__mdla_tensor_of(g, n, 0) : NULL;
    const npu__mdla_tensor *out = n->n_out > 0 ? npu__mdla_tensor_of(g, n, n->n_in) : NULL;
    npu__mdla_gain          gain;
    gain.bytes = gain.cycles = 0;
    switch (npu__mdla_gain_of(hint)) {
    case NPU__MDLA_GAIN_CONVERT: gain.bytes = npu__mdla_gain_convert(g, n); break;
    case NPU__MDLA_GAIN_PADDING: gain.bytes = npu__mdla_gain_padding(g, n); break;
    case NPU__MDLA_GAIN_ENLARGE: gain.bytes = s->enlarged; break;
    case NPU__MDLA_GAIN_BROADCAST: case NPU__MDLA_GAIN_COPY: case NPU__MDLA_GAIN_PAD: gain.bytes = s->dma; break;
    case NPU__MDLA_GAIN_DUMMY: gain.bytes = s->dummy; break;
    case NPU__MDLA_GAIN_REQUANT_IN: /* if it is an operation of its own */
        if (!in) break;
        gain.bytes = npu__sat_mul(in->laid, 2);
        gain.cycles = npu__mdla_by_rate(in->elements, NPU__MDLA_R_BN_ADD, in->type, plan->version);
        break;
    case NPU__MDLA_GAIN_REQUANT_OUT:
        if (!out) break;
        gain.bytes = npu__sat_mul(out->laid, 2);
        gain.cycles = npu__mdla_by_rate(out->elements, NPU__MDLA_R_BN_ADD, out->type, plan->version);
        break;
    case NPU__MDLA_GAIN_RATE: gain.cycles = npu__mdla_gain_rate(plan, g, n, s); break;
    case NPU__MDLA_GAIN_MAPPED:
        gain.cycles = s->cycles;
        if (in && out) gain.bytes = npu__sat_add(in->laid, out->laid);
        break;
    default: break;
    }
    return gain;
}

#endif
