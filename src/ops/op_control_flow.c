/* IF, STABLEHLO_CASE, WHILE and STABLEHLO_COMPOSITE: subgraphs as branches, condition and body, parts. Values are copied in and
 * out: what a subgraph may do to its own tensors never reaches the caller's. A called subgraph runs with the shapes it was planned
 * with, but for loops whose values change theirs. */
#include "string_util.h"

/* Of an operator whose outputs may depend on data. */
typedef struct npu__flow {
    int32_t done; /* infer ran the subgraph */
} npu__flow;

NPU__FN npu_status npu__flow_prepare(npu__ctx *c) {
    ((npu__flow *)c->data)->done = npu__running(c);
    return NPU_OK;
}

/* ---- passing values ---- */

/* `subgraph`: whose input `to` is, -1: an output of the operator. */
NPU__FN npu_status npu__flow_copy(npu__ctx *c, const npu__val *from, int32_t subgraph, npu__val *to) {
    const int strings = npu__is_string(from);
    if (from->type != to->type || (from->bytes != to->bytes && !strings) || !npu__shape_eq(&from->shape, &to->shape)) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "control_flow.shape",
                         "a value of %z bytes (rank %d) meets a tensor of %z bytes (rank %d): shapes that change "
                         "from call to call are not supported", from->bytes, from->shape.rank, to->bytes,
                         to->shape.rank);
    }
    if (strings) return npu__strings_copy(c, subgraph, to, from);
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
        NPU__TRY(npu__flow_copy(c, outputs ? c->out[i] : c->in[i], subgraph, to));
    }
    return NPU_OK;
}

NPU__FN npu_status npu__flow_fetch(npu__ctx *c, int32_t subgraph) {
    for (int32_t i = 0; i < c->n_out; i++) {
        npu__val *from;
        NPU__TRY(npu__call_output(c, subgraph, i, &from));
        NPU__TRY(npu__flow_copy(c, from, -1, c->out[i]));
    }
    return NPU_OK;
}

