/* IF, WHILE and STABLEHLO_COMPOSITE: subgraphs as branches, condition and body, parts. Values are copied in and out: what a
 * subgraph may do to its own tensors never reaches the caller's. A called subgraph runs with the shapes it was planned with. */
#include "util.h"

/* Of an operator whose outputs may depend on data. */
typedef struct npu__flow {
    int32_t done; /* infer ran the subgraph */
} npu__flow;

NPU__FN npu_status npu__flow_prepare(npu__ctx *c) {
    ((npu__flow *)c->data)->done = npu__running(c);
    return NPU_OK;
}

/* ---- passing values ---- */

NPU__FN npu_status npu__flow_copy(npu__ctx *c, const npu__val *from, npu__val *to) {
    if (from->type != to->type || from->bytes != to->bytes || !npu__shape_eq(&from->shape, &to->shape)) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "control_flow.shape",
                         "a value of %z bytes (rank %d) meets a tensor of %z bytes (rank %d): shapes that change "
                         "from call to call are not supported", from->bytes, from->shape.rank, to->bytes,
                         to->shape.rank);
    }
    /* By value: the two are different tensors, each with memory of its own. */
    npu__copy_bytes(c, to->data, from->data, from->bytes);
    return NPU_OK;
}

/* Inputs first, first + 1, ... of the op (or, with `outputs`, its outputs) to the inputs of the subgraph. */
NPU__FN npu_status npu__flow_pass(npu__ctx *c, int32_t subgraph, int32_t first, int outputs) {
    int32_t n = outputs ? c->n_out : c->n_in;
    for (int32_t i = first; i < n; i++) {
        npu__val *to;
        NPU__TRY(npu__call_input(c, subgraph, i - first, &to));
        NPU__TRY(npu__flow_copy(c, outputs ? c->out[i] : c->in[i], to));
    }
    return NPU_OK;
}

NPU__FN npu_status npu__flow_fetch(npu__ctx *c, int32_t subgraph) {
    for (int32_t i = 0; i < c->n_out; i++) {
        npu__val *from;
        NPU__TRY(npu__call_output(c, subgraph, i, &from));
        NPU__TRY(npu__flow_copy(c, from, c->out[i]));
    }
    return NPU_OK;
}

/* The subgraph must take the op's inputs from `first` on, with their types and shapes, and nothing else. */
NPU__FN npu_status npu__flow_check_inputs(npu__ctx *c, int32_t subgraph, int32_t first) {
    int32_t n_in, n_out;
    NPU__TRY(npu__call_counts(c, subgraph, &n_in, &n_out));
    if (n_in != c->n_in - first) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "control_flow.count", "subgraph %d takes %d inputs: it is given %d", subgraph, n_in,
                         c->n_in - first);
    }
    for (int32_t i = first; i < c->n_in; i++) {
        npu__val *v;
        NPU__TRY(npu__call_input(c, subgraph, i - first, &v));
        if (v->type == c->in[i]->type && v->type != NPU_STRING && npu__shape_eq(&v->shape, &c->in[i]->shape)) {
            continue;
        }
        return NPU__FAIL(c, NPU_UNSUPPORTED, "control_flow.input",
                         "input %d must have the type and shape of input %d of subgraph %d", i, i - first, subgraph);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__flow_need_bool(npu__ctx *c, const npu__val *v) {
    if (v->type == NPU_BOOL && (!v->known || npu__elems(v) == 1)) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "control_flow.condition", "the condition must be one BOOL");
}

/* ---- IF ---- */

/* 0 then, 1 else */
NPU__FN int32_t npu__if_branch(const npu__ctx *c, int which) {
    return which ? NPU__OPTIONS(c->node, IfOptions)->else_subgraph_index
                 : NPU__OPTIONS(c->node, IfOptions)->then_subgraph_index;
}
NPU__FN int npu__if_choice(const npu__ctx *c) { return *(const uint8_t *)c->in[0]->data ? 0 : 1; }

NPU__FN npu_status npu__if_run(npu__ctx *c) {
    int32_t branch = npu__if_branch(c, npu__if_choice(c));
    NPU__TRY(npu__flow_pass(c, branch, 1, 0));
    return npu__call_run(c, branch);
}

