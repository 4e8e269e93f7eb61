/* Making a plan: walks each subgraph once in execution order: infer, then prepare, folding what is constant; then gives
 * every tensor and slot its place. */
#include "../base/float_mode.h"
#include "../graph/custom.h"
#include "../graph/kinds.h"
#include "../ops/ops.h"
#include "plan.h"

NPU__FN npu_status npu__plan_no_memory(const npu_plan *plan, const npu__pool *temp, npu_diag *diag) {
    if (plan->pool.over_limit || (temp && temp->over_limit)) {
        return npu__diag_fail(diag, NPU_LIMIT, "plan.memory_limit", "the plan needs more memory than the limit of %l bytes "
                              "(npu_plan_desc.max_memory_bytes)", (int64_t)plan->max_memory);
    }
    return npu__diag_fail(diag, NPU_OUT_OF_MEMORY, "plan.memory", "no memory for the plan");
}

NPU__FN npu_status npu__plan_oom(npu__env *env) { return npu__plan_no_memory(env->plan, NULL, env->diag); }

NPU__FN npu_status npu__plan_vals(npu__env *env, npu__subplan *sub) {
    const npu__subgraph *g = sub->g;
    npu__pool           *pool = &env->plan->pool;
    sub->vals = (npu__val *)npu__pool_new(pool, (size_t)g->n_tensors, NPU__SIZE(npu__val));
    sub->places = (npu__place *)npu__pool_new(pool, (size_t)g->n_tensors, NPU__SIZE(npu__place));
    sub->steps = (npu__step *)npu__pool_new(pool, (size_t)g->n_nodes, NPU__SIZE(npu__step));
    if (!sub->vals || !sub->places || !sub->steps) return npu__plan_oom(env);
    for (int32_t i = 0; i < g->n_tensors; i++) {
        npu__val *v = &sub->vals[i];
        v->t = &g->tensors[i];
        v->type = v->t->type;
        v->shape = v->t->shape;
        v->known = 1;
        if (!npu__shape_bytes(&v->shape, v->type, &v->bytes)) v->bytes = v->t->data_bytes; /* STRING */
        if (v->type == NPU_STRING && !v->t->data) env->plan->has_heap = 1;
        sub->places[i].root = i;
        /* Constants are never written: casting const away here saves a second pointer in every value. */
        v->data = (void *)(uintptr_t)v->t->data;
        if (v->data) sub->places[i].at = NPU__AT_CONST;
    }
    /* Empty tensors that nobody writes are constants without contents, and lie nowhere in the model. */
    for (int32_t i = 0; i < g->n_tensors; i++) {
        if (sub->vals[i].bytes == 0 && !sub->vals[i].data && npu_type_bits((npu_type)sub->vals[i].type)) {
            sub->vals[i].data = env->plan->nothing;
        }
    }
    for (int32_t n = 0; n < g->n_nodes; n++) {
        for (int32_t k = 0; k < g->nodes[n].n_out; k++) {
            npu__val *v = &sub->vals[g->nodes[n].out[k]];
            v->data = NULL;
            v->known = v->t->is_variable;
        }
    }
    for (int32_t i = 0; i < g->n_in; i++) sub->vals[g->in[i]].data = NULL;
#if NPU__HAS_VENDORS
    npu__plan_offline_sizes(env->plan, sub);
#endif
    return NPU_OK;
}

