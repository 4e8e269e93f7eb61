/* Segments in a session: a vendor in the place of its operators' kernels. */
#include "../vendor/vendor.h"
#include "session.h"

#if NPU__HAS_LOWERING

/* The kernels of a segment's kept operators pack their weights as all others do. */
NPU__FN npu_status npu__session_pack_kept(const npu_session *s, npu__seg *seg) {
    const npu__subplan *sub = &s->plan->subs[seg->ctx.node->subgraph];
    npu_status          status = NPU_OK;
    for (int32_t i = 0; status == NPU_OK && i < seg->n_nodes; i++) {
        const npu__node *node = seg->nodes[i]->node;
        if (npu__step_ready(sub, node->index) && node->def->pack) status = node->def->pack(seg->nodes[i]);
    }
    return status;
}

/* May the CPU begin a segment again that its vendor left in the middle? Inputs are as they were; state may not be. */
NPU__FN int npu__segment_again(const npu__seg *seg) {
    for (int32_t i = 0; i < seg->n_nodes; i++) if (seg->nodes[i]->node->def->flags & NPU__OP_STATEFUL) return 0;
    return 1;
}

/* A vendor's prepare or invoke. */
typedef npu_status npu__segment_function(npu__seg *);

NPU__FN npu_status npu__segment_call(npu__seg *seg, npu__segment_function *call, const char *rule, const char *what) {
    const npu_status status = call(seg);
    if (status != NPU_OK) { /* what is explained already stays as it is */
        npu__explain(&seg->ctx, status, rule, "%s %s the %d operators from here on", seg->vendor->name, what, seg->n_nodes);
    }
    return status;
}

/* The same where the plan falls back: a device that fails or refuses is no failure of the session; the segment's operators are the
 * CPU's from now on, by seg->why. */
NPU__FN npu_status npu__segment_try(npu_session *s, npu__seg *seg, npu__segment_function *call, const char *rule, const char *what) {
    npu_diag *const caller = s->env.diag;
    npu_diag        own;
    npu_status      status;
    if (!seg->fallback) return npu__segment_call(seg, call, rule, what);
    npu__diag_clear(&own);
    s->env.diag = &own;
    status = npu__segment_call(seg, call, rule, what);
    s->env.diag = caller;
    /* What the caller asked for and nobody can do is an error in any case. */
    if (status != NPU_OK && status != NPU_CANCELLED && status != NPU_INVALID_ARGUMENT &&
        (!seg->prepared || npu__segment_again(seg))) {
        seg->why = own.rule;
        own.status = status = NPU_OK; /* the caller finds it as a note */
    }
    if (caller && own.rule[0]) *caller = own;
    return status;
}

/* A segment in the place of an eval. */
NPU__FN npu_status npu__segment_run(npu_session *s, npu__seg *seg) {
    if (!seg->why) NPU__TRY(npu__segment_try(s, seg, seg->vendor->invoke, "segment.invoke", "failed to run"));
    for (int32_t i = 0; seg->why && i < seg->n_nodes; i++) NPU__TRY(npu__seg_eval(seg, i));
    return NPU_OK;
}

NPU__FN npu_status npu__session_prepare_segments(npu_session *s) {
    const npu_plan *p = s->plan;
    for (int32_t i = 0; i < p->model->n_subgraphs; i++) {
        for (int32_t k = 0; k < p->subs[i].n_segs; k++) {
            npu__seg *seg = &s->subs[i].segs[k];
            if (seg->n_nodes == 0) continue;
            NPU__TRY(npu__session_pack_kept(s, seg));
            NPU__TRY(npu__segment_try(s, seg, seg->vendor->prepare, "segment.prepare", "cannot prepare"));
            seg->prepared = !seg->why;
        }
    }
    return NPU_OK;
}

NPU__FN void npu__session_release_segments(npu_session *s) {
    const npu_plan *p = s->plan;
    for (int32_t i = 0; i < p->model->n_subgraphs; i++) {
        for (int32_t k = 0; k < p->subs[i].n_segs; k++) {
            npu__seg *seg = &s->subs[i].segs[k];
            if (seg->prepared) seg->vendor->release(seg);
        }
    }
}

#endif
