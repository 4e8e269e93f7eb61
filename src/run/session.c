/* Creating and destroying sessions. One function cuts the block into its parts; it also measures it, with no block. */
#include "../base/float_mode.h"
#include "../vendor/vendor.h"
#include "session.h"

typedef struct npu__cutter {
    uint8_t *base; /* NULL: measuring */
    size_t   used;
    int      ok;
    int32_t  machine; /* npu_machine: another one than this while measuring only */
} npu__cutter;

NPU__FN void *npu__cut_bytes(npu__cutter *c, size_t count, size_t elem_bytes, size_t align) {
    /* Measuring and cutting are one code path, so a block that was measured is never too small. An overflow makes ok 0 and
     * the size SIZE_MAX, which no limit allows. */
    size_t bytes, at = npu__align_up(c->used, align);
    if (!npu__mul_size(count, elem_bytes, &bytes) || !npu__add_size(at, bytes, &c->used)) c->ok = 0;
    return c->base && c->ok ? c->base + at : NULL;
}

NPU__FN void *npu__cut(npu__cutter *c, size_t count, npu__size elem) {
    return npu__cut_bytes(c, count, npu__size_on(&elem, c->machine), 16);
}

#if NPU__HAS_LOWERING
NPU__FN npu__seg *npu__cut_segments(npu__cutter *c, const npu__subplan *sub, const npu__subrun *run) {
    npu__seg *segs = (npu__seg *)npu__cut(c, (size_t)sub->n_segs, NPU__SIZE(npu__seg));
    for (int32_t k = 0; k < sub->n_segs; k++) {
        const npu__seg *from = &sub->segs[k];
        const size_t    vals = (size_t)from->ctx.n_in + (size_t)from->ctx.n_out;
        npu__val      **ptrs = (npu__val **)npu__cut(c, vals, NPU__SIZE(npu__word));
        npu__ctx      **nodes = (npu__ctx **)npu__cut(c, (size_t)from->n_nodes, NPU__SIZE(npu__word));
        if (!c->base || !c->ok) continue;
        segs[k] = *from;
        segs[k].nodes = nodes;
        segs[k].ctx.in = ptrs;
        segs[k].ctx.out = ptrs + from->ctx.n_in;
        segs[k].ctx.mid = ptrs + vals;
        for (size_t i = 0; i < vals; i++) ptrs[i] = run->vals + (from->ctx.in[i] - sub->vals);
        for (int32_t i = 0; i < from->n_nodes; i++) nodes[i] = &run->ctxs[from->nodes[i]->node->index];
    }
    return segs;
}
#endif

NPU__FN void npu__cut_subgraph(npu__cutter *c, const npu_plan *p, const npu__subplan *sub, npu__subrun *run) {
    npu__subrun r;
    memset(&r, 0, sizeof r);
    r.vals = (npu__val *)npu__cut(c, (size_t)sub->g->n_tensors, NPU__SIZE(npu__val));
    r.ctxs = (npu__ctx *)npu__cut(c, (size_t)sub->g->n_nodes, NPU__SIZE(npu__ctx));
    if (p->has_heap) r.heap = (npu__heap_val *)npu__cut(c, (size_t)sub->g->n_tensors, NPU__SIZE(npu__heap_val));
    r.asked = (uint8_t *)npu__cut_bytes(c, (size_t)sub->g->n_nodes + 1, 1, 16);
    r.times = (npu__op_time *)npu__cut(c, (size_t)sub->g->n_nodes, NPU__SIZE(npu__op_time));
    for (int32_t n = 0; n < sub->g->n_nodes; n++) {
        const npu__ctx *from = &sub->steps[n].ctx;
        size_t          total = (size_t)from->n_in + (size_t)from->n_out + (size_t)from->n_mid;
        npu__val      **ptrs = (npu__val **)npu__cut(c, total, NPU__SIZE(npu__word));
        void           *data = from->data;
        /* What prepare computes for it belongs to the session: several sessions share the plan. Others only read the
         * plan's. */
        if (sub->steps[n].kind == NPU__STEP_DYNAMIC) data = npu__cut(c, 1, from->node->def->data);
        if (!c->base || !c->ok) continue;
        if (data != from->data) memset(data, 0, from->node->def->data.here); /* profiles may ask before it is prepared */
        r.ctxs[n] = *from;
        r.ctxs[n].data = data;
        r.ctxs[n].in = ptrs;
        r.ctxs[n].out = ptrs + from->n_in;
        r.ctxs[n].mid = r.ctxs[n].out + from->n_out;
        /* The plan's pointers into its values, moved to the session's. */
        for (size_t i = 0; i < total; i++) ptrs[i] = from->in[i] ? r.vals + (from->in[i] - sub->vals) : NULL;
    }
#if NPU__HAS_LOWERING
    r.segs = npu__cut_segments(c, sub, &r);
#endif
    if (run) *run = r;
}

