/* Operations whose operands may have scales, zero points or types that the operator does not take: quantized or cast before it. */
#include "operations.h"
#include "../ops/util.h"

#if NPU__HAS_NNAPI

/* Operands of 8 bits with the output's scale and zero point. */
NPU__FN npu_status npu__nn_make_same_scale(npu__nn_maker *k, const npu__nn_op *op) {
    const npu__nn_operand *y = &k->m->operands[op->out[0]];
    int32_t               *in = npu__nn_list(k, op->n_in), n_in, out, to;
    if (!in) return NPU_OUT_OF_MEMORY;
    NPU__TRY(npu__nn_inputs(k, op, in, &n_in));
    for (int32_t i = 0; i < n_in; i++) { /* tensors come first in each of these operations */
        const npu__nn_operand *o = npu__nn_arg(k, (uint32_t)i);
        const npu__nn_shape    shape = npu__nn_shape_of(o);
        const int32_t          element = y->type->element;
        if (o->type != y->type || (element != NPU_UINT8 && element != NPU_INT8)) continue;
        if (o->scale == y->scale && o->zero_point == y->zero_point) continue;
        NPU__TRY(npu__nn_like(k, y, &shape, &to));
        NPU__TRY(npu__nn_step(k, "QUANTIZE", in[i], -1, to, NULL));
        in[i] = to;
    }
    NPU__TRY(npu__nn_write(k, 0, &out));
    NPU__TRY(npu__nn_add(k, op->row->name, in, n_in, &out, 1, &to));
    return npu__nn_options(k, op, to);
}

/* The value is a scalar of int32 where data are of 8 bits: one of the data's. */
NPU__FN npu_status npu__nn_make_pad_value(npu__nn_maker *k, const npu__nn_op *op) {
    const npu__nn_operand *x = npu__nn_arg(k, 0);
    const npu__nn_shape    scalar = {0, {0, 0, 0, 0, 0, 0, 0, 0}};
    npu_tensor_desc        d;
    int32_t                in[3], out;
    int64_t                v;
    uint8_t                byte;
    if ((x->type->element != NPU_UINT8 && x->type->element != NPU_INT8) || npu__nn_arg(k, 2)->type->code != NPU__NN_INT32) {
        return npu__nn_plain(k, op);
    }
    NPU__TRY(npu__nn_int_arg(k, 2, &v));
    if (v < x->type->zp_min || v > x->type->zp_max) return npu__nn_refuse(k, "the value to pad with must be one of its type");
    byte = (uint8_t)(v & 255);
    for (uint32_t i = 0; i < 2; i++) NPU__TRY(npu__nn_read(k, i, &in[i]));
    npu__nn_describe(&d, x, &scalar);
    d.data = &byte;
    d.bytes = 1;
    NPU__TRY(npu_graph_tensor(k->g, k->subgraph, &d, &in[2], k->diag));
    NPU__TRY(npu__nn_write(k, 0, &out));
    return npu__nn_add(k, op->row->name, in, 3, &out, 1, NULL);
}

/* Which of two bools is less: as integers. */
NPU__FN npu_status npu__nn_make_compare(npu__nn_maker *k, const npu__nn_op *op) {
    int32_t in[2], out;
    if (npu__nn_arg(k, 0)->type->element != NPU_BOOL || npu__nn_arg(k, 1)->type->element != NPU_BOOL) return npu__nn_plain(k, op);
    for (uint32_t i = 0; i < 2; i++) {
        const npu__nn_shape shape = npu__nn_shape_of(npu__nn_arg(k, i));
        int32_t             given;
        NPU__TRY(npu__nn_read(k, i, &given));
        NPU__TRY(npu__nn_constant(k, NPU_INT32, &shape, NULL, 0, &in[i]));
        NPU__TRY(npu__nn_step(k, "CAST", given, -1, in[i], NULL));
    }
    NPU__TRY(npu__nn_write(k, 0, &out));
    return npu__nn_step(k, op->row->name, in[0], in[1], out, NULL);
}

