/* A model of NNAPI as an npu_graph: the table of operations says which operator each becomes; what is more to some stands in
 * window.c and rewrite.c. */
#include "../ops/util.h"
#include "kernel.h"

#if NPU__HAS_NNAPI

NPU__FN npu_status npu__nn_refuse(npu__nn_maker *k, const char *what) {
    return npu__diag_fail(k->diag, NPU_UNSUPPORTED, "nnapi.operation", "operation %d (%s): %s", (int)k->number,
                          npu__nn_op_name(k->op->code), what);
}

NPU__FN const npu__nn_operand *npu__nn_arg(const npu__nn_maker *k, uint32_t i) { return &k->m->operands[k->op->in[i]]; }

NPU__FN int npu__nn_has(const npu__nn_maker *k, uint32_t i) {
    return i < k->op->n_in && npu__nn_arg(k, i)->has != NPU__NN_OMITTED;
}

NPU__FN npu_status npu__nn_int_arg(npu__nn_maker *k, uint32_t i, int64_t *out) {
    return npu__nn_int(npu__nn_arg(k, i), out) ? NPU_OK : npu__nn_refuse(k, "a scalar integer must have a value in the model");
}

NPU__FN npu_status npu__nn_float_arg(npu__nn_maker *k, uint32_t i, double *out) {
    return npu__nn_float(npu__nn_arg(k, i), out) ? NPU_OK : npu__nn_refuse(k, "a scalar float must have a value in the model");
}

/* ---- tensors ---- */

NPU__FN npu__nn_shape npu__nn_shape_of(const npu__nn_operand *o) {
    npu__nn_shape s;
    memset(&s, 0, sizeof s);
    s.rank = (int32_t)o->n_dims;
    for (uint32_t i = 0; i < o->n_dims; i++) s.dims[i] = o->dims[i] == 0 ? -1 : (int32_t)o->dims[i];
    return s;
}

NPU__FN int npu__nn_shape_known(const npu__nn_operand *o) {
    size_t bytes;
    return npu__nn_bytes(o, &bytes);
}

/* The type that an operand has inside of the graph. */
NPU__FN npu_type npu__nn_inside(const npu__nn_operand *o) {
    return o->type->element == NPU_FLOAT16 ? NPU_FLOAT32 : (npu_type)o->type->element;
}

NPU__FN void npu__nn_describe(npu_tensor_desc *d, const npu__nn_operand *o, const npu__nn_shape *shape) {
    memset(d, 0, sizeof *d);
    d->type = npu__nn_inside(o);
    d->rank = shape->rank;
    memcpy(d->dims, shape->dims, sizeof d->dims);
    if (o->n_channels > 0) {
        d->quant.count = (int32_t)o->n_channels;
        d->quant.axis = (int32_t)o->axis;
        d->quant.scale = o->scales;
    } else if (o->scale > 0.0f) {
        d->quant.count = 1;
        d->quant.scale = &o->scale;
        d->quant.zero_point = &o->zero_point;
    }
}

NPU__FN npu_status npu__nn_like(npu__nn_maker *k, const npu__nn_operand *o, const npu__nn_shape *shape, int32_t *out) {
    npu_tensor_desc d;
    npu__nn_describe(&d, o, shape);
    return npu_graph_tensor(k->g, k->subgraph, &d, out, k->diag);
}

NPU__FN npu_status npu__nn_real(npu__nn_maker *k, const npu__nn_shape *shape, int32_t *out) {
    return npu__nn_constant(k, NPU_FLOAT32, shape, NULL, 0, out);
}

NPU__FN npu_status npu__nn_constant(npu__nn_maker *k, npu_type type, const npu__nn_shape *shape, const void *data, size_t bytes,
                                    int32_t *out) {
    npu_tensor_desc d;
    memset(&d, 0, sizeof d);
    d.type = type;
    d.rank = shape->rank;
    memcpy(d.dims, shape->dims, sizeof d.dims);
    d.data = data;
    d.bytes = bytes;
    return npu_graph_tensor(k->g, k->subgraph, &d, out, k->diag);
}

NPU__FN npu_status npu__nn_ints(npu__nn_maker *k, const int32_t *values, int32_t n, int32_t *out) {
    npu__nn_shape shape;
    memset(&shape, 0, sizeof shape);
    shape.rank = 1;
    shape.dims[0] = n;
    return npu__nn_constant(k, NPU_INT32, &shape, values, (size_t)n * sizeof *values, out); /* bounded: a few */
}

NPU__FN npu_status npu__nn_number(npu__nn_maker *k, float value, int32_t *out) {
    npu__nn_shape shape;
    memset(&shape, 0, sizeof shape);
    return npu__nn_constant(k, NPU_FLOAT32, &shape, &value, sizeof value, out);
}

