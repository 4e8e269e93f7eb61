/* A Neuron model as an npu_graph: the table of operations says which operator each becomes, what is special about some
 * stands here. */
#include "../../../base/fp16.h"
#include "../../../ops/util.h"
#include "operations.h"

#if NPU__HAS_NEURON_SOFTWARE

NPU__FN npu_status npu__nsw_refuse(npu__nsw_maker *k, const char *what) {
    return npu__diag_fail(k->diag, NPU_UNSUPPORTED, "neuron.operation", "operation %d (%s): %s", k->op,
                          npu__nsw_op_name(k->m->ops[k->op].code), what);
}

/* ---- tensors and operators of the graph ---- */

NPU__FN void npu__nsw_desc(npu_tensor_desc *d, const npu__nsw_operand *o) {
    memset(d, 0, sizeof *d);
    d->type = o->type ? (npu_type)o->type->element : NPU_UINT8;
    d->rank = (int32_t)o->n_dims;
    for (uint32_t i = 0; i < o->n_dims; i++) d->dims[i] = npu__nsw_dim_open(o->dims[i]) ? -1 : (int32_t)o->dims[i];
    if (o->n_channels > 0) {
        d->quant.count = (int32_t)o->n_channels;
        d->quant.axis = (int32_t)o->axis;
        d->quant.scale = o->scales;
        d->quant.zero_point = o->zero_points;
    } else if (o->scale > 0.0f) {
        d->quant.count = 1;
        d->quant.scale = &o->scale;
        d->quant.zero_point = &o->zero_point;
    }
}

NPU__FN npu_status npu__nsw_fresh(npu__nsw_maker *k, const npu__nsw_operand *o, int32_t type, int32_t *out) {
    npu_tensor_desc d;
    npu__nsw_desc(&d, o);
    if (type >= 0) {
        d.type = (npu_type)type;
        memset(&d.quant, 0, sizeof d.quant);
    }
    return npu_graph_tensor(k->g, 0, &d, out, k->diag);
}

NPU__FN npu_status npu__nsw_add(npu__nsw_maker *k, const char *name, const int32_t *in, int32_t n_in, const int32_t *out,
                                int32_t n_out, int32_t *op) {
    npu_op_desc d;
    memset(&d, 0, sizeof d);
    d.name = name;
    d.inputs = in;
    d.n_inputs = n_in;
    d.outputs = out;
    d.n_outputs = n_out;
    return npu_graph_op(k->g, 0, &d, op, k->diag);
}

NPU__FN npu_status npu__nsw_cast(npu__nsw_maker *k, int32_t from, int32_t to) {
    return npu__nsw_add(k, "CAST", &from, 1, &to, 1, NULL);
}

/* From one tensor to another through float16. */
NPU__FN npu_status npu__nsw_round(npu__nsw_maker *k, const npu__nsw_operand *o, int32_t from, int32_t to) {
    int32_t half;
    NPU__TRY(npu__nsw_fresh(k, o, NPU_FLOAT16, &half));
    NPU__TRY(npu__nsw_cast(k, from, half));
    return npu__nsw_cast(k, half, to);
}

NPU__FN npu_status npu__nsw_constant(npu__nsw_maker *k, int32_t type, int32_t n, const void *data, size_t bytes,
                                     int32_t *out) {
    npu_tensor_desc d;
    memset(&d, 0, sizeof d);
    d.type = (npu_type)type;
    d.rank = n > 0;
    d.dims[0] = n;
    d.data = data;
    d.bytes = bytes;
    return npu_graph_tensor(k->g, 0, &d, out, k->diag);
}

NPU__FN int npu__nsw_is(const npu__nsw_operand *o, int32_t element) { return o->type && o->type->element == element; }

/* The tensor of an operand that is read, in float32 where the operation does not compute with halves. -1: left out. */
NPU__FN npu_status npu__nsw_read(npu__nsw_maker *k, const npu__nsw_row *row, uint32_t operand, int32_t *out) {
    const npu__nsw_operand *o = &k->m->operands[operand];
    npu_tensor_desc         d;
    *out = -1;
    if (o->has == NPU__NSW_OMITTED) return NPU_OK;
    if (k->tensor[operand] < 0) {
        npu__nsw_desc(&d, o);
        d.data = o->value;
        d.bytes = o->bytes;
        d.lend = 1;
        for (uint32_t i = 0; npu__nsw_is_empty(o) && i < o->n_dims; i++) d.dims[i] = (int32_t)o->dims[i];
        NPU__TRY(npu_graph_tensor(k->g, 0, &d, &k->tensor[operand], k->diag));
    }
    *out = k->tensor[operand];
    if (!npu__nsw_is(o, NPU_FLOAT16) || (row->flags & NPU__NSW_HALF)) return NPU_OK;
    NPU__TRY(npu__nsw_fresh(k, o, NPU_FLOAT32, out));
    return npu__nsw_cast(k, k->tensor[operand], *out);
}

