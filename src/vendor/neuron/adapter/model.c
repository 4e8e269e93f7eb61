/* NeuronModel_*: a model in the making. What can be wrong about one operand or operation is said when it is added, the
 * rest by NeuronModel_finish. */
#include "../../../graph/graph.h"
#include "adapter.h"
#include "operations.h"

#if NPU__HAS_NEURON_SOFTWARE

#define NPU__NSW_MAX_LIST (1 << 20)             /* operands, operations, operands of one operation */
#define NPU__NSW_MAX_BYTES ((size_t)INT32_MAX)  /* of one operand */

static const npu__nsw_type npu__nsw_types[] = {
#define NPU__X(name, number, scalar, element, bits, quant, lo, hi) {#name, number, scalar, NPU_##element, bits, \
                                                                    NPU__NEURON_##quant, lo, hi},
    NPU__NEURON_TYPES(NPU__X)
#undef NPU__X
};

/* Extensions this adapter knows, in the order of the numbers that it gives their types: X(name, operand code or -1:
 * the other). */
static const struct npu__nsw_extension { const char *name; } npu__nsw_extensions[] = {{NPU__NEURON_OEM_EXTENSION},
                                                                                    {NPU__NEURON_NETWORK_EXTENSION}};

NPU__FN const npu__nsw_type *npu__nsw_type_find(int32_t code) {
    for (size_t i = 0; i < sizeof npu__nsw_types / sizeof *npu__nsw_types; i++) {
        if (npu__nsw_types[i].code == code) return &npu__nsw_types[i];
    }
    return NULL;
}

NPU__FN int npu__nsw_dim_open(uint32_t dim) { return dim == 0 || dim > INT32_MAX; }

NPU__FN int npu__nsw_bytes(const npu__nsw_operand *o, size_t *bytes) {
    size_t n = o->type ? (size_t)npu_type_bits((npu_type)o->type->element) / 8 : 1;
    for (uint32_t i = 0; i < o->n_dims; i++) {
        if (npu__nsw_dim_open(o->dims[i])) return 0;
        n *= o->dims[i]; /* bounded: npu__nsw_operand_ok lets 2^28 elements pass */
    }
    *bytes = n;
    return 1;
}

NPU__FN npu__str npu__nsw_oem_name(const npu__nsw_operand *o) {
    const uint8_t *p = (const uint8_t *)o->value;
    npu__str       name = {NULL, 0};
    size_t         n;
    if (o->has != NPU__NSW_VALUE || o->bytes < NPU__NEURON_OEM_HEAD_BYTES + 4) return name;
    if (memcmp(p, NPU__NEURON_OEM_HEAD, NPU__NEURON_OEM_HEAD_BYTES) != 0) return name;
    n = npu__nsw_u32(p + NPU__NEURON_OEM_HEAD_BYTES);
    if (n > NPU__NEURON_OEM_MAX || n > o->bytes - NPU__NEURON_OEM_HEAD_BYTES - 4) return name;
    name.p = (const char *)p + NPU__NEURON_OEM_HEAD_BYTES + 4;
    name.n = n;
    return name;
}

NPU__FN int npu__nsw_model_new(npu__nsw_model **out, const npu_allocator *allocator) {
    npu_allocator   a;
    npu__nsw_model *m;
    *out = NULL;
    if (!npu__allocator_resolve(&a, allocator)) return NPU__NEURON_OUT_OF_MEMORY;
    m = (npu__nsw_model *)a.alloc(a.user, sizeof *m, 64);
    if (!m) return NPU__NEURON_OUT_OF_MEMORY;
    memset(m, 0, sizeof *m);
    m->allocator = a;
    npu__pool_init(&m->pool, &a, UINT64_MAX);
    *out = m;
    return NPU__NEURON_NO_ERROR;
}

