/* Checks, quantization parameters and evaluation that the convolutions share. */
#include "conv_util.h"

NPU__FN npu_status npu__window_check(npu__ctx *c, const npu__window *w) {
    if (w->padding != 0 && w->padding != 1) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "window.padding", "padding must be SAME (0) or VALID (1): got %d",
                         w->padding);
    }
    if (w->stride_h < 1 || w->stride_w < 1) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "window.stride", "strides must be positive: got %d x %d", w->stride_h,
                         w->stride_w);
    }
    if (w->dil_h < 1 || w->dil_w < 1) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "window.dilation", "dilations must be positive: got %d x %d", w->dil_h,
                         w->dil_w);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__window_sizes(npu__ctx *c, const npu__window *w, npu__conv_geom *g) {
    const npu__padding *border = npu__ctx_border(c);
    /* A larger stride steps out of any image just as well, but out of int32 too. */
    g->stride_h = NPU__MIN(w->stride_h, INT32_MAX / 2);
    g->stride_w = NPU__MIN(w->stride_w, INT32_MAX / 2);
    g->dil_h = w->dil_h;
    g->dil_w = w->dil_w;
    g->k_h = w->k_h;
    g->k_w = w->k_w;
    if (g->in_h < 1 || g->in_w < 1 || g->in_c < 1 || g->k_h < 1 || g->k_w < 1 || g->k_c < 1 || g->out_c < 1) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "window.empty", "image and filter must not be empty: image "
                         "%d x %d x %d, filter %d x %d x %d", g->in_h, g->in_w, g->in_c, g->k_h, g->k_w, g->k_c);
    }
    if (border) { /* the sizes were inferred with it */
        g->in_h += border->top + border->bottom;
        g->in_w += border->left + border->right;
    }
    if (g->in_h > INT32_MAX / 2 || g->in_w > INT32_MAX / 2) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "window.image", "the image is too large: %d x %d", g->in_h, g->in_w);
    }
    if (((int64_t)g->k_h - 1) * w->dil_h > INT32_MAX / 2 || ((int64_t)g->k_w - 1) * w->dil_w > INT32_MAX / 2) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "window.dilation", "the dilated filter is too large: filter %d x %d, "
                         "dilation %d x %d", g->k_h, g->k_w, w->dil_h, w->dil_w);
    }
    g->out_h = npu__window_out(w->padding, g->in_h, g->k_h, w->stride_h, w->dil_h);
    g->out_w = npu__window_out(w->padding, g->in_w, g->k_w, w->stride_w, w->dil_w);
    if (g->out_h < 0 || g->out_w < 0) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "window.size", "the filter (%d x %d) does not fit into the image "
                         "(%d x %d): pad it or use SAME", g->k_h, g->k_w, g->in_h, g->in_w);
    }
    g->pad_h = npu__window_pad(g->in_h, g->k_h, w->stride_h, w->dil_h, g->out_h, NULL);
    g->pad_w = npu__window_pad(g->in_w, g->k_w, w->stride_w, w->dil_w, g->out_w, NULL);
    if (border) {
        g->in_h -= border->top + border->bottom;
        g->in_w -= border->left + border->right;
        g->pad_h += border->top;
        g->pad_w += border->left;
    }
    return NPU_OK;
}

typedef struct npu__quantize_work {
    npu__minmax_fn   minmax;
    npu__quantize_fn quantize;
    const float     *x;
    int64_t          n;
    int              asymmetric;
    int8_t          *q;
    float           *scale;
    int32_t         *zp;
} npu__quantize_work;

NPU__FN void npu__quantize_range(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__quantize_work *w = (const npu__quantize_work *)arg;
    (void)thread;
    npu__quantize_rows_by(w->minmax, w->quantize, w->x + begin * w->n, end - begin, w->n, w->asymmetric, w->q + begin * w->n,
                          w->scale + begin, w->zp + begin);
}

