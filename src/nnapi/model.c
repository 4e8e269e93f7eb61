/* ANeuralNetworksModel_*: a model in the making. What can be wrong about one operand or operation is said when it is added,
 * the rest when the model is finished. */
#include "operations.h"

#if NPU__HAS_NNAPI

#define NPU__NN_MAX_ELEMENTS ((size_t)1 << 28) /* of one operand */

static const npu__nn_type npu__nn_types[] = {
#define NPU__X(name, scalar, element, quant, lo, hi) {NPU__NN_##name, scalar, NPU_##element, NPU__NN_##quant, lo, hi},
    NPU__X(FLOAT32, 1, FLOAT32, PLAIN, 0, 0)
    NPU__X(INT32, 1, INT32, PLAIN, 0, 0)
    NPU__X(UINT32, 1, UINT32, PLAIN, 0, 0)
    NPU__X(TENSOR_FLOAT32, 0, FLOAT32, PLAIN, 0, 0)
    NPU__X(TENSOR_INT32, 0, INT32, ASYMM, 0, 0) /* scale 0: plain integers; else a bias */
    NPU__X(TENSOR_QUANT8_ASYMM, 0, UINT8, ASYMM, 0, 255)
    NPU__X(BOOL, 1, BOOL, PLAIN, 0, 0)
    NPU__X(TENSOR_QUANT16_SYMM, 0, INT16, SYMM, 0, 0)
    NPU__X(TENSOR_FLOAT16, 0, FLOAT16, PLAIN, 0, 0)
    NPU__X(TENSOR_BOOL8, 0, BOOL, PLAIN, 0, 0)
    NPU__X(FLOAT16, 1, FLOAT16, PLAIN, 0, 0)
    NPU__X(TENSOR_QUANT8_SYMM_PER_CHANNEL, 0, INT8, CHANNELS, 0, 0)
    NPU__X(TENSOR_QUANT16_ASYMM, 0, UINT16, ASYMM, 0, 65535)
    NPU__X(TENSOR_QUANT8_SYMM, 0, INT8, SYMM, 0, 0)
    NPU__X(TENSOR_QUANT8_ASYMM_SIGNED, 0, INT8, ASYMM, -128, 127)
    NPU__X(MODEL, 1, UINT8, PLAIN, 0, 0)
#undef NPU__X
};

NPU__FN const npu__nn_type *npu__nn_type_find(int32_t code) {
    for (size_t i = 0; i < sizeof npu__nn_types / sizeof *npu__nn_types; i++) {
        if (npu__nn_types[i].code == code) return &npu__nn_types[i];
    }
    return NULL;
}

NPU__FN int npu__nn_bytes(const npu__nn_operand *o, size_t *bytes) {
    size_t n = (size_t)npu_type_bits((npu_type)o->type->element) / 8;
    if (!o->type->scalar && o->n_dims == 0) return 0;
    for (uint32_t i = 0; i < o->n_dims; i++) {
        if (o->dims[i] == 0) return 0;
        n *= o->dims[i]; /* bounded: npu__nn_operand_ok */
    }
    *bytes = n;
    return 1;
}

NPU_API int ANeuralNetworksModel_create(ANeuralNetworksModel **model) {
    npu_allocator         a;
    ANeuralNetworksModel *m;
    if (!model) return NPU__NN_UNEXPECTED_NULL;
    *model = NULL;
    if (!npu__allocator_resolve(&a, NULL)) return NPU__NN_OUT_OF_MEMORY;
    m = (ANeuralNetworksModel *)a.alloc(a.user, sizeof *m, 64);
    if (!m) return NPU__NN_OUT_OF_MEMORY;
    memset(m, 0, sizeof *m);
    m->allocator = a;
    m->depth = 1;
    npu__pool_init(&m->pool, &a, UINT64_MAX);
    *model = m;
    return NPU__NN_NO_ERROR;
}

NPU_API void ANeuralNetworksModel_free(ANeuralNetworksModel *model) {
    npu_allocator a;
    if (!model) return;
    a = model->allocator;
    npu__pool_free(&model->pool);
    a.free(a.user, model, sizeof *model);
}

/* Every call that changes a model begins so: NULL, or finished already. */
NPU__FN int npu__nn_open(const ANeuralNetworksModel *m, const void *needed) {
    if (!m || !needed) return NPU__NN_UNEXPECTED_NULL;
    return m->finished ? NPU__NN_BAD_STATE : NPU__NN_NO_ERROR;
}

