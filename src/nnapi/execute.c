/* ANeuralNetworksExecution_*: one run of a session; events, which are done before they are seen; bursts. */
#include "../run/session.h"
#include "nnapi.h"

#if NPU__HAS_NNAPI

/* Where an input or output is, and its shape. */
typedef struct npu__nn_buffer {
    uint8_t                     *base; /* NULL: not given yet */
    size_t                       bytes;
    const ANeuralNetworksMemory *memory;
    npu__shape                   shape; /* of inputs as given, of outputs as computed. A dimension of 0 is not known */
} npu__nn_buffer;

struct ANeuralNetworksExecution {
    npu_allocator                     allocator;
    const ANeuralNetworksCompilation *compilation;
    npu__nn_buffer                   *in, *out;
    size_t                            bytes; /* of all this */
    uint64_t                          timeout, deadline, duration;
    uint8_t                           measure, done, has_shapes; /* has_shapes: those of outputs are known */
};

struct ANeuralNetworksEvent {
    npu_allocator allocator;
    int           result;
};

struct ANeuralNetworksBurst {
    npu_allocator                     allocator;
    const ANeuralNetworksCompilation *compilation;
};

#define NPU__NN_NEVER UINT64_MAX

NPU__FN uint64_t npu__nn_now(void) {
#if NPU__HAS_PROFILE
    return npu__clock_default(NULL);
#else
    return 0;
#endif
}

NPU__FN int npu__nn_operand_at(const ANeuralNetworksCompilation *c, int64_t index, int output, const npu__nn_operand **out) {
    const ANeuralNetworksModel *m = c->model;
    if (!c->finished || !c->graph) return NPU__NN_BAD_STATE;
    if (index < 0 || index >= (int64_t)(output ? m->n_out : m->n_in)) return NPU__NN_BAD_DATA;
    *out = &m->operands[output ? m->out[index] : m->in[index]];
    return NPU__NN_NO_ERROR;
}

NPU_API int ANeuralNetworksExecution_create(ANeuralNetworksCompilation *compilation, ANeuralNetworksExecution **execution) {
    ANeuralNetworksExecution *e;
    size_t                    bytes;
    if (!compilation || !execution) return NPU__NN_UNEXPECTED_NULL;
    *execution = NULL;
    if (!compilation->finished || !compilation->graph) return NPU__NN_BAD_STATE;
    bytes = sizeof *e + ((size_t)compilation->model->n_in + compilation->model->n_out) * sizeof *e->in; /* bounded: lists are */
    e = (ANeuralNetworksExecution *)compilation->allocator.alloc(compilation->allocator.user, bytes, 64);
    if (!e) return NPU__NN_OUT_OF_MEMORY;
    memset(e, 0, bytes);
    e->allocator = compilation->allocator;
    e->compilation = compilation;
    e->bytes = bytes;
    e->duration = NPU__NN_NEVER;
    e->in = (npu__nn_buffer *)(void *)(e + 1);
    e->out = e->in + compilation->model->n_in;
    *execution = e;
    return NPU__NN_NO_ERROR;
}

NPU_API void ANeuralNetworksExecution_free(ANeuralNetworksExecution *execution) {
    npu_allocator a;
    if (!execution) return;
    a = execution->allocator;
    a.free(a.user, execution, execution->bytes);
}

/* ---- inputs and outputs ---- */

