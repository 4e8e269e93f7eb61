/* A segment's Neuron model to the adapter, by its calls and in the plugin's order: inputs and outputs, then each operation behind the
 * operands it needs. Shapes that the model leaves open are those of the plan. */
#include "client.h"

#if NPU__HAS_NEURON && NPU__HAS_LOWERING

/* The operand's dimensions as planned. */
NPU__FN const uint32_t *npu__neuron_real_dims(const npu__neuron_operand *o, uint32_t *room) {
    for (uint32_t i = 0; i < o->n_dims; i++) {
        if (o->dims[i] != NPU__NEURON_OPEN) continue;
        if (!o->val || o->val->shape.rank != (int32_t)o->n_dims) break;
        for (uint32_t k = 0; k < o->n_dims; k++) room[k] = (uint32_t)o->val->shape.dims[k];
        return room;
    }
    return o->dims;
}

NPU__FN npu_status npu__neuron_feed_channels(npu__neuron_call *k, const npu__neuron_operand *o, int32_t n) {
    npu_neuron_channels_symm symm;
    npu_neuron_channels      all;
    int32_t                 *zeros = NULL;
    npu_allocator            a;
    const size_t             bytes = o->n_channels * sizeof *zeros; /* bounded: the tensor's */
    int                      code;
    symm.axis = all.axis = o->channel_dim;
    symm.n_scales = all.n_scales = all.n_zero_points = o->n_channels;
    symm.scales = all.scales = o->scales;
    all.zero_points = o->zero_points;
    if (!o->zero_points && k->f->NeuronModel_setOperandSymmPerChannelQuantParams) {
        code = k->f->NeuronModel_setOperandSymmPerChannelQuantParams(k->run->model, n, &symm);
        if (code == NPU__NEURON_NO_ERROR) return NPU_OK;
    }
    if (o->zero_points) {
        NPU__NEURON_CALL(k, n, NeuronModel_setOperandPerChannelQuantParams, (k->run->model, n, &all));
        return NPU_OK;
    }
    if (!k->f->NeuronModel_setOperandPerChannelQuantParams) {
        return npu__neuron_missing(k->c, "NeuronModel_setOperandPerChannelQuantParams");
    }
    a = npu__ctx_allocator(k->c);
    all.zero_points = zeros = (int32_t *)a.alloc(a.user, bytes, 64);
    if (!zeros) return NPU__FAIL(k->c, NPU_OUT_OF_MEMORY, "neuron.memory", "no memory for %z zero points", bytes);
    memset(zeros, 0, bytes);
    code = k->f->NeuronModel_setOperandPerChannelQuantParams(k->run->model, n, &all);
    a.free(a.user, zeros, bytes);
    return code == NPU__NEURON_NO_ERROR ? NPU_OK : npu__neuron_failed(k->c, "NeuronModel_setOperandPerChannelQuantParams", code, n);
}

NPU__FN npu_status npu__neuron_feed_operand(npu__neuron_call *k, uint32_t number) {
    const npu__neuron_operand *o = &k->m->operands[number];
    const int32_t              n = (int32_t)number;
    uint32_t                   dims[NPU_MAX_RANK];
    npu_neuron_operand         type;
    type.type = o->type;
    type.n_dims = o->n_dims;
    type.dims = o->n_dims ? npu__neuron_real_dims(o, dims) : NULL;
    type.scale = o->scale;
    type.zero_point = o->zero_point;
    if (o->type == NPU__NEURON_EXT_STRING) {
        NPU__NEURON_CALL(k, n, NeuronModel_getExtensionOperandType,
                         (k->run->model, NPU__NEURON_OEM_EXTENSION, NPU__NEURON_OEM_OPERAND, &type.type));
    }
    NPU__NEURON_CALL(k, n, NeuronModel_addOperand, (k->run->model, &type));
    if (o->n_channels > 0) NPU__TRY(npu__neuron_feed_channels(k, o, n));
    if (o->data) NPU__NEURON_CALL(k, n, NeuronModel_setOperandValue, (k->run->model, n, o->data, o->bytes));
    return NPU_OK;
}

NPU__FN npu_status npu__neuron_feed_operation(npu__neuron_call *k, uint32_t number) {
    const npu__neuron_operation *op = &k->m->operations[number];
    int32_t                      code = op->code;
    if (code == NPU__NEURON_EXT_OPERATION) {
        NPU__NEURON_CALL(k, number, NeuronModel_getExtensionOperationType,
                         (k->run->model, NPU__NEURON_OEM_EXTENSION, NPU__NEURON_OEM_OPERATION, &code));
    }
    NPU__NEURON_CALL(k, number, NeuronModel_addOperation, (k->run->model, code, op->n_in, op->in, op->n_out, op->out));
    return NPU_OK;
}

