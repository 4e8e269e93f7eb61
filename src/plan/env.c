/* The services of graph/op.h that planning and running share. */
#include "plan.h"

NPU__FN void npu__explain(npu__ctx *ctx, npu_status status, const char *rule, const char *fmt, ...) {
    npu_diag *diag = ctx->env->diag;
    va_list   args;
    if (!diag || diag->status != NPU_OK) return;
    npu__diag_about(diag, ctx->node);
#if NPU__HAS_STRINGS
    {
        size_t used = npu__format(diag->text, sizeof diag->text, "%s (subgraph %d, operator %d): ", diag->op_name,
                                  diag->subgraph, diag->op);
        used = NPU__MIN(used, sizeof diag->text - 1);
        va_start(args, fmt);
        npu__vformat(diag->text + used, sizeof diag->text - used, fmt, args);
        va_end(args);
    }
#else
    (void)fmt;
    (void)args;
#endif
    diag->status = status;
    diag->rule = rule;
}

NPU__FN npu__span npu__ctx_file(const npu__ctx *ctx) {
    npu__span s;
    s.p = ctx->env->plan->model->bytes;
    s.n = ctx->env->plan->model->n_bytes; /* without bytes: what was given by calls */
    return s;
}

NPU__FN void npu__excuse(npu__ctx *ctx) {
    if (ctx->env->diag) ctx->env->diag->status = NPU_OK;
}

NPU__FN npu_isa npu__ctx_isa(const npu__ctx *ctx) { return ctx->env->isa; }
NPU__FN size_t npu__ctx_word(const npu__ctx *ctx) {
    const npu__size word = NPU__SIZED(npu__word);
    return npu__size_on(&word, ctx->env->machine);
}
NPU__FN int32_t npu__ctx_threads(const npu__ctx *ctx) { return ctx->env->threads; }
NPU__FN const npu__tensor *npu__ctx_tensor(const npu__ctx *ctx, int32_t index) {
    const npu__subgraph *g = &ctx->env->plan->model->subgraphs[ctx->node->subgraph];
    return index >= 0 && index < g->n_tensors ? &g->tensors[index] : NULL;
}
NPU__FN const npu__subgraph *npu__ctx_subgraph(const npu__ctx *ctx, int32_t index) {
    const npu_model *m = ctx->env->plan->model;
    return index >= 0 && index < m->n_subgraphs ? &m->subgraphs[index] : NULL;
}

NPU__FN npu_status npu__set_shape_type(npu__ctx *ctx, int32_t i, const npu__shape *shape, int32_t type) {
    npu__val *v = ctx->out[i];
    size_t    bytes;
    if (shape->rank < 0 || shape->rank > NPU_MAX_RANK) {
        return NPU__FAIL(ctx, NPU_UNSUPPORTED, "op.output_rank", "output %d would have %d dimensions: at most %d are "
                         "supported", i, shape->rank, NPU_MAX_RANK);
    }
    if (!npu__value_bytes(shape, type, &bytes) || bytes > ctx->env->plan->model->desc.max_tensor_bytes) {
        return NPU__FAIL(ctx, NPU_LIMIT, "op.output_size", "output %d (%s) is larger than the limit of %l bytes, or has "
                         "a negative dimension", i, npu_type_name((npu_type)type),
                         (int64_t)ctx->env->plan->model->desc.max_tensor_bytes);
    }
    /* Also where the file declares another type (NPU__OP_FLEX_ANY_TYPE). While running, the plan is not written any more. */
    if (type == NPU_STRING && !ctx->env->session) ctx->env->plan->has_heap = 1;
    v->shape = *shape;
    v->type = type;
    v->bytes = bytes;
    v->known = 1;
    return NPU_OK;
}

NPU__FN npu_status npu__set_shape(npu__ctx *ctx, int32_t i, const npu__shape *shape) {
    return npu__set_shape_type(ctx, i, shape, ctx->out[i]->t->type);
}