NPU__FN int npu__nn_set(ANeuralNetworksExecution *e, int32_t index, const ANeuralNetworksOperandType *type, uint8_t *base,
                        size_t length, const ANeuralNetworksMemory *memory, int output) {
    const npu__nn_operand *o;
    npu__nn_buffer        *b;
    npu__shape             shape;
    size_t                 needed;
    int                    known = 1;
    if (!e) return NPU__NN_UNEXPECTED_NULL;
    if (e->done) return NPU__NN_BAD_STATE;
    NPU__NN_TRY(npu__nn_operand_at(e->compilation, (int64_t)index, output, &o));
    if (!base) return length == 0 ? NPU__NN_BAD_DATA : NPU__NN_UNEXPECTED_NULL; /* no operand of the border is optional */
    if (!npu__nn_refine(o, type, &shape)) return NPU__NN_BAD_DATA;
    for (int32_t i = 0; i < shape.rank; i++) known = known && shape.dims[i] > 0;
    if (shape.rank == 0 && !o->type->scalar) known = 0;
    if (!output && !known) return NPU__NN_BAD_DATA; /* the shape of an input must be known now */
    if (known && (!npu__shape_bytes(&shape, o->type->element, &needed) || needed != length)) return NPU__NN_BAD_DATA;
    b = &(output ? e->out : e->in)[index];
    b->base = base;
    b->bytes = length;
    b->memory = memory;
    b->shape = shape;
    return NPU__NN_NO_ERROR;
}

NPU_API int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution *execution, int32_t index,
                                              const ANeuralNetworksOperandType *type, const void *buffer, size_t length) {
    union { const void *from; uint8_t *to; } p; /* inputs are only read */
    p.from = buffer;
    return npu__nn_set(execution, index, type, p.to, length, NULL, 0);
}

NPU_API int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution *execution, int32_t index,
                                               const ANeuralNetworksOperandType *type, void *buffer, size_t length) {
    return npu__nn_set(execution, index, type, (uint8_t *)buffer, length, NULL, 1);
}

NPU__FN int npu__nn_set_memory(ANeuralNetworksExecution *e, int32_t index, const ANeuralNetworksOperandType *type,
                               const ANeuralNetworksMemory *memory, size_t offset, size_t length, int output) {
    if (!e || !memory) return NPU__NN_UNEXPECTED_NULL;
    NPU__NN_TRY(npu__nn_memory_part(memory, e->compilation, index, output, offset, &length));
    return npu__nn_set(e, index, type, memory->base + offset, length, memory, output);
}

NPU_API int ANeuralNetworksExecution_setInputFromMemory(ANeuralNetworksExecution *execution, int32_t index,
                                                        const ANeuralNetworksOperandType *type,
                                                        const ANeuralNetworksMemory *memory, size_t offset, size_t length) {
    return npu__nn_set_memory(execution, index, type, memory, offset, length, 0);
}

NPU_API int ANeuralNetworksExecution_setOutputFromMemory(ANeuralNetworksExecution *execution, int32_t index,
                                                         const ANeuralNetworksOperandType *type,
                                                         const ANeuralNetworksMemory *memory, size_t offset, size_t length) {
    return npu__nn_set_memory(execution, index, type, memory, offset, length, 1);
}

/* ---- settings ---- */

NPU_API int ANeuralNetworksExecution_setMeasureTiming(ANeuralNetworksExecution *execution, bool measure) {
    if (!execution) return NPU__NN_UNEXPECTED_NULL;
    if (execution->done) return NPU__NN_BAD_STATE;
    if (!execution->compilation->one_device) return NPU__NN_BAD_DATA;
    execution->measure = measure;
    return NPU__NN_NO_ERROR;
}

NPU_API int ANeuralNetworksExecution_getDuration(const ANeuralNetworksExecution *execution, int32_t durationCode,
                                                 uint64_t *duration) {
    if (!execution || !duration) return NPU__NN_UNEXPECTED_NULL;
    *duration = NPU__NN_NEVER;
    if (durationCode < 0 || durationCode > 3) return NPU__NN_BAD_DATA;
    if (!execution->done || !execution->measure) return NPU__NN_BAD_STATE;
    *duration = execution->duration;
    return NPU__NN_NO_ERROR;
}

NPU_API int ANeuralNetworksExecution_setTimeout(ANeuralNetworksExecution *execution, uint64_t duration) {
    if (!execution) return NPU__NN_UNEXPECTED_NULL;
    if (execution->done) return NPU__NN_BAD_STATE;
    if (!execution->compilation->one_device) return NPU__NN_BAD_DATA;
    execution->timeout = duration;
    return NPU__NN_NO_ERROR;
}