/* A copy of a list in the model's memory. */
NPU__FN int npu__nn_copy(ANeuralNetworksModel *m, const void *list, size_t n, size_t elem_bytes, const void **out) {
    void *to = npu__pool_alloc(&m->pool, n, elem_bytes);
    if (!to) return NPU__NN_OUT_OF_MEMORY;
    if (n > 0) memcpy(to, list, n * elem_bytes); /* bounded: the list is in memory, and so is its copy */
    *out = to;
    return NPU__NN_NO_ERROR;
}

/* ---- operands ---- */

NPU__FN int npu__nn_quant_ok(const npu__nn_type *type, const ANeuralNetworksOperandType *o) {
    if (!(o->scale >= 0.0f && o->scale < 3.0e38f)) return 0; /* NaN too */
    if (type->quant == NPU__NN_PLAIN || type->quant == NPU__NN_CHANNELS) return o->scale == 0.0f && o->zeroPoint == 0;
    if (o->zeroPoint < type->zp_min || o->zeroPoint > type->zp_max) return 0;
    return o->scale > 0.0f || type->code == NPU__NN_TENSOR_INT32;
}

NPU__FN int npu__nn_operand_ok(const npu__nn_type *type, const ANeuralNetworksOperandType *o) {
    size_t n = 1;
    if (!type || o->dimensionCount > NPU_MAX_RANK || (o->dimensionCount > 0 && !o->dimensions)) return 0;
    if (type->scalar && o->dimensionCount > 0) return 0;
    for (uint32_t i = 0; i < o->dimensionCount; i++) { /* what is known of the size must not be too much already */
        if (o->dimensions[i] == 0) continue;
        if (!npu__mul_size(n, o->dimensions[i], &n) || n > NPU__NN_MAX_ELEMENTS) return 0;
    }
    return npu__nn_quant_ok(type, o);
}

NPU_API int ANeuralNetworksModel_addOperand(ANeuralNetworksModel *model, const ANeuralNetworksOperandType *type) {
    npu__nn_operand o;
    const void     *dims;
    void           *list;
    NPU__NN_TRY(npu__nn_open(model, type));
    memset(&o, 0, sizeof o);
    o.type = npu__nn_type_find(type->type);
    if (!npu__nn_operand_ok(o.type, type) || model->n_operands >= NPU__NN_MAX_LIST) return NPU__NN_BAD_DATA;
    o.n_dims = type->dimensionCount;
    o.scale = type->scale;
    o.zero_point = type->zeroPoint;
    list = npu__graph_grow(&model->pool, model->operands, model->n_operands, sizeof o);
    if (!list) return NPU__NN_OUT_OF_MEMORY;
    model->operands = (npu__nn_operand *)list;
    NPU__NN_TRY(npu__nn_copy(model, type->dimensions, type->dimensionCount, sizeof *o.dims, &dims));
    o.dims = (const uint32_t *)dims;
    model->operands[model->n_operands++] = o;
    return NPU__NN_NO_ERROR;
}

/* The operand, of a model that may still be changed, as long as nobody else gives it a value. */
NPU__FN int npu__nn_operand_of(ANeuralNetworksModel *m, int32_t index, npu__nn_operand **out) {
    NPU__NN_TRY(npu__nn_open(m, m));
    if (index < 0 || index >= m->n_operands || m->operands[index].writer != NPU__NN_NOBODY) return NPU__NN_BAD_DATA;
    *out = &m->operands[index];
    return NPU__NN_NO_ERROR;
}

NPU_API int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel *model, int32_t index, const void *buffer,
                                                  size_t length) {
    npu__nn_operand *o;
    size_t           bytes;
    NPU__NN_TRY(npu__nn_operand_of(model, index, &o));
    if (!buffer) { /* an optional operand, left out */
        if (length > 0) return NPU__NN_BAD_DATA;
        o->has = NPU__NN_OMITTED;
        o->value = NULL;
        o->bytes = 0;
        return NPU__NN_NO_ERROR;
    }
    if (o->type->code == NPU__NN_MODEL || !npu__nn_bytes(o, &bytes) || length != bytes) return NPU__NN_BAD_DATA;
    if (length <= NPU__NN_COPIED_BYTES) NPU__NN_TRY(npu__nn_copy(model, buffer, length, 1, &buffer));
    o->value = buffer;
    o->bytes = length;
    o->has = NPU__NN_VALUE;
    return NPU__NN_NO_ERROR;
}