/* Integers are divided to the integer below. */
NPU__FN npu_status npu__nn_make_divide(npu__nn_maker *k, const npu__nn_op *op) {
    int32_t in[2], out;
    int64_t act;
    if (npu__nn_arg(k, 0)->type->element != NPU_INT32) return npu__nn_plain(k, op);
    NPU__TRY(npu__nn_int_arg(k, 2, &act));
    if (act != 0) return npu__nn_refuse(k, "a division of integers has no activation");
    for (uint32_t i = 0; i < 2; i++) NPU__TRY(npu__nn_read(k, i, &in[i]));
    NPU__TRY(npu__nn_write(k, 0, &out));
    return npu__nn_step(k, "FLOOR_DIV", in[0], in[1], out, NULL);
}

/* What does not fit into 8 bits becomes their least or greatest number. */
NPU__FN npu_status npu__nn_make_saturate(npu__nn_maker *k, const npu__nn_op *op) {
    const npu__nn_operand *x = npu__nn_arg(k, 0), *y = &k->m->operands[op->out[0]];
    const npu__nn_shape    shape = npu__nn_shape_of(x);
    const int              integer = x->type->element == NPU_INT32;
    int32_t                in, out, end, cut;
    if ((y->type->element != NPU_UINT8 && y->type->element != NPU_INT8) ||
        (!integer && x->type->element != NPU_FLOAT32 && x->type->element != NPU_FLOAT16)) return npu__nn_plain(k, op);
    NPU__TRY(npu__nn_read(k, 0, &in));
    for (int i = 0; i < 2; i++) {
        const int32_t v = i == 0 ? y->type->zp_min : y->type->zp_max;
        if (integer) NPU__TRY(npu__nn_ints(k, &v, 1, &end));
        else NPU__TRY(npu__nn_number(k, (float)v, &end));
        NPU__TRY(npu__nn_constant(k, integer ? NPU_INT32 : NPU_FLOAT32, &shape, NULL, 0, &cut));
        NPU__TRY(npu__nn_step(k, i == 0 ? "MAXIMUM" : "MINIMUM", in, end, cut, NULL));
        in = cut;
    }
    NPU__TRY(npu__nn_write(k, 0, &out));
    return npu__nn_step(k, op->row->name, in, -1, out, NULL);
}

/* ---- data and weights that no operator takes together ---- */

/* Weights of int8 with a zero point: all in uint8, 128 higher. Data of uint8 with scales by channel: these in int8, 128 lower. */
NPU__FN int npu__nn_is_shifted(const npu__nn_maker *k) {
    const npu__nn_operand *x = npu__nn_arg(k, 0), *w = k->op->n_in > 1 ? npu__nn_arg(k, 1) : NULL;
    if (!w) return 0;
    if (x->type->code == NPU__NN_TENSOR_QUANT8_ASYMM) return w->type->quant == NPU__NN_CHANNELS ? -128 : 0;
    return x->type->code == NPU__NN_TENSOR_QUANT8_ASYMM_SIGNED && w->type == x->type && w->zero_point != 0 ? 128 : 0;
}

NPU__FN npu_status npu__nn_other_sign(npu__nn_maker *k, const npu__nn_operand *o, int32_t rank, int32_t *out) {
    npu_tensor_desc d;
    npu__nn_shape   open;
    const int32_t   by = npu__nn_is_shifted(k), zero = o->zero_point + by;
    memset(&open, 0, sizeof open);
    open.rank = rank;
    for (int32_t i = 0; i < rank; i++) open.dims[i] = -1;
    npu__nn_describe(&d, o, &open);
    d.type = by > 0 ? NPU_UINT8 : NPU_INT8;
    d.quant.zero_point = &zero;
    return npu_graph_tensor(k->g, k->subgraph, &d, out, k->diag);
}

NPU__FN npu_status npu__nn_shift(npu__nn_maker *k, uint32_t i, int32_t *tensor) {
    const npu__nn_operand *o = npu__nn_arg(k, i);
    int32_t                to;
    if (o->type->quant == NPU__NN_CHANNELS) return NPU_OK;
    NPU__TRY(npu__nn_other_sign(k, o, (int32_t)o->n_dims, &to));
    NPU__TRY(npu__nn_step(k, "QUANTIZE", *tensor, -1, to, NULL));
    *tensor = to;
    return NPU_OK;
}

#endif