/* Loops end at a number of passes (npu_session_desc.max_loop_runs), not at a time. */
NPU_API int ANeuralNetworksExecution_setLoopTimeout(ANeuralNetworksExecution *execution, uint64_t duration) {
    (void)duration;
    if (!execution) return NPU__NN_UNEXPECTED_NULL;
    return execution->done ? NPU__NN_BAD_STATE : NPU__NN_NO_ERROR;
}

NPU_API uint64_t ANeuralNetworks_getDefaultLoopTimeout(void) { return (uint64_t)2 * 1000 * 1000 * 1000; }
NPU_API uint64_t ANeuralNetworks_getMaximumLoopTimeout(void) { return (uint64_t)15 * 1000 * 1000 * 1000; }

/* ---- running ---- */

NPU__FN int npu__nn_late(void *user) {
    const ANeuralNetworksExecution *e = (const ANeuralNetworksExecution *)user;
    return e->deadline != 0 && npu__nn_now() >= e->deadline;
}

/* A plan for the shapes that inputs have now; the compilation's where it has one, as then they are the same. */
NPU__FN npu_status npu__nn_plan(const ANeuralNetworksExecution *e, npu__pool *temp, npu_plan **own) {
    const uint32_t   n = e->compilation->model->n_in;
    npu_input_shape *shapes;
    npu_plan_desc    d;
    *own = NULL;
    if (e->compilation->plan) return NPU_OK;
    shapes = (npu_input_shape *)npu__pool_alloc(temp, n, sizeof *shapes);
    if (!shapes) return NPU_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        shapes[i].input = (int32_t)i;
        shapes[i].rank = e->in[i].shape.rank;
        memcpy(shapes[i].dims, e->in[i].shape.dims, sizeof shapes[i].dims);
    }
    memset(&d, 0, sizeof d);
    d.allocator = e->allocator;
    d.input_shapes = shapes;
    d.n_input_shapes = (int32_t)n;
    d.resize_fixed = 1;
    return npu_plan_create(own, e->compilation->graph, &d, NULL);
}

/* Results into the caller's buffers: all of them, or none. */
NPU__FN int npu__nn_results(ANeuralNetworksExecution *e, npu_session *session) {
    const ANeuralNetworksModel *model = e->compilation->model;
    const uint32_t              n = model->n_out;
    npu_tensor                  t;
    int                         r = NPU__NN_NO_ERROR;
    for (uint32_t i = 0; i < n; i++) {
        npu_session_output(session, (int32_t)i, &t);
        e->out[i].shape.rank = t.rank;
        memcpy(e->out[i].shape.dims, t.dims, sizeof e->out[i].shape.dims);
        if (t.rank == 0 && !model->operands[model->out[i]].type->scalar) { /* no tensor of NNAPI's has rank 0 */
            e->out[i].shape.rank = 1;
            e->out[i].shape.dims[0] = 1;
        }
        if (t.bytes > e->out[i].bytes) r = NPU__NN_OUTPUT_INSUFFICIENT_SIZE;
    }
    e->has_shapes = 1;
    for (uint32_t i = 0; i < n && r == NPU__NN_NO_ERROR; i++) {
        union { const ANeuralNetworksMemory *from; ANeuralNetworksMemory *to; } m; /* const is the API's: its content changes */
        npu_session_output(session, (int32_t)i, &t);
        if (t.bytes > 0) memcpy(e->out[i].base, t.data, t.bytes);
        m.from = e->out[i].memory;
        if (m.to) m.to->written = 1;
    }
    return r;
}

NPU__FN int npu__nn_run(ANeuralNetworksExecution *e, const npu_plan *plan) {
    npu_session_desc d;
    npu_session     *session;
    npu_tensor       t;
    int              r;
    memset(&d, 0, sizeof d);
    d.allocator = e->allocator;
    d.cancel = npu__nn_late;
    d.cancel_user = e;
    NPU__NN_TRY(npu__nn_result(npu_session_create(&session, plan, &d, NULL)));
    for (uint32_t i = 0; i < e->compilation->model->n_in; i++) {
        npu_session_input(session, (int32_t)i, &t);
        NPU__ASSERT(t.bytes == e->in[i].bytes);
        if (t.bytes > 0) memcpy(t.data, e->in[i].base, t.bytes);
    }
    r = npu__nn_result(npu_session_invoke(session, NULL));
    if (r == NPU__NN_NO_ERROR) r = npu__nn_results(e, session);
    npu_session_destroy(session);
    return r;
}

