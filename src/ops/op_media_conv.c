/* MediaPipe's operators on images: Convolution2DTransposeBias, MaxPoolingWithArgmax2D, MaxUnpooling2D. Float only. */
#include "media.h"
#include "move_util.h"
#include "transpose_conv_fast.h"

/* ---- Convolution2DTransposeBias: input, filter [out_c, k_h, k_w, in_c], bias ---- */

/* Along one axis: output cells, -1 when there are too many; *pad: cells that are cut off before the first. */
NPU__FN int32_t npu__tcb_size(int32_t padding, int32_t in, int32_t filter, int32_t stride, int32_t *pad) {
    int64_t cut = 0, out;
    if (padding == NPU__PAD_SAME) cut = NPU__MAX((int64_t)0, (int64_t)filter - (in - 1) % stride - 1);
    out = (int64_t)stride * (in - 1) + filter - cut;
    *pad = (int32_t)(cut / 2);
    return out < 0 || out > INT32_MAX ? -1 : (int32_t)out;
}

NPU__FN npu_status npu__tcb_geom(npu__ctx *c, npu__conv_geom *g) {
    const npu__val *in = c->in[0], *w = c->in[1];
    int32_t         padding;
    memset(g, 0, sizeof *g);
    NPU__TRY(npu__need_rank(c, in, "the input", 4, 4));
    NPU__TRY(npu__need_rank(c, w, "the filter", 4, 4));
    NPU__TRY(npu__media_need_words(c, 3));
    NPU__TRY(npu__media_padding(c, npu__media_word(c, 0), &padding));
    g->stride_w = npu__media_word(c, 1);
    g->stride_h = npu__media_word(c, 2);
    g->dil_h = g->dil_w = 1;
    g->batches = in->shape.dims[0];
    g->in_h = in->shape.dims[1];
    g->in_w = in->shape.dims[2];
    g->in_c = g->k_c = in->shape.dims[3];
    g->out_c = w->shape.dims[0];
    g->k_h = w->shape.dims[1];
    g->k_w = w->shape.dims[2];
    if (g->stride_h < 1 || g->stride_w < 1 || g->in_h < 1 || g->in_w < 1 || g->k_h < 1 || g->k_w < 1 ||
        g->k_c < 1 || w->shape.dims[3] != g->k_c) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "convolution_2d_transpose_bias.shape",
                         "strides, image and filter must not be empty, and the filter has the %d channels of the input: got "
                         "strides %d x %d, an image of %d x %d, a filter of %d x %d x %d", g->in_c, g->stride_h, g->stride_w, g->in_h,
                         g->in_w, g->k_h, g->k_w, w->shape.dims[3]);
    }
    g->out_h = npu__tcb_size(padding, g->in_h, g->k_h, g->stride_h, &g->pad_h);
    g->out_w = npu__tcb_size(padding, g->in_w, g->k_w, g->stride_w, &g->pad_w);
    if (g->out_h < 0 || g->out_w < 0) {
        return NPU__FAIL(c, NPU_LIMIT, "convolution_2d_transpose_bias.size", "the output is too large");
    }
    return NPU_OK;
}

NPU__FN npu_status npu__tcb_infer(npu__ctx *c) {
    npu__conv_geom g;
    npu__shape     s;
    NPU__TRY(npu__tcb_geom(c, &g));
    s = npu__shape_make(4, g.batches, g.out_h, g.out_w, g.out_c);
    return npu__set_shape(c, 0, &s);
}

static const npu__conv_io npu__tcb_io = {0, 1, 2};

NPU__FN npu_status npu__tcb_prepare(npu__ctx *c) {
    npu__tconv_data *d = (npu__tconv_data *)c->data;
    NPU__TRY(npu__media_need_f32(c));
    NPU__TRY(npu__tcb_geom(c, &d->conv.g));
    NPU__TRY(npu__need_rank(c, c->in[2], "the bias", 1, 1));
    if (c->in[2]->shape.dims[0] != d->conv.g.out_c) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "convolution_2d_transpose_bias.bias", "the bias must have %d values: got %d",
                         d->conv.g.out_c, c->in[2]->shape.dims[0]);
    }
    /* The arithmetic is that of TRANSPOSE_CONV without an activation. */
    d->conv.kind = NPU__CONV_F32;
    d->conv.mul_slot = d->conv.w.slot = -1;
    d->conv.lo = -INFINITY;
    d->conv.hi = INFINITY;
    return npu__tconv_prepare(c, npu__tcb_io, d);
}