NPU__FN npu_status npu__plan_ctx(npu__env *env, npu__subplan *sub, int32_t n) {
    const npu__node *node = &sub->g->nodes[n];
    npu__ctx        *c = &sub->steps[n].ctx;
    npu__val       **p;
    size_t           total = (size_t)node->n_in + (size_t)node->n_out + (size_t)node->n_mid;
    p = (npu__val **)npu__pool_new(&env->plan->pool, total, NPU__SIZE(npu__word));
    if (!p) return npu__plan_oom(env);
    c->node = node;
    c->env = env;
    c->n_in = node->n_in;
    c->n_out = node->n_out;
    c->n_mid = node->n_mid;
    c->in = p;
    c->out = p + node->n_in;
    c->mid = c->out + node->n_out;
    for (int32_t i = 0; i < node->n_in; i++) c->in[i] = node->in[i] < 0 ? NULL : &sub->vals[node->in[i]];
    for (int32_t i = 0; i < node->n_out; i++) c->out[i] = &sub->vals[node->out[i]];
    for (int32_t i = 0; i < node->n_mid; i++) c->mid[i] = node->mid[i] < 0 ? NULL : &sub->vals[node->mid[i]];
    return NPU_OK;
}

NPU__FN npu_status npu__plan_arity(npu__ctx *c) {
    const npu__opdef *d = c->node->def;
    if (!d) return NPU__FAIL(c, NPU_UNSUPPORTED, "op.unknown", "this build has no kernel for it"); /* analysis goes on */
    if (c->n_in < d->min_in || (d->max_in >= 0 && c->n_in > d->max_in)) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "op.input_count", "takes %d to %d inputs: got %d", d->min_in, d->max_in,
                         c->n_in);
    }
    if (c->n_out < d->min_out || (d->max_out >= 0 && c->n_out > d->max_out)) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "op.output_count", "gives %d to %d outputs: got %d", d->min_out,
                         d->max_out, c->n_out);
    }
    for (int32_t i = 0; i < c->n_in; i++) {
        if (c->in[i] || (d->optional_in & (1u << NPU__MIN(i, 31)))) continue; /* bounded: i is not negative */
        return NPU__FAIL(c, NPU_INVALID_MODEL, "op.input_missing", "input %d is left out but not optional", i);
    }
    return NPU_OK;
}

/* Infers one node. NPU__DYNAMIC when its outputs cannot be known yet. */
NPU__FN npu_status npu__plan_infer(npu__ctx *c) {
    npu_status s;
    for (int32_t i = 0; i < c->n_in; i++) if (c->in[i] && !c->in[i]->known) return NPU__DYNAMIC;
    s = npu__check_inputs(c);
    if (s == NPU_OK) s = c->node->def->infer(c);
    if (s != NPU_OK) return s;
    for (int32_t i = 0; i < c->n_out; i++) {
        if (!c->out[i]->known) return NPU__FAIL(c, NPU_UNSUPPORTED, "op.output_shape", "output %d has no shape", i);
        if (c->out[i]->type != c->out[i]->t->type && !(c->node->def->flags & NPU__OP_FLEX_ANY_TYPE)) {
            return NPU__FAIL(c, NPU_INVALID_MODEL, "op.output_type", "output %d has the wrong type %s", i,
                             npu_type_name((npu_type)c->out[i]->t->type));
        }
    }
    return npu__check_outputs(c);
}

NPU__FN int npu__plan_all_const(const npu__ctx *c) {
    for (int32_t i = 0; i < c->n_out; i++) if (c->out[i]->type == NPU_STRING) return 0; /* has its memory at run time only */
    if (c->node->def->flags & NPU__OP_SHAPES_ONLY) return 1; /* inferred already, so the inputs' shapes are known */
    for (int32_t i = 0; i < c->n_in; i++) {
        const npu__val *v = c->in[i];
        if (v && ((!v->data && !v->t->sparsity) || v->t->is_variable)) return 0;
    }
    return !(c->node->def->flags & NPU__OP_STATEFUL);
}