#define NPU__QUANTIZE_GRAIN 16384 /* elements that are worth a thread */
NPU__FN npu_status npu__quantize_input(npu__ctx *c, npu__minmax_fn minmax, npu__quantize_fn quantize, const float *x,
                                       int64_t rows, int64_t n, int asymmetric, int8_t *q, float *scale, int32_t *zp) {
    const int64_t      some = NPU__POLL_STEPS / NPU__MAX(n, (int64_t)1) + 1;
    npu__quantize_work w;
    w.minmax = minmax;
    w.quantize = quantize;
    w.n = n;
    w.asymmetric = asymmetric;
    for (int64_t r = 0; r < rows; r += some) {
        const int64_t k = NPU__MIN(rows - r, some);
        w.x = x + r * n;
        w.q = q + r * n;
        w.scale = scale + r;
        w.zp = zp + r;
        npu__parallel(c, k, NPU__QUANTIZE_GRAIN / NPU__MAX(n, (int64_t)1) + 1, npu__quantize_range, &w);
        NPU__POLL(c, 2 * k * n);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__need_dense(npu__ctx *c, const npu__val *w) {
    if (!w->t->sparsity) return NPU_OK;
    return NPU__FAIL(c, NPU_UNSUPPORTED, "conv.sparse_weights", "sparse weights are only supported behind DENSIFY");
}

NPU__FN npu_status npu__need_bias(npu__ctx *c, const npu__val *bias, int32_t type, int32_t n) {
    if (!bias) return NPU_OK;
    NPU__TRY(npu__need_type(c, bias, "the bias", type));
    if (npu__elems(bias) == n && !bias->t->sparsity) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "conv.bias_size", "the bias must have %d elements: got %l", n,
                     npu__elems(bias));
}

NPU__FN npu_status npu__need_weight_scales(npu__ctx *c, const npu__val *w, int32_t n, int check_axis) {
    const npu_quant *q = &w->t->quant;
    int64_t          done = 0;
    if (q->count < 1) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "conv.weight_quant", "the weights need quantization parameters");
    }
    NPU__TRY(npu__need_channel_quant(c, w, "the weights", n));
    if (q->count > 1 && check_axis && (q->axis < 0 || q->axis >= w->shape.rank || w->shape.dims[q->axis] != n)) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "conv.weight_scales", "the scales of the weights must lie along the %d "
                         "output channels: got axis %d", n, q->axis);
    }
    for (int32_t i = 0; i < q->count; i++) {
        NPU__POLL_PASS(c, done, 1);
        if (q->scale[i] >= 0.0f && q->scale[i] < 3.0e38f) continue;
        return NPU__FAIL(c, NPU_INVALID_MODEL, "conv.weight_scale", "weight scale %d must be finite and not "
                         "negative: got %g", i, (double)q->scale[i]);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__need_bias_scale(npu__ctx *c, const npu__val *in, const npu__val *w, const npu__val *bias,
                                        const npu__val *out) {
    double product, scale, difference;
    if (!bias) return NPU_OK;
    product = (double)npu__scale(in) * (double)npu__scale(w);
    scale = bias->t->quant.count == 1 ? (double)npu__scale(bias) : 0.0;
    /* TFLite's GetQuantizedConvolutionMultipler: at most 0.02 of an output step may be lost in the bias. */
    difference = fabs(product - scale) / (double)npu__scale(out);
    if (difference <= 0.02) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "conv.bias_scale", "the scale of the bias must be that of the input times "
                     "that of the weights (%g): got %g", product, scale);
}

/* In double from the first product on: int8 and int16 (PopulateConvolutionQuantizationParams). */
NPU__FN npu__qmul npu__conv_qmul(const npu__val *in, float w_scale, const npu__val *out) {
    return npu__qmul_of((double)npu__scale(in) * (double)w_scale / (double)npu__scale(out));
}

/* ---- weights of 2 and 4 bits ---- */

NPU__FN npu_status npu__weights_prepare(npu__ctx *c, int32_t input, npu__weights *w) {
    const npu__val *v = c->in[input];
    size_t          n = (size_t)npu__elems(v);
    w->bits = npu_type_bits((npu_type)v->type);
    w->slot = -1;
    w->packed = 0;
    if (w->bits != 2 && w->bits != 4) return NPU_OK;
    /* Constants are unpacked once, at the session's start; other weights before each run. */
    w->packed = npu__can_pack(c, input);
    w->slot = w->packed ? npu__want_packed(c, n) : npu__want_scratch(c, n);
    return w->slot < 0 ? NPU_LIMIT : NPU_OK;
}

