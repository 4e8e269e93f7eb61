/* TRANSPOSE_CONV: output shape, filter [out_c, k_h, k_w, in_c], input, optional bias. */
#include "transpose_conv_fast.h"

static const npu__conv_io npu__transpose_conv_io = {2, 1, 3};

NPU__FN npu_status npu__transpose_conv_shape(npu__ctx *c, npu__shape *s) {
    const npu__val *shape = c->in[0], *in = c->in[2], *w = c->in[1];
    NPU__TRY(npu__need_rank(c, in, "the input", 4, 4));
    NPU__TRY(npu__need_rank(c, w, "the filter", 4, 4));
    NPU__TRY(npu__need_type(c, shape, "the output shape", NPU_INT32));
    if (shape->shape.rank != 1 || shape->shape.dims[0] != 4) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "transpose_conv.shape_size", "the output shape must be a vector of 4 "
                         "numbers");
    }
    if (!shape->data) return NPU__DYNAMIC;
    memset(s, 0, sizeof *s);
    s->rank = 4;
    memcpy(s->dims, shape->data, 4 * sizeof(int32_t));
    if (s->dims[0] != in->shape.dims[0] || s->dims[1] < 1 || s->dims[2] < 1 || s->dims[3] != w->shape.dims[0]) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "transpose_conv.shape", "the output shape must be [%d, h, w, %d]: got "
                         "[%d, %d, %d, %d]", in->shape.dims[0], w->shape.dims[0], s->dims[0], s->dims[1], s->dims[2],
                         s->dims[3]);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__transpose_conv_infer(npu__ctx *c) {
    npu__shape s;
    NPU__TRY(npu__transpose_conv_shape(c, &s));
    return npu__set_shape(c, 0, &s);
}

/* Sizes and padding are those of the convolution that leads from the output back to the input. */
NPU__FN npu_status npu__transpose_conv_geom(npu__ctx *c, npu__conv_geom *g) {
    const npu__val *in = c->in[2], *w = c->in[1], *out = c->out[0];
    npu__window     win = npu__window_of(c);
    int32_t         in_h = in->shape.dims[1], in_w = in->shape.dims[2];
    NPU__TRY(npu__window_check(c, &win));
    memset(g, 0, sizeof *g);
    g->batches = in->shape.dims[0];
    g->in_h = out->shape.dims[1];
    g->in_w = out->shape.dims[2];
    g->in_c = in->shape.dims[3];
    g->out_c = w->shape.dims[0];
    g->k_c = w->shape.dims[3];
    NPU__TRY(npu__window_sizes(c, &win, g));
    if (g->k_c != g->in_c) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "transpose_conv.channels", "the filter must have the %d channels of "
                         "the input: got %d", g->in_c, g->k_c);
    }
    if (g->out_h != in_h || g->out_w != in_w) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "transpose_conv.size", "an output of %d x %d needs an input of "
                         "%d x %d: got %d x %d", g->in_h, g->in_w, g->out_h, g->out_w, in_h, in_w);
    }
    g->out_h = g->in_h;
    g->out_w = g->in_w;
    g->in_h = in_h;
    g->in_w = in_w;
    return NPU_OK;
}

NPU__FN npu_status npu__transpose_conv_prepare(npu__ctx *c) {
    npu__tconv_data *d = (npu__tconv_data *)c->data;
    NPU__TRY(npu__transpose_conv_geom(c, &d->conv.g));
    NPU__TRY(npu__conv_prepare(c, npu__transpose_conv_io, NPU__OPTIONS(c->node, TransposeConvOptions)->quantized_bias_type,
                               &d->conv));
    return npu__tconv_prepare(c, npu__transpose_conv_io, d);
}

NPU__FN npu_status npu__transpose_conv_pack(npu__ctx *c) { return npu__tconv_pack(c, npu__transpose_conv_io); }

NPU__FN npu_status npu__transpose_conv_eval(npu__ctx *c) { return npu__tconv_eval(c, npu__transpose_conv_io); }

NPU__FN npu__work npu__transpose_conv_count(const npu__ctx *c) { return npu__tconv_work(c, npu__transpose_conv_io); }

NPU__OPDEF(npu__op_transpose_conv) = {3, 4, 1, 1, 8, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__tconv_data), npu__transpose_conv_infer,
                                                  npu__transpose_conv_prepare, npu__transpose_conv_pack,
                                                  npu__transpose_conv_eval, npu__transpose_conv_count};
