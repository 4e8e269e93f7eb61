/* NeuronMemory_* and NeuronExecution_*: a session a run's worth of buffers. */
#include "adapter.h"

#if NPU__HAS_NEURON_SOFTWARE

/* ---- memory: descriptors are the business of an operating system (neuron/libneuron_adapter.c has them) ---- */

typedef struct npu__nsw_memory {
    npu_allocator allocator;
    uint8_t      *base;
    size_t        bytes;
} npu__nsw_memory;

NPU__FN int npu__nsw_memory_of(void *base, size_t bytes, void **memory) {
    npu_allocator    a;
    npu__nsw_memory *m;
    if (memory) *memory = NULL;
    if (!base || !memory) return NPU__NEURON_UNEXPECTED_NULL;
    if (!npu__allocator_resolve(&a, NULL)) return NPU__NEURON_OUT_OF_MEMORY;
    m = (npu__nsw_memory *)a.alloc(a.user, sizeof *m, 64);
    if (!m) return NPU__NEURON_OUT_OF_MEMORY;
    m->allocator = a;
    m->base = (uint8_t *)base;
    m->bytes = bytes;
    *memory = m;
    return NPU__NEURON_NO_ERROR;
}

NPU__FN int npu__nsw_NeuronMemory_createFromFd(size_t size, int protect, int fd, size_t offset, void **memory) {
    (void)size;
    (void)protect;
    (void)fd;
    (void)offset;
    if (memory) *memory = NULL;
    return memory ? NPU__NEURON_UNMAPPABLE : NPU__NEURON_UNEXPECTED_NULL;
}

/* As the header says of all platforms but Android. */
NPU__FN int npu__nsw_NeuronMemory_createFromAHardwareBuffer(const void *hardware_buffer, void **memory) {
    (void)hardware_buffer;
    if (memory) *memory = NULL;
    return NPU__NEURON_BAD_STATE;
}

NPU__FN void npu__nsw_NeuronMemory_free(void *memory) {
    npu__nsw_memory *m = (npu__nsw_memory *)memory;
    npu_allocator    a;
    if (!m) return;
    a = m->allocator;
    a.free(a.user, m, sizeof *m);
}

/* ---- executions ---- */

/* Where an input or output is. */
typedef struct npu__nsw_buffer {
    uint8_t *base;
    size_t   bytes;
} npu__nsw_buffer;

typedef struct npu__nsw_execution {
    npu_allocator         allocator;
    npu__nsw_compilation *compilation;
    npu_plan             *plan;    /* of its own, for other shapes than the compilation's; NULL: that one's */
    npu_session          *session;
    npu__nsw_buffer      *in, *out;
    size_t                bytes;   /* of all this */
    int32_t               computed;
} npu__nsw_execution;

NPU__FN int npu__nsw_session(npu__nsw_execution *e, const npu_plan *plan) {
    npu_session_desc d;
    memset(&d, 0, sizeof d);
    d.allocator = e->allocator;
    switch (npu_session_create(&e->session, plan, &d, NULL)) {
    case NPU_OK: return NPU__NEURON_NO_ERROR;
    case NPU_OUT_OF_MEMORY: return NPU__NEURON_OUT_OF_MEMORY;
    default: return NPU__NEURON_OP_FAILED;
    }
}

/* Are the outputs of the shapes that the model says? Not where an operation was told something else than its outputs are, as
 * LiteRT's plugin does with the masks of STRIDED_SLICE: that is no network. */
NPU__FN int npu__nsw_as_said(const npu__nsw_execution *e) {
    const npu__nsw_model *m = e->compilation->network->model;
    for (uint32_t i = 0; i < m->n_out; i++) {
        const npu__nsw_operand *o = &m->operands[m->out[i]];
        npu_tensor              t;
        if (npu_session_output(e->session, (int32_t)i, &t) != NPU_OK) return 0;
        for (uint32_t k = 0; k < o->n_dims; k++) {
            if (npu__nsw_dim_open(o->dims[k]) || t.bytes == 0) continue; /* no bytes: not known before it runs */
            if (t.rank != (int32_t)o->n_dims || (uint32_t)t.dims[k] != o->dims[k]) return 0;
        }
    }
    return 1;
}

