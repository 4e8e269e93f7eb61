/* Operations with a window, or with data that is NCHW: layouts, padding in numbers, biases, sizes. */
#include "kernel.h"
#include "../ops/util.h"

#if NPU__HAS_NNAPI

/* What the scalars of a window say. */
typedef struct npu__nn_win {
    int64_t pad[4]; /* left, right, top, bottom */
    int64_t stride_w, stride_h, filter_w, filter_h;
    int64_t code;   /* 1 SAME, 2 VALID, 0: padding in numbers */
    int     nchw;
} npu__nn_win;

static const int32_t npu__nn_to_nhwc[4] = {0, 2, 3, 1}, npu__nn_to_nchw[4] = {0, 3, 1, 2};

NPU__FN npu_status npu__nn_look(npu__nn_maker *k, const npu__nn_op *op, npu__nn_win *w) {
    npu__operand_words words = npu__words_of(op->row->operands);
    npu__operand_word  word;
    static const char  sides[] = "LRTB";
    memset(w, 0, sizeof *w);
    w->stride_w = w->stride_h = w->filter_w = w->filter_h = 1;
    for (uint32_t i = 0; i < op->n_in; i++) {
        const char *side;
        int64_t     v;
        npu__words_next(&words, op->n_in - i, &word);
        if (word.kind == 't' || word.kind == 'f' || word.kind == 'x') continue;
        NPU__TRY(npu__nn_int_arg(k, i, &v));
        side = strchr(sides, word.kind);
        if (side) {
            if (v < 0 || v > (1 << 20)) return npu__nn_refuse(k, "padding must be between 0 and 2^20");
            w->pad[side - sides] = v;
        }
        if (word.kind == 'n') w->nchw = v != 0;
        if (word.kind == 'p' && (v < 1 || v > 2)) return npu__nn_refuse(k, "padding must be 1 (SAME) or 2 (VALID)");
        if (word.kind == 'p') w->code = v;
        if (npu__str_is(word.name, "stride_w")) w->stride_w = v;
        if (npu__str_is(word.name, "stride_h")) w->stride_h = v;
        if (npu__str_is(word.name, "filter_width")) w->filter_w = v;
        if (npu__str_is(word.name, "filter_height")) w->filter_h = v;
    }
    if (w->stride_w < 1 || w->stride_h < 1 || w->filter_w < 1 || w->filter_h < 1 || w->stride_w > INT32_MAX ||
        w->stride_h > INT32_MAX || w->filter_w > INT32_MAX || w->filter_h > INT32_MAX) {
        return npu__nn_refuse(k, "strides and filters must be at least 1");
    }
    return NPU_OK;
}

NPU__FN npu__nn_shape npu__nn_permuted(const npu__nn_shape *s, const int32_t *perm) {
    npu__nn_shape out = *s;
    for (int32_t i = 0; s->rank == 4 && i < 4; i++) out.dims[i] = s->dims[perm[i]];
    return out;
}

/* Data as NHWC: the shape, and (where the model has NCHW) a transposed tensor in the place of *tensor. */
NPU__FN npu_status npu__nn_data(npu__nn_maker *k, uint32_t i, const npu__nn_win *w, npu__nn_shape *shape, int32_t *tensor) {
    int32_t t;
    *shape = npu__nn_shape_of(npu__nn_arg(k, i));
    NPU__TRY(npu__nn_read(k, i, &t));
    if (!w->nchw) {
        *tensor = t;
        return NPU_OK;
    }
    if (shape->rank != 4) return npu__nn_refuse(k, "NCHW data must have four dimensions");
    *shape = npu__nn_permuted(shape, npu__nn_to_nhwc);
    NPU__TRY(npu__nn_like(k, npu__nn_arg(k, i), shape, tensor));
    return npu__nn_transpose(k, t, npu__nn_to_nhwc, 4, *tensor);
}