/* Does the operation's result need a cast, and to a tensor of another type than the operand's? */
NPU__FN int npu__nsw_widened(const npu__nsw_row *row, const npu__nsw_operand *o) {
    return npu__nsw_is(o, NPU_FLOAT16) && !(row->flags & NPU__NSW_HALF);
}
NPU__FN int npu__nsw_rounded(const npu__nsw_maker *k, const npu__nsw_row *row, const npu__nsw_operand *o) {
    return k->relaxed && npu__nsw_is(o, NPU_FLOAT32) && !(row->flags & NPU__NSW_MOVES);
}

/* The tensor that an operation writes for an operand; npu__nsw_written follows behind it. */
NPU__FN npu_status npu__nsw_write(npu__nsw_maker *k, const npu__nsw_row *row, uint32_t operand, int32_t *out) {
    const npu__nsw_operand *o = &k->m->operands[operand];
    return npu__nsw_fresh(k, o, npu__nsw_widened(row, o) ? NPU_FLOAT32 : -1, out);
}

NPU__FN npu_status npu__nsw_written(npu__nsw_maker *k, const npu__nsw_row *row, uint32_t operand, int32_t raw) {
    const npu__nsw_operand *o = &k->m->operands[operand];
    const int               widened = npu__nsw_widened(row, o);
    k->tensor[operand] = raw;
    if (!widened && !npu__nsw_rounded(k, row, o)) return NPU_OK;
    NPU__TRY(npu__nsw_fresh(k, o, -1, &k->tensor[operand]));
    return widened ? npu__nsw_cast(k, raw, k->tensor[operand]) : npu__nsw_round(k, o, raw, k->tensor[operand]);
}

/* ---- what is special ---- */

/* A bias says no scale to the adapter: it is that of input times weights. The sums of int16 convolutions are 64 bits
 * wide where the bias is, as in TFLite's files; the adapter's is cut to 32. */
NPU__FN npu_status npu__nsw_bias(npu__nsw_maker *k, const npu__nsw_op *op, int32_t *out) {
    const npu__nsw_operand *in = &k->m->operands[op->in[0]], *w = &k->m->operands[op->in[1]];
    const npu__nsw_operand *o = &k->m->operands[op->in[2]];
    const uint32_t          n = NPU__MAX(w->n_channels, 1);
    npu_tensor_desc         d;
    float                  *scales;
    int64_t                *wide;
    if (o->has != NPU__NSW_VALUE || !npu__nsw_is(o, NPU_INT32) || o->scale > 0.0f || !(in->scale > 0.0f)) return NPU_OK;
    npu__nsw_desc(&d, o);
    scales = (float *)npu__pool_alloc(&k->temp, n, sizeof *scales);
    if (!scales) return npu__diag_fail(k->diag, NPU_OUT_OF_MEMORY, "neuron.memory", "no memory for the scales of a bias");
    for (uint32_t i = 0; i < n; i++) scales[i] = in->scale * (w->n_channels ? w->scales[i] : w->scale);
    if (o->n_channels == 0 && scales[0] > 0.0f && (n == 1 || (o->n_dims == 1 && o->dims[0] == n))) {
        memset(&d.quant, 0, sizeof d.quant);
        d.quant.count = (int32_t)n;
        d.quant.scale = scales;
    }
    d.data = o->value;
    d.bytes = o->bytes;
    d.lend = 1;
    if (npu__nsw_is(in, NPU_INT16)) {
        const size_t count = o->bytes / 4;
        wide = (int64_t *)npu__pool_alloc(&k->temp, count, sizeof *wide);
        if (!wide) return npu__diag_fail(k->diag, NPU_OUT_OF_MEMORY, "neuron.memory", "no memory for a bias");
        /* bounded, here and below: npu__nsw_operand_ok lets 2^28 elements pass */
        for (size_t i = 0; i < count; i++) wide[i] = (int32_t)npu__nsw_u32((const uint8_t *)o->value + 4 * i);
        d.type = NPU_INT64;
        d.data = wide;
        d.bytes = count * sizeof *wide;
        d.lend = 0;
    }
    return npu_graph_tensor(k->g, 0, &d, out, k->diag);
}