NPU__FN int npu__nsw_NeuronExecution_create(void *compilation, void **execution) {
    npu__nsw_compilation *c = (npu__nsw_compilation *)compilation;
    npu__nsw_execution   *e;
    size_t                bytes;
    int                   r;
    if (execution) *execution = NULL;
    if (!c || !execution) return NPU__NEURON_UNEXPECTED_NULL;
    if (!c->network) return NPU__NEURON_BAD_STATE;
    bytes = sizeof *e + (c->network->model->n_in + c->network->model->n_out) * sizeof *e->in; /* bounded: lists are */
    e = (npu__nsw_execution *)c->allocator.alloc(c->allocator.user, bytes, 64);
    if (!e) return NPU__NEURON_OUT_OF_MEMORY;
    memset(e, 0, bytes);
    e->allocator = c->allocator;
    e->compilation = c;
    e->bytes = bytes;
    e->in = (npu__nsw_buffer *)(void *)(e + 1);
    e->out = e->in + c->network->model->n_in;
    r = npu__nsw_session(e, c->network->plan);
    if (r != NPU__NEURON_NO_ERROR) {
        npu__nsw_NeuronExecution_free(e);
        return r;
    }
    if (!npu__nsw_as_said(e)) {
        npu__nsw_NeuronExecution_free(e);
        return NPU__NEURON_OP_FAILED;
    }
    c->has_executions = 1;
    *execution = e;
    return NPU__NEURON_NO_ERROR;
}

NPU__FN void npu__nsw_NeuronExecution_free(void *execution) {
    npu__nsw_execution *e = (npu__nsw_execution *)execution;
    npu_allocator       a;
    if (!e) return;
    a = e->allocator;
    npu_session_destroy(e->session);
    npu_plan_destroy(e->plan);
    a.free(a.user, e, e->bytes);
}

NPU__FN int npu__nsw_NeuronExecution_setBoostHint(void *execution, uint8_t boost) {
    if (!execution) return NPU__NEURON_UNEXPECTED_NULL;
    return boost > NPU__NEURON_MAX_BOOST ? NPU__NEURON_BAD_DATA : NPU__NEURON_NO_ERROR;
}

/* A buffer must hold what is known of the operand's size. It may be larger. */
NPU__FN int npu__nsw_set_buffer(npu__nsw_execution *e, int32_t index, const npu_neuron_operand *type, uint8_t *base,
                                size_t bytes, int output) {
    const npu__nsw_operand *o;
    size_t                  needed = 0;
    if (!e || !base) return NPU__NEURON_UNEXPECTED_NULL;
    NPU__NSW_TRY(npu__nsw_border(e->compilation, index, output, e, &o));
    if (type) return NPU__NEURON_BAD_DATA; /* the header: only NULL is taken */
    if (npu__nsw_bytes(o, &needed) && bytes < needed) return NPU__NEURON_BAD_DATA;
    (output ? e->out : e->in)[index].base = base;
    (output ? e->out : e->in)[index].bytes = bytes;
    return NPU__NEURON_NO_ERROR;
}

NPU__FN int npu__nsw_set_memory(npu__nsw_execution *e, uint32_t index, const npu_neuron_operand *type, const void *memory,
                                size_t offset, size_t length, int output) {
    const npu__nsw_memory *m = (const npu__nsw_memory *)memory;
    if (!e || !m) return NPU__NEURON_UNEXPECTED_NULL;
    if (index > INT32_MAX || offset > m->bytes || length > m->bytes - offset) return NPU__NEURON_BAD_DATA;
    return npu__nsw_set_buffer(e, (int32_t)index, type, m->base + offset, length, output);
}

