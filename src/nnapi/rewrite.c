/* Operations that are another operator, or several. */
#include "operations.h"
#include "../ops/util.h"

#if NPU__HAS_NNAPI

/* ---- the operator's inputs or options are not the operation's ---- */

/* Float16 is float32 inside of the graph already. */
NPU__FN npu_status npu__nn_make_dequantize(npu__nn_maker *k, const npu__nn_op *op) {
    int32_t in, out;
    if (npu__nn_arg(k, 0)->type->element != NPU_FLOAT16) return npu__nn_plain(k, op);
    NPU__TRY(npu__nn_read(k, 0, &in));
    NPU__TRY(npu__nn_write(k, 0, &out));
    return npu__nn_step(k, "CAST", in, -1, out, NULL);
}

/* Without crops: TFLite's operator has some. */
NPU__FN npu_status npu__nn_make_block(npu__nn_maker *k, const npu__nn_op *op) {
    static const int32_t to_nhwc[4] = {0, 2, 3, 1}, to_nchw[4] = {0, 3, 1, 2}, crops[4] = {0, 0, 0, 0};
    static const npu__nn_shape pairs = {2, {2, 2, 0, 0, 0, 0, 0, 0}};
    int64_t              nchw = 0;
    int32_t              in[3], out, result;
    if (npu__nn_has(k, 2)) NPU__TRY(npu__nn_int_arg(k, 2, &nchw));
    for (uint32_t i = 0; i < 2; i++) NPU__TRY(npu__nn_read(k, i, &in[i]));
    NPU__TRY(npu__nn_constant(k, NPU_INT32, &pairs, crops, sizeof crops, &in[2]));
    NPU__TRY(npu__nn_write(k, 0, &out));
    result = out;
    if (nchw) {
        npu__nn_shape open = {4, {-1, -1, -1, -1, 0, 0, 0, 0}};
        int32_t       data;
        NPU__TRY(npu__nn_like(k, npu__nn_arg(k, 0), &open, &data));
        NPU__TRY(npu__nn_transpose(k, in[0], to_nhwc, 4, data));
        in[0] = data;
        NPU__TRY(npu__nn_like(k, &k->m->operands[op->out[0]], &open, &result));
    }
    NPU__TRY(npu__nn_add(k, op->row->name, in, 3, &result, 1, NULL));
    return nchw ? npu__nn_transpose(k, result, to_nchw, 4, out) : NPU_OK;
}

NPU__FN npu_status npu__nn_make_squeeze(npu__nn_maker *k, const npu__nn_op *op) {
    int64_t dims[NPU_MAX_RANK];
    int32_t in, out, to, n = 0;
    if (npu__nn_has(k, 1)) {
        const npu__nn_operand *o = npu__nn_arg(k, 1);
        int32_t                list[NPU_MAX_RANK];
        if (o->has != NPU__NN_VALUE || o->type->element != NPU_INT32 || o->bytes > sizeof list) {
            return npu__nn_refuse(k, "the dimensions to squeeze must be known");
        }
        memcpy(list, o->value, o->bytes);
        n = (int32_t)(o->bytes / sizeof *list);
        for (int32_t i = 0; i < n; i++) dims[i] = list[i];
    }
    NPU__TRY(npu__nn_read(k, 0, &in));
    NPU__TRY(npu__nn_write(k, 0, &out));
    NPU__TRY(npu__nn_step(k, op->row->name, in, -1, out, &to));
    return n > 0 ? npu_graph_option_ints(k->g, k->subgraph, to, "squeeze_dims", dims, n, k->diag) : NPU_OK;
}

/* Without a permutation, the other way round. */
NPU__FN npu_status npu__nn_make_reverse_dims(npu__nn_maker *k, const npu__nn_op *op) {
    const npu__nn_operand *o = npu__nn_arg(k, 0);
    int32_t                perm[NPU_MAX_RANK], in, out;
    if (npu__nn_has(k, 1)) {
        int32_t order;
        NPU__TRY(npu__nn_read(k, 0, &in));
        NPU__TRY(npu__nn_read(k, 1, &order));
        NPU__TRY(npu__nn_write(k, 0, &out));
        return npu__nn_step(k, op->row->name, in, order, out, NULL);
    }
    if (o->n_dims == 0) return npu__nn_refuse(k, "the rank of its data must be known");
    for (uint32_t i = 0; i < o->n_dims; i++) perm[i] = (int32_t)(o->n_dims - 1 - i);
    NPU__TRY(npu__nn_read(k, 0, &in));
    NPU__TRY(npu__nn_write(k, 0, &out));
    return npu__nn_transpose(k, in, perm, (int32_t)o->n_dims, out);
}