NPU__FN int npu__nsw_NeuronModel_create(void **model) {
    npu__nsw_model *m;
    int             r;
    if (!model) return NPU__NEURON_UNEXPECTED_NULL;
    r = npu__nsw_model_new(&m, NULL);
    *model = m;
    return r;
}

NPU__FN void npu__nsw_NeuronModel_free(void *model) {
    npu__nsw_model *m = (npu__nsw_model *)model;
    npu_allocator   a;
    if (!m) return;
    a = m->allocator;
    npu__pool_free(&m->pool);
    a.free(a.user, m, sizeof *m);
}

/* Every call that changes a model begins so: NULL, or finished already. */
NPU__FN int npu__nsw_open_model(const npu__nsw_model *m, const void *needed) {
    if (!m || !needed) return NPU__NEURON_UNEXPECTED_NULL;
    return m->finished ? NPU__NEURON_BAD_STATE : NPU__NEURON_NO_ERROR;
}

NPU__FN int npu__nsw_NeuronModel_setName(void *model, const char *name) {
    npu__nsw_model *m = (npu__nsw_model *)model;
    size_t          n;
    NPU__NSW_TRY(npu__nsw_open_model(m, name));
    n = NPU__MIN(strlen(name), sizeof m->name - 1);
    memcpy(m->name, name, n);
    m->name[n] = 0;
    return NPU__NEURON_NO_ERROR;
}

/* A copy of a list in the model's memory. */
NPU__FN int npu__nsw_copy(npu__nsw_model *m, const void *list, size_t n, size_t elem_bytes, const void **out) {
    void *to = npu__pool_alloc(&m->pool, n, elem_bytes);
    if (!to) return NPU__NEURON_OUT_OF_MEMORY;
    /* bounded, here and below: the list is in memory, and so is its copy */
    if (n > 0) memcpy(to, list, n * elem_bytes);
    m->given += n * elem_bytes;
    *out = to;
    return NPU__NEURON_NO_ERROR;
}

/* ---- operands ---- */

NPU__FN int npu__nsw_is_extension(int32_t code) {
    const int32_t number = (code >> 16) - 1;
    return code >= 0 && number >= 0 && number < 2 * (int32_t)(sizeof npu__nsw_extensions / sizeof *npu__nsw_extensions);
}

/* Scale and zero point of an operand that says its type. Those with scales by channel have neither. */
NPU__FN int npu__nsw_quant_ok(const npu__nsw_type *type, const npu_neuron_operand *o) {
    const int plain = o->scale == 0.0f && o->zero_point == 0;
    if (o->scale < 0.0f || !(o->scale < 3.0e38f)) return 0; /* NaN too */
    switch (type->quant) {
    case NPU__NEURON_ASYMM: case NPU__NEURON_SYMM: break;
    default: return plain;
    }
    if (plain) return 1; /* plain integers, as of tensors that no model quantizes */
    return o->scale > 0.0f && o->zero_point >= type->zp_min && o->zero_point <= type->zp_max;
}

NPU__FN int npu__nsw_operand_ok(const npu__nsw_type *type, const npu_neuron_operand *o) {
    size_t n = 1;
    if (o->n_dims > NPU_MAX_RANK || (o->n_dims > 0 && !o->dims)) return 0;
    if (!type && (!npu__nsw_is_extension(o->type) || o->n_dims == 0)) return 0;
    if (type && (type->scalar != 0) != (o->n_dims == 0)) return 0;
    for (uint32_t i = 0; i < o->n_dims; i++) { /* what is known of the size must not be too much already */
        if (npu__nsw_dim_open(o->dims[i])) continue;
        if (!npu__mul_size(n, o->dims[i], &n) || n > NPU__NSW_MAX_BYTES / 8) return 0;
    }
    return !type || npu__nsw_quant_ok(type, o);
}