/* Returns the session inside the block, or NULL while measuring (*total is then the block's size). */
NPU__FN npu_session *npu__session_cut(const npu_plan *p, void *block, int32_t threads, size_t *total) {
    npu__cutter  c;
    npu_session *s;
    npu__subrun *subs;
    void        *workers, *region;
    c.base = (uint8_t *)block;
    c.used = 0;
    c.ok = 1;
    c.machine = p->machine;
    s = (npu_session *)npu__cut(&c, 1, NPU__SIZE(npu_session));
    subs = (npu__subrun *)npu__cut(&c, (size_t)p->model->n_subgraphs, NPU__SIZE(npu__subrun));
    if (s) {
        memset(s, 0, sizeof *s);
        s->plan = p;
        s->subs = subs;
    }
    /* Room for as many as planned: a session with fewer has a block of the same size. */
    workers = npu__cut_bytes(&c, 1, npu__threads_worker_bytes(p->threads), 16);
    region = npu__cut(&c, (size_t)p->n_resources, NPU__SIZE(npu__word));
    if (s) s->assigned = (size_t *)region;
    region = npu__cut(&c, (size_t)p->n_resources, NPU__SIZE(npu__heap_val));
    if (s) s->held = (npu__heap_val *)region;
    for (int32_t i = 0; i < p->model->n_subgraphs; i++) npu__cut_subgraph(&c, p, &p->subs[i], s ? &subs[i] : NULL);
    region = npu__cut_bytes(&c, 1, p->state_bytes, 64);
    if (s) s->state = (uint8_t *)region;
    region = npu__cut_bytes(&c, 1, p->packed_bytes, 64);
    if (s) s->packed = (uint8_t *)region;
    region = npu__cut_bytes(&c, 1, p->arena_bytes, 64);
    if (s) s->arena = (uint8_t *)region;
    *total = c.ok ? npu__align_up(c.used, 64) : SIZE_MAX;
    if (s) npu__threads_start(&s->threads, threads, workers);
    return s;
}

NPU__FN npu_status npu__session_measure(npu_plan *plan, npu_diag *diag) {
    const size_t plan_bytes = plan->pool.total_bytes;
    npu__session_cut(plan, NULL, 0, &plan->session_bytes);
    /* No underflow: the plan's pool stayed within max_memory. */
    if (plan->session_bytes <= plan->max_memory - plan_bytes) return NPU_OK;
    return npu__diag_fail(diag, NPU_LIMIT, "plan.memory", "plan (%z bytes) and session (%z) need more than the limit of %l "
                          "bytes (npu_plan_desc.max_memory_bytes)", plan_bytes, plan->session_bytes,
                          (int64_t)plan->max_memory);
}

NPU__FN void *npu__session_alloc(npu_session *s, size_t bytes) {
    void *p;
    /* heap_bytes never exceeds the limit, so the difference is not negative. */
    if (!s->allocator.alloc || bytes > s->heap_limit - s->heap_bytes) return NULL;
    p = s->allocator.alloc(s->allocator.user, bytes, 64);
    if (!p) return NULL;
    memset(p, 0, bytes); /* whatever an operator leaves out shows nobody else's data */
    s->heap_bytes += bytes;
    s->heap_peak = NPU__MAX(s->heap_peak, s->heap_bytes);
    return p;
}

NPU__FN void npu__session_free(npu_session *s, void *p, size_t bytes) {
    if (!p) return;
    s->allocator.free(s->allocator.user, p, bytes);
    s->heap_bytes -= bytes;
}

