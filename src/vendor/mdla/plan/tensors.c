/* Tensors of a plan: who makes and reads them, as what, in which layout. */
#include "plan.h"

#if NPU__HAS_MDLA && NPU__HAS_REPORTS

NPU__FN const npu__ctx *npu__mdla_ctx(const npu__mdla_plan *plan, const npu__mdla_graph *g, int32_t node) {
    return plan->nodes->at(plan->nodes->user, g->g->nodes[node].subgraph, node);
}

/* ---- devices ---- */

/* Does the list of names, with commas between them, have this one? */
NPU__FN int npu__mdla_in_list(const char *list, npu__str name) {
    for (const char *at = list; at && *at;) {
        const char *end = at;
        npu__str    one;
        while (*end && *end != ',') end++;
        one.p = at;
        one.n = (size_t)(end - at);
        if (one.n == name.n && memcmp(one.p, name.p, one.n) == 0) return 1;
        at = *end ? end + 1 : end;
    }
    return 0;
}

NPU__FN int32_t npu__mdla_device_of(const npu__mdla_plan *plan, int32_t s, int32_t i) {
    const npu__node *node = &plan->nodes->model->subgraphs[s].nodes[i];
    if (plan->p->dropped[s][i] || plan->nodes->once(plan->nodes->user, s, i)) return NPU__MDLA_ON_NOTHING;
    if (plan->p->placed[s][i]) return NPU__MDLA_ON_MDLA;
    if (node->code == NPU__BUILTIN_IF || node->code == NPU__BUILTIN_WHILE) return NPU__MDLA_ON_RUNTIME;
    return npu__mdla_in_list(plan->desc->mvpu, npu__node_name(node)) ? NPU__MDLA_ON_MVPU : NPU__MDLA_ON_CPU;
}

/* ---- tensors ---- */

NPU__FN void npu__mdla_tensor_see(npu__mdla_plan *plan, npu__mdla_tensor *t, const npu__val *v) {
    npu__got got;
    if (t->v) return;
    memset(&got, 0, sizeof got);
    got.scene = &plan->scene;
    got.target = plan->p->backend.target;
    t->v = v;
    t->constant = v->data != NULL;
    t->type = (uint8_t)npu__mdla_type_of(v, &got);
    t->bits = (uint8_t)npu__mdla_bits_of(v);
    if (v->known && npu__shape_elems(&v->shape, &t->elements)) {
        t->bytes = npu__mdla_layout_bytes(&v->shape, t->bits, NPU__MDLA_DENSE);
        /* bias, parameters */
        if (t->type == NPU__MDLA_T_OTHER) t->bytes = (int64_t)NPU__MIN(v->bytes, (size_t)INT64_MAX / 2);
        t->laid = t->bytes;
    }
}

NPU__FN void npu__mdla_tensors_of(npu__mdla_plan *plan, npu__mdla_graph *g, int32_t i) {
    const npu__ctx *c = npu__mdla_ctx(plan, g, i);
    const uint8_t   device = g->steps[i].device;
    for (int32_t k = 0; k < c->n_in; k++) {
        npu__mdla_tensor *t = c->in[k] ? &g->tensors[c->node->in[k]] : NULL;
        if (!t) continue;
        npu__mdla_tensor_see(plan, t, c->in[k]);
        if (device == NPU__MDLA_ON_NOTHING) continue;
        t->users++;
        t->reader = i;
        t->read_by |= (uint8_t)(1u << device); /* bounded: five devices */
        if (device == NPU__MDLA_ON_MDLA && npu__mdla_is_data(c->in[k])) t->data = 1;
    }
    for (int32_t k = 0; k < c->n_out; k++) {
        npu__mdla_tensor *t = &g->tensors[c->node->out[k]];
        npu__mdla_tensor_see(plan, t, c->out[k]);
        t->writer = i;
        t->made_by = device;
        if (device == NPU__MDLA_ON_MDLA) t->data = 1;
    }
}