/* The tensor that an operator writes as NHWC in the place of output 0; npu__nn_give follows behind it. */
NPU__FN npu_status npu__nn_take(npu__nn_maker *k, const npu__nn_win *w, int32_t *tensor) {
    const npu__nn_operand *o = &k->m->operands[k->op->out[0]];
    npu__nn_shape          shape = npu__nn_shape_of(o);
    if (!w->nchw) return npu__nn_write(k, 0, tensor);
    shape = npu__nn_permuted(&shape, npu__nn_to_nhwc);
    return npu__nn_like(k, o, &shape, tensor);
}

NPU__FN npu_status npu__nn_give(npu__nn_maker *k, const npu__nn_win *w, int32_t tensor) {
    int32_t out;
    if (!w->nchw) return NPU_OK;
    NPU__TRY(npu__nn_write(k, 0, &out));
    return npu__nn_transpose(k, tensor, npu__nn_to_nchw, 4, out);
}

/* ---- padding in numbers ---- */

/* Is the padding of one direction what SAME gives? */
NPU__FN int npu__nn_is_same(int64_t in, int64_t filter, int64_t stride, int64_t before, int64_t after) {
    const int64_t out = (in + stride - 1) / stride, all = NPU__MAX((out - 1) * stride + filter - in, 0); /* bounded: int32 */
    return in > 0 && before == all / 2 && after == all - all / 2;
}

/* The least value of a type: what MAX_POOL never takes. */
NPU__FN npu_status npu__nn_least(npu__nn_maker *k, const npu__nn_operand *o, int32_t *out) {
    npu_tensor_desc     d;
    npu__nn_shape       none;
    const float         least = -3.402823466e+38f;
    const int8_t        bytes[2] = {-128, 0};
    memset(&none, 0, sizeof none);
    npu__nn_describe(&d, o, &none);
    d.data = d.type == NPU_FLOAT32 ? (const void *)&least : d.type == NPU_UINT8 ? &bytes[1] : &bytes[0];
    d.bytes = (size_t)npu_type_bits(d.type) / 8;
    if (d.type != NPU_FLOAT32 && d.type != NPU_UINT8 && d.type != NPU_INT8) return npu__nn_refuse(k, "its data cannot be padded");
    return npu_graph_tensor(k->g, k->subgraph, &d, out, k->diag);
}

/* Padded data in the place of *tensor: zeros, or (MAX_POOL) the least value. */
NPU__FN npu_status npu__nn_pad(npu__nn_maker *k, const npu__nn_win *w, npu__nn_shape *shape, int32_t *tensor) {
    static const npu__nn_shape pairs = {2, {4, 2, 0, 0, 0, 0, 0, 0}};
    const npu__nn_operand     *o = npu__nn_arg(k, 0);
    int32_t                    amounts[8], in[3], to;
    if (shape->rank != 4) return npu__nn_refuse(k, "its data must have four dimensions");
    for (int i = 0; i < 8; i++) amounts[i] = 0;
    for (int i = 0; i < 2; i++) {
        amounts[2 + i] = (int32_t)w->pad[2 + i];
        amounts[4 + i] = (int32_t)w->pad[i];
    }
    for (int i = 1; i < 3; i++) {
        if (shape->dims[i] >= 0) shape->dims[i] += amounts[2 * i] + amounts[2 * i + 1]; /* bounded: 2^28 and twice 2^20 */
    }
    in[0] = *tensor;
    NPU__TRY(npu__nn_constant(k, NPU_INT32, &pairs, amounts, sizeof amounts, &in[1]));
    NPU__TRY(npu__nn_like(k, o, shape, &to));
    *tensor = to;
    if (k->op->code != NPU__NN_OP_MAX_POOL_2D) return npu__nn_add(k, "PAD", in, 2, &to, 1, NULL);
    NPU__TRY(npu__nn_least(k, o, &in[2]));
    return npu__nn_add(k, "PADV2", in, 3, &to, 1, NULL);
}

NPU__FN int npu__nn_averages(const npu__nn_maker *k) {
    return k->op->code == NPU__NN_OP_AVERAGE_POOL_2D || k->op->code == NPU__NN_OP_L2_POOL_2D;
}