NPU__FN void npu__session_bind(npu_session *s) {
    const npu_plan *p = s->plan;
    s->env.plan = (npu_plan *)(uintptr_t)p; /* services only read it while a session is set */
    s->env.session = s;
    s->env.isa = p->isa;
    s->env.threads = p->threads;
    if (p->n_resources) memset(s->held, 0, (size_t)p->n_resources * sizeof *s->held); /* bounded: was cut from the block */
    for (int32_t i = 0; i < p->model->n_subgraphs; i++) {
        const npu__subplan *sub = &p->subs[i];
        npu__subrun        *run = &s->subs[i];
        for (int32_t t = 0; t < sub->g->n_tensors; t++) {
            npu__val *v = &run->vals[t];
            *v = sub->vals[t];
            if (run->heap) memset(&run->heap[t], 0, sizeof run->heap[t]);
            switch (sub->places[t].at) {
            case NPU__AT_CONST: break;
            case NPU__AT_ARENA: v->data = s->arena + sub->arena_offset + sub->places[t].offset; break;
            case NPU__AT_STATE: v->data = s->state + sub->places[t].offset; break;
            case NPU__AT_NOWHERE: v->data = v->bytes ? NULL : p->nothing; break; /* unused, or sparse */
            default: v->data = NULL; break;
            }
        }
        run->running = 0;
        for (int32_t n = 0; n < sub->g->n_nodes; n++) run->ctxs[n].env = &s->env;
        for (int32_t k = 0; k < sub->n_segs; k++) run->segs[k].ctx.env = &s->env;
        memset(run->times, 0, (size_t)sub->g->n_nodes * sizeof *run->times); /* bounded: was cut from the block */
    }
}

NPU__FN npu_status npu__session_pack(npu_session *s) {
    const npu_plan *p = s->plan;
    const unsigned  mode = npu__float_mode_begin();
    npu_status      status = NPU_OK;
    for (int32_t i = 0; i < p->model->n_subgraphs; i++) {
        for (int32_t n = 0; status == NPU_OK && n < p->subs[i].g->n_nodes; n++) {
            const npu__node *node = &p->subs[i].g->nodes[n];
            /* Folded nodes are done, and those whose shapes depend on data may not pack (run/invoke.c). */
            if (p->subs[i].steps[n].kind != NPU__STEP_RUN || !node->def->pack) continue;
            status = node->def->pack(&s->subs[i].ctxs[n]);
        }
    }
    npu__float_mode_end(mode);
    return status;
}

/* Memory of resource variables beside the block. */
NPU__FN void npu__session_let_go(npu_session *s) {
    for (int32_t i = s->plan->n_resources; i-- > 0;) {
        npu__session_free(s, s->held[i].data, s->held[i].capacity);
        s->held[i].data = NULL;
        s->held[i].capacity = 0;
    }
}

NPU_API void npu_session_reset(npu_session *session) {
    const npu_plan *p = session->plan;
    if (p->state_bytes) memset(session->state, 0, p->state_bytes);
    /* Zeros for all, then what a real zero is otherwise. Nothing is left of an earlier run, or of whom the memory belonged
     * to. */
    for (int32_t i = 0; i < p->n_resources; i++) session->assigned[i] = 0;
    npu__session_let_go(session);
    for (int32_t i = 0; i < p->model->n_subgraphs; i++) {
        const npu__subplan *sub = &p->subs[i];
        memset(session->subs[i].asked, 0, (size_t)sub->g->n_nodes + 1);
        for (int32_t t = 0; t < sub->g->n_tensors; t++) {
            const npu__val *v = &session->subs[i].vals[t];
            /* Real zero, as LiteRT's ResetVariableTensors writes it: the zero point for int8, 0 for all else. */
            if (sub->places[t].at != NPU__AT_STATE || !v->t->is_variable) continue;
            if (v->type != NPU_INT8 || !npu__has_quant(v)) continue;
            memset(v->data, npu__zero_point(v), v->bytes);
        }
    }
}