/* Are all inputs and outputs given, and was it not run before? */
NPU__FN int npu__nn_ready(const ANeuralNetworksExecution *e) {
    if (!e) return NPU__NN_UNEXPECTED_NULL;
    if (e->done) return NPU__NN_BAD_STATE;
    for (uint32_t i = 0; i < e->compilation->model->n_in; i++) if (!e->in[i].base) return NPU__NN_BAD_DATA;
    for (uint32_t i = 0; i < e->compilation->model->n_out; i++) if (!e->out[i].base) return NPU__NN_BAD_DATA;
    return NPU__NN_NO_ERROR;
}

NPU_API int ANeuralNetworksExecution_compute(ANeuralNetworksExecution *execution) {
    ANeuralNetworksExecution *e = execution;
    const uint64_t            start = npu__nn_now();
    npu__pool                 temp;
    npu_plan                 *own;
    int                       r;
    NPU__NN_TRY(npu__nn_ready(e));
    e->done = 1;
    e->deadline = e->timeout == 0 || e->timeout > UINT64_MAX - start ? 0 : start + e->timeout;
    npu__pool_init(&temp, &e->allocator, UINT64_MAX);
    r = npu__nn_result(npu__nn_plan(e, &temp, &own));
    npu__pool_free(&temp);
    if (r == NPU__NN_NO_ERROR) r = npu__nn_run(e, own ? own : e->compilation->plan);
    npu_plan_destroy(own);
    if (NPU__HAS_PROFILE && r == NPU__NN_NO_ERROR) e->duration = npu__nn_now() - start;
    return r;
}

NPU_API int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution *execution, ANeuralNetworksBurst *burst) {
    if (!execution || !burst) return NPU__NN_UNEXPECTED_NULL;
    if (burst->compilation != execution->compilation) return NPU__NN_BAD_DATA;
    return ANeuralNetworksExecution_compute(execution);
}

NPU_API int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution *execution, ANeuralNetworksEvent **event) {
    ANeuralNetworksEvent *v;
    if (event) *event = NULL;
    if (!execution || !event) return NPU__NN_UNEXPECTED_NULL;
    NPU__NN_TRY(npu__nn_ready(execution));
    v = (ANeuralNetworksEvent *)execution->allocator.alloc(execution->allocator.user, sizeof *v, 64);
    if (!v) return NPU__NN_OUT_OF_MEMORY;
    v->allocator = execution->allocator;
    v->result = ANeuralNetworksExecution_compute(execution);
    *event = v;
    return NPU__NN_NO_ERROR;
}

/* Events are done: what it depends on has happened. It runs even where one of them failed only if that did not. */
NPU_API int ANeuralNetworksExecution_startComputeWithDependencies(ANeuralNetworksExecution *execution,
                                                                  const ANeuralNetworksEvent *const *dependencies,
                                                                  uint32_t num_dependencies, uint64_t duration,
                                                                  ANeuralNetworksEvent **event) {
    if (event) *event = NULL;
    if (!execution || !event || (num_dependencies > 0 && !dependencies)) return NPU__NN_UNEXPECTED_NULL;
    if (duration != 0 && !execution->compilation->one_device) return NPU__NN_BAD_DATA;
    for (uint32_t i = 0; i < num_dependencies; i++) {
        if (!dependencies[i]) return NPU__NN_UNEXPECTED_NULL;
        if (dependencies[i]->result != NPU__NN_NO_ERROR) return NPU__NN_OP_FAILED;
    }
    if (duration != 0) execution->timeout = duration;
    return ANeuralNetworksExecution_startCompute(execution, event);
}

