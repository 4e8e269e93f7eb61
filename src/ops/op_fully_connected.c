/* FULLY_CONNECTED: input [..., depth], weights [units, depth], optional bias. */
#include "../kernels/pointwise.h"
#include "fc_shuffled.h"

NPU__FN npu_status npu__fc_infer(npu__ctx *c) {
    const npu__val *in = c->in[0], *w = c->in[1];
    const int32_t   keep = NPU__OPTIONS(c->node, FullyConnectedOptions)->keep_num_dims;
    npu__shape      s;
    int32_t         depth, last = npu__dim(in, -1);
    int64_t         rows;
    NPU__TRY(npu__need_rank(c, w, "the weights", 2, 2));
    NPU__TRY(npu__need_rank(c, in, "the input", keep ? 1 : 0, NPU_MAX_RANK));
    depth = w->shape.dims[1];
    if (depth != 0 && (npu__elems(in) % depth != 0 || (keep && last != depth))) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "fully_connected.depth", "the input (%l elements, %d in the last "
                         "dimension) does not fit weights of depth %d", npu__elems(in), last, depth);
    }
    /* Without depth there is nothing to divide by: as many rows as the leading dimensions say. */
    rows = depth ? npu__elems(in) / depth : npu__dims_product(&in->shape, 0, in->shape.rank - 1);
    if (rows > INT32_MAX) {
        return NPU__FAIL(c, NPU_LIMIT, "fully_connected.rows", "the input has too many rows: %l", rows);
    }
    s = npu__shape_make(2, (int32_t)rows, w->shape.dims[0], 0, 0);
    if (keep) {
        s = in->shape;
        s.dims[s.rank - 1] = w->shape.dims[0];
    }
    NPU__TRY(npu__set_shape(c, 0, &s));
    return npu__fc_shuffled_infer(c);
}

NPU__FN int32_t npu__fc_kind(const npu__ctx *c) {
    const int32_t in = c->in[0]->type, w = c->in[1]->type, out = c->out[0]->type;
    const int     narrow = w == NPU_INT8 || w == NPU_INT4 || w == NPU_INT2;
    if (in == NPU_FLOAT32 && out == NPU_FLOAT32) {
        if (w == NPU_FLOAT32) return NPU__FC_F32;
        if (narrow && c->in[1]->t->blockwise) return NPU__FC_BLOCKWISE;
        /* uint8 here is how early converters stored int8. */
        return narrow || w == NPU_UINT8 ? NPU__FC_HYBRID : -1;
    }
    if (in == NPU_UINT8 && w == NPU_UINT8 && out == NPU_UINT8) return NPU__FC_U8;
    if (in == NPU_UINT8 && w == NPU_UINT8 && out == NPU_INT16) return NPU__FC_U8_I16;
    if (in == NPU_INT8 && narrow && out == NPU_INT8) return NPU__FC_I8;
    if (in == NPU_INT16 && narrow && out == NPU_INT16) return NPU__FC_I16;
    if (in == NPU_INT16 && w == NPU_INT16 && out == NPU_INT16) return NPU__FC_I16_I16;
    return -1;
}

/* Bias type, and with it the width of the sums. Only int16 activations have the choice. */
NPU__FN npu_status npu__fc_prepare_bias(npu__ctx *c, npu__fc_data *d) {
    const npu__val *bias = npu__opt_in(c, 2);
    int32_t         type = NPU__OPTIONS(c->node, FullyConnectedOptions)->quantized_bias_type;
    if (bias) type = bias->type;
    /* TFLite sums int16 products in 64 bits unless the bias is int32: then in 32, with the 32-bit output stage. */
    d->q.acc64 = d->kind == NPU__FC_I16_I16 || (d->kind == NPU__FC_I16 && type != NPU_INT32);
    d->q.bias64 = d->q.acc64 && type != NPU_INT32;
    return npu__need_bias(c, bias, d->q.bias64 ? NPU_INT64 : NPU_INT32, d->g.units);
}