/* Known when both branches agree. Otherwise the branch runs first, and its outputs say. */
NPU__FN npu_status npu__if_infer(npu__ctx *c) {
    npu__val *v, *w;
    NPU__TRY(npu__flow_need_bool(c, c->in[0]));
    if (npu__running(c)) {
        for (int k = 0; k < 2; k++) NPU__TRY(npu__flow_check_inputs(c, npu__if_branch(c, k), 1));
        NPU__TRY(npu__if_run(c));
        for (int32_t i = 0; i < c->n_out; i++) {
            NPU__TRY(npu__call_output(c, npu__if_branch(c, npu__if_choice(c)), i, &v));
            NPU__TRY(npu__set_shape(c, i, &v->shape));
        }
        return NPU_OK;
    }
    for (int k = 0; k < 2; k++) NPU__TRY(npu__call_declare(c, npu__if_branch(c, k), 1));
    for (int32_t i = 0; i < c->n_out; i++) {
        NPU__TRY(npu__call_output(c, npu__if_branch(c, 0), i, &v));
        NPU__TRY(npu__call_output(c, npu__if_branch(c, 1), i, &w));
        if (!v->known || !w->known || !npu__shape_eq(&v->shape, &w->shape)) return NPU__DYNAMIC;
        NPU__TRY(npu__set_shape(c, i, &v->shape));
    }
    return NPU_OK;
}

NPU__FN npu_status npu__if_prepare(npu__ctx *c) {
    for (int k = 0; k < 2; k++) NPU__TRY(npu__flow_check_inputs(c, npu__if_branch(c, k), 1));
    return npu__flow_prepare(c);
}

NPU__FN npu_status npu__if_eval(npu__ctx *c) {
    if (!((const npu__flow *)c->data)->done) NPU__TRY(npu__if_run(c));
    return npu__flow_fetch(c, npu__if_branch(c, npu__if_choice(c)));
}

NPU__OPDEF(npu__op_if) = {1, -1, 0, -1, 0, NPU__OP_STATEFUL, NPU__DATA(npu__flow), npu__if_infer,
                                      npu__if_prepare, NULL, npu__if_eval, NULL};

/* ---- WHILE ---- */

NPU__FN int32_t npu__while_cond(const npu__ctx *c) {
    return NPU__OPTIONS(c->node, WhileOptions)->cond_subgraph_index;
}
NPU__FN int32_t npu__while_body(const npu__ctx *c) {
    return NPU__OPTIONS(c->node, WhileOptions)->body_subgraph_index;
}

/* Does any of the loop's values change its shape? */
NPU__FN int npu__while_grows(const npu__ctx *c) {
    for (int32_t i = 0; i < c->n_out; i++) if (npu__call_is_open(c, npu__while_body(c), i)) return 1;
    return 0;
}

/* Opens the inputs of the body that it gives back with another shape; with `unknown`, those too of which it does not know. */
NPU__FN npu_status npu__while_open(npu__ctx *c, int unknown) {
    const int32_t body = npu__while_body(c);
    int32_t       opened = 0;
    for (int32_t i = 0; i < c->n_out; i++) {
        npu__val *v;
        NPU__TRY(npu__call_output(c, body, i, &v));
        if (npu__call_is_open(c, body, i) || v->type != c->in[i]->type) continue;
        if (v->known ? npu__shape_eq(&v->shape, &c->in[i]->shape) : !unknown) continue;
        NPU__TRY(npu__call_open(c, body, i));
        opened++;
    }
    return opened ? npu__call_again(c, body, 0) : NPU_OK;
}

/* While planning: the body decides, first as if all shapes stayed, then again with what follows from those that do not. */
NPU__FN npu_status npu__while_open_all(npu__ctx *c) {
    const int32_t cond = npu__while_cond(c), body = npu__while_body(c);
    int32_t       opened = 0;
    if (cond == body) return NPU_OK; /* each holds the values while the other runs */
    NPU__TRY(npu__while_open(c, 0));
    if (!npu__while_grows(c)) return NPU_OK;
    NPU__TRY(npu__while_open(c, 1));
    for (int32_t i = 0; i < c->n_out; i++) {
        if (!npu__call_is_open(c, body, i) || npu__call_is_open(c, cond, i)) continue;
        NPU__TRY(npu__call_open(c, cond, i));
        opened++;
    }
    return opened ? npu__call_again(c, cond, 0) : NPU_OK;
}

