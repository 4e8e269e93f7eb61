/* Operators of the caller's own: registrations, and the callbacks behind each call of a definition. What their callbacks may ask
 * (npu_call_*) stands in user_call.c. */
#include "user_call.h"

#define NPU__USER_DATA_MOST 32768 /* npu__size counts in 16 bits */

/* ---- the five calls ---- */

NPU__FN const npu_user_op *npu__user_op_of(const npu__ctx *c) {
    return ((const npu__user_def *)(const void *)c->node->def)->op;
}

NPU__FN void npu__user_begin(npu_call *call, npu__ctx *c, int32_t phase) {
    call->c = c;
    call->phase = phase;
    call->failed = NPU_OK;
}

/* What a callback gave, once it is one of the things that it may give. */
NPU__FN npu_status npu__user_end(const npu_call *call, npu_status s, const char *what) {
    const int32_t code = (int32_t)s;
    if (call->failed != NPU_OK) return call->failed;
    if (s == NPU_OK || (s == NPU__DYNAMIC && call->phase == NPU__CALL_INFER)) return s;
    if (code < 0 || code >= NPU_STATUS_COUNT) s = NPU_RUNTIME;
    return NPU__FAIL(call->c, s, "user_op.failed", "its %s callback failed with %s and did not say why (npu_call_fail does)", what,
                     npu_status_name(s));
}

/* An operator without infer: what the model declares, where it declares all of it. */
NPU__FN npu_status npu__user_declared(npu__ctx *c) {
    npu_status s = NPU_OK;
    for (int32_t i = 0; s == NPU_OK && i < c->n_out; i++) {
        const npu__tensor *t = c->out[i]->t;
        for (int32_t k = 0; k < t->signature.rank; k++) {
            if (t->signature.dims[k] >= 0) continue;
            return NPU__FAIL(c, NPU_UNSUPPORTED, "user_op.shape", "dimension %d of output %d may be any: without an infer callback all "
                             "must be declared", k, i);
        }
        s = npu__set_shape(c, i, &t->shape);
    }
    return s;
}

NPU__FN npu_status npu__user_infer(npu__ctx *c) {
    const npu_user_op *op = npu__user_op_of(c);
    npu_call           call;
    if (!op->infer) return npu__user_declared(c);
    npu__user_begin(&call, c, NPU__CALL_INFER);
    return npu__user_end(&call, op->infer(op->user, &call), "infer");
}

NPU__FN npu_status npu__user_prepare(npu__ctx *c) {
    const npu_user_op *op = npu__user_op_of(c);
    npu_call           call;
    ((npu__user_data *)c->data)->name.kernel = "user";
    if (!op->prepare) return NPU_OK;
    npu__user_begin(&call, c, NPU__CALL_PREPARE);
    return npu__user_end(&call, op->prepare(op->user, &call), "prepare");
}

NPU__FN npu_status npu__user_eval(npu__ctx *c) {
    const npu_user_op *op = npu__user_op_of(c);
    npu_call           call;
    npu__user_begin(&call, c, NPU__CALL_EVAL);
    return npu__user_end(&call, op->eval(op->user, &call), "eval");
}

NPU__FN npu__work npu__user_work(const npu__ctx *c) {
    const npu_user_op *op = npu__user_op_of(c);
    npu_call           call;
    int64_t            steps;
    if (!op->work) return npu__work_elements(c);
    /* Reading is all that a const call lets it do. */
    npu__user_begin(&call, (npu__ctx *)(uintptr_t)c, NPU__CALL_WORK);
    steps = op->work(op->user, &call);
    return npu__work_steps(c, NPU__MAX(steps, (int64_t)0));
}

/* ---- registrations ---- */

NPU__FN int npu__user_op_is(const npu_user_op *op, int32_t code, npu__str custom_name) {
    if (code == NPU__BUILTIN_CUSTOM) return npu__str_is(custom_name, op->name);
    return code >= 0 && npu__builtin_code(op->name) == code;
}

/* Has this build an operator of that name, builtin or custom? */
NPU__FN int npu__user_op_taken(const npu_model *m, const char *name) {
    const int32_t code = npu__builtin_code(name);
    if (m->find_op(NPU__BUILTIN_CUSTOM, npu__str_of(name))) return 1;
    return code >= 0 && code != NPU__BUILTIN_CUSTOM && m->find_op(code, npu__str_of("")) != NULL;
}

