/* Operators of the caller's own that the tests register, and models with them. */
#ifndef TESTS_UNIT_USER_OPS_KIT_H
#define TESTS_UNIT_USER_OPS_KIT_H

#include "descs.h"
#include "runtime_kit.h"

/* A flexbuffer: {"factor": 2.5, "on": true, "times": -3, "title": "ab"} */
static const uint8_t map_options[] = {
    102, 97, 99, 116, 111, 114, 0, 111, 110, 0, 116, 105, 109, 101, 115, 0, 116, 105, 116, 108, 101, 0, 2, 97, 98, 0, 4, 27, 21, 19,
    14, 0, 5, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 0, 0, 32, 64, 1, 0, 0, 0, 253, 255, 255, 255, 33, 0, 0, 0, 14, 106, 6, 20, 20, 38, 1};

/* ---- Scale: y = x * factor, over threads ---- */

typedef struct scale_job {
    const float *x;
    float       *y, factor;
} scale_job;

static int scale_evals, scale_factor_times = 1; /* what `user` points to in most tests */

static npu_status same_shape(void *user, npu_call *call) {
    npu_tensor x;
    (void)user;
    npu_call_input(call, 0, &x);
    return npu_call_set_shape(call, 0, x.rank, x.dims);
}

static npu_status scale_prepare(void *user, npu_call *call) {
    float     *factor = (float *)npu_call_data(call);
    double     value = 1;
    npu_tensor x, y;
    npu_call_input(call, 0, &x);
    npu_call_output(call, 0, &y);
    if (x.type != NPU_FLOAT32 || y.type != NPU_FLOAT32) return npu_call_fail(call, NPU_UNSUPPORTED, "scale.type", "it takes floats");
    npu_call_option_float(call, "factor", &value);
    *factor = (float)value * (float)*(const int *)user;
    return NPU_OK;
}

static void scale_range(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const scale_job *job = (const scale_job *)arg;
    (void)thread;
    for (int64_t i = begin; i < end; i++) job->y[i] = job->x[i] * job->factor;
}

static npu_status scale_eval(void *user, npu_call *call) {
    npu_tensor x, y;
    scale_job  job;
    (void)user;
    npu_call_input(call, 0, &x);
    npu_call_output(call, 0, &y);
    job.x = (const float *)x.data;
    job.y = (float *)y.data;
    job.factor = *(const float *)npu_call_data(call);
    npu_call_parallel(call, (int64_t)(x.bytes / 4), 0, scale_range, &job);
    scale_evals++;
    return NPU_OK;
}

static npu_user_op user_op(const char *name, int32_t n_in, int32_t n_out, npu_status (*eval)(void *, npu_call *)) {
    npu_user_op op;
    memset(&op, 0, sizeof op);
    op.name = name;
    op.min_inputs = op.max_inputs = n_in;
    op.min_outputs = op.max_outputs = n_out;
    op.eval = eval;
    return op;
}

static npu_user_op scale_op(const char *name) {
    npu_user_op op = user_op(name, 1, 1, scale_eval);
    op.user = &scale_factor_times;
    op.flags = NPU_USER_OP_PURE | NPU_USER_OP_IN_PLACE;
    op.data_bytes = sizeof(float);
    op.infer = same_shape;
    op.prepare = scale_prepare;
    return op;
}

/* ---- Count: how often it ran, in memory that it keeps; scratch beside it ---- */

static npu_status count_prepare(void *user, npu_call *call) {
    (void)user;
    if (npu_call_want_scratch(call, 100) != 0 || npu_call_want_state(call, sizeof(int32_t)) != 1) return NPU_LIMIT;
    return NPU_OK;
}

static npu_status count_eval(void *user, npu_call *call) {
    int32_t   *times = (int32_t *)npu_call_memory(call, 1);
    npu_tensor x, y;
    (void)user;
    npu_call_input(call, 0, &x);
    npu_call_output(call, 0, &y);
    CHECK(npu_call_memory(call, 2) == NULL && npu_call_memory(call, -1) == NULL);
    memset(npu_call_memory(call, 0), 255, 100);
    *times += 1;
    *(int32_t *)y.data = *(const int32_t *)x.data + *times;
    return NPU_OK;
}

static npu_user_op count_op(void) {
    npu_user_op op = user_op("Count", 1, 1, count_eval);
    op.infer = same_shape;
    op.prepare = count_prepare;
    return op;
}

/* ---- Positives: those elements that are above 0; its shape depends on data ---- */

static npu_status positives_infer(void *user, npu_call *call) {
    npu_tensor x;
    int32_t    n = 0;
    (void)user;
    npu_call_input(call, 0, &x);
    if (!x.data) return NPU_LATER;
    for (size_t i = 0; i < x.bytes / 4; i++) n += ((const float *)x.data)[i] > 0;
    return npu_call_set_shape(call, 0, 1, &n);
}

static npu_status positives_prepare(void *user, npu_call *call) {
    (void)user;
    return npu_call_want_scratch(call, 8) == 0 ? NPU_OK : NPU_LIMIT;
}

static npu_status positives_eval(void *user, npu_call *call) {
    npu_tensor x, y;
    int32_t    n = 0;
    (void)user;
    npu_call_input(call, 0, &x);
    npu_call_output(call, 0, &y);
    memset(npu_call_memory(call, 0), 255, 8);
    for (size_t i = 0; i < x.bytes / 4; i++) {
        if (((const float *)x.data)[i] > 0) ((float *)y.data)[n++] = ((const float *)x.data)[i];
    }
    return NPU_OK;
}

static npu_user_op positives_op(void) {
    npu_user_op op = user_op("Positives", 1, 1, positives_eval);
    op.infer = positives_infer;
    op.prepare = positives_prepare;
    op.flags = NPU_USER_OP_PURE;
    return op;
}

/* ---- models ---- */

static mk_op *custom(mk *m, int graph, const char *name, int in, int out) {
    mk_op *o = mk_node(m, graph, MK_CUSTOM, in, -9, -9, out);
    o->custom = name;
    return o;
}

/* y = NAME(x), 2 x 3. Tensors 0 x, 1 y. */
static void make_custom(mk *m, const char *name, int type) {
    mk_init(m);
    mk_in(m, 0, mk_t(m, 0, type, 2, 3, -1, -1));
    mk_out(m, 0, mk_t(m, 0, type, 2, 3, -1, -1));
    custom(m, 0, name, 0, 1);
}

#endif
