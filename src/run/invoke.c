/* Running: one loop over the steps of a subgraph. */
#include "../base/float_mode.h"
#include "../vendor/vendor.h"
#include "session.h"

#if NPU__HAS_PROFILE
#include <time.h>
/* The monotonic clock where the libc shows it (strict C99 may hide it), processor time otherwise. Strict WASI builds have
 * neither: their profiles need npu_session_desc.clock_ns. */
NPU__FN uint64_t npu__clock_default(void *user) {
    (void)user;
#if defined(__wasi__) && defined(__STRICT_ANSI__) && !defined(_POSIX_C_SOURCE)
    return 0;
#elif defined(CLOCK_MONOTONIC)
    {
        struct timespec t;
        if (clock_gettime(CLOCK_MONOTONIC, &t) != 0) return 0;
        return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec; /* bounded: for 500 years */
    }
#else
    return (uint64_t)((double)clock() * (1e9 / (double)CLOCKS_PER_SEC));
#endif
}
#endif

NPU__FN npu_status npu__run_no_memory(npu_session *s, npu__ctx *c, size_t bytes, const char *what) {
    if (bytes > s->heap_limit - s->heap_bytes) {
        return NPU__FAIL(c, NPU_LIMIT, "session.memory_limit", "%z bytes for %s are too many: %z of the %z that "
                         "npu_plan_desc.max_memory_bytes leaves are taken", bytes, what, s->heap_bytes, s->heap_limit);
    }
    return NPU__FAIL(c, NPU_OUT_OF_MEMORY, "session.memory", "no memory for %z bytes of %s: give the session an allocator",
                     bytes, what);
}

NPU__FN NPU__NOINLINE npu_status npu__run_no_work(npu_session *s, npu__ctx *c, int64_t steps) {
    return NPU__FAIL(c, NPU_LIMIT, "session.work", "%l steps of work are more than the %l that are left of the limit of %l "
                     "(npu_session_desc.max_work)", steps, s->env.work_left, s->max_work);
}

/* Memory for v->bytes of a value of `subgraph` that lies on the heap. */
NPU__FN npu_status npu__run_room(npu_session *s, npu__ctx *c, int32_t subgraph, npu__val *v) {
    npu__heap_val *h = &s->subs[subgraph].heap[v - s->subs[subgraph].vals];
    if (v->bytes > h->capacity || !h->data) {
        /* Freed before it is asked for again: contents need not survive, and both at once may not fit. */
        npu__session_free(s, h->data, h->capacity);
        h->capacity = NPU__MAX(v->bytes, (size_t)1);
        h->data = npu__session_alloc(s, h->capacity);
        if (!h->data) {
            const size_t bytes = v->bytes;
            h->capacity = 0;
            v->data = NULL;
            if (v->type == NPU_STRING) v->bytes = 0;
            return npu__run_no_memory(s, c, bytes, "a tensor whose size depends on data");
        }
    }
    v->data = h->data;
    return NPU_OK;
}

/* Makes room for output `v` of a node whose shapes depend on data. */
NPU__FN npu_status npu__run_grow(npu_session *s, npu__ctx *c, npu__val *v) {
    const npu__subrun *run = &s->subs[c->node->subgraph];
    /* An output whose shape was known while planning has its place. */
    if (s->plan->subs[c->node->subgraph].places[v - run->vals].at != NPU__AT_HEAP) return NPU_OK;
    if (v->type != NPU_STRING) return npu__run_room(s, c, c->node->subgraph, v);
    v->data = NULL; /* eval knows how much it takes */
    return NPU_OK;
}

NPU__FN npu_status npu__value_room(npu__ctx *ctx, int32_t subgraph, npu__val *v, size_t bytes) {
    npu_session *s = ctx->env->session;
    NPU__ASSERT(s && v->type == NPU_STRING);
    v->data = NULL;
    v->bytes = 0;
    if (bytes == 0) return NPU_OK;
    NPU__TRY(npu__charge(ctx, (int64_t)bytes));
    v->bytes = bytes;
    return npu__run_room(s, ctx, subgraph < 0 ? ctx->node->subgraph : subgraph, v);
}