NPU__FN void npu__weights_fill(npu__ctx *c, int32_t input, const npu__weights *w) {
    const npu__val *v = c->in[input];
    int8_t         *to;
    if (w->slot < 0) return;
    to = (int8_t *)npu__slot(c, w->slot);
    if (w->bits == 4) npu__unpack_int4((const uint8_t *)v->data, npu__elems(v), to);
    else npu__unpack_int2((const uint8_t *)v->data, npu__elems(v), to);
}

NPU__FN const void *npu__weights_data(const npu__ctx *c, int32_t input, const npu__weights *w) {
    return w->slot < 0 ? c->in[input]->data : npu__slot(c, w->slot);
}

/* ---- prepare ---- */

/* The kind of convolution these types make, -1: none. */
NPU__FN int32_t npu__conv_kind(int32_t in, int32_t w, int32_t out) {
    if (in != out) return -1;
    if (in == NPU_FLOAT32 && w == NPU_FLOAT32) return NPU__CONV_F32;
    /* uint8 here is how early converters stored int8. */
    if (in == NPU_FLOAT32 && (w == NPU_INT8 || w == NPU_INT4 || w == NPU_UINT8)) return NPU__CONV_HYBRID;
    if (in == NPU_UINT8 && w == NPU_UINT8) return NPU__CONV_U8;
    if (in == NPU_INT8 && (w == NPU_INT8 || w == NPU_INT4)) return NPU__CONV_I8;
    if (in == NPU_INT16 && (w == NPU_INT8 || w == NPU_INT4)) return NPU__CONV_I16;
    return -1;
}

/* Per-channel multipliers are kept when the plan is fixed, and else computed for each run. */
NPU__FN npu_status npu__conv_want_multipliers(npu__ctx *c, int32_t w_input, npu__conv_data *d) {
    size_t bytes = (size_t)d->g.out_c * sizeof(npu__qmul);
    d->mul_packed = npu__can_pack(c, w_input);
    d->mul_slot = d->mul_packed ? npu__want_packed(c, bytes) : npu__want_scratch(c, bytes);
    return d->mul_slot < 0 ? NPU_LIMIT : NPU_OK;
}

NPU__FN npu_status npu__conv_prepare_int(npu__ctx *c, npu__conv_io io, int32_t activation, int32_t bias_type,
                                         npu__conv_data *d) {
    const npu__val *in = c->in[io.in], *w = c->in[io.w], *bias = npu__opt_in(c, io.bias), *out = c->out[0];
    if (bias) bias_type = bias->type;
    d->acc64 = d->kind == NPU__CONV_I16 && bias_type != NPU_INT32;
    NPU__TRY(npu__need_quant(c, in, "the input"));
    NPU__TRY(npu__need_quant(c, out, "the output"));
    NPU__TRY(npu__need_weight_scales(c, w, d->g.out_c, 1));
    if (d->kind == NPU__CONV_U8) {
        NPU__TRY(npu__need_quant(c, w, "the filter"));
        NPU__TRY(npu__need_bias_scale(c, in, w, bias, out));
        if (w->t->quant.count != 1) return npu__fail_types(c);
        d->w_zp = npu__zero_point(w);
    }
    if (d->kind == NPU__CONV_I16 && (npu__zero_point(in) != 0 || npu__zero_point(out) != 0)) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "conv.zero_point_int16", "int16 tensors must have zero point 0");
    }
    NPU__TRY(npu__need_bias(c, bias, d->acc64 ? NPU_INT64 : NPU_INT32, d->g.out_c));
    NPU__TRY(npu__act_range_q(c, activation, out, &d->q_lo, &d->q_hi));
    d->in_zp = npu__zero_point(in);
    d->out_zp = npu__zero_point(out);
    /* uint8 models multiply the two scales in float, as TFLite has always done for them. */
    if (d->kind == NPU__CONV_U8) {
        d->mul = npu__qmul_of((double)(npu__scale(in) * npu__scale(w)) / (double)npu__scale(out));
    } else {
        d->mul = npu__conv_qmul(in, npu__scale(w), out);
    }
    return w->t->quant.count > 1 ? npu__conv_want_multipliers(c, io.w, d) : NPU_OK;
}