/* ARGMAX, ARGMIN: the type of indices is said. */
NPU__FN npu_status npu__nn_make_index(npu__nn_maker *k, const npu__nn_op *op) {
    int32_t in[2], out, to;
    for (uint32_t i = 0; i < 2; i++) NPU__TRY(npu__nn_read(k, i, &in[i]));
    NPU__TRY(npu__nn_write(k, 0, &out));
    NPU__TRY(npu__nn_step(k, op->row->name, in[0], in[1], out, &to));
    return npu__nn_option(k, to, "output_type", NPU_INT32);
}

NPU__FN npu_status npu__nn_make_pack(npu__nn_maker *k, const npu__nn_op *op) {
    int32_t *in = npu__nn_list(k, op->n_in), out, to;
    int64_t  axis;
    if (!in) return NPU_OUT_OF_MEMORY;
    NPU__TRY(npu__nn_int_arg(k, 0, &axis));
    for (uint32_t i = 1; i < op->n_in; i++) NPU__TRY(npu__nn_read(k, i, &in[i - 1]));
    NPU__TRY(npu__nn_write(k, 0, &out));
    NPU__TRY(npu__nn_add(k, op->row->name, in, (int32_t)op->n_in - 1, &out, 1, &to));
    NPU__TRY(npu__nn_option(k, to, "axis", axis));
    return npu__nn_option(k, to, "values_count", (int64_t)op->n_in - 1);
}

/* ---- along an axis: TFLite's operators know the last one only ---- */

/* Which operand is the axis: the one that may be left out. */
NPU__FN uint32_t npu__nn_axis_operand(int32_t code) {
    return code == NPU__NN_OP_L2_NORMALIZATION ? 1 : 2;
}

NPU__FN npu_status npu__nn_axis(npu__nn_maker *k, const npu__nn_op *op, int32_t *axis, int32_t *last) {
    const npu__nn_operand *o = npu__nn_arg(k, 0);
    const uint32_t         at = npu__nn_axis_operand(op->code);
    int64_t                v = -1;
    *last = *axis = (int32_t)o->n_dims - 1;
    if (!npu__nn_has(k, at)) return NPU_OK;
    NPU__TRY(npu__nn_int_arg(k, at, &v));
    if (v == -1) return NPU_OK;
    if (o->n_dims == 0) return npu__nn_refuse(k, "the rank of its data must be known");
    if (v < -(int64_t)o->n_dims || v >= (int64_t)o->n_dims) return npu__nn_refuse(k, "its data has no such axis");
    *axis = (int32_t)(v < 0 ? v + (int64_t)o->n_dims : v);
    return NPU_OK;
}

/* A factor before LOG_SOFTMAX, which TFLite's has not. */
NPU__FN npu_status npu__nn_beta(npu__nn_maker *k, const npu__nn_op *op, const npu__nn_shape *shape, int32_t *tensor) {
    int32_t factor, to;
    double  beta;
    if (op->code != NPU__NN_OP_LOG_SOFTMAX) return NPU_OK;
    NPU__TRY(npu__nn_float_arg(k, 1, &beta));
    if (beta == 1.0) return NPU_OK;
    if (npu__nn_arg(k, 0)->scale > 0.0f) return npu__nn_refuse(k, "beta of quantized data must be 1");
    NPU__TRY(npu__nn_number(k, (float)beta, &factor));
    NPU__TRY(npu__nn_real(k, shape, &to));
    NPU__TRY(npu__nn_step(k, "MUL", *tensor, factor, to, NULL));
    *tensor = to;
    return NPU_OK;
}