NPU__FN int npu__mdla_tensors_make(npu__mdla_plan *plan, npu__mdla_graph *g, int32_t s) {
    g->g = &plan->nodes->model->subgraphs[s];
    g->tensors = (npu__mdla_tensor *)npu__pool_alloc(plan->pool, (size_t)NPU__MAX(g->g->n_tensors, 1), sizeof *g->tensors);
    g->steps = (npu__mdla_step *)npu__pool_alloc(plan->pool, (size_t)NPU__MAX(g->g->n_nodes, 1), sizeof *g->steps);
    if (!g->tensors || !g->steps) return 0;
    for (int32_t t = 0; t < g->g->n_tensors; t++) {
        g->tensors[t].root = t;
        g->tensors[t].writer = g->tensors[t].reader = -1;
    }
    for (int32_t i = 0; i < g->g->n_nodes; i++) {
        g->steps[i].device = (uint8_t)npu__mdla_device_of(plan, s, i);
        g->steps[i].group = -1;
        npu__mdla_tensors_of(plan, g, i);
    }
    for (int32_t k = 0; k < g->g->n_in; k++) g->tensors[g->g->in[k]].input = 1;
    for (int32_t k = 0; k < g->g->n_out; k++) {
        g->tensors[g->g->out[k]].output = 1;
        g->tensors[g->g->out[k]].users++;
    }
    return 1;
}

/* ---- layouts ---- */

NPU__FN int32_t npu__mdla_root(npu__mdla_tensor *t, int32_t i) {
    while (t[i].root != i) {
        t[i].root = t[t[i].root].root;
        i = t[i].root;
    }
    return i;
}

NPU__FN void npu__mdla_share(npu__mdla_tensor *t, int32_t a, int32_t b) {
    const int32_t ra = npu__mdla_root(t, a), rb = npu__mdla_root(t, b);
    t[rb].root = ra;
    t[ra].not_4c |= t[rb].not_4c;
}

/* Tensors that are data for the operator as a whole: those of element-wise operations, and what convolutions have but
 * weights and bias. */
NPU__FN int npu__mdla_laid_out(const npu__ctx *c, int32_t k, int shared) {
    return c->in[k] && npu__mdla_is_data(c->in[k]) && (shared || c->in[k] == npu__mdla_data(c));
}

/* Element-wise operations and CONCATENATION: inputs of one layout. */
NPU__FN int npu__mdla_shares(const npu__mdla_op *op) {
    return op->group == NPU__MDLA_G_MATH2 || op->code == NPU__BUILTIN_DIV || op->code == NPU__BUILTIN_CONCATENATION ||
           op->code == NPU__BUILTIN_SQUARED_DIFFERENCE;
}

NPU__FN void npu__mdla_layouts_of(npu__mdla_graph *g, const npu__ctx *c, const npu__mdla_op *op) {
    const int shared = npu__mdla_shares(op);
    int32_t   first = -1;
    for (int32_t k = 0; k < c->n_in; k++) {
        const int32_t t = c->node->in[k];
        if (!npu__mdla_laid_out(c, k, shared)) continue;
        if (op->layouts == NPU__MDLA_L_16C) g->tensors[npu__mdla_root(g->tensors, t)].not_4c = 1;
        if (shared && first >= 0) npu__mdla_share(g->tensors, first, t);
        first = t;
    }
    for (int32_t k = 0; k < c->n_out && op->layouts == NPU__MDLA_L_16C; k++) {
        g->tensors[npu__mdla_root(g->tensors, c->node->out[k])].not_4c = 1;
    }
}

