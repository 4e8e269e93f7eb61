/* What the software device makes of a segment, operator by operator. */
#include "device.h"

#if NPU__HAS_MDLA_DEVICE && NPU__HAS_REPORTS

/* How operator i computes. `h`: the first hybrid one from here on. */
NPU__FN const char *npu__mdla_computes(const npu__seg *seg, int32_t i, int32_t *h) {
    const npu__mdla_program *p = (const npu__mdla_program *)seg->ctx.data;
    const npu__ctx          *c = seg->nodes[i];
    if (*h < p->n_hybrids && p->hybrids[*h].node == i) {
        (*h)++;
        return "FP16, weights dequantized";
    }
    for (int32_t k = 0; k < c->n_out; k++) if (npu__mdla_rounds(c->out[k])) return "FP16";
    return "as on the CPU";
}

NPU__FN void npu__mdla_program_report(npu__text *t, npu__seg *seg, const npu__program_ask *ask) {
    const npu__mdla_program *p = (const npu__mdla_program *)seg->ctx.data;
    const int                json = ask->format == NPU_FORMAT_JSON, dot = ask->format == NPU_FORMAT_DOT;
    int32_t                  h = 0;
    if (json) {
        npu__json_int(t, "rounded_constants", p->n_constants);
        npu__json_open(t, "operators", '[');
    } else if (!dot) {
        npu__text_f(t, "  %d constants are rounded to FP16\n", p->n_constants);
    }
    for (int32_t i = 0; i < seg->n_nodes; i++) {
        const npu__node *node = seg->nodes[i]->node;
        const npu__str   name = npu__node_name(node);
        const char      *how = npu__mdla_computes(seg, i, &h);
        if (json) {
            npu__json_open(t, NULL, '{');
            npu__json_int(t, "op", node->index);
            npu__json_str(t, "name", name);
            npu__json_str(t, "computes", npu__str_of(how));
            npu__json_close(t, '}');
        } else if (dot) {
            npu__text_f(t, "  s%d_%d [label=\"%S\"];\n", ask->number, i, &name);
            if (i) npu__text_f(t, "  s%d_%d -> s%d_%d;\n", ask->number, i - 1, ask->number, i);
        } else {
            npu__text_f(t, "  %d %S: %s\n", node->index, &name, how);
        }
    }
    if (json) npu__json_close(t, ']');
}

#endif