NPU__FN int32_t npu__want_slot(npu__ctx *ctx, int32_t kind, size_t least, size_t most) {
    npu__env      *env = ctx->env;
    npu__slot_req *r = &env->slots[env->n_slots];
    if (env->n_slots >= NPU__MAX_SLOTS || least > env->plan->max_memory) {
        npu__explain(ctx, NPU_LIMIT, "plan.memory", "the operator asks for %z bytes of work memory: the limit is %l", least,
                  (int64_t)env->plan->max_memory);
        return -1;
    }
    if (most > env->plan->max_memory) most = least;
    r->kind = kind;
    r->bytes = npu__align_up(least, 64);
    r->most = npu__align_up(NPU__MAX(least, most), 64);
    r->offset = 0;
    return env->n_slots++;
}

NPU__FN int32_t npu__want(npu__ctx *ctx, int32_t kind, size_t bytes) {
    bytes = NPU__MAX(bytes, (size_t)1);
    return npu__want_slot(ctx, kind, bytes, bytes);
}
NPU__FN int32_t npu__want_scratch(npu__ctx *ctx, size_t bytes) { return npu__want(ctx, NPU__SLOT_SCRATCH, bytes); }
NPU__FN int32_t npu__want_scratch_upto(npu__ctx *ctx, size_t least, size_t most) {
    return npu__want_slot(ctx, NPU__SLOT_SCRATCH, least, NPU__MAX(most, (size_t)1));
}
NPU__FN int32_t npu__want_packed(npu__ctx *ctx, size_t bytes) { return npu__want(ctx, NPU__SLOT_PACKED, bytes); }
NPU__FN int32_t npu__want_state(npu__ctx *ctx, size_t bytes) { return npu__want(ctx, NPU__SLOT_STATE, bytes); }

NPU__FN void npu__slots_most(npu__env *env) {
    for (int32_t i = 0; i < env->n_slots; i++) env->slots[i].bytes = env->slots[i].most;
}

NPU__FN int npu__can_pack(const npu__ctx *ctx, int32_t input) {
    return ctx->env->may_pack && input < ctx->n_in && ctx->in[input] && ctx->in[input]->data;
}

NPU__FN int npu__may_sum(npu__ctx *ctx, size_t bytes) {
    npu_plan      *p = ctx->env->plan;
    /* Calls may lend the same memory again and again, so n_bytes says nothing there. */
    const uint64_t left = (p->model->bytes ? NPU__SHARED_MOST(p->model) : NPU__SHARED_FREE) - p->summed; /* never negative */
    if (bytes > left) return 0;
    p->summed += bytes;
    return 1;
}

NPU__FN int npu__may_grow(npu__ctx *ctx, size_t bytes) {
    npu_plan *p = ctx->env->plan;
    if (bytes > p->max_memory / 4 - p->grown) return 0; /* never negative */
    p->grown += bytes;
    return 1;
}

/* What infer and prepare read of constants, and what folding computes, together: planning must end soon. */
#define NPU__PLAN_MAX_STEPS ((int64_t)1 << 31)

NPU__FN int npu__plan_spend(npu__ctx *ctx, int64_t steps) {
    npu_plan *p = ctx->env->plan;
    p->steps = npu__sat_add(p->steps, steps);
    if (p->steps <= NPU__PLAN_MAX_STEPS) return 0;
    ctx->env->stopped = 1;
    npu__explain(ctx, NPU_LIMIT, "plan.work", "planning takes more than the limit of %l steps", NPU__PLAN_MAX_STEPS);
    return 1;
}

NPU__FN int npu__node_idle(const npu__ctx *c) {
    size_t bytes = 0;
    if (c->node->def->flags & NPU__OP_STATEFUL) return 0;
    for (int32_t i = 0; i < c->n_out; i++) bytes |= c->out[i]->bytes | (c->out[i]->type == NPU_STRING);
    return bytes == 0;
}
