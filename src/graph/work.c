/* How much work a node is: one function for reports, folding and the budgets of sessions. */
#include "op.h"

NPU__FN int64_t npu__work_of_val(const npu__val *v) {
    int64_t n = 0;
    return v && npu__shape_elems(&v->shape, &n) ? n : 0;
}

NPU__FN npu__work npu__work_steps(const npu__ctx *c, int64_t steps) {
    npu__work w;
    w.macs = 0;
    w.steps = npu__sat_add(steps, 1);
    for (int32_t i = 0; i < c->n_in; i++) w.steps = npu__sat_add(w.steps, npu__work_of_val(c->in[i]));
    for (int32_t i = 0; i < c->n_out; i++) w.steps = npu__sat_add(w.steps, npu__work_of_val(c->out[i]));
    return w;
}

NPU__FN npu__work npu__work_elements(const npu__ctx *c) { return npu__work_steps(c, 0); }

NPU__FN npu__work npu__work_macs(const npu__ctx *c, int64_t macs) {
    npu__work w = npu__work_steps(c, macs);
    w.macs = macs;
    return w;
}

NPU__FN npu__work npu__node_work(const npu__ctx *c) {
    return c->node->def->work ? c->node->def->work(c) : npu__work_elements(c);
}