NPU__FN npu_status npu__nn_make_along_axis(npu__nn_maker *k, const npu__nn_op *op) {
    const npu__nn_operand *x = npu__nn_arg(k, 0), *y = &k->m->operands[op->out[0]];
    npu__nn_shape          shape = npu__nn_shape_of(x);
    int32_t                perm[NPU_MAX_RANK], axis, last, in, out, from, result, to;
    NPU__TRY(npu__nn_axis(k, op, &axis, &last));
    NPU__TRY(npu__nn_read(k, 0, &in));
    NPU__TRY(npu__nn_beta(k, op, &shape, &in));
    NPU__TRY(npu__nn_write(k, 0, &out));
    from = in;
    result = out;
    for (int32_t i = 0; i < shape.rank; i++) perm[i] = i;
    if (axis != last) { /* the axis and the last one change places */
        perm[axis] = last;
        perm[last] = axis;
        for (int32_t i = 0; i < shape.rank; i++) shape.dims[i] = npu__nn_shape_of(x).dims[perm[i]];
        NPU__TRY(npu__nn_like(k, x, &shape, &from));
        NPU__TRY(npu__nn_transpose(k, in, perm, shape.rank, from));
        NPU__TRY(npu__nn_like(k, y, &shape, &result));
    }
    NPU__TRY(npu__nn_step(k, op->row->name, from, -1, result, &to));
    NPU__TRY(npu__nn_options(k, op, to));
    return axis != last ? npu__nn_transpose(k, result, perm, shape.rank, out) : NPU_OK;
}

/* ---- several operators ---- */

/* TFLite's ELU has alpha 1. Otherwise RELU(x) + alpha ELU(min(x, 0)). */
NPU__FN npu_status npu__nn_make_elu(npu__nn_maker *k, const npu__nn_op *op) {
    const npu__nn_shape shape = npu__nn_shape_of(npu__nn_arg(k, 0));
    int32_t             x, out, zero, factor, t[4];
    double              alpha;
    NPU__TRY(npu__nn_float_arg(k, 1, &alpha));
    NPU__TRY(npu__nn_read(k, 0, &x));
    NPU__TRY(npu__nn_write(k, 0, &out));
    if (alpha == 1.0) return npu__nn_step(k, op->row->name, x, -1, out, NULL);
    if (npu__nn_arg(k, 0)->scale > 0.0f) return npu__nn_refuse(k, "alpha of quantized data must be 1");
    NPU__TRY(npu__nn_number(k, 0.0f, &zero));
    NPU__TRY(npu__nn_number(k, (float)alpha, &factor));
    for (int i = 0; i < 4; i++) NPU__TRY(npu__nn_real(k, &shape, &t[i]));
    NPU__TRY(npu__nn_step(k, "MINIMUM", x, zero, t[0], NULL));
    NPU__TRY(npu__nn_step(k, "ELU", t[0], -1, t[1], NULL));
    NPU__TRY(npu__nn_step(k, "MUL", t[1], factor, t[2], NULL));
    NPU__TRY(npu__nn_step(k, "RELU", x, -1, t[3], NULL));
    return npu__nn_step(k, "ADD", t[2], t[3], out, NULL);
}

/* Channels as groups times the rest, which change places. */
NPU__FN npu_status npu__nn_make_shuffle(npu__nn_maker *k, const npu__nn_op *op) {
    const npu__nn_operand *o = npu__nn_arg(k, 0);
    npu__nn_shape          apart, swapped;
    int32_t                perm[NPU_MAX_RANK], to_shape, x, out, split, moved;
    int64_t                groups, axis;
    (void)op;
    NPU__TRY(npu__nn_int_arg(k, 1, &groups));
    NPU__TRY(npu__nn_int_arg(k, 2, &axis));
    if (!npu__nn_shape_known(o) || o->n_dims >= NPU_MAX_RANK) return npu__nn_refuse(k, "the shape of its data must be known");
    if (axis < 0) axis += (int64_t)o->n_dims;
    if (axis < 0 || axis >= (int64_t)o->n_dims || groups < 1 || (int64_t)o->dims[axis] % groups != 0) {
        return npu__nn_refuse(k, "its axis must be there, and a multiple of the groups");
    }
    memset(&apart, 0, sizeof apart);
    apart.rank = (int32_t)o->n_dims + 1;
    for (int32_t i = 0; i < apart.rank; i++) {
        apart.dims[i] = i <= (int32_t)axis ? (int32_t)o->dims[i] : (int32_t)o->dims[i - 1];
        perm[i] = i;
    }
    apart.dims[axis] = (int32_t)groups;
    apart.dims[axis + 1] = (int32_t)(o->dims[axis] / groups);
    swapped = apart;
    swapped.dims[axis] = apart.dims[axis + 1];
    swapped.dims[axis + 1] = apart.dims[axis];
    perm[axis] = (int32_t)axis + 1;
    perm[axis + 1] = (int32_t)axis;
    NPU__TRY(npu__nn_read(k, 0, &x));
    NPU__TRY(npu__nn_write(k, 0, &out));
    NPU__TRY(npu__nn_like(k, o, &apart, &split));
    NPU__TRY(npu__nn_like(k, o, &swapped, &moved));
    NPU__TRY(npu__nn_ints(k, apart.dims, apart.rank, &to_shape));
    NPU__TRY(npu__nn_step(k, "RESHAPE", x, to_shape, split, NULL));
    NPU__TRY(npu__nn_transpose(k, split, perm, apart.rank, moved));
    apart = npu__nn_shape_of(o);
    NPU__TRY(npu__nn_ints(k, apart.dims, apart.rank, &to_shape));
    return npu__nn_step(k, "RESHAPE", moved, to_shape, out, NULL);
}