NPU__FN int npu__nsw_NeuronModel_addOperand(void *model, const npu_neuron_operand *type) {
    npu__nsw_model  *m = (npu__nsw_model *)model;
    npu__nsw_operand o;
    const void      *dims;
    void            *list;
    NPU__NSW_TRY(npu__nsw_open_model(m, type));
    memset(&o, 0, sizeof o);
    o.type = npu__nsw_type_find(type->type);
    if (!npu__nsw_operand_ok(o.type, type) || m->n_operands >= NPU__NSW_MAX_LIST) return NPU__NEURON_BAD_DATA;
    o.code = type->type;
    o.n_dims = type->n_dims;
    o.scale = type->scale;
    o.zero_point = type->zero_point;
    list = npu__graph_grow(&m->pool, m->operands, m->n_operands, sizeof o);
    if (!list) return NPU__NEURON_OUT_OF_MEMORY;
    m->operands = (npu__nsw_operand *)list;
    NPU__NSW_TRY(npu__nsw_copy(m, type->dims, type->n_dims, sizeof *o.dims, &dims));
    o.dims = (const uint32_t *)dims;
    m->operands[m->n_operands++] = o;
    return NPU__NEURON_NO_ERROR;
}

/* The operand, of a model that may still be changed. */
NPU__FN int npu__nsw_operand_of(npu__nsw_model *m, int32_t index, npu__nsw_operand **out) {
    NPU__NSW_TRY(npu__nsw_open_model(m, m));
    if (index < 0 || index >= m->n_operands) return NPU__NEURON_BAD_DATA;
    *out = &m->operands[index];
    return NPU__NEURON_NO_ERROR;
}

NPU__FN int npu__nsw_NeuronModel_setOperandValue(void *model, int32_t index, const void *buffer, size_t length) {
    npu__nsw_model   *m = (npu__nsw_model *)model;
    npu__nsw_operand *o;
    size_t            bytes;
    NPU__NSW_TRY(npu__nsw_operand_of(m, index, &o));
    if (o->writer != NPU__NSW_NOBODY) return NPU__NEURON_BAD_DATA;
    if (!buffer && length == 0) { /* an optional operand, left out */
        o->has = NPU__NSW_OMITTED;
        o->value = NULL;
        o->bytes = 0;
        return NPU__NEURON_NO_ERROR;
    }
    if (!buffer) return NPU__NEURON_UNEXPECTED_NULL;
    /* Shorter is what sparse weights are, which only operations read that the adapter does not know (npu__nsw_row_of). */
    if (!npu__nsw_bytes(o, &bytes) || length > bytes) return NPU__NEURON_BAD_DATA;
    if (length <= NPU__NEURON_COPIED_BYTES && !m->keeps_values) NPU__NSW_TRY(npu__nsw_copy(m, buffer, length, 1, &buffer));
    else m->given += length;
    o->value = buffer;
    o->bytes = length;
    o->has = NPU__NSW_VALUE;
    return NPU__NEURON_NO_ERROR;
}

/* The axis of an operand's channels. Biases come with that of their weights, as TFLite's files have it: theirs is the
 * only one. */
NPU__FN uint32_t npu__nsw_axis(const npu__nsw_operand *o, uint32_t axis) {
    return o->n_dims == 1 && o->type && o->type->element == NPU_INT32 ? 0 : axis;
}

NPU__FN int npu__nsw_channels_ok(const npu__nsw_operand *o, const npu_neuron_channels *q, int symmetric) {
    const int32_t  kind = o->type ? o->type->quant : NPU__NEURON_PLAIN;
    const uint32_t axis = npu__nsw_axis(o, q->axis);
    if (kind != NPU__NEURON_SYMM_CHANNELS && (symmetric || kind != NPU__NEURON_ASYMM_CHANNELS)) return 0;
    if (axis >= o->n_dims || q->n_scales == 0 || q->n_scales != o->dims[axis]) return 0;
    if (!symmetric && q->n_zero_points != q->n_scales) return 0;
    for (uint32_t i = 0; i < q->n_scales; i++) {
        if (!(q->scales[i] > 0.0f && q->scales[i] < 3.0e38f)) return 0;
        if (!symmetric && (q->zero_points[i] < o->type->zp_min || q->zero_points[i] > o->type->zp_max)) return 0;
    }
    return 1;
}