/* The subgraph's inputs must have the types and shapes of the op's, from `first` on. */
NPU__FN npu_status npu__flow_check_inputs(npu__ctx *c, int32_t subgraph, int32_t first) {
    for (int32_t i = first; i < c->n_in; i++) {
        npu__val *v;
        NPU__TRY(npu__call_input(c, subgraph, i - first, &v));
        if (v->type == c->in[i]->type && npu__shape_eq(&v->shape, &c->in[i]->shape)) {
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

/* ---- IF and STABLEHLO_CASE ---- */

NPU__FN int npu__branch_is_case(const npu__ctx *c) { return c->node->code == NPU__BUILTIN_STABLEHLO_CASE; }

NPU__FN uint32_t npu__branch_count(const npu__ctx *c) {
    return npu__branch_is_case(c) ? NPU__OPTIONS(c->node, StablehloCaseOptions)->branch_subgraph_indices.n : 2;
}
/* Subgraph of a branch. Of IF: 0 then, 1 else. */
NPU__FN int32_t npu__branch(const npu__ctx *c, uint32_t which) {
    if (npu__branch_is_case(c)) return npu__vec_i32(NPU__OPTIONS(c->node, StablehloCaseOptions)->branch_subgraph_indices, which);
    return which ? NPU__OPTIONS(c->node, IfOptions)->else_subgraph_index
                 : NPU__OPTIONS(c->node, IfOptions)->then_subgraph_index;
}
/* The subgraph that the data choose. An index that is none of a case's branches means the last. */
NPU__FN int32_t npu__branch_chosen(const npu__ctx *c) {
    int32_t at;
    if (!npu__branch_is_case(c)) return npu__branch(c, *(const uint8_t *)c->in[0]->data ? 0 : 1);
    at = *(const int32_t *)c->in[0]->data;
    return npu__branch(c, at < 0 || (uint32_t)at >= npu__branch_count(c) ? npu__branch_count(c) - 1 : (uint32_t)at);
}

NPU__FN npu_status npu__branch_need_index(npu__ctx *c) {
    if (!npu__branch_is_case(c)) return npu__flow_need_bool(c, c->in[0]);
    if (npu__branch_count(c) == 0) return NPU__FAIL(c, NPU_INVALID_MODEL, "stablehlo_case.branches", "there must be a branch");
    if (c->in[0]->type == NPU_INT32 && (!c->in[0]->known || npu__elems(c->in[0]) == 1)) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "control_flow.index", "the index of the branch must be one INT32");
}

NPU__FN npu_status npu__branch_check(npu__ctx *c) {
    for (uint32_t k = 0; k < npu__branch_count(c); k++) {
        NPU__POLL(c, 1 + (int64_t)c->n_in);
        NPU__TRY(npu__flow_check_inputs(c, npu__branch(c, k), 1));
    }
    return NPU_OK;
}

NPU__FN npu_status npu__branch_run(npu__ctx *c) {
    const int32_t branch = npu__branch_chosen(c);
    NPU__TRY(npu__flow_pass(c, branch, 1, 0));
    return npu__call_run(c, branch);
}

/* Output i as all branches agree on it. */
NPU__FN npu_status npu__branch_infer_output(npu__ctx *c, int32_t i) {
    npu__val *v, *w;
    NPU__TRY(npu__call_output(c, npu__branch(c, 0), i, &v));
    for (uint32_t k = 1; k < npu__branch_count(c); k++) {
        NPU__POLL(c, 1);
        NPU__TRY(npu__call_output(c, npu__branch(c, k), i, &w));
        if (!v->known || !w->known || !npu__shape_eq(&v->shape, &w->shape)) return NPU__DYNAMIC;
    }
    return v->known ? npu__set_shape(c, i, &v->shape) : NPU__DYNAMIC;
}

/* Known when the branches agree. Otherwise the branch runs first, and its outputs say. */
NPU__FN npu_status npu__branch_infer(npu__ctx *c) {
    npu__val *v;
    NPU__TRY(npu__branch_need_index(c));
    if (npu__running(c)) {
        NPU__TRY(npu__branch_check(c));
        NPU__TRY(npu__branch_run(c));
        for (int32_t i = 0; i < c->n_out; i++) {
            NPU__TRY(npu__call_output(c, npu__branch_chosen(c), i, &v));
            NPU__TRY(npu__set_shape(c, i, &v->shape));
        }
        return NPU_OK;
    }
    for (uint32_t k = 0; k < npu__branch_count(c); k++) {
        NPU__POLL(c, 1);
        NPU__TRY(npu__call_declare(c, npu__branch(c, k), 1));
    }
    for (int32_t i = 0; i < c->n_out; i++) {
        const npu_status status = npu__branch_infer_output(c, i);
        if (status != NPU_OK) return status;
    }
    return NPU_OK;
}

NPU__FN npu_status npu__branch_prepare(npu__ctx *c) {
    NPU__TRY(npu__branch_check(c));
    return npu__flow_prepare(c);
}

NPU__FN npu_status npu__branch_eval(npu__ctx *c) {
    if (!((const npu__flow *)c->data)->done) NPU__TRY(npu__branch_run(c));
    return npu__flow_fetch(c, npu__branch_chosen(c));
}

NPU__OPDEF(npu__op_if) = {1, -1, 0, -1, 0, NPU__OP_STATEFUL | NPU__OP_STRINGS, NPU__DATA(npu__flow), npu__branch_infer,
                                      npu__branch_prepare, NULL, npu__branch_eval, NULL};
NPU__OPDEF(npu__op_stablehlo_case) = {1, -1, 0, -1, 0, NPU__OP_STATEFUL | NPU__OP_STRINGS, NPU__DATA(npu__flow), npu__branch_infer,
                                      npu__branch_prepare, NULL, npu__branch_eval, NULL};

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
    for (int32_t i = 0; i < c->n_out; i++) NPU__TRY(npu__flow_copy(c, c->in[i], -1, c->out[i]));
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
        NPU__TRY(npu__flow_copy(c, v, -1, c->out[i]));
    }
    return NPU_OK;
}

NPU__OPDEF(npu__op_while) = {1, -1, 1, -1, 0, NPU__OP_STATEFUL | NPU__OP_STRINGS, NPU__DATA(npu__flow), npu__while_infer,
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

NPU__OPDEF(npu__op_stablehlo_composite) = {0, -1, 1, -1, 0, NPU__OP_STATEFUL | NPU__OP_STRINGS, NPU__DATA(npu__flow), npu__composite_infer,
                                           npu__flow_prepare, NULL, npu__composite_eval, NULL};
