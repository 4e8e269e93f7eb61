/* What several readers ask of a node. */
#include "ask.h"

NPU__FN int32_t npu__fused_activation(const npu__node *node) {
    int32_t                  n, act = NPU__ACT_NONE;
    const npu__schema_field *f = npu__schema_fields(node->opts->table, &n);
    for (int32_t i = 0; i < n; i++) {
        if (f[i].sub != NPU__E_ActivationFunctionType || f[i].kind != NPU__K_I8) continue; /* kinds tell what `sub` means */
        memcpy(&act, (const uint8_t *)node->opts + npu__opts_offset(node->opts->table, i, NPU_MACHINE_THIS), sizeof act);
    }
    return act;
}

/* ---- windows ---- */

/* The fields that all four tables have. */
#define NPU__WINDOW_TAKE(w, o) \
    do { \
        (w).is_window = 1; \
        (w).padding = (o)->padding; \
        (w).stride_h = (o)->stride_h; \
        (w).stride_w = (o)->stride_w; \
    } while (0)
#define NPU__WINDOW_TAKE_DILATION(w, o) \
    do { \
        (w).dil_h = (o)->dilation_h_factor; \
        (w).dil_w = (o)->dilation_w_factor; \
    } while (0)

NPU__FN npu__window npu__window_of(const npu__ctx *c) {
    const npu__val *weights = c->n_in > 1 ? c->in[1] : NULL; /* [.., h, w, .] */
    npu__window     w;
    memset(&w, 0, sizeof w);
    w.dil_h = w.dil_w = 1;
    switch (c->node->opts->table) {
    case NPU__T_Conv2DOptions:
        NPU__WINDOW_TAKE(w, NPU__OPTIONS(c->node, Conv2DOptions));
        NPU__WINDOW_TAKE_DILATION(w, NPU__OPTIONS(c->node, Conv2DOptions));
        break;
    case NPU__T_DepthwiseConv2DOptions:
        NPU__WINDOW_TAKE(w, NPU__OPTIONS(c->node, DepthwiseConv2DOptions));
        NPU__WINDOW_TAKE_DILATION(w, NPU__OPTIONS(c->node, DepthwiseConv2DOptions));
        break;
    case NPU__T_TransposeConvOptions: NPU__WINDOW_TAKE(w, NPU__OPTIONS(c->node, TransposeConvOptions)); break;
    case NPU__T_Pool2DOptions:
        NPU__WINDOW_TAKE(w, NPU__OPTIONS(c->node, Pool2DOptions));
        w.k_h = NPU__OPTIONS(c->node, Pool2DOptions)->filter_height;
        w.k_w = NPU__OPTIONS(c->node, Pool2DOptions)->filter_width;
        return w;
    default: return w;
    }
    if (weights) {
        const npu__shape *s = &weights->shape;
        w.k_h = s->rank >= 3 ? s->dims[s->rank - 3] : 1;
        w.k_w = s->rank >= 2 ? s->dims[s->rank - 2] : 1;
    }
    return w;
}

NPU__FN int32_t npu__window_out(int32_t padding, int32_t in, int32_t filter, int32_t stride, int32_t dilation) {
    int64_t window = ((int64_t)filter - 1) * dilation + 1, n; /* bounded: two numbers of 32 bits */
    if (stride < 1 || dilation < 1 || filter < 1 || in < 0) return -1;
    n = padding == NPU__PAD_SAME ? ((int64_t)in + stride - 1) / stride : ((int64_t)in + stride - window) / stride;
    return n < 0 || ((int64_t)in + stride - window < 0 && padding != NPU__PAD_SAME) ? -1 : (int32_t)n;
}

NPU__FN int32_t npu__window_pad(int32_t in, int32_t filter, int32_t stride, int32_t dilation, int32_t out, int32_t *after) {
    /* bounded, here and below: two numbers of 31 bits each, and the sum of both products */
    int64_t window = ((int64_t)filter - 1) * dilation + 1;
    int64_t total = ((int64_t)out - 1) * stride + window - in;
    if (total < 0) total = 0;
    if (total > INT32_MAX) total = INT32_MAX;
    if (after) *after = (int32_t)(total - total / 2);
    return (int32_t)(total / 2);
}

NPU__FN npu__padding npu__padding_of(const npu__ctx *c) {
    const npu__window w = npu__window_of(c);
    const int         transposed = c->node->opts->table == NPU__T_TransposeConvOptions;
    const npu__shape *image = transposed ? &c->out[0]->shape : &c->in[0]->shape;
    const npu__shape *windows = transposed ? &c->in[2]->shape : &c->out[0]->shape;
    npu__padding      p;
    p.top = npu__window_pad(image->dims[1], w.k_h, w.stride_h, w.dil_h, windows->dims[1], &p.bottom);
    p.left = npu__window_pad(image->dims[2], w.k_w, w.stride_w, w.dil_w, windows->dims[2], &p.right);
    return p;
}
#undef NPU__WINDOW_TAKE
#undef NPU__WINDOW_TAKE_DILATION

/* ---- axes ---- */

NPU__FN int32_t npu__axis_in(int64_t axis, int32_t rank) {
    if (axis < -(int64_t)rank || axis >= rank) return -1;
    return (int32_t)(axis < 0 ? axis + rank : axis);
}

/* ---- quantization ---- */

/* Scales are floats out of a file: a NaN equals nothing. */
NPU__FN int npu__scale_same(float a, float b) { return a >= b && a <= b; }

NPU__FN int npu__quant_one_scale(const npu_quant *q) {
    for (int32_t i = 1; i < q->count; i++) if (!npu__scale_same(q->scale[i], q->scale[0])) return 0;
    return 1;
}

NPU__FN int npu__quant_same(const npu_quant *a, const npu_quant *b) {
    if (a->count == 0 || a->count != b->count) return 0;
    for (int32_t i = 0; i < a->count; i++) {
        if (!npu__scale_same(a->scale[i], b->scale[i]) || a->zero_point[i] != b->zero_point[i]) return 0;
    }
    return 1;
}
