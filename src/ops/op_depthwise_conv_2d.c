/* DEPTHWISE_CONV_2D: input, filter [1, k_h, k_w, out_c], optional bias. The depth multiplier is out_c / in_c; the
 * option of that name only repeats it. */
#include "conv_util.h"

static const npu__conv_io npu__depthwise_io = {0, 1, 2};

NPU__FN npu_status npu__depthwise_geom(npu__ctx *c, npu__conv_geom *g) {
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
    g->k_c = 1;
    g->out_c = w->shape.dims[3];
    NPU__TRY(npu__window_sizes(c, &win, g));
    if (w->shape.dims[0] != 1 || g->out_c % g->in_c != 0) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "depthwise_conv_2d.channels", "the filter must be [1, h, w, channels] "
                         "with a multiple of the %d input channels: got [%d, %d, %d, %d]", g->in_c, w->shape.dims[0],
                         g->k_h, g->k_w, g->out_c);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__depthwise_infer(npu__ctx *c) {
    npu__conv_geom g;
    npu__shape     s;
    NPU__TRY(npu__depthwise_geom(c, &g));
    s = npu__shape_make(4, g.batches, g.out_h, g.out_w, g.out_c);
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__depthwise_prepare(npu__ctx *c) {
    npu__conv_data *d = (npu__conv_data *)c->data;
    NPU__TRY(npu__depthwise_geom(c, &d->g));
    NPU__TRY(npu__conv_prepare(c, npu__depthwise_io, NPU_INT64, d));
    return npu__conv_fast_prepare(c, d, 1);
}

NPU__FN npu_status npu__depthwise_pack(npu__ctx *c) {
    NPU__TRY(npu__conv_pack(c, npu__depthwise_io));
    npu__conv_fast_pack(c, (const npu__conv_data *)c->data);
    return NPU_OK;
}

NPU__FN npu_status npu__depthwise_eval(npu__ctx *c) {
    const npu__conv_data *d = (const npu__conv_data *)c->data;
    if (d->fast.kind != NPU__FAST_NONE) return npu__conv_fast_eval(c, d);
    return npu__conv_eval_ref(c, npu__depthwise_io, npu__ref_depthwise_accs());
}

NPU__FN npu__work npu__depthwise_count(const npu__ctx *c) {
    return npu__work_macs(c, npu__sat_mul(npu__elems(c->out[0]), npu__dims_product(&c->in[1]->shape, 1, 3)));
}

NPU__OPDEF(npu__op_depthwise_conv_2d) = {2, 3, 1, 1, 4, NPU__OP_NAMES_KERNEL,
                                                     NPU__DATA(npu__conv_data), npu__depthwise_infer,
                                                     npu__depthwise_prepare, npu__depthwise_pack,
                                                     npu__depthwise_eval, npu__depthwise_count};