NPU__FN npu_status npu__nn_mean(npu__nn_maker *k, int32_t x, int32_t axes, int32_t to) {
    int32_t op;
    NPU__TRY(npu__nn_step(k, "MEAN", x, axes, to, &op));
    return npu__nn_option(k, op, "keep_dims", 1);
}

/* gamma (x - mean) / sqrt(variance + epsilon) + beta, over height and width. */
NPU__FN npu_status npu__nn_make_instance_norm(npu__nn_maker *k, const npu__nn_op *op) {
    const npu__nn_shape shape = npu__nn_shape_of(npu__nn_arg(k, 0));
    npu__nn_shape       means = shape;
    int32_t             axes[2], over, x, out, number[3], t[8];
    int64_t             nchw;
    double              v;
    (void)op;
    NPU__TRY(npu__nn_int_arg(k, 4, &nchw));
    if (shape.rank != 4) return npu__nn_refuse(k, "its data must have four dimensions");
    for (int i = 0; i < 2; i++) {
        axes[i] = nchw ? 2 + i : 1 + i;
        means.dims[axes[i]] = 1;
    }
    for (uint32_t i = 0; i < 3; i++) { /* gamma, beta, epsilon */
        NPU__TRY(npu__nn_float_arg(k, 1 + i, &v));
        NPU__TRY(npu__nn_number(k, (float)v, &number[i]));
    }
    NPU__TRY(npu__nn_ints(k, axes, 2, &over));
    NPU__TRY(npu__nn_read(k, 0, &x));
    NPU__TRY(npu__nn_write(k, 0, &out));
    for (int i = 0; i < 8; i++) NPU__TRY(npu__nn_real(k, i == 0 || (i >= 3 && i <= 5) ? &means : &shape, &t[i]));
    NPU__TRY(npu__nn_mean(k, x, over, t[0]));
    NPU__TRY(npu__nn_step(k, "SUB", x, t[0], t[1], NULL));
    NPU__TRY(npu__nn_step(k, "MUL", t[1], t[1], t[2], NULL));
    NPU__TRY(npu__nn_mean(k, t[2], over, t[3]));
    NPU__TRY(npu__nn_step(k, "ADD", t[3], number[2], t[4], NULL));
    NPU__TRY(npu__nn_step(k, "SQRT", t[4], -1, t[5], NULL));
    NPU__TRY(npu__nn_step(k, "DIV", t[1], t[5], t[6], NULL));
    NPU__TRY(npu__nn_step(k, "MUL", t[6], number[0], t[7], NULL));
    return npu__nn_step(k, "ADD", t[7], number[1], out, NULL);
}

/* activation(input W + state R + bias), as output and as state. */
NPU__FN npu_status npu__nn_make_rnn(npu__nn_maker *k, const npu__nn_op *op) {
    static const char *const acts[] = {NULL, "RELU", "RELU_N1_TO_1", "RELU6", "TANH", NULL, "LOGISTIC"};
    const npu__nn_shape      shape = npu__nn_shape_of(npu__nn_arg(k, 4));
    int32_t                  in[5], t[2], part[3], out;
    int64_t                  act;
    NPU__TRY(npu__nn_int_arg(k, 5, &act));
    if (act < 0 || act > 6 || act == 5) return npu__nn_refuse(k, "its activation must be none, RELU, RELU1, RELU6, TANH (4) or LOGISTIC (6)");
    if (op->n_out != 2) return npu__nn_refuse(k, "it has two outputs");
    for (uint32_t i = 0; i < 5; i++) NPU__TRY(npu__nn_read(k, i, &in[i]));
    NPU__TRY(npu__nn_real(k, &shape, &t[0]));
    NPU__TRY(npu__nn_real(k, &shape, &t[1]));
    NPU__TRY(npu__nn_add(k, "FULLY_CONNECTED", in, 2, &t[0], 1, NULL));
    part[0] = in[4];
    part[1] = in[2];
    part[2] = in[3];
    NPU__TRY(npu__nn_add(k, "FULLY_CONNECTED", part, 3, &t[1], 1, NULL));
    for (uint32_t i = 0; i < 2; i++) {
        int32_t sum;
        NPU__TRY(npu__nn_write(k, i, &out));
        if (!acts[act]) {
            NPU__TRY(npu__nn_step(k, "ADD", t[0], t[1], out, NULL));
            continue;
        }
        NPU__TRY(npu__nn_real(k, &shape, &sum));
        NPU__TRY(npu__nn_step(k, "ADD", t[0], t[1], sum, NULL));
        NPU__TRY(npu__nn_step(k, acts[act], sum, -1, out, NULL));
    }
    return NPU_OK;
}