/* The size is said twice, and the two callers that are known do not agree which comes first: that of the output
 * counts, if it is one of the two readings. */
NPU__FN npu_status npu__nsw_size(npu__nsw_maker *k, const npu__nsw_op *op, int32_t *out) {
    const npu__nsw_operand *o = &k->m->operands[op->out[0]];
    int32_t                 size[2];
    int64_t                 a, b;
    if (o->n_dims != 4 || npu__nsw_dim_open(o->dims[1]) || npu__nsw_dim_open(o->dims[2])) {
        return NPU__NSW_FAIL(k, "the output's height and width must be known");
    }
    size[0] = (int32_t)o->dims[1];
    size[1] = (int32_t)o->dims[2];
    if (npu__nsw_int(&k->m->operands[op->in[1]], &a) && npu__nsw_int(&k->m->operands[op->in[2]], &b) &&
        !(a == size[0] && b == size[1]) && !(b == size[0] && a == size[1])) {
        return NPU__NSW_FAIL(k, "the size must be that of the output");
    }
    return npu__nsw_constant(k, NPU_INT32, 2, size, sizeof size, out);
}

/* RESHAPE's new shape is that of its output, where this is known: the shape that LiteRT 2.3.0's plugin adds behind
 * FULLY_CONNECTED for adapters before 8.2.24 has bytes in it that nobody wrote. */
NPU__FN int npu__nsw_says_shape(const npu__nsw_maker *k, const npu__nsw_op *op) {
    size_t bytes;
    return op->row->special == NPU__NSW_RESHAPE && (op->n_in == 1 || npu__nsw_bytes(&k->m->operands[op->out[0]], &bytes));
}

NPU__FN npu_status npu__nsw_new_shape(npu__nsw_maker *k, const npu__nsw_op *op, int32_t *out) {
    const npu__nsw_operand *o = &k->m->operands[op->out[0]];
    int32_t                 dims[NPU_MAX_RANK];
    for (uint32_t i = 0; i < o->n_dims; i++) dims[i] = npu__nsw_dim_open(o->dims[i]) ? -1 : (int32_t)o->dims[i];
    return npu__nsw_constant(k, NPU_INT32, (int32_t)o->n_dims, dims, o->n_dims * sizeof *dims, out); /* bounded: a rank */
}

/* Is it PRELU with one alpha for all, a float: LEAKY_RELU? */
NPU__FN int npu__nsw_leaky(const npu__nsw_maker *k, const npu__nsw_op *op, double *alpha) {
    const npu__nsw_operand *o = &k->m->operands[op->in[1]];
    return op->row->special == NPU__NSW_PRELU && npu__nsw_float(o, alpha);
}

/* ---- one operation ---- */

NPU__FN int npu__nsw_is_last(const npu__nsw_maker *k, const npu__nsw_op *op, int64_t axis) {
    return axis == -1 || axis == (int64_t)k->m->operands[op->in[0]].n_dims - 1;
}

/* A scalar becomes an option of the operator. */
NPU__FN npu_status npu__nsw_option(npu__nsw_maker *k, const npu__nsw_op *op, uint32_t operand, const npu__operand_word *slot,
                                   int32_t to) {
    const npu__nsw_operand *o = &k->m->operands[operand];
    char                    name[40];
    int64_t                 i = 0;
    double                  f = 0;
    int                     ok;
    if (slot->kind == 'x' || o->has == NPU__NSW_OMITTED) return NPU_OK;
    if (slot->kind == 'f') ok = npu__nsw_float(o, &f);
    else ok = npu__nsw_int(o, &i);
    NPU__ASSERT(ok); /* it fits its row, and finishing the model saw that it has a value */
    (void)ok;
    if (slot->kind == 'n' && i != 0) return NPU__NSW_FAIL(k, "data must be NHWC");
    if (slot->kind == 'l' && !npu__nsw_is_last(k, op, i)) return NPU__NSW_FAIL(k, "the axis must be the last one");
    if (slot->kind == 'p' && (i < NPU__NEURON_PADDING_SAME || i > NPU__NEURON_PADDING_VALID)) {
        return NPU__NSW_FAIL(k, "padding must be 1 (SAME) or 2 (VALID)");
    }
    if (slot->kind == 'a' && (i < NPU__NEURON_FUSED_NONE || i > NPU__NEURON_FUSED_RELU6)) {
        return NPU__NSW_FAIL(k, "a fused activation must be 0 (none), 1 (RELU), 2 (RELU1) or 3 (RELU6)");
    }
    if (slot->name.n == 0) return NPU_OK;
    NPU__ASSERT(slot->name.n < sizeof name);
    memcpy(name, slot->name.p, slot->name.n);
    name[slot->name.n] = 0;
    if (slot->kind == 'f') return npu_graph_option_float(k->g, 0, to, name, f, k->diag);
    return npu_graph_option_int(k->g, 0, to, name, slot->kind == 'p' ? i - 1 : i, k->diag);
}

