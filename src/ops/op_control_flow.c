/* IF and WHILE: subgraphs as branches, condition and body. Values are copied in and out: what a subgraph may do to
 * its own tensors never reaches the caller's. A called subgraph runs with the shapes it was planned with. */
#include "util.h"


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

/* The subgraph must take the op's inputs from `first` on, with their types and shapes. */
NPU__FN npu_status npu__flow_check_inputs(npu__ctx *c, int32_t subgraph, int32_t first) {
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

typedef struct npu__if {
    int32_t done; /* infer ran the branch */
} npu__if;

NPU__FN npu_status npu__if_prepare(npu__ctx *c) {
    ((npu__if *)c->data)->done = npu__running(c);
    for (int k = 0; k < 2; k++) NPU__TRY(npu__flow_check_inputs(c, npu__if_branch(c, k), 1));
    return NPU_OK;
}

NPU__FN npu_status npu__if_eval(npu__ctx *c) {
    if (!((const npu__if *)c->data)->done) NPU__TRY(npu__if_run(c));
    return npu__flow_fetch(c, npu__if_branch(c, npu__if_choice(c)));
}

NPU__OPDEF(npu__op_if) = {1, -1, 0, -1, 0, NPU__OP_STATEFUL, NPU__DATA(npu__if), npu__if_infer,
                                      npu__if_prepare, NULL, npu__if_eval, NULL};

/* ---- WHILE ---- */

NPU__FN int32_t npu__while_cond(const npu__ctx *c) {
    return NPU__OPTIONS(c->node, WhileOptions)->cond_subgraph_index;
}
NPU__FN int32_t npu__while_body(const npu__ctx *c) {
    return NPU__OPTIONS(c->node, WhileOptions)->body_subgraph_index;
}

NPU__FN npu_status npu__while_infer(npu__ctx *c) {
    if (c->n_in != c->n_out) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "while.count",
                         "the loop must have as many outputs as inputs: got %d and %d", c->n_out, c->n_in);
    }
    NPU__TRY(npu__call_declare(c, npu__while_cond(c), 0));
    NPU__TRY(npu__call_declare(c, npu__while_body(c), 0));
    for (int32_t i = 0; i < c->n_out; i++) NPU__TRY(npu__set_shape(c, i, &c->in[i]->shape));
    return NPU_OK;
}

NPU__FN npu_status npu__while_prepare(npu__ctx *c) {
    int32_t   cond = npu__while_cond(c), body = npu__while_body(c);
    npu__val *v;
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

NPU__OPDEF(npu__op_while) = {1, -1, 1, -1, 0, NPU__OP_STATEFUL, NPU__NO_DATA, npu__while_infer, npu__while_prepare,
                                         NULL, npu__while_eval, NULL};
