/* Looking into a run: the time that operators take, observers, and the values of tensors between operators. */
#include "session.h"

/* 0 where nobody asked for times. */
NPU__FN uint64_t npu__watch_clock(const npu_session *s) {
#if NPU__HAS_PROFILE
    if (s->profile) return s->clock_ns(s->clock_user);
#else
    (void)s;
#endif
    return 0;
}

/* `row`: the operator's among those that run, -1: the subgraph begins or has ended. */
NPU__FN void npu__watch_tell(npu_session *s, const npu__subplan *sub, npu_moment moment, int32_t row, uint64_t start,
                             uint64_t took) {
    const npu__subgraph *g = sub->g;
    const npu__node     *node = row < 0 ? NULL : &g->nodes[sub->ran[row]];
    const npu__str       name = node ? npu__node_name(node) : g->name;
    npu_observed         seen;
    seen.session = s;
    seen.moment = moment;
    seen.subgraph = (int32_t)(sub - s->plan->subs);
    seen.op = node ? node->index : -1;
    seen.row = row;
    seen.depth = s->env.depth;
    seen.name = name.p;
    seen.name_len = name.n;
    seen.n_tensors = node ? node->n_out : moment == NPU_MOMENT_BEGIN ? g->n_in : g->n_out;
    seen.start_ns = start;
    seen.duration_ns = took;
    s->observe(s->observe_user, &seen);
}

/* As npu__run_nodes of invoke.c. */
NPU__FN npu_status npu__run_watched(npu_session *s, const npu__subplan *sub, npu__subrun *run) {
    const uint64_t begin = npu__watch_clock(s);
    if (s->observe) npu__watch_tell(s, sub, NPU_MOMENT_BEGIN, -1, begin, 0);
    for (int32_t i = 0; i < sub->n_ran; i++) {
        const int32_t    n = sub->ran[i];
        const uint64_t   start = npu__watch_clock(s);
        const npu_status status = npu__run_step(s, &sub->steps[n], &run->ctxs[n]);
        const uint64_t   took = npu__watch_clock(s) - start;
        run->times[n].total_ns += took;
        run->times[n].runs += s->profile != 0;
        if (status != NPU_OK) return status;
        if (s->observe) npu__watch_tell(s, sub, NPU_MOMENT_OP, i, start, took);
    }
    if (s->observe) npu__watch_tell(s, sub, NPU_MOMENT_END, -1, begin, npu__watch_clock(s) - begin);
    return NPU_OK;
}

NPU_API npu_status npu_observed_tensor(const npu_observed *seen, int32_t i, npu_tensor *out, int32_t *index) {
    const npu__subplan *sub;
    const int32_t      *list;
    if (!seen || !out || i < 0 || i >= seen->n_tensors) return NPU_INVALID_ARGUMENT;
    sub = &seen->session->plan->subs[seen->subgraph];
    list = seen->op >= 0 ? sub->g->nodes[seen->op].out : seen->moment == NPU_MOMENT_BEGIN ? sub->g->in : sub->g->out;
    npu__session_view(&seen->session->subs[seen->subgraph].vals[list[i]], out);
    if (index) *index = list[i];
    return NPU_OK;
}

/* Is the last value of tensor t still there, where nobody asked the plan to keep all of them? */
NPU__FN int npu__watch_stays(const npu__subplan *sub, int32_t t) {
    if (sub->places[t].at != NPU__AT_ARENA) return !sub->places[t].fused;
    for (int32_t i = 0; i < sub->g->n_out; i++) if (sub->g->out[i] == t) return 1;
    return 0;
}

NPU_API npu_status npu_session_tensor(const npu_session *session, int32_t subgraph, int32_t tensor, npu_tensor *out, npu_diag *diag) {
    const npu__subplan *sub;
    const npu__val     *v;
    npu__diag_clear(diag);
    if (!session || !out || subgraph < 0 || subgraph >= session->plan->model->n_subgraphs || tensor < 0 ||
        tensor >= session->plan->subs[subgraph].g->n_tensors) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.tensor", "npu_session_tensor: needs a session, a place for the result, "
                              "and a tensor that exists: subgraph %d has none with index %d", subgraph, tensor);
    }
    sub = &session->plan->subs[subgraph];
    v = &session->subs[subgraph].vals[tensor];
    if (!session->plan->keep_values && !npu__watch_stays(sub, tensor)) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "session.not_kept", "tensor %d of subgraph %d: its memory was used again "
                              "for others: set npu_plan_desc.keep_values to keep values", tensor, subgraph);
    }
    if (!v->data || !v->known) {
        return npu__diag_fail(diag, NPU_RUNTIME, "session.no_value", "tensor %d of subgraph %d has no value: %s", tensor, subgraph,
                              sub->places[tensor].at == NPU__AT_HEAP ? "its shape depends on data, and no run has computed it" :
                              "no operator that runs computes it as numbers");
    }
    npu__session_view(v, out);
    return NPU_OK;
}