/* Inputs are only read. */
NPU__FN int npu__nsw_NeuronExecution_setInput(void *execution, int32_t index, const npu_neuron_operand *type,
                                              const void *buffer, size_t length) {
    return npu__nsw_set_buffer((npu__nsw_execution *)execution, index, type, (uint8_t *)(uintptr_t)buffer, length, 0);
}
NPU__FN int npu__nsw_NeuronExecution_setOutput(void *execution, int32_t index, const npu_neuron_operand *type, void *buffer,
                                               size_t length) {
    return npu__nsw_set_buffer((npu__nsw_execution *)execution, index, type, (uint8_t *)buffer, length, 1);
}
NPU__FN int npu__nsw_NeuronExecution_setInputFromMemory(void *execution, uint32_t index, const npu_neuron_operand *type,
                                                        const void *memory, size_t offset, size_t length) {
    return npu__nsw_set_memory((npu__nsw_execution *)execution, index, type, memory, offset, length, 0);
}
NPU__FN int npu__nsw_NeuronExecution_setOutputFromMemory(void *execution, uint32_t index, const npu_neuron_operand *type,
                                                         const void *memory, size_t offset, size_t length) {
    return npu__nsw_set_memory((npu__nsw_execution *)execution, index, type, memory, offset, length, 1);
}

/* ---- shapes that are known now: of an input with one open dimension, from the length of its buffer ---- */

/* The shape of an input; false where it cannot be told. *open: it has dimensions that the model leaves open. */
NPU__FN int npu__nsw_shape_now(const npu__nsw_operand *o, size_t bytes, npu_input_shape *shape, int *open) {
    size_t   known = o->type ? (size_t)npu_type_bits((npu_type)o->type->element) / 8 : 1;
    uint32_t n_open = 0, which = 0;
    shape->rank = (int32_t)o->n_dims;
    for (uint32_t i = 0; i < o->n_dims; i++) {
        shape->dims[i] = npu__nsw_dim_open(o->dims[i]) ? 1 : (int32_t)o->dims[i];
        known *= (size_t)shape->dims[i]; /* npu__nsw_operand_ok bounded it */
        if (!npu__nsw_dim_open(o->dims[i])) continue;
        n_open++;
        which = i;
    }
    *open = n_open > 0;
    if (n_open == 0) return 1;
    if (n_open > 1) return bytes == known; /* all of them 1 */
    if (bytes % known != 0 || bytes / known < 1 || bytes / known > INT32_MAX) return 0;
    shape->dims[which] = (int32_t)(bytes / known);
    return 1;
}

/* Does the session have these shapes? */
NPU__FN int npu__nsw_shapes_are(const npu__nsw_execution *e, const npu_input_shape *shapes, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        npu_tensor t;
        if (npu_session_input(e->session, (int32_t)i, &t) != NPU_OK) return 0;
        for (int32_t k = 0; k < t.rank; k++) if (t.dims[k] != shapes[i].dims[k]) return 0;
    }
    return 1;
}

NPU__FN int npu__nsw_replan(npu__nsw_execution *e, const npu_input_shape *shapes, uint32_t n) {
    npu_plan_desc d;
    npu_plan     *plan;
    npu_session  *old = e->session;
    int           r;
    memset(&d, 0, sizeof d);
    d.allocator = e->allocator;
    d.input_shapes = shapes;
    d.n_input_shapes = (int32_t)n;
    switch (npu_plan_create(&plan, e->compilation->network->graph, &d, NULL)) {
    case NPU_OK: break;
    case NPU_OUT_OF_MEMORY: return NPU__NEURON_OUT_OF_MEMORY;
    default: return NPU__NEURON_BAD_DATA;
    }
    r = npu__nsw_session(e, plan);
    if (r != NPU__NEURON_NO_ERROR) {
        e->session = old;
        npu_plan_destroy(plan);
        return r;
    }
    npu_session_destroy(old);
    npu_plan_destroy(e->plan);
    e->plan = plan;
    return NPU__NEURON_NO_ERROR;
}