NPU__FN npu_status npu__fc_prepare_int(npu__ctx *c, npu__fc_data *d) {
    const npu__val *in = c->in[0], *w = c->in[1], *out = c->out[0];
    const npu_quant *wq = &w->t->quant;
    npu__fc_q       *q = &d->q;
    NPU__TRY(npu__need_quant(c, in, "the input"));
    NPU__TRY(npu__need_quant(c, out, "the output"));
    NPU__TRY(npu__need_weight_scales(c, w, d->g.units, 1));
    if (wq->count == 1) {
        NPU__TRY(npu__need_quant(c, w, "the weights"));
        NPU__TRY(npu__need_bias_scale(c, in, w, npu__opt_in(c, 2), out));
    /* One scale for each unit, the weights' first dimension. */
    } else if (wq->axis != 0 || d->kind == NPU__FC_U8 || d->kind == NPU__FC_U8_I16) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "fully_connected.weight_axis", "weights with several scales must be "
                         "signed and have them along axis 0: got axis %d", wq->axis);
    }
    /* int16 is symmetric in TFLite's specification; kernels leave these zero points out. */
    if (in->type == NPU_INT16 && (npu__zero_point(in) != 0 || npu__zero_point(out) != 0)) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "fully_connected.zero_point_int16", "int16 tensors must have zero "
                         "point 0");
    }
    NPU__TRY(npu__fc_prepare_bias(c, d));
    NPU__TRY(npu__act_range_q(c, d->activation, out, &q->lo, &q->hi));
    q->kind = d->kind;
    q->in_zp = npu__zero_point(in);
    q->w_zp = wq->count == 1 ? npu__zero_point(w) : 0;
    q->out_zp = npu__zero_point(out);
    q->in_scale = npu__scale(in);
    q->out_scale = npu__scale(out);
    q->w_scale = wq->scale;
    q->w_step = wq->count > 1;
    return NPU_OK;
}

/* int2 and int4 weights are symmetric. */
NPU__FN npu_status npu__fc_check_narrow(npu__ctx *c, const npu__val *w) {
    int64_t done = 0;
    if (w->type != NPU_INT4 && w->type != NPU_INT2) return NPU_OK;
    for (int32_t i = 0; i < w->t->quant.count; i++) {
        NPU__POLL_PASS(c, done, 1);
        if (w->t->quant.zero_point[i] == 0) continue;
        return NPU__FAIL(c, NPU_UNSUPPORTED, "fully_connected.weight_zero_point", "zero points of int4 and int2 "
                         "weights must be 0: got %d", w->t->quant.zero_point[i]);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__fc_prepare_hybrid(npu__ctx *c, npu__fc_data *d) {
    const size_t rows = (size_t)d->g.rows;
    if (d->activation < NPU__ACT_NONE || d->activation > NPU__ACT_SIGN_BIT) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "op.fused_activation", "fused activation %d does not exist",
                         d->activation);
    }
    NPU__TRY(npu__need_bias(c, npu__opt_in(c, 2), NPU_FLOAT32, d->g.units));
    d->clamps = d->activation != NPU__ACT_TANH && d->activation != NPU__ACT_SIGN_BIT;
    NPU__TRY(npu__act_range_f32(c, d->clamps ? d->activation : NPU__ACT_NONE, &d->lo, &d->hi));
    d->asymmetric = NPU__OPTIONS(c->node, FullyConnectedOptions)->asymmetric_quantize_inputs;
    if (d->kind == NPU__FC_BLOCKWISE) {
        NPU__TRY(npu__need_block_scales(c, c->in[1], d->g.units, d->g.depth, &d->block, &d->block_scales));
        d->asymmetric = 1; /* blockwise kernels of LiteRT quantize their input so, whatever the option says */
    } else {
        NPU__TRY(npu__need_weight_scales(c, c->in[1], d->g.units, 0));
    }
    d->in_slot = npu__want_scratch(c, (size_t)npu__elems(c->in[0]));
    d->scale_slot = npu__want_scratch(c, rows * sizeof(float));
    d->zp_slot = npu__want_scratch(c, rows * sizeof(int32_t));
    return d->in_slot < 0 || d->scale_slot < 0 || d->zp_slot < 0 ? NPU_LIMIT : NPU_OK;
}