NPU__FN npu_status npu__charge(npu__ctx *ctx, int64_t steps) {
    npu_session *s = ctx->env->session;
    if (s) {
        if (steps > s->env.work_left) return npu__run_no_work(s, ctx, steps);
        s->env.work_left -= steps;
    }
    NPU__POLL(ctx, steps);
    return NPU_OK;
}

NPU__FN npu_status npu__run_temp_slots(npu_session *s, npu__ctx *c, void **slots) {
    for (int32_t i = 0; i < s->env.n_slots; i++) {
        /* State would have to keep its size from run to run, and nobody knows it before the first. */
        if (s->env.slots[i].kind == NPU__SLOT_STATE) {
            return NPU__FAIL(c, NPU_UNSUPPORTED, "op.dynamic_state", "keeps state, so its shapes must not depend on data");
        }
        slots[i] = npu__session_alloc(s, s->env.slots[i].bytes);
        if (!slots[i]) return npu__run_no_memory(s, c, s->env.slots[i].bytes, "work space");
    }
    return NPU_OK;
}

NPU__FN npu_status npu__run_charge(npu_session *s, npu__ctx *c, int64_t steps) {
    /* Compared before it is taken: work_left never goes below 0, and steps are saturated sums that must not be added. */
    if (steps > s->env.work_left - NPU__STEP_OVERHEAD) return npu__run_no_work(s, c, steps);
    s->env.work_left -= steps + NPU__STEP_OVERHEAD;
    s->env.node_work = steps;
    return NPU_OK;
}

/* After an operator, where there is somebody to ask: stop, or go on with what it said. */
NPU__FN NPU__NOINLINE npu_status npu__run_ask(npu_session *s, npu__ctx *c, npu_status status) {
    if (s->env.stopped) return NPU_CANCELLED; /* whatever the operator made of it */
    if (status != NPU_OK) return status;
    return npu__poll(c, s->env.node_work) ? NPU_CANCELLED : NPU_OK; /* after a call, the work of the last node inside */
}

/* Evaluates a prepared node that has something to compute. */
NPU__INLINE npu_status npu__run_eval(npu_session *s, npu__ctx *c) {
    npu_status status;
#if NPU__HAS_DEBUG
    npu__check_at_eval(c);
    npu__poison_for(s, c);
#endif
    status = c->node->def->eval(c);
#if NPU__HAS_DEBUG
    npu__poison_none(s);
#endif
    return s->cancel ? npu__run_ask(s, c, status) : status;
}

/* Infers, prepares and runs a node whose shapes were not known while planning. */
NPU__FN npu_status npu__run_dynamic(npu_session *s, npu__ctx *c) {
    void         *slots[NPU__MAX_SLOTS];
    npu__slot_req reqs[NPU__MAX_SLOTS];
    int32_t       n;
    npu_status    status;
    /* The last run's shapes must not pass for this one's, nor its memory: where this run ends before there is room for the new shape,
     * the output has no value. */
    for (int32_t i = 0; i < c->n_out; i++) {
        const npu__val *v = c->out[i];
        c->out[i]->known = 0;
        if (s->plan->subs[c->node->subgraph].places[v - s->subs[c->node->subgraph].vals].at == NPU__AT_HEAP) c->out[i]->data = NULL;
    }
    s->env.inferring = 1;
    s->env.inferred = 0;
    status = npu__plan_infer(c);
    if (s->env.inferring == 2) status = NPU_LIMIT; /* whatever infer made of it */
    s->env.inferring = 0;
    if (status == NPU__DYNAMIC) {
        status = NPU__FAIL(c, NPU_RUNTIME, "op.dynamic_shape", "the output shape cannot be computed");
    }
    if (status != NPU_OK) return status;
    /* Weights are packed once, at the session's start: a node prepared now uses them as they lie. */
    s->env.may_pack = 0;
    s->env.n_slots = 0;
    /* As while planning: prepare may rely on zeros. */
    memset(c->data, 0, c->node->def->data.here);
    status = c->node->def->prepare(c);
    if (status == NPU_OK) {
        npu__op_time *time = &s->subs[c->node->subgraph].times[c->node->index];
        time->work = npu__node_work(c);
        status = npu__run_charge(s, c, time->work.steps);
    }
    /* Charged before memory is taken: a shape that is too much work must not cost memory first. */
    for (int32_t i = 0; status == NPU_OK && i < c->n_out; i++) status = npu__run_grow(s, c, c->out[i]);
    if (status != NPU_OK) return status;
    memset(slots, 0, sizeof slots);
    n = s->env.n_slots;
    npu__slots_most(&s->env);
    memcpy(reqs, s->env.slots, sizeof reqs); /* a called subgraph prepares its own nodes */
    status = npu__run_temp_slots(s, c, slots);
    s->env.temp_slots = slots;
    if (status == NPU_OK && !npu__node_idle(c)) status = npu__run_eval(s, c);
    s->env.temp_slots = NULL;
    /* In reverse order: so a fixed buffer has the room of each again at once. */
    for (int32_t i = n; i-- > 0;) npu__session_free(s, slots[i], reqs[i].bytes);
    return status;
}

