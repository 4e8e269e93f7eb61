/* The services of graph/op.h that need memory to be bound (or, while folding, the little there is). */
#include "session.h"

NPU__FN void *npu__slot(const npu__ctx *ctx, int32_t slot) {
    const npu__env      *env = ctx->env;
    const npu__slot_req *r;
    /* While folding, and in nodes with shapes that depend on data, slots are allocations of that one run. */
    if (env->temp_slots) return env->temp_slots[slot];
    r = &env->plan->subs[ctx->node->subgraph].steps[ctx->node->index].slots[slot];
    switch (r->kind) {
    case NPU__SLOT_SCRATCH: return env->session->arena + env->plan->subs[ctx->node->subgraph].arena_offset + r->offset;
    case NPU__SLOT_PACKED: return env->session->packed + r->offset;
    default: return env->session->state + r->offset;
    }
}

NPU__FN size_t npu__slot_bytes(const npu__ctx *ctx, int32_t slot) {
    const npu__env *env = ctx->env;
    if (env->temp_slots) return env->slots[slot].bytes;
    return env->plan->subs[ctx->node->subgraph].steps[ctx->node->index].slots[slot].bytes;
}

NPU__FN const void *npu__driver(const npu__ctx *ctx, int32_t vendor) {
    return ctx->env->session ? ctx->env->session->drivers[vendor] : NULL;
}

NPU__FN void *npu__counted_alloc(void *user, size_t bytes, size_t align) {
    (void)align; /* 64, the most that is asked for */
    return npu__session_alloc((npu_session *)user, bytes);
}
NPU__FN void npu__counted_free(void *user, void *p, size_t bytes) { npu__session_free((npu_session *)user, p, bytes); }

NPU__FN npu_status npu__at_end(npu__ctx *ctx, void (*release)(npu__ctx *)) {
    npu_session *s = ctx->env->session;
    npu__ending *e = (npu__ending *)npu__session_alloc(s, sizeof *e);
    if (!e) return NPU__FAIL(ctx, NPU_OUT_OF_MEMORY, "session.memory", "no memory to note what must be released");
    e->next = s->at_end;
    e->ctx = ctx;
    e->release = release;
    s->at_end = e;
    return NPU_OK;
}

NPU__FN npu_allocator npu__ctx_allocator(npu__ctx *ctx) {
    npu_allocator a;
    a.user = ctx->env->session;
    a.alloc = npu__counted_alloc;
    a.free = npu__counted_free;
    return a;
}

NPU__FN int64_t npu__ctx_max_work(const npu__ctx *ctx) { return ctx->env->session->max_work; }

/* ---- stopping ---- */

/* Asks the session's cancel function. */
NPU__FN int npu__ask(npu__ctx *ctx) {
    npu__env *env = ctx->env;
    env->unpolled = 0;
    if (!env->session->cancel(env->session->cancel_user)) return 0;
    env->stopped = 1;
    npu__explain(ctx, NPU_CANCELLED, "session.cancelled", "the run was stopped by the caller (npu_session_desc.cancel)");
    return 1;
}

/* What infer takes at run time is part of the work that is charged once shapes are known: until then it may take what is left. */
NPU__FN int npu__infer_spend(npu__ctx *ctx, int64_t steps) {
    npu__env *env = ctx->env;
    if (env->inferring == 1) {
        env->inferred = npu__sat_add(env->inferred, steps);
        if (env->inferred <= env->work_left) return 0;
        env->inferring = 2;
        npu__run_no_work(env->session, ctx, env->inferred);
    }
    return 1;
}

NPU__FN int npu__poll(npu__ctx *ctx, int64_t steps) {
    npu__env *env = ctx->env;
    if (env->stopped) return 1;
    /* Folding has no caller to ask, but a budget of its own. */
    if (!env->session) return npu__plan_spend(ctx, steps);
    if (env->inferring && npu__infer_spend(ctx, steps)) return 1;
    if (!env->session->cancel) return 0;
    env->unpolled = npu__sat_add(env->unpolled, steps);
    return env->unpolled < NPU__ASK_STEPS ? 0 : npu__ask(ctx);
}

/* A part of a longer loop. */
typedef struct npu__round {
    npu__range_fn fn;
    void         *arg;
    int64_t       from;
} npu__round;

NPU__FN void npu__round_range(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__round *r = (const npu__round *)arg;
    r->fn(r->arg, r->from + begin, r->from + end, thread);
}

/* A loop without rounds. */
NPU__INLINE void npu__parallel_once(npu_session *s, int64_t n, int64_t grain, int64_t tile, npu__range_fn fn, void *arg) {
    if (s && s->threads.n > 1) npu__threads_run(&s->threads, n, grain, tile, fn, arg);
    else fn(arg, 0, n, 0);
}