NPU__FN npu_status npu__tcb_pack(npu__ctx *c) { return npu__tconv_pack(c, npu__tcb_io); }
NPU__FN npu_status npu__tcb_eval(npu__ctx *c) { return npu__tconv_eval(c, npu__tcb_io); }
NPU__FN npu__work npu__tcb_count(const npu__ctx *c) { return npu__tconv_work(c, npu__tcb_io); }

NPU__OPDEF(npu__op_media_transpose_conv) = {3, 3, 1, 1, 0, NPU__OP_NAMES_KERNEL, NPU__DATA(npu__tconv_data), npu__tcb_infer,
                                            npu__tcb_prepare, npu__tcb_pack, npu__tcb_eval, npu__tcb_count};

/* ---- MaxPoolingWithArgmax2D, MaxUnpooling2D ---- */

typedef struct npu__argmax_pool {
    int32_t stride_h, stride_w, k_h, k_w, pad_h, pad_w;
    float   lo, hi;
} npu__argmax_pool;

/* TfLitePoolParams: padding, strides, filter, activation. */
NPU__FN npu_status npu__argmax_options(npu__ctx *c, npu__argmax_pool *d, int32_t *padding) {
    NPU__TRY(npu__need_rank(c, c->in[0], "the input", 4, 4));
    NPU__TRY(npu__media_need_words(c, 6));
    NPU__TRY(npu__media_padding(c, npu__media_word(c, 0), padding));
    memset(d, 0, sizeof *d);
    d->stride_w = npu__media_word(c, 1);
    d->stride_h = npu__media_word(c, 2);
    d->k_w = npu__media_word(c, 3);
    d->k_h = npu__media_word(c, 4);
    /* Sides below 2^15: numbers of cells fit in 32 bits. */
    if (d->stride_w < 1 || d->stride_h < 1 || d->k_w < 1 || d->k_h < 1 || d->k_w >= 1 << 15 || d->k_h >= 1 << 15) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "media.pool_window",
                         "strides and filter sides must be positive, and the latter below 32768: got strides %d x %d, a filter of "
                         "%d x %d", d->stride_h, d->stride_w, d->k_h, d->k_w);
    }
    return npu__act_range_f32(c, npu__media_word(c, 5), &d->lo, &d->hi);
}

NPU__FN npu_status npu__argmax_size(npu__ctx *c, int32_t *h, int32_t *w, npu__argmax_pool *d) {
    const int32_t in_h = npu__dim(c->in[0], 1), in_w = npu__dim(c->in[0], 2);
    int32_t       padding;
    NPU__TRY(npu__argmax_options(c, d, &padding));
    *h = npu__window_out(padding, in_h, d->k_h, d->stride_h, 1);
    *w = npu__window_out(padding, in_w, d->k_w, d->stride_w, 1);
    if (*h < 0 || *w < 0) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "max_pooling_with_argmax_2d.window", "a window of %d x %d does not fit into %d x %d",
                         d->k_h, d->k_w, in_h, in_w);
    }
    d->pad_h = npu__window_pad(in_h, d->k_h, d->stride_h, 1, *h, NULL);
    d->pad_w = npu__window_pad(in_w, d->k_w, d->stride_w, 1, *w, NULL);
    return NPU_OK;
}

NPU__FN npu_status npu__argmax_infer(npu__ctx *c) {
    npu__argmax_pool d;
    npu__shape       s;
    int32_t          h = 0, w = 0;
    NPU__TRY(npu__argmax_size(c, &h, &w, &d));
    s = npu__shape_make(4, npu__dim(c->in[0], 0), h, w, npu__dim(c->in[0], 3));
    NPU__TRY(npu__set_shape(c, 0, &s));
    return npu__set_shape(c, 1, &s);
}

NPU__FN npu_status npu__argmax_prepare(npu__ctx *c) {
    int32_t h, w;
    NPU__TRY(npu__media_need_f32(c));
    return npu__argmax_size(c, &h, &w, (npu__argmax_pool *)c->data);
}