/* An average counts what is in the data only: TFLite's operators do that for the padding that SAME gives, and for no other. */
NPU__FN int npu__nn_is_odd(const npu__nn_maker *k, const npu__nn_win *w) {
    npu__nn_shape s = npu__nn_shape_of(npu__nn_arg(k, 0));
    if (!npu__nn_averages(k) || w->code != 0 || (w->pad[0] | w->pad[1] | w->pad[2] | w->pad[3]) == 0) return 0;
    if (w->nchw) s = npu__nn_permuted(&s, npu__nn_to_nhwc);
    return s.rank != 4 || !npu__nn_is_same(s.dims[1], w->filter_h, w->stride_h, w->pad[2], w->pad[3]) ||
           !npu__nn_is_same(s.dims[2], w->filter_w, w->stride_w, w->pad[0], w->pad[1]);
}

NPU__FN npu_status npu__nn_odd_pool(npu__nn_maker *k, const npu__nn_op *op, const npu__nn_win *w) {
    static const char *const sides[4] = {"left", "right", "top", "bottom"};
    npu__nn_scalars          s;
    int32_t                  in, out;
    NPU__TRY(npu__nn_scalars_of(k, op, &s));
    for (int i = 0; i < 4; i++) npu__nn_scalar_int(&s, sides[i], w->pad[i]);
    npu__nn_scalar_int(&s, "nchw", w->nchw);
    npu__nn_scalar_int(&s, "squares", op->code == NPU__NN_OP_L2_POOL_2D);
    NPU__TRY(npu__nn_read(k, 0, &in));
    NPU__TRY(npu__nn_write(k, 0, &out));
    return npu__nn_add_private(k, "nnapi.pool", &in, 1, &out, 1, &s);
}

/* What the operator is told: SAME (0) or VALID (1), after padding the data where it is neither. */
NPU__FN npu_status npu__nn_padding(npu__nn_maker *k, npu__nn_win *w, npu__nn_shape *shape, int32_t *tensor, int64_t *padding) {
    *padding = w->code == 1 ? 0 : 1;
    if (w->code != 0 || (w->pad[0] | w->pad[1] | w->pad[2] | w->pad[3]) == 0) return NPU_OK;
    if (!npu__nn_averages(k)) return npu__nn_pad(k, w, shape, tensor);
    *padding = 0; /* SAME: npu__nn_is_odd */
    return NPU_OK;
}

/* ---- biases ---- */

/* A bias by channel says no scale: it is that of input times weights. TFLite's sums of int16 are 64 bits wide where the bias
 * is; NNAPI has none of that type. */
NPU__FN npu_status npu__nn_bias(npu__nn_maker *k, uint32_t i, int32_t *out) {
    const npu__nn_operand *x = npu__nn_arg(k, 0), *w = npu__nn_arg(k, 1), *o = npu__nn_arg(k, i);
    const npu__nn_shape    shape = npu__nn_shape_of(o);
    npu_tensor_desc        d;
    float                 *scales;
    if (o->type->element != NPU_INT32 || w->n_channels == 0 || o->has != NPU__NN_VALUE || o->n_dims != 1 ||
        o->dims[0] != w->n_channels || !(x->scale > 0.0f)) return npu__nn_read(k, i, out);
    scales = (float *)npu__pool_alloc(k->temp, w->n_channels, sizeof *scales);
    if (!scales) return npu__diag_fail(k->diag, NPU_OUT_OF_MEMORY, "nnapi.memory", "no memory for the scales of a bias");
    for (uint32_t c = 0; c < w->n_channels; c++) scales[c] = x->scale * w->scales[c];
    npu__nn_describe(&d, o, &shape);
    d.quant.count = (int32_t)w->n_channels;
    d.quant.axis = 0;
    d.quant.scale = scales;
    d.quant.zero_point = NULL;
    d.data = o->value;
    d.bytes = o->bytes;
    d.lend = 1;
    return npu_graph_tensor(k->g, k->subgraph, &d, out, k->diag);
}