/* Inputs of the operator: `in` has room for one more than the operation has operands. */
NPU__FN npu_status npu__nsw_inputs(npu__nsw_maker *k, const npu__nsw_op *op, int32_t *in, int32_t *n_in) {
    npu__operand_words c = npu__words_of(op->row->operands);
    npu__operand_word  slot;
    for (uint32_t i = 0; i < op->n_in; i++) {
        npu__words_next(&c, op->n_in - i, &slot); /* it has as many: npu__nsw_matches */
        if (slot.kind != 't') continue;
        in[slot.input] = -1;
        if (i == 1 && npu__nsw_says_shape(k, op)) break;
        if (i == 2 && (op->row->special == NPU__NSW_BIAS || op->row->special == NPU__NSW_DENSE)) {
            NPU__TRY(npu__nsw_bias(k, op, &in[slot.input]));
        }
        if (in[slot.input] < 0) NPU__TRY(npu__nsw_read(k, op->row, op->in[i], &in[slot.input]));
        *n_in = NPU__MAX(*n_in, slot.input + 1);
    }
    if (npu__nsw_says_shape(k, op)) NPU__TRY(npu__nsw_new_shape(k, op, &in[(*n_in)++]));
    if (op->row->special == NPU__NSW_RESIZE) NPU__TRY(npu__nsw_size(k, op, &in[(*n_in)++]));
    return NPU_OK;
}

NPU__FN npu_status npu__nsw_options(npu__nsw_maker *k, const npu__nsw_op *op, int32_t to) {
    npu__operand_words c = npu__words_of(op->row->operands);
    npu__operand_word  slot;
    for (uint32_t i = 0; i < op->n_in; i++) {
        npu__words_next(&c, op->n_in - i, &slot);
        if (slot.kind != 't' && slot.kind != '$') NPU__TRY(npu__nsw_option(k, op, op->in[i], &slot, to));
    }
    if (op->row->special == NPU__NSW_DENSE && k->m->operands[op->out[0]].n_dims > 2) {
        return npu_graph_option_int(k->g, 0, to, "keep_num_dims", 1, k->diag);
    }
    if (op->row->special == NPU__NSW_UNPACK) return npu_graph_option_int(k->g, 0, to, "num", op->n_out, k->diag);
    return NPU_OK;
}

/* Has every operand the scales that its type needs? When it asks what is supported, LiteRT's plugin leaves out those
 * by channel of inputs and outputs, so finishing a model does not take them. */
NPU__FN int npu__nsw_scaled(const npu__nsw_maker *k, const uint32_t *list, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        const npu__nsw_operand *o = &k->m->operands[list[i]];
        if (o->type && o->type->quant >= NPU__NEURON_SYMM_CHANNELS && o->n_channels == 0) return 0;
    }
    return 1;
}

/* Are its numbers of fewer than 8 bits? They lie in bytes, whose whole range kernels would use. */
NPU__FN int npu__nsw_is_narrow(const npu__nsw_operand *o) { return o->type && o->type->bits < 8; }

/* Is the type of operand 0 one of those of the row? */
NPU__FN int npu__nsw_type_ok(const npu__nsw_maker *k, const npu__nsw_op *op) {
    const npu__nsw_operand *o = &k->m->operands[op->in[0]]; /* a tensor: all rows begin with one */
    switch (o->type->element) {
    case NPU_FLOAT32: return strchr(op->row->types, 'f') != NULL;
    case NPU_FLOAT16: return strchr(op->row->types, 'h') != NULL;
    case NPU_INT8: case NPU_UINT8: return strchr(op->row->types, '8') != NULL;
    case NPU_INT16: case NPU_UINT16: return strchr(op->row->types, '6') != NULL;
    case NPU_BOOL: return strchr(op->row->types, 'b') != NULL;
    default: return strchr(op->row->types, 'i') != NULL;
    }
}