NPU__FN int npu__nsw_resize(npu__nsw_execution *e) {
    const npu__nsw_model *m = e->compilation->network->model;
    npu_input_shape      *shapes;
    npu__pool             temp;
    int                   any = 0, r = NPU__NEURON_NO_ERROR;
    for (uint32_t i = 0; i < m->n_in; i++) {
        npu_input_shape shape;
        int             open;
        if (!npu__nsw_shape_now(&m->operands[m->in[i]], e->in[i].bytes, &shape, &open)) return NPU__NEURON_BAD_DATA;
        any = any || open;
    }
    if (!any) return r;
    npu__pool_init(&temp, &e->allocator, UINT64_MAX);
    shapes = (npu_input_shape *)npu__pool_alloc(&temp, m->n_in, sizeof *shapes);
    for (uint32_t i = 0; shapes && i < m->n_in; i++) {
        npu__nsw_shape_now(&m->operands[m->in[i]], e->in[i].bytes, &shapes[i], &any);
        shapes[i].input = (int32_t)i;
    }
    if (!shapes) r = NPU__NEURON_OUT_OF_MEMORY;
    else if (!npu__nsw_shapes_are(e, shapes, m->n_in)) r = npu__nsw_replan(e, shapes, m->n_in);
    npu__pool_free(&temp);
    return r;
}

NPU__FN int npu__nsw_NeuronExecution_compute(void *execution) {
    npu__nsw_execution   *e = (npu__nsw_execution *)execution;
    const npu__nsw_model *m;
    npu_tensor            t;
    if (!e) return NPU__NEURON_UNEXPECTED_NULL;
    m = e->compilation->network->model;
    e->computed = 0;
    for (uint32_t i = 0; i < m->n_in; i++) if (!e->in[i].base) return NPU__NEURON_BAD_STATE;
    for (uint32_t i = 0; i < m->n_out; i++) if (!e->out[i].base) return NPU__NEURON_BAD_STATE;
    NPU__NSW_TRY(npu__nsw_resize(e));
    for (uint32_t i = 0; i < m->n_in; i++) {
        if (npu_session_input(e->session, (int32_t)i, &t) != NPU_OK || t.bytes > e->in[i].bytes) return NPU__NEURON_BAD_DATA;
        if (t.bytes > 0) memcpy(t.data, e->in[i].base, t.bytes);
    }
    switch (npu_session_invoke(e->session, NULL)) {
    case NPU_OK: break;
    case NPU_OUT_OF_MEMORY: return NPU__NEURON_OUT_OF_MEMORY;
    default: return NPU__NEURON_BAD_STATE;
    }
    for (uint32_t i = 0; i < m->n_out; i++) {
        if (npu_session_output(e->session, (int32_t)i, &t) != NPU_OK) return NPU__NEURON_OP_FAILED;
        if (t.bytes > e->out[i].bytes) return NPU__NEURON_OUTPUT_INSUFFICIENT_SIZE;
        if (t.bytes > 0) memcpy(e->out[i].base, t.data, t.bytes);
    }
    e->computed = 1;
    return NPU__NEURON_NO_ERROR;
}

/* ---- what the last run gave ---- */

NPU__FN int npu__nsw_result_of(const npu__nsw_execution *e, int32_t index, const void *needed, npu_tensor *t) {
    const npu__nsw_operand *o;
    if (!e || !needed) return NPU__NEURON_UNEXPECTED_NULL;
    NPU__NSW_TRY(npu__nsw_border(e->compilation, index, 1, needed, &o));
    if (!e->computed) return NPU__NEURON_BAD_STATE;
    return npu_session_output(e->session, index, t) == NPU_OK ? NPU__NEURON_NO_ERROR : NPU__NEURON_BAD_DATA;
}

NPU__FN int npu__nsw_NeuronExecution_getOutputOperandRank(void *execution, int32_t index, uint32_t *rank) {
    npu_tensor t;
    NPU__NSW_TRY(npu__nsw_result_of((const npu__nsw_execution *)execution, index, rank, &t));
    *rank = (uint32_t)t.rank;
    return NPU__NEURON_NO_ERROR;
}

NPU__FN int npu__nsw_NeuronExecution_getOutputOperandDimensions(void *execution, int32_t index, uint32_t *dimensions) {
    npu_tensor t;
    NPU__NSW_TRY(npu__nsw_result_of((const npu__nsw_execution *)execution, index, dimensions, &t));
    for (int32_t i = 0; i < t.rank; i++) dimensions[i] = (uint32_t)t.dims[i];
    return NPU__NEURON_NO_ERROR;
}

#endif
