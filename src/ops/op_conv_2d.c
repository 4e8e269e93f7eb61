/* CONV_2D: input, filter [out_c, k_h, k_w, in_c / groups], optional bias. */
#include "conv_util.h"

static const npu__conv_io npu__conv_2d_io = {0, 1, 2};

NPU__FN npu_status npu__conv_2d_geom(npu__ctx *c, npu__conv_geom *g) {
    const npu__val *in = c->in[0], *w = c->in[1];
    npu__window     win = npu__window_of(c);
    memset(g, 0, sizeof *g);
    NPU__TRY(npu__need_rank(c, in, "the input", 4, 4));
    NPU__TRY(npu__need_rank(c, w, "the filter", 4, 4));
    NPU__TRY(npu__window_check(c, &win));
    g->batches = in->shape.dims[0];
    g->in_h = in->shape.dims[1];
    g->in_w = in->shape.dims[2];
    g->in_c = in->shape.dims[3];
    g->out_c = w->shape.dims[0];
    g->k_c = w->shape.dims[3];
    NPU__TRY(npu__window_sizes(c, &win, g));
    if (g->in_c % g->k_c != 0 || g->out_c % (g->in_c / g->k_c) != 0) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "conv_2d.channels", "input channels (%d) must be a multiple of filter "
                         "channels (%d), and output channels (%d) of the number of groups", g->in_c, g->k_c,
                         g->out_c);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__conv_2d_infer(npu__ctx *c) {
    npu__conv_geom g;
    npu__shape     s;
    NPU__TRY(npu__conv_2d_geom(c, &g));
    s = npu__shape_make(4, g.batches, g.out_h, g.out_w, g.out_c);
    return npu__set_shape(c, 0, &s);
}

/* TFLite quantizes the input of a hybrid convolution symmetrically, unless its weight scales really differ or it is
 * grouped. */
NPU__FN int npu__conv_2d_hybrid_asymmetric(const npu__conv_geom *g, const npu_quant *q) {
    /* Grouped convolutions take another path in TFLite. */
    if (g->in_c != g->k_c) return 1;
    return !npu__quant_one_scale(q);
}

NPU__FN npu_status npu__conv_2d_symmetric(npu__ctx *c, const npu_quant *q) {
    int64_t done = 0;
    for (int32_t i = 0; i < q->count; i++) {
        NPU__POLL_PASS(c, done, 1);
        if (q->zero_point[i] == 0) continue;
        return NPU__FAIL(c, NPU_UNSUPPORTED, "conv_2d.filter_zero_point", "zero points of an int8 or int4 filter "
                         "must be 0: got %d", q->zero_point[i]);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__conv_2d_prepare(npu__ctx *c) {
    npu__conv_data *d = (npu__conv_data *)c->data;
    const npu__val *w = c->in[1];
    NPU__TRY(npu__conv_2d_geom(c, &d->g));
    NPU__TRY(npu__conv_prepare(c, npu__conv_2d_io, NPU__OPTIONS(c->node, Conv2DOptions)->quantized_bias_type, d));
    if (d->kind == NPU__CONV_HYBRID) d->asymmetric = npu__conv_2d_hybrid_asymmetric(&d->g, &w->t->quant);
    if (d->kind == NPU__CONV_I8 || d->kind == NPU__CONV_I16) NPU__TRY(npu__conv_2d_symmetric(c, &w->t->quant));
    return npu__conv_fast_prepare(c, d, 0);
}

NPU__FN npu_status npu__conv_2d_pack(npu__ctx *c) {
    NPU__TRY(npu__conv_pack(c, npu__conv_2d_io));
    npu__conv_fast_pack(c, (const npu__conv_data *)c->data);
    return NPU_OK;
}

NPU__FN npu_status npu__conv_2d_eval(npu__ctx *c) {
    const npu__conv_data *d = (const npu__conv_data *)c->data;
    if (d->fast.kind != NPU__FAST_NONE) return npu__conv_fast_eval(c, d);
    return npu__conv_eval_ref(c, npu__conv_2d_io, npu__ref_conv_2d_accs());
}

NPU__FN npu__work npu__conv_2d_count(const npu__ctx *c) {
    return npu__work_macs(c, npu__sat_mul(npu__elems(c->out[0]), npu__dims_product(&c->in[1]->shape, 1, 4)));
}

NPU__OPDEF(npu__op_conv_2d) = {2, 3, 1, 1, 4, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__conv_data),
                                           npu__conv_2d_infer,
                                           npu__conv_2d_prepare, npu__conv_2d_pack, npu__conv_2d_eval,
                                           npu__conv_2d_count};