NPU__FN npu_status npu__plan_prepare(npu__env *env, npu__step *step) {
    npu__ctx  *c = &step->ctx;
    npu_status s;
    c->data = npu__pool_new(&env->plan->pool, 1, c->node->def->data);
    if (!c->data) return npu__plan_oom(env);
    env->n_slots = 0;
    s = npu__check_walk(c);
    if (s != NPU_OK) return s;
    if (npu__plan_all_const(c)) {
        s = npu__plan_fold(env, step);
        if (s != NPU_OK || step->kind == NPU__STEP_FOLDED) return s;
        memset(c->data, 0, c->node->def->data.here);
        env->n_slots = 0;
    }
    env->may_pack = 1;
    s = c->node->def->prepare(c);
    if (s != NPU_OK) return s;
    step->slots = (npu__slot_req *)npu__pool_new(&env->plan->pool, (size_t)env->n_slots, NPU__SIZE(npu__slot_req));
    if (!step->slots) return npu__plan_oom(env);
    memcpy(step->slots, env->slots, (size_t)env->n_slots * sizeof(npu__slot_req)); /* bounded: NPU__MAX_SLOTS */
    step->n_slots = env->n_slots;
    step->work = npu__node_work(c).steps;
    if (npu__node_idle(c)) step->kind = NPU__STEP_IDLE;
    return NPU_OK;
}

/* Analysis goes on past a node that cannot run, or not with the sizes that open dimensions are given. */
NPU__FN int npu__plan_goes_on(const npu__env *env, npu_status s) {
    return env->plan->shapes_only && (s == NPU_UNSUPPORTED || s == NPU_INVALID_MODEL || s == NPU_BAD_INPUT);
}

/* The outputs of such a node keep what the file declares. */
NPU__FN void npu__plan_declared(npu__ctx *c) {
    for (int32_t i = 0; i < c->n_out; i++) {
        npu__val *v = c->out[i];
        v->shape = v->t->shape;
        v->type = v->t->type;
        if (!npu__shape_bytes(&v->shape, v->type, &v->bytes)) v->bytes = 0;
        v->known = 1;
    }
}

NPU__FN npu_status npu__plan_step(npu__env *env, npu__subplan *sub, int32_t n) {
    npu__step *step = &sub->steps[n];
    npu_status s = npu__plan_ctx(env, sub, n);
    int32_t    depth = env->depth;
    if (s != NPU_OK) return s;
    s = npu__plan_arity(&step->ctx);
    if (s == NPU_OK) s = npu__custom_check(&step->ctx);
    if (s == NPU_OK) s = npu__plan_infer(&step->ctx);
    env->depth = depth;
    if (s == NPU__DYNAMIC) {
        step->kind = NPU__STEP_DYNAMIC;
        env->plan->has_heap = 1;
        for (int32_t i = 0; i < step->ctx.n_out; i++) step->ctx.out[i]->known = 0;
        if (env->plan->shapes_only) npu__plan_declared(&step->ctx);
        return NPU_OK;
    }
    if (npu__plan_goes_on(env, s)) {
        step->status = s;
        npu__plan_declared(&step->ctx);
        npu__diag_clear(env->diag);
        return NPU_OK;
    }
    if (s != NPU_OK) return s;
    s = npu__plan_fused(env, sub, n);
    if (npu__plan_goes_on(env, s)) {
        step->status = s;
        npu__diag_clear(env->diag);
        s = NPU_OK;
    }
    return s;
}