/* A loop whose values change their shapes, against the rule above, runs before these are known. Between the calls they lie in the inputs of the condition,
 * where they are at the end. */
NPU__FN npu_status npu__while_grow(npu__ctx *c) {
    const int32_t cond = npu__while_cond(c), body = npu__while_body(c);
    npu__val     *v;
    for (int32_t i = 0; i < c->n_out; i++) NPU__TRY(npu__call_give(c, cond, i, c->in[i]));
    for (;;) { /* npu__call_run ends what would not */
        NPU__TRY(npu__call_run(c, cond));
        NPU__TRY(npu__call_output(c, cond, 0, &v));
        NPU__TRY(npu__flow_need_bool(c, v));
        if (!*(const uint8_t *)v->data) return NPU_OK;
        for (int32_t i = 0; i < c->n_out; i++) {
            NPU__TRY(npu__call_input(c, cond, i, &v));
            NPU__TRY(npu__call_give(c, body, i, v));
        }
        NPU__TRY(npu__call_run(c, body));
        for (int32_t i = 0; i < c->n_out; i++) {
            NPU__TRY(npu__call_output(c, body, i, &v));
            NPU__TRY(npu__call_give(c, cond, i, v));
        }
    }
}

NPU__FN npu_status npu__while_infer(npu__ctx *c) {
    if (c->n_in != c->n_out) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "while.count",
                         "the loop must have as many outputs as inputs: got %d and %d", c->n_out, c->n_in);
    }
    NPU__TRY(npu__call_declare(c, npu__while_cond(c), 0));
    NPU__TRY(npu__call_declare(c, npu__while_body(c), 0));
    if (!npu__running(c)) NPU__TRY(npu__while_open_all(c));
    if (!npu__while_grows(c)) {
        for (int32_t i = 0; i < c->n_out; i++) NPU__TRY(npu__set_shape(c, i, &c->in[i]->shape));
        return NPU_OK;
    }
    if (!npu__running(c)) return NPU__DYNAMIC;
    NPU__TRY(npu__while_grow(c));
    for (int32_t i = 0; i < c->n_out; i++) {
        npu__val *v;
        NPU__TRY(npu__call_input(c, npu__while_cond(c), i, &v));
        if (v->type != c->out[i]->type) {
            return NPU__FAIL(c, NPU_UNSUPPORTED, "while.shape", "output %d must keep the type of input %d", i, i);
        }
        NPU__TRY(npu__set_shape(c, i, &v->shape));
    }
    return NPU_OK;
}

