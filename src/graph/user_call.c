/* npu_call_*: what callbacks of operators of the caller's own may ask. Each checks that it is asked when it can be answered. */
#include "../tflite/flexbuf.h"
#include "user_call.h"

/* The call that it is, or the failure of one that cannot be answered now. */
NPU__FN npu_status npu__call_misused(npu_call *call, const char *what, const char *why) {
    call->failed = NPU_INVALID_ARGUMENT;
    return NPU__FAIL(call->c, NPU_INVALID_ARGUMENT, "user_op.call", "%s: %s", what, why);
}

/* ---- tensors ---- */

NPU_API int32_t npu_call_input_count(const npu_call *call) { return call->c->n_in; }
NPU_API int32_t npu_call_output_count(const npu_call *call) { return call->c->n_out; }

NPU__FN int npu__call_tensor(npu__val *const *list, int32_t n, int32_t i, npu_tensor *out) {
    const npu__val *v = i >= 0 && i < n ? list[i] : NULL;
    memset(out, 0, sizeof *out);
    if (!v) return 0;
    npu__tensor_view(v->t, out);
    out->type = (npu_type)v->type;
    out->rank = v->shape.rank;
    memcpy(out->dims, v->shape.dims, sizeof out->dims);
    out->bytes = v->bytes;
    out->data = v->data;
    return 1;
}

NPU_API int npu_call_input(const npu_call *call, int32_t i, npu_tensor *out) {
    return npu__call_tensor(call->c->in, call->c->n_in, i, out);
}
NPU_API int npu_call_output(const npu_call *call, int32_t i, npu_tensor *out) {
    return npu__call_tensor(call->c->out, call->c->n_out, i, out);
}

NPU_API void npu_call_place(const npu_call *call, int32_t *subgraph, int32_t *op) {
    *subgraph = call->c->node->subgraph;
    *op = call->c->node->index;
}

/* ---- options ---- */

NPU_API const void *npu_call_options(const npu_call *call, size_t *bytes) {
    if (bytes) *bytes = call->c->node->custom_bytes;
    return call->c->node->custom;
}

NPU__FN npu__flex npu__call_flex(const npu_call *call, const char *name) {
    const npu__node *node = call->c->node;
    return npu__flex_get(npu__flex_root(node->custom, node->custom_bytes), name);
}

/* A builtin's field of that name: where it is, and in *kind what (NPU__K_*). NULL: it has none. */
NPU__FN const void *npu__call_field(const npu_call *call, const char *name, int32_t *kind) {
#if NPU__HAS_SCHEMA_NAMES
    const npu__opts         *opts = call->c->node->opts;
    int32_t                  n;
    const npu__schema_field *f = npu__schema_fields(opts->table, &n);
    for (int32_t i = 0; i < n; i++) {
        if (strcmp(npu__schema_field_name(&f[i]), name) != 0) continue;
        *kind = f[i].kind;
        return (const uint8_t *)opts + npu__opts_offset(opts->table, i, NPU_MACHINE_THIS);
    }
#endif
    (void)call;
    (void)name;
    *kind = -1;
    return NULL;
}

NPU_API int npu_call_option_int(const npu_call *call, const char *name, int64_t *value) {
    const npu__flex      v = npu__call_flex(call, name);
    const npu__flex_kind flex = npu__flex_kind_of(v);
    int32_t              kind;
    const void          *at = npu__call_field(call, name, &kind);
    if (flex == NPU__FLEX_INT || flex == NPU__FLEX_BOOL) *value = npu__flex_i64(v, 0);
    else if (kind == NPU__K_BOOL || kind == NPU__K_I8 || kind == NPU__K_I32) *value = *(const int32_t *)at;
    else if (kind == NPU__K_U32) *value = *(const uint32_t *)at;
    else if (kind == NPU__K_I64) *value = *(const int64_t *)at;
    else return 0;
    return 1;
}

NPU_API int npu_call_option_float(const npu_call *call, const char *name, double *value) {
    const npu__flex v = npu__call_flex(call, name);
    int64_t         whole;
    int32_t         kind;
    const void     *at = npu__call_field(call, name, &kind);
    if (npu__flex_kind_of(v) == NPU__FLEX_FLOAT) *value = npu__flex_f64(v, 0);
    else if (kind == NPU__K_F32) *value = (double)*(const float *)at;
    else if (npu_call_option_int(call, name, &whole)) *value = (double)whole;
    else return 0;
    return 1;
}

