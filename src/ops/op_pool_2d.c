/* AVERAGE_POOL_2D, MAX_POOL_2D and L2_POOL_2D. Input and output share their quantization, so none is applied. */
#include "pool_2d.h"

NPU__FN npu_status npu__pool_2d_geom(npu__ctx *c, npu__pool_geom *p) {
    const npu__val *in = c->in[0];
    npu__window     win = npu__window_of(c);
    npu__conv_geom  g;
    memset(&g, 0, sizeof g);
    NPU__TRY(npu__need_rank(c, in, "the input", 4, 4));
    NPU__TRY(npu__window_check(c, &win));
    g.in_h = in->shape.dims[1];
    g.in_w = in->shape.dims[2];
    g.in_c = g.k_c = g.out_c = 1;
    NPU__TRY(npu__window_sizes(c, &win, &g));
    p->batches = in->shape.dims[0];
    p->c = in->shape.dims[3];
    p->in_h = g.in_h;
    p->in_w = g.in_w;
    p->out_h = g.out_h;
    p->out_w = g.out_w;
    p->k_h = g.k_h;
    p->k_w = g.k_w;
    p->stride_h = g.stride_h;
    p->stride_w = g.stride_w;
    p->pad_h = g.pad_h;
    p->pad_w = g.pad_w;
    return NPU_OK;
}