NPU__FN npu_status npu__while_prepare(npu__ctx *c) {
    int32_t   cond = npu__while_cond(c), body = npu__while_body(c);
    npu__val *v;
    if (npu__running(c) && npu__while_grows(c)) return npu__flow_prepare(c); /* it has run */
    NPU__TRY(npu__flow_check_inputs(c, cond, 0));
    NPU__TRY(npu__flow_check_inputs(c, body, 0));
    NPU__TRY(npu__call_output(c, cond, 0, &v));
    NPU__TRY(npu__flow_need_bool(c, v));
    for (int32_t i = 0; i < c->n_out; i++) {
        NPU__TRY(npu__call_output(c, body, i, &v));
        if (v->type == c->out[i]->type && (!v->known || npu__shape_eq(&v->shape, &c->out[i]->shape))) continue;
        return NPU__FAIL(c, NPU_UNSUPPORTED, "while.shape",
                         "output %d of the body must keep the type and shape of input %d", i, i);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__while_eval(npu__ctx *c) {
    int32_t   cond = npu__while_cond(c), body = npu__while_body(c);
    npu__val *go;
    for (int32_t i = 0; i < c->n_out; i++) NPU__TRY(npu__flow_copy(c, c->in[i], c->out[i]));
    /* Read after each run of the condition: the value is the subgraph's own tensor, which stays where it is. */
    NPU__TRY(npu__call_output(c, cond, 0, &go));
    for (;;) { /* npu__call_run ends what would not */
        NPU__TRY(npu__flow_pass(c, cond, 0, 1));
        NPU__TRY(npu__call_run(c, cond));
        NPU__TRY(npu__flow_need_bool(c, go));
        if (!*(const uint8_t *)go->data) return NPU_OK;
        NPU__TRY(npu__flow_pass(c, body, 0, 1));
        NPU__TRY(npu__call_run(c, body));
        NPU__TRY(npu__flow_fetch(c, body));
    }
}

/* Of a loop that has run already (npu__while_grow), the values are fetched. */
NPU__FN npu_status npu__while_eval_or_fetch(npu__ctx *c) {
    if (!((const npu__flow *)c->data)->done) return npu__while_eval(c);
    for (int32_t i = 0; i < c->n_out; i++) {
        npu__val *v;
        NPU__TRY(npu__call_input(c, npu__while_cond(c), i, &v)); /* of the type, by npu__call_give, and shape, by infer */
        npu__copy_bytes(c, c->out[i]->data, v->data, NPU__MIN(v->bytes, c->out[i]->bytes));
    }
    return NPU_OK;
}

NPU__OPDEF(npu__op_while) = {1, -1, 1, -1, 0, NPU__OP_STATEFUL, NPU__DATA(npu__flow), npu__while_infer,
                                         npu__while_prepare, NULL, npu__while_eval_or_fetch, NULL};

/* ---- STABLEHLO_COMPOSITE: an operator that says by a subgraph what it computes. On the CPU that subgraph runs. ---- */

NPU__FN int32_t npu__composite_parts(const npu__ctx *c) {
    return NPU__OPTIONS(c->node, StableHLOCompositeOptions)->decomposition_subgraph_index;
}

NPU__FN npu_status npu__composite_check(npu__ctx *c) {
    const int32_t parts = npu__composite_parts(c);
    int32_t       n_in, n_out;
    NPU__TRY(npu__flow_check_inputs(c, parts, 0));
    NPU__TRY(npu__call_counts(c, parts, &n_in, &n_out));
    if (n_out == c->n_out) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "control_flow.count", "subgraph %d gives %d outputs: the operator has %d", parts, n_out,
                     c->n_out);
}

NPU__FN npu_status npu__composite_run(npu__ctx *c) {
    NPU__TRY(npu__flow_pass(c, npu__composite_parts(c), 0, 0));
    return npu__call_run(c, npu__composite_parts(c));
}

/* Outputs are as the parts have them. Where that depends on data, the parts run first. */
NPU__FN npu_status npu__composite_infer(npu__ctx *c) {
    NPU__TRY(npu__call_declare(c, npu__composite_parts(c), 0));
    NPU__TRY(npu__composite_check(c));
    if (npu__running(c)) NPU__TRY(npu__composite_run(c));
    for (int32_t i = 0; i < c->n_out; i++) {
        npu__val *v;
        NPU__TRY(npu__call_output(c, npu__composite_parts(c), i, &v));
        if (!v->known) return NPU__DYNAMIC;
        if (v->type != c->out[i]->t->type) {
            return NPU__FAIL(c, NPU_INVALID_MODEL, "control_flow.output", "output %d must have the type of output %d of subgraph %d",
                             i, i, npu__composite_parts(c));
        }
        NPU__TRY(npu__set_shape(c, i, &v->shape));
    }
    return NPU_OK;
}

NPU__FN npu_status npu__composite_eval(npu__ctx *c) {
    if (!((const npu__flow *)c->data)->done) NPU__TRY(npu__composite_run(c));
    return npu__flow_fetch(c, npu__composite_parts(c));
}

NPU__OPDEF(npu__op_stablehlo_composite) = {0, -1, 1, -1, 0, NPU__OP_STATEFUL, NPU__DATA(npu__flow), npu__composite_infer,
                                           npu__flow_prepare, NULL, npu__composite_eval, NULL};