/* Constants that are no operation's data (weights, bias) keep no layout here: the guide names none for them. */
NPU__FN void npu__mdla_layouts_set(npu__mdla_graph *g, const npu__ctx *c, const npu__mdla_op *op) {
    for (int32_t k = 0; k < c->n_in + c->n_out; k++) {
        const npu__val   *v = npu__mdla_value(c, k);
        npu__mdla_tensor *t = v ? &g->tensors[k < c->n_in ? c->node->in[k] : c->node->out[k - c->n_in]] : NULL;
        if (!t || !t->data || t->layout != NPU__MDLA_DENSE || !t->v->known || t->type == NPU__MDLA_T_OTHER) continue;
        if (t->constant && !npu__mdla_shares(op) && op->group != NPU__MDLA_G_ACT2) continue;
        t->layout = g->tensors[npu__mdla_root(g->tensors, t->root)].not_4c ? NPU__MDLA_16C : NPU__MDLA_4C;
        t->laid = npu__mdla_layout_bytes(&t->v->shape, t->bits, t->layout);
    }
}

NPU__FN void npu__mdla_layouts_make(npu__mdla_plan *plan, npu__mdla_graph *g) {
    for (int32_t t = 0; t < g->g->n_tensors; t++) {
        if (g->tensors[t].v) g->tensors[t].not_4c = npu__mdla_image_of(&g->tensors[t].v->shape).c > 4;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < g->g->n_nodes; i++) {
            const npu__ctx     *c = npu__mdla_ctx(plan, g, i);
            const npu__mdla_op *op = npu__mdla_op_of(c->node);
            if (g->steps[i].device != NPU__MDLA_ON_MDLA || !op) continue;
            if (pass == 0) npu__mdla_layouts_of(g, c, op);
            else npu__mdla_layouts_set(g, c, op);
        }
    }
}

/* ---- borders ---- */

NPU__FN int64_t npu__mdla_converted_bytes(const npu__mdla_tensor *t) {
    return npu__sat_add((int64_t)NPU__MIN(t->v->bytes, (size_t)INT64_MAX / 2), t->bytes);
}

/* Does the device hold it as another type than the file? Asymmetric int8 of MDLA 1.5, and FP32. */
NPU__FN int npu__mdla_other_type(const npu__mdla_plan *plan, const npu__mdla_tensor *t) {
    return t->type != NPU__MDLA_T_OTHER && npu__mdla_type_by(t->type, plan->version) == NPU__MDLA_S;
}

NPU__FN void npu__mdla_borders_make(npu__mdla_plan *plan, npu__mdla_graph *g) {
    const uint8_t mdla = 1 << NPU__MDLA_ON_MDLA;
    for (int32_t i = 0; i < g->g->n_tensors; i++) {
        npu__mdla_tensor *t = &g->tensors[i];
        const int         other = t->laid != t->bytes, comes = t->made_by != NPU__MDLA_ON_MDLA;
        const int         goes = t->made_by == NPU__MDLA_ON_MDLA && (t->output || (t->read_by & ~mdla));
        if (!t->v || !t->data || t->layout == NPU__MDLA_DENSE) continue;
        if (t->constant) {
            t->relayout = other ? NPU__MDLA_RELAYOUT_COMPILE : NPU__MDLA_RELAYOUT_NONE;
            continue;
        }
        if (comes && (t->read_by & mdla)) {
            if (t->input && plan->desc->suppress_input_conversion) continue;
            t->converted = (uint8_t)npu__mdla_other_type(plan, t);
            t->relayout = other ? NPU__MDLA_RELAYOUT_RUN : NPU__MDLA_RELAYOUT_NONE;
        } else if (goes) {
            if (t->output && !(t->read_by & ~mdla) && plan->desc->suppress_output_conversion) continue;
            t->converted = (uint8_t)npu__mdla_other_type(plan, t);
            /* The MDLA gives NHWC without pitch, unless it reads the tensor again in its own layout. */
            t->relayout = other && (t->read_by & mdla) ? NPU__MDLA_RELAYOUT_RUN : NPU__MDLA_RELAYOUT_NONE;
            if (!(t->read_by & mdla)) t->laid = t->bytes;
        }
    }
}

#endif
