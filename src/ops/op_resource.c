/* VAR_HANDLE, ASSIGN_VARIABLE, READ_VARIABLE: memory with a name that outlives an invoke. A RESOURCE tensor holds the
 * variable's number, an int32. */
#include "move_util.h"

/* ---- VAR_HANDLE ---- */

typedef struct npu__var_handle {
    int32_t id;
} npu__var_handle;

NPU__FN npu_status npu__var_handle_infer(npu__ctx *c) {
    npu__shape s = npu__shape_make(0, 0, 0, 0, 0);
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__var_handle_prepare(npu__ctx *c) {
    npu__var_handle *d = (npu__var_handle *)c->data;
    if (c->out[0]->type != NPU_RESOURCE && c->out[0]->type != NPU_INT32) return npu__fail_types(c);
    d->id = npu__resource_id(c, NPU__OPTIONS(c->node, VarHandleOptions)->container,
                             NPU__OPTIONS(c->node, VarHandleOptions)->shared_name);
    if (d->id >= 0) return NPU_OK;
    return NPU__FAIL(c, NPU_OUT_OF_MEMORY, "var_handle.memory", "no memory for another resource variable");
}

NPU__FN npu_status npu__var_handle_eval(npu__ctx *c) {
    memcpy(c->out[0]->data, &((const npu__var_handle *)c->data)->id, sizeof(int32_t));
    return NPU_OK;
}

NPU__OPDEF(npu__op_var_handle) = {0, 0, 1, 1, 0, 0, NPU__DATA(npu__var_handle), npu__var_handle_infer,
                                              npu__var_handle_prepare, NULL, npu__var_handle_eval, NULL};

/* ---- ASSIGN_VARIABLE ---- */

/* The number in a RESOURCE input; -1 while it is not known. */
NPU__FN int32_t npu__resource_of(const npu__ctx *c) {
    int32_t id = -1;
    if (c->in[0]->data) memcpy(&id, c->in[0]->data, sizeof id);
    return id;
}

NPU__FN npu_status npu__resource_check(npu__ctx *c) {
    const npu__val *v = c->in[0];
    if ((v->type == NPU_RESOURCE || v->type == NPU_INT32) && npu__elems(v) == 1) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "resource.handle", "input 0 must be one resource handle");
}

NPU__FN npu_status npu__assign_variable_infer(npu__ctx *c) {
    (void)c;
    return NPU_OK;
}

NPU__FN npu_status npu__assign_variable_prepare(npu__ctx *c) {
    ((npu__named *)c->data)->kernel = "copy";
    NPU__TRY(npu__resource_check(c));
    if (!c->in[0]->data) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "assign_variable.handle",
                         "the variable must be known while planning: its handle must come from a VAR_HANDLE operator "
                         "of the same subgraph");
    }
    return npu__resource_declare(c, npu__resource_of(c), c->in[1]->bytes);
}

NPU__FN npu_status npu__assign_variable_eval(npu__ctx *c) {
    int32_t id = npu__resource_of(c);
    size_t  assigned = 0, capacity = 0, bytes = c->in[1]->bytes;
    void   *memory = npu__resource_ptr(c, id, &assigned, &capacity);
    if (bytes > capacity || (!memory && bytes > 0)) {
        return NPU__FAIL(c, NPU_RUNTIME, "assign_variable.size", "variable %d holds %z bytes: %z do not fit", id,
                         capacity, bytes);
    }
    npu__copy_some(c, memory, c->in[1]->data, bytes);
    npu__resource_assigned(c, id, bytes);
    return NPU_OK;
}

NPU__OPDEF(npu__op_assign_variable) = {
    2, 2, 0, 0, 0, NPU__OP_STATEFUL | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__named), npu__assign_variable_infer,
    npu__assign_variable_prepare, NULL, npu__assign_variable_eval, NULL};

/* ---- READ_VARIABLE ---- */

NPU__FN npu_status npu__read_variable_infer(npu__ctx *c) { return npu__set_shape(c, 0, &c->out[0]->t->shape); }

NPU__FN npu_status npu__read_variable_prepare(npu__ctx *c) {
    ((npu__named *)c->data)->kernel = "copy";
    NPU__TRY(npu__resource_check(c));
    if (c->out[0]->type != NPU_STRING) return NPU_OK;
    return npu__fail_types(c);
}

/* A variable that was never assigned: LiteRT stops with an error, tflite-micro starts at the zero point: so here. */
NPU__FN void npu__read_variable_initial(const npu__val *out) {
    int byte = 0;
    if ((out->type == NPU_INT8 || out->type == NPU_UINT8) && npu__has_quant(out)) byte = npu__zero_point(out);
    if (out->bytes > 0) memset(out->data, byte, out->bytes);
}

NPU__FN npu_status npu__read_variable_eval(npu__ctx *c) {
    int32_t   id = npu__resource_of(c);
    npu__val *out = c->out[0];
    size_t    assigned = 0, capacity = 0;
    void     *memory = npu__resource_ptr(c, id, &assigned, &capacity);
    /* The session knows how much was assigned last; 0 is never, or nothing. */
    if (!memory || assigned == 0) {
        npu__read_variable_initial(out);
        return NPU_OK;
    }
    if (assigned != out->bytes) {
        return NPU__FAIL(c, NPU_RUNTIME, "read_variable.size",
                         "variable %d was assigned %z bytes: the tensor that reads it has %z", id, assigned,
                         out->bytes);
    }
    npu__copy_some(c, out->data, memory, out->bytes);
    return NPU_OK;
}

NPU__OPDEF(npu__op_read_variable) = {1, 1, 1, 1, 0, NPU__OP_STATEFUL | NPU__OP_NAMES_KERNEL, NPU__DATA(npu__named),
                                     npu__read_variable_infer, npu__read_variable_prepare, NULL, npu__read_variable_eval,
                                     NULL};