NPU__FN npu_status npu__session_block(const npu_plan *plan, const npu_session_desc *desc, npu_allocator *a, void **block,
                                      npu_diag *diag) {
    if (desc && desc->memory) {
        if (desc->memory_bytes < plan->session_bytes) {
            return npu__diag_fail(diag, NPU_OUT_OF_MEMORY, "session.memory", "the memory given has %z bytes: a session of "
                                  "this plan needs %z", desc->memory_bytes, plan->session_bytes);
        }
        if ((uintptr_t)desc->memory & 63u) {
            return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "session.alignment", "the memory given must be aligned to "
                                  "64 bytes");
        }
        *block = desc->memory;
        return NPU_OK;
    }
    if (!a->alloc) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.no_allocator", "npu_session_create: this build has no "
                              "malloc: set desc.memory or desc.allocator");
    }
    *block = a->alloc(a->user, plan->session_bytes, 64);
    if (*block) return NPU_OK;
    return npu__diag_fail(diag, NPU_OUT_OF_MEMORY, "session.memory", "no memory for a session of %z bytes",
                          plan->session_bytes);
}

/* The caller's drivers by vendor: those of the list; where it has none, what an older member of the descriptor holds. */
NPU__FN npu_status npu__session_drivers(const void **out, const npu_session_desc *desc, npu_diag *diag) {
    const npu__vendor *v;
    memset(out, 0, NPU__N_VENDORS * sizeof *out);
    if (!desc) return NPU_OK;
    for (int32_t k = 0; k < desc->n_drivers; k++) {
        const npu_driver *d = &desc->drivers[k];
        const npu__str    name = npu__str_of(d->vendor ? d->vendor : "");
        int32_t           i = 0;
        while ((v = npu__vendor_at(i)) != NULL && (v->number < 0 || !npu__str_is(name, v->name))) i++;
        if (!v || !d->functions || out[v->number]) {
            return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "session.driver", "driver %d is for \"%s\": %s", k,
                                  d->vendor ? d->vendor : "(NULL)", !v ? "this build has no such vendor" : !d->functions ?
                                  "it has no functions" : "there is one already");
        }
        out[v->number] = d->functions;
    }
    for (int32_t i = 0; (v = npu__vendor_at(i)) != NULL; i++) {
        if (v->driver_before && !out[v->number]) out[v->number] = v->driver_before(desc);
    }
    return NPU_OK;
}

NPU_API npu_status npu_session_create(npu_session **out, const npu_plan *plan, const npu_session_desc *desc,
                                      npu_diag *diag) {
    const void   *drivers[NPU__N_VENDORS];
    npu_allocator a;
    npu_session  *s;
    void         *block = NULL;
    size_t        total;
    npu_status    status;
    int32_t       threads;
    npu__diag_clear(diag);
    if (out) *out = NULL;
    if (!out || !plan) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.null", "npu_session_create: out and plan must not be NULL");
    }
    threads = desc && desc->threads ? desc->threads : plan->threads;
    if (threads < 1 || threads > plan->threads) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "session.threads", "threads must be in [1, %d], the number "
                              "planned: got %d", plan->threads, threads);
    }
    status = npu__session_drivers(drivers, desc, diag);
    if (status != NPU_OK) return status;
    memset(&a, 0, sizeof a);
    if (!npu__allocator_resolve(&a, desc ? &desc->allocator : NULL)) memset(&a, 0, sizeof a);
    status = npu__session_block(plan, desc, &a, &block, diag);
    if (status != NPU_OK) return status;
    s = npu__session_cut(plan, block, threads, &total);
    s->allocator = a;
    if (!desc || !desc->memory) s->owned = block;
    s->profile = desc ? desc->profile : 0;
    s->clock_ns = desc ? desc->clock_ns : NULL;
    s->clock_user = desc ? desc->clock_user : NULL;
    /* What plan and block leave of the limit is for tensors whose shapes depend on data. */
    s->heap_limit = (size_t)NPU__MIN(plan->max_memory - plan->pool.total_bytes - plan->session_bytes, (uint64_t)SIZE_MAX);
    s->max_work = desc && desc->max_work > 0 ? desc->max_work : (int64_t)1 << 40;
    s->cancel = desc ? desc->cancel : NULL;
    s->cancel_user = desc ? desc->cancel_user : NULL;
    s->observe = desc ? desc->observe : NULL;
    s->observe_user = desc ? desc->observe_user : NULL;
    s->max_loop_runs = desc && desc->max_loop_runs > 0 ? desc->max_loop_runs : (int64_t)1 << 22;
    memcpy(s->drivers, drivers, sizeof drivers);
    /* pack reads constants through bound pointers, and may fail with a text: so bound first, and with somebody to tell. */
    s->env.diag = diag;
    npu__session_bind(s);
    /* What no operator writes shows nobody else's data. */
    if (plan->arena_bytes && !(s->owned && npu__allocator_zeroes(&a, plan->session_bytes))) memset(s->arena, 0, plan->arena_bytes);
    npu_session_reset(s);
    status = npu__session_pack(s);