NPU_API int ANeuralNetworksModel_setOperandValueFromMemory(ANeuralNetworksModel *model, int32_t index,
                                                            const ANeuralNetworksMemory *memory, size_t offset, size_t length) {
    NPU__NN_TRY(npu__nn_open(model, memory));
    if (memory->n_roles > 0 || !memory->readable || offset > memory->bytes || length > memory->bytes - offset) return NPU__NN_BAD_DATA;
    return ANeuralNetworksModel_setOperandValue(model, index, memory->base + offset, length);
}

NPU_API int ANeuralNetworksModel_setOperandValueFromModel(ANeuralNetworksModel *model, int32_t index,
                                                           const ANeuralNetworksModel *value) {
    npu__nn_operand *o;
    NPU__NN_TRY(npu__nn_open(model, value));
    NPU__NN_TRY(npu__nn_operand_of(model, index, &o));
    if (o->type->code != NPU__NN_MODEL || !value->finished) return NPU__NN_BAD_DATA; /* so no model is in itself */
    if (value->depth >= NPU__NN_MAX_DEPTH) return NPU__NN_BAD_DATA;
    model->depth = NPU__MAX(model->depth, value->depth + 1);
    o->value = value;
    o->has = NPU__NN_VALUE;
    return NPU__NN_NO_ERROR;
}

NPU_API int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
    ANeuralNetworksModel *model, int32_t index, const ANeuralNetworksSymmPerChannelQuantParams *channelQuant) {
    npu__nn_operand *o;
    const void      *scales;
    NPU__NN_TRY(npu__nn_open(model, channelQuant));
    if (index < 0 || index >= model->n_operands) return NPU__NN_BAD_DATA;
    if (!channelQuant->scales) return NPU__NN_UNEXPECTED_NULL;
    o = &model->operands[index];
    if (o->type->quant != NPU__NN_CHANNELS || channelQuant->channelDim >= o->n_dims || channelQuant->scaleCount == 0 ||
        channelQuant->scaleCount != o->dims[channelQuant->channelDim]) return NPU__NN_BAD_DATA;
    for (uint32_t i = 0; i < channelQuant->scaleCount; i++) {
        if (!(channelQuant->scales[i] > 0.0f && channelQuant->scales[i] < 3.0e38f)) return NPU__NN_BAD_DATA;
    }
    NPU__NN_TRY(npu__nn_copy(model, channelQuant->scales, channelQuant->scaleCount, sizeof(float), &scales));
    o->axis = channelQuant->channelDim;
    o->n_channels = channelQuant->scaleCount;
    o->scales = (const float *)scales;
    return NPU__NN_NO_ERROR;
}

/* ---- operations ---- */

/* Are they operands? */
NPU__FN int npu__nn_list_ok(const ANeuralNetworksModel *m, uint32_t n, const uint32_t *list) {
    if (n > 0 && !list) return NPU__NN_UNEXPECTED_NULL;
    if (n > NPU__NN_MAX_LIST) return NPU__NN_BAD_DATA;
    for (uint32_t i = 0; i < n; i++) if (list[i] >= (uint32_t)m->n_operands) return NPU__NN_BAD_DATA;
    return NPU__NN_NO_ERROR;
}

/* Marks as written what nobody writes yet: a second time is an error, in one list too. */
NPU__FN int npu__nn_write_all(ANeuralNetworksModel *m, uint32_t n, const uint32_t *list, uint8_t writer) {
    for (uint32_t i = 0; i < n; i++) {
        npu__nn_operand *o = &m->operands[list[i]];
        if (o->writer == NPU__NN_NOBODY && o->has == NPU__NN_UNSET && o->type->code != NPU__NN_MODEL) {
            o->writer = writer;
            continue;
        }
        while (i-- > 0) m->operands[list[i]].writer = NPU__NN_NOBODY;
        return NPU__NN_BAD_DATA;
    }
    return NPU__NN_NO_ERROR;
}