NPU__FN int npu__nsw_set_channels(npu__nsw_model *m, int32_t index, const npu_neuron_channels *q, int symmetric) {
    npu__nsw_operand *o;
    const void       *scales, *zero_points = NULL;
    NPU__NSW_TRY(npu__nsw_operand_of(m, index, &o));
    if (!q->scales || (!symmetric && !q->zero_points)) return NPU__NEURON_UNEXPECTED_NULL;
    if (!npu__nsw_channels_ok(o, q, symmetric)) return NPU__NEURON_BAD_DATA;
    NPU__NSW_TRY(npu__nsw_copy(m, q->scales, q->n_scales, sizeof *q->scales, &scales));
    if (!symmetric) NPU__NSW_TRY(npu__nsw_copy(m, q->zero_points, q->n_scales, sizeof *q->zero_points, &zero_points));
    o->axis = npu__nsw_axis(o, q->axis);
    o->n_channels = q->n_scales;
    o->scales = (const float *)scales;
    o->zero_points = (const int32_t *)zero_points;
    return NPU__NEURON_NO_ERROR;
}

NPU__FN int npu__nsw_NeuronModel_setOperandSymmPerChannelQuantParams(void *model, int32_t index,
                                                                     const npu_neuron_channels_symm *quant) {
    npu_neuron_channels q;
    NPU__NSW_TRY(npu__nsw_open_model((const npu__nsw_model *)model, quant));
    memset(&q, 0, sizeof q);
    q.axis = quant->axis;
    q.n_scales = quant->n_scales;
    q.scales = quant->scales;
    return npu__nsw_set_channels((npu__nsw_model *)model, index, &q, 1);
}

NPU__FN int npu__nsw_NeuronModel_setOperandPerChannelQuantParams(void *model, int32_t index,
                                                                 const npu_neuron_channels *quant) {
    NPU__NSW_TRY(npu__nsw_open_model((const npu__nsw_model *)model, quant));
    return npu__nsw_set_channels((npu__nsw_model *)model, index, quant, 0);
}

/* ---- extensions: operand types of the n-th begin with 2 n + 1 in their upper half, operations with 2 n + 2 ---- */

NPU__FN int npu__nsw_extension_type(void *model, const char *extension, uint16_t code, int32_t *type, int32_t operation) {
    if (!model || !extension || !type) return NPU__NEURON_UNEXPECTED_NULL;
    for (size_t i = 0; i < sizeof npu__nsw_extensions / sizeof *npu__nsw_extensions; i++) {
        if (strcmp(extension, npu__nsw_extensions[i].name) != 0) continue;
        /* bounded: an extension of the table */
        *type = (int32_t)(2 * i + 1 + (size_t)operation) << 16 | code;
        return NPU__NEURON_NO_ERROR;
    }
    return NPU__NEURON_BAD_DATA;
}

NPU__FN int npu__nsw_NeuronModel_getExtensionOperandType(void *model, const char *extension, uint16_t code, int32_t *type) {
    return npu__nsw_extension_type(model, extension, code, type, 0);
}

NPU__FN int npu__nsw_NeuronModel_getExtensionOperationType(void *model, const char *extension, uint16_t code,
                                                           int32_t *type) {
    return npu__nsw_extension_type(model, extension, code, type, 1);
}

/* ---- operations ---- */