NPU__FN npu_status npu__plan_subgraph_with(npu__env *env, int32_t index, const npu_plan_desc *desc,
                                           const npu__ctx *caller, int32_t first_in) {
    npu__subplan *sub;
    npu_status    s;
    if (index < 0 || index >= env->plan->model->n_subgraphs) {
        return npu__diag_fail(env->diag, NPU_INVALID_MODEL, "graph.subgraph_index", "subgraph %d does not exist", index);
    }
    sub = &env->plan->subs[index];
    if (sub->state == 2) return NPU_OK;
    if (sub->state == 1 || env->depth >= NPU__MAX_CALL_DEPTH) {
        return npu__diag_fail(env->diag, NPU_INVALID_MODEL, "graph.recursion", "subgraph %d calls itself, or calls are "
                              "nested deeper than %d", index, NPU__MAX_CALL_DEPTH);
    }
    sub->state = 1;
    env->depth++;
    sub->g = &env->plan->model->subgraphs[index];
    s = npu__plan_vals(env, sub);
    if (s == NPU_OK) s = npu__plan_resize_inputs(env, sub, index, desc);
    if (s == NPU_OK) npu__plan_passed_inputs(sub, caller, first_in);
    if (s == NPU_OK) npu__plan_open_inputs(sub);
    if (s == NPU_OK) s = npu__fuse_start(env, sub);
    for (int32_t n = 0; s == NPU_OK && n < sub->g->n_nodes; n++) {
        s = npu__plan_step(env, sub, n);
        if (env->stopped) s = NPU_LIMIT; /* whatever the operator made of it */
    }
    env->depth--;
    sub->state = 2;
    return s;
}

NPU__FN npu_status npu__plan_subgraph(npu__env *env, int32_t index, const npu__ctx *caller, int32_t first_in) {
    npu__slot_req saved[NPU__MAX_SLOTS];
    int32_t       n = env->n_slots, may_pack = env->may_pack;
    npu_status    s;
    memcpy(saved, env->slots, sizeof saved); /* the calling node may be in the middle of its own prepare */
    s = npu__plan_subgraph_with(env, index, NULL, caller, first_in);
    memcpy(env->slots, saved, sizeof saved);
    env->n_slots = n;
    env->may_pack = may_pack;
    return s;
}

NPU__FN npu_status npu__call_declare(npu__ctx *ctx, int32_t subgraph, int32_t first_in) {
    npu_status s = ctx->env->session ? NPU_OK : npu__plan_subgraph(ctx->env, subgraph, ctx, first_in);
    if (s != NPU_OK) npu__explain(ctx, s, "graph.call", "subgraph %d cannot be called", subgraph);
    /* An input that nobody gives would hold what was in memory before. */
    if (s == NPU_OK && first_in >= 0 && subgraph >= 0 && subgraph < ctx->env->plan->model->n_subgraphs) {
        const int32_t takes = ctx->env->plan->model->subgraphs[subgraph].n_in, given = ctx->n_in - first_in;
        if (takes == given) return NPU_OK;
        return NPU__FAIL(ctx, NPU_INVALID_MODEL, "control_flow.count", "subgraph %d takes %d inputs: it is given %d", subgraph, takes, given);
    }
    return s;
}

NPU__FN int npu__plan_list_runs(npu_plan *p, npu__subplan *sub) {
    sub->ran = (int32_t *)npu__pool_alloc(&p->pool, (size_t)sub->g->n_nodes, sizeof *sub->ran);
    for (int32_t n = 0; sub->ran && n < sub->g->n_nodes; n++) {
        if (sub->steps[n].kind != NPU__STEP_FOLDED) sub->ran[sub->n_ran++] = n;
    }
    return sub->ran != NULL;
}