#if NPU__HAS_LOWERING
/* A segment in the place of an eval: all its work is charged before. */
NPU__FN npu_status npu__run_segment(npu_session *s, npu__seg *seg) {
    npu_status status = npu__run_charge(s, &seg->ctx, seg->work);
    if (status != NPU_OK) return status;
#if NPU__HAS_DEBUG
    for (int32_t i = 0; i < seg->ctx.n_in; i++) NPU__ASSERT(seg->ctx.in[i]->data);
    for (int32_t i = 0; i < seg->ctx.n_out; i++) NPU__ASSERT(seg->ctx.out[i]->data);
#endif
    npu__poison_segment(s, seg);
    status = npu__segment_run(s, seg);
    npu__poison_none(s);
    s->env.node_work = seg->work;
    return s->cancel ? npu__run_ask(s, &seg->ctx, status) : status;
}

NPU__FN npu_status npu__seg_eval(npu__seg *seg, int32_t i) {
    npu_session     *s = seg->ctx.env->session;
    npu__ctx        *c = seg->nodes[i];
    const npu__node *node = c->node;
    npu_status       status;
    NPU__ASSERT(npu__step_ready(&s->plan->subs[node->subgraph], node->index));
    s->env.node_work = s->plan->subs[node->subgraph].steps[node->index].work;
    status = npu__run_eval(s, c);
    npu__poison_segment(s, seg);
    return status;
}
#endif

NPU__FN npu_status npu__run_step(npu_session *s, const npu__step *step, npu__ctx *c) {
    npu_status status;
    switch (step->kind) {
    case NPU__STEP_RUN:
        status = npu__run_charge(s, c, step->work);
        return status == NPU_OK ? npu__run_eval(s, c) : status;
    case NPU__STEP_DYNAMIC: return npu__run_dynamic(s, c);
#if NPU__HAS_LOWERING
    case NPU__STEP_SEGMENT: return npu__run_segment(s, &s->subs[c->node->subgraph].segs[step->seg - 1]);
#endif
    default: return NPU_OK;
    }
}

NPU__FN npu_status npu__run_nodes(npu_session *s, const npu__subplan *sub, npu__subrun *run) {
    if (s->profile || s->observe) return npu__run_watched(s, sub, run);
    for (int32_t i = 0; i < sub->n_ran; i++) {
        const int32_t    n = sub->ran[i];
        const npu_status status = npu__run_step(s, &sub->steps[n], &run->ctxs[n]);
        if (status != NPU_OK) return status;
    }
    return NPU_OK;
}

NPU__FN npu_status npu__run_subgraph(npu_session *s, int32_t index) {
    npu_status status;
    s->subs[index].running = 1;
    status = npu__run_nodes(s, &s->plan->subs[index], &s->subs[index]);
    s->subs[index].running = 0;
    return status;
}