NPU__FN void npu__fc_fill(npu__ctx *c, const npu__fc_data *d) {
    if (d->shuffled) npu__fc_shuffled_fill(c, d);
    else npu__weights_fill(c, 1, &d->w);
}

NPU__FN npu_status npu__fc_prepare_all(npu__ctx *c) {
    npu__fc_data   *d = (npu__fc_data *)c->data;
    const npu__val *w = c->in[1];
    d->kind = npu__fc_kind(c);
    if (d->kind < 0) return npu__fail_types(c);
    NPU__TRY(npu__need_dense(c, w));
    NPU__TRY(npu__fc_check_narrow(c, w));
    d->g.units = w->shape.dims[0];
    d->g.depth = w->shape.dims[1];
    d->g.rows = d->g.units ? npu__elems(c->out[0]) / d->g.units : 0;
    d->activation = npu__fused_activation(c->node);
    d->w.slot = -1;
    if (d->kind != NPU__FC_BLOCKWISE || !npu__fc_blocks_i4_fits(c)) NPU__TRY(npu__weights_prepare(c, 1, &d->w));
    NPU__TRY(npu__fc_shuffled_prepare(c, d));
    if (d->kind == NPU__FC_HYBRID || d->kind == NPU__FC_BLOCKWISE) return npu__fc_prepare_hybrid(c, d);
    if (d->kind != NPU__FC_F32) return npu__fc_prepare_int(c, d);
    NPU__TRY(npu__need_bias(c, npu__opt_in(c, 2), NPU_FLOAT32, d->g.units));
    return npu__act_range_f32(c, d->activation, &d->lo, &d->hi);
}

NPU__FN npu_status npu__fc_prepare(npu__ctx *c) {
    NPU__TRY(npu__fc_prepare_all(c));
    return npu__fc_fast_prepare(c, (npu__fc_data *)c->data);
}

NPU__FN npu_status npu__fc_pack(npu__ctx *c) {
    const npu__fc_data *d = (const npu__fc_data *)c->data;
    if (d->w.packed) npu__fc_fill(c, d);
    npu__fc_fast_pack(c, d);
    return NPU_OK;
}

/* What the threads of a reference layer share. */
typedef struct npu__fc_ref_work {
    npu__ctx           *c;
    const npu__fc_data *d;
    const void         *in, *w, *bias;
    const float        *scale; /* hybrid kinds: of the quantized rows */
    const int32_t      *zp;
} npu__fc_ref_work;

/* Outputs [begin, end), row after row. */
NPU__FN void npu__fc_ref_range(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__fc_ref_work *k = (const npu__fc_ref_work *)arg;
    const npu__fc_data     *d = k->d;
    const npu_quant        *q = &k->c->in[1]->t->quant;
    const float            *bias = (const float *)k->bias;
    void                   *out = k->c->out[0]->data;
    (void)thread;
    switch (d->kind) {
    case NPU__FC_F32:
        npu__ref_fc_f32(&d->g, (const float *)k->in, (const float *)k->w, bias, d->lo, d->hi, (float *)out, begin, end);
        break;
    case NPU__FC_HYBRID:
        npu__ref_fc_hybrid(&d->g, (const int8_t *)k->in, k->scale, k->zp, (const int8_t *)k->w, q->scale, q->count > 1,
                           bias, (float *)out, begin, end);
        break;
    case NPU__FC_BLOCKWISE:
        npu__ref_fc_blockwise(&d->g, (const int8_t *)k->in, k->scale, k->zp, (const int8_t *)k->w, d->block_scales,
                              d->block, bias, (float *)out, begin, end);
        break;
    default: npu__ref_fc_int(&d->g, &d->q, k->in, k->w, k->bias, out, begin, end); break;
    }
}