/* Regions of the session's memory: state and packed slots are laid end to end, arenas of subgraphs likewise. */
NPU__FN npu_status npu__plan_layout(npu_plan *p, npu_diag *diag) {
    size_t arena = 0, packed = 0, state = 0;
    int    ok = 1;
    for (int32_t i = 0; i < p->model->n_subgraphs; i++) {
        npu__subplan *sub = &p->subs[i];
        npu_status    s = npu__plan_arena(p, sub, diag);
        if (s == NPU_OK && !npu__plan_list_runs(p, sub)) s = npu__plan_no_memory(p, NULL, diag);
        if (s != NPU_OK) return s;
        sub->arena_offset = arena;
        ok = ok && npu__add_size(arena, npu__align_up(sub->arena_bytes, 64), &arena);
        for (int32_t n = 0; n < sub->g->n_nodes; n++) {
            for (int32_t k = 0; k < sub->steps[n].n_slots; k++) {
                npu__slot_req *r = &sub->steps[n].slots[k];
                size_t        *region = r->kind == NPU__SLOT_PACKED ? &packed : &state;
                if (r->kind == NPU__SLOT_SCRATCH || r->kind == NPU__SLOT_NONE) continue;
                r->offset = *region;
                ok = ok && npu__add_size(*region, r->bytes, region);
            }
        }
        for (int32_t t = 0; t < sub->g->n_tensors; t++) {
            if (sub->places[t].at != NPU__AT_STATE || sub->places[t].root != t) continue;
            sub->places[t].offset = state;
            ok = ok && npu__add_size(state, npu__align_up(sub->vals[t].bytes, 64), &state);
        }
        for (int32_t t = 0; t < sub->g->n_tensors; t++) {
            const npu__place *root = &sub->places[sub->places[t].root];
            if (sub->places[t].at == NPU__AT_STATE && sub->places[t].root != t) sub->places[t].offset += root->offset;
        }
    }
    for (int32_t i = 0; i < p->n_resources; i++) {
        p->resources[i].offset = state;
        ok = ok && npu__add_size(state, npu__align_up(p->resources[i].bytes, 64), &state);
    }
    if (!ok || arena > p->max_memory || packed > p->max_memory - arena || state > p->max_memory - arena - packed) {
        return npu__diag_fail(diag, NPU_LIMIT, "plan.memory", "a session would need more than the limit of %l bytes",
                              (int64_t)p->max_memory);
    }
    p->arena_bytes = arena;
    p->packed_bytes = packed;
    p->state_bytes = state;
    return NPU_OK;
}

NPU__FN npu_status npu__plan_make(npu_plan *p, const npu_plan_desc *desc, npu_diag *diag) {
    npu__env   env;
    npu_status s = NPU_OK;
    memset(&env, 0, sizeof env);
    env.diag = diag;
    env.plan = p;
    env.isa = p->isa;
    env.machine = p->machine;
    env.fold_isa = npu_isa_available(p->isa) ? p->isa : NPU_ISA_SCALAR;
    env.threads = p->threads;
    env.may_fuse = !p->keep_values && !p->shapes_only && !(desc && desc->backend);
    p->subs = (npu__subplan *)npu__pool_new(&p->pool, (size_t)p->model->n_subgraphs, NPU__SIZE(npu__subplan));
    p->nothing = npu__pool_alloc_aligned64(&p->pool, 64);
    if (!p->subs || !p->nothing) return npu__plan_oom(&env);
#if NPU__HAS_VENDORS
    if (!npu__plan_offline_find(p)) return npu__plan_oom(&env);
    if (p->offline.offsets) env.may_fuse = 0; /* they were chosen for the lifetimes of the operators as they are */
#endif
    for (int32_t i = 0; desc && i < desc->n_input_shapes; i++) {
        if (desc->input_shapes[i].subgraph >= 0 && desc->input_shapes[i].subgraph < p->model->n_subgraphs) continue;
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "plan.input_shape", "input shape %d names subgraph %d of %d",
                              i, desc->input_shapes[i].subgraph, p->model->n_subgraphs);
    }
    for (int32_t i = 0; s == NPU_OK && i < p->model->n_subgraphs; i++) s = npu__plan_subgraph_with(&env, i, desc, NULL, -1);
    if (s == NPU_OK) s = npu__plan_segments(&env, desc);
    for (int32_t i = 0; i < p->model->n_subgraphs; i++) { /* the environment dies with this call */
        for (int32_t k = 0; p->subs[i].segs && k < p->subs[i].n_segs; k++) p->subs[i].segs[k].ctx.env = NULL;
        if (p->subs[i].state != 2) continue;
        for (int32_t n = 0; p->subs[i].steps && n < p->subs[i].g->n_nodes; n++) p->subs[i].steps[n].ctx.env = NULL;
    }
    if (s != NPU_OK || p->shapes_only) return s;
    return npu__plan_layout(p, diag);
}