NPU__FN npu_status npu__neuron_feed(npu__neuron_call *k) {
    const npu__neuron_model  *m = k->m;
    const npu_neuron_options *options = npu__neuron_options(k->c);
    uint32_t                  n = 0;
    char                      name[32];
    npu__format(name, sizeof name, "Segment_%d", k->c->node->index);
    NPU__NEURON_CALL_IF(k, -1, NeuronModel_setName, (k->run->model, name));
    while (n < m->n_in + m->n_out) NPU__TRY(npu__neuron_feed_operand(k, n++)); /* they come first */
    NPU__NEURON_CALL(k, -1, NeuronModel_identifyInputsAndOutputs, (k->run->model, m->n_in, m->in, m->n_out, m->out));
    for (uint32_t i = 0; i < m->n_operations; i++) {
        const npu__neuron_operation *op = &m->operations[i];
        uint32_t                     last = n;
        for (uint32_t j = 0; j < op->n_in; j++) last = NPU__MAX(last, op->in[j] + 1);
        for (uint32_t j = 0; j < op->n_out; j++) last = NPU__MAX(last, op->out[j] + 1);
        while (n < last) NPU__TRY(npu__neuron_feed_operand(k, n++));
        NPU__TRY(npu__neuron_feed_operation(k, i));
        NPU__POLL(k->c, op->n_in + op->n_out);
    }
    NPU__NEURON_CALL(k, -1, NeuronModel_finish, (k->run->model));
    if (!options->exact_float32) {
        NPU__NEURON_CALL(k, -1, NeuronModel_relaxComputationFloat32toFloat16, (k->run->model, 1));
    }
    return NPU_OK;
}

/* ---- key of a compiled network ---- */

NPU__FN uint64_t npu__neuron_mix(uint64_t h, const void *data, size_t bytes) {
    const uint8_t *p = (const uint8_t *)data;
    /* wraps: a hash */
    for (size_t i = 0; i < bytes; i++) h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}
NPU__FN uint64_t npu__neuron_mix_int(uint64_t h, uint64_t v) { return npu__neuron_mix(h, &v, sizeof v); }

NPU__FN uint64_t npu__neuron_key(const npu__neuron_call *k) {
    const npu_neuron_options *o = npu__neuron_options(k->c);
    uint64_t                  h = npu__neuron_mix_int(0xcbf29ce484222325u, (uint64_t)k->version); /* a hash: what wraps, wraps */
    /* bounded, here and below: lists that are in memory */
    if (o->text) h = npu__neuron_mix(h, o->text, strlen(o->text));
    h = npu__neuron_mix_int(npu__neuron_mix_int(h, (uint64_t)o->preference), (uint64_t)o->priority);
    h = npu__neuron_mix_int(npu__neuron_mix_int(h, o->hint), o->l1_kb * 2 + (o->exact_float32 != 0));
    for (uint32_t i = 0; i < k->m->n_operands; i++) {
        const npu__neuron_operand *operand = &k->m->operands[i];
        uint32_t                   room[NPU_MAX_RANK];
        h = npu__neuron_mix_int(npu__neuron_mix_int(h, (uint64_t)operand->type), operand->n_dims);
        if (operand->n_dims) h = npu__neuron_mix(h, npu__neuron_real_dims(operand, room), operand->n_dims * sizeof *room);
        h = npu__neuron_mix_int(npu__neuron_mix(h, &operand->scale, sizeof operand->scale), (uint64_t)operand->zero_point);
        h = npu__neuron_mix_int(npu__neuron_mix_int(h, operand->channel_dim), operand->n_channels);
        if (operand->n_channels) h = npu__neuron_mix(h, operand->scales, operand->n_channels * sizeof *operand->scales);
        if (operand->zero_points) h = npu__neuron_mix(h, operand->zero_points, operand->n_channels * sizeof *operand->zero_points);
        h = npu__neuron_mix_int(h, operand->bytes);
        if (operand->data) h = npu__neuron_mix(h, operand->data, operand->bytes);
    }
    for (uint32_t i = 0; i < k->m->n_operations; i++) {
        const npu__neuron_operation *op = &k->m->operations[i];
        h = npu__neuron_mix_int(npu__neuron_mix_int(h, (uint64_t)op->code), op->n_in);
        h = npu__neuron_mix(h, op->in, op->n_in * sizeof *op->in);
        h = npu__neuron_mix(h, op->out, op->n_out * sizeof *op->out);
    }
    h = npu__neuron_mix(h, k->m->in, k->m->n_in * sizeof *k->m->in);
    return npu__neuron_mix(h, k->m->out, k->m->n_out * sizeof *k->m->out);
}

#endif