/* One output pixel: maxima of all channels, and in which cell of the window they are. */
NPU__FN void npu__argmax_pixel(const npu__ctx *c, const npu__argmax_pool *d, const float *image, int64_t oy, int64_t ox, float *out,
                               float *index) {
    const int32_t  in_h = npu__dim(c->in[0], 1), in_w = npu__dim(c->in[0], 2), n = npu__dim(c->in[0], 3);
    const int64_t  y0 = oy * d->stride_h - d->pad_h, x0 = ox * d->stride_w - d->pad_w;
    for (int32_t k = 0; k < n; k++) {
        out[k] = -3.402823466e+38f; /* the lowest: what a window of NaNs keeps, in its first cell */
        index[k] = 0.0f;
    }
    for (int64_t y = NPU__MAX(y0, (int64_t)0); y < NPU__MIN(y0 + d->k_h, (int64_t)in_h); y++) {
        for (int64_t x = NPU__MAX(x0, (int64_t)0); x < NPU__MIN(x0 + d->k_w, (int64_t)in_w); x++) {
            const float *v = image + (y * in_w + x) * n;
            const float  cell = (float)((y - y0) * d->k_w + (x - x0));
            for (int32_t k = 0; k < n; k++) {
                if (!(v[k] > out[k])) continue;
                out[k] = v[k];
                index[k] = cell;
            }
        }
    }
    for (int32_t k = 0; k < n; k++) {
        out[k] = out[k] < d->lo ? d->lo : out[k] > d->hi ? d->hi : out[k];
        index[k] += 0.1f; /* as MediaPipe writes it, so that cutting to whole numbers is safe */
    }
}

NPU__FN void npu__argmax_pixels(void *arg, int64_t begin, int64_t end, int32_t thread) {
    npu__ctx               *c = (npu__ctx *)arg;
    const npu__argmax_pool *d = (const npu__argmax_pool *)c->data;
    const int64_t           n = npu__dim(c->in[0], 3), in_image = npu__dims_product(&c->in[0]->shape, 1, 4);
    const int64_t           w = npu__dim(c->out[0], 2), image = npu__dim(c->out[0], 1) * w;
    (void)thread;
    for (; begin < end; begin++) {
        npu__argmax_pixel(c, d, (const float *)c->in[0]->data + begin / image * in_image, begin % image / w, begin % w,
                          (float *)c->out[0]->data + begin * n, (float *)c->out[1]->data + begin * n);
    }
}

NPU__FN int64_t npu__argmax_cells(const npu__ctx *c) {
    const npu__argmax_pool *d = (const npu__argmax_pool *)c->data;
    return (int64_t)NPU__MIN(d->k_h, npu__dim(c->in[0], 1)) * NPU__MIN(d->k_w, npu__dim(c->in[0], 2));
}

NPU__FN npu_status npu__argmax_eval(npu__ctx *c) {
    const int64_t cells = npu__sat_mul(npu__argmax_cells(c), npu__dim(c->in[0], 3));
    if (c->out[0]->bytes == 0) return NPU_OK;
    npu__parallel(c, npu__dims_product(&c->out[0]->shape, 0, 3), 65536 / NPU__MAX(cells, (int64_t)1) + 1, npu__argmax_pixels, c);
    return NPU_OK;
}

NPU__FN npu__work npu__argmax_count(const npu__ctx *c) { return npu__work_each(c, npu__argmax_cells(c) + 1); }

NPU__OPDEF(npu__op_media_max_pool) = {1, 1, 2, 2, 0, 0, NPU__DATA(npu__argmax_pool), npu__argmax_infer, npu__argmax_prepare, NULL,
                                      npu__argmax_eval, npu__argmax_count};

/* Indices that are floats count cells of the window (MediaPipe, as above), those of INT32 elements of the output's image (TFLite's
 * own operator of that name). The output is as large as the filter, or the stride, times the input. */
NPU__INLINE int64_t npu__unpool_side(int32_t in, int32_t k, int32_t stride, int flat, int32_t padding) {
    if (!flat) return (int64_t)in * k;
    return padding == NPU__PAD_SAME ? (int64_t)in * stride : NPU__MAX((int64_t)0, ((int64_t)in - 1) * stride + k);
}