/* NULL, or what is wrong with registration `i`. */
NPU__FN const char *npu__user_op_wrong(const npu_model *m, const npu_model_desc *desc, int32_t i) {
    const npu_user_op *op = &desc->operators[i];
    if (!op->name || !op->name[0]) return NPU__USER_WORDS("it has no name");
    if (!op->eval) return NPU__USER_WORDS("it has no eval callback");
    if (op->min_inputs < 0 || op->min_outputs < 0 || op->max_inputs < -1 || op->max_outputs < -1 ||
        (op->max_inputs >= 0 && op->max_inputs < op->min_inputs) || (op->max_outputs >= 0 && op->max_outputs < op->min_outputs)) {
        return NPU__USER_WORDS("the numbers of inputs and outputs must not be negative, nor the most less than the least");
    }
    if (op->flags & ~(uint32_t)(NPU_USER_OP_PURE | NPU_USER_OP_IN_PLACE)) return NPU__USER_WORDS("it has a flag that is not known");
    if (op->data_bytes > NPU__USER_DATA_MOST) return NPU__USER_WORDS("data_bytes must be at most 32768");
    for (int32_t k = 0; k < i; k++) {
        if (npu__str_is(npu__str_of(op->name), desc->operators[k].name)) return NPU__USER_WORDS("there is one of that name already");
    }
    return npu__user_op_taken(m, op->name) ? NPU__USER_WORDS("this build has an operator of that name itself") : NULL;
}

NPU__FN void npu__user_def_make(npu__user_def *d, const npu_user_op *op) {
    const size_t bytes = sizeof(npu__user_data) + op->data_bytes; /* bounded: both are small */
    d->op = op;
    d->def.min_in = op->min_inputs;
    d->def.max_in = op->max_inputs;
    d->def.min_out = op->min_outputs;
    d->def.max_out = op->max_outputs;
    d->def.optional_in = op->optional_inputs;
    d->def.flags = NPU__OP_NAMES_KERNEL;
    if (!(op->flags & NPU_USER_OP_PURE)) d->def.flags |= NPU__OP_STATEFUL;
    if (op->flags & NPU_USER_OP_IN_PLACE) d->def.flags |= NPU__OP_INPLACE0;
    d->def.data.here = bytes;
#if NPU__HAS_REPORTS
    for (int i = 0; i < NPU_MACHINE_COUNT - 1; i++) d->def.data.there[i] = (uint16_t)bytes;
#endif
    d->def.infer = npu__user_infer;
    d->def.prepare = npu__user_prepare;
    d->def.eval = npu__user_eval;
    d->def.work = npu__user_work;
}

NPU__FN npu_status npu__user_ops_take(npu_model *m, const npu_model_desc *desc, const char *what, npu_diag *diag) {
    const int32_t  n = desc ? desc->n_operators : 0;
    npu_user_op   *ops;
    npu__user_def *defs;
    m->desc.operators = NULL;
    m->desc.n_operators = 0;
    if (n == 0) return NPU_OK;
    if (n < 0 || !desc->operators) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.operators", "%s: operators is NULL, or n_operators negative", what);
    }
    for (int32_t i = 0; i < n; i++) {
        const char *wrong = npu__user_op_wrong(m, desc, i);
        if (!wrong) continue;
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.operators", "%s: operator %d of the caller's own (%s): %s", what, i,
                              desc->operators[i].name ? desc->operators[i].name : "NULL", wrong);
    }
    ops = (npu_user_op *)npu__pool_new(&m->pool, (size_t)n, NPU__SIZE(npu_user_op));
    defs = (npu__user_def *)npu__pool_new(&m->pool, (size_t)n, NPU__SIZE(npu__user_def));
    for (int32_t i = 0; ops && defs && i < n; i++) {
        const size_t bytes = strlen(desc->operators[i].name) + 1;
        char        *name = (char *)npu__pool_alloc(&m->pool, bytes, 1);
        if (!name) ops = NULL;
        if (!name) break;
        memcpy(name, desc->operators[i].name, bytes);
        ops[i] = desc->operators[i];
        ops[i].name = name;
        npu__user_def_make(&defs[i], &ops[i]);
    }
    if (!ops || !defs) {
        if (m->pool.over_limit) return npu__diag_fail(diag, NPU_LIMIT, "model.memory_limit", "max_memory_bytes is too small");
        return npu__diag_fail(diag, NPU_OUT_OF_MEMORY, "model.memory", "no memory for the model");
    }
    m->desc.operators = ops;
    m->desc.n_operators = n;
    m->user_defs = defs;
    return NPU_OK;
}

NPU__FN const npu__opdef *npu__user_op_find(const npu_model *m, int32_t code, npu__str custom_name) {
    for (int32_t i = 0; i < m->desc.n_operators; i++) {
        if (npu__user_op_is(&m->desc.operators[i], code, custom_name)) return &m->user_defs[i].def;
    }
    return NULL;
}

NPU__FN int npu__node_is_user(const npu__node *node) { return node->def && node->def->eval == npu__user_eval; }