/* Are they operands? NULL is fine for an empty list. */
NPU__FN int npu__nsw_list_ok(const npu__nsw_model *m, uint32_t n, const uint32_t *list) {
    if (n > NPU__NSW_MAX_LIST) return NPU__NEURON_BAD_DATA;
    if (n > 0 && !list) return NPU__NEURON_UNEXPECTED_NULL;
    for (uint32_t i = 0; i < n; i++) if (list[i] >= (uint32_t)m->n_operands) return NPU__NEURON_BAD_DATA;
    return NPU__NEURON_NO_ERROR;
}

/* Marks as written what nobody writes yet: a second time is an error, in one list too. */
NPU__FN int npu__nsw_write_all(npu__nsw_model *m, uint32_t n, const uint32_t *list, uint8_t writer) {
    for (uint32_t i = 0; i < n; i++) {
        npu__nsw_operand *o = &m->operands[list[i]];
        if (o->writer == NPU__NSW_NOBODY && o->has == NPU__NSW_UNSET && (!o->type || !o->type->scalar)) {
            o->writer = writer;
            continue;
        }
        while (i-- > 0) m->operands[list[i]].writer = NPU__NSW_NOBODY;
        return NPU__NEURON_BAD_DATA;
    }
    return NPU__NEURON_NO_ERROR;
}

NPU__FN int npu__nsw_NeuronModel_addOperation(void *model, int32_t type, uint32_t n_inputs, const uint32_t *inputs,
                                              uint32_t n_outputs, const uint32_t *outputs) {
    npu__nsw_model *m = (npu__nsw_model *)model;
    npu__nsw_op     op;
    const void     *in, *out;
    void           *list;
    NPU__NSW_TRY(npu__nsw_open_model(m, m));
    NPU__NSW_TRY(npu__nsw_list_ok(m, n_inputs, inputs));
    NPU__NSW_TRY(npu__nsw_list_ok(m, n_outputs, outputs));
    memset(&op, 0, sizeof op);
    op.code = type;
    op.n_in = n_inputs;
    op.n_out = n_outputs;
    op.in = inputs;
    if (m->n_ops >= NPU__NSW_MAX_LIST || !npu__nsw_row_of(m, &op)) return NPU__NEURON_BAD_DATA;
    list = npu__graph_grow(&m->pool, m->ops, m->n_ops, sizeof op);
    if (!list) return NPU__NEURON_OUT_OF_MEMORY;
    m->ops = (npu__nsw_op *)list;
    NPU__NSW_TRY(npu__nsw_copy(m, inputs, n_inputs, sizeof *inputs, &in));
    NPU__NSW_TRY(npu__nsw_copy(m, outputs, n_outputs, sizeof *outputs, &out));
    NPU__NSW_TRY(npu__nsw_write_all(m, n_outputs, outputs, NPU__NSW_OPERATION));
    op.in = (const uint32_t *)in;
    op.out = (const uint32_t *)out;
    m->ops[m->n_ops++] = op;
    return NPU__NEURON_NO_ERROR;
}

NPU__FN int npu__nsw_NeuronModel_identifyInputsAndOutputs(void *model, uint32_t n_inputs, const uint32_t *inputs,
                                                          uint32_t n_outputs, const uint32_t *outputs) {
    npu__nsw_model *m = (npu__nsw_model *)model;
    const void     *in, *out;
    NPU__NSW_TRY(npu__nsw_open_model(m, m));
    NPU__NSW_TRY(npu__nsw_list_ok(m, n_inputs, inputs));
    NPU__NSW_TRY(npu__nsw_list_ok(m, n_outputs, outputs));
    if (m->identified) return NPU__NEURON_BAD_DATA;
    NPU__NSW_TRY(npu__nsw_copy(m, inputs, n_inputs, sizeof *inputs, &in));
    NPU__NSW_TRY(npu__nsw_copy(m, outputs, n_outputs, sizeof *outputs, &out));
    NPU__NSW_TRY(npu__nsw_write_all(m, n_inputs, inputs, NPU__NSW_CALLER));
    for (uint32_t i = 0; i < n_outputs; i++) {
        npu__nsw_operand *o = &m->operands[outputs[i]];
        if (o->writer != NPU__NSW_CALLER && !o->is_output) { /* a constant may be one */
            o->is_output = 1;
            continue;
        }
        while (i-- > 0) m->operands[outputs[i]].is_output = 0;
        for (i = 0; i < n_inputs; i++) m->operands[inputs[i]].writer = NPU__NSW_NOBODY;
        return NPU__NEURON_BAD_DATA;
    }
    m->in = (const uint32_t *)in;
    m->out = (const uint32_t *)out;
    m->n_in = n_inputs;
    m->n_out = n_outputs;
    m->identified = 1;
    return NPU__NEURON_NO_ERROR;
}