NPU__FN npu_status npu__unpool_size(npu__ctx *c, npu__shape *s, npu__argmax_pool *d) {
    const int flat = c->in[1]->type == NPU_INT32;
    int64_t   h, w;
    int32_t   padding;
    NPU__TRY(npu__argmax_options(c, d, &padding));
    h = npu__unpool_side(npu__dim(c->in[0], 1), d->k_h, d->stride_h, flat, padding);
    w = npu__unpool_side(npu__dim(c->in[0], 2), d->k_w, d->stride_w, flat, padding);
    if (h > INT32_MAX || w > INT32_MAX) return NPU__FAIL(c, NPU_LIMIT, "max_unpooling_2d.size", "the output is too large");
    *s = npu__shape_make(4, npu__dim(c->in[0], 0), (int32_t)h, (int32_t)w, npu__dim(c->in[0], 3));
    d->pad_h = npu__window_pad((int32_t)h, d->k_h, d->stride_h, 1, npu__dim(c->in[0], 1), NULL);
    d->pad_w = npu__window_pad((int32_t)w, d->k_w, d->stride_w, 1, npu__dim(c->in[0], 2), NULL);
    return NPU_OK;
}

NPU__FN npu_status npu__unpool_infer(npu__ctx *c) {
    npu__argmax_pool d;
    npu__shape       s;
    NPU__TRY(npu__unpool_size(c, &s, &d));
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__unpool_prepare(npu__ctx *c) {
    npu__shape s;
    NPU__TRY(npu__need_type(c, c->in[0], "the input", NPU_FLOAT32));
    NPU__TRY(npu__need_type(c, c->out[0], "the output", NPU_FLOAT32));
    if (c->in[1]->type != NPU_INT32) NPU__TRY(npu__need_type(c, c->in[1], "the indices", NPU_FLOAT32));
    NPU__TRY(npu__unpool_size(c, &s, (npu__argmax_pool *)c->data));
    if (npu__shape_eq(&c->in[0]->shape, &c->in[1]->shape)) return NPU_OK;
    return NPU__FAIL(c, NPU_INVALID_MODEL, "max_unpooling_2d.indices", "there must be an index for each element of the input");
}

/* Where in its image element `i` of the input goes; -1: nowhere. Indices are data: those that lead out of it are left out. */
NPU__FN int64_t npu__unpool_place(const npu__ctx *c, const npu__argmax_pool *d, int64_t i) {
    const npu__shape *in = &c->in[0]->shape, *to = &c->out[0]->shape;
    const int64_t     n = in->dims[3], x = i / n % in->dims[2], y = i / n / in->dims[2] % in->dims[1];
    int64_t           oy, ox;
    int32_t           cell;
    if (c->in[1]->type == NPU_INT32) {
        cell = ((const int32_t *)c->in[1]->data)[i];
        return cell >= 0 && cell < npu__dims_product(to, 1, 4) ? cell : -1;
    }
    cell = npu__f32_to_i32(((const float *)c->in[1]->data)[i]);
    oy = y * d->stride_h - d->pad_h + cell / d->k_w;
    ox = x * d->stride_w - d->pad_w + cell % d->k_w;
    if (cell < 0 || oy < 0 || oy >= to->dims[1] || ox < 0 || ox >= to->dims[2]) return -1;
    return (oy * to->dims[2] + ox) * n + i % n;
}

NPU__FN npu_status npu__unpool_eval(npu__ctx *c) {
    const npu__argmax_pool *d = (const npu__argmax_pool *)c->data;
    const float            *v = (const float *)c->in[0]->data;
    const float             zero = 0.0f;
    const int64_t           image = npu__dims_product(&c->out[0]->shape, 1, 4), of = npu__dims_product(&c->in[0]->shape, 1, 4);
    int64_t                 done = 0;
    if (c->out[0]->bytes == 0) return NPU_OK;
    npu__fill_all(c, c->out[0]->data, &zero, npu__elems(c->out[0]), sizeof zero);
    /* One after the other: where windows overlap, the last one wins. */
    for (int64_t i = 0; i < npu__elems(c->in[0]); i++) {
        const int64_t place = npu__unpool_place(c, d, i);
        if (place >= 0) ((float *)c->out[0]->data)[i / of * image + place] = v[i];
        NPU__POLL_PASS(c, done, 4);
    }
    return NPU_OK;
}

NPU__FN npu__work npu__unpool_count(const npu__ctx *c) { return npu__work_steps(c, npu__sat_mul(4, npu__elems(c->in[0]))); }

NPU__OPDEF(npu__op_media_max_unpool) = {2, 2, 1, 1, 0, 0, NPU__DATA(npu__argmax_pool), npu__unpool_infer, npu__unpool_prepare, NULL,
                                        npu__unpool_eval, npu__unpool_count};