/* The tensor that the model's caller sees: float16 stays what it is. */
NPU__FN npu_status npu__nn_border(npu__nn_maker *k, const npu__nn_operand *o, const void *data, size_t bytes, int32_t *out) {
    const npu__nn_shape shape = npu__nn_shape_of(o);
    npu_tensor_desc     d;
    npu__nn_describe(&d, o, &shape);
    d.type = (npu_type)o->type->element;
    d.data = data;
    d.bytes = bytes;
    d.lend = 1;
    return npu_graph_tensor(k->g, k->subgraph, &d, out, k->diag);
}

NPU__FN int npu__nn_widened(const npu__nn_operand *o) { return o->type->element == NPU_FLOAT16; }

NPU__FN npu_status npu__nn_enter(npu__nn_maker *k, uint32_t operand, const void *data, size_t bytes, int32_t *given) {
    const npu__nn_operand *o = &k->m->operands[operand];
    const npu__nn_shape    shape = npu__nn_shape_of(o);
    NPU__TRY(npu__nn_border(k, o, data, bytes, given));
    k->tensor[operand] = *given;
    if (!npu__nn_widened(o)) return NPU_OK;
    NPU__TRY(npu__nn_like(k, o, &shape, &k->tensor[operand]));
    return npu__nn_step(k, "CAST", *given, -1, k->tensor[operand], NULL);
}

/* The tensor of an operand that is read; -1: left out. */
NPU__FN npu_status npu__nn_value(npu__nn_maker *k, uint32_t operand, int32_t *out) {
    const npu__nn_operand *o = &k->m->operands[operand];
    int32_t                given;
    *out = -1;
    if (o->has == NPU__NN_OMITTED) return NPU_OK;
    if (k->tensor[operand] < 0) NPU__TRY(npu__nn_enter(k, operand, o->value, o->bytes, &given));
    *out = k->tensor[operand];
    return NPU_OK;
}

NPU__FN npu_status npu__nn_read(npu__nn_maker *k, uint32_t i, int32_t *out) { return npu__nn_value(k, k->op->in[i], out); }

NPU__FN npu_status npu__nn_write(npu__nn_maker *k, uint32_t i, int32_t *out) {
    const uint32_t      operand = k->op->out[i];
    const npu__nn_shape shape = npu__nn_shape_of(&k->m->operands[operand]);
    NPU__TRY(npu__nn_like(k, &k->m->operands[operand], &shape, &k->tensor[operand]));
    *out = k->tensor[operand];
    return NPU_OK;
}

/* ---- operators ---- */

NPU__FN npu_status npu__nn_add(npu__nn_maker *k, const char *name, const int32_t *in, int32_t n_in, const int32_t *out,
                               int32_t n_out, int32_t *op) {
    npu_op_desc d;
    memset(&d, 0, sizeof d);
    d.name = name;
    d.inputs = in;
    d.n_inputs = n_in;
    d.outputs = out;
    d.n_outputs = n_out;
    return npu_graph_op(k->g, k->subgraph, &d, op, k->diag);
}

NPU__FN npu_status npu__nn_step(npu__nn_maker *k, const char *name, int32_t a, int32_t b, int32_t to, int32_t *op) {
    int32_t in[2];
    in[0] = a;
    in[1] = b;
    return npu__nn_add(k, name, in, b < 0 ? 1 : 2, &to, 1, op);
}

NPU__FN npu_status npu__nn_option(npu__nn_maker *k, int32_t op, const char *name, int64_t value) {
    return npu_graph_option_int(k->g, k->subgraph, op, name, value, k->diag);
}

NPU__FN npu_status npu__nn_transpose(npu__nn_maker *k, int32_t t, const int32_t *perm, int32_t rank, int32_t to) {
    int32_t order;
    NPU__TRY(npu__nn_ints(k, perm, rank, &order));
    return npu__nn_step(k, "TRANSPOSE", t, order, to, NULL);
}

NPU__FN npu_status npu__nn_inputs(npu__nn_maker *k, const npu__nn_op *op, int32_t *in, int32_t *n_in) {
    npu__operand_words words = npu__words_of(op->row->operands);
    npu__operand_word  word;
    *n_in = 0;
    for (uint32_t i = 0; i < op->n_in; i++) {
        npu__words_next(&words, op->n_in - i, &word); /* it has as many: npu__nn_matches */
        if (word.kind != 't') continue;
        NPU__TRY(npu__nn_read(k, i, &in[word.input]));
        *n_in = NPU__MAX(*n_in, word.input + 1);
    }
    return NPU_OK;
}

