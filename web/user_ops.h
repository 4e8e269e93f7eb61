/* Operators of the caller's own, in JavaScript: every callback is one import, which answers with a status and asks back by these exports.
 * Part of module.c. */
#ifndef NPU_RT_USER_OPS_H
#define NPU_RT_USER_OPS_H

#define PHASE(name) PHASE_##name,
enum { BORDER_PHASES(PHASE) };

/* Of `shape`, `prepare` and `eval` an npu_status (or NPU_LATER), after a failure told by npuw_call_fail; of `work` steps. `which`: the
 * operator's place among those of npuw_model_open. */
__attribute__((import_module("env"), import_name("user_op"))) double npuw_user_op(int32_t phase, int32_t which, const npu_call *call);

static int32_t    user_which(void *user) { return (int32_t)(intptr_t)user; }
static npu_status user_infer(void *user, npu_call *call) { return (npu_status)npuw_user_op(PHASE_shape, user_which(user), call); }
static npu_status user_prepare(void *user, npu_call *call) { return (npu_status)npuw_user_op(PHASE_prepare, user_which(user), call); }
static npu_status user_eval(void *user, npu_call *call) { return (npu_status)npuw_user_op(PHASE_eval, user_which(user), call); }
static int64_t    user_work(void *user, const npu_call *call) {
    const double steps = npuw_user_op(PHASE_work, user_which(user), call);
    return steps >= 0 && steps < 0x1p62 ? (int64_t)steps : steps > 0 ? INT64_MAX : 0;
}

/* For heap_free, after npu_model_open copied them. NULL: none, or no memory. */
static npu_user_op *user_ops_of(const border_operator *from, int32_t n) {
    npu_user_op *ops = n ? (npu_user_op *)heap_alloc((size_t)n * sizeof *ops) : NULL;
    if (ops) memset(ops, 0, (size_t)n * sizeof *ops);
    for (int32_t i = 0; ops && i < n; i++) {
        ops[i].name = (const char *)from[i].name;
        ops[i].user = (void *)(intptr_t)i;
        ops[i].min_inputs = from[i].min_inputs;
        ops[i].max_inputs = from[i].max_inputs;
        ops[i].min_outputs = from[i].min_outputs;
        ops[i].max_outputs = from[i].max_outputs;
        ops[i].optional_inputs = from[i].optional_inputs;
        ops[i].flags = from[i].pure ? NPU_USER_OP_PURE : 0;
        ops[i].data_bytes = sizeof(uint32_t); /* of its state */
        ops[i].infer = from[i].callbacks & 1u << PHASE_shape ? user_infer : NULL;
        ops[i].prepare = from[i].callbacks & 1u << PHASE_prepare ? user_prepare : NULL;
        ops[i].eval = user_eval;
        ops[i].work = from[i].callbacks & 1u << PHASE_work ? user_work : NULL;
    }
    return ops;
}

/* Leaves what the call is about in the record. */
void NPUW_EXPORT(npuw_call)(npu_call *call, int32_t phase) {
    border_call *r = &record.call;
    size_t       bytes;
    npu_call_place(call, &r->subgraph, &r->op);
    r->inputs = (uint32_t)npu_call_input_count(call);
    r->outputs = (uint32_t)npu_call_output_count(call);
    r->options = npu_call_options(call, &bytes);
    r->options_bytes = (uint32_t)bytes;
    r->state = phase == PHASE_eval ? npu_call_memory(call, 0) : NULL;
    r->state_bytes = r->state ? *(const uint32_t *)npu_call_data(call) : 0;
}

int NPUW_EXPORT(npuw_call_tensor)(const npu_call *call, int output, int32_t i) {
    npu_tensor t;
    const int  there = output ? npu_call_output(call, i, &t) : npu_call_input(call, i, &t);
    if (there) put_tensor(&t);
    return there;
}

/* The dimensions are in the record. */
npu_status NPUW_EXPORT(npuw_call_set_shape)(npu_call *call, int32_t i, int32_t rank) {
    int32_t dims[NPU_MAX_RANK];
    memcpy(dims, record.call.dims, sizeof dims);
    return npu_call_set_shape(call, i, rank, dims);
}

int32_t NPUW_EXPORT(npuw_call_state)(npu_call *call, uint32_t bytes) {
    *(uint32_t *)npu_call_data(call) = bytes;
    return npu_call_want_state(call, bytes);
}

npu_status NPUW_EXPORT(npuw_call_fail)(npu_call *call, npu_status status, const char *text) {
    return npu_call_fail(call, status, "user_op.threw", text);
}

int NPUW_EXPORT(npuw_call_poll)(npu_call *call, double steps) { return npu_call_poll(call, steps > 0 ? (int64_t)steps : 0); }

#endif