/* ---- the operations ---- */

NPU__FN int npu__nn_has_bias(int32_t code) {
    return code == NPU__NN_OP_CONV_2D || code == NPU__NN_OP_DEPTHWISE_CONV_2D || code == NPU__NN_OP_GROUPED_CONV_2D ||
           code == NPU__NN_OP_FULLY_CONNECTED;
}

NPU__FN npu_status npu__nn_make_window(npu__nn_maker *k, const npu__nn_op *op) {
    npu__nn_win   w;
    npu__nn_shape shape;
    const int     shifted = npu__nn_has_bias(op->code) && npu__nn_is_shifted(k);
    int32_t       in[4], n_in, out, result, to;
    int64_t       padding;
    NPU__TRY(npu__nn_look(k, op, &w));
    if (npu__nn_is_odd(k, &w)) return npu__nn_odd_pool(k, op, &w);
    NPU__TRY(npu__nn_inputs(k, op, in, &n_in));
    NPU__TRY(npu__nn_data(k, 0, &w, &shape, &in[0]));
    if (npu__nn_has_bias(op->code)) NPU__TRY(npu__nn_bias(k, 2, &in[2]));
    NPU__TRY(npu__nn_padding(k, &w, &shape, &in[0], &padding));
    NPU__TRY(npu__nn_take(k, &w, &out));
    result = out;
    if (shifted) {
        for (uint32_t i = 0; i < 2; i++) NPU__TRY(npu__nn_shift(k, i, &in[i]));
        NPU__TRY(npu__nn_other_sign(k, &k->m->operands[op->out[0]], op->code == NPU__NN_OP_FULLY_CONNECTED ? 2 : 4, &result));
    }
    NPU__TRY(npu__nn_add(k, op->row->name, in, n_in, &result, 1, &to));
    NPU__TRY(npu__nn_options(k, op, to));
    if (strstr(op->row->operands, "stride_w")) NPU__TRY(npu__nn_option(k, to, "padding", padding));
    if (shifted) NPU__TRY(npu__nn_step(k, "QUANTIZE", result, -1, out, NULL));
    return npu__nn_give(k, &w, out);
}

/* The size that a dimension of TRANSPOSE_CONV_2D has with VALID padding, before it is cut; -1: not known. */
NPU__FN int32_t npu__nn_spread(int32_t in, int64_t stride, int32_t filter) {
    const int64_t n = ((int64_t)in - 1) * stride + filter;
    return in < 1 || stride > (1 << 20) || filter < 1 || n > (1 << 28) ? -1 : (int32_t)n;
}

/* Padding in numbers cuts what VALID would give. */
NPU__FN npu_status npu__nn_cut(npu__nn_maker *k, const npu__nn_win *w, const npu__nn_shape *full, int32_t from, int32_t to) {
    int32_t begin[4] = {0, 0, 0, 0}, size[4], in[3];
    begin[1] = (int32_t)w->pad[2];
    begin[2] = (int32_t)w->pad[0];
    size[0] = size[3] = -1;
    size[1] = full->dims[1] - (int32_t)(w->pad[2] + w->pad[3]); /* bounded: twice 2^20 */
    size[2] = full->dims[2] - (int32_t)(w->pad[0] + w->pad[1]);
    if (size[1] < 1 || size[2] < 1) return npu__nn_refuse(k, "its padding leaves nothing");
    in[0] = from;
    NPU__TRY(npu__nn_ints(k, begin, 4, &in[1]));
    NPU__TRY(npu__nn_ints(k, size, 4, &in[2]));
    return npu__nn_add(k, "SLICE", in, 3, &to, 1, NULL);
}