/* A loop in rounds, with somebody to ask between them. */
NPU__FN NPU__NOINLINE void npu__parallel_rounds(npu__ctx *ctx, int64_t n, int64_t grain, int64_t tile, npu__range_fn fn, void *arg) {
    npu_session *s = ctx->env->session;
    npu__round   r;
    int64_t      item, count;
    if (ctx->env->stopped) return;
    if (ctx->env->node_work < NPU__ROUND_STEPS) { /* one round, of a layer that takes no longer than to count how many */
        npu__parallel_once(s, n, grain, tile, fn, arg);
        (void)npu__poll(ctx, ctx->env->node_work);
        return;
    }
    /* What an item of the loop costs: the node's whole work goes through it, give or take. */
    item = ctx->env->node_work / n + 1;
    count = NPU__MAX(NPU__ROUND_STEPS / item, (int64_t)1) * s->threads.n; /* bounded: 2^21 times 256 */
    r.fn = fn;
    r.arg = arg;
    for (r.from = 0; r.from < n; r.from += count) {
        const int64_t items = NPU__MIN(count, n - r.from);
        npu__threads_run(&s->threads, items, grain, tile, npu__round_range, &r);
        if (npu__poll(ctx, npu__sat_mul(items, item))) return;
    }
}

NPU__FN void npu__parallel_tiles(npu__ctx *ctx, int64_t n, int64_t grain, int64_t tile, npu__range_fn fn, void *arg) {
    npu_session *s = ctx->env->session;
    if (n <= 0) return;
    if (s && s->cancel) npu__parallel_rounds(ctx, n, grain, tile, fn, arg);
    else npu__parallel_once(s, n, grain, tile, fn, arg);
}

NPU__FN void npu__parallel(npu__ctx *ctx, int64_t n, int64_t grain, npu__range_fn fn, void *arg) {
    npu__parallel_tiles(ctx, n, grain, 1, fn, arg);
}

NPU__FN void *npu__resource_ptr(npu__ctx *ctx, int32_t id, size_t *assigned_bytes, size_t *capacity) {
    npu_session *s = ctx->env->session;
    if (!s || id < 0 || id >= s->plan->n_resources) return NULL;
    if (assigned_bytes) *assigned_bytes = s->assigned[id];
    if (capacity) *capacity = s->plan->resources[id].bytes;
    return s->state + s->plan->resources[id].offset;
}

NPU__FN void npu__resource_assigned(npu__ctx *ctx, int32_t id, size_t bytes) {
    npu_session *s = ctx->env->session;
    if (s && id >= 0 && id < s->plan->n_resources) s->assigned[id] = bytes;
}

NPU__FN npu_status npu__resource_room(npu__ctx *ctx, int32_t id, size_t bytes, void **out) {
    npu_session   *s = ctx->env->session;
    npu__heap_val *h;
    NPU__ASSERT(s);
    *out = NULL;
    if (id < 0 || id >= s->plan->n_resources) {
        return NPU__FAIL(ctx, NPU_INVALID_MODEL, "resource.id", "resource variable %d does not exist", id);
    }
    h = &s->held[id];
    npu__session_free(s, h->data, h->capacity);
    h->data = npu__session_alloc(s, bytes);
    h->capacity = h->data ? bytes : 0;
    if (!h->data) return npu__run_no_memory(s, ctx, bytes, "a resource");
    *out = h->data;
    return NPU_OK;
}

NPU__FN void *npu__resource_held(npu__ctx *ctx, int32_t id) {
    const npu_session *s = ctx->env->session;
    NPU__ASSERT(s);
    return id >= 0 && id < s->plan->n_resources ? s->held[id].data : NULL;
}

NPU__FN int npu__running(const npu__ctx *ctx) { return ctx->env->session != NULL; }

/* The subgraph that is called; while planning it is declared first. */
NPU__FN npu_status npu__call_target(npu__ctx *ctx, int32_t subgraph, const npu__subgraph **g) {
    npu__env *env = ctx->env;
    if (!env->session) {
        npu_status s = npu__call_declare(ctx, subgraph, -1);
        if (s != NPU_OK) return s;
    }
    if (subgraph < 0 || subgraph >= env->plan->model->n_subgraphs) { /* a node prepared while running names it */
        return NPU__FAIL(ctx, NPU_INVALID_MODEL, "graph.subgraph_index", "subgraph %d does not exist", subgraph);
    }
    *g = env->plan->subs[subgraph].g;
    return NPU_OK;
}