NPU_API int ANeuralNetworksEvent_wait(ANeuralNetworksEvent *event) { return event ? event->result : NPU__NN_UNEXPECTED_NULL; }

NPU_API void ANeuralNetworksEvent_free(ANeuralNetworksEvent *event) {
    npu_allocator a;
    if (!event) return;
    a = event->allocator;
    a.free(a.user, event, sizeof *event);
}

NPU_API int ANeuralNetworksEvent_createFromSyncFenceFd(int sync_fence_fd, ANeuralNetworksEvent **event) {
    (void)sync_fence_fd;
    if (!event) return NPU__NN_UNEXPECTED_NULL;
    *event = NULL;
    return NPU__NN_BAD_DATA;
}

NPU_API int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent *event, int *sync_fence_fd) {
    if (!event || !sync_fence_fd) return NPU__NN_UNEXPECTED_NULL;
    *sync_fence_fd = -1;
    return NPU__NN_BAD_DATA;
}

NPU_API int ANeuralNetworksBurst_create(ANeuralNetworksCompilation *compilation, ANeuralNetworksBurst **burst) {
    ANeuralNetworksBurst *b;
    if (burst) *burst = NULL;
    if (!compilation || !burst) return NPU__NN_UNEXPECTED_NULL;
    if (!compilation->finished || !compilation->graph) return NPU__NN_BAD_STATE;
    b = (ANeuralNetworksBurst *)compilation->allocator.alloc(compilation->allocator.user, sizeof *b, 64);
    if (!b) return NPU__NN_OUT_OF_MEMORY;
    b->allocator = compilation->allocator;
    b->compilation = compilation;
    *burst = b;
    return NPU__NN_NO_ERROR;
}

NPU_API void ANeuralNetworksBurst_free(ANeuralNetworksBurst *burst) {
    npu_allocator a;
    if (!burst) return;
    a = burst->allocator;
    a.free(a.user, burst, sizeof *burst);
}

/* ---- shapes of the results ---- */

NPU__FN int npu__nn_shape_at(const ANeuralNetworksExecution *e, int32_t index, const void *needed, const npu__shape **shape) {
    const npu__nn_operand *o;
    if (!e || !needed) return NPU__NN_UNEXPECTED_NULL;
    NPU__NN_TRY(npu__nn_operand_at(e->compilation, (int64_t)index, 1, &o));
    if (!e->has_shapes) return NPU__NN_BAD_STATE;
    *shape = &e->out[index].shape;
    return NPU__NN_NO_ERROR;
}

/* OUTPUT_INSUFFICIENT_SIZE: the shape that the output has, while its buffer was too small. */
NPU__FN int npu__nn_shape_result(const ANeuralNetworksExecution *e, int32_t index) {
    const npu__nn_operand *o = &e->compilation->model->operands[e->compilation->model->out[index]];
    size_t                 needed;
    if (!npu__shape_bytes(&e->out[index].shape, o->type->element, &needed)) return NPU__NN_NO_ERROR;
    return needed > e->out[index].bytes ? NPU__NN_OUTPUT_INSUFFICIENT_SIZE : NPU__NN_NO_ERROR;
}

NPU_API int ANeuralNetworksExecution_getOutputOperandRank(ANeuralNetworksExecution *execution, int32_t index, uint32_t *rank) {
    const npu__shape *shape;
    NPU__NN_TRY(npu__nn_shape_at(execution, index, rank, &shape));
    *rank = (uint32_t)shape->rank;
    return npu__nn_shape_result(execution, index);
}

NPU_API int ANeuralNetworksExecution_getOutputOperandDimensions(ANeuralNetworksExecution *execution, int32_t index,
                                                                uint32_t *dimensions) {
    const npu__shape *shape;
    NPU__NN_TRY(npu__nn_shape_at(execution, index, dimensions, &shape));
    if (shape->rank == 0) return NPU__NN_BAD_DATA; /* a scalar has none */
    for (int32_t i = 0; i < shape->rank; i++) dimensions[i] = (uint32_t)shape->dims[i];
    return npu__nn_shape_result(execution, index);
}

#endif