/* TFLite's operator wants the output's shape; with padding in numbers that is the one before cutting. */
NPU__FN npu_status npu__nn_make_transpose_conv(npu__nn_maker *k, const npu__nn_op *op) {
    const npu__nn_operand *filter = npu__nn_arg(k, 1);
    npu__nn_win            w;
    npu__nn_shape          shape, full;
    int32_t                in[4], n_in, out, result, last, to;
    NPU__TRY(npu__nn_look(k, op, &w));
    NPU__TRY(npu__nn_inputs(k, op, in, &n_in));
    NPU__TRY(npu__nn_data(k, 0, &w, &shape, &in[2]));
    NPU__TRY(npu__nn_bias(k, 2, &in[3]));
    NPU__TRY(npu__nn_take(k, &w, &out));
    result = out;
    if (w.code == 0) {
        if (shape.rank != 4 || filter->n_dims != 4 || shape.dims[0] < 0) return npu__nn_refuse(k, "its shapes must be known");
        full = shape;
        full.dims[1] = npu__nn_spread(shape.dims[1], w.stride_h, (int32_t)filter->dims[1]);
        full.dims[2] = npu__nn_spread(shape.dims[2], w.stride_w, (int32_t)filter->dims[2]);
        full.dims[3] = (int32_t)filter->dims[0];
        if (full.dims[1] < 0 || full.dims[2] < 0 || full.dims[3] < 1) return npu__nn_refuse(k, "its shapes must be known");
        NPU__TRY(npu__nn_ints(k, full.dims, 4, &in[0]));
        NPU__TRY(npu__nn_like(k, &k->m->operands[op->out[0]], &full, &result));
    } /* otherwise the shape it was told, which is that of NHWC whatever the layout: so Android's tests have it */
    last = result;
    if (npu__nn_is_shifted(k)) {
        NPU__TRY(npu__nn_shift(k, 0, &in[2]));
        NPU__TRY(npu__nn_shift(k, 1, &in[1]));
        NPU__TRY(npu__nn_other_sign(k, &k->m->operands[op->out[0]], 4, &last));
    }
    NPU__TRY(npu__nn_add(k, op->row->name, in, 4, &last, 1, &to));
    NPU__TRY(npu__nn_options(k, op, to));
    NPU__TRY(npu__nn_option(k, to, "padding", w.code == 1 ? 0 : 1));
    if (last != result) NPU__TRY(npu__nn_step(k, "QUANTIZE", last, -1, result, NULL));
    if (result != out) NPU__TRY(npu__nn_cut(k, &w, &full, result, out));
    return npu__nn_give(k, &w, out);
}

/* Width and height as integers, or as factors of those of the input. */
NPU__FN npu_status npu__nn_make_resize(npu__nn_maker *k, const npu__nn_op *op) {
    npu__nn_win   w;
    npu__nn_shape shape;
    int32_t       in[2], size[2], out, to;
    NPU__TRY(npu__nn_look(k, op, &w));
    NPU__TRY(npu__nn_data(k, 0, &w, &shape, &in[0]));
    for (uint32_t i = 0; i < 2; i++) { /* operand 1 is the width, 2 the height */
        int64_t v;
        double  f;
        if (npu__nn_arg(k, 1)->type->code == NPU__NN_INT32) {
            NPU__TRY(npu__nn_int_arg(k, 2 - i, &v));
        } else {
            NPU__TRY(npu__nn_float_arg(k, 2 - i, &f));
            if (shape.rank != 4 || shape.dims[1 + i] < 0) return npu__nn_refuse(k, "the size of its data must be known");
            f = (double)((float)shape.dims[1 + i] * (float)f); /* to floor, in float */
            v = f >= 1.0 && f <= 1.0e8 ? (int64_t)f : -1;
        }
        if (v < 1 || v > INT32_MAX) return npu__nn_refuse(k, "the new size must be at least 1");
        size[i] = (int32_t)v;
    }
    NPU__TRY(npu__nn_ints(k, size, 2, &in[1]));
    NPU__TRY(npu__nn_take(k, &w, &out));
    NPU__TRY(npu__nn_add(k, op->row->name, in, 2, &out, 1, &to));
    NPU__TRY(npu__nn_options(k, op, to));
    return npu__nn_give(k, &w, out);
}

#endif