NPU_API int ANeuralNetworksModel_addOperation(ANeuralNetworksModel *model, ANeuralNetworksOperationType type,
                                               uint32_t inputCount, const uint32_t *inputs, uint32_t outputCount,
                                               const uint32_t *outputs) {
    npu__nn_op  op;
    const void *in, *out;
    void       *list;
    int         known;
    NPU__NN_TRY(npu__nn_open(model, inputs));
    NPU__NN_TRY(npu__nn_open(model, outputs));
    NPU__NN_TRY(npu__nn_list_ok(model, inputCount, inputs));
    NPU__NN_TRY(npu__nn_list_ok(model, outputCount, outputs));
    memset(&op, 0, sizeof op);
    op.code = type;
    op.n_in = inputCount;
    op.n_out = outputCount;
    if (type < 0 || type >= NPU__NN_OP_COUNT || inputCount == 0 || outputCount == 0) return NPU__NN_BAD_DATA;
    if (model->n_ops >= NPU__NN_MAX_LIST) return NPU__NN_BAD_DATA;
    list = npu__graph_grow(&model->pool, model->ops, model->n_ops, sizeof op);
    if (!list) return NPU__NN_OUT_OF_MEMORY;
    model->ops = (npu__nn_op *)list;
    NPU__NN_TRY(npu__nn_copy(model, inputs, inputCount, sizeof *inputs, &in));
    NPU__NN_TRY(npu__nn_copy(model, outputs, outputCount, sizeof *outputs, &out));
    op.in = (const uint32_t *)in;
    op.out = (const uint32_t *)out;
    if (!npu__nn_row_of(model, &op, &known) && known) return NPU__NN_BAD_DATA; /* of operations without rows, any operands do */
    NPU__NN_TRY(npu__nn_write_all(model, outputCount, outputs, NPU__NN_OPERATION));
    model->ops[model->n_ops++] = op;
    return NPU__NN_NO_ERROR;
}

NPU_API int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel *model, uint32_t inputCount,
                                                           const uint32_t *inputs, uint32_t outputCount,
                                                           const uint32_t *outputs) {
    const void *in, *out;
    NPU__NN_TRY(npu__nn_open(model, outputs));
    NPU__NN_TRY(npu__nn_list_ok(model, inputCount, inputs));
    NPU__NN_TRY(npu__nn_list_ok(model, outputCount, outputs));
    if (model->identified || outputCount == 0) return NPU__NN_BAD_DATA;
    for (uint32_t i = 0; i < outputCount; i++) {
        const npu__nn_operand *o = &model->operands[outputs[i]];
        if (o->writer == NPU__NN_CALLER || o->has != NPU__NN_UNSET) return NPU__NN_BAD_DATA;
    }
    NPU__NN_TRY(npu__nn_copy(model, inputs, inputCount, sizeof *inputs, &in));
    NPU__NN_TRY(npu__nn_copy(model, outputs, outputCount, sizeof *outputs, &out));
    NPU__NN_TRY(npu__nn_write_all(model, inputCount, inputs, NPU__NN_CALLER));
    for (uint32_t i = 0; i < outputCount; i++) {
        npu__nn_operand *o = &model->operands[outputs[i]];
        if (o->writer != NPU__NN_CALLER && !o->is_output) {
            o->is_output = 1;
            continue;
        }
        while (i-- > 0) model->operands[outputs[i]].is_output = 0;
        for (i = 0; i < inputCount; i++) model->operands[inputs[i]].writer = NPU__NN_NOBODY;
        return NPU__NN_BAD_DATA;
    }
    model->in = (const uint32_t *)in;
    model->out = (const uint32_t *)out;
    model->n_in = inputCount;
    model->n_out = outputCount;
    model->identified = 1;
    return NPU__NN_NO_ERROR;
}

NPU_API int ANeuralNetworksModel_relaxComputationFloat32toFloat16(ANeuralNetworksModel *model, bool allow) {
    NPU__NN_TRY(npu__nn_open(model, model));
    (void)allow; /* floats are computed as floats either way, which is allowed */
    return NPU__NN_NO_ERROR;
}

/* ---- finish ---- */

/* Operations may be added in any order: puts them into one in which they can run (Kahn's). False: there is none, or an
 * operand that is read has no value. `waits` counts, by operation, the operands that are still to be computed; `first` and
 * `next` chain the readers of an operand. */