NPU__FN npu_status npu__conv_prepare_hybrid(npu__ctx *c, npu__conv_io io, npu__conv_data *d) {
    const npu__val *in = c->in[io.in];
    const size_t    batches = (size_t)d->g.batches;
    NPU__TRY(npu__need_weight_scales(c, c->in[io.w], d->g.out_c, 0));
    /* One scale and zero point for each image; CONV_2D takes none in some cases (op_conv_2d.c). */
    d->asymmetric = 1;
    d->in_slot = npu__want_scratch(c, (size_t)npu__elems(in));
    d->scale_slot = npu__want_scratch(c, batches * sizeof(float));
    d->zp_slot = npu__want_scratch(c, batches * sizeof(int32_t));
    return d->in_slot < 0 || d->scale_slot < 0 || d->zp_slot < 0 ? NPU_LIMIT : NPU_OK;
}

NPU__FN npu_status npu__conv_prepare(npu__ctx *c, npu__conv_io io, int32_t bias_type, npu__conv_data *d) {
    const int32_t   activation = npu__fused_activation(c->node);
    const npu__val *in = c->in[io.in], *w = c->in[io.w], *bias = npu__opt_in(c, io.bias);
    d->kind = npu__conv_kind(in->type, w->type, c->out[0]->type);
    d->mul_slot = -1;
    if (d->kind < 0) return npu__fail_types(c);
    NPU__TRY(npu__need_dense(c, w));
    NPU__TRY(npu__weights_prepare(c, io.w, &d->w));
    if (d->kind != NPU__CONV_F32 && d->kind != NPU__CONV_HYBRID) {
        return npu__conv_prepare_int(c, io, activation, bias_type, d);
    }
    NPU__TRY(npu__need_bias(c, bias, NPU_FLOAT32, d->g.out_c));
    NPU__TRY(npu__act_range_f32(c, activation, &d->lo, &d->hi));
    return d->kind == NPU__CONV_F32 ? NPU_OK : npu__conv_prepare_hybrid(c, io, d);
}

/* ---- pack and eval ---- */

NPU__FN void npu__conv_fill_multipliers(npu__ctx *c, npu__conv_io io, const npu__conv_data *d) {
    npu__qmul *mul;
    if (d->mul_slot < 0) return;
    mul = (npu__qmul *)npu__slot(c, d->mul_slot);
    for (int32_t i = 0; i < d->g.out_c; i++) {
        mul[i] = npu__conv_qmul(c->in[io.in], c->in[io.w]->t->quant.scale[i], c->out[0]);
    }
}

NPU__FN npu_status npu__conv_pack(npu__ctx *c, npu__conv_io io) {
    const npu__conv_data *d = (const npu__conv_data *)c->data;
    if (d->mul_packed) npu__conv_fill_multipliers(c, io, d);
    if (d->w.packed) npu__weights_fill(c, io.w, &d->w);
    return NPU_OK;
}

NPU__FN void npu__conv_late(npu__ctx *c, npu__conv_io io, const npu__conv_data *d) {
    if (!d->mul_packed) npu__conv_fill_multipliers(c, io, d);
    if (!d->w.packed) npu__weights_fill(c, io.w, &d->w);
}

/* What the threads of a reference convolution share. */
typedef struct npu__conv_ref_work {
    const npu__conv_data *d;
    const npu__conv_accs *accs;
    const void           *in, *w, *bias;
    void                 *out;
    npu__ref_out          q;
    npu__conv_hybrid      h;
} npu__conv_ref_work;

NPU__FN void npu__conv_ref_i16(const npu__conv_ref_work *k, int64_t begin, int64_t end) {
    const npu__conv_geom *g = &k->d->g;
    if (k->d->acc64) {
        npu__ref_conv_i16(g, k->accs->i16, &k->q, (const int16_t *)k->in, (const int8_t *)k->w, (const int64_t *)k->bias,
                          (int16_t *)k->out, begin, end);
    } else {
        npu__ref_conv_i16_b32(g, k->accs->i16, &k->q, (const int16_t *)k->in, (const int8_t *)k->w,
                              (const int32_t *)k->bias, (int16_t *)k->out, begin, end);
    }
}