NPU__FN npu_status npu__call_counts(npu__ctx *ctx, int32_t subgraph, int32_t *n_in, int32_t *n_out) {
    const npu__subgraph *g;
    npu_status           s = npu__call_target(ctx, subgraph, &g);
    if (s != NPU_OK) return s;
    *n_in = g->n_in;
    *n_out = g->n_out;
    return NPU_OK;
}

NPU__FN npu_status npu__call_io(npu__ctx *ctx, int32_t subgraph, int32_t i, int output, npu__val **out) {
    const npu__subgraph *g;
    npu__env            *env = ctx->env;
    npu_status           s = npu__call_target(ctx, subgraph, &g);
    if (s != NPU_OK) return s;
    if (i < 0 || i >= (output ? g->n_out : g->n_in)) {
        return NPU__FAIL(ctx, NPU_INVALID_MODEL, "graph.call", "subgraph %d has %d %s: number %d is asked for", subgraph,
                         output ? g->n_out : g->n_in, output ? "outputs" : "inputs", i);
    }
    i = output ? g->out[i] : g->in[i];
    *out = env->session ? &env->session->subs[subgraph].vals[i] : &env->plan->subs[subgraph].vals[i];
    return NPU_OK;
}

NPU__FN npu_status npu__call_input(npu__ctx *ctx, int32_t subgraph, int32_t i, npu__val **out) {
    return npu__call_io(ctx, subgraph, i, 0, out);
}

NPU__FN npu_status npu__call_output(npu__ctx *ctx, int32_t subgraph, int32_t i, npu__val **out) {
    return npu__call_io(ctx, subgraph, i, 1, out);
}

/* Bytes that go in and out of a call. */
NPU__FN int64_t npu__call_copies(const npu_session *s, int32_t subgraph) {
    const npu__subgraph *g = s->plan->subs[subgraph].g;
    const npu__val      *vals = s->subs[subgraph].vals;
    int64_t              bytes = 0;
    for (int32_t i = 0; i < g->n_in; i++) bytes = npu__sat_add(bytes, (int64_t)vals[g->in[i]].bytes);
    for (int32_t i = 0; i < g->n_out; i++) bytes = npu__sat_add(bytes, (int64_t)vals[g->out[i]].bytes);
    return bytes;
}

NPU__FN npu_status npu__call_run(npu__ctx *ctx, int32_t subgraph) {
    npu_status s;
    void     **temp = ctx->env->temp_slots;
    if (!ctx->env->session) return NPU__FAIL(ctx, NPU_UNSUPPORTED, "graph.call", "cannot be folded");
    /* Checked while planning for nodes that were planned; a node prepared while running may name anything. */
    if (subgraph < 0 || subgraph >= ctx->env->plan->model->n_subgraphs || ctx->env->depth >= NPU__MAX_CALL_DEPTH) {
        return NPU__FAIL(ctx, NPU_INVALID_MODEL, "graph.recursion", "subgraph %d does not exist, calls itself, or calls are "
                         "nested deeper than %d", subgraph, NPU__MAX_CALL_DEPTH);
    }
    if (ctx->env->loops_left-- <= 0) {
        return NPU__FAIL(ctx, NPU_RUNTIME, "graph.endless", "more calls and loop passes than "
                         "npu_session_desc.max_loop_runs allows in one invoke");
    }
    /* Its tensors have one place each: a second run inside the first would overwrite them. */
    if (ctx->env->session->subs[subgraph].running) {
        return NPU__FAIL(ctx, NPU_INVALID_MODEL, "graph.recursion", "subgraph %d calls itself", subgraph);
    }
    s = npu__run_charge(ctx->env->session, ctx, npu__call_copies(ctx->env->session, subgraph));
    if (s != NPU_OK) return s;
    /* The called nodes' slots are in the arena; the caller's own wait. */
    ctx->env->temp_slots = NULL;
    ctx->env->depth++;
    s = npu__run_subgraph(ctx->env->session, subgraph);
    ctx->env->depth--;
    ctx->env->temp_slots = temp;
    /* The called nodes have closed everything behind them: the caller's memory is opened again. */
    npu__poison_for(ctx->env->session, ctx);
    return s;
}

NPU__FN int npu__first_asked(npu__ctx *ctx, int32_t subgraph, int32_t i) {
    uint8_t *asked = &ctx->env->session->subs[subgraph].asked[i];
    int      first = !*asked;
    *asked = 1;
    return first;
}

/* Until npu_session_reset, which clears the marks. */
NPU__FN int npu__first_time(npu__ctx *ctx) { return npu__first_asked(ctx, ctx->node->subgraph, ctx->node->index); }

NPU__FN int npu__first_call(npu__ctx *ctx, int32_t subgraph) {
    return npu__first_asked(ctx, subgraph, ctx->env->plan->subs[subgraph].g->n_nodes);
}