/* ---- models in models ---- */

NPU__FN npu_status npu__nn_called(npu__nn_maker *k, uint32_t i, uint32_t n_in, uint32_t n_out, uint32_t outputs, int32_t *subgraph) {
    const npu__nn_operand      *o = npu__nn_arg(k, i);
    const ANeuralNetworksModel *m = (const ANeuralNetworksModel *)o->value;
    if (o->has != NPU__NN_VALUE) return npu__nn_refuse(k, "it needs models");
    if (m->n_in != n_in || m->n_out != n_out) return npu__nn_refuse(k, "its models do not have its inputs and outputs");
    return npu__nn_subgraph(k, m, outputs, subgraph);
}

NPU__FN npu_status npu__nn_make_if(npu__nn_maker *k, const npu__nn_op *op) {
    int32_t *in = npu__nn_list(k, op->n_in), *out = npu__nn_list(k, op->n_out), to, branch[2];
    if (!in || !out) return NPU_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < 2; i++) NPU__TRY(npu__nn_called(k, 1 + i, op->n_in - 3, op->n_out, op->n_out, &branch[i]));
    NPU__TRY(npu__nn_read(k, 0, &in[0]));
    for (uint32_t i = 3; i < op->n_in; i++) NPU__TRY(npu__nn_read(k, i, &in[i - 2]));
    for (uint32_t i = 0; i < op->n_out; i++) NPU__TRY(npu__nn_write(k, i, &out[i]));
    NPU__TRY(npu__nn_add(k, op->row->name, in, (int32_t)op->n_in - 2, out, (int32_t)op->n_out, &to));
    NPU__TRY(npu__nn_option(k, to, "then_subgraph_index", branch[0]));
    return npu__nn_option(k, to, "else_subgraph_index", branch[1]);
}

/* TFLite's WHILE gives all that its body is given. NNAPI's body gives what changes, of which the first ones are the operation's
 * outputs; the last inputs never change. */
NPU__FN npu_status npu__nn_make_while(npu__nn_maker *k, const npu__nn_op *op) {
    const uint32_t         n = op->n_in - 2;
    const npu__nn_operand *body = npu__nn_arg(k, 1);
    int32_t               *in = npu__nn_list(k, n), *out = npu__nn_list(k, n), to, called[2];
    uint32_t               changing;
    if (!in || !out) return NPU_OUT_OF_MEMORY;
    if (body->has != NPU__NN_VALUE) return npu__nn_refuse(k, "it needs models");
    changing = ((const ANeuralNetworksModel *)body->value)->n_out;
    if (changing > n || op->n_out > changing) return npu__nn_refuse(k, "its models do not have its inputs and outputs");
    NPU__TRY(npu__nn_called(k, 0, n, 1, 1, &called[0]));
    NPU__TRY(npu__nn_called(k, 1, n, changing, n, &called[1]));
    for (uint32_t i = 0; i < n; i++) {
        const npu__nn_shape shape = npu__nn_shape_of(npu__nn_arg(k, 2 + i));
        NPU__TRY(npu__nn_read(k, 2 + i, &in[i]));
        if (i < op->n_out) NPU__TRY(npu__nn_write(k, i, &out[i]));
        else NPU__TRY(npu__nn_like(k, npu__nn_arg(k, 2 + i), &shape, &out[i]));
    }
    NPU__TRY(npu__nn_add(k, op->row->name, in, (int32_t)n, out, (int32_t)n, &to));
    NPU__TRY(npu__nn_option(k, to, "cond_subgraph_index", called[0]));
    return npu__nn_option(k, to, "body_subgraph_index", called[1]);
}

#endif