NPU__FN int npu__nsw_NeuronModel_relaxComputationFloat32toFloat16(void *model, uint8_t allow) {
    npu__nsw_model *m = (npu__nsw_model *)model;
    if (!m) return NPU__NEURON_UNEXPECTED_NULL;
    /* LiteRT's plugin finishes the model before it says this: allowed as long as nothing is compiled. */
    if (m->restored) return NPU__NEURON_BAD_STATE;
    m->relaxed = allow != 0;
    return NPU__NEURON_NO_ERROR;
}

/* ---- finish ---- */

NPU__FN int npu__nsw_is_empty(const npu__nsw_operand *o) {
    uint32_t i = 0;
    if (o->has != NPU__NSW_UNSET || o->writer != NPU__NSW_NOBODY || !o->type) return 0;
    while (i < o->n_dims && o->dims[i] != 0) i++;
    return i < o->n_dims;
}

/* Has every operand that is read a value when its operation runs? Operations run in the order in which they were
 * added; what those read that the adapter does not know is not looked at. */
NPU__FN int npu__nsw_flow_ok(const npu__nsw_model *m, uint8_t *ready) {
    for (int32_t i = 0; i < m->n_operands; i++) {
        const npu__nsw_operand *o = &m->operands[i];
        ready[i] = o->writer == NPU__NSW_CALLER || o->has != NPU__NSW_UNSET || npu__nsw_is_empty(o);
    }
    for (int32_t i = 0; i < m->n_ops; i++) {
        const npu__nsw_op *op = &m->ops[i];
        for (uint32_t k = 0; op->row && k < op->n_in; k++) if (!ready[op->in[k]]) return 0;
        for (uint32_t k = 0; k < op->n_out; k++) ready[op->out[k]] = 1;
    }
    for (uint32_t i = 0; i < m->n_out; i++) if (!ready[m->out[i]]) return 0;
    return 1;
}

NPU__FN int npu__nsw_NeuronModel_finish(void *model) {
    npu__nsw_model *m = (npu__nsw_model *)model;
    npu__pool       temp;
    uint8_t        *ready;
    int             ok;
    NPU__NSW_TRY(npu__nsw_open_model(m, m));
    if (!m->identified || m->n_ops == 0) return NPU__NEURON_BAD_STATE;
    npu__pool_init(&temp, &m->allocator, UINT64_MAX);
    ready = (uint8_t *)npu__pool_alloc(&temp, (size_t)m->n_operands, 1);
    for (int32_t i = 0; i < m->n_ops; i++) {
        const npu__nsw_op *op = &m->ops[i];
        m->ops[i].row = npu__nsw_row_named(m, op);
        if (op->row && op->row->special == NPU__NSW_PRELU && m->operands[op->in[0]].type->quant != NPU__NEURON_PLAIN) {
            m->operands[op->in[1]].exact = 1;
        }
    }
    ok = ready && npu__nsw_flow_ok(m, ready);
    npu__pool_free(&temp);
    if (!ready) return NPU__NEURON_OUT_OF_MEMORY;
    if (!ok) return NPU__NEURON_BAD_DATA;
    m->finished = 1;
    return NPU__NEURON_NO_ERROR;
}

#endif