NPU_API npu_status npu_session_invoke_subgraph(npu_session *session, int32_t subgraph, npu_diag *diag) {
    npu_status status;
    unsigned   mode;
    npu__diag_clear(diag);
    if (!session || subgraph < 0 || subgraph >= session->plan->model->n_subgraphs) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.subgraph", "npu_session_invoke_subgraph: subgraph %d does "
                              "not exist", subgraph);
    }
#if NPU__HAS_PROFILE
    if (!session->clock_ns) session->clock_ns = npu__clock_default;
#endif
    session->env.diag = diag;
    session->env.loops_left = session->max_loop_runs;
    session->env.work_left = session->max_work;
    session->env.unpolled = 0;
    session->env.stopped = 0;
    mode = npu__float_mode_begin();
    status = npu__run_subgraph(session, subgraph);
    npu__float_mode_end(mode);
    /* The first cause: what was stopped may have failed in another way on its way out. */
    if (session->env.stopped) status = NPU_CANCELLED;
    session->env.diag = NULL;
    return status;
}

NPU_API npu_status npu_session_invoke(npu_session *session, npu_diag *diag) {
    return npu_session_invoke_subgraph(session, 0, diag);
}

/* ---- profile ---- */

NPU_API int32_t npu_session_op_count(const npu_session *session, int32_t subgraph) {
    if (!session || subgraph < 0 || subgraph >= session->plan->model->n_subgraphs) return -1;
    return session->plan->subs[subgraph].n_ran;
}

#if NPU__HAS_LOWERING
/* An operator of a segment: the time of all of them is the first one's. */
NPU__FN void npu__profile_segment(const npu_session *session, const npu__step *step, npu_op_profile *out) {
    const npu__seg *seg = step->seg ? &session->subs[out->subgraph].segs[step->seg - 1] : NULL;
    if (!seg) return;
    out->fallback = seg->why;
    if (!seg->why) out->vendor = out->kernel = seg->vendor->name;
    out->segment = seg->ctx.node->index;
    if (step->kind == NPU__STEP_INSIDE) out->total_ns = 0;
}
#endif

NPU_API npu_status npu_session_op_profile(const npu_session *session, int32_t subgraph, int32_t i, npu_op_profile *out) {
    int32_t          n;
    const npu__step *step;
    const npu__ctx  *c;
    npu__str         name;
    npu__work        work;
    if (!session || !out || subgraph < 0 || subgraph >= session->plan->model->n_subgraphs || i < 0) {
        return NPU_INVALID_ARGUMENT;
    }
    if (i >= session->plan->subs[subgraph].n_ran) return NPU_INVALID_ARGUMENT;
    n = session->plan->subs[subgraph].ran[i];
    c = &session->subs[subgraph].ctxs[n];
    name = npu__node_name(c->node);
    out->name = name.p;
    out->name_len = name.n;
    out->subgraph = subgraph;
    out->op = n;
    out->runs = session->subs[subgraph].times[n].runs;
    out->total_ns = session->subs[subgraph].times[n].total_ns;
    step = &session->plan->subs[subgraph].steps[n];
    work = step->kind == NPU__STEP_RUN || step->seg ? npu__node_work(c) : session->subs[subgraph].times[n].work;
    out->macs = work.macs;
    out->steps = work.steps;
    out->kernel = "reference";
    if (c->node->def->flags & NPU__OP_NAMES_KERNEL) memcpy(&out->kernel, c->data, sizeof out->kernel);
    if (!out->kernel) out->kernel = "reference";
    out->vendor = NULL;
    out->fallback = NULL;
    out->segment = -1;
#if NPU__HAS_LOWERING
    npu__profile_segment(session, step, out);
#endif
    return NPU_OK;
}

NPU_API void npu_session_profile_clear(npu_session *session) {
    for (int32_t i = 0; i < session->plan->model->n_subgraphs; i++) {
        int32_t n = session->plan->subs[i].g->n_nodes;
        if (n) memset(session->subs[i].times, 0, (size_t)n * sizeof(npu__op_time)); /* bounded: was cut from the block */
    }
}