NPU__FN npu_status npu__nsw_operator(npu__nsw_maker *k, const npu__nsw_op *op, const int32_t *in, int32_t n_in,
                                     const int32_t *out) {
    double  alpha = 0;
    int32_t to;
    const int32_t special = op->row->special;
    if (special == NPU__NSW_RMS_NORM || special == NPU__NSW_LAYER_NORM) return npu__nsw_norm(k, op, in, out[0]);
    if (npu__nsw_leaky(k, op, &alpha)) {
        NPU__TRY(npu__nsw_add(k, "LEAKY_RELU", in, 1, out, 1, &to));
        return npu_graph_option_float(k->g, 0, to, "alpha", alpha, k->diag);
    }
    NPU__TRY(npu__nsw_add(k, op->row->name, in, n_in, out, (int32_t)op->n_out, &to));
    return npu__nsw_options(k, op, to);
}

NPU__FN npu_status npu__nsw_operation(npu__nsw_maker *k, int32_t number) {
    const npu__nsw_op *op = &k->m->ops[number];
    int32_t           *in, *out, n_in = 0;
    k->op = number;
    if (!op->row) return NPU__NSW_FAIL(k, "the software adapter does not run it");
    if (!npu__nsw_scaled(k, op->in, op->n_in) || !npu__nsw_scaled(k, op->out, op->n_out)) {
        return NPU__NSW_FAIL(k, "scales by channel were not set");
    }
    if (!npu__nsw_type_ok(k, op)) return NPU__NSW_FAIL(k, "its data cannot be of this type");
    for (uint32_t i = 0; i < op->n_out; i++) {
        if (!(op->row->flags & NPU__NSW_MOVES) && npu__nsw_is_narrow(&k->m->operands[op->out[i]])) {
            return NPU__NSW_FAIL(k, "results of 4 or 2 bits are not computed");
        }
    }
    in = (int32_t *)npu__pool_alloc(&k->temp, (size_t)op->n_in + 1, sizeof *in);
    out = (int32_t *)npu__pool_alloc(&k->temp, op->n_out, sizeof *out);
    if (!in || !out) return npu__diag_fail(k->diag, NPU_OUT_OF_MEMORY, "neuron.memory", "no memory for an operation");
    NPU__TRY(npu__nsw_inputs(k, op, in, &n_in));
    for (uint32_t i = 0; i < op->n_out; i++) NPU__TRY(npu__nsw_write(k, op->row, op->out[i], &out[i]));
    NPU__TRY(npu__nsw_operator(k, op, in, n_in, out));
    for (uint32_t i = 0; i < op->n_out; i++) NPU__TRY(npu__nsw_written(k, op->row, op->out[i], out[i]));
    return NPU_OK;
}

/* ---- all of them ---- */

/* For operands that nobody computes with. */
static const npu__nsw_row npu__nsw_any_row = {0, NULL, "", "", "", NPU__NSW_PLAIN, NPU__NSW_HALF};

/* An operand that the graph is given, as a tensor. */
NPU__FN npu_status npu__nsw_input(npu__nsw_maker *k, uint32_t operand, int32_t *given) {
    const npu__nsw_operand *o = &k->m->operands[operand];
    NPU__TRY(npu__nsw_fresh(k, o, -1, given));
    k->tensor[operand] = *given;
    if (!k->relaxed || !npu__nsw_is(o, NPU_FLOAT32)) return NPU_OK;
    NPU__TRY(npu__nsw_fresh(k, o, -1, &k->tensor[operand]));
    return npu__nsw_round(k, o, *given, k->tensor[operand]);
}

NPU__FN npu_status npu__nsw_whole(npu__nsw_maker *k) {
    const npu__nsw_model *m = k->m;
    int32_t              *in = (int32_t *)npu__pool_alloc(&k->temp, m->n_in, sizeof *in);
    int32_t              *out = (int32_t *)npu__pool_alloc(&k->temp, m->n_out, sizeof *out);
    if (!in || !out) return npu__diag_fail(k->diag, NPU_OUT_OF_MEMORY, "neuron.memory", "no memory for inputs and outputs");
    for (uint32_t i = 0; i < m->n_in; i++) NPU__TRY(npu__nsw_input(k, m->in[i], &in[i]));
    for (int32_t i = 0; i < m->n_ops; i++) NPU__TRY(npu__nsw_operation(k, i));
    for (uint32_t i = 0; i < m->n_out; i++) NPU__TRY(npu__nsw_read(k, &npu__nsw_any_row, m->out[i], &out[i]));
    NPU__TRY(npu_graph_inputs(k->g, 0, in, (int32_t)m->n_in, k->diag));
    return npu_graph_outputs(k->g, 0, out, (int32_t)m->n_out, k->diag);
}