NPU__FN npu_status npu__pool_2d_infer(npu__ctx *c) {
    npu__pool_geom g;
    npu__shape     s;
    NPU__TRY(npu__pool_2d_geom(c, &g));
    s = npu__shape_make(4, g.batches, g.out_h, g.out_w, g.c);
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__pool_2d_prepare(npu__ctx *c) {
    npu__pool_data *d = (npu__pool_data *)c->data;
    const int32_t   type = c->in[0]->type;
    const int32_t   act = npu__fused_activation(c->node);
    d->kernel = NPU__LOOPS_ANY;
    NPU__TRY(npu__pool_2d_geom(c, &d->g));
    if (type != c->out[0]->type) return npu__fail_types(c);
    if (type == NPU_FLOAT32) return npu__act_range_f32(c, act, &d->lo, &d->hi);
    if (type != NPU_UINT8 && type != NPU_INT8 && type != NPU_INT16) return npu__fail_types(c);
    return npu__act_range_q(c, act, c->out[0], &d->q_lo, &d->q_hi);
}

/* Maxima go through the window cell by cell, all channels at once. */
NPU__FN npu_status npu__max_pool_2d_prepare(npu__ctx *c) {
    npu__pool_data *d = (npu__pool_data *)c->data;
    const int32_t   type = c->in[0]->type;
    int32_t         lo, hi;
    NPU__TRY(npu__pool_2d_prepare(c));
    if (type == NPU_INT16) return NPU_OK;
    /* The kernel for bytes does not clamp: it is for the type's whole range only. */
    if (type != NPU_FLOAT32 && (!npu__type_range(type, &lo, &hi) || d->q_lo != lo || d->q_hi != hi)) return NPU_OK;
    d->fast = npu__pointwise_select(npu__ctx_isa(c));
    if (d->fast) d->kernel = d->fast->name;
    return NPU_OK;
}

NPU__FN npu_status npu__l2_pool_2d_prepare(npu__ctx *c) {
    NPU__TRY(npu__need_type(c, c->in[0], "the input", NPU_FLOAT32));
    return npu__pool_2d_prepare(c);
}

/* Calls the kernel of the input's type. */
#define NPU__POOL_RANGE(name, kernel)                                                                                \
    NPU__FN void name(void *arg, int64_t begin, int64_t end, int32_t thread) {                                       \
        npu__ctx             *c = (npu__ctx *)arg;                                                                   \
        const npu__pool_data *d = (const npu__pool_data *)c->data;                                                   \
        const void           *in = c->in[0]->data;                                                                   \
        void                 *out = c->out[0]->data;                                                                 \
        const int32_t         lo = d->q_lo, hi = d->q_hi;                                                            \
        (void)thread;                                                                                                \
        switch (c->in[0]->type) {                                                                                    \
        case NPU_FLOAT32: kernel##_f32(&d->g, (const float *)in, d->lo, d->hi, (float *)out, begin, end); break;     \
        case NPU_UINT8: kernel##_u8(&d->g, (const uint8_t *)in, lo, hi, (uint8_t *)out, begin, end); break;          \
        case NPU_INT8: kernel##_i8(&d->g, (const int8_t *)in, lo, hi, (int8_t *)out, begin, end); break;             \
        default: kernel##_i16(&d->g, (const int16_t *)in, lo, hi, (int16_t *)out, begin, end); break;                \
        }                                                                                                            \
    }
NPU__POOL_RANGE(npu__average_pool_range, npu__ref_average_pool)
NPU__POOL_RANGE(npu__max_pool_range, npu__ref_max_pool)
#undef NPU__POOL_RANGE

NPU__FN void npu__l2_pool_range(void *arg, int64_t begin, int64_t end, int32_t thread) {
    npu__ctx             *c = (npu__ctx *)arg;
    const npu__pool_data *d = (const npu__pool_data *)c->data;
    (void)thread;
    npu__ref_l2_pool_f32(&d->g, (const float *)c->in[0]->data, d->lo, d->hi, (float *)c->out[0]->data, begin, end);
}

/* Cells of the largest window: what lies outside the image does not count. */
NPU__FN int64_t npu__pool_cells(const npu__pool_geom *g) {
    return (int64_t)NPU__MIN(g->k_h, g->in_h) * NPU__MIN(g->k_w, g->in_w);
}

NPU__FN npu_status npu__pool_run(npu__ctx *c, npu__range_fn fn) {
    const npu__pool_geom *g = &((const npu__pool_data *)c->data)->g;
    const int64_t         pixel_cells = npu__sat_mul(npu__pool_cells(g), g->c);
    if (c->out[0]->bytes == 0) return NPU_OK;
    npu__parallel(c, (int64_t)g->batches * g->out_h * g->out_w, 65536 / NPU__MAX(pixel_cells, (int64_t)1) + 1, fn, c);
    return NPU_OK;
}

NPU__FN npu__work npu__pool_work(const npu__ctx *c) {
    return npu__work_each(c, npu__pool_cells(&((const npu__pool_data *)c->data)->g));
}

NPU__FN void npu__max_pool_start_f32(float *out, int32_t n) {
    static const float lowest[4] = {-3.402823466e+38f, -3.402823466e+38f, -3.402823466e+38f, -3.402823466e+38f};
    int32_t            i = 0;
    for (; i + 4 <= n; i += 4) memcpy(out + i, lowest, sizeof lowest);
    for (; i < n; i++) out[i] = lowest[0];
}

/* One output pixel. */
NPU__FN void npu__max_pool_pixel(const npu__pool_data *d, const uint8_t *image, size_t elem, int is_signed,
                                 int32_t oy, int32_t ox, uint8_t *out) {
    const npu__pool_geom  *g = &d->g;
    const npu__pool_window w = npu__pool_window_at(g, oy, ox);
    const size_t           pixel = (size_t)g->c * elem;
    /* The smallest value, which a window without cells keeps: TFLite's MaxPool starts from it too. */
    if (elem == 1) memset(out, is_signed ? 0x80 : 0, pixel);
    else npu__max_pool_start_f32((float *)(void *)out, g->c);
    for (int32_t y = w.y0; y < w.y1; y++) {
        const uint8_t *cell = image + ((size_t)y * (size_t)g->in_w + (size_t)w.x0) * pixel;
        for (int32_t x = w.x0; x < w.x1; x++, cell += pixel) {
            if (elem == 1) d->fast->max_i8(cell, out, g->c, is_signed);
            else d->fast->max((const float *)(const void *)cell, (float *)(void *)out, g->c);
        }
    }
    if (elem != 1) d->fast->clamp((const float *)(void *)out, (float *)(void *)out, g->c, d->lo, d->hi);
}

NPU__FN void npu__max_pool_pixels(void *arg, int64_t begin, int64_t end, int32_t thread) {
    npu__ctx             *c = (npu__ctx *)arg;
    const npu__pool_data *d = (const npu__pool_data *)c->data;
    const npu__pool_geom *g = &d->g;
    const int             is_signed = c->in[0]->type == NPU_INT8;
    const size_t          elem = c->in[0]->type == NPU_FLOAT32 ? sizeof(float) : 1, pixel = (size_t)g->c * elem;
    const size_t          image = (size_t)g->in_h * (size_t)g->in_w * pixel;
    npu__pool_at          at = npu__pool_at_of(g, begin);
    (void)thread;
    for (; begin < end; begin++, npu__pool_next(g, &at)) {
        npu__max_pool_pixel(d, (const uint8_t *)c->in[0]->data + (size_t)at.b * image, elem, is_signed, at.y, at.x,
                            (uint8_t *)c->out[0]->data + (size_t)begin * pixel);
    }
}

NPU__FN npu_status npu__max_pool_2d_eval(npu__ctx *c) {
    return npu__pool_run(c, ((const npu__pool_data *)c->data)->fast ? npu__max_pool_pixels : npu__max_pool_range);
}
NPU__FN npu_status npu__average_pool_2d_eval(npu__ctx *c) { return npu__pool_run(c, npu__average_pool_range); }
NPU__FN npu_status npu__l2_pool_2d_eval(npu__ctx *c) { return npu__pool_run(c, npu__l2_pool_range); }

NPU__OPDEF(npu__op_average_pool_2d) = {1, 1, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__pool_data), npu__pool_2d_infer,
                                                   npu__pool_2d_prepare, NULL, npu__average_pool_2d_eval,
                                                   npu__pool_work};
NPU__OPDEF(npu__op_max_pool_2d) = {1, 1, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__pool_data),
                                               npu__pool_2d_infer, npu__max_pool_2d_prepare, NULL,
                                               npu__max_pool_2d_eval, npu__pool_work};
NPU__OPDEF(npu__op_l2_pool_2d) = {1, 1, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__pool_data), npu__pool_2d_infer,
                                              npu__l2_pool_2d_prepare, NULL, npu__l2_pool_2d_eval, npu__pool_work};