NPU__FN int npu__nn_sort(ANeuralNetworksModel *m, npu__pool *temp, npu__nn_op *sorted, int *memory) {
    size_t    reads = 0;
    int32_t   n = 0, done = 0;
    uint32_t *first = (uint32_t *)npu__pool_alloc(temp, (size_t)m->n_operands, sizeof *first), *waits, *next, *reader;
    for (int32_t i = 0; i < m->n_ops; i++) reads += m->ops[i].n_in;
    waits = (uint32_t *)npu__pool_alloc(temp, (size_t)m->n_ops, sizeof *waits);
    next = (uint32_t *)npu__pool_alloc(temp, reads + 1, sizeof *next); /* 0: none */
    reader = (uint32_t *)npu__pool_alloc(temp, reads + 1, sizeof *reader);
    if (!first || !waits || !next || !reader) { *memory = 0; return 0; }
    reads = 0;
    for (int32_t i = 0; i < m->n_ops; i++) {
        for (uint32_t k = 0; k < m->ops[i].n_in; k++) {
            const uint32_t         operand = m->ops[i].in[k];
            const npu__nn_operand *o = &m->operands[operand];
            if (o->writer == NPU__NN_NOBODY && o->has == NPU__NN_UNSET) return 0;
            if (o->writer != NPU__NN_OPERATION) continue;
            waits[i]++;
            reader[++reads] = (uint32_t)i;
            next[reads] = first[operand];
            first[operand] = (uint32_t)reads;
        }
        if (waits[i] == 0) m->number[n++] = (uint32_t)i;
    }
    for (; done < n; done++) {
        sorted[done] = m->ops[m->number[done]];
        for (uint32_t k = 0; k < sorted[done].n_out; k++) {
            for (uint32_t at = first[sorted[done].out[k]]; at != 0; at = next[at]) {
                if (--waits[reader[at]] == 0) m->number[n++] = reader[at];
            }
        }
    }
    return n == m->n_ops;
}

NPU_API int ANeuralNetworksModel_finish(ANeuralNetworksModel *model) {
    npu__pool   temp;
    npu__nn_op *sorted;
    int         ok, known, memory = 1;
    NPU__NN_TRY(npu__nn_open(model, model));
    if (!model->identified || model->n_ops == 0) return NPU__NN_BAD_STATE;
    for (uint32_t i = 0; i < model->n_out; i++) {
        if (model->operands[model->out[i]].writer != NPU__NN_OPERATION) return NPU__NN_BAD_DATA;
    }
    model->number = (uint32_t *)npu__pool_alloc(&model->pool, (size_t)model->n_ops, sizeof *model->number);
    sorted = (npu__nn_op *)npu__pool_alloc(&model->pool, (size_t)model->n_ops, sizeof *sorted);
    if (!model->number || !sorted) return NPU__NN_OUT_OF_MEMORY;
    npu__pool_init(&temp, &model->allocator, UINT64_MAX);
    ok = npu__nn_sort(model, &temp, sorted, &memory);
    npu__pool_free(&temp);
    if (!memory) return NPU__NN_OUT_OF_MEMORY;
    if (!ok) return NPU__NN_BAD_DATA;
    for (int32_t i = 0; i < model->n_ops; i++) sorted[i].row = npu__nn_row_of(model, &sorted[i], &known);
    model->ops = sorted;
    model->finished = 1;
    return NPU__NN_NO_ERROR;
}

NPU__FN int npu__nn_refine(const npu__nn_operand *o, const ANeuralNetworksOperandType *type, npu__shape *now) {
    memset(now, 0, sizeof *now);
    if (type && (npu__nn_type_find(type->type) != o->type || !npu__nn_operand_ok(o->type, type) || type->scale != o->scale ||
                 type->zeroPoint != o->zero_point)) return 0;
    if (type && o->n_dims > 0 && type->dimensionCount != o->n_dims) return 0;
    now->rank = (int32_t)(type ? type->dimensionCount : o->n_dims);
    for (int32_t i = 0; i < now->rank; i++) {
        const uint32_t said = o->n_dims > 0 ? o->dims[i] : 0, dim = type ? type->dimensions[i] : said;
        if (said != 0 && dim != said) return 0;
        now->dims[i] = (int32_t)dim; /* bounded: npu__nn_operand_ok */
    }
    return 1;
}

#endif