NPU__FN npu_status npu__plan_new(npu_plan **out, const npu_model *model, const npu_plan_desc *desc, int shapes_only,
                                 npu__pool_elsewhere *elsewhere, npu_diag *diag) {
    npu_allocator a;
    npu__pool     pool;
    npu_plan     *p;
    npu_status    s;
    uint64_t      limit;
    npu_isa       isa = desc ? desc->isa : NPU_ISA_AUTO;
    int32_t       threads = desc && desc->threads ? desc->threads : 1;
    npu__diag_clear(diag);
    if (out) *out = NULL;
    if (!out || !model) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.null", "npu_plan_create: out and model must not be NULL");
    }
    if (!elsewhere && !npu_isa_available(isa)) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "plan.isa", "this build on this machine cannot use ISA %s",
                              npu_isa_name(isa) ? npu_isa_name(isa) : "(unknown)");
    }
    if (threads < 1 || threads > 256) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "plan.threads", "threads must be in [1, 256]: got %d", threads);
    }
    if (!npu__allocator_resolve(&a, desc ? &desc->allocator : NULL)) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.no_allocator", "npu_plan_create: this build has no malloc: "
                              "set desc.allocator");
    }
    limit = desc && desc->max_memory_bytes ? desc->max_memory_bytes : (uint64_t)1 << 30;
    npu__pool_init(&pool, &a, limit);
    if (elsewhere) npu__pool_count_elsewhere(&pool, elsewhere, elsewhere->machine);
    p = (npu_plan *)npu__pool_new(&pool, 1, NPU__SIZE(npu_plan));
    if (!p) {
        return npu__diag_fail(diag, pool.over_limit ? NPU_LIMIT : NPU_OUT_OF_MEMORY,
                              pool.over_limit ? "plan.memory_limit" : "plan.memory", "no memory for the plan");
    }
    p->pool = pool;
    p->model = model;
    p->isa = isa == NPU_ISA_AUTO ? npu_isa_best() : isa;
    p->threads = threads;
    p->machine = elsewhere ? elsewhere->machine : NPU_MACHINE_THIS;
    p->keep_values = desc ? desc->keep_values : 0;
    p->shapes_only = shapes_only;
    p->max_memory = limit;
    s = shapes_only ? NPU_OK : npu__model_complete(model, diag);
    if (s == NPU_OK) {
        const unsigned mode = npu__float_mode_begin(); /* what is folded is what it would be when it runs */
        s = npu__plan_make(p, desc, diag);
        npu__float_mode_end(mode);
    }
    if (s != NPU_OK) {
        npu_plan_destroy(p);
        return s;
    }
    *out = p;
    return NPU_OK;
}

NPU__FN npu_status npu__analyze(npu_plan **out, const npu_model *model, const npu_plan_desc *desc, npu_diag *diag) {
    return npu__plan_new(out, model, desc, 1, NULL, diag);
}

NPU_API void npu_plan_destroy(npu_plan *plan) {
    npu__pool pool;
    if (!plan) return;
    pool = plan->pool;
    npu__pool_free(&pool);
}

NPU_API void npu_plan_memory(const npu_plan *plan, npu_memory *out) {
    out->session_bytes = plan->session_bytes;
    out->arena_bytes = plan->arena_bytes;
    out->packed_bytes = plan->packed_bytes;
    out->variable_bytes = plan->state_bytes;
    out->plan_bytes = plan->pool.total_bytes;
    out->folded_bytes = plan->folded_bytes;
    out->model_bytes = plan->model->pool.total_bytes;
    out->limit_bytes = plan->max_memory;
    out->machine = (npu_machine)plan->machine;
    out->isa = plan->isa;
}

NPU_API npu_isa npu_plan_isa(const npu_plan *plan) { return plan->isa; }