NPU__FN void npu__fc_activate_range(void *arg, int64_t begin, int64_t end, int32_t thread) {
    npu__ctx             *c = (npu__ctx *)arg;
    const npu__fc_data   *d = (const npu__fc_data *)c->data;
    const npu__pointwise *pw = npu__pointwise_select(npu__ctx_isa(c));
    float                *x = (float *)c->out[0]->data;
    (void)thread;
    if (d->clamps && pw) {
        pw->clamp(x + begin, x + begin, end - begin, d->lo, d->hi);
        return;
    }
    switch (d->activation) {
    case NPU__ACT_TANH: for (int64_t i = begin; i < end; i++) x[i] = tanhf(x[i]); break;
    case NPU__ACT_SIGN_BIT: for (int64_t i = begin; i < end; i++) x[i] = npu__f32_bits(x[i]) >> 31 ? 1.0f : 0.0f; break;
    default: for (int64_t i = begin; i < end; i++) x[i] = npu__ref_clampf(x[i], d->lo, d->hi); break;
    }
}

NPU__FN npu_status npu__fc_eval_ref(npu__ctx *c, const npu__fc_data *d, const void *w, const void *bias) {
    npu__fc_ref_work k;
    memset(&k, 0, sizeof k);
    k.c = c;
    k.d = d;
    k.in = c->in[0]->data;
    k.w = w;
    k.bias = bias;
    if (d->kind == NPU__FC_HYBRID || d->kind == NPU__FC_BLOCKWISE) {
        int8_t  *in = (int8_t *)npu__slot(c, d->in_slot);
        float   *scale = (float *)npu__slot(c, d->scale_slot);
        int32_t *zp = (int32_t *)npu__slot(c, d->zp_slot);
        NPU__TRY(npu__quantize_input(c, npu__minmax_f32, npu__quantize_f32, (const float *)k.in, d->g.rows, d->g.depth,
                                     d->asymmetric, in, scale, zp));
        k.in = in;
        k.scale = scale;
        k.zp = zp;
    }
    npu__parallel(c, d->g.rows * d->g.units, 100000 / d->g.depth + 1, npu__fc_ref_range, &k);
    return NPU_OK;
}

NPU__FN npu_status npu__fc_eval(npu__ctx *c) {
    const npu__fc_data *d = (const npu__fc_data *)c->data;
    const npu__val     *bias = npu__opt_in(c, 2);
    const void         *w, *b = bias ? bias->data : NULL;
    if (d->shuffled) npu__fc_shuffled_input(c, d);
    if (c->out[0]->bytes == 0) return NPU_OK;
    if (d->g.depth == 0) { /* TFLite leaves even the bias out */
        memset(c->out[0]->data, 0, c->out[0]->bytes);
        return NPU_OK;
    }
    /* Narrow weights that could not be unpacked at the start (they come from another operator, or the shapes depend on
     * data). */
    if (!d->w.packed) npu__fc_fill(c, d);
    w = npu__weights_data(c, 1, &d->w);
    NPU__TRY(d->fast.kind != NPU__FC_FAST_NONE ? npu__fc_fast_eval(c, d, w, b) : npu__fc_eval_ref(c, d, w, b));
    /* Hybrid kinds clamp afterwards, unless panels do, and take activations that the others refuse. */
    if (d->clamps && d->fast.kind == NPU__FC_FAST_GEMM_I8) return NPU_OK;
    if ((d->kind == NPU__FC_HYBRID || d->kind == NPU__FC_BLOCKWISE) && d->activation != NPU__ACT_NONE) {
        npu__parallel(c, d->g.rows * d->g.units, 4096, npu__fc_activate_range, c);
    }
    return NPU_OK;
}

NPU__FN npu__work npu__fc_count(const npu__ctx *c) {
    return npu__work_macs(c, npu__sat_mul(npu__elems(c->out[0]), npu__dim(c->in[1], 1)));
}

NPU__OPDEF(npu__op_fully_connected) = {2, 3, 1, 2, 4, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__fc_data), npu__fc_infer,
                                                   npu__fc_prepare, npu__fc_pack, npu__fc_eval, npu__fc_count};