/* A scalar becomes an option. */
NPU__FN npu_status npu__nn_scalar(npu__nn_maker *k, uint32_t i, const npu__operand_word *word, int32_t to) {
    char    name[40];
    int64_t v;
    double  f;
    NPU__ASSERT(word->name.n < sizeof name);
    memcpy(name, word->name.p, word->name.n);
    name[word->name.n] = 0;
    if (word->kind == 'f') {
        NPU__TRY(npu__nn_float_arg(k, i, &f));
        return npu_graph_option_float(k->g, k->subgraph, to, name, f, k->diag);
    }
    NPU__TRY(npu__nn_int_arg(k, i, &v));
    if (word->kind == 'a' && (v < 0 || v > 3)) return npu__nn_refuse(k, "a fused activation must be 0 (none), 1 (RELU), 2 (RELU1) or 3 (RELU6)");
    return npu__nn_option(k, to, name, v);
}

NPU__FN npu_status npu__nn_options(npu__nn_maker *k, const npu__nn_op *op, int32_t to) {
    npu__operand_words words = npu__words_of(op->row->operands);
    npu__operand_word  word;
    for (uint32_t i = 0; i < op->n_in; i++) {
        npu__words_next(&words, op->n_in - i, &word);
        if (word.kind != 't' && word.name.n > 0) NPU__TRY(npu__nn_scalar(k, i, &word, to));
    }
    return NPU_OK;
}

NPU__FN npu_status npu__nn_plain(npu__nn_maker *k, const npu__nn_op *op) {
    int32_t *in = (int32_t *)npu__pool_alloc(k->temp, (size_t)op->n_in + 1, sizeof *in);
    int32_t *out = (int32_t *)npu__pool_alloc(k->temp, op->n_out, sizeof *out);
    int32_t  n_in, to;
    if (!in || !out) return npu__diag_fail(k->diag, NPU_OUT_OF_MEMORY, "nnapi.memory", "no memory for an operation");
    NPU__TRY(npu__nn_inputs(k, op, in, &n_in));
    for (uint32_t i = 0; i < op->n_out; i++) NPU__TRY(npu__nn_write(k, i, &out[i]));
    NPU__TRY(npu__nn_add(k, op->row->name, in, n_in, out, (int32_t)op->n_out, &to));
    return npu__nn_options(k, op, to);
}

/* ---- models ---- */

NPU__FN npu_status npu__nn_operation(npu__nn_maker *k, int32_t place) {
    const npu__nn_op *op = &k->m->ops[place];
    k->op = op;
    k->number = k->m->number[place];
    if (!op->row) return npu__nn_refuse(k, "the device does not run it");
    for (uint32_t i = 0; i < op->n_in; i++) {
        const npu__nn_operand *o = npu__nn_arg(k, i);
        if (o->type->quant == NPU__NN_CHANNELS && o->n_channels == 0) return npu__nn_refuse(k, "scales by channel were not set");
    }
    return op->row->make ? op->row->make(k, op) : npu__nn_plain(k, op);
}

/* A list of operands as tensors of the graph, in memory of the maker's. */
NPU__FN int32_t *npu__nn_list(npu__nn_maker *k, size_t n) {
    int32_t *list = (int32_t *)npu__pool_alloc(k->temp, n + 1, sizeof *list);
    if (!list) npu__diag_fail(k->diag, NPU_OUT_OF_MEMORY, "nnapi.memory", "no memory for inputs and outputs");
    return list;
}

/* Outputs that the caller sees: of float16 again, where they are. */
NPU__FN npu_status npu__nn_leave(npu__nn_maker *k, const uint32_t *operands, uint32_t n, int32_t *out) {
    for (uint32_t i = 0; i < n; i++) {
        const npu__nn_operand *o = &k->m->operands[operands[i]];
        out[i] = k->tensor[operands[i]];
        if (!npu__nn_widened(o)) continue;
        NPU__TRY(npu__nn_border(k, o, NULL, 0, &out[i]));
        NPU__TRY(npu__nn_step(k, "CAST", k->tensor[operands[i]], -1, out[i], NULL));
    }
    return NPU_OK;
}

NPU__FN npu_status npu__nn_whole(npu__nn_maker *k, uint32_t outputs) {
    const ANeuralNetworksModel *m = k->m;
    int32_t                    *in = npu__nn_list(k, m->n_in), *out = npu__nn_list(k, NPU__MAX(outputs, m->n_out));
    if (!in || !out) return NPU_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < m->n_in; i++) NPU__TRY(npu__nn_enter(k, m->in[i], NULL, 0, &in[i]));
    for (int32_t i = 0; i < m->n_ops; i++) NPU__TRY(npu__nn_operation(k, i));
    NPU__TRY(npu__nn_leave(k, m->out, m->n_out, out));
    for (uint32_t i = m->n_out; i < outputs; i++) out[i] = in[i];
    NPU__TRY(npu_graph_inputs(k->g, k->subgraph, in, (int32_t)m->n_in, k->diag));
    return npu_graph_outputs(k->g, k->subgraph, out, (int32_t)NPU__MAX(outputs, m->n_out), k->diag);
}