/* One operation alone, its operands as inputs and outputs of the graph. */
NPU__FN npu_status npu__nsw_alone(npu__nsw_maker *k, int32_t number) {
    const npu__nsw_op *op = &k->m->ops[number];
    int32_t           *in = (int32_t *)npu__pool_alloc(&k->temp, op->n_in, sizeof *in), n = 0;
    int32_t           *out = (int32_t *)npu__pool_alloc(&k->temp, op->n_out, sizeof *out);
    if (!in || !out) return npu__diag_fail(k->diag, NPU_OUT_OF_MEMORY, "neuron.memory", "no memory for an operation");
    for (uint32_t i = 0; i < op->n_in; i++) {
        const npu__nsw_operand *o = &k->m->operands[op->in[i]];
        if (npu__nsw_is_empty(o)) continue;
        if (o->has == NPU__NSW_UNSET && k->tensor[op->in[i]] < 0) NPU__TRY(npu__nsw_input(k, op->in[i], &in[n++]));
    }
    NPU__TRY(npu__nsw_operation(k, number));
    for (uint32_t i = 0; i < op->n_out; i++) out[i] = k->tensor[op->out[i]];
    NPU__TRY(npu_graph_inputs(k->g, 0, in, n, k->diag));
    return npu_graph_outputs(k->g, 0, out, (int32_t)op->n_out, k->diag);
}

/* All operations, or one (`only` >= 0), as a model. k->tensor is all -1 before and after. */
NPU__FN npu_status npu__nsw_make(npu__nsw_maker *k, int32_t only, npu_model **out) {
    npu_model_desc d;
    npu_status     s;
    *out = NULL;
    memset(&d, 0, sizeof d);
    d.allocator = k->m->allocator;
    npu__pool_init(&k->temp, &k->m->allocator, UINT64_MAX);
    s = npu_graph_create(&k->g, &d, k->diag);
    if (s == NPU_OK) s = npu_graph_subgraph(k->g, k->m->name, NULL, k->diag);
    if (s == NPU_OK) s = only < 0 ? npu__nsw_whole(k) : npu__nsw_alone(k, only);
    if (s == NPU_OK) s = npu_graph_finish(k->g, out, k->diag);
    npu_graph_destroy(k->g);
    npu__pool_free(&k->temp);
    if (only >= 0) {
        const npu__nsw_op *op = &k->m->ops[only];
        for (uint32_t i = 0; i < op->n_in; i++) k->tensor[op->in[i]] = -1;
        for (uint32_t i = 0; i < op->n_out; i++) k->tensor[op->out[i]] = -1;
    }
    return s;
}

/* Room for what a maker notes of every operand. */
NPU__FN int npu__nsw_maker_init(npu__nsw_maker *k, const npu__nsw_model *model, npu__pool *pool, npu_diag *diag) {
    memset(k, 0, sizeof *k);
    k->m = model;
    k->diag = diag;
    k->relaxed = model->relaxed;
    npu__pool_init(pool, &model->allocator, UINT64_MAX);
    k->tensor = (int32_t *)npu__pool_alloc(pool, (size_t)model->n_operands, sizeof *k->tensor);
    for (int32_t i = 0; k->tensor && i < model->n_operands; i++) k->tensor[i] = -1;
    return k->tensor != NULL;
}

NPU__FN int npu__nsw_result(npu_status s) {
    switch (s) {
    case NPU_OK: return NPU__NEURON_NO_ERROR;
    case NPU_OUT_OF_MEMORY: return NPU__NEURON_OUT_OF_MEMORY;
    case NPU_LIMIT: return NPU__NEURON_RESOURCE_EXHAUSTED_PERSISTENT;
    default: return NPU__NEURON_OP_FAILED;
    }
}

NPU__FN int npu__nsw_graph(npu_model **out, const npu__nsw_model *model, npu_diag *diag) {
    npu__nsw_maker k;
    npu__pool      pool;
    int            r = NPU__NEURON_OUT_OF_MEMORY;
    *out = NULL;
    if (npu__nsw_maker_init(&k, model, &pool, diag)) r = npu__nsw_result(npu__nsw_make(&k, -1, out));
    npu__pool_free(&pool);
    return r;
}

#endif