NPU__FN void npu__conv_ref_range(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__conv_ref_work *k = (const npu__conv_ref_work *)arg;
    const npu__conv_data     *d = k->d;
    (void)thread;
    switch (d->kind) {
    case NPU__CONV_F32:
        npu__ref_conv_f32(&d->g, k->accs->f32, (const float *)k->in, (const float *)k->w, (const float *)k->bias, d->lo,
                          d->hi, (float *)k->out, begin, end);
        break;
    case NPU__CONV_U8:
        npu__ref_conv_u8(&d->g, k->accs->u8, &k->q, (const uint8_t *)k->in, d->in_zp, (const uint8_t *)k->w, d->w_zp,
                         (const int32_t *)k->bias, (uint8_t *)k->out, begin, end);
        break;
    case NPU__CONV_I8:
        npu__ref_conv_i8(&d->g, k->accs->i8, &k->q, (const int8_t *)k->in, d->in_zp, (const int8_t *)k->w,
                         (const int32_t *)k->bias, (int8_t *)k->out, begin, end);
        break;
    case NPU__CONV_I16: npu__conv_ref_i16(k, begin, end); break;
    default:
        npu__ref_conv_hybrid(&d->g, k->accs->i8, &k->h, (const int8_t *)k->in, (const int8_t *)k->w,
                             (const float *)k->bias, (float *)k->out, begin, end);
        break;
    }
}

/* Quantizes the input, which the kernel then reads in its place. */
NPU__FN npu_status npu__conv_ref_hybrid(npu__ctx *c, npu__conv_io io, npu__conv_ref_work *k) {
    const npu__conv_data *d = k->d;
    const npu_quant      *q = &c->in[io.w]->t->quant;
    int8_t               *in = (int8_t *)npu__slot(c, d->in_slot);
    float                *scale = (float *)npu__slot(c, d->scale_slot);
    int32_t              *zp = (int32_t *)npu__slot(c, d->zp_slot);
    NPU__TRY(npu__quantize_input(c, npu__minmax_f32, npu__quantize_f32, (const float *)k->in, d->g.batches,
                                 npu__elems(c->in[io.in]) / d->g.batches, d->asymmetric, in, scale, zp));
    k->in = in;
    k->h.batch_scale = scale;
    k->h.batch_zp = zp;
    k->h.w_scale = q->scale;
    k->h.w_step = q->count > 1;
    k->h.lo = d->lo;
    k->h.hi = d->hi;
    return NPU_OK;
}

NPU__FN npu_status npu__conv_eval_ref(npu__ctx *c, npu__conv_io io, const npu__conv_accs *accs) {
    const npu__conv_data *d = (const npu__conv_data *)c->data;
    const npu__conv_geom *g = &d->g;
    const npu__val       *bias = npu__opt_in(c, io.bias);
    const int64_t         pixel_macs = npu__sat_mul((int64_t)g->out_c * g->k_c, (int64_t)g->k_h * g->k_w);
    npu__conv_ref_work    k;
    if (c->out[0]->bytes == 0) return NPU_OK;
    npu__conv_late(c, io, d);
    memset(&k, 0, sizeof k);
    k.d = d;
    k.accs = accs;
    k.in = c->in[io.in]->data;
    k.w = npu__weights_data(c, io.w, &d->w);
    k.bias = bias ? bias->data : NULL;
    k.out = c->out[0]->data;
    /* A step of 0 reads the one multiplier again for every channel. */
    k.q.mul = d->mul_slot < 0 ? &d->mul : (const npu__qmul *)npu__slot(c, d->mul_slot);
    k.q.mul_step = d->mul_slot >= 0;
    k.q.zp = d->out_zp;
    k.q.lo = d->q_lo;
    k.q.hi = d->q_hi;
    if (d->kind == NPU__CONV_HYBRID) NPU__TRY(npu__conv_ref_hybrid(c, io, &k));
    npu__parallel(c, (int64_t)g->batches * g->out_h * g->out_w, 100000 / NPU__MAX(pixel_macs, (int64_t)1) + 1,
                  npu__conv_ref_range, &k);
    return NPU_OK;
}