/* One operation alone, what it reads and writes as inputs and outputs of the graph. */
NPU__FN npu_status npu__nn_alone(npu__nn_maker *k, int32_t place) {
    const npu__nn_op *op = &k->m->ops[place];
    int32_t          *in = npu__nn_list(k, op->n_in), *out = npu__nn_list(k, op->n_out), n = 0;
    if (!in || !out) return NPU_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < op->n_in; i++) {
        if (k->m->operands[op->in[i]].has == NPU__NN_UNSET && k->tensor[op->in[i]] < 0) {
            NPU__TRY(npu__nn_enter(k, op->in[i], NULL, 0, &in[n++]));
        }
    }
    NPU__TRY(npu__nn_operation(k, place));
    NPU__TRY(npu__nn_leave(k, op->out, op->n_out, out));
    NPU__TRY(npu_graph_inputs(k->g, k->subgraph, in, n, k->diag));
    return npu_graph_outputs(k->g, k->subgraph, out, (int32_t)op->n_out, k->diag);
}

/* A maker for a model, with a subgraph of its own. */
NPU__FN npu_status npu__nn_begin(npu__nn_maker *k, const npu__nn_maker *of, const ANeuralNetworksModel *model) {
    *k = *of;
    k->m = model;
    k->tensor = npu__nn_list(k, (size_t)model->n_operands);
    if (!k->tensor) return NPU_OUT_OF_MEMORY;
    for (int32_t i = 0; i < model->n_operands; i++) k->tensor[i] = -1;
    return npu_graph_subgraph(k->g, NULL, &k->subgraph, k->diag);
}

NPU__FN npu_status npu__nn_subgraph(npu__nn_maker *k, const ANeuralNetworksModel *model, uint32_t outputs, int32_t *subgraph) {
    npu__nn_maker inner;
    npu__nn_made *made;
    for (made = *k->made; made; made = made->next) {
        if (made->model != model || made->outputs != outputs) continue;
        *subgraph = made->subgraph;
        return NPU_OK;
    }
    NPU__TRY(npu__nn_begin(&inner, k, model)); /* as deep as models are: NPU__NN_MAX_DEPTH */
    NPU__TRY(npu__nn_whole(&inner, outputs));
    made = (npu__nn_made *)npu__pool_alloc(k->temp, 1, sizeof *made);
    if (!made) return npu__diag_fail(k->diag, NPU_OUT_OF_MEMORY, "nnapi.memory", "no memory for a model");
    made->model = model;
    made->outputs = outputs;
    made->subgraph = *subgraph = inner.subgraph;
    made->next = *k->made;
    *k->made = made;
    return NPU_OK;
}

NPU__FN npu_status npu__nn_graph(npu_model **out, const ANeuralNetworksModel *model, int32_t only, npu_diag *diag) {
    npu__nn_maker  k, outer;
    npu__nn_made  *made = NULL;
    npu_model_desc d;
    npu_user_op    private_ops[NPU__NN_KERNEL_COUNT];
    npu__pool      temp;
    npu_status     s;
    *out = NULL;
    memset(&d, 0, sizeof d);
    memset(&outer, 0, sizeof outer);
    npu__nn_kernels(&d, private_ops);
    d.allocator = model->allocator;
    npu__pool_init(&temp, &model->allocator, UINT64_MAX);
    outer.temp = &temp;
    outer.made = &made;
    outer.diag = diag;
    s = npu_graph_create(&outer.g, &d, diag);
    if (s == NPU_OK) s = npu__nn_begin(&k, &outer, model);
    if (s == NPU_OK) s = only < 0 ? npu__nn_whole(&k, 0) : npu__nn_alone(&k, only);
    if (s == NPU_OK) s = npu_graph_finish(outer.g, out, diag);
    npu_graph_destroy(outer.g);
    npu__pool_free(&temp);
    return s;
}

NPU__FN int npu__nn_result(npu_status s) {
    switch (s) {
    case NPU_OK: return NPU__NN_NO_ERROR;
    case NPU_OUT_OF_MEMORY: return NPU__NN_OUT_OF_MEMORY;
    case NPU_LIMIT: return NPU__NN_RESOURCE_EXHAUSTED_PERSISTENT;
    case NPU_CANCELLED: return NPU__NN_MISSED_DEADLINE_TRANSIENT;
    default: return NPU__NN_OP_FAILED;
    }
}

#endif