#if NPU__HAS_LOWERING
    if (status == NPU_OK) status = npu__session_prepare_segments(s);
#endif
    s->env.diag = NULL;
    if (status != NPU_OK) {
        npu_session_destroy(s);
        return status;
    }
    *out = s;
    return NPU_OK;
}

NPU_API void npu_session_destroy(npu_session *session) {
    const npu_plan *p;
    npu_allocator   a;
    void           *owned;
    if (!session) return;
    /* Copied out: the session lies in the block that is freed last. */
    p = session->plan;
    a = session->allocator;
    owned = session->owned;
#if NPU__HAS_LOWERING
    npu__session_release_segments(session);
#endif
    while (session->at_end) {
        npu__ending *e = session->at_end;
        session->at_end = e->next;
        e->release(e->ctx);
        npu__session_free(session, e, sizeof *e);
    }
    npu__threads_stop(&session->threads);
    npu__session_let_go(session);
    for (int32_t i = 0; i < p->model->n_subgraphs; i++) {
        for (int32_t t = 0; session->subs[i].heap && t < p->subs[i].g->n_tensors; t++) {
            npu__heap_val *h = &session->subs[i].heap[t];
            npu__session_free(session, h->data, h->capacity);
        }
    }
    if (owned) a.free(a.user, owned, p->session_bytes);
}

NPU_API void npu_session_memory(const npu_session *session, npu_session_usage *out) {
    out->dynamic_bytes = session->heap_bytes;
    out->peak_bytes = session->heap_peak;
    out->limit_bytes = session->heap_limit;
}

NPU__FN void npu__session_view(const npu__val *v, npu_tensor *out) {
    npu__tensor_view(v->t, out);
    out->type = (npu_type)v->type;
    out->rank = v->shape.rank;
    memcpy(out->dims, v->shape.dims, sizeof out->dims);
    out->bytes = v->bytes;
    out->data = v->data;
}

NPU__FN npu_status npu__session_io(npu_session *s, int32_t subgraph, int32_t i, int output, npu_tensor *out) {
    const npu__subgraph *g;
    const npu__val      *v;
    if (!s || !out || subgraph < 0 || subgraph >= s->plan->model->n_subgraphs) return NPU_INVALID_ARGUMENT;
    g = s->plan->subs[subgraph].g;
    if (i < 0 || i >= (output ? g->n_out : g->n_in)) return NPU_INVALID_ARGUMENT;
    v = &s->subs[subgraph].vals[output ? g->out[i] : g->in[i]];
    npu__session_view(v, out);
    /* Nobody but strings.c writes strings: what may be written is not shown. */
    if (v->type == NPU_STRING && !output) {
        out->bytes = 0;
        out->data = NULL;
    }
    return NPU_OK;
}

NPU_API npu_status npu_session_input_of(npu_session *session, int32_t subgraph, int32_t i, npu_tensor *out) {
    return npu__session_io(session, subgraph, i, 0, out);
}
NPU_API npu_status npu_session_output_of(npu_session *session, int32_t subgraph, int32_t i, npu_tensor *out) {
    return npu__session_io(session, subgraph, i, 1, out);
}
NPU_API npu_status npu_session_input(npu_session *session, int32_t i, npu_tensor *out) {
    return npu__session_io(session, 0, i, 0, out);
}
NPU_API npu_status npu_session_output(npu_session *session, int32_t i, npu_tensor *out) {
    return npu__session_io(session, 0, i, 1, out);
}