NPU_API int npu_call_option_str(const npu_call *call, const char *name, const char **value, size_t *bytes) {
    const npu__flex v = npu__call_flex(call, name);
    int32_t         kind;
    const void     *at = npu__call_field(call, name, &kind);
    npu__str        s = npu__flex_str(v);
    if (npu__flex_kind_of(v) != NPU__FLEX_STR) {
        if (kind != NPU__K_STR) return 0;
        s = *(const npu__str *)at;
    }
    *value = s.p;
    *bytes = s.n;
    return 1;
}

/* ---- infer ---- */

NPU_API npu_status npu_call_set_shape(npu_call *call, int32_t i, int32_t rank, const int32_t *dims) {
    npu__shape shape;
    npu_status s;
    if (call->phase != NPU__CALL_INFER) {
        return npu__call_misused(call, "npu_call_set_shape", NPU__USER_WORDS("shapes are set in infer alone"));
    }
    if (i < 0 || i >= call->c->n_out) {
        return npu__call_misused(call, "npu_call_set_shape", NPU__USER_WORDS("there is no such output"));
    }
    memset(&shape, 0, sizeof shape);
    shape.rank = rank;
    if (rank > 0 && !dims) return npu__call_misused(call, "npu_call_set_shape", NPU__USER_WORDS("dims must not be NULL"));
    for (int32_t k = 0; k < NPU__MIN(rank, NPU_MAX_RANK); k++) shape.dims[k] = dims[k];
    s = npu__set_shape(call->c, i, &shape);
    if (s != NPU_OK) call->failed = s;
    return s;
}

/* ---- every phase ---- */

NPU_API npu_status npu_call_fail(npu_call *call, npu_status status, const char *rule, const char *text) {
    if ((int)status <= NPU_OK || status >= NPU_STATUS_COUNT) status = NPU_RUNTIME;
    if (call->phase == NPU__CALL_WORK) return status; /* nobody listens */
    npu__explain(call->c, status, rule ? rule : "user_op.failed", "%s", text ? text : "");
    if (call->failed == NPU_OK) call->failed = status;
    return call->failed;
}

NPU_API int32_t npu_call_threads(const npu_call *call) { return call->phase == NPU__CALL_WORK ? 1 : npu__ctx_threads(call->c); }

NPU_API int npu_call_poll(npu_call *call, int64_t steps) { return npu__poll(call->c, NPU__MAX(steps, (int64_t)0)); }

/* ---- memory ---- */

NPU__FN int32_t npu__call_want(npu_call *call, size_t bytes, int32_t (*want)(npu__ctx *, size_t), const char *what) {
    int32_t slot;
    if (call->phase != NPU__CALL_PREPARE) {
        npu__call_misused(call, what, NPU__USER_WORDS("memory is asked for in prepare alone"));
        return -1;
    }
    slot = want(call->c, bytes);
    if (slot < 0) call->failed = NPU_LIMIT;
    else ((npu__user_data *)call->c->data)->n_slots = slot + 1; /* bounded: NPU__MAX_SLOTS */
    return slot;
}

NPU_API int32_t npu_call_want_scratch(npu_call *call, size_t bytes) {
    return npu__call_want(call, bytes, npu__want_scratch, "npu_call_want_scratch");
}
NPU_API int32_t npu_call_want_state(npu_call *call, size_t bytes) {
    return npu__call_want(call, bytes, npu__want_state, "npu_call_want_state");
}

NPU_API void *npu_call_memory(npu_call *call, int32_t i) {
    if (call->phase != NPU__CALL_EVAL || i < 0 || i >= ((const npu__user_data *)call->c->data)->n_slots) return NULL;
    return npu__slot(call->c, i);
}

NPU_API void *npu_call_data(const npu_call *call) {
    return call->phase == NPU__CALL_INFER ? NULL : (uint8_t *)call->c->data + sizeof(npu__user_data);
}

/* ---- eval ---- */

NPU_API void npu_call_parallel(npu_call *call, int64_t n, int64_t grain, npu_range_fn fn, void *arg) {
    if (call->phase != NPU__CALL_EVAL) npu__call_misused(call, "npu_call_parallel", NPU__USER_WORDS("computing is for eval"));
    else npu__parallel(call->c, n, NPU__MAX(grain, (int64_t)1), fn, arg);
}
